"""`dicelab.check`: is this a lawful game?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from types import FunctionType
from typing import Any

from dicelab.conformance.findings import BROKEN, UNFINISHED, WIDTH, covered, text_of, verdict_of
from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.results.base import Forms, head
from dicelab.results.text.html import in_html
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Column, Table, plain
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import find, looks_like_file

SECONDS = 120.0
"""Seconds that a check may take."""


COMPILED = "engines", "exact", "policy"
"""Steps that can't contain an endless loop of the rules, because all rules were run in plain Python before."""


@dataclass(repr=False)
class Examination(Forms):
    """The result of checking a file.

    Attributes
    ----------
    file
        The file that was checked.
    findings
        Rows of game, step, verdict (``ok``, ``note``, ``broken``, ``not finished``) and message (``say``); for a broken
        rule its file, line and method (``where``); and numbers of what was checked (``covered``).
    interrupted
        Whether the check was stopped from the keyboard; the findings are those until then.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.check("hazard")
    >>> found.lawful, len(found.findings) > 5
    (True, True)
    """

    file: str
    findings: list[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False

    @property
    def verdict(self) -> str:
        """``lawful``, ``broken``, or ``not finished`` if the time was over or the check was interrupted before that."""
        return verdict_of(self.findings, self.interrupted)

    @property
    def lawful(self) -> bool:
        """Whether everything was checked and nothing is broken."""
        return self.verdict == "lawful"

    @property
    def complete(self) -> bool:
        """Whether the check came to its end: every step was done, or one found something broken."""
        return not self.interrupted and all(finding["verdict"] != UNFINISHED for finding in self.findings)

    def _subject(self) -> str:
        return f"of {self.file}"

    def _brief(self) -> str:
        return self.verdict

    def _table(self) -> Table:
        columns = [*(Column(name, plain) for name in ("game", "step", "verdict")), Column("say", plain, "finding")]
        return Table(columns, self.findings, keys=4)

    def _repr_html_(self) -> str:
        return in_html(lambda page: [f"{self.file}: {self._brief()}", *self._table().lines(page)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        data = head("check") | {"file": self.file, "lawful": self.lawful, "complete": self.complete}
        names = dict.fromkeys(row["game"] for row in self.findings)
        numbers = {name: covered([row for row in self.findings if row["game"] == name]) for name in names}
        return {**data, "findings": self.findings, "covered": numbers, "interrupted": self.interrupted}

    def _lines(self, page: Printing) -> list[str]:
        return self.text(page).splitlines()

    def text(self, page: Printing | None = None, verbose: bool = False) -> str:
        """Return the report in at most 80 columns; `verbose` adds which engines don't accept a game, and why."""
        width = min(WIDTH, (page or Printing.here()).width)
        return text_of(self.file, self.findings, self.interrupted, verbose, width)


def examine(
    file: str,
    seconds: float = SECONDS,
    progress: Callable[[str], None] = lambda step: None,
    unsaved: tuple[Path, str] | None = None,
) -> Examination:
    """Check every game in a file.

    Parameters
    ----------
    file
        Path, or ``path:name`` for one of several games in it.
    seconds
        Seconds after which the child process is stopped; what it has not checked by then is not finished.
    progress
        Called with each step as it begins.
    unsaved
        The path of the file, and a text that is checked in place of what it holds.

    Examples
    --------
    >>> from dicelab.games import hazard
    >>> examine(hazard.__file__ + ":hazard").lawful
    True
    """
    result = Examination(file)
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "dicelab.conformance", file, *([str(unsaved[0])] if unsaved else [])],
        stdin=subprocess.PIPE if unsaved else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    )
    stopped: list[bool] = []

    def stop() -> None:
        stopped.append(True)
        child.kill()

    timer = Timer(seconds, stop)
    timer.start()
    at, ended = (file, "start"), False
    try:
        if unsaved and child.stdin is not None:
            with suppress(OSError), child.stdin:  # a child that has died says so below
                child.stdin.write(unsaved[1])
            child.stdin = None
        for said in _objects(child):
            if said["kind"] == "begin":
                at = (said["game"], said["step"])
                progress(f"{at[0]}: {at[1]}")
            elif said["kind"] == "finding":
                result.findings.append({key: value for key, value in said.items() if key != "kind"})
            else:
                ended = True
        status = child.wait()
    except KeyboardInterrupt:
        result.interrupted = True
        return result
    finally:
        timer.cancel()
        child.kill()
        child.communicate()
    if not ended:
        result.findings.append(_unended(at, seconds if stopped else 0.0, status))
    return result


def _objects(child: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that a child prints; other lines are ignored."""
    assert child.stdout is not None
    for line in child.stdout:
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and "kind" in said:
            yield said


def _unended(at: tuple[str, str], seconds: float, status: int) -> dict[str, Any]:
    """Return the finding about a child process that was stopped after `seconds`, or ended by itself too early."""
    game, step = at
    row = {"game": game, "step": step}
    if seconds:
        loop = "" if step in COMPILED else "; if that does not help, a rule may loop without end"
        say = f"not done within {seconds:g} s, so the rest was not checked; give more time with --seconds{loop}"
        return {**row, "verdict": UNFINISHED, "say": say}
    how = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
    return {**row, "verdict": BROKEN, "say": f"the file ended Python itself ({how})"}


@keywords
def check(
    game: str | os.PathLike[str] | type[Game] | Game,
    *,
    seconds: float = SECONDS,
    progress: Callable[[str], None] = lambda step: None,
) -> Examination:
    """Check the rules of a game: declarations, all states within a limit, seats, strategies, engines, exact answers.

    The file of the game is read anew by another process, so that nothing in it can stop or crash this one.

    Parameters
    ----------
    game
        A path checks every game in the file, ``path:name`` one of them. A name, a class, or a game with parameters
        stands for one game, which is checked at its defaults and at the limits of all its parameters in any case.
    seconds
        Seconds after which the check ends; what was not checked by then is not finished.
    progress
        Called with the name of each step as it begins.

    Returns
    -------
    Examination
        What was found, also if the game is broken; what was found until then, if the time was over or the check was
        interrupted from the keyboard.

    Raises
    ------
    InputError
        When there is no game of that name, or a class was not read from a file.

    Examples
    --------
    >>> check("hazard").lawful
    True
    """
    if isinstance(game, str | os.PathLike):
        if looks_like_file(os.fspath(game)):
            return examine(os.fspath(game), seconds, progress)
        game = find(os.fspath(game))
    given: object = game
    kind = given if isinstance(given, type) else type(given)
    if not issubclass(kind, Game) or kind is Game:
        raise ParameterError(f"{game!r} is not a game; give a name, a path to a file, a Game class or a Game")
    return examine(f"{_file_of(kind)}:{kind.name}", seconds, progress)


def _file_of(game: type[Game]) -> str:
    """Return the file in which a game is written: that of one of its methods, or of its module if it has none of its
    own.
    """
    rules = [getattr(member, "rule", member) for member in vars(game).values()]
    own = (rule for rule in rules if isinstance(rule, FunctionType) and rule.__module__ == game.__module__)
    file = next((rule.__code__.co_filename for rule in own), getattr(sys.modules[game.__module__], "__file__", None))
    if file is None or not os.path.isfile(file):
        raise ParameterError(f"{game.name} can't be checked, because it is in no file; put it in a file")
    return file
