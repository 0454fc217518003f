"""The kind of each expression of a rule: a number, a tuple, a list, a set, a dict, a row of the game.

A kind says how a value is held by compiled code. Inside a function a variable has one kind, joined over all values that
are assigned to it, appended to it or stored in it; so there is one inference for each function and the kinds of its
arguments.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Collection, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeGuard

MOST_SORTED = 8
"""Numbers up to which ``sorted`` gives a tuple of variables."""
CAPACITY = 128
"""Numbers, or tuples, that a list has room for unless more are seen to be needed."""
MOST_CHOSEN = 4096
"""Tuples that the result of a function of itertools has room for at most."""
MOST_LISTED, MOST_TOGETHER = 512, 12
"""Results of ``combinations`` and the like, and numbers in each, where their number isn't known before."""
INNER = 32
"""Numbers that a list inside a list has room for."""


class Tup(NamedTuple):
    """A tuple of values of these kinds; of a named tuple, or of a dataclass, also the names of its fields.

    `form` is ``list`` for a list of fixed length that never changes, as ``sorted`` of three numbers. `made` is the
    dataclass that it is one of; None for what Python has as a sequence.
    """

    items: tuple[Any, ...]
    names: tuple[str, ...] = ()
    form: str = "tuple"
    made: type | None = None


class Lst(NamedTuple):
    """Values of one kind, in an array: a list, a tuple of any length, a set, or a dict (`item` is the kind of a key).

    Attributes
    ----------
    item
        The kind of each value; None if there is none yet.
    form
        ``list``, ``tuple``, ``set``, ``dict``, or ``iterator`` for what can only be gone through.
    most
        Values that it has room for.
    value
        The kind of the values of a dict.
    constant
        Whether it is a constant of the file.
    missing
        What a key that isn't there does in a dict: "" is an error, ``zero`` counts 0 (``Counter``), ``added`` also adds
        it with 0 (``defaultdict(int)``).
    """

    item: Any
    form: str = "list"
    most: int = CAPACITY
    value: Any = None
    constant: bool = False
    missing: str = ""


class Opt(NamedTuple):
    """A number, a text or a tuple, or None, which is held as `LEAST` in place of its first number."""

    kind: Any


NOTHING = "nothing"
"""The kind of None."""
NUMBER, TEXT, LINE, FACES, GRID, OTHER, MIXED = "number", "text", "row", "faces", "grid", "other", "several kinds"
"""Other kinds: `LINE` is a row of numbers of the game or of a memory, `FACES` that of a roll, `GRID` a row of rows. A
text is a number that stands for it, and can only be compared for equality."""
UNCLEAR = "a text or something else"
ROWS = {LINE: "list", FACES: "tuple"}
"""What a row is in Python."""
CHANGING = {
    "append",
    "extend",
    "insert",
    "pop",
    "remove",
    "sort",
    "reverse",
    "clear",
    "add",
    "discard",
    "update",
    "setdefault",
    "subtract",
}
"""Methods that change a list, set or dict."""


def joined(one: Any, other: Any) -> Any:
    """Return the kind of a value that may be of either kind."""
    if one is None or one == other:
        return other
    if other is None:
        return one
    if NOTHING in (one, other) or isinstance(one, Opt) or isinstance(other, Opt):
        kind = joined(stripped(one), stripped(other))
        return Opt(kind) if is_flat(kind) and kind != Tup(()) else MIXED
    if {TEXT, UNCLEAR} & {one if isinstance(one, str) else "", other if isinstance(other, str) else ""}:
        return UNCLEAR
    if isinstance(one, Tup) and isinstance(other, Tup) and len(one.items) == len(other.items):
        names = one.names if one.names == other.names else ()
        if (one.form, one.made) == (other.form, other.made):
            return Tup(tuple(map(joined, one.items, other.items)), names, one.form, one.made)
    first, second = as_list(one), as_list(other)
    return MIXED if first is None or second is None else _joined_lists(first, second)


