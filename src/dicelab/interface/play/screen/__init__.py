"""What is shown at the terminal: text, the state, dice, news, the table, seats, and what a game's hooks draw.

Imports what lies below `dicelab.interface.play`.
"""
