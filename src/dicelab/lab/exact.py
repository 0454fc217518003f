"""The page of exact answers; its JSON is that of ``dicelab exact --json``."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import Response

from dicelab.lab.answers import Answer, wait
from dicelab.lab.job import MEMORY, Limits
from dicelab.lab.lab import canonical, json_error, lab_of, question_of
from dicelab.lab.question import Question
from dicelab.lab.render import fragment, page

PATIENCE = 0.5
"""Seconds for which the page is held back for its answer; later, the answer is put in when it is known."""


def answer_to(request: Request, question: Question) -> Answer:
    """The exact answer to a question, which is begun if it is new."""
    lab = lab_of(request)
    plain = question.plain()
    key = f"exact {lab.shelf.stamp(question.name)} {plain.address()}"
    return lab.answers.ask(key, "exact", Limits(), asked=plain.asked, memory=MEMORY // 2, charts=True)


async def exact(request: Request) -> Response:
    """The page: with the answer if it is known soon, else with a place for it."""
    question = await question_of(request)
    elsewhere = canonical(request, question, "exact")
    if elsewhere is not None:
        return elsewhere
    answer = answer_to(request, question)
    seconds = None if question.settings.get("wait") else PATIENCE
    await wait(answer, is_known, request.is_disconnected, seconds)
    return page(
        "exact.html",
        title=f"{question.card['name']}: exact",
        question=question,
        card=question.card,
        here="exact",
        command=question.command("exact"),
        python=question.python("exact"),
        part=_part(question, answer) if is_known(answer) else None,
    )


async def part(request: Request) -> Response:
    """The answer alone, once it is known, for the place that the page has for it."""
    question = await question_of(request)
    answer = answer_to(request, question)
    if not await wait(answer, is_known, request.is_disconnected):
        return Response(status_code=499)
    return Response(_part(question, answer), media_type="text/html")


async def as_json(request: Request) -> Response:
    """The JSON of the command."""
    question = await question_of(request)
    answer = answer_to(request, question)
    await wait(answer, is_known, request.is_disconnected)
    return json_response(answer)


async def chart(request: Request) -> Response:
    """One chart of the answer, as SVG."""
    question, name = await question_of(request), request.path_params["chart"]
    answer = answer_to(request, question)
    await wait(answer, lambda found: name in found.charts, request.is_disconnected)
    if name not in answer.charts:
        return Response("there is no such chart\n", 404, media_type="text/plain")
    return Response(answer.charts[name], media_type="image/svg+xml")


def json_response(answer: Answer) -> Response:
    """The JSON of the command that an answer contains, or its error."""
    if "json" in answer.said:
        return Response(answer.said["json"] + "\n", media_type="application/json")
    return json_error(answer.said.get("error", "stopped"), answer.said.get("status", 1))


def is_known(answer: Answer) -> bool:
    """Whether an answer can be shown, or has failed."""
    return "json" in answer.said or answer.ended


def _part(question: Question, answer: Answer) -> str:
    if "json" not in answer.said:
        return fragment("error.html", message=answer.said["error"], died="died" in answer.said)
    data = json.loads(answer.said["json"])
    charts = [*(["outcomes"] if data["outcomes"] else []), *data["tallies"]]
    return fragment("exact_part.html", question=question, card=question.card, data=data, charts=charts)
