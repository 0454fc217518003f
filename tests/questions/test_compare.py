"""Strategies against each other: who plays whom, and the scores, each by hand from the games themselves."""

from __future__ import annotations

import json
import math
import pickle
from collections import Counter
from itertools import combinations
from statistics import NormalDist, fmean, stdev

import pytest
from scipy.stats import binomtest

import dicelab
from dicelab.errors import InputError, ParameterError, PlayError, UnknownNameError
from dicelab.results.base import head
from dicelab.results.numbers.estimates import Average
from support import GAMES, ROOT

GAMES_PLAYED, SEED = 150, 11
SHORT = {"dice": 2, "target": 4}
STRATEGIES = ["one_roll", "bank_over:1", "bank_over_or_win:2"]
Z = NormalDist().inv_cdf(0.975)
TINY = str(ROOT / "tests" / "interface" / "cli" / "tiny.py")


def compare(game, strategies, **more):
    settings = {} if more.get("exact") else {"games": GAMES_PLAYED, "seed": SEED}
    return dicelab.compare(game, strategies, **settings | more)


def games_of(lineup, **parameters):
    """Every game of a line-up on the same dice: (outcome, tallies...)."""
    game = parameters.pop("game", "tossup")
    settings = {"games": GAMES_PLAYED, "seed": SEED, "records": True, "engine": "reference"}
    return dicelab.simulate(game, list(lineup), **settings, **parameters).records.tolist()


def alone_in_each_seat(one, other, seats):
    return [(other,) * seat + (one,) + (other,) * (seats - 1 - seat) for seat in range(seats)]


def wins_by_hand(one, other, seats, **parameters):
    """For each game number the share of the seats in which `one` won."""
    by_seat = []
    for seat, lineup in enumerate(alone_in_each_seat(one, other, seats)):
        by_seat.append([game[0] == seat for game in games_of(lineup, **parameters)])
    return [sum(won) / seats for won in zip(*by_seat, strict=True)]


def interval_by_hand(values):
    """The normal interval, corrected for skewness and for values that are some steps apart."""
    step = math.gcd(*(round(6 * (value - values[0])) for value in values)) / 6
    n, mean, sd = len(values), fmean(values), stdev(values)
    skew = fmean((value - mean) ** 3 for value in values) / (sd * math.sqrt((n - 1) / n)) ** 3
    corrected = Z + Z / n * ((Z**2 + 1) / 4 + skew**2 * (Z**4 + 2 * Z**2 - 3) / 18)
    half = corrected * sd / math.sqrt(n) + step / (2 * n)
    return mean, mean - half, mean + half


def share_by_hand(values):
    interval = binomtest(sum(values), len(values)).proportion_ci(method="exact")
    return fmean(values), interval.low, interval.high


def numbers(score):
    return pytest.approx((score.value, score.low, score.high), abs=1e-12)


@pytest.fixture(scope="module")
def two():
    return compare("tossup", STRATEGIES, **SHORT)


@pytest.fixture(scope="module")
def two_exact():
    return compare("tossup", STRATEGIES, exact=True, **SHORT)


@pytest.fixture(scope="module")
def three():
    return compare("tossup", STRATEGIES[:2], players=3, **SHORT)


@pytest.fixture(scope="module")
def three_exact():
    return compare("tossup", STRATEGIES[:2], players=3, exact=True, **SHORT)


@pytest.fixture(scope="module")
def solo():
    return compare(TINY, ["stop_at", "stop_at:6", "stop_at:1"])


# Who plays whom ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_in_two_seats_every_strategy_plays_itself_and_every_other_both_ways_round(two):
    expected = {(one, other) for one in STRATEGIES for other in STRATEGIES}
    assert Counter(tuple(row.strategies) for row in two.rows) == Counter(expected)
    assert [(pair.first, pair.second) for pair in two.pairs] == list(combinations(STRATEGIES, 2))


def test_in_three_seats_each_is_alone_in_every_seat_among_the_other(three):
    one, other = STRATEGIES[:2]
    expected = [(one,) * 3, (other,) * 3]
    expected += alone_in_each_seat(one, other, 3) + alone_in_each_seat(other, one, 3)
    assert Counter(tuple(row.strategies) for row in three.rows) == Counter(expected)


