"""Calls of a game's optional hooks for people: `Game.view`, `told`, `menu`, `prompt`."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap

from dicelab.play.screen.state import legend
from dicelab.play.screen.text import screen_width
from dicelab.rules.game import Game, twin
from dicelab.runtime.interpreter import Explained


def view_lines(game: Game) -> list[str]:
    """The lines of the hook `view`; empty if the game does not define it.

    Raises
    ------
    PlayError
        When a hook fails; this applies to all functions here.
    """
    with Explained(game):
        text = game.view()
    return folded(text)


def standing(game: Game) -> list[str]:
    """The state of the game: its `view`, or its fields with their meaning."""
    return view_lines(game) or legend(game, screen_width())


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

    def __init__(self, game: Game) -> None:
        self.game = game
        self.tells = type(game).told is not Game.told
        self.before = twin(game) if self.tells else game

    def lines(self, what: str, values: tuple[int, ...]) -> list[str]:
        """The game's description of what a roll or a choice has done; empty if it has none."""
        if not self.tells:
            return []
        with Explained(self.game):
            text = self.game.told(self.before, what, *values)
        self.before = twin(self.game)
        return folded(text)


def folded(text: str) -> list[str]:
    """Indent the lines of a text and wrap them to the width of the screen."""
    width, lines = screen_width(), []
    for line in text.splitlines():
        inset = " " * (2 + len(line) - len(line.lstrip()))
        short = len(line) + 2 <= width
        lines += [f"  {line}"] if short else wrap(line, width, initial_indent=inset, subsequent_indent=inset + "  ")
    return lines
