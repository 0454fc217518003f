"""Questions about games, and their answers."""
