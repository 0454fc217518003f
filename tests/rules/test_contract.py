"""Who may change what, and on what rules may depend: what breaks that is refused with its line, the rest plays."""

# ruff: noqa: E501 (rules are written as lines of text)

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dicelab
from contract_files import written
from dicelab.engines.compiled import Compiled
from dicelab.errors import RulesError
from dicelab.interface.play import play
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.translation.contract import must_be_lawful


def line_of(file: Path, text: str) -> str:
    """Where a line of the file stands, as messages tell it."""
    number = next(i for i, line in enumerate(file.read_text().splitlines(), 1) if line.strip() == text)
    return f"{file}, line {number}, in "


REFUSED = {
    "next that changes the state": ({"NEXT": "self.x += 1"}, "self.x += 1", "next changes x"),
    "next that counts": ({"NEXT": "self.total += 1"}, "self.total += 1", "next counts total"),
    "next that changes by a helper": (
        {"TOP": "def helper(game):\n    game.x = 3", "NEXT": "helper(self)"},
        "game.x = 3",
        "next changes x",
    ),
    "legal that changes": ({"LEGAL": "self.row[0] = move"}, "self.row[0] = move", "legal=) changes row"),
    "sensible that counts": (
        {"SENSIBLE": "self.best = max(self.best, 3)"},
        "self.best = max(self.best, 3)",
        "counts best",
    ),
    "because that changes": ({"BECAUSE": "self.x = 3"}, "self.x = 3", "because=) changes x"),
    "refuse that changes": (
        {"MEMBERS": "def refuse(self):\n    self.x = 1\n    return ''"},
        "self.x = 1",
        "refuse changes",
    ),
    "outcome that changes": ({"OUTCOME": "self.x = 0"}, "self.x = 0", "outcome changes x; it may count tallies"),
    "a strategy that changes": ({"STRATEGY": "game.x = 2"}, "game.x = 2", "a strategy reads the game"),
    "a strategy that counts": ({"STRATEGY": "game.total += 2"}, "game.total += 2", "the strategy plain counts total"),
    "a row by another name": ({"NEXT": "row = self.row\nrow[1] = 2"}, "row[1] = 2", "next changes row"),
    "a row among others": (
        {"NEXT": "for row in (self.row, self.row):\n    row[0] = 1"},
        "for row in (self.row, self.row):",
        "uses row, a row, as a whole",
    ),
    "the game by another name": ({"NEXT": "me = self\nme.x = 1"}, "me = self", "uses self as a whole"),
    "a tally that is read": ({"ROLL": "self.x = self.total"}, "self.x = self.total", "the tally total is read"),
    "a tally that is set": ({"ROLL": "self.total = 3"}, "self.total = 3", "the tally total is set"),
    "a tally read by a strategy": (
        {"STRATEGY": "if game.best > 3:\n    return Move.STOP"},
        "if game.best > 3:",
        "the tally best is read; a Peak is only raised",
    ),
    "a list of the file": ({"ROLL": "KEPT.append(1)"}, "KEPT.append(1)", "changes something that outlives the game"),
    "a list of the file under another name": (
        {"ROLL": "mine = KEPT\nmine.append(1)"},
        "mine.append(1)",
        "changes something that outlives the game",
    ),
    "a number of a list of the file": (
        {"ROLL": "KEPT[0] = 1"},
        "KEPT[0] = 1",
        "changes something that outlives the game",
    ),
    "a dictionary of the file": (
        {"ROLL": "NAMES['a'] = 2"},
        "NAMES['a'] = 2",
        "changes something that outlives the game",
    ),
    "global": ({"TOP": "N = 0", "ROLL": "global N\nN += 1"}, "global N", "global N changes what outlives the game"),
    "nonlocal": (
        {
            "TOP": "def made():\n    n = 0\n    def count():\n        nonlocal n\n        n += 1\n        return n\n"
            "    return count\ncount = made()",
            "ROLL": "self.x = count()",
        },
        "nonlocal n",
        "nonlocal n changes what outlives",
    ),
    "a mutable default": (
        {"TOP": "def kept(a=[]):\n    return a", "ROLL": "kept().append(1)"},
        "kept().append(1)",
        ".append() changes something that outlives the game",
    ),
    "a counter of the file": (
        {"ROLL": "self.x = next(counter)"},
        "self.x = next(counter)",
        "uses next, which rules can't use",
    ),
    "self.__dict__": (
        {"ROLL": "self.__dict__['x'] = 9"},
        "self.__dict__['x'] = 9",
        "self.__dict__['x'] reaches around what is declared",
    ),
    "object.__setattr__": (
        {"NEXT": "object.__setattr__(self, 'x', 1)"},
        "object.__setattr__(self, 'x', 1)",
        "__setattr__",
    ),
    "setattr": ({"NEXT": "setattr(self, 'x', 1)"}, "setattr(self, 'x', 1)", "setattr"),
    "a field that is not declared": ({"ROLL": "self.y = 1"}, "self.y = 1", "self.y is set, but not declared"),
    "an attribute of a function": ({"STRATEGY": "plain.n = 1"}, "plain.n = 1", "something other than the game is set"),
    "random in a roll": (
        {"ROLL": "self.x = random.randint(1, 6)"},
        "self.x = random.randint(1, 6)",
        "random.randint can't be used",
    ),
    "random in start": ({"START": "self.x = random.randint(1, 6)"}, "self.x = random.randint(1, 6)", "random.randint"),
    "random by its name": (
        {"TOP": "from random import random as chance", "ROLL": "self.x = int(9 * chance())"},
        "self.x = int(9 * chance())",
        "chance",
    ),
    "a clock in a strategy": (
        {"STRATEGY": "if time.time() > 3:\n    return Move.STOP"},
        "if time.time() > 3:",
        "time.time",
    ),
    "input": ({"STRATEGY": "input()"}, "input()", "input"),
    "print": ({"ROLL": "print(1)"}, "print(1)", "no input and no output"),
    "an open file": ({"ROLL": "open('x')"}, "open('x')", "open"),
    "an import inside": (
        {"ROLL": "import random as chance\nself.x = chance.randint(1, 2)"},
        "import random as chance",
        "uses an import inside a rule",
    ),
    "a memory of the file": (
        {"TOP": "@functools.cache\ndef kept():\n    return [0]", "ROLL": "kept().append(1)"},
        "kept().append(1)",
        "kept is cached, and returns something that may change",
    ),
    "the game in a cached function": (
        {"TOP": "@functools.cache\ndef points(game):\n    return game.x", "ROLL": "self.x = points(self)"},
        "self.x = points(self)",
        "points is cached, and is given part of the game",
    ),
    "a row kept in a list": (
        {"ROLL": "rows = []\nrows.append(self.row)"},
        "rows = []",
        "uses rows, a list of something other than whole numbers",
    ),
    "a parameter that is set": ({"ROLL": "self.bonus = 1"}, "self.bonus = 1", "bonus is a parameter"),
    "another's memory": ({"STRATEGY": "mine.other = 1"}, "mine.other = 1", "the memory has no number other"),
    "an instance of a class": (
        {"TOP": "class Box:\n    n = 0\nBOX = Box()", "ROLL": "BOX.n"},
        "BOX.n",
        "BOX is a Box; rules may use numbers",
    ),
    "the game as text": ({"STRATEGY": "return len(f'{game}')"}, "return len(f'{game}')", "uses text"),
    "a mutable class attribute": (
        {"MEMBERS": "seen = []", "ROLL": "self.seen.append(1)"},
        "self.seen.append(1)",
        "changes something that outlives the game",
    ),
    "a roll called by hand": ({"CHOOSE": "self.die(1, 2, 3)"}, "self.die(1, 2, 3)", "die is what a roll does"),
    "a forgotten @chosen": (
        {"MEMBERS": "def other(self, move):\n    self.left -= 1", "NEXT": "return ask(self.other, 0)"},
        "return ask(self.other, 0)",
        "other has no @chosen(...) above it",
    ),
    "an unknown kind": ({"NEXT": "return throw(self.dice)"}, "return throw(self.dice)", "self.dice is not declared"),
    "with": ({"ROLL": "with self.row:\n    pass"}, "with self.row:", "uses with"),
    "an iterator of the file": (
        {"TOP": "endless = iter(range(10**9))", "ROLL": "self.x = next(endless)"},
        "self.x = next(endless)",
        "uses next, which rules can't use",
    ),
}


