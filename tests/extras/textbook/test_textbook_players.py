"""Text 4, its players and its simulator: stakes on throws by hand, reports of known sessions, and the table game."""

from __future__ import annotations

import random
import statistics
from fractions import Fraction
from itertools import islice, product

import numpy as np
import pytest
from dicelab.textbook.casino import (
    Bet,
    Bet1326Betting,
    BettingStrategy,
    CancellationBetting,
    CommissionBet,
    Craps1326,
    CrapsCancellation,
    CrapsFibonacci,
    CrapsGame,
    CrapsMartingale,
    CrapsOneBetPlayer,
    CrapsPlayer,
    CrapsPlayerPass,
    CrapsSevenCountPlayer,
    CrapsSimplePlayer,
    CrapsTable,
    CrapsTwoBetPlayer,
    Dice,
    FibonacciBetting,
    IntegerStatistics,
    InvalidBet,
    MartingaleBetting,
    NoChangeBetting,
    Outcome,
    Player1326NoWins,
    Player1326OneWin,
    Player1326State,
    Player1326ThreeWins,
    Player1326TwoWins,
    Simulator,
    outcome_of,
)
from hypothesis import given
from hypothesis import strategies as st

from dicelab.errors import ParameterError
from dicelab.extras.craps.betting_systems import ONE_THREE_TWO_SIX, fibonacci, next_units
from dicelab.extras.craps.craps import Craps
from dicelab.runtime.interpreter import steps
from dicelab.runtime.philox import Stream
from dicelab.runtime.strategies import parse_call

PASS, DONT = outcome_of("Pass Line"), outcome_of("Don't Pass Line")
ODDS = Outcome("Pass Odds", 1)
WON, LOST = "4-4 5-3 ", "4-4 3-4 "
"""A round on point 8 that the pass line and its odds win, and one that they lose."""


class Script:
    """Chance that throws these dice: ``4-3``; after the last one, that again."""

    def __init__(self, throws):
        self.throws = [tuple(map(int, throw.split("-"))) for throw in throws.split()]

    def choice(self, items):
        return self.throws.pop(0) if len(self.throws) > 1 else self.throws[0]


def played(kind, throws, *, stake=1000, table=None, **more):
    """A player after some throws, and what was bet before each, by outcome."""
    game = CrapsGame(Dice(Script(throws)), table or CrapsTable())
    player, made = kind(game.table, stake=stake, **more), []
    place = game.table.placeBet
    game.table.placeBet = lambda bet: (made.append((bet.amountBet, bet.outcome.name)), place(bet))
    for _ in throws.split():
        game.cycle(player)
    return player, made


def odds(made):
    return [amount for amount, name in made if name.endswith("Odds")]


# Systems --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "rounds", "wanted"),
    [
        (CrapsSimplePlayer, "LLWLW", [1, 1, 1, 1, 1]),
        (CrapsMartingale, "LLLLWLW", [1, 2, 4, 8, 16, 1, 2]),
        (Craps1326, "WWWWWLWWL", [1, 3, 2, 6, 1, 3, 1, 3, 2]),
        (CrapsCancellation, "WWWW", [7, 7, 7, 7]),  # 1 to 6, 2 to 5, 3 and 4, and from the beginning
        (CrapsCancellation, "LLWLWWW", [7, 8, 9, 9, 11, 10, 10]),
        (CrapsFibonacci, "LLLLLLWL", [1, 1, 2, 3, 5, 8, 13, 1]),
    ],
)
def test_the_odds_of_each_system(kind, rounds, wanted):
    _, made = played(kind, "".join({"W": WON, "L": LOST}[result] for result in rounds))
    assert odds(made) == wanted
    assert [amount for amount, name in made if name == "Pass Line"] == [1] * len(rounds)


