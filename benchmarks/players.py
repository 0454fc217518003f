"""How much players lose against optimal play: in each game one seat is theirs, and all others play optimally.

A choice loses the exact value of the best move minus that of the move made; the sum over a game has as its mean what
the player loses of its chance to win (or of its score) against optimal play. This needs far fewer games than counting
wins. Run: ``python benchmarks/players.py examples/pig.py target=100 games=40 hold_at:20 mcts:500``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from statistics import mean, stdev
from time import perf_counter

from dicelab.questions.policies.skill.values import Values, values
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import fresh, reset
from dicelab.rules.mixtures import LUCK
from dicelab.runtime.interpreter import Luck, as_move, asked
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream, pool


def losses(best: Values, text: str, games: int) -> tuple[list[float], float]:
    """Return what a player loses in each game, and the seconds for one of its choices."""
    run = Run.of(best.game, text)
    game, found, spent, choices = fresh(run.game), list[float](), 0.0, 0
    chooser = run.calls[0].chooser(game)
    for number in range(games):
        stream, lost = Stream(1, number), 0.0
        game.__dict__[LUCK] = luck = Luck(stream)
        reset(game)
        while (step := game.next()) != OVER:
            kind, count = asked(game, step)
            if not isinstance(kind, Decision):
                applied(kind.run, game, stream.draw(pool(game, kind, count)))
                continue
            luck.choices += 1
            move = right = best.best(game)
            if count == number % best.seats:
                began = perf_counter()
                move = as_move(chooser(game, kind, count))
                spent, choices = spent + perf_counter() - began, choices + 1
            if move != right:
                gap = best.after(game, kind, right)[count] - best.after(game, kind, move)[count]
                lost += best.objective.sign * float(gap)
            applied(kind.run, game, move)
        found.append(lost)
    return found, spent / max(1, choices)


def main(words: Sequence[str]) -> None:
    """Print a line for each player."""
    game, *rest = words
    given = dict(word.split("=") for word in rest if "=" in word and ":" not in word)
    games = int(given.pop("games", 40))
    best = values(game, **given)
    unit = 100 if best.objective.is_chance else 1
    print(f"{game} {given or ''}: optimal play is worth {unit * best.at_start[0]:.2f} to the first seat", flush=True)
    for text in (word for word in rest if "=" not in word or ":" in word):
        lost, seconds = losses(best, text, games)
        half = unit * 1.96 * stdev(lost) / games**0.5
        print(f"{text:30} loses {unit * mean(lost):6.2f} ± {half:.2f}, {1000 * seconds:8.2f} ms a choice", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)
    main(sys.argv[1:])
