"""Text 4, the whole design: bets on every outcome against rules written by hand, exact edges, and the table game."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from dicelab.textbook.casino import (
    Bet,
    CommissionBet,
    CrapsGame,
    CrapsGamePointOff,
    CrapsGamePointOn,
    CrapsPlayer,
    CrapsTable,
    CrapsThrow,
    Dice,
    InvalidBet,
    Outcome,
    Throw,
    ThrowBuilder,
    house,
    outcome_of,
    throw_of,
)
from hypothesis import given
from hypothesis import strategies as st

from dicelab.errors import DicelabError, ParameterError, UnknownNameError
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import DONE, NAMES, spot_named
from dicelab.extras.craps.table_rules import SENTENCES, Reason
from dicelab.questions.betting.edges import edges
from dicelab.runtime.interpreter import steps
from dicelab.textbook import throws

POINTS = (4, 5, 6, 8, 9, 10)
PAIRS = list(product(range(1, 7), repeat=2))
ODDS = {4: Fraction(2), 5: Fraction(3, 2), 6: Fraction(6, 5), 8: Fraction(6, 5), 9: Fraction(3, 2), 10: Fraction(2)}
PLACE = {
    4: Fraction(9, 5),
    5: Fraction(7, 5),
    6: Fraction(7, 6),
    8: Fraction(7, 6),
    9: Fraction(7, 5),
    10: Fraction(9, 5),
}
STAYS = ("stays", 0)
LOSES = ("lose", 0)
PUSHES = ("push", 0)


class Noting(CrapsPlayer):
    """A player who bets nothing by itself, and notes what is told."""

    def __init__(self, table):
        super().__init__(table, stake=10_000)
        self.told = []

    def placeBets(self):
        pass

    def win(self, bet):
        super().win(bet)
        self.told.append(("win", bet.outcome.odds))

    def lose(self, bet):
        self.told.append(LOSES)

    def push(self, bet):
        super().push(bet)
        self.told.append(PUSHES)


DICE = Dice()


def game_with(point=None, **house_rules):
    game = CrapsGame(DICE, **house_rules)
    if point:
        game.point(point)
    return game


def bet_on(name, amount=10, point=None):
    outcome = Outcome(name, 1) if name in ("Pass Odds", "Don't Pass Odds") else outcome_of(name)
    return (CommissionBet if name.startswith(("Buy", "Lay")) else Bet)(amount, outcome)


def laid(game, name, amount=10):
    """A bet that lies on the table, whether or not it may be made now; and its player."""
    player, bet = Noting(game.table), bet_on(name, amount)
    bet.player = player
    game.table.bets.append(bet)
    return player, bet


def became(name, point, dice, **house_rules):
    """What a throw does to a bet in the game of the text: result and odds, or its new name."""
    game = game_with(point, **house_rules)
    player, bet = laid(game, name)
    throw_of(*dice).updateGame(game)
    assert bool(player.told) is (bet not in game.table.bets)
    return player.told[0] if player.told else STAYS if bet.outcome.name == name else ("moved", bet.outcome.name)


# What a throw does ----------------------------------------------------------------------------------------------------


def first_throw(total, line, against):
    """Of a pass or come bet that has no number yet."""
    if total in (7, 11):
        return LOSES if against else ("win", 1)
    if total in (2, 3, 12):
        if not against:
            return LOSES
        return PUSHES if total == 12 else ("win", 1)
    return ("moved", f"{line} Point {total}") if "Come" in line else STAYS


def before_seven(total, number, odds, against=False):
    """Of a bet on a number before 7, or on 7 before the number."""
    if total not in (7, number):
        return STAYS
    return ("win", odds) if (total == 7) is against else LOSES


def by_hand(name, point, d1, d2, hardways=True):
    """The rules of craps written again, for each of the text's bets."""
    total, number = d1 + d2, int(name.split()[-1]) if name.split()[-1].isdigit() else None
    against = name.startswith(("Don't", "Lay"))
    if name in ("Pass Line", "Don't Pass Line"):
        return (
            before_seven(total, point, 1, against) if point else first_throw(total, name.removesuffix(" Line"), against)
        )
    if name in ("Come Line", "Don't Come Line"):
        return first_throw(total, name.removesuffix(" Line"), against)
    if "Odds" in name:
        number = number or point
        odds = before_seven(total, number, 1 / ODDS[number] if against else ODDS[number], against)
        returned = point is None and name.startswith("Come") and odds != STAYS
        return PUSHES if returned else odds
    if "Come Point" in name:
        return before_seven(total, number, 1, against)
    if name.startswith(("Place", "Buy")):
        if point is None:
            return STAYS
        return before_seven(total, number, PLACE[number] if name.startswith("Place") else ODDS[number])
    if name.startswith("Lay"):
        return before_seven(total, number, 1 / ODDS[number], against=True)
    if name.startswith("Big"):
        return before_seven(total, number, 1)
    if name.startswith("Hard"):
        if point is None and not hardways:
            return STAYS
        if total == number:
            return ("win", {4: 7, 6: 9, 8: 9, 10: 7}[number]) if d1 == d2 else LOSES
        return LOSES if total == 7 else STAYS
    won = {
        "Field": {2: 2, 3: 1, 4: 1, 9: 1, 10: 1, 11: 1, 12: 2},
        "Any Craps": {2: 7, 3: 7, 12: 7},
        "Horn": {2: Fraction(27, 4), 3: 3, 11: 3, 12: Fraction(27, 4)},
    }.get(name) or {number: {2: 30, 3: 15, 7: 4, 11: 15, 12: 30}[number]}
    return ("win", won[total]) if total in won else LOSES


