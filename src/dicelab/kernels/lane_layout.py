"""Layout of the kernels that play many games side by side; importable without Numba, for code that builds tables."""

ROW_BITS = 20
"""Lower bits of a place: the row of the table at which a game stands. The upper bits count its tallies."""
BANKS = 4
"""Copies of the histograms, used in turn: adding to a number that has just been added to would stall."""
PATIENCE = 64
"""Rounds of four rolls between two checks for games that last too long."""
