"""Check that a game which declares all seats alike is the same from every seat, in every known state.

By itself because it compares states that are rotated, while `dicelab.conformance.file_check` is the order of the steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dicelab.conformance.findings import Broken
from dicelab.conformance.states import ExpandedState, Explored, Explorer, FoundTransition, State
from dicelab.errors import PlayError, RulesError
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game
from dicelab.rules.params import value_of
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.symmetry import Rotation, compare_choices
from dicelab.runtime.where import Where, where_is


def compare_seats(game: Game, states: Iterable[State], work: int, at: str = "") -> tuple[int, bool]:
    """Compare every state with its rotations by one seat, two seats and so on; returns how many, and whether all.

    It ends after so much `work` (`Explorer.work`), and takes states from the beginning and from the end in turn: those
    near the start, and those of games that were played to the end. States that differ only by a rotation count as one.
    If single rolls differ, as where all players roll in the order of the seats before the first choice, the states in
    which seats choose are compared from choice to choice.
    """
    rotation, known = Rotation.declared(game), list(states)
    assert rotation is not None
    states = dict.fromkeys(state for pair in zip(known, reversed(known), strict=True) for state in pair)
    try:
        return _compare_each(game, states, rotation, work, at)
    except Broken:
        try:
            compared = compare_choices(Run(game, ()), states)
        except (PlayError, RulesError):
            compared = 0
        if not compared:
            raise
        return compared, False


def _compare_each(game: Game, states: Iterable[State], rotation: Rotation, work: int, at: str) -> tuple[int, bool]:
    """Compare every state as `compare_seats` does first."""
    explorer, seen = Explorer(game), set[State]()
    for state in states:
        here, _ = rotation.seen(state)
        if here in seen:
            continue
        if explorer.work > work:
            return len(seen), False
        seen.add(here)
        step = explorer.expand(state)
        for by in range(1, rotation.seats):
            turned = rotation.turned(state, by)
            try:
                other = explorer.expand(turned)
            except Broken as error:
                raise _unlike(explorer, state, by, str(error), error.where, at) from error
            why = _difference(step, other, rotation, by)
            if why:
                raise _unlike(explorer, state, by, why, _place(step, explorer.game), at)
    return len(seen), True


def _difference(step: ExpandedState, other: ExpandedState, rotation: Rotation, by: int) -> str:
    """Return how a step differs from the one rotated by `by` seats; empty if it doesn't."""
    if step.kind is None or other.kind is None:
        if step.kind is not other.kind:
            return "the game is over in only one of the two states"
        ended = rotation.ended(by)[step.number] if rotation.outcomes else 0
        same = ended == other.number and rotation.counted(step.counted, by) == other.counted
        return "" if same else "the game is over in another way"
    asked = (step.number + by) % rotation.seats if isinstance(step.kind, Decision) else step.number
    if (other.kind, other.number) != (step.kind, asked):
        return "something else is rolled or asked for"
    if not step.every:
        return ""
    ways, others = step.ways, other.ways
    if isinstance(step.kind, Throw) and _ends(ways, rotation, by) == _ends(others, rotation, 0):
        return ""
    if isinstance(step.kind, Decision) and step.kind.seats:  # the seats in moves turn, too, and so does their order
        ways = [way._replace(values=rotation.moved(step.kind, way.values, by)) for way in ways]
        ways, others = (sorted(several, key=lambda way: way.values) for several in (ways, others))
    return _unlike_ways(step.kind, ways, others, rotation, by)


def _unlike_ways(
    kind: Throw | Decision,
    ways: Sequence[FoundTransition],
    others: Sequence[FoundTransition],
    rotation: Rotation,
    by: int,
) -> str:
    """Return how transitions differ from those with everybody `by` seats further; empty if they don't."""
    if [(way.values, way.sensible) for way in ways] != [(way.values, way.sensible) for way in others]:
        return f"other moves are legal or sensible in {kind.name}"
    for way, its in zip(ways, others, strict=True):
        if rotation.turned(way.end, by) != its.end or rotation.counted(way.counted, by) != its.counted:
            return f"the game goes on differently after {kind.name}({', '.join(map(str, way.values))})"
    return ""


def _ends(ways: Iterable[FoundTransition], rotation: Rotation, by: int) -> Counter[object]:
    """Return the weight of each end of a roll, with everybody `by` seats further."""
    endings = Counter[object]()
    for way in ways:
        endings[rotation.turned(way.end, by), rotation.counted(way.counted, by)] += way.weight
    return endings


