"""Policies of games that were solved turn by turn: the values of the beginnings of turns, from which moves follow."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines import policy_file
from dicelab.engines.policy import Choices, Moves, PolicyOption, contents
from dicelab.engines.policy_file import solve_again
from dicelab.errors import InputError, ParameterError
from dicelab.questions.policies.objective import Objective
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Flag
from dicelab.rules.game import Game, fresh, twin
from dicelab.rules.loading.hashing import source_hash
from dicelab.runtime.interpreter import asked
from dicelab.runtime.states.codec import Place, Slots, rows_with
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.enumeration.model import moves_numbered
from dicelab.solver.turns.parts import StateParts
from dicelab.solver.turns.solve import SolvedDetails
from dicelab.solver.turns.turn_lookup import TurnLookup

MOST_TURNS = 100
"""Largest number of turns in which states are looked for."""


@dataclass(frozen=True, repr=False)
class TurnPolicy(Moves):
    """The values of all beginnings of turns; the options within a turn are found when they are asked for.

    Attributes
    ----------
    game
        The game with its parameters.
    about
        What was solved, in plain data, as in `dicelab.engines.policy.Policy`; ``outer``: the fields whose values belong
        to the beginning of a turn.
    keys
        uint64 array (beginnings, words): the packed beginnings, sorted.
    value
        float64 array: their values to the seat to move, or to the first seat in a game whose seats aren't alike.

    Examples
    --------
    See ``docs/turn-by-turn.md``::

        best = dicelab.solve("yahtzee", objective="most:score").turn_policy
        best.save("best.npz")
        best.at(filled=0, rolls=1, dice=(1, 0, 0, 1, 0, 3)).best_move
    """

    game: Game
    about: dict[str, Any]
    keys: NDArray[np.uint64]
    value: NDArray[np.float64]

    kind = policy_file.TURNS
    on_demand = True

    @classmethod
    def of(cls, game: Game, about: dict[str, Any], kept: SolvedDetails) -> TurnPolicy:
        """Return the policy of a solution."""
        about = {**about, "outer": list(kept.outer), "source_hash": source_hash(type(game))}
        return cls(game, about, kept.keys, kept.value)

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"<TurnPolicy of {self.game!r}: {self.about['solved']}; {len(self):,} beginnings of turns>"

    @cached_property
    def _turns(self) -> TurnLookup:
        aims = self.objective.aims(self.game, len(self.about["seats"]))
        return TurnLookup(self.game, aims, SolvedDetails(tuple(self.about["outer"]), self.keys, self.value))

    @cached_property
    def _rotation(self) -> Rotation | None:
        return Rotation.of(self.game) if len(self.about["seats"]) > 1 else None

    def at(self, game: Game) -> Choices | None:
        """Return the options of the seat that chooses in a game in progress; None if the state wasn't solved.

        Raises
        ------
        RulesError
            If `next` asks for no choice.
        """
        numbers = Place(game, ()).read()
        seen, by = (numbers, 0) if self._rotation is None else self._rotation.seen(numbers)
        open_here = self._turns.options(seen)
        if not open_here:
            return None
        decision, seat = asked(game, game.next())
        assert isinstance(decision, Decision)
        side = 1 if self._rotation is not None else self._turns.aims.sides[seat]
        best = max(range(len(open_here)), key=lambda i: side * open_here[i][1])
        which = np.array([move for move, _ in open_here])
        there = twin(game)
        Place(there, ()).set(seen)
        listed = decision.listing(there) if decision.lists else None
        moves = [listed[i] for i in which] if listed else moves_numbered(decision, game, which).tolist()
        if self._rotation is not None:
            moves = [self._rotation.moved(decision, move, by) for move in moves]
        other = len(self.about["seats"]) > 1 and side < 0
        worth = [1.0 - value if other else value for _, value in open_here]
        options = [PolicyOption(tuple(move), value) for move, value in zip(moves, worth, strict=True)]
        return Choices(
            dict(zip(Slots.of(self.game, ()).names, numbers, strict=True)), decision, options, best, self.game
        )

    def worth(self, game: Game) -> tuple[float, ...] | None:
        """Return the value of the present state of a game in progress to each seat; None if the state wasn't solved.

        Without what the objective has counted before. Dice may be rolled next, or a seat choose.
        """
        numbers = Place(game, ()).read()
        seen, by = (numbers, 0) if self._rotation is None else self._rotation.seen(numbers)
        value = self._turns.worth(seen)
        if value is None or len(self.about["seats"]) == 1:
            return None if value is None else (value,)
        return (value, 1.0 - value) if by == 0 else (1.0 - value, value)

    def where(self, wanted: Mapping[str, int]) -> list[tuple[int, ...]]:
        """Return the states in which a seat chooses and the numbers named have these values, as tuples of numbers.

        Raises
        ------
        ParameterError
            If the state has no number of that name, or if these values occur in more than `MOST_TURNS` turns.
        """
        names = Slots.of(self.game, ()).names
        for name in wanted:
            if name not in names:
                raise ParameterError(f"{self.game.name} has no {name} in its state; it has {', '.join(names)}")
        outer = {name: value for name, value in wanted.items() if name.partition("[")[0] in self.about["outer"]}
        inner = {name: value for name, value in wanted.items() if name not in outer}
        states: list[tuple[int, ...]] = []
        for by in range(1 if self._rotation is None else self._rotation.seats):
            begins = self._moved(self._parts.unpack(self.keys), by)
            those = np.flatnonzero(self._fits(begins, outer))
            turns = sorted({rows_with(self.keys, self.keys[i, : self._parts.outer_words]) for i in those.tolist()})
            if len(turns) > MOST_TURNS:
                more = ", ".join(name for name in self.about["outer"] if name not in outer)
                raise ParameterError(f"these values occur in {len(turns):,} turns; give more of the state: {more}")
            for low, high in turns:
                nodes = self._moved(self._turns.nodes(low, high), by)
                nodes = nodes[self._fits(nodes, inner)]
                nodes[:, self._parts.outer] = begins[low, self._parts.outer]
                states += map(tuple, nodes.tolist())
        return states

    def _moved(self, numbers: NDArray[np.int64], by: int) -> NDArray[np.int64]:
        """States, (states, numbers), with everybody moved `by` seats further."""
        if by == 0 or self._rotation is None:
            return numbers.copy()
        return np.array([self._rotation.turned(row, by) for row in numbers.tolist()], np.int64)

    def _fits(self, numbers: NDArray[np.int64], wanted: Mapping[str, int]) -> NDArray[np.bool_]:
        """In which states the numbers named have these values."""
        names, fits = Slots.of(self.game, ()).names, np.ones(len(numbers), np.bool_)
        for name, value in wanted.items():
            fits &= numbers[:, names.index(name)] == value
        return fits

    @cached_property
    def _parts(self) -> StateParts:
        return StateParts.of(self.game, self.about["outer"])

    def choices(self, numbers: tuple[int, ...]) -> Choices:
        """Return the options in a state that `where` found."""
        game = fresh(self.game)
        Place(game, ()).set(numbers)
        options = self.at(game)
        assert options is not None
        return options

    def move(self, game: Game) -> tuple[int, ...] | None:
        """Return the best move in a game in progress; None if its state was not solved."""
        options = self.at(game)
        return options.options[options.best].move if options else None

    def worths(self, game: Game) -> dict[tuple[int, ...], float] | None:
        """Return the value of each sensible move in a game in progress; None if its state was not solved."""
        options = self.at(game)
        return {option.move: option.worth for option in options.options} if options else None

    def varying(self, states: Any, names: Sequence[str]) -> frozenset[str]:
        """As in `Moves`."""
        return frozenset(name for i, name in enumerate(names) if len({state[i] for state in states}) > 1)

    def never_varying(self, names: Sequence[str], varying: frozenset[str]) -> list[str]:
        """As in `Moves`: flags that `varying` hasn't, because not all states are at hand."""
        fields = self.game.declared.state
        return [name for name in names if isinstance(fields.get(name), Flag) and name not in varying]

    def must_see_own(self, name: str) -> None:
        """Refuse every game with hidden information."""
        raise ParameterError(f"{name}: a policy of whole turns sees what is hidden in {self.game.name}")

    @cached_property
    def objective(self) -> Objective:
        """What the seats play for."""
        return Objective.of(self.game, str(self.about["objective"]))

    def beginnings(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the beginnings of turns of all seats, as an array (states, numbers), and an array (states,) of
        their values to the first seat.
        """
        numbers, value = self._parts.unpack(self.keys), self.value
        if self._rotation is None:
            return numbers, value
        turned = numbers.copy()  # the same states with the second seat to move
        for at in self._rotation.single:
            turned[:, at] = np.where(numbers[:, at] >= 0, 1 - numbers[:, at], numbers[:, at])
        for at, each in self._rotation.rows:
            turned[:, at], turned[:, at + each] = numbers[:, at + each], numbers[:, at]
        return np.concatenate((numbers, turned)), np.concatenate((value, 1.0 - value))

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game | type[Game]) -> TurnPolicy:
        """Read a policy of a game; if `game` is an instance, the policy must be for its parameters.

        Raises
        ------
        InputError
            If the file can't be read or is damaged, or is a policy of another game or of other rules.
        ParameterError
            If it is for other parameters.
        """
        solved, about, arrays = contents(path, game)
        policy = cls(solved, about, arrays["keys"], arrays["value"])
        fields = about.get("outer")
        if not isinstance(fields, list) or not set(fields) <= set(solved.declared.state) or not policy._is_whole:
            raise InputError(f"{path} has arrays that do not fit the rules of {solved.name}; {solve_again(path)}")
        if not np.isfinite(policy.value).all():
            raise InputError(f"{path} has a value that is not a finite number; {solve_again(path)}")
        return policy

    @property
    def _is_whole(self) -> bool:
        """Whether the arrays fit each other and the game."""
        return self.keys.shape == (len(self.value), self._parts.words)
