"""Lists with two names: what they are part of, and where that changes.

Compiled code copies a list that gets a second name; where the list changes afterwards, under either name, that would
show, and is refused. ``for row in lists`` and ``row = lists[0]`` give an item of `lists` a second name that isn't
copied: it is a place of `lists`, which later may hold another item.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeGuard

from dicelab.translation.entries import names_of
from dicelab.translation.infer.inference import Kinds
from dicelab.translation.infer.kinds import (
    GRID,
    LINE,
    Lst,
    augmented_in,
    blocks_of,
    changed_in,
    changed_inside,
    is_item,
    is_slice,
    root,
)
from dicelab.translation.infer.sharing import Sharing
from dicelab.translation.lower.lifted import generates
from dicelab.translation.lower.unset import bound_in

MOVING = ("pop", "popitem", "remove", "discard", "insert", "sort", "reverse", "clear", "update")
"""Methods after which other items are at the places of a list or dict."""


def _items_named(node: ast.AST, kinds: Kinds) -> tuple[Iterable[ast.AST], set[str]]:
    """Return the targets to which a statement gives items of lists, and the variables that these lists are."""
    match node:
        case ast.For():
            return ast.walk(node.target), _gone_through(node.iter, kinds)
        case ast.Assign(value=value) if is_item(value):
            return node.targets, root(value)
        case ast.Assign(targets=[ast.Tuple(elts=parts), *_]):  # p, q = lists
            return parts, {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
    return (), set()


def sources(kinds: Kinds) -> dict[str, set[str]]:
    """Return, for each variable that is an item of other lists, the variables that these lists are, or are inside."""
    by_name: dict[str, set[str]] = {}
    for node in ast.walk(kinds.tree):
        targets, names = _items_named(node, kinds)
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(kinds.variables.get(target.id), Lst):
                by_name.setdefault(target.id, set()).update(names - {target.id})
    for _ in by_name:
        for name, inside in by_name.items():
            by_name[name] = inside | {outer for one in inside for outer in by_name.get(one, ())}
    return by_name


def _gone_through(source: ast.expr, kinds: Kinds) -> set[str]:
    """Return the variables of whose items a loop over an expression may go through; not through copies of these."""
    if isinstance(source, ast.Call) and kinds.target(source.func) in (enumerate, zip, reversed):
        return set[str]().union(*(_gone_through(part, kinds) for part in source.args))
    if isinstance(source, ast.Call) and kinds.rule_called(source) is not None:
        return set[str]().union(*map(root, given_back(source, kinds)))
    return {part.id for part in ast.walk(source) if isinstance(part, ast.Name)}


def changed_items(kinds: Kinds) -> set[str]:
    """Return the variables of whose items, which are lists, a function changes one, under any name."""
    within, changed = sources(kinds), changed_in(kinds.tree) | augmented_in(kinds.tree)
    return changed_inside(kinds.tree).union(*(within[name] for name in changed & within.keys()))


def replaced(kinds: Kinds) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield the places at which a list gets other items while a variable that is one of them may still be read, with
    the names of this variable and of the list.
    """
    within = sources(kinds)
    if not within:
        return
    loops = [set(map(id, ast.walk(node))) for node in ast.walk(kinds.tree) if isinstance(node, ast.For | ast.While)]
    for name, outer in within.items():
        uses = [node for node in ast.walk(kinds.tree) if isinstance(node, ast.Name) and node.id == name]
        bound = [node for node in uses if isinstance(node.ctx, ast.Store)]
        before = {id(node): _certain(node, name, kinds.tree) for node in uses}
        read = [node for node in uses if isinstance(node.ctx, ast.Load)]
        for change, changed in _moves(kinds.tree):
            if changed in outer and any(_may_follow(change, one, bound, before[id(one)], loops) for one in read):
                yield change, name, changed


