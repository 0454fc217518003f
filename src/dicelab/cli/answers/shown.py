"""What `simulate` and `exact` show beside the result itself: a distribution, outcomes given a tally, a picture."""

from __future__ import annotations

import json
from typing import Any

from dicelab.cli.commands import Asked
from dicelab.cli.output import form, page, put, remark
from dicelab.errors import ParameterError, unknown
from dicelab.results.base import as_csv
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
            from dicelab.cli.pictures import subject

            subject(game, self.of, simulated)

    def show(self, answer: Any, results: list[Any]) -> None:
        """Print an answer and draw its picture; `results` holds the simulation, the exact answer or both."""
        shown = {"json": self._data, "csv": self._csv, "text": self._text}[form()]
        put(shown(answer, results[-1]))
        if self.path is not None:
            from dicelab.cli.pictures import draw

            given = (self.given, self.width) if self.given is not None and self.of is None else None
            draw(self.game, results, self.of, self.path, given)
            remark(f"drawn: {self.path}")

    def _data(self, answer: Any, last: Any) -> str:
        """The answer as JSON."""
        from dicelab.results.histogram import histogram_data

        data = answer.to_dict()
        if self.histogram is not None:
            data["histogram"] = histogram_data(last.tallies, self.histogram)
        if self.given is not None:
            rows = [row.to_dict() for row in last.given(self.given, self.width)]
            data["given"] = {"tally": self.given, "rows": rows}
        return json.dumps(data)

    def _csv(self, answer: Any, last: Any) -> str:
        """The distribution or the groups if they were asked for, else the rows of the answer."""
        if self.histogram is not None:
            chances = last.tallies[self.histogram].probabilities
            rows = [{self.histogram: value, "probability": p} for value, p in chances.items()]
        elif self.given is not None:
            rows = [row.flat(self.given) for row in last.given(self.given, self.width)]
        else:
            return str(answer.to_csv(page().full)).rstrip("\n")
        return as_csv(rows, page().full).rstrip("\n")

    def _text(self, answer: Any, last: Any) -> str:
        """The answer as text, with a distribution and groups below it if they were asked for."""
        from dicelab.results.given import given_text
        from dicelab.results.histogram import histogram_text

        parts = [answer.text(page())]
        if self.histogram is not None:
            parts.append(histogram_text(last.tallies, self.histogram, page()))
        if self.given is not None:
            parts.append(given_text(last.given(self.given, self.width), self.given, page(), last.seats))
        return "\n\n".join(parts)