def stands(name, point):
    """May such a bet lie on the table before a throw with this point?"""
    if name in ("Pass Odds", "Don't Pass Odds", "Come Line", "Don't Come Line"):
        return point is not None
    return True


@pytest.mark.slow
@pytest.mark.cases("hardways", [True, False], ids=["Las Vegas", "Pennsylvania"])
@pytest.mark.cases("name", house.SPOT)
def test_every_throw_to_every_bet_with_every_point(name, hardways):
    for point in (None, *POINTS):
        if stands(name, point):
            for dice in PAIRS:
                done = became(name, point, dice, hardways_on_come_out=hardways)
                assert done == by_hand(name, point, *dice, hardways), (point, dice)


def test_the_bets_are_those_that_the_text_names():
    assert len(house.SPOT) == 4 + 2 + 4 * 6 + 3 * 6 + 2 + 4 + 8
    assert set(house.SPOT.values()) <= set(NAMES)


def test_a_bet_that_travels():
    """Ten on come with the point on 4: to 6 by a 6, decided by the next 6; the bet that was there before is paid."""
    game = game_with(4)
    player, first = laid(game, "Come Line")
    throw_of(2, 4).updateGame(game)
    assert (str(first), player.told) == ("10 on Come Point 6 (1:1)", [])
    other, second = laid(game, "Come Line")
    throw_of(3, 3).updateGame(game)
    assert (player.told, other.told) == ([("win", 1)], [])
    assert second.outcome.name == "Come Point 6"
    assert list(game.table) == [second]


def test_a_come_out_seven_with_bets_that_have_travelled():
    """Come bets on numbers lose, their odds are off and returned; don't come wins, and what is laid works."""
    game = game_with(None)
    told = {}
    for name in ("Pass Line", "Come Point 6", "Come Odds 6", "Don't Come Point 8", "Don't Come Odds 8", "Place 4"):
        told[name], _ = laid(game, name)
    throw_of(3, 4).updateGame(game)
    assert {name: player.told for name, player in told.items()} == {
        "Pass Line": [("win", 1)],
        "Come Point 6": [LOSES],
        "Come Odds 6": [PUSHES],
        "Don't Come Point 8": [("win", 1)],
        "Don't Come Odds 8": [("win", Fraction(5, 6))],
        "Place 4": [],
    }


@pytest.mark.parametrize("point", [None, 6])
def test_twelve_is_barred(point):
    line = "Don't Pass Line" if point is None else "Don't Come Line"
    assert [became(line, point, dice) for dice in ((1, 1), (1, 2), (6, 6))] == [("win", 1), ("win", 1), PUSHES]


