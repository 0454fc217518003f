"""What the beginnings of turns are worth, as a small network in whole numbers; all within a turn follows exactly.

What a state within a turn is worth is the exact mean over rolls and the best of moves of what the network says of the
beginnings that may follow (`dicelab.solver.turns.estimated`), in a fixed order of operations.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dicelab.engines import policy_file
from dicelab.engines.policy_file import solve_again
from dicelab.errors import InputError, ParameterError
from dicelab.questions.policies.ahead import Row, Value
from dicelab.questions.policies.network import Network
from dicelab.questions.policies.objective import Objective, default_objective
from dicelab.rules.game import Game, fresh, reset, seat_count
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.states.codec import Place
from dicelab.solver.turns.estimated import EstimatedTurns
from dicelab.solver.turns.structure import Failed

REMEMBERED = 64
"""Number of turns whose values are kept."""


def objective_of(game: Game) -> Objective:
    """Return what a game is played for, if values of turns can be learned for it.

    Raises
    ------
    ParameterError
    """
    objective, seats = Objective.of(game, default_objective(game)), max(1, seat_count(game))
    if seats > 2 or objective.kind == "payoff" or (seats == 2 and objective.kind != "win"):
        raise ParameterError(
            f"{game.name}: method turns is for one seat, or two that play to win, without payoffs; "
            "learn with --method values"
        )
    return objective


class TurnNetwork(Network):
    """A network whose only output is what the beginning of a turn is worth to the seat to move.

    Where seats aren't alike it is worth that to the first seat; tallies are counted from there on. ``about["outer"]``
    has the fields that belong to the beginning of a turn.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.learn("tossup", method="turns", target=5, dice=2, games=100, seed=1).policy
    >>> found.second.shape, found.about["outer"]
    ((48, 1), ['scores'])
    """

    @property
    def _outputs(self) -> int:
        return 1

    @cached_property
    def objective(self) -> Objective:
        """What the game is played for."""
        return objective_of(self.game)

    @cached_property
    def _turns(self) -> EstimatedTurns:
        aims = self.objective.aims(self.game, max(1, seat_count(self.game)))
        return EstimatedTurns(self.game, aims, self.about["outer"])

    @cached_property
    def _first(self) -> Integers:
        """The numbers of the state in which a game begins."""
        game = fresh(self.game)
        reset(game)
        return np.array([Place(game, ()).read()], np.int64)

    @cached_property
    def _known(self) -> OrderedDict[bytes, list[Floats]]:
        """The values of the nodes of some turns, by their outer numbers; of each turn from one or more states on."""
        return OrderedDict()

    def worth(self, states: Sequence[Row]) -> list[Value]:
        """Return what states are worth to each seat; they are given as the keys of `Table`."""
        if not states:
            return []
        turns, numbers, by = self._turns, self._first.shape[1], [0] * len(states)
        seen = [state[:numbers] for state in states]
        if turns.rotation is not None:
            seen, by = map(list, zip(*map(turns.rotation.seen, seen), strict=True))
        rows = np.concatenate([turns.parts.pack(one) for one in seen])
        nodes, kind, found = turns.nodes(rows), self.objective.kind, list[Value]()
        for i, state in enumerate(states):
            value = self._value(rows[i : i + 1], int(nodes[i]))
            if seat_count(self.game) == 2:
                found.append((1.0 - value, value) if by[i] else (value, 1.0 - value))
            elif self.objective.counts:
                found.append((self.objective.sign * (value + state[numbers]),))
            else:
                found.append((1.0 - value if kind == "avoid" else value,))
        return found

    def _value(self, row: NDArray[np.uint64], node: int) -> float:
        """Return what a packed state is worth."""
        turns = self._turns
        outer = row[0, : turns.parts.outer_words].tobytes()
        known = self._known.setdefault(outer, [])
        self._known.move_to_end(outer)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        if not known:  # from the beginning of the turn, if that can begin there
            begin = np.where(turns.parts.outer, turns.parts.unpack(row), self._first)
            with suppress(Failed):
                known.append(turns.values(turns.parts.pack(begin[0].tolist()), self._estimates))
        for values in known:
            if 0 <= node < len(values) and not np.isnan(values[node]):
                return float(values[node])
        known.append(turns.values(row, self._estimates))
        return float(known[-1][turns.nodes(row)[0]])

    def _estimates(self, numbers: Integers) -> Floats:
        found = self.outputs(numbers)[:, 0]
        return np.clip(found, 0.0, 1.0) if self.objective.is_chance else found


def network_of(path: str | os.PathLike[str], game: Game | type[Game]) -> Network:
    """Read a network of either kind.

    Raises
    ------
    InputError
    """
    about, _ = policy_file.read(path)
    if "outer" not in about:
        return Network.load(path, game)
    outer, fields = about["outer"], (game if isinstance(game, type) else type(game)).declared.state
    if not isinstance(outer, list) or not outer or not set(outer) <= set(fields):
        raise InputError(f"{path} has fields that are not those of {about.get('game')}; {solve_again(path, about)}")
    return TurnNetwork.load(path, game)
