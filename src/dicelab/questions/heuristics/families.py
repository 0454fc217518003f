"""The strategies that a game declares, each with its best argument, against optimal play or the game's default.

By itself because it compares strategies that are declared, while the rest of `best` describes optimal play.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import sqrt
from statistics import fmean, stdev
from time import monotonic
from typing import Any

from dicelab.engines.policy import Choices, Moves, Policy
from dicelab.errors import DicelabError
from dicelab.limits import LIMITS
from dicelab.questions.exact import exact
from dicelab.questions.policies.grid import GridCell, PolicyGrid, PolicyView, field_called, values_called
from dicelab.questions.policies.objective import Objective
from dicelab.questions.simulate import simulate
from dicelab.questions.sweeps.sweep import Best, sweep
from dicelab.results.base import winners
from dicelab.results.numbers.intervals import z_of
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Flag, Seat
from dicelab.rules.game import Call, Game, Strategy, fresh, outcome_names, seat_count
from dicelab.rules.objectives import wanted
from dicelab.rules.params import Param
from dicelab.rules.wording import named_move
from dicelab.runtime.interpreter import as_move, steps
from dicelab.runtime.philox import Stream
from dicelab.runtime.states.codec import Place, Slots

SCREEN = 2_000
"""Games of each argument that is tried first, on a coarse grid."""
FEW_STATES = 20_000
"""Choices of a policy up to which strategies are valued exactly."""
COARSE, FINE = 12, 20
"""Values that are tried first, and those near the best of them."""
ALL = 40
"""Number of values up to which all are tried, if they are exact."""
FAMILIES = 4
"""Strategies that are compared, at most."""
WIDE = 6
"""A range that is wider than so many times the default is tried up to three times the default only."""


@dataclass(frozen=True)
class Family:
    """A strategy with its best argument.

    Attributes
    ----------
    strategy, argument
        Its name, and the argument that is varied; empty if it has none.
    best
        The best value of the argument; None without one.
    written
        As it can be typed.
    value
        What it gives the first seat: its chance to win, or the mean of the tally that is the objective.
    cost
        How much less that is than with optimal play; None if that is not known.
    close
        The other values that can't be told from the best one.
    games
        Games of each value; 0 if it is exact.
    error
        Half-width of the 95 % interval of the cost, where it is estimated by playing against optimal play.

    Examples
    --------
    >>> Family("bank_over", "points", 20, "bank_over:20", 0.55, 0.01, [19, 21, 22], 0).near
    '19, 21 to 22'
    """

    strategy: str
    argument: str
    best: int | None
    written: str
    value: float
    cost: float | None
    close: list[int]
    games: int
    error: float = 0.0

    @property
    def near(self) -> str:
        """The values that can't be told from the best one, as ranges."""
        parts: list[list[int]] = []
        for value in sorted(self.close):
            if parts and value - parts[-1][-1] == 1:
                parts[-1].append(value)
            else:
                parts.append([value])
        return ", ".join(str(p[0]) if len(p) == 1 else f"{p[0]} to {p[-1]}" for p in parts)


def families_of(
    game: Game, objective: str, policy: Moves | None, games: int, seed: int, notes: list[str]
) -> list[Family]:
    """Return the strategies of a game, the best first; `notes` gets a sentence if there are none that can be compared.

    In the other seats plays the policy if it has all states, else the default strategy of the game.
    """
    figure = _figure(game, objective)
    declared = list(game.declared.strategies.values())
    if figure is None or not declared:
        return []
    everybody = {*range(max(1, seat_count(game)))}
    whole = policy.every_state if policy is not None and {*policy.about["seats"]} == everybody else None
    others: Any = (
        whole if whole is not None else str(Call(declared[0], tuple(p.default for p in declared[0].params.values())))
    )
    optimal = float(policy.about["value"]) if policy is not None and seat_count(game) <= 1 else None
    compared = _Compared(game, figure, others, games, seed, whole, optimal)
    families = []
    for strategy in declared[:FAMILIES]:
        try:
            families.append(compared.family(strategy))
        except DicelabError as error:
            notes.append(f"{strategy.name} could not be compared: {error}")
    sign = Objective.of(game, objective).sign
    if whole is None and seat_count(game) > 1:
        notes.append(f"strategies are compared against {others}")
    return sorted(families, key=lambda family: -sign * family.value)


