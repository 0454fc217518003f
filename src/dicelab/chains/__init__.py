"""Exact answers: a game as an absorbing chain, solved in fractions or in floating point with an error bound.

`exact_answer` puts the parts together; `counters` solves sessions whose money need not be part of a state. Imports
`dicelab.engines` and what lies below.
"""
