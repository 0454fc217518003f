"""What all pictures are drawn with: figures in dicelab's style, and their texts."""
