"""Writes the kernel of the engine `turn`: it follows a table of a turn's states, and applies the rules elsewhere.

An entry of the table is one 64-bit word, for each state and outcome::

    bits  0-19   the next state
    bit   20     1 where the rules must decide: the entry then has the same state, and no counts
    bits 21-63   the changes of the tallies, added together with different shifts: each may borrow from the one above

`info` has five numbers for each state: total weight of its dice, rejection threshold, bits to shift a number for the
guide, first index in the guide, and the difference between an outcome and the index of its entry (modulo 2**64). The
last state is that of lanes without a game. `kept` has for each lane the tallies, the single fields and the rows of its
game that are no part of the turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.compile.kernels.writers import simulate as k
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game, Strategy


def write(game: type[Game], strategies: Sequence[Strategy], rest: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel for a game, and for each function in the text the file and line of its rule.

    `rest` names the fields that are no part of a turn's states.
    """
    translation = k.translated(game, strategies)
    rules = k.playing_rules(translation, strategies)
    # The number of the last choice is kept like a tally, because mixed strategies draw by it.
    choice = ["_choice"] if any(strategy.mixes for strategy in strategies) else []
    tallies = [*game.declared.tallies, *choice]
    rows = [name for name in rest if isinstance(game.declared.state[name], Ints)]
    single = [name for name in rest if name not in rows]
    names = [name for name in game.declared.state if name not in rest]
    turn = [line for t, name in enumerate(tallies) for line in k.next_count(f"bits[{t}]", f"_g.{name} += v")]
    parts: k.Parts = {
        **rules,
        "reset": [*rules["reset"], *(f"_g.{name} = -1" for name in choice)],
        "kept": " + ".join([str(len(tallies) + len(single)), *(f"_r_{name}.size" for name in rows)]),
        "sizes": _places(tallies, single, rows),
        "settle": [line for t, _ in enumerate(tallies) for line in k.next_count(f"bits[{t}]", f"kept[i, {t}] += v")],
        "load": [*(f"_g.{name} = fields[at, {j}]" for j, name in enumerate(names)), *_moved(tallies, single, rows)],
        "count_turn": turn,
        "find": _find(names),
        "store": _moved(tallies, single, rows, back=True),
        "done": k.DONE,
        "wrong": k.BAD_STEP,
    }
    return k.text_of("turn", "engine turn", translation, parts, ["playing"]), translation.places


def _places(tallies: list[str], single: list[str], rows: list[str]) -> list[str]:
    """Code for the index in ``kept`` at which each row begins, after the tallies and the single fields of the rest."""
    code, before = [], str(len(tallies) + len(single))
    for name in rows:
        code.append(f"_at_{name} = {before}")
        before = f"_at_{name} + _r_{name}.size"
    return code


def _moved(tallies: list[str], single: list[str], rows: list[str], back: bool = False) -> list[str]:
    """Code that takes the tallies and the rest of a lane's game out of ``kept``, or puts them back."""
    code = []
    for j, name in enumerate([*tallies, *single]):
        code.append(f"kept[i, {j}] = _g.{name}" if back else f"_g.{name} = kept[i, {j}]")
    for name in rows:
        move = f"kept[i, _at_{name} + j] = _r_{name}[j]" if back else f"_r_{name}[j] = kept[i, _at_{name} + j]"
        code += [f"for j in range(_r_{name}.size):", f"    {move}"]
    return code


def _find(names: list[str]) -> list[str]:
    """Code that sets ``at`` to the number of the turn's state, -1 where it is not in the table.

    ``at`` is first the index in mixed radix of the fields of the turn, then ``node_at`` of that index.
    """
    code = []
    for j, name in enumerate(names):
        code += [
            f"d = _g.{name} - lows[{j}]",
            f"if at < 0 or d < 0 or d >= sizes[{j}]:",
            "    at = -1",
            "else:",
            f"    at = at * sizes[{j}] + d",
        ]
    return [*code, "if at >= 0:", "    at = node_at[at]"]
