"""The answer of `dicelab.best`: a rule of thumb with its cost, the best of the game's strategies, a chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dicelab.engines.policy import Moves, Policy
from dicelab.errors import DicelabError, ParameterError, TooLarge
from dicelab.questions.betting.edges import edges
from dicelab.questions.heuristics.families import Family, by_chart, cost_in_play, families_of, first_turn, in_words
from dicelab.questions.heuristics.rule import Rule, rule
from dicelab.questions.options import Situation
from dicelab.questions.policies.advice import Advised, advice, read_at
from dicelab.questions.policies.grid import PolicyView, Threshold, grid, view_of
from dicelab.questions.policies.objective import Objective, default_objective, no_default
from dicelab.questions.policies.solution import with_best_play
from dicelab.questions.policies.solving import NotInTime, Solving
from dicelab.questions.simulate import seed_of
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import Chance
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import number, percent
from dicelab.results.text.table import Column, Table, plain, written
from dicelab.results.text.writing import many
from dicelab.rules.game import Game, seat_count
from dicelab.rules.loading.registry import bets_of
from dicelab.rules.objectives import wanted
from dicelab.rules.private import must_be_open
from dicelab.rules.wording import called, value_called
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import parse_call
from dicelab.runtime.timing import Stopwatch

SAME = 1e-6
"""A smaller loss is called none."""
FAR = 0.25
"""Share of the value by which a strategy is so much worse that it is no answer."""
HINT = "give a situation (--at), or take hints in a game (dicelab play --hint)"
"""What is said where there is no rule and no good strategy."""
MOST_BETS = 5
"""Bets that are listed."""
SHORT = 3
"""A rule of at most so many lines is the answer, in one sentence."""
MOST_STEPS = 12
"""Rows of thresholds that are shown, at most."""


@dataclass(frozen=True)
class Cheap:
    """A bet of a game of money.

    Attributes
    ----------
    bet, edge
        Its name, and the share of the stake that it loses on average.

    Examples
    --------
    >>> Cheap("pass", 0.0141).bet
    'pass'
    """

    bet: str
    edge: float


@dataclass(frozen=True)
class Thumb:
    """A rule of thumb of a game that is too large to value rules exactly: the chart of its first turn.

    Attributes
    ----------
    text
        The rule in words.
    loss, error, games
        What it loses compared with optimal play, estimated by playing, the half-width of the 95 % interval, and the
        games.

    Examples
    --------
    >>> Thumb("bank from points 300 on, else roll", 0.02, 0.004, 60).games
    60
    """

    text: str
    loss: float
    error: float
    games: int


@dataclass(frozen=True, repr=False, kw_only=True)
class BestPlay(BaseResult):
    """How a game should be played.

    Attributes
    ----------
    objective, value, error
        What it is played for, the value of optimal play to the first seat, and a bound on its error; the value is None
        if it is not known.
    rule
        The rule of thumb with its exact cost; None if there is none.
    families
        The strategies of the game, each with its best argument.
    bets
        For a game of money: the bets that cost least.
    view, thresholds
        The fields and the slice of the chart in which the move changes, and where it changes.
    at
        The moves in the situation that was asked about.
    notes
        What is not known, and why: a sentence each.
    solved
        How optimal play was found, in words; empty if it was not.
    policy
        The optimal policy; None if it is not known.
    decides
        Whether there is anything to decide.
    thumb
        The rule of thumb of a game that was solved turn by turn.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.best("tossup", target=12, dice=3, seconds=5)
    >>> found.families[0].strategy, found.view.y
    ('bank_over', 'points')
    """

    objective: str
    value: float | None
    error: float
    rule: Rule | None
    families: list[Family]
    bets: list[Cheap]
    view: PolicyView | None
    thresholds: list[Threshold]
    at: Advised | None
    notes: list[str]
    solved: str
    policy: Moves | None = None
    decides: bool = True
    thumb: Thumb | None = None

    method = "best"
    entries = {
        "objective": "string: what the game is played for; empty without an objective",
        "value": "number|null: value of optimal play to the first player; null if it is not known",
        "solved": "string: what was solved, in words; empty if nothing was",
        "rule": ("object|null: the rule of thumb, as dicelab policy --rule prints it; null if there is none"),
        "thumb?": "object: the rule of thumb of a game that was solved turn by turn",
        "families": (
            [
                {
                    "strategy": "string: name of the strategy",
                    "argument": "string: the argument that is varied; empty if there is none",
                    "best": "integer|null: its best value",
                    "written": "string: the strategy as it can be typed",
                    "value": "number: what it gives the first player: a probability, or the mean of a tally",
                    "cost": "number|null: how much less that is than with optimal play; null if that is not known",
                    "close": "[integer]: other values that can't be told from the best one",
                    "games": "integer: simulated games of each value; 0 if exact",
                    "error?": "number: bound on the error of the value",
                }
            ],
            "the strategies of the game, each with its best argument, the best one first",
        ),
        "bets": (
            [{"bet": "string", "edge": "number"}],
            ("for a game of money, the bets that cost least, with the house edge as a share of the stake"),
        ),
        "chart": Read(
            lambda self: self._chart(),
            {
                "$": {
                    "type": ["object", "null"],
                    "properties": {
                        "x": {"type": "string"},
                        "y": {"type": "string"},
                        "at": {"type": "object", "additionalProperties": {"type": "integer"}},
                        "thresholds": {
                            "type": "array",
                            "items": {"type": "object"},
                            "description": "for each range of x, the move from each value of y on",
                        },
                    },
                    "required": ["x", "y", "at", "thresholds"],
                    "additionalProperties": False,
                }
            },
            ("two fields by which the best move changes, and the values of the others; null if there are none"),
        ),
        "at": Read(
            lambda self: self.at.rows if self.at else [],
            "[object]: the moves in the situation of --at, as dicelab policy prints them",
        ),
        "notes": "[string]: what is not known, and why",
        "error?": "number: bound on the error of the value",
    }

    def _chart(self) -> dict[str, Any] | None:
        """Return what the chart shows, as plain data."""
        steps = [{"from": each.low, "to": each.high, "steps": each.steps} for each in self.thresholds]
        view = self.view
        return None if view is None else {"x": view.x, "y": view.y, "at": view.at, "thresholds": steps}

    def _tables(self) -> list[Table]:
        return self._shown()[:1]

    def _shown(self) -> list[Table]:
        """Return the tables of strategies and of bets that have rows."""
        bets = [Column("bet", plain), Column("edge", lambda page, edge: f"{100 * edge:.3f} %", "house edge")]
        tables = [Table(self._columns(), self.families), Table(bets, self.bets)]
        return [table for table in tables if table.rows]

    def _page_tables(self) -> list[Table]:
        return [*self._shown(), *([self.at._table()] if self.at is not None else [])]

    def _columns(self) -> list[Column]:
        """Return the columns of the table of strategies."""

        def cost(page: Printing, family: Family) -> str:
            return "" if family.cost is None else self.lost(family.cost, family.error)

        def value(page: Printing, family: Family) -> str:
            return self.shown(family.value) if self.is_chance else page.number(family.value, 2)

        wins, known = self.objective == "win", any(family.cost is not None for family in self.families)
        return [
            Column("*", lambda page, family: family.written, "strategy", data=lambda family: dict(vars(family))),
            Column("", value, "wins" if wins else wanted(self.objective).name),
            *([Column("", cost, "loses")] if known else []),
            Column("", plain, "not told apart", lambda family: family.near),
        ]

    def _brief(self) -> str:
        return self.summary

    @property
    def is_chance(self) -> bool:
        """Whether values are probabilities."""
        return wanted(self.objective).is_chance

    def _sentence(self) -> str:
        if self.bets:
            return self._sentence_of_bets()
        if not self.decides:
            return f"There is nothing to decide in {self.game}: the dice play it"
        if self.at is not None:
            return self.at.summary.rstrip(".")
        against = f"the best play{f', which {self.with_best}' if self.with_best else ''}"
        best = self.families[0] if self.families else None
        known = best.cost if best else None  # what the best strategy loses
        if self.rule is not None and not (known is not None and known < self.rule.loss - SAME):
            return self._sentence_of_rule(self.rule, against)
        if self.thumb is not None and not (known is not None and known < self.thumb.loss):
            cost = self.lost(self.thumb.loss, self.thumb.error)
            return (
                f"{self.thumb.text[:1].upper()}{self.thumb.text[1:]}; this loses about {cost} compared with {against}"
            )
        if best is not None:
            return self._sentence_of_strategy(best, against)
        if self.with_best:
            return f"The best play {self.with_best}; {HINT}"
        return self.notes[0] if self.notes else f"Nothing is known about the best play of {self.game}"

    def _sentence_of_bets(self) -> str:
        first = self.bets[0]
        name = first.bet.replace("_", " ")
        if first.edge < 0:
            return f"Bet {name}: it wins {percent(-first.edge)} of the stake on average"
        cheap = f"{name}, {percent(max(0.0, first.edge))} of the stake"
        return f"No way of betting wins in the long run; the bet that costs least is {cheap}"

    def _sentence_of_rule(self, rule: Rule, against: str) -> str:
        cost, few = self.lost(rule.loss), len(rule.lines) <= SHORT
        but = f" ({rule.otherwise})" if rule.otherwise and len(rule.lines) == 1 else ""
        if rule.loss <= SAME and few:
            return f"{in_a_sentence(rule.lines)}{but}: that is {against}"
        if few and not any(" " * 4 in line for line in rule.lines):
            return f"{in_a_sentence(rule.lines)}{but}; this loses {cost} compared with {against}"
        return f"Play by the rule of {many(len(rule.lines), 'line')} below; it loses {cost} compared with {against}"

    def _sentence_of_strategy(self, best: Family, against: str) -> str:
        if self.with_best and (best.cost or 0.0) > FAR * abs(self.value or 0.0):
            return f"The best play {self.with_best}, and no strategy of the game comes near; {HINT}"
        if best.cost is None:
            return f"Of its strategies {best.written} is best: {self.shown(best.value)}"
        if best.cost <= SAME and not best.error:
            return f"Play {best.written}, which is as good as {against}"
        return f"Play {best.written}, which loses about {self.lost(best.cost, best.error)} compared with {against}"

    @property
    def with_best(self) -> str:
        """What the best play gives, as the end of a sentence; empty if that is not known."""
        if self.value is None:
            return ""
        seats, chances = ["best"] * max(1, len(self.strategies)), dict[str, Chance]()
        text = with_best_play(self.objective, (self.value, self.error), seats, chances, {}, self.players)
        for who in ("the player ", f"the {self.players[0]} " if self.players else "player 1 "):
            before, intro, rest = text.partition(f"With the best play {who}")
            if intro and not before:
                where = " as the first player" if len(seats) > 1 and not self.players else ""
                return f"{rest.rstrip('.')}{where}"
        return ""

    def shown(self, value: float) -> str:
        """Return a value of the objective in a sentence."""
        return percent(value) if self.is_chance else number(value)

    def lost(self, cost: float, error: float = 0.0) -> str:
        """Return what a rule or strategy loses, in words; `error` is the half-width of an estimate."""
        if cost <= SAME and not error:
            return "nothing"
        if self.is_chance:
            return f"{100 * max(0.0, cost):.2g}{f' (± {100 * error:.1g})' if error else ''} games in 100"
        name = wanted(self.objective).tally
        unit = called(self.policy.game, name) if name and self.policy else name.replace("_", " ") or "of the payoff"
        return f"{max(0.0, cost):.3g}{f' (± {error:.1g})' if error else ''} {unit} a game"

    def _lines(self, page: Printing) -> list[str]:
        lines = self._head(page, ())
        if self.rule is not None:
            lines += ["", f"rule of thumb, loses {self.lost(self.rule.loss)}:", *(f"  {x}" for x in self.rule.lines)]
            lines += [f"  ({self.rule.otherwise})"] if self.rule.otherwise else []
            lines += [
                f"  shorter, loses {self.lost(c)}: {in_a_sentence(x)}" for _, c, x in self.rule.smaller if len(x) == 2
            ]
        if self.thumb is not None:
            cost = self.lost(self.thumb.loss, self.thumb.error)
            lines += [
                "",
                f"rule of thumb, loses about {cost} ({many(self.thumb.games, 'game')}):",
                f"  {self.thumb.text}",
            ]
        lines += [line for table in self._shown() for line in ("", *table.lines(page))]
        if self.view is not None and self.thresholds:
            lines += ["", f"the best move{f' ({self.view.fixed})' if self.view.fixed else ''}:"]
            shown = self.thresholds if len(self.thresholds) <= MOST_STEPS else _thinned(self.thresholds)
            rows = [(self._span(t), self._steps(t)) for t in shown]
            lines += written([self.view.titles[0], "best move"], rows).lines(page)
        if self.at is not None:
            lines += ["", *self.at._lines(page)]
        lines += ["", *self.notes] if self.notes else []
        how = f"solved for {self.solved}" if self.solved else ""
        games = [f.games for f in self.families if f.games]
        simulated = f"strategies: {many(max(games), 'game')} each, seed {self.seed}" if games else ""
        return [*lines, "", "; ".join([*filter(None, (how, simulated)), f"{self.seconds:.3f} s"])]

    def _value(self, name: str, value: int) -> str:
        """Return a value of a field in the words of the game."""
        named = None if self.policy is None else value_called(self.policy.game, name, value)
        return str(value) if named is None else named

    def _span(self, t: Threshold) -> str:
        assert self.view is not None
        low, high = self._value(self.view.x, t.low), self._value(self.view.x, t.high)
        return low if low == high else f"{low} to {high}"

    def _steps(self, t: Threshold) -> str:
        """Return the moves of a column in words."""
        assert self.view is not None
        (_, first), *more = t.steps
        y, title = self.view.y, self.view.titles[1]
        begins = f"where {title} >=" if title[-1:].isdigit() else f"from {title}"  # "from number 2 1" says nothing
        return ", ".join([first, *(f"{move} {begins} {self._value(y, at)}" for at, move in more)])


def in_a_sentence(lines: Sequence[str]) -> str:
    """Return a rule as one sentence.

    >>> in_a_sentence(["if points >= 20: bank", "else: roll"])
    'Bank if points >= 20, else roll'
    >>> in_a_sentence(["keep: all", "go on:", "    if points >= 20: bank", "    else: roll"])
    'Keep: all; go on: bank if points >= 20, else roll'
    """
    questions: list[list[str]] = []
    for line in lines:
        condition, colon, move = line.partition(":")
        if line.startswith(" "):
            questions[-1].append(line.strip())
        elif colon and not condition.startswith(("if ", "else")):
            questions.append([f"{condition}: ", *filter(None, [move.strip()])])
        elif questions and not questions[-1][0]:
            questions[-1].append(line)
        else:
            questions.append(["", line])
    text = "; ".join(head + ", ".join(map(_clause, rule)) for head, *rule in questions)
    return f"{text[:1].upper()}{text[1:]}"


def _clause(line: str) -> str:
    """Return a line of a rule as a clause."""
    condition, colon, move = line.partition(": ")
    if not colon:
        return line
    return f"else {move}" if condition == "else" else f"{move} {condition}".replace(" else if ", " if ")


def _thinned(steps: Sequence[Threshold]) -> list[Threshold]:
    """Return some of many thresholds, evenly."""
    every = -(-len(steps) // MOST_STEPS)
    return [*steps[::every]]


def best_play(
    table: Game,
    objective: str | None,
    leaves: int,
    seconds: float,
    at: Situation | None,
    games: int,
    seed: int | None,
    progress: Callable[[str], None],
) -> BestPlay:
    """Return how a game should be played, as `dicelab.best` does."""
    watch = Stopwatch()
    if objective is not None:
        objective = Objective.of(table, objective).text
    seats = max(1, seat_count(table))
    facts: dict[str, Any] = {
        **about(table, []),
        "strategies": ["best"] * seats,
        "seed": seed_of(Run.of(table), seed, None),
    }
    empty: dict[str, Any] = dict.fromkeys(("rule", "view", "at", "value", "policy"))
    empty |= {"objective": objective or default_objective(table) or "", "error": 0.0, "solved": ""}
    empty |= {"families": [], "bets": [], "thresholds": [], "notes": []}
    bets, free = _cheapest(table, progress)
    if bets or not table.declared.decisions:
        note = [f"without an edge, but some need another bet or are rarely offered: {free}"] if free else []
        note += [] if bets else [f"dicelab exact {table.name} says who wins, and how long games are"]
        empty |= {"bets": bets, "notes": note, "decides": bool(table.declared.decisions)}
        return BestPlay(**{**facts, **empty}, seconds=watch.seconds)
    notes = empty["notes"]
    if not empty["objective"]:
        notes.append(no_default(table))
        return BestPlay(**{**facts, **empty}, seconds=watch.seconds)
    policy = _solved(table, objective, notes, progress)
    if policy is not None:
        known = policy.about
        empty |= {"policy": policy, "value": float(known["value"]), "error": float(known["error"] or 0.0)}
        empty |= {"objective": str(known["objective"]), "solved": str(known["solved"])}
    if at is not None:
        if policy is None:
            raise ParameterError(f"at: the best move is not known: {notes[-1]}")
        empty["at"] = advice(policy, at=read_at(at, table))
        return BestPlay(**{**facts, **empty}, seconds=watch.seconds)
    table_of_moves = policy.every_state if policy is not None else None
    if table_of_moves is not None:
        empty |= _about_policy(table_of_moves, leaves, seconds, notes, progress)
    progress("comparing the strategies")
    families = families_of(table, empty["objective"], policy, games, facts["seed"], notes)
    if policy is not None and policy.on_demand:
        empty |= _about_turns(policy, families, seconds, facts["seed"], notes, progress)
    return BestPlay(**{**facts, **empty, "families": families}, seconds=watch.seconds)


def _cheapest(game: Game, progress: Callable[[str], None]) -> tuple[list[Cheap], str]:
    """Return the bets of a game of money with the lowest house edge above 0, and those without one; empty for other
    games.
    """
    kind = bets_of(type(game))
    if not (kind.declared.tallies.keys() & {"money"}) or (kind is type(game) and game.declared.decisions):
        return [], ""
    progress("comparing the bets")
    try:
        priced = edges(kind if kind is not type(game) else game)
    except DicelabError:
        return [], ""
    rows = sorted(priced.rows, key=lambda row: row.edge.value)
    costly = [row for row in rows if row.edge.value > SAME] or rows
    free = [row.bet for row in rows if row not in costly]
    more = f" and {len(free) - MOST_BETS} more" if len(free) > MOST_BETS else ""
    cheap = [Cheap(row.bet or game.name, float(row.edge.value)) for row in costly[:MOST_BETS]]
    return cheap, f"{', '.join(free[:MOST_BETS])}{more}"


def _solved(game: Game, objective: str | None, notes: list[str], progress: Callable[[str], None]) -> Moves | None:
    """Return the optimal policy, kept or found now; None with a note if it can't be found."""
    progress("solving the game")
    try:
        must_be_open(game, "optimal play")
        solving = Solving(game, objective=objective)
        return solving.wait(lambda found, expanded, share: progress(_so_far(found, expanded, share)))
    except (TooLarge, NotInTime) as error:
        notes.append(str(error))
    except DicelabError as error:
        notes.append(f"optimal play is not known: {error}")
    return None


