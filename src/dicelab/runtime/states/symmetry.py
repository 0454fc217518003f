"""Rotational symmetry: states of a game that is the same from every seat, rotated to the seat whose turn it is.

States that differ only by a rotation of the seats become one, which reduces their number by a factor of up to the
number of seats. By how many seats a transition rotates the view is recorded with its change of the tallies, so that the
seats can be recovered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, product
from random import Random

from dicelab.errors import PlayError, RulesError
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import Grid, Ints, Seat
from dicelab.rules.game import Game, position, seat_count
from dicelab.rules.params import value_of
from dicelab.runtime.interpreter import Explained
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream, pool
from dicelab.runtime.states.explorer import End, StateExplorer

GAMES, LONGEST, STEPS, BRANCHES = 3, 5000, 40, 64
"""To check the declaration: number of random games, longest game in steps, number of states compared at the beginning
and at the end of each, and limit on the outcomes or moves compared in each state."""
SAMPLE = 100
"""Number of states in which a game may end, and number of other states, that are compared once all states are known."""


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
    """

    seats: int
    turn: int
    single: tuple[int, ...]
    rows: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, game: Game) -> Rotation | None:
        """The rotation of a game; None if it does not declare that it is the same from every seat.

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
        if game.outcomes is not None:
            raise RulesError(f"{game.name}: a game that is alike from every seat ends with the seat that wins")
        if len(alike) > 1:
            raise RulesError(f"{game.name}: only one field can be the seat from which the game is alike")
        single = [i for i, (_, f) in enumerate(alone) if isinstance(f, Seat)]
        rows, at = list[tuple[int, int]](), len(alone)
        for name, f in state.items():
            if isinstance(f, Ints):
                length = value_of(f.length, game)
                each = value_of(f.columns, game) if isinstance(f, Grid) else 1
                if f.by_seat and length != seats * each:
                    raise RulesError(
                        f"{game.name}: {name} has {length // each} {'rows' if isinstance(f, Grid) else 'numbers'} "
                        f"by seat, but there are {seats} seats"
                    )
                rows += [(at + i, each) for i in range(each)] if f.by_seat else []
                at += length
        return cls(seats, alike[0], tuple(single), tuple(rows))

    def seen(self, numbers: Sequence[int]) -> tuple[tuple[int, ...], int]:
        """A state rotated so that the seat whose turn it is has number 0, and by how many seats it was rotated."""
        by = numbers[self.turn]
        return (self.turned(numbers, -by), by) if by > 0 else (tuple(numbers), 0)

    def moved(self, decision: Decision, move: Sequence[int], by: int) -> tuple[int, ...]:
        """A move with everybody `by` seats further: its numbers that are seats, but not -1 for nobody."""
        pairs = enumerate(move)
        return tuple((n + by) % self.seats if i in decision.seats and n >= 0 else n for i, n in pairs)

    def turned(self, numbers: Sequence[int], by: int) -> tuple[int, ...]:
        """The state with everybody moved `by` seats further."""
        found = list(numbers)
        for at in self.single:
            if numbers[at] >= 0:
                found[at] = (numbers[at] + by) % self.seats
        for at, step in self.rows:
            for seat in range(self.seats):
                found[at + (seat + by) % self.seats * step] = numbers[at + seat * step]
        return tuple(found)


def check_symmetry(run: Run) -> None:
    """Check the declared symmetry in a few random games: compare their first and last states with rotated ones.

    Raises
    ------
    RulesError
        If a game that declares to be the same from every seat is not.
    PlayError
        If a rule breaks.
    """
    rotation = Rotation.of(run.game)
    if rotation is None:
        return
    dice = Random(0)
    for _ in range(GAMES):
        found = StateExplorer(run, range(rotation.seats))
        end, met = found.start[0], list[int]()
        while end >= 0 and len(met) < LONGEST:
            met.append(end)
            kind, number = found.arrive(found.positions.things[end])
            branches = _branches(kind, number, found)
            dice.shuffle(branches)
            ways = (way for values in branches if (way := found.follow(kind, values)) is not None)
            way = next(ways, None)
            if way is None:
                break
            end = way[0]
        for state in dict.fromkeys([*met[:STEPS], *met[-STEPS:]]):
            _compare(found, found.positions.things[state], rotation, dice.randrange(1, rotation.seats))


def check_symmetry_at(run: Run, positions: Iterable[Sequence[int]]) -> None:
    """Check the declared symmetry in these states: compare each with a rotated one; raises as `check_symmetry`."""
    rotation, dice = Rotation.of(run.game), Random(0)
    if rotation is not None:
        found = StateExplorer(run, range(rotation.seats))
        for here in positions:
            _compare(found, tuple(here), rotation, dice.randrange(1, rotation.seats))


def _compare(found: StateExplorer, here: tuple[int, ...], rotation: Rotation, by: int) -> None:
    """Compare the transitions of a state with those of the state in which everybody is `by` seats further."""
    kind, number = found.arrive(here)
    branches = _branches(kind, number, found)
    ends = [found.follow(kind, values) for values in branches]
    if isinstance(kind, Decision) and kind.seats:
        branches = [rotation.moved(kind, move, by) for move in branches]
    try:
        other, its_number = found.arrive(rotation.turned(here, by))
        its_branches = _branches(other, its_number, found) if isinstance(other, Decision) else branches
        its_ends = [found.follow(other, values) for values in branches] if other is kind else []
    except PlayError as error:
        raise _asymmetric(found, here, by, str(error)) from error
    asks = (number + by) % rotation.seats if isinstance(kind, Decision) else number
    if (other, its_number) != (kind, asks):
        raise _asymmetric(found, here, by, "another roll or choice is asked for")
    if isinstance(kind, Decision) and kind.seats:  # the order of seats turns, too; a listed move may be the 65th
        same = len(branches) == BRANCHES or sorted(its_branches) == sorted(branches)
    else:
        same = its_branches == branches
    if not same:
        raise _asymmetric(found, here, by, "other moves are listed, or in another order")
    if [_seen(found, end, rotation, by) for end in ends] != [_seen(found, end, rotation, 0) for end in its_ends]:
        raise _asymmetric(found, here, by, "the game goes on differently")


def _seen(found: StateExplorer, end: End | None, rotation: Rotation, by: int) -> tuple[object, object] | None:
    """Where a branch leads and what it counts, with everybody `by` seats further: an outcome or a state."""
    if end is None:
        return None
    target, since = end
    if target < 0:
        return (-1 - target + by) % rotation.seats, since
    return rotation.turned(found.positions.things[target], by), since


def _branches(kind: Throw | Decision, number: int, found: StateExplorer) -> list[tuple[int, ...]]:
    """Some outcomes of a roll, or some moves of a choice."""
    if isinstance(kind, Decision):
        if kind.lists:
            with Explained(found.game):
                return (kind.listing(found.game) or [])[:BRANCHES]
        every = product(*(range(low, high + 1) for low, high in kind.spans(found.game)))
        return list(islice(every, BRANCHES))
    dice = pool(found.game, kind, number)
    return [o.seen for o in dice.outcomes[:BRANCHES]] if dice.whole else [Stream(0, 0).draw(dice)]


def _asymmetric(found: StateExplorer, here: tuple[int, ...], by: int, why: str) -> RulesError:
    found.place.set(here)
    state = ", ".join(f"{name} {value}" for name, value in position(found.game).items())
    far = "one seat" if by == 1 else f"{by} seats"
    return RulesError(
        f"{found.game.name} is declared to be alike from every seat, and is not: "
        f"at {state}, with everybody {far} further, {why}"
    )