def _moves(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield the places at which a list gets other items, and its name."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MOVING:
                yield node, name
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                yield node, name
            case ast.Assign(targets=[ast.Name(id=name) as target]):
                yield target, name


def _certain(read: ast.Name, name: str, tree: ast.AST) -> list[int]:
    """Return the lines before a place that reads a variable which set it whatever happens."""
    lines = []
    for block in blocks_of(tree):
        for i, statement in enumerate(block):
            if not any(part is read for part in ast.walk(statement)):
                continue
            for earlier in block[:i]:
                targets = earlier.targets if isinstance(earlier, ast.Assign) else []
                if any(name in bound_in(target) for target in targets):
                    lines.append(earlier.lineno)
            if isinstance(statement, ast.For) and any(p is read for s in statement.body for p in ast.walk(s)):
                lines += [statement.lineno] * (name in bound_in(statement.target))
    return lines


def _may_follow(
    change: ast.expr, read: ast.Name, bound: list[ast.Name], certain: list[int], loops: list[set[int]]
) -> bool:
    """Return whether a variable may be read after a change, without having been set in between."""
    if read.lineno > change.lineno:
        between = any(change.lineno < line <= read.lineno for line in certain)
        if not between and any(one.lineno <= change.lineno for one in bound):
            return True
    for loop in loops:
        if id(change) in loop and id(read) in loop:
            inside = {one.lineno for one in bound if id(one) in loop}
            if not any(line in inside for line in certain):
                return True
    return False


def aliases(value: ast.expr, kinds: Kinds) -> list[ast.expr]:
    """Return the names, and items of lists, that a value may be, or may hold as its items."""
    match value:
        case ast.IfExp():
            parts = [value.body, value.orelse]
        case ast.BoolOp():
            parts = value.values
        case ast.List() | ast.Tuple():
            parts = value.elts
        case ast.Starred():
            parts = [value.value]
        case ast.Call() | ast.BinOp():
            return given_back(value, kinds)
        case _:
            if is_slice(value):
                return aliases(value.value, kinds) if is_nested(kinds.of(value)) else []
            named = isinstance(value, ast.Name | ast.Subscript)
            return [value] if named and isinstance(kinds.of(value), Lst) else []
    return [alias for part in parts for alias in aliases(part, kinds)]


def given_back(value: ast.Call | ast.BinOp, kinds: Kinds) -> list[ast.expr]:
    """Return the arguments of a call that its result may be, or whose lists it may hold."""
    kind, called = kinds.of(value), kinds.rule_called(value) if isinstance(value, ast.Call) else None
    holds = is_nested(kind)
    if called is None:  # list(lists), lists.copy()
        names = [n for n in ast.walk(value) if isinstance(n, ast.Name)] if holds else []
        return [n for n in names if isinstance(kinds.of(n), Lst)]
    rule, node, given = called
    result = Sharing(kinds.cls).of(rule).result
    kept = result.outer | (result.inner if holds else frozenset())
    pairs = [*zip(names_of(rule.function, rule.role), given, strict=False)]
    pairs += [(str(k.arg), k.value) for k in node.keywords]
    return [alias for name, one in pairs if name in kept for alias in aliases(one, kinds)]


def is_nested(kind: object) -> bool:
    """Return whether values of a kind have lists inside them."""
    return isinstance(kind, Lst) and (isinstance(kind.item, Lst) or isinstance(kind.value, Lst))


def copied_in(source: ast.expr, kinds: Kinds) -> Iterator[ast.expr]:
    """Yield the names, and items of lists, whose copies a loop goes through."""
    if isinstance(source, ast.Call) and kinds.target(source.func) in (enumerate, zip, reversed):
        for part in source.args:
            yield from copied_in(part, kinds)
    elif is_nested(kinds.of(source)) and not (isinstance(source, ast.Name | ast.Attribute) or is_item(source)):
        yield from aliases(source, kinds)


# Later ----------------------------------------------------------------------------------------------------------------
#
# What a function does, after a statement, with a list that has got a second name or a place in another list.


Names = frozenset[str] | None
"""Variables that may still be the list; None where a line can't be reached."""


def is_changed_later(names: set[str], at: ast.AST, kinds: Kinds) -> bool:
    """Return whether one of some variables is changed while it may still be the list that it is at a place."""
    return _Later(names, at, kinds).changed


def is_used_later(name: str, at: ast.AST, kinds: Kinds) -> bool:
    """Return whether a variable is read, or changed, while it may still be the list that it is at a place."""
    later = _Later({name}, at, kinds)
    return later.changed or later.read


def has_other_names(name: str, at: ast.AST, kinds: Kinds) -> bool:
    """Return whether the list that a variable is may have another name than this, or be in another list than that into
    which one place puts it.
    """
    for node in ast.walk(kinds.tree):
        given: list[ast.expr] = []
        match node:
            case ast.For() | ast.comprehension():
                if name in bound_in(node.target) or name in {n.id for n in ast.walk(node.iter) if is_name(n)}:
                    return True
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign() if node.value is not None:
                given = [node.value]
                if not isinstance(node, ast.AugAssign) and name in bound_in(node) and aliases(node.value, kinds):
                    return True
            case ast.Call(func=ast.Attribute()):
                given = node.args
        held = set[str]().union(*(root(alias) for part in given for alias in aliases(part, kinds)))
        if name in held and _place(node) != _place(at):
            return True
    return False


def is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    """Return whether a node is a name."""
    return isinstance(node, ast.Name)


def same_as(value: ast.expr | None, kinds: Kinds) -> set[str]:
    """Return the variables whose list a value may be."""
    match value:
        case ast.IfExp():
            parts = [value.body, value.orelse]
        case ast.BoolOp() | ast.Tuple():
            parts = value.values if isinstance(value, ast.BoolOp) else value.elts
        case ast.Name() | ast.Call() | ast.BinOp():
            return set[str]().union(*map(root, aliases(value, kinds)))
        case _:
            return set()
    return set[str]().union(*(same_as(part, kinds) for part in parts))


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", -1), getattr(node, "col_offset", -1)


class _Later:
    """Follows the statements of a function in order.

    Attributes
    ----------
    changed, read
        Whether a variable is changed, or read, while it may still be the list.
    """

    def __init__(self, names: set[str], at: ast.AST, kinds: Kinds) -> None:
        self.kinds = kinds
        self.names, self.at = frozenset(names), _place(at)
        self.changed = self.read = self._met = False
        self._breaks: list[list[Names]] = []
        self._continues: list[list[Names]] = []
        self._block(getattr(kinds.tree, "body", []), frozenset())
        self.changed |= not self._met

    def _block(self, statements: Sequence[ast.stmt], still: Names) -> Names:
        for statement in statements:
            if still is None:
                return None
            still = self._statement(statement, still)
        return still

    def _look(self, node: ast.AST, still: frozenset[str]) -> None:
        """Note what a statement, or the first line of one, does."""
        self.changed |= bool(still & (changed_in(node) | augmented_in(node) | changed_inside(node)))
        loads = (part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
        self.read |= bool(still & set(loads))

    def _statement(self, node: ast.stmt, still: frozenset[str]) -> Names:
        match node:
            case ast.If():
                self._look(node.test, still)
                return _joined(self._block(node.body, still), self._block(node.orelse, still))
            case ast.While():
                return self._loop(node, still, node.test, frozenset(), set())
            case ast.For():
                self._look(node.iter, still)
                named = {part.id for part in ast.walk(node.iter) if is_name(part)}  # ``for row in (first, second)``
                return self._loop(node, still, node.target, bound_in(node.target), named)
            case ast.Match():
                for part in (node.subject, *(case.guard for case in node.cases if case.guard is not None)):
                    self._look(part, still)
                return _joined(still, *(self._block(case.body, still) for case in node.cases))
            case ast.Break():
                self._breaks[-1].append(still)
                return None
            case ast.Continue():
                self._continues[-1].append(still)
                return None
        self._look(node, still)
        if isinstance(node, ast.Return | ast.Raise):
            return None
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            still = self._bound(still, bound_in(node), same_as(node.value, self.kinds))
        if any(_place(part) == self.at for part in ast.walk(node)):
            self._met = True
            still |= self.names
        return still

    def _bound(self, still: frozenset[str], bound: frozenset[str], same: set[str]) -> frozenset[str]:
        """Return the variables that may be the list after some get values that may each be one of others."""
        lists = {name for name in bound if isinstance(self.kinds.variables.get(name), Lst)}
        return (still - bound) | (lists if still & same else set())

    def _loop(
        self,
        node: ast.While | ast.For,
        still: frozenset[str],
        first: ast.expr,
        bound: frozenset[str],
        named: set[str],
    ) -> Names:
        while True:
            self._breaks.append([])
            self._continues.append([])
            self._look(first, still)
            end = self._block(node.body, self._bound(still, bound, named))
            breaks, again = self._breaks.pop(), self._continues.pop()
            after = _joined(still, end, *again)
            assert after is not None
            if after == still:
                return _joined(*breaks, self._block(node.orelse, still))
            still = after


def _joined(*paths: Names) -> Names:
    """Return what may hold where several paths meet."""
    reached = [names for names in paths if names is not None]
    return frozenset().union(*reached) if reached else None


# Lazy -----------------------------------------------------------------------------------------------------------------
#
# What a loop goes through and changes at the same time: refused, or gone through as a copy, where it would matter.
#
# Python computes the values of a generator, ``chain`` and ``accumulate`` one by one, while the loop runs; compiled code
# computes all of them before. A slice is a copy in Python, and part of the same numbers in compiled code.


STEPPING = (enumerate, zip, reversed)
"""Functions whose values are read one by one, in compiled code too."""
GATHERED_FIRST = (itertools.chain, itertools.accumulate)
"""Functions whose values are all computed before the loop in compiled code, one by one in Python."""
ANY_FIELD = ".*"


class Touched(NamedTuple):
    """The variables, and fields with a point before them, that some code reads and changes."""

    reads: set[str]
    changes: set[str]

    @property
    def changes_fields(self) -> bool:
        """Whether it changes the state, or a memory."""
        return any(name.startswith(".") for name in self.changes)

    def depends_on(self, other: Touched) -> bool:
        """Return whether it reads what other code changes."""
        if self.reads & other.changes or (ANY_FIELD in self.reads and other.changes_fields):
            return True
        return ANY_FIELD in other.changes and any(name.startswith(".") for name in self.reads)


def touched(parts: Iterable[ast.AST], kinds: Kinds, kinds_of: Any) -> Touched:
    """Return what code reads and changes, with all that it calls; `kinds_of` returns the kinds of a rule."""
    changes, seen = Touched(set(), set()), set[Any]()
    _follow(parts, kinds, kinds_of, changes, seen)
    return changes


def _follow(parts: Iterable[ast.AST], kinds: Kinds, kinds_of: Any, changes: Touched, seen: set[Any]) -> None:
    for node in (node for part in parts for node in ast.walk(part)):
        match node:
            case ast.Name(id=name):
                (changes.reads if isinstance(node.ctx, ast.Load) else changes.changes).add(name)
                if kinds.variables.get(name) in (LINE, GRID):  # a row of the game under another name
                    changes.reads.add(ANY_FIELD)
            case ast.Attribute(attr=name):
                (changes.reads if isinstance(node.ctx, ast.Load) else changes.changes).add(f".{name}")
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                while isinstance(owner, ast.Subscript):
                    owner = owner.value
                if isinstance(owner, ast.Attribute):
                    changes.changes.add(f".{owner.attr}")
                elif isinstance(owner, ast.Name):
                    changes.changes.update({owner.id} if owner.id in kinds.owned else {owner.id, ANY_FIELD})
            case ast.Call():
                changes.changes.update(changed_in(ast.Expr(node)))
                _follow_call(node, kinds, kinds_of, changes, seen)


def _follow_call(node: ast.Call, kinds: Kinds, kinds_of: Any, changes: Touched, seen: set[Any]) -> None:
    called = kinds.rule_called(node)
    if called is None:
        return
    given = tuple(sorted(kinds.given_to(*called).items(), key=lambda pair: pair[0]))
    if (called[0], given) in seen:
        return
    seen.add((called[0], given))
    inner, own = kinds_of(called[0], given), Touched(set(), set())
    _follow([inner.tree], inner, kinds_of, own, seen)
    changes.reads.update(name for name in own.reads if name.startswith("."))
    changes.changes.update(name for name in own.changes if name.startswith("."))


def lazy_parts(node: ast.expr, kinds: Kinds) -> Iterator[ast.expr]:
    """Yield the parts of what a loop goes through whose values Python computes while the loop runs, and compiled code
    before it.
    """
    if isinstance(node, ast.IfExp | ast.BoolOp):
        for part in [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values:
            yield from lazy_parts(part, kinds)
    if not isinstance(node, ast.Call):
        return
    rule, target = kinds.rule_called(node), kinds.target(node.func)
    if getattr(node, "lazy", False) or (rule is not None and generates(rule[0].function)):
        yield node
    elif target in STEPPING:
        for part in node.args:
            yield from lazy_parts(part, kinds)
    elif target in GATHERED_FIRST:
        yield from node.args


class Copied(ast.NodeTransformer):
    """Writes ``list(...)`` around the slices that a loop goes through, where its body changes what they are part of."""

    def __init__(self, body: Touched, kinds: Kinds, kinds_of: Any) -> None:
        self.body, self.kinds, self.kinds_of = body, kinds, kinds_of

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if self.kinds.target(node.func) in STEPPING:
            made = ast.Call(node.func, [self.visit(part) for part in node.args], node.keywords)
            return ast.copy_location(made, node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if not isinstance(node.slice, ast.Slice):
            return node
        if not touched([node.value], self.kinds, self.kinds_of).depends_on(self.body):
            return node
        return ast.fix_missing_locations(ast.copy_location(ast.Call(ast.Name("list", ast.Load()), [node], []), node))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Return anything else as it is."""
        return node


def has_slices(node: ast.expr, kinds: Kinds) -> bool:
    """Return whether a loop goes through a slice."""
    if isinstance(node, ast.Call) and kinds.target(node.func) in STEPPING:
        return any(has_slices(part, kinds) for part in node.args)
    return is_slice(node)
