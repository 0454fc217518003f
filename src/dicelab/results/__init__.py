"""Results: estimates and exact values with their intervals, as text, plain data, tables and files.

Imports `dicelab.chains` and what lies below.
"""
