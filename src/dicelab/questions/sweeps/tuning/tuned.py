"""The candidates that were tried, as a result: which satisfy all wishes, and what each kind of play gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from dicelab.questions.sweeps.tuning.plays import BEST, CASUAL, Figures
from dicelab.questions.sweeps.tuning.wishes import FAILS, HOLDS, OPEN, Wish
from dicelab.results.base import BaseResult
from dicelab.results.numbers.estimates import known
from dicelab.results.text.page import Page
from dicelab.results.text.writing import many

MOST_SHOWN = 20
"""Maximum number of candidates in the text; all are in JSON and CSV."""
MARKS = {HOLDS: "", OPEN: " ?", FAILS: " x"}
"""Behind a figure in the table: whether it is as wished."""


@dataclass(frozen=True)
class Candidate:
    """One combination of values.

    Attributes
    ----------
    values
        The values, by the names of the parameters.
    figures
        What was found, by kind of play.
    verdicts
        By kind of play and wish: ``holds``, ``fails``, or ``open`` where an interval reaches across an end.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.tune("lcr", over={"players": [2, 3]}, want=["gap<10%"])
    >>> found.rows[0].values, found.rows[0].verdicts
    ({'players': 3}, {'': {'gap<10%': 'holds'}})
    """

    values: dict[str, int | str]
    figures: dict[str, Figures]
    verdicts: dict[str, dict[str, str]]

    def satisfies(self, play: str | None = None) -> bool:
        """Whether all wishes hold, with all kinds of play or with one."""
        return all(
            verdict == HOLDS
            for name, found in self.verdicts.items()
            if play is None or name == play
            for verdict in found.values()
        )

    def rank(self, wishes: Sequence[Wish]) -> tuple[int, int, float]:
        """Sort key: wishes that fail, wishes that are open, and how far figures lie off, relative to what is wished."""
        verdicts = [verdict for found in self.verdicts.values() for verdict in found.values()]
        off = 0.0
        for wish in wishes:
            ends = [abs(end) for end in (wish.low, wish.high) if isfinite(end)]
            unit = max(max(ends, default=1.0), 1e-9)
            off += sum(wish.off(found.values[wish.figure].value) / unit for found in self.figures.values())
        return verdicts.count(FAILS), verdicts.count(OPEN), off

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        plays = []
        for play, found in self.figures.items():
            values = {name: {key: known(x) for key, x in one._asdict().items()} for name, one in found.values.items()}
            plays.append({"play": play, "games": found.games, "figures": values, "wishes": self.verdicts[play]})
        return {"over": self.values, "satisfies": self.satisfies(), "plays": plays}


@dataclass(frozen=True, repr=False, kw_only=True)
class Tuned(BaseResult):
    """Candidates, those that satisfy the most wishes first.

    Attributes
    ----------
    over, plays
        The names of the parameters that were varied, and the kinds of play.
    wishes
        What is wished for.
    rows
        The candidates.
    left_out
        Number of combinations that the rules do not allow.
    slack
        What a move of casual play may cost.
    games
        Number of games of each candidate that is simulated.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.tune("lcr", over={"players": [2, 3, 4]}, want=["gap<10%", "turns<20"])
    >>> [row.values["players"] for row in found.rows if row.satisfies()]
    [3]
    """

    over: tuple[str, ...]
    plays: tuple[str, ...]
    wishes: tuple[Wish, ...]
    rows: list[Candidate]
    left_out: int
    slack: float
    games: int

    method = "tune"

    @property
    def simulated(self) -> bool:
        """Whether any figure is simulated."""
        return any(found.games for row in self.rows for found in row.figures.values())

    def _games(self) -> int | None:
        return self.games if self.simulated else None

    def _facts(self) -> dict[str, Any]:
        wishes = [
            {"text": one.text, "figure": one.figure, "low": known(one.low), "high": known(one.high)}
            for one in self.wishes
        ]
        facts = {"over": list(self.over), "plays": list(self.plays), "wishes": wishes, "slack": self.slack}
        rows = [row.to_dict() for row in self.rows]
        return facts | {"rows": rows, "left_out": self.left_out, "sentences": self.words}

    def _rows(self) -> list[dict[str, Any]]:
        lines = []
        for row in self.rows:
            line: dict[str, Any] = dict(row.values)
            for play, found in row.figures.items():
                for wish in self.wishes:
                    name = f"{play} {wish.figure}".strip()
                    line |= {name: found.values[wish.figure].value, f"{name} wish": row.verdicts[play][wish.text]}
            lines.append({**line, "satisfies": row.satisfies()})
        return lines

    def _brief(self) -> str:
        return f"{sum(row.satisfies() for row in self.rows)} of {many(len(self.rows), 'candidate')} satisfy all wishes"

    @property
    def words(self) -> list[str]:
        """What was found, as sentences."""
        good = [row for row in self.rows if row.satisfies()]
        undecided = [row for row in self.rows if not row.rank(self.wishes)[0] and not row.satisfies()]
        first = f"{len(good)} of {many(len(self.rows), 'candidate')} satisfy all wishes"
        found = [f"{first}: {_names(good)}" if good else first]
        if undecided:
            found.append(f"not decided with so many games: {_names(undecided)}")
        if len(self.plays) > 1:
            for play in self.plays:
                only = [row for row in self.rows if row.satisfies(play) and not row.satisfies()]
                others = [row for row in only if any(FAILS in row.verdicts[one].values() for one in self.plays)]
                if others:
                    found.append(f"as wished with {_called(play)} play, but not with all: {_names(others)}")
        return found

    def _lines(self, page: Page) -> list[str]:
        head = page.head(f"{self.game} over {' and '.join(self.over)}", self.parameters, self.differing)
        wishes = ", ".join(wish.text for wish in self.wishes)
        lines = [*head, f"wishes: {wishes}", ""]
        figures = list(dict.fromkeys(wish.figure for wish in self.wishes))
        titles = [f"{_called(play)} {name}".strip() for play in self.plays for name in figures]
        table = [[*self.over, *titles]]
        for row in self.rows[:MOST_SHOWN]:
            cells = [self._cell(row, play, name, page) for play in self.plays for name in figures]
            table.append([*map(str, row.values.values()), *cells])
        lines += page.table(table, titles[::-1], len(self.over))
        left = len(self.rows) - MOST_SHOWN
        lines += [f"and {many(left, 'more candidate')}, in --csv and --json"] if left > 0 else []
        return [*lines, "", *self.words, *self._how()]

    def _cell(self, row: Candidate, play: str, figure: str, page: Page) -> str:
        """A figure, with a mark if a wish for it fails or is open."""
        one, found = row.figures[play].values[figure], row.verdicts[play]
        verdicts = [found[wish.text] for wish in self.wishes if wish.figure == figure]
        mark = MARKS[FAILS if FAILS in verdicts else OPEN if OPEN in verdicts else HOLDS]
        half = f" {page.plus_minus((one.low, one.high), 4)}" if row.figures[play].games else ""
        return f"{page.number(one.value, 4)}{half}{mark}"

    def _how(self) -> list[str]:
        lines = ["x: not as wished"]
        if self.simulated:
            lines[0] += "; ?: not decided; ± half of an interval; all intervals hold at once in 95 of 100 runs"
            lines.append(f"simulated: up to {many(self.games, 'game')} of each candidate, seed {self.seed}")
        if CASUAL in self.plays:
            lines.append(f"casual play: moves at random that cost at most {self.slack:g} if all play optimally then")
        lines += [f"{many(self.left_out, 'combination')} not allowed by the rules"] if self.left_out else []
        return [*lines, *([self.unfinished] if self.unfinished else [])]


def _called(play: str) -> str:
    return {BEST: "optimal", CASUAL: "casual"}.get(play, play)


def _names(rows: Sequence[Candidate]) -> str:
    """Candidates by their values, the first ones."""
    texts = ["; ".join(f"{name} {value}" for name, value in row.values.items()) for row in rows]
    texts = [f"({text})" if "; " in text else text for text in texts]
    left = len(texts) - 6
    return ", ".join(texts[:6]) + (f" and {left} more" if left > 0 else "")
