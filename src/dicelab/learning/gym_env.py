"""A game as a Gymnasium environment: one seat learns, the others play given strategies."""

from __future__ import annotations

from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from dicelab.errors import PlayError
from dicelab.learning.episode import Table
from dicelab.learning.render import MODES, must_be_rendered, rendered
from dicelab.questions.policies.objective import Objective
from dicelab.runtime.lineup import Run


class DiceEnv(gymnasium.Env[NDArray[np.int64], SupportsIndex]):
    """One seat of a game; made by `dicelab.learning.gym`.

    An observation has the values of the state's fields, named in `names`; an action is an index into `moves`.
    ``info["action_mask"]`` is 1 for each move that is legal and sensible. If a game ends before the seat has chosen,
    the mask is all 0, and any step ends the episode. The last ``info`` has the outcome and the tallies.

    ``reset(seed=S)`` begins game 0 of a seed, each following `reset` the next game, ``reset(options={"game": G})`` game
    G.

    Examples
    --------
    >>> from dicelab.learning import gym
    >>> env = gym("tossup", "one_roll", target=20)
    >>> observation, info = env.reset(seed=1)
    >>> env.names[:3], observation[:3].tolist(), env.moves, info["action_mask"].tolist()
    (('player', 'points', 'rolled'), [0, 3, 1], ('roll', 'bank'), [1, 1])
    >>> observation, reward, over, cut, info = env.step(1)  # bank
    >>> dict(zip(env.names, observation.tolist()))["scores[0]"], reward, over
    (3, 0.0, False)
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 2}

    def __init__(
        self, run: Run, seat: int, wanted: Objective, strict: bool = False, render_mode: str | None = None
    ) -> None:
        must_be_rendered(render_mode)
        self.table, self.seat, self.strict = Table(run, (seat,), wanted), seat, strict
        self.render_mode = render_mode
        self.names, self.moves = self.table.names, self.table.moves
        self.observation_space = Box(self.table.low, self.table.high, dtype=np.int64)
        self.action_space = Discrete(len(self.moves))
        self._going_on = False

    def __repr__(self) -> str:
        return f"<DiceEnv of {self.table.game!r}, seat {self.seat}>"

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Begin a game and play to the seat's first choice.

        Returns
        -------
        observation, info
            int64 array (numbers); ``info["action_mask"]``: int8 array (actions).

        Raises
        ------
        ParameterError, PlayError
            When an argument is not allowed, or a rule fails.
        """
        self.table.begin(seed, options)
        super().reset(seed=seed)
        self._going_on = True
        return self.table.observation(), {"action_mask": self.table.mask()}

    def step(self, action: SupportsIndex) -> tuple[NDArray[np.int64], float, bool, bool, dict[str, Any]]:
        """Make a move and play to the seat's next choice or the end.

        Returns
        -------
        observation, reward, terminated, truncated, info
            int64 array (numbers); what the seat has gained by it; whether the game is over; whether it was cut short,
            which never happens; as for `reset`.

        Raises
        ------
        IllegalMoveError
            When there is no such move; with `strict` also when the rules forbid it.
        PlayError
            When a rule fails, or no game is in progress.
        """
        table = self.table
        if not self._going_on:
            raise PlayError(f"{table.game.name}: no game is in progress; call reset() first")
        if not table.take(action) and self.strict:
            raise table.forbidden(action)
        over = table.seat < 0
        self._going_on = not over
        info = {"action_mask": table.mask(), **(table.ending() if over else {})}
        return table.observation(), table.rewards()[self.seat] + table.prize(self.seat), over, False, info

    def render(self) -> str | NDArray[np.uint8] | None:
        """The state as text (``ansi``) or as a picture (``rgb_array``); None without a render mode.

        Returns
        -------
        str or numpy.ndarray
            Text of several lines, or a uint8 array of shape (height, width, 3).
        """
        return rendered(self.table, self.render_mode)
