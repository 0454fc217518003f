"""Run notebooks without Jupyter: `python tests/notebooks.py` writes what their cells show into them anew.

A cell shows what it prints, and its last expression as Jupyter does: as text, and as HTML where it has that form.
"""

from __future__ import annotations

import ast
import io
import json
import linecache
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def shown(source: str, names: dict[str, Any], cell: str) -> list[dict[str, Any]]:
    """What a cell shows, as the outputs of a notebook."""
    linecache.cache[cell] = (len(source), None, lines(source), cell)  # so that the source of rules can be read
    tree = ast.parse(source, cell)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed), mock.patch.dict(os.environ, COLUMNS="80"):
        exec(compile(tree, cell, "exec", dont_inherit=True), names)
        if last is not None:
            value = eval(compile(last, cell, "eval", dont_inherit=True), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        found.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return found


def executed(notebook: dict[str, Any], name: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each cell with code, and what it shows now."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            yield cell, shown("".join(cell["source"]), names, f"<{name}-{number}>")


def same(outputs: list[dict[str, Any]]) -> str:
    """Outputs without what differs between machines and runs: times, and numbers of threads."""
    text = json.dumps(outputs, sort_keys=True)
    return re.sub(r"\d+(\.\d+)? s\b|\d+ threads?|\w+ engine", "...", text)


if __name__ == "__main__":
    for file in NOTEBOOKS:
        notebook = json.loads(file.read_text())
        for count, (cell, outputs) in enumerate(executed(notebook, file.stem), 1):
            for output in outputs:
                output |= {"execution_count": count} if "data" in output else {}
            cell |= {"outputs": outputs, "execution_count": count}
        file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
        sys.stdout.write(f"{file.name}\n")
