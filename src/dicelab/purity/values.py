"""What is known of a value in a rule: which things that rules may change freely it is not, and which functions it is.

A number, a text, or a list that the rule itself has made is *plain*: whatever is done to it stays inside the rule.
Other values are parts of the game in progress (the game itself, a row of it, a memory) or are shared between games.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

Part = tuple[str, str]
"""A kind of thing, and its name: one of those below."""
GAME: Part = "game", ""
MEMORY: Part = "memory", ""
SHARED: Part = "shared", ""
"""Something that outlives the game, such as the result of a cached function."""
GIVEN: Part = "given", ""
"""What an operator that a class defines may be given: anything."""
INSTANCE: Part = "instance", ""
"""An instance of a class of the file, made in this rule: it may be changed, and holds nothing of the game."""
STICKY = frozenset([SHARED, GIVEN])
"""What is inside these is the same."""
ROW, MEMORY_ROW = "row", "memory row"
"""Kinds of the parts that are rows of the game, and of a memory; their name is that of the field."""
NOTHING: frozenset[Any] = frozenset()


@dataclass(frozen=True)
class Value:
    """What an expression may be.

    Attributes
    ----------
    parts
        What the value itself may be, apart from something plain.
    inside
        What it may contain.
    functions
        What is called where it is called: functions, `Bound` and `Local` ones, classes, modules.
    held
        Functions that it may contain.
    text
        It may be or contain a text, or something else that Python hashes differently in each run.
    unordered
        It may be a set of such things, whose order differs from run to run.
    holds_unordered
        It may contain one.
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
        """What it may be or contain."""
        return self.parts | self.inside

    @property
    def callables(self) -> frozenset[Any]:
        """Functions that it may be or contain."""
        return self.functions | self.held

    @property
    def kinds(self) -> set[str]:
        """The kinds of what it may be."""
        return {kind for kind, _ in self.parts}

    @property
    def elements(self) -> Value:
        """What it may yield when it is iterated, or looked up in: the numbers of a row are plain."""
        holds = self.holds_unordered
        return Value(self.inside | self.parts & STICKY, self.inside, self.held, self.held, self.text, holds, holds)

    @property
    def without_text(self) -> Value:
        """The same, of which it is known that it is no text."""
        return replace(self, text=False)


PLAIN = Value()
TEXT = Value(text=True)


def any_of(values: Iterable[Value]) -> Value:
    """What something may be that is one of several values."""
    found = PLAIN
    for value in values:
        found |= value
    return found


def holding(*values: Value) -> Value:
    """A new container of values."""
    found = any_of(values)
    holds = found.unordered or found.holds_unordered
    return Value(inside=found.everything, held=found.callables, text=found.text, holds_unordered=holds)


@dataclass(frozen=True)
class Given:
    """What a function is called with.

    Attributes
    ----------
    positional
        The arguments in their order.
    named
        Those that are given by name.
    more
        What any parameter may be given besides, by ``*`` and ``**``.
    """

    positional: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()
    more: Value = PLAIN

    @property
    def everything(self) -> Value:
        """What any of the arguments may be."""
        return any_of([*self.positional, *(value for _, value in self.named), self.more])

    def after(self, first: Value) -> Given:
        """The same, with another argument before."""
        return replace(self, positional=(first, *self.positional))

    @property
    def has_local(self) -> bool:
        """Is a function given that is written inside a rule?"""
        return any(isinstance(function, Local | Bound) for function in self.everything.callables)


@dataclass(frozen=True)
class Bound:
    """A method, and what it is a method of: the game in progress, a memory, a record, a class."""

    rule: Any
    receiver: Value


@dataclass(frozen=True)
class Method:
    """A method of a class that a file defines: of its instances, of itself (`classmethod`), or of neither."""

    rule: Any
    owner: type
    how: str

    def of(self, base: Value) -> Any:
        """What ``base.name`` is."""
        if self.how == "static":
            return self.rule
        return Bound(self.rule, Value(functions=frozenset([self.owner])) if self.how == "class" else base)


@dataclass(frozen=True)
class Local:
    """A function written inside a rule."""

    node: Any
    """Its syntax tree."""
    owner: object
    """Which reading of which rule it belongs to."""
    reader: Any = field(compare=False, repr=False)
    """The reading of that rule."""
    scopes: Any = field(compare=False, repr=False)
    """The variables that it sees, the innermost function last."""


@dataclass(frozen=True)
class Foreign:
    """Something that has nothing to do with the game, met where rules only say something to people."""


FOREIGN = Value(functions=frozenset([Foreign()]))
