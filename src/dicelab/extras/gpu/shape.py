"""The sizes for which kernels on a GPU are made."""

from __future__ import annotations

from typing import NamedTuple

SHARED = 4096
"""Limit of the number of entries of a table in shared memory: 32 KiB of the 48 that a block has on every GPU."""
COUNTERS = 2048
"""Counters of a block in shared memory, for the smallest tallies: 8 KiB."""


class Shape(NamedTuple):
    """What is constant in a kernel: numbers of the table (`dicelab.engines.tables.state`), and what is counted."""

    size: int
    """Entries of the table."""
    weight: int
    """Total weight of the dice, the same in all states; 0 if it differs."""
    start: int
    """Place at which games begin."""
    live: int
    """Row of the first ending; the endings are ``1 << shift`` apart."""
    shift: int
    endings: int
    fields: int
    """Number of tallies that grow, at least 1."""
    bits: int
    """Bits of each of these in a place, and `bias`, what is added to it (less the lowest value that is counted)."""
    bias: int
    values: int
    """Number of values of each that are counted, and `below`, how many of these are less than 0."""
    below: int
    shared: int = SHARED
    counters: int = COUNTERS
    """Room in shared memory: for entries of the table, and for counters."""
