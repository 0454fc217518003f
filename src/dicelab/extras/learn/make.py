"""Make environments: Gymnasium's for one seat of a game, or of many games at once; PettingZoo's for all seats."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.plan import seated
from dicelab.rules.game import Game, seat_count
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies

if TYPE_CHECKING:
    from dicelab.extras.learn.gym_env import DiceEnv, DiceVectorEnv
    from dicelab.extras.learn.pettingzoo_env import DiceAEC


Source = str | os.PathLike[str] | type[Game] | Game
"""A game: its name, its file, or its class, with or without parameters."""

MISSING = "learning needs gymnasium: pip install 'dicelab[learn]'"


@keywords
def gym(
    game: Source,
    against: Strategies = (),
    *,
    seat: int = 0,
    objective: str | None = None,
    strict: bool = False,
    render_mode: str | None = None,
    **parameters: object,
) -> DiceEnv:
    """Return a Gymnasium environment: one seat learns, the others play given strategies.

    Parameters
    ----------
    game, **parameters
        As in `dicelab.simulate`.
    against
        Strategies of the other seats, in order, or one for all of them; none in a game of one seat.
    seat
        The seat that learns.
    objective
        The objective, as in `dicelab.solve`. For ``win`` and outcomes the reward is 1 at the end, for ``payoff`` it is
        the payoff; for ``most:TALLY``, and where the payoff is what a tally counts, it is each change of the tally, for
        ``fewest:TALLY`` its negative.
    strict
        Whether a move that the rules forbid is an error. If not, it changes nothing, as in Gymnasium's own Taxi.
    render_mode
        What ``render()`` returns: ``ansi``, the state as text; ``rgb_array``, a picture of it (needs matplotlib).

    Raises
    ------
    InputError
        When an argument is unknown or not allowed, or Gymnasium is not installed.

    Examples
    --------
    >>> env = gym("tossup", "bank_over:20", target=30)
    >>> observation, info = env.reset(seed=1)
    >>> dict(zip(env.names, observation.tolist()))["points"], env.moves, info["action_mask"].tolist()
    (3, ('roll', 'bank'), [1, 1])
    """
    try:
        from dicelab.extras.learn.gym_env import DiceEnv
    except ImportError as error:
        raise ParameterError(MISSING) from error
    run, free = _one_seat(game, against, seat, parameters)
    return DiceEnv(run, free, Objective.of(run.game, objective), strict, render_mode)


@keywords
def vector(
    game: Source,
    against: Strategies = (),
    *,
    num_envs: int = 1,
    seat: int = 0,
    objective: str | None = None,
    strict: bool = False,
    **parameters: object,
) -> DiceVectorEnv:
    """Return a Gymnasium vector environment: many games at once, on the compiled rules.

    Parameters
    ----------
    num_envs
        Number of games played side by side.
    game, against, seat, objective, strict, **parameters
        As in `gym`.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed, Gymnasium is not installed, or the rules can't be compiled.

    Examples
    --------
    >>> envs = vector("tossup", "bank_over:20", num_envs=3, target=30)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations[:, envs.names.index("points")].tolist(), infos["action_mask"].tolist()
    ([3, 7, 3], [[1, 1], [1, 1], [1, 1]])
    """
    try:
        from dicelab.extras.learn.gym_env import DiceVectorEnv
    except ImportError as error:
        raise ParameterError(MISSING) from error
    run, free = _one_seat(game, against, seat, parameters)
    return DiceVectorEnv(run, num_envs, free, Objective.of(run.game, objective), strict)


def _one_seat(game: Source, against: Strategies, seat: int, parameters: dict[str, object]) -> tuple[Run, int]:
    """Return the game with its strategies, and the only seat that learns."""
    run, free = seated(game, against, seat, parameters, "")
    if len(free) > 1:
        raise ParameterError(
            f"{run.game.name} has {len(free)} seats: give the strategies against which one of them learns"
        )
    return run, free[0]


@keywords
def aec(game: Source, *, objective: str | None = None, render_mode: str | None = None, **parameters: object) -> DiceAEC:
    """Return a PettingZoo AEC environment: every seat is an agent, ``seat_0``, ``seat_1``, ...

    Parameters
    ----------
    game, **parameters
        As in `dicelab.simulate`.
    objective
        As in `gym`; for other objectives than ``win`` and ``payoff``, all seats get the same reward.
    render_mode
        As in `gym`.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed, or PettingZoo is not installed.

    Examples
    --------
    >>> env = aec("tossup", target=30)
    >>> env.reset(seed=1)
    >>> while env.agents:
    ...     observation, reward, over, _, info = env.last()
    ...     env.step(None if over else int(info["action_mask"].argmax()))  # roll while that is allowed
    """
    try:
        from dicelab.extras.learn.pettingzoo_env import DiceAEC
    except ImportError as error:
        raise ParameterError("learning needs pettingzoo: pip install 'dicelab[learn]'") from error
    run, _ = seated(game, [], 0, parameters, "")
    return DiceAEC(run, range(max(1, seat_count(run.game))), Objective.of(run.game, objective), render_mode)


# Ids with which Gymnasium makes environments of dicelab ---------------------------------------------------------------
#
# ========================== =========================================================================================
# id                         environment
# ========================== =========================================================================================
# ``dicelab/TossUp-v0``      one seat of Toss Up!, by default the first of two, against ``bank_over:20``
# ``dicelab/Farkle-v0``      one seat of Farkle, by default the first of two, against ``bank_at``
# ``dicelab/Yahtzee-v0``     Yahtzee, alone, for the largest mean score
# ``dicelab/LiarsDice-v0``   one seat of liar's dice, by default the first of two, against ``honest``
# ``dicelab/Mia-v0``         one seat of Mia, by default the first of two, against ``honest``
# ``dicelab/SealedBids-v0``  one seat of sealed bids, by default the first of two, against ``even``
# ``dicelab/Game-v0``        one seat of any game with choices: ``game="pig.py", against="hold_at:20"``
# ========================== =========================================================================================
#
# Gymnasium 1.0 and later no longer read the entry points of installed packages, so the module has to be imported: by
# the id, ``gymnasium.make("dicelab.learning:dicelab/TossUp-v0")``, or by ``import dicelab.learning``. Of the games that
# come with dicelab, the others have no choices, and craps has more than a million moves.

IDS: dict[str, dict[str, str]] = {
    "dicelab/TossUp-v0": {"game": "tossup", "against": "bank_over:20"},
    "dicelab/Farkle-v0": {"game": "farkle", "against": "bank_at"},
    "dicelab/Yahtzee-v0": {"game": "yahtzee", "objective": "most:score"},
    "dicelab/LiarsDice-v0": {"game": "liars-dice", "against": "honest"},
    "dicelab/Mia-v0": {"game": "mia", "against": "honest"},
    "dicelab/SealedBids-v0": {"game": "sealed-bids", "against": "even"},
    "dicelab/Game-v0": {},
}
"""By id: the arguments of `dicelab.learning.gym` and `dicelab.learning.vector` that it sets."""


def register() -> None:
    """Register the ids with Gymnasium, once; do nothing if it is not installed."""
    try:
        from gymnasium.envs import registration
    except ImportError:
        return
    for name, given in IDS.items():
        if name not in registration.registry:
            registration.register(
                name,
                entry_point="dicelab.extras.learn.make:gym",
                vector_entry_point="dicelab.extras.learn.make:vector",
                kwargs=dict(given),
            )
