"""Rewrites lists, sets and dicts, which lie in arrays on the stack; see `dicelab.kernels.list_support`."""

from __future__ import annotations

import ast
import itertools
import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from dicelab.translation.arithmetic import as_number
from dicelab.translation.calls import Calls
from dicelab.translation.kinds import (
    GRID,
    LINE,
    NUMBER,
    ROWS,
    TEXT,
    UNCLEAR,
    Lst,
    Tup,
    as_list,
    changed_in,
    is_held,
    is_record,
    item_of,
    root,
    width,
)
from dicelab.translation.lowering import nothing
from dicelab.translation.names import assigned, local_name, named_as, noting, size_of
from dicelab.translation.translator import Row

VIEWS = "iterator"


class Lists(Calls):
    """Rewrites everything about lists, sets and dicts."""

    # where they are --------------------------------------------------------------------------------------------------

    def support(self, name: str, *given: ast.expr, game: bool = True) -> ast.Call:
        """A call of a function of `dicelab.kernels.list_support`."""
        self.owner.support_lists()
        first = [named_as("_g")] if game else []
        return ast.Call(ast.Attribute(named_as("_lists"), name, ast.Load()), [*first, *given], [])

    def space(self, kind: Lst) -> ast.expr:
        """An empty array on the stack for a list of this kind."""
        if kind.form == "dict":
            size = width(kind.item) + width(kind.value)
            return self.support("new_table", ast.Constant(kind.most), ast.Constant(size), game=False)
        if self.is_table(kind):
            return self.support("new_table", ast.Constant(kind.most), ast.Constant(width(kind.item)), game=False)
        return self.support("new_list", ast.Constant(kind.most), game=False)

    def is_table(self, kind: Lst) -> bool:
        """Whether a list has a row for each value."""
        return kind.form == "dict" or isinstance(kind.item, Tup | Lst)

    def list_kind(self, node: ast.AST) -> Lst | None:
        """The kind of an expression that is held as a list; None for any other."""
        kind = self.kinds.of(node)
        if not isinstance(kind, Lst) or kind.form == VIEWS:
            return None
        if isinstance(node, ast.expr) and not is_held(kind):
            raise self.refuse(node, f"{ast.unparse(node)[:60]}, a {kind.form} of something other than whole numbers")
        return kind

    def must_be_own(self, name: str, node: ast.AST) -> None:
        """Refuse to change a list that the rule was given, or one that another variable may share."""
        if name in self.kinds.given:
            raise self.refuse(node, f"a change of {name}, which the rule was given; return a new list instead")

    # values ----------------------------------------------------------------------------------------------------------

    def parts(self, node: ast.expr, kind: Any) -> list[ast.expr]:
        """The numbers of a value of a flat kind, one by one."""
        if isinstance(kind, Tup):
            if isinstance(node, ast.Tuple):
                return [p for part, item in zip(node.elts, kind.items, strict=True) for p in self.parts(part, item)]
            return self.spread(self.visit(node), kind)
        self.must_be_alike(node, kind)
        return [ast.Call(named_as("int"), [self.visit(node)], [])]

    def must_be_alike(self, node: ast.expr, kind: Any) -> None:
        """Refuse a text where numbers are, and a number where texts are."""
        found = self.kinds.of(node)
        if (found == TEXT) != (kind == TEXT) and None not in (found, kind):
            raise self.refuse(
                node, f"{ast.unparse(node)[:60]} beside values of another kind: texts and numbers are never equal"
            )

    def operand(self, node: ast.expr) -> ast.expr:
        if self.kinds.of(node) == TEXT:
            raise self.refuse(node, f"{ast.unparse(node)[:60]}, a text, where a number is needed")
        return super().operand(node)

    def value(self, node: ast.expr, kind: Any) -> ast.expr:
        """A number, or the number of a text, that is compared with values of a kind."""
        self.must_be_alike(node, kind)
        return ast.Call(named_as("int"), [self.visit(node)], [])

    def spread(self, made: ast.expr, kind: Any) -> list[ast.expr]:
        """The numbers of a rewritten tuple."""
        if not isinstance(kind, Tup):
            return [ast.Call(named_as("int"), [made], [])]
        found = []
        for i, item in enumerate(kind.items):
            found += self.spread(ast.Subscript(made, ast.Constant(i), ast.Load()), item)
        return found

    def as_tuple(self, node: ast.expr, kind: Any) -> ast.expr:
        """The numbers of a value of a flat kind as a flat tuple."""
        return ast.Tuple(self.parts(node, kind), ast.Load())

    def read(self, table: ast.expr, place: ast.expr, kind: Any, first: int = 0) -> ast.expr:
        """The value of a kind in a row of a table, from a column on."""
        if isinstance(kind, Lst) and not first:
            return ast.Subscript(table, place, ast.Load())
        if isinstance(kind, Lst) or is_record(kind):
            part = ast.Slice(ast.Constant(first), ast.Constant(first + width(kind)))
            return ast.Subscript(table, ast.Tuple([place, part], ast.Load()), ast.Load())
        if isinstance(kind, Tup):
            name = self.owner.reading(shape_of(kind, first))
            return ast.Call(named_as(name), [table, place], [])
        return ast.Subscript(table, ast.Tuple([place, ast.Constant(first)], ast.Load()), ast.Load())

    def of_record(self, record: ast.expr, kind: Tup, place: int) -> ast.expr:
        """An item of a tuple that is held as a row of a table."""
        first, item = sum(map(width, kind.items[:place])), kind.items[place]
        if isinstance(item, Lst) or is_record(item):
            part = ast.Slice(ast.Constant(first), ast.Constant(first + width(item)))
            return ast.Subscript(record, part, ast.Load())
        if isinstance(item, Tup):
            return ast.Tuple(
                [self.of_record(record, kind_of_parts(kind), first + i) for i in range(width(item))], ast.Load()
            )
        return ast.Subscript(record, ast.Constant(first), ast.Load())

    def list_at(self, node: ast.expr) -> ast.expr:
        """The array of a list: that of a variable, a constant, or one that is filled now."""
        kind = self.list_kind(node)
        assert kind is not None
        if isinstance(node, ast.Name) and node.id in self.locals:
            return self.variable(node.id)
        if kind.constant and isinstance(node, ast.Name | ast.Attribute):
            value = self.named(node.id) if isinstance(node, ast.Name) else self.constant_at(node)
            return named_as(self.owner.constant(value, kind))
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            made: ast.expr = self.visit(node)
            return made
        if isinstance(node, ast.Attribute) and is_record(self.kinds.of(node.value)):
            return self.visit_Attribute(node)
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and node.id not in self.locals):
            raise self.refuse(node, f"{ast.unparse(node)[:60]}, a list inside a constant whose parts differ in length")
        return self.fill(node, kind, self.space(kind))

    def constant_at(self, node: ast.Attribute) -> Any:
        """The constant of a class, of the game or of an enum."""
        declared = self.field(node)
        return declared if declared is not None else self.of_class(node)[0]

    def fill(self, node: ast.expr, kind: Lst, into: ast.expr) -> ast.expr:
        """An expression that fills an array with the values of a list, and is that array."""
        match node:
            case ast.List() | ast.Set() | ast.Tuple():
                return self.display(node, kind, into)
            case ast.Dict():
                return self.dict_display(node, kind, into)
            case ast.IfExp():
                return ast.IfExp(
                    self.test(node.test), self.put(node.body, kind, into), self.put(node.orelse, kind, into)
                )
            case ast.BinOp():
                return self.combined_lists(node, kind, into)
            case ast.Call():
                return self.call_filling(node, kind, into)
            case ast.BoolOp():
                raise self.refuse(node, "and, or with lists; write if and else")
        return self.put(node, kind, into)

    def put(self, node: ast.expr, kind: Lst, into: ast.expr, unordered: bool = False) -> ast.expr:
        """An expression that fills an array with the values of any sequence."""
        found = self.kinds.of(node)
        fresh = isinstance(node, ast.List | ast.Set | ast.Dict | ast.IfExp | ast.BinOp | ast.Call)
        if isinstance(node, ast.Call) and self.row(node) is None and isinstance(found, Lst) and found.form != VIEWS:
            return self.fill(node, kind, into)
        if fresh and isinstance(found, Lst) and found.form != VIEWS:
            return self.fill(node, kind, into)
        if isinstance(found, Tup) and isinstance(node, ast.Tuple):
            return self.display(node, kind, into)
        if isinstance(found, Lst) and found.form == "set" and kind.form != "set" and not unordered:
            raise self.refuse(node, "the order of a set, which isn't fixed; use sorted(...)")
        if self.is_table(kind):
            if isinstance(found, Tup):
                raise self.refuse(node, "a tuple of tuples as a list; write a list")
            if isinstance(found, Lst) and found.form != VIEWS:
                return self.support("copied", into, self.list_at(node))
            raise self.refuse(node, f"{ast.unparse(node)[:60]} as a list; write [... for ... in ...]")
        name = "unite" if kind.form == "set" else "filled"
        if kind.form == "set":
            into = self.support("empty", into, game=False)
        return self.support(name, into, self.sequence(node))

    def display(self, node: Any, kind: Lst, into: ast.expr) -> ast.expr:
        """``[a, b, c]``, ``{a, b, c}``, ``(*a, b)``."""
        if not node.elts:
            return self.support("emptied" if self.is_table(kind) else "empty", into, game=False)
        if self.is_table(kind):
            name = self.owner.adding(len(node.elts), isinstance(kind.item, Lst), kind.form == "set")
            rows = [
                self.list_or_row(part) if isinstance(kind.item, Lst) else self.as_tuple(part, kind.item)
                for part in node.elts
            ]
            return ast.Call(named_as(name), [named_as("_g"), into, *rows], [])
        if any(isinstance(part, ast.Starred) for part in node.elts):
            made, name = self.support("empty", into, game=False), "unite" if kind.form == "set" else "extend"
            for part in node.elts:
                values = (
                    self.sequence(part.value)
                    if isinstance(part, ast.Starred)
                    else ast.Tuple([ast.Call(named_as("int"), [self.visit(part)], [])], ast.Load())
                )
                made = self.support(name, made, values)
            return made
        numbers = ast.Tuple([p for part in node.elts for p in self.parts(part, NUMBER)], ast.Load())
        if kind.form == "set":
            return self.support("unite", self.support("empty", into, game=False), numbers)
        return self.support("filled", into, numbers)

    def list_or_row(self, node: ast.expr) -> ast.expr:
        """A sequence of numbers that is copied into a list of lists."""
        if isinstance(node, ast.List | ast.Tuple):
            return (
                ast.Tuple([ast.Call(named_as("int"), [self.visit(part)], []) for part in node.elts], ast.Load())
                if (node.elts)
                else self.support("items", self.list_at(node), game=False)
            )
        return self.sequence(node)

    def dict_display(self, node: ast.Dict, kind: Lst, into: ast.expr) -> ast.expr:
        if not node.keys:
            return self.support("emptied", into, game=False)
        name = self.owner.adding(len(node.keys), False, True, width(kind.item))
        rows = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise self.refuse(node, "** in a dict")
            rows.append(ast.Tuple([*self.parts(key, kind.item), *self.parts(value, kind.value)], ast.Load()))
        return ast.Call(named_as(name), [named_as("_g"), into, *rows], [])

    def combined_lists(self, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
        """``[0] * 6``, ``a + b``, and ``a - b`` and so on of sets."""
        if isinstance(node.op, ast.Mult):
            sequence, times = (node.left, node.right) if as_list(self.kinds.of(node.left)) else (node.right, node.left)
            if not isinstance(sequence, ast.List) or len(sequence.elts) != 1 or self.is_table(kind):
                raise self.refuse(node, "a list repeated, other than of one number")
            return self.support("repeated", into, self.visit(sequence.elts[0]), self.operand(times))
        if self.is_table(kind):
            raise self.refuse(node, "+ of lists of tuples; append them in a loop")
        if kind.form == "set":
            return self.combined_sets(node, into)
        if not isinstance(node.op, ast.Add):
            raise self.refuse(node, "an operation on lists other than + and *")
        first = self.put(node.left, kind, into)
        return self.support("extend", first, self.sequence(node.right))

    def combined_sets(self, node: ast.BinOp, into: ast.expr) -> ast.expr:
        left, right = self.sequence(node.left), self.sequence(node.right)
        if isinstance(node.op, ast.BitOr):
            first = self.support("unite", self.support("empty", into, game=False), left)
            return self.support("unite", first, right)
        if isinstance(node.op, ast.BitAnd | ast.Sub):
            return self.support("kept_in", into, left, right, ast.Constant(isinstance(node.op, ast.BitAnd)))
        raise self.refuse(node, "an operation on sets other than |, & and -")

    def call_filling(self, node: ast.Call, kind: Lst, into: ast.expr) -> ast.expr:
        """A call whose result is a list."""
        rule = self.kinds.rule_called(node)
        if rule is not None:
            made = super().visit_Call(node)
            assert isinstance(made, ast.Call)
            made.args.insert(0, into)
            return made
        target, func = self.kinds.target(node.func), node.func
        if target in (list, tuple, set, frozenset, sorted) and len(node.args) <= 1:
            return self.made_of(node, target, kind, into)
        if target is dict and not node.args and not node.keywords:
            return self.support("emptied", into, game=False)
        if target is dict and len(node.args) == 1 and not node.keywords:
            return self.put(node.args[0], kind, into)
        if target is itertools.chain and not node.keywords:
            made = self.support("empty", into, game=False)
            for part in node.args:
                made = self.support("extend", made, self.sequence(part))
            return made
        if target is itertools.accumulate and len(node.args) == 1 and not node.keywords:
            if not self.interval(node).fits:
                raise self.refuse(node, "accumulate of numbers that may outgrow 64 bits")
            return self.support("summed", into, self.sequence(node.args[0]))
        if target in (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement):
            flags = [target is itertools.combinations_with_replacement, target is itertools.permutations]
            numbers = [self.numbers(node.args[0]), self.visit(node.args[1])]
            return self.support("chosen", into, *numbers, *map(ast.Constant, flags))
        if target is itertools.product:
            return self.crossed(node, into)
        if isinstance(func, ast.Attribute) and func.attr == "copy":
            return self.put(func.value, kind, into)
        if isinstance(func, ast.Attribute) and func.attr in ("union", "intersection", "difference"):
            op = {"union": ast.BitOr(), "intersection": ast.BitAnd(), "difference": ast.Sub()}[func.attr]
            return self.combined_sets(ast.copy_location(ast.BinOp(func.value, op, node.args[0]), node), into)
        raise self.refuse(node, f"{ast.unparse(node)[:60]}, which can't be compiled")

    def numbers(self, node: ast.expr) -> ast.expr:
        """A sequence of numbers that is read by its places."""
        kind = self.kinds.of(node)
        if self.row(node) is not None:
            return self.sequence(node)
        if (isinstance(kind, Lst) and kind.form == VIEWS) or (isinstance(kind, Tup) and isinstance(node, ast.Name)):
            found = Lst(item_of(kind), "list", max(128, len(getattr(kind, "items", ()))))
            return self.support("items", self.put(node, found, self.space(found)), game=False)
        return self.sequence(node)

    def crossed(self, node: ast.Call, into: ast.expr) -> ast.expr:
        """``product(a, b, ...)``, or with ``repeat=``."""
        kind = self.kinds.of(node)
        if not isinstance(kind, Lst):
            raise self.refuse(node, "product of a number of sequences that isn't written out")
        sources = [self.numbers(s) for s in node.args] * (len(kind.item.items) // len(node.args))
        if len(sources) == 1:
            return self.support("chosen", into, sources[0], ast.Constant(1), ast.Constant(True), ast.Constant(True))
        if len(sources) == 2:
            return self.support("crossed", into, *sources)
        made: ast.expr = self.support("crossed", self.space(kind._replace(item=Tup((NUMBER, NUMBER)))), *sources[:2])
        for i, source in enumerate(sources[2:], 2):
            part = kind._replace(item=Tup((NUMBER,) * (i + 1)))
            goal = into if i == len(sources) - 1 else self.space(part)
            made = self.support("crossed_more", goal, made, ast.Constant(i), source)
        return made

    def made_of(self, node: ast.Call, target: Any, kind: Lst, into: ast.expr) -> ast.expr:
        """``list(...)``, ``tuple(...)``, ``set(...)`` and ``sorted(...)``."""
        if not node.args:
            return self.support("emptied" if self.is_table(kind) else "empty", into, game=False)
        made = self.put(node.args[0], kind, into, unordered=target is sorted)
        if target is sorted:
            down = next((k.value for k in node.keywords if k.arg == "reverse"), ast.Constant(False))
            if kind.item == TEXT:
                raise self.refuse(node, "an order of texts; sort numbers")
            if len(node.keywords) > 1 or any(k.arg != "reverse" for k in node.keywords):
                raise self.refuse(node, "sorted with other arguments than key and reverse")
            if self.is_table(kind):
                if not isinstance(kind.item, Tup):
                    raise self.refuse(node, "sorted of lists; sort numbers or tuples, or use key=")
                return self.support("sort_rows", made, self.test(down), ast.Constant(width(kind.item)), game=False)
            return self.support("sort", made, self.test(down), game=False)
        return made

    # going through -----------------------------------------------------------------------------------------------

    def sequence(self, node: ast.expr) -> ast.expr:
        """A sequence whose numbers are used one by one."""
        kind = self.kinds.of(node)
        if self.row(node) is not None or (isinstance(node, ast.List | ast.Tuple) and not _starred(node)):
            return super().sequence(node)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self.slice_of(node)
        if isinstance(kind, Lst) and kind.form != VIEWS:
            if self.is_table(kind) and kind.form != "dict":
                raise self.refuse(
                    node, f"{ast.unparse(node)[:60]}, a list of tuples or lists, where numbers are needed"
                )
            if kind.form == "dict":
                return self.column(node, kind, 0)
            return self.support("items", self.list_at(node), game=False)
        if isinstance(node, ast.Call) and isinstance(kind, Lst):
            target, func = self.kinds.target(node.func), node.func
            if target is reversed:
                return ast.Subscript(self.numbers(node.args[0]), ast.Slice(None, None, ast.Constant(-1)), ast.Load())
            if isinstance(func, ast.Attribute) and func.attr in ("keys", "values"):
                owner = self.list_kind(func.value)
                if owner is not None and owner.form == "dict":
                    return self.column(func.value, owner, 0 if func.attr == "keys" else width(owner.item))
        if isinstance(kind, Tup) and kind.items and all(item in (NUMBER, TEXT) for item in kind.items):
            value = self.named(node.id) if isinstance(node, ast.Name) else None
            if isinstance(value, list | set | frozenset | range):
                return self.literal(tuple(value), node, str(getattr(node, "id", "")))
        return super().sequence(node)

    def column(self, node: ast.expr, kind: Lst, place: int) -> ast.expr:
        """The keys or values of a dict whose keys, or values, are numbers."""
        wanted = kind.item if place == 0 else kind.value
        if wanted != NUMBER:
            raise self.refuse(node, "keys, or values, that are tuples, where numbers are needed")
        if not isinstance(node, ast.Name):
            raise self.refuse(node, "a dict without a name; give it one on a line of its own")
        table = self.list_at(node)
        last = ast.BinOp(_cell(table, 0, 0), ast.Add(), ast.Constant(1))
        return ast.Subscript(
            table, ast.Tuple([ast.Slice(ast.Constant(1), last), ast.Constant(place)], ast.Load()), ast.Load()
        )

    def slice_of(self, node: ast.Subscript) -> ast.expr:
        """``numbers[a:b:c]`` as a part of an array."""
        assert isinstance(node.slice, ast.Slice)
        step = node.slice.step
        if step is not None and self.kinds.constant(step) in (None, 0) and not isinstance(step, ast.UnaryOp):
            raise self.refuse(node, "a slice whose step isn't written as a number")
        ends = [None if end is None else self.operand(end) for end in (node.slice.lower, node.slice.upper)]
        base = node.value
        kind = self.kinds.of(base)
        if isinstance(kind, Lst) and self.is_table(kind):
            raise self.refuse(node, "a slice of a list of tuples; write [... for i in range(...)]")
        made = self.numbers(base)
        return ast.Subscript(made, ast.Slice(ends[0], ends[1], None if step is None else self.visit(step)), ast.Load())

    def source(
        self, node: ast.expr, before: list[ast.stmt]
    ) -> tuple[ast.expr, Any, Callable[[ast.expr], ast.expr]] | None:
        """A sequence by its places: its length, the kind of its items, and the item at a place counted from 0.

        None for what is gone through as it is.
        """
        kind = self.kinds.of(node)
        one = ast.Constant(1)
        if isinstance(node, ast.Call) and isinstance(kind, Lst) and kind.form == VIEWS:
            target, func = self.kinds.target(node.func), node.func
            if target is reversed:
                inner = self.source(node.args[0], before)
                if inner is None:
                    return None
                size = self.temporary()
                before.append(assigned(size, inner[0]))
                last = ast.BinOp(named_as(size), ast.Sub(), one)
                return named_as(size), inner[1], lambda i: inner[2](ast.BinOp(last, ast.Sub(), i))
            if target is enumerate:
                inner = self.source(node.args[0], before) or self.as_array(node.args[0], before)
                start = next((k.value for k in node.keywords if k.arg == "start"), None)
                start = node.args[1] if len(node.args) > 1 else start
                first = self.operand(start) if start is not None else ast.Constant(0)
                name = self.temporary()
                before.append(assigned(name, first))
                pair = Tup((NUMBER, inner[1]))
                return inner[0], pair, lambda i: _Pair([ast.BinOp(named_as(name), ast.Add(), i), inner[2](i)])
            if target is zip:
                parts = [self.source(part, before) or self.as_array(part, before) for part in node.args]
                size = self.temporary()
                sizes = [part[0] for part in parts]
                before.append(assigned(size, sizes[0] if len(sizes) == 1 else ast.Call(named_as("min"), sizes, [])))
                pair = Tup(tuple(part[1] for part in parts))
                return named_as(size), pair, lambda i: _Pair([part[2](i) for part in parts])
            if isinstance(func, ast.Attribute) and func.attr in ("items", "keys", "values"):
                owner = self.list_kind(func.value)
                if owner is None:
                    return None
                table = self.held(func.value, before)
                after = width(owner.item)
                reads: list[tuple[Any, int]] = {
                    "items": [(owner.item, 0), (owner.value, after)],
                    "keys": [(owner.item, 0)],
                    "values": [(owner.value, after)],
                }[func.attr]

                def at(i: ast.expr) -> ast.expr:
                    found = [self.read(table, ast.BinOp(i, ast.Add(), one), item, first) for item, first in reads]
                    return _Pair(found) if len(found) == 2 else found[0]

                item = Tup(tuple(k for k, _ in reads)) if len(reads) == 2 else reads[0][0]
                return _cell(table, 0, 0), item, at
            return None
        if kind == GRID:
            grid = self.row(node)
            assert grid is not None
            columns = self.columns(grid[0])
            self.going_through_grid = grid[0]

            def line(i: ast.expr) -> ast.expr:
                first = ast.BinOp(i, ast.Mult(), columns)
                part = ast.Slice(first, ast.BinOp(first, ast.Add(), columns))
                return ast.Subscript(grid[1], part, ast.Load())

            return ast.BinOp(size_of(grid[1]), ast.FloorDiv(), columns), LINE, line
        if isinstance(kind, Lst) and kind.form != VIEWS and self.is_table(kind) and self.row(node) is None:
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
                raise self.refuse(node, "a slice of a list of tuples; write [... for i in range(...)]")
            self.list_kind(node)
            table = self.held(node, before)
            return _cell(table, 0, 0), kind.item, lambda i: self.read(table, ast.BinOp(i, ast.Add(), one), kind.item)
        return None

    def held(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """The array of a list under a name."""
        made = self.list_at(node)
        if isinstance(made, ast.Name):
            return made
        name = self.temporary()
        before.append(assigned(name, made))
        return named_as(name)

    def as_array(self, node: ast.expr, before: list[ast.stmt]) -> tuple[ast.expr, Any, Callable[[ast.expr], ast.expr]]:
        """A sequence of numbers, or a tuple, by its places."""
        kind, name = self.kinds.of(node), self.temporary()
        target = self.kinds.target(node.func) if isinstance(node, ast.Call) else None
        made: ast.expr
        if target is range and isinstance(node, ast.Call):
            made = ast.Call(named_as("range"), [self.operand(part) for part in node.args], [])
        elif isinstance(kind, Tup) and not isinstance(node, ast.Tuple | ast.List):
            made = self.visit(node) if self.row(node) is None else self.sequence(node)
        else:
            made = self.sequence(node)
        before.append(assigned(name, made))
        item = item_of(kind) if item_of(kind) is not None else NUMBER
        size: ast.expr = ast.Call(named_as("len"), [named_as(name)], [])
        return size, item, lambda i: ast.Subscript(named_as(name), i, ast.Load())

    def loop_by_places(self, node: ast.For) -> list[ast.stmt] | None:
        """A loop over a list of tuples, or over several sequences with one, goes by places; None for other loops."""
        kind = self.kinds.of(node.iter)
        changed = {name for part in node.body for name in changed_in(part)}
        lists = {n for n in gone_through(node.iter) if isinstance(self.kinds.of(ast.Name(n, ast.Load())), Lst)}
        if changed & lists and not isinstance(self.kinds.of(node.iter), Tup):
            raise self.refuse(node, "a loop over a list that its body changes; go through a copy: list(...)")
        if isinstance(kind, Lst) and kind.form == "set" and not getattr(node, "unordered", False):
            raise self.refuse(node, "a loop over a set, whose order isn't fixed; go through sorted(...)")
        before: list[ast.stmt] = []
        needs = self.needs_places(node.iter)
        found = self.source(node.iter, before) if needs else None
        if found is None:
            return None
        size, item, at = found
        place, many = self.temporary(), self.temporary()
        before.append(assigned(many, size))
        head = self.bind(node.target, item, at(named_as(place)))
        loop = ast.For(
            ast.Name(place, ast.Store()),
            ast.Call(named_as("range"), [named_as(many)], []),
            [*head, *self.block(node.body)],
            self.block(node.orelse) if node.orelse else [],
            lineno=node.lineno,
        )
        return [*before, loop]

    def needs_places(self, node: ast.expr) -> bool:
        """Whether a sequence has tuples or lists, so that a loop goes by places."""
        for part in ast.walk(node):
            kind = self.kinds.of(part) if isinstance(part, ast.expr) else None
            if kind == GRID and not self.is_indexed(part, node):
                return True
            if isinstance(kind, Lst) and kind.form != VIEWS and self.is_table(kind) and self.row(part) is None:
                return True
            if isinstance(kind, Lst) and kind.form == VIEWS and isinstance(part, ast.Call):
                if isinstance(part.func, ast.Attribute):
                    return True
                if self.kinds.target(part.func) is enumerate and part.keywords:
                    return True
        return False

    def is_indexed(self, grid: ast.AST, within: ast.AST) -> bool:
        """Whether only a row of a row of rows is used in an expression."""
        return any(isinstance(part, ast.Subscript) and part.value is grid for part in ast.walk(within))

    going_through_grid: Row | None = None
    """The row of rows that the innermost loop over one goes through."""

    @abstractmethod
    def mark(self, names: Sequence[str]) -> list[ast.stmt]:
        """Statements that record that these variables have a value."""

    def bind(self, target: ast.expr, kind: Any, value: ast.expr) -> list[ast.stmt]:
        """Assign an item of a sequence to the target of a loop."""
        if kind == LINE and isinstance(target, ast.Name) and self.going_through_grid is not None:
            if self.bound.get(target.id, 1) != 1:
                raise self.refuse(target, f"{target.id} for a row and for something else; use two names")
            self.rows[target.id] = self.going_through_grid, named_as(local_name(target.id))
        if isinstance(target, ast.Name):
            made = ast.Tuple(list(value.elts), ast.Load()) if isinstance(value, _Pair) else value
            return [assigned(local_name(target.id), made), *self.mark([target.id])]
        assert isinstance(target, ast.Tuple | ast.List)
        found: list[ast.stmt] = []
        if isinstance(value, _Pair):
            parts = zip(target.elts, getattr(kind, "items", ()), value.elts, strict=True)
            return [s for t, k, v in parts for s in self.bind(t, k, v)]
        if is_record(kind):
            name = self.temporary()
            found = [assigned(name, value)]
            for i, (part, item) in enumerate(zip(target.elts, kind.items, strict=True)):
                found += self.bind(part, item, self.of_record(named_as(name), kind, i))
            return found
        if isinstance(kind, Tup):
            if len(kind.items) != len(target.elts):
                raise self.refuse(target, f"{len(kind.items)} values unpacked into {len(target.elts)}")
            name = self.temporary()
            found = [assigned(name, value)]
            for i, (part, item) in enumerate(zip(target.elts, kind.items, strict=True)):
                found += self.bind(part, item, ast.Subscript(named_as(name), ast.Constant(i), ast.Load()))
            return found
        if isinstance(kind, Lst):
            name = self.temporary()
            found = [assigned(name, value), *self.must_have(named_as(name), len(target.elts))]
            for i, part in enumerate(target.elts):
                found += self.bind(part, kind.item, ast.Subscript(named_as(name), ast.Constant(i + 1), ast.Load()))
            return found
        raise self.refuse(target, "values that can't be unpacked")

    def must_have(self, made: ast.expr, many: int) -> list[ast.stmt]:
        """A statement that records an error unless a list has so many values."""
        size = ast.Subscript(made, ast.Constant(0), ast.Load())
        return [ast.Expr(self.support("must_have", size, ast.Constant(many)))]

    # expressions -------------------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and self.kinds.of(node) == UNCLEAR:
            raise self.refuse(node, f"{ast.unparse(node)[:60]}, which may be a text or something else")
        if (
            isinstance(node, ast.expr)
            and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
            and not isinstance(node, ast.Subscript)
            and self.row(node) is None
            and self.list_kind(node) is not None
            and not self._is_method_of_list(node)
        ):
            return self.list_at(node)
        return super().visit(node)

    def _is_method_of_list(self, node: ast.AST) -> bool:
        """Whether this is a call of a method that returns a list which is in a list: ``lists.pop()``."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        return self.kinds.rule_called(node) is None and node.func.attr in ("pop", "get", "setdefault")

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        kind = self.kinds.of(node.value)
        if isinstance(node.slice, ast.Slice):
            if isinstance(self.kinds.of(node), Tup):
                return ast.Subscript(self.visit(node.value), node.slice, ast.Load())
            found = self.list_kind(node)
            if found is not None:
                return self.support("filled", self.space(found), self.slice_of(node))
            return super().visit_Subscript(node)
        base = node.value
        if is_record(kind):
            item = self.kinds.constant(node.slice)
            if item is None or not 0 <= item < len(kind.items):
                raise self.refuse(node, "an item of a tuple with lists in it, by a number that isn't written out")
            return self.of_record(self.visit(base), kind, item)
        if kind == TEXT:
            raise self.refuse(node, "a part of a text")
        if isinstance(base, ast.Subscript) and isinstance(base.slice, ast.Slice) and not isinstance(kind, Tup):
            return self.support("item_of", self.slice_of(base), self.operand(node.slice))
        is_list = self.row(base) is None and isinstance(kind, Lst)
        if (
            is_list
            and kind.form == "list"
            and not self.is_table(kind)
            and not isinstance(base, ast.Name | ast.Subscript)
        ):
            return self.support("item", self.list_at(base), self.operand(node.slice))
        if is_list and kind.form != VIEWS:
            table, place = self.place_in(node, kind)
            if kind.form == "dict":
                return self.read(table, place, kind.value, width(kind.item))
            return (
                self.read(table, place, kind.item) if self.is_table(kind) else ast.Subscript(table, place, ast.Load())
            )
        return super().visit_Subscript(node)

    def place_in(self, node: ast.Subscript, kind: Lst, adding: bool = False) -> tuple[ast.expr, ast.expr]:
        """The array of a list or dict, and the place in it of an item."""
        self.list_kind(node.value)
        table = self.list_at(node.value)
        if not isinstance(table, ast.Name | ast.Subscript):
            raise self.refuse(node, "an item of a list without a name; give it one on a line of its own")
        if kind.form == "set":
            raise self.refuse(node, "an item of a set")
        if kind.form == "dict":
            name = "row_of" if adding else "known_row"
            return table, self.support(name, table, self.as_tuple(node.slice, kind.item))
        size = _cell(table, 0, 0) if self.is_table(kind) else ast.Subscript(table, ast.Constant(0), ast.Load())
        return table, self.support("position", self.operand(node.slice), size)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        owner = self.kinds.of(node.value)
        if isinstance(owner, Tup) and node.attr in owner.names and self.field(node) is None:
            known = self.constant_value(node)
            if known is not None:
                return self.literal(known, node, node.attr)
            made = self.visit(node.value)
            if is_record(owner):
                return self.of_record(made, owner, owner.names.index(node.attr))
            return ast.Subscript(made, ast.Constant(owner.names.index(node.attr)), ast.Load())
        return super().visit_Attribute(node)

    def constant_value(self, node: ast.AST) -> Any:
        """The number or tuple that a chain of attributes of a constant has; None if it isn't one."""
        if isinstance(node, ast.Name):
            return self.named(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.constant_value(node.value)
            if owner is None or self.kinds.of(node.value) is None:
                return None
            return getattr(owner, node.attr, None)
        return None

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        if self.kinds.of(node.value) not in (NUMBER, None):
            raise self.refuse(node, "an assignment inside an expression, of something other than a number")
        self.boxed.add(node.target.id)
        return self.support("set_box", named_as(local_name(node.target.id)), self.operand(node.value), game=False)

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        return self.list_at(node)

    def truth(self, node: ast.expr) -> ast.expr | None:
        """Whether a list has items; None for anything else."""
        kind = self.kinds.of(node)
        if self.row(node) is not None or not isinstance(kind, Lst) or kind.form == VIEWS:
            return None
        return ast.Compare(self.size(node, kind), [ast.Gt()], [ast.Constant(0)])

    def size(self, node: ast.expr, kind: Lst) -> ast.expr:
        """The length of a list."""
        table = self.list_at(node)
        if self.is_table(kind):
            return _cell(table, 0, 0)
        return ast.Subscript(table, ast.Constant(0), ast.Load())

    def test(self, node: ast.expr) -> ast.expr:
        if self.kinds.of(node) == TEXT:
            raise self.refuse(node, "a text as a condition; compare it with ==")
        found = self.truth(node)
        return found if found is not None else super().test(node)

    def comparison(self, node: ast.Compare) -> ast.expr:
        """Comparisons of whole lists, and ``in`` of lists, sets and dicts."""
        sides = [node.left, *node.comparators]
        if any(self.kinds.of(side) == TEXT for side in sides):
            for op, one, other in zip(node.ops, sides, sides[1:], strict=False):
                inside = isinstance(op, ast.In | ast.NotIn)
                if not isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
                    raise self.refuse(node, "an order of texts; compare them with ==")
                self.must_be_alike(one, item_of(self.kinds.of(other)) if inside else self.kinds.of(other))
                if inside and self.kinds.of(other) == TEXT:
                    raise self.refuse(node, "a text within a text")
        if len(node.ops) == 1:
            left, op, right = node.left, node.ops[0], node.comparators[0]
            kind = self.kinds.of(right)
            if isinstance(op, ast.In | ast.NotIn) and self.row(right) is None:
                found = self.contained(left, right, kind)
                if found is not None:
                    return found if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), found)
            if not isinstance(op, ast.In | ast.NotIn):
                one, other = self.kinds.of(left), kind
                if isinstance(one, Lst) or isinstance(other, Lst) or (one in ROWS and other in ROWS):
                    return self.compared_lists(node, left, op, right)
                if (one in ROWS and isinstance(other, Tup)) or (other in ROWS and isinstance(one, Tup)):
                    return self.compared_lists(node, left, op, right)
                if isinstance(one, Tup) and isinstance(other, Tup) and one.form != other.form:
                    return self.compared_lists(node, left, op, right)
        elif any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            pass
        elif any(isinstance(self.kinds.of(part), Lst) for part in [node.left, *node.comparators]):
            raise self.refuse(node, "a chain of comparisons of lists; write them apart")
            if any(isinstance(self.kinds.of(side), Lst) for side in sides) and not isinstance(op, ast.In | ast.NotIn):
                raise self.refuse(node, "a comparison of a list")
        return super().comparison(node)

    def contained(self, left: ast.expr, right: ast.expr, kind: Any) -> ast.expr | None:
        """``left in right`` for lists, sets, dicts and slices."""
        found = self.kinds.of(left)
        constants = isinstance(kind, Lst) and kind.constant and isinstance(kind.item, Tup) and kind.form != "dict"
        if isinstance(found, Lst) and (isinstance(kind, Tup) or constants):
            places = range(len(kind.items) if isinstance(kind, Tup) else kind.most)
            written = (
                right.elts
                if isinstance(right, ast.Tuple | ast.List)
                else [
                    ast.fix_missing_locations(
                        ast.copy_location(ast.Subscript(right, ast.Constant(i), ast.Load()), right)
                    )
                    for i in places
                ]
            )
            pairs = [ast.copy_location(ast.Compare(left, [ast.Eq()], [each]), left) for each in written]
            tests = [self.compared_lists(pair, left, ast.Eq(), each) for pair, each in zip(pairs, written, strict=True)]
            return ast.BoolOp(ast.Or(), tests) if len(tests) > 1 else tests[0]
        if isinstance(found, Lst):
            raise self.refuse(left, "a list, set or dict in another one")
        if isinstance(right, ast.Subscript) and isinstance(right.slice, ast.Slice) and not isinstance(kind, Tup):
            return self.row_contains(self.slice_of(right), left)
        if isinstance(kind, Lst) and kind.form == VIEWS:
            return self.row_contains(self.sequence(right), left)
        if isinstance(kind, Lst):
            table = self.list_at(right)
            if isinstance(kind.item, Lst):
                raise self.refuse(right, "in of a list of lists")
            if self.is_table(kind):
                place: ast.expr = self.support("find_row", table, self.as_tuple(left, kind.item), game=False)
            else:
                place = self.support("find", table, self.value(left, kind.item), game=False)
            return ast.Compare(place, [ast.Gt()], [ast.Constant(0)])
        if isinstance(kind, Tup) and isinstance(right, ast.Name | ast.Attribute):
            value = self.named(right.id) if isinstance(right, ast.Name) else self.constant_at(right)
            if isinstance(value, list | set | frozenset | range):
                return ast.Compare(
                    self.visit(left), [ast.In()], [self.literal(tuple(value), right, ast.unparse(right))]
                )
        if isinstance(right, ast.Set):
            return ast.Compare(
                self.visit(left), [ast.In()], [ast.Tuple([self.visit(p) for p in right.elts], ast.Load())]
            )
        return None

    def row_contains(self, row: ast.expr, wanted: ast.expr) -> ast.expr:
        """Whether a number is in a part of a row, or in anything else that is gone through."""
        found = ast.Call(_row("contains"), [row, self.operand(wanted)], [])
        return ast.Compare(found, [ast.Eq()], [ast.Constant(True)])

    def compared_lists(self, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
        """``==`` and ``!=`` of sequences, and comparisons of sets."""
        forms = [self.form_of(left), self.form_of(right)]
        sets = [form == "set" for form in forms]
        if all(sets) and isinstance(op, ast.LtE | ast.GtE | ast.Eq | ast.NotEq | ast.Lt | ast.Gt):
            one, other = self.sequence(left), self.sequence(right)
            within: list[ast.expr] = [
                self.support("is_within", a, b, game=False) for a, b in ((one, other), (other, one))
            ]
            if isinstance(op, ast.LtE | ast.GtE):
                return within[isinstance(op, ast.GtE)]
            if isinstance(op, ast.Lt | ast.Gt):
                first = isinstance(op, ast.Gt)
                return ast.BoolOp(ast.And(), [within[first], ast.UnaryOp(ast.Not(), within[not first])])
            both = ast.BoolOp(ast.And(), within)
            return both if isinstance(op, ast.Eq) else ast.UnaryOp(ast.Not(), both)
        if not isinstance(op, ast.Eq | ast.NotEq):
            raise self.refuse(node, "an order of lists; compare numbers or tuples")
        if "" in forms or any(sets):
            raise self.refuse(node, "== between these; compare lists with lists and tuples with tuples")
        if forms[0] != forms[1]:
            raise self.refuse(
                node, "== of a list and a tuple, which is never true; compare with list(...) or tuple(...)"
            )
        equal = self.support("same", self.numbers(left), self.numbers(right), game=False)
        return equal if isinstance(op, ast.Eq) else ast.UnaryOp(ast.Not(), equal)

    def form_of(self, node: ast.expr) -> str:
        """Whether an expression is a list, a tuple, a set or a dict; "" if that isn't known."""
        kind = self.kinds.of(node)
        if kind in ROWS:
            return ROWS[kind]
        if isinstance(kind, Tup):
            return kind.form
        return kind.form if isinstance(kind, Lst) and kind.form != VIEWS else ""

    # calls -------------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.expr:
        target = self.kinds.target(node.func)
        if target is nothing:
            return noting("noted", ast.Constant(True), ast.Constant(0))
        if target in _MATH:
            return self.of_math(node, target)
        if isinstance(target, type) and issubclass(target, tuple) and hasattr(target, "_fields"):
            kind = self.kinds.of(node)
            parts = dict(zip(target._fields, node.args, strict=False)) | {str(k.arg): k.value for k in node.keywords}
            defaults = vars(target)["_field_defaults"]
            made = [
                self.argument(parts[n]) if n in parts else self.literal(defaults.get(n), node, n) for n in kind.names
            ]
            return ast.Tuple(made, ast.Load())
        several = target in (max, min) and len(node.args) > 1 and not node.keywords
        if several and any(isinstance(self.kinds.of(part), Lst) for part in node.args):
            raise self.refuse(node, "max or min of lists")
        if target is sorted and self.kinds.sorted_at_once(node) is not None:
            return self.in_order(node)[0]
        if target is tuple and len(node.args) == 1 and isinstance(self.kinds.of(node), Tup):
            made_tuple: ast.expr = self.visit(node.args[0])
            return made_tuple
        if target is tuple and not node.args:
            return ast.Tuple([], ast.Load())
        return super().visit_Call(node)

    def of_math(self, node: ast.Call, target: Any) -> ast.expr:
        """A function of ``math`` on whole numbers."""
        if node.keywords:
            raise self.refuse(node, f"{target.__name__} with arguments by name")
        given = [self.operand(part) for part in node.args]
        if target in (math.gcd, math.lcm) and len(given) >= 1:
            made = given[0] if len(given) > 1 else self.support("gcd", given[0], ast.Constant(0), game=False)
            for part in given[1:]:
                made = (
                    self.support("gcd", made, part, game=False)
                    if target is math.gcd
                    else self.support("lcm", made, part)
                )
            return made
        if target is math.perm and len(given) == 1:
            given = given * 2
        if target is math.factorial:
            return self.support("perm", given[0], given[0])
        return self.support(target.__name__, *given)

    def of_all(self, node: ast.Call, name: str) -> ast.expr:
        """``max``, ``min``, ``sum`` or ``len`` of a sequence."""
        source = node.args[0]
        kind = self.kinds.of(source)
        if (kind == TEXT or item_of(kind) == TEXT) and name != "len":
            raise self.refuse(node, f"{name} of texts")
        if kind == TEXT:
            raise self.refuse(node, "the length of a text")
        if self.row(source) is None and isinstance(kind, Lst):
            is_slice = isinstance(source, ast.Subscript) and isinstance(source.slice, ast.Slice)
            if name == "len" and is_slice and isinstance(source, ast.Subscript) and not self.is_table(kind):
                return size_of(self.slice_of(source))
            if name == "len" and kind.form != VIEWS:
                return self.size(source, kind)
            if kind.form != VIEWS and self.is_table(kind) and kind.form != "dict":
                raise self.refuse(node, f"{name} of a list of tuples or lists; use key=, or max(... for ...)")
            if self.kinds.target(source.func) is range if isinstance(source, ast.Call) else False:
                return super().of_all(node, name)
            made = self.sequence(source)
            if name == "sum":
                if self.interval(node).fits and self.interval(source).most < 2**31:
                    return ast.Call(_row("sum"), [made], [])
                return noting("row_sum_noticed", made)
            if name == "len":
                return size_of(made)
            return noting(f"some_{name}", made)
        if isinstance(kind, Tup):
            if name == "len":
                return ast.Constant(len(kind.items))
            value = self.named(source.id) if isinstance(source, ast.Name) else None
            if isinstance(value, list | set | frozenset | range):
                return ast.Call(
                    named_as(name), [self.literal(tuple(value), source, str(getattr(source, "id", "")))], []
                )
        return super().of_all(node, name)

    def method_call(self, node: ast.Call, func: ast.Attribute) -> ast.expr:
        kind = self.kinds.of(func.value)
        if self.row(func.value) is None and isinstance(kind, Lst) and kind.form != VIEWS:
            return self.of_list(node, func, kind)
        if isinstance(kind, Tup) and func.attr in ("index", "count") and len(node.args) == 1:
            found = Lst(item_of(kind), most=max(128, len(kind.items)))
            made = self.support("items", self.put(func.value, found, self.space(found)), game=False)
            first = [] if func.attr == "count" else [named_as("_g")]
            return ast.Call(_row(func.attr), [*first, made, self.value(node.args[0], found.item)], [])
        return super().method_call(node, func)

    def of_list(self, node: ast.Call, func: ast.Attribute, kind: Lst) -> ast.expr:
        """A call of a method of a list, set or dict."""
        name, given = func.attr, node.args
        self.list_kind(func.value)
        if name in CHANGES:
            for changed in root(func.value):
                self.must_be_own(changed, node)
            if kind.constant:
                raise self.refuse(node, f"a change of {ast.unparse(func.value)}, a constant of the file")
        if node.keywords and name != "sort":
            raise self.refuse(node, f".{name}() with arguments by name")
        table = self.list_at(func.value)
        if kind.form == "dict":
            return self.of_dict(node, name, table, kind)
        if name in ("index", "count") and len(given) == 1 and not self.is_table(kind):
            first = [] if name == "count" else [named_as("_g")]
            items = self.support("items", table, game=False)
            return ast.Call(_row(name), [*first, items, self.value(given[0], kind.item)], [])
        if name == "clear" and not given:
            return self.support("emptied" if self.is_table(kind) else "empty", table, game=False)
        return self.of_table(node, name, table, kind) if self.is_table(kind) else self.of_line(node, name, table, kind)

    def of_table(self, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr:
        """A call of a method of a list of tuples or of lists."""
        given, last = node.args, ast.Constant(-1)
        if name in ("append", "add") and len(given) == 1:
            if isinstance(kind.item, Lst):
                self.must_not_share(given[0], node)
                return self.support("append_list", table, self.list_or_row(given[0]))
            return self.support(f"{name}_row", table, self.as_tuple(given[0], kind.item))
        if name == "sort" and isinstance(kind.item, Tup) and (down := reverse_of(node)) is not None:
            return self.support("sort_rows", table, self.test(down), ast.Constant(width(kind.item)), game=False)
        if name == "pop" and len(given) <= 1 and isinstance(kind.item, Tup) and isinstance(table, ast.Name):
            helper = named_as(self.owner.taking(shape_of(kind.item, 0)))
            return ast.Call(helper, [named_as("_g"), table, self.operand(given[0]) if given else last], [])
        raise self.refuse(node, f".{name}() of a list of tuples or lists")

    def of_line(self, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr:
        """A call of a method of a list or a set of numbers."""
        given = node.args
        if name == "pop" and len(given) <= 1 and kind.form == "list":
            return self.support("pop", table, self.operand(given[0]) if given else ast.Constant(-1))
        if (name == "extend" and len(given) == 1) or (name == "update" and len(given) == 1):
            return self.support("unite" if name == "update" else "extend", table, self.sequence(given[0]))
        if name == "sort" and (down := reverse_of(node)) is not None:
            return self.support("sort", table, self.test(down), game=False)
        if name == "reverse" and not given:
            return self.support("reverse", table, game=False)
        if name in ("append", "insert", "remove", "add", "discard") and len(given) == (2 if name == "insert" else 1):
            numbers = [self.operand(part) for part in given[:-1]]
            return self.support(name, table, *numbers, self.value(given[-1], kind.item))
        if name in ("issubset", "issuperset") and len(given) == 1:
            items, other = self.support("items", table, game=False), self.sequence(given[0])
            pair = (items, other) if name == "issubset" else (other, items)
            return as_number(self.support("is_within", *pair, game=False))
        raise self.refuse(node, f".{name}() of a {kind.form}")

    def must_not_share(self, value: ast.expr, node: ast.AST) -> None:
        """Refuse to put a list into another one where the rule changes it afterwards, or before it is made anew."""
        if not isinstance(value, ast.Name) or value.id not in self.kinds.changed:
            return
        if not self.is_made_anew(value.id, node):
            raise self.refuse(
                node, f"{value.id}, which is changed, inside another list; put a copy there: list({value.id})"
            )

    def is_made_anew(self, name: str, node: ast.AST) -> bool:
        """Whether, after it was put into another list, a variable gets a new list before it is changed again."""
        for block in _blocks(self.kinds.tree):
            places = [
                i for i, statement in enumerate(block) if any(is_same(part, node) for part in ast.walk(statement))
            ]
            if not places:
                continue
            place = places[-1]
            statement = block[place]
            if not (isinstance(statement, ast.Expr) and is_same(statement.value, node)):
                continue
            after = any(name in changed_in(s) for s in block[place + 1 :])
            made = [
                isinstance(s, ast.Assign | ast.AnnAssign)
                and any(
                    isinstance(t, ast.Name) and t.id == name
                    for t in getattr(s, "targets", [getattr(s, "target", None)])
                )
                for s in block[:place]
            ]
            return not after and any(made)
        return False

    def of_dict(self, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr:
        """A call of a method of a dict."""
        given = node.args
        if name == "get" and 1 <= len(given) <= 2:
            if kind.value != NUMBER:
                raise self.refuse(node, ".get() of a dict whose values are tuples; ask with `in` first")
            if len(given) == 1:
                raise self.refuse(node, ".get() without a default, which may be None; write .get(key, 0)")
            found = self.owner.getting(width(kind.item))
            key = self.as_tuple(given[0], kind.item)
            return ast.Call(named_as(found), [table, key, ast.Call(named_as("int"), [self.visit(given[1])], [])], [])
        if name == "pop" and len(given) == 1 and kind.value == NUMBER:
            found = self.owner.dropping(width(kind.item))
            return ast.Call(named_as(found), [named_as("_g"), table, self.as_tuple(given[0], kind.item)], [])
        if name == "clear" and not given:
            return self.support("emptied", table, game=False)
        raise self.refuse(node, f".{name}() of a dict")


CHANGES = {
    "append",
    "extend",
    "insert",
    "pop",
    "remove",
    "sort",
    "reverse",
    "clear",
    "add",
    "discard",
    "update",
    "setdefault",
}
_MATH = {math.comb, math.perm, math.factorial, math.gcd, math.lcm, math.isqrt}


def reverse_of(node: ast.Call) -> ast.expr | None:
    """Whether ``numbers.sort()`` sorts downwards, as an expression; None for other arguments than ``reverse=``."""
    if node.args or any(k.arg != "reverse" for k in node.keywords):
        return None
    return node.keywords[0].value if node.keywords else ast.Constant(False)


def gone_through(node: ast.expr) -> set[str]:
    """The variables whose lists a loop over an expression goes through, without a copy."""
    if isinstance(node, ast.Name):
        return {node.id}
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("enumerate", "zip", "reversed")
    ):
        return {name for part in node.args for name in gone_through(part)}
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("items", "keys", "values")
    ):
        return gone_through(node.func.value)
    return root(node) if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice) else set()


class _Pair(ast.Tuple):
    """Several values that belong together, before they are assigned."""

    def __init__(self, parts: Sequence[ast.expr]) -> None:
        super().__init__(list(parts), ast.Load())


def _cell(table: ast.expr, row: int, column: int) -> ast.Subscript:
    """One number of a table."""
    return ast.Subscript(table, ast.Tuple([ast.Constant(row), ast.Constant(column)], ast.Load()), ast.Load())


def _row(name: str) -> ast.Attribute:
    """A function of `dicelab.kernels.rule_support` on rows."""
    return ast.Attribute(named_as("_rules"), f"row_{name}", ast.Load())


def is_same(one: ast.AST, other: ast.AST) -> bool:
    """Whether two trees are the same place of a rule."""
    if type(one) is not type(other) or not isinstance(one, ast.expr) or not isinstance(other, ast.expr):
        return False
    return (one.lineno, one.col_offset, ast.dump(one)) == (other.lineno, other.col_offset, ast.dump(other))


def kind_of_parts(kind: Tup) -> Tup:
    """A tuple that is held as a row of a table, as its numbers one by one."""
    return Tup((NUMBER,) * width(kind))


def _starred(node: Any) -> bool:
    return any(isinstance(part, ast.Starred) for part in node.elts)


def _blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    """All lists of statements in a function."""
    return [
        part
        for node in ast.walk(tree)
        for name in ("body", "orelse")
        if isinstance(part := getattr(node, name, None), list)
    ]


def shape_of(kind: Any, first: int) -> str:
    """How a value of a kind is read from row `i` of table `t`, from a column on."""
    if not isinstance(kind, Tup):
        return f"t[i, {first}]"
    parts = []
    for item in kind.items:
        parts.append(shape_of(item, first))
        first += width(item)
    return f"({', '.join(parts)},)"
