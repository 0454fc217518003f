"""Payoffs: what each seat gets, if the game declares it, by its outcome or by what a tally has counted at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dicelab.rules.game import Game, outcome_names, seat_count, seats_first
from dicelab.rules.params import value_of


def has_payoffs(game: Game) -> bool:
    """Return whether the game says what each seat gets; a draw between seats is shared unless it says otherwise."""
    return game.payoffs is not None or seats_first(type(game))


def payoffs_of(game: Game) -> tuple[tuple[float, ...], ...] | None:
    """Return what each seat gets by each outcome, (outcomes, seats); None if the game doesn't declare it."""
    if not has_payoffs(game) or payoff_tallies(game) is not None:
        return None
    seats, named = seat_count(game), list(outcome_names(game))
    declared = game.payoffs if isinstance(game.payoffs, Mapping) else {}
    rows: list[tuple[float, ...]] = []
    if seats_first(type(game)):
        wins, loses = declared.get((game.outcomes or ())[0], (1, 0))
        win, lose = float(value_of(wins, game)), float(value_of(loses, game))
        rows = [tuple(win if seat == winner else lose for seat in range(seats)) for winner in range(seats)]
    for name in named[len(rows) :]:
        given = declared.get(name, 1 / seats)
        each: Sequence[Any] = given if isinstance(given, tuple | list) else [given] * seats
        rows.append(tuple(float(value_of(x, game)) for x in each))
    return tuple(rows)


def payoff_tallies(game: Game) -> tuple[int, ...] | None:
    """For each seat the number of the tally that it plays for; None if the game doesn't declare them."""
    if game.payoffs is None or isinstance(game.payoffs, Mapping):
        return None
    names = list(game.declared.tallies)
    return tuple(names.index(tally.name) for tally in game.payoffs[: seat_count(game)])
