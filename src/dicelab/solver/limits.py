"""Sizes by which the solver decides how to answer. No answer depends on them, so tests change them to see every way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class SolverLimits:
    """Limits of states, edges and seconds."""

    counted: int = 1_000_000
    """States up to which a chain is counted; the size of a larger one is judged by smaller ones."""
    counting: float = 2.0
    """Seconds of work for one count."""
    estimating: float = 8.0
    """Seconds of work for all counts of one estimate."""
    watched: int = 2_000_000
    """States after which an enumeration that goes on is compared with an estimate."""
    symmetric_edges: int = 400_000
    """Edges, times seats, up to which the symmetry of the seats isn't used: all distributions are then joint with the
    outcome, and fractions are possible."""
    run_edges: int = 100_000
    """Edges from which runs are looked for."""
    part: int = 200_000
    """States that are solved between two reports of the progress."""
    payoffs: int = 200_000
    """Payoffs in a tree that is given to a linear program: with 73,712 (liar's dice with six faces) it takes 2 s."""
    surveyed: int = 1_200_000
    """States after which a game that may be solved turn by turn is surveyed: are there too many to find them all?"""
    many: int = 2_000_000
    """States above which a game is solved turn by turn if no policy is asked for."""
    many_with_policy: int = 5_000_000
    """States above which a game is solved turn by turn if its policy is asked for."""


LIMITS = SolverLimits()
