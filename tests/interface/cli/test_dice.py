"""``dicelab dice``: what dice do, on the command line."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time

import pytest

import dicelab as library

ASKED = ["4d6 keep highest 3", "10d6 >= 5", "2d20 lowest + 5", "d6 exploding", "3d6 vs 2d8"]


@pytest.mark.parametrize("expression", ASKED)
def test_the_command_says_what_the_library_says(dicelab, expression):
    result = library.dice(expression, depth=3, at_least=6)
    said = dicelab("dice", expression, "--depth", "3", "--at-least", "6")
    assert (said.status, said.err, said.out) == (0, "", f"{result}\n")
    data = dicelab("dice", expression, "--depth", "3", "--at-least", "6", "--json").json
    assert data | {"seconds": 0} == result.to_dict() | {"seconds": 0}


def test_the_text_has_mean_deviation_chances_and_bars(dicelab):
    out = dicelab("dice", "4d6 keep highest 3", "--at-least", "15").out
    assert out.startswith("With 4d6 keep highest 3, 23.1 % of rolls are 15 or more.\n\n4d6 keep highest 3\n\n")
    assert re.search(r"mean +12\.244599 +15869/1296\n", out)
    assert re.search(r"sd +2\.846844\n", out)
    assert re.search(r"at least 15 +0\.231481 +25/108\n", out)
    assert re.search(r"13 +0\.132716 +43/324 +0\.487654 +█{34}", out)


def test_what_is_cut_off_is_printed_where_dice_explode(dicelab):
    out = dicelab("dice", "2d6 exploding", "--depth", "1").out
    assert out.endswith("a die stops after 1 explosion; probability that one would go on: 0.055\n")
    assert "explosion" not in dicelab("dice", "2d6").out
    assert dicelab("dice", "d6 exploding").out == dicelab("dice", "d6 exploding", "--depth", "10").out


@pytest.mark.parametrize(
    ("expression", "column", "sentence"),
    [
        ("4d6 keep", 8, "expected highest or lowest, not the end"),
        ("4d6 keep highest 5", 17, "5 of 4 dice can't be kept"),
        ("1000000d6", 0, "1000000d6 is too much to compute exactly"),
    ],
)
def test_a_bad_expression_has_a_caret_below_the_place(dicelab, expression, column, sentence):
    said = dicelab("dice", expression)
    shown, caret, *rest = said.err.splitlines()
    assert (said.status, said.out) == (2, "")
    assert (shown, caret) == (f"  {expression}", " " * (column + 2) + "^")
    assert len(rest) == 1
    assert rest[0].startswith(f"dicelab: {sentence}")


def test_words_that_are_not_in_quotes_are_several_expressions(dicelab):
    said = dicelab("dice", "4d6", "keep", "highest", "3")
    assert (said.status, said.out) == (2, "")
    assert said.err.splitlines()[:2] == ["  keep", "  ^"]
    assert said.err.endswith("; 4 expressions were given: put quotes around one with spaces\n")


def test_several_expressions_are_rows_of_one_table(dicelab, tmp_path):
    asked, path = ["3d6", "4d6kh3", "d6!"], tmp_path / "three.svg"
    said = dicelab("dice", *asked, "--at-least", "12", "--plot", str(path), "--of", "at-least")
    assert said.err == f"drawn: {path}\n"
    assert re.search(r"4d6kh3 +12\.244599 +2\.846844 +0\.616512 +3 +18 +8 +12 +16\n", said.out)
    assert said.out.endswith("a die stops after 10 explosions; probability that one would go on: 2.8e-09\n")
    assert "at least 12: 0.6165" in path.read_text()
    data = dicelab("dice", *asked, "--at-most", "12", "--json").json
    assert [one["expression"] for one in data["compared"]] == asked
    assert data["rows"][0]["at_most"] == float(library.dice("3d6").at_most(12))
    assert dicelab("dice", *asked, "--csv").out.splitlines()[0] == "expression,mean,sd,min,max,p10,p50,p90"


def test_the_answer_says_where_roll20_reads_the_text_otherwise(dicelab):
    out = " ".join(dicelab("dice", "5d10>7f1").out.split())
    assert out.endswith("> 7 means strictly more, 7 excluded; on Roll20 it means 7 or more, which is written >= 7 here")
    assert "Roll20" not in dicelab("dice", "5d10>=8").out
    assert dicelab("dice", "5d10>7f1", "--json").json["notes"]


@pytest.mark.parametrize("kind", ["exactly", "at-least", "at-most"])
@pytest.mark.parametrize("expressions", [["d6"], ["3d6", "100d6"], ["d6 - 9", "d{5}"]])
def test_every_kind_of_chart_is_drawn(dicelab, expressions, kind, tmp_path):
    path = tmp_path / "dice.svg"
    assert dicelab("dice", *expressions, "--plot", str(path), "--of", kind).status == 0
    assert "mean" in path.read_text()


def test_a_minus_sign_is_no_option(dicelab):
    assert dicelab("dice", "-1d6").out.startswith("The mean of -1d6 is -3.50; ")
    assert dicelab("dice", "d6 - 6", "--at-least", "-2", "--json").json["events"]["at_least"]["fraction"] == "1/2"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "EXPRESSION"),
        ([""], "the expression is empty"),
        (["d6", "--dept", "3"], "did you mean '--depth'?"),
        (["d6", "--depth", "x"], "depth: 'x' is not a whole number"),
        (["d6", "--depth", "101"], "depth: 101 is not allowed; it takes a whole number, 0 to 100"),
        (["d6", "--at-least", "1.5"], "at least: '1.5' is not a whole number"),
        (["d6", "--at-least", "1", "--at-least", "2"], "given twice"),
        (["d6", "--at-most", "x"], "at most: 'x' is not a whole number"),
        (["d6", "--of", "at-least"], "--of chooses what --plot draws; give --plot FILE as well"),
        (["d6"] * 13, "1 to 12 expressions can be compared, not 13"),
        (["d6", "--plot", "x.svg", "--of", "above"], "exactly"),
        (["output 4d6 > 10"], 'this is a program of AnyDice; here it is written: "(4d6) > 10"'),
        (["d6", "--plot", "x.txt"], "a picture is saved as .svg, .png or .pdf"),
    ],
)
def test_other_bad_input_is_one_sentence(dicelab, words, sentence):
    dicelab("dice", *words).must_refuse(2, sentence)


@pytest.mark.slow_cases("200d6", "d6 exploding")
@pytest.mark.parametrize("expression", [*ASKED, "7", "200d6", "1000000 * d6", "d6 - 10"])
def test_a_chart_is_drawn(dicelab, expression, tmp_path):
    path = tmp_path / "dice.svg"
    said = dicelab("dice", expression, "--at-least", "5", "--plot", str(path))
    assert (said.status, said.err) == (0, f"drawn: {path}\n")
    drawn = path.read_text()
    assert expression.replace(">", "&gt;") in drawn
    assert "mean" in drawn
    assert ("first higher 0.587240" in drawn) == ("vs" in expression)


def test_no_bars_have_the_colour_of_a_threshold_that_is_not_reached():
    from dicelab.plots import plot_dice

    colours = {bar.get_facecolor() for bar in plot_dice(library.dice("d6", at_least=7)).patches}
    assert len(colours) == 1
    assert len({bar.get_facecolor() for bar in plot_dice(library.dice("d6", at_least=4)).patches}) == 2


ENDLESS = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import icepool
from dicelab.interface.cli.main import main
from dicelab.questions.notation import evaluate
evaluate.MOST_STEPS = 10**12
print("begun", flush=True)
main(["dice", "3000d6"])
"""


def test_ctrl_c_ends_it():
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", ENDLESS], start_new_session=True, **pipes) as child:
        try:
            assert child.stdout.readline() == "begun\n"
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=20)
        finally:
            child.kill()
    assert (child.returncode, out, err.strip()) == (130, "", "dicelab: interrupted")
