"""Compares an engine with the reference engine on the first games of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dicelab.errors import EngineMismatchError
from dicelab.rules.game import Game, outcome_names
from dicelab.runtime.interpreter import Played
from dicelab.runtime.scheduler import Engine
from dicelab.runtime.totals import Tallied

GAMES, SHARE = 200, 100
"""Limits on the games compared: their number, and one in `SHARE` of the games asked for."""


@dataclass
class Replay:
    """Results of the first games of a run, as the reference engine played them.

    Attributes
    ----------
    game
        The game with its parameters.
    seed
        Seed of the run.
    records
        Whether the run keeps a record of every game.
    low
        Index of the first game kept.
    kept
        Outcome and tallies of up to `GAMES` consecutive games.
    """

    game: Game
    seed: int
    records: bool
    low: int = 0
    kept: list[Played] = field(default_factory=list)

    def keep(self, index: int, result: Tallied) -> None:
        """Keep the result of one game, if it is one of the first."""
        if not self.kept:
            self.low = index
        if len(self.kept) < GAMES and index == self.low + len(self.kept):
            outcome = result.counts.index(1)
            self.kept.append(Played(outcome, tuple(next(iter(values)) for values in result.histograms[outcome])))

    def games(self, asked: int) -> int:
        """Number of games to compare in a run of `asked` games."""
        return min(len(self.kept), asked // SHARE)

    def compare(self, engine: Engine, games: int) -> None:
        """Play the first games again on another engine and compare the results, which are not counted.

        Raises
        ------
        EngineMismatchError
            If a game has another result; with the seed, the game index and both results.
        """
        found, expected = engine.play(self.seed, self.low, self.low + games), self._tallied(self.kept[:games])
        if _equal(found, expected):
            return
        where = f"games {self.low} to {self.low + games - 1} played together, though not one by one"
        for index, played in enumerate(self.kept[:games], self.low):
            alone, one = engine.play(self.seed, index, index + 1), self._tallied([played])
            if not _equal(alone, one):
                where, found, expected = f"game {index}", alone, one
                break
        raise EngineMismatchError(
            f"{self.game.name}: two engines disagree on seed {self.seed}, {where}: the {engine.name} engine has "
            f"{self._words(found)}; the reference engine has {self._words(expected)}; please report this, and use "
            "--engine reference meanwhile"
        )

    def _tallied(self, games: Sequence[Played]) -> Tallied:
        """The sums over some games."""
        total = Tallied.empty(max(1, len(outcome_names(self.game))), len(self.game.declared.tallies))
        for played in games:
            total.count(played.outcome, played.tallies)
        if self.records:
            total.records.append([(played.outcome, *played.tallies) for played in games])
        return total

    def _words(self, total: Tallied) -> str:
        """A sentence part: outcome and tallies of one game, or games in each outcome and sums of tallies of several."""
        counts = [(name, n) for name, n in zip(outcome_names(self.game), total.counts, strict=False) if n]
        outcomes = [f"outcome {name}" if total.games == 1 else f"{n} games {name}" for name, n in counts]
        names = enumerate(self.game.declared.tallies)
        return ", ".join([*outcomes, *(f"{name} {sum(total.histogram(k).elements())}" for k, name in names)])


def _equal(one: Tallied, other: Tallied) -> bool:
    """Whether counts, histograms and records are the same."""
    rows = [[tuple(int(n) for n in row) for part in total.records for row in part] for total in (one, other)]
    return rows[0] == rows[1] and (one.counts, one.histograms) == (other.counts, other.histograms)
