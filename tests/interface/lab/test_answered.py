"""Pages with one answer, such as judge, sweep and tune. Their JSON is that of commands, and nothing else decides."""

from __future__ import annotations

import ast
import json
import re
from html import unescape
from pathlib import Path
from shlex import split

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import dicelab
from asking import TOKEN, Watched, printed, untimed
from dicelab.interface.cli.main import app
from dicelab.interface.lab.answers import PendingAnswer
from dicelab.interface.lab.app import application
from dicelab.interface.lab.job import Job, JobLimits
from dicelab.interface.lab.pages import answered
from dicelab.interface.lab.shelf import filled

ASKED = [
    "/games/lcr/judge?players=3&counts=616,655,729&mean.turns=14.9",
    "/games/hazard/judge?main=5&counts=498,502",
    "/games/tossup/compare?target=6&dice=3&strategy=one_roll&strategy=bank_over:5",
    "/games/tossup/compare?target=6&dice=3&strategy=one_roll&strategy=bank_over:5&simulated=yes&games=500&seed=3",
    "/games/lcr/sweep?over=players=2..3&over2=coins=1..2",
    "/games/tossup/sweep?target=6&over=dice=2..3&strategy=best",
    "/games/lcr/why?players=3&depth=2",
    "/games/hazard/why?main=5&on=throws",
    "/games/hazard/sweep?over=main=5,7&simulated=yes&games=500&seed=3",
    "/games/lcr/tune?players=2&over=coins=1..2&over2=dice=1..2&want=turns=2..9&want2=gap=0..0.4",
    "/games/pass-line/par?stake=2",
    "/games/hazard/exercise?main=5&pupils=3&games=50",
    "/games/hazard/exercise?main=5&pupils=Ann&games=50&seed=7&question=How+often?",
    pytest.param("/games/pass-line/with_dice?rolls=80,100,100,100,100,120&question=exact", marks=pytest.mark.slow),
]
COMMAND = re.compile(r'<pre id="command"[^>]*>(.*?)</pre>')


@pytest.mark.slow_cases(
    "/games/hazard/judge?main=5&counts=498,502",
    "/games/lcr/judge?players=3&counts=616,655,729&mean.turns=14.9",
    "/games/lcr/sweep?over=players=2..3&over2=coins=1..2",
    "/games/lcr/why?players=3&depth=2",
    "/games/tossup/compare?target=6&dice=3&strategy=one_roll&strategy=bank_over:5",
    "address3",
)
@pytest.mark.parametrize("address", ASKED)
def test_the_json_of_a_page_is_that_of_the_command_that_it_shows(client: TestClient, address: str) -> None:
    page = client.get(f"{address}&wait=1").text
    shown = COMMAND.search(page)
    assert shown is not None
    path, _, query = address.partition("?")
    answered = client.get(f"{path}.json?{query}").json()
    assert untimed(answered) == untimed(printed(*split(unescape(shown[1]))[1:]))
    assert re.search(r'<a href="([^"]+)">the answer as the command', page)


@pytest.mark.slow_cases("/games/lcr/judge?players=3&counts=616,655,729&mean.turns=14.9")
@pytest.mark.parametrize("address", ASKED)
def test_a_page_has_its_chart_and_the_python_runs(client: TestClient, address: str) -> None:
    page = client.get(f"{address}&wait=1").text
    [chart] = re.findall(r'data-from="([^"]+)"', page)
    assert client.get(unescape(chart)).json()["marks"]
    python = re.search(r'<pre id="python"[^>]*>(.*?)</pre>', page, re.S)
    assert python is not None
    found: dict[str, object] = {}
    exec(unescape(python[1]).replace("print(result)", ""), found)
    assert type(found["result"]).__name__ in (
        *("Judgement", "Comparison", "Sweep", "Why", "Tuned", "Par", "WithDice", "Exercise"),
    )


