"""The situations of all players of a game with hidden information, laid out for a policy file.

By itself because with `mixed_policy` it would be a file of more than 500 lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, cast

import numpy as np

from dicelab.rules.game import Game, position
from dicelab.rules.private import shown_to
from dicelab.solver.hidden_game import Whole, rounds_of
from dicelab.solver.hidden_rounds import Round, ways_on
from dicelab.solver.hidden_states import Numbers
from dicelab.solver.shortened import Forgetful

SELDOM = 1e-9
"""Added to the probability with which a player leads to a situation itself, when mixtures are averaged."""


def seen(game: Game, seat: int) -> int:
    """Return what a seat sees of a game in which it moves, as a number of 64 bits."""
    text = str((seat, game.next(), shown_to(game, position(game), seat)))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "little")


def later_rounds(parts: list[Round]) -> list[set[int]]:
    """Return by round the rounds that may come later, by their places in a list in which the last ones come first."""
    places, found = {part.at: k for k, part in enumerate(parts)}, list[set[int]]()
    for part in parts:
        following = {places[at] for at in part.later.values()}
        found.append(following.union(*(found[k] for k in following)))
    return found


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
        Situations with mixtures of which a few digits mean something.
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
        after an option what stands for all that need not be told apart from it.
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
