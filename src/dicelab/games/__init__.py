"""The games that come with dicelab, one file each. They do not import each other.

Imports `dicelab.rules` and `dicelab.craps`.
"""
