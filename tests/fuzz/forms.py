"""Writes random games of the newer kinds of declarations: dice that are kept, rows of rows, different dice in one roll,
weights that depend on the state, bags, moves that are listed, private fields, and payoffs with draws.
"""

from __future__ import annotations

import random

from fuzz.writer import FieldText, Writer

IMPORTS = """from dicelab.rules import (
    COUNTS, D6, FACES, OVER, SUM, Die, Flag, Flags, Game, Grid, Int, Ints, Param, Seat, Tally,
    ask, chosen, d, drawn, kept, mixed, right_of, strategy, throw, thrown, weighted,
)


"""
PARTS = "keep", "mixed", "weighted", "bag", "grid", "private"
PAYOFFS = {
    "zero": '{"first": (1, -1), "second": (-1, 1), "draw": (0, 0)}',
    "half": '{"first": (1, 0), "second": (0, 1), "draw": (0.5, 0.5)}',
    "stake": '{"first": (stake, 0), "second": (0, stake), "draw": (0, stake)}',
}


def of_forms(source: random.Random) -> str:
    """The file of a random game."""
    return IMPORTS + _Maker(source).text()


class _Maker:
    """What a game has is decided first, then the rules are written."""

    def __init__(self, source: random.Random) -> None:
        self.random, self.writer = source, Writer(source)
        self.parts = set(source.sample(PARTS[:5], source.randint(1, 3)))
        if source.random() < 0.2:
            self.parts.add("private")
        self.seats = source.choice([1, 2, 2])
        self.payoffs = source.choice(["", "", *PAYOFFS]) if self.seats == 2 else ""
        self.faces, self.dice = source.choice([2, 2, 3]), source.choice([1, 2, 2])
        self.left = source.randint(1, 2) if len(self.parts) > 2 else source.randint(1, 3)
        w = self.writer
        w.fields = [FieldText("x", "Int", 0, source.randint(1, 2)), FieldText("done", "Flag")]
        w.tallies, w.whole = ["points", "count"], ["BY", "self.stake"]
        if "grid" in self.parts:
            w.whole += ["self.board[1][0]", "self.board[self.x % 2][1]", "self.open[0]"]

    @property
    def rolls(self) -> list[str]:
        """The rolls, in turn."""
        named = [part for part in ("mixed", "weighted", "bag") if part in self.parts]
        return [*(["cup"] if "keep" in self.parts or not named else []), *named]

    @property
    def choices(self) -> list[str]:
        return [*(["keep"] if "keep" in self.parts else []), *(["place"] if "grid" in self.parts else ["decide"])]

    def text(self) -> str:
        head = [
            "BY = 3",
            "TABLE = (2, -1, 3)",
            "",
            "",
            "class Fuzzed(Game):",
            '    name = "fuzzed"',
            '    source = "random"',
        ]
        lines = [*head, *self.declarations(), "", *self.flow()]
        for name in self.rolls:
            lines += getattr(self, f"roll_{name}")()
        for name in self.choices:
            lines += getattr(self, f"choose_{name}")()
        lines += self.outcome()
        return "\n".join([*lines, *self.strategies()]) + "\n"

    def declarations(self) -> list[str]:
        fields = [f.declaration for f in self.writer.fields]
        fields += [f"left = Int(0, {self.left}, start={self.left})", f"todo = Int(0, {len(self.choices)})"]
        if self.seats == 2:
            fields += ["seats = 2", "player = Seat(2)"]
        if self.payoffs:
            fields += ['outcomes = ("first", "second", "draw")', f"payoffs = {PAYOFFS[self.payoffs]}"]
        elif self.seats == 1:
            fields += ['outcomes = ("low", "high")']
        if "keep" in self.parts:
            fields += [f"dice = Ints({self.faces}, 0, {self.dice})"]
        if "grid" in self.parts:
            fields += ["board = Grid(2, 2, 0, 2)", "open = Flags(2, start=1)"]
        if "bag" in self.parts:
            fields += [f"bag = Ints(3, 0, 2, start={self.random.randint(1, 2)})"]
        if "private" in self.parts:
            fields += ["secret = Int(0, 2, private=True)"]
        fields += ['points = Tally("points")', 'count = Tally("counted")']
        return ['    stake = Param(2, 1, 5, "a number")', *("    " + line for line in fields)]

    def flow(self) -> list[str]:
        seat, lines = "self.player" if self.seats == 2 else "0", ["if self.left == 0:", "    return OVER"]
        for at, name in enumerate(self.choices, 1):
            lines += [f"if self.todo == {at}:", f"    return ask(self.{name}, {seat})"]
        calls = {
            "cup": f"throw(self.cup, {self.dice} - sum(self.dice))" if "keep" in self.parts else "throw(self.cup)",
            "mixed": self.random.choice(
                ["throw(self.mixed)", f"throw(self.mixed, small=1 + {self.writer.number(1)} % 2, big=self.left % 2)"]
            ),
            "weighted": "throw(self.weighted)",
            "bag": "throw(self.bag_drawn)",
        }
        for at, name in enumerate(self.rolls[1:], 1):
            test = f"self.left % {len(self.rolls)} == {at}" + (" and sum(self.bag) > 0" if name == "bag" else "")
            lines += [f"if {test}:", f"    return {calls[name]}"]
        first = self.rolls[0]
        if first == "bag":
            lines += ["if sum(self.bag) == 0:", "    return OVER"]
        return self.method("next(self)", [*lines, f"return {calls[first]}"])

    def rolled(self, names: list[str]) -> list[str]:
        """What all rolls do."""
        w = self.writer
        w.names = names
        lines = ["self.left -= 1", f"self.todo = {self.random.choice(['1', str(len(self.choices))])}"]
        if "private" in self.parts:
            lines += [f"self.secret = {w.number(1)} % 3"]
        lines += w.body(self.random.randint(1, 2))
        w.names = []
        return lines

    def roll_cup(self) -> list[str]:
        if "keep" not in self.parts:
            return self.method("cup(self, total)", self.rolled(["total"]), f"@thrown({self.dice}, d({self.faces}))")
        add = [f"for i in range({self.faces}):", "    self.dice[i] += shown[i]"]
        decorator = f"@thrown({self.dice}, d({self.faces}), COUNTS)"
        lines = [*add, *(line for line in self.rolled(["shown[0]"]) if not line.startswith("self.todo"))]
        return self.method("cup(self, *shown)", [*lines, "self.todo = 1"], decorator)

    def roll_mixed(self) -> list[str]:
        view = self.random.choice(["SUM", "FACES", "COUNTS"])
        args, names = {
            "SUM": ("total", ["total"]),
            "FACES": ("*seen", ["seen[0]", "seen[2]", "max(seen)"]),
            "COUNTS": ("*seen", ["seen[0]", "seen[4]", "sum(seen)"]),
        }[view]
        return self.method(
            f"mixed(self, {args})", self.rolled(names), f"@mixed({view}, small=(2, d(2)), big=(1, d(3)))"
        )

    def roll_weighted(self) -> list[str]:
        w = self.writer
        w.names = []
        loads = self.method("loads(self)", [f"return 1 + {w.number(1)} % 3, {w.number(1)} % 2, {w.number(1)} % 4"])
        return loads + self.method("weighted(self, face)", self.rolled(["face"]), "@weighted(d(3), loads, 8)")

    def roll_bag(self) -> list[str]:
        lines = self.rolled(["thing"])
        if self.random.random() < 0.3:
            lines += ["if self.bag[0] < 2 and self.x == 0:", "    self.bag[0] += 1"]
        marks = self.random.choice(["bag", "bag, Die(r=1, g=1, b=1)", "bag, total=6"])
        return self.method("bag_drawn(self, thing)", lines, f"@drawn({marks})")

    def choose_keep(self) -> list[str]:
        w, marks = self.writer, ", legal=some_left"
        w.names = []
        lines = self.method("some_left(self, *few)", [f"return sum(few) < {self.dice}"])
        body = [f"for i in range({self.faces}):", "    self.dice[i] = few[i]", self.turned("2")]
        body += ["self.points += few[0]", *w.body(1)]
        return lines + self.method("keep(self, *few)", body, f"@kept({self.dice}, d({self.faces}), dice{marks})")

    def choose_place(self) -> list[str]:
        w = self.writer
        w.names = []
        loop = ["yield 0, 0", "for i in range(2):", "    if self.open[i]:", "        for j in range(2):"]
        loop += [f"            if self.board[i][j] < 2 and {w.test(1)}:", "                yield i, j"]
        w.names = ["i", "j"]
        body = [self.turned("0"), f"self.board[i][j] = {w.number(1)} % 3", f"self.open[j] = {w.test(1)}", *w.body(1)]
        body += ["self.points += self.board[i][1]"]
        w.names = []
        return self.method("places(self)", loop) + self.method("place(self, i, j)", body, "@chosen(2, 2, moves=places)")

    def choose_decide(self) -> list[str]:
        self.writer.names = ["move"]
        lines = self.method("decide(self, move)", [self.turned("0"), *self.writer.body(2)], "@chosen(2)")
        self.writer.names = []
        return lines

    def turned(self, todo: str) -> str:
        """What is to be done after a choice; the other seat may be next."""
        turn = "; self.player = right_of(self.player, 2)" if self.seats == 2 and todo == "0" else ""
        return f"self.todo = {todo}{turn}"

    def outcome(self) -> list[str]:
        many = 3 if self.payoffs else 2
        return self.method("outcome(self)", [f"return {self.writer.number(2)} % {many}"])

    def strategies(self) -> list[str]:
        lines, few = (
            [],
            {"low": ["0"] * self.faces, "some": ["game.dice[0] - game.dice[0] // 2 * 2", *["0"] * (self.faces - 1)]},
        )
        if self.dice == 1:
            few["some"][0] = "0"
        for name in ("low", "some"):
            lines += ["", "@strategy(Fuzzed)", f"def {name}(game):"]
            if "keep" in self.parts:
                lines += ["    if game.todo == 1:", f"        return {', '.join(few[name])}"]
            if "grid" in self.parts:
                lines += ["    return 0, 0", ""]
            else:
                lines += [f"    return {'0' if name == 'low' else 'game.x % 2'}", ""]
        return lines

    def method(self, head: str, body: list[str], decorator: str = "") -> list[str]:
        lines = [decorator] if decorator else []
        return ["    " + line for line in [*lines, f"def {head}:", *("    " + line for line in body)]] + [""]
