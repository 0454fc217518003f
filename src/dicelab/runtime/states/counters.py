"""Counter abstraction: the states of a game without the numbers that rules only add to and compare, such as money.

As long as a counter is within certain bounds (the money is enough for all bets, and below the goal), the game goes on
in the same way whatever its value. Without counters the states are few, and each transition says what it adds to them.
The bounds within which that is valid are found by `dicelab.runtime.states.counters`; beyond them the rules are applied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from dicelab.errors import NotSmall
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import Ints, Peak, Seat, Traced, applied
from dicelab.rules.fields.rows import refuse_rest
from dicelab.rules.game import Game
from dicelab.rules.params import value_of
from dicelab.runtime.interpreter import Explained
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.states.explorer import UNRAISED, DependsOnHidden, End, StateExplorer

# Affine ---------------------------------------------------------------------------------------------------------------
#
# Affine values: stand-ins for a counter that record what rules add to it and which comparisons they make.
#
# A player's money and the rounds still to play are numbers of a wide range that make a game large, although the rules
# only add to them and compare them. Such a counter is put into its field as an `AffineValue`: an unknown initial value
# plus a known number. Comparisons give the answer for one initial value, and narrow the interval of initial values
# (`Span`) for which the answer is the same. Everything else raises `DependsOnHidden` with the name of the field.

FAR = 2**62


class Span:
    """The initial values of a field for which the rules do the same: `low` to ``high - 1``; `value` is one of them.

    If `checked`, they are also values for which every stored value is in its declared range.
    """

    def __init__(self, name: str, value: int, checked: bool = True) -> None:
        self.name, self.value, self.checked = name, value, checked
        self.low, self.high = -FAR, FAR

    def at_least(self, bound: int) -> bool:
        """Return whether `value` is at least `bound`; narrows the interval to the values with the same answer."""
        if self.value >= bound:
            self.low = max(self.low, bound)
            return True
        self.high = min(self.high, bound)
        return False


class AffineValue(Traced):
    """The initial value of a field plus a number: what the rules have added to it since the last state."""

    __slots__ = ("by", "span")

    def __init__(self, span: Span, by: int = 0) -> None:
        self.span, self.by = span, by

    def stored(self, least: object, bounds: tuple[int, int]) -> AffineValue:
        """Narrow the interval to the declared range; raises `DependsOnHidden` if `Span.value` is outside it."""
        low, high = bounds
        if self.span.checked and not (low <= self <= high and (least is None or self >= least)):
            raise DependsOnHidden(self.span.name)
        return self

    def __add__(self, other: object) -> AffineValue:
        return AffineValue(self.span, self.by + self._whole(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        if isinstance(other, AffineValue) and other.span is self.span:
            return self.by - other.by
        return AffineValue(self.span, self.by - self._whole(other))

    def _whole(self, other: object) -> int:
        if not isinstance(other, int):
            raise DependsOnHidden(self.span.name)
        return int(other)

    def _compared(self, other: object, at_least: Callable[[int], bool], plain: Callable[[int, int], bool]) -> bool:
        if isinstance(other, AffineValue):
            if other.span is not self.span:
                raise DependsOnHidden(self.span.name)
            return plain(self.by, other.by)
        return at_least(self._whole(other) - self.by)

    def __ge__(self, other: object) -> bool:
        return self._compared(other, self.span.at_least, lambda a, b: a >= b)

    def __gt__(self, other: object) -> bool:
        return self._compared(other, lambda bound: self.span.at_least(bound + 1), lambda a, b: a > b)

    def __lt__(self, other: object) -> bool:
        return not self >= other

    def __le__(self, other: object) -> bool:
        return not self > other

    def __eq__(self, other: object) -> bool:
        return self >= other and self <= other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return self != 0


def _refuse(traced: AffineValue, *_: object) -> NoReturn:
    raise DependsOnHidden(traced.span.name)


refuse_rest(AffineValue, _refuse)

WIDE = 32
"""Smallest width of a declared range (largest minus smallest value) for which a field may be a counter."""
MOST_CELLS = 8
"""Longest row whose numbers may be counters."""
MOST_POSITIONS, MOST_EDGES = 1 << 13, 40_000
MOST_WEIGHT = 64
"""Limits: states, edges (plain Python finds some 7,000 to 50,000 a second), and total weight of the dice."""


@dataclass(frozen=True)
class CounterStates:
    """The states of a game without its counters, and the transitions between them.

    Attributes
    ----------
    spans
        The counters: name (``purse[0]``), value at the start, and the interval in which the transitions are valid.
    still
        Fields that could be counters but never change, such as side bets that no strategy makes.
    positions
        The states, as tuples of the other numbers.
    start
        The first state, and the change before it.
    weight
        Total weight of the dice, the same in every state.
    ends
        For each state and each number below `weight`: the next state, or ``-1 - outcome``, and the number of a change.
    changes
        Each change: what is added to each tally, then to each counter; then two numbers for each `Peak`: it is raised
        to the first plus the value of a counter before the roll; the second is the index of the counter, -1 for none.
    choices
        The largest number of choices between two rolls.
    set_to
        Names of counters that rules also set to known values, in optimistic mode (`loose`).
    """

    spans: list[Span]
    still: list[Span]
    positions: Sequence[tuple[int, ...]]
    start: End
    weight: int
    ends: list[list[End]]
    changes: list[tuple[int, ...]]
    choices: int
    set_to: frozenset[str]


class CounterExplorer(StateExplorer):
    """A state explorer whose counters are affine values while rules run; `counter_states` explains the parameters."""

    def __init__(self, run: Run, names: Sequence[str], loose: bool = False, checked: bool = True) -> None:
        self.spans: list[Span] = []
        self.loose, self.checked, self.set_to = loose, checked, set[str]()
        self._cells = [(name, i) for name in names for i in _indices(run.game, name)]
        self._peaks = [name for name, tally in run.game.declared.tallies.items() if isinstance(tally, Peak)]
        super().__init__(run, (), names)

    def counted(self) -> tuple[int, ...]:
        """Return a change as in `CounterStates.changes`: tallies, sums added to counters, values of raised peaks."""
        sums, values = [], self.game.__dict__
        for (name, i), span in zip(self._cells, self.spans, strict=True):
            value = self._cell(name, i)
            if self.loose and not isinstance(value, AffineValue):
                self.set_to.add(name)
                value = AffineValue(span)
            if type(value) is not AffineValue or value.span is not span:
                raise DependsOnHidden(name)  # it was set, not added to
            sums.append(value.by)
        tallies = _plain(tuple(0 if name in self._peaks else values[name] for name in self.game.declared.tallies))
        return *tallies, *sums, *(number for name in self._peaks for number in self._raised(values[name]))

    def _raised(self, peak: Any) -> tuple[int, int]:
        return (peak.by, self.spans.index(peak.span)) if isinstance(peak, AffineValue) else (peak, -1)

    def throw_at(self, numbers: tuple[int, ...]) -> tuple[Throw, int]:
        """As `StateExplorer`; at a choice it raises `DependsOnHidden` with a counter that may be the cause."""
        kind, dice = self.arrive(numbers)
        if isinstance(kind, Decision):
            raise DependsOnHidden(*self._blamed())
        return kind, dice

    def _blamed(self) -> list[str]:
        """Return one counter that rules also set, as a list; preferably one that they never add to."""
        tallies = len(self.game.declared.tallies)
        cells = enumerate(self._cells, tallies)
        moved = {name for at, (name, _) in cells if any(change[at] for change in self.changes.things)}
        return sorted(self.set_to, key=lambda name: (name in moved, name))[:1]

    def follow(self, kind: Throw | Decision, values: tuple[int, ...]) -> End:
        """As `StateExplorer`; raises `DependsOnHidden` where rules do more with a counter than add and compare."""
        self.place.set(self._here)
        self._count_from(self.nothing)
        with Explained(self.game):
            applied(kind.run, self.game, values)
        return self._settle()

    def note(self, here: tuple[int, ...], counted: tuple[int, ...]) -> End:
        """As `StateExplorer`; raises `DependsOnHidden` if a number of the state is an affine value."""
        return super().note(_plain(here), counted)

    def _count_from(self, values: tuple[int, ...]) -> None:
        tallies = len(self.game.declared.tallies)
        super()._count_from(values[:tallies])
        rest = values[tallies:] or (0,) * len(self.spans) + (UNRAISED, -1) * len(self._peaks)
        for (name, i), span, by in zip(self._cells, self.spans, rest, strict=False):
            self._put(name, i, AffineValue(span, by))
        for k, name in enumerate(self._peaks):
            by, at = rest[len(self.spans) + 2 * k :][:2] if self.spans else (UNRAISED, -1)
            self.game.__dict__[name] = AffineValue(self.spans[at], by) if at >= 0 else by

    def _hide(self) -> bool:
        """Replace the counters by affine values, once, after `start` has set them; nothing is hidden."""
        if not self.spans:
            for name, i in self._cells:
                self.spans.append(Span(name, self._cell(name, i), self.checked))
                self._put(name, i, AffineValue(self.spans[-1]))
        return False

    def _cell(self, name: str, i: int) -> Any:
        value = self.game.__dict__[name]
        return value if i < 0 else list.__getitem__(value, i)

    def _put(self, name: str, i: int, value: AffineValue | int) -> None:
        if i < 0:
            self.game.__dict__[name] = value
        else:
            list.__setitem__(self.game.__dict__[name], i, value)

    def cell_names(self) -> list[str]:
        """Return the names of the counters as in `dicelab.runtime.states.codec`."""
        return [name if i < 0 else f"{name}[{i}]" for name, i in self._cells]


def _indices(game: Game, name: str) -> range:
    """Return the indices of a row, or -1 for a single number."""
    field = game.declared.state[name]
    return range(value_of(field.length, game)) if isinstance(field, Ints) else range(-1, 0)


def _plain(numbers: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the numbers unchanged; raises `DependsOnHidden` if one of them is an affine value."""
    for number in numbers:
        if isinstance(number, AffineValue):
            raise DependsOnHidden(number.span.name)
    return numbers


