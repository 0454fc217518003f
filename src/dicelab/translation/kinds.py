"""The kind of each expression of a rule: a number, a tuple, a list, a set, a dict, a row of the game.

A kind says how a value is held by compiled code. Inside a function a variable has one kind, joined over all values that
are assigned to it, appended to it or stored in it; so there is one inference for each function and the kinds of its
arguments.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dicelab.rules.dice import COUNTS
from dicelab.rules.dice import FACES as FACE_VIEW
from dicelab.rules.fields import Field, Grid, Ints
from dicelab.rules.game import Game, Strategy
from dicelab.rules.params import Param
from dicelab.translation.entries import Rule, Scope, definition, names_of, packed
from dicelab.translation.lowering import nothing

CAPACITY = 128
"""Numbers, or tuples, that a list has room for unless more are seen to be needed."""
MOST_CHOSEN = 4096
"""Tuples that the result of a function of itertools has room for at most."""
INNER = 32
"""Numbers that a list inside a list has room for."""


class Tup(NamedTuple):
    """A tuple of values of these kinds; of a named tuple, or of a dataclass, also the names of its fields.

    `form` is ``list`` for a list of fixed length that never changes, as ``sorted`` of three numbers.
    """

    items: tuple[Any, ...]
    names: tuple[str, ...] = ()
    form: str = "tuple"


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
    """

    item: Any
    form: str = "list"
    most: int = CAPACITY
    value: Any = None
    constant: bool = False


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
}
"""Methods that change a list, set or dict."""


def joined(one: Any, other: Any) -> Any:
    """The kind of a value that may be of either kind."""
    if one is None or one == other:
        return other
    if other is None:
        return one
    if {TEXT, UNCLEAR} & {one if isinstance(one, str) else "", other if isinstance(other, str) else ""}:
        return UNCLEAR
    if isinstance(one, Tup) and isinstance(other, Tup) and len(one.items) == len(other.items):
        names = one.names if one.names == other.names else ()
        if one.form == other.form:
            return Tup(tuple(map(joined, one.items, other.items)), names, one.form)
    first, second = as_list(one), as_list(other)
    if first is None or second is None or {"iterator"} & {first.form, second.form}:
        return MIXED
    if first.form != second.form:
        return MIXED
    item, value = joined(first.item, second.item), joined(first.value, second.value)
    return (
        MIXED
        if {MIXED, UNCLEAR} & {k for k in (item, value) if isinstance(k, str)}
        else Lst(item, first.form, max(first.most, second.most), value)
    )


def as_list(kind: Any) -> Lst | None:
    """The list with the values of a sequence; None if it is none."""
    if isinstance(kind, Lst):
        return kind
    if kind in (LINE, FACES):
        return Lst(NUMBER, ROWS[kind])
    if isinstance(kind, Tup):
        item = item_of(kind)
        return None if item in (MIXED, UNCLEAR) else Lst(item, kind.form, max(CAPACITY, len(kind.items)))
    return None


def item_of(kind: Any) -> Any:
    """The kind of the values of a sequence."""
    if isinstance(kind, Lst):
        return kind.item
    if kind in (LINE, FACES):
        return NUMBER
    if kind == GRID:
        return LINE
    if isinstance(kind, Tup):
        found = None
        for item in kind.items:
            found = joined(found, item)
        return found
    return None


def width(kind: Any) -> int:
    """How many numbers hold a value of a kind in a table."""
    if isinstance(kind, Tup):
        return sum(map(width, kind.items))
    return kind.most + 1 if isinstance(kind, Lst) else 1


def is_flat(kind: Any) -> bool:
    """Whether a value of the kind is a number, or a tuple of such."""
    return kind in (NUMBER, TEXT, None) or (isinstance(kind, Tup) and all(map(is_flat, kind.items)))


def is_record(kind: Any) -> bool:
    """Whether a tuple has lists in it, so that it is held as a row of a table."""
    return isinstance(kind, Tup) and any(isinstance(item, Lst) or is_record(item) for item in kind.items)


