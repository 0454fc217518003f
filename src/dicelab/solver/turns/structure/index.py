"""Numbers rows of words in the order in which they are first added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.hashtable import note_all
from dicelab.solver.turns.structure.loops import number_rows

FIRST_ROOM = 1 << 10


class Index:
    """Rows of `words` words, each once, and a hash table of them that is at most half full.

    Attributes
    ----------
    known, table
        uint64 array of the rows, with room for more, and the table of `dicelab.compile.kernels.hashtable`.
    count
        Number of rows.
    """

    def __init__(self, words: int) -> None:
        self.known = np.zeros((FIRST_ROOM, words), np.uint64)
        self.table = np.full(2 * FIRST_ROOM, -1, np.int32)
        self.count = 0

    @property
    def rows(self) -> NDArray[np.uint64]:
        """All rows."""
        return self.known[: self.count]

    def add(self, rows: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The numbers of some rows; new ones are added."""
        if self.count + len(rows) > len(self.known):
            room = 1 << (2 * (self.count + len(rows)) - 1).bit_length()
            known = np.zeros((room, self.known.shape[1]), np.uint64)
            known[: self.count] = self.rows
            self.known, self.table = known, np.full(2 * room, -1, np.int32)
            note_all(known[: self.count], self.table)
        numbers = np.empty(len(rows), np.int32)
        self.count = number_rows(np.ascontiguousarray(rows), self.known, self.count, self.table, numbers)
        return numbers
