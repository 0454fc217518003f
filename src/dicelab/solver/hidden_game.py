"""A game with hidden information, solved: round by round if it is large, each round in one of two forms.

A small round is a tree of all histories (`dicelab.solver.game_tree`), whose mixed strategies are proved in fractions
where that is possible. A large one of two opposed seats, in which all that is hidden is dealt first, is a public tree
(`dicelab.solver.public_tree`), in which histories hold arrays over hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dicelab.errors import TooLarge
from dicelab.rules.game import Game
from dicelab.solver import game_tree, public_tree
from dicelab.solver.enumeration.model import as_size, limit_of
from dicelab.solver.game_tree import (
    GameTree,
    GeneralTree,
    Knowledge,
    Plans,
    Side,
    histories_of,
    history_count,
    too_many,
)
from dicelab.solver.hidden_rounds import Round, Worth, rounds, valued
from dicelab.solver.hidden_states import MOST_HISTORIES, Numbers, Places, States, all_states
from dicelab.solver.mixed import Averages, Mixed, by_public_regrets, equilibrium_of
from dicelab.solver.public_tree import PublicTree

AT_ONCE, LISTED = 2_000_000, 2_000_000
"""Histories of a game that is solved as a whole, even if it has several rounds, and of a round that is solved as a tree
of all histories, even if it has a public tree."""
MANY, EQUAL = 1e15, 0.2
"""Time and gap are divided between rounds by their numbers of histories; larger numbers count as `MANY`. The share
`EQUAL` is divided equally."""
BYTES = 8
"""Bytes for each number of a public tree: its regret and its average."""
MOST_NUMBERS = 2_000_000_000
"""Numbers of a public tree that are gone through in a minute or less."""


Tree = GameTree | GeneralTree | PublicTree
Part = tuple[Tree, Mixed]
Whole = tuple[tuple[Side, ...], Plans, tuple[Places, ...] | None]


@dataclass(frozen=True)
class Solved:
    """Mixed strategies of all seats for all rounds of a game.

    Attributes
    ----------
    parts
        Each round and its strategies; the last one begins the game, and says what they all secure.
    states, length
        The number of all states, and no less than the number of rolls and choices in the longest game.
    """

    parts: tuple[Part, ...]
    states: int
    length: int

    @property
    def mixed(self) -> Mixed:
        """The strategies of the round that begins the game, with what those of all rounds secure."""
        return self.parts[-1][1]

    @property
    def histories(self) -> int:
        """The number of histories of all rounds."""
        return sum(tree.histories for tree, _ in self.parts)

    @property
    def situations(self) -> int:
        """The number of information sets of all seats in all rounds."""
        return sum(tree.situations for tree, _ in self.parts)

    def openings(self, seat: int) -> Iterator[tuple[Knowledge, float, Numbers]]:
        """Yield the situations in which a seat moves for the first time: each with its probability, and those of its
        moves.
        """
        tree, mixed = self.parts[-1]
        if isinstance(tree, PublicTree):
            assert isinstance(mixed.plans, np.ndarray)
            return public_tree.openings(tree, mixed.plans, seat)
        assert isinstance(mixed.plans, tuple)
        return game_tree.openings(tree, mixed.plans, seat)

    def whole(self) -> list[Whole]:
        """Return by round all information sets of all seats, the probabilities of their sequences, and the best move
        in each; None instead of the last in a public tree.

        Raises
        ------
        TooLarge
            When there are too many of them.
        """
        return [_whole(tree, mixed.plans) for tree, mixed in self.parts]


def _whole(tree: Tree, plans: Plans | Averages) -> Whole:
    if isinstance(tree, PublicTree):
        assert isinstance(plans, np.ndarray)
        return *public_tree.sides(tree, plans), None
    assert isinstance(plans, tuple)
    return tree.sides, plans, tuple(game_tree.best_moves(tree, seat, plans) for seat in range(len(plans)))


def sides_of(game: Game) -> list[tuple[Side, ...]]:
    """Return by round all information sets of all seats of a game, in the order of `Solved.whole`."""
    trees = [_tree(game, part.states) for part in _rounds(all_states(game, apart=True))]
    return [
        public_tree.sides(tree, np.zeros(tree.numbers, np.float32))[0] if isinstance(tree, PublicTree) else tree.sides
        for tree in trees
    ]


def _rounds(states: States) -> list[Round]:
    return [Round(0, states, {})] if history_count(states) <= AT_ONCE else rounds(states)


def solve_hidden(
    game: Game, gap: float, seconds: float, late: Callable[[float], bool], spent: Callable[[], float]
) -> Solved:
    """Return strategies that leave all seats together at most a gap to gain, or what is known when it is late.

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
        When it has one seat, nobody can win it, or it never ends.
    TooLarge
        When there are too many states or histories.
    PlayError
        When a rule fails.
    """
    states = all_states(game, apart=True)
    parts = _rounds(states)
    sizes = [min(history_count(part.states, MANY), MANY) for part in parts]
    for part, size in zip(parts, sizes, strict=True):
        if size > LISTED:
            _large(game, part.states)  # refused before anything is solved
    worths: dict[int, Worth] = {}
    length, found = 0, list[Part]()
    for k, part in enumerate(parts):
        now = spent()
        until = now + max(seconds - now, 0.0) * max(sizes[k] / sum(sizes[k:]), EQUAL / len(parts))
        share = gap * ((1 - EQUAL) * sizes[k] / sum(sizes) + EQUAL / len(parts))
        if k == len(parts) - 1:  # what later rounds leave of the gap
            share = max(share / 2, gap - sum(_lost(part, worths)))
        tree = _tree(game, valued(part, worths))
        if isinstance(tree, PublicTree):
            mixed = by_public_regrets(tree, share, partial(late, until))
        else:
            mixed = equilibrium_of(tree, share, until - now, partial(late, until))
        lost = _lost(part, worths)
        mixed = replace(mixed, best=tuple(best + more for best, more in zip(mixed.best, lost, strict=True)))
        worths[part.at] = Worth(mixed.values, mixed.best, mixed.fraction)
        length += tree.length
        found.append((tree, mixed))
    return Solved(tuple(found), len(states.games), length)


def _tree(game: Game, states: States) -> Tree:
    """Return a round as a tree of all histories if it is small, else as a public tree if it has one."""
    large = _large(game, states) if history_count(states) > LISTED else None
    return histories_of(game, states) if large is None else large


def _large(game: Game, states: States) -> PublicTree | None:
    """Return a large round as a public tree, if it has one.

    Raises
    ------
    TooLarge
        When it is too large, with or without one.
    """
    public = public_tree.public_tree(states) if states.opposed else None
    if public is None:
        if history_count(states) > MOST_HISTORIES:
            raise TooLarge(too_many(game))
        return None
    memory, limit = BYTES * public.numbers, _allowed()
    if public.numbers > MOST_NUMBERS or memory > limit:
        raise TooLarge(
            f"{game.name} has {public.situations:,} situations with {public.numbers:,} moves in a round, which take "
            f"{as_size(memory)}; {as_size(min(limit, BYTES * MOST_NUMBERS))} may be used"
        )
    return public


def _allowed() -> int:
    """Return the bytes that may be used: half of the memory of the machine, or what this process is limited to."""
    most = limit_of(None)
    with suppress(ImportError):  # Windows
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        return most if limit == resource.RLIM_INFINITY else min(most, limit)
    return most


def _lost(part: Round, worths: dict[int, Worth]) -> tuple[float, ...]:
    """Return by seat how much more than they were taken for the later rounds of a round may be worth to it, if it plays
    otherwise.
    """
    later = [worths[at] for at in part.later.values()]
    more = [[best - value for best, value in zip(one.best, one.values, strict=True)] for one in later]
    return tuple(max((one[seat] for one in more), default=0.0) for seat in range(part.states.seats))
