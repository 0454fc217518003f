"""`dicelab.with_dice`: a question about a game, asked with somebody's dice in place of fair ones."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import DicelabError, ParameterError, unknown
from dicelab.questions.betting.edges import edges
from dicelab.questions.declare import question
from dicelab.questions.exact import exact as solve
from dicelab.questions.options import GameLike, Memory, OneOf, OnlyBets, Rolled, RowsWatched, Texts, Threads
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import Point
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Column, Table, estimate, figure, plain
from dicelab.results.text.writing import many
from dicelab.rules.actions import Throw
from dicelab.rules.casino import Casino
from dicelab.rules.dice import Die
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import bets_of
from dicelab.rules.loading.source import ITSELF, SOURCE
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch

if TYPE_CHECKING:
    from dicelab.questions.rolled.rolls import Rolls
    from dicelab.questions.rolled.uncertain import Interval
    from dicelab.runtime.arrays import Floats


MEAN, EDGE = "mean of ", "edge of "
"""How the names of figures begin that are no probabilities."""
SESSION: dict[str, Any] = {"games": 1, "seed": 1, "drawdown": False}
"""How sessions are asked about: only their exact numbers are used, which no seed changes."""


@dataclass(frozen=True, repr=False, kw_only=True)
class WithDice(BaseResult):
    """The figures of an answer for somebody's dice, with intervals.

    Attributes
    ----------
    question
        ``exact``, ``edges`` or ``session``.
    rolls
        The rolls of these dice.
    replaced
        The rolls of the game that are made with them.
    figures
        By name: the figure for the estimated dice, its 95 % interval, and the figure for fair dice.

    Examples
    --------
    >>> answer = with_dice("pass-line", "100,100,100,100,100,100")
    >>> answer.figures["win"].low < 244 / 495 < answer.figures["win"].high
    True
    """

    question: str
    rolls: Rolls
    replaced: tuple[str, ...]
    figures: dict[str, Interval]

    method = "with_dice"
    entries = {
        "question": "'exact'|'edges'|'session': what is asked about the game",
        "die": Read(attrgetter("rolls.die"), "string: the die, as it is written"),
        "rolled": Read(attrgetter("rolls.number"), "integer: number of dice rolled, in all rolls together"),
        "counts": Read(
            lambda self: {str(face): n for face, n in zip(self.rolls.faces, self.rolls.counts, strict=True)},
            "{integer}: how often each value was rolled",
        ),
        "replaced": "[string]: the rolls of the game that are made with these dice",
        "words": "string: the answer in words",
        "rows": Read(
            lambda self: self._rows(),
            [{"figure": "string", "value low high": "number", "fair": "number|null"}],
            "one object for each row of the table",
        ),
    }

    def _table(self) -> Table:
        yours = estimate("value", "your dice", lambda row: Point(*row[1][:3]), shares=True, bars=False)
        fair = Column("fair", figure, "fair dice", lambda row: row[1].fair)
        return Table([Column("figure", plain, value=lambda row: row[0]), *yours, fair], [*self.figures.items()])

    def _sentence(self) -> str:
        return self.words

    def _brief(self) -> str:
        return f"{many(len(self.figures), 'figure')} with {many(self.rolls.number, 'roll')} of {self.rolls.die}"

    @property
    def words(self) -> str:
        """What differs from fair dice, as a sentence."""
        apart = [
            name for name, (_, low, high, fair) in self.figures.items() if fair is not None and not low <= fair <= high
        ]
        if not apart:
            return "No figure is known to differ from that of fair dice: all intervals contain it."
        named = ", ".join(apart[:4]) + (f" and {len(apart) - 4} more" if len(apart) > 4 else "")
        return f"With these dice it is known to differ from fair dice: {named}."

    def _lines(self, page: Printing) -> list[str]:
        rolled = f"{self.question} with the dice of {many(self.rolls.number, 'roll')} of {self.rolls.die}"
        lines = [*self._head(page), rolled, "", *self._table().lines(page), ""]
        lines += [f"rolled with your dice: {', '.join(self.replaced)}; the other dice are those of the game"]
        from dicelab.questions.rolled.uncertain import answers_needed

        return [*lines, f"exact for {many(answers_needed(len(self.rolls.faces)), 'set')} of dice, {self.seconds:.3f} s"]


@question(
    chart="with_dice",
    tab="Your dice",
    needs="numbered",
    rows="sets of dice",
    alike=True,
    asked_with=("rolls", "replaced"),
    about_command="question",
    complete=lambda page, texts: "rolls" in texts,
)
def with_dice(
    game: GameLike,
    rolls: Annotated[
        str | os.PathLike[str] | Sequence[int] | Sequence[Sequence[int]],
        Rolled(
            "Ask with dice estimated from rolls: a file with a line for each roll, or counts such as "
            "16,18,21,15,14,16; the figures then have intervals",
            "ROLLS",
            ("--dice-from",),
            label="rolls, a line each; or counts",
            example="80,100,100,100,100,120",
            called="rolls.csv",
        ),
    ],
    strategies: Strategies = (),
    *,
    question: Annotated[
        str,
        OneOf(
            "What is asked",
            label="question",
            values={"exact": "exact", "edges": "edges", "session": "session"},
        ),
    ] = "exact",
    die: str | None = None,
    replaced: Annotated[
        str | Sequence[str],
        Texts(
            "With --dice-from, replace only the dice of this roll of the rules; repeat for more [default: all with "
            "these faces]",
            "ROLL",
            ("--dice-in",),
            label="only this roll of the rules",
        ),
    ] = (),
    only: OnlyBets = (),
    memory: Memory = None,
    threads: Threads = None,
    progress: RowsWatched = lambda done, total: None,
    parameters: Mapping[str, object] | None = None,
    **more: object,
) -> WithDice:
    """Ask a question about a game with somebody's dice in place of fair ones.

    Each figure has an interval for all that the rolls leave possible.

    Parameters
    ----------
    game, strategies
        As in `dicelab.exact`.
    rolls
        As in `dicelab.fair`. The faces are estimated from all dice together.
    question
        ``exact``, ``edges`` or ``session``: as the calls of these names.
    die
        The die that was rolled, such as ``d6``; None takes the one of the game, if all its fair dice are alike.
    replaced
        The names of the game's rolls that are made with these dice; if there are none, all rolls of fair dice with
        these faces.
    only
        Of edges: as in `dicelab.edges`.
    parameters, **more
        Parameters of the game, as in `dicelab.edges`.

    Returns
    -------
    WithDice
        Each figure with a 95 % interval, which carries the uncertainty of the estimated faces.

    Raises
    ------
    ParameterError
        When the rolls can't be read, are too few, or no dice of the game have these faces.
    DicelabError
        When there is no exact answer.

    Examples
    --------
    >>> answer = with_dice("hazard", "80,100,100,100,100,120", main=7)
    >>> answer.replaced
    ('come_out', 'throw_again')
    """
    from dicelab.questions.rolled.rolls import rolls_of
    from dicelab.questions.rolled.uncertain import answers_needed, intervals, weights

    watch = Stopwatch()
    asked = {"exact": _exact, "edges": _edges, "session": _session}
    if only and question != "edges":
        raise ParameterError("only selects bets, for edges")
    given: dict[str, Any] = {**(parameters or {}), **more}
    if isinstance(game, Game):
        given, game = {**game.parameters, **given}, type(game)
    kind = type(Run.of(game, **given).game)
    if question == "edges":
        kind = bets_of(kind)
    read = rolls_of(rolls, die or _only_die(kind))
    if len(set(read.chances)) > 1 or len(read.faces) != read.chances[0].denominator:
        raise ParameterError(f"{read.die} is no single die with different faces; give the rolls of single dice")
    names = rolls_with(kind, read.faces, [replaced] if isinstance(replaced, str) else replaced)
    thrown = max(throw.numbers(kind(**given)) for throw in kind.declared.throws if throw.name in names)
    options = {"memory": memory, "threads": threads}
    total, done = answers_needed(len(read.faces)), 0

    def figures(chances: Floats) -> dict[str, float]:
        nonlocal done
        progress(done, total)
        whole = dict(zip(read.faces, weights(chances, thrown), strict=True))
        answer = asked[question](loaded(kind, whole, names), strategies, only, given, options)
        done += 1
        return answer

    ranges = intervals(read, figures)
    progress(total, total)
    if not ranges:
        raise DicelabError(f"{kind.name}: {question} has no figures that are known for all dice")
    facts = about((run := Run.of(kind, strategies, **({} if question == "edges" else given))).game, run.calls)
    facts |= {"seconds": watch.seconds, "question": question, "rolls": read, "replaced": tuple(names)}
    return WithDice(**facts, figures={name: _possible(name, figure) for name, figure in ranges.items()})


def _possible(name: str, figure: Interval) -> Interval:
    """Return a figure whose interval is within 0 and 1, if it is a probability."""
    if name.startswith((MEAN, EDGE)):
        return figure
    return figure._replace(low=max(0.0, figure.low), high=min(1.0, figure.high))


def _only_die(kind: type[Game]) -> str | None:
    """Return the fair die of a game, if all its fair dice are alike."""
    known = {fair_faces(throw) for throw in kind.declared.throws} - {()}
    if len(known) != 1:
        return None
    [faces] = known
    return f"d{len(faces)}" if faces == tuple(range(1, len(faces) + 1)) else f"d{{{','.join(map(str, faces))}}}"


def _exact(kind: type[Game], strategies: Strategies, only: Any, given: Any, options: Any) -> dict[str, float]:
    result = solve(kind(**given), strategies, **options)
    chances = {name: one["probability"] for name, one in result.to_dict()["outcomes"].items()}
    for name, tally in result.tallies.items():
        if tally.mean is not None:
            chances[f"{MEAN}{name}"] = tally.mean
    return chances


def _edges(kind: type[Game], strategies: Strategies, only: Any, given: Any, options: Any) -> dict[str, float]:
    result = edges(kind, strategies, only=only, parameters=given, **options)
    if result.interrupted:
        raise KeyboardInterrupt
    if result.refused:
        raise DicelabError(result.refused)
    return {f"{EDGE}{row.bet}": row.edge.value for row in result.rows}


def _session(kind: type[Game], strategies: Strategies, only: Any, given: Any, options: Any) -> dict[str, float]:
    from dicelab.questions.betting.session import session

    result = session(kind(**given), strategies, **SESSION, **options)
    if result.interrupted:
        raise KeyboardInterrupt
    data = result.to_dict()
    if "exact" not in data:
        raise DicelabError(f"with other dice, sessions need an exact answer: {data.get('why', 'there is none')}")
    known = [*data["outcomes"].items(), *data["events"].items()]
    chances = {name: one["exact"]["probability"] for name, one in known if "exact" in one}
    tallies = [(name, one["exact"]) for name, one in data["tallies"].items() if "exact" in one]
    return chances | {f"{MEAN}{name}": one["mean"] for name, one in tallies if one.get("mean") is not None}


# A game with other dice: the same rules, rolled with dice whose faces are not equally likely --------------------------
#
# The rules are those of the game, in a class made here, in which rolls of such dice have other weights.


TEXT = '''
class Loaded(Base):
    name = Base.name
{money}
{rolls}

    def _other_dice(self):
        """By this function, the text of this class is found, and is part of the hash of the rules."""
'''
MONEY = '    published, edges_of = {}, ""'
ROLL = "    {name} = rolled_with(Base.{name}, {weights})"


def loaded(game: type[Game], weights: Mapping[int, int], rolls: Sequence[str] = ()) -> type[Game]:
    """Return the same game with other weights of the faces of its dice.

    Parameters
    ----------
    game
        The game. Published edges are left out: they are those of fair dice.
    weights
        By the value of a face: its weight, a whole number that is not negative.
    rolls
        The names of the rolls whose dice are replaced; if there are none, all rolls of fair dice with these faces.

    Raises
    ------
    ParameterError
        When no roll is of such dice, or one that is named is not.
    UnknownNameError
        When there is no roll of that name.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> loaded(Hazard, {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 2}).declared.throws[0].die.faces[5].weight
    2
    """
    chosen = rolls_with(game, list(weights), rolls)
    money = MONEY if issubclass(game, Casino) else ""
    text = TEXT.format(money=money, rolls="\n".join(ROLL.format(name=name, weights=dict(weights)) for name in chosen))
    module = ModuleType(f"dicelab_loaded_{game.name}")
    module.__dict__.update({SOURCE: text, ITSELF: module, "Base": game, "rolled_with": rolled_with})
    exec(compile(text, f"{game.__name__} with other dice", "exec"), module.__dict__)
    made: type[Game] = module.__dict__["Loaded"]
    return made


def rolls_with(game: type[Game], faces: Sequence[int], rolls: Sequence[str] = ()) -> list[str]:
    """Return the names of the rolls of fair dice with these faces: all, or `rolls`, each of which must be one."""
    declared = {throw.name: throw for throw in game.declared.throws}
    for name in rolls:
        if name not in declared:
            raise unknown(f"roll of {game.name}", name, declared)
    fitting = [name for name, throw in declared.items() if fair_faces(throw) == tuple(sorted(faces))]
    known = ", ".join(f"{name} of {throw.die!r}" for name, throw in declared.items())
    for name in rolls:
        if name not in fitting:
            raise ParameterError(f"{name} of {game.name} is not a roll of fair dice with these faces; rolls: {known}")
    if not fitting:
        raise ParameterError(f"{game.name} rolls no fair dice with the faces {_listed(faces)}; rolls: {known}")
    return list(rolls) or fitting


def fair_faces(throw: Throw) -> tuple[int, ...]:
    """Return the values of the dice of a roll, if each is there once and all are equally likely; else none."""
    faces = throw.die.faces
    fair = all(isinstance(face.weight, int) and face.weight == 1 for face in faces)
    values = sorted({face.value for face in faces})
    return tuple(values) if fair and len(values) == len(faces) and throw.is_plain else ()


def rolled_with(throw: Throw, weights: Mapping[int, int]) -> Throw:
    """Return a kind of roll with other weights of the faces."""
    changed = copy(throw)
    changed.die = Die.made(replace(face, weight=weights[face.value]) for face in throw.die.faces)
    return changed


def _listed(faces: Sequence[int]) -> str:
    return ", ".join(map(str, faces)) if len(faces) < 10 else f"{faces[0]} to {faces[-1]}"
