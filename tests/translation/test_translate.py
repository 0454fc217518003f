"""Rules are translated without a change of meaning, and what can't be is refused with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicelab.engines.compiled import Compiled
from dicelab.engines.tables.memo import MemoEngine
from dicelab.errors import PlayError, RangeError, RulesError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.translation.translator import NotTranslatable

GAME = '''
from enum import IntEnum
from dicelab.rules import (
    COUNTS, D6, FACES, OVER, Die, Flag, Game, Int, Ints, Memory, Param, Peak, Switch, Tally, ask, chosen, strategy,
    throw, thrown,
)

PAYS = (0, 5, 4, 3, 2, 1, -1)
BONUS = 2


class Level(IntEnum):
    LOW = 2
    HIGH = 5


def doubled(x, times=2):
    return x * times


def richest(game, bonus):
    return max(game.row) + bonus


class Base(Game):
    def helper(self, x):
        return x + 1


class Sample(Base):
    """A game for tests of translation."""
    switch = Switch(True, "a switch")
    row = Ints(4, -1000, 1000)
    x = Int(-1000, 100_000)
    flag = Flag()
    left = Int(0, 20, start=20)
    total = Tally("what the body counts")
    best = Peak("the largest")

    def next(self):
        return throw(self.die) if self.left > 0 else OVER

    def helper(self, x):
        return super().helper(x) * 10

    def value(self, n):
        return self.row[n]

    def rule(self, face):
        BODY

    @thrown(1, D6)
    def die(self, face):
        self.left -= 1
        self.rule(face)
'''


def game_with(tmp_path: Path, body: str) -> Run:
    indented = body.strip().replace("\n", "\n        ")
    file = tmp_path / "sample.py"
    file.write_text(GAME.replace("BODY", indented))
    return Run.of(find_in_file(file, "sample"))


LAWFUL = {
    "a constant of the file": "self.total += face * BONUS",
    "a tuple of the file": "self.total += PAYS[face] + len(PAYS)",
    "members of an IntEnum": "self.total += 7 if face >= Level.HIGH else int(Level.LOW)",
    "all members of an IntEnum": "for level in Level:\n    self.total += level * face",
    "an IntEnum made from a number": "self.total += Level(2) + face",
    "a helper with a default": "self.total += doubled(face) + doubled(face, 5) + doubled(face, times=3)",
    "a helper that takes the game": "self.row[1] = face\nself.total += richest(self, 3)",
    "a method of the parent": "self.total += self.helper(face)",
    "rows as a whole": "self.row[face % 4] += face\nself.total += sum(self.row) + max(self.row) - min(self.row)",
    "rows counted and searched": "self.row[0] = 6\nself.total += self.row.count(0) + self.row.index(6) + len(self.row)",
    "a loop over a row": "self.row[2] = face\nfor v in self.row:\n    self.total += v * v",
    "flags": "self.flag = face > 3\nself.total += 1 if self.flag else 0\nself.total += self.flag + (not self.flag)",
    "flags compared": "self.flag = not self.flag\nif self.flag == (face > 2):\n    self.total += 1",
    "a switch": "self.total += 2 if self.switch else 3\nself.total += self.switch",
    "floor division and remainder of negatives": "self.x = face - 4\nself.total += 100 * (self.x // 3) + self.x % 3",
    "divmod, abs, round and bits": "q, r = divmod(face, 4)\nself.total += q + 10 * r"
    " + abs(face - 9) + (face << 3 ^ face & 1)",
    "a peak": "self.best = max(self.best, face * face)",
    "while, break and continue": "n = 0\nwhile True:\n    n += 1\n    if n % 2:\n        continue\n"
    "    if n > face:\n        break\nself.total += n",
    "two targets": "a = b = face\na, b = b + 1, a\nself.total += a * 10 + b",
    "a chain of comparisons": "self.total += 1 if 2 <= face < 5 else 0",
    "match": "match face:\n    case 1 | 2:\n        self.total += 1\n    case 3:\n        self.total += 5\n"
    "    case _:\n        self.total += 100",
    "subtracting from a tally": "self.total -= face",
    "a row looked at only where it has a number": "self.row[1] = 5\nif face < 4 and self.row[face] == 5:\n"
    "    self.total += 1\nif face > 3 or self.row[face] == 5:\n    self.total += 2",
    "comparisons made together": "if face > 2 and self.x == 0:\n    self.total += 1\nif face > 4 or self.left < 10:\n"
    "    self.total += 2\nif (face > 2 and face < 5) or face == 6:\n    self.total += 4\nself.total += (face > 3) + 0",
    "a loop until one of two": "n = 0\nwhile n < face and self.row[n % 4] == 0:\n    n += 1\nself.total += n",
}


@pytest.mark.slow
@pytest.mark.parametrize("body", LAWFUL.values(), ids=LAWFUL)
def test_meaning_is_kept(tmp_path: Path, body: str) -> None:
    run = game_with(tmp_path, body)
    slow = Reference(run.game, run.calls).play(7, 0, 40)
    assert Compiled(run.game, run.calls).play(7, 0, 40) == slow
    assert any(len(histogram) > 1 or 0 not in histogram for histogram in slow.histograms[0])


INSIDE = """
def squared(n):
    return n * n


