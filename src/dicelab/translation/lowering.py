"""Lowers the natural Python of a rule to the smaller language that intervals, kinds and code are made from.

What goes through a sequence inside an expression (a comprehension, a generator expression, ``any``, ``max`` with a key,
``sorted`` with a key, ``next``) becomes a function of its own with a loop, which is called in its place, so that it is
evaluated where and when Python evaluates it. Nested functions and lambdas become functions of their own as well. Each
takes the variables of the rule that it reads as arguments; all other names mean what they mean in the rule.

The tree of the file isn't changed: the purity of rules is shown from what is written there.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from inspect import CO_GENERATOR
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
SCOPES = (*COMPREHENSIONS.__args__, ast.Lambda, ast.FunctionDef)
GATHERED = {"any", "all", "sum", "max", "min", "sorted", "list", "tuple", "set", "frozenset", "dict", "next", "len"}
"""Builtin functions that go through one sequence."""
CONTAINERS = {"list", "tuple", "set", "frozenset", "dict"}


def nothing() -> int:
    """Stand for a value that Python refuses to give, as the largest number of an empty sequence."""
    raise ValueError("there is no such value")


@dataclass
class Lowered:
    """A rule in the smaller language.

    Attributes
    ----------
    tree
        The syntax tree.
    origin
        The function of the file that the rule is part of: the rule itself unless it was lifted out of another one.
    functions
        What was lifted out of it, by the names that the tree uses.
    variables
        Variables that were added to it.
    """

    tree: ast.AST
    origin: FunctionType
    functions: dict[str, Any] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)


_known: WeakKeyDictionary[FunctionType, Lowered] = WeakKeyDictionary()


def lowered(rule: FunctionType, tree_of: Callable[[FunctionType], ast.AST]) -> Lowered:
    """A rule in the smaller language, found once; `tree_of` gives the tree as the file has it."""
    if rule not in _known:
        tree = tree_of(rule)
        known = _known[rule] = Lowered(tree, rule)
        if isinstance(tree, ast.FunctionDef) and needs_lowering(tree):
            code = rule.__code__
            variables = {*code.co_varnames, *code.co_cellvars}
            known.tree = _Lowering(known, rule, variables).function(deepcopy(tree))
            known.variables = _added(known.tree)
    return _known[rule]


def collected(rule: Any, tree_of: Callable[[FunctionType], ast.AST]) -> Any:
    """A function that yields, as one that returns a list of what it yields; anything else as it is."""
    if not isinstance(rule, FunctionType) or not rule.__code__.co_flags & CO_GENERATOR:
        return rule
    if rule not in _collected:
        tree = deepcopy(tree_of(rule))
        if not isinstance(tree, ast.FunctionDef):
            return rule
        tree.decorator_list = []
        tree.body = [
            *_placed_all(ast.parse("_out = []").body, tree),
            *(statement for part in tree.body for statement in _listed(_Collecting().visit(part))),
            *_placed_all(ast.parse("return _out").body, tree),
        ]
        function = _function_of(tree, rule)
        known = _known[function] = Lowered(tree, rule)
        code = function.__code__
        known.tree = _Lowering(known, rule, {*code.co_varnames, *code.co_cellvars}).function(tree)
        known.variables = {"_out", *_added(known.tree)}
        _collected[rule] = function
    return _collected[rule]


_collected: WeakKeyDictionary[FunctionType, FunctionType] = WeakKeyDictionary()


def _placed_all(statements: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
    return [_placed(statement, at) for statement in statements]


class _Collecting(ast.NodeTransformer):
    """Appends to a list what a function yields."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Yield) and node.value.value is not None:
            return self.add("append", node.value.value, node)
        if isinstance(node.value, ast.YieldFrom):
            return self.add("extend", node.value.value, node)
        return node

    def add(self, how: str, value: ast.expr, at: ast.AST) -> ast.Expr:
        method = ast.Attribute(ast.Name("_out", ast.Load()), how, ast.Load())
        made: ast.Expr = _placed(ast.Expr(ast.Call(method, [value], [])), at)
        return made

    def visit_Return(self, node: ast.Return) -> ast.Return:
        made: ast.Return = _placed(ast.Return(ast.Name("_out", ast.Load())), node)
        return made

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node


