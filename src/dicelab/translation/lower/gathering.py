"""Lowers functions that go through a sequence to loops: ``any``, ``sum``, ``max`` with a key, ``sorted``, ``next``.

By itself because it says what each function of Python that goes through a sequence means, which is a list to look
things up in.
"""

from __future__ import annotations

import ast
import operator
from copy import deepcopy
from typing import Any

from dicelab.translation.lower.comprehensions import Comprehensions
from dicelab.translation.lower.lifted import Renamed, placed

ALONE: dict[Any, type[ast.unaryop]] = {operator.neg: ast.USub, operator.pos: ast.UAdd, operator.invert: ast.Invert}
ALONE[operator.not_] = ast.Not
PAIRED: dict[Any, Any] = {
    **{operator.add: ast.Add, operator.sub: ast.Sub, operator.mul: ast.Mult, operator.floordiv: ast.FloorDiv},
    **{operator.mod: ast.Mod, operator.and_: ast.BitAnd, operator.or_: ast.BitOr, operator.xor: ast.BitXor},
    **{operator.eq: ast.Eq, operator.ne: ast.NotEq, operator.lt: ast.Lt, operator.le: ast.LtE},
    **{operator.gt: ast.Gt, operator.ge: ast.GtE},
}
"""Functions of `operator`, and the syntax that does the same."""
EVALUATED = ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.BinOp | ast.NamedExpr
"""Expressions whose values may be others, or errors, at another moment."""
NO_RESULT = ast.Call(ast.Name("nothing", ast.Load()), [], [])
"""What is returned where there is nothing to return, which is an error."""


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
        generators, element = self.as_loops(source, node if start else None)
        total = self.new_name("total")
        inside = self.loops(generators, self.parsed(f"{total} {sign}= E", node, E=element), node, unordered=True)
        earlier, empty = self.evaluated(start[0] if start else ast.Constant(0 if sign == "+" else 1), inside, node)
        text = f"EARLIER\n{total} = START\nBODY\nreturn {total}"
        return self.part(self.parsed(text, node, EARLIER=earlier, START=empty, BODY=inside), node)

    def evaluated(self, value: ast.expr, loops: list[ast.stmt], at: ast.AST) -> tuple[list[ast.stmt], ast.expr]:
        """Return the statements that evaluate an argument before the loops, as Python does whether it is needed or not;
        and what stands for its value.
        """
        if isinstance(value, ast.Name) or not any(isinstance(part, EVALUATED) for part in ast.walk(value)):
            return [], value
        name = self.new_name("given")
        earlier = self.parsed(f"{name} = VALUE", at, VALUE=value)
        loops[0].earlier = earlier  # type: ignore[attr-defined]
        return earlier, placed(ast.Name(name, ast.Load()), at)

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
        generators, element = self.as_loops(source, node if given else None)
        some, best, item, rank = (self.new_name(n) for n in ("found", "best", "item", "rank"))
        key = given.get("key")
        lines = [f"{item} = E"]
        if key is not None:
            lines += [f"{rank} = KEY", f"if {some} == 0 or {rank} {better} {best}_rank:", f"    {best}_rank = {rank}"]
        else:
            lines += [f"if {some} == 0 or {item} {better} {best}:"]
        lines += [f"    {best} = {item}", f"{some} = 1"]
        ranked = self.applied(key, ast.Name(item, ast.Load())) if key is not None else element
        made = self.parsed("\n".join(lines), node, E=element, KEY=ranked)
        inside = self.loops(generators, made, node, unordered=key is None)
        text = f"EARLIER\n{some} = 0\nBODY\nif {some} == 0:\n    return NONE\nreturn {best}"
        earlier, none = self.evaluated(given["default"], inside, node) if "default" in given else ([], NO_RESULT)
        return self.part(self.parsed(text, node, EARLIER=earlier, BODY=inside, NONE=none), node)

    def gather_min(self, node: ast.Call) -> Any:
        return self.gather_max(node, "<")

    def gather_next(self, node: ast.Call) -> Any:
        if not isinstance(node.args[0], ast.GeneratorExp) or len(node.args) > 2:
            return self.generic_visit(node)
        generators, element = self.as_loops(node.args[0])
        inside = self.loops(generators, self.parsed("return E", node, E=element), node)
        earlier, none = self.evaluated(node.args[1], inside, node) if len(node.args) == 2 else ([], NO_RESULT)
        return self.part(self.parsed("EARLIER\nBODY\nreturn NONE", node, EARLIER=earlier, BODY=inside, NONE=none), node)

    def gather_sorted(self, node: ast.Call) -> Any:
        given = {k.arg: k.value for k in node.keywords}
        key = given.get("key")
        if key is None or (isinstance(key, ast.Constant) and key.value is None):
            node.keywords = [k for k in node.keywords if k.arg != "key"]
            return self.generic_visit(node)
        down = given.get("reverse", ast.Constant(False))
        if not isinstance(down, ast.Constant):
            return node
        generators, element = self.as_loops(node.args[0], node)
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
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Name):
            return node  # a name may be that of a dict, or of a list of pairs
        generators, element = self.as_loops(node.args[0])
        key, value, out = (self.new_name(n) for n in ("key", "value", "out"))
        inside = self.parsed(f"{key}, {value} = E\n{out}[{key}] = {value}", node, E=element)
        return self.gathered(generators, inside, out, "{}", node)

    def gather_reduce(self, node: ast.Call) -> Any:
        """Translate ``reduce(function, numbers)``, and with a first value."""
        if len(node.args) not in (2, 3) or node.keywords:
            return node
        function, source = node.args[:2]
        generators, element = self.as_loops(source, node)
        some, total, item = (self.new_name(n) for n in ("found", "total", "item"))
        step = self.of_two(function, total, item, node)
        if step is None:
            return node
        if len(node.args) == 3:
            inside = self.loops(generators, self.parsed(f"{item} = E\n{total} = F", node, E=element, F=step), node)
            earlier, start = self.evaluated(node.args[2], inside, node)
            text = f"EARLIER\n{total} = START\nBODY\nreturn {total}"
            return self.part(self.parsed(text, node, EARLIER=earlier, START=start, BODY=inside), node)
        lines = f"{item} = E\nif {some}:\n    {total} = F\nelse:\n    {total} = {item}\n    {some} = 1"
        inside = self.loops(generators, self.parsed(lines, node, E=element, F=step), node)
        text = f"{some} = 0\nBODY\nif {some} == 0:\n    return NONE\nreturn {total}"
        return self.part(self.parsed(text, node, BODY=inside, NONE=NO_RESULT), node)

    def of_two(self, function: ast.expr, one: str, other: str, at: ast.AST) -> Any:
        """Translate ``function(one, other)`` of two variables; None for a lambda of something else."""
        names = [one, other]
        if not isinstance(function, ast.Lambda):
            return placed(ast.Call(deepcopy(function), [ast.Name(name, ast.Load()) for name in names], []), at)
        given = function.args
        if len(given.args) != 2 or given.defaults or given.posonlyargs or given.vararg or given.kwonlyargs:
            return None
        own = {arg.arg: name for arg, name in zip(given.args, names, strict=True)}
        return Renamed(own).visit(deepcopy(function.body))

    def gather_accumulate(self, node: ast.Call) -> Any:
        """Translate ``accumulate(numbers, function)``, and with ``initial=``; nothing for ``accumulate(numbers)``."""
        if len(node.args) == 1 and not node.keywords:
            return None
        given = {k.arg: k.value for k in node.keywords}
        if len(node.args) > 2 or set(given) - {"func", "initial"} or (len(node.args) == 2 and "func" in given):
            return node
        function = node.args[1] if len(node.args) == 2 else given.get("func")
        start = given.get("initial")
        generators, element = self.as_loops(node.args[0], node)
        out, some, total, item = (self.new_name(n) for n in ("out", "found", "total", "item"))
        step: Any = placed(ast.BinOp(ast.Name(total, ast.Load()), ast.Add(), ast.Name(item, ast.Load())), node)
        if function is not None and not is_none(function):
            step = self.of_two(function, total, item, node)
        if step is None:
            return node
        head, lines = f"{total} = START\n{out}.append({total})", f"{item} = E\n{total} = F\n{out}.append({total})"
        if is_none(start):
            head = f"{some} = 0"
            lines = f"{item} = E\nif {some}:\n    {total} = F\nelse:\n    {total} = {item}\n    {some} = 1"
            lines += f"\n{out}.append({total})"
        inside = self.loops(generators, self.parsed(lines, node, E=element, F=step), node)
        earlier, first = ([], NO_RESULT) if start is None or is_none(start) else self.evaluated(start, inside, node)
        text = f"EARLIER\n{out} = []\n{head}\nBODY\nreturn {out}"
        made = self.part(self.parsed(text, node, EARLIER=earlier, START=first, BODY=inside), node)
        made.lazy = True
        return made

    def as_operator(self, node: ast.Call, operator: Any) -> Any:
        """Translate ``operator.add(a, b)`` as ``a + b``."""
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


def is_none(node: ast.expr | None) -> bool:
    """Return whether an argument isn't given, or None is."""
    return node is None or (isinstance(node, ast.Constant) and node.value is None)
