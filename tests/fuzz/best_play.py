"""Compares `solve` with value iteration, and with what its policy comes to once it was saved and loaded."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import dicelab
from dicelab.errors import PlayError
from fuzz.case import Case, Mismatch
from fuzz.chances import Table, best, graph
from fuzz.guard import guarded, must_be_near, too_large, what_is_wrong
from fuzz.plain import number


def compare_solve(case: Case, folder: Path, done: Counter[str]) -> None:
    """`solve` comes to what value iteration comes to; the policy, saved and loaded, is worth that exactly."""
    if any(field.private for field in case.game.declared.state.values()):
        found = guarded("solve", lambda: dicelab.solve(case.game, objective=(case.game.outcomes or ["win"])[0]))
        if "hidden information" not in str(found):
            raise Mismatch("solve refuses hidden information", str(found))
        done["private"] += 1
        return
    if case.game.payoffs is not None:
        _compare_payoffs(case, done)
    against = case.strategies[1]
    others = [against] * (case.seats - 1)
    for objective in _objectives(case):
        _compare_best(case, objective, others, [0], folder, done)
    if case.seats == 2 and case.game.outcomes is None:
        _compare_best(case, "win", [], [0, 1], folder, done)


def _compare_payoffs(case: Case, done: Counter[str]) -> None:
    """Two seats that play for payoffs: the value of seat 0, where their interests are opposed."""
    table = Table(case.plain, [None, None])
    if what_is_wrong(table) is not None:
        return
    found = guarded("solve payoff", lambda: dicelab.solve(case.game))
    if isinstance(found, Exception):
        raise Mismatch("solve payoff", str(found))
    done["payoffs"] += 1
    if not found.opposed:
        return
    first, states = graph(table)
    prize = [number(case.plain.payoffs[name][0], case.plain) for name in case.game.outcomes]
    value = best(states, lambda end, counted: 0 if end is None else prize[end], [1, -1])[first[0]]
    must_be_near("solve payoff", None, found.value, Fraction(value), found.error)


def _objectives(case: Case) -> list[str]:
    """What one seat may want: an outcome, much and little of what is counted."""
    tallies = [name for name, peak in zip(*_tallies(case), strict=True) if not peak]
    first = "win" if case.game.outcomes is None and case.seats > 1 else (case.game.outcomes or [""])[0]
    wanted = [first, f"most:{tallies[-1]}", f"fewest:{tallies[0]}"] if tallies else [first]
    return [one for one in wanted if one]


def _tallies(case: Case) -> tuple[list[str], list[bool]]:
    table = Table(case.plain, [None] * case.seats)
    return table.tallies, table.peaks


def _compare_best(
    case: Case, objective: str, others: list[str], free: list[int], folder: Path, done: Counter[str]
) -> None:
    table = Table(case.plain, [None] * case.seats if len(free) > 1 else [None, *others])
    done["solve"] += 1
    wrong = what_is_wrong(table)
    solved = guarded("solve", lambda: dicelab.solve(case.game, others, objective=objective))
    if wrong is not None or isinstance(solved, Exception):
        if too_large(solved):
            return
        if wrong is None or not isinstance(solved, PlayError):
            raise Mismatch("solve reports what is wrong at a state", f"{solved!r} instead of {wrong!r}")
        return
    first, states = graph(table)
    if "most" in objective or "fewest" in objective:
        k = table.tallies.index(objective.partition(":")[2])
        sign = 1 if objective.startswith("most") else -1
        value = best(states, lambda end, counted: counted[k], [sign] * case.seats)[first[0]] + first[1][k]
    else:
        at = 0 if objective == "win" else list(case.game.outcomes).index(objective)
        value = best(states, lambda end, counted: end == at, [1] + [-1] * (case.seats - 1))[first[0]]
    must_be_near(f"solve {objective.partition(':')[0]}", None, solved.value, Fraction(value), solved.error)
    if solved.policy is not None:
        _round_trip(case, objective, others, solved, folder, done)


def _round_trip(case: Case, objective: str, others: list[str], solved: Any, folder: Path, done: Counter[str]) -> None:
    solved.policy.save(folder / "best.npz")
    lineup = [f"policy:{folder / 'best.npz'}", *others]
    found = guarded("exact of a policy", lambda: dicelab.exact(case.game, lineup, threads=1))
    done["policies"] += 1
    if too_large(found):
        return
    if isinstance(found, Exception):
        raise Mismatch("exact of a policy", str(found))
    _, _, tally = objective.partition(":")
    answer = found.tallies[tally] if tally else found.outcomes["0" if objective == "win" else objective]
    value = answer.mean if tally else answer.probability
    must_be_near("exact of a policy", None, value, Fraction(solved.value), solved.error + answer.error)
