"""What a simulation reports."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import re
import sys
from collections import Counter
from dataclasses import FrozenInstanceError, replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import dicelab
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.questions.policies.advice import advice
from dicelab.results.base import BaseResult
from dicelab.results.numbers.intervals import clopper_pearson
from dicelab.rules.loading.hashing import source_hash
from support import GAMES, ROOT

COIN = """
from dicelab.rules import OVER, Flag, Game, Int, Tally, d, throw, thrown

class Coin(Game):
    name = "coin"
    tossed = Flag("tossed")
    tails = Tally("tails")
    def next(self):
        return OVER if self.tossed else throw(self.toss)
    @thrown(1, d(2))
    def toss(self, face):
        self.tossed = True
        self.tails += face - 1
"""


def simulate(game, *args, games=500, seed=7, **more):
    return dicelab.simulate(game, *args, games=games, seed=seed, engine="reference", **more)


@pytest.fixture(scope="module")
def tossup():
    return simulate("tossup", ["one_roll", "bank_over"], games=200, target=40, last_turn="yes")


@pytest.fixture(scope="module")
def hazard():
    return simulate("hazard", main=5)


@pytest.fixture(scope="module")
def caster():
    return simulate("hazard-caster")


def test_estimates_are_counts_with_their_intervals(hazard):
    assert list(hazard.outcomes) == ["win", "lose"]
    wins = hazard.outcomes["win"]
    assert 0 < wins.count < 500
    assert wins.count + hazard.outcomes["lose"].count == hazard.games == 500
    assert wins.probability == wins.count / 500
    assert wins.interval == clopper_pearson(wins.count, 500)
    throws = hazard.tallies["throws"]
    assert sum(throws.histogram.values()) == 500
    assert throws.mean == sum(value * count for value, count in throws.histogram.items()) / 500
    assert throws.interval[0] < throws.mean < throws.interval[1]
    assert throws.percentile(0) == min(throws.histogram) == 1
    assert throws.percentile(1) == max(throws.histogram)


def test_plain_data_has_the_keys_that_scripts_read(tossup):
    data = tossup.to_dict()
    assert {key: data[key] for key in ("schema", "method", "game", "games", "seed", "engine", "threads")} == {
        "schema": 2,
        "method": "simulate",
        "game": "tossup",
        "games": 200,
        "seed": 7,
        "engine": "reference",
        "threads": 1,
    }
    assert data["parameters"] == {
        "players": 2,
        "dice": 10,
        "red": 1,
        "yellow": 2,
        "green": 3,
        "target": 40,
        "last_turn": True,
    }
    assert data["strategies"] == ["one_roll", "bank_over:20"]
    assert set(data["outcomes"]) == {"0", "1"}
    assert set(data["outcomes"]["0"]) == {"probability", "low", "high", "count", "seats", "label"}
    assert set(data["tallies"]) == {"turns", "throws", "busts"}
    assert set(data["tallies"]["turns"]) >= {"mean", "low", "high", "sd", "percentiles"}
    assert data["version"] == dicelab.__version__
    assert data["seconds"] > 0
    assert not {"interrupted", "note"} & set(data)


def test_a_game_of_tallies_only_has_no_outcomes(caster):
    assert caster.outcomes == {}
    assert caster.to_dict()["outcomes"] == {}
    assert "outcome" not in str(caster)
    assert set(caster.tallies) == {"throws", "rounds_won", "rounds"}


def test_interruption_and_notes_are_told_where_they_apply(hazard):
    stopped = replace(hazard, interrupted=True, note="played slowly")
    assert stopped.to_dict()["interrupted"] is True
    assert stopped.to_dict()["note"] == "played slowly"
    assert "stopped after 500 games" in str(stopped)
    assert "stopped" not in str(hazard)


@pytest.mark.slow_cases("backgammon", "cant-stop-race", "craps", "farkle", "qualify", "shut-the-box-alone", "yahtzee")
@pytest.mark.parametrize("name", GAMES)
def test_json_comes_back_as_the_same_data(name):
    result = simulate(GAMES[name], games=20)
    assert json.loads(result.to_json()) == result.to_dict()


def test_a_result_says_how_to_run_it_again(tossup):
    data = json.loads(tossup.to_json())
    again = dicelab.simulate(
        data["game"], data["strategies"], games=data["games"], seed=data["seed"], **data["parameters"]
    )
    assert again.tallied == tossup.tallied


@pytest.mark.slow_cases("backgammon", "cant-stop-race", "craps", "farkle", "qualify", "yahtzee")
@pytest.mark.parametrize("name", GAMES)
def test_text_is_aligned(name):
    blocks = str(simulate(GAMES[name], games=30)).split("\n\n")
    tables = [block.splitlines() for block in blocks if block.startswith(("outcome", "tally"))]
    assert tables
    for table in tables:
        assert len({len(line) for line in table}) == 1, "the last column ends at one place"
        assert all(line == line.rstrip() for line in table)


def test_text_tells_what_was_played(tossup, hazard):
    assert str(hazard).partition("\n\n")[2].startswith("hazard: main 5\n")
    assert "last_turn yes" in str(tossup)
    assert "strategies: player 1 one_roll, player 2 bank_over" in str(tossup)
    assert "seed 7, reference engine" in str(tossup)
    assert f"{hazard.outcomes['win'].probability:.6f}" in str(hazard)


def tables_in(result):
    """The tables that a notebook shows, as rows of cells: texts, and the length of the bar behind each, in percent."""
    page = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    bar = re.compile(r"linear-gradient\(90deg, rgba\(.*\) (.*)%, transparent 0\)")

    def cell(element):
        found = bar.search(element.attrib["style"])
        return element.text or "", float(found[1]) if found else None

    return [[list(map(cell, row)) for row in table.iter("tr")] for table in page.iter("table")]


def test_a_notebook_shows_tables_with_bars(hazard):
    outcomes, tallies = tables_in(hazard)
    assert [text for text, _ in outcomes[0]] == ["outcome", "probability", "95 % interval", "games"]
    won = hazard.outcomes["win"].probability
    assert outcomes[1][0] == ("win", None)
    assert outcomes[1][1] == (f"{won:.6f}", round(100 * won, 1))
    assert {bar for row in tallies for _, bar in row} == {None}, "a mean is no probability"


def test_a_notebook_shows_all_columns_and_the_text_around_escaped(hazard):
    shown = replace(hazard, game="<b>&")._repr_html_()
    assert shown.startswith(f"<div>{hazard.summary}</div><div>&lt;b&gt;&amp;: main 5</div><table>")
    assert shown.endswith(f"{str(hazard).splitlines()[-1]}</div>")
    assert len(tables_in(hazard)[1][0]) == 9


def test_a_bar_is_behind_a_probability_with_its_half_width_too():
    rows = tables_in(dicelab.sweep("hazard", over={"main": [5, 7]}, games=400, seed=1))[0]
    text, bar = rows[1][1]
    assert "±" in text
    assert bar == pytest.approx(100 * float(text.split()[0]), abs=0.06)


def test_an_unknown_name_suggests_the_right_one(hazard):
    with pytest.raises(UnknownNameError, match="no outcome of hazard 'won'; did you mean 'win'"):
        hazard.outcomes["won"]
    with pytest.raises(KeyError, match="no tally of hazard 'throw'; did you mean 'throws'"):
        dicelab.exact("hazard").tallies["throw"]
    with pytest.raises(UnknownNameError, match="outcome of tossup '2'"):
        dicelab.solve("tossup", target=10, dice=2).outcomes["2"]
    assert hazard.outcomes.get("won") is None
    assert "won" not in hazard.outcomes
    assert hazard.outcomes == {name: hazard.outcomes[name] for name in ("win", "lose")}
    again = pickle.loads(pickle.dumps(hazard.outcomes))
    assert again == hazard.outcomes == copy.deepcopy(again)
    with pytest.raises(UnknownNameError, match="hazard 'winn'; did you mean 'win'"):
        again["winn"]


@pytest.mark.parametrize("name", ["games", "seed", "tallied", "anything"])
def test_a_result_is_frozen(hazard, name):
    with pytest.raises(FrozenInstanceError):
        setattr(hazard, name, 1)


def test_a_frame_has_a_row_for_each_outcome_and_tally(hazard, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    rows = hazard.to_frame()
    assert [(row["kind"], row["name"]) for row in rows] == [
        ("outcome", "win"),
        ("outcome", "lose"),
        ("tally", "throws"),
    ]
    assert rows[0]["count"] == hazard.outcomes["win"].count
    assert rows[2]["mean"] == hazard.tallies["throws"].mean


def test_no_games_at_all_are_told_without_numbers(hazard):
    nothing = simulate("hazard", games=1)
    nothing = replace(nothing, games=0, interrupted=True, tallied=type(nothing.tallied).empty(2, 1))
    assert nothing.outcomes["win"].probability == 0
    assert json.loads(nothing.to_json())["tallies"] == {"throws": {}}
    assert "stopped after 0 games" in str(nothing)


# Simulation -----------------------------------------------------------------------------------------------------------


def test_where_a_precision_stops_is_on_the_schedule_and_precise():
    result = dicelab.simulate("hazard", precision=0.02, seed=3, engine="reference")
    assert result.games in (1000, 1250, 1562, 1952, 2440, 3050)
    low, high = result.outcomes["win"].interval
    assert (high - low) / 2 <= 0.02
    shorter = simulate("hazard", games=result.games * 4 // 5, seed=3)
    low, high = shorter.outcomes["win"].interval
    assert (high - low) / 2 > 0.02


def test_a_precision_may_be_about_a_mean():
    result = dicelab.simulate("hazard-caster", precision=0.5, on="rounds", seed=3, engine="reference")
    low, high = result.tallies["rounds"].interval
    assert (high - low) / 2 <= 0.5


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"games": 0}, "games: 0"),
        ({"games": -1}, "games: -1"),
        ({"games": 1.5}, r"games: 1\.5"),
        ({"games": True}, "games: True"),
        ({"precision": 0}, "precision: 0"),
        ({"precision": -0.1}, "precision"),
        ({"precision": float("nan")}, "precision: nan"),
        ({"precision": "0.1"}, "precision"),
        ({"games": 10, "precision": 0.1}, "not both"),
        ({"on": "throws"}, "precision"),
        ({"threads": 0}, "threads: 0"),
        ({"limit": 0}, "limit: 0"),
        ({"seed": -1}, "seed: -1"),
        ({"engine": "quick"}, "engine: 'quick'"),
        ({"main": 13}, "main: 13 .* 5 to 9"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused_by_name(settings, told):
    with pytest.raises(ParameterError, match=told):
        dicelab.simulate("hazard", **settings)


def test_the_tally_of_a_precision_must_be_known():
    with pytest.raises(UnknownNameError, match="did you mean 'throws'"):
        dicelab.simulate("hazard", precision=0.1, on="throw")
    with pytest.raises(ParameterError, match="tallies only"):
        dicelab.simulate("hazard-caster", precision=0.1)


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_an_interrupt_leaves_the_longest_unbroken_run_of_games(engine):
    def stop(games, wanted):
        assert wanted == 10**9
        if games >= 20:
            raise KeyboardInterrupt

    result = dicelab.simulate("hazard", games=10**9, seed=5, threads=2, engine=engine, progress=stop)
    assert result.interrupted
    assert 20 <= result.games < 10**9
    assert result.tallied == simulate("hazard", games=result.games, seed=5).tallied


def test_a_number_of_games_from_numpy_is_a_number():
    assert simulate("hazard", games=np.int64(10), seed=np.int64(3)).games == 10


def test_progress_is_told_up_to_the_end():
    told = []
    simulate("hazard", games=50, progress=lambda games, wanted: told.append((games, wanted)))
    assert [wanted for _, wanted in told] == [50] * len(told)
    assert [games for games, _ in told] == sorted(games for games, _ in told)
    assert told[-1] == (50, 50)


# Provenance -----------------------------------------------------------------------------------------------------------


def test_the_hash_is_that_of_the_file_of_the_game():
    file = ROOT / "examples" / "pig.py"
    assert simulate(str(file), games=1).source_hash == hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def test_the_hash_is_that_of_the_file_though_another_file_has_its_name(tmp_path):
    games = []
    for folder, text in (("a", COIN), ("b", COIN + "# another\n")):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "coin.py"
        file.write_text(text)
        games.append((dicelab.find(str(file)), hashlib.sha256(text.encode()).hexdigest()[:16]))
    for game, expected in games:
        assert simulate(game, games=1).source_hash == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*has been edited since it was loaded")
def test_a_game_is_simulated_by_the_rules_that_were_read(tmp_path):
    """An edited file is another game once it is read again; what was read before stays what it was."""
    file = tmp_path / "coin.py"
    file.write_text(COIN)
    before = dicelab.find(str(file))
    file.write_text(COIN.replace("face - 1", "face + 9"))
    after = dicelab.find(str(file))
    for engine in ("reference", "compiled"):
        seen = [
            set(dicelab.simulate(game, games=50, seed=1, engine=engine).tallies["tails"].histogram)
            for game in (before, after)
        ]
        assert seen == [{0, 1}, {10, 11}]


def test_the_histogram_of_a_tally_counts_every_outcome(hazard):
    by_outcome = [hazard.tallied.histograms[k][0] for k in range(2)]
    assert hazard.tallies["throws"].histogram == Counter(by_outcome[0]) + Counter(by_outcome[1])


# Every kind of result alike -------------------------------------------------------------------------------------------

SHORT = {"dice": 2, "target": 4}
SEATS = ["one_roll", "bank_over:1"]
KINDS = {
    "simulation": lambda: simulate("tossup", SEATS, games=60, **SHORT),
    "exact": lambda: dicelab.exact("tossup", SEATS, **SHORT),
    "exact in floats": lambda: dicelab.exact("tossup", SEATS, fractions=False, **SHORT),
    "comparison": lambda: dicelab.compare("tossup", SEATS, games=60, seed=7, **SHORT),
    "exact comparison": lambda: dicelab.compare("tossup", SEATS, exact=True, **SHORT),
    "sweep": lambda: dicelab.sweep("tossup", over={"target": [3, 4]}, games=60, seed=7, dice=2),
    "exact sweep": lambda: dicelab.sweep("tossup", "one_roll", over={"target": [3, 4]}, exact=True, dice=2),
    "both": lambda: dicelab.Beside(KINDS["simulation"](), KINDS["exact"]()),
}
CASINO = {"until_rounds": 3, "bankroll": 30}
OTHERS = {
    "edges": lambda: dicelab.edges("pass-line", check=60, seed=7),
    "exact edges": lambda: dicelab.edges("craps-bet", only="hard*"),
    "session": lambda: dicelab.session("craps", "line", games=60, seed=7, **CASINO),
    "systems": lambda: dicelab.systems("craps", ["line", "watch"], games=60, seed=7, **CASINO),
    "bound": lambda: dicelab.for_ruin("craps", "line", 0.1, seed=7, step=10, **CASINO),
    "convergence": lambda: dicelab.convergence("lcr", games=60, seed=7, players=3),
    "cost": lambda: dicelab.exact_cost("tossup", SEATS, **SHORT),
    "cost of a solution": lambda: dicelab.solve_cost("tossup", **SHORT),
    "race": lambda: dicelab.race(GAMES["pig-alone"], ["hold_at:5", "hold_at:9"], target=20),
    "solution": lambda: dicelab.solve("tossup", **SHORT),
    "advice": lambda: advice(dicelab.solve("tossup", **SHORT).policy, player=0),
    "rule": lambda: dicelab.rule(dicelab.solve("tossup", **SHORT).policy, leaves=2),
    "learned": lambda: dicelab.learn("tossup", games=60, seed=7, points=2, **SHORT),
}
SIMULATED = {
    "simulation",
    "comparison",
    "sweep",
    "both",
    "edges",
    "session",
    "systems",
    "bound",
    "convergence",
    "learned",
}
UNIFORM = {"schema", "method", "game", "parameters", "strategies", "seconds", "version", "source_hash"}


@pytest.mark.slow_cases("bound", "exact edges", "rule", "session", "systems")
@pytest.mark.parametrize("kind", [*KINDS, *OTHERS])
def test_every_result_has_the_same_forms_and_says_what_was_asked(kind):
    pytest.importorskip("pandas")
    result = (KINDS | OTHERS)[kind]()
    assert isinstance(result, BaseResult)
    data = result.to_dict()
    assert set(data) >= UNIFORM
    assert data["source_hash"] == source_hash(GAMES[data["game"]])
    assert data["version"] == dicelab.__version__
    assert data["seconds"] == result.seconds >= 0
    assert data.get("seed") == result.seed == (7 if kind in SIMULATED else None)
    assert json.loads(result.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is not JSON")) == data
    assert len(result.to_frame()) > 0
    assert re.fullmatch(rf"<{type(result).__name__} of {result.game}\b[^\n]{{,110}}>", repr(result)), repr(result)
    assert tables_in(result) or kind.startswith("cost")
    assert data["game"] in str(result) or kind == "advice"
    assert "" in str(result).splitlines()[1:4]  # below the head
    with pytest.raises(TypeError, match="positional argument"):
        type(result)(*range(20))


@pytest.fixture(scope="module", params=KINDS)
def result(request):
    return KINDS[request.param]()


def without_time(data):
    """Plain data without how long it took."""
    if isinstance(data, dict):
        return {key: without_time(value) for key, value in data.items() if key != "seconds"}
    return [without_time(value) for value in data] if isinstance(data, list) else data


def test_every_result_is_plain_data_json_a_table_and_text(result):
    pytest.importorskip("pandas")
    data = result.to_dict()
    assert data["schema"] == 2
    assert data["method"] in ("simulate", "exact", "compare", "sweep")
    assert data["game"] == "tossup"
    assert data["version"] == dicelab.__version__
    assert json.loads(result.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is not JSON")) == data
    assert len(result.to_frame()) > 0
    assert str(result).partition("\n\n")[2 if result.summary else 0].startswith("tossup")
    assert not any(line != line.rstrip() for line in str(result).splitlines())
    assert tables_in(result)


def test_every_result_survives_a_pickle_and_a_copy(result):
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again == result
        assert again.to_json() == result.to_json()
        assert str(again) == str(result)


def test_results_to_the_same_question_are_the_same_but_for_the_time(request, result):
    again = KINDS[request.node.callspec.params["result"]]()
    assert without_time(again.to_dict()) == without_time(result.to_dict())


@pytest.mark.parametrize("kind", ["simulation", "exact"])
def test_results_are_equal_by_value(kind):
    """The time that they took is part of them, and so is put aside."""
    one, other = KINDS[kind](), KINDS[kind]()
    other = replace(other, seconds=one.seconds)
    if kind == "exact":
        other = replace(other, answer=replace(other.answer, seconds=one.answer.seconds))
    assert one == other
    assert one != replace(other, game="another")
    assert KINDS["simulation"]() != KINDS["exact"]()


def test_results_of_other_questions_differ():
    assert dicelab.exact("hazard", main=5).answer != dicelab.exact("hazard", main=6).answer
    assert simulate("hazard", seed=1).tallied != simulate("hazard", seed=2).tallied


def test_without_pandas_every_result_says_what_to_install(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ParameterError, match="pip install 'dicelab\\[table\\]'"):
        result.to_frame()


def test_simulated_and_exact_results_answer_the_same_calls():
    simulated, exact = KINDS["simulation"](), KINDS["exact"]()
    assert list(simulated.outcomes) == list(exact.outcomes) == ["0", "1"]
    assert list(simulated.tallies) == list(exact.tallies) == ["turns", "throws", "busts"]
    assert set(simulated.fairness) == set(exact.fairness)
    for one in (simulated, exact):
        assert sum(p.probability for p in one.outcomes.values()) == pytest.approx(1)
        for p in one.outcomes.values():
            assert p.interval[0] <= p.probability <= p.interval[1]
        for tally in one.tallies.values():
            assert tally.interval[0] <= tally.mean <= tally.interval[1]
            assert sum(tally.probabilities.values()) == pytest.approx(1)
            assert list(tally.probabilities) == sorted(tally.probabilities)
            low, high = tally.percentile_interval(0.9)
            assert low <= tally.percentile(0.9) <= high
            mean = sum(value * p for value, p in tally.probabilities.items())
            assert mean == pytest.approx(tally.mean)
        rows = one.given("turns", 1)
        assert sum(row.probability for row in rows) == pytest.approx(1)
        assert sum(row.probability * row.outcomes["0"].probability for row in rows) == pytest.approx(
            one.outcomes["0"].probability
        )


def test_the_interval_of_a_number_in_floating_point_is_its_bound():
    fractions, floats = KINDS["exact"](), KINDS["exact in floats"]()
    for name, p in fractions.outcomes.items():
        low, high = floats.outcomes[name].interval
        assert low < float(p.fraction) < high
        assert high - low < 1e-9
        assert p.interval == (p.probability, p.probability)
    for name, tally in fractions.tallies.items():
        low, high = floats.tallies[name].interval
        assert low < float(tally.fraction) < high
        assert high - low < 1e-6
        assert tally.interval == (tally.mean, tally.mean)


@pytest.mark.slow_cases("tossup")
@pytest.mark.parametrize("name", ["hazard", "hazard-caster", "lcr", "tossup"])
def test_records_are_every_game_in_order_and_the_same_on_both_engines(name):
    one = simulate(GAMES[name], games=30, records=True)
    other = dicelab.simulate(GAMES[name], games=30, seed=7, engine="compiled", threads=2, records=True)
    assert one.records.shape == (30, 1 + len(one.tally_names))
    assert one.records.dtype == other.records.dtype == np.int64
    assert one.records.tolist() == other.records.tolist()
    for k, outcome in enumerate(one.outcomes.values()):
        assert (one.records[:, 0] == k).sum() == outcome.count
    for k, tally in enumerate(one.tallies.values()):
        assert Counter(one.records[:, 1 + k].tolist()) == tally.histogram
    shorter = simulate(GAMES[name], games=10, records=True)
    assert shorter.records.tolist() == one.records[:10].tolist()


def test_no_records_are_kept_where_none_were_asked_for():
    assert simulate("hazard", games=10).records.shape == (0, 2)


def test_every_cell_of_a_table_is_a_number_or_a_word():
    pytest.importorskip("pandas")
    for kind in ("simulation", "exact"):
        cells = KINDS[kind]().to_frame().to_numpy().ravel().tolist()
        assert {type(cell) for cell in cells} <= {int, float, str, type(None)}


def test_the_representation_is_one_line_with_the_main_numbers(hazard):
    won = hazard.outcomes["win"].probability
    assert repr(hazard) == f"<Simulation of hazard(main=5): 500 games, seed 7; win {won:.6f}, lose {1 - won:.6f}>"
    assert repr(dicelab.exact("hazard")) == "<Exact of hazard: win 0.492929, lose 0.507071>"
    assert repr(dicelab.exact("hazard", main=7).tallies["throws"]).startswith("Distribution(mean=3.3757")
    assert re.fullmatch(r"Average\(mean=3\.\d+, sd=\d\.\d+, games=500\)", repr(hazard.tallies["throws"]))
    assert repr(dicelab.edges("pass-line").rows) == "[<Edge of pass-line: 1.4141 %>]"


def test_advice_leaves_out_what_says_nothing_about_a_state():
    best = dicelab.solve("tossup", **SHORT).policy
    head = str(advice(best, player=0, points=1, scores=(0, 1))).split("\n\n")[1]
    assert head.endswith("win; at player=player 1, points=1, scores[player 1]=0, scores[player 2]=1")
    assert "leader=-1" in str(advice(best, player=0, points=1, leader=-1))  # because it was asked for
    assert advice(best, player=0).rows[0].state.keys() >= {"rolled", "over", "leader"}
