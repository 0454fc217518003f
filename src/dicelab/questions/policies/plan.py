"""What is to be solved, and how: from all states of a game, or turn by turn; also a tally that reaches an amount."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from dicelab.errors import NotSmall, ParameterError, TooLarge, unknown
from dicelab.limits import LIMITS
from dicelab.questions.policies.objective import AT_LEAST, Objective
from dicelab.results.text.writing import objective_text
from dicelab.rules.fields import Capped
from dicelab.rules.fields.declared import LARGEST
from dicelab.rules.game import Game, counts_at_end, player_names, seat_count, seat_typed
from dicelab.rules.loading.source import ITSELF, SOURCE
from dicelab.rules.objectives import wanted
from dicelab.rules.params import bytes_allowed, whole, whole_number
from dicelab.rules.payoffs import has_payoffs
from dicelab.rules.private import must_be_open
from dicelab.rules.words import player_name
from dicelab.runtime.lineup import Run, listed
from dicelab.runtime.strategies import BEST, Given, Strategies, as_list
from dicelab.runtime.timing import stage
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.enumeration.graph import Progress, Share
from dicelab.solver.enumeration.model import Graph, as_size, machine_memory
from dicelab.solver.turns.solve import Aims, Costs, SolvedDetails, TooManyTurns, TurnByTurn, surveyed, turn_by_turn
from dicelab.solver.value_iteration import NOWHERE, Layers

TEXT = """
class Reaching(Base):
    name = Base.name
    outcomes = ("missed", "reached")
    payoffs = None
    {ruin}
    {tally} = Capped({amount}, "the tally, at most {amount}")

    def outcome(self):
        {before}
        return 1 if self.{tally} >= {amount} else 0
