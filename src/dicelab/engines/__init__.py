"""Engines play games many times; all of them play the same games."""