def test_in_one_seat_every_strategy_plays_alone(solo):
    assert [row.strategies for row in solo.rows] == [["stop_at:5"], ["stop_at:6"], ["stop_at:1"]]
    assert len(solo.pairs) == 3


def test_default_arguments_are_spelled_out():
    assert compare(TINY, ["stop_at", "stop_at:6"]).strategies == ["stop_at:5", "stop_at:6"]


# Scores by hand ------------------------------------------------------------------------------------------------------


@pytest.mark.quick_cases("2")
@pytest.mark.parametrize("pair", range(3))
def test_the_seat_balanced_score_is_the_mean_over_both_seats(two, pair):
    found = two.pairs[pair]
    ones = wins_by_hand(found.first, found.second, 2, **SHORT)
    others = wins_by_hand(found.second, found.first, 2, **SHORT)
    assert interval_by_hand(ones) == numbers(found.scores[0])
    assert interval_by_hand(others) == numbers(found.scores[1])


def test_the_seat_balanced_score_is_the_mean_over_all_three_seats(three):
    [found] = three.pairs
    for score, names in zip(found.scores, ((found.first, found.second), (found.second, found.first)), strict=True):
        assert interval_by_hand(wins_by_hand(*names, 3, **SHORT, players=3)) == numbers(score)


@pytest.mark.slow_cases("3")
@pytest.mark.parametrize("seats", [2, 3])
def test_the_interval_of_a_difference_is_that_of_games_paired_by_their_number(two, three, seats):
    found = (two if seats == 2 else three).pairs[0]
    parameters = {**SHORT, "players": seats}
    ones = wins_by_hand(found.first, found.second, seats, **parameters)
    others = wins_by_hand(found.second, found.first, seats, **parameters)
    differences = [one - other for one, other in zip(ones, others, strict=True)]
    assert interval_by_hand(differences) == numbers(found.difference)


def test_pairing_narrows_the_interval_where_luck_is_shared(solo):
    found = solo.pairs[0]
    ones, others = ([game[0] == 0 for game in games_of([s], game=TINY)] for s in (found.first, found.second))
    differences = [one - other for one, other in zip(ones, others, strict=True)]
    value, low, high = interval_by_hand(differences)
    assert (found.difference.value, found.difference.high) == pytest.approx((value, high))
    assert -1 < found.difference.low < low, "skewed that way: by the bounds"
    apart = Z * math.sqrt((stdev(ones) ** 2 + stdev(others) ** 2) / GAMES_PLAYED)
    assert high - value < 0.7 * apart


@pytest.mark.parametrize(("on", "column", "outcome"), [("win", 0, 0), ("lose", 0, 1), ("throws", 1, None)])
def test_in_one_seat_the_scores_are_about_an_outcome_or_the_mean_of_a_tally(on, column, outcome):
    found = compare(TINY, ["stop_at", "stop_at:6"], on=on)
    [pair] = found.pairs
    assert found.on == on
    for strategy, score in zip(("stop_at", "stop_at:6"), pair.scores, strict=True):
        values = [game[column] for game in games_of([strategy], game=TINY)]
        if outcome is None:
            assert (score.low, score.high) == pytest.approx(Average(Counter(values)).interval)
        else:
            assert share_by_hand([value == outcome for value in values]) == numbers(score)


def test_the_first_outcome_is_compared_where_nothing_is_said(solo):
    assert solo.on == "win"


def test_the_first_tally_is_compared_in_a_game_without_outcomes(tmp_path):
    text = (ROOT / "tests" / "interface" / "cli" / "tiny.py").read_text()
    before, _, rest = text.replace('("win", "lose")', "()").partition("    def outcome(self)")
    file = tmp_path / "tiny.py"
    file.write_text(before + "\n\n" + rest[rest.index("@strategy") :])
    for exact in (True, False):
        found = compare(str(file), ["stop_at", "stop_at:6"], exact=exact)
        assert found.on == "throws"
        assert [s.value for s in found.pairs[0].scores] == [row.tallies["throws"].mean for row in found.rows]


