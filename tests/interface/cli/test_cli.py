"""The command line as a person or a script uses it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from importlib import import_module
from pathlib import Path

import click
import pytest

import dicelab as library
from dicelab.engines import player
from dicelab.engines.player import ChosenEngine
from dicelab.interface.cli.main import app
from dicelab.interface.cli.output import games_played, rows_done, states_expanded, words_shown
from dicelab.questions import LISTED
from dicelab.questions.declare import declared
from dicelab.results.base import head
from dicelab.results.numbers.intervals import LEVEL_OF_LOOKS, z_of
from dicelab.runtime.scheduler import Tallied

COMMANDS = app.list_commands(click.Context(app))
SIMULATE_KEYS = {*head("simulate"), "summary", "engine", "threads", "outcomes", "tallies"}

# The table of issue 2: these names are the names in commands, calls and JSON.
NAMES = {
    "hazard": ("main", "win lose", "throws", ""),
    "hazard-caster": ("main losses", "", "rounds_won rounds throws", ""),
    "pass-line": ("stake", "win lose", "throws money", ""),
    "tossup": (
        "players dice red yellow green target last_turn",
        "0 1",
        "turns throws busts",
        "bank_over:20 one_roll bank_over_or_win:20",
    ),
    "lcr": ("players coins dice", "0 1 2 3", "turns throws", ""),
    "pig": ("players target", "0 1", "turns throws", "hold_at:20"),
}


@pytest.fixture
def game_named(pig):
    """What to write for a game of the table: its name, or the path of the example."""
    return lambda name: pig if name == "pig" else name


# list ------------------------------------------------------------------------------------------------------------


def test_list_has_a_line_for_every_game_with_what_it_is(dicelab):
    said = dicelab("list")
    assert (said.status, said.err) == (0, "")
    lines = [line.split(maxsplit=1) for line in said.out.splitlines()]
    assert {name for name, _ in lines} >= {"hazard", "hazard-caster", "lcr", "pass-line", "tossup"}
    assert lines == sorted(lines)


def test_list_as_json_has_the_same_games(dicelab):
    data = dicelab("list", "--json").json
    assert (data["schema"], data["method"]) == (2, "list")
    lines = dicelab("list").out.splitlines()
    assert [[row["game"], row["about"]] for row in data["rows"]] == [line.split(maxsplit=1) for line in lines]


# show ------------------------------------------------------------------------------------------------------------


def test_show_tells_all_there_is_to_know_before_playing(dicelab):
    said = dicelab("show", "tossup")
    assert (said.status, said.err) == (0, "")
    shown = ["last_turn", "2 to 8", "weight of a die's green face", "busts", "roll, bank", "bank_over:20", "default"]
    for word in [*shown, "one_roll", "Bank after the first roll", "scores", "Statistical Odds & Ends"]:
        assert word in said.out


@pytest.mark.parametrize("name", NAMES)
def test_the_names_of_the_table_are_the_names_on_the_card(dicelab, game_named, name):
    parameters, outcomes, tallies, strategies = (part.split() for part in NAMES[name])
    card = dicelab("show", game_named(name), "--json").json
    assert (card["schema"], card["method"], card["game"]) == (2, "show", name)
    declared = card["declared"]
    assert [p["name"] for p in declared["parameters"]] == parameters
    assert declared["outcomes"] == outcomes
    assert sorted(declared["tallies"]) == sorted(tallies)
    assert [s["written"] for s in declared["strategies"]] == strategies
    assert card["source"]


# simulate --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_names_of_the_table_are_the_names_in_results(dicelab, game_named, name):
    parameters, outcomes, tallies, strategies = (part.split() for part in NAMES[name])
    said = dicelab("simulate", game_named(name), "--games", "20", "--seed", "1", "--json")
    data = said.json
    assert (said.status, said.err) == (0, "")
    assert set(data) == SIMULATE_KEYS | ({"fairness"} if "0" in outcomes else set())
    assert (data["schema"], data["method"], data["game"], data["games"], data["seed"]) == (2, "simulate", name, 20, 1)
    assert list(data["parameters"]) == parameters
    assert list(data["outcomes"]) == outcomes
    assert sorted(data["tallies"]) == sorted(tallies)
    assert {text.partition(":")[0] for text in data["strategies"]} == {
        text.partition(":")[0] for text in strategies[:1]
    }
    for outcome in data["outcomes"].values():
        assert set(outcome) - {"seats", "label"} == {"probability", "low", "high", "count"}
        assert outcome["low"] <= outcome["probability"] == outcome["count"] / 20 <= outcome["high"]
    for tally in data["tallies"].values():
        assert set(tally) >= {"mean", "low", "high", "sd", "percentiles"}
        assert within(tally["mean"], tally["low"], tally["high"])
        assert set(tally["percentile_intervals"]) == {"p10", "p50", "p90"}
        for name, (low, high) in tally["percentile_intervals"].items():
            assert within(tally["percentiles"][name], low, high)
            assert {low, high} - {None} <= set(range(tally["min"], tally["max"] + 1))
    assert sum(outcome["count"] for outcome in data["outcomes"].values()) in (20, 0)


def within(number, low, high):
    """Is a number in an interval, whose ends may be open?"""
    return (low is None or low <= number) and (high is None or number <= high)


def test_one_game_is_enough_for_json_without_nan(dicelab):
    assert dicelab("simulate", "hazard-caster", "--games", "1", "--json").json["games"] == 1


def test_simulate_prints_a_table(dicelab):
    said = dicelab("simulate", "tossup", "--games", "20", "--seed", "7", "--last-turn")
    assert (said.status, said.err) == (0, "")
    for word in ["tossup: last_turn yes", "bank_over:20 for every player", "busts", "20 games, seed 7"]:
        assert word in said.out


def without_time(data):
    return {key: value for key, value in data.items() if key not in ("seconds", "engine", "threads")}


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result_in_every_form_of_the_command(dicelab):
    forms = [
        "simulate lcr --players 3 --games 300 --seed 5 --json",
        "simulate --json --seed 5 --games 300 --players 3 lcr",
        "simulate --players 3 lcr --json --games=3e2 --seed=5",
        "simulate -n 3_00 lcr --seed 5 --players=3 --json",
        "simulate -n300 lcr --seed 5 --players=3 --json",
        "simulate --json --seed 5 -n300 --players 3 -- lcr",
        "simulate lcr --players 3 --games 300 --seed 5 --json --engine reference --threads 2",
    ]
    results = [without_time(dicelab(*form.split()).json) for form in forms]
    assert results[0]["games"] == 300
    assert results[0]["parameters"] == {"players": 3, "coins": 3, "dice": 3}
    assert all(result == results[0] for result in results)
    other = dicelab("simulate", "lcr", "--players", "3", "--games", "300", "--seed", "6", "--json").json
    assert other["tallies"] != results[0]["tallies"]


@pytest.mark.slow_cases("reference")
@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_the_library_and_the_command_line_give_the_same_result(dicelab, engine):
    result = library.simulate("hazard", main=5, games=2000, seed=3, engine=engine, threads=2)
    command = f"simulate hazard --main 5 --games 2000 --seed 3 --engine {engine} --threads 2 --json"
    said = dicelab(*command.split()).json
    assert without_time(said) == without_time(result.to_dict())
    assert (said["engine"], said["threads"]) == (engine, 2 if engine == "compiled" else 1)


@pytest.mark.slow_cases("--last-turn-True")
@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("", False),
        ("--last-turn", True),
        ("--last_turn", True),
        ("--last-turn yes", True),
        ("--last-turn=no", False),
        ("--last-turn no", False),
        ("--last_turn no --games 5", False),
        ("--last-turn --games 5", True),
    ],
)
def test_a_switch_is_turned_on_by_its_name_and_off_by_no(dicelab, words, value):
    few = [] if "--games" in words else ["--games", "5"]
    data = dicelab("simulate", "tossup", *few, "--json", *words.split()).json
    assert data["parameters"]["last_turn"] is value


@pytest.mark.parametrize("words", ["--last-turn tossup", "--last-turn no tossup", "--last_turn --json tossup"])
def test_a_switch_may_stand_before_the_game(dicelab, words):
    data = dicelab("simulate", "--games", "5", *words.split(), *([] if "--json" in words else ["--json"])).json
    assert data["parameters"]["last_turn"] is ("no" not in words)


@pytest.mark.parametrize(("written", "games"), [("1e3", 1000), ("1_000", 1000), ("12", 12), ("2e0", 2)])
def test_numbers_are_written_as_people_write_them(dicelab, written, games):
    assert dicelab("simulate", "hazard", "--games", written, "--json").json["games"] == games


def test_every_whole_number_may_be_written_with_e(dicelab):
    command = "simulate pass-line --games 1e1 --seed 1e2 --stake 1e3 --threads 1e0 --limit 1e4 --json"
    data = dicelab(*command.split()).json
    assert (data["games"], data["seed"], data["parameters"]) == (10, 100, {"stake": 1000})


def test_a_seed_is_drawn_and_reported(dicelab):
    command = ["simulate", "hazard", "--games", "50", "--json"]
    first, second = dicelab(*command).json, dicelab(*command).json
    assert first["seed"] != second["seed"]
    again = dicelab(*command, "--seed", str(first["seed"])).json
    assert without_time(again) == without_time(first)


def test_the_largest_seed(dicelab):
    seed = 2**64 - 1
    assert dicelab("simulate", "hazard", "--games", "5", "--seed", str(seed), "--json").json["seed"] == seed


def test_one_strategy_for_all_seats_or_one_for_each(dicelab):
    def seats(*strategies):
        words = [word for s in strategies for word in ("--strategy", s)]
        return dicelab("simulate", "tossup", "--players", "3", "--games", "5", *words, "--json").json["strategies"]

    assert seats() == ["bank_over:20"] * 3
    assert seats("one_roll") == ["one_roll"] * 3
    assert seats("bank_over") == ["bank_over:20"] * 3
    assert seats("one_roll", "bank_over:50", "bank_over_or_win:1e1") == [
        "one_roll",
        "bank_over:50",
        "bank_over_or_win:10",
    ]


def test_strategies_sit_in_the_order_written(dicelab):
    command = "simulate tossup --games 100 --seed 1 --json -s one_roll -s bank_over:20"
    assert dicelab(*command.split()).json["outcomes"]["1"]["probability"] > 0.9


# simulate --precision --------------------------------------------------------------------------------------------


def half_width(estimate):
    return (estimate["high"] - estimate["low"]) / 2


def looks(upto):
    """The numbers of games at which precision is looked at, as `dicelab.simulate` documents them."""
    games = 1000
    while games <= upto:
        yield games
        games += games // 4


@pytest.mark.slow
@pytest.mark.parametrize(("about", "precision"), [("outcomes", 0.01), ("throws", 0.05)])
def test_precision_is_reached_at_the_first_look_that_reaches_it(dicelab, about, precision):
    def estimates(*words):
        data = dicelab("simulate", "hazard", "--seed", "2", "--json", "--engine", "reference", *words).json
        return data["games"], [data["tallies"]["throws"]] if about == "throws" else data["outcomes"].values()

    on = ["--on", "throws"] if about == "throws" else []
    games, found = estimates("--precision", str(precision), *on)
    assert max(half_width(estimate) for estimate in found) <= precision
    *_, before, last = looks(games)
    assert last == games
    _, found = estimates("--games", str(before))
    wider = z_of(LEVEL_OF_LOOKS) / z_of()  # intervals of a precision are wider, to allow for looking many times
    assert max(half_width(estimate) for estimate in found) * wider > precision


@pytest.mark.slow
def test_where_precision_stops_depends_on_neither_engine_nor_threads(dicelab):
    ways = ["--engine reference", "--engine compiled --threads 1", "--engine compiled --threads 2", "--engine auto"]
    command = "simulate hazard --precision 0.01 --seed 4 --json"
    results = [without_time(dicelab(*command.split(), *way.split()).json) for way in ways]
    assert results[0]["games"] > 1000
    assert all(result == results[0] for result in results)


# a game in a file ------------------------------------------------------------------------------------------------


def test_a_file_is_a_game_in_every_command(dicelab, pig):
    named = [pig, f"{pig}:pig", os.path.relpath(pig)]
    assert all(dicelab("show", name, "--json").json["game"] == "pig" for name in named)
    command = ["--games", "20", "--seed", "1", "--target", "30", "--players", "3", "--json"]
    results = [without_time(dicelab("simulate", name, *command).json) for name in named]
    assert results[0]["parameters"] == {"players": 3, "target": 30}
    assert all(result == results[0] for result in results)


TWINS = """
class Other(Tiny):
    \"\"\"The other game of this file.\"\"\"

    name = "other"
