"""Rotational symmetry: states of a game that is the same from every seat, rotated to the seat whose turn it is.

States that differ only by a rotation of the seats become one, which reduces their number by a factor of up to the
number of seats. By how many seats a transition rotates the view is recorded with its change of the tallies, so that the
seats can be recovered.

A game may be alike from every seat although single rolls aren't: where all players roll a cup in the order of the seats
before the first one chooses, a state between two cups has no counterpart, but what the first one finds has the same
distribution from every seat. Such games are compared from choice to choice, and their states are not merged. Where one
roll is for all players, each of its dice for another one, its outcomes lead to other states with another seat's turn,
but to the same states with the same probabilities; then states are merged in exact answers, but not while games are
played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from itertools import islice, product
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import PlayError, RulesError
from dicelab.rules.actions import OVER, Decision, Throw
from dicelab.rules.fields import Grid, Ints, Peak, Seat
from dicelab.rules.game import Game, fresh, outcome_names, position, reset, seat_count, seats_first
from dicelab.rules.params import value_of
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.runtime.interpreter import Explained, asked
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream, pool
from dicelab.runtime.states.explorer import End, StateExplorer

GAMES, LONGEST, STEPS, BRANCHES = 3, 5000, 40, 64
"""To check the declaration: number of random games, longest game in steps, number of states compared at the beginning
and at the end of each, and limit on the outcomes or moves compared in each state."""
SAMPLE = 100
"""Number of states in which a game may end, and number of other states, that are compared once all states are known."""
ROLLS, MET = 64, 20_000
"""Limits of the rolls between two choices, and of the states met in them, in a comparison from choice to choice."""
CHOICES = 200
"""Number of states in which a seat chooses that are compared from choice to choice."""


class Alike(IntEnum):
    """In what a state is like its rotations."""

    CHOICES = 0
    """From choice to choice: with the same probabilities."""
    ROLLS = 1
    """In what a roll leads to, with the same probabilities."""
    OUTCOMES = 2
    """In what each outcome of a roll leads to."""


@dataclass(frozen=True)
class Rotation:
    """The numbers of a state that change when the seats are rotated.

    Attributes
    ----------
    seats
        Number of seats.
    turn
        Index, among the numbers of a state, of the field that says whose turn it is.
    single
        Indices of the fields that hold the number of a seat, or -1 for nobody.
    rows
        For each number that each seat has one of, in a row or a `Grid` by seat: its index for seat 0, and from there
        to that of the next seat.
    outcomes, tallies
        Number of each outcome, and of each tally, with everybody one seat further. Tallies move if seats play for them.
    """

    seats: int
    turn: int
    single: tuple[int, ...]
    rows: tuple[tuple[int, int], ...]
    outcomes: tuple[int, ...] = ()
    tallies: tuple[int, ...] = ()

    @classmethod
    def of(cls, game: Game) -> Rotation | None:
        """Return the rotation with which states of a game are merged; None if there is none, or seats play for tallies.

        Raises
        ------
        RulesError
            As `declared`.
        """
        return None if payoff_tallies(game) is not None else cls.declared(game)

    @classmethod
    def of_views(cls, game: Game) -> Rotation | None:
        """Return the rotation with which a network sees states, whose values are only estimates.

        It is that of `of`, or of a game in which seats choose at once, from the one other field that is a seat, if the
        numbers of all seats begin alike. Such a game can't declare that it is the same from every seat, because seats
        choose one after the other in the order of their numbers.

        >>> from dicelab.games.sealed_bids import SealedBids
        >>> Rotation.of_views(SealedBids()) is None  # its only seat is the one that bids
        True
        """
        rotation, seats, state = cls.of(game), seat_count(game), game.declared.state
        alone = [f for f in state.values() if not isinstance(f, Ints)]
        together = {decision.together.name for decision in game.declared.decisions if decision.together is not None}
        turns = [i for i, f in enumerate(alone) if isinstance(f, Seat) and f.name not in together]
        if rotation is not None or not together or seats < 2 or len(turns) != 1 or payoff_tallies(game) is not None:
            return rotation
        rows = _rows_by_seat(game, len(alone))
        single = [i for i, f in enumerate(alone) if isinstance(f, Seat)]
        return None if rows is None else cls(seats, turns[0], tuple(single), rows)

    @classmethod
    def declared(cls, game: Game) -> Rotation | None:
        """Return the rotation of a game; None if it does not declare that it is the same from every seat.

        Raises
        ------
        RulesError
            If the declarations of the game contradict each other: a row by seat has another length, for example.
        """
        state, seats = game.declared.state, seat_count(game)
        alone = [(name, f) for name, f in state.items() if not isinstance(f, Ints)]
        alike = [i for i, (_, f) in enumerate(alone) if isinstance(f, Seat) and f.alike]
        if not alike or seats < 2:
            return None
        if len(alike) > 1:
            names = ", ".join(alone[i][0] for i in alike)
            raise RulesError(
                f"{_place_of(type(game).next)}: {game.name}: only one field can be the seat from which the game is "
                f"alike, not {names}; leave out alike=True in all others"
            )
        single = [i for i, (_, f) in enumerate(alone) if isinstance(f, Seat)]
        rows, at = list[tuple[int, int]](), len(alone)
        for name, f in state.items():
            if isinstance(f, Ints):
                length = value_of(f.length, game)
                each = value_of(f.columns, game) if isinstance(f, Grid) else 1
                if f.by_seat and length != seats * each:
                    raise RulesError(
                        f"{_place_of(type(game).next)}: {game.name}: {name} has {length // each} "
                        f"{'rows' if isinstance(f, Grid) else 'numbers'} by seat, but there are {seats} seats; give it "
                        "as many, or leave out by_seat=True"
                    )
                rows += [(at + i, each) for i in range(each)] if f.by_seat else []
                at += length
        return cls(seats, alike[0], tuple(single), tuple(rows), _outcomes_moved(game), _tallies_moved(game))

    def ended(self, by: int) -> tuple[int, ...]:
        """Return the number of each outcome with everybody `by` seats further."""
        ended = tuple(range(len(self.outcomes)))
        for _ in range(by % self.seats):
            ended = tuple(self.outcomes[k] for k in ended)
        return ended

    def counted(self, since: Sequence[int], by: int) -> tuple[int, ...]:
        """Return what is counted, a number for each tally, with everybody `by` seats further."""
        counted = list(since)
        for _ in range(by % self.seats):
            before = list(counted)
            for k, moved in enumerate(self.tallies):
                counted[moved] = before[k]
        return tuple(counted)

    def seen(self, numbers: Sequence[int]) -> tuple[tuple[int, ...], int]:
        """Return a state rotated so that the seat whose turn it is has number 0, and by how many
        seats it was rotated.
        """
        by = numbers[self.turn]
        return (self.turned(numbers, -by), by) if by > 0 else (tuple(numbers), 0)

    def moved(self, decision: Decision, move: Sequence[int], by: int) -> tuple[int, ...]:
        """Return a move with everybody `by` seats further: its numbers that are seats, but not -1 for nobody."""
        pairs = enumerate(move)
        return tuple((n + by) % self.seats if i in decision.seats and n >= 0 else n for i, n in pairs)

    def turned(self, numbers: Sequence[int], by: int) -> tuple[int, ...]:
        """Return the state with everybody moved `by` seats further."""
        turned = list(numbers)
        for at in self.single:
            if numbers[at] >= 0:
                turned[at] = (numbers[at] + by) % self.seats
        for at, step in self.rows:
            for seat in range(self.seats):
                turned[at + (seat + by) % self.seats * step] = numbers[at + seat * step]
        return tuple(turned)


def sources(rotation: Rotation | None, numbers: int) -> NDArray[np.uint64]:
    """Return where in a state each number of the rotated state is, for seats rotated by 0, 1, ...: a uint64 array
    (seats, numbers), with one row if there is no rotation. Fields that hold a seat are to be rotated before.
    """
    seats, rows = (1, ()) if rotation is None else (rotation.seats, rotation.rows)
    source = np.tile(np.arange(numbers, dtype=np.uint64), (seats, 1))
    for at, step in rows:
        places = at + np.arange(seats) * step
        for by in range(seats):
            source[by, places] = np.roll(places, -by)
    return source


def _outcomes_moved(game: Game) -> tuple[int, ...]:
    """Return the number of each outcome with everybody one seat further: the next seat wins, and is paid."""
    names, seats = outcome_names(game), seat_count(game)
    if game.outcomes is None:
        return tuple((k + 1) % seats for k in range(len(names)))
    pays = payoffs_of(game)
    if pays is None:
        return tuple(range(len(names)))
    moved = [(*row[-1:], *row[:-1]) for row in pays]
    rotated = [(k + 1) % seats for k in range(seats)] if seats_first(type(game)) else []
    for k in range(len(rotated), len(names)):
        equal = [i for i in range(k) if pays[i] == pays[k]]  # of several with the same payoffs, in their order
        others = [i for i in range(len(names)) if pays[i] == moved[k]]
        if len(others) <= len(equal):
            raise RulesError(
                f"{_place_of(type(game).outcome)}: {game.name} is declared to be alike from every seat, but "
                f"{names[k]!r} pays {pays[k]}, and no outcome of its own pays {moved[k]}, as with everybody one seat "
                "further: leave out alike=True, or declare an outcome that pays it"
            )
        rotated.append(others[len(equal)])
    return tuple(rotated)


def _tallies_moved(game: Game) -> tuple[int, ...]:
    """Return the number of each tally with everybody one seat further: that for which the next seat plays."""
    moved, mine = list(range(len(game.declared.tallies))), payoff_tallies(game) or ()
    for tally, following in zip(mine, (*mine[1:], *mine[:1]), strict=True):
        moved[tally] = following
    return tuple(moved)


def check_symmetry(run: Run) -> Alike:
    """Check the declared symmetry in a few random games: compare their first and last states with rotated ones.

    Returns in what all of them are like their rotations. From `Alike.ROLLS` on, states can be merged with them.

    Raises
    ------
    RulesError
        If a game that declares to be the same from every seat is not.
    PlayError
        If a rule breaks.
    """
    rotation = Rotation.declared(run.game)
    if rotation is None:
        return Alike.CHOICES
    dice, every = Random(0), list[tuple[int, ...]]()
    for _ in range(GAMES):
        explorer = StateExplorer(run, range(rotation.seats))
        end, met = explorer.start[0], list[int]()
        while end >= 0 and len(met) < LONGEST:
            met.append(end)
            kind, number = explorer.arrive(explorer.positions.things[end])
            branches = _branches(kind, number, explorer)
            dice.shuffle(branches)
            ways = (way for values in branches if (way := explorer.follow(kind, values)) is not None)
            way = next(ways, None)
            if way is None:
                break
            end = way[0]
        every += [explorer.positions.things[state] for state in dict.fromkeys([*met[:STEPS], *met[-STEPS:]])]
    explorer, least = StateExplorer(run, range(rotation.seats)), Alike.OUTCOMES
    try:
        for here in every:
            least = min(least, _compare(explorer, here, rotation, dice.randrange(1, rotation.seats)))
    except RulesError:
        if not compare_choices(run, every):
            raise
        return Alike.CHOICES
    return least


def compare_choices(run: Run, positions: Iterable[Sequence[int]]) -> int:
    """Compare states in which a seat chooses with rotated ones, from choice to choice; returns how many.

    After each move, the rolls that follow must lead to the next choices, and to the end, with the same probabilities.

    Raises
    ------
    RulesError
        When one differs from a rotated one.
    """
    rotation, compared = Rotation.declared(run.game), 0
    if rotation is None:
        return 0
    explorer = StateExplorer(run, range(rotation.seats))
    for here in positions:
        if compared == CHOICES:
            break
        explorer.place.set(here)
        if explorer.game.next() < OVER:  # a choice
            compared += 1
            for by in range(1, rotation.seats):
                _compare(explorer, tuple(here), rotation, by, choices=True)
    return compared


def _rolled(
    explorer: StateExplorer, end: End, rolls: int = ROLLS
) -> dict[tuple[object, tuple[int, ...]], Fraction] | None:
    """Return the probabilities of the next choices and outcomes, with what is counted until then; None if too many.

    It goes on for so many `rolls`; with one, also to states in which dice are rolled.
    """
    peaks = [isinstance(tally, Peak) for tally in explorer.game.declared.tallies.values()]
    ended: dict[tuple[object, tuple[int, ...]], Fraction] = {}
    now: dict[tuple[int, tuple[int, ...]], Fraction] = {(end[0], explorer.changes.things[end[1]]): Fraction(1)}
    for rolled in range(ROLLS):
        after: dict[tuple[int, tuple[int, ...]], Fraction] = {}
        for (state, since), chance in now.items():
            here = explorer.positions.things[state] if state >= 0 else ()
            kind, number = explorer.arrive(here) if state >= 0 else (None, 0)
            if not isinstance(kind, Throw) or rolled == rolls:
                key = (here if state >= 0 else -1 - state, since)
                ended[key] = ended.get(key, Fraction(0)) + chance
                continue
            dice = pool(explorer.game, kind, number)
            if not dice.whole or len(after) > MET:
                return None
            for outcome in dice.outcomes:
                target, change = explorer.follow(kind, outcome.seen)
                both = _together(since, explorer.changes.things[change], peaks)
                after[target, both] = after.get((target, both), Fraction(0)) + chance * Fraction(
                    outcome.weight, dice.weight
                )
        if not after:
            return ended
        now = after
    return None


def _together(one: Sequence[int], two: Sequence[int], peaks: Sequence[bool]) -> tuple[int, ...]:
    """Return what is counted in two transitions together."""
    return tuple(max(a, b) if peak else a + b for a, b, peak in zip(one, two, peaks, strict=True))


def check_symmetry_at(run: Run, positions: Iterable[Sequence[int]]) -> None:
    """Check the declared symmetry in these states: compare each with a rotated one; raises as `check_symmetry`."""
    rotation, dice = Rotation.declared(run.game), Random(0)
    if rotation is not None:
        explorer = StateExplorer(run, range(rotation.seats))
        for here in positions:
            _compare(explorer, tuple(here), rotation, dice.randrange(1, rotation.seats))


def _are_same(kind: Throw | Decision | None, branches: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return whether two states have the same moves or rolls, in the same order."""
    if isinstance(kind, Decision) and kind.seats:  # the order of seats turns, too; a listed move may be the 65th
        return len(branches) == BRANCHES or sorted(others) == sorted(branches)
    return others == branches


