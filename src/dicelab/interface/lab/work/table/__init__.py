"""Games in play: a game is played again from its address, up to its next question."""
