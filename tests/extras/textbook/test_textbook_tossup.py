"""Text 3: its two games and all its tables to the character; every state and throw against the rules of Toss Up!."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise, product

import pytest
from dicelab.textbook.tossup import BUST, GREEN, RED, YELLOW, State
from hypothesis import given
from hypothesis import strategies as st

from dicelab.errors import DicelabError, EndlessGameError, ParameterError
from dicelab.games.tossup import Move, TossUp
from dicelab.runtime.foreign_streams import RDice
from dicelab.runtime.interpreter import asked, finished, steps
from dicelab.runtime.strategies import parse_call
from dicelab.textbook import tossup

NAN, INF = float("nan"), float("inf")

FIRST_GAME = """\
Current roll: 4 Green, 3 Yellow, 3 Red (bank 4 pts?)
Player 1 banks
Current scores: 4 0

Current roll: 5 Green, 4 Yellow, 1 Red (bank 5 pts?)
Player 2 rolls
Current roll: 3 Green, 1 Yellow, 1 Red (bank 8 pts?)
Player 2 rolls
Current roll: 2 Green, 0 Yellow, 0 Red (bank 10 pts?)
Player 2 rolls
Current roll: 5 Green, 4 Yellow, 1 Red (bank 15 pts?)
Player 2 rolls
Current roll: 2 Green, 3 Yellow, 0 Red (bank 17 pts?)
Player 2 rolls
Current roll: 0 Green, 3 Yellow, 0 Red (bank 17 pts?)
Player 2 rolls
Current roll: 2 Green, 1 Yellow, 0 Red (bank 19 pts?)
Player 2 rolls
Current roll: 0 Green, 1 Yellow, 0 Red (bank 19 pts?)
Player 2 rolls
Current roll: 0 Green, 1 Yellow, 0 Red (bank 19 pts?)
Player 2 rolls
Current roll: 1 Green, 0 Yellow, 0 Red (bank 20 pts?)
Player 2 banks
Current scores: 4 20

Game ends: Player 2 wins!
"""

SECOND_GAME = """\
Current roll: 6 Green, 0 Yellow, 4 Red (bank 6 pts?)
Player 1 banks
Current scores: 6 0

Current roll: 5 Green, 0 Yellow, 5 Red (bank 5 pts?)
Player 2 rolls
Current roll: 2 Green, 0 Yellow, 3 Red (bank 7 pts?)
Player 2 rolls
Current roll: 0 Green, 0 Yellow, 3 Red
Player 2 rolled at least 1 red and no greens
Current scores: 6 0

Current roll: 5 Green, 0 Yellow, 5 Red (bank 5 pts?)
Player 1 banks
Current scores: 11 0

Current roll: 7 Green, 0 Yellow, 3 Red (bank 7 pts?)
Player 2 rolls
Current roll: 2 Green, 0 Yellow, 1 Red (bank 9 pts?)
Player 2 rolls
Current roll: 1 Green, 0 Yellow, 0 Red (bank 10 pts?)
Player 2 rolls
Current roll: 3 Green, 0 Yellow, 7 Red (bank 13 pts?)
Player 2 rolls
Current roll: 2 Green, 0 Yellow, 5 Red (bank 15 pts?)
Player 2 rolls
Current roll: 2 Green, 0 Yellow, 3 Red (bank 17 pts?)
Player 2 rolls
Current roll: 2 Green, 0 Yellow, 1 Red (bank 19 pts?)
Player 2 rolls
Current roll: 0 Green, 0 Yellow, 1 Red
Player 2 rolled at least 1 red and no greens
Current scores: 11 0

Current roll: 5 Green, 0 Yellow, 5 Red (bank 5 pts?)
Player 1 banks
Current scores: 16 0

Current roll: 4 Green, 0 Yellow, 6 Red (bank 4 pts?)
Player 2 rolls
Current roll: 4 Green, 0 Yellow, 2 Red (bank 8 pts?)
Player 2 rolls
Current roll: 1 Green, 0 Yellow, 1 Red (bank 9 pts?)
Player 2 rolls
Current roll: 0 Green, 0 Yellow, 1 Red
Player 2 rolled at least 1 red and no greens
Current scores: 16 0

