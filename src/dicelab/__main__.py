"""``python -m dicelab`` and the script ``dicelab``: Ctrl-C prints a message, not a traceback, even during imports."""

from __future__ import annotations

import os


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        import signal

        # No KeyboardInterrupt during imports: a module might swallow it, or stay half initialised.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave)
        signal.signal(signal.SIGTERM, _leave)
    except KeyboardInterrupt:
        _leave()
    from dicelab.interface.cli.program import run

    run()


def _leave(number: int = 0, frame: object = None) -> None:
    """Exit at once with status 130; no work has started that would need cleaning up."""
    os.write(2, b"dicelab: interrupted; reached: starting\n")
    os._exit(130)


if __name__ == "__main__":
    main()