def _figure(game: Game, objective: str) -> tuple[str, str] | None:
    """Return the figure of the first seat, and how a sweep calls it; None if it is none of outcomes and tallies."""
    aim = wanted(objective)
    if aim.kind == "win":
        label = "0" if winners(game) else "win"
        return label, label
    if aim.counts:
        return aim.name, aim.name if aim.kind == "most" else f"least:{aim.name}"
    return (objective, objective) if objective in outcome_names(game) else None


@dataclass(frozen=True)
class _Compared:
    """How strategies are compared: against `others`; exactly if there is a policy with few states."""

    game: Game
    figure: tuple[str, str]
    others: Any
    games: int
    seed: int
    policy: Policy | None
    optimal: float | None = None
    """The value of optimal play, where it is known without a policy over all states."""

    def family(self, strategy: Strategy) -> Family:
        """Return a strategy with its best argument."""
        varied = next((p for p in strategy.params.values() if type(p) is Param), None)
        if varied is None:
            return self._alone(strategy)
        low, high = self._range(varied)
        if self._exact and high - low < ALL:
            return self._of(strategy, varied, self._swept(strategy, varied, [*range(low, high + 1)], 0))
        coarse = sorted(
            {*range(low, high + 1, max(1, -(-(high - low) // COARSE))), min(high, max(low, varied.default))}
        )
        best = self._swept(strategy, varied, coarse, SCREEN if len(coarse) > 1 else self.games)
        step = max(b - a for a, b in itertools.pairwise(coarse)) if len(coarse) > 1 else 1
        centre = int(best.values[self._name(strategy, varied)])
        every = max(1, 2 * step // FINE)
        low, high = max(low, centre - step), min(high, centre + step)
        swept = self._swept(strategy, varied, [*range(low, high + 1, every)], self.games)
        return self._of(strategy, varied, swept)

    def _range(self, param: Param) -> tuple[int, int]:
        """Return the values of an argument that may make a difference: up to the largest number of any state.

        Where the states are not known, a wide range ends at three times the default.
        """
        low, high = param.low, param.high
        if self.policy is not None:
            names = Slots.of(self.game, ()).names
            high = min(high, max(low, *(int(self.policy.column(name).max()) + 1 for name in names)))
        elif high - low > WIDE * max(1, param.default):
            high = min(high, low + 3 * max(param.default - low, COARSE))
        return low, high

    def _name(self, strategy: Strategy, param: Param) -> str:
        """Return how a sweep calls the argument of a strategy."""
        return strategy.name if len(strategy.params) == 1 else f"{strategy.name}.{param.name}"

    def _lineup(self, first: str) -> list[Any]:
        """Return the strategy in the first seat, and the others behind it."""
        return [first, *[self.others] * (max(1, seat_count(self.game)) - 1)]

    @property
    def _exact(self) -> bool:
        return self.policy is not None and len(self.policy) <= FEW_STATES

    def _swept(self, strategy: Strategy, param: Param, values: Sequence[int], games: int) -> Best:
        """Return the best of some values of an argument."""
        how: dict[str, Any] = {"exact": True} if self._exact else {"games": games, "seed": self.seed}
        over = {self._name(strategy, param): list(values)}
        swept = sweep(self.game, self._lineup(strategy.name), over=over, best_by=self.figure[1], **how)
        if swept.refused or swept.interrupted:
            raise DicelabError(swept.unfinished)
        if swept.best is None:  # one value only
            value = _of(swept.rows[0].result, self.figure[0])
            return Best(self.figure[0], False, dict(swept.rows[0].values), value, [], None)
        return swept.best

    def _of(self, strategy: Strategy, param: Param, best: Best) -> Family:
        name = self._name(strategy, param)
        args = tuple(int(best.values[name]) if p is param else p.default for p in strategy.params.values())
        close = [int(values[name]) for values in best.close]
        games = 0 if self._exact else self.games
        cost = self._cost(best.value)
        written = str(Call(strategy, args))
        return Family(strategy.name, param.name, int(best.values[name]), written, best.value, cost, close, games)

    def _alone(self, strategy: Strategy) -> Family:
        """Return a strategy without an argument that is a number."""
        lineup = self._lineup(str(Call(strategy, tuple(p.default for p in strategy.params.values()))))
        if self._exact:
            result: Any = exact(self.game, lineup)
        else:
            result = simulate(self.game, lineup, games=self.games, seed=self.seed)
        value = _of(result, self.figure[0])
        games = 0 if self._exact else self.games
        return Family(strategy.name, "", None, lineup[0], value, self._cost(value), [], games)

    def _cost(self, value: float) -> float | None:
        """Return how much less a value is than that of optimal play."""
        if self.policy is None and self.optimal is None:
            return None
        best = float(self.policy.about["value"]) if self.policy is not None else self.optimal or 0.0
        return best - value if not self.figure[1].startswith("least:") else value - best


def _of(result: Any, figure: str) -> float:
    """Return the probability of an outcome, or the mean of a tally, of a result."""
    return float(result.outcomes[figure].probability if figure in result.outcomes else result.tallies[figure].mean)


# Turns ----------------------------------------------------------------------------------------------------------------
#
# What `dicelab.best` says of a game that was solved turn by turn: the chart of its first turn, the cost of a strategy.
#
# There is no table of all states, so a strategy is valued by playing: what each of its decisions loses is known
# exactly, and the sum over a game has the mean that optimal play wins more (S. Kakade, J. Langford: Approximately
# optimal approximate reinforcement learning, 2002, lemma 6.1), against optimal play of all others.


FEWEST = 16
"""Games that are played for the cost of a strategy, at least."""
LARGE = 20_000
"""Largest number of states of a chart."""


Chooser = Callable[[Game, Decision, int], object]
"""Returns the move of a seat."""


def cost_in_play(
    policy: Moves, own: Callable[[Game], Chooser], seconds: float, seed: int
) -> tuple[float, float, int] | None:
    """Return what a strategy loses compared with optimal play, the half-width of its 95 % interval, and the games.

    The strategy is what `own` returns for a game. In each game it has one of the seats, in turn; all others play
    optimally. None if a move of it has no value.
    """
    game, seats = fresh(policy.game), max(1, seat_count(policy.game))
    until, costs = monotonic() + seconds, list[float]()
    while len(costs) < FEWEST or (monotonic() < until and len(costs) < LIMITS.cost_games) or len(costs) % seats:
        lost = _lost(game, policy, own(game), len(costs) % seats, Stream(seed, len(costs)))
        if lost is None:
            return None
        costs.append(lost)
    error = z_of() * stdev(costs) / sqrt(len(costs))
    return fmean(costs), error or 3 / len(costs), len(costs)  # of what happened in no game: the rule of three


def _lost(game: Game, policy: Moves, own: Chooser, seat: int, source: Stream) -> float | None:
    """Play a game with a strategy in one seat, and return what its decisions have lost there; None if a move of it has
    no value, because nobody who wants to win makes it.
    """
    sign, lost, known = Objective.of(game, str(policy.about["objective"])).sign, 0.0, True

    def judged(table: Game, decision: Decision, who: int) -> tuple[int, ...]:
        nonlocal lost, known
        move, worths = as_move(own(table, decision, who)), policy.worths(table)
        if worths is None or move not in worths:
            known = False
        else:
            lost += max(sign * worth for worth in worths.values()) - sign * worths[move]
        return move

    def best(table: Game, decision: Decision, who: int) -> tuple[int, ...]:
        move = policy.move(table)
        assert move is not None
        return move

    choosers: list[Callable[[Game, Decision, int], tuple[int, ...]]] = [best] * max(1, seat_count(game))
    choosers[seat] = judged
    for _ in steps(game, choosers, source):
        if not known:
            return None
    return lost


def first_turn(policy: Moves) -> tuple[PolicyView, PolicyGrid] | None:
    """Return the chart of the choices among named moves in the first turn of a game; None if there is nothing to show.

    Its axes are the two numbers within a turn in which the move changes most often.
    """
    game, names = fresh(policy.game), Slots.of(policy.game, ()).names
    outer = set(policy.about["outer"])
    begin = dict(zip(names, Place(game, ()).read(), strict=True))
    kept = {name: value for name, value in begin.items() if name.partition("[")[0] in outer or _is_seat(game, name)}
    states = _named_states(policy, kept)
    if len(states) > LARGE:
        return None
    choices = [(dict(zip(names, n, strict=True)), policy.choices(n)) for n in states if _is_named(policy, n)]
    charts = (_chart(game, choices, x, y, kept) for x, y in _pairs(game, [row for row, _ in choices], kept))
    best = max(charts, key=lambda chart: chart[0], default=None)
    return None if best is None or not best[0] else best[1:]


def _pairs(game: Game, rows: Sequence[Mapping[str, int]], kept: Mapping[str, int]) -> Iterable[tuple[str, str]]:
    """Return the pairs of fields that may be axes of a chart: numbers that change within a turn, else one with one that
    is kept.
    """
    axes = [name for name, field in game.declared.state.items() if not isinstance(field, Flag | Seat)]
    axes = [name for name in axes if name not in game.words.hidden and len({row.get(name) for row in rows}) > 1]
    first = [name for name in kept if not _is_seat(game, name)][:1]
    return permutations(axes, 2) if len(axes) > 1 else [(x, y) for x in first for y in axes]


def _named_states(policy: Moves, kept: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Return the states with these values that may ask for a choice among named moves: flags usually tell the kinds of
    choices apart, so that one state of each combination of flags is looked at.
    """
    names = Slots.of(policy.game, ()).names
    flags = [k for k, name in enumerate(names) if isinstance(policy.game.declared.state.get(name), Flag)]
    by_flags: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for numbers in policy.where(kept):
        by_flags.setdefault(tuple(numbers[k] for k in flags), []).append(numbers)
    return [numbers for group in by_flags.values() if _is_named(policy, group[0]) for numbers in group]


def _chart(
    game: Game, states: Sequence[tuple[dict[str, int], Choices]], x: str, y: str, kept: Collection[str]
) -> tuple[float, PolicyView, PolicyGrid]:
    """Return the chart of two numbers, through the first state found, and in how much of it the move is clear."""
    at = {name: value for name, value in states[0][0].items() if name not in (x, y)}
    here = [(row, choices) for row, choices in states if at.items() <= row.items()]
    cells = [GridCell(row[x], row[y], choices.best_move, choices.worths) for row, choices in here]
    grid = PolicyGrid(x, y, at, {}, tuple(cells))
    clear = sum(t.high - t.low + 1 for t in grid.thresholds if len(t.steps) == 2)
    shown = values_called(game, {name: value for name, value in at.items() if name in kept})
    titles = field_called(game, x), field_called(game, y)
    return clear / len({cell.x for cell in cells}), PolicyView(x, y, at, clear, titles, shown), grid


def by_chart(policy: Moves, view: PolicyView, grid: PolicyGrid) -> Callable[[Game], Chooser]:
    """Return what makes a strategy that chooses among named moves by a chart, and all else as the policy does.

    Beyond the chart the nearest column counts; a move that nobody who wants to win would make is not made.
    """
    names = Slots.of(policy.game, ()).names
    x, y = names.index(view.x), names.index(view.y)

    def choose(table: Game, decision: Decision, who: int) -> object:
        best = policy.move(table)
        if not all(isinstance(kind, type) for kind in decision.kinds):
            return best
        numbers = Place(table, ()).read()
        column = min(grid.thresholds, key=lambda t: max(t.low - numbers[x], numbers[x] - t.high, 0))
        word = [column.steps[0][1], *(move for at, move in column.steps if at <= numbers[y])][-1]
        worths = policy.worths(table) or {}
        return next((move for move in worths if named_move(table, decision, move) == word), best)

    return lambda game: choose


def in_words(view: PolicyView, grid: PolicyGrid) -> str:
    """Return a chart of two moves with one threshold in each column as a sentence; empty for other charts."""
    runs: list[tuple[int, int, int]] = []
    moves = {t.steps[-1][1] for t in grid.thresholds}, {t.steps[0][1] for t in grid.thresholds if len(t.steps) == 2}
    if any(len(last) != 1 for last in moves) or any(len(t.steps) > 2 for t in grid.thresholds):
        return ""
    for t in grid.thresholds:
        at = t.steps[-1][0]
        if runs and runs[-1][2] == at and runs[-1][1] == t.low - 1:
            runs[-1] = runs[-1][0], t.high, at
        else:
            runs.append((t.low, t.high, at))
    (last,), (first,) = moves
    if len(runs) == 1:
        return f"{last} from {view.titles[1]} {runs[0][2]:,} on, else {first}"
    spans = [f"{at:,} ({low if low == high else f'{low} to {high}'})" for low, high, at in runs]
    return f"{last} from {view.titles[1]} ({view.titles[0]}) {', '.join(spans)} on, else {first}"


def _is_named(policy: Moves, numbers: tuple[int, ...]) -> bool:
    """Return whether a state asks for a choice among named moves: roll, bank."""
    return all(isinstance(kind, type) for kind in policy.choices(numbers).decision.kinds)


def _is_seat(game: Game, name: str) -> bool:
    return isinstance(game.declared.state.get(name), Seat)
