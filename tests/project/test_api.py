"""The public calls: games with parameters, names of options, suggestions, texts, and the page about them."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tempfile
from enum import IntEnum
from pathlib import Path

import pytest

import dicelab
import stubs
from api_page import CALLS, PAGE, about_games, rewritten
from dicelab.conformance.check import check
from dicelab.errors import DicelabError, ParameterError, UnknownNameError
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.craps_bet import CrapsBet
from dicelab.games.tossup import TossUp
from dicelab.learning import aec, gym, vector
from dicelab.questions import CHARTS
from dicelab.rules import D6, OVER, Casino, Die, Int, Param, Tally, ask, chosen, strategy, throw, thrown
from dicelab.runtime.lineup import Run
from support import GAMES, ROOT

ENVIRONMENTS = {"gym": gym, "vector": vector, "aec": aec}


def parameters_of(call):
    return inspect.signature(call).parameters.values()


ABOUT_GAMES = about_games() | ENVIRONMENTS
OTHERS = {"game", "parameters", "ruin"}
OPTIONS = sorted({p.name for call in ABOUT_GAMES.values() for p in parameters_of(call)} - OTHERS)
"""Names of options. A game with sessions can't have a parameter called ruin: it declares its outcome of ruin so."""


class Move(IntEnum):
    ONE = 0
    TWO = 1


class Everything(Casino):
    """Every option of a call is also the name of a parameter."""

    name = "everything"
    outcomes = ("win", "ruined")
    ruin = "ruined"

    bankroll = Param(5, 1, 100, "money at the start")
    for option in OPTIONS:
        locals()[option] = Param(1, 1, 9, "named like an option")
    del option

    dice = Int(0, 2, "dice to roll")
    total = Int(0, 12, "what they show")
    money = Tally("net win", low=-1, high=1)
    turns = Tally("turns")

    def next(self):
        if self.total:
            return OVER
        return throw(self.both, self.dice) if self.dice else ask(self.one_or_two, 0)

    @chosen(Move)
    def one_or_two(self, move):
        self.dice = move + 1
        self.turns += 1

    @thrown(2, D6)
    def both(self, total):
        self.total = total

    def outcome(self):
        won = self.total > 5
        self.money += 1 if won else -1
        return 0 if won else 1


@strategy(Everything)
def one(game):
    return Move.ONE


@strategy(Everything)
def two(game):
    return Move.TWO


CLASS = Path(tempfile.mkdtemp()) / "pupils.csv"
CLASS.write_text("name,win,lose\nAnn,5,5\n")
ASKED = {
    "simulate": {"games": 20, "engine": "reference"},
    "compare": {"strategies": ["one", "two"], "exact": True},
    "rate": {"strategies": ["one", "two"], "games": 20},
    "sweep": {"over": {"bankroll": [5, 6]}, "exact": True},
    "tune": {"over": {"bankroll": [5, 6]}, "want": "win<90%"},
    "best": {"games": 20, "seconds": 1},
    "solve_for": {"over": {"bankroll": [5, 6]}, "exact": True, "figure": "win", "target": 0.5},
    "session": {"games": 20},
    "systems": {"strategies": ["one", "two"], "games": 20, "exact": False},
    "for_ruin": {"ruin": 0.9},
    "judge": {"counts": [5, 5]},
    "judge_class": {"file": CLASS},
    "with_dice": {"rolls": "20,19,18,21,22,20"},
    "convergence": {"games": 20},
    "race": {"strategies": ["one", "two"]},
    "luck": {"games": 20},
    "publish": {"vary": {}},
    "report": {"games": 20},
    "exercise": {"games": 20, "pupils": 1},
    "learn": {"games": 20, "seed": 1},
}
"""What is asked of `Everything` by calls that need more than a game, or would take long."""
TRIED = sorted(ABOUT_GAMES.keys() - ENVIRONMENTS.keys() - {"equilibrium", "policy"})
"""The calls about a game; these two need hidden fields, and a file."""


def test_what_is_asked_of_calls_is_of_calls_that_are_tried():
    assert set(ASKED) <= set(TRIED)
    assert len(OPTIONS) > 30


