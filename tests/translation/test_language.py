"""Ordinary Python in rules means the same in every engine: comprehensions, lists, sets, dicts, slices, functions inside."""

# ruff: noqa: E501 (rules are written as lines of text)

from __future__ import annotations

from pathlib import Path

import pytest

from dicelab.engines.compiled import Compiled
from dicelab.errors import RulesError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from snippets import chosen_by_parameter, outcome_of, text_of

MORE = """
import itertools
import math
import operator
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, chain, combinations, permutations, product
from math import comb, factorial, gcd, isqrt, lcm, perm, prod
from operator import mul
from typing import NamedTuple


BY_FACE = {1: 100, 5: 50, 0: 7, -3: 2}
PAIR_BY_FACE = {1: (1, 2), 2: (3, 4)}


class Box(NamedTuple):
    name: str
    low: int
    high: int = 9


@dataclass(frozen=True)
class Tile:
    name: str
    points: int
    ends: tuple[int, int] = (1, 2)


@dataclass(frozen=True)
class Plate:
    name: str
    points: int


@dataclass(frozen=True, eq=False)
class Chip:
    points: int


class Rest(NamedTuple):
    low: int
    high: int | None = None


RESTS = (Rest(1, 2), Rest(3))
HOLED = (1, None, 3)
PLATES = (Plate("corner", 5), Plate("edge", 7))
CHIPS = (Chip(1), Chip(1))
BOXES = (Box("low", 1, 3), Box("high", 4), Box("all", 0))
TILES = [Tile("corner", 5), Tile("edge", 7, (3, 4))]
NAMED = (("one", 1), ("two", 2), ("three", 3))
SCORES = {1: 100, 5: 50, -7: 3}
PAIRED = {1: (2, 3), 8: (4, 5)}
WAYS = ((0, 1), (2,), (0, 2, 1), ())
LISTED = [4, 1, 3]
STRAIGHTS = {(1, 2, 3): 10, (2, 3, 4): 20}
CHOSEN = {1, 3, 8}
FIRST = Box("first", 3, 4)
REACH = range(2, 9)
ODD = {3, 1, 70}


def halve(p, q):
    return p // 2 + q


def same(numbers):
    return numbers


def evens(row):
    return [n for n in row if n % 2 == 0]


def counted(row):
    found = [0] * 10
    for n in row:
        found[abs(n) % 10] += 1
    return found


def largest_two(numbers):
    first, second, *_ = sorted(numbers, reverse=True)
    return first, second


def rising(n):
    for i in range(n):
        yield i
        if i > 3:
            return


def total(*values):
    return sum(values) + len(values)


JAGGED = [[1, 2, 3], [4, 5], [6]]
LETTERS = {1: [7, 2, 3], 2: [4, 5], 8: []}


def weighed(n, m=3, *rest):
    return n * 100 + m * 10 + sum(rest)


def split(numbers, at):
    below = []
    for n in numbers:
        if n < at:
            below.append(n)
    return tuple(below)
"""

