"""Which leaves do the same at every beginning: found by symbolic execution of their rules in plain Python.

A symbol stands for each outer number. An operation on symbols is noted and gives a new symbol; a condition on symbols
is taken both ways, in a run each. All that remains of the rules of a branch once its inner numbers are known, that is
the operations, conditions and results of all runs, is its *residual*. Branches with equal residuals are the same
function of the outer numbers: the box of fives of Yahtzee gets 15 points from any dice with three fives.

By itself because it runs rules in Python, where the structure of turns is built from what compiled rules do.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from dicelab.errors import RangeError
from dicelab.limits import LIMITS
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Ints, Traced, applied
from dicelab.rules.fields.rows import PAIRED, Row, refuse_rest
from dicelab.rules.game import fresh
from dicelab.runtime.arrays import Array
from dicelab.runtime.interpreter import asked
from dicelab.runtime.states.codec import Place
from dicelab.solver.enumeration.model import moves_numbered
from dicelab.solver.turns.branches import Follower
from dicelab.solver.turns.parts import StateParts, owners

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

    def stored(self, least: object, bounds: tuple[int, int]) -> Symbol:
        """Note the range that is checked when the rules are compiled."""
        self.run.note("stored", self, -1 if least is None else least, *bounds)
        return self

    def __bool__(self) -> bool:
        return self.run.decide(self.key[0])

    def __str__(self) -> str:
        return "a symbol"  # in the message of an error, which is part of what the rules do

    def __format__(self, how: str) -> str:
        return str(self)

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
for _name in OPERATIONS:
    setattr(Symbol, f"__{_name}__", _followed(_name))
    if _name in PAIRED.split():
        setattr(Symbol, f"__r{_name}__", _followed(f"r{_name}"))
refuse_rest(Symbol, _refuse)


class _Run:
    """One run: the conditions in `answers` have the answers given there, all later ones are taken as true."""

    def __init__(self, numbers: dict[Key, int]) -> None:
        self.numbers, self.age = numbers, 0
        self.start()
        self.begin([])

    def start(self) -> None:
        """Begin the runs of another branch."""
        self.age += 1
        self.looked: dict[Expression, int] = {}

    def look(self, expression: Expression, value: int) -> int:
        """Note that a run depends on the value of an expression of inner numbers, unless that follows from others."""
        if not self._follows(expression):
            self.looked[expression] = value
        return value

    def _follows(self, expression: Any) -> bool:
        """Return whether the value of an expression follows from those that were looked at."""
        if not isinstance(expression, tuple) or expression in self.looked:
            return True
        return expression[0] != "cell" and all(map(self._follows, expression[1:]))

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
    value = _plain(value)
    if not isinstance(value, int):
        raise Unfollowed
    return value


# What a residual depends on -------------------------------------------------------------------------------------------
#
# Many branches have the same residual because the rules look at their inner numbers through a sum, a count or a
# comparison. So inner numbers are values that remember how they were computed: `Known` knows its value, and its
# expression of the numbers of the node. The rules depend on the value only where it is looked at: in a condition, as an
# index, beside a symbol, in what is stored. A branch with the same values of all expressions that a run looked at has
# the same run, and so the same residual; this is found with arrays, for all branches at once.

Expression = tuple[Any, ...]
"""("cell", number), or the name of an operation and its operands, which are expressions and integers."""
COMPARED = {"eq", "ne", "lt", "le", "gt", "ge"}
WIDEST = 2**62
"""Limit on the size of what is computed with arrays."""
SHARE = 0.5
"""Inner numbers are plain if the runs of the branches of a step are more than this share of the branches, because then
hardly any have the same run."""


class Known(Traced):
    """A value that follows from inner numbers: value, smallest and largest value, and expression.

    One that a function under `functools.cache` kept from the runs of another branch is a plain number: it follows from
    the arguments, and those were looked at.
    """

    __slots__ = ("age", "bounds", "expression", "run", "value")

    def __init__(self, run: _Run, value: int, bounds: tuple[int, int], expression: Expression) -> None:
        self.run, self.age, self.value, self.bounds, self.expression = run, run.age, value, bounds, expression

    def look(self) -> int:
        """Return the value, on which the run then depends."""
        if self.age != self.run.age:
            return self.value
        return self.run.look(self.expression, self.value)

    def stored(self, least: object, bounds: tuple[int, int]) -> int:
        """Return the value, which is then checked."""
        return self.look()

    def __bool__(self) -> bool:
        if self.age != self.run.age or self.expression[0] in COMPARED:
            return bool(self.look())
        return bool(self.run.look(("ne", self.expression, 0), self.value != 0))

    def __hash__(self) -> int:
        return hash(self.look())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python itself looks for special methods
            raise AttributeError(name)
        return getattr(self.look(), name)


def _plain(value: Any) -> Any:
    return value.look() if value.__class__ is Known else value


def _reach(name: str, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int] | None:
    """Return the smallest and largest result of an operation; None if it is not one to be done later with arrays."""
    if name in COMPARED:
        return 0, 1
    if name in ("floordiv", "mod", "lshift", "rshift") and not (0 < b[0] == b[1] < 62):
        return None  # what could fail, or become too large
    if name in ("and", "or", "xor"):
        if min(*a, *b) < 0:
            return None
        return 0, (1 << max(*a, *b).bit_length()) - 1
    if name == "mod":
        return 0, b[0] - 1
    if name not in ("add", "sub", "mul", "floordiv", "lshift", "rshift"):
        return None
    ends = [PLAIN[name](x, y) for x in a for y in b]
    return (min(ends), max(ends)) if max(map(abs, ends)) < WIDEST else None


PLAIN: dict[str, Any] = {
    name: getattr(operator, f"{name}_" if name in ("and", "or") else name)
    for name in [*COMPARED, *PAIRED.split()]
    if name != "divmod"
} | {"divmod": divmod}
SINGLE: dict[str, Any] = {"neg": operator.neg, "pos": operator.pos, "abs": abs, "invert": operator.invert}


def _later(name: str, swapped: bool) -> Any:
    """Return the method of `Known` for an operation on two numbers."""
    plain = PLAIN[name]

    def operation(self: Known, other: Any) -> Any:
        run = self.run
        if other.__class__ is Known:
            given = other.value, other.bounds, other.expression
            now = other.age == run.age
        else:
            given, now = (other, (other, other), other), isinstance(other, int) and abs(other) < WIDEST
        mine = self.value, self.bounds, self.expression
        (x, low, a), (y, high, b) = (given, mine) if swapped else (mine, given)
        reach = _reach(name, low, high) if now and self.age == run.age else None
        if reach is None:
            other, value = _plain(other), self.look()
            return plain(other, value) if swapped else plain(value, other)
        return Known(run, plain(x, y), reach, (name, a, b))

    return operation


def _later_alone(name: str) -> Any:
    def operation(self: Known) -> Any:
        if self.age != self.run.age or name == "invert":
            return SINGLE[name](self.look())
        low, high = self.bounds
        reach = {"neg": (-high, -low), "pos": (low, high), "abs": (0, max(abs(low), abs(high)))}[name]
        return Known(self.run, SINGLE[name](self.value), reach, (name, self.expression))

    return operation


def _looked_at(name: str) -> Any:
    def operation(self: Known, *others: Any) -> Any:
        return getattr(self.look(), name)(*map(_plain, others))

    return operation


for _name in ["index", "int", "float", "round", "str", "repr", "format", "trunc", "floor", "ceil"]:
    setattr(Known, f"__{_name}__", _looked_at(f"__{_name}__"))
for _name in PAIRED.split():
    setattr(Known, f"__{_name}__", _later(_name, False))
    setattr(Known, f"__r{_name}__", _later(_name, True))
for _name in COMPARED:
    setattr(Known, f"__{_name}__", _later(_name, False))
for _name in SINGLE:
    setattr(Known, f"__{_name}__", _later_alone(_name))


def _value_of(expression: Any, numbers: Array) -> Array:
    """Return an expression for many nodes, whose numbers are (nodes, numbers)."""
    if not isinstance(expression, tuple):
        return np.asarray(expression, np.int64)
    name, *operands = expression
    if name == "cell":
        return numbers[:, operands[0]]
    given = [_value_of(operand, numbers) for operand in operands]
    return np.asarray((PLAIN | SINGLE)[name](*given)).astype(np.int64)


class _Looked(Row):
    """A row in which the inner numbers are `Known`."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(_plain(index))

    def count(self, value: Any) -> int:
        if any(isinstance(one, Symbol) for one in (value, *self)):
            return super().count(value)
        return sum(one == value for one in self)

    def __contains__(self, value: object) -> bool:
        return self.count(value) > 0


