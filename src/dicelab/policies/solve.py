"""Optimal policies: of one seat against given strategies, or of all seats against each other."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.enumeration.enumerate import Progress
from dicelab.chains.enumeration.estimate import Share, graph_ahead
from dicelab.chains.enumeration.memory import bytes_allowed, machine_memory
from dicelab.chains.enumeration.model import Graph, TooLarge
from dicelab.chains.enumeration.unfold import unrolled
from dicelab.chains.solution.expectations import ULP
from dicelab.chains.solution.ordering import Numbers
from dicelab.engines.policy import Policy, against_hash
from dicelab.errors import NotSmall, ParameterError, PlayError
from dicelab.keywords import keywords
from dicelab.mdp.equilibrium import several
from dicelab.mdp.layers import NOWHERE, Layers
from dicelab.mdp.turns.solve import TurnByTurn, turn_by_turn
from dicelab.mdp.value_iteration import optimum
from dicelab.policies.from_solution import Worth, policy_of
from dicelab.policies.objective import Objective
from dicelab.results.base import BaseResult
from dicelab.results.numbers.estimates import Chance, known, valued
from dicelab.results.numbers.named import Named
from dicelab.results.provenance import about
from dicelab.results.text.page import Page
from dicelab.results.text.writing import many, upper
from dicelab.rules.game import Game, outcome_names, seat_count, shown
from dicelab.rules.params import as_integer
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Given, Strategies, as_list
from dicelab.runtime.timing import Stopwatch
from dicelab.store.answers import remembered
from dicelab.store.question import Question

MANY = 2_000_000
"""States from which on a game of which no policy is wanted is solved turn by turn."""
BEST = "best"
"""Listed in place of a strategy for a seat whose optimal policy is computed."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Solution(BaseResult):
    """An optimal policy and its value; in `strategies`, ``best`` stands for each seat that plays optimally.

    Attributes
    ----------
    objective
        The objective, such as ``win``.
    value, error
        Value of the initial state for the first optimised seat, and a bound on its error (infinite if no bound was
        found): a probability for ``win`` and outcomes, a mean for a tally.
    chances
        Probability that each seat wins, if the objective is ``win``.
    states, choices, edges
        Numbers of states, of states in which an optimised seat chooses, and of transitions.
    steps
        Approximate mean number of throws and choices of a game under optimal play.
    chasing
        With three or more seats: number of strongly connected components in which best responses cycle.
    regret
        The largest gain of any seat from deviating, over all states of these components.
    policy
        The optimal policy; None if it depends on the memory of a given strategy, which no player sees, and if the game
        was solved turn by turn.
    turns
        If the game was solved turn by turn: how. `states` is then the number of states in which turns begin, `choices`
        and `edges` are those of one turn, and `steps` is not a number.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=10)
    >>> round(best.value, 9), best.error < 1e-12
    (0.767681261, True)
    """

    objective: str
    value: float
    error: float
    chances: dict[str, float]
    states: int
    choices: int
    edges: int
    steps: float
    chasing: int
    regret: float
    policy: Policy | None
    turns: TurnByTurn | None = None

    method = "solve"

    @property
    def outcomes(self) -> dict[str, Chance]:
        """The probabilities of `chances` with the bound on their error."""
        error = self.error if isfinite(self.error) else 1.0
        found = {name: Chance(p, None, error) for name, p in self.chances.items()}
        return Named(f"outcome of {self.game}", found)

    def _facts(self) -> dict[str, Any]:
        exact = {"states": self.states, "error": known(self.error), "arithmetic": "floats"}
        values = self.chances or {"": self.value}
        facts: dict[str, Any] = {"objective": self.objective, "value": self.value, "exact": exact}
        facts |= valued(self.objective, values, self.error)
        facts |= {"choices": self.choices, "edges": self.edges, "steps": known(self.steps)}
        facts |= {"chasing": self.chasing, "regret": known(self.regret)}
        return facts | ({"turns": asdict(self.turns)} if self.turns else {})

    def _brief(self) -> str:
        return f"{self.objective}, value {self.value:.6g}"

    def _rows(self) -> list[dict[str, Any]]:
        chances = [{"outcome": name, "probability": p} for name, p in self.chances.items()]
        return chances or [{"objective": self.objective, "value": self.value}]

    def _lines(self, page: Page) -> list[str]:
        bounded = isfinite(self.error)
        error = self.error if bounded else 0.0
        if self.chances:
            rows = [["outcome", "probability"], *([name, page.chance(p, error)] for name, p in self.chances.items())]
        else:
            rows = [["objective", "value"], [self.objective, page.chance(self.value, error)]]
        size = f"{many(self.states, 'state')}, {self.choices:,} of them choices"
        several = self.strategies.count(BEST) > 2
        bound = f"error below {upper(self.error)}" if bounded else "no bound on the error was found"
        lines = [*self._head(page), *page.table(rows), ""]
        if several:
            gain = (
                f"no seat can gain more than {upper(self.error)} by deviating"
                if bounded
                else "no bound on what a seat can gain by deviating was found"
            )
            lines.append(f"exploitability: {gain}")
        if self.chasing:
            where = f"best responses cycle in {many(self.chasing, 'component')}"
            lines.append(f"{where}, where a seat can gain up to {upper(self.regret)} by deviating")
        if self.turns is not None:
            return [
                *lines,
                *_of_turns(self.turns),
                f"solved: {self.states:,} turn beginnings, {bound}, {self.seconds:.3f} s",
            ]
        lines.append(f"a game takes about {self.steps:g} throws and choices")
        return [*lines, f"solved: {size}{'' if several else ', ' + bound}, {self.seconds:.3f} s"]


