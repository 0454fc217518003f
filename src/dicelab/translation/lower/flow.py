"""Gives a variable that holds values of different kinds, one after the other, a name for each of them.

``counts = tuple(counts)`` or a loop variable that is used again for something else is ordinary Python, but a variable
of compiled code has one kind. So assignments and the reads that they may reach are grouped, and groups that share
nothing get names of their own. Variables that only ever hold numbers keep their name.

By itself because it renames variables on the whole tree of a function, before anything is lowered.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from dicelab.translation.lower.unset import is_certain

Places = frozenset[int]
"""The places, numbered, at which a variable may have got the value that it has at some line."""
Known = dict[str, Places] | None
"""The places of each variable; None where a line can't be reached."""


def split_by_flow(tree: ast.FunctionDef) -> set[str]:
    """Rename variables in the tree of a function; returns the new names."""
    flow = _Flow(tree)
    names = set[str]()
    for name, groups in flow.groups().items():
        if len(groups) < 2 or not any(flow.may_be_several[place] for group in groups for place in group):
            continue
        first = next((g for g in groups if any(isinstance(flow.nodes[p], ast.arg) for p in g)), groups[0])
        for i, group in enumerate(g for g in groups if g is not first):
            new = f"{name}__{i + 2}"
            names.add(new)
            for place in group:
                _rename(flow.nodes[place], new)
            for read, places in flow.reads:
                if places & group:
                    _rename(read, new)
    return names


def wrap_around(tree: ast.FunctionDef) -> bool:
    """Write ``self.x += 1`` before ``if self.x == n: self.x = 0`` so that no value outside the range is stored.

    Ranges hold at the end of a rule, and compiled code checks them where a value is stored. So the new value becomes a
    variable, which is stored where the test fails. Returns whether anything was changed.
    """
    changed = False
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block: Any = getattr(node, name, None)
            for i, (one, after) in enumerate(itertools.pairwise(block) if isinstance(block, list) else ()):
                if _wraps(one, after):
                    changed = True
                    _keep_in_range(one, after, f"_new_{len(block)}_{one.lineno}")
                    block[i] = one.made
    return changed


def _wraps(one: ast.stmt, after: ast.stmt) -> bool:
    """Return whether a field is changed by one statement, and set anew by the next one where a test of it holds."""
    if not isinstance(one, ast.AugAssign) or not isinstance(one.target, ast.Attribute) or not isinstance(after, ast.If):
        return False
    target = ast.dump(ast.Attribute(one.target.value, one.target.attr, ast.Load()))
    place = _setting(after.body, one.target)
    before = [part for statement in after.body[: max(place, 0)] for part in ast.walk(statement)]
    if place < 0 or any(isinstance(part, ast.Call) or ast.dump(part) == target for part in before):
        return False
    simple = not any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(after.test))
    return simple and target in map(ast.dump, ast.walk(after.test))


def _setting(body: list[ast.stmt], field: ast.Attribute) -> int:
    """Return the place of the first statement that sets a field, -1 if there is none; before it only fields are
    changed.
    """
    for i, statement in enumerate(body):
        if isinstance(statement, ast.Assign) and [*map(ast.dump, statement.targets)] == [ast.dump(field)]:
            return i
        if not isinstance(statement, ast.Assign | ast.AugAssign):
            return -1
    return -1


def _keep_in_range(one: Any, after: Any, name: str) -> None:
    """Make a change of a field one of a variable, and store that where the test that follows fails."""
    field = ast.Attribute(one.target.value, one.target.attr, ast.Load())
    wanted = ast.dump(field)

    class Reading(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
            if ast.dump(node) == wanted:
                return ast.copy_location(ast.Name(name, ast.Load()), node)
            self.generic_visit(node)
            return node

    value = ast.BinOp(field, one.op, one.value)
    one.made = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), one)
    after.test = Reading().visit(after.test)
    setting = after.body[_setting(after.body, one.target)]
    setting.value = Reading().visit(setting.value)
    stored = ast.copy_location(ast.Assign([one.target], ast.Name(name, ast.Load())), one)
    after.orelse.insert(0, stored)
    for node in (one.made, after, stored):
        ast.fix_missing_locations(node)


