"""Reviews and hints with hidden information use what a seat saw alone: beliefs by hand, sums, other hidden dice."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import dicelab
from dicelab.errors import InputError
from dicelab.interface.play import play
from dicelab.interface.play.asking.hints import hints_for
from dicelab.questions.policies.skill.review import PlayedStep
from dicelab.questions.policies.skill.seen import SeenHints, following, review_seen
from dicelab.rules.fields import applied
from dicelab.rules.game import fresh, reset
from dicelab.rules.loading.registry import games_in, load

FILE = Path(__file__).parents[1] / "games" / "hidden_dice.py"
POKER = games_in(load(FILE))["dice-poker"]
PASS, BET = 0, 1
FACES = range(1, 7)


def payoff(mine: int, theirs: int, moves: list[int], high: int = 4) -> int:
    """What the first wins of poker with dice, both going on with `high`: written apart from the rules."""
    hands, moves = (mine, theirs), list(moves)
    while len(moves) < 2 or moves == [PASS, BET]:
        moves.append(int(hands[len(moves) % 2] >= high))
    bets = moves[-1] if len(moves) == 3 else moves[0], moves[1]
    if bets[0] != bets[1]:
        return 1 if bets[0] > bets[1] else -1
    return (1 + bets[0]) * ((mine > theirs) - (mine < theirs))


def mean(numbers: list[int]) -> float:
    return sum(numbers) / len(numbers)


def hints(dice: tuple[int, int], moves: list[int]) -> dict[tuple[int, ...], float]:
    """The hints after these dice and moves."""
    found, game = SeenHints(POKER(), "high"), fresh(POKER())
    reset(game)
    found.played = [PlayedStep("throw", (face,)) for face in dice] + [PlayedStep("choice", (move,)) for move in moves]
    for step in found.played:
        applied((game.declared.throws if step.kind == "throw" else game.declared.decisions)[0].run, game, step.values)
    return found(game, game.declared.decisions[0], len(moves) % 2)


@pytest.mark.parametrize("mine", [1, 3, 5])
def test_the_first_knows_nothing_of_the_other_die(mine: int) -> None:
    expected = {(m,): mean([payoff(mine, theirs, [m]) for theirs in FACES]) for m in (PASS, BET)}
    for theirs in (1, 6):  # whatever it shows
        assert hints((mine, theirs), []) == pytest.approx(expected)


@pytest.mark.parametrize(("moves", "known"), [([PASS], (1, 2, 3)), ([BET], (4, 5, 6))])
def test_the_second_believes_what_the_first_has_shown(moves: list[int], known: tuple[int, ...]) -> None:
    for mine in (2, 5):
        expected = {(m,): mean([-payoff(theirs, mine, [*moves, m]) for theirs in known]) for m in (PASS, BET)}
        assert hints((known[0], mine), moves) == pytest.approx(expected)


def test_a_move_that_the_strategy_does_not_make_tells_nothing() -> None:
    """The first passes with a high die, as `high` never does: the second takes it for a low one."""
    assert hints((6, 5), [PASS]) == hints((1, 5), [PASS])


def steps(dice: tuple[int, int], moves: list[int]) -> list[PlayedStep]:
    return [PlayedStep("throw", (face,)) for face in dice] + [PlayedStep("choice", (move,)) for move in moves]


GAMES = [[PASS, PASS], [BET, PASS], [BET, BET], [PASS, BET, PASS], [PASS, BET, BET]]


@pytest.mark.parametrize("moves", GAMES)
def test_the_sums_of_a_review_are_the_result(moves: list[int]) -> None:
    for dice in ((1, 6), (4, 2)):
        found = review_seen(POKER(), "high", steps(dice, moves))
        for seat in range(2):
            sums = found.start[seat] + found.luck[seat] - found.costs[seat] + found.given[seat]
            assert sums == found.result[seat]
        assert found.result[0] == payoff(*dice, moves)
        assert float(found.start[0]) == pytest.approx(mean([payoff(a, b, []) for a, b in product(FACES, repeat=2)]))
        assert all(step.unseen for step in found.steps if step.seat >= 0)


def test_the_cost_of_a_move_depends_on_what_was_seen_alone() -> None:
    costs = {float(review_seen(POKER(), "high", steps((2, theirs), [BET])).costs[0]) for theirs in FACES}
    expected = mean([payoff(2, theirs, [PASS]) - payoff(2, theirs, [BET]) for theirs in FACES])
    assert list(costs) == [pytest.approx(expected)]
    folded = review_seen(POKER(), "high", steps((6, 5), [BET, PASS]))
    assert float(folded.costs[1]) == pytest.approx(1)  # to call is worth 0 against 4, 5 and 6, to fold -1


def test_what_was_not_seen_is_luck_and_0_on_average() -> None:
    found = [review_seen(POKER(), "high", steps((2, theirs), [BET])).steps[-1] for theirs in FACES]
    assert sum(float(step.unseen[0]) for step in found) == pytest.approx(0)
    assert any(step.unseen[0] != 0 for step in found)
    assert {step.unseen[0] + step.judged[0] - step.change[0] for step in found} == {Fraction(0)}


def saved(folder: Path, dice: tuple[int, int]) -> Path:
    file = folder / "game.json"
    moves = [{"roll": [face]} for face in dice] + [{"seat": 1, "choice": "bet"}]
    file.write_text(json.dumps({"game": f"{FILE}:dice-poker", "parameters": {}, "moves": moves}))
    return file


def test_a_saved_game_is_reviewed_with_a_strategy(tmp_path: Path) -> None:
    found = dicelab.review(saved(tmp_path, (2, 3)), POKER, policy="high")
    assert "judged by what its seat saw" in str(found)
    with pytest.raises(InputError, match=r"hidden information.*such as --policy high"):
        dicelab.review(saved(tmp_path, (2, 3)), POKER)
    with pytest.raises(InputError):
        dicelab.review(saved(tmp_path, (2, 3)), POKER, policy="highest")


def test_hints_are_shown_while_a_hidden_game_is_played() -> None:
    shown: list[str] = []
    typed = iter(["hint", "bet", "bet", "bet"])
    asked = hints_for(POKER(), ["me", "high"], "high")
    play(
        POKER(),
        ["me", "high"],
        2,
        asked=asked,
        policy="high",
        review=True,
        read=lambda _: next(typed),
        write=shown.append,
    )
    text = "\n".join(shown)
    assert "payoff:" in text
    assert "best" in text
    assert "result = start + luck" in text
    with pytest.raises(InputError, match="play with --policy high"):
        hints_for(POKER(), ["me", "high"])(POKER(), POKER.declared.decisions[0], 0)


def test_mixed_strategies_are_not_taken_and_no_memory_is_blamed(tmp_path: Path) -> None:
    file = tmp_path / "bluff.npz"
    dicelab.equilibrium(POKER).policy.save(file)
    with pytest.raises(InputError, match=r"bluff\.npz draws its moves.*--policy FILE"):
        following(POKER(), f"policy:{file}")


def test_strategies_with_a_memory_can_not_be_followed() -> None:
    with pytest.raises(InputError, match="suspicious has a memory"):
        SeenHints(games_in(load(FILE))["mia-cups"](), "suspicious")
