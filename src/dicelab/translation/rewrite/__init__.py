"""Rewriting: a rule as a function over numbers and arrays, expression by expression."""
