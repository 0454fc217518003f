"""The rules, on games worked by hand: dice are given, and what must happen is known from the sources.

Sources: the worked rounds and the table of section 1.7 of *Computer Science with Applications* (Hazard); the examples
of "The Pass Line Bet" (McGill COMP 202); the rules of "Toss Up!" (Statistical Odds & Ends) and, for the last turn, of
the retail game; the rules of LCR (CSCI 1913, laboratory 2); Scarne's Pig.
"""

from __future__ import annotations

import pytest

from dicelab.rules.game import counted
from playing import moves, over, played

# Hazard ---------------------------------------------------------------------------------------------------------------

WIN, LOSE, ON = "win", "lose", "on"
COME_OUT = {  # main: what each total from 2 to 12 does, from the table of the source
    5: [LOSE, LOSE, ON, WIN, ON, ON, ON, ON, ON, LOSE, LOSE],
    6: [LOSE, LOSE, ON, ON, WIN, ON, ON, ON, ON, LOSE, WIN],
    7: [LOSE, LOSE, ON, ON, ON, WIN, ON, ON, ON, WIN, LOSE],
    8: [LOSE, LOSE, ON, ON, ON, ON, WIN, ON, ON, LOSE, WIN],
    9: [LOSE, LOSE, ON, ON, ON, ON, ON, WIN, ON, LOSE, LOSE],
}


def result(game):
    return game.outcomes[game.outcome()] if over(game) else ON


@pytest.mark.parametrize(
    ("throws", "ends"), [([9, 7, 7, 9], WIN), ([4, 6, 11, 12, 5], LOSE), ([11], LOSE)], ids=["one", "two", "three"]
)
def test_the_three_rounds_of_hazard_with_main_5(throws, ends):
    game, _, dice = played("hazard", throws, main=5)
    assert result(game) == ends
    assert counted(game) == {"throws": len(throws)}
    assert dice == [2] * len(throws)


@pytest.mark.cases("main", COME_OUT)
@pytest.mark.cases("total", range(2, 13))
def test_every_come_out_roll_of_hazard(main, total):
    game, _, _ = played("hazard", [total], main=main)
    assert result(game) == COME_OUT[main][total - 2]


@pytest.mark.cases(("main", "chance"), [(m, c) for m in COME_OUT for c in range(4, 11) if c != m])
def test_after_the_come_out_roll_only_chance_and_main_decide(main, chance):
    for total in range(2, 13):
        game, _, _ = played("hazard", [chance, total], main=main)
        assert result(game) == {chance: WIN, main: LOSE}.get(total, ON)


def test_the_rounds_of_the_source_make_one_turn_of_a_caster():
    game, _, _ = played("hazard-caster", [9, 7, 7, 9, 4, 6, 11, 12, 5, 11], main=5)
    assert over(game)
    assert counted(game) == {"throws": 10, "rounds_won": 1, "rounds": 3}


@pytest.mark.parametrize("losses", [1, 2, 3, 5])
def test_a_caster_ends_after_losses_in_a_row(losses):
    game, _, _ = played("hazard-caster", [2] * losses, main=7, losses=losses)
    assert over(game)
    assert counted(game) == {"throws": losses, "rounds_won": 0, "rounds": losses}


def test_a_win_begins_the_count_of_losses_again():
    win, lose, chance = 7, 2, 4  # main 7: the chance is thrown again, and wins
    throws = [lose, win, lose, chance, chance, lose]
    game, _, _ = played("hazard-caster", throws, main=7)
    assert not over(game)
    game, _, _ = played("hazard-caster", [*throws, lose], main=7)
    assert over(game)
    assert counted(game) == {"throws": 7, "rounds_won": 2, "rounds": 6}


# Craps ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("throws", "ends"),
    [
        ([3], LOSE),
        ([5, 10, 11, 4, 7], LOSE),
        ([9, 3, 5, 9], WIN),
        ([8, 9, 12, 11, 5, 8], WIN),  # the source's pass_line_bet under random.seed(5)
        ([10, 7], LOSE),  # random.seed(789)
        ([7], WIN),  # random.seed(3)
    ],
    ids=str,
)
def test_the_examples_of_the_pass_line(throws, ends):
    game, _, _ = played("pass-line", throws)
    assert result(game) == ends
    assert counted(game)["throws"] == len(throws)


@pytest.mark.parametrize("total", range(2, 13))
def test_every_come_out_roll_of_the_pass_line(total):
    game, _, _ = played("pass-line", [total])
    assert result(game) == {7: WIN, 11: WIN, 2: LOSE, 3: LOSE, 12: LOSE}.get(total, ON)


