"""The runs page: earlier questions from the store of the lab, to reopen, compare and delete."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from dicelab.errors import DicelabError, InputError, ParameterError, UnknownNameError
from dicelab.interface.lab.job import Job, JobLimits, all_messages
from dicelab.interface.lab.lab import Lab, lab_of
from dicelab.interface.lab.question import Question
from dicelab.interface.lab.render import page
from dicelab.limits import LIMITS
from dicelab.results.store.runs import Runs, StoredRun
from dicelab.results.text.html import Markup, linked
from dicelab.results.text.page import Printing
from dicelab.rules.params import whole_number

PAGES = ("simulate", "exact", "solve")
"""The methods whose questions have a page of the same name."""
SHELL = "FILE"
"""Stands for the store in commands: no page shows its path."""


async def _asked(request: Request, task: str, **arguments: Any) -> dict[str, Any]:
    """Return what a task says about the store.

    Raises
    ------
    DicelabError
        When the lab has no store, or the task fails.
    """
    store = lab_of(request).store
    if store is None:
        raise ParameterError("the lab keeps no runs; start it with --store FILE")
    messages = await all_messages(Job(task, JobLimits(), store=store, **arguments))
    last = messages[-1]
    if "error" in last:
        raise (InputError if last.get("status") == 2 else DicelabError)(last["error"])
    return messages[0]


def _number(request: Request, text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise UnknownNameError(f"there is no run {text}")
    return number


async def runs(request: Request) -> Response:
    """Return all runs, the latest first."""
    lab = lab_of(request)
    rows = (await _asked(request, "answer.runs", results=False))["rows"] if lab.store else []
    first = whole_number(request.query_params.get("from", "")) or 0
    latest = [StoredRun(**row) for row in rows[first : first + LIMITS.listed_runs]]

    def number(page: Printing, run: StoredRun) -> str:
        disabled = "" if run.state == "done" else " disabled"
        tick = f'<input type="checkbox" name="run" value="{run.id}" aria-label="compare run {run.id}"{disabled}>'
        return Markup(f"{tick} {run.id if disabled else linked(str(run.id), f'/runs/{run.id}')}")

    def actions(page: Printing, run: StoredRun) -> str:
        address = _address(lab, run)
        opened = linked("open", address, "button quiet") + " " if address else ""
        deleted = f'data-delete="{run.id}" aria-label="delete run {run.id}" hidden>delete</button>'
        return Markup(f'{opened}<button type="button" class="quiet" {deleted}')

    table = Runs(SHELL, latest).page_table(number, actions)
    more = f"/runs?from={first + LIMITS.listed_runs}" if len(rows) > first + LIMITS.listed_runs else None
    shown: dict[str, Any] = {"rows": latest, "table": table, "more": more, "store": lab.store, "token": lab.token}
    return page("runs.html", title="Runs", command=f"dicelab runs {SHELL}", **shown)


async def as_json(request: Request) -> Response:
    """Return the JSON of the command ``runs``."""
    return _json(await _asked(request, "answer.runs", results=True))


async def run(request: Request) -> Response:
    """Return one run: its result as the command prints it."""
    number = _number(request, request.path_params["number"])
    reply = await _asked(request, "answer.show", run=number)
    row = StoredRun(**reply["row"])
    return page(
        "run.html",
        title=f"Run {number}",
        number=number,
        row=row,
        text=reply["text"],
        address=_address(lab_of(request), row),
        command=f"dicelab runs {SHELL} --show {number}",
    )


async def run_json(request: Request) -> Response:
    """Return the JSON of the command ``runs --show``."""
    return _json(await _asked(request, "answer.show", run=_number(request, request.path_params["number"])))


def _two(request: Request) -> dict[str, int]:
    """Return the numbers of the runs to compare."""
    numbers = [_number(request, text) for text in request.query_params.getlist("run")]
    if len(numbers) != 2:
        raise ParameterError("choose two runs to compare")
    return {"one": numbers[0], "other": numbers[1]}


async def compare(request: Request) -> Response:
    """Return two runs side by side."""
    two = _two(request)
    reply = await _asked(request, "answer.compare", **two)
    one, other = two.values()
    command = f"dicelab runs {SHELL} --compare {one} {other}"
    twin = f"/runs/compare.json?run={one}&run={other}"
    title = f"Runs {one} and {other}"
    return page(
        "runs_compared.html",
        title=title,
        data=json.loads(reply["json"]),
        tables=reply["tables"],
        command=command,
        twin=twin,
        two=[one, other],
    )


async def compare_json(request: Request) -> Response:
    """Return the JSON of the command ``runs --compare``."""
    return _json(await _asked(request, "answer.compare", **_two(request)))


async def delete(request: Request) -> Response:
    """Delete a run; others than the person whose lab it is may not."""
    if lab_of(request).public:
        raise ParameterError("run: this lab lets others in, so runs are deleted at the terminal: dicelab runs FILE")
    await _asked(request, "answer.delete", run=_number(request, request.path_params["number"]))
    return Response(status_code=204)


def _json(reply: Mapping[str, Any]) -> Response:
    return Response(reply["json"] + "\n", media_type="application/json")


def _address(lab: Lab, run: StoredRun) -> str:
    """Return the address of the page that asks the question of a run; empty if there is none, or
    its game is not here.
    """
    asked, cards = run.question, lab.shelf.cards
    name = next((name for name, card in cards.items() if card.get("name") == asked["game"]), "")
    if run.method not in PAGES or not name:
        return ""
    words = {True: "yes", False: "no"}
    pairs = [
        (f"set.{key}", words[value] if isinstance(value, bool) else str(value))
        for key, value in asked["settings"].items()
    ]
    if run.method != "solve":
        pairs += [
            ("strategy", text) for text in (run.strategies[:1] if len({*run.strategies}) == 1 else run.strategies)
        ]
    pairs += [("objective", asked["objective"])] if asked.get("objective") not in (None, "win") else []
    pairs += [("games", str(run.games)), ("seed", str(asked["seed"]))] if run.method == "simulate" else []
    try:
        return Question.of(name, cards[name], pairs).address(run.method)
    except InputError:
        return ""
