"""One game at the terminal: what a person sees, what they may type, and that it is the game of the seed."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from enum import IntEnum
from pathlib import Path

import pytest

from dicelab.errors import EndlessGameError, ParameterError, PlayError, UnknownNameError
from dicelab.games.hazard import HazardCaster
from dicelab.games.lcr import LCR
from dicelab.games.tossup import TossUp
from dicelab.interface.play import play
from dicelab.interface.play.again import command
from dicelab.interface.play.asking.advice import hint_lines
from dicelab.interface.play.asking.people import question_of
from dicelab.interface.play.asking.question import OpenChoice
from dicelab.interface.play.asking.table_commands import keys, understood
from dicelab.interface.play.screen.text import seated
from dicelab.questions.policies.best_response import BestResponse
from dicelab.rules import D6, OVER, Flag, Game, Int, Ints, Param, Tally, ask, chosen, thrown
from dicelab.rules import throw as thrown_now
from dicelab.rules.actions import step_parts
from dicelab.rules.game import counted, fresh, reset, seat_count
from dicelab.rules.loading.registry import find
from dicelab.rules.wording import called, move_words
from dicelab.rules.words import Words
from dicelab.runtime.interpreter import as_move, steps
from dicelab.runtime.interpreter import play as reference_play
from dicelab.runtime.philox import Stream
from support import CASE_IDS, GAMES, MAIN_CASES, ROOT, run_of
from terminal import MAIN, at_a_terminal, piped, sit


@pytest.fixture(autouse=True)
def without_words(monkeypatch):
    """What is shown of a game that declares no words; tests/rules/test_words.py is about those that do."""
    for game in (TossUp, LCR):
        monkeypatch.setattr(game, "words", Words())


def imitating(game, calls):
    """Type what these strategies would choose, and Enter where nothing is to be chosen."""
    choosers = [call.chooser(game) for call in calls]

    def read(prompt):
        if re.search(r"to roll (1 die|\d+ dice) > $", prompt):
            return ""
        _, index, seat = step_parts(game.next())
        decision = game.declared.decisions[index]
        return move_words(game, decision, as_move(choosers[seat](game, decision, seat)))

    return read


# The game of the seed ----------------------------------------------------------------------------------------------


@pytest.mark.slow_cases(
    "all-backgammon-runner",
    "all-bear-off-race-runner",
    "all-cant-stop-race-stop_after",
    "all-craps-line",
    "all-line-bets-martingale",
    "seat 0-cant-stop-race-stop_after",
    "seat 0-craps-line",
    "seat 0-line-bets-martingale",
)
@pytest.mark.parametrize(("name", "lineup"), MAIN_CASES, ids=CASE_IDS)
@pytest.mark.parametrize("people", ["seat 0", "all"])
def test_the_same_choices_give_the_game_that_is_simulated(name, lineup, people):
    for seed in (1, 2, 2**64 - 1):
        run = run_of(name, lineup)
        expected = reference_play(fresh(run.game), run.calls, seed, 0)
        texts = ["me" if people == "all" or seat == 0 else str(call) for seat, call in enumerate(run.calls)]
        shown = []
        status = play(run.game, texts, seed, read=imitating(run.game, run.calls), write=shown.append)
        assert status == 0
        assert tuple(counted(run.game).values()) == expected.tallies
        tallies = zip(run.game.declared.tallies, expected.tallies, strict=True)
        hidden = run.game.words.hidden if run.game.words else ()
        told = ", ".join(f"{called(run.game, name)} {value:,}" for name, value in tallies if name not in hidden)
        assert " ".join(shown[:-1]).endswith(told)


def test_another_seed_is_another_game():
    assert sit(TossUp(), seed=1).shown != sit(TossUp(), seed=2).shown


def test_a_seed_that_is_not_given_is_told_and_plays_the_game_again():
    told = sit(TossUp(), [], ["r", "b", "b"], seed=None)
    seed = int(re.search(r"seed (\d+)", told.text)[1])
    assert sit(TossUp(), [], ["r", "b", "b"], seed=seed).shown == told.shown
    assert sit(TossUp(), [], ["r", "b", "b"], seed=None).shown != told.shown


# What is seen ------------------------------------------------------------------------------------------------------

TURN = """\
tossup: dice 4, target 6; seed 2, game 0
Toss Up!: first to bank the target wins; a roll without green but with a red
loses the turn's points.
player 1: you; player 2: one_roll
one_roll: Bank after the first roll, even if it is worth nothing.
  scores  0 0  points banked by each seat
  points  0    points of this turn, including the greens of the last roll
Type ? for help, q to quit.