SNIPPETS = {
    "any and all": {
        "any": "any(n > 3 for n in self.row) + any(n > 100 for n in self.row) * 2",
        "all": "all(n > -3 for n in self.row) + all(n > 0 for n in self.row) * 2",
        "any with a variable": "any(n == a for n in self.row) * 3 + all(n != b for n in self.other)",
        "any of a tuple": "any((a > 0, b > 0)) + all([a > 0, b > 0]) * 2 + any(()) * 4 + all(()) * 8",
        "any of a row": "any(self.row) + all(self.row) * 2",
        "nested any": "any(any(n == m for n in self.row) for m in self.other)",
        "two loops": "any(n + m == a for n in self.row for m in self.other if n != m)",
        "any stops": "any(self.bump() > 2 for n in self.row) * 100 + self.x",
        "any of a list goes on": "any([self.bump() > 2 for n in self.row]) * 100 + self.x",
        "short circuit": "(a in range(4) and any(self.row[a] == n for n in self.other)) * 5",
        "faces": "any(f == 3 for f in faces) * 3 + all(f < 5 for f in faces)",
        "all over items": "all(i < 3 or n > 5 for i, n in enumerate(self.row))",
        "zip": "any(n == m for n, m in zip(self.row, self.other))",
        "in a test": "if any(n == a for n in self.row) and not all(m > 0 for m in self.other):\n    return 3\nreturn 5",
        "in a loop": "found = 0\nfor i in range(4):\n    if any(n == i for n in self.row):\n        found += i + 1\nreturn found",
        "named as outside": "n = a\nfound = any(n > 3 for n in self.row)\nreturn n * 2 + found",
    },
    "sums and extremes": {
        "sum": "sum(n * n for n in self.row if n > 0)",
        "sum of list": "sum([n for n in self.row]) + sum((n + 1 for n in self.row), 5) + sum([a, b], start=3)",
        "count": "sum(1 for f in faces if f == 2) + sum(n == 0 for n in self.row) * 10",
        "two loops": "sum(n * m for n in self.row for m in range(3))",
        "max": "max(n * 2 for n in self.row) + min(n - a for n in self.other) * 3",
        "max default": "max((n for n in self.row if n > 100), default=a) + min((n for n in self.row if n > 4), default=-1)",
        "max key": "max(self.row, key=abs) + min(self.row, key=lambda n: (n - a) ** 2) * 3",
        "max of indices": "max(range(4), key=lambda i: self.row[i]) + min(range(4), key=self.at) * 10",
        "max of arguments with key": "max(a, b, 3, key=lambda n: n * n % 7)",
        "max first of ties": "max((a, b, 0), key=lambda n: 1) + min((a, b, 0), key=lambda n: 1) * 3",
        "max of tuples": "p, q = max((n % 3, i) for i, n in enumerate(self.row))\nreturn p * 10 + q",
        "max starred": "max(*faces) + min(*self.row) * 3",
        "key with two": "max(range(4), key=lambda i: (self.row[i] % 2, -i))",
        "prod": "prod(n + 10 for n in self.row) + math.prod(faces) + prod((a, b)) + prod(LISTED, start=2)",
        "next": "next(n for n in self.row if n < 3) + next((n for n in self.row if n > 50), -9)",
        "len of list": "len([n for n in self.row if n > 0])",
        "math": "comb(5, faces[0]) + factorial(faces[1]) + gcd(a, 6) * 3 + lcm(a, 4) + isqrt(faces[0] * 7) + perm(5, faces[1]) + perm(3)",
        "index by generator": "sum(i for i, n in enumerate(self.row) if n == max(self.row))",
        "sum of slice": "sum(self.row[1:3]) + sum(self.row[:2]) * 3 + sum(self.row[-2:]) + max(self.row[1:]) + len(self.row[::2])",
        "sum step": "sum(self.other[::-1]) + sum(self.other[1::2]) * 3 + self.row[::-1][0] * 5",
        "slice by variables": "i, j = faces\nreturn sum(self.row[i - 1:j]) + len(self.row[i:j]) * 7",
        "slice of a tuple": "t, i = (a, b, a + b), faces[0] % 4\nreturn sum(t[i:]) + len((a, b, 2)[:i]) * 7 + max((b, *t[i::2]))",
        "loop over a slice of a tuple": "found = 0\nfor n in (a, b, 2)[faces[0] - 3:]:\n    found = found * 5 + n\nreturn found",
        "slice of a tuple in a comprehension": "sum(n * i for i, n in enumerate((a, 3, b)[::-1][faces[1] % 3:]))",
        "slice of faces": "sum(faces[1:]) + sum(faces[:1]) * 10",
        "divmod of sum": "q, r = divmod(sum(n for n in self.row), 4)\nreturn q * 10 + r",
        "abs of generator": "abs(sum(-n for n in self.row))",
    },
    "lists": {
        "comprehension": "found = [n * 2 for n in self.row if n >= 0]\nreturn found[0] + found[-1] * 3 + len(found) * 7",
        "append": "found = []\nfor n in self.row:\n    if n > 0:\n        found.append(n + a)\nreturn sum(found) + len(found) * 100",
        "indices": "best = [i for i in range(4) if self.row[i] == max(self.row)]\nreturn best[0]",
        "literal": "found = [a, b, 3]\nfound[1] += 4\nfound[0] = b\nreturn found[0] + found[1] * 3 + found[2] * 5 + found[-1]",
        "repeated": "counts = [0] * 7\nfor f in faces:\n    counts[f] += 1\nreturn counts[2] * 10 + max(counts) + counts.index(max(counts))",
        "repeated by a parameter": "counts = [a] * self.size\nreturn sum(counts)",
        "list of a row": "found = list(self.row)\nfound[0] = 100\nreturn found[0] + self.row[0]",
        "sorted": "found = sorted(self.other)\nreturn found[0] + found[-1] * 3",
        "sorted down": "found = sorted((n for n in self.row), reverse=True)\nreturn found[0] * 3 + found[1]",
        "sorted key": "found = sorted(self.row, key=abs)\nreturn found[0] + found[1] * 3 + found[2] * 5 + found[3] * 7",
        "sorted key down": "found = sorted(range(4), key=lambda i: self.row[i] % 3, reverse=True)\nreturn found[0] + found[1] * 3 + found[2] * 5 + found[3] * 7",
        "sorted of many": "found = sorted(LONG)\nreturn found[0] + found[7] * 3 + found[-1]",
        "sorted in a loop": "total = 0\nfor n in sorted(self.row):\n    total = total * 3 + n\nreturn total",
        "sorted of faces": "x, y = sorted(faces)\nreturn x * 10 + y",
        "sorted then pop": "dice = sorted(faces)\nlast = dice.pop()\nreturn last * 10 + len(dice)",
        "pop": "found = [1, 2, 3, a]\nx = found.pop()\ny = found.pop(0)\nreturn x + y * 3 + len(found) * 7 + found[0]",
        "insert and remove": "found = [1, 2, 3]\nfound.insert(1, a)\nfound.remove(3)\nfound.insert(-1, 7)\nfound.insert(99, 8)\nreturn found[0] + found[1] * 3 + found[2] * 5 + found[3] * 7 + found[-1] * 11",
        "extend": "found = [1]\nfound.extend(self.row)\nfound += [a, b]\nfound.extend(range(3))\nreturn sum(found) + len(found) * 100",
        "reverse and sort": "found = [a, b, 3, -1]\nfound.reverse()\nn = found[0]\nfound.sort()\nm = found[0]\nfound.sort(reverse=True)\nreturn n + m * 3 + found[0] * 5",
        "count and index": "found = [a, b, a]\nreturn found.count(a) + found.index(b) * 10",
        "in": "found = [n for n in self.row if n > 0]\nreturn (a in found) + (9 in found) * 2 + (7 not in found) * 4",
        "in a comprehension": "(9 in [n for n in self.row]) + (a in (n + 1 for n in self.row)) * 2",
        "truth": "found = [n for n in self.row if n > a]\nif found:\n    return 1\nif not found and b > 0:\n    return 2\nreturn 3",
        "added": "found = [1, 2] + [a]\nmore = found + [b] + found\nreturn sum(more) + len(more)",
        "added to itself": "found = [1, 2]\nfound = found + [a]\nfound = [n + 1 for n in found]\nreturn sum(found) + len(found) * 10",
        "slices": "found = [1, 2, 3, a, b]\nreturn sum(found[1:3]) + found[-2:][0] * 3 + len(found[::2]) * 5 + found[::-1][0] + sum(found[:-1])",
        "slice kept": "found = [1, 2, 3, a]\nrest = found[1:]\nfound[1] = 50\nreturn sum(rest) + found[1]",
        "unpacked": "x, y = [n for n in (a, b)]\nreturn x * 3 + y",
        "starred": "first, *rest = self.row\n*some, last = (a, b, 3)\nhead, *middle, end = [1, 2, 3, 4]\nreturn first + sum(rest) * 3 + last + len(some) * 7 + sum(middle) + end",
        "nested comprehension": "found = [n + m for n in faces for m in range(n)]\nreturn sum(found) + len(found) * 3",
        "comprehension of comprehension": "found = [sum(m for m in range(n)) for n in faces]\nreturn found[0] * 10 + found[1]",
        "helper returns": "found = evens(self.row)\nreturn sum(found) + len(found) * 10 + sum(evens((a, b)))",
        "helper counts": "found = counted(faces)\nreturn found[1] + found[2] * 3 + counted(self.row)[9]",
        "helper unpacks": "x, y = largest_two(self.row)\nreturn x * 10 + y",
        "helper tuple": "found = split(self.other, 4)\nreturn len(found) + sum(found) * 3",
        "tuple of generator": "found = tuple(n + 1 for n in faces)\nreturn found[0] + found[1] * 3 + len(found)",
        "equal": "([n for n in faces] == [1, 2]) + ([1, 2] != [n for n in faces]) * 2 + (sorted(faces) == [2, 3]) * 4 + (self.row == [5, -2, 0, 9]) * 8",
        "equal tuples": "(faces == (1, 2)) + (tuple(sorted(faces)) == (2, 3)) * 2 + (tuple(n for n in faces) == (a, b)) * 4",
        "copy": "one = [a, b]\ntwo = list(one)\nthree = one.copy()\nfour = one[:]\ntwo[0] = 5\nreturn one[0] + two[0] * 3 + three[1] + four[0]",
        "empty displays": "any(n for n in []) * 2 + all(n for n in []) + sum(n for n in []) + len(set([]))",
        "empty": "found = []\nreturn len(found) + sum(found) + len([n for n in self.row if n > 100])",
        "made in branches": "if a > 0:\n    found = [1, 2, 3]\nelse:\n    found = [4]\nreturn len(found) * 10 + found[0]",
        "chosen": "found = [1, 2] if a > 0 else [b]\nreturn len(found) + found[0]",
        "reversed": "total = 0\nfor n in reversed(self.row):\n    total = total * 3 + n\nfor i in reversed(range(3)):\n    total = total * 2 + i\nfor n in reversed([a, b]):\n    total += n\nreturn total",
        "enumerate": "total = 0\nfor i, n in enumerate([a, b, 7]):\n    total += i * n\nfor i, n in enumerate(self.row, 2):\n    total += i * n\nfor i, n in enumerate(self.row, start=3):\n    total += i * n\nreturn total",
        "zip of three": "total = 0\nfor x, y, z in zip(self.row, [a, b, 3], range(2)):\n    total += x * y + z\nreturn total",
        "for else": "for n in [m for m in self.row if m > 0]:\n    if n == a:\n        break\nelse:\n    return 77\nreturn n",
        "while pop": "stack = [a, b, 3]\ntotal = 0\nwhile stack:\n    total = total * 3 + stack.pop()\nreturn total",
        "del": "found = [1, 2, a]\ndel found[0]\ndel found[-1]\nreturn found[0] + len(found)",
        "map and filter": "sum(map(abs, self.row)) + len(list(filter(lambda n: n > 0, self.row))) * 3 + sum(map(self.at, range(3))) * 5",
        "map over several": "sum(map(max, self.row, (1, 2, 3))) + sum(map(lambda p, q: p * q + a, self.row, self.row[1:])) + len(list(map(min, map(abs, self.row), (1, 2))))",
        "loop over generator": "total = 0\nfor n in (m * 2 for m in self.row if m != 0):\n    total = total * 3 + n\nreturn total",
        "clear": "found = [1, 2]\nfound.clear()\nfound.append(a)\nreturn len(found) + found[0]",
        "swap": "found = [a, b, 3]\nfound[0], found[2] = found[2], found[0]\nreturn found[0] + found[1] * 3 + found[2] * 5",
        "starred display": "found = [*faces, a, *self.row]\nreturn sum(found) + len(found) * 100",
        "accumulate": "found = list(accumulate(self.row))\nreturn found[1] + found[-1] * 3",
        "texts": "s = ['one', 'x']\nt = 0\nfor n in ['one', 'two']:\n    if n == NAMED[a % 3][0]:\n        t += 1\ns += ['d']\nreturn (s[0] == NAMED[a % 3][0]) + (NAMED[b % 3][0] in ['one', 'two']) * 2 + s.count('x') * 4 + t * 8 + len(s) * 16",
        "chain": "total = 0\nfor n in chain(self.row, faces, (a,)):\n    total = total * 2 + n\nreturn total",
    },
    "lists of tuples and lists": {
        "pairs": "found = [(n, i) for i, n in enumerate(self.row)]\ntotal = 0\nfor n, i in found:\n    total += n * i\nreturn total + len(found)",
        "pair by number": "found = [(1, a), (b, 3)]\nx, y = found[1]\nreturn x + y * 3 + found[0][1] * 5",
        "append pairs": "found = []\nfor i, n in enumerate(self.row):\n    if n > 0:\n        found.append((n, i))\nfound.sort(reverse=True)\nreturn found[-1][0] + found[0][1] + len(found) * 10",
        "sorted pairs": "found = sorted((n % 3, i) for i, n in enumerate(self.row))\nreturn found[0][1] + found[1][1] * 4 + found[2][1] * 16 + found[3][1] * 64",
        "in pairs": "found = [(1, 2), (a, b)]\nreturn ((1, 2) in found) + ((3, 0) in found) * 2",
        "named in a loop": "total = 0\nfor pair in [(a, 1), (b, 2)]:\n    total += pair[0] * pair[1]\nreturn total",
        "copies of rows in a list": "g = [list(self.row), self.other[:]]\ng[0][1] = 3\nself.row[0] = 8\nreturn sum(g[0]) + len(g[1]) + len(same([1]))",
        "lists of lists": "grid = [[0] * 3 for _ in range(2)]\ngrid[0][1] = a\ngrid[1][2] += b\nreturn sum(grid[0]) + sum(grid[1]) * 3 + len(grid) + len(grid[1])",
        "rows appended": "groups = []\nfor n in faces:\n    line = [n]\n    line.append(n + 1)\n    groups.append(line)\nreturn groups[0][1] + groups[1][0] * 10 + len(groups)",
        "lines": "total = 0\nfor line in [[1, 2], [a], []]:\n    total = total * 2 + sum(line) + len(line)\nreturn total",
        "line changed": "grid = [[1, 2], [3]]\nfor line in grid:\n    line.append(a)\nreturn sum(grid[0]) + sum(grid[1]) * 3",
        "combinations": "total = 0\nfor x, y in combinations(self.row, 2):\n    total = total * 3 + x * y\nreturn total % 100003",
        "combinations in any": "any(x + y == 7 for x, y in itertools.combinations(self.row, 2)) + sum(1 for c in combinations(range(5), 3) if sum(c) == 6) * 3",
        "permutations": "sum(x - 2 * y for x, y in permutations(self.row, 2)) + len(list(permutations((1, 2, 3)[:3], 2)))",
        "product": "sum(x * y for x, y in product(self.row, faces)) + sum(1 for r in product(range(1, 4), repeat=3) if sum(r) == 6) * 7",
        "zip of pairs": "total = 0\nfor (x, y), n in zip([(1, a), (2, b)], self.row):\n    total += x * y + n\nreturn total",
        "enumerate pairs": "total = 0\nfor i, (x, y) in enumerate([(1, a), (2, b)]):\n    total += i * x + y\nreturn total",
        "max of pairs": "best = max([(n % 4, i) for i, n in enumerate(self.row)])\nreturn best[0] * 10 + best[1]",
        "pop pair": "found = [(1, a), (2, b)]\nx, y = found.pop()\nreturn x * 10 + y + len(found)",
    },
    "sets and dicts": {
        "set": "len(set(faces)) + len({n % 2 for n in self.row}) * 3",
        "filter by a number": "sum([n for n in faces if n - 2]) + 10 * len([n for n in self.row if n & 6]) + 100 * len({n for n in self.row if n})",
        "filter of a set by its range": "len({n for n in faces if 2 <= n < 4}) + 10 * len([n for n in faces if n > a if n - 4])",
        "set in": "seen = set()\nfor f in faces:\n    seen.add(f)\nreturn (1 in seen) + (2 in seen) * 2 + len(seen) * 4",
        "set operations": "one = {1, 2, a}\ntwo = {2, 3, b}\nreturn len(one | two) + len(one & two) * 10 + len(one - two) * 100 + ({2} <= one) * 1000",
        "set grows": "seen = {1}\nseen.update(faces)\nseen |= {9}\nseen.discard(1)\nseen.discard(77)\nreturn sum(seen) + len(seen)",
        "sorted set": "found = sorted({n % 5 for n in self.row})\nreturn found[0] + found[-1] * 3 + len(found)",
        "set equal": "(set(faces) == {1, 2}) + (set(faces) != {3}) * 2 + ({1, 2} >= set(faces)) * 4",
        "max of set": "max({a, b, 1}) + min({n for n in self.row}) * 3 + sum({a, b})",
        "any of set": "any(n > 2 for n in {a, b, 1})",
        "dict": "found = {}\nfor f in faces:\n    found[f] = found.get(f, 0) + 1\nreturn found.get(1, 0) + found.get(2, 0) * 3 + len(found) * 10",
        "dict loops": "found = {1: a, 5: b}\ntotal = 0\nfor k, v in found.items():\n    total = total * 3 + k * v\nfor k in found:\n    total += k\nfor v in found.values():\n    total = total * 2 + v\nfor k in found.keys():\n    total += k\nreturn total",
        "a set of a small range": "found = {n - 3 for n in faces if n % 2}\nreturn sum(found) * 10 + len(found)",
        "a set of a range wider than a word": "return sum({n * 13 - 30 for n in faces if n != 3})",
        "a walrus in a condition": "return sum([m for n in faces if (m := n * 2) > 5])",
        "dict comprehension": "found = {n: n * n for n in faces}\nreturn sum(found.values()) + sum(found) * 3 + len(found)",
        "dict in": "found = {a: 1, b: 2}\nreturn (3 in found) + (found[a]) * 2 + max(found.values())",
        "dict adds": "found = {1: 2, 2: 3}\nfound[1] += a\nfound[7] = b\ndel found[2]\nx = found.pop(7)\nreturn found[1] + x + len(found) * 10",
        "dict of file": "SCORES.get(a, 0) + (5 in SCORES) + SCORES[1] + sum(SCORES.values()) + len(SCORES)",
        "dict of pairs": "x, y = PAIRED[8]\nreturn x * 10 + y + (a in PAIRED)",
        "dict by tuple": "STRAIGHTS.get((a, a + 1, a + 2), 0) + STRAIGHTS[(2, 3, 4)]",
        "dict items of file": "sum(k * v for k, v in SCORES.items())",
        "set of file": "(a in CHOSEN) + len(CHOSEN) * 3 + sum(CHOSEN)",
        "dict max": "found = {1: a, 2: b, 3: 0}\nreturn max(found, key=lambda k: found[k])",
        "set of a list": "len(set([a, b, a])) + len(set(evens((2, 4, 2)))) * 3 + len(set([1, a] + [a])) * 9 + sum(set(sorted((a, b, a))))",
        "list of a set, sorted": "found = sorted({a, b, a}) + sorted(set([b, 1, b]))\nreturn len(found) + found[0] * 3",
        "set of pairs": "seen = set()\nseen.add((a, b))\nseen.add((1, 2))\nseen.add((a, b))\nreturn len(seen) + ((1, 2) in seen) * 10",
    },
    "constants": {
        "named tuples": "sum(1 for box in BOXES if box.low <= a <= box.high)",
        "named tuple by number": "BOXES[1].high + BOXES[0].low + FIRST.low * 3 + FIRST[2]",
        "named tuple unpacked": "total = 0\nfor _, low, high in BOXES:\n    total = total * 3 + low + high\nreturn total",
        "dataclasses": "sum(t.points for t in TILES if t.ends[0] > 0) + TILES[1].ends[1] + len(TILES)",
        "dataclasses kept and compared": "best = None\nfor t in TILES:\n    if best is None or t.points > best.points:\n        best = t\nreturn best.points + (best == TILES[1]) * 3 + (best in TILES) * 5 + TILES.index(best)",
        "constants with None where nobody reads it": "return sum(r.low for r in RESTS) + RESTS[1].low * 10 + RESTS[0].high + HOLED[2] + len(HOLED)",
        "dataclasses by a key": "s = sorted(TILES, key=lambda t: -t.points)\ns.sort(key=lambda t: t.ends[0])\nreturn s[0].points * 10 + max(PLATES, key=lambda p: p.points).points",
        "nothing as a condition": "s = [3, a]\nx = s.reverse() or s[0]\nif not self.set_up() and s.append(b) or len(s) == 3:\n    x += 1\nreturn x",
        "part of a tuple of tuples": "sum(box.low * box.high for box in BOXES[: a % 4]) + len(NAMED[a % 4 :]) * 100 + sum(sum(way) for way in WAYS[: a % 5])",
        "texts beside numbers": "sum(n for name, n in NAMED) + NAMED[2][1]",
        "uneven": "sum(self.row[i] for i in WAYS[2]) + len(WAYS) + sum(len(way) for way in WAYS)",
        "uneven in a loop": "total = 0\nfor way in WAYS:\n    total = total * 2 + sum(self.row[i] for i in way)\nreturn total",
        "all of a way": "any(all(self.row[i] > 0 for i in way) for way in WAYS)",
        "list": "sum(LISTED) + LISTED[1] * 3 + (a in LISTED) + max(LISTED)",
        "list in a loop": "total = 0\nfor n in LISTED:\n    total = total * 3 + n\nreturn total + sorted(LISTED)[0]",
        "range": "(a in REACH) + len(REACH) + sum(REACH)",
        "by number": "i = faces[0] % 3\nreturn BOXES[i].low + NAMED[i][1]",
        "made in a rule": "box = Box(0, a)\nreturn box.low + box.high",
    },
    "functions inside": {
        "copies of what is given": "def f(g):\n    t = 0\n    for r in [list(q) for q in g]:\n        r.sort()\n        t = t * 3 + r[0]\n    return t\nh = [[3, a], [b, 1]]\nreturn f(h) * 100 + h[0][0]",
        "by name before rest": "weighed(n=a) + weighed(a, m=b) * 3 + weighed(m=b, n=1)",
        "items of lists of the file": "r = JAGGED[0]\nreturn JAGGED[0][1] + spread(r, 1) + sum(JAGGED[1]) + LETTERS[1][2] * 10 + JAGGED[a % 3][0] + (a in r) * 100",
        "tuples together": "p = (a,) + (b, 3)\nq = p + (p[1], a > 0) + 2 * (7,)\nreturn spread(q, 1) + ~q[4] + len(p * 2) + sum((a, b) * 0)",
        "largest tuple of a list": "p = [(n % 3, i) for i, n in enumerate(self.row)]\nq, r = max(p), min([(a, b), (b, a)])\nreturn q[0] * 100 + q[1] * 10 + r[1]",
        "largest tuple of a set": "return max({(n % 2, n) for n in self.row})[1]",
        "default before rest": "weighed(a) + weighed(a, b) * 3 + weighed(a, b, 1, 2) * 5",
        "length of a range": "r = range(a, b, -1)\nreturn len(r) * 100 + sum(r) + (a in r)",
        "nested": "def twice(n):\n    return n * 2\nreturn twice(a) + twice(b) * 3",
        "nested reads": "base = a\ndef plus(n, more=1):\n    return n + base + more\nreturn plus(2) + plus(b, 5) + plus(n=1, more=b)",
        "nested in nested": "def one(n):\n    return n + a\ndef two(n):\n    return one(n) * 2\nreturn two(b)",
        "nested in a generator": "def good(n):\n    return n > a\nreturn sum(1 for n in self.row if good(n))",
        "nested as key": "def rank(n):\n    return n * n % 5\nreturn max(self.row, key=rank)",
        "lambda": "twice = lambda n: n * 2\nreturn twice(a) + twice(n=b)",
        "nested with self": "def sum_to(i):\n    return sum(self.row[:i])\nreturn sum_to(1) + sum_to(3) * 3",
        "walrus": "if (n := a + b) > 2:\n    return n * 3\nreturn n",
        "walrus in while": "total = 0\nwhile (n := self.bump()) < 5:\n    total += n\nreturn total * 10 + n",
        "walrus in any": "sum(m for n in self.row if (m := n * 2) > 3)",
        "walrus and": "(a > 0 and (n := b) > 0) * 3",
        "nested list": "def small(top):\n    return [n for n in self.row if n < top]\nreturn len(small(6)) + len(small(0)) * 10",
        "generator used once": "later = (n for n in self.row if n > 0)\nreturn next(later, 5)",
        "helper that yields": "sum(rising(a)) + len(list(rising(b))) * 3 + any(n == 4 for n in rising(5)) * 100",
        "texts": "names = ('low', 'high')\nname = names[a > 0]\nreturn (name == 'high') + ('low' in names) * 2 + names.index(name) * 4",
        "match on texts": "match NAMED[faces[0] % 3][0]:\n    case 'one':\n        return 1\n    case 'two' | 'four':\n        return 2\nreturn 3",
        "starred arguments": "total(*faces) + total(a, b, 3) * 10 + total()",
        "slice set": "self.row[1:3] = [a, b]\nself.row[:] = [n + 1 for n in self.row]\nreturn self.row[1] + self.row[2] * 3",
        "conditional generator": "max((n for n in self.row if n < a), default=0) if a > 0 else min(n for n in self.row)",
        "chained": "sum(1 for n in self.row if -3 < n <= a)",
        "ternary inside": "sum(n if n > 0 else -n for n in self.row)",
    },
    "counters": {
        "counter": "c = Counter(faces)\nreturn c[faces[0]] * 10 + c[9] + len(c)",
        "counter row": "c = Counter(self.row)\nreturn c[5] + c[9] * 2 + c[a]",
        "counter gen": "c = Counter(n % 3 for n in self.row)\nreturn c[0] * 100 + c[1] * 10 + c[2]",
        "counter common": "c = Counter([a, b, a, 3, b, 3, 3])\nreturn sum(k * 10 + v for k, v in c.most_common(2))",
        "counter common first": "return Counter([a, b, a, 3, b, 3, 3]).most_common(1)[0][0]",
        "counter common negative": "return len(Counter([a, b]).most_common(a))",
        "counter minus": "c = Counter([a, a, b, 3]) - Counter([a, 3, 3])\nreturn sum(k * 7 + v for k, v in c.items()) + len(c)",
        "counter plus": "c = Counter([a, b]) + Counter([b, 3])\nreturn sum((i + 1) * (k * 7 + v) for i, (k, v) in enumerate(c.items()))",
        "counter and": "c = Counter([a, b, b]) & Counter([b, b, b, 3])\nreturn c.total() if c else -1",
        "counter or": "c = Counter([a, b, b]) | Counter([b, b, b, 3])\nreturn c.total() * 10 + len(c)",
        "counter eq": "return 1 if Counter([a, b, 3]) == Counter([3, b, a]) else 2",
        "counter eq zero": "c = Counter([a])\nc[5] += 0\nreturn 1 if c == Counter([a]) else 2",
        "counter ne dict": "c = Counter([a])\nc[5] += 0\nd = {a: 1}\nreturn 1 if c == d else 2",
        "counter values": "return max(Counter(faces).values()) * 10 + min(Counter(faces).values())",
        "counter in values": "return 1 if 2 in Counter(faces).values() else 0",
        "counter sorted values": "return 1 if sorted(Counter([a, b, a, b, b]).values()) == [2, 3] else 0",
        "counter update": "c = Counter()\nc.update([a, b, a])\nc.update([3])\nc.subtract([b])\nreturn c[a] * 100 + c[b] * 10 + c[3] + len(c)",
        "counter update counter": "c = Counter([a])\nc.update(Counter([a, b]))\nreturn c[a] * 10 + c[b]",
        "counter augassign": "c = Counter()\nfor f in faces:\n    c[f] += 1\nreturn sum(k * v for k, v in c.items())",
        "counter del": "c = Counter([a, b, 4])\ndel c[4]\nreturn len(c)",
        "counter pop": "c = Counter([a, a, b])\nreturn c.pop(a) + len(c)",
        "counter elements": "return sum((i + 1) * n for i, n in enumerate(Counter([a, b, a]).elements()))",
        "counter in": "return (a in Counter(self.row)) * 2 + (5 in Counter(self.row))",
        "counter get": "c = Counter(faces)\nreturn c.get(1, 7) + c.get(99, 5)",
        "counter of tuples": "c = Counter((n % 2, n > 0) for n in self.row)\nreturn c[(1, True)] * 10 + c[(0, False)]",
        "counter of counter": "c = Counter(Counter([a, b, a, b, 3]))\nreturn c[a] + len(c)",
        "counter of dict": "c = Counter({a: 5, 3: b})\nreturn c[a] + c[3] * 2",
        "counter order": "c = Counter([3, a, b, a])\nreturn sum((i + 1) * k for i, k in enumerate(c))",
        "counter items sorted": "return sum((i + 1) * (k * 3 + v) for i, (k, v) in enumerate(sorted(Counter([b, a, 3, a]).items(), key=lambda kv: (-kv[1], kv[0]))))",
        "counter max get": "c = Counter([a, b, b, 3])\nreturn max(c, key=c.get) * 10 + min(c, key=lambda k: (c[k], k))",
        "counter read adds none": "c = Counter([a])\nx = c[99]\nreturn len(c) * 10 + x + (99 in c)",
        "defaultdict read adds": "d = defaultdict(int)\nx = d[99] + d[a]\nreturn len(d) * 10 + x + (99 in d)",
        "defaultdict": "d = defaultdict(int)\nfor n in self.row:\n    d[n % 3] += n\nreturn d[0] * 100 + d[1] * 10 + d[2]",
        "defaultdict gone through": "d = defaultdict(int)\nfor n in self.row:\n    d[n] += 1\nfor k in d:\n    x = d[k + 100]\n    break\nreturn sum(d[k] * k for k in d) + len(d) + max(d, key=lambda k: d[k] * k % 7)",
        "defaultdict list": "d = defaultdict(list)\nfor n in self.row:\n    d[n % 3].append(n)\nreturn sum(k * 100 + sum(v) + len(v) for k, v in d.items())",
        "defaultdict list read": "d = defaultdict(list)\nd[a].append(1)\nreturn len(d[b]) + len(d) * 10",
    },
    "None": {
        "none": "best = None\nfor n in self.row:\n    if best is None or n > best:\n        best = n\nreturn best",
        "none never": "best = None\nfor n in self.row:\n    if n > 100:\n        best = n\nreturn -1 if best is None else best",
        "none tuple": "best = None\nfor i, n in enumerate(self.row):\n    if best is None or (n, i) > best:\n        best = (n, i)\nreturn best[0] * 10 + best[1]",
        "none tuple unpack": "best = None\nfor i, n in enumerate(self.row):\n    if best is None or n > best[0]:\n        best = n, i\nif best is not None:\n    n, i = best\n    return n * 10 + i\nreturn -1",
        "none truth": "x = None if a > 0 else a\nreturn 1 if x else 2",
        "none or": "x = None if a > 0 else a\nreturn x or 5",
        "none and": "x = None if a > 0 else b\nreturn 1 if x is not None and x > 0 else 2",
        "none eq": "x = None if a > 0 else 3\nreturn (x == None) * 4 + (x == 3) * 2 + (x != b)",
        "none eq both": "x = None if a > 0 else 3\ny = None if b > 0 else 3\nreturn 1 if x == y else 2",
        "none get": "d = {1: a, 3: b}\nx = d.get(b)\nreturn -5 if x is None else x",
        "none get truth": "d = {1: a, 3: b}\nreturn d[3] if d.get(a) else 4",
        "none get walrus": "d = {1: a, 3: b}\nif (x := d.get(b)) is not None:\n    return x\nreturn 77",
        "none next": "x = next((n for n in self.row if n > a), None)\nreturn 0 if x is None else x",
        "none max default": "x = max((n for n in self.row if n > a), default=None)\nreturn -1 if x is None else x * 2",
        "none function": "def first(limit):\n    for n in self.row:\n        if n > limit:\n            return n\n    return None\nx = first(a)\nreturn 55 if x is None else x",
        "none falls off": "def first(limit):\n    for n in self.row:\n        if n > limit:\n            return n\nx = first(a)\nreturn 55 if x is None else x",
        "none given": "def twice(n):\n    return -1 if n is None else 2 * n\nreturn twice(None if a > 0 else a)",
        "none is not": "x = a\nreturn 1 if x is not None else 2",
        "none list": "best = None\nfor p in [(1, a), (2, b)]:\n    if best is None or p[1] > best[1]:\n        best = p\nreturn best[0]",
        "none added to": "best = None\nfor n in self.row:\n    if best is None:\n        best = n\n    else:\n        best += n\nx = {1: 2}.get(1)\nif x is not None:\n    x += best\nreturn -1 if x is None else x",
        "none bare return": "def act(n):\n    if n > 0:\n        self.x += 1\n        return\n    self.y += 1\nact(a)\nact(b)\nreturn 3",
    },
    "one name after the other": {
        "flow tuple": "x = a\ny = x + 1\nx = (y, b)\nreturn x[0] + x[1]",
        "flow list then len": "x = [a, b]\nx = len(x)\nreturn x",
        "flow loop": "out = 0\nfor x in self.row:\n    out += x\nfor x in [(1, a), (2, b)]:\n    out += x[0] * x[1]\nreturn out",
        "flow param": "def f(t):\n    t = sorted(t)\n    return t[0] * 10 + t[-1]\nreturn f((a, b, 3))",
        "flow underscore": "_, x = (1, 2), a\n_, y = 7, b\nreturn x * y",
        "flow branch same": "if a > 0:\n    x = [1, 2]\nelse:\n    x = [3]\nreturn sum(x)",
        "flow in loop": "x = 0\nfor i in range(3):\n    y = x + i\n    x = y * 2\nreturn x",
        "flow loop carried": "x = [a]\nfor i in range(3):\n    x = x + [i]\nreturn sum(x) + len(x)",
        "flow match": "x = [a, b]\nmatch len(x):\n    case 2:\n        x = x[0]\n    case _:\n        x = 0\nreturn x",
        "flow while": "x = (1, 2)\nn = x[0]\nwhile n < 5:\n    n += 1\nx = n\nreturn x",
        "flow break": "x = [1]\nfor i in range(3):\n    if i == 1:\n        x = [a, b]\n        break\nreturn len(x)",
        "order lists": "x = [a, b]\nreturn (x < [1, 2]) * 2 + (x >= [a]) + ([a] < [a, 1]) * 4",
        "order rows": "return (self.row < self.other) * 2 + (tuple(self.row) > tuple(self.other))",
        "order tuples any": "x = tuple(n for n in faces if n > 2)\nreturn (x < (3,)) * 2 + (x >= (1, 2))",
        "match list": "x = [n for n in self.row if n > a]\nmatch x:\n    case []:\n        return 0\n    case [n]:\n        return n\n    case [n, m]:\n        return n * 10 + m\n    case [first, *_]:\n        return first * 100\nreturn -1",
        "match list last": "match [a, b, 3]:\n    case [1, *_, last]:\n        return last\n    case [first, _, 3] if first > 0:\n        return first\n    case [*_, last]:\n        return last + 7\nreturn 0",
        "match tuple length": "x = (a, b)\nmatch x:\n    case (p,):\n        return 1\n    case (p, q):\n        return p + q",
        "wrap": "self.x = 5\nself.x += 1\nif self.x == 6:\n    self.x = 0\nreturn self.x",
        "wrap other": "self.x += a\nif self.x > 2:\n    self.y += 1\n    self.x = b\nelif self.x < 0:\n    self.x = 2\nelse:\n    self.y = self.x\nreturn self.x + self.y",
    },
    "dicts of lists, and keys": {
        "dict eq": "d = {a: 1, b: 2}\ne = {b: 2, a: 1}\nreturn 1 if d == e else 2",
        "dict ne": "d = {a: 1}\ne = {a: b}\nreturn 1 if d != e else 2",
        "dict eq longer": "d = {1: 1}\ne = {1: 1, a: 1}\nreturn 1 if d == e else 2",
        "dict union": "d = {a: 1, 3: 2} | {b: 5, 3: 9}\nt = 0\nfor k, v in d.items():\n    t = t * 11 + k * 3 + v\nreturn t",
        "dict union of comprehensions": "d = {(n, n): 5 for n in faces} | {(2, 2): 25}\nreturn sum(v * k[0] for k, v in d.items())",
        "dict update": "d = {a: 1, 3: 2}\nd.update({b: 5, 3: 9})\nd |= SCORES\nt = 0\nfor k, v in d.items():\n    t = (t * 11 + k * 3 + v) % 1000003\nreturn t",
        "dict of lists": "d = {0: [a], 1: [b, 3]}\nd[0].append(7)\nreturn sum(d[0]) * 100 + len(d[1]) + d[1][-1]",
        "dict of lists store": "d = {}\nd[a] = [1, 2]\nd[b] = [n for n in faces]\nreturn sum(sum(v) for v in d.values()) + len(d)",
        "dict of lists setdefault": "d = {}\nfor n in self.row:\n    d.setdefault(n % 2, []).append(n)\nreturn sum(k * 1000 + v[0] * 10 + len(v) for k, v in d.items())",
        "dict of lists in": "d = {1: [a, b], 2: [3]}\nreturn 1 if any(3 in v for v in d.values()) else 0",
        "dict of lists alias": "d = {1: [a]}\nx = d[1]\nx.append(5)\nreturn len(d[1])",
        "set of any length": "s = {(1,), (1, 2), (a, b)}\nreturn (tuple(n for n in faces if n < 3) in s) * 10 + len(s)",
        "product star": "return sum(x[0] * 3 + x[-1] for x in product(*(range(f) for f in faces)))",
        "product star lists": "sets = [[1, a], [b], [2, 3]]\nreturn sum(sum(t) * (i + 1) for i, t in enumerate(product(*sets)))",
        "product star empty": "return len(list(product(*[[1, 2], [n for n in faces if n > 9]])))",
        "combinations many": "return sum(sum(c) * len(c) for k in range(3) for c in combinations(self.row, k))",
        "permutations many": "k = 2 if a > 0 else 1\nreturn sum((i + 1) * p[0] for i, p in enumerate(permutations(faces, k)))",
        "from iterable": "return sum(sum(c) for c in chain.from_iterable(combinations(faces, k) for k in range(1, 3)))",
        "from iterable lists": "x = [[1, a], [b]]\nreturn sum((i + 1) * n for i, n in enumerate(chain.from_iterable(x)))",
        "combinations len": "c = list(combinations(faces, 2))\nreturn len(c)",
        "get text": "d = {1: 'one', 3: 'three'}\nreturn 1 if d.get(a, 'none') == 'one' else 2",
        "get tuple": "d = {1: (2, 3), 3: (a, b)}\nx, y = d.get(a, (0, 7))\nreturn x * 10 + y",
        "unnamed dict": "return {-7: 1, -1: 2, 0: 3, 1: 4, 3: 5, 8: 6}[a]",
        "unnamed dict text": "return 1 if {-7: 'x', -1: 'y', 0: 'x', 1: 'x', 3: 'y', 8: 'z'}[a] == 'x' else 2",
    },
    "what a loop changes": {
        "slice of a row": "t = 0\nfor n in self.row[1:]:\n    self.row[3] = 40\n    t = t * 3 + n\nreturn t",
        "slice of a row by name": "row = self.row\nt = 0\nfor n in self.row[1:]:\n    row[3] = 40\n    t = t * 3 + n\nreturn t",
        "slice of a name": "row = self.row\nt = 0\nfor n in row[::-1]:\n    self.row[0] = 40\n    t = t * 3 + n\nreturn t",
        "slice and call": "t = 0\nfor n in self.row[:]:\n    swap_ends(self.row)\n    t = t * 3 + n\nreturn t",
        "slice in a comprehension": "return sum(i * n for i, n in enumerate([n + swap_ends(self.row) for n in self.row[:]]))",
        "slices side by side": "t = 0\nfor p, q in zip(self.row[:], self.row[1:]):\n    self.row[2] = t % 50\n    t = t * 3 + p - q\nreturn t",
        "slice reversed": "t = 0\nfor n in reversed(self.row[::2]):\n    self.row[0] = n + 1\n    t = t * 3 + n\nreturn t",
        "slice of a list": "s = [n for n in self.row]\nt = 0\nfor n in s[1:]:\n    s[3] = 40\n    t = t * 3 + n\nreturn t",
        "row itself": "t = 0\nfor i, n in enumerate(self.row):\n    self.row[3 - i] = n + 1\n    t = t * 3 + n\nreturn t",
        "generator": "t = 0\nk = 1\nfor n in (v * k for v in self.row):\n    k += 1\n    t = t * 3 + n\nreturn t",
        "generator of a generator": "t = 0\nk = 1\nfor n in (w + 1 for w in (v * k for v in self.row)):\n    k += 1\n    t = t * 3 + n\nreturn t",
        "generator that changes": "t = 0\nfor n in (v + self.bump() for v in self.row):\n    self.x *= 2\n    t = t * 3 + n\nreturn t",
        "generator that depends on nothing": "t = 0\nfor i, n in enumerate(v * 2 for v in self.row if v > a):\n    t = t * 3 + n * i\nreturn t",
        "default of a function": "k = 5\ndef f(n, m=k * 2):\n    return n + m\nk = 100\nreturn f(a) + f(1, k)",
        "default of a field": "def f(n, m=self.x):\n    return n + m\nself.bump()\nreturn f(a) * 10 + self.x",
        "default of a lambda": "k = 2\ng = lambda n, m=k: n % m\nk = 3\nreturn max(self.row, key=g) * 10 + g(a)",
        "closure": "k = 5\ndef f(n):\n    return n + k\nx = f(1)\nk = 100 + b\nreturn f(a) + x",
        "sums under a name": "c = accumulate(self.row)\nreturn sum(i * n for i, n in enumerate(c)) + self.bump()",
        "walrus after and": "return sum([y for x in self.row if x > -2 and (y := x * 3) > 5])",
        "walrus after and, summed": "return sum(y for x in self.row if x > -2 and (y := x * 3) > 5 and y < 20)",
        "walrus in a chain": "if (p := a) < 2 < (q := b + 2):\n    return p * 10 + q\nreturn p",
        "walrus after or": "if not (a < 2 or (q := b) > 3):\n    return q\nq = 7\nreturn q",
        "walrus in both branches": "x = (y := a) if b > 0 else (y := 4)\nreturn y * 10 + x",
        "walrus in a guard": "match (a, b):\n    case (p, q) if (s := p - q) > 3:\n        r = s\n    case (p, _):\n        r = -p\nreturn r",
        "fields from a pair": "self.x, self.y = max((n % 3, i) for i, n in enumerate(self.row))\nreturn self.x * 10 + self.y",
        "fields from a list": "s = [(n % 3, i) for i, n in enumerate(self.row)]\nself.x, self.row[2] = s[1]\nreturn self.x * 10 + self.row[2]",
    },
    "running totals": {
        "max": "return spread(list(accumulate(self.row, max)), 1)",
        "func kw": "return spread(list(accumulate(self.row, func=min)), 1)",
        "lambda captured": "k = a\nreturn spread(list(accumulate(self.row, lambda p, q: p * k - q)), 1)",
        "initial": "return spread(list(accumulate(self.row, initial=a)), 1)",
        "initial none": "return spread(list(accumulate(self.row, initial=None)), 1)",
        "both": "return spread(list(accumulate(self.row, max, initial=b)), 1)",
        "operator": "return spread(list(accumulate((1, a, b), mul)), 1) + spread(list(accumulate((1, a, b), operator.mul, initial=2)), 1)",
        "own func": "return spread(list(accumulate(self.row, halve)), 1)",
        "method": "return spread(list(accumulate((1, 2, 3), self.plus_row)), 1)",
        "loop": "t = 0\nfor n in accumulate(self.row, max):\n    t = t * 3 + n\nreturn t",
        "list bump": "t = 0\nfor n in list(accumulate(self.row, lambda p, q: p + q + self.bump())):\n    t = t * 3 + n + self.x\nreturn t",
        "initial bump": "return spread(list(accumulate(self.row, lambda p, q: p + q * self.x, initial=self.bump())), 1)",
        "initial field": "return spread(list(accumulate(self.row, lambda p, q: p + self.bump(), initial=self.x)), 1) + self.x",
        "empty": "return len(list(accumulate([n for n in self.row if n > 100], max))) + len(list(accumulate([n for n in self.row if n > 100], max, initial=a)))",
        "sum of": "return sum(accumulate(self.row, max)) + max(accumulate(self.row, lambda p, q: p - q))",
        "enumerate": "t = 0\nfor i, n in enumerate(accumulate(self.row, max, initial=0)):\n    t += i * n\nreturn t",
        "named": "c = accumulate(self.row, max)\nreturn sum(c)",
        "of map": "return spread(list(accumulate(map(abs, self.row), max)), 1)",
        "bools": "return spread(list(accumulate([n > 0 for n in self.row])), 1) + spread(list(accumulate((n > 0 for n in self.row), lambda p, q: p and q)), 1)",
        "of acc": "return spread(list(accumulate(accumulate(self.row), max)), 1)",
        "lambda names": "out, total, item, n = 1, 2, 3, 4\nreturn spread(list(accumulate((n + 1 for n in self.row), lambda total, item: total + item + n + out)), 1)",
        "lambda nested": "return spread(list(accumulate(self.row, lambda p, q: max(p + n for n in (q, 1)))), 1)",
        "unpack": "p, q, r, s = accumulate(self.row, max)\nreturn p + q * 2 + r * 3 + s * 5",
        "in": "return (9 in accumulate(self.row, max)) * 3 + (4 in accumulate(self.row, max))",
        "star": "return max(*accumulate(self.row, lambda p, q: p - q)) + sum([*accumulate(self.row, max), 1])",
        "of pairs": "t = 0\nfor p, q in accumulate([(1, a), (2, b)], lambda u, v: (u[0] + v[0], u[1] * v[1])):\n    t = t * 5 + p - q\nreturn t",
        "pairs initial": "t = 0\nfor p, q in accumulate([(1, a), (2, b)], lambda u, v: (u[0] + v[0], u[1] * v[1]), initial=(0, 1)):\n    t = t * 5 + p - q\nreturn t",
        "state of pairs": "t = 0\nfor p, q in accumulate(self.row, lambda u, n: (u[1], u[0] + n), initial=(0, 1)):\n    t = t * 5 + p - q\nreturn t",
        "max of pairs": "return [p for p, q in accumulate([(1, a), (2, b)], max)][-1]",
        "reduce pairs": "p, q = reduce(lambda u, v: (u[0] + v[0], u[1] * v[1]), [(1, a), (2, b)])\nreturn p * 10 + q",
    },
    "sets": {
        "xor": "s = {a, b, 3} ^ {1, 2, 3}\nreturn sum(s) + len(s) * 100",
        "xor self": "s = {a, b, 3}\ns = s ^ {3}\ns = {a, 5} ^ s\nreturn spread(sorted(s), 1)",
        "or self": "s = {a, b, 3}\ns = s | {4}\ns = {a, 5} | s\nreturn spread(sorted(s), 1)",
        "minus self": "s = {a, b, 3}\ns = {a, 5, 3} - s\nreturn spread(sorted(s), 1)",
        "and self": "s = {a, b, 3}\ns = {a, 5, 3} & s\nreturn spread(sorted(s), 1)",
        "symdiff list": "return spread(sorted({a, b, 3}.symmetric_difference([1, 1, 2, 3, 3])), 1)",
        "symdiff gen": "return spread(sorted({a, b, 3}.symmetric_difference(n for n in self.row)), 1)",
        "iand": "s = {a, b, 3}\ns &= {1, 2, 3}\nreturn spread(sorted(s), 1)",
        "isub": "s = {a, b, 3}\ns -= {1, 2, 3}\nreturn spread(sorted(s), 1)",
        "ixor": "s = {a, b, 3}\ns ^= {1, 2, 3}\nreturn spread(sorted(s), 1)",
        "ixor itself": "s = {a, b, 3}\ns ^= s\nreturn len(s)",
        "isub itself": "s = {a, b, 3}\ns -= s\nreturn len(s)",
        "iand itself": "s = {a, b, 3}\ns &= s\nreturn len(s)",
        "iand comp": "s = {a, b, 3}\ns &= {n for n in s if n > 0}\nreturn spread(sorted(s), 1)",
        "isub in loop": "s = set(range(9))\nfor n in sorted(s):\n    s -= {n * 2}\n    s ^= {n}\nreturn spread(sorted(s), 1)",
        "while": "s = {1, 5, a}\nt = 0\nwhile s:\n    m = max(s)\n    s -= {m}\n    t = t * 3 + m\nreturn t",
        "constant and": "s = CHOSEN & {a, 1}\ns -= {1}\nreturn len(s) + len(CHOSEN)",
        "constant": "return spread(sorted(CHOSEN ^ {a, 1}), 1) + spread(sorted({a} ^ CHOSEN), 1) + spread(sorted(CHOSEN ^ CHOSEN), 1)",
        "tuples and": "s = {(a, b), (1, 2)} & {(1, 2), (0, 0)}\nreturn len(s)",
        "tuples self": "s = {(a, b), (1, 2)}\ns = s ^ {(1, 2)}\ns = {(5, 5)} | s\ns = s - s\nreturn len(s)",
        "tuples self 2": "s = {(a, b), (1, 2)}\ns = {(5, 5), (a, b)} - s\nreturn sum(p for p, q in s)",
        "helper arg2": "def f(s):\n    s = s - {1}\n    return len(s)\nt = {1, 2}\nreturn f(t) + len(t) * 10",
        "range": "s = {1, 2}\ns ^= {100}\nself.row[0] = max(s)\nself.x = min(s)\nreturn AWKWARD[min(s)]",
        "index": "s = {1, 2} ^ {3, a * a}\nreturn LONG[max(s) % 20]",
        "empty": "s = set()\ns ^= {a}\nt = set() ^ set()\nreturn sum(s) + len(t)",
        "empty only": "return len(set() ^ set()) + len({n for n in self.row if n > 100} ^ {1})",
        "bools": "s = {a > 0, b > 0} ^ {True}\nreturn len(s) + sum(s)",
        "mixed bool": "s = {a > 0, 2} ^ {1}\nreturn len(s) + sum(s)",
        "many": "s = set(range(100)) ^ set(range(50, 150))\nreturn len(s)",
        "frozenset aug": "s = frozenset([1, a])\ns ^= {b}\nreturn len(s) + sum(s)",
        "in test": "return 1 if {a} ^ {b} else 2",
        "compare": "return ({a, b} ^ {b} == {a}) * 1",
        "side effects": "return len({self.bump()} ^ {self.bump(), self.bump()}) + self.x * 10",
        "side effects tuples": "return len({(self.bump(), 1)} ^ {(self.bump(), 1), (self.bump(), 2)}) + self.x * 10",
        "tuples all": "s = {(a, b), (1, 2)}\nt = {(1, 2), (0, 0)}\nf = lambda u: sum(p * 7 + q for p, q in u) + len(u) * 1000\nreturn f(s | t) + f(s & t) * 3 + f(s - t) * 5 + f(s ^ t) * 11 + f(t - s)",
        "tuples changed": "s = {(a, b), (1, 2)}\nt = {(1, 2), (0, 0)}\ns |= t\ns ^= {(1, 2), (9, 9)}\ns -= {(0, 0)}\nt &= s\nreturn sum(p * 7 + q for p, q in s) + len(s) * 1000 + len(t)",
        "nested": "s, t, u = {1, a}, {2, b}, {3, a, b}\nreturn spread(sorted((s ^ t) & u | (t - s)), 1)",
        "nested tuples": "s, t, u = {(1, a)}, {(2, b)}, {(1, a), (2, b)}\nreturn len((s ^ t) & u | (t - s))",
        "whose order can't matter": "return sum({n // 2 for n in {3, 1, a}}) + sum(n * m for n in {3, 1, a} for m in {2, 5}) + max(*{3, 1, a}) + sorted(chain({3, 1, a}, [2]))[0] + sorted(ODD)[0] + sum({*ODD, a})",
    },
    "when arguments are evaluated": {
        "default bump unused": "return max(self.row, default=self.bump()) + self.x * 10",
        "default field, filter bumps": "return max((n for n in self.row if self.bump() > 100), default=self.x) + self.x * 10",
        "next bump": "return next((n for n in self.row if n > 3), self.bump()) + self.x * 10",
        "sum order 2": "return sum((n + self.x for n in self.row), start=self.bump())",
        "default method": "return max([n for n in self.row if n > 100], default=self.at(1)) + min(self.row, default=self.at(2))",
        "default tuple": "p, q = max([(n, 1) for n in self.row if n > 100], default=(a, self.x))\nreturn p * 10 + q",
        "default none": "m = max([n for n in self.row if n > a], default=None)\nreturn 5 if m is None else m",
        "prod start": "return prod(self.row[:2], start=self.bump()) + prod((n for n in self.row if n), start=self.x)",
        "default list len": "s = [n for n in self.row if n > 100]\nreturn max(s, default=len(s) + a)",
        "two lists": "s, t = [a], [b, 2]\nreturn s[0] + t[1]",
        "two empty 2": "s, t = [], []\nfor n in self.row:\n    if n > 0:\n        s.append(n)\n    else:\n        t.append(n)\nreturn len(s) * 10 + sum(t)",
        "two sets": "s, t = {a}, {b, 2}\nreturn len(s) + len(t)",
        "list and number": "s, n = [a, b], 3\ns.append(n)\nreturn sum(s)",
        "list and tuple": "s, n = [a, b], (1, 2)\nreturn sum(s) + n[1]",
        "list and pair": "s, (p, q) = [a, b], (1, 2)\nreturn sum(s) + p * q",
        "number and dict": "n, d = 3, {a: 1}\nd[5] = n\nreturn sum(d.values())",
        "bump order": "s, n = [self.bump()], self.bump()\nreturn s[0] * 10 + n",
    },
    "lists that are complete first": {
        "list then key": "return max([self.bump() for n in self.row], key=lambda n: (self.x * 7 + n) % 5)",
        "list sorted by key": "return sorted([n + self.x for n in self.row], key=lambda n: (n + self.bump()) % 5)[0]",
        "list reduced": "return reduce(lambda p, q: p * self.x + q, [self.bump() for n in self.row], 1) % 1000",
        "list searched": "found = 2 in [self.bump() for i in range(5)]\nreturn found + self.x * 10",
        "key before value": "d = {self.bump(): self.bump() for n in self.row}\nreturn sum(k * 10 + v for k, v in d.items())",
        "kept in turn": "d = {1: [a], 2: [b]}\nt = 0\nfor n in (1, 2):\n    x = d[n]\n    t = t * 10 + sum(x)\n    d[n] = [5, n]\nreturn t",
        "kept before": "d = {1: [a], 2: [b]}\nx = d[1]\nt = sum(x)\nd[1] = [5, 6]\nreturn t * 10 + sum(d[1])",
        "grows by a copy": "s = [1, 2]\ns.extend([n + len(s) for n in (1, 2)])\ns += [n + s[0] for n in s]\nreturn sum(s)",
        "copies of lists": "g = [[1], [a]]\nh = [list(r) for r in g]\nh[0].append(b)\nreturn len(g[0]) * 10 + len(h[0])",
    },
    "looked up in a constant": {
        "get": "return sum(BY_FACE.get(n, 9) for n in self.row)",
        "get far away": "return BY_FACE.get(2**62, 3) + BY_FACE.get(-2**62, 4) + BY_FACE.get(a - 8, 5) + BY_FACE.get(a > 2, 6)",
        "get a variable": "return sum(BY_FACE.get(n, a) for n in self.row)",
        "in": "return sum(n not in BY_FACE for n in self.row) * 10 + (a in BY_FACE)",
        "item": "return sum(BY_FACE[n] for n in self.row if n in BY_FACE)",
        "or": "return sum((BY_FACE.get(n) or 4) for n in self.row)",
        "pairs": "return sum(PAIR_BY_FACE.get(n, (7, 8))[1] for n in self.row) + PAIR_BY_FACE[a % 2 + 1][0]",
    },
    "popped, searched, repeated": {
        "pop default": "d = {3: 1, 1: 2}\na = d.pop(a, 9)\nreturn a * 10 + len(d)",
        "pop default2": "d = {3: 1, 1: 2}\nd.pop(a, None)\nreturn len(d)",
        "repeat": "l = [a, 2] * 3\nreturn sum(i * v for i, v in enumerate(l))",
        "repeat var": "l = [a, 2] * b\nreturn sum(i * v for i, v in enumerate(l))",
        "repeat name": "a = [1, a]\nl = a * 3\nl.append(4)\nreturn sum(i * v for i, v in enumerate(l)) + len(a)",
        "index start": "l = [1, a, 2, 1, a]\nreturn l.index(a, 2)",
        "index start row": "return self.row.index(self.row[2], 1)",
        "index stop": "l = [1, a, 2, 1, a]\nreturn l.index(1, 1, 5)",
        "or none": "d = {3: 1, 1: 2}\nreturn d.get(a) or 7",
        "or none2": "d = {3: 1, 1: 2}\na = d.get(a) or d.get(3) or 5\nreturn a",
        "discard tuple": "s = {(1, 2), (a, 3)}\ns.discard((a, 3))\nreturn len(s)",
        "discard tuple2": "s = {(1, 2), (a, 3)}\nt = (1, 2)\ns.discard(t)\ns.remove((a, 3))\nreturn len(s)",
        "rep neg": "l = [a, 2] * (a - 3)\nreturn len(l)",
        "rep left": "l = b * [a, 2]\nreturn len(l)",
        "rep rows": "l = [(a, 2), (1, 3)] * 2\nreturn l[2][0] * 10 + l[3][1] + len(l)",
        "rep rows1": "l = [(a, 2)] * 3\nreturn l[2][0] * 10 + len(l)",
        "rep self": "l = [1, a]\nl = l * 2\nreturn sum(l) + len(l)",
        "rep arg": "return sum([1, a] * 3)",
        "rep in": "return int(a in [1, 2] * 2)",
        "rep eff": "l = [self.x, 1] * self.bump()\nreturn sum(l)",
        "rep bool": "l = [1, 2] * (a > 2)\nreturn len(l)",
        "idx neg": "l = [1, a, 2, 1, a, 1]\nreturn l.index(1, -3)",
        "idx neg2": "l = [1, a, 2, 1, a, 1]\nreturn l.index(1, -3, -1)",
        "idx stop big": "l = [1, a, 2, 1, a, 1]\nreturn l.index(1, 1, 99)",
        "idx neg far": "l = [1, a, 2, 1, a, 1]\nreturn l.index(1, -99)",
        "idx tuple": "t = (1, a, 1, a)\nreturn t.index(1, 1)",
        "idx row": "return self.row.index(self.row[1], 1, 3)",
        "idx star": "l = [0, 5, 0, 5]\nf = l.index(5)\nreturn l.index(5, f + 1)",
        "pop eff": "d = {3: 1, 1: 2}\na = d.pop(self.x, self.bump())\nreturn a * 10 + len(d) + self.x",
        "pop tuple": "d = {(1, 2): 5, (a, 0): 7}\na = d.pop((a, 0), 0)\nb = d.pop((9, 9), -1)\nreturn a * 10 + b + len(d)",
        "pop tupleval": "d = {1: (5, 6), a: (7, 8)}\na, b = d.pop(1, (0, 0))\nc, e = d.pop(77, (1, 2))\nreturn a * 1000 + b * 100 + c * 10 + e + len(d)",
        "pop tupleval1": "d = {1: (5, 6), a: (7, 8)}\na, b = d.pop(1)\nreturn a * 1000 + b * 100 + len(d)",
        "pop none": "d = {3: 1, 1: 2}\na = d.pop(a, None)\nreturn len(d) * 10 + (a if a is not None else 7)",
        "pop none stmt": "d = {3: 1, 1: 2}\nfor n in self.row:\n    d.pop(n, None)\nreturn len(d)",
        "pop order": "d = {3: 1, 1: 2, 7: 4}\nd.pop(3, 0)\nd[3] = 9\nreturn sum(i * k * v for i, (k, v) in enumerate(d.items()))",
        "pop chain": "d = {3: 1, 1: 2}\nd[1] = d.pop(3, 0)\nreturn d[1] * 10 + len(d)",
        "get stmt": "d = {3: 1}\nd.get(a)\nreturn 4",
        "or zero": "d = {3: 0, 1: 2}\nreturn d.get(3) or 7",
        "and none": "d = {3: 0, 1: 2}\na = d.get(a) and 5\nreturn 7 if a is None else a",
        "or none end": "d = {3: 0, 1: 2}\na = d.get(a) or d.get(3)\nreturn 7 if a is None else a",
        "or next": "return next((n for n in self.row if n > a), None) or -1",
        "or and": "d = {1: 5}\nreturn (a > 2 and d.get(1)) or 3",
        "or default list": "d = {1: 5}\nl = [d.get(n) or 0 for n in self.row]\nreturn sum(l)",
        "disc miss": "s = {(1, 2), (a, 3)}\ns.discard((9, 9))\nreturn len(s)",
        "rem list rows": "l = [(1, 2), (a, 3), (1, 2)]\nl.remove((1, 2))\nreturn l[0][0] * 10 + l[1][1] + len(l)",
        "rem miss": "l = [(1, 2), (a, 3)]\nif (a, 3) in l:\n    l.remove((a, 3))\nreturn len(l)",
        "idx rows": "l = [(1, 2), (a, 3), (1, 2)]\nreturn l.index((a, 3)) * 10 + l.count((1, 2))",
        "cnt bool": "l = [(1, 2), (a, 3), (1, 2)]\nreturn l.count((9, 2))",
        "repl": "l = [a]\nm = (l + [2]) * 2\nreturn sum(m) + len(m)",
        "repl2": "m = [n * 2 for n in self.row] * 2\nreturn sum(m) + len(m)",
        "repl3": "m = list(self.row) * 2\nreturn sum(m) + len(m)",
        "repl5": "m = self.row[:2] * 2\nreturn sum(m) + len(m)",
        "repl6": "t = (a, 1) * 2\nreturn sum(t) + len(t)",
        "repl7": "m = [(n, i) for i, n in enumerate(self.row)] * 2\nreturn m[-1][1] + len(m)",
    },
    "items of dicts": {
        "sorted items": "d = {3: 1, 1: 2, a: 4}\nreturn sum(i * k + v for i, (k, v) in enumerate(sorted(d.items())))",
        "sorted items for": "d = {3: 1, 1: 2, a: 4}\nt = 0\nfor k, v in sorted(d.items()):\n    t = 3 * t + k - v\nreturn t",
        "sorted items key": "d = {3: 1, 1: 2, a: 4}\nt = 0\nfor k, v in sorted(d.items(), key=lambda p: -p[1]):\n    t = 3 * t + k - v\nreturn t",
        "list items": "d = {3: 1, 1: 2, a: 4}\nl = list(d.items())\nreturn l[0][0] * 5 + l[-1][1]",
        "max items": "d = {3: 1, 1: 2, a: 4}\nk, v = max(d.items(), key=lambda p: p[1])\nreturn k * 7 + v",
        "min items": "d = {3: 1, 1: 2, a: 4}\nreturn min(d.items())[1]",
        "dict copy": "d = {3: 1, 1: 2}\ne = dict(d)\ne[a] = 5\nreturn len(d) * 10 + len(e)",
        "dict zip": "d = dict(zip([3, 1], [a, 4]))\nreturn d[3] * 10 + d[1]",
        "dict pairs": "d = dict([(3, a), (1, 4)])\nreturn d[3] * 10 + d[1]",
        "dict enum": "d = dict(enumerate(self.row))\nreturn d[0] * 10 + d[1]",
        "items list sorted rev": "d = {3: 1, 1: 2, a: 4}\nreturn sorted(d.items(), reverse=True)[0][0]",
        "dict pairs name": "p = [(3, a), (1, 4), (3, 7)]\nd = dict(p)\nreturn d[3] * 10 + d[1] + len(d)",
        "dict of counter": "from_c = {}\nfor n in self.row:\n    from_c[n] = from_c.get(n, 0) + 1\ne = dict(from_c)\nfrom_c[99] = 3\nreturn len(e) * 10 + len(from_c)",
        "dict of lists2": "d = {}\nfor n in self.row:\n    d.setdefault(n, []).append(n)\ne = dict(d)\nreturn sum(len(v) for v in e.values())",
        "items sorted desc": "d = {}\nfor n in self.row:\n    d[n] = d.get(n, 0) + 1\nt = 0\nfor k, v in sorted(d.items(), key=lambda kv: (kv[1], -kv[0]), reverse=True):\n    t = t * 3 + k * v\nreturn t",
        "items list change": "d = {3: 1, 1: 2, 5: 0}\nfor k, v in list(d.items()):\n    if v < 2:\n        del d[k]\nreturn len(d)",
        "items tuple": "d = {3: 1, 1: a}\nt = tuple(d.items())\nreturn t[0][0] * 10 + t[1][1]",
        "items len": "d = {3: 1, 1: a}\nreturn len(d.items())",
        "items max default": "d = {}\nif a > 2:\n    d[1] = 2\nreturn max(d.items(), default=(0, 9))[1]",
        "items enum": "d = {3: 1, 1: a}\nreturn sum(i * k - v for i, (k, v) in enumerate(d.items()))",
        "items set": "d = {3: 1, 1: a}\nreturn len(set(d.items()))",
        "v1": "d = {1: (1, 2), 3: (a, 0)}\nl = list(d.values())\nreturn l[0][1] + l[1][0]",
        "v2": "d = {(1, 2): (1, 2), (3, b): (a, 0)}\nl = sorted(d.items())\nreturn l[0][0][1] + l[1][1][0] * 10",
        "v3": "d = {(1, 2): 4, (3, b): 5}\nl = sorted(d.keys(), reverse=True)\nreturn l[0][0]",
        "v4": "d = {(1, 2): 4, (3, b): 5}\nl = sorted(d)\nreturn l[0][0]",
        "v5": "d = {1: 4, 3: a}\nreturn len(d.values()) + len(d.keys()) * 10 + len(d.items()) * 100",
        "v6": "d = {1: 4, 3: a}\nreturn max(d.items())[1] + min(d.items())[0] * 10",
        "v7": "d = {1: 4, 3: a}\nreturn int((1, 4) in list(d.items()))",
        "v8": "c = {}\nfor n in self.row:\n    c[n] = c.get(n, 0) + 1\nbest = sorted(c.items(), key=lambda p: (-p[1], p[0]))[:2]\nreturn sum(k * v for k, v in best)",
        "v9": "d = {}\nreturn len(list(d.items()))",
        "v13": "d = {n: i for i, n in enumerate(self.row)}\nl = list(d.items())\nl.append((9, 9))\nreturn len(l) * 10 + len(d)",
    },
    "lists that get a second name and stay": {
        "runs": "runs = []\nrun = []\nfor n in [1, 2, a, 4]:\n    if run and n != run[-1] + 1:\n        runs.append(run)\n        run = []\n    run.append(n)\nruns.append(run)\nreturn max(len(r) for r in runs) * 10 + len(runs)",
        "sort alias": "t = [3, a, 1]\nt.sort()\nu = t\nreturn u[0] * 10 + u[2]",
        "runs if": "runs = []\nrun = []\nfor n in self.row:\n    if run and n < run[-1]:\n        runs.append(run)\n        run = [n]\n    else:\n        run.append(n)\nif run:\n    runs.append(run)\nreturn sum(i * len(r) + r[0] for i, r in enumerate(runs)) * 10 + len(runs)",
        "runs two": "a = []\nb = []\nrun = []\nfor n in self.row:\n    if n > 2:\n        a.append(run)\n        b.append(run)\n        run = []\n    run.append(n)\nreturn len(a) + len(b) + sum(len(r) for r in a)",
        "runs slice": "runs = []\nrun = []\nfor n in self.row:\n    run.append(n)\n    runs.append(run)\n    run = run[-2:]\nreturn sum(len(r) for r in runs)",
        "alias end": "t = [3, a, 1]\nt.append(4)\nu = t\nv = u\nreturn u[0] + v[1] + len(t)",
        "alias branch": "t = [3, a, 1]\nt.append(1)\nif a > 2:\n    u = t\nelse:\n    u = [1]\nreturn len(u)",
        "alias best": "best = []\nfor k in range(3):\n    now = [n for n in self.row if n > k]\n    if len(now) > len(best):\n        best = now\nreturn sum(best)",
        "alias best2": "best = []\nfor k in range(3):\n    now = []\n    for n in self.row:\n        if n > k:\n            now.append(n)\n    if len(now) > len(best):\n        best = now\nreturn sum(best)",
        "alias rows": "ls = [[1], [a]]\nls.append([3])\nms = ls\nreturn len(ms) + ms[2][0]",
        "while alias": "t = [1, 2]\nk = a\nwhile k > 0:\n    u = t\n    t = t[1:] + [k]\n    k -= 1\nreturn sum(t)",
        "alias cond": "t = [3, a, 1]\nt.sort()\nu = t if a > 2 else [5]\nreturn len(u) * 10 + t[0]",
        "app loop once": "ls = []\nt = [1]\nfor n in self.row:\n    ls.append(t)\n    t = [n]\nls.append(t)\nt = [7]\nt.append(3)\nreturn sum(len(r) for r in ls) * 10 + len(t)",
        "app end": "ls = []\nt = [1]\nt.append(a)\nif a > 2:\n    ls.append(t)\nreturn len(ls) + len(t)",
        "x dict3": "d = {}\nfor n in self.row:\n    t = [n]\n    t.append(1)\n    d[n] = t\nreturn sum(len(v) for v in d.values())",
        "x dict4": "d = {}\nt = []\nfor n in self.row:\n    t.append(1)\n    if n > 2:\n        d[n] = t\n        t = []\nreturn sum(len(v) for v in d.values())",
        "x break2": "ls = []\nt = []\nfor n in self.row:\n    t.append(n)\n    if n > 2:\n        ls.append(t)\n        break\nreturn sum(len(v) for v in ls)",
        "x while": "ls = []\nt = []\nk = a\nwhile k > 0:\n    t.append(k)\n    k -= 1\n    if k % 2:\n        ls.append(t)\n        t = [k]\nls.append(t)\nreturn sum(i * sum(v) for i, v in enumerate(ls))",
        "x aug2": "ls = []\nt = []\nfor n in self.row:\n    ls.append(t)\n    t = t + [n]\nreturn sum(len(v) for v in ls)",
        "x aug3": "ls = []\nt = []\nfor n in self.row:\n    t += [n]\n    ls.append(t)\n    t = []\nls[0].append(4)\nreturn sum(len(v) for v in ls)",
        "x best3": "best = []\nnow = []\nfor n in self.row:\n    if n > 1:\n        now.append(n)\n    else:\n        if len(now) > len(best):\n            best = now\n        now = []\nif len(now) > len(best):\n    best = now\nreturn len(best)",
        "x chain": "b = []\nfor n in self.row:\n    a = [n]\n    a.append(2)\n    b = a\n    c = b\nreturn sum(b) + sum(c)",
        "x prev": "prev = []\nchanges = 0\nfor n in self.row:\n    now = list(prev)\n    now.append(n)\n    changes += len(now) - len(prev)\n    prev = now\nreturn changes * 10 + len(prev)",
        "x prev2": "prev = [1]\nfor n in self.row:\n    now = [0]\n    for i in range(len(prev)):\n        now.append(prev[i] + 1)\n    prev = now\nreturn sum(prev)",
        "x ret": "ls = []\nt = []\nfor n in self.row:\n    t.append(n)\n    if n > 4:\n        ls.append(t)\n        return len(ls[0])\nreturn -1",
        "x row": "ls = []\nfor i in range(3):\n    r = [0] * 3\n    r[i] = a\n    ls.append(r)\nls[1][2] = 7\nreturn sum(sum(r) * (i + 1) for i, r in enumerate(ls))",
        "x none": "best = None\nfor n in self.row:\n    if best is None or n > best:\n        best = n\nreturn best",
        "x copy2": "ls = [[1], [a]]\nms = ls\nls = [[5]]\nls[0].append(3)\nreturn len(ms[0]) + len(ls[0])",
    },
    "parts of lists of tuples": {
        "nested pat": "t = [(1, (2, a)), (3, (4, 5))]\ns = 0\nfor a, (b, c) in t:\n    s = s * 3 + a - b + c\nreturn s",
        "star lists": "ls = [[1, 2], [a], [3]]\np, *q = ls\nreturn p[0] + len(q)",
        "star nums": "p, *q = [1, a, 3]\nreturn p * 10 + sum(q)",
        "tab slice": "l = [(1, 2), (3, a)]\nm = l[:1]\nreturn m[0][1] + len(m)",
        "tab slice2": "l = [(1, 2), (3, a), (4, 5)]\nreturn sum(a * b for a, b in l[1:])",
        "tab slice3": "l = sorted([(1, 2), (3, a), (4, 5)])[:2]\nreturn sum(a * b for a, b in l)",
        "tab slice4": "l = [(1, 2), (3, a), (4, 5)]\nl = l[::-1]\nreturn l[0][0]",
        "lst slice": "l = [[1, 2], [3, a]]\nm = l[:1]\nreturn m[0][1] + len(m)",
        "lst slice2": "l = [[1, 2], [3, a], [4, 5]]\nreturn sum(len(r) + r[0] for r in l[1:])",
        "star tuples": "ls = [(1, 2), (a, 4), (3, 3)]\np, *q = ls\nreturn p[0] + len(q) + q[0][0]",
        "star last": "ls = [(1, 2), (a, 4), (3, 3)]\n*q, p = ls\nreturn p[0] + len(q) + q[0][0]",
        "dc slice": "d = {1: (1, 2), 3: (a, 0)}\nl = list(d.values())[:1]\nreturn l[0][0]",
        "n1": "l = [(1, 2), (3, a), (4, 5)]\nm = l[-2:]\nm.append((7, 7))\nreturn m[0][1] + len(m) * 10 + len(l)",
        "n2": "l = [(1, 2), (3, a), (4, 5)]\nm = l[a:]\nreturn len(m)",
        "n3": "l = [(1, 2), (3, a), (4, 5)]\nm = l[:a]\nreturn len(m)",
        "n4": "l = [(i, i * i) for i in range(6)]\nreturn sum(a * 7 + b * i for i, (a, b) in enumerate(l[a::-1]))",
        "n5": "l = [(i, i * i) for i in range(6)]\nreturn sum(a * 7 + b * i for i, (a, b) in enumerate(l[4:1:-2]))",
        "n6": "l = [(i, i * i) for i in range(6)]\nreturn sum(a * 7 + b * i for i, (a, b) in enumerate(l[-99:99:2]))",
        "n7": "l = [(i, i * i) for i in range(6)]\nreturn sum(a * 7 + b * i for i, (a, b) in enumerate(l[:-99:-1]))",
        "n8": "l = [(i, i * i) for i in range(6)]\nreturn sum(a * 7 + b * i for i, (a, b) in enumerate(l[99:-99:-1]))",
        "n13": "ls = [[1, 2], [a], [3]]\nms = ls[1:] + ls[:1]\nreturn sum(map(len, ms))",
        "n16": "l = [(1, 2), (3, a), (4, 5)]\nreturn l[1:][0][1] + len(l[1:])",
        "n17": "l = [(1, 2), (3, a), (4, 5)]\nreturn max(l[1:])[1] + int((1, 2) in l[1:])",
        "n18": "l = [(1, 2), (3, a), (4, 5)]\nreturn sum(a * c for (a, b), (c, d) in zip(l, l[1:]))",
        "n20": "l = [(1, 2), (3, a), (4, 5)]\nl = l[1:]\nl = l[:1]\nreturn l[0][1]",
        "n21": "l = [(1, 2), (3, a), (4, 5)]\nwhile l:\n    a, *_ = l[0]\n    l = l[1:]\nreturn a",
        "n24": "l = [(1, 2), (3, a), (4, 5)]\nfor a, b in l[:]:\n    if b > 2:\n        l.remove((a, b))\nreturn len(l)",
        "n29": "d = {1: (1, 2), 3: (a, 0)}\nreturn sum(a for a, b in list(d.values())[:1])",
        "n30": "return sum(a * b for a, b in sorted(zip(self.row, self.row[1:]))[:2])",
        "n31": "return sum(a for a, b in combinations(self.row, 2)) + len(list(combinations(self.row, 2))[1:3])",
        "e1": "l = [(1, 2)] + [(a, 4)] + [(5, 6)] * 2\nreturn sum(a * 10 + b for a, b in l) + len(l)",
        "e2": "l = [(1, 2)]\nl.extend([(a, 4), (5, 6)])\nreturn sum(a * 10 + b for a, b in l)",
        "e3": "l = [(1, 2)]\nl += [(a, 4), (5, 6)]\nreturn sum(a * 10 + b for a, b in l)",
        "e4": "l = [(1, 2)]\nl.extend((n, i) for i, n in enumerate(self.row))\nreturn sum(a * 10 + b for a, b in l)",
        "e5": "l = [(1, 2)]\nl.extend(l)\nreturn len(l)",
        "e6": "l = [(1, 2), (3, 4)]\nl = l + l\nreturn len(l) + l[3][0]",
        "e7": "l = [(1, 2), (3, 4)]\nl.insert(0, (a, 9))\nl.insert(-1, (7, 7))\nl.insert(99, (8, 8))\nl.insert(-99, (6, 6))\nreturn sum((a * 10 + b) * i for i, (a, b) in enumerate(l))",
        "e8": "l = [(1, 2), (3, 4), (a, 5)]\nl.reverse()\nreturn l[0][0] * 100 + l[1][0] * 10 + l[2][1]",
        "e9": "ls = [[1], [2, 3]]\nms = ls + [[a]]\nreturn sum(len(m) for m in ms) + ms[2][0]",
        "e14": "l = []\nfor n in self.row:\n    l = l + [(n, 1)]\nreturn len(l) + l[0][0]",
        "e15": "l = []\nfor n in self.row:\n    l = l + [[n]]\nreturn len(l) + l[0][0]",
        "e16": "l = [(1, 2)]\nm = [(3, 4, 5)]\nreturn len(l + m)",
        "e19": "l = [(1, 2)]\nl.extend({1: 2}.items())\nreturn len(l)",
        "e20": "l = [(1, 2)]\nd = {1: a}\nl.extend(d.items())\nreturn len(l) * 10 + l[1][1]",
        "e24": "l = [(1, 2), (a, 3)]\nm = l[::2] + l[1::2]\nreturn sum((a * 10 + b) * i for i, (a, b) in enumerate(m))",
    },
}


