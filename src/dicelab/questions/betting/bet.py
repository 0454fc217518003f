"""The exact house edge and standard deviation of one bet.

The game has a tally ``money``: the net win, negative for a loss. With the mean stake S and the probability P of a push
(the stake is returned):

* edge, per bet made: ``-E[money] / S``, a share of the stake;
* edge per bet resolved, which excludes pushes: the edge divided by ``1 - P``;
* edge per throw: the edge divided by the mean of the tally ``throws``;
* sd: standard deviation of the money, in stakes.

These are the definitions of M. Shackleford (Wizard of Odds). They apply to any game.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import FunctionType
from typing import TYPE_CHECKING, Any

from dicelab.errors import DicelabError, ParameterError, RulesError
from dicelab.questions.exact import exact
from dicelab.questions.simulate import simulate
from dicelab.results.numbers.estimates import Chance, Distribution, Point, known, shown_fraction
from dicelab.results.numbers.intervals import mean_interval
from dicelab.results.result import Exact
from dicelab.results.rows import completed
from dicelab.results.side_by_side import z_score
from dicelab.rules.casino import Casino
from dicelab.rules.fields import Int, Peak
from dicelab.rules.game import Game, counts_at_end, seat_count
from dicelab.rules.params import Choice, Switch
from dicelab.runtime.lineup import Run
from dicelab.solver.value import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENDS = ("win", "lose", "push")
ROOM = 10_000_000
"""Memory limit, in bytes, of the chain whose states include the money, which gives the probabilities of its sign as
fractions; enough for every chain that is solved in fractions."""
PERCENT = re.compile(r"(-?\d+(?:\.(\d+))?) ?%")
DECIMAL = re.compile(r"-?\d+\.(\d+)")


WHOLE = 1000
"""Maximum length of a fraction in plain data, in digits; tables have a smaller limit."""


@dataclass(frozen=True)
class PublishedEdge:
    """A published edge per bet made, compared with the exact one.

    Attributes
    ----------
    text, source
        The published text, and where it was published.
    difference
        The exact edge minus the published one.
    agrees
        Whether the exact edge, rounded to the digits of the text, is the published one.

    Examples
    --------
    >>> import dicelab
    >>> published = dicelab.edges("craps", only=["pass"]).rows[0].published
    >>> published.text, published.source, published.agrees
    ('1.414 %', 'M. Shackleford, Wizard of Odds, craps', True)
    """

    text: str
    source: str
    difference: float
    agrees: bool

    def __str__(self) -> str:
        off = f"{abs(100 * self.difference):.4f} % {'more' if self.difference > 0 else 'less'} here"
        return f"published is {self.text} ({self.source}); {'the same' if self.agrees else off}"

    @classmethod
    def of(cls, text: str, source: str, edge: Value) -> PublishedEdge:
        """Compare an edge with a published one: ``1.414 %``, ``0.01414`` or ``7/495``.

        Raises
        ------
        RulesError
            When the text is none of these.

        Examples
        --------
        >>> PublishedEdge.of("1.41 %", "somewhere", Value.of(Fraction(7, 495))).agrees
        True
        >>> PublishedEdge.of("1.42 %", "somewhere", Value.of(Fraction(7, 495))).agrees
        False
        """
        percent, decimal = PERCENT.fullmatch(text), DECIMAL.fullmatch(text)
        scale = 100 if percent else 1
        published = percent or decimal
        try:
            value = Fraction(text if published is None else percent[1] if percent else text) / scale
        except (ValueError, ZeroDivisionError):
            raise RulesError(f"published: {text!r} is not an edge; write 1.414 %, 0.01414 or 7/495") from None
        digits = 0 if published is None else len((percent[2] if percent else published[1]) or "")
        half = Fraction(1, 2 * scale * 10**digits) if published else Fraction(0)
        difference = (Fraction(edge.value) if edge.fraction is None else edge.fraction) - value
        return cls(text, source, float(difference), abs(difference) <= half + Fraction(edge.error))


@dataclass(frozen=True)
class Check:
    """A simulated edge, compared with the exact one.

    Attributes
    ----------
    edge, interval
        The edge per unit staked, and its 95 % interval.
    z
        Its distance from the exact edge, in standard errors; None where nothing varies.
    games
        Number of games.

    Examples
    --------
    >>> import dicelab
    >>> check = dicelab.edges("pass-line", check=1000, seed=1).rows[0].check
    >>> check.edge, [round(end, 3) for end in check.interval], round(check.z, 2)
    (0.066, [0.003, 0.129], 1.64)
    """

    edge: float
    interval: tuple[float, float]
    z: float | None
    games: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        return Point(self.edge, *self.interval).to_dict("edge") | {"z": known(self.z), "games": self.games}


@dataclass(frozen=True, kw_only=True, repr=False)
class Edge:
    """One bet.

    Attributes
    ----------
    bet
        Name of the bet; the name of the game if it has only one bet.
    win, lose, push
        Probabilities; None if the distribution of the money takes too much memory.
    edge, edge_resolved, edge_per_throw
        Shares of the stake, positive if the bettor loses; see `dicelab.questions.betting.bet`. None if unknown.
    throws
        Mean number of throws; None if the game does not count them.
    sd
        Standard deviation of the money in stakes.
    staked, varies
        Mean stake; whether the stake differs from game to game.
    published, check
        The published edge, and the simulated one if it was asked for.

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
    edge: Value
    edge_resolved: Value | None
    edge_per_throw: Value | None
    throws: Value | None
    sd: float
    staked: Value
    varies: bool
    published: PublishedEdge | None = None
    check: Check | None = None

    def __repr__(self) -> str:
        return f"<Edge of {self.bet}: {100 * self.edge.value:.4f} %>"

    @property
    def figures(self) -> list[Chance | Value]:
        """All known figures except the standard deviation."""
        chances, edges = (self.win, self.lose, self.push), (self.edge, self.edge_resolved, self.edge_per_throw)
        return [figure for figure in (*chances, *edges, self.throws) if figure is not None]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        chances = {name: getattr(self, name) for name in ENDS}
        outcomes = {
            name: chance.to_dict() | shown_fraction(chance.fraction, WHOLE)
            for name, chance in chances.items()
            if chance is not None
        }
        means = {"throws": self.throws, "staked": self.staked}
        tallies = {name: figure.to_dict("mean", WHOLE) for name, figure in means.items() if figure is not None}
        data: dict[str, Any] = {"bet": self.bet, "outcomes": outcomes, "tallies": tallies}
        for name in ("edge", "edge_resolved", "edge_per_throw"):
            figure = getattr(self, name)
            data[name] = None if figure is None else figure.to_dict("value", WHOLE)
        data["sd"] = known(self.sd)
        if self.published is not None:
            data["published"] = vars(self.published)
        return data if self.check is None else data | {"check": self.check.to_dict()}


