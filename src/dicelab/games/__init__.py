"""The games that come with dicelab, one file each. They import only `dicelab.rules` and `dicelab.craps`."""
