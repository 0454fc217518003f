"""Rewrites the syntax tree of one rule into a function over integers and arrays; see `translator`.

The rewritten rule does what Python does, or the rule is refused:

* arithmetic whose result may not fit into 64 bits is checked for overflow (`number_ranges`);
* a store to a field is checked against the declared range, unless interval analysis proves that it stays inside;
* an index is checked against the length of its row.

A failed check is recorded in the game (`dicelab.compile.kernels.rule_support`), which the reference engine then plays
again. Variables get the prefix ``v_``, so that their names can't clash with names of the kernel.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dicelab.rules.actions import NO_VALUE, OVER, Decision
from dicelab.rules.fields import MOST_COUNTED
from dicelab.rules.game import Strategy
from dicelab.translation.endless import MOST_ROUNDS
from dicelab.translation.infer.kinds import ROWS, Lst, Tup, is_held, item_of, may_be_none, stripped
from dicelab.translation.infer.names_of_lists import lazy_parts, replaced, touched
from dicelab.translation.lower.lifted import nothing
from dicelab.translation.lower.unset import bound_in, may_be_unset, set_by
from dicelab.translation.rewrite import combined, list_methods, lists, optional, sequences, stores
from dicelab.translation.rewrite.arithmetic import as_number
from dicelab.translation.rewrite.combined import must_stay
from dicelab.translation.rewrite.held import VIEWS, Held
from dicelab.translation.rewrite.lists import always_has_room
from dicelab.translation.rewrite.names import assigned, given_name, local_name, named_as, noting
from dicelab.translation.rewrite.optional import none_of
from dicelab.translation.rewrite.sequences import loop_by_places, must_not_interfere
from dicelab.translation.rewrite.value_checks import (
    misplaced,
    misused,
    texts_as_numbers,
    texts_in_order,
    used_nothing,
    uses_order,
)
from dicelab.translation.translator import memory_arguments

LONG = 1_000_000
"""Length of a ``range`` above which a loop over it counts its iterations; shorter loops end soon enough."""
MASKED = 62
"""Numbers in the range of a set whose numbers are noted as bits of a word while a comprehension makes it."""


class Rewriter(Held):
    """Rewrites one function: its parameters and its statements.

    What it does with lists, assignments and so on are functions of other modules; those that the visitor itself calls,
    or that replace what `Held` and its parents do, are methods here.
    """

    combined_lists = combined.combined_lists
    call_filling = combined.call_filling
    sequence = sequences.sequence
    slice_of = sequences.slice_of
    comparison = optional.comparison
    maybe = optional.maybe
    visit_BoolOp = optional.visit_BoolOp
    visit = lists.visit
    visit_Subscript = lists.visit_Subscript
    visit_Attribute = lists.visit_Attribute
    visit_BinOp = lists.visit_BinOp
    visit_NamedExpr = lists.visit_NamedExpr
    visit_Dict = lists.visit_Dict
    test = lists.test
    visit_Call = lists.visit_Call
    of_all = lists.of_all
    method_call = list_methods.method_call
    visit_Delete = list_methods.visit_Delete
    visit_AnnAssign = stores.visit_AnnAssign
    visit_Assign = stores.visit_Assign
    store = stores.store
    visit_AugAssign = stores.visit_AugAssign
    visit_Match = stores.visit_Match
    mark = stores.mark

    made_name = ""
    """Name of the generated function."""
    counts_items = masks_items = False
    """Whether it counts the items of the list that it returns in a variable."""
    counts_rounds = False
    """Whether it has a loop that counts its iterations."""

    @property
    def listing(self) -> Decision | None:
        """The choice whose moves this function lists, if it does."""
        return next((decision for decision in self.cls.declared.decisions if decision.moves is self.rule), None)

    def must_take_arguments(self, tree: ast.FunctionDef) -> None:
        """Refuse a rule whose arguments kernels can't give."""
        if tree.args.kwonlyargs or tree.args.kwarg:
            raise self.refuse(tree, "keyword-only arguments")
        if tree.args.defaults and any(kind.rule is self.rule for kind in self.cls.declared.throws):
            raise self.refuse(tree, "a default value for what a roll shows")

    def first_values(self, unset: Iterable[str], owned: Mapping[str, Any]) -> dict[str, ast.expr]:
        """Return by variable what it holds at first, where it may be read `unset` or is a list or dict of the rule."""
        empty: dict[str, ast.expr] = {given_name(name): ast.Constant(0) for name in sorted(self.unset)}
        for name in sorted(unset):
            kind = stripped(self.kinds.variables.get(name))
            empty[local_name(name)] = zeros(kind) if isinstance(kind, Tup) else ast.Constant(0)
        for name, kind in owned.items():
            empty[local_name(name)] = named_as("_out") if name == self.only_result else self.space(kind)
        boxes = {local_name(name): self.support("new_list", ast.Constant(1), game=False) for name in sorted(self.boxed)}
        return empty | boxes

    def rewrite(self, tree: ast.FunctionDef, name: str) -> None:
        """Change the tree of a rule into that of a function of a kernel, in place."""
        self.note_reads(tree)
        self.must_use_values_well(tree)
        tree.name = self.made_name = name
        tree.decorator_list = []
        tree.returns = None
        arguments = tree.args
        self.must_take_arguments(tree)
        self.bound = bindings(tree)
        unset = may_be_unset(tree)
        self.unset = {name for name in unset if not name.startswith("_best_")}  # these are read where one was found
        self.take_arguments(tree)
        result = self.kinds.result
        if isinstance(result, Lst) and self.listing is None and not self.is_strategy:
            if not is_held(result):
                raise self.refuse(tree, "a result that is a list of something other than whole numbers")
            self.into_name = "_out"
            arguments.args.insert(0, ast.arg(arg="_out"))
        owned = {name: kind for name, kind in self.kinds.owned.items() if is_held(kind)}
        body = self.block(tree.body)
        empty = self.first_values(unset, owned)
        count = [assigned("_rounds", ast.Constant(0))] if self.counts_rounds else []
        count += [assigned("_items", ast.Constant(0))] if self.counts_items else []
        count += [assigned("_mask", ast.Constant(0))] if self.masks_items else []
        if self.listing is not None:
            self.owner.support_moves()
            arguments.args.append(ast.arg(arg="_moves"))
            body = [assigned("_listed", ast.Constant(0)), *body, ast.Return(named_as("_listed"))]
        tree.body = [*count, *(assigned(name, value) for name, value in empty.items()), *body] or [ast.Pass()]
        if self.boxed:
            boxes = {local_name(name) for name in self.boxed}
            head = len(count) + len(empty)
            tree.body[head:] = [_Boxed(boxes).visit(statement) for statement in tree.body[head:]]

    def take_arguments(self, tree: ast.FunctionDef) -> None:
        """Make the arguments of a rule those of its function: by position, the game first, then the memory."""
        arguments = tree.args
        if arguments.vararg:  # ``*faces`` arrives as an array
            arguments.args.append(arguments.vararg)
            arguments.vararg = None
        arguments.args = [*arguments.posonlyargs, *arguments.args]
        arguments.posonlyargs = []
        for arg in arguments.args:
            arg.annotation = None
            arg.arg = local_name(arg.arg)
        first = ["_g"]
        if self.game_name is not None:
            first = self.owner.arguments
            arguments.args = arguments.args[1:]
        defaults = list(self.rule.__defaults__ or ())
        if self.memory_name is not None and self.strategy is not None:
            first = first + memory_arguments(self.strategy)
            after = len(arguments.args) - self.translated.memory - bool(arguments.args and self.star)
            if after <= len(defaults):  # the memory, which is given, has a default
                del defaults[-after]
            del arguments.args[self.translated.memory]
        arguments.args = [ast.arg(arg=a) for a in first] + arguments.args
        arguments.defaults = [self.literal(value, tree, "a default argument") for value in defaults]
        if defaults and self.star:
            arguments.defaults.append(ast.Tuple([], ast.Load()))

    def must_use_values_well(self, tree: ast.FunctionDef) -> None:
        """Refuse what generators, sets and texts can't do, though what stands for them in compiled code could."""
        iterator, unordered = misplaced(tree, self.kinds), uses_order(tree, self.kinds)
        ordered, number = texts_in_order(tree, self.kinds), texts_as_numbers(tree, self.kinds)
        empty = used_nothing(tree, self.kinds)
        if empty is not None:
            raise self.refuse(empty, f"{self.shown(empty)}, which returns nothing, as a value")
        kept = misused(tree, self.kinds, self.is_strategy or self.listing is not None)
        if kept is not None:
            raise self.refuse(kept[0], f"{self.shown(kept[0])}, {kept[1]}")
        if iterator is not None:
            how = "a generator that is kept, or not only gone through; write list(...)"
            raise self.refuse(iterator, f"{self.shown(iterator)}, {how}")
        if unordered is not None:
            raise self.refuse(unordered, f"{self.shown(unordered)}, a set, whose order isn't fixed; use sorted(...)")
        if ordered is not None:
            raise self.refuse(ordered, f"{self.shown(ordered)}, an order of texts; order numbers, or use key=")
        if number is not None:
            raise self.refuse(number, f"{self.shown(number)}, a text, where a number is needed")
        for part in ast.walk(tree):
            match part:
                case (
                    ast.Return(value=ast.Tuple() as value)
                    | ast.Assign(targets=[ast.Name()], value=ast.Tuple() as value)
                ):
                    if any(isinstance(self.kinds.of(one), Lst) for one in value.elts):
                        how = "a tuple with a list in it; give each list a name, or return one"
                        raise self.refuse(value, f"{self.shown(value)}, {how}")
                case ast.Subscript(value=ast.Name() as owner) if getattr(self.kinds.of(owner), "form", "") == VIEWS:
                    raise self.refuse(part, f"{self.shown(part)}, an item of a range; write list(range(...))")
        for change, name, other in replaced(self.kinds):
            raise self.refuse(
                change, f"{self.shown(change)} while {name} is an item of {other}; use {name} = list(...)"
            )

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Refuse a comparison of lists in which evaluating one side changes the other."""
        first, *others = sides = [node.left, *node.comparators]
        kinds = list(map(self.kinds.of, sides))
        if any(isinstance(kind, Lst) or (isinstance(kind, str) and kind in ROWS) for kind in kinds):
            must_stay(self, first, others)
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            for part in lazy_parts(others[0], self.kinds):
                if touched([part], self.kinds, self.owner.kinds).changes_fields:
                    lazy = f"{self.shown(part)}, which Python computes only as far as needed; write list(...)"
                    raise self.refuse(part, lazy)
        return super().visit_Compare(node)

    into_name = ""
    """The argument for the list that the function returns, if it returns one."""

    @property
    def is_strategy(self) -> bool:
        """Whether what the function returns is a move."""
        return self.role == "strategy" or self.rule in self.owner.strategies_called

    @property
    def is_judgement(self) -> bool:
        """Whether the function says whether a move is allowed, or sensible."""
        return any(self.rule in (decision.legal, decision.sensible) for decision in self.cls.declared.decisions)

    @property
    def only_result(self) -> str:
        """The variable that the function returns wherever it returns a list, if its list can be made in the result."""
        returned = [n.value for n in ast.walk(self.kinds.tree) if isinstance(n, ast.Return)]
        names = {value.id if isinstance(value, ast.Name) else "" for value in returned}
        name = names.pop() if len(names) == 1 else ""
        return name if self.into_name and self.kinds.owned.get(name) == self.kinds.result else ""

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return the rewritten statements; one statement may become several."""
        body: list[ast.stmt] = []
        for statement in statements:
            bound = set_by(statement) if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) else ()
            made = self.visit(statement)
            body += made if isinstance(made, list) else [made]
            body += self.mark(sorted(bound))
        return body

    def move(self, node: ast.expr) -> ast.expr:
        """Return the move that a strategy returns: a row as a tuple; filled up where kinds of
        choices differ in length.
        """
        row, kind = self.row(node), self.kinds.of(node)
        if row is None and isinstance(kind, Lst) and kind.form != "iterator":
            return self.move_of_list(node, kind)
        value = self.visit(node) if row is None else ast.Tuple(self.numbers_of(node), ast.Load())
        if len(self.move_sizes) < 2:
            return value
        empty = ast.Tuple([ast.Constant(NO_VALUE)] * max(self.move_sizes), ast.Load())
        self.owner.support_moves()
        return ast.Call(named_as("_filled"), [value, empty], [])

    def move_of_list(self, node: ast.expr, kind: Lst) -> ast.expr:
        """Return a move from the numbers of a list, which must be as many as a move has."""
        if self.is_table(kind):
            raise self.refuse(node, "a list of tuples as a move")
        name = self.owner.moving(*sorted(self.move_sizes))
        return ast.Call(named_as(name), [named_as("_g"), self.list_at(node)], [])

    def visit_Expr(self, node: ast.Expr) -> Any:
        if self.listing is not None and isinstance(node.value, ast.Yield):
            return self.listed(node.value)
        if self.listing is not None and isinstance(node.value, ast.YieldFrom):
            return self.listed_all(node.value.value, node)
        if isinstance(node.value, ast.Constant):  # a docstring
            return ast.Pass()
        if self.is_counted(node.value):
            return self.counted_append(node.value)
        kind = self.kinds.raw(node.value)
        if may_be_none(kind) and not self.kinds.is_procedure(node.value):  # nothing is done with it
            return ast.Expr(self.maybe(node.value, kind))
        self.generic_visit(node)
        return node

    def is_counted(self, node: ast.AST) -> bool:
        """Return whether this adds an item to what a comprehension makes, a list, or a set of numbers of a small range,
        whose length is then counted in a variable.
        """
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add") as func, args=[item]):
                kind = self.kinds.owned.get(name)
                if kind is None or name != self.only_result or not name.startswith("_out_"):
                    return False
                low, high = self.interval(item)
                small = func.attr == "append" or (high - low < MASKED and low >= -MOST_COUNTED)
                return small and not self.is_table(kind) and always_has_room(self, func, kind)
        return False

    def counted_append(self, node: Any, test: ast.expr | None = None) -> list[ast.stmt]:
        """Return the statements that add an item to the list or set of a comprehension, where the test holds.

        The item is written in any case, and counted or not: processors mispredict branches that depend on dice.
        """
        self.counts_items = True
        name, kind, item = local_name(self.only_result), self.kinds.owned[self.only_result], node.args[0]
        cell = ast.Subscript(named_as(name), ast.BinOp(named_as("_items"), ast.Add(), ast.Constant(1)))
        low = ast.Constant(self.interval(item).low)  # of the rule, before it is rewritten
        one, none = ast.Constant(1), ast.Constant(0)  # a test may be any number
        made = [assigned("_more", one if test is None else ast.IfExp(self.test(test), one, none))]
        made.append(ast.Assign([cell], self.value(item, kind.item), lineno=1))
        if node.func.attr == "add":
            self.masks_items = True
            made.append(
                assigned("_bit", self.support("new_bit", named_as("_mask"), cell, low, named_as("_more"), game=False))
            )
            made.append(assigned("_mask", ast.BinOp(named_as("_mask"), ast.BitOr(), named_as("_bit"))))
            made.append(assigned("_more", as_number(ast.Compare(named_as("_bit"), [ast.NotEq()], [ast.Constant(0)]))))
        return [*made, assigned("_items", ast.BinOp(named_as("_items"), ast.Add(), named_as("_more")))]

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return ast.Assert(self.test(node.test), None)

    def listed(self, node: ast.Yield) -> ast.stmt:
        """Translate ``yield`` in a method that lists moves: the move is stored, unless it was listed before."""
        if node.value is None:
            raise self.refuse(node, "yield without a move")
        kind = self.kinds.of(node.value)
        if isinstance(kind, Tup) and not isinstance(node.value, ast.Tuple):
            many = len(kind.items)
            whole: ast.expr = ast.Tuple(
                [ast.Subscript(self.visit(node.value), ast.Constant(i), ast.Load()) for i in range(many)], ast.Load()
            )
            if self.listing is not None and many == len(self.listing.kinds):
                return assigned(
                    "_listed",
                    ast.Call(
                        named_as("_add_move"), [named_as("_g"), named_as("_moves"), named_as("_listed"), whole], []
                    ),
                )
        if isinstance(kind, Lst) and not self.is_table(kind) and kind.form != "iterator" and self.listing is not None:
            name = self.owner.moving(len(self.listing.kinds))
            whole = ast.Call(named_as(name), [named_as("_g"), self.list_at(node.value)], [])
            return assigned(
                "_listed",
                ast.Call(named_as("_add_move"), [named_as("_g"), named_as("_moves"), named_as("_listed"), whole], []),
            )
        numbers = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        parts: list[ast.expr] = [ast.Call(named_as("int"), [self.visit(number)], []) for number in numbers]
        given = [named_as("_g"), named_as("_moves"), named_as("_listed"), ast.Tuple(parts, ast.Load())]
        width = len(self.listing.kinds) if self.listing is not None else 0
        if len(parts) != width:
            raise self.refuse(node, f"yield of {len(parts)} numbers written out where a move has {width}")
        return assigned("_listed", ast.Call(named_as("_add_move"), given, []))

    def listed_all(self, node: ast.expr, at: ast.stmt) -> Any:
        """Return all moves of a sequence, in a method that lists moves."""
        if isinstance(node, ast.List | ast.Tuple):
            return [self.listed(ast.copy_location(ast.Yield(move), at)) for move in node.elts]
        name = f"_move_{at.lineno}_{at.col_offset}"
        self.kinds.variables[name] = item_of(self.kinds.of(node))
        self.locals.add(name)
        self.kinds.locals.add(name)
        one = ast.Expr(ast.Yield(ast.Name(name, ast.Load())))
        loop = ast.For(ast.Name(name, ast.Store()), node, [one], [])
        return self.visit(ast.fix_missing_locations(ast.copy_location(loop, at)))

    def visit_Return(self, node: ast.Return) -> Any:
        if self.listing is not None:
            if node.value is not None and not is_none(node.value):
                return [*_listed(self.listed_all(node.value, node)), ast.Return(named_as("_listed"))]
            return ast.Return(named_as("_listed"))
        if self.is_strategy and node.value is not None:
            return self.return_move(node.value)
        if may_be_none(self.kinds.result) and node.value is not None:
            if self.kinds.is_procedure(node.value):
                return [ast.Expr(self.visit(node.value)), ast.Return(none_of(self.kinds.result))]
            return ast.Return(self.maybe(node.value, self.kinds.result))
        if node.value is None or is_none(node.value):
            if self.kinds.result is not None and self.rule in (self.cls.next, getattr(self.cls, "outcome", None)):
                return ast.Return(noting("noted", ast.Constant(True), ast.Constant(OVER)))  # an error, and the end
            return ast.Return(ast.Constant(0) if self.kinds.result is not None else None)
        if self.is_judgement and may_be_none(self.kinds.raw(node.value)):
            return ast.Return(as_number(self.test(node.value)))
        if self.into_name:
            return self.return_list(node.value)
        if self.is_nothing(node.value) and isinstance(self.kinds.result, Tup):
            return [ast.Expr(self.visit(node.value)), ast.Return(zeros(self.kinds.result))]
        return ast.Return(self.visit(node.value))

    def return_move(self, value: ast.expr) -> ast.stmt:
        """Return the statement in which a strategy gives its move."""
        if isinstance(value, ast.Call) and isinstance(self.called(value), Strategy):
            self.passed_on = value
        if isinstance(value, ast.IfExp) and (self.row(value.body) or self.row(value.orelse)):
            made: ast.stmt = self.visit(ast.If(value.test, [ast.Return(value.body)], [ast.Return(value.orelse)]))
            return made
        return ast.Return(self.move(value))

    def return_list(self, value: ast.expr) -> Any:
        """Return the statements that put a list into the array that the caller has given."""
        self.must_be_kept(value)
        self.must_not_be_row(value)
        done = ast.Return(named_as("_out"))
        if isinstance(value, ast.Name) and value.id == self.only_result:
            size = ast.Subscript(named_as("_out"), ast.Constant(0), ast.Store())
            return [ast.Assign([size], named_as("_items"), lineno=1), done] if self.counts_items else done
        made = self.visit(value) if self.is_nothing(value) else self.put(value, self.kinds.result, named_as("_out"))
        return [ast.Expr(made), done]

    def is_nothing(self, node: ast.expr) -> bool:
        """Return whether an expression stands for a value that Python refuses to give."""
        return isinstance(node, ast.Call) and self.kinds.target(node.func) is nothing

    def visit_While(self, node: ast.While) -> ast.stmt:
        """End a loop also where an error was recorded: with wrong values its condition might never become false."""
        test = self.test(node.test)
        made = ast.While(test, self.block(node.body), self.block(node.orelse))
        made.body[:0] = self.counted(node)
        inside = ast.parse("_g._outside >= 0", mode="eval").body
        if isinstance(test, ast.Constant):  # ``while True``: statements after the loop must not be reached
            made.body[:0] = ast.parse("if _g._outside < 0:\n    raise IndexError").body
        elif isinstance(test, ast.Compare):
            made.test = ast.BinOp(test, ast.BitAnd(), inside)
        else:
            made.test = ast.BoolOp(ast.And(), [test, inside])
        return made

    def visit_For(self, node: ast.For) -> Any:
        if self.kinds.of(node.iter) == Tup(()) and isinstance(node.iter, ast.Tuple):
            return self.block(node.orelse) or [ast.Pass()]
        must_not_interfere(self, node)
        placed = loop_by_places(self, node)
        if placed is not None:
            return placed
        if not all(isinstance(part, ast.Name | ast.Tuple | ast.expr_context) for part in ast.walk(node.target)):
            raise self.refuse(node, "a loop over a field; loop over a variable")
        long = self.is_long(node.iter)
        target, numbers = self.visit(node.target), self.sequence(node.iter)
        body = [*self.mark(sorted(bound_in(node.target))), *self.block(node.body)]
        if long:
            body[:0] = self.counted(node)
        return ast.For(target, numbers, body, self.block(node.orelse), lineno=node.lineno)

    def is_long(self, node: ast.expr) -> bool:
        """Return whether a loop over this expression may have more than `LONG` iterations; only a ``range`` can."""
        for part in ast.walk(node):
            if isinstance(part, ast.expr) and self.is_builtin(part, "range"):
                assert isinstance(part, ast.Call)
                ends = [self.interval(argument) for argument in part.args[:2]]
                low = ends[0].low if len(ends) == 2 else 0
                if (ends and ends[-1].high - low > LONG) or (len(ends) == 2 and ends[0].high - ends[1].low > LONG):
                    return True
        return False

    def counted(self, node: ast.stmt) -> list[ast.stmt]:
        """Return the statements at the head of a loop that count its iterations and raise
        `EndlessLoop` at the limit.
        """
        self.counts_rounds = True
        key = self.owner.loop(self.rule, self.made_name, node.lineno)
        return ast.parse(f"_rounds += 1\nif _rounds > {MOST_ROUNDS}:\n    raise _rules.EndlessLoop({key!r})").body

    def visit_If(self, node: ast.If) -> Any:
        match node:
            case ast.If(body=[ast.Expr(ast.Call(args=[ast.Name() | ast.Constant() as item]) as call)], orelse=[]):
                if getattr(item, "id", "") not in self.unset and self.is_counted(call):
                    return self.counted_append(call, node.test)
        return ast.If(self.test(node.test), self.block(node.body), self.block(node.orelse))


def zeros(kind: Any) -> ast.expr:
    """Return a value for a variable that has none yet."""
    return ast.Tuple([zeros(item) for item in kind.items], ast.Load()) if isinstance(kind, Tup) else ast.Constant(0)


def is_none(node: ast.expr) -> bool:
    """Return whether an expression is ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def _listed(made: Any) -> list[Any]:
    return made if isinstance(made, list) else [made]


class _Boxed(ast.NodeTransformer):
    """Makes variables that are set inside expressions the only number of an array."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "set_box":
            node.args[1] = self.visit(node.args[1])
            return node
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        return ast.Subscript(ast.Name(node.id, ast.Load()), ast.Constant(1), node.ctx)


def bindings(tree: ast.FunctionDef) -> dict[str, int]:
    """Return the number of places at which each variable of a function gets a value; a parameter gets one from the
    caller.
    """
    counts: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            counts[node.id] = counts.get(node.id, 0) + 1
        elif isinstance(node, ast.arg):
            counts[node.arg] = counts.get(node.arg, 0) + 1
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            counts[node.name] = counts.get(node.name, 0) + 1
    return counts