def test_a_cancellation_by_hand():
    """The line of numbers after each round."""
    player, _ = played(CrapsCancellation, LOST)
    assert player.sequence == [1, 2, 3, 4, 5, 6, 7]
    player, _ = played(CrapsCancellation, LOST + WON)
    assert player.sequence == [2, 3, 4, 5, 6]
    player, _ = played(CrapsCancellation, LOST + 3 * WON)
    assert player.sequence == [4]
    assert player.oddsBet().amountBet == 4
    player, _ = played(CrapsCancellation, LOST + 4 * WON)
    assert player.sequence == [1, 2, 3, 4, 5, 6]
    player, _ = played(CrapsCancellation, LOST)
    player.resetSequence()
    assert player.sequence == [1, 2, 3, 4, 5, 6]


def test_what_players_say_of_their_course():
    player, _ = played(CrapsMartingale, 3 * LOST)
    assert (player.lossCount, player.betMultiple, player.oddsOutcome, player.lineOutcome) == (3, 8, ODDS, PASS)
    player, _ = played(CrapsFibonacci, 4 * LOST)
    assert (player.recent, player.previous) == (5, 3)
    player, _ = played(Craps1326, 2 * WON)
    assert type(player.state) is Player1326TwoWins
    assert str(player.oddsBet()) == "2 on Pass Odds (1:1)"


@pytest.mark.parametrize("kind", [CrapsMartingale, Craps1326, CrapsCancellation, CrapsFibonacci])
def test_a_come_out_without_a_point_does_not_advance_a_system(kind):
    """The line alone is decided, and it is bet flat."""
    _, made = played(kind, LOST + LOST + "1-1 5-6 6-6 " + LOST)
    _, without = played(kind, LOST + LOST + LOST)
    assert odds(made) == odds(without)


def test_a_push_does_not_advance_a_system():
    """A twelve returns don't pass; the next bet is as high as the one that was returned."""
    for strategy, wanted in (
        (MartingaleBetting, [1, 2, 4, 4, 4, 8]),
        (Bet1326Betting, [1, 1, 1, 1, 1, 1]),
        (CancellationBetting, [7, 8, 9, 9, 9, 10]),
        (FibonacciBetting, [1, 1, 2, 2, 2, 3]),
    ):
        _, made = played(lambda table, *, stake, s=strategy: CrapsOneBetPlayer(table, s(DONT), stake=stake), PUSHED)
        assert [amount for amount, _ in made] == wanted
    player, made = played(lambda table, *, stake: CrapsOneBetPlayer(table, Bet1326Betting(DONT)), "1-1 6-6 1-1 1-1")
    assert [amount for amount, _ in made] == [1, 3, 3, 2]
    assert player.stake == 100 + 1 + 3 + 2


PUSHED = "3-4 5-6 6-6 6-6 3-4 1-1"


@given(st.lists(st.booleans(), max_size=40))
def test_courses_are_those_of_dicelab(results):
    states, course = Player1326NoWins(ODDS), Bet1326Betting(ODDS)
    rising, doubling, losses = FibonacciBetting(ODDS), MartingaleBetting(ODDS), 0
    units, step = 1, 0
    for won in results:
        assert states.units == course.createBet().amountBet == units
        units, step = next_units(ONE_THREE_TWO_SIX, won, units, step)
        states = states.nextWon() if won else states.nextLost()
        for strategy in (course, rising, doubling):
            (strategy.win if won else strategy.lose)(strategy.createBet())
        losses = 0 if won else losses + 1
        if losses < 19:  # no system goes beyond a million
            assert (doubling.lossCount, doubling.betMultiple) == (losses, 2**losses)
        assert rising.createBet().amountBet == fibonacci(losses)


@given(st.lists(st.booleans(), max_size=60))
def test_a_line_of_numbers_by_its_definition(results):
    strategy, line = CancellationBetting(ODDS), [1, 2, 3, 4, 5, 6]
    for won in results:
        bet = line[0] + line[-1] if len(line) > 1 else line[0]
        assert (strategy.sequence, strategy.units()) == (line, bet)
        (strategy.win if won else strategy.lose)(strategy.createBet())
        line = line[1:-1] if won else [*line, bet]
        if len(line) > 30:
            return
        line = line or [1, 2, 3, 4, 5, 6]


