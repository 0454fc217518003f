"""Hidden information: fields that are private to a seat, or that nobody sees, and what a strategy sees of them.

While a strategy chooses, its game holds stand-ins for what its seat doesn't see; any use of one of them is an error,
also in the methods of the game that the strategy calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, TypeVar

from dicelab.errors import ParameterError, RulesError
from dicelab.rules.fields import Field, Grid, Ints
from dicelab.rules.fields.rows import Lines, Refused
from dicelab.rules.params import value_of

T = TypeVar("T")


def private_fields(game: Any) -> dict[str, Field]:
    """Return the fields of a game, or of its class, that not everybody sees."""
    return {name: f for name, f in game.declared.state.items() if f.private}


def must_be_open(game: Any, what: str) -> None:
    """Refuse a game with hidden information where everybody is taken to see everything."""
    hidden = private_fields(game)
    if hidden:
        raise ParameterError(
            f"{game.name} has hidden information ({', '.join(hidden)}), and {what} would let every seat see it; "
            "simulate, exact and compare know what each strategy sees, and "
            "dicelab equilibrium solves such games"
        )


class NotSeen(RulesError):
    """Raised when a strategy, or a text for people, reads what the seat does not see."""


class Own(Sequence[int]):
    """A row in which a seat sees only its own numbers: `each` numbers from `first` on."""

    def __init__(self, row: Any, first: int, each: int, refuse: Callable[[], NoReturn]) -> None:
        self._row, self._first, self._each, self._refuse = row, first, each, refuse
        self._field = row._field

    def __len__(self) -> int:
        return len(self._row)

    def __getitem__(self, index: Any) -> Any:
        places = range(len(self._row))[index] if isinstance(index, slice) else (index,)
        if any(not self._first <= place < self._first + self._each for place in places):
            self._refuse()
        return self._row[index]

    def __iter__(self) -> Iterator[int]:
        self._refuse()

    def __eq__(self, other: object) -> bool:
        self._refuse()

    def __str__(self) -> str:
        self._refuse()

    __hash__ = None  # type: ignore[assignment]

    def lines(self, columns: int) -> Lines:
        """Return the rows of a `Grid` whose numbers these are."""
        return Lines(self, columns)


def seen_by(game: Any, seat: int, fields: dict[str, Field], who: str) -> dict[str, Any]:
    """Return what takes the place of private fields while a strategy, called `who`, chooses for a seat."""

    def refuser(name: str) -> Callable[[], NoReturn]:
        def refuse() -> NoReturn:
            what = (
                "of a row by seat its own number alone" if getattr(fields[name], "by_seat", False) else "other fields"
            )
            raise NotSeen(
                f"{who} of seat {seat} (counted from 0) reads {name}, which that seat does not see; it may read {what}"
            )

        return refuse

    seen: dict[str, Any] = {}
    for name, f in fields.items():
        if isinstance(f, Ints) and f.by_seat:
            each = value_of(f.columns, game) if isinstance(f, Grid) else 1
            seen[name] = Own(game.__dict__[name], seat * each, each, refuser(name))
        else:
            seen[name] = Refused(refuser(name))
    return seen


def masked_for_seat(choose: Callable[[], T], game: Any, seat: int, fields: dict[str, Field], who: str) -> T:
    """Return what a strategy chooses, which sees of the private fields only what its seat sees; none of them for seat
    -1.
    """
    state = game.__dict__
    whole = {name: state[name] for name in fields}
    state.update(seen_by(game, seat, fields, who))
    try:
        move = choose()
    finally:
        state.update(whole)
    return move


def laid_open(before: Any, after: Any, kind: Any = None, values: Sequence[int] = ()) -> dict[str, Any]:
    """Return the fields laid open by a roll or choice, between these games: as they are, or were if it has cleared
    them; what all seats have chosen at once, when the last of them has.

    `kind` is what was rolled or chosen, `values` what the rules received of it.
    """
    opened: dict[str, Any] = chosen_by_all(before, kind, values)
    for name, f in private_fields(after).items():
        if isinstance(f.private, Field) and before.__dict__[f.private.name] and not after.__dict__[f.private.name]:
            was, now = (game.__dict__[name] for game in (before, after))
            numbers = [list(value) if isinstance(f, Ints) else [value] for value in (was, now)]
            cleared = set(numbers[1]) == {f.initial(after)}
            opened[name] = numbers[not cleared] if isinstance(f, Ints) else was if cleared else now
    return opened


def chosen_by_all(before: Any, kind: Any, values: Sequence[int]) -> dict[str, list[int]]:
    """Return what each seat has chosen, by the rows that kept it, if a choice is the last of those that all make at
    once.
    """
    player = getattr(kind, "together", None)
    if player is None or before.__dict__[player.name] != player.bounds(before)[1]:
        return {}
    return {row: [*before.__dict__[row][:-1], value] for row, value in zip(kind.rows, values, strict=True)}


def shown_to(game: Any, state: dict[str, Any], seat: int) -> dict[str, Any]:
    """Return a state as one seat sees it: of private fields only its own numbers, and none of them for seat -1."""
    shown = dict(state)
    for name, f in private_fields(game).items():
        if seat < 0 or not (isinstance(f, Ints) and f.by_seat):
            del shown[name]
        else:
            each = value_of(f.columns, game) if isinstance(f, Grid) else 1
            shown[name] = state[name][seat * each : (seat + 1) * each]
    return shown
