"""What a check found: the results of its steps, where an error is and what to write instead, and the report.

The report is text of 80 columns: the verdict, what each step covered, and a summary.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dicelab.errors import DicelabError, EndlessGameError
from dicelab.rules.fields.declared import LARGEST, Seat
from dicelab.rules.game import Game
from dicelab.rules.params import Expr
from dicelab.runtime.where import Where, declared_in, explained, file_of_class, where_raised, where_written
from dicelab.translation.contract import unproved
from dicelab.translation.translator import RISES

OK, NOTE, BROKEN, UNFINISHED = "ok", "note", "broken", "not finished"


@dataclass(frozen=True)
class Finding:
    """One result of one step.

    Attributes
    ----------
    game, step
        The game (or the file, if that can't be read), and the step of the check.
    verdict
        ``ok``; ``note``: something is not checked or not compiled; ``broken``: a rule of the contract is broken; ``not
        finished``: the time was over.
    say
        The result as a sentence.
    where
        File, line and method of the broken rule.
    covered
        Numbers of what was checked, by name.
    """

    game: str
    step: str
    verdict: str
    say: str
    where: Where | None = None
    covered: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without empty entries."""
        data: dict[str, Any] = {"game": self.game, "step": self.step, "verdict": self.verdict, "say": self.say}
        if self.where is not None:
            data["where"] = {"file": self.where.file, "line": self.where.line, "method": self.where.method}
        return data | ({"covered": self.covered} if self.covered else {})


@dataclass(frozen=True)
class Said:
    """One result within a step: the verdict, the sentence, and the numbers of what was checked."""

    verdict: str
    say: str
    covered: dict[str, Any] = field(default_factory=dict)


Found = Iterator[Said]


class Broken(DicelabError):
    """The game breaks a rule of the contract, at a known place of its file."""

    def __init__(self, say: str, where: Where | None = None) -> None:
        super().__init__(say)
        self.where = where


def broken(error: BaseException, game: type[Game] | None = None, fallback: Where | None = None, at: str = "") -> Broken:
    """Return an error as a broken rule: its place in the user's file, what is wrong, what to write instead.

    Parameters
    ----------
    error
        Raised by rules or by an engine.
    game
        The game, to find the declaration of a field whose range is exceeded.
    fallback
        The place to name if no line of the rules raised the error, as for a missing ``return``.
    at
        The setting, such as ``at players = 12``.
    """
    if isinstance(error, Broken):
        where = error.where or fallback
        return Broken(f"{at}: {error}" if at else str(error), where)
    said = str(error) if isinstance(error, DicelabError) else f"{type(error).__name__}: {error}".rstrip(": ")
    where = where_written(said)
    if where is not None:
        return Broken(f"{said} ({at})" if at else said, where)
    declared = declared_in(game, said)
    where = (None if isinstance(error, EndlessGameError) else where_raised(error)) or fallback or declared
    begin = (f"{where}: " if where is not None else "") + (f"{at}: " if at else "")
    what, semicolon, state = said.partition("; state ")
    return Broken(f"{begin}{explained(what, game)}{semicolon}{state}", where)


WIDTH, MARGIN = 80, 16
Row = Mapping[str, Any]
"""A finding as plain data."""


def covered(findings: Sequence[Row]) -> dict[str, Any]:
    """Return the numbers of what all steps of one game checked, by name."""
    return {name: value for row in findings for name, value in row.get("covered", {}).items()}


def verdict_of(findings: Sequence[Row], interrupted: bool) -> str:
    """``lawful``, ``broken`` or ``not finished``; the last also if the check was interrupted."""
    verdicts = {row["verdict"] for row in findings}
    if BROKEN in verdicts:
        return BROKEN
    return UNFINISHED if interrupted or UNFINISHED in verdicts else "lawful"


def summary(numbers: Mapping[str, Any]) -> str:
    """Return what was checked, in one line; empty if nothing was.

    >>> summary({"states": {"states": 5745, "all": True}, "engines": ["reference", "compiled"], "compared": 400})
    'all 5,745 states at the defaults; 400 games on 2 engines'
    """
    parts = []
    if "states" in numbers:
        states = numbers["states"]
        parts.append(f"{'all ' if states['all'] else ''}{_many(states['states'], 'state')} at the defaults")
    if "at_settings" in numbers:
        parts.append(_many(numbers["at_settings"]["settings"], "more setting"))
    if "engines" in numbers:
        parts.append(f"{_many(numbers['compared'], 'game')} on {_many(len(numbers['engines']), 'engine')}")
    if "lineups" in numbers:
        parts.append(_many(numbers["lineups"]["all"], "line-up"))
    if "exact" in numbers:
        parts.append(_many(numbers["exact"]["lineups"], "exact answer"))
    if "policies" in numbers:
        parts.append("1 policy")
    return "; ".join(parts)


def _many(count: int, thing: str) -> str:
    """Return a count with its noun, in the plural if needed."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def text_of(
    file: str, findings: Sequence[Row], interrupted: bool = False, verbose: bool = False, width: int = WIDTH
) -> str:
    """Return the whole report.

    Parameters
    ----------
    file
        The file that was checked.
    findings
        Findings as plain data, in order.
    interrupted
        Whether the check was stopped from the keyboard.
    verbose
        Whether to say which engines don't accept a game, and why.
    """
    games = list(dict.fromkeys(row["game"] for row in findings))
    blocks = [
        "\n".join(_block(file, name, [row for row in findings if row["game"] == name], interrupted, verbose, width))
        for name in games
    ]
    if interrupted:
        blocks.append("interrupted: nothing else was checked" if blocks else "interrupted: nothing was checked")
    return "\n\n".join(blocks)


def _block(
    file: str, name: str, findings: Sequence[Row], interrupted: bool, verbose: bool, width: int
) -> Iterator[str]:
    """Yield the report of one game."""
    verdict = verdict_of(findings, interrupted)
    yield f"{verdict}  {name if name != file else ''}{'  ' if name != file else ''}{file}"
    yield ""
    for row in findings:
        label = row["step"] if row["verdict"] == OK else row["verdict"]
        say = row["say"] if row["verdict"] == OK else f"{row['step']}: {row['say']}"
        yield _wrapped(f"  {label}".ljust(MARGIN), say, width)
        yield from (f"    {line}" for line in row.get("covered", {}).get("sample", []))
        for engine, why in row.get("covered", {}).get("refused", {}).items() if verbose else ():
            yield _wrapped(" " * MARGIN, f"not on the {engine} engine: {why}", width)
    if verdict != BROKEN:
        yield ""
        yield _wrapped("", f"{verdict}: {summary(covered(findings)) or 'no states were tried'}", width, "")


def _wrapped(begin: str, say: str, width: int, margin: str = " " * MARGIN) -> str:
    """Return wrapped text; words, and so paths, are never split."""
    return textwrap.fill(
        say, width, initial_indent=begin, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )


# Source ---------------------------------------------------------------------------------------------------------------
#
# What the source alone says of ranges and parameters: stores that may leave a range, parameters without a use.

MOST = 4
"""Limit of the stores that are named."""
UNBOUNDED = 2**31
"""A bound from here on is called any amount: numbers of lists, for one, are only known to have 32 bits."""


class UnprovedStore(NamedTuple):
    """A store that interval analysis can't show to stay in the range of its field.

    Attributes
    ----------
    place
        File, line and method.
    name, up, bound
        The field; whether it may rise above its range, or fall below it; how far, from values inside.
    """

    place: str
    name: str
    up: bool
    bound: int


def straying(game: type[Game]) -> list[UnprovedStore]:
    """Return such stores, at most two for a field: one for each end of its range."""
    noted: dict[tuple[str, bool], UnprovedStore] = {}
    for effect, place in unproved(game).items():
        store = UnprovedStore(place, effect.name, effect.kind == RISES, int(effect.part))
        old = noted.get((store.name, store.up))
        if old is None or (store.bound > old.bound if store.up else store.bound < old.bound):
            noted[store.name, store.up] = store
    state = game.declared.state
    return [
        s for s in noted.values() if not isinstance(state[s.name], Seat) and (state[s.name].high != LARGEST or not s.up)
    ]


def lines_that_may_leave(game: Game, stores: list[UnprovedStore]) -> Iterator[str]:
    """Yield a sentence about these stores if there are any: where they are, what isn't shown, and what to write."""
    said = []
    for store in stores:
        field = game.declared.state[store.name]
        low, high = (str(end) if isinstance(end, Expr) else f"{end:,}" for end in (field.low, field.high))
        some = " with some parameters" if isinstance(field.high if store.up else field.low, Expr) else ""
        far = f"{'up' if store.up else 'down'} to {store.bound:,}{some}"
        if abs(store.bound) >= UNBOUNDED:
            far = "by any amount"
        said.append(f"{store.name} in {store.place} ({far}; declared {low} to {high})")
    if said:
        more = f" and {len(said) - MOST} more" if len(said) > MOST else ""
        yield (
            "no state that was tried leaves a range, but not all were tried, and these lines may leave one, as far as "
            f"their own terms tell: {'; '.join(said[:MOST])}{more}: declare the extreme values that the rules allow; "
            "if these are declared, min(...) or max(...) around the value shows it"
        )


def unused(game: type[Game]) -> list[str]:
    """Return the parameters whose names are nowhere in the files of the game but where they are declared."""
    used: set[str] = set()
    for base in game.__mro__[: game.__mro__.index(Game)]:
        text = file_of_class(base)
        if text is None:
            return []
        for node in ast.walk(text.tree):
            match node:
                case ast.Attribute():
                    used.add(node.attr)
                case ast.Name(ctx=ast.Load()):
                    used.add(node.id)
                case ast.keyword(arg=str()):
                    used.add(str(node.arg))
                case ast.Constant(value=str()):
                    used.update(str(node.value).replace("{", " ").replace("}", " ").split())
    return [name for name in game.declared.params if name not in used]
