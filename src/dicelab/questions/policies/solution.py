"""The solution of a game: the values of optimal play, and the policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, nan
from operator import itemgetter
from typing import Any, cast

from dicelab.engines.policy import Policy
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.results.base import BaseResult, plain
from dicelab.results.entries import EXACT, Read, added, how_exact
from dicelab.results.numbers.estimates import Chance, Distribution, Named, Point, known, valued
from dicelab.results.result import NUMBER, bar_column, tally_table
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import VAGUE, listed, number, percent, the, who_wins
from dicelab.results.text.table import Column, Table
from dicelab.results.text.writing import many, objective_text, outcome_text, outcome_title, upper
from dicelab.rules.objectives import wanted
from dicelab.runtime.strategies import BEST
from dicelab.solver.turns.solve import TurnByTurn

SURE = 1e-9
"""Bound on the error of a probability, up to which it is said to be 0 or 1 if it may be."""


class Later:
    """A field that may be given as a function without arguments, which is called when its value is first needed."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, solution: Any, owner: type | None = None) -> Policy | None:
        if solution is None:
            raise AttributeError(self.name)  # there is no default
        if callable(given := vars(solution)[self.name]):
            vars(solution)[self.name] = given = given()
        return cast("Policy | None", given)

    def __set__(self, solution: Any, given: Policy | Callable[[], Policy | None] | None) -> None:
        vars(solution)[self.name] = given


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
    outcomes
        Probability that each seat wins, if the objective is ``win`` and all seats are solved or there are two; of each
        outcome, if it is ``payoff`` and all seats are solved.
    payoffs
        What each seat gets on average, by its number, if the objective is ``payoff`` and all seats are solved.
    slow_choices
        A sentence for each choice that would be solved faster as another kind, if the game was solved turn by turn.
    opposed
        Whether there are two sides with opposed interests, so that `value` is what each can secure.
    winners
        The seats that get most by each outcome, in the same case: several in a draw, or in a team.
    states, choices, edges
        Numbers of states, of states in which an optimised seat chooses, and of transitions.
    steps
        Approximate mean number of throws and choices of a game under optimal play.
    chasing
        With three or more seats: number of strongly connected components in which best responses cycle.
    regret
        The largest gain of any seat from deviating, over all states of these components.
    policy
        The optimal policy; None if it depends on the memory of a given strategy, which no player sees, if the game
        was solved turn by turn, and if the best moves depend on a tally (``atleast:TALLY:N``).
    turns
        If the game was solved turn by turn: how. `states` is then the number of states in which turns begin, `choices`
        and `edges` are those of one turn, and `steps` is not a number.
    counted
        If the game was solved turn by turn: the distribution of the tally that is the objective, under the policy; None
        if it was not found.
    uncounted
        Why that distribution was not found.
    turn_policy
        The optimal policy of a game that was solved turn by turn; moves within a turn are found when they are needed.

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
    outcomes: dict[str, Chance]
    states: int
    choices: int
    edges: int
    steps: float
    chasing: int
    regret: float
    policy: Later = Later()
    turns: TurnByTurn | None = None
    turn_policy: TurnPolicy | None = None
    counted: Distribution | None = None
    uncounted: str = ""
    payoffs: dict[str, float] = field(default_factory=dict)
    winners: dict[str, list[int]] = field(default_factory=dict)
    opposed: bool = False
    slow_choices: tuple[str, ...] = ()

    method = "solve"
    entries = {
        "objective": "string: what the player wants",
        "value": "number: the value of the objective",
        "exact": Read(lambda self: how_exact(self.states, known(self.error), False), EXACT),
        "outcomes": Read(lambda self: self._valued()["outcomes"], "#outcomes: the outcomes, by name"),
        "tallies": Read(lambda self: self._valued()["tallies"], "#tallies: the tallies, by name"),
        "payoffs?": Read(
            lambda self: self._valued().get("payoffs"), "{number}: mean payoff of each seat, if that is the objective"
        ),
        "choices": "integer: number of states with a choice",
        "edges": "integer: number of transitions",
        "steps": "number|null: throws and choices of a game, about",
        "chasing": "integer: strongly connected components in which best responses cycle",
        "regret": "number|null: largest gain of a seat that deviates alone",
        "turns?": "object: numbers of a game solved turn by turn",
        "histogram?": added("#histogram: the distribution of a tally (--histogram)"),
    }

    def __getstate__(self) -> dict[str, Any]:
        _ = self.policy  # laid out, because what lays it out can't be pickled
        return vars(self)

    @property
    def tallies(self) -> dict[str, Distribution]:
        """The tally that is the objective, by its name: its mean, and its distribution if that was found."""
        tally, mean = wanted(self.objective).tally, self.counted
        if mean is None:
            mean = Distribution(self.value, nan, None, self.error, None)
        return Named(f"tally of {self.game}", {tally: mean} if tally else {})

    @property
    def _chances(self) -> dict[str, float]:
        return Named(f"outcome of {self.game}", {name: p.probability for name, p in self.outcomes.items()})

    def _valued(self) -> dict[str, Any]:
        """Return the values of the objective as plain data."""
        seat = str(self.strategies.index(BEST)) if self.objective == "payoff" else ""
        facts = valued(self.objective, self.payoffs or self._chances or {seat: self.value}, self.error, self.players)
        facts |= {"outcomes": self._shared()} if self.payoffs else {}
        return facts | ({} if self.counted is None else {"tallies": plain(self.tallies)})

    def _shared(self) -> dict[str, Any]:
        """Return the probability of each outcome, and the seats that get most by it."""
        error = {"error": known(self.error)} if self.error else {}
        return {name: {"probability": p, **error, "seats": self.winners[name]} for name, p in self._chances.items()}

    @property
    def deviating(self) -> bool:
        """Whether `error` is what a seat can gain by deviating: policies are best responses to each other."""
        return self.strategies.count(BEST) > 2 if not self.payoffs else not self.opposed

    def _sentence(self) -> str:
        value = self.value, self.error
        return with_best_play(self.objective, value, self.strategies, self.outcomes, self.payoffs, self.players)

    @property
    def _label(self) -> str:
        return objective_text(self.objective, len(self.strategies), self.players)

    def _brief(self) -> str:
        return f"{self._label}, value {self.value:.6g}"

    def _value(self, page: Printing, value: float) -> str:
        """Return a value with the digits that its error allows."""
        return page.chance(value, self.error if isfinite(self.error) else 0.0)

    def _table(self) -> Table:
        if not self.outcomes:
            columns = [Column("objective", lambda page, name: self._label), Column("value", self._value)]
            return Table(columns, [{"objective": self.objective, "value": self.value}])
        name = Column("outcome", lambda page, n: outcome_text(n, not self.payoffs, self.players), value=itemgetter(0))
        bars = bar_column(
            {n: Point.within(p, 0) for n, p in self._chances.items()}, not self.payoffs and len(self._chances) > 1
        )
        return Table([name, Column("probability", self._value, value=NUMBER), bars], [*self._chances.items()])

    def _page_tables(self) -> list[Table]:
        name = Column("", lambda page, seat: outcome_title(seat, True, self.players), "player", itemgetter(0))
        payoffs = Table([name, Column("", self._value, "payoff", NUMBER)], [*self.payoffs.items()])
        if self.counted is not None:
            return [tally_table(self.tallies, least=())]
        return [*([self._table()] if self.outcomes or not self.payoffs else []), *([payoffs] if self.payoffs else [])]

    def _lines(self, page: Printing) -> list[str]:
        bounded, several = isfinite(self.error), self.deviating
        size = f"{many(self.states, 'state')}, {self.choices:,} of them choices"
        bound = f"error below {upper(self.error)}" if bounded else "no bound on the error was found"
        lines = [*self._head(page), "", *(line for table in self._page_tables() for line in (*table.lines(page), ""))]
        if several:
            gain = (
                f"no player can gain more than {upper(self.error)} by deviating"
                if bounded
                else "no bound on what a player can gain by deviating was found"
            )
            lines.append(f"exploitability: {gain}")
        if self.chasing:
            where = f"best responses cycle in {many(self.chasing, 'component')}"
            lines.append(f"{where}, where a player can gain up to {upper(self.regret)} by deviating")
        if self.turns is not None:
            tally = wanted(self.objective).tally
            return [
                *lines,
                *([f"no distribution of {tally}: {self.uncounted}"] if self.uncounted else []),
                *_of_turns(self.turns),
                f"solved: {self.states:,} turn beginnings, {bound}, {self.seconds:.3f} s",
                *(f"note: {text}" for text in self.slow_choices),
            ]
        lines.append(f"a game takes about {self.steps:g} throws and choices")
        return [*lines, f"solved: {size}{'' if several else ', ' + bound}, {self.seconds:.3f} s"]


