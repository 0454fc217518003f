"""Rewrites the syntax tree of one rule into a function over flat numbers; see `dicelab.translation.translator`.

What the rewritten rule does is what Python does, or the rule is refused:

* a number that may outgrow 64 bits is computed by arithmetic that notices (`dicelab.translation.number_ranges`);
* a store to a field is checked against the declared range, unless it can't leave it;
* an index outside its row is noticed.

What is noticed is noted in the game, which is then played by the reference engine. Variables get the prefix ``v_``, so
that no name in a rule can be that of anything else.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dicelab.translation.endless import MOST_ROUNDS
from dicelab.translation.match import Matches
from dicelab.translation.names import NotTranslatable as NotTranslatable
from dicelab.translation.names import ReadsTally as ReadsTally
from dicelab.translation.names import Row as Row
from dicelab.translation.names import assigned, given_name, local_name
from dicelab.translation.names import memory_arguments as memory_arguments
from dicelab.translation.names import memory_name as memory_name
from dicelab.translation.names import place as place
from dicelab.translation.unset import bound_in, may_be_unset, may_return_nothing

LONG = 1_000_000
"""Numbers in a ``range`` above which a loop over it counts its rounds; a shorter one ends soon enough."""


class Rewriter(Matches):
    """Rewrites one function: its parameters and its statements."""

    made_name = ""
    """Name of the function that is made."""
    counts_rounds = False
    """Has it a loop that may go round without end?"""

    def rewrite(self, tree: ast.FunctionDef, name: str) -> None:
        """Change the tree into that of a function of a kernel."""
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
        if self.memory_name is not None and self.strategy is not None:
            first = first + memory_arguments(self.strategy)
            arguments.args = arguments.args[1:]
        arguments.args = [ast.arg(arg=a) for a in first] + arguments.args
        arguments.defaults = [self.literal(value, tree, "a default argument") for value in self.rule.__defaults__ or ()]
        empty = [named(name) for name in sorted(self.unset) for named in (local_name, given_name)]
        body = self.block(tree.body)
        count = [assigned("_rounds", ast.Constant(0))] if self.counts_rounds else []
        tree.body = [*count, *(assigned(name, ast.Constant(0)) for name in empty), *body] or [ast.Pass()]

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Some statements, rewritten; one may become several."""
        found: list[ast.stmt] = []
        for statement in statements:
            bound = bound_in(statement) if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) else ()
            made = self.visit(statement)
            found += made if isinstance(made, list) else [made]
            found += self.mark(sorted(bound))
        return found

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if isinstance(node.value, ast.Constant):  # a docstring
            return ast.Pass()
        self.generic_visit(node)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return ast.Assert(self.test(node.test), None)

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            return ast.Return(None)
        return ast.Return(self.visit(node.value))

    def visit_While(self, node: ast.While) -> ast.stmt:
        """A loop ends where something was noted: it might otherwise wait for what never comes."""
        test = self.test(node.test)
        made = ast.While(test, self.block(node.body), self.block(node.orelse))
        made.body[:0] = self.counted(node)
        inside = ast.parse("_g._outside >= 0", mode="eval").body
        if isinstance(test, ast.Constant):  # what follows such a loop can't be reached, and must not be
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
        """May a loop over this go round very often? Only a ``range`` can be so long."""
        for part in ast.walk(node):
            if isinstance(part, ast.expr) and self.is_builtin(part, "range"):
                assert isinstance(part, ast.Call)
                ends = [self.interval(argument) for argument in part.args[:2]]
                low = ends[0].low if len(ends) == 2 else 0
                if (ends and ends[-1].high - low > LONG) or (len(ends) == 2 and ends[0].high - ends[1].low > LONG):
                    return True
        return False

    def counted(self, node: ast.stmt) -> list[ast.stmt]:
        """What a loop does first in each round: count it, and stop the game where it goes round without end."""
        self.counts_rounds = True
        key = self.owner.loop(self.rule, self.made_name, node.lineno)
        return ast.parse(f"_rounds += 1\nif _rounds > {MOST_ROUNDS}:\n    raise _rules.EndlessLoop({key!r})").body

    def visit_If(self, node: ast.If) -> ast.stmt:
        return ast.If(self.test(node.test), self.block(node.body), self.block(node.orelse))


def bindings(tree: ast.FunctionDef) -> dict[str, int]:
    """How often each variable of a function is given a value; a parameter is given one by whoever calls."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] = found.get(node.id, 0) + 1
        elif isinstance(node, ast.arg):
            found[node.arg] = found.get(node.arg, 0) + 1
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            found[node.name] = found.get(node.name, 0) + 1
    return found
