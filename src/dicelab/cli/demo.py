"""Answers to the questions of the texts that dicelab started from: published figures beside ours.

Text 4 designs classes and has no samples. Its players count rolls, so its question is the mean number of rolls in a
game; sessions of its simulator are shown as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from dicelab.analysis.exact import exact
from dicelab.analysis.simulate import simulate
from dicelab.errors import ParameterError
from dicelab.results.estimates import shown_fraction
from dicelab.results.result import Exact, Simulation
from dicelab.results.side_by_side import z_score
from dicelab.results.writing import aligned, span

SEED = 1
PICTURE = "dicelab-demo.svg"
"""Default file of the picture, in the current folder."""
LCR_GAMES = 400_000
SAMPLES = {1: "1,000 rounds of Hazard for each main", 3: "10,000 games of Toss Up! for each pair"}
"""By text: the sample behind its published figures."""


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
    """All questions, in the order of the texts."""
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
    asked.append(Question(4, "craps, a game: mean throws", "pass-line", None, tally="throws"))
    for players in range(2, 7):
        table = (("players", players),)
        for seat in range(players):
            asked.append(
                Question(5, f"LCR, {players} players: seat {seat} wins", "lcr", str(seat), (), table, games=LCR_GAMES)
            )
        asked.append(
            Question(5, f"LCR, {players} players: mean turns", "lcr", None, (), table, "turns", games=LCR_GAMES)
        )
    return asked


def answer(question: Question, simulated: Simulation, exact: Exact) -> dict[str, Any]:
    """One row of the demo as plain data; each z compares a sample with the exact answer."""
    games, published = simulated.games, question.published
    row: dict[str, Any] = {"text": question.text, "question": question.asks, "published": published, "games": games}
    if question.outcome is None:
        average, tally = simulated.tallies[question.tally], exact.tallies[question.tally]
        sd, truth, fraction = tally.sd, tally.mean, tally.fraction
        estimate, (low, high) = average.mean, average.interval
    else:
        share, chance = simulated.outcomes[question.outcome], exact.outcomes[question.outcome]
        truth, fraction = chance.probability, chance.fraction
        sd = sqrt(truth * (1 - truth))
        estimate, (low, high) = share.probability, share.interval
    row |= {"simulated": estimate, "low": low, "high": high, "exact": truth, **shown_fraction(fraction)}
    row["z"] = z_score(estimate, truth, sd, games)
    if published is not None:
        row["z_published"] = z_score(published, truth, sd, question.sample)
    return row


def questions_of(text: int | None) -> list[Question]:
    """The questions of one text, or of all texts if `text` is None.

    Raises
    ------
    ParameterError
        When the text has no questions.
    """
    asked = [question for question in questions() if text in (None, question.text)]
    if not asked:
        known = ", ".join(map(str, sorted({question.text for question in questions()})))
        raise ParameterError(f"text {text} has no question with a number as its answer; these texts have some: {known}")
    return asked


def demo(
    asked: Sequence[Question], progress: Callable[[str], None] = lambda text: None
) -> tuple[list[dict[str, Any]], tuple[Simulation, Exact] | None]:
    """Answer questions by simulation and exactly; questions about the same games share one simulation.

    Parameters
    ----------
    asked
        The questions.
    progress
        Called with the text of each question before it is answered.

    Returns
    -------
    rows, drawn
        Plain data of each question; the two answers about LCR with three players, for the picture, or None if they
        are not among the questions.
    """
    done: dict[object, tuple[Simulation, Exact]] = {}
    rows = []
    for question in asked:
        key = (question.game, question.strategies, question.parameters, question.games)
        if key not in done:
            progress(question.asks)
            strategies, parameters = question.strategies, dict[str, Any](question.parameters)
            played = simulate(question.game, strategies, games=question.games, seed=SEED, **parameters)
            if played.interrupted:  # an incomplete answer is not shown
                raise KeyboardInterrupt
            done[key] = played, exact(question.game, strategies, **parameters)
        rows.append(answer(question, *done[key]))
    return rows, done.get(("lcr", (), (("players", 3),), LCR_GAMES))


def draw(path: str, played: Simulation, truth: Exact) -> None:
    """Draw the distribution of the number of turns, exact and simulated, into a file."""
    from dicelab.plots import figure, plot_tally, save

    drawing, axes = figure()
    plot_tally(truth, played, tally="turns", ax=axes)
    save(drawing, path)


def demo_text(rows: list[dict[str, Any]]) -> str:
    """The rows as a table."""
    table = [["question", "published", "z", "simulated", "95 % interval", "exact", "fraction", "z"]]
    for row in rows:
        places = 6 if row["simulated"] <= 1 else 3
        published = "-" if row["published"] is None else f"{row['published']:.4f}"
        numbers = [f"{row['simulated']:.{places}f}", span((row["low"], row["high"]), places)]
        numbers += [f"{row['exact']:.{places + 2}f}", row.get("fraction", ""), f"{row['z']:+.2f}"]
        off = f"{row['z_published']:+.2f}" if "z_published" in row else ""
        table.append([f"text {row['text']}  {row['question']}", published, off, *numbers])
    return "\n".join([*aligned(table), "", *notes(rows)])


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """The lines below the table."""
    lines = []
    samples = [SAMPLES[text] for text in SAMPLES if any(row["text"] == text for row in rows)]
    if samples:
        lines.append(f"Published: the texts' own samples, {', '.join(samples)}.")
    lines.append(
        f"Simulated with seed {SEED}, and exact. z: difference from the exact answer in standard errors of the sample;"
    )
    lines.append("by chance alone one in 22 lies beyond 2, and one in 370 beyond 3.")
    for row in rows:
        if row["question"].startswith("Toss Up!, one_roll against one_roll"):
            off = f"{abs(row['z_published']):.2f} standard errors off the exact {row['exact']:.6f}"
            lines.append(f"One roll against one roll: the text's {row['published']:.4f} is {off}, which is no error")
            lines.append("of the text, only chance.")
        if row["text"] == 4:
            lines += [
                "Text 4, its Simulator with the same seed: throws of a session, and the most money in it.",
                sessions(),
            ]
    return lines


def sessions() -> str:
    """The report of text 4's simulator, with the number and length of sessions of the text."""
    from dicelab.textbook.casino import CrapsGame, CrapsPlayerPass, Simulator

    game = CrapsGame()
    simulator = Simulator(game, CrapsPlayerPass(game.table), seed=SEED)
    simulator.gather()
    return simulator.report()