def chances_of(game: str, chances: Mapping[str, float], error: float) -> dict[str, Chance]:
    """Return the probabilities of the outcomes of a game by name, with the bound on their error."""
    bound = error if isfinite(error) else 1.0
    return Named(f"outcome of {game}", {name: Chance(p, None, bound) for name, p in chances.items()})


def _of_turns(turns: TurnByTurn) -> list[str]:
    """Return how a game was solved turn by turn."""
    outer = ", ".join(turns.outer)
    return [f"solved turn by turn: {many(turns.nodes, 'state')} within turns, without {outer}"]


# Best words -----------------------------------------------------------------------------------------------------------
#
# The answer of `dicelab.solve` in a sentence.


def with_best_play(
    objective: str,
    value: tuple[float, float],
    strategies: Sequence[str],
    outcomes: Mapping[str, Chance],
    payoffs: Mapping[str, float],
    players: Sequence[str] = (),
) -> str:
    """Return what optimal play gives.

    Parameters
    ----------
    objective, strategies, outcomes, payoffs, players
        As in `dicelab.questions.policies.solution.Solution`.
    value
        The value and the bound on its error.

    Examples
    --------
    >>> with_best_play("most:score", (254.59, 1e-9), ["best"], {}, {})
    'With the best play the player gets a mean score of 255'
    >>> with_best_play("push", (1 - 1e-15, 5e-15), ["best"], {}, {})
    'With the best play the outcome is push in 100 % of games'
    """
    aim = wanted(objective)
    kind, much, error = aim.kind, value[0], value[1] if isfinite(value[1]) else inf
    if aim.is_chance and abs(much - round(much)) <= error < SURE:
        much = float(round(much))  # 1, and not 0.9999999999999999
    if error > VAGUE * max(1.0, abs(much)):
        return "No useful bound on the error was found: the values may be far from those of the best play"
    given = list(dict.fromkeys(strategy for strategy in strategies if strategy != "best"))
    play = f"With the best play{f' against {listed(given)}' if given else ''}"
    if kind == "win" and not given and len(outcomes) > 1:
        chances = [Point.within(p.probability, error) for p in outcomes.values()]
        said = who_wins(chances, True, players)
        return f"{play} {said[0].lower() if said.startswith(('The ', 'All ', 'Both ')) else said[0]}{said[1:]}"
    if kind == "payoff" and payoffs:
        parts = [f"{_player(int(seat), strategies, players)} gets {number(paid)}" for seat, paid in payoffs.items()]
        return f"{play} {listed(parts)} on average"
    return f"{play} {_of_one_seat(objective, much, strategies, outcomes, players)}"


