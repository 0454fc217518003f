"""The questions about optimal play; what answers them needs NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dicelab.questions.declare import question
from dicelab.questions.options import Fields, GameLike, Number, Objective, Seed, Situation, Whole, WordsWatched
from dicelab.runtime.lineup import Run

if TYPE_CHECKING:
    from dicelab.questions.heuristics.best import BestPlay

SHORT_SEARCH = "8"
"""Seconds for which a page of the lab looks for a rule of thumb."""


@question(
    about="how should I play?",
    chart="best",
    drawn=lambda result: result.view is not None or len(result.families) > 1 or len(result.bets) > 1,
    tab="How to play",
    needs="choices",
    settings=("at",),
    typed=lambda texts: {**texts, "seconds": SHORT_SEARCH},
    working="Solving the game, then looking for a rule to remember. The solution is kept for the next time.",
)
def best(
    game: GameLike,
    *,
    objective: Objective = None,
    at: Annotated[
        Situation | None, Fields("The move in a situation, such as points=12; as for dicelab policy", "NAME=N")
    ] = None,
    leaves: Annotated[int, Whole("Maximum number of moves in the rule of thumb", "N", label="moves of the rule")] = 3,
    seconds: Annotated[float, Number("Time for which a rule is looked for", "S", least=0)] = 20,
    games: Annotated[
        int, Whole("Games of each argument of a strategy that is simulated", "N", ("--games", "-n"))
    ] = 20_000,
    seed: Annotated[int | None, Seed("Seed of the dice", "N")] = 1,
    progress: WordsWatched = lambda words: None,
    **parameters: object,
) -> BestPlay:
    """Answer how a game should be played, with a rule of thumb, the best of its strategies, and where the move changes.

    The game is solved first, in at most 15 minutes and half of the machine's memory, and the solution is kept for the
    next time (dicelab solutions). A game that can't be solved is answered by its strategies, simulated; a game of money
    by the bets that cost least.

    Commands
    --------
    dicelab best tossup --target 50
    dicelab best tossup --target 50 --at points=12 --at scores=20,30 --at player=0
    dicelab best tossup --target 20 --leaves 4 --seconds 60 --plot best.svg
    dicelab best ./pig.py

    Parameters
    ----------
    objective
        As in `dicelab.solve`; by default the payoff, to win, or the score, as the game declares.
    seconds
        Time for which a rule is looked for; the best rule by then is shown.
    at
        Values of fields by name, as in `dicelab.advice`: a situation; only its moves are then answered.

    Raises
    ------
    InputError
        When something given is unknown or not allowed.
    PlayError

    Examples
    --------
    >>> print(best("lcr").summary)
    There is nothing to decide in lcr: the dice play it.
    """
    from dicelab.questions.heuristics.best import best_play

    return best_play(Run.of(game, **parameters).game, objective, leaves, seconds, at, games, seed, progress)
