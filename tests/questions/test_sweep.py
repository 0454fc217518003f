"""The same question over a range of values: rows, the dice they share, and the forms in which they are told."""

from __future__ import annotations

import csv
import io
import json
import pickle
from itertools import product

import pytest

import dicelab
from dicelab.errors import InputError, ParameterError, PlayError, UnknownNameError
from dicelab.results.base import head
from dicelab.results.text.page import decimals
from support import GAMES, ROOT

GAMES_PLAYED, SEED = 100, 5
TINY = ROOT / "tests" / "interface" / "cli" / "tiny.py"


def sweep(game, *words, **more):
    settings = {} if more.get("exact") or "precision" in more else {"games": GAMES_PLAYED}
    return dicelab.sweep(game, *words, **{"seed": SEED} | settings | more)


def told(result):
    """A result without what differs from run to run."""
    return result.to_dict() | {"seconds": 0, "engine": "", "threads": 0}


@pytest.fixture(scope="module")
def simulated():
    return sweep("lcr", over={"players": [2, 3, 4], "coins": [1, 2]})


@pytest.fixture(scope="module")
def exact():
    return sweep("lcr", over={"players": [2, 3], "coins": [1, 2]}, exact=True)


@pytest.fixture(scope="module")
def mains():
    return sweep("hazard", over={"main": range(5, 10)}, exact=True)


# The rows ------------------------------------------------------------------------------------------------------------


def test_one_name_gives_a_row_for_each_value_in_the_order_given():
    found = sweep("hazard", over={"main": (9, 5, 9)}, exact=True)
    assert [row.values for row in found.rows] == [{"main": 9}, {"main": 5}, {"main": 9}]
    assert [row.result.parameters for row in found.rows] == [{"main": 9}, {"main": 5}, {"main": 9}]


def test_two_names_give_every_pair_the_last_name_varying_fastest(simulated):
    expected = [{"players": players, "coins": coins} for players, coins in product([2, 3, 4], [1, 2])]
    assert [row.values for row in simulated.rows] == expected
    for row in simulated.rows:
        assert {name: row.result.parameters[name] for name in row.values} == row.values


def test_known_answers_of_hazard(mains):
    fractions = [str(row.result.outcomes["win"].fraction) for row in mains.rows]
    assert fractions == ["1396/2835", "6961/14256", "244/495", "6961/14256", "1396/2835"]


def test_every_row_is_the_answer_that_exact_gives(exact):
    for row in exact.rows:
        again = dicelab.exact("lcr", **row.values)
        assert told(again) == told(row.result)


def test_every_row_is_what_simulate_gives_for_the_same_seed(simulated):
    for row in simulated.rows:
        again = dicelab.simulate("lcr", games=GAMES_PLAYED, seed=SEED, engine="reference", **row.values)
        assert again.tallied == row.result.tallied
        assert row.result.seed == simulated.seed == SEED


def test_rows_at_the_same_values_of_two_sweeps_agree():
    one = sweep("hazard", over={"main": [5, 6, 7]})
    other = sweep("hazard", over={"main": [7, 6]}, threads=1)
    by_value = {row.values["main"]: row.result for row in one.rows}
    for row in other.rows:
        assert row.result.tallied == by_value[row.values["main"]].tallied


def test_a_seed_that_is_not_given_is_drawn_once_for_all_rows():
    found = sweep("hazard", over={"main": [7, 7]}, seed=None)
    assert {row.result.seed for row in found.rows} == {found.seed}
    assert found.rows[0].result.tallied == found.rows[1].result.tallied
    assert found.seed != sweep("hazard", over={"main": [7]}, seed=None).seed


def test_estimates_and_exact_answers_agree(mains):
    found = sweep("hazard", over={"main": range(5, 10)}, games=4000)
    for estimate, truth in zip(found.rows, mains.rows, strict=True):
        p = truth.result.outcomes["win"].probability
        assert abs(estimate.result.outcomes["win"].probability - p) < 4 * (p * (1 - p) / 4000) ** 0.5


