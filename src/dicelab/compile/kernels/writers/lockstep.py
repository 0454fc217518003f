"""Writes the kernel that plays many games side by side, a turn of the same seat in all of them at a time.

Each game has a lane. A step plays one roll of the games in which it is seat s's turn, for s = 0, 1, ... in turn; the
others wait. So a row of the state is read at the same place in all lanes: `Shared` finds out whether that is so. Then
LLVM makes masks of the branches of the rules, and one instruction plays 8 lanes.

A loop at the end of the rule of the roll ("pass on until somebody has coins") is not repeated: each step makes one
iteration of it in the lanes whose loop goes on. Any other loop is refused, because LLVM could not play it in lanes.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable
from copy import deepcopy

from dicelab.compile.kernels.writers import simulate as k
from dicelab.errors import NotSmall
from dicelab.rules.actions import Throw
from dicelab.rules.fields import Ints, Seat
from dicelab.rules.game import Game, has_outcomes

LOOPS = ast.While | ast.For | ast.Raise | ast.comprehension | ast.NamedExpr | ast.Lambda
KNOWN = ("_rules", "int", "bool", "min", "max", "abs")
TEST, BODY = "_again", "_more"
"""The two functions made of the loop at the end of the rule of the roll: whether it goes on, and one iteration."""


def write(game: type[Game]) -> tuple[str, dict[str, str], str]:
    """Return the text of the kernel, for each function in it the file and line of its rule, and the field whose turn
    it is.

    Raises
    ------
    NotSmall
        If its games can't be played side by side; the message says why.
    """
    roll, seat = _only_roll(game), _seat(game)
    translation = k.translated(game, ())
    step, ending = translation.method("next"), translation.ending()
    rule = translation.function(roll.rule, "game")
    trees = {name: deepcopy(translation.trees[name]) for name in translation.reached(step, ending, rule)}
    loop = _cut_off(trees, rule, translation.arguments)
    if loop is not None:
        trees |= _functions_of(loop, translation.arguments, trees)
    before = [step, *([TEST, BODY] if loop else [])]
    Shared(trees, set(translation.layout.given), seat).must_be_so(rule, before)
    if any(seat in _changed(trees, name) for name in before if name != BODY):
        raise NotSmall("whose turn it is changes before the roll")
    layout = translation.layout
    rows = [f"_r_{name}" for name in layout.rows]
    kept = _kept(game)
    state = ", ".join(["_g", *rows])

    def stores(*names: str) -> list[str]:
        changed = set[str]().union(*(_changed(trees, name) for name in names))
        return [f"_a_{one}[i] = _g.{one}" for one in kept if one in changed and one != seat]

    seen = [f"np.int64((seen[i] >> unsigned({8 * j})) & BYTE)" for j in range(roll.rule.__code__.co_argcount - 1)]
    parts: k.Parts = {
        "slots": str([*layout.slots, "_lane"]),
        "set_params": [f"_g.{name} = params[{i}]" for i, name in enumerate(layout.given)],
        "name_lanes": [", ".join([*(f"_a_{name}" for name in kept), *rows, "_ = lanes"])],
        "seat": f"_a_{seat}",
        "load": [f"_g.{name} = np.int64(_a_{name}[i])" for name in kept],
        "set_seat": [f"_g.{seat} = seat"],
        "seat_now": f"_g.{seat}",
        "store_more": stores(*before),
        "store_roll": stores(rule),
        **_starts(game, layout.rows, seat),
        "again": f"_side_{TEST}({state})" if loop else "False",
        "more": [f"_side_{BODY}({state})"] if loop else [],
        "next": f"_side_{step}({state})",
        "roll": [f"_side_{rule}({', '.join([state, *seen])})"],
        "outcome": f"_side_{ending}({state})",
        "count": [
            f"spilled = tallied(hist, spill, spilled, outcome, np.int64({j}), _g.{name})"
            for j, name in enumerate(game.declared.tallies)
        ],
        "DONE": k.DONE,
    }
    own = [f"@_rules.guarded\n{ast.unparse(_Sided(trees, rows).function(tree))}\n" for tree in trees.values()]
    parts["functions"] = [translation.text, *own]
    return k.text_of("lockstep", "engine lockstep", translation, parts), translation.places, seat


def _kept(game: type[Game]) -> list[str]:
    """Return the fields that are single numbers, and the tallies: each has an array with a number for each lane."""
    return [*(name for name, f in game.declared.state.items() if not isinstance(f, Ints)), *game.declared.tallies]


def _starts(game: type[Game], rows: Iterable[str], seat: str) -> k.Parts:
    """Return the lines that begin a game in a lane, and the seat that begins."""
    starts = {name: f"starts[{i}]" for i, name in enumerate(game.declared.state)}
    lines = [f"_a_{name}[i] = {starts.get(name, 0)}" for name in _kept(game)]
    return {"start": lines + [f"_r_{name}[:, i] = {starts[name]}" for name in rows], "first_seat": starts[seat]}


def _only_roll(game: type[Game]) -> Throw:
    """Return the only kind of roll of a game of rolls alone."""
    rolls = game.declared.throws
    if game.declared.decisions:
        raise NotSmall("it has choices")
    if len(rolls) != 1 or not rolls[0].is_plain:
        raise NotSmall("it has no rolls, several kinds of them, or one whose dice differ")
    if rolls[0].rule.__code__.co_flags & inspect.CO_VARARGS:
        raise NotSmall("the rule of its roll takes any number of dice")
    if game.start is not Game.start or not has_outcomes(game):
        raise NotSmall("its games don't all begin alike, or have no outcomes")
    return rolls[0]


def _seat(game: type[Game]) -> str:
    """Return the field that says whose turn it is."""
    for name, f in game.declared.state.items():
        if isinstance(f, Seat):
            return name
    raise NotSmall("it declares no Seat")


def _cut_off(trees: dict[str, ast.FunctionDef], name: str, arguments: list[str]) -> ast.While | None:
    """Remove the loop with which a rule ends, if it does, and return it."""
    tree = trees[name]
    last = tree.body[-1]
    if any(isinstance(node, ast.Return) for node in ast.walk(tree)):
        return None
    if isinstance(last, ast.While):
        tree.body[-1] = ast.Pass()
        return last
    match last:
        case ast.Expr(ast.Call(ast.Name(called), given, [])) if called in trees:
            own = tree.args.args, trees[called].args.args
            if [ast.unparse(one) for one in given] == arguments == [one.arg for one in own[1]]:
                tree.body[-1] = _copied_call(trees, last, called)
                return _cut_off(trees, f"{called}_first", arguments)
    return None


def _copied_call(trees: dict[str, ast.FunctionDef], call: ast.Expr, called: str) -> ast.Expr:
    """Return the call of a copy of a function, because others may call the function as it is."""
    copy, made = deepcopy(call), deepcopy(trees[called])
    made.name = f"{called}_first"
    copy.value.func.id = made.name  # type: ignore[attr-defined]
    trees[made.name] = made
    return copy


def _functions_of(loop: ast.While, arguments: list[str], functions: Iterable[str]) -> dict[str, ast.FunctionDef]:
    """Return what a loop is made into: whether it goes on, and one iteration.

    Raises
    ------
    NotSmall
        If an iteration needs anything but the state.
    """
    body = [line for line in loop.body if not _counts_rounds(line)]
    if loop.orelse or any(
        isinstance(n, ast.Break | ast.Continue | ast.Return) for line in body for n in ast.walk(line)
    ):
        raise NotSmall("the loop at the end of its rule has another way out")
    tested = {n.id for n in ast.walk(loop.test) if isinstance(n, ast.Name)}
    inside = {n.id for line in body for n in ast.walk(line) if isinstance(n, ast.Name)}
    made = {name for line in body for name in _set_in(line)}
    inside -= {name for name in made if re.fullmatch(r"_t\d+", name)}  # set in the line above that of their use
    if own := (tested | inside) - {*arguments, *functions, *KNOWN, "_rounds"}:  # a loop inside is refused later
        raise NotSmall(f"the loop at the end of its rule uses a variable ({min(own).removeprefix('v_')})")
    head = ", ".join(arguments)
    test = ast.parse(f"def {TEST}({head}): return {ast.unparse(loop.test)}").body[0]
    more = ast.parse(f"def {BODY}({head}): pass").body[0]
    assert isinstance(test, ast.FunctionDef) and isinstance(more, ast.FunctionDef)
    more.body = body or more.body
    return {TEST: test, BODY: more}


def _counts_rounds(line: ast.stmt) -> bool:
    """Return whether a line is of those that find endless loops; lanes have a limit on steps instead."""
    match line:
        case ast.AugAssign(ast.Name("_rounds")) | ast.If(ast.Compare(ast.Name("_rounds")), [ast.Raise()], []):
            return True
    return False


def _changed(trees: dict[str, ast.FunctionDef], name: str) -> set[str]:
    """Return the numbers of a game that a function, or one that it calls, changes."""
    found = set[str]()
    for node in ast.walk(trees[name]):
        match node:
            case ast.Attribute(ast.Name("_g"), changed, ast.Store()):
                found.add(changed)
            case ast.Call(ast.Name(called)) if called in trees:
                found |= _changed(trees, called)
    return found


class Shared:
    """Finds what is the same in all lanes that play in a step: what depends on parameters and on whose turn it is only.

    Anything that isn't recognised as such is taken to differ from lane to lane.
    """

    def __init__(self, trees: dict[str, ast.FunctionDef], given: set[str], seat: str) -> None:
        self.trees, self.given, self.seat = trees, given, seat
        self.open: list[str] = []
        self.passes_on = self.masked = False

    def must_be_so(self, rule: str, others: list[str]) -> None:
        """Refuse rules that read a row at a place that differs, or after which a seat is to play that differs."""
        for name in (rule, *others):
            arguments = [one.arg for one in self.trees[name].args.args]
            self.follow(name, dict.fromkeys(arguments, True), False)
            if not self.passes_on:
                raise NotSmall("a roll doesn't always pass the dice on")

    def follow(self, name: str, differs: dict[str, bool], masked: bool) -> bool:
        """Follow a function whose arguments differ or not; returns whether its result differs.

        It is `masked` where only some lanes call it.
        """
        if name in self.open:
            raise NotSmall("a rule calls itself")
        tree = self.trees[name]
        if any(isinstance(node, LOOPS) for node in ast.walk(tree)):
            raise NotSmall("its rules have a loop, other than one at the end of the rule of the roll")
        self.open.append(name)
        outer, self.masked = self.masked, masked
        result, _ = self.lines(tree.body, dict(differs), False)
        self.masked = outer
        self.open.pop()
        return result

    def lines(self, lines: list[ast.stmt], known: dict[str, bool], inner: bool) -> tuple[bool, bool]:
        """Follow lines; returns whether what they return differs, and whether some lanes may have returned.

        Only some of the lanes that call the function come to an `inner` line.
        """
        result = left = False
        for line in lines:
            here = inner or left
            masked = here or self.masked
            match line:
                case ast.Assign([target], value):
                    self.store(target, self.differs(value, known, masked), known, masked)
                case ast.AugAssign(target, _, value):
                    changed = self.differs(value, known, masked)
                    self.store(target, self.differs(target, known, masked) or changed, known, masked)
                case ast.If():
                    returned, gone = self.branches(line, known, here)
                    result, left = result or returned, left or gone
                case ast.Return(value):
                    return result or here or (value is not None and self.differs(value, known, masked)), here
                case ast.Expr(value):
                    self.differs(value, known, masked)
                case ast.Pass():
                    pass
                case _:
                    raise NotSmall(f"a line can't be played in lanes: {ast.unparse(line)[:40]}")
        return result, left

    def branches(self, line: ast.If, known: dict[str, bool], here: bool) -> tuple[bool, bool]:
        """Follow both branches of an ``if``, which `here` only some of the lanes reach; returns what `lines` does."""
        splits, result, left = self.differs(line.test, known, here or self.masked), False, False
        ends = [dict(known), dict(known)]
        for part, end in zip((line.body, line.orelse), ends, strict=True):
            returned, gone = self.lines(part, end, here or splits)
            result, left = result or returned, left or gone
        for name in _set_in(line):  # lanes that took another branch may have another value
            known[name] = splits or any(end.get(name, False) for end in ends)
        return result, left

    def store(self, target: ast.expr, differs: bool, known: dict[str, bool], masked: bool) -> None:
        """Note that a value is stored."""
        match target:
            case ast.Name(name):
                known[name] = differs
            case ast.Attribute(ast.Name("_g"), self.seat):
                if differs or masked:
                    raise NotSmall("whose turn is next depends on the dice")
                self.passes_on = True
            case ast.Attribute(ast.Name("_g"), _):
                pass
            case ast.Subscript():
                self.differs(target, known, masked)
            case _:
                raise NotSmall(f"a line can't be played in lanes: {ast.unparse(target)[:40]}")

    def differs(self, node: ast.expr, known: dict[str, bool], masked: bool) -> bool:
        """Return whether the value of an expression differs; refuses a place of a row or a list that does."""
        match node:
            case ast.Attribute(ast.Name("_g"), name):
                return name != self.seat and name not in self.given
            case ast.Attribute(ast.Name(), "size"):
                return False
            case ast.Name(name):
                return known.get(name, False)
            case ast.Subscript(_, place):
                if self.differs(place, known, masked):
                    raise NotSmall("a row is read at a place that depends on the dice")
                return True
            case ast.Call(ast.Name(called), given, []) if called in self.trees:
                found = [self.differs(one, known, masked) for one in given]
                names = [one.arg for one in self.trees[called].args.args]
                return self.follow(called, dict(zip(names, found, strict=True)), masked)
            case ast.Call(ast.Attribute(ast.Name("_rules"), _) | ast.Name(), given, []):
                return self.any(given, known, masked)
            case ast.Call() | ast.Starred():
                raise NotSmall(f"a call can't be played in lanes: {ast.unparse(node)[:40]}")
        return self.any((one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)), known, masked)

    def any(self, nodes: Iterable[ast.expr], known: dict[str, bool], masked: bool) -> bool:
        """Return whether one of some expressions differs; all are looked at."""
        found = [self.differs(node, known, masked) for node in nodes if ast.unparse(node) != "_g"]
        return any(found)


def _set_in(line: ast.stmt) -> set[str]:
    """Return the variables that are set in a line, or in the lines inside it."""
    return {node.id for node in ast.walk(line) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


class _Sided(ast.NodeTransformer):
    """Makes functions of one game functions of a lane: each row is a column of an array, and their names differ."""

    def __init__(self, trees: dict[str, ast.FunctionDef], rows: list[str]) -> None:
        self.trees, self.rows = trees, rows

    def function(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        """Return the function for lanes."""
        made = self.generic_visit(deepcopy(tree))
        assert isinstance(made, ast.FunctionDef)
        made.name = f"_side_{tree.name}"
        return ast.fix_missing_locations(made)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if ast.unparse(node.value) not in self.rows:
            self.generic_visit(node)
            return node
        if isinstance(node.slice, ast.Slice):
            raise NotSmall("it uses a part of a row at once")
        node.slice = self.visit(node.slice)
        lane = ast.parse("unsigned(_g._lane)", mode="eval").body
        number = ast.Subscript(node.value, ast.Tuple([node.slice, lane], ast.Load()), node.ctx)
        if isinstance(node.ctx, ast.Store):
            return number
        # The difference of two numbers of 8 bits without a sign would be one without a sign.
        return ast.Call(ast.parse("np.int64", mode="eval").body, [number], [])

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node.attr == "size" and ast.unparse(node.value) in self.rows:
            return ast.parse(f"{ast.unparse(node.value)}.shape[0]", mode="eval").body
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in self.trees:
            node.func = ast.Name(f"_side_{node.func.id}", ast.Load())
            node.args = [one if ast.unparse(one) in self.rows else self.visit(one) for one in node.args]
            return node
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self.rows:
            raise NotSmall(f"it uses a whole row at once ({node.id.removeprefix('_r_')})")
        return node
