"""``dicelab review`` and ``dicelab play --review``: what they print, draw and refuse."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import dicelab as lib

GREENS = {"game": "tossup", "parameters": {"dice": 3, "target": 6}, "seats": ["me", "one_roll"]}
MOVES = [
    {"roll": {"green": 1, "yellow": 2}},
    {"seat": 1, "choice": "bank"},
    {"roll": {"green": 2, "red": 1}},
    {"seat": 2, "choice": "bank"},
]


@pytest.fixture
def saved(tmp_path):
    """The file of a game that was left after two turns."""
    file = tmp_path / "game.json"
    file.write_text(json.dumps({**GREENS, "moves": MOVES}))
    return str(file)


def test_the_sums_worst_decisions_and_a_sentence(dicelab, saved):
    lines = dicelab("review", saved).out.splitlines()
    assert lines[0].startswith("Your decisions cost ")
    assert lines[2] == "tossup: dice 3, target 6"
    seats = [line.split() for line in lines if line.startswith(("you ", "player 2 (one_roll) "))]
    for row in seats[:2]:
        start, luck, costs, given, result = map(float, row[-5:])
        assert result == pytest.approx(start + luck - costs + given, abs=0.03)
    assert "worst decisions" in lines
    assert any(line.startswith("Your decisions cost ") for line in lines)


def test_the_same_in_python_where_the_sums_are_exact(dicelab, saved):
    data, found = dicelab("review", saved, "--json").json, lib.review(saved)
    assert {**found.to_dict(), "seconds": 0} == {**data, "seconds": 0}
    assert data["method"] == "review"
    for k in range(2):
        assert found.result[k] == found.start[k] + found.luck[k] - found.costs[k] + found.given[k]
        assert isinstance(found.luck[k], Fraction)
        worst = [data["steps"][at - 1]["cost"] for at in data["worst"][k]]
        assert worst == sorted(worst, reverse=True)
    assert not found.over
    assert data["sentences"][0] in dicelab("review", saved).out.replace("\n  ", " ")


def test_the_steps_as_rows_and_a_chart(dicelab, saved, tmp_path):
    lines = dicelab("review", saved, "--csv").out.splitlines()
    assert lines[0] == "step,what,values,value 0,value 1,change 0,change 1,seat,best,cost"
    assert len(lines) == 5
    said = dicelab("review", saved, "--plot", str(tmp_path / "game.svg"))
    assert said.err == f"drawn: {tmp_path / 'game.svg'}\n"
    assert "winning chance over a game" in (tmp_path / "game.svg").read_text()


def test_a_game_in_a_file_must_be_named(dicelab, tmp_path):
    file = tmp_path / "pig.json"
    dicelab("play", "examples/pig.py", "--target", "8", "-s", "hold_at:3", "--seed", "1", "--save", str(file))
    dicelab("review", str(file)).must_refuse(2, "give the file, if you trust it")
    assert "pig" in dicelab("review", str(file), "--game", "examples/pig.py").out


@pytest.mark.parametrize(
    ("changed", "fragment"),
    [
        ({"moves": [*MOVES, {"choice": "bank"}]}, "move 5: dice are rolled here"),
        ({"seats": ["Anna"]}, "1 seats are named, and tossup has 2"),
        ({"game": "tosup"}, "did you mean 'tossup'"),
        ({"parameters": {"dice": 30, "target": 2000}}, ""),
    ],
)
def test_what_can_not_be_reviewed_is_explained(dicelab, tmp_path, changed, fragment):
    file = tmp_path / "game.json"
    file.write_text(json.dumps({**GREENS, "moves": MOVES, **changed}))
    said = dicelab("review", str(file), "--memory", "1M")
    assert said.status in (1, 2)
    assert fragment in said.err
    assert "Traceback" not in said.err


def test_the_least_is_no_objective_of_a_review(dicelab, saved):
    dicelab("review", saved, "--objective", "fewest:turns").must_refuse(2, "objective")


def test_play_with_review_says_what_review_says_of_the_saved_game(dicelab, tmp_path):
    file = tmp_path / "game.json"
    setting = ("--target", "6", "--dice", "3", "-s", "one_roll", "-s", "bank_over:2", "--seed", "3")
    played = dicelab("play", "tossup", *setting, "--save", str(file), "--review").out
    assert dicelab("review", str(file)).out in played
    assert played.endswith("--seed 3\n")


def test_play_goes_on_without_a_review_where_there_is_none(dicelab):
    said = dicelab("play", "craps", "-s", "line", "--until-rounds", "1", "--seed", "1", "--review")
    assert said.status == 0
    assert "no review: " in said.out


@pytest.mark.slow
def test_simulate_without_luck(dicelab):
    run = ("simulate", "tossup", "-s", "bank_over:10", "-s", "bank_over:12", "--target", "20", "--games", "2000")
    data = dicelab(*run, "--seed", "1", "--luck-adjusted", "--json").json
    plain = dicelab(*run, "--seed", "1", "--json").json
    differ = {"luck": 0, "seconds": 0, "engine": "", "summary": ""}
    assert data | differ == plain | differ
    seat = data["luck"]["seats"]["0"]
    assert seat["mean"] == pytest.approx(plain["outcomes"]["0"]["probability"])
    assert seat["narrower"] > 2
    assert 0 < seat["share_of_luck"] < 1
    text = dicelab(*run, "--seed", "1", "--luck-adjusted").out
    assert f"{seat['narrower']:.2f} times" in text
    assert f"{100 * seat['share_of_luck']:.1f} %" in text


@pytest.mark.slow
def test_a_game_that_can_not_be_solved_is_simulated_first(dicelab):
    said = dicelab("simulate", "craps", "--games", "20", "--seed", "1", "--luck-adjusted")
    assert said.status == 2
    assert "20 games, seed 1" in said.out
    assert "objective" in said.err


def test_one_saved_game_is_reviewed_and_its_settings_are_shown(dicelab, saved):
    dicelab("review", saved, saved).must_refuse(2, "unexpected argument")
    dicelab("review").must_refuse(2, "Missing argument 'FILE'")
    assert "yellow 2" not in dicelab("review", saved).out
    assert "yellow 2" in dicelab("review", saved, "--all").out
    with pytest.raises(lib.DicelabError, match="did you mean 'policy'"):
        lib.review(saved, polcy="best.npz")  # type: ignore[call-arg]
