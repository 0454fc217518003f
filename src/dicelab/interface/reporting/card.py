"""`dicelab.card`: a policy as a table that can be printed, read by a spreadsheet, or pasted into a program."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from itertools import groupby
from pathlib import Path
from textwrap import fill

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Policy
from dicelab.errors import InputError, ParameterError
from dicelab.interface.reporting.pocket import pocket_of, pocket_page
from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.plots.chart_style import MUTED, TEXT, figure, plain
from dicelab.questions.policies.advice import At, cells, states_at
from dicelab.questions.policies.grid import PolicyGrid, PolicyView
from dicelab.rules.game import shown
from dicelab.runtime.arrays import Integers
from dicelab.runtime.leftovers import replacing
from dicelab.runtime.states.codec import Slots
from dicelab.version import __version__

PAPER = 8.27, 11.69
"""Width and height of a page in inches: A4."""
ROWS = 84
"""Lines of a column of text."""
SIZE = 6.5
"""Font size, in points."""
MARGIN = 0.06
"""Margin of a page, as a share of its width and height."""
LETTERS = 132
"""Letters that fit across a page."""


def words(runs: Runs, edge: str) -> str:
    """Return the moves of a line in words.

    >>> words(((0, 19, "roll"), (20, 50, "bank")), "points")
    'roll; bank from points 20'
    """
    (_, _, first), *others = runs
    return "; ".join([first, *(f"{move} from {edge} {low}" for low, _, move in others)])


def text_of(lines: Sequence[CardLine], edge: str) -> list[str]:
    """Return the lines of the card as text; lines that have all but the last field in common stand under a heading."""

    def heading(line: CardLine) -> str:
        return ", ".join(f"{name} {low}" for name, (low, _) in list(line.spans.items())[:-1])

    text = []
    for title, group in groupby(lines, key=heading):
        text += ["", title] if title else []
        for line in group:
            last = list(line.spans.items())[-1:]
            where = "".join(f"{name} {low if low == high else f'{low} to {high}'}: " for name, (low, high) in last)
            text.append(f"  {where}{words(line.runs, edge)}")
    return text


def printed(
    title: str,
    fixed: Mapping[str, int],
    edge: str,
    lines: Sequence[CardLine],
    pocket: tuple[PolicyView, PolicyGrid] | None = None,
) -> bytes:
    """Return the card as a PDF file; the same card gives the same bytes. Parameters as the attributes of
    `dicelab.Card`. The first page is the pocket card; without lines it is the only one.

    Raises
    ------
    ParameterError
        When it has too many pages, or matplotlib is not installed.
    """
    figure()  # says what is missing if matplotlib is
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    texts = text_of(lines, edge)
    widest = max((len(text) for text in texts), default=0) + 2
    columns = max(1, LETTERS // widest)
    pages = -(-len(texts) // (columns * ROWS))
    if pages > LIMITS.card_pages:
        raise ParameterError(
            f"the card would have {pages:,} pages, and {LIMITS.card_pages} is the limit; choose some states with --at, "
            "or write a .csv or .py file"
        )
    body = BytesIO()
    with PdfPages(body, metadata={"Title": title, "Creator": "dicelab", "CreationDate": None}) as file:
        if pocket is not None:
            file.savefig(pocket_page(title, *pocket))
        for page in range(pages):
            paper = Figure(figsize=PAPER)
            paper.text(MARGIN, 1 - MARGIN, plain(title), size=10, color=TEXT, va="top")
            small = ", ".join([*(f"{name} {value}" for name, value in fixed.items()), f"page {page + 1} of {pages}"])
            paper.text(MARGIN, 1 - MARGIN - 0.02, plain(small), size=SIZE, color=MUTED, va="top")
            for column in range(columns):
                low = (page * columns + column) * ROWS
                block = "\n".join(plain(text) for text in texts[low : low + ROWS])
                left = MARGIN + column * (1 - 2 * MARGIN) * widest / LETTERS
                paper.text(left, 1 - MARGIN - 0.04, block, size=SIZE, color=TEXT, va="top", family="monospace")
            file.savefig(paper)
    return body.getvalue()


# A card as a Python program: one plain function and its table, which need nothing else.


WIDTH = 100
"""Letters in a line of the program's words."""
TEMPLATE = '''"""{title}

{about}
"""

{meaning}
TABLE = {{
{table}
}}


def best_move({arguments}):
    """The best move in a state; a KeyError if the policy has no line for it.

    >>> {example}
    {shown!r}
    """
    for _first, _last, _moves in TABLE[{key}]:
        if _first <= {joined} <= _last:
            for _low, _high, _move in _moves:
                if _low <= {edge} <= _high:
                    return _move
    raise KeyError("the policy has no line for this state")
'''