def test_a_precision_is_that_of_every_row():
    found = sweep("hazard", over={"main": [5, 7]}, precision=0.2, on="throws")
    for row in found.rows:
        low, high = row.result.tallies["throws"].interval
        assert (high - low) / 2 <= 0.2
        assert row.result.games >= 1000


def test_an_argument_of_a_strategy_varies_where_it_is_written_without_one():
    found = sweep("tossup", ["bank_over", "bank_over:3"], over={"bank_over": [0, 2]}, dice=2, target=4)
    assert [row.result.strategies for row in found.rows] == [
        ["bank_over:0", "bank_over:3"],
        ["bank_over:2", "bank_over:3"],
    ]
    everywhere = sweep("tossup", "bank_over", over={"bank_over.points": [0, 2]}, dice=2, target=4, exact=True)
    assert [row.result.strategies for row in everywhere.rows] == [["bank_over:0"] * 2, ["bank_over:2"] * 2]
    assert [row.values for row in everywhere.rows] == [{"bank_over.points": 0}, {"bank_over.points": 2}]


def test_a_strategy_that_is_swept_is_played_where_none_is_named():
    found = sweep("tossup", over={"bank_over_or_win": [1]}, dice=2, target=4)
    assert found.rows[0].result.strategies == ["bank_over_or_win:1"] * 2


def test_a_parameter_and_an_argument_vary_together():
    found = sweep("tossup", "bank_over", over={"target": [3, 4], "bank_over": [0, 1]}, dice=2)
    assert [(row.result.parameters["target"], row.result.strategies[0]) for row in found.rows] == [
        (3, "bank_over:0"),
        (3, "bank_over:1"),
        (4, "bank_over:0"),
        (4, "bank_over:1"),
    ]


def test_two_strategies_vary_in_their_own_seats():
    over = {"bank_over": [0, 1], "bank_over_or_win": [2]}
    found = sweep("tossup", ["bank_over_or_win", "bank_over"], over=over, dice=2, target=4)
    assert [row.result.strategies for row in found.rows] == [
        ["bank_over_or_win:2", "bank_over:0"],
        ["bank_over_or_win:2", "bank_over:1"],
    ]


PAIR = """

@strategy(Tiny, low=Param(3, 1, 12, "not below"), high=Param(9, 1, 12, "always from"))
def between(game: Tiny, low: int, high: int) -> Move:
    \"\"\"Stop at an even number of points between two, and always from the second.\"\"\"
    return Move.STOP if game.points >= high or (game.points >= low and game.points % 2 == 0) else Move.ON
"""


@pytest.fixture
def pair(tmp_path):
    """A game with a strategy of two arguments."""
    (tmp_path / "tiny.py").write_text(TINY.read_text() + PAIR)
    return str(tmp_path / "tiny.py")


def test_one_of_several_arguments_varies_and_the_others_have_their_defaults(pair):
    found = sweep(pair, "between", over={"between.high": [8, 10]}, exact=True)
    assert [row.result.strategies for row in found.rows] == [["between:high=8"], ["between:high=10"]]
    found = sweep(pair, over={"between.low": [2]}, exact=True)
    assert found.rows[0].result.strategies == ["between:low=2"]
    with pytest.raises(ParameterError, match=r"between has 2 arguments; write one of between\.low, between\.high"):
        sweep(pair, "between", over={"between": [5]})


def test_two_arguments_of_one_strategy_vary_together(pair):
    found = sweep(pair, "between", over={"between.low": [2, 3], "between.high": [8]}, exact=True)
    assert [row.result.strategies for row in found.rows] == [["between:low=2:high=8"], ["between:high=8"]]


def test_the_same_argument_under_two_names_is_named_twice():
    with pytest.raises(ParameterError, match="two names mean the same"):
        sweep("tossup", "bank_over", over={"bank_over": [5], "bank_over.points": [6]})


def test_a_switch_is_swept_as_a_number():
    found = sweep("tossup", "one_roll", over={"last_turn": [0, 1]}, dice=2, target=4)
    assert [row.result.parameters["last_turn"] for row in found.rows] == [False, True]