# Edges ----------------------------------------------------------------------------------------------------------------

IDS = {
    "Pass Line": "pass",
    "Don't Pass Line": "dont_pass_bar12",
    "Come Line": "come",
    "Don't Come Line": "dont_come_bar12",
    "Pass Odds": "take_odds_6",
    "Don't Pass Odds": "lay_odds_6",
    **{f"Place {n}": f"place_{n}" for n in POINTS},
    **{f"Buy {n}": f"buy_{n}_vig_upfront" for n in POINTS},
    **{f"Lay {n}": f"lay_{n}_vig_upfront" for n in POINTS},
    **{f"Hard {n}": f"hard{n}" for n in (4, 6, 8, 10)},
    **{f"Big {n}": f"big{n}" for n in (6, 8)},
    **{f"Number {n}": id for n, id in {2: "two", 3: "three", 7: "any7", 11: "eleven", 12: "twelve"}.items()},
    "Field": "field_2x2x",
    "Any Craps": "any_craps",
    "Horn": "horn",
}


@pytest.fixture(scope="module")
def known():
    return {row.bet: row.edge.fraction for row in edges("craps-bet", only=list(IDS.values())).rows}


def after(name, point, throw, amount):
    """What is handed back of a bet once a throw has decided it; or where it is then, and the point."""
    game = game_with(point)
    player, bet = laid(game, name, amount)
    throw.updateGame(game)
    if player.told:
        return player.stake - 10_000, None
    return None, (bet.outcome.name, game.current_point)


def edge(name, amount, point):
    """What the house keeps of the price of a bet, on average: solved from every place where the bet may get."""
    places, rows = [(name, point)], []
    for place in places:  # it grows
        rows.append([after(*place, throw, amount) for throw in DICE.throws.values()])
        places += dict.fromkeys(next_one for _, next_one in rows[-1] if next_one and next_one not in places)
    left, back = np.eye(len(places)), np.zeros(len(places))
    for i, row in enumerate(rows):
        for handed, next_one in row:
            if next_one:
                left[i, places.index(next_one)] -= 1 / 36
            else:
                back[i] += float(handed) / 36
    price = bet_on(name, amount).price()
    return 1 - np.linalg.solve(left, back)[0] / price


@pytest.mark.slow
@pytest.mark.cases("name", IDS)
def test_the_edges_of_the_bets(known, name):
    amount = {"Lay 4": 40, "Lay 5": 30, "Lay 6": 24, "Lay 8": 24, "Lay 9": 30, "Lay 10": 40}.get(name, 20)
    point = None if name in ("Pass Line", "Don't Pass Line") else 6
    assert edge(name, amount, point) == pytest.approx(float(known[IDS[name]]), abs=1e-12)


def test_pass_wins_244_of_495_rounds():
    assert (1 - edge("Pass Line", 10, None)) / 2 == pytest.approx(244 / 495, abs=1e-12)


# Dice and throws ------------------------------------------------------------------------------------------------------


def test_the_builder_builds_the_throws():
    dice = Dice()
    built = dict(dice.throws)
    dice.throws.clear()
    ThrowBuilder().buildThrows(dice)
    assert list(dice.throws) == PAIRS
    assert all(type(dice.throws[pair]) is type(built[pair]) for pair in PAIRS)
    assert all(dice.throws[pair].outcomes == built[pair].outcomes for pair in PAIRS)
    assert sorted(map(str, dice.getThrow(6, 6).outcomes)) == [
        "Any Craps (7:1)",
        "Field (2:1)",
        "Horn (27:4)",
        "Number 12 (30:1)",
    ]


def test_the_chapter_and_the_book_have_the_same_throws():
    assert throws.Throw is Throw
    assert throws.Outcome is Outcome
    assert throws.CrapsGame is not CrapsGame