def _so_far(found: int, expanded: int, share: float) -> str:
    if found and expanded < found:
        return f"solving the game: {expanded:,} of {found:,} states"
    return f"solving the game: {many(found, 'state')}" if found else "solving the game"


def _about_turns(
    policy: Moves,
    families: list[Family],
    seconds: float,
    seed: int,
    notes: list[str],
    progress: Callable[[str], None],
) -> dict[str, Any]:
    """Return the chart of a policy that was found turn by turn; `families` gets the cost of the best strategy."""
    if families and families[0].cost is None:
        progress(f"playing against the best play, about {seconds:g} seconds")
        costs = cost_in_play(policy, parse_call(policy.game, families[0].written).chooser, seconds, seed)
        if costs is not None:
            cost, error, played = costs
            families[0] = replace(families[0], cost=cost, error=error)
            notes.append(
                f"what {families[0].written} loses is estimated by {many(played, 'game')} against the best play"
            )
    chart = first_turn(policy)
    if chart is None:
        return {}
    notes.append("the chart is about the first turn of a game")
    known: dict[str, Any] = {"view": chart[0], "thresholds": chart[1].thresholds}
    text = in_words(*chart)
    if text:
        progress(f"trying the chart as a rule, about {seconds:g} seconds")
        costs = cost_in_play(policy, by_chart(policy, *chart), seconds, seed)
        if costs is not None:
            known["thumb"] = Thumb(text, *costs)
            if len(policy.game.declared.decisions) > 1:
                notes.append("the rule is about this choice alone; all others are made as the best play makes them")
    return known


def _about_policy(
    policy: Policy, leaves: int, seconds: float, notes: list[str], progress: Callable[[str], None]
) -> dict[str, Any]:
    """Return the chart and the rule of a policy."""
    known: dict[str, Any] = {}
    try:
        view = view_of(policy)
        known |= {"view": view, "thresholds": grid(policy, view.x, view.y, view.at).thresholds}
    except DicelabError as error:
        notes.append(f"no chart: {error}")
    progress(f"looking for a rule, {seconds:g} seconds at most")
    try:
        known["rule"] = rule(policy, leaves, seconds=seconds)
    except DicelabError as error:
        notes.append(f"no rule of thumb: {error}")
    return known
