"""Luck and skill: the value of every state under optimal play, and by how much rolls and decisions change it."""
