"""Hints while playing: the exact chance to win of each choice, if one plays the best moves from then on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import click

from dicelab.engines.plan import Run
from dicelab.errors import DicelabError
from dicelab.interfaces.play import PERSON
from dicelab.rules.game import Game, seat_count
from dicelab.rules.steps import Decision

Hints = Callable[[Game, Decision, int], dict[tuple[int, ...], float]]


def hints_for(game: Game, strategies: Sequence[str]) -> Hints:
    """Hints for the one person at a table; they are solved when first asked for.

    Parameters
    ----------
    game
        With its parameters.
    strategies
        As given to ``dicelab play``.

    Returns
    -------
    callable
        Called with game, decision and seat; gives the chance to win of each move worth a thought, and raises
        `DicelabError` where there is none to be told: several people play, the game is too large.
    """
    solved = {}

    def hints(table: Game, decision: Decision, seat: int) -> dict[tuple[int, ...], float]:
        from dicelab.chains.best import Best

        if seat not in solved:
            if sys.stderr.isatty():
                click.echo("looking for the best moves ...", err=True)
            solved[seat] = Best(_against(game, strategies, seat), seat)
        return solved[seat].moves(table, decision)

    return hints


def _against(game: Game, strategies: Sequence[str], seat: int) -> Run:
    """The game against the strategies in the other seats."""
    default = next(iter(game.declared.strategies))
    seats = seat_count(game)
    texts = list(strategies) or ["me", *[default] * (seats - 1)]
    texts = texts * seats if len(texts) == 1 else texts
    if sum(text in PERSON for text in texts) > 1:
        raise DicelabError("the chance to win is only known against strategies, not against other people")
    return Run.of(game, [default if text in PERSON else text for text in texts])