def _of_one_seat(
    objective: str, much: float, strategies: Sequence[str], outcomes: Mapping[str, Chance], players: Sequence[str]
) -> str:
    """Return what the seat that plays best gets; `much` is the value."""
    aim = wanted(objective)
    kind, name = aim.kind, aim.name
    who = _player(strategies.index("best") if "best" in strategies else 0, strategies, players)
    if kind in ("payoff", "most", "fewest"):
        tally = name.replace("_", " ")
        if kind != "payoff" and not tally.endswith("s"):
            return f"{who} gets a mean {tally} of {number(much)}"
        return f"{who} gets {number(much)}{'' if kind == 'payoff' else f' {tally}'} on average"
    if kind == "atleast":
        return f"{who} gets {aim.least} or more of {name.replace('_', ' ')} in {percent(much)} of games"
    if kind == "win":
        return f"{who} wins {percent(much)} of games"
    if name.isdigit() and name not in outcomes:
        who = _player(int(name), strategies, players)
        return f"{who} wins{' only' if kind == 'avoid' else ''} {percent(much)} of games"
    outcome = name.replace("_", " ")
    return f"the outcome is {outcome} in{' only' if kind == 'avoid' else ''} {percent(much)} of games"


def _player(seat: int, strategies: Sequence[str], players: Sequence[str]) -> str:
    """Return what a seat is called; the only one of a game without names is the player."""
    if len(strategies) <= 1 and not players:
        return "the player"
    title = outcome_title(str(seat), True, players)
    return the(title) if players else title