@pytest.mark.slow_cases("an open file")
@pytest.mark.parametrize(("filled", "line", "said"), REFUSED.values(), ids=REFUSED)
def test_what_breaks_the_contract_is_refused_with_its_line(tmp_path, filled, line, said):
    file = written(tmp_path, **filled)
    with pytest.raises(RulesError) as refused:
        Run.of(str(file))
    assert said in str(refused.value)
    assert str(refused.value).startswith(line_of(file, line))


@pytest.mark.parametrize("call", ["simulate", "exact", "solve", "compare", "sweep", "convergence", "play"])
def test_every_call_refuses(tmp_path, call):
    file = str(written(tmp_path, NEXT="self.x += 1"))
    given = {
        "simulate": lambda: dicelab.simulate(file, games=10, seed=1),
        "exact": lambda: dicelab.exact(file),
        "solve": lambda: dicelab.solve(file),
        "compare": lambda: dicelab.compare(file, ["plain", "plain:3"], games=10, seed=1),
        "sweep": lambda: dicelab.sweep(file, over={"bonus": [1, 2]}, games=10, seed=1),
        "play": lambda: play(find_in_file(Path(file))(), ["plain"], 1),
        "convergence": lambda: dicelab.convergence(file, games=10, seed=1),
    }[call]
    with pytest.raises(RulesError, match="next changes x"):
        given()


