"""Hints: the exact chance to win of each choice, if one plays the best moves from then on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dicelab.errors import DicelabError
from dicelab.play.advice import Hints
from dicelab.play.seats import seated
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.runtime.lineup import Run

if TYPE_CHECKING:
    from dicelab.mdp.hints import Best


def hints_for(game: Game, strategies: Sequence[str]) -> Hints:
    """Hints for the one person at a table, solved when they are first asked for.

    Parameters
    ----------
    game
        With its parameters.
    strategies
        As given to ``dicelab play``.

    Returns
    -------
    callable
        Called with game, decision and seat; gives the chance to win of each move worth a thought. It raises
        `DicelabError` where there is none to be told: several people play, nobody can win, the game is too large.
    """
    solved: dict[int, Best] = {}

    def hints(table: Game, decision: Decision, seat: int) -> dict[tuple[int, ...], float]:
        if seat not in solved:
            from dicelab.mdp.hints import Best

            if sys.stderr.isatty():
                click.echo("looking for the best moves ...", err=True)
            solved[seat] = Best(_against(game, strategies), seat)
        return solved[seat].moves(table, decision)

    return hints


def _against(game: Game, strategies: Sequence[str]) -> Run:
    """The game against the strategies in the other seats; any strategy stands for the one person."""
    calls = seated(game, strategies)
    if calls.count(None) > 1:
        raise DicelabError("the chance to win is known against strategies only, not against other people")
    anyone = next(iter(game.declared.strategies))
    return Run.of(game, [anyone if call is None else str(call) for call in calls])
