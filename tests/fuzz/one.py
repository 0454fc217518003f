"""Examines one random game, and unlawful mutations of it; shrinks what fails."""

from __future__ import annotations

import random
import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from fuzz.case import Mismatch
from fuzz.chances import TooMuch
from fuzz.compare import examine
from fuzz.games import GameText, made
from fuzz.hidden import compare_general, compare_hidden
from fuzz.mutations import COMMANDS, MUTATIONS, must_be_refused, mutated
from fuzz.shrink import shrunk

SEEDS = 1_000_000
"""Games of one seed of a run."""
PATIENCE, PATIENCE_COMPILED = 60, 600
"""Seconds of processor time that one game may take."""
MUTATED, COMMANDED = 3, 2
"""Mutations of each game, and commands that must refuse each."""

HIDDEN = 3
"""Of so many games, one is followed by a small game with hidden information."""


class TooLong(BaseException):
    """A game takes longer than any should; no rule or engine catches this."""


@dataclass
class Found:
    """What came of one game.

    Attributes
    ----------
    index
        Its number in the run.
    check, said
        The check that failed, and what it found; empty where all is well.
    text
        The smallest file that was found to fail so.
    done
        What was compared, and how often.
    """

    index: int
    check: str = ""
    said: str = ""
    text: GameText = field(default_factory=lambda: GameText(""))
    done: Counter[str] = field(default_factory=Counter)


def one(seed: int, index: int, folder: Path, compiled: bool = False, shrinking: float = 60.0) -> Found:
    """Examine game `index` of a seed; where something fails, the smallest file for it is sought."""
    game, number = made(seed * SEEDS + index), seed * SEEDS + index
    failure, done = _failure(game, folder, number, compiled, "")
    if failure is None:
        return Found(index, done=done)
    mutation = _mutation_of(failure)
    if shrinking:
        kind = _kind(failure)

        def fails(candidate: GameText) -> bool:
            again, _ = _failure(candidate, folder, number, compiled, mutation)
            return again is not None and _kind(again) == kind

        game = shrunk(game, fails, shrinking)
        last, _ = _failure(game, folder, number, compiled, mutation)
        failure = last or failure
    unlawful = mutated(game, mutation) if mutation else None
    return Found(index, failure.check, str(failure), unlawful or game, done)


def _failure(
    game: GameText, folder: Path, number: int, compiled: bool, mutation: str
) -> tuple[Mismatch | None, Counter[str]]:
    """What fails with a game, or with one mutation of it."""
    done = Counter[str]()
    try:
        with _patience(PATIENCE_COMPILED if compiled else PATIENCE):
            if not mutation:
                done += examine(game, folder, number, compiled)
                if number % HIDDEN == 0:
                    compare_hidden(number, folder, done)
                    compare_general(number, folder, done)
            for name, commands in _mutations(number, mutation):
                done["refused"] += must_be_refused(game, name, folder, commands)
    except Mismatch as error:
        return error, done
    except TooMuch:
        done["too large"] += 1
    except TooLong:
        return Mismatch("takes too long", f"more than {PATIENCE} seconds"), done
    except Exception as error:
        return Mismatch(f"the plain model, {type(error).__name__}", str(error)), done
    return None, done


def _mutations(number: int, only: str) -> Iterator[tuple[str, list[str]]]:
    """Some mutations for a game, with the commands that must refuse each."""
    source = random.Random(number)
    for name in [only] if only else source.sample(list(MUTATIONS), MUTATED):
        yield name, list(COMMANDS) if only else source.sample(list(COMMANDS), COMMANDED)


def _mutation_of(failure: Mismatch) -> str:
    """The mutation that was not refused as it should be, if it was one."""
    return next((name for name in MUTATIONS if failure.check.startswith(f"{name} is refused")), "")


def _kind(failure: Mismatch) -> str:
    """What must stay the same while a file is made smaller; of a refusal, its words too."""
    if "a lawful game" not in failure.check:
        return failure.check
    return failure.check + re.sub(r".*line \d+|\d+", "", str(failure))


@contextmanager
def _patience(seconds: int) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