def game_with(folder: Path, snippets: dict[str, str], small: bool = False) -> Run:
    """A game of these snippets, with more constants and functions than those of `test_meaning`."""
    file = folder / "sample.py"
    file.write_text(with_more(text_of(snippets, small)))
    return Run.of(find_in_file(file, "sample"))


def with_more(text: str) -> str:
    """The text of a game with the constants and functions above."""
    return text.replace("class Level(IntEnum)", f"{MORE}\n\nclass Level(IntEnum)", 1)


@pytest.mark.slow
@pytest.mark.parametrize("snippets", SNIPPETS.values(), ids=SNIPPETS)
def test_ordinary_python_means_the_same(tmp_path: Path, snippets: dict[str, str]) -> None:
    run = game_with(tmp_path, snippets)
    slow = Reference(run.game, run.calls).play(7, 0, 120)
    fast = Compiled(run.game, run.calls)
    found = fast.play(7, 0, 120)
    assert [name for i, name in enumerate(snippets) if found.histogram(i) != slow.histogram(i)] == []
    assert found == slow
    assert found.left == 0, "no game is left to the reference engine"


REFUSED = {
    "the result of a function that returns nothing": (
        "def f(n):\n    self.x += n\nx = f(1)\nreturn 1 if x is None else 2",
        "which returns nothing, as a value",
    ),
    "a function that returns nothing, compared": (
        "return 1 if self.set_up() in (None, 5) else 2",
        "self.set_up(), which returns nothing, as a value",
    ),
    "nothing, given to a function": (
        "f = lambda n: n is None\nreturn f(self.set_up())",
        "self.set_up(), which returns nothing, as a value",
    ),
    "the result of a method that changes a list": (
        "s = [3, a]\nx = s.sort()\nreturn 1 if x is None else 2",
        "s.sort(), which returns nothing, as a value",
    ),
    "a field of a constant that may be None": ("return RESTS[a % 2].high", "which may be None"),
    "a field of a constant that is None": ("return 1 if RESTS[1].high is None else 2", "which may be None"),
    "an item of a constant that may be None": ("return HOLED[a % 3] or 7", "which may be None"),
    "None that is unpacked": ("p, q = RESTS[1]\nreturn q", "which may be None"),
    "0 among constants of which one is None": ("return HOLED.count(0)", "HOLED, with values of a dataclass, or None"),
    "a constant with None, compared": ("return 1 if RESTS[1] == (3, 0) else 2", "with values of a dataclass, or None"),
    "a key that reads the list that is sorted": (
        "s = [3, 1, a]\ns.sort(key=lambda n: len(s) * n)\nreturn s[0]",
        "a key that reads s, empty while Python sorts it",
    ),
    "a function as a key that reads the list that is sorted": (
        "s = [3, 1, a]\ndef g(n):\n    return len(s) - n\ns.sort(key=lambda n: g(n))\nreturn s[0]",
        "a key that reads s, empty while Python sorts it",
    ),
    "a dataclass and a tuple": ("return 1 if PLATES[0] == ('corner', 5) else 2", "compare two of one class"),
    "values of two dataclasses": ("return 1 if PLATES[0] == CHIPS[0] else 2", "compare two of one class"),
    "a tuple among dataclasses": ("return 1 if ('corner', 5) in PLATES else 2", "PLATES, with values of a dataclass"),
    "dataclasses that are equal if they are the same": (
        "return CHIPS.index(CHIPS[1])",
        "CHIPS, with values of a dataclass",
    ),
    "an item of a dataclass": ("return PLATES[a % 2][1]", "PLATES[a % 2], a value of a dataclass"),
    "a dataclass that is unpacked": ("return sum(p for _, p in PLATES)", "PLATES, with values of a dataclass"),
    "a dataclass that is gone through": ("return sum(n for n in CHIPS[0])", "CHIPS[0], a value of a dataclass"),
    "the length of a dataclass": ("return len(PLATES[0])", "PLATES[0], a value of a dataclass"),
    "an order of dataclasses": ("return max(CHIPS).points", "CHIPS, with values of a dataclass"),
    "a dataclass in a pattern": (
        "match CHIPS[0]:\n    case (p,):\n        return p\nreturn 7",
        "CHIPS[0], a value of a dataclass",
    ),
    "a row in a list of lists, which changes": (
        "rows = [[1]]\nrows.append(self.row)\nself.row[0] = a\nreturn rows[1][0]",
        "self.row, a row, as a list; put a copy there: list(self.row)",
    ),
    "rows in a list that is written out": (
        "rows = [self.row, self.other]\nrows[0][1] = a\nreturn self.row[1]",
        "self.row, a row, as a list",
    ),
    "a row as a value of a dict": ("d = {1: [a]}\nd[2] = self.row\nd[2][1] = 3\nreturn self.row[1]", "self.row, a row"),
    "a row or a list": (
        "x = self.row if a > 0 else [1, 2]\nself.row[1] = a\nreturn x[1]",
        "self.row, a row, as a list",
    ),
    "a row or a list, given to a function": (
        "def f(s):\n    self.row[1] = 60\n    return s[1]\nreturn f(self.row or [1, 2])",
        "self.row, a row, as a list",
    ),
    "a function that gives a row or a list": (
        "def f(c):\n    if c > 0:\n        return self.row\n    return [1, 2]\nx = f(a)\nself.row[1] = 70\nreturn x[1]",
        "self.row, a row, as a list",
    ),
    "the larger of a row and a list": (
        "x = max([self.row, [1, 2]], key=sum)\nself.row[1] = 70\nreturn x[1]",
        "self.row, a row, as a list",
    ),
    "a list put away, and changed in a loop over several": (
        "runs = []\nrun = [a]\nruns.append(run)\nfor each in (run, [4]):\n    each.append(3)\nreturn len(runs[0])",
        "put a copy there",
    ),
    "a second name that gets a third one in a nested target": (
        "best = [a, 1]\nnow = best\n(x, y), z = (now, best), 3\nx.append(1)\nreturn len(best)",
        "as another name for best",
    ),
    "a list put away, and changed in a guard": (
        "runs = []\nrun = [a]\nruns.append(run)\nmatch a:\n    case n if run.pop() > -99:\n        return len(runs[0])\nreturn 0",
        "put a copy there",
    ),
    "a list with two names in a third, changed there": (
        "t = [3, a, 1]\nls = []\nu = t\nls.append(u)\nls[0].append(3)\nreturn len(t) * 10",
        "put a copy there",
    ),
    "a list put into another, which changes it, under a name before": (
        "ls = []\nt = [1]\nu = t\nls.append(t)\nt = []\nls[0].append(4)\nreturn len(u)",
        "put a copy there",
    ),
    "a list put into two others, of which one changes it": (
        "ls = []\nms = []\nt = [1]\nt.append(2)\nms.append(t)\nls.append(t)\nt = [3]\nls[0].append(4)\nreturn len(ms[0])",
        "put a copy there",
    ),
    "a list that keeps itself": (
        "runs = []\nrun = []\nfor n in self.row:\n    runs.append(run)\n    run = run\n    run.append(n)\nreturn sum(len(r) for r in runs)",
        "put a copy there",
    ),
    "a list that may go on": (
        "runs = []\nrun = []\nfor n in self.row:\n    runs.append(run)\n    run = run or []\n    run.append(n)\nreturn sum(len(r) for r in runs)",
        "put a copy there",
    ),
    "a list put away, and changed in the next turn": (
        "ls = []\nt = []\nfor n in self.row:\n    t.append(n)\n    ls.append(t)\n    if n > 2:\n        t = []\nreturn sum(len(v) for v in ls)",
        "put a copy there",
    ),
    "a list put away before a loop ends": (
        "ls = []\nt = []\nfor n in self.row:\n    t.append(n)\n    if n > 2:\n        ls.append(t)\n        break\nelse:\n    t = [7]\nt.append(4)\nreturn sum(len(v) for v in ls)",
        "put a copy there",
    ),
    "a second name inside a loop": (
        "t = [3, a, 1]\nu = [0]\nfor n in self.row:\n    if n > 2:\n        u = t\n    t.append(n)\nreturn len(u)",
        "as another name for t",
    ),
    "a second name of a second name": (
        "a = [1]\nb = a\nc = b\nb = []\nc.append(3)\nreturn len(a)",
        "b as another name for a",
    ),
    "a list repeated with lists in it": (
        "l = [[a]] * 3\nl[0].append(2)\nreturn len(l[1])",
        "the same lists",
    ),
    "a loop over a part of lists that it changes": (
        "ls = [[1, 2], [a], [3]]\nfor r in ls[1:]:\n    r.append(4)\nreturn sum(map(len, ls))",
        "a loop over copies",
    ),
    "a part of lists that change": (
        "ls = [[1, 2], [a], [3]]\nms = ls[1:]\nls[1].append(4)\nreturn sum(map(len, ms))",
        "as another name for l",
    ),
    "a rest of lists that change": (
        "ls = [[1, 2], [a], [3]]\nfirst, *rest = ls\nrest[0].append(5)\nreturn len(ls[1])",
        "as another name for the list that is unpacked",
    ),
    "repeated as often as what changes the game says": (
        "l = self.bump() * [self.x, 1]\nreturn sum(l)",
        "give it a name before",
    ),
    "a generator gone through twice": (
        "found = (n for n in self.row)\nreturn sum(found) + sum(found)",
        "generator that is kept",
    ),
    "a generator that is given": ("return sum(evens(n for n in self.row))", "generator that is kept"),
    "what a function yields, kept": ("found = rising(a)\nreturn sum(found) + sum(found)", "a generator that is kept"),
    "the order of a set": ("return [n for n in {a, b}][0]", "order isn't fixed"),
    "a set as a list": ("found = list({a, b})\nreturn found[0]", "order isn't fixed"),
    "another name for a list": (
        "found = [1]\nmore = found\nmore.append(a)\nreturn len(found)",
        "as another name for found",
    ),
    "another name for a set, enlarged": (
        "found = {1, 2}\nmore = found\nmore |= {a}\nreturn len(found)",
        "as another name for found",
    ),
    "a list in a list written out, changed there": (
        "line = [a]\ngrid = [line]\ngrid[0].append(1)\nreturn len(line)",
        "put a copy there",
    ),
    "a list added to another, changed there": (
        "line = [a]\ngrid = [[0]]\ngrid.append(line)\ngrid[1][0] = 50\nreturn line[0]",
        "put a copy there",
    ),
    "a list inside another, changed": (
        "line = [1]\ngrid = [[0]]\ngrid.append(line)\nline.append(2)\nreturn len(grid[1])",
        "put a copy there",
    ),
    "a list changed while it is gone through": (
        "found = [1, 2]\nfor n in found:\n    found.append(n)\nreturn 1",
        "a list that its body changes",
    ),
    "a text and a number": ("return 1 if NAMED[0][0] == a else 2", "texts and numbers are never equal"),
    "a key of unknown length": (
        "found = {(1, 2): 5}\nkey = tuple(n for n in faces)\nreturn found.get(key, 0)",
        "of another length",
    ),
    "combinations gone through twice": (
        "c = combinations(self.row, 2)\nx = sum(p[0] for p in c)\nreturn x * 10 + sum(p[1] for p in c)",
        "a generator that is kept",
    ),
    "a chain gone through twice": (
        "c = chain([1, 2], [a, b])\nx = sum(c)\nreturn x * 10 + sum(c)",
        "a generator that is kept",
    ),
    "sums gone through twice": (
        "c = accumulate([1, 2, a])\nx = sum(c)\nreturn x * 10 + sum(c)",
        "a generator that is kept",
    ),
    "combinations gone through in a loop": (
        "c = combinations(faces, 2)\nt = 0\nfor i in range(2):\n    for p in c:\n        t += p[0] + i\nreturn t",
        "a generator that is kept",
    ),
    "combinations searched, then gone through": (
        "c = combinations([1, 2, 3], 2)\nx = 1 if (1, 3) in c else 0\nreturn x * 10 + sum(1 for _ in c)",
        "a generator that is kept",
    ),
    "sums of a row that is changed before": (
        "c = accumulate(self.row)\nself.row[0] = 50\nreturn sum(c)",
        "a generator that is kept",
    ),
    "a chain of a list that is changed": (
        "t = 0\nfor n in chain(self.row, self.other):\n    self.row[3] = 1\n    t = t * 3 + n\nreturn t",
        "go through list(...)",
    ),
    "sums of a list that is changed": (
        "s = [1, a]\nt = 0\nfor n in accumulate(s):\n    s[1] = 9\n    t += n\nreturn t",
        "go through list(...)",
    ),
    "a generator beside numbers, with a variable that changes": (
        "t = 0\nk = 1\nfor i, n in enumerate(v * k for v in self.row):\n    k += 1\n    t += n * i\nreturn t",
        "go through list(...)",
    ),
    "one of two generators, with a variable that changes": (
        "t = 0\nk = 1\nfor n in ((v * k for v in self.row) if a > 0 else (v - k for v in self.row)):\n    k += 1\n    t += n\nreturn t",
        "go through list(...)",
    ),
    "generators side by side that change the game": (
        "return sum(p * q for p, q in zip((v + self.bump() for v in self.row), (v - self.bump() for v in self.row)))",
        "go through list(...)",
    ),
    "a list that gets other values while it is gone through": (
        "s = [1, a, b]\nt = 0\nfor n in s:\n    s = [7, 8]\n    t += n\nreturn t + len(s)",
        "a list that its body changes",
    ),
    "parts of a row that change places": (
        "self.row[:2], self.row[2:] = self.row[2:], self.row[:2]\nreturn 1",
        "on a line of its own",
    ),
    "what a function gives back, changed": (
        "s = [a]\nx = same(s)\ns.append(3)\nreturn len(x)",
        "as another name for s",
    ),
    "lists copied with what they hold, changed": (
        "g = [[1], [2]]\nh = list(g)\nh[0].append(a)\nreturn len(g[0])",
        "as another name for g",
    ),
    "a list added to another, then enlarged": (
        "g = [[0]]\ns = [1]\ng.append(s)\ns += sorted(self.row)\nreturn len(g[1])",
        "put a copy there",
    ),
    "arguments by name in another order": (
        "f = lambda n, m: n * 10 + m\nreturn f(m=self.bump(), n=self.bump())",
        "write them in its order",
    ),
    "an item enlarged by what moves it": ("d = {2: 10, 1: 20}\nd[1] += d.pop(2)\nreturn d[1]", "use two lines"),
    "a list before what changes it": ("s = [1, 2, a]\nt = s + [s.pop()]\nreturn len(t)", "use two lines"),
    "a row that is chosen, changed while it is gone through": (
        "t = 0\nfor n in (self.row if a > 0 else self.other):\n    self.row[3] = 70\n    t += n\nreturn t",
        "go through list(...)",
    ),
    "an item of a list that is kept, then changed under the list's name": (
        "g = [[a], [b]]\nbest = []\nfor r in g:\n    best = r\ng[0].append(3)\ng[1].append(3)\nreturn len(best)",
        "best as another name for r",
    ),
    "an item of a list that is put into another, then changed": (
        "g = [[a], [b]]\nh = []\nfor r in g:\n    h.append(r)\ng[0].append(5)\nreturn len(h[0])",
        "put a copy there: list(r)",
    ),
    "an item of a dict that is kept, then replaced": (
        "d = {1: [a]}\nx = d[1]\nd[1] = [5, 6]\nreturn sum(x)",
        "d[1] while x is an item of d; use x = list(...)",
    ),
    "an item of a dict that is kept in a loop, then replaced": (
        "d = {1: [a], 2: [b]}\nt = 0\nx = d[1]\nfor n in (1, 2):\n    t += sum(x)\n    d[n] = [5, n]\nreturn t",
        "d[n] while x is an item of d",
    ),
    "one list twice": ("line = [a]\ng = [line, line]\nreturn len(g[1])", "one list twice"),
    "a list that is complete before a start changes it": (
        "return sum([n + self.x for n in self.row], self.bump())",
        "two lines",
    ),
    "a count increased by what looks at the counts": (
        "c = Counter()\nc[1] += len(c)\nreturn c[1]",
        "use two lines",
    ),
    "a list that grows by what is computed from it": (
        "s = [1, 2]\ns.extend(n + len(s) for n in (1, 2))\nreturn s[-1]",
        "an addition to s of what is computed from s; write list(...)",
    ),
    "counts that grow by what is computed from them": (
        "c = Counter([1])\nc.update(n + len(c) for n in (5, 6))\nreturn len(c)",
        "an addition to c",
    ),
    "one of two lists, put into another, then enlarged": (
        "s, t = [a], [b]\ng = [[0]]\ng.append(s if a > 0 else t)\ns.append(1)\nreturn len(g[1])",
        "put a copy there: list(s)",
    ),
    "a list that a function gives back, put into another, then enlarged": (
        "s = [a]\ng = [[0]]\ng.append(same(s))\ng[1].append(1)\nreturn len(s)",
        "put a copy there: list(s)",
    ),
    "a list that a function gives back, in a list written out, then enlarged": (
        "s = [a]\ng = [same(s), [1]]\ns.append(1)\nreturn len(g[0])",
        "g as another name for s",
    ),
    "an item of a list in a list written out, then changed": (
        "h = [[a], [b]]\ng = [h[0], [1]]\ng[0].append(1)\nreturn len(h[0])",
        "put a copy there: list(h[0])",
    ),
    "one of two lists as a value of a dict, then changed": (
        "s, t = [a], [b]\nd = {1: [0]}\nd[2] = s if a > 0 else t\ns.append(1)\nreturn len(d[2])",
        "put a copy there: list(s)",
    ),
    "some of the items of a list, then changed": (
        "h = [[a], [b]]\ng = [r for r in h if r[0] > 0]\nfor r in g:\n    r.append(1)\nreturn len(h[0])",
        "g as another name for h",
    ),
    "a loop over lists that have names, which it changes": (
        "s, t = [a], [b]\nfor r in [s, t]:\n    r.append(1)\nreturn len(s)",
        "a loop over copies of s",
    ),
    "a loop over some of the items of a list, which it changes": (
        "h = [[a], [b]]\nfor r in [q for q in h if q[0] > 0]:\n    r.append(1)\nreturn len(h[0])",
        "a loop over copies of h",
    ),
    "a function inside that changes an item of what it is given": (
        "def f(g):\n    r = g[0]\n    r.append(1)\n    return len(r)\ns = [a]\nreturn f([s, [1]]) + len(s)",
        "a change of r, which the rule was given",
    ),
    "an item of a list that is made anew in each turn of a loop": (
        "t = 0\nfor n in (1, 2, 3):\n    h = [[n], [n, n]]\n    if n == 1:\n        r = h[1]\n    t += r[0]\nreturn t",
        "while r is an item of h",
    ),
    "a function inside that is called before it is defined": (
        "x = f() if a > 5 else 3\ndef f():\n    return 1\nreturn x + f()",
        "f, which may be called before it is defined",
    ),
    "a function inside that is defined on one path": (
        "if a > 0:\n    f = lambda n: n * 2\nreturn f(b)",
        "f, which may be called before it is defined",
    ),
    "a function inside that calls one defined later": (
        "def f():\n    return g() + 1\nx = f()\ndef g():\n    return a\nreturn x + g()",
        "g, which may be called before it is defined",
    ),
    "a generator over what the statement that uses it changes first": (
        "s = [1, 2, a]\ng = (n for n in range(len(s)))\nt = s.pop() + sum(g)\nreturn t",
        "a generator that is kept",
    ),
    "a generator over a number that the statement that uses it sets first": (
        "k = 2\ng = (n for n in range(k))\nx = (k := 5) + sum(g)\nreturn x",
        "a generator that is kept",
    ),
    "a result with a list in it": ("f = lambda n: ([n], 1)\np, q = f(a)\nreturn q", "a tuple with a list in it"),
    "a pair of lists with a name": ("s = [a]\nw = s, [b]\nreturn len(w[0])", "a tuple with a list in it"),
    "a list in a named tuple": ("w = Box('x', [a], 3)\nreturn len(w.low)", "a tuple with a list in it"),
    "an item of a range with a name": ("r = range(a, b)\nreturn r[0]", "an item of a range"),
    "a text and a number inside tuples": ("return (('x', a) == (a, 5)) * 1", "texts and numbers are never equal"),
    "a dict and one of other values": ("return len({a: 1} | {b: (1, 2)})", "another kind"),
    "a function inside that calls itself": (
        "def f(n):\n    return 1 if n < 1 else f(n - 1)\nreturn f(3)",
        "calls itself; write a loop",
    ),
    "a function inside with arguments by name": (
        "def f(n, *, k=2):\n    return n * k\nreturn f(a, k=3)",
        "of the file",
    ),
    "a function inside that yields": (
        "def f(n):\n    yield n\nreturn sum(f(3))",
        "make it one of the file",
    ),
    "the length of a generator": ("return len(n for n in self.row)", "not only gone through"),
    "the truth of a generator": ("return 1 if (n for n in self.row if n > 100) else 2", "not only gone through"),
    "a generator and a list": ("return 1 if accumulate(self.row) == [5, 3, 3, 12] else 2", "not only gone through"),
    "an item of combinations": ("return combinations(self.row, 2)[0][1]", "not only gone through"),
    "the length of combinations with a name": (
        "c = combinations(self.row, 2)\nreturn len(c)",
        "a generator that is kept",
    ),
    "the length of what a function yields": ("return len(rising(3))", "not only gone through"),
    "a generator that nothing goes through": (
        "(self.bump() for n in self.row)\nreturn self.x",
        "not only gone through",
    ),
    "combinations that a function returns, gone through twice": (
        "f = lambda r: combinations(r, 2)\np = f([1, 2, 3])\nx = sum(q[0] for q in p)\nreturn x + sum(q[1] for q in p)",
        "a generator that is kept",
    ),
    "running totals gone through twice": (
        "c = accumulate(self.row, max)\nreturn sum(c) + sum(c)",
        "a generator that is kept",
    ),
    "running totals of what a loop changes": (
        "t, k = 0, 1\nfor n in accumulate(self.row, lambda p, q: p + q * k):\n    k += 1\n    t = t * 3 + n\nreturn t",
        "go through list(...)",
    ),
    "two arguments that change the same": (
        "return sum(self.row[self.bump() - 1:], start=self.bump())",
        "changes what another one reads",
    ),
    "a set that is numbered": ("return sum(i * n for i, n in enumerate({3, 1, a}))", "order isn't fixed"),
    "a set beside a tuple": ("return sum(i * n for i, n in zip({3, 1, a}, (1, 2, 3)))", "order isn't fixed"),
    "running totals of a set": ("return list(accumulate({3, 1, a}))[0]", "order isn't fixed"),
    "pairs of a set": ("return [p for p, q in combinations({3, 1, a}, 2)][0]", "order isn't fixed"),
    "a set inside a list": ("return [*{3, 1, a}][0]", "order isn't fixed"),
    "a set after a list": ("return [n for n in chain({3, 1, a}, [2])][0]", "order isn't fixed"),
    "a set added to a list": ("s = [1]\ns.extend({3, 1, a})\nreturn s[1]", "order isn't fixed"),
    "a set of the file, unpacked": ("p, q, r = ODD\nreturn p", "order isn't fixed"),
    "a set gone through by what changes the game": ("return sum(n * self.bump() for n in {1, 2, a})", "order of a set"),
    "another name for a set, made smaller": ("s = {a, 1}\nt = s\nt -= {1}\nreturn len(s)", "as another name for s"),
    "one of two lists, enlarged": (
        "s, t = [], []\nfor n in self.row:\n    (s if n > 0 else t).append(n)\nreturn len(s)",
        "a list without a name",
    ),
    "a list that a function was given, enlarged": (
        "s = [a]\nsame(s).append(1)\nreturn len(s)",
        "a list without a name",
    ),
    "one name for a list and a number": ("found = [a] if a > 0 else a\nreturn 1", "several kinds"),
    "an order of pairs with texts": ("return sorted(NAMED)[1][1]", "an order of texts"),
    "a list of texts that is sorted": ("s = [n for n, _ in NAMED]\ns.sort()\nreturn len(s)", "an order of texts"),
    "the largest pair with a text": ("return max((n, v) for n, v in NAMED)[1]", "an order of texts"),
    "a key with a text": ("return max(NAMED, key=lambda p: (1, p[0]))[1]", "an order of texts"),
    "an order of tuples with a text": ("return 1 if (1, NAMED[a % 3][0]) < (1, 'p') else 2", "an order of texts"),
    "a text as an index": ("return AWKWARD[NAMED[0][0]]", "a text, where a number is needed"),
    "a text in a field": ("self.x = NAMED[0][0]\nreturn 1", "a text, where a number is needed"),
    "a list with a name inside an expression": (
        "return len(s) if (s := [n for n in self.row if n > 0]) else 0",
        "of something other than a number",
    ),
    "del of a slice": ("s = [a, b, 3]\ndel s[1:]\nreturn sum(s)", "make a list of what stays"),
    "a name for the rest in a pattern": (
        "s = [n for n in self.row]\nmatch s:\n    case [x, *rest]:\n        return x + sum(rest)\nreturn 0",
        "rest = numbers[1:]",
    ),
    "an order of texts": ("return 1 if NAMED[0][0] < NAMED[1][0] else 2", "an order of texts"),
    "a list and a tuple": ("return 1 if [n for n in faces] == (1, 2) else 2", "== of a list and a tuple"),
}
"""What compiled code can't do as Python does: refused with file and line."""


