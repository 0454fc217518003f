"""Published pages as files: what is in them, and what they refuse."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dicelab
from dicelab.errors import InputError
from dicelab.interface.publishing import wasm
from dicelab.interface.publishing.answer_html import answers
from dicelab.interface.publishing.game_data import cannot_finish, varied_by_default
from dicelab.interface.publishing.publish import add_to_folder
from dicelab.questions.declare import declared
from dicelab.rules.loading.registry import find
from dicelab.runtime.lineup import Run
from support import SetLimits

HOSTILE = '''"""Rules."""
from dicelab.rules import D6, OVER, Game, Int, Tally, Words, Rulebook, throw, thrown


class Hostile(Game):
    """</script><script>alert(1)</script>: <img src=x onerror=alert(2)>.

    More "text" & </title>.
    """

    name = "hostile"
    source = "<b onclick=alert(3)>"
    words = Words(
        names={"sum": "</p><script>alert(4)</script>"},
        rulebook=Rulebook(goal="<svg onload=alert(5)>"),
        news={"die": "<img src=x onerror=alert(6)> {player}"},
    )
    sum = Int(0, 6, "<script>alert(7)</script>")
    rolls = Tally("</script><script>alert(8)</script>")

    def next(self) -> int:
        return OVER if self.sum else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.sum = face
        self.rolls += 1
'''


@pytest.fixture(scope="module")
def hazard() -> str:
    return dicelab.publish("hazard").html


def test_the_policy_allows_this_style_and_script_only(hazard: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', hazard)[1]
    for kind, pattern in ("script", r'<script type="module">(.*?)</script>'), ("style", "<style>(.*?)</style>"):
        text = re.search(pattern, hazard, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "unsafe-inline" not in policy
    written = re.sub(r"<script.*?</script>", "", hazard, flags=re.DOTALL)
    assert not re.search(r"\son\w+=|style=|https?://", written)


def test_a_module_that_was_compiled_otherwise_is_compiled_again(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path))
    made = iter((b"first", b"second"))
    monkeypatch.setattr(wasm.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0, stdout=next(made)))
    assert wasm.compiled("text", ()) == wasm.compiled("text", ()) == b"first"
    monkeypatch.setattr(wasm, "COMPILER", "another")
    assert wasm.compiled("text", ()) == b"second"


def test_the_same_input_gives_the_same_bytes(hazard: str) -> None:
    assert dicelab.publish("hazard").html == hazard


def test_without_scripts_the_rules_are_there(hazard: str) -> None:
    assert "The caster wins a round by rolling the chance before the main." in hazard
    assert f"dicelab {dicelab.__version__}, rules " in hazard
    assert len(hazard) < 600_000


def test_an_exact_answer_is_there_without_scripts() -> None:
    html = dicelab.publish("hazard", include=["exact"]).html
    found = dicelab.exact("hazard")
    assert f'<td class="n">{found.outcomes["win"].probability:.6f}</td>' in html
    assert f">{found.outcomes['win'].fraction}</td>" in html
    assert found.summary in html
    with pytest.raises(InputError, match=r"'bset' is not allowed; a page can have exact, best, sweep:NAME=A\.\.B"):
        dicelab.publish("hazard", include=["bset"])


@pytest.mark.slow
def test_sweeps_are_those_of_the_command() -> None:
    run = Run.of("lcr", players=3)
    players, coins = answers(run, ["sweep:players=2..4", "sweep:coins=2,3"])
    found = dicelab.sweep("lcr", over={"players": range(2, 5)}, exact=True)
    assert (players.id, coins.id) == ("sweep", "sweep2")
    assert players.sentence == found.summary
    for row in found.to_dict()["rows"]:
        for outcome in row["outcomes"].values():
            assert f'<td class="n">{outcome["probability"]:.6f}</td>' in players.html
    first = players.charts[0]["data"]["series"][0]
    expected = [[row["over"]["players"], row["outcomes"]["0"]["probability"]] for row in found.to_dict()["rows"]]
    assert (first["label"], first["points"]) == ("player 1", expected)
    assert not re.search(r"\d s\b|style=", players.html + coins.html)


def test_a_sweep_that_would_take_too_long_is_simulated_and_says_so(limits: SetLimits) -> None:
    run = Run.of("hazard")
    assert not answers(run, ["sweep:main=5,6"])[0].note
    limits(sweep_seconds=-1.0)
    page = dicelab.publish("hazard", include=["sweep:main=5,6"])
    (note,) = page.notes
    assert note.startswith("The sweep over main=5,6 is simulated, 20,000 games each: an exact answer would take about")
    assert note in page.html
    played = dicelab.simulate("hazard", main=6, games=20_000, seed=1).outcomes["win"]
    assert f"{played.probability:.4f}" in page.html


def test_arguments_of_strategies_are_swept() -> None:
    run = Run.of("tossup", "bank_over", target=6, dice=2)
    (found,) = answers(run, ["sweep:bank_over=0..4..2"], "bank_over")
    right = dicelab.exact("tossup", "bank_over:4", target=6, dice=2).outcomes["0"].probability
    assert found.charts[0]["data"]["series"][0]["points"][-1] == [4, pytest.approx(right)]
    (found,) = answers(run, ["sweep:last_turn=no,yes"], "bank_over:2")
    assert "yes" in found.html
    assert not found.charts


def test_how_to_play_is_the_answer_of_best() -> None:
    assert answers(Run.of("lcr"), ["best"])[0].sentence == dicelab.best("lcr").summary


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("exact,best", ["exact", "best"]),
        ("exact, sweep:last_turn=no,yes,best", ["exact", "sweep:last_turn=no,yes", "best"]),
        ("sweep:dice=2,3,sweep:players=2..3,", ["sweep:dice=2,3", "sweep:players=2..3"]),
    ],
)
def test_answers_as_they_are_typed(text: str, parts: list[str]) -> None:
    assert declared("publish").options["include"].read("include", text) == parts


def test_a_folder_has_a_start_page(tmp_path: Path) -> None:
    page = dicelab.publish("hazard")
    add_to_folder(page, tmp_path)
    (tmp_path / "else.html").write_text("<title>another page</title>")
    add_to_folder(page, tmp_path)
    start = (tmp_path / "index.html").read_text()
    assert start.count('<a href="hazard.html">hazard</a>') == 1
    assert "else.html" not in start


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ({"mian": [5]}, "did you mean 'main'"),
        ({"main": [99]}, "main"),
        ({"main": []}, "no values"),
    ],
)
def test_ranges_that_are_refused(vary: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        dicelab.publish("hazard", vary=vary)


def test_too_many_combinations() -> None:
    with pytest.raises(InputError, match=r"490 combinations of parameters, and a page holds 400"):
        dicelab.publish("lcr", vary={"players": range(2, 51), "dice": range(1, 11)})


@pytest.mark.slow
def test_hostile_texts_are_text(tmp_path: Path) -> None:
    file = tmp_path / "hostile.py"
    file.write_text(HOSTILE, encoding="utf-8")
    html = dicelab.publish(file).html
    assert re.findall(r"<(script|img|svg|b)\b", html) == ["script"] * 3
    assert html.count("</script>") == 3


@pytest.mark.slow
def test_hostile_texts_do_nothing_in_a_browser(opened: Any, tmp_path: Path) -> None:
    file = tmp_path / "hostile.py"
    file.write_text(HOSTILE, encoding="utf-8")
    page = opened(dicelab.publish(file).html)
    said = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.click("#play form button[type=submit]")
    page.wait_for_selector("#play .table button")
    page.click("#play .table button:not(.quiet)")
    page.click("#simulate form button[type=submit]")
    page.wait_for_selector("#simulate table")
    assert page.locator("main img, main script, main b").count() == 0
    assert "onerror" in page.inner_text("#play .events >> nth=0")
    assert said == []


@pytest.mark.parametrize(
    ("rule", "notes"),
    [
        ("face**40 % 5 + 1", ["A number may need more than 64 bits in die (game.py, line 16): games in which"]),
        ("(1 << 20) % 5 + face", []),
        ("len([face] * face)", ["A list may become too long"]),
    ],
)
def test_where_a_game_may_get_stuck_is_said_beforehand(tmp_path: Path, rule: str, notes: list[str]) -> None:
    file = tmp_path / "game.py"
    file.write_text(HOSTILE.replace("self.sum = face", f"self.sum = {rule}"), encoding="utf-8")
    found = cannot_finish(Run.of(str(file)))
    assert len(found) == len(notes)
    for sentence, note in zip(found, notes, strict=True):
        assert sentence.startswith(note[:30])
        assert str(tmp_path) not in sentence


DUEL = '''
from dicelab.rules import *


class Duel(Game):
    """Each names a side of a coin; the second wins if they are different, and a die may make it a draw."""

    seats = 2
    outcomes = (2, "draw")
    said = Ints(2, -1, 1, start=-1)
    rolled = Int(0, 6)

    def next(self):
        if not self.rolled:
            return throw(self.die)
        return OVER if self.said[1] >= 0 else ask(self.side, int(self.said[0] >= 0))

    @thrown(1, D6)
    def die(self, face):
        self.rolled = face

    @chosen(2)
    def side(self, side):
        self.said[int(self.said[0] >= 0)] = side

    def outcome(self):
        return 2 if self.rolled == 6 else int(self.said[0] != self.said[1])


@strategy(Duel)
def heads(game):
    return 0


@strategy(Duel)
def either(game):
    return mixture((0, 1), (1, 1))
'''


@pytest.mark.slow
def test_mixed_strategies_are_left_out_of_a_page_unless_one_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "duel.py"
    file.write_text(DUEL, encoding="utf-8")
    notes = dicelab.publish(str(file)).notes
    assert "It leaves out either, as a page can't follow strategies that draw their moves." in notes
    assert any("here a draw counts as half a win for each" in note for note in notes)
    with pytest.raises(InputError, match=r"either draws its moves \(mixture\), which a page can't follow"):
        dicelab.publish(str(file), "either")


@pytest.mark.parametrize("game", ["tossup", "lcr", "yahtzee", "hazard", "farkle", "pass-line"])
def test_included_games_can_be_finished(game: str) -> None:
    assert cannot_finish(Run.of(game)) == []


def test_what_a_board_shows_may_return_early() -> None:
    """The length of a column of Can't Stop; none of the sums 0 and 1."""
    found = wasm.expression_of(type(find("examples/cant_stop_race.py")()), "length")
    assert found is not None
    assert found[:3] == ["if", ["<", ["name", "column"], ["number", 2]], ["number", 0]]
    assert found[3][0] == "+"


def test_without_a_request_no_parameter_leads_to_rolls_of_very_many_dice(tmp_path: Path) -> None:
    file = tmp_path / "game.py"
    file.write_text(MANY_DICE, encoding="utf-8")
    varied = {one.name: one.values for one in varied_by_default(Run.of(str(file)).game)}
    assert varied == {"players": (2, 3, 4), "each": (1, 2, 3, 4)}


MANY_DICE = '''
from dicelab.rules import *


class Pile(Game):
    """All dice of all players are rolled at once."""

    players = Param(2, 2, 5, "players")
    each = Param(4, 1, 9, "dice of each player")
    sixes = Tally("sixes")
    rolled = Flag()

    def next(self):
        return OVER if self.rolled else throw(self.roll)

    @thrown(players * each + 1, D6, COUNTS)
    def roll(self, *counts):
        self.rolled = True
        self.sixes += counts[5]
'''