def test_a_game_with_neither_outcomes_nor_tallies_is_refused(tmp_path):
    text = (ROOT / "tests" / "interface" / "cli" / "tiny.py").read_text().replace('("win", "lose")', "()")
    before, _, rest = text.partition("    def outcome(self)")
    kept = (before + "\n\n" + rest[rest.index("@strategy") :]).splitlines()
    file = tmp_path / "tiny.py"
    file.write_text("\n".join(line for line in kept if "throws" not in line))
    with pytest.raises(ParameterError, match="has neither outcomes nor tallies"):
        compare(str(file), ["stop_at", "stop_at:6"], exact=True)


def test_the_rows_are_what_simulate_gives_for_the_same_seed(two):
    for row in two.rows:
        again = dicelab.simulate("tossup", row.strategies, games=GAMES_PLAYED, seed=SEED, **SHORT)
        assert (again.tallied.counts, again.tallied.histograms) == (row.tallied.counts, row.tallied.histograms)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_comparison_and_another_one_another(two):
    def told(comparison):
        return [pair.to_dict() for pair in comparison.pairs]

    again = compare("tossup", STRATEGIES, threads=1, **SHORT)
    assert told(again) == told(two)
    assert told(compare("tossup", STRATEGIES, seed=SEED + 1, **SHORT)) != told(two)


def test_a_seed_that_is_not_given_is_drawn_and_told():
    found = compare(TINY, ["stop_at", "stop_at:6"], seed=None)
    again = compare(TINY, ["stop_at", "stop_at:6"], seed=found.seed)
    assert found.seed != compare(TINY, ["stop_at", "stop_at:6"], seed=None).seed
    assert [pair.to_dict() for pair in again.pairs] == [pair.to_dict() for pair in found.pairs]


def test_the_order_in_which_strategies_are_named_only_turns_the_pairs_round(two):
    for backwards in compare("tossup", STRATEGIES[::-1], **SHORT).pairs:
        [pair] = [p for p in two.pairs if (p.first, p.second) == (backwards.second, backwards.first)]
        assert backwards.scores == pair.scores[::-1]
        assert backwards.difference.value == pytest.approx(-pair.difference.value)
        assert backwards.difference.low == pytest.approx(-pair.difference.high)


# Exactly -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3])
def test_exact_scores_are_means_of_exact_chances(two_exact, three_exact, seats):
    for pair in (two_exact if seats == 2 else three_exact).pairs:
        scores = []
        for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
            chances = [
                dicelab.exact("tossup", list(lineup), players=seats, **SHORT).outcomes[str(seat)].fraction
                for seat, lineup in enumerate(alone_in_each_seat(one, other, seats))
            ]
            scores.append(sum(chances) / seats)
        assert [score.value for score in pair.scores] == pytest.approx([float(score) for score in scores], rel=1e-14)
        assert pair.difference.value == pytest.approx(float(scores[0] - scores[1]), rel=1e-13)
        assert all(s.low == s.value == s.high for s in (*pair.scores, pair.difference)), "fractions have no error"


def test_exact_scores_in_floating_point_have_bounds(limits):
    fractions = compare(TINY, ["stop_at", "stop_at:6"], exact=True).pairs[0]
    limits(fraction_states=0)
    floats = compare(TINY, ["stop_at", "stop_at:6"], exact=True).pairs[0]
    for exactly, score in zip(
        (*fractions.scores, fractions.difference), (*floats.scores, floats.difference), strict=True
    ):
        assert score.low < exactly.value < score.high
        assert score.high - score.low < 1e-9


def test_the_bounds_of_a_chance_are_those_of_the_chance(limits, tmp_path):
    limits(fraction_states=0)
    text = (ROOT / "tests" / "interface" / "cli" / "tiny.py").read_text()
    (tmp_path / "tiny.py").write_text(text.replace("self.throws += 1", "self.throws += 1_000_000_000"))
    [pair] = compare(str(tmp_path / "tiny.py"), ["stop_at", "stop_at:6"], exact=True).pairs
    assert all(score.high - score.low < 1e-9 for score in (*pair.scores, pair.difference))


@pytest.mark.slow_cases("2")
@pytest.mark.parametrize("seats", [2, 3])
def test_simulated_and_exact_scores_agree(two, two_exact, three, three_exact, seats):
    simulated, exact = (two, two_exact) if seats == 2 else (three, three_exact)
    for estimate, truth in zip(simulated.pairs, exact.pairs, strict=True):
        assert (estimate.first, estimate.second) == (truth.first, truth.second)
        for guess, known in zip(
            (*estimate.scores, estimate.difference), (*truth.scores, truth.difference), strict=True
        ):
            error = (guess.high - guess.low) / 2 / Z
            assert abs(guess.value - known.value) < 4 * error


