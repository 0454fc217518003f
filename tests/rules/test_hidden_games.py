"""Games with hidden dice, written as a newcomer writes them, play on compiled engines bit for bit."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import dicelab
from dicelab.errors import InputError
from dicelab.learning import aec, gym, vector
from dicelab.rules.loading.registry import games_in, load

GAMES = games_in(load(Path(__file__).parents[1] / "games" / "hidden_dice.py"))
LINES = [(name, strategy) for name, game in GAMES.items() for strategy in game.declared.strategies]
QUICK = {("dice-poker", "bluffing")}


@pytest.mark.slow_cases("dice-poker-bluffing")
@pytest.mark.parametrize(
    ("name", "strategy"), [line if line in QUICK else pytest.param(*line, marks=pytest.mark.slow) for line in LINES]
)
def test_engines_play_the_same_hidden_games(name: str, strategy: str) -> None:
    games = 60 if (name, strategy) in QUICK else 400
    reference, compiled, *others = (
        dicelab.simulate(GAMES[name], strategy, games=games, seed=3, engine=engine)
        for engine in ("reference", "compiled", *(() if (name, strategy) in QUICK else ("memo",)))
    )
    for other in (compiled, *others):
        assert [p.count for p in other.outcomes.values()] == [p.count for p in reference.outcomes.values()]
        assert [t.mean for t in other.tallies.values()] == [t.mean for t in reference.tallies.values()]


def test_an_agent_observes_its_own_dice_alone() -> None:
    env = gym(GAMES["dice-poker"], "high")
    lowest = set()
    for seed in range(20):
        seen = dict(zip(env.names, env.reset(seed=seed)[0].tolist(), strict=True))
        assert 1 <= seen["hands[0]"] <= 6
        lowest.add(seen["hands[1]"])
    assert lowest == {0}
    both = aec(GAMES["dice-poker"])
    both.reset(seed=1)
    one, two = (dict(zip(both.names, both.observe(agent).tolist(), strict=True)) for agent in both.agents)
    assert one["hands[0]"] > 0 == one["hands[1]"]
    assert two["hands[1]"] > 0 == two["hands[0]"]
    with pytest.raises(InputError, match="a picture of its states"):
        gym(GAMES["dice-poker"], "high", render_mode="ansi")


@pytest.mark.slow
def test_a_batch_of_hidden_games_shows_what_single_environments_show() -> None:
    game, lanes = GAMES["dice-poker"], 8
    envs, alone = vector(game, "high", num_envs=lanes, seat=1), [gym(game, "high", seat=1) for _ in range(lanes)]
    seen, _ = envs.reset(seed=5)
    expected = [env.reset(seed=5, options={"game": number})[0] for number, env in enumerate(alone)]
    assert seen.tolist() == [one.tolist() for one in expected]
    assert seen[:, envs.names.index("hands[0]")].tolist() == [0] * lanes
    _, rewards, over, _, infos = envs.step([1] * lanes)
    assert over.any()
    for lane in np.flatnonzero(over):
        last, reward, *_ = alone[lane].step(1)
        assert (infos["final_obs"][lane].tolist(), rewards[lane]) == (last.tolist(), reward)


def test_what_one_seat_learns_is_the_best_answer_that_its_own_die_allows(tmp_path: Path) -> None:
    """Of the first, who plays against `high`: for each own die the best of bet, pass and call, pass and fold."""
    game, faces, total = GAMES["dice-poker"], range(1, 7), 0.0
    for mine in faces:
        ahead = [(theirs >= 4, (mine > theirs) - (mine < theirs)) for theirs in faces]
        bet = sum(2 * more if calls else 1 for calls, more in ahead)
        call = sum(2 * more if bets else more for bets, more in ahead)
        fold = sum(-1 if bets else more for bets, more in ahead)
        total += max(bet, call, fold)
    learned = dicelab.learn(game, "high", games=2000, seed=1, points=2)
    assert learned.points[-1].values[0] == pytest.approx(total / 36)
    assert learned.best == ()
    assert "best play isn't known" in str(learned)
    policy = learned.policy
    assert policy is not None
    assert dicelab.exact(game, [policy, "high"]).tallies["first"].mean == pytest.approx(total / 36)
    file = str(tmp_path / "policy.npz")
    policy.save(file)
    assert dicelab.simulate(game, [f"policy:{file}", "high"], games=50, seed=2, engine="reference").games == 50
    other = policy.best.copy()
    other[0] += 1 if other[0] == policy.row[0] else -1  # in one of the states that look the same
    with pytest.raises(InputError, match="its moves depend on hands, which the seat that plays does not see"):
        dicelab.simulate(game, [replace(policy, best=other), "high"], games=1)
    with pytest.raises(InputError, match="give the strategy against which one seat learns"):
        dicelab.learn(game, games=10)


def test_poker_with_dice_is_what_trying_all_hands_gives() -> None:
    """Both play `high` from a four on: a hand is bet, called or folded by the two dice alone."""
    won = {"first": 0, "second": 0, "equal": 0}
    for one, two in product(range(1, 7), repeat=2):
        if (one >= 4) != (two >= 4):  # one bets, the other passes or folds
            won["first" if one >= 4 else "second"] += 1
        else:
            won["equal" if one == two else "first" if one > two else "second"] += 1
    exact = dicelab.exact(GAMES["dice-poker"], "high")
    assert {name: p.probability * 36 for name, p in exact.outcomes.items()} == pytest.approx(won)


def fortunes(faces: tuple[int, ...], parts: tuple[int, int]) -> int:
    """The outcome of sealed bids with these prizes, each player bidding a part: written apart from the rules."""
    money, won, prize = [4, 4], [0, 0], 0
    for face in faces:
        prize += face
        bids = [min(money[seat], prize // parts[seat]) for seat in range(2)]
        if bids[0] != bids[1]:
            winner = int(bids[1] > bids[0])
            money[winner] -= bids[winner]
            won[winner] += prize
            prize = 0
    first, second = (money[seat] + won[seat] for seat in range(2))
    return 2 if first == second else int(second > first)


def test_sealed_bids_are_what_trying_all_prizes_gives() -> None:
    """Two seats are asked by two expressions, and each bid is hidden from the other."""
    file = Path(__file__).parents[1] / "games" / "natural" / "sealed_bids.py"
    counts = [0, 0, 0]
    for faces in product(range(1, 7), repeat=2):
        counts[fortunes(faces, (1, 3))] += 1
    exact = dicelab.exact(str(file), ["part:1", "part:3"])
    assert [p.probability * 36 for p in exact.outcomes.values()] == pytest.approx(counts)
