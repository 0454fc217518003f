"""The page that simulates while one watches; its JSON is that of ``dicelab simulate --json``."""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from dicelab.errors import InputError
from dicelab.interface.lab.answers import wait
from dicelab.interface.lab.lab import canonical, lab_of, question_of
from dicelab.interface.lab.pages.answered import is_known, kind_of, response_of
from dicelab.interface.lab.question import Question
from dicelab.interface.lab.render import fragment, page
from dicelab.limits import LIMITS
from dicelab.questions.declare import declared
from dicelab.questions.simulate import GAMES
from dicelab.results.text.writing import outcome_title
from dicelab.rules.params import whole_number

SIMULATE = kind_of(declared("simulate"))
MOST = 10**12
"""Limit of the games for which the page offers ten times as many."""
RETRY = 50
"""Milliseconds after which the browser opens the next stream."""
CURVES = 60
"""Largest number of outcomes that the page offers for the chart of convergence."""
WORDS = ("stop", "continue", "reveal", "end")
"""What a page may ask of its run."""


async def simulate(request: Request) -> Response:
    """Return the page; it starts the run by itself. An address without a seed is completed by one."""
    question = _asked(await question_of(request))
    elsewhere = canonical(request, question, "simulate")
    if elsewhere is not None:
        return elsewhere
    if "seed" not in question.settings:
        return RedirectResponse(question.address("simulate", seed=secrets.randbelow(10**6) + 1), status_code=303)
    games = "" if "precision" in question.settings else question.settings.get("games", str(GAMES))
    count = whole_number(games) or 0
    command, python = None, None
    if whole_number(question.settings["seed"]) is not None:
        with suppress(InputError):  # a text that stands for no value: the run will say so
            command, python = SIMULATE.lines(SIMULATE.plain(question))
    card = question.card
    more = question.address("simulate", games=10 * count) if 0 < count <= MOST else None
    return page(
        "simulate.html",
        title=f"{card['name']}: simulate",
        question=question,
        card=card,
        here="simulate",
        command=command,
        python=python,
        games=games,
        count=count,
        more=more,
        token=lab_of(request).token,
        curves=_curves(question),
    )


def _asked(question: Question) -> Question:
    """Return the question without a number of games where a precision decides, and without `on` where none does."""
    dropped = "games" if "precision" in question.settings else "on"
    return replace(question, settings={key: text for key, text in question.settings.items() if key != dropped})


def _curves(question: Question) -> list[tuple[str, str]]:
    """Return the outcomes and tallies, each with its label; the chart of convergence shows the first one by default."""
    card = question.card
    outcomes = [str(seat) for seat in range(question.seats)] if card["winners"] else card["outcomes"]
    curves = [(name, outcome_title(name, card["winners"], card.get("players", ()))) for name in outcomes[:CURVES]]
    return curves + [(name, name.replace("_", " ")) for name in card["tallies"]]


async def as_data(form: str, media_type: str, request: Request) -> Response:
    """Return the JSON of the command, or its CSV; without a seed, each time of other games."""
    question = await question_of(request)
    seed = question.settings.get("seed", str(secrets.randbits(64)))
    answer = SIMULATE.answer(request, replace(question, settings={**question.settings, "seed": seed}))
    assert answer is not None
    await wait(answer, is_known, request.is_disconnected)
    return response_of(answer, form, media_type)


async def start(request: Request) -> Response:
    """Start a run; returns its name."""
    question = await question_of(request)
    settings = question.settings
    lab = lab_of(request)
    games = settings.get("games", None if "precision" in settings else str(GAMES))
    name = lab.runs.start(
        asked=question.plain().asked,
        games=games,
        precision=settings.get("precision"),
        on=settings.get("on"),
        seed=settings.get("seed", "1"),
        of=settings.get("of"),
        memory=LIMITS.job_bytes // 2,
        store=lab.storing,
        seconds=settings.get("seconds"),
    )
    return JSONResponse({"run": name}, status_code=201)


async def live(request: Request) -> Response:
    """Return the events of a run, for a few seconds; the browser asks again with the number of the last one."""
    run = lab_of(request).runs.find(request.path_params["run"])
    question = await question_of(request)
    seen = request.headers.get("last-event-id", "0")
    since = int(seen) if seen.isdecimal() else 0

    async def events() -> AsyncIterator[str]:
        yield f"retry: {RETRY}\n\n"
        async for number, kind, content in run.events(since):
            name, data = _event(question, kind, content)
            yield f"id: {number}\nevent: {name}\ndata: {json.dumps(data)}\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


def _event(question: Question, kind: str, content: Any) -> tuple[str, dict[str, Any]]:
    """Return a message of a run as an event for the page: its name and its data."""
    if kind == "chart":
        return "chart", dict(zip(("name", "figure"), content, strict=True))
    if kind == "now":
        data = content["now"]
        html = fragment("numbers.html", data=data, tables=content["tables"], played=content["played"])
        return "numbers", {"games": data["games"], "state": content["state"], "html": html}
    if kind == "truth":
        return "truth", {"html": fragment("truth.html", data=content["truth"], tables=content["tables"])}
    if kind == "error":
        return "failed", {"html": fragment("error.html", message=content["error"], refused=content.get("status") == 2)}
    return "note", {"text": content.get("note", "")}


async def tell(request: Request) -> Response:
    """Pass a word of the page on to its run."""
    runs, name, word = lab_of(request).runs, request.path_params["run"], request.path_params["word"]
    run = runs.find(name)
    if word not in WORDS:
        return Response("there is no such word\n", 404, media_type="text/plain")
    if word == "end":
        runs.end(name)
    else:
        run.job.tell(word)
    return Response(status_code=204)
