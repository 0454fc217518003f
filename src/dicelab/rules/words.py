"""How a game looks and what its things are called, as plain data in its file; rules never depend on it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Bits:
    """Names for a number that stands for a set.

    Attributes
    ----------
    names
        What is in the set if bit 0, 1, 2 and so on is 1.

    Examples
    --------
    >>> Bits("1 2 3 4".split()).words(0b1010), Bits(["a"]).words(0)
    ('2 4', 'nothing')
    """

    names: Sequence[str]

    def members(self, number: int) -> list[str]:
        """Return the members of a set."""
        return [name for k, name in enumerate(self.names) if number >> k & 1]

    def words(self, number: int) -> str:
        """Return the members of a set as text."""
        return " ".join(self.members(number)) or "nothing"


@dataclass(frozen=True)
class Sheet:
    """A score sheet: a row for each value of a choice, with what it has scored, or what it would score now.

    Attributes
    ----------
    choice
        The choice that fills a row; its values have names in `Words.values`.
    open
        The method of the game that says whether the row of a value is open.

    Examples
    --------
    >>> Sheet("fill", "is_open").choice
    'fill'
    """

    choice: str
    open: str


@dataclass(frozen=True)
class Places:
    """A number for each player, side by side (scores, coins), or for each named place (points of a board, bets).

    Attributes
    ----------
    row
        The row of the game that holds them. `Words.values` names its places, unless there is one for each player; where
        it names fewer, they are those of each player; a `Grid` by seat without names has a line for each. Of more than
        24 places only those that aren't 0 are shown.

    Examples
    --------
    >>> Places("coins").row
    'coins'
    """

    row: str


@dataclass(frozen=True)
class Dice:
    """Dice that lie on the table.

    Attributes
    ----------
    row
        The row of the game that holds how many dice show each face, or a field with the number of a single die.
    """

    row: str


@dataclass(frozen=True)
class Cups:
    """Dice under cups: each player sees the own ones, and how many the others have.

    Attributes
    ----------
    hands
        The private rows of the game that hold how many dice of each player show each face.
    counts
        The row with the number of dice of each player.

    Examples
    --------
    >>> Cups("hands", counts="left").counts
    'left'
    """

    hands: str
    counts: str


@dataclass(frozen=True)
class Track:
    """Named positions of a set or of a row, those that are not in it as dots; or a way on which pieces go.

    Attributes
    ----------
    field
        The field. A set has `Bits` as its `Words.values`; a number is where the piece of the player stands; each number
        of a row is how far a piece has gone on a track of its own; of rows by seat the player to move is shown, with
        where the others are.
    length
        Of a number or a row: the method of the game that returns the length of a track; of a row it takes the place,
        and a track of no length is not shown.
    ahead
        A row with steps beyond those of `field`, which may still be lost.

    Examples
    --------
    >>> Track("tiles").field, Track("climbed", length="length", ahead="ahead").length
    ('tiles', 'length')
    """

    field: str
    length: str = ""
    ahead: str = ""


@dataclass(frozen=True)
class Facing:
    """A board on which the pieces of two players pass each other, drawn as two rows of points, from the player to move.

    Attributes
    ----------
    row
        The `Grid` by seat that holds them. Each player counts from its own end: 0 is off the board, then come the
        points, and the last place is the bar.

    Examples
    --------
    >>> Facing("checkers").row
    'checkers'
    """

    row: str


@dataclass(frozen=True)
class Numbers:
    """Numbers with their names, in one line.

    Attributes
    ----------
    names
        Parameters, fields and tallies; also methods of the game without arguments that return a number or a text,
        for what follows from the state, such as a total. No rule needs to call them.

    Examples
    --------
    >>> Numbers(["points", "turns"]).names
    ['points', 'turns']
    """

    names: Sequence[str]


Part = Sheet | Places | Dice | Cups | Track | Facing | Numbers


@dataclass(frozen=True)
class Rulebook:
    """The rules for people, a paragraph each; empty ones are left out.

    Attributes
    ----------
    goal, setup, turn, end, scoring
        The paragraphs; names of parameters in braces stand for their values.
    options
        What changes where a parameter has another value than its default: by its name, or by its name and a value,
        ``jokers none``.

    Examples
    --------
    >>> Rulebook(goal="Bank {target} points.").sections
    {'Goal': 'Bank {target} points.'}
    """

    goal: str = ""
    setup: str = ""
    turn: str = ""
    end: str = ""
    scoring: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def sections(self) -> dict[str, str]:
        """The paragraphs that hold for all parameters, by their titles."""
        titles = {"Goal": self.goal, "Set-up": self.setup, "A turn": self.turn, "The end": self.end}
        return {title: text for title, text in (titles | {"Scoring": self.scoring}).items() if text}


@dataclass(frozen=True)
class Words:
    """How a game looks and what its things are called, for every surface; all of it may be left out.

    Attributes
    ----------
    players
        What the seats are called, in their order: ``("shooter",)``. Without names they are player 1, player 2 and so
        on.
    names
        What fields, tallies, rolls, choices and methods in `Numbers` are called, where it is not the name in the rules.
    hidden
        Fields that are bookkeeping and not shown.
    values
        What the values of a field or of a choice are called: names from its smallest value on, names of some values
        (``{0: "none yet"}``), or `Bits`; of a row, what its places are called. `Bits` may also name a parameter.
    moves
        How a move of several numbers reads, by its choice, or by its choice and these numbers; in braces stand the
        numbers, parameters and single fields: ``{"play": "point {point} by {die}"}``.
    scores
        Fields and tallies that count for the player, the most important first: a move is shown with what it adds to
        the first of them that it changes. Of a row, the number of the player that moves.
    objective
        What the game is played for, for hints, reviews and `dicelab best`, where neither payoffs, winners nor scores
        say it: ``"fewest:standing"``, or an outcome.
    board
        The parts of the board, from top to bottom.
    news
        What is said when something happens: by a tally or field, when a step makes it larger; by a field and a value
        that it gets, ``result 1``; or by a roll or choice, instead also with the numbers that it received, ``die 1``.
        In braces stand ``player``, ``move``, the numbers that the roll or choice received, how much a field or tally
        has changed, and parameters: ``{"busts": "{player} farkled and lost {points} points"}``. In square brackets
        stand parts that are left out where their number is 0, and after a semicolon what is said if all are left out:
        ``{player} passed [{lefts} to the left, {rights} to the right; nothing]``.
    endings
        How a game has ended, by outcome; by ``""`` for a game without outcomes. In braces stand parameters, fields and
        tallies: ``{"stuck": "No tiles fit, and {standing} points stand"}``.
    rulebook
        The rules for people; names of parameters in braces stand for their values.

    Examples
    --------
    >>> Words(players=("caster",)).players
    ('caster',)
    """

    players: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    hidden: Sequence[str] = ()
    values: Mapping[str, Sequence[str] | Mapping[int, str] | Bits] = field(default_factory=dict)
    moves: Mapping[str, str] = field(default_factory=dict)
    scores: Sequence[str] = ()
    objective: str = ""
    board: Sequence[Part] = ()
    news: Mapping[str, str] = field(default_factory=dict)
    endings: Mapping[str, str] = field(default_factory=dict)
    rulebook: Rulebook = Rulebook()

    def problems(self, known: set[str], methods: set[str], steps: set[str]) -> list[str]:
        """Return what names things that the game doesn't have, a sentence each.

        Parameters
        ----------
        known
            Its parameters, fields and tallies.
        methods
            All attributes of its class.
        steps
            Its rolls and choices.
        """
        numbers = {name for part in self.board if isinstance(part, Numbers) for name in part.names}
        sheets, own = [part.choice for part in self.board if isinstance(part, Sheet)], known | steps
        derived = own | (numbers & methods)
        board = [name for part in self.board for name in _names(part)]
        parts: list[tuple[str, str, Iterable[str], Container[str]]] = [
            ("names", NO_PART, self.names, derived),
            ("hidden", NO_PART, self.hidden, own),
            ("values", NO_PART, self.values, own),
            ("scores", NO_PART, self.scores, own),
            ("board", NO_PART, board, derived),
            ("news", "{!r} is none of them either", _lacking_first(self.news, own), ()),
            ("moves", "{!r} is no choice", _lacking_first(self.moves, steps), ()),
            ("board", "there is no method {!r}", _methods(self.board), methods),
            ("values", "{!r} needs names for its rows", sheets, self.values),
            ("rulebook.options", "{!r} is no parameter", _lacking_first(self.rulebook.options, known), ()),
        ]
        return [
            f"words.{where}: {says.format(name)}"
            for where, says, names, allowed in parts
            for name in names
            if name not in allowed
        ]


NO_PART = "{!r} is none of its fields, tallies, rolls and choices"
"""Of a name that a game doesn't have."""


