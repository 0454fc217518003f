"""Asks which dice to keep; the answer is their faces: ``keep 6 6 5``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicelab.errors import ParameterError
from dicelab.interface.play.asking.question import IDLE, OpenChoice, split
from dicelab.interface.play.screen.text import in_words, indented, quoted
from dicelab.interface.play.screen.views import prompt_of
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, summary, twin
from dicelab.rules.keeping import Keep
from dicelab.rules.private import private_fields
from dicelab.rules.wording import called, gain
from dicelab.runtime.interpreter import Explained, asked

MOST_SCORED = 16
"""Most choices of dice that are listed with their scores."""
NONE = {"nothing", "none"}
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MULTIPLE = {"double": 2, "pair": 2, "both": 2, "triple": 3}
COUNTS = {**{word: n for n, word in enumerate(NUMBERS, 1)}, **MULTIPLE}


def question_of(game: Game, decision: Decision, at_terminal: bool = False) -> OpenChoice:
    """Return the question that a choice asks now."""
    listed = decision.listing(game)
    return (KeepQuestion if isinstance(decision, Keep) else OpenChoice)(game, decision, listed, at_terminal)


class KeepQuestion(OpenChoice):
    """Which dice are kept: a line has all of them."""

    if TYPE_CHECKING:
        decision: Keep

    def table(self) -> str:
        """Return the dice on the table."""
        return self.decision.describe(tuple(self.decision.on_table(self.game)))

    def offer(self, begun: tuple[int, ...] = ()) -> str:
        """Return the answers allowed, as text."""
        only, more, scored = self.only(), self._short_words(), self._scored()
        if scored:
            return scored
        words = f"any of {self.table()}" + (f" ({', '.join(more)})" if more else "")
        then = self._next_question()
        if then is not None and then.decision.name in self.game.words.names:
            words += f", or a {called(self.game, then.decision.name)}"
        return words if only is None else f"{self.decision.describe(only)}{self.enter}"

    def _short_words(self) -> list[str]:
        """Return ``all`` and ``nothing``, where they are allowed."""
        every, none = tuple(self.decision.on_table(self.game)), (0,) * len(self.decision.kinds)
        return [word for word, move in (("all", every), ("nothing", none)) if self.decision.allows(self.game, move)]

    @property
    def example(self) -> str:
        """Some of the dice on the table, as they are typed."""
        some = [move for move in self.moves or [] if sum(move) > 1] or [m for m in self.moves or [] if sum(m)]
        if not some:
            return "such as 6 6 5"
        same = max(some, key=lambda move: (max(move), -sum(move)))
        return f"such as {self.decision.describe(same)}"

    def _next_question(self) -> OpenChoice | None:
        """Return the question that is asked at once if all dice are kept, if the game has names for its answers."""
        row = tuple(self.decision.on_table(self.game))
        if private_fields(self.game) or not self.decision.allows(self.game, row):
            return None
        after = twin(self.game)
        with Explained(after):
            applied(self.decision.run, after, row)
            step = after.next()
            kind = None if step == OVER else asked(after, step)[0]
        if not isinstance(kind, Decision) or isinstance(kind, Keep):
            return None
        then = OpenChoice(after, kind, kind.listing(after), self.at_terminal)
        return then if then.has_names else None

    def straight_on(self, line: str) -> tuple[int, ...] | None:
        """Return all dice if the line names what may be chosen once all are kept, such as a box of a sheet."""
        words = split(self.game.heard(line))
        if not words or any(letter.isdigit() for letter in line) or (then := self._next_question()) is None:
            return None
        meant = then.typed(words)
        if meant is None or (then.moves is not None and (meant,) not in then.moves):
            return None
        return tuple(self.decision.on_table(self.game))

    def _scored(self) -> str:
        """Return the dice that may be kept with what each scores, the most first; empty unless all score and they are
        few.
        """
        moves = [move for move in self.moves or [] if sum(move)]
        if not self.game.words.scores or not 1 < len(moves) <= MOST_SCORED or len(moves) < len(self.moves or []):
            return ""
        worth = {move: gain(self.game, self.decision, move, self.seat) or 0 for move in moves}
        if min(worth.values()) <= 0:
            return ""
        ranked = sorted(worth, key=lambda move: -worth[move])
        return ", ".join(f"{self.decision.describe(move)} ({worth[move]:+,})" for move in ranked)

    def asked(self, begun: tuple[int, ...] = ()) -> str:
        """Return the question, with the dice on the table."""
        return prompt_of(self.game) or f"{in_words(self.decision.name)} {self.offer()}"

    def extended(self, begun: tuple[int, ...], line: str) -> tuple[int, ...]:
        """Return the dice that a typed line means; an empty line makes the only legal move.

        Raises
        ------
        ParameterError
            When the line is not understood or not allowed.
        """
        only = self.only()
        if not split(line) and only is not None:
            return only
        words = [word.lower() for word in split(self.game.heard(line))]
        if words and (named := self.named_move(words)) is not None:
            return named
        if words and words[0] in {self.decision.name.lower(), "keep"}:
            words = words[1:] or ["nothing"]
        if not words:
            raise ParameterError(f"type the dice to keep, {self.example}{self.keys}")
        row = self.decision.on_table(self.game)
        said = [] if len(words) == 1 and words[0] in NONE else self.said(words)
        move = tuple(row) if words == ["all"] else self.counted(said)
        for face, wanted, there in zip(self.decision.die.faces, move, row, strict=True):
            if wanted > there:
                raise ParameterError(f"there are not that many {face.label} on the table: {self.table()}")
        self.must_be_allowed(move)
        return move

    def said(self, words: list[str]) -> list[str]:
        """Return the dice that words stand for: ``two sixes`` and ``double 6`` are 6 6, ``fives`` all that show a 5."""
        labels = [face.label.lower() for face in self.decision.die.faces]
        one = {word: str(number) for number, word in enumerate(NUMBERS, 1) if str(number) in labels}
        some = {f"{label}s": label for label in labels} | {f"{name}s": label for name, label in one.items()}
        some |= {"sixes": one["six"]} if "six" in one else {}
        there = dict(zip(labels, self.decision.on_table(self.game), strict=True))
        known, found, i = [word for word in words if word in labels or word not in IDLE], list[str](), 0
        while i < len(known):
            word, then = known[i], known[i + 1] if i + 1 < len(known) else ""
            count = int(word) if word.isdecimal() and len(word) < 3 else COUNTS.get(word, 0)
            face = some.get(then) or (one.get(then, then if then in labels else "") if word in MULTIPLE else "")
            if count and face:
                found += [face] * count
                i += 1
            else:
                found += [some[word]] * there[some[word]] if word in some else [one.get(word, word)]
            i += 1
        return found

    def counted(self, words: list[str]) -> tuple[int, ...]:
        """Return how many dice of each face are named; digits may be typed without spaces: ``665``.

        Raises
        ------
        ParameterError
            When a word is no face.
        """
        labels = [face.label.lower() for face in self.decision.die.faces]
        found = [0] * len(labels)
        for word in words:
            parts = [word] if word in labels else list(word)
            for part in parts:
                if part not in labels:
                    raise ParameterError(
                        f"{quoted(word)} is not a die; on the table: {self.table()}; type the dice to keep, "
                        f"{self.example}{self.keys}"
                    )
                found[labels.index(part)] += 1
        return tuple(found)

    def must_be_allowed(self, move: tuple[int, ...]) -> None:
        """As for any question, with the dice in words."""
        if not self.decision.allows(self.game, move):
            reason = self.decision.refusal(self.game, move)
            raise ParameterError(f"keeping {self.decision.describe(move)} is not allowed now{reason}")

    def _choices(self) -> list[str]:
        about = summary(self.decision.rule)
        lines = indented(f"{in_words(self.decision.name)}{': ' if about else ''}{about}")
        lines += indented(f"on the table: {self.table()}")
        then = self._next_question()
        more = "" if then is None else f"; or what you choose next, such as {then.named(0, then.values(())[-1])}"
        short = "".join(f", or {word}" for word in self._short_words())
        return [*lines, *indented(f"Type the dice to keep, {self.example}{short}{more}; q quits.")]
