"""Writes the kernel that plays a game by its rules on a GPU, and prepares what it is given.

The functions of the game are those of the compiled engine, translated once
(`dicelab.compile.kernels.writers.simulate`); only the loop around them is another one. Parameters and the lengths of
rows are constants of the kernel, so that the compiler keeps the state in registers, and divides by a number of players
without a division.

By itself because it is about the text of a kernel, and `dicelab.extras.gpu.engine` about games and their counts.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from dicelab.compile.kernels.arguments import LOWEST
from dicelab.compile.kernels.templates.slots import filled
from dicelab.compile.kernels.uncompiled import code_of
from dicelab.compile.kernels.writers import simulate as k
from dicelab.compile.kernels.writers.moves import most_moves
from dicelab.errors import NotSmall
from dicelab.rules.game import Game, Strategy
from dicelab.runtime.arrays import Array
from dicelab.runtime.outcome_tables import Tables
from dicelab.translation.translator import KernelLayout

TEMPLATE = str(Path(__file__).parent / "templates" / "rules")
GOES_ON, OVER, LEFT = range(3)
"""After a roll: the game goes on, is over, or is left to the compiled engine, because something is wrong with it."""
MOST_LOCAL = 2**14
"""Limit on the bytes of a thread's own arrays; hundreds of thousands of threads have theirs at the same time."""
MOST_LISTS = 2**16
"""Limit on the bytes of the lists that rules make, which the GPU reserves for all threads that it could hold."""
READ_ONLY = k.MIXED[:-2]
"""Arrays of a policy that all threads share; each has scratch space of its own."""

MOVES = "_moves"
"""The array of moves in a kernel, as `dicelab.compile.kernels.move_support` describes it."""

SHOWN = "_shown"
"""The array for what dice show that are drawn one at a time."""
SLOWLY = "k0, k1, game, np.int64(_lane.rolls), np.int64(row), pools, guide, sums, values, apart"
AT_ONCE = ["u = below(k0, k1, game, np.int64(_lane.rolls), pools[4 * row], FIRST_LANE)"]
AT_ONCE += ["o = place_of(u, row, width, pools, guide, sums)"]
BY_ONES = [f"u = draw_slowly({SLOWLY}, {SHOWN})", "if apart[row, 0] > 0:", f"    values = {SHOWN}", "    o = 0"]
BY_ONES += ["else:", "    o = place_of(u, row, width, pools, guide, sums)"]
"""Code for a roll that needs more than its first word."""

OPERATIONS = {ast.FloorDiv: ("_gpu", "quotient"), ast.Mod: ("_gpu", "remainder"), ast.Pow: ("_rules", "power")}
"""Operations that are called by name: of divisions below; and powers, for which Numba would use floats on a GPU."""
CHECKED = ("quotient", "remainder", "divided")
"""Functions of `dicelab.compile.kernels.rule_support` that have a twin in `dicelab.extras.gpu.rule_support`."""


def write(game: Game, strategies: Sequence[Strategy], rows: Sequence[Array], dice: Tables) -> str:
    """Return the text of the kernel for a game with these parameters and strategies.

    Parameters
    ----------
    game, strategies
        The game; any of the strategies may play in any seat.
    rows
        Arrays, one for each thread, with their sizes, and those of policies.
    dice
        The outcomes of its rolls.

    Raises
    ------
    NotTranslatable
        If the rules can't be translated.
    NotSmall
        If a thread would need too much memory, or a strategy judges its moves by a network.
    """
    judging = [strategy.name for strategy in strategies if k.judges(strategy)]
    if judging:
        raise NotSmall(f"{judging[0]} judges its moves; the engines compiled and reference play it")
    translation = k.translated(type(game), strategies)
    layout, names = translation.layout, row_names(type(game), strategies)
    parts = k.parts_of(translation, strategies)
    own = {name: array for name, array in zip(names, rows, strict=True) if not is_shared(name)}
    if MOVES in own:
        own[MOVES] = own[MOVES][: most_listed(game) + 1]
    if dice.apart[:, 0].any():
        own[SHOWN] = np.zeros(dice.width, np.int64)
        names.append(SHOWN)
    _must_fit(own, translation.text)
    tallies = [f"_g.{name}" for name in type(game).declared.tallies] or ["0"]
    columns = ("weight", "reject", "shift", "place")
    if parts["weight"] == "weight":
        parts["prepare"] = [f"{name} = unsigned({dice.pools[i]})" for i, name in enumerate(columns)]
    ours: k.Parts = {
        "functions": [recorded(translation.text)],
        "slots": str(layout.slots),
        "slowly": BY_ONES if SHOWN in own else AT_ONCE,
        "arrays": ", ".join(["_g", *names, ""]),
        "unpack": [f"{', '.join(['_g', *names, ''])}= arrays"],
        "set_params": [f"_g.{name} = {value}" for name, value in zip(layout.given, layout.values(game), strict=True)],
        "name_rows": [*_own_arrays(own), *(f"{n} = policies[{i}]" for i, n in enumerate(filter(is_shared, names)))],
        "begin": [line for line in parts["begin"] if line != "t = 0"],
        "count": [
            f"tallied(outcome, {i}, {tally}, near, width, hist, spill, noted)" for i, tally in enumerate(tallies)
        ],
        **{"LOWEST": LOWEST, "GOES_ON": GOES_ON, "OVER": OVER, "LEFT": LEFT},
    }
    return filled(TEMPLATE, f"engine cuda, game {layout.game.name!r}", parts | ours)


