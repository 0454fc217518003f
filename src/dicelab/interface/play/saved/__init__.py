"""Saved games: one readable JSON file each, described in ``docs/saved-games.md``."""
