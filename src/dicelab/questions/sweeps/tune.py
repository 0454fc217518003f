"""`dicelab.tune`: the values of parameters with which a game is as wished, for optimal and for casual play."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isfinite, prod
from operator import attrgetter
from typing import Annotated, Any

from dicelab.errors import InputError, ParameterError, unknown
from dicelab.questions.declare import question
from dicelab.questions.options import (
    GameLike,
    Memory,
    NumberOption,
    Objective,
    RandomSeed,
    RowsWatched,
    Texts,
    Threads,
    Whole,
)
from dicelab.questions.simulate import seed_of, whole
from dicelab.questions.sweeps.candidates import CASUAL, FAILS, HOLDS, OPEN, USUAL, Figures, Method, Wish
from dicelab.questions.sweeps.points import RangesOption, Swept
from dicelab.results.base import BaseResult, about, winners
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import MEASURES, known, outcome_typed
from dicelab.results.rows import each
from dicelab.results.text.page import Noted, Printing
from dicelab.results.text.table import Column, Table, entry, plain
from dicelab.results.text.writing import many, setting_text
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, outcome_names
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import BEST, parse_call

# Tuned ----------------------------------------------------------------------------------------------------------------
#
# The candidates that were tried, as a result: which satisfy all wishes, and what each kind of play gives.

MOST_SHOWN = 20
"""Maximum number of candidates in the text; all are in JSON and CSV."""
MARKS = {HOLDS: "", OPEN: " ?", FAILS: " x"}
"""Behind a figure in the table: whether it is as wished."""


@dataclass(frozen=True)
class Candidate:
    """One combination of values.

    Attributes
    ----------
    values
        The values, by the names of the parameters.
    figures
        What was found, by kind of play.
    verdicts
        By kind of play and wish: ``holds``, ``fails``, or ``open`` where an interval reaches across an end.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.tune("lcr", over={"players": [2, 3]}, want=["gap<10%"])
    >>> found.rows[0].values, found.rows[0].verdicts
    ({'players': 3}, {'': {'gap<10%': 'holds'}})
    """

    values: dict[str, int | str]
    figures: dict[str, Figures]
    verdicts: dict[str, dict[str, str]]

    def satisfies(self, play: str | None = None) -> bool:
        """Return whether all wishes hold, with all kinds of play or with one."""
        return all(
            verdict == HOLDS
            for name, by_wish in self.verdicts.items()
            if play is None or name == play
            for verdict in by_wish.values()
        )

    def rank(self, wishes: Sequence[Wish]) -> tuple[int, int, float]:
        """Sort key: wishes that fail, wishes that are open, and how far figures lie off, relative to what is wished."""
        verdicts = [verdict for by_wish in self.verdicts.values() for verdict in by_wish.values()]
        off = 0.0
        for wish in wishes:
            ends = [abs(end) for end in (wish.low, wish.high) if isfinite(end)]
            unit = max(max(ends, default=1.0), 1e-9)
            off += sum(wish.off(one.values[wish.figure].value) / unit for one in self.figures.values())
        return verdicts.count(FAILS), verdicts.count(OPEN), off

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        plays = []
        for play, row in self.figures.items():
            values = {name: {key: known(x) for key, x in one._asdict().items()} for name, one in row.values.items()}
            plays.append({"play": play, "games": row.games, "figures": values, "wishes": self.verdicts[play]})
        return {"over": self.values, "satisfies": self.satisfies(), "plays": plays}


@dataclass(frozen=True, repr=False, kw_only=True)
class Tuned(BaseResult):
    """Candidates, those that satisfy the most wishes first.

    Attributes
    ----------
    over, plays
        The names of the parameters that were varied, and the kinds of play.
    wishes
        What is wished for.
    rows
        The candidates.
    left_out
        Number of combinations that the rules do not allow.
    slack
        What a move of casual play may cost.
    games
        Number of games of each candidate that is simulated.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.tune("lcr", over={"players": [2, 3, 4]}, want=["gap<10%", "turns<20"])
    >>> [row.values["players"] for row in found.rows if row.satisfies()]
    [3]
    """

    over: tuple[str, ...]
    plays: tuple[str, ...]
    wishes: tuple[Wish, ...]
    rows: list[Candidate]
    left_out: int
    slack: float
    games: int

    method = "tune"
    entries = {
        "over": "[string]: the names of what varies",
        "plays": "[string]: kinds of play: best, casual, strategies; empty text without choices",
        "wishes": Read(
            lambda self: [
                {"text": one.text, "figure": one.figure, "low": one.low, "high": one.high} for one in self.wishes
            ],
            [
                {
                    "text": "string: the wish as it was written",
                    "figure": "string: the outcome, tally or measure of fairness",
                    "low": "number|null: lower end of the range; null without one",
                    "high": "number|null: upper end of the range; null without one",
                }
            ],
            "what is wished for",
        ),
        "slack": "number: what a move of casual play may cost",
        "rows": (
            [
                {
                    "over": "object: the values of the candidate",
                    "satisfies": "boolean: whether all wishes hold with every kind of play",
                    "plays": (
                        [
                            {
                                "play": "string: kind of play",
                                "games": "integer: number of simulated games; 0 if exact",
                                "figures": "object: by name, each with value, low and high",
                                "wishes": "{'holds'|'fails'|'open'}: by wish: holds, fails or open",
                            }
                        ],
                        "what was found, for each kind of play",
                    ),
                }
            ],
            "the candidates, those that satisfy the most wishes first",
        ),
        "left_out": "integer: combinations that the rules don't allow",
        "sentences": Read(attrgetter("words"), "[string]: what was found, in words"),
    }

    @property
    def simulated(self) -> bool:
        """Whether any figure is simulated."""
        return any(figures.games for row in self.rows for figures in row.figures.values())

    def _games(self) -> int | None:
        return self.games if self.simulated else None

    def _table(self) -> Table:
        figures = dict.fromkeys(wish.figure for wish in self.wishes)
        columns = [self._column(play, figure) for play in self.plays for figure in figures]
        least = [str(column.title) for column in reversed(columns)]
        over = [Column(name, plain, value=entry("values", name)) for name in self.over]
        satisfies = Column(
            "satisfies", lambda page, value: setting_text(value), "as wished", Candidate.satisfies, wide=True
        )
        return Table([*over, *columns, satisfies], self.rows, least, len(over))

    def _column(self, play: str, figure: str) -> Column:
        """Return the column of a figure with a kind of play: shown with a mark if a wish for it fails or is open."""
        texts = [wish.text for wish in self.wishes if wish.figure == figure]
        name = f"{play} {figure}".strip()

        def data(row: Candidate) -> dict[str, Any]:
            return {name: row.figures[play].values[figure].value, f"{name} wish": row.verdicts[play][texts[-1]]}

        def shown(page: Printing, row: Candidate) -> str:
            one, verdicts = row.figures[play].values[figure], [row.verdicts[play][text] for text in texts]
            mark = MARKS[FAILS if FAILS in verdicts else OPEN if OPEN in verdicts else HOLDS]
            half = f" {page.plus_minus((one.low, one.high), 4)}" if row.figures[play].games else ""
            return Noted.of(f"{page.number(one.value, 4)}{half}{mark}", mark="bad" * (mark == MARKS[FAILS]))

        return Column("*", shown, f"{_called(play)} {figure}".strip(), data=data)

    def _brief(self) -> str:
        return f"{sum(row.satisfies() for row in self.rows)} of {many(len(self.rows), 'candidate')} satisfy all wishes"

    @property
    def words(self) -> list[str]:
        """What was found, as sentences."""
        good = [row for row in self.rows if row.satisfies()]
        undecided = [row for row in self.rows if not row.rank(self.wishes)[0] and not row.satisfies()]
        first = f"{len(good)} of {many(len(self.rows), 'candidate')} satisfy all wishes"
        sentences = [f"{first}: {_names(good)}" if good else first]
        if undecided:
            sentences.append(f"not decided with so many games: {_names(undecided)}")
        if len(self.plays) > 1:
            for play in self.plays:
                only = [row for row in self.rows if row.satisfies(play) and not row.satisfies()]
                others = [row for row in only if any(FAILS in row.verdicts[one].values() for one in self.plays)]
                if others:
                    sentences.append(f"as wished with {_called(play)} play, but not with all: {_names(others)}")
        return sentences

    def _lines(self, page: Printing) -> list[str]:
        head = page.head(f"{self.game} over {' and '.join(self.over)}", self.parameters, self.differing)
        wishes = ", ".join(wish.text for wish in self.wishes)
        lines = [*head, f"wishes: {wishes}", ""]
        lines += replace(self._table(), rows=self.rows[:MOST_SHOWN]).lines(page)
        left = len(self.rows) - MOST_SHOWN
        lines += [f"and {many(left, 'more candidate')}, in --csv and --json"] if left > 0 else []
        return [*lines, "", *self.words[1:], *self._how()]

    def _sentence(self) -> str:
        return self.words[0]

    def _how(self) -> list[str]:
        lines = ["x: not as wished"]
        if self.simulated:
            lines[0] += "; ?: not decided; ± half of an interval; all intervals hold at once in 95 of 100 runs"
            lines.append(f"simulated: up to {many(self.games, 'game')} of each candidate, seed {self.seed}")
        if CASUAL in self.plays:
            lines.append(f"casual play: moves at random that cost at most {self.slack:g} if all play optimally then")
        lines += [f"{many(self.left_out, 'combination')} not allowed by the rules"] if self.left_out else []
        return [*lines, *([self.unfinished] if self.unfinished else [])]


def _called(play: str) -> str:
    return {BEST: "optimal", CASUAL: "casual"}.get(play, play)


def _names(rows: Sequence[Candidate]) -> str:
    """Return candidates by their values, the first ones."""
    texts = ["; ".join(f"{name} {value}" for name, value in row.values.items()) for row in rows]
    texts = [f"({text})" if "; " in text else text for text in texts]
    left = len(texts) - 6
    return ", ".join(texts[:6]) + (f" and {left} more" if left > 0 else "")


GAMES, SLACK = 50_000, 0.05
"""Games of each simulated candidate, and what a casual move may cost, unless others are given."""
MOST_NAMES, MOST_CANDIDATES = 4, 2_000
"""Limits of what is varied."""


class TriedOption(RangesOption):
    """Parameters with the values to try, typed ``NAME=A..B``, up to four times."""

    missing = "give the values to try, such as --over players=2..5"


def _of_page(texts: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of a page, which has two fields for values, two for wishes, and one for kinds of play."""
    over, want = ([texts[key] for key in (name, f"{name}2") if key in texts] for name in ("over", "want"))
    play = [text.strip() for text in texts.get("play", "").split(",") if text.strip()]
    return {"over": over, "want": want, "play": play, "seed": "1"}


