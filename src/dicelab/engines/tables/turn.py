"""The engine `turn`: a lookup table of the states of one turn, followed by hundreds of games at once.

It plays the games of `dicelab.runtime.interpreter`, bit for bit. `dicelab.engines.tables.turn` finds the states
of a turn; compiled rules are applied where a transition depends on the rest of the game. The compiled engine plays the
few games that reach a state of a turn that is not in the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import Games, TurnTable
from dicelab.compile.kernels.writers import simulate as k
from dicelab.engines.tables.base import Tabled
from dicelab.errors import NotSmall
from dicelab.rules.actions import Throw
from dicelab.rules.fields import Int, Ints, Peak
from dicelab.rules.game import Game, Strategy
from dicelab.rules.mixtures import LUCK
from dicelab.runtime.interpreter import LIMIT, Explained, MixtureDraws
from dicelab.runtime.lineup import Call, Run
from dicelab.runtime.outcome_tables import Tables, tables
from dicelab.runtime.philox import ONE_WORD, Pool, Stream, pool
from dicelab.runtime.scheduler import Tallied
from dicelab.runtime.states.explorer import AWAY, DependsOnHidden, End, StateExplorer

# Turn states ----------------------------------------------------------------------------------------------------------
#
# The states of one turn, for games whose turns have few states while scores, coins or money take many values.
#
# The *rest* of a game is the fields that make it large. They are hidden while the states of a turn are explored: if
# rules and strategies neither read nor change the rest, a transition from one of these states to another is valid
# whatever the rest is. A transition whose rules use the rest leads away: there the rules must be applied. Nothing needs
# to be declared for this, and the result is certain, because every use of a hidden field is detected.

LARGE = 4096
"""Width of a declared range from which on a field belongs to the rest."""
SAMPLES, LONGEST = 12, 4000
"""Number of games played to find the states in which turns begin, and limit on the rolls of each."""
MOST_POSITIONS, MOST_EDGES = 4096, 40_000
OFTEN = 0.35
"""Largest share of rolls that lead away for which a table of the turn is made: above it there is little to gain."""


class _DrawsAway:
    """What mixed strategies draw while turns are explored: a transition in which one draws leads away.

    Attributes
    ----------
    choices
        How many choices were asked for since the last roll.
    """

    choices = 0

    def note(self, kind: object, values: object) -> None:
        """Record nothing of a choice."""

    def __call__(self, weight: int) -> NoReturn:
        raise DependsOnHidden


class _DrawnExplorer(StateExplorer):
    """A state explorer for mixed strategies, which draw by the number of the choice: it counts choices as a tally."""

    def _count_from(self, values: tuple[int, ...]) -> None:
        super()._count_from(values)
        self.game.__dict__[LUCK] = _DrawsAway()

    def counted(self) -> tuple[int, ...]:
        return *super().counted(), self.game.__dict__[LUCK].choices


@dataclass(frozen=True)
class StatesOfTurns:
    """The states of turns, and the transitions between them.

    Attributes
    ----------
    rest
        Names of the fields that are no part of a turn's state.
    names
        Names of the other fields.
    positions
        The states: values of these fields.
    thrown
        For each state the roll, the number of dice, and their outcomes.
    ends
        For each state and outcome the end of the transition; `AWAY` if it depends on the rest or ends the game.
    changes
        The changes of the tallies; then, if a strategy draws its moves, the number of choices.
    choices
        The largest number of choices between two rolls.
    """

    rest: tuple[str, ...]
    names: tuple[str, ...]
    positions: list[tuple[int, ...]]
    thrown: list[tuple[Throw, int, Pool]]
    ends: list[list[End]]
    changes: list[tuple[int, ...]]
    choices: int


def turns_of(run: Run) -> StatesOfTurns:
    """Find the states of turns.

    Raises
    ------
    NotSmall
        If the game has no rest, its turns have many states, or most rolls depend on the rest.
    """
    game = run.game
    rest = _rest(game)
    if not rest or any(call.strategy.memory for call in run.calls):
        raise NotSmall("it has no turns that are independent of the rest of the game")
    if any(isinstance(tally, Peak) for tally in game.declared.tallies.values()):
        raise NotSmall("a Peak can't be counted by adding")
    try:
        mixes = any(call.strategy.mixes for call in run.calls)
        explorer = (_DrawnExplorer if mixes else StateExplorer)(run, hidden=rest)
    except DependsOnHidden:
        raise NotSmall("how it begins depends on the rest of the game, or on a move that is drawn") from None
    names = tuple(name for name in game.declared.state if name not in rest)
    began = _sampled(run, names, explorer)
    thrown: list[tuple[Throw, int, Pool]] = []
    ends: list[list[End]] = []
    if not explorer.positions.things:
        raise NotSmall("it is over before the first roll")
    edges = 0
    for here in explorer.positions.things:  # `follow` appends new states to it
        throw = _asked(explorer, here)
        thrown.append(throw)
        row = [explorer.follow(throw[0], outcome.seen) for outcome in throw[2].outcomes]
        ends.append([AWAY if end[0] < 0 else end for end in row])
        edges += len(row)
        if len(explorer.positions.things) > MOST_POSITIONS or edges > MOST_EDGES:
            raise NotSmall("its turns have too many states")
    away = sum(ends[here][outcome] == AWAY for here, outcome in began)
    if away > OFTEN * len(began):
        raise NotSmall("most of its rolls depend on the rest of the game, or on moves that are drawn")
    return StatesOfTurns(
        rest, names, explorer.positions.things, thrown, ends, explorer.changes.things, explorer.choices
    )


def _rest(game: Game) -> tuple[str, ...]:
    """Return the fields that make a game large: rows, numbers declared with ``grows=True``, numbers of a wide range."""
    large = []
    for name, f in game.declared.state.items():
        low, high = f.bounds(game)
        if isinstance(f, Ints) or (isinstance(f, Int) and (f.grows or high - low >= LARGE)):
            large.append(name)
    return tuple(large)


def _asked(explorer: StateExplorer, here: tuple[int, ...]) -> tuple[Throw, int, Pool]:
    """Return the roll in a state of a turn, the number of dice, and their outcomes."""
    try:
        kind, dice = explorer.throw_at(here)
    except DependsOnHidden:
        raise NotSmall("which dice are rolled depends on the rest of the game") from None
    if kind.varies:
        raise NotSmall(f"the weights of {kind.name} depend on the state")
    with Explained(explorer.game):
        thrown = pool(explorer.game, kind, dice)
    if not thrown.whole or thrown.weight > ONE_WORD:
        raise NotSmall(f"{kind.name} of {thrown.count} dice needs more than one random word")
    return kind, dice, thrown


def _sampled(run: Run, names: tuple[str, ...], explorer: StateExplorer) -> list[tuple[int, int]]:
    """Play some games and add the states of their turns to `explorer`; returns each with the outcome rolled there."""
    whole = StateExplorer(run)
    seen = []
    for index in range(SAMPLES):
        stream, (at, _) = Stream(0, index), whole.start
        whole.game.__dict__[LUCK] = MixtureDraws(stream)
        for _ in range(LONGEST):
            if at < 0:
                break
            here = whole.positions.things[at]
            whole.place.set(here)
            turn = explorer.positions.number(tuple(int(whole.game.__dict__[name]) for name in names))
            kind, dice = whole.throw_at(here)
            thrown = pool(whole.game, kind, dice)
            if not thrown.whole:
                raise NotSmall(f"{kind.name} of {thrown.count} dice needs more than one random word")
            values = stream.draw(thrown)
            seen.append((turn, _number(thrown, values)))
            at = whole.follow(kind, values)[0]
    return seen


def _number(thrown: Pool, values: tuple[int, ...]) -> int:
    return next(i for i, outcome in enumerate(thrown.outcomes) if outcome.seen == values)


GUIDE_BITS = 12
MOST_PLACES = 2**20
"""Limit on the combinations of values of the fields of a turn: the size of the array that finds a state's number."""
COUNT_BITS = 43
"""Bits for the tallies of a turn in an entry, above 20 for the state and one for leading away."""
UNSETTLED = 4 * 512 * 2
"""Number of rolls in which the tallies of a turn must not overflow: twice as many as between two times that the kernel
moves them elsewhere."""
SHORTEST = 1000
MORE_CHOICES = 8
"""Choices between two rolls that are allowed in addition to those in a turn; the compiled engine plays games with more.
"""


