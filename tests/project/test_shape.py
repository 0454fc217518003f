"""No function takes, and no call passes, more positional arguments than a reader can keep apart."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dicelab
from dicelab.results.base import BaseResult, Forms

SOURCE = Path(dicelab.__file__).parent
MOST = 15
"""Positional parameters of one function; arrays that belong together are passed as a named tuple."""


def too_long(name: str, text: str) -> Iterator[str]:
    """Definitions and calls in the text of a module that are too long, and those in the templates of its kernels."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            called, count = getattr(node, "name", "a lambda"), len(node.args.posonlyargs) + len(node.args.args)
            if count > MOST:
                yield f"{name}: {called} takes {count}"
        elif isinstance(node, ast.Call) and len(node.args) > MOST:
            yield f"{name}: a call of {ast.unparse(node.func)} passes {len(node.args)}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # A template is no Python yet, so the parameters are what stands between the commas of its definitions.
            for called, parameters in re.findall(r"^def (\w+)\(([^()]*)\)", node.value, re.MULTILINE):
                count = len([part for part in parameters.split(",") if part.strip()])
                if count > MOST:
                    yield f"{name}: {called} takes {count}, in a template"


@pytest.mark.slow
def test_functions_and_calls_have_few_positional_arguments() -> None:
    modules = {str(file.relative_to(SOURCE)): file.read_text() for file in SOURCE.rglob("*.py")}
    assert [line for name, text in modules.items() for line in too_long(name, text)] == []


def test_the_table_of_the_architecture_names_folders_and_files_that_there_are() -> None:
    """Every folder of the package but the smallest has a row, and each row names files of its folders."""
    page = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text()
    table = re.findall(r"^\| ([a-z_/, ]+) \| .* \| ((?:`[\w/]+\.py`(?:, )?)+) \|$", page, re.MULTILINE)
    folders = [folder for row, _ in table for folder in row.split(", ")]
    assert all((SOURCE / folder).is_dir() for folder in folders)
    assert {f.parent.name for f in SOURCE.glob("*/__init__.py")} <= {folder.partition("/")[0] for folder in folders}
    for row, files in table:
        for file in re.findall(r"`([^`]+)`", files):
            assert any((root / file).is_file() for root in (SOURCE, *(SOURCE / f for f in row.split(", ")))), file


ACROSS = {"exact", "property", "statistical", "recorded", "fuzz", "project", "release", "included"}
"""Folders of tests that go through all of the source, or are about the project; `included` is about games."""


def test_the_folders_of_tests_are_those_of_the_source_and_no_test_imports_another() -> None:
    tests = SOURCE.parents[1] / "tests"
    for file in tests.rglob("test_*.py"):
        folder = file.parent.relative_to(tests)
        if folder.parts[0] not in ACROSS | {"games", "typed", "golden"}:
            assert (SOURCE / folder).is_dir(), file
        assert not re.search(r"^ *(from|import) ([\w.]+\.)?test_", file.read_text(), re.MULTILINE), file


def test_a_table_is_declared_once() -> None:
    """Cells are laid out from columns and rows only, and a result that shows a table has its data from the columns."""
    calls = {
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if "page" in (text := file.read_text()) and ".table(" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and re.fullmatch(r"(self\.)?page(\(\))?\.table", ast.unparse(node.func))
    }
    assert calls == {"results/text/table.py"}
    public = [getattr(dicelab, name) for name in dicelab.__all__]
    results = [one for one in public if isinstance(one, type) and issubclass(one, Forms)]
    own = [one for one in results if one._rows is not Forms._rows]
    assert [one.__name__ for one in own if re.search(r"\bTable\(|\.lines\(page", inspect.getsource(one))] == []


BY_HAND = {
    "engines/policy.py": "moves of a policy in a notebook: results are above engines",
    "interface/lab/static/map.js": "thresholds, which the browser finds for the map that it shows",
    "interface/lab/templates/answers/check_part.html": "a file, line by line",
    "interface/lab/templates/play/board.html": "the board of a game",
    "interface/lab/templates/questions/beside.html": "two files, line by line",
    "interface/lab/templates/site/yours.html": "games that the browser keeps, which fills it",
    "interface/reporting/exercise.py": "an answer sheet, to be filled in by hand",
    "results/text/html.py": "all others",
}
"""The files that write a table as HTML, and what it is."""


def test_no_page_writes_a_table_of_results_by_hand() -> None:
    files = [file for end in ("py", "html", "js") for file in SOURCE.rglob(f"*.{end}")]
    texts = {str(file.relative_to(SOURCE)): file.read_text() for file in files}
    assert {name for name, text in texts.items() if re.search(r"<t[hd][ >]", text)} - {
        "interface/lab/render.py"  # which shortens the numbers of tables
    } == {*BY_HAND}


def test_plain_data_follow_from_entries() -> None:
    """`Beside` and `Adjusted` add to the data of the answers that they hold."""
    public = [getattr(dicelab, name) for name in dicelab.__all__]
    results = [one for one in public if isinstance(one, type) and issubclass(one, BaseResult)]
    assert {one.__name__ for one in results if one._facts is not BaseResult._facts} == {"Beside"}


def test_long_lists_are_seen() -> None:
    names = ", ".join(f"x{i}" for i in range(MOST + 1))
    template = f"T = '''\ndef f(\n    {names},\n):\n'''"
    for text in (f"def f({names}): pass", f"f({names})", f"lambda {names}: 0", template):
        assert len(list(too_long("a.py", text))) == 1, text
        assert not list(too_long("a.py", text.replace("x0, ", ""))), text
