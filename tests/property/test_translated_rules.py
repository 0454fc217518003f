"""Random rules mean the same compiled as in plain Python: values, errors, and the state that is left.

Bodies are made from a grammar of what rules may use, over fields of random ranges. Many bodies make one game, in which
a parameter chooses one of them, so that few kernels are compiled.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from dicelab.engines.compiled import Compiled
from dicelab.errors import DicelabError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run

GAMES, BODIES, PLAYED = 6, 12, 12

TEXT = """
from dicelab.rules import D6, FACES, OVER, Flag, Game, Int, Ints, Param, Tally, throw, thrown

AWKWARD = (-7, -1, 0, 1, 3, 64)
TABLE = (3, -1, 4, 1, -5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, -4)


class Random(Game):
    which = Param(0, 0, 99, "which body")
    FIELDS
    flag = Flag()
    flip = Flag()
    left = Int(0, 4, start=4)
    total = Tally("what the bodies return")

    def next(self):
        return throw(self.dice) if self.left > 0 else OVER

    def changed(self, n):
        self.x = self.y
        self.flag = not self.flag
        return n - 1

    BODIES

    @thrown(2, D6, FACES)
    def dice(self, *faces):
        self.left -= 1
        a, b = AWKWARD[faces[0] - 1], faces[1]
        CALLS
"""
RANGES = [(0, 5), (-3, 3), (-1000, 1000), (0, 2**31 - 1), (-(2**40), 2**40), (-(2**62), 2**62)]


class Writer:
    """Writes random statements and expressions."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def pick(self, *what: str) -> str:
        return self.random.choice(what)

    def name(self) -> str:
        return self.pick("a", "b", "n", "m", "f", "self.x", "self.y", "self.z", "self.row[b % 3]", "self.row[1]")

    def number(self, depth: int) -> str:
        """An expression that is a number, or a yes or no."""
        if depth == 0 or self.random.random() < 0.2:
            small = str(self.random.randint(-9, 9))
            return self.pick(self.name(), self.name(), small, self.pick("wide", "big", "63"), "self.flag")
        one, two = self.number(depth - 1), self.number(depth - 1)
        op = self.pick("+", "-", "*", "//", "%", "&", "|", "^", "+", "-", "*")
        return self.pick(
            f"({one} {op} {two})",
            f"({one} {op} {two})",
            f"({one} {self.pick('<<', '>>')} {self.pick('b', '(b * 13)', 'a', '3')})",
            f"({one} ** {self.pick('2', 'b', 'self.flag')})",
            f"{self.pick('-', '~', '+', 'abs', 'int', 'bool')}({one})",
            f"{self.pick('min', 'max', 'sum')}(({one}, {two}, b))",
            f"({one} if {self.test(depth - 1)} else {two})",
            f"({self.test(depth - 1)})",
            f"({one} {self.pick('and', 'or')} {two})",
            f"divmod({one}, {two})[{self.pick('0', '1', '-1')}]",
            f"sorted(({one}, {two}, a))[{self.pick('0', '-1', 'b % 3', '-(b % 3) - 1')}]",
            f"TABLE[{self.pick('b', '-b', f'({one}) % 20')}]",
            f"self.row[{self.pick('b % 3', '0', f'({one}) % 3', 'b - 2')}]",
            f"self.changed({one})",
            f"{self.pick('sum', 'max', 'min', 'len')}(self.row)",
        )

    def test(self, depth: int) -> str:
        one, two = (self.number(max(0, depth - 1)) for _ in range(2))
        compare = self.pick("<", "<=", "==", "!=", ">", ">=")
        return self.pick(
            f"{one} {compare} {two}",
            f"0 <= {one} {compare} {two}",
            f"{one} {self.pick('in', 'not in')} {self.pick(f'({two}, 1)', 'self.row', 'TABLE', 'range(-3, 8, 2)')}",
            f"not {self.pick(one, f'({one} {compare} {two})')}",
            f"({one} {compare} b {self.pick('and', 'or')} {two} > a)",
            "self.flag",
        )

    def target(self) -> str:
        return self.pick("n", "m", "f", "self.x", "self.y", "self.z", "self.flip", "self.row[b % 3]", "self.row[n % 3]")

    def statement(self, depth: int) -> list[str]:
        value = self.number(2)
        kind = self.random.randrange(10 if depth > 0 else 6)
        if kind < 3:
            return [f"{self.target()} = {value}"]
        if kind == 3:
            op = self.pick("+", "-", "*", "//", "%", "&", "|", "^", "+", "-")
            return [f"{self.target()} {op}= {value}"]
        if kind == 4:
            one, two = self.target(), self.target()
            return [f"{one}, {two} = {self.pick(f'{two}, {one}', f'{value}, {one}')}"]
        if kind == 5:
            return [f"self.total += {value}", f"{self.target()} = f = {self.test(1)}"]
        if kind == 6:
            return [f"if {self.test(2)}:", *self.inner(depth), "else:", *self.inner(depth)]
        if kind == 7:
            each = self.pick("range(b)", "range(3, -b, -2)", "self.row", f"({value}, a, b)", "sorted((n, a, b))")
            return [f"for v in {each}:", *self.inner(depth, self.pick("n += v", "m = v - m", "f = v > n"))]
        if kind == 8:
            cases = ["case 1 | 3:", *self.inner(depth), "case k if k > 4:", *self.inner(depth, "m = k")]
            return [f"match {value}:", *("    " + line for line in [*cases, "case _:", *self.inner(depth)])]
        self.loops += 1
        count = f"i{self.loops}"
        ending = [f"    {count} += 1", f"    if {self.test(1)}:", f"        {self.pick('break', 'continue')}"]
        return [f"{count} = 0", f"while {count} < {self.pick('3', 'b')}:", *ending, *self.inner(depth)]

    def inner(self, depth: int, first: str = "") -> list[str]:
        lines = [first] if first else []
        for _ in range(self.random.randint(1, 2)):
            lines += self.statement(depth - 1)
        return ["    " + line for line in lines]

    def body(self) -> list[str]:
        lines = ["big, wide, n, m, f = 2**62, 2**31, 2, b, a > 1", f"n, m, f = {self.number(1)}, a, {self.test(1)}"]
        for _ in range(self.random.randint(2, 4)):
            lines += self.statement(2)
        return [*lines, f"return {self.number(2)}"]

    def fields(self) -> list[str]:
        ranges = [self.random.choice(RANGES) for _ in range(4)]
        names = ["x = Int(", "y = Int(", "z = Int(", "row = Ints(3, "]
        return [f"{name}{low}, {high})" for name, (low, high) in zip(names, ranges, strict=True)]


