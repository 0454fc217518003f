"""``dicelab judge``: the verdict, the exit status, and what is refused."""

from __future__ import annotations

import pytest

from support import ROOT

RIGHT = ("judge", "lcr", "--players", "3", "--counts", "616,655,729")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "verdict"),
    [
        (("--mean", "turns=18.9"), 0, "consistent"),
        (("--mean", "turns=18.35"), 0, "doubtful"),
        (("--mean", "turns=14.9", "--games", "2000"), 1, "inconsistent"),
    ],
)
def test_the_exit_status_says_whether_it_is_inconsistent(dicelab, words, status, verdict):
    said = dicelab(*RIGHT, *words, "--json")
    assert (said.status, said.json["verdict"]) == (status, verdict)
    text = dicelab(*RIGHT, *words)
    assert text.status == status
    assert text.out.splitlines()[0].lower().startswith(verdict)


@pytest.mark.slow_cases("655,729,616-1")
@pytest.mark.parametrize(("counts", "status"), [("655,729,616", 1), ("616,655,729", 0)])
def test_a_class_has_the_exit_status_of_its_worst_pupil(dicelab, tmp_path, counts, status):
    file = tmp_path / "pupils.csv"
    file.write_text(f"name,0,1,2\nAnn,610,660,730\nMia,{counts}\n")
    said = dicelab("judge", "lcr", "--players", "3", "--class", str(file), "--json")
    assert (said.status, said.json["method"], len(said.json["rows"])) == (status, "class", 2)


def test_a_chart_is_drawn(dicelab, tmp_path):
    said = dicelab(*RIGHT, "--plot", str(tmp_path / "judge.svg"))
    assert said.err == f"drawn: {tmp_path / 'judge.svg'}\n"
    assert "expected 613.7" in (tmp_path / "judge.svg").read_text()


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ((), "nothing to judge"),
        (("--games", "5"), "nothing to judge"),
        (("--counts", "1,2"), "2 given, but lcr has 3 outcomes with these parameters: 0, 1, 2"),
        (("--counts", ""), "1 given, but lcr has 3 outcomes"),
        (("--counts", "1,-2,3"), "'-2' is not allowed"),
        (("--counts", "1,nan,3"), "'nan' is not allowed"),
        (("--counts", "1,2.5,3"), "'2.5' is not allowed"),
        (("--counts", "0,0,0"), "they add up to 0, so there are no games to judge"),
        (("--counts", "1,2,3", "--games", "7"), "add up to 6, not to the 7 games"),
        (("--counts", "1e13,2,3"), "'1e13' is not allowed"),
        (("--mean", "turns=nan", "--games", "9"), "'nan' is not allowed"),
        (("--mean", "turns=-inf", "--games", "9"), "'-inf' is not allowed"),
        (("--mean", "turns=1e999", "--games", "9"), "'1e999' is not allowed"),
        (("--mean", "turns=x", "--games", "9"), "'x' is not allowed"),
        (("--mean", "turns", "--games", "9"), "it is written TALLY=NUMBER"),
        (("--mean", "turns=1", "--mean", "turns=2", "--games", "9"), "turns is given twice"),
        (("--mean", "turn=1", "--games", "9"), "did you mean 'turns'"),
        (("--mean", "turns=18"), "without the number of games"),
        (("--mean", "turns=18", "--games", "0"), "0 is not allowed"),
        (("--mean", "turns=18", "--games", "-3"), "-3 is not allowed"),
        (("--mean", "turns=18", "--games", "1e15"), "is not allowed"),
        (("--mean", "turns=18", "--sd", "turns=-1", "--games", "9"), "at least 0"),
        (("--mean", "turns=18", "--sd", "throws=1", "--games", "9"), "throws has no mean"),
        (("--sd", "turns=8", "--games", "9"), "sd: turns has no mean; give its mean as well"),
        (("--counts", "1,2,3", "--variant", "nothing"), "no game 'nothing'"),
        (("--counts", "1,2,3", "--variant", "nothing.py"), "there is no file nothing.py"),
        (("--counts", "1,2,3", "--plot", "chart.jpg"), "saved as .svg, .png or .pdf"),
        (("--file", "nothing.csv"), "there is no file nothing.csv"),
        (("--file", "."), "has no saved games: no file in it ends with .json"),
        (("--file", "x.csv", "--counts", "1,2,3"), "a file, or counts and means, not both"),
        (("--class", "x.csv", "--counts", "1,2,3"), "--class can't be given together with --counts; leave these out"),
        (("--file", "x.csv", "--class", "x.csv", "-n", "9"), "together with --games, --file; leave these out"),
        (("--class", "", "--counts", "1,2,3"), "--class can't be given together with --counts; leave these out"),
        (("--class", "nothing.csv"), "there is no file nothing.csv"),
        (("--class", ""), "there is no file"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(dicelab, words, fragment):
    dicelab("judge", "lcr", "--players", "3", *words).must_refuse(2, fragment)


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"outcome,turns\n", "has no games"),
        (b"outcome,turns\n\n \n", "has no games"),
        (b"a,b\n1,2\n", "no column is called like an outcome or a tally of lcr: outcome, turns, throws"),
        (b"outcome,outcome\n1,2\n", "two columns are called 'outcome'"),
        (b"0,1\n1,0\n", "no column for the outcome '2'"),
        (b"0,1,2\n1,1,0\n", "line 2: the outcomes must be 1 in one column"),
        (b"0,1,2\n1,0,0\n0,0,0\n", "line 3: the outcomes must be 1 in one column"),
        (b"outcome\n0\n3\n", "line 3: '3' is no outcome: 0, 1, 2"),
        (b"outcome,turns\n0,nan\n", "line 2: turns is 'nan'"),
        (b"outcome,turns\n0,1.5\n", "line 2: turns is '1.5'"),
        (b"outcome,turns\n0," + b"9" * 30 + b"\n", "it must be a whole number"),
        (b"outcome,turns\n0,5\n1\n", "line 3 has 1 columns, but line 1 names 2"),
        (b'outcome,turns\n"0,5\n', "can't be read as a table"),
        (b"\x7fELF\xff\xfe\x00", "is not text; save the table as CSV"),
        (b"outcome\n0\n\x00\n", "is not text"),
        (b'{"outcome": 1}\n', "is not a saved game"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_one_sentence(dicelab, tmp_path, content, fragment):
    file = tmp_path / "results.csv"
    file.write_bytes(content)
    dicelab("judge", "lcr", "--players", "3", "--file", str(file)).must_refuse(2, fragment)


def test_counts_of_a_game_without_outcomes_are_refused(dicelab):
    freeze = str(ROOT / "verification" / "freeze.py")
    dicelab("judge", freeze, "--counts", "1,2").must_refuse(2, "freeze has no outcomes, only tallies")


def test_a_chain_that_does_not_fit_is_refused_in_one_sentence(dicelab):
    said = dicelab(*RIGHT, "--memory", "1")
    assert said.status == 1
    assert said.err.startswith("dicelab: judge needs the exact answer, which is out of reach: ")
    assert said.err.count("\n") == 1
