"""Numbers of a result by name; a wrong name suggests the right one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn, TypeVar

from dicelab.errors import ParameterError, unknown
from dicelab.rules.game import Game, outcome_names, seat_typed

V = TypeVar("V")


class Named(dict[str, V]):
    """A dictionary whose error for a name that it doesn't have gives the nearest one.

    Parameters
    ----------
    kind
        What the names stand for, in the message.
    values
        The values by name.

    Raises
    ------
    UnknownNameError
        By ``named[name]`` if there is no such name; it is a `KeyError` too.

    Examples
    --------
    >>> Named("outcome of hazard", {"win": 0.49, "lose": 0.51})["wins"]
    Traceback (most recent call last):
    dicelab.errors.UnknownNameError: no outcome of hazard 'wins'; did you mean 'win'?
    """

    def __init__(self, kind: str, values: Mapping[str, V]) -> None:
        super().__init__(values)
        self.kind = kind

    def __missing__(self, name: object) -> NoReturn:
        raise unknown(self.kind, str(name), self)

    def __reduce__(self) -> tuple[type[Named[V]], tuple[str, dict[str, V]]]:
        return Named, (self.kind, dict(self))


def outcome_typed(game: Game, text: str) -> str:
    """The outcome that a typed label of a seat means; any other text as it is.

    >>> from dicelab.games.lcr import LCR
    >>> outcome_typed(LCR(), "player 2"), outcome_typed(LCR(), "1"), outcome_typed(LCR(), "turns")
    ('1', '1', 'turns')
    """
    names = outcome_names(game)
    if game.outcomes is not None or not names or text in names or text in game.declared.tallies:
        return text
    seat = seat_typed(game, text)
    return text if seat is None else str(seat)


def number_of(game: Game, name: object = None) -> str:
    """The outcome or the tally with this name; without a name the first outcome, or the first tally if there is none.

    The label of a seat, ``player 2``, is the outcome that it wins.

    Raises
    ------
    UnknownNameError, ParameterError

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> number_of(Hazard()), number_of(Hazard(), "throws")
    ('win', 'throws')
    """
    names = (*outcome_names(game), *game.declared.tallies)
    name = outcome_typed(game, name) if isinstance(name, str) else name
    if not names:
        raise ParameterError(f"{game.name} has neither outcomes nor tallies")
    if name is not None and name not in names:
        raise unknown(f"outcome or tally of {game.name}", str(name), names)
    return names[0] if name is None else str(name)
