"""The tokens and the grammar of dice expressions: text to a tree.

::

    question    comparison ["vs" comparison]
    comparison  sum [test ["f" ([test] | NUMBER)]]
    sum         ["-" | "+"] product {("+" | "-") product}
    product     part {"*" part | "//" NUMBER}
    part        NUMBER | [count] dice | "(" comparison ")" | ("max" | "min") "(" comparison {"," comparison} ")"
    count       NUMBER | "(" comparison ")"
    dice        "d" (NUMBER | "%" | "F" | "{" face {"," face} "}") {again} [explode] {keep}
    face        value [".." value] [":" NUMBER]
    again       ("r" | "reroll" | "ro") (test | NUMBER)
    explode     "exploding" | ("!" | "!!") [test | NUMBER]
    keep        [("keep" | "drop")] ("highest" | "lowest") [NUMBER] | ("kh" | "k" | "kl" | "dh" | "dl") [NUMBER]
    test        (">=" | "<=" | ">" | "<" | "=") NUMBER

``highest`` alone keeps, and a number left out is 1. A comparison of dice alone counts the dice for which it is true; of
anything else, such as dice in parentheses, it is 1 if it is true and 0 if not.

By itself because with `dicelab.questions.notation.expression` it would be a file of more than 500 lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from dicelab.questions.notation.parts import (
    TESTS,
    Compare,
    DicePart,
    ExpressionError,
    Extreme,
    Join,
    Number,
    NumberTest,
    ParsedQuestion,
    Tree,
)

LONGEST = 1000
"""Maximum number of characters."""
LARGEST = 1_000_000
"""Largest number that may be written."""
WORDS = (
    *("d", "df", "dh", "dl", "drop", "exploding", "f", "highest", "k", "keep", "kh", "kl"),
    *("lowest", "max", "min", "r", "reroll", "ro", "vs"),
)
SPELLINGS = {"\u2212": "-", "\u2013": "-", "\u00d7": "*", "\u00b7": "*", "≥": ">=", "≤": "<=", "==": "="}
"""Symbols as word processors and programmers write them: minus and dash, the times cross and dot."""
TOKEN = re.compile(
    rf"([0-9]+)|([a-z]+)|({'|'.join(SPELLINGS)}|>=|<=|//|\.\.|!!|[-+*()<>=!%{{}},:])", re.ASCII | re.IGNORECASE
)
HINTS = {
    ("adv", "advantage"): "advantage is written 2d20kh1",
    ("dis", "disadvantage"): "disadvantage is written 2d20kl1",
    ("w", "die", "dice", "coin"): "dice are written d, as in 3d6; a coin is d{0,1}",
    ("floor", "/"): "// divides and rounds down, as in 8d6 // 2",
    ("ceil", "round"): "// divides and rounds down; to round up, add one less than the divisor before: (8d6 + 1) // 2",
    ("e", "explode", "explodes", "ace", "aces"): "dice that explode are written 3d6!, at another face 3d6!5 or 3d6!>=5",
    ("p",): "penetrating dice, whose further rolls lose 1, are not computed; 3d6! adds the rolls as they are",
    ("rr",): "r1 rolls a face again until it is something else, ro1 once",
    ("ra",): "to add a die once where another explodes, write d6! and --depth 1",
    ("mi", "ma"): "list the faces: with at least 2 on each die, 4d6 is 4d{2,2..6}",
    ("cs", "cf"): "marks of critical rolls change no total; 2d20 >= 19 counts such dice",
    ("s", "sa", "sd"): "the order of the dice changes no total; leave it out",
    (
        "x",
        "#",
        "repeat",
    ): "every repetition has the same distribution, so write the dice once; * multiplies, and a comment is left out",
    ("roll",): "write only the dice, such as 2d6 + 3",
    ("of", "best", "worst", "pick", "top", "the", "l"): "write 4d6 keep highest 3, or 4d6kh3",
    (
        "at",
        "dc",
        "ac",
        "than",
        "or",
        "between",
    ): "(1d20 + 5) >= 15 is 1 where the total is large enough, and at least N has a field, or option, of its own",
    ("and", ";"): "several expressions are given one by one, each in quotes on the command line",
    ("@", "?"): "sheets and macros are not read; write the number",
    (
        "[",
        "]",
    ): "labels and brackets are left out: 2d6 + 3, not [[2d6 + 3[fire]]]; faces are listed in braces, d{1,1,2}",
    (".",): "numbers are whole",
    ("^",): "powers are not computed",
}
"""What to write instead of words and symbols of other programs."""


class Token(NamedTuple):
    """A number, word or symbol, and where it begins; at the end of the text it is empty."""

    text: str
    at: int

    @property
    def shown(self) -> str:
        """What stands there, for an error."""
        return repr(self.text) if self.text else "the end"


def instead(word: str) -> str:
    """Return what to write instead of a word or symbol of another program, after a semicolon; or nothing.

    >>> instead("adv"), instead("kepe")
    ('; advantage is written 2d20kh1', '')
    """
    return next((f"; {hint}" for words, hint in HINTS.items() if word in words), "")


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of an expression, the empty one last.

    Raises
    ------
    ExpressionError
        At what is no part of any expression.

    Examples
    --------
    >>> [token.text for token in tokens("4dFkh3")]
    ['4', 'df', 'kh', '3', '']
    """
    at, end = 0, len(text.rstrip())
    while at < end:
        if text[at].isspace():
            at += 1
            continue
        match = TOKEN.match(text, at)
        if match is None:
            hint = instead("roll" if text[at] in "/!" and not text[:at].strip() else text[at])
            raise ExpressionError(f"{text[at]!r} is not part of a dice expression{hint}", text, at)
        if match[1] and (len(match[1]) > 9 or int(match[1]) > LARGEST):
            raise ExpressionError(f"numbers above {LARGEST:,} are not allowed", text, at)
        word = match[0].lower()[:20]
        parts = [match[0]] if not match[2] else [] if instead(word) else split(match[0].lower())
        if not parts:
            hint = instead(word) or f": {', '.join(WORDS)}"
            raise ExpressionError(f"{word!r} is not a word of dice expressions{hint}", text, at)
        for part in parts:
            yield Token(SPELLINGS.get(part, part), at)
            at += len(part)
    yield Token("", end)


