"""Command lines that dicelab writes: a parameter of a game may have the name of any option of any command."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from shlex import split
from typing import Any

import click
import pytest

import dicelab
from dicelab.interface.cli.commands import GameCommand, given_parameters
from dicelab.interface.cli.main import app
from dicelab.interface.lab.question import Question
from dicelab.interface.play.again import called, command
from dicelab.rules.game import Game

CONTEXT = click.Context(app, **app.context_settings)
COMMANDS = {
    verb: found
    for verb in app.list_commands(CONTEXT)
    if isinstance(found := app.get_command(CONTEXT, verb), GameCommand)
}
NAMES = sorted(
    {
        text.removeprefix("--").replace("-", "_")
        for found in COMMANDS.values()
        for text in found.taken
        if text.startswith("--")
    }
    - {"ruin", "class", "with"}  # what a casino game declares, and what no parameter can be called
)
NEEDED = {
    "publish": " --out p.html",
    "policy": " best.npz",
    "report": " --out report.html",
}
"""What a command can't do without."""
GAME = """
from dicelab.rules import D6, OVER, SUM, Flag, Game, Param, throw, thrown


class Crowded(Game):
    \"\"\"Every option is a parameter.\"\"\"

    name = "crowded"
    outcomes = ("small", "large")
    last_turn = Param(1, 1, 9, "not an option")
    rolled = Flag()
    big = Flag()
PARAMETERS
    def next(self) -> int:
        return OVER if self.rolled else throw(self.roll)

    @thrown(1, D6, SUM)
    def roll(self, total: int) -> None:
        self.rolled = True
        self.big = total > 3

    def outcome(self) -> int:
        return int(self.big)
"""
GIVEN = dict.fromkeys([*NAMES, "last_turn"], "5")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """A game with a parameter for each option, none at its default."""
    file = tmp_path_factory.mktemp("crowded") / "crowded.py"
    lines = [f'    {name} = Param(1, 1, 9, "a number")\n' for name in NAMES]
    file.write_text(GAME.replace("PARAMETERS\n", "".join(lines)))
    return dicelab.find(str(file))(**dict.fromkeys(GIVEN, 5))


def understood(line: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of the game and the options that a command line gives, as the command reads it."""
    _, verb, *words = split(line)
    found = COMMANDS[verb]
    assert isinstance(found, click.Command)
    settings = found.make_context(verb, words, parent=CONTEXT).params
    return given_parameters(settings), settings


def test_every_option_is_known_for_its_command() -> None:
    assert {"store", "seed", "solve_for", "dry_run", "replay", "leaves", "epsilon"} <= {*NAMES}


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_parameter_never_becomes_an_option_of_the_command(verb: str, game: Game) -> None:
    line = Question("crowded", {"called": called(type(game))}, GIVEN).command(verb)
    parameters, settings = understood(line + NEEDED.get(verb, ""))
    assert parameters == GIVEN
    assert "5" not in settings.values()


def test_the_commands_of_a_report_give_its_parameters_and_nothing_else(game: Game) -> None:
    html = dicelab.report(game, games=50).html
    lines = [unescape(line) for line in re.findall(r"<pre>(dicelab .*?)</pre>", html)]
    assert lines
    for line in lines:
        parameters, settings = understood(line)
        assert parameters == GIVEN, line
        assert settings.get("store") is None
        assert settings.get("games") in (None, 50)


def test_the_command_that_plays_again_gives_all_parameters(game: Game) -> None:
    parameters, settings = understood(command(game, [], ["--seed", "3"]))
    assert parameters == GIVEN
    assert settings["seed"] == "3"


def test_what_a_report_prints_for_a_parameter_called_store_writes_no_file(tmp_path: Path) -> None:
    source = GAME.replace("PARAMETERS\n", '    store = Param(1, 1, 9, "a number")\n')
    file = tmp_path / "shop.py"
    file.write_text(source)
    html = dicelab.report(str(file), games=50, store=5).html
    lines = [unescape(line) for line in re.findall(r"<pre>(dicelab exact .*?)</pre>", html)]
    assert lines
    assert all("--set store=5" in line for line in lines)


def test_an_option_of_another_command_is_found_there(shell):
    shell("simulate", "pass-line", "--dice-from", "1,2").must_refuse(
        2, "no option '--dice-from' here; only edges and exact and session have it"
    )
