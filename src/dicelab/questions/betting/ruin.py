"""Find the smallest bankroll, or the largest bet, whose risk of ruin is at most a given bound."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any

from dicelab.errors import InputError, ParameterError, TooLarge, unknown
from dicelab.limits import LIMITS
from dicelab.questions.betting.session import MEMORY, must_be_session
from dicelab.questions.declare import question
from dicelab.questions.exact import exact as solve
from dicelab.questions.options import GameLike, Memory, Option, Probability, RandomSeed, Store, Threads, Watch, Whole
from dicelab.questions.simulate import simulate, whole
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.rows import completed
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import percent
from dicelab.results.text.table import Column, Table, count
from dicelab.rules.casino import casino_of
from dicelab.rules.params import Param
from dicelab.runtime.lineup import Run, as_seed
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch

MOST = 64
"""Maximum number of doublings and halvings to find out whether larger values are safer."""
AROUND = range(2, 14)
"""Values at which the risk is drawn, in eighths of the one that was found."""
TRIES = 200
"""Number of consecutive values to try before concluding that the game allows none of them (chips restrict amounts)."""


@dataclass(frozen=True)
class Look:
    """The risk of ruin at one value.

    Attributes
    ----------
    value
        The bankroll or bet, in units of money.
    ruin
        The risk of ruin: a probability.
    games
        Number of simulated games; 0 if the risk is exact.

    Examples
    --------
    >>> Look(160, 0.0479), Look(160, 0.0483, games=40_000)  # exact, and estimated
    (Look(value=160, ruin=0.0479, games=0), Look(value=160, ruin=0.0483, games=40000))
    """

    value: int
    ruin: float
    games: int = 0

    def __str__(self) -> str:
        return f"risk of ruin at {self.value:,}: {self.ruin:.4f}"


@dataclass(frozen=True, repr=False, kw_only=True)
class Bound(BaseResult):
    """The result of `for_ruin`: the value with a risk of ruin of at most `ruin`.

    Attributes
    ----------
    find
        The parameter of the game, or the argument of its strategy, that was searched; `parameters` and `strategies`
        have its initial value.
    ruin
        The largest allowed risk of ruin.
    value
        The smallest value with that risk, or the largest if the risk grows with the value; None if there is no such
        value in its range.
    looks
        The values that were evaluated, ascending.
    more
        The simulated risks of these and of further values, if `around` asks for them.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.for_ruin("craps", "line", 0.05, until_rounds=10, step=10, seed=1)
    >>> found.value
    70
    """

    find: str
    ruin: float
    value: int | None
    looks: tuple[Look, ...]
    more: tuple[Look, ...] = ()

    method = "ruin"
    entries = {
        "find": "string: the parameter or argument that is searched",
        "ruin": "number: the largest risk of ruin allowed",
        "value": "integer|null: the value found; null if there is none",
        "looks": Read(
            lambda self: self._rows(),
            [{"value": "integer", "ruin": "number", "games": "integer"}],
            "the risk of ruin at each value that was tried; games is 0 where it is exact",
        ),
        "of": Read(attrgetter("find"), "string: old name of find"),
        "wanted": Read(attrgetter("ruin"), "number: old name of ruin"),
    }

    def _sentence(self) -> str:
        most, name = percent(self.ruin), self.find.replace("_", " ")
        if self.value is None:
            return f"No allowed {name} has a risk of ruin of {most} or less"
        look = next(look for look in self.looks if look.value == self.value)
        how = " (simulated)" if look.games else ""
        return f"A {name} of {self.value:,} keeps the risk of ruin at {most} or less: it is {percent(look.ruin)}{how}"

    def _brief(self) -> str:
        return f"{self.find} {self.value} for a risk of ruin of {self.ruin:g}"

    def _table(self) -> Table:
        def risk(page: Printing, look: Look) -> str:
            return page.chance(look.ruin) if not look.games else f"{page.number(look.ruin, 4)} simulated"

        def mark(page: Printing, look: Look) -> str:
            return f"<- {self.find} for {self.ruin:g}" if look.value == self.value else ""

        value, shown, marked = Column("value", count, self.find), Column("", risk, "risk of ruin"), Column("", mark)
        return Table([value, shown, marked, Column("ruin"), Column("games")], self.looks)

    def _lines(self, page: Printing) -> list[str]:
        last = [] if self.value is not None else [f"no allowed {self.find} has a risk of ruin of {self.ruin:g} or less"]
        return [*super()._lines(page), *last]


class RuinSearch:
    """The risk of ruin as a function of a parameter of the game or an argument of its strategy; results are remembered.

    Parameters
    ----------
    run
        The game and its strategies, with the initial value.
    of
        Name of the parameter or argument.
    memory, threads, seed, store
        As in `for_ruin`.
    progress
        Called with each value and its risk.
    """

    def __init__(
        self,
        run: Run,
        of: str,
        memory: int,
        threads: int | None,
        seed: int,
        progress: Callable[[Look], None],
        store: str | os.PathLike[str] | None = None,
    ) -> None:
        self.settings: dict[str, Any] = {"threads": threads, "store": store}
        self.run, self.of, self.memory, self.seed = run, of, memory, seed
        self.progress = progress
        self.param = _param(run, of)
        self.in_game = not _is_argument(run, of)
        self.rough: dict[int, Look] = {}
        self.exact: dict[int, Look] = {}
        self.taken: dict[int, bool] = {}
        self.solvable = True

    @property
    def first(self) -> int:
        """The initial value."""
        if self.in_game:
            return self.run.game.parameters[self.of]
        call = self.run.calls[0]
        return call.args[list(call.strategy.params).index(self.of)]

    def with_value(self, value: int) -> Run:
        """Return the game and strategies with the parameter or argument set to `value`."""
        if self.in_game:
            return Run.of(self.run.game, self.run.calls, **{self.of: value})
        texts = []
        for call in self.run.calls:
            args = dict(zip(call.strategy.params, call.args, strict=True)) | {self.of: value}
            words = [f"{name}={p.word(args[name])}" for name, p in call.strategy.params.items()]
            texts.append(":".join([call.strategy.name, *words]))
        return Run.of(self.run.game, texts)

    def allowed(self, value: int) -> bool:
        """Return whether the game allows that value."""
        if value not in self.taken:
            try:
                self.with_value(value)
            except InputError:
                self.taken[value] = False
            else:
                self.taken[value] = True
        return self.taken[value]

    def one_of(self, step: int, numbers: Iterable[int]) -> int | None:
        """Return the first of `numbers` whose multiple of `step` is allowed; None if there is none."""
        return next((number for number in numbers if self.allowed(number * step)), None)

    def simulated(self, value: int) -> float:
        """Return the simulated risk; all values are simulated with the same dice."""
        if value not in self.rough:
            run = self.with_value(value)
            some = LIMITS.first_sessions
            played = completed(simulate(run.game, run.calls, games=some, seed=self.seed, **self.settings))
            self.rough[value] = Look(value, played.outcomes[casino_of(type(run.game)).ruin].probability, played.games)
            self.progress(self.rough[value])
        return self.rough[value].ruin

    def solved(self, value: int) -> float:
        """Return the exact risk if it fits into memory, else the simulated one."""
        if value not in self.exact and self.solvable:
            run = self.with_value(value)
            try:
                solution = solve(run.game, run.calls, tallies=(), memory=self.memory, **self.settings)
            except TooLarge:
                self.solvable = False
            else:
                self.exact[value] = Look(value, solution.outcomes[casino_of(type(run.game)).ruin].probability)
                self.progress(self.exact[value])
        return self.exact[value].ruin if value in self.exact else self.simulated(value)

    @property
    def looks(self) -> tuple[Look, ...]:
        """The risks found so far, by rising value: the exact ones if there are any, else the simulated ones."""
        return tuple(look for _, look in sorted((self.exact if self.solvable and self.exact else self.rough).items()))


def _param(run: Run, of: str) -> Param:
    """Return the declaration of the parameter or argument that is searched."""
    declared = run.game.declared.params
    arguments = run.calls[0].strategy.params if run.calls else {}
    if of not in declared and of not in arguments:
        raise unknown(f"parameter of {run.game.name}, or argument of its strategy,", of, {*declared, *arguments})
    param = (arguments if _is_argument(run, of) else declared)[of]
    if param.kind != Param.kind:
        raise ParameterError(f"{of} is a {param.kind}; a search needs a number")
    return param


def _is_argument(run: Run, of: str) -> bool:
    """Return whether `of` is an argument of the strategy, and no numeric parameter of the game has the same name."""
    declared = run.game.declared.params
    arguments = run.calls[0].strategy.params if run.calls else {}
    return of in arguments and (of not in declared or declared[of].kind != Param.kind)


@question(
    asked_with=("ruin", "find", "step"),
    chart="ruin",
    for_chart="around",
    about="or find what keeps the risk of ruin at most",
)
def for_ruin(
    game: GameLike,
    strategies: Strategies = (),
    ruin: Annotated[
        float,
        Probability(
            "Find the smallest bankroll (or, with --find unit, the largest bet) with risk of ruin at most P: 0.05 or "
            "5%",
            "P",
            label="risk of ruin",
            example="5%",
        ),
    ] = 0.05,
    find: Annotated[
        str,
        Option("The parameter or strategy argument to find with --ruin", "NAME", label="by changing"),
    ] = "bankroll",
    *,
    step: Annotated[int, Whole("Try only multiples of N with --ruin", "N", label="in steps of")] = 1,
    seed: RandomSeed = 1,
    memory: Memory = None,
    threads: Threads = None,
    store: Store = None,
    around: bool = False,
    progress: Annotated[Callable[[Look], None], Watch("words")] = lambda look: None,
    **parameters: object,
) -> Bound:
    """Find the smallest bankroll, or the largest bet, with a risk of ruin of at most `ruin`.

    A simulated search on the same dice comes first; the values near its result are then solved exactly if that is
    possible. The risk is assumed to be monotone in the value.

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.session`.
    ruin
        The largest allowed risk, above 0 and below 1.
    find
        A parameter of the game (``bankroll``) or an argument of its strategy (``unit``).
    step
        Only multiples of it are tried. Values that the game does not allow, such as amounts that chips can't make up,
        are skipped.
    seed, threads
        Of the simulated sessions.
    memory
        Memory limit of an exact answer in bytes; 1 GiB when None.
    store
        As in `dicelab.simulate` and `dicelab.exact`.
    around
        Also simulate the risk at values around the one that is found, for the chart.
    progress
        Called with each value that was evaluated.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed, or the game declares no ruin outcome.

    Examples
    --------
    >>> for_ruin("craps", "line", 0.05, "unit", until_rounds=10, bankroll=100, seed=1).value
    15
    """
    watch, run = Stopwatch(), Run.of(game, strategies, **parameters)
    must_be_session(run.game)
    number = as_seed(seed)
    search = RuinSearch(run, find, MEMORY if memory is None else memory, threads, number, progress, store)
    value = _found(search, ruin, whole("step", step))
    seconds, looks, more = watch.seconds, search.looks, tuple[Look, ...]()
    if around:
        _look_around(search, value, step)
        more = tuple(search.rough.values())
    facts = about(run.game, run.calls) | {"seconds": seconds, "seed": number}
    return Bound(**facts, find=find, ruin=ruin, value=value, looks=looks, more=more)


def _look_around(search: RuinSearch, bound: int | None, step: int) -> None:
    """Simulate the risk at values around the one that was found."""
    middle = search.first if bound is None else bound
    for eighths in AROUND:
        value = max(step, middle * eighths // 8 // step * step)
        if search.allowed(value):
            search.simulated(value)


def _found(search: RuinSearch, ruin: float, step: int) -> int | None:
    """Return the bound's value, or None: found by simulation first, then by exact answers starting from there."""
    low, high = -(-search.param.low // step), search.param.high // step
    first = min(max(search.first // step, low), high)
    start = search.one_of(step, chain(range(first, low - 1, -1)[:TRIES], range(first, high + 1)[:TRIES]))
    if start is None:
        raise ParameterError(f"step: no {search.of} near {search.first:,} that is a multiple of {step:,} is allowed")
    safe_above = _safer_above(search, step, start, low, high)

    def bracket(risk: Callable[[int], float], near: int) -> int | None:
        """Return the safe number nearest to the unsafe ones, or None: doubling steps from `near`, then bisection.

        `inside` is the last number evaluated; it is safe exactly if `near` is. Numbers are multiples of `step`.
        """
        toward = 1 if safe_above else -1  # direction of lower risk
        safe = risk(near * step) <= ruin
        way = -toward if safe else toward
        width, inside = 1, near
        while True:
            edge, end = min(max(inside + way * width, low), high), (high if way > 0 else low)
            far, close = range(edge, inside, -way), range(inside + way, end + way, way)
            outside = search.one_of(step, chain(far[:TRIES], close[:TRIES]))
            if outside is None:
                return inside if safe else None
            if (risk(outside * step) <= ruin) != safe:
                break
            inside, width = outside, 2 * abs(outside - inside)
        good, bad = (inside, outside) if safe else (outside, inside)
        while (middle := search.one_of(step, _between(good, bad))) is not None:
            good, bad = (middle, bad) if risk(middle * step) <= ruin else (good, middle)
        return good

    rough = bracket(search.simulated, start)
    border = bracket(search.solved, rough if rough is not None else start)
    return None if border is None else border * step


def _between(good: int, bad: int) -> Iterable[int]:
    """Return the numbers strictly between two, those near the middle first."""
    low, high = sorted((good, bad))
    middle = (low + high) // 2
    return chain(range(middle, low, -1)[:TRIES], range(middle + 1, high)[:TRIES])


def _safer_above(search: RuinSearch, step: int, start: int, low: int, high: int) -> bool:
    """Return whether the risk of ruin falls with the value; compares `start` with values further away until risks
    differ.
    """
    here = search.simulated(start * step)
    for k in range(1, MOST):
        for other in (max(low, start >> k), min(max(start, 1) << k, high)):
            if search.allowed(other * step) and (there := search.simulated(other * step)) != here:
                return (there < here) == (other > start)
        if start >> k <= low and max(start, 1) << k >= high:
            break
    return search.of == "bankroll"