def _must_fit(own: Mapping[str, Array], text: str) -> None:
    """Refuse a game whose own arrays, or whose lists, take too much of a thread's memory."""
    if sum(array.nbytes for array in own.values()) > MOST_LOCAL:
        raise NotSmall(f"a state takes more than {MOST_LOCAL:,} bytes of a thread's memory")
    if list_bytes(text) > MOST_LISTS:
        raise NotSmall(f"the lists that its rules make take more than {MOST_LISTS:,} bytes of a thread's memory")


def list_bytes(text: str) -> int:
    """Return the bytes of all lists, sets and dicts that translated rules make."""
    total = 0
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(ast.Attribute(attr="new_list" | "new_table"), [most, *width]):
                total += 8 * (ast.literal_eval(most) + 1) * prod(map(ast.literal_eval, width))
    return total


def most_listed(game: Game) -> int:
    """Return the number of moves that a thread has room for, in a game that lists its moves: all of them, or 8 KiB."""
    listing = [decision for decision in game.declared.decisions if decision.moves is not None]
    room = (MOST_LOCAL // 16 // len(decision.kinds) for decision in game.declared.decisions)
    return min([max([most_moves(decision, game) for decision in listing], default=0), *room])


def row_names(game: type[Game], strategies: Sequence[Strategy]) -> list[str]:
    """Return the names in the kernel of the rows of a game, of memories, and of the arrays of policies."""
    return [line.partition(" = ")[0] for line in k.name_rows(KernelLayout.of(game, strategies), strategies)]


def is_shared(name: str) -> bool:
    """Return whether all threads read the same array of this name."""
    return name.startswith("_p") and name.endswith(tuple(f"_{part}" for part in READ_ONLY))


def _own_arrays(own: dict[str, Array]) -> list[str]:
    shapes = {name: array.shape if array.ndim > 1 else array.size for name, array in own.items()}
    return [f"{name} = cuda.local.array({shape}, np.{own[name].dtype})" for name, shape in shapes.items()]


def recorded(text: str) -> str:
    """Return the text of translated rules, in which neither a division by zero nor an endless loop raises an error."""
    return ast.unparse(ast.fix_missing_locations(_Recorded().visit(ast.parse(text))))


class _Recorded(ast.NodeTransformer):
    """On a GPU nothing can be raised: what Numba would raise is recorded, as `dicelab.compile.kernels.rule_support`
    does.
    """

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        called = OPERATIONS.get(type(node.op))
        if called is None or (not isinstance(node.op, ast.Pow) and _is_nonzero(node.right)):
            return node
        return ast.Call(_of(*called), [ast.Name("_g"), node.left, node.right], [])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node.func:
            case ast.Name("divmod"):
                return ast.Call(_of("_gpu", "divided"), [ast.Name("_g"), *node.args], [])
            case ast.Attribute(ast.Name("_rules"), name) if name in CHECKED:
                node.func = _of("_gpu", name)
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        return ast.parse("_g._outside |= -1").body[0]


def _of(module: str, name: str) -> ast.expr:
    return ast.Attribute(ast.Name(module), name)


def _is_nonzero(node: ast.expr) -> bool:
    """Return whether a divisor is a constant other than 0, as a number or as ``int(number)``."""
    match node:
        case ast.Call(ast.Name("int"), [ast.Constant(value)]) | ast.Constant(value):
            return bool(value)
    return False


@lru_cache(maxsize=8)
def kernel_of(text: str, placed: Callable[[Array], Any]) -> Any:
    """Return the kernel of a text.

    Parameters
    ----------
    text
        What `write` returns.
    placed
        Puts an array with constants of the rules into the memory of the GPU. (As constants of the kernel they would
        compete for 64 KiB, and the threads of a warp would read different ones of them one after the other.)
    """
    module: dict[str, Any] = {"__name__": "dicelab_cuda_kernel"}
    exec(code_of(text, "dicelab_cuda_kernel"), module)
    module.update({name: placed(value) for name, value in module.items() if isinstance(value, np.ndarray)})
    return module["kernel"]
