"""What rules may use of Python: builtins, functions of the standard library, and methods of builtin classes."""

from __future__ import annotations

import bisect
import builtins
import collections
import dataclasses
import enum
import fractions
import functools
import heapq
import itertools
import math
import operator
import typing
from collections.abc import Iterator
from types import ModuleType


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


BUILTINS = words(
    "abs all any ascii bin bool bytes chr complex dict divmod enumerate filter float format frozenset hex int "
    "isinstance issubclass iter len list map max min next oct ord pow range repr reversed round set slice sorted "
    "str sum tuple type zip"
)
"""Builtin functions and classes whose results depend only on their arguments."""
IN_PLACE = words(
    "iadd iand iconcat ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor setitem delitem"
)
REFUSED = {
    operator: IN_PLACE | words("attrgetter methodcaller call __builtins__"),
    functools: frozenset(dir(functools)) - {"reduce", "cmp_to_key"},
    math: frozenset[str](),
    itertools: frozenset[str](),
    bisect: frozenset[str](),
    heapq: frozenset[str](),
    collections: frozenset(dir(collections)) - {"Counter", "deque", "defaultdict", "OrderedDict"},
    fractions: frozenset(dir(fractions)) - {"Fraction"},
    enum: frozenset(dir(enum)) - {"Enum", "IntEnum", "Flag", "IntFlag"},
    typing: frozenset(dir(typing)) - {"cast", "assert_never", "TYPE_CHECKING", "Any"},
    dataclasses: frozenset(dir(dataclasses)) - {"replace", "astuple"},
}
"""Modules that rules may use, each with the names in it that they may not use."""
MODULES = ", ".join(sorted(module.__name__ for module in REFUSED))
"""The names of these modules, for messages."""

PLAIN_TYPES: tuple[type, ...] = (
    list,
    dict,
    set,
    frozenset,
    tuple,
    str,
    bytes,
    int,
    float,
    range,
    slice,
    fractions.Fraction,
)
PLAIN_TYPES += (collections.Counter, collections.deque, collections.defaultdict, collections.OrderedDict)
METHODS = frozenset(name for kind in PLAIN_TYPES for name in dir(kind) if not name.startswith("_"))
METHODS |= {"_replace", "_asdict"}
"""Methods that may be called on a plain value."""
MUTATING = words(
    "add append appendleft clear difference_update discard extend extendleft insert intersection_update move_to_end "
    "pop popitem popleft remove reverse rotate setdefault sort subtract symmetric_difference_update update"
)
"""Methods that change the value."""
ITERATING = frozenset(
    [
        *(list, tuple, set, frozenset, sorted, enumerate, reversed, iter, zip, map, filter, len, any, all, str, repr),
        *(int, float, bool, abs, round, divmod, pow, bytes, range, chr, ord, isinstance, issubclass, format, ascii),
        *(collections.deque, fractions.Fraction, itertools.combinations, itertools.permutations),
        *(itertools.product, itertools.combinations_with_replacement, itertools.chain, itertools.pairwise, math.prod),
    ]
)
"""Functions that use the elements of their arguments and never return an argument itself."""
CALLING = frozenset(
    [
        *(map, filter, functools.reduce, functools.cmp_to_key, itertools.accumulate, itertools.starmap, iter),
        *(itertools.takewhile, itertools.dropwhile, itertools.filterfalse, itertools.groupby, collections.defaultdict),
        *(isinstance, issubclass),
    ]
)
"""Functions that may call their arguments, but do not return them."""
UNORDERED_TOO = frozenset([len, sorted, set, frozenset, min, max, sum, any, all, bool, isinstance])
"""Functions whose results for a set don't depend on its order."""
ITERATORS = frozenset([iter, map, filter, zip, enumerate, reversed, collections.defaultdict])
ITERATORS |= frozenset(one for one in vars(itertools).values() if isinstance(one, type))
ITERATORS |= frozenset([itertools.tee])
"""Functions that return something that changes when it is read."""
GIVING_ELEMENTS = frozenset([list, tuple, set, frozenset, sorted, reversed, iter, filter, collections.deque])
GIVING_ELEMENTS |= frozenset([itertools.chain])
"""Functions whose results have the elements of their arguments."""
GIVING_TUPLES = frozenset([enumerate, zip, itertools.combinations, itertools.permutations, itertools.product])
GIVING_TUPLES |= frozenset([itertools.combinations_with_replacement, itertools.pairwise])
"""Functions whose results have tuples of such elements."""
READING: dict[object, int] = {
    **dict.fromkeys([sum, next, dict, collections.Counter, collections.OrderedDict], 1),
    functools.reduce: 2,
}
"""Functions that only read their first arguments, with the number of these."""
COMPARING = frozenset([max, min, sorted])
"""Functions that compare the elements of their argument."""
NUMBERS = frozenset([len, int, float, bool, ord, isinstance, issubclass, range, any, all, math.prod])
"""Functions whose results are numbers, or contain only numbers."""
WRITES_TEXT = frozenset([str, repr, format, ascii, chr, hex, oct, bin, bytes])
CHANGING = frozenset(
    [
        *(heapq.heapify, heapq.heappush, heapq.heappop, heapq.heappushpop, heapq.heapreplace),
        *(bisect.insort, bisect.insort_left, bisect.insort_right),
    ]
)
"""Functions that change their first argument."""
SET_METHODS = words(
    "add discard remove copy union intersection difference symmetric_difference "
    "issubset issuperset isdisjoint update clear difference_update intersection_update"
)
"""Methods of a set whose results don't depend on its order."""
MAKING_SETS = words("union intersection difference symmetric_difference")
COUNTING = words("index count issubset issuperset isdisjoint find startswith endswith")
"""Methods whose result is a number or a boolean."""
GIVING_BACK = words("get pop setdefault")
"""Methods that may return one of their arguments."""
AROUND = words("globals locals vars setattr delattr exec eval compile __import__ open input breakpoint")
"""Builtins that a game may never use, not even to produce texts."""
ROW_METHODS = words("index count copy")
"""Methods that may be called on a row of the game."""


CHANCE = words("random secrets time datetime uuid")
"""Modules of random numbers and clocks."""


def module_refusal(module: ModuleType, name: str) -> str:
    """Why rules may not use a name of a module of the standard library; "" if they may."""
    if module.__name__ in CHANCE:
        return "it gives something else each time; declare rolls of dice with @thrown"
    if module not in REFUSED:
        return f"of modules, rules may use {MODULES}, and files of rules"
    return f"what {module.__name__}.{name} does can't be followed" if name in REFUSED[module] else ""


def _listed() -> Iterator[object]:
    yield from (getattr(builtins, name) for name in BUILTINS)
    yield from (one for one in vars(builtins).values() if isinstance(one, type) and issubclass(one, BaseException))
    for module, refused in REFUSED.items():
        yield from (one for name, one in vars(module).items() if name not in refused and callable(one))


_LIBRARY = {id(one): one for one in _listed()}
"""The allowed functions, by id, as they are when dicelab is imported: a file may replace them later."""


def is_of_library(function: object) -> bool:
    """Whether rules may call this function or class of Python or its standard library."""
    return _LIBRARY.get(id(function), _LIBRARY) is function
