"""What is thrown and typed in the tests of the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest


class Undecided(BaseException):
    """More throws were asked for than there are; it is not caught by what explains the errors of rules."""


def thrower(totals: Iterable[int]) -> Callable[[], int]:
    """A function that throws these totals."""
    left = iter(totals)

    def throw() -> int:
        for total in left:
            return total
        raise Undecided

    return throw


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have these lines typed, the prompts and what is typed being shown; then the input ends, or goes wrong."""

    def answer(*lines: str | BaseException) -> None:
        left = list(lines)

        def read(prompt: str = "") -> str:
            line = left.pop(0) if left else EOFError()
            print(prompt, end="")
            if isinstance(line, BaseException):
                raise line
            print(line)
            return line

        monkeypatch.setattr("builtins.input", read)

    return answer
