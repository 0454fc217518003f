"""Finds the best way to play a game: for one seat, against given strategies, or for two seats against each other."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab import __version__
from dicelab.analysis.provenance import source_hash, winners
from dicelab.analysis.writing import aligned, heading, many, places, upper
from dicelab.chains.chain import Numbers
from dicelab.chains.enumerate import graph_of
from dicelab.chains.graph import Graph, moves_of
from dicelab.chains.optimal import Optimum, optimum
from dicelab.engines.place import Place
from dicelab.engines.plan import Run, as_texts
from dicelab.engines.policy import Policy
from dicelab.engines.reference import asked
from dicelab.engines.slots import Slots
from dicelab.engines.stopwatch import Stopwatch
from dicelab.errors import ParameterError, unknown
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, fresh, outcome_names, seat_count, shown
from dicelab.rules.params import as_integer

SCHEMA = 1
BEST = "best"
"""Stands among the strategies for a seat whose best moves are looked for."""


@dataclass(frozen=True)
class Objective:
    """What is wanted: as much or as little as possible of a tally, or an outcome."""

    text: str
    kind: str
    """``win``, ``outcome``, ``most`` or ``fewest``."""
    number: int = -1
    """Of the outcome or tally; -1 for ``win``."""

    @classmethod
    def of(cls, game: Game, text: str | None) -> Objective:
        """Read an objective: ``win``, the name of an outcome, ``most:TALLY`` or ``fewest:TALLY``.

        None is ``win`` where seats win or some outcome is called so.

        Raises
        ------
        ParameterError, UnknownNameError
        """
        names, tallies = outcome_names(game), tuple(game.declared.tallies)
        if text is None:
            if not winners(game) and "win" not in names:
                wanted = [*names, *(f"{much}:{tally}" for tally in tallies for much in ("most", "fewest"))]
                raise ParameterError(f"{game.name}: say what is wanted; objective is one of {', '.join(wanted)}")
            text = "win"
        if text == "win" and winners(game):
            return cls(text, "win")
        much, _, tally = text.partition(":")
        if tally and much in ("most", "fewest"):
            if tally not in tallies:
                raise unknown(f"tally of {game.name}", tally, tallies)
            if isinstance(game.declared.tallies[tally], Peak):
                raise ParameterError(f"objective: {tally} is a Peak, which is not a sum over the steps of a game")
            return cls(text, much, tallies.index(tally))
        if text not in names:
            raise unknown(f"outcome of {game.name}", text, names)
        return cls(text, "outcome", names.index(text))


@dataclass(frozen=True)
class Solution:
    """The best way to play.

    Attributes
    ----------
    game, parameters, strategies
        What was solved; a strategy is ``best`` where the best moves were looked for.
    objective
        What is wanted.
    value, error
        What it comes to from the start, with a bound on the error: for ``win`` and outcomes a probability (that of the
        first seat that plays its best), for a tally its mean. Infinite where no bound was found.
    chances
        Probability that each seat wins, where that is wanted.
    states, choices, edges
        Positions, those at which a best move was looked for, and ways from one to the next.
    steps
        Throws and choices of a game under best play, on average.
    seconds
        Time taken, compilation apart.
    policy
        The best moves; None where they depend on what a given strategy remembers, which no player sees.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=10)
    >>> round(best.value, 9), best.error < 1e-12
    (0.767681261, True)
    """

    game: str
    parameters: dict[str, int | bool]
    strategies: list[str]
    objective: str
    value: float
    error: float
    chances: dict[str, float]
    states: int
    choices: int
    edges: int
    steps: float
    version: str
    source_hash: str
    seconds: float
    policy: Policy | None = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        names = ("game", "parameters", "strategies", "objective", "value", "error", "chances", "states", "choices")
        more = ("edges", "steps", "version", "source_hash", "seconds")
        data = {name: getattr(self, name) for name in (*names, *more)}
        if not isfinite(self.error):
            data["error"] = None
        return {"schema": SCHEMA, "method": "solve", **data}

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict())

    def __str__(self) -> str:
        known = isfinite(self.error)
        digits = places(self.error) if known else 6
        if self.chances:
            rows = [["outcome", "probability"], *([name, f"{p:.{digits}f}"] for name, p in self.chances.items())]
        else:
            rows = [["wanted", "best"], [self.objective, f"{self.value:.{digits}f}"]]
        size = f"{many(self.states, 'position')}, {self.choices:,} of them choices"
        error = f"error below {upper(self.error)}" if known else "no bound on the error was found"
        lines = [*heading(self.game, self.parameters, self.strategies), *aligned(rows), ""]
        lines.append(f"a game takes {self.steps:.1f} throws and choices on average")
        return "\n".join([*lines, f"solved: {size}, {error}, {self.seconds:.3f} s"])


def solve(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: str | Sequence[str] = (),
    *,
    seat: int = 0,
    objective: str | None = None,
    memory: int | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
    **parameters: object,
) -> Solution:
    """The best moves at every position, and what they are worth.

    For a game of one seat, or against given strategies, these are the best moves of one seat. For two seats without
    given strategies they are those of both, each playing to win.

    Parameters
    ----------
    game, **parameters
        As in `dicelab.simulate`.
    against
        Strategies of the other seats, in order, or one for all of them.
    seat
        Who plays best against them.
    objective
        What is wanted: ``win``, the name of an outcome, ``most:TALLY`` or ``fewest:TALLY``; None is ``win`` where
        somebody can win.
    memory
        Bytes that may be used; half of the machine's when None.
    progress
        Called with the positions found and expanded so far.

    Raises
    ------
    InputError
        When something given is unknown or not allowed.
    TooLarge
        When the positions do not fit; says what is known of their number, and what would help.
    PlayError
        When a rule breaks at a position that can be reached, or ever more can be gained.

    Examples
    --------
    >>> solve("tossup", "bank_over:20", target=10).chances["seat 0"] > 0.76
    True
    """
    watch = Stopwatch()
    run, free = _seated(game, as_texts(against), seat, parameters)
    table = run.game
    wanted = Objective.of(table, objective)
    if len(free) > 1 and wanted.kind != "win":
        raise ParameterError(f"{table.name}: two seats that play their best both want to win; objective must be win")
    bytes_allowed = None if memory is None else as_integer(memory)
    if memory is not None and (bytes_allowed is None or bytes_allowed < 1):
        raise ParameterError(f"memory: {memory!r} is not allowed; it takes a whole number of bytes, at least 1")
    counted = wanted.kind in ("most", "fewest")
    graph = graph_of(run, free, bytes_allowed, progress, counted=counted)
    prize, gain, side = _wishes(graph, wanted, free)
    best = optimum(graph, side, gain, prize)
    start = graph.start
    first = gain[graph.start_change]
    value = float(first + (best.value[start] if start >= 0 else prize[-1 - start]))
    error = best.error(start) if start >= 0 else 0.0
    calls = [BEST if s in free else str(call) for s, call in enumerate(run.calls)]
    facts: dict[str, Any] = {"game": table.name, "parameters": shown(table), "strategies": calls}
    facts |= {"objective": wanted.text, "value": value, "error": error if isfinite(error) else None}
    chances = {}
    if wanted.kind == "win" and seat_count(table) == 2:
        mine, other = outcome_names(table)[free[0]], outcome_names(table)[1 - free[0]]
        chances = {name: {mine: value, other: 1.0 - value}[name] for name in outcome_names(table)}
    return Solution(
        **{**facts, "error": error},
        chances=chances,
        states=graph.states,
        choices=int((graph.mover >= 0).sum()),
        edges=graph.edges,
        steps=float(best.steps[start]) if start >= 0 else 0.0,
        version=__version__,
        source_hash=source_hash(type(table)),
        seconds=watch.seconds,
        policy=_policy(graph, best, gain, prize, free, {**facts, "solved": _told(facts, free)}),
    )


def _seated(
    game: str | os.PathLike[str] | type[Game] | Game, against: list[str], seat: int, parameters: dict[str, object]
) -> tuple[Run, list[int]]:
    """The game with its strategies, any of them where the best moves are looked for; and the seats where they are."""
    table = Run.of(game, **parameters).game
    if not table.declared.decisions:
        raise ParameterError(f"{table.name} has no choices; dicelab exact answers it")
    seats = max(1, seat_count(table))
    number = as_integer(seat)
    if number is None or not 0 <= number < seats:
        raise ParameterError(f"seat: {seat!r} is not allowed; it takes a whole number, 0 to {seats - 1}")
    if not against:
        if seats > 2:
            raise ParameterError(
                f"{table.name} has {seats} seats, for which there need not be one best way to play: "
                "say against whom the best moves are looked for"
            )
        return Run.of(table), [*range(seats)]
    if seats == 1:
        raise ParameterError(f"{table.name} has one seat, so there is nobody to play against")
    if len(against) not in (1, seats - 1):
        raise ParameterError(f"{table.name} has {seats} seats: give one strategy for the others or {seats - 1}")
    others = against if len(against) == seats - 1 else against * (seats - 1)
    anyone = next(iter(table.declared.strategies), others[0])
    return Run.of(table, [*others[:number], anyone, *others[number:]]), [number]


def _told(facts: dict[str, Any], free: Sequence[int]) -> str:
    """What was solved, in words."""
    others = [str(call) for call in facts["strategies"] if call != BEST]
    seats = " and ".join(f"seat {seat}" for seat in free)
    return f"{seats}, {facts['objective']}{', against ' + ', '.join(others) if others else ''}"


def _wishes(graph: Graph, wanted: Objective, free: Sequence[int]) -> tuple[Numbers, Numbers, NDArray[np.int8]]:
    """What each outcome and each change is worth to the first free seat; and for each seat whether it wants much."""
    prize, gain = np.zeros(graph.outcomes), np.zeros(len(graph.changes))
    side = np.full(max(1, seat_count(graph.game)), -1, np.int8)
    side[free[0]] = 1
    if wanted.kind in ("win", "outcome"):
        prize[free[0] if wanted.kind == "win" else wanted.number] = 1.0
    else:
        gain = graph.changes[:, wanted.number].astype(np.float64)
        side[free[0]] = 1 if wanted.kind == "most" else -1
    return prize, gain, side


def _policy(
    graph: Graph, best: Optimum, gain: Numbers, prize: Numbers, free: Sequence[int], about: dict[str, Any]
) -> Policy | None:
    """The moves at every position at which a free seat chooses, with what they are worth to that seat.

    None where the best move depends on what a strategy remembers, which no player sees.
    """
    chooses = np.flatnonzero(graph.mover >= 0)
    keys = _states(graph, chooses)
    sorted_by_key = np.lexsort(keys.T[::-1])
    order, keys = chooses[sorted_by_key], keys[sorted_by_key]
    if (keys[1:] == keys[:-1]).all(axis=1).any():
        return None
    length = np.diff(graph.row)[order]
    row = np.concatenate(([0], np.cumsum(length)))
    edges = np.repeat(graph.row[order] - row[:-1], length) + np.arange(row[-1])
    target = graph.target[edges]
    after = np.where(target < 0, prize[np.maximum(-1 - target, 0)], best.value[np.maximum(target, 0)])
    worth = gain[graph.change[edges]] + after
    if len(free) > 1:
        worth = np.where(np.repeat(graph.mover[order], length) == free[0], worth, 1.0 - worth)
    moves = _moves(graph, order, length, edges)
    return Policy(graph.game, about, keys, row, moves, worth, best.picked[order] - graph.row[order] + row[:-1])


def _states(graph: Graph, positions: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The packed states of some positions, without what strategies remember."""
    old, new = graph.slots, Slots.of(graph.game, ())
    keys = np.zeros((len(positions), new.words), np.uint64)
    for i in range(len(new.names)):
        mask = np.uint64((1 << int(old.span[i]).bit_length()) - 1)
        number = (graph.keys[positions, int(old.word[i])] >> np.uint64(old.shift[i])) & mask
        keys[:, int(new.word[i])] |= number << np.uint64(new.shift[i])
    return keys


def _moves(graph: Graph, order: NDArray[np.int64], length: NDArray[np.int64], edges: Any) -> NDArray[np.int64]:
    """The move of each edge, as wide as the widest; the rules tell which choice is asked for."""
    game = fresh(graph.game)
    decisions = list(game.declared.decisions)
    number = graph.weight[edges].astype(np.int64)
    listed = [np.array(moves_of(d, game), np.int64) for d in decisions]
    if len(listed) == 1:
        return np.asarray(listed[0][number])
    place, kinds = Place(game, ()), []
    for state in order.tolist():
        place.set(graph.slots.unpack(graph.keys[state].tolist()))
        kinds.append(decisions.index(asked(game, game.next())[0]))  # type: ignore[arg-type]
    kind = np.repeat(np.array(kinds), length)
    found = np.zeros((len(edges), max(moves.shape[1] for moves in listed)), np.int64)
    for k, moves in enumerate(listed):
        found[kind == k, : moves.shape[1]] = moves[number[kind == k]]
    return found
