"""Checks a game's file in a child process, which it can neither crash, nor stop, nor outlive."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Timer
from typing import Any

SECONDS = 120.0
"""Time that a check may take."""


@dataclass
class Examination:
    """What the check of a file found: rows of game, step, verdict (``ok``, ``note``, ``broken``) and what to say."""

    file: str
    findings: list[dict[str, str]] = field(default_factory=list)

    @property
    def lawful(self) -> bool:
        """Nothing is broken."""
        return all(finding["verdict"] != "broken" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        return {"schema": 1, "method": "check", "file": self.file, "lawful": self.lawful, "findings": self.findings}

    def __str__(self) -> str:
        lines = [f"{f['verdict']:6}  {f['game']}: {f['step']}: {f['say']}" for f in self.findings]
        return "\n".join([*lines, "", f"{self.file} " + ("is a lawful game" if self.lawful else "is broken")])


def examine(file: str, seconds: float = SECONDS, told: Callable[[str], None] = lambda step: None) -> Examination:
    """Check every game in a file.

    Parameters
    ----------
    file
        Path, or ``path:name`` for one of several games in it.
    seconds
        Time after which the child process is stopped: a rule loops without end.
    told
        Called with each step as it begins.

    Examples
    --------
    >>> from dicelab.games import hazard
    >>> examine(hazard.__file__ + ":hazard").lawful
    True
    """
    result = Examination(file)
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "dicelab.engines.check", file],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
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
        for said in _objects(child):
            if said["kind"] == "begin":
                at = (said["game"], said["step"])
                told(f"{at[0]}: {at[1]}")
            elif said["kind"] == "finding":
                result.findings.append({key: said[key] for key in ("game", "step", "verdict", "say")})
            else:
                ended = True
        status = child.wait()
    finally:
        timer.cancel()
        child.kill()
        child.communicate()
    if not ended:
        why = f"still running after {seconds:g} s: does a rule loop without end?" if stopped else _death(status)
        result.findings.append({"game": at[0], "step": at[1], "verdict": "broken", "say": why})
    return result


def _objects(child: subprocess.Popen[str]) -> Iterator[dict[str, str]]:
    """JSON objects that a child prints; other lines are not ours."""
    assert child.stdout is not None
    for line in child.stdout:
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and "kind" in said:
            yield said


def _death(status: int) -> str:
    how = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
    return f"the file ended Python itself ({how})"