# Computing an edge ----------------------------------------------------------------------------------------------------


FOLLOWED = ("money", "staked", "wait", "throws")
"""The tallies from which edges are computed; ``wait``, the throws since the bet was made, takes precedence over
``throws``."""


def must_have_money(game: Game | type[Game]) -> None:
    """Check that a game has a tally of the money won."""
    if "money" not in game.declared.tallies:
        raise ParameterError(f"{game.name} has no tally called money, so its bets have no edge")
    for name in FOLLOWED:
        if isinstance(game.declared.tallies.get(name), Peak):
            raise ParameterError(f"{game.name}: {name} is a Peak; edges need a Tally, which is a sum of changes")


def edge_of(
    run: Run,
    bet: str,
    threads: int | None = None,
    memory: int | None = None,
    store: str | os.PathLike[str] | None = None,
) -> Edge:
    """Return the exact edge of one bet; the parameters of `run` choose the bet.

    Raises
    ------
    ParameterError, TooLarge, PlayError
        As `edge_and_money` does.
    """
    return edge_and_money(run, bet, threads, memory, store)[0]


def edge_and_money(
    run: Run,
    bet: str,
    threads: int | None = None,
    memory: int | None = None,
    store: str | os.PathLike[str] | None = None,
) -> tuple[Edge, Distribution]:
    """Return the exact edge of one bet, and the distribution of the money won.

    Raises
    ------
    ParameterError
        When the mean stake is 0.
    TooLarge, PlayError
        As `dicelab.exact` does.
    """
    followed = [name for name in FOLLOWED if name in run.game.declared.tallies]
    exactly = exact(run.game, run.calls, tallies=followed, threads=threads, memory=memory, store=store)
    money, staked = exactly.tallies["money"], _staked(run.game, exactly)
    win, lose, push = _ends(run, exactly)
    edge = -_mean(money) / staked
    waited = [_mean(exactly.tallies[name]) for name in ("wait", "throws") if name in exactly.tallies]
    throws = waited[0] if waited else None
    row = Edge(
        bet=bet,
        win=win,
        lose=lose,
        push=push,
        edge=edge,
        edge_resolved=edge / _rest(push) if push is not None and push.probability < 1 else None,
        edge_per_throw=edge / throws if throws is not None and throws.value > 0 else None,
        throws=throws,
        sd=money.sd / staked.value,
        staked=staked,
        varies="staked" in exactly.tallies and exactly.tallies["staked"].sd > 1e-9 * staked.value,
    )
    return row, money


