"""The JSON Schema of what commands print: `python tests/json_schema.py` writes `src/dicelab/schema/v2.json` anew.

It follows from the `entries` of the results, or from their fields; `tests/project/test_reference.py` holds the file to
them.
"""

from __future__ import annotations

import json
from typing import Any

import dicelab
from dicelab.questions import NAMES
from dicelab.questions.declare import SCHEMA
from dicelab.results.base import Forms
from dicelab.results.entries import COMMANDS, HEAD, PARTS, entries_of, schema_of

WIDTH = 1000
"""Characters of a line of the file, which programs read; docs/reference/json-schema.md is for people."""


def written() -> dict[str, Any]:
    """Return the schema of all answers of dicelab itself."""
    public = [getattr(dicelab, name) for name in dict.fromkeys([*NAMES, *dicelab.__all__])]
    results = [one for one in public if isinstance(one, type) and issubclass(one, Forms) and "method" in vars(one)]
    methods = {one.method: one.schema() for one in results} | {name: entries_of(of) for name, of in COMMANDS.items()}
    cases = [{"if": {"properties": {"method": {"const": name}}}, "then": case} for name, case in methods.items()]
    head = entries_of(HEAD)
    asked = {"enum": [*methods], "description": "the question"}
    head["properties"] = {"schema": head["properties"].pop("schema"), "method": asked, **head["properties"]}
    head["required"].insert(1, "method")
    answer = {"type": "object", **head, "allOf": cases, "unevaluatedProperties": False}
    note = {"if": {"required": ["schema", "note"], "maxProperties": 2}, "then": {"$ref": "#/$defs/note"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON of dicelab, version 2",
        "if": {"required": ["status"]},
        "then": {"$ref": "#/$defs/failure"},
        "else": note | {"else": {"$ref": "#/$defs/answer"}},
        "$defs": {"answer": answer, **{name: schema_of(part) for name, part in PARTS.items()}},
    }


def lines(value: Any, before: str = "", margin: int = 0) -> str:
    """Return JSON with what fits into a line in one line."""
    short = json.dumps(value, ensure_ascii=False)
    if margin + len(before) + len(short) < WIDTH or not isinstance(value, dict | list):
        return " " * margin + before + short
    named = isinstance(value, dict)
    keys = [f"{json.dumps(key)}: " for key in value] if named else [""] * len(value)
    parts = [lines(part, key, margin + 1) for key, part in zip(keys, value.values() if named else value, strict=True)]
    begin, end = "{}" if named else "[]"
    return f"{' ' * margin}{before}{begin}\n" + ",\n".join(parts) + f"\n{' ' * margin}{end}"


def text() -> str:
    """Return the file."""
    return lines(written()) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(text(), encoding="utf-8")
