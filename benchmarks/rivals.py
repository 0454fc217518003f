"""Against crapssim and OpenSpiel, each run by an environment of its own (`.venv-bench`, which `make bench` makes), and
against GNU Backgammon, where it is installed (Debian: ``apt-get install gnubg``).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import partial
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

from contenders import HERE, PIG, of_process, ours, truth
from report import number, ratio
from timing import Contender, Truth, check, rates

import dicelab
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Tallied

PYTHON = HERE.parent / ".venv-bench" / "bin" / "python"
HEADER = ["one core", "dicelab", "the other", "dicelab is"]


SESSIONS = [
    ("5 on the pass line", "line:pass:0:5", "pass"),
    ("5 on the pass line, 6 on each of 6 and 8 but the point", "line:pass:0:5:cover=place_6_8", "pass_and_place"),
]


def rivals() -> list[list[str]]:
    return [HEADER, *crapssim(), *openspiel(), *backgammon()]


def missing(package: str) -> str:
    """Why a rival can't be run; empty where it can."""
    if not PYTHON.exists():
        return "not installed"
    done = subprocess.run([PYTHON, "-c", f"import {package}"], capture_output=True, text=True)
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


def version(package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True) if PYTHON.exists() else None
    return done.stdout.strip() if done and done.returncode == 0 else "-"


def crapssim() -> list[list[str]]:
    """Throws per second: dicelab's are its rounds times the mean number of throws of a round."""
    tallies = dicelab.exact("pass-line").tallies
    throws, money = tallies["throws"].mean, tallies["money"].mean
    per_throw = Truth(money / throws, sqrt(1 / throws))
    title = "pass line, throws per second: crapssim"
    if reason := missing("crapssim"):
        return [[f"{title} ({reason})", "-", "-", "-"]]
    our_throws = in_units(ours(Run.of("pass-line")), throws)
    theirs: Contender = partial(of_process, [str(PYTHON), str(HERE / "play_crapssim.py"), "throws"], [])
    found = rates(title, {"dicelab": our_throws, "crapssim": theirs}, per_throw)
    return [[title, number(found["dicelab"]), number(found["crapssim"]), ratio(found["dicelab"], found["crapssim"])]]


def sessions() -> list[list[str]]:
    """Sessions per second: 200 throws on the pass line, alone and with place bets on 6 and 8."""
    rows = [["sessions per second, one core", "dicelab", "crapssim", "dicelab is"]]
    house = {"bankroll": 1000, "until_throws": 200, "until_rounds": 0}
    for says, call, theirs in SESSIONS:
        if reason := missing("crapssim"):
            return [*rows, [f"{says} ({reason})", "-", "-", "-"]]
        run = Run.of("craps", call, **house)
        money = dicelab.simulate(run.game, run.strategies, games=10**6, seed=2).tallies["money"]
        known = Truth(money.mean, money.sd, money.sd / sqrt(10**6))
        other: Contender = partial(of_process, [str(PYTHON), str(HERE / "play_crapssim.py"), theirs], [])
        found = rates(says, {"dicelab": ours(run, won), "crapssim": other}, known)
        rows.append([says, *map(number, found.values()), ratio(found["dicelab"], found["crapssim"])])
    return rows


def won(played: Tallied) -> float:
    """The money of all sessions."""
    place = list(Run.of("craps").game.declared.tallies).index("money")
    return sum(money * games for money, games in played.histogram(place).items())


def in_units(rounds: Contender, throws: float) -> Contender:
    """A contender that is asked for throws instead of rounds, and tells money instead of rounds won."""

    def contender(wanted: int) -> tuple[float, float]:
        played = max(1, round(wanted / throws))
        seconds, won = rounds(played)
        return seconds, 2 * won - played

    return contender


def openspiel() -> list[list[str]]:
    """Games of Pig per second."""
    run = Run.of(PIG, ("hold_at:20",))
    titles = {
        "asked": "Pig, games per second: OpenSpiel, asked who moves",
        "followed": "Pig, games per second: OpenSpiel, moves and dice given",
    }
    if reason := missing("pyspiel"):
        return [[f"{title} ({reason})", "-", "-", "-"] for title in titles.values()]
    contenders = {"dicelab": ours(run)}
    for how in titles:
        contenders[how] = partial(of_process, [str(PYTHON), str(HERE / "play_openspiel.py")], [how])
    found = rates("Pig", contenders, truth(run))
    mine = found["dicelab"]
    return [[title, number(mine), number(found[how]), ratio(mine, found[how])] for how, title in titles.items()]