def _added(tree: ast.AST) -> set[str]:
    """The variables that were added to a function."""
    names = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    return {name for name in names if name.startswith("_")}


def origin_of(rule: FunctionType) -> FunctionType:
    """The function of the file that a rule is part of."""
    return _known[rule].origin if rule in _known else rule


def lifted_in(rule: FunctionType) -> dict[str, Any]:
    """The functions that were lifted out of a rule, by name."""
    return _known[rule].functions if rule in _known else {}


def needs_lowering(tree: ast.FunctionDef) -> bool:
    """Whether a rule has anything that isn't in the smaller language."""
    for node in ast.walk(tree):
        if (isinstance(node, (*SCOPES, ast.Starred, ast.NamedExpr)) and node is not tree) or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and (
                node.func.id in GATHERED - {"sum", "max", "min", "len", "sorted"} | {"map", "filter", "prod"}
                or node.keywords
            )
        ):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "prod":
            return True
    return False


class _Lowering(ast.NodeTransformer):
    """Lowers one function.

    Parameters
    ----------
    known
        Where the functions go that are lifted out.
    origin
        The function of the file.
    variables
        The names of all variables of the function.
    """

    def __init__(self, known: Lowered, origin: FunctionType, variables: set[str]) -> None:
        self.known, self.origin, self.variables = known, origin, variables
        self.inner: dict[str, ast.FunctionDef | ast.Lambda] = {}
        """Functions defined in this one, by the variable that holds them."""
        self._made: dict[str, tuple[str, list[str]]] = {}
        """Those that were lifted out: their names, and the variables that they read."""
        cells = zip(origin.__code__.co_freevars, origin.__closure__ or (), strict=True)
        self.globals = origin.__globals__ | {name: _content(cell) for name, cell in cells}

    def function(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        """The function with everything lifted out of it; the tree is changed."""
        counts: dict[str, int] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                counts[node.id] = counts.get(node.id, 0) + 1
        for node in own_nodes(tree):
            if isinstance(node, ast.FunctionDef) and node is not tree and node.name not in counts:
                self.inner[node.name] = node
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and len(node.targets) == 1:
                target = node.targets[0]
                if isinstance(target, ast.Name) and counts[target.id] == 1:
                    self.inner[target.id] = node.value
        self.loads = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        tree.body = self.block(tree.body)
        return ast.fix_missing_locations(tree)

    def visit(self, node: ast.AST) -> Any:
        """What a node becomes; a comprehension that sets a variable which is read outside it stays, to be refused."""
        if isinstance(node, (ast.Call, *COMPREHENSIONS.__args__)):
            inside = list(ast.walk(node))
            set_inside = {n.target.id for n in inside if isinstance(n, ast.NamedExpr)}
            if set_inside and any(isinstance(n, COMPREHENSIONS) for n in inside):
                read = Counter(n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
                if any(self.loads[name] > read[name] for name in set_inside):
                    return node
        return super().visit(node)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements with what they become."""
        found: list[ast.stmt] = []
        for statement in body:
            made = self.visit(statement)
            found += made if isinstance(made, list) else [made] if made is not None else []
        return found or [ast.Pass()]

    # names -----------------------------------------------------------------------------------------------------------

    def builtin(self, node: ast.AST, *names: str) -> str:
        """The name of the builtin function that a call calls, if it is one of these; "" otherwise."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or node.func.id in self.variables:
            return ""
        name = node.func.id
        return (
            name
            if name in names and self.globals.get(name, getattr(builtins, name, None)) is getattr(builtins, name)
            else ""
        )

    def of_module(self, node: ast.expr) -> Any:
        """What a name, or a name of a module, refers to in the file; None for anything else."""
        if isinstance(node, ast.Name):
            return None if node.id in self.variables else self.globals.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in self.variables:
            return getattr(self.globals.get(node.value.id), node.attr, None)
        return None

    def new_name(self, what: str) -> str:
        """A name that no rule uses."""
        return f"_{what}_{next(_numbers)}"

    # functions that are lifted out -----------------------------------------------------------------------------------

    def lift(
        self, body: list[ast.stmt], own: Iterable[str], at: ast.AST, arguments: Sequence[str] = ()
    ) -> tuple[str, list[str]]:
        """Make a function of its own; returns its name, and the variables to pass before its arguments.

        Parameters
        ----------
        body
            Its statements.
        own
            Names of its own variables, without its arguments.
        at
            What it replaces.
        arguments
            Names of its own arguments.
        """
        mine = {*own, *arguments}
        read = {node.id for part in body for node in ast.walk(part) if isinstance(node, ast.Name)}
        for part in list(read & self.inner.keys()):
            read |= self._captured(part)
        captured = sorted((read & self.variables) - mine - self.inner.keys())
        first = self.origin.__code__.co_varnames[:1]
        captured.sort(key=lambda name: (name not in first, name))
        name = self.new_name("part")
        names = [*captured, *arguments]
        tree = ast.FunctionDef(
            name, ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, []), body, [], None
        )
        ast.copy_location(tree, at)
        for node in ast.walk(tree):
            if isinstance(node, ast.expr | ast.stmt | ast.arg) and not hasattr(node, "lineno"):
                ast.copy_location(node, at)
        ast.fix_missing_locations(tree)
        below = _Lowering(self.known, self.origin, {*captured, *mine})
        below.inner = {k: v for k, v in self.inner.items() if k not in mine}
        below.variables |= below.inner.keys()
        function = _function_of(tree, self.origin)
        self.known.functions[name] = function
        known = _known[function] = Lowered(tree, self.origin, self.known.functions)
        known.tree = below.function(tree)
        function.__code__ = _function_of(known.tree, self.origin).__code__
        return name, captured

    def _captured(self, name: str) -> set[str]:
        """The variables that a function inside this one reads."""
        tree, found, waiting = self.inner[name], set[str](), [name]
        seen = {name}
        while waiting:
            tree = self.inner[waiting.pop()]
            names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
            new = (names & self.inner.keys()) - seen
            seen |= new
            waiting += new
            found |= names - _bound(tree)
        return found & self.variables

    def call(self, name: str, given: Sequence[ast.expr | str], at: ast.AST) -> Any:
        """A call of a lifted function."""
        arguments = [ast.Name(part, ast.Load()) if isinstance(part, str) else part for part in given]
        return _placed(ast.Call(ast.Name(name, ast.Load()), arguments, []), at)

    def applied(self, function: ast.expr, value: ast.expr) -> Any:
        """``function(value)``; of a lambda, its body with the value in place of its argument."""
        if isinstance(function, ast.Lambda) and len(function.args.args) == 1 and isinstance(value, ast.Name):
            return _Renamed({function.args.args[0].arg: value.id}).visit(deepcopy(function.body))
        if isinstance(function, ast.Constant) and function.value is None:
            return value
        if isinstance(function, ast.Attribute) and function.attr in ("__getitem__", "get"):
            return _placed(ast.Subscript(function.value, value, ast.Load()), function)
        return _placed(ast.Call(deepcopy(function), [value], []), function)

    # loops of expressions --------------------------------------------------------------------------------------------

    def loops(
        self, generators: list[ast.comprehension], inside: list[ast.stmt], at: ast.AST, unordered: bool = False
    ) -> list[ast.stmt]:
        """The loops of a comprehension around some statements, which may also be made in any order if `unordered`."""
        for part in reversed(generators):
            for test in reversed(part.ifs):
                inside = [_placed(ast.If(test, inside, []), at)]
            inside = [_placed(ast.For(part.target, part.iter, inside, []), at)]
            inside[0].unordered = unordered  # type: ignore[attr-defined]
        return inside

    def fresh(self, node: Any) -> tuple[list[ast.comprehension], list[ast.expr]]:
        """The loops and elements of a comprehension, with names of their own where they share them with the rule."""
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        bound = {n.id for part in node.generators for n in ast.walk(part.target) if isinstance(n, ast.Name)}
        renamed = _Renamed({name: self.new_name(name) for name in bound})
        generators = []
        for i, part in enumerate(node.generators):
            source = part.iter if i == 0 else renamed.visit(part.iter)
            tests = [renamed.visit(test) for test in part.ifs]
            generators.append(ast.comprehension(renamed.visit(part.target), source, tests, 0))
        return generators, [renamed.visit(element) for element in elements]

    def as_loops(self, source: ast.expr) -> tuple[list[ast.comprehension], ast.expr]:
        """A sequence as loops and an element: of a comprehension its own, else one loop."""
        if isinstance(source, ast.GeneratorExp | ast.ListComp):
            generators, elements = self.fresh(source)
            return generators, elements[0]
        if self.builtin(source, "map") and len(source.args) == 2 and not source.keywords:  # type: ignore[attr-defined]
            generators, element = self.as_loops(source.args[1])  # type: ignore[attr-defined]
            name = self.new_name("each")
            target = ast.Name(name, ast.Store())
            one = ast.Tuple([element], ast.Load())
            made = self.applied(source.args[0], ast.Name(name, ast.Load()))  # type: ignore[attr-defined]
            if isinstance(element, ast.Name):
                return generators, self.applied(source.args[0], element)  # type: ignore[attr-defined]
            return [*generators, ast.comprehension(target, one, [], 0)], made
        if self.builtin(source, "filter") and len(source.args) == 2:  # type: ignore[attr-defined]
            name = self.new_name("each")
            test = self.applied(source.args[0], ast.Name(name, ast.Load()))  # type: ignore[attr-defined]
            part = ast.comprehension(ast.Name(name, ast.Store()), source.args[1], [test], 0)  # type: ignore[attr-defined]
            return [part], ast.Name(name, ast.Load())
        name = self.new_name("each")
        return [ast.comprehension(ast.Name(name, ast.Store()), source, [], 0)], ast.Name(name, ast.Load())

    def part(self, body: list[ast.stmt], at: ast.AST) -> Any:
        """A call of a function with these statements, whose own variables are those that they set."""
        own = {
            n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        name, captured = self.lift(body, own, at)
        return self.call(name, captured, at)

    def parsed(self, text: str, at: ast.AST, **parts: Any) -> list[ast.stmt]:
        """Statements from text, in which names stand for expressions, or for statements on a line of their own."""
        made = ast.parse(text).body
        return [_placed(part, at) for part in _Filled(parts).block(made)]

    # expressions -----------------------------------------------------------------------------------------------------

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        return self.visit_ListComp(node)

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        generators, (element,) = self.fresh(node)
        return self.gathered(
            generators,
            self.parsed("OUT.append(E)", node, OUT=(out := self.new_name("out")), E=element),
            out,
            "[]",
            node,
        )

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        generators, (element,) = self.fresh(node)
        return self.gathered(
            generators,
            self.parsed("OUT.add(E)", node, OUT=(out := self.new_name("out")), E=element),
            out,
            "set()",
            node,
        )

    def visit_DictComp(self, node: ast.DictComp) -> Any:
        generators, (key, value) = self.fresh(node)
        out = self.new_name("out")
        return self.gathered(generators, self.parsed("OUT[K] = V", node, OUT=out, K=key, V=value), out, "{}", node)

    def gathered(
        self, generators: list[ast.comprehension], inside: list[ast.stmt], out: str, empty: str, at: ast.AST
    ) -> ast.expr:
        """A call of a function that fills a container in loops."""
        body = self.parsed(f"OUT = {empty}\nBODY\nreturn OUT", at, OUT=out, BODY=self.loops(generators, inside, at))
        return self.part(body, at)

    def visit_Call(self, node: ast.Call) -> Any:
        if len(node.args) == 1 and isinstance(node.args[0], ast.Starred) and self.builtin(node, "max", "min"):
            node.args = [node.args[0].value]
        elif any(isinstance(part, ast.Starred) for part in node.args) and self.builtin(node, "max", "min"):
            node.args = [_placed(ast.List(node.args, ast.Load()), node)]
        name = self.builtin(node, *GATHERED)
        if isinstance(node.func, ast.Name) and node.func.id in self.inner:
            return self.of_inner(node, node.func.id)
        if not name and self.of_module(node.func) is math.prod and node.args:
            name = "prod"
        if not name and self.builtin(node, "map", "filter"):
            generators, element = self.as_loops(node)
            return self.visit(ast.copy_location(ast.ListComp(element, generators), node))
        if name and node.args:
            made = getattr(self, f"gather_{name}", self.generic_visit)(node)
            return made
        self.generic_visit(node)
        return node

    def of_inner(self, node: ast.Call, name: str) -> Any:
        """A call of a function that is defined inside the rule."""
        inner = self.inner[name]
        body: list[Any] = [ast.Return(inner.body)] if isinstance(inner, ast.Lambda) else list(inner.body)
        given = inner.args
        if given.vararg or given.kwarg or given.kwonlyargs or any(k.arg is None for k in node.keywords):
            return node
        names = [a.arg for a in [*given.posonlyargs, *given.args]]
        if any(isinstance(part, ast.Starred) for part in node.args) and not node.keywords and not given.defaults:
            made, captured = self._made.setdefault(
                name, self.lift(deepcopy(body), _bound(inner) - set(names), inner, names)
            )
            return self.call(made, [*captured, *map(self.visit, node.args)], node)
        values: dict[str, ast.expr] = dict(zip(reversed(names), reversed(given.defaults), strict=False))
        values |= dict(zip(names, node.args, strict=False)) | {str(k.arg): k.value for k in node.keywords}
        if len(values) != len(names) or len(node.args) > len(names):
            return node
        if name not in self._made:
            self._made[name] = self.lift(deepcopy(body), _bound(inner) - set(names), inner, names)
        made, captured = self._made[name]
        return self.call(made, [*captured, *(self.visit(deepcopy(values[n])) for n in names)], node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return _placed(ast.Pass(), node) if self.inner.get(node.name) is node else node

    def visit_Assign(self, node: ast.Assign) -> Any:
        if isinstance(node.value, ast.Lambda) and node.value in self.inner.values():
            return _placed(ast.Pass(), node)
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Tuple | ast.List):
            if any(isinstance(part, ast.Starred) for part in target.elts):
                return self.unpacked(target, node)
            node.targets = [ast.copy_location(ast.Tuple(target.elts, ast.Store()), target)]
        self.generic_visit(node)
        return node

    def unpacked(self, target: ast.Tuple | ast.List, node: ast.Assign) -> list[ast.stmt]:
        """``first, *rest = numbers``."""
        many, place = len(target.elts) - 1, next(i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred))
        all_of, after = self.new_name("all"), many - place
        text = [
            f"{all_of} = list(VALUE)",
            f"if len({all_of}) < {many}:\n    {all_of} = list((nothing(),))" if many else "",
        ]
        found = self.parsed("\n".join(filter(None, text[:1])), node, VALUE=node.value)
        if many:
            found += self.parsed(f"{all_of}[{many - 1}]", node)
        for i, part in enumerate(target.elts):
            if isinstance(part, ast.Starred):
                value = f"{all_of}[{place}:len({all_of}) - {after}]" if after else f"{all_of}[{place}:]"
                if isinstance(part.value, ast.Name) and part.value.id == "_":
                    continue
                goal: ast.expr = part.value
            else:
                value, goal = f"{all_of}[{i if i < place else i - many - 1}]", part
            found += self.parsed(f"GOAL = {value}", node, GOAL=goal)
        return [made for statement in found for made in _listed(self.visit(statement))]

    def visit_Expr(self, node: ast.Expr) -> Any:
        self.generic_visit(node)
        return node

    def visit_For(self, node: ast.For) -> Any:
        source = node.iter
        if isinstance(source, ast.GeneratorExp) and len(source.generators) == 1:
            generators, (element,) = self.fresh(source)
            inside = self.parsed("GOAL = E\nBODY", node, GOAL=node.target, E=element, BODY=node.body)
            for test in reversed(generators[0].ifs):
                inside = [_placed(ast.If(test, inside, []), node)]
            unordered = getattr(node, "unordered", False)
            node = _placed(ast.For(generators[0].target, generators[0].iter, inside, node.orelse), node)
            node.unordered = unordered  # type: ignore[attr-defined]
        elif self.builtin(source, "map", "filter"):
            generators, element = self.as_loops(source)
            node.iter = ast.copy_location(ast.GeneratorExp(element, generators), source)
            return self.visit_For(node)
        self.variables |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        node.iter = self.visit(node.iter)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse) if node.orelse else []
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        right = node.comparators[-1]
        if (
            len(node.ops) == 1
            and isinstance(node.ops[0], ast.In | ast.NotIn)
            and isinstance(right, ast.GeneratorExp | ast.ListComp)
        ):
            wanted = self.new_name("wanted")
            generators, element = self.as_loops(right)
            body = self.parsed(
                "BODY\nreturn False",
                node,
                BODY=self.loops(generators, self.parsed(f"if E == {wanted}:\n    return True", node, E=element), node),
            )
            own = {
                n.id
                for part in body
                for n in ast.walk(part)
                if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
            }
            name, captured = self.lift(body, own, node, [wanted])
            found: ast.expr = self.call(name, [*captured, self.visit(node.left)], node)
            return found if isinstance(node.ops[0], ast.In) else _placed(ast.UnaryOp(ast.Not(), found), node)
        self.generic_visit(node)
        return node

    # functions that go through a sequence ----------------------------------------------------------------------------

    def gather_any(self, node: ast.Call, wanted: bool = True) -> Any:
        if len(node.args) != 1 or node.keywords:
            return node
        generators, element = self.as_loops(node.args[0])
        test = "E" if wanted else "not E"
        at_once = not isinstance(node.args[0], ast.ListComp)
        text = f"if {test}:\n    return {wanted}" if at_once else f"if {test}:\n    _found = {wanted}"
        inside = self.loops(generators, self.parsed(text, node, E=element), node, unordered=True)
        if at_once:
            return self.part(self.parsed(f"BODY\nreturn {not wanted}", node, BODY=inside), node)
        return self.part(self.parsed(f"_found = {not wanted}\nBODY\nreturn _found", node, BODY=inside), node)

    def gather_all(self, node: ast.Call) -> Any:
        return self.gather_any(node, wanted=False)

    def gather_sum(self, node: ast.Call, sign: str = "+") -> Any:
        source, start = node.args[0], [*node.args[1:], *(k.value for k in node.keywords if k.arg == "start")]
        loops = isinstance(source, ast.GeneratorExp | ast.ListComp) or self.builtin(source, "map", "filter")
        if not loops and not node.keywords and sign == "+":
            return self.generic_visit(node)
        generators, element = self.as_loops(source)
        total = self.new_name("total")
        inside = self.loops(generators, self.parsed(f"{total} {sign}= E", node, E=element), node, unordered=True)
        empty = start[0] if start else ast.Constant(0 if sign == "+" else 1)
        return self.part(self.parsed(f"{total} = START\nBODY\nreturn {total}", node, START=empty, BODY=inside), node)

    def gather_prod(self, node: ast.Call) -> Any:
        return self.gather_sum(node, "*")

    def gather_max(self, node: ast.Call, better: str = ">") -> Any:
        given = {k.arg: k.value for k in node.keywords}
        source = node.args[0]
        if len(node.args) > 1:
            if not given:
                return self.generic_visit(node)
            source = _placed(ast.Tuple(node.args, ast.Load()), node)
        loops = isinstance(source, ast.GeneratorExp | ast.ListComp) or self.builtin(source, "map", "filter")
        if not loops and not given:
            return self.generic_visit(node)
        generators, element = self.as_loops(source)
        found, best, item, rank = (self.new_name(n) for n in ("found", "best", "item", "rank"))
        key = given.get("key")
        lines = [f"{item} = E"]
        if key is not None:
            lines += [f"{rank} = KEY", f"if {found} == 0 or {rank} {better} {best}_rank:", f"    {best}_rank = {rank}"]
        else:
            lines += [f"if {found} == 0 or {item} {better} {best}:"]
        lines += [f"    {best} = {item}", f"{found} = 1"]
        ranked = self.applied(key, ast.Name(item, ast.Load())) if key is not None else element
        made = self.parsed("\n".join(lines), node, E=element, KEY=ranked)
        inside = self.loops(generators, made, node, unordered=key is None)
        text = f"{found} = 0\nBODY\nif {found} == 0:\n    return NONE\nreturn {best}"
        none = given.get("default", ast.Call(ast.Name("nothing", ast.Load()), [], []))
        return self.part(self.parsed(text, node, BODY=inside, NONE=none), node)

    def gather_min(self, node: ast.Call) -> Any:
        return self.gather_max(node, "<")

    def gather_next(self, node: ast.Call) -> Any:
        if not isinstance(node.args[0], ast.GeneratorExp) or len(node.args) > 2:
            return self.generic_visit(node)
        generators, element = self.as_loops(node.args[0])
        inside = self.loops(generators, self.parsed("return E", node, E=element), node)
        none = node.args[1] if len(node.args) == 2 else ast.Call(ast.Name("nothing", ast.Load()), [], [])
        return self.part(self.parsed("BODY\nreturn NONE", node, BODY=inside, NONE=none), node)

    def gather_sorted(self, node: ast.Call) -> Any:
        given = {k.arg: k.value for k in node.keywords}
        key = given.get("key")
        if key is None or (isinstance(key, ast.Constant) and key.value is None):
            node.keywords = [k for k in node.keywords if k.arg != "key"]
            return self.generic_visit(node)
        down = given.get("reverse", ast.Constant(False))
        if not isinstance(down, ast.Constant):
            return node
        generators, element = self.as_loops(node.args[0])
        out, ranks, item, rank, i = (self.new_name(n) for n in ("out", "ranks", "item", "rank", "i"))
        text = [
            f"{item} = E", f"{rank} = KEY", f"{out}.append({item})", f"{ranks}.append({rank})",
            f"for {i} in range(len({ranks}) - 1, 0, -1):",
            f"    if {ranks}[{i} - 1] {'<' if down.value else '>'} {rank}:",
            f"        {out}[{i}] = {out}[{i} - 1]", f"        {ranks}[{i}] = {ranks}[{i} - 1]",
            f"        {out}[{i} - 1] = {item}", f"        {ranks}[{i} - 1] = {rank}",
            "    else:", "        break",
        ]  # fmt: skip
        ranked = self.applied(key, ast.Name(item, ast.Load()))
        inside = self.loops(generators, self.parsed("\n".join(text), node, E=element, KEY=ranked), node)
        return self.part(self.parsed(f"{out} = []\n{ranks} = []\nBODY\nreturn {out}", node, BODY=inside), node)

    def gather_list(self, node: ast.Call) -> Any:
        source = node.args[0]
        if len(node.args) != 1 or node.keywords:
            return node
        if isinstance(source, ast.GeneratorExp | ast.ListComp) or self.builtin(source, "map", "filter"):
            generators, element = self.as_loops(source)
            return self.visit_ListComp(ast.copy_location(ast.ListComp(element, generators), node))
        return self.generic_visit(node)

    def gather_tuple(self, node: ast.Call) -> Any:
        made = self.gather_list(node)
        if made is node or (isinstance(made, ast.Call) and made.func is node.func):
            return made
        return _placed(ast.Call(node.func, [made], []), node)

    def gather_set(self, node: ast.Call) -> Any:
        source = node.args[0]
        if len(node.args) != 1 or node.keywords:
            return node
        generators, element = self.as_loops(source)
        return self.visit_SetComp(ast.copy_location(ast.SetComp(element, generators), node))

    gather_frozenset = gather_set

    def gather_dict(self, node: ast.Call) -> Any:
        if len(node.args) != 1 or node.keywords:
            return node
        generators, element = self.as_loops(node.args[0])
        key, value, out = (self.new_name(n) for n in ("key", "value", "out"))
        inside = self.parsed(f"{key}, {value} = E\n{out}[{key}] = {value}", node, E=element)
        return self.gathered(generators, inside, out, "{}", node)

    def gather_len(self, node: ast.Call) -> Any:
        return self.generic_visit(node)


