"""How much players lose against optimal play, and the time they take (`dicelab.questions.policies.skill.losses`).

Run: ``python benchmarks/players.py examples/pig.py target=100 games=40 hold_at:20 mcts:500``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from statistics import mean, stdev

from dicelab.questions.policies.skill.by_turns import valued
from dicelab.questions.policies.skill.losses import losses
from dicelab.runtime.lineup import Run


def main(words: Sequence[str]) -> None:
    """Print a line for each player."""
    game, *rest = words
    given = dict(word.split("=") for word in rest if "=" in word and ":" not in word)
    games = int(given.pop("games", 40))
    best = valued(Run.of(game, **given).game)
    unit = 100 if best.objective.is_chance else 1
    print(f"{game} {given or ''}: optimal play is worth {unit * best.at_start[0]:.2f} to the first seat", flush=True)
    for text in (word for word in rest if "=" not in word or ":" in word):
        lost, seconds = losses(best, Run.of(best.game, text).calls[0], games, 1)
        half = unit * 1.96 * stdev(lost) / games**0.5
        print(f"{text:30} loses {unit * mean(lost):6.2f} ± {half:.2f}, {1000 * seconds:8.2f} ms a choice", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)
    main(sys.argv[1:])
