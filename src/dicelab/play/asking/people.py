"""Choosers and a source of dice that ask people at the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dicelab.errors import IllegalMoveError, ParameterError
from dicelab.play.asking.advice import Advice
from dicelab.play.asking.asides import aside
from dicelab.play.asking.keeping import question_of
from dicelab.play.asking.question import Question
from dicelab.play.keyboard import ENDED, Hear, Left
from dicelab.play.screen.hooks import standing
from dicelab.play.screen.table import Table
from dicelab.play.screen.text import indented
from dicelab.random.philox import Pool
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import Source
from dicelab.runtime.lineup import Chooser


def person(table: Table, advice: Advice, hear: Hear) -> Chooser:
    """A chooser that asks a person until a legal move has been typed."""

    def choose(game: Game, decision: Decision, seat: int) -> tuple[int, ...]:
        question = question_of(game, decision)
        if question.moves == []:
            raise IllegalMoveError(f"seat {seat + 1} is asked to choose in {decision.name}, but no move is allowed")
        with _outside():
            table.ask(decision, seat)
            hints = advice(game, decision, seat)
            table.show(table.paint(line, "bold") if line.endswith("  best") else line for line in hints)
            return _answer(question, table, f"{table.names[seat]}: ", hear)

    return choose


def _answer(question: Question, table: Table, name: str, hear: Hear) -> tuple[int, ...]:
    """Read lines until they make up a complete legal move."""
    move: tuple[int, ...] = ()
    while len(move) < len(question.decision.kinds):
        line = hear(f"{name}{question.asked(move)} > ")
        try:
            beside = None if question.names(line) else aside(table.game, line)
            if beside is not None:
                table.show(beside)
            elif line.lower() in ("?", "help") and not question.names(line):
                table.show(question.explanation())
            else:
                move = question.extended(move, line)
        except ParameterError as error:
            table.show(indented(str(error)))
    return move


def noted(table: Table, chooser: Chooser) -> Chooser:
    """A strategy that records each of its choices in the table's news."""

    def choose(game: Game, decision: Decision, seat: int) -> object:
        table.news.note(decision)
        return chooser(game, decision, seat)

    return choose


@dataclass
class Hand:
    """A source of dice that waits for Enter before each roll."""

    source: Source
    table: Table
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
        """Read lines until Enter alone, or ``a``, which ends the waiting for this and all later rolls."""
        while line := self.hear(prompt):
            if line.lower() == "a":
                self.waits = False
                self.table.at_length.clear()
                return
            self.table.show(
                [*self.asked(line), "  Enter rolls, a rolls to the end, ? shows the state of the game, q quits"]
            )

    def asked(self, line: str) -> list[str]:
        """The lines to show for a line that does not roll the dice."""
        if line in ("?", "help"):
            return standing(self.table.game)
        try:
            lines = aside(self.table.game, line)
        except ParameterError as error:
            return indented(str(error))
        return [f"  {line!r} is not a command here"] if lines is None else lines


@contextmanager
def _outside() -> Iterator[None]:
    """Turn an output error into `Left`; people are asked while a rule runs, and the error is not the rule's fault."""
    try:
        yield
    except OSError as error:
        raise Left(ENDED, "can't write") from error
