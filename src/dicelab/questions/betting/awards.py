"""The pay table of a bet: what it may win or lose with which probability, and the sum over many independent rounds.

By itself because with `dicelab.questions.betting.par` it would be a file of more than 500 lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, gcd, sqrt
from typing import TYPE_CHECKING, Any

from dicelab.errors import DicelabError
from dicelab.limits import LIMITS
from dicelab.results.numbers.estimates import Chance, Distribution
from dicelab.rules.casino import Casino
from dicelab.rules.fields import Int
from dicelab.rules.game import seat_count
from dicelab.runtime.lineup import Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROOM = 10_000_000
"""Memory limit, in bytes, of the chain whose states include the money; enough for chains solved in fractions."""
MOST_CELLS = 1 << 21
"""Maximum number of amounts in the distribution of a sum; a longer one is computed in a window around the mean."""
NEGLIGIBLE = 1e-9
"""Maximum probability outside of that window."""


@dataclass(frozen=True)
class Award:
    """One line of a pay table.

    Attributes
    ----------
    net
        The money won, without the stake; negative for a loss, 0 for a push.
    chance
        Its probability.

    Examples
    --------
    >>> import dicelab
    >>> top = dicelab.par("pass-line").rows[0].awards[0]
    >>> top.net, str(top.chance.fraction)
    (1, '244/495')
    """

    net: int
    chance: Chance


def awards_of(run: Run, money: Distribution) -> list[Award] | None:
    """Return the pay table of a bet, the largest award first; fractions where the chain is small. None if it is
    unknown.

    Parameters
    ----------
    run
        The game, with the bet and its stake.
    money
        The exact distribution of its tally ``money``.
    """
    if money.spread is None:
        return None
    floats = money.probabilities
    error = max(money.spread.error, money.spread.left)
    exact = _fractions(run, sorted(floats))
    if exact is not None and all(abs(floats[net] - float(p)) <= error + 1e-12 for net, p in exact.items()):
        awards = [Award(net, Chance(float(p), p)) for net, p in exact.items()]
    else:
        awards = [Award(net, Chance(p, None, error)) for net, p in floats.items()]
    return sorted(awards, key=lambda award: -award.net)


def _fractions(run: Run, amounts: list[int]) -> dict[int, Fraction] | None:
    """Return the probability of each amount as a fraction; None if unavailable.

    A subclass of the game has the money in its state, and as its outcome how many steps it is above the lowest amount.
    """
    kind, lowest = type(run.game), amounts[0]
    step = gcd(*(amount - lowest for amount in amounts)) or 1
    steps = (amounts[-1] - lowest) // step
    looks = any(call.strategy.moves is not None for call in run.calls)
    if steps > LIMITS.exact_amounts or seat_count(run.game) > 1 or looks:
        return None
    about: dict[str, object] = {"name": kind.name, "__module__": kind.__module__}
    about |= {"edges_over": "", "published": {}, "ruin": ""} if issubclass(kind, Casino) else {}
    about |= {"outcomes": tuple(f"amount_{k}" for k in range(steps + 1)), "outcome": _amount}
    about["money"] = Int(-(2**31), 2**31 - 1, "money won; lost where negative", start=0)
    about["lowest_amount"] = Int(-(2**31), 2**31 - 1, "smallest amount", start=lowest)
    about["step_between_amounts"] = Int(1, 2**31 - 1, "step between amounts", start=step)
    try:
        from dicelab.solver.exact_answer import answer

        exactly = answer(
            Run.of(type(kind.__name__, (kind,), about), run.calls, **run.game.parameters), memory=ROOM, wanted=()
        )
    except DicelabError:  # for example, rules that read what is a tally otherwise
        return None
    if exactly.fractions is None:
        return None
    every = {lowest + step * k: p for k, p in enumerate(exactly.fractions) if p}
    return every if sum(every.values()) == 1 else None


def _amount(game: Any) -> int:
    """Return the rule ``outcome`` of `_fractions`."""
    return (game.money - game.lowest_amount) // game.step_between_amounts  # type: ignore[no-any-return]


@dataclass(frozen=True, kw_only=True)
class Band:
    """The result of many rounds with one bet.

    Attributes
    ----------
    rounds
        Number of independent rounds, each with one bet that is carried to its decision.
    low, high
        The 5th and the 95th percentile of the money won: it lies between them, ends included, in 90 % or more of such
        series.
    ahead
        Probability that the money won is above 0.

    Examples
    --------
    >>> import dicelab
    >>> band = dicelab.par("pass-line").rows[0].bands[0]
    >>> band.rounds, band.low, band.high, round(band.ahead, 4)
    (100, -18, 16, 0.4045)
    """

    rounds: int
    low: int
    high: int
    ahead: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        return dict(vars(self))


def band(awards: list[Award], rounds: int, share: float = 0.9, most: int = MOST_CELLS) -> Band | None:
    """Return the band of the sum of so many independent rounds; None if it can't be computed within the memory allowed.

    The distribution of the sum is computed, not approximated by a normal one: a power of the Fourier transform, in a
    window of `most` amounts around the mean; amounts outside it have a probability below `NEGLIGIBLE`.

    Examples
    --------
    >>> even = [Award(1, Chance(0.5)), Award(-1, Chance(0.5))]
    >>> band(even, 100)
    Band(rounds=100, low=-16, high=16, ahead=0.46020...)
    """
    import numpy as np

    law = _sum(awards, rounds, most)
    if law is None:
        return None
    values, chances = law
    below = np.cumsum(chances)
    tail = (1 - share) / 2
    low, high = (int(values[min(int(np.searchsorted(below, p)), len(values) - 1)]) for p in (tail, 1 - tail))
    return Band(rounds=rounds, low=low, high=high, ahead=float(chances[values > 0].sum()))


def _sum(awards: list[Award], rounds: int, most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Return the amounts that the sum of independent rounds may have, rising, and their probabilities."""
    import numpy as np
    from scipy.fft import irfft, next_fast_len, rfft

    lowest = min(award.net for award in awards)
    step = gcd(*(award.net - lowest for award in awards))
    if not step:
        return np.array([rounds * lowest]), np.ones(1)
    places = [(award.net - lowest) // step for award in awards]
    weights = np.array([award.chance.probability for award in awards])
    mean = float(weights @ places)
    spread = sqrt(float(weights @ (np.array(places) - mean) ** 2))
    length, first = rounds * max(places) + 1, 0
    if length > most:
        half, largest = most // 2 - 1, max(mean, max(places) - mean)
        if max(places) >= most or 2 * exp(-(half**2) / 2 / (rounds * spread**2 + largest * half / 3)) > NEGLIGIBLE:
            return None  # the bound is that of S. Bernstein (1924)
        length, first = most, round(rounds * mean) - half
    size = next_fast_len(length, real=True) if first == 0 else length
    one = np.zeros(size)
    np.add.at(one, places, weights)
    chances = np.clip(irfft(rfft(one) ** rounds, size), 0, None)
    numbers = np.arange(first, first + length)
    return rounds * lowest + step * numbers, chances[numbers % size]