@pytest.mark.parametrize("address", [ASKED[2], "/games/lcr/exact?players=3", "/games/hazard/simulate?games=500&seed=3"])
def test_the_table_is_that_of_the_command(client: TestClient, address: str) -> None:
    page = client.get(f"{address}&wait=1").text
    shown, table = COMMAND.search(page), re.search(r'<a href="([^"]+)" download="[a-z-]+.csv"', page)
    assert shown is not None
    assert table is not None
    answered = client.get(unescape(table[1]))
    assert answered.headers["content-type"].startswith("text/csv")
    assert answered.text == CliRunner().invoke(app, [*split(unescape(shown[1]))[1:], "--csv"]).stdout


@pytest.mark.parametrize("kind", ["judge", "compare", "sweep"])
def test_a_page_without_a_question_has_a_form_and_no_answer(client: TestClient, kind: str) -> None:
    page = client.get(f"/games/tossup/{kind}")
    assert page.status_code == 200
    assert "<form" in page.text
    assert COMMAND.search(page.text) is None
    assert client.get(f"/games/tossup/{kind}.json").status_code == 400


def test_empty_fields_of_strategies_are_left_out_of_a_comparison(client: TestClient) -> None:
    address = "/games/tossup/compare?target=6&strategy=one_roll&strategy=&strategy=bank_over:5"
    response = client.get(address, follow_redirects=False)
    assert response.headers["location"].endswith("compare?target=6&strategy=one_roll&strategy=bank_over:5")


def test_the_verdict_stands_on_the_page(client: TestClient) -> None:
    page = client.get(f"{ASKED[0]}&wait=1").text
    assert "<strong>inconsistent</strong>" in page
    assert "your mean number of turns is 14.9 and should be 18.86" in page
    assert "<strong>consistent</strong> <span" in client.get(f"{ASKED[1]}&wait=1").text


def test_a_table_of_games_is_judged(client: TestClient) -> None:
    rows = "\n".join(["win,12", "lose,3"] * 200)
    given = client.post(
        "/games/hazard/judge/table", content=f"outcome,throws\n{rows}", headers={"x-dicelab-token": TOKEN}
    )
    assert given.status_code == 201
    page = client.get(f"/games/hazard/judge?table={given.json()['table']}&wait=1").text
    assert "--file results.csv" in page
    assert "<strong>inconsistent</strong>" in page


@pytest.mark.slow
def test_a_class_is_judged(client: TestClient, tmp_path: Path) -> None:
    rows = "pupil,seat 0,seat 1,seat 2\nAnn,616,655,729\nBen,616,655,729\nMia,655,729,616\n"
    given = client.post("/games/lcr/judge/table", content=rows, headers={"x-dicelab-token": TOKEN})
    address = f"/games/lcr/class?players=3&table={given.json()['table']}"
    page = client.get(f"{address}&wait=1").text
    assert "--class pupils.csv" in page
    assert "judge_class(" in page
    assert "<strong>Mia</strong>: inconsistent" in page
    assert "<strong>Ann, Ben</strong> have the same counts" in page
    estimates = client.get(address.replace("class?", "class/class.json?")).json()["marks"]
    assert [at for mark in estimates if mark["kind"] == "line" for at, *_ in mark["points"]] == [1, 2, 3]
    answered = client.get(address.replace("class?", "class.json?")).json()
    shown = COMMAND.search(page)
    assert shown is not None
    (tmp_path / "pupils.csv").write_text(rows)
    command = unescape(shown[1]).replace("pupils.csv", str(tmp_path / "pupils.csv"))
    assert untimed(answered) == untimed(printed(*split(command)[1:]))
    assert "<form" in client.get("/games/lcr/class").text


def test_saved_games_are_read_together(client: TestClient, tmp_path: Path) -> None:
    moves = [{"roll": {"green": 2}}, {"seat": 1, "choice": "bank"}]
    game = {"game": "tossup", "parameters": {"dice": 2, "target": 5}, "moves": moves}
    games = json.dumps({"anna.json": game, "ben.json": game | {"seats": ["Ben", "me"]}})
    given = client.post("/playtests/table", content=games, headers={"x-dicelab-token": TOKEN})
    page = client.get(f"/playtests?table={given.json()['table']}&wait=1").text
    assert "people usually chose “bank”: in 2 of 2 decisions" in page
    assert re.search(r"(anna|ben)\.json, step 2", page)
    assert "dicelab playtests games.json" in page
    (tmp_path / "games.json").write_text(games)
    answered = client.get(f"/playtests.json?table={given.json()['table']}").json()
    assert untimed(answered) == untimed(printed("playtests", str(tmp_path / "games.json")))
    assert "multiple" in client.get("/playtests").text
    again = client.get(f"/playtests?table={given.json()['table']}&games=50&seed=1&wait=1").text
    assert f'name="table" value="{given.json()["table"]}"' in again
    assert "dicelab playtests games.json --games 50 --seed 1" in again
    wrong = json.dumps({"anna.json": game, "ben.json": game | {"game": "./ben.py"}})
    given = client.post("/playtests/table", content=wrong, headers={"x-dicelab-token": TOKEN})
    assert "ben.json is of a game in a file" in client.get(f"/playtests?table={given.json()['table']}&wait=1").text


