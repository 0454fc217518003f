"""The step `policy`: an optimal policy, saved and loaded, has the value that was solved, and plays alike on engines.

By itself because it is the only step that saves, loads and plays a policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

from dicelab.conformance.agree import OUR_FAULT
from dicelab.conformance.exactly import small_enough
from dicelab.conformance.exploration.settings import Setting
from dicelab.conformance.findings import NOTE, OK, Broken, Found, Said
from dicelab.conformance.seating import LIMIT
from dicelab.errors import ParameterError, PlayError
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.solution import Solution
from dicelab.questions.policies.solve import solve
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, outcome_names, seat_count
from dicelab.rules.objectives import wanted
from dicelab.rules.private import private_fields
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.solver.answer import Answer
from dicelab.solver.exact_answer import answer
from dicelab.translation.translator import NotTranslatable

GAMES = 100
"""Games of the policy on the reference and on the compiled engine."""
ROUNDED = 1e-9
"""Relative difference of values allowed for rounding where no error bound is known."""


def policy(game: type[Game], settings: Sequence[Setting]) -> Found:
    """Check the optimal policy of a game with choices, at its defaults or at a setting with few states."""
    if not game.declared.decisions:
        return
    if private_fields(game):
        yield Said(NOTE, "no policy was checked: the game has hidden information, so there is no optimal one")
        return
    sample, at, why = small_enough(game(), settings, free=True)
    if why:
        yield Said(NOTE, f"no policy was checked: {why}")
        return
    best = _solved(sample)
    if isinstance(best, str):
        yield Said(NOTE, f"no optimal policy: {best}")
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.npz"
        assert best.policy is not None
        best.policy.save(path)
        played = _must_keep_its_promise(sample, best, f"policy:{path}")
    begin = f"{at}, " if at else ""
    say = f"{begin}1 policy of {best.choices:,} choices is worth {best.value:.6g} once solved, saved and loaded"
    yield Said(OK, f"{say}{played}", {"policies": 1, "choices": best.choices, "objective": best.objective, "at": at})


def _solved(sample: Game) -> Solution | str:
    """Return the optimal policy for the first objective that has one, or why there is none."""
    why = "there is no objective: the game has no outcomes and no tallies"
    if seat_count(sample) > 1:
        why = "there is no objective of several seats: the game says neither who wins nor what each seat gets (payoffs)"
    for objective in _objectives(sample):
        try:
            best = solve(sample, objective=objective)
        except PlayError as error:  # gains are unlimited
            why = str(error)
            continue
        if best.policy is not None:
            return best
    return why


def _objectives(sample: Game) -> list[str | None]:
    """Possible objectives: to win; otherwise, for one seat, the first outcome, and the most or fewest of each tally."""
    try:
        Objective.of(sample, None)
    except ParameterError:
        if seat_count(sample) > 1:
            return []
        tallies = [name for name, tally in sample.declared.tallies.items() if not isinstance(tally, Peak)]
        return [*outcome_names(sample)[:1], *(f"{much}:{name}" for name in tallies for much in ("most", "fewest"))]
    return [None]


def _must_keep_its_promise(sample: Game, best: Solution, words: str) -> str:
    """Compare the value of a loaded policy with the solved one, and its games on two engines; return a message."""
    run = Run.of(sample, words)
    found = answer(run, fractions=False)
    for what, promised, value, error in _values(sample, best, found):
        allowed = error + (best.error if isfinite(best.error) else 0.0) + ROUNDED * max(1.0, abs(promised))
        if not best.chasing and abs(promised - value) > allowed:
            raise Broken(f"{what} is {promised} for the policy when solved, but {value} when loaded; {OUR_FAULT}")
    expected = Reference(sample, run.calls, LIMIT).play(0, 0, GAMES)
    try:
        from dicelab.engines.compiled import Compiled

        engine = Compiled(sample, run.calls, LIMIT)
    except NotTranslatable:
        return ""
    if engine.play(0, 0, GAMES) != expected:
        raise Broken(f"the compiled engine and the reference engine play the policy differently; {OUR_FAULT}")
    return f", on 2 engines in {GAMES} games"


def _values(sample: Game, best: Solution, found: Answer) -> list[tuple[str, float, float, float]]:
    """Name, solved value, exact value of the loaded policy and its error bound, for each seat or for the objective."""
    names = outcome_names(sample)
    if best.outcomes:
        return [
            (f"seat {name}", chance.probability, found.chances[names.index(name)], found.error)
            for name, chance in best.outcomes.items()
        ]
    if best.objective in names:
        return [(best.objective, best.value, found.chances[names.index(best.objective)], found.error)]
    if wanted(best.objective).counts:
        tally = list(sample.declared.tallies).index(wanted(best.objective).name)
        return [(best.objective, best.value, found.tallies[tally].mean, found.tallies[tally].error)]
    return [("seat 0", best.value, found.chances[0], found.error)]
