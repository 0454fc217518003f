"""Decide which fields of the state to show, and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dicelab.interface.play.screen.state import State, unset, value_words
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Flag
from dicelab.rules.game import Game
from dicelab.rules.wording import called, turn_field


class News:
    """The state as last shown, and the current one.

    A field is shown when it has changed. At a choice, fields whose value has varied between the choices of this kind
    are shown as well.

    Parameters
    ----------
    game
        The game to be played, in its initial state.
    you
        The seat whose values are marked as yours; -1 for none.
    flags
        Whether changes of flags are shown. Most flags control what happens next, which the question shows anyway.
    seen
        Returns the state without what is hidden.
    """

    def __init__(self, game: Game, you: int, flags: bool, seen: Callable[[], State]) -> None:
        self.game = game
        self.you = you
        self.seen = seen
        self.turn_field = turn_field(game)
        self.flags = {name for name, field in game.declared.state.items() if isinstance(field, Flag)}
        self.silent = {self.turn_field, *game.words.hidden, *(() if flags else self.flags)}
        self.opening = self.shown = self.now = self.seen()
        self.first: dict[str, State] = {}
        self.varied: dict[str, set[str]] = {}

    def look(self) -> None:
        """Record the current state."""
        self.now = self.seen()

    def note(self, decision: Decision) -> None:
        """Record the current state at a choice, and which fields differ from the first choice of this kind."""
        self.look()
        first = self.first.setdefault(decision.name, self.now)
        different = {name for name in first if self.now[name] != first[name]}
        self.varied.setdefault(decision.name, set()).update(different)

    def changes(self) -> list[str]:
        """Return the fields that have changed since they were last shown, as text."""
        changed = [name for name in self.now if self.now[name] != self.shown[name]]
        return self._words([name for name in changed if name not in self.silent])

    def at(self, decision: Decision) -> list[str]:
        """Return the fields to show to a person at a choice, as text."""
        self.note(decision)
        varied = self.varied[decision.name]
        names = [name for name in self.now if (name in varied or self._is_news(name)) and not unset(self.game, name)]
        return self._words([name for name in names if name != self.turn_field and name not in self.game.words.hidden])

    def _words(self, names: Sequence[str]) -> list[str]:
        """Return these fields as text; all fields count as shown from now on."""
        before, self.shown = self.shown, self.now
        return [f"{called(self.game, n)} {value_words(self.game, n, self.now[n], before[n], self.you)}" for n in names]

    def _is_news(self, name: str) -> bool:
        """Return whether a field has changed since it was last shown, and to another value than its initial one."""
        return name not in self.flags and self.now[name] not in (self.shown[name], self.opening[name])
