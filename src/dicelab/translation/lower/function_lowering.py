"""Lowers the statements and expressions of one function.

By itself because `dicelab.translation.lower.lowering` is about whole functions, what they were made from and how often.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
from collections import Counter
from copy import deepcopy
from types import BuiltinFunctionType
from typing import Any

from dicelab.translation.lower.comprehensions import COMPREHENSIONS
from dicelab.translation.lower.gathering import ALONE, PAIRED, Gathering
from dicelab.translation.lower.lifted import OF_LIBRARY, bound_names, goes_through, listed, placed

SCOPES = (*COMPREHENSIONS.__args__, ast.Lambda, ast.FunctionDef)
GATHERED = {"any", "all", "sum", "max", "min", "sorted", "list", "tuple", "set", "frozenset", "dict", "next", "len"}
"""Builtin functions that go through one sequence."""
LAZY = (itertools.chain, itertools.accumulate)
"""Those that read their sequences while their results are gone through; the others read them at once."""
LIBRARY: list[Any] = [*OF_LIBRARY, math.prod, Counter, functools.reduce, *ALONE, *PAIRED]
"""Functions of the library whose calls need a look."""
PAIRING, KEEPING = ("enumerate", "zip"), ("list", "tuple", "sorted")
"""What gives pairs, and what keeps them."""


def needs_lowering(tree: ast.FunctionDef, names: dict[str, Any]) -> bool:
    """Return whether a rule, with what its names refer to, has anything that isn't in the smaller language."""
    for node in ast.walk(tree):
        if (isinstance(node, (*SCOPES, ast.Starred, ast.NamedExpr)) and node is not tree) or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and (node.func.id in GATHERED - {"sum", "max", "min", "len", "sorted"} | {"map", "filter"} or node.keywords)
        ):
            return True
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Call):
            given = node.args[0].func
            if isinstance(given, ast.Name) and given.id in PAIRING:
                return True
        if isinstance(node, ast.Attribute) and node.attr in {function.__name__ for function in LIBRARY}:
            return True
        if isinstance(node, ast.Name) and any(names.get(node.id) is function for function in LIBRARY):
            return True
    return False


