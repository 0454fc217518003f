"""Abstract values: what a value in a rule may be, as far as the contract is concerned.

A number, a text, or a list that the rule itself has created is *plain*: changing it has no effect outside the rule.
Other values may be parts of the game in progress (the game itself, a row of it, a memory), shared between games, or
functions. Values form a lattice: ``a | b`` is a value that may be either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

Part = tuple[str, str]
"""A kind of value that isn't plain, and the name of the field if it is a row."""
GAME: Part = "game", ""
MEMORY: Part = "memory", ""
SHARED: Part = "shared", ""
"""A value that outlives the game, such as the result of a cached function."""
GIVEN: Part = "given", ""
"""The argument of an operator that a class defines: any value."""
INSTANCE: Part = "instance", ""
"""An instance of a class of the file, created in this rule: it may be changed, and contains no part of the game."""
ITERATOR: Part = "iterator", ""
"""A value that changes when it is read: an iterator, which is used up, or a defaultdict, which adds what is missing."""
OWN = frozenset([INSTANCE, ITERATOR])
"""Parts that belong to the rule that created them, and contain no part of the game."""
STICKY = frozenset([SHARED, GIVEN])
"""Parts whose elements are of the same kind."""
ROW, MEMORY_ROW, GRID = "row", "memory row", "grid"
"""Kinds of parts that are rows of the game, of a memory, or rows of rows; their name is that of the field."""
ROWS = frozenset([ROW, MEMORY_ROW, GRID])
NOTHING: frozenset[Any] = frozenset()


@dataclass(frozen=True)
class Value:
    """The abstract value of an expression.

    Attributes
    ----------
    parts
        The parts that the value itself may be, if it isn't plain.
    inside
        The parts that it may contain.
    functions
        What it may be if it is callable or a module: functions, `Bound`, `Local`, classes, modules.
    held
        The functions that it may contain.
    text
        Whether it may be or contain a text, or anything else with a hash that differs from run to run.
    unordered
        Whether it may be a set of such values, whose order differs from run to run.
    holds_unordered
        Whether it may contain such a set.
    """

    parts: frozenset[Part] = NOTHING
    inside: frozenset[Part] = NOTHING
    functions: frozenset[Any] = NOTHING
    held: frozenset[Any] = NOTHING
    text: bool = False
    unordered: bool = False
    holds_unordered: bool = False

    def __or__(self, other: Value) -> Value:
        if self == other:
            return self
        return Value(
            self.parts | other.parts,
            self.inside | other.inside,
            self.functions | other.functions,
            self.held | other.held,
            self.text or other.text,
            self.unordered or other.unordered,
            self.holds_unordered or other.holds_unordered,
        )

    @property
    def everything(self) -> frozenset[Part]:
        """The parts that it may be or contain."""
        return self.parts | self.inside

    @property
    def callables(self) -> frozenset[Any]:
        """The functions that it may be or contain."""
        return self.functions | self.held

    @property
    def kinds(self) -> set[str]:
        """The kinds of the parts that it may be."""
        return {kind for kind, _ in self.parts}

    @property
    def rows(self) -> frozenset[Part]:
        """The rows of the rows of rows that it may be."""
        return frozenset((ROW, name) for kind, name in self.parts if kind == GRID)

    @property
    def elements(self) -> Value:
        """The value of its elements, when it is iterated over or indexed; the numbers of a row are plain."""
        holds = self.holds_unordered
        return Value(
            self.inside | self.parts & STICKY | self.rows, self.inside, self.held, self.held, self.text, holds, holds
        )

    @property
    def without_text(self) -> Value:
        """The same value, known not to be a text."""
        return replace(self, text=False)


PLAIN = Value()
TEXT = Value(text=True)


def any_of(values: Iterable[Value]) -> Value:
    """The join of several values."""
    found = PLAIN
    for value in values:
        found |= value
    return found


def holding(*values: Value) -> Value:
    """The value of a new container of these values."""
    found = any_of(values)
    holds = found.unordered or found.holds_unordered
    return Value(inside=found.everything, held=found.callables, text=found.text, holds_unordered=holds)


@dataclass(frozen=True)
class Given:
    """The abstract arguments of a call.

    Attributes
    ----------
    positional
        The positional arguments.
    named
        The keyword arguments.
    more
        Values that any parameter may also receive, by ``*`` and ``**``.
    """

    positional: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()
    more: Value = PLAIN

    @property
    def everything(self) -> Value:
        """The join of all arguments."""
        return any_of([*self.positional, *(value for _, value in self.named), self.more])

    def after(self, first: Value) -> Given:
        """The same arguments after another first one."""
        return replace(self, positional=(first, *self.positional))

    @property
    def has_local(self) -> bool:
        """Whether an argument may be a method or a function written inside a rule."""
        return any(isinstance(function, Local | Bound) for function in self.everything.callables)


@dataclass(frozen=True)
class Bound:
    """A bound method; the receiver is the game in progress, a memory, a record or a class."""

    rule: Any
    receiver: Value


@dataclass(frozen=True)
class Method:
    """A method of a class that a file defines; `how` is "" (of instances), "class" or "static"."""

    rule: Any
    owner: type
    how: str

    def of(self, base: Value) -> Any:
        """The function that ``base.name`` is, bound unless it is static."""
        if self.how == "static":
            return self.rule
        return Bound(self.rule, Value(functions=frozenset([self.owner])) if self.how == "class" else base)


@dataclass(frozen=True)
class Local:
    """A function written inside a rule."""

    node: Any
    """Its syntax tree."""
    owner: object
    """The rule in which it is written, with the arguments of that rule."""
    reader: Any = field(compare=False, repr=False)
    """The `Scope` that reads that rule."""
    scopes: Any = field(compare=False, repr=False)
    """The variables of the enclosing functions, the innermost one last."""


@dataclass(frozen=True)
class Foreign:
    """Anything unrelated to the game, in functions that only produce texts."""


FOREIGN = Value(functions=frozenset([Foreign()]))
