"""The grammar of dice expressions: text to a tree.

::

    question    comparison ["vs" comparison]
    comparison  sum [(">=" | "<=" | ">" | "<" | "=") NUMBER]
    sum         product {("+" | "-") product}
    product     part {"*" part}
    part        NUMBER | dice | "(" comparison ")"
    dice        [NUMBER] "d" NUMBER ["exploding"] {[("keep" | "drop")] ("highest" | "lowest") [NUMBER]}

``highest`` alone keeps, and a number left out is 1. A comparison of dice alone counts the dice for which it is true; of
anything else, such as dice in parentheses, it is 1 if it is true and 0 if not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from dicelab.notation.errors import ExpressionError

LONGEST = 1000
"""Maximum number of characters."""
DEEPEST = 50
"""Maximum number of parentheses in each other."""
LARGEST = 1_000_000
"""Largest number that may be written."""
COMPARISONS = (">=", "<=", ">", "<", "=")
WORDS = ("d", "drop", "exploding", "highest", "keep", "lowest", "vs")
TOKEN = re.compile(r"([0-9]+)|([a-z]+)|(>=|<=|[-+*()<>=])", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Number:
    """A whole number."""

    value: int


@dataclass(frozen=True)
class Dice:
    """Dice of one kind, rolled together; `at` is where they are written.

    Those from `low` to `high` (excluded) are kept, counted from the lowest die.
    """

    count: int
    faces: int
    exploding: bool
    low: int
    high: int
    at: int


@dataclass(frozen=True)
class Join:
    """Two expressions joined by ``+``, ``-`` or ``*``."""

    operator: str
    left: Tree
    right: Tree
    at: int


@dataclass(frozen=True)
class Compare:
    """A comparison with a number, of each of the dice (`each`) or of the whole."""

    operator: str
    of: Tree
    limit: int
    each: bool


Tree = Number | Dice | Join | Compare


class Question(NamedTuple):
    """An expression, and the one it is rolled against, if any."""

    first: Tree
    second: Tree | None
    at: int


class Token(NamedTuple):
    """A number, word or symbol, and where it begins; at the end of the text it is empty."""

    text: str
    at: int

    @property
    def shown(self) -> str:
        """What stands there, for an error."""
        return repr(self.text) if self.text else "the end"


def parse(text: str) -> Question:
    """The tree of an expression.

    Raises
    ------
    ExpressionError
        When it is none, or too long; says where.

    Examples
    --------
    >>> parse("2d20 highest").first
    Dice(count=2, faces=20, exploding=False, low=1, high=2, at=0)
    """
    if len(text) > LONGEST:
        raise ExpressionError(f"the expression has {len(text):,} characters; at most {LONGEST:,} are allowed")
    if not text.strip():
        raise ExpressionError("the expression is empty; write one such as 4d6 keep highest 3")
    return _Parser(text).question()


def _tokens(text: str) -> Iterator[Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        if text[at].isspace():
            at += 1
            continue
        match = TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"{text[at]!r} is not part of a dice expression", text, at)
        token = Token(match[0].lower(), at)
        if match[1] and (len(match[1]) > 9 or int(match[1]) > LARGEST):
            raise ExpressionError(f"numbers above {LARGEST:,} are not allowed", text, token.at)
        if match[2] and token.text not in WORDS:
            known = ", ".join(WORDS)
            raise ExpressionError(f"{token.text[:20]!r} is not a word of dice expressions: {known}", text, token.at)
        yield token
        at = match.end()
    yield Token("", end)


class _Parser:
    """Recursive descent: a method for each line of the grammar, from the token at `place` on."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.place, self.depth = text, list(_tokens(text)), 0, 0

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def take(self, *texts: str) -> str:
        """Step over the token if it is one of these; its text, or an empty one."""
        found = self.token.text
        if found not in texts:
            return ""
        self.place += 1
        return found

    def number(self, otherwise: int | None, what: str) -> int:
        if not self.token.text.isdigit():
            if otherwise is not None:
                return otherwise
            raise self.wrong(what)
        self.place += 1
        return int(self.tokens[self.place - 1].text)

    def wrong(self, expected: str) -> ExpressionError:
        return ExpressionError(f"expected {expected}, not {self.token.shown}", self.text, self.token.at)

    def question(self) -> Question:
        first, at = self.comparison(), self.token.at
        second = self.comparison() if self.take("vs") else None
        if self.token.text:
            raise self.wrong("an operator or the end" if second else "an operator, vs or the end")
        return Question(first, second, at)

    def comparison(self) -> Tree:
        begun = self.token.text
        found = self.sum()
        operator = self.take(*COMPARISONS)
        if not operator:
            return found
        limit = self.number(None, "a number to compare with (use vs for other dice)")
        return Compare(operator, found, limit, each=isinstance(found, Dice) and begun != "(")

    def sum(self) -> Tree:
        found, at = self.product(), self.token.at
        while operator := self.take("+", "-"):
            found, at = Join(operator, found, self.product(), at), self.token.at
        return found

    def product(self) -> Tree:
        found, at = self.part(), self.token.at
        while operator := self.take("*"):
            found, at = Join(operator, found, self.part(), at), self.token.at
        return found

    def part(self) -> Tree:
        begin = self.token
        if self.take("("):
            self.depth += 1
            if self.depth > DEEPEST:
                raise ExpressionError(f"at most {DEEPEST} parentheses may be in each other", self.text, begin.at)
            found = self.comparison()
            if not self.take(")"):
                raise self.wrong("')' or an operator")
            self.depth -= 1
            return found
        count = self.number(1 if begin.text == "d" else None, "dice, a number or '('")
        return self.dice(count, begin.at) if self.take("d") else Number(count)

    def dice(self, count: int, begin: int) -> Dice:
        if count < 1:
            raise ExpressionError("at least one die must be rolled", self.text, begin)
        at = self.token.at
        faces = self.number(None, "the number of faces")
        if faces < 1:
            raise ExpressionError("a die has at least one face", self.text, at)
        exploding, at = False, self.token.at
        if self.take("exploding"):
            if faces == 1:
                raise ExpressionError("a die with one face would explode without end", self.text, at)
            exploding = True
        found = Dice(count, faces, exploding, 0, count, begin)
        while self.token.text in ("keep", "drop", "highest", "lowest"):
            found = self.selection(found)
        if self.token.text == "exploding":
            raise ExpressionError("exploding is written right after the dice, once", self.text, self.token.at)
        return found

    def selection(self, dice: Dice) -> Dice:
        """The dice that are left by ``keep highest 3`` and the like."""
        drop = self.take("keep", "drop") == "drop"
        end = self.take("highest", "lowest")
        if not end:
            raise self.wrong("highest or lowest")
        at, left = self.token.at, dice.high - dice.low
        number = self.number(1, "")
        if not 1 <= number <= left - drop:
            raise ExpressionError(_too_many(number, left, drop), self.text, at)
        kept = left - number if drop else number
        if (end == "highest") != drop:
            return replace(dice, low=dice.high - kept)
        return replace(dice, high=dice.low + kept)


def _too_many(number: int, left: int, drop: bool) -> str:
    dice = f"{left:,} {'die' if left == 1 else 'dice'}"
    if drop:
        return f"{number:,} of {dice} can't be dropped; at least one is dropped, and at least one is left"
    return f"{number:,} of {dice} can't be kept"