def split(letters: str) -> list[str]:
    """Return the words that are written without a space between them, the longest first; none if other letters are
    left.

    >>> split("dfkh"), split("keephighest"), split("kepe")
    (['df', 'kh'], ['keep', 'highest'], [])
    """
    if letters in WORDS:
        return [letters]
    for word in sorted(WORDS, key=len, reverse=True):
        if letters.startswith(word) and (rest := split(letters[len(word) :])):
            return [word, *rest]
    return []


DEEPEST = 50
"""Maximum number of parentheses in each other."""
MOST_LISTED = 10_000
"""Maximum number of faces that may be listed between braces."""
SHORT = {"kh": (False, "highest"), "k": (False, "highest"), "kl": (False, "lowest")}
SHORT |= {"dh": (True, "highest"), "dl": (True, "lowest")}
"""Of short words for a selection: whether they drop dice, and which ones."""
TEMPLATE = (
    "to choose which dice are rolled again after seeing all of them is a decision, and no expression has decisions; "
    "dicelab new NAME --like reroll writes the rules of such a roll, for dicelab solve (faces that are always "
    "rolled again are written 4d6r1, once 4d6ro1)"
)

REROLLED = re.compile(r"\bre-?roll(ing|ed|s)?\b(?!\s*[<>=\d])|\bre-?roll.*\b(to|so|if|until|unless)\b", re.I)
"""Words for rolling dice again, without the faces for which that is done, or with a purpose."""


def parse(text: str) -> ParsedQuestion:
    """Return the tree of an expression.

    Raises
    ------
    ExpressionError
        When it is none, or too long; says where.

    Examples
    --------
    >>> parse("2d20 highest").first
    DicePart(count=2, faces=range(1, 21), low=1, high=2, at=0, exploding='', explode=None, again=())
    """
    if len(text) > LONGEST:
        raise ExpressionError(f"the expression has {len(text):,} characters; at most {LONGEST:,} are allowed")
    if not text.strip():
        raise ExpressionError("the expression is empty; write one such as 4d6 keep highest 3")
    chosen = REROLLED.search(text)
    if chosen:
        raise ExpressionError(TEMPLATE, text, chosen.start())
    return _Parser(text).question()


