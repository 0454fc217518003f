"""The games of a run that have been played so far, and the estimates from them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from dicelab.results.numbers.estimates import Average, Proportion, outcome_typed
from dicelab.results.numbers.intervals import LEVEL, LEVEL_OF_LOOKS
from dicelab.rules.game import outcome_names
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Tallied
from dicelab.runtime.states.tally_bounds import Bounds, declared_bounds, tally_bounds


class GamesSoFar:
    """The totals of the games played so far, as estimates.

    Parameters
    ----------
    run
        What is played.
    precision, on
        The half-width at which play stops, and the outcome or tally that it is about, as in `dicelab.simulate`. Where a
        precision decides how many games are played, the level of the intervals is higher.
    """

    def __init__(self, run: Run, precision: float | None = None, on: str | None = None) -> None:
        self.run, self.precision = run, precision
        self.on = None if on is None else outcome_typed(run.game, on)
        self.level = LEVEL if precision is None else LEVEL_OF_LOOKS
        self.outcome_names, self.tally_names = outcome_names(run.game), tuple(run.game.declared.tallies)
        self.total = Tallied.empty(max(1, len(self.outcome_names)), len(self.tally_names))

    @property
    def games(self) -> int:
        """Number of games."""
        return self.total.games

    def chances(self) -> list[Proportion]:
        """Return the estimated probability of each outcome."""
        return [Proportion(count, self.games, self.level) for count in self.total.counts]

    def averages(self) -> list[Average]:
        """Return the tallies; with proved bounds only if some interval would be infinite without them."""
        declared = enumerate(declared_bounds(self.run.game))
        averages = [Average(self.total.histogram(k), self.level, bounds) for k, bounds in declared]
        if not any(average.is_open for average in averages):
            return averages
        return [replace(average, bounds=bounds) for average, bounds in zip(averages, self._proved, strict=True)]

    @cached_property
    def _proved(self) -> list[Bounds]:
        return tally_bounds(self.run)

    def estimate(self, name: str) -> Proportion | Average:
        """Return the estimate of the outcome or of the tally with this name."""
        if name in self.outcome_names:
            return self.chances()[self.outcome_names.index(name)]
        return self.averages()[self.tally_names.index(name)]

    def is_precise(self) -> bool:
        """Return whether the half-width of every interval that the precision is about is small enough; False without
        one.
        """
        if self.precision is None:
            return False
        estimates = self.chances() if self.on is None else [self.estimate(self.on)]
        return all((high - low) / 2 <= self.precision for low, high in (one.interval for one in estimates))
