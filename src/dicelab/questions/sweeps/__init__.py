"""Sweeps: one question for a range of values of a parameter, and the value at which a figure equals a target.

`ranges` parses values; `points` makes the games; `sweep` answers at every point, `solve_for` only where it must.
"""
