"""Players' names for the spots of a layout, and how a typed line is read as a bet."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dicelab.errors import ParameterError
from dicelab.extras.craps.spots import COUNT, DONT_PASS, FLAT, NAMES, PART, PASS, Part
from dicelab.extras.craps.table_rules import LAID, ROOM, SENTENCES, Layout, Reason

WRITTEN = (
    (r"^dont", "don't"),
    (r"^(come|don't come)( odds)? (\d+)$", r"\1\2 on \3"),
    (r"^(big|hard|any)(\d+)$", r"\1 \2"),
    (r"^(hop \d) (\d)$", r"\1-\2"),
    (r"^hi lo$", "hi-lo"),
    (r"^ce$", "C & E"),
)
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MEANT = (
    (r"[$,]|\b(on|the|a|an|bet|bets|please)\b", " "),
    (r"^\s*(\d+)\s+([a-z].*)$", r"\2 \1"),
    (r"^\s*(r|roll|throw|shoot|done)?\s*$", "done 0"),
    (r"\bline\b", " "),
    (r"\b(hard way|hardway)s?\b", "hard"),
    (r"\bany seven\b", "any 7"),
    (r"\b(yo leven|yo)\b", "eleven"),
    (r"\bace deuce\b", "three"),
    (r"\b(snake eyes|aces|double ones?)\b", "two"),
    (r"\b(boxcars|midnight|double six(es)?)\b", "twelve"),
    (r"\bwhirl\b", "world"),
    (
        rf"\b(place|lose|buy|lay|hard|big|come|odds|high|repeater) ({'|'.join(NUMBERS)})\b",
        lambda match: f"{match[1]} {NUMBERS.index(match[2]) + 2}",
    ),
    (r"\bhop ([1-6])[- ]([1-6])\b", lambda match: "hop {} {}".format(*sorted(match.groups()))),
)
"""Substitutions, applied in this order, from players' words to names of spots."""
FLATS = tuple(FLAT[spot] for spot in range(COUNT) if PART[spot] == Part.ODDS)
"""The spots behind which odds can be made."""
DOWN = re.compile(r"^(?:take )?down (.+)$|^take (.+) down$|^(.+) down$")
"""Lines that take a bet down; one of the groups is the bet."""


def called(spot: int) -> str:
    """Return the name of a spot for players.

    >>> called(0), called(NAMES.index("dont_come_odds_6")), called(NAMES.index("hard8")), called(NAMES.index("ce"))
    ('pass', "don't come odds on 6", 'hard 8', 'C & E')
    """
    name = NAMES[spot].replace("_", " ")
    for pattern, words in WRITTEN:
        name = re.sub(pattern, words, name)
    return name


def plain(words: str) -> str:
    """Return a name reduced to small letters and digits without "on", so that spellings of it can be compared.

    >>> plain("Don't come on 6") == plain("dont_come 6"), plain("hop 1-2")
    (True, 'hop12')
    """
    return re.sub(r"[^a-z0-9]|\bon\b", "", words.lower().replace("_", " "))


def meant(table: Layout, line: str) -> str:
    """Return a typed line as a move: the name of a spot and an amount, negative if money is taken down.

    Raises
    ------
    ParameterError
        When a bet is to be taken down that the player doesn't have, or odds have no bet in front of them.

    Examples
    --------
    >>> (
    ...     meant(Layout(), "$10 on the pass line"),
    ...     meant(Layout(), "yo 5"),
    ...     meant(Layout(), "hop 6-5 5"),
    ...     meant(Layout(), ""),
    ... )
    ('pass 10', 'eleven 5', 'hop 5 6 5', 'done 0')
    """
    line = " ".join(line.lower().split())
    down = DOWN.match(line)
    if down:
        return taken_down(table, next(filter(None, down.groups())))
    for pattern, full in MEANT:
        line = re.sub(pattern, full, line)
    words = line.split()
    if "odds" in words and not named(words) and not any(map(table.rides, FLATS)):
        raise ParameterError(LAID if words[0].startswith("don") else SENTENCES[Reason.FLAT])
    if words[:1] == ["odds"] and len(words) < 3 and table.point > 0:
        flat = next((spot for spot in (PASS, DONT_PASS) if table.rides(spot)), -1)
        words[:1] = [NAMES[flat], "odds"] if flat >= 0 else ["odds"]
    return " ".join(words)


def named(words: Sequence[str]) -> bool:
    """Return whether a line begins with the name of a spot.

    >>> named(["pass", "odds", "20"]), named(["come", "odds", "9", "20"]), named(["odds", "20"])
    (True, True, False)
    """
    spots = {plain(name) for name in NAMES}
    return any(plain(" ".join(words[:count])) in spots for count in range(len(words), 1, -1))


def taken_down(table: Layout, words: str) -> str:
    """Return the move that takes a bet down: all of it, or the amount given at the end of `words`."""
    lie = spots_of(table, table.player)
    for name, amount in ((words, ""), tuple(words.rpartition(" ")[::2])):
        spots = [spot for spot in lie if plain(called(spot)) == plain(name) or plain(NAMES[spot]) == plain(name)]
        if spots and (amount == "" or amount.isdigit()):
            stake = table.bets[table.player * COUNT + spots[0]]
            return f"{NAMES[spots[0]]} -{amount or stake}"
    raise ParameterError(f"you have no bet on {words!r}; " + (f"your bets: {listed(lie)}" if lie else "you have none"))


def spots_of(table: Layout, seat: int) -> list[int]:
    """Return the spots on which a player has money, in the order of the layout."""
    return sorted(table.lying[seat * ROOM + place] for place in range(table.count[seat]))


def listed(spots: Sequence[int]) -> str:
    """Return the names of spots, separated by commas."""
    return ", ".join(called(spot) for spot in spots)
