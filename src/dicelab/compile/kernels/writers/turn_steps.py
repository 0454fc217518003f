"""Writes the kernel that follows branches (outcomes of rolls, moves) of turns, and records which fields rules use.

A state has two parts: *outer* numbers, which belong to the beginning of a turn, and *inner* ones, which belong to a
node of the turn. A branch is followed for a beginning and a node: their numbers together are a state. The rules
are the translated rules of the game in which every use of a field sets its bit in ``_g._touched``. A branch whose rules
used no outer field does the same at every beginning, because everything it depends on belongs to the node.

For beginning `b` and branch `p` (number ``branch[p]`` of node ``node[p]``) the results are::

    status[b, p]   NOT_ALLOWED (a move that isn't legal and sensible), ALLOWED, ENDS, or FAILED (the rules break)
    keys[b, p]     the state that follows, packed (`dicelab.solver.turns.parts`), seen from the seat
                   to move if rotated
    step[b, p]     what `next` asks for there; where the game ends, the outcome
    by[b, p]       by how many seats the view was rotated
    gain[b, p]     what was added to the tally of the objective
    touched[b, p]  one bit for each field that the rules used, in the order of their declaration

What `next` reads first, to tell whether the game is over, is not marked unless the branch used it before: the game was
not over in the state before, so while these fields keep their values it is not over.

Branch -1 of a choice that lists its moves asks for their number: it is in ``step``, unless listing them FAILED.

If all outer fields that differ between two beginnings, one after the other in the array, were not used, the second has
the results of the first, but for these fields, which keep their values; so the rules are not run again.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from dicelab.compile.kernels.writers.enumerate import open_choice, rotation
from dicelab.compile.kernels.writers.moves import listing, options
from dicelab.compile.kernels.writers.simulate import Parts, branches, cells_of, copied, rules_of, text_of, translated
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, seats_first
from dicelab.translation.translator import KernelLayout, Translation

NOT_ALLOWED, ALLOWED, ENDS, FAILED = range(4)


def written(game: type[Game], tally: str | None, rotated: bool) -> tuple[str, dict[str, str]]:
    """As `write`, with results cached: writing the kernel takes longer than solving a small game."""
    known: Any = game
    return _written(known, tally, rotated)


@lru_cache(maxsize=64)
def _written(game: Any, tally: str | None, rotated: bool) -> tuple[str, dict[str, str]]:
    return write(game, tally, rotated)


def write(game: type[Game], tally: str | None, rotated: bool) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel, and for each function in the text the file and line of its rule.

    `tally` is counted, if any; `rotated` states are seen from the seat whose turn it is.
    """
    translation = translated(game, ())
    layout = translation.layout
    state = ", ".join(layout.arguments)
    cells = cells_of(layout, ())
    codes = {"NOT_ALLOWED": NOT_ALLOWED, "ALLOWED": ALLOWED, "ENDS": ENDS, "FAILED": FAILED}
    parts: Parts = {
        **codes,
        **rules_of(translation, ()),
        "options": options(game),
        "load": copied(cells, "{cell} = before[{at}]"),
        "reset": [f"_g.{name} = 0" for name in game.declared.tallies],
        "store_here": copied(cells, "here[{at}] = {cell}"),
        "outcomes": _outcomes(game),
        "open_choice": open_choice(translation, state),
        "listed": branches("kind", [_listed(translation, d, state) for d in game.declared.decisions]),
        "gain": f"_g.{tally}" if tally else "0",
        "turn": rotation(game, cells) if rotated else [],
    }
    functions = [marked(translation.text, layout, translation.method("next"))]
    parts |= {"functions": functions, "slots": str([*layout.slots, "_touched"])}
    return text_of("turn_steps", "turns that are solved", translation, parts), translation.places


def _listed(translation: Translation, decision: Decision, state: str) -> list[str]:
    """Code that lists the moves of a node, once for each beginning, if the choice lists them.

    A branch beyond the last of them is a move that is not allowed.
    """
    if not decision.lists:
        return ["pass"]
    return [
        "if many < 0:",
        f"    many = {listing(translation, decision, state)}",
        "    used = _g._touched",
        "_g._touched |= used",
        "if branch < 0 or branch >= many:",
        f"    status[b, pair] = {FAILED} if _g._outside < 0 else {ALLOWED} if branch < 0 else {NOT_ALLOWED}",
        "    stepped[b, pair] = many",
        "    touched[b, pair] = _g._touched",
        "    changed = False",
        "    continue",
    ]


def marked(text: str, layout: KernelLayout, entry: str) -> str:
    """Return the translated rules, with a mark at every use of a field; field i of the declarations
    has bit ``1 << i``. `entry` is the name of the function of `next`.
    """
    return ast.unparse(ast.fix_missing_locations(_Marks(layout, entry).visit(ast.parse(text)))) + "\n"


