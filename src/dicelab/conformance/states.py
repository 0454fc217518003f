"""Every reachable state: ranges, legal moves, a way to the end, and the same game from every seat."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from time import process_time

from dicelab.conformance.expand import Explorer, State, Step
from dicelab.conformance.explore import Explored, explore
from dicelab.conformance.finding import NOTE, OK, Broken, Found, Said
from dicelab.conformance.where import where_is
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game

MOST_STATES = 50_000
SECONDS = 3.0
"""States of a game at its defaults that are looked for one by one, and the time for that."""
RANDOM_SECONDS = 1.5
"""The time for random play where there are more states."""
LONGEST = 20_000
"""Rolls and choices of one game of random play."""


@dataclass
class Reached:
    """States that were looked at: of how many, whether these are all, and games of random play where they are not."""

    found: Explored
    games: int = 0
    unended: int = 0

    @property
    def states(self) -> int:
        """States at which every roll and every legal move was tried."""
        return self.found.expanded

    def __str__(self) -> str:
        if self.found.every:
            return f"all {self.states:,} states"
        random = f" and in {self.games:,} games of random play" if self.games else ""
        return f"{self.states:,} states near the start{random}, of more"


def reach(game: Game, most: int, seconds: float, random_seconds: float, at: str = "") -> Reached:
    """Look at every state, or where there are too many, at those near the start and those of random play.

    Raises
    ------
    Broken
        Naming the setting `at`.
    """
    explorer = Explorer(game)
    try:
        found = explore(explorer, most, seconds)
        reached = Reached(found)
        if not found.every:
            _play_at_random(explorer, reached, random_seconds)
    except Broken as error:
        raise Broken(_with(at, str(error)), error.where) from error
    return reached


def _with(at: str, say: str) -> str:
    """A message with the setting at which it is so, behind the place that it names."""
    place, colon, rest = say.partition(": ")
    return f"{place}{colon}{at}: {rest}" if at else say


def _play_at_random(explorer: Explorer, reached: Reached, seconds: float) -> None:
    """Play games with random legal moves, every roll and move tried at each state on the way.

    In turn the dice are fair; every outcome is equally likely, so that rare ones come; and the same end of the list of
    moves is chosen throughout, so that ranges are met which only persistence exceeds.
    """
    dice, until, found = Random(0), process_time() + seconds, reached.found
    while process_time() < until:
        here, strict = explorer.start(), True
        manner, persistent = reached.games % 3, -(reached.games // 3 % 2)
        for _ in range(LONGEST):
            step = found.states.get(here)
            if step is None:
                step = _expanded(explorer, here, strict, found)
            if step is None or step.kind is None or process_time() > until:
                break
            if isinstance(step.kind, Decision):
                found.used.update((step.kind.name, way.values) for way in step.ways)
            if not step.ways:  # too many moves to list, and none of those tried was legal
                break
            if manner == 2 and isinstance(step.kind, Decision):
                way = step.ways[persistent]
            elif manner == 1:
                way = dice.choice(step.ways)
            else:
                way = dice.choices(step.ways, [way.weight for way in step.ways])[0]
            here, strict = way.end, strict and way.sensible
        else:
            reached.unended += 1
        reached.games += 1


def _expanded(explorer: Explorer, here: State, strict: bool, found: Explored) -> Step | None:
    """What happens at a state; None beyond a move that is not sensible, where a range is exceeded."""
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
    """All states at the defaults, kept in `reached` for the steps that follow."""
    sample = game()
    found = reach(sample, MOST_STATES, SECONDS, RANDOM_SECONDS)
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
    what = "ranges hold, somebody can move, and the game can end" if found.found.every else "ranges hold"
    covered = {"states": found.states, "all": found.found.every, "games": found.games}
    yield Said(OK, f"{found} at the defaults: {what}", {"states": covered})


def must_have_an_end(game: Game, found: Explored, at: str = "") -> None:
    """Refuse a game with a state from which it can't end.

    Raises
    ------
    Broken
    """
    lost = found.leads_nowhere()
    if lost is not None:
        where = where_is(type(game).next)
        say = "no roll and no move ever leads to the end of the game from this state: return OVER in next there"
        raise Broken(f"{where}: {at + ': ' if at else ''}{say}; {Explorer(game).told(lost)}", where)
