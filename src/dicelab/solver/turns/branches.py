"""Follows branches of turns with compiled rules, and finds those that do the same at every beginning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from dicelab.compile.kernels.arguments import Asked, BranchEnds
from dicelab.compile.kernels.writers import turn_steps
from dicelab.compile.kernels.writers.moves import most_moves
from dicelab.engines.compiled import WithKernel
from dicelab.errors import NotSmall, RangeError
from dicelab.rules.actions import Decision
from dicelab.rules.drawing import Drawn
from dicelab.rules.fields import Ints, Traced, applied
from dicelab.rules.game import Game, fresh
from dicelab.runtime.arrays import Array
from dicelab.runtime.interpreter import asked
from dicelab.runtime.states.codec import Place
from dicelab.runtime.states.explorer import ALONE, PAIRED
from dicelab.solver.enumeration.enumerate_python import RollArrays
from dicelab.solver.enumeration.model import moves_numbered
from dicelab.solver.turns.parts import StateParts, owners
from dicelab.translation.translator import NotTranslatable


class Follower(WithKernel):
    """The compiled rules of a game, and the outcomes of its rolls.

    Raises
    ------
    NotSmall
        When its rules can't be compiled, the weights of its dice exceed 64 bits, or depend on the state.
    """

    def __init__(self, game: Game, tally: str | None, rotated: bool) -> None:
        super().__init__(game, ())
        self.tally, self.rolls = tally, RollArrays(game, merged=False)
        if self.rolls.large:
            raise NotSmall("the weights of its dice exceed 64 bits")
        if len(game.declared.state) > 62:
            raise NotSmall("it has more than 62 fields")
        if any(isinstance(kind, Drawn) for kind in game.declared.throws):
            raise NotSmall("it draws from a bag, or by weights that depend on the state")
        try:
            self.text, self.places = turn_steps.written(type(game), tally, rotated)
            self.compile()
        except NotTranslatable as error:
            raise NotSmall(f"its rules can't be compiled: {error}") from error

    def _play_none(self) -> None:
        parts = StateParts.of(self.game, ())
        none = np.zeros((0, len(parts.low)), np.int64)
        self.follow(parts, none, none, np.zeros(0, np.int64), np.zeros((0, 2), np.int64))

    def branches(self, step: int) -> int:
        """Return the number of branches of a roll or choice: outcomes, or moves, allowed or not."""
        if step < 0:
            return most_moves(self.game.declared.decisions[(-2 - step) >> 16], self.game)
        row = int(self.rolls.kinds[step >> 16, 0]) + (step & 65535)
        if self.rolls.count[row] < 0:
            self.rolls.add(row)
        return int(self.rolls.count[row])

    def chances(self, steps: Array, outcomes: Array) -> Array:
        """Return the weights of outcomes of rolls whose branches were counted by `branches`."""
        rows = self.rolls.kinds[steps >> 16, 0] + (steps & 65535)
        return np.asarray(self.rolls.weights[self.rolls.first[rows] + outcomes])

    def outcome(self, step: int, branch: int) -> tuple[int, ...]:
        """Return the numbers that the rules see of an outcome of a roll whose branches were counted by `branches`."""
        row, _, width = self.rolls.kinds[step >> 16].tolist()
        at = (int(self.rolls.first[row + (step & 65535)]) + branch) * self.rolls.wide
        return tuple(self.rolls.values[at : at + width].tolist())

    def follow(
        self,
        parts: StateParts,
        beginnings: Array,
        numbers: Array,
        steps: Array,
        pairs: Array,
        room: BranchEnds | None = None,
    ) -> BranchEnds:
        """Follow branches from every beginning, into `room` if it is given; may run on several threads at once.

        Parameters
        ----------
        parts
            Which numbers are outer.
        beginnings, numbers
            The numbers of states, (beginnings, numbers) and (nodes, numbers): outer ones from the first, others from
            the second.
        steps
            What `next` asks for at each node.
        pairs
            Node and number of each branch, (branches, 2); those of a node follow each other.
        """
        results = room or BranchEnds.room(len(beginnings), len(pairs), parts.words)
        asked = Asked(beginnings, numbers, steps, *map(np.ascontiguousarray, pairs.T))
        given = self.setting, self.rows(), self.rolls.arrays, parts.packing, asked
        self._kernel(0, len(beginnings), *given, results)
        return results


# Residual -------------------------------------------------------------------------------------------------------------
#
# Which leaves do the same at every beginning? Found by symbolic execution of their rules in plain Python.
#
# A symbol stands for each outer number. An operation on symbols is noted and gives a new symbol; a condition on symbols
# is taken both ways, in a run each. All that remains of the rules of a branch once its inner numbers are known, that is
# the operations, conditions and results of all runs, is its *residual*. Branches with equal residuals are the same
# function of the outer numbers: the box of fives of Yahtzee gets 15 points from any dice with three fives.

MOST_RUNS = 64
"""Limit of the runs of one branch."""
VAIN = 50
"""No more residuals are tried once so many more branches failed than had one."""

Key = tuple[Any, ...]


class Unfollowed(BaseException):
    """Rules use a symbol in a way that isn't followed. No Exception, because rules may catch those."""


