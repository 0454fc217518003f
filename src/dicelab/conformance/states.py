"""All transitions from one state, and the step `states`: in every reachable state ranges hold, some move is legal, and
the game can end.

In contrast to `runtime.states.explorer`, which follows strategies or sensible moves, the rules in plain Python are
tried with *every* roll and legal move, to find ranges that only an unusual move exceeds. It shares nothing with it, so
that each checks the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from math import prod
from random import Random
from typing import NamedTuple

from dicelab.conformance.findings import (
    NOTE,
    OK,
    Broken,
    Found,
    Said,
    UnprovedStore,
    broken,
    lines_that_may_leave,
    straying,
)
from dicelab.errors import RangeError, RulesError, TooLarge
from dicelab.rules.actions import LISTABLE, OVER, Decision, Throw
from dicelab.rules.dice import RollOutcome
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, fresh, position, reset, seat_count
from dicelab.runtime.interpreter import as_move, asked, outcome_of
from dicelab.runtime.lineup import Call
from dicelab.runtime.philox import Pool, Stream, pool
from dicelab.runtime.states.codec import Place
from dicelab.runtime.where import where_is
from dicelab.solver.enumeration.model import all_outcomes

State = tuple[int, ...]
MOST_BRANCHES = 2048
"""Limit of the outcomes of a roll that are all tried; of more, a sample is tried."""
SAMPLE, TRIED = 24, 100
"""Size of the sample of rolls, and number of random moves, legal or not."""


class FoundTransition(NamedTuple):
    """A transition: the values of the roll or move, its weight (1 for a move), the next state, what it counts."""

    values: tuple[int, ...]
    weight: int
    end: State
    counted: tuple[int, ...]
    sensible: bool


@dataclass(frozen=True)
class ExpandedState:
    """What happens at a state.

    Attributes
    ----------
    kind, number
        The roll and its number of dice, or the choice and its seat; None and the number of the outcome where the game
        is over.
    ways
        The transitions.
    every
        Whether all rolls and moves were tried, and not a sample of them.
    counted
        What `outcome` counts where the game is over.
    """

    kind: Throw | Decision | None
    number: int
    ways: list[FoundTransition] = field(default_factory=list)
    every: bool = True
    counted: tuple[int, ...] = ()


class Explorer:
    """A game that can be set to any state, to try every roll or legal move there.

    Attributes
    ----------
    work
        Rolls and moves tried so far, and moves judged. Limits of it are the same on every machine, in contrast to
        limits of time.
    """

    work = 0

    def __init__(self, game: Game) -> None:
        self.game = fresh(game)
        self.place = Place(self.game, ())
        self._uncounted = dict.fromkeys(game.declared.tallies, 0)
        self._sampled, self._random = Stream(0, 0), Random(0)

    def start(self) -> State:
        """Return the state at which a game begins."""
        try:
            reset(self.game)
        except Exception as error:
            raise broken(error, type(self.game), where_is(type(self.game).start)) from error
        return self.place.read()

    def height(self, store: UnprovedStore) -> Callable[[FoundTransition], int]:
        """Return how near to the end of the range that a store may leave a transition leads."""
        places = self.place.places(store.name)
        if store.up:
            return lambda way: max(way.end[places])
        return lambda way: -min(way.end[places])

    def describe(self, here: State) -> str:
        """Return a state as text: its fields and their values."""
        self.place.set(here)
        return f"state {position(self.game)}"

    def stand(self, here: State) -> None:
        """Set the game to a state, with all tallies at 0."""
        self.place.set(here)
        self.game.__dict__.update(self._uncounted)
        self.work += 1

    def expand(self, here: State) -> ExpandedState:
        """Return what happens at a state, with all transitions.

        Raises
        ------
        Broken
            When a rule fails there; names method, line and state.
        """
        game, kind_of = self.game, type(self.game)
        self.stand(here)
        try:
            step = game.next()
            if step == OVER:
                return self._over()
            kind, number = asked(game, step)
            if isinstance(kind, Throw):
                return self._throw(here, kind, number, pool(game, kind, number))
        except Broken:
            raise
        except (Exception, SystemExit) as error:
            ended = isinstance(error, RulesError) and "outcome()" in str(error)
            rule = kind_of.outcome if ended else kind_of.next
            raise self._broken(error, here, where_is(rule)) from error
        return self._choice(here, kind, number)

    def _broken(self, error: BaseException, here: State, fallback: object, after: str = "") -> Broken:
        finding = broken(error, type(self.game), fallback)  # type: ignore[arg-type]
        return Broken(f"{finding}; {self.describe(here)}{after}", finding.where)

    def _over(self) -> ExpandedState:
        outcome = outcome_of(self.game)
        return ExpandedState(None, outcome, counted=self._counted())

    def _counted(self) -> tuple[int, ...]:
        return tuple(self.game.__dict__[name] for name in self._uncounted)

    def _throw(self, here: State, kind: Throw, number: int, dice: Pool) -> ExpandedState:
        outcomes, every = self._outcomes(kind, dice)
        ways = [self._follow(here, kind, o.seen, o.weight, True) for o in outcomes]
        return ExpandedState(kind, number, ways, every)

    def _outcomes(self, kind: Throw, dice: Pool) -> tuple[list[RollOutcome], bool]:
        """Return the outcomes of a roll, or a sample with the first and the last; and whether they are all."""
        try:
            outcomes = all_outcomes(self.game, kind, dice)
        except TooLarge:
            drawn = [self._sampled.draw(dice) for _ in range(SAMPLE)]
            faces = [o.seen[0] for o in dice.outcomes]
            drawn += [dice.seen([face] * dice.count) for face in (faces[0], faces[-1])]
            return [RollOutcome(seen, 1) for seen in dict.fromkeys(drawn)], False
        if len(outcomes) <= MOST_BRANCHES:
            return outcomes, True
        return [*outcomes[:: len(outcomes) // SAMPLE], outcomes[-1]], False

    def _follow(
        self, here: State, kind: Throw | Decision, values: tuple[int, ...], weight: int, sensible: bool
    ) -> FoundTransition:
        self.stand(here)
        try:
            applied(kind.run, self.game, values)
        except (Exception, SystemExit) as error:
            shown = kind.describe(values) if isinstance(kind, Decision) else ", ".join(map(str, values))
            raise self._broken(error, here, where_is(kind.rule), f", then {kind.name}({shown})") from error
        return FoundTransition(values, weight, self.place.read(), self._counted(), sensible)

    def _choice(self, here: State, kind: Decision, seat: int) -> ExpandedState:
        """Every legal move of a seat.

        Raises
        ------
        Broken
            When there is no such seat, no move is legal, or none is sensible.
        """
        game = self.game
        try:
            listed, every = candidates(kind, game, seat, self._random)
            self.work += len(listed)
            if seat >= max(1, seat_count(game)):
                raise RulesError(f"seat {seat} is asked to choose, but the seats are 0 to {seat_count(game) - 1}")
            moves = [
                (move, kind.sensible is None or bool(kind.sensible(game, *move)))
                for move in listed
                if kind.allows(game, move)
            ]
        except (Exception, SystemExit) as error:
            raise self._broken(error, here, where_is(type(game).next)) from error
        if every and not moves:
            where = where_is(kind.legal or kind.moves or kind.rule)
            say = f"seat {seat} must choose in {kind.name}, but no choice is legal: "
            raise Broken(f"{where}: {say}allow a move here, or don't ask in next; {self.describe(here)}", where)
        if every and not any(sensible for _, sensible in moves):
            where = where_is(kind.sensible or kind.rule)
            say = f"seat {seat} has no sensible move in {kind.name}: "
            raise Broken(f"{where}: {say}at least one legal move must be sensible; {self.describe(here)}", where)
        return ExpandedState(
            kind, seat, [self._follow(here, kind, move, 1, sensible) for move, sensible in moves], every
        )


def candidates(kind: Decision, game: Game, seat: int, dice: Random) -> tuple[list[tuple[int, ...]], bool]:
    """Return moves to try, legal or not, and whether they are all.

    If there are too many: the moves that strategies choose here, those at the ends of all ranges, and random ones, half
    of their numbers small.
    """
    if kind.lists:
        return kind.listing(game) or [], True
    spans = kind.spans(game)
    if prod(high - low + 1 for low, high in spans) <= LISTABLE:
        return list(product(*(range(low, high + 1) for low, high in spans))), True
    some = dict.fromkeys(_chosen_by_strategies(kind, game, seat))
    some |= dict.fromkeys(product(*spans))
    for _ in range(TRIED):
        few = [(low, min(high, low + SAMPLE)) if dice.random() < 0.5 else (low, high) for low, high in spans]
        some[tuple(dice.randint(*span) for span in few)] = None
    return list(some), False


def _chosen_by_strategies(kind: Decision, game: Game, seat: int) -> Iterator[tuple[int, ...]]:
    """Yield the moves that strategies choose in a state, with empty memories; other steps check
    that these are legal.
    """
    for strategy in game.declared.strategies.values():
        with suppress(Exception):
            call = Call(strategy, tuple(param.default for param in strategy.params.values()))
            yield as_move(call.chooser(game)(game, kind, seat))


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
    explored, until = Explored(), explorer.work + work
    start = explorer.start()
    explored.states[start] = None
    waiting, beyond = deque([start]), deque[State]()
    while waiting or beyond:
        if len(explored.states) > most or explorer.work > until:
            explored.every = False
            break
        strict = bool(waiting)
        here = waiting.popleft() if strict else beyond.popleft()
        if explored.states.get(here) is not None:
            continue
        try:
            step = explorer.expand(here)
        except Broken as error:
            if strict or not isinstance(error.__cause__, RangeError):
                raise
            explored.beyond, explored.every = explored.beyond or str(error), False
            continue
        explored.states[here] = step
        explored.every &= step.every
        _queue(explored, step, waiting if strict else beyond, beyond)
    return explored


def _queue(explored: Explored, step: ExpandedState, waiting: deque[State], beyond: deque[State]) -> None:
    """Queue the states to which a step leads."""
    if isinstance(step.kind, Decision):
        explored.used.update((step.kind.name, way.values) for way in step.ways)
    for way in step.ways:
        if explored.states.setdefault(way.end, None) is None:
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

    explored: Explored
    games: int = 0
    unended: int = 0

    @property
    def states(self) -> int:
        """Number of states in which every roll and legal move was tried."""
        return self.explored.expanded

    def __str__(self) -> str:
        if self.explored.every:
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
        explored = explore(explorer, most, work)
        reached = Reached(explored)
        if not explored.every:
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
    dice, until, explored = Random(0), explorer.work + work, reached.explored
    while explorer.work < until:
        here, strict = explorer.start(), True
        manners = 4 if climbing else 3
        manner, persistent = reached.games % manners, -(reached.games // manners % 2)
        height = explorer.height(climbing[reached.games // 4 % len(climbing)]) if manner == 3 else None
        for _ in range(LONGEST):
            explorer.work += 1
            step = explored.states.get(here)
            if step is None:
                step = _expanded(explorer, here, strict, explored)
            if step is None or step.kind is None or explorer.work > until:
                break
            if isinstance(step.kind, Decision):
                explored.used.update((step.kind.name, way.values) for way in step.ways)
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


def _expanded(explorer: Explorer, here: State, strict: bool, explored: Explored) -> ExpandedState | None:
    """Return what happens at a state; None if a range is exceeded there and an earlier move was not sensible."""
    try:
        step = explorer.expand(here)
    except Broken as error:
        if strict or type(error.__cause__).__name__ != "RangeError":
            raise
        explored.beyond = explored.beyond or str(error)
        return None
    if len(explored.states) < 4 * MOST_STATES:
        explored.states[here] = step
    return step


def states(game: type[Game], reached: list[Reached]) -> Found:
    """Check the states at the defaults, and append them to `reached` for later steps."""
    sample = game()
    stores = straying(game)
    walked = reach(sample, MOST_STATES, WORK, RANDOM_WORK, climbing=stores)
    reached.append(walked)
    if walked.explored.every:
        must_have_an_end(sample, walked.explored)
    if any(not step.every for step in walked.explored.states.values() if step is not None):
        yield Said(NOTE, "some choices or rolls are too many to list: a sample of them was tried at each state")
    if walked.explored.beyond:
        say = "moves that sensible= rules out, which no strategy need make, can leave a range; legal= could forbid them"
        yield Said(NOTE, f"{say}: {walked.explored.beyond}")
    if walked.games and walked.unended == walked.games:
        yield Said(NOTE, f"no game of random play ended within {LONGEST:,} rolls and choices")
    yield from (Said(NOTE, say) for say in (lines_that_may_leave(sample, stores) if not walked.explored.every else ()))
    what = "ranges hold, some move is legal, and the game can end" if walked.explored.every else "ranges hold"
    covered = {"states": walked.states, "all": walked.explored.every, "games": walked.games}
    yield Said(OK, f"{walked} at the defaults: {what}", {"states": covered})


def must_have_an_end(game: Game, explored: Explored, at: str = "") -> None:
    """Refuse a game with a state from which its end can't be reached."""
    lost = explored.leads_nowhere()
    if lost is not None:
        where = where_is(type(game).next)
        say = "no roll and no move ever leads to the end of the game from this state: return OVER in next there"
        raise Broken(f"{where}: {at + ': ' if at else ''}{say}; {Explorer(game).describe(lost)}", where)
