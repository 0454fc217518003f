"""Mixed strategies of all players of a game with hidden information, as a policy file and as a strategy.

A player is in the situation that follows from its own moves, of which it remembers one number, and from what it sees
now. Where that doesn't say all that it has seen, several situations are played as one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from types import FunctionType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dicelab.engines import policy_file
from dicelab.engines.policy import SavedPolicy, contents
from dicelab.errors import InputError, ParameterError, PlayError
from dicelab.questions.policies.situations import Laid, later_rounds, seen, situations, start_number
from dicelab.rules.actions import Decision, step_parts
from dicelab.rules.fields import Int
from dicelab.rules.game import Game, Memory, Strategy, seat_count
from dicelab.rules.mixtures import MOST_WEIGHT, Mixture
from dicelab.runtime.interpreter import asked
from dicelab.runtime.states.codec import Place, Slots, hidden_numbers, laid_out
from dicelab.solver.hidden_game import Whole, rounds_of
from dicelab.solver.hidden_states import Numbers, all_states
from dicelab.solver.shortened import Forgetful

DENOMINATORS = 1000, 1_000_000
"""Largest denominators that are tried for the probabilities of moves; others are rounded."""
COARSE = 2**16 - 1
"""The sum of weights, nearly, of strategies that remember only the last choices."""
ROUNDED = MOST_WEIGHT // 2
"""The sum of weights of probabilities that are rounded, nearly."""


@dataclass(frozen=True, repr=False)
class MixedPolicy(SavedPolicy):
    """The moves in every situation of all players, with whole weights.

    Attributes
    ----------
    game
        The game with its parameters.
    about
        What was solved, in plain data, as in `dicelab.engines.policy.Policy`.
    keys
        uint64 array (keys, 2): what the player remembers of its last option, or 0 for a first move in a round, which
        also stands for all numbers that are no key together with what is seen; and what it sees now (`seen`).
    at
        int64 array: the situation of each key.
    row
        int64 array: the options in situation k are ``row[k]`` to ``row[k + 1] - 1``.
    moves
        int64 array (options, numbers of a move).
    weight
        int64 array: the weight of each option.
    after
        int64 array: what the player remembers after each option: 1 + its number, or that of another option from which
        later ones need not be told apart.
    starts
        uint64 array (beginnings, 2): a number for a seat and the state with which a round begins; and what the seat may
        remember there, where that is not 0.

    Examples
    --------
    >>> import dicelab
    >>> poker = dicelab.find("tests/games/hidden_dice.py:dice-poker")
    >>> policy = dicelab.equilibrium(poker, gap=0.001).policy
    >>> policy.moves.shape == (len(policy.weight), 1)
    True
    """

    game: Game
    about: dict[str, Any]
    keys: NDArray[np.uint64]
    at: NDArray[np.int64]
    row: NDArray[np.int64]
    moves: NDArray[np.int64]
    weight: NDArray[np.int64]
    after: NDArray[np.int64]
    starts: NDArray[np.uint64]

    kind = policy_file.MIXED
    mixes = True

    def __repr__(self) -> str:
        return f"<MixedPolicy of {self.game!r}: {len(self.row) - 1:,} situations>"

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        keys = zip(self.keys.tolist(), self.at.tolist(), strict=True)
        return {(before, seen): k for (before, seen), k in keys}

    @cached_property
    def _starts(self) -> dict[int, int]:
        return dict(self.starts.tolist())

    def entering(self, start: Game, seat: int) -> int:
        """Return what a seat may remember where a round begins."""
        return self._starts.get(start_number(start, seat), 0)

    def options(self, game: Game, before: int) -> tuple[int, list[tuple[int, ...]], list[int]]:
        """Return the first option in a game in progress, all moves and their weights; `before` is the memory.

        Raises
        ------
        PlayError
            When the situation was not solved.
        """
        kind, seat = asked(game, game.next())
        assert isinstance(kind, Decision)
        looks = seen(game, seat)
        k = self._places.get((before, looks), self._places.get((0, looks)))  # 0: it begins a round
        if k is None:
            raise PlayError(f"the policy has no move for this situation; it was solved for {self.about['solved']}")
        first, end = int(self.row[k]), int(self.row[k + 1])
        moves = [tuple(move[: len(kind.kinds)]) for move in self.moves[first:end].tolist()]
        return first, moves, self.weight[first:end].tolist()

    def examples(self) -> list[tuple[int, Game]]:
        """Return for each key the seat that moves, and one of the states that it may be.

        Raises
        ------
        PlayError
            When the policy was saved by another version of dicelab.
        """
        known: dict[int, tuple[int, Game]] = {}
        for state in all_states(self.game, apart=True).games:
            kind, seat = asked(state, state.next())
            if isinstance(kind, Decision):
                known[seen(state, seat)] = seat, state
        try:
            return [known[looks] for looks in self.keys[:, 1].tolist()]
        except KeyError:
            raise PlayError("the policy was saved by another version of dicelab; solve the game again") from None

    @cached_property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The policy for compiled engines, as arrays.

        In this order: the layout of packed situations (`low`, `span`, `word` and `shift`), which have the numbers of
        the state, those that the seat doesn't see at their lowest, then seat, kind of choice and what the player
        remembers; the packed situations, a hash table of them; `moves`, `at`, `row`, `weight` and `after`; and by seat
        and number of the state whether it is hidden.

        Raises
        ------
        PlayError
            When the policy was saved by another version of dicelab.
        """
        from dicelab.compile.kernels.hashtable import note_all

        base, hide = Slots.of(self.game, ()), hidden_numbers(self.game)
        more = [seat_count(self.game) - 1, len(self.game.declared.decisions) - 1, len(self.moves)]
        low, span = np.append(base.low, [0, 0, 0]), np.append(base.span, more)
        word, shift, (words,) = laid_out(span, [range(len(span))])
        slots = Slots((*base.names, "seat", "kind", "made"), low, span, word, shift, words)
        keys = list[tuple[int, ...]]()
        for (seat, state), (made, _) in zip(self.examples(), self.keys.tolist(), strict=True):
            numbers = np.where(hide[seat], base.low, Place(state, ()).read()).tolist()
            kind = step_parts(state.next())[1]
            keys.append(slots.pack([*numbers, seat, kind, made]))
        packed = np.array(keys, np.uint64).reshape(len(keys), words)
        table = np.full(1 << (2 * len(keys) - 1).bit_length(), -1, np.int32)
        note_all(packed, table)
        return *slots.packing, packed, table, self.moves, self.at, self.row, self.weight, self.after, hide

    def named(self, name: str) -> Strategy:
        """Return the policy as a strategy of this name."""

        class Made(Memory):
            """What a player remembers."""

            made = Int(0, len(self.moves), "what its last option leaves to remember; 0: it has made no move")

        def play(table: Game, mine: Any) -> Mixture:
            first, moves, weights = self.options(table, mine.made)
            return _Kept(list(zip(moves, weights, strict=True)), mine, self.after[first : first + len(moves)].tolist())

        play.__doc__ = f"Mixed strategies, as solved: {self.about['solved']}."
        return Strategy(name, cast(FunctionType, play), type(self.game), {}, Made, moves=self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game | type[Game]) -> MixedPolicy:
        """Read a policy of a game; if `game` is an instance, the policy must be for its parameters.

        Raises
        ------
        InputError
        """
        solved, about, arrays = contents(path, game)
        found = cls(solved, about, **arrays)
        if not found._is_whole:
            raise InputError(f"{path} has arrays that do not fit the rules of {solved.name}; solve again")
        return found

    @property
    def _is_whole(self) -> bool:
        """Whether the arrays fit each other and the game, and every mixture can be drawn."""
        width = max(len(decision.kinds) for decision in self.game.declared.decisions)
        many, row, at, after = len(self.weight), self.row, self.at, self.after
        shapes = self.keys.shape, self.starts.shape[1:], self.moves.shape, after.shape
        if len(row) == 0 or shapes != ((len(at), 2), (2,), (many, width), (many,)):
            return False
        if (at < 0).any() or (at >= len(row) - 1).any() or (after < 0).any() or (after > many).any():
            return False
        if row[0] != 0 or row[-1] != many or (np.diff(row) < 1).any() or (self.weight < 0).any():
            return False
        totals = np.add.reduceat(self.weight, row[:-1])
        return bool(((totals > 0) & (totals <= MOST_WEIGHT)).all())


