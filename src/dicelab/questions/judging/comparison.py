"""The tests of a sample against an exact answer: outcomes, means, standard deviations, distributions of tallies.

Common mistakes are other seats, other settings and variants of the rules that a sample fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import ceil, comb, inf, isfinite, isnan, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from dicelab.errors import DicelabError, InputError, ParameterError, RulesError
from dicelab.questions.judging.goodness import (
    LEAST_EXPECTED,
    MOST_TABLES,
    SMALLEST,
    counts_p,
    deviation_p,
    holm,
    pooled,
    relative_variance,
    total_p,
    variance_bound,
)
from dicelab.questions.judging.sample import Mean, Sample
from dicelab.results.numbers.estimates import Distribution
from dicelab.results.result import Exact
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.loading.registry import find, games_in, load, looks_like_file
from dicelab.rules.params import Param, Switch
from dicelab.rules.words import player_name
from dicelab.solver.solution.distribution import Spread

MOST_BINS = 40
"""Limit of the groups of values of a tally that are compared."""
STEADY = 0.002
"""Largest relative variance of a sample variance for which the test of standard deviations is a good approximation."""
BOUND = "p is only an upper bound"
"""The test of a standard deviation where there are too few games for that approximation, and too many for tables."""


@dataclass(frozen=True)
class Compared:
    """One test.

    Attributes
    ----------
    name, kind, of
        Such as ``mean of turns``; ``outcomes``, ``mean``, ``sd`` or ``distribution``; the tally, or empty.
    how
        The method, in words.
    statistic
        z, or chi-square.
    p, adjusted
        The p-value, and the one that is adjusted for the number of tests.
    expected, observed
        Two numbers, or for counts the numbers of games by cell; expected numbers aren't whole.
    impossible
        An outcome or a value that was observed and can't occur; empty if there is none.

    Examples
    --------
    >>> import dicelab
    >>> one = dicelab.judge("hazard", main=7, mean={"throws": 4.1}, games=500).tests[0]
    >>> one.name, one.observed, round(one.expected, 2), one.p < 0.001
    ('mean of throws', 4.1, 3.38, True)
    """

    name: str
    kind: str
    of: str
    how: str
    statistic: float
    p: float
    expected: Any
    observed: Any
    adjusted: float = 1.0
    impossible: str = ""


def compared(sample: Sample, truth: Exact) -> tuple[list[Compared], list[str]]:
    """Return all tests of a sample, with their p-values adjusted by Holm's method, and what was not tested, with the
    reason.

    Raises
    ------
    ParameterError
        When a mean can't be tested, because the exact answer doesn't have it.
    """
    rows: list[Compared] = []
    untested: list[str] = []
    if sample.counts is not None:
        rows.append(_outcomes(sample.games, sample.counts, truth))
    for name, mean in sample.means.items():
        tally = truth.tallies[name]
        rows.append(_mean(name, mean, sample.games, tally))
        try:
            if name in sample.values:
                rows.append(_distribution(name, sample.values[name], sample.games, tally))
            elif mean.sd is not None:
                rows.append(_deviation(name, mean.sd, mean.sd_half, sample.games, tally))
        except _NotTested as reason:
            untested.append(str(reason))
    adjusted = holm([test.p for test in rows])
    return [replace(test, adjusted=p) for test, p in zip(rows, adjusted, strict=True)], untested


class _NotTested(Exception):
    """A number of the sample that can't be tested, and why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: not tested, because {reason}")


def joint_p(tests: Sequence[Compared]) -> float:
    """Return the joint p-value: the smallest adjusted one."""
    return min(test.adjusted for test in tests)


def _outcomes(games: int, counts: Sequence[int], truth: Exact) -> Compared:
    """Test the counts of the outcomes."""
    chances = {name: chance.probability for name, chance in truth.outcomes.items()}
    expected = {name: games * chance for name, chance in chances.items()}
    observed = dict(zip(chances, counts, strict=True))
    about: dict[str, Any] = {
        "name": "outcomes",
        "kind": "outcomes",
        "of": "",
        "expected": expected,
        "observed": observed,
    }
    never = [name for name, chance in truth.outcomes.items() if observed[name] and chance.probability <= chance.error]
    if never:
        p = min(1.0, 2 * games * truth.outcomes[never[0]].error)  # its true chance is at most twice the error
        return Compared(**about, how="impossible outcome", statistic=inf, p=p, impossible=never[0])
    possible = [name for name, chance in chances.items() if chance > 0]
    groups = groups_of(games, chances)
    if len(groups) == 1:
        return Compared(**about, how="only one possible outcome", statistic=0.0, p=1.0)
    how, square, p = counts_p(_sums(groups, observed), _sums(groups, chances))
    how += f" ({len(possible)} outcomes pooled into {len(groups)})" if len(groups) < len(possible) else ""
    return Compared(**about, how=how, statistic=square, p=p)


