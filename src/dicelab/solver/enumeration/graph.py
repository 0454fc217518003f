"""Enumerates every state of a game: in plain Python where that is quick, else compiled.

Memory is checked on the way. A chain that will not fit is refused, with what is known of its size; an estimate of the
size can be had beforehand (`size_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from math import inf

import numpy as np

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.writers import enumerate as expand
from dicelab.errors import PlayError, RulesError, slow
from dicelab.limits import LIMITS
from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.lineup import Run, distinct
from dicelab.runtime.states.symmetry import SAMPLE, Alike, Rotation, check_symmetry, check_symmetry_at
from dicelab.runtime.timing import Stopwatch, counting
from dicelab.solver.enumeration.enumerate_python import Walk
from dicelab.solver.enumeration.expansion import Expansion, Unexpanded
from dicelab.solver.enumeration.mixing import mixing_seats
from dicelab.solver.enumeration.model import (
    Graph,
    limit_of,
    must_fit,
)
from dicelab.translation.translator import NotTranslatable, ReadsTally

# All states, in plain Python or compiled ------------------------------------------------------------------------------


Progress = Callable[[int, int], None]
"""Called with the numbers of states found and expanded so far."""
Share = Callable[[float], None]
"""Called with the share that is done of the present part of the work, once it is known: at first of the states that
are expected, then of the solution."""


def graph_of(
    run: Run,
    free: Collection[int] = (),
    memory: int | None = None,
    progress: Progress = lambda found, expanded: None,
    engine: str = "auto",
    counted: bool = True,
    turned: bool = False,
    roots: Sequence[tuple[int, ...]] = (),
) -> Graph:
    """Return the graph of a game with its strategies.

    Parameters
    ----------
    run
        The game and its strategies.
    free
        Decision seats: their choices are states, with an edge for each move.
    memory
        Limit in bytes for the graph and its solution; half of the machine's memory when None.
    progress
        Called with the numbers of states found and expanded so far; at the end both are that of all states.
    engine
        ``reference`` runs the rules in plain Python, ``compiled`` compiled, ``auto`` whichever is quicker.
    counted
        Whether edges hold the changes of the tallies. Without them there are fewer edges.
    turned
        See states from the seat whose turn it is, if the game declares that all seats are alike. Strategies are not
        allowed then: those of different seats may differ.
    roots
        States to begin with as well, in which dice are rolled: numbered after the start in this order, each once.

    Raises
    ------
    TooLarge
        When it does not fit.
    PlayError
        When a rule fails in a state that can be reached.
    Stopped
        On Ctrl-C.
    """
    if mixing_seats(run, free):
        engine, turned = "reference", False  # what is drawn is found in plain Python
    limit, turned = limit_of(memory), turned and Rotation.of(run.game) is not None and mergeable(run, counted)
    with held_interrupts() as stopped:
        try:
            found = _found(run, free, limit, stopping(progress, stopped), engine, counted, turned, roots)
        except PlayError:
            if turned:
                check_symmetry(run)  # raises a clearer error if the declaration about the seats is wrong
            raise
    if turned:
        symmetry_tested(run, counted, partial(_sample, found))
    progress(found.states, found.states)
    return found


def mergeable(run: Run, counted: bool) -> bool:
    """Return whether states are merged with their rotations, by rules that declare all seats alike; of the same rules
    it is found once: see `check_symmetry`.
    """
    tested = _rules(run, counted)
    if tested not in _mergeable:
        _mergeable[tested] = not run.game.declared.decisions or check_symmetry(run) >= Alike.ROLLS
    return _mergeable[tested]


def symmetry_tested(run: Run, counted: bool, states: Callable[[], Iterable[Sequence[int]]]) -> None:
    """Test the declaration that all seats are alike in some states, once for the same rules."""
    tested = _rules(run, counted)
    if tested not in _tested_symmetric:
        check_symmetry_at(run, states())
        _tested_symmetric.add(tested)


def at_once(run: Run, most: int, progress: Progress = lambda found, expanded: None) -> Graph | None:
    """Return the graph of a game with its strategies, found in plain Python; None if it has more than `most` states, or
    a strategy draws its moves.

    Raises
    ------
    PlayError
        When a rule fails in a state that can be reached.
    Stopped
        On Ctrl-C.
    """
    if mixing_seats(run):
        return None
    with held_interrupts() as stopped:
        look = stopping(progress, stopped)

        def go_on(found: int, expanded: int) -> bool:
            look(found, expanded)
            return found <= most

        return Walk(run).graph(go_on)


_mergeable: dict[tuple[object, ...], bool] = {}
_tested_symmetric: set[tuple[object, ...]] = set()
"""Rules whose declaration that all seats are alike has been tested."""


def _rules(run: Run, counted: bool) -> tuple[object, ...]:
    """Return a key for the rules of a game whose states are rotated; loading its file again does not change it."""
    try:
        rules: object = expand.written(type(run.game), distinct(call.strategy for call in run.calls), counted, True)[0]
    except NotTranslatable:
        rules = type(run.game)
    return rules, *run.game.parameters.values()


def _sample(graph: Graph) -> Iterator[tuple[int, ...]]:
    """Yield a sample of the states: of those in which the game may end, and of the others."""
    ends = np.zeros(graph.states, np.bool_)
    last = np.flatnonzero(graph.target < 0)
    ends[np.searchsorted(graph.row, last, side="right") - 1] = True
    for group in (np.flatnonzero(ends), np.flatnonzero(~ends)):
        for state in group[:: max(1, len(group) // SAMPLE)].tolist():
            yield graph.slots.unpack(graph.keys[state].tolist())


def _found(
    run: Run,
    free: Collection[int],
    limit: int,
    look: Progress,
    engine: str,
    counted: bool,
    turned: bool,
    roots: Sequence[tuple[int, ...]],
) -> Graph:
    """Return the graph, in plain Python up to `_most_branches`, then from the start by compiled code."""
    if engine != "compiled":
        most = _most_branches(run, counted, turned)
        walk = Walk(run, free, turned, roots)

        def go_on(found: int, expanded: int) -> bool:
            look(found, expanded)
            must_fit(run, limit, found, expanded, 2000 * found)
            return engine == "reference" or walk.followed < most

        graph = walk.graph(go_on)
        if graph is not None:
            return graph
    try:
        return Expansion(run, free, counted, turned, roots).graph(limit, look)
    except (NotTranslatable, Unexpanded) as error:
        if engine == "compiled":
            raise
        slow(f"states are found in plain Python, slowly: {error}")
        return _found(run, free, limit, look, "reference", counted, turned, roots)


def _most_branches(run: Run, counted: bool, turned: bool) -> float:
    """Return the number of branches after which compiled code takes over; infinite where the rules
    can't be compiled.
    """
    try:
        text, _ = expand.written(type(run.game), distinct(call.strategy for call in run.calls), counted, turned)
    except ReadsTally as error:
        raise RulesError(str(error)) from error
    except NotTranslatable:
        return inf
    return LIMITS.warm_branches if cache.loaded(text) else LIMITS.plain_branches


FOUND = "{} states found so far, {} of them expanded"
"""What is said while states are found."""


def stopping(progress: Progress, stopped: Callable[[], bool], words: str = FOUND) -> Progress:
    """Return a `progress` that raises `Stopped` after Ctrl-C, and says its numbers in `words`."""
    watch = Stopwatch()

    def look(found: int, expanded: int) -> None:
        progress(found, expanded)
        counting(words, found, expanded, seconds=watch.seconds)
        if stopped():
            raise Stopped

    return look
