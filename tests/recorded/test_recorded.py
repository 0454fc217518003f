"""Answers stay what they were when they were recorded, to the last bit: moved or reworded code must not change them."""

from __future__ import annotations

import json
import math

import pytest

from recorded.answers import HERE, Recorded, answer, commands, condensed, differences, recorded

COMMANDS = commands()
CASES = [
    pytest.param(command, id=command.line, marks=[pytest.mark.slow] if command.slow else []) for command in COMMANDS
]


@pytest.mark.parametrize("command", CASES)
def test_an_answer_is_the_one_on_record(command: Recorded, tmp_path):
    before = recorded(command.group)
    assert command.line in before, "it has no answer on record: make record"
    after = json.loads(json.dumps(answer(command.line, tmp_path)))
    changed = list(differences(before[command.line], after))
    assert not changed, "\n".join(changed)


def test_every_answer_on_record_belongs_to_one_command():
    assert len({command.line for command in COMMANDS}) == len(COMMANDS)
    lines = {group: {c.line for c in COMMANDS if c.group == group} for group in {c.group for c in COMMANDS}}
    assert {file.stem: set(recorded(file.stem)) for file in HERE.glob("*.json")} == lines


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (0.1, math.nextafter(0.1, 1)),
        (0.0, -0.0),
        (1, 1.0),
        (1, True),
        ({"win": 1}, {"won": 1}),
        ({"win": 1}, {"win": 1, "lose": 0}),
        ({"win": 1, "lose": 0}, {"lose": 0, "win": 1}),
        ([1, 2], [1, 2, 3]),
        (list(range(100)), [*range(99), 98]),
        ({"tallies": [{"mean": list(range(100))}]}, {"tallies": [{"mean": [*range(99), 98]}]}),
    ],
    ids=str,
)
def test_the_smallest_difference_is_seen(before, after):
    assert list(differences(condensed(before, named_engine=True), condensed(after, named_engine=True)))


def test_seconds_and_an_engine_that_nobody_named_are_not_compared():
    rows = [{"rows": [{"seconds": seconds, "engine": engine}]} for seconds, engine in ((1.5, "table"), (2.5, "graph"))]
    for named, different in ((True, 1), (False, 0)):
        assert len(list(differences(*(condensed(row, named) for row in rows)))) == different