@question(
    chart="tune",
    tab="Tune",
    rows="candidates",
    complete=lambda page, texts: bool(texts["over"] and texts["want"]),
    typed=_of_page,
    settings=("over", "over2", "want", "want2", "play"),
    drawn=lambda result: bool(result.rows),
)
def tune(
    game: GameLike,
    *,
    over: Annotated[
        Mapping[str, Iterable[Any]],
        TriedOption(
            "Values of a parameter; give it up to four times. Every combination is a candidate", "NAME=A..B[..STEP]"
        ),
    ],
    want: Annotated[
        str | Sequence[str],
        Texts(
            "An outcome, a tally or a measure of fairness with a range: 'gap<1%', 'turns=8..12', '0>=45%'; repeat for "
            "more",
            "WISH",
        ),
    ],
    play: Annotated[
        str | Sequence[str],
        Texts(
            "Kind of play: best, casual, or a strategy of all seats (of each seat: joined by +); repeat for more "
            "[default: best and casual]",
            "P",
        ),
    ] = (),
    objective: Objective = None,
    slack: Annotated[float, NumberOption("What a move of casual play may cost", "X")] = SLACK,
    games: Annotated[int, Whole("Games of each candidate that can't be solved", "N", ("--games", "-n"))] = GAMES,
    seed: RandomSeed = None,
    memory: Memory = None,
    threads: Threads = None,
    progress: RowsWatched = lambda done, total: None,
    parameters: Mapping[str, object] | None = None,
    **more: object,
) -> Tuned:
    """Find values of parameters with which a game is as wished, for optimal and for casual play.

    A candidate is a combination of values. Those that satisfy all wishes with every kind of play come first; what is
    as wished with one kind only, such as a handicap that is fair for experts and not for beginners, is named.

    Optimal play (best) and casual play are exact. A casual player makes one of the moves at random that cost at most
    --slack. With a strategy, a candidate is solved if it has few states; otherwise it is screened with 2,000 games,
    and simulated if it may be as wished, with intervals that allow for the number of candidates.

    Commands
    --------
    dicelab tune lcr --over players=2..4 --over coins=1..3 --want 'gap<10%' --want turns=8..20
    dicelab tune tossup --dice 5 --over target=10..40..10 --over last_turn=no,yes --want 'gap<10%' --plot tune.svg
    dicelab tune tossup --over target=20..100..20 --want 'turns<12' --play bank_over:20 --seed 1

    Parameters
    ----------
    game, parameters, **more
        As in `dicelab.simulate`.
    over
        One to four parameters of the game, each with its values; every combination is a candidate.
    want
        Wishes: an outcome, a tally (its mean) or a measure of fairness, with a range, such as ``gap<1%``,
        ``turns=8..12`` or ``0>=45%``.
    play
        Kinds of play: ``best``, optimal play of all seats; ``casual``, random moves among those that cost at most
        `slack`; or a strategy of all seats, or those of all seats joined by ``+``. The default is both of the first two
        for a game with choices. Both are exact.
    objective
        What optimal play is for, as in `dicelab.solve`.
    slack
        What a move of casual play may cost, in the unit of the objective: 0.05 is 5 points of winning chance.
    games, seed
        Of each candidate with strategies that has too many states to be solved. Each is screened with 2,000 games
        first; the intervals allow for the number of all figures that are compared.

    Raises
    ------
    InputError
        When something given is unknown or not allowed at any candidate.
    TooLarge
        When optimal play of the first candidate can't be found; a later one ends the list (`Tuned.refused`).

    Examples
    --------
    >>> found = tune("tossup", over={"target": [5, 10, 15]}, want="0<60%", dice=3)
    >>> [row.values["target"] for row in found.rows if row.satisfies()]
    [10, 15]
    """
    wishes = tuple(Wish.of(text) for text in ([want] if isinstance(want, str) else want))
    if not wishes:
        raise ParameterError("want: there is no wish; give one, such as gap<1%")
    candidates, left_out, first = _candidates(game, over, {**(parameters or {}), **more})
    plays = _plays(first, [play] if isinstance(play, str) else list(play))
    wishes = tuple(replace(wish, figure=outcome_typed(first, wish.figure)) for wish in wishes)
    for _, table in candidates:
        _must_have(table, wishes)
    if not (isfinite(slack) and slack >= 0):
        raise ParameterError(f"slack: {slack!r} is not allowed; it takes a number, 0 or more")
    compared = len(candidates) * len(plays) * sum(_numbers(first, wish) for wish in wishes)
    method = Method(
        wishes, 1 - 0.05 / (2 * compared), whole("games", games), seed_of(Run.of(first), seed, None), float(slack),
        objective, memory, threads,
    )  # fmt: skip

    def row(candidate: tuple[dict[str, int | str], Game]) -> Candidate:
        values, table = candidate
        figures = method.figures(table, plays)
        verdicts = {
            name: {wish.text: wish.judged(measured.values[wish.figure]) for wish in wishes}
            for name, measured in figures.items()
        }
        return Candidate(values, figures, verdicts)

    rows, ending = each(candidates, row, progress)
    rows.sort(key=lambda one: one.rank(wishes))
    facts = about(first, [], without=list(over)) | ending
    known: dict[str, Any] = {"over": tuple(over), "plays": tuple(plays), "wishes": wishes, "rows": rows}
    tuned = Tuned(**facts, **known, left_out=left_out, slack=float(slack), games=method.games, seed=method.seed)
    return tuned if tuned.simulated else replace(tuned, seed=None)