def same_as(function):
    def call(n):
        return function(n)
    return call


class Large(IntEnum):
    HIGH = 2**61


def with_levels(Level):
    def points(n):
        return Level.HIGH + n
    return points


also_squared, large = same_as(squared), with_levels(Large)


class Base(Game):"""


@pytest.mark.slow
@pytest.mark.parametrize("large", ["also_squared(face << 40)", "large(face) * 8"])
def test_what_functions_around_a_rule_provide_may_be_larger_than_what_the_file_has(tmp_path: Path, large: str) -> None:
    """A function that rules also call by another name; an IntEnum in place of one of the same name."""
    game = GAME.replace("class Base(Game):", INSIDE).replace("BODY", f"self.total += squared(face) + {large} % 1000")
    (tmp_path / "sample.py").write_text(game)
    run = Run.of(find_in_file(tmp_path / "sample.py", "sample"))
    assert Compiled(run.game, run.calls).play(7, 0, 40) == Reference(run.game, run.calls).play(7, 0, 40)


REFUSED = {
    "true division": ("self.x = int(face / 2)", "use //"),
    "true division in place": ("face /= 2", "use //"),
    "a list of functions": ("a = [abs, max]", "abs"),
    "the order of a set": ("for n in {face, 3}:\n    self.total += n", "order isn't fixed"),
    "the game as a value": ("other = self", "as a whole"),
    "a lambda that is kept": ("f = lambda: 1\nf = 3", "a lambda"),
    "try": ("try:\n    pass\nexcept ValueError:\n    pass", "uses try"),
    "text": ("a = f'{face}'", "text"),
    "recursion": ("self.rule(face)", "calls itself"),
    "a peak that is added to": ("self.best += 3", "the tally best is set"),
    "an unknown name": ("self.total += nowhere", "nowhere, which is not defined"),
    "an unknown method": ("self.nowhere(face)", "self.nowhere(), which is not defined"),
    "an undeclared field": ("self.total += self.nowhere", "self.nowhere is not declared"),
    "print": ("print(face)", "print reads or writes"),
    "a throw made by hand": ("self.die(3)", "die is what a roll does"),
    "a method of a list": ("self.row.append(3)", ".append()"),
}
"""Refused before anything is played; more of them in ``test_contract.py``."""


def says_where(message: str, said: str) -> bool:
    line = GAME[: GAME.index("BODY")].count("\n") + 1
    return said in message and any(f"sample.py, line {n}" in message for n in range(line - 1, line + 3))


@pytest.mark.slow_cases("a method of a list")
@pytest.mark.parametrize(("body", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_unlawful_is_refused_with_file_and_line(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(RulesError) as refused:
        game_with(tmp_path, body)
    assert says_where(str(refused.value), said)


def test_what_numba_refuses_is_refused_in_its_words(tmp_path: Path) -> None:
    run = game_with(tmp_path, "a = (face, (1, 2))\nself.total += a[face]")
    with pytest.raises(NotTranslatable, match="Numba can't compile the rules"):
        Compiled(run.game, run.calls)


OUT_OF_BOUNDS = [
    "self.row[face - 2] = 1",
    "self.row[face + 1] += 1",
    "self.total += self.row[-face]",
    "self.total += 1 // (face - 3)",
    "self.total += self.row[self.row.index(face - 1)]",
    "n = 0\nwhile self.row[n] < face - 1:\n    n += 1",
    "n = 0\nwhile n < 1000 and self.row[n] < face - 1:\n    n += 1",
    "n = 0\nwhile self.value(n) < face - 1:\n    n += 1",
    "n = 0\nwhile True:\n    if self.value(n) == face - 1:\n        break\n    n += 1",
    "row = self.row\nself.total += row[face]",
    "self.x = 1 if self.value(face) == 0 else 2",
]


@pytest.mark.slow
def test_an_index_outside_its_row_stops_the_graph_engine(tmp_path: Path) -> None:
    body = "self.x = self.value(face - 1) if self.left > 15 else self.value(face)"
    file = tmp_path / "sample.py"
    file.write_text(GAME.replace("BODY", body).replace('    best = Peak("the largest")\n', ""))
    playing = MemoEngine(Run.of(find_in_file(file, "sample")).game, ())
    playing.compile()
    with pytest.raises(RangeError, match=r"row\[[456]\]: the index must be 0 to 3"):
        playing.play(7, 0, 50)


@pytest.mark.slow
@pytest.mark.parametrize("body", OUT_OF_BOUNDS)
def test_the_compiled_engine_stops_where_the_reference_does(tmp_path: Path, body: str) -> None:
    run = game_with(tmp_path, body)
    said = []
    for engine in (Compiled(run.game, run.calls), Reference(run.game, run.calls)):
        with pytest.raises(Exception, match="seed 7, game ") as stopped:
            engine.play(7, 0, 50)
        said.append(str(stopped.value))
    assert said[0] == said[1]
    assert "state {'row': " in said[0]


@pytest.mark.slow
def test_a_comprehension_has_variables_of_its_own(tmp_path: Path) -> None:
    """Its variable may have the name of a constant of the file."""
    run = game_with(tmp_path, "self.total += sum([BONUS for BONUS in (face, 1)]) + BONUS")
    assert Compiled(run.game, run.calls).play(7, 0, 40) == Reference(run.game, run.calls).play(7, 0, 40)


@pytest.mark.slow
@pytest.mark.parametrize("body", ["assert face < 4", "self.total += 1\nassert self.left > 5, 'too few'"])
def test_an_assertion_stops_both_engines(tmp_path: Path, body: str) -> None:
    run = game_with(tmp_path, body)
    said = []
    for engine in (Compiled(run.game, run.calls), Reference(run.game, run.calls)):
        with pytest.raises(PlayError, match=r"AssertionError.*seed 7, game ") as stopped:
            engine.play(7, 0, 50)
        said.append(str(stopped.value))
    assert said[0] == said[1]


TWO_SEATS = """
from dicelab.rules import D6, OVER, Game, Int, Memory, Param, Tally, ask, chosen, strategy, throw, thrown