def is_constant_part(kind: Any) -> bool:
    """Whether a table of constants can hold a value of this kind in a row."""
    if isinstance(kind, Lst):
        return kind.form in ("list", "tuple") and is_flat(kind.item)
    return is_flat(kind) or (isinstance(kind, Tup) and all(map(is_constant_part, kind.items)))


def fitted(kind: Any, values: Sequence[Any]) -> Any:
    """The kind with room for just the longest of some constants."""
    if isinstance(kind, Lst):
        return kind._replace(most=max([1, *map(len, values)]))
    if isinstance(kind, Tup):
        parts = [[getattr(v, n) for n in kind.names] if kind.names else list(v) for v in values]
        return kind._replace(items=tuple(fitted(k, [p[i] for p in parts]) for i, k in enumerate(kind.items)))
    return kind


def is_held(kind: Any) -> bool:
    """Whether compiled code can hold a list, set or dict of this kind."""
    if not isinstance(kind, Lst):
        return False
    if kind.constant and is_record(kind.value if kind.form == "dict" else kind.item):
        return is_constant_part(kind.value if kind.form == "dict" else kind.item)
    if kind.form == "dict":
        return (kind.item is None or is_flat(kind.item)) and (kind.value is None or is_flat(kind.value))
    if isinstance(kind.item, Lst):
        return kind.form in ("list", "tuple") and kind.item.item in (NUMBER, TEXT, None)
    return kind.item is None or is_flat(kind.item)


def kind_of(value: Any) -> Any:
    """The kind of a constant of the file."""
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
        return Tup(tuple(kind_of(getattr(value, name)) for name in names), names)
    if isinstance(value, dict):
        key, item = None, None
        for k, v in value.items():
            key, item = joined(key, kind_of(k)), joined(item, kind_of(v))
        if item is not MIXED and item != UNCLEAR:
            item = fitted(item, list(value.values()))
        kind = Lst(key, "dict", max(1, len(value)), item, True)
        return kind if is_held(kind) else OTHER
    if isinstance(value, set | frozenset) and value and all(isinstance(v, int) for v in value):
        return Tup((NUMBER,) * len(value), (), "set")
    if isinstance(value, set | frozenset) and value and all(isinstance(v, str) for v in value):
        return Tup((TEXT,) * len(value), (), "set")
    return OTHER


def is_plain(value: Any) -> bool:
    """Whether a constant is made of numbers and plain tuples, those beside each other equally long."""
    if isinstance(value, int):
        return True
    if not isinstance(value, tuple) or hasattr(value, "_fields"):
        return False
    lengths = {len(part) if isinstance(part, tuple) else -1 for part in value}
    return len(lengths) <= 1 and all(map(is_plain, value))


def _listed(value: Sequence[Any], kinds: tuple[Any, ...]) -> Lst | None:
    """The list that holds a tuple of tuples, or of tuples of different lengths; None if it can't."""
    item = None
    for kind in kinds:
        item = joined(item, kind)
    if item in (MIXED, UNCLEAR) and all(isinstance(k, Tup) for k in kinds):
        inside = {item_of(k) for k in kinds} - {None}
        if len(inside) == 1 and inside <= {NUMBER, TEXT}:
            item = Lst(inside.pop(), "tuple", max(len(k.items) for k in kinds))
    if isinstance(item, Lst | Tup):
        item = fitted(item, list(value))
    kind = Lst(item, "list" if isinstance(value, list) else "tuple", max(1, len(value)), None, True)
    return kind if is_held(kind) and item not in (NUMBER, TEXT, None) else None


def numbers_in(value: Any, kind: Any, text: Callable[[str], int]) -> list[int]:
    """The numbers that hold a constant of a kind in a table; `text` gives the number that stands for a text."""
    if isinstance(kind, Tup):
        parts = [getattr(value, name) for name in kind.names] if kind.names else list(value)
        return [number for part, item in zip(parts, kind.items, strict=True) for number in numbers_in(part, item, text)]
    if isinstance(kind, Lst):
        inside = [number for part in value for number in numbers_in(part, kind.item, text)]
        return [len(value), *inside, *[0] * (kind.most - len(value))]
    return [text(value) if isinstance(value, str) else int(value)]


