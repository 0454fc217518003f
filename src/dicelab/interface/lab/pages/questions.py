"""Answers that are no question of their own: parts of the page of optimal play, a bet, two games side by side."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from dicelab.errors import DicelabError, InputError, UnknownNameError
from dicelab.interface.lab.answers import wait
from dicelab.interface.lab.lab import question_of
from dicelab.interface.lab.pages.answered import Arguments, QuestionPage, kind_of
from dicelab.interface.lab.question import Question, as_number
from dicelab.questions.declare import declared

LEAVES = "3"
"""Leaves of the short rule."""
CARD_TYPES = {"pdf": "application/pdf", "csv": "text/csv", "py": "text/x-python"}
"""The kinds of files that a strategy card can be, and their media types."""
FEW = "10000"
"""Games of each row of a comparison or a sweep, unless the address says otherwise."""


def _named(question: Question, kind: str) -> dict[str, str]:
    """Return the settings ``mean.TALLY`` or ``sd.TALLY``, by tally."""
    return {key.partition(".")[2]: text for key, text in question.settings.items() if key.startswith(f"{kind}.")}


def _numbers(texts: Mapping[str, str]) -> dict[str, object]:
    """Return the texts of an address as the numbers that they stand for."""
    return {name: as_number(text) for name, text in texts.items()}


def _how(question: Question) -> dict[str, str | None]:
    """Exactly, or the games and the seed of a simulation."""
    if "simulated" not in question.settings:
        return {"games": None, "seed": None}
    return {"games": question.settings.get("games", FEW), "seed": question.settings.get("seed", "1")}


def _solved(question: Question) -> Arguments | None:
    if not question.card["choices"]:
        return None
    return {"objective": question.settings.get("objective")}


def _mapped(question: Question) -> Arguments | None:
    solved = _solved(question)
    axes = {key: question.settings.get(key) for key in ("x", "y")}
    return None if solved is None else {**solved, **axes, "at": _named(question, "at")}


def _carded(suffix: str, question: Question) -> Arguments | None:
    solved = _solved(question)
    return None if solved is None else {**solved, "at": _named(question, "at"), "suffix": suffix}


async def card(request: Request) -> Response:
    """Return the policy, or its states with some values, as a strategy card: a file."""
    suffix = request.path_params["suffix"]
    kind, question = CARDS.get(suffix), await question_of(request)
    answer = None if kind is None else kind.answer(request, question)
    if answer is None:
        raise UnknownNameError(f"there is no such card; a card is a {', '.join(CARDS)} file, of a game with choices")
    await wait(answer, lambda state: "card" in state.said, request.is_disconnected)
    if "card" not in answer.said:
        raise (InputError if answer.said.get("status") == 2 else DicelabError)(answer.said.get("error", "stopped"))
    return Response(b64decode(answer.said["card"]), media_type=CARD_TYPES[suffix])


def _ruled(question: Question) -> Arguments | None:
    solved = _solved(question)
    return None if solved is None else {**solved, "leaves": question.settings.get("leaves", LEAVES)}


def _beside_written(question: Question) -> tuple[str, str]:
    """Return two answers kept in a store and compared there; in Python, both results."""
    assert question.beside is not None
    how = {name: text for name, text in _how(question).items() if text is not None}
    verb, both = "simulate" if how else "exact", (question, question.beside)
    commands = [each.command(verb, **how, store="both.db") for each in both]
    calls = [each.python(verb, **_numbers(how)).splitlines()[1].partition(" = ")[2] for each in both]
    python = f"import dicelab\nfrom dicelab.results.store.runs import RunsCompared\nresults = {calls[0]}, {calls[1]}"
    python += "\nprint(RunsCompared(results))"
    return "\n".join([*commands, "dicelab runs both.db --compare 1 2"]), python


def _charts_of_both(one: dict[str, Any], two: dict[str, Any]) -> list[str]:
    """Return the charts that two results have in common."""
    seats = one["outcomes"] and [*one["outcomes"]] == [*two["outcomes"]]
    return [*(["outcomes"] if seats else []), *(name for name in one["tallies"] if name in two["tallies"])]


MAP = QuestionPage(
    "map", "answer.policy_map", arguments=_mapped, settings=("objective", "x", "y", "at"), shown=False, policy=True
)
RULE = QuestionPage("rule", "answer.rule", arguments=_ruled, settings=("objective", "leaves"), shown=False, policy=True)
CARDS = {
    suffix: QuestionPage(
        f"card.{suffix}",
        task="answer.card",
        arguments=partial(_carded, suffix),
        settings=("objective", "at"),
        policy=True,
    )
    for suffix in CARD_TYPES
}
_OF_EDGES = kind_of(declared("edges"))
HINT = replace(
    _OF_EDGES,
    name="hint",
    arguments=lambda question: (arguments := _OF_EDGES.arguments(question)) and arguments | {"drawn": False},
    settings=("only",),
    shown=False,
    stored=False,
)
"""The edge of the bet at which somebody points; it is not kept in the store."""
BESIDE = QuestionPage(
    "beside",
    "answer.beside",
    arguments=lambda question: {**_how(question), "other": question.beside.asked} if question.beside else None,
    written=_beside_written,
    charts=lambda data: _charts_of_both(*data["compared"]),
    settings=("games", "seed", "simulated", "with"),
    stored=True,
)
KINDS = (
    MAP,
    RULE,
    HINT,
    BESIDE,
)
