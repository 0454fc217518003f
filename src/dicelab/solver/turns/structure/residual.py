"""Which leaves do the same at every beginning? Found by symbolic execution of their rules in plain Python.

A symbol stands for each outer number. An operation on symbols is noted and gives a new symbol; a condition on symbols
is taken both ways, in a run each. All that remains of the rules of a branch once its inner numbers are known, that is
the operations, conditions and results of all runs, is its *residual*. Branches with equal residuals are the same
function of the outer numbers: the box of fives of Yahtzee gets 15 points from any dice with three fives.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from dicelab.errors import RangeError
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.drawing import Drawn
from dicelab.rules.fields import Ints, Traced, applied
from dicelab.rules.game import fresh, outcome_names
from dicelab.runtime.interpreter import asked
from dicelab.runtime.states.cursor import Place
from dicelab.runtime.states.explorer import ALONE, PAIRED
from dicelab.solver.enumeration.model import moves_numbered
from dicelab.solver.turns.structure.follower import Follower
from dicelab.solver.turns.structure.parts import Parts, owners

MOST_RUNS = 64
"""Limit of the runs of one branch."""
VAIN = 50
"""No more residuals are tried once so many more branches failed than had one."""

Key = tuple[Any, ...]


class Unfollowed(BaseException):
    """Rules use a symbol in a way that isn't followed. No Exception, because rules may catch those."""


class Symbol(Traced):
    """The result of an operation, as its number among all results that occurred."""

    __slots__ = ("number", "run")

    def __init__(self, run: _Run, number: int) -> None:
        self.run, self.number = run, number

    def stored(self, least: object, bounds: tuple[int, int]) -> None:
        """Note the range that is checked when the rules are compiled."""
        self.run.note("stored", self, -1 if least is None else least, *bounds)

    def __bool__(self) -> bool:
        return self.run.decide(self.number)

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
    """One run: the conditions in `first` have the answers given there, all later ones are taken as true."""

    def __init__(self, numbers: dict[Key, int], first: list[bool]) -> None:
        self.numbers, self.answers, self.at = numbers, first, 0
        self.known: dict[int, bool] = {}
        self.events: list[object] = []

    def note(self, name: str, *values: object) -> int:
        """The number of a result."""
        number = self.numbers.setdefault((name, *map(self.plain, values)), len(self.numbers))
        self.events.append(number)
        return number

    def plain(self, value: object) -> Key:
        """A value of the rules as part of a key."""
        if isinstance(value, Symbol):
            return "symbol", value.number
        if not isinstance(value, int):
            raise Unfollowed
        return "number", int(value)

    def decide(self, number: int) -> bool:
        """The answer to a condition."""
        if number not in self.known:
            if self.at == len(self.answers):
                self.answers.append(True)
            self.known[number] = self.answers[self.at]
            self.at += 1
        self.events.append(self.known[number])
        return self.known[number]


class Residuals:
    """Numbers of residuals.

    Parameters
    ----------
    follower, parts
        The game and its outer numbers.
    tally
        The tally that is counted, if any.
    """

    def __init__(self, follower: Follower, parts: Parts) -> None:
        self.follower, self.parts, self.game = follower, parts, fresh(follower.game)
        self.place = Place(self.game, ())
        self.cells: list[tuple[str, int | None]] = []  # field and place in its row of each number
        for name in owners(self.game):
            row = isinstance(self.game.declared.state[name], Ints)
            self.cells.append((name, sum(name == other for other, _ in self.cells) if row else None))
        self.numbers: dict[Key, int] = {}
        self.found: dict[Key, int] = {}
        self.vain = 0

    def number(self, numbers: list[int], step: int, branch: int) -> int | None:
        """The number of the residual of a branch of a node; None if there is none.

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
            run = _Run(self.numbers, answers)
            try:
                result = self._result(run, numbers, kind, values)
            except RangeError:
                result = ("failed",)
            except (Exception, Unfollowed):
                break
            runs.append((*run.events, result))
            while answers and not answers[-1]:
                answers.pop()
            if not answers:
                self.vain -= 1
                return self.found.setdefault((step, *runs), len(self.found))
            answers[-1] = False
        self.vain += 1
        return None

    def _values(self, step: int, branch: int) -> tuple[int, ...]:
        """The values of an outcome or a move."""
        kind = asked(self.game, step)[0]
        if isinstance(kind, Decision):
            return tuple(moves_numbered(kind, self.game, np.array([branch]))[0].tolist())
        return self.follower.outcome(step, branch)

    def _result(self, run: _Run, numbers: list[int], kind: Any, values: tuple[int, ...]) -> Key:
        """What a run leads to: None for a move that isn't allowed, else what is next, the state and the tally."""
        game, state = self.game, self.game.__dict__
        self.place.set(numbers)
        state.update(dict.fromkeys(game.declared.tallies, 0))
        for i, (name, place) in enumerate(self.cells):
            if self.parts.outer[i] and place is None:
                state[name] = Symbol(run, run.note("outer", i))
            elif self.parts.outer[i]:
                put: Any = list.__setitem__  # not checked as what rules set is
                put(state[name], place, Symbol(run, run.note("outer", i)))
        if isinstance(kind, Decision) and not kind.considered(game, values):
            return (None,)
        applied(kind.run, game, values)
        step = game.next()
        if not isinstance(step, int):
            raise Unfollowed
        outcome = game.outcome() if step == OVER and outcome_names(game) else 0
        counted = state[self.follower.tally] if self.follower.tally else 0
        after = [state[name] if place is None else state[name][place] for name, place in self.cells]
        return int(step), *map(run.plain, (outcome, counted, *after))