"""


def test_one_of_several_games_in_a_file_is_named_after_a_colon(dicelab, tiny):
    file = tiny("\n\n@strategy(", f"\n{TWINS}\n\n@strategy(")
    dicelab("simulate", file).must_refuse(2, f"{file}:other")
    assert dicelab("show", f"{file}:other", "--json").json["about"] == "The other game of this file."
    assert dicelab("show", f"{file}:tiny", "--json").json["game"] == "tiny"


def test_a_file_in_the_folder_is_given_by_its_name_alone(dicelab, tiny, monkeypatch):
    monkeypatch.chdir(Path(tiny()).parent)
    assert dicelab("show", "tiny.py", "--json").json["game"] == "tiny"


# help ------------------------------------------------------------------------------------------------------------


def test_help_lists_the_commands(dicelab):
    said = dicelab("--help")
    assert (said.status, said.err) == (0, "")
    listed = re.findall(r"(?m)^  (\w+) +(\S.*)$", said.out.partition("\nGames:\n")[2])
    assert sorted(name for name, _ in listed) == COMMANDS
    assert not [about for _, about in listed if about.endswith("...")], "cut off"
    assert dicelab("-h").out == said.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example(dicelab, command):
    said = dicelab(command, "--help")
    assert (said.status, said.err) == (0, "")
    assert re.search(rf"Examples?:\n +dicelab {command}", said.out)
    assert said.out == dicelab(command, "-h").out


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", ["simulate", "exact", "compare", "sweep", "play", "show"])
def test_help_about_a_game_lists_its_parameters_from_their_declarations(dicelab, game_named, command, name):
    card = dicelab("show", game_named(name), "--json").json["declared"]
    text = " ".join(dicelab(command, game_named(name), "--help").out.split())
    for p in card["parameters"]:
        default = "no" if p["default"] is False else p["default"]
        assert f"--{p['name'].replace('_', '-')}" in text
        assert f"{p['help']} ({p['allowed']}) [default: {default}]" in text


@pytest.mark.parametrize(
    "words", ["hazard -h", "--help hazard", "-h hazard", "--games 5 hazard --help", "--json -h hazard"]
)
def test_help_about_a_game_is_asked_for_anywhere(dicelab, words):
    assert dicelab("simulate", *words.split()).out == dicelab("simulate", "hazard", "--help").out


def test_help_says_that_a_game_is_unknown(dicelab):
    dicelab("simulate", "hazzard", "--help").must_refuse(2, "did you mean 'hazard'?")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("simulat hazard", "simulate"),
        ("lst", "list"),
        ("show hazzard", "hazard"),
        ("simulate toss-up", "tossup"),
        ("simulate tossup -s bankover:20", "bank_over"),
        ("simulate hazard --mian 5", "--main"),
        ("simulate lcr --player 5", "--players"),
        ("simulate lcr --player=5", "--players"),
        ("simulate --player 5 lcr", "--players"),
        ("simulate hazard --game 5", "--games"),
        ("simulate tossup --lastturn", "--last-turn"),
        ("simulate hazard --precision 0.1 --on throw", "throws"),
        ("list --jsn", "--json"),
    ],
)
def test_a_slip_of_the_pen_gets_the_nearest_name(dicelab, words, meant):
    said = dicelab(*words.split())
    said.must_refuse(2, meant)
    assert "did you mean" in said.err.lower()


def test_every_example_in_a_help_is_a_command_that_is_understood(dicelab):
    """Each is asked for its help, with a file that is there: options and games that do not exist would be refused."""
    examples = [line.strip() for name in COMMANDS for line in dicelab(name, "--help").out.splitlines()]
    examples += [line.strip() for line in dicelab("--help").out.splitlines()]
    pig = Path(__file__).parents[3] / "examples" / "pig.py"
    commands = {line for line in examples if line.startswith("dicelab ")}
    assert len(commands) >= len(COMMANDS)
    for line in commands:
        said = dicelab(*re.sub(r"\./\w+\.py", str(pig), line).split()[1:], "--help")
        assert (said.status, said.err) == (0, ""), line


def test_version(dicelab):
    said = dicelab("--version")
    assert (said.status, said.out) == (0, f"dicelab {library.__version__}\n")


HEAVY = "flint", "llvmlite", "matplotlib", "numba", "numpy", "pandas", "pyarrow", "rich", "scipy"


@pytest.mark.parametrize("code", [f"main({words.split()})" for words in ("exact --help", "sweep lcr --help")])
def test_help_of_a_question_imports_nothing_heavy(code):
    assert imported_by(code, HEAVY) == "[]\n"


@pytest.mark.parametrize(
    "code",
    ["import dicelab; dir(dicelab)", *(f"main({words.split()})" for words in ("--help", "--version", "list"))],
)
def test_what_needs_no_numbers_imports_nothing_heavy_and_translates_no_rules(code):
    assert imported_by(code, (*HEAVY, "dicelab.translation.translator")) == "[]\n"


def imported_by(code, heavy):
    """Return which of some modules a fresh Python has imported after this code, as a line."""
    script = f"""
