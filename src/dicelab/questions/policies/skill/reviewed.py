"""The result of a review: every roll and decision of a game with what it changed, and the sums by seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import attrgetter, itemgetter
from typing import Any

from dicelab.questions.policies.objective import Objective
from dicelab.results.base import BaseResult
from dicelab.results.entries import Read
from dicelab.results.text.page import Noted, Printing
from dicelab.results.text.table import Column, Table, Text, plain
from dicelab.results.text.writing import many, objective_text
from dicelab.rules.actions import Decision

WORST = 3
"""Number of decisions that are listed as the worst."""
CLOSE = Fraction(1, 10**9)
"""Costs below this are rounding of the solved values, not mistakes."""
SUMS = {"start": "start", "luck": "luck", "drawn": "mixed choices", "costs": "own costs", "given": "others' errors"}
"""The sums of a review with their heads: result = start + luck + drawn - costs + given; `drawn` only where strategies
draw their moves."""
MARKS = ((0.08, "??", "very bad"), (0.04, "?", "bad"), (0.02, "?!", "doubtful"))
"""From which cost in winning chance on a decision gets a mark, and its meaning: half the points of equity of GNU
Backgammon.
"""
SHOWN = 5e-5
"""Smallest cost that pages of the lab show, of every decision."""
YOU = "you"
"""Name of the seat of the only person."""

Shares = tuple[Fraction, ...]
"""A number for each seat."""


@dataclass(frozen=True)
class Reviewed:
    """A roll or a decision, with what it changed.

    Attributes
    ----------
    kind, name, values
        ``throw`` or ``choice``, the rules' method, and what it received.
    seat
        The seat that decided; -1 for a roll.
    before, after
        Value to each seat before and after; before a decision, the value with the policy's move.
    decision, better
        What was decided, and the policy's move; None and empty for a roll.
    called
        Both moves in the words of the game; empty for a roll.
    unseen
        In a game with hidden information, what a move gave each seat because of what the one that made it did not see:
        that is luck. Empty otherwise.
    drawn
        Whether the move is one of several that the strategy draws from. Then `unseen` is what drawing this one gave.
    sign
        -1 where fewer is better, as with ``fewest:TALLY``: then a decision costs what it adds.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> from dicelab.questions.policies.skill.review import PlayedStep, review
    >>> from dicelab.questions.policies.skill.values import values
    >>> game = TossUp(target=2, dice=2)
    >>> found = review(game, values(game), [PlayedStep("throw", (0, 0, 1)), PlayedStep("choice", (1,))])
    >>> decision = found.steps[1]
    >>> decision.words, decision.best, decision.seat, round(float(decision.cost), 6)
    ('bank', 'roll', 0, 0.544556)
    """

    kind: str
    name: str
    values: tuple[int, ...]
    seat: int
    before: Shares
    after: Shares
    decision: Decision | None = None
    better: tuple[int, ...] = ()
    called: tuple[str, str] = ("", "")
    unseen: Shares = ()
    drawn: bool = False
    sign: int = 1

    @property
    def words(self) -> str:
        """The move in words, with seats counted from 1; empty for a roll."""
        if self.called[0]:
            return self.called[0]
        return self.decision.describe(self.values, 1) if self.decision is not None else ""

    @property
    def best(self) -> str:
        """The policy's move in words, with seats counted from 1; empty for a roll."""
        if self.called[1]:
            return self.called[1]
        return self.decision.describe(self.better, 1) if self.decision is not None else ""

    @property
    def change(self) -> Shares:
        """What it gave each seat."""
        return tuple(b - a for a, b in zip(self.before, self.after, strict=True))

    @property
    def judged(self) -> Shares:
        """What a decision gave each seat, as far as the seat that made it could know; of a roll, all that it gave."""
        return tuple(c - u for c, u in zip(self.change, self.unseen, strict=True)) if self.unseen else self.change

    @property
    def cost(self) -> Fraction:
        """What a decision cost the seat that made it; 0 for a roll."""
        return -self.sign * self.judged[self.seat] if self.seat >= 0 else Fraction(0)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        values = {name: [float(v) for v in getattr(self, name)] for name in ("before", "after")}
        about = {"kind": self.kind, "name": self.name, "values": list(self.values)}
        return about | self.decided | values

    @property
    def decided(self) -> dict[str, Any]:
        """The seat that decided, its move and the policy's, with seats counted from 0, and the cost."""
        if self.decision is None:
            return {}
        move, best = self.decision.describe(self.values), self.decision.describe(self.better)
        drawn = {"drawn": True} if self.drawn else {}
        return {"seat": self.seat, "move": move, "best": best, "cost": float(self.cost)} | drawn