@pytest.mark.parametrize("point", [4, 5, 6, 8, 9, 10])
def test_with_a_point_only_the_point_and_7_decide(point):
    for total in range(2, 13):
        game, _, _ = played("pass-line", [point, total])
        assert result(game) == {point: WIN, 7: LOSE}.get(total, ON)


@pytest.mark.parametrize("stake", [1, 35, 1_000_000])
@pytest.mark.parametrize(("throws", "sign"), [([7], 1), ([12], -1), ([8, 8], 1), ([8, 7], -1)], ids=str)
def test_the_pass_line_pays_one_to_one(stake, throws, sign):
    game, _, _ = played("pass-line", throws, stake=stake)
    assert counted(game)["money"] == sign * stake


# Toss Up! -------------------------------------------------------------------------------------------------------------
# A throw is (red, yellow, green).


def toss(throws, *lineup, **parameters):
    return played("tossup", throws, lineup, **parameters)


def test_points_include_the_greens_showing():
    game, events, dice = toss([(3, 3, 4), (1, 2, 3)], "bank_over:6", "one_roll")
    assert moves(events) == ["roll", "bank"]
    assert game.scores[0] == 4 + 3
    assert dice == [10, 6]
    assert counted(game) == {"turns": 1, "throws": 2, "busts": 0}


def test_only_dice_that_are_not_green_are_thrown_again():
    _, _, dice = toss([(3, 3, 4), (1, 4, 1), (1, 3, 1), (0, 4, 0)], "bank_over:20", "one_roll")
    assert dice == [10, 6, 5, 4]


def test_all_ten_are_thrown_again_once_all_are_green():
    game, _, dice = toss([(1, 5, 4), (0, 0, 6), (4, 4, 2), (2, 5, 1)], "bank_over:12", "one_roll")
    assert dice == [10, 6, 10, 8]
    assert game.scores[0] == 13


def test_all_ten_green_at_once_leave_ten():
    _, _, dice = toss([(0, 0, 10), (0, 0, 10), (5, 0, 5)], "bank_over:100", "one_roll")
    assert dice == [10, 10, 10]


@pytest.mark.parametrize("bust", [(10, 0, 0), (1, 9, 0)])
def test_no_green_and_a_red_loses_the_turn(bust):
    game, events, dice = toss([bust, (4, 4, 2)], "one_roll")
    assert list(game.scores) == [0, 2]
    assert moves(events) == ["bank"]
    assert dice == [10, 10]
    assert counted(game) == {"turns": 2, "throws": 2, "busts": 1}


def test_a_bust_loses_the_points_of_the_turn_and_no_others():
    game, events, dice = toss([(3, 3, 4), (5, 3, 2), (5, 2, 3), (1, 6, 0)], "bank_over:3", "one_roll")
    assert moves(events) == ["bank", "bank", "roll"]
    assert list(game.scores) == [4, 2]
    assert (game.player, game.points) == (1, 0)
    assert dice == [10, 10, 10, 7]
    assert counted(game) == {"turns": 3, "throws": 4, "busts": 1}


def test_greens_with_reds_are_no_bust():
    game, _, _ = toss([(9, 0, 1)], "one_roll")
    assert list(game.scores) == [1, 0]


def test_no_green_and_no_red_is_a_choice_with_unchanged_points():
    game, events, dice = toss([(3, 3, 4), (0, 6, 0), (1, 1, 4)], "bank_over:7", "one_roll")
    assert moves(events) == ["roll", "roll", "bank"]
    assert dice == [10, 6, 6]
    assert game.scores[0] == 8


def test_after_all_yellow_one_roll_banks_nothing_and_bank_over_0_rolls():
    game, events, _ = toss([(0, 10, 0)], "one_roll", "bank_over:0")
    assert moves(events) == ["bank"]
    assert list(game.scores) == [0, 0]
    assert (game.player, counted(game)["turns"], counted(game)["busts"]) == (1, 1, 0)

    game, events, dice = toss([(0, 10, 0), (5, 4, 1)], "bank_over:0", "one_roll")
    assert moves(events) == ["roll", "bank"]
    assert dice == [10, 10]
    assert list(game.scores) == [1, 0]


@pytest.mark.parametrize("strategy", ["bank_over:20", "bank_over_or_win:20"])
def test_over_20_banks_at_21_and_not_at_20(strategy):
    _, events, _ = toss([(0, 0, 10), (0, 0, 10)], strategy, "one_roll")
    assert moves(events) == ["roll", "roll"]
    game, events, _ = toss([(0, 0, 10), (0, 0, 10), (4, 5, 1)], strategy, "one_roll")
    assert moves(events) == ["roll", "roll", "bank"]
    assert game.scores[0] == 21


