"""The included games with hidden dice: what they are worth, by published values, by hand and by plain Python."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dicelab
from dicelab.errors import InputError, RulesError
from dicelab.rules import Param, d
from dicelab.rules.game import outcome_names, twin
from dicelab.runtime.lineup import Run
from hidden_reference import chance_to_win, of_policy, worth

ONE = {"dice": 1, "once": True}


@pytest.mark.parametrize(
    ("faces", "wild", "value"),
    [
        (2, "none", Fraction(1, 2)),
        (2, "highest", Fraction(3, 4)),
        (3, "highest", Fraction(5, 9)),
        pytest.param(4, "highest", Fraction(17, 32), marks=pytest.mark.slow),
        pytest.param(6, "highest", (1 - Fraction(7, 258)) / 2, marks=pytest.mark.slow),
        pytest.param(6, "ones", (1 - Fraction(7, 327)) / 2, marks=pytest.mark.slow),  # T. D. Ahle, snyd
    ],
)
def test_liars_dice_is_worth_what_is_published(faces: int, wild: str, value: Fraction) -> None:
    """With six faces by OpenSpiel; the others as in verification/liars_die.py, written apart from this game."""
    assert dicelab.equilibrium("liars-dice", faces=faces, wild=wild, **ONE).fraction == value


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("liars-dice", {"faces": 2, "wild": "ones", **ONE}),
        ("liars-dice", {"faces": 2, "dice": 2, "second": 1, "begins": 2, "once": True}),
        ("mia", {"faces": 2, "lives": 1}),
        pytest.param("liars-dice", {"faces": 3, "wild": "ones", **ONE}, marks=pytest.mark.slow),
        pytest.param("sealed-bids", {"purse": 2, "prizes": 2}, marks=pytest.mark.slow),
    ],
)
def test_neither_player_gains_by_a_best_response_in_plain_python(name: str, given: dict[str, object]) -> None:
    found = dicelab.equilibrium(name, **given)
    game, chances = Run.of(name, **given).game, of_policy(found.policy)

    def payoff(ended: object) -> Fraction:
        if name != "sealed-bids":
            return chance_to_win(ended)
        return {0: Fraction(1), 1: Fraction(-1), 2: Fraction(0)}[twin(ended).outcome()]

    assert worth(game, payoff, chances) == found.fraction
    assert worth(game, payoff, chances, 0) == found.fraction
    assert worth(game, payoff, chances, 1) == -found.fraction


def test_mia_with_two_faces_by_hand() -> None:
    """21 is announced and wins. With doubles the first announces 22: who believes must roll 21, one time in two; who
    looks finds 11 one time in two.
    """
    assert dicelab.equilibrium("mia", faces=2, lives=1).fraction == Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 2)


def test_one_prize_is_worth_all_coins() -> None:
    found = dicelab.equilibrium("sealed-bids", prizes=1)
    assert found.fraction == 0
    assert all(one.moves["3"] == 1 for one in found.first_moves)


def test_what_seats_have_bid_is_paid_and_the_highest_bid_gets_the_prize() -> None:
    """With two coins for two prizes: whoever bids all for the first has nothing for the second."""
    found = dicelab.exact("sealed-bids", ["all_in:over=0", "all_in:over=36"], purse=2, prizes=2)
    assert found.outcomes["player 1"].fraction == 1
    found = dicelab.exact("sealed-bids", ["all_in:over=0", "even"], purse=2, prizes=2)
    assert found.outcomes["player 1"].fraction == Fraction(15, 36)  # the first die is the higher one
    assert found.outcomes["draw"].fraction == Fraction(6, 36)
    assert found.tallies["unsold"].mean == 0


@pytest.mark.parametrize(
    ("faces", "begins", "wild", "score"),
    [
        (2, 1, "none", Fraction(1, 4)),
        (3, 1, "none", Fraction(1, 9)),
        (2, 2, "none", Fraction(0)),
        (3, 2, "none", Fraction(-1, 27)),
        (3, 1, "ones", Fraction(1, 3)),
        (3, 2, "ones", Fraction(-1, 27)),
        pytest.param(4, 1, "none", Fraction(345, 1696), marks=pytest.mark.slow),
        pytest.param(4, 2, "none", Fraction(-1, 8), marks=pytest.mark.slow),
        pytest.param(4, 1, "ones", Fraction(1, 4), marks=pytest.mark.slow),
        pytest.param(4, 2, "ones", Fraction(-1, 32), marks=pytest.mark.slow),
    ],
)
def test_two_dice_against_one_are_worth_what_is_published(faces: int, begins: int, wild: str, score: Fraction) -> None:
    """Wins less losses of who begins, by T. D. Ahle's linear programs (github.com/thomasahle/snyd)."""
    found = dicelab.equilibrium("liars-dice", dice=2, second=1, faces=faces, begins=begins, wild=wild, once=True)
    chance = (1 + score) / 2 if begins == 1 else (1 - score) / 2
    if (faces, begins, wild) == (4, 2, "ones"):  # its mixtures are no simple fractions
        assert abs(found.value - chance) <= found.error < 1e-9
    else:
        assert found.fraction == chance


