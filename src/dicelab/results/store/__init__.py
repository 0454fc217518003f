"""Answers that survive: a file that keeps what was played and solved, so that it is never computed twice.

A store never changes an answer, only how long it takes. ``docs/store.md`` describes the file.
"""
