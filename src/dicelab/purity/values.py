"""What is known of a value in a rule: which things that rules may change freely it is not, and which functions it is.

A number, a text, or a list that the rule itself has made is *plain*: whatever is done to it stays inside the rule.
Other values are parts of the game in progress (the game itself, a row of it, a memory) or are shared between games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Part = tuple[str, str]
"""A kind of thing, and its name: one of those below."""
GAME: Part = "game", ""
MEMORY: Part = "memory", ""
SHARED: Part = "shared", ""
"""Something that outlives the game, such as the result of a cached function."""
ROW, MEMORY_ROW = "row", "memory row"
"""Kinds of the parts that are rows of the game, and of a memory; their name is that of the field."""


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
    """

    parts: frozenset[Part] = frozenset()
    inside: frozenset[Part] = frozenset()
    functions: frozenset[Any] = frozenset()

    def __or__(self, other: Value) -> Value:
        if self == other:
            return self
        return Value(self.parts | other.parts, self.inside | other.inside, self.functions | other.functions)

    @property
    def everything(self) -> frozenset[Part]:
        """What it may be or contain."""
        return self.parts | self.inside

    @property
    def kinds(self) -> set[str]:
        """The kinds of what it may be."""
        return {kind for kind, _ in self.parts}

    @property
    def elements(self) -> Value:
        """What it may yield when it is iterated, or looked up in: the numbers of a row are plain."""
        shared = self.parts & {SHARED}
        return Value(self.inside | shared, self.inside, self.functions)


PLAIN = Value()


def holding(*values: Value) -> Value:
    """A new container of values."""
    inside: frozenset[Part] = frozenset()
    functions: frozenset[Any] = frozenset()
    for value in values:
        inside |= value.everything
        functions |= value.functions
    return Value(frozenset(), inside, functions)


@dataclass(frozen=True)
class Bound:
    """A method of the game in progress."""

    rule: Any


@dataclass(frozen=True)
class Local:
    """A function written inside a rule; `node` is its syntax tree."""

    node: Any


@dataclass(frozen=True)
class Foreign:
    """Something that has nothing to do with the game, met where rules only say something to people."""


FOREIGN = Value(functions=frozenset([Foreign()]))