def test_bank_over_rolls_although_banking_would_win():
    game, events, _ = toss([(0, 0, 10), (0, 9, 1)], "bank_over:20", target=5)
    assert moves(events) == ["roll", "roll"]
    assert not over(game)


def test_bank_over_or_win_banks_as_soon_as_that_wins():
    game, events, _ = toss([(0, 6, 4), (0, 5, 1)], "bank_over_or_win:20", target=5)
    assert moves(events) == ["roll", "bank"]
    assert over(game)
    assert game.outcome() == 0
    assert counted(game) == {"turns": 1, "throws": 2, "busts": 0}


def test_only_banked_points_win():
    game, _, _ = toss([(0, 0, 10), (10, 0, 0), (5, 0, 5)], "bank_over:30", "one_roll", target=5)
    assert list(game.scores) == [0, 5]
    assert over(game)
    assert game.outcome() == 1


@pytest.mark.parametrize(("players", "seat"), [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (8, 7)])
def test_the_first_to_bank_the_target_wins_in_any_seat(players, seat):
    game, _, _ = toss([(5, 1, 4)] * seat + [(5, 0, 5)], "one_roll", players=players, target=5)
    assert over(game)
    assert game.outcome() == seat


def last_turn(greens, players):
    """A game to 5 with a last turn and one roll a turn; each number is a roll with so many greens, the rest red."""
    game, _, _ = toss([(10 - g, 0, g) for g in greens], "one_roll", players=players, target=5, last_turn="yes")
    return game


@pytest.mark.parametrize(
    ("players", "greens", "winner"),
    [
        (2, [6, 4], 0),
        (2, [6, 6], 0),  # a tie stays with the earlier
        (2, [6, 7], 1),
        (2, [6, 0], 0),  # the last turn is a bust
        (2, [4, 6, 2], 1),  # seat 0 comes to 6 too
        (2, [4, 6, 3], 0),
        (3, [6, 7, 8], 2),
        (3, [6, 8, 8], 1),
        (3, [6, 8, 7], 1),
        (3, [6, 6, 6], 0),
        (3, [4, 3, 6, 3, 3], 0),  # 7, 6 and 6
        (3, [4, 3, 6, 2, 4], 1),  # 6, 7 and 6
        (3, [4, 3, 6, 2, 3], 2),  # 6 each: seat 2 was first
        (3, [4, 6, 7, 4], 0),  # 8, 6 and 7
        (3, [4, 6, 7, 3], 2),  # 7, 6 and 7: seat 2 had its turn first
    ],
)
def test_on_the_last_turn_the_others_must_beat_the_leader(players, greens, winner):
    game = last_turn(greens, players)
    assert over(game)
    assert game.outcome() == winner
    assert counted(game)["turns"] == len(greens)


@pytest.mark.parametrize(
    ("players", "reached", "after"), [(2, [6], 1), (2, [4, 6], 1), (3, [6], 2), (3, [4, 6], 2), (3, [1, 1, 6], 2)]
)
def test_each_of_the_others_gets_exactly_one_more_turn(players, reached, after):
    for more in range(after):
        assert not over(last_turn([*reached, *[9] * more], players))
    assert over(last_turn([*reached, *[9] * after], players))


def test_without_the_rule_of_the_last_turn_there_is_none():
    game, _, _ = toss([(4, 0, 6)], "one_roll", target=5, last_turn="no")
    assert over(game)


def test_on_the_last_turn_banking_wins_once_it_beats_the_best():
    throws = [(0, 4, 6), (0, 5, 5), (0, 4, 1), (0, 3, 1), (0, 2, 1)]
    game, events, _ = toss(throws[:3], "one_roll", "bank_over_or_win:20", target=5, last_turn=True)
    assert moves(events) == ["bank", "roll", "roll"]  # 6 only ties
    game, events, _ = toss(throws[:4], "one_roll", "bank_over_or_win:20", target=5, last_turn=True)
    assert moves(events) == ["bank", "roll", "roll", "bank"]
    assert over(game)
    assert game.outcome() == 1


def test_on_the_last_turn_of_three_the_best_so_far_must_be_beaten():
    lineup = ["one_roll", "one_roll", "bank_over_or_win:20"]
    throws = [(0, 4, 6), (0, 2, 8), (0, 2, 8), (0, 1, 1)]
    game, events, _ = toss(throws, *lineup, players=3, target=5, last_turn=True)
    assert moves(events) == ["bank", "bank", "roll", "bank"]
    assert list(game.scores) == [6, 8, 9]
    assert game.outcome() == 2


