"""``python -m fuzz``: `fuzz.run`, in a module that other processes can import."""

import sys

from fuzz.run import main

if __name__ == "__main__":
    sys.exit(main())
