"""`dicelab.solve_cost`: what finding an optimal policy would take, said before it is worked out."""

from __future__ import annotations

import os

from dicelab.keywords import keywords
from dicelab.questions.cost import Cost
from dicelab.questions.policies.plan import MANY, MANY_WITH_POLICY, planned
from dicelab.rules.game import Game
from dicelab.runtime.states.symmetry import Rotation
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.enumeration.enumerate import size_of
from dicelab.solver.turns.solve import BYTES

PER_EDGE = 0.5e-6
"""Seconds for each edge, roughly: from 0.2 to 2 microseconds on one machine."""
BY_TURNS = (
    f"it is solved turn by turn if there are more than {MANY:,} states ({MANY_WITH_POLICY:,} with its policy) "
    f"and its rules allow it: in about {BYTES} bytes for each state in which a turn begins. How many these are, and "
    "how long it takes, is not known before"
)
"""What is said of a game that may be solved turn by turn."""


@keywords()
def solve_cost(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: Strategies = (),
    *,
    seat: int = 0,
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
    size = size_of(plan.run, plan.free, plan.wanted.needs_tallies, plan.turned)
    alike = plan.turned and Rotation.of(plan.run.game)
    by_turns = plan.all_optimal and (size.how == "more" or size.states > MANY)
    note = ["states that differ only by whose turn it is count once"] if alike else []
    note += [BY_TURNS] if by_turns else []
    per_edge = 0.0 if size.how == "more" else PER_EDGE
    more = {"note": "; ".join(note), "seconds": watch.seconds}
    return Cost.of(plan.run, plan.strategies, size, plan.memory, per_edge, **more)
