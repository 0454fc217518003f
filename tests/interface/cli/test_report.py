"""``dicelab report``: one file with every section that applies, and nothing from elsewhere."""

from __future__ import annotations

import re
import signal
from contextlib import suppress
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from shlex import split
from types import SimpleNamespace

import pytest

import dicelab as lib
from dicelab.interface.reporting import sections
from dicelab.runtime import interrupts
from support import GAMES, SetLimits

HOSTILE = '''
from dicelab.rules import D6, OVER, SUM, Flag, Game, Tally, throw, thrown

class Hostile(Game):
    """<script>alert('summary')</script>

    <img src=x onerror=alert('rules')>
    """

    name = "hostile"
    outcomes = ("<i>won</i>", "lost")
    source = "<b>nowhere</b>"
    done = Flag()
    rolls = Tally("<script>alert('tally')</script>")

    def next(self):
        return OVER if self.done else throw(self.roll)

    @thrown(1, D6, SUM)
    def roll(self, total):
        self.rolls += 1
        self.done = total > 3

    def outcome(self):
        return 0
'''


class Elements(HTMLParser):
    """The elements of a page, with their attributes; refuses what is not closed properly."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def titles(text: str) -> list[str]:
    return re.findall(r"<h2>(.*?)</h2>", text)


@pytest.fixture(scope="module")
def tossup() -> str:
    return lib.report("tossup", target=12, dice=3, games=500).html


@pytest.mark.slow
def test_a_game_with_choices_has_its_rules_fairness_strategies_and_best_play(tossup: str) -> None:
    assert titles(tossup) == [
        "Findings",
        "The game",
        "Fairness and length",
        "Strategies compared",
        "Optimal play",
        "A short rule",
        "For experts and casual players",
    ]
    exact = lib.exact("tossup", target=12, dice=3)
    assert f"{exact.outcomes['0'].probability:.6f}" in tossup
    assert f"{lib.solve('tossup', target=12, dice=3).value:.6f}" in tossup
    assert "last_turn no" in tossup


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere_and_no_script_runs(tossup: str) -> None:
    elements = Elements(tossup).found
    assert not [tag for tag, _ in elements if tag in ("script", "link", "iframe", "object", "embed")]
    sources = [attributes.get("src") or "" for tag, attributes in elements if tag == "img"]
    assert len(sources) == 6
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert all(attributes.get("alt") for tag, attributes in elements if tag == "img")
    assert not re.search(r"""(href|src)=["'](?!#|data:)""", tossup)
    assert "@import" not in tossup
    assert "url(" not in tossup