Your turn
  ┌──────┐┌──────┐┌──────┐┌─────┐
  │yellow││yellow││yellow││green│
  └──────┘└──────┘└──────┘└─────┘
  points 0 → 1
you: r roll, b bank > r
  ┌──────┐┌──────┐┌─────┐
  │yellow││yellow││green│
  └──────┘└──────┘└─────┘
  points 1 → 2
you: r roll, b bank > b
  scores 0 → 2 (you), 0 | points 2 → 0

player 2 (one_roll): 2 red 2 yellow | the turn is over

Your turn
  ┌──────┐┌──────┐┌──────┐┌─────┐
  │yellow││yellow││yellow││green│
  └──────┘└──────┘└──────┘└─────┘
  scores 2 (you), 0 | points 0 → 1
you: r roll, b bank > q
"""


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_a_turn_is_told_with_dice_what_is_at_risk_and_what_may_be_done():
    seen = sit(TossUp(dice=4, target=6), ["me", "one_roll"], ["r", "b", "q"], seed=2)
    answers = iter(["r", "b", "q"])
    told = "\n".join(line + next(answers) if line.endswith("> ") else line for line in seen.shown)
    assert told + "\n" == TURN


def test_what_strategies_have_done_is_known_at_a_persons_first_choice():
    assert "  scores 3, 0 (you) | points 0 → 3" in sit(TossUp(), ["one_roll", "me"], ["q"]).shown


def test_a_turn_that_the_dice_end_says_so_for_people_and_strategies():
    never_green = TossUp(red=1000, yellow=0, green=1, dice=1)
    seen = sit(never_green, [], ["q"])
    assert "  the turn is over" in seen.shown
    assert re.search(r"^player 2 \(bank_over:20\): 1 red \| the turn is over$", seen.text, re.MULTILINE)


def test_a_strategy_is_described_with_its_arguments():
    seen = sit(GAMES["pig"](), ["me", "hold_at:25"], ["q"])
    assert "hold_at: Hold as soon as the turn has 25, or enough to win." in seen.shown


def test_two_people_are_called_by_their_seats():
    seen = sit(TossUp(), ["me", "person"], ["b", "b"])
    assert "Turn of player 1" in seen.shown
    assert "Turn of player 2" in seen.shown
    assert [prompt.partition(":")[0] for prompt in seen.asked] == ["player 1", "player 2", "player 1"]
    assert "player 1: a person; player 2: a person" in seen.text
    assert "you" not in seen.text


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("columns", [40, 80])
def test_no_line_is_wider_than_the_screen(name, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    run = run_of(name)
    shown = []
    play(run.game, ["me"] if run.calls else [], 3, read=imitating(run.game, run.calls), write=shown.append)
    lines = [line for line in shown if not line.startswith(("again: ", "? ", "Enter"))]
    assert max(map(len, lines)) <= columns


def test_the_end_says_who_has_won():
    assert "You win." in sit(TossUp(target=1), [], ["b"]).shown
    assert "Player 2 (one_roll) wins." in sit(TossUp(target=1, red=5, green=1), ["me", "one_roll"], ["b"] * 9, 5).shown
    assert "Player 1 wins." in sit(TossUp(target=1), ["me", "me"], ["b"]).shown
    assert "The shooter wins." in sit(find("pass-line")(), [], ["a"], 3).shown
    assert any(
        line.startswith("After 2 losses in a row the dice pass on:") for line in sit(HazardCaster(), [], ["a"]).shown
    )


# Seats -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], ["me", "bank_over:20", "bank_over:20"]),
        (["me"], ["me", "me", "me"]),
        (["one_roll"], ["one_roll", "one_roll", "one_roll"]),
        (["bank_over:3", "person", "one_roll"], ["bank_over:3", "me", "one_roll"]),
    ],
)
def test_who_sits_where(texts, expected):
    assert [str(call or "me") for call in seated(TossUp(players=3), texts)] == expected


def test_one_seat_is_the_persons():
    assert seated(GAMES["shut-the-box"](), []) == [None]


class Duel(Game):
    """Say a number above the other's last one, up to a thousand million; two numbers are added up."""

    name = "duel"
    seats = 2
    most = Param(10**9, 10, 10**9, "largest number")
    last = Int(0, 2 * 10**9, "sum said last")
    turn = Int(0, 1, "whose turn it is")
    said = Tally("numbers said")

    def next(self):
        return OVER if self.last >= self.most else ask(self.say, self.turn)

    def higher(self, one: int, two: int) -> bool:
        return one + two > self.last

    @chosen((0, most), (0, most), legal=higher)
    def say(self, one: int, two: int) -> None:
        self.last = one + two
        self.said += 1
        self.turn = 1 - self.turn

    def outcome(self):
        return 1 - self.turn


