"""A game with hidden information, solved: round by round if it is large, each round in one of two forms.

A small round is a tree of all histories (`dicelab.solver.game_tree`), whose mixed strategies are proved in fractions
where that is possible. A large one of two opposed seats, in which all that is hidden is dealt first, is a public tree
(`dicelab.solver.public_tree`), in which histories hold arrays over hands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dicelab.errors import TooLarge, slow
from dicelab.limits import LIMITS
from dicelab.rules.game import Call, Game
from dicelab.solver import game_tree, public_tree
from dicelab.solver.enumeration.model import as_size, limit_of
from dicelab.solver.game_tree import (
    GameTree,
    GeneralTree,
    InformationSet,
    Plans,
    Side,
    histories_of,
    history_count,
    too_many,
)
from dicelab.solver.given_plan import averages_of, followed, in_all_histories, plans_of
from dicelab.solver.hidden_states import (
    Numbers,
    Places,
    Round,
    States,
    Worth,
    all_states,
    rounds,
    valued,
    valued_for,
)
from dicelab.solver.mixed import MixedStrategies, by_public_regrets, equilibrium_of, given, given_publicly
from dicelab.solver.public_tree import MOST_SITUATIONS, Averages, Forgetful, PublicTree, forgetful

MANY, EQUAL = 1e15, 0.2
"""Time and gap are divided between rounds by their numbers of histories; larger numbers count as `MANY`. The share
`EQUAL` is divided equally."""
BYTES = 8
"""Bytes for each number of a public tree: its regret and its average."""
SOME = 300
"""Rounds of learning on a public tree that leave a gap of about 0.01."""
ROUNDING = 1e-12
"""What may be gained in later rounds by rounding errors alone."""
MOST_NUMBERS = 2_000_000_000
"""Numbers of a public tree that are gone through in a minute or less."""


Tree = GameTree | GeneralTree | PublicTree
Part = tuple[Tree, MixedStrategies]
Whole = tuple[tuple[Side, ...], Plans, tuple[Places, ...] | None, tuple[Numbers | None, ...]]
"""A round: what each seat may do, the probabilities of its sequences, and by information set the best move (None in a
public tree), and how likely rolls and the others lead there (None in a large tree).
"""


@dataclass(frozen=True)
class Solved:
    """Mixed strategies of all seats for all rounds of a game.

    Attributes
    ----------
    parts
        Each round and its strategies; the last one begins the game, and says what they all secure.
    states, length
        The number of all states, and no less than the number of rolls and choices in the longest game.
    begins
        The first state of each round; empty if the game was not divided.
    """

    parts: tuple[Part, ...]
    states: int
    length: int
    begins: tuple[Game, ...] = ()

    @property
    def mixed(self) -> MixedStrategies:
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

    def openings(self, seat: int) -> Iterator[tuple[InformationSet, float, Numbers]]:
        """Yield the situations in which a seat moves for the first time: each with its probability, and those of its
        moves.
        """
        tree, mixed = self.parts[-1]
        if isinstance(tree, PublicTree):
            assert isinstance(mixed.plans, np.ndarray)
            return public_tree.openings(tree, mixed.plans, seat)
        assert isinstance(mixed.plans, tuple)
        return game_tree.openings(tree, mixed.plans, seat)

    def whole(self) -> list[Whole | Forgetful]:
        """Return by round all information sets of all seats, the probabilities of their sequences, the best move in
        each, and how likely they are reached, if the others make a mistake now and then; of a round that has too many,
        strategies that remember only the last choices.

        Raises
        ------
        TooLarge
            When there are too many of these, too.
        """
        return [_whole(tree, mixed.plans) for tree, mixed in self.parts]


def _whole(tree: Tree, plans: Plans | Averages) -> Whole | Forgetful:
    if isinstance(tree, PublicTree):
        assert isinstance(plans, np.ndarray)
        if tree.situations > MOST_SITUATIONS:
            return forgetful(tree, plans)
        return *public_tree.sides(tree, plans), None, (None, None)
    assert isinstance(plans, tuple)
    others = tuple(game_tree.trembling(side, plan) for side, plan in zip(tree.sides, plans, strict=True))
    best, coming = zip(*(_of_seat(tree, seat, others) for seat in range(len(plans))), strict=True)
    return tree.sides, plans, best, coming


def _of_seat(tree: GameTree | GeneralTree, seat: int, plans: Plans) -> tuple[Places, Numbers | None]:
    return game_tree.best_moves(tree, seat, plans), game_tree.coming(tree, seat, plans)


def rounds_of(game: Game) -> list[Round]:
    """Return the rounds of a game that are solved one by one, in the order of `Solved.whole`."""
    return _rounds(all_states(game, apart=True))


def _rounds(states: States) -> list[Round]:
    """Return the rounds that are solved one by one: the whole game if it is small, and may be proved in fractions."""
    small = states.opposed and history_count(states) <= LIMITS.whole_histories
    return [Round(0, states, {})] if small else rounds(states)


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
    """
    states = all_states(game, apart=True)
    parts = _rounds(states)
    sizes = [min(history_count(part.states, MANY), MANY) for part in parts]
    large = [
        _large(game, part.states) for part, size in zip(parts, sizes, strict=True) if size > LIMITS.listed_histories
    ]
    _must_not_be_hasty(sum(tree.numbers for tree in large if tree is not None), gap, seconds)

    def part_of(k: int, tree: Tree, lost: tuple[float, ...]) -> Part:
        now = spent()
        until = now + max(seconds - now, 0.0) * max(sizes[k] / sum(sizes[k:]), EQUAL / len(parts))
        share = gap * ((1 - EQUAL) * sizes[k] / sum(sizes) + EQUAL / len(parts))
        if k == len(parts) - 1:  # what later rounds leave of the gap
            share = max(share / 2, gap - sum(lost))
        if isinstance(tree, PublicTree):
            return tree, by_public_regrets(tree, share, partial(late, until))
        return tree, equilibrium_of(tree, share, until - now, partial(late, until))

    return _by_rounds(game, states, parts, part_of)