def counter_states(
    run: Run,
    wide: int = WIDE,
    most: int = MOST_POSITIONS,
    loose: bool = False,
    checked: bool = True,
) -> CounterStates:
    """Return the states and transitions of a game without its counters.

    Fields of a wide range are taken for counters first; a field with which the rules do more than add and compare
    becomes part of the states again, until the rest are counters.

    Parameters
    ----------
    run
        The game and its strategies.
    wide
        Smallest width of the declared range of a counter.
    most
        Limit on the number of states.
    loose
        Optimistic mode: counters may also be set to known values, but assignments are ignored. It finds candidates for
        counters; the transitions are not valid.
    checked
        Bounds are such that within them every stored value is in its declared range.

    Raises
    ------
    NotSmall
        If there are no counters, or too many states without them.
    """
    names = _wide(run.game, wide)
    while names:
        try:
            explorer = CounterExplorer(run, names, loose, checked)
            states = _explored(explorer, most)
            if not (only_set := explorer.set_to - {span.name.partition("[")[0] for span in states.spans}):
                return states
            names = [name for name in names if name not in only_set]
        except DependsOnHidden as met:
            if not met.args:
                raise NotSmall("its rules do too much with its counters: more than add and compare") from None
            names.remove(met.args[0])
    raise NotSmall("it has no counter: no number of a wide range that its rules only add to and compare")