class Duel(Game):
    seats = 2
    shift = Param(0, -3, 3, "added to the seat that is asked")
    dice = Param(1, -1, 3, "dice thrown")
    faces = Int(0, 18)
    asked = Int(0, 2)
    throws = Tally("throws")

    def next(self):
        if self.asked == 2:
            return OVER
        if self.faces > 0:
            return ask(self.choose, self.asked + self.shift)
        return throw(self.die, self.dice)

    @thrown(3, D6)
    def die(self, total):
        self.throws += 1
        self.faces = total

    @chosen(2)
    def choose(self, move):
        self.asked += 1

    def outcome(self):
        return self.faces % 2


@strategy(Duel)
def first(game):
    return 1
"""


def duel(tmp_path: Path, **parameters: int) -> Run:
    (tmp_path / "duel.py").write_text(TWO_SEATS)
    return Run.of(str(tmp_path / "duel.py"), **parameters)


@pytest.mark.slow
def test_a_fixed_number_of_seats_are_outcomes_too(tmp_path: Path) -> None:
    run = duel(tmp_path)
    slow = Reference(run.game, run.calls).play(7, 0, 60)
    assert len(slow.counts) == 2
    assert min(slow.counts) > 0
    assert Compiled(run.game, run.calls).play(7, 0, 60) == slow


@pytest.mark.slow_cases("parameters0-seat -1")
@pytest.mark.parametrize(
    ("parameters", "says"),
    [({"shift": -1}, "seat -1"), ({"shift": 2}, "seat 2 is asked"), ({"dice": 0}, "0 dice"), ({"dice": -1}, "-1 dice")],
)
def test_seats_and_dice_that_cannot_be(tmp_path: Path, parameters: dict[str, int], says: str) -> None:
    run = duel(tmp_path, **parameters)
    for engine in (Compiled(run.game, run.calls), Reference(run.game, run.calls)):
        with pytest.raises(PlayError, match=says):
            engine.play(7, 0, 60)
