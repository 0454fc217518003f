"""The results of another program: counts and means that were typed, or a table with a row for each game."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite, nan, sqrt

from dicelab.errors import ParameterError, unknown
from dicelab.results.provenance import winners
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.params import as_integer, whole_number

MOST_GAMES = 10**12
"""Largest number of games: beyond it, errors of floating point would be significant."""


@dataclass(frozen=True)
class Mean:
    """The mean of a tally over the games, and its standard deviation if given.

    Both may have been rounded: they lie within `half` and `sd_half` of the given numbers.
    """

    value: float
    half: float = 0.0
    sd: float | None = None
    sd_half: float = 0.0


@dataclass(frozen=True)
class Sample:
    """What is known of a simulation.

    Attributes
    ----------
    games
        The number of games.
    counts
        Games that ended with each outcome, in the order of the outcomes; None if not given.
    means
        By tally.
    values
        Number of games by value, by tally; only from a file.
    unused
        Columns of the file that are neither outcomes nor tallies.
    """

    games: int
    counts: tuple[int, ...] | None = None
    means: Mapping[str, Mean] = field(default_factory=dict)
    values: Mapping[str, Counter[int]] = field(default_factory=dict)
    unused: tuple[str, ...] = ()

    @classmethod
    def typed(
        cls,
        game: Game,
        counts: Sequence[object] | Mapping[str, object] | None,
        mean: Mapping[str, object],
        sd: Mapping[str, object],
        games: object,
    ) -> Sample:
        """Return the sample with these counts, means and standard deviations.

        Raises
        ------
        InputError
            When one of them is not allowed, or they contradict each other.
        """
        known = tuple(game.declared.tallies)
        for name in (*mean, *sd):
            if name not in known:
                raise unknown(f"tally of {game.name}", name, known)
        for name in sd:
            if name not in mean:
                raise ParameterError(f"sd: {name} has no mean; give its mean as well")
        if counts is None and not mean:
            raise ParameterError("nothing to judge: give counts, means (with the number of games) or a file")
        counted = None if counts is None else _counts(game, counts)
        total = _games(games, counted)
        means = {name: _mean(name, value, sd.get(name)) for name, value in mean.items()}
        return cls(total, counted, means)

    @classmethod
    def gathered(
        cls, games: int, counts: Sequence[int] | None, values: Mapping[str, Counter[int]], unused: Sequence[str] = ()
    ) -> Sample:
        """Return the sample with all values of some tallies."""
        means = {name: _mean_of(found, games) for name, found in values.items()}
        return cls(games, None if counts is None else tuple(counts), means, values, tuple(unused))


def _mean_of(values: Counter[int], games: int) -> Mean:
    """Return the mean and the standard deviation of values."""
    mean = sum(value * count for value, count in values.items()) / games
    square = sum(count * (value - mean) ** 2 for value, count in values.items())
    return Mean(mean, 0.0, sqrt(square / max(1, games - 1)))


def _counts(game: Game, counts: Sequence[object] | Mapping[str, object]) -> tuple[int, ...]:
    """Return the counts in the order of the outcomes."""
    names = outcome_names(game)
    if not names:
        raise ParameterError(f"{game.name} has no outcomes, only tallies, so there is nothing to compare counts with")
    if isinstance(counts, Mapping):
        for name in counts:
            if name not in names:
                raise unknown(f"outcome of {game.name}", str(name), names)
        counts = [counts.get(name, 0) for name in names]
    if len(counts) != len(names):
        listed = ", ".join(names) if len(names) <= 12 else f"{names[0]}, {names[1]}, ..., {names[-1]}"
        raise ParameterError(
            f"counts: {len(counts)} given, but {game.name} has {len(names)} outcomes with these parameters: {listed}"
        )
    kind = "seat" if winners(game) else "outcome"
    return tuple(_whole(f"counts: {kind} {name}", count, 0) for name, count in zip(names, counts, strict=True))


def _games(games: object, counts: tuple[int, ...] | None) -> int:
    """Return the number of games; it must be the sum of the counts, if there are counts."""
    if games is None and counts is None:
        raise ParameterError("games: a mean can't be judged without the number of games; give it as well")
    given = None if games is None else _whole("games", games, 1)
    if counts is None:
        assert given is not None
        return given
    total = sum(counts)
    if given is not None and given != total:
        raise ParameterError(f"counts: they add up to {total:,}, not to the {given:,} games")
    if not total:
        raise ParameterError("counts: they add up to 0, so there are no games to judge")
    return _whole("counts: their sum", total, 1)


def _whole(name: str, value: object, least: int) -> int:
    """Return a number of games, also from text such as 1e6."""
    count = whole_number(value) if isinstance(value, str) else as_integer(value)
    if count is None or not least <= count <= MOST_GAMES:
        raise ParameterError(f"{name}: {value!r} is not allowed; it takes a whole number, {least} to {MOST_GAMES:,}")
    return count


def _mean(name: str, value: object, sd: object) -> Mean:
    """Return a mean and a standard deviation, as rounded to the digits in which they are written."""
    mean, half = _rounded(f"mean: {name}", value)
    if sd is None:
        return Mean(mean, half)
    deviation, sd_half = _rounded(f"sd: {name}", sd)
    if deviation < 0:
        raise ParameterError(f"sd: {name}: {sd!r} is not allowed; a standard deviation is at least 0")
    return Mean(mean, half, deviation, sd_half)


def _rounded(name: str, value: object) -> tuple[float, float]:
    """Return a finite number, and half a unit of its last digit; of a whole number, 1/2.

    >>> _rounded("mean", "18.9"), _rounded("mean", 20)
    ((18.9, 0.05), (20.0, 0.5))
    """
    try:
        written = Decimal(str(value).strip())
        number = float(written)
    except (ArithmeticError, ValueError):
        number = nan
    if isinstance(value, bool) or not isfinite(number):
        raise ParameterError(f"{name}: {value!r} is not allowed; it takes a number, such as 18.9")
    return number, 0.5 * 10.0 ** min(0, int(written.as_tuple().exponent))


def path_of(file: str | os.PathLike[str]) -> str:
    """Return the path of a file that exists."""
    path = os.fspath(file)
    if not os.path.isfile(path):
        raise ParameterError(f"{path} is a folder, not a file" if os.path.isdir(path) else f"there is no file {path}")
    return path
