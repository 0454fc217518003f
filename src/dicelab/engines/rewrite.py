"""Rewrites the syntax tree of one rule into a function over flat numbers; see `dicelab.engines.translate`."""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
from collections.abc import Callable
from functools import reduce
from types import FunctionType
from typing import TYPE_CHECKING, Any

from dicelab.errors import DicelabError
from dicelab.rules.fields import Field, Flag, Int, Ints, Peak, Tally, fields_of
from dicelab.rules.game import Strategy
from dicelab.rules.params import Param, Switch
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


def memory_arguments(strategy: Strategy) -> list[str]:
    """Arguments that carry a strategy's memory: the seat, then an array over the seats for each field."""
    if strategy.memory is None:
        return []
    return ["_seat", *(f"_m_{strategy.name}_{f.name}" for f in fields_of(strategy.memory, Field))]


class Rewriter(ast.NodeTransformer):
    """Rewrites one function."""

    def __init__(self, owner: Translation, rule: FunctionType, role: str, strategy: Strategy | None) -> None:
        self.owner = owner
        self.layout = owner.layout
        self.cls = owner.layout.game
        self.rule = rule
        self.role = role
        self.strategy = strategy
        names = list(rule.__code__.co_varnames[: rule.__code__.co_argcount])
        self.game_name = names[0] if role != "plain" and names else None
        self.memory_name = names[1] if strategy is not None and strategy.memory is not None else None
        self.guarded = role != "plain"
        """No index in it can be outside without being noticed, so that Numba need not look at each."""
        self.star = rule.__code__.co_varnames[len(names)] if rule.__code__.co_flags & inspect.CO_VARARGS else None
        self.locals = set(rule.__code__.co_varnames) | set(rule.__code__.co_cellvars)
        self.globals: dict[str, Any] = dict(rule.__globals__)
        for free, cell in zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True):
            self.globals[free] = cell.cell_contents

    def rewrite(self, tree: ast.FunctionDef, name: str) -> None:
        """Change the tree into that of a function of a kernel."""
        tree.name = name
        tree.decorator_list = []
        tree.returns = None
        arguments = tree.args
        if arguments.kwonlyargs or arguments.kwarg:
            raise self.refuse(tree, "keyword-only arguments")
        if arguments.vararg:  # ``*faces`` arrives as an array
            arguments.args.append(arguments.vararg)
            arguments.vararg = None
        for arg in [*arguments.posonlyargs, *arguments.args]:
            arg.annotation = None
        first = ["_g"]
        if self.game_name is not None:
            first = self.layout.arguments
            arguments.args = arguments.args[1:]
        if self.memory_name is not None and self.strategy is not None:
            first = first + memory_arguments(self.strategy)
            arguments.args = arguments.args[1:]
        arguments.args = [ast.arg(arg=a) for a in first] + arguments.args
        if ast.get_docstring(tree) is not None:
            tree.body = tree.body[1:] or [ast.Pass()]
        tree.body = [self.visit(statement) for statement in tree.body]

    def refuse(self, node: ast.AST, what: str) -> NotTranslatable:
        return NotTranslatable(f"{place(self.rule, getattr(node, 'lineno', None))}: {self.rule.__name__} uses {what}")

    def visit(self, node: ast.AST) -> Any:
        if type(node) in REFUSED:
            raise self.refuse(node, REFUSED[type(node)])
        if isinstance(node, ast.BinOp) and type(node.op) in REFUSED:
            raise self.refuse(node, REFUSED[type(node.op)])
        if isinstance(node, ast.FunctionDef):
            raise self.refuse(node, "a function inside a function")
        return super().visit(node)

    # names -----------------------------------------------------------------------------------------------------

    def is_game(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.game_name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in (self.game_name, self.memory_name):
            raise self.refuse(node, f"{node.id} as a whole; only its fields and methods can be compiled")
        if node.id in self.locals or not isinstance(node.ctx, ast.Load):
            return node
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
            return ast.parse(repr(int(value)), mode="eval").body
        if isinstance(value, tuple):
            return ast.Tuple([self.literal(v, node, name) for v in value], ast.Load())
        kind = type(value).__name__
        hint = "; use a tuple" if isinstance(value, list | dict | set) else ""
        raise self.refuse(node, f"{name}, a {kind}, which can't be compiled{hint}")

    # attributes ------------------------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if self.is_game(node.value):
            return self.game_attribute(node)
        if isinstance(node.value, ast.Name) and node.value.id == self.memory_name:
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
        if isinstance(declared, Ints):
            return _name(f"_r_{name}")
        if isinstance(node.ctx, ast.Store) and (self.role == "strategy" or isinstance(declared, Param)):
            raise self.refuse(
                node, f"{self.game_name}.{name} = ...; a strategy only reads, and parameters stay as they are"
            )
        if isinstance(declared, Int | Flag | Param):
            slot = _slot(name, node.ctx)
            if isinstance(declared, Flag | Switch) and isinstance(node.ctx, ast.Load):
                return ast.Compare(slot, [ast.NotEq()], [ast.Constant(0)])
            return slot
        if declared is None:
            raise self.refuse(node, f"self.{name}, which is not declared")
        return self.literal(declared, node, f"self.{name}")

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An index of a row is unsigned, so that a negative one is out of bounds as in the reference engine.

        Where the game is at hand, one that is out of bounds is noted there, and takes the first number instead: that
        needs no branch. Kernels look at the note when a game is over, or before they keep what came of a throw.
        """
        row, table = self.is_row(node.value), self.table(node)
        if table is not None:
            size = ast.Attribute(_name(table), "size", ast.Load())
            index = ast.Call(_shared("nth"), [_name("_g"), self.visit(node.slice), size], [])
            return ast.Subscript(_name(table), index, ast.Load())
        self.generic_visit(node)
        if not row or self.game_name is None:
            self.guarded = False
        if row and not isinstance(node.slice, ast.Slice):
            size = ast.Attribute(node.value, "size", ast.Load())
            checked, noted = [node.slice], [_name("_g"), node.slice, size]
            known = self.game_name is not None
            node.slice = ast.Call(_shared("at" if known else "unsigned"), noted if known else checked, [])
        return node

    def table(self, node: ast.Subscript) -> str | None:
        """The name of an array that stands for a long tuple of the file, where one of its numbers is looked up."""
        if not isinstance(node.value, ast.Name) or node.value.id in self.locals or isinstance(node.slice, ast.Slice):
            return None
        values = self.globals.get(node.value.id)
        if not isinstance(values, tuple) or len(values) < TABLE or not all(type(value) is int for value in values):
            return None
        return self.owner.table(values)

    def visit_While(self, node: ast.While) -> ast.stmt:
        """A loop ends where an index was outside: it might otherwise wait for what never comes."""
        self.generic_visit(node)
        inside = ast.parse("_g._outside == 0", mode="eval").body
        if isinstance(node.test, ast.Constant):  # what follows such a loop can't be reached, and must not be
            node.body[:0] = ast.parse("if _g._outside != 0:\n    raise IndexError").body
        elif isinstance(node.test, ast.Compare):
            node.test = ast.BinOp(node.test, ast.BitAnd(), inside)
        else:
            node.test = ast.BoolOp(ast.And(), [node.test, inside])
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Comparisons that can't go wrong are made together, without a branch."""
        simple = all(isinstance(value, ast.Compare) and len(value.ops) == 1 for value in node.values) and not any(
            isinstance(part, ast.Subscript | ast.Call | ast.BinOp)
            for value in node.values[1:]
            for part in ast.walk(value)
        )
        self.generic_visit(node)
        if not simple:
            return node
        both = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
        return reduce(lambda left, right: ast.BinOp(left, both, right), node.values)

    def memory_attribute(self, node: ast.Attribute) -> ast.expr:
        assert self.strategy is not None and self.strategy.memory is not None
        declared = getattr(self.strategy.memory, node.attr, None)
        if not isinstance(declared, Field):
            raise self.refuse(node, f"{self.memory_name}.{node.attr}, which is not declared")
        cell = ast.Subscript(_name(f"_m_{self.strategy.name}_{node.attr}"), _name("_seat"), node.ctx)
        if isinstance(declared, Flag) and isinstance(node.ctx, ast.Load):
            return ast.Compare(cell, [ast.NotEq()], [ast.Constant(0)])
        return cell

    # tallies ---------------------------------------------------------------------------------------------------

    def tally(self, node: ast.AST) -> Tally | None:
        if isinstance(node, ast.Attribute) and self.is_game(node.value):
            declared = getattr(self.cls, node.attr, None)
            return declared if isinstance(declared, Tally) else None
        return None

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Invert) and isinstance(node.operand, ast.Compare):
            raise self.refuse(node, "~ of a yes or no; use not")
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        counted = self.tally(node.target)
        if counted is None or isinstance(counted, Peak) or not isinstance(node.op, ast.Add | ast.Sub):
            if isinstance(node.op, ast.Div):
                raise self.refuse(node, REFUSED[ast.Div])
            self.generic_visit(node)
            return node
        return ast.AugAssign(_slot(counted.name, ast.Store()), node.op, self.visit(node.value))

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        raised = self.raised(node)
        if raised is not None:
            return raised
        self.generic_visit(node)
        return node

    def raised(self, node: ast.Assign) -> ast.Assign | None:
        """``self.best = max(self.best, ...)`` for a `Peak`, the only way in which one is read."""
        peak, call = self.tally(node.targets[0]), node.value
        if not (isinstance(peak, Peak) and isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            return None
        itself = [argument for argument in call.args if self.tally(argument) is peak]
        if call.func.id != "max" or len(call.args) != 2 or len(itself) != 1:
            return None
        other = call.args[1] if itself[0] is call.args[0] else call.args[0]
        call.args = [_slot(peak.name, ast.Load()), self.visit(other)]
        return ast.Assign([_slot(peak.name, ast.Store())], call, lineno=node.lineno)

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
            converted: ast.expr = self.visit(node.args[0])
            return converted
        if isinstance(target, FunctionType):
            return self.helper_call(node, target)
        if func.id not in BUILTINS:
            raise self.refuse(node, f"{func.id}, which can't be compiled")
        if func.id in ("max", "min", "sum") and len(node.args) == 1 and self.is_row(node.args[0]):
            return ast.Call(_shared(f"row_{func.id}"), [self.visit(node.args[0])], [])
        node.args = [self.visit(a) for a in node.args]
        return node

    def argument(self, node: ast.expr) -> ast.expr:
        """An argument of a rule; a constant in a form for which Numba does not compile the rule once more."""
        value: ast.expr = self.visit(node)
        if isinstance(value, ast.Constant):
            return ast.Call(_name("bool" if isinstance(value.value, bool) else "int"), [value], [])
        return value

    def is_row(self, node: ast.expr) -> bool:
        """Is this a row of the game or of a memory, or the ``*faces`` of a throw?"""
        if isinstance(node, ast.Name):
            return node.id == self.star
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            return False
        if self.strategy is not None and node.value.id == self.memory_name:
            return isinstance(getattr(self.strategy.memory, node.attr, None), Ints)
        return self.is_game(node.value) and isinstance(getattr(self.cls, node.attr, None), Ints)

    def method_call(self, node: ast.Call, func: ast.Attribute) -> ast.expr:
        arguments = [self.argument(a) for a in node.args]
        keywords = [ast.keyword(k.arg, self.argument(k.value)) for k in node.keywords]
        if self.is_row(func.value) and func.attr in ("index", "count"):
            return ast.Call(_shared(f"row_{func.attr}"), [self.visit(func.value), *arguments], [])
        if self.is_game(func.value):
            method = getattr(self.cls, func.attr, None)
        elif (
            isinstance(func.value, ast.Call) and isinstance(func.value.func, ast.Name) and func.value.func.id == "super"
        ):
            method = self.parent_method(func.attr)
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
        name = self.owner.function(method, "game")
        return ast.Call(_name(name), [*_names(self.layout.arguments), *arguments], keywords)

    def parent_method(self, name: str) -> Callable[..., object] | None:
        """What ``super().name`` means in the class in which this function is written."""
        order = self.cls.__mro__
        written = [{getattr(member, "rule", member) for member in _functions(base)} for base in order]
        here = next((i for i, rules in enumerate(written) if self.rule in rules), 0)
        return next((vars(base)[name] for base in order[here + 1 :] if name in vars(base)), None)

    def helper_call(self, node: ast.Call, target: FunctionType) -> ast.expr:
        """A call of a function of the file; its first argument may be the game."""
        with_game = bool(node.args) and self.is_game(node.args[0])
        name = self.owner.function(target, "game" if with_game else "plain")
        rest = [self.argument(a) for a in (node.args[1:] if with_game else node.args)]
        first = _names(self.layout.arguments) if with_game else [_name("_g")]
        return ast.Call(_name(name), first + rest, [ast.keyword(k.arg, self.argument(k.value)) for k in node.keywords])

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


def _functions(base: type) -> list[object]:
    """What a class itself defines: its functions, and its kinds of throws and choices, which hold one each."""
    return [member for member in vars(base).values() if isinstance(member, FunctionType | Throw | Decision)]


def _slot(name: str, ctx: ast.expr_context) -> ast.Attribute:
    return ast.Attribute(_name("_g"), name, ctx)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _shared(name: str) -> ast.Attribute:
    """A function of `dicelab.engines.jit`, under a name that no rule uses."""
    return ast.Attribute(_name("_jit"), name, ast.Load())


def _names(arguments: list[str]) -> list[ast.expr]:
    return [_name(a) for a in arguments]
