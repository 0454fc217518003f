"""Endings of games that are small enough to be worked out before a choice: exact values in place of estimates.

By itself because it solves exactly, while `dicelab.questions.policies.thinking` estimates.
"""

from __future__ import annotations

from math import fsum
from operator import mul

from dicelab.limits import LIMITS
from dicelab.questions.policies.ahead import ChoiceState, Roll, Row, Table, Value

SWEEPS = 60
"""Limit of the passes over the states, where they lead back to each other."""
SETTLED = 1e-12
"""Largest change of a value in the last pass."""
SOONER = 1 - 2.0**-36
"""Factor of each step, so that of two moves that are worth the same the one that ends the game sooner is made."""


def ending(table: Table, row: Row, most: int | None = None) -> dict[Row, Value] | None:
    """Return what every state that can come about from now on, by its key, is worth to each seat, if all make the best
    moves.

    A game that never ends is worth less than any end. None if more than `most` moves and outcomes of rolls (or
    `LIMITS.ending_edges`) are left, or the values don't settle.
    """
    states = _States(table, LIMITS.ending_edges if most is None else most)
    if not states.follow(row):
        return None
    steps = [(table.step(states.rows[key]), after) for key, after in states.after.items()]
    places = {key: place for place, key in enumerate(states.after)}
    ends = [step for step, _ in steps if not isinstance(step, ChoiceState | Roll)]
    if not ends:
        return None
    least = [min(values) - 1 for values in zip(*ends, strict=True)]
    worth = [[0.0] * len(steps) for _ in least]  # of each seat
    order: list[tuple[int, int, list[int], list[float]]] = []
    for place, (step, after) in enumerate(steps):
        leads = [places[key] for key in after]
        if isinstance(step, ChoiceState):
            order.append((place, step.seat, leads, []))
        elif isinstance(step, Roll):
            order.append((place, -1, leads, [one.weight / step.dice.weight for one in step.dice.outcomes]))
        else:
            for seat, low in enumerate(least):
                worth[seat][place] = step[seat] - low
    for _ in range(SWEEPS):
        if _sweep(order, worth) <= SETTLED:
            return {
                key: tuple(each[place] + low for each, low in zip(worth, least, strict=True))
                for key, place in places.items()
            }
    return None


def _sweep(order: list[tuple[int, int, list[int], list[float]]], worth: list[list[float]]) -> float:
    """Work out every state once more: its place, the seat that chooses or -1, where it leads, the chances of a roll.

    Returns the largest change.
    """
    largest = 0.0
    for place, chooser, leads, chances in order:
        if chooser >= 0:
            best = max(leads, key=worth[chooser].__getitem__)
        for each in worth:
            new = SOONER * (each[best] if chooser >= 0 else fsum(map(mul, chances, map(each.__getitem__, leads))))
            largest = max(largest, abs(new - each[place]))
            each[place] = new
    return largest


class _States:
    """The states that can come about: `rows` by their keys, and the keys of those that come `after` each of them.

    In `after` a state comes after those to which it leads, as far as they don't lead back.
    """

    def __init__(self, table: Table, most: int) -> None:
        self.table, self.left = table, most
        self.rows: dict[Row, Row] = {}
        self.after: dict[Row, list[Row]] = {}

    def follow(self, row: Row) -> bool:
        """Find all states from one on; returns whether they were few enough."""
        waiting = [(row, self._found(row), 0)]
        while waiting:
            one, after, at = waiting.pop()
            if after is None:
                return False
            if at == len(after):
                self.after[self.table.key(one)] = [self.table.key(other) for other in after]
                continue
            waiting.append((one, after, at + 1))
            if self.table.key(after[at]) not in self.rows:
                waiting.append((after[at], self._found(after[at]), 0))
        return True

    def _found(self, row: Row) -> list[Row] | None:
        self.rows[self.table.key(row)] = row
        after = self.table.all_after(row, self.left)
        self.left -= len(after or ())
        return after
