"""The strategies that a game declares, each with its best argument, against optimal play or the game's default.

By itself because it compares strategies that are declared, while the rest of `best` describes optimal play.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dicelab.engines.policy import Moves, Policy
from dicelab.errors import DicelabError
from dicelab.questions.exact import exact
from dicelab.questions.policies.objective import Objective
from dicelab.questions.simulate import simulate
from dicelab.questions.sweeps.sweep import Best, sweep
from dicelab.results.provenance import winners
from dicelab.rules.game import Call, Game, Strategy, outcome_names, seat_count
from dicelab.rules.objectives import wanted
from dicelab.rules.params import Param
from dicelab.runtime.states.codec import Slots

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

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return dict(vars(self))

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
    whole = policy if isinstance(policy, Policy) and {*policy.about["seats"]} == everybody else None
    others: Any = (
        whole if whole is not None else str(Call(declared[0], tuple(p.default for p in declared[0].params.values())))
    )
    optimal = float(policy.about["value"]) if policy is not None and seat_count(game) <= 1 else None
    compared = _Compared(game, figure, others, games, seed, whole, optimal)
    found = []
    for strategy in declared[:FAMILIES]:
        try:
            found.append(compared.family(strategy))
        except DicelabError as error:
            notes.append(f"{strategy.name} could not be compared: {error}")
    sign = Objective.of(game, objective).sign
    if whole is None and seat_count(game) > 1:
        notes.append(f"strategies are compared against {others}")
    return sorted(found, key=lambda family: -sign * family.value)


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
        """Return a strategy with its best argument.

        Raises
        ------
        DicelabError
        """
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
        found = self._swept(strategy, varied, [*range(low, high + 1, every)], self.games)
        return self._of(strategy, varied, found)

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
        found = sweep(self.game, self._lineup(strategy.name), over=over, best_by=self.figure[1], **how)
        if found.refused or found.interrupted:
            raise DicelabError(found.unfinished)
        if found.best is None:  # one value only
            value = _of(found.rows[0].result, self.figure[0])
            return Best(self.figure[0], False, dict(found.rows[0].values), value, [], None)
        return found.best

    def _of(self, strategy: Strategy, param: Param, found: Best) -> Family:
        name = self._name(strategy, param)
        args = tuple(int(found.values[name]) if p is param else p.default for p in strategy.params.values())
        close = [int(values[name]) for values in found.close]
        games = 0 if self._exact else self.games
        cost = self._cost(found.value)
        written = str(Call(strategy, args))
        return Family(strategy.name, param.name, int(found.values[name]), written, found.value, cost, close, games)

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