def program(title: str, fixed: Mapping[str, int], edge: str, lines: Sequence[CardLine]) -> str:
    """Return the text of the program; parameters as the attributes of `dicelab.Card`.

    Every number of a state that varies is an argument; a row is one argument, a sequence.
    """
    *first, last = [*lines[0].spans] or [""]
    arguments = list(dict.fromkeys(name.partition("[")[0] for name in (*first, *([last] if last else []), edge)))
    about = "`best_move` returns the best move of the seat whose turn it is."
    if fixed:
        about += f" In all states {', '.join(f'{name} is {value}' for name, value in fixed.items())}."
    meaning = (
        f"By ({', '.join(first)}): the first and last {last or 'line'}, and for each move the first and last {edge}."
    )
    return TEMPLATE.format(
        title=fill(f"{title[0].upper()}{title[1:]}.", WIDTH),
        about=fill(f"{about} Written by dicelab {__version__}.", WIDTH),
        meaning=fill(meaning, WIDTH, initial_indent="# ", subsequent_indent="# "),
        table=_table(first, last, lines),
        arguments=", ".join(["*", *arguments]),
        key="".join(f"{name}, " for name in first).rstrip() if first else "()",
        joined=last or "0",
        edge=edge,
        example=f"best_move({', '.join(_example(arguments, fixed, edge, lines[0]))})",
        shown=lines[0].runs[0][2],
    )


def _table(first: Sequence[str], last: str, lines: Sequence[CardLine]) -> str:
    """Return the entries of the table: for each value of the fields `first`, lines by the field `last`."""
    rows = []
    for key, group in groupby(lines, key=lambda line: tuple(line.spans[name][0] for name in first)):
        rows.append(f"    {key!r}: (")
        for line in group:
            low, high = line.spans[last] if last else (0, 0)
            rows.append(f"        ({low}, {high}, ({', '.join(map(repr, line.runs))},)),")
        rows.append("    ),")
    return "\n".join(rows)


def _example(arguments: Sequence[str], fixed: Mapping[str, int], edge: str, line: CardLine) -> list[str]:
    """Return the arguments of the first state of a line."""
    values = {**fixed, **{name: low for name, (low, _) in line.spans.items()}, edge: line.runs[0][0]}
    given = []
    for argument in arguments:
        row = [value for name, value in sorted(values.items()) if re.fullmatch(rf"{argument}\[\d+\]", name)]
        given.append(f"{argument}={row or values[argument]}")
    return given