def _place(step: ExpandedState, game: Game) -> Where:
    """Return the method that differs between seats."""
    if step.kind is None:
        return where_is(type(game).outcome)
    return where_is(step.kind.rule)


def _unlike(explorer: Explorer, state: State, by: int, why: str, where: Where | None, at: str) -> Broken:
    """Return the error for seats that are not alike."""
    game = explorer.game
    far = "one seat" if by == 1 else f"{by} seats"
    say = (
        f"{game.name} is declared to be alike from every seat, and is not: at {explorer.describe(state)}, with "
        f"everybody {far} further, {why}: leave out alike=True, or treat all seats alike"
    )
    return Broken(f"{where}: {at + ': ' if at else ''}{say}", where)


# Openly ---------------------------------------------------------------------------------------------------------------
#
# Choices that two seats make one after the other in the open, although they may be meant to be made at once.


def in_the_open(game: Game, explored: Explored) -> str:
    """Return a sentence about two seats that choose once each from the same moves, one after the other, where nothing
    but the stored choice, which everybody sees, and whose turn it is changes in between; empty if there are none.
    """
    private = [name for name, field in game.declared.state.items() if field.private]
    places = _names_of_places(game)
    first: dict[str, str] = {}
    broken, seconds = set[str](), set[State]()
    for here, step in explored.states.items():
        if step is None or not isinstance(step.kind, Decision) or here in seconds:
            continue
        followers = [explored.states.get(way.end) for way in step.ways]
        if not _all_known(explored, followers):
            continue
        stored = _stored(here, step) if len(step.ways) > 1 else []
        if not stored or any(places[k] in private for k in stored) or not _same_moves(explored, step, followers):
            broken.add(step.kind.name)
            continue
        seconds.update(way.end for way in step.ways)
        follower = followers[0]
        assert follower is not None
        assert isinstance(follower.kind, Decision)
        first.setdefault(step.kind.name, follower.kind.name)
    open_pairs = [(one, two) for one, two in first.items() if one not in broken]
    return _said_of_open(*open_pairs[0]) if open_pairs else ""


def _names_of_places(game: Game) -> list[str]:
    """Return for each number of a state the field that it belongs to."""
    sizes = {name: value_of(f.length, game) if isinstance(f, Ints) else 1 for name, f in game.declared.state.items()}
    return [name for name, size in sizes.items() for _ in range(size)]


def _said_of_open(one: str, two: str) -> str:
    """Return the sentence about two choices that seats make one after the other."""
    both = f"{one} and {two}" if one != two else one
    return (
        f"in {both} two seats choose from the same moves one after the other, and the second sees what the "
        "first has chosen; if they are meant to choose at once, declare the choice with "
        "@chosen(..., together=player) and ask all seats: ask(self.choice, [0, 1])"
    )


def _stored(here: State, step: ExpandedState) -> list[int]:
    """Return the places of a state that hold which move was made, if no other changes but one, such as whose turn it
    is; empty otherwise.
    """
    ends = [way.end for way in step.ways]
    if any(way.counted != step.ways[0].counted for way in step.ways) or any(len(end) != len(here) for end in ends):
        return []
    varying = [k for k in range(len(here)) if len({end[k] for end in ends}) > 1]
    changed = sum(ends[0][k] != here[k] for k in range(len(here)) if k not in varying)
    told_apart = len({tuple(end[k] for k in varying) for end in ends}) == len(ends)
    return varying if changed <= 1 and told_apart and len(varying) <= len(step.ways[0].values) else []


def _all_known(explored: Explored, followers: list[ExpandedState | None]) -> bool:
    """Return whether what happens is known at these states and at those that follow."""
    steps = [step for step in followers if step is not None]
    return len(steps) == len(followers) and all(explored.states.get(way.end) for step in steps for way in step.ways)


def _same_moves(explored: Explored, step: ExpandedState, followers: list[ExpandedState | None]) -> bool:
    """Return whether another seat chooses next from the same moves, and the first one not at once again."""
    moves = [way.values for way in step.ways]
    for follower in followers:
        if follower is None or not isinstance(follower.kind, Decision) or follower.number == step.number:
            return False
        if [way.values for way in follower.ways] != moves:
            return False
        for way in follower.ways:
            after = explored.states[way.end]
            if after is None or (isinstance(after.kind, Decision) and after.number == step.number):
                return False
    return True
