"""Where lists, sets and dicts lie in arrays on the stack, and expressions that fill them."""

from __future__ import annotations

import ast
import collections
import itertools
from functools import reduce
from typing import Any

from dicelab.rules.params import Choice
from dicelab.translation.calls import Calls
from dicelab.translation.kinds import (
    FACES,
    NUMBER,
    ROWS,
    TEXT,
    Lst,
    Tup,
    as_list,
    is_held,
    is_record,
    item_of,
    may_be_none,
    mixes_texts,
    width,
)
from dicelab.translation.lazy import touched
from dicelab.translation.lifted import generates
from dicelab.translation.names import named_as
from dicelab.translation.names_of_lists import sources

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
    """Rewrites everything about lists, sets and dicts."""

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

    # values ----------------------------------------------------------------------------------------------------------

    def parts(self, node: ast.expr, kind: Any) -> list[ast.expr]:
        """Return the numbers of a value of a flat kind, one by one."""
        found = self.kinds.of(node)
        fits = isinstance(found, Tup) and isinstance(kind, Tup) and len(found.items) == len(kind.items)
        if found == FACES and isinstance(kind, Tup) and self.kinds.faces_seen() == len(kind.items):
            return [ast.Call(named_as("int"), [number], []) for number in self.numbers_of(node)]
        if found is not None and not fits and (isinstance(kind, Tup) or isinstance(found, Tup | Lst) or found in ROWS):
            raise self.refuse(node, f"{self.shown(node)} beside values of another kind, or of another length")
        if isinstance(kind, Tup):
            if isinstance(node, ast.Tuple):
                return [p for part, item in zip(node.elts, kind.items, strict=True) for p in self.parts(part, item)]
            return self.spread(self.visit(node), kind)
        self.must_be_alike(node, kind)
        return [ast.Call(named_as("int"), [self.visit(node)], [])]

    def must_be_alike(self, node: ast.expr, kind: Any) -> None:
        """Refuse a text where numbers are, and a number where texts are."""
        found = self.kinds.of(node)
        if mixes_texts(found, kind):
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
        found = []
        for i, item in enumerate(kind.items):
            found += self.spread(ast.Subscript(made, ast.Constant(i), ast.Load()), item)
        return found

    def as_tuple(self, node: ast.expr, kind: Any) -> ast.expr:
        """Return the numbers of a value of a flat kind as a flat tuple; of a tuple of any length, its length comes
        first.
        """
        if isinstance(kind, Lst):
            found = self.kinds.of(node)
            if isinstance(node, ast.List) and kind.form == "list" and not is_starred(node):
                inside = Tup((kind.item,) * len(node.elts))
                return ast.Tuple(
                    [ast.Constant(len(node.elts)), *self.parts(ast.Tuple(node.elts, ast.Load()), inside)], ast.Load()
                )
            if getattr(found, "form", ROWS.get(found) if isinstance(found, str) else "") != kind.form:
                raise self.refuse(node, f"{ast.unparse(node)[:60]} beside values of another kind")
            if isinstance(found, Tup):
                inside = Tup((kind.item,) * len(found.items))
                return ast.Tuple([ast.Constant(len(found.items)), *self.parts(node, inside)], ast.Load())
            if isinstance(found, Lst) and found.item == kind.item and self.row(node) is None:
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
            case ast.NamedExpr():
                raise self.refuse(node, "an assignment inside an expression, of something other than a number")
            case ast.BoolOp():
                rest = node.values[1] if len(node.values) == 2 else ast.BoolOp(node.op, node.values[1:])
                first, later = self.put(node.values[0], kind, into), self.put(rest, kind, into)
                parts = (first, later) if isinstance(node.op, ast.Or) else (later, first)
                return ast.IfExp(self.test(node.values[0]), *parts)
        return self.put(node, kind, into)

    def put(self, node: ast.expr, kind: Lst, into: ast.expr, unordered: bool = False) -> ast.expr:
        """Return an expression that fills an array with the values of any sequence."""
        found = self.kinds.of(node)
        if isinstance(found, Lst) and found.form in ("list", "tuple") and kind.form == "set" and self.row(node) is None:
            if self.is_table(kind):
                raise self.refuse(node, "a set from a list of tuples; write {... for ... in ...}")
            if not isinstance(node, ast.Subscript):
                empty = self.support("empty", into, game=False)
                return self.support("unite", empty, self.support("items", self.list_at(node), game=False))
        if isinstance(found, Lst) and found.form == "dict" and kind.form != "dict" and not isinstance(node, ast.Name):
            raise self.refuse(node, "the keys of a dict without a name; give it one on a line of its own")
        if isinstance(found, Lst) and found.form == "set" and kind.form != "set":
            if not unordered:
                raise self.refuse(node, "the order of a set, which isn't fixed; use sorted(...)")
            made = self.list_at(node)
            copied = "copied" if self.is_table(kind) else "filled"
            return self.support(copied, into, made if self.is_table(kind) else self.support("items", made, game=False))
        fresh = isinstance(node, ast.List | ast.Set | ast.Dict | ast.IfExp | ast.BinOp | ast.Call)
        if isinstance(node, ast.Call) and self.row(node) is None and isinstance(found, Lst) and found.form != VIEWS:
            return self.fill(node, kind, into)
        if fresh and isinstance(found, Lst) and found.form != VIEWS:
            return self.fill(node, kind, into)
        if isinstance(found, Tup) and isinstance(node, ast.Tuple):
            return self.display(node, kind, into)
        if self.is_table(kind):
            if isinstance(found, Tup):
                raise self.refuse(node, "a tuple of tuples as a list; write a list")
            if isinstance(found, Lst) and found.form != VIEWS:
                return self.support("copied", into, self.list_at(node))
            raise self.refuse(node, f"{self.shown(node)} as a list; write [... for ... in ...]")
        name = "unite" if kind.form == "set" else "filled"
        if kind.form == "set":
            into = self.support("empty", into, game=False)
        return self.support(name, into, self.sequence(node))

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
            made, name = self.support("empty", into, game=False), "unite" if kind.form == "set" else "extend"
            for part in node.elts:
                values = (
                    self.sequence(part.value)
                    if isinstance(part, ast.Starred)
                    else ast.Tuple([ast.Call(named_as("int"), [self.visit(part)], [])], ast.Load())
                )
                made = self.support(name, made, values)
            return made
        item = TEXT if kind.item == TEXT else NUMBER
        numbers = ast.Tuple([p for part in node.elts for p in self.parts(part, item)], ast.Load())
        if kind.form == "set":
            return self.support("unite", self.support("empty", into, game=False), numbers)
        return self.support("filled", into, numbers)

    def list_or_row(self, node: ast.expr) -> ast.expr:
        """Return a sequence of numbers that is copied into a list of lists."""
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

    def must_stay(self, first: ast.expr, later: list[ast.expr]) -> None:
        """Refuse a list, or a part of one, that isn't copied before what stands after it changes it."""
        if isinstance(first, ast.Name | ast.Attribute | ast.Subscript):
            one, other = (touched(parts, self.kinds, self.owner.kinds) for parts in ([first], later))
            if one.depends_on(other):
                raise self.refuse(first, "two arguments of which one changes what the other reads; use two lines")

    def combined_lists(self, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
        """``[0] * 6``, ``a + b``, and ``a - b`` and so on of sets."""
        if not isinstance(node.op, ast.Mult):
            self.must_stay(node.left, [node.right])
        if isinstance(node.op, ast.Mult):
            sequence, times = (node.left, node.right) if as_list(self.kinds.of(node.left)) else (node.right, node.left)
            if not isinstance(sequence, ast.List) or len(sequence.elts) != 1 or self.is_table(kind):
                raise self.refuse(node, "a list repeated, other than of one number")
            return self.support("repeated", into, self.visit(sequence.elts[0]), self.operand(times))
        if kind.form == "dict":
            return self.combined_counts(node, kind, into)
        if kind.form == "set":
            return self.combined_sets(node, kind, into)
        if self.is_table(kind):
            raise self.refuse(node, "+ of lists of tuples; append them in a loop")
        if not isinstance(node.op, ast.Add):
            raise self.refuse(node, "an operation on lists other than + and *")
        first = self.put(node.left, kind, into)
        return self.support("extend", first, self.sequence(node.right))

    def combined_sets(self, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
        """Rewrite ``a | b``, ``a & b``, ``a - b`` and ``a ^ b`` of sets."""
        codes: dict[type[ast.operator], int] = {ast.BitOr: 0, ast.Sub: 1, ast.BitAnd: 2, ast.BitXor: 3}
        if type(node.op) not in codes:
            raise self.refuse(node, "an operation on sets other than |, &, - and ^")
        if self.is_table(kind):
            return self.combined_rows(node, kind, into, codes[type(node.op)])
        left, right = self.sequence(node.left), self.sequence(node.right)
        if isinstance(node.op, ast.BitOr):
            first = self.support("unite", self.support("empty", into, game=False), left)
            return self.support("unite", first, right)
        if isinstance(node.op, ast.BitAnd | ast.Sub):
            return self.support("kept_in", into, left, right, ast.Constant(isinstance(node.op, ast.BitAnd)))
        return self.support("in_one", into, left, right)

    def combined_rows(self, node: ast.BinOp, kind: Lst, into: ast.expr, code: int) -> ast.expr:
        """Rewrite ``a | b`` and so on of sets of tuples."""
        sides = [self.list_kind(side) for side in (node.left, node.right)]
        if not isinstance(kind.item, Tup) or not all(side and side[:2] == (kind.item, "set") for side in sides):
            raise self.refuse(node, f"{self.shown(node)}, of tuples that differ in length or kind; add them in a loop")
        given = [self.list_at(side) for side in (node.left, node.right)]
        return self.support("combined_rows", into, *given, ast.Constant(code))

    def call_filling(self, node: ast.Call, kind: Lst, into: ast.expr) -> ast.expr:
        """Return a call whose result is a list."""
        rule = self.kinds.rule_called(node)
        if rule is not None:
            made = super().visit_Call(node)
            assert isinstance(made, ast.Call)
            made.args.insert(0, into)
            return made
        target, func = self.kinds.target(node.func), node.func
        if target in (list, tuple, set, frozenset, sorted) and len(node.args) <= 1:
            return self.made_of(node, target, kind, into)
        if target in (dict, collections.Counter, collections.defaultdict) and not node.keywords:
            if len(node.args) == (target is collections.defaultdict):
                return self.support("emptied", into, game=False)
            if len(node.args) == 1:
                counts = target is collections.Counter
                return self.counted_in(node.args[0], kind, into) if counts else self.put(node.args[0], kind, into)
        if isinstance(func, ast.Attribute) and func.attr in ("most_common", "elements") and not node.keywords:
            return self.of_counts(node, func, into)
        if target is itertools.chain and not node.keywords:
            empty: ast.expr = self.support("empty", into, game=False)
            return reduce(lambda made, part: self.support("extend", made, self.sequence(part)), node.args, empty)
        if target is itertools.accumulate and len(node.args) == 1 and not node.keywords:
            return self.support("summed", into, self.sequence(node.args[0]))
        if target in (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement):
            if len(node.args) != 2 or node.keywords:
                raise self.refuse(node, f"{target.__name__} other than of a sequence and a number")
            flags = [target is itertools.combinations_with_replacement, target is itertools.permutations]
            numbers = [self.numbers(node.args[0]), self.visit(node.args[1])]
            name = "chosen_lists" if isinstance(kind.item, Lst) else "chosen"
            return self.support(name, into, *numbers, *map(ast.Constant, flags))
        if target is itertools.product:
            return self.crossed(node, into)
        if isinstance(func, ast.Attribute) and func.attr == "copy":
            return self.put(func.value, kind, into)
        if isinstance(func, ast.Attribute) and func.attr in OPERATORS and len(node.args) == 1 and not node.keywords:
            op = OPERATORS[func.attr]()
            return self.combined_sets(ast.copy_location(ast.BinOp(func.value, op, node.args[0]), node), kind, into)
        raise self.unknown(node, f"{self.shown(node)}, which rules can't use")

    def counted_in(self, node: ast.expr, kind: Lst, into: ast.expr) -> ast.expr:
        """``Counter(values)``, or a copy of counts."""
        found = self.kinds.of(node)
        if isinstance(found, Lst) and found.form == "dict":
            return self.put(node, kind, into)
        if isinstance(found, Lst) and found.form == "set":
            raise self.refuse(node, "the order of a set, which isn't fixed; use sorted(...)")
        if isinstance(kind.item, Tup):
            raise self.refuse(node, "Counter of a list of tuples; write Counter(pair for pair in ...)")
        empty = self.support("emptied", into, game=False)
        return self.support("counted", empty, self.sequence(node))

    def of_counts(self, node: ast.Call, func: ast.Attribute, into: ast.expr) -> ast.expr:
        """``counts.most_common(n)`` and ``counts.elements()``."""
        owner = self.list_kind(func.value)
        if owner is None or owner.missing != "zero":
            raise self.refuse(node, f".{func.attr}() of something other than a Counter")
        table, size = self.list_at(func.value), ast.Constant(width(owner.item))
        if func.attr == "elements":
            if isinstance(owner.item, Tup):
                raise self.refuse(node, ".elements() of a Counter of tuples")
            return self.support("elements", into, table)
        many = self.operand(node.args[0]) if node.args else ast.Constant(2**31)
        return self.support("most_common", into, table, size, many)

    def combined_counts(self, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
        """Rewrite ``a + b``, ``a - b``, ``a & b`` and ``a | b`` of counts, of which only those above 0 are kept."""
        codes: dict[type[ast.operator], int] = {ast.Add: 0, ast.Sub: 1, ast.BitAnd: 2, ast.BitOr: 3}
        sides = [self.kinds.of(side) for side in (node.left, node.right)]
        if isinstance(node.op, ast.BitOr) and all(getattr(side, "missing", None) == "" for side in sides):
            empty = self.support("emptied", into, game=False)
            return self.merged(self.merged(empty, kind, node.left), kind, node.right)
        if type(node.op) not in codes or any(getattr(side, "missing", "") != "zero" for side in sides):
            raise self.refuse(node, "an operation on dicts; change one of them in a loop")
        given = [self.list_at(side) for side in (node.left, node.right)]
        size, code = ast.Constant(width(kind.item)), ast.Constant(codes[type(node.op)])
        return self.support("combined_counts", into, *given, size, code)

    def merged(self, table: ast.expr, kind: Lst, other: ast.expr) -> ast.expr:
        """Return a dict to which the items of another one are added."""
        found = self.list_kind(other)
        same = found is not None and (found.form, found.item, found.value) == ("dict", kind.item, kind.value)
        if not same or isinstance(kind.item, Lst) or isinstance(kind.value, Lst):
            raise self.refuse(other, f"{self.shown(other)} beside a dict of another kind; set its items in a loop")
        return self.support("merged", table, self.list_at(other), ast.Constant(width(kind.item)))

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
        found = Lst(item_of(kind), "list", max(128, len(getattr(kind, "items", ()))))
        return self.support("items", self.put(node, found, self.space(found)), game=False)

    def crossed(self, node: ast.Call, into: ast.expr) -> ast.expr:
        """``product(a, b, ...)``, or with ``repeat=``."""
        kind = self.kinds.of(node)
        if not isinstance(kind, Lst):
            raise self.refuse(node, "product of a number of sequences that isn't written out")
        if isinstance(kind.item, Lst):
            assert isinstance(node.args[0], ast.Starred)
            return self.support("crossed_all", into, self.list_at(node.args[0].value))
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