@pytest.mark.parametrize(
    ("game", "texts", "fragment"),
    [
        (TossUp(), ["me", "me", "me"], "tossup has 2 seats: give one strategy for all or one for each, not 3"),
        (GAMES["shut-the-box"](), ["me", "me"], "shut-the-box has 1 seat: give 1 strategy, not 2"),
        (LCR(), ["me"], "lcr has no choices, so it takes no strategy; leave 'me' out"),
        (Duel(), [], "duel declares no strategy to play against; people in all seats: --strategy me --strategy me"),
        (TossUp(), ["me", "bank_over:x"], "strategy 'bank_over:x': points: 'x' is not allowed"),
    ],
)
def test_seats_that_are_not_allowed(game, texts, fragment):
    with pytest.raises(ParameterError, match=re.escape(fragment)):
        sit(game, texts)


def test_a_strategy_that_is_not_known():
    with pytest.raises(UnknownNameError, match="did you mean 'one_roll'"):
        sit(TossUp(), ["me", "on_roll"])


def test_a_seed_that_is_not_allowed():
    with pytest.raises(ParameterError, match="seed: -1 is not allowed"):
        sit(TossUp(), [], seed=-1)


WATCHED = """\
tossup: dice 2, target 2; seed 3, game 0
Toss Up!: first to bank the target wins; a roll without green but with a red
loses the turn's points.
player 1: one_roll; player 2: bank_over:1
  scores  0 0  points banked by each seat
  points  0    points of this turn, including the greens of the last roll

Turn of player 1 (one_roll)
  ┌───┐┌─────┐
  │red││green│
  └───┘└─────┘
  points 0 → 1
  bank
  scores 0 → 1, 0 | points 1 → 0

Turn of player 2 (bank_over:1)
  ┌─────┐┌─────┐
  │green││green│
  └─────┘└─────┘
  points 0 → 2
  bank
  scores 1, 0 → 2 | points 2 → 0 | leader player 2

Player 2 (bank_over:1) wins.
turns 2, throws 2, busts 0
again: dicelab play tossup --dice 2 --target 2 --strategy one_roll --strategy \\
  bank_over:1 --seed 3
"""


def test_strategies_alone_are_watched_roll_by_roll():
    shown = sit(TossUp(dice=2, target=2), ["one_roll", "bank_over:1"], seed=3).shown
    assert "\n".join(shown) + "\n" == WATCHED


def test_the_pace_leaves_time_after_each_step(monkeypatch):
    waited = []
    monkeypatch.setattr("dicelab.interface.play.course.sleep", waited.append)
    watched = sit(TossUp(target=1), ["one_roll"], pace=0.5)
    assert waited == [0.5, 0.5]  # a roll and a choice
    assert watched.shown == sit(TossUp(target=1), ["one_roll"]).shown
    waited.clear()
    sit(TossUp(dice=4, target=6), ["me", "one_roll"], ["r", "b", "q"], seed=2, pace=2)
    assert waited == [2]  # the other's turn, shown in one line


def test_ctrl_c_ends_the_watching(monkeypatch, capsys):
    def interrupted(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("dicelab.interface.play.course.sleep", interrupted)
    seen = sit(TossUp(target=1), ["one_roll"], pace=1)
    assert seen.status == 130
    assert capsys.readouterr().err == (
        "dicelab: interrupted; from the start again: dicelab play tossup --target 1 --strategy one_roll --seed 1\n"
    )


@pytest.mark.parametrize("pace", [-1, 61, float("nan")])
def test_a_pace_that_is_not_allowed(pace):
    with pytest.raises(ParameterError, match=r"pace: .* is not allowed; it takes seconds, 0 to 60"):
        sit(TossUp(), [], pace=pace)


# What may be typed -------------------------------------------------------------------------------------------------


def test_a_move_is_typed_as_a_letter_a_word_or_its_beginning():
    for word in ["r", "R", "roll", "ro", " Roll "]:
        assert "  points 3 → 4" in sit(TossUp(), [], [word]).shown
    assert "  scores 0 → 3 (you), 0 | points 3 → 0" in sit(TossUp(), [], ["ba"]).shown


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("x", "  'x' is not a choice; allowed: r roll, b bank; ? for help, q to quit"),
        ("", "  type a choice; ? for help, q to quit"),
        ("roll roll", "  'roll' is too much; type only move"),
        ("\x1b[A", "  '\\x1b[A' is not a choice; allowed: r roll, b bank; ? for help, q to quit"),
        ("7" * 5000, None),
        ("\udcff", "  '\\udcff' is not a choice; allowed: r roll, b bank; ? for help, q to quit"),
    ],
)
def test_anything_else_is_answered_and_asked_again(line, answer):
    seen = sit(TossUp(), [], [line, "b"])
    assert seen.asked[0] == seen.asked[1]
    assert answer is None or seen.shown[seen.shown.index(seen.asked[0]) + 1] == answer
    assert "  scores 0 → 3 (you), 0 | points 3 → 0" in seen.shown


