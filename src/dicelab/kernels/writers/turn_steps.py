"""Writes the kernel that follows branches (outcomes of rolls, moves) of turns, and records which fields rules use.

A state has two parts: *outer* numbers, which belong to the beginning of a turn, and *inner* ones, which belong to a
node of the turn. A branch is followed for a beginning and a node: their numbers together are a state. The rules
are the translated rules of the game in which every use of a field sets its bit in ``_g._touched``. A branch whose rules
used no outer field does the same at every beginning, because everything it depends on belongs to the node.

For beginning `b` and branch `p` (number ``branch[p]`` of node ``node[p]``) the results are::

    status[b, p]   NOT_ALLOWED (a move that isn't legal and sensible), ALLOWED, ENDS, or FAILED (the rules break)
    keys[b, p]     the state that follows, packed (`dicelab.mdp.turns.parts`), seen from the seat to move if rotated
    step[b, p]     what `next` asks for there; where the game ends, the outcome
    by[b, p]       by how many seats the view was rotated
    gain[b, p]     what was added to the tally of the objective
    touched[b, p]  one bit for each field that the rules used, in the order of their declaration

If all outer fields that differ between two beginnings, one after the other in the array, were not used, the second has
the results of the first, but for these fields, which keep their values; so the rules are not run again.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dicelab.kernels.writers.enumerate import open_choice, rotation
from dicelab.kernels.writers.moves import listing, options
from dicelab.kernels.writers.simulate import (
    HEADER,
    branches,
    cells_of,
    copied,
    lines,
    name_rows,
    set_lines,
    throw_calls,
)
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, has_outcomes
from dicelab.translation.translator import Layout, Translation

NOT_ALLOWED, ALLOWED, ENDS, FAILED = range(4)

MARK = """
@_rules.guarded
def _mark(_g, bit, value):
    _g._touched |= bit
    return value

"""

KERNEL = """
@njit(nogil=True, cache=CACHED)
def kernel(lo, hi, given, throws, layout, work, results):
    setting, rows = given
    params, args, who, starts, spans = setting
    kinds, wide, first, listed, values = throws
    low, span, word, shift, outer, order, bit = layout
    beginnings, numbers, steps, node, branches = work
    begins, status, keys, stepped, turned, gained, touched = results
    _g = new_record()
{set_params}
{name_rows}
    before = np.zeros(max(1, low.size), np.int64)
    here = np.zeros(max(1, low.size), np.int64)
    around = np.zeros(who.size, np.int64)
    other = np.zeros(max(1, keys.shape[2]), np.uint64)  # bits of the words in which a beginning differs from the last
    by_seats = 0
    many = -1
    used = 0  # the fields that were used to list the moves
    changed = True
    for b in range(lo, hi):
        before[:] = beginnings[b]
{load8}
        begins[b] = {next}({state})
        differ = 0  # the fields in which it differs from the last
        other[:] = 0
        for i in range(low.size if b > lo else 0):
            if outer[i] and beginnings[b, i] != beginnings[b - 1, i]:
                differ |= bit[i]
                number = np.uint64((beginnings[b, i] - low[i]) ^ (beginnings[b - 1, i] - low[i]))
                other[word[i]] |= number << np.uint64(shift[i])
        at_node = -1
        for pair in range(node.size):
            if b > lo and touched[b - 1, pair] & differ == 0 and turned[b - 1, pair] == 0:
                status[b, pair] = status[b - 1, pair]
                touched[b, pair] = touched[b - 1, pair]
                turned[b, pair] = 0
                if status[b, pair] != {NOT_ALLOWED}:
                    stepped[b, pair] = stepped[b - 1, pair]
                    gained[b, pair] = gained[b - 1, pair]
                    for w in range(keys.shape[2]):
                        keys[b, pair, w] = keys[b - 1, pair, w] ^ other[w]
                continue
            turned[b, pair] = 0
            if node[pair] != at_node:
                at_node = node[pair]
                many = -1  # the moves of this node are not listed yet
                for i in range(low.size):
                    before[i] = beginnings[b, i] if outer[i] else numbers[at_node, i]
                changed = True
            if changed:
{load16}
{reset}
            changed = True
            _g._outside = 0
            _g._touched = 0
            step = steps[at_node]
            branch = branches[pair]
            if step >= 0:
                kind = step >> 16
                o = (first[kinds[kind, 0] + (step & 65535)] + branch) * wide
{throws}
            else:
                kind = (-2 - step) >> 16
                rest = branch
                allowed = True
{listed}
{open_choice}
                if not allowed and _g._outside >= 0:
                    status[b, pair] = {NOT_ALLOWED}
                    touched[b, pair] = _g._touched
                    changed = False  # rules that judge a move change nothing
                    continue
{store_here}
            at = {next}({state})
            status[b, pair] = {ALLOWED}
            by_seats = 0
            if at == -1:
                at = np.int64({outcome})
                status[b, pair] = {ENDS}
                if at < 0 or at >= {outcomes}:
                    status[b, pair] = {FAILED}
            elif at < -1 and ((-2 - at) >> 16 >= {decisions} or (-2 - at) & 65535 >= who.size):
                status[b, pair] = {FAILED}
            elif at >= 0 and (at >> 16 >= kinds.shape[0] or at & 65535 > kinds[at >> 16, 1]):
                status[b, pair] = {FAILED}
            touched[b, pair] = _g._touched
            gained[b, pair] = {gain}
            if _g._outside < 0:
                status[b, pair] = {FAILED}
            if status[b, pair] == {ALLOWED}:
{turn}
            at_word = 0
            packed = np.uint64(0)
            wrong = False
            for w in range(keys.shape[2]):
                keys[b, pair, w] = 0
            for j in range(low.size):  # in the order of the words
                i = order[j]
                number = np.uint64(here[i] - low[i])
                wrong |= number > np.uint64(span[i])
                if word[i] != at_word:
                    keys[b, pair, at_word] = packed
                    packed = np.uint64(0)
                    at_word = word[i]
                packed |= number << np.uint64(shift[i])
            if low.size > 0:
                keys[b, pair, at_word] = packed
            if wrong:
                status[b, pair] = {FAILED}
            stepped[b, pair] = at
            turned[b, pair] = by_seats
    return 0