def test_only_the_strategies_that_play_are_looked_at(tmp_path):
    file = written(tmp_path, TOP="")
    file.write_text(file.read_text() + "\n\n@strategy(Sample)\ndef other(game):\n    game.x = 2\n    return 0\n")
    game = find_in_file(file)
    Run.of(game, "plain")
    with pytest.raises(RulesError, match="the strategy other changes x"):
        Run.of(game, "other")


# Python that is not compiled, and is pure -----------------------------------------------------------------------------

PURE = {
    "lists and dictionaries of its own": {
        "ROLL": "seen = {}\nfor face in faces:\n    seen[face] = seen.get(face, 0) + 1\nself.x += max(seen.values())\n"
        "ordered = sorted(faces)\nordered.append(1)\nself.x += ordered[0]"
    },
    "comprehensions and generators": {
        "ROLL": "self.x += sum(f for f in faces if f > 2)\nself.x += len([f for f in faces])\nself.x += len({*faces})"
    },
    "a Counter": {"ROLL": "self.x += Counter(faces).most_common(1)[0][1]"},
    "math and itertools": {
        "ROLL": "self.x += math.comb(5, faces[0]) + len(list(itertools.combinations(faces, 2)))\n"
        "self.x += functools.reduce(operator.mul, faces) % 7 + Fraction(7, 2).numerator"
    },
    "a copy of a row": {"ROLL": "self.row[0] += 1\nbefore = self.row[:]\nself.row[0] += 5\nself.x += before[0]"},
    "a row sliced and changed": {"ROLL": "part = self.row[1:]\npart[0] = 99\nself.x += part[0] - self.row[1]"},
    "records and enums": {"ROLL": "self.x += ROWS[0].worth(2) + ROWS[1].pays + LIMITS.high + Move.GO.value"},
    "text": {"ROLL": "self.x += len(f'{faces[0]}' + 'abc')"},
    "helpers of any shape": {
        "TOP": "def most(game, rows, *more, key=None):\n    return max(rows) + sum(more)\n\n"
        "def pairs(n):\n    for i in range(n):\n        yield i, i + 1",
        "ROLL": "self.x += most(self, self.row, *faces)\nself.x += sum(b for a, b in pairs(3))",
    },
    "functions as values": {
        "ROLL": "self.x += max(faces, key=lambda f: -f) + sorted(faces, key=operator.neg)[0]\n"
        "double = lambda n: 2 * n\nself.x += double(3) + sum(map(double, faces))"
    },
    "a recursive helper": {
        "TOP": "def factorial(n):\n    return 1 if n <= 1 else n * factorial(n - 1)",
        "ROLL": "self.x += factorial(faces[0]) % 5",
    },
    "a cached helper": {
        "TOP": "@functools.lru_cache(None)\ndef slow(n):\n    return n * n",
        "ROLL": "self.x += slow(faces[1])",
    },
    "try and assert": {
        "ROLL": "try:\n    self.x += 1 // (faces[0] - 3)\nexcept ZeroDivisionError as error:\n    self.x += 2\nassert faces"
    },
    "a memory in a helper": {
        "TOP": "def remember(mine, n):\n    mine.line[0] = n\n    mine.in_a_row += 1",
        "STRATEGY": "remember(mine, points)\nif mine.in_a_row > 30:\n    return Move.STOP",
    },
    "a property and a static method": {
        "MEMBERS": "@property\ndef half(self):\n    return self.x // 2\n\n@staticmethod\ndef twice(n):\n    return 2 * n",
        "ROLL": "self.x += self.half % 3 + self.twice(faces[0])",
    },
    "sets and membership": {"ROLL": "self.x += 1 if faces[0] in BOUND else 0\nself.x += 1 if 3 in set(faces) else 0"},
    "tallies counted at the end": {
        "OUTCOME": "self.total += 100 if self.x > 20 else 10\nself.best = max(self.best, self.x)"
    },
    "nonlocal of its own": {
        "ROLL": "n = 0\ndef count(by):\n    nonlocal n\n    n += by\nfor face in faces:\n    count(face)\nself.x += n"
    },
    "a walrus, match and star": {
        "ROLL": "first, *others = faces\nif (n := first) > 3:\n    self.x += n\nmatch others:\n    case [a, b]:\n        self.x += a + b"
    },
    "words of any kind in because and refuse": {
        "MEMBERS": "def refuse(self):\n    return NAMES.get('b', '')",
        "BECAUSE": "return ', '.join(f'{k} {v}' for k, v in NAMES.items()) + sorted(NAMES)[0]",
    },
}


