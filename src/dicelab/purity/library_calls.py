"""Calls of builtin functions, allowed library functions, and methods of lists, dicts, sets and texts."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from types import ModuleType
from typing import Any
from typing import cast as typing_cast

from dicelab.purity import library
from dicelab.purity.scope import Scope
from dicelab.purity.values import (
    GAME,
    GRID,
    INSTANCE,
    ITERATOR,
    MEMORY,
    MEMORY_ROW,
    NOTHING,
    OWN,
    PLAIN,
    ROW,
    ROWS,
    SHARED,
    STICKY,
    Bound,
    Given,
    Part,
    Value,
    any_of,
)

ORDER = "the order of a set of texts differs from run to run; write a tuple, or sorted(...)"


class LibraryCalls(Scope):
    """Follows calls of Python's own functions and methods."""

    @abstractmethod
    def call(self, node: ast.AST, function: Any, given: Given) -> Value:
        """The value returned by a function, class, or other callable that is known."""

    @abstractmethod
    def call_rule(self, node: ast.AST, rule: Any, given: Given | Sequence[Value]) -> Value:
        """The value returned by a function whose source is read."""

    @abstractmethod
    def given(self, node: ast.Call) -> Given:
        """The arguments of a call."""

    def call_library(self, node: ast.AST, function: Any, name: str, given: Given) -> Value:
        """The value returned by a builtin or library function, which may call functions among its arguments."""
        everything, loose = given.everything, _loose(function, given)
        self.must_not_change(node, function, name, given)
        self.must_not_differ(node, function, name, given)
        returns = self.call_each(node, function, everything, loose)
        if function is typing_cast and len(given.positional) > 1:
            return given.positional[1]
        if function in library.NUMBERS:
            return PLAIN
        text = everything.text or returns.text
        text |= any(one in library.WRITES_TEXT for one in (function, *everything.callables))
        made = frozenset([ITERATOR]) if function in library.ITERATORS else NOTHING
        groups = made if function is groupby else NOTHING  # each of them is an iterator too
        lines, line = _lines(function, name, everything)
        is_set = function in (set, frozenset)
        picks = function in (next, max, min, sum, iter)
        return Value(
            loose.parts | everything.inside | everything.parts & STICKY | returns.everything | made | lines,
            everything.inside | loose.parts | returns.everything | groups | line,
            loose.functions | returns.functions | (everything.held if picks else frozenset()),
            everything.held | loose.functions | returns.callables,
            text,
            loose.unordered or (is_set and (text or bool(everything.callables))),
            loose.unordered or everything.holds_unordered,
        )

    def must_not_differ(self, node: ast.AST, function: Any, name: str, given: Given) -> None:
        """Refuse results that differ from run to run: the order of a set of texts, a function as text."""
        everything = given.everything
        if everything.unordered and (
            function not in library.UNORDERED_TOO or (function in library.COMPARING and _finds_ties(given))
        ):
            self.refuse(node, ORDER)
        if function is type and INSTANCE in everything.everything:
            self.refuse(node, "type of an instance can't be followed")
        if function in library.WRITES_TEXT and (everything.callables or INSTANCE in everything.everything):
            self.refuse(node, f"{name} of a function, or of an instance of a class, differs from run to run")

    def call_those(self, node: ast.AST, functions: Iterable[Any], given: Value, again: bool = False) -> Value:
        """The value returned by functions that a library function calls, with any of the values `given`.

        With `again` they are also called with what they return, as `functools.reduce` does.
        """
        returns = PLAIN
        for one in functions:
            if isinstance(one, ModuleType) or (isinstance(one, type) and library.is_of_library(one)):
                continue
            returns |= self.call(node, one, Given(more=given))
            if again:
                returns |= self.call(node, one, Given(more=given | returns))
        return returns

    def call_each(self, node: ast.AST, function: Any, everything: Value, loose: Value) -> Value:
        """The value returned by the functions among the arguments of a library function, which may call them."""
        if function in (isinstance, issubclass, typing_cast):
            return PLAIN
        elements = everything.elements
        given = Value(
            elements.parts | everything.inside | loose.parts,
            everything.inside,
            everything.held,
            everything.held,
            everything.text,
        )
        return self.call_those(node, everything.callables, given, again=True)

    def must_not_change(self, node: ast.AST, function: Any, name: str, given: Given) -> None:
        """Refuse functions that change their first argument, unless the rule itself has created it."""
        if function not in library.CHANGING:
            return
        first = given.positional[0] if given.positional else given.everything
        others = any_of([*given.positional[1:], given.more])
        if first.kinds & {ROW, MEMORY_ROW}:
            self.refuse(node, f"{name} changes the row that it is given; set its values one at a time: row[i] = ...")
        if first.parts - {ITERATOR}:
            self.refuse(node, f"{name} changes something that outlives the game; declare what changes as a field")
        if others.everything - STICKY - OWN or others.callables:
            self.refuse(node, f"part of the game is put into a container by {name}, where it can't be followed")

    # Methods ---------------------------------------------------------------------------------------------------------

    def call_method(self, node: ast.Call, name: str, base: Value) -> Value:
        """The value returned by a method, or by a field of a record; the receiver is neither the game nor a memory."""
        given = self.given(node)
        everything = given.everything
        is_known = name in library.METHODS or name in library.ROW_METHODS
        self.must_not_know(node, name, base)
        if base.kinds & {ROW, MEMORY_ROW} and name not in library.ROW_METHODS:
            self.refuse(node, f".{name}() of a row of the game; set its values one at a time: row[i] = ...")
        found = PLAIN
        for method in self.analysis.methods.get(name, ()):
            found |= self.call(node, method.of(base), given)
        if base.callables and (not is_known or name in self.analysis.fields):
            for function in base.callables:
                found |= self.call(node, function, given)
            is_known = True
        if name in self.analysis.methods and name not in library.METHODS:
            return found
        if not is_known and not (self.analysis.words and not everything.everything):
            self.refuse(node, f"what .{name}() does can't be followed; rules may call methods of lists, dicts, sets")
        return found | self.call_builtin_method(node, name, base, given)

    def must_not_know(self, node: ast.AST, name: str, base: Value) -> None:
        """Refuse to ask a function about itself, as `cache_info` does."""
        if any(knows(one, name) for one in base.functions):
            self.refuse(node, f"the {name} of a function can't be used")

    def call_builtin_method(self, node: ast.Call, name: str, base: Value, given: Given) -> Value:
        """The value returned by a method of a list, dict, set or text."""
        everything = given.everything
        self.must_be_plain(node, name, base, everything)
        if name in library.MUTATING:
            self.must_be_own(node, name, base, given)
        called = Value(base.everything, base.inside, base.held, base.held, base.text)
        self.call_those(node, everything.callables, called)
        text = (base.text or everything.text) and name not in library.COUNTING
        changed = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "add" and everything.text and isinstance(changed, ast.Name):
            self.learn(self.scope_of(changed.id), changed.id, Value(text=True, unordered=True))
        positional = any_of([*given.positional, given.more])
        if name not in library.GIVING_BACK:
            everything = replace(everything, parts=everything.parts - {ITERATOR})
        return Value(
            base.inside | base.parts & (STICKY | {ITERATOR} if name == "copy" else STICKY) | everything.everything,
            base.inside | everything.everything,
            base.callables | positional.callables,
            base.callables | positional.callables,
            text,
            text and (name in library.MAKING_SETS or (name == "copy" and base.unordered)),
            base.holds_unordered or everything.unordered or everything.holds_unordered,
        )

    def must_be_plain(self, node: ast.AST, name: str, base: Value, everything: Value) -> None:
        """Refuse a method that receives the game, or whose result differs from run to run."""
        if everything.everything & {GAME, MEMORY}:
            self.refuse(node, f"the game as a whole is given to .{name}(); give it fields")
        ordered = name not in library.SET_METHODS or name == "pop"
        if (base.unordered and ordered) or (everything.unordered and name not in library.SET_METHODS):
            self.refuse(node, ORDER)
        if name == "format" and everything.callables:
            self.refuse(node, "a function as text differs from run to run")
        if name == "format" and not self.analysis.words and any(kind in ROWS for kind, _ in everything.everything):
            self.refuse(node, ".format() may reach into a row of the game; give it numbers, or use an f-string")

    def must_be_own(self, node: ast.AST, name: str, base: Value, given: Given) -> None:
        """Refuse to change a container that the rule has not created, or to put part of the game into one."""
        everything = given.everything
        if name in ("extend", "update") and not base.parts & STICKY:  # the numbers are put there, not the row
            everything = everything.elements
        if base.parts & STICKY or any(type(one).__name__ == "Foreign" for one in base.functions):
            self.refuse(node, f".{name}() changes something that outlives the game; declare what changes as a field")
        if everything.everything - {SHARED} - OWN:
            self.refuse(node, f"part of the game is put into a container by .{name}(), where it can't be followed")
        kept = any_of([*given.positional, given.more])
        if ITERATOR in everything.everything and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            spreads = "extend" in name or "update" in name
            self.keep(node.func.value, everything.elements if spreads else everything)
        if any(not isinstance(one, type) for one in kept.callables):
            self.refuse(node, "a function is put into a container, where it can't be followed")

    def keep(self, container: ast.expr, value: Value) -> None:
        """Remember that iterators are put into a container, if it is a variable."""
        if isinstance(container, ast.Name) and ITERATOR in value.everything:
            self.learn(self.scope_of(container.id), container.id, Value(inside=frozenset([ITERATOR])))

    def scope_of(self, name: str) -> dict[str, Value]:
        """The variables of the innermost function that has a variable of this name."""
        return next((scope for scope in reversed(self.scopes) if name in scope), self.scopes[-1])


