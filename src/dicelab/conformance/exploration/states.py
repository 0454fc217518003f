"""The step `states`: in every reachable state ranges hold, some move is legal, and the game can end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from dicelab.conformance.exploration.expand import ExpandedState, Explorer, FoundTransition, State
from dicelab.conformance.findings import NOTE, OK, Broken, Found, Said, UnprovedStore, lines_that_may_leave, straying
from dicelab.errors import RangeError
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.runtime.where import where_is

# Find the states that rolls and legal moves can reach, up to a limit of states and of work.
#
# Moves that ``sensible=`` rules out are tried last: with them a game may have infinitely many states. An error after
# such a move is reported as a note.


@dataclass
class Explored:
    """The states that were found.

    Attributes
    ----------
    states
        Each with what happens there, or None if it was not expanded.
    every
        Whether these are all reachable states, with every roll and move tried.
    used
        Moves that were legal somewhere, by the name of the choice.
    beyond
        The first error of a range after a move that is legal but not sensible; empty if none.
    """

    states: dict[State, ExpandedState | None] = field(default_factory=dict)
    every: bool = True
    used: set[tuple[str, tuple[int, ...]]] = field(default_factory=set)
    beyond: str = ""

    @property
    def expanded(self) -> int:
        """States at which every roll or move was tried."""
        return sum(step is not None for step in self.states.values())

    def leads_nowhere(self) -> State | None:
        """Return a state from which the end of the game can't be reached; None if there is none."""
        before: dict[State, list[State]] = {state: [] for state in self.states}
        ends = []
        for state, step in self.states.items():
            if step is None or step.kind is None:
                ends.append(state)
            for way in step.ways if step is not None else ():
                before[way.end].append(state)
        waiting, can_end = deque(ends), set(ends)
        while waiting:
            for state in before[waiting.popleft()]:
                if state not in can_end:
                    can_end.add(state)
                    waiting.append(state)
        return next((state for state in self.states if state not in can_end), None)


def explore(explorer: Explorer, most: int, work: int) -> Explored:
    """Find states by breadth-first search from the start, up to `most` states and so much `work`."""
    found, until = Explored(), explorer.work + work
    start = explorer.start()
    found.states[start] = None
    waiting, beyond = deque([start]), deque[State]()
    while waiting or beyond:
        if len(found.states) > most or explorer.work > until:
            found.every = False
            break
        strict = bool(waiting)
        here = waiting.popleft() if strict else beyond.popleft()
        if found.states.get(here) is not None:
            continue
        try:
            step = explorer.expand(here)
        except Broken as error:
            if strict or not isinstance(error.__cause__, RangeError):
                raise
            found.beyond, found.every = found.beyond or str(error), False
            continue
        found.states[here] = step
        found.every &= step.every
        _queue(found, step, waiting if strict else beyond, beyond)
    return found


def _queue(found: Explored, step: ExpandedState, waiting: deque[State], beyond: deque[State]) -> None:
    """Queue the states to which a step leads."""
    if isinstance(step.kind, Decision):
        found.used.update((step.kind.name, way.values) for way in step.ways)
    for way in step.ways:
        if found.states.setdefault(way.end, None) is None:
            (waiting if way.sensible else beyond).append(way.end)


MOST_STATES, WORK = 50_000, 200_000
"""Limits of the states explored at the defaults, and of the work (`Explorer.work`) for that."""
RANDOM_WORK = 60_000
"""Work of random play if there are more states."""
LONGEST = 20_000
"""Limit of the rolls and choices of a game of random play."""


@dataclass
class Reached:
    """The explored states; if they are not all, also games of random play, and how many of these did not end."""

    found: Explored
    games: int = 0
    unended: int = 0

    @property
    def states(self) -> int:
        """Number of states in which every roll and legal move was tried."""
        return self.found.expanded

    def __str__(self) -> str:
        if self.found.every:
            return f"all {self.states:,} states"
        random = f" and in {self.games:,} games of random play" if self.games else ""
        return f"{self.states:,} states near the start{random} (there are more)"


def reach(
    game: Game, most: int, work: int, random_work: int, at: str = "", climbing: Sequence[UnprovedStore] = ()
) -> Reached:
    """Explore all states, or, if there are too many, those near the start and those of random play, which also climbs
    to the ends of the ranges that `climbing` may leave.

    Raises
    ------
    Broken
        Names the setting `at`.
    """
    explorer = Explorer(game)
    try:
        found = explore(explorer, most, work)
        reached = Reached(found)
        if not found.every:
            _play_at_random(explorer, reached, random_work, climbing)
    except Broken as error:
        raise Broken(_with(at, str(error)), error.where) from error
    return reached


