"""Names of files and classes that rules use: they must mean the same in every run, and nobody may change them."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
import random
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, MappingProxyType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from dicelab.rules.loading.source import BESIDE, Text, whole_text


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


CONSTANTS = (bool, int, float, complex, str, bytes, range, Fraction)
"""Classes whose values can't change."""
SHARED = (list, set, dict)
"""Classes of constants that could change; rules read them and don't change them."""
INSTEAD: dict[type, str] = {Decimal: "whose digits depend on a setting outside the rules; write a Fraction"}
CHANCE = frozenset(["random", "_random", "secrets", "time", "datetime", "os", "uuid", "getpass", "socket"])
"""Modules whose results differ from run to run."""
CHANCES = (id, hash, input, object, __import__, eval, exec)
"""Builtins whose results differ from run to run."""
MEANING = vars(builtins).copy()
"""The builtins, as they were when dicelab was imported: a file may replace them later."""
OF_VALUES = words(
    """
    __getattribute__ __getattr__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __bool__ __len__ __iter__
    __getitem__ __contains__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __floordiv__ __mod__ __int__
    __index__ __call__ __new__ __missing__ __del__ __get__ __init_subclass__
    """
)
"""Special methods that give the values of a class another meaning than Python's own."""


def constant_refusal(value: object, shared: bool = False) -> str:
    """Return why rules may not use a value as a constant, as the end of a sentence; "" if they may.

    A list, a set or a dict may be a constant of a file or of a class (`shared`): rules that change it are refused.
    """
    kind = type(value)
    if value is None or value is ... or kind in CONSTANTS:
        return ""
    if isinstance(value, FunctionType | BuiltinFunctionType | type | ModuleType):
        return ""  # what is called is read where it is called
    if isinstance(value, bytearray) or (isinstance(value, list | set | dict) and not (shared and kind in SHARED)):
        return f"a {kind.__name__}, which may change from game to game; {INSTEAD.get(kind, 'write a tuple')}"
    inside = parts_of(value)
    if inside is None:
        instead = INSTEAD.get(kind, "; rules may use numbers, text, tuples, frozensets, enums and frozen dataclasses")
        return f"a {kind.__name__}{instead if instead[0] == ';' else ', ' + instead}"
    shared = shared and not isinstance(value, enum.Enum)
    reasons = (_within(kind, constant_refusal(part, shared)) for part in inside)
    return next(filter(None, [class_refusal(kind), *reasons]), "")


def _within(kind: type, reason: str) -> str:
    return f"a {kind.__name__} with {reason}" if reason else ""


def class_refusal(kind: type) -> str:
    """Return why rules may not use the values of a class, as the end of a sentence; "" if they may."""
    if kind in (tuple, frozenset, MappingProxyType, *SHARED):
        return ""
    is_record = dataclasses.is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    if type(kind) not in (type, enum.EnumType) or not (is_record or issubclass(kind, enum.Enum)):
        return f"the class {kind.__name__}, which is neither an enum, nor a NamedTuple, nor a frozen dataclass"
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is not None and not parameters.frozen:
        return f"the dataclass {kind.__name__}, whose values may change; write @dataclass(frozen=True)"
    for base in kind.__mro__:
        if base.__module__ in sys.stdlib_module_names:
            continue
        for name, member in vars(base).items():
            made = isinstance(member, FunctionType) and member.__code__.co_filename.startswith("<string>")
            is_own = isinstance(member, FunctionType) and not made and member.__module__ not in sys.stdlib_module_names
            if name in OF_VALUES and is_own and not (issubclass(kind, enum.Enum) and name == "__new__"):
                return f"the class {base.__name__}, which defines {name}"
    return ""


def parts_of(value: object) -> Iterable[object] | None:
    """Return the parts of a composite constant; None for a value of any other class."""
    kind = type(value)
    if kind in (tuple, frozenset, list, set) or (isinstance(value, tuple) and hasattr(kind, "_fields")):
        return value  # type: ignore[return-value]
    if isinstance(value, MappingProxyType) or (isinstance(value, dict) and kind is dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, enum.Enum):
        return [part for name, part in vars(value).items() if name not in ("__objclass__", "_sort_order_")]
    if dataclasses.is_dataclass(value):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    return None


# What differs from run to run ----------------------------------------------------------------------------------------


def changed_by(text: Text, name: str) -> str:
    """Return where functions of a file rebind a module-level name, as the end of a sentence; "" if none does."""
    where = text.rebound.get(name)
    return f"is changed by `{where[0]} {name}` in line {where[1]}; declare what changes as a field" if where else ""


def chance_in(text: Text, names: Mapping[str, Any], name: str, owner: str = "") -> str:
    """Return the function or module that makes a name of a file, or of a class in it, differ from run to run, or ""."""
    known = _known.setdefault(text, {})
    if not _may_have_chances(text, names):
        return ""
    if (owner, name) not in known:
        seen = {(owner, name)}
        chance = next(filter(None, _chances(text, names, owner, name, seen)), "")
        known |= {(owner, name): chance} if chance else dict.fromkeys(seen, "")
    return known[owner, name]


