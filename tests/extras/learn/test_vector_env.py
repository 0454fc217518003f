"""Ids with Gymnasium, many games at once, and what environments show of a game."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from dicelab.errors import (
    EndlessGameError,
    IllegalMoveError,
    ParameterError,
    PlayError,
    RulesError,
    TooLarge,
    UnknownNameError,
)
from dicelab.extras.learn.make import IDS
from dicelab.games.tossup import TossUp
from dicelab.learning import aec, gym, vector
from dicelab.rules import OVER, Flag, Game, Int, Tally, ask, chosen, strategy
from dicelab.rules.loading.registry import all_games
from dicelab.solver.enumeration.model import moves_of
from support import GAMES, ROOT

PIG = str(ROOT / "examples" / "pig.py")

# Ids -----------------------------------------------------------------------------------------------------------------


def test_every_game_that_suits_has_an_id():
    """A game suits if it has choices, and few enough moves to number them."""

    def suits(game):
        try:
            return bool([moves_of(decision, game()) for decision in game.declared.decisions])
        except TooLarge:
            return False

    assert {name for name, game in all_games().items() if suits(game)} == {
        given["game"] for given in IDS.values() if "game" in given
    }


@pytest.mark.slow
@pytest.mark.parametrize("words", ["import dicelab.learning; id = ''", "id = 'dicelab.learning:'"])
def test_gymnasium_makes_games_by_their_ids(words):
    code = f"""
