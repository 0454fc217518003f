"""Tuning: which values of parameters give a game with wished-for figures, for optimal and for casual play.

`wishes` parses what is wished for; `plays` finds the figures of one candidate; `tune` tries them all; `tuned` is the
result.
"""
