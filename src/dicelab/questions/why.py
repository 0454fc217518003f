"""`dicelab.why`: why do the seats differ? The exact value of a game to each seat after its first rolls and choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import ParameterError, unknown
from dicelab.questions.declare import question
from dicelab.questions.options import Fractions, GameLike, Memory, Option, StatesWatched, Whole
from dicelab.results.base import BaseResult, about, winners
from dicelab.results.entries import EXACT, Read, how_exact
from dicelab.results.numbers.estimates import Point, outcome_typed, shown_fraction
from dicelab.results.text.page import Printing, decimals
from dicelab.results.text.sentences import amount, how_it_ends
from dicelab.results.text.table import Column, Table, entry, plain
from dicelab.results.text.writing import aligned, exact_line, outcome_title
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, outcome_names
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.value import Value

if TYPE_CHECKING:
    from dicelab.questions.beginnings import Beginning, EarlyStep
    from dicelab.solver.exact_answer import StateWorths

EQUAL = 1e-9
"""Differences below this, and below the error bound, are none."""


MOST_SHOWN = 40
"""Rows that are all shown; of more, the most important ones, unless the page shows everything."""
LONGEST = 11
"""Letters of a probability that is shown as a fraction."""


@dataclass(frozen=True)
class WhyRow:
    """One way in which a game can begin.

    Attributes
    ----------
    steps
        Its first rolls and choices; fewer than asked for where the game is over before.
    probability
        Of this beginning; 0 where it needs a move that the strategies don't make.
    values
        By outcome, its probability after this beginning; or the mean of the tally, by its name.
    luck
        By how much these differ from those at the start.

    Examples
    --------
    >>> import dicelab
    >>> row = dicelab.why("lcr", players=2, coins=1).rows[0]
    >>> row.words, str(row.probability), str(row.values["0"].fraction), str(row.luck["0"].fraction)
    ('dot', '1/2', '2/3', '1/3')
    """

    steps: tuple[EarlyStep, ...]
    probability: Fraction
    values: dict[str, Value]
    luck: dict[str, Value]

    @property
    def weight(self) -> float:
        """How important the row is: its probability times the largest difference from the start."""
        return float(self.probability) * max(abs(value.value) for value in self.luck.values())

    @property
    def words(self) -> str:
        """The steps as text."""
        return "; ".join(step.words for step in self.steps)


@dataclass(frozen=True, repr=False, kw_only=True)
class Why(BaseResult):
    """What the first rolls and choices of a game do to each seat.

    Attributes
    ----------
    depth
        Number of rolls and choices.
    on
        ``outcomes``, or the name of a tally.
    seats
        Whether the outcomes are the winning seats.
    start
        By outcome, its probability at the start; or the mean of the tally, by its name.
    rows
        The beginnings, in the order of the dice. The values of the rows, weighted with their probabilities, add up to
        those at the start.
    states
        Number of states of the chain that was solved.
    fractions
        Whether the values are fractions.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.why("hazard", main=7)
    >>> found.rows[0].steps[0].words
    '2, 3 or 12'
    """

    depth: int
    on: str
    seats: bool
    start: dict[str, Value]
    rows: tuple[WhyRow, ...]
    states: int
    fractions: bool

    method = "why"
    entries = {
        "exact": Read(lambda self: how_exact(self.states, self.error, self.fractions), EXACT),
        "depth": "integer: rolls and choices of a row",
        "on": "string: outcomes, or the tally",
        "outcomes?": Read(
            lambda self: self._entries(self.start).get("outcomes"), "#outcomes: the outcomes at the start"
        ),
        "tallies?": Read(lambda self: self._entries(self.start).get("tallies"), "#tallies: the tally at the start"),
        "rows": Read(
            lambda self: [
                {"steps": row.steps, "probability": row.probability, **shown_fraction(row.probability)}
                | self._entries(row.values)
                | {"luck": {name: value.value for name, value in row.luck.items()}}
                for row in self.rows
            ],
            [
                {
                    "steps": [
                        {"kind": "'throw'|'choice'", "name words": "string", "seat?": "integer: the seat that chooses"}
                    ],
                    "probability": "number",
                    "fraction?": "string",
                    "outcomes?": "#outcomes",
                    "tallies?": "#tallies",
                    "luck": "{number}",
                }
            ],
            "one object for each row of the table",
        ),
        "words?": "string: the answer in words",
    }

    @property
    def outcomes(self) -> Mapping[str, Value]:
        """The probabilities of the outcomes at the start; empty if the question is about a tally."""
        return self.start if self.on == "outcomes" else {}

    @property
    def tallies(self) -> Mapping[str, Value]:
        """The mean of the tally at the start, by its name; empty if the question is about the outcomes."""
        return {} if self.on == "outcomes" else self.start

    @property
    def error(self) -> float:
        """Bound on the error of every value; 0 where they are fractions."""
        values = [*self.start.values(), *(value for row in self.rows for value in row.values.values())]
        return max(value.error for value in values)

    @property
    def words(self) -> str:
        """The answer in a sentence; empty where the outcomes are not seats."""
        return closing(self.start, self.rows, self.players) if self.seats and self.on == "outcomes" else ""

    def _sentence(self) -> str:
        if self.words:
            return self.words
        points = [Point.within(v.value, v.error) for v in self.start.values()]
        player = self.players[0] if len(self.players) == 1 else "player"
        if self.on == "outcomes":
            return how_it_ends(list(self.start), points, True, player)
        return amount(self.on, points[0], None, player)

    def _table(self) -> Table:
        chances = self.on == "outcomes"
        titles = {name: outcome_title(name, self.seats and chances, self.players) for name in self.start}
        lucky = [*titles][:1] if len(titles) == 2 else [*titles]  # what one of two gains, the other loses

        def step(at: int) -> Callable[[WhyRow], str]:
            return lambda row: row.steps[at].words if at < len(row.steps) else "start" * (not row.steps and not at)

        def shown(page: Printing, value: Value) -> str:
            return page.chance(value.value, value.error) if chances else _number(value, page)

        def luck(name: str) -> Column:
            title = titles[name] if titles[name] == name else f"of {titles[name]}"
            text = _signed if name in lucky else None
            title = f"luck {title}" if len(titles) > 1 else "luck"
            return Column(f"{name} luck", text, title, entry("luck", name), lambda row: row.luck[name].value)

        def value(name: str, title: str) -> Column:
            return Column(name, shown, title, entry("values", name), lambda row: row.values[name].value)

        steps = [Column(f"step {at + 1}", plain, title, step(at)) for at, title in enumerate(self._step_titles())]
        chance = Column("probability", probability_words, data=lambda row: float(row.probability))
        columns = [*steps, chance, *(value(*pair) for pair in titles.items()), *map(luck, titles)]
        return Table(columns, self.rows, keys=self.depth)

    def _step_titles(self) -> list[str]:
        """Return what the steps are, in order: ``first roll``, ``second choice``, ``second step`` where it varies."""
        titles, names = [], ["first", "second", "third"]
        for at in range(self.depth):
            kinds = {row.steps[at].kind for row in self.rows if len(row.steps) > at}
            what = {"throw": "roll", "choice": "choice"}[kinds.pop()] if len(kinds) == 1 else "step"
            titles.append(f"{names[at]} {what}" if at < len(names) else f"{what} {at + 1}")
        return titles

    def _entries(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """Return the values as the entry `outcomes` or `tallies` of plain data."""
        kind, key = ("outcomes", "probability") if self.on == "outcomes" else ("tallies", "mean")
        entries = {}
        for seat, (name, value) in enumerate(values.items()):
            entries[name] = value.to_dict(key)
            if self.seats and self.on == "outcomes":
                entries[name] |= {"seats": [seat], "label": outcome_title(name, True, self.players)}
        return {kind: entries}

    def _lines(self, page: Printing) -> list[str]:
        shown = important(self.rows, len(self.rows) if page.everything else MOST_SHOWN)
        start = WhyRow((), Fraction(1), self.start, {})
        table, luck = replace(self._table(), rows=[start, *shown]), self.depth + 1 + len(self.start)
        parts = [table]
        if max(map(len, aligned(table.cells(page)))) > page.width:
            rest = [*table.columns[: self.depth], *table.columns[luck:]]
            parts = [replace(table, columns=table.columns[:luck]), replace(table, columns=rest, rows=shown)]
        tables = [line for part in parts for line in (*part.lines(page), "")]
        lines = [*self._head(page), "", *tables, "luck: the difference from the start"]
        if len(shown) < len(self.rows):
            first = f"the {len(shown)} most important rows, the most important first"
            lines.append(f"{first}; {len(self.rows)} rows with --all")
        return [*lines, "", exact_line(self.states, None if self.fractions else self.error, self.seconds)]


@question(chart="why", tab="Why")
def why(
    game: GameLike,
    strategies: Strategies = (),
    *,
    depth: Annotated[int, Whole("Number of rolls and choices", "N", label="rolls and choices")] = 1,
    on: Annotated[
        str | None,
        Option("Show the mean of a tally instead of the chances", "TALLY", label="mean of", offers=("tallies",)),
    ] = None,
    fractions: Fractions = None,
    memory: Memory = None,
    progress: StatesWatched = lambda found, expanded: None,
    **parameters: object,
) -> Why:
    """Compute each seat's chance to win after each possible first roll or choice, exactly.

    Luck is the difference from the start. Rolls that lead to the same state are one row. A choice has a row for every
    sensible move: the chances if it is made this once; strategies play on. Of many rows the most important ones are
    shown; --all shows all of them.

    Commands
    --------
    dicelab why lcr --players 3
    dicelab why pass-line --on throws
    dicelab why tossup --dice 3 --target 10 --depth 2
    dicelab why lcr --players 3 --plot why.svg

    Raises
    ------
    TooLarge
        When the chain does not fit, or there are too many rows.

    Examples
    --------
    >>> found = why("lcr", players=2, coins=1)
    >>> {row.steps[0].words: str(row.values["0"].fraction) for row in found.rows}
    {'dot': '2/3', 'no dot': '0'}
    """
    from dicelab.questions.beginnings import beginnings
    from dicelab.rules.params import bytes_allowed
    from dicelab.solver.exact_answer import worths

    watch, run = Stopwatch(), Run.of(game, strategies, **parameters)
    on = valued_by(run.game, on)
    tally = None if on == "outcomes" else list(run.game.declared.tallies).index(on)
    start, openings = beginnings(run, depth, tally)
    states = [one.state for one in (start, *openings) if one.state is not None]
    known = worths(run, list(dict.fromkeys(states)), tally, fractions, bytes_allowed(memory), progress)
    columns = outcome_names(run.game) if tally is None else (on,)
    at_start = _values(start, columns, tally is None, known)
    rows = []
    for one in openings:
        values = _values(one, columns, tally is None, known)
        luck = {name: value.minus(at_start[name]) for name, value in values.items()}
        rows.append(WhyRow(one.steps, one.probability, values, luck))
    return Why(
        **about(run.game, run.strategies),
        seconds=watch.seconds,
        depth=depth,
        on=on,
        seats=winners(run.game),
        start=at_start,
        rows=tuple(rows),
        states=known.states,
        fractions=known.fractions,
    )


def valued_by(game: Game, on: str | None) -> str:
    """Return what is asked about a game: ``outcomes`` or a tally."""
    outcomes, tallies = outcome_names(game), game.declared.tallies
    known = [*(["outcomes"] if outcomes else []), *tallies]
    if not known:
        raise ParameterError(f"{game.name} has neither outcomes nor tallies, so no step of it has a value")
    if on is None:
        on = known[0]
    if on not in known and outcome_typed(game, on) in tallies:
        on = outcome_typed(game, on)
    if on not in known:
        raise unknown(f"tally of {game.name}", on, known)
    if on != "outcomes" and isinstance(tallies[on], Peak):
        raise ParameterError(f"{on} is a maximum, not a sum; its mean after a roll depends on what came before")
    return on


def _values(one: Beginning, names: Sequence[str], chances: bool, known: StateWorths) -> dict[str, Value]:
    """Return the values after a beginning: probabilities of the outcomes, or the mean of the tally."""
    if one.state is not None:
        return {name: worth.plus(one.counted) for name, worth in zip(names, known.of[one.state], strict=True)}
    if chances:
        return {name: Value.of(Fraction(int(i == one.outcome))) for i, name in enumerate(names)}
    return {names[0]: Value.of(Fraction(one.counted))}


# The sentence and the table -------------------------------------------------------------------------------------------


def closing(start: Mapping[str, Value], rows: Sequence[WhyRow], players: Sequence[str] = ()) -> str:
    """Return a sentence: the best and the worst seat, and the beginning that contributes most to their difference.

    The difference is the sum of the contributions of all rows: each is the probability of the beginning times the
    difference after it, so it is the part of the difference that comes from games that begin in this way.
    """
    best, worst = max(start, key=lambda name: start[name].value), min(start, key=lambda name: start[name].value)
    ahead = start[best].minus(start[worst])
    if ahead.value <= max(EQUAL, ahead.error):
        return "all players have the same chance"
    parts = [float(row.probability) * (row.values[best].value - row.values[worst].value) for row in rows]
    most, least = max(range(len(rows)), key=parts.__getitem__), min(range(len(rows)), key=parts.__getitem__)
    first, last = (outcome_title(name, True, players) for name in (best, worst))
    words = f"{first} is {100 * ahead.value:.3g} points ahead of {last}: "
    words += f"games that begin with {rows[most].words} contribute most, {100 * parts[most]:+.3g} points"
    against = f", and those with {rows[least].words} {100 * parts[least]:+.3g} points"
    return words + (against if parts[least] < 0 else "")


def important(rows: Sequence[WhyRow], most: int) -> list[WhyRow]:
    """Return all rows in their order if they are at most so many; else the most important ones, the most important
    first.
    """
    return list(rows) if len(rows) <= most else sorted(rows, key=lambda row: -row.weight)[:most]


def probability_words(page: Printing, probability: Fraction) -> str:
    """Return a probability as a fraction if that is short; 0 is that of a move that the strategy does not make.

    >>> probability_words(Printing(), Fraction(2, 9)), probability_words(Printing(), Fraction(0))
    ('2/9', 'not chosen')
    """
    if not probability:
        return "not chosen"
    text = str(probability)
    return text if len(text) <= LONGEST else page.chance(float(probability))


def _number(value: Value, page: Printing) -> str:
    return page.number(value.value, decimals((value.value - value.error, value.value + value.error)))


def _signed(page: Printing, value: Value | None) -> str:
    """Return a difference as text, with a sign unless it is shown as 0; nothing for None."""
    if value is None:
        return ""
    text = _number(value, page)
    return f"+{text}" if value.value > 0 and text.strip("0.,") else text
