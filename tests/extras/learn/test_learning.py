"""Learning: rewards, what is refused, the learner, and its curve beside exact answers found in another way."""

from __future__ import annotations

import json
import sys
from enum import IntEnum
from math import isnan

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import dicelab
from dicelab.engines.policy import Policy
from dicelab.errors import IllegalMoveError, ParameterError, PlayError, UnknownNameError
from dicelab.extras.learn.result import plot_learning
from dicelab.learning import aec, gym, vector
from dicelab.rules import D6, OVER, Flag, Game, Int, Tally, ask, chosen, strategy, throw, thrown
from dicelab.rules.game import outcome_names
from dicelab.rules.payoffs import payoffs_of
from small_games import Falling
from support import GAMES

PIG, ALONE, PIGLET = GAMES["pig"], GAMES["pig-alone"], GAMES["piglet"]


class Move(IntEnum):
    WAIT = 0
    STOP = 1


class Patience(Game):
    """Wait as long as you like; in the end a die decides."""

    outcomes = ("win", "lose")
    stopped = Flag("no more waiting")
    face = Int(0, 6, "what the die shows")
    waits = Tally("times waited")

    def next(self) -> int:
        if self.face:
            return OVER
        return throw(self.die) if self.stopped else ask(self.wait_or_stop, 0)

    @chosen(Move)
    def wait_or_stop(self, move: int) -> None:
        self.waits += 1 - move
        self.stopped = move == Move.STOP

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.face = face

    def outcome(self) -> int:
        return 0 if self.face > 2 else 1


@strategy(Patience)
def at_once(game: Patience) -> Move:
    return Move.STOP


class Twice(Game):
    """One die or two, twice at the most: about seven wins."""

    outcomes = ("win", "lose")
    dice = Int(0, 2, "dice to throw")
    total = Int(0, 12, "what they show")
    second = Flag("thrown for the second time")
    over = Flag("no more throws")

    def next(self) -> int:
        if self.over:
            return OVER
        if self.dice == 0:
            return ask(self.how_many, 0)
        return ask(self.wait_or_stop, 0) if self.total else throw(self.cup, self.dice)

    @chosen((1, 2))
    def how_many(self, dice: int) -> None:
        self.dice = dice

    @thrown(2, D6)
    def cup(self, total: int) -> None:
        self.total = total
        self.over = self.second

    @chosen(Move)
    def wait_or_stop(self, move: int) -> None:
        if move == Move.STOP:
            self.over = True
        else:
            self.second = True
            self.dice = self.total = 0

    def outcome(self) -> int:
        return 0 if 6 <= self.total <= 8 else 1


@strategy(Twice)
def one_die_once(game: Twice) -> int:
    return 1


def to_the_end(env, action: int) -> tuple[float, dict]:
    """Make the same move all the time, or else the first that may be made; all rewards, and the last info."""
    _, info = env.reset(seed=4)
    rewards, over = 0.0, False
    while not over:
        mask = info["action_mask"]
        _, reward, over, _, info = env.step(action if mask[action] else int(mask.argmax()))
        rewards += reward
    return rewards, info


# Environments --------------------------------------------------------------------------------------------------------


def test_seeds_and_games_go_on_as_in_a_simulation():
    env = gym(ALONE, objective="reached", target=20)
    first = [env.reset(seed=5)[0].tolist(), env.reset()[0].tolist(), env.reset()[0].tolist()]
    chosen = [env.reset(seed=5, options={"game": number})[0].tolist() for number in range(3)]
    assert first == chosen
    many = [env.reset(seed=5, options={"game": number})[0].tolist() for number in range(20)]
    assert len({tuple(numbers) for numbers in many}) > 3


def test_a_win_is_worth_one_at_the_end():
    won = [to_the_end(gym(PIG, "hold_at:20", seat=seat, target=30), 1) for seat in (0, 1)]
    for seat, (reward, info) in enumerate(won):
        assert reward == (info["outcome"] == str(seat))


@pytest.mark.parametrize(("objective", "sign"), [("most:turns", 1), ("fewest:turns", -1)])
def test_a_tally_is_rewarded_as_it_changes(objective, sign):
    env = gym(ALONE, objective=objective, target=20)
    _, info = env.reset(seed=4)
    rewards, over = 0.0, False
    before = env.table.game.turns
    while not over:
        _, reward, over, _, info = env.step(int(info["action_mask"].nonzero()[0][-1]))
        rewards += reward
    assert rewards == sign * (info["tallies"]["turns"] - before)


