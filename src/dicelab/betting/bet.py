"""What one bet costs, exactly: its edge, and how much it varies.

A game with money has a tally ``money``: what is won, lost where negative. With S, what is staked on the average, and P,
the chance that a bet is pushed (given back):

* edge per bet made: ``-E[money] / S``, a share of the stake;
* per bet resolved: the same without the bets that are pushed, divided by ``1 - P``;
* per throw: per bet made, divided by the mean of the tally ``throws``;
* sd: standard deviation of the money, in stakes.

These are the definitions of M. Shackleford (Wizard of Odds). Nothing here knows any game.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from types import FunctionType
from typing import TYPE_CHECKING, Any

from dicelab.analysis.exact import exact
from dicelab.analysis.simulate import simulate
from dicelab.chains.exact_answer import answer
from dicelab.errors import DicelabError, ParameterError, RulesError
from dicelab.results.estimates import Chance, Distribution, known, shown_fraction
from dicelab.results.intervals import mean_interval
from dicelab.results.result import Exact
from dicelab.results.side_by_side import z_score
from dicelab.rules.casino import Casino
from dicelab.rules.fields import Int, Peak
from dicelab.rules.game import Game, has_outcomes, seat_count
from dicelab.rules.params import Choice, Switch
from dicelab.runtime.lineup import Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENDS = ("win", "lose", "push")
ROOM = 10_000_000
"""Bytes for the chain in which the money is part of the position, so that its sign is told in fractions: enough for all
positions that are ever solved in fractions."""
PERCENT = re.compile(r"(-?\d+(?:\.(\d+))?) ?%")
DECIMAL = re.compile(r"-?\d+\.(\d+)")


WHOLE = 1000
"""Digits of a fraction that plain data has; tables show shorter ones."""


@dataclass(frozen=True)
class Figure:
    """A number: a fraction where the chain was small, else with a bound on its error."""

    value: float
    fraction: Fraction | None = field(default=None, repr=False)
    error: float = 0.0

    @classmethod
    def of(cls, tally: Distribution) -> Figure:
        """The mean of a tally."""
        return cls(tally.mean, tally.fraction, tally.error)

    def __truediv__(self, other: Figure) -> Figure:
        if self.fraction is not None and other.fraction is not None:
            return exactly(self.fraction / other.fraction)
        value, sure = self.value / other.value, abs(other.value) - other.error
        return Figure(value, None, (self.error + abs(value) * other.error) / sure if sure > 0 else inf)

    def __neg__(self) -> Figure:
        return Figure(-self.value, None, self.error) if self.fraction is None else exactly(-self.fraction)

    def to_dict(self, name: str = "value") -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        error = {"error": known(self.error)} if self.error else {}
        return {name: self.value, **shown_fraction(self.fraction, WHOLE), **error}


def exactly(fraction: Fraction) -> Figure:
    """A fraction as a figure."""
    return Figure(float(fraction), fraction)


@dataclass(frozen=True)
class Published:
    """What others say that the edge per bet made is.

    Attributes
    ----------
    text, source
        As it stands there, and where.
    difference
        The edge found here minus the published one.
    agrees
        The difference is within the digits of the text.
    """

    text: str
    source: str
    difference: float
    agrees: bool

    def __str__(self) -> str:
        off = f"{abs(100 * self.difference):.4f} % {'more' if self.difference > 0 else 'less'} here"
        return f"published is {self.text} ({self.source}); {'the same' if self.agrees else off}"

    @classmethod
    def of(cls, text: str, source: str, edge: Figure) -> Published:
        """Compare an edge with a published one: ``1.414 %``, ``0.01414`` or ``7/495``.

        Raises
        ------
        RulesError
            When the text is none of these.

        Examples
        --------
        >>> Published.of("1.41 %", "somewhere", exactly(Fraction(7, 495))).agrees
        True
        >>> Published.of("1.42 %", "somewhere", exactly(Fraction(7, 495))).agrees
        False
        """
        percent, decimal = PERCENT.fullmatch(text), DECIMAL.fullmatch(text)
        scale = 100 if percent else 1
        found = percent or decimal
        try:
            value = Fraction(text if found is None else percent[1] if percent else text) / scale
        except (ValueError, ZeroDivisionError):
            raise RulesError(f"published: {text!r} is no edge; it is written 1.414 %, 0.01414 or 7/495") from None
        digits = 0 if found is None else len((percent[2] if percent else found[1]) or "")
        half = Fraction(1, 2 * scale * 10**digits) if found else Fraction(0)
        difference = (Fraction(edge.value) if edge.fraction is None else edge.fraction) - value
        return cls(text, source, float(difference), abs(difference) <= half + Fraction(edge.error))


@dataclass(frozen=True)
class Check:
    """The same edge from games that were played: with its 95 % interval, and how many standard errors off it is."""

    edge: float
    interval: tuple[float, float]
    z: float | None
    games: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        low, high = map(known, self.interval)
        return {"edge": self.edge, "low": low, "high": high, "z": known(self.z), "games": self.games}


@dataclass(frozen=True)
class Edge:
    """One bet.

    Attributes
    ----------
    bet
        Its name; the name of the game where that has one bet only.
    win, lose, push
        Probabilities; None where the distribution of the money took too much memory.
    edge, edge_resolved, edge_per_throw
        Shares of the stake, positive where the bettor loses; see `dicelab.betting.bet`. None where it is not known.
    throws
        Mean number of throws; None where the game does not count them.
    sd
        Standard deviation of the money in stakes.
    staked, varies
        Mean of what is staked; not every game stakes the same.
    published, check
        What others say, and what games that were played say, where it was asked for.

    Examples
    --------
    >>> import dicelab
    >>> bet = dicelab.edges("pass-line").rows[0]
    >>> str(bet.edge.fraction), str(bet.throws.fraction), round(bet.sd, 5)
    ('7/495', '557/165', 0.9999)
    """

    bet: str
    win: Chance | None
    lose: Chance | None
    push: Chance | None
    edge: Figure
    edge_resolved: Figure | None
    edge_per_throw: Figure | None
    throws: Figure | None
    sd: float
    staked: Figure
    varies: bool
    published: Published | None = None
    check: Check | None = None

    @property
    def figures(self) -> list[Chance | Figure]:
        """All that is known, but for the standard deviation."""
        chances, edges = (self.win, self.lose, self.push), (self.edge, self.edge_resolved, self.edge_per_throw)
        return [figure for figure in (*chances, *edges, self.throws) if figure is not None]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        data: dict[str, Any] = {"bet": self.bet}
        for name in ENDS:
            chance = getattr(self, name)
            wrong = {"error": chance.error} if chance is not None and chance.error else {}
            whole = shown_fraction(chance.fraction, WHOLE) if chance is not None else {}
            data[name] = None if chance is None else {**chance.to_dict(), **whole, **wrong}
        for name in ("edge", "edge_resolved", "edge_per_throw"):
            figure = getattr(self, name)
            data[name] = None if figure is None else figure.to_dict()
        data["throws"] = None if self.throws is None else self.throws.to_dict("mean")
        data |= {"sd": known(self.sd), "staked": self.staked.to_dict("mean")}
        if self.published is not None:
            data["published"] = vars(self.published)
        return data if self.check is None else data | {"check": self.check.to_dict()}


# How a bet is answered ------------------------------------------------------------------------------------------------


FOLLOWED = ("money", "staked", "wait", "throws")
"""The tallies that an edge is made of: throws are those of ``wait``, from when the bet is made, where it is counted."""


def must_have_money(game: Game | type[Game]) -> None:
    """Refuse a game that does not say what is won.

    Raises
    ------
    ParameterError
    """
    if "money" not in game.declared.tallies:
        raise ParameterError(f"{game.name} has no tally called money, so nothing is won or lost in it")
    for name in FOLLOWED:
        if isinstance(game.declared.tallies.get(name), Peak):
            raise ParameterError(f"{game.name}: {name} is a Peak; edges need a Tally, to which every change is added")


def edge_of(run: Run, bet: str, threads: int | None = None, memory: int | None = None) -> Edge:
    """The edge of one bet: of a game with all its parameters.

    Raises
    ------
    ParameterError
        When nothing is staked.
    TooLarge, PlayError
        As `dicelab.exact` does.
    """
    followed = [name for name in FOLLOWED if name in run.game.declared.tallies]
    found = exact(run.game, run.strategies, tallies=followed, threads=threads, memory=memory)
    money, staked = found.tallies["money"], _staked(run.game, found)
    win, lose, push = _ends(run, found)
    edge = -Figure.of(money) / staked
    waited = [Figure.of(found.tallies[name]) for name in ("wait", "throws") if name in found.tallies]
    throws = waited[0] if waited else None
    return Edge(
        bet,
        win,
        lose,
        push,
        edge,
        edge / _rest(push) if push is not None and push.probability < 1 else None,
        edge / throws if throws is not None and throws.value > 0 else None,
        throws,
        money.sd / staked.value,
        staked,
        "staked" in found.tallies and found.tallies["staked"].sd > 1e-9 * staked.value,
    )


def _staked(game: Game, found: Exact) -> Figure:
    """What is staked on the average: the tally ``staked``, else the parameter ``stake``, else 1."""
    if "staked" in found.tallies:
        staked = Figure.of(found.tallies["staked"])
    else:
        named = isinstance(game.declared.params.get("stake"), Choice | Switch)
        staked = exactly(Fraction(1 if named else game.parameters.get("stake", 1)))
    if staked.value <= 0:
        raise ParameterError(f"{game.name}: {staked.value:g} is staked on the average; an edge is a share of what is")
    return staked


def _rest(push: Chance) -> Figure:
    """Chance of not being pushed."""
    if push.fraction is not None:
        return exactly(1 - push.fraction)
    return Figure(1 - push.probability, None, push.error)


def _ends(run: Run, found: Exact) -> Sequence[Chance | None]:
    """Chances to win, to lose and to be pushed: outcomes of these names, else the sign of the money."""
    names = found.outcome_names
    if {"win", "lose"} <= set(names) <= set(ENDS):
        return [found.outcomes.get(name, Chance(0.0, Fraction(0))) for name in ENDS]
    signs = _signs(run) if found.fractions else None
    if signs is not None:
        return [Chance(float(p), p) for p in signs]
    money = found.tallies["money"]
    if money.spread is None:
        return [None] * 3
    won = sum(p for value, p in money.probabilities.items() if value > 0)
    lost = sum(p for value, p in money.probabilities.items() if value < 0)
    error = money.spread.error
    return [Chance(won, None, error), Chance(lost, None, error), Chance(money.probabilities.get(0, 0.0), None, error)]


def _signs(run: Run) -> Sequence[Fraction] | None:
    """Chances that the money is above, below and at 0, by the same rules with money in the state; None if too large."""
    kind = type(run.game)
    if seat_count(run.game) > 1 or any(call.strategy.moves is not None for call in run.calls):
        return None  # a policy knows the positions without the money
    if has_outcomes(kind) and _uses(kind, "outcome", "money"):
        return None  # `_sign` takes the place of an outcome that counts money
    money = Int(-(2**31), 2**31 - 1, "money won; lost where negative", start=0)
    about: dict[str, object] = {"name": kind.name, "__module__": kind.__module__}
    about |= {"edges_over": "", "published": {}} if issubclass(kind, Casino) else {}
    try:
        signed = type(kind.__name__, (kind,), {**about, "outcomes": ENDS, "money": money, "outcome": _sign})
        signed_run = Run.of(signed, run.strategies, **run.game.parameters)
        return answer(signed_run, memory=ROOM, wanted=()).fractions
    except DicelabError:  # the money may grow without end, say
        return None


def _sign(game: Any) -> int:
    """The outcome of a game whose money is part of its state."""
    if game.money > 0:
        return 0
    if game.money < 0:
        return 1
    return 2


def _uses(kind: type[Game], rule: str, name: str) -> bool:
    """Does a method of a game, or anything that it calls by name, use an attribute of that name?"""
    words, seen = [rule], set[str]()
    while words:
        word = words.pop()
        seen.add(word)
        for owner in (*map(vars, kind.__mro__), getattr(kind, rule).__globals__):
            called = owner.get(word)
            if isinstance(called, FunctionType):
                if name in called.__code__.co_names:
                    return True
                words += [other for other in called.__code__.co_names if other not in seen]
    return False


def check_of(run: Run, edge: Edge, games: int, seed: int, threads: int | None) -> Check | None:
    """Play a bet many times; None when interrupted."""
    played = simulate(run.game, run.strategies, games=games, seed=seed, threads=threads, records=edge.varies)
    if played.interrupted:
        return None
    won, stake = played.tallies["money"], edge.staked.value
    sd, (low, high) = edge.sd * stake, won.interval
    if edge.varies:
        names = list(played.tally_names)
        money, staked = (played.records[:, 1 + names.index(name)].astype(float) for name in ("money", "staked"))
        stake = float(staked.mean()) or stake
        sd = float((money + edge.edge.value * staked).std())
        low, high = _ratio_interval(money, staked, won.mean)
    z = z_score(-won.mean / stake, edge.edge.value, sd / stake, games)
    return Check(-won.mean / stake, (-high / stake, -low / stake), z, games)


def _ratio_interval(money: NDArray[np.float64], staked: NDArray[np.float64], mean: float) -> tuple[float, float]:
    """Interval for the mean of `money`, as part of its ratio to the mean of `staked`, which is estimated as well.

    The ratio errs as the mean of ``money - ratio * staked`` does, to first order (W. G. Cochran, *Sampling Techniques*,
    3rd edition, section 2.11).
    """
    away = money - (mean / float(staked.mean()) if staked.any() else 0.0) * staked
    away -= away.mean()
    n, sd = len(away), float(away.std(ddof=1)) if len(away) > 1 else 0.0
    skew = float((away**3).mean() / (away**2).mean() ** 1.5) if sd > 0 else 0.0
    low, high = mean_interval(0.0, sd, n, skew=skew)
    return mean + low, mean + high
