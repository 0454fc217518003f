"""Calls of a game's optional hooks for people: `Game.view`, `told`, `menu`, `prompt`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

from dicelab.interface.play.screen.secrets import Secrets
from dicelab.interface.play.screen.text import screen_width
from dicelab.results.text.sentences import the
from dicelab.rules.game import Game, player_names, twin
from dicelab.rules.wording import gain, sentences, turn_field
from dicelab.rules.words import Sheet, player_name
from dicelab.runtime.interpreter import Explained


def view_lines(game: Game, secrets: Secrets) -> list[str]:
    """Return the lines of the hook `view`; empty if the game does not define it, or if it reads what is hidden.

    Raises
    ------
    PlayError
        When a hook fails; this applies to all functions here.
    """
    with Explained(game):
        text = secrets.words(game.view)
    return folded(text or "")


def menu_of(game: Game) -> Mapping[str, Mapping[str, str]]:
    """Return the choices allowed now, in groups, from the hook `menu`; empty if the game does not define it."""
    with Explained(game):
        return game.menu()


def prompt_of(game: Game) -> str:
    """Return the question before a choice, from the hook `prompt`; empty if the game does not define it."""
    with Explained(game):
        return game.prompt()


class Teller:
    """Says what each step has done: by the hook `told`, or in the sentences that the game declares.

    Attributes
    ----------
    tells
        Whether the game says it itself, or shows a board, so that changes of fields need not be listed.
    filled
        What the rows of score sheets have scored, by choice, value and seat.
    """

    def __init__(self, game: Game, secrets: Secrets | None = None, names: Sequence[str] = ()) -> None:
        self.game = game
        self.names = names
        self.secrets = secrets or Secrets(game, -1, people=False)
        self.hooked = type(game).told is not Game.told
        self.tells = self.hooked or bool(game.words.news or game.words.board)
        self.before = twin(game) if self.tells else game
        self.filled: dict[tuple[str, int, int], int] = {}

    def sentences(self, what: str, values: tuple[int, ...]) -> list[str] | None:
        """Return the game's description of what a roll or a choice has done; None if it has none, or reads what is
        hidden.
        """
        if not self.tells:
            return None
        before, self.before = self.before, twin(self.game)
        if not self.hooked:
            return self._declared(before, what, values)
        with Explained(self.game):
            text = self.secrets.words(lambda: self.game.told(before, what, *values), self.game, before)
        return None if text is None else text.splitlines()

    def _declared(self, before: Game, what: str, values: tuple[int, ...]) -> list[str] | None:
        """Return the sentences that the game declares about a step; None if there are none. Scores
        of sheets are noted.
        """
        seat = _mover(before)
        decision = next((d for d in before.declared.decisions if d.name == what), None)
        if decision is not None and any(isinstance(part, Sheet) for part in self.game.words.board):
            with Explained(before):
                self.filled[what, values[0], seat] = gain(before, decision, values, seat) or 0
        name = self.names[seat].partition(" (")[0] if 0 <= seat < len(self.names) else player_name(seat)
        name = the(name) if name in player_names(self.game) else name
        return sentences(before, self.game, what, values, seat, name) or None


def _mover(game: Game) -> int:
    """Whose turn it is, as far as the state says."""
    field = turn_field(game)
    return int(game.__dict__[field]) if field else 0


def folded(text: str) -> list[str]:
    """Indent the lines of a text and wrap them to the width of the screen."""
    width, lines = screen_width(), []
    for line in text.splitlines():
        inset = " " * (2 + len(line) - len(line.lstrip()))
        short = len(line) + 2 <= width
        lines += [f"  {line}"] if short else wrap(line, width, initial_indent=inset, subsequent_indent=inset + "  ")
    return lines