def _joined_lists(first: Lst, second: Lst) -> Any:
    """Return the kind of a list, set or dict that may be of either kind."""
    if "iterator" in (first.form, second.form) or first.form != second.form:
        return MIXED
    item, value = joined(first.item, second.item), joined(first.value, second.value)
    if first.missing != second.missing or {MIXED, UNCLEAR} & {k for k in (item, value) if isinstance(k, str)}:
        return MIXED
    return Lst(item, first.form, max(first.most, second.most), value, missing=first.missing)


def stripped(kind: Any) -> Any:
    """Return the kind of a value that isn't None."""
    return kind.kind if isinstance(kind, Opt) else None if kind == NOTHING else kind


def as_list(kind: Any) -> Lst | None:
    """Return the list with the values of a sequence; None if it is none."""
    if isinstance(kind, Lst):
        return kind
    if kind in (LINE, FACES):
        return Lst(NUMBER, ROWS[kind])
    if isinstance(kind, Tup) and kind.made is None:
        item = item_of(kind)
        return None if item in (MIXED, UNCLEAR) else Lst(item, kind.form, max(CAPACITY, len(kind.items)))
    return None


def item_of(kind: Any) -> Any:
    """Return the kind of the values of a sequence."""
    if isinstance(kind, Lst):
        return kind.item
    if kind in (LINE, FACES):
        return NUMBER
    if kind == GRID:
        return LINE
    if isinstance(kind, Tup):
        joint = None
        for item in kind.items:
            joint = joined(joint, item)
        return joint
    return None


def width(kind: Any) -> int:
    """Return how many numbers hold a value of a kind in a table."""
    if isinstance(kind, Tup):
        return sum(map(width, kind.items))
    return kind.most + 1 if isinstance(kind, Lst) else 1


def is_flat(kind: Any) -> bool:
    """Return whether a value of the kind is a number, or a tuple of such."""
    return kind in (NUMBER, TEXT, None) or (isinstance(kind, Tup) and all(map(is_flat, kind.items)))


def is_record(kind: Any) -> bool:
    """Return whether a tuple has lists in it, so that it is held as a row of a table."""
    return isinstance(kind, Tup) and any(isinstance(item, Lst) or is_record(item) for item in kind.items)


def has_object(kind: Any) -> bool:
    """Return whether a value is of a dataclass, which Python compares by its class, or has such a value, or None, in
    it.
    """
    match kind:
        case Tup():
            return kind.made is not None or OTHER in kind.items or any(map(has_object, kind.items))
        case Lst():
            return OTHER in (kind.item, kind.value) or has_object(kind.item) or has_object(kind.value)
        case Opt():
            return has_object(kind.kind)
    return False


def is_constant_part(kind: Any) -> bool:
    """Return whether a table of constants can hold a value of this kind in a row."""
    if isinstance(kind, Lst):
        return kind.form in ("list", "tuple", "set") and is_flat(kind.item)
    return is_flat(kind) or (isinstance(kind, Tup) and all(map(is_constant_part, kind.items)))


def fitted(kind: Any, values: Sequence[Any]) -> Any:
    """Return the kind with room for just the longest of some constants."""
    if isinstance(kind, Lst):
        return kind._replace(most=max([1, *map(len, values)]))
    if isinstance(kind, Tup):
        parts = [[getattr(v, n) for n in kind.names] if kind.names else list(v) for v in values]
        return kind._replace(items=tuple(fitted(k, [p[i] for p in parts]) for i, k in enumerate(kind.items)))
    return kind


def is_held(kind: Any) -> bool:
    """Return whether compiled code can hold a list, set or dict of this kind."""
    if not isinstance(kind, Lst):
        return False
    if kind.constant and is_record(kind.value if kind.form == "dict" else kind.item):
        return is_constant_part(kind.value if kind.form == "dict" else kind.item)
    if kind.form == "dict":
        lists = isinstance(kind.value, Lst) and kind.value.form == "list" and kind.value.item in (NUMBER, TEXT, None)
        lists |= kind.constant and isinstance(kind.value, Lst) and is_constant_part(kind.value)
        return is_key(kind.item) and (kind.value is None or is_flat(kind.value) or lists)
    if kind.form == "set" and is_key(kind.item):
        return True
    if isinstance(kind.item, Lst):
        return kind.form in ("list", "tuple") and kind.item.item in (NUMBER, TEXT, None)
    return kind.item is None or is_flat(kind.item)