def test_a_question_mark_explains_the_choices_and_the_state():
    told = sit(TossUp(), [], ["?"]).text
    for words in ["roll or bank", "    r  roll", "    b  bank", "points  3    points of this turn", "q quits"]:
        assert words in told
    assert "the player has rolled" not in told


@pytest.mark.parametrize(
    ("game", "typed"),
    [
        (TossUp(), "a letter, a word or its beginning"),
        (GAMES["shut-the-box"](), "a number"),
        (GAMES["line-bets"](), "a letter, a word or its beginning, or a number"),
    ],
)
def test_a_question_mark_says_what_is_typed(game, typed):
    assert f"  Type {typed}; q quits." in sit(game, ["me"], ["?"]).shown


def bets(*lines):
    return sit(GAMES["line-bets"](), ["me"], lines)


@pytest.mark.parametrize(
    "lines",
    [["pass 5"], ["p 5"], ["pass", "5"], ["Pass, 5"], ["pass", "", "pass 5"], ["pass", "50", "5"], ["pass 50", "p 5"]],
)
def test_a_move_of_several_numbers_is_typed_in_one_line_or_one_after_the_other(lines):
    seen = bets(*lines)
    assert "  money 20 → 15 | stakes 0 → 5, 0" in seen.shown
    assert seen.asked[-1] == "you: bet: p pass, d dont pass, o done (then amount) > "


def test_a_number_that_is_the_only_one_left_is_not_asked_for():
    seen = bets("dont pass 5", "done")
    assert "  money 20 → 15 | stakes 0, 0 → 5" in seen.shown
    assert "│  total 10" in seen.text


def test_an_illegal_number_is_told_what_is_allowed():
    seen = bets("pass", "50", "x", "5 5")
    assert "  50 is not allowed now; allowed: 1 to 20" in seen.shown
    assert "  'x' is not a whole number; allowed: 1 to 20; ? for help, q to quit" in seen.shown
    assert "  '5' is too much; type only bet and amount" in seen.shown
    assert seen.asked[1:] == ["you: bet pass amount: 1 to 20 > "] * 4


def test_a_number_may_be_typed_after_the_name_of_the_choice_and_all_and_none_stand_for_numbers():
    """Threes asks how many dice with the lowest number, here a 1, are set aside."""
    for line, move in (("all", (1,)), ("none", (0,)), ("keep 1", (1,)), ("1 die with 1", (1,))):
        game = GAMES["threes"]()
        game.counts[:], game.again = [1, 1, 1, 1, 0, 1], 0
        assert question_of(game, game.declared.decisions[0]).extended((), line) == move, line


def test_what_is_allowed_has_the_words_of_the_question():
    game = GAMES["threes"]()
    game.counts[:], game.again = [1, 1, 1, 1, 0, 1], 0
    question = question_of(game, game.declared.decisions[0])
    for line in ("7", "zzz"):
        with pytest.raises(ParameterError, match=r"allowed: 0 dice with 1, 1 die with 1$"):
            question.extended((), line)


def test_an_illegal_move_is_told_the_legal_ones():
    seen = sit(GAMES["shut-the-box"](), [], ["1", "", "1", "1 9"])
    assert seen.asked[0] == "you: how many dice: 2 (press Enter) > "
    assert "  1 is not allowed now; allowed: 2 (press Enter)" in seen.shown
    assert any(line.startswith("  1 is not allowed now; allowed: 1 2 3 4, 2 3 5, 1 4 5") for line in seen.shown)
    assert "  You shut 1 9" in seen.shown
    assert "  tiles: ·  2  3  4  5  6  7  8  ·" in seen.shown


def test_moves_that_are_too_many_to_list_are_judged():
    seen = sit(Duel(), ["me", "me"], ["3 4", "1 1", "4 4", "0", "1000000001", "1e9"])
    assert seen.asked[0] == "player 1: say one: 0 to 1000000000 (then two) > "
    assert "  1 1 is not allowed now" in seen.shown
    assert "  1000000001 is not allowed now; allowed: 0 to 1000000000" in seen.shown
    assert "Player 1 wins." in seen.shown
    assert "said 3" in seen.shown


