"""The results of a step of the check, and the error that ends a check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dicelab.errors import DicelabError
from dicelab.runtime.where import Where

OK, NOTE, BROKEN, UNFINISHED = "ok", "note", "broken", "not finished"


@dataclass(frozen=True)
class Finding:
    """One result of one step.

    Attributes
    ----------
    game, step
        The game (or the file, if that can't be read), and the step of the check.
    verdict
        ``ok``; ``note``: something is not checked or not compiled; ``broken``: a rule of the contract is broken; ``not
        finished``: the time was over.
    say
        The result as a sentence.
    where
        File, line and method of the broken rule.
    covered
        Numbers of what was checked, by name.
    """

    game: str
    step: str
    verdict: str
    say: str
    where: Where | None = None
    covered: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without empty entries."""
        data: dict[str, Any] = {"game": self.game, "step": self.step, "verdict": self.verdict, "say": self.say}
        if self.where is not None:
            data["where"] = {"file": self.where.file, "line": self.where.line, "method": self.where.method}
        return data | ({"covered": self.covered} if self.covered else {})


@dataclass(frozen=True)
class Said:
    """One result within a step: the verdict, the sentence, and the numbers of what was checked."""

    verdict: str
    say: str
    covered: dict[str, Any] = field(default_factory=dict)


Found = Iterator[Said]


class Broken(DicelabError):
    """The game breaks a rule of the contract, at a known place of its file."""

    def __init__(self, say: str, where: Where | None = None) -> None:
        super().__init__(say)
        self.where = where
