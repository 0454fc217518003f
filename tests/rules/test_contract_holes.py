"""Ways around the contract that were found by trying, each of them refused; and natural games that must play."""

# ruff: noqa: E501 (rules are written as lines of text)

from __future__ import annotations

import pytest

import dicelab
from contract_files import written
from dicelab.errors import RulesError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.translation.contract import must_be_lawful
from dicelab.translation.rewrite.rewriter import Rewriter

CHANGES_ROW = "next changes row"


def indented(text: str) -> str:
    """Lines of the body of a function."""
    return "\n".join(f"    {line}" for line in text.splitlines())


HIDDEN = {
    # Parts of the game that are reached through containers and functions
    "a row in a dict by keyword": (
        {"NEXT": "d = dict(a=self.row)\nd['a'][0] = 1"},
        "uses dict(a=self.row), which rules can't use",
    ),
    "a row in a tuple": (
        {"NEXT": "(self.row, 1)[0][0] = 1"},
        "(self.row, 1)[0][0] changes something that outlives the game",
    ),
    "a row from zip": ({"NEXT": "for a, b in zip([self.row], [1]):\n    a[0] = b"}, "uses row, a row, as a whole"),
    "a row from enumerate": (
        {"NEXT": "for i, a in enumerate([self.row]):\n    a[i] = 1"},
        "uses row, a row, as a whole",
    ),
    "a row from next": (
        {"NEXT": "next(iter([self.row]))[0] = 1"},
        "next(iter([self.row]))[0] changes something that outlives",
    ),
    "a row from reversed": ({"NEXT": "for a in reversed([self.row]):\n    a[0] = 1"}, "uses row, a row, as a whole"),
    "a row as max": ({"NEXT": "max(self.row, [9])[0] = 1"}, "uses max(self.row, [9]), which rules can't use"),
    "a row as default of max": (
        {"NEXT": "max([], default=self.row)[0] = 1"},
        "this changes something that outlives the game",
    ),
    "a row as start of sum": (
        {"NEXT": "sum([], start=self.row)[0] = 1"},
        "this changes something that outlives the game",
    ),
    "a row from repeat": (
        {"NEXT": "next(itertools.repeat(self.row))[0] = 1"},
        "next(itertools.repeat(self.row))[0] changes something that",
    ),
    "a row from accumulate": (
        {"NEXT": "next(itertools.accumulate([1], max, initial=self.row))[0] = 1"},
        "this changes something that outlives the game",
    ),
    "a row from zip_longest": (
        {"NEXT": "list(itertools.zip_longest([], [1], fillvalue=self.row))[0][0][0] = 1"},
        "list(itertools.zip_longest([], [1],",
    ),
    "a row from fromkeys": (
        {"NEXT": "dict.fromkeys([0], self.row)[0][0] = 1"},
        "dict.fromkeys([0], self.row)[0][0] changes something that",
    ),
    "a row from map": (
        {"NEXT": "list(map(lambda i: self.row, [1]))[0][0] = 1"},
        "this changes something that outlives the game",
    ),
    "a row from reduce": (
        {"NEXT": "functools.reduce(lambda a, b: self.row, [1, 2])[0] = 1"},
        "this changes something that outlives the game",
    ),
    "a row from a reduction of itself": (
        {"NEXT": "def f(a, b):\n    a[0] = 1\n    return a\nfunctools.reduce(f, [1, 2], self.row)"},
        "for a row, or sorted numbers, and for something else",
    ),
    "a row in a defaultdict": (
        {"TOP": "from collections import defaultdict", "NEXT": "defaultdict(lambda: self.row)[0][0] = 1"},
        "defaultdict(lambda: self.row)[0][0] changes something that",
    ),
    "a row as get's default": (
        {"NEXT": "{}.get(0, [self.row])[0][0] = 1"},
        "{}.get(0, [self.row])[0][0] changes something that outlives",
    ),
    "a row as a lambda's default": (
        {"NEXT": "f = lambda r=self.row: r\nf()[0] = 1"},
        "this changes something that outlives the game",
    ),
    "a row as a function's default": ({"NEXT": "def f(r=self.row):\n    r[0] = 1\nf()"}, CHANGES_ROW),
    "a row by a closure": ({"NEXT": "rows = self.row\ndef f(n):\n    rows[0] = n\nf(1)"}, CHANGES_ROW),
    "a row by a keyword": (
        {"TOP": "def f(a, *, b):\n    b[0] = a", "NEXT": "f(1, b=self.row)"},
        "uses keyword-only arguments",
    ),
    "a row by stars": (
        {"TOP": "def f(a, b):\n    b[0] = a", "NEXT": "f(*(1, self.row))"},
        "uses f() with other arguments than it takes: missing a",
    ),
    "a row by two stars": ({"TOP": "def f(a, b):\n    b[0] = a", "NEXT": "f(1, **{'b': self.row})"}, "uses *"),
    "a row by a ternary": ({"NEXT": "(self.row if self.x else [1])[0] = 1"}, "uses an item of a list without a name"),
    "a row by or": ({"NEXT": "([] or self.row)[0] = 1"}, "uses an item of a list without a name"),
    "a row by a walrus": (
        {"NEXT": "if (r := self.row):\n    r[0] = 1"},
        "uses an assignment inside an expression, of something other",
    ),
    "a row by a walrus in a comprehension": (
        {"NEXT": "[r := self.row for _ in [1]]\nr[0] = 1"},
        "uses a comprehension that sets a variable for what is",
    ),
    "a row by match": (
        {"NEXT": "match [self.row, 2]:\n    case [r, 2]:\n        r[0] = 1"},
        "uses [self.row, 2], a list of something other than whole",
    ),
    "a row by match as": (
        {"NEXT": "match {'a': self.row}:\n    case {'a': r}:\n        r[0] = 1"},
        "uses {'a': self.row}, a dict of something other than whole",
    ),
    "a row by a function in a list": (
        {"NEXT": "def f(row):\n    row[0] = 1\nlist(map(list([f])[0], [self.row]))"},
        "uses row, a row, as a whole",
    ),
    "a row by a function in a dict": (
        {"NEXT": "def f(row):\n    row[0] = 1\n{'f': f}['f'](self.row)"},
        "uses a call of something other than a function's name",
    ),
    "a function put into a list": (
        {"NEXT": "def f(row):\n    row[0] = 1\nfs = []\nfs.append(f)\nlist(map(fs[0], [self.row]))"},
        "uses row, a row, as a whole",
    ),
    "a function put into a dict": (
        {"NEXT": "def f(row):\n    row[0] = 1\nfs = {}\nfs[0] = f\nlist(map(fs[0], [self.row]))"},
        "uses row, a row, as a whole",
    ),
    "a row by a function that is a default": (
        {"TOP": "def f(r):\n    r[0] = 1\n\ndef g(r, by=f):\n    by(r)", "NEXT": "g(self.row)"},
        "uses a default argument, a function, which can't be compiled",
    ),
    "a row by a function that a helper returns": (
        {
            "TOP": "def maker():\n    def put(row, n):\n        row[0] = n\n    return put",
            "NEXT": "put = maker()\nput(self.row, 1)",
        },
        "uses a call of something other than a function's name",
    ),
    "a row by a lambda that is handed down": (
        {"TOP": "def apply(f, n):\n    f(n)[0] = n", "NEXT": "apply(lambda n: self.row, 1)"},
        "f(n)[0] changes something that outlives the game",
    ),
    "a row by a lambda whose variable is set later": (
        {
            "TOP": "def apply(f):\n    f()[0] = 1",
            "NEXT": "rows = [0]\nf = lambda: rows\nfor i in (1, 2):\n    apply(f)\n    rows = self.row",
        },
        "f()[0] changes something that outlives the game",
    ),
    "a row by an exception": (
        {"NEXT": "try:\n    raise ValueError(self.row)\nexcept ValueError as e:\n    e.args[0][0] = 1"},
        "uses try",
    ),
    "a row by a generator": (
        {"TOP": "def rows(game):\n    yield game.row", "NEXT": "for r in rows(self):\n    r[0] = 1"},
        "uses rows(self), a list of something other than whole",
    ),
    "a row by yield from": (
        {
            "TOP": "def a(game):\n    yield 1\n    return game.row\n\ndef b(game):\n    r = yield from a(game)\n    r[0] = 1",
            "NEXT": "list(b(self))",
        },
        "",
    ),
    "a row by a heap": (
        {"TOP": "import heapq", "NEXT": "heapq.heapify(self.row)"},
        "uses heapq.heapify, which rules can't use",
    ),
    "a row by insort": (
        {"TOP": "import bisect", "NEXT": "bisect.insort(self.row, 1)"},
        "uses bisect.insort, which rules can't use",
    ),
    "a row by list.reverse": (
        {"NEXT": "list.reverse(self.row)"},
        ".reverse() changes something that outlives the game",
    ),
    "a row by a method as a value": (
        {"NEXT": "xs = []\nlist(map(xs.append, [self.row]))\nxs[0][0] = 1"},
        "which returns nothing, as a value",
    ),
    "a row by a memory of the file": (
        {"TOP": "@functools.cache\ndef kept():\n    return [0]", "ROLL": "for n in [1]:\n    kept().append(n)"},
        "kept is cached, and returns something that may change",
    ),
    "the order of definitions": (
        {"NEXT": "f = lambda g: g\nf(self).x = 1"},
        "this: something other than the game is set",
    ),
    # Records and enums
    "a record that changes what it is given": (
        {
            "TOP": "@dataclass(frozen=True)\nclass Rec:\n    n: int\n    def put(self, row):\n        row[0] = self.n\nREC = Rec(1)",
            "NEXT": "REC.put(self.row)",
        },
        "uses .put(), which rules can't use",
    ),
    "a record that reads a tally": (
        {
            "TOP": "@dataclass(frozen=True)\nclass Rec:\n    n: int\n    def look(self, game):\n        return game.total\nREC = Rec(1)",
            "ROLL": "self.x = REC.look(self)",
        },
        "uses .look(), which rules can't use",
    ),
    "a record that holds a row": (
        {
            "TOP": "@dataclass(frozen=True)\nclass Rec:\n    r: object\n    def put(self):\n        self.r[0] = 1",
            "NEXT": "Rec(self.row).put()",
        },
        "uses .put(), which rules can't use",
    ),
    "a record's operator": (
        {
            "TOP": "@dataclass(frozen=True)\nclass Rec:\n    n: int\n    def __add__(self, row):\n        row[0] = 1\nREC = Rec(1)",
            "NEXT": "REC + self.row",
        },
        "uses REC, a value of a dataclass",
    ),
    "a record's method in map": (
        {
            "TOP": "@dataclass(frozen=True)\nclass Rec:\n    n: int\n    def put(self, row):\n        row[0] = 1\nREC = Rec(1)",
            "NEXT": "list(map(REC.put, [self.row]))",
        },
        "uses row, a row, as a whole",
    ),
    "a function in a record": (
        {
            "TOP": "@dataclass(frozen=True)\nclass Rec:\n    f: object\ndef put(row):\n    row[0] = 1\nREC = Rec(put)",
            "NEXT": "REC.f(self.row)",
        },
        "uses .f(), which rules can't use",
    ),
    "a list that a record's class has": (
        {
            "TOP": "@dataclass(frozen=True)\nclass Rec:\n    n: int\n    KEPT = []\nREC = Rec(1)",
            "ROLL": "REC.KEPT.append(1)\nself.x = len(REC.KEPT)",
        },
        ".append() changes something that outlives the game",
    ),
    "a list that an enum's class has": (
        {"TOP": "from enum import Enum\nclass E(Enum):\n    A = [1]", "ROLL": "E.A.value.append(1)"},
        ".append() changes something that outlives the game",
    ),
    "a list that a member has": (
        {
            "TOP": "class E(IntEnum):\n    A = 1\n    def __init__(self, n):\n        self.kept = []",
            "ROLL": "E.A.kept.append(1)",
        },
        ".append() changes something that outlives the game",
    ),
    "a cached property of a record": (
        {
            "TOP": "@dataclass(frozen=True)\nclass Rec:\n    n: int\n    @functools.cached_property\n    def luck(self):\n        return random.random()\nREC = Rec(1)",
            "ROLL": "self.x = int(REC.luck * 9)",
        },
        "uses .luck, which rules can't use",
    ),
    "a descriptor of a record": (
        {
            "TOP": "class Wild:\n    def __get__(self, a, b):\n        return random.randint(1, 6)\n@dataclass(frozen=True)\nclass Rec:\n    n: int\n    w = Wild()\nREC = Rec(1)",
            "ROLL": "self.x = REC.w",
        },
        "uses .w, which rules can't use",
    ),
    "a class that map calls": (
        {"TOP": "class Box:\n    def __init__(self, n):\n        KEPT.append(n)", "ROLL": "list(map(Box, [1]))"},
        "uses Box, which rules can't use",
    ),
    "a record that is made by chance": (
        {
            "TOP": "class Rec(NamedTuple('Base', [('n', int)])):\n    def __new__(cls):\n        return super().__new__(cls, random.randint(1, 6))",
            "ROLL": "self.x = Rec().n",
        },
        "uses n, a NoneType, which can't be compiled",
    ),
    "an instance that keeps a row": (
        {"TOP": "class Box:\n    def __init__(self, r):\n        self.r = r", "NEXT": "Box(self.row).r[0] = 1"},
        "Box(self.row).r[0] changes something that outlives the game",
    ),
    "an instance that is given a row": (
        {"TOP": "class Box:\n    n = 0", "NEXT": "b = Box()\nb.r = self.row\nb.r[0] = 1"},
        "uses Box, which rules can't use",
    ),
    "an instance that changes a row": (
        {
            "TOP": "class Box:\n    def __init__(self, n):\n        self.n = n\n    def put(self, row):\n        row[0] = self.n",
            "NEXT": "Box(3).put(self.row)",
        },
        "uses .put(), which rules can't use",
    ),
    "an instance that is kept": (
        {
            "TOP": "class Box:\n    def __init__(self):\n        self.n = 0\n    def up(self):\n        self.n += 1\n        return self.n\n@functools.cache\ndef box():\n    return Box()",
            "ROLL": "self.x = box().up()",
        },
        "uses .up(), which rules can't use",
    ),
    "a class that counts": (
        {
            "TOP": "class Box:\n    made = 0\n    def __init__(self):\n        Box.made += 1\n        self.n = Box.made",
            "ROLL": "self.x = Box().n",
        },
        "uses .n, which rules can't use",
    ),
    "a class that counts by a class method": (
        {
            "TOP": "class Box:\n    made = 0\n    @classmethod\n    def more(cls):\n        cls.made += 1\n        return cls.made",
            "ROLL": "self.x = Box.more()",
        },
        "uses .more(), which rules can't use",
    ),
    "a class with a list": (
        {"TOP": "class Box:\n    kept = []", "ROLL": "self.x = len(Box().kept)"},
        "uses .kept, which rules can't use",
    ),
    "a list in a namespace": (
        {"TOP": "class Box:\n    kept = []", "ROLL": "Box.kept.append(1)"},
        ".append() changes something that outlives the game",
    ),
    "an instance as text": (
        {"TOP": "class Box:\n    n = 0", "ROLL": "self.x = len(str(Box()))"},
        "differs from run to run",
    ),
    "the order of a set of instances": (
        {
            "TOP": "class Box:\n    def __init__(self, n):\n        self.n = n",
            "ROLL": "self.x = [b.n for b in {Box(1), Box(2)}][0]",
        },
        "a set, whose order isn't fixed",
    ),
    "a member of an enum that is changed": ({"ROLL": "Move.GO.hits = 1"}, "something other than the game is set"),
    "a metaclass": (
        {
            "TOP": "class Meta(type):\n    def __getattr__(cls, name):\n        return random.randint(1, 6)\nclass Box(metaclass=Meta):\n    pass",
            "ROLL": "self.x = Box.luck",
        },
        "uses .luck, which rules can't use",
    ),
    # The game by other ways
    "a tally read by match": (
        {"TOP": "", "ROLL": "match self:\n    case Sample(total=t):\n        self.x = t"},
        "uses self as a whole",
    ),
    "a tally read by a format": (
        {"ROLL": "self.x = int('{0.total}'.format(self))"},
        "uses .format(), which rules can't use",
    ),
    "a tally read by a width": ({"ROLL": "self.x = len(f'{1:{self.total}}')"}, "uses text"),
    "the game as text by %": ({"ROLL": "self.x = len('%s' % self)"}, "uses '%s', a text, where a number is needed"),
    "a tally by attrgetter": (
        {"ROLL": "operator.attrgetter('total')(self)"},
        "uses a call of something other than a function's name",
    ),
    "a tally by __getattribute__": ({"ROLL": "self.__getattribute__('total')"}, "__getattribute__"),
    "vars": ({"ROLL": "vars(self)['x'] = 1"}, "vars"),
    "getattr": ({"ROLL": "self.x = getattr(self, 'total')"}, "getattr"),
    "type": ({"ROLL": "type(self).N = 1"}, "type(self).N: something other than the game is set"),
    "__class__": ({"ROLL": "__class__.N = 1"}, "something other than the game is set"),
    "a method that reads a tally": (
        {"MEMBERS": "def look(self):\n    return self.total", "ROLL": "self.x = self.look()"},
        "the tally total is read",
    ),
    "a cached method of the game": (
        {"MEMBERS": "@functools.lru_cache\ndef look(self):\n    return self.x", "ROLL": "self.x = self.look()"},
        "uses self.look(), which is no plain method",
    ),
    "a cached property of the game": (
        {"MEMBERS": "@functools.cached_property\ndef look(self):\n    return self.x", "ROLL": "self.x += self.look"},
        "uses self.look, a cached_property, which can't be compiled",
    ),
    "the statistics of a cache": (
        {
            "TOP": "@functools.cache\ndef kept(n):\n    return n",
            "ROLL": "self.x = next(iter(kept.cache_info, 0))[1]",
        },
        "uses next, which rules can't use",
    ),
    "nonlocal two functions deep": (
        {
            "TOP": "def logged(rule):\n    n = 0\n    @functools.wraps(rule)\n    def inner(self, *faces):\n        def bump():\n            nonlocal n\n            n += 1\n            return n\n        self.x = bump()\n        rule(self, *faces)\n    return inner",
            "MEMBERS": "@thrown(3, D6, FACES)\n@logged\ndef other(self, *faces):\n    pass",
        },
        "nonlocal n changes what outlives",
    ),
    "a global that something else changes": (
        {
            "TOP": "N = 0",
            "MEMBERS": "def view(self):\n    global N\n    N += 1\n    return ''",
            "ROLL": "self.x = N",
        },
        "N is changed by `global N` in line",
    ),
    "a chance drawn when the file is read": (
        {"TOP": "LUCK = random.randint(1, 6)", "ROLL": "self.x = LUCK"},
        "LUCK is made by random",
    ),
    "a chance drawn for a class": (
        {"MEMBERS": "luck = random.randint(1, 6)", "ROLL": "self.x = self.luck"},
        "self.luck is made by random",
    ),
    "a hash": ({"ROLL": "self.x = hash('a') % 5"}, "hash"),
    "an id": ({"ROLL": "self.x = id(self) % 5"}, "id"),
    "the order of a set of texts": (
        {"ROLL": "self.x = len(list({'a', 'bbb', 'cc'})[0])"},
        "a set, whose order isn't fixed",
    ),
    "the order of a set of letters": (
        {"ROLL": "for c in set('abc'):\n    self.x = ord(c)"},
        "a set, whose order isn't fixed",
    ),
    "the order of a frozenset of texts": (
        {"TOP": "WORDS = frozenset(['a', 'bb'])", "ROLL": "self.x = max(len(w) * i for i, w in enumerate(WORDS))"},
        "a set, whose order isn't fixed",
    ),
    "an element of a set of texts": ({"ROLL": "self.x = len({'a', 'bbb'}.pop())"}, "uses len of texts"),
    "the address of a function": (
        {"ROLL": "self.x = len(repr(lambda: 1))"},
        "repr differs from run to run, or makes a text",
    ),
    "decimal numbers": (
        {"TOP": "from decimal import Decimal\nD = Decimal(1)", "ROLL": "self.x = int(D / 3 * 9)"},
        "uses /, which leaves the whole numbers",
    ),
    "a method of the class that it shadows": (
        {
            "TOP": "def my_max(*a):\n    KEPT.append(1)\n    return len(KEPT)\nmax = my_max",
            "ROLL": "self.x = max(1, 2)",
        },
        "changes something that outlives the game",
    ),
    "a builtin that was replaced": (
        {
            "TOP": "import builtins\ndef oct(n):\n    KEPT.append(n)\n    return 1\nbuiltins.oct = oct\ndel oct",
            "ROLL": "self.x = oct(1)",
        },
        "changes something that outlives the game",
    ),
    "builtins of one's own": (
        {"TOP": "__builtins__ = dict(vars(__import__('builtins')), oct=lambda n: 1)", "ROLL": "self.x = oct(1)"},
        "__builtins__",
    ),
    "a module that is changed": ({"ROLL": "math.pi = 3"}, "something other than the game is set"),
    "sys by another module": (
        {"ROLL": "self.x = enum.bltns.id(1)", "TOP": "import enum"},
        "uses .id(), which rules can't use",
    ),
    # Classes that change how Python treats games
    "a descriptor": (
        {
            "TOP": "class Wild:\n    def __get__(self, a, b):\n        return random.randint(1, 6)",
            "MEMBERS": "wild = Wild()",
            "ROLL": "self.x = self.wild",
        },
        "Wild",
    ),
    "a field of one's own": (
        {
            "TOP": "class Wild(Int):\n    def __get__(self, a, b):\n        return random.randint(1, 6)\n    def __set__(self, a, b):\n        pass",
            "MEMBERS": "wild = Wild(0, 6)",
            "ROLL": "self.x = self.wild",
        },
        "wild is a Wild",
    ),
    "a parameter of one's own": (
        {
            "TOP": "class Wild(Param):\n    def seen(self, value):\n        return random.randint(1, 6)",
            "MEMBERS": "wild = Wild(0, 0, 6, 'x')",
            "ROLL": "self.x = self.wild",
        },
        "wild is a Wild",
    ),
    "__getattr__": ({"MEMBERS": "def __getattr__(self, name):\n    return 3"}, "defines __getattr__"),
    "__eq__ that is no function": ({"MEMBERS": "__eq__ = functools.partial(max)"}, "defines __eq__"),
    "__init_subclass__": (
        {"MEMBERS": "def __init_subclass__(cls, **given):\n    super().__init_subclass__(**given)"},
        "defines __init_subclass__",
    ),
    "a memory that sets itself up": (
        {
            "TOP": "class Other(Memory):\n    n = Int(0, 9)\n    def __init__(self, game):\n        super().__init__(game)\n        self.n = random.randint(1, 6)\nLosses = Other",
        },
        "",
    ),
    # Rules that are no plain functions
    "async": (
        {
            "MEMBERS": "@thrown(1, D6)\nasync def other(self, face):\n    self.x += 1",
        },
        "async",
    ),
    "a rule with yield": (
        {
            "MEMBERS": "@thrown(1, D6)\ndef other(self, face):\n    self.x += 1\n    yield",
        },
        "yield",
    ),
    "refuse that changes a global": (
        {"TOP": "N = 1", "MEMBERS": "def refuse(self):\n    globals()['N'] += 1\n    return ''", "ROLL": "self.x = N"},
        "globals",
    ),
    "refuse that changes a list": (
        {"MEMBERS": "def refuse(self):\n    KEPT.append(1)\n    return ''"},
        "outlives",
    ),
    # Rows of rows that functions of the library return
    **{
        f"a row of rows by {name}": (
            {
                "TOP": "from collections import deque\nfrom dicelab.rules import Grid",
                "MEMBERS": "board = Grid(2, 2, 0, 6, 'b')",
                "NEXT": text,
            },
            ", in next: ",
        )
        for name, text in {
            "enumerate": "for i, line in enumerate(self.board):\n    line[i] = 1",
            "zip": "for line, n in zip(self.board, (1, 2)):\n    line[0] = n",
            "reversed": "for line in reversed(self.board):\n    line[0] = 1",
            "list": "lines = list(self.board)\nlines[0][0] = 1",
            "tuple": "tuple(self.board)[0][0] = 1",
            "deque": "deque(self.board)[0][0] = 1",
            "filter": "for line in filter(None, self.board):\n    line[0] = 1",
            "next": "next(iter(self.board))[0] = 1",
            "min": "min(self.board, key=len)[0] = 1",
            "a dict": "dict(enumerate(self.board))[0][0] = 1",
            "chain": "for line in itertools.chain(self.board):\n    line[0] = 1",
            "product": "for one, two in itertools.product(self.board, self.board):\n    one[0] = 1",
        }.items()
    },
    # Cached values that change when they are read
    **{
        f"a cached {name}": (
            {
                "TOP": f"from collections import defaultdict\n@functools.cache\ndef kept(n):\n{indented(text)}",
                "ROLL": "self.x += len(list(kept(1)))",
            },
            "sample.py",
        )
        for name, text in {
            "generator": "return (i for i in range(n))",
            "generator of a helper": "def steps():\n    yield n\nreturn steps()",
            "chain": "return itertools.chain((1, 2), (n,))",
            "map": "return map(abs, (n, 2))",
            "zip in a tuple": "return (n, zip((1, 2), (3, 4)))",
            "iterator in a list": "kept = []\nkept.append(iter((1, n)))\nreturn kept",
            "iterator in a dict": "kept = {}\nkept[n] = enumerate((1, 2))\nreturn kept",
            "iterator in a list that grows": "kept = [n]\nkept += [reversed((1, 2))]\nreturn kept",
            "tuple of groups": "return tuple(itertools.groupby((1, 2)))",
            "defaultdict": "return defaultdict(int)",
            "copy of a defaultdict": "kept = defaultdict(list)\nreturn kept.copy()",
            "union with a defaultdict": "return defaultdict(int) | {1: n}",
        }.items()
    },
    # What functions know of themselves
    **{
        f"the {method} of a function": (
            {"TOP": "@functools.cache\ndef kept(*n):\n    return 1", "ROLL": f"kept(faces[0])\nself.x += {called}"},
            ", in die: ",
        )
        for method, called in {
            "cache_info": "kept.cache_info().hits",
            "__hash__": "kept.__hash__() % 5",
            "__setattr__": "kept.__setattr__('n', 1)",
        }.items()
    },
    "the hash of a builtin": ({"ROLL": "self.x += len.__hash__() % 5"}, ".__hash__ reaches around what is declared"),
    "the hash of a lambda": (
        {"ROLL": "self.x += (lambda *a: 1).__hash__() % 5"},
        ".__hash__ reaches around what is declared",
    ),
    "the hash of a method": (
        {"ROLL": "self.x += self.next.__hash__() % 5"},
        ".__hash__ reaches around what is declared",
    ),
    # The order of sets of texts
    **{
        f"a set of texts {name}": (
            {"TOP": "WORDS = frozenset(('a', 'bb', 'ccc'))", "ROLL": text},
            ", in die: ",
        )
        for name, text in {
            "sorted by a key": "self.x += len(sorted(WORDS, key=lambda word: 0)[0])",
            "of sets, sorted": "self.x += len(sorted({frozenset('ab'), frozenset('c')})[0])",
            "added to a list": "words = []\nwords += WORDS\nself.x += len(words[0])",
            "put into a list": "words = []\nwords[:] = WORDS\nself.x += len(words[0])",
            "in a list in a text": "self.x += len(f'{[WORDS]}'[3])",
        }.items()
    },
    # Constants that numpy makes by chance
    **{
        f"a constant by {name}": ({"TOP": f"{imported}\nKEPT = {made}", "ROLL": "self.x += KEPT"}, "in each run")
        for name, imported, made in (
            ("numpy.random", "import numpy", "int(numpy.random.default_rng().integers(9))"),
            ("a generator of numpy", "from numpy.random import default_rng", "int(default_rng().integers(9))"),
            ("a module of numpy", "import numpy.random as chance", "int(chance.randint(9))"),
        )
    },
    "a set with an ellipsis": (
        {"ROLL": "self.x += int(list({..., 1, 2})[0] == 1)"},
        "uses {..., 1, 2}, a set, whose order isn't fixed",
    ),
}


