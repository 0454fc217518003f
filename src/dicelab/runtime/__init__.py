"""Playing games one at a time: who sits where, the reference engine, totals, chunks on threads, transcripts.

Imports `dicelab.random`, `dicelab.purity` and what lies below.
"""
