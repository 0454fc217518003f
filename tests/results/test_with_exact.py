"""An estimate beside the exact answer."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from math import sqrt

import pytest

import dicelab
from dicelab import Beside
from dicelab.errors import ParameterError
from dicelab.results.side_by_side import z_score
from dicelab.results.text.writing import MANY_SCORES, chance_line

GAMES, SEED = 300, 4


def simulate(game, *words, **more):
    return dicelab.simulate(game, *words, **{"games": GAMES, "seed": SEED, "engine": "reference"} | more)


@pytest.fixture(scope="module")
def hazard():
    return Beside(simulate("hazard", main=5), dicelab.exact("hazard", main=5))


@pytest.fixture(scope="module")
def tossup():
    parameters = {"dice": 2, "target": 4}
    seats = ["one_roll", "bank_over:1"]
    return Beside(simulate("tossup", seats, **parameters), dicelab.exact("tossup", seats, **parameters))


@pytest.fixture(scope="module")
def caster():
    return Beside(simulate("hazard-caster", losses=1), dicelab.exact("hazard-caster", losses=1))


# z -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimate", "truth", "sd", "games", "expected"),
    [
        (0.55, 0.5, 0.5, 100, 1.0),
        (0.45, 0.5, 0.5, 100, -1.0),
        (0.5, 0.5, 0.5, 100, 0.0),
        (12.0, 10.0, 4.0, 16, 2.0),
        (0.55, 0.5, 0.5, 10_000, 10.0),
        (1.0, 1.0, 0.0, 100, 0.0),
        (0.99, 1.0, 0.0, 100, None),
        (0.5, 0.5, 0.5, 0, 0.0),
    ],
)
def test_z_is_the_distance_in_standard_errors(estimate, truth, sd, games, expected):
    found = z_score(estimate, truth, sd, games)
    assert found is None if expected is None else found == pytest.approx(expected)


@pytest.mark.parametrize("name", ["hazard", "tossup", "caster"])
def test_each_row_by_hand(request, name):
    both = request.getfixturevalue(name)
    simulated, exact = both.simulation, both.exact
    expected = []
    for outcome, chance in exact.outcomes.items():
        share, p = simulated.outcomes[outcome], chance.probability
        error = sqrt(p * (1 - p) / GAMES)
        expected.append(("outcome", outcome, share.probability, *share.interval, p, (share.probability - p) / error))
    for tally, known in exact.tallies.items():
        guess = simulated.tallies[tally]
        error = known.sd / sqrt(GAMES)
        expected.append(("tally", tally, guess.mean, *guess.interval, known.mean, (guess.mean - known.mean) / error))
    for row, (kind, outcome, *numbers) in zip(both.rows, expected, strict=True):
        assert (row["kind"], row["name"]) == (kind, outcome)
        assert [row[key] for key in ("simulated", "low", "high", "exact", "z")] == pytest.approx(numbers)
        assert abs(row["z"]) < 4.5


def test_an_estimate_above_the_truth_has_a_positive_z(hazard):
    for row in hazard.rows:
        assert (row["z"] > 0) == (row["simulated"] > row["exact"])


def test_the_z_of_two_outcomes_are_opposite(hazard):
    win, lose, _ = hazard.rows
    assert win["z"] == pytest.approx(-lose["z"])


def test_what_never_varies_has_no_z_unless_it_is_met():
    """One die that is always green: seat 0 wins in one turn."""
    words = {"dice": 1, "red": 0, "yellow": 0, "target": 1}
    both = Beside(simulate("tossup", "one_roll", **words), dicelab.exact("tossup", "one_roll", **words))
    assert [row["z"] for row in both.rows] == [0.0] * 5
    impossible = replace(both.simulation, tallied=replace(both.simulation.tallied, counts=[GAMES - 1, 1]))
    rows = Beside(impossible, both.exact).rows
    assert [row["z"] for row in rows[:2]] == [None, None]
    told = str(Beside(impossible, both.exact)).splitlines()
    assert told[6].split()[-1] == told[7].split()[-1] == "-"


def test_a_z_that_is_not_there_is_null(hazard):
    certain = replace(hazard.exact, answer=replace(hazard.exact.answer, chances=(1.0, 0.0), fractions=None))
    data = Beside(hazard.simulation, certain).to_dict()
    assert [outcome["z"] for outcome in data["outcomes"].values()] == [None, None]


FIXED = """
from dicelab.rules import D6, OVER, Game, Int, Tally, throw, thrown

class Fixed(Game):
    name = "fixed"
    outcomes = ("low", "high")
    done = Int(0, 7, "throws made")
    last = Int(0, 6, "the last die")
    throws = Tally("throws")
    def next(self):
        return OVER if self.done == 7 else throw(self.die)
    @thrown(1, D6)
    def die(self, face):
        self.done += 1
        self.throws += 1
        self.last = face
    def outcome(self):
        return 0 if self.last <= 3 else 1