def _rows_by_seat(game: Game, at: int) -> tuple[tuple[int, int], ...] | None:
    """Return the place of the first number of each row by seat, and its numbers for each seat; None if the seats don't
    begin alike. `at` is the place of the first row in a state.
    """
    new, seats, rows = fresh(game), seat_count(game), list[tuple[int, int]]()
    reset(new)
    for name, f in game.declared.state.items():
        if isinstance(f, Ints):
            begun = [*new.__dict__[name]]
            each = len(begun) // seats
            if f.by_seat and begun != begun[:each] * seats:
                return None
            rows += [(at + i, each) for i in range(each)] if f.by_seat else []
            at += len(begun)
    return tuple(rows)


def _compare(
    explorer: StateExplorer, here: tuple[int, ...], rotation: Rotation, by: int, choices: bool = False
) -> Alike:
    """Compare the transitions of a state with those of the state in which everybody is `by` seats further.

    With `choices`, what follows its moves until the next choice.
    """
    kind, number = explorer.arrive(here)
    branches = _branches(kind, number, explorer)
    ends = [explorer.follow(kind, values) for values in branches]
    if isinstance(kind, Decision) and kind.seats:
        branches = [rotation.moved(kind, move, by) for move in branches]
    try:
        other, its_number = explorer.arrive(rotation.turned(here, by))
        its_branches = _branches(other, its_number, explorer) if isinstance(other, Decision) else branches
        its_ends = [explorer.follow(other, values) for values in branches] if other is kind else []
    except PlayError as error:
        raise _asymmetric(explorer, here, by, str(error)) from error
    asks = (number + by) % rotation.seats if isinstance(kind, Decision) else number
    if (other, its_number) != (kind, asks):
        raise _asymmetric(explorer, here, by, "another roll or choice is asked for")
    if not _are_same(kind, branches, its_branches):
        raise _asymmetric(explorer, here, by, "other moves are listed, or in another order")
    follows, how = (_spread, Alike.CHOICES) if choices else (_seen, Alike.OUTCOMES)
    if [follows(explorer, end, rotation, by) for end in ends] == [
        follows(explorer, end, rotation, 0) for end in its_ends
    ]:
        return how
    if not choices and isinstance(kind, Throw) and _rolls_alike(explorer, here, rotation, by):
        return Alike.ROLLS
    raise _asymmetric(explorer, here, by, "the game goes on differently")