def _with(at: str, say: str) -> str:
    """Return a message with the setting inserted after the place that it names."""
    place, colon, rest = say.partition(": ")
    return f"{place}{colon}{at}: {rest}" if at else say


def _play_at_random(explorer: Explorer, reached: Reached, work: int, climbing: Sequence[UnprovedStore]) -> None:
    """Play games with random legal moves, and try every roll and move in each state on the way.

    Games alternate between three manners: outcomes by their weights; all outcomes equally likely, so that rare ones
    occur; always the first or always the last legal move, to find ranges that only repetition exceeds; and, where a
    range may be left, each roll and move that leads nearest to its end.
    """
    dice, until, found = Random(0), explorer.work + work, reached.found
    while explorer.work < until:
        here, strict = explorer.start(), True
        manners = 4 if climbing else 3
        manner, persistent = reached.games % manners, -(reached.games // manners % 2)
        height = explorer.height(climbing[reached.games // 4 % len(climbing)]) if manner == 3 else None
        for _ in range(LONGEST):
            explorer.work += 1
            step = found.states.get(here)
            if step is None:
                step = _expanded(explorer, here, strict, found)
            if step is None or step.kind is None or explorer.work > until:
                break
            if isinstance(step.kind, Decision):
                found.used.update((step.kind.name, way.values) for way in step.ways)
            if not step.ways:  # too many moves to list, and none of those tried was legal
                break
            way = _way(step, dice, manner, persistent, height)
            here, strict = way.end, strict and way.sensible
        else:
            reached.unended += 1
        reached.games += 1


def _way(
    step: ExpandedState, dice: Random, manner: int, at: int, height: Callable[[FoundTransition], int] | None
) -> FoundTransition:
    """Return the transition that a game takes: one that leads highest, or by its `manner`: 2 is move `at`."""
    if height is not None:
        best = max(map(height, step.ways))
        return dice.choice([way for way in step.ways if height(way) == best])
    if manner == 2 and isinstance(step.kind, Decision):
        return step.ways[at]
    if manner == 1:
        return dice.choice(step.ways)
    return dice.choices(step.ways, [way.weight for way in step.ways])[0]


def _expanded(explorer: Explorer, here: State, strict: bool, found: Explored) -> ExpandedState | None:
    """Return what happens at a state; None if a range is exceeded there and an earlier move was not sensible."""
    try:
        step = explorer.expand(here)
    except Broken as error:
        if strict or type(error.__cause__).__name__ != "RangeError":
            raise
        found.beyond = found.beyond or str(error)
        return None
    if len(found.states) < 4 * MOST_STATES:
        found.states[here] = step
    return step


def states(game: type[Game], reached: list[Reached]) -> Found:
    """Check the states at the defaults, and append them to `reached` for later steps."""
    sample = game()
    stores = straying(game)
    found = reach(sample, MOST_STATES, WORK, RANDOM_WORK, climbing=stores)
    reached.append(found)
    if found.found.every:
        must_have_an_end(sample, found.found)
    if any(not step.every for step in found.found.states.values() if step is not None):
        yield Said(NOTE, "some choices or rolls are too many to list: a sample of them was tried at each state")
    if found.found.beyond:
        say = "moves that sensible= rules out, which no strategy need make, can leave a range; legal= could forbid them"
        yield Said(NOTE, f"{say}: {found.found.beyond}")
    if found.games and found.unended == found.games:
        yield Said(NOTE, f"no game of random play ended within {LONGEST:,} rolls and choices")
    yield from (Said(NOTE, say) for say in (lines_that_may_leave(sample, stores) if not found.found.every else ()))
    what = "ranges hold, some move is legal, and the game can end" if found.found.every else "ranges hold"
    covered = {"states": found.states, "all": found.found.every, "games": found.games}
    yield Said(OK, f"{found} at the defaults: {what}", {"states": covered})


def must_have_an_end(game: Game, found: Explored, at: str = "") -> None:
    """Refuse a game with a state from which its end can't be reached."""
    lost = found.leads_nowhere()
    if lost is not None:
        where = where_is(type(game).next)
        say = "no roll and no move ever leads to the end of the game from this state: return OVER in next there"
        raise Broken(f"{where}: {at + ': ' if at else ''}{say}; {Explorer(game).describe(lost)}", where)
