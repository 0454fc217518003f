"""Verify the rules in a file: contract, states, line-ups, engines, enumerations, policies, parameters.

``python -m dicelab.conformance FILE`` checks a file and prints a JSON object a line. It is the child process that
`dicelab.conformance.in_child` starts, so that a file which loops, crashes or exits can't take the command down.
"""