def _lacking_first(names: Iterable[str], allowed: Container[str]) -> list[str]:
    """Return the names whose first word is not allowed."""
    return [name for name in names if name.partition(" ")[0] not in allowed]


def _methods(board: Iterable[Part]) -> list[str]:
    """Return the methods that the parts of a board call."""
    called = [part.open for part in board if isinstance(part, Sheet)]
    return called + [part.length for part in board if isinstance(part, Track) and part.length]


def _names(part: Part) -> Sequence[str]:
    """Return the fields, tallies and choices that a part of a board shows."""
    if isinstance(part, Numbers):
        return part.names
    if isinstance(part, Cups):
        return [part.hands, part.counts]
    if isinstance(part, Track):
        return [part.field, *([part.ahead] if part.ahead else [])]
    return [part.choice if isinstance(part, Sheet) else part.row]


def player_name(seat: int, players: Sequence[str] = ()) -> str:
    """Return what a seat is called where people read: its name, or its number counted from 1.

    >>> player_name(0), player_name(1, ("white", "black"))
    ('player 1', 'black')
    """
    return players[seat] if seat < len(players) else f"player {seat + 1}"


def folded(label: str) -> str:
    """Return a label without what people type differently: case, spaces, underscores, hyphens, forms of accents.

    >>> folded("Jean-Luc") == folded("jean_luc "), folded("Zoe\u0308") == folded("ZO\u00cb")
    (True, True)
    """
    return re.sub(r"[\s_-]+", " ", unicodedata.normalize("NFC", label)).strip().casefold()


def player_typed(text: str, seats: int, players: Sequence[str] = ()) -> int | None:
    """Return the seat that a typed label means: a name, or ``player 2`` for seat 1; None if it is no label.

    >>> player_typed("player 2", 4), player_typed("Black", 2, ("white", "black")), player_typed("player 5", 4)
    (1, 1, None)
    >>> player_typed("1", 4) is None  # a bare number is no label
    True
    """
    typed = folded(text)
    for seat, name in enumerate(players):
        if typed == folded(name):
            return seat
    numbered = re.fullmatch(r"player ?([0-9]{1,9})", typed)
    seat = int(numbered[1]) - 1 if numbered else -1
    return seat if 0 <= seat < seats else None
