"""An installed package brings a game, strategies, a question, a command, an engine and a cluster, and all know them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from starlette.testclient import TestClient

from asking import TOKEN
from dicelab.interface.cli.main import app
from dicelab.interface.lab.app import application
from dicelab.interface.lab.shelf import filled
from dicelab.questions.declare import QUESTIONS
from dicelab.rules.loading import registry
from interface.cli.conftest import Said

PACKAGE = '''
"""Three flips of a coin, what they are about, and an engine that is the reference engine under another name."""

from dataclasses import dataclass
from threading import Lock
from typing import Annotated

import click

from dicelab.errors import ParameterError
from dicelab.games.tossup import TossUp, bank_over
from dicelab.engines.player import Player
from dicelab.questions.declare import question
from dicelab.questions.options import GameLike, Whole
from dicelab.results.base import BaseResult
from dicelab.results.base import about
from dicelab.results.text import table
from dicelab.rules import OVER, Game, Int, d, strategy, throw, thrown
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run


class Flips(Game):
    """Three flips of a coin; two heads win."""

    name = "flips"
    outcomes = ("win", "lose")
    left = Int(0, 3, "flips to come", start=3)
    heads = Int(0, 3, "heads")

    def next(self):
        return throw(self.flip) if self.left else OVER

    @thrown(1, d(2))
    def flip(self, face):
        self.left -= 1
        self.heads += face - 1

    def outcome(self):
        return 0 if self.heads >= 2 else 1


@dataclass(frozen=True, repr=False, kw_only=True)
class Guess(BaseResult):
    """A guess."""

    times: int
    method = "guess"

    def _table(self):
        return table.Table([table.Column("times", table.count, value=lambda times: times)], [self.times])

    def _sentence(self):
        return f"{self.game} is guessed {self.times} times"


@question(about="what is it likely to be?", tab="Guess")
def guess(
    game: GameLike, *, times: Annotated[int, Whole("Number of guesses", "N", label="times")] = 2, **parameters: object
) -> Guess:
    """Guess how a game ends.

    Commands
    --------
    dicelab guess flips --times 3
    """
    run = Run.of(game, (), **parameters)
    return Guess(**about(run.game, run.strategies), seconds=0.0, times=times)


class Calm(Reference):
    name = "calm"
    how = "plays calmly"
    one = Lock()

    def play(self, seed, low, high):
        with self.one:
            return super().play(seed, low, high)


def calm(run, limit, keep):
    return Calm(run.game, run.calls, limit, keep)


class Wrong(Calm):
    name = "wrong"

    def play(self, seed, low, high):
        return super().play(seed + 1, low, high)


def wrong(run, limit, keep):
    return Wrong(run.game, run.calls, limit, keep)


@strategy(TossUp)
def calmly(game):
    """Bank early."""
    return bank_over(game, 3)


@click.command(short_help="throw a coin")
@click.argument("side")
def coin(side):
    """Throw a coin."""
    click.echo(f"It shows {side}.")


class Table:
    """A cluster that is a table in a pub: what is played there is played here."""

    closed = 0

    def __init__(self, where):
        if where != "pub":
            raise ParameterError("cluster: it is no pub")

    def player(self, run, seed, engine, limit, keep):
        return Player(run, seed, "reference", 1, limit, keep)

    def close(self):
        Table.closed += 1
'''
REGISTERED = """
[dicelab.games]
flips = flipping:Flips
[dicelab.questions]
guess = flipping:guess
broken = flipping.that_is_not_there
[dicelab.strategies]
calmly = flipping:calmly
[dicelab.commands]
coin = flipping:coin
nothing = flipping:Flips
[dicelab.clusters]
pub = flipping:Table
[dicelab.engines]
calm = flipping:calm
wrong = flipping:wrong
broken = flipping.that_is_not_there
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the package, as an installer leaves it."""
    (tmp_path / "site" / "flipping-1.0.dist-info").mkdir(parents=True)
    (tmp_path / "site" / "flipping.py").write_text(PACKAGE)
    (tmp_path / "site" / "flipping-1.0.dist-info" / "METADATA").write_text("Name: flipping\nVersion: 1.0\n")
    (tmp_path / "site" / "flipping-1.0.dist-info" / "entry_points.txt").write_text(REGISTERED)
    return tmp_path / "site"


@pytest.fixture
def command(
    installed: Path, monkeypatch: pytest.MonkeyPatch, dicelab: Callable[..., Said]
) -> Iterator[Callable[..., Said]]:
    """Run the command line where the package is installed."""
    monkeypatch.syspath_prepend(str(installed))
    yield dicelab
    QUESTIONS.pop("guess", None)
    sys.modules.pop("flipping", None)


def test_the_game_and_the_engine_of_a_package(command: Callable[..., Said]) -> None:
    calm = command("simulate", "flips", "--games", "2000", "--seed", "1", "--engine", "calm", "--json").json
    usual = command("simulate", "flips", "--games", "2000", "--seed", "1", "--json").json
    assert calm["engine"] == "calm"
    assert calm["outcomes"] == usual["outcomes"]


def test_an_engine_of_a_package_that_plays_other_games_is_refused(command: Callable[..., Said]) -> None:
    command("simulate", "flips", "--games", "20000", "--seed", "1", "--engine", "wrong").must_refuse(
        1, "two engines disagree on seed"
    )


def test_an_engine_that_is_not_there_or_does_not_load_is_refused(command: Callable[..., Said]) -> None:
    command("simulate", "flips", "--engine", "clam").must_refuse(2, "reference, calm, wrong, broken or cuda")
    command("simulate", "flips", "--engine", "broken").must_refuse(2, "broken of an installed package can't be loaded")


def test_the_question_of_a_package_is_a_command(command: Callable[..., Said]) -> None:
    assert command("guess", "flips", "--times", "3").out.startswith("Flips is guessed 3 times.")
    assert re.search(r"guess +what is it likely to be\?", command("--help").out)
    command("broken", "flips").must_refuse(2, "the question broken of an installed package can't be loaded")


def test_the_question_of_a_package_is_a_page_of_the_lab(command: Callable[..., Said]) -> None:
    with TestClient(application(filled([]), TOKEN), base_url="http://127.0.0.1") as lab:
        assert "Flips is guessed 3 times." in lab.get("/games/flips/guess?times=3&wait=1").text


def test_the_command_of_a_package(command: Callable[..., Said]) -> None:
    assert command("coin", "heads").out == "It shows heads.\n"
    assert re.search(r"coin +throw a coin", command("--help").out)
    assert "nothing" not in command("--help").out
    command("nothing").must_refuse(2, "the command nothing of an installed package, flipping:Flips, is no")
    command("coni").must_refuse(2, "did you mean 'coin'")


def test_the_cluster_of_a_package(command: Callable[..., Said]) -> None:
    there = command("simulate", "flips", "--games", "2000", "--seed", "1", "--cluster", "pub", "--json").json
    here = command("simulate", "flips", "--games", "2000", "--seed", "1", "--json").json
    assert there["outcomes"] == here["outcomes"]
    assert sys.modules["flipping"].Table.closed == 1
    command("simulate", "flips", "--cluster", "inn").must_refuse(2, "it is no pub")


def test_the_strategy_of_a_package(command: Callable[..., Said]) -> None:
    shown = command("exact", "tossup", "--target", "10", "-s", "calmly", "--json").json["outcomes"]
    assert shown == command("exact", "tossup", "--target", "10", "-s", "bank_over:3", "--json").json["outcomes"]


def test_what_few_need_is_registered_as_by_another_package(
    dicelab: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without entry points these parts of dicelab are not there, and all else is."""
    assert {"learn", "text", "demo"} <= {*app.list_commands(click.Context(app))}
    monkeypatch.setattr(registry, "_registered", lambda folders: [])
    monkeypatch.delitem(QUESTIONS, "learn")
    assert not {"learn", "text", "demo"} & {*app.list_commands(click.Context(app))}
    dicelab("text", "1").must_refuse(2, "no command 'text'")
    dicelab("simulate", "hazard", "--engine", "cuda").must_refuse(2, "engine: 'cuda' is not allowed")
    dicelab("simulate", "hazard", "--cluster", "local:1").must_refuse(2, "lacks what plays on a cluster")
    assert dicelab("simulate", "hazard", "--games", "100", "--seed", "1", "--json").json["games"] == 100