def groups_of(games: int, chances: Mapping[str, float]) -> list[list[str]]:
    """Return the outcomes whose counts are compared, those with few expected games pooled; impossible ones are left
    out.

    >>> groups_of(100, {"win": 0.9, "lose": 0.1, "never": 0.0})
    [['win'], ['lose']]
    """
    possible = [name for name, chance in chances.items() if chance > 0]
    groups = [[name] for name in possible]
    if len(groups) > 2 and comb(games + len(groups) - 1, len(groups) - 1) > MOST_TABLES:
        cells = pooled([games * chances[name] for name in possible], adjacent=False)
        if len(cells) == 1:  # too few games: the most probable outcome against all others
            cells = [cells[0][:-1], cells[0][-1:]]
        groups = [[possible[cell] for cell in cells_of] for cells_of in cells]
    return groups


def _sums(groups: Sequence[Sequence[str]], of: dict[str, Any]) -> list[Any]:
    """Return the sum over each group."""
    return [sum(of[name] for name in group) for group in groups]


def _mean(name: str, mean: Mean, games: int, tally: Distribution) -> Compared:
    """Test a mean by the exact distribution of the total of all games, or else by the normal distribution."""
    if isnan(tally.mean):
        raise ParameterError(f"mean: the exact mean of {name} is not known: its distribution takes too much memory")
    sd = tally.sd if isfinite(tally.sd) else mean.sd
    if sd is None:
        raise ParameterError(f"mean: the exact standard deviation of {name} is not known; give yours as well: sd")
    error, off = sd / sqrt(games), mean.value - tally.mean
    surplus = max(0.0, abs(off) - mean.half - tally.error)
    z = off / error if error > 0 else 0.0 if surplus <= 1e-9 else inf
    low, high = games * (mean.value - mean.half), games * (mean.value + mean.half)
    p = None if tally.spread is None else total_p(low, high, games, tally.spread.values, tally.spread.chances)
    how = "exact distribution of the mean" if p is not None else "normal distribution of the mean"
    if p is None:
        p = 2 * float(stats.norm.sf(surplus / error)) if error > 0 else float(surplus <= 1e-9)
    return Compared(f"mean of {name}", "mean", name, how, z, min(1.0, p), tally.mean, mean.value)


def _deviation(name: str, sd: float, half: float, games: int, tally: Distribution) -> Compared:
    """Test a standard deviation: exactly, by the normal distribution of its logarithm, or by an inequality.

    Programs divide by the number of games, or by one less: either may have been meant.
    """
    what = f"standard deviation of {name}"
    spread = _spread(what, tally)
    if games == 1 or not isfinite(tally.sd):
        raise _NotTested(what, "one game has none" if games == 1 else "the exact one is not known")
    values, chances = spread.values[spread.chances > 0], spread.chances[spread.chances > 0]
    low, high, fewer = sd - half, sd + half, sqrt(1 - 1 / games)
    if len(values) == 1:
        fits = low <= 1e-9
        z, p = (0.0, 1.0) if fits else (inf, SMALLEST)
        return Compared(what, "sd", name, "only one possible value", z, p, tally.sd, sd)
    fourth = float(chances @ (values - tally.mean) ** 4) / tally.sd**4
    relative, enough = relative_variance(games, fourth), ceil((fourth - 1) / STEADY)
    nearest = min(max(tally.sd, low), high / fewer)
    z, surplus = (2 * log(max(one, 1e-300) / tally.sd) / sqrt(relative) for one in (sd, nearest))
    if (exact := deviation_p(low * fewer, high, games, values, chances)) is not None:
        how, p = exact
    elif games >= enough:
        how, p = "normal distribution of its logarithm", 2 * float(stats.norm.sf(abs(surplus)))
    else:
        how, p = (
            f"{BOUND}; a sharper test needs {enough:,} games",
            variance_bound(nearest**2 / tally.sd**2, games, fourth),
        )
    return Compared(what, "sd", name, how, z, p, tally.sd, sd)