_numbers = itertools.count()


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _listed(made: Any) -> list[Any]:
    return made if isinstance(made, list) else [made]


def _placed(node: Any, at: ast.AST) -> Any:
    """A node with the line of another one, also for all parts that have none."""
    for part in ast.walk(node):
        if isinstance(part, ast.expr | ast.stmt | ast.arg | ast.keyword) and not hasattr(part, "lineno"):
            part.lineno = getattr(at, "lineno", 1)
            part.col_offset = getattr(at, "col_offset", 0)
            part.end_lineno = getattr(at, "end_lineno", part.lineno)
            part.end_col_offset = getattr(at, "end_col_offset", part.col_offset)
    return node


def _function_of(tree: Any, origin: FunctionType) -> FunctionType:
    """A function of the file from its tree."""
    space: dict[str, Any] = {}
    module = ast.fix_missing_locations(ast.Module([tree], []))
    exec(compile(module, origin.__code__.co_filename, "exec"), origin.__globals__ | {"nothing": nothing}, space)
    made: FunctionType = space[tree.name]
    made.__name__ = origin.__name__
    made.__module__ = origin.__module__
    return made


def own_nodes(tree: ast.AST) -> Iterable[ast.AST]:
    """All nodes of a function but those of functions inside it; these themselves are included."""
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _bound(tree: ast.AST) -> set[str]:
    """The names that a function inside a rule binds, with its arguments."""
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return names | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}