def measured(game: Game, calls: Sequence[Call], free: Collection[int] = ()) -> Solved:
    """Return the strategies of all seats in all rounds of a game, those of free seats as best responses, and what each
    could gain against them. Strategies must not remember anything, apart from saved ones.

    Raises
    ------
    ParameterError, PlayError
        As in `solve_hidden`.
    TooLarge
        Also when a saved strategy plays a round that is too large to be followed history by history.
    """
    states = all_states(game, apart=True)
    parts = _rounds(states)
    saved = any(call.strategy.memory is not None for seat, call in enumerate(calls) if seat not in free)

    def part_of(k: int, tree: Tree, lost: tuple[float, ...]) -> Part:
        if isinstance(tree, PublicTree) and saved:
            start = parts[k].states.games[0]
            with suppress(TooLarge):
                if free:  # a best response may remember more
                    return tree, given_publicly(tree, in_all_histories(tree, calls, start, free), free)
                short, averages, _ = followed(tree, calls, start)
                return short, given_publicly(short, averages)
            if history_count(tree.states) > LIMITS.histories:
                raise TooLarge(too_many(game))
            tree = histories_of(game, tree.states)
        if not isinstance(tree, PublicTree):
            return tree, given(tree, plans_of(tree, calls, free, parts[k].states.games[0]))
        return tree, given_publicly(tree, averages_of(tree, calls, free), free)

    return _by_rounds(game, states, parts, part_of, exactly=True)


def _by_rounds(
    game: Game,
    states: States,
    parts: list[Round],
    strategies: Callable[[int, Tree, tuple[float, ...]], Part],
    exactly: bool = False,
) -> Solved:
    """Return the strategies of all rounds; `strategies` gives those of one, by its number, its tree, and what later
    rounds leave each seat to gain. What a seat could get is bounded by the most that any later round leaves it to gain,
    or found `exactly`, by its best response in all rounds.
    """
    worths: dict[int, Worth] = {}
    length, solved = 0, list[Part]()
    for k, part in enumerate(parts):
        tree, lost = _tree(game, valued(part, worths)), _lost(part, worths)
        tree, mixed = strategies(k, tree, lost)
        best = tuple(best + more for best, more in zip(mixed.best, lost, strict=True))
        if exactly and max(lost) > ROUNDING:
            seats = range(states.seats)
            best = tuple(_given(game, valued_for(part, worths, seat), tree, mixed.plans).best[seat] for seat in seats)
        mixed = replace(mixed, best=best)
        worths[part.at] = Worth(mixed.values, mixed.best, mixed.fraction)
        length += tree.length
        solved.append((tree, mixed))
    return Solved(tuple(solved), len(states.games), length, tuple(part.states.games[0] for part in parts))


def _given(game: Game, states: States, tree: Tree, plans: Plans | Averages) -> MixedStrategies:
    """Return what plans on a tree secure, if its ends are worth what `states` say."""
    if isinstance(plans, tuple):
        return given(histories_of(game, states), plans)
    valued = _tree(game, states)
    assert isinstance(valued, PublicTree)
    assert isinstance(tree, PublicTree)
    return given_publicly(replace(tree, ends=valued.ends, level=valued.level, total=valued.total), plans)


def _tree(game: Game, states: States) -> Tree:
    """Return a round as a tree of all histories if it is small, else as a public tree if it has one."""
    large = _large(game, states) if history_count(states) > LIMITS.listed_histories else None
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
        if history_count(states) > LIMITS.histories:
            raise TooLarge(too_many(game))
        return None
    memory, limit = BYTES * public.numbers, _allowed()
    if public.numbers > MOST_NUMBERS or memory > limit:
        raise TooLarge(
            f"{game.name} has {public.situations:,} situations with {public.numbers:,} moves in a round, which take "
            f"{as_size(memory)}; {as_size(min(limit, BYTES * MOST_NUMBERS))} may be used"
        )
    return public


def _must_not_be_hasty(numbers: int, gap: float, seconds: float) -> None:
    """Warn before a search on public trees that it needs more seconds."""
    needed = numbers * LIMITS.public_seconds * SOME * min(1.0, 0.01 / gap)
    if needed > seconds:
        one, enough = numbers * LIMITS.public_seconds, float(f"{2 * needed:.1g}")
        slow(
            f"a round of learning goes through {numbers:,} numbers, in {one:.2g} s or more, and {SOME} rounds or so "
            f"leave a gap of 0.01; {seconds:,.0f} s are too few, {enough:,.0f} may be enough (--seconds)"
        )


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
