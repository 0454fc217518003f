"""Fills the functions of kernels in which a network judges moves (the template `thinking`), the kernel that plays games
of one against itself, from which it learns (the template `learning`), and that of tree search (the template `tree`).

All that such a kernel needs of a network is in `Judge`. A state is a row: its numbers, and then the tallies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from dicelab.compile.kernels.writers import simulate as k
from dicelab.compile.kernels.writers.moves import move_names
from dicelab.compile.kernels.writers.step import listed_moves, made_move
from dicelab.rules.actions import LISTABLE
from dicelab.rules.game import Game, Strategy
from dicelab.translation.translator import NotTranslatable, Translation

Array = NDArray[Any]


class Judge(NamedTuple):
    """A network that judges states, as kernels need it."""

    spans: Array
    """Place, least and largest value of each number that is an input, how it becomes inputs, and the first of these."""
    seen: Array
    """Where each number of a state stands in its row, seen from each seat (seats, numbers), or the only view of all."""
    single: Array
    """Whether a number is that of a seat, which differs with the seat."""
    turn: Array
    """The place of the number of the seat from which a state is seen; -1 if all see it alike."""
    first: Array
    first_bias: Array
    second: Array
    second_bias: Array
    least: Array
    span: Array
    low: Array
    """How states are packed, with `wide`, `word` and `shift`, to be looked up among those that are `known`."""
    wide: Array
    word: Array
    shift: Array
    known: Array
    known_value: Array
    """What each is worth to the seat to move, and to those after it; `places` has their numbers by their hashes."""
    places: Array
    packed: Array
    """Scratch space for a packed state, and in `numbers` for its numbers."""
    numbers: Array
    prizes: Array
    """What each outcome is worth to each seat (outcomes, seats); `signs`: what 1 of a tally is (tallies, seats)."""
    signs: Array
    counted: Array
    """Scratch space for the tallies at the end of a game."""
    nodes: Array
    """From here on scratch space: states within a turn (nodes, numbers and tallies). The moves of node n lead to
    ``edges[row[n] : row[n + 1]]``; `steps` has what `next` asks for there, and `value` what they are worth."""
    row: Array
    edges: Array
    steps: Array
    value: Array
    from_node: Array
    table: Array
    firsts: Array
    """The moves of the first state, where `options` and `sensible` are those of any, and `listed` is their number."""
    options: Array
    sensible: Array
    listed: Array
    hidden: Array
    out: Array


class TreeArrays(NamedTuple):
    """The tree of `dicelab.questions.policies.thinking.mcts`, as its kernel needs it; in node 0 a seat chooses."""

    prizes: Array
    """What each outcome is worth to each seat (outcomes, seats); `signs`: what 1 of a tally is (tallies, seats)."""
    signs: Array
    logs: Array
    """The natural logarithms of 0 (as 0), 1, 2, ..."""
    firsts: Array
    """The number of the first outcome of each row of the tables of rolls."""
    cells: Array
    """From here on scratch space: the states (nodes, numbers and tallies); `steps` has what `next` asks for there."""
    steps: Array
    tries: Array
    value: Array
    """What each is worth to each seat (nodes, seats), and in `played` what the games are that were played on."""
    played: Array
    child: Array
    """The first state after each, `sibling` the next one after the same; -1 where there is none."""
    sibling: Array
    label: Array
    """The place of the move, or the number of the outcome, that leads there."""
    moves: Array
    """How many moves each has, -1 until it is known, and in `made` how many were tried."""
    made: Array
    phase: Array
    """Where the sequence of the outcomes of each begins; -1 until it has rolled."""
    path: Array
    unit: Array
    """The unit of the bonus, for each seat."""
    begun: Array
    """Games to be played on, and in `records` how they ended, with `worth` to each seat (games, seats)."""
    records: Array
    worth: Array
    report: Array
    counted: Array
    """Scratch space as in `Judge`."""
    options: Array
    sensible: Array
    listed: Array
    out: Array


class Met(NamedTuple):
    """What is kept of games of a network against itself."""

    states: Array
    """The states after choices, and at the start (states, numbers and tallies)."""
    best: Array
    """What each would be worth if the best moves had been made (states, seats), and in `greedy` whether they were."""
    greedy: Array
    begins: Array
    """The states of game i are ``begins[i] .. begins[i + 1] - 1``; none if it was given up."""
    ends: Array
    """What the end of each game is worth to each seat; not a number if it was given up."""


UNIT, FINE = 64, 4096
"""What an input of 1, and a weight of 1, is in whole numbers."""
KNOTS = 16
"""Inputs of a number with many values, between which one interpolates."""
HEAD = """from dicelab.compile.kernels.hashtable import pack, place_of

called = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)
"""
"""What the functions of the template need besides what all kernels import: they are large, and not inlined."""
ONE_OF, UP_TO, BETWEEN, DIGITS = range(4)
"""How a number becomes inputs: one for its value; one for each value up to it; `KNOTS`; these, and binary digits."""
MOST_NODES, MOST_EDGES = 2048, 8192
"""Where there are more states within a turn than that, or more moves that lead from one to another, further states are
judged as they are."""
ROOM, EDGES = MOST_NODES + LISTABLE + 4, MOST_EDGES + LISTABLE + 1
"""Room for these states, and two that are tried out, and for moves."""
DONE, WRONG, FULL = range(3)
"""Status codes of the kernel of games from which a network learns: all were played, a rule went wrong in the last one,
or there is no room for the states of another one; ``report`` has the games played, and their states."""


def parts_of(translation: Translation, strategies: Sequence[Strategy] = ()) -> k.Parts:
    """Return what the template `thinking` needs; a state has the memories of these strategies too."""
    game, layout = translation.layout.game, translation.layout
    state, decisions, move = ", ".join(layout.arguments), game.declared.decisions, move_names(game)
    cells, tallies = k.cells_of(layout, strategies), list(game.declared.tallies)
    translation.source.insert(0, HEAD)
    first = f"cells.size - {len(tallies)}"
    return {
        "load": k.copied(cells, "{cell} = cells[{at}]"),
        "load_tallies": [f"_g.{name} = cells[{first} + {n}]" for n, name in enumerate(tallies)],
        "store": k.copied(cells, "cells[{at}] = {cell}"),
        "store_tallies": [f"cells[{first} + {n}] = _g.{name}" for n, name in enumerate(tallies)],
        "list": k.branches("asked", [listed_moves(translation, d, state, move) for d in decisions]),
        "take_option": [f"{name} = _options[m, {n}]" for n, name in enumerate(move)],
        "rules": k.branches("asked", [made_move(translation, d, state, move) for d in decisions]),
        "tallies": len(tallies),
        "together": str(tuple(d.together is not None for d in decisions)),
        **{"unit": UNIT, "fine": FINE, "fine_squared": float(FINE * FINE), "knots": KNOTS},
        **{"one_of": ONE_OF, "up_to": UP_TO, "digits": DIGITS, "most_nodes": MOST_NODES, "most_edges": MOST_EDGES},
    }


def write_play(game: type[Game], strategies: Sequence[Strategy], one_word: bool = False) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel that plays games with strategies, where networks judge some of the moves, and for
    each function in it the file and line of its rule.
    """
    translation = k.translated(game, strategies)
    parts = parts_of(translation) | k.parts_of(translation, strategies, one_word) | {"blocks": "BLOCKS"}
    return k.text_of("simulate", "engine compiled", translation, parts, ["thinking"]), translation.places


def write_tree(game: type[Game], strategies: Sequence[Strategy], one_word: bool = False) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel of tree search, in which games are played on with these strategies, and for each
    function in it the file and line of its rule.

    Raises
    ------
    NotTranslatable
        Also for a roll whose chances depend on the state: its outcomes are none of the tables of rolls.
    """
    if any(kind.varies for kind in game.declared.throws):
        raise NotTranslatable(f"{game.name} draws from a bag")
    translation = k.translated(game, strategies)
    parts = parts_of(translation, strategies) | k.parts_of(translation, strategies, one_word, resumed=True)
    return k.text_of("tree", "tree search", translation, parts, ["thinking", "simulate"]), translation.places


def write_ending(game: type[Game]) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel that finds all ends of turns, and for each function in it the file and line of its
    rule.
    """
    return _written(game, "ending")


def write(game: type[Game]) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel that plays games of a network against itself, and for each function in the text the
    file and line of its rule.
    """
    return _written(game, "learning")


def write_worths(game: type[Game]) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel that says what states are worth, and for each function in it the file and line of
    its rule.
    """
    return _written(game, "worths")


def _written(game: type[Game], template: str) -> tuple[str, dict[str, str]]:
    """Return the text of a template for a game without strategies, and the places of its functions."""
    translation = k.translated(game, ())
    parts = k.rules_of(translation, (), WRONG, WRONG) | parts_of(translation)
    parts |= {"DONE": DONE, "WRONG": WRONG, "FULL": FULL}
    return k.text_of(template, template, translation, parts, ["thinking"]), translation.places