_known: WeakKeyDictionary[Text, dict[tuple[str, str], str]] = WeakKeyDictionary()
"""Cache of `chance_in`, by file, class and name; the key ("", "") is for `_may_have_chances`."""


def chance_of_default(text: Text, names: Mapping[str, Any], node: ast.AST) -> str:
    """Return what makes a default argument differ from run to run, or ""."""
    if not _may_have_chances(text, names):
        return ""
    return next(filter(None, _chances_in(text, names, [node], set())), "")


def _chances(text: Text, names: Mapping[str, Any], owner: str, name: str, seen: set[tuple[str, str]]) -> Iterator[str]:
    """Yield what makes a name differ from run to run; the names on which it depends are added to `seen`."""
    nodes = text.assigned.get((owner, name), [])
    if (owner, name) == ("", name):
        nodes = [*nodes, *(value for (kind, _), values in text.assigned.items() if kind == name for value in values)]
    yield from _chances_in(text, names, nodes, seen, name)


def _chances_in(
    text: Text, names: Mapping[str, Any], nodes: Iterable[ast.AST], seen: set[tuple[str, str]], name: str = ""
) -> Iterator[str]:
    """Yield what makes values differ from run to run, given their syntax trees."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            yield from (chance_in(other, vars(module), name) for module, other in _imported(text, names, node))
            continue
        own = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
        used = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        own |= {part.id for part in used if isinstance(part.ctx, ast.Store)}
        yield from _modules_of_chance(node, names)
        if _orders_texts(node):
            yield "the order of a set of texts"
        for word in {part.id for part in used} - own:
            if is_chance(names.get(word, getattr(builtins, word, None))):
                yield word
            elif ("", word) not in seen:
                seen.add(("", word))
                yield from _chances(text, names, "", word, seen)


UNORDERED = ("sorted", "len", "min", "max", "sum", "any", "all", "set", "frozenset")
"""Builtins whose results for a set don't depend on its order."""


def _orders_texts(node: ast.AST) -> bool:
    """Return whether an expression goes through a set of texts, whose order differs from run to run."""
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in UNORDERED:
            return False
        case ast.Call(func=ast.Name(id="list" | "tuple" | "enumerate" | "next" | "iter" | "zip" | "map" | "dict")):
            inside = [part for argument in node.args for part in ast.walk(argument)]
        case ast.Call(func=ast.Attribute(attr="join")) | ast.For() | ast.Starred():
            inside = list(ast.walk(node))
        case ast.comprehension():
            inside = list(ast.walk(node.iter))
        case ast.FunctionDef() | ast.Lambda() | ast.ClassDef():
            return False
        case _:
            return any(map(_orders_texts, ast.iter_child_nodes(node)))
    has_set = any(
        isinstance(part, ast.Set | ast.SetComp)
        or (isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in ("set", "frozenset"))
        for part in inside
    )
    has_text = any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in inside)
    return (has_set and has_text) or any(map(_orders_texts, ast.iter_child_nodes(node)))


def _modules_of_chance(node: ast.AST, names: Mapping[str, Any]) -> Iterator[str]:
    """Yield the modules of modules that make a value differ from run to run, such as ``numpy.random``."""
    for part in ast.walk(node):
        base = (
            names.get(part.value.id) if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) else None
        )
        if isinstance(base, ModuleType) and is_chance(getattr(base, part.attr, None)):  # type: ignore[attr-defined]
            yield ast.unparse(part)


def is_chance(thing: object) -> bool:
    """Return whether this is a function, module or generator whose results differ from run to run."""
    if isinstance(thing, random.Random) or isinstance(getattr(thing, "__self__", None), random.Random):
        return True
    if isinstance(thing, ModuleType):
        return not CHANCE.isdisjoint(thing.__name__.split("."))
    module = getattr(thing, "__module__", None)
    return any(thing is one for one in CHANCES) or (
        callable(thing) and isinstance(module, str) and not CHANCE.isdisjoint(module.split("."))
    )


def _may_have_chances(text: Text, names: Mapping[str, Any]) -> bool:
    """Return whether a file, or one from which it imports, uses anything that differs from run to run."""
    known = _known.setdefault(text, {})
    if ("", "") not in known:
        known["", ""] = ""
        imports = {node for nodes in text.assigned.values() for node in nodes if isinstance(node, ast.ImportFrom)}
        others = (
            _may_have_chances(other, vars(module)) for node in imports for module, other in _imported(text, names, node)
        )
        if _BUILTIN_CHANCE.search(text.text) or any(map(is_chance, names.values())) or any(others):
            known["", ""] = "something"
    return bool(known["", ""])


_BUILTIN_CHANCE = re.compile(r"\b(id|hash|input|object|__import__|eval|exec|set)\(|\.random\b|\{['\"]")


def _imported(text: Text, names: Mapping[str, Any], node: ast.ImportFrom) -> Iterator[tuple[ModuleType, Text]]:
    """Yield the module from which a statement imports, with its text, unless it is of the standard library."""
    module = names.get(BESIDE, {}).get(node.module) or sys.modules.get(node.module or "")
    if module is not None and module.__name__.partition(".")[0] not in sys.stdlib_module_names:
        other = whole_text(module)
        if other is not None and other is not text:
            yield module, other
