"""Lines that show the chance to win after each choice."""

from __future__ import annotations

from collections.abc import Callable

from dicelab.errors import DicelabError
from dicelab.play.answers import keys
from dicelab.play.screen.text import indented
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game

Hints = Callable[[Game, Decision, int], dict[tuple[int, ...], float]]
"""Returns, for each move that is allowed now, the chance of the seat to win after it."""
Advice = Callable[[Game, Decision, int], list[str]]

MOST_HINTS = 12


def adviser(hints: Hints | None) -> Advice:
    """A function that returns the hints as lines; after an error, its message once, and then no lines."""

    def advice(game: Game, decision: Decision, seat: int) -> list[str]:
        nonlocal hints
        if hints is None:
            return []
        try:
            return hint_lines(decision, hints(game, decision, seat))
        except DicelabError as error:
            hints = None
            return indented(f"no hints: {error}")

    return advice


def hint_lines(decision: Decision, chances: dict[tuple[int, ...], float]) -> list[str]:
    """A line per choice with the chance to win, the best one marked; only the best ones if there are many.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> hint_lines(TossUp.roll_or_bank, {(0,): 0.5, (1,): 0.6123})
    ['  r  roll  0.5000', '  b  bank  0.6123  best']
    """
    kind, alone = decision.kinds[0], len(decision.kinds) == 1
    letters = {value: f"{key}  " for key, (_, value) in keys(kind).items()} if isinstance(kind, type) and alone else {}
    moves = list(chances) if len(chances) <= MOST_HINTS else sorted(chances, key=lambda m: -chances[m])[:MOST_HINTS]
    wide = max((len(decision.describe(move)) for move in moves), default=0)
    best = max(chances.values(), default=0.0)
    lines = []
    for move in moves:
        words = decision.describe(move).ljust(wide)
        mark = "  best" if chances[move] == best else ""
        lines.append(f"  {letters.get(move[0], '')}{words}  {chances[move]:.4f}{mark}")
    return [*lines, f"  the best {len(moves)} of {len(chances)}"] if len(moves) < len(chances) else lines
