"""The environments for learners pass the checks of their libraries, and play the games of the reference engine: every
game found that has choices.
"""

from __future__ import annotations

import warnings
from random import Random

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from conformance.policy_settings import SETTINGS
from dicelab.learning import aec, gym, vector
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, counted, outcome_names, position, seat_count
from dicelab.runtime.interpreter import finished, steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream
from dicelab.solver.enumeration.model import moves_of
from support import FEW, GAMES, slow_unless

SEED, NUMBERS = 1713, (0, 1, 2, 7)  # Montmort, Essay d'analyse sur les jeux de hazard, second edition

every_game = pytest.mark.parametrize("name", SETTINGS)
SEATS = [(name, seat) for name, (_, given) in SETTINGS.items() for seat in range(seat_count(GAMES[name](**given)))]
every_seat = pytest.mark.parametrize(("name", "seat"), SEATS)
every_seat_compiled = pytest.mark.parametrize(
    ("name", "seat"),
    slow_unless(lambda case: case[0] in FEW, SEATS),
    ids=[f"{name}-{seat}" for name, seat in SEATS],
)


def gym_of(name: str, seat: int):
    objective, parameters = SETTINGS[name]
    game = GAMES[name](**parameters)
    against = next(iter(game.declared.strategies)) if seat_count(game) > 1 else ()
    return gym(game, against, seat=seat, objective=objective)


def vector_of(name: str, seat: int, lanes: int):
    objective, parameters = SETTINGS[name]
    game = GAMES[name](**parameters)
    against = next(iter(game.declared.strategies)) if seat_count(game) > 1 else ()
    return vector(game, against, seat=seat, objective=objective, num_envs=lanes)


def aec_of(name: str):
    objective, parameters = SETTINGS[name]
    return aec(GAMES[name], objective=objective, **parameters)


@pytest.mark.slow_cases("craps-0", "yahtzee-box-0")
@every_seat
def test_gymnasium_finds_nothing_wrong(name: str, seat: int) -> None:
    check_env(gym_of(name, seat), skip_render_check=True)


