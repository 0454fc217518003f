"""What a seat knows of hidden information: the states that agree with all that it has seen, with their weights.

From the beginning of a game on, each roll and choice is followed in every state that is still possible; those remain
in which the seat would have seen what it saw. A roll weighs as its outcomes do. A choice of another seat is taken to
be made by the given strategy half of the time, and else at random, so that it tells something. All of this is exact
while the states are few; when they are many, some are drawn, and rolls are drawn in them until they fit what was seen
(rejection).

Where a game hides nothing but what seats choose at once, all is open again whenever no such choice waits for others:
then the state is known, and only the choices that wait are followed.

Nothing but what the seat has seen enters: what really happened is only used to find out what that is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import fsum

from dicelab.errors import RulesError
from dicelab.limits import LIMITS
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import applied
from dicelab.rules.game import Call, Game, counted, fresh, overwrite, position, reset, twin
from dicelab.rules.private import laid_open, private_fields, shown_to
from dicelab.rules.together import counted as counted_as
from dicelab.rules.together import opens_again
from dicelab.runtime.interpreter import as_move, asked
from dicelab.runtime.philox import WORD, Stream, pool, word
from dicelab.solver.enumeration.model import all_outcomes, legal_moves, moves_at

DRAWN = 300
"""States that are drawn where there are more."""
SEED, GAME = 0x6B6E6F776E, 2**62
"""Of the words with which states and rolls are drawn, which no game reads."""

Step = tuple[Throw | Decision, tuple[int, ...]]
"""A roll or choice of a game that was played, and what the rules received of it."""
Hand = tuple[Game, float]
"""A state that is possible, and its weight."""
Seen = tuple[list[object], str]
"""What a seat sees when a roll or a choice was made: its own numbers, and all of it."""


class Hands:
    """The states that are possible for a seat, in one game.

    Parameters
    ----------
    game
        The game with its parameters.
    seat
        The seat that has seen it.
    call
        The strategy that the others are taken to follow half of the time.
    """

    def __init__(self, game: Game, seat: int, call: Call) -> None:
        self.seat, self.call, self.followed, self.words = seat, call, 0, 0
        self.truth, self.scratch = fresh(game), fresh(game)
        reset(self.truth)
        self.states: list[Hand] = [(twin(self.truth), 1.0)]
        self.waiting = [counted_as(kind.name) for kind in game.declared.decisions if kind.rows and opens_again(game)]

    def follow(self, steps: Sequence[Step]) -> None:
        """Follow a game on to the last of the steps that were made since its beginning.

        Raises
        ------
        RulesError
            When none of the states that were drawn fits what was seen.
        """
        for kind, values in steps[self.followed :]:
            before, after = self.truth, twin(self.truth)
            applied(kind.run, after, values)
            seen, self.truth = self._seen(before, after, kind, values), after
            if self.waiting and not any(after.__dict__[name] for name in self.waiting):
                self.states = [(twin(after), 1.0)]
                self.followed += 1
                continue
            self.states = self._merged(self._next(kind, values, seen))
            if not self.states:
                raise RulesError(
                    f"{after.name}: nothing that was drawn fits what seat {self.seat} (counted from 0) has seen; "
                    "there are too many hands for a player that doesn't see them"
                )
            self.followed += 1

    def _seen(self, before: Game, after: Game, kind: Throw | Decision, values: tuple[int, ...]) -> Seen:
        """Return what the seat sees when a roll or a choice was made."""
        shown = shown_to(after, position(after), self.seat)
        own = values if isinstance(kind, Decision) and asked(before, before.next())[1] == self.seat else ()
        return self._own(after), f"{after.next()} {shown} {laid_open(before, after, kind, values)} {own}"

    def _own(self, game: Game) -> list[object]:
        shown = shown_to(game, {name: game.__dict__[name] for name in private_fields(game)}, self.seat)
        return [*shown.values()]

    def _next(self, kind: Throw | Decision, values: tuple[int, ...], seen: Seen) -> list[Hand]:
        """Return states that follow and fit what was seen: all, or some that are drawn."""
        one = self.states[0][0]
        _, number = asked(one, one.next())
        most = len(moves_at(kind, one)) if isinstance(kind, Decision) else pool(one, kind, number).most
        if len(self.states) * most > LIMITS.hand_edges and len(self.states) > DRAWN:
            self.states = [(state, 1.0 / DRAWN) for state in self._some(DRAWN)]
        if len(self.states) * most > LIMITS.hand_edges:
            return self._fitting(kind, values, seen)
        return [
            (after, weight * share)
            for state, weight in self.states
            for move, share in self._ways(state, kind, values)
            if (after := self._after(state, kind, move, seen)) is not None
        ]

    def _ways(
        self, state: Game, kind: Throw | Decision, values: tuple[int, ...]
    ) -> list[tuple[tuple[int, ...], float]]:
        """Return what may follow in a state with its probability: of one's own choice what was chosen."""
        _, number = asked(state, state.next())
        if not isinstance(kind, Decision):
            dice = pool(state, kind, number)
            return [(one.seen, one.weight / dice.weight) for one in all_outcomes(state, kind, dice)]
        if number == self.seat:
            return [(values, 1.0)]
        moves = legal_moves(kind, state)
        usual = self._usual(state, kind, number)
        return [(move, 0.5 / len(moves) + 0.5 * (usual == move)) for move in moves]

    def _usual(self, state: Game, kind: Decision, seat: int) -> tuple[int, ...] | None:
        """Return the move of the given strategy; None where it goes by what it remembers."""
        if self.call.strategy.memory is not None:
            return None
        return as_move(self.call.chooser(state)(state, kind, seat))

    def _after(self, state: Game, kind: Throw | Decision, move: tuple[int, ...], seen: Seen) -> Game | None:
        """Return the state after a roll or choice, if it fits what was seen."""
        overwrite(self.scratch, state)
        applied(kind.run, self.scratch, move)
        if self._own(self.scratch) != seen[0] or self._seen(state, self.scratch, kind, move) != seen:
            return None
        return twin(self.scratch)

    def _fitting(self, kind: Throw | Decision, values: tuple[int, ...], seen: Seen) -> list[Hand]:
        """Return some states that follow and fit what was seen: states and what follows in them are drawn together, by
        their weights, and those that don't fit are rejected.
        """
        fitting = list[Hand]()
        for state in self._some(DRAWN * LIMITS.hand_attempts):
            if isinstance(kind, Decision):
                ways = self._ways(state, kind, values)
                running = list(accumulate(share for _, share in ways))
                move = ways[bisect_right(running, self._word() * running[-1], hi=len(ways) - 1)][0]
            else:
                self.words += 1
                move = Stream(SEED, GAME + self.words).draw(pool(state, kind, asked(state, state.next())[1]))
            after = self._after(state, kind, move, seen)
            if after is not None:
                fitting.append((after, 1.0))
                if len(fitting) == DRAWN:
                    break
        return fitting

    def _some(self, number: int) -> Iterator[Game]:
        """Return some of the states, drawn by their weights."""
        running = list(accumulate(weight for _, weight in self.states))
        for _ in range(number):
            yield self.states[bisect_right(running, self._word() * running[-1], hi=len(running) - 1)][0]

    def _word(self) -> float:
        """Return a number from 0 to 1, but not 1."""
        self.words += 1
        return word(SEED, GAME, self.words, 0) / (WORD + 1)

    @staticmethod
    def _merged(hands: Sequence[Hand]) -> list[Hand]:
        """Return states once each; their weights add up to 1."""
        merged: dict[str, tuple[Game, list[float]]] = {}
        for state, weight in hands:
            merged.setdefault(str((position(state), counted(state))), (state, []))[1].append(weight)
        total = fsum(fsum(weights) for _, weights in merged.values())
        return [(state, fsum(weights) / total) for state, weights in merged.values()]
