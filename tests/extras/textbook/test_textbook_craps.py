"""Text 2: its fourteen examples to the character, its program written again, and agreement with the pass line."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicelab.errors import DicelabError, ParameterError
from dicelab.games.pass_line import PassLine
from dicelab.runtime.interpreter import finished, steps
from dicelab.textbook import craps
from extras.textbook.conftest import Undecided, thrower

TOTALS = range(2, 13)
POINTS = [4, 5, 6, 8, 9, 10]
NAN, INF = float("nan"), float("inf")


@pytest.fixture
def thrown(monkeypatch):
    """Have these totals thrown."""

    def throw(*totals):
        monkeypatch.setattr(craps, "dice_roll", thrower(totals))

    return throw


# The fourteen examples ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "totals"), [(5, [8, 9]), (2, [2, 4])])
def test_dice_roll(seed, totals):
    random.seed(seed)
    assert [craps.dice_roll() for _ in totals] == totals


@pytest.mark.parametrize(
    ("seed", "point", "printed", "returned"),
    [(5, 6, "8 9 12 11 5 8 3 4 6\n", 6), (789, 8, "10 7\n", 7)],
)
def test_second_stage(capsys, seed, point, printed, returned):
    random.seed(seed)
    assert craps.second_stage(point) == returned
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(("money", "bet", "may"), [(5.25, 5.0, True), (0.0, 2.0, False), (5.0, -3.0, False)])
def test_can_play(money, bet, may):
    assert craps.can_play(money, bet) is may


@pytest.mark.parametrize(
    ("seed", "money", "bet", "printed", "returned"),
    [
        (5, 12.5, 3.5, "A 8 has been rolled. Roll again!\n9 12 11 5 8\nYou win!\n", "16.0"),
        (789, 12.5, 3.5, "A 10 has been rolled. Roll again!\n7\nYou lose\n", "9.0"),
        (3, 5.0, 5.0, "A 7 has been rolled. You win!\n", "10.0"),
    ],
)
def test_pass_line_bet(capsys, seed, money, bet, printed, returned):
    random.seed(seed)
    assert repr(craps.pass_line_bet(money, bet)) == returned
    assert capsys.readouterr().out == printed


PLAYED = {
    None: """\
Please enter your money here: 3.0
How much would you like to bet? 5.0
Insufficient funds. You cannot play.
""",
    5: """\
Please enter your money here: 12.5
How much would you like to bet? 3.5
A 8 has been rolled. Roll again!
9 12 11 5 8
You win!
You now have $16.0
""",
    789: """\
Please enter your money here: 12.5
How much would you like to bet? 3.5
A 10 has been rolled. Roll again!
7
You lose
You now have $9.0
""",
    3: """\
