"""Results: estimates and exact values with their intervals, as text, plain data, tables and files.

Imports `dicelab.solver` and what lies below.
"""
