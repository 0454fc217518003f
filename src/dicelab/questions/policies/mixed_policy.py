"""Mixed strategies of all players of a game with hidden information, as a policy file and as a strategy.

A player is in the situation that follows from its own last move and from what it sees now. Where that doesn't say all
that it has seen, the strategies can't be kept.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import lcm
from types import FunctionType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dicelab.engines import policy_file
from dicelab.engines.policy import contents, same_parameters
from dicelab.errors import InputError, ParameterError, PlayError
from dicelab.rules.actions import Decision, step_parts
from dicelab.rules.fields import Int
from dicelab.rules.game import Game, Memory, Strategy, position
from dicelab.rules.mixtures import MOST_WEIGHT, Mixture
from dicelab.rules.private import shown_to
from dicelab.runtime.interpreter import asked
from dicelab.runtime.states.codec import Place, Slots, hidden_numbers, laid_out
from dicelab.solver.hidden_game import Whole
from dicelab.solver.hidden_states import Numbers

DENOMINATORS = 1000, 1_000_000
"""Largest denominators that are tried for the probabilities of moves; others are rounded."""
ROUNDED = MOST_WEIGHT // 2
"""The sum of weights of probabilities that are rounded, nearly."""


@dataclass(frozen=True, repr=False)
class MixedPolicy:
    """The moves in every situation of all players, with whole weights.

    Attributes
    ----------
    game
        The game with its parameters.
    about
        What was solved, in plain data, as in `dicelab.engines.policy.Policy`.
    keys
        uint64 array (situations, 2): 0 for a first move in a round, or 1 + the number of the player's last option; and
        what it sees now (`seen`).
    row
        int64 array: the options in situation k are ``row[k]`` to ``row[k + 1] - 1``.
    moves
        int64 array (options, numbers of a move).
    weight
        int64 array: the weight of each option.

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
    row: NDArray[np.int64]
    moves: NDArray[np.int64]
    weight: NDArray[np.int64]

    on_demand = False
    mixes = True

    def __repr__(self) -> str:
        return f"<MixedPolicy of {self.game!r}: {len(self.keys):,} situations>"

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        return {(before, seen): k for k, (before, seen) in enumerate(self.keys.tolist())}

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

    @cached_property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The policy for compiled engines, as arrays.

        In this order: the layout of packed situations (`low`, `span`, `word` and `shift`), which have the numbers of
        the state, those that the seat doesn't see at their lowest, then seat, kind of choice and the player's last
        option; the packed situations, a hash table of them; `moves`, `row` and `weight`; and by seat and number of the
        state whether it is hidden.

        Raises
        ------
        PlayError
            When the policy was saved by another version of dicelab.
        """
        from dicelab.compile.kernels.hashtable import note_all
        from dicelab.solver.hidden_game import sides_of

        base, hide = Slots.of(self.game, ()), hidden_numbers(self.game)
        more = [1, len(self.game.declared.decisions) - 1, len(self.moves)]
        low, span = np.append(base.low, [0, 0, 0]), np.append(base.span, more)
        word, shift, (words,) = laid_out(span, [range(len(span))])
        slots = Slots((*base.names, "seat", "kind", "made"), low, span, word, shift, words)
        keys = list[tuple[int, ...]]()
        known = [
            (seat, one.state)
            for sides in sides_of(self.game)
            for seat, side in enumerate(sides)
            for one in side.knowledge
        ]
        for seat, state in known:
            made, looks = self.keys[len(keys)].tolist()
            if seen(state, seat) != looks:
                raise PlayError("the policy was saved by another version of dicelab; solve the game again")
            numbers = np.where(hide[seat], base.low, Place(state, ()).read()).tolist()
            kind = step_parts(state.next())[1]
            keys.append(slots.pack([*numbers, seat, kind, made]))
        packed = np.array(keys, np.uint64).reshape(len(keys), words)
        table = np.full(1 << (2 * len(keys) - 1).bit_length(), -1, np.int32)
        note_all(packed, table)
        return *slots.packing, packed, table, self.moves, self.row, self.weight, hide

    @cached_property
    def strategy(self) -> Strategy:
        """The policy as a strategy."""
        return self.named("policy")

    def named(self, name: str) -> Strategy:
        """Return the policy as a strategy of this name."""

        class Made(Memory):
            """What a player remembers."""

            made = Int(0, len(self.moves), "1 + the number of its last option; 0: it has made no move")

        def play(table: Game, mine: Any) -> Mixture:
            first, moves, weights = self.options(table, mine.made)
            return _Kept(list(zip(moves, weights, strict=True)), mine, first + 1)

        play.__doc__ = f"Mixed strategies, as solved: {self.about['solved']}."
        return Strategy(name, cast(FunctionType, play), type(self.game), {}, Made, moves=self)

    def must_be_for(self, game: Game | type[Game], path: object) -> None:
        """Refuse a game whose parameters differ from those that were solved.

        Raises
        ------
        ParameterError
        """
        same_parameters(self.game, game, path, self.about)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy to a file.

        Raises
        ------
        OSError
        """
        policy_file.write(path, self.about, self.kept, policy_file.MIXED)

    @property
    def kept(self) -> dict[str, NDArray[Any]]:
        """The arrays that are saved, by name."""
        return {name: getattr(self, name) for name in policy_file.FORMATS[policy_file.MIXED]}

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
        many, row = len(self.weight), self.row
        if self.keys.shape[1:] != (2,) or len(row) != len(self.keys) + 1 or self.moves.shape != (many, width):
            return False
        if row[0] != 0 or row[-1] != many or (np.diff(row) < 1).any() or (self.weight < 0).any():
            return False
        totals = np.add.reduceat(self.weight, row[:-1])
        return bool(((totals > 0) & (totals <= MOST_WEIGHT)).all())


