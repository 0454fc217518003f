"""Values outside their declared ranges are refused wherever they come up: at the end of a game, too."""

from __future__ import annotations

from typing import Any

import pytest

import dicelab
from dicelab.errors import PlayError, RangeError, TooLarge
from dicelab.rules import D6, OVER, Game, Int, Memory, Param, Tally, ask, chosen, strategy, throw, thrown
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.counters import counter_states
from dicelab.solver.enumeration import graph as enumeration
from dicelab.solver.enumeration.expansion import Expansion
from dicelab.solver.enumeration.graph import graph_of
from support import SetLimits, run_of


class Overshoot(Game):
    """Points are added up; the last throw may go beyond what is declared."""

    name = "overshoot"
    source = "made for the tests"
    outcomes = ("over",)

    points = Int(0, 20, "points")
    throws = Tally("throws")

    def next(self) -> int:
        return OVER if self.points > 15 else throw(self.roll)

    @thrown(1, D6)
    def roll(self, total: int) -> None:
        self.throws += 1
        self.points += total

    def outcome(self) -> int:
        return 0


class Asked(Game):
    """What is chosen is read from a number that may be outside its range at that time."""

    name = "asked"
    source = "made for the tests"
    outcomes = ("over",)

    points = Int(0, 5, "points")
    left = Int(0, 3, "throws left", start=3)
    throws = Tally("throws")
    open = Int(0, 1, "to be chosen")

    def next(self) -> int:
        if self.open:
            return ask(self.choose, 0)
        return OVER if self.left == 0 else throw(self.roll)

    @thrown(1, D6)
    def roll(self, total: int) -> None:
        self.throws += 1
        self.points = total
        self.left -= 1
        self.open = 1

    @chosen((0, 1))
    def choose(self, value: int) -> None:
        self.points = value
        self.open = 0

    def outcome(self) -> int:
        return 0


class Count(Memory):
    asked = Int(0, 2, "times asked")


@strategy(Asked, memory=Count)
def counting(game: Asked, mine: Count) -> int:
    """Count the choices: one too many."""
    mine.asked += 1
    return 0


class Begins(Game):
    """Begins with more money than it may have."""

    name = "begins"
    source = "made for the tests"
    outcomes = ("over",)

    bankroll = Param(10, 1, 100, "money")
    money = Int(0, 50, "money", start=bankroll)

    def next(self) -> int:
        return OVER

    def outcome(self) -> int:
        return 0


class Winnings(Game):
    """A purse that may grow beyond its declared range, which nobody compares with anything."""

    name = "winnings"
    source = "made for the tests"
    outcomes = ("over",)

    rounds = Param(60, 1, 1000, "throws")
    purse = Int(-40, 40, "money", start=0)
    left = Int(0, rounds, "throws left", start=rounds)
    money = Tally("money won")

    def next(self) -> int:
        return OVER if self.left == 0 else throw(self.roll)

    @thrown(1, D6)
    def roll(self, total: int) -> None:
        self.left -= 1
        self.purse += 5 if total > 3 else -5
        self.money += 5 if total > 3 else -5

    def outcome(self) -> int:
        return 0


@pytest.mark.slow_cases("Asked-lineup1-compiled", "Overshoot-lineup0-compiled")
@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize(("game", "lineup"), [(Overshoot, ()), (Asked, ("counting",))])
def test_enumerations_refuse_them(engine: str, game: type[Game], lineup: tuple[str, ...]) -> None:
    run = Run.of(game, lineup)
    with pytest.raises(RangeError) as played:
        Reference(run.game, run.calls).play(1, 0, 1000)
    with pytest.raises(RangeError, match="is outside its declared range") as found:
        graph_of(run, engine=engine)
    assert str(found.value).split(":")[1].split("=")[0] == str(played.value).split(":")[1].split("=")[0]
    with pytest.raises(RangeError, match="declared range"):
        dicelab.exact(game, lineup)


def test_a_solution_refuses_them() -> None:
    with pytest.raises(RangeError, match="declared range"):
        dicelab.solve(Asked, objective="most:throws")


def test_a_game_does_not_begin_outside() -> None:
    assert dicelab.exact(Begins).states == 0
    with pytest.raises(RangeError, match=r"money = 60 at the start is outside its declared range 0 to 50"):
        dicelab.exact(Begins, bankroll=60)


@pytest.mark.slow
def test_a_purse_is_kept_out_of_positions_only_within_its_range() -> None:
    run = Run.of(Winnings)
    span = next(span for span in counter_states(run).spans if span.name == "purse")
    assert (span.low, span.high) == (-35, 36)  # before a throw that adds or takes 5
    short = Run.of(Winnings, rounds=8)
    engine = dicelab.simulate(Winnings, games=2000, seed=1, engine="counter", rounds=8)
    assert engine.tallies["money"].histogram == Reference(short.game, ()).play(1, 0, 2000).histogram(0)


def test_plain_python_takes_over_where_compiled_code_fails(monkeypatch: pytest.MonkeyPatch, limits: SetLimits) -> None:
    run = run_of("pig", ("hold_at:20", "hold_at:20"), target=20)
    slow = graph_of(run, engine="reference")
    follow = Expansion.follow

    def broken(self: Expansion, low: int, high: int, branches: Any) -> int:
        status = follow(self, low, high, branches)
        if high > low >= 0:
            branches.report[0] = low
        return enumeration.expand.BAD_STEP if high > low >= 0 else status

    monkeypatch.setattr(Expansion, "follow", broken)
    limits(plain_branches=50, warm_branches=50)
    assert graph_of(run).states == slow.states
    with pytest.raises(TooLarge):
        graph_of(run, memory=1000)
    with pytest.raises(PlayError, match="compiled code"):
        graph_of(run, engine="compiled")
