"""A rules file to start from; parameters named like options; options given twice; help in every spelling."""

from __future__ import annotations

from itertools import product

import pytest

CLASH = '''"""Clash: a game whose parameters have the names of options."""
from __future__ import annotations
from dicelab.rules import D6, OVER, Game, Int, Param, Switch, throw, thrown


class Clash(Game):
    """Roll a die so many times; a high sum wins."""

    name = "clash"
    outcomes = ("win", "lose")
    games = Param(3, 1, 10, "rolls")
    seed = Param(2, 1, 5, "how far above the mean")
    json = Switch(False, "whether a sum of 0 is enough")
    rolled = Int(0, games, "rolls so far")
    total = Int(0, 60, "their sum")

    def next(self) -> int:
        return OVER if self.rolled >= self.games else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.rolled += 1
        self.total += face

    def outcome(self) -> int:
        return 0 if self.json or 2 * self.total >= 7 * self.games + self.seed else 1
'''


@pytest.fixture
def clash(tmp_path) -> str:
    file = tmp_path / "clash.py"
    file.write_text(CLASH)
    return str(file)


@pytest.mark.parametrize("name", ["mygame", "game", "int", "seven-up", "Move"])
def test_a_new_file_is_a_lawful_game_under_its_name(name, dicelab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = dicelab("new", name)
    file = f"./{name.replace('-', '_')}.py"
    assert (said.status, said.err) == (0, "")
    assert file in said.out
    result = dicelab("exact", file, "--json").json
    assert result["game"] == name
    assert "tarter" not in (tmp_path / file).read_text()


def test_a_new_file_for_dice_that_are_rolled_again_is_solved(dicelab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "solve ./pool.py --objective reached" in dicelab("new", "pool", "--like", "reroll").out
    cases, sides = 0, range(1, 7)
    for roll in product(sides, repeat=3):  # the best of keeping all, rolling one again, rolling two again
        counts = [36 * (sum(roll) >= 15)]
        counts += [6 * sum(sum(roll) - one + new >= 15 for new in sides) for one in roll]
        counts += [sum(one + a + b >= 15 for a in sides for b in sides) for one in roll]
        cases += max(counts)
    solved = dicelab("solve", "./pool.py", "--objective", "reached", "--json").json
    assert solved["value"] == pytest.approx(cases / 36 / 216, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("like", ["game", "reroll"])
def test_check_finds_nothing_in_a_new_file(like, dicelab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dicelab("new", "mygame", "--like", like)
    said = dicelab("check", "./mygame.py")
    assert (said.status, said.out.split()[0]) == (0, "lawful")


def test_no_file_is_overwritten(dicelab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mygame.py").write_text("mine")
    dicelab("new", "mygame").must_refuse(2, "mygame.py exists already")
    assert (tmp_path / "mygame.py").read_text() == "mine"


@pytest.mark.parametrize("name", ["../mygame", "a/b c", "1 up", 'a"b', "1up", "", "é", "a/b.py"])
def test_a_name_that_no_game_can_have_is_refused(name, dicelab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dicelab("new", name).must_refuse(2, "is not a name for a game")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "file", "title"),
    [
        ("Dragon's Hoard", "dragons_hoard", "DragonsHoard"),
        ("Toss Up!", "toss_up", "TossUp"),
        ("my game", "my_game", "MyGame"),
    ],
)
def test_a_name_in_words_becomes_one_that_a_game_can_have(words, file, title, dicelab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = dicelab("new", words)
    assert (said.status, said.out.splitlines()[0]) == (0, f"{file}.py is written. Now try:")
    text = (tmp_path / f"{file}.py").read_text()
    assert text.startswith(f'"""{words}: ')
    assert f"class {title}(Game):" in text
    name = file.replace("_", "-")
    assert dicelab("simulate", f"./{file}.py", "-n", "5", "--engine", "reference", "--json").json["game"] == name


def test_a_parameter_with_the_name_of_an_option_is_set_by_set(clash, dicelab):
    found = dicelab("simulate", clash, "--games", "50", "--seed", "7", "--set", "games=4", "--json").json
    assert (found["games"], found["seed"]) == (50, 7)
    assert found["parameters"] == {"games": 4, "seed": 2, "json": False}
    sure = dicelab("exact", clash, "--set", "json=yes", "--set", "seed=5", "--json").json
    assert sure["outcomes"]["win"]["probability"] == 1


@pytest.mark.parametrize("command", ["exact", "show", "compare", "solve", "play"])
def test_every_command_has_set(command, clash, dicelab):
    assert "--set NAME=VALUE" in dicelab(command, clash, "--help").out
    dicelab(command, clash, "--set", "gmaes=4").must_refuse(2, "did you mean 'games'?")


def test_help_names_the_parameters_that_have_no_option_of_their_own(clash, dicelab):
    assert "games, seed, json." in " ".join(dicelab("simulate", clash, "--help").out.split())


def test_rows_over_a_parameter_have_those_with_the_name_of_an_argument(clash, dicelab):
    swept = dicelab("sweep", clash, "--set", "games=4", "--over", "seed=1..2", "--exact", "--json").json
    alone = dicelab("exact", clash, "--set", "games=4", "--set", "seed=2", "--json").json
    assert [row["parameters"]["seed"] for row in swept["rows"]] == [1, 2]
    assert swept["parameters"] == {"games": 4, "json": False}
    assert swept["rows"][1]["outcomes"] == alone["outcomes"]


@pytest.mark.parametrize("words", [["--set", "players"], ["--set", "=3"]])
def test_set_takes_a_name_and_a_value(words, dicelab):
    dicelab("exact", "lcr", *words).must_refuse(2, "it is written NAME=VALUE")


@pytest.mark.parametrize(
    "words",
    [
        "simulate lcr --seed 1 --seed 2",
        "simulate lcr -n 10 --games 20",
        "exact lcr --players 3 --players 4",
        "exact lcr --players 3 --set players=4",
        "exact lcr --set players=3 --set players=3",
        "check x.py --seconds 1 --seconds 2",
        "demo --text 1 --text 2",
        "kernels --show 1 --show 2",
        "lab --port 1 --port 2",
        "review game.json --memory 1G --memory 2G",
        "runs runs.db --show 1 --show 2",
    ],
)
def test_an_option_with_one_value_is_given_once(words, dicelab):
    dicelab(*words.split()).must_refuse(2, "is given twice")


def test_options_that_may_be_repeated_still_are(dicelab):
    assert dicelab("exact", "tossup", "-s", "one_roll", "-s", "one_roll", "--json", "--json").status == 0


def test_dicelab_alone_is_its_help(dicelab):
    alone, asked, helped = dicelab(), dicelab("--help"), dicelab("help")
    assert alone == asked == helped
    assert (alone.status, alone.err) == (0, "")
    assert alone.out.startswith("Usage: dicelab")


@pytest.mark.parametrize("words", [["simulate"], ["exact", "lcr"], ["text"]])
def test_help_of_a_command(words, dicelab):
    said = dicelab("help", *words)
    assert said == dicelab(*words, "--help")
    assert (said.status, said.err) == (0, "")


def test_help_of_a_command_that_does_not_exist(dicelab):
    dicelab("help", "simulat").must_refuse(2, "did you mean 'simulate'?")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("dicelab simu", "simulate"),
        ("dicelab simulate lc", "lcr"),
        ("dicelab simulate lcr --pla", "--players"),
        ("dicelab exact tossup -s bank_over_", "bank_over_or_win"),
        ("dicelab exact nosuch -s ba", ""),
    ],
)
def test_a_shell_completes_commands_games_parameters_and_strategies(typed, offered, shell):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_DICELAB_COMPLETE": "bash_complete"}
    said = shell(env=words)
    assert [line.partition(",")[2] for line in said.out.splitlines()] == [offered] * bool(offered)
    assert "Traceback" not in said.err
