"""Questions asked with somebody's dice: the rules with other weights, intervals that contain the truth, refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dicelab
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.questions.rolled.rolls import rolls_of
from dicelab.questions.rolled.uncertain import _least, intervals, weights
from dicelab.rules.loading.loaded import loaded
from dicelab.rules.loading.registry import bets_of, find

ROLLED = "80,100,100,100,100,120"
FAIR, LOADED = np.full(6, 1 / 6), np.array([0.12, 0.16, 0.16, 0.16, 0.16, 0.24])


def passed(p):
    """The probability that the pass line wins, by hand."""
    total = np.convolve(p, p)  # of 2, 3, ..., 12
    seven = total[5]
    points = [total[value - 2] for value in (4, 5, 6, 8, 9, 10)]
    return float(seven + total[9] + sum(one * one / (one + seven) for one in points))


def doubles(p):
    return float(p @ p)


def test_rules_with_other_weights_are_those_of_the_formula():
    game = loaded(find("pass-line"), dict(zip(range(1, 7), (12, 16, 16, 16, 16, 24), strict=True)))
    assert dicelab.exact(game).outcomes["win"].probability == pytest.approx(passed(LOADED), abs=1e-12)
    played = dicelab.simulate(game, games=20_000, seed=1).outcomes["win"].probability
    assert played == pytest.approx(passed(LOADED), abs=0.015)
    assert (
        dicelab.exact(loaded(find("pass-line"), dict.fromkeys(range(1, 7), 7))).outcomes["win"].probability == 244 / 495
    )


def test_bets_with_other_weights_have_no_published_edge():
    game = loaded(bets_of(find("craps")), dict(zip(range(1, 7), (12, 16, 16, 16, 16, 24), strict=True)))
    [row] = dicelab.edges(game, only="pass").rows
    assert (row.edge.value, row.published) == (pytest.approx(1 - 2 * passed(LOADED), abs=1e-12), None)


def test_other_dice_are_another_question_for_the_store():
    from dicelab.rules.loading.hashing import source_hash

    one, other = (loaded(find("hazard"), dict.fromkeys(range(1, 7), n)) for n in (1, 2))
    assert len({source_hash(one), source_hash(other), source_hash(find("hazard"))}) == 3


@pytest.mark.cases(("figure", "least"), [(passed, 93), (doubles, 93), (lambda p: float(p[5]), 90)])
@pytest.mark.parametrize("chances", [FAIR, LOADED], ids=["fair", "loaded"])
def test_the_interval_contains_the_truth_for_95_of_100_files_of_rolls(figure, least, chances):
    """About 95 of 100 files, or more where an interval is wider than needed; the limits leave room for chance."""
    random, truth, held = np.random.default_rng(11), figure(chances), 0
    for counts in random.multinomial(400, chances, size=100):
        found = intervals(rolls_of(",".join(map(str, counts)), "d6"), lambda p: {"it": figure(p)})["it"]
        held += found.low <= truth <= found.high
    assert held >= least


def test_the_answer_is_that_of_the_estimated_dice():
    answer = dicelab.with_dice("exact", "pass-line", ROLLED)
    counts = np.array([80, 100, 100, 100, 100, 120]) + 0.5
    direct = intervals(rolls_of(ROLLED), lambda p: {"win": passed(p)})["win"]
    for mine, known in zip(answer.figures["win"], direct, strict=True):
        assert mine == pytest.approx(known, abs=2e-5)  # weights are whole numbers
    assert answer.figures["win"].value == pytest.approx(passed(counts / counts.sum()), abs=1e-5)
    assert answer.figures["win"].fair == 244 / 495
    data = json.loads(answer.to_json())
    assert (data["method"], data["question"], data["replaced"]) == ("with_dice", "exact", ["come_out", "throw_again"])
    assert [row["figure"] for row in data["rows"]] == ["win", "lose", "mean of throws", "mean of money"]
    assert "95 % interval" in str(answer)


def test_edges_and_single_rolls():
    edge = dicelab.with_dice("edges", "pass-line", ROLLED).figures["edge of pass-line"]
    win = dicelab.with_dice("exact", "pass-line", ROLLED).figures["win"]
    assert edge.value == pytest.approx(1 - 2 * win.value, abs=1e-9)
    alone = dicelab.with_dice("exact", "pass-line", ROLLED, replaced=["come_out"])
    assert alone.replaced == ("come_out",)
    assert alone.figures["win"].value != win.value


@pytest.mark.slow
def test_sessions_are_asked_for_their_exact_numbers():
    answer = dicelab.with_dice("session", "craps", ROLLED, "line", until_rounds=3)
    names = ["ruined", "behind", "even", "ahead"]
    assert sum(answer.figures[name].value for name in names) == pytest.approx(1)
    fair = dicelab.session("craps", "line", until_rounds=3, games=1, seed=1).to_dict()
    assert answer.figures["ahead"].fair == pytest.approx(fair["outcomes"]["ahead"]["exact"]["probability"], abs=1e-9)


@pytest.mark.cases(
    ("question", "game", "rolls", "more", "sentence"),
    [
        ("exact", "lcr", ROLLED, {}, "lcr rolls no fair dice with the faces 1, 2, 3, 4, 5, 6; rolls: turn of Die("),
        ("exact", "hazard", "1,2,3,2,1,2", {}, "11 rolls are too few to estimate d6; roll it 30 times or more"),
        ("exact", "hazard", "1,2,3", {}, "3 counts are given, and d6 has 6 values"),
        ("exact", "hazard", "10,20,30", {"die": "d3"}, "hazard rolls no fair dice with the faces 1, 2, 3"),
        ("exact", "hazard", "9,9,9,9,9,9,9,9,9,9,9", {"die": "2d6"}, "2d6 is no single die"),
        ("exact", "hazard", ROLLED, {"only": "pass"}, "only selects bets"),
        ("exact", "hazard", ROLLED, {"replaced": ["come"]}, "come_out"),
        ("solve", "hazard", ROLLED, {}, "edges, exact, session"),
    ],
)
def test_what_makes_no_sense_is_refused(question, game, rolls, more, sentence):
    with pytest.raises((ParameterError, UnknownNameError)) as refused:
        dicelab.with_dice(question, game, rolls, **more)
    assert sentence in str(refused.value)


def test_the_least_value_of_a_quadratic_over_a_ball():
    random = np.random.default_rng(3)
    for case in range(60):
        half = random.normal(size=(3, 3))
        bend, slope = half + half.T, random.normal(size=3) * (case % 3 > 0)
        points = random.normal(size=(40_000, 3))
        points *= 1.5 * random.uniform(size=(40_000, 1)) ** 0.2 / np.linalg.norm(points, axis=1)[:, None]
        tried = (points @ slope + 0.5 * ((points @ bend) * points).sum(axis=1)).min()
        least = _least(slope, bend, 1.5)
        assert least <= tried + 1e-9
        assert least >= tried - 0.05 * (1 + abs(tried))


def test_weights_fit_into_64_bits():
    assert weights(FAIR, 2) == (166667,) * 6
    assert sum(weights(LOADED, 6)) ** 6 < 2**62


def test_the_command_says_what_the_library_says(tmp_path):
    from click.testing import CliRunner

    from dicelab.interface.cli.main import app

    words = ["exact", "pass-line", "--dice-from", ROLLED]
    said = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    expected = dicelab.with_dice("exact", "pass-line", ROLLED).to_dict()
    assert said | {"seconds": 0} == expected | {"seconds": 0}
    assert CliRunner().invoke(app, [*words, "--plot", str(tmp_path / "mine.svg")]).exit_code == 0
    assert "your dice" in (tmp_path / "mine.svg").read_text()
    assert CliRunner().invoke(app, [*words, "--histogram", "throws"]).exception is not None
