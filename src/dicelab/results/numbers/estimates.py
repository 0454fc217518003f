"""One number of a result and its accuracy: estimated from games, or exact.

A probability is a `Proportion` (estimated) or a `Chance` (exact), a tally an `Average` or a `Distribution`. Both of a
pair have the same attributes and methods, so that a table can show one beside the other.

Numbers of a result are named as in ``tallies.turns.mean`` (`number_of`); a wrong name suggests the right one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isinf
from typing import Any, NamedTuple, NoReturn, TypeVar

from dicelab.errors import ParameterError, unknown
from dicelab.results.numbers.intervals import (
    ANYWHERE,
    LEVEL,
    clopper_pearson,
    lattice_step,
    mean_interval,
    moments,
    percentile,
    percentile_interval,
    skewness,
)
from dicelab.rules.game import Game, outcome_names, player_names, seat_count, seat_typed, seats_first
from dicelab.rules.objectives import wanted
from dicelab.rules.wording import called
from dicelab.rules.words import folded, player_name
from dicelab.solver.value import PERCENTILES as PERCENTILES
from dicelab.solver.value import Chance as Chance
from dicelab.solver.value import Distribution as Distribution
from dicelab.solver.value import known as known
from dicelab.solver.value import share as share
from dicelab.solver.value import shown_fraction as shown_fraction


class Point(NamedTuple):
    """A number, estimated or exact, and the ends of its interval or of its error bounds.

    Examples
    --------
    >>> from dicelab import compare
    >>> pair = compare("tossup", ["one_roll", "bank_over:5"], exact=True, target=8, dice=2).pairs[0]
    >>> score = pair.scores[0]
    >>> round(score.value, 6), score.high - score.low < 1e-12
    (0.221967, True)
    """

    value: float
    low: float
    high: float

    @classmethod
    def within(cls, value: float, error: float) -> Point:
        """Return a number with a bound on its error."""
        return cls(value, value - error, value + error)

    def to_dict(self, name: str = "value") -> dict[str, float | None]:
        """Plain data, the number under a name; an end that is infinite, with too few games, is None."""
        return {name: self.value, "low": known(self.low), "high": known(self.high)}


@dataclass(frozen=True)
class Proportion:
    """Estimated probability of an outcome, with its 95 % interval (Clopper and Pearson).

    Attributes
    ----------
    count, games
        The games that ended with the outcome, and all games.
    level
        Confidence level of the interval: above 95 % where a precision decided how many games were played; see
        `dicelab.results.numbers.intervals.LEVEL_OF_LOOKS`.

    Examples
    --------
    >>> won = Proportion(count=44, games=100)
    >>> won.probability, [round(end, 4) for end in won.interval]
    (0.44, [0.3408, 0.5428])
    """

    count: int
    games: int
    level: float = field(default=LEVEL, repr=False)

    @property
    def probability(self) -> float:
        """Share of the games; 0 when none was played."""
        return self.count / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval (Clopper and Pearson)."""
        return clopper_pearson(self.count, self.games, self.level)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        return {**point(self).to_dict("probability"), "count": self.count}


