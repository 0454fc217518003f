"""A game of two seats with hidden information, solved: round by round if it is large, each round in one of two forms.

A small round is a tree of all histories (`dicelab.solver.game_tree`), whose mixed strategies are proved in fractions
where that is possible. A large one, in which all that is hidden is dealt first, is a public tree
(`dicelab.solver.public_tree`), in which histories hold arrays over hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dicelab.errors import ParameterError, TooLarge
from dicelab.rules.game import Game
from dicelab.solver import game_tree, public_tree
from dicelab.solver.enumeration.model import as_size, limit_of
from dicelab.solver.game_tree import GameTree, Knowledge, Side, histories_of, history_count, too_many
from dicelab.solver.hidden_rounds import Round, Worth, rounds, valued
from dicelab.solver.hidden_states import MOST_HISTORIES, Numbers, States, all_states
from dicelab.solver.mixed import Mixed, by_public_regrets, equilibrium_of
from dicelab.solver.public_tree import PublicTree

AT_ONCE, LISTED = 2_000_000, 2_000_000
"""Histories of a game that is solved as a whole, even if it has several rounds, and of a round that is solved as a tree of
all histories even if it has a public tree."""
BYTES = 8
"""Bytes for each number of a public tree: its regret and its average."""
MOST_NUMBERS = 2_000_000_000
"""Numbers of a public tree that are gone through in a minute or less."""


@dataclass(frozen=True)
class Solved:
    """Mixed strategies of both seats for all rounds of a game.

    Attributes
    ----------
    tree, mixed
        The first round, and its strategies; `mixed` says what they and those of all later rounds secure.
    rounds
        The number of rounds of the game, as it was solved.
    states, histories, situations, length, learned
        Sums over all rounds; `learned` of the rounds of the method.
    """

    tree: GameTree | PublicTree
    mixed: Mixed
    rounds: int
    states: int
    histories: int
    situations: int
    length: int
    learned: int

    @classmethod
    def of(cls, tree: GameTree, mixed: Mixed) -> Solved:
        """Return what is known of a game with one round."""
        return cls(tree, mixed, 1, tree.states, tree.histories, tree.situations, tree.length, mixed.rounds)

    def openings(self, seat: int) -> Iterator[tuple[Knowledge, float, Numbers]]:
        """Yield the situations in which a seat moves for the first time: each with its probability, and those of its
        moves.
        """
        if isinstance(self.tree, PublicTree):
            assert isinstance(self.mixed.plans, np.ndarray)
            return public_tree.openings(self.tree, self.mixed.plans, seat)
        assert isinstance(self.mixed.plans, tuple)
        return game_tree.openings(self.tree, self.mixed.plans, seat)

    def whole(self, game: Game) -> tuple[tuple[Side, Side], tuple[Numbers, Numbers]]:
        """Return all information sets of both seats, and the probabilities of their sequences.

        Raises
        ------
        ParameterError
            When the game has several rounds.
        TooLarge
            When there are too many of them.
        """
        if self.rounds > 1:
            raise ParameterError(
                f"{game.name} was solved in {self.rounds:,} rounds, each by itself; a policy file holds the strategies "
                "of a game that is solved as a whole"
            )
        if isinstance(self.tree, PublicTree):
            assert isinstance(self.mixed.plans, np.ndarray)
            return public_tree.sides(self.tree, self.mixed.plans)
        assert isinstance(self.mixed.plans, tuple)
        return self.tree.sides, self.mixed.plans


def sides_of(game: Game) -> tuple[Side, Side]:
    """Return all information sets of both seats of a game, in the order of `Solved.whole`."""
    states = all_states(game, apart=True)
    tree = _tree(game, states)
    if isinstance(tree, PublicTree):
        return public_tree.sides(tree, np.zeros(tree.numbers, np.float32))[0]
    return tree.sides


def solve_hidden(
    game: Game, gap: float, seconds: float, late: Callable[[float], bool], spent: Callable[[], float]
) -> Solved:
    """Return strategies that leave both seats together at most a gap to gain, or what is known when it is late.

    Parameters
    ----------
    game
        The game, with its parameters.
    gap, seconds
        When to stop.
    late
        Whether so many seconds are over, or the search is to stop; called about ten times a second.
    spent
        The seconds that are over.

    Raises
    ------
    ParameterError
        When it has not two seats with opposed interests, or never ends in some way of playing.
    TooLarge
        When there are too many states or histories.
    PlayError
        When a rule fails.
    """
    states = all_states(game, apart=True)
    parts = [Round(0, states, {})] if history_count(states) <= AT_ONCE else rounds(states)
    sizes = [min(history_count(part.states), MOST_HISTORIES) for part in parts]
    chain: dict[int, int] = {}
    for part in parts:
        chain[part.at] = 1 + max((chain[at] for at in part.later.values()), default=0)
    worths: dict[int, Worth] = {}
    histories = situations = length = learned = 0
    for k, part in enumerate(parts):
        now = spent()
        until = now + max(seconds - now, 0.0) * sizes[k] / sum(sizes[k:])
        tree = _tree(game, valued(part, worths))
        if isinstance(tree, PublicTree):
            mixed = by_public_regrets(tree, gap / chain[0], partial(late, until))
        else:
            mixed = equilibrium_of(tree, gap / chain[0], until - now, partial(late, until))
        mixed = _with_later(mixed, [worths[at] for at in part.later.values()])
        worths[part.at] = Worth(mixed.secured[0], mixed.worth, mixed.secured[1], mixed.fraction)
        histories, length, learned = histories + tree.histories, length + tree.length, learned + mixed.rounds
        situations += tree.situations
    return Solved(tree, mixed, len(parts), len(states.games), histories, situations, length, learned)


def _tree(game: Game, states: States) -> GameTree | PublicTree:
    """Return a round as a tree of all histories if it is small, else as a public tree if it has one."""
    count = history_count(states)
    public = public_tree.public_tree(states) if count > LISTED else None
    if public is None and count > MOST_HISTORIES:
        raise TooLarge(too_many(game))
    if public is None:
        return histories_of(game, states)
    memory, limit = BYTES * public.numbers, limit_of(None)
    if public.numbers > MOST_NUMBERS or memory > limit:
        raise TooLarge(
            f"{game.name} has {public.situations:,} situations with {public.numbers:,} moves in a round, which take "
            f"{as_size(memory)}; {as_size(min(limit, BYTES * MOST_NUMBERS))} may be used"
        )
    return public


def _with_later(mixed: Mixed, later: list[Worth]) -> Mixed:
    """Return strategies with what they secure, and prove, if later rounds are not worth exactly what they were taken
    for.
    """
    low = mixed.secured[0] - max((one.value - one.low for one in later), default=0.0)
    high = mixed.secured[1] + max((one.high - one.value for one in later), default=0.0)
    return replace(mixed, secured=(low, high))
