"""What all pages share: the shelf, the answers, the live runs, and the question of a request."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from dicelab.errors import DicelabError, InputError, ParameterError, UnknownNameError
from dicelab.interface.lab.answers import Answers
from dicelab.interface.lab.question import Question
from dicelab.interface.lab.render import page
from dicelab.interface.lab.shelf import Shelf
from dicelab.limits import LIMITS
from dicelab.questions.declare import DeclaredQuestion
from dicelab.results.base import SCHEMA

if TYPE_CHECKING:
    from dicelab.interface.lab.answers import LiveRuns


@dataclass
class Lab:
    """One run of the server; `folder` holds what it has solved, and is removed at the end; `store` is kept.

    With `edits`, the files that were named at the start may be written; where `public`, others are let in.
    """

    shelf: Shelf
    token: str
    runs: LiveRuns
    folder: Path
    store: str | None = None
    edits: bool = False
    public: bool = False
    answers: Answers = field(default_factory=Answers)

    def table(self, word: str) -> Path:
        """Return the file of a table that was given to the page `judge`.

        Raises
        ------
        ParameterError
            When it was given to an earlier run of the lab.
        """
        file = self._file(word)
        if not word.isalnum() or not file.exists():
            raise ParameterError("table: this table was given to an earlier run of the lab; give it again")
        return file

    def keep(self, table: bytes) -> str:
        """Keep a table in a file; returns the word for it in addresses."""
        word = hashlib.sha256(table).hexdigest()[:32]
        self._file(word).write_bytes(table)
        self.make_room()
        return word

    def make_room(self) -> None:
        """Remove what was used least recently from the folder if all is too large together."""
        files = [(file.stat().st_mtime, file.stat().st_size, file) for file in self.folder.iterdir() if file.is_file()]
        size = sum(size for _, size, _ in files)
        for _, one, file in sorted(files)[:-1]:
            if size <= LIMITS.lab_bytes:
                break
            file.unlink(missing_ok=True)
            size -= one

    @property
    def storing(self) -> str | None:
        """The store, into which answers are written; none where others are let in and it is as large as it may get."""
        full = self.public and self.store is not None and Path(self.store).stat().st_size > LIMITS.public_store_bytes
        return None if full else self.store

    def _file(self, word: str) -> Path:
        return self.folder / f"{word}.csv"


def lab_of(request: Request) -> Lab:
    """Return the lab that received a request."""
    lab: Lab = request.app.state.lab
    return lab


async def question_of(
    request: Request, extra: Iterable[str] = (), compared: bool = False, asked: DeclaredQuestion | None = None
) -> Question:
    """Return the question of a request; `extra` as in `Question.of`, `compared` if its strategies are not those of
    seats, `asked` as it was declared.

    Raises
    ------
    InputError
        When there is no such game, or the address asks for something that it does not declare.
    DicelabError
        When the file of the game has an error.
    """
    if asked is not None and asked.alone:
        return Question.alone((*asked.fields, *asked.settings, "wait"), request.query_params.multi_items())
    name = request.path_params["name"]
    card = await lab_of(request).shelf.card(name)
    if "broken" in card:
        raise DicelabError(card["broken"])
    pairs = request.query_params.multi_items()
    given = [pair for pair in pairs if pair != ("strategy", "")] if compared else pairs
    question = Question.of(name, card, given, extra)
    if any(key.partition(".")[0] == "with" for key in question.settings):
        return await _with_another(request, question)
    return question


async def _with_another(request: Request, question: Question) -> Question:
    """Return the question with the one beside it, from the settings ``with`` and ``with.NAME``; alone if both are the
    same.
    """
    given = {key: text for key, text in question.settings.items() if key.partition(".")[0] == "with"}
    name = given.pop("with", question.name)
    card = await lab_of(request).shelf.card(name)
    if "broken" in card:
        raise DicelabError(card["broken"])
    other = Question.of(name, card, [(key.removeprefix("with."), text) for key, text in given.items()])
    kept = {key: text for key, text in question.settings.items() if key.partition(".")[0] != "with"}
    if other == question.plain():
        return replace(question, settings=kept)
    kept |= {"with": name} if name != question.name else {}
    changed = other.parameters | ({"strategy": other.strategies[0]} if other.strategies else {})
    kept |= {f"with.{key}": text for key, text in changed.items()} or {"with": name}
    return replace(question, settings=kept, beside=other)


def canonical(request: Request, question: Question, name: str) -> Response | None:
    """Return a redirection to the address without empty and default values; None if this is it."""
    given = sorted(request.query_params.multi_items())
    address = question.address(name)
    kept = Request({"type": "http", "query_string": address.partition("?")[2].encode()}).query_params.multi_items()
    return None if given == sorted(kept) else RedirectResponse(address, status_code=303)


def status_of(error: Exception) -> int:
    """Return the status of a response that reports an error."""
    return 404 if isinstance(error, UnknownNameError) else 400 if isinstance(error, InputError) else 422


def failed(request: Request, error: Exception) -> Response:
    """Return the response for an error: a page, or the JSON of the command."""
    message = " ".join(str(error).split())
    if request.url.path.endswith(".json"):
        return json_error(message, 2 if isinstance(error, InputError) else 1, status_of(error))
    context, name, shelf = dict[str, object](), request.path_params.get("name"), lab_of(request).shelf
    if name in shelf.cards:  # a page about a file follows when its error was corrected
        context = {"card": shelf.cards[name], "question": Question(name, shelf.cards[name])}
    return page("failed.html", status_of(error), title="This can't be answered", message=message, **context)


def json_error(message: str, status: int, http: int | None = None) -> JSONResponse:
    """Return an error as the JSON of the command."""
    said = {"schema": SCHEMA, "error": message, "status": status}
    return JSONResponse(said, status_code=http or (400 if status == 2 else 422))
