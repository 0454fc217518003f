"""What people use: the command line, play at the terminal, the lab in the browser, and reports.

Imports everything below; nothing imports it.
"""
