"""Optimal policies: the call `solve`, what is optimised, and what a policy advises in a state.

Imports `dicelab.mdp`, `dicelab.analysis` and what lies below.
"""
