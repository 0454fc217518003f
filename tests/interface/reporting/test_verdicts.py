"""Verdicts of reports, in sentences, against exact answers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import dicelab
from dicelab.games.tossup import TossUp
from dicelab.interface.reporting import sections
from dicelab.results.numbers.estimates import Point
from dicelab.runtime.lineup import Run

SMALL = {"target": 6, "dice": 2}


def pair(first, second, low, high):
    return SimpleNamespace(first=first, second=second, difference=Point((low + high) / 2, low, high))


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([pair("a", "b", 0.1, 0.2), pair("a", "c", 0.1, 0.2), pair("b", "c", -1, 1)], "a dominates"),
        ([pair("a", "b", -0.2, -0.1)], "b dominates"),
        ([pair("a", "b", -0.1, 0.1)], "No strategy is shown to beat all others; a, b are not beaten."),
        (
            [pair("a", "b", 0.1, 0.2), pair("b", "c", 0.1, 0.2), pair("a", "c", -0.2, -0.1)],
            "No strategy dominates: each is beaten by another.",
        ),
        ([], ""),
    ],
)
def test_a_strategy_dominates_that_beats_each_other_one(pairs, said):
    assert sections.dominance(SimpleNamespace(pairs=pairs, interrupted=False)).startswith(said)
    assert bool(said) == bool(sections.dominance(SimpleNamespace(pairs=pairs, interrupted=False)))


@pytest.mark.slow
def test_fairness_is_told_for_experts_and_for_casual_players():
    told = sections.for_whom(TossUp(**SMALL), None)
    value = dicelab.solve("tossup", **SMALL).value
    assert f"If everybody plays best, player 1 wins {100 * value:.1f} %" in told[0]
    assert told[-1] == "It is unfair for experts and for casual players."


def test_fair_for_some_and_unfair_for_others_is_told_apart():
    told = sections.fairness(TossUp(**SMALL), [0.5, 0.5], [0.55, 0.45])
    assert told[0] == "If everybody plays best, all seats win equally often."
    assert told[-1] == "It is practically fair for experts, and unfair for casual players."


def test_the_best_play_is_measured_against_the_strategy_that_plays():
    run = Run.of("tossup", ["one_roll"], **SMALL)
    value = dicelab.solve("tossup", ["one_roll"], **SMALL).value
    assert f"Against a player of one_roll the best play wins {100 * value:.1f} % of games" in sections.skill(run, None)


@pytest.mark.slow
def test_the_share_of_luck_is_that_of_luck():
    run = Run.of("tossup", ["bank_over:2", "one_roll"], **SMALL)
    found = dicelab.luck("tossup", ["bank_over:2", "one_roll"], games=500, seed=3, **SMALL)
    share = sum(row.share for row in found.rows) / 2
    told = sections.of_luck(run, 500, 3, None, lambda *_: None)
    assert f"Among bank_over:2, one_roll, {100 * share:.1f} % of what decides is luck" in told


def test_length_has_its_usual_range():
    result = dicelab.exact("hazard")
    tally = result.tallies["throws"]
    said = f"one in ten takes {tally.percentile(0.1)} or fewer, and one in ten {tally.percentile(0.9)} or more."
    assert sections.length(result) == f"A game takes {tally.mean:.1f} rolls on average; {said}"
