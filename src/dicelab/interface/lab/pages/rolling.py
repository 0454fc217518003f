"""Pages about dice alone, without a game: what dice do, and whether somebody's dice are fair."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dicelab.errors import ParameterError, unknown
from dicelab.interface.lab.answers import Answer, wait
from dicelab.interface.lab.job import Limits
from dicelab.interface.lab.lab import lab_of
from dicelab.interface.lab.pages.answered import is_known, is_refused, response_of
from dicelab.interface.lab.question import as_number
from dicelab.interface.lab.render import fragment, page

LONGEST = 20_000
"""Characters of a value in an address, at most."""
FILE = "rolls.csv"
"""Stands for a file with the rolls that were typed into a page."""

Given = Mapping[str, str]


@dataclass(frozen=True)
class Alone:
    """A page with one answer that is about no game.

    Attributes
    ----------
    path, task, template, title
        The address, the task of the worker, the template, and the title.
    fields, needed
        The fields of the form, and those of which one must be filled in.
    written
        The command line and the Python, from what was filled in.
    """

    path: str
    task: str
    template: str
    title: str
    fields: tuple[str, ...]
    needed: tuple[str, ...]
    written: Callable[[Given], tuple[str, str]]

    def routes(self) -> list[Route]:
        """Return the addresses of the page."""
        data = (Route(f"{self.path}.{form}", partial(_as_data, self, form)) for form in ("json", "csv"))
        return [Route(self.path, partial(_page, self)), *data, Route(f"{self.path}/chart.svg", partial(_chart, self))]

    def given(self, request: Request) -> dict[str, str]:
        """Return what was filled in.

        Raises
        ------
        ParameterError, UnknownNameError
        """
        found = dict[str, str]()
        for key, value in request.query_params.multi_items():
            if key not in self.fields:
                raise unknown("field of this page", key, self.fields)
            if key in found:
                raise ParameterError(f"{key} is given twice")
            if len(value) > LONGEST:
                raise ParameterError(f"{key}: this value is too long; use the command, which reads files")
            if value.strip():
                found[key] = value.strip()
        return found

    def answer(self, request: Request, given: Given) -> Answer | None:
        """Return the answer, which is started if it is new; None if nothing is asked yet."""
        if not any(name in given for name in self.needed):
            return None
        key = f"{self.path} {json.dumps(given, sort_keys=True)}"
        return lab_of(request).answers.ask(key, self.task, Limits(), given=dict(given))

    def address(self, given: Given, end: str = "") -> str:
        """Return the address of the page, or of another form of its answer."""
        return f"{self.path}{end}" + (f"?{urlencode(given)}" if given else "")


def _dice_written(given: Given) -> tuple[str, str]:
    expressions = [line.strip() for line in given["expressions"].splitlines() if line.strip()]
    options = {name: as_number(given[name]) for name in ("at_least", "at_most", "depth") if name in given}
    words = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    call = "dice" if len(expressions) == 1 else "compare_dice"
    arguments = [*map(repr, expressions), *(f"{name}={value!r}" for name, value in options.items())]
    python = f"import dicelab\nresult = dicelab.{call}({', '.join(arguments)})\nprint(result)"
    return shlex.join(["dicelab", "dice", *expressions, *words]), python


def _fair_written(given: Given) -> tuple[str, str]:
    die, rolls = given.get("die"), given.get("counts", FILE).replace(" ", "")
    python = ", ".join([repr(rolls), *([f"die={die!r}"] if die else [])])
    command = shlex.join(["dicelab", "dice", *([die] if die else []), "--test", rolls])
    return command, f"import dicelab\nresult = dicelab.fair({python})\nprint(result)"


DICE = Alone(
    path="/dice",
    task="dice",
    template="expressions",
    title="Dice",
    fields=("expressions", "at_least", "at_most", "depth", "of"),
    needed=("expressions",),
    written=_dice_written,
)
FAIR = Alone(
    path="/fair",
    task="fair",
    template="fair",
    title="Are my dice fair?",
    fields=("rolls", "counts", "die"),
    needed=("rolls", "counts"),
    written=_fair_written,
)
PAGES = (DICE, FAIR)


async def _page(kind: Alone, request: Request) -> Response:
    """Return the page, with its answer if something is asked."""
    given = kind.given(request)
    answer, part, written = kind.answer(request, given), None, None
    if answer is not None:
        await wait(answer, is_known, request.is_disconnected)
        part, written = _part(kind, given, answer), None if is_refused(answer) else kind.written(given)
    twins = {form: kind.address(given, f".{form}") for form in ("json", "csv")}
    return page(f"{kind.template}.html", title=kind.title, given=given, part=part, written=written, twins=twins)


def _part(kind: Alone, given: Given, answer: Answer) -> str:
    if "json" not in answer.said:
        return fragment("error.html", message=answer.said.get("error", "stopped"), refused=is_refused(answer))
    data = json.loads(answer.said["json"])
    return fragment(f"{kind.template}_part.html", data=data, chart=kind.address(given, "/chart.svg"))


async def _as_data(kind: Alone, form: str, request: Request) -> Response:
    """Return the JSON of the command, or its CSV."""
    answer = kind.answer(request, kind.given(request))
    if answer is None:
        raise ParameterError(f"the question is not complete: {' or '.join(kind.needed)} is missing")
    await wait(answer, is_known, request.is_disconnected)
    return response_of(answer, form, "text/csv" if form == "csv" else "application/json")


async def _chart(kind: Alone, request: Request) -> Response:
    """Return the chart of the answer, as SVG."""
    answer = kind.answer(request, kind.given(request))
    if answer is not None:
        await wait(answer, lambda found: "chart" in found.charts, request.is_disconnected)
    if answer is None or "chart" not in answer.charts:
        return Response("there is no such chart\n", 404, media_type="text/plain")
    return Response(answer.charts["chart"], media_type="image/svg+xml")