@pytest.mark.cases("dice", PAIRS)
def test_a_throw_knows_what_it_wins_and_loses(dice):
    throw, names = throw_of(*dice), {}
    for kind in ("win1Roll", "lose1Roll", "winHardway", "loseHardway"):
        names[kind] = {outcome.name for outcome in getattr(throw, kind)}
    assert names["win1Roll"] | names["lose1Roll"] == set(house.ONE_THROW)
    assert not names["win1Roll"] & names["lose1Roll"]
    for name in [*house.ONE_THROW, *house.HARDWAYS]:
        result, odds = by_hand(name, 6, *dice)
        player = Noting(CrapsTable())
        bet = Bet(4, outcome_of(name), player)
        once, hard = throw.resolveOneRoll(bet), throw.resolveHardways(bet)
        assert once is (name in house.ONE_THROW)
        assert hard is (name in house.HARDWAYS and result != "stays")
        assert player.told == ([(result, odds)] if once or hard else [])
        kind = result + ("1Roll" if once else "Hardway")
        assert not (once or hard) or name in names[kind]


# Outcomes and bets ----------------------------------------------------------------------------------------------------


def test_outcomes_by_name():
    assert str(outcome_of("Come Odds 4")) == "Come Odds 4 (2:1)"
    assert [str(outcome_of("Pass Odds", n).odds) for n in POINTS] == ["2", "3/2", "6/5", "6/5", "3/2", "2"]
    assert [str(outcome_of("Don't Pass Odds", n).odds) for n in POINTS] == ["1/2", "2/3", "5/6", "5/6", "2/3", "1/2"]
    with pytest.raises(UnknownNameError, match="did you mean 'Pass Line'"):
        outcome_of("Pas Line")
    for name, point in product(("Pass Odds", "Don't Pass Odds"), (None, 7, 11)):
        with pytest.raises(ParameterError, match=f"^{name}: the odds are known only with a point"):
            outcome_of(name, point)


def test_what_a_bet_wins_loses_and_costs():
    bet = Bet(20, Outcome("Come Line", 1))
    assert (bet.winAmount(), bet.loseAmount(), bet.price(), bet.player) == (40, 20, 20, None)
    bet.setOutcome(Outcome("Come Point 4", 1))
    assert str(bet) == "20 on Come Point 4 (1:1)"
    player = Noting(CrapsTable())
    assert Bet(5, Outcome("Field", 1), player).player is player


@pytest.mark.parametrize(
    ("name", "amount", "price"),
    [
        ("Buy 4", 20, 21),
        ("Buy 6", 20, 21),
        ("Buy 10", 100, 105),
        ("Buy 4", 39, 40),  # rounded down
        ("Buy 4", 5, 6),  # but not below 1
        ("Lay 5", 30, 31),  # to win 20
        ("Lay 9", 300, 310),
        ("Lay 4", 40, 41),
        ("Lay 6", 24, 25),
        ("Lay 6", 240, 250),
    ],
)
def test_commissions(name, amount, price):
    bet = CommissionBet(amount, outcome_of(name))
    assert (bet.price(), bet.loseAmount(), type(bet.price())) == (price, amount, int)
    assert CommissionBet.vig == Fraction(1, 20)


@pytest.mark.cases("amount", [0, -1, 1.0, 2.5, "3", None, True, float("nan"), Fraction(1, 2)], ids=repr)
@pytest.mark.cases("kind", [Bet, CommissionBet])
def test_other_amounts_are_refused(kind, amount):
    with pytest.raises(InvalidBet, match="it is a whole number, at least 1") as refused:
        kind(amount, Outcome("Buy 4", 2))
    assert isinstance(refused.value, DicelabError)


def test_a_commission_on_another_bet_is_refused():
    with pytest.raises(InvalidBet, match=r"Field \(1:1, 2 and 12 2:1\): a commission is due on buy and lay bets only"):
        CommissionBet(20, outcome_of("Field"))


def test_odds_that_are_paid_are_those_of_the_house():
    game = game_with(6)
    player, bet = laid(game, "Field")
    bet.setOutcome(Outcome("Field", 100))
    throw_of(6, 6).updateGame(game)
    assert player.told == [("win", 2)]
    assert bet.winAmount() == 30


