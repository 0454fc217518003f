"""Pages with one answer, that of a command: the page, its answer alone, its JSON, its charts.

A page waits a moment for its answer; an answer that takes longer is inserted into the page when it is known.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from time import perf_counter
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from dicelab.errors import InputError, ParameterError
from dicelab.interface.lab.answers import PendingAnswer, wait
from dicelab.interface.lab.job import JobLimits
from dicelab.interface.lab.lab import canonical, json_error, lab_of, question_of
from dicelab.interface.lab.question import Question
from dicelab.interface.lab.render import fragment, page
from dicelab.limits import LIMITS
from dicelab.questions.declare import DeclaredQuestion
from dicelab.questions.options import FiguresOption

LARGEST = 20_000_000
"""Bytes of a table, at most."""


async def table(request: Request) -> Response:
    """Keep a table; returns the word for it in addresses."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > LARGEST:
            return PlainTextResponse(f"a table may have at most {LARGEST // 10**6} MB\n", 413)
    return JSONResponse({"table": lab_of(request).keep(bytes(content))}, status_code=201)


Arguments = dict[str, Any]


@dataclass(frozen=True)
class QuestionPage:
    """The kind of question that a page asks.

    Attributes
    ----------
    name
        Name of the page, the command and the template; the template of its answer ends in ``_part``.
    task
        The task that answers it (`dicelab.interface.lab.work.process`).
    arguments
        Arguments of the task, made from the question; None if the question is not complete yet.
    charts
        Names of the charts of an answer.
    extra
        Words that are allowed in place of strategies.
    settings
        The keys of addresses that the question depends on.
    shown
        Whether it has a page of its own; else its answer is a part of another page.
    written
        The lines of the command and in Python, of a page that is shown.
    policy
        Whether the task keeps an optimal policy in a file, for other questions about the same game.
    compared
        Whether several strategies are compared with each other, so that none is that of a seat.
    stored
        Whether the task keeps its answers in the store of the lab.
    declared
        The declaration of the question, from which everything else follows (`kind_of`); None without one.
    """

    name: str
    task: str
    arguments: Callable[[Question], Arguments | None] = lambda question: {}
    charts: Callable[[dict[str, Any]], Sequence[str]] = lambda data: ()
    extra: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    shown: bool = True
    written: Callable[[Question], tuple[str, str]] | None = None
    policy: bool = False
    compared: bool = False
    stored: bool = False
    declared: DeclaredQuestion | None = None

    @property
    def alone(self) -> bool:
        """Whether it is about no game."""
        return self.declared is not None and self.declared.alone

    def question(self, request: Request) -> Awaitable[Question]:
        """Return the question of a request."""
        return question_of(request, self.extra, self.compared, self.declared)

    def routes(self) -> list[Route]:
        """Return the addresses of the page."""
        base = f"/{self.name}" if self.alone else f"/games/{{name}}/{self.name}"
        return [
            *([Route(base, partial(_page, self))] if self.shown else []),
            Route(f"{base}.json", partial(_as_data, self, "json", "application/json")),
            Route(f"{base}.csv", partial(_as_data, self, "csv", "text/csv")),
            Route(f"{base}/part", partial(_part, self)),
            Route(f"{base}/{{chart}}.json", partial(_chart, self)),
            Route(f"{base}/{{file}}.html", partial(_file, self)),
        ]

    def lines(self, plain: Question) -> tuple[str, str]:
        """Return the command and the Python that ask a question, given as `plain` returns it."""
        assert self.written is not None, self.name
        return self.written(plain)

    def plain(self, question: Question) -> Question:
        """Return the question without the settings that its answer does not depend on."""
        kept = {key: text for key, text in question.settings.items() if key.partition(".")[0] in self.settings}
        varied = {text.partition("=")[0] for key, text in kept.items() if key in ("over", "over2")}
        parameters = {name: text for name, text in question.parameters.items() if name not in varied}
        seated = self.declared is None or "strategies" in self.declared.options
        return replace(question, parameters=parameters, settings=kept, strategies=question.strategies if seated else [])

    def answer(self, request: Request, question: Question) -> PendingAnswer | None:
        """Return the answer, which is started if it is new; None if the question is not complete."""
        asked = self._asked(request, question)
        return None if asked is None else lab_of(request).answers.ask(asked[0], self.task, JobLimits(), **asked[1])

    def _asked(self, request: Request, question: Question) -> tuple[str, Arguments] | None:
        """Return the key of an answer and the arguments of its task; None if the question is not complete."""
        lab, plain = lab_of(request), self.plain(question)
        arguments = self.arguments(plain)
        if arguments is None:
            return None
        for name, table in (self.declared.tables if self.declared else {}).items():
            text = arguments["texts"].get(name)
            if text is not None and table.is_table(text):  # with a field, the text itself; else the word for it
                arguments["texts"][name] = str(lab.table(lab.keep(text.encode()) if table.label else text))
        key = f"{self.name} {lab.shelf.stamp(question.name)} {plain.address()}"
        if question.beside is not None:
            key += f" {lab.shelf.stamp(question.beside.name)}"
        if self.policy:
            game = question.rules_only()
            objective = arguments["texts"].get("objective") if self.declared else arguments["objective"]
            solved = f"{lab.shelf.stamp(question.name)} {game.address(objective=objective or '')}"
            name = hashlib.sha256(f"policy {solved}".encode()).hexdigest()[:24]
            arguments = {**arguments, "kept" if self.declared else "file": str(lab.folder / f"{name}.npz")}
        given = {"asked": plain.asked, "memory": LIMITS.job_bytes // 2, **arguments}
        given |= {"store": lab.storing} if self.stored else {}
        return key, given


async def _page(kind: QuestionPage, request: Request) -> Response:
    """Return the page, with the answer if it is known soon, else with a place for it."""
    question = await kind.question(request)
    elsewhere = canonical(request, question, kind.name)
    if elsewhere is not None:
        return elsewhere
    answer, plain, part = kind.answer(request, question), kind.plain(question), None
    if answer is not None:
        seconds = None if question.settings.get("wait") else LIMITS.answer_seconds
        await wait(answer, is_known, request.is_disconnected, seconds)
        part = _rendered(kind, plain, answer) if is_known(answer) else None
    command, python = None, None
    if answer is not None and not is_refused(answer):
        with suppress(InputError):  # a text that stands for no value: the answer will say so
            command, python = kind.lines(plain)
    return page(
        [f"{kind.name}.html", "question.html"],
        title=kind.declared.tab if kind.declared and kind.alone else f"{question.card['name']}: {kind.name}",
        question=question,
        card=question.card,
        here=kind.name,
        command=command,
        python=python,
        names=[name for name, card in lab_of(request).shelf.cards.items() if "broken" not in card],
        part=part,
        begun=answer is not None,
        work=answer.number if answer is not None else "",
        twin=plain.address(f"{kind.name}.json") if kind.declared is None or not kind.declared.only_files else "",
        place=plain.address(f"{kind.name}/part"),
        address_of=plain.address,
        token=lab_of(request).token,
        asked=kind.declared,
    )


async def _part(kind: QuestionPage, request: Request) -> Response:
    """Return the answer alone, once it is known, for the place that the page has for it."""
    question = await kind.question(request)
    answer = kind.answer(request, question)
    if answer is None or not await wait(answer, is_known, request.is_disconnected):
        return Response(status_code=499)
    return Response(_rendered(kind, kind.plain(question), answer), media_type="text/html")


async def _as_data(kind: QuestionPage, form: str, media_type: str, request: Request) -> Response:
    """Return the JSON of the command, or its CSV."""
    question = await kind.question(request)
    answer = kind.answer(request, question)
    if answer is None:
        return json_error("the question is not complete", 2)
    await wait(answer, is_known, request.is_disconnected)
    return response_of(answer, form, media_type)


async def _chart(kind: QuestionPage, request: Request) -> Response:
    """Return what one chart of the answer shows."""
    question, name = await kind.question(request), request.path_params["chart"]
    answer = kind.answer(request, question)
    if answer is not None:
        await wait(answer, lambda state: name in state.charts, request.is_disconnected)
    if answer is None or name not in answer.charts:
        return Response("there is no such chart\n", 404, media_type="text/plain")
    return JSONResponse(answer.charts[name])


async def _file(kind: QuestionPage, request: Request) -> Response:
    """Return a file that the answer can be written into, to be saved: its scripts don't run in a page of the lab."""
    question, name = await kind.question(request), request.path_params["file"]
    answer = kind.answer(request, question)
    if answer is not None:
        await wait(answer, is_known, request.is_disconnected)
    text = _files(kind, answer).get(name) if answer is not None else None
    if text is None:
        return Response("there is no such file\n", 404, media_type="text/plain")
    how = {"Content-Disposition": f'attachment; filename="{question.name}-{name}.html"'}
    return Response(text, media_type="text/html", headers=how)


def _files(kind: QuestionPage, answer: PendingAnswer) -> dict[str, str]:
    """Return the files of an answer by name."""
    return {f"{kind.name}{added}": text for added, text in answer.said.get("files", {}).items()}


def response_of(answer: PendingAnswer, form: str = "json", media_type: str = "application/json") -> Response:
    """Return the JSON of the command that an answer contains (or another form of it), or its error."""
    if form in answer.said:
        return Response(answer.said[form].rstrip("\n") + "\n", media_type=media_type)
    return json_error(answer.said.get("error", f"this answer has no {form}"), answer.said.get("status", 1))


def is_known(answer: PendingAnswer) -> bool:
    """Return whether an answer can be shown, or has failed."""
    return bool(answer.said.keys() & {"json", "html"}) or answer.ended


def is_refused(answer: PendingAnswer) -> bool:
    """Return whether a question was not understood: nothing else can ask it either."""
    return answer.said.get("status") == 2


def _rendered(kind: QuestionPage, question: Question, answer: PendingAnswer) -> str:
    if not answer.said.keys() & {"json", "html"}:
        return fragment("error.html", message=answer.said["error"], refused=is_refused(answer))
    data = json.loads(answer.said.get("json", "{}"))
    figures = answer.said.get("figures", {})
    names = answer.said.get("charts", ()) if kind.declared else kind.charts(data)
    charts = [(name, question.address(f"{kind.name}/{name}.json")) for name in names]
    said = f'<p class="lead answer">{escape(data["summary"])}</p>\n' if data.get("summary") else ""
    files = [(f"{name}.html", question.address(f"{kind.name}/{name}.html")) for name in _files(kind, answer)]
    shown = {"question": question, "card": question.card, "data": data, "charts": charts, "files": files}
    shown |= {"figures": figures, "html": answer.said.get("html", ""), "tables": answer.said.get("tables", [])}
    html = fragment([f"{kind.name}_part.html", "question_part.html"], **shown)
    notes = "".join(f'<p class="notice">{escape(note)}</p>\n' for note in answer.said.get("notes", ()))
    return said + html + notes


def _texts(one: DeclaredQuestion, question: Question) -> tuple[DeclaredQuestion, dict[str, Any]]:
    """Return what is asked, `one` or another question instead, and the texts of its arguments: those of an address by
    name, of ``mean.TALLY`` by the names of both.
    """
    asked, texts = one.asked(question.settings), dict[str, Any]()
    for key, text in question.settings.items():
        name, _, of = key.partition(".")
        name = asked.argument(name)
        if asked is not one and name not in asked.options:
            continue
        if isinstance(asked.options.get(name), FiguresOption) != bool(of):
            of_what = "" if of else f".{asked.options[name].metavar.partition('=')[0]}"
            raise ParameterError(f"{key}: write {name}{of_what}={text}")
        if of:
            texts.setdefault(name, {})[of] = text
        else:
            texts[name] = text
    return asked, asked.typed(texts)


def kind_of(one: DeclaredQuestion) -> QuestionPage:
    """Return the page of a question as it was declared; it may ask another one instead."""

    def arguments(question: Question) -> Arguments | None:
        asked, given = _texts(one, question)
        where = {"name": asked.name, "module": asked.module, "file": inspect.getfile(inspect.unwrap(asked.call))}
        return {**where, "texts": given} if one.complete(question, given) else None

    def written(question: Question) -> tuple[str, str]:
        asked, given = _texts(one, question)
        given = {name: text for name, text in given.items() if text != str(asked.default(name))}
        tables = {name: table for name, table in asked.tables.items() if name in given}
        given |= {name: table.called for name, table in tables.items() if table.is_table(given[name])}
        values, options = asked.values(given), asked.options_typed(given)
        several = values.pop(asked.word) if asked.several else []
        words = several or [values[name] for name in (asked.word,) if name in values]
        call = asked.for_seats(int(question.card.get("seats", 0)), question.strategies).name
        python = question.python(call, *several, **values)
        if one.files is not None and one.only_files:
            file = f"{question.name}-{one.name}.html"  # as the link to it
            options |= {one.files.names[0].lstrip("-"): file}
            python = python.removesuffix("print(result)") + f"result.save({file!r})"
        return question.command(asked.command(given), *words, **options), python

    return QuestionPage(
        one.page or one.name,
        arguments=arguments,
        written=written,
        task="answer.ask",
        extra=one.words,
        settings=(*one.page_fields, *one.settings),
        policy=one.policy == "optimal",
        compared=one.compared,
        stored="store" in one.options,
        declared=one,
    )


# What is being done for an answer that a page waits for: how far it is, cancelling it, going on in the background -----


HELD = 0.7
"""Seconds for which the state of work is held back; the page that asks waits for the answer, so the work goes on."""
MANY = "too many questions are worked on in the background already; wait until one is done, or cancel it"


UNKNOWN = "this work has ended, because no page waited for it; load the page again"


def _answer(request: Request) -> PendingAnswer | None:
    return lab_of(request).answers.called(request.path_params["number"])


async def work(request: Request) -> Response:
    """Return how far the work on an answer is, after a while or as soon as it has ended."""
    answer = _answer(request)
    if answer is None:
        return JSONResponse({"error": UNKNOWN}, status_code=404)
    await wait(answer, lambda state: state.ended, request.is_disconnected, HELD)
    said = answer.said
    return JSONResponse(
        {
            "stage": said.get("stage", []),
            "seconds": perf_counter() - answer.began,
            "left": answer.left,
            "behind": answer.behind,
            "ended": answer.ended,
            "cancelled": answer.job.cancelled,
            "error": said.get("error"),
        }
    )


async def behind(request: Request) -> Response:
    """Go on with the work in the background."""
    answer = _answer(request)
    if answer is None:
        return JSONResponse({"error": UNKNOWN}, status_code=404)
    if not lab_of(request).answers.put_behind(answer):
        return JSONResponse({"error": MANY}, status_code=409)
    return Response(status_code=204)


async def cancel(request: Request) -> Response:
    """Cancel the work."""
    answer = _answer(request)
    if answer is None:
        return JSONResponse({"error": UNKNOWN}, status_code=404)
    answer.job.cancel()
    return Response(status_code=204)
