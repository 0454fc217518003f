"""Texts of pictures: labels that tell results apart, and captions that say what was played."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from dicelab.errors import ParameterError
from dicelab.results.base import BaseResult
from dicelab.results.result import Result, Simulation
from dicelab.results.text.writing import seated_text, setting_text
from dicelab.rules.words import player_name

LETTERS = 44
"""Maximum length of a line in a legend."""
MOST_LISTED = 3
"""Maximum number of different values that are all listed; of more, only the first and the last."""


def mean_of(tally: str) -> str:
    """Return the label of the mean of a tally.

    >>> mean_of("turns")
    'mean turns in a game'
    """
    return f"mean {tally} in a game"


def some(results: Sequence[Result]) -> None:
    """Check that there are results to draw, and that each simulation has games.

    Raises
    ------
    ParameterError
        When there are none.
    """
    if not results:
        raise ParameterError("nothing to plot: give at least one result")
    for result in results:
        if isinstance(result, Simulation) and not result.games:
            raise ParameterError(f"nothing to plot: no game of {result.game} was played")


def games_of(results: Iterable[BaseResult]) -> str:
    """Return the names of the games, each once."""
    return listed(result.game for result in results)


def labels(results: Sequence[Result]) -> list[str]:
    """Return a label for each result that tells it apart from the others.

    Parameters
    ----------
    results
        The results of one picture.

    Returns
    -------
    list of str
        The game, parameters and strategies in which the results differ, and ``exact`` or ``simulated``; also the number
        of games and the seed if labels would be equal otherwise.
    """
    named = []
    for result in results:
        setting = textwrap.shorten(", ".join(_setting(result, results)), LETTERS - 11, placeholder=" ...")
        named.append([setting, _method(result)] if setting else [_method(result)])
    said = []
    for words, result in zip(named, results, strict=True):
        if named.count(words) > 1 and isinstance(result, Simulation):
            words = [*words, f"{result.games:,} games", f"seed {result.seed}"]
        said.append(textwrap.fill(", ".join(words), LETTERS))
    return said


def _method(result: Result) -> str:
    return "simulated" if isinstance(result, Simulation) else "exact"


def _setting(result: Result, results: Sequence[Result]) -> list[str]:
    """Return the game, parameters and strategies of a result in which the results differ."""
    words = [result.game] if len({r.game for r in results}) > 1 else []
    for name, value in result.parameters.items():
        if len({r.parameters.get(name) for r in results}) > 1:
            words.append(f"{name} {setting_text(value)}")
    if len({tuple(r.strategies) for r in results}) > 1:
        if len(set(result.strategies)) == 1:
            words += result.strategies[:1]
        else:
            columns = zip_longest(*(r.strategies for r in results))
            differing = [seat for seat, column in enumerate(columns) if len(set(column)) > 1]
            named = enumerate(result.strategies)
            words += [f"{player_name(seat, result.players)} {text}" for seat, text in named if seat in differing]
    return words


def what(played: Sequence[BaseResult]) -> list[str]:
    """Return lines with the games, parameters that are not at their default, and strategies; where
    they differ, each.
    """
    names = dict.fromkeys(name for one in played for name in one.differing if name in one.parameters)
    columns = {name: [one.parameters[name] for one in played if name in one.parameters] for name in names}
    words = [f"{name} {listed(map(setting_text, column))}" for name, column in columns.items()]
    return [f"{games_of(played)}: {', '.join(words)}" if words else games_of(played), *_seated(played)]


def _seated(played: Sequence[BaseResult]) -> list[str]:
    """Return a line with the strategies of all seats; no line if there are none."""
    columns = zip_longest(*(one.strategies for one in played))
    seats = [listed(strategy for strategy in column if strategy is not None) for column in columns]
    if len(seats) > 1 and all(len(set(one.strategies)) == 1 for one in played):
        return [f"strategy of every player: {seats[0]}"]
    return [f"strategies: {seated_text(seats, played[0].players)}"] if seats else []


def how(results: Sequence[Result], bars: bool = True) -> str:
    """Return a line with the method: exact, or simulated with numbers of games and seeds; and the version.

    Parameters
    ----------
    results
        The results of one picture.
    bars
        Whether estimates are drawn with their intervals.
    """
    simulated = [result for result in results if isinstance(result, Simulation)]
    words = ["exact"] if len(simulated) < len(results) else []
    if simulated:
        games = listed(f"{result.games:,}" for result in simulated)
        each = " each" if len(simulated) > 1 else ""
        interval = ", bars are 95 % intervals" if bars else ""
        words.append(f"simulated: {games} games{each}, seed {listed(str(r.seed) for r in simulated)}{interval}")
    return f"{'; '.join(words)}; dicelab {listed(result.version for result in results)}"


def most_probable(results: Sequence[Result], most: int) -> tuple[list[str], list[str]]:
    """Return the outcomes that are drawn, in their order, at most so many; and the note for the caption about the
    others.
    """
    best: dict[str, float] = {}
    for result in results:
        for name, chance in result.outcomes.items():
            best[name] = max(chance.probability, best.get(name, 0.0))
    kept = set(sorted(best, key=lambda name: -best[name])[:most])
    return [name for name in best if name in kept], left_out(len(kept), len(best), "most probable outcomes")


def left_out(drawn: int, every: int, what: str) -> list[str]:
    """Return the note for the caption about what isn't drawn; none if everything is.

    >>> left_out(60, 64, "smallest edges"), left_out(3, 3, "smallest edges")
    (['the 60 smallest edges; 4 more are left out'], [])
    """
    return [f"the {drawn} {what}; {every - drawn} more are left out"] if every > drawn else []


def differing(strategies: Sequence[str]) -> list[str]:
    """Return the short names of strategies: the arguments in which they differ, if all are one strategy, else whole.

    >>> differing(["line:pass:0:10", "line:pass:2:10"]), differing(["bank_over:20", "one_roll"])
    (['0', '2'], ['bank_over:20', 'one_roll'])
    """
    written = [text.split(":") for text in strategies]
    if len({(words[0], len(words)) for words in written}) > 1:
        return list(strategies)
    differ = [k for k, column in enumerate(zip(*written, strict=True)) if len(set(column)) > 1]
    return [":".join(words[k] for k in differ) or words[0] for words in written]


def listed(texts: Iterable[str]) -> str:
    """Return the different texts, joined; of many, only the first and the last.

    >>> listed(["2", "3", "2"]), listed("12345")
    ('2 / 3', '1 .. 5')
    """
    different = list(dict.fromkeys(texts))
    return f"{different[0]} .. {different[-1]}" if len(different) > MOST_LISTED else " / ".join(different)
