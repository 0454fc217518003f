"""The table of craps at the terminal: a session to read, how bets may be said, what beside a move may be asked."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

import dicelab
from dicelab.engines.compiled import Compiled
from dicelab.errors import PlayError
from dicelab.extras.craps.bet_names import called
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import NAMES, spot_named
from dicelab.interface.play.asking.question import OpenChoice
from dicelab.rules import D6, OVER, Game, Int, Tally, ask, chosen, throw, thrown
from dicelab.rules.game import reset, twin
from dicelab.rules.loading.registry import find
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from support import GAMES
from terminal import at_a_terminal, piped, sit

SESSION = """\
you: type a bet (pass 10), or press Enter to roll > pass 10
  pass 10; purse 290
you: type a bet (pass 10), or press Enter to roll > done
  ┌─────┐┌─────┐
  │●   ●││●    │
  │●   ●││  ●  │
  │●   ●││    ●│
  └─────┘└─────┘
  9: the point is 9
  puck ON 9 | shooter 1 | throws 1 | rounds left 60
  purse 290 | on the table 10
    pass              10
you: type a bet (pass 10), or press Enter to roll > odds 20
  pass odds 20; purse 270
you: type a bet (pass 10), or press Enter to roll > come 10
  come 10; purse 260
you: type a bet (pass 10), or press Enter to roll > place 6 12
  place 6 12; purse 248
you: type a bet (pass 10), or press Enter to roll > table
  puck ON 9 | shooter 1 | throws 1 | rounds left 60
  purse 248 | on the table 52
    pass              10  odds 20         place 6           12
    come              10
you: type a bet (pass 10), or press Enter to roll > roll
  ┌─────┐┌─────┐
  │●   ●││●    │
  │●   ●││  ●  │
  │●   ●││    ●│
  └─────┘└─────┘
  9: the point is made
  pass wins 10
  pass odds wins 30
  come 10 goes to 9
  in all won 40
  puck OFF | shooter 1 | throws 2 | rounds left 59
  purse 318 | on the table 22
    come on 9         10                  place 6           12 off
you: type a bet (pass 10), or press Enter to roll > come 10
  come is not allowed now: it needs a point, and the puck is OFF
you: type a bet (pass 10), or press Enter to roll > come odds 9
you: bet come odds 9 amount: 2 to 40 in steps of 2 > 20
  come odds on 9 20; purse 298
you: type a bet (pass 10), or press Enter to roll > down place 6
  place 6 down 12; purse 310
you: type a bet (pass 10), or press Enter to roll > done
  ┌─────┐┌─────┐
  │●   ●││●   ●│
  │     ││     │
  │●   ●││●   ●│
  └─────┘└─────┘
  8: the point is 8
  puck ON 8 | shooter 1 | throws 3 | rounds left 59
  purse 310 | on the table 30
    come on 9         10  odds 20
you: type a bet (pass 10), or press Enter to roll > done
  ┌─────┐┌─────┐
  │●   ●││●    │
  │  ●  ││     │
  │●   ●││    ●│
  └─────┘└─────┘
  7: seven out, the dice pass
  come on 9 loses 10
  come odds on 9 loses 20
  in all lost 30
  puck OFF | new shooter 2 | throws 4 | rounds left 58
  purse 310 | on the table 0
