"""A game says in its file what its things are called and how it looks; every surface follows."""

from __future__ import annotations

import pytest

from dicelab.errors import RulesError
from dicelab.games.farkle import Farkle
from dicelab.games.hazard import Hazard
from dicelab.games.lcr import LCR
from dicelab.games.tossup import TossUp
from dicelab.games.yahtzee import FULL_HOUSE, NAMES, Yahtzee
from dicelab.rules import OVER, Bits, Game, Int, Numbers, Places, Sheet, Words
from dicelab.rules.board import Board, board_lines
from dicelab.rules.game import fresh, position, twin
from dicelab.rules.loading.registry import all_games
from dicelab.rules.wording import gain, move_typed, move_words, rulebook_of
from small_games import Tokens
from support import GAMES
from terminal import sit


def with_dice(*dice: int) -> Yahtzee:
    """A Yahtzee with these five dice on the table, after the third roll."""
    game = Yahtzee()
    for number in range(1, 7):
        game.dice[number - 1] = dice.count(number)
    game.rolls, game.rolled = 3, True
    return game


@pytest.mark.parametrize(
    ("dice", "worth"),
    [
        ((3, 3, 3, 4, 4), {"threes": 9, "fours": 8, "full house": 25, "three of a kind": 17, "chance": 17}),
        ((1, 2, 3, 4, 6), {"small straight": 30, "large straight": 0, "chance": 16, "aces": 1}),
        ((6, 6, 6, 6, 6), {"yahtzee": 50, "sixes": 30, "four of a kind": 30, "full house": 0}),
    ],
)
def test_what_each_box_would_score_is_that_of_the_printed_sheet(dice, worth):
    game = with_dice(*dice)
    before = position(game)
    found = {name: gain(game, Yahtzee.fill, (box,), 0) for box, name in enumerate(NAMES)}
    assert {name: found[name] for name in worth} == worth
    assert position(game) == before, "the move is applied to a copy"


def test_the_bonus_of_the_upper_boxes_counts_at_once():
    game = with_dice(6, 6, 6, 6, 1)
    game.upper = 45
    assert gain(game, Yahtzee.fill, (5,), 0) == 24 + 35


def test_a_board_shows_what_each_open_box_would_give_and_fits_sixty_columns():
    lines = board_lines(Board(with_dice(3, 3, 3, 4, 4), asked=Yahtzee.fill), 60)
    assert any("full house" in line and "25 now" in line for line in lines)
    assert "  dice: [3] [3] [3] [4] [4]" in lines
    assert max(map(len, lines)) <= 60


def test_boxes_are_typed_by_name_or_its_beginning():
    game = Yahtzee()
    assert move_typed(game, Yahtzee.fill, ["Full", "house"]) == FULL_HOUSE
    assert move_typed(game, Yahtzee.fill, ["ful"]) == FULL_HOUSE
    assert move_typed(game, Yahtzee.fill, ["three"]) is None  # threes, or three of a kind
    assert move_typed(game, Yahtzee.fill, ["threes"]) == 2
    assert move_words(game, Yahtzee.fill, (12,)) == "chance"


def test_sets_are_typed_by_their_members_in_any_order():
    game = GAMES["shut-the-box"]()
    shut = type(game).shut
    assert move_typed(game, shut, ["9", "1"]) == 0b100000001
    assert move_words(game, shut, (0b100000001,)) == "1 9"
    assert move_typed(game, shut, ["1", "1"]) is None
    for words in ("9+1", "1 + 9", "1 and 9", "1 & 9"):
        assert move_typed(game, shut, words.split()) == 0b100000001, words
    assert move_typed(game, shut, ["and"]) is None
    assert move_typed(game, shut, ["257"]) is None, "nobody types a bit mask"


def test_a_game_of_yahtzee_is_played_in_its_own_words():
    typed = ["all", "chance", "nothing", "nothing", "Full house", "q"]
    seen = sit(Yahtzee(), [], typed)
    assert "  You scored 15 points in chance" in seen.shown
    assert "  You scored 0 points in full house" in seen.shown
    text = "\n".join(seen.shown)
    assert "filled 4" not in text
    assert "0 to 12" not in text


def test_a_farkle_says_what_it_cost_and_each_choice_what_it_scores():
    seen = sit(Farkle(), [], ["1", "b", "q"], seed=2)
    assert seen.asked[0] == "you: keep 1 5 5 (+200), 1 5 (+150), 5 5 (+100), 1 (+100), 5 (+50) > "
    assert "  You set aside 1 for 100 points" in seen.shown
    assert "roll or bank: r roll, b bank (+100)" in seen.asked[1]
    assert "  You banked 100 points" in seen.shown
    for seed in range(1, 40):
        lost = sit(Farkle(), ["bank_at:300", "bank_at:300"], [], seed=seed).shown
        if any("farkled and lost" in line for line in lost):
            return
    raise AssertionError("nobody farkled in many games")


def test_who_has_no_points_of_the_turn_loses_nothing():
    shown = sit(GAMES["pig"](), ["hold_at:20", "hold_at:20"], [], seed=5).shown
    assert any("rolled a 1 and lost nothing" in line for line in shown)
    assert any("rolled a 1 and lost 4 points" in line for line in shown)


def test_the_end_of_a_game_calls_its_player_by_name():
    text = "\n".join(sit(Hazard(), [], [""] * 40).shown)
    assert ("The caster wins." in text) != ("The caster loses." in text)


def test_coins_lie_in_front_of_the_players():
    game = LCR(players=3)
    game.holds[1] = 5
    assert board_lines(Board(game), 60) == ["  coins: player 1  3   player 2  5   player 3  3", "  center -2"]


def test_rules_for_people_have_the_parameters_of_the_game():
    assert rulebook_of(TossUp(target=50))["Goal"] == "Bank 50 points before the others do."
    seen = sit(TossUp(), [], ["rules", "q"])
    assert "  Goal: Bank 100 points before the others do." in seen.shown


def test_words_about_what_is_not_there_are_refused():
    for words, why in (
        (Words(hidden=("nothing",)), "words.hidden: 'nothing' is none of its fields"),
        (Words(board=(Places("coins"),)), "words.board: 'coins' is none of its fields"),
        (Words(board=(Sheet("count", open="is_open"),)), "there is no method 'is_open'"),
        (Words(news={"lost it": "x"}), "words.news: 'lost it'"),
        ("words", "write words = Words"),
    ):
        with pytest.raises(RulesError, match=why.replace("(", r"\(")):
            type("Odd", (Game,), {"words": words, "count": Int(0, 1, "a number"), "next": lambda self: OVER})


@pytest.mark.parametrize("name", ["yahtzee", "farkle", "lcr", "tossup", "hazard", "pig", "shut-the-box"])
def test_no_board_shows_a_bit_mask_or_a_bookkeeping_field(name):
    game = twin((all_games() | GAMES)[name]())
    text = "\n".join(board_lines(Board(game), 60))
    assert text
    assert "511" not in text
    assert not any(hidden in text.split() for hidden in game.words.hidden)


def test_bits_name_the_members_of_a_set():
    assert Bits(("a", "b")).words(3) == "a b"
    assert Numbers(("a",)).names == ("a",)


def test_a_grid_by_seat_is_drawn_with_a_line_for_each_player():
    game = fresh(Tokens())
    game.at[1][0] = 2
    assert board_lines(Board(game), 60) == ["  at: player 1  0 0   player 2  2 0"]
