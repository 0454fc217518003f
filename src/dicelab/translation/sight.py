"""What a strategy sees of private fields, shown by the translated functions before a game is played.

A strategy may read the numbers of its own seat in a private row by seat, and the length of such a row. The seat that
plays is what ``next`` gives to ``ask``; where that is always one expression of the state, such as ``self.player``, a
number is a seat's own if its index is the same expression. The functions that are looked at are those that kernels run:
they name every row and field that is read, also in what a strategy calls, so nothing is read in another way.

By itself because it only refuses, and is needed for games with private fields alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from dicelab.rules.fields import Grid, Ints
from dicelab.rules.game import Game

Bound = Mapping[str, ast.expr]
"""What variables of a function stand for, as expressions of the state."""
MOST_CALLS = 2000
"""Limit of the calls that are followed."""


@dataclass(frozen=True)
class Peek:
    """A read of a private field that a seat doesn't see: the field, the generated function, and the line.

    `by_seat` says whether the field is a row in which a seat sees only its own numbers.
    """

    name: str
    function: str
    line: int
    by_seat: bool


class Unclear(Exception):
    """Raised where the analysis can't say which seat chooses; the message says why."""


@dataclass
class Sight:
    """The reads of private fields in translated functions.

    Attributes
    ----------
    game
        The game.
    trees
        The translated functions by name.
    arguments
        The first arguments of every translated function: the record, then the rows.
    """

    game: type[Game]
    trees: Mapping[str, ast.FunctionDef]
    arguments: Sequence[str]
    _calls: int = field(default=0)

    def __post_init__(self) -> None:
        private = {name: f for name, f in self.game.declared.state.items() if f.private}
        self.single = {name for name, f in private.items() if not isinstance(f, Ints)}
        self.rows = {f"_r_{name}": f for name, f in private.items() if isinstance(f, Ints)}

    def asks(self, following: str, decision: int | None = None) -> dict[str, str]:
        """Return the expressions that ``next`` gives to ``ask``: in normal form, and as they are written.

        With `decision`, those with which this choice is asked for.
        """
        asks = self._asked(following, {})
        return {seat: text for index, seat, text in asks if decision is None or index == decision}

    def peeks(self, function: str, seat: str) -> Iterator[Peek]:
        """Yield what a function, and those that it calls, read that a seat, in normal form, does not see.

        For "" the seat is known only while a game is played: then numbers are its own whose index is checked.
        """
        self._calls, seen = 0, set[tuple[str, str]]()
        yield from self._read(function, {}, seat, seen)

    def _asked(self, name: str, bound: Bound) -> Iterator[tuple[int, str, str]]:
        """Yield what a function and those that it calls ask: the choice, the seat in normal form and as written."""
        tree = self.trees[name]
        known = _known(tree, bound)
        self._count()
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr == "step_ask":
                seat = _normal(node.args[1], known)
                assert isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, int)
                yield node.args[0].value, ast.dump(seat), _written(seat)
            elif isinstance(node.func, ast.Name) and node.func.id in self.trees:
                yield from self._asked(node.func.id, self._given(node, known))

    def _given(self, call: ast.Call, known: Bound) -> dict[str, ast.expr]:
        """Return what the arguments of a call stand for, by the names in the function that is called."""
        given = {name: _normal(value, known) for name, value in self._passed(call) if name not in self.arguments}
        return {name: value for name, value in given.items() if _is_of_state(value)}

    def _passed(self, call: ast.Call) -> list[tuple[str, ast.expr]]:
        """Return the arguments of a call, with their names in the function that is called."""
        assert isinstance(call.func, ast.Name)
        tree = self.trees[call.func.id]
        names = [argument.arg for argument in tree.args.args]
        if tree.args.vararg is not None or any(isinstance(one, ast.Starred) for one in call.args):
            raise Unclear(f"{tree.name} takes any number of arguments")
        defaults = tree.args.defaults
        given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        given |= dict(zip(names, call.args, strict=False))
        return list((given | {str(one.arg): one.value for one in call.keywords}).items())

    def _read(self, name: str, bound: Bound, seat: str, seen: set[tuple[str, str]]) -> Iterator[Peek]:
        """Yield the reads of a function, whose arguments stand for what `bound` says."""
        own = ",".join(sorted(argument for argument, value in bound.items() if ast.dump(value) == seat))
        if (name, own) in seen:
            return
        seen.add((name, own))
        self._count()
        tree = self.trees[name]
        known = _known(tree, bound)
        todo: list[tuple[ast.AST, int]] = [(node, tree.lineno) for node in tree.body]
        while todo:
            node, line = todo.pop()
            where = max(line, getattr(node, "lineno", line))  # what the translation has added has the line 1
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.trees:
                yield from self._read(node.func.id, self._given(node, known), seat, seen)
                todo += [(value, where) for name, value in self._passed(node) if not _is_named(value, name)]
                continue
            if self._is_length(node):
                continue
            own_index = self._own(node, known, seat)
            if own_index is not None:
                todo += [(one, where) for one in own_index]
                continue
            if isinstance(node, ast.Name) and node.id in self.rows:
                yield Peek(node.id.removeprefix("_r_"), name, where, self.rows[node.id].by_seat)
            match node:
                case ast.Attribute(value=ast.Name(id="_g"), attr=field):
                    if field in self.single:
                        yield Peek(field, name, where, False)
                case _:
                    todo += [(one, where) for one in ast.iter_child_nodes(node)]

    def _is_length(self, node: ast.AST) -> bool:
        """Return whether this is the length of a private row, which everybody knows."""
        if isinstance(node, ast.Attribute) and node.attr == "size":
            return isinstance(node.value, ast.Name) and node.value.id in self.rows
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            return isinstance(node.args[0], ast.Name) and node.args[0].id in self.rows
        return False

    def _own(self, node: ast.AST, known: Bound, seat: str) -> list[ast.AST] | None:
        """Return the other expressions in a read of a seat's own numbers; None for anything else."""
        if not isinstance(node, ast.Subscript):
            return None
        rest: list[ast.AST] = []
        place = _place_in_row(node)
        if place is None:
            return None
        row, index = place
        if not (isinstance(row, ast.Name) and row.id in self.rows and self.rows[row.id].by_seat):
            return None
        how = "at"
        if isinstance(self.rows[row.id], Grid):
            how = "line" if isinstance(node.slice, ast.Slice) else "cell"
        if isinstance(index, ast.Call) and _is_call(index, how):
            which, rest = index.args[1], list(index.args[2:])
        elif how != "at" or isinstance(index, ast.Slice):
            return None
        else:
            which = index
        is_checked = False
        if isinstance(which, ast.Call) and _is_call(which, "own"):
            is_checked, which = True, which.args[1]
        is_own = ast.dump(_normal(which, known)) == seat if seat else is_checked
        return [which, *rest] if is_own else None

    def _count(self) -> None:
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise Unclear("too many calls follow each other to say what is read")


