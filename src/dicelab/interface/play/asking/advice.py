"""Lines that show the chance to win after each choice, or the amount to expect."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dicelab.errors import DicelabError
from dicelab.interface.play.asking.table_commands import keys
from dicelab.interface.play.screen.text import indented
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.rules.wording import move_words

Chances = dict[tuple[int, ...], float]
"""For each move that is allowed now, the chance of the seat to win after it."""


class Amounts(NamedTuple):
    """For each move that is allowed now, how much is to be expected, and `what`; `sign` is -1 if less is better."""

    after: Chances
    sign: int
    what: str


class MixedAdvice(NamedTuple):
    """For each move that is allowed now, what it is worth, and how often mixed strategies make it; `what` is a chance
    to win, or an amount if `amounts`.
    """

    after: Chances
    shares: Chances
    what: str
    amounts: bool


Hints = Callable[[Game, Decision, int], Chances | Amounts | MixedAdvice]
"""Returns what the moves that are allowed now are worth to the seat."""
Advice = Callable[[Game, Decision, int], list[str]]

MOST_HINTS = 12
TIED = 1e-9
"""Moves whose values differ by no more, which may be rounding, are both the best."""
NOTHING = 1e-6
"""What a move of mixed strategies may lose to rounding and still be one of the best."""


class NotYet(DicelabError):
    """Hints are not known yet; the message says how long it will take."""


def adviser(hints: Hints, once: bool) -> Advice:
    """Return a function that returns the hints as lines; after an error its message, and if `once`, no lines after
    that.
    """
    failed = False

    def advice(game: Game, decision: Decision, seat: int) -> list[str]:
        nonlocal failed
        if failed and once:
            return []
        try:
            hinted = hints(game, decision, seat)
            if isinstance(hinted, MixedAdvice):
                lines = hint_lines(decision, hinted.after, 1, game, hinted.amounts, hinted.shares)
                return [*indented(f"{hinted.what}, what the move loses, and how often to make it:"), *lines]
            if not isinstance(hinted, Amounts):
                return ["  chance to win:", *hint_lines(decision, hinted, game=game)]
            return [*indented(f"{hinted.what}:"), *hint_lines(decision, hinted.after, hinted.sign, game, True)]
        except NotYet as error:
            return indented(f"no hints yet: {error}")
        except DicelabError as error:
            failed = True
            return indented(f"no hints: {error}")

    return advice


def news_of(hints: Hints | None) -> Callable[[int], str]:
    """Return what says to a seat that hints have become known; they are silent if they never take long."""
    known: Callable[[int], str] = getattr(hints, "news", lambda seat: "")
    return known


def _shown(value: float, amounts: bool) -> str:
    """Return a chance with four decimal places; an amount with a tenth, if it is 10 or more."""
    return f"{value:,.1f}" if amounts and abs(value) >= 10 else f"{value:.4f}"


def hint_lines(
    decision: Decision,
    worth: Chances,
    sign: int = 1,
    game: Game | None = None,
    amounts: bool = False,
    shares: Chances | None = None,
) -> list[str]:
    """Return a line per choice with what it is worth, the best one marked; only the best ones if there are many.

    `sign` is -1 where the least is best; the words are those of the `game`, if it is given; values are `amounts` or
    chances. With the `shares` of mixed strategies, a line also says what a move loses, and how often it is made.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> hint_lines(TossUp.roll_or_bank, {(0,): 0.5, (1,): 0.6123})
    ['  r  roll  0.5000', '  b  bank  0.6123  best']
    """
    kind, alone = decision.kinds[0], len(decision.kinds) == 1
    letters = {value: f"{key}  " for key, (_, value) in keys(kind).items()} if isinstance(kind, type) and alone else {}
    moves = list(worth) if len(worth) <= MOST_HINTS else sorted(worth, key=lambda m: -sign * worth[m])[:MOST_HINTS]
    named = {move: decision.describe(move, 1) if game is None else move_words(game, decision, move) for move in moves}
    wide = max(map(len, named.values()), default=0)
    best = max((sign * value for value in worth.values()), default=0.0)
    lines = []
    for move in moves:
        words = named[move].ljust(wide)
        loss = best - sign * worth[move]
        mark = "  best" if loss <= TIED or (shares and loss < NOTHING) else ""
        if shares is not None:
            mark = f"{mark or f'  -{_shown(loss, amounts)}':9}  {shares[move]:6.1%}"
        lines.append(f"  {letters.get(move[0], '')}{words}  {_shown(worth[move], amounts)}{mark}")
    return [*lines, f"  the best {len(moves)} of {len(worth)}"] if len(moves) < len(worth) else lines