@pytest.mark.slow_cases(
    "a class that map calls", "a metaclass", "a row from reversed", "a row of rows by enumerate", "an instance as text"
)
@pytest.mark.parametrize(("filled", "said"), HIDDEN.values(), ids=HIDDEN)
def test_ways_around_the_contract_are_refused(tmp_path, filled, said):
    file = written(tmp_path, **filled)
    if "matched" in said or "Losses" in filled.get("TOP", ""):
        text = file.read_text()
        file.write_text(text.replace("memory=Losses", "memory=Other") if "Losses" in filled["TOP"] else text)
    game = find_in_file(file)
    with pytest.raises(RulesError) as refused:
        must_be_lawful(game, game.declared.strategies.values())
    assert said in str(refused.value)


# Natural Python that must play ---------------------------------------------------------------------------------------

NATURAL = {
    "a table that can't change": (
        {
            "TOP": "from types import MappingProxyType\nPAY = MappingProxyType({1: 5, 2: 3})",
            "ROLL": "self.x += PAY.get(faces[0], 0)",
        }
    ),
    "a table of functions": {
        "TOP": "def one(game, n):\n    game.x += n\n\ndef two(game, n):\n    game.x += 2 * n\n\nDO = (one, two)",
        "ROLL": "DO[faces[0] % 2](self, 1)\n{0: self.up, 1: self.up}[faces[0] % 2](2)",
        "MEMBERS": "def up(self, by):\n    self.x += by",
    },
    "a record that works on the game": {
        "TOP": "@dataclass(frozen=True)\nclass Square:\n    name: str\n    pays: int\n    def land(self, game, *, twice=False):\n        game.x += self.pays * (2 if twice else 1)\n        game.total += 1\nSQUARES = (Square('a', 2), Square('b', 3))",
        "ROLL": "SQUARES[faces[0] % 2].land(self, twice=True)\nmax(SQUARES, key=lambda s: s.pays).land(self)",
    },
    "a record of functions": {
        "TOP": "@dataclass(frozen=True)\nclass Kind:\n    fits: object\n    pays: int\nKINDS = (Kind(lambda f: f[0] == f[1],  2), Kind(any, 1))",
        "ROLL": "for kind in KINDS:\n    if kind.fits(faces):\n        self.x += kind.pays",
    },
    "an enum with values and methods": {
        "TOP": "from enum import Enum\nclass Kind(Enum):\n    PAIR = (2, 10)\n    TRIPLE = (3, 30)\n    def __init__(self, size, points):\n        self.size = size\n        self.points = points\n    def fits(self, faces):\n        return any(faces.count(f) >= self.size for f in faces)\n    @property\n    def double(self):\n        return 2 * self.points\n    @classmethod\n    def of(cls, faces):\n        return [k for k in cls if k.fits(faces)]",
        "ROLL": "self.x += sum(k.double for k in Kind.of(faces)) + Kind.PAIR.points",
    },
    "a class of one's own": {
        "TOP": "class Hand:\n    most = 6\n    def __init__(self, faces):\n        self.faces = sorted(faces)\n        self.seen = 0\n    def pairs(self):\n        self.seen += 1\n        return sum(a == b for a, b in zip(self.faces, self.faces[1:]))\n    @property\n    def top(self):\n        return self.faces[-1]\n    @staticmethod\n    def none():\n        return Hand([0])",
        "ROLL": "hand = Hand(faces)\nself.x += hand.pairs() + hand.top + hand.seen + Hand.most + hand.none().pairs()",
    },
    "a dataclass that changes": {
        "TOP": "from dataclasses import field\n@dataclass\nclass Best:\n    n: int = 0\n    all: list = field(default_factory=list)\n    def see(self, face):\n        self.n = max(self.n, face)\n        self.all.append(face)",
        "ROLL": "best = Best()\nfor face in faces:\n    best.see(face)\nself.x += best.n + len(best.all)",
    },
    "a class for names alone": {
        "TOP": "class Rules:\n    BONUS = (1, 2, 3)\n    @staticmethod\n    def bonus(n):\n        return Rules.BONUS[n % 3]",
        "ROLL": "self.x += Rules.bonus(faces[0])",
    },
    "ordered records": {
        "TOP": "@functools.total_ordering\n@dataclass(frozen=True)\nclass Hand:\n    faces: tuple\n    @classmethod\n    def of(cls, faces):\n        return cls(tuple(sorted(faces)))\n    @functools.cached_property\n    def total(self):\n        return sum(self.faces)\n    def __lt__(self, other):\n        return self.total < other.total\nclass At(NamedTuple):\n    x: int = 0\n    def moved(self, by):\n        return self._replace(x=self.x + by)",
        "ROLL": "best = max(Hand.of(faces[:2]), Hand.of(faces[1:]))\nself.x += best.total + At().moved(3).x",
    },
    "an exception of one's own": {
        "TOP": "class Bust(Exception):\n    'It is over.'",
        "ROLL": "try:\n    if faces[0] == 1:\n        raise Bust('one')\n    self.x += 1\nexcept Bust:\n    self.x += 2",
    },
    "decorators with arguments": {
        "TOP": "def scaled(by):\n    def wrap(rule):\n        @functools.wraps(rule)\n        def inner(self, *args, **more):\n            self.total += 1\n            return rule(self, *[by * a for a in args], **more)\n        return inner\n    return wrap",
        "MEMBERS": "@scaled(2)\ndef add(self, n, *, also=0):\n    self.x += n + also",
        "ROLL": "self.add(faces[0], also=1)",
    },
    "functions inside, and handed down": {
        "TOP": "def best(row, worth, *, more=0):\n    return max(row, key=lambda n: worth(n) + more)",
        "ROLL": "def tried(left):\n    return max((f + tried([g for g in left if g != f]) for f in left), default=0)\nself.x += tried(list(faces)) + best(self.row, lambda n: -n, more=2)\nadd = lambda n, by=faces[0]: n + by\nself.x += add(1)",
    },
    "letters and words": {
        "MEMBERS": "SIDES = 'AEIOUX'",
        "ROLL": "word = ''.join(self.SIDES[f - 1] for f in faces)\nself.x += len(set(word)) + word.count('A') + sum(c in 'AEIOU' for c in word)\nfor c in sorted(set(word)):\n    self.x += ord(c) % 2\nif word in {'AEI', 'XXX'}:\n    self.x += 5",
    },
    "sets of numbers": {
        "ROLL": "for n in set(faces) | {1, 2}:\n    self.x += n\nself.x += sum({f % 2 for f in faces})"
    },
    "groups, grids and stacks": {
        "ROLL": "runs = [len(list(g)) for k, g in itertools.groupby(sorted(faces))]\ngrid = [[0] * 3 for _ in range(3)]\nfor i, f in enumerate(faces):\n    grid[i][f % 3] += 1\nstack = [*faces]\nwhile stack:\n    top = stack.pop()\n    if top > 3:\n        stack.append(top - 3)\n        self.x += 1\nby = {}\nfor f in faces:\n    by.setdefault(f, []).append(f)\nself.x += max(runs) + sum(a * b for a, b, c in zip(*grid)) + max(map(len, by.values()))"
    },
    "a memory with methods": {
        "TOP": "class Other(Memory):\n    n = Int(0, 1000)\n    def note(self, by):\n        self.n = min(1000, self.n + by)\n    @property\n    def bad(self):\n        return self.n > 3\nLosses2 = Other",
        "STRATEGY": "if mine.in_a_row > 3:\n    return Move.STOP\nscores = {Move.STOP: game.x, Move.GO: 5}\nreturn max(scores, key=scores.get)",
    },
    "a game with a text of its own": {"MEMBERS": "def __str__(self):\n    return f'x = {self.x}'"},
    "a class method of the game": {
        "MEMBERS": "STEP = 3\n@classmethod\ndef step(cls, n):\n    return cls.STEP * n",
        "ROLL": "self.x += self.step(faces[0])",
    },
    "iterators, and cached results that don't change": {
        "TOP": "from collections import Counter, defaultdict\nfrom dicelab.rules import Grid\n@functools.cache\ndef pairs(n):\n    found = defaultdict(list)\n    for a, b in itertools.product(range(1, n + 1), repeat=2):\n        found[a + b].append((a, b))\n    del found[2]\n    return {k: tuple(v) for k, v in found.items()}\n@functools.cache\ndef first(n):\n    return next((i for i in range(n) if i * i > n), 0) + sum(map(abs, range(n)))\n@functools.cache\ndef words(n):\n    return ','.join(str(i) for i in range(n))\n@functools.cache\ndef counted(n):\n    many = []\n    many.extend(i % 2 for i in range(n))\n    return (Counter(map(abs, many)), dict(zip((1, 2), (3, 4))), functools.reduce(max, map(abs, many)))",
        "ROLL": "self.fill(faces[0])\nself.x += len(pairs(6)[7]) + first(9) + len(words(3)) + counted(4)[0][1]\nlefts = iter(faces)\nqueues = [lefts, (f for f in faces)]\nself.x += next(queues[0]) + next(queues[1])",
        "MEMBERS": "board = Grid(2, 2, 0, 6, 'b')\ndef most(self):\n    found = sum(line[i] for i, line in enumerate(self.board))\n    for i, (line, n) in enumerate(zip(self.board, (1, 2))):\n        found += i * n * line[0]\n    for line in list(self.board):\n        found += line[1]\n    return found + sum(n for n in itertools.chain.from_iterable(self.board))\ndef fill(self, n):\n    for line in reversed(self.board):\n        line[0] = n",
        "NEXT": "self.most()",
        "OUTCOME": "self.most()",
    },
}


