"""Environments of Gymnasium: one seat of one game, and of many games at once."""

from __future__ import annotations

from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.arguments import BatchStep, Lanes, LearnerArrays
from dicelab.compile.kernels.writers import vector as k
from dicelab.engines.compiled import rows, setting
from dicelab.errors import EndlessGameError, IllegalMoveError, ParameterError, PlayError
from dicelab.extras.learn.episode import MODES, Episode, first_game, must_be_rendered, rendered
from dicelab.limits import LIMITS
from dicelab.questions.policies.objective import Objective
from dicelab.rules.game import outcome_names
from dicelab.rules.params import as_integer
from dicelab.rules.payoffs import payoff_tallies
from dicelab.runtime.lineup import Run, as_seed, distinct
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.states.codec import Slots
from dicelab.translation.translator import NotTranslatable

# A game as a Gymnasium environment: one seat learns, the others play given strategies ---------------------------------


class DiceEnv(gymnasium.Env[NDArray[np.int64], SupportsIndex]):
    """One seat of a game; made by `dicelab.learning.gym`.

    An observation has the values of the state's fields, named in `names`, those that the seat doesn't see at the lowest
    of their range; an action is an index into `moves`.
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
        must_be_rendered(render_mode, run.game)
        self.table, self.seat, self.strict = Episode(run, (seat,), wanted), seat, strict
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
        return self.table.observation(self.seat), {"action_mask": self.table.mask()}

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
        return table.observation(self.seat), table.rewards()[self.seat] + table.prize(self.seat), over, False, info

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the state as text (``ansi``) or as a picture (``rgb_array``); None without a render mode.

        Returns
        -------
        str or numpy.ndarray
            Text of several lines, or a uint8 array of shape (height, width, 3).
        """
        return rendered(self.table, self.render_mode)


# Many games at once as a Gymnasium vector environment, on the compiled rules ------------------------------------------
#
# Observations, masks, rewards and games are those of `dicelab.extras.learn.gym_env`. The state of all games stays in
# arrays; a step is one call of the kernel that `dicelab.compile.kernels.writers.vector` writes.

MOST_LANES = 2**20
"""Most games of a batch."""
MOST_GAMES = 2**62
"""Highest index of the first game, so that the indices of all later ones fit into 63 bits."""