def _loose(function: Any, given: Given) -> Value:
    """The arguments of a library function that its result may itself be, or contain unchanged."""
    named = any_of([value for name, value in given.named if name != "key"])
    positional = list(given.positional)
    if function in library.ITERATING:
        return replace(named, functions=frozenset()) if function in library.CALLING else named
    elif function in (max, min) and len(positional) == 1:
        positional = []
    elif function in library.READING:
        positional = positional[library.READING[function] :]
    loose = any_of([*positional, named, given.more])
    return replace(loose, functions=frozenset()) if function in library.CALLING else loose


def _lines(function: Any, name: str, everything: Value) -> tuple[frozenset[Part], frozenset[Part]]:
    """What a library function that is given rows of rows of the game returns of them: itself, and inside."""
    if function in library.GIVING_ELEMENTS and not name.endswith("from_iterable"):
        return frozenset(part for part in everything.parts if part[0] == GRID), NOTHING
    if function in library.ITERATING:
        return NOTHING, everything.rows if function in library.GIVING_TUPLES else NOTHING
    return everything.rows, NOTHING


def _finds_ties(given: Given) -> bool:
    """Whether `max`, `min` or `sorted` may find elements of a set equal, or not comparable: then its order matters."""
    return given.everything.holds_unordered or any(name != "reverse" for name, _ in given.named)


def knows(function: Any, name: str) -> bool:
    """Whether a function itself, rather than a record that holds it, has an attribute of this name."""
    return hasattr(function.rule if isinstance(function, Bound) else function, name)


def what_is_put(value: Value) -> str:
    """What is put where it can't be followed, as the beginning of a sentence."""
    return "an iterator or a defaultdict is" if ITERATOR in value.everything else "part of the game is"


def why_not(function: object) -> str:
    """Why rules may not call a function, as the end of a sentence."""
    module = getattr(function, "__module__", "") or ""
    if any(function is one for one in (getattr, setattr, vars, hasattr)):
        return "reaches fields by names that can't be followed; write self.name, or use a row: Ints"
    if any(function is one for one in (print, input, open)):
        return "reads or writes; rules have no input and no output"
    if module in ("random", "_random", "secrets", "time", "datetime", "os", "uuid"):
        return "gives something else each time; rules depend only on parameters, state and dice"
    return "can't be shown to depend only on parameters, state and dice"