class Call(IntEnum):
    HIT = 0
    HOLD = 1
    QUIT_NOW = 2
    H = 3
    HIT_TWICE = 4


def test_a_key_is_the_first_letter_that_is_free_and_never_q():
    found = keys(Call)
    assert {key: name for key, (name, _) in found.items()} == dict(
        h="hit", o="hold", u="quit now", **{"3": "h"}, i="hit twice"
    )


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("hit", (0, 1)),
        ("hit twice", (4, 2)),
        ("hit_twice 3", (4, 1)),
        ("hit 3", (0, 1)),
        ("h", (3, 1)),  # a whole name before a key
        ("ho", (1, 1)),
        ("hi", None),
        ("quit", (2, 1)),
        ("zzz", None),
    ],
)
def test_words_that_are_understood(typed, expected):
    assert understood(Call, typed.split()) == expected


class Stuck(Game):
    """A choice without a move."""

    name = "stuck"
    outcomes = ()
    steps_made = Tally("steps")

    def next(self):
        return ask(self.go, 0)

    def never(self, move: int) -> bool:
        return False

    @chosen(Call, legal=never)
    def go(self, move: int) -> None: ...


def test_a_choice_without_a_move_is_the_fault_of_the_rules():
    with pytest.raises(
        PlayError, match=r"stuck: player 1 is asked to choose in go, but no move is allowed.*seed 1, game"
    ):
        sit(Stuck(), ["me"])


def test_questions_say_how_many_moves_there_are_where_they_are_too_many_to_say():
    game = GAMES["shut-the-box"]()
    reset(game)
    shut = game.declared.decisions[1]
    assert OpenChoice(game, shut, [(n,) for n in range(1, 511, 2) if n != 7]).offer() == "254 choices, such as 1, 1 2"


