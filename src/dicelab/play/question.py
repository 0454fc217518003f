"""A choice put to a person: what may be answered, and what an answer means."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dicelab.errors import ParameterError
from dicelab.play.answers import keys, named, spoken, squeezed, understood
from dicelab.play.asides import asides
from dicelab.play.hooks import menu_of, standing
from dicelab.play.text import in_words, indented
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.rules.params import whole_number

MOST_ASKED, MOST_EXPLAINED = 12, 200
"""Runs of numbers that are shown in a question, and in its explanation."""
MOST_NAMED = 24
"""Names that are listed in a question."""
MOST_TRIED = 25_000
"""Values of the last number of a move that are tried one by one where moves are too many to be listed."""


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
            legal, last = self.decision.legal, place == len(begun) == len(self.decision.kinds) - 1
            if legal is None or not last or high - low >= MOST_TRIED:
                return range(low, high + 1)
            return [value for value in range(low, high + 1) if legal(self.game, *begun, value)]
        return sorted({move[place] for move in self.moves if move[: len(begun)] == begun})

    def parts(self) -> list[str]:
        """What the rules call each number of a move."""
        names, count = list(inspect.signature(self.decision.rule).parameters)[1:], len(self.decision.kinds)
        return [in_words(n) for n in names] if len(names) == count else [f"number {i + 1}" for i in range(count)]

    def offer(self, begun: tuple[int, ...] = ()) -> str:
        """What may be answered next, in a line."""
        kind, values = self.decision.kinds[len(begun)], self.values(begun)
        if isinstance(kind, type):
            known = [(key, name) for key, (name, value) in keys(kind).items() if value in values]
            told = ", ".join(name if key == name else f"{key} {name}" for key, name in known)
            if len(known) > MOST_NAMED:
                listed = "bets" if menu_of(self.game) else "?"
                told = f"one of {len(known)}, by its name; {listed} lists them"
        else:
            told = spoken(values, MOST_ASKED)
        return told if self.only() is None else f"{told}; Enter takes it"

    def asked(self, begun: tuple[int, ...] = ()) -> str:
        """The question: what is asked for where that is not plain, and what may be answered."""
        kinds, parts, place = self.decision.kinds, self.parts(), len(begun)
        words = [in_words(self.decision.name)] if len(self.game.declared.decisions) > 1 or len(parts) > 1 else []
        words += [named(kind, value) for kind, value in zip(kinds, begun, strict=False)]
        if menu_of(self.game) and not begun:
            return (
                f"{in_words(self.decision.name)}: {' and '.join(parts)}, or {', '.join(['help', *asides(self.game)])}"
            )
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
        words = split(line)
        if words and (not begun or self.begins_anew(begun, words)):
            begun, words = (), split(self.game.heard(line))
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
        while len(move) < most and len(values := self.values(move)) < 2:
            self.must_be_possible(move)
            move = (*move, values[0])  # where there is no choice left
        if len(move) == most and not self.decision.allows(self.game, move):
            told = self.decision.refusal(self.game, move)
            raise ParameterError(f"{self.decision.describe(move)} is not allowed now{told}")
        return move

    def begins_anew(self, begun: tuple[int, ...], words: list[str]) -> bool:
        """Is this another move altogether, where only a number is missing from the one that was begun?"""
        first, wanted = self.decision.kinds[0], self.decision.kinds[len(begun)]
        if isinstance(wanted, type) or not isinstance(first, type) or whole_number(words[0]) is not None:
            return False
        return understood(first, split(self.game.heard(" ".join(words))), len(self.decision.kinds) - 1) is not None

    def meaning(self, begun: tuple[int, ...], words: list[str]) -> tuple[int, int]:
        """The next number of a move from the words typed, and how many of them it took.

        Raises
        ------
        ParameterError
        """
        self.must_be_possible(begun)
        kind, place = self.decision.kinds[len(begun)], len(begun)
        found = understood(kind, words, len(self.decision.kinds) - place - 1)
        if found is None and isinstance(kind, type):
            found = self.guessed(words)
        if found is None:
            what = "none of the choices" if isinstance(kind, type) else "not a whole number"
            raise ParameterError(f"{words[0]!r} is {what}: {self.offer(begun)}; ? explains, q leaves")
        low, high = self.decision.spans(self.game)[place]
        if not (low <= found[0] <= high if self.moves is None else found[0] in self.values(begun)):
            raise ParameterError(f"{named(kind, found[0])} is not allowed now; allowed: {self.offer(begun)}")
        return found

    def guessed(self, words: list[str]) -> tuple[int, int] | None:
        """The one choice in a game's menu that has these words in its name, as `meaning` tells it, if there is one.

        Raises
        ------
        ParameterError
            Naming the choices that may be meant, where there are several or only similar ones.
        """
        open_now = [name for group in menu_of(self.game).values() for name in group]
        enough = max(1, len(words) - len(self.decision.kinds) + 1)
        typed = [squeezed(word) for word in words[:enough]]
        found = [name for name in open_now if set(typed) <= {squeezed(word) for word in name.split()}]
        if len(found) == 1:
            meant = understood(self.decision.kinds[0], [self.game.heard(found[0])])
            return None if meant is None else (meant[0], enough)
        near = found or difflib.get_close_matches(" ".join(words[:enough]).lower(), open_now, 4, 0.7)
        if near:
            told = ", ".join(near[:8]) + (", ..." if len(near) > 8 else "")
            raise ParameterError(f"{' '.join(words[:enough])!r} is none of the choices; did you mean {told}?")
        return None

    def names(self, line: str) -> bool:
        """Is this, letter for letter, what a move is called?"""
        kind = self.decision.kinds[0]
        return isinstance(kind, type) and line.lower() in {name for name, _ in keys(kind).values()}

    def must_be_possible(self, begun: tuple[int, ...]) -> None:
        """Refuse the beginning of a move that can't be ended.

        Raises
        ------
        ParameterError
        """
        if not self.values(begun):
            words = " ".join(named(kind, value) for kind, value in zip(self.decision.kinds, begun, strict=False))
            told = self.decision.refusal(self.game, (*begun, self.decision.spans(self.game)[-1][1]))
            raise ParameterError(f"{words} is not allowed now{told}")

    def explanation(self) -> list[str]:
        """The choices, how to type them, and where the game stands."""
        about = (self.decision.rule.__doc__ or "").strip().partition("\n")[0]
        lines = indented(f"{in_words(self.decision.name)}{': ' if about else ''}{about}")
        for place, (kind, part) in enumerate(zip(self.decision.kinds, self.parts(), strict=True)):
            values = self.values((), place)
            if isinstance(kind, type) and menu_of(self.game):
                continue
            if isinstance(kind, type):
                lines += [f"    {key}  {name}" for key, (name, value) in keys(kind).items() if value in values]
            else:
                lines += [f"  {line}" for line in indented(f"{part}: {spoken(values, MOST_EXPLAINED)}")]
        lines.append("  Type a letter, a word or its beginning, or a number; q leaves the game.")
        if len(self.decision.kinds) > 1:
            lines.append("  Several numbers: in one line, or one after the other; an empty line takes back.")
        if type(self.game).heard is not Game.heard:
            lines += indented(inspect.getdoc(type(self.game).heard) or "")
        lines += [f"  {word}: {about}" for word, about in asides(self.game).items()]
        return [*lines, "  The game stands at:", *standing(self.game)]


def split(line: str) -> list[str]:
    """The words of a line."""
    return [word for word in re.split(r"[,\s]+", line) if word]
