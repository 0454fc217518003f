"""Every command with rows prints them as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import shlex

import pytest

COMMANDS = [
    ("list", 12, "game"),
    ("simulate hazard -n 50 --seed 1", 3, "probability"),
    ("simulate hazard -n 50 --seed 1 --with-exact", 3, "simulated"),
    ("simulate hazard -n 50 --seed 1 --histogram throws", None, "throws"),
    ("exact hazard", 3, "fraction"),
    ("exact hazard --given throws:5", None, "throws from"),
    ("exact lcr --players 9 --dry-run", 1, "states"),
    ("compare tossup --target 6 -s one_roll -s bank_over:2 --exact", 1, "difference_value"),
    ("sweep hazard --over main=5..9 --exact", 5, "win"),
    ("sweep hazard --over main=5..9 --exact --solve-for throws=3.5", 5, "throws low"),
    ("edges pass-line", 1, "edge fraction"),
    ("par pass-line", 1, "volatility"),
    ("session craps --until-rounds 2 -n 50 --seed 1", None, "simulated_probability"),
    ("session craps --until-rounds 2 --ruin 5% --find unit --seed 1", None, "ruin"),
    ("session craps --until-rounds 2 -n 50 --seed 1 -s line -s line:odds=2 --simulated", 2, "strategy"),
    ("solve tossup --target 5", 2, "outcome"),
    ("learn tossup --target 4 --against one_roll -n 50 --seed 1 --points 2", 2, "games"),
    ("judge hazard --counts 50,50", None, "statistic"),
    ('dice "2d6"', 11, "probability"),
    ("demo --text 1", None, "published"),
]


@pytest.mark.slow
@pytest.mark.cases(("words", "rows", "column"), COMMANDS)
def test_rows_as_csv(words, rows, column, dicelab):
    said = dicelab(*shlex.split(words), "--csv")
    assert said.status == 0, said.err
    found = list(csv.DictReader(io.StringIO(said.out)))
    assert found
    assert column in found[0]
    assert all(None not in row for row in found)
    assert rows in (None, len(found))
    both = dicelab(*shlex.split(words), "--csv", "--json")
    both.must_refuse(2, "give --json or --csv, not both")


def test_digits_of_csv(dicelab):
    short, full = (dicelab("exact", "hazard", "--csv", "--digits", digits).out for digits in ("short", "full"))
    assert "0.492929,244/495" in short
    assert "0.49292929292929294,244/495" in full


@pytest.mark.parametrize("command", ["simulate", "exact", "compare", "sweep", "edges", "par", "session", "solve",
                                     "learn", "policy", "judge", "dice"])  # fmt: skip
def test_every_command_with_rows_has_csv_json_and_plot(command, dicelab):
    words = dicelab(command, "--help").out.split()
    assert {"--csv", "--json", "--plot"} <= set(words)


def test_a_solution_is_drawn(dicelab, tmp_path):
    file = tmp_path / "seats.svg"
    assert dicelab("solve", "tossup", "--target", "5", "--plot", str(file)).status == 0
    assert "tossup: best move" in file.read_text()