# Leaving -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "status", "why"),
    [
        ("q", 0, "you left the game"),
        ("Q", 0, "you left the game"),
        (EOFError(), 1, "the input ended before the game did"),
        (OSError(), 1, "the input ended before the game did"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
@pytest.mark.parametrize("game", ["tossup", "lcr"])
def test_one_may_leave_at_any_time(capsys, game, end, status, why):
    seen = sit(GAMES[game](), [], [end])
    assert seen.status == status
    assert "again: " not in seen.text
    assert (seen.shown[-1] == "") == (status != 0)  # the line of the question is ended where no Enter has done so
    assert capsys.readouterr().err == f"dicelab: {why}; from the start again: dicelab play {game} --seed 1\n"


def test_an_output_that_is_closed_is_not_the_fault_of_the_rules():
    def write(text):
        if "points 0" in text:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        play(TossUp(), [], 1, read=lambda prompt: "r", write=write)


# The command line that plays it again ------------------------------------------------------------------------------


def test_the_end_tells_how_to_play_the_same_again():
    game = TossUp(target=1, last_turn=True, players=3)
    told = sit(game, ["me", "one_roll", "bank_over:3"], ["b"], seed=5).shown[-1].replace(" \\\n ", "")
    words = "--players 3 --target 1 --last-turn yes --strategy me --strategy one_roll --strategy bank_over:3 --seed 5"
    assert told == f"again: dicelab play tossup {words}"


class Paced(TossUp):
    """A parameter with the name of an option."""

    name = "paced"
    pace = Param(1, 1, 9, "steps at a time")


def test_a_parameter_with_the_name_of_an_option_is_told_by_set():
    assert command(Paced(pace=3, target=5), [], []) == "dicelab play paced --target 5 --set pace=3"


def test_a_game_of_a_file_is_called_by_its_file(monkeypatch, pig):
    monkeypatch.chdir(ROOT)
    assert command(find(pig)(), [], ["--seed", "5"]) == "dicelab play examples/pig.py --seed 5"


def test_a_game_of_a_file_with_several_and_a_blank_in_its_path(tmp_path, pig):
    file = tmp_path / "two games.py"
    file.write_text(Path(pig).read_text() + '\n\nclass More(Pig):\n    name = "more"\n')
    words = shlex.split(command(find(f"{file}:more")(), [], ["--seed", "5"]))
    assert find(words[2]).name == "more"


# Hints -------------------------------------------------------------------------------------------------------------


def test_hints_show_the_chances_and_mark_the_best():
    seen = sit(TossUp(), [], ["r"], hints=lambda game, decision, seat: {(0,): 0.5, (1,): 0.6123})
    assert seen.shown[seen.shown.index(seen.asked[0]) - 2 :][:2] == ["  r  roll  0.5000", "  b  bank  0.6123  best"]
    assert seen.text.count("best") == 2


def test_hints_get_the_game_as_it_stands_and_the_seat():
    got = []

    def hints(game, decision, seat):
        got.append((decision.name, seat, game.points))
        return {}

    sit(TossUp(), ["one_roll", "me"], ["r"], hints=hints)
    assert got[0][:2] == ("roll_or_bank", 1)
    assert got[0][2] > 0


def test_moves_that_differ_by_rounding_are_both_the_best():
    lines = hint_lines(TossUp.roll_or_bank, {(0,): 0.3, (1,): 0.1 + 0.2})
    assert [line.endswith("  best") for line in lines] == [True, True]


def test_only_the_best_of_many_hints_are_shown():
    chances = {(0, n): n / 1000 for n in range(1, 21)}
    seen = sit(GAMES["line-bets"](), [], [], hints=lambda *_: chances)
    lines = [line for line in seen.shown if line.startswith("  pass ")]
    assert lines[0] == "  pass 20  0.0200  best"
    assert len(lines) == 12
    assert "  the best 12 of 20" in seen.shown


def test_hints_that_can_not_be_given_are_explained_once(capsys):
    def hints(game, decision, seat):
        raise ParameterError("the game is too large")

    seen = sit(TossUp(target=2), [], ["r"] * 3 + ["b"], hints=hints)
    assert seen.status == 0
    assert seen.shown.count("  no hints: the game is too large") == 1
    assert seen.shown[-1] == "again: dicelab play tossup --target 2 --seed 1 --hint"


def hinted(text):
    """The chances that were shown: for each question the moves by name, and the best of them."""
    found = []
    for block in re.split(r"\n.* > .*\n", text)[:-1]:
        lines = re.findall(r"(?m)^  \w  (\w+) +([01]\.\d{4})(  best)?$", block)
        found.append(({name: float(chance) for name, chance, _ in lines}, [name for name, _, best in lines if best]))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("words", ["--strategy bank_over:1 --strategy me", "--strategy me --strategy bank_over:1"])
def test_hints_on_the_command_line_are_the_chances_of_the_best_moves(shell, words):
    said = shell(*f"play tossup --dice 3 --target 9 {words} --seed 1 --hint".split(), input="b\n" * 50)
    assert said.status == 0
    seats = [word for word in words.split() if word != "--strategy"]
    me = seats.index("me")
    run = run_of("tossup", tuple(word if word != "me" else "one_roll" for word in seats), dice=3, target=9)
    best, shown = BestResponse(run, me), hinted(said.out)
    expected = []

    def bank(game, decision, seat):
        expected.append({decision.describe(move): chance for move, chance in best.moves(game, decision).items()})
        return 1

    game = fresh(run.game)
    reset(game)
    choosers = [bank if seat == me else call.chooser(game) for seat, call in enumerate(run.calls)]
    assert list(steps(game, choosers, Stream(1, 0), 1000))
    assert len(shown) == len(expected) > 1
    for (chances, marked), truth in zip(shown, expected, strict=True):
        assert chances == pytest.approx(truth, abs=5.1e-5)
        assert marked == [name for name in truth if truth[name] == max(truth.values())]


def test_hints_for_two_persons_are_refused_once_and_the_game_goes_on(shell):
    words = "play tossup --dice 3 --target 5 -s me -s me --seed 1 --hint"
    said = shell(*words.split(), input="b\nb\nq\n")
    assert said.status == 0
    assert " ".join(said.out.split()).count("no hints: the chance to win is known against strategies only, not") == 1
    assert said.out.count(" > ") == 3


FORT = 'outcomes = ("win", "lose")', 'outcomes = ("taken", "held")'
"""Edits of the tiny game, whose outcomes then don't say what the player wants."""


@pytest.mark.slow
def test_hints_without_a_default_objective_name_the_objectives(shell, tiny):
    said = shell("play", tiny(*FORT), "--seed", "1", "--hint", "--review", input="hint\ns\n")
    words = (
        "tiny has no default objective; choose one with --objective: taken, held, avoid:taken, avoid:held, most:throws"
    )
    assert " ".join(said.out.split()).count(f"no hints: {words}") == 2, "at the first choice, and where it is typed"
    assert f"no review: {words}" in " ".join(said.out.split())


@pytest.mark.slow
def test_hints_and_review_are_about_the_objective_that_is_given(shell, tiny):
    """After a 5 of 7, stopping loses and takes no more throws."""
    game = tiny(*FORT)
    for objective, best in (
        ("taken", "o  on"),
        ("avoid:held", "o  on"),
        ("held", "s  stop"),
        ("fewest:throws", "s  stop"),
    ):
        words = "play", game, "--seed", "3", "--hint", "--review", "--objective", objective
        said = shell(*words, input="s\n")
        assert re.search(rf"(?m)^  {best} .*  best$", said.out), objective
        assert "no review" not in said.out
        costs = "- own costs" if objective in ("taken", "held") else "+ own costs"
        assert f"result = start + luck {costs} + others' errors" in " ".join(said.out.split())
        assert f"--hint --objective {objective}" in said.out.replace(" \\\n ", "")


@pytest.mark.slow
def test_the_value_of_a_tally_in_hints_is_an_amount(shell, tiny):
    """With 1 of 3 points, a throw is the last one unless it is a 1."""
    said = shell("play", tiny(*FORT), "--goal", "3", "--seed", "4", "--objective", "most:throws", input="hint\nq\n")
    assert "points 0 → 1" in said.out
    assert "expected final throws:" in said.out
    assert f"o  on    {1 + 7 / 6:.4f}  best" in said.out


@pytest.mark.slow
def test_hints_may_be_asked_for_once(shell):
    words = "play tossup --dice 3 --target 9 -s me -s bank_over:1 --seed 1"
    always = shell(*words.split(), "--hint", input="q\n")
    once = shell(*words.split(), input="?\nhint\nHINTS\nq\n")
    lines = [line for line in always.out.splitlines() if re.match(r"  [rb]  .*\d\.\d{4}", line)]
    assert len(lines) == 2
    assert [line for line in once.out.splitlines() if line in lines] == lines * 2
    assert "  hint: what each choice is worth" in once.out
    assert "--hint" not in once.err


@pytest.mark.slow
def test_a_policy_serves_the_hints_that_are_asked_for(shell, tiny):
    game = tiny(*FORT)
    assert shell("solve", game, "--objective", "taken", "--out", "best.npz").status == 0
    said = shell("play", game, "--seed", "1", "--policy", "best.npz", input="hint\ns\n")
    assert said.status == 0
    assert 'probability of the outcome "taken":' in said.out
    assert said.out.count("  best") == 1
    assert said.out.rstrip().endswith("--policy best.npz")
    review = shell("play", game, "--seed", "1", "--policy", "best.npz", "--review", input="s\n")
    assert 'in points of chance of the outcome "taken"' in review.out
    shell("play", game, "--policy", "best.npz", "--objective", "held").must_refuse(
        2, "--policy is about the objective that it was solved for; leave out --objective"
    )
    shell("play", game, "--objective", "won").must_refuse(2, "no objective of tiny 'won'; there are:")


@pytest.mark.slow
def test_hints_are_asked_for_in_the_line_that_plays_it_again(shell):
    words = "play tossup --target 5 --seed 1 --hint"
    said = shell(*words.split(), input="q\n")
    assert said.err.rstrip().endswith(f"from the start again: dicelab {words}")


@pytest.mark.slow
def test_without_people_or_choices_there_is_nothing_to_hint_at(shell):
    for words in ("play tossup --target 5 -s one_roll --seed 1", "play hazard --seed 1"):
        said = shell(*words.split(), "--hint")
        assert (said.status, said.out) == (0, shell(*words.split()).out)


# Games without choices ---------------------------------------------------------------------------------------------


def test_the_dice_wait_for_enter():
    seen = sit(LCR(), [], ["", "x", "hint", "?", "roll the dice"])
    assert seen.asked[:4] == [f"player {n}: Enter to roll 3 dice > " for n in (1, 2, 2, 2)]
    assert "  'x' is not a command here" in seen.shown
    assert "  no hints: nobody chooses anything in lcr; the dice decide" in seen.shown
    assert "  holds   0 4 3 4  coins of each seat" in seen.shown
    assert "  holds 3 → 0, 3 → 4, 3, 3 → 4 | owners 4 → 3" in seen.shown


def test_all_the_rest_is_thrown_at_once():
    seen = sit(LCR(), [], ["", "a"])
    assert (seen.status, len(seen.asked)) == (0, 2)
    assert "player 3: 1 left 2 dot | holds 1, 1 → 2, 4 → 3, 4" in seen.shown
    assert seen.shown[-4:] == ["", "Player 3 wins.", "turns 41, throws 36", "again: dicelab play lcr --seed 1"]


# Games that are broken ---------------------------------------------------------------------------------------------


class Streak(Game):
    """Throw a die three times."""

    name = "streak"
    outcomes = ()
    left = Int(0, 3, "throws left", start=3)
    high = Flag("the last throw was high")

    def next(self):
        return thrown_now(self.die) if self.left else OVER

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.left -= 1
        self.high = face > 3


def test_flags_are_told_where_no_choice_tells_of_them():
    seen = sit(Streak(), [], [""] * 3)
    assert "  left 3 → 2 | high yes" in seen.shown
    assert seen.shown[-1] == "again: dicelab play streak --seed 1"
    assert seen.shown[-3:-1] == ["", "The game is over."]


class Broken(Game):
    """A beginning that goes wrong."""

    name = "broken"
    outcomes = ()
    row = Ints(2, 0, 9, "numbers")
    throws = Tally("throws")

    def start(self):
        self.row[2] = 1

    def next(self):
        return thrown_now(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None: ...


class Endless(Broken):
    """A game without an end."""

    name = "endless"

    def start(self): ...


def test_a_beginning_that_goes_wrong_is_explained():
    with pytest.raises(
        PlayError, match=r"row\[2\]: the index must be 0 to 1: use only indices inside .*; seed 1, game 0"
    ):
        sit(Broken(), [], [""])


def test_so_it_is_where_nobody_plays(pig, tmp_path):
    file = tmp_path / "worse.py"
    file.write_text(
        Path(pig).read_text().replace("    def next(", "    def start(self) -> None:\n        1 // 0\n\n    def next(")
    )
    with pytest.raises(PlayError, match=r"worse.py, line \d+, in start: ZeroDivisionError.*; seed 1, game 0"):
        sit(find(str(file))(), ["hold_at"])


def test_an_endless_game_ends():
    with pytest.raises(EndlessGameError, match="not over after 50 rolls and choices"):
        sit(Endless(), [], ["a"], limit=50)


# As a process ------------------------------------------------------------------------------------------------------


def test_input_that_is_no_terminal_is_shown_with_the_questions():
    done = piped("tossup", typed="r\nb\n")
    assert done.returncode == 1
    assert "\nyou: r roll, b bank (+3) > r\n" in done.stdout
    assert done.stderr == "dicelab: the input ended before the game did; from the start again: " + (
        "dicelab play tossup --seed 1\n"
    )
    assert "\x1b" not in done.stdout


def test_a_game_without_choices_and_without_a_terminal_is_watched():
    done = piped("lcr")
    assert done.returncode == 0
    assert "Enter" not in done.stdout
    assert done.stdout.splitlines()[-3:] == [
        "Player 3 wins.",
        "turns 41, rolls 36",
        "again: dicelab play lcr --seed 1",
    ]


def test_an_output_that_knows_ascii_only():
    done = piped("tossup", typed="\xe4\nq\n", PYTHONIOENCODING="ascii:surrogateescape")
    assert (done.returncode, "|green|" in done.stdout) == (0, True)
    assert "Traceback" not in done.stderr


def test_bytes_that_are_no_text():
    command = [sys.executable, "-c", MAIN, "tossup"]
    env = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(command, input=b"\xff\nb\n", capture_output=True, check=False, timeout=60, env=env)
    assert done.returncode == 1
    assert b"is not a choice" in done.stdout
    assert b"Traceback" not in done.stderr


def test_an_input_that_is_closed():
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -c {shlex.quote(MAIN)} tossup <&-",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "the input ended" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("game", ["tossup", "lcr"])
@pytest.mark.parametrize(
    ("end", "status", "why"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (b"\x04", 1, "the input ended before the game did"),
        (b"q\n", 0, "you left the game"),
    ],
)
def test_leaving_at_a_terminal(game, end, status, why):
    ended, screen = at_a_terminal([game], [b"\n", end])
    assert ended == status
    assert screen.splitlines()[-1] == f"dicelab: {why}; from the start again: dicelab play {game} --seed 1"
    assert "Traceback" not in screen


def test_a_terminal_has_colours_unless_they_are_unwanted():
    assert "\x1b[32mgreen\x1b[0m" in at_a_terminal(["tossup"], [b"q\n"])[1]
    plain = at_a_terminal(["tossup"], [b"q\n"], NO_COLOR="1")[1]
    assert "│green│" in plain
    assert "\x1b[3" not in plain


def test_pig_is_played_to_its_end_at_a_terminal(pig):
    status, screen = at_a_terminal([pig, "me", "hold_at:100"], [b"h\n"] * 200)
    assert status == 0
    assert re.search(
        r"^.*wins?\..*\nturns \d+, rolls \d+\nagain: dicelab play( \\\n| ).*pig.py[^$]*--seed 1\n\Z", screen, re.M
    )


def test_every_game_may_be_watched_or_played():
    for name, game in GAMES.items():
        table = game()
        lines = ["a"] if not table.declared.decisions else ["?", "q"]
        assert sit(table, ["me"] * seat_count(table) if table.declared.decisions else [], lines).status == 0, name
