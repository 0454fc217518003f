"""Games that are played step by step."""

from __future__ import annotations

from dicelab.rules import OVER
from dicelab.runtime.interpreter import steps
from support import run_of


class Given:
    """Dice that show what is given, one throw after another."""

    def __init__(self, throws):
        self.left = [seen if isinstance(seen, tuple) else (seen,) for seen in throws]
        self.dice = []

    def draw(self, pool):
        seen = self.left.pop(0)
        assert seen in [outcome.seen for outcome in pool.outcomes], f"{pool.count} dice cannot show {seen}"
        self.dice.append(pool.count)
        return seen


def played(name, throws, lineup=(), **parameters):
    """A game after these throws and the choices that follow them: (the game, its events, dice of each throw)."""
    run = run_of(name, lineup, **parameters)
    given = Given(throws)
    events = []
    for event in steps(run.game, [call.chooser(run.game) for call in run.calls], given):
        events.append(event)
        if not given.left and run.game.next() >= 0:
            break
    assert not given.left, "the game was over before all throws were made"
    return run.game, events, given.dice


def over(game):
    return game.next() == OVER


def moves(events):
    return [event.words for event in events if event.kind == "choice"]
