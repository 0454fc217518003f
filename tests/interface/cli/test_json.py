"""The JSON of commands: one schema for all, errors included. The recorded commands are held to it as well."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import dicelab
from dicelab.questions import LISTED
from dicelab.questions.declare import find_question
from recorded.answers import ROOT, VALID, run

SCHEMA = VALID.schema
PAGE = (ROOT / "docs" / "json.md").read_text()
COMMANDS = [
    "list",
    "show tossup",
    "demo --text 2",
    "exact lcr --players 9 --dry-run",
    "solve tossup --dry-run",
    "simulate lcr --games 1 --seed 1",
    "simulate hazard --games 200 --seed 1 --with-exact --histogram throws --given throws",
    "exact lcr --players 9 --tally turns --dry-run",
    "sweep lcr --over players=2..3 --games 100 --seed 1",
    "compare tossup -s one_roll -s bank_over --target 6 --dice 2 --exact",
    "edges pass-line --check 100 --seed 1",
    "par pass-line",
    "par craps-bet --only place_*",
    "sweep tossup --over bank_over=2..4 -s bank_over -s one_roll --target 6 --dice 2 --exact",
    "sweep tossup --over bank_over=2..4 --target 6 --dice 2 --exact",
    "dice '4d6 keep highest 3'",
    "judge lcr --players 3 --counts 655,729,616 --mean turns=18.9",
    "dice '3d6 exploding vs 2d8' --at-least 5",
    "why lcr --players 3 --coins 1",
    "why tossup --dice 2 --target 3 --depth 2",
    "why hazard --on throws",
]


@pytest.mark.slow_cases(
    "compare tossup -s one_roll -s bank_over --target 6 --dice 2 --exact",
    "exact lcr --players 9 --dry-run",
    "exact lcr --players 9 --tally turns --dry-run",
    "judge lcr --players 3 --counts 655,729,616 --mean turns=18.9",
    "par craps-bet --only place_*",
    "solve tossup --dry-run",
)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_prints_is_valid(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = json.loads(run([*shlex.split(command), "--json"])[1])
    VALID.validate(data)
    assert list(data)[:11] == SCHEMA["$defs"]["answer"]["required"], "the same head everywhere"


def test_check_is_valid() -> None:
    from dicelab.conformance.check import Examination

    finding = {"game": "pig", "step": "contract", "verdict": "ok", "say": "well", "covered": {"states": 5}}
    VALID.validate(Examination("pig.py", [finding]).to_dict())


def test_the_answer_of_every_question_has_its_entries() -> None:
    methods = {getattr(find_question(name).result, "method", "") for name in LISTED} - {""}
    assert methods <= {*SCHEMA["$defs"]["answer"]["properties"]["method"]["enum"]}


def test_an_equilibrium_is_valid() -> None:
    VALID.validate(dicelab.equilibrium("liars-dice", faces=2).to_dict())
    VALID.validate(dicelab.equilibrium("liars-dice", "honest", faces=2).to_dict())


def test_other_entries_and_other_shapes_are_not_valid() -> None:
    data = dicelab.exact("hazard").to_dict()
    assert VALID.is_valid(data)
    assert not VALID.is_valid(data | {"exact": True})
    assert not VALID.is_valid(data | {"anything": 1})
    assert not VALID.is_valid(data | {"outcomes": {"win": 0.5}})
    assert not VALID.is_valid({name: value for name, value in data.items() if name != "seed"})


def test_an_outcome_may_be_shared() -> None:
    data = dicelab.exact("hazard").to_dict()
    data["outcomes"] = {"draw": {"probability": 1.0, "seats": [0, 1]}}
    VALID.validate(data)


@pytest.mark.slow_cases("exact lcr --players 12 --memory 1M --json-1-memory")
@pytest.mark.parametrize(
    ("command", "status", "says"),
    [
        ("simulate hazrd --json", 2, "did you mean 'hazard'"),
        ("simulate hazard --gmaes 5 --json", 2, "did you mean '--games'"),
        ("exact lcr --players 12 --memory 1M --json", 1, "memory"),
        ("dice '4d6 keep' --json", 2, "expected highest or lowest, not the end"),
    ],
)
def test_an_error_is_one_object(command: str, status: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    from dicelab.interface.cli.main import main

    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command))
    shown = capsys.readouterr()
    data = json.loads(shown.err)
    VALID.validate(data)
    assert not shown.out
    assert (ended.value.code, data["status"]) == (status, status)
    assert says in data["error"]


def test_the_page_has_every_entry() -> None:
    answer = SCHEMA["$defs"]["answer"]
    entries = {*answer["properties"], *SCHEMA["$defs"]["chance"]["properties"], *SCHEMA["$defs"]["tally"]["properties"]}
    for rule in answer["allOf"]:
        then = rule["then"]
        declared = SCHEMA["$defs"][then["$ref"].rpartition("/")[2]] if "$ref" in then else then
        entries |= {rule["if"]["properties"]["method"]["const"], *declared["properties"]}
    assert not [entry for entry in sorted(entries) if f"`{entry}`" not in PAGE]