import sys
from contextlib import suppress
from dicelab.interface.cli.main import main
with suppress(SystemExit):
    {code}
print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return done.stderr


# streams, folders, exit statuses ---------------------------------------------------------------------------------

SIMULATE = ["simulate", "hazard", "--games", "50", "--seed", "1"]
WRITERS = [["list"], ["show", "hazard"], [*SIMULATE, "--json"], ["--help"]]
ANSWERS = [["exact", "hazard"], ["sweep", "hazard", "--over", "main=5,6", "--exact", "--csv"]]


@pytest.mark.slow
def test_results_go_to_stdout_and_nothing_else_does(shell, dicelab):
    said = shell(*SIMULATE, "--json")
    assert (said.status, said.err) == (0, "")
    assert without_time(said.json) == without_time(dicelab(*SIMULATE, "--json").json)


def test_errors_go_to_stderr(shell):
    shell("simulate", "hazzard").must_refuse(2, "did you mean 'hazard'?")


@pytest.mark.slow
def test_a_game_that_goes_wrong_is_a_failure(shell, tiny):
    shell("simulate", tiny("Int(0, 30", "Int(0, 8"), "--seed", "1").must_refuse(1, "outside its declared range 0 to 8")


@pytest.mark.slow
def test_what_a_file_prints_does_not_mix_with_the_result(shell, tiny):
    noisy = tiny("class Move", 'print("hello")\n\n\nclass Move')
    assert shell("simulate", noisy, "--games", "5", "--json").json["games"] == 5


