"""The runs of the lab's store: listed, shown, compared, deleted, as the command ``runs`` does."""

from __future__ import annotations

import json
from typing import Any

from dicelab.interface.lab.work.process import Wire
from dicelab.results.store.runs import RunsCompared, Store, StoredRun
from dicelab.results.text.page import Printing

WIDTH = 110
"""Columns of the text of a result."""


def runs(wire: Wire, store: str, results: bool) -> None:
    """Send the list of all runs, for the JSON of the command with their `results`."""
    found = Store(store).list(results)
    wire.send(json=found.to_json(), rows=[_row(run) for run in found.rows])


def _row(run: StoredRun) -> dict[str, Any]:
    """Return a run as the list shows it, and what its question is, for the address of its page."""
    facts = run.to_dict()
    different = dict.fromkeys(run.strategies)
    return {key: facts[key] for key in ("run", "state", "games", "seconds", "changed")} | {
        "method": run.method,
        "game": run.game,
        "strategies": [*different] if len(different) == 1 else run.strategies,
        "question": {key: run.question.get(key) for key in ("game", "settings", "seed", "objective")},
    }


def show(wire: Wire, store: str, run: int) -> None:
    """Send the result of a run: its text and its JSON."""
    found = Store(store)
    rows = [_row(one) for one in found.list().rows if one.id == run]
    result = found.show(run)
    wire.send(json=result.to_json(), text=result.text(Printing(WIDTH)), row=rows[0])


def compare(wire: Wire, store: str, one: int, other: int) -> None:
    """Send two results side by side."""
    found = Store(store)
    names = f"run {one}", f"run {other}"
    wire.send(json=json.dumps(RunsCompared(names, (found.show(one), found.show(other))).to_dict()))


def delete(wire: Wire, store: str, run: int) -> None:
    """Delete a run."""
    Store(store).delete(run)
    wire.send(deleted=run)
