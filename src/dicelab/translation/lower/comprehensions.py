"""Makes a function of its own of what goes through a sequence; see `dicelab.translation.lower.lowering`."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from types import FunctionType
from typing import Any

from dicelab.errors import RulesError
from dicelab.translation.lower.lifted import (
    KNOWN,
    Filled,
    Lowered,
    Renamed,
    bound_names,
    content_of,
    function_of,
    gives_iterator,
    own_nodes,
    placed,
)
from dicelab.translation.lower.unset import called_too_early

COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Comprehensions(ast.NodeTransformer):
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
        self.globals = origin.__globals__ | {name: content_of(cell) for name, cell in cells}

    def function(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        """Return the function with everything lifted out of it; the tree is changed."""
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
        own = {name: one for name, one in self.inner.items() if any(part is one for part in own_nodes(tree))}
        for name in sorted(called_too_early(tree, own)):
            raise self.wrong(own[name], f"{name}, which may be called before it is defined; define it first")
        self.loads = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        tree.body = self.block(tree.body)
        return ast.fix_missing_locations(tree)

    def visit(self, node: ast.AST) -> Any:
        """Return what a node becomes; a comprehension that sets a variable which is read outside it stays, to be
        refused.
        """
        if isinstance(node, (ast.Call, *COMPREHENSIONS.__args__)):
            inside = list(ast.walk(node))
            set_inside = {n.target.id for n in inside if isinstance(n, ast.NamedExpr)}
            if set_inside and any(isinstance(n, COMPREHENSIONS) for n in inside):
                read = Counter(n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
                if any(self.loads[name] > read[name] for name in set_inside):
                    return node
        return super().visit(node)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements with what they become."""
        statements: list[ast.stmt] = []
        for statement in body:
            made = self.visit(statement)
            statements += made if isinstance(made, list) else [made] if made is not None else []
        return statements or [ast.Pass()]

    # names -----------------------------------------------------------------------------------------------------------

    def builtin(self, node: ast.AST, *names: str) -> str:
        """Return the name of the builtin function that a call calls, if it is one of these; "" otherwise."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or node.func.id in self.variables:
            return ""
        name = node.func.id
        return (
            name
            if name in names and self.globals.get(name, getattr(builtins, name, None)) is getattr(builtins, name)
            else ""
        )

    def of_module(self, node: ast.expr) -> Any:
        """Return what a name, or a name of a module, refers to in the file; None for anything else."""
        if isinstance(node, ast.Name):
            return None if node.id in self.variables else self.globals.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in self.variables:
            return getattr(self.globals.get(node.value.id), node.attr, None)
        return None

    def target_of(self, func: ast.expr) -> Any:
        """Return what a name, or a name of a module, refers to; builtin functions too."""
        if isinstance(func, ast.Name) and func.id not in self.variables:
            return self.globals.get(func.id, getattr(builtins, func.id, None))
        return self.of_module(func)

    def wrong(self, node: ast.expr | ast.FunctionDef, what: str) -> RulesError:
        """Return the error for something in the rule that can't be compiled."""
        rule = self.origin
        return RulesError(f"{rule.__code__.co_filename}, line {node.lineno}, in {rule.__name__}: it uses {what}")

    def new_name(self, what: str) -> str:
        """Return a name that neither the rule nor anything that was lifted out of it uses."""
        return f"_{what}_{next(self.known.numbers)}"

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
        below = type(self)(self.known, self.origin, {*captured, *mine})
        below.inner = {k: v for k, v in self.inner.items() if k not in mine}
        below.variables |= below.inner.keys()
        function = function_of(tree, self.origin)
        self.known.functions[name] = function
        known = KNOWN[function] = Lowered(tree, self.origin, self.known.functions, numbers=self.known.numbers)
        returned = [node.value for node in own_nodes(tree) if isinstance(node, ast.Return) and node.value is not None]
        known.generates = any(gives_iterator(value, below.target_of) for value in returned)
        known.tree = below.function(tree)
        function.__code__ = function_of(known.tree, self.origin).__code__
        return name, captured

    def _captured(self, name: str) -> set[str]:
        """Return the variables that a function inside this one reads."""
        tree, captured, waiting = self.inner[name], set[str](), [name]
        seen = {name}
        while waiting:
            tree = self.inner[waiting.pop()]
            names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
            new = (names & self.inner.keys()) - seen
            seen |= new
            waiting += new
            captured |= names - bound_names(tree)
        return captured & self.variables

    def call(self, name: str, given: Sequence[ast.expr | str], at: ast.AST) -> Any:
        """Return a call of a lifted function."""
        arguments = [ast.Name(part, ast.Load()) if isinstance(part, str) else part for part in given]
        return placed(ast.Call(ast.Name(name, ast.Load()), arguments, []), at)

    def applied(self, function: ast.expr, *values: ast.expr) -> Any:
        """Translate ``function(*values)``; of a lambda, its body with the values in place of its arguments."""
        names = [value.id for value in values if isinstance(value, ast.Name)]
        if isinstance(function, ast.Lambda) and len(function.args.args) == len(names) == len(values):
            own = [argument.arg for argument in function.args.args]
            return Renamed(dict(zip(own, names, strict=True))).visit(deepcopy(function.body))
        if isinstance(function, ast.Constant) and function.value is None:
            return values[0]
        if isinstance(function, ast.Attribute) and function.attr in ("__getitem__", "get") and len(values) == 1:
            return placed(ast.Subscript(function.value, values[0], ast.Load()), function)
        return placed(ast.Call(deepcopy(function), list(values), []), function)

    # loops of expressions --------------------------------------------------------------------------------------------

    def loops(
        self, generators: list[ast.comprehension], inside: list[ast.stmt], at: ast.AST, unordered: bool = False
    ) -> list[ast.stmt]:
        """Return the loops of a comprehension around some statements, which may also be made in any order if
        `unordered`.
        """
        for part in reversed(generators):
            for test in reversed(part.ifs):
                inside = [placed(ast.If(test, inside, []), at)]
            inside = [placed(ast.For(part.target, part.iter, inside, []), at)]
            inside[0].unordered = unordered  # type: ignore[attr-defined]
        return inside

    def fresh(self, node: Any) -> tuple[list[ast.comprehension], list[ast.expr]]:
        """Return the loops and elements of a comprehension, with names of their own where they share them with the
        rule.
        """
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        bound = {n.id for part in node.generators for n in ast.walk(part.target) if isinstance(n, ast.Name)}
        renamed = Renamed({name: self.new_name(name) for name in bound})
        generators = []
        for i, part in enumerate(node.generators):
            source = part.iter if i == 0 else renamed.visit(part.iter)
            tests = [renamed.visit(test) for test in part.ifs]
            generators.append(ast.comprehension(renamed.visit(part.target), source, tests, 0))
        return generators, [renamed.visit(element) for element in elements]

    def is_of_rules(self, func: ast.expr) -> bool:
        """Return whether a call is of a function of the rules: of the file, of the game, or inside the rule."""
        if isinstance(func, ast.Name):
            return func.id in self.inner or isinstance(self.globals.get(func.id), FunctionType)
        first = self.origin.__code__.co_varnames[:1]
        return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in first

    def acts(self, node: ast.AST) -> bool:
        """Return whether an expression may change something: it calls a rule, gives one as an argument, or has `:=`."""
        for part in ast.walk(node):
            given = [*part.args, *(k.value for k in part.keywords)] if isinstance(part, ast.Call) else []
            functions: list[ast.expr] = [one for one in given if isinstance(one, ast.Name | ast.Attribute)]
            functions += [part.func] if isinstance(part, ast.Call) else []
            if isinstance(part, ast.NamedExpr) or any(map(self.is_of_rules, functions)):
                return True
        return False

    def as_loops(self, source: ast.expr, within: ast.AST | None = None) -> tuple[list[ast.comprehension], ast.expr]:
        """Return a sequence as loops and an element: of a comprehension its own, else one loop.

        A list that is complete before something else of `within` is evaluated stays a list, where that matters.
        """
        whole = isinstance(source, ast.ListComp) and within is not None and self.acts(within)
        if isinstance(source, ast.GeneratorExp | ast.ListComp) and not whole:
            generators, elements = self.fresh(source)
            return generators, elements[0]
        if self.builtin(source, "map") and len(source.args) == 2 and not source.keywords:  # type: ignore[attr-defined]
            generators, element = self.as_loops(source.args[1], source)  # type: ignore[attr-defined]
            name = self.new_name("each")
            target = ast.Name(name, ast.Store())
            one = ast.Tuple([element], ast.Load())
            made = self.applied(source.args[0], ast.Name(name, ast.Load()))  # type: ignore[attr-defined]
            if isinstance(element, ast.Name):
                return generators, self.applied(source.args[0], element)  # type: ignore[attr-defined]
            return [*generators, ast.comprehension(target, one, [], 0)], made
        if self.builtin(source, "map") and len(source.args) > 2 and not source.keywords:  # type: ignore[attr-defined]
            function, *sequences = source.args  # type: ignore[attr-defined]
            names = [self.new_name("each") for _ in sequences]
            targets = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
            together = ast.Call(ast.Name("zip", ast.Load()), sequences, [])
            made = self.applied(function, *(ast.Name(name, ast.Load()) for name in names))
            return [ast.comprehension(targets, together, [], 0)], made
        if self.builtin(source, "filter") and len(source.args) == 2:  # type: ignore[attr-defined]
            name = self.new_name("each")
            test = self.applied(source.args[0], ast.Name(name, ast.Load()))  # type: ignore[attr-defined]
            part = ast.comprehension(ast.Name(name, ast.Store()), source.args[1], [test], 0)  # type: ignore[attr-defined]
            return [part], ast.Name(name, ast.Load())
        name = self.new_name("each")
        return [ast.comprehension(ast.Name(name, ast.Store()), source, [], 0)], ast.Name(name, ast.Load())

    def part(self, body: list[ast.stmt], at: ast.AST) -> Any:
        """Return a call of a function with these statements, whose own variables are those that they set."""
        own = {
            n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        name, captured = self.lift(body, own, at)
        return self.call(name, captured, at)

    def parsed(self, text: str, at: ast.AST, **parts: Any) -> list[ast.stmt]:
        """Return the statements from text, in which names stand for expressions, or for statements on a line of their
        own.
        """
        made = ast.parse(text).body
        return [placed(part, at) for part in Filled(parts).block(made)]

    def gathered(
        self,
        generators: list[ast.comprehension],
        inside: list[ast.stmt],
        out: str,
        empty: str,
        at: ast.AST,
        unordered: bool = False,
    ) -> Any:
        """Return a call of a function that fills a container in loops."""
        loops = self.loops(generators, inside, at, unordered)
        body = self.parsed(f"OUT = {empty}\nBODY\nreturn OUT", at, OUT=out, BODY=loops)
        return self.part(body, at)
