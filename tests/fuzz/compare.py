"""Compares everything that dicelab says of a lawful game: engines, enumerations, exact answers, best play."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import dicelab
from dicelab.chains.enumerate import graph_of
from dicelab.engines.choice import ENGINES, forced
from dicelab.engines.plan import Run
from dicelab.engines.reference import Reference, finished, steps
from dicelab.engines.rewrite import NotTranslatable
from dicelab.engines.stream import Stream
from dicelab.errors import DicelabError, ParameterError, PlayError
from dicelab.rules.game import counted
from dicelab.rules.registry import find_in_file
from fuzz.case import Case, Mismatch, plain_game, write
from fuzz.chances import MOST_STATES, Table, TooMuch, best, ends, expected, graph
from fuzz.games import GameText
from fuzz.plain import OVER, Wrong

GAMES, REPLAYED = 20, 4
NEAR = 1e-9
STRANGE = "report", "Traceback", "Error:"
"""Words of messages that are none for people: what is wrong was not foreseen."""
TOO_LARGE = "too many digits for floating point", "the most that is counted", "does not fit in 64 bits"
"""What is said of tallies with 19 digits where an answer would be wrong."""


def guarded(check: str, work: Callable[[], Any]) -> Any:
    """What `work` returns, or the error that dicelab raises on purpose; any other is a mismatch."""
    try:
        return work()
    except (Mismatch, TooMuch):
        raise
    except DicelabError as error:
        if any(word in str(error) for word in STRANGE[:2]):
            raise Mismatch(check, str(error)) from error
        return error
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
        raise Mismatch(f"{check}, traceback {type(error).__name__}", said) from error


def examine(text: GameText, folder: Path, seed: int, compiled: bool = False) -> Counter[str]:
    """Compare all that is said of a lawful game; what was done, by its name and how often.

    Raises
    ------
    Mismatch
    TooMuch
        When the game is too large for that.
    """
    file = write(text, folder)
    plain = plain_game(text)()
    game = guarded("a lawful game is loaded", lambda: find_in_file(file))
    if isinstance(game, Exception):
        raise Mismatch("a lawful game is loaded", str(game))
    case, done = Case(file, game, plain, seed, compiled), Counter[str]()
    for lineup in case.lineups:
        run = guarded("a lawful game is accepted", lambda lineup=lineup: Run.of(game, lineup))
        if isinstance(run, Exception):
            raise Mismatch("a lawful game is accepted", str(run))
        wrong = _wrong(Table(plain, case.seated(lineup)))
        compare_engines(case, run, done)
        compare_enumerations(case, run, done)
        compare_exact(case, run, lineup, wrong, done)
    if case.strategies:
        compare_solve(case, folder, done)
    compare_others(case, done)
    return done


def is_large(case: Case) -> bool:
    """Whether numbers of a game may outgrow 64 bits on the way, so that only plain Python can go on."""
    return "% 70" in case.file.read_text()


def too_large(found: object) -> bool:
    """Whether amounts were refused because they have too many digits for the question."""
    return isinstance(found, DicelabError) and any(words in str(found) for words in TOO_LARGE)


def _wrong(table: Table) -> Exception | None:
    """What breaks the contract at some state that can be reached, if anything does."""
    try:
        graph(table)
    except TooMuch:
        raise
    except Exception as error:
        return error
    return None


# engines --------------------------------------------------------------------------------------------------------------


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
        what, kind, number = case.plain.next()
        if kind.name != event.name:
            raise Mismatch("replay", f"{kind.name} instead of {event.name}")
        if what == "throw":
            kind.rule(case.plain, *event.values)
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
        outgrown = "by compiled code, but can be in plain Python" in str(fast) and is_large(case)
        if str(slow) != str(fast) and not outgrown:
            raise Mismatch("enumerations agree", f"{fast} instead of {slow}")
        return
    for part in ("keys", "row", "target", "weight", "total", "change", "changes", "mover"):
        if not np.array_equal(getattr(slow, part), getattr(fast, part)):
            raise Mismatch("enumerations agree", f"{part}: {getattr(fast, part)} instead of {getattr(slow, part)}")


# exact answers --------------------------------------------------------------------------------------------------------


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
            _near(f"exact, {how}, outcomes", chance.fraction, chance.probability, chances[at], chance.error)
        for name, tally in found.tallies.items():
            if name in means:
                _near(f"exact, {how}, mean", tally.fraction, tally.mean, means[name], tally.error)
            if whole is not None:
                _same_distribution(f"exact, {how}, distribution", tally, _values(table, whole, name))


def _summed(table: Table, whole: dict[Any, Fraction]) -> tuple[list[Fraction], dict[str, Fraction]]:
    """Chances of the outcomes, and means of the tallies, from everything that may happen."""
    chances = [sum((p for (end, _), p in whole.items() if end == at), Fraction(0)) for at in range(max(1, table.outcomes))]
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
        expected(states, lambda end, counted, at=at: Fraction(end == at))[first[0]] for at in range(max(1, table.outcomes))
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


def _near(check: str, fraction: Fraction | None, number: float, truth: Fraction, error: float) -> None:
    if fraction is not None and fraction != truth:
        raise Mismatch(check, f"{fraction} instead of {truth}")
    if not abs(number - float(truth)) <= error + NEAR * max(1.0, abs(float(truth))):
        raise Mismatch(check, f"{number} instead of {float(truth)}, error {error}")


def _same_distribution(check: str, tally: Any, truth: dict[int, Fraction]) -> None:
    if tally.spread is None:
        return
    found = {value: chance for value, chance in tally.probabilities.items() if chance > 0}
    for value in {*found, *truth}:
        if abs(found.get(value, 0.0) - float(truth.get(value, 0))) > tally.spread.error + NEAR:
            raise Mismatch(check, f"{value}: {found.get(value)} instead of {float(truth.get(value, 0))}")


# best play ------------------------------------------------------------------------------------------------------------


def compare_solve(case: Case, folder: Path, done: Counter[str]) -> None:
    """`solve` comes to what value iteration comes to; the policy, saved and loaded, is worth that exactly."""
    against = case.strategies[1]
    others = [against] * (case.seats - 1)
    for objective in _objectives(case):
        _compare_best(case, objective, others, [0], folder, done)
    if case.seats == 2 and case.game.outcomes is None:
        _compare_best(case, "win", [], [0, 1], folder, done)


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
    solved = guarded("solve", lambda: dicelab.solve(case.game, others, objective=objective))
    table = Table(case.plain, [None] * case.seats if len(free) > 1 else [None, *others])
    done["solve"] += 1
    wrong = _wrong(table)
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
    _near(f"solve {objective.partition(':')[0]}", None, solved.value, Fraction(value), solved.error)
    if solved.policy is not None:
        _round_trip(case, objective, others, solved, folder, done)


def _round_trip(
    case: Case, objective: str, others: list[str], solved: Any, folder: Path, done: Counter[str]
) -> None:
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
    _near("exact of a policy", None, value, Fraction(solved.value), solved.error + answer.error)


# the other questions --------------------------------------------------------------------------------------------------


def compare_others(case: Case, done: Counter[str]) -> None:
    """Questions that are answered, or refused in a sentence: simulate by itself, edges, sessions, one tally alone."""
    lineup = case.lineups[0]
    reference = guarded("simulate", lambda: dicelab.simulate(case.game, lineup, games=GAMES, seed=1, engine="reference"))
    found = guarded("simulate", lambda: dicelab.simulate(case.game, lineup, games=GAMES, seed=1))
    if isinstance(found, Exception) or isinstance(reference, Exception):
        if str(found) != str(reference):
            raise Mismatch("simulate", f"{found} instead of {reference}")
        return
    names = list(case.game.declared.tallies)
    for name in names:
        if found.tallies[name].histogram != reference.tallies[name].histogram:
            raise Mismatch("simulate", f"{name}: {found.tallies[name]} instead of {reference.tallies[name]}")
        alone = guarded("exact of one tally", lambda name=name: dicelab.exact(case.game, lineup, tallies=name))
        whole = guarded("exact", lambda: dicelab.exact(case.game, lineup))
        if not isinstance(alone, Exception) and not isinstance(whole, Exception):
            truth = Fraction(whole.tallies[name].mean) if whole.tallies[name].mean == whole.tallies[name].mean else None
            if truth is not None:
                errors = whole.tallies[name].error + alone.tallies[name].error
                _near("exact of one tally", None, alone.tallies[name].mean, truth, errors)
    if "money" in names:
        done["money"] += 1
        guarded("edges", lambda: dicelab.edges(case.game, lineup))
    if case.game.ruin:
        done["sessions"] += 1
        with suppress(DicelabError):
            guarded("session", lambda: dicelab.session(case.game, lineup, games=50, seed=1))
