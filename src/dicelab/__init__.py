"""dicelab: write the rules of a dice game once; check them, play, simulate and solve the game.

>>> import dicelab
>>> dicelab.simulate("hazard", main=7, games=1000, seed=1).games
1000
>>> str(dicelab.exact("hazard", main=7).outcomes["win"].fraction)
'244/495'
"""

from __future__ import annotations

from dicelab.questions import NAMES
from dicelab.version import __version__ as __version__

TYPE_CHECKING = False  # in place of typing.TYPE_CHECKING: importing typing would slow down `import dicelab`

if TYPE_CHECKING:
    from typing import Any

_HOME = NAMES | {
    "DicelabError": "dicelab.errors",
    "Examination": "dicelab.conformance.check",
    "Game": "dicelab.rules.game",
    "Learned": "dicelab.extras.learn.result",
    "LearnedValues": "dicelab.extras.learn.learned_values",
    "Store": "dicelab.results.store.runs",
    "all_games": "dicelab.rules.loading.registry",
    "check": "dicelab.conformance.check",
    "find": "dicelab.rules.loading.registry",
    "learn": "dicelab.extras.learn",
    "plot_learning": "dicelab.extras.learn.result",
}
"""The module of each public name; docs/api.md describes them all. `tests/stubs.py` writes their types from this.

Names of questions follow from their list. Those written here belong to none, or to `learn`, which is announced as
another package's question would be, and packages add no names to this one.
"""

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