def _written(seat: ast.expr) -> str:
    """Return an expression of the state about as it is written in a rule."""
    return ast.unparse(seat).replace("_g.", "self.").replace("_r_", "self.").replace("v_", "")


def _is_named(node: ast.expr, name: str) -> bool:
    """Return whether an expression is this name; a row under its own name is looked at in the function it is given."""
    return isinstance(node, ast.Name) and node.id == name


def _place_in_row(node: ast.Subscript) -> tuple[ast.expr, ast.expr] | None:
    """Return the row and the index of a read, also of a line of a grid (``row[line(...):][:columns]``)."""
    if isinstance(node.value, ast.Subscript) and isinstance(node.slice, ast.Slice):
        first = node.value.slice
        if node.slice.lower is not None or node.slice.step is not None or not isinstance(first, ast.Slice):
            return None
        if (
            first.lower is None
            or first.upper is not None
            or first.step is not None
            or not _is_call(first.lower, "line")
        ):
            return None
        return node.value.value, first.lower
    return None if _is_call(node.slice, "line") else (node.value, node.slice)


def _is_call(node: ast.AST | None, name: str) -> bool:
    """Return whether this calls a function of `dicelab.compile.kernels.rule_support` that checks an index."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "_rules"
        and node.func.attr == name
    )


def _known(tree: ast.FunctionDef, bound: Bound) -> dict[str, ast.expr]:
    """Return what the variables of a function stand for: its arguments, and those that get one value in one place."""
    stores: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stores[node.id] = stores.get(node.id, 0) + 1
    known = {name: value for name, value in bound.items() if name not in stores}
    arguments = {argument.arg for argument in tree.args.args}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            value = _normal(node.value, known)
            if stores[name] == 1 and name not in arguments and _is_of_state(value):
                known[name] = value
    return known


def _is_of_state(value: ast.expr) -> bool:
    """Return whether an expression consists of fields, parameters and constants alone."""
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return all(name in ("_g", "_rules", "int") or name.startswith("_r_") for name in names)


class _Normal(ast.NodeTransformer):
    """Put what variables stand for in their place, and leave out conversions to whole numbers."""

    def __init__(self, known: Bound) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.known.get(node.id, node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id == "int" and len(node.args) == 1:
            inner: ast.expr = self.visit(node.args[0])
            return inner
        return ast.Call(node.func, [self.visit(value) for value in node.args], [])


def _normal(node: ast.expr, known: Bound) -> ast.expr:
    """Return an expression in the form in which two are compared."""
    made: ast.expr = _Normal(known).visit(deepcopy(node))
    return made
