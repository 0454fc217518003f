"""Rewrites the syntax tree of one rule into a function over flat numbers; see `dicelab.engines.translate`.

What the rewritten rule does is what Python does, or the rule is refused:

* a number that may outgrow 64 bits is computed by arithmetic that notices (`dicelab.engines.number_ranges`);
* a store to a field is checked against the declared range, unless it can't leave it;
* an index outside its row is noticed.

What is noticed is noted in the game, which is then played by the reference engine. Variables get the prefix ``v_``, so
that no name in a rule can be that of anything else.
"""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import reduce
from types import FunctionType
from typing import TYPE_CHECKING, Any

from dicelab.engines.number_ranges import ANY, MOST_TALLY, Interval, Rule, combined, is_small_step, parent_method
from dicelab.errors import DicelabError
from dicelab.rules.dice import COUNTS, FACES
from dicelab.rules.fields import Field, Flag, Int, Ints, Peak, Tally, fields_of
from dicelab.rules.game import Strategy
from dicelab.rules.params import Param, Switch, reach_of
from dicelab.rules.steps import Decision, Throw, ask, throw

if TYPE_CHECKING:
    from dicelab.engines.translate import Translation

BUILTINS = {"abs", "bool", "divmod", "enumerate", "int", "len", "max", "min", "range", "round", "sum", "zip"}
TABLE = 16
"""Tuples of so many whole numbers become arrays where they are looked up: written out each time, they would be slow."""
REFUSED: dict[type[ast.AST], str] = {
    ast.GeneratorExp: "a generator expression; write a for loop",
    ast.ListComp: "a list comprehension; write a for loop",
    ast.SetComp: "a set; use a tuple, and a for loop",
    ast.NamedExpr: "an assignment inside an expression; write it on a line of its own",
    ast.DictComp: "a dictionary; use a tuple, or if and elif",
    ast.Dict: "a dictionary; use a tuple, or if and elif",
    ast.Set: "a set; use a tuple",
    ast.Lambda: "a lambda; write a method",
    ast.Try: "try",
    ast.With: "with",
    ast.JoinedStr: "text; rules are whole numbers only",
    ast.Div: "/, which leaves the whole numbers; use //",
    ast.Global: "global; declare what changes as a field",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Nonlocal: "nonlocal; declare what changes as a field",
    ast.List: "a list; use a tuple",
    ast.Slice: "a slice; write a loop",
    ast.Raise: "raise; return a move, or a sentence from refuse, that says so",
    ast.Delete: "del",
    ast.Import: "an import inside a rule; import at the top of the file",
    ast.ImportFrom: "an import inside a rule; import at the top of the file",
    ast.Is: "is; compare with ==",
    ast.IsNot: "is not; compare with !=",
    ast.MatMult: "@",
    ast.Await: "await",
    ast.Starred: "*; name each value",
}


class NotTranslatable(DicelabError):
    """A rule that can be played by the reference engine but not compiled; the message names file and line."""


class ReadsTally(NotTranslatable):
    """A rule that reads what is only counted: no engine that numbers positions can play it."""


def place(rule: FunctionType, line: int | None = None) -> str:
    """File and line of a function, for messages."""
    return f"{rule.__code__.co_filename}, line {line or rule.__code__.co_firstlineno}"


def memory_name(strategy: Strategy, field: str) -> str:
    """Name of the array of a memory's field; the length keeps ``a`` and ``b_c`` apart from ``a_b`` and ``c``."""
    return f"_m{len(strategy.name)}_{strategy.name}_{field}"


def memory_arguments(strategy: Strategy) -> list[str]:
    """Arguments that carry a strategy's memory: the seat, then an array over the seats for each field."""
    if strategy.memory is None:
        return []
    return ["_seat", *(memory_name(strategy, f.name) for f in fields_of(strategy.memory, Field))]


@dataclass(frozen=True)
class Row:
    """A row of numbers in a rule: its field, none for the ``*faces`` of a throw, and the name of its limits."""

    field: Ints | None
    limits: str


FACES_SEEN = Row(None, "")


