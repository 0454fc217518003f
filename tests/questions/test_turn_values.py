"""Values of the beginnings of turns that are learned, and turns that are evaluated exactly with them."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from statistics import mean, stdev

import numpy as np
import pytest

import dicelab
from dicelab.engines import policy_file
from dicelab.errors import InputError, ParameterError
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.skill.by_turns import valued
from dicelab.questions.policies.skill.luck import losses
from dicelab.questions.policies.skill.values import values
from dicelab.questions.policies.thinking.ahead import ChoiceState, Roll, SearchTable
from dicelab.questions.policies.thinking.network import input_count, inputs, ranges_of
from dicelab.questions.policies.thinking.turn_values import TurnNetwork, network_of, played_for
from dicelab.rules.game import seat_count
from dicelab.runtime.lineup import Run
from dicelab.solver.turns.estimated import MOST_STEPS, EstimatedTurns
from dicelab.solver.turns.solve import turn_by_turn
from small_games import Dare, Fewest, mean_loss

PIG = "./examples/pig.py"
DRAWS = "./tests/games/alike/draws.py:draws"


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """Values of turns of Pig to 15 after 1,000 games, and the file in which they are."""
    found = dicelab.learn(PIG, method="turns", games=1000, seed=1, target=15)
    path = tmp_path_factory.mktemp("turns") / "pig.npz"
    found.policy.save(path)
    return found, str(path)


class Both(Dare):
    """Both may gain."""

    name = "both"
    outcomes = ("low", "high")
    payoffs = {"low": (0, 1), "high": (2, 2)}
    seats = 2


def exact_turns(game, **parameters):
    """Return the turns of a game, the exact values of all their beginnings, and a function that looks these up."""
    run = Run.of(game, **parameters)
    aims = Objective.of(run.game, None).aims(run.game, max(1, seat_count(run.game)))
    turns, _ = EstimatedTurns.found(run, aims)
    _, kept = turn_by_turn(run, aims, 2**30)
    assert kept.outer == turns.parts.names
    known = {tuple(key[: turns.parts.outer_words]): v for key, v in zip(kept.keys.tolist(), kept.value, strict=True)}

    def worth(numbers):
        rows = [turns.parts.pack(row) for row in numbers.tolist()]
        return np.array([known[tuple(row[0, : turns.parts.outer_words].tolist())] for row in rows])

    return turns, kept, worth


@pytest.mark.parametrize(
    ("game", "parameters"),
    [
        (PIG, {"target": 15}),
        pytest.param("tossup", {"target": 12, "dice": 3}, marks=pytest.mark.slow),
        pytest.param("yahtzee", {"boxes": 7}, marks=pytest.mark.slow),
    ],
)
def test_turns_are_exact_given_what_follows(game, parameters):
    """With the exact values of what follows, each turn is worth its exact value: also where turns have cycles, and
    where a tally is counted; and what is played has that mean."""
    turns, kept, worth = exact_turns(game, **parameters)
    rows = np.repeat(kept.keys[:300], 40, axis=0)
    draws = np.random.default_rng(1).random((len(rows), MOST_STEPS, 2))
    with ThreadPoolExecutor(2) as pool:
        played = turns.played(rows, worth, np.zeros(len(rows)), draws, pool)
    assert played.value == pytest.approx(np.repeat(kept.value[:300], 40), abs=1e-8)
    if not turns.aims.tally:  # 1 - v where the other seat is next; a turn that ends the game wins it
        after = np.array([1.0 - v for v in worth(turns.parts.unpack(played.after))])
        got = np.where(played.over, 1.0, after)
        assert got.mean() == pytest.approx(played.value.mean(), abs=5 * got.std() / len(rows) ** 0.5)


@pytest.mark.slow
def test_a_learned_player_loses_next_to_nothing(learned):
    """And what a state within a turn is worth is near what it is worth exactly."""
    _, path = learned
    best = values(PIG, target=15)
    assert mean_loss(best, f"policy:{path}", 40) < mean_loss(best, "hold_at:3", 40) / 20


@pytest.mark.slow
def test_a_seed_learns_the_same_and_the_file_keeps_it(learned):
    found, path = learned
    again = dicelab.learn(PIG, method="turns", games=1000, seed=1, target=15)
    kept = network_of(path, found.policy.game)
    assert isinstance(kept, TurnNetwork)
    for one in (again.policy, kept):
        assert (one.first == found.policy.first).all()
        assert (one.second == found.policy.second).all()
    assert found.start[0] == pytest.approx(float(values(PIG, target=15).at_start[0]), abs=0.02)
    assert found.start[0] + found.start[1] == pytest.approx(1)


@pytest.mark.slow
def test_searching_with_it_and_exact_answers_know_it(learned):
    _, path = learned
    found = dicelab.exact(PIG, [f"search:1:{path}", "hold_at:15"], target=15)
    most = dicelab.solve(PIG, "hold_at:15", seat=0, target=15).value
    assert most - 0.02 < found.outcomes["0"].probability <= most + 1e-12


@pytest.mark.slow_cases("search:2:{}-PIG15", "policy:{}-draws", "search:1:{}-dare")
@pytest.mark.parametrize(
    ("player", "game"),
    [
        pytest.param("policy:{}", (PIG, "hold_at:9", {"target": 15}), id="policy:{}-PIG15"),
        pytest.param("search:2:{}", (PIG, "hold_at:9", {"target": 15}), id="search:2:{}-PIG15"),
        pytest.param("policy:{}", (DRAWS, "stand:1", {"ante": 2}), id="policy:{}-draws"),
        pytest.param("search:1:{}", (Dare, "at_once", {}), id="search:1:{}-dare"),
    ],
)
def test_every_engine_and_number_of_threads_plays_the_same_games(player, game, tmp_path):
    rules, other, parameters = game
    path = str(tmp_path / "turns.npz")
    dicelab.learn(rules, method="turns", games=100, seed=1, **parameters).policy.save(path)
    seats = [player.format(path), other]
    games = [
        dicelab.simulate(rules, seats, games=12, seed=3, engine=engine, threads=threads, records=True, **parameters)
        for engine, threads in (("reference", 1), ("compiled", 1), ("compiled", 3))
    ]
    assert [one.engine for one in games] == ["reference", "compiled", "compiled"]
    assert games[0].records.tolist() == games[1].records.tolist() == games[2].records.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("game", [PIG, "tossup", "yahtzee"])
def test_values_do_not_depend_on_what_was_looked_at_before(game):
    """States of games of random moves, in three orders, each with a network that knows nothing yet."""
    network = dicelab.learn(game, method="turns", games=100, seed=1).policy
    table, draws, states = SearchTable(network.game, None, "test"), Random(5), set()
    for _ in range(4):
        row = table.start()
        while isinstance(step := table.step(row), ChoiceState | Roll):
            states.add(table.key(row))
            ways = step.moves if isinstance(step, ChoiceState) else [one.seen for one in step.dice.outcomes]
            row = table.after(row, step.kind, draws.choice(ways))
    some = draws.sample(sorted(states), 60)
    found = []
    for order in (some, sorted(some), some[::-1]):
        new = replace(network)
        found.append({state: new.worth([state])[0] for state in order})
    assert found[0] == found[1] == found[2]


def test_payoffs_are_prizes_from_0_to_1_for_the_seat_to_move():
    """A draw is half a win where both seats are alike; else the other's payoff follows from the first's."""
    goal = played_for(dicelab.find(DRAWS)(ante=2))
    assert list(goal.aims.prize) == [1.0, 0.0, 0.5]
    assert list(goal.lines) == [(-2.0, 4.0), (2.0, -4.0)]
    assert list(played_for(dicelab.find("./examples/high_bet.py")(stake=3)).lines) == [(-4.0, 8.0), (4.0, -8.0)]


@pytest.mark.slow
def test_seats_that_are_not_alike_payoffs_and_tallies_of_which_few_are_wanted(tmp_path):
    draws = dicelab.find(DRAWS)(ante=2)
    exact, _ = turn_by_turn(Run.of(draws), played_for(draws).aims, 2**30)
    assert 4 * exact.value - 2 == pytest.approx(float(values(draws).at_start[0]), abs=1e-9)
    for game, plain in ((Dare, "at_once"), (Fewest, "first"), (draws, "stand:1")):
        found = dicelab.learn(game, method="turns", games=1000, seed=1)
        path = str(tmp_path / "values.npz")
        found.policy.save(path)
        best = values(game)
        assert mean_loss(best, f"policy:{path}", 40) < mean_loss(best, plain, 40) / 20
        assert list(found.start) == pytest.approx([float(v) for v in best.at_start], abs=0.05)


def test_what_does_not_fit_is_refused(learned, tmp_path):
    found, path = learned
    with pytest.raises(ParameterError, match="learn with --method values"):
        dicelab.learn(PIG, method="turns", games=100, players=3)
    with pytest.raises(ParameterError, match="where one seat loses what the other gains; learn with --method values"):
        played_for(Both())
    with pytest.raises(ParameterError, match="liars-dice hides hands"):
        dicelab.learn("liars-dice", method="turns", games=100)
    with pytest.raises(ParameterError, match="hazard has no choices, so there is nothing to learn"):
        dicelab.learn("hazard", method="turns", games=100)
    with pytest.raises(ParameterError, match=r"other parameters: target 15 .not 20.; learn again"):
        dicelab.simulate(PIG, f"policy:{path}", target=20, games=1)
    arrays = {name: getattr(found.policy, name) for name in policy_file.FORMATS[policy_file.VALUES]}
    wrong = tmp_path / "wrong.npz"
    policy_file.write(wrong, {**found.policy.about, "outer": ["dice"]}, arrays, policy_file.VALUES)
    with pytest.raises(InputError, match="learn again"):
        dicelab.simulate(PIG, f"policy:{wrong}", target=15, games=1)


def test_a_mask_has_an_input_for_each_digit():
    """Two boxes of Yahtzee that are far apart in the mask differ in their own inputs only, and in how large it is."""
    game = dicelab.find("yahtzee")()
    low, high = np.zeros(12, np.int64), np.zeros(12, np.int64)
    high[0] = 8000  # the largest that was met
    spans = ranges_of(game, low, high)
    assert spans.tolist()[0][:3] == [0, 0, 8191]
    found = inputs(spans, np.array([[1] + [0] * 11, [4097] + [0] * 11]))
    assert found.shape[1] == input_count(spans)
    assert (found[0, 16:29] != found[1, 16:29]).tolist() == [False] * 12 + [True]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["turns", "values"])
def test_what_was_interrupted_goes_on_as_if_it_had_not_been(method, tmp_path):
    """Ctrl-C after some of the games keeps a checkpoint, of less than a megabyte, and the result is the same."""
    store, told = tmp_path / "store.db", list[int]()

    def stop(done, total):
        told.append(done)
        if len(told) == 2:
            signal.raise_signal(signal.SIGINT)

    given = {"method": method, "games": 300, "seed": 2, "target": 5}
    part = dicelab.learn(PIG, **given, store=store, progress=stop)
    assert part.interrupted
    assert part.games < 300
    assert store.stat().st_size < 2**20
    whole, alone = dicelab.learn(PIG, **given, store=store), dicelab.learn(PIG, **given)
    assert not whole.interrupted
    assert whole.games == alone.games
    assert (whole.policy.first == alone.policy.first).all()
    assert (whole.policy.second == alone.policy.second).all()
    again = dicelab.learn(PIG, **given, store=store, progress=lambda done, total: pytest.fail("it is kept"))
    assert (again.policy.first == alone.policy.first).all()
    assert type(again.policy) is type(alone.policy)


@pytest.mark.slow
@pytest.mark.parametrize("game", [PIG, "tossup"])
def test_a_learned_player_of_two_loses_at_most_half_a_point(game, tmp_path):
    """Against optimal play, of its chance to win (measured: 0.07 points in Pig, 0.03 in Toss Up!, docs/speed.md)."""
    path = str(tmp_path / "values.npz")
    dicelab.learn(game, method="turns", games=30_000, seed=1).policy.save(path)
    best = valued(Run.of(game).game)
    lost, _ = losses(best, Run.of(game, f"search:1:{path}").calls[0], 60, 1)
    assert mean(lost) + 1.96 * stdev(lost) / 60**0.5 < 0.005


@pytest.mark.slow
def test_in_yahtzee_a_learned_player_averages_above_240():
    """Its mean is what the network says of the start, and the mean of what it says too little of each turn that is
    played (measured: 250.5, docs/speed.md)."""
    network = dicelab.learn("yahtzee", method="turns", games=20_000, seed=1).policy
    turns, start = EstimatedTurns.found(Run.of(network.game), network.goal.aims)
    rows, draws = np.repeat(turns.parts.pack(start), 500, axis=0), np.random.default_rng(1)

    def worth(numbers):
        return network.outputs(numbers)[:, 0]

    total, over = worth(turns.parts.unpack(rows)), False
    with ThreadPoolExecutor(2) as pool:
        while not over:
            known = worth(turns.parts.unpack(rows))
            played = turns.played(rows, worth, np.zeros(500), draws.random((500, MOST_STEPS, 2)), pool)
            total += played.value - known
            rows, over = played.after, played.over.all()
    assert total.mean() - 5 * total.std() / 500**0.5 > 240
