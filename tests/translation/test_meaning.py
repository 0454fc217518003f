"""Everything that rules may use means the same in every engine: the snippets below are run both ways, with awkward values.

Many snippets make one game, each with a tally of its own that counts what the snippet returns and leaves behind.
"""

# ruff: noqa: E501 (rules are written as lines of text)

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dicelab.engines.compiled import Compiled
from dicelab.engines.player import forced
from dicelab.errors import ParameterError, RulesError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.solver.enumeration.graph import graph_of
from snippets import chosen_by_parameter, game_of, indented, outcome_of

SNIPPETS = {
    "integers": {
        "floor": "a // b if b != 0 else 1",
        "mod": "a % b if b != 0 else 1",
        "floor back": "b // a if a != 0 else 1",
        "mod back": "b % a if a != 0 else 1",
        "floor of constants": "-7 // 2 + -7 % 3 + (-a) // 3 + (-a) % 3 + a // -3 + a % -3",
        "divmod": "if b == 0:\n    return 0\nq, r = divmod(a, b)\nreturn q * 100 + r",
        "divmod literal": "q, r = divmod(a, -4)\nreturn q * 100 + r",
        "divmod indexed": "divmod(a, 3)[0] * 10 + divmod(a, 3)[1]",
        "abs": "abs(a) + abs(b - 3) * 10",
        "abs bool": "abs(a > 0) + abs(self.flag)",
        "neg": "-a + -b - -a",
        "pos": "+a + +(a > 0) + +self.flag",
        "round int": "round(a) + int(b) + int(a > 0)",
        "bool": "bool(a) + bool(b) * 2 + bool(self.x) * 4",
        "and bits": "a & b",
        "or bits": "a | b",
        "xor": "a ^ b",
        "bits mixed": "(a & -2) + (a | 5) * 3 + (b ^ -1) * 7",
        "invert": "~a + ~b * 3 + ~(a & 1)",
        "precedence": "-a ** 2 + 2 * a ** 3 - (a - b) * (a + b)",
        "pow": "a ** 2 + a ** 3 + a ** 0 + 0 ** 0",
        "pow var": "a ** (b & 3)",
        "pow neg base": "(-2) ** (b & 7) + (-1) ** (b & 63)",
        "pow bool": "(a > 0) ** 2 + (a > 0) ** 0 + 2 ** (a > 0)",
        "minmax": "min(a, b) * 10 + max(a, b, 2)",
        "minmax bool": "max(a > 0, b) + min(a > 0, b > 0) * 5 + max(a > 0, b > 0)",
        "min of tuple": "min((a, b, 3)) + max((a, b)) * 7",
        "sum of tuple": "sum((a, b, 3))",
        "sum start": "sum((a, b), 3)",
        "sum of bools": "sum((a > 0, b > 0, True))",
        "sum list": "sum([a, b, a])",
        "len": "len((a, b)) + len(SHORT) + len(LONG) + len(NONE)",
        "max of file": "max(SHORT) + min(LONG) + sum(LONG)",
        "ifexp": "a if b > 0 else b if a > 0 else -1",
        "ifexp bools": "(a > 0 if b > 0 else a) * 3 + (self.flag if a > 0 else b)",
        "chained if": "(1 if a else 2) + (3 if b else 4) + (5 if self.flag else 6) + (7 if self.x else 8)",
        "not": "(not a) + (not b) * 2 + (not self.flag) * 4 + (not not a) * 8",
    },
    "shifts": {
        "right 0": "(a >> 0) + (b >> 1) * 3",
        "right 62": "(a >> 62) + (a >> 63) * 3 + (a >> 64) * 5 + (a >> 100) * 7",
        "left 0": "(a << 0) + (a << 3) + (a << 20) % 1001",
        "left by var": "a << (b & 15)",
        "right by var": "a >> (b & 127)",
        "right by face": "(a * 1000) >> faces[0]",
        "left 59": "(a << 59) % 10007",
        "zero left": "(0 << 100) + (0 << 63) + (0 << 62)",
        "zero left var": "(a - a) << 80",
        "right of large": "(LARGE >> 60) + (-LARGE >> 61) + (LARGE >> 100) + (-LARGE >> 70)",
        "shift of bool": "((a > 0) << 2) + (self.flag << 3) + ((a > 0) >> 1) + (True << 4)",
        "shift by bool": "(a << (b > 0)) + (a >> self.flag) * 3",
        "aug shift": "n = a\nn <<= 3\nn >>= 1\nself.x = a\nself.x <<= 2\nself.row[1] >>= 1\nreturn n",
    },
    "yes and no": {
        "true plus true": "True + True + YES + YES * 2",
        "sum of comparisons": "(a > 0) + (b > 0) + (a == b)",
        "negated": "-(a > 0) * 3 + -self.flag + -self.flip * 2 + -self.switch * 7",
        "times": "self.flag * 3 + self.flip * 5 + (a > 0) * a + self.switch * 9",
        "and": "(self.flag & 1) + (self.flag & a) * 3 + (self.flag & (a > 0)) * 5 + ((a > 0) & (b > 0)) * 7",
        "or xor": "(self.flag | a) + (self.flag ^ (a > 0)) * 3 + (self.flip | (b > 0)) * 5 + ((a > 0) ^ (b > 0)) * 7",
        "invert flag": "~self.flag + ~self.flip * 3 + ~(a > 0) * 5 + ~True + ~self.switch * 9",
        "invert local": "f = a > 0\ng = self.flag\nreturn ~f + ~g * 3 + ~(not f) * 9",
        "not flag": "(not self.flag) + (not self.flip) * 3",
        "minus": "(a > 0) - (b > 0) - self.flag",
        "mod flag": "(self.flag % 2) + (self.flag // 1) * 3 + a // self.switch",
        "compare": "(self.flag == 1) + (self.flag > self.flip) * 2 + ((a > 0) < 1) * 4 + (self.flag == (a > 0)) * 8 + (self.flag != a) * 16",
        "flag into int": "self.x = a > 0\nself.y = self.flag\nreturn self.x + self.y * 3",
        "row of bool": "self.row[0] = a > 0\nself.row[1] += self.flag\nreturn self.row[0]",
        "int into flag": "self.flag = a & 1\nreturn self.flag + 0",
        "flag aug": "self.flag &= a > 0\nself.flip |= b > 0\nreturn self.flag * 2 + self.flip",
        "flag xor": "self.flag ^= True\nself.flip ^= a > 0\nreturn self.flag",
        "flag times": "self.flag *= a > 0\nreturn self.flag",
        "flag plus": "self.flip += a > 0\nself.flag -= b > 0\nreturn self.flip * 3",
        "local bool grows": "n = a > 0\nn += 1\nn += b > 0\nreturn n",
        "local bool then int": "n = a > 0\nif b > 0:\n    n = 5\nreturn n * 3 + ~n",
        "local joined": "n = self.flag\nn = n + n\nn = n * 2\nreturn n",
        "and or values": "bool(a > 0 and b > 0) + (1 if a > 0 or b > 0 else 0) * 3",
        "and of ints": "(a and b) + 0",
        "or of ints": "(a or b) * 3",
        "and of mixed": "(a > 0 and b) * 3 + (b or a > 0) * 5",
        "or default": "x = a or 9\nreturn x",
        "boolop flags": "(self.flag and a) + (self.flip or b) * 3 + (self.flag and self.flip) * 7",
        "and of int and compare": "1 if a and b > 0 else 2",
        "or of int and compare": "1 if a > 0 or b else 2",
        "not of and": "not (a and b)",
        "flag and int truth": "1 if self.flag and self.x == 0 and a else 2",
        "int of bool": "int(self.flag) + int(a > 0) * 2",
        "bool of bool": "bool(self.flag) + bool(a > 0) * 2 + bool(b)",
        "max of flags": "max(self.flag, self.flip) + min(self.flag, a > 0)",
        "abs flag": "abs(self.flag) + abs(-self.flag)",
        "divmod flag": "q, r = divmod(self.flag, 2)\nreturn q + r * 3",
        "range of bool": "n = 0\nfor i in range(self.flag):\n    n += 5\nfor i in range(a > 0, 3):\n    n += 7\nreturn n",
        "bool to helper": "times(a > 0) + times(self.flag, self.flag) + self.more(a > 0) + self.more(self.flag)",
        "helper returns bool": "only_yes(a) + only_yes(b) + ~only_yes(a) + -only_yes(a) * 3",
        "switch": "self.switch + (not self.switch) * 3 + (1 if self.switch else 2)",
        "sum of flags": "sum((self.flag, self.flip, self.switch))",
        "flag power": "self.flag ** 2 + 2 ** self.flag",
        "flag in": "(self.flag in (1, 2)) + (a in (True, False)) * 3",
        "bool loop variable": "n = 0\nfor f in (True, False, a > 0):\n    n += ~f * 3 - f\nreturn n",
        "bool tuple": "t = (a > 0, b > 0)\nreturn t[0] + t[1] + ~t[0]",
        "unpacked bool": "f, g = a > 0, b > 0\nreturn ~f + ~g * 5 + (f + g)",
        "bool ifexp": "f = True if a > 0 else False\nreturn f + f + ~f",
        "match bool": "match self.flag:\n    case 1:\n        return 3\n    case _:\n        return 4",
        "index by bool": "self.row[a > 0] + self.row[self.flag] * 3 + LONG[a > 0] * 7 + faces[self.flag] * 11 + (a, b)[self.flag] * 13 + SHORT[self.flag] * 17",
    },
    "comparisons": {
        "chains": "(-1 <= a < b) + (a < b < 5) * 2 + (a == b == 0) * 4 + (0 < faces[0] <= faces[1] < 6) * 8",
        "chain with effects": "(0 < self.bump() < 3 < self.bump()) * 100",
        "chain once": "(self.bump() < 2 < self.bump() < 1) + self.x * 5",
        "ne": "(a != b != 0) + (a >= b) * 2 + (a <= b) * 4",
        "in tuple": "(a in (1, 3)) + (a not in (1, 3)) * 2 + (a in (b, 3)) * 4",
        "in list": "(a in [1, -7, b]) + (a not in [8]) * 2",
        "in row": "(a in self.row) + (b in self.row) * 2 + (a not in self.row) * 4 + (5 in self.row) * 8",
        "in faces": "(6 in faces) + (a not in faces) * 2",
        "in file tuple": "(a in SHORT) + (b in LONG) * 2 + (a not in LONG) * 4",
        "in empty": "(a in ()) + (a in NONE) * 2",
        "in range": "(a in range(5)) + (a in range(-7, 9, 2)) * 2 + (a in range(8, -8, -3)) * 4 + (a not in range(b)) * 8",
        "in range reversed": "(a in range(3, -3)) + (a in range(0, 0)) * 2",
        "in with bool": "((a > 0) in (1, 5)) + (True in (a, b)) * 3",
        "in local tuple": "t = (a, 3)\nreturn (b in t) + (3 in t)",
        "in memory of range": "n = faces[0]\nreturn (n in range(n)) + (n in range(n + 1)) * 2",
        "in range large": "(a * 2**40 in range(0, 2**45, 2**40)) + 0",
        "compare Level": "(a < Level.HIGH) + (Level.LOW < b) * 2 + (Level.LOW < Level.HIGH) * 4",
        "not in chain": "(not a < b) + (not (a < b < 9)) * 3",
        "in of expression": "(a + b in (1, 2, 3)) + (a * b not in (0, -7)) * 2",
        "in with call": "(self.bump() in (1, 2)) + self.x * 3",
        "in row of call": "(self.place() in self.row) + 0",
        "combined": "(a > 0 and b > 0 or a < b) + (a > 0 and (b > 0 or a > 2)) * 2",
        "guarded": "(a >= 0 and a < 4 and self.row[a] > 0) + (a < 0 or a > 3 or self.row[a] == 0) * 2",
    },
    "rows": {
        "sum": "sum(self.row) + sum(self.other) * 3",
        "sum start": "sum(self.row, 100)",
        "maxmin": "max(self.row) - min(self.other) + max(self.wide)",
        "len": "len(self.row) + len(self.other) * 10 + len(faces) * 100",
        "max and more": "max(max(self.row), a)",
        "index": "self.row.index(9) + self.row.index(0) * 5 + self.other.index(-2) * 7",
        "index bool": "self.row[0] = 1\nreturn self.row.index(True)",
        "count": "self.row.count(5) + self.row.count(a) * 3 + self.other.count(b) * 5",
        "faces": "faces[0] * 10 + faces[1] + faces[-1] * 100 + faces[-2] * 1000",
        "faces all": "sum(faces) + max(faces) * 20 + min(faces) * 400 + len(faces)",
        "faces by var": "faces[-faces[0] % 2] + faces[(a & 1) - 1] * 10",
        "faces count": "faces.count(6) + faces.count(a) * 5 + faces.index(faces[1]) * 9",
        "faces loop": "n = 0\nfor f in faces:\n    n = n * 7 + f\nreturn n",
        "faces unpack": "f, g = faces\nreturn f * 10 + g",
        "row unpack": "p, q, r, s = self.row\nreturn p * 1000 + q * 100 + r * 10 + s",
        "short": "SHORT[a % 3] + SHORT[-1] * 10 + SHORT[-3] * 100 + SHORT[-(b % 3) - 1] * 1000",
        "long": "LONG[a % 20] + LONG[-1] * 10 + LONG[-20] * 100 + LONG[-(b % 20) - 1] * 1000",
        "short by awkward": "SHORT[max(-3, min(2, a))] + LONG[max(-20, min(19, b))]",
        "pairs": "PAIRS[a % 3][b % 2] + PAIRS[-1][-1] * 10",
        "pairs loop": "n = 0\nfor p, q in PAIRS:\n    n = n * 5 + p * q\nreturn n",
        "tuple local": "t = (a, b, 5)\nreturn t[0] + t[-1] * 3 + t[b % 3] * 7",
        "tuple of tuples": "t = ((a, b), (b, a))\nreturn t[0][1] + t[1][1] * 3 + len(t)",
        "alias": "r = self.row\nr[0] = a\nr[1] += b\nreturn r[0] + r[1] * 3 + sum(r) + len(r) + max(r)",
        "alias index": "r = self.row\nreturn r.index(9) + r.count(5) + (a in r)",
        "row swaps": "i, j = faces[0] % 4, faces[1] % 4\nself.row[i], self.row[j] = self.row[j], self.row[i]\nreturn 0",
        "field swaps": "self.x = a\nself.x, self.y = self.y, self.x\nreturn self.x * 100 + self.y",
        "mixed swaps": "self.x, self.row[1], n = self.row[0], self.y, self.x\nreturn n",
        "rotate": "self.row[0], self.row[1], self.row[2], self.row[3] = self.row[1], self.row[2], self.row[3], self.row[0]\nreturn 0",
        "index follows": "self.x = 1\nself.x, self.row[self.x] = 2, 7\nreturn self.row[2]",
        "index evaluated late": "i = 0\ni, self.row[i] = 3, 77\nreturn i",
        "order of right": "self.row[self.place()] = self.place()\nreturn 0",
        "aug index once": "self.row[self.place()] += 10\nreturn self.y",
        "aug order": "self.x += self.bump()\nreturn self.x",
        "aug order row": "self.row[self.x] += self.bump()\nreturn self.row[0] * 100 + self.row[1]",
        "aug order row call": "self.row[self.place()] += self.place() * 100\nreturn self.y",
        "aug row changed meanwhile": "self.row[0] += swap_ends(self.row)\nreturn self.row[0]",
        "aug local order": "n = 3\nn += self.bump() + n\nreturn n",
        "aug all": "n = a * 7 + 3\nn += 5\nn -= b\nn *= 3\nn //= 2\nn %= 1000\nn |= 1\nn &= 255\nn ^= 7\nn <<= 2\nn >>= 1\nn **= 2\nreturn n",
        "aug fields": "self.x = a * 7 + 3\nself.x += 5\nself.x -= b\nself.x *= 3\nself.x //= 2\nself.x %= 1000\nself.x |= 1\nself.x &= 255\nself.x ^= 7\nself.x <<= 1\nself.x >>= 1\nself.y **= 2\nreturn self.x",
        "aug rows": "self.row[a % 4] += 5\nself.row[b % 4] -= b\nself.row[0] *= 3\nself.row[1] //= 2\nself.row[2] %= 7\nself.row[3] |= 1\nself.row[0] &= 255\nself.row[1] ^= 7\nself.row[2] <<= 1\nself.row[3] >>= 1\nreturn 0",
        "targets": "n = self.x = self.row[1] = a\nreturn n",
        "targets order": "self.x = self.row[self.x] = 2\nreturn self.row[2]",
        "tuple targets": "(p, q), r = (a, b), 5\nreturn p * 100 + q * 10 + r",
        "tuple twice": "t = p, q = a, b\nreturn t[0] + p * 3 + q",
        "chained tuples": "p, q = self.x, self.y = a, b\nreturn p * 10 + q + self.x * 3",
        "tuple from helper": "p, q = halves(a)\nself.x, self.row[0] = halves(b)\nreturn p * 10 + q",
        "helper indexed": "halves(a)[0] + halves(b)[1] * 3 + halves(a)[-1]",
        "spread": "spread(self.row, 1) + spread(self.other, a) + spread(faces, 0)",
        "spread tuple": "spread((a, b, 3), 1) + spread(SHORT, 0)",
        "two rows": "pair_up(self.row, self.other, 1) + pair_up(self.other, self.row, 2)",
        "row changed by helper": "swap_ends(self.row) + swap_ends(self.other) * 3",
        "alias to helper": "r = self.row\nreturn swap_ends(r) + spread(r, 2)",
        "same row twice": "pair_up(self.row, self.row, 1)",
        "helper by name row": "spread(row=self.row, start=2)",
        "comparison of rows": "1 if self.row[0] == self.other[0] else 2",
        "nested index": "self.row[self.row[2]] + SHORT[SHORT[1]] * 5 + self.row[faces[self.row[2]] % 4]",
        "alias in branches": "r = self.other\nn = 0\nfor i in range(len(r)):\n    n += r[i] * i\nreturn n",
        "large index product": "self.row[a * a % 4] + self.row[(a + b) % 4]",
        "negative tuple index": "(10, 20, 30)[a % 3] + (10, 20, 30)[-2]",
        "tuple index -len": "(10, 20, 30)[-3] + (a, b)[-2]",
        "annotated": "n: int = a\nm: int\nm = b\nreturn n + m",
        "bool of tuple": "1 if SHORT else 2",
    },
    "loops": {
        "range": "n = 0\nfor i in range(4):\n    n = n * 5 + i\nfor i in range(-2, 3):\n    n = n * 3 + i\nfor i in range(9, -4, -3):\n    n += i * n\nreturn n",
        "range var": "n = 0\nfor i in range(a, b):\n    n += i\nfor i in range(b, a, -1):\n    n += i * 3\nfor i in range(a, b, 2 if a > 0 else 3):\n    n += 7\nreturn n",
        "range step var": "n = 0\nfor i in range(10, -10, -faces[0]):\n    n = n * 2 + i\nreturn n",
        "range empty": "n = 7\nfor i in range(a - a):\n    n = 1\nfor i in range(5, 2):\n    n = 2\nreturn n",
        "range kept": "i = 99\nfor i in range(a):\n    pass\nreturn i",
        "range bound once": "n = 3\nm = 0\nfor i in range(n):\n    n += 1\n    m += n\nreturn m * 10 + n",
        "variable changed": "m = 0\nfor i in range(5):\n    i *= 2\n    m += i\nreturn m * 10 + i",
        "for else": "for v in self.row:\n    if v == a:\n        n = 1\n        break\nelse:\n    n = 2\nreturn n",
        "for else not": "n = 0\nfor i in range(3):\n    if i == faces[0]:\n        continue\n    n += i\nelse:\n    n += 100\nreturn n",
        "while else": "n = 0\nwhile n < faces[0]:\n    n += 1\n    if n == 4:\n        break\nelse:\n    n += 100\nreturn n",
        "while true": "n = 0\nwhile True:\n    n += 1\n    if n > faces[0]:\n        break\nreturn n",
        "while true else": "n = 0\nwhile True:\n    n += 1\n    if n % 3 == 0:\n        continue\n    if n > faces[0]:\n        break\nelse:\n    n = 1000\nreturn n",
        "while true return": "n = 0\nwhile True:\n    n += 1\n    if n > faces[1]:\n        return n",
        "while 1": "n = 0\nwhile 1:\n    n += 2\n    if n > faces[1]:\n        return n",
        "while int": "n = faces[0]\nm = 0\nwhile n:\n    n -= 1\n    m += n\nreturn m",
        "while flag": "n = 0\nwhile self.flag:\n    n += 1\n    self.flag = n < faces[0]\nreturn n",
        "while and": "n = 0\nwhile n < 10 and n != faces[0]:\n    n += 1\nreturn n",
        "while not": "n = 0\nwhile not n > 5:\n    n += 2\nreturn n",
        "while call": "n = 0\nwhile self.bump() < 4:\n    n += 1\nreturn n + self.x * 10",
        "while chain": "n = 0\nwhile -1 < n < faces[0]:\n    n += 1\nreturn n",
        "while in": "n = 0\nwhile n not in (3, faces[0]):\n    n += 1\nreturn n",
        "while or": "n = 0\nwhile n < 2 or n < faces[0]:\n    n += 1\nreturn n",
        "while local bool": "f = a > 0\nn = 0\nwhile f:\n    n += 1\n    f = n < 3\nreturn n",
        "while false": "while False:\n    return 3\nreturn 4",
        "while ifexp": "n = 0\nwhile (n < 3 if a > 0 else n < 5):\n    n += 1\nreturn n",
        "nested": "n = 0\nfor i in range(3):\n    for j in range(i):\n        if j == faces[0]:\n            break\n        n = n * 3 + i * j + 1\n    else:\n        continue\n    n += 50\nreturn n",
        "over row changing": "n = 0\nfor v in self.row:\n    self.row[3] = v + 1\n    n = n * 3 + v\nreturn n",
        "over row changing by helper": "n = 0\nfor v in self.row:\n    swap_ends(self.row)\n    n = n * 3 + v\nreturn n",
        "over tuple of fields": "n = 0\nfor v in (self.x, self.y, self.row[0]):\n    self.x += 1\n    self.y += 1\n    n = n * 3 + v\nreturn n",
        "enumerate": "n = 0\nfor i, v in enumerate(self.row):\n    n = n * 3 + i * v\nreturn n",
        "enumerate start": "n = 0\nfor i, v in enumerate(self.row, 5):\n    n = n * 3 + i * v\nreturn n",
        "enumerate tuple": "n = 0\nfor i, v in enumerate((a, b, 3)):\n    n = n * 3 + i * v\nreturn n",
        "enumerate file": "n = 0\nfor i, v in enumerate(SHORT):\n    n = n * 3 + i * v\nreturn n",
        "enumerate Level": "n = 0\nfor i, v in enumerate(Level):\n    n = n * 3 + i * v\nreturn n",
        "enumerate range": "n = 0\nfor i, v in enumerate(range(9, 3, -2)):\n    n = n * 3 + i * v\nreturn n",
        "enumerate faces": "n = 0\nfor i, v in enumerate(faces):\n    n = n * 3 + i * v\nreturn n",
        "zip": "n = 0\nfor p, q in zip(self.row, self.other):\n    n = n * 3 + p * q\nreturn n",
        "zip uneven": "n = 0\nfor p, q in zip(self.wide, self.other):\n    n = n * 3 + p - q\nreturn n",
        "zip file": "n = 0\nfor p, q in zip(self.row, (1, 2, 3, 4)):\n    n = n * 3 + p * q\nreturn n",
        "zip range": "n = 0\nfor p, q in zip(range(10), self.row):\n    n = n * 3 + p * q\nreturn n",
        "zip three": "n = 0\nfor p, q, r in zip(self.row, self.other, self.wide):\n    n = n * 3 + p * q + r\nreturn n",
        "zip changing": "n = 0\nfor p, q in zip(self.row, self.other):\n    self.row[3] += 1\n    self.other[3] -= 1\n    n = n * 3 + p * q\nreturn n",
        "enumerate zip": "n = 0\nfor i, (p, q) in enumerate(zip(self.row, self.other)):\n    n = n * 3 + i * p + q\nreturn n",
        "over list": "n = 0\nfor v in [a, b, 4]:\n    n = n * 3 + v\nreturn n",
        "over Level": "n = 0\nfor v in Level:\n    n = n * 3 + v\nreturn n",
        "over mixed": "n = 0\nfor v in (a > 0, b, 3):\n    n = n * 3 + v\nreturn n",
        "over one": "n = 0\nfor v in (a,):\n    n += v\nreturn n",
        "over pairs": "n = 0\nfor p, q in ((a, b), (b, a), (1, 2)):\n    n = n * 3 + p - q\nreturn n",
        "return in loop": "for i in range(10):\n    if i * i > b:\n        return i\nreturn -1",
        "pass": "for i in range(3):\n    pass\nif a > 0:\n    pass\nelse:\n    return 3\nreturn 4",
        "loop over field in order": "n = 0\nfor i in range(len(self.row)):\n    self.row[i] = n\n    n = n * 2 + self.row[i - 1 if i > 0 else 3]\nreturn n",
        "range max": "n = 0\nfor i in range(max(a, 2)):\n    n += i\nreturn n",
        "sum range": "sum(range(5)) + sum(range(a, 3))",
        "len range": "len(range(5)) + len(range(9, 2, -2)) * 10",
        "max range": "max(range(5)) + min(range(3, 9))",
    },
    "sorting": {
        "unpacked": "p, q, r = sorted((a, b, 3))\nreturn p * 10000 + q * 100 + r",
        "down": "p, q, r = sorted((a, b, 3), reverse=True)\nreturn p * 10000 + q * 100 + r",
        "up": "p, q = sorted((a, b), reverse=False)\nreturn p * 100 + q",
        "indexed": "sorted((a, b, 3))[0] + sorted((a, b, 3))[-1] * 100 + sorted([a, b, 3])[1] * 7",
        "by var": "s = sorted((a, b, 3))\nreturn s[b % 3] + s[-(b % 3) - 1] * 100",
        "row": "n = 0\nfor v in sorted(self.row):\n    n = n * 10 + v\nreturn n",
        "row down": "p, q, r, s = sorted(self.row, reverse=True)\nreturn p * 1000 + q * 100 + r * 10 + s",
        "equal": "p, q, r, s = sorted((a, a, b, a))\nreturn p * 1000 + q * 100 + r * 10 + s",
        "bools": "p, q, r = sorted((a > 0, b > 0, True))\nreturn p + p + q * 5 + r * 7 + ~p",
        "mixed": "p, q = sorted((a > 0, b))\nreturn p * 100 + q",
        "one": "(p,) = sorted((a,))\nreturn p",
        "eight": "s = sorted((a, b, 3, 1, 2, -a, -b, 0))\nn = 0\nfor v in s:\n    n = n * 3 + v\nreturn n",
        "names": "s = sorted((a, b))\nreturn max(s) * 10 + min(s) + sum(s) + len(s)",
        "in": "s = sorted((a, b))\nreturn (3 in s) + (a in s) * 2",
        "fields": "self.x, self.y = sorted((a, b))\nreturn self.x * 100 + self.y",
        "row into": "self.row[0], self.row[1] = sorted((a, b))\nreturn 0",
        "enumerate": "n = 0\nfor i, v in enumerate(sorted((a, b, 4))):\n    n = n * 3 + i * v\nreturn n",
        "length var": "n = 0\nfor v in sorted((self.x, self.y)):\n    n = n * 20 + v\nreturn n",
        "file": "n = 0\nfor v in sorted(SHORT):\n    n = n * 20 + v\nreturn n",
        "row then change": "s = sorted(self.row)\nself.row[0] = 100\nreturn s[-1]",
    },
    "match": {
        "or": "match a:\n    case 1 | 3:\n        n = 1\n    case -7:\n        n = 2\n    case 0:\n        n = 3\n    case _:\n        n = 4\nreturn n",
        "none fits": "n = 9\nmatch a:\n    case 1:\n        n = 1\nreturn n",
        "guard": "match a:\n    case 3 if b > 0:\n        return 1\n    case _ if b < 0:\n        return 2\n    case _:\n        return 3",
        "capture": "match a:\n    case 1:\n        return 100\n    case n:\n        return n * 3",
        "capture guard": "match a + b:\n    case n if n > 0:\n        return n\n    case m:\n        return m * 5",
        "as": "match a:\n    case 1 | 3 as n:\n        return n * 5\n    case _:\n        return 7",
        "Level": "match b:\n    case Level.LOW:\n        return 1\n    case Level.HIGH | Level.MIDDLE:\n        return 2\n    case _:\n        return 3",
        "tuple": "match (a, b):\n    case (1, 2):\n        return 1\n    case (n, 5):\n        return n\n    case (3, m):\n        return m * 7\n    case (p, q):\n        return p * 10 + q",
        "effects once": "match self.bump():\n    case 2:\n        return 1\n    case 3:\n        return 2\n    case n:\n        return n * 10 + self.x",
        "bool": "match a > 0:\n    case 1:\n        return 4\n    case 0:\n        return 5\nreturn 6",
        "capture bool": "match a > 0:\n    case n:\n        return ~n + n + n",
        "row": "match self.row[1]:\n    case -2:\n        return 4\n    case _:\n        return 5",
        "rebinds": "n = 5\nmatch a:\n    case n if n > 100:\n        return 1\nreturn n",
        "return in every": "match faces[0]:\n    case 1 | 2 | 3:\n        return 1\n    case _:\n        return 2",
        "self value": "match b:\n    case self.y:\n        return 1\n    case _:\n        return 2",
        "tuple wild": "match a > 0, b > 0:\n    case 1, _:\n        return 1\n    case _, 1:\n        return 2\n    case _:\n        return 3",
    },
    "large": {
        "near": "n = 2**62 - 1\nreturn n + a",
        "sum near": "(2**62 + a) % 1000 + (2**62 - 1 + 2**62) % 1000",
        "field": "self.big = 2**62 - 8\nself.big += a\nself.big -= 9\nreturn self.big % 1000 + self.big // 1000003 % 1000",
        "field product": "self.big = a * 2**58\nreturn self.big % 1009",
        "wide": "self.wide[0] = 2**61\nself.wide[1] = 2**61 - 1\nreturn sum(self.wide) % 1000 + max(self.wide) % 997",
        "min of 64": "(-2**63 + 3) % 1009",
        "neg": "n = 2**62 + 2**62 - 1\nreturn (-n) % 1009 + (~n) % 1013",
        "constant": "2**63 - 1 - LARGE + (2**62 - 1) * 2 - LARGE",
        "product": "(a * 2**59) % 1009 + ((a * 3**30) // 7) % 1013",
        "shift": "(1 << 62) % 1009 + (-1 << 63) % 1013 + (1 << 61) % 7",
        "mod by large": "a % LARGE % 1009 + a // LARGE",
        "compare": "(a * 2**59 > 2**61) + (LARGE > a) * 2",
        "hash": "n = 17\nfor v in self.row:\n    n = (n * 31 + v) % 1000000007\nreturn n",
        "hash wide": "n = 17\nfor v in self.row:\n    n = (n * 1000003 + v) % 2**40\nreturn n % 999983",
        "lcg": "n = abs(a) + 12345\nfor i in range(6):\n    n = (n * 1103515245 + 12345) % 2147483648\nreturn n",
        "mask": "n = 1\nfor i in range(5):\n    n = n * 40507 & 2**32 - 1\nreturn n % 1009",
        "least": "(LEAST + 5) % 1009 + (LEAST + 5) // 3 % 1013 if a > 100 else 5",
        "abs large": "abs(a * 2**59) % 1009",
        "divmod large": "q, r = divmod(a * 2**59, 1000003)\nreturn q % 1009 + r % 1013",
        "abs of product": "n = (a * 2**30) * (b * 2**20)\nreturn abs(n) % 1009 + divmod(n, 7)[1]",
    },
    "names": {
        "_g": "_g = a\nreturn _g + self.x",
        "_rules": "_rules = a\nreturn self.row[a % 4] + _rules ** 2",
        "_t1": "_t1 = a\n_t2 = b\nself.row[a % 4], self.x = _t1, _t2\nreturn _t1 * 10 + _t2",
        "np": "np = a\nreturn LONG[np % 20]",
        "v_a": "v_a = 5\nv_b = 6\nreturn a + v_a * 3 + b * v_b",
        "_seat": "_seat = a\nseat = b\nreturn _seat + seat",
        "int": "int = a\nreturn int + (a > 0)",
        "max": "max = a\nmin = b\nreturn max + min",
        "bool": "bool = a\nabs = b\nreturn bool + abs + (a > 0) * 2",
        "unsigned": "unsigned = a\nkernel = b\nreturn self.row[unsigned % 4] + kernel",
        "len": "len = a\nsum = 3\nrange = 4\nreturn len + sum + range + sorted((a, b))[0]",
        "_r_row": "_r_row = a\nreturn self.row[0] + _r_row",
        "_table_0": "_table_0 = a\nreturn LONG[3] + _table_0",
        "print": "print = a\nlist = b\nreturn print + list",
        "rule names": "rule_0 = a\ngame_0_next = b\nreturn rule_0 + game_0_next",
        "LOW": "LOW = a\nHALF = b\nrecord = 3\nreturn LOW + HALF + record",
        "TIMES": "TIMES = a\nreturn TIMES + times(2)",
        "game": "game = a\nt = b\nstep = 5\nu = 6\no = 7\nreturn game + t + step + u + o",
        "unicode": "é = a\nª = b\nreturn é + ª",
        "match": "match = a\ncase = b\ntype = 3\nreturn match + case + type",
        "enum": "IntEnum = a\nLevel_ = b\nreturn IntEnum + Level_",
        "i": "i = a\nn0 = b\nreturn i + sorted((n0, i))[0]",
    },
    "calls and variables": {
        "defaults": "times(a) + times(a, 5) * 3 + times(n=a, plus=b) + times(a, plus=1, by=2)",
        "keyword order": "times(by=self.bump(), n=self.bump() * 10)",
        "order of arguments": "times(self.bump(), self.bump(), self.bump())",
        "method": "self.more(a) + self.more(n=b)",
        "at": "self.at(a % 4) + self.at(i=b % 4) * 3",
        "constants": "times(3) + times(True) + times(-2, by=-1) + times(YES, by=TIMES)",
        "Level made": "Level(2) + Level(Level.HIGH) * 3 + (5 if Level(3) == Level.MIDDLE else 6)",
        "Level var": "Level(2 + (b > 0)) * 3",
        "Level value": "int(Level.HIGH) + Level.LOW.value",
        "no return value": "self.set_up()\nreturn nothing_at_all(a)",
        "evaluation left to right": "self.bump() * 100 + self.x * 10 + self.bump()",
        "operands in order": "self.x + self.bump() * 10 + self.x * 100",
        "compare in order": "(self.x < self.bump()) + (self.bump() > self.x) * 2",
        "tuple in order": "t = (self.bump(), self.x, self.bump())\nreturn t[0] * 100 + t[1] * 10 + t[2]",
        "min in order": "min(self.bump(), self.x + 5, self.bump() + 7) + self.x * 10",
        "subscript in order": "self.row[self.bump()] + self.row[self.bump()] * 10",
        "ifexp one side": "(self.bump() if a > 0 else b) + self.x * 10",
        "and stops": "(a > 0 and self.bump() > 0) + self.x * 10",
        "or stops": "(a > 0 or self.bump() > 0) + self.x * 10",
        "expression alone": "self.bump()\na + b\nself.x\nreturn self.x",
        "string alone": "'a note'\nreturn a",
        "left operand then change": "n = self.x\nself.bump()\nreturn n * 10 + self.x",
        "return and or": "return a > 0 and b > 0",
        "read row before change": "self.row[0] + swap_ends(self.row) * 10 + self.row[0] * 100",
        "nested calls": "times(times(a, 2), times(b, 1)) + self.more(self.more(a))",
        "parameter assigned": "a += 1\nb = a * 2\nreturn a + b",
        "unset": "if a > 0:\n    n = 5\nif a > 0:\n    return n\nreturn 3",
        "unset loop": "for i in range(3):\n    n = i\nreturn n",
        "unset branch in loop": "for i in range(3):\n    if i == 0:\n        n = a\n    n += i\nreturn n",
        "unset match": "match a:\n    case 1 | 3:\n        n = 4\n    case m if m > 100:\n        return 1\nif a == 1:\n    return n\nreturn 7",
        "tuple out bool": "t = (a > 0, 7)\nreturn ~t[0] + t[1]",
        "tuple of tuple bool": "t = ((a > 0, b > 0), (True, a))\np, q = t[0]\nreturn ~p + q + ~t[1][0]",
        "near 2**63": "n = 2**62 + 2**61\nn += 2**61 - 1\nreturn n % 1009",
        "value": "Level.LOW.value + int(Level.HIGH)",
        "sum start": "sum((a, b), 3) + sum(self.row, 100) + sum([a, b], b > 0)",
        "max of two rows": "max(max(self.row), max(self.other)) + min(min(self.row), a)",
        "helper by name row": "spread(row=self.row, start=2) + spread(start=a, row=self.other)",
        "tuple compare": "((a, b) < (b, a)) + ((a, 1) == (b, 1)) * 2 + ((a, b) >= (0, 0)) * 4",
        "abs any": "abs(self.big) + abs(a - 2**40) % 1009",
        "divmod any": "q, r = divmod(self.big + a, 7)\nreturn q * 7 + r",
        "for unpack tuple": "n = 0\nfor i, (p, q) in enumerate(PAIRS):\n    n = n * 3 + i * p + q\nreturn n",
        "walrus none": "n = (a, b)[a > 0]\nreturn n",
        "return tuple bool": "p, q = yes_and(a)\nreturn ~p + q * 3",
        "default bool": "plus_yes(a) + plus_yes(a, yes=a > 0) * 3",
        "minus bool const": "-True + ~False + (True << 3) + True * a",
        "big constants": "(2**63 - 1) % 1009 + (-2**63) // 3 % 1013 + (LEAST + 5) % 1009 + LEAST // 7 % 11 + HUGE // 2 % 13 + (1 << 63) // 3 % 17 + 2**200 // 3**120 % 19",
        "minus least": "(LEAST if a > 0 else 5) % 1009",
        "Level whole": "len(Level) + max(Level) * 3 + sum(Level) * 7",
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("snippets", SNIPPETS.values(), ids=SNIPPETS)
def test_meaning_is_kept(tmp_path: Path, snippets: dict[str, str]) -> None:
    """In the compiled engine, without any game being left to the reference engine, and where positions are found."""
    run = game_of(tmp_path, snippets)
    slow = Reference(run.game, run.calls).play(7, 0, 120)
    fast = Compiled(run.game, run.calls)
    found = fast.play(7, 0, 120)
    assert [name for i, name in enumerate(snippets) if found.histogram(i) != slow.histogram(i)] == []
    assert found == slow
    assert found.left == 0, "no game is left to the reference engine"


@pytest.mark.slow_cases("yes and no")
@pytest.mark.parametrize("group", ["yes and no", pytest.param("rows", marks=pytest.mark.slow)])
def test_the_compiled_enumeration_finds_the_same_graph(tmp_path: Path, group: str) -> None:
    run = game_of(tmp_path, SNIPPETS[group], small=True)
    one, other = (graph_of(run, engine=engine) for engine in ("compiled", "reference"))
    for name in ("keys", "row", "target", "weight", "total"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert np.array_equal(one.changes[one.change], other.changes[other.change])


@pytest.mark.slow
@pytest.mark.parametrize("group", ["comparisons", "match"])
@pytest.mark.parametrize("engine", ["memo", "table"])
def test_the_other_engines_keep_the_meaning_too(tmp_path: Path, group: str, engine: str) -> None:
    run = game_of(tmp_path, SNIPPETS[group], small=True)
    playing = forced(run, engine)
    assert playing.play(7, 0, 120) == Reference(run.game, run.calls).play(7, 0, 120)


WRONG = {
    "a variable without a value": "if a > 0:\n    n = 5\nreturn n",
    "a variable that a loop left out": "for i in range(a):\n    pass\nreturn i",
    "a variable that a case left out": "match a:\n    case 1 | 3:\n        n = 4\nreturn n",
    "a variable added to without a value": "if a > 0:\n    n = 5\nn += 1\nreturn n",
    "a variable of a condition that isn't evaluated": "x = b > 0 and (n := a) > 1\nself.y = 3\nreturn n + x",
    "a variable of a branch that isn't evaluated": "self.x = 1 if b > 0 else (n := a)\nself.y = 3\nreturn n",
    "a variable of a chain that stops": "x = 1 < b < (n := a)\nself.y = 3\nreturn n + x",
    "no such member": "return Level(a)",
    "an index outside a tuple": "return SHORT[a]",
    "an index outside a long tuple": "return LONG[a * 5]",
    "an index outside a tuple written out": "return (a, b)[a]",
    "an index outside the faces": "return faces[a]",
    "an index outside a sorted list": "return sorted((a, b))[a]",
    "a negative index of a row": "return self.row[a]",
    "a negative index of an alias": "r = self.row\nreturn r[-1] if a == 3 else 0",
    "a negative index in a helper": "return pair_up(self.row, self.other, a)",
    "a negative index that is set": "self.row[a] = 1\nreturn 0",
    "a negative index that is added to": "self.row[a] += 1\nreturn 0",
    "division by 0": "return b // a",
    "remainder by 0": "return b % a",
    "divmod by 0": "p, q = divmod(b, a)\nreturn p",
    "a step of 0": "for i in range(0, 5, a):\n    if i > 20:\n        break\nreturn 1",
    "a negative shift": "return 1 << a",
    "a negative shift to the right": "return 8 >> a",
    "a negative power that is stored": "self.x = 3 ** a\nreturn 0",
    "not found": "return self.row.index(a)",
    "no numbers": "return max(range(a))",
    "an assertion": "assert a < 4, 'too many'\nreturn 0",
}
"""Snippets that some throws make raise an error: by a parameter one of them is chosen."""
BACK_AT_THE_END = {
    "a flag that is 2": "self.flag += a > 0\nreturn 0",
    "a swap outside its range": "self.wide[0] = a * 200\nself.x, self.wide[0] = self.wide[0], self.x\nreturn 0",
    "a large field outside its range": "self.big = 2**62\nself.big += a\nreturn 0",
    "a value outside its range": "self.x = a * 200\nreturn 0",
    "a sum outside its range": "self.x += a * 200\nreturn 0",
    "a number of a row outside its range": "self.row[0] += a * 200\nreturn 0",
    "a number of an unknown row outside its range": "r = self.row\nr[1] = a * 200\nreturn 0",
}
"""Snippets that leave ranges inside the rule only: it sets everything up anew before it ends."""
LARGE = {
    "a sum": "return (2**62 + a * 2**60) * 2 % 1009",
    "a small step": "n = 2**62 + 2**61\nn += 2**61 - 1\nn += a\nreturn n % 1009",
    "a product": "return (a * 2**61) * b % 1009",
    "a power": "return a ** 40 % 1009",
    "a power of a row": "return self.row[3] ** (a * a) % 1009",
    "a shift": "return (a << b * b) % 1009",
    "a shift by 63": "return (a << 63) % 1009 + (a << 64) % 1013 + (1 << 63) % 1019 if a != 0 else 0 << 100",
    "the least divided": "n = LEAST\nfor i in range(2):\n    n = n // -1\nreturn n % 1009",
    "the least negated": "n = LEAST\nif a > 0:\n    n = 3\nreturn -n % 1009",
    "abs of the least": "n = LEAST\nif a > 0:\n    n = 3\nreturn abs(n) % 1009",
    "a loop that doubles": "n = 1\nfor i in range(66):\n    n = n * 2\nreturn n % 1009",
    "a loop that adds": "n = a\nfor i in range(70):\n    n += n\nreturn n % 1009",
    "a sum of a row": "self.wide[0] = self.wide[1] = self.wide[2] = 2**62\nreturn sum(self.wide) % 1009",
    "a sum of a tuple": "n = 2**62\nreturn (n + a + n) % 1009",
    "Fibonacci": "p, q = 0, 1\nfor i in range(100):\n    p, q = q, p + q\nreturn p % 1009",
    "a helper": "return times(2**62 + a, 3) % 1009",
    "a bit mask": "n = 2**62 + 2**61\nreturn (n + n & 255) + a",
}
"""Snippets in which numbers on the way need more than 64 bits."""


@pytest.mark.slow
@pytest.mark.parametrize("snippets", [WRONG, BACK_AT_THE_END, LARGE], ids=["wrong", "back at the end", "large"])
def test_what_goes_wrong_and_what_is_large_is_told_by_the_reference_engine(
    tmp_path: Path, snippets: dict[str, str]
) -> None:
    game = chosen_by_parameter(tmp_path, snippets)
    for which, name in enumerate(snippets):
        run = Run.of(game, which=which)
        slow, fast = Reference(run.game, run.calls), Compiled(run.game, run.calls)
        told = [outcome_of(slow, i) for i in range(30)]
        assert [outcome_of(fast, i) for i in range(30)] == told, name
        assert any(isinstance(each, str) for each in told) == (snippets is WRONG), name


REFUSED = {
    "a bool singled out": ("match a > 0:\n    case True:\n        return 1\nreturn 2", "case True; compare with =="),
    "a capture within |": ("match (a, b):\n    case (1, n) | (n, 1):\n        return n\nreturn 2", "captures within |"),
    "recursion": ("return self.again(a)", "calls itself; write a loop"),
    "an IntEnum by number": ("return Level[0]", "Level, a EnumType"),
    "in of an IntEnum": ("return a in Level", "in of an IntEnum"),
    "2**63": ("return HUGE + a", "HUGE, a number of more than 64 bits"),
    "2**63 written out": ("return 9223372036854775808 + a", "a number of more than 64 bits"),
    "2**64 made": ("return 2**64 + a", "2 ** 64, a number of more than 64 bits"),
    "a row that may have no value": ("if a > 0:\n    r = self.row\nreturn r[0]", "where it may have no value"),
    "a name for two rows": ("r = self.row\nif a > 0:\n    r = self.other\nreturn r[0]", "use two names"),
    "a row and a number": ("r = self.row\nr[0] = 3\nr = 5\nreturn r", "use two names"),
    "the game by name": ("return biggest(game=self, bonus=b)", "the game by name"),
    "an enumerate that is kept": (
        "e = enumerate(self.row)\nn = 0\nfor i, v in e:\n    n += v\nreturn n",
        "other than in a for loop",
    ),
    "a list as a target": ("[p, q] = a, b\nreturn p", "as a target; set variables and fields"),
    "a float": ("return int(a * 1.5)", "1.5"),
    "a row as a truth": ("return 1 if self.row else 2", "a row, as a whole"),
}


@pytest.mark.parametrize(("body", "said"), REFUSED.values(), ids=REFUSED)
def test_what_would_mean_something_else_is_refused(tmp_path: Path, body: str, said: str) -> None:
    """No command plays it."""
    more = "\n\n    def again(self, n):\n        return 0 if n < 1 else self.again(n - 1)"
    with pytest.raises(RulesError) as refused:
        Run.of(chosen_by_parameter(tmp_path, {"refused": body}, more))
    assert said in str(refused.value)
    assert "sample.py, line " in str(refused.value)


COLLIDING = """
from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Memory, Param, Tally, ask, chosen, strategy, throw, thrown


def helper(x, cache=False, nogil=False):
    return x + 5 if cache else x


class Colliding(Game):
    seats = 2
    t = Int(0, 9)
    step = Int(0, 99)
    kind = Int(0, 99)
    seat = Int(0, 1)
    low = Ints(3, 0, 999)
    params = Int(0, 9999)
    FULL_HOUSE = Int(0, 99)
    DONE_x = Int(0, 99)
    WRONG_x = Int(0, 99)
    ILLEGAL = Int(0, 99)
    size = Param(3, 1, 5, "a parameter")
    kernel = Tally("a tally")
    np = Tally("another")

    def next(self):
        if self.t == 4:
            return OVER
        return ask(self.choose, self.seat) if self.kind else throw(self.die)

    @thrown(2, D6, FACES)
    def die(self, *values):
        self.kind = values[0] + values[1]
        self.FULL_HOUSE += values[0]
        self.DONE_x = values[1]
        self.low[self.t % 3] += helper(values[0], cache=True)

    @chosen(9)
    def choose(self, move):
        self.WRONG_x = move
        self.step += self.kind + move
        self.ILLEGAL = self.step // 2
        self.params = self.params * 3 % 1000 + move * self.size
        self.kind = 0
        self.t += 1
        self.seat = 1 - self.seat
        self.kernel += self.step + self.low[0] * 3
        self.np += self.params + self.WRONG_x + self.DONE_x * 7

    def outcome(self):
        return self.step % 2


class One(Memory):
    b_c = Int(0, 99)
    low = Ints(2, 0, 999)


class Two(Memory):
    c = Int(0, 99, start=3)
    _m = Int(0, 9)


def moved(row, by):
    row[1] = (row[1] + by) % 100
    return row[1]


@strategy(Colliding, memory=One)
def a(game, mine):
    mine.b_c = (mine.b_c + game.kind) % 9
    return (mine.b_c + moved(mine.low, game.kind)) % 9


@strategy(Colliding, memory=Two)
def a_b(game, mine):
    mine.c = (mine.c * 2 + game.DONE_x) % 7
    return mine.c
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "memo"])
def test_names_in_rules_are_never_those_of_generated_code(tmp_path: Path, engine: str) -> None:
    (tmp_path / "colliding.py").write_text(COLLIDING.replace("    _m = Int(0, 9)\n", ""))
    run = Run.of(str(tmp_path / "colliding.py"), ["a", "a_b"])
    try:
        playing = forced(run, engine)
    except ParameterError as error:
        pytest.skip(str(error))
    assert playing.play(7, 0, 200) == Reference(run.game, run.calls).play(7, 0, 200)


UNUSUAL = """
from enum import IntEnum, IntFlag
from typing import NamedTuple

from dicelab.rules import D6, FACES, OVER, Game, Int, Tally, throw, thrown


class Pair(NamedTuple):
    low: int
    high: int


class Odd(NamedTuple):
    low: int
    high: int

    def __len__(self):
        return 7


class Strange(IntEnum):
    A = 1

    def __add__(self, other):
        return 50


class Rights(IntFlag):
    READ = 1
    WRITE = 2


PAIR = Pair(3, 5)
ODD = Odd(3, 5)
READ = Rights.READ


def adding(n):
    def add(x):
        return x + n

    return add


four_more = adding(4)
length = len


def max(x, y):
    return 77


def first(x, /, y, table=(1, 2)):
    return x * 10 + y + table[x % 2]


def named(x, *, y):
    return x * 10 + y


class Unusual(Game):
    left = Int(0, 3, start=3)
    large = Int(0, 2**62)
    total = Tally("a tally")
    money = Tally("another")

    @staticmethod
    def fixed(x, y=1):
        return y

    def next(self):
        return throw(self.die) if self.left else OVER

    @thrown(3, D6, FACES)
    def die(self, *faces):
        self.left -= 1
        a = faces[0]
        BODY
"""
LAWFUL = """
p, q, r = sorted(faces)
self.total += p * 100 + q * 10 + r + sorted(faces, reverse=True)[0]
self.total += PAIR[a % 2] * 3 + sum(PAIR) + four_more(a) + max(a, 9) + first(a, y=2)
"""


def unusual(tmp_path: Path, body: str) -> Run:
    (tmp_path / "unusual.py").write_text(UNUSUAL.replace("BODY", indented(body, 8)))
    return Run.of(str(tmp_path / "unusual.py"))


@pytest.mark.quick_cases("a static method")
@pytest.mark.parametrize(
    "body",
    [
        LAWFUL,
        "self.total += self.fixed(3)",
        "self.large = 2**62\nself.money += self.large\nself.money += a - 4",
        "self.large = 2**62 - 3\nself.money += self.large\nself.money += a\nself.money -= self.large",
    ],
    ids=["constants and functions", "a static method", "a tally that is too large", "a tally that is nearly too large"],
)
def test_what_is_unusual_means_the_same(tmp_path: Path, body: str) -> None:
    run = unusual(tmp_path, body)
    slow, fast = Reference(run.game, run.calls), Compiled(run.game, run.calls)
    assert [outcome_of(fast, i) for i in range(30)] == [outcome_of(slow, i) for i in range(30)]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("self.total += ~READ", "READ, a Rights"),
        ("self.total += ODD[a % 2]", "ODD, a Odd"),
        ("self.total += Strange.A + 1", "A, a Strange"),
        ("self.total += named(a, y=2)", "keyword-only arguments"),
        ("self.total += first(a, 2, z=3)", "first() with other arguments than it takes"),
        ("self.total += length((1, a))", "length, which rules can't use"),
    ],
)
def test_what_is_unusual_and_may_mean_something_else_is_refused(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(RulesError) as refused:
        unusual(tmp_path, body)
    assert said in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("def outcome(self):\n        if self.x > 0:\n            return 1", "outcome() returned None"),
        (
            "def outcome(self):\n        for i in range(2):\n            if self.x == i:\n                return i\n",
            "outcome() returned None",
        ),
        (
            "def next(self):\n        if self.left > 0:\n            return throw(self.dice)\n        if self.x > 0:\n            return OVER",
            "next() returned None",
        ),
    ],
)
def test_none_is_no_outcome_and_no_step(tmp_path: Path, method: str, said: str) -> None:
    """A path on which `next` or `outcome` returns nothing is an error in compiled code, too."""
    game_of(tmp_path, {"sum": "return a"})
    file = tmp_path / "sample.py"
    text = file.read_text().replace("        self.set_up()\n", "        self.set_up()\n        self.x = faces[0] - 4\n")
    if "def next" in method:
        text = text.replace(
            "    def next(self):\n        return throw(self.dice) if self.left > 0 else OVER", f"    {method}"
        )
    else:
        text = text.replace("    def next(self):", f"    {method}\n\n    def next(self):", 1)
        text = text.replace("    switch = ", '    seats = 2\n    outcomes = ("one", "two")\n    switch = ', 1)
    file.write_text(text)
    run = Run.of(find_in_file(file, "sample"))
    slow, fast = Reference(run.game, run.calls), Compiled(run.game, run.calls)
    told = [outcome_of(slow, i) for i in range(20)]
    assert [outcome_of(fast, i) for i in range(20)] == told
    assert {said in str(each) for each in told} == {True, False}