class Lowering(Gathering):
    """Lowers one function."""

    # expressions -----------------------------------------------------------------------------------------------------

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        made = self.visit_ListComp(node)
        made.lazy = True
        return made

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
            unordered=True,
        )

    def visit_DictComp(self, node: ast.DictComp) -> Any:
        generators, (key, value) = self.fresh(node)
        out = self.new_name("out")
        text, name = "OUT[K] = V", self.new_name("key")
        if self.acts(key) or self.acts(value):
            text = f"{name} = K\nOUT[{name}] = V"
        return self.gathered(generators, self.parsed(text, node, OUT=out, K=key, V=value), out, "{}", node)

    def visit_Call(self, node: ast.Call) -> Any:
        target = self.of_module(node.func)
        self.rearrange(node, target)
        if self.is_of_rules(node.func):
            node.args = [_generator_of(part) if self.is_iterator(part) else part for part in node.args]
            if any(map(self.is_generator, [*node.args, *(keyword.value for keyword in node.keywords)])):
                return node
        if isinstance(node.func, ast.Name) and node.func.id in self.inner:
            return self.of_inner(node, node.func.id)
        made = self.of_library(node, target)
        if made is not None:
            return made
        if not node.args:
            return self.generic_visit(node)
        name = "prod" if target is math.prod else self.builtin(node, *GATHERED)
        return getattr(self, f"gather_{name}", self.generic_visit)(node)

    def rearrange(self, node: ast.Call, target: Any) -> None:
        """Write the arguments of a call of the library in the one way in which it is lowered."""
        if target is itertools.product and len(node.args) == 1:
            self.list_of_lists(node.args[0])
        if self.builtin(node, "max", "min") and any(isinstance(part, ast.Starred) for part in node.args):
            only = node.args[0] if len(node.args) == 1 else None
            given = only.value if isinstance(only, ast.Starred) else placed(ast.List(node.args, ast.Load()), node)
            node.args = [given]
        keeps = target is Counter or self.builtin(node, *KEEPING)
        if keeps and node.args and self.builtin(node.args[0], *PAIRING):
            node.args[0] = _generator_of(node.args[0])

    def of_library(self, node: ast.Call, target: Any) -> Any:
        """Return what a call of ``map``, ``filter``, or of functools, itertools, operator or Counter becomes; None for
        any other.
        """
        if target is functools.reduce:
            return self.gather_reduce(node)
        if target in OF_LIBRARY:
            gather = getattr(self, f"gather_{target.__name__}", None)
            return gather(node) if gather is not None and node.args else None
        if isinstance(target, BuiltinFunctionType) and target in (*ALONE, *PAIRED):
            made = self.as_operator(node, target)
            return node if made is node else self.visit(made)
        if (
            target is Counter
            and len(node.args) == 1
            and (self.is_generator(node.args[0]) or isinstance(node.args[0], ast.ListComp))
        ):
            return self.counted(node)
        if self.builtin(node, "map", "filter"):
            generators, element = self.as_loops(node)
            return self.visit(ast.copy_location(ast.GeneratorExp(element, generators), node))
        return None

    def list_of_lists(self, given: ast.expr) -> None:
        """Make ``product(*(range(n) for n in row))`` one of lists."""
        if not isinstance(given, ast.Starred) or not isinstance(given.value, ast.GeneratorExp | ast.ListComp):
            return
        inside = given.value
        if not isinstance(inside.elt, ast.List):
            element = placed(ast.Call(ast.Name("list", ast.Load()), [inside.elt], []), inside)
            given.value = ast.copy_location(ast.ListComp(element, inside.generators), inside)

    def counted(self, node: ast.Call) -> Any:
        """Translate ``Counter(... for ... in ...)``."""
        generators, element = self.as_loops(node.args[0])
        out = self.new_name("out")
        inside = self.loops(generators, self.parsed("OUT[E] += 1", node, OUT=out, E=element), node)
        body = self.parsed("OUT = KIND()\nBODY\nreturn OUT", node, OUT=out, KIND=node.func, BODY=inside)
        return self.part(body, node)

    def of_inner(self, node: ast.Call, name: str) -> Any:
        """Return a call of a function that is defined inside the rule."""
        inner = self.inner[name]
        body: list[Any] = [ast.Return(inner.body)] if isinstance(inner, ast.Lambda) else list(inner.body)
        given = inner.args
        self.must_be_liftable(node, name, body)
        if any(k.arg is None for k in node.keywords):
            return node
        names = [a.arg for a in [*given.posonlyargs, *given.args]]
        if any(isinstance(part, ast.Starred) for part in node.args) and not node.keywords and not given.defaults:
            made, captured = self._made.setdefault(
                name, self.lift(deepcopy(body), bound_names(inner) - set(names), inner, names)
            )
            return self.call(made, [*captured, *map(self.visit, node.args)], node)
        values: dict[str, ast.expr] = dict(zip(reversed(names), reversed(given.defaults), strict=False))
        values |= dict(zip(names, node.args, strict=False)) | {str(k.arg): k.value for k in node.keywords}
        if len(values) != len(names) or len(node.args) > len(names):
            return node
        written = [k.arg for k in node.keywords]
        if written != [n for n in names if n in written] and any(self.acts(k.value) for k in node.keywords):
            raise self.wrong(node, f"{name} with arguments by name in another order; write them in its order")
        if name not in self._made:
            self._made[name] = self.lift(deepcopy(body), bound_names(inner) - set(names), inner, names)
        made, captured = self._made[name]
        return self.call(made, [*captured, *(self.visit(deepcopy(values[n])) for n in names)], node)

    def must_be_liftable(self, call: ast.Call, name: str, body: list[Any]) -> None:
        """Refuse a function inside the rule that can't become one of its own."""
        given, parts = self.inner[name].args, [part for statement in body for part in ast.walk(statement)]
        if given.vararg or given.kwarg or given.kwonlyargs:
            raise self.wrong(call, f"{name}, a function inside it with * in its arguments; make it one of the file")
        if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in parts):
            raise self.wrong(call, f"{name}, a function inside it that yields; make it one of the file")
        if any(isinstance(part, ast.Name) and part.id == name for part in parts):
            raise self.wrong(call, f"{name}, which calls itself; write a loop")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return self.defaults_of(node, node) if self.inner.get(node.name) is node else node

    def defaults_of(self, inner: ast.FunctionDef | ast.Lambda, at: ast.stmt) -> list[ast.stmt]:
        """Return what a definition inside the rule evaluates: the defaults of its arguments, but for constants."""
        statements: list[ast.stmt] = []
        for i, default in enumerate(inner.args.defaults):
            parts = list(ast.walk(default))
            if any(isinstance(p, ast.Call) or (isinstance(p, ast.Name) and p.id in self.variables) for p in parts):
                name = self.new_name("default")
                self.variables.add(name)
                inner.args.defaults[i] = placed(ast.Name(name, ast.Load()), default)
                statements += self.parsed(f"{name} = VALUE", at, VALUE=self.visit(default))
        return statements or [placed(ast.Pass(), at)]

    def is_generator(self, node: ast.AST | None) -> bool:
        """Return whether an expression is a generator, which can be gone through once, and so can't be kept."""
        if isinstance(node, ast.IfExp):
            return self.is_generator(node.body) or self.is_generator(node.orelse)
        return isinstance(node, ast.GeneratorExp) or (node is not None and bool(self.builtin(node, "map", "filter")))

    def is_iterator(self, node: ast.AST | None) -> bool:
        """Return whether an expression is a call of a function of itertools: its result can be gone
        through once, too.
        """
        return isinstance(node, ast.Call) and self.of_module(node.func) in OF_LIBRARY

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements with what they become; a generator that only the next statement uses, once, stands
        there.
        """
        self.keep_iterators(body)
        left = list(body)
        for i, (one, after) in enumerate(itertools.pairwise(body)):
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
            if not isinstance(target, ast.Name) or not isinstance(one, ast.Assign) or self.loads[target.id] != 1:
                continue
            lazy = isinstance(one.value, ast.GeneratorExp) or self.is_lazy(one.value)
            if lazy and self.is_gone_through(target.id, after) and not self.acts_before(target.id, after):
                left[i] = placed(ast.Pass(), one)
                left[i + 1] = _Inlined(target.id, one.value).visit(after)
        return super().block(left)

    def keep_iterators(self, body: list[ast.stmt]) -> None:
        """Make generators of the iterators in variables, but for those that one later statement goes through, once."""
        for i, one in enumerate(body):
            if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None and self.is_iterator(one.value):
                goal = one.targets[0] if isinstance(one, ast.Assign) else one.target
                name = goal.id if isinstance(goal, ast.Name) else ""
                later = body[i + 1 : i + 2] if self.is_lazy(one.value) else body[i + 1 :]
                once = self.loads[name] == 1 and any(self.is_gone_through(name, statement) for statement in later)
                if name and not once:
                    one.value = _generator_of(one.value)

    def is_lazy(self, node: ast.expr) -> bool:
        """Return whether an expression is a call that reads its sequences while its result is gone through."""
        return isinstance(node, ast.Call) and self.of_module(node.func) in LAZY

    def is_gone_through(self, name: str, statement: ast.stmt) -> bool:
        """Return whether a statement goes through a variable once: outside loops and functions, or where these
        begin.
        """
        waiting: list[ast.AST] = [statement]
        while waiting:
            part = waiting.pop()
            if isinstance(part, ast.While | ast.FunctionDef | ast.Lambda):
                continue
            if isinstance(part, ast.For):
                inside: list[ast.AST] = [part.iter]
            elif isinstance(part, COMPREHENSIONS):
                first = part.generators[0]
                part, inside = first, [first.iter]
            else:
                inside = list(ast.iter_child_nodes(part))
            for one in inside:
                if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load):
                    return goes_through(part, one, self.target_of)
            waiting += inside
        return False

    def acts_before(self, name: str, statement: ast.stmt) -> bool:
        """Return whether a statement may change something before it reads a variable."""
        if isinstance(statement, ast.For):
            statement = ast.copy_location(ast.Expr(statement.iter), statement)
        nodes = [node for node in ast.walk(statement) if isinstance(node, ast.expr)]
        read = min((n.lineno, n.col_offset) for n in nodes if isinstance(n, ast.Name) and n.id == name)
        methods = (n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
        acting = [*methods, *filter(self.acts, nodes)]
        return any((one.end_lineno or 0, one.end_col_offset or 0) <= read for one in acting)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        return node if self.is_generator(node.value) else self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        if self.is_iterator(node.value):
            node.value = _generator_of(node.value)
        return node if self.is_generator(node.value) else self.generic_visit(node)

    def one_by_one(self, node: ast.Assign, name: ast.Name) -> list[ast.stmt]:
        """Lower ``name = a, b = value`` as assignments to the name first, and from it to the other targets."""
        others = [part for part in node.targets if part is not name]
        value = ast.Name(name.id, ast.Load())
        pairs = [(name, node.value), *((part, value) for part in others)]
        each = [placed(ast.Assign([part], deepcopy(given)), node) for part, given in pairs]
        return [made for statement in each for made in listed(self.visit(statement))]

    def visit_Assign(self, node: ast.Assign) -> Any:
        if self.is_generator(node.value) and not isinstance(node.targets[0], ast.Tuple | ast.List):
            return node
        if isinstance(node.value, ast.Lambda) and node.value in self.inner.values():
            return self.defaults_of(node.value, node)
        names = [part for part in node.targets if isinstance(part, ast.Name)]
        if len(node.targets) > 1 and names and any(isinstance(part, ast.Tuple | ast.List) for part in node.targets):
            return self.one_by_one(node, names[0])
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Tuple | ast.List):
            if any(isinstance(part, ast.Starred) for part in target.elts):
                return self.unpacked(target, node)
            node.targets = [ast.copy_location(ast.Tuple(target.elts, ast.Store()), target)]
        self.generic_visit(node)
        return node

    def unpacked(self, target: ast.Tuple | ast.List, node: ast.Assign) -> list[ast.stmt]:
        """Translate ``first, *rest = numbers``."""
        many, place = len(target.elts) - 1, next(i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred))
        all_of, after = self.new_name("all"), many - place
        text = [
            f"{all_of} = list(VALUE)",
            f"if len({all_of}) < {many}:\n    {all_of} = list((nothing(),))" if many else "",
        ]
        statements = self.parsed("\n".join(filter(None, text[:1])), node, VALUE=node.value)
        if many:
            statements += self.parsed(f"{all_of}[{many - 1}]", node)
        for i, part in enumerate(target.elts):
            if isinstance(part, ast.Starred):
                value = f"{all_of}[{place}:len({all_of}) - {after}]" if after else f"{all_of}[{place}:]"
                if isinstance(part.value, ast.Name) and part.value.id == "_":
                    continue
                goal: ast.expr = part.value
            else:
                value, goal = f"{all_of}[{i if i < place else i - many - 1}]", part
            statements += self.parsed(f"GOAL = {value}", node, GOAL=goal)
        return [made for statement in statements for made in listed(self.visit(statement))]

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "sort":
            values = call.func.value
            if isinstance(values, ast.Name) and not call.args and any(k.arg == "key" for k in call.keywords):
                return self.sorted_in_place(values, call)
        self.generic_visit(node)
        return node

    def sorted_in_place(self, values: ast.Name, node: ast.Call) -> list[ast.stmt]:
        """Translate ``values.sort(key=...)``."""
        key = next(keyword.value for keyword in node.keywords if keyword.arg == "key")
        read = {name.id for name in ast.walk(key) if isinstance(name, ast.Name)} - bound_names(key)
        if values.id in read.union(*map(self._captured, read & self.inner.keys())):
            one = values.id
            raise self.wrong(
                node, f"a key that reads {one}, empty while Python sorts it; write {one} = sorted({one}, ...)"
            )
        in_order = ast.Call(ast.Name("sorted", ast.Load()), [values], node.keywords)
        text = "ALL = ORDER\nLIST.clear()\nfor EACH in ALL:\n    LIST.append(EACH)"
        names = {"ALL": self.new_name("all"), "EACH": self.new_name("each"), "LIST": values.id}
        body = self.parsed(text, node, ORDER=in_order, **names)
        return [made for statement in body for made in listed(self.visit(statement))]

    def visit_For(self, node: ast.For) -> Any:
        source = node.iter
        if isinstance(source, ast.GeneratorExp) and len(source.generators) == 1:
            generators, (element,) = self.fresh(source)
            inside = self.parsed("GOAL = E\nBODY", node, GOAL=node.target, E=element, BODY=node.body)
            for test in reversed(generators[0].ifs):
                inside = [placed(ast.If(test, inside, []), node)]
            more = {name: value for name, value in vars(node).items() if name in ("unordered", "earlier")}
            node = placed(ast.For(generators[0].target, generators[0].iter, inside, node.orelse), node)
            vars(node).update(more)
            return self.visit_For(node)
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
            and not (isinstance(right, ast.ListComp) and self.acts(right))
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
            compared: ast.expr = self.call(name, [*captured, self.visit(node.left)], node)
            return compared if isinstance(node.ops[0], ast.In) else placed(ast.UnaryOp(ast.Not(), compared), node)
        self.generic_visit(node)
        return node


def _generator_of(node: Any) -> Any:
    """Return a generator expression with the values of a sequence, which is refused where it is kept."""
    loop = ast.comprehension(ast.Name("_each", ast.Store()), node, [], 0)
    return placed(ast.GeneratorExp(ast.Name("_each", ast.Load()), [loop]), node)


class _Inlined(ast.NodeTransformer):
    """Puts an expression in place of a variable."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.value if node.id == self.name and isinstance(node.ctx, ast.Load) else node
