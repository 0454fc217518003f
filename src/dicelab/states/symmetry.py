"""A game that is alike from every seat, seen from the seat whose turn it is.

Positions that differ only by how far everybody has moved up around the table become one. How far a step turns the view
is noted beside what it counts: so nothing is lost, and there are as many times fewer positions as there are seats.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, product
from random import Random

from dicelab.errors import PlayError, RulesError
from dicelab.random.philox import Stream, pool
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import Ints, Seat
from dicelab.rules.game import Game, position, seat_count
from dicelab.rules.params import value_of
from dicelab.runtime.lineup import Run
from dicelab.states.explorer import Numbering

GAMES, LONGEST, STEPS, BRANCHES = 3, 5000, 40, 64
"""Games of random moves in which the declaration is tried out; steps of each at the most; how many at its beginning and
at its end are looked at from elsewhere, and how many ways on from each."""
SAMPLE = 100
"""Positions at which a game may end, and others, that are looked at from elsewhere once all are found: twice as many at
the most."""


@dataclass(frozen=True)
class Rotation:
    """Which numbers of a position belong to seats.

    Attributes
    ----------
    seats
        Number of seats.
    turn
        Place, among the numbers of a position, of the field that says whose turn it is.
    single
        Places of the fields that hold the number of a seat, or -1 for nobody.
    rows
        Where rows with a number for each seat begin.
    """

    seats: int
    turn: int
    single: tuple[int, ...]
    rows: tuple[int, ...]

    @classmethod
    def of(cls, game: Game) -> Rotation | None:
        """The rotation of a game; None where it does not declare to be alike from every seat.

        Raises
        ------
        RulesError
            When what is declared by seat has not as many numbers as there are seats.
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
        rows, at = [], len(alone)
        for name, f in state.items():
            if isinstance(f, Ints):
                length = value_of(f.length, game)
                if f.by_seat and length != seats:
                    raise RulesError(f"{game.name}: {name} has {length} numbers by seat, but there are {seats} seats")
                rows += [at] if f.by_seat else []
                at += length
        return cls(seats, alike[0], tuple(single), tuple(rows))

    def seen(self, numbers: Sequence[int]) -> tuple[tuple[int, ...], int]:
        """A position seen from the seat whose turn it is, and how far it was turned for that."""
        by = numbers[self.turn]
        return (self.turned(numbers, -by), by) if by > 0 else (tuple(numbers), 0)

    def turned(self, numbers: Sequence[int], by: int) -> tuple[int, ...]:
        """The same position with everybody `by` seats further."""
        found = list(numbers)
        for at in self.single:
            if numbers[at] >= 0:
                found[at] = (numbers[at] + by) % self.seats
        for at in self.rows:
            for seat in range(self.seats):
                found[at + (seat + by) % self.seats] = numbers[at + seat]
        return tuple(found)


def try_out(run: Run) -> None:
    """Play a little at random, and look at the first and the last positions from all sides of the table.

    Raises
    ------
    RulesError
        When a game that declares to be alike from every seat is not.
    PlayError
        When a rule breaks.
    """
    rotation = Rotation.of(run.game)
    if rotation is None:
        return
    dice = Random(0)
    for _ in range(GAMES):
        found = Numbering(run, range(rotation.seats))
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
            _look(found, found.positions.things[state], rotation, dice.randrange(1, rotation.seats))


def look_round(run: Run, positions: Iterable[Sequence[int]]) -> None:
    """Look at some positions from elsewhere at the table; raises as `try_out`."""
    rotation, dice = Rotation.of(run.game), Random(0)
    if rotation is not None:
        found = Numbering(run, range(rotation.seats))
        for here in positions:
            _look(found, tuple(here), rotation, dice.randrange(1, rotation.seats))


def _look(found: Numbering, here: tuple[int, ...], rotation: Rotation, by: int) -> None:
    """See that a position leads on in the same way with everybody `by` seats further."""
    kind, number = found.arrive(here)
    branches = _branches(kind, number, found)
    ends = [found.follow(kind, values) for values in branches]
    try:
        other, its_number = found.arrive(rotation.turned(here, by))
        its_ends = [found.follow(other, values) for values in branches] if other is kind else []
    except PlayError as error:
        raise _unlike(found, here, by, str(error)) from error
    asks = (number + by) % rotation.seats if isinstance(kind, Decision) else number
    if (other, its_number) != (kind, asks):
        raise _unlike(found, here, by, "something else is thrown or asked for")
    things = found.positions.things
    for end, its_end in zip(ends, its_ends, strict=True):
        if end is None or its_end is None:
            same = end is its_end
        elif end[0] < 0:
            same = its_end[0] < 0 and (-1 - end[0] + by) % rotation.seats == -1 - its_end[0]
        else:
            same = its_end[0] >= 0 and things[its_end[0]] == rotation.turned(things[end[0]], by)
        if not same or (end is not None and its_end is not None and end[1] != its_end[1]):
            raise _unlike(found, here, by, "the game goes on differently")


def _branches(kind: Throw | Decision, number: int, found: Numbering) -> list[tuple[int, ...]]:
    """Some of what may be seen, or chosen."""
    if isinstance(kind, Decision):
        every = product(*(range(low, high + 1) for low, high in kind.spans(found.game)))
        return list(islice(every, BRANCHES))
    dice = pool(found.game, kind, number)
    return [o.seen for o in dice.outcomes[:BRANCHES]] if dice.whole else [Stream(0, 0).draw(dice)]


def _unlike(found: Numbering, here: tuple[int, ...], by: int, why: str) -> RulesError:
    found.place.set(here)
    told = ", ".join(f"{name} {value}" for name, value in position(found.game).items())
    far = "one seat" if by == 1 else f"{by} seats"
    return RulesError(
        f"{found.game.name} is declared to be alike from every seat, and is not: "
        f"at {told}, with everybody {far} further, {why}"
    )