def _rolls_alike(explorer: StateExplorer, here: tuple[int, ...], rotation: Rotation, by: int) -> bool:
    """Return whether a roll in a state leads where it leads in the turned one, in another order perhaps."""
    one, two = (explorer.positions.number(place) for place in (here, rotation.turned(here, by)))
    since = explorer.changes.number(explorer.nothing)
    return (
        _spread(explorer, (one, since), rotation, by, 1) == _spread(explorer, (two, since), rotation, 0, 1) is not None
    )


def _seen(explorer: StateExplorer, end: End | None, rotation: Rotation, by: int) -> tuple[object, object] | None:
    """Return where a branch leads and what it counts, with everybody `by` seats further: an outcome or a state."""
    if end is None:
        return None
    target, since = end
    counted = rotation.counted(explorer.changes.things[since], by)
    if target < 0:
        return (rotation.ended(by)[-1 - target] if rotation.outcomes else 0), counted
    return rotation.turned(explorer.positions.things[target], by), counted


def _spread(explorer: StateExplorer, end: End | None, rotation: Rotation, by: int, rolls: int = ROLLS) -> object:
    """As `_seen`, for what follows until the next choice or in so many rolls, with its probabilities."""
    if end is None:
        return None
    ended = _rolled(explorer, end, rolls)
    if ended is None:
        if rolls == 1:
            return None
        raise RulesError(
            f"{explorer.game.name}: too many rolls follow a choice to compare the seats: leave out alike=True"
        )
    ends, seen = rotation.ended(by), dict[object, Fraction]()
    for (where, since), chance in ended.items():
        moved: object = ends[where] if isinstance(where, int) and ends else 0
        if isinstance(where, tuple):
            moved = rotation.turned(where, by)
        seen[moved, rotation.counted(since, by)] = chance
    return seen