@pytest.mark.slow_cases("craps", "line-bets")
@every_game
def test_pettingzoo_finds_nothing_wrong(name: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation numpy array is all zeros")  # where a game begins with a choice
        api_test(aec_of(name), num_cycles=200)
    seed_test(lambda: aec_of(name), num_cycles=50)


def told(names: tuple[str, ...], game: Game) -> list[int]:
    """The numbers of a state by their names: ``points``, ``scores[1]``."""
    state = position(game)
    values = (state[name.partition("[")[0]] for name in names)
    at = (int(name.partition("[")[2].rstrip("]") or 0) for name in names)
    return [value[i] if isinstance(value, list) else value for value, i in zip(values, at, strict=True)]


def by_the_reference(run: Run, names: tuple[str, ...], moves: tuple[str, ...], seats: set[int], number: int):
    """What some seats saw and could do in a game in which they choose at random, and how it ended."""
    seen, chance = [], Random(number)
    several = len(run.game.declared.decisions) > 1

    def chooser(game: Game, decision: Decision, seat: int) -> tuple[int, ...]:
        sensible = [move for move in moves_of(decision, game) if decision.considered(game, move)]
        words = [f"{decision.name}: {decision.describe(m)}" if several else decision.describe(m) for m in sensible]
        seen.append((seat, told(names, game), words))
        return chance.choice(sensible)

    choosers = [chooser if seat in seats else call.chooser(run.game) for seat, call in enumerate(run.calls)]
    for _ in steps(run.game, choosers, Stream(SEED, number)):
        pass
    outcomes = outcome_names(run.game)
    ending = {"outcome": outcomes[finished(run.game).outcome]} if outcomes else {}
    return seen, {**ending, "tallies": counted(run.game)}


def words_of(env, mask) -> list[str]:
    return [env.moves[action] for action in mask.nonzero()[0]]


@pytest.mark.slow_cases("craps-0", "line-bets-0")
@every_seat
def test_gymnasium_plays_the_games_of_the_reference_engine(name: str, seat: int) -> None:
    env, (_, parameters) = gym_of(name, seat), SETTINGS[name]
    run = Run.of(GAMES[name], **parameters)
    for number in NUMBERS:
        chance, seen, over = Random(number), [], False
        observation, info = env.reset(seed=SEED, options={"game": number})
        while not over:
            if info["action_mask"].any():
                seen.append((seat, observation.tolist(), words_of(env, info["action_mask"])))
                action = chance.choice(info["action_mask"].nonzero()[0].tolist())
            else:
                action = 0
            observation, _, over, _, info = env.step(action)
        ending = {key: value for key, value in info.items() if key != "action_mask"}
        assert (seen, ending) == by_the_reference(run, env.names, env.moves, {seat}, number)


@pytest.mark.slow_cases("craps", "line-bets")
@every_game
def test_pettingzoo_plays_the_games_of_the_reference_engine(name: str) -> None:
    env, (_, parameters) = aec_of(name), SETTINGS[name]
    run = Run.of(GAMES[name], **parameters)
    for number in NUMBERS:
        chance, seen = Random(number), []
        env.reset(seed=SEED, options={"game": number})
        while not env.last()[2]:
            observation, _, _, _, info = env.last()
            mask = info["action_mask"]
            if mask.any():
                seat = int(env.agent_selection.removeprefix("seat_"))
                seen.append((seat, observation.tolist(), words_of(env, mask)))
            env.step(chance.choice(mask.nonzero()[0].tolist()) if mask.any() else 0)
        ending = {key: value for key, value in env.last()[4].items() if key != "action_mask"}
        assert (seen, ending) == by_the_reference(run, env.names, env.moves, {*range(len(env.agents))}, number)


@pytest.mark.slow_cases(
    "bear-off-0",
    "cant-stop-0",
    "craps-0",
    "everyday-0",
    "everyday-1",
    "farkle-0",
    "farkle-1",
    "lcr-wild-0",
    "line-bets-0",
    "margin-0",
    "mexico-0",
    "odd-dice-0",
    "pig-0",
    "pig-1",
    "relay-0",
    "session-0",
    "ship-captain-crew-0",
    "shut-the-box-0",
    "shut-the-box-alone-0",
    "tossup-0",
    "tossup-1",
    "yahtzee-0",
)
@every_seat_compiled
def test_many_games_at_once_are_those_of_the_single_environment(name: str, seat: int) -> None:
    """The same observations, masks, rewards and endings, also where an action is refused."""
    lanes, chance, ended = 3, Random(seat), 0
    envs, alone = vector_of(name, seat, lanes), [gym_of(name, seat) for _ in range(lanes)]
    assert (envs.names, envs.moves) == (alone[0].names, alone[0].moves)
    observations, infos = envs.reset(seed=SEED)
    starts = [env.reset(seed=SEED, options={"game": number}) for number, env in enumerate(alone)]
    playing = list(range(lanes))
    for _ in range(60):
        for lane, (observation, info) in enumerate(starts):
            assert observations[lane].tolist() == observation.tolist()
            assert infos["action_mask"][lane].tolist() == info["action_mask"].tolist()
        any_of = [chance.randrange(len(envs.moves)) for _ in range(lanes)]
        sensible = [chance.choice(mask.nonzero()[0].tolist() or [0]) for mask in infos["action_mask"]]
        actions = any_of if chance.random() < 0.2 else sensible
        observations, rewards, over, truncated, infos = envs.step(np.array(actions))
        assert not truncated.any()
        for lane, env in enumerate(alone):
            observation, reward, ends, _, info = env.step(actions[lane])
            assert (rewards[lane], over[lane]) == (reward, ends)
            if ends:
                ended += 1
                last, tallies = infos["final_info"], infos["final_info"]["tallies"]
                assert infos["final_obs"][lane].tolist() == observation.tolist()
                assert {key: tallies[key][lane] for key in info["tallies"]} == info["tallies"]
                assert last["outcome"][lane] == info["outcome"] if "outcome" in info else "outcome" not in last
                playing[lane] += lanes
                observation, info = env.reset(options={"game": playing[lane]})
            starts[lane] = observation, info
    assert ended > 0
