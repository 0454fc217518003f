"""Check the rules in a file: contract, states, line-ups, engines, enumerations, policies, parameters.

``python -m dicelab.conformance FILE`` checks a file and prints one JSON object per line. `dicelab.conformance.check`
runs it as a child process, so that a file which loops, crashes or exits can't stop the command itself.
"""
