"""Notebooks: every cell runs, in order, and shows what stands in the notebook."""

from __future__ import annotations

import json

import pytest

from notebooks import NOTEBOOKS, executed, same


@pytest.mark.slow
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_shows_what_its_cells_show_now(file):
    notebook = json.loads(file.read_text())
    ran = 0
    for cell, outputs in executed(notebook, file.stem):
        kept = [{**output, "execution_count": None} if "data" in output else output for output in cell["outputs"]]
        assert same(outputs) == same(kept), "".join(cell["source"])
        ran += 1
    assert ran > 4


def test_notebooks_are_few_and_in_one_form():
    assert 1 <= len(NOTEBOOKS) <= 3
    for file in NOTEBOOKS:
        notebook = json.loads(file.read_text())
        assert notebook["nbformat"] == 4
        assert all(cell["outputs"] == [] or cell["execution_count"] for cell in notebook["cells"] if "outputs" in cell)