def test_a_game_may_be_given_with_its_parameters():
    game = GAMES["lcr"](coins=1)
    found = sweep(game, over={"players": [2, 3]}, exact=True)
    assert [row.result.parameters for row in found.rows] == [
        {"players": 2, "coins": 1, "dice": 3},
        {"players": 3, "coins": 1, "dice": 3},
    ]


def test_values_may_come_from_numpy():
    numpy = pytest.importorskip("numpy")
    found = sweep("hazard", over={"main": numpy.arange(5, 7)}, exact=True)
    assert json.loads(found.to_json())["rows"][1]["over"] == {"main": 6}


def test_progress_is_told_point_by_point():
    seen = []
    sweep("hazard", over={"main": [5, 6]}, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2), (2, 2)]


# As data and as text -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["simulated", "exact"])
def test_plain_data_has_the_keys_of_the_design(request, name):
    found = request.getfixturevalue(name)
    data = found.to_dict()
    assert set(data) == {*head("sweep"), "over", "rows", "summary"}
    assert (data["parameters"], data["strategies"]) == ({"dice": 3}, [])
    assert (data["schema"], data["method"], data["game"], data["over"]) == (2, "sweep", "lcr", ["players", "coins"])
    assert found.exact is (name == "exact")
    assert all(("exact" in row) is found.exact for row in data["rows"])
    for row, answer in zip(data["rows"], found.rows, strict=True):
        assert set(row) >= {"over", "parameters", "strategies", "outcomes", "tallies", "fairness"}
        assert row["over"] == answer.values
        whole = answer.result.to_dict()
        assert {**row, "over": 0} == {**{key: whole[key] for key in row if key != "over"}, "over": 0}
    assert json.loads(found.to_json(), parse_constant=pytest.fail) == data


@pytest.mark.parametrize("name", ["simulated", "exact", "mains"])
def test_csv_is_read_back_by_columns(request, name):
    found = request.getfixturevalue(name)
    text = found.to_csv(full=True)
    assert text.endswith("\n")
    assert "\r" not in text
    lines = list(csv.DictReader(io.StringIO(text)))
    assert len(lines) == len(found.rows)
    for line, row in zip(lines, found.rows, strict=True):
        assert None not in line
        numbers = {key: float(value) for key, value in line.items() if value != ""}
        assert {key: numbers[key] for key in row.values} == row.values
        for outcome, chance in row.result.outcomes.items():
            assert numbers[outcome] == chance.probability
            assert (numbers[f"{outcome} low"], numbers[f"{outcome} high"]) == chance.interval
        for tally, average in row.result.tallies.items():
            assert numbers[f"{tally} mean"] == average.mean
            assert numbers[f"{tally} sd"] == average.sd
            assert numbers[f"{tally} p90"] == average.percentile(0.9)
        for measure, value in row.result.fairness.items():
            assert numbers[measure] == value
        seats = {str(seat) for seat in range(row.result.parameters.get("players", 0))}
        assert {key for key in numbers if key.isdigit()} == seats, "a seat that is not there is an empty cell"


def test_csv_knows_no_infinity():
    """With one die that is always green seat 0 wins: the ratio of the chances is infinite."""
    found = sweep("tossup", "one_roll", over={"target": [1]}, dice=1, red=0, yellow=0, exact=True)
    [line] = csv.DictReader(io.StringIO(found.to_csv()))
    assert (line["gap"], line["ratio"]) == ("1.000000", "")
    assert json.loads(found.to_json(), parse_constant=pytest.fail)["rows"][0]["fairness"]["ratio"] is None


def test_the_columns_of_all_seats_stand_together(simulated):
    columns = simulated.to_csv().splitlines()[0].split(",")
    assert [column for column in columns if column.isdigit()] == ["0", "1", "2", "3"]
    assert columns.index("3") < columns.index("turns mean")


