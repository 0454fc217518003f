"""The questions of the texts that dicelab started from, answered: published figures beside ours.

Of the five texts the fourth designs classes and asks nothing that a simulation answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

from dicelab.analysis.results import Simulation, aligned
from dicelab.analysis.simulate import simulate

SEED = 1


@dataclass(frozen=True)
class Question:
    """One line of the demo.

    Attributes
    ----------
    text, asks
        Number of the text, and the question in a few words.
    game, strategies, parameters
        What is simulated.
    outcome
        The outcome whose probability answers it, or None where the mean of `tally` does.
    published, sample
        The text's figure and the number of games behind it; None where the text gives none.
    """

    text: int
    asks: str
    game: str
    outcome: str | None
    strategies: tuple[str, ...] = ()
    parameters: tuple[tuple[str, int], ...] = ()
    tally: str = ""
    published: float | None = None
    sample: int = 0
    games: int = 4_000_000


def questions() -> list[Question]:
    """Every question, in the order of the texts."""
    hazard = {5: 0.498, 6: 0.499, 7: 0.483, 8: 0.504, 9: 0.493}
    asked = [
        Question(1, f"Hazard, main {main}: caster wins", "hazard", "win", (), (("main", main),), "", rate, 1000)
        for main, rate in hazard.items()
    ]
    asked.append(Question(2, "craps, pass line: wins", "pass-line", "win"))
    matches = [("one_roll", "one_roll", 5910), ("one_roll", "bank_over:20", 75)]
    matches += [("bank_over:20", "bank_over:50", 6167), ("bank_over:50", "bank_over:20", 4414)]
    for first, second, wins in matches:
        title = f"Toss Up!, {first} against {second}: first wins"
        asked.append(Question(3, title, "tossup", "0", (first, second), (), "", wins / 10_000, 10_000, 400_000))
    for players in range(2, 7):
        table = (("players", players),)
        for seat in range(players):
            asked.append(
                Question(5, f"LCR, {players} players: seat {seat} wins", "lcr", str(seat), (), table, games=400_000)
            )
        asked.append(Question(5, f"LCR, {players} players: mean turns", "lcr", None, (), table, "turns", games=400_000))
    return asked


def answer(question: Question, result: Simulation) -> dict[str, Any]:
    """One row of the demo as plain data; z compares the published figure with ours, both being samples."""
    if question.outcome is None:
        average = result.tallies[question.tally]
        value, (low, high) = average.mean, average.interval
    else:
        share = result.outcomes[question.outcome]
        value, (low, high) = share.probability, share.interval
    row = {"text": question.text, "question": question.asks, "published": question.published, "simulated": value}
    row |= {"low": low, "high": high, "games": result.games}
    if question.published is not None:
        spread = sqrt(value * (1 - value) * (1 / question.sample + 1 / result.games))
        row["z"] = (question.published - value) / spread
    return row


def demo(told: Callable[[str], None] = lambda text: None) -> list[dict[str, Any]]:
    """Simulate every question; questions about the same games share one simulation."""
    done: dict[object, Simulation] = {}
    rows = []
    for question in questions():
        key = (question.game, question.strategies, question.parameters, question.games)
        if key not in done:
            told(question.asks)
            games, strategies = question.games, question.strategies
            done[key] = simulate(question.game, strategies, games=games, seed=SEED, **dict(question.parameters))  # type: ignore[arg-type]
        rows.append(answer(question, done[key]))
    return rows


def demo_text(rows: list[dict[str, Any]]) -> str:
    """The rows as a table."""
    table = [["question", "published", "simulated", "95 % interval", "z"]]
    for row in rows:
        places = 6 if row["simulated"] <= 1 else 3
        published = "-" if row["published"] is None else f"{row['published']:.4f}"
        low, high = (f"{row[key]:.{places}f}" for key in ("low", "high"))
        z = f"{row['z']:+.2f}" if "z" in row else ""
        asks = f"text {row['text']}  {row['question']}"
        table.append([asks, published, f"{row['simulated']:.{places}f}", f"{low} .. {high}", z])
    told = [
        "",
        f"Simulated with seed {SEED}. Published figures are the texts' own samples: 1,000 rounds of Hazard for each",
        "main, 10,000 games of Toss Up!; texts 2 and 5 publish none. z: difference in standard errors of both samples.",
    ]
    return "\n".join([*aligned(table), *told])