Current roll: 5 Green, 0 Yellow, 5 Red (bank 5 pts?)
Player 1 banks
Current scores: 21 0

Game ends: Player 1 wins!
"""


@pytest.fixture
def thrown(monkeypatch):
    """Have these dice thrown, one list after another; how many were asked for is noted."""

    def throw(*rolls):
        left, counts = list(rolls), []

        def roll_dice(count):
            counts.append(count)
            dice = left.pop(0)
            assert len(dice) == count
            return list(dice)

        monkeypatch.setattr(tossup, "roll_dice", roll_dice)
        return counts

    return throw


@pytest.fixture
def noted(monkeypatch):
    """Throw all yellow; how many dice were asked for is noted."""
    counts = []

    def roll_dice(count):
        counts.append(count)
        return [YELLOW] * count

    monkeypatch.setattr(tossup, "roll_dice", roll_dice)
    return counts


def dice(reds, yellows, greens):
    return [RED] * reds + [YELLOW] * yellows + [GREEN] * greens


# What the text prints -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("probabilities", "printed", "winner"),
    [((1 / 6, 2 / 6, 3 / 6), FIRST_GAME, 2), ((0.5, 0.0, 0.5), SECOND_GAME, 1)],
    ids=["with yellow", "without"],
)
def test_the_games_of_the_text(monkeypatch, capsys, probabilities, printed, winner):
    monkeypatch.setattr(tossup, "NUM_DICE", 10)
    monkeypatch.setattr(tossup, "FACE_PROBS", probabilities)
    monkeypatch.setattr(tossup, "POINTS_TO_WIN", 20)
    tossup.set_seed(1)
    won = tossup.simulate_game(tossup.one_roll, lambda state: tossup.over_target_points(state, 19), verbose=True)
    assert capsys.readouterr().out == printed
    assert won == winner


TABLES = {
    ("one_roll", "one_roll"): "winners\n   1    2\n5910 4090",
    ("one_roll", "over 20"): "winners\n   1    2\n  75 9925",
    ("over 20", "over 50"): "winners\n   1    2\n6167 3833",
    ("over 50", "over 20"): "winners\n   1    2\n4414 5586",
}
STRATEGIES = {"one_roll": tossup.one_roll, "over 20": tossup.over(20), "over 50": tossup.over(50)}


@pytest.mark.quick_cases("one_roll against one_roll")
@pytest.mark.parametrize("match", TABLES, ids=" against ".join)
def test_the_tables_of_the_text(match):
    tossup.set_seed(1)
    winners = tossup.play_games(10_000, *(STRATEGIES[name] for name in match))
    assert tossup.table("winners", winners) == TABLES[match]
    if match == ("one_roll", "one_roll"):
        swapped = tossup.seats_swapped(winners)
        assert tossup.table("winners2", swapped) == "winners2\n   1    2\n5030 4970"


def test_the_program_tells_both_games_and_all_tables(monkeypatch, capsys):
    """Each from its seed anew; the games of the tables are few here, and were played above."""
    played = []

    def play_games(nsim, *strategies):
        played.append(
            (nsim, tossup.roll_dice(10), [strategy(State(1, [0, 0], 30, [GREEN])) for strategy in strategies])
        )
        return [1] * 7500 + [2] * 2500

    monkeypatch.setattr(tossup, "play_games", play_games)
    assert tossup.main() == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{FIRST_GAME}\n{SECOND_GAME}\n")
    assert out.count("winners\n   1    2\n7500 2500\n") == 4
    assert out.count("winners2\n   1    2\n5000 5000\n") == 1
    begun = tossup.roll_dice(1), tossup.set_seed(1), tossup.roll_dice(10)
    assert [(nsim, first) for nsim, first, _ in played] == [(10_000, begun[2])] * 4
    assert [chosen for _, _, chosen in played] == [
        ["bank", "bank"],
        ["bank", "bank"],
        ["bank", "roll"],
        ["roll", "bank"],
    ]
    assert (tossup.POINTS_TO_WIN, tossup.FACE_PROBS) == (100, (1 / 6, 2 / 6, 3 / 6))


def test_another_seed_for_the_program(monkeypatch, capsys):
    monkeypatch.setattr(tossup, "play_games", lambda *args: [1, 2])
    said = []
    for seed in (None, 1, 2, 2, 0):
        tossup.main(seed)
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert said[2] == said[3]
    assert len(set(said)) == 3


@pytest.mark.parametrize(
    ("winners", "printed"),
    [
        ([1, 2, 2], "winners\n1 2\n1 2"),
        ([2] * 12, "winners\n 1  2\n 0 12"),
        ([1] * 10_000, "winners\n    1     2\n10000     0"),
    ],
)
def test_a_table_is_as_wide_as_its_counts(winners, printed):
    assert tossup.table("winners", winners) == printed


def test_seats_are_swapped_in_every_second_game():
    assert tossup.seats_swapped([1, 1, 1, 2, 2]) == [1, 2, 1, 1, 2]
    assert tossup.seats_swapped([]) == []


def test_dice_in_words():
    assert tossup.dice_to_string(dice(4, 3, 3)) == "3 Green, 3 Yellow, 4 Red"
    assert tossup.dice_to_string([]) == "0 Green, 0 Yellow, 0 Red"


# A state and what follows it ------------------------------------------------------------------------------------------


def test_bank_roll_and_bust(noted):
    state = State(2, [30, 40], 7, [GREEN, RED, GREEN])
    assert tossup.update_state(state, "bank") == State(1, [30, 49], 0, [YELLOW] * 10)
    assert tossup.update_state(state, "roll") == State(2, [30, 40], 9, [YELLOW])
    lost = State(1, [30, 40], 7, [RED, RED, YELLOW])
    assert tossup.update_state(lost, "rolled at least 1 red and no green") == State(2, [30, 40], 0, [YELLOW] * 10)
    assert noted == [10, 1, 10]


def test_ten_greens_are_all_rolled_again(noted):
    assert tossup.update_state(State(1, [0, 0], 0, [GREEN] * 10), "roll") == State(1, [0, 0], 10, [YELLOW] * 10)
    assert tossup.update_state(State(1, [0, 0], 10, [YELLOW] * 10), "roll") == State(1, [0, 0], 10, [YELLOW] * 10)


POSITIONS = [
    (points, dice(reds, yellows, 10 - points % 10 - reds - yellows))
    for points in range(60)
    for reds in range(11 - points % 10)
    for yellows in range(11 - points % 10 - reds)
]


@pytest.mark.parametrize(("scores", "target"), [((0, 0), 100), ((95, 60), 100), ((3, 19), 20)])
@pytest.mark.parametrize("player", [1, 2])
def test_every_throw_and_choice_agrees_with_the_rules(noted, scores, target, player):
    """Ten dice, every number of turn points below 60, every roll of the dice left over, both actions or the bust."""
    cup = TossUp.declared.throws[0]
    for points, rolled in POSITIONS:
        seen = tuple(rolled.count(face) for face in (RED, YELLOW, GREEN))
        lost = GREEN not in rolled and RED in rolled
        for action in [BUST] if lost else ["bank", "roll"]:
            game = TossUp(target=target)
            game.scores[0], game.scores[1], game.points, game.player = *scores, points, player - 1
            assert asked(game, game.next()) == (cup, len(rolled))
            cup.rule(game, *seen)
            assert game.rolled is not lost
            if not lost:
                game.declared.decisions[0].rule(game, Move[action.upper()])
            after = tossup.update_state(State(player, list(scores), points, rolled), action)
            assert (after.current_player, after.scores, after.turn_points) == (
                game.player + 1,
                list(game.scores),
                game.points,
            )
            assert game.over is (max(after.scores) >= target)
            if not game.over:
                assert asked(game, game.next()) == (cup, len(after.dice_rolls))
    assert set(noted) == set(range(1, 11))


class Asked(BaseException):
    """Who was asked first."""


def whose_turn(state):
    raise Asked(state.current_player)


def test_the_loop_over_lost_turns_agrees_with_the_rules(thrown):
    """A turn is lost by any roll with red and without green, the first of a game included, and by no other."""
    for reds, yellows in product(range(11), repeat=2):
        greens = 10 - reds - yellows
        if greens < 0:
            continue
        game = TossUp()
        game.declared.throws[0].rule(game, reds, yellows, greens)
        counts = thrown(dice(reds, yellows, greens), dice(0, 0, 10))
        with pytest.raises(Asked) as asked_first:
            tossup.simulate_game(whose_turn, whose_turn)
        assert asked_first.value.args == (game.player + 1,), (reds, yellows, greens)
        assert counts == ([10] if game.rolled else [10, 10])


def test_a_roll_of_yellow_only_is_a_choice(thrown):
    thrown(dice(0, 10, 0), dice(0, 10, 0), dice(5, 4, 1), dice(0, 0, 10))
    seen = []

    def first(state):
        seen.append(deepcopy(state))
        return "bank" if GREEN in state.dice_rolls else "roll"

    with tossup.other_game(1, tossup.FACE_PROBS):
        assert tossup.simulate_game(first, tossup.one_roll) == 1
    assert [(state.turn_points, tossup.dice_to_string(state.dice_rolls)) for state in seen] == [
        (0, "0 Green, 10 Yellow, 0 Red"),
        (0, "0 Green, 10 Yellow, 0 Red"),
        (0, "1 Green, 4 Yellow, 5 Red"),
    ]


@pytest.mark.parametrize(
    ("target", "first", "second"),
    [
        (100, "one_roll", "one_roll"),
        (100, "one_roll", "bank_over:20"),
        (60, "bank_over:20", "bank_over:50"),
        (20, "bank_over:0", "bank_over:19"),
        (7, "bank_over:3", "one_roll"),
    ],
)
def test_whole_games_agree_with_the_rules(target, first, second):
    """The first game after a seed has the same throws as ``dicelab play tossup --stream r:SEED``."""

    def strategy(text):
        _, _, points = text.partition(":")
        return tossup.over(int(points)) if points else tossup.one_roll

    for seed in range(25):
        game = TossUp(target=target)
        choosers = [parse_call(TossUp, text).chooser(game) for text in (first, second)]
        thrown = [event.values for event in steps(game, choosers, RDice(seed)) if event.kind == "throw"]
        tossup.set_seed(seed)
        seen = []

        def told(play, seen=seen):
            def choose(state):
                seen.append(tuple(state.dice_rolls.count(face) for face in (RED, YELLOW, GREEN)))
                return play(state)

            return choose

        with tossup.other_game(target, (1, 2, 3)):
            winner = tossup.simulate_game(told(strategy(first)), told(strategy(second)))
        assert winner - 1 == finished(game).outcome
        assert seen == [roll for roll in thrown if roll[2] or not roll[0]]


@given(
    st.sampled_from([1, 2]),
    st.tuples(st.integers(0, 99), st.integers(0, 99)),
    st.integers(0, 150),
    st.lists(st.integers(0, 2), min_size=1, max_size=10),
    st.sampled_from(["bank", "roll", BUST]),
    st.booleans(),
)
def test_the_state_given_is_left_as_it_is(player, scores, points, rolled, action, verbose):
    tossup.set_seed(1)
    state = State(player, list(scores), points, list(rolled))
    before = deepcopy(state)
    after = tossup.update_state(state, action, verbose)
    assert state == before
    greens = rolled.count(GREEN)
    gained = points + greens if action == "bank" else 0
    assert sum(after.scores) == sum(scores) + gained
    assert after.scores[player - 1] == scores[player - 1] + gained
    assert after.current_player == (player if action == "roll" else 3 - player)
    assert after.turn_points == (points + greens if action == "roll" else 0)
    assert set(after.dice_rolls) <= {RED, YELLOW, GREEN}


# Strategies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [0, 5, 10, 20])
def test_a_strategy_over_target_points(target):
    for points, greens in product(range(30), range(11)):
        state = State(1, [0, 0], points, [GREEN] * greens + [RED])
        expected = "bank" if points + greens > target else "roll"
        assert tossup.over_target_points(state, target) == tossup.over(target)(state) == expected
        assert tossup.one_roll(state) == "bank"


def test_the_target_is_10_unless_another_is_given():
    assert tossup.over_target_points(State(1, [0, 0], 10, [])) == "roll"
    assert tossup.over_target_points(State(1, [0, 0], 10, [GREEN])) == "bank"


def test_over_target_points_rolls_on_where_banking_would_win():
    assert tossup.over_target_points(State(1, [99, 0], 10, [GREEN]), 20) == "roll"


def test_strategies_see_themselves_as_the_current_player():
    seen = []

    def choose(me):
        def strategy(state):
            seen.append((me, state.current_player, list(state.scores)))
            return "bank"

        return strategy

    tossup.set_seed(4)
    with tossup.other_game(30, tossup.FACE_PROBS):
        winner = tossup.simulate_game(choose(1), choose(2))
    assert all(me == current for me, current, _ in seen)
    assert {me for me, _, _ in seen} == {1, 2}
    assert seen[-1][0] == winner
    for (me, _, before), (_, _, after) in pairwise(seen):  # nobody else's score moves
        assert before[2 - me] == after[2 - me]


def test_a_strategy_of_ones_own_may_look_at_both_scores():
    def greedy(state):
        mine, theirs = state.scores[state.current_player - 1], state.scores[2 - state.current_player]
        turn = state.turn_points + state.dice_rolls.count(GREEN)
        return "bank" if mine + turn >= 100 or (turn > 20 and theirs < 80) else "roll"

    tossup.set_seed(8)
    winners = tossup.play_games(200, tossup.one_roll, greedy)
    assert winners.count(2) > 150


# Another game ---------------------------------------------------------------------------------------------------------


def test_the_number_of_dice_may_be_changed(monkeypatch, noted):
    monkeypatch.setattr(tossup, "NUM_DICE", 6)
    assert tossup.update_state(State(1, [0, 0], 3, [GREEN] * 3), "roll").dice_rolls == [YELLOW] * 6
    assert tossup.update_state(State(1, [0, 0], 3, [RED] * 3), BUST).dice_rolls == [YELLOW] * 6
    assert tossup.update_state(State(1, [0, 0], 3, [GREEN] * 3), "bank").dice_rolls == [YELLOW] * 6
    monkeypatch.undo()
    monkeypatch.setattr(tossup, "NUM_DICE", 1)
    monkeypatch.setattr(tossup, "POINTS_TO_WIN", 3)
    tossup.set_seed(3)
    rolled = []
    tossup.simulate_game(lambda state: rolled.append(state.dice_rolls) or "bank", tossup.one_roll)
    assert rolled
    assert {len(dice) for dice in rolled} == {1}


def test_the_chances_of_the_faces_may_be_changed(monkeypatch):
    tossup.set_seed(1)
    monkeypatch.setattr(tossup, "FACE_PROBS", (0, 0, 1))
    assert tossup.roll_dice(50) == [GREEN] * 50
    monkeypatch.setattr(tossup, "FACE_PROBS", [1, 0, 1e-9])
    assert set(tossup.roll_dice(50)) == {RED}


@pytest.mark.parametrize(("points", "turns"), [(10, 1), (11, 2), (100, 10), (1000, 100)])
def test_the_points_to_win_may_be_changed(monkeypatch, points, turns):
    monkeypatch.setattr(tossup, "FACE_PROBS", (0, 0, 1))
    monkeypatch.setattr(tossup, "POINTS_TO_WIN", points)
    tossup.set_seed(1)
    asked = []
    assert tossup.simulate_game(lambda state: asked.append(1) or "bank", tossup.one_roll) == 1
    assert len(asked) == turns


def test_player_2_may_win(monkeypatch):
    monkeypatch.setattr(tossup, "FACE_PROBS", (0, 1, 3))
    rolls = iter([[YELLOW] * 10, [GREEN] * 10, [GREEN] * 10])
    monkeypatch.setattr(tossup, "roll_dice", lambda count: next(rolls))
    monkeypatch.setattr(tossup, "POINTS_TO_WIN", 10)
    assert tossup.simulate_game(tossup.one_roll, tossup.one_roll) == 2


def test_other_dice_are_thrown_when_the_function_is_replaced(monkeypatch):
    monkeypatch.setattr(tossup, "roll_dice", lambda count: [GREEN] * count)
    assert tossup.play_games(3, tossup.over(50), tossup.one_roll) == [1, 1, 1]


def test_another_game_lasts_for_a_while_only():
    before = tossup.POINTS_TO_WIN, tossup.FACE_PROBS

    def fail():
        with tossup.other_game(5, (0, 0, 1)):
            assert (tossup.POINTS_TO_WIN, tossup.FACE_PROBS) == (5, (0, 0, 1))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert before == (tossup.POINTS_TO_WIN, tossup.FACE_PROBS)


# R's random numbers ---------------------------------------------------------------------------------------------------


def test_a_seed_begins_anew():
    rolls = []
    for seed in (7, 7, -7):
        tossup.set_seed(seed)
        rolls.append([tossup.roll_dice(count) for count in (10, 3, 1)])
    assert rolls[0] == rolls[1] != rolls[2]
    assert [len(roll) for roll in rolls[0]] == [10, 3, 1]


def test_without_a_seed_the_random_numbers_begin_at_random(monkeypatch):
    rolls = []
    for _ in range(3):
        monkeypatch.setattr(tossup, "_random", None)
        rolls.append(tossup.roll_dice(60))
    assert len(set(map(tuple, rolls))) == 3


@pytest.mark.parametrize("seed", [2**31, -(2**31), 10**40, 1.5, 1.0, "1", "", None, True, NAN, INF, [1]], ids=repr)
def test_a_seed_that_r_does_not_take_is_refused(seed):
    tossup.set_seed(1)
    with pytest.raises(ParameterError, match="seed") as refused:
        tossup.set_seed(seed)
    assert isinstance(refused.value, ValueError)
    first, _ = tossup.roll_dice(10), tossup.set_seed(1)
    assert first == tossup.roll_dice(10)  # as if nothing had been asked


# Bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["", "Bank", "rol", "bust", "banks", None, 0, 1, True, NAN, b"bank"], ids=repr)
def test_another_action_is_refused(capsys, noted, action):
    state = State(1, [0, 0], 5, [GREEN])
    with pytest.raises(ParameterError, match=r"action: .* it is 'bank', 'roll' or 'rolled at least 1 red"):
        tossup.update_state(state, action, True)
    with pytest.raises(DicelabError, match="action: "):
        tossup.simulate_game(lambda state: action, tossup.one_roll)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["NUM_DICE", "POINTS_TO_WIN"])
@pytest.mark.parametrize("value", [0, -1, -(10**30), 1.5, 10.0, "10", "", None, True, NAN, INF, [10]], ids=repr)
def test_other_numbers_make_no_game(monkeypatch, name, value):
    monkeypatch.setattr(tossup, name, value)
    with pytest.raises(ParameterError, match=f"{name}: .* whole number above 0"):
        tossup.simulate_game(tossup.one_roll, tossup.one_roll)


@pytest.mark.parametrize(
    "chances",
    [
        (),
        (1,),
        (1, 2),
        (1, 2, 3, 4),
        (1, 2, 0),
        (1, 2, -3),
        (1, 2, NAN),
        (-1, 2, 3),
        (NAN, 2, 3),
        (1, INF, 3),
        (0, 0, INF),
    ],
    ids=repr,
)
def test_other_chances_make_no_game(monkeypatch, chances):
    monkeypatch.setattr(tossup, "FACE_PROBS", chances)
    with pytest.raises(ParameterError, match=r"FACE_PROBS|weight"):
        tossup.simulate_game(tossup.one_roll, tossup.one_roll)


def test_a_game_that_nobody_wins_ends(limits):
    limits(steps=200)
    with pytest.raises(EndlessGameError, match="not over after 200 rolls; do both strategies bank"):
        tossup.simulate_game(tossup.over(10**9), tossup.over(10**9))
    with pytest.raises(EndlessGameError):
        tossup.simulate_game(lambda state: "roll", lambda state: "roll")


def test_a_game_that_is_lost_by_every_roll_ends(monkeypatch, limits):
    """Chances such as (1, 0, 1e-300) pass the check; dice of one's own may show red only."""
    limits(steps=200)
    rolled = []

    def roll_dice(count):
        rolled.append(count)
        assert len(rolled) < 20 * 200, "still rolling"
        return [RED] * count

    monkeypatch.setattr(tossup, "roll_dice", roll_dice)
    with pytest.raises(EndlessGameError):
        tossup.simulate_game(tossup.one_roll, tossup.one_roll)
