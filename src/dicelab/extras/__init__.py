"""What few need: craps, the five texts, games on a GPU and on a cluster, learning.

Nothing else imports this folder: what it offers is registered as entry points (pyproject.toml), as another package
does it. Programs import `dicelab.learning` and `dicelab.textbook`, two modules that lead here.
"""