class TurnEngine(Tabled):
    """A game with its parameters and strategies, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If its turns don't fit into a table.
    """

    name = "turn"
    draws_moves = True

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        turns = turns_of(self.run)
        self.choices = turns.choices + MORE_CHOICES
        self.blocks = limit // (1 + self.choices) // 4 - 512
        if self.blocks < SHORTEST:
            raise NotSmall("it could play only very short games")
        self.text, self.places = write(type(game), self.strategies, turns.rest)
        self.table = _table(turns, tables(game, GUIDE_BITS))

    def _follow(self, games: Games, slow: NDArray[np.int64], total: Tallied) -> int:
        given = games, self.setting, self.rows(), self.table
        return self._added(total, lambda counted: self._kernel(*given, counted, slow, self.choices), games.games)


def _table(turns: StatesOfTurns, dice: Tables) -> TurnTable:
    """Return the states of a turn as arrays."""
    pools, guide, firsts = dice.pools.reshape(-1, 4), dice.numbered, dice.first
    nothing = len(dice.sums)  # an outcome, with its own guide entry, for lanes without a game
    idle = len(turns.positions)
    info, entries = [], list[int]()
    bits = _bits(turns)
    for here, (kind, count, _) in enumerate(turns.thrown):
        row = int(dice.kinds[kind.index, 0]) + count
        weight, rejected, shift, place = (int(n) for n in pools[row])
        info.append((weight, rejected, shift, place, (len(entries) - firsts[row]) % 2**64))
        entries += [_entry(here, end, turns, bits) for end in turns.ends[here]]
    info.append((1, 0, 0, len(guide), (len(entries) - nothing) % 2**64))
    entries.append(idle)
    fields = np.array(turns.positions, np.int64).reshape(idle, -1)
    lows = fields.min(axis=0)
    sizes = fields.max(axis=0) - lows + 1
    if prod(sizes.tolist()) > MOST_PLACES:
        raise NotSmall("its turns have too many states")
    node_at = np.full(prod(sizes.tolist()), -1, np.int64)
    node_at[np.ravel_multi_index(tuple((fields - lows).T), tuple(sizes))] = np.arange(idle)
    rolls = dice.kinds, np.append(guide, nothing), np.append(dice.sums, np.uint64(1)), dice.values, dice.width
    words = np.array(info, np.uint64).reshape(-1), np.array(entries, np.uint64)
    kinds, each = (np.array(n, np.int64) for n in ([kind.index for kind, _, _ in turns.thrown], bits or (1,)))
    return TurnTable(*rolls, *words, kinds, fields, lows, sizes, node_at, each, np.uint64(idle))