def test_a_table_needs_the_token_and_a_known_name(client: TestClient) -> None:
    assert client.post("/games/hazard/judge/table", content="outcome\nwin").status_code == 403
    for word in ("0" * 32, "..%2Fsecret", "%2Fetc%2Fpasswd"):
        refused = client.get(f"/games/hazard/judge?table={word}")
        assert refused.status_code == 400
        assert "give it again" in refused.text


def test_a_wrong_table_is_explained_without_the_path_of_the_server(client: TestClient) -> None:
    given = client.post("/games/hazard/judge/table", content="outcome\nnobody", headers={"x-dicelab-token": TOKEN})
    page = client.get(f"/games/hazard/judge?table={given.json()['table']}&wait=1").text
    assert "your table, line 2: &#39;nobody&#39; is no outcome" in page
    assert "/tmp" not in page


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/games/lcr/judge?players=3&counts=1,2", "3"),
        ("/games/lcr/judge?players=3&counts=a,b,c", "counts"),
        ("/games/lcr/sweep?over=playrs=2..3", "did you mean &#39;players&#39;"),
        ("/games/lcr/sweep?over=players", "it is written NAME=FIRST..LAST"),
        ("/games/tossup/compare?strategy=one_roll&strategy=nobody", "no strategy of tossup"),
        ("/games/lcr/judge?players=3&mean.trns=5&games=100", "did you mean &#39;turns&#39;"),
        ("/games/lcr/judge?players=3&mean=5&games=100", "mean: write mean.TALLY=5"),
        ("/games/lcr/judge?players=3&table.x=5", "table.x: write table=5"),
        ("/games/lcr/judge?players=3&file=/etc/passwd", "no parameter of lcr"),
        ("/games/lcr/class?players=3&counts=1,2,3&file=/etc/passwd", "no parameter of lcr"),
    ],
)
def test_mistakes_are_explained_in_the_words_of_the_command(client: TestClient, address: str, words: str) -> None:
    page = client.get(f"{address}&wait=1").text
    assert words in page
    assert "Traceback" not in page


CODE = "__import__('os').system('id')"
HOSTILE = [
    f"lcr/judge?players=3&counts=1,{CODE},2",
    f"lcr/judge?players=3&counts=1,2,3&games={CODE}",
    f"lcr/judge?players=3&mean.turns={CODE}&games=100",
    f"lcr/judge?players=3&mean.turns=18.9&sd.turns={CODE}&games=100",
    f"tossup/compare?target=6&strategy=one_roll&strategy=bank_over:5&simulated=yes&games=10&seed={CODE}",
    f"lcr/sweep?over=players=2,{CODE}",
    "lcr/sweep?over=players=2..4..0",
    f"lcr/sweep?over=players=2..3&simulated=yes&games={CODE}",
    f"lcr/exact?players={CODE}",
    f"tossup/solve?target=6&objective={CODE}",
    f"craps/session?games={CODE}",
    f"craps/session?seed={CODE}",
    f"craps/session?ruin={CODE}",
    "craps/session?ruin=nan",
    f"craps/session?ruin=5%&step={CODE}",
    f"lcr/beside?players=3&with.players=4&simulated=yes&games={CODE}",
    f"lcr/simulate?games={CODE}&seed=1",
    f"lcr/simulate?games=10&seed={CODE}",
    f"lcr/simulate?precision={CODE}&seed=1",
]


