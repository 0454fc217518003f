"""The exact distribution of a dice expression, by icepool and by convolution.

The steps that each part takes are estimated before it is computed, so that an expression that would take too long, or
too much memory, is refused at once.

Sums are convolutions by exact multiplication of large numbers. The cases of a distribution are written one after the
other, each with as many decimal digits as the largest result needs; the product of two such numbers has the cases of
the sum in the same way. `decimal` multiplies large numbers exactly, by a number-theoretic transform.

By itself because it computes, while `dicelab.questions.notation.expression` declares the question and must not
import NumPy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import partial
from math import gcd, log10
from operator import add, floordiv, mul, sub
from typing import Any, NamedTuple

from dicelab.questions.notation.parts import (
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

DIGITS = 10
"""Digits that are multiplied in the time in which one pair of values is joined."""
FEW = 2_000
"""Pairs of values that are joined one by one at once."""

EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)

Die = Any
"""An `icepool.Die`: a whole number of equally likely cases for each value."""


def cost(left: Die, right: Die) -> float:
    """Return the steps of `added`, in pairs of values that are joined."""
    pairs = len(left) * len(right)
    return pairs if pairs <= FEW else min(pairs, _digits(left, right) / DIGITS)


def added(left: Die, right: Die) -> Die:
    """Return the distribution of the sum.

    >>> import icepool
    >>> added(icepool.d6, icepool.d6).equals(icepool.d6 + icepool.d6)
    True
    """
    import icepool

    if len(left) * len(right) <= FEW or cost(left, right) == len(left) * len(right):
        return left + right
    step, width = _step(left, right), len(str(left.denominator() * right.denominator()))
    product = EXACT.multiply(_written(left, step, width), _written(right, step, width))
    low = left.min_outcome() + right.min_outcome()
    count = (left.max_outcome() + right.max_outcome() - low) // step + 1
    digits = format(product, "f").zfill(width * count)
    cases = (int(digits[at : at + width]) for at in range(width * (count - 1), -1, -width))
    return icepool.Die({low + step * place: n for place, n in enumerate(cases) if n})


def repeated_cost(die: Die, count: int) -> float:
    """Return the steps of `repeated`; a bound, before anything is computed."""
    spread = die.max_outcome() - die.min_outcome()
    places = spread // _step(die, die) + 1 if spread else 1
    return power_cost(len(die), places, log10(die.denominator()), count)


def power_cost(values: int, places: int, digits: float, count: int) -> float:
    """Return the steps of the sum of `count` dice with so many values, at so many places, and with cases of so many
    digits.
    """
    if count < 2:
        return 0
    return min((values * count) ** 2 / 3, 2 * places * count * (digits * count + 1) / DIGITS)


def repeated(die: Die, count: int) -> Die:
    """Return the sum of `count` dice, by doubling; 0 without dice.

    >>> import icepool
    >>> repeated(icepool.d6, 5).equals(5 @ icepool.d6)
    True
    """
    import icepool

    result = None
    while count:
        if count & 1:
            result = die if result is None else added(result, die)
        count >>= 1
        die = added(die, die) if count else die
    return icepool.Die([0]) if result is None else result


def _step(left: Die, right: Die) -> int:
    """Return the largest number that divides all differences of values."""
    values = [list(map(int, die.outcomes())) for die in ((left,) if left is right else (left, right))]
    return gcd(*(value - one[0] for one in values for value in one)) or 1


def _digits(left: Die, right: Die) -> int:
    """Return the digits of the product."""
    spread = sum(die.max_outcome() - die.min_outcome() for die in (left, right))
    digits: int = (spread // _step(left, right) + 1) * len(str(left.denominator() * right.denominator()))
    return digits


def _written(die: Die, step: int, width: int) -> Decimal:
    """Return the cases of a distribution as one number, those of the lowest value last."""
    low = die.min_outcome()
    places = [0] * ((die.max_outcome() - low) // step + 1)
    for value, cases in die.items():
        places[(value - low) // step] = cases
    return Decimal("".join(f"{cases:0{width}d}" for cases in reversed(places)))


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
FACE = 4
"""Steps for each face of a die."""

OPERATORS = {"+": add, "-": sub, "*": mul, "//": floordiv}


class Evaluated(NamedTuple):
    """Probability by value, values rising; and the probability that a die would have exploded once more."""

    probabilities: dict[int, Fraction]
    cut_off: Fraction


def evaluate(question: ParsedQuestion, text: str, depth: int) -> Evaluated:
    """Return the distribution of an expression, or of the first one minus the second if there are two.

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
    >>> from dicelab.questions.notation.parse import parse
    >>> evaluate(parse("2d2"), "2d2", 10).probabilities
    {2: Fraction(1, 4), 3: Fraction(1, 2), 4: Fraction(1, 4)}
    """
    work = _Work(text, depth)
    die = work.die(question.first)
    if question.second is not None:
        die = work.joined("-", die, work.die(question.second), question.at)
    total = die.denominator()
    return Evaluated({int(value): Fraction(cases, total) for value, cases in die.items()}, 1 - work.kept)


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
            case DicePart():
                return self.dice(tree, None)
            case Join(operator, left, right, at):
                return self.joined(operator, self.die(left), self.die(right), at)
            case Extreme(name, of, at):
                return self.extreme(name, [self.die(part) for part in of], at)
            case Compare(test, of, each, failed):
                score = partial(_score, test, failed)
                if each and isinstance(of, DicePart):
                    self.must_differ(of, test)
                    return self.dice(of, score)
                return self.die(of).map(score)

    def must_differ(self, dice: DicePart, test: NumberTest) -> None:
        """Refuse to compare each of several dice with a number that none can show: the total was meant."""
        if dice.count != 1 and test.limit > max(dice.faces) and not dice.exploding:
            sentence = f"no {dice.name} shows {test.limit}, and each die is compared; for the total write (...)"
            raise ExpressionError(f"{sentence} {test.operator} {test.limit}", self.text, dice.at)

    def joined(self, operator: str, left: Die, right: Die, at: int) -> Die:
        extremes = [OPERATORS[operator](a, b) for a in _ends(left) for b in _ends(right)]
        if max(map(abs, extremes)) > LARGEST:
            raise ExpressionError(f"values above {LARGEST:,} are not allowed", self.text, at)
        if operator == "//":
            return left // right
        if operator == "*":
            self.charge(at, "this *", len(left) * len(right) * PRODUCT)
            return left * right
        right = -right if operator == "-" else right
        self.charge(at, f"this {operator}", cost(left, right))
        return added(left, right)

    def extreme(self, name: str, dice: list[Die], at: int) -> Die:
        """Return the largest or smallest of several independent values, from the products of their cumulative cases."""
        import icepool

        values = sorted({value for die in dice for value in die.outcomes()}, reverse=name == "min")
        self.charge(at, name, len(values) * len(dice))
        chances, reached, running = dict[int, int](), 0, [0] * len(dice)
        cases = [dict(die.items()) for die in dice]
        for value in values:
            running = [total + by_value.get(value, 0) for total, by_value in zip(running, cases, strict=True)]
            product = 1
            for total in running:
                product *= total
            if product > reached:
                chances[value], reached = product - reached, product
        return icepool.Die(chances)

    def dice(self, dice: DicePart, score: Callable[[int], int] | None) -> Die:
        """Return the sum of the dice that are kept, or of their scores."""
        if not isinstance(dice.count, int):
            return self.counted(dice, dice.count, score)
        what = f"{dice.count if dice.count > 1 else ''}{dice.name}"
        if isinstance(dice.faces, range) and not dice.again:  # refuse at once what is too much without explosions, too
            faces, digits = len(dice.faces), dice.count * log10(len(dice.faces))
            _Work(self.text, 0).charge(dice.at, what, 0, digits)
            if score is None and dice.low == 0 and dice.high == dice.count:
                _Work(self.text, 0).charge(dice.at, what, power_cost(faces, faces, log10(faces), dice.count))
        one, digits, stopped = self.one(dice, what, score if dice.low == 0 and dice.high == dice.count else None)
        self.charge(dice.at, what, 0, dice.count * digits)
        self.kept *= (1 - stopped) ** dice.count
        kept = dice.high - dice.low
        if kept == dice.count:
            self.charge(dice.at, what, repeated_cost(one, dice.count))
            return repeated(one, dice.count)
        values = len(one)
        size = values * dice.count**2 * kept
        self.charge(dice.at, f"{what}, some of them kept,", size * values / 20 if score is None else size / 2)
        if values > MOST_FACES:
            sentence = f"where only some dice are kept, each can have at most {MOST_FACES} values, not {values:,}"
            raise ExpressionError(sentence, self.text, dice.at)
        return one.pool(dice.count)[dice.low : dice.high].sum(map=score)

    def counted(self, dice: DicePart, count: Tree, score: Callable[[int], int] | None) -> Die:
        """As many dice as another expression says."""
        before = self.kept
        counts = self.die(count)
        low, most = _ends(counts)
        if low < 0:
            raise ExpressionError(f"the number of dice can't be negative, but it can be {low:,}", self.text, dice.at)
        what = f"so many {dice.name}" if isinstance(dice.faces, range) else "so many dice"
        one, digits, stopped = self.one(dice, what, score)
        if stopped and self.kept != before:
            sentence = "dice that explode can't be as many as dice that explode say"
            raise ExpressionError(sentence, self.text, dice.at)
        steps = sum(repeated_cost(one, number) + number * len(one) for number in counts.outcomes())
        self.charge(dice.at, what, steps, most * digits)
        total = counts.denominator()
        self.kept *= sum(Fraction(cases, total) * (1 - stopped) ** number for number, cases in counts.items())
        return counts.map(lambda number: repeated(one, number))

    def one(self, dice: DicePart, what: str, score: Callable[[int], int] | None) -> tuple[Die, float, Fraction]:
        """Return one of the dice: its values or scores, the digits of its cases, and the probability that it was
        stopped.
        """
        import icepool

        self.charge(dice.at, what, len(dice.faces) * FACE)
        die = icepool.Die(dice.faces)
        for test, once in dice.again:
            self.charge(dice.at, what, len(die))
            again = {value for value in die.outcomes() if test.passes(value)}
            if len(again) < len(die):  # every face rolled once more is the same die
                die = die.reroll(again, depth=1) if once else die.reroll(again, depth="inf")
        digits, stopped = log10(die.denominator()), Fraction(0)
        if dice.exploding:
            assert dice.explode is not None
            explode = [value for value in die.outcomes() if dice.explode.passes(value)]
            chance = Fraction(sum(die.quantity(value) for value in explode), die.denominator())
            stopped, digits = chance ** (self.depth + 1), digits * (self.depth + 1)
            values = len(die) * (self.depth + 1)
            steps = values * len(explode) * max(1, values / 50) * (1 if len(explode) < 2 else self.depth + 1)
            self.charge(dice.at, what, steps)
            if score is not None and dice.exploding == "dice":
                return _chain(die, set(explode), score, self.depth), digits, stopped
            die = _chain(die, set(explode), lambda value: value, self.depth)
        return die if score is None else die.map(score), digits, stopped


def _score(test: NumberTest, failed: NumberTest | None, value: int) -> int:
    """1 for a value that passes, less 1 for one that fails."""
    return test.passes(value) - (failed is not None and failed.passes(value))


def _chain(die: Die, explode: set[int], worth: Callable[[int], int], depth: int) -> Die:
    """Return what a die is worth, together with the dice that follow it at some faces."""
    import icepool

    weights = Counter[int]()
    for value, cases in die.items():
        weights[worth(value)] += cases
    last, faces = dict(weights), die.denominator()
    for explosions in range(1, depth + 1):
        total, weights = faces**explosions, Counter[int]()
        for value, cases in die.items():
            if value in explode:
                for further, ways in last.items():
                    weights[worth(value) + further] += cases * ways
            else:
                weights[worth(value)] += cases * total
        last = dict(weights)
    return icepool.Die(last)


def _ends(die: Die) -> tuple[int, int]:
    return die.min_outcome(), die.max_outcome()
