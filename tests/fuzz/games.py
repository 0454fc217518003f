"""Writes whole files of random lawful games."""

from __future__ import annotations

import random
from dataclasses import dataclass

from fuzz.forms import of_forms
from fuzz.natural import Natural
from fuzz.sessions import session
from fuzz.writer import FieldText, Writer

SESSIONS, FORMS, NATURAL = 0.03, 0.2, 0.5
"""Shares of the games that are sessions over many rounds, that have the newer kinds of declarations, and that are
written as people write rules."""
NAMES = ["x", "y", "row", "FULL_HOUSE", "DONE_x", "WRONG_x", "FULL", "NEW", "entry", "c", "b_c", "np", "t", "place"]
SPANS = {"Move": (0, 2), "2": (0, 2), "3": (0, 3), "(0, 2)": (0, 3), "(-1, 1)": (-1, 3)}
"""Kinds of values of a move: the lowest, and how many there are."""
NAMES += ["game", "key", "lo", "word", "status", "kind", "unseen", "t0", "rows", "keys", "params", "who", "spans"]

IMPORTS = """from enum import IntEnum

from dicelab.rules import (
    COUNTS, D6, FACES, OVER, SUM, Casino, Die, Flag, Game, Int, Ints, Memory, Param, Peak, Seat, Switch, Tally,
    ask, chosen, d, left_of, right_of, strategy, throw, thrown,
)
"""

LIBRARY = """from collections import Counter, defaultdict
from functools import reduce
from itertools import accumulate, chain, combinations, permutations, product
from math import gcd

"""

FUNCTIONS = """WORTH = {1: 5, 2: -3, 6: 4}


def some(n, most=4):
    for k in range(abs(n) % most):
        if (k + n) % 3:
            yield k * n % 5 - 1


def ends_of(values, by=1):
    return min(values, default=0) * by, max(values, default=by)


def longest(*values):
    best = length = 0
    last = None
    for value in values:
        length = length + 1 if last is not None and value > last else 1
        best, last = max(best, length), value
    return best


"""
"""What the rules of `fuzz.natural` import and call."""
HELPER = """import functools


def doubled(rule):
    @functools.wraps(rule)
    def wrapper(n):
        return 2 * rule(n) + 1

    return wrapper


@doubled
def wrapped(n):
    return n % 5


def bare(n, by=3):
    return n % by
"""
"""The module beside the file of a game, from which it imports."""


@dataclass(frozen=True)
class GameText:
    """The file of a game, and the module that lies beside it (empty where there is none)."""

    text: str
    helper: str = ""


def made(seed: int) -> GameText:
    """A random lawful game."""
    source, apart = random.Random(seed), random.Random(f"forms {seed}")
    if apart.random() < FORMS:
        return GameText(of_forms(apart))
    return GameText(session(source)) if source.random() < SESSIONS else _Maker(source).file()


