"""The pages about a game that need no computing: the shelf, and the game itself."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from dicelab.interface.lab.answers import wait
from dicelab.interface.lab.job import JobLimits
from dicelab.interface.lab.lab import canonical, lab_of, question_of
from dicelab.interface.lab.pages.answered import is_known, response_of
from dicelab.interface.lab.render import page

DICE_SHOWN = 6
"""Faces of a die that a card shows."""
DICE = "3d6 vs 2d8", "10d6 >= 5", "max(2d6, d12)", "3d6!"
"""Dice expressions beside the box for one."""
EXAMPLES = {
    "Who wins LCR with six players?": "/games/lcr/exact?players=6",
    "How often does the caster win at Hazard?": "/games/hazard/simulate?games=100000&seed=1",
    "Which of three ways to play Toss Up! is best?": (
        "/games/tossup/rate?strategy=one_roll&strategy=bank_over:20&strategy=bank_over:50&seed=1"
    ),
    "How often does the pass line of craps win?": "/games/pass-line/exact",
    "Why does the last of three players win LCR most often?": "/games/lcr/why?players=3",
    "Are these dice fair?": "/fair?rolls=16,18,21,15,14,26",
}
"""A question of each kind, and its page; its JSON has the answer."""


async def shelf(request: Request) -> Response:
    """Return all games."""
    games = lab_of(request).shelf
    await games.look()
    files = {name: card for name, card in games.cards.items() if games.is_file(name)}
    own = {name: card for name, card in games.cards.items() if not games.is_file(name)}
    groups = [("Your games", files), ("Games", own)]
    return page(
        "shelf.html", title="Games", groups=groups, faces=DICE_SHOWN, dice=DICE, examples=EXAMPLES, data_of=data_of
    )


async def yours(request: Request) -> Response:
    """Return the page of what the browser has kept of a person's games."""
    return page("yours.html", title="Your games")


def data_of(address: str) -> str:
    """Return the address of the JSON of a page.

    >>> data_of("/games/lcr/exact?players=6")
    '/games/lcr/exact.json?players=6'
    """
    path, mark, query = address.partition("?")
    return f"{path}.json{mark}{query}"


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
    answer = lab.answers.ask(key, "own.show", JobLimits(), called=question.card["called"])
    await wait(answer, is_known, request.is_disconnected)
    return response_of(answer)