def _spread(what: str, tally: Distribution) -> Spread:
    """Return the distribution of a tally.

    Raises
    ------
    _NotTested
        When it is not known.
    """
    if tally.spread is None:
        raise _NotTested(what, "the exact distribution takes too much memory")
    return tally.spread


def _distribution(name: str, values: Any, games: int, tally: Distribution) -> Compared:
    """Test how often each value of a tally occurred, neighbouring values taken together."""
    what = f"distribution of {name}"
    spread = _spread(what, tally)
    about: dict[str, Any] = {"name": what, "kind": "distribution", "of": name}
    chances = tally.probabilities
    never = sorted(set(values) - set(chances))
    if never:
        p = min(1.0, games * spread.error)
        counts: dict[str, Any] = {"expected": {str(never[0]): 0.0}, "observed": {str(never[0]): values[never[0]]}}
        return Compared(**about, **counts, how="impossible value", statistic=inf, p=p, impossible=f"{name} {never[0]}")
    possible = list(chances)
    least = max(LEAST_EXPECTED, games / MOST_BINS)
    groups = pooled((games * spread.chances).tolist(), adjacent=True, least=least)
    if len(possible) == 1:
        only = {str(possible[0]): games}
        return Compared(**about, expected=only, observed=only, how="only one possible value", statistic=0.0, p=1.0)
    if len(groups) == 1:  # too few games: the lower half of the games against the upper
        half = np.abs(np.cumsum(spread.chances)[:-1] - 0.5).argmin() + 1
        groups = [groups[0][:half], groups[0][half:]]
    labels = [_label(possible[group[0]], possible[group[-1]]) for group in groups]
    weights = np.array([spread.chances[group].sum() for group in groups])
    observed = [sum(values[possible[place]] for place in group) for group in groups]
    how, square, p = counts_p(observed, weights.tolist())
    expected = dict(zip(labels, (games * weights).tolist(), strict=True))
    seen = dict(zip(labels, observed, strict=True))
    return Compared(**about, expected=expected, observed=seen, how=how, statistic=square, p=p)


def _label(low: int, high: int) -> str:
    """Return a group of neighbouring values."""
    return str(low) if low == high else f"{low}..{high}"


FITS = 0.01
"""Smallest joint p-value of a suspect that is named: 99 of 100 samples with one of the mistakes name it."""
MOST_STATES = 50_000
"""Largest number of states of a game whose settings are varied."""

Solve = Callable[[Game], Exact]
"""Gives the exact answer about a game; raises DicelabError where there is none."""


@dataclass(frozen=True)
class Suspect:
    """A mistake that would explain a sample.

    Attributes
    ----------
    name
        The mistake, in words.
    p
        The joint p-value of the sample if the mistake was made.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.judge("lcr", players=3, counts=[729, 616, 655])
    >>> found.suspects[0].name
    'players shifted by 2: your player 1 is player 3'
    """

    name: str
    p: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        return asdict(self)


def suspects(
    game: Game, sample: Sample, truth: Exact, solve: Solve, variants: Sequence[type[Game]]
) -> tuple[list[Suspect], list[str]]:
    """Return the mistakes that a sample fits, the most probable first, and why some variants could not be tried.

    Parameters
    ----------
    game, sample, truth
        The rules, the sample, and the exact answer about the rules.
    solve
        Gives the exact answers about other rules.
    variants
        Other rules to try, besides the games of the same file that inherit from `game`.
    """
    fitting = [one for order, seated in _seats(sample, truth) for one in _fitting(order, seated, truth)]
    others, untried = list[tuple[str, Exact]](), list[str]()
    for kind in _variants(game, variants):
        try:
            others.append((f"the rules of {kind.name}", solve(_comparable(game, sample, _same(game, kind)))))
        except _Incomparable as error:  # other games of the same file need not be variants
            untried += [f"{kind.name}: {error}"] if kind in variants else []
        except DicelabError as error:
            untried.append(f"{kind.name}: {str(error).removeprefix(f'{kind.name}: ')}")
    for name, other in _settings(game, truth):
        with suppress(DicelabError):
            others.append((name, solve(_comparable(game, sample, other))))
    fitting += [one for name, answer in others for one in _fitting(name, sample, answer)]
    if not fitting:  # two mistakes at once
        both = [(f"{name}, {order}", s, a) for name, a in others for order, s in _seats(sample, a)]
        fitting = [one for names in both for one in _fitting(*names)]
    return sorted(fitting, key=lambda one: -one.p), untried