def table_of(value: Any, kind: Lst, text: Callable[[str], int]) -> list[list[int]]:
    """A constant list of tuples, list of lists, or dict as a table."""
    if kind.form == "dict":
        rows = [numbers_in(k, kind.item, text) + numbers_in(v, kind.value, text) for k, v in value.items()]
        size = width(kind.item) + width(kind.value)
    else:
        rows, size = [numbers_in(part, kind.item, text) for part in value], width(kind.item)
    return [[len(rows), *[0] * (size - 1)], *rows]


class Kinds(Scope):
    """The kinds of the expressions of one function.

    Parameters
    ----------
    game, rule
        The game and the function.
    given
        The kinds of arguments that aren't numbers, by name.
    result_of
        Returns the kind of the result of a function whose arguments have these kinds.
    """

    def __init__(
        self, game: type[Game], rule: Rule, given: dict[str, Any], result_of: Callable[[Rule, tuple[Any, ...]], Any]
    ) -> None:
        super().__init__(game, rule)
        self.result_of = result_of
        self.given = dict(given)
        if self.star is not None:
            self.given.setdefault(self.star, FACES)
        self.tree = definition(rule.function)
        self.variables: dict[str, Any] = dict(self.given)
        self.changed = changed_in(self.tree)
        self.result: Any = None
        self._of: dict[int, Any] = {}
        for _ in range(12):
            before = dict(self.variables), self.result
            self._of.clear()
            self._once()
            if (self.variables, self.result) == before:
                break
        self._of.clear()
        self.owned = self._owned()

    def _owned(self) -> dict[str, Lst]:
        """The variables that hold lists of their own: all but arguments, and those that are items of other lists."""
        found, views = {}, set[str]()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.For):
                views |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            elif isinstance(node, ast.Assign) and is_item(node.value):
                views |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        for name, kind in self.variables.items():
            if isinstance(kind, Lst) and kind.form != "iterator" and name not in self.given and name not in views:
                found[name] = kind
        return found

    def _once(self) -> None:
        for node in ast.walk(self.tree):
            match node:
                case ast.Assign():
                    for target in node.targets:
                        self._bind(target, self.of(node.value))
                case ast.AnnAssign() if node.value is not None:
                    self._bind(node.target, self.of(node.value))
                case ast.AugAssign():
                    kind = self.of(node.value)
                    if isinstance(node.target, ast.Name):
                        old = self.variables.get(node.target.id)
                        self._note(node.target.id, kind if isinstance(old, Lst) else NUMBER if old is None else old)
                    else:
                        self._bind(node.target, kind)
                case ast.For():
                    self._bind(node.target, item_of(self.of(node.iter)))
                case ast.NamedExpr():
                    self._bind(node.target, self.of(node.value))
                case ast.Return() if node.value is not None:
                    self.result = joined(self.result, self.of(node.value))
                case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING:
                    self._change(owner, name, node.args)

    def _note(self, name: str, kind: Any) -> None:
        if name in self.given and name != self.star:
            return
        as_changed = as_list(kind) if name in self.changed and kind not in ROWS else None
        if as_changed is not None:
            kind = as_changed._replace(constant=False)
        self.variables[name] = joined(self.variables.get(name), kind)

    def _bind(self, target: ast.expr, kind: Any) -> None:
        """Join the kind of a value into that of what it is assigned to."""
        if isinstance(target, ast.Name):
            self._note(target.id, kind)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = kind.items if isinstance(kind, Tup) and len(kind.items) == len(target.elts) else None
            for i, part in enumerate(target.elts):
                self._bind(part, parts[i] if parts else item_of(kind))
        elif isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
            self._put(target.value, kind, self.of(target.slice))

    def _put(self, owner: ast.expr, kind: Any, key: Any = None) -> None:
        """Join the kind of a value that is stored in a list, or in a list of a list."""
        if isinstance(owner, ast.Name) and owner.id in self.locals:
            old = self.variables.get(owner.id)
            if isinstance(old, Lst):
                new = Lst(key, "dict", old.most, kind) if old.form == "dict" else Lst(kind, old.form, old.most)
                self.variables[owner.id] = joined(old, new)
        elif isinstance(owner, ast.Subscript) and isinstance(owner.value, ast.Name):
            self._put(owner.value, Lst(kind, most=INNER))

    def _change(self, owner: ast.expr, name: str, given: Sequence[ast.expr]) -> None:
        if name in ("append", "add") and len(given) == 1:
            self._put(owner, self.of(given[0]))
        elif name == "insert" and len(given) == 2:
            self._put(owner, self.of(given[1]))
        elif name in ("extend", "update") and len(given) == 1:
            self._put(owner, item_of(self.of(given[0])))

    # expressions -----------------------------------------------------------------------------------------------------

    def of(self, node: ast.AST) -> Any:
        """The kind of an expression; None if nothing is known of it."""
        if id(node) not in self._of:
            self._of[id(node)] = None
            self._of[id(node)] = self._found(node)
        return self._of[id(node)]

    def _found(self, node: ast.AST) -> Any:
        match node:
            case ast.Constant():
                return NUMBER if isinstance(node.value, int) else TEXT if isinstance(node.value, str) else OTHER
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Tuple() | ast.List() | ast.Set():
                return self._display(node)
            case ast.Dict():
                key, value = None, None
                for k, v in zip(node.keys, node.values, strict=True):
                    key, value = joined(key, self.of(k)) if k is not None else MIXED, joined(value, self.of(v))
                return Lst(key, "dict", max(CAPACITY, len(node.keys)), value)
            case ast.BinOp():
                return self._operation(node)
            case ast.BoolOp():
                found = None
                for value in node.values:
                    found = joined(found, self.of(value))
                return found
            case ast.IfExp():
                return joined(self.of(node.body), self.of(node.orelse))
            case ast.Compare() | ast.UnaryOp():
                return NUMBER
            case ast.NamedExpr():
                return self.of(node.value)
            case ast.Call():
                return self._call(node)
        return None

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.names and node.id not in self.given and node.id != self.star:
            return joined(NUMBER, self.variables.get(node.id))
        if node.id in self.locals:
            return self.variables.get(node.id)
        value = self.globals.get(node.id)
        if isinstance(value, type) and issubclass(value, enum.IntEnum):
            return Tup((NUMBER,) * len(value))
        return None if value is None else kind_of(value)

    def _attribute(self, node: ast.Attribute) -> Any:
        declared = self.field(node)
        if isinstance(declared, Ints):
            return GRID if isinstance(declared, Grid) else LINE
        if isinstance(declared, Field | Param):
            return NUMBER
        if declared is not None:
            return kind_of(declared)
        owner = self.of(node.value)
        if isinstance(owner, Tup) and node.attr in owner.names:
            return owner.items[owner.names.index(node.attr)]
        constant = self.of_class(node)[0]
        if isinstance(constant, int | tuple | list | dict | str):
            return kind_of(constant)
        return None

    def _subscript(self, node: ast.Subscript) -> Any:
        if isinstance(self.field(node.value), Grid):
            return LINE
        owner = self.of(node.value)
        if isinstance(node.slice, ast.Slice):
            if isinstance(owner, Tup):
                ends = [_fixed(end) for end in (node.slice.lower, node.slice.upper, node.slice.step)]
                if False not in ends:
                    return Tup(owner.items[slice(*ends)], (), owner.form)
            return as_list(owner)._replace(constant=False) if as_list(owner) else None  # type: ignore[union-attr]
        if isinstance(owner, Lst):
            return owner.value if owner.form == "dict" else owner.item
        if isinstance(owner, Tup):
            place = _fixed(node.slice)
            if place is not False and place is not None and -len(owner.items) <= place < len(owner.items):
                return owner.items[place]
        return item_of(owner)

    def _display(self, node: Any) -> Any:
        if isinstance(node, ast.Tuple) and not any(isinstance(part, ast.Starred) for part in node.elts):
            return Tup(tuple(self.of(part) for part in node.elts))
        item = None
        for part in node.elts:
            item = joined(item, item_of(self.of(part.value)) if isinstance(part, ast.Starred) else self.of(part))
        if isinstance(item, Tup) and isinstance(node, ast.List) and all(k in (NUMBER, None) for k in item.items):
            pass
        if isinstance(item, Lst):
            item = item._replace(most=max(INNER, *(len(getattr(p, "elts", ())) for p in node.elts)))
        return Lst(item, "set" if isinstance(node, ast.Set) else "list", max(CAPACITY, len(node.elts)))

    def _operation(self, node: ast.BinOp) -> Any:
        left, right = self.of(node.left), self.of(node.right)
        if isinstance(node.op, ast.Mult):
            for sequence, times in ((left, node.right), (right, node.left)):
                many = self.constant(times)
                if isinstance(sequence, Lst):
                    item = sequence.item._replace(most=INNER) if isinstance(sequence.item, Lst) else sequence.item
                    return Lst(item, "list", max(CAPACITY, many or 0))
                if isinstance(sequence, Tup):
                    fits = many is not None and 0 <= many <= 64
                    return Tup(sequence.items * many, (), sequence.form) if fits else as_list(sequence)  # type: ignore[operator]
        if isinstance(node.op, ast.Add) and isinstance(left, Tup) and isinstance(right, Tup):
            return Tup(left.items + right.items, (), left.form)
        first, second = as_list(left), as_list(right)
        if first is not None and second is not None:
            return joined(first._replace(constant=False), second._replace(constant=False))
        return NUMBER

    def constant(self, node: ast.AST) -> int | None:
        """A number that is written in the file; None if it isn't."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return int(node.value)
        value = self.named(node.id) if isinstance(node, ast.Name) else None
        return int(value) if isinstance(value, int) else None

    def _call(self, node: ast.Call) -> Any:
        func = node.func
        target = self.target(func)
        if target is nothing:
            return None
        if isinstance(target, Strategy):
            return None
        if isinstance(func, ast.Attribute) and target is None:
            return self._method(node, func)
        rule = self.rule_called(node)
        if rule is not None:
            return self.result_of(rule[0], tuple(sorted(self.given_to(*rule).items(), key=lambda pair: pair[0])))
        found = _CALLS.get(target) if _hashable(target) else None
        if found is not None:
            return found(self, node)
        if isinstance(target, type) and issubclass(target, tuple) and hasattr(target, "_fields"):
            kinds = {**dict(zip(target._fields, map(self.of, node.args), strict=False))}
            kinds |= {str(k.arg): self.of(k.value) for k in node.keywords}
            defaults = vars(target)["_field_defaults"]
            return Tup(tuple(kinds.get(n, kind_of(defaults.get(n, 0))) for n in target._fields), target._fields)
        return NUMBER

    def target(self, func: ast.expr) -> Any:
        """What a function's name, or its name in a module, refers to; None for a method."""
        if isinstance(func, ast.Name):
            return self.called(ast.Call(func, [], []))
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            module = self.named(func.value.id)
            if module in (math, itertools):
                return getattr(module, func.attr, None)
        return None

    def sorted_at_once(self, node: ast.Call) -> int | None:
        """How many numbers ``sorted`` puts in order, if their number is fixed and small; None otherwise."""
        for keyword in node.keywords:
            if keyword.arg != "reverse" or not isinstance(keyword.value, ast.Constant):
                return None
        if len(node.args) != 1:
            return None
        source = node.args[0]
        declared = self.field(source)
        many: Any = None
        if isinstance(source, ast.Tuple | ast.List):
            many = None if any(isinstance(part, ast.Starred) for part in source.elts) else len(source.elts)
            if any(self.of(part) not in (NUMBER, None) for part in source.elts):
                many = None
        elif isinstance(source, ast.Name) and isinstance(self.named(source.id), tuple):
            many = len(self.named(source.id)) if is_plain(self.named(source.id)) else None
        elif isinstance(declared, Ints) and not isinstance(declared, Grid):
            many = declared.length
        elif isinstance(source, ast.Name) and source.id == self.star:
            many = self.faces_seen()
        elif isinstance(self.of(source), Tup) and all(item == NUMBER for item in self.of(source).items):
            many = len(self.of(source).items)
        return many if isinstance(many, int) and 1 <= many <= MOST_SORTED else None

    def faces_seen(self) -> object:
        """Number of values in the ``*faces`` of this rule, an ``int`` if it is fixed; None if there are none."""
        kind = next((kind for kind in self.cls.declared.throws if kind.rule is self.rule), None)
        code = kind.rule.__code__ if kind is not None else None
        if kind is None or code is None or self.star is None or code.co_argcount != 1:
            return None
        return kind.most if kind.view is FACE_VIEW else len(kind.die.faces) if kind.view is COUNTS else 1

    def rule_called(self, node: ast.Call) -> tuple[Rule, ast.Call, list[ast.expr]] | None:
        """The rule that a call calls, and its arguments after the game; None for anything else."""
        from types import FunctionType

        func = node.func
        if isinstance(func, ast.Attribute):
            member, role = self.method(func)
            if not isinstance(member, FunctionType):
                return None
            given = packed(member, role, [func.value] * (role == "plain") + list(node.args), self.length_of)
        else:
            member = self.called(node)
            if not isinstance(member, FunctionType):
                return None
            with_game = bool(node.args) and self.is_game(node.args[0])
            role, given = ("game", node.args[1:]) if with_game else ("plain", list(node.args))
            given = packed(member, role, given, self.length_of)
        names = names_of(member, role)
        places = self.memory_places(given, [(k.arg, k.value) for k in node.keywords], names)
        rule = Rule(member, role, self.strategy, places[0]) if places else Rule(member, role)
        return rule, node, given

    def length_of(self, node: ast.expr) -> int:
        """The length of a tuple; -1 for anything whose length varies."""
        kind = self.of(node)
        return len(kind.items) if isinstance(kind, Tup) else -1

    def given_to(self, rule: Rule, node: ast.Call, given: Sequence[ast.expr]) -> dict[str, Any]:
        """The kinds of the arguments of a call that aren't numbers, by the names of the parameters."""
        names = names_of(rule.function, rule.role)
        pairs = [*zip(names, given, strict=False), *((str(k.arg), k.value) for k in node.keywords)]
        kinds = {name: self.of(value) for name, value in pairs if not self.is_memory(value)}
        return {name: kind for name, kind in kinds.items() if is_special(kind)}

    def _method(self, node: ast.Call, func: ast.Attribute) -> Any:
        owner = self.of(func.value)
        rule = self.rule_called(node)
        if rule is not None:
            return self.result_of(rule[0], tuple(sorted(self.given_to(*rule).items(), key=lambda pair: pair[0])))
        if isinstance(owner, Lst):
            match func.attr:
                case "pop" | "get" | "setdefault" if owner.form == "dict":
                    found = owner.value
                    for default in node.args[1:2]:
                        found = joined(found, self.of(default))
                    return found
                case "pop":
                    return owner.item
                case "items":
                    return Lst(Tup((owner.item, owner.value)), "iterator", owner.most)
                case "keys":
                    return Lst(owner.item, "iterator", owner.most)
                case "values":
                    return Lst(owner.value, "iterator", owner.most)
                case "copy" | "union" | "intersection" | "difference":
                    return owner._replace(constant=False)
        return NUMBER


