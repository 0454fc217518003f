"""The moves of a saved game, made once more before the game is played on."""

from __future__ import annotations

from collections import deque

from dicelab.interface.play.keyboard import Hear
from dicelab.interface.play.saved.moves import Script
from dicelab.interface.play.screen.faces import Faces
from dicelab.interface.play.screen.table import GameScreen
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.rules.wording import move_words
from dicelab.runtime.interpreter import Source
from dicelab.runtime.lineup import Chooser
from dicelab.runtime.philox import Pool


class Past(Faces):
    """The rolls of a saved game, then those of `source`; and the choices of the saved game.

    While saved rolls last, `source` rolls too, so that the dice of a seed go on where the game was left.
    """

    def __init__(self, script: Script, source: Source) -> None:
        super().__init__(source)
        self._saved, self._choices = deque(script.rolls), deque(script.choices)

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll."""
        seen = super().draw(pool)
        if not self._saved:
            return seen
        rolled = self._saved.popleft()
        self.last = rolled.faces or () if self.last else ()
        return rolled.seen

    def chooser(self, chooser: Chooser, table: GameScreen) -> Chooser:
        """Return a chooser that makes the saved choices, then those of `chooser`."""

        def choose(game: Game, decision: Decision, seat: int) -> object:
            if not self._choices:
                return chooser(game, decision, seat)
            if seat not in table.people:
                chooser(game, decision, seat)  # a strategy may remember what it saw
                return self._choices.popleft()
            table.ask(decision, seat)
            table.say(f"{table.names[seat]}: {move_words(game, decision, self._choices[0])}")
            return self._choices.popleft()

        return choose

    def hear(self, hear: Hear) -> Hear:
        """Return a function that reads a line, and nothing while there are saved rolls."""
        return lambda prompt: "" if self._saved else hear(prompt)