def test_the_states_of_1326_follow_each_other():
    state, seen = Player1326NoWins(ODDS, 5), []
    for _ in range(5):
        seen.append((type(state), state.currentBet().amountBet))
        assert type(state.nextLost()) is Player1326NoWins
        state = state.nextWon()
    kinds = [Player1326NoWins, Player1326OneWin, Player1326TwoWins, Player1326ThreeWins, Player1326NoWins]
    assert seen == list(zip(kinds, [5, 15, 10, 30, 5], strict=True))
    assert all(issubclass(kind, Player1326State) for kind in kinds)


def test_strategies_in_words():
    assert str(NoChangeBetting(PASS, 5)) == "NoChangeBetting: 5 on Pass Line (1:1)"
    strategy = CancellationBetting(PASS, 10)
    assert str(strategy) == "CancellationBetting: 70 on Pass Line (1:1)"


@pytest.mark.parametrize("amount", [0, -1, 1.5, "5", None, True])
def test_other_units_are_refused(amount):
    with pytest.raises(ParameterError, match=r"betAmount: .* is a whole number, at least 1"):
        MartingaleBetting(PASS, amount)


def test_the_parents_say_what_is_missing():
    with pytest.raises(NotImplementedError):
        BettingStrategy(PASS).createBet()
    with pytest.raises(NotImplementedError):
        CrapsPlayer(CrapsTable()).placeBets()
    with pytest.raises(NotImplementedError):
        Player1326State(PASS).nextWon()


# Players --------------------------------------------------------------------------------------------------------------


def test_money_by_hand():
    """Pass and flat odds of 1: 6 made (1 + 6/5), 5 lost (-2), 11 (1), 4 made (1 + 2)."""
    player, made = played(CrapsSimplePlayer, "2-4 6-6 1-5 2-3 3-4 5-6 2-2 1-3", stake=100)
    assert player.stake == 100 + Fraction(11, 5) - 2 + 1 + 3
    assert [name for _, name in made] == ["Pass Line", "Pass Odds"] * 2 + ["Pass Line"] * 2 + ["Pass Odds"]


def test_the_other_side():
    """Don't pass with odds laid to the same amount: 6 made loses both, a seven-out wins 1 and 2/3 of 1 on 9."""
    player, made = played(
        lambda table, *, stake: CrapsSimplePlayer(table, DONT, Outcome("Don't Pass Odds", 1), stake=stake),
        "3-3 2-4 4-5 3-4",
    )
    assert player.stake == 1000 - 2 + 1 + Fraction(2, 3)
    assert [name for _, name in made] == ["Don't Pass Line", "Don't Pass Odds"] * 2


def test_a_unit_is_the_minimum_of_the_table():
    for kind, bets in (
        (CrapsPlayerPass, [10]),
        (CrapsMartingale, [10, 10, 10, 20]),
        (CrapsCancellation, [10, 70, 10, 80]),
    ):
        _, made = played(kind, LOST + "4-4 5-5", table=CrapsTable(minimum=10))
        assert [amount for amount, _ in made][: len(bets)] == bets


def test_a_line_below_the_minimum_is_refused():
    with pytest.raises(ParameterError, match="betAmount: 5 on Pass Line is not allowed; the table's minimum is 10"):
        CrapsOneBetPlayer(CrapsTable(minimum=10), NoChangeBetting(PASS, 5))


def test_a_pass_bet_is_made_before_come_outs_only():
    game = CrapsGame(Dice(Script("1-1")))
    game.point(6)
    player = CrapsPlayerPass(game.table)
    game.cycle(player)
    assert (player.stake, list(game.table)) == (100, [])


def test_a_come_bet_of_a_strategy_is_followed_to_its_number():
    player, made = played(
        lambda table, *, stake: CrapsTwoBetPlayer(
            table, NoChangeBetting(PASS), MartingaleBetting(outcome_of("Come Line"))
        ),
        "4-4 3-3 2-2 3-4 3-4 4-4 1-1",
    )
    assert made == [(1, "Pass Line"), (1, "Come Line"), (1, "Pass Line"), (1, "Pass Line"), (2, "Come Line")]
    assert player.stake == 100 - 2 + 1 - 2 - 1


