"""A game in progress as a learner meets it: it stops where a learning seat chooses, and tells what is seen there.

Dice come from dicelab's own stream: game number g of a seed is the game that ``dicelab simulate`` plays, as long as the
same moves are made.
"""

from __future__ import annotations

from collections.abc import Collection
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.model import moves_of
from dicelab.errors import EndlessGameError, IllegalMoveError, ParameterError, RulesError
from dicelab.policies.objective import Objective
from dicelab.random.philox import Stream, pool
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.game import counted, fresh, outcome_names, reset
from dicelab.rules.params import as_integer
from dicelab.runtime.interpreter import LIMIT, Explained, asked, choose, outcome_of
from dicelab.runtime.lineup import Run, as_seed
from dicelab.states.codec import Slots
from dicelab.states.cursor import Place


class Table:
    """One game in progress, with some seats that learn.

    Parameters
    ----------
    run
        The game, and a strategy for each seat; those of learning seats are not asked.
    learning
        The seats that learn.
    wanted
        What is rewarded.

    Attributes
    ----------
    names, low, high
        The numbers of the state that can differ: their names, and declared ranges as int64 arrays.
    actions
        Every move of every decision: the decision and the move. An action is its place here.
    seat
        Who is to choose; -1 when the game is over.
    """

    def __init__(self, run: Run, learning: Collection[int], wanted: Objective) -> None:
        self.run, self.game, self.learning, self.wanted = run, fresh(run.game), frozenset(learning), wanted
        slots = Slots.of(self.game, ())
        self.told = np.flatnonzero(slots.span > 0)
        self.names = tuple(slots.names[i] for i in self.told)
        self.low, self.high = slots.low[self.told], (slots.low + slots.span)[self.told]
        decisions = self.game.declared.decisions
        self.actions = [(decision, move) for decision in decisions for move in moves_of(decision, self.game)]
        self.seat, self.seed, self.number = -1, -1, -1
        self._spans = {d: [i for i, (of, _) in enumerate(self.actions) if of is d] for d in decisions}
        self._place = Place(self.game, ())

    @property
    def moves(self) -> tuple[str, ...]:
        """The actions in words; with the decision where there are several."""
        several = len(self._spans) > 1
        return tuple(f"{d.name}: {d.describe(m)}" if several else d.describe(m) for d, m in self.actions)

    def begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Begin game 0 of a seed, the next game where none is given, or the game that ``options["game"]`` says.

        Raises
        ------
        ParameterError
        """
        fresh_seed = seed is not None or self.seed < 0
        self.seed = as_seed(seed) if fresh_seed else self.seed
        number = (options or {}).get("game", 0 if fresh_seed else self.number + 1)
        whole = as_integer(number)
        if whole is None or not 0 <= whole < 2**64:
            raise ParameterError(f"game: {number!r} is not allowed; it takes a whole number, at least 0")
        self.number = whole
        self._stream, self._steps = Stream(self.seed, whole), 0
        self._choosers = [call.chooser(self.game) for call in self.run.calls]
        with Explained(self.game):
            reset(self.game)
        self._go_on()
        self._counted = self._tally()

    def take(self, action: object) -> bool:
        """Make a move, and go on to the next choice; no, and nothing changes, where the rules forbid it.

        Raises
        ------
        IllegalMoveError
            When there is no such move at all.
        """
        decision, move = self.actions[self._place_of(action)]
        if self.seat < 0:
            return True
        self._count_step()
        if decision is not self._asked or not decision.allows(self.game, move):
            return False
        with Explained(self.game):
            decision.rule(self.game, *move)
        self._go_on()
        return True

    def forbidden(self, action: object) -> IllegalMoveError:
        """The error for a move that the rules forbid now."""
        return IllegalMoveError(
            f"{self.game.name}: seat {self.seat} can't choose {self.moves[self._place_of(action)]} now; "
            f"{self._asked.name} is asked for, and the moves allowed are those of the action mask"
        )

    def observation(self) -> NDArray[np.int64]:
        """The numbers of the state, in the order of `names`."""
        return np.array(self._place.read(), np.int64)[self.told]

    def mask(self) -> NDArray[np.int8]:
        """1 for each action that is allowed now and sensible; all 0 when the game is over.

        Raises
        ------
        RulesError
            When there is none.
        """
        mask = np.zeros(len(self.actions), np.int8)
        if self.seat < 0:
            return mask
        with Explained(self.game):
            for action in self._spans[self._asked]:
                mask[action] = self._asked.considered(self.game, self.actions[action][1])
            if not mask.any():
                raise RulesError(f"seat {self.seat} has no sensible move in {self._asked.name}")
        return mask

    def reward(self) -> float:
        """What was gained since this was last asked, in a game that rewards a tally."""
        now, before = self._tally(), self._counted
        self._counted = now
        return float(now - before)

    def prize(self, seat: int) -> float:
        """What a seat gains by the end of the game, in a game that rewards an outcome."""
        if self.seat >= 0 or self.wanted.kind not in ("win", "outcome"):
            return 0.0
        return float(self._outcome == (seat if self.wanted.kind == "win" else self.wanted.number))

    def ending(self) -> dict[str, Any]:
        """How a game that is over has ended: its outcome, if it has any, and its tallies."""
        names = outcome_names(self.game)
        return {**({"outcome": names[self._outcome]} if names else {}), "tallies": counted(self.game)}

    def _tally(self) -> int:
        """The tally that is rewarded, or its negative; 0 where it is no tally."""
        if self.wanted.kind not in ("most", "fewest"):
            return 0
        value = list(counted(self.game).values())[self.wanted.number]
        return value if self.wanted.kind == "most" else -value

    def _place_of(self, action: object) -> int:
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            number = -1
        if not 0 <= number < len(self.actions):
            most = len(self.actions) - 1
            raise IllegalMoveError(f"{self.game.name}: there is no action {action!r}; they are numbered 0 to {most}")
        return number

    def _count_step(self) -> None:
        if self._steps >= LIMIT:
            with Explained(self.game):
                raise EndlessGameError(f"not over after {LIMIT:,} throws and choices")
        self._steps += 1

    def _go_on(self) -> None:
        """Play to the next choice of a learning seat, or to the end."""
        game = self.game
        with Explained(game):
            while (step := game.next()) != OVER:
                kind, number = asked(game, step)
                if isinstance(kind, Decision) and number in self.learning:
                    self._asked, self.seat = kind, number
                    return
                self._count_step()
                if isinstance(kind, Decision):
                    choose(game, kind, number, self._choosers)
                else:
                    kind.rule(game, *self._stream.draw(pool(game, kind, number)))
            self._outcome = outcome_of(game)  # called once: it may count tallies
        self.seat = -1
