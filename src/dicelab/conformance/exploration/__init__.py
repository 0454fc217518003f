"""The states that legal moves reach, and the settings at which they are looked for.

Imports `dicelab.conformance.findings` and what lies below `dicelab.conformance`.
"""
