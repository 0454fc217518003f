"""The exact distribution of a dice expression, by icepool.

The steps that each part takes are estimated before it is computed, so that an expression that would take too long, or
too much memory, is refused at once.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import log10
from operator import add, eq, ge, gt, le, lt, mul, sub
from typing import Any, NamedTuple

from dicelab.notation.errors import ExpressionError
from dicelab.notation.parse import Compare, Dice, Join, Number, Question, Tree

MOST_STEPS = 4_000_000
"""Maximum number of steps, mostly pairs of values that are joined: a few seconds."""
MOST_FACES = 250
"""Maximum number of faces where only some dice are kept: icepool calls itself for each."""
MOST_DIGITS = 4000
"""Maximum number of digits of a probability's denominator, below the limit of Python's `str`."""
LARGEST = 10**12
"""Largest value."""
PRODUCT = 4
"""Steps for each pair of a product, whose values are mostly all different."""

OPERATORS = {"+": add, "-": sub, "*": mul}
TESTS = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}

Die = Any
"""An `icepool.Die`: a whole number of equally likely cases for each value."""


class Answer(NamedTuple):
    """Probability by value, values rising; and the probability that a die would have exploded once more."""

    probabilities: dict[int, Fraction]
    cut_off: Fraction


def evaluate(question: Question, text: str, depth: int) -> Answer:
    """The distribution of an expression, or of the first one minus the second if there are two.

    Parameters
    ----------
    question, text
        The expression, parsed and as it is written.
    depth
        Maximum number of explosions of a die.

    Raises
    ------
    ExpressionError
        When it takes too many steps.

    Examples
    --------
    >>> from dicelab.notation.parse import parse
    >>> evaluate(parse("2d2"), "2d2", 10).probabilities
    {2: Fraction(1, 4), 3: Fraction(1, 2), 4: Fraction(1, 4)}
    """
    work = _Work(text, depth)
    die = work.die(question.first)
    if question.second is not None:
        die = work.joined("-", die, work.die(question.second), question.at)
    total = die.denominator()
    return Answer({int(value): Fraction(cases, total) for value, cases in die.items()}, 1 - work.kept)


class _Work:
    """The evaluation of one expression, and the limits that are left for the rest of it.

    `kept` is the probability that no die would have exploded once more.
    """

    def __init__(self, text: str, depth: int) -> None:
        self.text, self.depth, self.steps, self.digits, self.kept = text, depth, 0.0, 0.0, Fraction(1)

    def charge(self, at: int, what: str, steps: float, digits: float = 0.0) -> None:
        """Refuse work that is too much together with what was done before."""
        self.steps, self.digits = self.steps + steps, self.digits + digits
        sentence = ""
        if self.digits > MOST_DIGITS:
            sentence = f"its probabilities would have about {self.digits:,.0f} digits; at most {MOST_DIGITS:,}"
        elif self.steps > MOST_STEPS:
            sentence = f"it would take about {self.steps:,.0f} steps; at most {MOST_STEPS:,}"
        if sentence:
            raise ExpressionError(f"{what} is too much to compute exactly: {sentence} are allowed", self.text, at)

    def die(self, tree: Tree) -> Die:
        import icepool

        match tree:
            case Number(value):
                return icepool.Die([value])
            case Dice():
                return self.dice(tree, None)
            case Join(operator, left, right, at):
                return self.joined(operator, self.die(left), self.die(right), at)
            case Compare(operator, of, limit, each):
                test = partial(_compared, operator, limit)
                if each and isinstance(of, Dice):
                    self.must_differ(of, operator, limit)
                    return self.dice(of, test)
                return self.die(of).map(test)

    def must_differ(self, dice: Dice, operator: str, limit: int) -> None:
        """Refuse to compare each of several dice with a number that none can show: the total was meant."""
        if dice.count > 1 and limit > dice.faces and not dice.exploding:
            sentence = f"no d{dice.faces} shows {limit}, and each die is compared; for the total write (...)"
            raise ExpressionError(f"{sentence} {operator} {limit}", self.text, dice.at)

    def joined(self, operator: str, left: Die, right: Die, at: int) -> Die:
        pairs = len(left) * len(right)
        self.charge(at, f"this {operator}", pairs * (PRODUCT if operator == "*" else 1))
        extremes = [OPERATORS[operator](a, b) for a in _ends(left) for b in _ends(right)]
        if max(map(abs, extremes)) > LARGEST:
            raise ExpressionError(f"values above {LARGEST:,} are not allowed", self.text, at)
        return OPERATORS[operator](left, right)

    def dice(self, dice: Dice, test: partial[int] | None) -> Die:
        """The sum of the dice that are kept, or how many of them pass a test."""
        import icepool

        what = f"{dice.count if dice.count > 1 else ''}d{dice.faces}"
        chain = self.depth + 1 if dice.exploding else 1
        values, kept = dice.faces * chain, dice.high - dice.low
        steps = values if chain == 1 else values * max(1, values / 50)
        self.charge(dice.at, what, steps, dice.count * chain * log10(dice.faces))
        all_kept = kept == dice.count
        width = values if test is None else 2
        if all_kept:
            self.charge(dice.at, what, (dice.count * width) ** 2 / 3 if dice.count > 1 else 0)
        else:
            size = values * dice.count**2 * kept
            self.charge(dice.at, f"{what}, some of them kept,", size * values / 20 if test is None else size / 2)
            if values > MOST_FACES:
                sentence = f"where only some dice are kept, each can have at most {MOST_FACES} values, not {values:,}"
                raise ExpressionError(sentence, self.text, dice.at)
        die = icepool.d(dice.faces)
        if dice.exploding:
            self.kept *= (1 - Fraction(1, dice.faces**chain)) ** dice.count
            die = die.explode(depth=self.depth) if self.depth else die
        if all_kept:
            return _repeated(die if test is None else die.map(test), dice.count)
        pool = die.pool(dice.count)[dice.low : dice.high]
        return pool.sum() if test is None else pool.keep_outcomes(test).size()


def _compared(operator: str, limit: int, value: int) -> int:
    return int(TESTS[operator](value, limit))


def _ends(die: Die) -> tuple[int, int]:
    return die.min_outcome(), die.max_outcome()


def _repeated(die: Die, count: int) -> Die:
    """The sum of `count` dice, by doubling; icepool's own `@` exceeds the recursion limit for many dice."""
    result = None
    while count:
        if count & 1:
            result = die if result is None else result + die
        count >>= 1
        die = die + die if count else die
    return result