def _of_turns(turns: TurnByTurn) -> list[str]:
    """How a game was solved turn by turn."""
    outer = ", ".join(turns.outer)
    return [
        f"solved turn by turn: {turns.nodes:,} states within turns, without {outer}; no policy was kept",
    ]


@keywords()
def solve(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: Strategies = (),
    *,
    seat: int = 0,
    objective: str | None = None,
    memory: int | None = None,
    policy: bool = True,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
    share: Callable[[float], None] = lambda done: None,
    **parameters: object,
) -> Solution:
    """Compute an optimal policy and its value.

    For a game of one seat, or against given strategies, the policy is that of one seat. For two seats without given
    strategies, both play to win. With more seats, the policies are best responses to each other. There may be several
    such sets of policies, or none: `error` is then the largest gain of any seat from deviating, and `chasing` is the
    number of strongly connected components in which best responses cycle.

    Parameters
    ----------
    game, **parameters
        As in `dicelab.simulate`.
    against
        Strategies of the other seats, in order, or one for all of them.
    seat
        The seat to optimise against them.
    objective
        ``win``, the name of an outcome, ``most:TALLY`` or ``fewest:TALLY``; None means ``win`` if somebody can win.
    memory
        Memory limit in bytes; half of the machine's memory when None.
    policy
        Whether the policy is wanted. If not, a game of more than two million states is solved turn by turn: in less
        memory and time, but only its value is found.
    store
        As in `dicelab.exact`; the policy is kept as well.
    progress
        Called with the numbers of states found and expanded so far.
    share
        Called with the share that is done, from 0 to 1, of the states that are expected, once their number is
        estimated, and then of the solution.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed.
    TooLarge
        When the states don't fit into memory; the message says how many are known, and what would help.
    PlayError
        When a rule fails in a reachable state, or the value is unbounded.

    Examples
    --------
    >>> round(solve("tossup", "bank_over:20", target=10).chances["0"], 6)
    0.825873
    """
    plan = planned(game, against, seat, objective, memory, parameters)
    settings = {"seats": plan.free, "objective": plan.wanted.text, "memory": memory, "policy": policy}
    asked = partial(Question.computed, "solve", plan.run, **settings)
    return remembered(store, asked, partial(_solved, plan, policy, progress, share), plan.run.game)


