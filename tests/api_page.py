"""The tables of docs/api.md, held to the code: `python tests/api_page.py` writes them anew.

A name has the first sentence of its docstring, an option the calls that take it. What an option means, and its names in
commands and JSON, is written by hand.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import dicelab
from dicelab.questions.declare import QUESTIONS, pages_of_questions

PAGE = Path(__file__).resolve().parents[1] / "docs/api.md"
PUBLIC = {name: getattr(dicelab, name) for name in dicelab.__all__ if name != "__version__"}
CALLS = {name: call for name, call in PUBLIC.items() if inspect.isfunction(call)}
NAMED = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY


def about_games():
    """The calls that take the parameters of a game."""
    return {name: call for name, call in CALLS.items() if "parameters" in inspect.signature(call).parameters}


def summary(thing):
    """The first sentence of a docstring."""
    return " ".join(inspect.getdoc(thing).split("\n\n")[0].split()).replace("``", "`")


def options():
    """By option: the calls that take it, in words. Those of the pictures are left out."""
    found = {}
    for name, call in CALLS.items():
        if not name.startswith("plot_"):
            for param in inspect.signature(call).parameters.values():
                if param.kind in NAMED:
                    found.setdefault(param.name, []).append(name)
    everywhere = set(about_games())
    return {
        name: "every call about a game" if set(calls) >= everywhere else ", ".join(sorted(calls))
        for name, calls in found.items()
    }


def rewritten(page):
    """The page with its tables as they should be, the names that have no row, and those that should have none."""
    expected = {"names": {name: summary(thing) for name, thing in PUBLIC.items()}, "options": options()}
    seen, lines, part = {"names": set(), "options": set()}, [], "names"
    for line in page.splitlines(keepends=True):
        part = "options" if line.startswith("## Options") else part
        row = re.match(r"\| `(\w+)` \| ([^|]*) \|", line)
        if row:
            seen[part].add(row[1])
            line = f"| `{row[1]}` | {expected[part].get(row[1], row[2])} |{line[row.end() :]}"
        lines.append(line)
    lines = with_new_names(lines, expected, seen)
    missing = [name for part, known in expected.items() for name in known if name not in seen[part]]
    return "".join(lines), missing, [name for part, names in seen.items() for name in names - set(expected[part])]


def with_new_names(lines, expected, seen):
    """The lines, with rows for names that have none yet, and for options of questions; `seen` then has them."""
    pages_of_questions()
    names = {name: one.summary for name, one in QUESTIONS.items()} | expected["names"]
    named = [f"| `{name}` | {text} |\n" for name, text in names.items() if name not in seen["names"]]
    typed = []
    meanings = {name: (one, option) for one in QUESTIONS.values() for name, option in one.options.items()}
    meanings = {name: (one, option) for name, (one, option) in meanings.items() if not (option.words and one.several)}
    for name in meanings.keys() - seen["options"]:
        one, option = meanings[name]
        means = option.help[0].lower() + option.help[1:]
        spelled = ", ".join(f"`{text}`" for text in option.spelled(name))
        calls = expected["options"].get(name, one.name)
        typed.append(f"| `{name}` | {calls} | {means} | {spelled} | |\n")
    seen["names"] |= set(expected["names"])
    seen["options"] |= set(meanings) & set(expected["options"])
    at = max(i for i, line in enumerate(lines) if line.startswith("## Options"))
    last = max(i for i, line in enumerate(lines[:at]) if line.startswith("| `"))
    end = max(i for i, line in enumerate(lines) if line.startswith("| `"))
    return [*lines[: last + 1], *named, *lines[last + 1 : end + 1], *sorted(typed), *lines[end + 1 :]]


if __name__ == "__main__":
    text, missing, unknown = rewritten(PAGE.read_text())
    PAGE.write_text(text)
    print(f"no row for: {', '.join(missing) or 'none'}; a row for what there is not: {', '.join(unknown) or 'none'}")
