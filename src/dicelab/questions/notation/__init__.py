"""Dice expressions such as ``4d6 keep highest 3``: parsed, and answered exactly."""
