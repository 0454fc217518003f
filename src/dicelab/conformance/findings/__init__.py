"""What a check found: where it is in the file, in which words it is said, and the report.

Imports what lies below `dicelab.conformance`.
"""
