"""``dicelab compare``: strategies against each other, on the command line."""

from __future__ import annotations

import re
from math import gcd, sqrt
from statistics import NormalDist, fmean, stdev

import pytest

import dicelab as library

SHORT = ["--dice", "2", "--target", "4"]
SEATS = ["-s", "one_roll", "-s", "bank_over:1"]


def half_width(values):
    """Of the interval of a mean: normal, corrected for skewness and for values that are some sixths apart."""
    n, z, sd = len(values), NormalDist().inv_cdf(0.975), stdev(values)
    step = gcd(*(round(6 * (value - values[0])) for value in values)) / 6
    skew = fmean((value - fmean(values)) ** 3 for value in values) / (sd * sqrt((n - 1) / n)) ** 3
    z += z / n * ((z**2 + 1) / 4 + skew**2 * (z**4 + 2 * z**2 - 3) / 18)
    return z * sd / sqrt(n) + step / (2 * n)


@pytest.fixture
def compare(dicelab):
    """Compare on short games, few of them, of a seed."""

    def run(*words):
        few = [] if "--exact" in words else ["--games", "200", "--seed", "3"]
        return dicelab("compare", *words, *(few if "--games" not in words else []))

    return run


@pytest.mark.slow
def test_json_has_the_rows_of_the_design_and_the_pairs(compare):
    said = compare("tossup", *SHORT, *SEATS, "--json")
    data = said.json
    assert (said.status, said.err) == (0, "")
    assert (data["schema"], data["method"], data["game"]) == (2, "compare", "tossup")
    assert (data["strategies"], data["on"]) == (["one_roll", "bank_over:1"], "seat-balanced")
    assert ("exact" in data["rows"][0], data["games"], data["seed"]) == (False, 200, 3)
    assert sorted(row["strategies"] for row in data["rows"]) == sorted(
        [one, other] for one in data["strategies"] for other in data["strategies"]
    )
    for row in data["rows"]:
        assert set(row) >= {"parameters", "strategies", "outcomes", "tallies"}
        assert row["parameters"] == data["parameters"]
        assert row["games"] == 200
    [pair] = data["pairs"]
    assert (pair["first"], pair["second"]) == ("one_roll", "bank_over:1")


@pytest.mark.slow_cases("3")
@pytest.mark.parametrize("players", [2, 3])
def test_the_numbers_by_hand(compare, players):
    """The share of the seats won in each game number, and their difference, from one line-up after the other."""
    data = compare("tossup", *SHORT, *SEATS, "--players", str(players), "--json").json
    by_game = []
    for one, other in (("one_roll", "bank_over:1"), ("bank_over:1", "one_roll")):
        won = []
        for seat in range(players):
            lineup = [one if s == seat else other for s in range(players)]
            played = library.simulate(
                "tossup", lineup, games=200, seed=3, records=True, dice=2, target=4, players=players
            )
            won.append([game[0] == seat for game in played.records.tolist()])
        by_game.append([sum(game) / players for game in zip(*won, strict=True)])
    differences = [one - other for one, other in zip(*by_game, strict=True)]
    [pair] = data["pairs"]
    for key, values in zip(("first_score", "second_score", "difference"), (*by_game, differences), strict=True):
        half = half_width(values)
        told = [pair[key][name] for name in ("value", "low", "high")]
        assert told == pytest.approx([fmean(values), fmean(values) - half, fmean(values) + half], abs=1e-12)


def test_exact_json_has_no_games_and_no_seed(compare):
    data = compare("tossup", *SHORT, *SEATS, "--exact", "--json").json
    assert (data["games"], data["seed"]) == (None, None)
    for row in data["rows"]:
        answer = library.exact("tossup", row["strategies"], dice=2, target=4)
        assert {name: p["probability"] for name, p in row["outcomes"].items()} == {
            name: p.probability for name, p in answer.outcomes.items()
        }
        assert (row["exact"]["states"], row["exact"]["error"]) == (answer.states, answer.error)
    [pair] = data["pairs"]
    chances = {tuple(row["strategies"]): row["outcomes"] for row in data["rows"]}
    ahead = chances["one_roll", "bank_over:1"]["0"]["probability"]
    behind = chances["bank_over:1", "one_roll"]["1"]["probability"]
    assert pair["first_score"]["value"] == pytest.approx((ahead + behind) / 2)


def test_the_library_and_the_command_line_give_the_same(compare):
    found = library.compare("tossup", ["one_roll", "bank_over:1"], games=200, seed=3, dice=2, target=4).to_dict()
    said = compare("tossup", *SHORT, *SEATS, "--json").json
    assert said["pairs"] == found["pairs"]
    assert [{**row, "seconds": 0} for row in said["rows"]] == [{**row, "seconds": 0} for row in found["rows"]]


def test_the_same_seed_gives_the_same_and_a_seed_is_drawn(compare, tiny):
    seats = ["-s", "stop_at:5", "-s", "stop_at:6", "--games", "50", "--json"]
    drawn = compare(tiny(), *seats).json
    again = compare(tiny(), *seats, "--seed", str(drawn["seed"]), "--threads", "2").json
    assert again["pairs"] == drawn["pairs"]
    assert compare(tiny(), *seats).json["seed"] != drawn["seed"]


