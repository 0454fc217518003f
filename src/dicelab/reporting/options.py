"""The names of options of commands, which parameters of games may have as well."""

from __future__ import annotations

OPTIONS = {
    *("all", "digits", "engine", "exact", "floats", "fractions", "games", "given", "help", "histogram", "hint"),
    *("json", "limit", "memory", "of", "on", "out", "pace", "plot", "precision", "seed", "set", "strategy", "stream"),
    *("tally", "threads", "dry-run", "review", "luck-adjusted"),
    *("against", "seat", "objective", "counts", "file", "mean", "over", "sd", "solve-for", "variant", "with-exact"),
}
"""Options of the commands; parameters with these names are given by ``--set``."""
