"""``dicelab why``: what it prints, draws and refuses."""

from __future__ import annotations

import pytest

RUN = ("why", "lcr", "--players", "3", "--coins", "1")


def test_the_table_begins_with_the_start(dicelab):
    answer, _, rest = dicelab(*RUN).out.partition("\n\n")
    lines = rest.splitlines()
    assert answer.startswith("Player 3 is 11.6 points ahead of player 1: ")
    assert lines[2].split()[:9] == ["first", "roll", "probability", "player", "1", "player", "2", "player", "3"]
    assert lines[3].split() == ["start", "1", "0.288472", "0.307257", "0.404271"]
    assert "luck: the difference from the start" in lines


def test_json_and_csv_have_the_rows(dicelab):
    data = dicelab(*RUN, "--json").json
    assert (data["method"], data["depth"], data["on"], len(data["rows"])) == ("why", 1, "outcomes", 4)
    assert data["rows"][0]["steps"] == [{"kind": "throw", "name": "turn", "words": "dot"}]
    assert data["rows"][0]["outcomes"]["0"] == {
        "probability": data["outcomes"]["2"]["probability"], "fraction": "783833299/1938879513", "seats": [0],
        "label": "player 1",
    }  # fmt: skip
    assert dicelab(*RUN, "--csv").out.startswith(
        "step 1,probability,0,1,2,0 luck,1 luck,2 luck\ndot,0.500000,0.404271,"
    )
    dicelab(*RUN, "--csv", "--json").must_refuse(2, "give --json or --csv, not both")


def test_a_chart_is_drawn(dicelab, tmp_path):
    said = dicelab(*RUN, "--plot", str(tmp_path / "why.svg"))
    assert said.err == f"drawn: {tmp_path / 'why.svg'}\n"
    assert "center (1/6)" in (tmp_path / "why.svg").read_text()
    dicelab(*RUN, "--plot", str(tmp_path / "why.jpg")).must_refuse(2, "a picture is saved as .svg, .png or .pdf")


@pytest.mark.parametrize(
    ("words", "status", "fragment"),
    [
        (("--depth", "0"), 2, "at least 1"),
        (("--depth", "one"), 2, "depth: 'one' is not a whole number"),
        (("--depth", "200"), 1, "too many for a table; ask for --depth"),
        (("--on", "turn"), 2, "did you mean 'turns'"),
        (("-s", "one_roll"), 2, "takes no strategy"),
    ],
)
def test_what_is_refused(dicelab, words, status, fragment):
    dicelab(*RUN, *words).must_refuse(status, fragment)


@pytest.mark.parametrize("how", ["floats", "fractions"])
def test_it_computes_as_it_is_asked(dicelab, how):
    assert dicelab("why", "hazard", f"--{how}", "--json").json["exact"]["arithmetic"] == how