def test_a_frame_is_the_csv_as_a_table(simulated):
    pytest.importorskip("pandas")
    table = simulated.to_frame()
    assert list(table.columns) == simulated.to_csv().splitlines()[0].split(",")
    assert table["players"].tolist() == [2, 2, 3, 3, 4, 4]
    assert table["0"].tolist() == [row.result.outcomes["0"].probability for row in simulated.rows]
    assert table["3"].isna().tolist() == [True] * 4 + [False] * 2


@pytest.mark.parametrize("name", ["simulated", "exact", "mains"])
def test_text_is_a_table(request, name):
    found = request.getfixturevalue(name)
    said, head, table, *_, foot = str(found).split("\n\n")
    assert " ".join(said.split()) == found.summary
    assert head == f"{found.game} over {' and '.join(found.over)}"
    lines = table.splitlines()
    assert len(lines) == 1 + len(found.rows)
    assert lines[0].split("  ")[0] == found.over[0]
    for line, row in zip(lines[1:], found.rows, strict=True):
        assert line.split()[: len(row.values)] == [str(value) for value in row.values.values()]
        for chance in row.result.outcomes.values():
            low, high = chance.interval
            half = f" ±{(high - low) / 2:.6f}" if name == "simulated" else ""
            assert f" {chance.probability:.6f}{half}" in line
        for tally in row.result.tallies.values():
            assert f" {tally.mean:.{decimals(tally.interval)}f}" in line
    assert len({len(line) for line in lines}) == 1, "the last column ends at one place"
    assert foot == (f"simulated, seed {SEED}; ± half of the 95 % interval" if name == "simulated" else "exact")
    assert "<table>" in found._repr_html_()


def test_of_many_seats_the_table_shows_the_smallest_and_the_largest():
    found = sweep("lcr", over={"players": [2, 8]}, coins=1)
    lines = str(found).split("\n\n")[2].splitlines()
    assert lines[0].split()[:3] == ["players", "smallest", "largest"]
    for line, row in zip(lines[1:3], found.rows, strict=True):
        chances = [chance.probability for chance in row.result.outcomes.values()]
        assert line.split()[1:3] == [f"{min(chances):.6f}", f"{max(chances):.6f}"]
    assert len(sweep("lcr", over={"players": [2, 7]}, coins=1).to_csv().splitlines()[0].split(",")) > 7 * 3


@pytest.mark.parametrize("name", ["simulated", "exact"])
def test_a_sweep_survives_a_pickle(request, name):
    found = request.getfixturevalue(name)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.to_csv() == found.to_csv()
    assert str(again) == str(found)


# Stopped before the end ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("finished", [0, 1, 2])
def test_an_interruption_leaves_the_rows_that_were_finished(exact, finished):
    def stop(done, total):
        if done == finished:
            raise KeyboardInterrupt

    found = sweep("hazard", over={"main": [5, 6, 7]}, exact=exact, progress=stop)
    assert found.interrupted
    assert found.to_dict()["interrupted"] is True
    assert [row.values["main"] for row in found.rows] == [5, 6, 7][:finished]
    assert "stopped before the end" in str(found)
    assert len(found.to_csv().splitlines()) == 1 + finished


def test_a_row_whose_games_were_interrupted_is_not_counted(monkeypatch):
    def slow(*words, **more):
        def stop(played, wanted):
            raise KeyboardInterrupt

        return dicelab.simulate(*words, **more, progress=stop if words[0].parameters["main"] == 6 else None)

    monkeypatch.setattr("dicelab.questions.sweeps.points.simulate", slow)
    found = sweep("hazard", over={"main": [5, 6, 7]}, games=50_000)
    assert found.interrupted
    assert [row.values["main"] for row in found.rows] == [5]


@pytest.mark.parametrize(
    ("exact", "rule", "why"),
    [
        (True, "self.points += face if self.points != 6 else 0", "the game never ends"),
        (False, "self.points += face if self.points != 6 else 1 // 0", "ZeroDivisionError"),
    ],
)
def test_a_row_that_goes_wrong_leaves_those_before_it(tmp_path, exact, rule, why):
    (tmp_path / "tiny.py").write_text(TINY.read_text().replace("self.points += face", rule))
    file = str(tmp_path / "tiny.py")
    found = sweep(file, over={"stop_at": [5, 6, 7, 5]}, exact=exact)
    assert not found.interrupted
    assert [row.values["stop_at"] for row in found.rows] == [5, 6]
    assert why in found.refused
    assert found.to_dict()["refused"] == found.refused
    assert " ".join(str(found).split()).endswith(found.refused)
    with pytest.raises(PlayError, match=why):
        sweep(file, over={"stop_at": [7, 5]}, exact=exact)