@pytest.mark.parametrize("game", ["pig", "tossup"])
def test_pettingzoo_makes_a_parallel_environment_of_it(game):
    parallel_api_test(turn_based_aec_to_parallel(aec(GAMES[game])), num_cycles=30)


def test_all_seats_share_what_is_no_win():
    env = aec(PIG, objective="fewest:turns", target=10)
    env.reset(seed=1)
    gained = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        _, _, over, _, info = env.last()
        env.step(None if over else int(info["action_mask"].nonzero()[0][-1]))
        for agent, reward in env.rewards.items():
            gained[agent] += 0 if over else reward
    assert gained["seat_0"] == gained["seat_1"] < 0


def test_a_number_that_never_differs_is_not_seen():
    assert gym(ALONE, objective="reached").names == ("score", "points", "rolled")
    assert gym(ALONE, objective="reached", turns_at_most=3).names == ("score", "points", "rolled", "ended")


def test_where_a_game_is_over_before_the_seat_chooses_any_step_ends_it():
    env = gym("tossup", "one_roll", seat=1, target=1)
    for number in range(20):
        _, info = env.reset(seed=1, options={"game": number})
        if not info["action_mask"].any():
            _, reward, over, _, info = env.step(1)
            assert (reward, over, info["outcome"]) == (0.0, True, "0")
            return
    pytest.fail("no game was over")


def test_a_forbidden_move_changes_nothing_or_is_refused():
    free, strict = (gym(GAMES["six-tiles"], objective="shut", strict=strict) for strict in (False, True))
    before, info = free.reset(seed=3)
    strict.reset(seed=3)
    forbidden = int((info["action_mask"] == 0).argmax())
    after, reward, over, _, _ = free.step(forbidden)
    assert (after.tolist(), reward, over) == (before.tolist(), 0.0, False)
    with pytest.raises(IllegalMoveError, match="action mask"):
        strict.step(forbidden)
    everybody = aec(GAMES["six-tiles"], objective="shut")
    everybody.reset(seed=3)
    with pytest.raises(IllegalMoveError, match="action mask"):
        everybody.step(forbidden)


@pytest.mark.parametrize("action", [2, -1, 0.5, "roll", None, np.array([1])])
def test_an_action_that_is_no_move_is_refused(action):
    env, everybody = gym("tossup", "one_roll"), aec("tossup")
    env.reset(seed=1)
    everybody.reset(seed=1)
    for step in (env.step, everybody.step):
        with pytest.raises(IllegalMoveError, match="numbered 0 to 1"):
            step(action)


def test_a_step_without_a_game_is_refused():
    env, everybody = gym("tossup", "one_roll"), aec("tossup")
    for step in (env.step, everybody.step):
        with pytest.raises(PlayError, match="reset"):
            step(1)
    to_the_end(env, 1)
    with pytest.raises(PlayError, match="reset"):
        env.step(1)


@pytest.mark.parametrize(
    "given", [{"seed": -1}, {"seed": 2**64}, {"options": {"game": -1}}, {"options": {"game": "x"}}]
)
def test_a_game_that_there_is_not_is_refused(given):
    for env in (gym("tossup", "one_roll"), aec("tossup")):
        with pytest.raises(ParameterError):
            env.reset(**given)


@pytest.mark.parametrize(
    ("make", "fragment"),
    [
        (lambda: gym("hazard"), "has no choices"),
        (lambda: gym("tossup"), "against which"),
        (lambda: gym("tossup", "one_roll", seat=2), "seat: 2"),
        (lambda: gym("freeze"), "no game"),
        (lambda: gym("craps"), "give an objective"),
        (lambda: gym(ALONE, "hold_at", objective="reached"), "against has no effect"),
        (lambda: aec("lcr"), "lcr has no choices"),
    ],
)
def test_what_is_no_environment_is_refused(make, fragment):
    with pytest.raises((ParameterError, UnknownNameError), match=fragment):
        make()


@pytest.mark.parametrize(
    ("library", "module", "make"),
    [
        ("gymnasium", "gym_env", lambda: gym("tossup", "one_roll")),
        ("pettingzoo", "pettingzoo_env", lambda: aec("tossup")),
    ],
)
def test_a_missing_library_is_named_with_what_installs_it(monkeypatch, library, module, make):
    monkeypatch.delitem(sys.modules, f"dicelab.extras.learn.{module}", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ParameterError, match=rf"{library}: pip install 'dicelab\[learn\]'"):
        make()


# The learner and its curve -------------------------------------------------------------------------------------------


