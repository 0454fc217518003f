"""Compiled code from rules: their translation, and the kernels that play, enumerate and step games.

Imports `dicelab.runtime` and what lies below.
"""
