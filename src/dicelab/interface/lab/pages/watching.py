"""A file of rules that was named on the command line: its lines with the findings of the check beside them.

Its pages ask for the stamp of the file now and then, and follow when the file was saved.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from dicelab.errors import UnknownNameError
from dicelab.interface.lab.answers import PendingAnswer, wait
from dicelab.interface.lab.job import JobLimits
from dicelab.interface.lab.lab import lab_of
from dicelab.interface.lab.pages.answered import is_known, response_of
from dicelab.interface.lab.question import Question
from dicelab.interface.lab.render import fragment, page
from dicelab.interface.lab.shelf import Card
from dicelab.limits import LIMITS

Finding = dict[str, Any]
CHECKING = JobLimits(seconds=150.0, memory=2 * LIMITS.job_bytes)


def _name(request: Request) -> str:
    """Return the name of a file on the shelf.

    Raises
    ------
    UnknownNameError
        When there is no such game, or it is one of dicelab's own.
    """
    shelf, name = lab_of(request).shelf, str(request.path_params["name"])
    if name not in shelf.cards or not shelf.is_file(name):
        raise UnknownNameError(f"{name} is no file that was named when the lab was started")
    return name


async def _file(request: Request) -> tuple[str, Card]:
    """Return the name of a file on the shelf, and its card once it is read; the file may be broken."""
    name = _name(request)
    return name, await lab_of(request).shelf.card(name)


def _checked(request: Request, name: str, card: Card) -> PendingAnswer:
    """Return the check of a file, as it is now."""
    lab = lab_of(request)
    key = f"check {lab.shelf.stamp(name)} {name}"
    return lab.answers.ask(key, "own.check", CHECKING, file=card["called"], seconds=LIMITS.check_seconds)


async def check(request: Request) -> Response:
    """Return the page: figures, and the lines of the file with a place for the findings."""
    name, card = await _file(request)
    lab, question = lab_of(request), Question(name, card)
    broken = "broken" in card
    return page(
        "check.html",
        title=f"{name}: check",
        name=name,
        card=card,
        question=question,
        broken=broken,
        command=f"dicelab check {card['called']}",
        lines=_listed(card, _errors(card)),
        edits=lab.edits,
        token=lab.token,
    )


def _errors(card: Card) -> list[Finding]:
    """Return why a file can't be read, as a finding."""
    if "broken" not in card:
        return []
    where = {"line": card.get("line", 0), "file": card["called"]}
    return [{"verdict": "broken", "step": "read the file", "say": card["broken"], "where": where}]


def _listed(card: Card, findings: list[Finding], data: dict[str, Any] | None = None) -> str:
    """Return the lines of the file, with the findings that are about one of them below it; then all findings."""
    here: dict[int, list[Finding]] = {}
    for finding in findings:
        if is_here(finding, card["called"]):
            here.setdefault(finding["where"]["line"], []).append(finding)
    return fragment("check_part.html", card=card, findings=findings, here=here, data=data)


def is_here(finding: Finding, called: str) -> bool:
    """Return whether a finding is about a line of the file."""
    where = finding.get("where")
    own = Path(called.partition(".py:")[0]).stem
    return where is not None and bool(where["line"]) and Path(where["file"]).stem == own


async def part(request: Request) -> Response:
    """Return the lines of the file with the findings, once they are known."""
    name, card = await _file(request)
    if "broken" in card:
        return Response(_listed(card, _errors(card)), media_type="text/html")
    answer = _checked(request, name, card)
    if not await wait(answer, is_known, request.is_disconnected):
        return Response(status_code=499)
    if "json" not in answer.said:
        html = fragment("error.html", message=answer.said["error"])
    else:
        data = json.loads(answer.said["json"])
        html = _listed(card, data["findings"], data)
    return Response(html, media_type="text/html")


async def as_json(request: Request) -> Response:
    """Return the JSON of the command ``check``."""
    name, card = await _file(request)
    answer = _checked(request, name, card)
    await wait(answer, is_known, request.is_disconnected)
    return response_of(answer)


async def figures(request: Request) -> Response:
    """Return what a short simulation of the game at its defaults gives."""
    name, card = await _file(request)
    if "broken" in card:
        return Response('<p class="muted">Figures follow when the file can be read.</p>', media_type="text/html")
    lab = lab_of(request)
    asked = Question(name, card).asked
    answer = lab.answers.ask(f"figures {lab.shelf.stamp(name)} {name}", "own.figures", JobLimits(), asked=asked)
    if not await wait(answer, is_known, request.is_disconnected):
        return Response(status_code=499)
    if "json" not in answer.said:
        html = fragment("error.html", message=answer.said["error"])
    else:
        data = json.loads(answer.said["json"])
        html = fragment("numbers.html", data=data, tables=answer.said["tables"], played=data["games"])
    return Response(html, media_type="text/html")


async def stamp(request: Request) -> Response:
    """Return when the file was last saved, as a number that changes."""
    return JSONResponse({"stamp": str(lab_of(request).shelf.stamp_now(_name(request)))})
