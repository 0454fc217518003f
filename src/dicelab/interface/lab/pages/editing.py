"""The editor of a file that was named at the start: its text, what a changed text gives, and saving it.

A text that is not saved is read by workers only, in place of the file. Nothing is written but the file, and only if it
still holds what the page has shown.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from dicelab.errors import DicelabError, UnknownNameError
from dicelab.interface.lab.answers import PendingAnswer, wait
from dicelab.interface.lab.contract import contract
from dicelab.interface.lab.job import Limits
from dicelab.interface.lab.lab import lab_of
from dicelab.interface.lab.pages import watching
from dicelab.interface.lab.pages.answered import is_known
from dicelab.interface.lab.render import fragment
from dicelab.interface.lab.shelf import SECONDS

LARGEST = 200_000
"""Bytes of a text, at most."""
FIGURES, CHECK = Limits(grace=0.3), replace(watching.LIMITS, grace=0.3)
"""Limits of the jobs about a text; when it has changed again, they are over at once."""
CHANGED = "another program has changed or removed the file since it was loaded here, so nothing was written"


def _file(request: Request) -> tuple[str, Path]:
    """Return the name of a file on the shelf, and its path.

    Raises
    ------
    UnknownNameError
        When there is no such file, or the lab lets others in.
    """
    lab, name = lab_of(request), str(request.path_params["name"])
    if not lab.edits or name not in lab.shelf.cards or not lab.shelf.is_file(name):
        raise UnknownNameError(f"{name} is no file that can be edited here")
    return name, lab.shelf.path(name)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def source(request: Request) -> Response:
    """Return the text of the file, what it is recognised by, and what can be inserted; or why it can't be edited."""
    _, path = _file(request)
    try:
        data = path.read_bytes()
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return JSONResponse({"refused": "The file can't be edited here, because it can't be read as UTF-8."})
    if len(data) > LARGEST:
        return JSONResponse({"refused": f"The file can't be edited here: it has more than {LARGEST // 1000} kB."})
    plain = text.replace("\r\n", "\n")
    if "\r" in plain or text not in (plain, plain.replace("\n", "\r\n")):
        return JSONResponse({"refused": "The file can't be edited here: its lines end in different ways."})
    return JSONResponse({"text": plain, "was": _hash(data), **contract(path.stem)})


async def _body(request: Request) -> bytes:
    """Return what a request has sent.

    Raises
    ------
    DicelabError
        When it is too long.
    """
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > 2 * LARGEST:
            raise DicelabError(f"a text may have at most {LARGEST // 1000} kB")
    return bytes(found)


async def save(request: Request) -> Response:
    """Write the text of the editor into the file, unless the file has changed since it was loaded.

    The body is JSON: the ``text``, and what the file ``was``.
    """
    _, path = _file(request)
    try:
        given = json.loads(await _body(request))
        text, was = given["text"], given["was"]
        data = text.encode("utf-8")
    except (ValueError, TypeError, KeyError, AttributeError):
        return JSONResponse({"error": "this is no text to save"}, status_code=400)
    if len(data) > LARGEST:
        return JSONResponse({"error": f"a text may have at most {LARGEST // 1000} kB"}, status_code=413)
    try:
        written = _written(path, data, was)
    except OSError as error:
        return JSONResponse({"error": f"the file can't be written: {error.strerror}"}, status_code=422)
    return JSONResponse({"was": written} if written else {"error": CHANGED}, status_code=200 if written else 409)


def _written(path: Path, data: bytes, was: str) -> str:
    """Write a file in place, with its own ends of lines, if its hash is `was`; return its new hash, or nothing.

    Raises
    ------
    OSError
        When it can't be written; it then holds what it held before.
    """
    try:
        file = path.open("r+b")
    except FileNotFoundError:
        return ""
    with file:
        before = file.read()
        if _hash(before) != was:
            return ""
        if b"\r\n" in before:
            data = data.replace(b"\n", b"\r\n")
        try:
            _replace(file.fileno(), data)
        except OSError:
            _replace(file.fileno(), before)  # the room for it was there before
            raise
    return _hash(data)


def _replace(file: int, data: bytes) -> None:
    """Replace all that an open file holds."""
    os.lseek(file, 0, os.SEEK_SET)
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]
    os.truncate(file, len(data))
    os.fsync(file)


async def draft(request: Request) -> Response:
    """Return what a text gives that is not saved: its error, or the figures of a few games (``quick``) or of more; or
    what the check finds.
    """
    name, path = _file(request)
    what = request.path_params["what"]
    data = await _body(request)
    if what not in READY:
        raise UnknownNameError(f"{what} is not known of a text")
    called = lab_of(request).shelf.cards[name]["called"]
    given = {"file": called, "path": str(path), "text": data.decode("utf-8", "replace")}
    task, limits, seconds = ("draft check", CHECK, watching.SECONDS) if what == "check" else ("draft", FIGURES, SECONDS)
    key = f"{task} {name} {_hash(data)}"
    answer = lab_of(request).answers.ask(key, task, limits, **given, seconds=seconds)
    if not await wait(answer, READY[what], request.is_disconnected):
        return Response(status_code=499)
    return JSONResponse(_checked(answer, called) if what == "check" else _figures(answer))


READY: dict[str, Callable[[PendingAnswer], bool]] = {
    "quick": lambda answer: "few" in answer.said or "broken" in answer.said.get("card", ()),
    "figures": is_known,
    "check": is_known,
}
"""What may be asked about a text, and when the answer is there."""


def _figures(answer: PendingAnswer) -> dict[str, object]:
    """Return the figures of a text, or its error and the line."""
    said = answer.said
    card = said.get("card", {})
    if "broken" in card:
        return {"broken": card["broken"], "line": card["line"]}
    figures = said.get("json", said.get("few"))
    if figures is None or "error" in said:
        return {"html": fragment("error.html", message=said["error"])}
    data = json.loads(figures)
    return {"html": fragment("numbers.html", card=card, data=data, played=data["games"])}


def _checked(answer: PendingAnswer, called: str) -> dict[str, object]:
    """Return what the check of a text has found: the findings for their lines, and all of them."""
    said = answer.said
    if "json" not in said:
        return {"html": fragment("error.html", message=said["error"]), "lines": []}
    data = json.loads(said["json"])
    findings = data["findings"]
    lines = [
        [finding["where"]["line"], finding["verdict"], finding["say"]]
        for finding in findings
        if watching.is_here(finding, called)
    ]
    html = fragment("check_part.html", card={}, findings=findings, here={}, data=data)
    return {"html": html, "lines": lines}
