"""Where lists, sets and dicts lie in arrays on the stack, and expressions that fill them."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeGuard

from dicelab.rules.params import Choice
from dicelab.translation.infer.kinds import (
    FACES,
    LINE,
    NUMBER,
    ROWS,
    TEXT,
    Lst,
    Tup,
    as_list,
    is_held,
    is_record,
    is_slice,
    item_of,
    may_be_none,
    mixes_texts,
    width,
)
from dicelab.translation.infer.names_of_lists import sources
from dicelab.translation.intervals import NumberInterval
from dicelab.translation.lower.lifted import generates
from dicelab.translation.rewrite.calls import Calls
from dicelab.translation.rewrite.names import named_as
from dicelab.translation.translator import RuleRow

MOST_PADDED = 16
"""Length of the longest tuples of different lengths that are keys of a dict that is written out in a rule."""
OPERATORS: dict[str, type[ast.operator]] = {
    "union": ast.BitOr,
    "intersection": ast.BitAnd,
    "difference": ast.Sub,
    "symmetric_difference": ast.BitXor,
}
"""Methods of sets, and the operators that do the same."""
VIEWS = "iterator"
"""The form of what can only be gone through."""


class Held(Calls):
    """Rewrites everything about lists, sets and dicts: where they are, and expressions that fill them.

    What other modules do with them are functions of those modules, which get the visitor as `r`.
    """

    going_through_grid: RuleRow | None = None
    """The row of rows that the innermost loop over one goes through."""
    matched: Lst | None = None
    """The kind of what the innermost ``match`` looks at, where that is a list."""
    subject: object = None
    """The kind of what the innermost ``match`` looks at, where that is one value."""

    # where they are --------------------------------------------------------------------------------------------------

    def support(self, name: str, *given: ast.expr, game: bool = True) -> ast.Call:
        """Return a call of a function of `dicelab.compile.kernels.list_support`."""
        self.owner.support_lists()
        first = [named_as("_g")] if game else []
        return ast.Call(ast.Attribute(named_as("_lists"), name, ast.Load()), [*first, *given], [])

    def space(self, kind: Lst) -> ast.expr:
        """Return an empty array on the stack for a list of this kind."""
        if kind.form == "dict":
            size = width(kind.item) + width(kind.value)
            return self.support("new_table", ast.Constant(kind.most), ast.Constant(size), game=False)
        if self.is_table(kind):
            return self.support("new_table", ast.Constant(kind.most), ast.Constant(width(kind.item)), game=False)
        return self.support("new_list", ast.Constant(kind.most), game=False)

    def is_table(self, kind: Lst) -> bool:
        """Return whether a list has a row for each value."""
        return kind.form == "dict" or isinstance(kind.item, Tup | Lst)

    def list_kind(self, node: ast.AST) -> Lst | None:
        """Return the kind of an expression that is held as a list; None for any other."""
        kind = self.kinds.of(node)
        if not isinstance(kind, Lst) or kind.form == VIEWS:
            return None
        if isinstance(node, ast.expr) and not is_held(kind):
            holds_none = may_be_none(kind.item) or may_be_none(kind.value)
            hint = "; a number such as -1 can stand for None" if holds_none else ""
            raise self.refuse(node, f"{self.shown(node)}, a {kind.form} of something other than whole numbers{hint}")
        return kind

    def must_be_kept(self, node: ast.expr) -> None:
        """Refuse a generator where a list is kept: it can be gone through once only."""
        rule = self.kinds.rule_called(node) if isinstance(node, ast.Call) else None
        if rule is not None and generates(rule[0].function):
            raise self.refuse(node, f"{self.shown(node)}, a generator that is kept; write list(...)")

    def must_be_own(self, name: str, node: ast.AST) -> None:
        """Refuse to change a list that the rule was given, or one that another variable may share."""
        if ({name} | sources(self.kinds).get(name, set())) & self.kinds.given.keys():
            raise self.refuse(node, f"a change of {name}, which the rule was given; return a new list instead")

    def must_not_be_row(self, node: ast.expr) -> None:
        """Refuse a row of the game where a list is kept, or a value may be a row or a list: it would be a copy."""
        match node:
            case ast.IfExp():
                parts = [node.body, node.orelse]
            case ast.BoolOp():
                parts = node.values
            case ast.List() | ast.Tuple() if any(self.kinds.of(part) != NUMBER for part in node.elts):
                parts = node.elts
            case _:
                if self.kinds.of(node) == LINE:
                    one = self.shown(node)
                    raise self.refuse(node, f"{one}, a row, as a list; put a copy there: list({one})")
                return
        for part in parts:
            self.must_not_be_row(part)

    # values ----------------------------------------------------------------------------------------------------------

    def parts(self, node: ast.expr, kind: Any) -> list[ast.expr]:
        """Return the numbers of a value of a flat kind, one by one."""
        own = self.kinds.of(node)
        fits = isinstance(own, Tup) and isinstance(kind, Tup) and len(own.items) == len(kind.items)
        if own == FACES and isinstance(kind, Tup) and self.kinds.faces_seen() == len(kind.items):
            return [ast.Call(named_as("int"), [number], []) for number in self.numbers_of(node)]
        if own is not None and not fits and (isinstance(kind, Tup) or isinstance(own, Tup | Lst) or own in ROWS):
            raise self.refuse(node, f"{self.shown(node)} beside values of another kind, or of another length")
        if isinstance(kind, Tup):
            if isinstance(node, ast.Tuple):
                return [p for part, item in zip(node.elts, kind.items, strict=True) for p in self.parts(part, item)]
            return self.spread(self.visit(node), kind)
        self.must_be_alike(node, kind)
        return [ast.Call(named_as("int"), [self.visit(node)], [])]

    def must_be_alike(self, node: ast.expr, kind: Any) -> None:
        """Refuse a text where numbers are, and a number where texts are."""
        own = self.kinds.of(node)
        if mixes_texts(own, kind):
            declared = self.field(node)
            names = declared.names if isinstance(declared, Choice) else ()
            places = ", ".join(f"{place} is {name!r}" for place, name in enumerate(names))
            hint = f"; {self.shown(node)} is the place of a name: {places}" if names else ""
            raise self.refuse(
                node, f"{self.shown(node)} beside values of another kind: texts and numbers are never equal{hint}"
            )

    def operand(self, node: ast.expr) -> ast.expr:
        if self.kinds.of(node) == TEXT:
            raise self.refuse(node, f"{self.shown(node)}, a text, where a number is needed")
        kind = self.list_kind(node)
        if kind is not None and self.row(node) is None:
            raise self.refuse(node, f"{self.shown(node)}, a {kind.form}, together with a value of another kind")
        return super().operand(node)

    def value(self, node: ast.expr, kind: Any) -> ast.expr:
        """Return a number, or the number of a text, that is compared with values of a kind."""
        self.must_be_alike(node, kind)
        return ast.Call(named_as("int"), [self.visit(node)], [])

    def spread(self, made: ast.expr, kind: Any) -> list[ast.expr]:
        """Return the numbers of a rewritten tuple."""
        if not isinstance(kind, Tup):
            return [ast.Call(named_as("int"), [made], [])]
        parts = []
        for i, item in enumerate(kind.items):
            parts += self.spread(ast.Subscript(made, ast.Constant(i), ast.Load()), item)
        return parts

    def as_tuple(self, node: ast.expr, kind: Any) -> ast.expr:
        """Return the numbers of a value of a flat kind as a flat tuple; of a tuple of any length, its length comes
        first.
        """
        if isinstance(kind, Lst):
            own = self.kinds.of(node)
            if isinstance(node, ast.List) and kind.form == "list" and not is_starred(node):
                inside = Tup((kind.item,) * len(node.elts))
                return ast.Tuple(
                    [ast.Constant(len(node.elts)), *self.parts(ast.Tuple(node.elts, ast.Load()), inside)], ast.Load()
                )
            if getattr(own, "form", ROWS.get(own) if isinstance(own, str) else "") != kind.form:
                raise self.refuse(node, f"{ast.unparse(node)[:60]} beside values of another kind")
            if isinstance(own, Tup):
                inside = Tup((kind.item,) * len(own.items))
                return ast.Tuple([ast.Constant(len(own.items)), *self.parts(node, inside)], ast.Load())
            if isinstance(own, Lst) and own.item == kind.item and self.row(node) is None:
                return self.support("whole", self.list_at(node), game=False)
            if self.row(node) is not None:
                made = self.put(node, Lst(NUMBER, kind.form), self.space(Lst(NUMBER, kind.form)))
                return self.support("whole", made, game=False)
            raise self.refuse(node, f"{ast.unparse(node)[:60]} beside tuples of numbers")
        return ast.Tuple(self.parts(node, kind), ast.Load())

    def read(self, table: ast.expr, place: ast.expr, kind: Any, first: int = 0) -> ast.expr:
        """Return the value of a kind in a row of a table, from a column on."""
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
        """Return an item of a tuple that is held as a row of a table."""
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
        """Return the array of a list: that of a variable, a constant, or one that is filled now."""
        kind = self.list_kind(node)
        assert kind is not None
        if isinstance(node, ast.Name) and node.id in self.locals:
            return self.variable(node.id)
        if kind.constant and isinstance(node, ast.Name | ast.Attribute):
            value = self.named(node.id) if isinstance(node, ast.Name) else self.constant_at(node)
            return named_as(self.owner.constant(value, kind))
        if kind.constant and isinstance(node, ast.Subscript):
            known = self.kinds.constant_item(node)
            if known is not None:
                return named_as(self.owner.constant(known, kind))
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            made: ast.expr = self.visit(node)
            return made
        if isinstance(node, ast.Attribute) and is_record(self.kinds.of(node.value)):
            return self.visit_Attribute(node)
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and node.id not in self.locals):
            raise self.refuse(node, f"{self.shown(node)}, a list inside a constant whose parts differ in length")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setdefault":
            return self.method_call(node, node.func)
        return self.fill(node, kind, self.space(kind))

    def rows_at(self, node: ast.expr) -> ast.expr:
        """Return the array of a list of tuples, or of a constant tuple of tuples."""
        kind = self.kinds.of(node)
        if not isinstance(kind, Tup):
            return self.list_at(node)
        constant, rows = self.kinds.constant_item(node), as_list(kind)
        if constant is None or rows is None:
            raise self.refuse(node, "a tuple of tuples as a list; write a list")
        return named_as(self.owner.constant(constant, rows))

    def value_of(self, node: ast.expr, key: ast.expr, kind: Lst, default: ast.expr) -> ast.expr | None:
        """Return the value of a key of a constant dict of numbers in a small range, or a default that is written out;
        None for others.
        """
        if self.place_of(node, key, kind) is None or kind.value != NUMBER or not isinstance(default, ast.Constant):
            return None
        if type(default.value) is not int:
            return None
        value: dict[int, int] = self.named(node.id) if isinstance(node, ast.Name) else self.constant_at(node)  # type: ignore[arg-type]
        low, high = int(min(value)), int(max(value))
        numbers = tuple(int(value.get(n, default.value)) for n in range(low, high + 1))
        wanted = ast.Call(named_as("int"), [self.visit(key)], [])
        return self.support(
            "value_at", named_as(self.owner.table(numbers)), ast.Constant(low), wanted, default, game=False
        )

    def place_of(self, node: ast.expr, key: ast.expr, kind: Lst, function: str = "place_of") -> ast.expr | None:
        """Return the row of a key of a constant dict whose keys are numbers in a small range; None for another dict."""
        if (
            not kind.constant
            or not isinstance(node, ast.Name | ast.Attribute)
            or self.kinds.of(key) not in (NUMBER, None)
        ):
            return None
        value = self.named(node.id) if isinstance(node, ast.Name) else self.constant_at(node)
        name, low = self.owner.rows_of_keys(value, kind) if isinstance(value, dict) else ("", 0)
        if not name:
            return None
        first = [] if function == "place_of" else [named_as("_g")]
        wanted = ast.Call(named_as("int"), [self.visit(key)], [])
        return self.support(function, *first, named_as(name), ast.Constant(low), wanted, game=False)

    def constant_at(self, node: ast.Attribute) -> Any:
        """Return the constant of a class, of the game or of an enum."""
        declared = self.field(node)
        return declared if declared is not None else self.of_class(node)[0]

    def fill(self, node: ast.expr, kind: Lst, into: ast.expr) -> ast.expr:
        """Return an expression that fills an array with the values of a list, and is that array."""
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
            case ast.Subscript(slice=ast.Slice() as part):
                if not self.is_table(kind):
                    return self.support("filled", into, self.slice_of(node))
                return self.support("rows_between", into, self.rows_at(node.value), *self.ends_of(node, part))
            case ast.NamedExpr():
                raise self.refuse(node, "an assignment inside an expression, of something other than a number")
            case ast.BoolOp():
                rest = node.values[1] if len(node.values) == 2 else ast.BoolOp(node.op, node.values[1:])
                first, later = self.put(node.values[0], kind, into), self.put(rest, kind, into)
                parts = (first, later) if isinstance(node.op, ast.Or) else (later, first)
                return ast.IfExp(self.test(node.values[0]), *parts)
        return self.put(node, kind, into)

    @abstractmethod
    def slice_of(self, node: ast.Subscript) -> ast.expr:
        """Translate ``numbers[a:b:c]`` as a part of an array."""

    @abstractmethod
    def store(self, target: ast.expr, interval: NumberInterval, value: ast.expr) -> list[ast.stmt]:
        """Return an assignment of a rewritten value to a variable, a field, or a number of a row."""

    @abstractmethod
    def mark(self, names: Sequence[str]) -> list[ast.stmt]:
        """Return the statements that record that these variables have a value."""

    @abstractmethod
    def combined_lists(self, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
        """Translate ``[0] * 6``, ``a + b``, and ``a - b`` and so on of sets."""

    @abstractmethod
    def call_filling(self, node: ast.Call, kind: Lst, into: ast.expr) -> ast.expr:
        """Return a call whose result is a list."""

    def ends_of(self, node: ast.Subscript, part: ast.Slice) -> list[ast.expr]:
        """Return the beginning, end and step of a slice, and whether the first two are given, as bits of a number."""
        step, highest = (1, 1) if part.step is None else self.interval(part.step)
        if step != highest or not step:
            raise self.refuse(node, "a slice whose step isn't written as a number")
        ends = [ast.Constant(0) if end is None else self.operand(end) for end in (part.lower, part.upper)]
        given = (part.lower is not None) + 2 * (part.upper is not None)
        return [*ends, ast.Constant(step), ast.Constant(given)]

    def is_slice_of_numbers(self, node: ast.AST) -> TypeGuard[ast.Subscript]:
        """Return whether an expression is a slice of numbers in an array, not of a list of tuples or of lists."""
        if not is_slice(node) or isinstance(self.kinds.of(node), Tup):
            return False
        kind = self.kinds.of(node)
        is_of_table = isinstance(kind, Lst) and kind.form != VIEWS and self.row(node) is None and self.is_table(kind)
        return not is_of_table

    def dict_gone_through(self, node: ast.AST) -> Lst | None:
        """Return the kind of the dict whose items, keys or values these are; None for anything else."""
        match node:
            case ast.Call(func=ast.Attribute(attr="items" | "keys" | "values") as func, args=[], keywords=[]):
                kind = self.list_kind(func.value) if self.kinds.rule_called(node) is None else None
                return kind if kind is not None and kind.form == "dict" else None
        return None

    def put_set(self, node: ast.expr, kind: Lst, into: ast.expr, unordered: bool) -> ast.expr:
        """Return an expression that fills an array with the values of a set, whose order must not matter."""
        if not unordered:
            raise self.refuse(node, "the order of a set, which isn't fixed; use sorted(...)")
        made = self.list_at(node)
        if self.is_table(kind):
            return self.support("copied", into, made)
        return self.support("filled", into, self.support("items", made, game=False))

    def put(self, node: ast.expr, kind: Lst, into: ast.expr, unordered: bool = False) -> ast.expr:
        """Return an expression that fills an array with the values of any sequence."""
        own = self.kinds.of(node)
        form = own.form if isinstance(own, Lst) else ""
        if kind.form == "set" and form in ("list", "tuple") and self.row(node) is None:
            if self.is_table(kind):
                raise self.refuse(node, "a set from a list of tuples; write {... for ... in ...}")
            if not isinstance(node, ast.Subscript):
                empty = self.support("empty", into, game=False)
                return self.support("unite", empty, self.support("items", self.list_at(node), game=False))
        if form == "dict" and kind.form != "dict" and not isinstance(node, ast.Name):
            raise self.refuse(node, "the keys of a dict without a name; give it one on a line of its own")
        if form == "set" and kind.form != "set":
            return self.put_set(node, kind, into, unordered)
        fresh = isinstance(node, ast.List | ast.Set | ast.Dict | ast.IfExp | ast.BinOp | ast.Call)
        if fresh and form and form != VIEWS:
            return self.fill(node, kind, into)
        if isinstance(own, Tup) and isinstance(node, ast.Tuple):
            return self.display(node, kind, into)
        if self.is_table(kind):
            return self.put_rows(node, kind, into)
        name = "unite" if kind.form == "set" else "filled"
        if kind.form == "set":
            into = self.support("empty", into, game=False)
        return self.support(name, into, self.sequence(node))

    def put_rows(self, node: ast.expr, kind: Lst, into: ast.expr) -> ast.expr:
        """Return an expression that fills a table with the tuples, or lists, of a sequence."""
        own = self.kinds.of(node)
        if isinstance(own, Tup):
            raise self.refuse(node, "a tuple of tuples as a list; write a list")
        if isinstance(own, Lst) and own.form == "dict" and kind.form != "dict":
            return self.support("columns", into, self.list_at(node), ast.Constant(0))
        if isinstance(own, Lst) and own.form != VIEWS:
            return self.support("copied", into, self.list_at(node))
        owner = self.dict_gone_through(node)
        if owner is not None and not isinstance(owner.item, Lst) and not isinstance(owner.value, Lst):
            assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            first = width(owner.item) if node.func.attr == "values" else 0
            return self.support("columns", into, self.list_at(node.func.value), ast.Constant(first))
        raise self.refuse(node, f"{self.shown(node)} as a list; write [... for ... in ...]")

    def starred(self, node: Any, kind: Lst, into: ast.expr) -> ast.expr:
        """Rewrite ``[a, *b]`` and ``{a, *b}`` of numbers."""
        made, name = self.support("empty", into, game=False), "unite" if kind.form == "set" else "extend"
        for part in node.elts:
            values = (
                self.sequence(part.value)
                if isinstance(part, ast.Starred)
                else ast.Tuple([ast.Call(named_as("int"), [self.visit(part)], [])], ast.Load())
            )
            made = self.support(name, made, values)
        return made

    def display(self, node: Any, kind: Lst, into: ast.expr) -> ast.expr:
        """Rewrite ``[a, b, c]``, ``{a, b, c}``, ``(*a, b)``."""
        if not node.elts:
            return self.support("emptied" if self.is_table(kind) else "empty", into, game=False)
        if self.is_table(kind):
            lists = isinstance(kind.item, Lst) and kind.form != "set"
            written = [ast.dump(part) for part in node.elts if not isinstance(part, ast.List | ast.Call)]
            if lists and kind.item.form != "tuple" and len(set(written)) < len(written):
                raise self.refuse(node, f"{self.shown(node)}, which is one list twice; put copies there: list(...)")
            name = self.owner.adding(len(node.elts), lists, kind.form == "set")
            rows = [self.list_or_row(part) if lists else self.as_tuple(part, kind.item) for part in node.elts]
            return ast.Call(named_as(name), [named_as("_g"), into, *rows], [])
        if any(isinstance(part, ast.Starred) for part in node.elts):
            return self.starred(node, kind, into)
        item = TEXT if kind.item == TEXT else NUMBER
        numbers = ast.Tuple([p for part in node.elts for p in self.parts(part, item)], ast.Load())
        if kind.form == "set":
            return self.support("unite", self.support("empty", into, game=False), numbers)
        return self.support("filled", into, numbers)

    def list_or_row(self, node: ast.expr) -> ast.expr:
        """Return a sequence of numbers that is copied into a list of lists."""
        self.must_not_be_row(node)
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
            first = self.row_parts(key, kind.item)
            if isinstance(kind.item, Lst):
                if kind.item.most > MOST_PADDED:
                    raise self.refuse(node, "keys of different lengths; make the dict a constant of the file")
                first += [ast.Constant(0)] * (width(kind.item) - len(first))
            rows.append(ast.Tuple([*first, *self.row_parts(value, kind.value)], ast.Load()))
        return ast.Call(named_as(name), [named_as("_g"), into, *rows], [])

    def row_parts(self, node: ast.expr, kind: Any) -> list[ast.expr]:
        """Return the numbers of a key, or value, of a dict that is written out."""
        if not isinstance(kind, Lst):
            return self.parts(node, kind)
        made = self.as_tuple(node, kind)
        if not isinstance(made, ast.Tuple):
            raise self.refuse(node, "a list in a dict that is written out; set it on a line of its own")
        return made.elts

    def numbers(self, node: ast.expr) -> ast.expr:
        """Return a sequence of numbers that is read by its places."""
        kind = self.kinds.of(node)
        if self.row(node) is not None:
            return self.sequence(node)
        if (isinstance(kind, Lst) and kind.form == VIEWS) or (isinstance(kind, Tup) and isinstance(node, ast.Name)):
            return self.as_numbers(node, kind)
        return self.sequence(node)

    def as_numbers(self, node: ast.expr, kind: Any) -> ast.expr:
        """Return a sequence of numbers, or a tuple of numbers, as an array of its own."""
        line = Lst(item_of(kind), "list", max(128, len(getattr(kind, "items", ()))))
        return self.support("items", self.put(node, line, self.space(line)), game=False)


def cell_of(table: ast.expr, row: int, column: int) -> ast.Subscript:
    """Return one number of a table."""
    return ast.Subscript(table, ast.Tuple([ast.Constant(row), ast.Constant(column)], ast.Load()), ast.Load())


def row_function(name: str) -> ast.Attribute:
    """Return a function of `dicelab.compile.kernels.rule_support` on rows."""
    return ast.Attribute(named_as("_rules"), f"row_{name}", ast.Load())


def kind_of_parts(kind: Tup) -> Tup:
    """Return a tuple that is held as a row of a table, as its numbers one by one."""
    return Tup((NUMBER,) * width(kind))


def is_starred(node: Any) -> bool:
    """Return whether a list or tuple that is written out has ``*values`` in it."""
    return any(isinstance(part, ast.Starred) for part in node.elts)


def shape_of(kind: Any, first: int) -> str:
    """Return how a value of a kind is read from row `i` of table `t`, from a column on."""
    if not isinstance(kind, Tup):
        return f"t[i, {first}]"
    parts = []
    for item in kind.items:
        parts.append(shape_of(item, first))
        first += width(item)
    return f"({', '.join(parts)},)"
