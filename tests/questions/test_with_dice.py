"""Questions asked with somebody's dice: the rules with other weights, intervals that contain the truth, refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import dicelab
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.questions.betting.with_dice import loaded
from dicelab.questions.rolled.rolls import rolls_of
from dicelab.questions.rolled.uncertain import _least, intervals, weights
from dicelab.rules.loading.registry import bets_of, find

ROLLED = "80,100,100,100,100,120"
FAIR, LOADED = np.full(6, 1 / 6), np.array([0.12, 0.16, 0.16, 0.16, 0.16, 0.24])
SKEW = np.array([0.05, 0.15, 0.2, 0.2, 0.2, 0.2])


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


def broke(p, bets=5):
    """The probability that a player of the pass line loses so many bets before winning as many, by hand."""
    odds = passed(p) / (1 - passed(p))
    return 1 / (1 + odds**bets)


FIGURES = {
    "win": passed,
    "edge of double six": lambda p: 1 - 31 * float(p[5]) ** 2,
    "a six in twenty": lambda p: 1 - (1 - float(p[5])) ** 20,  # close to 1
    "ten sixes": lambda p: float(p[5]) ** 10,  # close to 0
    "half of 100": lambda p: float(binom.sf(49, 100, p[3:].sum())),  # steep
    "doubles": doubles,  # smallest for fair dice
    "straight": lambda p: 720 * float(np.prod(p)),  # largest for fair dice
    "broke": broke,
    "broke late": lambda p: broke(p, 50),
    "mean of wait": lambda p: 1 / float(p[5]),
}


def times_held(chances, rolls, files):
    """How often the interval of each figure contains the true value, in so many files of rolls."""
    random, truth = np.random.default_rng(rolls), {name: figure(chances) for name, figure in FIGURES.items()}
    held = dict.fromkeys(FIGURES, 0)
    for counts in random.multinomial(rolls, chances, size=files):
        answer = intervals(rolls_of(",".join(map(str, counts)), "d6"), figures_of)
        for name, (_, low, high, _) in answer.items():
            held[name] += low <= truth[name] <= high
    return held


def figures_of(p):
    return {name: figure(p) for name, figure in FIGURES.items()}


def too_few(held, files):
    """The figures whose interval holds the truth for fewer than 95 % of files: with 1,000 files, fewer than 923."""
    return {name: n for name, n in held.items() if binom.cdf(n, files, 0.95) < 1e-4}


@pytest.mark.slow_cases("fair")
@pytest.mark.parametrize("chances", [FAIR, LOADED], ids=["fair", "loaded"])
def test_intervals_contain_the_truth_for_95_of_100_files_of_rolls(chances):
    assert not too_few(times_held(chances, 100, 30), 30)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chances", "rolls"),
    [(FAIR, 30), (SKEW, 30), (LOADED, 150), (FAIR, 2000), (SKEW, 2000)],
    ids=["fair 30", "skew 30", "loaded 150", "fair 2000", "skew 2000"],
)
def test_intervals_contain_the_truth_for_95_of_100_files_of_rolls_of_all_sizes(chances, rolls):
    assert not too_few(times_held(chances, rolls, 1000), 1000)


def test_figures_close_to_0_and_1_keep_to_their_range_and_constants_have_no_width():
    answer = intervals(rolls_of("30,30,30,30,30,30"), lambda p: figures_of(p) | {"sure": 1.0, "none": 0.0})
    for name in ("a six in twenty", "ten sixes", "half of 100", "broke late"):
        value, low, high, _ = answer[name]
        assert 0 < low < value < high < 1
    assert answer["sure"][:3] == (1, 1, 1)
    assert answer["none"][:3] == (0, 0, 0)


def test_the_interval_of_one_face_is_close_to_the_exact_one():
    """The interval of Clopper and Pearson, which is the widest of the usual ones."""
    exact = binomtest(100, 600).proportion_ci(method="exact")
    figure = intervals(rolls_of("100,100,100,100,100,100"), lambda p: {"it": float(p[5])})["it"]
    assert (figure.low, figure.high) == (pytest.approx(exact.low, abs=2e-3), pytest.approx(exact.high, abs=2e-3))


@pytest.mark.slow
def test_the_answer_is_that_of_the_estimated_dice():
    answer = dicelab.with_dice("pass-line", ROLLED)
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


@pytest.mark.slow
def test_edges_and_single_rolls():
    edge = dicelab.with_dice("pass-line", ROLLED, question="edges").figures["edge of pass-line"]
    win = dicelab.with_dice("pass-line", ROLLED).figures["win"]
    assert edge.value == pytest.approx(1 - 2 * win.value, abs=1e-9)
    alone = dicelab.with_dice("pass-line", ROLLED, replaced=["come_out"])
    assert alone.replaced == ("come_out",)
    assert alone.figures["win"].value != win.value


@pytest.mark.slow
def test_a_session_until_broke_or_doubled_is_that_of_the_formula():
    answer = dicelab.with_dice("craps", ROLLED, "line", question="session", bankroll=20, stop_win=20, until_rounds=0)
    direct = intervals(rolls_of(ROLLED), lambda p: {"ruined": broke(p, 2)})["ruined"]
    assert answer.figures["ruined"] == pytest.approx(direct, abs=2e-5)


@pytest.mark.slow
def test_sessions_are_asked_for_their_exact_numbers():
    answer = dicelab.with_dice("craps", ROLLED, "line", question="session", until_rounds=3)
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
        dicelab.with_dice(game, rolls, question=question, **more)
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


@pytest.mark.slow
def test_the_command_says_what_the_library_says(tmp_path):
    from click.testing import CliRunner

    from dicelab.interface.cli.main import app

    words = ["exact", "pass-line", "--dice-from", ROLLED]
    said = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    expected = dicelab.with_dice("pass-line", ROLLED).to_dict()
    assert said | {"seconds": 0} == expected | {"seconds": 0}
    assert CliRunner().invoke(app, [*words, "--plot", str(tmp_path / "mine.svg")]).exit_code == 0
    assert "your dice" in (tmp_path / "mine.svg").read_text()
    assert CliRunner().invoke(app, [*words, "--histogram", "throws"]).exception is not None
    refused = CliRunner().invoke(app, ["exact", "pass-line", "--dice-in", "come_out"]).exception
    assert str(refused) == "--dice-in is given without --dice-from; give both"
    refused = CliRunner().invoke(app, ["edges", "craps", "--check", "9", "--dice-from", ROLLED]).exception
    assert str(refused) == "--dice-from can't be given together with --check; leave these out"


@pytest.mark.slow
def test_an_interrupted_session_ends_the_question(monkeypatch):
    """It isn't taken for one without an exact answer."""

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("dicelab.questions.betting.session.solve", stopped)
    with pytest.raises(KeyboardInterrupt):
        dicelab.with_dice("craps", ROLLED, "line", question="session", until_rounds=2)