# The table ------------------------------------------------------------------------------------------------------------

PUT = [name for name in house.SPOT if name.startswith("Come Point")]
"""A come bet that is made with its number is a put bet; Las Vegas takes them."""
LATE = ["Don't Pass Line"]
EARLY = ["Come Line", "Don't Come Line", *PUT]
NEVER = [name for name in house.SPOT if name.startswith("Don't Come Point")]


@pytest.mark.parametrize("point", [None, *POINTS])
def test_which_bets_may_be_made(point):
    game = game_with(point)
    for name in house.SPOT:
        allowed = name not in NEVER and name not in (EARLY if point is None else LATE)
        alone = allowed and "Odds" not in name
        assert game.table.isValid(bet_on(name)) is alone, name
        behind_the_line = name in ("Pass Odds", "Don't Pass Odds") and point is None
        assert game.isAllowed(bet_on(name).outcome) is (allowed and not behind_the_line), name
    assert not game.isAllowed(Outcome("Any Red", 1))


@pytest.mark.parametrize("hardways", [True, False])
def test_which_bets_work(hardways):
    for point in (None, *POINTS):
        game = game_with(point, hardways_on_come_out=hardways)
        for name in house.SPOT:
            off = name.startswith(("Come Odds", "Place", "Buy")) or (name.startswith("Hard") and not hardways)
            assert game.isWorking(bet_on(name).outcome) is (point is not None or not off), name


REFUSED = [
    (None, [], Bet(10, Outcome("Come Line", 1)), SENTENCES[Reason.POINT]),
    (None, [("Pass Line", 10)], Bet(10, Outcome("Pass Odds", 1)), SENTENCES[Reason.FLAT]),
    (6, [("Come Line", 10)], Bet(10, Outcome("Come Odds 5", 1)), SENTENCES[Reason.FLAT]),
    (6, [], Bet(10, Outcome("Don't Pass Line", 1)), SENTENCES[Reason.RAISED]),
    (6, [], Bet(10, Outcome("Don't Come Point 5", 1)), SENTENCES[Reason.RAISED]),
    (6, [], Bet(4, Outcome("Pass Line", 1)), SENTENCES[Reason.MINIMUM]),
    (6, [], Bet(51, Outcome("Pass Line", 1)), SENTENCES[Reason.MAXIMUM]),
    (6, [("Hard 6", 30)], Bet(21, Outcome("Hard 6", 1)), SENTENCES[Reason.MAXIMUM]),
    (6, [], Bet(10**9, Outcome("Field", 1)), "all bets together would be above the table's limit, 200"),
    (
        6,
        [("Hard 6", 50), ("Hard 8", 50), ("Field", 50), ("Horn", 50)],
        Bet(5, Outcome("Big 6", 1)),
        "all bets together",
    ),
    (6, [], Bet(20, Outcome("Buy 4", 2)), "make it a CommissionBet"),
    (6, [], Bet(20, Outcome("Any Red", 1)), SENTENCES[Reason.NOT_OFFERED]),
]


@pytest.mark.parametrize(("point", "lies", "bet", "why"), REFUSED, ids=[str(bet) for _, _, bet, _ in REFUSED])
def test_a_refused_bet_is_told_why(point, lies, bet, why):
    table = CrapsTable(minimum=5, maximum=50, limit=200)
    game = CrapsGame(table=table)
    if point:
        game.point(point)
    for name, amount in lies:
        laid(game, name, amount)
    before = list(table)
    assert not table.isValid(bet)
    with pytest.raises(InvalidBet) as refused:
        table.placeBet(bet)
    assert str(refused.value).startswith(f"{bet}: ")
    assert why in str(refused.value)
    assert list(table) == before


