"""A program of a user, held to `mypy --strict` by `make check`: what each public call returns is known.

It is not run. `tests/project/test_api.py` compares the calls in it with the public ones.
"""

from __future__ import annotations

from typing import Any, assert_type

import dicelab
from dicelab.extras.craps.craps import Craps
from dicelab.games.tossup import TossUp
from dicelab.results.numbers.estimates import Average, Chance, Distribution, Proportion

GAME = TossUp(target=50)


def estimates_and_exact_answers() -> None:
    """Simulated and exact results, and their numbers."""
    played = assert_type(dicelab.simulate(GAME, "bank_over:20", games=100, seed=1), dicelab.Simulation)
    solved = assert_type(dicelab.exact(GAME, "bank_over:20"), dicelab.Exact)
    assert_type(played.outcomes["0"], Proportion)
    assert_type(solved.outcomes["0"], Chance)
    assert_type(played.tallies["turns"], Average)
    assert_type(solved.tallies["turns"], Distribution)
    assert_type(solved.tallies["turns"].percentile(0.9), int | None)
    assert_type(played.to_dict(), dict[str, Any])
    assert_type(played.to_json(), str)
    assert_type(dicelab.Beside(played, solved).rows, list[dict[str, Any]])
    assert_type(dicelab.simulate(GAME, games=100, cluster="local:4"), dicelab.Simulation)
    assert_type(dicelab.exact_cost(GAME), dicelab.Cost)
    assert_type(dicelab.certify_exact(GAME), dicelab.Certificate)
    assert_type(dicelab.compare(GAME, ["one_roll", "bank_over:20"], exact=True), dicelab.Comparison)
    assert_type(dicelab.sweep(GAME, over={"dice": range(5, 10)}, games=100), dicelab.Sweep)
    assert_type(dicelab.tune(GAME, over={"dice": range(5, 7)}, want="gap<10%"), dicelab.Tuned)
    assert_type(dicelab.solve_for(GAME, "0", 0.5, over={"target": range(5, 9)}, exact=True), dicelab.SolvedFor)
    assert_type(dicelab.why(GAME), dicelab.Why)
    assert_type(dicelab.review("game.json"), dicelab.Review)
    assert_type(dicelab.playtests("one.json", "two.json"), dicelab.Playtests)
    assert_type(dicelab.report(GAME).html, str)
    assert_type(dicelab.publish(GAME).html, str)
    assert_type(dicelab.luck(GAME, games=100).rows[0].share, float | None)
    assert_type(dicelab.convergence(GAME, games=100), dicelab.Convergence)
    assert_type(dicelab.race("verification/pig_alone.py", ["hold_at:20"]), dicelab.Race)
    assert_type(dicelab.rate(GAME, ["one_roll", "bank_over:5"]), dicelab.Rating)
    assert_type(dicelab.judge(GAME, counts=[40, 60]), dicelab.Judgement)
    assert_type(dicelab.exercise(GAME, pupils=20), dicelab.Exercise)
    assert_type(dicelab.equilibrium(GAME, gap=1e-6), dicelab.Equilibrium)
    assert_type(dicelab.judge_class(GAME, "pupils.csv"), dicelab.ClassJudged)
    assert_type(dicelab.dice("4d6 keep highest 3"), dicelab.Dice)
    assert_type(dicelab.dice("3d6", "4d6kh3"), dicelab.DiceCompared)
    assert_type(dicelab.fair("16,18,21,15,14,16"), dicelab.Fair)
    assert_type(dicelab.with_dice(GAME, "80,100,100,100,100,120"), dicelab.WithDice)


def policies() -> None:
    """Optimal play."""
    best = assert_type(dicelab.solve(GAME), dicelab.Solution)
    assert_type(best.outcomes["0"].probability, float)
    if best.policy is not None:
        assert_type(best.policy, dicelab.Policy)
        assert_type(dicelab.advice(best.policy, points=7, scores=(5, 9)), dicelab.Advised)
        assert_type(dicelab.policy(GAME, "best.npz", at={"points": 7}), dicelab.Advised)
        assert_type(dicelab.card(best.policy, player=0).python, str)
        assert_type(dicelab.rule(best.policy, leaves=2), dicelab.Rule)
    assert_type(dicelab.solve_cost(GAME), dicelab.Cost)
    assert_type(dicelab.best(GAME), dicelab.BestPlay)
    assert_type(dicelab.certify_solution(GAME), dicelab.Certificate)
    learned = assert_type(dicelab.learn(GAME, "bank_over:20", games=100), dicelab.Learned)
    assert_type(learned.points[-1].gap, float | None)


def money() -> None:
    """Edges and sessions."""
    assert_type(dicelab.edges("craps-bet", only="place_*")["place_6"], dicelab.Edge)
    assert_type(dicelab.par("craps-bet", only="place_*"), dicelab.Par)
    table = Craps(bankroll=100, until_rounds=20)
    assert_type(dicelab.session(table, "line"), dicelab.Session)
    assert_type(dicelab.systems(table, ["line", "line:system=paroli"]), dicelab.Systems)
    assert_type(dicelab.for_ruin(table, "line", 0.05, find="unit").value, int | None)


def games() -> None:
    """Games."""
    assert_type(dicelab.find("hazard"), type[dicelab.Game])
    assert_type(dicelab.all_games(), dict[str, type[dicelab.Game]])
    assert_type(dicelab.check("./pig.py").lawful, bool)