OUTSIDE = {
    "math and itertools",
    "records and enums",
    "text",
    "helpers of any shape",
    "a recursive helper",
    "try and assert",
    "nonlocal of its own",
}
"""What played in plain Python once, and is not in the language of rules."""


@pytest.mark.parametrize("name", [name for name in PURE if name in OUTSIDE])
def test_pure_python_outside_the_language_is_refused(tmp_path, name):
    with pytest.raises(RulesError, match=r"sample.py, line \d+"):
        Run.of(str(written(tmp_path, **PURE[name])), "plain")


@pytest.mark.parametrize("name", [name for name in PURE if name not in OUTSIDE])
def test_pure_python_plays_alike_in_every_engine(tmp_path, name):
    file = written(tmp_path, **PURE[name])
    run = Run.of(str(file), "plain")
    slow = Reference(run.game, run.calls).play(5, 0, 30)
    assert sum(slow.counts) == 30
    result = dicelab.simulate(str(file), "plain", games=30, seed=5)
    assert result.tallies["total"].mean == sum(v * n for v, n in slow.histogram(0).items()) / 30


def test_rules_whose_source_can_not_be_read_are_refused():
    space: dict[str, object] = {"__name__": "nowhere"}
    exec(
        "from dicelab.rules import *\nclass Coin(Game):\n    def next(self): return OVER\n",
        space,
    )
    with pytest.raises(RulesError, match="put the rules in a file"):
        Run.of(space["Coin"])


def test_names_defined_twice_and_dunders_are_refused(tmp_path):
    file = written(tmp_path, MEMBERS="def helper(self):\n    return 1\n\ndef helper(self):\n    return 2")
    with pytest.raises(RulesError, match=r"defines helper a second time, which hides line \d+"):
        Run.of(str(file))
    file = written(tmp_path, MEMBERS="def __init__(self, **given):\n    super().__init__(**given)")
    with pytest.raises(RulesError, match="Sample defines __init__; a game sets itself up in start"):
        Run.of(str(file))


