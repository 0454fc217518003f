"""A report about a game: all that dicelab can say of it, in one HTML file without scripts."""