def without_time(learned):
    return {key: value for key, value in learned.to_dict().items() if key != "seconds"}


def test_the_same_seed_learns_the_same():
    once, again, other = (dicelab.learn(PIG, target=6, games=300, seed=seed) for seed in (1, 1, 2))
    assert without_time(once) == without_time(again)
    assert [p.values for p in once.points] != [p.values for p in other.points]
    assert all((getattr(once.policy, a) == getattr(again.policy, a)).all() for a in ("keys", "best", "worth"))


def test_a_longer_run_begins_with_the_shorter_one():
    short = dicelab.learn("tossup", "one_roll", target=6, games=20, seed=3, points=1)
    long = dicelab.learn("tossup", "one_roll", target=6, games=200, seed=3, points=4)
    assert [p.games for p in long.points] == [1, 2, 20, 200]
    assert short.points == (long.points[2],)


@pytest.mark.slow_cases("fewest", "first", "second")
@pytest.mark.parametrize(
    ("game", "against", "more"),
    [
        ("tossup", "bank_over:3", {"target": 6}),
        ("tossup", "bank_over:3", {"target": 6, "seat": 1}),
        ("tossup", ("one_roll", "bank_over:3"), {"target": 3, "dice": 3, "players": 3, "seat": 1}),
        (ALONE, (), {"target": 10, "objective": "fewest:turns"}),
        (ALONE, (), {"target": 10, "turns_at_most": 3, "objective": "reached"}),
        (GAMES["hog-choice"], (), {"objective": "most:score"}),
        (Twice, (), {}),
    ],
    ids=["first", "second", "three seats", "fewest", "outcome", "most", "two kinds of choices"],
)
def test_values_are_those_of_the_exact_engine(game, against, more, tmp_path):
    learned = dicelab.learn(game, against, games=150, seed=2, points=2, **more)
    seat, objective = more.pop("seat", 0), more.pop("objective", "win")
    assert learned.policy is not None
    learned.policy.save(tmp_path / "learned.npz")
    calls = list(against) if isinstance(against, tuple) else [against]
    exact = dicelab.exact(game, [*calls[:seat], f"policy:{tmp_path / 'learned.npz'}", *calls[seat:]], **more)
    much, _, tally = objective.partition(":")
    true = (
        exact.tallies[tally].mean
        if tally
        else exact.outcomes[much if much in exact.outcomes else str(seat)].probability
    )
    best = dicelab.solve(game, against, seat=seat, objective=objective, **more)
    assert learned.points[-1].values == (pytest.approx(true, abs=1e-9),)
    assert learned.best == (pytest.approx(best.value, abs=1e-12),)
    assert learned.points[-1].gap == pytest.approx(abs(best.value - true), abs=1e-9)
    assert learned.choices == best.choices


def test_moves_may_be_listed_in_any_order(tmp_path):
    learned = dicelab.learn(Falling, objective="most:points", games=300, seed=1, points=1)
    learned.policy.save(tmp_path / "learned.npz")
    exact = dicelab.exact(Falling, f"policy:{tmp_path / 'learned.npz'}")
    assert learned.points[0].values == (exact.tallies["points"].mean,) == (9,)


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_payoffs_are_rewards(seat):
    game = GAMES["high-bet"]
    learned = dicelab.learn(game, "careful", seat=seat, games=3000, seed=1, points=1)
    assert learned.points[0].values == pytest.approx(learned.best, abs=0.2)
    data = json.loads(learned.to_json())
    assert data["best"] == {"outcomes": {}, "tallies": {}, "payoffs": {str(seat): learned.best[0]}}
    assert data["points"][-1]["payoffs"] == {str(seat): learned.points[-1].values[0]}
    assert (data["points"][-1]["outcomes"], plot_learning(learned).get_ylabel()) == ({}, "mean payoff")
    rewards = set()
    env = gym(game, "careful", seat=seat)
    for number in range(40):
        env.reset(seed=1, options={"game": number})
        over, reward = False, 0.0
        while not over:
            _, reward, over, _, info = env.step(1)
        rewards.add(reward)
        assert reward == dict(zip(outcome_names(game()), payoffs_of(game()), strict=True))[info["outcome"]][seat]
    assert len(rewards) > 1
    lanes = vector(game, "careful", seat=seat, num_envs=20)
    lanes.reset(seed=1)
    paid = {what: payoff[seat] for what, payoff in zip(outcome_names(game()), payoffs_of(game()), strict=True)}
    ended = 0
    while ended < 40:
        _, given, over, _, infos = lanes.step(np.ones(20, np.int64))
        for lane in np.flatnonzero(over):
            assert given[lane] == paid[infos["final_info"]["outcome"][lane]]
            ended += 1


