"""`dicelab.exact_cost`, `solve_cost`: what an exact answer or optimal play would take, before it is worked out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import isinf
from typing import Any

from dicelab.errors import NotSmall
from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.questions.exact import tallies_of
from dicelab.questions.policies.plan import Plan, planned
from dicelab.results.base import BaseResult, about
from dicelab.results.text.page import Printing
from dicelab.rules.game import Game, seat_count
from dicelab.rules.params import bytes_allowed
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.states.symmetry import Rotation
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.counters.answer import counters_for
from dicelab.solver.enumeration.estimate import BEST, EXACT, ChainSize, size_of
from dicelab.solver.enumeration.graph import at_once
from dicelab.solver.enumeration.model import as_size, as_time, in_digits, machine_memory, rough
from dicelab.solver.exact_answer import FEW_STATES, counters_may_do, symmetric
from dicelab.solver.turns.solve import bytes_for, sampled

KEPT_OUT = 1 << 30
"""Bytes that are enough where counters are kept out of the states."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Cost(BaseResult):
    """What a solution would take; `seconds` is the time that this estimate took.

    Attributes
    ----------
    states, edges
        Numbers of states and of transitions.
    least, largest
        The range of the number of states; None for the largest where nothing bounds it.
    how
        How these are known: ``counted``; ``judged`` by smaller values of a parameter; ``sampled``; ``more`` where there
        are more. What is sampled are the states in which a turn begins, and the branches of turns that are followed
        from each.
    by
        The parameter by which they are judged, with its values; or what the sample found; else empty.
    most
        Number of states that the declared ranges allow, as text: a bound.
    memory, limit
        Bytes that would be needed, and that may be used.
    expected_seconds
        Seconds on two cores, to one digit, perhaps four times too high or too low; None where that is not known.
    note
        What makes the chain smaller than it looks, if anything does.

    Examples
    --------
    >>> cost = exact_cost("lcr", players=5)
    >>> cost.states, cost.how, cost.fits
    (11613, 'counted', True)
    """

    states: int
    least: int
    largest: int | None
    edges: int
    how: str
    by: str
    most: str
    memory: int
    limit: int
    expected_seconds: float | None
    note: str

    method = "cost"
    entries = {
        "states": "integer: number of states",
        "least": "integer: the smallest number that the estimate leaves possible",
        "largest": "integer|null: the largest one; null if nothing bounds it",
        "edges": "integer: number of transitions",
        "how": (
            "'counted'|'judged'|'sampled'|'more': how the number of states is known: "
            "counted, judged by smaller values of a parameter, "
            "of beginnings of turns judged by a sample, or more than given"
        ),
        "by": (
            "string: the parameter by whose smaller values the number of states was "
            "estimated, with these values; else empty"
        ),
        "most": "string: number of states that the declared ranges allow, as text",
        "memory": "integer: bytes of memory needed",
        "limit": "integer: bytes of memory that may be used",
        "expected_seconds": "number|null: seconds on two cores, roughly; null if not known",
        "note": "string: what makes the chain smaller than it looks",
        "fits": "boolean: whether the memory suffices",
    }

    @classmethod
    def of(
        cls, run: Run, strategies: list[str], size: ChainSize, memory: int | None, per_edge: float, **more: Any
    ) -> Cost:
        """Return the cost of a chain of a known or estimated size; `more` has the other fields: note and seconds."""
        return cls(
            **about(run.game, strategies),
            states=int(size.states),
            least=int(size.least),
            largest=None if isinf(size.largest) else int(size.largest),
            edges=int(size.edges),
            how=size.how,
            by=size.by,
            most=rough(Slots.of(run.game, run.calls).positions),
            memory=int(size.memory),
            limit=machine_memory() // 2 if memory is None else memory,
            expected_seconds=float(f"{size.seconds or size.edges * per_edge:.1g}") if per_edge else None,
            **more,
        )

    @property
    def fits(self) -> bool:
        """Whether it would fit into the memory that may be used, as far as is known."""
        return self.memory <= self.limit

    def _brief(self) -> str:
        return f"{self.how}, {self.states:,} states"

    def _sentence(self) -> str:
        near = {"counted": "", "more": "more than "}.get(self.how, "about ")
        time = "" if self.expected_seconds is None else f", roughly {as_time(self.expected_seconds)}"
        fits = f"fits into memory: {as_size(self.memory)} of {as_size(self.limit)}{time}"
        if self.fits and self.how == "more":
            return f"Whether an exact answer fits into memory is not known: more than {as_size(self.memory)} is needed"
        lacks = f"does not fit into memory: it needs {near or 'about '}{as_size(self.memory)} of {as_size(self.limit)}"
        return f"An exact answer {fits if self.fits else lacks}"

    def _rows(self) -> list[dict[str, Any]]:
        return [self._facts()]

    def _lines(self, page: Printing) -> list[str]:
        between = f"{in_digits(self.least)} to {in_digits(self.largest or 0)}"
        size, words = {
            "counted": ("", "all of them were counted"),
            "judged": ("about ", f"judging by {self.by}; {between}"),
            "sampled": ("about ", f"judging by {self.by}"),
            "more": ("more than ", f"judging by {self.by}" if self.by else "found before counting was given up"),
        }[self.how]
        near, time, memory = size or "about ", "not known", ""
        if self.how == "judged":
            off = self.memory / self.states
            memory = f" ({as_size(self.least * off)} to {as_size((self.largest or 0) * off)})"
        if self.expected_seconds is not None:
            time = f"{near}{as_time(self.expected_seconds)} (perhaps 4 times as long, or as short)"
        lines = [
            f"{'turns: ' if self.how == 'sampled' else 'states:'} {size}{in_digits(self.states)} ({words}); "
            f"the declared ranges allow {self.most}",
            f"memory: {near}{as_size(self.memory)}{memory} of {as_size(self.limit)} that may be used",
            f"time:   {time}",
        ]
        if self.note:
            lines.append(f"note:   {self.note}")
        if not self.fits:
            named = self.by and self.how != "sampled"
            smaller = f"A smaller value of {self.by.partition(' ')[0]}" if named else "Smaller parameters"
            lines.append(f"It does not fit. {smaller} or more --memory would help; or simulate it.")
        return [*self._head(page), "", *lines]