def _rename(node: ast.AST, name: str) -> None:
    if isinstance(node, ast.Name):
        node.id = name
    elif isinstance(node, ast.MatchAs | ast.MatchStar):
        node.name = name


class _Flow:
    """Follows the assignments of a function to the reads that they reach.

    Attributes
    ----------
    nodes, may_be_several
        For each place at which a variable gets a value, its node, and whether the value may be more than a number.
    reads
        Each read of a variable, and the places from which its value may come.
    """

    def __init__(self, tree: ast.FunctionDef) -> None:
        self.nodes: list[ast.AST] = []
        self.may_be_several: list[bool] = []
        self.reads: list[tuple[ast.Name, Places]] = []
        self._places: dict[int, int] = {}
        self._same: list[set[int]] = []
        self._breaks: list[list[Known]] = []
        self._continues: list[list[Known]] = []
        self._fixed = _fixed_names(tree)
        arguments = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]
        arguments += [a for a in (tree.args.vararg, tree.args.kwarg) if a is not None]
        known: dict[str, Places] = {}
        for argument in arguments:
            known[argument.arg] = frozenset([self._place(argument, False)])
        self._block(tree.body, known)

    def groups(self) -> dict[str, list[Places]]:
        """Return the places of each variable that may be renamed, grouped by the reads that they share."""
        group = list(range(len(self.nodes)))

        def root(place: int) -> int:
            while group[place] != place:
                place = group[place]
            return place

        for places in [*(places for _, places in self.reads), *self._same]:
            first, *others = [*places] or [-1]
            for other in others:
                group[root(other)] = root(first)
        shared: dict[str, dict[int, set[int]]] = {}
        for place, node in enumerate(self.nodes):
            name = str(getattr(node, "id", None) or getattr(node, "arg", None) or getattr(node, "name", ""))
            if name not in self._fixed:
                shared.setdefault(name, {}).setdefault(root(place), set()).add(place)
        return {name: [frozenset(g) for g in groups.values()] for name, groups in shared.items()}

    def _place(self, node: ast.AST, several: bool) -> int:
        if id(node) not in self._places:
            self._places[id(node)] = len(self.nodes)
            self.nodes.append(node)
            self.may_be_several.append(several)
        return self._places[id(node)]

    def _bind(self, target: ast.AST, known: dict[str, Places], several: bool) -> None:
        for part in ast.walk(target):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                known[part.id] = frozenset([self._place(part, several)])

    def _read(self, node: ast.AST | None, known: dict[str, Places]) -> None:
        for part in ast.walk(node) if node is not None else ():
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                self.reads.append((part, known.get(part.id, frozenset())))

    def _block(self, statements: Sequence[ast.stmt], known: Known) -> Known:
        for statement in statements:
            if known is None:
                return None
            known = self._statement(statement, dict(known))
        return known

    def _statement(self, node: ast.stmt, known: dict[str, Places]) -> Known:
        match node:
            case ast.Assign() | ast.AnnAssign():
                self._read(node.value, known)
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self._read(target, known)
                    if node.value is not None:
                        self._bind_value(target, node.value, known)
            case ast.AugAssign():
                self._read(node.value, known)
                self._read(node.target, known)
                if isinstance(node.target, ast.Name):
                    place = self._place(node.target, not _is_number(node.value))
                    before = known.get(node.target.id, frozenset())
                    self._same.append({place, *before})
                    known[node.target.id] = frozenset([place])
            case ast.If():
                self._read(node.test, known)
                return _joined(self._block(node.body, known), self._block(node.orelse, known))
            case ast.While() | ast.For():
                return self._loop(node, known)
            case ast.Match():
                return self._cases(node, known)
            case ast.Break():
                self._breaks[-1].append(known)
                return None
            case ast.Continue():
                self._continues[-1].append(known)
                return None
            case ast.Return() | ast.Raise():
                self._read(node, known)
                return None
            case ast.FunctionDef():
                known[node.name] = frozenset()
            case _:
                self._read(node, known)
        return known

    def _bind_value(self, target: ast.expr, value: ast.expr, known: dict[str, Places]) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            pairs = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            for i, part in enumerate(target.elts):
                self._bind(part, known, not _is_number(pairs[i]) if pairs else True)
        else:
            self._bind(target, known, not _is_number(value))

    def _loop(self, node: ast.While | ast.For, known: dict[str, Places]) -> Known:
        before: dict[str, Places] = known
        if isinstance(node, ast.For):
            self._read(node.iter, known)
        while True:
            self._breaks.append([])
            self._continues.append([])
            inside = dict(before)
            if isinstance(node, ast.For):
                self._read(node.target, inside)
                self._bind(node.target, inside, not _gives_numbers(node.iter))
            else:
                self._read(node.test, inside)
            end = self._block(node.body, inside)
            breaks, again = self._breaks.pop(), self._continues.pop()
            after = _joined(before, end, *again) or {}
            if after == before:
                break
            before = after
        endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        return _joined(*breaks, None if endless else self._block(node.orelse, dict(before)))

    def _cases(self, node: ast.Match, known: dict[str, Places]) -> Known:
        self._read(node.subject, known)
        after: list[Known] = [known]
        for case in node.cases:
            inside = dict(known)
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                    place = frozenset([self._place(part, True)])
                    inside[part.name] = place
                    known = {**known, part.name: known.get(part.name, frozenset()) | place}
                elif isinstance(part, ast.Name):
                    self._read(part, known)
            self._read(case.guard, inside)
            after.append(self._block(case.body, inside))
        return _joined(*after[is_certain(node.cases[-1]) :], None if is_certain(node.cases[-1]) else known)


