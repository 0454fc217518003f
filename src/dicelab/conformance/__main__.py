"""Check the file named on the command line, in a process of its own; prints one JSON object per line."""

from __future__ import annotations

import json
import sys

from dicelab.conformance.game import check_file


def main() -> None:
    """Check the file; whatever it prints goes to standard error."""
    out = sys.stdout
    sys.stdout = sys.stderr

    def say(kind: str, **data: object) -> None:
        print(json.dumps({"kind": kind, **data}), file=out, flush=True)

    for finding in check_file(sys.argv[1], lambda game, step: say("begin", game=game, step=step)):
        say("finding", **finding.to_dict())
    say("end")


if __name__ == "__main__":
    main()
