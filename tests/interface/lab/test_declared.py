"""A question that is declared in this file alone is a command, a page of the lab, and in the reference."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from pathlib import Path
from shlex import split
from typing import Annotated, Any, ClassVar

import jsonschema
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from starlette.testclient import TestClient

import api_page
from asking import TOKEN, untimed
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.interface.cli.main import app
from dicelab.interface.lab.app import application
from dicelab.interface.lab.pages.questions import KINDS
from dicelab.interface.lab.shelf import filled
from dicelab.plots.chart_style import axes_for
from dicelab.questions import LISTED
from dicelab.questions.declare import QUESTIONS, SCHEMA, declared, json_schema, question
from dicelab.questions.options import GameLike, Memory, NumberOption, OneOf, Option, Whole, YesNo
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.text.table import Column, Table, chance, count, plain
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies


@dataclass(frozen=True, repr=False, kw_only=True)
class Spread(BaseResult):
    """How far the chances lie apart, so many times.

    Attributes
    ----------
    times
        Times that it was taken.
    """

    times: int
    of: str
    method = "spread"

    def _table(self) -> Table:
        of = Column("of", plain, "what", lambda n: self.of)
        times = Column("times", count, value=lambda n: 1000 * n)
        half, twice = Column("half", chance, value=lambda n: n / 2), Column("twice", value=lambda n: 2 * n)
        return Table([of, times, half, twice], [self.times])

    def _sentence(self) -> str:
        return f"the spread of {self.of}, {self.times} times"


def plot_spread(found: Spread, ax: Any = None, thick: float = 1.0) -> Any:
    """Draw a bar."""
    ax = axes_for(ax, f"spread of {found.game}")
    ax.bar(["times"], [found.times], thick)
    return ax


@question(
    about="how far do the chances lie apart?",
    tab="Spread",
    chart="spread",
    plots=__name__,
    drawn_by={"thick": NumberOption("Thickness of the bar", "T", label="thick")},
)
def spread(
    game: GameLike,
    strategies: Strategies = (),
    *,
    times: Annotated[int, Whole("Times that the spread is taken", "N", label="times", most=1000)] = 2,
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
    with pytest.raises(ParameterError, match="times: 0 is not allowed; it takes a whole number, 1 to 1000"):
        spread("hazard", times=0)
    with pytest.raises(ParameterError, match="wide: 1 is not allowed; it is True, False or None"):
        spread("hazard", wide=1)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'times'"):
        spread("hazard", tims=3)
    assert "times\n    Times that the spread is taken [1 to 1,000; default: 2]." in (spread.__doc__ or "")


def test_an_option_without_a_description_is_refused_where_it_is_declared() -> None:
    with pytest.raises(TypeError, match=r"an option begins with what it means, a text, and not with \('a', 'b'\)"):
        OneOf(("a", "b"))  # type: ignore[arg-type]


def test_the_help_of_a_choice_names_its_words() -> None:
    assert declared("learn").help("method").endswith(" [table, values, turns; default: table].")


def test_pages_are_not_written_beside_their_declarations() -> None:
    assert not {kind.name for kind in KINDS if kind.declared is None} & {*LISTED}


def test_it_is_a_command() -> None:
    shown = CliRunner().invoke(app, ["spread", "hazard", "--main", "5", "--times", "3", "--wide", "--json"])
    assert json.loads(shown.stdout)["times"] == 30
    assert CliRunner().invoke(app, ["spread", "hazard"]).stdout.startswith("The spread of win, 2 times.\n\nhazard")
    assert re.search(r"spread +how far do the chances lie apart\?", CliRunner().invoke(app, ["--help"]).stdout)
    help = CliRunner().invoke(app, ["spread", "--help"]).stdout
    assert re.search(r"--times N +Times that the spread is taken \[1 to 1,000; default:\s+2\]\.", help)
    assert re.search(r"--thick T +Thickness of the bar", help)
    assert "dicelab spread hazard --times 3" in help
    with pytest.raises(ParameterError, match="times: 'x' is not a whole number"):
        CliRunner().invoke(app, ["spread", "hazard", "--times", "x"], catch_exceptions=False)


def test_a_shell_completes_its_options() -> None:
    assert completed(["spread", "hazard"], "--t") == ["--times", "--thick"]
    assert completed(["spread", "hazard", "--of"], "t") == ["throws"]
    assert completed([], "sprea") == ["spread"]


def completed(typed: list[str], begun: str) -> list[str]:
    """What a shell offers behind these words."""
    shell = ShellComplete(app, {}, "dicelab", "_DICELAB_COMPLETE")
    return [item.value for item in shell.get_completions(typed, begun)]


def test_its_chart_is_drawn_by_the_command_and_on_the_page(tmp_path: Path, client: TestClient) -> None:
    file = tmp_path / "spread.svg"
    CliRunner().invoke(app, ["spread", "hazard", "--plot", str(file), "--thick", "0.5"], catch_exceptions=False)
    assert "spread of hazard" in file.read_text()
    assert "/games/hazard/spread/spread.json" in client.get("/games/hazard/spread?wait=1").text
    assert client.get("/games/hazard/spread/spread.json?thick=0.5").json()


def test_its_table_has_all_forms_from_its_columns(client: TestClient) -> None:
    found = spread("hazard", times=3)
    assert found.text().splitlines()[-2:] == ["what  times      half", "win   3,000  1.500000"]
    assert found.to_csv() == "of,times,half,twice\nwin,3000,1.500000,6\n"
    assert found.to_frame().to_dict("records") == [{"of": "win", "times": 3000, "half": 1.5, "twice": 6}]
    assert re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", found.html()) == [
        "what",
        "times",
        "half",
        "win",
        "3,000",
        "1.500000",
    ]
    assert re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", found._repr_html_())[3:] == ["win", "3,000", "1.500000"]
    assert client.get("/games/hazard/spread.csv?times=3").text == found.to_csv()


def test_the_schema_has_its_entries() -> None:
    schema = json_schema()
    said = json.loads(CliRunner().invoke(app, ["spread", "hazard", "--json"]).stdout)
    jsonschema.validate(said, schema)
    for wrong in ({"times": "2"}, {"of": None}, {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(said | wrong, schema)
    entries = schema["$defs"]["answer"]["allOf"][-1]["then"]["properties"]
    assert entries["times"] == {"type": ["integer"], "description": "Times that it was taken."}
    assert "spread" not in json.loads(SCHEMA.read_text())["$defs"]["answer"]["properties"]["method"]["enum"]


def test_entries_that_a_result_declares_are_its_data_and_its_schema() -> None:
    class Told(Spread):
        entries: ClassVar = {
            "times": "integer: times that it was taken",
            "notes?": ["string"],
            "of": "'win'|'lose'",
            "half": Read(lambda self: Fraction(self.times, 2), "number: half of them"),
            "none?": Read(lambda self: None, "number"),
        }
        notes = ()

    found = Told(**about(Run.of("hazard").game, ()), seconds=0.0, times=3, of="win")
    assert found._facts() == {"times": 3, "of": "win", "half": 1.5}
    schema = {"type": "object", **Told.schema()}
    jsonschema.validate(found._facts() | {"notes": ["rough"]}, schema)
    for wrong in ({"of": "draw"}, {"notes": [1]}, {"times": "3"}, {"half": "x"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(found._facts() | wrong, schema)


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
