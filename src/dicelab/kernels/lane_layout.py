"""Layout of the kernels that follow many games side by side, for those who make their tables, without Numba."""

ROW_BITS = 20
"""Lower bits of a place that say in which row of the table a game stands; the others count its tallies."""
BANKS = 4
"""Copies of the histograms, used in turn, because adding to the number just added to would have to wait for it."""
PATIENCE = 64
"""Rounds of four rolls after which games that last too long are looked for."""
