"""Reviews with mixed strategies: luck of the dice, mistakes, and which of several moves was drawn."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.interface.play.review import of_game
from dicelab.questions.policies.skill.mixed_review import MixedHints
from dicelab.questions.policies.skill.reviewed import CLOSE, Review
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, reset, twin
from dicelab.rules.loading.registry import games_in, load
from dicelab.runtime.interpreter import asked
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.solver.enumeration.model import all_outcomes

PENNIES = '''
from dicelab.rules import OVER, Game, Int, Ints, ask, chosen, mixture, strategy


class Pennies(Game):
    """Both put down a coin in secret, or nothing (2); the first wins if they match."""

    name = "pennies"
    seats = 2

    coins = Ints(2, 0, 2, "head or tail", by_seat=True, private=True)
    put = Int(0, 2, "coins put down")

    def next(self):
        return OVER if self.put == 2 else ask(self.coin, self.put)

    @chosen((0, 2))
    def coin(self, side):
        self.coins[self.put] = side
        self.put += 1

    def outcome(self):
        return 0 if self.coins[0] == self.coins[1] else 1


@strategy(Pennies)
def toss(game):
    return mixture((0, 1), (1, 2))


@strategy(Pennies)
def heads(game):
    return 0
'''
SMALL = {"dice": 1, "faces": 3, "wild": "highest", "once": True}


@pytest.fixture
def pennies(tmp_path: Path) -> Game:
    file = tmp_path / "pennies.py"
    file.write_text(PENNIES)
    return Run.of(games_in(load(file))["pennies"]).game


def numbers(found: Review) -> dict[str, list[float]]:
    return {name: [float(v) for v in getattr(found, name)] for name in ("start", "luck", "drawn", "costs", "result")}


def adds_up(found: Review) -> bool:
    return all(
        found.result[k] == found.start[k] + found.luck[k] + found.drawn[k] - found.costs[k] + found.given[k]
        for k in range(found.seats)
    )


def test_which_move_was_drawn_is_no_mistake_and_no_luck_of_the_dice(pennies: Game) -> None:
    """The second shows tails two times in three, so the first wins 5 in 9; heads against tails was bad luck."""
    found = of_game(pennies, [("choice", (0,)), ("choice", (1,))], ["me", "me"], policy="toss")
    assert adds_up(found)
    assert numbers(found)["start"] == pytest.approx([5 / 9, 4 / 9])
    assert [float(step.unseen[0]) for step in found.steps] == pytest.approx([1 / 3 - 5 / 9, 0 - 1 / 3])
    assert [step.drawn for step in found.steps] == [True, True]
    assert not any(found.costs)
    assert not any(found.luck)
    assert "mixed choices" in found.text()
    assert found.to_dict()["drawn"] == pytest.approx([-5 / 9, 5 / 9])


def test_a_move_that_is_never_drawn_costs_what_it_brings_less(pennies: Game) -> None:
    """The second never puts down nothing, so that the first can't win any more, whatever the second draws."""
    found = of_game(pennies, [("choice", (2,)), ("choice", (1,))], ["me", "me"], policy="toss")
    assert adds_up(found)
    assert numbers(found)["costs"] == pytest.approx([5 / 9, 0])
    assert numbers(found)["luck"] == pytest.approx([0, 0])
    assert numbers(found)["drawn"] == pytest.approx([0, 0])
    assert [step.best for step in found.steps] == ["1", "1"]


def games_of(game: Game, policy: Any, made: tuple[int, int]) -> Iterator[tuple[Fraction, list[tuple[str, Any]]]]:
    """Every game that the policy may play against itself, with its probability."""
    step = game.next()
    if step == OVER:
        yield Fraction(1), []
        return
    kind, number = asked(game, step)
    if isinstance(kind, Decision):
        first, moves, weights = policy.options(game, made[number])
        places = [(first + 1 + n, move, weight) for n, (move, weight) in enumerate(zip(moves, weights, strict=True))]
    else:
        places = [(0, one.seen, one.weight) for one in all_outcomes(game, kind, pool(game, kind, number))]
    for place, values, weight in places:
        if weight:
            after = twin(game)
            applied(kind.run, after, values)
            now = tuple(place if isinstance(kind, Decision) and seat == number else made[seat] for seat in (0, 1))
            share = Fraction(weight, sum(one[2] for one in places))
            for chance, steps in games_of(after, policy, (now[0], now[1])):
                name = "choice" if isinstance(kind, Decision) else "throw"
                yield share * chance, [(name, values), *steps]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("mia", {"faces": 2, "lives": 1}),
        pytest.param("liars-dice", SMALL, marks=pytest.mark.slow),
    ],
)
def test_the_luck_of_dice_and_draws_has_a_mean_of_0(tmp_path: Path, name: str, given: dict[str, object]) -> None:
    """And nothing costs anything where both follow the equilibrium."""
    solved = dicelab.equilibrium(name, **given)
    file = tmp_path / "bluff.npz"
    solved.policy.save(file)
    game = Run.of(name, **given).game
    start = twin(game)
    reset(start)
    luck = drawn = result = together = 0.0
    for chance, steps in games_of(start, solved.policy, (0, 0)):
        found = of_game(game, steps, ["me", "me"], policy=str(file))
        assert adds_up(found)
        assert not any(found.costs)
        assert float(found.start[0]) == pytest.approx(solved.value)
        together += chance
        luck += float(chance * found.luck[0])
        drawn += float(chance * found.drawn[0])
        result += float(chance * found.result[0])
    assert together == pytest.approx(1)
    assert (luck, drawn) == pytest.approx((0, 0), abs=1e-12)
    assert result == pytest.approx(solved.value)


@pytest.mark.slow
def test_a_mistake_costs_what_the_coach_says(tmp_path: Path) -> None:
    """What moves are worth by arrays over the whole tree, against what reviews find by following beliefs."""
    policy = dicelab.equilibrium("liars-dice", **SMALL).policy
    file = tmp_path / "bluff.npz"
    policy.save(file)
    game = Run.of("liars-dice", **SMALL).game
    hints = MixedHints(policy)
    checked = 0
    for face in range(3):
        rolls = [("throw", tuple(int(k == face) for k in range(6))), ("throw", (1, 0, 0, 0, 0, 0))]
        table = twin(game)
        reset(table)
        for _, values in rolls:
            applied(game.declared.throws[0].run, table, values)
        kind = game.declared.decisions[0]
        worths, often = hints(table, kind, 0)
        for move, worth in worths.items():
            found = of_game(game, [*rolls, ("choice", move)], ["me", "me"], policy=str(file))
            assert adds_up(found)
            cost = max(worths.values()) - worth
            if not often[move]:
                assert float(found.costs[0]) == pytest.approx(cost, abs=1e-9)
                checked += cost > CLOSE
            else:
                assert (found.costs[0], cost) == (0, pytest.approx(0, abs=1e-9))
    assert checked >= 4


def test_a_review_without_a_strategy_says_which_it_takes(pennies: Game) -> None:
    with pytest.raises(ParameterError, match="such as --policy toss, or a file of mixed strategies"):
        of_game(pennies, [("choice", (0,))], ["me", "me"])
