"""Values, hints and reviews of games that are solved turn by turn: the same as with all states."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import dicelab
from dicelab.errors import InputError, ParameterError
from dicelab.interface.play import play
from dicelab.interface.play.asking.advice import Amounts
from dicelab.interface.play.asking.hints import hints_for
from dicelab.limits import limited
from dicelab.questions.policies.skill import by_turns
from dicelab.questions.policies.skill.review import PlayedStep, review
from dicelab.questions.policies.skill.values import values
from dicelab.questions.policies.solution import Solution
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, fresh
from dicelab.runtime.interpreter import steps
from dicelab.runtime.philox import Stream
from support import SetLimits

CASES: list[tuple[str, str | None, dict[str, Any]]] = [
    ("farkle", None, {"target": 300}),
    ("yahtzee", "most:score", {"boxes": 2049}),
    ("tossup", None, {"target": 8, "dice": 3}),
]
NAMES = [name for name, _, _ in CASES]


def at_random(game: Game, seed: int) -> list[PlayedStep]:
    """A game played by choosing among all legal moves at random, those that no good player makes too."""
    chance = random.Random(seed)

    def choose(table: Game, decision: Decision, seat: int) -> tuple[int, ...]:
        return chance.choice(decision.listing(table) or [()])

    return [PlayedStep(e.kind, e.values) for e in steps(game, [choose] * 2, Stream(seed, 0), 400)]


def solved(name: str, objective: str | None, parameters: dict[str, Any]) -> Solution:
    """Solved turn by turn, however small."""
    with limited(many_with_policy=0):
        return dicelab.solve(name, objective=objective, **parameters)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "objective", "parameters"), CASES, ids=NAMES)
def test_reviews_are_those_of_all_states(
    name: str, objective: str | None, parameters: dict[str, Any], limits: SetLimits
) -> None:
    game = dicelab.find(name)(**parameters)
    limits(many_with_policy=0)
    turns, whole = by_turns.valued(game, objective=objective), values(game, objective=objective)
    assert isinstance(turns, by_turns.TurnValues)
    for seed in range(4):
        played = at_random(fresh(game), seed)
        one, other = review(game, turns, played), review(game, whole, played)
        for a, b in zip(one.steps, other.steps, strict=True):
            assert [float(x) for x in a.after] == pytest.approx([float(x) for x in b.after], abs=1e-9)
        for k in range(one.seats):
            assert one.result[k] == one.start[k] + one.luck[k] - one.costs[k] + one.given[k]
            assert float(one.costs[k]) == pytest.approx(float(other.costs[k]), abs=1e-9)


def hinted(best: Solution, file: Path) -> list[dict[tuple[int, ...], float]]:
    """The hints at the first choices of a game in which the best moves are typed."""
    policy, game = best.turn_policy or best.policy, dicelab.find(best.game)(**best.parameters)
    assert policy is not None
    policy.save(file)
    alone = best.game == "yahtzee"
    by_file = hints_for(game, ["me"] if alone else ["me", "me"], str(file))
    hints = by_file if alone else hints_for(game, ["me", f"policy:{file}"])
    found: list[dict[tuple[int, ...], float]] = []
    told, typed = list[str](), list[str]()

    def watched(now: Game, decision: Decision, seat: int) -> Any:
        mine = hints(now, decision, seat)
        assert mine == by_file(now, decision, seat)
        found.append(mine.after if isinstance(mine, Amounts) else mine)
        typed[:] = [decision.describe(max(found[-1], key=found[-1].__getitem__)) if len(found) < 4 else "q"]
        return mine

    seats = ["me"] if alone else ["me", f"policy:{file}"]
    play(game, seats, 3, hints=watched, read=lambda _: typed.pop() if typed else "q", write=told.append)
    assert any(line.endswith("  best") for line in told)
    assert ("  expected final total:" in told) == alone
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "objective", "parameters"), CASES, ids=NAMES)
def test_hints_are_those_of_all_states(
    name: str, objective: str | None, parameters: dict[str, Any], tmp_path: Path
) -> None:
    by_turns = hinted(solved(name, objective, parameters), tmp_path / "turns.npz")
    of_all = hinted(dicelab.solve(name, objective=objective, **parameters), tmp_path / "best.npz")
    assert len(by_turns) == len(of_all) > 0
    for turns, whole in zip(by_turns, of_all, strict=True):
        assert turns == {move: pytest.approx(value, abs=1e-9) for move, value in whole.items()}


def test_the_least_is_best_where_little_is_wanted() -> None:
    from dicelab.interface.play.asking.advice import hint_lines

    decision = dicelab.find("farkle").declared.decisions[1]
    assert [line.endswith("best") for line in hint_lines(decision, {(0,): 3.0, (1,): 2.0}, -1)] == [False, True]


@pytest.mark.slow
def test_policies_that_give_no_review_or_no_hints(tmp_path: Path) -> None:
    game = dicelab.find("farkle")(target=100)
    turns = solved("farkle", None, {"target": 100}).turn_policy
    whole = dicelab.solve(game).policy
    assert turns is not None
    assert whole is not None
    for policy, objective, said in (
        (whole, None, "moves and not the values of rolls"),
        (turns, "most:busts", "was solved for win, not for most:busts"),
    ):
        with pytest.raises(ParameterError, match=said):
            by_turns.valued(game, objective=objective, policy=policy)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="other parameters"):
        by_turns.valued(dicelab.find("farkle")(target=200), policy=turns)
    with pytest.raises(InputError):
        hints_for(game, [], str(tmp_path / "none.npz"))


@pytest.mark.slow
def test_a_review_after_play_is_for_the_objective_of_the_policy(tmp_path: Path) -> None:
    """Also where the policy has moves in all states, which say nothing of rolls; without one, it is the score."""
    file = tmp_path / "best.npz"
    best = dicelab.solve("yahtzee", objective="most:score", boxes=2).policy
    assert best is not None
    best.save(file)
    for policy, said in ((str(file), "in score: result = start + luck"), (None, "in score: result = start + luck")):
        typed, told = iter(["all", "twos"]), list[str]()
        play(
            best.game,
            ["me"],
            1,
            policy=policy,
            review=True,
            read=lambda _, typed=typed: next(typed),  # type: ignore[misc]
            write=told.append,
        )
        assert said in "\n".join(told)