def test_two_seats_are_judged_by_the_best_answer_to_each(tmp_path):
    learned = dicelab.learn(PIG, target=6, games=40, seed=1, points=1)
    file = tmp_path / "learned.npz"
    learned.policy.save(file)
    answers = [dicelab.solve(PIG, f"policy:{file}", seat=1 - seat, target=6).value for seat in (0, 1)]
    assert learned.points[0].values == pytest.approx([1 - answer for answer in answers], abs=1e-12)
    best = dicelab.solve(PIG, target=6).value
    assert learned.best == pytest.approx([best, 1 - best], abs=1e-12)
    assert learned.points[0].gap == pytest.approx(sum(answers) - 1, abs=1e-12)
    assert learned.points[0].gap > 0.01


@pytest.mark.quick_cases("alone")
@pytest.mark.parametrize(
    ("game", "against", "more", "near"),
    [
        ("tossup", (), {"target": 3, "dice": 3}, 1e-3),
        (PIGLET, "hold_at:2", {"target": 3}, 1e-9),
        (ALONE, (), {"target": 8, "objective": "fewest:turns"}, 1e-9),
    ],
    ids=["each other", "a strategy", "alone"],
)
def test_the_curve_comes_to_the_best(game, against, more, near):
    learned = dicelab.learn(game, against, games=4000, seed=1, **more)
    assert 0 <= learned.points[-1].gap < near < learned.points[0].gap
    assert 0 < learned.points[-1].seen <= learned.choices
    assert [p.seen for p in learned.points] == sorted(p.seen for p in learned.points)


def test_where_it_has_never_been_the_first_sensible_move_is_made():
    policy = dicelab.learn("tossup", "one_roll", target=10, games=1, seed=1).policy
    best = dicelab.solve("tossup", "one_roll", target=10).policy
    assert (policy.keys == best.keys).all()
    assert (policy.moves == best.moves).all()
    assert (policy.best != policy.row[:-1]).sum() <= 10  # no more than were made in the one game


def test_a_policy_that_might_never_end_has_no_value():
    learned = dicelab.learn(Patience, games=30, seed=1, points=1)
    assert learned.points[0].values == (None,)
    assert learned.points[0].gap is None
    assert learned.best == (pytest.approx(2 / 3),)
    assert "endless" in str(learned)
    assert json.loads(learned.to_json())["points"][0]["outcomes"]["0"]["probability"] is None


def test_a_picture_says_what_was_learned(tmp_path):
    from dicelab.plots import save

    axes = plot_learning(dicelab.learn(PIG, target=4, games=100, seed=1, points=3))
    assert len(axes.lines) == 4
    save(axes, tmp_path / "curve.svg")
    assert "seed 1" in (tmp_path / "curve.svg").read_text()
    with pytest.raises(ParameterError, match="nothing to plot"):
        plot_learning(dicelab.learn(Patience, games=30, seed=1, points=1))


@pytest.mark.parametrize(
    ("given", "fragment"),
    [
        ({"games": 0}, "games: 0"),
        ({"games": 1.5}, "games: 1.5"),
        ({"points": 0}, "points: 0"),
        ({"seed": -1}, "seed: -1"),
        ({"epsilon": float("nan")}, "epsilon: nan"),
        ({"epsilon": 2}, "epsilon: 2"),
        ({"omega": 0.2}, "omega: 0.2"),
        ({"omega": "x"}, "omega: 'x'"),
        ({"memory": 0}, "memory: 0"),
        ({"seat": 1}, "against"),
        ({"objective": "fewest:turns"}, "objective must be win"),
        ({"players": 3}, "not 3"),
        ({"objective": "most:zzz", "against": "one_roll"}, "zzz"),
    ],
)
def test_what_can_not_be_learned_is_refused(given, fragment):
    with pytest.raises((ParameterError, UnknownNameError), match=fragment):
        dicelab.learn("tossup", **{"target": 5, **given})


def test_a_kept_policy_is_read_again(tmp_path):
    learned = dicelab.learn(PIG, "hold_at:4", target=6, games=50, seed=1, points=1)
    learned.policy.save(tmp_path / "learned.npz")
    again = Policy.load(tmp_path / "learned.npz", PIG(target=6))
    assert len(again) == learned.choices
    assert "50 games of seed 1" in again.about["solved"]
    assert not any(isnan(worth) for worth in again.worth.tolist())
