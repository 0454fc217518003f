"""The editor of a file that was named at the start: its text, what a changed text gives, and saving it.

A text that is not saved is read by workers only, in place of the file. Nothing is written but the file, and only if it
still holds what the page has shown.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from dicelab import rules
from dicelab.errors import DicelabError, UnknownNameError
from dicelab.interface.lab.answers import PendingAnswer, wait
from dicelab.interface.lab.job import JobLimits
from dicelab.interface.lab.lab import lab_of
from dicelab.interface.lab.pages import watching
from dicelab.interface.lab.pages.answered import is_known
from dicelab.interface.lab.render import fragment
from dicelab.interface.starters import STARTERS, starter
from dicelab.limits import LIMITS
from dicelab.rules import Casino, Game

LARGEST = 200_000
"""Bytes of a text, at most."""
FIGURES, CHECK = JobLimits(grace=0.3), replace(watching.CHECKING, grace=0.3)
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
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > 2 * LARGEST:
            raise DicelabError(f"a text may have at most {LARGEST // 1000} kB")
    return bytes(body)


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
    task, limits, seconds = (
        ("own.draft_check", CHECK, LIMITS.check_seconds)
        if what == "check"
        else ("own.draft", FIGURES, LIMITS.file_seconds)
    )
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
    return {"html": fragment("numbers.html", data=data, tables=said["tables"], played=data["games"])}


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


# Contract -------------------------------------------------------------------------------------------------------------
#
# What the editor completes and inserts: the names of the contract, with a few words each, and templates.

CONSTANTS = {
    "COUNTS": "how often each face came up, as a view of a roll",
    "D6": "an ordinary die",
    "FACES": "each die by itself, as a view of a roll",
    "OVER": "the game is over: what `next` returns at the end",
    "SUM": "the sum of the dice, as a view of a roll",
}
"""What the names without a docstring mean."""
WORDS = (
    *("and", "break", "class", "continue", "def", "elif", "else", "False", "for", "from", "if", "import", "in"),
    *("lambda", "None", "not", "or", "pass", "return", "True", "while"),
    *("abs", "all", "any", "divmod", "enumerate", "int", "len", "list", "max", "min", "range", "sorted", "sum", "zip"),
)
"""Words of Python that rules use."""
PARTS = {
    "a parameter": """    dice = Param(2, 1, 10, "dice that are rolled")
""",
    "a number of the state": """    points = Int(0, 100, "points so far")
""",
    "a row of numbers, one for each player": """    scores = Ints(players, 0, 1000, "points held", by_seat=True)
""",
    "a yes or no": """    asked = Flag("the player may choose")
""",
    "a tally": """    rolls = Tally("rolls of the dice")
""",
    "a roll": """    @thrown(2, D6)
    def both(self, total: int) -> None:
        \"\"\"Two dice were rolled.\"\"\"
""",
    "a choice": """    @chosen(Move)
    def choose(self, move: int) -> None:
        \"\"\"Do what the player chose.\"\"\"
""",
    "what happens next": """    def next(self) -> int:
        \"\"\"Return what happens now.\"\"\"
        return OVER
""",
    "who has won": """    def outcome(self) -> int:
        \"\"\"Return the outcome.\"\"\"
        return 0
""",
    "a strategy": """@strategy(Starter)
def careful(game: Starter) -> int:
    \"\"\"Make the first move.\"\"\"
    return 0
""",
}
"""Parts of a file, by what they declare; the class is called as in the file."""


def contract(name: str) -> dict[str, Any]:
    """Return the names that a file of rules may use, and what can be inserted into a file called `name`.

    Returns
    -------
    dict[str, Any]
        In ``names`` lists of a name, how it is called, and what it means; in ``members`` those of a game; in ``words``
        those of Python; in ``templates`` lists of a label, a text, and whether it is a whole file.
    """
    names = [[word, *_told(word, getattr(rules, word))] for word in rules.__all__]
    members = {word: getattr(kind, word) for kind in (Game, Casino) for word in vars(kind) if word[0] != "_"}
    members = {word: value for word, value in members.items() if word != "declared"}
    whole = [[f"a whole file: {like}", starter(like, name), True] for like in STARTERS]
    return {
        "names": names,
        "members": [[word, *_told(word, value)] for word, value in members.items()],
        "words": WORDS,
        "templates": [*([label, text, False] for label, text in PARTS.items()), *whole],
    }


def _told(word: str, value: object) -> list[str]:
    """Return how something is called, and the first line of what is said about it."""
    if not callable(value):
        return ["", CONSTANTS.get(word, "")]
    given = [name for name in inspect.signature(value).parameters if name != "self"]
    return [
        f"({', '.join(given)})",
        (inspect.getdoc(value) or "").partition("\n")[0].replace("``", "").replace("`", ""),
    ]
