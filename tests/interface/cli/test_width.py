"""Everything that a command prints fits the terminal: narrow, 80 columns where there is none, and wide."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from dicelab.results.text.page import Printing
from recorded.answers import ROOT, run

PIG = ROOT / "examples" / "pig.py"
COMMANDS = [
    "list",
    "show craps",
    "show tossup",
    "demo --text 3",
    "demo --text 5",
    "edges craps --only 'p*'",
    "par craps --only 'place_*'",
    "par pass-line",
    "edges craps --only 'place_*' --check 200 --seed 1",
    "edges craps --only 'hop_*' --fractions",
    "edges pass-line --check 200 --seed 1",
    "simulate craps --games 50 --seed 1 --engine reference --all",
    "simulate hazard --games 500 --seed 1 --with-exact",
    "simulate lcr --players 9 --games 500 --seed 1 --histogram turns --given turns",
    "simulate hazard --games 500 --seed 1 --with-exact --digits full",
    "exact pass-line --histogram money",
    "exact lcr --players 3 --given turns:9 --digits full",
    "exact lcr --players 9 --dry-run",
    "session craps --until-rounds 5 --games 200 --seed 1",
    "session craps --until-rounds 5 --games 200 --simulated -s line:odds=2:system=martingale -s line:side=dont_pass",
    "session craps --until-rounds 5 --ruin 20% --step 10 --seed 1",
    "compare tossup -s one_roll -s bank_over_or_win:25 -s bank_over:50 --target 20 --games 100 --seed 1",
    "compare tossup -s bank_over:5 -s bank_over_or_win:9 --target 20 --exact",
    "compare craps -s line:odds=2:system=martingale -s line:cover=place_6_8 --until-rounds 3 --games 100 --seed 1",
    "sweep lcr --over players=2..3 --over coins=1..2 --games 200 --seed 1",
    "sweep craps-bet --over bet=pass,hard8 --exact",
    "sweep tossup --over target=5..12 -s best --solve-for 0=90%",
    "sweep hazard --over main=5..9 --games 200 --seed 1 --solve-for throws=3.4",
    "dice '4d6 keep highest 3' --at-least 15",
    "dice '3d6 vs 2d8'",
    "dice 10d10",
    "help",
    "help sweep",
    "help simulate craps",
    "help policy",
    "solve tossup --target 12 --dice 2 --out best.npz",
    "policy tossup best.npz --at points=4",
    "policy tossup best.npz --rule --leaves 2",
    "learn tossup --target 8 --dice 2 --seed 1 --games 200 --points 2",
]


@pytest.mark.slow_cases("40")
@pytest.mark.parametrize("width", [40, *(pytest.param(width, marks=pytest.mark.slow) for width in (80, 200))])
def test_what_a_command_prints_fits(width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(width))
    too_long = {}
    for command in COMMANDS:
        _, printed = run(shlex.split(command))
        if lines := [line for line in printed.splitlines() if len(line) > width]:
            too_long[command] = lines
    assert not too_long


def test_without_a_terminal_there_are_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    _, printed = run(["edges", "craps", "--only", "place_*"])
    assert max(map(len, printed.splitlines())) <= 80
    assert "(without" in printed


def test_the_least_important_columns_go_first() -> None:
    rows = [["name", "first", "last"], ["x", "1", "2"]]
    assert Printing(17).table(rows, ["last", "first"])[0] == "name  first  last"
    assert Printing(16).table(rows, ["last", "first"]) == ["name  first", "x         1", "(without last)"]


def test_a_table_without_such_columns_is_split() -> None:
    rows = [["name", "first", "last"], ["x", "1", "2"]]
    assert Printing(12).table(rows) == ["name  first", "x         1", "", "name  last", "x        2"]


def test_all_settings_on_request_and_only_the_changed_ones_without() -> None:
    command = ["simulate", "lcr", "--coins", "5", "--games", "20", "--seed", "1", "--engine", "reference"]
    assert run(command)[1].splitlines()[2] == "lcr: coins 5"
    assert run([*command, "--all"])[1].splitlines()[2] == "lcr: players 4, coins 5, dice 3"


def test_all_digits_on_request() -> None:
    assert "0.333333 " in run(["edges", "craps", "--only", "place_4*", "--only", "place_5"])[1]
    assert "0.3333333333333333" in run(["edges", "craps", "--only", "place_4", "--digits", "full"])[1]