def _solved(plan: Plan, policy: bool, progress: Progress, share: Share, layers: Layers) -> Solution:
    """The solution of a plan; `layers` keeps what was found, should it be interrupted."""
    watch = Stopwatch()
    table, calls = plan.run.game, plan.strategies
    states = _graph(plan, progress, share) if policy else graph_or_turns(plan, progress, share, layers)
    if isinstance(states, TurnByTurn):
        return _turn_by_turn(plan, states, watch)
    graph, found = _optimal(states, plan.wanted, plan.free, share, layers)
    kept: dict[str, Any] = {"game": table.name, "parameters": shown(table), "strategies": calls}
    kept |= {"objective": plan.wanted.text, "value": found.value, "error": known(found.error), "seats": plan.free}
    kept |= {"solved": plan.summary} | against_hash(table, plan.run.calls)
    return Solution(
        **about(table, plan.seated),
        objective=plan.wanted.text,
        value=found.value,
        error=found.error,
        chances=Named(f"outcome of {table.name}", found.chances),
        states=graph.states,
        choices=int((graph.mover >= 0).sum()),
        edges=graph.edges,
        steps=float(f"{found.steps:.3g}"),
        chasing=found.chasing,
        regret=found.regret,
        seconds=watch.seconds,
        policy=policy_of(graph, found.picked, found.worth, kept),
    )


def _turn_by_turn(plan: Plan, turns: TurnByTurn, watch: Stopwatch) -> Solution:
    """The result for a game that was solved turn by turn."""
    names, chances = outcome_names(plan.run.game), {}
    if plan.wanted.kind == "win" and len(names) == 2:
        chances = {names[0]: turns.value, names[1]: 1.0 - turns.value}
    return Solution(
        **about(plan.run.game, plan.seated),
        objective=plan.wanted.text,
        value=turns.value,
        error=turns.error,
        chances=chances,
        states=turns.beginnings,
        choices=turns.choices,
        edges=turns.edges + turns.leaves,
        steps=nan,
        chasing=0,
        regret=0.0,
        seconds=watch.seconds,
        policy=None,
        turns=turns,
    )


@dataclass(frozen=True)
class Plan:
    """What `solve` is to do.

    Attributes
    ----------
    run, free
        The game with a strategy in each seat, and the optimised seats, whose strategies are arbitrary and not used.
    wanted
        The objective.
    memory
        Memory limit in bytes; None for half of the machine's.
    """

    run: Run
    free: list[int]
    wanted: Objective
    memory: int | None

    @property
    def turned(self) -> bool:
        """Whether states are seen from the seat to move if all seats are alike: no strategies are given then."""
        return len(self.free) > 1

    @property
    def strategies(self) -> list[str]:
        """The strategy of each seat as text; `BEST` for the optimised seats."""
        return list(map(str, self.seated))

    @property
    def seated(self) -> list[Given]:
        """The strategy of each seat; `BEST` for the optimised seats."""
        return [BEST if seat in self.free else call for seat, call in enumerate(self.run.calls)]

    @property
    def summary(self) -> str:
        """The optimised seats, the objective and the given strategies, as text."""
        others = [str(call) for seat, call in enumerate(self.run.calls) if seat not in self.free]
        seats = " and ".join(f"seat {seat}" for seat in self.free)
        return f"{seats}, {self.wanted.text}{', against ' + ', '.join(others) if others else ''}"

    def graph(self, progress: Progress, share: Share) -> Graph:
        """All states, as `dicelab.chains.enumeration.enumerate.graph_of` finds them."""
        given = self.run, self.free, self.memory, progress, share, self.wanted.counts, self.turned
        return graph_ahead(*given)

    def turn_by_turn(self, progress: Progress, layers: Layers = NOWHERE) -> TurnByTurn:
        """The value, found without keeping the states within turns.

        Raises
        ------
        NotSmall
            When that is not possible.
        """
        game, seats = self.run.game, max(1, seat_count(self.run.game))
        if len(self.free) < seats or seats > 2:
            raise NotSmall("only games in which one or two seats play, all optimally, are solved in this way")
        prize = [0.0] * max(1, len(outcome_names(game)))
        if not self.wanted.counts:
            prize[0 if self.wanted.kind == "win" else self.wanted.number] = 1.0
        sides = [-1 if self.wanted.kind == "fewest" else 1, -1][:seats]
        tally = list(game.declared.tallies)[self.wanted.number] if self.wanted.counts else None
        memory = machine_memory() // 2 if self.memory is None else self.memory
        return turn_by_turn(self.run, prize, sides, tally, self.turned, memory, progress, layers=layers)


