"""Numbers of a result by name, and measures of how fair a game is; a wrong name suggests the right one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import NoReturn, TypeVar

from dicelab.errors import ParameterError, unknown
from dicelab.rules.game import Game, outcome_names, player_names, seat_count, seat_typed, seats_first
from dicelab.rules.wording import called
from dicelab.rules.words import folded, player_name

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
    """Return the outcome or tally that a typed label means, as results show it; any other text as it is.

    A label is a player who wins, or an outcome or a tally in the words of the game, with spaces or underscores.

    >>> from dicelab.games.hazard import Hazard
    >>> from dicelab.games.lcr import LCR
    >>> outcome_typed(LCR(), "player 2"), outcome_typed(LCR(), "1"), outcome_typed(LCR(), "turns")
    ('1', '1', 'turns')
    >>> outcome_typed(Hazard(), "Caster"), outcome_typed(Hazard(), "rolls")
    ('win', 'throws')
    """
    names, tallies = outcome_names(game), tuple(game.declared.tallies)
    if text in names or text in tallies or text in ("win", "payoff", *MEASURES):
        return text
    seat = seat_typed(game, text) if names else None
    if seat is not None and (game.outcomes is None or seats_first(type(game))):
        return names[seat]
    if seat is not None and seat_count(game) <= 1 and "win" in names:
        return "win"
    typed = folded(text)
    meant = [name for name in names if folded(name) == typed]
    meant += [name for name in tallies if typed in (folded(name), folded(called(game, name)))]
    return meant[0] if len(meant) == 1 else text


def number_of(game: Game, name: object = None) -> str:
    """Return the outcome or the tally with this name; without a name the first outcome, or the first tally if there is
    none.

    The label of a seat, ``player 2``, is the outcome that it wins.

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
        labels = [
            player_name(int(one), player_names(game)) for one in names if game.outcomes is None and one.isdecimal()
        ]
        raise unknown(f"outcome or tally of {game.name}", str(name), [*labels, *names[len(labels) :]])
    return names[0] if name is None else str(name)


# Fairness -------------------------------------------------------------------------------------------------------------
#
# Measures of how fair a game is to its seats; they need not agree on which of two games is fairer.
#
# With more players the largest and the smallest chance to win may come closer together, while the distance from equal
# shares grows: always say which measure is meant.

MEASURES = {
    "gap": "largest minus smallest chance to win",
    "total_variation": "distance from equal shares: half the sum of the differences",
    "ratio": "largest divided by smallest chance to win",
}
"""The measures, and what they mean."""


def fairness(chances: Sequence[float]) -> dict[str, float]:
    """Return all measures, for the chances to win of the seats.

    Parameters
    ----------
    chances
        Probability to win of each seat, at least one.

    Returns
    -------
    dict
        By the names of `MEASURES`; a fair game has gap 0, total variation 0 and ratio 1.

    Examples
    --------
    >>> {name: round(value, 3) for name, value in fairness([0.5, 0.3, 0.2]).items()}
    {'gap': 0.3, 'total_variation': 0.167, 'ratio': 2.5}
    """
    fair = sum(chances) / len(chances)
    low, high = min(chances), max(chances)
    return {
        "gap": high - low,
        "total_variation": sum(abs(p - fair) for p in chances) / 2,
        "ratio": high / low if low > 0 else inf if high > 0 else 1.0,
    }