you: type a bet (pass 10), or press Enter to roll > q
"""


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def typed(text: str) -> list[str]:
    """What was typed in a session."""
    return re.findall(r"(?m)^.* > (.*)$", text)


def session(lines, game=None, strategies=(), **more):
    """A game as it stands on the screen, with what was typed, from the first question on."""
    seen = sit(game or Craps(), list(strategies), lines, **more)
    answers = iter([*lines, ""])
    told = [line + next(answers) if line.endswith("> ") else line for line in seen.shown]
    first = next(i for i, line in enumerate(told) if " > " in line)
    return "\n".join(told[first:]) + "\n"


def test_a_session_is_a_table_that_says_what_each_throw_paid():
    assert session(typed(SESSION)) == SESSION


def at(point=0, **bets):
    """A question put to the player of a table with a point and bets."""
    game = Craps()
    reset(game)
    game.point = point
    for name, amount in bets.items():
        game.put(0, spot_named(name), amount)
    return OpenChoice(game, game.declared.decisions[0], None, at_terminal=True)


@pytest.mark.cases(
    ("line", "name", "amount"),
    [
        ("pass 10", "pass", 10),
        ("Pass line $10", "pass", 10),
        ("10 on the pass line", "pass", 10),
        ("place_6 12", "place_6", 12),
        ("place 6 12", "place_6", 12),
        ("place 6, 12", "place_6", 12),
        ("12 on place 6", "place_6", 12),
        ("hard 8 5", "hard8", 5),
        ("hardway 8 5", "hard8", 5),
        ("hard eight 5", "hard8", 5),
        ("$12 on place six", "place_6", 12),
        ("double sixes 1", "twelve", 1),
        ("eleven 1", "eleven", 1),
        ("come 10", "come", 10),
        ("don't come 10", "dont_come", 10),
        ("odds 20", "pass_odds", 20),
        ("pass odds 20", "pass_odds", 20),
        ("odds 5 10", "come_odds_5", 10),
        ("come odds on 5 10", "come_odds_5", 10),
        ("place 8 -12", "place_8", -12),
        ("down place 8", "place_8", -12),
        ("take place 8 down", "place_8", -12),
        ("take down place_8 6", "place_8", -6),
        ("yo 1", "eleven", 1),
        ("snake eyes 1", "two", 1),
        ("hop 6-5 1", "hop_5_6", 1),
        ("hop 1 1 1", "hop_1_1", 1),
        ("any seven 1", "any7", 1),
        ("c & e 2", "ce", 2),
        ("hi-lo 2", "hi_lo", 2),
        ("done", "done", 0),
        ("roll", "done", 0),
    ],
)
def test_bets_may_be_said_in_many_ways(line, name, amount):
    question = at(9, **{"pass": 10, "come_5": 10, "place_8": 12})
    spot = len(NAMES) if name == "done" else spot_named(name)
    assert question.extended((), line) == (spot, amount)


@pytest.mark.cases("name", NAMES)
def test_every_spot_is_known_by_its_name_and_by_what_players_call_it(name):
    question = at(9)
    spot = spot_named(name)
    for words in (name, name.replace("_", " "), called(spot), called(spot).upper()):
        heard = question.game.heard(f"{words} 60")
        assert question.meaning((), heard.split())[0] == spot, words


@pytest.mark.parametrize(
    ("line", "fragment"),
    [
        ("odds 10", "did you mean come odds on 5, come odds on 8?"),
        ("plase 6 12", "'plase 6' is not a choice; did you mean place 6"),
        ("[", "'[' is not a choice; allowed: 127 choices"),
        ("\x1b[A", "is not a choice; allowed: 127 choices"),
        ("n" * 300, f"'{'n' * 40}...' is not a choice; allowed: 127 choices, by name (bets lists them)"),
        ("nonsense", "'nonsense' is not a choice; allowed: 127 choices, by name (bets lists them)"),
        ("down field", "you have no bet on 'field'; your bets: come on 5, come on 8"),
        ("down come on 5", "it is a contract"),
        ("don't pass 10", "a don't bet is made before it has a number"),
        ("place 6 13", "bet a multiple"),
        ("pass 1000", "it is more than the purse, 280"),
        ("fire 5", None),
    ],
)
def test_what_can_not_be_bet_is_refused_with_the_reason_or_a_suggestion(line, fragment):
    question = at(9, come_5=10, come_8=10)
    if fragment is None:
        assert question.extended((), line)
        return
    with pytest.raises(dicelab.errors.ParameterError, match=re.escape(fragment)):
        question.extended((), line)


def test_another_bet_may_be_named_where_an_amount_was_asked_for():
    told = session(["place 6", "pass 10", "place 6", "", "q"])
    assert "place 6 amount: 6 to 300 in steps of 6 > pass 10\n  pass 10; purse 290\n" in told


def test_side_bets_see_what_was_thrown():
    game = Craps(bankroll=1000)
    reset(game)
    game.put(0, spot_named("small"), 10)
    told = []
    for one, two in ((1, 1), (1, 2), (2, 2), (1, 4), (3, 3)):
        before = twin(game)
        game.declared.throws[0].rule(game, one, two)
        told.append(game.told(before, "dice", one, two))
        if game.sides:
            assert "rolled since the last 7: 2" in game.view()
    assert [line.splitlines()[1:] for line in told] == [[]] * 4 + [["small wins 340"]]


def test_bets_lists_what_is_open_and_nothing_else():
    before, after = session(["bets", "q"]), session(["done", "bets", "q"])
    assert "  line: pass, don't pass\n" in before
    assert "come" not in before
    assert "place 4 5 6 8 9 10" in before
    assert "don't pass" not in after
    assert "  line: come, don't come\n" in after
    assert "  put bets: pass, come on 4 5 6 8 9 10\n" in after
    assert "side bets" not in after


def test_edges_are_those_of_the_house():
    told = session(["edges place 6", "edges don't pass", "edges buy 4", "q"], Craps(commission="up_front", bar="bar2"))
    for name, bet in {"place 6": "place_6", "don't pass": "dont_pass_bar2", "buy 4": "buy_4_vig_upfront"}.items():
        row = dicelab.edges("craps-bet", bet=bet).rows[0]
        figures = f"{row.win.probability:.4f} +{100 * row.edge.value:.3f} % +{100 * row.edge_per_throw.value:.3f} %"
        assert re.search(rf"(?m)^  {name} +{figures}$", told)


def rows_of(told):
    """The bets of tables of edges, in order."""
    return re.findall(r"(?m)^  (\S.*?)  +[\d.]+ .* %$", told)


PLACES = [f"place {n}" for n in (4, 5, 6, 8, 9, 10)]


def test_edges_alone_are_of_line_odds_place_and_field_first():
    assert rows_of(session(["edges", "q"])) == ["pass", "don't pass", *PLACES, "field"]
    told = session(["pass 10", "", "edges", "q"])
    assert rows_of(told) == ["come", "don't come", "pass odds", *PLACES, "field"]
    assert re.search(r"(?m)^  pass odds +0\.4000 +0\.000 % ", told)
    assert "  more: edges numbers, edges next roll, edges put bets\n" in told


@pytest.mark.slow
def test_edges_of_a_group_and_all_groups_together_are_of_all_that_is_open():
    groups = ["line", "odds", "place and field", "numbers", "next roll", "put bets"]
    told = session(["pass 10", "", *(f"edges {group}" for group in groups), "q"])
    game = Craps()
    reset(game)
    game.put(0, 0, 10)
    game.point, game.new_shooter = 9, False
    assert list(game.menu()) == groups
    assert rows_of(told) == [name for group in game.menu().values() for name, bet in group.items() if bet]
    put = dicelab.edges("craps-bet", bet="put_9_0x").rows[0]
    assert re.search(rf"(?m)^  pass +0\.4000 +{100 * put.edge.value:.3f} %", told)  # a put bet now


@pytest.mark.slow
def test_edges_of_odds_are_known_before_there_is_a_point():
    assert "take_odds_6" in rows_of(session(["edges odds", "q"]))


@pytest.mark.parametrize("enter", ["", "r", "R", "roll", "done"])
def test_enter_and_r_roll(enter):
    told = session(["pass 10", enter, "q"])
    assert "9: the point is 9" in told
    assert told.count("type a bet (pass 10), or press Enter to roll > ") == 3


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("odds 20", "  odds need a pass or come bet with a point\n"),
        ("odds", "  odds need a pass or come bet with a point\n"),
        ("odds 6 12", "  odds need a pass or come bet with a point\n"),
        ("don't odds 20", "  laid odds need a don't pass or don't come bet with a point\n"),
        ("pass odds 20", "  pass odds is not allowed now: odds need a pass or come bet with a point\n"),
        ("don't pass odds", ": laid odds need a don't pass or don't come bet with a point\n"),
        ("come 10", "  come is not allowed now: it needs a point, and the puck is OFF\n"),
        ("pass 3", "  pass 3 is not allowed now: the bet would be below the table's minimum, 5\n"),
        (
            "place 6 13",
            "  place 6 13 is not allowed now: not every payout would be a whole number; bet a multiple of 6\n",
        ),
        ("place 12 5", ": a crapless table has no don't bets, and only"),
        ("pass 400", "  pass 400 is not allowed now: it is more than the purse, 300\n"),
        ("done 5", "  done 5 is not allowed now: done takes no amount\n"),
    ],
)
def test_a_refusal_is_a_plain_sentence(line, reason, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    assert reason in session([line, "q"])


def test_edges_where_there_is_no_such_bet_or_no_money():
    assert "no bet is called 'zz'" in session(["edges zz", "q"])
    assert "tossup has no tally called money, so its bets have no edge" in sit(GAMES["tossup"](), [], ["edges"]).text


def test_a_game_without_choices_has_edges_too():
    told = sit(GAMES["pass-line"](), [], ["edges", ""], 3).text
    row = dicelab.edges("pass-line").rows[0]
    assert re.search(rf"pass-line +{row.win.probability:.4f} +{100 * row.edge.value:.3f} %", told)


def test_help_lists_what_may_be_typed_with_examples():
    told = session(["help", "?", "q"])
    for words in (
        '"place 6 12"',
        '"down place 6" takes a bet down',
        "table: the",
        "bets: the",
        "edges: the",
        "puck OFF",
    ):
        assert told.count(words) == 2


@pytest.mark.slow_cases("40-2", "40-3")
@pytest.mark.parametrize("players", range(1, 9))
@pytest.mark.parametrize("columns", [40, 80])
def test_the_table_fits_the_screen(players, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    strategies = ["me", *["molly:3:2"] * (players - 1)]
    lines = [
        "pass 10",
        "done",
        "odds 10",
        "come 10",
        "place 6 12",
        "done",
        "don't come 10",
        "hard 8 5",
        "done",
        "table",
    ]
    seen = sit(Craps(players=players), strategies, lines)
    assert max(len(line) for line in seen.shown if not line.endswith("> ")) <= columns
    assert seen.text.count("player 8: purse") == (0 if players < 8 else seen.text.count("player 1: purse"))


def test_what_others_bet_and_win_is_told_by_seat():
    told = session(["pass 10", "done", "done", "q"], Craps(players=2), ["me", "molly"])
    assert re.search(r"player 2 \(molly[^)]*\): pass odds 20; purse 270 \|\s+come 10; purse 260\n", told)
    assert "  player 1: pass wins 10\n" in told
    assert "  player 2: pass wins 10; pass odds wins 30; come 10 goes to 9; in all won 40\n" in told


@pytest.mark.slow
def test_input_that_ends_and_ctrl_c_leave_the_table_without_a_trace():
    done = piped("craps", typed="pass 10\nedges pass\n")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "from the start again: dicelab play craps --seed 1" in done.stderr
    status, screen = at_a_terminal(["craps"], [b"pass 10\n", b"edges\n", signal.SIGINT])
    assert (status, "Traceback" in screen) == (130, False)


# The hooks, in any game --------------------------------------------------------------------------------------------


class Drawn(Game):
    """Say a number, and throw a die, until 10 are reached."""

    name = "drawn"
    outcomes = ()
    sum = Int(0, 30, "the sum")
    asked = Int(0, 1, "a number was said")
    said = Tally("numbers said")

    def next(self):
        if self.sum >= 10:
            return OVER
        return throw(self.die) if self.asked else ask(self.say, 0)

    @chosen((1, 6))
    def say(self, number: int) -> None:
        self.asked = 1
        self.said += 1
        self.sum += number

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.sum += face
        self.asked = 0

    def view(self) -> str:
        return "\n".join(["#" * self.sum or "-", f"that is {self.sum}"])


class Telling(Drawn):
    """The same, in its own words."""

    name = "telling"

    def told(self, before: Game, what: str, *values: int) -> str:
        return f"{what} {values[0]}: from {before.sum} to {self.sum}"


class Wrong(Drawn):
    """The same, with a view that goes wrong."""

    name = "wrong"

    def view(self) -> str:
        return str(1 // self.sum)


def test_a_game_with_a_view_is_drawn_in_place_of_its_fields():
    seen = sit(Drawn(), ["me"], ["3", "table", "?", "q"])

    assert seen.shown.count("  -") == 1
    assert "a number was said" not in seen.text
    drawn = [line for line in seen.shown if re.fullmatch(r"  #+", line)]
    assert len(drawn) == 3  # after the throw, for table, and for ?
    assert len(set(drawn)) == 1


def test_a_game_may_tell_what_has_happened():
    told = sit(Telling(), ["me"], ["3", "q"]).text
    assert "  say 3: from 0 to 3\n" in told
    assert re.search(r"  die (\d): from 3 to (\d+)\n", told)
    assert "→" not in told


def test_hooks_are_not_compiled(pig, tmp_path):
    file = tmp_path / "drawn.py"
    hook = '    def view(self) -> str:\n        return "".join({n: f"{n}" for n in self.scores}.values())\n\n'
    file.write_text(Path(pig).read_text().replace("    def next(", hook + "    def next("))
    run = Run.of(find(str(file)), "hold_at")
    assert Compiled(run.game, run.calls).play(1, 0, 20) == Reference(run.game, run.calls).play(1, 0, 20)
    reset(run.game)
    assert run.game.view() == "0"


def test_a_view_that_goes_wrong_is_explained():
    with pytest.raises(PlayError, match=r"test_play_craps.py, line \d+, in view: ZeroDivisionError"):
        sit(Wrong(), ["me"], ["3"])