@dataclass(frozen=True)
class Card:
    """A policy as a table.

    Attributes
    ----------
    title
        The game with its parameters, and what was solved.
    fixed
        The fields that have the same value in all states, with this value.
    edge
        The field whose value decides the move within a line.
    lines
        The lines, in the order of the values.
    states
        Number of states.
    pocket
        The chart of the pocket card; None if there is none.
    chosen
        Whether some of the states were chosen; then all lines are printed, not the pocket card alone.

    Examples
    --------
    >>> import dicelab
    >>> found = card(dicelab.solve("tossup", target=10, dice=2).policy, player=0, scores=(4, 0))
    >>> found.edge, found.lines[0].runs
    ('points', ((0, 5, 'roll'), (6, 6, 'bank')))
    """

    title: str
    fixed: dict[str, int]
    edge: str
    lines: tuple[CardLine, ...]
    states: int
    pocket: tuple[PolicyView, PolicyGrid] | None = None
    chosen: bool = False

    @property
    def csv(self) -> str:
        """The card as comma-separated values, a row for each run of a line: first and last values, and the move."""
        names = [*self.lines[0].spans, self.edge]
        text = StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow([*(f"{name} {end}" for name in names for end in ("from", "to")), "move"])
        for line in self.lines:
            ends = [end for span in line.spans.values() for end in span]
            table.writerows([*ends, low, high, move] for low, high, move in line.runs)
        return text.getvalue()

    @property
    def python(self) -> str:
        """The card as a Python function ``best_move``, in a file that needs nothing else."""
        return program(self.title, self.fixed, self.edge, self.lines)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the card to a file: ``.pdf`` to print, ``.csv``, or ``.py``.

        Raises
        ------
        ParameterError
            When the suffix is none of these, the card is too long to be printed, or matplotlib is not installed.
        InputError
            When the file can't be written.
        """
        suffix = Path(path).suffix.lower()
        must_be_a_card(path)
        if suffix == ".pdf":
            lines = self.lines if self.chosen or self.pocket is None else ()
            body = printed(self.title, self.fixed, self.edge, lines, self.pocket)
        else:
            body = (self.csv if suffix == ".csv" else self.python).encode()
        with replacing(path, InputError, os.fspath(path)) as draft:
            draft.write_bytes(body)


def must_be_a_card(path: str | os.PathLike[str]) -> None:
    """Refuse a name of a file that no card can have.

    Examples
    --------
    >>> must_be_a_card("card.txt")
    Traceback (most recent call last):
    dicelab.errors.ParameterError: card.txt: a card is a .pdf, .csv or .py file
    """
    if Path(path).suffix.lower() not in (".pdf", ".csv", ".py"):
        raise ParameterError(f"{os.fspath(path)}: a card is a .pdf, .csv or .py file")


@keywords
def card(policy: Policy, /, **at: At) -> Card:
    """Return a policy as a table that can be printed, read by a spreadsheet, or pasted into a program.

    Parameters
    ----------
    policy
        As solved, or loaded from a file.
    **at
        Values of fields by name, as in `dicelab.advice`: the card is then about these states only.

    Returns
    -------
    Card
        Its attributes ``csv`` and ``python`` are texts; ``save`` writes them, or a PDF, to a file.

    Raises
    ------
    ParameterError
        When there is no such field, no seat chooses in such a state, or there are more than 500,000 states.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=10, dice=2).policy
    >>> print(card(best, player=0, scores=(4, 0)).csv)
    points from,points to,move
    0,5,roll
    6,6,bank
    <BLANKLINE>
    """
    chosen = states_at(policy, cells(at))
    if len(chosen) > LIMITS.card_states:
        raise ParameterError(
            f"a card has at most {LIMITS.card_states:,} states, and these are {len(chosen):,}; "
            "choose some of them with --at"
        )
    names = Slots.of(policy.game, ()).names
    columns = {name: policy.column(name)[chosen] for name in names}
    fixed = {name: int(values[0]) for name, values in columns.items() if (values == values[0]).all()}
    varying = {name: values for name, values in columns.items() if name not in fixed} or {names[0]: columns[names[0]]}
    words, moves = np.unique(np.array(policy.moves_in_words())[chosen], return_inverse=True)
    edge, lines = lines_of(varying, moves.reshape(-1), words.tolist())
    game, defaults = policy.game, policy.game.declared.params
    given = [
        f"{name} {value}" for name, value in shown(game).items() if game.parameters[name] != defaults[name].default
    ]
    title = f"{game.name}{': ' * bool(given)}{', '.join(given)}; {policy.about['solved']}"
    rest = {n: v for n, v in fixed.items() if n not in varying}
    return Card(title, rest, edge, lines, len(chosen), pocket_of(policy, cells(at)), bool(at))


# Lines ----------------------------------------------------------------------------------------------------------------
#
# The lines of a card.
#
# States that differ in one number only, the *edge* field, are one line: ``points: roll to 19, then bank``. Lines that
# differ only in the *last* field and say the same are joined. Both fields are chosen so that there are few lines.
# States that aren't in the policy, because nobody chooses there or optimal play never gets there, belong to the nearest
# line.


Runs = tuple[tuple[int, int, str], ...]
"""First value, last value and move, by rising values."""


@dataclass(frozen=True)
class CardLine:
    """Some states: first and last value of each field but the edge field, and the move by its value.

    Attributes
    ----------
    spans
        By field: the first and the last value; only those of the last field may differ.
    runs
        First and last value of the edge field, rising, and the move in words.
    """

    spans: dict[str, tuple[int, int]]
    runs: Runs


def lines_of(columns: dict[str, Integers], moves: Integers, words: list[str]) -> tuple[str, tuple[CardLine, ...]]:
    """Return the edge field, and the lines.

    Parameters
    ----------
    columns
        By field: its value in each state, int64 array (states,).
    moves
        The best move in each state, int64 array (states,), an index of `words`.
    words
        The moves in words.
    """

    def ordered(name: str) -> tuple[list[str], Integers]:
        others = [other for other in columns if other != name]
        return others, _sorted([*(columns[other] for other in others), columns[name]])

    def runs(name: str) -> int:
        others, order = ordered(name)
        return int(_changes([*(columns[other] for other in others), moves], order).sum())

    edge = min(columns, key=runs)
    others, order = ordered(edge)
    starts = np.flatnonzero(_changes([columns[other] for other in others], order))
    keys = [columns[other][order[starts]] for other in others]
    values, chosen = columns[edge][order].tolist(), moves[order].tolist()
    patterns: dict[Runs, int] = {}
    pattern = []
    for low, high in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        pattern.append(
            patterns.setdefault(_runs(values[low:high], [words[move] for move in chosen[low:high]]), len(patterns))
        )
    return edge, _joined(others, keys, np.array(pattern, np.int64), list(patterns))


def _sorted(columns: Sequence[Integers]) -> Integers:
    """Return the order of the states by the given numbers; the first of them counts most."""
    return np.lexsort(tuple(reversed(columns))) if columns else np.arange(0)


def _changes(columns: Sequence[Integers], order: Integers) -> NDArray[np.bool_]:
    """Return which states, in that order, differ from the one before them in one of the numbers; the first one does."""
    differs = np.zeros(len(order), np.bool_)
    differs[:1] = True
    for column in columns:
        differs[1:] |= np.diff(column[order]) != 0
    return differs


def _runs(values: list[int], moves: list[str]) -> Runs:
    """Return consecutive values with the same move, as first value, last value and move."""
    runs = []
    for move, group in groupby(zip(values, moves, strict=True), key=lambda pair: pair[1]):
        run = [value for value, _ in group]
        runs.append((run[0], run[-1], move))
    return tuple(runs)


def _joined(names: list[str], keys: list[Integers], pattern: Integers, patterns: list[Runs]) -> tuple[CardLine, ...]:
    """Return lines for all keys; those that differ only in the last field, with the same pattern, are one."""

    def order_with(last: int) -> tuple[list[int], Integers]:
        first = [k for k in range(len(keys)) if k != last]
        return first, _sorted([*(keys[k] for k in first), keys[last]])

    def count(last: int) -> int:
        first, order = order_with(last)
        return int(_changes([*(keys[k] for k in first), pattern], order).sum())

    if not keys:
        return (CardLine({}, patterns[0]),)
    last = min(range(len(keys)), key=count)
    first, order = order_with(last)
    starts = np.flatnonzero(_changes([*(keys[k] for k in first), pattern], order)).tolist()
    lines = []
    for low, high in zip(starts, [*starts[1:], len(order)], strict=True):
        begin, end = order[low], order[high - 1]
        spans = {names[k]: (int(keys[k][begin]), int(keys[k][end])) for k in (*first, last)}
        lines.append(CardLine(spans, patterns[int(pattern[begin])]))
    return tuple(lines)