def _mean(tally: Distribution) -> Value:
    """Return the mean of a tally as an exact number."""
    return Value(tally.mean, tally.fraction, tally.error)


def _staked(game: Game, exactly: Exact) -> Value:
    """Return the mean stake: the mean of the tally ``staked``, else the parameter ``stake``, else 1."""
    if "staked" in exactly.tallies:
        staked = _mean(exactly.tallies["staked"])
    else:
        named = isinstance(game.declared.params.get("stake"), Choice | Switch)
        staked = Value.of(Fraction(1 if named else game.parameters.get("stake", 1)))
    if staked.value <= 0:
        raise ParameterError(f"{game.name}: the mean stake is {staked.value:g}; an edge needs a stake above 0")
    return staked


def _rest(push: Chance) -> Value:
    """Return the probability that the bet is not pushed."""
    if push.fraction is not None:
        return Value.of(1 - push.fraction)
    return Value(1 - push.probability, None, push.error)


def _ends(run: Run, exactly: Exact) -> Sequence[Chance | None]:
    """Return the probabilities of a win, a loss and a push: those of the outcomes with these names, else of the money's
    sign.
    """
    names = exactly.outcome_names
    if {"win", "lose"} <= set(names) <= set(ENDS):
        return [exactly.outcomes.get(name, Chance(0.0, Fraction(0))) for name in ENDS]
    signs = _signs(run) if exactly.fractions else None
    if signs is not None:
        return [Chance(float(p), p) for p in signs]
    money = exactly.tallies["money"]
    if money.spread is None:
        return [None] * 3
    won = sum(p for value, p in money.probabilities.items() if value > 0)
    lost = sum(p for value, p in money.probabilities.items() if value < 0)
    error = money.spread.error
    return [Chance(won, None, error), Chance(lost, None, error), Chance(money.probabilities.get(0, 0.0), None, error)]


def _signs(run: Run) -> Sequence[Fraction] | None:
    """Return the probabilities that the money is above, below and at 0, as fractions; None if unavailable.

    A subclass of the game has the money in its state and its sign as the outcome.
    """
    kind = type(run.game)
    if seat_count(run.game) > 1 or any(call.strategy.moves is not None for call in run.calls):
        return None  # a policy is a table of states without the money
    if counts_at_end(kind) and _uses(kind, "outcome", "money"):
        return None  # `_sign` takes the place of an outcome that counts money
    money = Int(-(2**31), 2**31 - 1, "money won; lost where negative", start=0)
    about: dict[str, object] = {"name": kind.name, "__module__": kind.__module__}
    about |= {"edges_over": "", "published": {}} if issubclass(kind, Casino) else {}
    try:
        signed = type(kind.__name__, (kind,), {**about, "outcomes": ENDS, "money": money, "outcome": _sign})
        signed_run = Run.of(signed, run.calls, **run.game.parameters)
        from dicelab.solver.exact_answer import answer

        return answer(signed_run, memory=ROOM, wanted=()).fractions
    except DicelabError:  # for example, there is no bound on the money
        return None


def _sign(game: Any) -> int:
    """Return the rule ``outcome`` of `_signs`: the index in `ENDS` for the sign of the money."""
    if game.money > 0:
        return 0
    if game.money < 0:
        return 1
    return 2


def _uses(kind: type[Game], rule: str, name: str) -> bool:
    """Return whether a method of a game, or a function that it calls directly or indirectly, uses
    the attribute `name`.
    """
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


def check_of(
    run: Run, edge: Edge, games: int, seed: int, threads: int | None, store: str | os.PathLike[str] | None = None
) -> Check:
    """Simulate a bet and compare its edge with the exact one.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C before all games were played.
    """
    settings: dict[str, Any] = {"games": games, "seed": seed, "threads": threads, "store": store}
    played = completed(simulate(run.game, run.calls, records=edge.varies, **settings))
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
    """Return an interval for the mean of `money` which, divided by the mean of `staked`, is one for the ratio of the
    means.

    To first order, the error of the ratio is that of the mean of ``money - ratio * staked`` (W. G. Cochran, *Sampling
    Techniques*, 3rd edition, section 2.11).
    """
    away = money - (mean / float(staked.mean()) if staked.any() else 0.0) * staked
    away -= away.mean()
    n, sd = len(away), float(away.std(ddof=1)) if len(away) > 1 else 0.0
    skew = float((away**3).mean() / (away**2).mean() ** 1.5) if sd > 0 else 0.0
    low, high = mean_interval(0.0, sd, n, skew=skew)
    return mean + low, mean + high