def _bits(turns: StatesOfTurns) -> tuple[int, ...]:
    """Return the number of bits for each tally of a turn.

    Raises
    ------
    NotSmall
        If there are too few bits.
    """
    inside = {change for row in turns.ends for end in row if end != AWAY for change in [end[1]]}
    tallies = len(turns.changes[0]) if turns.changes else 0
    most = [max((abs(turns.changes[c][t]) for c in inside), default=0) for t in range(tallies)]
    need = [1 + (m * UNSETTLED).bit_length() for m in most]
    if sum(need) > COUNT_BITS:
        raise NotSmall("its tallies are too many, or change by too much, to fit into one word")
    return tuple(need)


def _entry(here: int, end: End, turns: StatesOfTurns, bits: tuple[int, ...]) -> int:
    """Return an entry of the table for the end of a transition, in 64 bits: see
    `dicelab.engines.tables.turn`.
    """
    if end == AWAY:
        return here | 1 << 20
    total, shift = 0, 21
    for value, size in zip(turns.changes[end[1]], bits, strict=True):
        total += value << shift
        shift += size
    return (end[0] + total) % 2**64


# Writes the kernel of the engine `turn`: it follows a table of a turn's states, and applies the rules elsewhere -------
#
# An entry of the table is one 64-bit word, for each state and outcome::
#
#     bits  0-19   the next state
#     bit   20     1 where the rules must decide: the entry then has the same state, and no counts
#     bits 21-63   the changes of the tallies, added together with different shifts: each may borrow from the one above
#
# `info` has five numbers for each state: total weight of its dice, rejection threshold, bits to shift a number for the
# guide, first index in the guide, and the difference between an outcome and the index of its entry (modulo 2**64). The
# last state is that of lanes without a game. `kept` has for each lane the tallies, the single fields and the rows of
# its game that are no part of the turn.


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
