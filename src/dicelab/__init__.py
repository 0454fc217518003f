"""dicelab: write the rules of a dice game once; check them, play, simulate and solve the game.

>>> import dicelab
>>> dicelab.simulate("hazard", main=7, games=1000, seed=1).games
1000
>>> str(dicelab.exact("hazard", main=7).outcomes["win"].fraction)
'244/495'
"""

from __future__ import annotations

from dicelab.questions import CHARTS, NAMES
from dicelab.version import __version__ as __version__

TYPE_CHECKING = False  # in place of typing.TYPE_CHECKING: importing typing would slow down `import dicelab`

if TYPE_CHECKING:
    from typing import Any

_HOME = {
    "Card": "dicelab.interface.reporting.card",
    "Certificate": "dicelab.questions.policies.certificate",
    "Convergence": "dicelab.questions.convergence",
    "Cost": "dicelab.questions.cost",
    "DicelabError": "dicelab.errors",
    "Examination": "dicelab.conformance.in_child",
    "Game": "dicelab.rules.game",
    "Learned": "dicelab.learning.result",
    "LearnedValues": "dicelab.learning.values",
    "Luck": "dicelab.questions.policies.skill.luck",
    "Policy": "dicelab.engines.policy",
    "Race": "dicelab.questions.race",
    "Rule": "dicelab.questions.heuristics.rule",
    "SolvedFor": "dicelab.questions.sweeps.solve_for",
    "Store": "dicelab.results.store.runs",
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
_HOME |= NAMES | CHARTS
"""The module of each public name; docs/api.md describes them all. `tests/stubs.py` writes their types from this."""

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import dicelab`` stays quick."""
    if name not in _HOME:
        import sys

        raise AttributeError(f"module 'dicelab' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
