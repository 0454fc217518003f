"""Reads and sets the state of a game in progress in the reference engine, as a list of numbers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from dicelab.rules.fields import Field, Flag, Ints, fields_of
from dicelab.rules.game import Game, Memory, seat_count
from dicelab.rules.params import value_of
from dicelab.runtime.lineup import Call, distinct


class Place:
    """A game in progress in the reference engine, whose state can be read and set as a list of numbers.

    The state has the fields of the game, except those in `without`, and the memories of the strategies, in the order of
    `dicelab.runtime.states.codec`.
    """

    def __init__(self, game: Game, calls: Sequence[Call], without: Collection[str] = ()) -> None:
        self.game = game
        self.memories: list[Memory | None] = [c.strategy.memory(game) if c.strategy.memory else None for c in calls]
        self.choosers = [call.chooser(game, memory) for call, memory in zip(calls, self.memories, strict=True)]
        state = [(name, f) for name, f in game.declared.state.items() if name not in without]
        self._single = [name for name, f in state if not isinstance(f, Ints)]
        self._flags = {name for name, f in state if isinstance(f, Flag)}
        self._rows = [name for name, f in state if isinstance(f, Ints)]
        self._kept = self._memory_cells(calls)

    def _memory_cells(self, calls: Sequence[Call]) -> list[tuple[dict[str, Any] | None, str, int, int]]:
        """For each field of a memory and each seat: its `__dict__`, name, length (-1: a number), initial value.

        The dictionary is None in the seats of other strategies.
        """
        cells: list[tuple[dict[str, Any] | None, str, int, int]] = []
        for strategy in distinct(call.strategy for call in calls):
            for f in fields_of(strategy.memory, Field) if strategy.memory else ():
                for seat in range(max(1, seat_count(self.game))):
                    mine = seat < len(calls) and calls[seat].strategy.name == strategy.name
                    length = value_of(f.length, self.game) if isinstance(f, Ints) else -1
                    kept = self.memories[seat].__dict__ if mine else None
                    cells.append((kept, f.name, length, f.initial(self.game)))
        return cells

    def read(self) -> tuple[int, ...]:
        """The numbers of the state."""
        values = self.game.__dict__
        numbers = [int(values[name]) for name in self._single]
        for name in self._rows:
            numbers += values[name]
        for kept, name, length, start in self._kept:
            if length < 0:
                numbers.append(int(kept[name]) if kept is not None else start)
            else:
                numbers += kept[name] if kept is not None else [start] * length
        return tuple(numbers)

    def set(self, numbers: Sequence[int]) -> None:
        """Set the state."""
        values = self.game.__dict__
        at = len(self._single)
        for name, number in zip(self._single, numbers, strict=False):
            values[name] = bool(number) if name in self._flags else number
        for name in self._rows:
            at = _set_row(values[name], numbers, at)
        for kept, name, length, _ in self._kept:
            if kept is None:
                at += max(1, length)
            elif length < 0:
                kept[name] = numbers[at]
                at += 1
            else:
                at = _set_row(kept[name], numbers, at)


def _set_row(row: list[int], numbers: Sequence[int], at: int) -> int:
    list.__setitem__(row, slice(None), numbers[at : at + len(row)])
    return at + len(row)
