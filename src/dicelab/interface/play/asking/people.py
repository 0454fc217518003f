"""Choosers and a source of dice that ask people at the terminal, and the lines that people type.

``q`` and the end of the input leave the game. Where dice are kept, the answer is their faces: ``keep 6 6 5``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dicelab.errors import IllegalMoveError, ParameterError
from dicelab.interface.play.asking.advice import Advice
from dicelab.interface.play.asking.question import IDLE, OpenChoice, split
from dicelab.interface.play.asking.table_commands import aside
from dicelab.interface.play.screen.shown_game import GameScreen
from dicelab.interface.play.screen.text import Say, encodable, in_words, indented, quoted
from dicelab.interface.play.screen.views import prompt_of
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, summary, twin
from dicelab.rules.keeping import Keep
from dicelab.rules.private import private_fields
from dicelab.rules.wording import called, gain
from dicelab.runtime.interpreter import Explained, Source, asked
from dicelab.runtime.lineup import Chooser
from dicelab.runtime.philox import Pool

ENDED = 1
"""Exit status when input or output is closed."""

Hear = Callable[[str], str]
"""Shows a prompt and returns the line that was typed."""


class Left(BaseException):
    """A person left the game. A BaseException, because the engine reports any Exception as a fault of the rules."""

    def __init__(self, status: int, why: str) -> None:
        self.status = status
        self.why = why


def somebody(read: Callable[[str], str]) -> bool:
    """Return whether a person can press Enter: `read` is not `input`, or stdin is a terminal."""
    return read is not input or (sys.stdin is not None and sys.stdin.isatty())


def listener(read: Callable[[str], str], say: Say, encoding: str) -> Hear:
    """Return a function that asks for a line; it also prints lines that don't come from a terminal."""
    shown = not somebody(read)

    def hear(prompt: str) -> str:
        try:
            line = read("" if shown else encodable(prompt, encoding)).strip()
        except UnicodeDecodeError:
            line = "\N{REPLACEMENT CHARACTER}"
        except BrokenPipeError:
            raise
        except (EOFError, OSError, RuntimeError):  # RuntimeError: there is no stdin at all
            raise Left(ENDED, "the input ended before the game did") from None
        if shown:
            say(prompt + line)
        if line.lower() == "q":
            raise Left(0, "you left the game")
        return line

    return hear


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
        known, faces, i = [word for word in words if word in labels or word not in IDLE], list[str](), 0
        while i < len(known):
            word, then = known[i], known[i + 1] if i + 1 < len(known) else ""
            count = int(word) if word.isdecimal() and len(word) < 3 else COUNTS.get(word, 0)
            face = some.get(then) or (one.get(then, then if then in labels else "") if word in MULTIPLE else "")
            if count and face:
                faces += [face] * count
                i += 1
            else:
                faces += [some[word]] * there[some[word]] if word in some else [one.get(word, word)]
            i += 1
        return faces

    def counted(self, words: list[str]) -> tuple[int, ...]:
        """Return how many dice of each face are named; digits may be typed without spaces: ``665``.

        Raises
        ------
        ParameterError
            When a word is no face.
        """
        labels = [face.label.lower() for face in self.decision.die.faces]
        counts = [0] * len(labels)
        for word in words:
            parts = [word] if word in labels else list(word)
            for part in parts:
                if part not in labels:
                    raise ParameterError(
                        f"{quoted(word)} is not a die; on the table: {self.table()}; type the dice to keep, "
                        f"{self.example}{self.keys}"
                    )
                counts[labels.index(part)] += 1
        return tuple(counts)

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


