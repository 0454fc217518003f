"""A game as a PettingZoo environment: every seat is an agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv

from dicelab.errors import PlayError
from dicelab.extras.learn.episode import MODES, Episode, must_be_rendered, rendered
from dicelab.questions.policies.objective import Objective
from dicelab.runtime.lineup import Run


class DiceAEC(AECEnv):  # type: ignore[misc]
    """All seats of a game; made by `dicelab.learning.aec`.

    Observations, actions and seeds are those of `dicelab.learning.gym`; every agent sees the whole state.
    ``infos[agent]["action_mask"]`` is 1 for each move that is legal and sensible, for the agent that is to choose, and
    all 0 for the others. If a game ends before any seat has chosen, all masks are 0, and any action ends the episode.

    Examples
    --------
    >>> from dicelab.learning import aec
    >>> env = aec("tossup", target=20)
    >>> env.reset(seed=1)
    >>> env.agents, env.agent_selection, env.infos["seat_0"]["action_mask"].tolist()
    (['seat_0', 'seat_1'], 'seat_0', [1, 1])
    >>> env.step(1)  # bank
    >>> env.agent_selection
    'seat_1'
    """

    def __init__(self, run: Run, seats: Sequence[int], wanted: Objective, render_mode: str | None = None) -> None:
        super().__init__()
        must_be_rendered(render_mode, run.game)
        self.metadata: dict[str, Any] = {"name": run.game.name, "is_parallelizable": False}
        self.metadata |= {"render_modes": list(MODES), "render_fps": 2}
        self.render_mode = render_mode
        self.table = Episode(run, seats, wanted)
        self.names, self.moves = self.table.names, self.table.moves
        self.possible_agents = [f"seat_{seat}" for seat in seats]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: Box(self.table.low, self.table.high, dtype=np.int64) for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(len(self.moves)) for agent in self.possible_agents}

    def __repr__(self) -> str:
        return f"<DiceAEC of {self.table.game!r}>"

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin game 0 of a seed, or the next game, and play to the first choice."""
        self.table.begin(seed, options)
        self.agents = list(self.possible_agents)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._tell(over=False)

    def step(self, action: SupportsIndex | None) -> None:
        """Make a move for the agent that is to choose and play to the next choice or the end.

        Raises
        ------
        IllegalMoveError
            When there is no such move, or the rules forbid it.
        PlayError
            When a rule fails, or no game is in progress.
        """
        if not self.agents:
            raise PlayError(f"{self.table.game.name}: no game is in progress; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if not self.table.take(action):
            raise self.table.forbidden(action)
        self._cumulative_rewards[agent] = 0.0
        self._tell(over=self.table.seat < 0)
        self._accumulate_rewards()

    def observe(self, agent: str) -> NDArray[np.int64]:
        """Return the values of the state's fields that an agent sees, the lowest of others: int64 array (numbers)."""
        return self.table.observation(self.possible_agents.index(agent))

    def observation_space(self, agent: str) -> Box:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the state as text, or as a picture: uint8 array of shape (height, width, 3), as `DiceEnv.render`."""
        return rendered(self.table, self.render_mode)

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""

    def _tell(self, over: bool) -> None:
        """Set the agent that is to choose, the rewards, the masks, and whether the game is over."""
        table, agents = self.table, self.agents
        gained, mask, ending = table.rewards(), table.mask(), table.ending() if over else {}
        self.agent_selection = agents[max(table.seat, 0)]
        self.rewards = {agent: gained[seat] + (table.prize(seat) if over else 0.0) for seat, agent in enumerate(agents)}
        self.terminations = dict.fromkeys(agents, over)
        self.truncations = dict.fromkeys(agents, False)
        masks = {agent: mask if agent == self.agent_selection else np.zeros_like(mask) for agent in agents}
        self.infos = {agent: {"action_mask": masks[agent], **ending} for agent in agents}
