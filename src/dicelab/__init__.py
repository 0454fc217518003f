"""dicelab: write the rules of a dice game once; check them, play, simulate and solve the game.

>>> import dicelab
>>> dicelab.simulate("hazard", main=7, games=1000, seed=1).games
1000
>>> str(dicelab.exact("hazard", main=7).outcomes["win"].fraction)
'244/495'
"""

from __future__ import annotations

from dicelab.questions import LISTED
from dicelab.version import __version__

TYPE_CHECKING = False  # in place of typing.TYPE_CHECKING: importing typing would slow down `import dicelab`

if TYPE_CHECKING:
    from typing import Any

    from dicelab.conformance.check import check
    from dicelab.conformance.in_child import Examination
    from dicelab.engines.policy import Policy
    from dicelab.errors import DicelabError
    from dicelab.extras.learn import learn
    from dicelab.interface.play.playtests import Playtests, playtests
    from dicelab.interface.play.review import review
    from dicelab.interface.publishing.publish import Page, publish
    from dicelab.interface.reporting.card import Card, card
    from dicelab.interface.reporting.report import Report, report
    from dicelab.learning.result import Learned, plot_learning
    from dicelab.learning.values import LearnedValues
    from dicelab.plots import (
        plot_best,
        plot_class,
        plot_comparison,
        plot_convergence,
        plot_dice,
        plot_edges,
        plot_exercise,
        plot_fair,
        plot_fan,
        plot_given,
        plot_judgement,
        plot_par,
        plot_policy,
        plot_rating,
        plot_review,
        plot_ruin,
        plot_seats,
        plot_sessions,
        plot_solution,
        plot_sweep,
        plot_tally,
        plot_tune,
        plot_why,
        plot_with_dice,
    )
    from dicelab.questions.betting.bet import Edge
    from dicelab.questions.betting.edges import Edges, edges
    from dicelab.questions.betting.par import Par, par
    from dicelab.questions.betting.ruin import Bound, for_ruin
    from dicelab.questions.betting.session import Session, session
    from dicelab.questions.betting.systems import Systems, systems
    from dicelab.questions.betting.with_dice import WithDice, with_dice
    from dicelab.questions.compare import Comparison, compare
    from dicelab.questions.convergence import Convergence, convergence
    from dicelab.questions.cost import Cost, exact_cost, solve_cost
    from dicelab.questions.exact import exact
    from dicelab.questions.exercise import Exercise, exercise
    from dicelab.questions.heuristics.best import BestPlay
    from dicelab.questions.heuristics.rule import Rule, rule
    from dicelab.questions.judge import Judgement, judge
    from dicelab.questions.judge_class import ClassJudged, judge_class
    from dicelab.questions.notation.dice import Dice
    from dicelab.questions.notation.several import DiceCompared, dice
    from dicelab.questions.optimal_play import best, solve
    from dicelab.questions.policies.advice import Advised, advice
    from dicelab.questions.policies.bluffing import Equilibrium, equilibrium
    from dicelab.questions.policies.certificate import Certificate, certify_exact, certify_solution
    from dicelab.questions.policies.skill.luck import Luck, luck
    from dicelab.questions.policies.skill.reviewed import Review
    from dicelab.questions.policies.solution import Solution
    from dicelab.questions.race import Race, race
    from dicelab.questions.rate import Rating, rate
    from dicelab.questions.rolled.fair import Fair, fair
    from dicelab.questions.simulate import simulate
    from dicelab.questions.sweeps.solve_for import SolvedFor, solve_for
    from dicelab.questions.sweeps.sweep import Sweep, sweep
    from dicelab.questions.sweeps.tune import Tuned, tune
    from dicelab.questions.why import Why, why
    from dicelab.results.result import Exact, Simulation
    from dicelab.results.side_by_side import Beside
    from dicelab.results.store.runs import Store
    from dicelab.rules.game import Game
    from dicelab.rules.loading.registry import all_games, find

