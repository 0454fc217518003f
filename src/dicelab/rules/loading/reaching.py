"""A game with a tally as part of its state, up to an amount: does the tally reach it?

The rules are those of the game, in a class made here; the tally becomes a field that stays at the amount once it is
reached, and the outcomes are the answer.
"""

from __future__ import annotations

from types import ModuleType

from dicelab.rules.fields import Capped
from dicelab.rules.game import Game, counts_at_end
from dicelab.rules.loading.source import ITSELF, SOURCE

TEXT = """
class Reaching(Base):
    name = Base.name
    outcomes = ("missed", "reached")
    payoffs = None
    {ruin}
    {tally} = Capped({amount}, "the tally, at most {amount}")

    def outcome(self):
        {before}
        return 1 if self.{tally} >= {amount} else 0
"""
REACHED = 1
"""The outcome of games in which the tally is at the amount or above."""


def reaching(game: Game, tally: str, amount: int) -> Game:
    """Return the same game, with the question whether a tally ends at an amount or above as its outcome.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> reaching(Yahtzee(boxes=3), "score", 10).declared.state["score"]
    <Capped score: 0 to 10>
    """
    base = type(game)
    before = "super().outcome()" if counts_at_end(base) else "pass"
    ruin = 'ruin = ""' if hasattr(base, "ruin") else ""
    module = ModuleType(f"dicelab_reaching_{base.name}")
    text = TEXT.format(tally=tally, amount=amount, before=before, ruin=ruin)
    module.__dict__.update({SOURCE: text, ITSELF: module, "Base": base, "Capped": Capped})
    exec(compile(text, f"{base.__name__}, {tally} at least {amount}", "exec"), module.__dict__)
    reached: Game = module.__dict__["Reaching"](**game.parameters)
    return reached