import gymnasium; {words}
env = gymnasium.make(id + "dicelab/TossUp-v0", target=30, render_mode="ansi")
print(env.reset(seed=1)[0].tolist(), env.spec.id)
envs = gymnasium.make_vec(id + "dicelab/TossUp-v0", num_envs=2, target=30)
print(envs.reset(seed=1)[0].tolist(), type(envs).__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == [
        "[0, 3, 1, -1, 0, 0, 0] dicelab/TossUp-v0",
        "[[0, 3, 1, -1, 0, 0, 0], [0, 7, 1, -1, 0, 0, 0]] DiceVectorEnv",
    ]


@pytest.mark.slow
def test_an_id_for_games_of_ones_own():
    env = gymnasium.make("dicelab/Game-v0", game=PIG, against="hold_at:20", target=30)
    check_env(env.unwrapped)
    envs = gymnasium.make_vec("dicelab/Game-v0", num_envs=2, game=PIG, against="hold_at:20", target=30)
    assert envs.reset(seed=1)[0][0].tolist() == env.reset(seed=1)[0].tolist()


def test_gymnasium_can_still_make_single_ones_side_by_side():
    envs = gymnasium.make_vec("dicelab/TossUp-v0", num_envs=2, vectorization_mode="sync", target=30)
    assert isinstance(envs, SyncVectorEnv)


# Many games at once --------------------------------------------------------------------------------------------------


def layout(info: dict) -> dict:
    """The keys of infos, and the sizes and types of their arrays."""
    return {key: layout(value) if isinstance(value, dict) else value.shape for key, value in info.items()}


@pytest.mark.slow
def test_infos_are_laid_out_as_gymnasium_lays_them_out():
    def one():
        return gym("tossup", "one_roll", target=1)

    ours = vector("tossup", "one_roll", target=1, num_envs=2)
    theirs = SyncVectorEnv([one, one], autoreset_mode=AutoresetMode.SAME_STEP)
    assert ours.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    for space in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(ours, space) == getattr(theirs, space)
    assert layout(ours.reset(seed=1)[1]) == layout(theirs.reset(seed=1)[1])
    got, expected = ours.step(np.array([1, 1])), theirs.step(np.array([1, 1]))
    assert got[2].tolist() == [True, True]
    for mine, other in zip(got[:4], expected[:4], strict=True):
        assert (mine.shape, mine.dtype) == (other.shape, other.dtype)
    infos, last = got[-1], dict(expected[-1]["final_info"])
    del last["action_mask"], last["_action_mask"]  # nothing may be done in a game that is over
    assert infos["final_obs"].shape == (2, len(ours.names))  # theirs is an array of arrays
    assert layout(infos["final_info"]) == layout(last)
    assert set(infos) == set(expected[-1])


@pytest.mark.slow
def test_each_lane_plays_one_game_after_the_other_and_none_twice():
    envs = vector("tossup", "one_roll", target=1, num_envs=3)
    first, _ = envs.reset(seed=5)
    seen = [first.tolist()]
    for _ in range(3):
        seen.append(envs.step(np.ones(3, int))[0].tolist())
    again, _ = envs.reset(seed=5, options={"game": 3})
    assert again.tolist() == seen[1]
    assert envs.reset()[0].tolist() == seen[2]
    assert envs.reset(seed=5)[0].tolist() == seen[0]


@pytest.mark.slow
def test_wrappers_of_gymnasium_count_rewards():
    envs = RecordEpisodeStatistics(vector("tossup", "one_roll", target=10, num_envs=8))
    envs.reset(seed=1)
    returns = []
    for _ in range(40):
        *_, infos = envs.step(np.ones(8, int))
        if "episode" in infos:
            returns += infos["episode"]["r"][infos["_episode"]].tolist()
    assert set(returns) == {0.0, 1.0}


def test_games_that_are_over_before_the_seat_has_chosen():
    """The mask has no 1, and any action ends the game, as in the single environment."""
    given = {"seat": 1, "target": 1, "dice": 1}
    envs, alone = vector("tossup", "one_roll", num_envs=1, **given), gym("tossup", "one_roll", **given)
    observations, infos = envs.reset(seed=1)
    observation, info = alone.reset(seed=1)
    at_once = 0
    for _ in range(40):
        assert observations[0].tolist() == observation.tolist()
        assert infos["action_mask"][0].tolist() == info["action_mask"].tolist()
        at_once += not infos["action_mask"].any()
        observations, rewards, over, _, infos = envs.step([1])
        observation, reward, ends, _, info = alone.step(1)
        assert (rewards[0], over[0]) == (reward, ends)
        if ends:
            assert infos["final_info"]["outcome"][0] == info["outcome"]
            observation, info = alone.reset()
    assert 10 < at_once < 40


def test_random_seeds():
    envs = vector("tossup", "one_roll", num_envs=64)
    assert envs.reset()[0].tolist() != vector("tossup", "one_roll", num_envs=64).reset()[0].tolist()


@pytest.mark.parametrize("actions", [[0, 2], [-1, 0], [0], [[0, 1]], [0.0, 1.0], "ab", 1])
def test_actions_that_there_are_not(actions):
    envs = vector("tossup", "one_roll", num_envs=2)
    envs.reset(seed=1)
    with pytest.raises(IllegalMoveError, match="actions are"):
        envs.step(actions)


def test_a_step_before_a_game():
    with pytest.raises(PlayError, match=r"no game is in progress; call reset\(\) first"):
        vector("tossup", "one_roll").step([0])


@pytest.mark.parametrize("lanes", [0, -1, 2**21, 1.5, "2", None])
def test_numbers_of_lanes_that_are_not_allowed(lanes):
    with pytest.raises(ParameterError, match="num_envs"):
        vector("tossup", "one_roll", num_envs=lanes)


def test_refused_arguments():
    with pytest.raises(ParameterError, match="2 seats: give the strategies against which one of them learns"):
        vector("tossup")
    envs = vector("tossup", "one_roll")
    with pytest.raises(ParameterError, match="game: -1 is not allowed"):
        envs.reset(seed=1, options={"game": -1})
    with pytest.raises(ParameterError, match="game: 18446744073709551615 is not allowed"):
        envs.reset(seed=1, options={"game": 2**64 - 1})
    with pytest.raises(ParameterError, match="seed: -1"):
        envs.reset(seed=-1)


@pytest.mark.slow
def test_a_forbidden_move_changes_nothing_or_is_an_error():
    forgiving, strict = (
        vector(GAMES["shut-the-box"], num_envs=1, objective="fewest:standing", strict=s) for s in (0, 1)
    )
    seen, infos = forgiving.reset(seed=1)
    strict.reset(seed=1)
    forbidden = int(infos["action_mask"][0].argmin())
    after, reward, over, *_ = forgiving.step([forbidden])
    assert (after.tolist(), reward.tolist(), over.tolist()) == (seen.tolist(), [0.0], [False])
    with pytest.raises(IllegalMoveError, match="lane 0 is not allowed"):
        strict.step([forbidden])


class Alarm(Game):
    """Count up; something goes wrong at a number."""

    name = "alarm"
    outcomes = ("over",)
    count = Int(0, 5, "steps")
    wrong = Flag("nothing may be done")
    steps = Tally("steps")

    def next(self) -> int:
        return OVER if self.count == 9 else ask(self.step, 0)

    def allowed(self, move: int) -> bool:
        return not self.wrong

    @chosen(3, legal=allowed)
    def step(self, move: int) -> None:
        self.steps += 1
        if move == 0:
            self.count += 1
        if move == 1 and self.count == 3:
            self.steps += 1 // (self.count - 3)
        self.wrong = move == 2

    def outcome(self) -> int:
        return 0

    def view(self) -> str:
        return f"the count is {self.count}"


@strategy(Alarm)
def up(game: Alarm) -> int:
    return 0


@pytest.mark.slow
def test_rules_that_go_wrong_say_in_which_game(limits):
    envs = vector(Alarm, num_envs=2, objective="over")
    envs.reset(seed=4)
    for _ in range(5):
        envs.step([0, 1])
    with pytest.raises(PlayError, match=r'alarm: game 0 of seed 4: .* reset\(seed=4, options={"game": 0}\) says which'):
        envs.step([0, 1])
    with pytest.raises(PlayError, match="no game is in progress"):
        envs.step([0, 1])
    envs.reset(seed=4)
    for _ in range(3):
        envs.step([1, 0])
    with pytest.raises(PlayError, match="game 1 of seed 4: a rule or a strategy breaks the contract"):
        envs.step([1, 1])  # a division by zero
    envs.reset(seed=4)
    with pytest.raises(PlayError, match="game 1 of seed 4: no move is sensible"):
        envs.step([0, 2])
    limits(steps=10)
    envs.reset(seed=4)
    for _ in range(10):
        envs.step([1, 1])
    with pytest.raises(EndlessGameError, match="game 0 of seed 4 is not over after 10 throws and choices"):
        envs.step([1, 1])


class Listing(Alarm):
    """The outcome by a text, which rules can't use."""

    name = "listing"

    def outcome(self) -> int:
        return len(str(0)) - 1


@strategy(Listing)
def first(game: Listing) -> int:
    return 0


def test_rules_that_can_not_be_compiled():
    with pytest.raises(RulesError, match=r"line \d+, in outcome: .*str"):
        vector(Listing, objective="over")


# What is shown -------------------------------------------------------------------------------------------------------

SHOWN = """\
tossup: seed 1, game 0
  scores  0 0
  player  0
  points  3
  rolled  yes
  leader  nobody
  over    no
player 1: roll, bank"""


def test_a_state_as_text():
    env = gym("tossup", "one_roll", target=1, render_mode="ansi")
    assert env.render() == "tossup: no game has begun"
    env.reset(seed=1)
    env.table.game.points = 3
    assert env.render() == SHOWN.replace("roll, bank", "bank")
    env.step(1)
    assert env.render().splitlines()[-1] == "over: 0; turns 1, throws 1, busts 0"


def test_a_game_with_a_view_is_shown_by_it():
    env = gym(Alarm, objective="over", render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == "alarm: seed 1, game 0\nthe count is 0\nplayer 1: 0, 1, 2"


def test_a_state_as_a_picture():
    env = gym("tossup", "one_roll", render_mode="rgb_array")
    env.reset(seed=1)
    before = env.render()
    assert (before.shape, before.dtype) == ((480, 640, 3), np.uint8)
    assert 100 < (before < 128).any(axis=2).sum() < 50_000  # letters on white
    env.step(0)
    assert (env.render() != before).any()
    assert (before[:, -12:] == 255).all()  # no letter leaves the picture
    assert (before[-12:] == 255).all()


def test_long_states_fit_into_the_picture():
    env = gym("tossup", "one_roll", players=8, render_mode="rgb_array")
    env.reset(seed=1)
    assert (env.render()[:, -12:] == 255).all()


def test_render_modes():
    assert gym("tossup", "one_roll").render() is None
    with pytest.raises(UnknownNameError, match="no render_mode 'human'"):
        gym("tossup", "one_roll", render_mode="human")
    assert gymnasium.make("dicelab/TossUp-v0", render_mode="rgb_array").metadata["render_fps"] > 0
    together = aec("tossup", render_mode="ansi")
    together.reset(seed=1)
    assert together.render().startswith("tossup: seed 1, game 0\n")
    assert aec(TossUp(target=3)).render() is None


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_gymnasium_finds_nothing_wrong_with_what_is_shown(mode):
    check_env(gymnasium.make("dicelab/TossUp-v0", render_mode=mode).unwrapped)
