"""The loops of the kernels as Python files with marked slots, which `dicelab.compile.kernels.writers` fill for a
game.
"""
