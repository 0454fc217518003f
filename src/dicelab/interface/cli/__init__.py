"""The command line: one module for each group of commands, their options and their output.

It imports everything else.
"""
