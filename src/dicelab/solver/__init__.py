"""Exact answers and optimal play: a game as a chain of states, solved in fractions or with an error bound.

`exact_answer` puts the parts together; `counters` solves sessions whose money need not be part of a state;
`value_iteration`, `equilibrium` and `turns` find optimal play. Imports
`dicelab.engines` and what lies below.
"""