def test_in_two_seats_the_scores_of_a_pair_make_one(two, two_exact):
    for pair in (*two.pairs, *two_exact.pairs):
        assert pair.scores[0].value + pair.scores[1].value == pytest.approx(1)


def test_in_three_seats_they_do_not(three_exact):
    [pair] = three_exact.pairs
    assert abs(pair.scores[0].value + pair.scores[1].value - 1) > 0.01


def test_a_strategy_that_plays_as_the_other_does_has_no_lead():
    """One die that is always green: both bank the point that wins after one roll, so that seat 0 always wins."""
    [pair] = compare("tossup", ["bank_over:0", "one_roll"], dice=1, red=0, yellow=0, target=1, exact=True).pairs
    assert pair.difference.value == 0
    assert [score.value for score in pair.scores] == [0.5, 0.5]


# As data and as text -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["two", "two_exact", "three", "three_exact", "solo"])
def test_plain_data_has_the_keys_of_the_design(request, name):
    found = request.getfixturevalue(name)
    data = found.to_dict()
    assert set(data) == {*head("compare"), "summary", "on", "rows", "pairs"}
    assert (data["schema"], data["method"], data["games"] is None) == (2, "compare", found.exact)
    assert all(("exact" in row) is found.exact for row in data["rows"])
    assert data["version"] == dicelab.__version__
    assert len(data["rows"]) == len(found.rows)
    for row, result in zip(data["rows"], found.rows, strict=True):
        assert set(row) >= {"parameters", "strategies", "outcomes", "tallies"}
        assert (row["games"] is None) is found.exact
        whole = result.to_dict()
        assert row == {key: whole[key] for key in row}
    for pair in data["pairs"]:
        assert set(pair) == {"first", "second", "first_score", "second_score", "difference"}
        for key in ("first_score", "second_score", "difference"):
            assert set(pair[key]) == {"value", "low", "high"}
            assert pair[key]["low"] <= pair[key]["value"] <= pair[key]["high"]
    assert json.loads(found.to_json(), parse_constant=pytest.fail) == data


@pytest.mark.parametrize("name", ["two", "three_exact", "solo"])
def test_a_frame_has_a_row_for_each_pair(request, name):
    pytest.importorskip("pandas")
    found = request.getfixturevalue(name)
    table = found.to_frame()
    columns = [f"{who}_{key}" for who in ("first", "second", "difference") for key in ("value", "low", "high")]
    assert list(table.columns) == ["first", "second", *columns]
    assert table["first"].tolist() == [pair.first for pair in found.pairs]
    assert table["difference_low"].tolist() == [pair.difference.low for pair in found.pairs]
    assert table["second_value"].tolist() == [pair.scores[1].value for pair in found.pairs]


@pytest.mark.parametrize("name", ["two", "two_exact", "three", "three_exact", "solo"])
def test_text_tells_line_ups_and_pairs(request, name):
    found = request.getfixturevalue(name)
    text = str(found)
    heads = [block.splitlines() for block in text.split("\n\n") if block.startswith(("line-up", "pair "))]
    assert len(heads) == 2
    for table in heads:
        assert len({len(line) for line in table}) == 1, "the last column ends at one place"
    assert len(heads[0]) == 1 + len(found.rows)
    assert len(heads[1]) == 1 + len(found.pairs)
    for pair, line in zip(found.pairs, heads[1][1:], strict=True):
        assert line.startswith(f"{pair.first} - {pair.second}")
        assert f"{pair.scores[0].value:.6f}" in line
        assert f"{pair.difference.value:+.6f}" in line
        assert (f"{pair.difference.low:.6f} .. {pair.difference.high:.6f}" in line) is not found.exact
    assert ("player 1" in heads[0][0]) == (found.on == "seat-balanced")
    assert ("each alone among seats of the other" in text) == name.startswith("three")
    told = "exact" if found.exact else f"{GAMES_PLAYED:,} games each, all on the same dice, seed {SEED}"
    assert text.splitlines()[-1] == told
    assert "<table>" in found._repr_html_()


