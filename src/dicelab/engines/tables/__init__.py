"""Engines that play from a table of states.

They may import `dicelab.engines.compiled` and layers below the engines.
"""
