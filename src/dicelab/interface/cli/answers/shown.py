"""What `simulate` and `exact` show beside the result itself: a distribution, outcomes given a tally, a picture."""

from __future__ import annotations

from typing import Any

from dicelab.errors import ParameterError, unknown
from dicelab.interface.cli.commands import Asked
from dicelab.interface.cli.output import draw, form, say
from dicelab.results.base import Forms
from dicelab.rules.game import outcome_names
from dicelab.rules.params import whole_number


class Shown:
    """The options about output; the constructor takes them out of `settings` and checks them."""

    def __init__(self, asked: Asked, settings: dict[str, Any], simulated: bool) -> None:
        self.histogram: str | None = settings.pop("histogram")
        game = self.game = asked.game
        self.path = asked.plot
        self.of: str | None = settings.pop("of")
        given: str | None = settings.pop("given")
        tally_given, _, width = (given or "").partition(":")
        self.given = None if given is None else tally_given
        self.width = whole_number(width) if width else None
        if width and (self.width is None or self.width < 1):
            raise ParameterError(f"given: {given!r} is not allowed; it is written TALLY or TALLY:N, N being 1 or more")
        for tally in (self.histogram, self.given):
            if tally is not None and tally not in game.declared.tallies:
                raise unknown(f"tally of {game.name}", tally, game.declared.tallies)
        if self.given is not None and not outcome_names(game):
            raise ParameterError(f"{game.name} has no outcomes, only tallies, so --given has nothing to show")
        if self.histogram is not None and self.given is not None and form() == "csv":
            raise ParameterError("--csv prints one table: give --histogram or --given, not both")
        if self.of is not None and self.path is None:
            raise ParameterError("--of chooses what --plot draws; give --plot FILE as well")
        if self.path is not None:
            from dicelab.interface.cli.pictures import subject

            subject(game, self.of, simulated)

    def show(self, answer: Any, results: list[Any]) -> None:
        """Print an answer and draw its picture; `results` holds the simulation, the exact answer or both."""
        from dicelab.interface.cli.pictures import picture
        from dicelab.results.given import GivenTable
        from dicelab.results.histogram import Histogram

        last, further = results[-1], dict[str, Forms]()
        if self.histogram is not None:
            further["histogram"] = Histogram(self.histogram, last.tallies[self.histogram])
        if self.given is not None:
            further["given"] = GivenTable(self.given, last.given(self.given, self.width), last.seats)
        say(answer, further=further)
        given = (self.given, self.width) if self.given is not None and self.of is None else None
        draw(self.path, lambda plots: picture(plots, self.game, results, self.of, given))
