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
    from dicelab.analysis.convergence import convergence
    from dicelab.analysis.cost import Cost, exact_cost
    from dicelab.analysis.exact import exact
    from dicelab.analysis.judge import Judgement, judge
    from dicelab.analysis.race import Race, race
    from dicelab.analysis.simulate import simulate
    from dicelab.analysis.sweep import Sweep, sweep
    from dicelab.betting.bet import Edge
    from dicelab.betting.edges import Edges, edges
    from dicelab.betting.ruin import Bound, for_ruin
    from dicelab.betting.session import Session, session
    from dicelab.betting.systems import Systems, systems
    from dicelab.engines.policy import Policy
    from dicelab.errors import DicelabError
    from dicelab.heuristics.rule import Rule, rule
    from dicelab.notation.dice import Dice, dice
    from dicelab.policies.cost import solve_cost
    from dicelab.policies.solve import Solution, solve
    from dicelab.results.result import Exact, Simulation
    from dicelab.results.side_by_side import Beside
    from dicelab.rules.game import Game
    from dicelab.rules.registry import all_games, find
    from dicelab.store.runs import Store

    # Typed as Any: importing dicelab.learning here would be a circle, because it imports from this file.
    Learned: Any
    learn: Any

_HOME = {
    "Beside": "dicelab.results.side_by_side",
    "Bound": "dicelab.betting.ruin",
    "Comparison": "dicelab.analysis.compare",
    "Cost": "dicelab.analysis.cost",
    "Dice": "dicelab.notation.dice",
    "DicelabError": "dicelab.errors",
    "Edge": "dicelab.betting.bet",
    "Edges": "dicelab.betting.edges",
    "Exact": "dicelab.results.result",
    "Game": "dicelab.rules.game",
    "Judgement": "dicelab.analysis.judge",
    "Learned": "dicelab.learning.result",
    "Policy": "dicelab.engines.policy",
    "Race": "dicelab.analysis.race",
    "Rule": "dicelab.heuristics.rule",
    "Session": "dicelab.betting.session",
    "Simulation": "dicelab.results.result",
    "Solution": "dicelab.policies.solve",
    "Store": "dicelab.store.runs",
    "Sweep": "dicelab.analysis.sweep",
    "Systems": "dicelab.betting.systems",
    "all_games": "dicelab.rules.registry",
    "compare": "dicelab.analysis.compare",
    "convergence": "dicelab.analysis.convergence",
    "dice": "dicelab.notation.dice",
    "edges": "dicelab.betting.edges",
    "exact": "dicelab.analysis.exact",
    "exact_cost": "dicelab.analysis.cost",
    "find": "dicelab.rules.registry",
    "for_ruin": "dicelab.betting.ruin",
    "judge": "dicelab.analysis.judge",
    "learn": "dicelab.learning.learn",
    "race": "dicelab.analysis.race",
    "rule": "dicelab.heuristics.rule",
    "session": "dicelab.betting.session",
    "simulate": "dicelab.analysis.simulate",
    "solve": "dicelab.policies.solve",
    "solve_cost": "dicelab.policies.cost",
    "sweep": "dicelab.analysis.sweep",
    "systems": "dicelab.betting.systems",
}

__all__ = [
    "Beside",
    "Bound",
    "Comparison",
    "Cost",
    "Dice",
    "DicelabError",
    "Edge",
    "Edges",
    "Exact",
    "Game",
    "Judgement",
    "Learned",
    "Policy",
    "Race",
    "Rule",
    "Session",
    "Simulation",
    "Solution",
    "Store",
    "Sweep",
    "Systems",
    "__version__",
    "all_games",
    "compare",
    "convergence",
    "dice",
    "edges",
    "exact",
    "exact_cost",
    "find",
    "for_ruin",
    "judge",
    "learn",
    "race",
    "rule",
    "session",
    "simulate",
    "solve",
    "solve_cost",
    "sweep",
    "systems",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import dicelab`` stays quick."""
    if name not in _HOME:
        raise AttributeError(f"module 'dicelab' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