def test_a_bet_that_the_money_does_not_allow_is_left_out():
    """The course waits: 1 + 1, 1 + 2, 1 + 4 lost of 11 leave 1, which is bet on the line; 8 are not there for odds."""
    player, made = played(CrapsMartingale, 3 * LOST + "4-4 2-2", stake=11)
    assert odds(made) == [1, 2, 4]
    assert (player.stake, player.betMultiple, player.table.total()) == (0, 8, 1)


def test_a_bet_that_the_table_does_not_allow_is_left_out():
    player, made = played(CrapsMartingale, 4 * LOST + WON, table=CrapsTable(maximum=4))
    assert odds(made) == [1, 2, 4]
    assert player.stake == 1000 - 4 - 7 + 1


def test_who_plays():
    table = CrapsTable(minimum=5)
    assert CrapsPlayerPass(table, stake=5).playing()
    assert not CrapsPlayerPass(table, stake=4).playing()
    assert not CrapsPlayerPass(table, roundsToGo=0).playing()
    rich = CrapsOneBetPlayer(table, NoChangeBetting(PASS, 20), stake=19)
    assert not rich.playing()
    rich.stake = 20
    assert rich.playing()


def test_bets_that_lie_on_the_table_are_played_out():
    """No money and no time, but a bet: it may still win."""
    player, made = played(CrapsPlayerPass, "4-4 1-1 5-3", stake=1, roundsToGo=1)
    assert (made, player.stake, player.roundsToGo, player.playing()) == ([(1, "Pass Line")], 2, 0, False)
    player, _ = played(CrapsPlayerPass, "4-4 1-1", stake=1, roundsToGo=1)
    assert (player.stake, player.playing()) == (0, True)


def test_what_a_player_can_not_pay_is_refused():
    game = CrapsGame()
    player = CrapsPlayerPass(game.table, stake=5)
    with pytest.raises(InvalidBet, match=r"6 on Pass Line \(1:1\): its price is 6, and the player has 5"):
        player.place(Bet(6, PASS))
    player.place(Bet(5, PASS))
    assert (player.stake, [str(bet) for bet in game.table]) == (0, ["5 on Pass Line (1:1)"])


@pytest.mark.parametrize(("throw", "stake"), [("1-3", 100 - 21 + 60), ("3-4", 100 - 21), ("5-6", 100 - 21)])
def test_a_commission_is_paid_and_gone(throw, stake):
    game = CrapsGame()
    player = CrapsPlayerPass(game.table)
    game.point(6)
    player.place(CommissionBet(20, outcome_of("Buy 4")))
    game.dice.getThrow(*map(int, throw.split("-"))).updateGame(game)
    assert player.stake == stake


def test_after_a_reset_of_the_game_bets_are_made_again():
    game = CrapsGame()
    player = CrapsPlayerPass(game.table)
    for _ in range(2):
        player.placeBets()
        player.placeBets()
        assert len(list(game.table)) == 1
        game.reset()


def test_the_bet_on_seven_in_long_games():
    """Before the seventh throw of a game, the come-out being the first; doubled while it loses, also over games."""
    long = "4-4 1-1 1-1 1-1 1-1 1-1 "
    _, made = played(CrapsSevenCountPlayer, long + "1-1 5-6 3-4")
    assert [bet for bet in made if bet[1] == "Number 7"] == [(1, "Number 7"), (2, "Number 7"), (4, "Number 7")]
    assert made.index((1, "Number 7")) == 2  # after the line and its odds
    player, made = played(CrapsSevenCountPlayer, long + "5-3 " + long + "3-4 3-4")
    assert [bet for bet in made if bet[1] == "Number 7"] == [(1, "Number 7"), (2, "Number 7")]
    assert player.sevenStrategy.betMultiple == 1
    _, made = played(CrapsSevenCountPlayer, long.rstrip())
    assert made == [(1, "Pass Line"), (1, "Pass Odds")]


