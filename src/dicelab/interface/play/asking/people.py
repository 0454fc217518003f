"""Choosers and a source of dice that ask people at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from dicelab.errors import IllegalMoveError, ParameterError
from dicelab.interface.play.asking.advice import Advice
from dicelab.interface.play.asking.asides import aside
from dicelab.interface.play.asking.keeping import question_of
from dicelab.interface.play.asking.question import OpenChoice
from dicelab.interface.play.keyboard import ENDED, Hear, Left
from dicelab.interface.play.screen.shown_game import GameScreen
from dicelab.interface.play.screen.text import indented, quoted
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import Source
from dicelab.runtime.lineup import Chooser
from dicelab.runtime.philox import Pool


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
