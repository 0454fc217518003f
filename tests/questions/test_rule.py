"""Rules for policies: the best there is where all can be tried, and worth exactly what is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dicelab
from dicelab.errors import InputError
from dicelab.questions.heuristics.features import Feature, features, words
from dicelab.questions.heuristics.move_graph import MoveGraph
from dicelab.questions.heuristics.search import RuleSearch
from dicelab.questions.heuristics.tree import Costs, Leaf, Node, fitted, size
from small_games import Falling, Tokens
from support import GAMES

SMALL = {
    "backgammon": {"setup": "bear-off", "checkers": 1},
    "bear-off-race": {"checkers": 2},
    "farkle": {"target": 300},
    "yahtzee": {"boxes": 2049},
    "tossup": {"target": 8, "dice": 3},
    "pig": {"target": 15},
    "pig-alone": {"target": 20},
    "piglet": {"target": 4},
    "pigs": {"target": 12},
    "pig-two-dice": {"target": 20, "turns_at_most": 2},
    "lcr-wild": {"players": 3, "chips": 1},
    "qualify": {"dice": 3},
    "threes": {"dice": 3},
    "cant-stop": {"sides": 2},
    "cant-stop-race": {"sides": 2, "shortest": 1, "longer": 0, "needed": 1},
    "mexico": {"life": 1},
    "shut-the-box-alone": {"one_die": 2},
    "session": {"bankroll": 3, "goal": 5, "rounds": 3, "most": 2},
}
WANTED = {"yahtzee-turn": "yahtzee", "shut-the-box-alone": "shut", "shut-the-box": "shut", "pig-alone": "fewest:turns"}
WANTED |= {"cant-stop": "fewest:turns", "bear-off": "fewest:rolls"}
TOO_LARGE = {"craps", "line-bets", "yahtzee", "yatzy"}  # a rule for the boxes of yahtzee is not found
TOO_LARGE |= {"cant-stop", "cant-stop-race"}  # under a rule of three leaves its games might never end
LONG = {"session", "yahtzee-box", "shut-the-box"}
CHOICES = [name for name, game in GAMES.items() if game.declared.decisions and name not in TOO_LARGE]


def solved(name, **more):
    """The best play of a game with small parameters."""
    game, given = GAMES[name], SMALL.get(name, {})
    tallies = tuple(game.declared.tallies)
    seated = game(**given).seats != 1 and name not in WANTED
    objective = WANTED.get(name) or (None if seated else f"most:{tallies[0]}")
    return dicelab.solve(game, objective=objective, **{**given, **more}).policy


def nearly_solved(name):
    try:
        return solved(name)
    except dicelab.DicelabError:
        return dicelab.solve(GAMES[name], **SMALL.get(name, {})).policy


@pytest.mark.quick_cases(
    "freeze",
    "hog-choice",
    "last-throw",
    "lose-all",
    "pig-alone",
    "pig-two-dice",
    "relay",
    "session",
    "ship-captain-crew",
    "shut-the-box",
    "threes",
    "tossup",
    "yahtzee-box",
)
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in LONG)) for n in CHOICES])
def test_every_game_with_choices_gets_a_rule(name):
    policy = nearly_solved(name)
    found = dicelab.rule(policy, leaves=3)
    assert 1 <= found.leaves <= 3 * len(policy.game.declared.decisions)  # at most three for each kind of choice
    assert found.lines
    assert 0 <= found.agrees <= 1
    assert 0 <= found.agrees_often <= 1 + 1e-9
    assert found.loss >= 0
    assert [s.seat for s in found.seats] == list(policy.about["seats"])
    assert found.seats[0].best == pytest.approx(policy.about["value"], abs=1e-9)
    sign = -1 if found.objective.startswith("fewest") else 1
    assert all(sign * (s.best - s.rule) >= -1e-9 for s in found.seats), "a rule that is better than the best play"
    assert found.policy.is_whole
    assert all(a[1] > found.loss for a in found.smaller)


@pytest.mark.quick_cases("last-throw-given3")
@pytest.mark.parametrize(
    ("name", "given"),
    [("pig", {"target": 22}), ("tossup", {"target": 12, "dice": 4}), ("piglet", {"target": 5}), ("last-throw", {})],
)
def test_one_threshold_is_the_best_there_is(name, given):
    policy = solved(name, **given) if name != "last-throw" else dicelab.solve(GAMES[name], objective="most:paid").policy
    search = RuleSearch(MoveGraph.of(policy))
    least = min(c.loss for c in search.search(2))
    for number, feature in enumerate(search.features[: search.plain]):
        for threshold in np.unique(feature.values)[1:].tolist():
            for low, high in ((0, 1), (1, 0)):
                tried = search.tried(Node(number, threshold, Leaf((low, high)), Leaf((high, low))))
                assert tried is None or tried.loss >= least - 1e-12


def test_a_policy_that_is_a_rule_is_found_again():
    policy = dicelab.solve(GAMES["lose-all"], objective="most:score").policy
    found = dicelab.rule(policy, leaves=2)
    assert (found.lines, found.loss, found.agrees_often) == (["if points >= 21: hold", "else: throw"], 0, 1)
    assert found.otherwise == "" or "not sensible" in found.otherwise


@pytest.mark.quick_cases("tossup")
@pytest.mark.parametrize("name", ["pig", "tossup", "piglet"])
def test_what_is_said_is_what_exact_says(name, tmp_path):
    policy = solved(name)
    found = dicelab.rule(policy, leaves=3)
    best, kept = str(tmp_path / "best.npz"), str(tmp_path / "rule.npz")
    policy.save(best)
    found.policy.save(kept)
    for told in found.seats:
        line = [f"policy:{best}"] * 2
        line[told.seat] = f"policy:{kept}"
        exact = dicelab.exact(GAMES[name], line, **SMALL[name])
        assert exact.outcomes[str(told.seat)].probability == pytest.approx(told.rule, abs=1e-12)
        answer = dicelab.solve(GAMES[name], f"policy:{kept}", seat=1 - told.seat, **SMALL[name])
        assert told.worst == pytest.approx(1 - answer.value, abs=1e-9)
        assert told.worst <= told.rule + 1e-12
    assert found.loss == pytest.approx(np.mean([s.best - s.rule for s in found.seats]), abs=1e-15)


def test_a_tally_is_counted_as_exact_counts_it(tmp_path):
    policy = solved("pig-alone")
    found = dicelab.rule(policy, leaves=2)
    found.policy.save(tmp_path / "rule.npz")
    exact = dicelab.exact(GAMES["pig-alone"], f"policy:{tmp_path / 'rule.npz'}", **SMALL["pig-alone"])
    assert exact.tallies["turns"].mean == pytest.approx(found.seats[0].rule, abs=1e-9)
    assert found.seats[0].rule >= found.seats[0].best - 1e-12


def test_three_seats(tmp_path):
    policy = solved("lcr-wild")
    found = dicelab.rule(policy, leaves=2)
    policy.save(tmp_path / "best.npz")
    found.policy.save(tmp_path / "rule.npz")
    for told in found.seats:
        line = [f"policy:{tmp_path / 'best.npz'}"] * 3
        line[told.seat] = f"policy:{tmp_path / 'rule.npz'}"
        exact = dicelab.exact(GAMES["lcr-wild"], line, **SMALL["lcr-wild"])
        assert exact.outcomes[str(told.seat)].probability == pytest.approx(told.rule, abs=1e-12)
        assert told.worst is None


def test_against_a_given_strategy(tmp_path):
    policy = dicelab.solve(GAMES["pig"], "hold_at:8", seat=1, target=15).policy
    found = dicelab.rule(policy, leaves=2)
    found.policy.save(tmp_path / "rule.npz")
    exact = dicelab.exact(GAMES["pig"], ["hold_at:8", f"policy:{tmp_path / 'rule.npz'}"], target=15)
    assert [s.seat for s in found.seats] == [1]
    assert exact.outcomes["1"].probability == pytest.approx(found.seats[0].rule, abs=1e-12)


def test_the_same_every_time():
    policy = solved("piglet")
    first, again = (dicelab.rule(policy, leaves=3) for _ in range(2))
    assert replace(first, seconds=0, policy=None) == replace(again, seconds=0, policy=None)


@pytest.mark.slow
def test_more_leaves_lose_no_more():
    policy = solved("pig", target=30)
    lost = [dicelab.rule(policy, leaves=leaves).loss for leaves in (1, 2, 3)]
    assert lost[0] >= lost[1] >= lost[2]


@pytest.mark.slow
def test_the_share_that_is_done_rises():
    shares = []
    dicelab.rule(solved("pig", target=15), leaves=3, share=shares.append)
    assert shares == sorted(set(shares))
    assert (len(shares) >= 5, shares[0], 0.8 < shares[-1] < 1.0) == (True, 0.0, True)


@pytest.mark.parametrize("leaves", [0, -1, 13, 2.5, float("nan"), "four", None, True])
def test_leaves_that_are_refused(leaves):
    policy = solved("piglet")
    with pytest.raises(dicelab.DicelabError, match=r"leaves: .* is not allowed; it takes a whole number, 1 to 12"):
        dicelab.rule(policy, leaves=leaves)


@pytest.mark.parametrize("policy", [None, "best.npz"])
def test_what_is_no_policy_is_refused(policy):
    with pytest.raises(dicelab.DicelabError, match="is not a policy"):
        dicelab.rule(policy)


def test_a_policy_without_what_was_solved_is_refused():
    policy = solved("piglet")
    with pytest.raises(dicelab.DicelabError, match="not written by dicelab solve"):
        dicelab.rule(replace(policy, about={}))


# Trees ---------------------------------------------------------------------------------------------------------------


def all_trees(features, leaves):
    """Every tree of two things to do, by brute force."""
    if leaves == 1:
        return [Leaf((0,)), Leaf((1,))]
    return [
        Node(f, int(t), low, high)
        for f, feature in enumerate(features)
        for t in np.unique(feature.values)[1:]
        for many in range(1, leaves)
        for low in all_trees(features, many)
        for high in all_trees(features, leaves - many)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_trees_of_two_and_three_leaves_are_the_best_there_are(seed):
    rng = np.random.default_rng(seed)
    features = [Feature(name, rng.integers(0, 4, 40)) for name in "ab"]
    costs = Costs(features, rng.random((2, 40)))
    for tree in fitted(costs, 3, [0, 1]):
        least = min(costs.worth(other) for other in all_trees(features, size(tree)))
        assert costs.worth(tree) == pytest.approx(least)


def banks_at_four(game):
    return 1 if game.points >= 4 else 0


def test_a_policy_against_a_function_is_summarised_where_the_function_is_given(tmp_path):
    best = dicelab.solve("tossup", banks_at_four, target=8, dice=3).policy
    best.save(tmp_path / "best.npz")
    read = dicelab.Policy.load(tmp_path / "best.npz", dicelab.find("tossup"))
    found = [dicelab.rule(policy, leaves=2, against=banks_at_four) for policy in (best, read)]
    assert found[0].lines == found[1].lines
    assert found[0].loss == found[1].loss >= 0
    with pytest.raises(
        InputError, match=r"solved against banks_at_four, .*no strategy of that name; a function is given"
    ):
        dicelab.rule(read)
    with pytest.raises(InputError, match=r"against: this policy was solved against banks_at_four, as they were then"):
        dicelab.rule(best, against="one_roll")


def test_moves_may_be_listed_in_any_order():
    found = dicelab.rule(dicelab.solve(Falling, objective="most:points").policy)
    assert (found.seats[0].best, found.seats[0].rule, found.loss) == (9, 9, 0)
    fewest = dicelab.rule(dicelab.solve(Falling, objective="fewest:points").policy)
    assert (fewest.seats[0].best, fewest.lines) == (3, ["1"])


def test_a_move_is_a_seat_only_where_it_is_declared_to_be_one():
    """Tokens 0 and 1 of a game with two seats are no seats, and a row of two numbers is not one for each seat."""
    table = MoveGraph.of(dicelab.solve(Tokens).policy)
    actions = words(table, np.ones(len(table.policy)))
    assert actions.names == ["0", "1"]
    said = {feature.name for feature in features(table, actions)}
    assert {"my at[0]", "their at[1]", "the sum of my at"} <= said
    assert "pair[0]" in said
    assert not {name for name in said if "my pair" in name or "their pair" in name}
