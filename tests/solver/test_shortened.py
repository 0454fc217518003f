"""Strategies that remember only the last choices: what they are, what is gained against them, and what moves lose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dicelab.questions.policies.mixed_policy import mixed_policy
from dicelab.questions.policies.skill.mixed_review import worths_of
from dicelab.rules.game import Call, Game
from dicelab.rules.loading.registry import find
from dicelab.solver.game_tree import histories_of
from dicelab.solver.given_plan import followed, in_all_histories, plans_of
from dicelab.solver.hidden_states import Numbers, all_states
from dicelab.solver.mixed import by_public_regrets, given, given_publicly, noted
from dicelab.solver.public_tree import Forgetful, PublicTree, forgetful, mixtures, public_tree

SIZES = [
    pytest.param({"dice": 1, "faces": 3, "wild": "ones"}, id="one die each"),
    pytest.param({"dice": 2, "second": 1, "faces": 2, "wild": "none"}, id="two dice and one"),
    pytest.param({"dice": 2, "faces": 3, "wild": "ones"}, id="two dice each", marks=pytest.mark.slow),
]
"""Small games of liar's dice."""


def solved(parameters: dict[str, object]) -> tuple[Game, PublicTree, Numbers]:
    game = find("liars-dice")(once=True, **parameters)  # type: ignore[arg-type]
    tree = public_tree(all_states(game, apart=True))
    assert tree is not None
    plans: Any = by_public_regrets(tree, 0.05, lambda: False).plans
    return game, tree, plans


def by_history(tree: PublicTree, averages: Any, kept: Forgetful) -> tuple[Numbers, Numbers]:
    """Averages on the whole tree that are those of the last choices, and the sums that these should be, in plain
    Python.
    """
    whole, sums = np.zeros(tree.numbers), np.zeros(kept.tree.numbers)
    ways = [(0, 0, 0, [np.array(hands) for hands in tree.hands])]
    while ways:
        node, base, short, reach = ways.pop()
        start, many, seat = int(tree.first[node]), len(tree.moves[node]), int(tree.movers[node])
        hands, begin = tree.hands[seat].size, int(kept.begins[short])
        assert kept.ways[short] == kept.ways[short][-kept.last :]
        whole[base : base + many * hands] = kept.averages[begin : begin + many * hands]
        part = averages[base : base + many * hands].astype(float)
        sums[begin : begin + many * hands] += (reach[1 - seat].sum() + 1e-9) * part
        mix = mixtures(averages, base, many, hands)
        for move in range(many):
            to, further = int(tree.targets[start + move]), int(kept.tree.targets[kept.tree.first[short] + move])
            assert (to < 0) == (further < 0)
            if to >= 0:
                after = list(reach)
                after[seat] = reach[seat] * mix[move]
                ways.append((to, base + int(tree.offsets[start + move]), further, after))
    return whole, sums


@pytest.mark.parametrize("last", [2, 3])
@pytest.mark.parametrize("parameters", SIZES)
def test_what_is_gained_is_that_in_the_whole_tree(parameters: dict[str, object], last: int) -> None:
    _, tree, averages = solved(parameters)
    kept = forgetful(tree, averages, last)  # type: ignore[arg-type]
    whole, sums = by_history(tree, averages, kept)
    assert kept.averages == pytest.approx(sums, rel=1e-5)
    found, expected = given_publicly(kept.tree, kept.averages), given_publicly(tree, whole.astype(np.float32))
    assert found.values == pytest.approx(expected.values, abs=1e-6)
    assert found.best == pytest.approx(expected.best, abs=1e-6)


@pytest.mark.parametrize("last", [2, 3])
@pytest.mark.parametrize("parameters", SIZES)
def test_a_file_plays_them_and_knows_what_moves_are_worth(parameters: dict[str, object], last: int) -> None:
    game, tree, averages = solved(parameters)
    kept = forgetful(tree, averages, last)  # type: ignore[arg-type]
    policy = mixed_policy(game, [kept], {"solved": "for a test"})
    assert policy.about["alike"] == tree.situations - (len(policy.row) - 1)
    calls = [Call(policy.strategy, ())] * 2
    short, plays, options = followed(tree, calls, tree.states.games[0])
    everything = histories_of(game, tree.states)
    expected = given(everything, plans_of(everything, calls))
    for found in (given_publicly(short, plays), given_publicly(kept.tree, kept.averages)):
        assert found.values == pytest.approx(expected.values, abs=2e-4)
        assert found.best == pytest.approx(expected.best, abs=2e-4)
    assert given_publicly(short, plays).best == pytest.approx(expected.best, abs=1e-6)
    gets, likely = (sum(np.bincount(options, one, len(policy.weight)) for one in both) for both in parts(short, plays))
    for seat in (0, 1):  # what a best response gets that remembers everything
        answer = given_publicly(tree, in_all_histories(tree, calls, tree.states.games[0], [seat]), [seat])
        reply = given(everything, plans_of(everything, calls, [seat]))
        assert answer.values == pytest.approx(reply.values, abs=1e-6)
        assert answer.values[seat] == pytest.approx(expected.best[seat], abs=1e-6)
        assert answer.best[1 - seat] >= answer.values[1 - seat] - 1e-6
    worths = worths_of(policy)  # by all histories
    assert ((likely == 0) == np.isnan(worths)).all()
    assert gets[likely > 0] / likely[likely > 0] == pytest.approx(worths[likely > 0], abs=1e-6)


def parts(tree: PublicTree, averages: Any) -> list[tuple[Numbers, ...]]:
    return list(zip(*(noted(tree, averages, seat) for seat in (0, 1)), strict=True))