def _joined(*paths: Known) -> Known:
    """Return what is known where several paths meet."""
    reached = [known for known in paths if known is not None]
    if not reached:
        return None
    names: Iterable[str] = {name for known in reached for name in known}
    return {name: frozenset().union(*(known.get(name, frozenset()) for known in reached)) for name in names}


def _fixed_names(tree: ast.FunctionDef) -> set[str]:
    """Return the variables that keep their names: functions, what these read, what an expression sets or a ``del``
    ends.
    """
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda) and node is not tree:
            names |= _names_in(node) | {getattr(node, "name", "")}
            names |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            names = names.union(*map(_names_in, node.targets))
        elif isinstance(node, ast.comprehension):
            names |= _names_in(node.target)
        elif isinstance(node, ast.NamedExpr):
            names.add(node.target.id)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            names.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            names |= set(node.names)
        elif isinstance(node, ast.Try | ast.With | ast.ClassDef):
            names |= _names_in(tree)
    return names


def _names_in(tree: ast.AST) -> set[str]:
    """Return the names of variables in a tree."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _gives_numbers(node: ast.expr) -> bool:
    """Return whether a sequence is seen to have numbers only."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


NUMBERS = {"len", "int", "abs", "bool", "round"}


def _is_number(node: ast.expr) -> bool:
    """Return whether an expression is seen to be a number."""
    match node:
        case ast.Constant():
            return isinstance(node.value, int)
        case ast.Compare():
            return True
        case ast.UnaryOp():
            return True
        case ast.BinOp():
            return _is_number(node.left) or _is_number(node.right) or not isinstance(node.op, ast.Add | ast.Mult)
        case ast.IfExp():
            return _is_number(node.body) and _is_number(node.orelse)
        case ast.Attribute():
            return isinstance(node.value, ast.Name)
        case ast.Call(func=ast.Name(id=name), args=args):
            return name in NUMBERS or (name in ("max", "min") and len(args) > 1 and any(map(_is_number, args)))
    return False