@pytest.mark.slow
@pytest.mark.cases(("body", "said"), REFUSED.values(), ids=REFUSED)
def test_what_would_mean_something_else_is_refused(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(RulesError, match=r"sample\.py, line") as refused:
        game_with(tmp_path, {"one": body})
    assert said in str(refused.value)


LARGE = {
    "a long list": "found = []\nfor i in range(200):\n    found.append(i * a)\nreturn sum(found) % 1009",
    "a long inner list": "grid = [[0]]\nfor i in range(60):\n    grid[0].append(i + a)\nreturn sum(grid[0]) % 1009",
    "a sum of more than 64 bits": "self.big = 2**62\nreturn sum((self.big, self.big)) % 1009",
    "numbers of more than 64 bits": "return sum([2**62 + n for n in (a, b, 2**61)]) % 1009",
}


@pytest.mark.slow
def test_a_game_with_a_list_that_is_too_long_is_played_by_the_reference_engine(tmp_path: Path) -> None:
    game = chosen_by_parameter(tmp_path, LARGE)
    for which, name in enumerate(LARGE):
        run = Run.of(game, which=which)
        slow, fast = Reference(run.game, run.calls), Compiled(run.game, run.calls)
        assert [outcome_of(fast, i) for i in range(3)] == [outcome_of(slow, i) for i in range(3)], name


@pytest.mark.slow
def test_running_sums_of_more_than_64_bits_are_those_of_the_reference_engine(tmp_path: Path) -> None:
    run = game_with(tmp_path, {"sums": "return list(accumulate([2**62, 2**62, a]))[-1] % 1009"})
    assert Compiled(run.game, run.calls).play(7, 0, 5) == Reference(run.game, run.calls).play(7, 0, 5)


@pytest.mark.slow
@pytest.mark.parametrize("loop", ["sum(d[k + 1] for k in d)", "len([d[k + 1] for k, v in d.items() if v])"])
def test_a_defaultdict_to_which_its_own_loop_adds_a_key_is_an_error(tmp_path: Path, loop: str) -> None:
    run = game_with(tmp_path, {"grows": f"d = defaultdict(int)\nd[a] = 1\nd[8] += 3\nreturn {loop}"})
    slow, fast = Reference(run.game, run.calls), Compiled(run.game, run.calls)
    assert "changed size during iteration" in str(outcome_of(slow, 0))
    assert [outcome_of(fast, i) for i in range(9)] == [outcome_of(slow, i) for i in range(9)]


@pytest.mark.slow
def test_adding_to_none_is_an_error(tmp_path: Path) -> None:
    run = game_with(tmp_path, {"adds": "d = {1: a, 3: b}\nx = d.get(b)\nx += 1\nreturn x"})
    slow, fast = Reference(run.game, run.calls), Compiled(run.game, run.calls)
    told = [outcome_of(slow, i) for i in range(9)]
    assert any("NoneType" in str(each) for each in told)
    assert [outcome_of(fast, i) for i in range(9)] == told
