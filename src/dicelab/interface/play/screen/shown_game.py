"""Show a game on the screen while it is played: people's turns in full, with dice, strategies' turns in one line.

A game without people is shown in full. Seats are counted from 1 on the screen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import wrap
from typing import NamedTuple

from dicelab.interface.play.screen.text import (
    Paint,
    Say,
    State,
    flow,
    in_words,
    indented,
    legend,
    painter,
    screen_width,
    seat_names,
    unset,
    value_words,
)
from dicelab.interface.play.screen.views import Faces, Secrets, Teller, folded, view_lines
from dicelab.results.text.sentences import the
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.board import TIED, Board, board_lines
from dicelab.rules.dice import COUNTS, SUM
from dicelab.rules.fields import Flag
from dicelab.rules.game import Game, player_names, summary
from dicelab.rules.wording import called, face_names, move_words, turn_field
from dicelab.runtime.interpreter import Event, Explained
from dicelab.runtime.lineup import Call

# Draw dice as text, as large as the width of the screen allows.


MOST_ROWS = 2
"""Maximum number of rows of dice; more dice are drawn smaller."""

PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
CLEARED = "\033[2J\033[3J\033[H"
"""Clears a terminal, also what was scrolled away."""
COLOURS = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
"""Faces with these names are drawn in that colour."""
Names = Mapping[int, str] | None
"""Names of the values of a die."""


class Box(NamedTuple):
    """The content of one frame: lines of equal width, and their style."""

    inside: tuple[str, ...]
    style: str = ""

    @property
    def width(self) -> int:
        """Width in columns, including the frame."""
        return len(self.inside[0]) + 2


def dice_lines(
    kind: Throw,
    seen: Sequence[int],
    count: int,
    width: int = 80,
    paint: Paint = lambda text, style: text,
    faces: Sequence[int] = (),
    names: Names = None,
) -> list[str]:
    r"""Return a roll drawn as dice, in lines of at most `width` columns if possible.

    Parameters
    ----------
    kind, seen, count
        The kind of throw, what the rules saw of it, and how many dice were rolled.
    width
        Number of columns available.
    paint
        Adds colours.
    faces
        The value of each die, if the rules saw only their total; without it they share a frame.
    names
        Names of values in place of the labels of the die.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> from dicelab.games.tossup import TossUp
    >>> print("\n".join(dice_lines(TossUp.cup, [1, 0, 2], 3)))
    ┌───┐┌─────┐┌─────┐
    │red││green││green│
    └───┘└─────┘└─────┘
    >>> print("\n".join(dice_lines(Hazard.come_out, [9], 2, faces=[5, 4])))
    ┌─────┐┌─────┐
    │●   ●││●   ●│
    │  ●  ││     │  total 9
    │●   ●││●   ●│
    └─────┘└─────┘
    """
    if kind.view is not SUM or count == 1:
        return _drawn(kind, seen, count, width, paint, names) or wrap(throw_words(kind, seen, count, names), width)
    text = f"  total {seen[0]}"
    lines = _drawn(kind, faces, count, width - len(text), paint, names)
    if not lines:
        return _total(seen[0], count, width)
    return [f"{line}{text if i == len(lines) // 2 else ''}" for i, line in enumerate(lines)]


def _drawn(kind: Throw, seen: Sequence[int], count: int, width: int, paint: Paint, names: Names) -> list[str]:
    """Return the largest drawing of the dice that fits; no lines if there is none, or no die is known."""
    for boxes in _drawings(kind, seen, count, names) if seen else ():
        rows = list(_packed(boxes, width))
        if len(rows) <= MOST_ROWS and all(box.width <= width for box in boxes):
            framed = [[_framed(box, paint) for box in row] for row in rows]
            return ["".join(parts) for row in framed for parts in zip(*row, strict=True)]
    return []


def throw_words(kind: Throw, seen: Sequence[int], count: int, names: Names = None) -> str:
    """Return a roll in a few words; `names` has names of values in place of the labels of the die.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> throw_words(TossUp.cup, [1, 0, 2], 3)
    '1 red 2 green'
    """
    if kind.view is SUM and count > 1:
        return str(seen[0])
    if kind.view is COUNTS and not all(face.label.isdigit() for face in kind.die.faces):
        return " ".join(f"{n} {label}" for n, label in _counted(kind, seen))
    return " ".join(_labels(kind, seen, count, names))


def _counted(kind: Throw, seen: Sequence[int]) -> list[tuple[int, str]]:
    """Return the number and label of each face that at least one die shows."""
    return [(n, face.label) for n, face in zip(seen, kind.die.faces, strict=True) if n > 0]


def _labels(kind: Throw, seen: Sequence[int], count: int, names: Names = None) -> list[str]:
    """Return the label of each die."""
    if kind.view is COUNTS:
        return [label for n, label in _counted(kind, seen) for _ in range(n)]
    called = {face.value: face.label for face in kind.die.faces} | dict(names or {})
    return [called[value] for value in kind.dice_seen(seen, count)]


def _total(total: int, count: int, width: int) -> list[str]:
    """Return all dice in one frame, for a roll whose faces are not known, only their total."""
    text = f"  {count} dice, total {total}"
    cells = ["───"] * max(1, min(count, 6, (width - len(text)) // 4))
    inside = f"│{str(total).center(4 * len(cells) - 1)}│{text}"
    return [f"┌{'┬'.join(cells)}┐", inside, f"└{'┴'.join(cells)}┘"]


def _drawings(kind: Throw, seen: Sequence[int], count: int, names: Names) -> Iterator[list[Box]]:
    """Return the drawings of the dice, from the largest to the smallest."""
    if [face.value for face in kind.die.faces] == list(PIPS):
        values = _values(seen) if kind.view is COUNTS else kind.dice_seen(seen, count)
        yield [Box(PIPS[value]) for value in values]
    yield [_labelled(label, label) for label in _labels(kind, seen, count, names)]
    if kind.view is COUNTS:
        yield [_labelled(f"{n} {label}", label) for n, label in _counted(kind, seen)]


def _values(counts: Sequence[int]) -> list[int]:
    """Return the numbers that ordinary dice show, given how many show 1, 2, and so on."""
    return [value for value, n in enumerate(counts, 1) for _ in range(n)]


def _labelled(text: str, label: str) -> Box:
    return Box((text if len(text) > 1 else f" {text} ",), label.lower() if label.lower() in COLOURS else "")


def _packed(boxes: list[Box], width: int) -> Iterator[list[Box]]:
    """Break the boxes into rows that fit the width."""
    row: list[Box] = []
    for box in boxes:
        if row and sum(b.width for b in [*row, box]) > width:
            yield row
            row = []
        row.append(box)
    yield row


def _framed(box: Box, paint: Paint) -> list[str]:
    edge = "─" * (box.width - 2)
    inside = [paint(line, box.style) if box.style else line for line in box.inside]
    return [f"┌{edge}┐", *(f"│{line}│" for line in inside), f"└{edge}┘"]


# Decide which fields of the state to show, and when.


class News:
    """The state as last shown, and the current one.

    A field is shown when it has changed. At a choice, fields whose value has varied between the choices of this kind
    are shown as well.

    Parameters
    ----------
    game
        The game to be played, in its initial state.
    you
        The seat whose values are marked as yours; -1 for none.
    flags
        Whether changes of flags are shown. Most flags control what happens next, which the question shows anyway.
    seen
        Returns the state without what is hidden.
    """

    def __init__(self, game: Game, you: int, flags: bool, seen: Callable[[], State]) -> None:
        self.game = game
        self.you = you
        self.seen = seen
        self.turn_field = turn_field(game)
        self.flags = {name for name, field in game.declared.state.items() if isinstance(field, Flag)}
        self.silent = {self.turn_field, *game.words.hidden, *(() if flags else self.flags)}
        self.opening = self.shown = self.now = self.seen()
        self.first: dict[str, State] = {}
        self.varied: dict[str, set[str]] = {}

    def look(self) -> None:
        """Record the current state."""
        self.now = self.seen()

    def note(self, decision: Decision) -> None:
        """Record the current state at a choice, and which fields differ from the first choice of this kind."""
        self.look()
        first = self.first.setdefault(decision.name, self.now)
        different = {name for name in first if self.now[name] != first[name]}
        self.varied.setdefault(decision.name, set()).update(different)

    def changes(self) -> list[str]:
        """Return the fields that have changed since they were last shown, as text."""
        changed = [name for name in self.now if self.now[name] != self.shown[name]]
        return self._words([name for name in changed if name not in self.silent])

    def at(self, decision: Decision) -> list[str]:
        """Return the fields to show to a person at a choice, as text."""
        self.note(decision)
        varied = self.varied[decision.name]
        names = [name for name in self.now if (name in varied or self._is_news(name)) and not unset(self.game, name)]
        return self._words([name for name in names if name != self.turn_field and name not in self.game.words.hidden])

    def _words(self, names: Sequence[str]) -> list[str]:
        """Return these fields as text; all fields count as shown from now on."""
        before, self.shown = self.shown, self.now
        return [f"{called(self.game, n)} {value_words(self.game, n, self.now[n], before[n], self.you)}" for n in names]

    def _is_news(self, name: str) -> bool:
        """Return whether a field has changed since it was last shown, and to another value than its initial one."""
        return name not in self.flags and self.now[name] not in (self.shown[name], self.opening[name])


class GameScreen:
    """Shows a game event by event.

    Parameters
    ----------
    game
        The game to be played, in its initial state.
    calls
        The strategy of each seat, None for a person; a game without people is shown in full.
    dice
        The source of the rolls, which knows the faces to draw.
    say
        Prints a line.
    by_hand
        Whether a person rolls all dice of a game without choices; the question then says whose turn it is.
    pause
        Called after each roll and choice that is shown of a game without people, and after each turn in one line.
    """

    def __init__(
        self,
        game: Game,
        calls: Sequence[Call | None],
        dice: Faces,
        say: Say,
        *,
        by_hand: bool = False,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        people = {seat for seat, call in enumerate(calls) if call is None}
        self.by_hand = by_hand
        self.game = game
        self.dice = dice
        self.say = say
        self.pause = pause
        self.paint = painter()
        self.names = seat_names(game, calls)
        self.watched = not people
        self.people = people
        self.at_length = people or set(range(len(self.names)))
        self.you = min(people) if len(people) == 1 else -1
        self.secrets = Secrets(game, self.you, bool(people))
        self.covers = len(people) > 1 and bool(self.secrets.fields)
        seen = self.secrets.seen_by_all if self.covers else self.secrets.seen
        self.news = News(game, self.you, flags=not calls, seen=seen)
        self.teller = Teller(game, self.secrets, self.names)
        self.board: list[str] = []  # as it was last shown
        self.asked: Decision | None = None  # the choice that a person makes now
        self.explained: list[Decision] = []  # the kinds of choices that were explained to people
        self.drawn = False  # whether the game's view on the screen is up to date
        self.mover: int | None = None
        self.over = False  # whether a roll has ended the mover's turn
        self.line: list[str] = []  # the mover's turn so far, if it is shown in one line

    def show(self, lines: Iterable[str]) -> None:
        """Print lines."""
        for line in lines:
            self.say(line)

    def whose(self, seat: int | None) -> str:
        """Return the prefix that names a seat; empty in a game of one seat."""
        return f"{self.names[seat]}: " if seat is not None and len(self.names) > 1 else ""

    def thrower(self) -> int | None:
        """Return the seat that rolls; None if the rules don't say."""
        seat = self.news.now.get(self.news.turn_field, 0 if len(self.names) == 1 else None)
        return seat if isinstance(seat, int) else None

    def tell(self, event: Event) -> None:
        """Show an event."""
        kind = next((k for k in self.game.declared.throws if k.name == event.name and event.kind == "throw"), None)
        mover = event.count if kind is None else self.thrower()
        self.turn(mover)
        lines = self.teller.sentences(event.name, event.values)
        hidden, opened = self.secrets.hides(event), self.secrets.opened(event)
        if hidden:
            lines = [] if kind is not None else [f"{in_words(event.name)}: hidden"]
        if not self.at_length or (mover is not None and mover not in self.at_length):
            self.drawn = False
            words = [self._briefly(event, kind)] if lines is None else [self._without_name(line) for line in lines]
            self.line += words
        elif hidden:
            self.drawn = False
        else:
            self._at_length(event, kind, lines)
        if opened:
            self._show_line()
            self.show(flow(opened, screen_width(), "  "))
        self.news.look()
        self.secrets.look()
        self.over = kind is not None and not self.watched and self.thrower() != mover
        if self.watched and self.at_length:
            if kind is not None:
                self.stand()
            self.pause()

    def _at_length(self, event: Event, kind: Throw | None, lines: list[str] | None) -> None:
        """Show a roll with its dice, or a choice unless a person has typed it, and what the game says about it."""
        if kind is not None:
            self.drawn = False
            self.catch_up()
            self._draw(kind, event)
        elif (event.count not in self.people or self.covers) and lines is None:
            self.catch_up()
            self.say(f"  {self._briefly(event, kind)}".replace(TIED, " "))
        self.show(folded("\n".join(lines or [])))

    def _without_name(self, line: str) -> str:
        """Return a sentence in a line that begins with the name of the player, without this name."""
        name = "" if self.mover is None else self.whose(self.mover).partition(" (")[0].removesuffix(": ")
        return line.strip().removeprefix(f"{name[:1].upper()}{name[1:]} " if name else "")

    def standing(self) -> list[str]:
        """Return the state of the game as people see it: its `view`, or its fields with their meaning."""
        lines = view_lines(self.game, self.secrets) or self._board()
        return lines or legend(self.game, screen_width(), self.secrets.seen())

    def _board(self) -> list[str]:
        """Return the board that the game declares; empty if it declares none."""
        seen, hidden = self.secrets.seen(), self.secrets.fields
        with Explained(self.game):
            board = Board(self.game, self.names, self.teller.filled, self.asked, hidden, seen, self.you)
            return board_lines(board, screen_width())

    def ask(self, decision: Decision, seat: int) -> None:
        """Show what a person needs to know before a choice."""
        self.turn(seat)
        news, self.asked = self.news.at(decision), decision
        if self.game.words.board and decision not in self.explained:
            self.explained.append(decision)
            self.show(indented(summary(decision.rule)))
        if not self.stand() and not self.teller.tells:
            self.show(flow(news, screen_width(), "  "))

    @contextmanager
    def alone(self, seat: int, hear: Callable[[str], str]) -> Iterator[None]:
        """Show one of several people at the screen what is hidden from the others, who look away meanwhile."""
        if not self.covers:
            yield
            return
        self.turn(seat)
        hear(f"{self.names[seat]}: press Enter when nobody else looks at the screen > ")
        self.you, self.secrets.you, self.board, self.drawn = seat, seat, [], False
        self.show(flow(self.secrets.own(), screen_width(), "  "))
        try:
            yield
        finally:
            self.you, self.secrets.you, self.board, self.drawn = -1, -1, [], False
            self.say(CLEARED if sys.stdout.isatty() else "  (covered)")

    def stand(self) -> bool:
        """Show the game's view unless it is on the screen already; return whether anything was shown."""
        lines = [] if self.drawn else view_lines(self.game, self.secrets)
        declared = self.game.words.board and type(self.game).view is Game.view
        board = [] if lines or (self.drawn and not declared) else self._board()
        if board and board != self.board:
            self.board = lines = board
        self.show(lines)
        self.drawn = self.drawn or bool(lines)
        return bool(lines or board)

    def turn(self, seat: int | None) -> None:
        """Begin the turn of a seat, if it is not its turn already, after closing the previous turn."""
        if seat == self.mover:
            return
        self.close()
        self.mover = seat
        if seat is not None and len(self.names) > 1 and not self.by_hand:
            self.say("")
            if seat in self.at_length:
                self.say(self.paint("Your turn" if seat == self.you else f"Turn of {self._called(seat)}", "bold"))

    def end(self) -> None:
        """Close the last turn, and show the board as it is in the end."""
        self.close()
        self.asked = None
        if self.game.words.board:
            self.stand()

    def _called(self, seat: int) -> str:
        """Return a player in a sentence: with an article, unless it is a proper name or numbered."""
        name = self.names[seat]
        return the(name) if name.partition(" (")[0] in player_names(self.game) else name

    def close(self) -> None:
        """Show the rest of a turn."""
        if self.line:
            self._show_line(self._changes())
            self.pause()
        self.catch_up()

    def _show_line(self, more: Sequence[str] = ()) -> None:
        """Show the part of a turn in one line that is not on the screen yet, and more."""
        if self.line:
            done, self.line = self.line if self.teller.tells else [", ".join(self.line)], []
            self.show(flow([self.whose(self.mover) + done[0], *done[1:], *more], screen_width()))

    def catch_up(self) -> None:
        """Show what has changed since the state was last shown."""
        self.show(flow(self._changes(), screen_width(), "  "))

    def _changes(self) -> list[str]:
        over, self.over = self.over, False
        changes = self.news.changes()
        return [*([] if self.teller.tells else changes), *(["the turn is over"] if over else [])]

    def _briefly(self, event: Event, kind: Throw | None) -> str:
        """Return a roll or a choice in a few words, with its name if there are several kinds, or a
        choice is a number.
        """
        decisions, throws = self.game.declared.decisions, self.game.declared.throws
        if kind is None:
            chosen = next(d for d in decisions if d.name == event.name)
            words = move_words(self.game, chosen, event.values)
            verb = len(chosen.kinds) == 1 and isinstance(chosen.kinds[0], type)  # roll, bank
            named = (len(decisions) > 1 and not verb) or not any(map(str.isalpha, words))
        else:
            words = throw_words(kind, event.values, event.count, face_names(self.game, kind))
            named = len(throws) > 1
        return (f"{called(self.game, event.name)} {words}" if named else words).replace(" ", TIED)

    def _draw(self, kind: Throw, event: Event) -> None:
        """Draw the dice of a roll."""
        if len(self.game.declared.throws) > 1:
            self.say(f"  {called(self.game, kind.name)}")
        width, names = screen_width() - 2, face_names(self.game, kind)
        lines = dice_lines(kind, event.values, event.count, width, self.paint, self.dice.last, names)
        self.show(f"  {line}" for line in lines)
