"""A game told on the screen while it is played: dice drawn as dice, the numbers that matter, what has changed.

Everything here is text of a known width. A person's turn is told at length, a strategy's in one line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from shutil import get_terminal_size
from textwrap import wrap

from dicelab.engines.reference import Event
from dicelab.engines.transcript import State
from dicelab.rules.dice import COUNTS, SUM
from dicelab.rules.fields import Flag, Int, Ints
from dicelab.rules.game import Game, position, seat_count
from dicelab.rules.params import Expr
from dicelab.rules.steps import Decision, Throw

Value = int | list[int]
Paint = Callable[[str, str], str]
"""Text and the name of a style; the text with the codes that a terminal understands."""

MOST_ROWS = 2
"""Dice that need more rows than this are drawn smaller."""
LONG_ROW = 8
"""Of a row with more numbers than this only those that changed are told."""

PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
COLOURS = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
"""Faces so called are drawn in their colour."""
ASCII = str.maketrans({**dict.fromkeys("┌┬┐└┴┘", "+"), "─": "-", "│": "|", "●": "o", "→": "->"})
TIED = "\N{NO-BREAK SPACE}"
"""A space at which no line is broken, until the line is shown."""


# Text for a terminal -------------------------------------------------------------------------------------------------


def encodable(text: str, encoding: str) -> str:
    """The text as an output of this encoding can show it.

    Examples
    --------
    >>> encodable("│●│ 3 → 7", "ascii")
    '|o| 3 -> 7'
    """
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        return text.translate(ASCII).encode(encoding, "replace").decode(encoding)


def screen_width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return max(20, get_terminal_size().columns - 1)


def flow(pieces: Sequence[str], width: int, indent: str = "") -> list[str]:
    """Pieces in lines, with bars between them; no line is broken inside a short piece.

    Examples
    --------
    >>> flow(["points 3 → 7", "left 2"], 20, "  ")
    ['  points 3 → 7 |', '    left 2']
    """
    tied = [piece.replace(" ", TIED) if len(piece) < width // 2 else piece for piece in pieces]
    lines = wrap(f"{TIED}| ".join(tied), width, initial_indent=indent, subsequent_indent=indent + "  ")
    return [line.replace(TIED, " ") for line in lines]


def painter() -> Paint:
    """Colours where stdout is a terminal that has them; rich knows, and minds NO_COLOR."""
    if sys.stdout is None or not sys.stdout.isatty():
        return lambda text, style: text
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if console.legacy_windows:
        return lambda text, style: text

    def paint(text: str, style: str) -> str:
        with console.capture() as painted:
            console.print(text, style=style, end="", soft_wrap=True)
        return painted.get()

    return paint


# Dice ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Box:
    """One die as drawn: lines of the same width, and the style of what is inside its frame."""

    lines: tuple[str, ...]
    style: str = ""

    @classmethod
    def of(cls, *rows: str, style: str = "") -> Box:
        """A frame around rows of the same width."""
        edge = "─" * len(rows[0])
        return cls((f"┌{edge}┐", *(f"│{row}│" for row in rows), f"└{edge}┘"), style)

    def painted(self, paint: Paint) -> list[str]:
        """The lines with their colours."""
        if not self.style:
            return list(self.lines)
        top, *rows, bottom = self.lines
        return [top, *(f"│{paint(row[1:-1], self.style)}│" for row in rows), bottom]


def dice_lines(
    kind: Throw, seen: Sequence[int], count: int, width: int = 80, paint: Paint = lambda text, style: text
) -> list[str]:
    r"""A throw drawn as dice, no line longer than `width` where that can be.

    Parameters
    ----------
    kind, seen, count
        The kind of throw, what the rules saw of it, and how many dice were thrown.
    width
        Columns that may be used.
    paint
        Adds colours.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> from dicelab.games.tossup import TossUp
    >>> print("\n".join(dice_lines(TossUp.cup, [1, 0, 2], 3)))
    ┌───┐┌─────┐┌─────┐
    │red││green││green│
    └───┘└─────┘└─────┘
    >>> print("\n".join(dice_lines(Hazard.come_out, [9], 2)))
    ┌───┬───┐
    │   9   │  2 dice, total 9
    └───┴───┘
    """
    if kind.view is SUM and count > 1:
        return _total(seen[0], count, width)
    for boxes in _drawings(kind, seen, count):
        rows = list(_packed(boxes, width))
        if len(rows) <= MOST_ROWS and all(len(box.lines[0]) <= width for box in boxes):
            return [line for row in rows for line in _side_by_side(row, paint)]
    return wrap(throw_words(kind, seen, count), width)


def throw_words(kind: Throw, seen: Sequence[int], count: int) -> str:
    """A throw in few words.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> throw_words(TossUp.cup, [1, 0, 2], 3)
    '1 red 2 green'
    """
    if kind.view is SUM and count > 1:
        return str(seen[0])
    if kind.view is COUNTS:
        return " ".join(f"{n} {face.label}" for n, face in zip(seen, kind.die.faces, strict=True) if n > 0)
    return " ".join(_labels(kind, seen, count))


def _labels(kind: Throw, seen: Sequence[int], count: int) -> list[str]:
    """What each die shows, in words."""
    if kind.view is COUNTS:
        return [face.label for n, face in zip(seen, kind.die.faces, strict=True) for _ in range(n)]
    called = {face.value: face.label for face in kind.die.faces}
    return [called[value] for value in seen[:count]]


def _total(total: int, count: int, width: int) -> list[str]:
    """Dice in one frame, because no more is known of them than their total."""
    told = f"  {count} dice, total {total}"
    cells = ["───"] * max(1, min(count, 6, (width - len(told)) // 4))
    inside = f"│{str(total).center(4 * len(cells) - 1)}│{told}"
    return [f"┌{'┬'.join(cells)}┐", inside, f"└{'┴'.join(cells)}┘"]


def _drawings(kind: Throw, seen: Sequence[int], count: int) -> Iterator[list[Box]]:
    """The dice in boxes, in rising thrift."""
    labels = _labels(kind, seen, count)
    if kind.view is not COUNTS and [face.value for face in kind.die.faces] == list(PIPS):
        yield [Box.of(*PIPS[value]) for value in seen[:count]]
    yield [_labelled(label, label) for label in labels]
    if kind.view is COUNTS:
        pairs = zip(seen, kind.die.faces, strict=True)
        yield [_labelled(f"{n} {face.label}", face.label) for n, face in pairs if n > 0]


def _labelled(text: str, label: str) -> Box:
    return Box.of(text if len(text) > 1 else f" {text} ", style=label.lower() if label.lower() in COLOURS else "")


def _packed(boxes: list[Box], width: int) -> Iterator[list[Box]]:
    """The boxes in rows that fit."""
    row: list[Box] = []
    for box in boxes:
        if row and sum(len(b.lines[0]) for b in [*row, box]) > width:
            yield row
            row = []
        row.append(box)
    yield row


def _side_by_side(boxes: list[Box], paint: Paint) -> list[str]:
    return ["".join(parts) for parts in zip(*(box.painted(paint) for box in boxes), strict=True)]


# The state -----------------------------------------------------------------------------------------------------------


def in_words(name: str) -> str:
    """A name from the rules as people read it."""
    return name.replace("_", " ")


def value_words(game: Game, name: str, now: Value, before: Value | None = None, you: int = -1) -> str:
    """A value of the state and, where it was another before, how it changed; in a row by seats, yours is marked.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> value_words(TossUp(), "points", 7, 3)
    '3 → 7'
    >>> value_words(TossUp(), "scores", [21, 5], [0, 5], you=0)
    '0 → 21 (you), 5'
    """
    field = game.declared.state[name]
    if isinstance(field, Flag):
        return "yes" if now else "no"
    if not isinstance(now, list):
        return _change(before if isinstance(before, int) else now, now)
    old = before if isinstance(before, list) else now
    numbers = [_change(was, number) for was, number in zip(old, now, strict=True)]
    if len(now) > LONG_ROW and old != now:
        return ", ".join(f"[{i}] {number}" for i, number in enumerate(numbers) if old[i] != now[i])
    if you >= 0 and isinstance(field, Ints) and by_seat(game, field):
        numbers[you] += " (you)"
    return (", " if numbers != [str(number) for number in now] else " ").join(numbers)


def _change(before: int, now: int) -> str:
    return str(now) if before == now else f"{before} → {now}"


def by_seat(game: Game, field: Ints) -> bool:
    """Has the row a number for each seat? Its length is that of the seats, in the words of the rules."""
    said = isinstance(field.length, Expr) or "seat" in field.help or "player" in field.help
    return said and field.length == game.seats


def turn_field(game: Game) -> str:
    """The field that says whose turn it is, by its range and its name or help; empty when none does.

    The rules ask a seat to choose, but they do not say whose dice are thrown.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> turn_field(TossUp())
    'player'
    """
    for name, field in game.declared.state.items():
        said = name in ("player", "turn", "seat") or "whose turn" in field.help
        if isinstance(field, Int) and said and field.bounds(game) == (0, seat_count(game) - 1):
            return name
    return ""


def legend(game: Game, width: int, names: Sequence[str] = ()) -> list[str]:
    """Fields of the state, all unless named, with their values and what they mean."""
    state = position(game)
    rows = [(in_words(n), value_words(game, n, state[n]), game.declared.state[n].help) for n in names or state]
    wide = [min(24, max(len(row[i]) for row in rows)) for i in (0, 1)] if rows else []
    lines = []
    for name, value, help in rows:
        head = f"  {name.ljust(wide[0])}  {value.ljust(wide[1])}  "
        lines += wrap(head + help, width, subsequent_indent=" " * min(len(head), width // 2))
    return lines


# The telling ---------------------------------------------------------------------------------------------------------


class Table:
    """Tells a game as it happens.

    A number is told when it has changed. At a choice those are told as well that were not the same at every choice of
    this kind so far: the others say no more than the question does.

    Parameters
    ----------
    game
        The game that is played; it stands at its beginning.
    names
        What each seat is called in full.
    people
        The seats played by people, whose turns are told at length; in a game that people merely watch, every seat is.
    say
        Puts a line on the screen.
    """

    def __init__(self, game: Game, names: Sequence[str], people: set[int], say: Callable[[str], None]) -> None:
        self.game = game
        self.names = names
        self.watched = not people
        self.at_length = people or set(range(len(names)))
        self.you = min(people) if len(people) == 1 else -1
        self.say = say
        self.paint = painter()
        self.turn_field = turn_field(game)
        self.opening = self.told = self.now = position(game)
        self.mover: int | None = None
        self.over = False  # a throw has ended the mover's turn
        self.line: list[str] = []
        self.first: dict[str, State] = {}
        self.varied: dict[str, set[str]] = {}

    def tell(self, event: Event) -> None:
        """Tell what has just happened."""
        kind = next((k for k in self.game.declared.throws if k.name == event.name and event.kind == "throw"), None)
        mover = event.count if kind is None else self.thrower()
        self.turn(mover)
        if not self.at_length or (mover is not None and mover not in self.at_length):
            self.line.append(self.briefly(event, kind))
        elif kind is not None:
            self.catch_up()
            self.draw(kind, event)
        self.now = position(self.game)
        self.over = kind is not None and not self.watched and self.thrower() != mover

    def thrower(self) -> int | None:
        """The seat whose dice are thrown; None where the rules do not say."""
        seat = self.now.get(self.turn_field, 0 if len(self.names) == 1 else None)
        return seat if isinstance(seat, int) else None

    def turn(self, seat: int | None) -> None:
        """It is the turn of this seat: end that of another."""
        if seat == self.mover:
            return
        self.close()
        self.mover = seat
        if seat is not None and len(self.names) > 1 and not self.watched:
            self.say("")
            if seat in self.at_length:
                self.say(self.paint("Your turn" if seat == self.you else f"Turn of {self.names[seat]}", "bold"))

    def close(self) -> None:
        """Tell what is left to be told of a turn."""
        if self.line:
            name = f"{self.names[self.mover]}: " if self.mover is not None and len(self.names) > 1 else ""
            told, self.line = name + ", ".join(self.line), []
            for line in flow([told, *self.changes()], screen_width()):
                self.say(line)
        self.catch_up()

    def catch_up(self) -> None:
        """Tell what has changed since it was told last."""
        for line in flow(self.changes(), screen_width(), "  "):
            self.say(line)

    def changes(self) -> list[str]:
        """What has changed since it was told last; flags, which mostly say what may happen next, wait for a choice."""
        fields = self.game.declared.state
        silent = {name for name in fields if isinstance(fields[name], Flag) and not self.watched} | {self.turn_field}
        changed = self.words([name for name in fields if self.now[name] != self.told[name] and name not in silent])
        over, self.over = self.over, False
        return [*changed, "the turn is over"] if over else changed

    def words(self, names: Sequence[str]) -> list[str]:
        """These fields in words; all count as told now."""
        before, self.told = self.told, self.now
        return [f"{in_words(n)} {value_words(self.game, n, self.now[n], before[n], self.you)}" for n in names]

    def briefly(self, event: Event, kind: Throw | None) -> str:
        """A throw or a choice in few words, named where there are several kinds."""
        kinds = self.game.declared.decisions if kind is None else self.game.declared.throws
        words = event.words if kind is None else throw_words(kind, event.values, event.count)
        return (words if len(kinds) == 1 else f"{in_words(event.name)} {words}").replace(" ", TIED)

    def draw(self, kind: Throw, event: Event) -> None:
        """Draw a throw."""
        if len(self.game.declared.throws) > 1:
            self.say(f"  {in_words(kind.name)}")
        for line in dice_lines(kind, event.values, event.count, screen_width() - 2, self.paint):
            self.say(f"  {line}")

    def note(self, decision: Decision) -> None:
        """Remember the state at a choice."""
        self.now = position(self.game)
        first = self.first.setdefault(decision.name, self.now)
        different = {name for name in first if self.now[name] != first[name]}
        self.varied.setdefault(decision.name, set()).update(different)

    def ask(self, decision: Decision, seat: int) -> None:
        """Tell what a person who is to choose has to know."""
        self.turn(seat)
        self.note(decision)
        told = self.varied[decision.name] | {name for name in self.now if self.is_news(name)}
        words = self.words([name for name in self.now if name in told and name != self.turn_field])
        for line in flow(words, screen_width(), "  "):
            self.say(line)

    def is_news(self, name: str) -> bool:
        """Has this number changed since it was told last, and not merely back to what it was at the beginning?"""
        is_flag = isinstance(self.game.declared.state[name], Flag)
        return not is_flag and self.now[name] not in (self.told[name], self.opening[name])
