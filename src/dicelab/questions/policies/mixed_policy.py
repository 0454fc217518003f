"""Mixed strategies of all players of a game with hidden information, as a policy file and as a strategy.

A player is in the situation that follows from its own moves (it remembers one number of them) and from what it sees
now. Where that doesn't say all that it has seen, several situations are played as one. All situations of the players
are laid out for the file first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
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
from dicelab.engines.policy import SavedPolicy, contents
from dicelab.errors import InputError, ParameterError, PlayError
from dicelab.rules.actions import Decision, step_parts
from dicelab.rules.fields import Int
from dicelab.rules.game import Game, Memory, Strategy, position, seat_count
from dicelab.rules.mixtures import MOST_WEIGHT, Mixture
from dicelab.rules.private import shown_to
from dicelab.runtime.interpreter import asked
from dicelab.runtime.states.codec import Place, Slots, hidden_numbers, laid_out
from dicelab.solver.hidden_game import Whole, rounds_of
from dicelab.solver.hidden_states import Numbers, Round, all_states, ways_on
from dicelab.solver.public_tree import Forgetful

SELDOM = 1e-9
"""Added to the probability with which a player leads to a situation itself, when mixtures are averaged."""


def seen(game: Game, seat: int) -> int:
    """Return what a seat sees of a game in which it moves, as a number of 64 bits."""
    text = str((seat, game.next(), shown_to(game, position(game), seat)))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "little")


def later_rounds(parts: list[Round]) -> list[set[int]]:
    """Return by round the rounds that may come later, by their places in a list in which the last ones come first."""
    places, later = {part.at: k for k, part in enumerate(parts)}, list[set[int]]()
    for part in parts:
        following = {places[at] for at in part.later.values()}
        later.append(following.union(*(later[k] for k in following)))
    return later


def situations(part: Whole | Forgetful) -> Iterator[tuple[int, Game, bool, bool]]:
    """Yield for each situation of a round the seat, a state that it may be, whether it may be the first in which the
    seat moves there, and whether a later one.
    """
    if not isinstance(part, Forgetful):
        for seat, side in enumerate(part[0]):
            for one, parent in zip(side.knowledge, side.parents.tolist(), strict=True):
                yield seat, one.state, not parent, bool(parent)
        return
    for seat in (0, 1):
        for node, kept in enumerate(part.own(seat)):
            if part.tree.movers[node] == seat:
                for hand in range(part.tree.hands[seat].size):
                    yield seat, part.tree.state(node, seat, hand), None in kept, bool(kept - {None})


class Laid:
    """The situations of all rounds, laid out one after the other.

    First moves that look alike in several rounds (`shared`) are kept apart by round; `tells_apart` finds the keys by
    which they are known.

    Attributes
    ----------
    keys, row, moves, after, starts
        As in `MixedPolicy`; `keys` with the number of the situation, `starts` with what is remembered.
    mixes
        By situation, the mixtures that are played as one, with weights.
    coarse
        Situations whose mixtures have a few meaningful digits.
    many
        How many situations the players can tell apart.
    """

    def __init__(
        self, game: Game, rounds: list[Whole | Forgetful], looks: dict[tuple[int, int], int], shared: set[int]
    ) -> None:
        self.game, self.looks = game, looks
        self.width = max(len(decision.kinds) for decision in game.declared.decisions)
        self.keys, self.starts = dict[tuple[int, int], int](), dict[int, int]()
        self.row, self.moves, self.after = [0], list[tuple[int, ...]](), list[int]()
        self.mixes, self.many = list[list[tuple[float, Numbers]]](), 0
        self.coarse = set[int]()
        self._first: dict[tuple[int, int], dict[int, int]] = {}  # by seat and round, shared first moves: situations
        self._options = list[tuple[int, int, tuple[int, tuple[int, ...]]]]()  # round, seat, what is seen and the move
        self._parents = set[int]()  # what is remembered where a seat moves again in the same round
        same = dict[int, int]()
        for number, one in enumerate(rounds):
            if isinstance(one, Forgetful):
                same |= self._add_forgetful(number, one)
                continue
            for seat in range(len(one[0])):
                self._add(number, seat, one, shared)
        self.after = [same.get(option, option) for option in range(1, len(self.moves) + 1)]

    def _add(self, number: int, seat: int, whole: Whole, shared: set[int]) -> None:
        """Add the situations of a seat in a round."""
        sides, plans, best, coming = whole
        side, plan, reached = sides[seat], plans[seat], coming[seat]
        made = np.zeros(len(plan), np.int64)  # by sequence, 1 + the number of its option
        for k, one in enumerate(side.knowledge):
            first, end, parent = int(side.starts[k]), int(side.starts[k + 1]), int(side.parents[k])
            now = self.looks[id(one.state), seat]
            chances = plan[first:end] / plan[parent] if plan[parent] > 0 else np.ones(end - first)
            if plan[parent] == 0 and best is not None:  # it never comes to this; if it did, this move would be best
                chances = np.zeros(end - first)
                chances[best[seat][k]] = 1.0
            known, key = cast(dict[Any, int], self.keys), cast(Any, (int(made[parent]), now))
            if not parent and now in shared:
                known, key = cast(dict[Any, int], self._first.setdefault((seat, number), {})), now
            place = known.setdefault(key, len(self.mixes))
            if place == len(self.mixes):
                self.mixes.append([])
                self.moves += [(*move, *[0] * (self.width - len(move))) for move in one.moves]
                self.row.append(len(self.moves))
                self._options += [(number, seat, (now, move)) for move in one.moves]
            if parent:
                self._parents.add(int(made[parent]))
            self.mixes[place].append(((plan[parent] + SELDOM) * (1.0 if reached is None else reached[k]), chances))
            made[first:end] = np.arange(self.row[place], self.row[place + 1]) + 1
            self.many += 1

    def _add_forgetful(self, number: int, part: Forgetful) -> dict[int, int]:
        """Add the situations of a round in which the seats remember the last choices; return for what is remembered
        after an option what stands for all that need not be distinguished from it.
        """
        tree, own = part.tree, [part.own(seat) for seat in (0, 1)]
        made: dict[tuple[int, tuple[int, ...] | None], int] = {(0, None): 0, (1, None): 0}
        same = dict[int, int]()
        for node in part.order:
            seat, moves, begin = int(tree.movers[node]), tree.moves[node], int(part.begins[node])
            hands = tree.hands[seat].size
            sums = part.averages[begin : begin + len(moves) * hands].reshape(len(moves), hands).astype(np.float64)
            after = tree.targets[tree.first[node] : tree.first[node + 1]].tolist()
            for hand in range(hands):
                now, heavy = self.looks[id(tree.state(node, seat, hand)), seat], float(sums[:, hand].sum())
                mix = sums[:, hand] / heavy if heavy > 0 else np.full(len(moves), 1 / len(moves))
                keys = [(made[seat, kept], now) for kept in own[seat][node]]
                places = {self.keys[key] for key in keys if key in self.keys} or {len(self.mixes)}
                if len(self.mixes) in places:
                    self.mixes.append([])
                    self.row.append(len(self.moves) + len(moves))
                    for move, to in zip(moves, after, strict=True):
                        self.moves.append((*move, *[0] * (self.width - len(move))))
                        self._options.append((number, seat, (now, move)))
                        if to >= 0:
                            first = made.setdefault((seat, part.kept(to)), len(self.moves))
                            same[len(self.moves)] = first
                for key in keys:
                    self.keys.setdefault(key, min(places))
                self.coarse |= places
                for place in places:
                    self.mixes[place].append((heavy + SELDOM, mix))
        self.many += part.situations
        return same

    def tells_apart(self) -> bool:
        """Return whether what a player remembers of its last move tells in which round it is, where first moves look
        alike; then they have keys.

        After the last move of a seat in a round, moves that may lead to the same rounds are remembered as one.
        """
        parts = rounds_of(self.game)
        for seat in {seat for seat, _ in self._first}:
            ways, same = ways_on(parts, seat, seen), dict[frozenset[int], int]()
            if not self._lead(seat, ways[-1][0], 0):
                return False
            known, mine = set(ways[-1][0]), {at for whose, at in self._first if whose == seat}
            for option, (number, mover, last) in enumerate(self._options):
                if mover != seat:
                    continue
                to = ways[number][1].get(last, set()) & mine
                if option + 1 not in self._parents and to:
                    self.after[option] = same.setdefault(frozenset(to), option + 1)
                if not self._lead(seat, to, self.after[option]):
                    return False
                for at in to - known:
                    self.starts[start_number(parts[at].states.games[0], seat)] = self.after[option]
                known |= to
        return True

    def _lead(self, seat: int, rounds: set[int], remembered: int) -> bool:
        """Add the keys of first moves of a seat in rounds; return whether no key has two situations."""
        first = [pair for at in rounds for pair in self._first.get((seat, at), {}).items()]
        return all(self.keys.setdefault((remembered, now), place) == place for now, place in first)


def start_number(state: Game, seat: int) -> int:
    """Return a number for a seat and a state with which a round begins."""
    return int.from_bytes(sha256(str((seat, position(state))).encode()).digest()[:8], "little")


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
        later ones need not be distinguished.
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
        policy = cls(solved, about, **arrays)
        if not policy._is_whole:
            raise InputError(f"{path} has arrays that do not fit the rules of {solved.name}; solve again")
        return policy

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


def _looked_at(
    rounds: list[Whole | Forgetful],
) -> tuple[dict[tuple[int, int], int], dict[int, set[int]], list[tuple[int, int]]]:
    """Return how states look to seats, by the identity of the state and the seat; by look, the rounds that begin with
    it; and the looks at which rounds go on, with the number of the round.
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
    return looks, opened, later


def mixed_policy(game: Game, rounds: list[Whole | Forgetful], about: dict[str, Any]) -> MixedPolicy:
    """Return the plans of all rounds as a policy.

    Situations that a player can't tell apart by what it remembers and by what it sees are one: their mixtures are
    averaged, by how likely they are. `about` then has their number, `alike`.

    Raises
    ------
    ParameterError
        When a subgame is seen to begin where another one goes on.
    """
    looks, opened, later = _looked_at(rounds)
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
    averaged: Numbers = np.sum([(weight if heavy else 1.0) * mix for weight, mix in mixes], axis=0)
    return averaged


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
