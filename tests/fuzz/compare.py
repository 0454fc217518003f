"""Compares everything that dicelab says of a lawful game."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import dicelab
from dicelab.errors import DicelabError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.lineup import Run
from fuzz.answers import compare_exact
from fuzz.best_play import compare_solve
from fuzz.case import Case, Mismatch, plain_game, write
from fuzz.chances import Table
from fuzz.engines import GAMES, compare_engines, compare_enumerations, is_large
from fuzz.games import GameText
from fuzz.guard import guarded, must_be_near, what_is_wrong
from fuzz.learners import compare_learners


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
        if isinstance(run, Exception) and "a number of more than 64 bits" in str(run) and is_large(case):
            done["constants too large"] += 1
            return done
        if isinstance(run, Exception):
            raise Mismatch("a lawful game is accepted", str(run))
        wrong = what_is_wrong(Table(plain, case.seated(lineup)))
        compare_engines(case, run, done)
        compare_enumerations(case, run, done)
        compare_exact(case, run, lineup, wrong, done)
    compare_others(case, done)
    if case.strategies:
        compare_solve(case, folder, done)
        compare_learners(case, done)
    return done


def compare_others(case: Case, done: Counter[str]) -> None:
    """Questions that are answered, or refused in a sentence: simulate by itself, edges, sessions, one tally alone."""
    lineup = case.lineups[0]
    reference = guarded(
        "simulate", lambda: dicelab.simulate(case.game, lineup, games=GAMES, seed=1, engine="reference")
    )
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
                must_be_near("exact of one tally", None, alone.tallies[name].mean, truth, errors)
    if "money" in names:
        done["money"] += 1
        guarded("edges", lambda: dicelab.edges(case.game, lineup))
    if getattr(case.game, "ruin", ""):
        done["sessions"] += 1
        with suppress(DicelabError):
            guarded("session", lambda: dicelab.session(case.game, lineup, games=50, seed=1))