class Rewriter(ast.NodeTransformer):
    """Rewrites one function.

    Parameters
    ----------
    owner
        The translation of which the function becomes a part.
    rule, role, strategy
        As in `Translation.function`.
    rows
        Parameters of the function that are given rows, and which.
    """

    def __init__(
        self,
        owner: Translation,
        rule: FunctionType,
        role: str,
        strategy: Strategy | None,
        rows: tuple[tuple[int, Row], ...] = (),
    ) -> None:
        self.owner = owner
        self.layout = owner.layout
        self.cls = owner.layout.game
        self.rule = rule
        self.role = role
        self.strategy = strategy
        code = rule.__code__
        names = list(code.co_varnames[: code.co_argcount])
        self.star = code.co_varnames[len(names)] if code.co_flags & inspect.CO_VARARGS else None
        self.game_name = names.pop(0) if role != "plain" and names else None
        self.memory_name = names.pop(0) if strategy is not None and strategy.memory is not None and names else None
        self.rows: dict[str, tuple[Row, ast.expr]] = {names[i]: (row, _name(_local(names[i]))) for i, row in rows}
        if self.star is not None:
            self.rows[self.star] = FACES_SEEN, _name(_local(self.star))
        self.sorted: dict[str, int] = {}
        """Variables that are the sorted list of so many numbers."""
        self.temporaries = 0
        self.locals = set(code.co_varnames) | set(code.co_cellvars)
        self.globals: dict[str, Any] = dict(rule.__globals__)
        for free, cell in zip(code.co_freevars, rule.__closure__ or (), strict=True):
            self.globals[free] = cell.cell_contents

    def rewrite(self, tree: ast.FunctionDef, name: str) -> None:
        """Change the tree into that of a function of a kernel."""
        tree.name = name
        tree.decorator_list = []
        tree.returns = None
        arguments = tree.args
        if arguments.kwonlyargs or arguments.kwarg:
            raise self.refuse(tree, "keyword-only arguments")
        self.bound = _bound(tree)
        if arguments.vararg:  # ``*faces`` arrives as an array
            arguments.args.append(arguments.vararg)
            arguments.vararg = None
        arguments.args = [*arguments.posonlyargs, *arguments.args]
        arguments.posonlyargs = []
        for arg in arguments.args:
            arg.annotation = None
            arg.arg = _local(arg.arg)
        first = ["_g"]
        if self.game_name is not None:
            first = self.layout.arguments
            arguments.args = arguments.args[1:]
        if self.memory_name is not None and self.strategy is not None:
            first = first + memory_arguments(self.strategy)
            arguments.args = arguments.args[1:]
        arguments.args = [ast.arg(arg=a) for a in first] + arguments.args
        arguments.defaults = [self.literal(value, tree, "a default argument") for value in self.rule.__defaults__ or ()]
        tree.body = self.block(tree.body) or [ast.Pass()]

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Some statements, rewritten; one may become several."""
        found: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            found += made if isinstance(made, list) else [made]
        return found

    def refuse(self, node: ast.AST, what: str) -> NotTranslatable:
        return NotTranslatable(f"{place(self.rule, getattr(node, 'lineno', None))}: {self.rule.__name__} uses {what}")

    def visit(self, node: ast.AST) -> Any:
        if type(node) in REFUSED:
            raise self.refuse(node, REFUSED[type(node)])
        if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in REFUSED:
            raise self.refuse(node, REFUSED[type(node.op)])
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            raise self.refuse(node, "a function inside a function")
        return super().visit(node)

    def interval(self, node: ast.AST) -> Interval:
        """Between which numbers an expression of the rule lies; it must not be rewritten yet."""
        return self.owner.ranges.of(Rule(self.rule, self.role, self.strategy), node)

    # names -----------------------------------------------------------------------------------------------------

    def is_game(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.game_name

    def is_memory(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.memory_name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in (self.game_name, self.memory_name):
            raise self.refuse(node, f"{node.id} as a whole; only its fields and methods can be compiled")
        if isinstance(node.ctx, ast.Load) and node.id in self.rows:
            raise self.refuse(node, f"{node.id}, a row, as a whole; use its numbers")
        if isinstance(node.ctx, ast.Load) and node.id in self.sorted:
            raise self.refuse(node, f"{node.id}, a sorted list, as a whole; use its numbers")
        if node.id in self.locals or not isinstance(node.ctx, ast.Load):
            return ast.Name(_local(node.id), node.ctx)
        if node.id not in self.globals:
            if node.id in BUILTINS:
                return node
            raise self.refuse(
                node,
                f"{node.id}, which can't be compiled"
                if hasattr(builtins, node.id)
                else f"{node.id}, which is not defined",
            )
        return self.literal(self.globals[node.id], node, node.id)

    def literal(self, value: object, node: ast.AST, name: str) -> ast.expr:
        """A constant of the file, written out."""
        if isinstance(value, type) and issubclass(value, enum.IntEnum):
            return self.literal(tuple(value), node, name)
        if isinstance(value, bool):
            return ast.Constant(value)
        if isinstance(value, int):
            if not -(2**63) < value < 2**63:
                raise self.refuse(node, f"{name}, a number of more than 64 bits")
            return ast.parse(repr(int(value)), mode="eval").body
        if isinstance(value, tuple):
            return ast.Tuple([self.literal(v, node, name) for v in value], ast.Load())
        kind = type(value).__name__
        hint = "; use a tuple" if isinstance(value, list | dict | set) else ""
        raise self.refuse(node, f"{name}, a {kind}, which can't be compiled{hint}")

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, int):
            said = "text" if isinstance(node.value, str) else repr(node.value)
            raise self.refuse(node, f"{said}; rules that are compiled are whole numbers only")
        if not -(2**63) < node.value < 2**63:
            raise self.refuse(node, f"{node.value}, a number of more than 64 bits")
        return node

    # rows ------------------------------------------------------------------------------------------------------

    def row(self, node: ast.AST) -> tuple[Row, ast.expr] | None:
        """The row that an expression is: what it is, and how it is written in a kernel."""
        if isinstance(node, ast.Name):
            return self.rows.get(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        if self.is_game(node.value):
            declared = getattr(self.cls, node.attr, None)
            return (Row(declared, node.attr), _name(f"_r_{node.attr}")) if isinstance(declared, Ints) else None
        if self.is_memory(node.value) and self.strategy is not None:
            declared = getattr(self.strategy.memory, node.attr, None)
            if isinstance(declared, Ints):
                name = memory_name(self.strategy, node.attr)
                return Row(declared, name), ast.Subscript(_name(name), _name("_seat"), ast.Load())
        return None

    def sequence(self, node: ast.expr) -> ast.expr:
        """Something whose numbers are used one by one: a row, a tuple, a list written out, sorted numbers."""
        row = self.row(node)
        if row is not None:
            return row[1]
        if isinstance(node, ast.List):
            return self.sequence(ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))
        if isinstance(node, ast.Name) and node.id in self.sorted:
            return _name(_local(node.id))
        if self.is_sorted(node):
            assert isinstance(node, ast.Call)
            return self.in_order(node)[0]
        found: ast.expr = self.visit(node)
        return found

    def is_sorted(self, node: ast.AST) -> bool:
        return self.is_builtin(node, "sorted")

    def is_builtin(self, node: ast.AST, name: str) -> bool:
        """Is this a call of a builtin function?"""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name):
            return False
        return name not in self.locals and name not in self.globals

    def in_order(self, node: ast.Call) -> tuple[ast.expr, int]:
        """``sorted(...)`` of a few numbers, as a tuple; and how many they are."""
        down = False
        for keyword in node.keywords:
            if keyword.arg != "reverse" or not isinstance(keyword.value, ast.Constant):
                raise self.refuse(node, "sorted with a key; sort numbers")
            down = bool(keyword.value.value)
        if len(node.args) != 1:
            raise self.refuse(node, "sorted of other than one thing")
        numbers = self.numbers_of(node.args[0])
        if not 1 <= len(numbers) <= MOST_SORTED:
            raise self.refuse(node, f"sorted of {len(numbers)} numbers; up to {MOST_SORTED} can be compiled")
        return ast.Call(_name(self.owner.sorting(len(numbers), down)), numbers, []), len(numbers)

    def numbers_of(self, node: ast.expr) -> list[ast.expr]:
        """The numbers of a tuple, list, or row of a length that is fixed."""
        if isinstance(node, ast.Tuple | ast.List):
            return [self.visit(element) for element in node.elts]
        row = self.row(node)
        length: object = None
        if row is not None:
            length = self.faces_seen() if row[0].field is None else row[0].field.length
        if row is None or not isinstance(length, int):
            raise self.refuse(node, "sorted of something whose length is not fixed; sort a tuple: sorted((a, b, c))")
        return [
            ast.Subscript(row[1], ast.Call(_shared("unsigned"), [ast.Constant(i)], []), ast.Load())
            for i in range(length)
        ]

    def faces_seen(self) -> object:
        """How many numbers the ``*faces`` of this rule are, where that is fixed."""
        kind = next((kind for kind in self.cls.declared.throws if kind.rule is self.rule), None)
        if kind is None or len(kind.rule.__code__.co_varnames[: kind.rule.__code__.co_argcount]) != 1:
            return None
        return kind.most if kind.view is FACES else len(kind.die.faces) if kind.view is COUNTS else 1

    # attributes ------------------------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if self.row(node) is not None:
            raise self.refuse(node, f"{node.attr}, a row, as a whole; use its numbers")
        if self.is_game(node.value):
            return self.game_attribute(node)
        if self.is_memory(node.value):
            return self.memory_attribute(node)
        if isinstance(node.value, ast.Name) and node.value.id not in self.locals:
            owner = self.globals.get(node.value.id)
            if isinstance(owner, type) and issubclass(owner, enum.IntEnum):
                return self.literal(getattr(owner, node.attr), node, node.attr)
        raise self.refuse(node, f".{node.attr}, which can't be compiled")

    def game_attribute(self, node: ast.Attribute) -> ast.expr:
        name = node.attr
        declared = getattr(self.cls, name, None)
        if isinstance(declared, Tally):
            refused = self.refuse(
                node, f"the tally {name}; tallies are only counted (+= or, for a Peak, max), never read"
            )
            raise ReadsTally(str(refused))
        if isinstance(declared, Int | Flag | Param):
            slot = _slot(name, node.ctx)
            return ast.Compare(slot, [ast.NotEq()], [ast.Constant(0)]) if isinstance(declared, Flag | Switch) else slot
        if declared is None:
            raise self.refuse(node, f"self.{name}, which is not declared")
        return self.literal(declared, node, f"self.{name}")

    def memory_cell(self, node: ast.Attribute) -> tuple[Field, ast.Subscript]:
        """The field of a memory, and its number for this seat."""
        assert self.strategy is not None and self.strategy.memory is not None
        declared = getattr(self.strategy.memory, node.attr, None)
        if not isinstance(declared, Field):
            raise self.refuse(node, f"{self.memory_name}.{node.attr}, which is not declared")
        return declared, ast.Subscript(_name(memory_name(self.strategy, node.attr)), _name("_seat"), node.ctx)

    def memory_attribute(self, node: ast.Attribute) -> ast.expr:
        declared, cell = self.memory_cell(node)
        return ast.Compare(cell, [ast.NotEq()], [ast.Constant(0)]) if isinstance(declared, Flag) else cell

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """One number of a row, or of a tuple; an index that is outside is noted, and takes the first number instead."""
        if isinstance(node.slice, ast.Slice):
            raise self.refuse(node, REFUSED[ast.Slice])
        row, table = self.row(node.value), self.table(node)
        if table is not None or row is not None:
            base = row[1] if row is not None else _name(str(table))
            return ast.Subscript(base, self.index(row[0] if row else None, base, node.slice), node.ctx)
        if isinstance(node.value, ast.Name) and node.value.id in self.sorted:
            return self.of_sorted(_name(_local(node.value.id)), self.sorted[node.value.id], node)
        if self.is_sorted(node.value):
            assert isinstance(node.value, ast.Call)
            return self.of_sorted(*self.in_order(node.value), node)
        if not isinstance(node.ctx, ast.Load):
            raise self.refuse(node, "a number of something other than a row that is set")
        self.generic_visit(node)
        return node

    def index(self, row: Row | None, base: ast.expr, wanted: ast.expr) -> ast.expr:
        """An index of a row; those of a game count from 0, others may count from the end, as tuples do."""
        how = "at" if row is not None and row.field is not None else "nth"
        size = ast.Attribute(base, "size", ast.Load())
        return ast.Call(_shared(how), [_name("_g"), self.visit(wanted), size], [])

    def of_sorted(self, base: ast.expr, length: int, node: ast.Subscript) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            raise self.refuse(node, "a sorted list that is changed")
        index = ast.Call(_shared("nth"), [_name("_g"), self.visit(node.slice), ast.Constant(length)], [])
        return ast.Subscript(base, index, ast.Load())

    def table(self, node: ast.Subscript) -> str | None:
        """The name of an array that stands for a long tuple of the file, where one of its numbers is looked up."""
        if not isinstance(node.value, ast.Name) or node.value.id in self.locals:
            return None
        values = self.globals.get(node.value.id)
        if not isinstance(values, tuple) or len(values) < TABLE or not all(type(value) is int for value in values):
            return None
        if any(not -(2**63) < value < 2**63 for value in values):
            raise self.refuse(node, f"{node.value.id}, which has a number of more than 64 bits")
        return self.owner.table(values)

    # arithmetic ------------------------------------------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.interval(node.left), self.interval(node.right)
        return self.operation(node.op, left, right, self.number(node.left), self.number(node.right))

    def number(self, node: ast.expr) -> ast.expr:
        """An operand; a yes or no as 1 or 0, because compiled operations would keep it a yes or no."""
        interval = self.interval(node)
        value: ast.expr = self.visit(node)
        if interval.low >= 0 and interval.high <= 1 and not isinstance(node, ast.Constant):
            return ast.Call(_name("int"), [value], [])
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return ast.Constant(int(node.value))
        return value

    def operation(self, op: ast.operator, a: Interval, b: Interval, left: ast.expr, right: ast.expr) -> ast.expr:
        """An operation on whole numbers: as it stands where its result fits into 64 bits, else one that notices."""
        fits = combined(op, a, b).fits
        if isinstance(op, ast.RShift):
            fits = b.low >= 0 and b.high <= 63
        elif isinstance(op, ast.FloorDiv | ast.Mod):
            fits = a.low > -(2**63) or not b.low <= -1 <= b.high
        if fits:
            return ast.BinOp(left, op, right)
        return ast.Call(_shared(NOTICING[type(op)]), [_name("_g"), left, right], [])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            self.generic_visit(node)
            return node
        low, value = self.interval(node.operand).low, self.number(node.operand)
        if isinstance(node.op, ast.USub) and low == ANY.low and not isinstance(node.operand, ast.Constant):
            return ast.Call(_shared("sub"), [_name("_g"), ast.Constant(0), value], [])
        return ast.UnaryOp(node.op, value)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            if len(node.ops) > 1:
                raise self.refuse(node, "in within a chain of comparisons; write them apart")
            row, wanted = self.row(node.comparators[0]), self.visit(node.left)
            if row is not None:
                found: ast.expr = ast.Call(_shared("row_contains"), [row[1], wanted], [])
                return found if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), found)
            return ast.Compare(wanted, node.ops, [self.sequence(node.comparators[0])])
        for op in node.ops:
            if type(op) in REFUSED:
                raise self.refuse(node, REFUSED[type(op)])
        self.generic_visit(node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Comparisons that can't go wrong are made together, without a branch."""
        simple = all(isinstance(value, ast.Compare) and len(value.ops) == 1 for value in node.values) and not any(
            isinstance(part, ast.Subscript | ast.Call | ast.BinOp | ast.In | ast.NotIn)
            for value in node.values[1:]
            for part in ast.walk(value)
        )
        self.generic_visit(node)
        if not simple:
            return node
        both = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
        return reduce(lambda left, right: ast.BinOp(left, both, right), node.values)

    # statements ------------------------------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if isinstance(node.value, ast.Constant):  # a docstring
            return ast.Pass()
        self.generic_visit(node)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return ast.Assert(self.visit(node.test), None)

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            return ast.Return(None)
        return ast.Return(self.visit(node.value))

    def visit_While(self, node: ast.While) -> ast.stmt:
        """A loop ends where something was noted: it might otherwise wait for what never comes."""
        test = self.visit(node.test)
        made = ast.While(test, self.block(node.body), self.block(node.orelse))
        inside = ast.parse("_g._outside == 0", mode="eval").body
        if isinstance(test, ast.Constant):  # what follows such a loop can't be reached, and must not be
            made.body[:0] = ast.parse("if _g._outside != 0:\n    raise IndexError").body
        elif isinstance(test, ast.Compare):
            made.test = ast.BinOp(test, ast.BitAnd(), inside)
        else:
            made.test = ast.BoolOp(ast.And(), [test, inside])
        return made

    def visit_For(self, node: ast.For) -> ast.stmt:
        if not all(isinstance(part, ast.Name | ast.Tuple | ast.expr_context) for part in ast.walk(node.target)):
            raise self.refuse(node, "a loop over a field; loop over a variable")
        target, numbers = self.visit(node.target), self.sequence(node.iter)
        return ast.For(target, numbers, self.block(node.body), self.block(node.orelse), lineno=node.lineno)

    def visit_If(self, node: ast.If) -> ast.stmt:
        return ast.If(self.visit(node.test), self.block(node.body), self.block(node.orelse))

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        guard = self.visit(node.guard) if node.guard is not None else None
        return ast.match_case(self.visit(node.pattern), guard, self.block(node.body))

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.pattern:
        self.generic_visit(node)
        node.name = _local(node.name) if node.name is not None else None
        return node

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.pattern:
        raise self.refuse(node, f"case {node.value}; compare with ==")

    # stores ----------------------------------------------------------------------------------------------------

    def tally(self, node: ast.AST) -> Tally | None:
        if isinstance(node, ast.Attribute) and self.is_game(node.value):
            declared = getattr(self.cls, node.attr, None)
            return declared if isinstance(declared, Tally) else None
        return None

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | list[ast.stmt]:
        if node.value is None:
            return ast.Pass()
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        raised = self.raised(node)
        if raised is not None:
            return raised
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            return self.assign_name(node.targets[0].id, node)
        interval = self.interval(node.value)
        if len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
            return self.store(node.targets[0], interval, self.sequence(node.value))
        if all(_only_names(target) for target in node.targets):
            return ast.Assign([self.visit(t) for t in node.targets], self.sequence(node.value), lineno=node.lineno)
        value, found = self.temporary(), list[ast.stmt]()
        found.append(_assigned(value, self.sequence(node.value)))
        for target in node.targets:
            found += self.unpack(target, interval, _name(value))
        return found

    def assign_name(self, name: str, node: ast.Assign) -> ast.stmt:
        """A variable gets a value: a number, a tuple, another name of a row, or sorted numbers."""
        row = self.row(node.value)
        if row is None and not self.is_sorted(node.value):
            return _assigned(_local(name), self.visit(node.value))
        if self.bound.get(name) != 1:
            raise self.refuse(node, f"{name} for a row, or sorted numbers, and for something else; use two names")
        if row is not None:
            self.rows[name] = row
            return ast.Pass()
        assert isinstance(node.value, ast.Call)
        value, self.sorted[name] = self.in_order(node.value)
        return _assigned(_local(name), value)

    def unpack(self, target: ast.expr, interval: Interval, value: ast.expr) -> list[ast.stmt]:
        """Give a target, which may be a tuple of some, a value that is in a temporary."""
        if not isinstance(target, ast.Tuple):
            return self.store(target, interval, value)
        names = [self.temporary() for _ in target.elts]
        found: list[ast.stmt] = [
            ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())], value, lineno=target.lineno)
        ]
        for element, name in zip(target.elts, names, strict=True):
            found += self.unpack(element, interval, _name(name))
        return found

    def store(self, target: ast.expr, interval: Interval, value: ast.expr) -> list[ast.stmt]:
        """Give a variable, a field, or a number of a row a value that is rewritten already."""
        if isinstance(target, ast.Name):
            return [_assigned(_local(target.id), value)]
        if isinstance(target, ast.Attribute):
            declared, cell, limits = self.cell(target)
            return [ast.Assign([cell], self.checked(declared, limits, interval, value, cell), lineno=target.lineno)]
        if isinstance(target, ast.Subscript):
            new, at = self.temporary(), self.temporary()
            row, base = self.row_to_change(target)
            cell = ast.Subscript(base, _name(at), ast.Store())
            return [
                _assigned(new, value),
                _assigned(at, self.index(row, base, target.slice)),
                ast.Assign(
                    [cell], self.checked(row.field, row.limits, interval, _name(new), cell), lineno=target.lineno
                ),
            ]
        raise self.refuse(target, "a target that can't be compiled")

    def cell(self, target: ast.Attribute) -> tuple[Field, ast.expr, str]:
        """A single field that is set: its declaration, where it is kept, and the name of its limits."""
        if self.is_memory(target.value) and self.strategy is not None:
            kept, cell = self.memory_cell(target)
            return kept, ast.Subscript(cell.value, cell.slice, ast.Store()), memory_name(self.strategy, target.attr)
        if not self.is_game(target.value):
            raise self.refuse(target, f".{target.attr}, which can't be compiled")
        declared: Any = getattr(self.cls, target.attr, None)
        if self.role == "strategy" or isinstance(declared, Param):
            raise self.refuse(
                target, f"{self.game_name}.{target.attr} = ...; a strategy only reads, and parameters stay as they are"
            )
        if isinstance(declared, Tally):
            raise ReadsTally(str(self.refuse(target, f"the tally {target.attr} other than by += or, for a Peak, max")))
        if not isinstance(declared, Int | Flag):
            raise self.refuse(target, f"self.{target.attr}, which is not declared as a number")
        return declared, _slot(target.attr, ast.Store()), target.attr

    def row_to_change(self, target: ast.Subscript) -> tuple[Row, ast.expr]:
        row = self.row(target.value)
        if isinstance(target.slice, ast.Slice):
            raise self.refuse(target, REFUSED[ast.Slice])
        if row is None or row[0].field is None or (self.role == "strategy" and not row[0].limits.startswith("_m")):
            raise self.refuse(target, "a number of something other than a row that is set")
        return row

    def checked(
        self, declared: Field | None, limits: str, interval: Interval, value: ast.expr, cell: ast.expr
    ) -> ast.expr:
        """A value that is stored, noticed where it is outside the declared range, or falls where it should grow."""
        assert declared is not None
        low, high = reach_of(declared.low)[1], reach_of(declared.high)[0]
        ends: list[ast.expr] = [
            ast.Constant(size) if isinstance(size, int) else _slot(f"_{end}_{limits}", ast.Load())
            for end, size in (("low", declared.low), ("high", declared.high))
        ]
        if declared.grows:
            old = copy(cell)
            old.ctx = ast.Load()  # type: ignore[attr-defined]
            return ast.Call(_shared("growing"), [_name("_g"), value, old, *ends], [])
        if low <= interval.low and interval.high <= high:
            return value
        return ast.Call(_shared("within"), [_name("_g"), value, *ends], [])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        counted = self.tally(node.target)
        if counted is not None:
            return self.counting(counted, node)
        by = self.interval(node.value)
        if isinstance(node.target, ast.Name):
            old = self.interval(node.target)
            value = self.number(node.value)
            made = ast.BinOp(_name(_local(node.target.id)), node.op, value)
            if is_small_step(node.op, by):
                return _assigned(_local(node.target.id), made)
            return _assigned(_local(node.target.id), self.operation(node.op, old, by, made.left, value))
        old, found = self.interval(node.target), list[ast.stmt]()
        if isinstance(node.target, ast.Attribute):
            declared, cell, limits = self.cell(node.target)
        elif isinstance(node.target, ast.Subscript):
            row, base = self.row_to_change(node.target)
            at = self.temporary()
            found.append(_assigned(at, self.index(row, base, node.target.slice)))
            assert row.field is not None
            declared, limits, cell = row.field, row.limits, ast.Subscript(base, _name(at), ast.Store())
        else:
            raise self.refuse(node, "a target that can't be compiled")
        before: Any = copy(cell)
        before.ctx = ast.Load()
        new = self.operation(node.op, old, by, before, self.number(node.value))
        interval = combined(node.op, old, by).cut
        return [*found, ast.Assign([cell], self.checked(declared, limits, interval, new, cell), lineno=node.lineno)]

    def counting(self, counted: Tally, node: ast.AugAssign) -> ast.stmt:
        """``self.turns += 1``."""
        if isinstance(counted, Peak) or not isinstance(node.op, ast.Add | ast.Sub):
            raise ReadsTally(str(self.refuse(node, f"the tally {counted.name} other than by += or, for a Peak, max")))
        by, value, slot = self.interval(node.value), self.number(node.value), _slot(counted.name, ast.Load())
        new: ast.expr = ast.BinOp(slot, node.op, value)
        if not is_small_step(node.op, by):
            new = _tallied(ast.Call(_shared(NOTICING[type(node.op)]), [_name("_g"), slot, value], []))
        return ast.Assign([_slot(counted.name, ast.Store())], new, lineno=node.lineno)

    def raised(self, node: ast.Assign) -> ast.Assign | None:
        """``self.best = max(self.best, ...)`` for a `Peak`, the only way in which one is read."""
        peak, call = self.tally(node.targets[0]), node.value
        if not isinstance(peak, Peak) or not self.is_builtin(call, "max") or len(node.targets) > 1:
            return None
        assert isinstance(call, ast.Call)
        itself = [argument for argument in call.args if self.tally(argument) is peak]
        if len(call.args) != 2 or len(itself) != 1 or call.keywords:
            return None
        other = call.args[1] if itself[0] is call.args[0] else call.args[0]
        interval, value = self.interval(other), self.number(other)
        if interval.most > MOST_TALLY:
            value = _tallied(value)
        highest = ast.Call(_name("max"), [_slot(peak.name, ast.Load()), value], [])
        return ast.Assign([_slot(peak.name, ast.Store())], highest, lineno=node.lineno)

    def temporary(self) -> str:
        """A name that nothing else has."""
        self.temporaries += 1
        return f"_t{self.temporaries}"

    # calls -----------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.expr:
        func = node.func
        if isinstance(func, ast.Attribute):
            return self.method_call(node, func)
        if not isinstance(func, ast.Name) or func.id in self.locals:
            raise self.refuse(node, "a call that can't be compiled")
        target = self.globals.get(func.id, getattr(builtins, func.id, None))
        if target is throw or target is ask:
            return self.step(node, target)
        if isinstance(target, type) and issubclass(target, enum.IntEnum):
            return self.member(node, target)
        if isinstance(target, FunctionType):
            return self.helper_call(node, target)
        if target is sorted:
            raise self.refuse(node, "sorted as a whole; use its numbers: a, b, c = sorted((x, y, z))")
        if func.id not in BUILTINS or getattr(builtins, func.id) is not target:
            raise self.refuse(node, f"{func.id}, which can't be compiled")
        return self.builtin_call(node, func.id)

    def member(self, node: ast.Call, owner: type[enum.IntEnum]) -> ast.expr:
        """``Move(n)``, which is noticed where there is no such member."""
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(node, f"{owner.__name__} of other than one number")
        members = ast.Tuple([ast.Constant(int(member)) for member in owner], ast.Load())
        return ast.Call(_shared("one_of"), [_name("_g"), self.number(node.args[0]), members], [])

    def builtin_call(self, node: ast.Call, name: str) -> ast.expr:
        """A builtin function of whole numbers."""
        most = MOST_ARGUMENTS.get(name, 99)
        if node.keywords or not 1 <= len(node.args) <= most:
            raise self.refuse(node, f"{name} with other arguments than can be compiled")
        first, fits = node.args[0], self.interval(node)
        row = self.row(first)
        if len(node.args) == 1 and row is not None and name in ("max", "min", "sum", "len"):
            return self.of_row(name, row, first)
        low = self.interval(first).low
        if name == "sum" and not fits.fits:
            raise self.refuse(node, "sum of numbers that may outgrow 64 bits")
        if name in ("divmod", "abs") and low == ANY.low:
            raise self.refuse(node, f"{name} of a number that may have all 64 bits")
        if name in ("max", "min", "sum", "len", "enumerate", "zip") and (
            len(node.args) == 1 or name in ("enumerate", "zip")
        ):
            return ast.Call(_name(name), [self.sequence(argument) for argument in node.args], [])
        if name == "bool":
            return ast.Call(_name(name), [self.visit(first)], [])
        arguments = [self.number(argument) for argument in node.args]
        return ast.Call(_name("int" if name == "round" else name), arguments, [])

    def of_row(self, name: str, row: tuple[Row, ast.expr], node: ast.expr) -> ast.expr:
        if name == "len":
            return ast.Attribute(row[1], "size", ast.Load())
        interval, field = self.interval(node), row[0].field
        longest = reach_of(field.length)[1] if field is not None else 2**16
        if name == "sum" and interval.most * longest >= 2**63:
            return ast.Call(_shared("row_sum_noticed"), [_name("_g"), row[1]], [])
        return ast.Call(_shared(f"row_{name}"), [row[1]], [])

    def argument(self, node: ast.expr) -> ast.expr:
        """An argument of a rule; a constant in a form for which Numba does not compile the rule once more."""
        value: ast.expr = self.visit(node)
        if isinstance(value, ast.Constant):
            return ast.Call(_name("bool" if isinstance(value.value, bool) else "int"), [value], [])
        return value

    def arguments(self, nodes: Sequence[ast.expr]) -> tuple[list[ast.expr], tuple[tuple[int, Row], ...]]:
        """The arguments of a rule, and which of them are rows."""
        found, rows = list[ast.expr](), list[tuple[int, Row]]()
        for i, node in enumerate(nodes):
            row = self.row(node)
            if row is not None:
                rows.append((i, row[0]))
            found.append(row[1] if row is not None else self.argument(node))
        return found, tuple(rows)

    def named(self, node: ast.Call) -> list[ast.keyword]:
        """Arguments of a rule that are given by name."""
        if any(keyword.arg is None for keyword in node.keywords):
            raise self.refuse(node, REFUSED[ast.Starred])
        return [ast.keyword(_local(str(k.arg)), self.argument(k.value)) for k in node.keywords]

    def method_call(self, node: ast.Call, func: ast.Attribute) -> ast.expr:
        row = self.row(func.value)
        if row is not None and func.attr in ("index", "count") and len(node.args) == 1 and not node.keywords:
            first = [] if func.attr == "count" else [_name("_g")]
            return ast.Call(_shared(f"row_{func.attr}"), [*first, row[1], self.number(node.args[0])], [])
        if self.is_game(func.value):
            method: object = getattr(self.cls, func.attr, None)
        elif (
            isinstance(func.value, ast.Call) and isinstance(func.value.func, ast.Name) and func.value.func.id == "super"
        ):
            method = parent_method(self.cls, self.rule, func.attr)
        else:
            raise self.refuse(node, f".{func.attr}(), which can't be compiled")
        if isinstance(method, Throw | Decision):
            raise self.refuse(node, f"self.{func.attr}() as a method; return throw(...) or ask(...) from next instead")
        if method is None:
            raise self.refuse(node, f"self.{func.attr}(), which is not defined")
        if isinstance(method, FunctionType) and method.__code__.co_flags & inspect.CO_VARARGS:
            raise self.refuse(
                node, f"self.{func.attr}(), which takes *{method.__code__.co_varnames[-1]}; name each value"
            )
        arguments, rows = self.arguments(node.args)
        name = self.owner.function(method, "game", rows=rows)
        return ast.Call(_name(name), [*_names(self.layout.arguments), *arguments], self.named(node))

    def helper_call(self, node: ast.Call, target: FunctionType) -> ast.expr:
        """A call of a function of the file; its first argument may be the game."""
        with_game = bool(node.args) and self.is_game(node.args[0])
        arguments, rows = self.arguments(node.args[1:] if with_game else node.args)
        name = self.owner.function(target, "game" if with_game else "plain", rows=rows)
        first = _names(self.layout.arguments) if with_game else [_name("_g")]
        return ast.Call(_name(name), first + arguments, self.named(node))

    def step(self, node: ast.Call, target: object) -> ast.expr:
        """``throw(self.cup, n)`` and ``ask(self.choice, seat)`` as the integers that they return."""
        kind = node.args[0] if node.args else None
        named = isinstance(kind, ast.Attribute) and self.is_game(kind.value)
        declared = getattr(self.cls, kind.attr, None) if isinstance(kind, ast.Attribute) and named else None
        if target is throw and isinstance(declared, Throw) and not node.keywords and len(node.args) <= 2:
            if len(node.args) == 1:
                return ast.Constant(throw(declared))
            self.owner.always_all = False
            return ast.Call(_shared("step_throw"), [ast.Constant(declared.index), self.visit(node.args[1])], [])
        if target is ask and isinstance(declared, Decision) and not node.keywords and len(node.args) == 2:
            return ast.Call(_shared("step_ask"), [ast.Constant(declared.index), self.visit(node.args[1])], [])
        raise self.refuse(node, "throw or ask in a form other than throw(self.kind, dice) and ask(self.kind, seat)")


