"""How speed changes with threads, players, and the number of games."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from time import perf_counter

from contenders import GAMES, PIG, best_engine, c_program, ours
from report import number, seconds
from timing import Contender, best, enough, timed

import dicelab
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import in_chunks

TOO_LONG = 60.0


def threads() -> list[list[str]]:
    """One thread and two, through the chunks by which a simulation is played; and C, which shares nothing."""
    runs = {
        "Hazard, main 7": Run.of("hazard"),
        "Toss Up!, >20 against >50": Run.of("tossup", ("bank_over:20", "bank_over:50")),
        "LCR, 6 players": Run.of("lcr", players=6),
        "Pig, hold at 20": Run.of(PIG, "hold_at:20"),
    }
    contenders = {f"{says} {n}": on_threads(run, n) for says, run in runs.items() for n in (1, 2)}
    titles = [*runs]
    with tempfile.TemporaryDirectory() as folder:
        if program := c_program(folder):
            titles.append("Hazard in C, as one and as two programs")
            contenders |= {f"{titles[-1]} {n}": side_by_side(program, n) for n in (1, 2)}
        found = best(contenders, {name: 4 * enough(play) for name, play in contenders.items()})
    rows = [["games per second", "1 thread", "2 threads", "ratio"]]
    for says in titles:
        one, two = found[f"{says} 1"], found[f"{says} 2"]
        rows.append([says, number(one), number(two), f"{two / one:.2f}"])
    return rows


def side_by_side(program: str, programs: int) -> Contender:
    """Hazard in C, the games shared out to programs that run at the same time: what the machine has to give."""

    def play(games: int) -> float:
        command = [program, "hazard", str(games // programs), "7"]
        running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(programs)]
        return float(sum(process.wait() for process in running))

    return timed(play)


def on_threads(run: Run, threads: int) -> Contender:
    engine, begun = best_engine(run), count()

    def play(games: int) -> float:
        first = GAMES * next(begun)
        in_chunks(engine, 1, threads, first, first + games, lambda chunk: None)
        return 0.0

    return timed(play)


def players() -> list[list[str]]:
    """LCR with more and more players."""
    rows = [["LCR on one core", "games per second", "turns of a game", "turns per second"]]
    runs = {f"{players} players": Run.of("lcr", players=players) for players in (3, 6, 12, 25, 50)}
    contenders = {says: ours(run) for says, run in runs.items()}
    found = best(contenders, {says: enough(play) for says, play in contenders.items()})
    for says, run in runs.items():
        turns = mean_turns(run)
        rows.append([says, number(found[says]), f"{turns:,.1f}", number(found[says] * turns)])
    return rows


def mean_turns(run: Run, games: int = 20_000) -> float:
    tallied = best_engine(run).play(1, 0, games)
    turns = tallied.histogram(list(run.game.declared.tallies).index("turns"))
    return sum(value * games_so for value, games_so in turns.items()) / games


def games() -> list[list[str]]:
    """Seconds for more and more rounds of Hazard: from Python, where all is warm, and from the shell."""
    rows = [["rounds of Hazard, all cores", "dicelab.simulate, s", "engine", "dicelab simulate, s"]]
    dicelab.simulate("hazard", games=10_000_000, seed=1)
    call, command = Growing(library_call), Growing(shell_command)
    for power in range(3, 10):
        rows.append([f"10^{power}", call.seconds(10**power), call.engine, command.seconds(10**power)])
    return rows


@dataclass
class Growing:
    """A call with ten times as many games each time: its best time, and the engine where it tells."""

    call: Callable[[int], str]
    before: float = 0.0
    engine: str = ""

    def seconds(self, count: int) -> str:
        """As written in the table; ten times the seconds of the time before where it would take too long."""
        if 10 * self.before > TOO_LONG:
            self.before *= 10
            return f"about {seconds(self.before)}, not run"
        taken = []
        while not taken or (len(taken) < 5 and sum(taken) < 5):
            began = perf_counter()
            self.engine = self.call(count)
            taken.append(perf_counter() - began)
        self.before = min(taken)
        return seconds(self.before)


def library_call(count: int) -> str:
    return dicelab.simulate("hazard", games=count, seed=1).engine


def shell_command(count: int) -> str:
    command = [sys.executable, "-m", "dicelab", "simulate", "hazard", "--games", str(count), "--seed", "1"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return ""