@pytest.mark.slow_cases("for_ruin", "judge", "judge_class", "luck", "publish", "report", "with_dice")
@pytest.mark.parametrize("call", TRIED)
def test_a_game_with_parameters_leaves_all_names_to_the_options(call):
    result = CALLS[call](Everything(**dict.fromkeys(OPTIONS, 2)), **ASKED.get(call, {}))
    assert result.game == "everything"
    assert {name: result.parameters[name] for name in OPTIONS} == dict.fromkeys(OPTIONS, 2)


@pytest.mark.slow_cases("vector")
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_of_a_game_with_parameters(name):
    pytest.importorskip("gymnasium")
    pytest.importorskip("pettingzoo")
    if name == "aec":
        env = aec(TossUp(target=7))
    else:
        env = ENVIRONMENTS[name](TossUp(target=7), "one_roll", **({"num_envs": 2} if name == "vector" else {}))
    assert "(target=7)" in repr(env) or name == "vector"
    assert " at 0x" not in repr(env)
    env.close()


@pytest.mark.quick_cases("judge", "simulate")
@pytest.mark.parametrize("call", ["simulate", "exact", "solve", "compare", "sweep", "judge"])
def test_parameters_in_the_game_and_in_the_call_mean_the_same(call):
    asked = {
        "simulate": {"games": 50, "seed": 1, "engine": "reference"},
        "compare": {"strategies": ["one_roll", "bank_over:5"], "exact": True},
        "sweep": {"over": {"dice": [2, 3]}, "exact": True},
        "judge": {"counts": [60, 40]},
    }.get(call, {})
    one = CALLS[call](TossUp(target=9), **asked)
    other = CALLS[call]("tossup", target=9, **asked)
    assert {**one.to_dict(), "seconds": 0, "rows": 0} == {**other.to_dict(), "seconds": 0, "rows": 0}


def test_edges_of_a_house():
    rows = dicelab.edges(CrapsBet(house="reno"), only="place_[456]").rows
    assert rows == dicelab.edges("craps", only="place_[456]", house="reno").rows
    assert [row.bet for row in rows] == ["place_4", "place_5", "place_6"]
    assert [row.bet for row in dicelab.edges(CrapsBet(bet="place_6")).rows] == ["place_6"]
    assert dicelab.edges(Craps(), only="place_6").rows == rows[2:]
    with pytest.raises(ParameterError, match=r"edges of Craps\(bar='bar2'\) are those of craps-bet.*edges\(CrapsBet"):
        dicelab.edges(Craps(profile="reno"))


def test_a_variant_may_be_a_class():
    pig, two_dice = GAMES["pig"], GAMES["pig-two-dice"]
    by_class = dicelab.judge("hazard", counts=[400, 600], variants=[GAMES["pass-line"]])
    assert by_class.verdict == dicelab.judge("hazard", counts=[400, 600], variants="pass-line").verdict
    assert pig is not two_dice


# Keywords -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "keyword", "meant"),
    [
        ("simulate", "gmaes", "games"),
        ("simulate", "prcision", "precision"),
        ("exact", "fraction", "fractions"),
        ("solve", "agianst", "against"),
        ("sweep", "treads", "threads"),
        ("compare", "exat", "exact"),
        ("learn", "epsilo", "epsilon"),
        ("session", "bankrol", "bankroll"),
        ("systems", "drawdwn", "drawdown"),
        ("judge", "count", "counts"),
        ("solve_cost", "objectiv", "objective"),
    ],
)
def test_a_wrong_keyword_suggests_the_right_option_or_parameter(call, keyword, meant):
    needed = {"sweep": {"over": {"bankroll": [5]}}, "compare": {"strategies": ["one", "two"]}}.get(call, {})
    needed |= {"strategies": ["one", "two"]} if call == "systems" else {}
    with pytest.raises(UnknownNameError) as caught:
        CALLS[call](Everything, **needed, **{keyword: 1})
    message = f"no parameter of everything or option of {call} {keyword!r}; did you mean {meant!r}?"
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("call", "given", "meant"),
    [
        (lambda: dicelab.dice("2d6", dept=3), "option of dice 'dept'", "depth"),
        (lambda: dicelab.check("hazard", second=3), "option of check 'second'", "seconds"),
        (lambda: dicelab.rule(None, leafs=3), "option of rule 'leafs'", "leaves"),
        (lambda: dicelab.plot_sweep(None, swep="gap"), "option of plot_sweep 'swep'", "sweep"),
        (lambda: TossUp(targt=3), "parameter of tossup 'targt'", "target"),
    ],
)
def test_a_wrong_keyword_of_a_call_without_parameters(call, given, meant):
    with pytest.raises(UnknownNameError, match=f"no {given}; did you mean '{meant}'"):
        call()