class Symbol(Traced):
    """The result of an operation, as its number among all results that occurred; in keys as a tuple of it."""

    __slots__ = ("key", "run")

    def __init__(self, run: _Run, number: int) -> None:
        self.run, self.key = run, (number,)

    def stored(self, least: object, bounds: tuple[int, int]) -> None:
        """Note the range that is checked when the rules are compiled."""
        self.run.note("stored", self, -1 if least is None else least, *bounds)

    def __bool__(self) -> bool:
        return self.run.decide(self.key[0])

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python itself looks for special methods
            raise AttributeError(name)
        raise Unfollowed


def _followed(name: str) -> Any:
    def operation(self: Symbol, *others: object) -> Symbol:
        return Symbol(self.run, self.run.note(name, self, *others))

    return operation


def _refuse(*_: object) -> NoReturn:
    raise Unfollowed


OPERATIONS = {*PAIRED.split(), "eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert"} - {"divmod"}
for _name in [*ALONE.split(), *PAIRED.split(), *(f"r{name}" for name in PAIRED.split()), "divmod", "round", "complex"]:
    _known = _name in OPERATIONS or _name[1:] in OPERATIONS
    if _name != "bool":
        setattr(Symbol, f"__{_name}__", _followed(_name) if _known else _refuse)


class _Run:
    """One run: the conditions in `answers` have the answers given there, all later ones are taken as true."""

    def __init__(self, numbers: dict[Key, int]) -> None:
        self.numbers = numbers
        self.begin([])

    def begin(self, answers: list[bool]) -> None:
        """Begin another run."""
        self.answers, self.at = answers, 0
        self.known: dict[int, bool] = {}
        self.events: list[object] = []

    def note(self, name: str, *values: object) -> int:
        """Return the number of a result."""
        number = self.numbers.setdefault((name, *self.plain(values)), len(self.numbers))
        self.events.append(number)
        return number

    def plain(self, values: Iterable[object]) -> list[Any]:
        """Return values of the rules as parts of a key."""
        return [value.key if value.__class__ is Symbol else _whole(value) for value in values]

    def decide(self, number: int) -> bool:
        """Return the answer to a condition."""
        if number not in self.known:
            if self.at == len(self.answers):
                self.answers.append(True)
            self.known[number] = self.answers[self.at]
            self.at += 1
        self.events.append(self.known[number])
        return self.known[number]


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise Unfollowed
    return value


class Residuals:
    """Numbers of residuals.

    Parameters
    ----------
    follower, parts
        The game and its outer numbers.
    tally
        The tally that is counted, if any.
    """

    def __init__(self, follower: Follower, parts: StateParts) -> None:
        self.follower, self.parts, self.game = follower, parts, fresh(follower.game)
        self.place = Place(self.game, ())
        self.cells: list[tuple[str, int | None]] = []  # field and place in its row of each number
        for name in owners(self.game):
            row = isinstance(self.game.declared.state[name], Ints)
            self.cells.append((name, sum(name == other for other, _ in self.cells) if row else None))
        self.run = _Run({})
        outer = [(name, place, i) for i, (name, place) in enumerate(self.cells) if parts.outer[i]]
        self.outer = [(name, place, Symbol(self.run, self.run.note("outer", i))) for name, place, i in outer]
        self.uncounted = dict.fromkeys(self.game.declared.tallies, 0)
        self.found: dict[Key, int] = {}
        self.vain = 0

    def number(self, numbers: list[int], step: int, branch: int) -> int | None:
        """Return the number of the residual of a branch of a node; None if there is none.

        Parameters
        ----------
        numbers
            The numbers of the node; outer ones may be any.
        step, branch
            What `next` asks for there, and the number of the outcome or move.
        """
        kind = asked(self.game, step)[0]
        if self.vain > VAIN or isinstance(kind, Drawn) or (isinstance(kind, Decision) and kind.lists):
            return None  # of draws, what is seen depends on the state
        answers: list[bool] = []
        runs: list[object] = []
        values = self._values(step, branch)
        while len(runs) < MOST_RUNS:
            self.run.begin(answers)
            try:
                result = self._result(numbers, kind, values)
            except RangeError:
                result = ("failed",)
            except (Exception, Unfollowed):
                break
            runs.append((*self.run.events, result))
            while answers and not answers[-1]:
                answers.pop()
            if not answers:
                self.vain -= 1
                return self.found.setdefault((step, *runs), len(self.found))
            answers[-1] = False
        self.vain += 1
        return None

    def _values(self, step: int, branch: int) -> tuple[int, ...]:
        """Return the values of an outcome or a move."""
        kind = asked(self.game, step)[0]
        if isinstance(kind, Decision):
            return tuple(moves_numbered(kind, self.game, np.array([branch]))[0].tolist())
        return self.follower.outcome(step, branch)

    def _result(self, numbers: list[int], kind: Any, values: tuple[int, ...]) -> Key:
        """Return what a run leads to: None for a move that isn't allowed, else the tally and the state.

        What is next, and what is counted at the end, follow from the state, and need not be run: `next` and `outcome`
        read nothing else, and change nothing in it.
        """
        game, state = self.game, self.game.__dict__
        self.place.set(numbers)
        state.update(self.uncounted)
        for name, place, symbol in self.outer:
            if place is None:
                state[name] = symbol
            else:
                put: Any = list.__setitem__  # not checked as what rules set is
                put(state[name], place, symbol)
        if isinstance(kind, Decision) and not kind.considered(game, values):
            return (None,)
        applied(kind.run, game, values)
        counted = state[self.follower.tally] if self.follower.tally else 0
        after = [state[name] if place is None else state[name][place] for name, place in self.cells]
        return tuple(self.run.plain((counted, *after)))