# What is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.cases(
    ("game", "words", "more", "error", "why"),
    [
        ("hazard", [], {"over": {}}, ParameterError, "one or two things, not 0"),
        ("hazard", [], {"over": {"main": [5], "a": [1], "b": [2]}}, ParameterError, "one or two things, not 3"),
        ("hazard", [], {"over": {"mian": [5]}}, UnknownNameError, "did you mean 'main'"),
        ("hazard", [], {"over": {"main": [5], "throws": [1]}}, UnknownNameError, "no parameter or strategy of hazard"),
        ("hazard", [], {"over": {"main": []}}, ParameterError, "main has no values"),
        ("hazard", [], {"over": {"main": [4, 5]}}, ParameterError, "main: 4 is not allowed; .* 5 to 9"),
        ("hazard", [], {"over": {"main": "57"}}, ParameterError, "main: '5' is not a whole number"),
        ("hazard", [], {"over": {"main": [5]}, "main": 7}, ParameterError, "main can't be both given and swept"),
        ("hazard", [], {"over": {"main": [5]}, "mian": 7}, UnknownNameError, "did you mean 'main'"),
        ("hazard", ["one"], {"over": {"main": [5]}}, ParameterError, "hazard has no choices"),
        ("hazzard", [], {"over": {"main": [5]}}, UnknownNameError, "did you mean 'hazard'"),
        (None, [], {"over": {"main": [5]}}, InputError, "None is not a game"),
        ("hazard", [], {"over": {"main": [5]}, "games": 0}, ParameterError, "games: 0"),
        ("hazard", [], {"over": {"main": [5]}, "seed": "x"}, ParameterError, "seed: 'x'"),
        ("hazard", [], {"over": {"main": [5]}, "threads": 0}, ParameterError, "threads: 0"),
        ("hazard", [], {"over": {"main": [5]}, "precision": 0}, ParameterError, "precision: 0"),
        ("hazard", [], {"over": {"main": [5]}, "exact": True, "threads": 0}, ParameterError, "threads: 0"),
        ("tossup", ["one_roll"], {"over": {"one_roll": [5]}}, ParameterError, "one_roll has 0 arguments"),
        ("tossup", ["one_roll"], {"over": {"bank_over": [5]}}, ParameterError, "no seat plays bank_over without"),
        ("tossup", ["bank_over:5"], {"over": {"bank_over": [5]}}, ParameterError, "no seat plays bank_over without"),
        ("tossup", ["bank_over"], {"over": {"bank_over": [1001]}}, ParameterError, "points: 1001"),
        ("tossup", [["one_roll"] * 2], {"over": {"players": [2, 3]}}, ParameterError, "tossup has 3 seats"),
        ("tossup", [], {"over": {"green": [1, 0]}}, ParameterError, "green must weigh more than 0"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_answered(game, words, more, error, why):
    if not {"games", "threads", "precision"} & set(more):  # these are for simulate and exact to judge
        more = {**more, "progress": lambda done, total: pytest.fail("a row was begun")}
    with pytest.raises(error, match=why):
        sweep(game, *words, **more)


@pytest.mark.parametrize(
    ("words", "over"),
    [
        ([], None),
        ([], 5),
        ([], ["main"]),
        ([], {"main": 5}),
        ([], {"main": None}),
        ([], {5: [5]}),
        ([], {None: [5]}),
        ([5], {"main": [5]}),
        ([None], {"main": [5]}),
    ],
)
def test_arguments_of_a_wrong_kind_are_an_error_of_dicelab(words, over):
    with pytest.raises(InputError):
        sweep("hazard", *words, over=over, exact=True)