OUTSIDE = {
    "a table of functions",
    "a record that works on the game",
    "a record of functions",
    "an enum with values and methods",
    "a class of one's own",
    "a dataclass that changes",
    "ordered records",
    "an exception of one's own",
    "decorators with arguments",
    "functions inside, and handed down",
    "letters and words",
    "sets of numbers",
    "groups, grids and stacks",
    "a class method of the game",
    "iterators, and cached results that don't change",
}
"""Games that played in plain Python once, and use what the language of rules doesn't have."""


@pytest.mark.parametrize("name", [name for name in NATURAL if name in OUTSIDE])
def test_natural_python_outside_the_language_is_refused(tmp_path, name):
    with pytest.raises(RulesError, match="sample"):
        Run.of(str(written(tmp_path, **NATURAL[name])), "plain")


@pytest.mark.slow_cases("a game with a text of its own")
@pytest.mark.parametrize("name", [name for name in NATURAL if name not in OUTSIDE])
def test_natural_python_plays(tmp_path, name):
    file = written(tmp_path, **NATURAL[name])
    run = Run.of(str(file), "plain")
    slow = Reference(run.game, run.calls).play(5, 0, 20)
    result = dicelab.simulate(str(file), "plain", games=20, seed=5)
    assert result.tallies["total"].mean == sum(v * n for v, n in slow.histogram(0).items()) / 20


