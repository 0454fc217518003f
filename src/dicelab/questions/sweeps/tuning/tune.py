"""`dicelab.tune`: the values of parameters with which a game is as wished, for optimal and for casual play."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import isfinite, prod
from typing import Any

from dicelab.errors import InputError, ParameterError, unknown
from dicelab.keywords import keywords
from dicelab.questions.simulate import seed_of, whole
from dicelab.questions.sweeps.ranges import Swept
from dicelab.questions.sweeps.tuning.plays import BEST, CASUAL, USUAL, Method
from dicelab.questions.sweeps.tuning.tuned import Candidate, Tuned
from dicelab.questions.sweeps.tuning.wishes import Wish
from dicelab.results.numbers.fairness import MEASURES
from dicelab.results.provenance import about, winners
from dicelab.results.rows import Progress, each
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, outcome_names
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import parse_call

GAMES, SLACK = 50_000, 0.05
"""Games of each simulated candidate, and what a casual move may cost, unless others are given."""
MOST_NAMES, MOST_CANDIDATES = 4, 2_000
"""Limits of what is varied."""


@keywords()
def tune(
    game: str | os.PathLike[str] | type[Game] | Game,
    *,
    over: Mapping[str, Iterable[Any]],
    want: str | Sequence[str],
    play: str | Sequence[str] = (),
    objective: str | None = None,
    slack: float = SLACK,
    games: int = GAMES,
    seed: int | None = None,
    memory: int | None = None,
    threads: int | None = None,
    progress: Progress = lambda done, total: None,
    parameters: Mapping[str, object] | None = None,
    **more: object,
) -> Tuned:
    """Find values of parameters with which a game is as wished, for optimal and for casual play.

    Parameters
    ----------
    game, memory, threads, parameters, **more
        As in `dicelab.simulate`.
    over
        One to four parameters of the game, each with its values; every combination is a candidate.
    want
        Wishes: an outcome, a tally (its mean) or a measure of fairness, with a range, such as ``gap<1%``,
        ``turns=8..12`` or ``0>=45%``.
    play
        Kinds of play: ``best``, optimal play of all seats; ``casual``, random moves among those that cost at most
        `slack`; or a strategy of all seats, or those of all seats joined by ``+``. The default is both of the first two
        for a game with choices. Both are exact.
    objective
        What optimal play is for, as in `dicelab.solve`.
    slack
        What a move of casual play may cost, in the unit of the objective: 0.05 is 5 points of winning chance.
    games, seed
        Of each candidate with strategies that has too many states to be solved. Each is screened with 2,000 games
        first; the intervals allow for the number of all figures that are compared.
    progress
        Called with the number of candidates done, and the number of all.

    Raises
    ------
    InputError
        When something given is unknown or not allowed at any candidate.
    TooLarge
        When optimal play of the first candidate can't be found; a later one ends the list (`Tuned.refused`).
    PlayError

    Examples
    --------
    >>> found = tune("tossup", over={"target": [5, 10, 15]}, want="0<60%", dice=3)
    >>> [row.values["target"] for row in found.rows if row.satisfies()]
    [10, 15]
    """
    wishes = tuple(Wish.of(text) for text in ([want] if isinstance(want, str) else want))
    if not wishes:
        raise ParameterError("want: there is no wish; give one, such as gap<1%")
    candidates, left_out, first = _candidates(game, over, {**(parameters or {}), **more})
    plays = _plays(first, [play] if isinstance(play, str) else list(play))
    for _, table in candidates:
        _must_have(table, wishes)
    if not (isfinite(slack) and slack >= 0):
        raise ParameterError(f"slack: {slack!r} is not allowed; it takes a number, 0 or more")
    compared = len(candidates) * len(plays) * sum(_numbers(first, wish) for wish in wishes)
    method = Method(
        wishes, 1 - 0.05 / (2 * compared), whole("games", games), seed_of(Run.of(first), seed, None), float(slack),
        objective, memory, threads,
    )  # fmt: skip

    def row(candidate: tuple[dict[str, int | str], Game]) -> Candidate:
        values, table = candidate
        figures = method.figures(table, plays)
        verdicts = {
            name: {wish.text: wish.judged(found.values[wish.figure]) for wish in wishes}
            for name, found in figures.items()
        }
        return Candidate(values, figures, verdicts)

    rows, ending = each(candidates, row, progress)
    rows.sort(key=lambda one: one.rank(wishes))
    facts = about(first, [], without=list(over)) | ending
    known: dict[str, Any] = {"over": tuple(over), "plays": tuple(plays), "wishes": wishes, "rows": rows}
    found = Tuned(**facts, **known, left_out=left_out, slack=float(slack), games=method.games, seed=method.seed)
    return found if found.simulated else replace(found, seed=None)


def _candidates(
    game: str | os.PathLike[str] | type[Game] | Game, over: Mapping[str, Iterable[Any]], given: Mapping[str, object]
) -> tuple[list[tuple[dict[str, int | str], Game]], int, Game]:
    """The candidates with their games, the number of combinations that are not allowed, and the first game."""
    kind = type(Run.of(game).game)
    if not hasattr(over, "items") or not 1 <= len(over) <= MOST_NAMES:
        raise ParameterError(f"over: give one to {MOST_NAMES} parameters, each with its values")
    swept = [Swept.of(kind, name, values) for name, values in over.items()]
    for one in swept:
        if one.strategy:
            raise ParameterError(f"over: {one.name} is a strategy; tune varies parameters of the game")
        if one.name in given:
            raise ParameterError(f"{one.name} can't be both given and varied")
    if prod(len(one.values) for one in swept) > MOST_CANDIDATES:
        raise ParameterError(f"over: there are more than {MOST_CANDIDATES:,} combinations; give fewer values")
    found, refused, why = [], 0, list[InputError]()
    for place in product(*(one.values for one in swept)):
        chosen = {one.name: value for one, value in zip(swept, place, strict=True)}
        try:
            table = Run.of(game if isinstance(game, Game) else kind, **{**given, **chosen}).game
        except InputError as error:
            refused += 1
            why.append(error)
            continue
        words = {
            one.name: one.param.word(value) if one.named else value for one, value in zip(swept, place, strict=True)
        }
        found.append((words, table))
    if not found:
        raise why[0]
    return found, refused, found[0][1]


def _plays(game: Game, given: list[str]) -> list[str]:
    """The kinds of play, checked."""
    choices = bool(game.declared.decisions)
    if not given:
        return [BEST, CASUAL] if choices else [USUAL]
    for text in given:
        if text in (BEST, CASUAL) and text not in game.declared.strategies:
            if not choices:
                raise ParameterError(f"play: {game.name} has no choices, so there is no {text} play; leave play out")
            continue
        for one in text.split("+"):
            parse_call(game, one)
    if len(set(given)) < len(given):
        raise ParameterError("play: one is given twice")
    return given


def _must_have(game: Game, wishes: Sequence[Wish]) -> None:
    """Refuse wishes for figures that a game doesn't have."""
    tallies = [name for name, tally in game.declared.tallies.items() if not isinstance(tally, Peak)]
    names = [*outcome_names(game), *tallies, *(MEASURES if winners(game) else ())]
    for wish in wishes:
        if wish.figure not in names:
            raise unknown(f"outcome or tally of {game.name}", wish.figure, names)


def _numbers(game: Game, wish: Wish) -> int:
    """How many intervals a wish depends on: those of all seats for a measure of fairness."""
    return len(outcome_names(game)) if wish.figure in MEASURES else 1
