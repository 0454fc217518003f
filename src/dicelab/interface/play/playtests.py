"""`dicelab.playtests`: what many saved games say about a game: length, winners, luck, and frequent mistakes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import DicelabError, InputError, ParameterError, TooLarge
from dicelab.questions.declare import question
from dicelab.questions.options import Games, Memory, Objective, Option, RandomSeed, RowsWatched, SavedGames, Seats
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Column, Table, Text, count, plain
from dicelab.results.text.writing import many, outcome_text
from dicelab.rules.game import Game, fresh, outcome_names, seat_count, shown
from dicelab.rules.wording import called
from dicelab.runtime.lineup import Run
from dicelab.runtime.timing import Stopwatch

if TYPE_CHECKING:
    from dicelab.interface.play.saved import SavedGame
    from dicelab.questions.policies.skill.reviewed import Review

GAMES = 20_000
"""Games that are simulated where the exact answer is too large, unless a number is given."""
LARGEST = 200_000
"""States up to which the exact answer is computed."""
SHOWN = 10
"""Number of mistakes that are listed."""
CLOSE = 1e-7
"""Costs below this are rounding of the solved values."""


@dataclass(frozen=True)
class Mistake:
    """A move that people made where another one was better.

    Attributes
    ----------
    choice, move, better
        The choice, the move that was made, and the best one, in the words of the game.
    made, chances
        How often people made the move where `better` was best, and how often `better` was best.
    people
        How many of them made it; a seat of a saved game is one of them.
    cost
        Its mean cost, as in `dicelab.review`.
    where
        The saved game, and the step in it, where it cost most.

    Examples
    --------
    >>> one = Mistake("roll or bank", "roll", "bank", made=3, chances=4, people=2, cost=0.02, where=("anna.json", 7))
    >>> one.made / one.chances
    0.75
    """

    choice: str
    move: str
    better: str
    made: int
    chances: int
    people: int
    cost: float
    where: tuple[str, int]

    @property
    def usual(self) -> bool:
        """Whether several people made it, and they made it more often than not."""
        return self.people > 1 and 2 * self.made > self.chances


@dataclass(frozen=True)
class FigurePlayed:
    """A figure of the games that were finished, beside what was to be expected.

    Attributes
    ----------
    name
        An outcome, or a tally.
    value, low, high
        The share of the games with this outcome, or the mean of the tally; and its 95 % interval.
    expected
        The exact or simulated probability or mean.

    Examples
    --------
    >>> FigurePlayed("win", value=0.7, low=0.6, high=0.8, expected=0.55).differs
    True
    """

    name: str
    value: float
    low: float
    high: float
    expected: float

    @property
    def differs(self) -> bool:
        """Whether what was to be expected is outside the interval."""
        return not self.low <= self.expected <= self.high

    @property
    def ends(self) -> dict[str, float]:
        """The ends of the interval that are finite, by name."""
        return {name: end for name, end in (("low", self.low), ("high", self.high)) if isfinite(end)}


@dataclass(frozen=True, repr=False, kw_only=True)
class Playtests(BaseResult):
    """What many saved games say.

    Attributes
    ----------
    logs, finished
        Number of saved games, and of those that were played to their end.
    outcomes, tallies
        Figures of the finished games.
    how
        Where what was to be expected comes from: ``exact``, or ``simulated``.
    luck
        Of each seat in the finished games: mean luck and mean cost of its decisions, in the unit of `objective`.
    objective
        What the values of states are; empty if the games weren't reviewed.
    chance
        Whether they are chances to win.
    seats
        Whether the outcomes are the winning seats.
    decisions, mistakes
        Number of decisions by people, and their mistakes, the usual ones first, then those that cost most in all.
    unreviewed
        Why the games weren't reviewed; empty if they were.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import dicelab
    >>> folder, moves = pathlib.Path(tempfile.mkdtemp()), [{"roll": {"green": 2}}, {"choice": "bank"}]
    >>> game = {"game": "tossup", "parameters": {"dice": 2, "target": 5}, "moves": moves}
    >>> _ = (folder / "one.json").write_text(json.dumps(game))
    >>> found = dicelab.playtests(folder)
    >>> found.logs, found.finished, found.mistakes[0].move, found.mistakes[0].better
    (1, 0, 'bank', 'roll')
    """

    logs: int
    finished: int
    outcomes: tuple[FigurePlayed, ...]
    tallies: tuple[FigurePlayed, ...]
    how: str
    luck: tuple[tuple[float, float], ...]
    objective: str
    chance: bool
    decisions: int
    mistakes: tuple[Mistake, ...]
    unreviewed: str
    seats: bool

    method = "playtests"
    entries = {
        "logs": "integer: number of saved games",
        "finished": "integer: those that were played to their end",
        "decisions": "integer: decisions that people made",
        "how": "string: where what was to be expected comes from: exact, or simulated",
        "figures": Read(
            lambda self: {
                name: table.data() for name, table in zip(("outcomes", "tallies"), self._figures(), strict=True)
            },
            {"*": [{"name": "string", "value low? high? expected": "number"}]},
            "outcomes and tallies of the finished games: their shares or means, with 95 % intervals",
        ),
        "luck": Read(
            lambda self: self._luck().data(),
            [{"seat": "integer", "luck costs": "number"}],
            "mean luck of each seat, and mean cost of its decisions, in a finished game",
        ),
        "objective": "string: what the values of states are; empty if the games were not reviewed",
        "unreviewed?": "string: why the games were not reviewed",
        "rows": Read(
            lambda self: self._rows(),
            [
                {
                    "choice": "string: the choice",
                    "move": "string: the move that was made",
                    "better": "string: the best one",
                    "made": "integer: how often it was made where that was best",
                    "chances": "integer: how often that was best",
                    "people": "integer: how many people made it",
                    "cost": "number: its mean cost",
                    "file": "string: the saved game in which it cost most",
                    "step": "integer: the step in it",
                }
            ],
            "one object for each kind of mistake",
        ),
    }

    def _amount(self, page: Printing, value: float) -> str:
        return page.number(100 * value if self.chance else value, 2)

    def _luck(self) -> Table:
        """Return the table of luck and costs by seat."""
        columns = [
            Column("seat", lambda page, seat: str(seat + 1), value=itemgetter(0)),
            Column("luck", self._amount, "mean luck", itemgetter(1)),
            Column("costs", self._amount, "mean own costs", itemgetter(2)),
        ]
        return Table(columns, [(seat, *numbers) for seat, numbers in enumerate(self.luck)])

    def _figures(self) -> tuple[Table, Table]:
        """Return the tables of outcomes and tallies."""

        def table(title: str, figures: Sequence[FigurePlayed], digits: int, name: Text) -> Table:
            def text(page: Printing, value: float) -> str:
                return page.number(value, digits)

            columns = [
                *(Column("name", name, title), Column("value", text, "played")),
                Column(
                    "*",
                    lambda page, one: page.span((one.low, one.high), digits),
                    "95 % interval",
                    data=lambda one: one.ends,
                ),
                *(Column("expected", text), Column("", lambda page, one: "differs" if one.differs else "")),
            ]
            return Table(columns, figures)

        outcomes = table("outcome", self.outcomes, 3, lambda page, name: outcome_text(name, self.seats, self.players))
        return outcomes, table("tally", self.tallies, 2, plain)

    def _table(self) -> Table:
        columns = [
            Column("choice"),
            *(Column("move", plain), Column("better", plain), Column("made", count), Column("chances", count, "of")),
            *(Column("people", count), Column("cost", self._amount, "mean cost")),
            Column("file", value=lambda one: one.where[0]),
            Column("step", value=lambda one: one.where[1]),
            Column("", lambda page, one: f"{one.where[0]}, step {one.where[1]}", "most in"),
        ]
        return Table(columns, self.mistakes, ["most in", "people"])

    def _brief(self) -> str:
        return f"{many(self.logs, 'saved game')}, {many(len(self.mistakes), 'kind')} of mistakes"

    def _sentence(self) -> str:
        if self.unreviewed:
            return f"{many(self.logs, 'saved game')}, {self.finished:,} of them finished; mistakes are not known"
        usual = [one for one in self.mistakes if one.usual]
        if usual:
            one = usual[0]
            return (
                f"Where “{one.better}” is best, people usually chose “{one.move}”: in {one.made:,} of "
                f"{many(one.chances, 'decision')}, at a mean cost of {self._cost(one.cost)}"
            )
        if self.mistakes:
            one = max(self.mistakes, key=lambda mistake: mistake.made * mistake.cost)
            return (
                f"No mistake is usual; the most expensive one is “{one.move}” instead of “{one.better}”, in "
                f"{one.made:,} of {many(one.chances, 'decision')}"
            )
        return f"In {many(self.decisions, 'decision')} people made no mistake"

    def _cost(self, cost: float) -> str:
        return f"{100 * cost:.2f} points of winning chance" if self.chance else f"{cost:.3f}"

    def _lines(self, page: Printing) -> list[str]:
        lines = [*self._head(page), "", f"{many(self.logs, 'saved game')}, {self.finished:,} of them finished", ""]
        if self.finished:
            lines += [line for table in self._figures() if table.rows for line in (*table.lines(page), "")]
            who = ", ".join(dict.fromkeys(self.strategies))
            lines += [f"expected: {self.how}{f' with {who}' if who else ''}", ""]
        if self.luck:
            unit = "points of winning chance" if self.chance else self.objective
            lines += [f"luck and costs of a finished game, in {unit}", "", *self._luck().lines(page), ""]
        if self.unreviewed:
            return [*lines, f"not reviewed: {self.unreviewed}"]
        if self.mistakes:
            lines += ["mistakes of people; those made more often than not come first", ""]
            lines += replace(self._table(), rows=self.mistakes[:SHOWN]).lines(page)
        more = len(self.mistakes) - SHOWN
        lines += [f"({many(more, 'kind')} of mistakes left out)"] if more > 0 else []
        return [*lines, "", f"{many(self.decisions, 'decision')} by people"]


def _of_page(texts: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of the arguments from those of an address, where `table` stands for the saved games."""
    return {"logs" if name == "table" else name: text for name, text in texts.items()}