class _Renamed(ast.NodeTransformer):
    """Gives variables other names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        own = {a.arg for a in node.args.args}
        node.body = _Renamed({k: v for k, v in self.names.items() if k not in own}).visit(node.body)
        return node

    def _comprehension(self, node: Any) -> Any:
        bound = {n.id for part in node.generators for n in ast.walk(part.target) if isinstance(n, ast.Name)}
        node.generators[0].iter = self.visit(node.generators[0].iter)
        inner = _Renamed({k: v for k, v in self.names.items() if k not in bound})
        first, node.generators[0].iter = node.generators[0].iter, ast.Constant(0)
        inner.generic_visit(node)
        node.generators[0].iter = first
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


class _Filled(ast.NodeTransformer):
    """Puts expressions and statements in place of names in a parsed text."""

    def __init__(self, parts: dict[str, Any]) -> None:
        self.parts = parts

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name):
                part = self.parts.get(statement.value.id)
                if isinstance(part, list):
                    found += part
                    continue
            for name, value in ast.iter_fields(statement):
                if name in ("body", "orelse"):
                    setattr(statement, name, self.block(value))
                elif isinstance(value, ast.AST):
                    setattr(statement, name, self.visit(value))
                elif isinstance(value, list):
                    value[:] = [self.visit(part) if isinstance(part, ast.AST) else part for part in value]
            found.append(statement)
        return found

    def visit_Name(self, node: ast.Name) -> Any:
        part = self.parts.get(node.id)
        if isinstance(part, str):
            return ast.Name(part, node.ctx)
        if isinstance(part, ast.expr):
            made = deepcopy(part)
            if isinstance(made, ast.Name | ast.Tuple | ast.List | ast.Attribute | ast.Subscript) and isinstance(
                node.ctx, ast.Store
            ):
                _stored(made)
            return made
        return node


def _stored(target: Any) -> None:
    """Make a target of an expression."""
    target.ctx = ast.Store()
    for part in getattr(target, "elts", ()):
        _stored(part)
