"""Writes Python as people write it: sequences, comprehensions, local lists, sets and dicts, with a `Writer`.

Each group of statements leaves a number behind and uses no variable of another group, so groups may stand anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.writer import FieldText, Writer

RESULTS = "n", "m", "_g", "lanes"
"""Variables that every body of statements gives a number first."""
DEEPEST = 2


class Natural:
    """Expressions and statements over the names of a writer.

    Attributes
    ----------
    depth
        How many of these expressions the one that is being written stands in.
    last
        The variable that the last statements have given a number.
    """

    def __init__(self, writer: Writer) -> None:
        self.w, self.depth, self.many, self.last = writer, 0, 0, ""

    @property
    def may(self) -> bool:
        """Whether another expression may be written here: not too deep, and not always."""
        return self.depth < DEEPEST and self.w.one_in(3)

    def fresh(self, letter: str) -> str:
        self.many += 1
        return f"{letter}{self.many}"

    @contextmanager
    def knowing(self, *names: str) -> Iterator[None]:
        """Write an inner expression, in which these are numbers."""
        before, self.w.names = self.w.names, [*self.w.names, *names * 2]
        self.depth += 1
        try:
            yield
        finally:
            self.w.names = before
            self.depth -= 1

    def inner(self, *names: str) -> str:
        """A number that depends on these more often than not."""
        with self.knowing(*names):
            number = self.w.number(1)
        if not names or any(name in number for name in names):
            return number
        return self.w.pick(f"({names[0]} + {number})", names[-1], f"({names[-1]} * {number})")

    def condition(self, *names: str) -> str:
        with self.knowing(*names):
            test = self.w.test(1)
        return (
            test
            if any(name in test for name in names)
            else f"{names[0]} {self.w.pick('>', '!=', '<=')} {self.w.pick('0', '1', '2')}"
        )

    # sequences of numbers ---------------------------------------------------------------------------------------------

    def rows(self) -> list[FieldText]:
        return [f for f in self.w.fields if f.kind == "Ints"]

    def whole(self) -> str:
        """A sequence that is never empty, with indices and slices."""
        w = self.w
        known = ["TABLE", f"({self.inner()}, {self.inner()}, 2)", f"[{self.inner()}, {w.name()}]", "(1, 3, 1, 2)"]
        known += [f"{w.game}.{row.name}" for row in self.rows()] * 3
        known += [w.faces] * 4 if w.faces else []
        return w.pick(*known)

    def sequence(self) -> str:
        """Any sequence; it may be empty."""
        w, n = self.w, self.w.name()
        if self.depth >= DEEPEST or w.one_in(4):
            return self.whole()
        v, u = self.fresh("v"), self.fresh("v")
        with self.knowing():
            base, other = self.whole(), self.whole()
        step = w.pick("max", f"lambda {u}, {v}: ({u} * 3 + {v}) % 7")
        forms: list[Callable[[], str]] = [
            lambda: f"{base}[{w.pick('::-1', '1:', ':-1', '::2', '-2:', ':0:-1', '2:0:-1', '-1::-2', '5:')}]",
            lambda: f"{base}[abs({n}) % 3:]",
            lambda: f"{base}[:{w.pick('-', '')}(abs({n}) % 4)]",
            lambda: w.pick(
                "range(3)", "range(1, 6, 2)", "range(3, -1, -1)", f"range(abs({n}) % 4)", f"range({n}, {n} + 3)"
            ),
            lambda: f"sorted({base}{w.pick('', ', reverse=True')})",
            lambda: f"sorted({base}, key=lambda {v}: {self.inner(v)}{w.pick('', ', reverse=True')})",
            lambda: f"sorted(set({base}))",
            lambda: f"[{self.inner(v)} for {v} in {base} if {self.condition(v)}]",
            lambda: f"[{self.inner(v)} for {v} in {base}]",
            lambda: f"[{self.inner(v, u)} for {v} in {base} for {u} in {other} if {self.condition(u, v)}]",
            lambda: f"[{self.inner(v, u)} for {v} in {base} for {u} in range({v} % 3)]",
            lambda: f"[{self.inner(v, u)} for {v}, {u} in enumerate({base}{w.pick('', ', 1')})]",
            lambda: f"[{self.inner(v, u)} for {v}, {u} in zip({base}, {other})]",
            lambda: f"[{self.inner(v, u)} for {v}, {u} in {w.pick('combinations', 'permutations')}({base}, 2)]",
            lambda: f"[{self.inner(v, u)} for {v}, {u} in product({base}, {w.pick(other, 'range(2)')})]",
            lambda: f"list({w.pick('reversed', 'accumulate')}({base}))",
            lambda: f"list(accumulate({base}, {step}{w.pick('', f', initial={n}')}))",
            lambda: f"list(accumulate({base}, initial={n}))",
            lambda: f"list(chain({base}, {other}))",
            lambda: f"list({base}) + list({other})",
            lambda: f"[*{base}, {n}]",
            lambda: f"list(map(lambda {v}: {self.inner(v)}, {base}))",
            lambda: f"list(filter(lambda {v}: {self.condition(v)}, {base}))",
            lambda: f"list(Counter({base}).values())",
            lambda: f"list(some({n}))",
            lambda: f"tuple({base})",
        ]
        return w.random.choice(forms)()

    def generated(self) -> str:
        """What `sum`, `max` and the like go through: a sequence, or a generator expression without its brackets."""
        v = self.fresh("v")
        form = self.w.random.randrange(4)
        if form == 0:
            return self.sequence()
        if form == 1:
            return f"{self.inner(v)} for {v} in {self.sequence()} if {self.condition(v)}"
        if form == 2 and self.rows():
            row = self.w.random.choice(self.rows())
            return f"{self.w.game}.{row.name}[{v}] for {v} in range({row.length}) if {self.condition(v)}"
        return f"{self.inner(v)} for {v} in {self.sequence()}"

    def scarce(self) -> str:
        """A generator expression that often gives nothing, or little."""
        v = self.fresh("v")
        return (
            f"{v} for {v} in {self.sequence()} if {v} {self.w.pick('> 4', '< 0', '== 3', '== 1', f'> {self.w.name()}')}"
        )

    # expressions ------------------------------------------------------------------------------------------------------

    def number(self) -> str:
        w, n = self.w, self.w.name()
        v, u = self.fresh("v"), self.fresh("v")
        outermost = self.depth == 0  # no := in what a comprehension goes through
        self.depth += 1
        try:
            forms: list[Callable[[], str]] = [
                lambda: f"sum({self.generated()})",
                lambda: f"sum({self.sequence()}, {n})",
                lambda: f"sum({w.pick('1', 'True')} for {v} in {self.sequence()} if {self.condition(v)})",
                lambda: f"{w.pick('max', 'min')}(({self.generated()}), default={n})",
                lambda: f"{w.pick('max', 'min')}(({self.scarce()}), default={w.pick('5', '-2', n)})",
                lambda: f"{w.pick('max', 'min')}({self.whole()}, key=lambda {v}: {self.inner(v)})",
                lambda: f"{w.pick('max', 'min')}({self.sequence()}, key=lambda {v}: {self.condition(v)}, default={n})",
                lambda: f"max(({v} % 2, {u}) for {v}, {u} in enumerate({self.whole()}))[{w.pick('0', '1')}]",
                lambda: f"{w.pick('max', 'min')}({n}, *{self.whole()})",
                lambda: f"len({self.sequence()})",
                lambda: f"len({w.pick('set', 'Counter')}({self.sequence()}))",
                lambda: f"len({{{self.inner(v)} for {v} in {self.sequence()}}})",
                lambda: f"{w.pick('any', 'all')}({self.condition(v)} for {v} in {self.sequence()})",
                lambda: f"{w.pick('any', 'all')}({self.sequence()})",
                lambda: f"sorted({self.whole()}, key=lambda {v}: {self.inner(v)})[{w.pick('0', '1', '-1')}]",
                lambda: f"next(({v} for {v} in {self.sequence()} if {self.condition(v)}), {n})",
                lambda: f"next(({self.scarce()}), {w.pick('5', '-2', n)})",
                lambda: f"{self.whole()}.count({n})",
                self.index_of,
                lambda: f"Counter({self.sequence()})[{n}]",
                lambda: f"Counter({self.whole()}).most_common(1)[0][{w.pick('0', '1')}]",
                lambda: f"{{{v}: {self.inner(v)} for {v} in {self.sequence()}}}.get({n}, {w.name()})",
                lambda: f"sum({{{v} % 3: {self.inner(v)} for {v} in {self.sequence()}}}.values())",
                lambda: f"WORTH.get({n}, {w.name()})",
                lambda: f"reduce(lambda {v}, {u}: ({v} * 3 + {u}) % 7, {self.sequence()}, {n})",
                lambda: f"longest(*{self.sequence()})",
                lambda: f"ends_of({self.sequence()}, {w.pick('1', '-1', n)})[{w.pick('0', '1')}]",
                lambda: f"sum(some({n}))",
                lambda: f"gcd({n}, {self.inner()})",
                lambda: f"[{n}, {self.inner()}, 4][abs({w.name()}) % 3]",
            ]
            if outermost:
                forms += [
                    lambda: f"(({v} := {self.inner()}) * 2 - {v})",
                    lambda: f"({v} if ({v} := {self.inner()}) > {n} else -{v})",
                ]
            return w.random.choice(forms)()
        finally:
            self.depth -= 1

    def index_of(self) -> str:
        whole, at = self.whole(), self.w.pick("0", "1", "-1")
        return f"{whole}.index({whole}[{at}])"

    def test(self) -> str:
        w, n = self.w, self.w.name()
        v = self.fresh("v")
        self.depth += 1
        try:
            forms: list[Callable[[], str]] = [
                lambda: f"{w.pick('any', 'all')}({self.condition(v)} for {v} in {self.sequence()})",
                lambda: f"({n} {w.pick('in', 'not in')} {self.sequence()})",
                lambda: f"({n} in {{{v} % 4 for {v} in {self.sequence()}}})",
                lambda: f"(set({self.sequence()}) {w.pick('<=', '>=', '==', '<')} set({self.sequence()}))",
                lambda: f"bool(set({self.sequence()}) {w.pick('&', '-', '|', '^')} {{1, 2, {n}}})",
                lambda: f"(sorted({self.whole()}) {w.pick('==', '!=')} list({self.sequence()}))",
                lambda: f"(({n}, {w.name()}) {w.pick('<', '<=', '==', '>')} ({w.name()}, {self.inner()}))",
                lambda: f"(not list({self.sequence()}))",
                lambda: f"(Counter({self.sequence()}) == Counter({self.sequence()}))",
                lambda: f"({self.number()} > {n})",
            ]
            return w.random.choice(forms)()
        finally:
            self.depth -= 1

    # statements -------------------------------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """Statements that compute a number and change nothing else; in `RESULTS`, or in a new variable."""
        bodies = [self.collect, self.count, self.different, self.drain, self.matched, self.unpacked, self.ordered]
        bodies += [self.function, self.searched, self.pairs, self.nested, self.grouped, self.runs, self.best]
        known = [name for name in RESULTS if name in self.w.names]
        result = self.w.pick(*known) if known else self.fresh("r")
        lines = self.w.random.choice(bodies)(result)
        if not known:
            self.w.names.append(result)
        self.last = result
        return lines

    def counted(self) -> list[str]:
        """Statements that compute a number, which shows in a tally."""
        lines, last = self.lines(), self.last
        if self.w.tallies and not self.w.one_in(4):
            lines.append(f"{self.w.game}.{self.w.tallies[0]} += {last} % 100")
        return lines

    def collect(self, result: str) -> list[str]:
        w, s, v = self.w, self.fresh("s"), self.fresh("v")
        start = w.pick("[]", "[]", f"[{w.name()}]", f"[{w.name()}] * 2", f"list({self.whole()})")
        add = w.pick(f"{s}.append({self.inner(v)})", f"{s}.insert({w.pick('0', '-1', '1')}, {self.inner(v)})")
        add = w.pick(add, f"{s}.extend([{v}, {self.inner(v)}])", f"{s} += [{self.inner(v)}]", add)
        lines = [f"{s} = {start}", f"for {v} in {self.sequence()}:", f"    if {self.condition(v)}:", f"        {add}"]
        if w.one_in(3):
            lines += [f"{s}.insert(-1, {w.name()} + 5)"]
            return [*lines, f"{result} = {self.in_order(s)}"]
        lines += w.pick(
            "", f"    elif {s} and {self.condition(v)}:\n        {s}.pop({w.pick('', '0', '0', '-1')})"
        ).splitlines()
        return [*lines, f"{result} = {self.of_list(s)}"]

    def in_order(self, s: str) -> str:
        """A number that says where in a list each of its numbers is."""
        i, v = self.fresh("v"), self.fresh("v")
        return f"sum(({i} + 1) * {v} for {i}, {v} in enumerate({s}))"

    def of_list(self, s: str) -> str:
        """A number that says much about a list."""
        w, n = self.w, self.w.name()
        i, v = self.fresh("v"), self.fresh("v")
        return w.pick(
            self.in_order(s),
            f"({s}[-1] - {s}[0] if {s} else {n})",
            f"sum({s}[{w.pick('1:', '::-2', ':-1', '::2', '-2:')}]) + 2 * len({s})",
            f"({s}.index({n}) if {n} in {s} else {s}.count(1))",
            f"reduce(lambda {i}, {v}: ({i} * 5 + {v}) % 11, {s}, 1)",
            f"max({s}, default={n})",
            f"({s}.index({n}, 1) if {n} in {s}[1:] else -1)",
            f"sum({s} * {w.pick('2', f'(abs({n}) % 3)')})",
        )

    def count(self, result: str) -> list[str]:
        """How often each number, or pair of numbers, comes."""
        w, d, k, v = self.w, self.fresh("d"), self.fresh("v"), self.fresh("v")
        key = w.pick(v, f"{v} % 3", f"({v}, {v} % 2)")
        start, add = w.random.choice(
            [
                ("{}", f"{d}[{key}] = {d}.get({key}, {w.pick('0', '0', '2')}) + {w.pick('1', v)}"),
                ("defaultdict(int)", f"{d}[{key}] += {w.pick('1', v)}"),
                ("Counter()", f"{d}[{key}] {w.pick('+=', '-=')} {w.pick('1', v)}"),
            ]
        )
        last = [
            f"max({d}.values(), default=0) * 3 + len({d})",
            f"sum({v} * {v} for {v} in {d}.values())",
            f"reduce(lambda {k}, {v}: ({k} * 3 + {v}) % 13, {d}.values(), 2)",
            f"len({d}.items()) + sum({v} for {k}, {v} in sorted({d}.items())[:2])",
            f"(max({d}.items())[1] if {d} else 2)",
        ]
        if key.startswith("("):
            last.append(f"sum({k}[0] - {k}[1] for {k} in {d})")
        else:
            last += [
                f"{d}[max({d}, key={d}.get)] if {d} else 7",
                f"{d}.pop({w.name()}, 5) + len({d})",
                f"({w.pick('dict', 'Counter')}({d}).get({w.name()}) or {w.name()})",
                f"max({d}, key=lambda {k}: {d}[{k}], default=3)",
                f"sum({k} * {v} for {k}, {v} in {d}.items())",
                f"sorted({d}.items(), key=lambda {k}: {k}[1])[0][0] if {d} else -1",
            ]
        lines = [f"{d} = {start}", f"for {v} in {self.sequence()}:", f"    {add}"]
        return [*lines, f"{result} = {w.pick(*last)}"]

    def different(self, result: str) -> list[str]:
        w, s, v = self.w, self.fresh("t"), self.fresh("v")
        lines = [f"{s} = {w.pick('set()', f'set({self.sequence()})', f'{{1, {w.name()}}}')}"]
        change = w.pick(f"{s}.add({self.inner(v)})", f"{s}.add({v} % 3)", f"{s}.discard({v})")
        lines += [
            f"for {v} in {self.sequence()}:",
            f"    if {v} not in {s}:",
            f"        {change}",
            "    else:",
            f"        {s}.{w.pick('discard', 'add')}({v} + 1)",
            *w.pick([], [f"{s} {w.pick('^', '-', '&', '|')}= set({self.sequence()})"]),
        ]
        last = w.pick(
            f"len({s})",
            f"sum({s})",
            f"sum(sorted({s})[:2])",
            f"max({s}, default=-1)",
            f"len({s} & {{0, 1, 2}})",
            f"sum({s} ^ {{0, 1, 2}})",
            f"len({{({v}, {v} % 2) for {v} in {s}}} {w.pick('^', '&', '-', '|')} {{(1, 1), (2, 0)}})",
            f"len({s} | set({self.whole()}))",
        )
        return [*lines, f"{result} = {last}"]

    def drain(self, result: str) -> list[str]:
        w, s = self.w, self.fresh("s")
        v = self.fresh("v")
        base = w.pick(
            f"list({self.sequence()})", f"sorted({self.whole()})", f"[{self.inner(v)} for {v} in {self.whole()}]"
        )
        lines = [f"{s} = {base}"]
        lines += w.pick(
            "",
            f"{s}.reverse()",
            f"{s}.sort(key=lambda {v}: {self.inner(v)})",
            f"{s}.sort(reverse=True)",
            f"if {w.name()} > 1 and {s}:\n    del {s}[0]",
        ).splitlines()
        lines += [
            f"while {s} and {s}[{w.pick('0', '-1')}] {w.pick('>', '<', '!=')} {w.name()}:",
            f"    {s}.pop({w.pick('', '0')})",
        ]
        lines += w.pick(
            "", f"else:\n    {s}.append({w.name()})", f"if {w.name()} in {s}:\n    {s}.remove({s}[0])"
        ).splitlines()
        return [*lines, f"{result} = {self.of_list(s)}"]

    def searched(self, result: str) -> list[str]:
        """A loop that may end early, with what happens where it does not."""
        w, v = self.w, self.fresh("v")
        over = self.sequence()
        stop = [
            f"    if {self.condition(v)}:",
            f"        {result} = {self.inner(v)}",
            f"        {w.pick('break', 'break', 'continue')}",
        ]
        lines = [f"{result} = 0", f"for {v} in {over}:", *stop, *w.pick("", f"    {result} += {v}").splitlines()]
        return [*lines, "else:", f"    {result} {w.pick('=', '+=')} {w.name()}"]

    def matched(self, result: str) -> list[str]:
        w, v, u = self.w, self.fresh("v"), self.fresh("v")
        if w.one_in(2):
            lines = [
                f"match ({self.inner()} % 2, {w.name()}):",
                f"    case (0, {v}) if {self.condition(v)}:",
                f"        {result} = {v}",
            ]
            lines += [
                f"    case (1, {w.pick('0', '1 | 2', '-1')}):",
                f"        {result} = 5",
                f"    case ({v}, {u}):",
                f"        {result} = {v} - {u}",
            ]
            return lines
        lines = [
            f"match {w.pick('sorted', 'list')}({self.sequence()}):",
            "    case []:",
            f"        {result} = {w.name()}",
        ]
        lines += [
            f"    case [{v}]:",
            f"        {result} = {v} + 1",
            f"    case [{v}, {u}] if {self.condition(v)}:",
            f"        {result} = {v} + {u}",
        ]
        return [
            *lines,
            f"    case [{w.pick('_, ', '')}{v}, *_]:",
            f"        {result} = {v}",
            "    case _:",
            f"        {result} = 1",
        ]

    def unpacked(self, result: str) -> list[str]:
        w, v, u, s = self.w, self.fresh("v"), self.fresh("v"), self.fresh("s")
        whole = w.pick(self.whole(), f"sorted({self.whole()})", f"[{w.name()}, *{self.sequence()}]")
        if w.one_in(3):
            lines = [f"{v}, {u} = {self.inner()}, {w.name()}", f"{v}, {u} = {u}, {v} + {u}"]
            return [*lines, f"{result} = {v} * 2 - {u}"]
        if w.one_in(2):
            return [
                f"{v}, *{s} = {whole}",
                f"{result} = {v} + 2 * sum({s})",
                f"for {u} in {s}:",
                f"    {result} -= {u} if {self.condition(u)} else {v}",
            ]
        return [f"*{s}, {v} = {whole}", f"{result} = {v} - len({s}) * {w.name()}"]

    def ordered(self, result: str) -> list[str]:
        """What is sorted by keys that are often equal."""
        w, s, v, u = self.w, self.fresh("s"), self.fresh("v"), self.fresh("v")
        if w.one_in(3):
            return [f"{result} = Counter([{v} % 3 for {v} in {self.whole()}]).most_common(1)[0][0]"]
        pairs = f"[({v} % 2, {u}, {w.name()}) for {u}, {v} in enumerate({self.whole()})]"
        key = w.pick(f"{v}[0]", f"({v}[0], -{v}[1])", f"-{v}[0]", f"{v}[1] // 2")
        lines = [f"{s} = sorted({pairs}, key=lambda {v}: {key}{w.pick('', ', reverse=True')})", f"{result} = 0"]
        return [*lines, f"for {v} in {s}:", f"    {result} = ({result} * 4 + {v}[1] + {v}[0] * {v}[2]) % 97"]

    def function(self, result: str) -> list[str]:
        w, f, v, u = self.w, self.fresh("f"), self.fresh("v"), self.fresh("v")
        known = [name for name in RESULTS if name in w.names]
        default = w.pick("1", "BY", "-2", *known)
        head = f"def {f}({v}, {u}={default}):"
        body = w.pick(
            f"    return {self.inner(v, u)}",
            f"    if {self.condition(v, u)}:\n        return {u}\n    return {self.inner(v, u)}",
        )
        call = w.pick(
            f"{f}({w.name()})",
            f"{f}({w.name()}, {u}={w.name()})",
            f"sum({f}({v}) for {v} in {self.sequence()})",
            f"max({self.whole()}, key={f})",
            f"sorted({self.whole()}, key={f})[-1]",
        )
        between = [f"{default} = {default} * 2 + 1"] if default in known else []
        return [head, *body.splitlines(), *between, f"{result} = {call}"]

    def pairs(self, result: str) -> list[str]:
        w, s, v, u = self.w, self.fresh("s"), self.fresh("v"), self.fresh("v")
        made = w.pick(
            f"list(zip({self.whole()}, {self.sequence()}))",
            f"list(combinations({self.whole()}, 2))",
            f"[({v}, {self.inner(v)}) for {v} in {self.sequence()}]",
            f"list(enumerate({self.sequence()}, {w.pick('0', '1', '-1')}))",
        )
        lines = [
            f"{s} = {made}",
            f"{result} = len({s})",
            f"for {v}, {u} in {w.pick(s, f'reversed({s})', f'sorted({s})')}:",
        ]
        return [
            *lines,
            f"    if {self.condition(u, v)}:",
            f"        {result} = ({result} * 3 + {v} - {u}) % 101",
            f"if ({w.name()}, 1) in {s}:",
            w.pick(f"    {result} += {s}.count(({w.name()}, 1))", f"    {s}.remove({s}[0])"),
            w.pick(f"{s} = {s}[{w.pick('1:', ':-1', '::-1', '1::2')}] + {s}[:1]", f"{s} = {s} * 2", f"{s}.reverse()"),
            f"{result} += sum(({v} * 5 + {u}) * i for i, ({v}, {u}) in enumerate({s})) % 89",
        ]

    def runs(self, result: str) -> list[str]:
        """A list that is put into another and begun anew, now and then."""
        w, s, r, v = self.w, self.fresh("s"), self.fresh("s"), self.fresh("v")
        lines = [f"{s} = []", f"{r} = [{w.pick('', w.name())}]", f"for {v} in {self.sequence()}:"]
        lines += [f"    if {self.condition(v)}:", f"        {s}.append({r})", f"        {r} = {w.pick('[]', f'[{v}]')}"]
        grows = f"{r}.append({self.inner(v)})"
        lines += w.pick(f"    {grows}", f"    else:\n        {grows}").splitlines()
        lines += w.pick("", f"{s}.append({r})", f"if {r}:\n    {s}.append({r})").splitlines()
        return [*lines, f"{result} = sum(i * 7 + sum({v}) for i, {v} in enumerate({s})) + len({s}) * 3 + len({r})"]

    def best(self, result: str) -> list[str]:
        """The longest of some lists, under a second name."""
        w, s, r, v, u = self.w, self.fresh("s"), self.fresh("s"), self.fresh("v"), self.fresh("v")
        lines = [f"{s} = [{w.name()}]", f"for {u} in range(3):", f"    {r} = []", f"    for {v} in {self.sequence()}:"]
        lines += [f"        if {self.condition(v, u)}:", f"            {r}.append({v} + {u})"]
        lines += [f"    if len({r}) > len({s}):", f"        {s} = {r}"]
        return [*lines, f"{result} = {self.in_order(s)}"]

    def nested(self, result: str) -> list[str]:
        """A list of lists."""
        w, s, v, u = self.w, self.fresh("s"), self.fresh("v"), self.fresh("v")
        made = w.pick(
            f"[[{self.inner(v, u)} for {u} in range(2)] for {v} in {self.whole()}]",
            f"[[{v}, {self.inner(v)}] for {v} in {self.sequence()}]",
        )
        lines = [
            f"{s} = {made}",
            *w.pick("", f"if {s}:\n    {s}[0][1] = {w.name()}", f"if {s}:\n    {s}[-1][0] += 1").splitlines(),
        ]
        last = w.pick(
            f"sum(sum({v}) for {v} in {s})",
            f"sum({v}[0] * {v}[1] for {v} in {s})",
            f"max(({v}[1] for {v} in {s}), default=2)",
            f"sum(chain.from_iterable({s}))",
        )
        return [*lines, f"{result} = {last}"]

    def grouped(self, result: str) -> list[str]:
        w, d, v, u = self.w, self.fresh("d"), self.fresh("v"), self.fresh("v")
        start, add = w.random.choice(
            [
                ("defaultdict(list)", f"{d}[{v} % 3].append({self.inner(v)})"),
                ("{}", f"{d}.setdefault({v} % 2, []).append({self.inner(v)})"),
            ]
        )
        lines = [f"{d} = {start}", f"for {v} in {self.sequence()}:", f"    {add}"]
        last = w.pick(
            f"max((len({v}) for {v} in {d}.values()), default=0)",
            f"sum({v} * sum({u}) for {v}, {u} in {d}.items())",
            f"sum({v}[-1] for {v} in {d}.values())",
        )
        return [*lines, f"{result} = {last}"]

    def changing(self) -> list[str]:
        """Statements that change a row while copies, slices and other names of it are about."""
        w, rows = self.w, self.rows()
        small = [f for f in w.fields if f.kind == "Int" and f.high - f.low <= 50]
        if not rows or not small:
            return self.lines()
        row, to = w.random.choice(rows), w.random.choice(small)
        name, s = f"{w.game}.{row.name}", self.fresh("s")
        copy = w.pick(
            f"{name}[:]", f"list({name})", f"{name}[0:]", f"sorted({name})", name, f"{name}[::-1]", f"tuple({name})"
        )
        at = w.pick("0", f"abs({w.number(1)}) % {row.length}")
        changed = w.pick(
            f"{name}[{at}] = {w.within(row, 1)}",
            f"{name}[{at}] = {w.within(row, 1)}",
            f"{name}[:] = sorted({name})",
            f"{name}[:] = {name}[::-1]",
        )
        span = to.high - to.low + 1
        if w.one_in(2):
            v = self.fresh("v")
            last = row.length - 1
            stored = w.pick(w.within(row, 1), f"{row.low + row.high} - {name}[{last}]")
            over = w.pick(f"{name}[:]", f"{name}[1:]", f"{name}[::-1]", name, f"reversed({name}[:])", f"list({name})")
            inside = [f"    {s} = ({s} * 3 + {v}) % 101", f"    {name}[{last}] = {stored}"]
            return [f"{s} = 0", f"for {v} in {over}:", *inside, f"{w.game}.{to.name} = {to.low} + {s} % {span}"]
        kept = f"{w.game}.{to.name} = {to.low} + (sum({s}) + {s}[0] * {w.name()}) % {span}"
        return [f"{s} = {copy}", changed, kept]
