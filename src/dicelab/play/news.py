"""Which numbers of the state are worth telling, and when."""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.play.state import turn_field, value_words
from dicelab.play.text import in_words
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Flag
from dicelab.rules.game import Game, position
from dicelab.runtime.transcript import State


class News:
    """The state as it was told last, and as it is now.

    A number is told when it has changed. At a choice those are told as well that were not the same at every choice of
    this kind so far: the others say no more than the question does.

    Parameters
    ----------
    game
        The game that is played; it stands at its beginning.
    you
        The seat whose numbers are marked as yours; -1 for none.
    flags
        Are changed flags told? They mostly say what may happen next, which a choice tells anyway.
    """

    def __init__(self, game: Game, you: int, flags: bool) -> None:
        self.game = game
        self.you = you
        self.turn_field = turn_field(game)
        self.flags = {name for name, field in game.declared.state.items() if isinstance(field, Flag)}
        self.silent = {self.turn_field} if flags else {self.turn_field, *self.flags}
        self.opening = self.told = self.now = position(game)
        self.first: dict[str, State] = {}
        self.varied: dict[str, set[str]] = {}

    def look(self) -> None:
        """See how the game stands now."""
        self.now = position(self.game)

    def note(self, decision: Decision) -> None:
        """See how the game stands at a choice."""
        self.look()
        first = self.first.setdefault(decision.name, self.now)
        different = {name for name in first if self.now[name] != first[name]}
        self.varied.setdefault(decision.name, set()).update(different)

    def changes(self) -> list[str]:
        """What has changed since it was told last."""
        return self._words([name for name in self.now if self.now[name] != self.told[name] and name not in self.silent])

    def at(self, decision: Decision) -> list[str]:
        """What a person who is to choose has to know."""
        self.note(decision)
        varied = self.varied[decision.name]
        names = [name for name in self.now if name in varied or self._is_news(name)]
        return self._words([name for name in names if name != self.turn_field])

    def _words(self, names: Sequence[str]) -> list[str]:
        """These fields in words; all count as told now."""
        before, self.told = self.told, self.now
        return [f"{in_words(n)} {value_words(self.game, n, self.now[n], before[n], self.you)}" for n in names]

    def _is_news(self, name: str) -> bool:
        """Has this number changed since it was told last, and not merely back to what it was at the beginning?"""
        return name not in self.flags and self.now[name] not in (self.told[name], self.opening[name])
