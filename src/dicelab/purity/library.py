"""What rules may use of Python itself: builtins, modules of the standard library, and constants that can't change."""

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
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from types import FunctionType, ModuleType
from typing import Any

CONSTANTS = (bool, int, float, complex, str, bytes, range, fractions.Fraction, Decimal)
"""Classes whose values can't change."""
INSTEAD: dict[type, str] = {dict: "write a tuple, or if and elif", set: "write a frozenset or a tuple"}
BUILTINS = frozenset(
    [
        "abs",
        "all",
        "any",
        "ascii",
        "bin",
        "bool",
        "bytes",
        "chr",
        "complex",
        "dict",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "format",
        "frozenset",
        "hex",
        "int",
        "isinstance",
        "issubclass",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "min",
        "next",
        "oct",
        "ord",
        "pow",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
        "tuple",
        "type",
        "zip",
    ]
)
"""Builtin functions and classes whose result depends on their arguments alone."""
IN_PLACE = "iadd iand iconcat ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor setitem delitem"
REFUSED = {
    operator: frozenset([*IN_PLACE.split(), "attrgetter", "methodcaller", "call"]),
    functools: frozenset(dir(functools)) - {"reduce", "cmp_to_key"},
    math: frozenset[str](),
    itertools: frozenset[str](),
    bisect: frozenset[str](),
    heapq: frozenset[str](),
    collections: frozenset({"UserDict", "UserList", "UserString", "ChainMap", "namedtuple", "abc"}),
    fractions: frozenset[str](),
    enum: frozenset[str](),
    typing: frozenset[str](),
    dataclasses: frozenset(dir(dataclasses)) - {"replace", "astuple"},
}
"""Modules that rules may use, and what of each they may not."""
MODULES = ", ".join(sorted(module.__name__ for module in REFUSED))
"""Their names, for messages."""

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
"""Methods that may be called on a plain value."""
MUTATING = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "extendleft",
        "insert",
        "intersection_update",
        "move_to_end",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "rotate",
        "setdefault",
        "sort",
        "subtract",
        "symmetric_difference_update",
        "update",
    ]
)
"""Those of them that change it."""
ROW_METHODS = frozenset({"index", "count", "copy"})
"""Methods that may be called on a row of the game."""


def module_refusal(module: ModuleType, name: str) -> str:
    """Why rules may not use something of a module of the standard library; empty where they may."""
    if module not in REFUSED:
        return f"of modules, rules may use {MODULES}, and files of rules"
    return f"what {module.__name__}.{name} does can't be followed" if name in REFUSED[module] else ""


def is_of_library(function: object) -> bool:
    """May rules call this builtin function or class, or this one of an allowed module?"""
    name = getattr(function, "__name__", "")
    if name in BUILTINS and getattr(builtins, name) is function:
        return True
    if isinstance(function, type) and issubclass(function, BaseException):
        return function.__module__ == "builtins"
    return any(name not in refused and getattr(module, name, None) is function for module, refused in REFUSED.items())


def constant_refusal(value: object, class_refusal: Callable[[type], str]) -> str:
    """Why something at the top of a file is no constant that rules may use, as the end of a sentence; empty if it is.

    `class_refusal` says the same of a class that a file defines.
    """
    kind = type(value)
    if value is None or value is ... or kind in CONSTANTS:
        return ""
    if kind in (tuple, frozenset):
        inside: Iterable[object] = value  # type: ignore[assignment]
    elif isinstance(value, list | dict | set | bytearray | collections.deque):
        return f"a {kind.__name__}, which may change from game to game; {INSTEAD.get(kind, 'write a tuple')}"
    elif isinstance(value, enum.Enum):
        inside = ()
    elif isinstance(value, tuple) and hasattr(kind, "_fields"):
        inside = value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        inside = [getattr(value, field.name) for field in dataclasses.fields(value)]
    else:
        return f"a {kind.__name__}; rules may use numbers, text, tuples, frozensets and enums that are fixed"
    reasons = (constant_refusal(part, class_refusal) for part in inside)
    return next(filter(None, [class_refusal(kind), *reasons]), "")


def kind_refusal(kind: type) -> str:
    """Why rules may not use the values of a class; empty for tuples, enums, NamedTuples and frozen dataclasses."""
    record = dataclasses.is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    if not (record or issubclass(kind, enum.Enum) or kind in (tuple, frozenset)):
        return f"the class {kind.__name__}, which is neither an enum, nor a NamedTuple, nor a frozen dataclass"
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is not None and not parameters.frozen:
        return f"the dataclass {kind.__name__}, whose values may change; write @dataclass(frozen=True)"
    return ""


def written_in(kind: type) -> Iterator[tuple[str, FunctionType]]:
    """The functions, properties among them, that the author of a class has written, each with its name."""
    for base in kind.__mro__:
        if base.__module__ in ("enum", "builtins", "typing"):
            continue
        for name, member in vars(base).items():
            inner: Any = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if isinstance(inner, FunctionType) and not _is_made(inner):
                yield name, inner


def _is_made(function: FunctionType) -> bool:
    """Was a function made by the standard library, as those of dataclasses and enums are?"""
    file = function.__code__.co_filename
    return file.startswith("<string>") or file.endswith(("enum.py", "dataclasses.py", "reprlib.py", "__init__.py"))