class _Kept(Mixture):
    """A mixture that tells a memory what to remember of the move that was drawn."""

    def __init__(self, pairs: Sequence[Any], memory: Any, after: list[int]) -> None:
        super().__init__(tuple(pairs))
        self._memory, self._after = memory, after

    def taken(self, place: int) -> Any:
        self._memory.made = self._after[place]
        return super().taken(place)


def mixed_policy(game: Game, rounds: list[Whole | Forgetful], about: dict[str, Any]) -> MixedPolicy:
    """Return the plans of all rounds as a policy.

    Situations that a player can't tell apart by what it remembers and by what it sees are one: their mixtures are
    averaged, by how likely they are. `about` then has their number, `alike`.

    Raises
    ------
    ParameterError
        When a subgame is seen to begin where another one goes on.
    """
    looks, opened, later = dict[tuple[int, int], int](), dict[int, set[int]](), list[tuple[int, int]]()
    for number, part in enumerate(rounds):
        for seat, state, first, again in situations(part):
            if (id(state), seat) not in looks:
                looks[id(state), seat] = seen(state, seat)
            now = looks[id(state), seat]
            if again:
                later.append((now, number))
            if first:
                opened.setdefault(now, set()).add(number)
    shared = {now for now, at in opened.items() if len(at) > 1}
    if shared and any(isinstance(part, Forgetful) for part in rounds):
        raise ParameterError(_several(game, rounds))
    laid = Laid(game, rounds, looks, shared)
    if not (shared and laid.tells_apart()):
        shared, laid = set(), Laid(game, rounds, looks, set())
    clashes = {(number, at) for now, number in later if now not in shared for at in opened.get(now, ())}
    if clashes and any(at in later_rounds(rounds_of(game))[number] for number, at in clashes):
        raise ParameterError(_several(game, rounds))
    kept = len(laid.row) - 1
    alike = {"alike": laid.many - kept} if laid.many > kept else {}
    return MixedPolicy(
        game,
        about | alike,
        np.array(list(laid.keys), np.uint64).reshape(-1, 2),
        np.array(list(laid.keys.values()), np.int64),
        np.array(laid.row, np.int64),
        np.array(laid.moves, np.int64).reshape(len(laid.moves), laid.width),
        np.array(
            [
                weight
                for place, mix in enumerate(laid.mixes)
                for weight in (_rounded if place in laid.coarse else _weights)(_averaged(mix))
            ],
            np.int64,
        ),
        np.array(laid.after, np.int64),
        np.array(list(laid.starts.items()), np.uint64).reshape(-1, 2),
    )