"""
REACHED = 1
"""The outcome of games in which the tally is at the amount or above."""


def reaching(game: Game, tally: str, amount: int) -> Game:
    """Return the same game, with the question whether a tally ends at an amount or above as its outcome.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> reaching(Yahtzee(boxes=3), "score", 10).declared.state["score"]
    <Capped score: 0 to 10>
    """
    base = type(game)
    before = "super().outcome()" if counts_at_end(base) else "pass"
    ruin = 'ruin = ""' if hasattr(base, "ruin") else ""
    module = ModuleType(f"dicelab_reaching_{base.name}")
    text = TEXT.format(tally=tally, amount=amount, before=before, ruin=ruin)
    module.__dict__.update({SOURCE: text, ITSELF: module, "Base": base, "Capped": Capped})
    exec(compile(text, f"{base.__name__}, {tally} at least {amount}", "exec"), module.__dict__)
    reached: Game = module.__dict__["Reaching"](**game.parameters)
    return reached


LEAST, MUCH = 100, 10.0
"""Bytes that each state takes at least; and so many times the memory limit is beyond the doubt of an estimate."""


@dataclass(frozen=True)
class Plan:
    """What `solve` has to do.

    Attributes
    ----------
    run, free
        The game with a strategy in each seat, and the optimised seats, whose strategies are arbitrary and not used.
    wanted
        The objective.
    asked
        The game that was asked about: that of `run`, or the one whose tally is a part of the states of `run`.
    memory
        Memory limit in bytes; None for half of the machine's.
    """

    run: Run
    free: list[int]
    wanted: Objective
    asked: Game
    memory: int | None

    @property
    def turned(self) -> bool:
        """Whether states are seen from the seat to move if all seats are alike: not against given strategies, nor for
        payoffs.
        """
        return len(self.free) > 1 and self.wanted.kind == "win"

    @property
    def strategies(self) -> list[str]:
        """The strategy of each seat as text; `BEST` for the optimised seats."""
        return list(map(str, self.seated))

    @property
    def seated(self) -> list[Given]:
        """The strategy of each seat; `BEST` for the optimised seats."""
        return [BEST if seat in self.free else call for seat, call in enumerate(self.run.calls)]

    @property
    def all_optimal(self) -> bool:
        """Whether one or two seats play to win, all optimally: only such games are solved turn by turn."""
        return self.wanted.kind != "payoff" and len(self.free) == max(1, seat_count(self.run.game)) <= 2

    @property
    def most_memory(self) -> int:
        """The memory limit in bytes."""
        return machine_memory() // 2 if self.memory is None else self.memory

    @property
    def summary(self) -> str:
        """The optimised seats, the objective and the given strategies, as text."""
        others = [str(call) for seat, call in enumerate(self.run.calls) if seat not in self.free]
        players = player_names(self.run.game)
        seats = " and ".join(player_name(seat, players) for seat in self.free)
        wanted = objective_text(self.wanted.text, seat_count(self.run.game), players)
        return f"{seats}, {wanted}{', against ' + ', '.join(others) if others else ''}"

    def graph(self, progress: Progress, share: Share) -> Graph:
        """Return all states, as `dicelab.solver.enumeration.graph.graph_of` finds them."""
        given = self.run, self.free, self.memory, progress, share, self.wanted.needs_tallies, self.turned
        return graph_ahead(*given)

    def surveyed(self, costs: Costs) -> float:
        """Return the smallest number of states that a quick look at the turns of the game leaves possible; 0 if it
        can't be solved turn by turn. `costs` receives what `turn_by_turn` need not find again.
        """
        return surveyed(self.run, self._aims, costs) if self.all_optimal else 0.0

    @property
    def _aims(self) -> Aims:
        return self.wanted.aims(self.run.game, len(self.free))

    def turn_by_turn(
        self, progress: Progress, layers: Layers = NOWHERE, costs: Costs | None = None
    ) -> tuple[TurnByTurn, SolvedDetails]:
        """Return the value, and the values of all beginnings of turns, found without keeping the states within turns.

        Raises
        ------
        NotSmall
            When that is not possible.
        """
        if not self.all_optimal:
            raise NotSmall("only games in which one or two seats play to win, all optimally, are solved in this way")
        return turn_by_turn(self.run, self._aims, self.most_memory, progress, layers, costs)


class _LargeForTable(Exception):
    """A game has many states."""


def graph_or_turns(
    plan: Plan, policy: bool, progress: Progress, share: Share, layers: Layers = NOWHERE
) -> Graph | tuple[TurnByTurn, SolvedDetails]:
    """Return all states of a game; where these are very many, its solution turn by turn, if that is possible.

    With `policy`, all states are preferred even if there are more of them. A game that has many states is surveyed
    after the first ones: the rest need not be found if there are certainly too many.

    Raises
    ------
    TooLarge
        When the states don't fit into memory, with the reason why it can't be solved turn by turn.
    """
    many = LIMITS.many_with_policy if policy else LIMITS.many
    least, costs = 0.0, Costs()  # least is 0 until the game is surveyed

    def look(found: int, expanded: int) -> None:
        nonlocal least
        if found > LIMITS.surveyed and not least and plan.all_optimal:
            stage("looking at how many turns can begin")
            least = plan.surveyed(costs) or 1.0
            stage("finding the states")
        if max(found, least) > many and plan.all_optimal:
            raise _LargeForTable
        progress(found, expanded)

    try:
        return plan.graph(look, share)
    except (_LargeForTable, TooLarge) as error:
        try:
            return plan.turn_by_turn(progress, layers, costs)
        except NotSmall as why:
            if isinstance(error, TooLarge):
                raise TooLarge(f"{error}; it can't be solved turn by turn: {why}") from why
            if isinstance(why, TooManyTurns) and LEAST * why.states > MUCH * plan.most_memory:
                raise TooLarge(
                    f"{plan.asked.name}: {why} of the {as_size(plan.most_memory)} that may be used; smaller parameters "
                    "or more memory (--memory) would help; or simulate it"
                ) from why
    return plan.graph(progress, share)


def planned(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: Strategies,
    seat: int | str,
    objective: str | None,
    memory: int | None,
    parameters: Mapping[str, object],
) -> Plan:
    """Return the plan for the arguments of `solve`, which are checked here.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed.
    """
    stage("reading the rules")
    run, free = seated(game, against, seat, parameters)
    asked = run.game
    if objective is not None and wanted(objective).kind == "atleast":
        run, aim = _reaching(run, objective)
    else:
        aim = Objective.of(asked, objective)
    if len(free) > 1 and aim.kind not in ("win", "payoff"):
        own = "payoff" if has_payoffs(asked) else "win"
        label = objective_text(aim.text, seat_count(asked), player_names(asked))
        raise ParameterError(
            f"{asked.name}: with several optimised seats, objective must be {own}; for {label}, give the "
            "strategies of the others (against)"
        )
    return Plan(run, free, aim, asked, bytes_allowed(memory))


def _reaching(run: Run, objective: str) -> tuple[Run, Objective]:
    """Return the same run with a tally in its states, and the objective that this tally reaches an amount."""
    aim = wanted(objective)
    tally, number, tallies = aim.name, whole_number(aim.least), run.game.declared.tallies
    if not tally or number is None or not 0 < number <= LARGEST:
        raise ParameterError(f"objective: {objective} is not allowed; it is written {AT_LEAST}TALLY:N, with N above 0")
    if tally not in tallies:
        raise unknown(f"tally of {run.game.name}", tally, tallies)
    return Run.of(reaching(run.game, tally, number), run.calls), Objective(
        "outcome", tally, text=objective, number=REACHED
    )


def seated(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: Strategies,
    seat: int | str,
    parameters: Mapping[str, object],
    what: str = "optimal play",
) -> tuple[Run, list[int]]:
    """Return the game with a strategy in each seat, and the optimised seats, whose strategies are arbitrary and not
    used.

    Games with hidden information are refused for `what`, unless that is empty.
    """
    table = Run.of(game, **parameters).game
    if not table.declared.decisions:
        raise ParameterError(f"{table.name} has no choices to optimise; use dicelab exact")
    if what:
        must_be_open(table, what)
    seats = max(1, seat_count(table))
    number = whole("seat", seat_of(table, seat), 0, seats - 1)
    if number and not against:
        raise ParameterError(f"seat: {number} is used with against; give the strategies of the other seats as well")
    if not against:
        return Run.of(table), [*range(seats)]
    if seats == 1:
        raise ParameterError(f"{table.name} has one seat, so against has no effect; leave it out")
    if isinstance(against, Mapping):
        if number in against:
            raise ParameterError(
                f"against: seat {number} is the one that plays against the others; give their strategies"
            )
        others = listed(table, against)
        del others[number]
    else:
        others = as_list(against)
    if len(others) not in (1, seats - 1):
        raise ParameterError(f"{table.name} has {seats} seats: give one strategy for the others or {seats - 1}")
    others *= 1 if len(others) == seats - 1 else seats - 1
    anyone = next(iter(table.declared.strategies), others[0])
    return Run.of(table, [*others[:number], anyone, *others[number:]]), [number]


def seat_of(game: Game, seat: int | str) -> int:
    """Return the index of a seat: a number is one, counted from 0, also as a text; any other text is a label.

    >>> from dicelab.games.lcr import LCR
    >>> seat_of(LCR(), "player 2"), seat_of(LCR(), "2"), seat_of(LCR(), 2)
    (1, 2, 2)
    """
    if not isinstance(seat, str):
        return seat
    number = whole_number(seat)
    number = seat_typed(game, seat) if number is None else number
    if number is None:
        labels = ", ".join(player_name(k, player_names(game)) for k in range(min(3, max(1, seat_count(game)))))
        raise ParameterError(f"seat: {seat!r} is not a whole number, counted from 0, nor a label: {labels}")
    return number