@pytest.mark.parametrize("progress", [games_played, states_expanded, words_shown, partial(rows_done, "rows")])
def test_what_is_printed_while_an_answer_is_computed_goes_to_stderr(capsys, progress):
    with progress():
        print("hello")
    print("the result")
    assert capsys.readouterr() == ("the result\n", "hello\n")


@pytest.mark.parametrize("alike", [True, False])
def test_rows_that_take_as_long_as_each_other_have_a_time_that_is_left(monkeypatch, limits, capsys, alike):
    limits(left_seconds=0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with rows_done("bets", alike) as progress:
        for at in range(31):
            progress(at, 100)
            time.sleep(0.02)
    shown = capsys.readouterr().err
    assert "bets: 30 of 100" in shown
    assert bool(re.search(r"0:0\d:\d\d", shown)) == alike
    assert {name for name in LISTED if declared(name).alike} >= {"par", "edges", "with_dice"}


@pytest.mark.slow_cases("raise SystemExit")
@pytest.mark.parametrize("end", ["raise SystemExit", "raise SystemExit(3)"])
def test_a_rule_cannot_end_the_command_in_silence(shell, tiny, end):
    file = tiny("        self.points += face", f"        {end}")
    shell("simulate", file, "--games", "5", "--seed", "1").must_refuse(2, "in die: die uses raise; return a move")


@pytest.mark.slow
def test_the_working_folder_stays_clean(shell, tiny, tmp_path):
    file = Path(tiny()).name
    before = sorted(tmp_path.rglob("*"))
    assert shell("show", f"{file}:tiny").status == 0
    assert shell("simulate", file, "--games", "20").status == 0
    assert shell("simulate", file, "--games", "20", "--engine", "compiled").status == 0
    assert shell("exact", file).status == 0
    assert shell("check", file).status == 0
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.slow_cases(
    "exact hazard", "simulate hazard --games 50 --seed 1 --json", "sweep hazard --over main=5,6 --exact --csv"
)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="full disks are tried by /dev/full, which only Linux has")
@pytest.mark.parametrize("words", [*WRITERS, *ANSWERS], ids=" ".join)
def test_a_full_disk_is_a_failure_in_words(shell, words):
    with open("/dev/full", "w") as full:
        said = shell(*words, stdout=full)
    said.must_refuse(1, "No space left")


