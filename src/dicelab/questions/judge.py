"""`dicelab.judge`: is a simulation right? The results of another program beside the exact answer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import ParameterError, TooLarge
from dicelab.questions.declare import question
from dicelab.questions.exact import exact
from dicelab.questions.judging.sample import Sample, read_sample
from dicelab.questions.options import FiguresOption, GameLike, Memory, Option, TableFile, Texts, Threads, Whole
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.result import Exact
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Table
from dicelab.rules.game import Game
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch

if TYPE_CHECKING:
    from dicelab.questions.judging.comparison import Compared, Suspect

INCONSISTENT, DOUBTFUL = 0.001, 0.05
"""Joint p-values below which a sample is inconsistent, or doubtful."""
LONGEST = 18
"""Digits of a count that is read as a number; any other text is refused with the sample, as it was typed."""
Variants = Annotated[
    str | type[Game] | Sequence[str | type[Game]],
    Texts(
        "Other rules to try if the results don't fit: a game, or a file of games; repeat for more",
        "GAME",
        ("--variant",),
    ),
]


class Counts(Option):
    """Numbers of games with commas between them; the game says how many there must be."""

    def read(self, name: str, text: str) -> list[int | str]:  # noqa: D102 (as in Option)
        counts = [count.strip() for count in text.split(",")]
        return [int(count) if count.isdecimal() and len(count) <= LONGEST else count for count in counts]


def of_page(texts: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of a page, where the file is the setting ``table``."""
    return {"file" if name == "table" else name: text for name, text in texts.items()}


@dataclass(frozen=True, repr=False, kw_only=True)
class Judgement(BaseResult):
    """Whether the results of a simulation can come from the rules.

    Attributes
    ----------
    games
        Number of games of the simulation.
    tests
        What was compared.
    suspects
        Mistakes that would explain the difference, the most probable first; empty if there is no difference.
    power
        The smallest difference that so many games show in four of five simulations, by ``outcomes`` (of a probability)
        and tally (of its mean). Numbers that are always the same are left out.
    seats
        Whether the outcomes are the winning seats.
    unused
        Columns of the file that are neither outcomes nor tallies.
    untested
        Numbers of the sample that could not be tested, and why.
    untried
        Variants that could not be tried, and why.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.judge("hazard", main=7, counts=[492, 508])
    >>> found.verdict, round(found.p, 2)
    ('consistent', 0.97)
    """

    games: int
    tests: tuple[Compared, ...]
    suspects: tuple[Suspect, ...]
    power: dict[str, float]
    seats: bool
    unused: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()

    method = "judge"
    entries = {
        "verdict": "'consistent'|'doubtful'|'inconsistent': consistent, doubtful or inconsistent",
        "p": "number: joint p-value of all tests",
        "words": "string: the answer in words",
        "tests": Read(
            lambda self: self._rows(),
            [
                {
                    "name how": "string",
                    "statistic": "number|null",
                    "p adjusted": "number",
                    "expected observed": "number|object",
                    "impossible?": ": what was observed and can't happen by the rules",
                }
            ],
            "each test, with its p-value",
        ),
        "suspects": ([{"name": "string", "p": "number"}], "mistakes that would explain the numbers"),
        "power": "{number|null}: smallest difference that so many games show four times out of five",
        "unused?": "[string]: columns of the file that were not used",
        "untested?": "[string]: numbers that could not be tested, and why",
        "untried?": "[string]: variants that could not be tried, and why",
    }

    @property
    def p(self) -> float:
        """The joint p-value: how probable a difference at least this large is for a simulation by the rules."""
        from dicelab.questions.judging.comparison import joint_p

        return joint_p(self.tests)

    @property
    def verdict(self) -> str:
        """``consistent``, ``doubtful`` (joint p-value below 0.05) or ``inconsistent`` (below 0.001): docs/judge.md."""
        return "inconsistent" if self.p < INCONSISTENT else "doubtful" if self.p < DOUBTFUL else "consistent"

    @property
    def words(self) -> str:
        """The verdict in a sentence."""
        from dicelab.questions.judging.words import findings

        return findings(self.verdict, self.tests, self.games, self.seats, DOUBTFUL)

    def _sentence(self) -> str:
        return self.words

    def _brief(self) -> str:
        return f"{self.verdict}, joint p-value {self.p:.2g}"

    def _table(self) -> Table:
        from dicelab.questions.judging.words import tests_table

        return tests_table(self.tests, self.seats)

    def _lines(self, page: Printing) -> list[str]:
        from dicelab.questions.judging.words import closing, notice, remarks

        lines = [*self._head(page), "", *self._table().lines(page), ""]
        lines += [f"joint p-value {self.p:.2g}"]
        lines += ["stopped while looking for the mistake"] if self.interrupted else closing(self.verdict, self.suspects)
        lines += [f"not tried: {reason}" for reason in self.untried]
        lines += remarks(self.tests, self.untested)
        lines += notice(self.power, self.games)
        return lines + ([f"columns not used: {', '.join(self.unused)}"] if self.unused else [])


