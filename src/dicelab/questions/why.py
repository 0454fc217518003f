"""`dicelab.why`: why do the seats differ? The exact value of a game to each seat after its first rolls and choices."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dicelab.errors import ParameterError, unknown
from dicelab.keywords import keywords
from dicelab.questions.reasons.rows import WhyRow, closing
from dicelab.questions.reasons.steps import Beginning, beginnings
from dicelab.questions.reasons.table import table_of
from dicelab.results.base import BaseResult, present
from dicelab.results.numbers.estimates import Point, shown_fraction
from dicelab.results.provenance import about, winners
from dicelab.results.text.page import Page
from dicelab.results.text.sentences import amount, how_it_ends
from dicelab.results.text.writing import exact_line, outcome_title
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.params import whole
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.enumeration.model import bytes_allowed
from dicelab.solver.exact_answer import Worths, worths
from dicelab.solver.value import Value


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
        return closing(self.start, self.rows) if self.seats and self.on == "outcomes" else ""

    def _sentence(self) -> str:
        if self.words:
            return self.words
        points = [Point(v.value, v.value - v.error, v.value + v.error) for v in self.start.values()]
        player = self.players[0] if len(self.players) == 1 else "player"
        if self.on == "outcomes":
            return how_it_ends(list(self.start), points, True, player)
        return amount(self.on, points[0], None, player)

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for row in self.rows:
            line: dict[str, Any] = {f"step {i + 1}": words for i, words in enumerate(row.cells(self.depth))}
            line["probability"] = float(row.probability)
            line |= {name: value.value for name, value in row.values.items()}
            rows.append(line | {f"{name} luck": value.value for name, value in row.luck.items()})
        return rows

    def _facts(self) -> dict[str, Any]:
        rows = []
        for row in self.rows:
            steps = {"steps": [step.to_dict() for step in row.steps], "probability": float(row.probability)}
            luck = {name: value.value for name, value in row.luck.items()}
            rows.append({**steps, **shown_fraction(row.probability), **self._entries(row.values), "luck": luck})
        exact = {"states": self.states, "error": self.error, "arithmetic": "fractions" if self.fractions else "floats"}
        facts = {"exact": exact, "depth": self.depth, "on": self.on, **self._entries(self.start), "rows": rows}
        return facts | present(words=self.words)

    def _entries(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """Return the values as the entry `outcomes` or `tallies` of plain data."""
        kind, key = ("outcomes", "probability") if self.on == "outcomes" else ("tallies", "mean")
        entries = {}
        for seat, (name, value) in enumerate(values.items()):
            entries[name] = value.to_dict(key)
            if self.seats and self.on == "outcomes":
                entries[name] |= {"seats": [seat], "label": outcome_title(name, True, self.players)}
        return {kind: entries}

    def _lines(self, page: Page) -> list[str]:
        seats = self.seats and self.on == "outcomes"
        titles = {name: outcome_title(name, seats, self.players) for name in self.start}
        table = table_of(self.start, self.rows, self.depth, titles, page, self.on == "outcomes")
        lines = [*self._head(page), "", *table, ""]
        return [*lines, exact_line(self.states, None if self.fractions else self.error, self.seconds)]


@keywords()
def why(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies = (),
    *,
    depth: int = 1,
    on: str | None = None,
    fractions: bool | None = None,
    memory: int | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
    **parameters: object,
) -> Why:
    """Return each seat's chance to win after each possible first roll or choice, exactly.

    Rolls that lead to the same state are one row. At a choice every sensible move has a row: the values after it if it
    is made once and the strategies play on. Choices with very many moves are made by the strategies without a row.

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.simulate`.
    depth
        Number of rolls and choices that a row begins with.
    on
        A tally, to get its mean instead of the chances; by default ``outcomes``, or the first tally without them.
    fractions, memory, progress
        As in `dicelab.exact`.

    Raises
    ------
    InputError
        When something given is unknown or not allowed.
    TooLarge
        When the chain does not fit, or there are too many rows.
    PlayError

    Examples
    --------
    >>> found = why("lcr", players=2, coins=1)
    >>> {row.steps[0].words: str(row.values["0"].fraction) for row in found.rows}
    {'dot': '2/3', 'no dot': '0'}
    """
    watch, run = Stopwatch(), Run.of(game, strategies, **parameters)
    steps, names = whole("depth", depth), list(run.game.declared.tallies)
    if fractions is not None and not isinstance(fractions, bool):
        raise ParameterError(f"fractions: {fractions!r} is not allowed; it is True, False or None")
    on = valued_by(run.game, on)
    tally = None if on == "outcomes" else names.index(on)
    start, found = beginnings(run, steps, tally)
    states = [one.state for one in (start, *found) if one.state is not None]
    known = worths(run, list(dict.fromkeys(states)), tally, fractions, bytes_allowed(memory), progress)
    columns = outcome_names(run.game) if tally is None else (on,)
    at_start = _values(start, columns, tally is None, known)
    rows = []
    for one in found:
        values = _values(one, columns, tally is None, known)
        luck = {name: value.minus(at_start[name]) for name, value in values.items()}
        rows.append(WhyRow(one.steps, one.probability, values, luck))
    return Why(
        **about(run.game, run.strategies),
        seconds=watch.seconds,
        depth=steps,
        on=on,
        seats=winners(run.game),
        start=at_start,
        rows=tuple(rows),
        states=known.states,
        fractions=known.fractions,
    )


def valued_by(game: Game, on: str | None) -> str:
    """Return what is asked about a game: ``outcomes`` or a tally.

    Raises
    ------
    UnknownNameError, ParameterError
    """
    outcomes, tallies = outcome_names(game), game.declared.tallies
    known = [*(["outcomes"] if outcomes else []), *tallies]
    if not known:
        raise ParameterError(f"{game.name} has neither outcomes nor tallies, so no step of it has a value")
    if on is None:
        on = known[0]
    if on not in known:
        raise unknown(f"tally of {game.name}", on, known)
    if on != "outcomes" and isinstance(tallies[on], Peak):
        raise ParameterError(f"{on} is a maximum, not a sum; its mean after a roll depends on what came before")
    return on


def _values(one: Beginning, names: Sequence[str], chances: bool, known: Worths) -> dict[str, Value]:
    """Return the values after a beginning: probabilities of the outcomes, or the mean of the tally."""
    if one.state is not None:
        return {name: worth.plus(one.counted) for name, worth in zip(names, known.of[one.state], strict=True)}
    if chances:
        return {name: Value.of(Fraction(int(i == one.outcome))) for i, name in enumerate(names)}
    return {names[0]: Value.of(Fraction(one.counted))}