class DiceVectorEnv(VectorEnv[NDArray[np.int64], ArrayLike, NDArray[Any]]):
    """One seat of `num_envs` games; made by `dicelab.learning.vector` or `gymnasium.make_vec`.

    After ``reset(seed=S)`` lane i plays game i of that seed; when the game ends, the same step begins game
    ``i + num_envs`` (`AutoresetMode.SAME_STEP`), and so on. So no game is played twice; each is the one that a single
    environment plays after ``reset(seed=S, options={"game": G})`` with the same moves. ``reset(options={"game": G})``
    begins game ``G + i`` in lane i; ``reset()`` without a seed begins each lane's next game.

    ``infos["action_mask"]`` has a row for each lane. Where games have ended, ``infos["final_obs"]`` has their last
    observations, and ``infos["final_info"]`` their outcomes and tallies; ``infos["_final_obs"]`` says in which lanes.

    Attributes
    ----------
    names, moves
        As in the single environment: what the columns of an observation are, and the actions in words.

    Examples
    --------
    >>> from dicelab.learning import vector
    >>> envs = vector("tossup", "one_roll", num_envs=3, target=20)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape, infos["action_mask"].shape
    ((3, 7), (3, 2))
    >>> observations, rewards, over, cut, infos = envs.step([1, 1, 0])  # bank, bank, roll
    >>> rewards.tolist()
    [0.0, 0.0, 0.0]
    """

    def __init__(self, run: Run, num_envs: int, seat: int, wanted: Objective, strict: bool = False) -> None:
        lanes = as_integer(num_envs)
        if lanes is None or not 1 <= lanes <= MOST_LANES:
            raise ParameterError(f"num_envs: {num_envs!r} is not allowed; it takes a whole number, 1 to {MOST_LANES:,}")
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}
        self.num_envs, self.strict, self.seed = lanes, strict, -1
        self._table = table = Episode(run, (seat,), wanted)
        self.names, self.moves = table.names, table.moves
        self.single_observation_space = Box(table.low, table.high, dtype=np.int64)
        self.single_action_space = Discrete(len(table.actions))
        self.observation_space = batch_space(self.single_observation_space, lanes)
        self.action_space = batch_space(self.single_action_space, lanes)
        self._outcomes = np.array(outcome_names(run.game) or ("",))
        self._unseen = np.flatnonzero(table.hidden_from(seat)[table.varying])
        self._load(run, seat, wanted)

    def _load(self, run: Run, seat: int, wanted: Objective) -> None:
        """Write and compile the kernel, and make its arrays."""
        game, strategies = run.game, distinct(call.strategy for call in run.calls)
        try:
            text, places = k.write(type(game), strategies)
            self._setting = setting(game, run.calls, strategies)
            self._rows, self._dice = rows(game, strategies), tables(game)
            self._learner, size = self._learner_of(seat, wanted), len(Slots.of(game, run.calls).names)
            columns = size, len(game.declared.tallies), 5
            self._lanes = Lanes(*(np.zeros((self.num_envs, many), np.int64) for many in columns))
            cache.compile_now(text, lambda: self._compile(text), game.name, places)
        except NotTranslatable as error:
            raise ParameterError(f"{game.name} can't be compiled ({error}); use single environments") from error

    def _compile(self, text: str) -> None:
        self._kernel = cache.load(text)
        self._play(np.zeros(0, np.int64))

    def _learner_of(self, seat: int, wanted: Objective) -> LearnerArrays:
        """Return what the seat can do and is rewarded for, as arrays of the kernel."""
        table = self._table
        decisions = [decision.index for decision, _ in table.actions]
        widest = max(len(move) for _, move in table.actions)
        moves = [(decision.index, *move, *(0,) * (widest - len(move))) for decision, move in table.actions]
        begins = np.searchsorted(decisions, np.arange(max(decisions) + 2))
        tallies = payoff_tallies(table.game) if wanted.tallied else None
        tally = tallies[seat] if tallies else wanted.number if wanted.counts else -1
        goal, prizes = np.array((seat, tally, wanted.sign), np.int64), np.array(table.prizes(seat), np.float64)
        return LearnerArrays(np.array(moves, np.int64), begins, np.array(table.varying, np.int64), goal, prizes)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Begin a game in every lane and play to the seat's first choice.

        Returns
        -------
        observations, infos
            int64 array (num_envs, numbers); ``infos["action_mask"]``: int8 array (num_envs, actions).

        Raises
        ------
        ParameterError, PlayError
            When an argument is not allowed, or a rule fails.
        """
        again = seed is None and self.seed >= 0
        self.seed = self.seed if again else as_seed(seed)
        super().reset(seed=seed)
        lane = self._lanes.lane
        first = first_game(options, -1 if again else 0)
        if first > MOST_GAMES:
            raise ParameterError(f"game: {first} is not allowed; many games at once begin with at most {MOST_GAMES}")
        lane[:, 0] = lane[:, 0] + self.num_envs if first < 0 else np.arange(first, first + self.num_envs)
        step = self._play(np.full(self.num_envs, -1, np.int64))
        return step.seen, self._info(step)

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Make a move in every lane, and play to the seat's next choice or into the next game.

        Parameters
        ----------
        actions
            A whole number for each lane, 0 to ``len(moves) - 1``. One that the rules forbid changes nothing.

        Returns
        -------
        observations, rewards, terminations, truncations, infos
            int64 array (num_envs, numbers); float64 array (num_envs); two bool arrays (num_envs), the second all False,
            as no game is cut short; as for `reset`.

        Raises
        ------
        IllegalMoveError
            When there is no such action; with `strict` also when the rules forbid it.
        PlayError
            When a rule fails, or no game is in progress.
        """
        name = self._table.game.name
        if self.seed < 0:
            raise PlayError(f"{name}: no game is in progress; call reset() first")
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or not np.issubdtype(chosen.dtype, np.integer):
            raise IllegalMoveError(f"{name}: actions are {self.num_envs} whole numbers, one for each lane")
        if chosen.min() < 0 or chosen.max() >= len(self.moves):
            raise IllegalMoveError(f"{name}: actions are numbered 0 to {len(self.moves) - 1}")
        step = self._play(chosen.astype(np.int64))
        if self.strict and step.refused.any():
            raise IllegalMoveError(f"{name}: the move in lane {int(step.refused.argmax())} is not allowed by the rules")
        return step.seen, step.reward, step.over, np.zeros(self.num_envs, np.bool_), self._info(step)

    def _play(self, chosen: NDArray[np.int64]) -> BatchStep:
        """Call the kernel."""
        many, wide, tallies = len(chosen), len(self.names), self._lanes.counted.shape[1]
        step = BatchStep(
            chosen,
            np.empty((many, wide), np.int64),
            np.empty((many, len(self.moves)), np.int8),
            np.empty(many, np.float64),
            np.empty(many, np.bool_),
            np.empty(many, np.bool_),
            np.zeros((many, wide), np.int64),
            np.zeros((many, 1 + tallies), np.int64),
        )
        seed, report = max(self.seed, 0), np.zeros(1, np.int64)
        given = self._setting, self._dice, self._rows, self._learner, self._lanes, step
        try:
            status = self._kernel(
                np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32), LIMITS.steps, self.num_envs, *given, report
            )
        except Exception as error:  # a division by zero, or a loop of a rule that doesn't end
            if not many:
                raise  # compilation or the cache
            raise self._failed(k.WRONG, int(report[0])) from error
        if status != k.DONE:
            raise self._failed(status, int(report[0]))
        step.seen[:, self._unseen] = self._table.low[self._unseen]
        step.final[np.ix_(step.over, self._unseen)] = self._table.low[self._unseen]
        return step

    def _failed(self, status: int, lane: int) -> PlayError:
        """Return the error for a lane in which a game can't go on; no game is in progress then."""
        number, seed, self.seed = int(self._lanes.lane[lane, 0]), self.seed, -1
        where = f"{self._table.game.name}: game {number} of seed {seed}"
        if status == k.ENDLESS:
            return EndlessGameError(f"{where} is not over after {LIMITS.steps:,} throws and choices")
        if status == k.NO_MOVE:
            return PlayError(f"{where}: no move is sensible where the seat is to choose")
        alone = f'reset(seed={seed}, options={{"game": {number}}})'
        return PlayError(
            f"{where}: a rule or a strategy breaks the contract, or numbers need more than 64 bits; a single "
            f"environment after {alone} says which"
        )

    def _info(self, step: BatchStep) -> dict[str, Any]:
        """Return the masks, and where games have ended, what is known of them."""
        everywhere = np.ones(self.num_envs, np.bool_)
        info: dict[str, Any] = {"action_mask": step.mask, "_action_mask": everywhere}
        over, ended = step.over, step.ended
        if not over.any():
            return info
        tallies: dict[str, Any] = {}
        for n, name in enumerate(self._table.game.declared.tallies, 1):
            tallies |= {name: ended[:, n], f"_{name}": over}
        last: dict[str, Any] = {"tallies": tallies, "_tallies": over}
        if self._outcomes[0]:
            last |= {"outcome": np.where(over, self._outcomes[ended[:, 0]], ""), "_outcome": over}
        return {**info, "final_obs": step.final, "_final_obs": over, "final_info": last, "_final_info": over}
