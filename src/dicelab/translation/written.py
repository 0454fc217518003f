"""The tables and small functions that a kernel has beside the rules, each written once.

By itself because what it writes doesn't depend on a rule.
"""

from __future__ import annotations

from typing import Any

from dicelab.rules.actions import NO_VALUE
from dicelab.translation.infer.kinds import NUMBER, table_of

NAMES = "add_move", "filled", "has_move", "next_kept"
LIST_SUPPORT = "from dicelab.compile.kernels import list_support as _lists"
MOVE_SUPPORT = f"from dicelab.compile.kernels.move_support import {', '.join(f'{name} as _{name}' for name in NAMES)}"
"""What a kernel imports if its game lists moves, or has choices with different numbers of values."""
MOST_PLACES = 1024
"""Span of the keys of a constant dict below which the row of each is in a table."""


class Written:
    """The beginning of the text of a kernel.

    Attributes
    ----------
    source
        The texts of its functions and tables.
    """

    source: list[str]
    _tables: dict[object, str]
    _texts: dict[str, int]

    def table(self, values: tuple[int, ...]) -> str:
        """Return the name of an array with these constants."""
        if values not in self._tables:
            self._tables[values] = f"_table_{len(self._tables)}"
            self.source.insert(0, f"{self._tables[values]} = np.array({list(values)}, np.int64)")
        return self._tables[values]

    def sorting(self, many: int, down: bool) -> str:
        """Return the name of a function that sorts `many` numbers, in descending order if `down`."""
        name = f"_sorted_{many}{'_down' if down else ''}"
        if name not in self._tables.values():
            self._tables[many, down] = name
            self.source.insert(0, _sorting(name, many, down))
        return name

    def support_moves(self) -> None:
        """Import the functions of `dicelab.compile.kernels.move_support` into the kernel."""
        if MOVE_SUPPORT not in self.source:
            self.source.insert(0, MOVE_SUPPORT)

    def support_lists(self) -> None:
        """Import `dicelab.compile.kernels.list_support` into the kernel."""
        if LIST_SUPPORT not in self.source:
            self.source.insert(0, LIST_SUPPORT)

    def helper(self, key: object, name: str, text: str) -> str:
        """Return the name of a small function that is written once; ``NAME`` in its text stands for the name."""
        if key not in self._tables:
            self._tables[key] = f"{name}_{len(self._tables)}"
            imported = self.source.index(LIST_SUPPORT) + 1 if LIST_SUPPORT in self.source else 0
            self.source.insert(imported, "@_rules.guarded\n" + text.replace("NAME", self._tables[key]))
        return self._tables[key]

    def reading(self, shape: str) -> str:
        """Return the name of a function that reads a tuple from a row of a table."""
        return self.helper(("reading", shape), "_read", f"def NAME(t, i):\n    return {shape}\n")

    def moving(self, *sizes: int) -> str:
        """Return the name of a function that returns the numbers of a list as a move; they must be as many as a move
        has.
        """
        self.support_lists()
        some = f"{NO_VALUE} if t[0] <= {{0}} else t[{{1}}]" if len(sizes) > 1 else "t[{1}]"
        numbers = ", ".join(some.format(i, i + 1) for i in range(max(sizes)))
        test = " and ".join(f"t[0] != {size}" for size in sizes)
        code = f"def NAME(game, t):\n    _rules.noted(game, {test}, 0)\n    return ({numbers},)\n"
        return self.helper(("moving", *sizes), "_move", code)

    def taking(self, shape: str) -> str:
        """Return the name of a function that takes a tuple out of a table."""
        self.support_lists()
        code = f"def NAME(game, t, index):\n    i = _lists.position(game, index, t[0, 0])\n    found = {shape}\n"
        return self.helper(("taking", shape), "_take", code + "    _lists.drop_row(t, i)\n    return found\n")

    def getting(self, width: int, shape: str) -> str:
        """Return the name of ``d.get(key, default)`` for keys of so many numbers; `shape` is how a value is read."""
        self.support_lists()
        code = "def NAME(t, key, default):\n    i = _lists.find_row(t, key)\n"
        return self.helper(("getting", width, shape), "_get", f"{code}    return {shape} if i > 0 else default\n")

    def reading_at(self, shape: str) -> str:
        """Return the name of a function that reads a value in a row of a table; the default for row 0."""
        self.support_lists()
        code = f"def NAME(t, i, default):\n    return {shape} if i > 0 else default\n"
        return self.helper(("reading at", shape), "_get", code)

    def looking(self, shape: str, missing: str) -> str:
        """Return the name of ``d[key]``; `missing` says what happens with a key that isn't there, as in a kind."""
        self.support_lists()
        find = {"": "_lists.known_row(game, t, key)", "added": "_lists.row_of(game, t, key)"}
        code = f"    i = {find.get(missing, '_lists.find_row(t, key)')}\n"
        code += f"    return {shape} if i > 0 else 0\n" if missing == "zero" else f"    return {shape}\n"
        return self.helper(("looking", shape, missing), "_look", f"def NAME(game, t, key):\n{code}")

    def picking(self, shape: str) -> str:
        """Return the name of ``rows[index]`` of a list of tuples that has no name."""
        self.support_lists()
        code = f"    i = _lists.position(game, index, t[0, 0])\n    return {shape}\n"
        return self.helper(("picking", shape), "_pick", f"def NAME(game, t, index):\n{code}")

    def choosing(self, shape: str, width: int, name: str) -> str:
        """Return the name of ``max(rows)`` or ``min(rows)`` of a list of tuples of so many numbers."""
        self.support_lists()
        best = f"_lists.extreme_row(t, {width}, {name == 'max'})"
        code = f"    i = _lists.position(game, {best}, t[0, 0])\n    return {shape}\n"
        return self.helper(("choosing", name, shape), "_best", f"def NAME(game, t):\n{code}")

    def dropping(self, shape: str, defaults: bool) -> str:
        """Return the name of ``d.pop(key)``, or of ``d.pop(key, default)``; `shape` is how a value is read."""
        self.support_lists()
        code = "def NAME(game, t, key):\n    i = _lists.known_row(game, t, key)\n"
        if defaults:
            code = "def NAME(game, t, key, default):\n    i = _lists.find_row(t, key)\n"
            code += "    if i == 0:\n        return default\n"
        code += f"    found = {shape}\n    _lists.drop_row(t, i)\n    return found\n"
        return self.helper(("dropping", shape, defaults), "_drop", code)

    def adding(self, many: int, lists: bool, once: bool, width: int = 0) -> str:
        """Return the name of a function that fills a table with so many rows.

        Parameters
        ----------
        many
            Number of rows.
        lists
            Whether each row is a list.
        once
            Whether a row that is there isn't added again; with `width`, its value is replaced.
        width
            Numbers of the key of a dict.
        """
        self.support_lists()
        names = [f"r{i}" for i in range(many)]
        code = f"def NAME(game, t, {', '.join(names)}):\n    t[0, 0] = 0\n"
        for name in names:
            if width:
                code += f"    _lists.put_row(game, t, _lists.row_of(game, t, {name}[:{width}]), {name})\n"
            else:
                how = "append_list" if lists else "add_row" if once else "append_row"
                code += f"    _lists.{how}(game, t, {name})\n"
        return self.helper(("adding", many, lists, once, width), "_fill", code + "    return t\n")

    def constant(self, value: Any, kind: Any) -> str:
        """Return the name of the array of a constant list or dict."""
        table = table_of(value, kind, self.text_number)
        key = "constant", str(table)
        if key not in self._tables:
            self._tables[key] = f"_table_{len(self._tables)}"
            self.source.insert(0, f"{self._tables[key]} = np.array({table}, np.int64)")
        return self._tables[key]

    def rows_of_keys(self, value: Any, kind: Any) -> tuple[str, int]:
        """Return the name of the array that gives the row of each key of a constant dict, and the least key; ``""`` for
        a dict whose keys are other than numbers in a small range.
        """
        if kind.form != "dict" or kind.item != NUMBER or not value or max(value) - min(value) >= MOST_PLACES:
            return "", 0
        rows, low = {int(key): row for row, key in enumerate(value, 1)}, int(min(value))
        return self.table(tuple(rows.get(key, 0) for key in range(low, int(max(value)) + 1))), low

    def text_number(self, text: str) -> int:
        """Return the number that stands for a text: one more for each text that rules have."""
        return self._texts.setdefault(text, len(self._texts) + 1)


def _sorting(name: str, many: int, down: bool) -> str:
    """Return the text of a function that sorts `many` numbers by a network of compare-and-swap
    steps (insertion sort).
    """
    names = [f"n{i}" for i in range(many)]
    code = ["@_rules.guarded", f"def {name}({', '.join(names)}):"]
    first, second = ("max", "min") if down else ("min", "max")
    for i in range(1, many):  # numbers 0 .. i - 1 are in order; number i sinks to its place
        for j in range(i, 0, -1):
            a, b = names[j - 1], names[j]
            code.append(f"    {a}, {b} = {first}({a}, {b}), {second}({a}, {b})")
    code.append(f"    return ({', '.join(names)},)")
    return "\n".join(code) + "\n"