@pytest.mark.parametrize("begins", [1, 2])
def test_one_round_with_unequal_dice_is_lost_by_who_would_lose_a_die(begins: int) -> None:
    """The first bid, one six, is doubted, and is true if one of three dice shows one."""
    found = dicelab.exact("liars-dice", "always_doubt", dice=2, second=1, begins=begins, once=True)
    assert found.outcomes[str(begins - 1)].fraction == 1 - Fraction(5, 6) ** 3


def test_the_second_player_may_have_fewer_dice_and_begin() -> None:
    game = Run.of("liars-dice", dice=2, second=1, begins=2).game
    game.start()
    assert (game.left, game.player) == ([2, 1], 1)
    for wrong, message in (
        ({"dice": 1, "second": 2}, "can't have more dice"),
        ({"begins": 3}, "player 3 can't begin"),
        ({"players": 3, "once": True}, "between two players only"),
    ):
        with pytest.raises(InputError, match=message):
            Run.of("liars-dice", **wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["liars-dice", "mia", "sealed-bids"])
@pytest.mark.parametrize("place", [0, 1])
def test_engines_play_the_same(name: str, place: int) -> None:
    game = dicelab.find(name)
    line = list(game.declared.strategies)[place]
    reference, compiled = (
        dicelab.simulate(name, line, games=200, seed=3, engine=engine) for engine in ("reference", "compiled")
    )
    assert [p.count for p in compiled.outcomes.values()] == [p.count for p in reference.outcomes.values()]
    assert [t.mean for t in compiled.tallies.values()] == [t.mean for t in reference.tallies.values()]
    assert len(outcome_names(game())) == len(reference.outcomes)


def test_a_die_may_have_as_many_faces_as_a_parameter_says() -> None:
    for faces in range(2, 7):
        table = Run.of("mia", faces=faces).game
        die = type(table).cup.die
        assert die.weights(table) == (1,) * faces + (0,) * (6 - faces)
        assert [face.value for face in die.faces] == [1, 2, 3, 4, 5, 6]
    with pytest.raises(RulesError, match="it must be 1 to"):
        d(Param(1, 0, 6, "sides"))


@pytest.mark.parametrize("wild", ["none", pytest.param("highest", marks=pytest.mark.slow)])
@pytest.mark.parametrize("begins", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_a_game_of_rounds_is_worth_what_its_rounds_are(begins: int, wild: str) -> None:
    """The whole game in one tree, and the values of its rounds, each by itself."""
    given = {"faces": 2, "wild": wild}
    whole = dicelab.equilibrium("liars-dice", dice=2, second=1, begins=begins, **given).fraction
    last = dicelab.equilibrium("liars-dice", dice=1, **given).fraction  # who has lost a die begins
    round_ = dicelab.equilibrium("liars-dice", dice=2, second=1, begins=begins, once=True, **given).fraction
    assert whole is not None
    assert last is not None
    assert round_ is not None
    if begins == 1:  # with two dice: after losing, it begins the last round
        assert whole == round_ + (1 - round_) * last
    else:  # the second player, with one die, must win twice
        assert 1 - whole == (1 - round_) * (1 - last)