def _same(game: Game, kind: type[Game]) -> Game:
    """Return a variant with the parameters of the game."""
    return kind(**{name: value for name, value in game.parameters.items() if name in kind.declared.params})


class _Incomparable(ParameterError):
    """Other rules whose games don't end as those of the sample, or are not counted alike."""


def _comparable(game: Game, sample: Sample, other: Game) -> Game:
    """Other rules, if they have the outcomes of the game and the tallies of the sample."""
    if outcome_names(other) != outcome_names(game):
        raise _Incomparable("it has other outcomes")
    for name in sample.means:
        if name not in other.declared.tallies:
            raise _Incomparable(f"it has no tally {name}")
    return other


def _fitting(name: str, sample: Sample, answer: Exact) -> list[Suspect]:
    """Return the suspect, if the sample fits the answer."""
    with suppress(ParameterError):  # a mean without an exact value can't be tested
        p = joint_p(compared(sample, answer)[0])
        return [Suspect(name, p)] if p >= FITS else []
    return []


def _seats(sample: Sample, truth: Exact) -> Iterator[tuple[str, Sample]]:
    """Yield the sample with its seats shifted, and in reverse order; nothing if its means don't fit anyway."""
    if sample.counts is None or not truth.seats:
        return
    if sample.means and not _fitting("", replace(sample, counts=None), truth):
        return
    seats = len(sample.counts)
    names = [player_name(seat, truth.players) for seat in range(seats)]
    for first in range(1, seats):
        order = [(seat - first) % seats for seat in range(seats)]
        yield f"players shifted by {first}: your {names[0]} is {names[first]}", _reordered(sample, order)
    for first in range(seats if seats > 2 else 0):
        order = [(first - seat) % seats for seat in range(seats)]
        yield f"players in reverse order: your {names[0]} is {names[first]}", _reordered(sample, order)


def _reordered(sample: Sample, order: Sequence[int]) -> Sample:
    """Return the sample in which each seat has the count of another one."""
    assert sample.counts is not None
    return replace(sample, counts=tuple(sample.counts[seat] for seat in order))


def _variants(game: Game, more: Sequence[type[Game]]) -> list[type[Game]]:
    """Return the games of the same file that inherit from this one, and `more`."""
    kin = [kind for kind in _heirs(type(game)) if kind.__module__ == type(game).__module__]
    return [kind for kind in dict.fromkeys((*kin, *more)) if kind is not type(game)]


def _heirs(game: type[Game]) -> Iterator[type[Game]]:
    """Yield all classes that inherit from a game."""
    for kind in game.__subclasses__():
        yield kind
        yield from _heirs(kind)


def _settings(game: Game, truth: Exact) -> Iterator[tuple[str, Game]]:
    """Yield the game with one parameter changed: a number by 1, or a switch; none where answers take long."""
    if truth.states > MOST_STATES:
        return
    for name, param in game.declared.params.items():
        now = game.parameters[name]
        near = [1 - now] if isinstance(param, Switch) else [now - 1, now + 1] if type(param) is Param else []
        for value in near:
            with suppress(InputError):
                changed = type(game)(**{**game.parameters, name: value})
                yield f"{name} {param.word(value)} instead of {param.word(now)}", changed


def variants_in(name: str | type[Game]) -> list[type[Game]]:
    """Return the games that a name, a file or a class stands for; all games of a file unless one is named."""
    if isinstance(name, type):
        return [name]
    if not looks_like_file(name) or ".py:" in name:
        return [find(name)]
    games = games_in(load(Path(name)))
    if not games:
        raise RulesError(f"{name} has no game: it must define a class that inherits from dicelab.rules.Game")
    return list(games.values())