def test_another_number_of_dice():
    _, _, dice = toss([(0, 1, 2), (0, 0, 1), (1, 1, 1)], "bank_over:10", "one_roll", dice=3)
    assert dice == [3, 1, 3]


# LCR ------------------------------------------------------------------------------------------------------------------
# A throw is (left, center, right, dot).

LEFT, CENTER, RIGHT, DOT = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)


def lcr(*throws, **parameters):
    game, _, dice = played("lcr", throws, **parameters)
    return game, dice


def test_left_is_one_lower_right_is_one_higher_and_left_of_0_is_the_last():
    game, dice = lcr((1, 1, 1, 0), players=4)
    assert list(game.holds) == [0, 4, 3, 4]
    assert game.player == 1
    game, dice = lcr((1, 1, 1, 0), (2, 0, 1, 0), players=4)
    assert list(game.holds) == [2, 1, 4, 4]
    assert dice == [3, 3]


def test_right_of_the_last_is_0():
    game, _ = lcr((0, 0, 0, 3), (0, 0, 0, 3), (0, 0, 3, 0), players=3)
    assert list(game.holds) == [6, 3, 0]
    assert game.player == 0


def test_with_two_players_left_and_right_are_the_same_person():
    game, _ = lcr((1, 0, 1, 1), players=2)
    assert list(game.holds) == [1, 5]


@pytest.mark.parametrize(
    ("coins", "dice", "first"), [(3, 3, 3), (2, 3, 2), (1, 3, 1), (7, 3, 3), (5, 5, 5), (2, 10, 2)]
)
def test_as_many_dice_as_coins_but_not_more_than_there_are(coins, dice, first):
    _, thrown = lcr((0, 0, 0, first), players=3, coins=coins, dice=dice)
    assert thrown == [first]


def test_turns_without_coins_count_and_throw_nothing():
    game, dice = lcr(RIGHT, (0, 0, 0, 2), DOT, (0, 1, 0, 1), CENTER, players=3, coins=1)
    # seat 0 gives its coin to 1; 1 keeps two; 2 keeps one; 0 has no coins; 1 loses one; 2 loses its last
    assert over(game)
    assert game.outcome() == 1
    assert counted(game) == {"turns": 6, "throws": 5}
    assert dice == [1, 2, 1, 2, 1]


def test_a_player_without_coins_may_receive_some_and_throws_again():
    game, dice = lcr(RIGHT, (1, 0, 0, 1), DOT, DOT, players=3, coins=1)
    assert list(game.holds) == [1, 1, 1]
    assert game.owners == 3
    assert game.player == 1
    assert dice == [1, 2, 1, 1]


def test_the_turn_that_ends_the_game_counts_and_none_after_it():
    game, _ = lcr(CENTER, CENTER, players=3, coins=1)
    assert over(game)
    assert game.outcome() == 2
    assert counted(game) == {"turns": 2, "throws": 2}


def test_two_players_end_when_one_gives_the_last_coin_away():
    game, _ = lcr((2, 0, 1, 0), players=2)
    assert over(game)
    assert game.outcome() == 1
    assert counted(game) == {"turns": 1, "throws": 1}


def test_several_turns_without_coins_in_a_row_count_each():
    # seat 1 gives its coin to 0; 2 and 3 lose theirs; then 0 and 4 throw, with the turns of 1, 2 and 3 between
    game, _ = lcr(DOT, LEFT, CENTER, CENTER, DOT, (0, 0, 0, 2), DOT, (0, 0, 0, 2), CENTER, players=5, coins=1)
    assert over(game)
    assert game.outcome() == 0
    assert counted(game) == {"turns": 15, "throws": 9}


# Pig ------------------------------------------------------------------------------------------------------------------


def test_pig_holds_at_20_and_loses_the_turn_with_a_1():
    game, events, dice = played("pig", [6, 6, 6, 2, 5, 1, 6], ["hold_at:20"])
    assert moves(events) == ["roll", "roll", "roll", "hold", "roll", "roll"]
    assert list(game.scores) == [20, 0]
    assert (game.player, game.points) == (0, 6)
    assert counted(game) == {"turns": 2, "throws": 7}
    assert dice == [1] * 7


def test_pig_holds_what_is_enough_to_win():
    game, events, _ = played("pig", [4, 2, 5], ["hold_at:20"], target=10)
    assert moves(events) == ["roll", "roll", "hold"]
    assert over(game)
    assert game.outcome() == 0