__all__ = [
    "Advised",
    "Beside",
    "BestPlay",
    "Bound",
    "Card",
    "Certificate",
    "ClassJudged",
    "Comparison",
    "Convergence",
    "Cost",
    "Dice",
    "DiceCompared",
    "DicelabError",
    "Edge",
    "Edges",
    "Equilibrium",
    "Exact",
    "Examination",
    "Exercise",
    "Fair",
    "Game",
    "Judgement",
    "Learned",
    "LearnedValues",
    "Luck",
    "Page",
    "Par",
    "Playtests",
    "Policy",
    "Race",
    "Rating",
    "Report",
    "Review",
    "Rule",
    "Session",
    "Simulation",
    "Solution",
    "SolvedFor",
    "Store",
    "Sweep",
    "Systems",
    "Tuned",
    "Why",
    "WithDice",
    "__version__",
    "advice",
    "all_games",
    "best",
    "card",
    "certify_exact",
    "certify_solution",
    "check",
    "compare",
    "convergence",
    "dice",
    "edges",
    "equilibrium",
    "exact",
    "exact_cost",
    "exercise",
    "fair",
    "find",
    "for_ruin",
    "judge",
    "judge_class",
    "learn",
    "luck",
    "par",
    "playtests",
    "plot_best",
    "plot_class",
    "plot_comparison",
    "plot_convergence",
    "plot_dice",
    "plot_edges",
    "plot_exercise",
    "plot_fair",
    "plot_fan",
    "plot_given",
    "plot_judgement",
    "plot_learning",
    "plot_par",
    "plot_policy",
    "plot_rating",
    "plot_review",
    "plot_ruin",
    "plot_seats",
    "plot_sessions",
    "plot_solution",
    "plot_sweep",
    "plot_tally",
    "plot_tune",
    "plot_why",
    "plot_with_dice",
    "publish",
    "race",
    "rate",
    "report",
    "review",
    "rule",
    "session",
    "simulate",
    "solve",
    "solve_cost",
    "solve_for",
    "sweep",
    "systems",
    "tune",
    "why",
    "with_dice",
]

_HOME = {name: "dicelab.plots" for name in __all__ if name.startswith("plot_")} | {
    "Advised": "dicelab.questions.policies.advice",
    "Beside": "dicelab.results.side_by_side",
    "Bound": "dicelab.questions.betting.ruin",
    "BestPlay": "dicelab.questions.heuristics.best",
    "Card": "dicelab.interface.reporting.card",
    "Certificate": "dicelab.questions.policies.certificate",
    "ClassJudged": "dicelab.questions.judge_class",
    "Comparison": "dicelab.questions.compare",
    "Convergence": "dicelab.questions.convergence",
    "Cost": "dicelab.questions.cost",
    "Dice": "dicelab.questions.notation.dice",
    "DiceCompared": "dicelab.questions.notation.several",
    "DicelabError": "dicelab.errors",
    "Edge": "dicelab.questions.betting.bet",
    "Edges": "dicelab.questions.betting.edges",
    "Equilibrium": "dicelab.questions.policies.bluffing",
    "Exact": "dicelab.results.result",
    "Examination": "dicelab.conformance.in_child",
    "Exercise": "dicelab.questions.exercise",
    "Fair": "dicelab.questions.rolled.fair",
    "Game": "dicelab.rules.game",
    "Judgement": "dicelab.questions.judge",
    "Learned": "dicelab.learning.result",
    "LearnedValues": "dicelab.learning.values",
    "Luck": "dicelab.questions.policies.skill.luck",
    "Page": "dicelab.interface.publishing.publish",
    "Par": "dicelab.questions.betting.par",
    "Playtests": "dicelab.interface.play.playtests",
    "Policy": "dicelab.engines.policy",
    "Race": "dicelab.questions.race",
    "Rating": "dicelab.questions.rate",
    "Report": "dicelab.interface.reporting.report",
    "Review": "dicelab.questions.policies.skill.reviewed",
    "Rule": "dicelab.questions.heuristics.rule",
    "Session": "dicelab.questions.betting.session",
    "Simulation": "dicelab.results.result",
    "Solution": "dicelab.questions.policies.solution",
    "SolvedFor": "dicelab.questions.sweeps.solve_for",
    "Store": "dicelab.results.store.runs",
    "Sweep": "dicelab.questions.sweeps.sweep",
    "Systems": "dicelab.questions.betting.systems",
    "Tuned": "dicelab.questions.sweeps.tune",
    "Why": "dicelab.questions.why",
    "WithDice": "dicelab.questions.betting.with_dice",
    "advice": "dicelab.questions.policies.advice",
    "all_games": "dicelab.rules.loading.registry",
    "card": "dicelab.interface.reporting.card",
    "certify_exact": "dicelab.questions.policies.certificate",
    "certify_solution": "dicelab.questions.policies.certificate",
    "check": "dicelab.conformance.check",
    "convergence": "dicelab.questions.convergence",
    "exact_cost": "dicelab.questions.cost",
    "find": "dicelab.rules.loading.registry",
    "learn": "dicelab.extras.learn",
    "luck": "dicelab.questions.policies.skill.luck",
    "plot_learning": "dicelab.learning.result",
    "race": "dicelab.questions.race",
    "rule": "dicelab.questions.heuristics.rule",
    "solve_cost": "dicelab.questions.cost",
    "solve_for": "dicelab.questions.sweeps.solve_for",
}
_HOME |= {name: one.module for name, one in LISTED.items()}
"""The module of each public name, with those of the questions that are declared; docs/api.md describes them all."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import dicelab`` stays quick."""
    if name not in _HOME:
        import sys

        raise AttributeError(f"module 'dicelab' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