def test_the_suggestion_is_about_the_call_that_was_made():
    """Inside, `race` calls `exact`; and a wrong strategy is not a wrong option."""
    with pytest.raises(UnknownNameError, match="everything or option of race 'taly'; did you mean 'tally'"):
        dicelab.race(Everything, ["one"], taly="turns")
    with pytest.raises(UnknownNameError, match=r"^no strategy of tossup 'bank_ovr'; did you mean 'bank_over'"):
        dicelab.simulate("tossup", "bank_ovr", target=3)


WITHOUT_KEYWORDS = {"find", "all_games"}


@pytest.mark.parametrize("call", sorted(CALLS.keys() - ABOUT_GAMES.keys() - WITHOUT_KEYWORDS))
def test_a_wrong_keyword_of_a_call_that_is_about_no_game(call):
    """All keywords there are follow: options, or fields of a state (advice, plot_policy)."""
    declared = inspect.signature(CALLS[call]).parameters.values()
    places = [p for p in declared if p.kind is p.POSITIONAL_ONLY and p.default is p.empty]
    given = [dicelab.solve(TossUp(target=5, dice=2)).policy, "points", "scores[0]"][: len(places)]
    with pytest.raises(DicelabError, match=r"'gmaes'; (there are|did you mean)|no gmaes .*; it has"):
        CALLS[call](*given, gmaes=1)


def test_errors_about_names_are_key_errors_with_a_plain_message():
    with pytest.raises(KeyError) as caught:
        dicelab.find("hazzard")
    assert str(caught.value) == "no game 'hazzard'; did you mean 'hazard'?"
    assert (caught.value.kind, caught.value.name) == ("game", "hazzard")
    with pytest.raises(AttributeError, match="no attribute 'simulte'") as missing:
        dicelab.simulte  # noqa: B018
    assert (missing.value.name, missing.value.obj) == ("simulte", dicelab), "Python then suggests simulate"


# check ----------------------------------------------------------------------------------------------------------------


def test_check_takes_a_name_a_class_and_a_game(monkeypatch):
    asked = []
    examine = lambda file, seconds, progress: asked.append((file, seconds))  # noqa: E731
    monkeypatch.setattr("dicelab.conformance.check.examine", examine)
    pig = str(ROOT / "examples/pig.py")
    for game in ("hazard", GAMES["pig"], GAMES["pig"](target=50), pig, Path(pig), f"{pig}:pig"):
        check(game, seconds=7)
    hazard = str(ROOT / "src/dicelab/games/hazard.py:hazard")
    assert asked == [(file, 7) for file in (hazard, f"{pig}:pig", f"{pig}:pig", pig, pig, f"{pig}:pig")]
    for wrong in (3, dicelab.Game, TossUp.start):
        with pytest.raises(ParameterError, match="is not a game"):
            check(wrong)
    with pytest.raises(UnknownNameError, match="did you mean 'hazard'"):
        check("hazzard")


def test_a_class_that_is_in_no_file_cannot_be_checked():
    space = {"__name__": "nowhere"}
    exec("from dicelab.rules import Game\nclass Nowhere(Game):\n    def next(self): return -1", space)
    with pytest.raises((ParameterError, KeyError)):
        check(space["Nowhere"])


# Texts ----------------------------------------------------------------------------------------------------------------


def declarations(game):
    declared = game.declared
    for part in (declared.params, declared.state, declared.tallies, declared.strategies):
        yield from part.values()
    yield from (*declared.throws, *declared.decisions, *(roll.die for roll in declared.throws))
    yield game()
    yield from (s.memory(game()) for s in declared.strategies.values() if s.memory is not None)


@pytest.mark.parametrize("name", GAMES)
def test_games_and_their_declarations_are_short_texts_without_addresses(name):
    for thing in declarations(GAMES[name]):
        text = repr(thing)
        assert " at 0x" not in text
        assert "object" not in text.partition(":")[0]
        assert "\n" not in text
        assert len(text) < 250, text