def test_a_table_for_people(compare):
    said = compare("tossup", *SHORT, *SEATS)
    assert (said.status, said.err) == (0, "")
    for words in ["tossup: dice 2", "line-up", "player 1", "player 2", "one_roll, bank_over:1", "pair"]:
        assert words in said.out
    assert "seat-balanced chance to win (the mean over all seat orders):" in said.out
    assert re.search(
        r"one_roll - bank_over:1 +0\.\d{6} +0\.\d{6} +[+-]0\.\d{6} +-?0\.\d{6} \.\. -?0\.\d{6}\n", said.out
    )
    assert said.out.endswith("\n200 games each, all on the same dice, seed 3\n")


def test_of_three_seats_it_says_who_sits_where(compare):
    out = compare("tossup", *SHORT, *SEATS, "--players", "3", "--exact").out
    assert "the mean over all seat orders, each alone among seats of the other" in out
    assert "one_roll, bank_over:1, bank_over:1" in out
    assert out.endswith("\nexact\n")


@pytest.mark.parametrize("on", ["win", "lose", "throws"])
def test_a_game_of_one_seat_is_compared_on_an_outcome_or_a_tally(compare, tiny, on):
    data = compare(tiny(), "-s", "stop_at:5", "-s", "stop_at:6", "--exact", "--on", on, "--json").json
    assert data["on"] == on
    found = [library.exact(tiny(), seat) for seat in ("stop_at", "stop_at:6")]
    values = [r.tallies["throws"].mean if on == "throws" else r.outcomes[on].probability for r in found]
    [pair] = data["pairs"]
    assert [pair["first_score"]["value"], pair["second_score"]["value"]] == pytest.approx(values)
    assert pair["difference"]["value"] == pytest.approx(values[0] - values[1])
    text = compare(tiny(), "-s", "stop_at:5", "-s", "stop_at:6", "--exact", "--on", on).out
    assert re.search(rf"(?m)^pair +{on} +against +difference$", text)


def test_simulated_and_exact_agree(compare, tiny):
    words = [tiny(), "-s", "stop_at:5", "-s", "stop_at:6", "-s", "stop_at:3", "--json"]
    simulated, exact = compare(*words).json, compare(*words, "--exact").json
    for estimate, truth in zip(simulated["pairs"], exact["pairs"], strict=True):
        for key in ("first_score", "second_score", "difference"):
            half = (estimate[key]["high"] - estimate[key]["low"]) / 2
            assert abs(estimate[key]["value"] - truth[key]["value"]) < 2.2 * half


@pytest.mark.slow
def test_what_a_file_prints_does_not_mix_with_the_result(shell, tiny):
    noisy = tiny("class Move", 'print("hello")\n\n\nclass Move')
    said = shell("compare", noisy, "-s", "stop_at:5", "-s", "stop_at:6", "--exact", "--json")
    assert (said.status, said.json["method"]) == (0, "compare")


def test_a_line_up_that_fails_leaves_those_before_it_and_is_a_failure(compare, tiny):
    endless = tiny("self.points += face", "self.points += face if self.points != 6 else 0")
    words = [endless, "--exact", *(word for n in (5, 6, 7) for word in ("-s", f"stop_at:{n}"))]
    said = compare(*words, "--json")
    assert said.status == 1
    assert [row["strategies"] for row in said.json["rows"]] == [["stop_at:5"], ["stop_at:6"]]
    assert said.json["refused"] in said.err
    assert said.error.startswith("tiny: from some states the game never ends")
    assert compare(*words).status == 1


def test_an_interruption_keeps_what_was_finished(compare, monkeypatch, tiny):
    from dicelab.questions.exact import exact

    def stopped(game, strategies, **more):
        if [str(one) for one in strategies] == ["stop_at:3"]:
            raise KeyboardInterrupt
        return exact(game, strategies, **more)

    monkeypatch.setattr("dicelab.questions.compare.solve_exactly", stopped)
    seats = ["-s", "stop_at:5", "-s", "stop_at:6", "-s", "stop_at:3"]
    said = compare(tiny(), *seats, "--exact", "--json")
    assert said.status == 130
    assert said.json["interrupted"] is True
    assert len(said.json["rows"]) == 2
    assert [(pair["first"], pair["second"]) for pair in said.json["pairs"]] == [("stop_at:5", "stop_at:6")]
    text = compare(tiny(), *seats, "--exact")
    assert text.status == 130
    assert text.out.endswith("exact; stopped before the end\n")


def test_the_options_are_those_of_comparing(dicelab):
    """Without what makes no sense here; and --strategy is not what it is elsewhere, one for each seat."""
    text = dicelab("compare", "tossup", "--help").out
    for option in ("--strategy", "--exact", "--memory", "--on", "--games", "--seed", "--threads", "--plot", "--json"):
        assert option in text
    for option in ("--precision", "--histogram", "--given"):
        assert option not in text


def test_help_says_that_strategies_are_compared_and_do_not_sit_in_seats(dicelab):
    assert "one for all seats" not in dicelab("compare", "--help").out
