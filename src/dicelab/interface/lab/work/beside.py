"""Two games, or one game with different parameters, side by side."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from dicelab.errors import DicelabError
from dicelab.interface.lab.work.answer import answered, number_of
from dicelab.interface.lab.work.named import Asked, game_of
from dicelab.interface.lab.work.process import Wire
from dicelab.plots import plot_seats, plot_tally
from dicelab.plots.described import described
from dicelab.questions.exact import exact
from dicelab.questions.simulate import simulate
from dicelab.results.result import Result
from dicelab.results.store.runs import RunsCompared

NAMES = ("first", "second")


def beside(
    wire: Wire, asked: Asked, other: Asked, memory: int, games: str | None, seed: str | None, store: str | None = None
) -> None:
    """Send what two results have in common, and their charts; exactly if no number of games is given."""
    one, two = (_answer(question, memory, games, seed, store) for question in (asked, other))
    answered(wire, RunsCompared(NAMES, (one, two)))
    if one.outcome_names and one.outcome_names == two.outcome_names:
        with suppress(DicelabError):
            wire.send(chart="outcomes", drawn=described(plot_seats(one, two)))
    for name in one.tally_names:
        if name in two.tally_names:
            with suppress(DicelabError):
                wire.send(chart=name, drawn=described(plot_tally(one, two, tally=name)))


def _answer(asked: Asked, memory: int, games: str | None, seed: str | None, store: str | None) -> Result:
    game: Any = game_of(asked)
    if games is None:
        return exact(game, asked["strategies"], memory=memory, store=store)
    return simulate(game, asked["strategies"], games=number_of(games), seed=number_of(seed), store=store)
