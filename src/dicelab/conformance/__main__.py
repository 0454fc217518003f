"""Check the file named on the command line, in a process of its own; prints one JSON object per line.

With a second word, what is read from the standard input is checked in place of what the file holds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from dicelab.conformance.file_check import check_file
from dicelab.rules.loading.registry import unsaved


def main() -> None:
    """Check the file; whatever it prints goes to standard error."""
    out = sys.stdout
    sys.stdout = sys.stderr
    if len(sys.argv) > 2:
        unsaved[Path(sys.argv[2]).resolve()] = sys.stdin.buffer.read().decode("utf-8")

    def say(kind: str, **data: object) -> None:
        print(json.dumps({"kind": kind, **data}), file=out, flush=True)

    for finding in check_file(sys.argv[1], lambda game, step: say("begin", game=game, step=step)):
        say("finding", **finding.to_dict())
    say("end")


if __name__ == "__main__":
    main()
