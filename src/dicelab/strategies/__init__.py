"""Strategies in files of their own, one module for each collection."""