@pytest.mark.slow
def test_each_command_in_it_gives_its_answer(dicelab, tossup: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [unescape(found) for found in re.findall(r"<pre>(.*?)</pre>", tossup)]
    assert len(commands) == 5
    for command in commands:
        assert dicelab(*split(command)[1:], "--json").status == 0


def test_a_game_without_choices_has_only_its_answer() -> None:
    found = lib.report("hazard", main=5)
    assert [section.title for section in found.sections] == ["The game", "Fairness and length"]
    assert found.sentences[0].endswith("Nobody decides anything: it is all luck.")


def test_an_exact_answer_that_takes_too_long_is_simulated(monkeypatch: pytest.MonkeyPatch, limits: SetLimits) -> None:
    limits(report_seconds=1e-9)
    monkeypatch.setattr(sections, "exact_cost", lambda *given, **named: SimpleNamespace(fits=True, expected_seconds=0))
    found = lib.report("lcr", players=3, games=100)
    assert found.sections[-1].command == "dicelab simulate lcr --players 3 --games 100 --seed 1"


def test_a_verdict_on_some_strategies_says_that_it_is_not_about_all() -> None:
    def compared(interrupted: bool) -> str:
        pair = SimpleNamespace(first="a", second="b", difference=SimpleNamespace(low=1, high=2))
        return sections.dominance(SimpleNamespace(pairs=[pair], interrupted=interrupted))

    assert compared(False) == "a dominates: it beats each of the other strategies."
    assert compared(True) == "a dominates: it beats each of the others that were compared in the time there was."


def test_a_long_table_of_edges_is_folded_below_the_lowest_and_highest(limits: SetLimits) -> None:
    found = lib.edges("craps", only="field_*")
    limits(bars=3)
    html = unescape(sections.edges_in_html(found))
    lowest, _, rest = html.partition("the highest house edges")
    assert lowest.index("field 2x3x") < lowest.index("field 2x2x")
    assert ">2.78 %</td>" in lowest
    assert rest.index("field 2x2x") < rest.index("<details><summary>All 4 bets</summary>")
    assert "in time" not in html
    html = sections.edges_in_html(replace(found, interrupted=True))
    assert "the highest house edges among the 4 bets that were worked out in time" in html


@pytest.mark.slow
def test_a_game_for_one_player_has_its_best_play_too() -> None:
    found = lib.report(GAMES["pig-alone"], target=5, games=200)
    assert [section.title for section in found.sections][-2:] == ["Optimal play", "A short rule"]
    assert "The rule: " in found.sentences[-1]
    assert "These are games with the strategy hold_at:20." in found.sentences[0]
    assert "Hold as soon as the turn has 20" in unescape(found.html)


@pytest.mark.slow
def test_a_game_of_money_has_edges() -> None:
    assert "House edge" in titles(lib.report("craps-bet", games=200).html)


def test_the_command_writes_the_file(dicelab, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    said = dicelab("report", "lcr", "--players", "3", "-o", str(file))
    assert (said.status, said.out, said.err) == (0, "", f"written: {file}\n")
    assert "dicelab exact lcr --players 3" in file.read_text()
    dicelab("report", "lcr").must_refuse(2, "--out")
    dicelab("report", "lcr", "-o", str(tmp_path / "nowhere" / "x.html")).must_refuse(2, "there is no folder")
    dicelab("report", "lcr", "-o", str(tmp_path / "report.pdf")).must_refuse(2, "a report is written as .html")


@pytest.mark.slow
def test_what_is_too_large_is_simulated_or_left_out(dicelab, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    dicelab("report", "tossup", "--memory", "1M", "--games", "200", "-o", str(file))
    text = file.read_text()
    assert "dicelab simulate tossup -s" in text
    assert "Too large to be solved here." in text


def test_hostile_texts_are_escaped(tmp_path: Path) -> None:
    file = tmp_path / "hostile.py"
    file.write_text(HOSTILE)
    text = lib.report(str(file)).html
    assert "<script>" not in text
    assert not [
        tag for tag, attributes in Elements(text).found if tag in ("script", "i", "b") or "onerror" in attributes
    ]


def test_a_parameter_with_the_name_of_an_option_of_the_command_is_given_by_set(tmp_path: Path) -> None:
    file = tmp_path / "hostile.py"
    file.write_text(
        HOSTILE.replace(
            "    done = Flag()",
            "    done = Flag()\n    games, store = Param(3, 1, 9, 'games'), Param(1, 1, 9, 'stores')",
        ).replace("Flag, Game,", "Flag, Game, Param,")
    )
    text = lib.report(lib.find(str(file))(games=5, store=5)).html
    assert "--games 5 --set store=5" in text  # `exact` has no option --games


@pytest.mark.slow
def test_findings_are_the_answers_in_sentences(tossup: str) -> None:
    assert lib.exact("tossup", target=12, dice=3).summary in unescape(tossup)
    assert "points ahead of the worst" in tossup


@pytest.mark.slow
def test_a_report_that_is_interrupted_has_what_was_finished() -> None:
    def stop(about: str) -> None:
        if about == "strategies":
            raise KeyboardInterrupt

    found = lib.report("tossup", target=12, dice=3, games=100, progress=stop)
    assert found.interrupted
    assert titles(found.html) == ["Findings", "The game", "Fairness and length"]
    assert "stopped before its end" in found.html


@pytest.mark.slow
def test_a_report_stops_where_ctrl_c_ended_one_of_its_questions_early() -> None:
    def stop(about: str) -> None:
        if about == "strategies":
            with suppress(KeyboardInterrupt):  # as questions do that return what they have
                interrupts.interrupt(signal.SIGINT, None)

    found = lib.report("tossup", target=12, dice=3, games=100, progress=stop)
    assert found.interrupted
    assert titles(found.html) == ["Findings", "The game", "Fairness and length", "Strategies compared"]