def _graph(plan: Plan, progress: Progress, share: Share) -> Graph:
    """All states of a game of which a policy is wanted; the error says whether its value could be found without one."""
    try:
        return plan.graph(progress, share)
    except TooLarge as error:
        if len(plan.free) == max(1, seat_count(plan.run.game)) <= 2:
            raise TooLarge(
                f"{error}; without a policy (without --out, or policy=False) less memory is needed"
            ) from error
        raise


class _Many(Exception):
    """A game has many states."""


def graph_or_turns(plan: Plan, progress: Progress, share: Share, layers: Layers = NOWHERE) -> Graph | TurnByTurn:
    """All states of a game; where these are very many, its value, found turn by turn, if that is possible.

    Raises
    ------
    TooLarge
        When the states don't fit into memory, with the reason why it can't be solved turn by turn.
    """

    def look(found: int, expanded: int) -> None:
        if found > MANY:
            raise _Many
        progress(found, expanded)

    try:
        return plan.graph(look, share)
    except (_Many, TooLarge) as error:
        try:
            return plan.turn_by_turn(progress, layers)
        except NotSmall as why:
            if isinstance(error, TooLarge):
                raise TooLarge(f"{error}; it can't be solved turn by turn: {why}") from why
    return plan.graph(progress, share)


def planned(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: Strategies,
    seat: int,
    objective: str | None,
    memory: int | None,
    parameters: dict[str, object],
) -> Plan:
    """The plan for the arguments of `solve`, which are checked here.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed.
    """
    run, free = seated(game, as_list(against), seat, parameters)
    wanted = Objective.of(run.game, objective)
    if len(free) > 1 and wanted.kind != "win":
        raise ParameterError(f"{run.game.name}: with several optimised seats, objective must be win")
    return Plan(run, free, wanted, bytes_allowed(memory))


def seated(
    game: str | os.PathLike[str] | type[Game] | Game, against: list[Given], seat: int, parameters: dict[str, object]
) -> tuple[Run, list[int]]:
    """The game with a strategy in each seat, and the optimised seats, whose strategies are arbitrary and not used."""
    table = Run.of(game, **parameters).game
    if not table.declared.decisions:
        raise ParameterError(f"{table.name} has no choices to optimise; use dicelab exact")
    seats = max(1, seat_count(table))
    number = as_integer(seat)
    if number is None or not 0 <= number < seats:
        raise ParameterError(f"seat: {seat!r} is not allowed; it takes a whole number, 0 to {seats - 1}")
    if number and not against:
        raise ParameterError(f"seat: {seat!r} is used with against; give the strategies of the other seats as well")
    if not against:
        return Run.of(table), [*range(seats)]
    if seats == 1:
        raise ParameterError(f"{table.name} has one seat, so against has no effect; leave it out")
    if len(against) not in (1, seats - 1):
        raise ParameterError(f"{table.name} has {seats} seats: give one strategy for the others or {seats - 1}")
    others = against if len(against) == seats - 1 else against * (seats - 1)
    anyone = next(iter(table.declared.strategies), others[0])
    return Run.of(table, [*others[:number], anyone, *others[number:]]), [number]


