"""What a game says of itself to people, where it defines the hooks for it: `Game.view`, `told`, `menu`."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap

from dicelab.play.state import legend
from dicelab.play.text import screen_width
from dicelab.rules.game import Game, twin
from dicelab.runtime.interpreter import Explained


def view_lines(game: Game) -> list[str]:
    """How the game stands as it draws itself; nothing where it does not.

    Raises
    ------
    PlayError
        When the hook goes wrong; so with the others.
    """
    with Explained(game):
        text = game.view()
    return folded(text)


def standing(game: Game) -> list[str]:
    """How the game stands: as it draws itself, or its fields with their meaning."""
    return view_lines(game) or legend(game, screen_width())


def menu_of(game: Game) -> Mapping[str, Mapping[str, str]]:
    """What may be chosen now, in groups, where a game says so."""
    with Explained(game):
        return game.menu()


class Teller:
    """Asks a game what has happened, step by step."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.tells = type(game).told is not Game.told
        self.before = twin(game) if self.tells else game

    def lines(self, what: str, values: tuple[int, ...]) -> list[str]:
        """What a throw or a choice has done, in the words of the game; nothing where it has none for it."""
        if not self.tells:
            return []
        with Explained(self.game):
            text = self.game.told(self.before, what, *values)
        self.before = twin(self.game)
        return folded(text)


def folded(text: str) -> list[str]:
    """Lines of a game, a little to the right, and folded where the screen is narrower."""
    width, lines = screen_width(), []
    for line in text.splitlines():
        inset = " " * (2 + len(line) - len(line.lstrip()))
        short = len(line) + 2 <= width
        lines += [f"  {line}"] if short else wrap(line, width, initial_indent=inset, subsequent_indent=inset + "  ")
    return lines
