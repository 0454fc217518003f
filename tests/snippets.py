"""Games made of snippets of rules, each with a tally of its own, for tests of what rules mean."""

# ruff: noqa: E501 (rules are written as lines of text)

from __future__ import annotations

from pathlib import Path

from dicelab.errors import DicelabError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.lineup import Run

HEAD = '''
from enum import IntEnum
from dicelab.rules import D6, FACES, OVER, Flag, Game, Int, Ints, Param, Peak, Switch, Tally, throw, thrown

AWKWARD = (-7, -1, 0, 1, 3, 8)
OTHERS = (-3, -2, 0, 2, 5, 64)
SHORT = (4, -1, 7)
LONG = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, -4)
PAIRS = ((1, 2), (3, -4), (5, 6))
NONE = ()
TIMES = 3
YES = True
HUGE = 2**63
LARGE = 2**62
LEAST = -2**63


class Level(IntEnum):
    LOW = 2
    MIDDLE = 3
    HIGH = 5


def times(n, by=TIMES, plus=0):
    return n * by + plus


def spread(row, start):
    found = start
    for n in row:
        found = found * 3 + n
    return found


def pair_up(one, two, i):
    return one[i] * 100 + two[-1 + i + 1] - len(two)


def swap_ends(row):
    row[0], row[3] = row[3], row[0]
    return row[0]


def biggest(game, bonus):
    return max(game.row) + bonus


def halves(n):
    return n // 2, n - n // 2


def star(*values):
    return values[0]


def only_yes(n):
    return n > 0


def nothing_at_all(n):
    if n > 0:
        return 5
    return 6


def maybe(n):
    if n > 0:
        return True


def yes_and(n):
    return n > 0, 7


def plus_yes(n, yes=YES):
    return n + ~yes


class Base(Game):
    def more(self, n):
        return n + 1


class Sample(Base):
    """A game for tests of meaning."""

    switch = Switch(True, "a switch")
    size = Param(4, 4, 6, "length of a row")
    row = Ints(4, -1000, 1000)
    other = Ints(size, -1000, 1000)
    wide = Ints(3, -2**62, 2**62)
    x = Int(-1000, 1000)
    y = Int(-1000, 1000)
    big = Int(-2**62, 2**62)
    flag = Flag()
    flip = Flag()
    left = Int(0, 2, start=2)
    TALLIES

    def set_up(self):
        self.row[0] = 5
        self.row[1] = -2
        self.row[2] = 0
        self.row[3] = 9
        for i in range(self.size):
            self.other[i] = i * i - 3
        for i in range(3):
            self.wide[i] = 0
        self.x = 0
        self.y = 7
        self.big = 0
        self.flag = True
        self.flip = False

    def seen(self):
        return (
            spread(self.row, 1) + 7 * spread(self.other, 2) + self.x * 11 + self.y * 13 + self.flag * 17 + self.flip * 19
            + self.wide[0] % 991 + self.wide[1] % 997 * 3 + self.wide[2] % 1009 * 5 + self.big % 1013
        )

    def next(self):
        return throw(self.dice) if self.left > 0 else OVER

    def more(self, n):
        return super().more(n) * 10

    def at(self, i):
        return self.row[i]

    def plus_row(self, p, q):
        return p * self.row[q] + self.bump()

    def bump(self):
        self.x += 1
        return self.x

    def place(self):
        self.y += 1
        return self.y % 4

    RULES

    @thrown(2, D6, FACES)
    def dice(self, *faces):
        self.left -= 1
        a, b = AWKWARD[faces[0] - 1], OTHERS[faces[1] - 1]
        CALLS
        self.set_up()
'''


def indented(text: str, depth: int) -> str:
    return text.strip("\n").replace("\n", "\n" + " " * depth)


def text_of(snippets: dict[str, str], small: bool = False) -> str:
    """A game of these snippets: what a snippet returns is counted, and what it leaves in the fields.

    Where numbers are to be `small`, as exact answers need them, there is one tally for all.
    """
    tallies, rules, calls = [], [], []
    for i, (name, body) in enumerate(snippets.items()):
        lines = body if "return" in body else f"return {body}"
        tallies.append(f't{i} = Tally("{name}")')
        rules.append(f"def rule_{i}(self, a, b, faces):\n    {indented(lines, 4)}\n")
        calls.append(f"self.set_up()\nself.t{i} += self.rule_{i}(a, b, faces) % 999983 * 7\nself.t{i} += self.seen()")
    if small:
        tallies = ['t = Tally("all of them")']
        calls = [
            f"self.set_up()\nself.t += (self.rule_{i}(a, b, faces) + {i}) % 5 + self.seen() % 3"
            for i in range(len(snippets))
        ]
    head = HEAD.replace("2**62, 2**62", "2**40, 2**40") if small else HEAD
    text = head.replace("TALLIES", indented("\n".join(tallies), 4))
    text = text.replace("RULES", indented("\n".join(rules), 4))
    return text.replace("CALLS", indented("\n".join(calls), 8))


def game_of(folder: Path, snippets: dict[str, str], small: bool = False) -> Run:
    file = folder / "sample.py"
    file.write_text(text_of(snippets, small))
    return Run.of(find_in_file(file, "sample"))


def never(*_: object) -> int:
    raise AssertionError("a game was left to the reference engine")


def outcome_of(engine: object, game: int) -> object:
    """What an engine makes of one game: its tallies, or its error."""
    try:
        return engine.play(7, game, game + 1)  # type: ignore[attr-defined]
    except DicelabError as error:
        return str(error)


def chosen_by_parameter(folder: Path, snippets: dict[str, str], tallies: str = "") -> type:
    """A game with these snippets, of which its parameter `which` chooses one."""
    rules = [f"def rule_{i}(self, a, b, faces):\n    {indented(body, 4)}\n" for i, body in enumerate(snippets.values())]
    calls = [f"if self.which == {i}:\n    self.t += self.rule_{i}(a, b, faces) * 7" for i in range(len(snippets))]
    text = HEAD.replace(
        "TALLIES", f'which = Param(0, 0, 99, "which snippet")\n    t = Tally("what it returns"){tallies}'
    )
    text = text.replace("RULES", indented("\n".join(rules), 4))
    (folder / "sample.py").write_text(text.replace("CALLS", indented("self.set_up()\n" + "\n".join(calls), 8)))
    return find_in_file(folder / "sample.py", "sample")