def test_functions_that_call_each_other_are_read_in_a_moment(tmp_path):
    calls = "".join(f"def f{i}(n):\n    return r(n) + f{i + 1}(n) + f{i + 1}(n)\n" for i in range(40))
    top = "def r(n):\n    return n % 3\n" + calls + "def f40(n):\n    return r(n)"
    must_be_lawful(find_in_file(written(tmp_path, TOP=top, START="self.x = f0(1) % 100")))
    knot = "".join(f"def g{i}(n):\n    return " + " + ".join(f"g{j}(n)" for j in range(12)) + "\n" for i in range(12))
    with pytest.raises(RulesError, match="g0 calls itself; write a loop"):
        must_be_lawful(find_in_file(written(tmp_path, TOP=knot, START="self.x = g0(1)")))


def test_a_part_of_a_constant_of_tuples_is_read(tmp_path):
    top = "NOTES = ((60, 20), (50, 30), (90, 10))"
    must_be_lawful(
        find_in_file(written(tmp_path, TOP=top, ROLL="self.x = sum(a - b for a, b in NOTES[: self.x % 4]) % 9"))
    )
    with pytest.raises(RulesError, match="a tuple of tuples as a list; write a list"):
        must_be_lawful(find_in_file(written(tmp_path, TOP=top, ROLL="self.x = list(NOTES)[self.x % 3][0]")))


