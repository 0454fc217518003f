"""The compiled table of craps plays what the reference engine plays, whatever is bet: a player who bets everywhere."""

from __future__ import annotations

import pytest

from dicelab.engines.compiled import Compiled
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import COUNT, DONE
from dicelab.extras.craps.table_rules import Reason
from dicelab.rules import Int, Memory, Param, strategy
from dicelab.runtime.interpreter import Reference, steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream


class Wandering(Craps):
    """The table, with a strategy that bets everywhere."""

    name = "wandering"


class Steps(Memory):
    """Where the wanderer is."""

    at = Int(0, 2**31, "a number that seems random", start=1)


@strategy(Wandering, memory=Steps, begin=Param(0, 0, 1000, "where it begins"))
def wander(game: Wandering, mine: Steps, begin: int) -> tuple[int, int]:
    """Bets of 60 or 10 anywhere, some of them taken down again; what is refused is passed over."""
    for _ in range(8):
        mine.at = (mine.at * 1_103_515_245 + 12_345 + begin) % 2**31
        spot = mine.at // 4096 % COUNT
        amount = 60 if mine.at // 64 % 2 == 0 else 10
        if mine.at // 32 % 4 == 0:
            amount = -amount
        if game.refusal(spot, amount) == Reason.FINE:
            return spot, amount
    return DONE, 0


HOUSES = [
    {},
    {"players": 3, "stop_loss": 500, "stop_win": 900},
    {"crapless": True, "house": "pennsylvania", "odds": "2x"},
    {"commission": "up_front", "vig": "nearest", "house": "atlantic_city", "bar": "bar3", "field": "3x2x"},
    {"house": "real_casino", "quoted": "for", "fire": "pays_5_25_200_500", "tall": "pays_30_150", "odds": "none"},
    {"house": "all_on", "offers": "no_side_bets", "vig": "exact", "bar": "bar2", "minimum": 10, "chip": 10},
]


@pytest.mark.quick_cases("house4", "house5")
@pytest.mark.parametrize("house", [*HOUSES[:4], *(pytest.param(house, marks=pytest.mark.slow) for house in HOUSES[4:])])
def test_whatever_is_bet(house: dict[str, object]) -> None:
    given = {"bankroll": 5000, "until_throws": 60, "until_rounds": 0, **house}
    run = Run.of(Wandering, "wander:7", **given)
    fast, slow = Compiled(run.game, run.calls), Reference(run.game, run.calls)
    for index in range(40):
        assert fast.play(5, index, index + 1) == slow.play(5, index, index + 1), index


@pytest.mark.slow
def test_the_wanderer_bets_everywhere() -> None:
    """All spots but those of crapless tables, within some sessions."""
    run, seen = Run.of(Wandering, "wander:7", bankroll=5000, until_throws=200, until_rounds=0), set()
    for index in range(30):
        choosers = [call.chooser(run.game) for call in run.calls]
        seen |= {event.values[0] for event in steps(run.game, choosers, Stream(5, index)) if event.kind == "choice"}
        assert run.game.money == run.game.purse[0] - run.game.bankroll, "no money is made or lost on the way"
        assert run.game.count[0] == sum(run.game.bets) == sum(run.game.lying) == run.game.sides == 0
    assert len(seen) > 100
