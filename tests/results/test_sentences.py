"""The first line of every result is a sentence that answers its question."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import dicelab
from dicelab.results.numbers.estimates import Point, Proportion
from dicelab.results.text.sentences import amount, how_it_ends, number, percent, points, who_wins


def exactly(*chances: float) -> list[Point]:
    return [Point(p, p, p) for p in chances]


def estimated(*counts: int) -> list[Point]:
    return [Point(share.probability, *share.interval) for share in (Proportion(count, sum(counts)) for count in counts)]


@pytest.mark.parametrize(
    ("chances", "sentence"),
    [
        ((0.6, 0.4), "The first of two players wins more often: 60.0 %, against 40.0 % for the second."),
        ((0.5, 0.5), "Both players win equally often: 50.0 %."),
        ((0.25,) * 4, "All four players win equally often: 25.0 %."),
        (
            (0.4, 0.4, 0.2),
            "The first and second of three players win most often: 40.0 % each, against 20.0 % for the third.",
        ),
        (
            (0.4, 0.3, 0.3),
            "The first of three players wins most often: 40.0 %, against 30.0 % each for the second and third.",
        ),
        ((1.0, 0.0), "The first of two players always wins."),
        ((1.0,), "The only player always wins."),
        (
            (0.250001, 0.249999),
            "The first of two players wins more often: 25.0001 %, against 24.9999 % for the second.",
        ),
    ],
)
def test_who_wins_is_said_with_ties_and_with_as_many_digits_as_tell_apart(chances, sentence):
    assert who_wins(exactly(*chances), exact=True) == sentence


def test_players_with_names_are_called_by_them():
    sentence = who_wins(exactly(0.6, 0.4), True, ("attacker", "Blue"))
    assert sentence == "The attacker wins more often: 60.0 %, against 40.0 % for Blue."


def test_an_interval_that_is_too_wide_says_so():
    assert who_wins(estimated(52, 48), exact=False) == "Too few games to tell who wins more often (±10 points)."
    assert who_wins(estimated(1, 0), exact=False).startswith("Too few games to tell who wins more often")
    wide = [Point(0.5, 0.0, 1.0), Point(0.5, 0.0, 1.0)]
    assert who_wins(wide, exact=True) == "The bound on the error is too wide to tell who wins more often."


def test_the_first_may_be_ahead_of_the_last_and_not_of_all():
    sentence = who_wins(estimated(4000, 3900, 2100), exact=False)
    assert sentence.startswith("The first of three players wins more often than the third: 40.0 % against 21.0 %")
    assert sentence.endswith("too few games to tell who wins most often.")


def test_many_seats_are_ordinals():
    chances = [0.019] * 49 + [1 - 49 * 0.019]
    assert who_wins(exactly(*chances), True).startswith("The 50th of 50 players wins most often: 6.90 %")


def test_outcomes_that_are_not_seats():
    assert how_it_ends(["shut", "open"], exactly(0.5, 0.5), True) == (
        "The outcomes shut and open are equally likely: 50.0 % each."
    )
    assert how_it_ends(["ruined"], exactly(1.0), True) == "Every game ends with the outcome ruined."
    assert how_it_ends(["a", "b"], estimated(5, 5), False).startswith("Too few games to tell which outcome")
    assert how_it_ends(["win", "draw", "lose"], exactly(0.4, 0.2, 0.4), True) == "The player wins 40.0 % of games."


def test_money_is_won_or_lost_or_it_cannot_be_told():
    assert amount("money", Point(-2.5, -3.0, -2.0), None) == "The player loses 2.50 a game on average (±0.50)."
    assert amount("money", Point(0.1, -0.4, 0.6), None) == (
        "Too few games to tell whether the player wins or loses on average (±0.500 a game)."
    )
    assert amount("money", Point(0.0, 0.0, 0.0), None) == "The player neither wins nor loses on average."


@pytest.mark.parametrize("value", [0.1, 0.01234, 5.55, 66.6, 12345.0])
def test_numbers_keep_three_digits(value):
    assert float(number(value).replace(",", "")) == pytest.approx(value, rel=0.005)


@pytest.mark.parametrize("p", [0.9999999, 0.5, 1e-7, 0.0005, 0.0, 1.0, 0.999])
def test_a_probability_is_certain_only_if_it_is(p):
    assert (percent(p) in ("0 %", "100 %")) == (p in (0.0, 1.0))


def test_half_widths():
    assert points((0.0, 1.0)) == "±50 points"
    assert points((0.4, 0.5)) == "±5.0 points"


def test_every_form_of_a_result_begins_with_its_summary():
    found = dicelab.exact("lcr", players=3)
    assert found.summary == "The third of three players wins most often: 36.5 %, against 30.7 % for the first."
    assert found.text().splitlines()[0] == found.summary
    assert json.loads(found.to_json())["summary"] == found.summary
    assert found._repr_html_().startswith(f"<div>{found.summary}</div>")


def test_tallies_only():
    found = dicelab.exact("yahtzee", boxes=1)
    assert found.summary.startswith("The mean of score is ")


def test_few_games_and_no_games():
    few = dicelab.simulate("tossup", games=20, seed=1)
    assert few.summary.startswith("Too few games to tell who wins more often")
    assert sum(Counter(few.tallied.counts).values()) >= 1


def test_labels_stand_beside_the_indices_of_seats():
    found = dicelab.exact("lcr", players=2, coins=1).to_dict()
    assert [row["label"] for row in found["outcomes"].values()] == ["player 1", "player 2"]
    assert list(found["outcomes"]) == ["0", "1"]


def test_compare_says_which_is_best_or_that_it_cannot():
    best = dicelab.compare("tossup", ["one_roll", "bank_over:5"], target=8, dice=2, exact=True)
    assert best.summary.startswith("bank_over:5 is best: against one_roll it wins 77.8 %")
    few = dicelab.compare("tossup", ["bank_over:20", "bank_over:21"], games=20, seed=1)
    assert few.summary == "Too few games to tell which strategy is best."
