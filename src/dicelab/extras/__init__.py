"""What few need: craps, games on a GPU and on a cluster, learning.

Nothing else imports this folder: what it offers is registered as entry points (pyproject.toml), as another package
does it. `dicelab.learning` and `dicelab.textbook` are like it, with names of their own because programs import them.
"""