def is_item(node: ast.AST) -> bool:
    """Whether an expression is an item of something, not a slice."""
    return isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)


def is_special(kind: Any) -> bool:
    """Whether a function is translated anew for an argument of this kind."""
    return kind not in (None, NUMBER, OTHER)


def _hashable(target: Any) -> bool:
    try:
        hash(target)
    except TypeError:
        return False
    return target is not None


def _fixed(node: ast.AST | None) -> Any:
    """A number that is written out, None for none, and False for anything else."""
    if node is None:
        return None
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else False
    return False


def changed_in(tree: ast.AST) -> set[str]:
    """The variables whose lists a function changes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING:
                found |= root(owner)
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                found |= root(owner)
            case ast.AugAssign(target=ast.Name(id=name), value=ast.List() | ast.ListComp() | ast.Tuple()):
                found.add(name)
    return found


def root(node: ast.AST) -> set[str]:
    """The variable of which an expression is an item, if any."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _same(kinds: Kinds, node: ast.Call) -> Any:
    """The kind of ``list(...)``, ``tuple(...)``, ``reversed(...)``: the values of a sequence."""
    target = kinds.target(node.func)
    form = "tuple" if target is tuple else "list" if target is list else "iterator"
    if not node.args:
        return Lst(None, form) if form == "list" else Tup(())
    kind = kinds.of(node.args[0])
    if isinstance(kind, Tup) and target is tuple:
        return Tup(kind.items)
    found = as_list(kind)
    if found is None:
        return Lst(item_of(kind) or NUMBER, form)
    return Lst(found.item, form, max(found.most, CAPACITY))


