"""Hints in games that are not solved: estimates, with their error as far as it is known; exact near the end."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, fsum, inf, sqrt
from time import perf_counter
from typing import NamedTuple

import numpy as np

from dicelab.engines.playouts import Playouts
from dicelab.errors import DicelabError
from dicelab.interface.play.asking.advice import Amounts, Chances
from dicelab.questions.policies.objective import default_objective
from dicelab.questions.policies.thinking.ahead import ChoiceState, Roll, Row, SearchTable, ending, unseen_fields
from dicelab.questions.policies.thinking.players import MOST_MOVES, Rollout, Thinker
from dicelab.questions.policies.thinking.search import Search
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, seat_count
from dicelab.rules.mixtures import LUCK
from dicelab.rules.objectives import wanted
from dicelab.rules.payoffs import has_payoffs
from dicelab.rules.together import opens_again
from dicelab.rules.wording import called
from dicelab.runtime.philox import seed_of_thoughts

GAMES, PORTION = 1000, 20
"""Games that are played on after each move; and those after which a limit of time is looked at."""
CHANCE_TO_WIN = "chance to win"
SEED = seed_of_thoughts(0, 2**63, 0)
"""Of these games: one that nobody gives a game by chance."""


class EstimatedHints:
    """What each move is worth, by games that a strategy of the game plays on, or by a file of learned values; exactly,
    if all make the best moves, where little is left until all ends (`dicelab.questions.policies.thinking.ahead`).

    Parameters
    ----------
    game
        The game with its parameters.
    file
        The file; None for the strategy that the game declares first.
    base
        The strategy that plays games on, as it is typed; empty for the one that the game declares first.
    near
        Limit of the moves and outcomes of rolls that are followed to all ends for exact values; None for
        `LIMITS.ending_edges`.
    seconds
        Limit of the time after which no more games are played on, of at least `PORTION`.

    Raises
    ------
    InputError
        When the file is not one of this game, the game hides something from its seats or declares no strategy, or
        nothing says what it is played for.
    """

    def __init__(
        self, game: Game, file: str | None, near: int | None = None, base: str = "", seconds: float = inf
    ) -> None:
        kind, self.near, self.seconds = type(game), near, seconds
        self.player: Thinker = Rollout(kind, GAMES, base) if file is None else Search(kind, 1, 0, file)
        if file is None:
            self.player.knows_hands = opens_again(game)
        self.player.must_be_for(game, file or "")
        self.file = file

    def __call__(self, game: Game, decision: Decision, seat: int) -> Amounts:
        """Return what each move is worth to a seat."""
        table = self.player.table(game)
        row = table.row(game)
        choice = table.step(row)
        assert isinstance(choice, ChoiceState)
        if len(choice.moves) > MOST_MOVES:
            raise DicelabError(f"{len(choice.moves):,} moves are allowed, too many to estimate what each is worth")
        sign, what = (1, CHANCE_TO_WIN) if self.player.wins else played_for(game)
        hides = bool(unseen_fields(game))
        known = None if hides else ending(table, row, self.near)
        if known is not None:
            exact = [known[table.key(table.after(row, choice.kind, move))][choice.seat] for move in choice.moves]
            worth_of = {move: sign * worth for move, worth in zip(choice.moves, exact, strict=True)}
            return Amounts(worth_of, sign, f"{what}, exactly, since all ends of the game are near")
        if isinstance(self.player, Search):
            worths = self.player.worths_unseen(table, row, choice) if hides else None
            worths = worths or self.player.worths(table, row, choice, SEED)
            worth_of = {move: sign * worth for move, worth in zip(choice.moves, worths, strict=True)}
            unseen = "; what others have chosen now is taken to be their best move half of the time, else any move"
            says = f"{what}, as {self.file} estimates it (nothing bounds its error){unseen if hides else ''}"
            return Amounts(worth_of, sign, says)
        hands = [(row, 1.0)]
        if hides:
            hands = [(table.row(hand), weight) for hand, weight in self.player.hands(game, seat, game.__dict__[LUCK])]
        tried = played_on(table, hands, self.seconds)
        unseen = (
            "; what others have chosen now is taken to be the same half of the time, else any move" if hides else ""
        )
        return Amounts(
            {move: sign * worth for move, worth in tried.worths.items()},
            sign,
            f"{what}, estimated to ± {tried.error:.2g} by {tried.games:,} games after each move in which all players "
            f"follow {self.player.call}{unseen}",
        )


class Tried(NamedTuple):
    """What each move was worth in games that were played on after it; the largest half-width of its 95 % intervals; and
    the games after each move.
    """

    worths: Chances
    error: float
    games: int


def played_on(table: SearchTable, hands: Sequence[tuple[Row, float]], seconds: float = inf) -> Tried:
    """Play games on after each move that is allowed, on the same dice after each, and return what they were worth to
    the seat that chooses: `GAMES` of them, or fewer if the `seconds` are over.

    Parameters
    ----------
    table
        What is known of the game.
    hands
        The states that are possible for that seat, which differ in what it doesn't see, with their weights; games are
        divided among them by these.
    """
    choice, weights = table.step(hands[0][0]), [weight for _, weight in hands]
    assert isinstance(choice, ChoiceState)
    if any(table.step(row) != choice for row, _ in hands):
        raise DicelabError("which moves are allowed depends on what the seat doesn't see")
    after = [[table.after(row, choice.kind, move) for move in choice.moves] for row, _ in hands]
    worths = [np.zeros((len(choice.moves), 0)) for _ in hands]
    playouts, games = table.playouts, 0  # compiled before the clock starts
    until = perf_counter() + seconds
    while games < GAMES and (not games or perf_counter() < until):
        games = GAMES if seconds == inf else min(GAMES, games + PORTION)
        for place, rows in enumerate(after):
            first, last = worths[place].shape[1], max(1, ceil(games * weights[place]))
            more = _worths(table, playouts, rows, choice.seat, range(first, last))
            worths[place] = np.concatenate([worths[place], more], axis=1)
    means, spreads = Chances(), list[float]()
    for place, move in enumerate(choice.moves):
        each = [(weight, part[place]) for weight, part in zip(weights, worths, strict=True)]
        means[move] = fsum(weight * float(np.cumsum(part)[-1]) / len(part) for weight, part in each)
        squares = fsum(weight * float(np.cumsum((part - means[move]) ** 2)[-1]) / len(part) for weight, part in each)
        spreads.append(sqrt(squares))
    return Tried(means, 1.96 * max(spreads) / sqrt(games), games)


def _worths(table: SearchTable, playouts: Playouts, rows: list[Row], seat: int, games: range) -> np.ndarray:
    """Return what games that are played on from states are worth to a seat: an array (states, games)."""
    worths = np.zeros((len(rows), len(games)))
    going_on = list[int]()
    for place, step in enumerate(map(table.step, rows)):
        if isinstance(step, ChoiceState | Roll):
            going_on.append(place)
        else:
            worths[place] = step[seat]
    if going_on and games:
        records = playouts.play([rows[place] for place in going_on], SEED, len(games), games.start)
        worths[going_on] = table.worth(records, seat)
    return worths


def played_for(game: Game) -> tuple[int, str]:
    """Return -1 where the least is best, else 1; and what the end of a game is worth, in words."""
    aim = wanted(default_objective(game))
    if seat_count(game) < 2 and aim.counts:
        return aim.sign, f"expected final {called(game, aim.name)}"
    if not has_payoffs(game):
        return 1, CHANCE_TO_WIN
    return 1, f"{CHANCE_TO_WIN}, draws shared" if game.payoffs is None else "payoff"
