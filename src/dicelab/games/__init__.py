"""The games that come with dicelab, one file each; craps is in `dicelab.extras.craps`.

They import only `dicelab.rules`.
"""