"""


def test_rounding_is_no_difference(tmp_path):
    """Every game has 7 throws; in floating point the mean is 6.999999999999998, as the bound on the error allows."""
    (tmp_path / "fixed.py").write_text(FIXED)
    file = str(tmp_path / "fixed.py")
    both = Beside(simulate(file), dicelab.exact(file, fractions=False))
    assert abs(both.rows[2]["simulated"] - both.rows[2]["exact"]) < both.exact.error
    assert abs(both.rows[2]["z"] or 0) < 0.01


# What does not belong together ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (lambda: dicelab.exact("hazard", main=6), "parameters {'main': 5} and {'main': 6}"),
        (lambda: dicelab.exact("pass-line"), "game hazard and pass-line"),
    ],
)
def test_answers_to_different_questions_are_refused(hazard, other, told):
    with pytest.raises(ParameterError, match="simulation and exact answer are about different questions: ") as raised:
        Beside(hazard.simulation, other())
    assert told in str(raised.value)


def test_other_strategies_are_another_question(tossup):
    with pytest.raises(ParameterError, match="strategies"):
        Beside(tossup.simulation, dicelab.exact("tossup", "one_roll", dice=2, target=4))


def test_other_rules_are_another_question(hazard):
    with pytest.raises(ParameterError, match="source_hash"):
        Beside(hazard.simulation, replace(hazard.exact, source_hash="another"))


# As data and as text -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hazard", "tossup", "caster"])
def test_plain_data_is_the_simulation_with_the_exact_answer_and_the_z(request, name):
    both = request.getfixturevalue(name)
    data = both.to_dict()
    played, solved = both.simulation.to_dict(), both.exact.to_dict()
    scores = {(row["kind"], row["name"]): row["z"] for row in both.rows}
    for kind, kinds in (("outcome", "outcomes"), ("tally", "tallies")):
        for key, number in played[kinds].items():
            number |= {"exact": solved[kinds][key], "z": scores[kind, key]}
    fair = {"fairness": solved["fairness"]} if "fairness" in solved else {}
    assert data == played | {"summary": both.exact.summary} | {
        "exact": solved["exact"] | {"seconds": both.exact.seconds} | fair
    }
    assert json.loads(json.dumps(data), parse_constant=pytest.fail) == data


@pytest.mark.parametrize("name", ["hazard", "tossup", "caster"])
def test_text_is_a_table(request, name):
    both = request.getfixturevalue(name)
    said, head, table, foot = str(both).split("\n\n")
    assert " ".join(said.split()) == both.exact.summary
    assert head.startswith(both.simulation.game)
    assert ("strategies: player 1 one_roll, player 2 bank_over:1" in head) == (name == "tossup")
    lines = table.splitlines()
    assert len({len(line) for line in lines}) == 1, "the last column ends at one place"
    assert lines[0].split() == ["simulated", "95", "%", "interval", "exact", "z"]
    for line, row in zip(lines[1:], both.rows, strict=True):
        seat = name == "tossup" and row["kind"] == "outcome"
        assert line.startswith(f"player {int(row['name']) + 1} wins " if seat else f"{row['name']} ")
        assert line.split()[-1] == f"{row['z']:+.2f}"
        assert f"{row['exact']:.{6 if row['kind'] == 'outcome' else 4}f}" in line
    *chance, foot = foot.splitlines()
    assert chance == chance_line(len(both.rows))
    assert len(chance) == (len(both.rows) >= MANY_SCORES)
    assert foot.startswith(f"{GAMES} games, seed {SEED}, reference engine; exact: {both.exact.states} state")


def test_a_frame_has_the_rows(hazard):
    pytest.importorskip("pandas")
    table = hazard.to_frame()
    assert list(table.columns) == ["kind", "name", "simulated", "low", "high", "exact", "z"]
    assert table.to_dict("records") == hazard.rows


def test_both_survive_a_pickle(hazard):
    again = pickle.loads(pickle.dumps(hazard))
    assert again == hazard
    assert again.rows == hazard.rows


def test_both_are_one_json_object(hazard):
    assert json.loads(hazard.to_json(), parse_constant=pytest.fail) == hazard.to_dict()


def test_a_notebook_shows_both(hazard):
    assert hazard._repr_html_().count("linear-gradient") == 4, "simulated and exact, of two outcomes"


def test_an_outcome_and_a_tally_of_the_same_name_are_two(tmp_path):
    from support import ROOT

    text = (
        (ROOT / "tests" / "interface" / "cli" / "tiny.py").read_text().replace('("win", "lose")', '("throws", "lose")')
    )
    (tmp_path / "tiny.py").write_text(text)
    file = str(tmp_path / "tiny.py")
    both = Beside(simulate(file), dicelab.exact(file))
    data = both.to_dict()
    assert (set(data["outcomes"]), set(data["tallies"])) == ({"throws", "lose"}, {"throws"})
    assert data["outcomes"]["throws"]["z"] != data["tallies"]["throws"]["z"]
