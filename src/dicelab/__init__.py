"""dicelab: write the rules of a dice game once; check them, play, simulate and solve the game.

>>> import dicelab
>>> dicelab.simulate("hazard", main=7, games=1000, seed=1).games
1000
>>> str(dicelab.exact("hazard", main=7).outcomes["win"].fraction)
'244/495'
"""

from __future__ import annotations

from dicelab.version import __version__

TYPE_CHECKING = False  # as in typing, which is not imported: this file must be imported at once

if TYPE_CHECKING:
    from typing import Any

    from dicelab.analysis.beside import Beside
    from dicelab.analysis.bet import Edge
    from dicelab.analysis.compare import Comparison, compare
    from dicelab.analysis.convergence import convergence
    from dicelab.analysis.edges import Edges, edges
    from dicelab.analysis.exact import exact
    from dicelab.analysis.race import Race, race
    from dicelab.analysis.results import Exact, Simulation
    from dicelab.analysis.ruin import Bound, for_ruin
    from dicelab.analysis.rule import Rule, rule
    from dicelab.analysis.session import Session, session
    from dicelab.analysis.simulate import simulate
    from dicelab.analysis.solve import Solution, solve
    from dicelab.analysis.sweep import Sweep, sweep
    from dicelab.analysis.systems import Systems, systems
    from dicelab.engines.policy import Policy
    from dicelab.errors import DicelabError
    from dicelab.rules.game import Game
    from dicelab.rules.registry import all_games, find

    # Not imported even here: it lies above the layers that read the version from this file.
    Learned: Any
    learn: Any

_HOME = {
    "Beside": "dicelab.analysis.beside",
    "Bound": "dicelab.analysis.ruin",
    "Comparison": "dicelab.analysis.compare",
    "DicelabError": "dicelab.errors",
    "Edge": "dicelab.analysis.bet",
    "Edges": "dicelab.analysis.edges",
    "Exact": "dicelab.analysis.results",
    "Game": "dicelab.rules.game",
    "Learned": "dicelab.learning.learned",
    "Policy": "dicelab.engines.policy",
    "Race": "dicelab.analysis.race",
    "Rule": "dicelab.analysis.rule",
    "Session": "dicelab.analysis.session",
    "Simulation": "dicelab.analysis.results",
    "Solution": "dicelab.analysis.solve",
    "Sweep": "dicelab.analysis.sweep",
    "Systems": "dicelab.analysis.systems",
    "all_games": "dicelab.rules.registry",
    "compare": "dicelab.analysis.compare",
    "convergence": "dicelab.analysis.convergence",
    "edges": "dicelab.analysis.edges",
    "exact": "dicelab.analysis.exact",
    "find": "dicelab.rules.registry",
    "for_ruin": "dicelab.analysis.ruin",
    "learn": "dicelab.learning.curve",
    "race": "dicelab.analysis.race",
    "rule": "dicelab.analysis.rule",
    "session": "dicelab.analysis.session",
    "simulate": "dicelab.analysis.simulate",
    "solve": "dicelab.analysis.solve",
    "sweep": "dicelab.analysis.sweep",
    "systems": "dicelab.analysis.systems",
}

__all__ = [
    "Beside",
    "Bound",
    "Comparison",
    "DicelabError",
    "Edge",
    "Edges",
    "Exact",
    "Game",
    "Learned",
    "Policy",
    "Race",
    "Rule",
    "Session",
    "Simulation",
    "Solution",
    "Sweep",
    "Systems",
    "__version__",
    "all_games",
    "compare",
    "convergence",
    "edges",
    "exact",
    "find",
    "for_ruin",
    "learn",
    "race",
    "rule",
    "session",
    "simulate",
    "solve",
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