@pytest.mark.parametrize("address", HOSTILE)
def test_a_question_that_is_refused_has_no_command_and_no_python(client: TestClient, address: str) -> None:
    path, _, query = address.partition("?")
    asked = [tuple(pair.split("=", 1)) for pair in query.split("&")]
    page = client.get(f"/games/{path}", params=[*asked, ("wait", "1")])
    assert page.status_code == 200
    if "/simulate" not in path:
        assert "data-refused" in page.text
    assert COMMAND.search(page.text) is None
    assert '<pre id="python"' not in page.text


@pytest.mark.parametrize("address", HOSTILE)
def test_the_python_of_any_question_has_only_literals_of_what_was_typed(
    client: TestClient, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answered, "is_refused", lambda answer: False)  # as while the answer is not known
    path, _, query = address.partition("?")
    asked = [tuple(pair.split("=", 1)) for pair in query.split("&")]
    page = client.get(f"/games/{path}", params=asked).text
    shown = re.search(r'<pre id="python"[^>]*>(.*?)</pre>', page, re.S)
    if shown is None:
        assert path.rpartition("/")[2] in ("simulate", "sweep", "judge", "session"), (
            "others are written as they were typed"
        )
        return
    names = {node.id for node in ast.walk(ast.parse(unescape(shown[1]))) if isinstance(node, ast.Name)}
    assert names <= {"dicelab", "result", "results", "print", "range", "RunsCompared"}


def test_an_answer_that_takes_too_long_still_has_its_command(client: TestClient) -> None:
    answer = PendingAnswer(Job("exact", JobLimits()), {"error": "this took longer", "status": 1})
    assert not answered.is_refused(answer)


SHOP = '''
from dicelab.rules import D6, OVER, SUM, Flag, Game, Param, throw, thrown


class Shop(Game):
    """A parameter has the name of an option in Python."""

    name = "shop"
    outcomes = ("small", "large")
    seed = Param(1, 1, 5, "a number")
    store = Param(1, 1, 5, "another")
    rolled = Flag()
    big = Flag()

    def next(self) -> int:
        return OVER if self.rolled else throw(self.roll)

    @thrown(1, D6, SUM)
    def roll(self, total: int) -> None:
        self.rolled = True
        self.big = total > self.seed + self.store - 1

    def outcome(self) -> int:
        return int(self.big)
'''


@pytest.mark.parametrize("page", ["exact?", "sweep?over=seed=1..2&", "simulate?games=50&seed=3&", "judge?counts=3,2&"])
def test_a_parameter_with_the_name_of_a_keyword_is_given_to_the_game(tmp_path: Path, page: str) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    with TestClient(application(filled([str(tmp_path / "shop.py")]), TOKEN), base_url="http://127.0.0.1") as lab:
        text = lab.get(f"/games/shop/{page}set.seed=2&store=2&wait=1").text
    python = re.search(r'<pre id="python"[^>]*>(.*?)</pre>', text, re.S)
    command = COMMAND.search(text)
    assert python is not None
    assert command is not None
    found: dict[str, object] = {}
    exec(unescape(python[1]).replace("print(result)", ""), found)
    said = json.loads(found["result"].to_json())  # type: ignore[attr-defined]
    assert untimed(said) == untimed(printed(*split(unescape(command[1]))[1:]))
    assert said["parameters"]["store"] == 2


def test_an_exercise_is_saved_from_its_page(client):
    page = client.get("/games/hazard/exercise?main=7&pupils=Ann,Ben&games=100&wait=1").text
    assert "244/495" in page
    for name in ("exercise", "exercise-key"):
        assert f'download="hazard-{name}.html"' in page
        saved = client.get(f"/games/hazard/exercise/{name}.html?main=7&pupils=Ann,Ben&games=100")
        assert saved.headers["content-disposition"] == f'attachment; filename="hazard-{name}.html"'
        assert "Ben" in saved.text
    assert client.get("/games/hazard/exercise/other.html?main=7&pupils=Ann,Ben&games=100").status_code == 404