class _Maker:
    """What a game has is decided first, then the rules are written."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.writer = w = Writer(source)
        self.seats = source.choice([1, 1, 2, 2, 3])
        self.loops = source.random() < 0.25
        self.decisions = source.choice([0, 1, 1, 2])
        self.money = source.random() < 0.3
        self.imports = source.random() < 0.2
        w.rare, natural, w.big = source.random() < 0.12, source.random() < NATURAL, source.random() < 0.2
        w.natural = Natural(w) if natural else None
        self.asked = self.money and source.random() < 0.6
        if self.asked:
            self.decisions = max(1, self.decisions)
        names = source.sample(NAMES, 8)
        sizes = [(0, 1), (0, 2), (0, 3), (-1, 1), (2, 4)]
        for _ in range(source.randint(1, 2)):
            w.fields.append(FieldText(names.pop(), "Int", *source.choice(sizes)))
        if source.random() < 0.4:
            w.fields.append(FieldText(names.pop(), "Ints", *source.choice(sizes[:3]), source.randint(2, 3)))
        if source.random() < 0.5:
            w.fields.append(FieldText(names.pop(), "Flag"))
        if source.random() < 0.2:
            w.fields.append(FieldText(names.pop(), "Int", -1000, 10**6, 0, ", start=0"))
        self.counts = names.pop()
        w.tallies = [self.counts, *(["money"] if self.money else [])]
        w.peaks = [names.pop()] if source.random() < 0.3 else []
        self.param = source.choice(["extra", "FULL_SIZE", "c_b", "numpy", "tables"])
        self.strategies = source.sample(["a", "a_b", "other", "DONE_first", "b"], 2)
        if source.random() < 0.3:
            self.strategies = ["a", "a_b"]
        self.throws = [self.a_throw(at) for at in range(source.choice([1, 1, 2]))]
        if len(self.throws) == 2 and source.random() < 0.4:  # kinds of roll of the same dice share their outcomes
            self.throws[1] = (self.throws[1][0], *self.throws[0][1:])
        self.choices = [self.a_choice(at) for at in range(self.decisions)]

    def a_throw(self, at: int) -> tuple[str, str, str, int]:
        """Name of the method, its decorator, its arguments, and how many dice at the most."""
        source, many = self.random, self.random.choice([1, 1, 2])
        die, faces = source.choice(
            [("D6", 6), ("d(2)", 2), ("d(3)", 3), ("Die.of(0, 1, 1, 3)", 3), ("Die(r=1, g=2)", 2)]
        )
        if source.random() < 0.2:
            die, faces = f"Die(one={self.param}, two=2)", 2
        view = source.choice(["SUM", "FACES", "COUNTS"]) if faces < 4 or many == 1 else source.choice(["SUM", "FACES"])
        args = {"SUM": "total", "FACES": "*faces", "COUNTS": ", ".join(f"f{i}" for i in range(faces))}[view]
        name = ["roll", "DONE_roll"][at]
        return name, f"@thrown({many}, {die}, {view})", args, many

    def a_choice(self, at: int) -> tuple[str, str, str]:
        """Name of the method, what is chosen, and its arguments."""
        if at == 0 and self.asked:
            return "bet", "3", "much"
        kind = self.random.choice(["Move", "2", "(0, 2)", "(-1, 1)"])
        return f"decide{at}", kind, "move"

    # the parts of the file --------------------------------------------------------------------------------------------

    def file(self) -> GameText:
        w = self.writer
        w.whole = ["BY", "Move.GO", "STAKE" if w.big else "2", f"self.{self.param}"]
        helper = ["from fuzzed_helper import bare, wrapped", ""] if self.imports else []
        library = LIBRARY.splitlines() if w.natural else []
        lines = [*library, *IMPORTS.splitlines(), *helper, *self.constants(), *self.functions()]
        w.helpers = ["plus", *(["bare", "wrapped"] if self.imports else [])]
        lines += self.declarations()
        lines += self.start() + self.flow()
        for throw in self.throws:
            lines += self.throw_method(*throw)
        for at, choice in enumerate(self.choices):
            lines += self.choice_methods(at, *choice)
        lines += self.outcome()
        for name in self.strategies if self.decisions else ():
            lines += self.strategy(name)
        return GameText("\n".join(lines) + "\n", HELPER if self.imports else "")

    def constants(self) -> list[str]:
        stake = self.random.choice(["10**18", "2**53 + 1", "2**61", "2**31"]) if self.writer.big else "3"
        head = [f"STAKE = {stake}", "BY = 3", "TABLE = (2, -1, 3)", "", ""]
        return [*head, "class Move(IntEnum):", "    STOP = 0", "    GO = 1", "", ""]

    def functions(self) -> list[str]:
        w = Writer(self.random, whole=["BY"], names=["n", "by"])
        natural = FUNCTIONS.splitlines() if self.writer.natural else []
        return [*natural, "def plus(n, by=BY, less=1):", f"    return {w.number(2)} - less", "", ""]

    def declarations(self) -> list[str]:
        w, source = self.writer, self.random
        named = 'outcomes = ("low", "high")' if self.seats == 1 or source.random() < 0.3 else ""
        self.outcomes = 2 if named else self.seats
        parent = "Casino" if self.asked else "Game"
        lines = [
            f"class Fuzzed({parent}):",
            '    """A random game."""',
            "",
            '    name = "fuzzed"',
            '    source = "random"',
        ]
        lines += [f"    {named}"] if named else []
        lines += [f'    {self.param} = Param({source.randint(1, 3)}, 1, 5, "a number")']
        if self.asked:
            lines += [
                '    bankroll = Param(2, 1, 50, "money")',
                '    outcomes = ("ruined", "left")',
                '    ruin = "ruined"',
            ]
            lines = [line for line in lines if '("low"' not in line]
            self.outcomes = 2
        if self.seats > 1:
            lines += [f"    seats = {self.seats}", f"    player = Seat({self.seats})"]
        lines += [f"    {f.declaration}" for f in w.fields]
        lines += [f"    left = Int(0, {(n := source.randint(1, 3))}, start={n})"]
        lines += [f"    todo = Int(0, {self.decisions})"] if self.decisions else []
        if self.asked:
            lines += ["    stake = Int(0, 2)", "    purse = Int(0, 40, start=bankroll)"]
        lines += [f'    {name} = Tally("counted")' for name in w.tallies]
        return lines + [f'    {name} = Peak("the most")' for name in w.peaks] + [""]

    def start(self) -> list[str]:
        if self.random.random() < 0.7:
            return []
        return self.method("start(self)", self.writer.body(1))

    def flow(self) -> list[str]:
        """``next``: over when nothing is left, then what must be chosen, then a roll."""
        w, seat = self.writer, "self.player" if self.seats > 1 else "0"
        w.names = []
        lines = ["if self.left == 0:", "    return OVER"]
        if self.asked:
            lines = ["if self.left == 0 or self.purse == 0:", "    return OVER"]
        for at, (name, _, _) in enumerate(self.choices):
            lines += [f"if self.todo == {at + 1}:", f"    return ask(self.{name}, {seat})"]
        for name, _, _, many in self.throws[1:]:
            dice = self.pick_dice(many)
            lines += [f"if {w.test(2)}:", f"    return throw(self.{name}{dice})"]
        name, _, _, many = self.throws[0]
        return self.method("next(self)", [*lines, f"return throw(self.{name}{self.pick_dice(many)})"])

    def pick_dice(self, many: int) -> str:
        if many == 1 or self.random.random() < 0.5:
            return ""
        return f", 1 + {self.writer.number(1)} % {many}"

    def throw_method(self, name: str, decorator: str, args: str, many: int) -> list[str]:
        w = self.writer
        w.faces, w.count = ("faces", many) if args == "*faces" else ("", 0)
        w.names = [] if w.faces else args.split(", ")
        first = "sum(faces)" if w.faces else w.names[0]
        lines = (
            [f"if {first} % 2 == 0:", "    self.left -= 1"]
            if self.loops and self.no_endless(args)
            else ["self.left -= 1"]
        )
        if name == "DONE_roll" and decorator == self.throws[0][1]:  # only a test sees its outcome: many do the same
            lines += [f"if {first} > 1:", f"    self.{self.counts} += 1"]
            w.faces, w.count, w.names = "", 0, []
        if self.asked:
            lines += [f"gain = self.stake if {w.test(1)} else -min(self.stake, self.purse)", "self.purse += gain"]
            lines += [f"self.money += gain * {'STAKE // 16' if w.big else '1'}"]
            lines += [f"self.{peak} = max(self.{peak}, self.purse)" for peak in w.peaks]
        lines += w.body(self.random.randint(1, 4))
        if self.decisions:
            lines += [
                f"self.todo = {self.random.choice(['1', f'1 + {w.number(1)} % {self.decisions}', str(self.decisions)])}"
            ]
        elif self.seats > 1:
            lines += [f"self.player = {self.random.choice(['right_of', 'left_of'])}(self.player, {self.seats})"]
        w.faces = ""
        return self.method(f"{name}(self, {args})", lines, decorator)

    def no_endless(self, args: str) -> bool:
        """A roll may leave a game where it was only where it does not always."""
        return args in ("total", "*faces")

    def choice_methods(self, at: int, name: str, kind: str, arg: str) -> list[str]:
        w, marks = self.writer, ""
        w.names, lines = [arg], []
        first = {"(-1, 1)": "-1"}.get(kind, "0")
        if self.random.random() < 0.5:
            before = w.first()
            test = f"{arg} == {first} or {w.test(1)}"
            if random.Random(f"lists {at} {self.written}").random() < 0.4:  # apart, so that other parts stay the same
                low, size = SPANS[kind]
                marks += f", moves=allowed{at}"
                again = [f"    yield {arg}", f"    if {arg} == {low}:", f"        yield {low}"]
                loop = [
                    f"for {arg} in range({low}, {low + size}):",
                    f"    if {test}:",
                    *("    " + line for line in again),
                ]
                known = [f"{arg} = {low}"] if before else []  # what comes before the loop may read it
                lines += self.method(f"allowed{at}(self)", [*known, *before, *loop])
            else:
                marks += f", legal=allowed{at}"
                lines += self.method(f"allowed{at}(self, {arg})", [*before, f"return {test}"])
        w.names = [arg]
        if self.random.random() < 0.3:
            marks += f", sensible=worth{at}"
            lines += self.method(f"worth{at}(self, {arg})", [f"return {arg} == {first} or {w.test(1)}"])
        w.names = [arg]
        body = ["self.todo = 0", *(["self.stake = much"] if name == "bet" else [])]
        body += w.body(self.random.randint(1, 3))
        if self.seats > 1:
            body += [f"self.player = right_of(self.player, {self.seats})"]
        w.names = []
        return lines + self.method(f"{name}(self, {arg})", body, f"@chosen({kind}{marks})")

    def outcome(self) -> list[str]:
        w = self.writer
        w.names = []
        if self.outcomes < 2 and self.seats < 2:
            return []
        lines = w.first()
        if self.random.random() < 0.6:
            lines += self.in_outcome()
        if self.asked:
            return self.method("outcome(self)", [*lines, "return 0 if self.purse == 0 else 1"])
        return self.method("outcome(self)", [*lines, f"return {w.number(2)} % {self.outcomes}"])

    def in_outcome(self) -> list[str]:
        w = self.writer
        return [f"if {w.test(1)}:", *("    " + line for line in w.tally_only()), *w.tally_only()]

    def strategy(self, name: str) -> list[str]:
        """A strategy, which may have a memory whose name and fields look like those of another's."""
        w, remembers = self.writer, self.random.random() < 0.75
        field = {"a": "b_c", "a_b": "c"}.get(name, "c")
        w.game, w.whole = "game", ["BY", "Move.GO", f"game.{self.param}", "argument"]
        w.names, lines = ["argument"], []
        given = "game, mine, argument" if remembers else "game, argument"
        chance = random.Random(f"{name} {self.written}")  # apart, so that other parts stay as they were
        called, given_memory = self.played if chance.random() < 0.5 else ("", False)
        if given_memory and not remembers:
            called = ""
        parent = f"Of_{called}" if called and given_memory else "Memory"
        how = chance.choice(["helper", "method", "plain"])
        if remembers:
            lines += [
                f"class Of_{name}({parent}):",
                f"    {field} = Int(0, {self.random.randint(1, 2)}, start={self.random.randint(0, 1)})",
                "",
                *(["    def keep(self, value):", f"        self.{field} = value % 2", ""] if how == "method" else []),
                "",
            ]
            w.names += [f"mine.{field}"]
        if remembers and how == "helper":
            lines += [f"def keep_{name}(table, by, mine=None):", f"    mine.{field} = (by + table.{self.param}) % 2"]
            lines += [f"    return mine.{field}", "", ""]
        memory = f", memory=Of_{name}" if remembers else ""
        number = self.random.randint(0, 3)
        lines += [f'@strategy(Fuzzed{memory}, argument=Param({number}, 0, 3, "a number"))', f"def {name}({given}):"]
        before = ["    " + line for line in w.first()]
        lines += ['    """A strategy."""', *before, f"    move = {w.number(2)}"]
        if remembers:
            value = w.number(1)
            kept = {
                "plain": f"mine.{field} = {value} % {2}",
                "method": f"mine.keep({value})",
                "helper": f"move += keep_{name}(game, {value}, mine=mine)",
            }
            lines += [f"    {kept[how]}"]
        if called:
            mine = "mine, " if given_memory else ""
            lines += ["    if move % 3 == 0:", f"        return {called}(game, {mine}move % 4)"]
        self.played = name, remembers
        for at, (_, kind, _) in enumerate(self.choices):
            low, size = SPANS[kind]
            take = f"{low} + move % {size}"
            answer = [f"return {take}"]
            if any(f"allowed{at}(self, " in line for line in self.written):
                answer = [f"chosen = {take}", f"return chosen if game.allowed{at}(chosen) else {low}"]
            elif any(f"allowed{at}(self)" in line for line in self.written):
                answer = [f"chosen = {take}", f"return chosen if chosen in game.allowed{at}() else {low}"]
            last = at == len(self.choices) - 1
            head = [] if last else [f"    if game.todo == {at + 1}:"]
            lines += head + [("    " if last else "        ") + line for line in answer]
        w.game, w.whole = "self", ["BY", "Move.GO", f"self.{self.param}"]
        return [*lines, "", ""]

    written: list[str] = []
    played: tuple[str, bool] = "", False
    """The strategy written last, and whether it has a memory."""

    def method(self, head: str, body: list[str], decorator: str = "") -> list[str]:
        self.written = [*self.written, f"def {head}"]
        lines = [decorator] if decorator else []
        return ["    " + line for line in [*lines, f"def {head}:", *("    " + line for line in body)]] + [""]
