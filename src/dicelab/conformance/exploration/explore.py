"""Find the states that rolls and legal moves can reach, up to a limit of states and of work.

Moves that ``sensible=`` rules out are tried last: with them a game may have infinitely many states. An error after such
a move is reported as a note.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from dicelab.conformance.exploration.expand import Explorer, State, Step
from dicelab.conformance.findings.finding import Broken
from dicelab.errors import RangeError
from dicelab.rules.actions import Decision


@dataclass
class Explored:
    """The states that were found.

    Attributes
    ----------
    states
        Each with what happens there, or None if it was not expanded.
    every
        Whether these are all reachable states, with every roll and move tried.
    used
        Moves that were legal somewhere, by the name of the choice.
    beyond
        The first error of a range after a move that is legal but not sensible; empty if none.
    """

    states: dict[State, Step | None] = field(default_factory=dict)
    every: bool = True
    used: set[tuple[str, tuple[int, ...]]] = field(default_factory=set)
    beyond: str = ""

    @property
    def expanded(self) -> int:
        """States at which every roll or move was tried."""
        return sum(step is not None for step in self.states.values())

    def leads_nowhere(self) -> State | None:
        """Return a state from which the end of the game can't be reached; None if there is none."""
        before: dict[State, list[State]] = {state: [] for state in self.states}
        ends = []
        for state, step in self.states.items():
            if step is None or step.kind is None:
                ends.append(state)
            for way in step.ways if step is not None else ():
                before[way.end].append(state)
        waiting, can_end = deque(ends), set(ends)
        while waiting:
            for state in before[waiting.popleft()]:
                if state not in can_end:
                    can_end.add(state)
                    waiting.append(state)
        return next((state for state in self.states if state not in can_end), None)


def explore(explorer: Explorer, most: int, work: int) -> Explored:
    """Find states by breadth-first search from the start, up to `most` states and so much `work`.

    Raises
    ------
    Broken
    """
    found, until = Explored(), explorer.work + work
    start = explorer.start()
    found.states[start] = None
    waiting, beyond = deque([start]), deque[State]()
    while waiting or beyond:
        if len(found.states) > most or explorer.work > until:
            found.every = False
            break
        strict = bool(waiting)
        here = waiting.popleft() if strict else beyond.popleft()
        if found.states.get(here) is not None:
            continue
        try:
            step = explorer.expand(here)
        except Broken as error:
            if strict or not isinstance(error.__cause__, RangeError):
                raise
            found.beyond, found.every = found.beyond or str(error), False
            continue
        found.states[here] = step
        found.every &= step.every
        _queue(found, step, waiting if strict else beyond, beyond)
    return found


def _queue(found: Explored, step: Step, waiting: deque[State], beyond: deque[State]) -> None:
    """Queue the states to which a step leads."""
    if isinstance(step.kind, Decision):
        found.used.update((step.kind.name, way.values) for way in step.ways)
    for way in step.ways:
        if found.states.setdefault(way.end, None) is None:
            (waiting if way.sensible else beyond).append(way.end)
