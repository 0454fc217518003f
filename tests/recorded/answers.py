"""Commands of ``commands.txt`` and their answers: how they are run in this process, and what is compared.

An answer is what a command prints, the numbers of the pictures that it draws, and the arrays and columns of the files
that it writes. Everything in it is compared as text: floats by their shortest exact decimal (``repr``), so that a
difference in the last bit is seen. Three kinds of values are hidden:

* what depends on the machine and the moment: seconds, threads, the engine where none is named on the line;
* what depends on the text of files: the source hash, the file in which a game is, the version;
* prose, which may be worded better: descriptions, help, sources, what a number means. Titles and labels of pictures are
  prose too, so only the numbers that are drawn are compared.

Long lists are kept as their length, their first values and a hash.

The answers were recorded on x86-64 with the versions of requirements/dev.txt. Games, counts and fractions are the same
everywhere; floats that come from elimination or from `exp` and `log` may differ in the last bit on another processor or
with another NumPy or SciPy. Record them there before a change, then compare.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import runpy
import shlex
import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema
import numpy as np
import pyarrow.parquet
from matplotlib.figure import Figure

import dicelab

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
VALID = jsonschema.Draft202012Validator(json.loads((ROOT / "src/dicelab/schema/v2.json").read_text()))
"""Every JSON object that a recorded command prints must be valid."""

MACHINE = {"seconds", "threads"}
FILES = {"source_hash", "file", "version"}
PROSE = {"about", "rules", "help", "source", "means", "otherwise", "solved"}
HIDDEN = MACHINE | FILES | PROSE
MOST = 24
"""Longest list that is kept whole."""
MOST_LINES = 80
"""Longest text, in lines, that is kept whole."""


@dataclass(frozen=True)
class Recorded:
    """A line of commands.txt."""

    line: str
    group: str
    """The file that holds its answer: the first word of the heading above it."""
    slow: bool


def commands() -> list[Recorded]:
    """The lines of commands.txt."""
    found, group = [], ""
    for line in (HERE / "commands.txt").read_text().splitlines():
        if heading := re.match(r"## (\w+)", line):
            group = heading[1].lower()
        elif line and not line.startswith("#"):
            command, _, slow = line.partition("  # ")
            found.append(Recorded(command, group, slow == "slow"))
    return found


def answer(line: str, folder: Path) -> Any:
    """What a line answers when it is run in an empty folder, ready to be compared."""
    for linked in ("examples", "verification"):
        (folder / linked).symlink_to(ROOT / linked)
    with contextlib.chdir(folder):
        if line.startswith("dicelab."):
            value = eval(line, {"dicelab": dicelab})
            if isinstance(value, dict):
                VALID.validate(value)
            return condensed(value, named_engine=False)
        said = [_one(words) for words in line.split(" && ")]
    return said[0] if len(said) == 1 else said


def _one(command: str) -> dict[str, Any]:
    """The answer of one command: what it printed, drew and wrote."""
    typed, _, words = command.rpartition(" | ")
    arguments = shlex.split(words)[1:]
    given = shlex.split(typed)[1].encode().decode("unicode_escape") if typed else ""
    before = set(os.listdir())
    with drawing() as drawn:
        status, printed = run(arguments, given)
    found: dict[str, Any] = {"status": status} if status else {}
    if "--json" in arguments:
        data = json.loads(printed)
        VALID.validate(data)
        found |= data
        if found["method"] == "show":
            found["declared"]["tallies"] = dict.fromkeys(
                found["declared"]["tallies"], "..."
            )  # what each counts, in words
    else:
        found["printed"] = printed.splitlines()
    if drawn:
        found["drawn"] = drawn
    for name in sorted(set(os.listdir()) - before):
        if contents := read(Path(name)):
            found[name] = contents
    return condensed(found, named_engine="--engine" in arguments)


def run(arguments: list[str], typed: str = "") -> tuple[Any, str]:
    """Run the command in this process; its exit status and what it printed on stdout."""
    out, status = io.StringIO(), None
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with (
        mock.patch.object(sys, "argv", ["dicelab", *arguments]),
        mock.patch.object(sys, "stdin", io.StringIO(typed)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()) as errors,
    ):
        try:
            runpy.run_module("dicelab", run_name="__main__")
        except SystemExit as ended:
            status = ended.code
        finally:  # a command ends its process, and ignores Ctrl-C from then on
            for number, handler in handlers.items():
                signal.signal(number, handler)
    if status not in (0, None, 1) or (status == 1 and "dicelab:" in errors.getvalue()):
        raise AssertionError(f"{shlex.join(arguments)}: exit status {status}: {errors.getvalue()}")
    return status or 0, out.getvalue()


@contextlib.contextmanager
def drawing() -> Iterator[list[Any]]:
    """The numbers of each picture that is saved meanwhile."""
    drawn: list[Any] = []
    save = Figure.savefig

    def saved(figure: Figure, *arguments: Any, **settings: Any) -> None:
        drawn.extend(numbers(axes) for axes in figure.axes)
        save(figure, *arguments, **settings)

    with mock.patch.object(Figure, "savefig", saved):
        yield drawn


def numbers(axes: Any) -> dict[str, Any]:
    """What is drawn on axes: their scales; points of lines, corners of areas, places of marks, values of images."""
    return {
        "scales": [axes.get_xscale(), axes.get_yscale()],
        "lines": [line.get_xydata().tolist() for line in axes.lines],
        "areas": [
            (patch.get_patch_transform().transform(patch.get_path().vertices)).tolist() for patch in axes.patches
        ],
        "marks": [np.ma.filled(marks.get_offsets(), np.nan).tolist() for marks in axes.collections],
        "paths": [[path.vertices.tolist() for path in marks.get_paths()] for marks in axes.collections],
        "images": [
            np.ma.filled(np.ma.asarray(image.get_array(), dtype=float), np.nan).tolist() for image in axes.images
        ],
    }


def read(file: Path) -> dict[str, Any]:
    """The columns of a file of games, or the arrays of a policy; nothing of a picture, which is compared as numbers."""
    if file.suffix == ".parquet":
        table = pyarrow.parquet.read_table(file)
        return {name: [str(table[name].type), *table[name].to_pylist()] for name in table.column_names}
    if file.suffix == ".npz":
        with np.load(file) as arrays:
            kept = [name for name in arrays if name not in ("about", "checksum")]  # they hold the source hash
            return {name: [str(arrays[name].dtype), *arrays[name].ravel().tolist()] for name in kept}
    return {}


def condensed(value: Any, named_engine: bool) -> Any:
    """An answer without what is hidden, long lists as their length, first values and hash."""
    if isinstance(value, dict):
        hidden = HIDDEN if named_engine else HIDDEN | {"engine"}
        return {
            str(key): "..." if _is_hidden(key, inner, hidden) else condensed(inner, named_engine)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return _list([condensed(inner, named_engine) for inner in value])
    return value


def _is_hidden(key: str, value: Any, hidden: set[str]) -> bool:
    return key in hidden and not isinstance(value, dict | list)


def _list(items: list[Any]) -> Any:
    lines = all(isinstance(item, str) for item in items)
    if len(items) <= (MOST_LINES if lines else MOST) or any(isinstance(item, dict) for item in items):
        return items
    digest = hashlib.sha256(text(items).encode()).hexdigest()[:32]
    return {"items": len(items), "first": items[:5], "sha256": digest}


def text(value: Any) -> str:
    """An answer on one line: floats by `repr`, keys in their order."""
    return json.dumps(value, ensure_ascii=False, allow_nan=True)


def differences(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """Where two answers differ, one line each."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            yield from differences(before.get(key, "nothing"), after.get(key, "nothing"), f"{at}.{key}".lstrip("."))
        if list(before) != list(after) and set(before) == set(after):
            yield f"{at}: the keys are in another order"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(old, new, f"{at}[{index}]")
    elif text(before) != text(after):
        yield f"{at}: {text(before)[:300]} is now {text(after)[:300]}"


def recorded(group: str) -> dict[str, Any]:
    """The answers on record of a group, by their lines; none where there is no record."""
    file = HERE / f"{group}.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found


def write(group: str, answers: dict[str, Any]) -> None:
    """Keep the answers of a group: one line for each key of an answer, so that differences can be read."""
    (HERE / f"{group}.json").write_text("{\n" + ",\n".join(_entries(answers)) + "\n}\n")


def _entries(answers: dict[str, Any]) -> Iterable[str]:
    for line, found in answers.items():
        if isinstance(found, dict):
            inside = ",\n".join(f"  {text(key)}: {text(value)}" for key, value in found.items())
            yield f" {text(line)}: {{\n{inside}\n }}"
        elif isinstance(found, list) and found:
            inside = ",\n".join(f"  {text(value)}" for value in found)
            yield f" {text(line)}: [\n{inside}\n ]"
        else:
            yield f" {text(line)}: {text(found)}"