def is_key(kind: Any) -> bool:
    """Return whether compiled code can hold values of a kind as the keys of a dict, or in a set."""
    if isinstance(kind, Lst):
        return kind.form == "tuple" and kind.item in (NUMBER, TEXT)
    return kind is None or (is_flat(kind) and not has_object(kind))


def kind_of(value: Any) -> Any:
    """Return the kind of a constant of the file."""
    if isinstance(value, int):
        return NUMBER
    if isinstance(value, str):
        return TEXT
    if isinstance(value, tuple | list):
        names = getattr(value, "_fields", ())
        kinds, form = tuple(map(kind_of, value)), "list" if isinstance(value, list) else "tuple"
        if names or is_plain(tuple(value)):
            return Tup(kinds, names, form)
        return _listed(value, kinds) or Tup(kinds, (), form)
    if isinstance(value, range):
        return Tup((NUMBER,) * len(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(f.name for f in dataclasses.fields(value))
        return Tup(tuple(kind_of(getattr(value, name)) for name in names), names, made=type(value))
    if isinstance(value, MappingProxyType):
        return kind_of(dict(value))
    if isinstance(value, dict):
        return _of_dict(value)
    return _of_set(value) if isinstance(value, set | frozenset) else OTHER


def _of_dict(value: dict[Any, Any]) -> Any:
    """Return the kind of a dict of the file."""
    item = None
    for v in value.values():
        item = joined(item, kind_of(v))
    key = key_of(list(value))
    if item is not MIXED and item != UNCLEAR:
        item = fitted(item, list(value.values()))
    kind = Lst(key, "dict", max(1, len(value)), item, True)
    return kind if is_held(kind) else OTHER


def _of_set(value: Collection[Any]) -> Any:
    """Return the kind of a set of the file; one of numbers, or of texts, is a tuple."""
    for plain, kind in ((int, NUMBER), (str, TEXT)):
        if value and all(isinstance(v, plain) for v in value):
            return Tup((kind,) * len(value), (), "set")
    line = Lst(key_of(list(value)), "set", max(1, len(value)), None, True)
    return line if is_held(line) else OTHER


def key_of(keys: list[Any]) -> Any:
    """Return the kind of the keys of a constant: tuples of different lengths are tuples of any length."""
    kind = None
    for key in keys:
        kind = joined(kind, kind_of(key))
    if kind is MIXED and all(isinstance(key, tuple) for key in keys):
        inside = {item_of(kind_of(key)) for key in keys} - {None}
        kind = Lst(inside.pop(), "tuple") if len(inside) == 1 and inside <= {NUMBER, TEXT} else MIXED
    return fitted(kind, keys) if isinstance(kind, Lst) else kind


def is_plain(value: Any) -> bool:
    """Return whether a constant is made of numbers and plain tuples, those beside each other equally long."""
    if isinstance(value, int):
        return True
    if not isinstance(value, tuple) or hasattr(value, "_fields"):
        return False
    lengths = {len(part) if isinstance(part, tuple) else -1 for part in value}
    return len(lengths) <= 1 and all(map(is_plain, value))


def _listed(value: Sequence[Any], kinds: tuple[Any, ...]) -> Lst | None:
    """Return the list that holds a tuple of tuples, or of tuples of different lengths; None if it can't."""
    item = None
    for kind in kinds:
        item = joined(item, kind)
    tuples = all(isinstance(k, Tup) and k.made is None and k.form != "set" for k in kinds)
    if item in (MIXED, UNCLEAR) and tuples:
        inside = {item_of(k) for k in kinds} - {None}
        if len(inside) == 1 and inside <= {NUMBER, TEXT}:
            item = Lst(inside.pop(), "tuple", max(len(k.items) for k in kinds))
    if isinstance(item, Lst | Tup):
        item = fitted(item, list(value))
    kind = Lst(item, "list" if isinstance(value, list) else "tuple", max(1, len(value)), None, True)
    return kind if is_held(kind) and item not in (NUMBER, TEXT, None) else None


def numbers_in(value: Any, kind: Any, text: Callable[[str], int]) -> list[int]:
    """Return the numbers that hold a constant of a kind in a table; `text` gives the number that stands for a text."""
    if isinstance(kind, Tup):
        parts = [getattr(value, name) for name in kind.names] if kind.names else list(value)
        return [number for part, item in zip(parts, kind.items, strict=True) for number in numbers_in(part, item, text)]
    if isinstance(kind, Lst):
        values = sorted(value) if isinstance(value, set | frozenset) else value
        inside = [number for part in values for number in numbers_in(part, kind.item, text)]
        return [len(value), *inside, *[0] * (kind.most - len(value))]
    return [text(value) if isinstance(value, str) else int(value)]


def table_of(value: Any, kind: Lst, text: Callable[[str], int]) -> list[list[int]]:
    """Return a constant list of tuples, list of lists, or dict as a table."""
    if kind.form == "dict":
        rows = [numbers_in(k, kind.item, text) + numbers_in(v, kind.value, text) for k, v in value.items()]
        size = width(kind.item) + width(kind.value)
    else:
        rows, size = [numbers_in(part, kind.item, text) for part in value], width(kind.item)
    return [[len(rows), *[0] * (size - 1)], *rows]


def is_slice(node: ast.AST) -> TypeGuard[ast.Subscript]:
    """Return whether an expression is a slice: ``numbers[a:b]``."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def is_item(node: ast.AST) -> bool:
    """Return whether an expression is an item of something, not a slice."""
    return isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)


def mixes_texts(one: Any, other: Any) -> bool:
    """Return whether values of two kinds have a text and a number at the same place, so that they are never equal."""
    if isinstance(one, Tup) and isinstance(other, Tup):
        return len(one.items) == len(other.items) and any(map(mixes_texts, one.items, other.items))
    return (one == TEXT) != (other == TEXT) and None not in (one, other)


def is_special(kind: Any) -> bool:
    """Return whether a function is translated anew for an argument of this kind."""
    return kind not in (None, NUMBER, OTHER)


def may_be_none(kind: Any) -> bool:
    """Return whether a value of a kind may be None."""
    return isinstance(kind, Opt) or kind == NOTHING


def changed_in(tree: ast.AST) -> set[str]:
    """Return the variables whose lists a function changes."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING:
                names |= root(owner)
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                names |= root(owner)
            case ast.AugAssign(target=ast.Name(id=name), value=ast.List() | ast.ListComp() | ast.Tuple()):
                names.add(name)
    return names


def augmented_in(tree: ast.AST) -> set[str]:
    """Return the variables to which an operator assigns, as ``|=`` and ``+=`` do, which change a list or set."""
    targets = [node.target for node in ast.walk(tree) if isinstance(node, ast.AugAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def changed_inside(tree: ast.AST) -> set[str]:
    """Return the variables of whose items, which are lists, a function changes one."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Subscript() as owner, attr=name)) if name in CHANGING:
                names |= root(owner)
            case ast.Subscript(value=ast.Subscript() as owner, ctx=ast.Store() | ast.Del()):
                names |= root(owner)
            case ast.AugAssign(target=ast.Subscript() as owner, value=ast.List() | ast.ListComp()):
                names |= root(owner)
    return names


def root(node: ast.AST) -> set[str]:
    """Return the variable that holds an expression as an item, if any."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def blocks_of(tree: ast.AST) -> list[list[ast.stmt]]:
    """Return all lists of statements in a function."""
    return [
        part
        for node in ast.walk(tree)
        for name in ("body", "orelse")
        if isinstance(part := getattr(node, name, None), list)
    ]
