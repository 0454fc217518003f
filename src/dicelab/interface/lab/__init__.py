"""The lab in the browser: every question is an address, with a page, JSON, a command and three lines of Python.

The server (`dicelab.interface.lab.app`) never runs rules: each question is a job in a process of its own
(`dicelab.interface.lab.job`), which runs a task of `dicelab.interface.lab.work`. It needs the extra ``dicelab[lab]``.
"""
