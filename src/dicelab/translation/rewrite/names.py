"""Rewrites names in a rule: variables, constants of the file, fields, parameters, rows.

`Names` is the base class of the visitor that rewrites a rule; see `dicelab.translation.rewrite.rewriter`.
"""

from __future__ import annotations

import ast
import builtins
import enum
import functools
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

from dicelab.rules.fields import MOST_COUNTED, Field, Flag, Grid, Int, Ints, Peak, Tally
from dicelab.rules.game import Game
from dicelab.rules.params import Param, Switch
from dicelab.translation.constants import CHANCES, constant_refusal, is_chance
from dicelab.translation.entries import RuleFunction, Scope
from dicelab.translation.infer.kinds import CHANGING, MIXED
from dicelab.translation.intervals import NumberInterval
from dicelab.translation.translator import (
    READS,
    RECALLS,
    BreaksContract,
    Effect,
    NotTranslatable,
    ReadsTally,
    RuleRow,
    Translation,
    memory_name,
    place,
)

FACES_SEEN = RuleRow(None, "")
BUILTINS = {"abs", "bool", "divmod", "enumerate", "int", "len", "max", "min", "range", "round", "sum", "zip"}
MADE_NAME = re.compile(r"\b_[a-z]+_\d+\b")
"""A name that lowering gave to something."""
REFUSED: dict[type[ast.AST], str] = {
    ast.GeneratorExp: "a generator that is kept, or given to a function; write list(...)",
    ast.ListComp: "a comprehension that sets a variable for what is outside it; set it in a loop",
    ast.SetComp: "a comprehension that sets a variable for what is outside it; set it in a loop",
    ast.DictComp: "a comprehension that sets a variable for what is outside it; set it in a loop",
    ast.Lambda: "a lambda other than as key=; write a method",
    ast.Try: "try",
    ast.With: "with",
    ast.JoinedStr: "text; rules are whole numbers only",
    ast.Div: "/, which leaves the whole numbers; use //",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.List: "a list of something other than whole numbers",
    ast.Slice: "a slice of something other than a row, list or tuple",
    ast.Raise: "raise; return a move, or a sentence from refuse, that says so",
    ast.Import: "an import inside a rule; import at the top of the file",
    ast.ImportFrom: "an import inside a rule; import at the top of the file",
    ast.Is: "is; compare with ==",
    ast.IsNot: "is not; compare with !=",
    ast.MatMult: "@",
    ast.Await: "await",
    ast.Starred: "*; name each value",
}