def test_come_outs_that_decide_begin_another_game():
    _, made = played(CrapsSevenCountPlayer, 8 * "1-1 ")
    assert made == [(1, "Pass Line")] * 8


# Sessions -------------------------------------------------------------------------------------------------------------


def simulator(throws, kind=CrapsPlayerPass, **more):
    game = CrapsGame(Dice(Script(throws)))
    return Simulator(game, kind(game.table), **more)


def test_a_session_by_hand():
    """Six throws before which bets may be made: won, lost (12), point 8, 1-1, won, point 4; then 4 wins."""
    found = simulator("5-6 6-6 4-4 1-1 5-3 2-2 1-3", initDuration=6, initStake=10)
    assert found.session() == [11, 10, 9, 9, 11, 10, 12]


def test_durations_and_maxima_by_hand():
    """The first session wins once, is ruined by the next three; the second loses at once; so does the third."""
    found = simulator("5-6 1-1 1-1 1-1", initDuration=20, initStake=2, samples=3)
    found.gather()
    assert found.durations == [4, 2, 2]
    assert found.maxima == [3, 1, 1]
    assert (found.durations.mean(), found.maxima.mean()) == (pytest.approx(8 / 3), pytest.approx(5 / 3))
    assert found.report().splitlines() == [
        "3 sessions of CrapsPlayerPass, from 2",
        "             mean  deviation",
        "durations    2.67       1.15",
        "maxima       1.67       1.15",
    ]


def test_each_session_begins_anew():
    """A course, the point and the bets of a session are none of the next one's."""
    found = simulator(LOST, CrapsMartingale, initDuration=1, initStake=50, samples=2)
    first = found.session()
    found.player.oddsStrategy.lose(None)
    found.player.table.bets.append(Bet(5, PASS))
    found.game.point(6)
    found.game.dice.rng = Script(LOST)
    assert found.session() == first == [49, 49]
    assert found.player.oddsStrategy.betMultiple == 1
    found = simulator(4 * LOST, CrapsSevenCountPlayer, samples=1, initDuration=3)
    found.gather()
    assert found.player.roundsToGo == 0


def test_the_text_s_defaults():
    found = simulator("1-1")
    assert (found.initDuration, found.initStake, found.samples) == (250, 100, 50)
    found.gather()
    assert found.durations == [100] * 50
    assert found.maxima == [99] * 50


@pytest.mark.parametrize(
    "kind", [CrapsPlayerPass, CrapsMartingale, Craps1326, CrapsCancellation, CrapsSevenCountPlayer]
)
def test_the_same_seed_gives_the_same_sessions(kind):
    reports = []
    for seed in (7, 7, 8):
        game = CrapsGame()
        found = Simulator(game, kind(game.table), samples=6, initDuration=60, seed=seed)
        before = game.dice.rng
        found.gather()
        assert game.dice.rng is before
        reports.append((list(found.durations), list(found.maxima)))
        found.gather()
        assert (found.durations, found.maxima) == reports[-1]
    assert reports[0] == reports[1] != reports[2]


def test_without_a_seed_the_dice_are_thrown_as_they_are():
    stakes = []
    for _ in range(2):
        game = CrapsGame(Dice(random.Random(3)))
        found = Simulator(game, CrapsPlayerPass(game.table), samples=2, initDuration=40)
        found.gather()
        stakes.append((list(found.durations), list(found.maxima)))
    assert stakes[0] == stakes[1]


@pytest.mark.cases(
    "wrong",
    [
        *product(["initDuration", "initStake", "samples"], [0, -1, 2.5, "5", None]),
        ("seed", -1),
        ("seed", 2**64),
        ("seed", "1"),
    ],
    ids=str,
)
def test_other_numbers_are_refused(wrong):
    name, value = wrong
    with pytest.raises(ParameterError, match=f"{name}: .* is not allowed; it is a whole number"):
        simulator("1-1", **{name: value})