def _several(game: Game, rounds: Sequence[object]) -> str:
    return (
        f"{game.name}: the same is seen in several of the {len(rounds)} subgames that were solved one by one, so "
        "these strategies can't be kept in a file"
    )


def _averaged(mixes: list[tuple[float, Numbers]]) -> Numbers:
    """Return the mean of mixtures with weights; without any weight, each counts the same."""
    if len(mixes) == 1:
        return mixes[0][1]
    heavy = any(weight > 0 for weight, _ in mixes)
    found: Numbers = np.sum([(weight if heavy else 1.0) * mix for weight, mix in mixes], axis=0)
    return found


def _rounded(chances: Numbers) -> list[int]:
    """Return whole weights of 16 bits for probabilities that are not exact."""
    return [round(p * COARSE) for p in (chances / chances.sum()).tolist()]


def _weights(chances: Numbers) -> list[int]:
    """Return whole weights for probabilities: exact if these are fractions with small denominators."""
    share = chances / chances.sum()
    for most in DENOMINATORS:
        exact = [Fraction(p).limit_denominator(most) for p in share.tolist()]
        whole = lcm(*(p.denominator for p in exact))
        if sum(exact) == 1 and whole <= MOST_WEIGHT and np.allclose(np.array(exact, float), share, 0, 1e-12):
            return [int(p * whole) for p in exact]
    return [round(p * ROUNDED) for p in share.tolist()]
