"""`dicelab.judge_class`: the simulations of a class, each beside the exact answer, and all of them together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import TooLarge
from dicelab.questions.declare import question
from dicelab.questions.exact import exact
from dicelab.questions.judge import DOUBTFUL, INCONSISTENT, Variants, of_page
from dicelab.questions.judging.class_file import Pupil, read_class
from dicelab.questions.judging.sample import Sample
from dicelab.questions.options import GameLike, Memory, TableFile, Threads
from dicelab.results.base import BaseResult, about, present
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import Proportion, point
from dicelab.results.result import Exact
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import listed
from dicelab.results.text.table import Column, Table, chance, count, entry, estimate, p_value, plain
from dicelab.results.text.writing import many, outcome_text, outcome_title
from dicelab.rules.game import Game
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch

if TYPE_CHECKING:
    from dicelab.questions.judging.comparison import Compared, Solve, Suspect
    from dicelab.questions.judging.copies import Copies

MOST_IN_SENTENCE = 5
"""Names of pupils in the sentence that answers."""
MOST_COUNTS = 6
"""Maximum number of outcomes whose counts are columns of the table."""


@dataclass(frozen=True, kw_only=True)
class PupilJudged:
    r"""One pupil.

    Attributes
    ----------
    name, seed, games
        As in the table; the seed is empty if it isn't given.
    counts
        Games that ended with each outcome, by name; empty without counts.
    tests
        What was compared, with p-values adjusted for the tests of this pupil.
    p, adjusted
        The joint p-value of the pupil, and the same adjusted for the number of pupils (S. Holm, 1979).
    verdict
        ``consistent``, ``doubtful`` or ``inconsistent``, by the adjusted p-value.
    words
        The verdict in a sentence.
    suspects
        Mistakes that would explain the difference, the most probable first.

    Examples
    --------
    >>> import dicelab, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pupils.csv"
    >>> _ = file.write_text("name,0,1,2\nAnn,616,655,729\nMia,655,729,616\n")
    >>> row = dicelab.judge_class("lcr", file, players=3).rows[1]
    >>> row.verdict, row.suspects[0].name
    ('inconsistent', 'players shifted by 1: your player 1 is player 2')
    """

    name: str
    seed: str
    games: int
    counts: dict[str, int]
    tests: tuple[Compared, ...]
    p: float
    adjusted: float
    verdict: str
    words: str
    suspects: tuple[Suspect, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        data: dict[str, Any] = {"name": self.name, "games": self.games, "counts": self.counts}
        data |= {"p": self.p, "adjusted": self.adjusted, "verdict": self.verdict, "words": self.words}
        suspected = [one.to_dict() for one in self.suspects]
        return data | present(seed=self.seed, suspects=suspected)


@dataclass(frozen=True, repr=False, kw_only=True)
class ClassJudged(BaseResult):
    r"""Whether the results of a class can come from the rules.

    Attributes
    ----------
    rows
        One for each pupil, in the order of the table.
    same
        Groups of pupils with identical counts and no seed in common.
    pooled
        The counts of all pupils that are not inconsistent, those with counts that are the same not
        by chance once, by outcome; empty without counts.
    exact
        The exact probability of each outcome.
    pooled_p
        How probable a difference of the pooled counts at least this large is; None without counts.
    seats
        Whether the outcomes are the winning seats.
    remarks
        How columns of the table were understood.

    Examples
    --------
    >>> import dicelab, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pupils.csv"
    >>> _ = file.write_text("name,win,lose\nAnn,492,508\nBen,502,498\nCem,610,390\n")
    >>> found = dicelab.judge_class("hazard", file, main=7)
    >>> [(row.name, row.verdict) for row in found.rows]
    [('Ann', 'consistent'), ('Ben', 'consistent'), ('Cem', 'inconsistent')]
    """

    rows: list[PupilJudged]
    same: list[Copies]
    pooled: dict[str, Proportion]
    exact: dict[str, float]
    pooled_p: float | None
    seats: bool
    remarks: tuple[str, ...] = ()

    method = "class"
    entries = {
        "verdict": "'consistent'|'doubtful'|'inconsistent': the worst verdict of a pupil",
        "rows": (
            [
                {
                    "name": "string: name of the pupil",
                    "seed?": "string: the seed, as in the table",
                    "games": "integer: number of games",
                    "counts": "{integer}: games that ended with each outcome",
                    "p": "number: joint p-value of all tests",
                    "adjusted": "number: the same, adjusted for the number of pupils",
                    "verdict": "'consistent'|'doubtful'|'inconsistent': by the adjusted p-value",
                    "words": "string: the answer in words",
                    "suspects?": ([{"name": "string", "p": "number"}], "mistakes that would explain the numbers"),
                }
            ],
            "one object for each row of the table",
        ),
        "same": (
            [
                {
                    "names": "[string]: the pupils",
                    "counts": "[integer]: their counts",
                    "games": "integer: number of games",
                    "seeds": "'different'|'not given': different, or not given of one of them at least",
                    "game_by_game": "boolean: whether every game ended alike",
                    "chance": "number|null: probability that so many pupils agree by chance",
                    "anywhere": "number|null: bound on the probability that some so many of the class do",
                }
            ],
            "pupils with identical counts and no seed in common",
        ),
        "pooled": Read(
            lambda self: {
                name: {**one.to_dict(), "games": one.games, "exact": self.exact[name]}
                for name, one in self.pooled.items()
            },
            {
                "*": {
                    "probability": "number: estimated",
                    "low": "number: lower end of the 95 % interval",
                    "high": "number: upper end of the 95 % interval",
                    "count": "integer: games that ended so",
                    "games": "integer: number of games",
                    "exact": "number: the exact probability",
                }
            },
            "the results of all pupils together, by outcome",
        ),
        "pooled_p": "number|null: p-value of the results of all pupils together",
        "remarks?": "[string]: how columns of the table were understood",
    }

    @property
    def verdict(self) -> str:
        """The worst verdict of a pupil."""
        verdicts = {row.verdict for row in self.rows}
        return next(word for word in ("inconsistent", "doubtful", "consistent") if word in verdicts)

    def _table(self) -> Table:
        shown = list(self.exact) if len(self.exact) <= MOST_COUNTS else []
        titles = [self._title(name) for name in shown]
        numbers = {row.name: str(at) for at, row in enumerate(self.rows, start=1)}
        columns = [
            Column("", plain, value=lambda row: numbers[row.name]),
            Column("name", plain),
            Column("seed"),
            Column("games", count),
            Column("*", data=lambda row: row.counts),
            *(Column("", count, self._title(name), entry("counts", name)) for name in shown),
            Column("p", p_value),
            Column("adjusted p", p_value, value=lambda row: row.adjusted),
            Column("verdict", plain),
            Column("words"),
        ]
        return Table(columns, self.rows, ["p", "games", *titles], 2)

    def _tables(self) -> list[Table]:
        return [self._table(), *([self._pooled_table()] if self.pooled else [])]

    def _brief(self) -> str:
        wrong = sum(row.verdict != "consistent" for row in self.rows)
        return f"{many(len(self.rows), 'pupil')}, {wrong} doubtful or inconsistent"

    def _lines(self, page: Printing) -> list[str]:
        from dicelab.questions.judging.words import MOST_NAMED

        lines = [*super()._lines(page), ""]
        lines += [self._allowance(), *(f"{row.name}: {row.words}" for row in self.rows if row.verdict != "consistent")]
        for row in self.rows:
            lines += [
                f"{row.name}: it would fit: {one.name} (p-value {one.p:.2g})" for one in row.suspects[:MOST_NAMED]
            ]
        lines += [one.words for one in self.same]
        if self.pooled:
            lines += ["", *self._pooled_table().lines(page), "", self._pooled_words()]
        ending = [self.unfinished] if self.unfinished else []
        return [*lines, *self.remarks, *ending]

    def _sentence(self) -> str:
        kinds = {"inconsistent": "inconsistent with the exact answer", "doubtful": "doubtful"}
        wrong = {words: [row.name for row in self.rows if row.verdict == kind] for kind, words in kinds.items()}
        if len(self.rows) == 1:
            return f"{self.rows[0].name} is {self.verdict}"
        everyone = "both" if len(self.rows) == 2 else f"all {len(self.rows)}"
        if not any(wrong.values()):
            return f"{everyone} are consistent with the exact answer"
        for words, names in wrong.items():
            if len(names) == len(self.rows):
                return f"{everyone} are {words}"
        groups = [
            f"{len(names)} {'is' if len(names) == 1 else 'are'} {words} ({_some(names)})"
            for words, names in wrong.items()
            if names
        ]
        return f"of {len(self.rows)}, {listed(groups)}"

    def _title(self, name: str) -> str:
        return outcome_title(name, self.seats)

    def _allowance(self) -> str:
        tests = len(self.rows)
        return (
            f"p-values are adjusted for {many(tests, 'pupil')} (Holm): in a class without mistakes somebody is "
            f"doubtful at most once in 20 classes; unadjusted, {tests * DOUBTFUL:.2g} would be below {DOUBTFUL} by "
            "chance"
        )

    def _pooled_table(self) -> Table:
        columns = [
            Column("", lambda page, row: outcome_text(row[0], self.seats), "pooled"),
            *estimate("", "estimate", lambda row: point(row[1]), shares=True),
            Column("", chance, "exact", lambda row: self.exact[row[0]]),
            Column("", count, "games", lambda row: row[1].count),
        ]
        return Table(columns, [*self.pooled.items()])

    def _pooled_words(self) -> str:
        games = next(iter(self.pooled.values())).games
        left = [row.name for row in self.rows if row.verdict == "inconsistent"]
        without = f", without those that are inconsistent ({', '.join(left)})" if left else ""
        every = sum(row.games for row in self.rows if row.counts and row.verdict != "inconsistent")
        once = ", identical counts once" if games < every else ""
        return f"pooled: {many(games, 'game')}{without}{once}; p-value {self.pooled_p:.2g}"


def _some(names: Sequence[str]) -> str:
    """Return the first of some names."""
    return listed(names) if len(names) <= MOST_IN_SENTENCE else f"{', '.join(names[:MOST_IN_SENTENCE])} ..."


@question(
    chart="class",
    tab="Class",
    page="class",
    drawn=lambda result: any(row.counts for row in result.rows),
    failed=lambda result: result.verdict == "inconsistent",
    complete=lambda page, texts: "file" in texts,
    typed=of_page,
    settings=("table",),
    asked_with=("file",),
)
def judge_class(
    game: GameLike,
    file: Annotated[
        str | os.PathLike[str],
        TableFile(
            "Instead: a CSV file with the results of a class, a row per pupil, or per game with the pupil's name",
            "FILE",
            ("--class",),
            called="pupils.csv",
        ),
    ],
    strategies: Strategies = (),
    *,
    variants: Variants = (),
    memory: Memory = None,
    threads: Threads = None,
    **parameters: object,
) -> ClassJudged:
    r"""Compare the simulations of a class with the exact answer, with allowance for the number of pupils.

    Parameters
    ----------
    game, strategies, variants, memory, threads, **parameters
        As in `dicelab.judge`.
    file
        A table with a row for each pupil, or a row for each game with the pupil's name; see
        `dicelab.questions.judging.class_file`. Names are used in the answer only.

    Raises
    ------
    TooLarge
        When the exact answer does not fit into memory.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pupils.csv"
    >>> _ = file.write_text("name,seed,win,lose\nAnn,1,492,508\nBen,2,492,508\n")
    >>> judge_class("hazard", file, main=7).same[0].names
    ['Ann', 'Ben']
    """
    from dicelab.questions.judging.comparison import variants_in
    from dicelab.questions.judging.copies import copies_in, repeated

    watch, run = Stopwatch(), Run.of(game, strategies, **parameters)
    pupils, remarks = read_class(run.game, file)
    tallies = list(dict.fromkeys(name for pupil in pupils for name in pupil.sample.means))
    answers: dict[Any, Exact] = {}

    def solve(other: Game) -> Exact:
        key = (type(other), *other.parameters.items())
        if key not in answers:
            answers[key] = exact(other, strategies, memory=memory, threads=threads, tallies=tallies)
        return answers[key]

    try:
        truth = solve(run.game)
    except TooLarge as error:
        raise type(error)(f"judge needs the exact answer, which is out of reach: {error}") from error
    others = [variants] if isinstance(variants, str | type) else variants
    more = [kind for other in others for kind in variants_in(other)]
    rows, interrupted = _judged(run.game, pupils, truth, solve, more)
    chances = [chance.probability for chance in truth.outcomes.values()]
    same = copies_in(pupils, chances) if chances else []
    pooled, pooled_p = _pooled(pupils, rows, repeated(pupils, chances) if chances else set(), truth)
    return ClassJudged(
        **about(run.game, run.calls),
        seconds=watch.seconds,
        rows=rows,
        same=same,
        pooled=pooled,
        exact={name: chance.probability for name, chance in truth.outcomes.items()},
        pooled_p=pooled_p,
        seats=truth.seats,
        remarks=tuple(remarks),
        interrupted=interrupted,
    )


def _judged(
    game: Game, pupils: Sequence[Pupil], truth: Exact, solve: Solve, variants: Sequence[type[Game]]
) -> tuple[list[PupilJudged], bool]:
    """Return every pupil with a verdict, and whether Ctrl-C ended the search for mistakes."""
    from dicelab.questions.judging.comparison import compared, joint_p, suspects
    from dicelab.questions.judging.goodness import holm
    from dicelab.questions.judging.words import findings

    tests = [compared(pupil.sample, truth)[0] for pupil in pupils]
    joint = [joint_p(several) for several in tests]
    rows, interrupted = list[PupilJudged](), False
    for pupil, pupil_tests, p, adjusted in zip(pupils, tests, joint, holm(joint), strict=True):
        verdict = "inconsistent" if adjusted < INCONSISTENT else "doubtful" if adjusted < DOUBTFUL else "consistent"
        counts = dict(zip(truth.outcome_names, pupil.sample.counts or (), strict=False))
        words = findings(verdict, pupil_tests, pupil.sample.games, truth.seats, DOUBTFUL)
        row = PupilJudged(
            name=pupil.name, seed=pupil.seed, games=pupil.sample.games, counts=counts, tests=tuple(pupil_tests),
            p=p, adjusted=adjusted, verdict=verdict, words=words,
        )  # fmt: skip
        try:
            if verdict != "consistent" and not interrupted:
                row = replace(row, suspects=tuple(suspects(game, pupil.sample, truth, solve, variants)[0]))
        except KeyboardInterrupt:  # the verdicts are worth keeping
            interrupted = True
        rows.append(row)
    return rows, interrupted


def _pooled(
    pupils: Sequence[Pupil], rows: Sequence[PupilJudged], again: set[str], truth: Exact
) -> tuple[dict[str, Proportion], float | None]:
    """Return the counts of all pupils together but those in `again`, and their p-value."""
    from dicelab.questions.judging.comparison import compared, joint_p

    kept = [
        pupil.sample.counts
        for pupil, row in zip(pupils, rows, strict=True)
        if pupil.sample.counts is not None and row.verdict != "inconsistent" and pupil.name not in again
    ]
    if not kept:
        return {}, None
    sums = [sum(column) for column in zip(*kept, strict=True)]
    games = sum(sums)
    shares = {name: Proportion(count, games) for name, count in zip(truth.outcome_names, sums, strict=True)}
    return shares, joint_p(compared(Sample.gathered(games, sums, {}), truth)[0])