SHAPES = {
    "weights that are fields": ("@thrown(1, Die(a=x, b=1))", "Die(a=", "a weight is a whole number or a parameter"),
    "a tuple of dice": ("@thrown(2, (D6, D6))", "@thrown(2, ...)", "several dice instead of a Die"),
    "a list of faces": ("@thrown(2, [1, 2, 3])", "@thrown(2, ...)", "instead of a Die"),
    "dice that are a text": ("@thrown('2', D6)", "@thrown('2', ...)", "the number of dice must be a whole number"),
    "a face that is a fraction": ("@thrown(1, Die.of(1, 2.5))", "Die.of(2.5)", "the value of a face"),
}


@pytest.mark.parametrize(("mark", "begins", "said"), SHAPES.values(), ids=SHAPES)
def test_dice_that_can_not_be_are_refused_in_a_sentence_with_the_line(tmp_path, mark, begins, said):
    file = written(tmp_path)
    file.write_text(file.read_text().replace("@thrown(3, D6, FACES)", mark).replace("import (", "import (Die,"))
    with pytest.raises(RulesError) as refused:
        Run.of(str(file))
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if mark in text)
    assert str(refused.value).startswith(f"{file}, line {line}: {begins}")
    assert said in str(refused.value)


def test_a_method_with_the_name_of_a_parameter_is_refused(tmp_path):
    file = written(
        tmp_path, MEMBERS="size = Param(3, 1, 9, 'how many')\nmore = Int(0, size)\n\ndef size(self):\n    return 1"
    )
    with pytest.raises(RulesError, match=r"more depends on a parameter \(how many\) that the class does not have"):
        Run.of(str(file))


def test_super_of_a_roll_is_what_the_parent_does(tmp_path):
    file = written(tmp_path)
    more = "\n\nclass Other(Sample):\n    name = 'other'\n\n    @thrown(3, D6, FACES)\n    def die(self, *faces):\n        super().die(*faces)\n"
    file.write_text(file.read_text() + more)
    results = [dicelab.simulate(f"{file}:{name}", games=50, seed=1, engine="reference") for name in ("sample", "other")]
    assert results[0].tallies == results[1].tallies


# Files that import, and files that change -----------------------------------------------------------------------------

HELPED = '''
from helper import PAYS, logged
from dicelab.rules import D6, OVER, Flag, Game, Tally, throw, thrown


class Helped(Game):
    """It needs a file beside it."""

    over = Flag()
    total = Tally("paid")

    def next(self):
        return OVER if self.over else throw(self.die)

    @thrown(1, D6)
    @logged
    def die(self, face):
        self.over = True
        self.total += PAYS[face - 1]
'''
HELPER = """
import functools

PAYS = (1, 2, 3, 4, 5, 6)


def logged(rule):
    @functools.wraps(rule)
    def inner(self, face):
        rule(self, face)
        self.total += 100

    return inner
"""


def helped(folder: Path, helper: str = HELPER) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "helper.py").write_text(helper)
    (folder / "helped.py").write_text(HELPED)
    return folder / "helped.py"


def test_a_decorator_of_an_imported_file_is_not_dropped(tmp_path):
    run = Run.of(str(helped(tmp_path)))
    slow = Reference(run.game, run.calls).play(1, 0, 40)
    assert min(slow.histogram(0)) > 100
    assert Compiled(run.game, run.calls).play(1, 0, 40) == slow


def test_a_helper_is_held_to_the_contract_too(tmp_path):
    file = helped(tmp_path, HELPER.replace("self.total += 100", "self.total += KEPT.pop()") + "\nKEPT = []\n")
    with pytest.raises(RulesError, match=r"helper.py, line 11, in (die|inner): .pop\(\) changes something"):
        Run.of(str(file))


def test_helpers_of_the_same_name_in_two_folders_are_not_mixed_up(tmp_path):
    one = helped(tmp_path / "one")
    other = helped(tmp_path / "other", HELPER.replace("(1, 2, 3, 4, 5, 6)", "(0, 0, 0, 0, 0, 0)"))
    means = [dicelab.exact(str(file)).tallies["total"].mean for file in (one, other, one)]
    assert means == [103.5, 100, 103.5]