@pytest.mark.parametrize("name", ["two", "two_exact", "solo"])
def test_a_comparison_survives_a_pickle(request, name):
    found = request.getfixturevalue(name)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.to_json() == found.to_json()
    assert str(again) == str(found)


def test_progress_is_told_line_up_by_line_up():
    told = []
    compare(TINY, ["stop_at", "stop_at:6"], progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]


# Interruption --------------------------------------------------------------------------------------------------------


@pytest.mark.slow_cases("0-0-True", "5-1-False", "8-2-False")
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("finished", "pairs"), [(0, 0), (4, 0), (5, 1), (8, 2)])
def test_an_interruption_leaves_the_line_ups_and_pairs_that_were_finished(two, exact, finished, pairs):
    """Three times a strategy against itself, then two line-ups for each pair."""

    def stop(done, total):
        if done == finished:
            raise KeyboardInterrupt

    found = compare("tossup", STRATEGIES, exact=exact, progress=stop, **SHORT)
    assert found.interrupted
    assert found.to_dict()["interrupted"] is True
    assert len(found.rows) == finished
    assert len(found.pairs) == pairs
    assert [row.strategies for row in found.rows] == [row.strategies for row in two.rows[:finished]]
    assert "stopped before the end" in str(found)
    if not exact:
        assert [pair.to_dict() for pair in found.pairs] == [pair.to_dict() for pair in two.pairs[:pairs]]


@pytest.mark.slow
def test_a_line_up_that_was_interrupted_itself_is_not_counted(monkeypatch):
    """Its games are fewer than the others', so nothing could be paired with them."""
    from dicelab.questions.simulate import simulate

    def slow(*words, **more):
        def stop(played, wanted):
            raise KeyboardInterrupt

        return simulate(*words, **more, progress=stop if [*map(str, words[1])] == ["stop_at:6"] else None)

    monkeypatch.setattr("dicelab.questions.compare.simulate", slow)
    found = compare(TINY, ["stop_at", "stop_at:6", "stop_at:1"], games=100_000)
    assert found.interrupted
    assert [row.strategies for row in found.rows] == [["stop_at:5"]]
    assert found.pairs == []


BROKEN = [
    # With stop_at:7 a game may come to 6 points, from which it never goes on: no exact answer.
    (True, "self.points += face if self.points != 6 else 0", "the game never ends"),
    (False, "self.points += face if self.points != 6 else 1 // 0", "ZeroDivisionError"),
]


@pytest.mark.parametrize(("exact", "rule", "told"), BROKEN)
def test_a_line_up_that_goes_wrong_leaves_those_before_it(tmp_path, exact, rule, told):
    text = (ROOT / "tests" / "interface" / "cli" / "tiny.py").read_text().replace("self.points += face", rule)
    (tmp_path / "tiny.py").write_text(text)
    file = str(tmp_path / "tiny.py")
    found = compare(file, ["stop_at", "stop_at:6", "stop_at:7"], exact=exact)
    assert not found.interrupted
    assert [row.strategies for row in found.rows] == [["stop_at:5"], ["stop_at:6"]]
    assert [(pair.first, pair.second) for pair in found.pairs] == [("stop_at:5", "stop_at:6")]
    assert told in found.refused
    assert found.to_dict()["refused"] == found.refused
    assert " ".join(str(found).split()).endswith(found.refused)
    with pytest.raises(PlayError, match=told):
        compare(file, ["stop_at:7", "stop_at"], exact=exact)


