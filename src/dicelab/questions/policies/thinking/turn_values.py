"""What the beginnings of turns are worth, as a small network in whole numbers; all within a turn follows exactly.

What a state within a turn is worth is the exact mean over rolls and the best of moves of what the network says of the
beginnings that may follow (`dicelab.solver.turns.estimated`), in a fixed order of operations.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from threading import local

import numpy as np
from numpy.typing import NDArray

from dicelab.engines import policy_file
from dicelab.engines.policy_file import solve_again
from dicelab.errors import InputError, ParameterError
from dicelab.questions.policies.objective import Objective, default_objective, opposed
from dicelab.questions.policies.thinking.ahead import Row, Value
from dicelab.questions.policies.thinking.network import Network
from dicelab.rules.game import Game, fresh, reset, seat_count
from dicelab.rules.payoffs import payoffs_of
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.states.codec import Place
from dicelab.solver.turns.estimated import EstimatedTurns
from dicelab.solver.turns.solve import Aims
from dicelab.solver.turns.structure import Failed

REMEMBERED, MOST_BYTES = 64, 2**26
"""Number of turns whose values each thread keeps at least, and bytes up to which it keeps more."""


@dataclass(frozen=True)
class PlayedFor:
    """What a game is played for, and how values of turns stand for it.

    Attributes
    ----------
    objective
        What every seat plays for.
    aims
        The same for turns; payoffs of outcomes become prizes from 0 to 1, so that what a turn is worth to one of two
        seats that are alike is 1 minus what it is worth to the other.
    lines
        For each seat a and c: an expected prize x of the first seat is worth a + c * x to it.
    """

    objective: Objective
    aims: Aims
    lines: Sequence[tuple[float, float]]

    @property
    def bounded(self) -> bool:
        """Whether values of turns are between 0 and 1."""
        return not self.aims.tally


def played_for(game: Game) -> PlayedFor:
    """Return what a game is played for, if values of turns can be learned for it."""
    objective, seats = Objective.of(game, default_objective(game)), max(1, seat_count(game))
    pays = payoffs_of(game) if objective.kind == "payoff" else None
    sides = opposed(np.array(pays)) if pays else [(0.0, 1.0), (1.0, -1.0)][:seats]
    paid = objective.kind in ("win", "payoff") and not objective.tallied
    if seats > 2 or (seats == 2 and not paid) or (seats == 1 and objective.tallied):
        raise ParameterError(
            f"{game.name}: method turns is for one seat, or two that play to win or for what outcomes pay; "
            "learn with --method values"
        )
    if sides is None or any(c >= 0 for _, c in sides[1:]):
        raise ParameterError(
            f"{game.name}: method turns is for opposed payoffs, where one seat loses what the other gains; "
            "learn with --method values"
        )
    aims = objective.aims(game, seats)
    if not pays:
        lines = [(1.0, -1.0)] if objective.kind == "avoid" else sides
        return PlayedFor(objective, aims, lines)
    low, high = min(row[0] for row in pays), max(row[0] for row in pays)
    span = high - low or 1.0
    prize = [(row[0] - low) / span for row in pays]
    return PlayedFor(objective, aims._replace(prize=prize), [(a + c * low, c * span) for a, c in sides])


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

    compiles = False

    @property
    def _outputs(self) -> int:
        return 1

    @cached_property
    def goal(self) -> PlayedFor:
        """What the game is played for."""
        return played_for(self.game)

    @cached_property
    def _of_thread(self) -> local:
        """What each thread knows of turns; values don't depend on what it met before."""
        return local()

    @property
    def _turns(self) -> EstimatedTurns:
        own: dict[str, EstimatedTurns] = self._of_thread.__dict__
        if "turns" not in own:
            own["turns"] = EstimatedTurns(self.game, self.goal.aims, self.about["outer"])
        return own["turns"]

    @cached_property
    def _first(self) -> Integers:
        """The numbers of the state in which a game begins."""
        game = fresh(self.game)
        reset(game)
        return np.array([Place(game, ()).read()], np.int64)

    @property
    def _known(self) -> OrderedDict[tuple[bool, bytes], Floats]:
        """The values of the nodes of some turns: of whole ones by their outer numbers, and of what is left of a turn by
        the state in which it goes on, where the beginning doesn't lead there.
        """
        own: dict[str, OrderedDict[tuple[bool, bytes], Floats]] = self._of_thread.__dict__
        return own.setdefault("known", OrderedDict())

    def worth(self, states: Sequence[Row]) -> list[Value]:
        """Return what states are worth to each seat; they are given as the keys of `SearchTable`."""
        if not states:
            return []
        turns, numbers, by = self._turns, self._first.shape[1], [0] * len(states)
        seen = [state[:numbers] for state in states]
        if turns.rotation is not None:
            seen, by = map(list, zip(*map(turns.rotation.seen, seen), strict=True))
        rows = np.concatenate([turns.parts.pack(one) for one in seen])
        nodes, objective, worths = turns.nodes(rows), self.goal.objective, list[Value]()
        for i, state in enumerate(states):
            value = self._value(rows[i : i + 1], int(nodes[i]))
            if objective.counts:
                worths.append((objective.sign * (value + state[numbers]),))
            else:
                value = 1.0 - value if by[i] else value
                worths.append(tuple(a + c * value for a, c in self.goal.lines))
        return worths

    def _value(self, row: NDArray[np.uint64], node: int) -> float:
        """Return what a packed state is worth, as part of its turn from the beginning on if that leads there."""
        turns = self._turns
        outer = row[0, : turns.parts.outer_words].tobytes()
        values = self._kept((True, outer))
        if values is None:
            begin = np.where(turns.parts.outer, turns.parts.unpack(row), self._first)
            values = np.zeros(0)
            with suppress(Failed):
                values = turns.values(turns.parts.pack(begin[0].tolist()), self._estimates)
            self._keep((True, outer), values)
        if 0 <= node < len(values) and not np.isnan(values[node]):
            return float(values[node])
        values = self._kept((False, row.tobytes()))
        if values is None:
            values = turns.values(row, self._estimates)
            self._keep((False, row.tobytes()), values)
        return float(values[turns.nodes(row)[0]])

    def _kept(self, key: tuple[bool, bytes]) -> Floats | None:
        known = self._known
        if key not in known:
            return None
        known.move_to_end(key)
        return known[key]

    def _keep(self, key: tuple[bool, bytes], values: Floats) -> None:
        known = self._known
        known[key] = values
        while len(known) > max(REMEMBERED, MOST_BYTES // (values.nbytes + 500)):
            known.popitem(last=False)

    def _estimates(self, numbers: Integers) -> Floats:
        estimates = self.outputs(numbers)[:, 0]
        return np.clip(estimates, 0.0, 1.0) if self.goal.bounded else estimates


def network_of(path: str | os.PathLike[str], game: Game | type[Game]) -> Network:
    """Read a network of either kind."""
    about, _ = policy_file.read(path)
    if "outer" not in about:
        return Network.load(path, game)
    outer, fields = about["outer"], (game if isinstance(game, type) else type(game)).declared.state
    if not isinstance(outer, list) or not outer or not set(outer) <= set(fields):
        raise InputError(f"{path} has fields that are not those of {about.get('game')}; {solve_again(path, about)}")
    return TurnNetwork.load(path, game)
