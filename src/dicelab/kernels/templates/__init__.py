"""The loops of the kernels as Python files with marked slots, which `dicelab.kernels.writers` fill for a game."""
