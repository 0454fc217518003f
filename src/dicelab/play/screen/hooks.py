"""Calls of a game's optional hooks for people: `Game.view`, `told`, `menu`, `prompt`."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap

from dicelab.play.screen.secrets import Secrets
from dicelab.play.screen.text import screen_width
from dicelab.rules.game import Game, twin
from dicelab.runtime.interpreter import Explained


def view_lines(game: Game, secrets: Secrets) -> list[str]:
    """The lines of the hook `view`; empty if the game does not define it, or if it reads what is hidden.

    Raises
    ------
    PlayError
        When a hook fails; this applies to all functions here.
    """
    with Explained(game):
        text = secrets.words(game.view)
    return folded(text or "")


def menu_of(game: Game) -> Mapping[str, Mapping[str, str]]:
    """The choices allowed now, in groups, from the hook `menu`; empty if the game does not define it."""
    with Explained(game):
        return game.menu()


def prompt_of(game: Game) -> str:
    """The question before a choice, from the hook `prompt`; empty if the game does not define it."""
    with Explained(game):
        return game.prompt()


class Teller:
    """Calls the hook `told` after each step, with the game before the step (`before`)."""

    def __init__(self, game: Game, secrets: Secrets | None = None) -> None:
        self.game = game
        self.secrets = secrets or Secrets(game, -1, people=False)
        self.tells = type(game).told is not Game.told
        self.before = twin(game) if self.tells else game

    def lines(self, what: str, values: tuple[int, ...]) -> list[str] | None:
        """The game's description of what a roll or a choice has done; None if it has none, or reads what is hidden."""
        if not self.tells:
            return None
        before, self.before = self.before, twin(self.game)
        with Explained(self.game):
            text = self.secrets.words(lambda: self.game.told(before, what, *values), self.game, before)
        return None if text is None else folded(text)


def folded(text: str) -> list[str]:
    """Indent the lines of a text and wrap them to the width of the screen."""
    width, lines = screen_width(), []
    for line in text.splitlines():
        inset = " " * (2 + len(line) - len(line.lstrip()))
        short = len(line) + 2 <= width
        lines += [f"  {line}"] if short else wrap(line, width, initial_indent=inset, subsequent_indent=inset + "  ")
    return lines
