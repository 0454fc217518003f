"""Answers to the questions of the texts that dicelab started from: published figures beside ours.

Text 4 designs classes and has no samples. Its players count rolls, so its question is the mean number of rolls in a
game; sessions of its simulator are shown as well.

By itself because it is imported only when that command runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dicelab.errors import ParameterError
from dicelab.questions.exact import exact
from dicelab.questions.simulate import simulate
from dicelab.results.numbers.estimates import Average, Chance, Distribution, Proportion, point, shown_fraction
from dicelab.results.result import Exact, Simulation
from dicelab.results.side_by_side import z_of
from dicelab.results.text.page import Printing
from dicelab.results.text.writing import without_empty

SEED = 5
"""The number of texts: a rule that doesn't depend on what the games show."""
LCR_GAMES = 400_000
SAMPLES = {1: "1,000 rounds of Hazard", 3: "10,000 games of Toss Up!"}
"""By text: the sample behind its published figures."""


@dataclass(frozen=True)
class DemoQuestion:
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
    figure: str
    strategies: tuple[str, ...] = ()
    parameters: tuple[tuple[str, int], ...] = ()
    published: float | None = None
    sample: int = 0
    games: int = 4_000_000

    @property
    def label(self) -> str:
        """What sets it apart from the other questions of its text."""
        return self.asks.partition(", ")[2].partition(": ")[0]

    @property
    def players(self) -> int:
        """Players at the table."""
        return dict(self.parameters)["players"]


def questions() -> list[DemoQuestion]:
    """Return all questions, in the order of the texts."""
    hazard = {5: 0.498, 6: 0.499, 7: 0.483, 8: 0.504, 9: 0.493}
    asked = [
        DemoQuestion(1, f"Hazard, main {main}: caster wins", "hazard", "win", (), (("main", main),), rate, 1000)
        for main, rate in hazard.items()
    ]
    asked.append(DemoQuestion(2, "craps, pass line: wins", "pass-line", "win"))
    matches = [("one_roll", "one_roll", 5910), ("one_roll", "bank_over:20", 75)]
    matches += [("bank_over:20", "bank_over:50", 6167), ("bank_over:50", "bank_over:20", 4414)]
    for first, second, wins in matches:
        title = f"Toss Up!, {first} against {second}: first wins"
        asked.append(DemoQuestion(3, title, "tossup", "0", (first, second), (), wins / 10_000, 10_000, 400_000))
    asked.append(DemoQuestion(4, "craps, a game: mean throws", "pass-line", "throws"))
    for players in range(2, 7):
        table = (("players", players),)
        for seat in range(players):
            title = f"LCR, {players} players: player {seat + 1} wins"
            asked.append(DemoQuestion(5, title, "lcr", str(seat), (), table, games=LCR_GAMES))
        asked.append(DemoQuestion(5, f"LCR, {players} players: mean turns", "lcr", "turns", (), table, games=LCR_GAMES))
    return asked


def answer(question: DemoQuestion, simulated: Simulation, exact: Exact) -> dict[str, Any]:
    """Return one row of the demo as plain data; each z compares a sample with the exact answer."""
    published = question.published
    played, truth = (result.number(question.figure) for result in (simulated, exact))
    assert isinstance(played, Proportion | Average) and isinstance(truth, Chance | Distribution)
    row: dict[str, Any] = {"text": question.text, "question": question.asks, "published": published}
    row |= {"games": simulated.games, **point(played).to_dict("simulated")}
    row |= {"exact": {"value": point(truth).value, **shown_fraction(truth.fraction)}, "z": z_of(played, truth)}
    if published is not None:
        row["z_published"] = z_of(Proportion(round(published * question.sample), question.sample), truth)
    return row