class _Found(NamedTuple):
    """A solution of a graph: what `Solution` has, and for each state the best edge, -1 if nobody chooses there.

    `worth` returns the value of edges to the seats that choose there.
    """

    value: float
    error: float
    chances: dict[str, float]
    steps: float
    chasing: int
    regret: float
    picked: NDArray[np.int64]
    worth: Worth


def _optimal(
    graph: Graph, wanted: Objective, free: Sequence[int], share: Share, layers: Layers = NOWHERE
) -> tuple[Graph, _Found]:
    """The solution, and the graph on which it was found.

    In a symmetric game, states are seen from the seat to move, so all seats play alike. If no such solution is found,
    or best responses cycle in it, the game is solved again with the seats unfolded: seats may then play differently.
    """
    one = None
    try:
        one = _of_all(graph, len(free)) if len(free) > 2 else _of_two(graph, wanted, free, share, layers)
    except PlayError:
        if graph.turn is None:
            raise
    if one is not None and (graph.turn is None or (isfinite(one.error) and not one.chasing)):
        return graph, one
    whole, other = _optimal(unrolled(graph), wanted, free, share, layers)
    if one is not None and isfinite(one.error) and (one.chasing, one.regret) <= (other.chasing, other.regret):
        return graph, one
    return whole, other


def _of_two(graph: Graph, wanted: Objective, free: Sequence[int], share: Share, layers: Layers) -> _Found:
    """Optimal play of one seat, or of two seats against each other."""
    gain, prize, side, unit = wanted.rewards(graph, free[0])
    best, start, names = optimum(graph, side, gain, prize, share, layers), graph.start, outcome_names(graph.game)
    value = unit * float(gain[graph.start_change] + (best.value[start] if start >= 0 else prize[-1 - start]))
    if graph.turn is not None and graph.turn[graph.start_change]:
        value = 1.0 - value
    chances = {}
    if wanted.kind == "win" and len(names) == 2:
        chances = {name: value if seat == free[0] else 1.0 - value for seat, name in enumerate(names)}
    turned = np.zeros(len(gain)) if graph.turn is None else graph.turn
    after = np.concatenate((best.value, prize[::-1]))  # the target -1 - outcome counts from the end

    def worth(seats: NDArray[np.int32], edges: NDArray[np.int64]) -> Numbers:
        change = graph.change[edges]
        mine = unit * ((gain + turned)[change] + (1.0 - 2.0 * turned)[change] * after[graph.target[edges]])
        return mine if len(free) == 1 else np.where(seats == free[0], mine, 1.0 - mine)

    error, steps = (unit * best.error(start), float(best.steps[start])) if start >= 0 else (0.0, 0.0)
    if unit != 1.0 or gain[graph.start_change]:
        error += 3 * ULP * (abs(value) + unit * abs(gain[graph.start_change]))
    return _Found(value, error, chances, steps, 0, 0.0, best.picked, worth)


def _of_all(graph: Graph, seats: int) -> _Found:
    """Best responses of three or more seats to each other."""
    if graph.start < 0:
        raise ParameterError(f"{graph.game.name} is over before anybody chooses")
    best = several(graph, seats)
    turned = np.zeros(len(graph.changes), np.int64) if graph.turn is None else graph.turn
    at_start = np.roll(best.value[graph.start], turned[graph.start_change])
    chances = dict(zip(outcome_names(graph.game), at_start.tolist(), strict=True))
    after = np.concatenate((best.value, np.eye(graph.outcomes, seats)[::-1]))

    def worth(movers: NDArray[np.int32], edges: NDArray[np.int64]) -> Numbers:
        # An edge turns the view by some seats: seat `mover` has that smaller number in the target state.
        return np.asarray(after[graph.target[edges], movers - turned[graph.change[edges]]])

    value = float(at_start[0])
    return _Found(value, max(best.gains), chances, best.steps, best.chasing, best.anywhere, best.picked, worth)