@question(
    chart="judgement",
    tab="Judge",
    rest="--file",
    instead=("judge_class",),
    failed=lambda result: result.verdict == "inconsistent",
    complete=lambda page, texts: not texts.keys().isdisjoint({"counts", "mean", "file"}),
    typed=of_page,
    settings=("table",),
)
def judge(
    game: GameLike,
    strategies: Strategies = (),
    *,
    counts: Annotated[
        Sequence[object] | Mapping[str, object] | None,
        Counts("Games that ended with each outcome, in the order of the outcomes", "N,N,...", label="counts"),
    ] = None,
    mean: Annotated[
        Mapping[str, object] | None, FiguresOption("Mean of a tally; repeat for more", "TALLY=X", label="mean of")
    ] = None,
    sd: Annotated[
        Mapping[str, object] | None,
        FiguresOption("Standard deviation of a tally; repeat for more", "TALLY=X", label="standard deviation of"),
    ] = None,
    games: Annotated[
        int | None, Whole("Number of games that were simulated", "N", ("--games", "-n"), label="number of games")
    ] = None,
    file: Annotated[
        str | os.PathLike[str] | None,
        TableFile(
            "Instead: a CSV file with a row per game and columns named like outcomes and tallies, or saved games",
            "FILE",
            called="results.csv",
        ),
    ] = None,
    variants: Variants = (),
    memory: Memory = None,
    threads: Threads = None,
    **parameters: object,
) -> Judgement:
    """Compare the results of your own simulation with the exact answer.

    The verdict is consistent, doubtful (p-value below 0.05) or inconsistent (below 0.001; docs/judge.md). If the
    results don't fit, seats in another order, settings one step away and variants of the rules are tried, and those
    that fit are named. Means are taken as rounded to the digits given.

    With --class each pupil has a verdict that allows for the number of pupils; identical counts are named, with their
    probability by chance, and the results are pooled. The names are in the answer only, not in the chart.

    Exit status: 0 if the results are consistent or doubtful, 1 if they, or those of a pupil, are inconsistent.

    Commands
    --------
    dicelab judge lcr --players 3 --counts 616,655,729 --mean turns=18.9
    dicelab judge lcr --players 3 --mean turns=18.9 --sd turns=8.1 --games 2000
    dicelab judge tossup -s one_roll --counts 5910,4090 --plot judge.svg
    dicelab judge lcr --players 3 --file results.csv --json
    dicelab judge lcr --players 3 --class pupils.csv --plot board.svg

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.simulate`: what your program simulates.
    counts
        Games that ended with each outcome, in the order of the outcomes, or by name.
    mean, sd
        Mean and standard deviation of tallies, by name. They are taken as rounded to the digits given: 18.9 stands for
        18.85 to 18.95. A standard deviation needs the mean; a test that is rough, or not possible, says so.
    games
        Number of games; needed for means, unless there are counts.
    file
        Instead: a table with a row for each game, see `dicelab.questions.judging.sample`; or saved games, in a
        file or a folder, all of them finished.
    variants
        Games by name or class, or files of games, with other rules, to be tried if the results do not fit. Games of the
        same file that inherit from the game, seats in another order and other settings are tried anyway.
    memory, threads
        As in `dicelab.exact`.

    Raises
    ------
    TooLarge
        When the exact answer does not fit into memory.

    Examples
    --------
    >>> judge("hazard", main=5, counts=[498, 502]).verdict
    'consistent'
    >>> print(judge("lcr", players=3, mean={"turns": 14.9}, games=2000).words)
    inconsistent with the rules: your mean number of turns is 14.9 and should be 18.86
    """
    from dicelab.questions.judging.comparison import compared, joint_p, suspects, variants_in

    watch, run = Stopwatch(), Run.of(game, strategies, **parameters)
    if file is not None and not (counts is None and games is None and not mean and not sd):
        raise ParameterError("give a file, or counts and means, not both")
    others = [variants] if isinstance(variants, str | type) else variants
    more = [kind for other in others for kind in variants_in(other)]
    sample = (
        read_sample(run.game, file) if file is not None else Sample.typed(run.game, counts, mean or {}, sd or {}, games)
    )

    def solve(other: Game) -> Exact:
        return exact(other, strategies, memory=memory, threads=threads, tallies=list(sample.means))

    try:
        truth = solve(run.game)
    except TooLarge as error:
        raise type(error)(f"judge needs the exact answer, which is out of reach: {error}") from error
    tests, untested = compared(sample, truth)
    mistakes: list[Suspect] = []
    untried, interrupted = list[str](), False
    try:
        if joint_p(tests) < DOUBTFUL:
            mistakes, untried = suspects(run.game, sample, truth, solve, more)
    except KeyboardInterrupt:  # the verdict is worth keeping
        interrupted = True
    return Judgement(
        **about(run.game, run.calls),
        seconds=watch.seconds,
        games=sample.games,
        tests=tuple(tests),
        suspects=tuple(mistakes),
        power=_power(sample, truth, len(tests)),
        seats=truth.seats,
        unused=sample.unused,
        untested=tuple(untested),
        untried=tuple(untried),
        interrupted=interrupted,
    )


def _power(sample: Sample, truth: Exact, tests: int) -> dict[str, float]:
    """Return the smallest noticeable differences."""
    from dicelab.questions.judging.comparison import groups_of
    from dicelab.questions.judging.goodness import noticeable_difference, noticeable_mean

    power = {}
    if sample.counts is not None:
        chances = {name: one.probability for name, one in truth.outcomes.items()}
        groups = [sum(chances[name] for name in group) for group in groups_of(sample.games, chances)]
        power["outcomes"] = noticeable_difference(groups, sample.games, tests)
    for name, mean in sample.means.items():
        power[name] = noticeable_mean(truth.tallies[name], mean, sample.games, tests)
    return {name: least for name, least in power.items() if least > 0}
