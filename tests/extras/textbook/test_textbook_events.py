"""Text 4, outcomes that pay by the throw, throws that are added to, and the parents of throws and dice."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from dicelab.textbook.casino import (
    Bet,
    CrapsGame,
    CrapsPlayer,
    Dice,
    InvalidBet,
    NaturalThrow,
    Outcome,
    OutcomeField,
    OutcomeHorn,
    PointThrow,
    RandomEvent,
    RandomEventFactory,
    Throw,
    outcome_of,
    throw_of,
)

from dicelab.errors import ParameterError
from dicelab.textbook import casino

PAIRS = list(product(range(1, 7), repeat=2))
FIELD = {2: 2, 3: 1, 4: 1, 9: 1, 10: 1, 11: 1, 12: 2}
HORN = {2: Fraction(30 - 3, 4), 3: Fraction(15 - 3, 4), 11: Fraction(15 - 3, 4), 12: Fraction(30 - 3, 4)}
"""A quarter of the money on each of 2, 3, 11 and 12: one wins, three lose."""
BY_THROW = [(OutcomeField, FIELD), (OutcomeHorn, HORN)]


class Noting(CrapsPlayer):
    """A player who notes what is told of each bet."""

    def __init__(self, table=None):
        super().__init__(CrapsGame().table if table is None else table, stake=1000)
        self.told = []

    def win(self, bet):
        self.told.append(("win", bet.outcome.odds, bet.winAmount()))

    def lose(self, bet):
        self.told.append("lose")


# Outcomes that pay by the throw ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "pays"), BY_THROW)
def test_what_field_and_horn_pay_by_the_throw(kind, pays):
    outcome = kind()
    for dice in PAIRS:
        throw = throw_of(*dice)
        assert outcome.winAmount(20, throw) == 20 * pays.get(sum(dice), 0)
        assert outcome.winAmount(throw=throw) == pays.get(sum(dice), 0)  # with a throw alone, as the text has it
        assert (outcome in throw) is (sum(dice) in pays)


def test_what_they_pay_without_a_throw():
    assert (OutcomeField().winAmount(20), OutcomeHorn().winAmount(20)) == (20, 135)
    assert (OutcomeField().odds, OutcomeHorn().odds) == (1, Fraction(27, 4))


def test_their_edges():
    """Known of Las Vegas: 1/18 and 1/8."""
    for (kind, pays), edge in zip(BY_THROW, (Fraction(1, 18), Fraction(1, 8)), strict=True):
        worth = [kind().winAmount(throw=throw_of(*dice)) if sum(dice) in pays else -1 for dice in PAIRS]
        assert sum(worth) / 36 == -edge


def test_they_are_written_as_the_text_wants_them():
    assert str(OutcomeField()) == "Field (1:1, 2 and 12 2:1)"
    assert str(OutcomeHorn()) == "Horn (27:4, 3:1)"


@pytest.mark.parametrize(("kind", "pays"), BY_THROW)
def test_they_are_equal_to_other_outcomes_of_their_name(kind, pays):
    plain = Outcome(kind().name, 1)
    assert kind() == plain == kind()
    assert hash(kind()) == hash(plain)
    assert kind() != Outcome("Any Craps", 7)
    assert type(outcome_of(kind().name)) is kind


@pytest.mark.slow_cases("OutcomeHorn-pays1")
@pytest.mark.parametrize(("kind", "pays"), BY_THROW)
def test_a_bet_on_them_is_paid_by_the_throw(kind, pays):
    for dice in PAIRS:
        player, game = Noting(), CrapsGame()
        game.table.placeBet(Bet(20, kind(), player))
        throw_of(*dice).updateGame(game)
        odds = pays.get(sum(dice))
        assert player.told == (["lose"] if odds is None else [("win", odds, 20 + 20 * odds)])


def test_other_outcomes_pay_the_same_with_every_throw():
    assert outcome_of("Place 6").winAmount(6, throw_of(6, 6)) == outcome_of("Place 6").winAmount(6) == 7


def test_odds_may_be_a_fraction():
    """The other constructor of the text."""
    assert Outcome("Horn", Fraction(27, 4)).winAmount(8) == 54
    assert str(Outcome("Place 6", Fraction(7, 6))) == "Place 6 (7:6)"
    assert Outcome("A", Fraction(3, 2), 2).odds == Fraction(3, 4)
    with pytest.raises(ParameterError, match="A: odds of Fraction"):
        Outcome("A", Fraction(-1, 2))


# Throws that are added to ---------------------------------------------------------------------------------------------

HOP, RED = Outcome("Hop 3-4", 15), Outcome("Any Red", 1)


def resolved(throw, how, outcome):
    player = Noting()
    done = getattr(throw, how)(Bet(2, outcome, player))
    assert done is bool(player.told)
    return player.told[0] if done else None


@pytest.mark.parametrize(
    ("add", "how", "other"),
    [
        ("add1Roll", "resolveOneRoll", "resolveHardways"),
        ("addHardways", "resolveHardways", "resolveOneRoll"),
    ],
)
def test_what_is_added_is_resolved(add, how, other):
    throw = NaturalThrow(3, 4)
    assert resolved(throw, how, HOP) is None
    getattr(throw, add)([HOP], [RED])
    assert resolved(throw, how, Outcome("Hop 3-4", 1)) == ("win", 15, 32)  # the odds are the throw's
    assert resolved(throw, how, RED) == "lose"
    assert resolved(throw, other, HOP) is None
    assert resolved(throw, "resolveOneRoll", outcome_of("Number 7")) == ("win", 4, 10)
    assert resolved(throw, "resolveHardways", outcome_of("Hard 6")) == "lose"
    assert resolved(NaturalThrow(3, 4), how, HOP) is None  # other throws are as they were


def test_winners_and_losers_are_in_the_four_sets():
    throw = Throw(2, 2, HOP)
    assert (throw.win1Roll, throw.lose1Roll, throw.winHardway, throw.loseHardway) == ({HOP}, set(), set(), set())
    assert resolved(throw, "resolveOneRoll", outcome_of("Field")) is None  # the parent knows what it is told
    throw.add1Roll([outcome_of("Field")], [RED])
    throw.addHardways([outcome_of("Hard 4")], [outcome_of("Hard 6"), outcome_of("Hard 8")])
    assert throw.win1Roll == throw.outcomes == {HOP, outcome_of("Field")}
    assert throw.lose1Roll == {RED}
    assert {outcome.name for outcome in throw.winHardway} == {"Hard 4"}
    assert {outcome.name for outcome in throw.loseHardway} == {"Hard 6", "Hard 8"}


def test_an_outcome_by_throw_that_is_added_pays_by_that_throw():
    for dice in ((1, 1), (1, 2)):
        throw = Throw(*dice, OutcomeField())
        odds = FIELD[sum(dice)]
        assert resolved(throw, "resolveOneRoll", Outcome("Field", 50)) == ("win", odds, 2 + 2 * odds)


def test_what_is_added_takes_the_place_of_what_is_there():
    """A house that pays the field 3:1 on 12, and one where 7 loses."""
    twelve, seven = throw_of(6, 6), throw_of(3, 4)
    twelve.add1Roll([Outcome("Field", 3)])
    assert resolved(twelve, "resolveOneRoll", outcome_of("Field")) == ("win", 3, 8)
    seven.add1Roll(losers=[outcome_of("Number 7")])
    assert resolved(seven, "resolveOneRoll", outcome_of("Number 7")) == "lose"
    assert outcome_of("Number 7") not in seven
    seven.add1Roll([outcome_of("Number 7")])
    assert resolved(seven, "resolveOneRoll", outcome_of("Number 7")) == ("win", 4, 10)
    assert outcome_of("Number 7") not in seven.lose1Roll


@pytest.mark.parametrize("add", ["add1Roll", "addHardways"])
def test_a_bet_can_not_both_win_and_lose(add):
    throw = throw_of(3, 4)
    before = throw.win1Roll, throw.lose1Roll, throw.winHardway, throw.loseHardway
    with pytest.raises(ParameterError, match="Hop 3-4: a bet can't both win and lose with 3,4; name it once"):
        getattr(throw, add)([HOP, RED], [HOP])
    assert before == (throw.win1Roll, throw.lose1Roll, throw.winHardway, throw.loseHardway)


def test_the_house_takes_no_other_bets_for_it():
    game = CrapsGame()
    game.dice.addOutcome((3, 4), HOP)
    with pytest.raises(InvalidBet, match=r"2 on Hop 3-4 \(15:1\): this table does not take that bet"):
        game.table.placeBet(Bet(2, HOP))


# Parents of throws and dice -------------------------------------------------------------------------------------------


def test_a_throw_is_an_event():
    throw = throw_of(5, 6)
    assert isinstance(throw, RandomEvent)
    assert set(throw) == throw.outcomes == {outcome_of(name) for name in ("Field", "Horn", "Number 11")}
    assert "Field" not in throw
    assert Throw(1, 2) != Throw(2, 1)
    assert Throw(1, 2)  # also where nothing wins


def test_an_event_of_another_game():
    bin = RandomEvent(RED, Outcome("Number 1", 35))
    assert bin.outcomes == {RED, Outcome("Number 1", 35)}
    assert RED in bin


def test_dice_choose_what_they_roll():
    dice, again = Dice(random.Random(3)), Dice(random.Random(3))
    assert isinstance(dice, RandomEventFactory)
    assert dice.current is None
    rng = random.Random(3)
    for _ in range(20):
        throw = dice.choose()
        assert throw.key() == rng.choice(PAIRS)
        assert dice.current is throw is dice.getThrow(*throw.key())
        assert again.roll().key() == throw.key()


def test_dice_that_choose_otherwise_are_rolled_so():
    class Loaded(Dice):
        def choose(self):
            return self.getThrow(6, 6)

    game = CrapsGame(Loaded())
    player = Noting(game.table)
    player.placeBets = lambda: None
    game.table.placeBet(Bet(4, OutcomeField(), player))
    game.cycle(player)
    assert player.told == [("win", 2, 12)]


def test_dice_are_made_anew():
    dice = Dice()
    dice.addThrow(PointThrow(2, 2))
    dice.addOutcome((3, 4), HOP)
    dice.throws.pop((1, 1))
    assert HOP in dice.getThrow(3, 4)
    dice.initialize()
    assert list(dice.throws) == PAIRS
    assert HOP not in dice.getThrow(3, 4)


def test_an_outcome_can_not_be_added_to_a_throw_that_there_is_not():
    with pytest.raises(ParameterError, match="there is no throw 0,7"):
        Dice().addOutcome((0, 7), HOP)


def test_a_factory_of_another_kind():
    """Cards are drawn without being put back; the text looks forward to them."""

    class Deck(RandomEventFactory):
        def initialize(self):
            self.cards = [RandomEvent(Outcome(name, 1)) for name in "ABC"]

        def choose(self):
            self.current = self.cards.pop(self.rng.randrange(len(self.cards)))
            return self.current

    deck = Deck(random.Random(1))
    drawn = [deck.choose() for _ in range(3)]
    assert sorted(outcome.name for card in drawn for outcome in card) == ["A", "B", "C"]
    assert deck.current is drawn[-1]
    with pytest.raises(NotImplementedError):
        RandomEventFactory()


# Every name of the text -----------------------------------------------------------------------------------------------

NAMES = {
    "Outcome": "name odds winAmount",
    "Throw": "outcomes d1 d2 win1Roll lose1Roll winHardway loseHardway add1Roll addHardways hard updateGame key "
    "resolveOneRoll resolveHardways",
    "Dice": "throws rng current initialize choose roll addThrow getThrow addOutcome",
    "Bet": "amountBet outcome player winAmount loseAmount setOutcome price",
    "CrapsTable": "limit minimum maximum bets game setGame placeBet isValid allValid",
    "CrapsGame": "dice table player state craps natural eleven point cycle reset "
    "isAllowed isWorking pointOutcome moveToThrow",
    "CrapsGamePointOff": "game isValid isWorking craps natural eleven point pointOutcome moveToThrow",
    "CrapsPlayerPass": "stake roundsToGo table playing placeBets win lose",
    "CrapsMartingale": "lossCount betMultiple lineOutcome oddsOutcome oddsBet lineStrategy oddsStrategy",
    "Craps1326": "state",
    "CrapsCancellation": "sequence resetSequence",
    "CrapsFibonacci": "recent previous",
    "CrapsSevenCountPlayer": "sevenStrategy throwCount",
    "NoChangeBetting": "betAmount createBet win lose",
    "Simulator": "initDuration initStake samples durations maxima player game session gather",
}
"""Classes and members of the book's part "Craps", from its chapters."""
LEFT_OUT = ("Table", "Game", "Player", "Wheel", "Bin")
"""Parents of roulette's classes and ours, and roulette's."""


@pytest.mark.parametrize("name", NAMES)
def test_the_names_of_the_text_are_there(name):
    game = CrapsGame()
    player = casino.CrapsPlayerPass(game.table)
    made = {
        "Outcome": lambda kind: kind("Field", 1),
        "Throw": lambda kind: kind(1, 2),
        "Bet": lambda kind: kind(1, RED),
        "NoChangeBetting": lambda kind: kind(RED),
        "CrapsGamePointOff": lambda kind: kind(game),
        "Simulator": lambda kind: kind(game, player),
    }
    at_a_table = name.startswith("Craps") and name not in ("CrapsTable", "CrapsGame", "CrapsGamePointOff")
    make = made.get(name, (lambda kind: kind(game.table)) if at_a_table else lambda kind: kind())
    found = make(getattr(casino, name))
    assert [member for member in NAMES[name].split() if not hasattr(found, member)] == []


def test_what_is_left_out_is_not_there():
    assert not set(LEFT_OUT) & set(casino.__all__)