def _candidates(
    game: str | os.PathLike[str] | type[Game] | Game, over: Mapping[str, Iterable[Any]], given: Mapping[str, object]
) -> tuple[list[tuple[dict[str, int | str], Game]], int, Game]:
    """Return the candidates with their games, the number of combinations that are not allowed, and the first game."""
    kind = type(Run.of(game).game)
    if not hasattr(over, "items") or not 1 <= len(over) <= MOST_NAMES:
        raise ParameterError(f"over: give one to {MOST_NAMES} parameters, each with its values")
    swept = [Swept.of(kind, name, values) for name, values in over.items()]
    for one in swept:
        if one.strategy:
            raise ParameterError(f"over: {one.name} is a strategy; tune varies parameters of the game")
        if one.name in given:
            raise ParameterError(f"{one.name} can't be both given and varied")
    if prod(len(one.values) for one in swept) > MOST_CANDIDATES:
        raise ParameterError(f"over: there are more than {MOST_CANDIDATES:,} combinations; give fewer values")
    candidates, refused, why = [], 0, list[InputError]()
    for place in product(*(one.values for one in swept)):
        chosen = {one.name: value for one, value in zip(swept, place, strict=True)}
        try:
            table = Run.of(game if isinstance(game, Game) else kind, **{**given, **chosen}).game
        except InputError as error:
            refused += 1
            why.append(error)
            continue
        words = {
            one.name: one.param.word(value) if one.named else value for one, value in zip(swept, place, strict=True)
        }
        candidates.append((words, table))
    if not candidates:
        raise why[0]
    return candidates, refused, candidates[0][1]


def _plays(game: Game, given: list[str]) -> list[str]:
    """Return the kinds of play, checked."""
    choices = bool(game.declared.decisions)
    if not given:
        return [BEST, CASUAL] if choices else [USUAL]
    for text in given:
        if text in (BEST, CASUAL) and text not in game.declared.strategies:
            if not choices:
                raise ParameterError(f"play: {game.name} has no choices, so there is no {text} play; leave play out")
            continue
        for one in text.split("+"):
            parse_call(game, one)
    if len(set(given)) < len(given):
        raise ParameterError("play: one is given twice")
    return given


def _must_have(game: Game, wishes: Sequence[Wish]) -> None:
    """Refuse wishes for figures that a game doesn't have."""
    tallies = [name for name, tally in game.declared.tallies.items() if not isinstance(tally, Peak)]
    names = [*outcome_names(game), *tallies, *(MEASURES if winners(game) else ())]
    for wish in wishes:
        if wish.figure not in names:
            raise unknown(f"outcome or tally of {game.name}", wish.figure, names)


def _numbers(game: Game, wish: Wish) -> int:
    """Return how many intervals a wish depends on: those of all seats for a measure of fairness."""
    return len(outcome_names(game)) if wish.figure in MEASURES else 1