def text_of(seed: int) -> str:
    writer = Writer(seed)
    rules, calls = list[str](), list[str]()
    for i in range(BODIES):
        rules += [f"def body_{i}(self, a, b):", *("    " + line for line in writer.body()), ""]
        calls += [f"if self.which == {i}:", f"    self.total += self.body_{i}(a, b)"]
    return (
        TEXT.replace("FIELDS", "\n    ".join(writer.fields()))
        .replace("BODIES", "\n    ".join(rules))
        .replace("CALLS", "\n        ".join(calls))
    )


def made_of(engine: Reference | Compiled, game: int) -> object:
    try:
        return engine.play(3, game, game + 1)
    except DicelabError as error:
        # CPython 3.11 may name the line before that of an unset variable, once it has run a function a few times
        return re.sub(r", line \d+, in ", ", line ?, in ", str(error)) if "UnboundLocal" in str(error) else str(error)


@pytest.mark.slow_cases("0")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, GAMES))])
def test_random_rules_mean_the_same_in_both_engines(tmp_path: Path, seed: int) -> None:
    (tmp_path / "random_rules.py").write_text(text_of(seed))
    game = find_in_file(tmp_path / "random_rules.py", "random")
    for which in range(BODIES):
        run = Run.of(game, which=which)
        slow, fast = Reference(run.game, run.calls, keep=True), Compiled(run.game, run.calls, keep=True)
        for i in range(PLAYED):
            expected, found = made_of(slow, i), made_of(fast, i)
            if not isinstance(expected, str) and not isinstance(found, str):
                assert list(map(list, found.records[0])) == list(map(list, expected.records[0])), (which, i)
            else:
                assert found == expected, (which, i)