@dataclass(frozen=True, repr=False, kw_only=True)
class Review(BaseResult):
    """A reviewed game, step by step: its luck, and the cost of decisions by seat.

    Attributes
    ----------
    names
        Names of the seats, as they are shown; ``you`` for the only person.
    objective
        What the values are: chances to win, chances of an outcome, or amounts of a tally.
    steps
        Rolls and decisions in order.
    start, result
        Value of the start, and what each seat got (or its value where the game was left), as fractions.
    over
        Whether the game was played to its end.
    cycles
        As in `dicelab.questions.policies.skill.values.Values`.
    by, games, error
        If values are estimates: the strategy that all seats are taken to follow, the games that it plays on from each
        state, and the largest half-width of a 95 % interval of a value. Otherwise empty, and 0.
    unsolved
        Why the game isn't solved, if it was tried.

    Examples
    --------
    >>> import dicelab, json, pathlib, tempfile
    >>> moves = [{"roll": {"green": 2}}, {"choice": "bank"}]
    >>> file = pathlib.Path(tempfile.mkdtemp(), "game.json")
    >>> _ = file.write_text(json.dumps({"game": "tossup", "parameters": {"dice": 2, "target": 5}, "moves": moves}))
    >>> found = dicelab.review(file)
    >>> [step.kind for step in found.steps], found.over
    (['throw', 'choice'], False)
    """

    names: tuple[str, ...]
    objective: Objective
    steps: tuple[Reviewed, ...]
    start: Shares
    result: Shares
    over: bool
    cycles: int = 0
    by: str = ""
    games: int = 0
    error: float = 0.0
    unsolved: str = ""

    method = "review"
    entries = {
        "objective": Read(attrgetter("objective.text"), "string: what the values are, as in solve"),
        "names": "[string]: of the seats",
        "sentences": Read(
            lambda self: list(map(self.sentence, range(self.seats))),
            "[string]: for each seat, what luck and decisions came to",
        ),
        "worst": Read(
            lambda self: [[at + 1 for at, _ in self.worst(seat)] for seat in range(self.seats)],
            "[[integer]]: for each seat, the numbers of the steps that were its worst decisions",
        ),
        "start": "#shares: value before the first step",
        "luck": "#shares: sum of the luck of all rolls",
        "drawn?": Read(
            lambda self: self.drawn if self._draws else None,
            "#shares: what it gave which of several moves were made, where the strategies draw one of them",
        ),
        "costs": "#shares: sum of what the seat's own decisions cost it",
        "given": "#shares: what the errors of the others gave it",
        "result": "#shares: start + luck - costs + given",
        "over": "boolean: whether the game was played to its end",
        "cycles": "integer: components in which best responses cycle",
        "by?": "string: strategy that all seats are taken to follow, where values are estimates",
        "games?": "integer: games that are played on from each state for an estimate",
        "error?": Read(
            lambda self: self.error if self.by else None,
            "number: largest half-width of a 95 % interval of an estimate",
        ),
        "unsolved?": "string: why the game isn't solved",
        "steps": (
            [
                {
                    "kind": "'throw'|'choice': a roll or a decision",
                    "name": "string: its name in the rules",
                    "values": "[integer]: what the rules received",
                    "seat?": "integer: the seat that chose",
                    "move?": "string: the move that was made",
                    "best?": "string: the move of the policy",
                    "cost?": "number: what the move cost the seat that made it",
                    "drawn?": "=true: present where the strategy draws its moves, and this is one of them",
                    "before": "#shares: value before it; before a decision, with the move of the policy",
                    "after": "#shares: value after it",
                }
            ],
            "rolls and decisions in order",
        ),
    }

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.start)

    @property
    def luck(self) -> Shares:
        """What all rolls together gave each seat, and what nobody could know when moves were made."""
        rolls, unseen = self._sum(lambda step, seat: step.seat < 0), self._unseen(drawn=False)
        return tuple(roll + more for roll, more in zip(rolls, unseen, strict=True))

    @property
    def drawn(self) -> Shares:
        """What it gave each seat which of several moves were made, where the strategies draw one of them."""
        return self._unseen(drawn=True)

    def _unseen(self, drawn: bool) -> Shares:
        seen = [s.unseen for s in self.steps if s.unseen and s.drawn == drawn]
        return tuple(sum((more[k] for more in seen), Fraction(0)) for k in range(self.seats))

    @property
    def costs(self) -> Shares:
        """What its own decisions cost each seat; what they added where fewer is better."""
        return tuple(-self._sign * change for change in self._sum(lambda step, seat: step.seat == seat))

    @property
    def given(self) -> Shares:
        """What the others' errors gave each seat."""
        return self._sum(lambda step, seat: step.seat not in (-1, seat))

    def _sum(self, counts: Callable[[Reviewed, int], bool]) -> Shares:
        """Return the sum of the changes to each seat by the steps that count for it."""
        return tuple(sum((s.judged[k] for s in self.steps if counts(s, k)), Fraction(0)) for k in range(self.seats))

    def line(self, seat: int) -> list[float]:
        """Return the value to a seat at the start and after every step."""
        return [float(self.start[seat]), *(float(step.after[seat]) for step in self.steps)]

    def worst(self, seat: int) -> list[tuple[int, Reviewed]]:
        """Return the decisions of a seat that cost most, with their places in the game."""
        errors = [(i, s) for i, s in enumerate(self.steps) if s.seat == seat and s.cost > CLOSE]
        return sorted(errors, key=lambda pair: -pair[1].cost)[:WORST]

    def sentence(self, seat: int) -> str:
        """Return the review of a seat in one sentence, in points (hundredths) of winning chance, or in units of a
        tally.
        """
        costs, luck = (float(self._scale * sums[seat]) for sums in (self.costs, self.luck))
        decided = sum(s.seat == seat for s in self.steps)
        name = self.names[seat]
        whose, before = ("Your", "") if name == YOU else ("Its", f"{name[0].upper()}{name[1:]}: ")
        if not decided:
            return f"{before}The dice {self._gave(luck)} {self._unit}; there was nothing to decide."
        if self.by:
            worth = f"cost {_rounded(costs)}" if costs >= 0 else f"gained {_rounded(-costs)}"
            compared = f"{worth} {self._unit} against moves of {self.by}"
            compared = compared if abs(costs) >= 0.005 else f"were worth as much as those of {self.by}"
            return f"{before}{whose} decisions {compared}, by estimates; the dice {self._gave(luck)}."
        if costs < 0.005:
            return f"{before}No decision cost anything ({many(decided, 'decision')}); the dice {self._gave(luck)}."
        return f"{before}{whose} decisions cost {_rounded(costs)} {self._unit}; the dice {self._gave(luck)}."

    def _gave(self, points: float) -> str:
        good, bad = ("gave", "cost") if self._sign > 0 else ("added", "saved")
        return f"{good} {_rounded(points)}" if points >= 0 else f"{bad} {_rounded(-points)}"

    @property
    def _sign(self) -> int:
        """Whether more is better for a seat, or fewer (-1)."""
        return self.objective.sign

    @property
    def amount(self) -> str:
        """What the values are amounts of: a tally, or ``payoff``; empty if they are chances."""
        return "payoff" if self.objective.kind == "payoff" else self.objective.name * self.objective.counts

    @property
    def measure(self) -> str:
        """What is shown after each step: a ``chance``, or a ``value``."""
        return "value" if self.amount else "chance"

    @property
    def _scale(self) -> int:
        return 1 if self.amount else 100

    @property
    def _unit(self) -> str:
        if self.amount:
            return f"of {self.amount}"
        return f'points of chance of the outcome "{self.outcome}"' if self.outcome else "points of winning chance"

    @property
    def outcome(self) -> str:
        """The outcome whose chances the values are; empty if they are chances to win, or amounts."""
        return "" if self.amount or self.objective.kind == "win" else objective_text(self.objective.name, self.seats)

    def _table(self, seat: int = 0) -> Table:
        """Return the table of all steps, with the luck and the values of a seat; its rows are their numbers, and what
        they are.
        """

        def cost(page: Printing, row: tuple[int, Reviewed]) -> str:
            cost = row[1].cost
            if not page.roomy:
                return self._number(page, cost)
            marks = [marked for least, *marked in MARKS if cost >= least and not self.amount]
            return self._cost(page, cost, *marks[:1]) if abs(cost) > SHOWN else ""

        def luck(page: Printing, row: tuple[int, Reviewed]) -> str:
            decided = row[1].seat >= 0 and not row[1].drawn
            return "" if decided else page.change(float(self._scale * row[1].change[seat]), 2, self._sign)

        def decided(row: tuple[int, Reviewed]) -> dict[str, Any]:
            return {name: value for name, value in row[1].decided.items() if name != "move"}

        def values(row: tuple[int, Reviewed]) -> dict[str, float]:
            after = {f"value {seat}": float(value) for seat, value in enumerate(row[1].after)}
            return after | {f"change {seat}": float(value) for seat, value in enumerate(row[1].change)}

        def what(row: tuple[int, Reviewed]) -> str:
            return str(row[1].decided.get("move", row[1].name))

        columns = [
            Column("step", plain, value=itemgetter(0)),
            Column("", plain, "player", lambda row: self.names[row[1].seat] if row[1].seat >= 0 else ""),
            Column("what", plain, "move", lambda row: row[1].words, what),
            Column("values", value=lambda row: list(row[1].values)),
            Column("", luck, "luck", wide=True),
            Column("*", cost, "cost", data=decided),
            Column("", plain, "better", lambda row: row[1].best if row[1].best != row[1].words else ""),
            Column("", lambda page, row: page.number(float(row[1].after[seat]), 3), self.measure, wide=True),
            Column("*", data=values),
        ]
        return Table(columns, list(enumerate(self.steps, 1)), keys=3)

    def _number(self, page: Printing, value: Fraction | float) -> str:
        """Return a value in the unit of the review."""
        return page.number(float(self._scale * value) + 0.0, 2)

    def _cost(self, page: Printing, value: Fraction, mark: Sequence[str] = ("", "")) -> str:
        """Return a cost in the unit of the review, perhaps with a mark and its meaning."""
        return Noted.of(f"{self._number(page, value)} {mark[0]}".rstrip(), mark[1], "bad" * (value > SHOWN))

    def _accounts(self) -> Table:
        """Return the table of the seats: what adds up to the result of each."""

        def luck(page: Printing, value: Fraction) -> str:
            return page.change(float(self._scale * value), 2, self._sign)

        texts: dict[str, Text] = {"start": self._number, "costs": self._cost, "result": self._number}
        columns = [
            Column("", texts.get(part, luck), title, lambda seat, part=part: getattr(self, part)[seat])  # type: ignore[misc]
            for part, title in [*self._sums.items(), ("result", "result")]
        ]
        return Table([Column("", lambda page, seat: self.names[seat], ""), *columns], range(self.seats))

    def page_tables(self, seat: int, what: Text, again: Text, shown: int) -> list[str]:
        """Return the tables of its page in the lab as HTML: of the seats, and of the first steps with a seat's values.

        `what` writes the roll of a row of the steps, its number and the step, or who made which move; `again` a link to
        play from there.
        """
        table = self._table(seat).on_page({"move": what}, Column("", again, "again"))
        columns = [one for one in table.columns if one.head != "player"]
        steps = replace(table, columns=columns, rows=table.rows[:shown], keys=2, sparse=True)
        return [self._accounts().web(), steps.web()]

    def _brief(self) -> str:
        return self.sentence(0)

    def _sentence(self) -> str:
        return self.sentence(self.names.index(YOU) if YOU in self.names else 0)

    def _lines(self, page: Printing) -> list[str]:
        mistakes = [(at + 1, step) for seat in range(self.seats) for at, step in self.worst(seat)]
        lines = [*self._head(page, ()), "", self.equation, ""]
        lines += [*self._accounts().lines(page), ""]
        lines += ["worst decisions", *replace(self._table(), rows=mistakes).lines(page), ""] if mistakes else []
        lines += [self.sentence(seat) for seat in range(self.seats)]
        return [*lines, *([""] if self._notes else []), *self._notes]

    @property
    def equation(self) -> str:
        """What the result of a seat is the sum of, and the unit."""
        drawn, costs = " + mixed choices" if self._draws else "", "- own costs" if self._sign > 0 else "+ own costs"
        return f"in {self._unit.removeprefix('of ')}: result = start + luck{drawn} {costs} + others' errors"

    @property
    def _draws(self) -> bool:
        """Whether some strategy draws its moves."""
        return any(step.drawn for step in self.steps)

    @property
    def _sums(self) -> dict[str, str]:
        return {name: head for name, head in SUMS.items() if name != "drawn" or self._draws}

    @property
    def _notes(self) -> list[str]:
        """Remarks about the values: of an unfinished game, or where best responses cycle."""
        left = [] if self.over else ["The game was not played to its end; its result is the value where it was left."]
        one_of = (
            f"Best responses cycle in {many(self.cycles, 'component')}: the values belong to one policy of several."
        )
        by_sight = (
            "Each decision is judged by what its seat saw, with everybody following the strategy; a better move than "
            "the strategy's has a cost below 0. What nobody could know is luck."
        )
        of_draws = (
            "Each decision is judged by what its seat saw, with everybody following the mixed strategies. A move that "
            "they may make costs nothing: which of them is made is the luck of mixed choices."
        )
        unsolved = f"The game isn't solved ({self.unsolved}). " if self.unsolved else ""
        estimated = (
            f"{unsolved}Values are estimates, each to ± {self.error:.2g} at most, by {self.games:,} games in which all "
            f"players follow {self.by}. A decision costs what it brings less than the move of {self.by}, which stands "
            "under better; a cost below 0 is a better move than that."
        )
        left += [estimated] if self.by else []
        seen = any(step.unseen for step in self.steps)
        sight = [of_draws] if self._draws else [by_sight] if seen else []
        return [*left, *([one_of] if self.cycles else []), *sight]


def _rounded(points: float) -> str:
    return f"{points:.1f}" if points >= 0.1 or not points else f"{points:.2f}"
