"""Rolls of somebody's dice: read, tested against fair dice, and what follows for a game."""
