"""Commands that answer a question with a result: what is asked, and what is shown beside the result.

Each calls the function of the same name in Python and uses only the shared parts of the command line.
"""
