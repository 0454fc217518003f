"""Modules that write the texts of kernels for one game: its rules as plain functions, and the loop around them."""
