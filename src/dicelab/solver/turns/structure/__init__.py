"""The structure of a turn: found once, and shared between turns that read the same.

These modules may import chains and layers below them.
"""
