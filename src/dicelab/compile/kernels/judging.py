"""Arguments of kernels in which a network judges states (`dicelab.compile.kernels.writers.thinking`)."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

Array = NDArray[Any]


class Judge(NamedTuple):
    """A network that judges states, as kernels need it (`dicelab.compile.kernels.writers.thinking`)."""

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
    """The tree of `dicelab.questions.policies.mcts`, as its kernel needs it; node 0 is the state in which a seat
    chooses.
    """

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
