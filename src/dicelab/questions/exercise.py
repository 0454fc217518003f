"""`dicelab.exercise`: an exercise for a class: a seed for each pupil, the exact answer, and the counts of each seed."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Annotated, Any

from dicelab.errors import ParameterError
from dicelab.questions.declare import Files, declared, question
from dicelab.questions.exact import exact
from dicelab.questions.options import GameLike, Memory, Option, RowsWatched, Seed, Whole
from dicelab.questions.simulate import simulate
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import Chance, point
from dicelab.results.result import FRACTION
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import how_it_ends, who_wins
from dicelab.results.text.table import Column, Table, chance, count, entry, p_value, plain
from dicelab.results.text.writing import many, outcome_text
from dicelab.rules.game import outcome_names
from dicelab.rules.params import whole, whole_number
from dicelab.runtime.lineup import Run, as_seed
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch

PUPILS, GAMES, SEED = 30, 1000, 1
"""Number of pupils, games of each, and the seed that the seeds of the pupils are made from, unless others are given."""
MOST_PUPILS, MOST_GAMES, MOST_OUTCOMES = 500, 1_000_000, 12
"""Limits of an exercise."""


@dataclass(frozen=True)
class Pupils(Option):
    """A number of pupils, their names with commas, or a file with a name in each line."""

    def read(self, name: str, text: str | list[str]) -> int | list[str]:  # noqa: D102 (as in Option, also below)
        if isinstance(text, list):
            return text
        number = whole_number(text)
        if number is not None:
            return number
        if os.path.isfile(text):
            try:
                with open(text, encoding="utf-8-sig") as opened:
                    return [line.strip() for line in opened if line.strip()]
            except (OSError, UnicodeError) as error:
                raise ParameterError(f"pupils: {text} can't be read as text in UTF-8: {error}") from error
        if "," not in text:
            raise ParameterError(f"pupils: {text!r} is not a number, and there is no such file with names")
        return names_in(text)

    def typed(self, text: str | list[str]) -> str:  # noqa: D102
        return text if isinstance(text, str) else ",".join(text) + ("," if len(text) == 1 else "")


def names_in(text: str) -> list[str]:
    """Return the names in a text, with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _of_page(texts: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of a page, where pupils are a number or names: an address names no file of this machine."""
    pupils = texts.get("pupils")
    return texts | ({"pupils": names_in(pupils)} if pupils is not None and whole_number(pupils) is None else {})


@dataclass(frozen=True)
class ExercisePupil:
    """One pupil of an exercise.

    Attributes
    ----------
    name, seed
        The name, or number, and the seed.
    counts
        Games that end with each outcome if dicelab plays with that seed.
    p
        How probable counts are that differ at least as much from what is expected.

    Examples
    --------
    >>> import dicelab
    >>> pupil = dicelab.exercise("hazard", pupils=2, games=200, seed=1).rows[0]
    >>> pupil.name, sum(pupil.counts.values())
    ('pupil 1', 200)
    """

    name: str
    seed: int
    counts: dict[str, int]
    p: float


@dataclass(frozen=True, repr=False, kw_only=True)
class Exercise(BaseResult):
    """An exercise.

    Attributes
    ----------
    run
        The game, and who plays it.
    rows
        The pupils.
    games
        Number of games that each is to play.
    asked
        The question, if it is not the usual one.
    exact
        The exact probability of each outcome.
    seats
        Whether the outcomes are the winning seats.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.exercise("hazard", pupils=["Ann", "Ben"], games=200)
    >>> [row.name for row in found.rows], found.page[:15]
    (['Ann', 'Ben'], '<!doctype html>')
    """

    run: Run
    rows: list[ExercisePupil]
    games: int
    asked: str
    exact: dict[str, Chance]
    seats: bool

    method = "exercise"
    entries = {
        "outcomes": Read(
            lambda self: {
                name: {**one.to_dict(), "expected": self.games * one.probability} for name, one in self.exact.items()
            },
            {
                "*": {
                    "probability": "number",
                    "fraction?": "string",
                    "error?": "number",
                    "expected": "number: games expected to end with it",
                    "...": "",
                }
            },
            "the exact answer",
        ),
        "rows": (
            [
                {
                    "name": "string: name of the pupil",
                    "seed": "integer: seed of the pupil",
                    "counts": "{integer}: games that end with each outcome if dicelab plays",
                    "p": "number: p-value of these counts",
                }
            ],
            "one object for each pupil",
        ),
        "question?": Read(lambda self: self.asked or None, "string: the question, if it is not the usual one"),
    }

    @property
    def page(self) -> str:
        """The page for the pupils: a complete HTML file."""
        return self._files.texts(self)[""]

    @property
    def key(self) -> str:
        """The key for the teacher: a complete HTML file."""
        return self._files.texts(self)["-key"]

    def save(self, path: str | os.PathLike[str]) -> list[str]:
        """Write the page, and the key beside it as ``...-key.html``; return both paths.

        Raises
        ------
        DicelabError
            When one can't be written.
        """
        return self._files.save(self, path)

    @property
    def _files(self) -> Files:
        files = declared("exercise").files
        assert files is not None
        return files

    @property
    def titles(self) -> list[str]:
        """The outcomes in words."""
        return [outcome_text(name, self.seats, self.players) for name in self.exact]

    def _brief(self) -> str:
        return f"{many(len(self.rows), 'pupil')}, {many(self.games, 'game')} each"

    def _table(self) -> Table:
        counts = [
            Column(name, count, title, entry("counts", name))
            for name, title in zip(self.exact, self.titles, strict=True)
        ]
        columns = [Column("name", plain, "pupil"), Column("seed", plain), *counts, Column("p", p_value, "p-value")]
        return Table(columns, self.rows, ["p-value"])

    def truth_lines(self, page: Printing) -> list[str]:
        """Return the exact probabilities as a table."""
        columns = [
            *(Column("", plain, "outcome", itemgetter(0)), Column("", chance, "exact", lambda row: row[1].probability)),
            FRACTION,
            Column("", lambda page, p: f"{self.games * p:,.1f}", "games expected", lambda row: row[1].probability),
        ]
        return Table(columns, [*zip(self.titles, self.exact.values(), strict=True)], sparse=True).lines(page)

    def count_lines(self, page: Printing) -> list[str]:
        """Return the counts that dicelab finds with each seed as a table."""
        return self._table().lines(page)

    def _sentence(self) -> str:
        chances, one = [*map(point, self.exact.values())], self.players[0] if len(self.players) == 1 else "player"
        return who_wins(chances, True, self.players) if self.seats else how_it_ends([*self.exact], chances, True, one)

    def _lines(self, page: Printing) -> list[str]:
        asked = [f"question: {self.asked}", ""] if self.asked else []
        how = f"counts of {many(self.games, 'game')} as dicelab plays them; another program finds others with that seed"
        return [*self._head(page), "", *asked, *self.truth_lines(page), "", *self.count_lines(page), "", how]


@question(
    chart="exercise",
    tab="Exercise",
    needs="outcomes",
    rows="pupils",
    alike=True,
    typed=_of_page,
    files=Files(
        "an exercise",
        ("--out", "-o"),
        "Also write the page for the pupils into this HTML file, and the key beside it as FILE-key.html.",
        {"": "dicelab.interface.reporting.exercise:page", "-key": "dicelab.interface.reporting.exercise:key"},
    ),
)
def exercise(
    game: GameLike,
    strategies: Strategies = (),
    *,
    pupils: Annotated[
        int | Sequence[str],
        Pupils(
            "Number of pupils, their names with commas, or a file with a name in each line", "N|FILE", label="pupils"
        ),
    ] = PUPILS,
    games: Annotated[
        int,
        Whole(
            "Number of games that each pupil is to play", "N", ("--games", "-n"), label="games each", most=MOST_GAMES
        ),
    ] = GAMES,
    seed: Annotated[int, Seed("What the seeds of the pupils are made from", "N", label="seed")] = SEED,
    question: Annotated[str, Option("The question, in place of the usual one", "TEXT", label="question")] = "",
    memory: Memory = None,
    progress: RowsWatched = lambda done, total: None,
    **parameters: object,
) -> Exercise:
    """Write an exercise for a class: simulate a game, count how it ends, and check the counts.

    The page, written by --out, works without a server. It has the question, a seed for each pupil, fields for the
    counts, and the verdict of dicelab judge on them. Printed, it is an answer sheet and the list of seeds. The key,
    FILE-key.html, has what is also printed here: the exact answer, and the counts that dicelab finds with each seed.
    The page contains the exact probabilities, which a pupil who reads its source can find.

    Commands
    --------
    dicelab exercise lcr --players 3 -o exercise.html
    dicelab exercise hazard --pupils names.txt --games 500 -o exercise.html

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.simulate`: what is to be simulated.
    pupils
        Their number, or their names.

    Raises
    ------
    InputError
        When something given is unknown or not allowed, or the game has no outcomes.
    TooLarge
        When the exact answer does not fit into memory.

    Examples
    --------
    >>> exercise("lcr", players=3, pupils=20, games=500)
    <Exercise of lcr(players=3): 20 pupils, 500 games each>
    """
    from dicelab.questions.judging.comparison import compared, joint_p
    from dicelab.questions.judging.sample import Sample

    watch, run = Stopwatch(), Run.of(game, strategies, **parameters)
    names, outcomes = _names(pupils), outcome_names(run.game)
    if not outcomes:
        raise ParameterError(f"{run.game.name} has no outcomes, only tallies, so there is nothing to count")
    if len(outcomes) > MOST_OUTCOMES:
        raise ParameterError(f"{run.game.name} has {len(outcomes)} outcomes; an exercise has at most {MOST_OUTCOMES}")
    truth = exact(run.game, run.calls, memory=memory, tallies=[])
    made_from = as_seed(seed)
    seeds = random.Random(made_from).sample(range(100_000, 1_000_000), len(names))
    rows = []
    for done, (name, own) in enumerate(zip(names, seeds, strict=True)):
        progress(done, len(names))
        played = simulate(run.game, run.calls, games=games, seed=own)
        counts = {outcome: one.count for outcome, one in played.outcomes.items()}
        p = joint_p(compared(Sample.gathered(games, [*counts.values()], {}), truth)[0])
        rows.append(ExercisePupil(name, own, counts, p))
    facts: dict[str, Any] = {**about(run.game, run.calls), "seconds": watch.seconds, "seed": made_from}
    return Exercise(**facts, run=run, rows=rows, games=games, asked=question, exact=truth.outcomes, seats=truth.seats)


def _names(pupils: int | Sequence[str]) -> list[str]:
    """Return the names of the pupils, or their numbers."""
    if isinstance(pupils, str):
        raise ParameterError(f"pupils: {pupils!r} is not allowed; give their number, or a list of names")
    if isinstance(pupils, Sequence):
        names = [str(name).strip() for name in pupils]
        if not all(names) or len(set(names)) < len(names):
            raise ParameterError("pupils: a name is empty, or two are the same")
    else:
        names = [f"pupil {k}" for k in range(1, whole("pupils", pupils) + 1)]
    if not 1 <= len(names) <= MOST_PUPILS:
        raise ParameterError(f"pupils: {len(names):,} is not allowed; an exercise has 1 to {MOST_PUPILS}")
    return names