@question(
    rows="games", tab="Playtests", settings=("table",), typed=_of_page, complete=lambda page, texts: "logs" in texts
)
def playtests(
    *logs: Annotated[
        str | os.PathLike[str], SavedGames("Saved games (docs/saved-games.md), or folders of them", "LOG", words=True)
    ],
    rules: Annotated[
        str | os.PathLike[str] | type[Game] | None,
        Option("The rules, if they are in a file of yours, such as ./pig.py", "GAME", ("--game",)),
    ] = None,
    strategies: Annotated[str | Sequence[str], Seats] = (),
    objective: Objective = None,
    policy: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "Take the values of a game solved turn by turn from a policy that dicelab solve --out has saved", "FILE"
        ),
    ] = None,
    games: Games = None,
    seed: RandomSeed = None,
    memory: Memory = None,
    progress: RowsWatched = lambda done, total: None,
) -> Playtests:
    """Say what many saved games show: how they ended, how long they were, luck, and the mistakes that people made.

    The games are those that a page of dicelab publish or dicelab play --save has saved. They must be of one game with
    the same parameters. How often each outcome came, and the mean of each tally, stand beside the exact answer, or
    beside a simulation where that is too large, with the strategies of the option -s. The game is solved, and every
    decision that a person made is compared with the best one, as by dicelab review.

    Commands
    --------
    dicelab playtests one.json two.json
    dicelab playtests logs -s bank_over:20
    dicelab playtests logs --game ./pig.py --csv

    Parameters
    ----------
    *logs
        Files, or folders: then all files in it that end with ``.json``. A file has one saved game, or many as a JSON
        object with a name for each.
    strategies
        What is to be expected is computed with these.
    games, seed
        For the simulation, where the exact answer is too large.

    Raises
    ------
    InputError
        When a file can't be read, is of another game, or has a move that is not legal; the message names it.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "game.json")
    >>> _ = file.write_text(json.dumps({"game": "hazard", "moves": [{"roll": 7}]}))
    >>> [(one.name, one.value, round(one.expected, 4)) for one in playtests(file).outcomes]
    [('win', 1.0, 0.4929), ('lose', 0.0, 0.5071)]
    """
    from dicelab.interface.play.review import game_of, of_game
    from dicelab.interface.play.saved import checked, read_all

    watch = Stopwatch()
    if not logs:
        raise ParameterError("give at least one saved game, or a folder of them")
    every = read_all(logs)
    first = every[0]
    kind = game_of(first, rules)
    game = kind(**first.parameters)
    run = Run.of(game, strategies)
    results, reviews, unreviewed = [], list[Any](), ""
    for done, saved in enumerate(every):
        progress(done, len(every))
        own = game_of(saved, rules)(**saved.parameters)
        _must_be_alike(game, own, first.path, saved.path)
        ended = fresh(own)
        script = checked(ended, saved)
        if script.over:
            results.append(ended)
        if not unreviewed and game.declared.decisions:
            try:
                reviews.append((saved, of_game(own, script.steps, saved.seats, objective, memory, policy)))
            except ParameterError:
                raise
            except DicelabError as error:
                unreviewed, reviews = str(error), []
    if not game.declared.decisions:
        unreviewed = f"{game.name} has no choices"
    findings = _ReviewFindings(game)
    for saved, one in reviews:
        findings.add(saved, one)
    figures, how, used = _figures(run, results, games, seed, memory) if results else (((), ()), "", None)
    values = reviews[0][1].objective if reviews else None
    return Playtests(
        **{**about(game, run.calls), "seconds": watch.seconds, "seed": used},
        logs=len(every),
        finished=len(results),
        outcomes=figures[0],
        tallies=figures[1],
        how=how,
        luck=findings.luck,
        objective=values.text if values else "",
        chance=values.is_chance if values else False,
        decisions=findings.decisions,
        mistakes=findings.mistakes(),
        unreviewed=unreviewed,
        seats=game.outcomes is None,
    )


