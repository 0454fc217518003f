"""The questions one asks of bets and bankrolls: edges, sessions, betting systems, risk of ruin.

Imports `dicelab.analysis` and what lies below.
"""
