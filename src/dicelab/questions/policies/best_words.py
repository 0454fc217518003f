"""The answer of `dicelab.solve` in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite

from dicelab.results.numbers.estimates import Chance, Point
from dicelab.results.text.sentences import VAGUE, listed, number, percent, the, who_wins
from dicelab.results.text.writing import outcome_title
from dicelab.rules.objectives import wanted


def with_best_play(
    objective: str,
    value: tuple[float, float],
    strategies: Sequence[str],
    outcomes: Mapping[str, Chance],
    payoffs: Mapping[str, float],
    players: Sequence[str] = (),
) -> str:
    """Return what optimal play gives.

    Parameters
    ----------
    objective, strategies, outcomes, payoffs, players
        As in `dicelab.questions.policies.solution.Solution`.
    value
        The value and the bound on its error.

    Examples
    --------
    >>> with_best_play("most:score", (254.59, 1e-9), ["best"], {}, {})
    'With the best play the player gets 255 of score on average'
    """
    kind, name, least = wanted(objective)
    much, error = value[0], value[1] if isfinite(value[1]) else inf
    if error > VAGUE * max(1.0, abs(much)):
        return "No useful bound on the error was found: the values may be far from those of the best play"
    given = list(dict.fromkeys(strategy for strategy in strategies if strategy != "best"))
    play = f"With the best play{f' against {listed(given)}' if given else ''}"
    if kind == "win" and not given and len(outcomes) > 1:
        chances = [Point(p.probability, p.probability - error, p.probability + error) for p in outcomes.values()]
        said = who_wins(chances, True, players)
        return f"{play} {said[0].lower() if said.startswith(('The ', 'All ', 'Both ')) else said[0]}{said[1:]}"
    if kind == "payoff" and payoffs:
        parts = [f"{_player(int(seat), strategies, players)} gets {number(paid)}" for seat, paid in payoffs.items()]
        return f"{play} {listed(parts)} on average"
    who = _player(strategies.index("best") if "best" in strategies else 0, strategies, players)
    if kind in ("payoff", "most", "fewest"):
        what = "" if kind == "payoff" else f" of {name.replace('_', ' ')}"
        return f"{play} {who} gets {number(much)}{what} on average"
    if kind == "atleast":
        return f"{play} {who} gets {least} or more of {name.replace('_', ' ')} in {percent(much)} of games"
    if kind == "win":
        return f"{play} {who} wins {percent(much)} of games"
    if name.isdigit() and name not in outcomes:
        who = _player(int(name), strategies, players)
        return f"{play} {who} wins{' only' if kind == 'avoid' else ''} {percent(much)} of games"
    outcome = name.replace("_", " ")
    return f"{play} the outcome is {outcome} in{' only' if kind == 'avoid' else ''} {percent(much)} of games"


def _player(seat: int, strategies: Sequence[str], players: Sequence[str]) -> str:
    """Return what a seat is called; the only one of a game without names is the player."""
    if len(strategies) <= 1 and not players:
        return "the player"
    title = outcome_title(str(seat), True, players)
    return the(title) if players else title