def person(
    table: GameScreen,
    advice: Advice | None,
    asked: Advice | None,
    hear: Hear,
    news: Callable[[int], str] = lambda seat: "",
) -> Chooser:
    """Return a chooser that asks a person until a legal move has been typed.

    Parameters
    ----------
    table, hear
        Where the game is shown; reads a line.
    advice, asked
        Hints that are shown before each choice, and those that are shown if ``hint`` is typed.
    news
        Returns what has become known about hints that a seat has asked for, if anything.
    """
    ahead: list[str] = []  # a line that answers the next question as well

    def choose(game: Game, decision: Decision, seat: int) -> tuple[int, ...]:
        question = question_of(game, decision, at_terminal=True)
        if ahead:
            return question.extended((), ahead.pop())
        if question.moves == []:
            raise IllegalMoveError(f"player {seat + 1} is asked to choose in {decision.name}, but no move is allowed")
        with _outside(), table.alone(seat, hear):
            table.ask(decision, seat)
            table.show(indented(news(seat)))
            if advice is not None:
                show_hints(table, advice(game, decision, seat))
            hint = None if asked is None else partial(asked, game, decision, seat)
            return _answer(question, table, f"{table.names[seat]}: ", hint, hear, ahead)

    return choose


def show_hints(table: GameScreen, hints: Sequence[str]) -> None:
    """Show hints, with the best one in bold."""
    table.show(table.paint(line, "bold") if line.endswith("  best") else line for line in hints)


def _answer(
    question: OpenChoice,
    table: GameScreen,
    name: str,
    hint: Callable[[], list[str]] | None,
    hear: Hear,
    ahead: list[str],
) -> tuple[int, ...]:
    """Read lines until they make up a complete legal move; one that answers the next question too goes to `ahead`."""
    move: tuple[int, ...] = ()
    while len(move) < len(question.decision.kinds):
        line = hear(f"{name}{question.asked(move)} > ")
        try:
            beside = None if question.names(line) else aside(table, line)
            if beside is not None:
                table.show(beside)
            elif line.lower() in ("?", "help") and not question.names(line):
                table.show(question.explanation(table.standing(), hinted=hint is not None))
            elif hint is not None and line.lower() in ("hint", "hints") and not question.names(line):
                show_hints(table, hint())
            elif (straight := question.straight_on(line)) is not None:
                ahead.append(line)
                return straight
            else:
                move = question.extended(move, line)
        except ParameterError as error:
            table.show(indented(str(error)))
    return move


def noted(table: GameScreen, chooser: Chooser) -> Chooser:
    """Return a strategy that records each of its choices in the table's news."""

    def choose(game: Game, decision: Decision, seat: int) -> object:
        table.news.note(decision)
        return chooser(game, decision, seat)

    return choose


@dataclass
class Hand:
    """A source of dice that waits for Enter before each roll."""

    source: Source
    table: GameScreen
    hear: Hear
    waits: bool = True

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Wait for Enter if needed, then draw the next roll from `source`."""
        if self.waits:
            seat = self.table.thrower()
            with _outside():
                self.table.turn(seat)
                self.table.catch_up()
                self.table.stand()
                dice = f"{pool.count} {'die' if pool.count == 1 else 'dice'}"
                self.wait(f"{self.table.whose(seat)}Enter to roll {dice} > ")
        return self.source.draw(pool)

    def wait(self, prompt: str) -> None:
        """Read lines until Enter or ``roll``, or ``a``, which ends the waiting for this and all later rolls."""
        while (line := self.hear(prompt)).lower().split()[:1] not in ([], ["r"], ["roll"], ["throw"]):
            if line.lower() == "a":
                self.waits = False
                self.table.at_length.clear()
                return
            keys = "Enter rolls, a rolls to the end, ? shows the state of the game, q quits"
            self.table.show([*self.asked(line), *indented(keys)])

    def asked(self, line: str) -> list[str]:
        """Return the lines to show for a line that does not roll the dice."""
        if line in ("?", "help"):
            return self.table.standing()
        if line.lower() in ("hint", "hints"):
            return indented(f"no hints: nobody chooses anything in {self.table.game.name}; the dice decide")
        try:
            lines = aside(self.table, line)
        except ParameterError as error:
            return indented(str(error))
        return [f"  {quoted(line)} is not a command here"] if lines is None else lines


@contextmanager
def _outside() -> Iterator[None]:
    """Turn an output error into `Left`; people are asked while a rule runs, and the error is not the rule's fault."""
    try:
        yield
    except OSError as error:
        raise Left(ENDED, "can't write") from error
