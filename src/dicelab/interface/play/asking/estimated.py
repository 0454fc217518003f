"""Hints in games that are not solved: estimates, with their error as far as it is known; exact near the end."""

from __future__ import annotations

from math import fsum

from dicelab.errors import DicelabError
from dicelab.interface.play.asking.advice import Amounts
from dicelab.questions.policies.ahead import ChoiceState, Table, unseen_fields
from dicelab.questions.policies.ending import MOST_EDGES, ending
from dicelab.questions.policies.objective import default_objective
from dicelab.questions.policies.rollout import Rollout
from dicelab.questions.policies.search import Search
from dicelab.questions.policies.thinking import MOST_MOVES, Thinker
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, seat_count
from dicelab.rules.mixtures import LUCK
from dicelab.rules.objectives import has_payoffs, wanted
from dicelab.rules.together import opens_again
from dicelab.rules.wording import called
from dicelab.runtime.philox import seed_of_thoughts

GAMES = 1000
"""Games that are played on after each move."""
CHANCE_TO_WIN = "chance to win"
SEED = seed_of_thoughts(0, 2**63, 0)
"""Of these games: one that nobody gives a game by chance."""


class EstimatedHints:
    """What each move is worth, by games that a strategy of the game plays on, or by a file of learned values; exactly,
    if all make the best moves, where little is left until all ends (`dicelab.questions.policies.ending`).

    Parameters
    ----------
    game
        The game with its parameters.
    file
        The file; None for the strategy that the game declares first.
    base
        The strategy that plays games on, as it is typed; empty for the one that the game declares first.
    near
        Limit of the moves and outcomes of rolls that are followed to all ends for exact values.

    Raises
    ------
    InputError
        When the file is not one of this game, the game hides something from its seats or declares no strategy, or
        nothing says what it is played for.
    """

    def __init__(self, game: Game, file: str | None, near: int = MOST_EDGES, base: str = "") -> None:
        kind, self.near = type(game), near
        self.player: Thinker = Rollout(kind, GAMES, base) if file is None else Search(kind, 1, 0, file)
        self.player.knows_hands = file is None and opens_again(game)
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
        if unseen_fields(game):
            return self._unseen(game, table, seat, sign, what)
        known = ending(table, row, self.near)
        if known is not None:
            exact = [known[table.key(table.after(row, choice.kind, move))][choice.seat] for move in choice.moves]
            found = {move: sign * worth for move, worth in zip(choice.moves, exact, strict=True)}
            return Amounts(found, sign, f"{what}, exactly, since all ends of the game are near")
        worths = self.player.worths(table, row, choice, SEED)
        found = {move: sign * worth for move, worth in zip(choice.moves, worths, strict=True)}
        if self.file is not None:
            return Amounts(found, sign, f"{what}, as {self.file} estimates it (nothing bounds its error)")
        assert isinstance(self.player, Rollout)
        error = self.player.error(table, row, choice, SEED)
        return Amounts(
            found,
            sign,
            f"{what}, estimated to ± {error:.2g} by {GAMES:,} games after each move in which all players follow "
            f"{self.player.call}",
        )

    def _unseen(self, game: Game, table: Table, seat: int, sign: int, what: str) -> Amounts:
        """Return what each move is worth to a seat that doesn't see what others have just chosen: the mean over what
        they may have chosen, half of the time by the strategy, else at random.
        """
        assert isinstance(self.player, Rollout)
        found, error = dict[tuple[int, ...], list[float]](), 0.0
        for state, weight in self.player.hands(game, seat, game.__dict__[LUCK]):
            row = table.row(state)
            choice = table.step(row)
            assert isinstance(choice, ChoiceState)
            for move, worth in zip(choice.moves, self.player.worths(table, row, choice, SEED), strict=True):
                found.setdefault(move, []).append(weight * worth)
            error += weight * self.player.error(table, row, choice, SEED)
        return Amounts(
            {move: sign * fsum(parts) for move, parts in found.items()},
            sign,
            f"{what}, estimated to ± {error:.2g} by {GAMES:,} games after each move in which all players follow "
            f"{self.player.call}; what others have chosen now is taken to be the same half of the time, else any move",
        )


def played_for(game: Game) -> tuple[int, str]:
    """Return -1 where the least is best, else 1; and what the end of a game is worth, in words."""
    aim = wanted(default_objective(game))
    if seat_count(game) < 2 and aim.counts:
        return aim.sign, f"expected final {called(game, aim.name)}"
    return 1, "payoff" if has_payoffs(game) else CHANCE_TO_WIN
