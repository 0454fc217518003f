"""The programs of the texts on the command line, the demo of one text, and games played with a program's throws."""

from __future__ import annotations

import io
import random
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout

import pytest

from dicelab.extras.textbook import casino, craps, hazard, lcr, throws, tossup
from dicelab.games.lcr import LCR
from dicelab.interface.play import play

GOODBYE = "The number of rounds needs to be a positive integer. Goodbye.\n"
ASKED = "Please enter your money here: "
ASKED_NEXT = "How much would you like to bet? "


@pytest.fixture
def typed(monkeypatch):
    """Have this typed; what is typed is not shown, as where input comes from a file."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def printed(program):
    with redirect_stdout(io.StringIO()) as out:
        program()
    return out.getvalue()


# 1 Hazard -------------------------------------------------------------------------------------------------------------


def test_text_1_prints_the_table(dicelab, typed):
    typed("250\n")
    said = dicelab("text", "1", "--seed", "5")
    random.seed(5)
    assert said.out == "Number of rounds: " + printed(lambda: hazard.print_win_rate_table(250))
    assert (said.status, said.err) == (0, "")
    assert [line[:1] for line in said.out.removeprefix("Number of rounds: ").splitlines()] == list("56789")


def test_a_seed_makes_it_the_same_again_and_without_one_it_is_not(dicelab, typed):
    said = []
    for seed in (["--seed", "9"], ["--seed", "9"], ["--seed", "10"], [], []):
        typed("400\n")
        said.append(dicelab("text", "1", *seed).out)
    assert said[0] == said[1]
    assert len(set(said)) == 4


@pytest.mark.parametrize("line", ["0", "-3", "ten", "", "1.5", "nan", "inf", "1e3"])
def test_text_1_answers_bad_input_with_the_message_of_the_text(dicelab, typed, line):
    typed(f"{line}\n")
    said = dicelab("text", "1")
    assert (said.status, said.out, said.err) == (1, f"Number of rounds: {GOODBYE}", "")


def test_text_1_at_the_end_of_input(dicelab, typed):
    typed("")
    said = dicelab("text", "1")
    assert (said.status, said.out, said.err) == (1, f"Number of rounds: \n{GOODBYE}", "")


@pytest.mark.parametrize(("given", "status"), [("20\n", 0), ("x\n", 1), ("", 1)])
def test_text_1_as_a_process(shell, given, status):
    said = shell("text", "1", "--seed", "2", input=given)
    assert (said.status, said.err) == (status, "")
    assert said.out.startswith("Number of rounds: ")
    if status:
        assert said.out.endswith(GOODBYE)
    else:
        random.seed(2)
        assert said.out == "Number of rounds: " + printed(lambda: hazard.print_win_rate_table(20))


@pytest.mark.parametrize(("number", "answer"), [("1", GOODBYE), ("2", "No amount was entered. You cannot play.\n")])
def test_a_closed_input(number, answer):
    command = f"{shlex.quote(sys.executable)} -m dicelab text {number} <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stdout.endswith(f"\n{answer}")
    assert done.stderr == ""


@pytest.mark.parametrize(("number", "answer"), [("1", GOODBYE), ("2", "You cannot play.\n")])
def test_bytes_that_are_no_text(number, answer):
    command = [sys.executable, "-X", "utf8", "-m", "dicelab", "text", number]
    done = subprocess.run(command, input=b"\xff\n", capture_output=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stdout.decode(errors="replace").endswith(answer)
    assert b"Traceback" not in done.stderr


# 2 Craps --------------------------------------------------------------------------------------------------------------

ROUND = "A 8 has been rolled. Roll again!\n9 12 11 5 8\nYou win!\nYou now have $16.0\n"


def test_text_2_plays_the_round_of_the_text(dicelab, typed):
    typed("12.5\n3.5\n")
    said = dicelab("text", "2", "--seed", "5")
    assert (said.status, said.out, said.err) == (0, f"{ASKED}{ASKED_NEXT}{ROUND}", "")


@pytest.mark.parametrize(
    ("seed", "end"), [("789", "7\nYou lose\nYou now have $9.0\n"), ("3", "You win!\nYou now have $16.0\n")]
)
def test_and_the_other_ones(dicelab, typed, seed, end):
    typed("12.5\n3.5\n")
    said = dicelab("text", "2", "--seed", seed)
    assert said.status == 0
    assert said.out.endswith(end)


@pytest.mark.parametrize("word", ["word", "nan", "inf", "-inf", "", "12,5", "1e999"])
def test_text_2_answers_what_is_no_amount(dicelab, typed, word):
    answer = f"{word!r} is not an amount of money. You cannot play.\n"
    typed(f"{word}\n1\n")
    assert vars(dicelab("text", "2")) == {"status": 1, "out": f"{ASKED}{answer}", "err": ""}
    typed(f"5\n{word}\n")
    assert vars(dicelab("text", "2")) == {"status": 1, "out": f"{ASKED}{ASKED_NEXT}{answer}", "err": ""}


@pytest.mark.parametrize(("money", "bet"), [("3.0", "5.0"), ("5", "0"), ("5", "-1")])
def test_insufficient_funds_are_no_error(dicelab, typed, money, bet):
    typed(f"{money}\n{bet}\n")
    said = dicelab("text", "2")
    assert (said.status, said.err) == (0, "")
    assert said.out == f"{ASKED}{ASKED_NEXT}Insufficient funds. You cannot play.\n"


@pytest.mark.parametrize(("given", "shown"), [("", ASKED), ("5\n", ASKED + ASKED_NEXT)])
def test_text_2_at_the_end_of_input(dicelab, typed, given, shown):
    typed(given)
    said = dicelab("text", "2")
    assert (said.status, said.out, said.err) == (1, f"{shown}\nNo amount was entered. You cannot play.\n", "")


@pytest.mark.parametrize(
    ("given", "status", "end"),
    [
        ("12.5\n3.5\n", 0, ROUND),
        ("3\n5\n", 0, "Insufficient funds. You cannot play.\n"),
        ("nan\n", 1, "'nan' is not an amount of money. You cannot play.\n"),
        ("5\n", 1, "No amount was entered. You cannot play.\n"),
    ],
)
def test_text_2_as_a_process(shell, given, status, end):
    said = shell("text", "2", "--seed", "5", input=given)
    assert (said.status, said.err) == (status, "")
    assert said.out.startswith(ASKED)
    assert said.out.endswith(end)


class Interrupted(io.StringIO):
    """A keyboard at which Ctrl-C is pressed."""

    def readline(self, size=-1):
        raise KeyboardInterrupt


@pytest.mark.parametrize("number", ["1", "2"])
def test_ctrl_c_at_the_prompt(dicelab, monkeypatch, number):
    monkeypatch.setattr("sys.stdin", Interrupted())
    said = dicelab("text", number)
    assert (said.status, said.err.strip()) == (130, "dicelab: interrupted")
    assert said.out in ("Number of rounds: ", ASKED)


# 3 Toss Up!, 4 throws, 5 LCR ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_text_3_as_a_process_prints_the_games_and_the_tables(shell):
    said = shell("text", "3")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("Current roll: 4 Green, 3 Yellow, 3 Red (bank 4 pts?)\nPlayer 1 banks\n")
    assert re.findall(r"Game ends: Player \d wins!", said.out) == [f"Game ends: Player {n} wins!" for n in (2, 1)]
    tables = said.out.partition("OneRoll against")[2]
    assert re.findall(r"winners2?\n.*\n(.*)\n", tables) == [
        "5910 4090",
        "5030 4970",
        "  75 9925",
        "6167 3833",
        "4414 5586",
    ]


def test_the_seed_of_text_3_is_that_of_r(dicelab, monkeypatch):
    monkeypatch.setattr(tossup, "play_games", lambda nsim, *strategies: [1, 2])
    said = {seed: dicelab("text", "3", "--seed", seed) for seed in ("1", "2", "-2")}
    assert dicelab("text", "3").out == said["1"].out
    assert len({one.out for one in said.values()}) == 3
    for seed, one in said.items():
        assert (one.status, one.err) == (0, "")
        assert one.out == printed(lambda seed=seed: tossup.main(int(seed)))
    dicelab("text", "3", "--seed", "2147483648").must_refuse(2, "R's seeds are")


def test_text_4_tells_a_hand(dicelab):
    said = dicelab("text", "4", "--seed", "5")
    assert (said.status, said.err) == (0, "")
    assert said.out == printed(lambda: throws.main(5))
    assert said.out.startswith("throw  point      decided\n3,5    8\n")
    assert len({dicelab("text", "4").out for _ in range(6)}) > 1


def test_text_5_prints_the_most_common_winners(dicelab, monkeypatch):
    monkeypatch.setattr(lcr, "GAMES", 30)
    said = dicelab("text", "5", "--seed", "4")
    assert (said.status, said.err) == (0, "")
    assert said.out == printed(lambda: lcr.main(4))
    assert dicelab("text", "5").out != said.out


@pytest.mark.slow_cases("5")
@pytest.mark.parametrize("number", ["4", "5"])
def test_texts_4_and_5_as_a_process(shell, number):
    said = shell("text", number, "--seed", "6", stdin=subprocess.DEVNULL)
    assert (said.status, said.err) == (0, "")
    program = {"4": throws.main, "5": lcr.main}[number]
    assert said.out == printed(lambda: program(6))


# Bad words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["0", "6", "12", "one", "", "1.5", "nan", "1e9", "9" * 50])
def test_a_text_that_there_is_not(dicelab, number):
    dicelab("text", number).must_refuse(2, "there are texts 1 to 5")


@pytest.mark.parametrize("words", [[], ["1", "2"], ["-1"], ["1", "--seeds", "3"], ["1", "--seed"]], ids=" ".join)
def test_words_that_text_does_not_know(dicelab, words):
    said = dicelab("text", *words)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith("dicelab: ")
    assert said.err.count("\n") == 1


@pytest.mark.cases("seed", ["x", "", "1.5", "nan", "inf", "1,2"])
@pytest.mark.cases("number", ["1", "2", "3", "4", "5"])
def test_a_seed_that_is_no_whole_number_is_refused_before_anything_is_asked(dicelab, number, seed):
    dicelab("text", number, "--seed", seed).must_refuse(2, "is not a whole number")


def test_the_seed_may_be_large_and_negative(dicelab, typed):
    for seed in ("123456789012345678901234567890", "-7"):
        typed("12.5\n3.5\n")
        random.seed(int(seed))
        left = printed(lambda: craps.pass_line_bet(12.5, 3.5))
        assert left in dicelab("text", "2", "--seed", seed).out


# The demo of one text -------------------------------------------------------------------------------------------------


@pytest.mark.quick_cases("1-5", "2-1")
@pytest.mark.parametrize(("number", "questions"), [("1", 5), ("2", 1), ("3", 4), ("4", 1), ("5", 25)])
def test_the_demo_of_one_text(dicelab, small_demo, number, questions):
    data = dicelab("demo", "--text", number, "--json").json
    assert [row["text"] for row in data["rows"]] == [int(number)] * questions
    assert not list(small_demo.iterdir())


@pytest.mark.slow
def test_the_demo_of_text_3_for_people(dicelab, small_demo):
    said = dicelab("demo", "--text", "3")
    assert (said.status, said.err) == (0, "")
    table, _, notes = said.out.partition("\n\n")
    assert re.findall(r"(\S+ v\. \S+) +(\S+)", table) == [
        ("one_roll v. one_roll", "0.5910"),
        ("one_roll v. bank_over:20", "0.0075"),
        ("bank_over:20 v. bank_over:50", "0.6167"),
        ("bank_over:50 v. bank_over:20", "0.4414"),
    ]
    assert table.count("\n") == 5
    assert "the text's 0.5910 is" in notes
    assert "Drawn" not in said.out


def test_the_demo_of_text_1_does_not_speak_of_toss_up_games(dicelab, small_demo):
    out = dicelab("demo", "--text", "1").out
    assert "  main 9 " in out
    assert "One roll v. one roll" not in out
    assert "sessions" not in out


def test_the_demo_of_text_4_shows_sessions_of_its_simulator(dicelab, small_demo):
    """Those of the same seed: their throws are games of the table, of which other tests know more."""
    said = dicelab("demo", "--text", "4")
    assert (said.status, said.err) == (0, "")
    game = casino.CrapsGame()
    simulator = casino.Simulator(game, casino.CrapsPlayerPass(game.table), seed=5)
    simulator.gather()
    assert (len(simulator.durations), min(simulator.durations)) == (50, 250)
    table, _, notes = said.out.partition("\n\n")
    assert table.splitlines()[2].startswith("  a game ")
    assert notes.endswith(f"{simulator.report()}\n")


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("0", "text 0 has no question"),
        ("6", "these texts have some: 1, 2, 3, 4, 5"),
        ("x", "not a whole number"),
    ],
)
@pytest.mark.usefixtures("nothing_is_computed")
def test_the_demo_of_a_text_without_questions(dicelab, number, told):
    dicelab("demo", "--text", number).must_refuse(2, told)


# play --stream --------------------------------------------------------------------------------------------------------

FIRST = ["tossup", "--target", "20", "-s", "one_roll", "-s", "bank_over:19", "--stream", "r:1"]


def dice_shown(out):
    """Red, yellow and green dice of each roll of Toss Up! on the screen."""
    rolls = [re.findall(r"│(red|yellow|green)(?=│)", line) for line in out.splitlines()]
    return [tuple(roll.count(color) for color in ("red", "yellow", "green")) for roll in rolls if roll]


def test_the_stream_of_r_tells_the_dice_of_the_first_game_of_text_3(dicelab):
    """Its dice are those that the text shows; see the unit test of `dicelab.textbook.tossup`."""
    said = dicelab("play", *FIRST)
    assert (said.status, said.err) == (0, "")
    first, second = [(3, 3, 4)], [(1, 4, 5), (1, 1, 3), (0, 0, 2), (1, 4, 5), (0, 3, 2), (0, 3, 0), (0, 1, 2)]
    assert dice_shown(said.out) == first + second + [(0, 1, 0), (0, 1, 0), (0, 0, 1)]
    assert said.out.count("\nTurn of player ") == 2
    assert "\nPlayer 2 (bank_over:19) wins.\nturns 2, rolls 11, turns lost 0\n" in said.out


def test_and_of_the_second(dicelab):
    said = dicelab("play", *FIRST, "--red", "1", "--yellow", "0", "--green", "1")
    rolls = dice_shown(said.out)
    with tossup.other_game(20, (0.5, 0.0, 0.5)):
        tossup.set_seed(1)
        told = printed(lambda: tossup.simulate_game(tossup.one_roll, tossup.over(19), verbose=True))
    shown = re.findall(r"(\d+) Green, (\d+) Yellow, (\d+) Red", told)
    assert rolls == [(int(red), int(yellow), int(green)) for green, yellow, red in shown]
    assert len(rolls) == 19
    assert "\nPlayer 1 (one_roll) wins.\n" in said.out


@pytest.mark.parametrize(
    ("seed", "totals", "end"),
    [("5", [8, 9, 12, 11, 5, 8], "win"), ("789", [10, 7], "lose"), ("3", [7], "win")],
)
def test_the_stream_of_python_tells_the_rounds_of_text_2(dicelab, seed, totals, end):
    said = dicelab("play", "pass-line", "--stream", f"python:{seed}")
    assert said.status == 0
    assert [int(total) for total in re.findall(r"total (\d+)", said.out)] == totals
    assert f"\nThe shooter {end}s.\n" in said.out
    assert said.out.startswith(f"pass-line; stream python:{seed}\n")


def test_the_same_stream_gives_the_same_game_and_another_one_another(dicelab):
    streams = ["python:1", "python:1", "python:2", "r:1", "r:1", "r:2", "r:-1"]
    games = [dicelab("play", "lcr", "--stream", stream).out.split("\n", 1)[1] for stream in streams]
    assert games[0] == games[1]
    assert games[3] == games[4]
    assert len(set(games)) == 5


def test_every_game_may_have_a_stream(dicelab, pig):
    for words in (["hazard"], ["hazard-caster", "--main", "5"], ["lcr", "--players", "3"], [pig, "-s", "hold_at"]):
        for stream in ("python:1", "r:1"):
            said = dicelab("play", *words, "--stream", stream)
            assert (said.status, said.err) == (0, "")
            assert f"; stream {stream}\n" in said.out.split("seat")[0]


def test_a_stream_and_a_seed_are_refused(dicelab):
    dicelab("play", *FIRST, "--seed", "1").must_refuse(2, "give a seed or a stream, not both")


@pytest.mark.cases(
    "stream",
    [
        "",
        "r",
        "r:",
        ":1",
        "1",
        "python",
        "julia:1",
        "R:1",
        "r:x",
        "r:1.5",
        "python:nan",
        "r=1",
        "r:1:1",
        "r:2147483648",
    ],
)
@pytest.mark.cases("words", [FIRST[:-2], ["lcr"], ["tossup", "-s", "me"]], ids=["told", "no choices", "people"])
def test_a_stream_that_is_none_is_refused(dicelab, words, stream):
    dicelab("play", *words, "--stream", stream).must_refuse(
        2, "stream: " if "2147483648" not in stream else "seed 2147"
    )


def test_a_stream_goes_with_play_only(dicelab):
    dicelab("simulate", "lcr", "--stream", "r:1").must_refuse(2, "no option '--stream'")


def test_people_at_the_table_see_the_dice_of_the_stream(dicelab, typed):
    """The person rolls and banks as the strategy does in the first game of the text."""
    typed("r\n" * 9 + "b\n")
    said = dicelab("play", "tossup", "--target", "20", "-s", "one_roll", "-s", "me", "--stream", "r:1")
    assert (said.status, said.err) == (0, "")
    assert "; stream r:1" in " ".join(said.out.split("Toss Up!")[0].split())
    assert "turns 2, rolls 11, turns lost 0\n" in said.out
    assert said.out.splitlines()[-1] == (
        "again: dicelab play tossup --target 20 --strategy one_roll --strategy me --stream r:1"
    )


def test_the_game_that_is_played_again_is_the_same(dicelab, typed):
    shown = []
    words = ["play", "tossup", "--target", "9", "--stream", "python:12"]
    for _ in range(2):
        typed("b\n" * 50)
        said = dicelab(*words)
        assert said.status == 0
        shown.append(said.out)
        words = shlex.split(said.out.splitlines()[-1].removeprefix("again: dicelab "))
    assert shown[0] == shown[1]
    assert words == ["play", "tossup", "--target", "9", "--stream", "python:12"]


def test_a_person_who_leaves_is_told_how_to_begin_again(dicelab, typed):
    typed("r\nq\n")
    said = dicelab("play", "tossup", "-s", "me", "-s", "one_roll", "--stream", "r:-5")
    assert said.status == 0
    assert said.err == (
        "dicelab: you left the game; from the start again: "
        "dicelab play tossup --strategy me --strategy one_roll --stream r:-5\n"
    )
    typed("")
    said = dicelab("play", "tossup", "--target", "9", "--stream", "r:-5", "--hint")
    assert said.status == 1
    assert said.err.endswith("; from the start again: dicelab play tossup --target 9 --stream r:-5 --hint\n")


def test_a_person_throws_the_dice_of_a_game_without_choices():
    shown, lines = [], iter([""] * 3 + ["a"])

    def read(prompt):
        shown.append(prompt)
        return next(lines)

    assert play(LCR(), [], stream="python:3", read=read, write=shown.append) == 0
    random.seed(3)
    winner, turns = lcr.lcr_game(4)
    text = "\n".join(shown)
    assert f"Player {winner + 1} wins.\nturns {turns}, rolls " in text
    assert text.endswith("again: dicelab play lcr --stream python:3")


def test_an_error_names_the_stream(dicelab, tiny):
    file = tiny("        self.points += face\n", "        self.points += 1 // 0\n")
    said = dicelab("play", file, "-s", "stop_at", "--stream", "r:1")
    assert said.status == 1
    assert "ZeroDivisionError" in said.err
    assert said.err.endswith("; stream r:1\n")
    assert "seed" not in said.err