def _branches(kind: Throw | Decision, number: int, explorer: StateExplorer) -> list[tuple[int, ...]]:
    """Return some outcomes of a roll, or some moves of a choice."""
    if isinstance(kind, Decision):
        if kind.lists:
            with Explained(explorer.game):
                return (kind.listing(explorer.game) or [])[:BRANCHES]
        every = product(*(range(low, high + 1) for low, high in kind.spans(explorer.game)))
        return list(islice(every, BRANCHES))
    dice = pool(explorer.game, kind, number)
    return [o.seen for o in dice.outcomes[:BRANCHES]] if dice.whole else [Stream(0, 0).draw(dice)]


def _asymmetric(explorer: StateExplorer, here: tuple[int, ...], by: int, why: str) -> RulesError:
    game = explorer.game
    explorer.place.set(here)
    state = ", ".join(f"{name} {value}" for name, value in position(game).items())
    step = game.next()
    rule = type(game).outcome if step == OVER else asked(game, step)[0].rule
    far = "one seat" if by == 1 else f"{by} seats"
    named = game.outcomes is not None and not seats_first(type(game)) and game.payoffs is None
    more = '; a win of a seat is an outcome of its own: outcomes = (players, "draw")' if named else ""
    return RulesError(
        f"{game.name} is declared to be alike from every seat, and is not: at {state}, with everybody {far} further, "
        f"{why} ({_place_of(rule)}): leave out alike=True, or treat all seats alike{more}"
    )


def _place_of(rule: Any) -> str:
    """Return file, line and name of a rule, for messages."""
    return f"{rule.__code__.co_filename}, line {rule.__code__.co_firstlineno}, in {rule.__name__}"
