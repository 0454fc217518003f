"""Record the answers of the commands in ``commands.txt`` anew, and say which of them changed.

    $ make record                           # all of them
    $ .venv/bin/python tests/recorded/record.py 'simulate lcr'      # those with these words

Read what it says, and the difference that git shows, before the new answers are kept.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ["COLUMNS"] = "200"  # as in the tests

from recorded.answers import Recorded, answer, commands, differences, recorded, write


def main(words: str) -> None:
    """Record the commands that have these words in them."""
    groups: dict[str, list[Recorded]] = {}
    for command in commands():
        groups.setdefault(command.group, []).append(command)
    for group, members in groups.items():
        before = recorded(group)
        after = {}
        for command in members:
            if command.line in before and words not in command.line:
                after[command.line] = before[command.line]
                continue
            with tempfile.TemporaryDirectory() as folder:
                found = after[command.line] = answer(command.line, Path(folder))
            if command.line not in before:
                print(f"new: {command.line}")
            for changed in differences(before.get(command.line, found), found):
                print(f"changed: {command.line}\n    {changed}")
        for gone in before.keys() - after.keys():
            print(f"gone: {gone}")
        write(group, after)


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
