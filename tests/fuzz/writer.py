"""Writes random expressions and statements of rules, over the fields of a game."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from fuzz.natural import Natural


@dataclass(frozen=True)
class FieldText:
    """A field of a game: its kind, and its range; the length of a row."""

    name: str
    kind: str
    low: int = 0
    high: int = 1
    length: int = 0
    more: str = ""

    @property
    def declaration(self) -> str:
        size = f"{self.length}, " if self.kind == "Ints" else ""
        span = "" if self.kind == "Flag" else f"{size}{self.low}, {self.high}"
        return f"{self.name} = {self.kind}({span}{self.more})"


@dataclass
class Writer:
    """Random rules for a game with these fields, tallies and helpers.

    Attributes
    ----------
    whole
        Expressions that are whole numbers wherever rules stand: parameters, constants, members of enums.
    helpers
        Functions of one number; some have a second argument with a default.
    rare
        Whether what is wrong at some states only may be written.
    natural
        Writes what goes through sequences, and local lists, sets and dicts; nothing of that if it is None.
    """

    random: random.Random
    fields: list[FieldText] = field(default_factory=list)
    tallies: list[str] = field(default_factory=list)
    peaks: list[str] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    rare: bool = False
    natural: Natural | None = None
    big: bool = False
    game: str = "self"
    names: list[str] = field(default_factory=list)
    faces: str = ""
    count: int = 0
    loops: int = 0

    def pick(self, *what: str) -> str:
        return self.random.choice(what)

    def one_in(self, many: int) -> bool:
        return self.random.randrange(many) == 0

    # expressions ------------------------------------------------------------------------------------------------------

    def name(self) -> str:
        """What is at hand: a variable, a field, a number of a row or of the faces."""
        known = [*self.names, *self.names, *self.whole]
        for f in self.fields:
            row = f"{self.game}.{f.name}"
            known.append(f"{row}[{self.random.randrange(f.length)}]" if f.kind == "Ints" else row)
        if self.faces:
            known += [f"{self.faces}[{at}]" for at in (0, -1, self.count - 1)]
        return self.pick(*known, str(self.random.randint(-3, 9)))

    def number(self, depth: int = 2) -> str:
        """A whole number, or a yes or no, which counts as 1 or 0."""
        if depth == 0 or self.one_in(4):
            return self.name()
        if self.natural and self.natural.may:
            return self.natural.number()
        a, b, c = self.number(depth - 1), self.number(depth - 1), self.number(0)
        forms = [
            f"({a} {self.pick('+', '-', '*')} {b})",
            f"({a} {self.pick('+', '-', '*', '&', '|', '^')} {b})",
            f"({a} {self.pick('//', '%')} (abs({c}) + 1))",
            f"({a} {self.pick('//', '%')} {self.pick('2', '3', '-2')})",
            f"({a} >> (abs({c}) % 80))",
            f"({a} >> (62 + abs({c}) % 9))",
            f"({a} << (abs({c}) % 70))" if self.big else f"({a} << {self.pick('0', '1', '2')})",
            self.pick(f"~{a}", f"~({self.test(1)})", f"-{a}", f"+{a}", f"abs({a})", f"int({self.test(1)})"),
            f"{self.pick('min', 'max')}({a}, {b})",
            f"({a} if {self.test(depth - 1)} else {b})",
            f"({c} ** {self.pick('2', '0', '3')})",
            f"divmod({a}, 3)[{self.pick('0', '1')}]",
            f"({a} {self.pick('and', 'or')} {b})",
            f"({self.pick('(3, 1, 4)', 'TABLE')}[abs({a}) % 3])",
            f"TABLE[-1 - abs({c}) % 3]",
            f"({self.test(1)} + {self.test(1)})",
        ]
        forms += [f"({c} * STAKE)", f"({a} + STAKE)", f"(({a} + STAKE) * ({c} - STAKE))"] if self.big else []
        forms += [f"{self.pick(*self.helpers)}({a})"] * 2 if self.helpers else []
        forms += [f"{self.pick(*self.methods)}({a})"] if self.methods else []
        forms += [self.of_a_row(f) for f in self.fields if f.kind == "Ints"]
        if self.faces:
            forms += [f"{self.pick('sum', 'max', 'min')}({self.faces})", f"{self.faces}.count({c})"]
            forms += [f"sorted({self.faces})[{self.pick('0', '-1')}]", f"sorted({self.faces}, reverse=True)[0]"]
        return self.pick(*forms)

    def of_a_row(self, row: FieldText) -> str:
        name, at = f"{self.game}.{row.name}", self.number(0)
        return self.pick(
            f"{self.pick('sum', 'max', 'min', 'len')}({name})",
            f"{name}.count({at})",
            f"{name}[abs({at}) % {row.length}]",
        )

    def test(self, depth: int = 1) -> str:
        if self.natural and depth and self.natural.may:
            return self.natural.test()
        a, b, c = (self.number(max(0, depth - 1)) for _ in range(3))
        return self.pick(
            f"({a} {self.pick('<', '<=', '==', '!=', '>', '>=')} {b})",
            f"({a} <= {b} < {c})",
            f"(not {a})",
            f"({a} {self.pick('in', 'not in')} ({b}, 2, 5))",
            f"({a} > 0 {self.pick('and', 'or')} {b} > 1)",
            f"bool({a})",
            f"({a} in range(1, 4))",
        )

    def first(self) -> list[str]:
        """Statements before those of a function that changes nothing."""
        return self.natural.lines() if self.natural and self.one_in(2) else []

    # statements -------------------------------------------------------------------------------------------------------

    def within(self, f: FieldText, depth: int = 2) -> str:
        """A value that lies in the range of a field; in rare cases one that may not."""
        if self.rare and self.one_in(5):
            self.rare = False
            return self.pick(f"{self.game}.{f.name} + 1", f"{self.name()} - 1", self.name()) if not f.length else "9"
        n = self.number(depth)
        if f.high - f.low > 50:
            return f"{self.pick('7', '-2')} + {n} % 5"
        return self.pick(f"{f.low} + {n} % {f.high - f.low + 1}", f"min(max({n}, {f.low}), {f.high})")

    def store(self) -> list[str]:
        f = self.random.choice(self.fields)
        name = f"{self.game}.{f.name}"
        if f.kind == "Flag":
            return [f"{name} = {self.pick(self.test(2), f'not {name}', self.test(1))}"]
        if f.kind == "Ints":
            at = self.pick(str(self.random.randrange(f.length)), f"abs({self.number(1)}) % {f.length}")
            return [f"{name}[{at}] = {self.within(f)}"]
        if f.high - f.low > 50:  # money: only added to and compared
            return [f"{name} {self.pick('+=', '-=')} {self.pick('1', '5', self.number(0))}"]
        if self.one_in(4) and f.high > f.low:
            return [f"if {name} < {f.high}:", f"    {name} += 1"]
        return [f"{name} = {self.within(f)}"]

    def tally(self) -> list[str]:
        """What is counted; by a lot, in a game of large amounts."""
        if self.peaks and self.one_in(3):
            peak = f"{self.game}.{self.pick(*self.peaks)}"
            return [f"{peak} = max({peak}, {self.number(1)} % {self.pick('4', '9')})"]
        if not self.tallies:
            return self.store()
        name = f"{self.game}.{self.pick(*self.tallies)}"
        by = self.pick("1", f"{self.number(1)} % 5 - 2", f"({self.number(1)}) & 3", self.test(1))
        if self.big and self.one_in(2):
            by = self.pick(f"STAKE if {self.test(1)} else -STAKE", f"STAKE * ({self.number(1)} % 2)")
        return [f"{name} {self.pick('+=', '+=', '-=')} {by}"]

    def statement(self, depth: int = 2) -> list[str]:
        if self.natural and self.one_in(3):
            often = 2 if self.natural.rows() else 3
            return self.natural.changing() if self.one_in(often) else self.natural.counted()
        if depth == 0 or self.one_in(3):
            return self.pick_lines(self.store, self.store, self.tally, self.local)
        a = self.test(1)
        inner = self.block(depth - 1)
        kind = self.random.randrange(5)
        if kind == 0:
            return [f"if {a}:", *inner]
        if kind == 1:
            return [f"if {a}:", *inner, "else:", *self.block(depth - 1)]
        if kind == 2:
            self.loops += 1
            i = f"i{self.loops}"
            over = self.pick("range(2)", "(1, 3)", f"range(1, {self.pick('2', '4')})", self.faces or "TABLE")
            return [f"for {i} in {over}:", *([f"    if {i} > 2:", f"        {self.pick('break', 'continue')}"]), *inner]
        if kind == 3:
            other = ["    " + line for line in self.block(depth - 1)]
            cases = ["    case 0 | 1:", *("    " + line for line in inner), "    case _:", *other]
            return [f"match {self.number(1)}:", *cases]
        return self.local()

    def pick_lines(self, *what: object) -> list[str]:
        chosen = self.random.choice(what)
        return chosen()  # type: ignore[operator]

    def local(self) -> list[str]:
        name = self.pick("n", "m", "step", "_g", "lanes")
        value = self.number(2)
        lines = [f"{name} = {value}"]
        if name in self.names and self.one_in(3):
            lines = [f"{name} {self.pick('+=', '-=')} {self.number(1)} % 9"]
        return lines

    def block(self, depth: int) -> list[str]:
        return ["    " + line for _ in range(self.random.randint(1, 2)) for line in self.statement(depth)]

    def body(self, many: int) -> list[str]:
        """Some statements; the variables that they may use have a value from the first line on."""
        self.names = [name for name in self.names if name not in ("n", "m", "step", "_g", "lanes")]
        lines = [f"n, m, step, _g, lanes = {self.number(1)}, 1, {self.test(1)}, 2, 0"]
        self.names += ["n", "m", "step", "_g", "lanes"]
        for _ in range(many):
            lines += self.statement()
        return lines

    def tally_only(self) -> list[str]:
        """What is counted, without anything else that changes."""
        return self.tally() if self.tallies or self.peaks else ["pass"]
