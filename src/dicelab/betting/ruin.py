"""The question about ruin turned round: how large a bankroll, or how small a bet, keeps its risk below a bound?"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

from dicelab.analysis.exact import exact as solve
from dicelab.analysis.simulate import simulate, whole
from dicelab.betting.session import MEMORY, must_be_session
from dicelab.chains.model import TooLarge
from dicelab.errors import InputError, ParameterError, unknown
from dicelab.results.result import SCHEMA
from dicelab.results.writing import aligned, frame, heading
from dicelab.rules.casino import casino_of
from dicelab.rules.game import Game, shown
from dicelab.rules.params import Param
from dicelab.runtime.lineup import Run

LOOKS = 20_000
"""Sessions that are played for a first look at a value."""
MOST = 64
"""How often a value is doubled and halved, at the most, to see whether larger ones are safer."""
TRIES = 200
"""Values in a row that the game may refuse: chips of up to so many times the step are found out."""


@dataclass(frozen=True)
class Look:
    """The risk of ruin with one value: `ruin`, exactly unless `games` were played for it."""

    value: int
    ruin: float
    games: int = 0


@dataclass(frozen=True, repr=False)
class Bound:
    """The value that keeps the risk of ruin below a bound.

    Attributes
    ----------
    game, parameters, strategies
        What was asked about; that which was looked for is at its default there.
    of
        The parameter of the game, or the argument of its strategy, that was looked for.
    wanted
        The bound.
    value
        The smallest value, or the largest where larger ones are more risky, with a risk of `wanted` at the most; None
        where there is none in its range.
    looks
        What was looked at in the end, values rising.
    seed
        Of the sessions that were played.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.for_ruin("craps", "line", 0.05, until_rounds=10, step=10, seed=1)
    >>> found.value
    70
    """

    game: str
    parameters: dict[str, int | bool]
    strategies: list[str]
    of: str
    wanted: float
    value: int | None
    looks: tuple[Look, ...]
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        return {"schema": SCHEMA, "method": "ruin", **asdict(self)}

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_frame(self) -> Any:
        """A pandas table with one row for each value that was looked at.

        Raises
        ------
        ParameterError
            When pandas is not installed.
        """
        return frame([asdict(look) for look in self.looks])

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        rows = [[self.of, "risk of ruin", ""]]
        for look in self.looks:
            mark = f"<- {self.of} for {self.wanted:g}" if look.value == self.value else ""
            rows.append(
                [f"{look.value:,}", f"{look.ruin:.8f}" if not look.games else f"{look.ruin:.4f} simulated", mark]
            )
        last = "" if self.value is not None else f"\nno {self.of} in its range has so small a risk of ruin"
        lines = [*heading(self.game, self.parameters, self.strategies), "", *aligned(rows)]
        return "\n".join(lines) + last


class Search:
    """Risks of ruin by the value of a parameter of the game, or of an argument of its strategy.

    Parameters
    ----------
    run
        The game and its strategies, with the value from which to start.
    of
        Name of the parameter or argument.
    memory, threads, seed
        For the answers.
    told
        Called with each value and its risk.
    """

    def __init__(
        self, run: Run, of: str, memory: int, threads: int | None, seed: int, told: Callable[[Look], None]
    ) -> None:
        self.run, self.of, self.memory, self.threads, self.seed, self.told = run, of, memory, threads, seed, told
        self.param = _param(run, of)
        self.in_game = not _is_argument(run, of)
        self.rough: dict[int, Look] = {}
        self.exact: dict[int, Look] = {}
        self.taken: dict[int, bool] = {}
        self.solvable = True

    @property
    def first(self) -> int:
        """The value from which to start."""
        if self.in_game:
            return self.run.game.parameters[self.of]
        call = self.run.calls[0]
        return call.args[list(call.strategy.params).index(self.of)]

    def with_value(self, value: int) -> Run:
        """The game and strategies with that value."""
        if self.in_game:
            return Run.of(self.run.game, self.run.strategies, **{self.of: value})
        texts = []
        for call in self.run.calls:
            args = dict(zip(call.strategy.params, call.args, strict=True)) | {self.of: value}
            words = [f"{name}={p.word(args[name])}" for name, p in call.strategy.params.items()]
            texts.append(":".join([call.strategy.name, *words]))
        return Run.of(self.run.game, texts)

    def allowed(self, value: int) -> bool:
        """Does the game take that value?"""
        if value not in self.taken:
            try:
                self.with_value(value)
            except InputError:
                self.taken[value] = False
            else:
                self.taken[value] = True
        return self.taken[value]

    def one_of(self, step: int, numbers: Iterable[int]) -> int | None:
        """The first of some numbers of steps whose value the game takes; None where it takes none."""
        return next((number for number in numbers if self.allowed(number * step)), None)

    def simulated(self, value: int) -> float:
        """The risk in some sessions: the same dice whatever the value."""
        if value not in self.rough:
            run = self.with_value(value)
            played = simulate(run.game, run.strategies, games=LOOKS, seed=self.seed, threads=self.threads)
            if played.interrupted:
                raise KeyboardInterrupt
            self.rough[value] = Look(value, played.outcomes[casino_of(type(run.game)).ruin].probability, played.games)
            self.told(self.rough[value])
        return self.rough[value].ruin

    def solved(self, value: int) -> float:
        """The risk, exactly where that can be known."""
        if value not in self.exact and self.solvable:
            run = self.with_value(value)
            try:
                found = solve(run.game, run.strategies, tallies=(), memory=self.memory, threads=self.threads)
            except TooLarge:
                self.solvable = False
            else:
                self.exact[value] = Look(value, found.outcomes[casino_of(type(run.game)).ruin].probability)
                self.told(self.exact[value])
        return self.exact[value].ruin if value in self.exact else self.simulated(value)

    @property
    def looks(self) -> tuple[Look, ...]:
        """What is known: exactly, where anything is."""
        return tuple(look for _, look in sorted((self.exact if self.solvable and self.exact else self.rough).items()))


def _param(run: Run, of: str) -> Param:
    """The declaration of what is looked for."""
    declared = run.game.declared.params
    arguments = run.calls[0].strategy.params if run.calls else {}
    if of not in declared and of not in arguments:
        raise unknown(f"parameter of {run.game.name}, or argument of its strategy,", of, {*declared, *arguments})
    param = (arguments if _is_argument(run, of) else declared)[of]
    if param.kind != Param.kind:
        raise ParameterError(f"{of} is no amount, but a {param.kind}")
    return param


def _is_argument(run: Run, of: str) -> bool:
    """Is an argument of the strategy meant? One that is an amount goes before a parameter of the game that is none."""
    declared = run.game.declared.params
    arguments = run.calls[0].strategy.params if run.calls else {}
    return of in arguments and (of not in declared or declared[of].kind != Param.kind)


def for_ruin(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: str | Sequence[str] = (),
    ruin: float = 0.05,
    of: str = "bankroll",
    *,
    step: int = 1,
    seed: int = 1,
    memory: int | None = None,
    threads: int | None = None,
    told: Callable[[Look], None] = lambda look: None,
    **parameters: object,
) -> Bound:
    """Find the bankroll, or the bet, with which the risk of ruin is at most so large.

    Values are looked at in some sessions first, on the same dice, and where the answer lies they are solved exactly, as
    far as that can be done. The risk is taken to rise or fall with the value throughout.

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.session`.
    ruin
        The largest risk allowed, above 0 and below 1.
    of
        What is looked for: a parameter of the game (``bankroll``), or an argument of its strategy (``unit``).
    step
        Values are multiples of it; those that the game refuses (money that no chips come to) are passed over.
    seed, threads
        Of the sessions that are played.
    memory
        Bytes that an exact answer may take; 1 GiB when None.
    told
        Called with each value that was looked at.

    Raises
    ------
    InputError
        When something given is unknown or not allowed, or the game is no session.
    PlayError
        When a game goes wrong.

    Examples
    --------
    >>> for_ruin("craps", "line", 0.05, "unit", until_rounds=10, bankroll=100, seed=1).value
    15
    """
    run = Run.of(game, strategies, **parameters)
    must_be_session(run.game)
    _must_be_chance(ruin)
    search = Search(run, of, MEMORY if memory is None else memory, threads, seed, told)
    value = _found(search, ruin, whole("step", step))
    return Bound(run.game.name, shown(run.game), run.strategies, of, ruin, value, search.looks, seed)


def _must_be_chance(ruin: object) -> None:
    if isinstance(ruin, bool) or not isinstance(ruin, int | float) or not 0 < ruin < 1:
        raise ParameterError(f"ruin: {ruin!r} is not allowed; it takes a chance above 0 and below 1, such as 0.05")


def _found(search: Search, ruin: float, step: int) -> int | None:
    """The value: a rough one first, from which the exact one is not far."""
    low, high = -(-search.param.low // step), search.param.high // step
    first = min(max(search.first // step, low), high)
    start = search.one_of(step, chain(range(first, low - 1, -1)[:TRIES], range(first, high + 1)[:TRIES]))
    if start is None:
        raise ParameterError(f"step: no {search.of} near {search.first:,} that is a multiple of {step:,} is allowed")
    safe_above = _safer_above(search, step, start, low, high)

    def bracket(risk: Callable[[int], float], near: int) -> int | None:
        """The last safe one on the way to danger: doubling steps from `near`, then halving."""
        toward = 1 if safe_above else -1  # where it is safer
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
    found = bracket(search.solved, rough if rough is not None else start)
    return None if found is None else found * step


def _between(good: int, bad: int) -> Iterable[int]:
    """Numbers between two, from the middle."""
    low, high = sorted((good, bad))
    middle = (low + high) // 2
    return chain(range(middle, low, -1)[:TRIES], range(middle + 1, high)[:TRIES])


def _safer_above(search: Search, step: int, start: int, low: int, high: int) -> bool:
    """Does a larger value make ruin less likely? Further and further ways from the start are looked at."""
    here = search.simulated(start * step)
    for k in range(1, MOST):
        for other in (max(low, start >> k), min(max(start, 1) << k, high)):
            if search.allowed(other * step) and (there := search.simulated(other * step)) != here:
                return (there < here) == (other > start)
        if start >> k <= low and max(start, 1) << k >= high:
            break
    return search.of == "bankroll"
