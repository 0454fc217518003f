"""The tasks of the lab's worker processes: what is computed for a page. They write plain data only.

The server starts them by name (`dicelab.interface.lab.work.process`), so it needs no NumPy and no game itself.
"""
