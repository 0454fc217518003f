"""The pages about a game that need no computing: the shelf, and the game itself."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from dicelab.interface.lab.answers import wait
from dicelab.interface.lab.job import Limits
from dicelab.interface.lab.lab import canonical, lab_of, question_of
from dicelab.interface.lab.pages.answered import is_known, response_of
from dicelab.interface.lab.render import page

DICE_SHOWN = 6
"""Faces of a die that a card shows."""


async def shelf(request: Request) -> Response:
    """Return all games."""
    games = lab_of(request).shelf
    await games.look()
    files = {name: card for name, card in games.cards.items() if games.is_file(name)}
    own = {name: card for name, card in games.cards.items() if not games.is_file(name)}
    return page("shelf.html", title="Games", groups=[("Your games", files), ("Games", own)], faces=DICE_SHOWN)


async def game(request: Request) -> Response:
    """Return a game: its card, its settings, its rules."""
    question = await question_of(request)
    card = question.card
    python = question.python("simulate", games=100_000, seed=1)
    command = question.command("simulate", games="100000", seed="1")
    return canonical(request, question, "") or page(
        "game.html", title=card["name"], question=question, card=card, here="", command=command, python=python
    )


async def as_json(request: Request) -> Response:
    """Return the JSON of the command ``dicelab show``."""
    question = await question_of(request)
    lab = lab_of(request)
    key = f"show {lab.shelf.stamp(question.name)} {question.name}"
    answer = lab.answers.ask(key, "show", Limits(), called=question.card["called"])
    await wait(answer, is_known, request.is_disconnected)
    return response_of(answer)