Please enter your money here: 12.5
How much would you like to bet? 3.5
A 7 has been rolled. You win!
You now have $16.0
""",
}


@pytest.mark.parametrize("seed", PLAYED)
def test_play(typed, capsys, seed):
    typed(*(("12.5", "3.5") if seed else ("3.0", "5.0")))
    random.seed(seed)
    assert craps.play() is None
    assert capsys.readouterr().out == PLAYED[seed]


@pytest.mark.parametrize("seed", [5, 789, 3])
def test_the_program_begins_with_the_seed(typed, capsys, seed):
    typed("12.5", "3.5")
    assert craps.main(seed) == 0
    assert capsys.readouterr().out == PLAYED[seed]


# The same program -----------------------------------------------------------------------------------------------------


def by_the_text(seed, money, bet):
    """What the program of the assignment prints and returns, written from its description."""
    rng = random.Random(seed)
    shown = []

    def roll():
        return rng.randint(1, 6) + rng.randint(1, 6)

    first = roll()
    if first in (7, 11):
        return [f"A {first} has been rolled. You win!"], money + bet
    if first in (2, 3, 12):
        return [f"A {first} has been rolled. You lose!"], money - bet
    shown.append(f"A {first} has been rolled. Roll again!")
    rolls = [roll()]
    while rolls[-1] not in (first, 7):
        rolls.append(roll())
    shown.append(" ".join(map(str, rolls)))
    shown.append("You lose" if rolls[-1] == 7 else "You win!")
    return shown, money - bet if rolls[-1] == 7 else money + bet


@pytest.mark.parametrize("seed", range(60))
def test_after_the_same_seed_the_same_is_printed(capsys, seed):
    shown, left = by_the_text(seed, 20.25, 7.5)
    random.seed(seed)
    assert craps.pass_line_bet(20.25, 7.5) == left
    assert capsys.readouterr().out.splitlines() == shown


@pytest.mark.parametrize("total", TOTALS)
def test_what_is_said_of_the_come_out(thrown, capsys, total):
    """Always "A", also before 8 and 11, and "You lose!" with an exclamation mark, unlike after the second stage."""
    thrown(total, 7)
    craps.pass_line_bet(2.0, 1.0)
    said = "You win!" if total in (7, 11) else "You lose!" if total in (2, 3, 12) else "Roll again!\n7\nYou lose"
    assert capsys.readouterr().out == f"A {total} has been rolled. {said}\n"


@pytest.mark.parametrize(
    ("money", "bet", "total", "told"),
    [
        ("0.3", "0.1", 2, "0.2"),  # 0.19999999999999998
        ("0.1", "0.1", 2, "0.0"),
        ("10.125", "0.01", 7, "10.13"),
        ("1000000", "999999.99", 3, "0.01"),
        ("5", "5", 11, "10.0"),
        (" 2.50 ", "1e0", 12, "1.5"),
        ("0.004", "0.004", 7, "0.01"),
    ],
)
def test_money_has_two_decimals_at_most(typed, thrown, capsys, money, bet, total, told):
    typed(money, bet)
    thrown(total)
    assert craps.main() == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"You now have ${told}"


@given(st.floats(0.01, 1e9), st.floats(0.01, 1e9), st.booleans())
def test_a_bet_is_won_or_lost_whole(money, bet, won):
    before, craps.dice_roll = craps.dice_roll, lambda: 7 if won else 2
    try:
        if craps.can_play(money, bet):
            after = craps.pass_line_bet(money, bet)
            assert type(after) is float
            assert after == (money + bet if won else money - bet)
            assert after >= 0
        else:
            assert bet > money
            with pytest.raises(ParameterError):
                craps.pass_line_bet(money, bet)
    finally:
        craps.dice_roll = before


# The rules' file ------------------------------------------------------------------------------------------------------


class Totals:
    """A source of these totals."""

    def __init__(self, totals):
        self.throw = thrower(totals)

    def draw(self, pool):
        assert pool.count == 2
        return (self.throw(),)


def by_the_rules(*totals):
    """Is the round won, lost, or undecided, by the reference engine?"""
    game = PassLine()
    try:
        for _ in steps(game, [], Totals(totals)):
            pass
    except Undecided:
        return None
    return finished(game).outcome == 0


@pytest.mark.parametrize("first", TOTALS)
def test_every_throw_in_every_state_agrees_with_the_rules(thrown, first):
    for totals in [(first,), *((first, second) for second in TOTALS)]:
        thrown(*totals)
        try:
            won = craps.pass_line_bet(10.0, 4.0) == 14.0
        except Undecided:
            won = None
        assert won is by_the_rules(*totals), totals


@pytest.mark.parametrize("point", POINTS)
def test_every_throw_of_the_second_stage_agrees_with_the_rules(thrown, capsys, point):
    for total in TOTALS:
        thrown(total)
        expected = by_the_rules(point, total)
        if expected is None:
            with pytest.raises(Undecided):
                craps.second_stage(point)
        else:
            assert craps.second_stage(point) == total
            assert (total == point) is expected
        assert capsys.readouterr().out.strip() == str(total)


def test_the_chance_to_win(thrown):
    chance = {total: Fraction(6 - abs(total - 7), 36) for total in TOTALS}
    win = Fraction(0)
    for total in TOTALS:
        if total in POINTS:
            ends = {}
            for second in TOTALS:
                thrown(second)
                try:
                    ends[second] = craps.second_stage(total) == total
                except Undecided:
                    continue
            win += chance[total] * sum(chance[t] for t, won in ends.items() if won) / sum(chance[t] for t in ends)
        else:
            thrown(total)
            win += chance[total] * (craps.pass_line_bet(1.0, 1.0) == 2.0)
    assert win == Fraction(244, 495)


# Other dice -----------------------------------------------------------------------------------------------------------


def test_other_dice_are_thrown_when_the_function_is_replaced(monkeypatch, capsys):
    monkeypatch.setattr(craps, "dice_roll", lambda: 4)
    assert craps.pass_line_bet(3.0, 1.0) == 4.0
    assert capsys.readouterr().out == "A 4 has been rolled. Roll again!\n4\nYou win!\n"


@pytest.mark.parametrize("total", [0, 1, 13, -7, "7", None, 6.5, NAN, INF])
def test_a_total_of_no_two_dice_is_refused(thrown, total):
    thrown(total)
    with pytest.raises(ParameterError, match="two dice come to 2 to 12, not"):
        craps.pass_line_bet(2.0, 1.0)
    thrown(5, total)
    with pytest.raises(ParameterError, match="two dice come to 2 to 12, not"):
        craps.second_stage(6)


# Bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", [7, 2, 3, 11, 12, 0, -1, 13, -6, 10**40, "6", "", 6.0, None, True, NAN, INF, [6]])
def test_another_point_is_refused(thrown, capsys, point):
    thrown()
    with pytest.raises(ParameterError, match=r"point: .* it is 4, 5, 6, 8, 9 or 10") as refused:
        craps.second_stage(point)
    assert isinstance(refused.value, ValueError)
    assert isinstance(refused.value, DicelabError)
    assert capsys.readouterr().out == ""


CAN_NOT = [
    (5.0, 0.0),
    (5.0, -0.0),
    (5.0, -3.0),
    (5.0, 5.01),
    (0.0, 0.0),
    (-5.0, -6.0),
    (-5.0, 1.0),
    (NAN, 1.0),
    (5.0, NAN),
    (NAN, NAN),
    (INF, 1.0),
    (INF, INF),
    (5.0, INF),
    (-INF, 1.0),
    (5.0, -INF),
    (5, 10**400),
]


@pytest.mark.parametrize(("money", "bet"), CAN_NOT)
def test_who_can_not_play_is_refused(thrown, capsys, money, bet):
    thrown()
    assert craps.can_play(money, bet) is False
    with pytest.raises(ParameterError, match="above 0 and no more than the money"):
        craps.pass_line_bet(money, bet)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("money", "bet"), [(5.0, 5.0), (5, 1), (1e-300, 1e-300), (1e300, 1e300), (Fraction(1, 2), 0.5)]
)
def test_who_can_play(money, bet):
    assert craps.can_play(money, bet) is True


def test_money_that_is_no_float_but_a_huge_whole_number():
    assert craps.can_play(10**400, 1) in (True, False)


ASKED = ["Please enter your money here: ", "How much would you like to bet? "]
NO_AMOUNTS = ["nan", "inf", "-inf", "NaN", "Infinity", "word", "", " ", "1,5", "$5", "5 5", "1e400", "0x10", "5.0.0"]


@pytest.mark.parametrize("line", NO_AMOUNTS)
@pytest.mark.parametrize("which", [0, 1])
def test_what_is_no_amount_of_money_ends_the_program(typed, thrown, capsys, line, which):
    typed(*["12.5", line][1 - which :], "1.0")
    thrown()
    assert craps.main() == 1
    shown = [f"{prompt}{answer}" for prompt, answer in zip(ASKED, ["12.5", line][1 - which :], strict=False)]
    assert capsys.readouterr().out.splitlines() == [*shown, f"{line!r} is not an amount of money. You cannot play."]


ENDS = {
    "end": EOFError(),
    "none": RuntimeError("input(): lost sys.stdin"),
    "bytes": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("before", [[], ["12.5"]])
def test_an_input_that_ends(typed, thrown, capsys, end, before):
    typed(*before, ENDS[end])
    thrown()
    assert craps.main() == 1
    shown = "".join(f"{prompt}{line}\n" for prompt, line in zip(ASKED, before, strict=False)) + ASKED[len(before)]
    assert capsys.readouterr().out == f"{shown}\nNo amount was entered. You cannot play.\n"


def test_play_takes_bad_input_as_well(typed, capsys):
    typed("word")
    assert craps.play() is None
    assert capsys.readouterr().out.endswith("'word' is not an amount of money. You cannot play.\n")


@pytest.mark.parametrize(
    ("money", "bet"), [("3.0", "5.0"), ("5", "0"), ("5", "-1"), ("0", "0"), ("-5", "-6"), ("-1", "1")]
)
def test_too_little_money_is_no_error(typed, thrown, capsys, money, bet):
    typed(money, bet)
    thrown()
    assert craps.main() == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["Insufficient funds. You cannot play."]
