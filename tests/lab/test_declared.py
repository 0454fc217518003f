"""A question that is declared in this file alone is a command, a page of the lab, and in the reference."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from shlex import split
from typing import Annotated, Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import api_page
from asking import TOKEN, untimed
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.interface.cli.main import app
from dicelab.interface.lab.app import application
from dicelab.interface.lab.pages.questions import KINDS
from dicelab.interface.lab.shelf import filled
from dicelab.questions import LISTED
from dicelab.questions.declare import QUESTIONS, declared, question
from dicelab.questions.options import GameLike, Memory, Option, Whole, YesNo
from dicelab.results.base import BaseResult
from dicelab.results.provenance import about
from dicelab.results.text.page import Printing
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies


@dataclass(frozen=True, repr=False, kw_only=True)
class Spread(BaseResult):
    """How far the chances lie apart, so many times."""

    times: int
    of: str
    method = "spread"

    def _facts(self) -> dict[str, Any]:
        return {"times": self.times, "of": self.of}

    def _rows(self) -> list[dict[str, Any]]:
        return [{"times": self.times, "of": self.of}]

    def _lines(self, page: Printing) -> list[str]:
        return [*self._head(page), "", *page.table([["of", "times"], [self.of, str(self.times)]])]

    def _sentence(self) -> str:
        return f"the spread of {self.of}, {self.times} times"


@question(about="how far do the chances lie apart?", tab="Spread")
def spread(
    game: GameLike,
    strategies: Strategies = (),
    *,
    times: Annotated[int, Whole("Times that the spread is taken", "N", label="times")] = 2,
    of: Annotated[str, Option("What is spread", "WHAT", label="of", offers=("outcomes", "tallies"))] = "win",
    wide: Annotated[bool, YesNo("Ten times as much", label="wide")] = False,
    memory: Memory = None,
    **parameters: object,
) -> Spread:
    """Tell how far the chances lie apart.

    They are not computed here.

    Commands
    --------
    dicelab spread hazard --times 3

    Examples
    --------
    >>> spread("hazard").times
    2
    """
    run = Run.of(game, strategies, **parameters)
    return Spread(**about(run.game, run.strategies), seconds=0.0, times=times * 10 ** int(wide), of=of)


DECLARED = QUESTIONS.pop("spread")
"""Other tests of this process don't see it."""


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(QUESTIONS, "spread", DECLARED)


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(application(filled([]), TOKEN), base_url="http://127.0.0.1") as client:
        yield client


def test_the_call_checks_what_it_gets() -> None:
    assert spread("hazard", main=5, times=3).times == 3
    with pytest.raises(ParameterError, match="times: 0 is not allowed; it takes a whole number, at least 1"):
        spread("hazard", times=0)
    with pytest.raises(ParameterError, match="wide: 1 is not allowed; it is True, False or None"):
        spread("hazard", wide=1)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'times'"):
        spread("hazard", tims=3)
    assert "times\n    Times that the spread is taken [default: 2]." in (spread.__doc__ or "")


def test_pages_are_not_written_beside_their_declarations() -> None:
    assert not {kind.name for kind in KINDS if kind.declared is None} & {*LISTED}


def test_it_is_a_command() -> None:
    shown = CliRunner().invoke(app, ["spread", "hazard", "--main", "5", "--times", "3", "--wide", "--json"])
    assert json.loads(shown.stdout)["times"] == 30
    assert CliRunner().invoke(app, ["spread", "hazard"]).stdout.startswith("The spread of win, 2 times.\n\nhazard")
    assert re.search(r"spread +how far do the chances lie apart\?", CliRunner().invoke(app, ["--help"]).stdout)
    help = CliRunner().invoke(app, ["spread", "--help"]).stdout
    assert re.search(r"--times N +Times that the spread is taken \[default: 2\]\.", help)
    assert "dicelab spread hazard --times 3" in help
    with pytest.raises(ParameterError, match="times: 'x' is not a whole number"):
        CliRunner().invoke(app, ["spread", "hazard", "--times", "x"], catch_exceptions=False)


def test_it_is_a_page_of_the_lab(client: TestClient) -> None:
    address = "/games/hazard/spread?main=5&times=3&of=lose"
    page = client.get(f"{address}&wait=1").text
    assert "The spread of lose, 3 times." in page
    assert '<input name="times" value="3">' in page
    assert "<option selected>lose</option>" in page
    assert ">Spread</a>" in client.get("/games/hazard").text
    command = re.search(r'<pre id="command"[^>]*>(.*?)</pre>', page, re.S)
    python = re.search(r'<pre id="python"[^>]*>(.*?)</pre>', page, re.S)
    assert command is not None
    assert python is not None
    path, _, query = address.partition("?")
    printed = CliRunner().invoke(app, [*split(unescape(command[1]))[1:], "--json"]).stdout
    assert untimed(client.get(f"{path}.json?{query}").json()) == untimed(json.loads(printed))
    assert f"from {__name__} import spread\nresult = spread(&#39;hazard&#39;, " in python[1]
    assert "times=3" in python[1]


def test_a_question_that_compares_strategies_has_a_field_for_each(client: TestClient) -> None:
    empty = client.get("/games/tossup/rate").text
    assert "Choose two strategies or more" in empty
    page = client.get(
        "/games/tossup/rate?strategy=one_roll&strategy=bank_over:5&strategy=bank_over:2&target=8&seed=1&wait=yes"
    ).text
    assert re.search(r"bank_over:\d is best: it wins ", page)
    assert re.findall(r'value="([\w:]+)" selected', page) == ["one_roll", "typed", "typed"]
    assert re.findall(r'name="typed" value="([\w:]*)"', page)[:3] == ["", "bank_over:5", "bank_over:2"]


def test_an_address_with_a_wrong_value_is_refused_as_by_the_command(client: TestClient) -> None:
    answer = client.get("/games/hazard/spread.json?times=x")
    assert answer.status_code == 400
    assert answer.json()["error"] == "times: 'x' is not a whole number"


def test_a_name_behind_a_point_is_refused_where_a_value_has_none(client: TestClient) -> None:
    answer = client.get("/games/hazard/spread.json?times.x=3")
    assert (answer.status_code, answer.json()["error"]) == (400, "times.x: write times=3")


def test_the_questions_of_dicelab_are_declared_without_numpy() -> None:
    imports = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    shown = "print(sorted({'numpy', 'scipy', 'numba'} & {*sys.modules}))"
    asked = [
        sys.executable,
        "-c",
        f"{imports}; {shown}",
        *(one.module for one in LISTED.values()),
        "dicelab.extras.learn",
    ]
    assert subprocess.run(asked, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_it_is_in_the_reference() -> None:
    text, _, _ = api_page.rewritten(api_page.PAGE.read_text())
    assert "| `spread` | Tell how far the chances lie apart. |" in text
    assert "| `times` | spread | times that the spread is taken | `--times` |" in text


def test_an_option_whose_type_only_type_checkers_import_is_an_option() -> None:
    """Of `review`, the type of the policy needs NumPy."""
    review = declared("review")
    assert review.options["policy"].metavar == "FILE|S"
    assert str(review.signature.parameters["policy"].annotation).startswith("TurnPolicy | str")