class _Kept(Mixture):
    """A mixture that tells a memory which of its moves was drawn."""

    def __init__(self, pairs: Sequence[Any], memory: Any, first: int) -> None:
        super().__init__(tuple(pairs))
        self._memory, self._first = memory, first

    def taken(self, place: int) -> Any:
        self._memory.made = self._first + place
        return super().taken(place)


def seen(game: Game, seat: int) -> int:
    """Return what a seat sees of a game in which it moves, as a number of 64 bits."""
    text = str((seat, game.next(), shown_to(game, position(game), seat)))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "little")


def mixed_policy(game: Game, rounds: list[Whole], about: dict[str, Any]) -> MixedPolicy:
    """Return the plans of all rounds as a policy.

    Raises
    ------
    ParameterError
        When what a player has seen since its last move can't be told from what it sees now.
    """
    width = max(len(decision.kinds) for decision in game.declared.decisions)
    keys, row, moves, weights = list[tuple[int, int]](), [0], list[tuple[int, ...]](), list[int]()
    looks: dict[tuple[int, int], int] = {}
    begins, later = dict[int, int](), list[tuple[int, int]]()
    for number, (sides, plans, best) in enumerate(rounds):
        for seat, (side, plan) in enumerate(zip(sides, plans, strict=True)):
            shift = len(moves)
            for k, one in enumerate(side.knowledge):
                first, end, parent = int(side.starts[k]), int(side.starts[k + 1]), int(side.parents[k])
                if (id(one.state), seat) not in looks:
                    looks[id(one.state), seat] = seen(one.state, seat)
                now = looks[id(one.state), seat]
                keys.append((shift + parent if parent else 0, now))
                if parent:
                    later.append((now, number))
                else:
                    begins[now] = number
                moves += [(*move, *[0] * (width - len(move))) for move in one.moves]
                chances = plan[first:end] / plan[parent] if plan[parent] > 0 else np.ones(end - first)
                if plan[parent] == 0 and best is not None:  # it never comes to this; if it did, this move would be best
                    chances = np.zeros(end - first)
                    chances[best[seat][k]] = 1.0
                weights += _weights(chances)
                row.append(len(moves))
    if len(set(keys)) < len(keys) or any(begins.get(now, number) != number for now, number in later):
        why = (
            f"the same is seen in several of the {len(rounds)} subgames that were solved one by one"
            if len(rounds) > 1
            else "a player sees more between two of its moves than the state shows afterwards"
        )
        raise ParameterError(f"{game.name}: {why}, so these strategies can't be kept in a file")
    numbers = np.array(moves, np.int64).reshape(-1, width)
    return MixedPolicy(
        game, about, np.array(keys, np.uint64), np.array(row, np.int64), numbers, np.array(weights, np.int64)
    )


def _weights(chances: Numbers) -> list[int]:
    """Return whole weights for probabilities: exact if these are fractions with small denominators."""
    share = chances / chances.sum()
    for most in DENOMINATORS:
        exact = [Fraction(p).limit_denominator(most) for p in share.tolist()]
        whole = lcm(*(p.denominator for p in exact))
        if sum(exact) == 1 and whole <= MOST_WEIGHT and np.allclose(np.array(exact, float), share, 0, 1e-12):
            return [int(p * whole) for p in exact]
    return [round(p * ROUNDED) for p in share.tolist()]