MOST_SORTED = 8
"""Numbers up to which ``sorted`` gives a tuple of variables."""


def _sorted(kinds: Kinds, node: ast.Call) -> Any:
    many = kinds.sorted_at_once(node)
    if many is not None:
        return Tup((NUMBER,) * many, (), "list")
    found = as_list(kinds.of(node.args[0])) if node.args else None
    item = found.item if found else NUMBER
    return Lst(item, "list", max(found.most if found else 0, CAPACITY))


def _set(kinds: Kinds, node: ast.Call) -> Any:
    found = as_list(kinds.of(node.args[0])) if node.args else None
    return Lst(found.item if found else (NUMBER if node.args else None), "set", CAPACITY)


def _extreme(kinds: Kinds, node: ast.Call) -> Any:
    if len(node.args) == 1:
        return item_of(kinds.of(node.args[0])) or NUMBER
    found = None
    for part in node.args:
        found = joined(found, kinds.of(part))
    return found


def _zip(kinds: Kinds, node: ast.Call) -> Any:
    return Lst(Tup(tuple(item_of(kinds.of(part)) or NUMBER for part in node.args)), "iterator")


def _enumerate(kinds: Kinds, node: ast.Call) -> Any:
    return Lst(Tup((NUMBER, item_of(kinds.of(node.args[0])) or NUMBER)), "iterator") if node.args else None


