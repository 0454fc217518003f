"""A policy as a rule to remember: candidates are fitted and searched, and each is valued exactly.

Imports `dicelab.questions.policies` and what lies below.
"""
