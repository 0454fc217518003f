"""Lowering: what goes through a sequence, and functions inside rules, become loops and functions of their own."""
