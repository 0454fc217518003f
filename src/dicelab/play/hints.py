"""Hints: the exact chance to win after each choice, with optimal play from then on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dicelab.errors import DicelabError
from dicelab.play.advice import Hints
from dicelab.play.screen.seats import seated
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.rules.private import must_be_open
from dicelab.runtime.lineup import Run

if TYPE_CHECKING:
    from dicelab.mdp.hints import Best


def hints_for(game: Game, strategies: Sequence[str]) -> Hints:
    """Hints for the one person at a table; the game is solved at the first choice.

    Parameters
    ----------
    game
        With its parameters.
    strategies
        As given to ``dicelab play``.

    Returns
    -------
    callable
        Called with game, decision and seat; returns the chance to win after each sensible move. It raises
        `DicelabError` if several people play, nobody can win, or the game is too large.
    """
    solved: dict[int, Best] = {}

    def hints(table: Game, decision: Decision, seat: int) -> dict[tuple[int, ...], float]:
        if seat not in solved:
            must_be_open(game, "hints")
            from dicelab.mdp.hints import Best

            if sys.stderr.isatty():
                click.echo("looking for the best moves ...", err=True)
            solved[seat] = Best(_against(game, strategies), seat)
        return solved[seat].moves(table, decision)

    return hints


def _against(game: Game, strategies: Sequence[str]) -> Run:
    """The game with its strategies; an arbitrary strategy is in the seat of the person, whose moves are optimised."""
    calls = seated(game, strategies)
    if calls.count(None) > 1:
        raise DicelabError("the chance to win is known against strategies only, not against other people")
    anyone = next(iter(game.declared.strategies))
    return Run.of(game, [anyone if call is None else call for call in calls])