class _Marks(ast.NodeTransformer):
    """Wraps what is read from a field, and what is stored there, in a call of ``_mark``.

    A row that is passed on to another rule as a part of the state is not read by that. Any other use of a whole row (a
    loop over it, its largest number) marks the field at the beginning of the function.
    """

    def __init__(self, layout: KernelLayout, entry: str) -> None:
        self.next = entry
        names = list(layout.game.declared.state)
        self.single = {name: 1 << i for i, name in enumerate(names)}
        self.rows = {f"_r_{name}": 1 << i for i, name in enumerate(names) if name in layout.rows}
        self.arguments = layout.arguments
        self.whole: set[int] = set()

    def visit_Module(self, node: ast.Module) -> ast.Module:
        split: dict[str, tuple[list[ast.stmt], list[ast.stmt]]] = {}
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                first = _ends_first(part.body) if part.name == self.next else 0
                split[part.name] = self._marked(part.body[:first]), self._marked(part.body[first:])
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                ends, rest = split[part.name]
                part.body = _unless_used(ends, _marks_in(ends, split)) + rest if ends else rest
        return node

    def _marked(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return some statements of a function with their marks; those of whole rows come first."""
        self.whole = set()
        body = [self.visit(statement) for statement in body]
        return [ast.parse(f"_mark(_g, {bit}, 0)").body[0] for bit in sorted(self.whole, reverse=True)] + body

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id == "_g" and isinstance(node.ctx, ast.Load):
            return _mark(self.single[node.attr], node) if node.attr in self.single else node
        if isinstance(node.value, ast.Name) and node.value.id in self.rows:  # the length of a row is fixed
            if node.attr not in ("size", "shape"):
                self.whole.add(self.rows[node.value.id])
            return node
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id in self.rows:
            node.slice = self.visit(node.slice)
            if isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Slice):
                return _mark(self.rows[node.value.id], node)
            if isinstance(node.slice, ast.Slice):
                self.whole.add(self.rows[node.value.id])
            return node
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self.rows:
            self.whole.add(self.rows[node.id])
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        kept = 0
        if isinstance(node.func, ast.Name) and node.func.id.startswith("game_"):
            given = [arg.id if isinstance(arg, ast.Name) else "" for arg in node.args[: len(self.arguments)]]
            kept = len(self.arguments) if given == self.arguments else 0
        node.args[kept:] = [self.visit(arg) for arg in node.args[kept:]]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        self._stored(node, node.targets)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AugAssign:
        self._stored(node, [node.target])
        return node

    def _stored(self, node: ast.Assign | ast.AugAssign, targets: Sequence[ast.expr]) -> None:
        """Visit an assignment; a value that is stored in a field is marked."""
        bits = 0
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "_g":
                    bits |= self.single.get(part.attr, 0)
                if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name):
                    bits |= self.rows.get(part.value.id, 0)
            self.visit(target)
        node.value = self.visit(node.value)
        if bits and isinstance(targets[0], ast.Tuple):
            self.whole.add(bits)
        elif bits:
            node.value = _mark(bits, node.value)


def _ends_first(body: list[ast.stmt]) -> int:
    """Return the number of statements with which `next` begins by asking whether the game is over; 0 if it doesn't.

    They return nothing else, and the rest uses none of their variables.
    """
    for many in range(len(body), 0, -1):
        first, rest = ast.Module(body[:many], []), ast.Module(body[many:], [])
        returned = [ast.unparse(part) for part in ast.walk(first) if isinstance(part, ast.Return)]
        names = [part for part in ast.walk(first) if isinstance(part, ast.Name)]
        stored = {part.id for part in names if isinstance(part.ctx, ast.Store)}
        read = {part.id for part in ast.walk(rest) if isinstance(part, ast.Name)}
        if isinstance(body[many - 1], ast.If) and set(returned) == {"return -1"} and not stored & read:
            return many
    return 0


class _Ended(ast.NodeTransformer):
    """Adds the marks that a branch had before to those of a return."""

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        return [*ast.parse("_g._touched |= _used").body, node]


def _marks_in(body: list[ast.stmt], functions: Mapping[str, tuple[list[ast.stmt], list[ast.stmt]]]) -> int:
    """Return the bits of all marks in statements, and in the functions that they call."""
    bits, seen, waiting = 0, set[str](), [*body]
    while waiting:
        for node in ast.walk(waiting.pop()):
            match node:
                case ast.Call(ast.Name("_mark"), [_, ast.Constant(int(bit)), _]):
                    bits |= bit
                case ast.Name(name) if name in functions and name not in seen:
                    seen.add(name)
                    waiting += [*functions[name][0], *functions[name][1]]
    return bits


def _unless_used(ends: list[ast.stmt], bits: int) -> list[ast.stmt]:
    """Return statements with marks of their own, which count if they end the game, or if the branch had one of `bits`,
    all that they could have: what is read first may decide whether the rest is read.
    """
    ended = _Ended().visit(ast.Module(ends, [])).body
    before = ast.parse("_used = _g._touched\n_g._touched = 0").body
    after = ast.parse(f"if {bits} & _used:\n    _used |= _g._touched\n_g._touched = _used").body
    return [*before, *ended, *after]


def _mark(bit: int, value: ast.expr) -> ast.Call:
    call: ast.Call = ast.parse(f"_mark(_g, {bit}, 0)", mode="eval").body  # type: ignore[assignment]
    call.args[2] = value
    return call


def _outcomes(game: type[Game]) -> str:
    """Return the expression for the number of outcomes, 1 for a game that has none."""
    if game.outcomes is None:
        return "max(1, who.size)"
    return f"who.size + {len(game.outcomes) - 1}" if seats_first(game) else str(max(1, len(game.outcomes)))
