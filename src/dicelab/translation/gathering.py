"""Lowers functions that go through a sequence to loops: ``any``, ``sum``, ``max`` with a key, ``sorted``, ``next``."""

from __future__ import annotations

import ast
import operator
from copy import deepcopy
from typing import Any

from dicelab.translation.comprehensions import Comprehensions
from dicelab.translation.lifted import Renamed, placed

ALONE: dict[Any, type[ast.unaryop]] = {operator.neg: ast.USub, operator.pos: ast.UAdd, operator.invert: ast.Invert}
ALONE[operator.not_] = ast.Not
PAIRED: dict[Any, Any] = {
    **{operator.add: ast.Add, operator.sub: ast.Sub, operator.mul: ast.Mult, operator.floordiv: ast.FloorDiv},
    **{operator.mod: ast.Mod, operator.and_: ast.BitAnd, operator.or_: ast.BitOr, operator.xor: ast.BitXor},
    **{operator.eq: ast.Eq, operator.ne: ast.NotEq, operator.lt: ast.Lt, operator.le: ast.LtE},
    **{operator.gt: ast.Gt, operator.ge: ast.GtE},
}
"""Functions of `operator`, and the syntax that does the same."""


class Gathering(Comprehensions):
    """Lowers calls of builtin functions that go through a sequence; there is a method for each."""

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
            source = placed(ast.Tuple(node.args, ast.Load()), node)
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
        return placed(ast.Call(node.func, [made], []), node)

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

    def gather_reduce(self, node: ast.Call) -> Any:
        """``reduce(function, numbers)``, and with a first value."""
        if len(node.args) not in (2, 3) or node.keywords:
            return node
        function, source = node.args[:2]
        generators, element = self.as_loops(source)
        found, total, item = (self.new_name(n) for n in ("found", "total", "item"))
        names: list[ast.expr] = [ast.Name(total, ast.Load()), ast.Name(item, ast.Load())]
        step: Any = placed(ast.Call(deepcopy(function), names, []), node)
        if isinstance(function, ast.Lambda):
            if [len(function.args.args), len(function.args.defaults)] != [2, 0]:
                return node
            own = {arg.arg: name.id for arg, name in zip(function.args.args, names, strict=True)}  # type: ignore[attr-defined]
            step = Renamed(own).visit(deepcopy(function.body))
        if len(node.args) == 3:
            inside = self.loops(generators, self.parsed(f"{item} = E\n{total} = F", node, E=element, F=step), node)
            text = f"{total} = START\nBODY\nreturn {total}"
            return self.part(self.parsed(text, node, START=node.args[2], BODY=inside), node)
        lines = f"{item} = E\nif {found}:\n    {total} = F\nelse:\n    {total} = {item}\n    {found} = 1"
        inside = self.loops(generators, self.parsed(lines, node, E=element, F=step), node)
        text = f"{found} = 0\n{total} = 0\nBODY\nif {found} == 0:\n    return NONE\nreturn {total}"
        none = ast.Call(ast.Name("nothing", ast.Load()), [], [])
        return self.part(self.parsed(text, node, BODY=inside, NONE=none), node)

    def as_operator(self, node: ast.Call, operator: Any) -> Any:
        """``operator.add(a, b)`` as ``a + b``."""
        if node.keywords or len(node.args) != (1 if operator in ALONE else 2):
            return node
        if operator in ALONE:
            return placed(ast.UnaryOp(ALONE[operator](), node.args[0]), node)
        kind = PAIRED[operator]
        if issubclass(kind, ast.cmpop):
            return placed(ast.Compare(node.args[0], [kind()], [node.args[1]]), node)
        return placed(ast.BinOp(node.args[0], kind(), node.args[1]), node)

    def gather_len(self, node: ast.Call) -> Any:
        return self.generic_visit(node)