@pytest.mark.slow_cases(
    "exact hazard", "simulate hazard --games 50 --seed 1 --json", "sweep hazard --over main=5,6 --exact --csv"
)
@pytest.mark.parametrize("words", [*WRITERS, *ANSWERS], ids=" ".join)
def test_a_reader_that_goes_away_is_no_reason_for_a_traceback(shell, words):
    out, into = os.pipe()
    os.close(out)
    try:
        said = shell(*words, stdout=into)
    finally:
        os.close(into)
    assert (said.status, said.err) == (1, "")


@pytest.mark.slow_cases(
    "2>&--simulate hazard --games 50 --seed 1 --json",
    ">&- 2>&--simulate hazard --games 50 --seed 1 --json",
    ">&--simulate hazard --games 50 --seed 1 --json",
)
@pytest.mark.parametrize("words", [*WRITERS, ["simulate", "hazzard"]], ids=" ".join)
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_reason_for_a_traceback(shell, tmp_path, words, closed):
    script = tmp_path / "closed.sh"
    script.write_text(f'exec "$@" {closed}\n')
    command = ["sh", str(script), sys.executable, "-m", "dicelab", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr
    assert "AttributeError" not in done.stderr
    lost = ">&-" in closed.split()
    assert done.returncode == (2 if "hazzard" in words else lost)


@pytest.mark.parametrize("words", ["simulate hazard", "exact hazard", "sweep hazard --over main=5,6"])
def test_too_little_memory_is_a_failure_in_words(dicelab, monkeypatch, words):
    def fill(*words, **more):
        raise MemoryError("Unable to allocate 2.98 GiB for an array with shape (200000000, 2) and data type int64")

    import_module("dicelab.questions.sweeps.points")  # imported after another was patched it would keep the patch
    for name in ("questions.exact.remembered", "questions.simulate.target", "questions.sweeps.points.simulate"):
        monkeypatch.setattr(f"dicelab.{name}", fill)
    dicelab(*words.split()).must_refuse(1, "memory")


def test_an_engine_that_plays_other_games_than_the_reference_engine_ends_the_command(dicelab, monkeypatch, limits):
    class Loses:
        name = "compiled"

        def play(self, seed, low, high):
            return Tallied([0, high - low], [[Counter()], [Counter({1: high - low})]])

    limits(first_work=1)
    monkeypatch.setattr(player, "chosen", lambda *_: ChosenEngine(Loses(), {}))
    limits(compiling_work=1)
    said = dicelab("simulate", "hazard", "--games", "1e4", "--seed", "1", "--json")
    said.must_refuse(
        1, "hazard: two engines disagree on seed 1, game 0: the compiled engine has outcome lose, throws 1"
    )
    assert said.error.endswith("please report this, and use --engine reference meanwhile")
