"""Sessions in which a strategy chooses the stake, which is a state of its own and is both set and compared.

In such games a field that rules set (the stake) decides whether dice are thrown or a choice is asked for.
"""

from __future__ import annotations

import numpy as np
import pytest

import dicelab
from dicelab.engines.tables.counter import CounterEngine
from dicelab.errors import NotSmall
from dicelab.rules import (
    D6,
    OVER,
    Casino,
    Flag,
    Game,
    Int,
    Memory,
    Param,
    Peak,
    Tally,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run


class Wagers(Casino):
    """Even money on 4 or more of one die; the player says how much."""

    name = "wagers"
    source = "made for the tests"
    outcomes = ("ruined", "solvent")
    ruin = "ruined"

    bankroll = Param(20, 1, 100_000, "money at the start")
    until_rounds = Param(30, 1, 1000, "rounds at the most")
    most = Param(10, 1, 1000, "largest stake")

    purse = Int(0, bankroll + most * until_rounds, "money", start=bankroll)
    left = Int(0, until_rounds, "rounds left", start=until_rounds)
    stake = Int(0, most, "money on the table")
    won = Flag("the last round was won")

    money = Tally("money won or lost")
    throws = Tally("throws")
    peak = Peak("the most won so far")

    def next(self) -> int:
        if self.stake > 0:
            return throw(self.roll)
        if self.left == 0 or self.purse == 0:
            return OVER
        return ask(self.bet, 0)

    def may_bet(self, amount: int) -> bool:
        return amount <= self.purse

    @chosen((1, most), legal=may_bet)
    def bet(self, amount: int) -> None:
        self.stake = amount

    @thrown(1, D6)
    def roll(self, face: int) -> None:
        self.throws += 1
        self.won = face >= 4
        gain = self.stake if self.won else -self.stake
        self.purse += gain
        self.money += gain
        self.peak = max(self.peak, self.purse - self.bankroll)
        self.stake = 0
        self.left -= 1

    def outcome(self) -> int:
        return 0 if self.purse == 0 else 1


class Losses(Memory):
    row = Int(0, 5, "losses in a row")
    begun = Flag("a bet was made")


@strategy(Wagers, memory=Losses, unit=Param(1, 1, 100, "first stake"))
def double(game: Wagers, mine: Losses, unit: int) -> int:
    """Double after a loss."""
    if mine.begun:
        mine.row = 0 if game.won else min(mine.row + 1, 5)
    mine.begun = True
    return min(unit << mine.row, game.purse, game.most)


@strategy(Wagers, unit=Param(1, 1, 100, "stake"))
def flat(game: Wagers, unit: int) -> int:
    """Bet the same."""
    return min(unit, game.purse, game.most)


@strategy(Wagers)
def part(game: Wagers) -> int:
    """Bet a fifth."""
    return min(max(1, game.purse // 5), game.most)


class Choosy(Game):
    """Only who has at least 15 is asked before each throw; others throw on."""

    name = "choosy"
    source = "made for the tests"
    outcomes = ("ruined", "solvent")

    purse = Int(0, 5000, "money", start=20)
    left = Int(0, 40, "throws left", start=40)
    asked = Flag("the choice was made")
    money = Tally("money won or lost")

    def next(self) -> int:
        if self.left == 0 or self.purse < 6:
            return OVER
        return ask(self.go, 0) if self.purse >= 15 and not self.asked else throw(self.roll)

    @chosen((0, 1))
    def go(self, much: int) -> None:
        self.asked = True
        self.left -= much

    @thrown(1, D6)
    def roll(self, face: int) -> None:
        gain = 6 if face >= 4 else -6
        self.purse += gain
        self.money += gain
        self.left -= 1 if self.left > 0 else 0
        self.asked = False

    def outcome(self) -> int:
        return 0 if self.purse < 6 else 1


@strategy(Choosy)
def go(game: Choosy) -> int:
    """Go on."""
    return 0


@pytest.mark.slow
@pytest.mark.parametrize("lineup", ["double", "flat", "part"])
def test_the_highest_is_that_of_the_whole_chain(lineup: str) -> None:
    all_of_it = dicelab.exact(Wagers, lineup).tallies
    for tally in ("peak", "money", "throws"):
        alone = dicelab.exact(Wagers, lineup, tallies=tally).tallies[tally]
        assert alone.mean == pytest.approx(all_of_it[tally].mean, abs=1e-8)
        assert alone.sd == pytest.approx(all_of_it[tally].sd, abs=1e-8)
        assert alone.spread is not None
        assert all_of_it[tally].spread is not None
        assert np.allclose(list(alone.probabilities.values()), list(all_of_it[tally].probabilities.values()))


@pytest.mark.slow
@pytest.mark.parametrize("lineup", ["double", "flat", "part"])
def test_a_session_is_played_and_solved(lineup: str) -> None:
    found = dicelab.session(Wagers, lineup, games=2000, seed=1)
    every = (*found.outcomes.values(), *found.events.values(), *found.tallies.values())
    rows = [row for row in every if row.z is not None]
    assert "highest" in found.tallies
    assert found.tallies["highest"].exact is not None
    assert all(abs(row.z or 0.0) < 5 for row in rows)


@pytest.mark.slow_cases("Wagers")
@pytest.mark.parametrize("game", [Wagers, Choosy])
def test_the_purse_engine_plays_the_same_games_or_leaves_them(game: type[Game]) -> None:
    for name in game.declared.strategies:
        run = Run.of(game, name)
        try:
            engine = CounterEngine(run.game, run.calls)
        except NotSmall:
            continue
        engine.compile()
        assert engine.play(1, 0, 2000) == Reference(run.game, run.calls).play(1, 0, 2000)