def test_more_odds_than_the_house_allows():
    """A hundred times the line, and laid to win a hundred times it; that is the house of text 4."""
    game = game_with(None)
    laid(game, "Pass Line", 2)
    laid(game, "Don't Pass Line", 2)
    game.point(4)
    table = game.table
    assert table.isValid(Bet(200, game.pointOutcome()))
    assert not table.isValid(Bet(201, game.pointOutcome()))
    assert table.isValid(Bet(400, game.pointOutcome(right=False)))
    assert not table.isValid(Bet(401, game.pointOutcome(right=False)))
    assert "more than the house allows" in table.refusal(Bet(201, game.pointOutcome()))
    table.placeBet(Bet(150, game.pointOutcome()))
    assert not table.isValid(Bet(51, game.pointOutcome()))


def test_what_lies_on_a_table():
    table = CrapsTable()
    assert (str(table), list(table), table.allValid(), repr(table)) == ("no bets", [], True, "CrapsTable(no bets)")
    bets = [Bet(5, outcome_of("Pass Line")), Bet(3, outcome_of("Field")), Bet(2, Outcome("Field", 1))]
    for bet in bets:
        table.placeBet(bet)
    assert list(table) == bets
    assert (table.total(), table.on("Field"), table.on(outcome_of("Horn"))) == (10, 5, 0)
    assert str(table) == "5 on Pass Line (1:1), 3 on Field (1:1, 2 and 12 2:1), 2 on Field (1:1)"


def test_bets_that_may_lie_together():
    table = CrapsTable(minimum=5, maximum=50, limit=60)
    game = CrapsGame(table=table)
    table.placeBet(Bet(10, outcome_of("Don't Pass Line")))
    game.point(6)
    assert table.allValid()  # although none could be made now
    for more in (
        Bet(51, outcome_of("Field")),
        Bet(51, outcome_of("Hard 4")),
        Bet(2, outcome_of("Place 6")),
        Bet(5, Outcome("Pass Odds", 1)),
        Bet(5, outcome_of("Come Odds 4")),
        Bet(20, Outcome("Buy 4", 2)),
        Bet(10, Outcome("Any Red", 1)),
    ):
        table.bets.append(more)
        assert not table.allValid(), more
        with pytest.raises(InvalidBet, match="may not lie on the table together"):
            game.cycle(Noting(table))
        table.bets.remove(more)
    table.bets.append(Bet(50, outcome_of("Place 8")))
    assert table.allValid()
    table.bets.append(Bet(1, outcome_of("Hard 8")))
    assert not table.allValid()


@pytest.mark.parametrize(
    "limits",
    [
        {"minimum": 0},
        {"minimum": 10, "maximum": 5},
        {"minimum": 10, "limit": 9},
        {"maximum": 10**6},
        {"minimum": 2.5},
        {"limit": "many"},
        {"maximum": None},
    ],
)
def test_other_limits_are_refused(limits):
    with pytest.raises(ParameterError, match=r"minimum .*, maximum .* and limit .* are not allowed"):
        CrapsTable(**limits)


# Game and states ------------------------------------------------------------------------------------------------------


def test_a_table_and_a_game_find_each_other():
    game = CrapsGame()
    assert game.table.game is game
    table = CrapsTable(game)
    assert (game.table, table.game) == (table, game)
    dice, other = Dice(), CrapsTable()
    second = CrapsGame(dice, other)
    assert (second.dice, second.table, other.game) == (dice, other, second)


@pytest.mark.parametrize("point", [None, *POINTS])
def test_where_each_throw_leads(point):
    for dice in PAIRS:
        game, total = game_with(point), sum(dice)
        throw_of(*dice).updateGame(game)
        then = (total if total in POINTS else None) if point is None else None if total in (7, point) else point
        assert game.current_point == then
        assert type(game.state) is (CrapsGamePointOff if then is None else CrapsGamePointOn)
        assert str(game) == (str(then) if then else "Point Off")


def test_the_methods_without_a_throw():
    game = game_with()
    for move, then in ((game.craps, None), (game.eleven, None), (lambda: game.point(9), 9), (game.natural, None)):
        move()
        assert game.current_point == then
    with pytest.raises(ParameterError, match="point: 7 is not allowed"):
        game.point(7)


def test_the_odds_of_the_point():
    assert game_with().pointOutcome() is None
    assert [str(game_with(n).pointOutcome()) for n in (4, 9)] == ["Pass Odds (2:1)", "Pass Odds (3:2)"]
    assert str(game_with(8).pointOutcome(right=False)) == "Don't Pass Odds (5:6)"


