"""`dicelab.solve_cost`: what finding an optimal policy would take, said before it is worked out."""

from __future__ import annotations

import os
from functools import partial

from dicelab.errors import NotSmall
from dicelab.keywords import keywords
from dicelab.questions.cost import Cost
from dicelab.questions.policies.plan import MANY, MANY_WITH_POLICY, Plan, planned
from dicelab.rules.game import Game
from dicelab.runtime.states.symmetry import Rotation
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.enumeration.estimate import BEST, Size, size_of
from dicelab.solver.enumeration.model import in_digits
from dicelab.solver.turns.solve import bytes_for, sampled

SAMPLING = 5.0
"""Seconds for a sample of the beginnings of turns."""
BY_TURNS = (
    f"solved turn by turn if there are more than {MANY:,} states ({MANY_WITH_POLICY:,} with its policy) and the rules "
    "allow it"
)
"""What is said of a game that may be solved turn by turn."""


@keywords()
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
    InputError
        When an argument is unknown or not allowed.
    PlayError
        When a rule fails in a state that was counted.

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
    elif plan.all_optimal and (size.how == "more" or size.states > MANY):
        note.append(f"it is {BY_TURNS}")
    per_edge = 0.0 if size.how == "more" else BEST
    more = {"note": "; ".join(note), "seconds": watch.seconds}
    return Cost.of(plan.run, plan.strategies, size, plan.memory, per_edge, **more)


def _by_turns(plan: Plan) -> Size | None:
    """Return the number of beginnings of turns, by a sample, and what solving turn by turn takes; None if the game
    can't be solved so, or has few states.
    """
    try:
        found = sampled(plan.run, plan.wanted.aims(plan.run.game, len(plan.free)), SAMPLING)
    except NotSmall:
        return None
    if found.about * found.nodes <= MANY:
        return None
    by = f"a sample: {in_digits(found.found)} were found, and at most about {in_digits(found.most)} can be"
    edges = found.about * found.leaves
    return Size(found.about, edges, "sampled", by, bytes_for(found), seconds=found.seconds, unsure=found.unsure)
