"""What the tests of the lab compare its answers with."""

from __future__ import annotations

import json

from click.testing import CliRunner

from dicelab.cli.main import app

TOKEN = "the token of the tests"


def printed(*words: str) -> dict[str, object]:
    """What a command prints with --json."""
    result = CliRunner().invoke(app, [*words, "--json"])
    return untimed(json.loads(result.stdout))


def untimed(data: dict[str, object]) -> dict[str, object]:
    """Without what two equal questions may differ in: another engine is chosen once its kernel is at hand."""
    found = {key: value for key, value in data.items() if key not in ("seconds", "threads", "engine")}
    if isinstance(found.get("rows"), list):
        found["rows"] = [untimed(row) for row in found["rows"]]  # type: ignore[attr-defined]
    return found