def test_the_source_hash_covers_helpers(tmp_path):
    first = dicelab.exact(str(helped(tmp_path))).source_hash
    again = dicelab.exact(str(helped(tmp_path))).source_hash
    other = dicelab.exact(str(helped(tmp_path, HELPER + "\n"))).source_hash
    assert first == again != other


def test_a_file_that_is_edited_after_loading_is_played_as_it_was_loaded(tmp_path):
    file = helped(tmp_path)
    game = find_in_file(file)
    before = dicelab.exact(game).tallies["total"].mean
    helped(tmp_path, HELPER.replace("+= 100", "+= 200"))
    with pytest.warns(UserWarning, match=r"helper.py has been edited since it was loaded"):
        run = Run.of(game)
    slow = Reference(run.game, run.calls).play(1, 0, 40)
    assert max(slow.histogram(0)) < 110
    assert Compiled(run.game, run.calls).play(1, 0, 40) == slow
    assert dicelab.exact(str(file)).tallies["total"].mean == before + 100


def test_a_verdict_is_remembered_and_an_edit_makes_it_new(tmp_path, monkeypatch):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / "cache"))
    file = written(tmp_path)
    Run.of(str(file))
    assert len(list((tmp_path / "cache" / "lawful").iterdir())) == 2
    monkeypatch.setattr("dicelab.translation.contract._must_keep", None)  # nothing is read again
    Run.of(str(file))
    written(tmp_path, NEXT="self.x += 1")
    with pytest.raises(RulesError, match="'NoneType' object is not callable"):
        Run.of(str(file))


def test_every_game_found_keeps_to_the_contract():
    from support import GAMES

    for game in GAMES.values():
        must_be_lawful(game, game.declared.strategies.values())


def imported(file: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module as a notebook imports it, by its name."""
    monkeypatch.syspath_prepend(str(file.parent))
    monkeypatch.delitem(sys.modules, file.stem, raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return importlib.import_module(file.stem)


NOTEBOOK = '''
from dicelab.rules import D6, OVER, Flag, Game, Tally, throw, thrown


class Once(Game):
    """Thrown once."""

    over = Flag()
    total = Tally("points")

    def next(self):
        return OVER if self.over else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.over = True
        self.total += face + 10
'''


def test_a_module_that_was_edited_before_it_was_used_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "edited_before_use.py"
    file.write_text(NOTEBOOK)
    module = imported(file, monkeypatch)
    file.write_text(NOTEBOOK.replace("face + 10", "face + 20"))
    with pytest.raises(RulesError, match=r"has changed since it was imported.*reload the module"):
        Run.of(module.Once)


def test_a_module_that_is_edited_in_use_is_played_as_it_was_imported_by_every_engine(tmp_path, monkeypatch):
    file = tmp_path / "edited_in_use.py"
    file.write_text(NOTEBOOK)
    module = imported(file, monkeypatch)
    Run.of(module.Once)
    file.write_text(NOTEBOOK.replace("face + 10", "face + 20"))
    with pytest.warns(UserWarning, match="edited_in_use.py has been edited since it was loaded"):
        run = Run.of(module.Once)
    slow = Reference(run.game, run.calls).play(3, 0, 50)
    assert max(slow.histogram(0)) == 16
    assert Compiled(run.game, run.calls).play(3, 0, 50) == slow


@pytest.mark.slow
def test_a_copy_of_a_row_is_a_copy_in_every_answer(tmp_path):
    """``before = self.row[:]`` would be a view of the row where it is compiled as it stands."""
    file = written(
        tmp_path,
        ROLL="before = self.row[:]\nself.row[0] = 5\nself.x += before[0]\nself.row[0] = 0",
        STRATEGY="return Move.GO",
    )
    run = Run.of(str(file))
    played = Reference(run.game, run.calls).play(1, 0, 50)
    assert Compiled(run.game, run.calls).play(1, 0, 50) == played
    assert set(played.histogram(0)) == {4}
    assert dicelab.exact(str(file)).outcomes["low"].probability == 1
