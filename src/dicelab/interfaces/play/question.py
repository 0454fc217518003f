"""A choice put to a person: what may be answered, and what an answer means."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dicelab.errors import ParameterError
from dicelab.interfaces.play.answers import keys, named, spoken, understood
from dicelab.interfaces.play.state import legend
from dicelab.interfaces.play.text import in_words, indented, screen_width
from dicelab.rules.game import Game
from dicelab.rules.steps import Decision

MOST_ASKED, MOST_EXPLAINED = 12, 200
"""Runs of numbers that are shown in a question, and in its explanation."""
MOST_NAMED = 24
"""Names that are listed in a question."""


@dataclass(frozen=True)
class Question:
    """A choice put to a person.

    Parameters
    ----------
    game, decision
        The game as it stands, and the kind of choice.
    moves
        The moves allowed now; None when they are too many to be listed.
    """

    game: Game
    decision: Decision
    moves: list[tuple[int, ...]] | None

    def only(self) -> tuple[int, ...] | None:
        """The only move there is, None when there are several."""
        return self.moves[0] if self.moves is not None and len(self.moves) == 1 else None

    def values(self, begun: tuple[int, ...], place: int | None = None) -> Sequence[int]:
        """What the number at a place of a move may be after a beginning: the next one, unless `place` is given."""
        place = len(begun) if place is None else place
        if self.moves is None:
            low, high = self.decision.spans(self.game)[place]
            return range(low, high + 1)
        return sorted({move[place] for move in self.moves if move[: len(begun)] == begun})

    def parts(self) -> list[str]:
        """What the rules call each number of a move."""
        names, count = list(inspect.signature(self.decision.rule).parameters)[1:], len(self.decision.kinds)
        return [in_words(n) for n in names] if len(names) == count else [f"number {i + 1}" for i in range(count)]

    def offer(self, begun: tuple[int, ...] = ()) -> str:
        """What may be answered next, in a line."""
        kind, values = self.decision.kinds[len(begun)], self.values(begun)
        if isinstance(kind, type):
            named_ones = [f"{key} {name}" for key, (name, value) in keys(kind).items() if value in values]
            few = len(named_ones) <= MOST_NAMED
            told = ", ".join(named_ones) if few else f"one of {len(named_ones)}, by its name; ? lists them"
        else:
            told = spoken(values, MOST_ASKED)
        return told if self.only() is None else f"{told}; Enter takes it"

    def asked(self, begun: tuple[int, ...] = ()) -> str:
        """The question: what is asked for where that is not plain, and what may be answered."""
        kinds, parts, place = self.decision.kinds, self.parts(), len(begun)
        words = [in_words(self.decision.name)] if len(self.game.declared.decisions) > 1 or len(parts) > 1 else []
        words += [named(kind, value) for kind, value in zip(kinds, begun, strict=False)]
        words += [] if isinstance(kinds[place], type) else [parts[place]]
        head = f"{' '.join(words)}: " if words else ""
        then = f" (then {', '.join(parts[place + 1 :])})" if parts[place + 1 :] else ""
        return f"{head}{self.offer(begun)}{then}"

    def extended(self, begun: tuple[int, ...], line: str) -> tuple[int, ...]:
        """The move so far with what was typed now; an empty line takes it back, or takes the only move there is.

        Raises
        ------
        ParameterError
            Saying what is not understood or not allowed, and what is.
        """
        words = [word for word in re.split(r"[,\s]+", line) if word]
        if not words:
            if not begun and self.only() is None:
                raise ParameterError("type your choice; ? explains, q leaves")
            return self.only() or ()
        move, most = begun, len(self.decision.kinds)
        while words:
            if len(move) == most:
                raise ParameterError(f"{' '.join(words)!r} is too much: type {' and '.join(self.parts())} only")
            value, used = self.meaning(move, words)
            move, words = (*move, value), words[used:]
        while len(move) < most and self.moves and len(self.values(move)) == 1:
            move = (*move, self.values(move)[0])  # where there is no choice left
        if len(move) == most and not self.decision.allows(self.game, move):
            told = self.decision.refusal(self.game, move)
            raise ParameterError(f"{self.decision.describe(move)} is not allowed now{told}")
        return move

    def meaning(self, begun: tuple[int, ...], words: list[str]) -> tuple[int, int]:
        """The next number of a move from the words typed, and how many of them it took.

        Raises
        ------
        ParameterError
        """
        kind = self.decision.kinds[len(begun)]
        found = understood(kind, words, len(self.decision.kinds) - len(begun) - 1)
        if found is None:
            what = "none of the choices" if isinstance(kind, type) else "not a whole number"
            raise ParameterError(f"{words[0]!r} is {what}: {self.offer(begun)}; ? explains, q leaves")
        if found[0] not in self.values(begun):
            raise ParameterError(f"{named(kind, found[0])} is not allowed now; allowed: {self.offer(begun)}")
        return found

    def explanation(self) -> list[str]:
        """The choices, how to type them, and where the game stands."""
        about = (self.decision.rule.__doc__ or "").strip().partition("\n")[0]
        lines = indented(f"{in_words(self.decision.name)}{': ' if about else ''}{about}")
        for place, (kind, part) in enumerate(zip(self.decision.kinds, self.parts(), strict=True)):
            values = self.values((), place)
            if isinstance(kind, type):
                lines += [f"    {key}  {name}" for key, (name, value) in keys(kind).items() if value in values]
            else:
                lines += [f"  {line}" for line in indented(f"{part}: {spoken(values, MOST_EXPLAINED)}")]
        lines.append("  Type a letter, a word or its beginning, or a number; q leaves the game.")
        if len(self.decision.kinds) > 1:
            lines.append("  Several numbers: in one line, or one after the other; an empty line takes back.")
        return [*lines, "  The game stands at:", *legend(self.game, screen_width())]
