"""Verdicts for designers, in sentences: fair for whom, how long, does one strategy dominate, how much is luck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dicelab.questions.compare import Comparison
from dicelab.questions.policies.casual import Solved
from dicelab.questions.policies.skill.luck import luck
from dicelab.questions.policies.solve import solve
from dicelab.questions.sweeps.tune import SLACK
from dicelab.results.text.sentences import percent
from dicelab.rules.game import Game, player_names, seat_count
from dicelab.rules.words import player_name
from dicelab.runtime.lineup import Run

FAIR, UNFAIR = 0.01, 0.05
"""Differences between the best and the worst seat: below the first nobody notices, from the second on it is unfair."""
MUCH, LITTLE = 0.9, 0.5
"""Shares of luck from which a game is mostly luck, and below which it is mostly skill."""
LENGTHS = ("turns", "rounds", "throws", "rolls")
"""Tallies that say how long a game is."""


def how_fair(gap: float) -> str:
    """Return the verdict on the difference between the best and the worst seat.

    >>> how_fair(0.004), how_fair(0.2)
    ('practically fair', 'unfair')
    """
    return "practically fair" if gap < FAIR else "noticeably uneven" if gap < UNFAIR else "unfair"


def played_by(run: Run) -> str:
    """Return who made the choices, as a sentence; that there were none, if nobody has any.

    >>> played_by(Run.of("lcr")), played_by(Run.of("tossup", ["one_roll"]))
    ('Nobody decides anything: it is all luck.', 'These are games in which everybody plays one_roll.')
    """
    if not run.game.declared.decisions:
        return "Nobody decides anything: it is all luck."
    names = dict.fromkeys(run.strategies)
    if len(names) == 1 and seat_count(run.game) > 1:
        return f"These are games in which everybody plays {run.strategies[0]}."
    return f"These are games with the {'strategy' if len(names) == 1 else 'strategies'} {', '.join(names)}."


def length(result: Any) -> str:
    """Return how long games are, in a sentence; empty if nothing of a result says it."""
    name = next((name for name in LENGTHS if name in result.tally_names), "")
    if not name:
        return ""
    tally = result.tallies[name]
    low, middle, high = (tally.percentile(p) for p in (0.1, 0.5, 0.9))
    word = "rolls" if name == "throws" else name
    mean = f"{tally.mean:,.1f} {word} on average"
    if None in (low, middle, high):
        return f"A game takes {mean}."
    if low == high:
        return f"Nearly every game takes {middle:,} {word}."
    return f"A game takes {mean}; one in ten takes {low:,} or fewer, and one in ten {high:,} or more."


def dominance(compared: Comparison) -> str:
    """Return whether one of the strategies beats each other one; empty if there are fewer than two."""
    names = list(dict.fromkeys(name for pair in compared.pairs for name in (pair.first, pair.second)))
    if len(names) < 2:
        return ""
    beaten = {name: set[str]() for name in names}
    for pair in compared.pairs:
        if pair.difference.low > 0:
            beaten[pair.first].add(pair.second)
        elif pair.difference.high < 0:
            beaten[pair.second].add(pair.first)
    best = next((name for name, others in beaten.items() if len(others) == len(names) - 1), None)
    if best is not None:
        others = (
            "the others that were compared in the time there was" if compared.interrupted else "the other strategies"
        )
        return f"{best} dominates: it beats each of {others}."
    unbeaten = [name for name in names if not any(name in others for others in beaten.values())]
    if unbeaten:
        are = "is" if len(unbeaten) == 1 else "are"
        return f"No strategy is shown to beat all others; {', '.join(unbeaten)} {are} not beaten."
    return "No strategy dominates: each is beaten by another."


def for_whom(game: Game, memory: int | None) -> list[str]:
    """Return how fair a game is if everybody plays best, and if everybody plays casually: exactly, a sentence each.

    Raises
    ------
    DicelabError
        When the game can't be solved.
    """
    solved, seats = Solved.of(game, None, memory), seat_count(game)
    found, gaps = [], []
    for who, slack in (
        ("everybody plays best", None),
        (f"moves are made at random that cost at most {SLACK:.0%}", SLACK),
    ):
        chances = [figure.value for figure in list(solved.figures(slack).values())[:seats]]
        gap = max(chances) - min(chances)
        gaps.append(gap)
        best = player_name(chances.index(max(chances)), player_names(game))
        least = player_name(chances.index(min(chances)), player_names(game))
        among = f"{best} wins {percent(max(chances))}, {least} {percent(min(chances))}"
        found.append(f"If {who.replace('%', ' %')}, {among if gap >= 0.0005 else 'all seats win equally often'}.")
    experts, casual = map(how_fair, gaps)
    same = f"It is {experts} for experts and for casual players."
    return [*found, same if experts == casual else f"It is {experts} for experts, and {casual} for casual players."]


def of_luck(run: Run, games: int, seed: int, memory: int | None, look: Callable[[int, int], None]) -> str:
    """Return how much of the result is luck with the strategies of a run, in a sentence; empty if it is not known.

    Raises
    ------
    DicelabError
        When the game can't be solved.
    """
    found = luck(run.game, run.calls, games=games, seed=seed, memory=memory, progress=look)
    shares = [row.share for row in found.rows if row.share is not None]
    if not shares:
        return ""
    share = sum(shares) / len(shares)
    kind = "mostly luck" if share >= MUCH else "mostly skill" if share < LITTLE else "luck and skill"
    return f"Among {', '.join(dict.fromkeys(run.strategies))}, {percent(share)} of what decides is luck: {kind}."


def skill(run: Run, memory: int | None) -> str:
    """Return what the best play is worth against the default strategy in all other seats; empty for one seat.

    Raises
    ------
    DicelabError
        When the game can't be solved.
    """
    seats = seat_count(run.game)
    others = run.strategies[-1:]
    if seats < 2 or not others:
        return ""
    value = solve(run.game, others, memory=memory, policy=False).value
    whom = f"players of {others[0]}" if seats > 2 else f"a player of {others[0]}"
    return f"Against {whom} the best play wins {percent(value)} of games as {player_name(0, player_names(run.game))}."
