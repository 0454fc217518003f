"""The strategy or person of each seat, and the names shown for seats."""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.errors import ParameterError
from dicelab.rules.game import Game, player_names, seat_count
from dicelab.rules.words import player_name
from dicelab.runtime.lineup import Call
from dicelab.runtime.strategies import parse_call

PERSON = ("me", "person")
"""Words in place of a strategy for a seat that a person plays."""


def seated(game: Game, texts: Sequence[str]) -> list[Call | None]:
    """Return the strategy of each seat, None for a person; an empty list for a game without choices.

    Raises
    ------
    InputError
        When a strategy, or the number of strategies, is not allowed.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> [str(call) for call in seated(TossUp(), ["me", "bank_over:30"])]
    ['None', 'bank_over:30']
    """
    if not game.declared.decisions:
        if texts:
            raise ParameterError(f"{game.name} has no choices, so it takes no strategy; leave {texts[0]!r} out")
        return []
    seats, known = seat_count(game), list(game.declared.strategies)
    if not texts and seats > 1 and not known:
        people = " ".join(["--strategy me"] * seats)
        raise ParameterError(f"{game.name} declares no strategy to play against; people in all seats: {people}")
    texts = texts or ["me", *known[:1] * (seats - 1)]
    if len(texts) not in (1, seats):
        wanted = f"{seats} seats: give one strategy for all or one for each" if seats > 1 else "1 seat: give 1 strategy"
        raise ParameterError(f"{game.name} has {wanted}, not {len(texts)}; me is a seat that a person plays")
    calls = [None if text in PERSON else parse_call(game, text) for text in texts]
    return calls if len(calls) == seats else calls * seats


def seat_names(game: Game, calls: Sequence[Call | None]) -> list[str]:
    """Return the name shown for each seat; seats are counted from 1.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> seat_names(TossUp(), seated(TossUp(), ["me", "one_roll"])), seat_names(TossUp(), [None, None])
    (['you', 'player 2 (one_roll)'], ['player 1', 'player 2'])
    """
    names = [player_name(seat, player_names(game)) for seat in range(seat_count(game))]
    for seat, call in enumerate(calls):
        if call is not None:
            names[seat] += f" ({call})"
        elif calls.count(None) == 1:
            names[seat] = "you"
    return names