def backgammon() -> list[list[str]]:
    """Rolls of backgammon per second: dicelab always moves the last checker, OpenSpiel moves at random."""
    title = "backgammon, rolls per second: OpenSpiel, asked for its moves"
    if reason := missing("pyspiel"):
        return [[f"{title} ({reason})", "-", "-", "-"]]
    run = Run.of(str(HERE.parent / "examples" / "backgammon.py"), ("runner",))
    program, games = [str(PYTHON), str(HERE / "play_openspiel.py")], 400
    done = subprocess.run([*program, str(games), "backgammon"], check=True, capture_output=True, text=True)
    rolls = {
        "dicelab": dicelab.simulate(run.game, run.strategies, games=20_000, seed=2).tallies["turns"].mean,
        "OpenSpiel": int(done.stdout.split()[2]) / games,
    }
    contenders = {
        "dicelab": ours(run, lambda played: float(sum(played.counts[:3]))),
        "OpenSpiel": partial(of_process, program, ["backgammon"]),
    }
    found = rates("backgammon", contenders, Truth(0.5, 0.5))
    each = {name: found[name] * rolls[name] for name in found}
    return [[title, *map(number, each.values()), ratio(each["dicelab"], each["OpenSpiel"])]]


GAMMONS = str(HERE.parent / "examples" / "backgammon.py")
CAREFUL = str(HERE.parent / "examples" / "backgammon_careful.py")
MATCH = 63
"""Points of the match that GNU Backgammon plays: about 100 games. It waits after each move, which takes a minute."""
SCRIPT = f"""set automatic game on
set automatic roll on
set automatic move on
set automatic bearoff on
set cube use off
set player 0 gnubg
set player 1 gnubg
set player 0 chequerplay evaluation plies 0
set player 1 chequerplay evaluation plies 0
set player 0 chequerplay evaluation cubeful off
set player 1 chequerplay evaluation cubeful off
set rng mersenne
set seed 7
set display off
new match {MATCH}
export match mat "match.mat"
"""
"""What GNU Backgammon is told: to play against itself by its network, without looking ahead."""


def gnubg() -> list[list[str]]:
    """Moves of backgammon per second of processor time: GNU Backgammon judges the plays of a roll by its network, and
    dicelab by the evaluation of `careful`, or by a network that was learned.
    """
    program = gnubg_program()
    if not program:
        return [["moves per second, one core"], ["GNU Backgammon is not installed (apt-get install gnubg)"]]
    name, theirs = gnubg_moves(program)
    rows = [["moves per second, one core", "dicelab", name, "dicelab is"]]
    with TemporaryDirectory() as folder:
        path, given = (
            f"{folder}/learned.npz",
            {"objective": "win", "hidden": 96, "gammons": 0, "games": 1000, "seed": 1},
        )
        dicelab.learn(GAMMONS, method="values", **given).policy.save(path)
        for player, says in ((f"{CAREFUL}:careful", "`careful`"), (f"policy:{path}", "a network of 96 hidden numbers")):
            run = Run.of(GAMMONS, (player,), gammons=0)
            moves = dicelab.simulate(run.game, run.strategies, games=400, seed=2).tallies["turns"].mean
            mine = moves * rates(says, {"dicelab": ours(run)}, Truth(0.5, 0.5))["dicelab"]
            rows.append([says, number(mine), number(theirs), ratio(mine, theirs)])
    return rows


def gnubg_program() -> str | None:
    """The path of GNU Backgammon; Debian puts it beside the games."""
    return shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games")


def gnubg_moves(program: str) -> tuple[str, float]:
    """The name of this GNU Backgammon, and its moves per second of processor time, without what its start takes."""
    with TemporaryDirectory() as folder:

        def told(script: str) -> tuple[str, float]:
            before = os.times()
            done = subprocess.run([program, "-t", "-q"], input=script, cwd=folder, capture_output=True, text=True)
            after = os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            return done.stdout, spent

        (text, whole), (_, start) = told(SCRIPT), told("")
        moves = len(re.findall(r"\b[1-6][1-6]:", (Path(folder) / "match.mat").read_text()))
    first, games = len(re.findall("gnubg wins", text)), len(re.findall("after [0-9]+ game", text))
    check("GNU Backgammon", lambda _: (whole, float(first)), games, Truth(0.5, 0.5))
    return text.partition("\n")[0].rpartition(" ")[0], moves / (whole - start)
