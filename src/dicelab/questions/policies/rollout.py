"""A player for every game: it tries each move out, and makes the one after which games went best.

Before each of its choices it plays the game on many times after each allowed move, with a given strategy in all seats,
on the same dice after each move. By the policy improvement of dynamic programming it plays no worse than that strategy
where the games are many (G. Tesauro and G. Galperin, *On-line policy improvement using Monte-Carlo search*, Advances in
Neural Information Processing Systems 9, 1996).
"""

from __future__ import annotations

from functools import cache

from dicelab.questions.policies.ahead import ChoiceState, Roll, Row, Table
from dicelab.questions.policies.thinking import Thinker, player_of
from dicelab.rules.game import Game, Strategy

GAMES = 200
"""Games that are played on after each move, unless another number is given."""
MOST_GAMES = 1_000_000
"""Limit of this number."""
WORDS = "rollout, rollout:500, or rollout:500:bank_over:20 (games after each move, strategy with which they are played)"
"""How this player is written."""


def strategy_of(text: str, game: Game | type[Game]) -> Strategy:
    """Return the player that ``rollout:...`` stands for."""
    return player_of("rollout", text, game, _made, [("games", GAMES, MOST_GAMES)], WORDS)


@cache
def _made(kind: type[Game], games: int, base: str) -> Strategy:
    """Return the player of a game, always the same one."""
    return Rollout(kind, games, base).strategy()


class Rollout(Thinker):
    """The player; `games` are played on after each move."""

    works_out_endings = False

    def __init__(self, kind: type[Game], games: int, base: str) -> None:
        self.games = games
        super().__init__(kind, base, f"rollout:{games}")

    def says(self) -> str:
        """Return how moves are found, for people."""
        return f"by playing {self.games:,} games on after each move, with {self.base}"

    def worths(self, table: Table, row: Row, choice: ChoiceState, seed: int) -> list[float]:
        """Return the mean of the games that were played on after each move."""
        rows = [table.after(row, choice.kind, move) for move in choice.moves]
        steps = [table.step(after) for after in rows]
        going_on = [after for after, step in zip(rows, steps, strict=True) if isinstance(step, ChoiceState | Roll)]
        played = iter(table.estimates(going_on, seed, self.games))
        values = [next(played) if isinstance(step, ChoiceState | Roll) else step for step in steps]
        return [value[choice.seat] for value in values]
