"""Compares what `exact` says with what trying everything comes to."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import dicelab
from dicelab.errors import DicelabError, PlayError
from dicelab.runtime.lineup import Run
from fuzz.case import Case, Mismatch
from fuzz.chances import MOST_STATES, Table, TooMuch, ends, expected, graph
from fuzz.guard import NEAR, guarded, must_be_near
from fuzz.plain import Wrong


def compare_exact(case: Case, run: Run, lineup: tuple[str, ...], wrong: Exception | None, done: Counter[str]) -> None:
    """`exact`, in fractions and in floating point, says what trying everything comes to."""
    answers = [
        guarded("exact", lambda how=how: dicelab.exact(run.game, lineup, fractions=how, threads=1))
        for how in (True, False)
    ]
    done["exact"] += 1
    if wrong is not None:
        for found in answers:
            if not isinstance(found, PlayError):
                raise Mismatch("exact reports what is wrong at a state", f"{found!r} instead of {wrong!r}")
        return
    table = Table(case.plain, case.seated(lineup))
    try:
        whole = ends(table)
    except Wrong as error:  # a tally that grows beyond its limit, which no state knows
        if not all(isinstance(found, DicelabError) for found in answers):
            raise Mismatch("exact reports a tally beyond its limit", f"{answers} instead of {error!r}") from error
        return
    chances, means = _summed(table, whole) if whole is not None else _solved(table)
    for found, how in zip(answers, ("fractions", "floats"), strict=True):
        if isinstance(found, Exception):
            raise Mismatch(f"exact answers, {how}", str(found))
        for at, name in enumerate(found.outcomes):
            chance = found.outcomes[name]
            must_be_near(f"exact, {how}, outcomes", chance.fraction, chance.probability, chances[at], chance.error)
        for name, tally in found.tallies.items():
            if name in means:
                must_be_near(f"exact, {how}, mean", tally.fraction, tally.mean, means[name], tally.error)
            if whole is not None:
                _same_distribution(f"exact, {how}, distribution", tally, _values(table, whole, name))


def _summed(table: Table, whole: dict[Any, Fraction]) -> tuple[list[Fraction], dict[str, Fraction]]:
    """Chances of the outcomes, and means of the tallies, from everything that may happen."""
    chances = [
        sum((p for (end, _), p in whole.items() if end == at), Fraction(0)) for at in range(max(1, table.outcomes))
    ]
    means = {
        name: sum((p * tallies[k] for (_, tallies), p in whole.items()), Fraction(0))
        for k, name in enumerate(table.tallies)
    }
    return chances, means


def _solved(table: Table) -> tuple[list[Fraction], dict[str, Fraction]]:
    """The same by elimination, without the largest values."""
    first, states = graph(table)
    if len(states) > MOST_STATES // 10:
        raise TooMuch
    chances = [
        expected(states, lambda end, counted, at=at: Fraction(end == at))[first[0]]
        for at in range(max(1, table.outcomes))
    ]
    means = {
        name: expected(states, lambda end, counted, k=k: Fraction(counted[k]))[first[0]] + first[1][k]
        for k, (name, peak) in enumerate(zip(table.tallies, table.peaks, strict=True))
        if not peak
    }
    return chances, means


def _values(table: Table, whole: dict[Any, Fraction], name: str) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    at = table.tallies.index(name)
    for (_, tallies), chance in whole.items():
        found[tallies[at]] = found.get(tallies[at], Fraction(0)) + chance
    return found


def _same_distribution(check: str, tally: Any, truth: dict[int, Fraction]) -> None:
    if tally.spread is None:
        return
    found = {value: chance for value, chance in tally.probabilities.items() if chance > 0}
    for value in {*found, *truth}:
        if abs(found.get(value, 0.0) - float(truth.get(value, 0))) > tally.spread.error + NEAR:
            raise Mismatch(check, f"{value}: {found.get(value)} instead of {float(truth.get(value, 0))}")
