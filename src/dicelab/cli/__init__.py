"""The command line: one module for each group of commands, their options and their output.

Imports everything else.
"""
