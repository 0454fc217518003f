"""Rewrites the syntax tree of one rule into a function over integers and arrays; see `dicelab.translation.translator`.

The rewritten rule does what Python does, or the rule is refused:

* arithmetic whose result may not fit into 64 bits is checked for overflow (`dicelab.translation.number_ranges`);
* a store to a field is checked against the declared range, unless interval analysis proves that it stays inside;
* an index is checked against the length of its row.

A failed check is recorded in the game (`dicelab.kernels.rule_support`), which the reference engine then plays again.
Variables get the prefix ``v_``, so that their names can't clash with names of the kernel.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dicelab.rules.actions import NO_VALUE, Decision
from dicelab.rules.game import Strategy
from dicelab.translation.endless import MOST_ROUNDS
from dicelab.translation.match import Matches
from dicelab.translation.names import assigned, given_name, local_name, named_as
from dicelab.translation.translator import memory_arguments
from dicelab.translation.unset import bound_in, may_be_unset, may_return_nothing

LONG = 1_000_000
"""Length of a ``range`` above which a loop over it counts its iterations; shorter loops end soon enough."""


class Rewriter(Matches):
    """Rewrites one function: its parameters and its statements."""

    made_name = ""
    """Name of the generated function."""
    counts_rounds = False
    """Whether it has a loop that counts its iterations."""

    @property
    def listing(self) -> Decision | None:
        """The choice whose moves this function lists, if it does."""
        return next((decision for decision in self.cls.declared.decisions if decision.moves is self.rule), None)

    def rewrite(self, tree: ast.FunctionDef, name: str) -> None:
        """Change the tree of a rule into that of a function of a kernel, in place."""
        tree.name = self.made_name = name
        tree.decorator_list = []
        tree.returns = None
        arguments = tree.args
        if arguments.kwonlyargs or arguments.kwarg:
            raise self.refuse(tree, "keyword-only arguments")
        self.bound = bindings(tree)
        self.unset = may_be_unset(tree)
        if may_return_nothing(tree):
            raise self.refuse(tree, "return with a number on some paths and nothing on others; end with a return")
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
        empty = [named(name) for name in sorted(self.unset) for named in (local_name, given_name)]
        body = self.block(tree.body)
        count = [assigned("_rounds", ast.Constant(0))] if self.counts_rounds else []
        if self.listing is not None:
            self.owner.support_moves()
            arguments.args.append(ast.arg(arg="_moves"))
            body = [assigned("_listed", ast.Constant(0)), *body, ast.Return(named_as("_listed"))]
        tree.body = [*count, *(assigned(name, ast.Constant(0)) for name in empty), *body] or [ast.Pass()]

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The rewritten statements; one statement may become several."""
        found: list[ast.stmt] = []
        for statement in statements:
            bound = bound_in(statement) if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) else ()
            made = self.visit(statement)
            found += made if isinstance(made, list) else [made]
            found += self.mark(sorted(bound))
        return found

    def move(self, node: ast.expr) -> ast.expr:
        """The move that a strategy returns: a row as a tuple; filled up where kinds of choices differ in length."""
        row = self.row(node)
        value = self.visit(node) if row is None else ast.Tuple(self.numbers_of(node), ast.Load())
        if len(self.move_sizes) < 2:
            return value
        empty = ast.Tuple([ast.Constant(NO_VALUE)] * max(self.move_sizes), ast.Load())
        self.owner.support_moves()
        return ast.Call(named_as("_filled"), [value, empty], [])

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if self.listing is not None and isinstance(node.value, ast.Yield):
            return self.listed(node.value)
        if isinstance(node.value, ast.Constant):  # a docstring
            return ast.Pass()
        self.generic_visit(node)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return ast.Assert(self.test(node.test), None)

    def listed(self, node: ast.Yield) -> ast.stmt:
        """``yield`` in a method that lists moves: the move is stored, unless it was listed before."""
        if node.value is None:
            raise self.refuse(node, "yield without a move")
        numbers = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        parts: list[ast.expr] = [ast.Call(named_as("int"), [self.visit(number)], []) for number in numbers]
        given = [named_as("_g"), named_as("_moves"), named_as("_listed"), ast.Tuple(parts, ast.Load())]
        width = len(self.listing.kinds) if self.listing is not None else 0
        if len(parts) != width:
            raise self.refuse(node, f"yield of {len(parts)} numbers written out where a move has {width}")
        return assigned("_listed", ast.Call(named_as("_add_move"), given, []))

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if self.listing is not None:
            if node.value is not None:
                raise self.refuse(node, "return with a value; yield the moves")
            return ast.Return(named_as("_listed"))
        is_strategy = self.role == "strategy" or self.rule in self.owner.strategies_called
        if is_strategy and node.value is not None:
            value = node.value
            if isinstance(value, ast.Call) and isinstance(self.called(value), Strategy):
                self.passed_on = value
            if isinstance(value, ast.IfExp) and (self.row(value.body) or self.row(value.orelse)):
                made: ast.stmt = self.visit(ast.If(value.test, [ast.Return(value.body)], [ast.Return(value.orelse)]))
                return made
            return ast.Return(self.move(value))
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            return ast.Return(None)
        return ast.Return(self.visit(node.value))

    def visit_While(self, node: ast.While) -> ast.stmt:
        """A loop also ends where an error was recorded: with wrong values its condition might never become false."""
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

    def visit_For(self, node: ast.For) -> ast.stmt:
        if not all(isinstance(part, ast.Name | ast.Tuple | ast.expr_context) for part in ast.walk(node.target)):
            raise self.refuse(node, "a loop over a field; loop over a variable")
        long = self.is_long(node.iter)
        target, numbers = self.visit(node.target), self.sequence(node.iter)
        body = [*self.mark(sorted(bound_in(node.target))), *self.block(node.body)]
        if long:
            body[:0] = self.counted(node)
        return ast.For(target, numbers, body, self.block(node.orelse), lineno=node.lineno)

    def is_long(self, node: ast.expr) -> bool:
        """Whether a loop over this expression may have more than `LONG` iterations; only a ``range`` can."""
        for part in ast.walk(node):
            if isinstance(part, ast.expr) and self.is_builtin(part, "range"):
                assert isinstance(part, ast.Call)
                ends = [self.interval(argument) for argument in part.args[:2]]
                low = ends[0].low if len(ends) == 2 else 0
                if (ends and ends[-1].high - low > LONG) or (len(ends) == 2 and ends[0].high - ends[1].low > LONG):
                    return True
        return False

    def counted(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements at the head of a loop that count its iterations and raise `EndlessLoop` at the limit."""
        self.counts_rounds = True
        key = self.owner.loop(self.rule, self.made_name, node.lineno)
        return ast.parse(f"_rounds += 1\nif _rounds > {MOST_ROUNDS}:\n    raise _rules.EndlessLoop({key!r})").body

    def visit_If(self, node: ast.If) -> ast.stmt:
        return ast.If(self.test(node.test), self.block(node.body), self.block(node.orelse))


def bindings(tree: ast.FunctionDef) -> dict[str, int]:
    """Number of places at which each variable of a function gets a value; a parameter gets one from the caller."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] = found.get(node.id, 0) + 1
        elif isinstance(node, ast.arg):
            found[node.arg] = found.get(node.arg, 0) + 1
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            found[node.name] = found.get(node.name, 0) + 1
    return found
