"""The board of a game: the parts that it declares, as data that every surface draws, and as lines of text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap

from dicelab.rules.actions import Decision
from dicelab.rules.fields import Flag, Grid, Ints, Seat
from dicelab.rules.game import Game, player_names, position, seat_count
from dicelab.rules.keeping import Keep
from dicelab.rules.params import value_of
from dicelab.rules.private import private_fields
from dicelab.rules.wording import called, gain, move_words, turn_field, value_called
from dicelab.rules.words import Bits, Cups, Dice, Facing, Numbers, Part, Places, Sheet, Track, player_name

MANY_PLACES = 24
"""Of a row with more places only those that hold something are shown."""
TIED = "\N{NO-BREAK SPACE}"
"""A space at which lines are not broken."""
WAY = 20
"""Characters of a long track in text."""
OWN, OTHER = "X", "O"
"""Pieces of the player to move, and of the other one, where both are on one board."""
Filled = Mapping[tuple[str, int, int], int]
"""What rows of score sheets have scored, by choice, value and seat."""


@dataclass(frozen=True)
class Cell:
    """One thing on a board.

    Attributes
    ----------
    name, value
        What it is called, and its number or word.
    now
        What the player would score with it now, as text.
    marked
        Whether something is there, or whether it is this player's turn.
    move
        The move that it stands for, if it may be made now.
    done, ahead, whole
        Of a track: steps that are safe, steps that may be lost, and all; `value` says where the others are.
    """

    name: str = ""
    value: str = ""
    now: str = ""
    marked: bool = False
    move: tuple[int, ...] | None = None
    done: int = 0
    ahead: int = 0
    whole: int = 0


@dataclass(frozen=True)
class Block:
    """A part of a board: `kind` is sheet, places, dice, set, track, facing or numbers; players of a sheet, and what is
    said of each player beside a board, in `columns`.
    """

    kind: str
    title: str
    cells: list[Cell]
    columns: Sequence[str] = ()


class Board:
    """The board of a game in its state.

    Parameters
    ----------
    game
        The game in its state.
    names
        What the players are called here.
    filled
        What the rows of score sheets have scored, as far as it is known.
    asked
        The choice that a player makes now.
    secret
        The fields that are hidden, at least in part; by default those that the game declares as private.
    seen
        The state as far as it is seen.
    you
        The seat whose own dice are seen.
    """

    def __init__(
        self,
        game: Game,
        names: Sequence[str] = (),
        filled: Filled | None = None,
        asked: Decision | None = None,
        secret: Collection[str] | None = None,
        seen: Mapping[str, int | list[int]] | None = None,
        you: int = -1,
    ) -> None:
        self.game = game
        self.names = [name.partition(" (")[0] for name in names] or [
            player_name(seat, player_names(game)) for seat in range(seat_count(game))
        ]
        self.filled = filled or {}
        self.asked = asked
        self.seen = position(game) if seen is None else seen
        self.you = you
        field = turn_field(game)
        self.seat = int(game.__dict__[field]) if field else 0
        self.secret = private_fields(game).keys() if secret is None else secret

    def blocks(self) -> list[Block]:
        """Return the parts that have anything to show, from top to bottom."""
        blocks = [self._block(part) for part in self.game.words.board]
        return [block for block in blocks if block.cells]

    def _block(self, part: Part) -> Block:
        """Return one part as data."""
        if isinstance(part, Sheet):
            return self._sheet(part)
        if isinstance(part, Numbers):
            names = [name for name in part.names if self._open(name) and not self._nobody(name)]
            return Block("numbers", "", [self._number(name) for name in names])
        if isinstance(part, Cups):
            return self._cups(part)
        name = part.field if isinstance(part, Track) else part.row
        if not self._open(name):
            return Block("numbers", "", [])
        title, value = called(self.game, name), self.game.__dict__[name]
        if isinstance(part, Places):
            return self._places(name, title, value)
        if isinstance(part, Facing):
            return self._facing(title, value)
        if isinstance(part, Dice):
            faces = self._faces(name) if isinstance(value, list) else [str(int(value))] * (value > 0)
            return Block("dice", title, [Cell(name=face) for face in faces])
        return self._track(part, title, value)

    def _open(self, name: str) -> bool:
        """Return whether everybody sees a field, or a value that is derived from the state."""
        return name not in self.secret and (not self.secret or name in self.game.__dict__)

    def _nobody(self, name: str) -> bool:
        """Return whether a field is meant to hold a seat, and holds none now."""
        return isinstance(self.game.declared.state.get(name), Seat) and self.game.__dict__[name] < 0

    def _places(self, name: str, title: str, row: Sequence[int]) -> Block:
        """Return a number for each player or place."""
        by_place, field = self.game.words.values.get(name), self.game.declared.state.get(name)
        if by_place is None and isinstance(field, Grid) and field.by_seat:
            each = value_of(field.columns, self.game)
            lines = [" ".join(f"{v:,}" for v in row[at : at + each]) for at in range(0, len(row), each)]
            cells = [Cell(n, v, marked=k == self.seat) for k, (n, v) in enumerate(zip(self.names, lines, strict=True))]
            return Block("places", title, cells)
        names = self.names if by_place is None else [self._place(name, k) for k in range(len(row))]
        turn = self.seat if by_place is None and len(self.names) > 1 else -1
        cells = [Cell(n, f"{v:,}", marked=k == turn) for k, (n, v) in enumerate(zip(names, row, strict=False))]
        return Block("places", title, [c for c, v in zip(cells, row, strict=False) if v or len(row) <= MANY_PLACES])

    def _place(self, name: str, k: int) -> str:
        """Return what a place of a row is called; where its names are those for one player, with the player."""
        names, field = self.game.words.values.get(name), self.game.declared.state.get(name)
        if isinstance(names, Sequence) and len(names) != (length := len(self.game.__dict__[name])):
            each = value_of(field.columns, self.game) if isinstance(field, Grid) and field.by_seat else len(names)
            who = f"{self.names[k // each]}, " if each < length and len(self.names) > 1 else ""
            return f"{who}{value_called(self.game, name, k % each) or k % each + 1}"
        return value_called(self.game, name, k) or str(k + 1)

    def _faces(self, name: str) -> list[str]:
        """Return the labels of the dice that a row counts."""
        row = self.game.__dict__[name]
        keep = next((d for d in self.game.declared.decisions if isinstance(d, Keep) and d.dice.name == name), None)
        labels = [face.label for face in keep.die.faces] if keep else [self._place(name, k) for k in range(len(row))]
        return [label for label, n in zip(labels, row, strict=True) for _ in range(n)]

    def _cups(self, part: Cups) -> Block:
        """Return the dice of each player: those that are seen, and how many the others have."""
        counts, row = self.game.__dict__[part.counts], self.seen.get(part.hands, [])
        row = row if isinstance(row, list) else []
        each = len(self.game.__dict__[part.hands]) // len(self.names)
        cells = []
        for seat, (name, count) in enumerate(zip(self.names, counts, strict=False)):
            alone = len(row) == each and len(self.names) > 1  # a seat sees its own dice alone
            own = (row if seat == self.you else []) if alone else row[seat * each : (seat + 1) * each]
            faces = dice_counted(own)
            dice = faces if len(faces) == count else ["[?]"] * count
            cells.append(Cell(name, " ".join(dice) or "none", marked=seat == self.seat))
        return Block("places", called(self.game, part.hands), cells)

    def _number(self, name: str) -> Cell:
        """Return a value with its name."""
        game, title = self.game, called(self.game, name)
        if name in game.declared.params:
            param, value = game.declared.params[name], game.parameters[name]
            return Cell(title, f"{value:,}" if param.word(value) == str(value) else param.word(value))
        value = game.__dict__[name] if name in game.__dict__ else getattr(game, name)()
        field = game.declared.state.get(name)
        if isinstance(value, str):
            return Cell(title, value)
        if isinstance(value, list):
            return Cell(title, ", ".join(map(str, value)))
        if isinstance(field, Flag) or isinstance(value, bool):
            return Cell(title, "yes" if value else "no")
        if isinstance(field, Seat):
            return Cell(title, self.names[value])
        text = value_called(game, name, int(value), field.bounds(game)[0] if field else 0)
        return Cell(title, f"{int(value):,}" if text is None else text)

    def _track(self, part: Track, title: str, value: int | Sequence[int]) -> Block:
        """Return the members of a set, or how far pieces have gone."""
        names = self.game.words.values.get(part.field)
        if isinstance(names, Bits) and isinstance(value, int):
            return Block("set", title, [Cell(n, marked=bool(value >> k & 1)) for k, n in enumerate(names.names)])
        if not part.length:
            row = list(value) if isinstance(value, Sequence) else []
            return Block("set", title, [Cell(self._place(part.field, k), marked=n > 0) for k, n in enumerate(row)])
        length = getattr(self.game, part.length)
        if isinstance(value, int):
            return Block("track", "", [Cell(title, done=value, whole=length())])
        field, others = self.game.declared.state[part.field], None
        if isinstance(field, Grid):
            columns = value_of(field.columns, self.game)
            lines = [value[i : i + columns] for i in range(0, len(value), columns)]
            value, others = lines[self.seat], lines if field.by_seat else None
            called_as = [value_called(self.game, part.field, k) or str(k + 1) for k in range(columns)]
        elif isinstance(field, Ints) and field.by_seat:
            called_as = list(self.names)
        else:
            called_as = [self._place(part.field, k) for k in range(len(value))]
        ahead = self.game.__dict__[part.ahead] if part.ahead else [0] * len(value)
        cells = [
            Cell(name, self._others(others, k), done=done, ahead=more, whole=whole)
            for k, (name, done, more) in enumerate(zip(called_as, value, ahead, strict=False))
            if (whole := length(k)) > 0
        ]
        return Block("track", title, cells)

    def _others(self, lines: Sequence[Sequence[int]] | None, k: int) -> str:
        """Return where the other players are on a track, given a row for each player."""
        rows = enumerate(zip(self.names, lines or (), strict=False))
        return "   ".join(f"{name} {line[k]}" for seat, (name, line) in rows if seat != self.seat and line[k])

    def _facing(self, title: str, value: Sequence[int]) -> Block:
        """Return the points from the first one of the player to move; `marked` are those with its own pieces."""
        bar = len(value) // 2 - 1
        rows = value[: bar + 1], value[bar + 1 :]
        own, other = rows[self.seat], rows[1 - self.seat]
        cells = [
            Cell(str(place), str(own[place] or other[bar - place] or ""), marked=own[place] > 0)
            for place in range(1, bar)
        ]
        said = [
            f"{mark} {self.names[seat]}: {rows[seat][bar]} on the bar, {rows[seat][0]} off"
            for mark, seat in ((OWN, self.seat), (OTHER, 1 - self.seat))
        ]
        return Block("facing", title, cells, said)

    def _sheet(self, part: Sheet) -> Block:
        """Return a score sheet: what each row has scored, for each player, and what it would score now."""
        decision = next(d for d in self.game.declared.decisions if d.name == part.choice)
        low, high = decision.spans(self.game)[0]
        may = self.asked is decision or isinstance(self.asked, Keep)
        cells = []
        for value in range(low, high + 1):
            name, now, move = move_words(self.game, decision, (value,)), "", None
            if getattr(self.game, part.open)(value) and may and decision.allows(self.game, (value,)):
                worth = gain(self.game, decision, (value,), self.seat)
                now, move = "" if worth is None else str(worth), (value,) if self.asked is decision else None
            scored = [self._scored(part, value, seat) for seat in range(len(self.names))]
            cells.append(Cell(name, " ".join(text.rjust(3) for text in scored), now, move=move))
        return Block("sheet", called(self.game, part.choice), cells, self.names if len(self.names) > 1 else ())

    def _scored(self, part: Sheet, value: int, seat: int) -> str:
        """Return what a row has scored for a player; a dot if it is open."""
        points = self.filled.get((part.choice, value, seat))
        if points is not None:
            return str(points)
        return "." if seat != self.seat or getattr(self.game, part.open)(value) else "-"


def dice_counted(counts: Sequence[int]) -> list[str]:
    """Return dice in brackets, given how many show 1, 2 and so on.

    >>> dice_counted([2, 0, 0, 0, 0, 1])
    ['[1]', '[1]', '[6]']
    """
    return [f"[{k + 1}]" for k, n in enumerate(counts) for _ in range(n)]


def board_lines(board: Board, width: int) -> list[str]:
    r"""Return a board as lines of text.

    Examples
    --------
    >>> from dicelab.games.lcr import LCR
    >>> print("\n".join(board_lines(Board(LCR(players=3)), 60)))
      coins: player 1  3   player 2  3   player 3  3   center  0
    """
    lines: list[str] = []
    for block in board.blocks():
        for text in _lines_of(block, width - 2):
            lines += wrap(text, width, initial_indent="  ", subsequent_indent="    ")
    return [line.replace(TIED, " ") for line in lines]


def _lines_of(block: Block, width: int) -> list[str]:
    """Return the lines of a part, without a margin; those of places and numbers may be longer than the screen."""
    title = f"{block.title}: " if block.title else ""
    if block.kind == "sheet":
        return _sheet_lines(block, width)
    if block.kind == "track":
        return [title.rstrip(), *_track_lines(block.cells)] if title else _track_lines(block.cells)
    if block.kind == "facing":
        return _facing_lines(block)
    if block.kind == "dice":
        return [f"{title}{' '.join(f'[{cell.name}]' for cell in block.cells)}"]
    if block.kind == "set":
        return [f"{title}{'  '.join(cell.name if cell.marked else '·' * len(cell.name) for cell in block.cells)}"]
    gap = "  " if block.kind == "places" else " "
    return [title + "   ".join(f"{cell.name}{gap}{cell.value}".replace(" ", TIED) for cell in block.cells)]


def _sheet_lines(block: Block, width: int) -> list[str]:
    """Return a score sheet, in two columns if they fit."""
    wide = max(len(cell.name) for cell in block.cells)
    rows = [f"{c.name.ljust(wide)}  {c.value} {f'{c.now:>3} now' if c.now else ' ' * 7}" for c in block.cells]
    half = (len(rows) + 1) // 2
    if 2 * max(map(len, rows)) + 3 <= width:
        rows = [f"{one}   {other}" for one, other in zip_longest(rows[:half], rows[half:], fillvalue="")]
    players = [f"players: {', '.join(block.columns)}"] if block.columns else []
    return [line.rstrip().replace(" ", TIED) for line in (*players, *rows)]


def _facing_lines(block: Block) -> list[str]:
    """Return the points in two rows, those of the far half above the others."""
    half = len(block.cells) // 2
    lines = []
    for cells, numbers_first in ((block.cells[half:], True), (block.cells[half - 1 :: -1], False)):
        numbers = [cell.name for cell in cells]
        pieces = [(OWN if cell.marked else OTHER) + cell.value if cell.value else "·" for cell in cells]
        for row in (numbers, pieces) if numbers_first else (pieces, numbers):
            text = "".join(f"{word:>4}" for word in row)
            lines.append(f"{text[: 2 * half]} {TIED}{text[2 * half :]}")
    return [line.replace(" ", TIED) for line in (*lines, *block.columns)]


def _track_lines(cells: Sequence[Cell]) -> list[str]:
    """Tracks: steps that are safe as #, those that may be lost as +; of a long track the place of its piece."""
    wide = max(len(cell.name) for cell in cells)
    lines = []
    for cell in cells:
        gone = cell.done + cell.ahead
        if cell.whole <= WAY:
            way = "#" * cell.done + "+" * cell.ahead + "·" * (cell.whole - gone)
        else:
            at = gone * (WAY - 1) // cell.whole
            way = "·" * at + "#" + "·" * (WAY - 1 - at)
        others = f"   {cell.value}" if cell.value else ""
        lines.append(f"{cell.name.ljust(wide)}  {way}  {gone:,} of {cell.whole:,}{others}".replace(" ", TIED))
    return lines
