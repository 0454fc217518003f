"""``python -m dicelab`` is the command ``dicelab``."""

from dicelab.interfaces.cli import main

if __name__ == "__main__":
    main()