# What is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.cases(
    ("game", "strategies", "more", "error", "told"),
    [
        ("tossup", [], {}, ParameterError, "two or more different strategies"),
        ("tossup", ["one_roll"], {}, ParameterError, "two or more different strategies"),
        ("tossup", "one_roll", {}, ParameterError, "two or more different strategies"),
        ("tossup", ["one_roll", "one_roll"], {}, ParameterError, "two or more different strategies"),
        ("tossup", ["one_roll", "one_rol"], {}, UnknownNameError, "did you mean 'one_roll'"),
        ("tossup", ["one_roll", "bank_over:x"], {}, ParameterError, "points: 'x'"),
        ("tossup", ["one_roll", "bank_over:1001"], {}, ParameterError, "0 to 1000"),
        ("tossup", ["one_roll", None], {}, InputError, "None"),
        ("tossup", ["one_roll", 5], {}, InputError, "5"),
        ("hazard", ["one", "other"], {}, ParameterError, "hazard has no choices"),
        ("hazzard", ["one", "other"], {}, UnknownNameError, "did you mean 'hazard'"),
        (None, ["one", "other"], {}, InputError, "None is not a game"),
        ("tossup", STRATEGIES, {"on": "0"}, ParameterError, "on is for games of one seat; tossup has 2"),
        ("tossup", STRATEGIES, {"on": "turns", "exact": True}, ParameterError, "on is for games of one seat"),
        ("tossup", STRATEGIES, {"players": 9}, ParameterError, "players: 9"),
        ("tossup", STRATEGIES, {"plyers": 3}, UnknownNameError, "did you mean 'players'"),
        ("tossup", STRATEGIES, {"games": 0}, ParameterError, "games: 0"),
        ("tossup", STRATEGIES, {"games": 1.5}, ParameterError, r"games: 1\.5"),
        ("tossup", STRATEGIES, {"seed": -1}, ParameterError, "seed: -1"),
        ("tossup", STRATEGIES, {"threads": 0}, ParameterError, "threads: 0"),
        (TINY, ["stop_at", "stop_at:6"], {"on": "wn"}, UnknownNameError, "did you mean 'win'"),
        (TINY, ["stop_at", "stop_at:6"], {"on": "throw", "exact": True}, UnknownNameError, "did you mean 'throws'"),
    ],
)
def test_what_makes_no_sense_is_refused(game, strategies, more, error, told):
    with pytest.raises(error, match=told):
        compare(game, strategies, **more)


def test_a_game_of_several_seats_whose_outcomes_are_no_seats_can_not_be_compared(tmp_path):
    text = (ROOT / "tests" / "interface" / "cli" / "tiny.py").read_text()
    (tmp_path / "tiny.py").write_text(text.replace('name = "tiny"', 'name = "tiny"\n    seats = 2'))
    with pytest.raises(ParameterError, match="tiny has 2 seats, but its outcomes are not the seats that win"):
        compare(str(tmp_path / "tiny.py"), ["stop_at", "stop_at:6"])


def test_a_game_may_be_given_with_its_parameters():
    game = GAMES["tossup"](**SHORT)
    found = compare(game, STRATEGIES[:2])
    assert (found.parameters["dice"], found.parameters["target"]) == (SHORT["dice"], SHORT["target"])
    assert compare(game, STRATEGIES[:2], target=7).parameters["target"] == 7


def test_games_from_numpy_are_a_number():
    numpy = pytest.importorskip("numpy")
    found = compare(TINY, ["stop_at", "stop_at:6"], games=numpy.int64(50), seed=numpy.int64(3))
    assert json.loads(found.to_json())["games"] == 50


def test_the_same_strategy_written_in_two_ways_is_one_strategy():
    with pytest.raises(ParameterError, match="two or more different strategies"):
        compare(TINY, ["stop_at", "stop_at"])


@pytest.mark.parametrize(
    ("strategies", "on"),
    [(None, None), (5, None), (["stop_at", ["stop_at:6"]], None), (["stop_at", "stop_at:6"], 5)],
)
def test_arguments_of_a_wrong_kind_are_an_error_of_dicelab(strategies, on):
    with pytest.raises(InputError):
        compare(TINY, strategies, on=on)


