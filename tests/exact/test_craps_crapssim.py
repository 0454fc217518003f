"""The same bets on the same dice come to the same money in crapssim, another program, where it has bet and rule."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest
from crapssim import bet as other
from crapssim.strategy import BetDontPass, BetPassLine, BetPlace, PassLineOddsMultiplier
from crapssim.strategy.single_bet import BetField, StrategyMode
from crapssim.strategy.tools import NullStrategy
from crapssim.table import Table

from craps_tables import HOUSES, SEQUENCES, Dice
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import COUNT, DONE, NAMES, NUMBER, spot_named
from dicelab.runtime.interpreter import steps
from dicelab.runtime.strategies import parse_call

HOUSE = {"house": "real_casino", "bankroll": 100_000, "minimum": 1, "until_rounds": 0, "vig": "exact"}
SETTINGS = {
    "field_payouts": {2: 2, 3: 1, 4: 1, 9: 1, 10: 1, 11: 1, 12: 3},
    "ATS_payouts": {"all": 175, "tall": 34, "small": 34},
    "max_odds": dict.fromkeys(range(2, 13), 5),
    "vig_rounding": "none",
}
SIMPLE = {"pass": "PassLine", "dont_pass": "DontPass", "come": "Come", "dont_come": "DontCome", "field": "Field"}
SIMPLE |= {"horn": "Horn", "world": "World", "ce": "CAndE", "any7": "Any7", "any_craps": "AnyCraps", "two": "Two"}
SIMPLE |= {"three": "Three", "eleven": "Yo", "twelve": "Boxcars", "fire": "Fire", "small": "Small", "all": "All"}
SIMPLE |= {"big6": "Big6", "big8": "Big8", "tall": "Tall"}


def bet_of(name: str, amount: int, point: int | None, working: bool | None):
    """The same bet in crapssim; None where it has none."""
    number = NUMBER[spot_named(name)]
    if name == "pass" and point:
        return other.Put(point, amount)
    if name in SIMPLE:
        return getattr(other, SIMPLE[name])(amount)
    if "odds" in name:
        base = {"p": other.PassLine, "d": other.DontPass, "c": other.Come}[name[0]]
        base = other.DontCome if name.startswith("dont_come") else base
        return other.Odds(base, number or point, amount, working)
    for prefix, kind in (("place", other.Place), ("buy", other.Buy), ("lay", other.Lay), ("hard", other.HardWay)):
        if name.startswith(prefix) and "lose" not in name:
            return kind(number, amount)
    if name.startswith("hop"):
        _, one, two = name.split("_")
        return other.Hop((int(one), int(two)), amount)
    return None


class Elsewhere:
    """A table of crapssim with one player."""

    def __init__(self, on_win: bool, working: bool | None = None) -> None:
        self.table = Table()
        self.table.settings.update({**SETTINGS, "vig_paid_on_win": on_win})
        self.player = self.table.add_player(100_000, strategy=NullStrategy())
        self.working = working

    def bet(self, name: str, amount: int) -> None:
        """Make a bet, which must be taken."""
        money = self.player.bankroll
        made = bet_of(name, amount, self.table.point.number, self.working)
        if name == "pass_odds" and any(isinstance(lying, other.Put) for lying in self.player.bets):
            made = other.Odds(other.Put, self.table.point.number, amount, self.working)
        self.player.add_bet(made)
        assert self.player.bankroll < money, f"crapssim refuses {name} {amount}"

    def throw(self, one: int, two: int) -> None:
        self.table.fixed_run([(one, two)])

    @property
    def net(self) -> float:
        return self.player.bankroll + sum(bet.amount for bet in self.player.bets) - 100_000


LEFT_OUT = {name for name in SEQUENCES if name.startswith(("3 bar 2", "15 horn high"))}
"""It has no other bar, and no horn high."""


@pytest.mark.cases("name", sorted(SEQUENCES.keys() - LEFT_OUT))
def test_worked_sequences(name: str) -> None:
    throws, windows, money = SEQUENCES[name]
    house = HOUSES.get(name.split()[0], {})
    there = Elsewhere(house.get("commission") != "up_front", True if "house" in house else None)
    for at, throw in enumerate(throws.split()):
        for bet, amount in (windows[at] if at < len(windows) else {}).items():
            there.bet(bet, amount)
        there.throw(*map(int, throw.split("-")))
    # There a hardway that wins comes down; in casinos, and here, it stays up, and loses to the 6-2.
    assert there.net == money + (name == "12 hard 8")


WANTED = ["pass", "dont_pass", "pass_odds", "dont_pass_odds", "come", "dont_come", "field", "horn", "world", "ce"]
WANTED += ["any7", "any_craps", "two", "three", "eleven", "twelve", "hop_2_3", "hop_4_4", "big6", "big8"]
WANTED += [
    f"{kind}_{n}" for kind in ("place", "buy", "lay", "come_odds", "dont_come_odds") for n in (4, 5, 6, 8, 9, 10)
]
AMOUNTS = {"horn": 4, "world": 5, "ce": 2, "buy": 20, "lay": 120, "place": 30, "pass_odds": 30, "come_odds": 30}


class Sometimes:
    """Bets at random, and notes them; takes down first what it is told to."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.made: list[tuple[str, int]] = []
        self.down: list[tuple[int, int]] = []

    def __call__(self, game, decision, seat):
        if self.down:
            return self.down.pop()
        if self.random.random() < 0.7:
            name = self.random.choice(WANTED)
            amount = next((a for prefix, a in AMOUNTS.items() if name.startswith(prefix)), 30)
            place = spot_named(name)
            late = name == "pass" and game.point > 0  # a put bet, of which crapssim takes only one
            if game.bets[place] == 0 and game.allowed(place, amount) and not late:
                self.made.append((name, amount))
                return place, amount
        return DONE, 0


