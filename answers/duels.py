"""Strategies against optimal play and against their best responses, computed on both cores."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import isfinite
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import dicelab
from dicelab.questions.policies.solution import Solution
from dicelab.rules.game import Game
from pages import must_agree

CORES = 2


@dataclass(frozen=True)
class Duel:
    """A strategy's chances to win against an opponent, from both seats.

    Attributes
    ----------
    first, second
        Chance to win of the strategy, when it moves first and when it moves second.
    error
        Bound on the error of both; infinite where none was found.
    """

    first: float
    second: float
    error: float

    @property
    def balanced(self) -> float:
        """The mean over both seats."""
        return (self.first + self.second) / 2


def against(game: str | type[Game], opponent: str, strategy: str) -> Duel:
    """Return the exact chances of a strategy against another."""
    first = dicelab.exact(game, [strategy, opponent], threads=1).outcomes["0"]
    second = dicelab.exact(game, [opponent, strategy], threads=1).outcomes["1"]
    return Duel(first.probability, second.probability, max(first.error, second.error))


def best_reply(game: str, strategy: str) -> Duel:
    """Return what the best response to a strategy wins from either seat."""
    first, second = (dicelab.solve(game, strategy, seat=seat) for seat in (0, 1))
    for seat, reply in enumerate((first, second)):
        if not isfinite(reply.error):
            confirm(game, strategy, seat, reply)
    return Duel(first.value, second.value, max(first.error, second.error))


def confirm(game: str, strategy: str, seat: int, reply: Solution) -> None:
    """Stop if a best response without an error bound does not win as much as was computed."""
    assert reply.policy is not None
    with TemporaryDirectory() as folder:
        path = Path(folder) / "reply.npz"
        reply.policy.save(path)
        pair = [f"policy:{path}", strategy]
        wins = dicelab.exact(game, pair if seat == 0 else pair[::-1], threads=1).outcomes[str(seat)].probability
    must_agree(f"the best response to {strategy}", wins, reply.value, 1e-10)


def all_against(game: str, opponent: str, strategies: Sequence[str]) -> dict[str, Duel]:
    """Return each strategy against the same opponent."""
    with ProcessPoolExecutor(CORES, get_context("spawn")) as pool:
        found = pool.map(partial(against, game, opponent), strategies)
        return dict(zip(strategies, found, strict=True))


def best_replies(game: str, strategies: Sequence[str]) -> dict[str, Duel]:
    """Return the best response to each strategy."""
    with ProcessPoolExecutor(CORES, get_context("spawn")) as pool:
        return dict(zip(strategies, pool.map(partial(best_reply, game), strategies), strict=True))