def test_one_game_is_enough_for_json_and_text():
    found = compare(TINY, ["stop_at", "stop_at:6"], games=1)
    json.loads(found.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert "inf" not in str(found)


@pytest.mark.slow
def test_a_score_of_games_that_all_ended_alike_is_not_certain():
    """With 20 dice that are nearly all green, one roll beats a target of 3 from seat 0 in every game of a few."""
    [pair] = compare("tossup", ["one_roll", "bank_over:1000"], dice=20, green=1000, target=3, games=20).pairs
    assert pair.scores[0].high > 0.5
    assert all(score.low < score.high for score in (*pair.scores, pair.difference))


@pytest.mark.parametrize("seed", range(8))
def test_the_difference_of_one_game_lies_between_minus_one_and_one(seed):
    """Each of the two wins or loses: the difference is -1, 0 or 1, and one game says little."""
    found = compare(TINY, ["stop_at:1", "stop_at:7"], games=1, seed=seed).pairs[0].difference
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 0.5


@pytest.mark.parametrize("games", [1, 3, 11])
def test_the_other_way_round_the_interval_is_the_same(games):
    """Both win from seat 0 in every game: who is first makes no difference."""
    there, back = (
        compare("tossup", seats, games=games, dice=1, red=0, yellow=0, target=1).pairs[0].difference
        for seats in (["bank_over:0", "one_roll"], ["one_roll", "bank_over:0"])
    )
    assert (back.value, back.low, back.high) == pytest.approx((-there.value, -there.high, -there.low))
    assert there.low == pytest.approx(-there.high)


@pytest.mark.slow_cases("1000")
@pytest.mark.parametrize("games", [5, 10, 20, 100, 1000])
def test_games_that_all_ended_alike_leave_room_on_both_sides_in_three_seats_too(games):
    """One die that is always green: seat 0 wins every game, and each strategy has a third of the seats."""
    parameters = {"players": 3, "dice": 1, "red": 0, "yellow": 0, "target": 1}
    [pair] = compare("tossup", ["bank_over:0", "one_roll"], games=games, **parameters).pairs
    for score in pair.scores:
        assert score.value == pytest.approx(1 / 3)
        assert score.low < 1 / 3 - 1e-4
        assert score.high > 1 / 3 + 1e-4
    assert pair.difference.value == pytest.approx(0)
    assert pair.difference.low == pytest.approx(-pair.difference.high)
    # a game that ends otherwise is as rare as 0 of so many are; it counts 1 at the most
    assert 0 < pair.difference.high <= binomtest(0, games).proportion_ci().high + 1e-12


def test_a_comparison_without_a_finished_pair_says_nothing_of_pairs():
    def stop(done, total):
        raise KeyboardInterrupt

    assert "seat-balanced" not in str(compare("tossup", STRATEGIES, progress=stop))


DRAWS = str(ROOT / "tests" / "games" / "alike" / "draws.py:draws")
POKER = str(ROOT / "tests" / "games" / "hidden_dice.py:dice-poker")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "strategies", "parameters", "paid"),
    [
        (DRAWS, ["stand", "stand:8"], {"ante": 2}, lambda o, t, seat: (2 if o == seat else -2) if o < 2 else 0),
        pytest.param(
            *(DRAWS, ["stand", "stand:8"], {"players": 3}, lambda o, t, seat: (2 if o == seat else -1) if o < 3 else 0),
            marks=pytest.mark.slow,
        ),
        (POKER, ["high", "bluffing"], {}, lambda o, t, seat: t[seat]),
    ],
    ids=["draws", "draws of three", "tallies"],
)
def test_games_with_payoffs_are_compared_by_them(game, strategies, parameters, paid):
    """Exact answers and games one by one give the same figure, and the games alone that of their line-ups."""
    one, other = strategies
    settings = {"games": 400, "seed": SEED}
    pair = compare(game, strategies, **parameters, **settings).pairs[0]
    seats, means = parameters.get("players", 2), []
    for first, second in ((one, other), (other, one)):
        found = []
        for seat, lineup in enumerate(alone_in_each_seat(first, second, seats)):
            records = dicelab.simulate(game, list(lineup), records=True, engine="reference", **settings, **parameters)
            found += [paid(outcome, tallies, seat) for outcome, *tallies in records.records.tolist()]
        means.append(fmean(found))
    assert [score.value for score in pair.scores] == pytest.approx(means)
    assert pair.difference.value == pytest.approx(means[0] - means[1])
    exact = compare(game, strategies, exact=True, **parameters)
    assert (exact.on, pair.difference.low <= exact.pairs[0].difference.value <= pair.difference.high) == (
        "payoff",
        True,
    )
    assert "mean payoff (over all seat orders" in str(exact)


def test_an_exact_payoff_is_that_of_all_hands():
    """Poker with dice, high:7 (always passes) against high:1 (always bets): who passes loses the ante of 1."""
    pair = compare(POKER, ["high:7", "high:1"], exact=True).pairs[0]
    assert [score.value for score in pair.scores] == pytest.approx([-1, 1])
