"""dicelab: write the rules of a dice game once; check them, play, simulate and solve the game.

>>> import dicelab
>>> dicelab.simulate("hazard", main=7, games=1000, seed=1).games
1000
>>> str(dicelab.exact("hazard", main=7).outcomes["win"].fraction)
'244/495'
"""

from __future__ import annotations

from dicelab.version import __version__

TYPE_CHECKING = False  # in place of typing.TYPE_CHECKING: importing typing would slow down `import dicelab`

if TYPE_CHECKING:
    from typing import Any

    from dicelab.analysis.compare import Comparison, compare
    from dicelab.analysis.convergence import Convergence, convergence
    from dicelab.analysis.cost import Cost, exact_cost
    from dicelab.analysis.exact import exact
    from dicelab.analysis.judge import Judgement, judge
    from dicelab.analysis.judge_class import ClassJudged, judge_class
    from dicelab.analysis.race import Race, race
    from dicelab.analysis.rolled.fair import Fair, fair
    from dicelab.analysis.simulate import simulate
    from dicelab.analysis.why import Why, why
    from dicelab.betting.bet import Edge
    from dicelab.betting.edges import Edges, edges
    from dicelab.betting.par import Par, par
    from dicelab.betting.ruin import Bound, for_ruin
    from dicelab.betting.session import Session, session
    from dicelab.betting.systems import Systems, systems
    from dicelab.betting.with_dice import WithDice, with_dice
    from dicelab.conformance.check import check
    from dicelab.conformance.in_child import Examination
    from dicelab.engines.policy import Policy
    from dicelab.errors import DicelabError
    from dicelab.heuristics.best import BestPlay, best
    from dicelab.heuristics.rule import Rule, rule
    from dicelab.learning.learn import learn
    from dicelab.learning.plot import plot_learning
    from dicelab.learning.result import Learned
    from dicelab.notation.dice import Dice, dice
    from dicelab.notation.several import DiceCompared, compare_dice
    from dicelab.play.review import review
    from dicelab.plots import (
        plot_best,
        plot_class,
        plot_comparison,
        plot_convergence,
        plot_dice,
        plot_edges,
        plot_fair,
        plot_fan,
        plot_given,
        plot_judgement,
        plot_par,
        plot_policy,
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
    from dicelab.policies.advice import Advised, advice
    from dicelab.policies.cost import solve_cost
    from dicelab.policies.skill.luck import Luck, luck
    from dicelab.policies.skill.reviewed import Review
    from dicelab.policies.solution import Solution
    from dicelab.policies.solve import solve
    from dicelab.reporting.card import Card, card
    from dicelab.reporting.exercise import Exercise, exercise
    from dicelab.reporting.report import Report, report
    from dicelab.results.result import Exact, Simulation
    from dicelab.results.side_by_side import Beside
    from dicelab.rules.game import Game
    from dicelab.rules.loading.registry import all_games, find
    from dicelab.store.runs import Store
    from dicelab.sweeps.crossings import SolvedFor
    from dicelab.sweeps.solve_for import solve_for
    from dicelab.sweeps.sweep import Sweep, sweep
    from dicelab.sweeps.tuning.tune import tune
    from dicelab.sweeps.tuning.tuned import Tuned

_HOME = {
    "Advised": "dicelab.policies.advice",
    "Beside": "dicelab.results.side_by_side",
    "Bound": "dicelab.betting.ruin",
    "BestPlay": "dicelab.heuristics.best",
    "Card": "dicelab.reporting.card",
    "ClassJudged": "dicelab.analysis.judge_class",
    "Comparison": "dicelab.analysis.compare",
    "Convergence": "dicelab.analysis.convergence",
    "Cost": "dicelab.analysis.cost",
    "Dice": "dicelab.notation.dice",
    "DiceCompared": "dicelab.notation.several",
    "DicelabError": "dicelab.errors",
    "Edge": "dicelab.betting.bet",
    "Edges": "dicelab.betting.edges",
    "Exact": "dicelab.results.result",
    "Examination": "dicelab.conformance.in_child",
    "Exercise": "dicelab.reporting.exercise",
    "Fair": "dicelab.analysis.rolled.fair",
    "Game": "dicelab.rules.game",
    "Judgement": "dicelab.analysis.judge",
    "Learned": "dicelab.learning.result",
    "Luck": "dicelab.policies.skill.luck",
    "Par": "dicelab.betting.par",
    "Policy": "dicelab.engines.policy",
    "Race": "dicelab.analysis.race",
    "Report": "dicelab.reporting.report",
    "Review": "dicelab.policies.skill.reviewed",
    "Rule": "dicelab.heuristics.rule",
    "Session": "dicelab.betting.session",
    "Simulation": "dicelab.results.result",
    "Solution": "dicelab.policies.solution",
    "SolvedFor": "dicelab.sweeps.crossings",
    "Store": "dicelab.store.runs",
    "Sweep": "dicelab.sweeps.sweep",
    "Systems": "dicelab.betting.systems",
    "Tuned": "dicelab.sweeps.tuning.tuned",
    "Why": "dicelab.analysis.why",
    "WithDice": "dicelab.betting.with_dice",
    "advice": "dicelab.policies.advice",
    "all_games": "dicelab.rules.loading.registry",
    "best": "dicelab.heuristics.best",
    "card": "dicelab.reporting.card",
    "check": "dicelab.conformance.check",
    "compare": "dicelab.analysis.compare",
    "compare_dice": "dicelab.notation.several",
    "convergence": "dicelab.analysis.convergence",
    "dice": "dicelab.notation.dice",
    "edges": "dicelab.betting.edges",
    "exact": "dicelab.analysis.exact",
    "exact_cost": "dicelab.analysis.cost",
    "exercise": "dicelab.reporting.exercise",
    "fair": "dicelab.analysis.rolled.fair",
    "find": "dicelab.rules.loading.registry",
    "for_ruin": "dicelab.betting.ruin",
    "judge": "dicelab.analysis.judge",
    "judge_class": "dicelab.analysis.judge_class",
    "learn": "dicelab.learning.learn",
    "luck": "dicelab.policies.skill.luck",
    "par": "dicelab.betting.par",
    "plot_best": "dicelab.plots",
    "plot_class": "dicelab.plots",
    "plot_comparison": "dicelab.plots",
    "plot_convergence": "dicelab.plots",
    "plot_dice": "dicelab.plots",
    "plot_edges": "dicelab.plots",
    "plot_fair": "dicelab.plots",
    "plot_fan": "dicelab.plots",
    "plot_given": "dicelab.plots",
    "plot_judgement": "dicelab.plots",
    "plot_learning": "dicelab.learning.plot",
    "plot_par": "dicelab.plots",
    "plot_policy": "dicelab.plots",
    "plot_review": "dicelab.plots",
    "plot_ruin": "dicelab.plots",
    "plot_seats": "dicelab.plots",
    "plot_sessions": "dicelab.plots",
    "plot_solution": "dicelab.plots",
    "plot_sweep": "dicelab.plots",
    "plot_tally": "dicelab.plots",
    "plot_tune": "dicelab.plots",
    "plot_why": "dicelab.plots",
    "plot_with_dice": "dicelab.plots",
    "race": "dicelab.analysis.race",
    "report": "dicelab.reporting.report",
    "review": "dicelab.play.review",
    "rule": "dicelab.heuristics.rule",
    "session": "dicelab.betting.session",
    "simulate": "dicelab.analysis.simulate",
    "solve": "dicelab.policies.solve",
    "solve_cost": "dicelab.policies.cost",
    "solve_for": "dicelab.sweeps.solve_for",
    "sweep": "dicelab.sweeps.sweep",
    "systems": "dicelab.betting.systems",
    "tune": "dicelab.sweeps.tuning.tune",
    "why": "dicelab.analysis.why",
    "with_dice": "dicelab.betting.with_dice",
}
"""The module of each public name; docs/api.md describes them all."""

__all__ = [
    "Advised",
    "Beside",
    "BestPlay",
    "Bound",
    "Card",
    "ClassJudged",
    "Comparison",
    "Convergence",
    "Cost",
    "Dice",
    "DiceCompared",
    "DicelabError",
    "Edge",
    "Edges",
    "Exact",
    "Examination",
    "Exercise",
    "Fair",
    "Game",
    "Judgement",
    "Learned",
    "Luck",
    "Par",
    "Policy",
    "Race",
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
    "check",
    "compare",
    "compare_dice",
    "convergence",
    "dice",
    "edges",
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
    "plot_best",
    "plot_class",
    "plot_comparison",
    "plot_convergence",
    "plot_dice",
    "plot_edges",
    "plot_fair",
    "plot_fan",
    "plot_given",
    "plot_judgement",
    "plot_learning",
    "plot_par",
    "plot_policy",
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
    "race",
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


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import dicelab`` stays quick."""
    if name not in _HOME:
        import sys

        raise AttributeError(f"module 'dicelab' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
