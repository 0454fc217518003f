"""Text 1: its worked rounds, its table, its program written down again, and agreement with the rules of Hazard."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicelab.errors import DicelabError, ParameterError
from dicelab.games.hazard import Hazard, HazardCaster
from dicelab.runtime.interpreter import finished, steps
from dicelab.textbook import hazard
from extras.textbook.conftest import Undecided, thrower

MAINS = [5, 6, 7, 8, 9]
TOTALS = range(2, 13)
NO_MAINS = [4, 10, 13, 0, -7, 10**40, "7", "seven", "", 7.0, 7.5, None, True, float("nan"), float("inf"), [7], (5,)]


@pytest.fixture
def thrown(monkeypatch):
    """Have these totals thrown."""

    def throw(*totals):
        monkeypatch.setattr(hazard, "throw_dice", thrower(totals))

    return throw


# The text's own program, after its misspelt valueError ----------------------------------------------------------------


def throw_dice():
    num_sides = 6
    return random.randint(1, num_sides) + random.randint(1, num_sides)


def play_one_round(chosen_main, throw_dice=throw_dice):
    chance = throw_dice()
    if chance == chosen_main:
        return True
    if chance == 2 or chance == 3:
        return False
    if chance == 11 or chance == 12:
        if chosen_main == 5 or chosen_main == 9:
            return False
        if chosen_main == 6 or chosen_main == 8:
            return chance == 12
        # chosen_main is 7
        return chance == 11
    roll = throw_dice()
    while roll != chance and roll != chosen_main:
        roll = throw_dice()
    return roll == chance


def simulate_caster(chosen_main):
    num_wins = 0
    consecutive_losses = 0
    while consecutive_losses < 2:
        if play_one_round(chosen_main):
            consecutive_losses = 0
            num_wins = num_wins + 1
        else:
            consecutive_losses = consecutive_losses + 1
    return num_wins


def print_win_rate_table(num_rounds):
    for chosen_main in range(5, 10):
        num_wins = 0
        for _ in range(num_rounds):
            if play_one_round(chosen_main):
                num_wins = num_wins + 1
        print(chosen_main, num_wins / num_rounds)


def either(play, *args):
    """What a round comes to: won, lost, or None while it goes on."""
    try:
        return play(*args)
    except Undecided:
        return None


# What the text tells --------------------------------------------------------------------------------------------------

ROUNDS = [((9, 7, 7, 9), True), ((4, 6, 11, 12, 5), False), ((11,), False)]


@pytest.mark.parametrize(("totals", "won"), ROUNDS)
def test_the_rounds_of_the_text(thrown, totals, won):
    thrown(*totals)
    assert hazard.play_one_round(5) is won
    with pytest.raises(Undecided):  # every throw of the round was taken
        hazard.throw_dice()


@pytest.mark.parametrize(("totals", "won"), ROUNDS)
def test_they_go_on_until_their_last_throw(thrown, totals, won):
    thrown(*totals[:-1])
    with pytest.raises(Undecided):
        hazard.play_one_round(5)


def test_the_caster_of_the_text_wins_once_and_loses_twice(thrown):
    thrown(*(total for totals, _ in ROUNDS for total in totals))
    assert hazard.simulate_caster(5) == 1


TABLE = {  # main: wins immediately on, loses immediately on
    5: ({5}, {2, 3, 11, 12}),
    6: ({6, 12}, {2, 3, 11}),
    7: ({7, 11}, {2, 3, 12}),
    8: ({8, 12}, {2, 3, 11}),
    9: ({9}, {2, 3, 11, 12}),
}


@pytest.mark.parametrize("main", MAINS)
def test_the_table_of_the_text(thrown, main):
    wins, loses = TABLE[main]
    for chance in TOTALS:
        thrown(chance)
        expected = True if chance in wins else False if chance in loses else None
        assert either(hazard.play_one_round, main) is expected, chance


@pytest.mark.parametrize("main", MAINS)
def test_every_later_throw(thrown, main):
    wins, loses = TABLE[main]
    for chance in set(TOTALS) - wins - loses:
        for total in TOTALS:
            thrown(chance, total)
            expected = True if total == chance else False if total == main else None
            assert either(hazard.play_one_round, main) is expected, (chance, total)


# The same program -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_after_the_same_seed_the_text_and_dicelab_print_the_same(capsys, seed):
    random.seed(seed)
    print_win_rate_table(50)
    printed, state = capsys.readouterr().out, random.getstate()
    random.seed(seed)
    hazard.print_win_rate_table(50)
    assert capsys.readouterr().out == printed
    assert printed.count("\n") == 5
    assert random.getstate() == state


@pytest.mark.parametrize("main", MAINS)
def test_after_the_same_seed_casters_win_as_often(main):
    random.seed(main)
    expected = [simulate_caster(main) for _ in range(100)]
    random.seed(main)
    assert [hazard.simulate_caster(main) for _ in range(100)] == expected


def test_two_dice_are_thrown():
    random.seed(9)
    expected = [throw_dice() for _ in range(200)]
    random.seed(9)
    assert [hazard.throw_dice() for _ in range(200)] == expected
    assert set(expected) == set(TOTALS)


@given(st.sampled_from(MAINS), st.lists(st.integers(2, 12), max_size=30))
def test_rounds_are_those_of_the_text(main, totals):
    ours, text = thrower(totals), thrower(totals)
    before, hazard.throw_dice = hazard.throw_dice, ours
    try:
        assert either(hazard.play_one_round, main) is either(play_one_round, main, text)
    finally:
        hazard.throw_dice = before
    assert either(ours) == either(text)  # as many throws are left


# The rules' file ------------------------------------------------------------------------------------------------------


class Totals:
    """A source of these totals."""

    def __init__(self, totals):
        self.throw = thrower(totals)

    def draw(self, pool):
        assert pool.count == 2
        return (self.throw(),)


def by_the_rules(game, totals):
    """What a game of these throws comes to by the reference engine."""
    for _ in steps(game, [], Totals(totals)):
        pass
    return finished(game)


@pytest.mark.slow_cases("7")
@pytest.mark.parametrize("main", MAINS)
def test_every_throw_in_every_state_agrees_with_the_rules(thrown, main):
    """A round stands where its chance says: two throws reach every state, and a third one shows that it stays."""
    game = Hazard(main=main)
    for length in (1, 2, 3):
        for totals in product(TOTALS, repeat=length):
            thrown(*totals)
            played = either(by_the_rules, game, totals)
            expected = None if played is None else played.outcome == 0
            assert either(hazard.play_one_round, main) is expected, totals


@given(st.sampled_from(MAINS), st.lists(st.integers(2, 12), min_size=2, max_size=60))
def test_a_caster_agrees_with_the_rules(main, totals):
    played = either(by_the_rules, HazardCaster(main=main), totals)
    before, hazard.throw_dice = hazard.throw_dice, thrower(totals)
    try:
        won = either(hazard.simulate_caster, main)
    finally:
        hazard.throw_dice = before
    names = list(HazardCaster.declared.tallies)
    assert won == (None if played is None else played.tallies[names.index("rounds_won")])


@pytest.mark.parametrize(
    ("main", "known"),
    [
        (5, Fraction(1396, 2835)),
        (6, Fraction(6961, 14256)),
        (7, Fraction(244, 495)),
        (8, Fraction(6961, 14256)),
        (9, Fraction(1396, 2835)),
    ],
)
def test_the_chance_to_win_a_round(thrown, main, known):
    """By the first two throws; the later ones are as the second."""
    chance = {total: Fraction(6 - abs(total - 7), 36) for total in TOTALS}
    win = Fraction(0)
    for first in TOTALS:
        thrown(first)
        decided = either(hazard.play_one_round, main)
        if decided is None:
            ends = {}
            for second in TOTALS:
                thrown(first, second)
                ends[second] = either(hazard.play_one_round, main)
            over = sum(chance[total] for total, won in ends.items() if won is not None)
            decided = sum(chance[total] for total, won in ends.items() if won) / over
        win += chance[first] * decided
    assert win == known


# Other dice -----------------------------------------------------------------------------------------------------------


def test_other_dice_are_thrown_when_the_function_is_replaced(monkeypatch):
    """As the text says: "we can make changes [...] simply by changing this function"."""
    monkeypatch.setattr(hazard, "throw_dice", lambda: 7)
    assert [hazard.play_one_round(main) for main in MAINS] == [True] * 5
    rng = random.Random(1)
    monkeypatch.setattr(hazard, "throw_dice", lambda: rng.choice([2, 3]))
    assert [hazard.play_one_round(main) for main in MAINS] == [False] * 5
    assert hazard.simulate_caster(5) == 0


@pytest.mark.parametrize("total", [0, 1, 13, -7, 10**30, "7", None, 6.5, float("nan"), float("inf")])
@pytest.mark.parametrize("before", [(), (4,), (4, 3)])
def test_a_total_of_no_two_dice_is_refused(thrown, total, before):
    thrown(*before, total)
    with pytest.raises(ParameterError, match="two dice come to 2 to 12, not"):
        hazard.play_one_round(5)


# Bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("main", NO_MAINS, ids=repr)
@pytest.mark.parametrize("function", [hazard.play_one_round, hazard.simulate_caster], ids=lambda f: f.__name__)
def test_another_main_is_refused_before_anything_is_thrown(thrown, function, main):
    thrown()
    with pytest.raises(ParameterError, match=r"chosen_main: .* is a whole number from 5 to 9") as refused:
        function(main)
    assert isinstance(refused.value, ValueError)
    assert isinstance(refused.value, DicelabError)


@pytest.mark.parametrize("rounds", [0, -1, -(10**30), "10", "", 10.0, 0.5, None, True, float("nan"), [3]], ids=repr)
def test_another_number_of_rounds_is_refused(thrown, capsys, rounds):
    thrown()
    with pytest.raises(ParameterError, match=r"num_rounds: .* is a whole number above 0"):
        hazard.print_win_rate_table(rounds)
    assert capsys.readouterr().out == ""


# The program ----------------------------------------------------------------------------------------------------------

GOODBYE = "The number of rounds needs to be a positive integer. Goodbye.\n"


def test_the_program(typed, capsys):
    typed("200")
    assert hazard.main(7) == 0
    random.seed(7)
    printed = capsys.readouterr().out
    print_win_rate_table(200)
    assert printed == "Number of rounds: 200\n" + capsys.readouterr().out


def test_without_a_seed_the_random_numbers_are_left_as_they_are(typed, capsys):
    typed("3", "3")
    random.seed(31)
    hazard.main()
    printed = capsys.readouterr().out
    hazard.main(31)
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(
    "line", ["0", "-1", "", " ", "ten", "1.5", "10.0", "nan", "inf", "1e3", "0x10", "5 5", "-0", "9" * 5000]
)
def test_what_is_no_number_of_rounds_is_answered_by_the_text(typed, thrown, capsys, line):
    typed(line)
    thrown()
    assert hazard.main() == 1
    assert capsys.readouterr().out == f"Number of rounds: {line}\n{GOODBYE}"


@pytest.mark.parametrize(
    "error",
    [EOFError(), RuntimeError("input(): lost sys.stdin"), ValueError("I/O operation on closed file.")],
    ids=["end", "none", "closed"],
)
def test_so_is_an_input_that_has_ended(typed, thrown, capsys, error):
    typed(error)
    thrown()
    assert hazard.main() == 1
    assert capsys.readouterr().out.split() == f"Number of rounds: {GOODBYE}".split()


def test_so_are_bytes_that_are_no_text(typed, thrown, capsys):
    typed(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"))
    thrown()
    assert hazard.main() == 1
    assert capsys.readouterr().out.endswith(GOODBYE)