def questions_of(text: int | None) -> list[DemoQuestion]:
    """Return the questions of one text, or of all texts if `text` is None.

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
    asked: Sequence[DemoQuestion], progress: Callable[[str], None] = lambda text: None
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
    from dicelab.plots import plot_tally, save

    save(plot_tally(truth, played, tally="turns"), path)


TITLES = {
    1: "Text 1, Hazard: how often does the caster win?",
    2: "Text 2, craps: how often does the pass line win?",
    3: "Text 3, Toss Up!: how often does the first of two players win?",
    4: "Text 4, craps: how many rolls does a game take?",
    5: "Text 5, LCR: how often does each player win, and how many turns does a game take?",
}


def demo_text(asked: Sequence[DemoQuestion], rows: Sequence[dict[str, Any]], page: Printing) -> str:
    """Return the answers, text by text."""
    lines: list[str] = []
    for text, title in TITLES.items():
        answers = [(question, row) for question, row in zip(asked, rows, strict=True) if question.text == text]
        if answers:
            table = _seats_and_turns(answers) if text == 5 else _one_by_one(answers, page)
            narrower = replace(page, width=page.width - 2)
            lines += [title, *(f"  {line}".rstrip() for line in narrower.table(table, ["z", "z"])), ""]
    return page.text([*lines, *notes(rows)])


def _one_by_one(answers: Sequence[tuple[DemoQuestion, dict[str, Any]]], page: Printing) -> list[list[str]]:
    """Return a line for each question: the text's figure, the simulated and the exact one."""
    published = any(row["published"] is not None for _, row in answers)
    table = [["", *(["text", "z"] if published else []), "played", "", "z", "exact", ""]]
    for question, row in answers:
        line = [question.label.replace(" against ", " v. ")]
        if published:
            line += [f"{row['published']:.4f}", f"{row['z_published']:+.2f}"]
        line += [f"{row['simulated']:.4f}", page.plus_minus((row["low"], row["high"]), 4), f"{row['z']:+.2f}"]
        fraction = f"= {row['exact']['fraction']}" if "fraction" in row["exact"] else ""
        table.append([*line, page.chance(row["exact"]["value"]), fraction])
    return without_empty(table)


def _seats_and_turns(answers: Sequence[tuple[DemoQuestion, dict[str, Any]]]) -> list[list[str]]:
    """Return a line for each number of players: the exact answers."""
    most = max(question.players for question, _ in answers)
    table = [["players", *(f"player {seat + 1}" for seat in range(most)), "turns"]]
    for players in sorted({question.players for question, _ in answers}):
        exact = [row["exact"]["value"] for question, row in answers if question.players == players]
        seats = [f"{chance:.4f}" for chance in exact[:-1]]
        table.append([str(players), *seats, *[""] * (most - players), f"{exact[-1]:.2f}"])
    return table


def notes(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines below the tables."""
    said = []
    samples = [SAMPLES[text] for text in SAMPLES if any(row["text"] == text for row in rows)]
    if samples:
        said.append(f"text: the figure in the text, from its own sample ({', '.join(samples)}).")
    if any(row["text"] != 5 for row in rows):
        said.append(
            f"played: simulated with seed {SEED}, the number of texts, with 95 % interval. z: difference from the "
            "exact answer in standard errors; by chance alone one |z| in 22 is above 2, one in 370 above 3."
        )
    for row in rows:
        if row["question"].startswith("Toss Up!, one_roll against one_roll"):
            off = f"{abs(row['z_published']):.2f} standard errors off the exact {row['exact']['value']:.6f}"
            said.append(f"One roll v. one roll: the text's {row['published']:.4f} is {off}, no error but chance.")
    if any(row["text"] == 5 for row in rows):
        said.append(
            f"LCR: exact answers; --json shows {LCR_GAMES:,} simulated games for each number of players beside them."
        )
    if any(row["text"] == 4 for row in rows):
        said += [
            "",
            "The simulator of text 4, same seed: rolls of a session, and the most money in it",
            *sessions().splitlines(),
        ]
    return said


def sessions() -> str:
    """Return the report of text 4's simulator, with the number and length of sessions of the text."""
    from dicelab.extras.textbook.casino import CrapsGame, CrapsPlayerPass, Simulator

    game = CrapsGame()
    simulator = Simulator(game, CrapsPlayerPass(game.table), seed=SEED)
    simulator.gather()
    return simulator.report()
