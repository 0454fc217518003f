"""Ids with which Gymnasium makes environments of dicelab.

========================== =========================================================================================
id                         environment
========================== =========================================================================================
``dicelab/TossUp-v0``      one seat of Toss Up!, by default the first of two, against ``bank_over:20``
``dicelab/Farkle-v0``      one seat of Farkle, by default the first of two, against ``bank_at``
``dicelab/Yahtzee-v0``     Yahtzee, alone, for the largest mean score
``dicelab/Game-v0``        one seat of any game with choices: ``game="pig.py", against="hold_at:20"``
========================== =========================================================================================

Gymnasium 1.0 and later no longer read the entry points of installed packages, so the module has to be imported: by the
id, ``gymnasium.make("dicelab.learning:dicelab/TossUp-v0")``, or by ``import dicelab.learning``. Of the games that come
with dicelab, the others have no choices, and craps has more than a million moves.
"""

from __future__ import annotations

IDS: dict[str, dict[str, str]] = {
    "dicelab/TossUp-v0": {"game": "tossup", "against": "bank_over:20"},
    "dicelab/Farkle-v0": {"game": "farkle", "against": "bank_at"},
    "dicelab/Yahtzee-v0": {"game": "yahtzee", "objective": "most:score"},
    "dicelab/Game-v0": {},
}
"""By id: the arguments of `dicelab.learning.gym` and `dicelab.learning.vector` that it sets."""


def register() -> None:
    """Register the ids with Gymnasium, once; do nothing if it is not installed."""
    try:
        from gymnasium.envs import registration
    except ImportError:
        return
    for name, given in IDS.items():
        if name not in registration.registry:
            registration.register(
                name,
                entry_point="dicelab.learning.make:gym",
                vector_entry_point="dicelab.learning.make:vector",
                kwargs=dict(given),
            )