@dataclass(frozen=True, repr=False)
class Average:
    """A tally over the games: mean with its 95 % interval, standard deviation, percentiles, histogram.

    With too few games an end of an interval is infinite (None in plain data).

    Attributes
    ----------
    histogram
        Number of games by value of the tally.
    level
        Level of the intervals, as in `Proportion`.
    bounds
        Smallest and largest possible value; infinite where none is known.

    Examples
    --------
    >>> import dicelab
    >>> throws = dicelab.simulate("hazard", games=100, seed=1).tallies["throws"]
    >>> throws.mean, [round(end, 4) for end in throws.interval], throws.percentile(0.5)
    (3.34, [2.7739, 3.9061], 2)
    """

    histogram: Counter[int]
    level: float = LEVEL
    bounds: tuple[float, float] = ANYWHERE

    def __repr__(self) -> str:
        return f"Average(mean={self.mean}, sd={self.sd}, games={self.games})" if self.histogram else "Average(games=0)"

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        return moments(self.histogram)

    @property
    def mean(self) -> float:
        """Mean over the games."""
        return self.moments[0]

    @property
    def sd(self) -> float:
        """Standard deviation over the games."""
        return self.moments[1]

    @property
    def smallest(self) -> int:
        """Smallest value that occurred."""
        return min(self.histogram)

    @property
    def largest(self) -> int:
        """Largest value that occurred."""
        return max(self.histogram)

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.histogram.values())

    @cached_property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the mean (normal, corrected for skewness; `intervals.mean_interval`)."""
        skew, step = skewness(self.histogram), lattice_step(self.histogram)
        return mean_interval(self.mean, self.sd, self.games, self.level, skew=skew, step=step, bounds=self.bounds)

    @property
    def is_open(self) -> bool:
        """Whether an end of the interval of the mean is infinite: too few games, and no bounds."""
        return any(map(isinf, self.interval))

    @property
    def probabilities(self) -> dict[int, float]:
        """Share of the games by value, values rising."""
        return {value: self.histogram[value] / self.games for value in sorted(self.histogram)}

    def percentile(self, p: float) -> int:
        """Smallest value that at least a share `p` of the games does not exceed."""
        return percentile(self.histogram, share(p))

    def percentile_interval(self, p: float) -> tuple[float, float]:
        """95 % interval of a percentile, from order statistics; an end is a value that occurred, or infinite."""
        return percentile_interval(self.histogram, share(p), self.level)

    def to_dict(self, shares: Mapping[str, float] = PERCENTILES) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line, with these percentiles."""
        if not self.histogram:
            return {}
        return {
            **point(self).to_dict("mean"),
            "sd": self.sd,
            "min": self.smallest,
            "max": self.largest,
            "percentiles": {name: self.percentile(p) for name, p in shares.items()},
            "percentile_intervals": {
                name: [known(end) for end in self.percentile_interval(p)] for name, p in shares.items()
            },
        }


def point(number: Proportion | Chance | Average | Distribution) -> Point:
    """Return a probability or a mean, and the ends of its interval.

    >>> point(Chance(0.25, error=0.125))
    Point(value=0.25, low=0.125, high=0.375)
    """
    value = number.probability if isinstance(number, Proportion | Chance) else number.mean
    return Point(value, *number.interval)


def flat(data: Mapping[str, Any]) -> dict[str, Any]:
    """Plain data of a tally as cells of one row: percentiles by their names, and the ends of their intervals.

    >>> flat({"mean": 2.5, "percentiles": {"p50": 2}, "percentile_intervals": {"p50": [1, 3]}})
    {'mean': 2.5, 'p50': 2, 'p50_low': 1, 'p50_high': 3}
    """
    cells = {key: value for key, value in data.items() if not key.startswith("percentile")}
    cells |= data.get("percentiles", {})
    for name, (low, high) in data.get("percentile_intervals", {}).items():
        cells |= {f"{name}_low": low, f"{name}_high": high}
    return cells


def valued(
    objective: str, values: Mapping[str, float | None], error: float, players: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return the values of an objective as plain data: probabilities of outcomes, the mean of a tally, or mean payoffs.

    Parameters
    ----------
    objective
        ``win``, ``payoff``, an outcome, ``avoid:OUTCOME``, ``most:TALLY``, ``fewest:TALLY`` or ``atleast:TALLY:N``.
    values
        The value to each seat that has one, by seat; for other objectives than ``win`` and ``payoff`` a single value.
    error
        Bound on their error; infinite if none is known.
    players
        Names of the seats, if they have any.

    Examples
    --------
    >>> valued("win", {"0": 0.5}, 0.0)
    {'outcomes': {'0': {'probability': 0.5, 'seats': [0], 'label': 'player 1'}}, 'tallies': {}}
    >>> valued("most:points", {"0": 8.5}, 0.0)
    {'outcomes': {}, 'tallies': {'points': {'mean': 8.5}}}
    >>> valued("payoff", {"1": -0.5}, 0.0)
    {'outcomes': {}, 'tallies': {}, 'payoffs': {'1': -0.5}}
    """
    wrong = {"error": known(error)} if error else {}
    aim = wanted(objective)
    if aim.kind == "win" and all(seat.isdigit() for seat in values):
        chances: dict[str, Any] = {seat: {"probability": p, **wrong} for seat, p in values.items()}
        for seat, entry in chances.items():
            entry |= {"seats": [int(seat)], "label": player_name(int(seat), players)}
        return {"outcomes": chances, "tallies": {}}
    if aim.kind == "payoff":
        return {"outcomes": {}, "tallies": {}, "payoffs": dict(values)}
    value = next(iter(values.values()))
    if aim.counts:
        return {"outcomes": {}, "tallies": {aim.name: {"mean": value, **wrong}}}
    outcome = objective if aim.kind == "atleast" else aim.name
    return {"outcomes": {outcome: {"probability": value, **wrong}}, "tallies": {}}


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