@pytest.mark.parametrize("seed", range(20))
def test_random_bets_on_random_dice(seed: int) -> None:
    """After every throw both tables have the same puck, the same money and the same bets."""
    dice, player, there = Random(seed + 1000), Sometimes(seed), Elsewhere(on_win=True)
    throws = [f"{dice.randint(1, 6)}-{dice.randint(1, 6)}" for _ in range(300)]
    here = Craps(**HOUSE)
    point = 0
    for event in steps(here, [player], script := Dice(*throws)):
        if event.kind == "throw":
            for name, amount in player.made:
                there.bet(name, amount)
            player.made = []
            there.throw(*event.values)
            lying = [here.bets[i] for i in range(COUNT) if here.bets[i]]
            # A buy or big bet that wins comes down there, and stays up here.
            won = ["big", "buy"] if point else ["big"]
            over = [i for i in range(COUNT) if here.bets[i] and NAMES[i][:3] in won and NUMBER[i] == sum(event.values)]
            player.down = [(i, -here.bets[i]) for i in over]
            left = sum(bet.amount for bet in there.player.bets) + sum(here.bets[i] for i in over)
            assert (there.table.point.number, left) == (here.point or None, sum(lying))
            assert there.net == here.purse[0] + sum(lying) - 100_000 == here.money
            point = here.point
            if not script.throws:
                break
    assert here.staked > 5_000


SYSTEMS = {
    "line:pass:0:5": BetPassLine(5),
    "line:dont_pass:0:5": BetDontPass(5),
    "line:pass:2:10": BetPassLine(10) + PassLineOddsMultiplier(2),
    "line:pass:0:5:cover=place_6_8": BetPassLine(5) + BetPlace({6: 6, 8: 6}),
    "line:pass:0:5:cover=inside": BetPassLine(5) + BetPlace({6: 6, 8: 6, 5: 5, 9: 5}),
    "place:across:10": BetPlace({6: 12, 8: 12, 5: 10, 9: 10, 4: 10, 10: 10}, skip_point=False),
    "place:iron_cross:10": BetPlace({6: 12, 8: 12, 5: 10}, skip_point=False)
    + BetField(10, StrategyMode.ADD_IF_POINT_ON),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ours", SYSTEMS)
def test_the_same_bettor_has_the_same_bankroll(ours: str, seed: int) -> None:
    """A session of 400 throws: after each the purse and all that lies on the table, in both programs."""
    dice, there = Random(seed), Table()
    there.settings["field_payouts"] = SETTINGS["field_payouts"]
    player = there.add_player(1000, strategy=deepcopy(SYSTEMS[ours]))
    throws = [(dice.randint(1, 6), dice.randint(1, 6)) for _ in range(400)]
    game = Craps(bankroll=1000, until_rounds=0)
    script = Dice(*(f"{one}-{two}" for one, two in throws))
    compared = 0
    for event in steps(game, [parse_call(Craps, ours).chooser(game)], script):
        if event.kind == "throw":
            there.fixed_run([event.values])
            assert player.total_player_cash == game.wealth(0)
            compared += 1
            if not script.throws:
                break
    assert compared == 400