def _must_be_alike(game: Game, other: Game, first: str, file: str) -> None:
    """Refuse a saved game of another game, or with other parameters."""
    if other.name != game.name:
        raise InputError(f"{file} is a game of {other.name}, and {first} one of {game.name}; read them apart")
    mine, theirs = shown(game), shown(other)
    differing = [name for name in mine if mine[name] != theirs[name]]
    if differing:
        name = differing[0]
        raise InputError(
            f"{file} has {name} {theirs[name]}, and {first} has {name} {mine[name]}; read games with the same "
            "parameters together"
        )


class _ReviewFindings:
    """What the reviews of games say together."""

    def __init__(self, game: Game) -> None:
        self.game, self.decisions, self.finished = game, 0, 0
        self.best: dict[tuple[str, str], int] = {}
        self.made: dict[tuple[str, str, str], list[tuple[float, str, int, int]]] = {}
        self.sums: list[list[float]] = []

    def add(self, saved: SavedGame, review: Review) -> None:
        """Add a game with its review."""
        people = [seat for seat in range(max(1, seat_count(self.game))) if self._is_person(saved, seat)]
        if review.over:
            self.finished += 1
            self.sums = self.sums or [[0.0, 0.0] for _ in review.start]
            for seat, sums in enumerate(self.sums):
                sums[0] += float(review.luck[seat])
                sums[1] += float(review.costs[seat])
        for number, step in enumerate(review.steps, 1):
            if step.decision is None or step.seat not in people:
                continue
            self.decisions += 1
            name, cost = step.decision.name, float(step.cost)
            self.best[name, step.best] = self.best.get((name, step.best), 0) + 1
            if cost > CLOSE and step.words != step.best:
                self.made.setdefault((name, step.words, step.best), []).append((cost, saved.path, step.seat, number))

    def _is_person(self, saved: SavedGame, seat: int) -> bool:
        """Return whether a person sits in a seat: neither a strategy nor a policy."""
        name = saved.seats[seat].partition(":")[0] if seat < len(saved.seats) else ""
        return name not in ("best", "policy", *self.game.declared.strategies) and ".py" not in name

    @property
    def luck(self) -> tuple[tuple[float, float], ...]:
        """The mean luck and costs of each seat."""
        return tuple((own / self.finished, costs / self.finished) for own, costs in self.sums)

    def mistakes(self) -> tuple[Mistake, ...]:
        """Return all mistakes, the usual ones first, then those that cost most in all."""
        mistakes = []
        for (name, move, better), those in self.made.items():
            costs = [cost for cost, *_ in those]
            people = len({(file, seat) for _, file, seat, _ in those})
            _, file, _, number = max(those)
            counts = len(those), self.best[name, better], people
            word = called(self.game, name)
            mistakes.append(Mistake(word, move, better, *counts, sum(costs) / len(costs), (file, number)))
        return tuple(sorted(mistakes, key=lambda one: (not one.usual, -one.made * one.cost)))


