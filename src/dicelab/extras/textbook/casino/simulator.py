"""Simulate sessions of a player, and summarise their durations and maxima."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from dicelab.errors import ParameterError
from dicelab.extras.textbook.casino.craps_game import CrapsGame
from dicelab.extras.textbook.casino.players import CrapsPlayer
from dicelab.rules.params import as_integer
from dicelab.runtime.philox import below, word

T = TypeVar("T")


class StreamChoice:
    """Random numbers for `Dice` from dicelab's stream: those of one game of two dice, see ``docs/stream.md``.

    Parameters
    ----------
    seed, game
        Seed, and index of the game.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import Dice
    >>> dice = Dice(StreamChoice(seed=1, game=0))
    >>> str(dice.roll()), str(dice.roll())
    ('6,3', '6,3')
    """

    def __init__(self, seed: int, game: int) -> None:
        self.seed = seed
        self.game = game
        self.throws = 0

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items, all equally likely."""
        throw = self.throws
        self.throws += 1
        return items[below(len(items), lambda lane: word(self.seed, self.game, throw, lane))]


class IntegerStatistics(list[int | Fraction]):
    """Numbers, and their mean and deviation.

    Examples
    --------
    >>> numbers = IntegerStatistics([2, 4, 4, 4, 5, 5, 7, 9])
    >>> numbers.mean(), round(numbers.stdev(), 4)
    (5.0, 2.1381)
    """

    def mean(self) -> float:
        """Return the mean.

        Raises
        ------
        ParameterError
            When there are no numbers.
        """
        if not self:
            raise ParameterError("there are no numbers to take a mean of; gather some samples first")
        return float(statistics.mean(map(Fraction, self)))

    def stdev(self) -> float:
        """Return the standard deviation of a sample: squares are divided by the number of values minus 1.

        Raises
        ------
        ParameterError
            When there are fewer than two numbers.
        """
        if len(self) < 2:
            raise ParameterError(f"a deviation takes at least two numbers, not {len(self)}; gather more samples")
        return float(statistics.stdev(map(Fraction, self)))


class Simulator:
    """Simulates sessions of a player, and records the duration and the largest amount of money of each.

    Parameters
    ----------
    game, player
        The game and its player.
    initDuration
        Number of throws before which the player bets; later, bets on the table are played out.
    initStake
        Initial money.
    samples
        Number of sessions.
    seed
        Session k has the throws of game k of this seed, counted from 0. If None, the dice use their own source.

    Attributes
    ----------
    durations, maxima
        For each session the number of throws, and the largest amount of money after a throw. Money on the table is not
        counted, as it may be lost.

    Raises
    ------
    ParameterError
        When one of the numbers is not a whole number in its range.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsPlayerPass
    >>> game = CrapsGame()
    >>> simulator = Simulator(game, CrapsPlayerPass(game.table), samples=3, seed=1)
    >>> simulator.gather()
    >>> print(simulator.report())
    3 sessions of CrapsPlayerPass, from 100
                 mean  deviation
    durations  252.67       0.58
    maxima     101.33       1.53
    """

    def __init__(
        self,
        game: CrapsGame,
        player: CrapsPlayer,
        *,
        initDuration: int = 250,
        initStake: int = 100,
        samples: int = 50,
        seed: int | None = None,
    ) -> None:
        wanted = {"initDuration": initDuration, "initStake": initStake, "samples": samples}
        for name, value in wanted.items():
            number = as_integer(value)
            if number is None or number < 1:
                raise ParameterError(f"{name}: {value!r} is not allowed; it is a whole number, at least 1")
        key = 0 if seed is None else as_integer(seed)
        if key is None or not 0 <= key < 2**64:
            raise ParameterError(f"seed: {seed!r} is not allowed; it is a whole number, 0 to 2**64 - 1")
        self.game = game
        self.player = player
        self.initDuration = initDuration
        self.initStake = initStake
        self.samples = samples
        self.seed = seed
        self.durations = IntegerStatistics()
        self.maxima = IntegerStatistics()

    def session(self) -> list[int | Fraction]:
        """Play one session; return the player's money after each throw."""
        self.game.reset()
        self.player.reset(self.initDuration, self.initStake)
        stakes = []
        while self.player.playing():
            self.game.cycle(self.player)
            stakes.append(self.player.stake)
        return stakes

    def gather(self) -> None:
        """Play all sessions and record duration and maximum of each, replacing earlier records."""
        self.durations.clear()
        self.maxima.clear()
        chance = self.game.dice.rng
        try:
            for number in range(self.samples):
                if self.seed is not None:
                    self.game.dice.rng = StreamChoice(self.seed, number)
                stakes = self.session()
                self.durations.append(len(stakes))
                self.maxima.append(max(stakes, default=self.initStake))
        finally:
            self.game.dice.rng = chance

    def report(self) -> str:
        """Mean and deviation of durations and maxima, as a table.

        Raises
        ------
        ParameterError
            When fewer than two samples were gathered.
        """
        lines = [f"{len(self.durations)} sessions of {type(self.player).__name__}, from {self.initStake}"]
        lines.append(f"{'':9}  {'mean':>6}  {'deviation':>9}")
        for name, numbers in (("durations", self.durations), ("maxima", self.maxima)):
            lines.append(f"{name:9}  {numbers.mean():6.2f}  {numbers.stdev():9.2f}")
        return "\n".join(lines)