def test_only_come_bets_travel():
    game = game_with(6)
    for name, dice in (("Come Line", (1, 3)), ("Don't Come Line", (4, 5))):
        bet = bet_on(name)
        game.moveToThrow(bet, throw_of(*dice))
        assert str(bet) == f"10 on {name.removesuffix('Line')}Point {sum(dice)} (1:1)"
    for name, dice in (("Pass Line", (2, 2)), ("Come Line", (3, 4)), ("Come Line", (6, 6)), ("Come Point 4", (2, 2))):
        bet = bet_on(name)
        with pytest.raises(InvalidBet, match="only bets on the come line travel"):
            game.moveToThrow(bet, throw_of(*dice))
        assert bet.outcome.name == name


def test_a_reset():
    game = game_with(6)
    laid(game, "Field")
    game.reset()
    assert (game.current_point, list(game.table), str(game.state)) == (None, [], "Point Off")


def test_a_bet_of_nobody_is_the_players():
    game = game_with()
    player = Noting(game.table)
    game.table.placeBet(Bet(5, outcome_of("Field")))
    game.dice = Dice(type("Always", (), {"choice": lambda self, items: (6, 6)})())
    game.cycle(player)
    assert player.told == [("win", 2)]
    assert (game.player, player.roundsToGo) == (player, 249)


def test_without_a_player_bets_are_decided_as_well():
    game = game_with()
    game.table.placeBet(Bet(5, outcome_of("Field")))
    CrapsThrow(1, 1).updateGame(game)
    assert list(game.table) == []


# Beside the table game ------------------------------------------------------------------------------------------------

COME_DOWN = [name for name in house.SPOT if not name.startswith(("Place", "Buy", "Lay", "Hard", "Big"))]
"""Bets that come down once they have won, at the table game as well."""
THROWS = st.lists(st.sampled_from(PAIRS), min_size=1, max_size=25)
WISHES = st.lists(st.lists(st.tuples(st.sampled_from(COME_DOWN), st.integers(1, 12)), max_size=4), max_size=25)


class Wishing:
    """Makes the bets of a list before each throw, if the table takes them; and notes which it took."""

    def __init__(self, windows):
        self.windows = windows
        self.taken = []

    def __call__(self, game, decision, seat):
        window = self.windows[0] if self.windows else []
        while window:
            name, amount = window.pop(0)
            spot = spot_named(house.SPOT[name])
            self.taken.append(game.allowed(spot, amount * house.UNIT))
            if self.taken[-1]:
                return spot, amount * house.UNIT
        self.windows[:1] = []
        return DONE, 0


class Script:
    """Throws of a list."""

    def __init__(self, pairs):
        self.pairs = list(pairs)

    def draw(self, pool):
        return self.pairs.pop(0)


@pytest.mark.slow
@given(THROWS, WISHES)
def test_the_table_game_takes_the_same_bets_and_has_the_same_money(pairs, wishes):
    bankroll = 10**6
    rules = house.table()
    table = Craps(**{**rules.parameters, "bankroll": bankroll * house.UNIT})
    wishing, script = Wishing([list(window) for window in wishes]), Script(pairs)
    game = CrapsGame()
    player, taken = Noting(game.table), []
    player.stake = bankroll
    left = list(wishes)
    for event in steps(table, [wishing], script):
        if event.kind != "throw":
            continue
        for name, amount in left.pop(0) if left else []:
            bet = bet_on(name, amount)
            taken.append(game.table.isValid(bet))
            if taken[-1]:
                player.place(bet)
        throw_of(*event.values).updateGame(game)
        assert taken == wishing.taken
        assert (player.stake * house.UNIT, game.current_point or 0) == (table.purse[0], table.point)
        lies = {name: table.bets[spot_named(spot)] for name, spot in house.SPOT.items()}
        assert lies == {name: game.table.on(name) * house.UNIT for name in house.SPOT}
        if not script.pairs:
            break
