"""A race: players take turns independently of each other, and the one that needs the fewest turns wins.

The number of turns of a strategy is the answer about a game for one seat. These numbers are independent, so a few such
small chains give the chances of all pairs, and of any number of players at one table.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from operator import itemgetter
from typing import Any

import numpy as np

from dicelab.errors import ParameterError, unknown
from dicelab.keywords import keywords
from dicelab.questions.exact import exact
from dicelab.results.base import BaseResult, about
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import percent
from dicelab.results.text.table import Column, Table, chance, plain
from dicelab.results.text.writing import upper
from dicelab.rules.game import Game, seat_count
from dicelab.rules.params import whole
from dicelab.runtime.arrays import Floats
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import AnyStrategy, as_list
from dicelab.runtime.timing import Stopwatch

MOST_TURNS = 10_000_000
"""Largest number of turns for which the distribution is stored as an array."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Race(BaseResult):
    """The number of turns that each strategy needs alone.

    Attributes
    ----------
    ends
        float64 array: probability of each strategy (row) to need 0, 1, 2, ... turns (column).
    error
        Bound on the error of a chance to win of one against another.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.race("verification/pig_alone.py", ["hold_at:20", "hold_at:25"], target=20)
    >>> found.first_wins.shape
    (2, 2)
    """

    ends: Floats
    error: float

    method = "race"
    entries = {
        "error": "number: bound on the error of each probability",
        "first_wins": (
            "[[number]]: probability that the first player wins, for each pair of strategies (row against column)"
        ),
    }

    @property
    def names(self) -> list[str]:
        """The strategies."""
        return self.strategies

    @property
    def after(self) -> Floats:
        """Probability of each strategy to need more than 0, 1, 2, ... turns."""
        return np.maximum(0.0, 1.0 - np.cumsum(self.ends, axis=1))

    @property
    def first_wins(self) -> Floats:
        """Chance to win of the first seat with the strategy of the row, against the strategy of the column.

        The first seat wins if it needs no more turns than the second. Each sum is rounded once, so that it is the same
        on every machine.
        """
        pairs = [[fsum(one * other) for other in self._not_fewer] for one in self.ends]
        return np.array(pairs).reshape(len(self.ends), -1)

    @property
    def _not_fewer(self) -> Floats:
        """Probability of each strategy to need 0, 1, 2, ... turns or more."""
        return np.hstack((np.ones((len(self.ends), 1)), self.after[:, :-1]))

    def seats(self, name: str, players: int) -> list[float]:
        """Chance to win of each seat if all play one strategy: earlier seats need more turns, later ones no fewer.

        Raises
        ------
        UnknownNameError
            When the strategy isn't in the race.
        ParameterError
            When there is no player.
        """
        if name not in self.strategies:
            raise unknown("strategy of this race", name, self.strategies)
        players = whole("players", players)
        row = self.strategies.index(name)
        now, more, not_fewer = self.ends[row], self.after[row], self._not_fewer[row]
        return [float((now * more**seat * not_fewer ** (players - 1 - seat)).sum()) for seat in range(players)]

    def _table(self) -> Table:
        def pairs(row: tuple[str, list[float]]) -> list[dict[str, Any]]:
            return [{"second": name, "first_wins": p} for name, p in zip(self.strategies, row[1], strict=True)]

        wins = [
            Column("", chance, name, lambda row, at=at: row[1][at])  # type: ignore[misc]
            for at, name in enumerate(self.strategies)
        ]
        first = Column("first", plain, "first wins against", itemgetter(0))
        rows = list(zip(self.strategies, self.first_wins.tolist(), strict=True))
        return Table([first, *wins, Column("*", data=pairs)], rows)

    def _sentence(self) -> str:
        wins = self.first_wins
        if len(wins) == 1:
            return f"{self.strategies[0]} begins and wins {percent(float(wins[0, 0]))} of games against itself"
        worst = [min(float(row[j]) for j in range(len(row)) if j != i) for i, row in enumerate(wins)]
        who = f"{self.strategies[int(np.argmax(worst))]} begins and wins {percent(max(worst))}"
        return f"{who} of games or more, whichever of the other strategies it plays against"

    def _lines(self, page: Printing) -> list[str]:
        last = f"exact, error below {upper(self.error)}, {self.seconds:.3f} s"
        return [*self._head(page, ()), "", *self._table().lines(page), "", last]


@keywords
def race(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Sequence[AnyStrategy],
    *,
    tally: str = "turns",
    **parameters: object,
) -> Race:
    """Return the chances of strategies against each other in a race, exactly.

    Parameters
    ----------
    game, **parameters
        As in `dicelab.simulate`; a game for one seat.
    strategies
        The strategies to compare.
    tally
        What counts the turns.

    Raises
    ------
    InputError
        When something given is unknown or not allowed.
    TooLarge, PlayError

    Examples
    --------
    >>> alone = race("verification/pig_alone.py", ["hold_at:20", "hold_at:25"], target=50)
    >>> alone.first_wins.round(4).tolist()
    [[0.5556, 0.4887], [0.607, 0.5475]]
    """
    if isinstance(strategies, str) or not len(strategies):
        raise ParameterError("strategies: give a list of strategies, one or more")
    given = as_list(strategies)
    watch, run, rows = Stopwatch(), Run.of(game, **parameters), []
    if (seats := seat_count(run.game)) > 1:
        raise ParameterError(
            f"a race needs a game for one seat, where a strategy plays alone; {run.game.name} has {seats} seats"
        )
    for name in given:
        spread = exact(run.game, name, fractions=False, tallies=tally).tallies[tally].spread
        if spread is None:
            raise ParameterError(f"the distribution of {tally} with {name} takes too much memory")
        if spread.values[0] < 0:
            raise ParameterError(f"{tally} may be negative; a race needs a count of turns")
        rows.append(spread)
    longest = max(int(spread.values[-1]) for spread in rows)
    if longest >= MOST_TURNS:
        raise ParameterError(f"{tally} may be {longest:,}; a race needs a count of turns, below {MOST_TURNS:,}")
    ends = np.zeros((len(rows), 1 + longest))
    for row, spread in zip(ends, rows, strict=True):
        row[spread.values] = spread.chances
    errors = sorted(spread.error for spread in rows)
    error = float(sum(errors[-2:]))
    return Race(**about(run.game, given), seconds=watch.seconds, ends=ends, error=error)