def _wide(game: Game, wide: int = WIDE) -> list[str]:
    counters = []
    for name, f in game.declared.state.items():
        low, high = f.bounds(game)
        if high - low >= wide and not isinstance(f, Seat) and len(_indices(game, name)) <= MOST_CELLS:
            counters.append(name)
    return counters


def is_wide(game: Game) -> bool:
    """Return whether a game has fields wide enough to be counters."""
    return bool(_wide(game))


def _explored(explorer: CounterExplorer, most: int) -> CounterStates:
    """Explore all states; see `counter_states`."""
    weight = edges = 0
    ends: list[list[End]] = []
    if explorer.start[0] < 0:
        raise NotSmall("it is over before the first roll")
    for here in explorer.positions.things:  # it grows
        kind, dice = explorer.throw_at(here)
        with Explained(explorer.game):
            thrown = pool(explorer.game, kind, dice)
        weight = weight or thrown.weight
        if not thrown.whole or thrown.weight != weight or weight > MOST_WEIGHT:
            raise NotSmall(f"its rolls don't have the same total weight, at most {MOST_WEIGHT}")
        row: list[End] = []
        for outcome in thrown.outcomes:
            row += [explorer.follow(kind, outcome.seen)] * outcome.weight
        ends.append(row)
        edges += len(thrown.outcomes)
        if len(explorer.positions.things) > most or edges > MOST_EDGES:
            raise NotSmall(f"it has more than {len(ends):,} states")
    for span, name in zip(explorer.spans, explorer.cell_names(), strict=True):
        span.name = name
    spans, still, changes = _moving(explorer)
    things, set_to = explorer.positions.things, frozenset(explorer.set_to)
    return CounterStates(spans, still, things, explorer.start, weight, ends, changes, explorer.choices, set_to)


def _moving(explorer: CounterExplorer) -> tuple[list[Span], list[Span], list[tuple[int, ...]]]:
    """Return the counters that change, those that never do, and the changes without the latter."""
    tallies, every = len(explorer.game.declared.tallies), len(explorer.spans)
    changes = explorer.changes.things
    named = {change[k] for change in changes for k in range(tallies + every + 1, len(change), 2)}
    moving = [i for i in range(every) if i in named or any(change[tallies + i] for change in changes)]
    if not moving:
        raise NotSmall("none of its possible counters ever changes")
    place = {at: k for k, at in enumerate(moving)} | {-1: -1}
    shorter = []
    for change in changes:
        raised = change[tallies + every :]
        peaks = (n if k % 2 == 0 else place[n] for k, n in enumerate(raised))
        shorter.append((*change[:tallies], *(change[tallies + i] for i in moving), *peaks))
    still = [span for i, span in enumerate(explorer.spans) if i not in place]
    return [explorer.spans[i] for i in moving], still, shorter
