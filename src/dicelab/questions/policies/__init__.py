"""Optimal policies: the call `solve`, what is optimised, and what a policy advises in a state.

Imports `dicelab.solver`, `dicelab.questions` and what lies below.
"""
