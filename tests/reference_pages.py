"""Pages of docs/reference that are made from the code: `python tests/reference_pages.py` writes them anew.

`tests/project/test_reference.py` holds them to it.
"""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import Any
from unittest import mock

import click

import dicelab.plots
import dicelab.rules
from api_page import CALLS, PUBLIC
from dicelab.interface.cli.commands import Commands
from dicelab.interface.cli.main import app

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs/reference"

WRITTEN = "<!-- Written by tests/reference_pages.py: change the code, or that file. -->\n\n"


# Commands -------------------------------------------------------------------------------------------------------------


def help_of(name: str) -> str:
    """The help of a command, as it is shown in a terminal of 80 columns."""
    above = click.Context(app, info_name="dicelab", terminal_width=80, max_content_width=80)
    command = app.get_command(above, name)
    above.help_option_names = ["-h", "--help"]
    context = click.Context(command, parent=above, info_name=name)
    own = [param for param in command.params if not (param.name or "").startswith("game_")]  # no game
    with mock.patch.dict(os.environ, COLUMNS="80"), mock.patch.object(command, "params", own):
        return "\n".join(line.rstrip() for line in command.get_help(context).splitlines())


def commands_page() -> str:
    """The help of every command."""
    assert isinstance(app, Commands)
    parts = [
        "# Commands",
        "What `dicelab help COMMAND` prints, for every command. With a game, as in `dicelab help simulate lcr`, it\n"
        "lists the game's parameters as well. What the commands have in common is on the page [the command\n"
        "line](../command-line.md).",
    ]
    for group, names in app.grouped().items():
        parts.append(f"## {group}")
        for name in names:
            parts.append(f"### dicelab {name}\n\n```text\n{help_of(name)}\n```")
    return WRITTEN + "\n\n".join(parts) + "\n"


# Python ---------------------------------------------------------------------------------------------------------------


def described(*directives: str) -> str:
    """A block that Sphinx fills from docstrings."""
    return "```{eval-rst}\n" + "\n".join(directives) + "\n```"


def function(name: str) -> str:
    return f".. autofunction:: {name}"


def members_of(name: str, *options: str) -> str:
    return "\n   :".join([f".. autoclass:: {name}", *options])


def rules_names() -> list[str]:
    """The directives for what a file of rules imports."""
    found = []
    for name in dicelab.rules.__all__:
        thing = getattr(dicelab.rules, name)
        if isinstance(thing, type):
            found.append(
                members_of(f"dicelab.rules.{name}", *(["members:"] if name in ("Casino", "Die", "Game") else []))
            )
        elif inspect.isfunction(thing):
            found.append(function(f"dicelab.rules.{name}"))
    return found


def python_page() -> str:
    """Every public name, described by its docstring."""
    charts = [name for name in CALLS if name.startswith("plot_")]
    calls = [name for name in CALLS if name not in charts]
    classes = [name for name in PUBLIC if name not in CALLS and name not in ("DicelabError", "Game")]
    parts = [
        "# Python, from the docstrings",
        "Every public call and class with its parameters, units, errors and an example. `make docs` fills this page\n"
        "from the docstrings; in Python, `help(dicelab.simulate)` shows the same. [The Python API](../api.md) is a\n"
        "shorter overview, by what you want to know.",
        "## Calls",
        described(*(function(f"dicelab.{name}") for name in calls)),
        "## Charts",
        "Each draws on matplotlib's Axes and returns them. They need the extra `plot`.",
        described(*(function(f"dicelab.{name}") for name in charts), function("dicelab.plots.save")),
        "## Results and other classes",
        described(*(members_of(f"dicelab.{name}", "members:", "inherited-members:") for name in classes)),
        "## What a file of rules imports",
        "[The language of rules](rules.md) has the same as tables, in the order of a file.",
        described(*rules_names()),
        "## Learning environments",
        described(*(function(f"dicelab.learning.{name}") for name in ("gym", "vector", "aec"))),
        "## Errors",
        described(".. automodule:: dicelab.errors\n   :members:\n   :exclude-members: nearest, renamed, unknown"),
    ]
    return WRITTEN + "\n\n".join(parts) + "\n"


# JSON -----------------------------------------------------------------------------------------------------------------


def kind(part: dict[str, Any]) -> str:
    """What a value may be, in words."""
    if part.get("$ref") == "#":
        return "another answer"
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.replace('_', '-')})"
    if "const" in part:
        return f"`{json.dumps(part['const'])}`"
    if "enum" in part:
        return " or ".join(f"`{json.dumps(value)}`" for value in part["enum"])
    if "oneOf" in part:
        return " or ".join(kind(other) for other in part["oneOf"])
    types = part.get("type", "any")
    words = " or ".join([types] if isinstance(types, str) else types)
    if "items" in part:
        return f"{words} of {kind(part['items'])}"
    of = part.get("additionalProperties")
    if isinstance(of, dict):
        return f"{words}: {kind(of)} by name"
    if names := list(part.get("properties", {})):
        return f"{words} with {', '.join(f'`{name}`' for name in names)}"
    return words


def table(part: dict[str, Any]) -> str:
    """The entries of an object."""
    rows = ["| entry | value | meaning |", "| --- | --- | --- |"]
    for name, value in part.get("properties", {}).items():
        optional = "" if name in part.get("required", []) else " (optional)"
        rows.append(f"| `{name}`{optional} | {kind(value)} | {value.get('description', '')} |")
    return "\n".join(rows)


def json_page() -> str:
    """The JSON Schema as tables."""
    named = json.loads((ROOT / "src/dicelab/schema/v2.json").read_text())["$defs"]
    answer = named.pop("answer")
    parts = [
        "# JSON Schema",
        "The objects that commands print with `--json`, and `to_dict` returns, entry by entry. [The JSON of\n"
        "commands](../json.md) explains them; the schema itself is\n"
        "[`src/dicelab/schema/v2.json`](../../src/dicelab/schema/v2.json),\n"
        "installed with the package.",
        "## Head",
        table(answer),
        "## Methods",
    ]
    for case in answer["allOf"]:
        method = case["if"]["properties"]["method"]
        names = method["enum"] if "enum" in method else [method["const"]]
        if "properties" in case["then"]:
            parts += [f"### Method {', '.join(names)}", table(case["then"])]
    parts.append("## Parts")
    for name, part in named.items():
        about = part.get("description", "")
        body = table(part) if "properties" in part else f"{kind(part)}."
        parts += [f"### {name.replace('_', ' ')}", *([f"{about[0].upper()}{about[1:]}."] if about else []), body]
    return WRITTEN + "\n\n".join(parts) + "\n"


PAGES = {"commands.md": commands_page, "python.md": python_page, "json-schema.md": json_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page())
