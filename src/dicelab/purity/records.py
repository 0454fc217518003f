"""Classes whose values rules may use: enums, NamedTuples, frozen dataclasses and exceptions, and their methods."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import reprlib
import sys
import typing
from collections.abc import Callable, Iterator
from inspect import getattr_static
from types import FunctionType
from typing import Any

from dicelab.purity.constants import constant_refusal
from dicelab.purity.values import Method

MAKERS = frozenset(
    module.__file__ for module in (collections, dataclasses, enum, functools, reprlib, typing) if module.__file__
)
"""Files of the standard library that generate methods of classes."""
AT_THE_START = frozenset(["__new__", "__init__", "__init_subclass__", "__set_name__", "_generate_next_value_"])
"""Methods of an enum that run when its file is loaded; their results, the members, are checked instead."""
SETTING_UP = ("__init__", "__post_init__")


def kind_refusal(kind: type, class_refusal: Callable[[type], str]) -> str:
    """Why rules may not use the values of a class; "" for tuples, enums, NamedTuples and frozen dataclasses."""
    if kind in (tuple, frozenset):
        return ""
    if kind.__module__.startswith("dicelab.rules.fields") or type(kind) not in (type, enum.EnumType):
        return f"the class {kind.__name__}, which rules can't use as a value"
    is_enum = issubclass(kind, enum.Enum)
    record = dataclasses.is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    if not (record or is_enum or issubclass(kind, BaseException)):
        return f"the class {kind.__name__}, which is neither an enum, nor a NamedTuple, nor a frozen dataclass"
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is not None and not parameters.frozen:
        return f"the dataclass {kind.__name__}, whose values may change; write @dataclass(frozen=True)"
    for default in getattr(kind, "_field_defaults", {}).values():
        reason = constant_refusal(default, class_refusal)
        if reason:
            return f"the class {kind.__name__}, which has a default that is {reason}"
    return _members_refusal(kind, class_refusal)


def _members_refusal(kind: type, class_refusal: Callable[[type], str]) -> str:
    """Why rules may not use a class because of one of its members; "" if they may."""
    for base, name, member in _members(kind):
        if issubclass(kind, enum.Enum) and (name.startswith("_") or name in AT_THE_START):
            continue
        reason = _member_refusal(member, class_refusal)
        if reason:
            return f"the class {base.__name__}, in which {name} is {reason}"
    return ""


def instance_refusal(kind: type, class_refusal: Callable[[type], str]) -> str:
    """Why rules may not create instances of a plain class, which live within one call of a rule; "" if they may."""
    parents = [base for base in kind.__mro__ if base is not object]
    is_plain = type(kind) is type and all(base.__module__ not in sys.stdlib_module_names for base in parents)
    if not is_plain or any(base.__module__.startswith("dicelab.rules.") for base in parents):
        return f"the class {kind.__name__}, which is neither an enum, nor a NamedTuple, nor a frozen dataclass"
    return _members_refusal(kind, class_refusal)


def _member_refusal(member: object, class_refusal: Callable[[type], str]) -> str:
    if isinstance(member, FunctionType | staticmethod | classmethod | functools.cached_property):
        return ""
    if isinstance(member, property):
        return "" if isinstance(member.fget, FunctionType) else "a property without a plain function"
    if type(member).__name__ in ("member_descriptor", "_tuplegetter", "DynamicClassAttribute"):
        return ""
    if isinstance(member, functools._lru_cache_wrapper):
        return "cached, which only a function of the file can be"
    if isinstance(member, enum.property):
        return ""
    return constant_refusal(member, class_refusal)


def _members(kind: type) -> Iterator[tuple[type, str, Any]]:
    """The members that are written in a class and its parents, without those that Python generates."""
    for base in kind.__mro__:
        home = sys.modules.get(base.__module__)
        if base.__module__ in sys.stdlib_module_names and getattr(home, base.__name__, None) is base:
            continue
        for name, member in vars(base).items():
            is_made = name.startswith("__") and not isinstance(
                member, FunctionType | property | classmethod | staticmethod
            )
            if not is_made and name not in ("_field_defaults", "_fields", "_make"):
                yield base, name, member


def _written(kind: type) -> Iterator[tuple[str, FunctionType, bool]]:
    """The functions that are written in a class: (name, function, whether it is a property)."""
    for _, name, member in _members(kind):
        if issubclass(kind, enum.Enum) and name in AT_THE_START:
            continue
        is_property = isinstance(member, property | functools.cached_property)
        inner: Any = member
        if isinstance(member, property):
            inner = member.fget
        elif isinstance(member, functools.cached_property):
            inner = member.func
        elif isinstance(member, staticmethod | classmethod):
            inner = member.__func__
        if isinstance(inner, FunctionType) and not _is_made(inner):
            yield name, inner, is_property


def record_of(kind: type) -> dict[str, tuple[Method, bool]]:
    """The methods and properties of a class by name, each with whether it is a property."""
    found: dict[str, tuple[Method, bool]] = {}
    for name, rule, is_property in _written(kind):
        if not _is_operator(name):
            member = getattr_static(kind, name)
            how = {staticmethod: "static", classmethod: "class"}.get(type(member), "")
            found.setdefault(name, (Method(rule, kind, how), is_property))
    return found


def operators_of(kind: type) -> list[FunctionType]:
    """The special methods of a class that operators call, such as ``__add__``."""
    return [rule for name, rule, _ in _written(kind) if _is_operator(name) and name not in SETTING_UP]


def setting_up(kind: type) -> list[FunctionType]:
    """The methods of a plain class that are called when an instance is created."""
    return [rule for name, rule, _ in _written(kind) if name in SETTING_UP]


def _is_operator(name: str) -> bool:
    return name.startswith("__") or name == "_missing_"


def _is_made(function: FunctionType) -> bool:
    """Whether the standard library has generated a function, as for dataclasses and enums."""
    file = function.__code__.co_filename
    return file in MAKERS or (file.startswith("<string>") and function.__name__.startswith("__"))