def test_the_pupils_of_an_address_are_names_and_no_file(client, tmp_path):
    (tmp_path / "n").write_text("secret\n")
    data = client.get("/games/hazard/exercise.json", params={"pupils": str(tmp_path / "n"), "games": 10}).json()
    assert [row["name"] for row in data["rows"]] == [str(tmp_path / "n")]


LONG = '''"""A list that is too long for compiled code where twelve is rolled."""

from dicelab.rules import D6, OVER, Flag, Game, Int, Param, Tally, ask, chosen, strategy, throw, thrown


class Long(Game):
    """A list of numbers is as long as a roll says."""

    rolls = Param(8, 7, 9, "rolls")
    left = Int(0, rolls, start=rolls)
    room = Int(0, 12)
    seen = Int(0, 10**9, "a number for all rolls: too many states for a table")
    points = Tally("points")

    def next(self) -> int:
        if self.left == 0:
            return OVER
        return throw(self.roll) if self.room else ask(self.choose, 0)

    @chosen((11, 12))
    def choose(self, room: int) -> None:
        self.room = room

    @thrown(2, D6)
    def roll(self, total: int) -> None:
        self.left -= 1
        self.seen = (self.seen * 12 + total) % 10**9
        found = [i % 3 for i in range(total * self.room) if i >= 0]
        self.points += sum(found)


@strategy(Long)
def short(game: Long) -> int:
    return 11


@strategy(Long)
def large(game: Long) -> int:
    return 12
'''


@pytest.mark.slow
def test_pages_say_how_many_games_compiled_code_left_to_the_reference_engine(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text(LONG)
    ways = {
        "sweep?over=rolls=7..8&strategy=large&simulated=yes&": "rolls [78]: ",
        "compare?strategy=short&strategy=large&simulated=yes&": "large: ",
        "beside?strategy=large&with.strategy=short&simulated=yes&": "",
        "simulate?strategy=large&": "",
    }
    note = r"[\d,]+ games were played by the reference engine, slowly: a number leaves its range inside a rule, or 64 "
    note += "bits, or a list its room"
    with TestClient(application(filled([str(tmp_path / "long.py")]), TOKEN), base_url="http://127.0.0.1") as lab:
        for way, part in ways.items():
            if way.startswith("simulate"):
                page = Watched(lab, "long", f"{way.partition('?')[2]}games=20000&seed=1").until("numbers", "finished")[
                    "html"
                ]
            else:
                page = lab.get(f"/games/long/{way}games=20000&seed=1&wait=1").text
            assert re.search(f'<p class="notice">{part}{note}</p>', page), way


def test_a_report_has_a_page_with_its_findings_and_the_file(client: TestClient) -> None:
    page = client.get("/games/hazard/report?main=5&wait=1").text
    found = dicelab.report("hazard", main=5)
    assert all(f"<li>{sentence}</li>" in page for sentence in found.sentences)
    assert "dicelab report hazard --main 5 --out hazard-report.html<" in page
    assert "result = dicelab.report(&#39;hazard&#39;, main=5)\nresult.save(&#39;hazard-report.html&#39;)" in page
    assert "<dt>JSON</dt>" not in page
    file = client.get("/games/hazard/report/report.html?main=5")
    assert file.headers["content-disposition"] == 'attachment; filename="hazard-report.html"'
    assert re.sub(r"\d\.\d+ s\b", "", file.text) == re.sub(r"\d\.\d+ s\b", "", found.html)
    assert client.get("/games/hazard/report.json").json()["error"] == "this answer has no json"
    assert "games: &#39;x&#39; is not a whole number" in client.get("/games/hazard/report?games=x&wait=1").text


def test_a_game_is_published_from_its_page(client: TestClient) -> None:
    address = "/games/hazard/publish?vary=main%3D5..6&include=exact"
    page = client.get(f"{address}&wait=1").text
    assert "dicelab publish hazard --vary main=5..6 --with exact --out hazard-publish.html<" in page
    assert "to be played and simulated without a server" in page
    text = client.get(address.replace("publish?", "publish/publish.html?")).text
    assert text == dicelab.publish("hazard", vary={"main": range(5, 7)}, include=["exact"]).html
    assert "--with exact --vary main=5..6" in text
    assert client.get("/games/hazard/publish?policy=best.npz").status_code == 404, "no file is named in an address"