Figures = tuple[tuple[FigurePlayed, ...], tuple[FigurePlayed, ...]]


def _figures(
    run: Run, ended: Sequence[Game], games: int | None, seed: int | None, memory: int | None
) -> tuple[Figures, str, int | None]:
    """Return the figures of finished games, where what was to be expected comes from, and its seed."""
    from dicelab.questions.exact import exact
    from dicelab.questions.simulate import simulate
    from dicelab.results.numbers.intervals import clopper_pearson, mean_interval
    from dicelab.rules.game import counted, twin
    from dicelab.runtime.interpreter import outcome_of

    result: Any
    try:
        result = exact(run.game, run.calls, memory=memory, progress=_few) if games is None and seed is None else None
    except (_LargeForPlaytests, TooLarge):
        result = None
    how, used = "exact", None
    if result is None:
        result = simulate(run.game, run.calls, games=games or GAMES, seed=seed)
        how, used = f"simulated ({result.games:,} games)", result.seed
    names, many_games = outcome_names(run.game), len(ended)
    ends = [twin(game) for game in ended]
    numbers = [outcome_of(game) for game in ends]  # which may count, too
    counts = [numbers.count(number) for number in range(len(names))]
    outcomes = []
    for name, times in zip(names, counts, strict=True):
        one = result.outcomes[name]
        low, high = clopper_pearson(times, many_games)
        outcomes.append(FigurePlayed(name, times / many_games, low, high, float(one.probability)))
    tallies = []
    for name in run.game.declared.tallies:
        values = [counted(game)[name] for game in ends]
        mean = sum(values) / many_games
        variance = sum((value - mean) ** 2 for value in values) / max(1, many_games - 1)
        low, high = mean_interval(mean, variance**0.5, many_games) if many_games > 1 else (-float("inf"), float("inf"))
        tallies.append(FigurePlayed(called(run.game, name), mean, low, high, float(result.tallies[name].mean)))
    return (tuple(outcomes), tuple(tallies)), how, used


class _LargeForPlaytests(Exception):
    """The exact answer has many states."""


def _few(states: int, expanded: int) -> None:
    """End an exact answer that has many states."""
    if states > LARGEST:
        raise _LargeForPlaytests
