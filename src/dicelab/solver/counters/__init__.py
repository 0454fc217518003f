"""Sessions solved with money beside the state: which transitions hold for which amounts, and probability moved along
them.

Imports `dicelab.solver`, `dicelab.runtime.states` and what lies below.
"""