NOTICING: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "quotient",
    ast.Mod: "remainder",
    ast.LShift: "shifted_left",
    ast.RShift: "shifted_right",
    ast.Pow: "power",
    ast.BitAnd: "both_bits",
    ast.BitOr: "either_bits",
    ast.BitXor: "unequal_bits",
}
"""Functions of `dicelab.engines.jit` that do what an operation does, and notice where 64 bits don't suffice."""
MOST_SORTED = 8
"""Numbers that are sorted at once, at the most."""
MOST_ARGUMENTS = {
    "abs": 1,
    "bool": 1,
    "divmod": 2,
    "enumerate": 2,
    "int": 1,
    "len": 1,
    "range": 3,
    "round": 1,
    "sum": 1,
}


def _bound(tree: ast.FunctionDef) -> dict[str, int]:
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


def _only_names(target: ast.expr) -> bool:
    """Are only variables given a value?"""
    return all(isinstance(part, ast.Name | ast.Tuple | ast.expr_context) for part in ast.walk(target))


def _assigned(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)


def _tallied(value: ast.expr) -> ast.expr:
    """A tally's new value, noticed where it is larger than tallies may be."""
    ends: list[ast.expr] = [ast.Constant(-MOST_TALLY), ast.Constant(MOST_TALLY)]
    return ast.Call(_shared("within"), [_name("_g"), value, *ends], [])


def _local(name: str) -> str:
    """A variable of a rule in a kernel."""
    return f"v_{name}"


def _slot(name: str, ctx: ast.expr_context) -> ast.Attribute:
    return ast.Attribute(_name("_g"), name, ctx)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _shared(name: str) -> ast.Attribute:
    """A function of `dicelab.engines.jit`, under a name that no rule uses."""
    return ast.Attribute(_name("_jit"), name, ast.Load())


def _names(arguments: list[str]) -> list[ast.expr]:
    return [_name(a) for a in arguments]
