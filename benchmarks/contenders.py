"""The games that are measured, and who plays them: dicelab, plain Python, NumPy, and C.

Of every game there are as many programs, which return in how many games seat 0 (or the caster, or the bet) has won.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import sqrt
from pathlib import Path
from typing import Any

from timing import Contender, Truth, timed_alone

import dicelab
from dicelab.engines.player import chosen
from dicelab.errors import DicelabError
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Engine, Tallied

HERE = Path(__file__).parent
GAMES = 10**10
"""More than are played in one turn."""
RISK = str(HERE.parent / "tests" / "games" / "risk_mixed.py")
PIG = str(HERE.parent / "examples" / "pig.py")


@dataclass(frozen=True)
class Work:
    """One kind of game: for dicelab; the name of the function in plain and vectorised, and what C and they are told."""

    says: str
    game: str
    function: str
    numbers: tuple[int, ...] = ()
    strategies: tuple[str, ...] = ()
    parameters: dict[str, int] = field(default_factory=dict)
    c_name: str = ""

    @property
    def run(self) -> Run:
        return Run.of(self.game, self.strategies, **self.parameters)


WORK = [
    Work("Hazard, main 5", "hazard", "hazard", (5,), parameters={"main": 5}),
    Work("Hazard, main 7", "hazard", "hazard", (7,), parameters={"main": 7}),
    Work("pass line", "pass-line", "pass_line", c_name="hazard 7"),
    Work("Toss Up!, >20 against >50", "tossup", "tossup", (20, 50), ("bank_over:20", "bank_over:50")),
    Work("LCR, 6 players", "lcr", "lcr", (6,), parameters={"players": 6}),
    Work("LCR, 12 players", "lcr", "lcr", (12,), parameters={"players": 12}),
    Work("Pig, hold at 20", PIG, "pig", (20,), ("hold_at:20",)),
]
BATTLE = Work("Risk, d6 against d8", RISK, "risk", (20, 12), parameters={"attackers": 20, "defenders": 12})


def best_engine(run: Run) -> Engine:
    """The engine that `engine="auto"` settles on when there is very much to play."""
    return chosen(run, work=1e12).engine


def first_outcome(played: Tallied) -> float:
    """Games that seat 0 has won, or the caster, or the bet."""
    return played.counts[0]


def ours(run: Run, result: Callable[[Tallied], float] = first_outcome) -> Contender:
    """Dicelab on one thread, and what its games came to."""
    return of_engine(best_engine(run), result)


def of_engine(engine: Engine, result: Callable[[Tallied], float] = first_outcome) -> Contender:
    """One engine of dicelab on one thread."""
    begun = count()

    def play(games: int) -> float:
        first = GAMES * next(begun)  # never the same games again: some engines know the ways that they have gone
        return result(engine.play(1, first, first + games))

    return timed_alone(play)


def by_hand(module: Any, work: Work) -> Contender:
    """A program in plain Python, or NumPy."""
    function: Callable[..., int] = getattr(module, work.function)
    return timed_alone(lambda games: function(games, *work.numbers))


def c_program(folder: str) -> str | None:
    """The yardstick, compiled; None without a C compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    program = str(Path(folder) / "yardstick")
    source = str(HERE / "yardstick.c")
    subprocess.run([compiler, "-O3", "-march=native", "-o", program, source, "-lm"], check=True)
    return program


def in_c(program: str, work: Work) -> Contender:
    name, *rest = work.c_name.split() or [work.function, *map(str, work.numbers)]
    return partial(of_process, [program, name], rest)


def of_process(before: list[str], after: list[str], games: int) -> tuple[float, float]:
    """A contender that is a program: it prints seconds, and what the games came to."""
    done = subprocess.run([*before, str(games), *after], check=True, capture_output=True, text=True)
    seconds, result = done.stdout.split()[:2]
    return float(seconds), float(result)


def truth(run: Run) -> Truth:
    """How often outcome 0 comes: exactly or, where the chain is too large, from many games."""
    try:
        chance = next(iter(dicelab.exact(run.game, run.strategies, memory=2_000_000_000).outcomes.values())).probability
        return Truth(chance, sqrt(chance * (1 - chance)))
    except DicelabError:
        games = 1_000_000
        chance = best_engine(run).play(2, 0, games).counts[0] / games
        sd = sqrt(chance * (1 - chance))
        return Truth(chance, sd, sd / sqrt(games))
