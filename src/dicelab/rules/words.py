"""How a game looks and what its things are called, as plain data in its file; rules never depend on it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Bits:
    """Names for a number that stands for a set.

    Attributes
    ----------
    names
        What is in the set if bit 0, 1, 2 and so on is 1.

    Attributes
    ----------
    names
        The names of the members, from that of bit 0 on.

    Examples
    --------
    >>> Bits("1 2 3 4".split()).words(0b1010), Bits(["a"]).words(0)
    ('2 4', 'nothing')
    """

    names: Sequence[str]

    def words(self, number: int) -> str:
        """The members of a set."""
        return " ".join(name for k, name in enumerate(self.names) if number >> k & 1) or "nothing"


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
    """A number for each player, side by side: scores, coins.

    Attributes
    ----------
    row
        The row of the game that holds them.

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
        The row of the game that holds how many dice show each face.
    """

    row: str


@dataclass(frozen=True)
class Track:
    """Named positions of a set or of a row; those that are in it are shown, the others are dots.

    Attributes
    ----------
    field
        The field; its values have names in `Words.values`, `Bits` if it stands for a set.

    Examples
    --------
    >>> Track("tiles").field
    'tiles'
    """

    field: str


@dataclass(frozen=True)
class Numbers:
    """Fields and tallies with their names, in one line.

    Attributes
    ----------
    names
        The fields and tallies.

    Examples
    --------
    >>> Numbers(["points", "turns"]).names
    ['points', 'turns']
    """

    names: Sequence[str]


Part = Sheet | Places | Dice | Track | Numbers


@dataclass(frozen=True)
class Rulebook:
    """The rules for people, a paragraph each; empty ones are left out.

    Attributes
    ----------
    goal, setup, turn, end, scoring
        The paragraphs; names of parameters in braces stand for their values.

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

    @property
    def sections(self) -> dict[str, str]:
        """The paragraphs by their titles."""
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
        What fields, tallies, rolls and choices are called, where it is not the name in the rules.
    hidden
        Fields that are bookkeeping and not shown.
    values
        What the values of a field or of a choice are called: names from its smallest value on, or `Bits`.
    scores
        Fields and tallies that count for the player, the most important first: a move is shown with what it adds to
        the first of them that it changes. Of a row, the number of the player that moves.
    board
        The parts of the board, from top to bottom.
    news
        What is said when something happens: by a tally or field, when a step makes it larger, or by a roll or choice,
        also with the number that it received: ``die 1``.
        In braces stand ``player``, the numbers that the roll or choice received, and how much a field or tally has
        changed: ``{"busts": "{player} farkled and lost {points} points"}``.
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
    values: Mapping[str, Sequence[str] | Bits] = field(default_factory=dict)
    scores: Sequence[str] = ()
    board: Sequence[Part] = ()
    news: Mapping[str, str] = field(default_factory=dict)
    rulebook: Rulebook = Rulebook()

    def problems(self, known: set[str], methods: set[str], steps: set[str]) -> list[str]:
        """What names things that the game doesn't have, a sentence each.

        Parameters
        ----------
        known
            Its parameters, fields and tallies.
        methods
            All attributes of its class.
        steps
            Its rolls and choices.
        """
        parts = {"board": [name for part in self.board for name in _names(part)]}
        used = {"names": self.names, "hidden": self.hidden, "values": self.values, "scores": self.scores} | parts
        missing = [
            f"words.{where}: {name!r} is none of its fields, tallies, rolls and choices"
            for where, names in used.items()
            for name in names
            if name not in known | steps
        ]
        news = [name for name in self.news if name.partition(" ")[0] not in known | steps]
        missing += [f"words.news: {name!r} is none of them either" for name in news]
        sheets = [part for part in self.board if isinstance(part, Sheet)]
        missing += [f"words.board: there is no method {s.open!r}" for s in sheets if s.open not in methods]
        missing += [
            f"words.values: {s.choice!r} needs names for its rows" for s in sheets if s.choice not in self.values
        ]
        return missing


def _names(part: Part) -> Sequence[str]:
    """The fields, tallies and choices that a part of a board shows."""
    if isinstance(part, Numbers):
        return part.names
    return [part.choice if isinstance(part, Sheet) else part.field if isinstance(part, Track) else part.row]


def player_name(seat: int, players: Sequence[str] = ()) -> str:
    """What a seat is called where people read: its name, or its number counted from 1.

    >>> player_name(0), player_name(1, ("white", "black"))
    ('player 1', 'black')
    """
    return players[seat] if seat < len(players) else f"player {seat + 1}"


def player_typed(text: str, seats: int, players: Sequence[str] = ()) -> int | None:
    """The seat that a typed label means: a name, or ``player 2`` for seat 1; None if it is no label.

    >>> player_typed("player 2", 4), player_typed("Black", 2, ("white", "black")), player_typed("player 5", 4)
    (1, 1, None)
    >>> player_typed("1", 4) is None  # a bare number is no label
    True
    """
    folded = re.sub(r"[ _-]+", " ", text).strip().lower()
    for seat, name in enumerate(players):
        if folded == name.lower():
            return seat
    numbered = re.fullmatch(r"player ?(\d{1,9})", folded)
    seat = int(numbered[1]) - 1 if numbered else -1
    return seat if 0 <= seat < seats else None