class _Parser:
    """Recursive descent: a method for each line of the grammar, from the token at `place` on."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.place, self.depth = text, list(tokens(text)), 0, 0
        self.notes = dict[str, None]()
        self.enclosed: Tree | None = None  # what stood between the last parentheses

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def take(self, *texts: str) -> str:
        """Step over the token if it is one of these; its text, or an empty one."""
        text = self.token.text
        if text not in texts:
            return ""
        self.place += 1
        return text

    def number(self, otherwise: int | None, what: str) -> int:
        if not self.token.text.isdigit():
            if otherwise is not None:
                return otherwise
            raise self.wrong(what)
        self.place += 1
        return int(self.tokens[self.place - 1].text)

    def test(self, what: str) -> NumberTest | None:
        """Return a comparison with a number, if there is one."""
        operator, at = self.take(*TESTS), self.token
        if not operator:
            return None
        limit = self.number(None, what)
        if self.token.text in ("d", "df"):
            raise ExpressionError(f"expected {what}, not dice", self.text, at.at)
        return NumberTest(operator, limit)

    def faced(self, what: str) -> NumberTest:
        """Return a comparison of single dice; a number alone is compared with ``=``."""
        tested = self.test(what) or NumberTest("=", self.number(None, what))
        self.note_strict(tested)
        return tested

    def note_strict(self, test: NumberTest) -> None:
        """Note that Roll20 reads ``>`` as ``>=``."""
        if test.operator in "<>":
            strictly, others = ("more", "or more") if test.operator == ">" else ("less", "or less")
            note = f"{test.operator} {test.limit} means strictly {strictly}, {test.limit} excluded; on Roll20 it means "
            self.notes[f"{note}{test.limit} {others}, which is written {test.operator}= {test.limit} here"] = None

    def wrong(self, expected: str) -> ExpressionError:
        return ExpressionError(f"expected {expected}, not {self.token.shown}", self.text, self.token.at)

    def question(self) -> ParsedQuestion:
        first, at = self.comparison(), self.token.at
        second = self.comparison() if self.take("vs") else None
        if self.token.text == "!":
            sentence = "! is written right after the dice: 8d10!10 >= 7 explodes at 10, then counts 7 or more"
            raise ExpressionError(sentence, self.text, self.token.at)
        if self.token.text:
            raise self.wrong("an operator or the end" if second else "an operator, vs or the end")
        return ParsedQuestion(first, second, at, tuple(self.notes))

    def comparison(self) -> Tree:
        left = self.sum()
        test = self.test("a number to compare with (A vs B compares two totals)")
        if test is None:
            return left
        each = isinstance(left, DicePart) and left is not self.enclosed
        if each:
            self.note_strict(test)
        elif isinstance(left, Join) and isinstance(left.right, DicePart) and left.right.count != 1:
            self.notes["the whole sum is compared; to add dice that are counted, put them in parentheses"] = None
        at, failed = self.token.at, None
        if self.take("f"):
            if not each:
                raise ExpressionError("f subtracts dice that fail, and only dice are counted", self.text, at)
            failed = self.faced("a number, or a comparison such as <= 2")
        return Compare(test, left, each, failed)

    def sum(self) -> Tree:
        sign, begin = self.take("-", "+"), self.tokens[self.place - 1].at
        total = self.product()
        if sign == "-":
            total = Join("-", Number(0), total, begin)
        at = self.token.at
        while operator := self.take("+", "-"):
            total, at = Join(operator, total, self.product(), at), self.token.at
        return total

    def product(self) -> Tree:
        joined, at = self.part(), self.token.at
        while operator := self.take("*", "//"):
            part = self.part()
            if operator == "//" and not (isinstance(part, Number) and part.value):
                raise ExpressionError("// divides by a whole number above 0, and rounds down", self.text, at)
            joined, at = Join(operator, joined, part, at), self.token.at
        return joined

    def part(self) -> Tree:
        begin = self.token
        if self.take("max", "min"):
            if not self.take("("):
                raise self.wrong("'('")
            return Extreme(begin.text, tuple(self.inside(begin, several=True)), begin.at)
        if self.take("("):
            [inner] = self.inside(begin)
            if self.token.text in ("d", "df"):
                return self.dice(inner, begin.at)
            self.enclosed = inner
            return inner
        if begin.text == "{":
            sentence = "max(4d6, 3d8) and min(...) choose between totals, and parentheses go round a sum, not braces"
            raise ExpressionError(sentence, self.text, begin.at)
        count = self.number(1 if begin.text in ("d", "df") else None, "dice, a number or '('")
        return self.dice(count, begin.at) if self.token.text in ("d", "df") else Number(count)

    def inside(self, begin: Token, several: bool = False) -> list[Tree]:
        """Return what stands between parentheses, after the first one; separated by commas if there may be several."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ExpressionError(f"at most {DEEPEST} parentheses may be in each other", self.text, begin.at)
        parts = [self.comparison()]
        while several and self.take(","):
            parts.append(self.comparison())
        if not self.take(")"):
            raise self.wrong("')', ',' or an operator" if several else "')' or an operator")
        self.depth -= 1
        return parts

    def dice(self, count: int | Tree, begin: int) -> DicePart:
        if isinstance(count, int) and count < 1:
            raise ExpressionError("at least one die must be rolled", self.text, begin)
        faces = range(-1, 2) if self.take("df") else self.faces()
        rolled = DicePart(count, faces, 0, count if isinstance(count, int) else 0, begin)
        while self.token.text in ("r", "reroll", "ro"):
            rolled = self.again(rolled)
        rolled = self.explosion(rolled)
        while self.token.text in ("keep", "drop", "highest", "lowest", *SHORT):
            if not isinstance(count, int):
                sentence = "dice are kept only out of a fixed number of dice"
                raise ExpressionError(sentence, self.text, self.token.at)
            rolled = self.selection(rolled)
        if self.token.text in ("exploding", "!", "!!"):
            sentence = f"{self.token.text} is written right after the dice, once"
            raise ExpressionError(sentence, self.text, self.token.at)
        if self.token.text in ("r", "reroll", "ro"):
            sentence = (
                f"{self.token.text} is written right after the dice, before explosions and the dice that are kept"
            )
            raise ExpressionError(sentence, self.text, self.token.at)
        if self.token.text == "d" and self.tokens[self.place + 1].text.isdigit():
            number = self.tokens[self.place + 1].text
            sentence = (
                f"dl{number} drops the lowest dice; write + to add more dice, and parentheses to roll as many dice as "
                f"others show: (...)d{number}"
            )
            raise ExpressionError(sentence, self.text, self.token.at)
        return rolled

    def faces(self) -> Sequence[int]:
        """Return the values of the faces, after or from ``d``."""
        self.take("d")
        at = self.token.at
        if self.take("%"):
            return range(1, 101)
        if self.take("{"):
            listed = self.listed()
            while self.take(","):
                listed += self.listed()
                if len(listed) > MOST_LISTED:
                    raise ExpressionError(f"at most {MOST_LISTED:,} faces may be listed", self.text, at)
            if not self.take("}"):
                raise self.wrong("',' or '}'")
            return tuple(sorted(listed))
        faces = self.number(None, "the number of faces, %, F or { }")
        if faces < 1:
            raise ExpressionError("a die has at least one face", self.text, at)
        return range(1, faces + 1)

    def listed(self) -> list[int]:
        """Parse one entry of the faces between braces: a value, or a range of values, perhaps several times."""
        at, first = self.token.at, self.value()
        last = self.value() if self.take("..") else first
        times = self.number(None, "how often the face stands there") if self.take(":") else 1
        if last < first or times < 1:
            raise ExpressionError("a range goes upwards, and a face stands there once or more", self.text, at)
        if (last - first + 1) * times > MOST_LISTED:
            raise ExpressionError(f"at most {MOST_LISTED:,} faces may be listed", self.text, at)
        return [value for value in range(first, last + 1) for _ in range(times)]

    def value(self) -> int:
        sign = -1 if self.take("-") else 1
        return sign * self.number(None, "the value of a face")

    def again(self, dice: DicePart) -> DicePart:
        """Return the faces that are rolled again."""
        begin = self.token
        self.take("r", "reroll", "ro")
        test, once = self.faced("a number or a comparison"), begin.text == "ro"
        if dice.again and (once or dice.again[-1][1]):
            raise ExpressionError(
                "ro stands alone: with r, it would depend on the order of the rolls", self.text, begin.at
            )
        if not once and all(any(t.passes(face) for t, _ in (*dice.again, (test, once))) for face in dice.faces):
            raise ExpressionError("every face would be rolled again, without end", self.text, begin.at)
        return replace(dice, again=(*dice.again, (test, once)))

    def explosion(self, dice: DicePart) -> DicePart:
        """Return whether the dice explode, and at which faces."""
        at = self.token.at
        word = self.take("exploding", "!", "!!")
        if not word:
            return dice
        test = None
        if word != "exploding" and (self.token.text in TESTS or self.token.text.isdigit()):
            if self.token.text == "=":
                self.notes["!= explodes at this face, as !6 does at 6; it doesn't mean unequal"] = None
            test = self.faced("the faces that explode")
        kept = [face for face in dice.faces if not any(again.passes(face) for again, once in dice.again if not once)]
        test = test or NumberTest("=", max(kept))
        if not any(map(test.passes, kept)):
            face = test.limit if test.operator == "=" else f"{test.operator} {test.limit}"
            sentence = f"no {dice.name} shows {face}, so nothing explodes; 2d6{word}6>=8 explodes at 6, then counts"
            raise ExpressionError(sentence, self.text, at)
        if all(map(test.passes, kept)):
            only = "a die with one face" if len(dice.faces) == 1 else "a die that explodes at every face"
            raise ExpressionError(f"{only} would explode without end", self.text, at)
        return replace(dice, exploding="dice" if word == "!" else "value", explode=test)

    def selection(self, dice: DicePart) -> DicePart:
        """Return the dice that are left by ``keep highest 3`` and the like."""
        word = self.token
        if dice.exploding == "dice":
            sentence = "which dice are kept if more are added is not the same everywhere; with !! each die and what it "
            raise ExpressionError(f"{sentence}explodes to count as one die", self.text, word.at)
        if self.take(*SHORT):
            drop, end = SHORT[word.text]
        else:
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