class Names(Scope, ast.NodeTransformer, ABC):
    """Base class of the visitor: the function that is rewritten, and the meaning of its names.

    Parameters
    ----------
    owner
        The translation to which the function belongs.
    translated, rows
        As in `Translation.translate`.
    """

    def __init__(
        self,
        owner: Translation,
        translated: RuleFunction,
        rows: tuple[tuple[int, RuleRow], ...] = (),
        given: tuple[tuple[str, Any], ...] = (),
    ) -> None:
        super().__init__(owner.game, translated)
        self.owner = owner
        self.kinds = owner.kinds(translated, given)
        self.boxed: set[str] = set()
        """Variables that are set inside expressions, each held in an array."""
        self.rows: dict[str, tuple[RuleRow, ast.expr]] = {
            [*self.names, self.star or ""][i]: (row, named_as(local_name([*self.names, self.star or ""][i])))
            for i, row in rows
        }
        if self.star is not None and self.star not in dict(given) and self.star not in self.rows:
            self.rows[self.star] = FACES_SEEN, named_as(local_name(self.star))
        self.sorted: dict[str, int] = {}
        """Variables that hold sorted numbers, and their number."""
        self.temporaries = 0
        self.unset: set[str] = set()
        """Variables that may be read before they have a value."""
        self.bound: dict[str, int] = {}
        """Number of places at which each variable gets a value."""

    @abstractmethod
    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return the rewritten statements; one statement may become several."""

    def refuse(self, node: ast.AST, what: str) -> NotTranslatable:
        written = RENAMED.sub(r"\1", UNPACKED.sub("the list that is unpacked", what))
        return NotTranslatable(f"{self.place(node)}: {self.rule.__name__} uses {written}")

    def breaks(self, node: ast.AST, reason: str) -> NotTranslatable:
        """Return an error whose sentence says on its own what is wrong."""
        return BreaksContract(f"{self.place(node)}: {reason}")

    def unknown(self, node: ast.AST, what: str) -> NotTranslatable:
        """Return the error about a name, an attribute or a call that isn't in the language, as helpful as possible."""
        func = node.func if isinstance(node, ast.Call) else node
        if isinstance(func, ast.Name):
            value = self.named(func.id) or getattr(builtins, func.id, None)
            made = self.of_python(node, value, func.id, func.id) if func.id not in self.locals else None
            return made or self.refuse(node, what)
        if not isinstance(func, ast.Attribute):
            return self.refuse(node, what)
        if func.attr.startswith("__"):
            return NotTranslatable(f"{self.place(node)}: .{func.attr} {AROUND}")
        owner = self.named(func.value.id) if isinstance(func.value, ast.Name) else None
        if isinstance(owner, ModuleType):
            name = f"{owner.__name__}.{func.attr}"
            made = self.of_python(node, getattr(owner, func.attr, None), func.attr, name)
            return made or self.refuse(node, f"{name}, which rules can't use")
        refused = constant_refusal(owner, shared=True)
        if refused and isinstance(func.value, ast.Name):
            return NotTranslatable(f"{self.place(node)}: {func.value.id} is {refused}")
        root: ast.AST = func.value
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        is_own = isinstance(root, ast.Name) and root.id in self.locals - {self.game_name}
        if (
            func.attr in CHANGING
            and isinstance(node, ast.Call)
            and isinstance(root, ast.Call | ast.Name)
            and not is_own
        ):
            return self.breaks(node, f".{func.attr}() {OUTLIVES}")
        return self.refuse(node, what)

    def of_python(self, node: ast.AST, value: Any, name: str, written: str) -> NotTranslatable | None:
        """Return the error about something of Python, or of a module, that rules must not use; None for others."""
        if value is not None and is_chance(value) and value not in CHANCES:
            instead = "it gives something else each time; declare rolls of dice with @thrown"
            return self.breaks(node, f"{written} can't be used: {instead}")
        reason = why_not(value, name)
        if any(value is one for one in (print, open, input, breakpoint)):
            return self.breaks(node, f"{written} {reason}")
        if reason:
            return NotTranslatable(f"{self.place(node)}: {written} {reason}")
        return None

    def shown(self, node: ast.AST) -> str:
        """Return an expression for a message, as it is written; "this" if parts of it were lifted out."""
        text = ast.unparse(node)
        return "this" if MADE_NAME.search(text) else text if len(text) <= 60 else f"{text[:57]}..."

    def place(self, node: ast.AST) -> str:
        """Return file, line and function of a syntax tree, as the beginning of a message."""
        first = self.rule.__code__.co_firstlineno  # what was lowered may have lines of its own
        return f"{place(self.rule, max(getattr(node, 'lineno', 0), first))}, in {self.rule.__name__}"

    def note(self, kind: str, name: str, node: ast.AST, part: str = "") -> None:
        """Record an effect of the function."""
        self.owner.note(Effect(kind, name, part), self.place(node))

    def note_reads(self, tree: ast.AST) -> None:
        """Record which fields the function reads, and which part of a row, before its tree is rewritten."""
        parts: dict[int, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Subscript):
                parts[id(node.value)] = ast.unparse(node.slice)
            if isinstance(node, ast.Attribute) and isinstance(self.field(node), Field | Param):
                kind = RECALLS if self.is_memory(node.value) else READS
                declared, is_set = self.field(node), not isinstance(node.ctx, ast.Load)
                if not is_set and not isinstance(declared, Tally):
                    part = parts.get(id(node), "") if isinstance(declared, Ints) else ""
                    self.note(kind, node.attr, node, part)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
                declared = self.field(node.target)
                if isinstance(declared, Field) and not isinstance(declared, Tally):
                    self.note(RECALLS if self.is_memory(node.target.value) else READS, node.target.attr, node)

    def visit(self, node: ast.AST) -> Any:
        if type(node) in REFUSED:
            raise self.refuse(node, REFUSED[type(node)])
        if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in REFUSED:
            raise self.refuse(node, REFUSED[type(node.op)])
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            raise self.refuse(node, "a function inside a function that is used other than by calling it")
        return super().visit(node)

    def interval(self, node: ast.AST) -> NumberInterval:
        """Return the interval of an expression of the rule, which must not have been rewritten yet."""
        return self.owner.ranges.of(self.translated, node)

    # names -----------------------------------------------------------------------------------------------------

    def variable(self, name: str) -> ast.expr:
        """Return a read of a variable; if it may have no value, the kernel checks that."""
        if name not in self.unset:
            return named_as(local_name(name))
        return noting("given", named_as(given_name(name)), named_as(local_name(name)))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in (self.game_name, self.memory_name):
            raise self.refuse(node, f"{node.id} as a whole; only its fields and methods can be compiled")
        if isinstance(node.ctx, ast.Load) and node.id in self.rows:
            raise self.refuse(node, f"{node.id}, a row, as a whole; use its numbers")
        if self.kinds.variables.get(node.id) is MIXED and node.id in self.locals:
            raise self.refuse(node, f"{node.id} for values of several kinds; use two names")
        if not isinstance(node.ctx, ast.Load):
            if node.id in self.rows or node.id in self.sorted:
                raise self.refuse(node, f"{node.id} for a row or sorted numbers, and for something else; use two names")
            return ast.Name(local_name(node.id), node.ctx)
        if node.id in self.locals:
            return self.variable(node.id)
        if node.id not in self.globals:
            is_known = hasattr(builtins, node.id)
            raise self.unknown(node, f"{node.id}, which {'rules can not use' if is_known else 'is not defined'}")
        return self.literal(self.globals[node.id], node, node.id)

    def literal(self, value: object, node: ast.AST, name: str) -> ast.expr:
        """Return a constant of the file as a literal."""
        if isinstance(value, int) and is_plain_number(value):
            return self.number(int(value), node, name)
        if isinstance(value, str):
            return ast.Constant(self.owner.text_number(value))
        if isinstance(value, tuple) and is_plain_tuple(value):
            return ast.Tuple([self.part_of(v, node, name) for v in value], ast.Load())
        if is_dataclass(value) and not isinstance(value, type):
            parts = [self.part_of(getattr(value, f.name), node, name) for f in fields(value)]
            return ast.Tuple(parts, ast.Load())
        if isinstance(value, list):
            return self.literal(tuple(value), node, name)
        kind = type(value).__name__
        hint = "; use a tuple" if isinstance(value, list | dict | set) else ""
        raise self.refuse(node, f"{name}, a {kind}, which can't be compiled{hint}")

    def part_of(self, value: object, node: ast.AST, name: str) -> ast.expr:
        """Return a part of a constant; a text, which no rule may read, is 0."""
        if isinstance(value, str):
            return ast.Constant(self.owner.text_number(value))
        return ast.Constant(0) if value is None else self.literal(value, node, name)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str):
            return ast.Constant(self.owner.text_number(node.value))
        if not isinstance(node.value, int):
            said = repr(node.value)
            raise self.refuse(node, f"{said}; rules that are compiled are whole numbers only")
        return self.number(int(node.value), node, str(node.value))

    def number(self, value: int, node: ast.AST, name: str) -> ast.expr:
        """Return a constant, which must fit into 64 bits."""
        if not -(2**63) <= value < 2**63:
            raise self.refuse(node, f"{name}, a number of more than 64 bits")
        if value == -(2**63):  # Numba reads this literal as minus 2**63, and takes 2**63 for unsigned
            return shared("LEAST")
        return ast.parse(repr(value), mode="eval").body

    def members(self, node: ast.AST) -> tuple[int, ...] | None:
        """Return the members of an IntEnum if the expression is its name; else None."""
        owner = self.named(node.id) if isinstance(node, ast.Name) else None
        return tuple(map(int, owner)) if isinstance(owner, type) and issubclass(owner, enum.IntEnum) else None

    # rows ------------------------------------------------------------------------------------------------------

    def row(self, node: ast.AST) -> tuple[RuleRow, ast.expr] | None:
        """Return the row that an expression refers to, and the expression for it in a kernel; None
        if it isn't a row.
        """
        if isinstance(node, ast.Name):
            return self.rows.get(node.id)
        if isinstance(node, ast.Subscript) and self.is_grid(node.value):
            return self.line(node)
        declared = self.field(node)
        if not isinstance(declared, Ints) or not isinstance(node, ast.Attribute):
            return None
        if self.is_game(node.value) or self.strategy is None:
            return RuleRow(declared, node.attr), named_as(f"_r_{node.attr}")
        name = memory_name(self.strategy, node.attr)
        return RuleRow(declared, name), ast.Subscript(named_as(name), named_as("_seat"), ast.Load())

    def is_grid(self, node: ast.AST) -> bool:
        """Return whether an expression is a `Grid` of the game: ``self.board``."""
        return isinstance(self.field(node), Grid)

    def must_be_line(self, node: ast.AST) -> None:
        """Refuse a row of rows where a row of numbers is needed."""
        if self.is_grid(node):
            raise self.refuse(node, "a row of rows as a whole; use its rows: self.board[i]")

    def line(self, node: ast.Subscript) -> tuple[RuleRow, ast.expr]:
        """Return one row of a `Grid`."""
        grid = self.row(node.value)
        assert grid is not None
        if isinstance(node.slice, ast.Slice):
            raise self.refuse(node, REFUSED[ast.Slice])
        columns = self.columns(grid[0])
        first = noting("line", self.own(grid[0], self.visit(node.slice)), size_of(grid[1]), columns)
        rest = ast.Subscript(grid[1], ast.Slice(first, None), ast.Load())
        return grid[0], ast.Subscript(rest, ast.Slice(None, columns), ast.Load())

    def own(self, row: RuleRow | None, seat: ast.expr) -> ast.expr:
        """Return an index by seat of a row; of a watched private one it is checked while strategies choose."""
        return noting("own", seat) if row is not None and row.limits in self.owner.layout.watched else seat

    def columns(self, row: RuleRow) -> ast.expr:
        """Return the number of columns of a `Grid`."""
        assert isinstance(row.field, Grid)
        size = row.field.columns
        return ast.Constant(size) if isinstance(size, int) else slot_of(f"_columns_{row.limits}", ast.Load())

    def is_builtin(self, node: ast.AST, name: str) -> bool:
        """Return whether this is a call of the builtin function `name`."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name):
            return False
        return name not in self.locals and name not in self.globals

    # attributes ------------------------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if self.row(node) is not None:
            raise self.refuse(node, f"{node.attr}, a row, as a whole; use its numbers")
        if self.is_game(node.value):
            return self.game_attribute(node)
        if self.is_memory(node.value):
            return self.memory_cell(node)[1]
        constant = self.constant_of(node)
        if constant is None and node.attr == "value" and isinstance(member := self.constant_of(node.value), enum.Enum):
            constant = member
        if constant is not None:
            return self.literal(constant, node, node.attr)
        raise self.unknown(node, f".{node.attr}, which rules can't use")

    def constant_of(self, node: ast.AST) -> object:
        """Return the constant that ``self.NAME``, ``TheGame.NAME`` or ``Move.BANK`` refers to; None
        for anything else.
        """
        value, owner = self.of_class(node)
        if owner is None and isinstance(node, ast.Attribute) and self.is_game(node.value):
            value, owner = self.field(node), self.cls
        is_known = owner is not None and (issubclass(owner, Game | enum.IntEnum) or type(owner) is type)
        return value if is_known and isinstance(value, int | tuple) else None

    def is_flag(self, node: ast.AST) -> bool:
        """Return whether this is a `Flag` or `Switch` of the game or of a memory."""
        return isinstance(self.field(node), Flag | Switch)

    def game_attribute(self, node: ast.Attribute) -> ast.expr:
        name, fetched = node.attr, self.fetched(node)
        if fetched is not None:
            made = self.owner.translate(RuleFunction(fetched, "game"))
            return ast.Call(named_as(made), [named_as(part) for part in self.owner.arguments], [])
        declared = getattr(self.cls, name, None)
        if isinstance(declared, Tally):
            raise ReadsTally(str(self.breaks(node, f"the tally {name} is read; {counting(declared)}")))
        if isinstance(declared, Int | Flag | Param):
            return slot_of(name, node.ctx)
        if declared is None:
            raise self.breaks(node, f"self.{name} is not declared")
        return self.literal(declared, node, f"self.{name}")

    def memory_cell(self, node: ast.Attribute) -> tuple[Field, ast.Subscript]:
        """Return the field of a memory, and the expression for its number for this seat."""
        assert self.strategy is not None and self.strategy.memory is not None
        declared = getattr(self.strategy.memory, node.attr, None)
        if not isinstance(declared, Field):
            raise self.breaks(
                node, f"the memory has no number {node.attr}; declare it as Int, Ints or Flag in its class"
            )
        return declared, ast.Subscript(named_as(memory_name(self.strategy, node.attr)), named_as("_seat"), node.ctx)

    def tally(self, node: ast.AST) -> Tally | None:
        declared = self.field(node)
        return declared if isinstance(declared, Tally) else None

    def temporary(self) -> str:
        """Return a new name for a temporary variable."""
        self.temporaries += 1
        return f"_t{self.temporaries}"


RENAMED, UNPACKED = re.compile(r"\b([A-Za-z]\w*?)__\d+\b"), re.compile(r"\b_all_\d+\b")
"""Names of variables that were split in two, or that hold a list while it is unpacked."""
OUTLIVES = "changes something that outlives the game; declare what changes as a field"
AROUND = "reaches around what is declared; use fields and methods by their names"


def why_not(value: Any, name: str) -> str:
    """Return why rules may not use something of Python, as the end of a sentence; "" for anything else."""
    if isinstance(value, functools._lru_cache_wrapper):
        return "is cached, and depends on more than numbers; write a plain function"
    if value is not getattr(builtins, name, value):
        return ""
    if value in (print, open, input, breakpoint):
        return "reads or writes; rules have no input and no output"
    if any(value is one for one in (id, hash, object, repr, str, ascii, format)):
        return "differs from run to run, or makes a text; rules calculate with numbers"
    if any(value is one for one in (vars, getattr, setattr, delattr, globals, locals, exec, eval, type, __import__)):
        return AROUND
    return ""


def counting(tally: Tally) -> str:
    """Return how a tally is counted, as part of a message."""
    name = tally.name
    if isinstance(tally, Peak):
        return f"a Peak is only raised, self.{name} = max(self.{name}, ...); keep what rules need in a field"
    return f"a tally is only counted, self.{name} += ...; keep what rules need in a field"


NUMBER_METHODS = [
    f"__{word}__" for word in ("add", "radd", "mul", "rmul", "eq", "lt", "int", "index", "bool", "invert")
]
TUPLE_METHODS = [f"__{word}__" for word in ("getitem", "len", "iter", "contains", "eq", "bool")]


def is_plain_number(value: int) -> bool:
    """Return whether arithmetic with a constant is that of ``int``; an IntFlag, or a class of the user, may differ."""
    kind = type(value)
    return kind in (int, bool) or (
        isinstance(value, enum.IntEnum)
        and all(getattr(kind, name, None) == getattr(int, name, None) for name in NUMBER_METHODS)
    )


def is_plain_tuple(value: tuple[Any, ...]) -> bool:
    """Return whether a constant behaves as a plain tuple: it is one, or a NamedTuple."""
    return all(getattr(type(value), name, None) == getattr(tuple, name, None) for name in TUPLE_METHODS)


def assigned(name: str, value: ast.expr) -> ast.Assign:
    """Translate ``name = value``."""
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)


def tallied(value: ast.expr) -> ast.expr:
    """Return a new value of a tally, checked against the limit of tallies."""
    ends: list[ast.expr] = [ast.Constant(-MOST_COUNTED), ast.Constant(MOST_COUNTED)]
    return noting("within", value, *ends)


def given_name(name: str) -> str:
    """Name of the kernel's variable that is 1 once a variable of a rule has a value."""
    return f"_given_{name}"


def local_name(name: str) -> str:
    """Name of a rule's variable in a kernel."""
    return f"v_{name}"


def noting(name: str, *given: ast.expr) -> ast.Call:
    """Return a call of a function of `dicelab.kernels.rule_support` that records in the game what is wrong."""
    return ast.Call(shared(name), [named_as("_g"), *given], [])


def size_of(row: ast.expr) -> ast.Attribute:
    """Return the length of a row."""
    return ast.Attribute(row, "size", ast.Load())


def slot_of(name: str, ctx: ast.expr_context) -> ast.Attribute:
    """Return a slot of the record of a game."""
    return ast.Attribute(named_as("_g"), name, ctx)


def named_as(name: str) -> ast.Name:
    """Return the expression that reads a name."""
    return ast.Name(name, ast.Load())


def shared(name: str) -> ast.Attribute:
    """Return a function of `dicelab.kernels.rule_support`, under a name that no rule uses."""
    return ast.Attribute(named_as("_rules"), name, ast.Load())