def length_at_most(kinds: Kinds, node: ast.expr) -> int:
    """The largest length of a sequence that is seen from the text."""
    kind = kinds.of(node)
    if isinstance(kind, Tup):
        return len(kind.items)
    if isinstance(node, ast.List | ast.Tuple):
        return len(node.elts)
    if isinstance(node, ast.Call) and kinds.target(node.func) is range:
        ends = [kinds.constant(part) for part in node.args]
        if None not in ends:
            return len(range(*ends))  # type: ignore[arg-type]
    declared = kinds.field(node)
    if isinstance(declared, Ints) and isinstance(declared.length, int):
        return declared.length
    return 12


def _chosen(many_of: Callable[[int, int], int]) -> Callable[[Kinds, ast.Call], Any]:
    def kind(kinds: Kinds, node: ast.Call) -> Any:
        many = kinds.constant(node.args[1]) if len(node.args) == 2 else None
        if many is None or not 1 <= many <= 8:
            return OTHER
        most = min(MOST_CHOSEN, max(1, many_of(length_at_most(kinds, node.args[0]), many)))
        return Lst(Tup((NUMBER,) * many), "list", most)

    return kind


def _product(kinds: Kinds, node: ast.Call) -> Any:
    repeat = next((kinds.constant(k.value) for k in node.keywords if k.arg == "repeat"), 1)
    sources = node.args * (repeat or 1)
    if repeat is None or not 1 <= len(sources) <= 8 or any(isinstance(s, ast.Starred) for s in sources):
        return OTHER
    most = math.prod(length_at_most(kinds, source) for source in sources)
    return Lst(Tup((NUMBER,) * len(sources)), "list", min(MOST_CHOSEN, max(1, most)))


def _chain(kinds: Kinds, node: ast.Call) -> Any:
    found = None
    for part in node.args:
        found = joined(found, item_of(kinds.of(part)) or NUMBER)
    return Lst(found)


def _numbers(_kinds: Kinds, _node: ast.Call) -> Any:
    return Lst(NUMBER)


_CALLS: dict[Any, Callable[[Kinds, ast.Call], Any]] = {
    list: _same,
    tuple: _same,
    reversed: _same,
    sorted: _sorted,
    set: _set,
    frozenset: _set,
    dict: lambda kinds, node: Lst(None, "dict") if not node.args else kinds.of(node.args[0]),
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
