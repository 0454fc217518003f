"""A player for every game: it tries each move out, and makes the one after which games went best.

Before each of its choices it plays the game on many times after each allowed move, with a given strategy in all seats,
on the same dice after each move. By the policy improvement of dynamic programming it plays no worse than that strategy
where the games are many (G. Tesauro and G. Galperin, *On-line policy improvement using Monte-Carlo search*, Advances in
Neural Information Processing Systems 9, 1996).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import fsum
from types import FunctionType
from typing import Any, cast

import numpy as np

from dicelab.engines.playouts import Playouts, Records
from dicelab.errors import ParameterError, RulesError
from dicelab.questions.policies.objective import default_objective
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, Strategy, counted, outcome_names, seat_count, twin
from dicelab.rules.mixtures import LUCK
from dicelab.rules.params import whole_number
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.rules.private import private_fields
from dicelab.runtime.interpreter import asked, outcome_of
from dicelab.runtime.strategies import parse_call
from dicelab.solver.enumeration.model import moves_at

GAMES = 200
"""Games that are played on after each move, unless another number is given."""
MOST_GAMES = 1_000_000
"""Limit of this number."""
MOST_MOVES = 500
"""Limit of the moves that are tried out at once."""
WORDS = "rollout, rollout:500, or rollout:500:bank_over:20 (games after each move, strategy with which they are played)"
"""How this player is written."""
Worth = Callable[[Records, int], Any]
"""Returns what records are worth for a seat."""


def strategy_of(text: str, game: Game | type[Game]) -> Strategy:
    """Return the player that ``rollout:...`` stands for.

    Raises
    ------
    InputError
    """
    first, _, rest = text.partition(":")
    games = whole_number(first.removeprefix("games=")) if first else GAMES
    if games is None or not 1 <= games <= MOST_GAMES:
        raise ParameterError(f"rollout:{text}: {first!r} is not a number of games; write {WORDS}")
    made = _made(cast(Any, game if isinstance(game, type) else type(game)), games, rest)
    made.moves.must_be_for(game, text)
    return made


@cache
def _made(kind: type[Game], games: int, base: str) -> Strategy:
    """Return the player of a game, always the same one."""
    player = Rollout(kind, games, base)

    def best_move(table: Game) -> int | tuple[int, ...]:
        move = player.move(table)
        return move[0] if len(move) == 1 else move

    best_move.__doc__ = f"Plays {games:,} games on after each move, with {player.base}."
    return Strategy(player.name, cast(FunctionType, best_move), kind, moves=player)


class Rollout:
    """The player; it stands in the place of a policy.

    Parameters
    ----------
    kind
        The game, of any parameters.
    games
        Games that are played on after each move.
    base
        The strategy with which they are played, in all seats; empty for the first one that the game declares.

    Raises
    ------
    ParameterError
        When the game hides something from its seats, or nothing says what it is played for.
    """

    on_demand = True

    def __init__(self, kind: type[Game], games: int, base: str) -> None:
        if not kind.declared.strategies and not base:
            raise ParameterError(f"rollout needs a strategy to play games on with, and {kind.name} declares none")
        self.kind, self.games = kind, games
        self.base = base or next(iter(kind.declared.strategies))
        self.call = parse_call(kind, self.base)
        if self.call.strategy.mixes or self.call.strategy.moves is not None:
            raise ParameterError(f"rollout can't play games on with {self.base}; give a strategy of the game")
        self.name = f"rollout:{games}" + (f":{base}" if base else "")
        self.about = {"solved": f"by playing {games:,} games on after each move, with {self.base}"}
        self._known: dict[tuple[tuple[str, int], ...], tuple[Playouts, Worth]] = {}

    def must_be_for(self, game: Game | type[Game], path: object) -> None:
        """Refuse a game in which seats don't see everything, or which says nothing about what it is played for.

        Raises
        ------
        ParameterError
        """
        if not isinstance(game, type):
            self._for(game)

    def _for(self, game: Game) -> tuple[Playouts, Worth]:
        """Return who plays games on, and what they are worth, with the parameters of a game."""
        key = tuple(sorted(game.parameters.items()))
        if key not in self._known:
            if private_fields(game):
                raise ParameterError(
                    f"rollout sees everything, and {game.name} hides {', '.join(private_fields(game))}"
                )
            worth = worth_of(game)
            self._known[key] = Playouts(game, [self.call] * max(1, seat_count(game))), worth
        return self._known[key]

    def move(self, table: Game) -> tuple[int, ...]:
        """Return the move to make in a game in progress.

        Raises
        ------
        RulesError
        """
        (playouts, worth), luck = self._for(table), table.__dict__.get(LUCK)
        decision, seat = asked(table, table.next())
        assert isinstance(decision, Decision)
        moves = [move for move in moves_at(decision, table) if decision.allows(table, move)]
        if len(moves) < 2:
            return moves[0]
        if len(moves) > MOST_MOVES:
            raise RulesError(f"rollout tries at most {MOST_MOVES} moves out, and {len(moves):,} are allowed")
        if luck is None:
            raise RulesError("rollout tries moves out, which only games of a seed allow: simulate, compare, rate, play")
        worths = self._worths(playouts, worth, table, decision, moves, seat, luck)
        return moves[worths.index(max(worths))]

    def _worths(
        self,
        playouts: Playouts,
        worth: Worth,
        table: Game,
        decision: Decision,
        moves: Sequence[tuple[int, ...]],
        seat: int,
        luck: Any,
    ) -> list[float]:
        """Return the mean worth of each move to the seat that chooses."""
        rows, at, found = [], [], [0.0] * len(moves)
        for i, move in enumerate(moves):
            after = twin(table)
            applied(decision.run, after, move)
            if after.next() == OVER:
                record = [[[outcome_of(after), *counted(after).values()]]]
                found[i] = float(worth(np.array(record, np.int64), seat).mean())
            else:
                rows.append(playouts.row(after))
                at.append(i)
        if rows:
            played = playouts.play(rows, luck.seed_of_thoughts(), self.games)
            for i, each in zip(at, worth(played, seat).tolist(), strict=True):
                found[i] = fsum(each) / self.games  # rounded once, so that it is the same on every machine
        return found


def worth_of(game: Game) -> Worth:
    """Return what the end of a game is worth to a seat: its payoff, that it has won, or what the game is played for.

    Raises
    ------
    ParameterError
        When nothing says it.
    """
    paid, tallies, names = payoffs_of(game), payoff_tallies(game), list(game.declared.tallies)
    if tallies is not None:
        return lambda records, seat: records[..., 1 + tallies[seat]]
    if paid is not None:
        by_outcome = np.array(paid)
        return lambda records, seat: by_outcome[records[..., 0], seat]
    if game.outcomes is None and outcome_names(game):
        return lambda records, seat: records[..., 0] == seat
    objective = default_objective(game) or ""
    kind, _, tally = objective.partition(":")
    if kind in ("most", "fewest") and tally in names:
        at, sign = 1 + names.index(tally), 1 if kind == "most" else -1
        return lambda records, seat: sign * records[..., at]
    wanted, avoided = objective.removeprefix("avoid:"), objective.startswith("avoid:")
    if wanted in outcome_names(game):
        number = outcome_names(game).index(wanted)
        return lambda records, seat: (records[..., 0] == number) != avoided
    raise ParameterError(
        f"rollout doesn't know what {game.name} is played for; declare payoffs or Words(objective=...)"
    )