def test_a_fault_of_the_reading_names_the_line(tmp_path, monkeypatch):
    def fails(*given):
        raise AssertionError

    monkeypatch.setattr(Rewriter, "rows_at", fails)
    roll = "self.x = sum(a - b for a, b in NOTES[: self.x])"
    file = written(tmp_path, TOP="NOTES = ((60, 20), (50, 30))", ROLL=f"self.x = 1\n{roll}")
    line = file.read_text().splitlines().index(f"        {roll}") + 1
    with pytest.raises(RulesError, match=f"{file.name}, line {line}, in .*: dicelab fails to read this line"):
        must_be_lawful(find_in_file(file))


# Files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encode",
    {
        "a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
        "a coding line": lambda text: ("# -*- coding: latin-1 -*-\n" + text + "\n# \xe9\n").encode("latin-1"),
        "lines that end as on Windows": lambda text: text.replace("\n", "\r\n").encode(),
        "tabs": lambda text: text.replace("    ", "\t").encode(),
    }.items(),
    ids=lambda item: item[0],
)
def test_files_of_all_editors_are_read(tmp_path, encode):
    file = written(tmp_path)
    file.write_bytes(encode[1](file.read_text()))
    game = find_in_file(file)
    must_be_lawful(game, game.declared.strategies.values())