class _Paths:
    """The runs of the branches of a step that were made, by what they looked at: an expression, then what follows for
    each of its values; or in the end the number of the residual.
    """

    def __init__(self) -> None:
        self.expression: Expression | None = None
        self.after: dict[int, _Paths] = {}
        self.residual: int | None = None

    def add(self, looked: dict[Expression, int], residual: int | None) -> None:
        """Add a run, unless it looked at something else than another run with the same values before."""
        at = self
        for expression, value in looked.items():
            if at.residual is not None or at.expression not in (None, expression):
                return
            at.expression = expression
            at = at.after.setdefault(value, _Paths())
        if at.expression is None:
            at.residual = residual


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
        state = self.game.__dict__
        for name, field in self.game.declared.state.items():
            if isinstance(field, Ints):
                state[name] = _Looked(field, state[name], state)
        self.cells: list[tuple[str, int | None]] = []  # field and place in its row of each number
        for name in owners(self.game):
            row = isinstance(self.game.declared.state[name], Ints)
            self.cells.append((name, sum(name == other for other, _ in self.cells) if row else None))
        self.run = _Run({})
        outer = [(name, place, i) for i, (name, place) in enumerate(self.cells) if parts.outer[i]]
        self.outer = [(name, place, Symbol(self.run, self.run.note("outer", i))) for name, place, i in outer]
        self.inner = [(name, place, i) for i, (name, place) in enumerate(self.cells) if not parts.outer[i]]
        self.ends = list(zip(parts.low.tolist(), (parts.low + parts.span).tolist(), strict=True))
        self.uncounted = dict.fromkeys(self.game.declared.tallies, 0)
        self.found: dict[Key, int] = {}
        self.paths: dict[tuple[int, int], _Paths] = {}
        self.vain = 0

    def numbers(self, numbers: Array, steps: Array, branches: Array) -> Array:
        """Return the numbers of the residuals of branches of nodes; -1 for those that have none.

        Parameters
        ----------
        numbers
            The numbers of the nodes, (branches, numbers); outer ones may be any.
        steps, branches
            What `next` asks for there, and the numbers of the outcomes or moves.
        """
        found = np.full(len(steps), -1, np.int64)
        some, first, group = np.unique(
            np.column_stack((steps, branches)), axis=0, return_index=True, return_inverse=True
        )
        members = np.split(np.argsort(group.ravel(), kind="stable"), np.cumsum(np.bincount(group.ravel()))[:-1])
        for k in np.argsort(first).tolist():
            step, branch = some[k].tolist()
            kind = asked(self.game, step)[0]
            if kind.lists if isinstance(kind, Decision) else kind.varies:
                self.vain += len(members[k])  # of draws, what is seen depends on the state
            else:
                self._number(step, branch, numbers, members[k], found)
        return found

    def _number(self, step: int, branch: int, numbers: Array, members: Array, found: Array) -> None:
        """Set `found` for some branches that have the same step and number."""
        kind, values = asked(self.game, step)[0], self._values(step, branch)
        paths = self.paths.setdefault((step, branch), _Paths())
        waiting, plain, runs, done = [(paths, members)], False, 0, 0
        while waiting and self.vain <= VAIN:
            at, some = waiting.pop()
            if plain or at.residual is not None or at.expression is None:
                one = numbers[some[0]].tolist()
                residual = at.residual
                if plain:
                    many, residual = 1, self._residual(step, kind, values, one, False)
                elif residual is not None:
                    many = len(some)
                else:
                    runs, many, residual = runs + 1, 1, self._residual(step, kind, values, one, True)
                    if residual is None:
                        residual = self._residual(step, kind, values, one, False)
                    else:
                        paths.add(self.run.looked, residual)
                    plain = runs > max(LIMITS.residual_runs, SHARE * (done + 1))
                if residual is not None:
                    found[some[:many]] = residual
                done += many
                self.vain += many if residual is None else -many
                if many < len(some):
                    waiting.append((at, some[many:]))
                continue
            looked = _value_of(at.expression, numbers[some])
            for value in np.unique(looked).tolist():
                waiting.append((at.after.setdefault(value, _Paths()), some[looked == value]))

    def _residual(self, step: int, kind: Any, values: tuple[int, ...], numbers: list[int], later: bool) -> int | None:
        """Return the number of the residual of a branch; None if there is none, or where the rules fail if what is
        `Known` is computed `later`.
        """
        answers: list[bool] = []
        runs: list[object] = []
        self.run.start()
        while len(runs) < MOST_RUNS:
            self.run.begin(answers)
            try:
                result = self._result(numbers, kind, values, later)
            except RangeError:
                if later:
                    break
                result = ("failed",)
            except (Exception, Unfollowed):
                break
            runs.append((*self.run.events, result))
            while answers and not answers[-1]:
                answers.pop()
            if not answers:
                return self.found.setdefault((step, *runs), len(self.found))
            answers[-1] = False
        return None

    def _values(self, step: int, branch: int) -> tuple[int, ...]:
        """Return the values of an outcome or a move."""
        kind = asked(self.game, step)[0]
        if isinstance(kind, Decision):
            return tuple(moves_numbered(kind, self.game, np.array([branch]))[0].tolist())
        return self.follower.outcome(step, branch)

    def _result(self, numbers: list[int], kind: Any, values: tuple[int, ...], later: bool) -> Key:
        """Return what a run leads to: None for a move that isn't allowed, else the tally and the state.

        What is next, and what is counted at the end, follow from the state, and need not be run: `next` and `outcome`
        read nothing else, and change nothing in it.
        """
        game, state = self.game, self.game.__dict__
        self.place.set(numbers)
        state.update(self.uncounted)
        known = [(name, place, self._known(numbers, i)) for name, place, i in self.inner] if later else []
        for name, place, value in [*self.outer, *known]:
            if place is None:
                state[name] = value
            else:
                put: Any = list.__setitem__  # not checked as what rules set is
                put(state[name], place, value)
        if isinstance(kind, Decision) and not kind.considered(game, values):
            return (None,)
        applied(kind.run, game, values)
        counted = state[self.follower.tally] if self.follower.tally else 0
        after = [state[name] if place is None else state[name][place] for name, place in self.cells]
        return tuple(self.run.plain((counted, *after)))

    def _known(self, numbers: list[int], i: int) -> Known:
        """Return a number of a node, which remembers where it was."""
        return Known(self.run, numbers[i], self.ends[i], ("cell", i))