def test_texts_of_games_and_dice():
    assert repr(TossUp()) == "TossUp()"
    assert repr(TossUp(target=50, last_turn="yes")) == "TossUp(target=50, last_turn=True)"
    assert repr(Craps(profile="reno")) == "Craps(bar='bar2')"
    assert repr(D6) == "d(6)"
    assert repr(dicelab.exact("lcr", players=2).tallies["turns"].spread).startswith("<Spread: ")
    assert repr(TossUp.declared.throws[0].die) == "Die(red=red, yellow=yellow, green=green)"
    assert repr(Die.of(4, 2, 2)) == "Die.of(2, 2, 4)"
    assert repr(TossUp.declared.strategies["bank_over"]) == "<Strategy bank_over(points=20) of tossup>"
    assert repr(Run.of(TossUp(target=9), "one_roll").game) == "TossUp(target=9)"


def test_a_policy_is_a_short_text_and_a_table():
    pytest.importorskip("pandas")
    best = dicelab.solve(TossUp(target=8, dice=2)).policy
    assert repr(best) == f"<Policy of TossUp(dice=2, target=8): player 1 and player 2, win; {len(best):,} states>"
    table = best.to_frame()
    assert len(table) == len(best)
    assert list(table)[-2:] == ["best", "worth"]
    for state in (0, len(best) // 2, len(best) - 1):
        row = table.iloc[state].to_dict()
        found = dicelab.advice(best, **best.state(state)).rows[0]
        assert row == {**found.state, "best": found.best, "worth": found.options[found.best][0]}
    html = best._repr_html_()
    assert html.count("<tr>") == 3
    rolled = (table["best"] == "roll").sum()
    assert f'{100 * rolled / len(best):.1f}%, transparent 0)">{rolled:,}</td>' in html


@pytest.mark.slow
def test_a_policy_with_several_kinds_of_choices_as_a_table():
    pytest.importorskip("pandas")
    best = dicelab.solve(GAMES["shut-the-box-alone"], objective="shut").policy
    moves = best.to_frame()["best"]
    for state in range(0, len(best), max(1, len(best) // 20)):
        assert moves[state] == best.choices(state).best_move
    assert len(moves.unique()) > 2


# The page -------------------------------------------------------------------------------------------------------------


def test_the_page_has_every_public_name_and_every_option():
    page = PAGE.read_text()
    assert rewritten(page) == (page, [], []), "python tests/api_page.py writes the tables anew"


@pytest.mark.parametrize("path", stubs.STUBS, ids=lambda path: path.parent.name)
def test_type_checkers_read_the_public_names(path):
    assert path.read_text() == stubs.STUBS[path], "python tests/stubs.py writes it anew"


def test_public_names_are_imported_when_they_are_used():
    assert dir(dicelab) == dicelab.__all__
    for name in dicelab.__all__:
        assert name == "__version__" or getattr(dicelab, name).__module__ == dicelab._HOME[name]


def test_every_picture_is_public():
    folder = ROOT / "src/dicelab/plots"
    drawn = [name for file in folder.glob("*.py") for name in re.findall(r"^def (plot_\w+)", file.read_text(), re.M)]
    assert sorted(drawn) == sorted(CHARTS)


def test_importing_dicelab_imports_nothing_else():
    code = "import sys; before = set(sys.modules); import dicelab; print(*sorted(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(found) <= {"__future__", "dicelab", "dicelab.questions", "dicelab.version"}


@pytest.mark.parametrize("name", CALLS)
def test_every_call_is_typed_and_described(name):
    call = inspect.unwrap(CALLS[name])
    untyped = [p.name for p in inspect.signature(call).parameters.values() if p.annotation is p.empty]
    assert not untyped
    assert "return" in call.__annotations__
    text = inspect.getdoc(CALLS[name])
    assert ">>> " in text, "an example"
    parts = text.partition("Parameters\n")[2].partition("Raises\n")[0]
    names = inspect.signature(call).parameters
    assert not [p for p in names if not re.search(rf"^(\S.*, )?\W*{p}\b", parts, re.MULTILINE)]
    assert "Raises\n" in text or name == "all_games"


def test_the_typed_program_has_every_call():
    program = (ROOT / "tests/typed/user.py").read_text()
    missing = [n for n in CALLS if f"dicelab.{n}(" not in program and not n.startswith("plot_")]
    assert not missing
    assert (ROOT / "src/dicelab/py.typed").is_file()
