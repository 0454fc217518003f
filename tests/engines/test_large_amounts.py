"""Stakes with 19 digits: every engine and every exact answer agrees with arithmetic on whole numbers, or refuses."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from fractions import Fraction
from itertools import product
from math import isfinite, sqrt

import numpy as np
import pytest

import dicelab
from dicelab.engines.compiled import Compiled
from dicelab.engines.tables.counter import CounterEngine
from dicelab.engines.tables.memo import MemoEngine
from dicelab.engines.tables.state import TableEngine, throws_within
from dicelab.engines.tables.turn import TurnEngine
from dicelab.errors import DicelabError, NotSmall, PlayError, RangeError
from dicelab.rules import D6, OVER, Game, Int, Param, Peak, Tally, ask, chosen, strategy, throw, thrown
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Engine
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.solution.distribution import in_units

STAKES = [10**18, 2**53 + 1, 2**53, 10**15 + 1, 2**31]
HIGH = 2**62 - 1


class Stakes(Game):
    """Some rounds at even money, with a fee of 1 for each that is won."""

    name = "stakes"
    source = "made for the tests"
    outcomes = ("behind", "ahead")

    rounds = Param(4, 1, 2000, "rounds")
    stake = Param(10**18, 1, 10**18, "stake")

    purse = Int(-HIGH, HIGH, "money won or lost")
    left = Int(0, rounds, "rounds left", start=rounds)
    money = Tally("money won or lost")
    staked = Tally("money staked")

    def next(self) -> int:
        return OVER if self.left == 0 else throw(self.roll)

    @thrown(1, D6)
    def roll(self, face: int) -> None:
        self.left -= 1
        self.staked += self.stake
        gain = self.stake - 1 if face > 3 else -self.stake
        self.purse += gain
        self.money += gain
        self.note()

    def note(self) -> None:
        """Nothing more."""

    def outcome(self) -> int:
        return 1 if self.purse > 0 else 0


class Highest(Stakes):
    """The same, with the highest."""

    name = "highest"
    peak = Peak("the most won")

    def note(self) -> None:
        self.peak = max(self.peak, self.purse)


class Plain(Stakes):
    """The same without a purse in the state."""

    name = "plain"
    outcomes = ()

    purse = Int(0, 0, "nothing")

    @thrown(1, D6)
    def roll(self, face: int) -> None:
        self.left -= 1
        self.staked += self.stake
        self.money += self.stake - 1 if face > 3 else -self.stake


class Chosen(Plain):
    """Without a purse; who plays says whether to stake, and is charged 1 otherwise. Rounds end with a 6."""

    name = "chosen"
    asked = Int(0, 2, "0 not asked, 1 no stake, 2 stake")

    def next(self) -> int:
        if self.left == 0:
            return OVER
        return ask(self.bet, 0) if self.asked == 0 else throw(self.roll)

    @chosen((0, 1))
    def bet(self, much: int) -> None:
        self.asked = 1 + much

    @thrown(1, D6)
    def roll(self, face: int) -> None:
        if self.asked == 1:
            self.money -= 1
        else:
            self.money += self.stake if face > 2 else -self.stake
        self.asked = 0
        if face == 6:
            self.left -= 1


@strategy(Chosen)
def never(game: Chosen) -> int:
    """Stake nothing."""
    return 0


def engines(run: Run) -> list[Engine]:
    """All that can play a game."""
    found: list[Engine] = [Compiled(run.game, run.calls)]
    for kind in (TableEngine, CounterEngine, TurnEngine, MemoEngine):
        with suppress(NotSmall, PlayError):
            table = kind(run.game, run.calls)
            table.compile()
            found.append(table)
    return found


def money_of(stake: int, rounds: int) -> dict[int, Fraction]:
    """Chance of each sum of money, by going through all games."""
    found: Counter[int] = Counter(sum(way) for way in product((stake - 1, -stake), repeat=rounds))
    return {value: Fraction(count, 2**rounds) for value, count in sorted(found.items())}


def moments(chances: dict[int, Fraction]) -> tuple[Fraction, Fraction]:
    """Mean and variance."""
    mean = sum((value * p for value, p in chances.items()), Fraction(0))
    return mean, sum((p * (value - mean) ** 2 for value, p in chances.items()), Fraction(0))


@pytest.mark.quick_cases("2147483648-Highest", "9007199254740992-Highest", "9007199254740993-Highest")
@pytest.mark.parametrize("game", [Stakes, Highest, Plain])
@pytest.mark.parametrize("stake", STAKES)
def test_engines_count_them(game: type[Game], stake: int) -> None:
    run = Run.of(game, stake=stake)
    slow = Reference(run.game, ()).play(1, 0, 600)
    assert set(slow.histogram(0)) == set(money_of(stake, 4))
    for engine in engines(run):
        assert engine.play(1, 0, 600) == slow, engine.name


@pytest.mark.cases("game", [Stakes, Highest, Plain])
@pytest.mark.cases("stake", STAKES)
@pytest.mark.cases("fractions", [True, False])
def test_exact_is_plain_arithmetic(game: type[Game], stake: int, fractions: bool) -> None:
    expected = money_of(stake, 4)
    mean, variance = moments(expected)
    found = dicelab.exact(game, stake=stake, fractions=fractions).tallies["money"]
    assert found.fraction == (mean if fractions else None)
    assert list(found.probabilities) == list(expected)
    assert list(found.probabilities.values()) == pytest.approx([float(p) for p in expected.values()], abs=1e-12)
    assert abs(Fraction(found.mean) - mean) <= Fraction(found.error) + abs(mean) * Fraction(2, 10**16)
    assert abs(found.sd - sqrt(variance)) <= found.error + 4e-16 * found.sd


@pytest.mark.slow_cases("1000000000000000000")
@pytest.mark.parametrize("stake", STAKES)
def test_one_tally_alone_is_plain_arithmetic(stake: int) -> None:
    """The purse is then a counter outside the states, where that can be done."""
    expected = money_of(stake, 4)
    found = dicelab.exact(Highest, stake=stake, tallies="money", rounds=4).tallies["money"]
    assert list(found.probabilities) == list(expected)
    highest: Counter[int] = Counter()
    for way in product((stake - 1, -stake), repeat=4):
        highest[max(0, *(sum(way[: i + 1]) for i in range(4)))] += 1
    peak = dicelab.exact(Highest, stake=stake, tallies="peak", rounds=4).tallies["peak"]
    assert peak.probabilities == pytest.approx({value: count / 16 for value, count in highest.items()})


@pytest.mark.slow
@pytest.mark.parametrize("stake", [10**6, 2**31, 10**15 + 1])
def test_long_games_are_solved_with_large_stakes(stake: int) -> None:
    found = dicelab.exact(Stakes, stake=stake, rounds=200, tallies="money").tallies["money"]
    assert abs(found.mean + 100) <= found.error
    assert isfinite(found.sd)
    assert found.sd == pytest.approx((stake - 0.5) * 200**0.5)
    assert found.probabilities[-100] == pytest.approx(0.05634847900925642)


@pytest.mark.parametrize("game", [Plain, Highest])
def test_what_may_leave_64_bits_is_refused(game: type[Game]) -> None:
    run = Run.of(game, rounds=6)
    with pytest.raises(RangeError):
        Reference(run.game, ()).play(1, 0, 600)
    with pytest.raises(RangeError):
        dicelab.exact(game, rounds=6)
    with pytest.raises(RangeError):
        dicelab.exact(game, rounds=6, fractions=False)


def test_a_refusal_says_what_helps() -> None:
    with pytest.raises(RangeError, match=r"money may reach .* count it in larger units"):
        dicelab.exact(Plain, rounds=6)
    with pytest.raises(RangeError, match="staked may reach"):
        dicelab.exact(Plain, rounds=6, tallies="staked")


def test_fast_engines_leave_games_that_may_outgrow_64_bits() -> None:
    assert throws_within([(10**18, 3), (-(10**18), 0)], (0, 0)) == 4
    assert throws_within([(0, 0)], (0, 0)) == 2**31
    for kind in (TableEngine, CounterEngine):
        with pytest.raises(NotSmall):
            kind(Run.of(Plain, rounds=2000).game, ())


@pytest.mark.parametrize("stake", [10**18, 2**53, 10**15 + 1, 2**31, 3])
def test_the_best_moves_for_large_stakes(stake: int) -> None:
    """Always stake: a round of p = 1/6 to end wins a third of the stake at each throw."""
    best = dicelab.solve(Chosen, objective="most:money", rounds=2, stake=stake)
    assert abs(Fraction(best.value) - 4 * stake) <= Fraction(best.error)
    worst = dicelab.solve(Chosen, objective="fewest:money", rounds=2, stake=stake)
    assert abs(Fraction(worst.value) + 12) <= Fraction(worst.error)


def test_a_tally_with_too_many_digits_is_not_solved() -> None:
    with pytest.raises(PlayError, match="tally money changes by up to"):
        dicelab.solve(Chosen, objective="most:money", stake=2**53 + 1)
    changes = np.array([10**18 + 1, -3, 0], np.int64)
    with pytest.raises(PlayError, match="too many digits"):
        in_units(changes, "money")
    gain, unit = in_units(np.array([2**53 + 1, -(2**53) - 1], np.int64), "money")
    assert (gain.tolist(), unit) == ([1.0, -1.0], float(2**53 + 1))


@pytest.mark.slow
def test_both_enumerations_agree_on_large_changes() -> None:
    for game in (Stakes, Highest):
        slow, fast = (graph_of(Run.of(game), engine=engine) for engine in ("reference", "compiled"))
        assert np.array_equal(slow.changes, fast.changes)


@pytest.mark.slow
def test_edges_of_large_stakes() -> None:
    row = dicelab.edges(Plain, stake=10**18).rows[0]
    assert row.edge.fraction == Fraction(1, 2 * 10**18)
    with suppress(DicelabError):
        assert dicelab.edges(Stakes, stake=10**18, rounds=1).rows[0].edge.fraction == Fraction(1, 2 * 10**18)
