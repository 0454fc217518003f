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


@pytest.mark.quick_cases(
    "dicelab dice '2d6 exploding highest + (10d6 >= 5)' --depth 2 --json",
    "dicelab dice '3d6 vs 2d8' --plot dice.svg --json",
    "dicelab dice '4d6 keep highest 3' --at-least 15 --json",
    "dicelab edges craps-bet --bet hard8 --check 2e4 --seed 1 --json",
    "dicelab edges pass-line --json",
    "dicelab exact hazard --fractions --json",
    "dicelab exact hazard --main 9 --floats --histogram throws --json",
    "dicelab exact hazard-caster --json",
    "dicelab exact hazard-caster --losses 4 --floats --tally rounds --json",
    "dicelab exact lcr --players 2 --fractions --histogram turns --json",
    "dicelab exact lcr --players 3 --floats --given turns:4 --json",
    "dicelab exact pass-line --fractions --histogram money --json",
    "dicelab exact pass-line --plot money.svg --of money --json",
    "dicelab exact pass-line --stake 3 --floats --given throws:2 --json",
    "dicelab exact tossup --target 12 --dice 3 --fractions --tally busts --json",
    "dicelab exact tossup --target 20 --floats --json",
    "dicelab list --json",
    "dicelab play lcr --players 3 --seed 2 --save game.json && dicelab review game.json --json",
    "dicelab show craps --json",
    "dicelab show craps-bet --json",
    "dicelab show examples/pig.py --json",
    "dicelab show hazard --json",
    "dicelab show hazard-caster --json",
    "dicelab show lcr --json",
    "dicelab show pass-line --json",
    "dicelab show tossup --json",
    "dicelab simulate craps-bet --games 2000 --seed 1 --engine reference --json",
    "dicelab simulate examples/pig.py --games 2000 --seed 1 --json",
    "dicelab simulate hazard --games 20000 --seed 1 --engine compiled --json",
    "dicelab simulate hazard --games 20000 --seed 1 --engine memo --json",
    "dicelab simulate hazard --games 20000 --seed 1 --engine table --json",
    "dicelab simulate hazard --games 3000 --seed 1 --engine reference --json",
    "dicelab simulate hazard --main 5 --games 20000 --seed 2026 --engine table --threads 3 --histogram throws --json",
    "dicelab simulate hazard-caster --games 10000 --seed 1 --engine table --json",
    "dicelab simulate lcr --games 10000 --seed 1 --engine memo --json",
    "dicelab simulate lcr --players 6 --coins 5 --dice 2 --games 5000 --seed 9 --engine compiled --histogram turns --json",  # noqa: E501
    "dicelab simulate pass-line --games 20000 --seed 1 --engine table --json",
    "dicelab simulate pass-line --games 20000 --seed 8 --with-exact --json",
    "dicelab simulate pass-line --games 3000 --seed 1 --engine reference --json",
    "dicelab simulate tossup --games 5000 --seed 1 --engine compiled --json",
    "dicelab simulate tossup --games 5000 --seed 1 --engine memo --json",
    "dicelab simulate tossup --games 5000 --seed 1 --engine turn --json",
    "dicelab simulate tossup -s bank_over:20 -s bank_over:50 --games 5000 --seed 2 --engine compiled --given turns:5 --json",  # noqa: E501
    "dicelab solve examples/high_bet.py --json",
    "dicelab solve examples/red_or_black.py --objective avoid:ruined --rounds 8 --json",
    "dicelab solve examples/relay.py --json",
    "dicelab solve tossup --players 3 --target 6 --dice 2 --json",
    "dicelab sweep craps-bet --over bet=pass,hard8,any7 --exact --plot bets.svg --of money --json",
    "dicelab sweep hazard --over main=5..9 --exact --json",
    "dicelab sweep hazard --over main=5..9 --exact --solve-for throws=3.5 --json",
    "dicelab sweep lcr --over players=2..3 --over coins=1..3 --exact --csv --digits full",
    "dicelab why pass-line --on money --depth 2 --plot why.svg --json",
    "dicelab why tossup --target 12 --dice 3 --depth 2 --json",
    'dicelab.race("verification/pig_alone.py", ["hold_at:20", "hold_at:25"], target=50).first_wins.tolist()',
    "printf '' | dicelab text 4 --seed 7",
    "printf '100\\\\n10\\\\n' | dicelab text 2 --seed 5",
    "printf '250\\\\n' | dicelab text 1 --seed 5",
)
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
