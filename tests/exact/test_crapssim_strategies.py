"""The strategies with names in crapssim have its bankroll after every one of 400 rolls of the same dice."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest
from crapssim.strategy import examples, single_bet
from crapssim.strategy.odds import PutOddsMultiplier
from crapssim.table import Table

from dicelab.games.craps import Craps
from dicelab.rules.game import Strategy
from dicelab.runtime.interpreter import steps
from dicelab.runtime.lineup import Call
from dicelab.strategies import crapssim as module
from unit.test_craps_table import Dice

HOUSE = {"house": "real_casino", "field": "2x2x", "bankroll": 20_000, "minimum": 1, "until_rounds": 0}


def called(name: str, *args: int) -> Call:
    """A strategy of the module with its arguments; those left out have their defaults."""
    made = getattr(module, name)
    strategy = made if isinstance(made, Strategy) else Craps.declared.strategies[name]
    defaults = [param.default for param in strategy.params.values()]
    return Call(strategy, (*args, *defaults[len(args) :]))


def with_odds_on(strategy):
    """A strategy of crapssim whose odds always work, as laid odds do here."""
    strategy.strategies[-1].always_working = True
    return strategy


ALL_ON = {"house": "all_on"}
PAIRS = {
    "dice_doctor": (examples.DiceDoctor(10), {}),
    "double_tap": (examples.DoubleTap(10), {}),
    "hammer_lock": (examples.HammerLock(5), {}),
    "iron_cross": (examples.IronCross(5), {}),
    "knockout": (examples.Knockout(5), {}),
    "pass2come": (examples.Pass2Come(5), {}),
    "pass_line_place68": (examples.PassLinePlace68(5, 6, 6), {}),
    "place68_dont_come_2odds": (with_odds_on(examples.Place68DontCome2Odds(6, 15)), {}),
    "place68_move59": (examples.Place68Move59(5, 6, 5), {}),
    "place68_pr": (examples.Place68PR(6), {}),
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


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("name", [name for name in PAIRS if hasattr(module, name)])
def test_the_same_bankroll_after_every_roll(name: str, seed: int) -> None:
    theirs, house = PAIRS[name]
    dice, there = Random(seed), Table()
    player = there.add_player(20_000, strategy=deepcopy(theirs))
    throws = [(dice.randint(1, 6), dice.randint(1, 6)) for _ in range(400)]
    game = Craps(**{**HOUSE, **house})
    script = Dice(*(f"{one}-{two}" for one, two in throws))
    amounts = []
    for event in steps(game, [called(name).chooser(game)], script):
        if event.kind == "throw":
            there.fixed_run([event.values])
            assert player.total_player_cash == pytest.approx(game.wealth(0), abs=1e-6), f"roll {len(amounts) + 1}"
            amounts.append(game.wealth(0))
            if not script.throws:
                break
    assert len(amounts) == 400
    assert len(set(amounts)) > 10, "the strategy bets"
