"""Luck and skill: the value of every state under optimal play, and what rolls and decisions change of it."""
