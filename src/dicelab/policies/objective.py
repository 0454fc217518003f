"""What is wanted of a game: to win, an outcome, as much or as little as possible of a tally."""

from __future__ import annotations

from dataclasses import dataclass

from dicelab.errors import ParameterError, unknown
from dicelab.results.provenance import winners
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, outcome_names


@dataclass(frozen=True)
class Objective:
    """What is wanted: as much or as little as possible of a tally, or an outcome."""

    text: str
    kind: str
    """``win``, ``outcome``, ``most`` or ``fewest``."""
    number: int = -1
    """Of the outcome or tally; -1 for ``win``."""

    @classmethod
    def of(cls, game: Game, text: str | None) -> Objective:
        """Read an objective: ``win``, the name of an outcome, ``most:TALLY`` or ``fewest:TALLY``.

        None is ``win`` where seats win or some outcome is called so.

        Raises
        ------
        ParameterError, UnknownNameError
        """
        names, tallies = outcome_names(game), tuple(game.declared.tallies)
        if text is None:
            if not winners(game) and "win" not in names:
                wanted = [*names, *(f"{much}:{tally}" for tally in tallies for much in ("most", "fewest"))]
                raise ParameterError(f"{game.name}: say what is wanted; objective is one of {', '.join(wanted)}")
            text = "win"
        if text == "win" and winners(game):
            return cls(text, "win")
        much, _, tally = text.partition(":")
        if tally and much in ("most", "fewest"):
            if tally not in tallies:
                raise unknown(f"tally of {game.name}", tally, tallies)
            if isinstance(game.declared.tallies[tally], Peak):
                raise ParameterError(f"objective: {tally} is a Peak, which is not a sum over the steps of a game")
            return cls(text, much, tallies.index(tally))
        if text not in names:
            raise unknown(f"outcome of {game.name}", text, names)
        return cls(text, "outcome", names.index(text))
