"""What the text of an objective says. It is read here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dicelab.rules.game import Game, outcome_names, seat_count, seats_first
from dicelab.rules.params import value_of

OF_OUTCOMES, OF_TALLIES = ("win", "outcome", "avoid"), ("most", "fewest")


@dataclass(frozen=True)
class Wanted:
    """An objective, taken apart; whether a game has such an outcome or tally is another question.

    Attributes
    ----------
    kind
        ``win``, ``payoff``, ``outcome``, ``avoid``, ``most``, ``fewest`` or ``atleast``; empty for none.
    name
        The outcome or the tally; otherwise the same as `kind`.
    least
        The amount of ``atleast``.

    Examples
    --------
    >>> wanted("most:score"), wanted("lose").kind
    (Wanted(kind='most', name='score', least=''), 'outcome')
    """

    kind: str
    name: str
    least: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is the most or the fewest of a tally."""
        return self.kind in OF_TALLIES

    @property
    def tally(self) -> str:
        """The tally to maximise or minimise; empty for none."""
        return self.name if self.counts else ""

    @property
    def is_chance(self) -> bool:
        """Whether its values are probabilities, and not amounts."""
        return self.kind in (*OF_OUTCOMES, "atleast")

    @property
    def sign(self) -> int:
        """1 if what it names is maximised, -1 if it is minimised."""
        return -1 if self.kind in ("fewest", "avoid") else 1


def wanted(text: str | None) -> Wanted:
    """Return what an objective says: ``win``, an outcome, ``avoid:OUTCOME``, ``most:TALLY``, ``atleast:TALLY:N``.

    >>> wanted("atleast:score:200"), wanted("avoid:1").is_chance, wanted(None).kind
    (Wanted(kind='atleast', name='score', least='200'), True, '')
    """
    kind, colon, name = (text or "").partition(":")
    if kind == "atleast" and colon:
        return Wanted(kind, *name.rpartition(":")[::2])
    if kind in ("avoid", *OF_TALLIES) and name:
        return Wanted(kind, name)
    return Wanted(kind if kind in ("win", "payoff", "") else "outcome", text or "")


# Payoffs --------------------------------------------------------------------------------------------------------------
#
# What each seat gets, if the game declares it: by its outcome, or what a tally has counted at the end.


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