"""


def write(game: type[Game], tally: str | None, rotated: bool) -> tuple[str, dict[str, str]]:
    """The text of the kernel, and for each function in the text the file and line of its rule.

    `tally` is counted, if any; `rotated` states are seen from the seat whose turn it is.

    Raises
    ------
    NotTranslatable
    """
    translation = Translation.of(game, ())
    layout = translation.layout
    state = ", ".join(layout.arguments)
    cells = cells_of(layout, ())
    codes = {"NOT_ALLOWED": NOT_ALLOWED, "ALLOWED": ALLOWED, "ENDS": ENDS, "FAILED": FAILED}
    parts = {
        **{name: str(value) for name, value in codes.items()},
        "set_params": lines(4, set_lines(layout)),
        "name_rows": lines(4, [*name_rows(layout, ()), *options(game)]),
        "load8": lines(8, copied(cells, "{cell} = before[{at}]")),
        "load16": lines(16, copied(cells, "{cell} = before[{at}]")),
        "reset": lines(16, [f"_g.{name} = 0" for name in game.declared.tallies]),
        "store_here": lines(12, copied(cells, "here[{at}] = {cell}")),
        "next": translation.method("next"),
        "outcome": f"{translation.method('outcome')}({state})" if has_outcomes(game) else "0",
        "outcomes": "max(1, who.size)" if game.outcomes is None else str(max(1, len(game.outcomes))),
        "throws": throw_calls(translation, state, indent=16),
        "open_choice": open_choice(translation, state, indent=16),
        "listed": branches("kind", [_listed(translation, d, state) for d in game.declared.decisions], 16),
        "decisions": str(len(game.declared.decisions)),
        "gain": f"_g.{tally}" if tally else "0",
        "turn": lines(16, rotation(game, cells) if rotated else []),
        "state": state,
    }
    text = HEADER.format(use="turns that are solved", name=game.name, slots=[*layout.slots, "_touched"])
    return text + MARK + marked(translation.text, layout) + KERNEL.format(**parts), translation.places


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
        "if branch >= many:",
        f"    status[b, pair] = {NOT_ALLOWED} if _g._outside >= 0 else {FAILED}",
        "    touched[b, pair] = _g._touched",
        "    changed = False",
        "    continue",
    ]


def marked(text: str, layout: Layout) -> str:
    """The translated rules, with a mark at every use of a field; field i of the declarations has bit ``1 << i``."""
    return ast.unparse(ast.fix_missing_locations(_Marks(layout).visit(ast.parse(text)))) + "\n"


class _Marks(ast.NodeTransformer):
    """Wraps what is read from a field, and what is stored there, in a call of ``_mark``.

    A row that is passed on to another rule as a part of the state is not read by that. Any other use of a whole row (a
    loop over it, its largest number) marks the field at the beginning of the function.
    """

    def __init__(self, layout: Layout) -> None:
        names = list(layout.game.declared.state)
        self.single = {name: 1 << i for i, name in enumerate(names)}
        self.rows = {f"_r_{name}": 1 << i for i, name in enumerate(names) if name in layout.rows}
        self.arguments = layout.arguments
        self.whole: set[int] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.whole = set()
        node.body = [self.visit(statement) for statement in node.body]
        for bit in sorted(self.whole):
            node.body.insert(0, ast.parse(f"_mark(_g, {bit}, 0)").body[0])
        return node

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


def _mark(bit: int, value: ast.expr) -> ast.Call:
    call: ast.Call = ast.parse(f"_mark(_g, {bit}, 0)", mode="eval").body  # type: ignore[assignment]
    call.args[2] = value
    return call
