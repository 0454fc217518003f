"""Compares all engines, and both enumerations: the same games, the same graphs, or the same errors."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from dicelab.engines.player import ENGINES, forced
from dicelab.errors import ParameterError
from dicelab.rules.game import counted
from dicelab.runtime.interpreter import Reference, finished, steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream
from dicelab.solver.enumeration.graph import graph_of
from dicelab.translation.translator import NotTranslatable
from fuzz.case import Case, Mismatch
from fuzz.chances import Table
from fuzz.guard import guarded
from fuzz.plain import OVER, apply

GAMES, REPLAYED = 20, 4
"""Games that each engine plays, and those of them that are replayed."""


def compare_engines(case: Case, run: Run, done: Counter[str]) -> None:
    """All engines play the same games, or report the same of them; the first of them are replayed plainly."""
    reference = guarded("reference", lambda: Reference(run.game, run.calls, keep=True).play(case.seed, 0, GAMES))
    if not isinstance(reference, Exception):
        for index in range(REPLAYED):
            replay(case, run, index)
    records = [list(map(int, row)) for chunk in getattr(reference, "records", []) for row in chunk]
    for engine in ENGINES[1:-1]:
        keep = engine == "compiled"
        made = guarded(engine, lambda engine=engine, keep=keep: forced(run, engine, keep=keep))
        if isinstance(made, Exception):
            if not isinstance(made, ParameterError | NotTranslatable):
                raise Mismatch(f"{engine}: refusal", repr(made))
            continue
        found = guarded(engine, lambda made=made: made.play(case.seed, 0, GAMES))
        done[engine] += 1
        if isinstance(found, Exception) or isinstance(reference, Exception):
            same = str(found) == str(reference) and type(found) is type(reference)
        else:
            same = (found.counts, found.histograms) == (reference.counts, reference.histograms)
            same = same and (not keep or [list(map(int, r)) for chunk in found.records for r in chunk] == records)
        if not same:
            raise Mismatch(f"{engine} plays as reference", f"{found} instead of {reference}")


def replay(case: Case, run: Run, index: int) -> None:
    """A game of the reference engine once more, by its dice and moves, with rules that know nothing of dicelab."""
    game, stream = run.game, Stream(case.seed, index)
    table = Table(case.plain, [call.strategy.name for call in run.calls] or [None] * case.seats)
    state, tallies = table.start()
    for event in steps(game, [call.chooser(game) for call in run.calls], stream):
        table.put(state, tallies)
        what, kind, _ = case.plain.next()
        if kind.name != event.name:
            raise Mismatch("replay", f"{kind.name} instead of {event.name}")
        if what == "throw":
            apply(kind.rule, case.plain, *event.values)
            state, tallies = table.state(), table.counted()
        else:
            _, [(_, state, tallies)] = table.branches(state, tallies)
    table.put(state, tallies)
    if case.plain.next() != OVER:
        raise Mismatch("replay", "not over")
    played = finished(game)
    _, [(_, outcome, tallies)] = table.branches(state, tallies)
    if (outcome, tallies) != (played.outcome, tuple(counted(game).values())):
        raise Mismatch("replay", f"{played} instead of {outcome}, {tallies}")


def compare_enumerations(case: Case, run: Run, done: Counter[str]) -> None:
    """Both enumerations find the same graph, number by number, or report the same."""
    slow, fast = (
        guarded(f"enumeration, {engine}", lambda engine=engine: graph_of(run, engine=engine))
        for engine in ("reference", "compiled")
    )
    if isinstance(fast, NotTranslatable):
        return
    done["enumerations"] += 1
    if isinstance(slow, Exception) or isinstance(fast, Exception):
        outgrown = "compiled code can't expand state" in str(fast) and (is_large(case) or may_stray(case))
        if str(slow) != str(fast) and not outgrown:
            raise Mismatch("enumerations agree", f"{fast} instead of {slow}")
        return
    for part in ("keys", "row", "target", "weight", "total", "change", "changes", "mover"):
        if not np.array_equal(getattr(slow, part), getattr(fast, part)):
            raise Mismatch("enumerations agree", f"{part}: {getattr(fast, part)} instead of {getattr(slow, part)}")


def may_stray(case: Case) -> bool:
    """Whether a rule may store a value outside the range of its field, and then one inside: see `Writer.within`."""
    stray = r"\w+\.\w+(\[.*\])? = ((self|game)\.\w+( [+-] 1)?|\w+ - 1|9)$"
    return re.search(stray, case.file.read_text(), re.MULTILINE) is not None


def is_large(case: Case) -> bool:
    """Whether numbers of a game may outgrow 64 bits on the way, so that only plain Python can go on."""
    text = case.file.read_text()
    return ("STAKE" in text and "STAKE = 3" not in text) or "<<" in text