@keywords
def exact_cost(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies = (),
    *,
    memory: int | None = None,
    tallies: str | Sequence[str] | None = None,
    **parameters: object,
) -> Cost:
    """Return what `dicelab.exact` would take with the same arguments: states, memory and time.

    Parameters
    ----------
    game, strategies, memory, tallies, **parameters
        As in `dicelab.exact`.

    Returns
    -------
    Cost
        Memory in bytes, time in seconds.

    Raises
    ------
    InputError
        When something given is unknown or not allowed.
    PlayError
        When a rule fails in a state that was counted.

    Examples
    --------
    >>> exact_cost("lcr", players=5).states
    11613
    """
    watch, run, limit = Stopwatch(), Run.of(game, strategies, **parameters), bytes_allowed(memory)
    wanted = tallies_of(run.game, tallies)
    if counters_may_do(run.game, wanted) and at_once(run, FEW_STATES) is None:
        try:
            counters = counters_for(run, wanted)[2]
        except NotSmall:
            pass
        else:
            names = ", ".join(span.name for span in counters.spans)
            size = ChainSize(len(counters.positions), sum(map(len, counters.ends)), "counted", "", KEPT_OUT)
            note = f"these are the states without {names}, whose values are kept beside the state"
            return Cost.of(run, run.strategies, size, limit, 0.0, note=note, seconds=watch.seconds)
    turned, seats = symmetric(run.game), seat_count(run.game)
    size = size_of(run, turned=turned)
    if turned and size.edges * seats <= LIMITS.symmetric_edges:  # the seats are laid out
        size, turned = ChainSize(seats * size.states, seats * size.edges, size.how, "", seats * size.memory), False
    note = f"states that differ only by whose turn it is, of {seats} seats, count once" if turned else ""
    return Cost.of(run, run.strategies, size, limit, EXACT, note=note, seconds=watch.seconds)


BY_TURNS = (
    f"solved turn by turn if there are more than {LIMITS.many:,} states ({LIMITS.many_with_policy:,} with its policy) "
    "and the rules allow it"
)
"""What is said of a game that may be solved turn by turn."""


@keywords
def solve_cost(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: Strategies = (),
    *,
    seat: int | str = 0,
    objective: str | None = None,
    memory: int | None = None,
    **parameters: object,
) -> Cost:
    """Return what `dicelab.solve` would take with the same arguments: states, memory and time.

    Parameters
    ----------
    game, against, seat, objective, memory, **parameters
        As in `dicelab.solve`.

    Returns
    -------
    Cost
        Memory in bytes, time in seconds.

    Raises
    ------
    InputError, PlayError
        As `exact_cost`.

    Examples
    --------
    >>> cost = solve_cost("tossup", target=10)
    >>> cost.states, cost.how
    (1650, 'counted')
    """
    watch, plan = Stopwatch(), planned(game, against, seat, objective, memory, parameters)
    find = partial(_by_turns, plan) if plan.all_optimal else lambda: None
    size = size_of(plan.run, plan.free, plan.wanted.needs_tallies, plan.turned, find)
    alike = plan.turned and Rotation.of(plan.run.game)
    note = ["states that differ only by whose turn it is count once"] if alike else []
    if size.how == "sampled":
        note.append(f"these are the states in which a turn begins; it is {BY_TURNS}")
    elif plan.all_optimal and (size.how == "more" or size.states > LIMITS.many):
        note.append(f"it is {BY_TURNS}")
    per_edge = 0.0 if size.how == "more" else BEST
    more = {"note": "; ".join(note), "seconds": watch.seconds}
    return Cost.of(plan.run, plan.strategies, size, plan.memory, per_edge, **more)


def _by_turns(plan: Plan) -> ChainSize | None:
    """Return the number of beginnings of turns, by a sample, and what solving turn by turn takes; None if the game
    can't be solved so, or has few states.
    """
    try:
        sample = sampled(plan.run, plan.wanted.aims(plan.run.game, len(plan.free)), LIMITS.cost_seconds)
    except NotSmall:
        return None
    if sample.about * sample.nodes <= LIMITS.many:
        return None
    by = f"a sample: {in_digits(sample.found)} were found, and at most about {in_digits(sample.most)} can be"
    edges = sample.about * sample.leaves
    return ChainSize(
        sample.about, edges, "sampled", by, bytes_for(sample), seconds=sample.seconds, unsure=sample.unsure
    )
