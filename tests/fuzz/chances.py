"""What a game comes to, and how it is played best, by trying everything: an enumeration and a solver in a few lines.

They know rules as `fuzz.plain` runs them and nothing of dicelab.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fuzz.plain import OVER, Field, Peak, Row, Tally, Wrong, apply, declared, number

Numbers = tuple[Any, ...]
MOST_STATES, MOST_SWEEPS, MOST_WORK = 1500, 4000, 30_000


class TooMuch(Exception):
    """A game of more states than are worth while, or one that may never end."""


class Table:
    """A game whose seats are taken by strategies, by their names; those with None may choose as they like."""

    def __init__(self, game: Any, lineup: Sequence[str | None]) -> None:
        self.game = game
        kinds = declared(type(game), Field)
        self.tallies = [name for name, kind in kinds.items() if isinstance(kind, Tally)]
        self.peaks = [isinstance(kinds[name], Peak) for name in self.tallies]
        self.fields = [name for name, kind in kinds.items() if not isinstance(kind, Tally)]
        self.outcomes = len(game.outcomes) if game.outcomes is not None else number(game.seats, game)
        self.seats = [game.strategies[name] if name else None for name in lineup]
        self.memories = [seat[1](game) if seat and seat[1] else None for seat in self.seats]
        self.work = 0

    def start(self) -> tuple[Numbers, Numbers]:
        """The state at the beginning, and the tallies."""
        self.game.begin()
        apply(type(self.game).start, self.game)
        for at, seat in enumerate(self.seats):
            self.memories[at] = seat[1](self.game) if seat and seat[1] else None
        return self.state(), self.counted()

    def state(self) -> Numbers:
        holders = [(self.game, self.fields), *((m, [*declared(type(m), Field)]) for m in self.memories if m)]
        values = [vars(holder)[name] for holder, names in holders for name in names]
        return tuple(tuple(value) if isinstance(value, Row) else value for value in values)

    def counted(self) -> Numbers:
        return tuple(vars(self.game)[name] for name in self.tallies)

    def put(self, state: Numbers, counted: Numbers) -> None:
        values = iter(state)
        for holder, names in [(self.game, self.fields), *((m, declared(type(m), Field)) for m in self.memories if m)]:
            for name in names:
                old, new = vars(holder)[name], next(values)
                vars(holder)[name] = Row(old.field, old.game, list(new)) if isinstance(old, Row) else new
        vars(self.game).update(zip(self.tallies, counted, strict=True))

    def branches(self, state: Numbers, counted: Numbers) -> tuple[int, list[tuple[Fraction, Any, Numbers]]]:
        """The seat that chooses freely (-1 for dice or a strategy); chance, next state or outcome, and tallies."""
        self.work += 1
        if self.work > MOST_WORK:
            raise TooMuch
        self.put(state, counted)
        step = self.game.next()
        if step == OVER:
            outcome = int(self.game.outcome()) if self.outcomes > 1 or self.game.outcomes else 0
            if not 0 <= outcome < max(1, self.outcomes):
                raise Wrong("outcome")
            return -1, [(Fraction(1), outcome, self.counted())]
        what, kind, many = step
        if what == "throw":
            moves = list(kind.outcomes(self.game, many))
            return -1, [(chance, *self.after(kind, seen, state, counted)) for seen, chance in moves]
        if self.seats[many] is None:
            moves = kind.worth_trying(self.game)
            return many, [(Fraction(1), *self.after(kind, move, state, counted)) for move in moves]
        rule, _, args = self.seats[many]
        memory = self.memories[many]
        move = rule(self.game, *([memory] if memory else []), *args)
        move = move if isinstance(move, tuple) else (move,)
        if not kind.allows(self.game, move):
            raise Wrong("not allowed")
        apply(kind.rule, self.game, *move)
        return -1, [(Fraction(1), self.state(), self.counted())]

    def after(self, kind: Any, seen: Numbers, state: Numbers, counted: Numbers) -> tuple[Numbers, Numbers]:
        self.work += 1
        self.put(state, counted)
        apply(kind.rule, self.game, *seen)
        return self.state(), self.counted()


def ends(table: Table) -> dict[tuple[int, Numbers], Fraction] | None:
    """How likely each outcome is, with each value of all tallies; None for a game without a longest course."""
    now = {table.start(): Fraction(1)}
    found: dict[tuple[int, Numbers], Fraction] = defaultdict(Fraction)
    for _ in range(60):
        after: dict[tuple[Any, Numbers], Fraction] = defaultdict(Fraction)
        for (state, counted), chance in now.items():
            _, branches = table.branches(state, counted)
            for likely, where, tallies in branches:
                (found if isinstance(where, int) else after)[where, tallies] += chance * likely
        if not after:
            return dict(found)
        now = after
    return None


def graph(table: Table) -> tuple[Any, dict[Any, tuple[int, list[tuple[Fraction, Any, Numbers]]]]]:
    """The first state with its tallies, and for each state who chooses, and where it leads with what is counted."""
    first, nothing = table.start(), (0,) * len(table.tallies)
    found: dict[Any, Any] = {}
    open_ = [first[0]]
    while open_:
        state = open_.pop()
        if state in found:
            continue
        found[state] = table.branches(state, nothing)
        open_ += [where for _, where, _ in found[state][1] if not isinstance(where, int)]
        if len(found) > MOST_STATES:
            raise TooMuch
    return first, found


def expected(states: Mapping[Any, tuple[int, list[tuple[Fraction, Any, Numbers]]]], gain: Any) -> dict[Any, Fraction]:
    """What each state is worth, on average, where nobody chooses: linear equations, solved by elimination.

    `gain` is what an edge gives: of the outcome (None while the game goes on) and what is counted.
    """
    rows: dict[Any, dict[Any, Fraction]] = {}
    for state, (_, branches) in states.items():
        row: dict[Any, Fraction] = defaultdict(Fraction)
        for chance, where, counted in branches:
            over = isinstance(where, int)
            row[None] += chance * gain(where if over else None, counted)
            if not over:
                row[where] += chance
        rows[state] = row
    order = list(rows)
    for state in order:
        row = rows[state]
        stay = row.pop(state, Fraction(0))
        if stay == 1:
            raise TooMuch
        for to in row:
            row[to] /= 1 - stay
        for other in order:
            share = rows[other].pop(state, None) if other is not state else None
            for to, part in row.items() if share else ():
                rows[other][to] = rows[other].get(to, Fraction(0)) + share * part
    return {state: row[None] for state, row in rows.items()}


def best(states: Mapping[Any, Any], gain: Any, want: Sequence[int]) -> dict[Any, float]:
    """What each state is worth under best play, by value iteration; `want` is 1 for seats that want much, else -1."""
    value = dict.fromkeys(states, 0.0)
    edges = {state: (who, list(_valued(branches, gain))) for state, (who, branches) in states.items()}
    for _ in range(MOST_SWEEPS):
        change = 0.0
        for state, (who, branches) in edges.items():
            worths = [(chance, gained + value.get(where, 0.0)) for chance, gained, where in branches]
            if who < 0:
                new = sum(chance * worth for chance, worth in worths)
            else:
                new = want[who] * max(want[who] * worth for _, worth in worths)
            change = max(change, abs(new - value[state]) / max(1.0, abs(new)))
            value[state] = new
        if change < 1e-13:
            return value
    raise TooMuch


def _valued(branches: Any, gain: Any) -> Iterator[tuple[float, float, Any]]:
    for chance, where, counted in branches:
        over = isinstance(where, int)
        yield float(chance), float(gain(where if over else None, counted)), None if over else where
