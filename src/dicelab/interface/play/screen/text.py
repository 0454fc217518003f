"""Text for a terminal: fitted to its width, character set and colours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from shutil import get_terminal_size
from textwrap import wrap

from dicelab.errors import ParameterError
from dicelab.rules.board import TIED
from dicelab.rules.fields import Flag, Seat
from dicelab.rules.game import Game, player_names, position, seat_count
from dicelab.rules.wording import called, one_per_seat, seat_words, turn_field, value_called
from dicelab.rules.words import player_name
from dicelab.runtime.lineup import Call
from dicelab.runtime.strategies import parse_call

Say = Callable[[str], None]
"""Prints a line."""
Paint = Callable[[str, str], str]
"""Takes a text and the name of a style; returns the text with the terminal's codes for the style."""

ASCII = str.maketrans({**dict.fromkeys("┌┬┐└┴┘", "+"), "─": "-", "│": "|", "●": "o", "→": "->", "·": "."})
LONGEST_QUOTED = 40
"""Characters of a typed line that a message repeats, at most."""


def encodable(text: str, encoding: str) -> str:
    """Return the text with characters replaced that the encoding lacks.

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
    """Return the usable columns of the terminal: its width (80 if unknown) less one."""
    return max(20, get_terminal_size().columns - 1)


def flow(pieces: Sequence[str], width: int, indent: str = "") -> list[str]:
    """Join pieces with bars and wrap them; lines are not broken inside a short piece.

    Examples
    --------
    >>> flow(["points 3 → 7", "left 2"], 20, "  ")
    ['  points 3 → 7 |', '    left 2']
    """
    tied = [piece.replace(" ", TIED) if len(piece) < width // 2 else piece for piece in pieces]
    lines = wrap(f"{TIED}| ".join(tied), width, initial_indent=indent, subsequent_indent=indent + "  ")
    return [line.replace(TIED, " ") for line in lines]


def folded(command: str) -> str:
    r"""Return a line with a command, in several lines if it is too long for the screen; a shell reads them as one.

    >>> folded("again: dicelab play " + "-s 'my file.py:careful' " * 4 + "--seed 1").count("\n")
    0
    """
    if "'" in command or '"' in command:
        return command  # a line could end within quotes
    parts = wrap(command, screen_width() - 2, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
    return " \\\n".join(parts)


def indented(text: str) -> list[str]:
    """Return a text wrapped to the screen and indented."""
    return wrap(text, screen_width(), initial_indent="  ", subsequent_indent="  ")


def shortened(text: str) -> str:
    """Return a text that somebody typed, cut to `LONGEST_QUOTED` characters.

    >>> shortened("7" * 300)
    '7777777777777777777777777777777777777777...'
    """
    return text if len(text) <= LONGEST_QUOTED else f"{text[:LONGEST_QUOTED]}..."


def quoted(text: str) -> str:
    """Return what somebody typed as messages quote it, cut if it is long.

    >>> quoted("pas 10")
    "'pas 10'"
    """
    return repr(shortened(text))


def in_words(name: str) -> str:
    """Return a name from the rules with spaces for underscores."""
    return name.replace("_", " ")


def painter() -> Paint:
    """Return a function that adds colours if stdout is a terminal with colours; rich detects this and respects
    NO_COLOR.
    """
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


# State ----------------------------------------------------------------------------------------------------------------
#
# The state of a game as text: values, their changes and meanings; and the field that holds whose turn it is.


Value = int | list[int]
State = dict[str, Value]

LONG_ROW = 8
"""Of a longer row only the changed numbers are shown."""
LONGEST_ROW = 30
"""Of a longer row only the numbers other than 0 are shown."""


def value_words(game: Game, name: str, now: Value, before: Value | None = None, you: int = -1) -> str:
    """Return a value of the state as text, with the previous one if it differs; in a row by seats, that of `you` is
    marked.

    Seats are counted from 1.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> value_words(TossUp(), "points", 7, 3), value_words(TossUp(), "leader", 1, -1)
    ('3 → 7', 'player 2')
    >>> value_words(TossUp(), "scores", [21, 5], [0, 5], you=0)
    '0 → 21 (you), 5'
    """
    field = game.declared.state[name]
    if isinstance(now, list):
        whole = len(now) == len(game.__dict__[name])  # otherwise one's own numbers
        return _row_words(now, before if isinstance(before, list) else now, whole and one_per_seat(game, field), you)
    if isinstance(field, Flag):
        return "yes" if now else "no"
    old = before if isinstance(before, int) else now
    if name in game.words.values:
        words = [value_called(game, name, value, field.bounds(game)[0]) or str(value) for value in (old, now)]
        return _change(*words)
    if not isinstance(field, Seat) and name != turn_field(game):
        return _change(old, now)
    return seat_words(now, you) if old < 0 else _change(seat_words(old, you), seat_words(now, you))


def _row_words(now: list[int], old: list[int], by_seat: bool, you: int) -> str:
    """Return a row as text: all numbers, or of a long row those that changed, or that are not 0, with their places."""
    numbers = [_change(was, number) for was, number in zip(old, now, strict=True)]
    if len(now) <= LONG_ROW or (old == now and len(now) <= LONGEST_ROW):
        if by_seat and you >= 0:
            numbers[you] += " (you)"
        return (", " if any(" " in number for number in numbers) else " ").join(numbers)
    before = old if old != now else [0] * len(now)  # of a row that hasn't changed, the numbers other than 0
    places = [f"{seat_words(i, you)}:" if by_seat else f"[{i}]" for i in range(len(now))]
    return ", ".join(f"{places[i]} {numbers[i]}" for i in range(len(now)) if now[i] != before[i]) or "all 0"


def _change(before: object, now: object) -> str:
    return str(now) if before == now else f"{before} → {now}"


def unset(game: Game, name: str) -> bool:
    """Return whether a field is meant to hold a seat, and holds none now."""
    return isinstance(game.declared.state[name], Seat) and position(game)[name] == -1


def numbers(game: Game) -> list[str]:
    """Return the fields that people play by; flags control what is asked next, and whose turn it is is said anyway.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> numbers(TossUp())
    ['scores', 'points', 'leader']
    """
    fields, turn = game.declared.state, turn_field(game)
    hidden = {turn, *game.words.hidden}
    return [name for name, field in fields.items() if not isinstance(field, Flag) and name not in hidden]


def legend(game: Game, width: int, state: State | None = None) -> list[str]:
    """Return lines with name, value and meaning of the fields that people play by; `state` has those that they see."""
    state = position(game) if state is None else state
    shown = [name for name in numbers(game) if name in state and not unset(game, name)]
    rows = [(called(game, n), value_words(game, n, state[n]), game.declared.state[n].help) for n in shown]
    wide = [min(24, max(len(row[i]) for row in rows)) for i in (0, 1)] if rows else []
    lines = []
    for name, value, help in rows:
        head = f"  {name.ljust(wide[0])}  {value.ljust(wide[1])}  "
        lines += wrap(head + help, width, subsequent_indent=" " * min(len(head), width // 2))
    return lines


# Seats ----------------------------------------------------------------------------------------------------------------
#
# The strategy or person of each seat, and the names shown for seats.


PERSON = ("me", "person")
"""Words in place of a strategy for a seat that a person plays."""


def seated(game: Game, texts: Sequence[str]) -> list[Call | None]:
    """Return the strategy of each seat, None for a person; an empty list for a game without choices.

    Raises
    ------
    InputError
        When a strategy, or the number of strategies, is not allowed.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> [str(call) for call in seated(TossUp(), ["me", "bank_over:30"])]
    ['None', 'bank_over:30']
    """
    if not game.declared.decisions:
        if texts:
            raise ParameterError(f"{game.name} has no choices, so it takes no strategy; leave {texts[0]!r} out")
        return []
    seats, known = seat_count(game), list(game.declared.strategies)
    if not texts and seats > 1 and not known:
        people = " ".join(["--strategy me"] * seats)
        raise ParameterError(f"{game.name} declares no strategy to play against; people in all seats: {people}")
    texts = texts or ["me", *known[:1] * (seats - 1)]
    if len(texts) not in (1, seats):
        wanted = f"{seats} seats: give one strategy for all or one for each" if seats > 1 else "1 seat: give 1 strategy"
        raise ParameterError(f"{game.name} has {wanted}, not {len(texts)}; me is a seat that a person plays")
    calls = [None if text in PERSON else parse_call(game, text) for text in texts]
    return calls if len(calls) == seats else calls * seats


def seat_names(game: Game, calls: Sequence[Call | None]) -> list[str]:
    """Return the name shown for each seat; seats are counted from 1.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> seat_names(TossUp(), seated(TossUp(), ["me", "one_roll"])), seat_names(TossUp(), [None, None])
    (['you', 'player 2 (one_roll)'], ['player 1', 'player 2'])
    """
    names = [player_name(seat, player_names(game)) for seat in range(seat_count(game))]
    for seat, call in enumerate(calls):
        if call is not None:
            names[seat] += f" ({call})"
        elif calls.count(None) == 1:
            names[seat] = "you"
    return names
