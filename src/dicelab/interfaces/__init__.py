"""How people meet dicelab."""
