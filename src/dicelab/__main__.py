"""``python -m dicelab`` and the script ``dicelab``: Ctrl-C ends the program with a sentence from the first line on."""

from __future__ import annotations

import os


def main() -> None:
    """Run the command line as the program of this process."""
    try:
        import signal

        # Importing is not to be interrupted by an exception: modules may swallow it, or be left half made.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave)
        signal.signal(signal.SIGTERM, _leave)
    except KeyboardInterrupt:
        _leave()
    from dicelab.cli.program import run

    run()


def _leave(number: int = 0, frame: object = None) -> None:
    """End at once: nothing has been begun."""
    os.write(2, b"dicelab: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
