"""The questions one asks of bets and bankrolls: edges, sessions, betting systems, risk of ruin.

Imports `dicelab.questions` and what lies below.
"""
