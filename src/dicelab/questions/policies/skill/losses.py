"""What a strategy loses against optimal play: in each game one seat is its own, and all others play optimally.

A choice loses the exact value of the best move minus that of the move made; the sum over a game has as its mean what
the strategy loses of its chance to win (or of its score) against optimal play. The luck of the dice is not in it, so
far fewer games tell it than counting wins takes.
"""

from __future__ import annotations

from math import inf
from time import process_time

from dicelab.questions.policies.skill.values import Values
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Call, fresh, reset
from dicelab.rules.mixtures import LUCK
from dicelab.runtime.interpreter import MixtureDraws, as_move, asked
from dicelab.runtime.philox import Stream, pool


def losses(best: Values, call: Call, games: int, seed: int, most: float = inf) -> tuple[list[float], float]:
    """Return what a strategy loses in each game, in one seat after the other; and the seconds of the processor for one
    of its choices. Once its choices took `most` seconds, and there are two games, no further one is begun.

    Raises
    ------
    PlayError
        When a rule or the strategy fails.
    """
    game, found, spent, choices = fresh(best.game), list[float](), 0.0, 0
    for number in range(games):
        if spent > most and number > 1:
            break
        chooser = call.chooser(game)  # with a memory of its own for each game
        stream, lost = Stream(seed, number), 0.0
        game.__dict__[LUCK] = luck = MixtureDraws(stream)
        reset(game)
        while (step := game.next()) != OVER:
            kind, count = asked(game, step)
            if not isinstance(kind, Decision):
                applied(kind.run, game, stream.draw(pool(game, kind, count)))
                continue
            luck.choices += 1
            move = right = best.best(game)
            if count == number % best.seats:
                began = process_time()
                move = as_move(chooser(game, kind, count))
                spent, choices = spent + process_time() - began, choices + 1
            if move != right:
                gap = best.after(game, kind, right)[count] - best.after(game, kind, move)[count]
                lost += best.objective.sign * float(gap)
            applied(kind.run, game, move)
        found.append(lost)
    return found, spent / max(1, choices)
