"""The kinds of what functions of Python's library return.

By itself because it is a list of functions to look things up in.
"""

from __future__ import annotations

import ast
import collections
import itertools
import math
from collections.abc import Callable
from typing import Any

from dicelab.rules.fields import Ints
from dicelab.translation.infer.kinds import (
    CAPACITY,
    INNER,
    MOST_CHOSEN,
    MOST_LISTED,
    MOST_TOGETHER,
    NUMBER,
    OTHER,
    Lst,
    Tup,
    as_list,
    item_of,
    joined,
)

Question = Callable[[Any, ast.Call], Any]
"""What answers with the kind of a call's result, given the `Kinds` of the function in which it is."""


def _same(kinds: Any, node: ast.Call) -> Any:
    """Return the kind of ``list(...)``, ``tuple(...)``, ``reversed(...)``: the values of a sequence."""
    target = kinds.target(node.func)
    form = "tuple" if target is tuple else "list" if target is list else "iterator"
    if not node.args:
        return Lst(None, form) if form == "list" else Tup(())
    kind = kinds.of(node.args[0])
    if isinstance(kind, Tup) and target is tuple:
        return Tup(kind.items)
    line = as_list(kind)
    if line is None:
        return Lst(item_of(kind) or NUMBER, form)
    return Lst(line.item, form, max(line.most, CAPACITY))


def _sorted(kinds: Any, node: ast.Call) -> Any:
    many = kinds.sorted_at_once(node)
    if many is not None:
        return Tup((NUMBER,) * many, (), "list")
    kind = as_list(kinds.of(node.args[0])) if node.args else None
    item = kind.item if kind else NUMBER
    return Lst(item, "list", max(kind.most if kind else 0, CAPACITY))


def _set(kinds: Any, node: ast.Call) -> Any:
    kind = as_list(kinds.of(node.args[0])) if node.args else None
    return Lst(kind.item if kind else (NUMBER if node.args else None), "set", CAPACITY)


def _extreme(kinds: Any, node: ast.Call) -> Any:
    if len(node.args) == 1:
        return item_of(kinds.of(node.args[0])) or NUMBER
    kind = None
    for part in node.args:
        kind = joined(kind, kinds.of(part))
    return kind


def _zip(kinds: Any, node: ast.Call) -> Any:
    return Lst(Tup(tuple(item_of(kinds.of(part)) or NUMBER for part in node.args)), "iterator")


def _enumerate(kinds: Any, node: ast.Call) -> Any:
    return Lst(Tup((NUMBER, item_of(kinds.of(node.args[0])) or NUMBER)), "iterator") if node.args else None


def length_at_most(kinds: Any, node: ast.expr) -> int:
    """Return the largest length of a sequence that is seen from the text."""
    kind = kinds.of(node)
    if isinstance(kind, Tup):
        return len(kind.items)
    if isinstance(node, ast.List | ast.Tuple):
        return len(node.elts)
    if isinstance(node, ast.Call) and kinds.target(node.func) is range:
        ends = [kinds.constant(part) for part in node.args]
        if None not in ends:
            return len(range(*ends))
    declared = kinds.field(node)
    if isinstance(declared, Ints) and isinstance(declared.length, int):
        return declared.length
    return 12


def _chosen(many_of: Callable[[int, int], int]) -> Question:
    def kind(kinds: Any, node: ast.Call) -> Any:
        many = kinds.constant(node.args[1]) if len(node.args) == 2 else None
        if many is None:
            return Lst(Lst(NUMBER, "tuple", MOST_TOGETHER), "list", MOST_LISTED)
        if not 1 <= many <= 8:
            return OTHER
        most = min(MOST_CHOSEN, max(1, many_of(length_at_most(kinds, node.args[0]), many)))
        return Lst(Tup((NUMBER,) * many), "list", most)

    return kind


def _product(kinds: Any, node: ast.Call) -> Any:
    repeat = next((kinds.constant(k.value) for k in node.keywords if k.arg == "repeat"), 1)
    sources = node.args * (repeat or 1)
    if len(node.args) == 1 and isinstance(node.args[0], ast.Starred) and not node.keywords:
        kind = kinds.of(node.args[0].value)
        if isinstance(kind, Lst) and isinstance(kind.item, Lst) and kind.item.item in (NUMBER, None):
            return Lst(Lst(NUMBER, "tuple", MOST_TOGETHER), "list", MOST_LISTED)
        return OTHER
    if repeat is None or not 1 <= len(sources) <= 8 or any(isinstance(s, ast.Starred) for s in sources):
        return OTHER
    most = math.prod(length_at_most(kinds, source) for source in sources)
    return Lst(Tup((NUMBER,) * len(sources)), "list", min(MOST_CHOSEN, max(1, most)))


def _chain(kinds: Any, node: ast.Call) -> Any:
    kind = None
    for part in node.args:
        kind = joined(kind, item_of(kinds.of(part)) or NUMBER)
    return Lst(kind)


def _numbers(_kinds: Any, _node: ast.Call) -> Any:
    return Lst(NUMBER)


def _counter(kinds: Any, node: ast.Call) -> Any:
    kind = as_list(kinds.of(node.args[0])) if node.args else None
    item = kind.item if kind else NUMBER if node.args else None
    return Lst(item, "dict", CAPACITY, NUMBER, missing="zero")


def _default_dict(kinds: Any, node: ast.Call) -> Any:
    if len(node.args) == 1 and kinds.target(node.args[0]) is int:
        return Lst(None, "dict", CAPACITY, NUMBER, missing="added")
    if len(node.args) == 1 and kinds.target(node.args[0]) is list:
        return Lst(None, "dict", CAPACITY, Lst(None, most=INNER), missing="added")
    return OTHER


def _dict(kinds: Any, node: ast.Call) -> Any:
    kind = kinds.of(node.args[0]) if node.args else Lst(None, "dict")
    if not isinstance(kind, Lst):
        return kind
    if kind.form in ("list", "tuple") and isinstance(kind.item, Tup) and len(kind.item.items) == 2:
        return Lst(kind.item.items[0], "dict", max(CAPACITY, kind.most), kind.item.items[1])
    if kind.form == "dict":
        return kind._replace(missing="", constant=False, most=max(CAPACITY, kind.most))
    return kind


CALLS: dict[Any, Question] = {
    collections.Counter: _counter,
    collections.defaultdict: _default_dict,
    list: _same,
    tuple: _same,
    reversed: _same,
    sorted: _sorted,
    set: _set,
    frozenset: _set,
    dict: _dict,
    range: lambda kinds, node: Lst(NUMBER, "iterator"),
    max: _extreme,
    min: _extreme,
    zip: _zip,
    enumerate: _enumerate,
    divmod: lambda kinds, node: Tup((NUMBER, NUMBER)),
    itertools.combinations: _chosen(math.comb),
    itertools.permutations: _chosen(math.perm),
    itertools.combinations_with_replacement: _chosen(lambda n, k: math.comb(n + k - 1, k)),
    itertools.product: _product,
    itertools.chain: _chain,
    itertools.accumulate: _numbers,
}