def test_nothing_gathered_yet():
    found = simulator("1-1", samples=1)
    with pytest.raises(ParameterError, match="gather some samples first"):
        found.report()
    found.gather()
    assert found.durations.mean() == 100
    with pytest.raises(ParameterError, match="a deviation takes at least two numbers, not 1"):
        found.report()


@pytest.mark.slow
@given(st.lists(st.one_of(st.integers(-(10**6), 10**6), st.fractions(-100, 100, max_denominator=60)), min_size=2))
def test_mean_and_deviation(numbers):
    found = IntegerStatistics(numbers)
    floats = np.array([float(number) for number in numbers])
    assert found.mean() == pytest.approx(floats.mean(), rel=1e-9, abs=1e-9)
    assert found.stdev() == pytest.approx(floats.std(ddof=1), rel=1e-6, abs=1e-6)
    assert found.stdev() == pytest.approx(statistics.stdev(map(float, numbers)), rel=1e-6, abs=1e-6)


# Beside the table game ------------------------------------------------------------------------------------------------


def purses(seed, number, call, **table):
    """The table game `craps` with a strategy: the money that is not on the table, after each throw."""
    game = Craps(**{"minimum": 1, "until_rounds": 0, "odds": "100x"} | table)
    happened = steps(game, [parse_call(Craps, call).chooser(game)], Stream(seed, number))
    return [game.purse[0] for event in islice(happened, 500) if event.kind == "throw"]


def sessions(player, seed, samples, **more):
    """The money after each throw, session by session; as durations and maxima tell it."""
    found = Simulator(player.table.game, player, seed=seed, samples=samples, **more)
    stakes, session = [], found.session
    found.session = lambda: stakes.append(session()) or stakes[-1]
    found.gather()
    assert found.durations == [len(session) for session in stakes]
    assert found.maxima == [max(session) for session in stakes]
    return stakes


def test_a_session_of_pass_bets_is_a_game_of_the_table():
    """Session k has the throws of game k of the seed; at the end the last bet is played out by both."""
    player = CrapsPlayerPass(CrapsGame().table)
    for number, stakes in enumerate(sessions(player, 11, 40, initDuration=60, initStake=12)):
        assert stakes == purses(11, number, "line:pass:0:1", bankroll=12, until_throws=60)


@pytest.mark.quick_cases("martingale")
@pytest.mark.parametrize(
    ("strategy", "call"),
    [
        (NoChangeBetting(DONT), "line:dont_pass:0:1"),
        (Bet1326Betting(PASS), "line:pass:0:1:one_three_two_six"),
        (MartingaleBetting(PASS), "line:pass:0:1:martingale"),
    ],
    ids=["don't pass", "1326", "martingale"],
)
def test_the_same_throws_leave_the_same_money_as_at_the_table(strategy, call):
    """As long as bets are made: then the text's players wait, and the table's take down what they may.

    And as long as the money lasts for a Martingale: the table's players then bet what is left.
    """
    compared = 0
    player = CrapsOneBetPlayer(CrapsGame().table, strategy)
    for number, stakes in enumerate(sessions(player, 12, 20, initDuration=60, initStake=40)):
        expected = purses(12, number, call, bankroll=40)
        both = min(60, len(stakes))
        assert stakes[:both] == expected[:both]
        compared += both
    assert compared > 600


def test_odds_at_a_table_of_ten():
    """Pass with odds of ten: what they pay is whole, so that the table game has the same money."""
    player = CrapsSimplePlayer(CrapsGame(table=CrapsTable(minimum=10)).table)
    for number, stakes in enumerate(sessions(player, 5, 20, initDuration=50, initStake=300)):
        expected = purses(5, number, "line:pass:1:10", bankroll=300, minimum=10)
        assert stakes[:50] == expected[:50]


def test_a_player_of_another_table_is_refused() -> None:
    game, elsewhere = CrapsGame(), CrapsGame()
    simulator = Simulator(game, CrapsPlayerPass(elsewhere.table), samples=1, seed=1)
    with pytest.raises(ParameterError, match="another table"):
        simulator.gather()