def test_two_files_of_the_same_name_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / "cache"))
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    bad = find_in_file(written(tmp_path / "one", NEXT="self.x += 1"))
    good = find_in_file(written(tmp_path / "two"))
    must_be_lawful(good)
    with pytest.raises(RulesError, match="next changes x"):
        must_be_lawful(bad)


@pytest.mark.slow
def test_what_is_put_into_a_game_after_its_verdict_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / "cache"))
    file = written(tmp_path, TOP="def helper(n):\n    return n\nN = 1", ROLL="self.x = helper(N)")
    for name, thing in {"helper": lambda n: n + len([].__class__.__name__), "N": bytearray(b"1")}.items():
        game = find_in_file(file)
        must_be_lawful(game)
        game.start.__globals__[name] = thing
        with pytest.raises(RulesError):
            must_be_lawful(game)
    game = find_in_file(file)
    must_be_lawful(game)
    monkeypatch.setattr(game, "start", lambda self: print(self))
    with pytest.raises(RulesError):
        must_be_lawful(game)


def test_a_verdict_on_a_strategy_of_another_file_is_not_remembered(tmp_path, monkeypatch):
    from dicelab.games.tossup import TossUp

    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / "cache"))
    text = "from dicelab.rules import strategy\nfrom dicelab.games.tossup import TossUp\n\n@strategy(TossUp)\ndef mine(game):\n    return "
    for answer, lawful in {"0": True, "len(open('x').read())": False}.items():
        code: dict[str, object] = {"__name__": "elsewhere"}
        file = tmp_path / f"mine{lawful}.py"
        file.write_text(text + answer)
        exec(compile(file.read_text(), str(file), "exec", dont_inherit=True), code)
        mine = code["mine"]
        if lawful:
            must_be_lawful(TossUp, [mine])
        else:
            with pytest.raises(RulesError, match="mine"):
                must_be_lawful(TossUp, [mine])


@pytest.mark.parametrize(
    ("filled", "said"),
    {
        "a legal that is a text": ({"TOP": ""}, "must be a method that is written with def"),
    }.values(),
)
def test_rules_that_are_no_functions_are_refused_in_a_sentence(tmp_path, filled, said):
    file = written(tmp_path, **filled)
    file.write_text(file.read_text().replace("legal=allowed", "legal='allowed'"))
    with pytest.raises(RulesError, match=said):
        must_be_lawful(find_in_file(file))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('outcomes = ("low", "high")', 'seats = "2"', "seats = '2'; it must be a whole number, or a parameter"),
        (
            "@chosen(Move,",
            '@chosen("Move",',
            "values are declared by an IntEnum, a size, a pair (low, high), or a Seat",
        ),
        ("points=Param(2, 0, 9, 'points')", "points=3", "an argument is a Param, Switch or Choice"),
    ],
)
def test_declarations_of_the_wrong_kind_are_refused_in_a_sentence(tmp_path, old, new, said):
    file = written(tmp_path)
    text = file.read_text().replace('"points"', "'points'")
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(RulesError) as refused:
        find_in_file(file)
    assert said in str(refused.value)
