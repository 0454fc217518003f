"""The strategies with names in crapssim have its bankroll after every one of 400 rolls of the same dice."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest
from crapssim.strategy import examples, single_bet
from crapssim.strategy.odds import PutOddsMultiplier
from crapssim.table import Table

from craps_tables import Dice
from dicelab.engines.compiled import Compiled
from dicelab.errors import IllegalMoveError
from dicelab.extras.craps.craps import Craps
from dicelab.rules.game import Call
from dicelab.runtime.interpreter import Reference, steps
from dicelab.runtime.strategies import parse_call

HOUSE = {"house": "real_casino", "field": "2x2x", "bankroll": 20_000, "minimum": 1, "until_rounds": 0}


def with_odds_on(strategy):
    """A strategy of crapssim whose odds always work, as laid odds do here."""
    strategy.strategies[-1].always_working = True
    return strategy


ALL_ON, TOLD = {"house": "all_on"}, {"last_roll": True}
PAIRS = {
    "dice_doctor": (examples.DiceDoctor(10), {}),
    "double_tap": (examples.DoubleTap(10), TOLD),
    "hammer_lock": (examples.HammerLock(5), {}),
    "iron_cross": (examples.IronCross(5), {}),
    "knockout": (examples.Knockout(5), {}),
    "pass2come": (examples.Pass2Come(5), {}),
    "pass_line_place68": (examples.PassLinePlace68(5, 6, 6), {}),
    "place68_dont_come_2odds": (with_odds_on(examples.Place68DontCome2Odds(6, 15)), {}),
    "place68_move59": (examples.Place68Move59(5, 6, 5), {}),
    "place68_pr": (examples.Place68PR(6), TOLD),
    "place682come": (examples.Place682Come(5, 6, 5), {}),
    "place_inside": (examples.PlaceInside(5), {}),
    "put_with_odds": (
        single_bet.BetPut(6, 10.0, always_working=True) + PutOddsMultiplier(2, always_working=True),
        ALL_ON,
    ),
    "quick_props": (examples.QuickProps(5, 10), {}),
    "risk12": (examples.Risk12(5), {}),
    "squeeze_play": (examples.SqueezePlay(), {}),
    "three_point_dolly": (with_odds_on(examples.ThreePointDolly(10, 1)), {}),
    "three_point_molly": (examples.ThreePointMolly(10, 1), {}),
}


def called(name: str) -> Call:
    """A strategy as the commands of craps find it, with the defaults of its arguments."""
    return parse_call(Craps, name)


OTHERWISE = {
    "place68_dont_come_2odds": (examples.Place68DontCome2Odds(6, 15), {}),
    "put_with_odds": (examples.PutWithOdds(10, 2), ALL_ON),
    "three_point_dolly": (examples.ThreePointDolly(10, 1), {}),
}
"""With crapssim's own settings: what works on a come-out roll is different."""


def bankrolls(name: str, theirs: object, house: dict[str, object], seed: int) -> list[tuple[float, int]]:
    """The bankroll with all bets on the table after each of 400 rolls: in crapssim, and here."""
    dice, there = Random(seed), Table()
    player = there.add_player(20_000, strategy=deepcopy(theirs))
    throws = [(dice.randint(1, 6), dice.randint(1, 6)) for _ in range(400)]
    game = Craps(**{**HOUSE, **house})
    script = Dice(*(f"{one}-{two}" for one, two in throws))
    found = []
    for event in steps(game, [called(name).chooser(game)], script):
        if event.kind == "throw":
            there.fixed_run([event.values])
            found.append((player.total_player_cash, game.wealth(0)))
            if not script.throws:
                break
    return found


@pytest.mark.quick_cases("cases-pass2come", "cases-place68_pr", "cases-put_with_odds")
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.cases("seed", range(3))
def test_the_same_bankroll_after_every_roll(name: str, seed: int) -> None:
    found = bankrolls(name, *PAIRS[name], seed)
    theirs, ours = zip(*found, strict=True)
    assert len(found) == 400
    assert list(ours) == pytest.approx(theirs, abs=1e-6)
    assert len(set(ours)) > 10, "the strategy bets"


@pytest.mark.parametrize("name", OTHERWISE)
def test_bets_that_work_on_come_outs_here_are_off_in_crapssim(name: str) -> None:
    theirs, ours = zip(*bankrolls(name, *OTHERWISE[name], 0), strict=True)
    assert list(ours) != pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("name", ["place68_pr", "double_tap"])
def test_a_strategy_that_must_know_the_last_roll_says_so(name: str) -> None:
    with pytest.raises(IllegalMoveError, match=r"turn on the parameter last_roll \(--last-roll\)"):
        bankrolls(name, PAIRS[name][0], {}, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["double_tap", "place682come", "risk12", "squeeze_play", "three_point_dolly"])
def test_compiled_strategies_play_the_same_games(name: str) -> None:
    call, found = called(name), []
    for engine in (Reference, Compiled):
        game = Craps(**{**HOUSE, **PAIRS[name][1], "bankroll": 300, "until_rounds": 30})
        found.append(engine(game, [call]).play(1, 0, 30))
    assert found[0] == found[1]
