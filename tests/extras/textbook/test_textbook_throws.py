"""Text 4: the classes of throws, what they decide, and that this is craps: against the pass line, and by its edges."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from dicelab.textbook.throws import (
    CrapsGame,
    CrapsThrow,
    Dice,
    ElevenThrow,
    NaturalThrow,
    Outcome,
    PointThrow,
    Throw,
    throw_of,
)
from hypothesis import given
from hypothesis import strategies as st

from dicelab.errors import DicelabError, ParameterError
from dicelab.games.pass_line import PassLine
from dicelab.textbook import throws

NAN, INF = float("nan"), float("inf")
POINTS = (4, 5, 6, 8, 9, 10)
PAIRS = list(product(range(1, 7), repeat=2))
TOTALS = {NaturalThrow: {7}, CrapsThrow: {2, 3, 12}, ElevenThrow: {11}, PointThrow: set(POINTS)}
LINES = ["Pass Line", "Don't Pass Line", "Come Line", "Don't Come Line"]
NUMBERS = [f"{bet} Point {number}" for number in POINTS for bet in ("Come", "Don't Come")]
HARD = [f"Hard {number}" for number in (4, 6, 8, 10)]


def game_with(point, **more):
    """A game with this point on, or none, and nothing decided."""
    game = CrapsGame(**more)
    if point is not None:
        game.point(point)
    assert game.current_point == point
    game.decided = {}
    return game


# Outcomes -------------------------------------------------------------------------------------------------------------


def test_outcomes_are_equal_by_name():
    field = Outcome("Field", 1)
    assert field == Outcome("Field", 2)
    assert field == Outcome("Field", 1, 2)
    assert field != Outcome("Horn", 1)
    assert field != "Field"
    assert hash(field) == hash(Outcome("Field", 2))
    assert len({field, Outcome("Field", 2), Outcome("field", 1)}) == 2


def test_what_an_outcome_pays():
    assert Outcome("Number 7", 4).winAmount(5) == 20
    assert Outcome("Horn", 27, 4).winAmount(4) == 27
    assert Outcome("Horn", 27, 4).odds == Fraction(27, 4)
    assert Outcome("Place 6", 7, 6).winAmount(Fraction(3, 2)) == Fraction(7, 4)
    assert Outcome("Nothing", 0).winAmount(10) == 0


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Outcome("1-2 Split", 17), "1-2 Split (17:1)"),
        (Outcome("Horn", 27, 4), "Horn (27:4)"),
        (Outcome("A", 6, 4), "A (3:2)"),
    ],
)
def test_an_outcome_in_words(outcome, told):
    assert str(outcome) == told


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [
        (-1, 1),
        (1, 0),
        (1, -1),
        (1.0, 1),
        (1, 2.0),
        ("one", 1),
        (1, "one"),
        (None, 1),
        (True, 1),
        (NAN, 1),
        (INF, 1),
        (1, NAN),
    ],
)
def test_other_odds_are_refused(numerator, denominator):
    with pytest.raises(ParameterError, match="Field: odds of"):
        Outcome("Field", numerator, denominator)


# Throws ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TOTALS, ids=lambda kind: kind.__name__)
def test_each_class_takes_its_totals_and_no_others(kind):
    for d1, d2 in PAIRS:
        if d1 + d2 in TOTALS[kind]:
            throw = kind(d1, d2)
            assert isinstance(throw, Throw)
            assert (throw.d1, throw.d2, throw.key(), str(throw)) == (d1, d2, (d1, d2), f"{d1},{d2}")
            assert type(throw.outcomes) is frozenset
            assert type(throw_of(d1, d2)) is kind
        else:
            with pytest.raises(ValueError, match=f"{kind.__name__}: {d1} and {d2} come to {d1 + d2}") as refused:
                kind(d1, d2)
            assert isinstance(refused.value, DicelabError)


NO_DICE = [0, 7, -1, 10**40, 1.0, 2.5, True, NAN, INF]
NO_NUMBERS = ["3", "", None, [1]]


def refuses(make, die):
    for pair in [(die, 4), (3, die)]:
        with pytest.raises(ParameterError, match="a die shows 1 to 6, not") as refused:
            make(*pair)
        assert isinstance(refused.value, ValueError)


@pytest.mark.cases("die", NO_DICE, ids=repr)
@pytest.mark.cases("make", [Throw, throw_of, *TOTALS], ids=lambda make: make.__name__)
def test_what_no_die_shows_is_refused(make, die):
    refuses(make, die)


@pytest.mark.parametrize("die", NO_NUMBERS, ids=repr)
@pytest.mark.parametrize("make", [Throw, throw_of], ids=lambda make: make.__name__)
def test_what_is_no_number_is_refused(make, die):
    refuses(make, die)


def test_what_is_no_number_is_refused_by_each_class():
    for kind, die in product(TOTALS, NO_NUMBERS):
        refuses(kind, die)


def test_a_throw_has_the_outcomes_that_it_is_given():
    seven, red = Outcome("Number 7", 4), Outcome("Any Red", 1)
    throw = Throw(3, 4, seven, red, Outcome("Number 7", 5))
    assert throw.outcomes == {seven, red}
    assert Throw(1, 1).outcomes == frozenset()


def test_the_throws_of_each_class_by_number():
    counts = Counter(type(throw) for throw in Dice().throws.values())
    assert counts == {CrapsThrow: 4, NaturalThrow: 6, ElevenThrow: 2, PointThrow: 24}


def test_a_throw_is_hard_where_a_hardway_wins():
    """All pairs are for the parent; of its children only those that a hardway bet can be made on."""
    for d1, d2 in PAIRS:
        assert Throw(d1, d2).hard() is (d1 == d2)
        assert throw_of(d1, d2).hard() is ((d1, d2) in [(2, 2), (3, 3), (4, 4), (5, 5)])


def paid(name):
    """What a unit on a one-throw bet comes to on average over the 36 throws."""
    won = {pair: [o for o in throw.outcomes if o.name == name] for pair, throw in Dice().throws.items()}
    assert any(won.values()), name
    return sum(outcomes[0].winAmount(1) if outcomes else Fraction(-1) for outcomes in won.values()) / 36


@pytest.mark.parametrize(
    ("name", "edge"),
    [  # known edges of Las Vegas
        ("Number 2", Fraction(-5, 36)),
        ("Number 3", Fraction(-1, 9)),
        ("Number 7", Fraction(-1, 6)),
        ("Number 11", Fraction(-1, 9)),
        ("Number 12", Fraction(-5, 36)),
        ("Field", Fraction(-1, 18)),
        ("Any Craps", Fraction(-1, 9)),
        ("Horn", Fraction(-1, 8)),
    ],
)
def test_the_edges_of_the_one_throw_bets(name, edge):
    assert paid(name) == edge


def test_there_are_eight_one_throw_bets():
    names = {outcome.name for throw in Dice().throws.values() for outcome in throw.outcomes}
    assert names == {*(f"Number {n}" for n in (2, 3, 7, 11, 12)), "Field", "Any Craps", "Horn"}


class Noting(CrapsGame):
    """A game that only notes which of its methods are called."""

    def __init__(self):
        super().__init__()
        self.called = []

    def craps(self, throw=None):
        self.called.append(("craps", throw.key()))

    def natural(self, throw=None):
        self.called.append(("natural", throw.key()))

    def eleven(self, throw=None):
        self.called.append(("eleven", throw.key()))

    def point(self, point, throw=None):
        self.called.append(("point", point, throw.key()))


@pytest.mark.parametrize("make", [Throw, throw_of], ids=["parent", "child"])
def test_a_throw_calls_the_method_of_its_class(make):
    for d1, d2 in PAIRS:
        game, total = Noting(), d1 + d2
        make(d1, d2).updateGame(game)
        name = next(kind.__name__ for kind, totals in TOTALS.items() if total in totals).removesuffix("Throw").lower()
        expected = ("point", total, (d1, d2)) if name == "point" else (name, (d1, d2))
        assert game.called == [expected]


# Dice -----------------------------------------------------------------------------------------------------------------


def test_dice_have_each_throw_once():
    dice = Dice()
    assert list(dice.throws) == PAIRS
    for d1, d2 in PAIRS:
        assert dice.getThrow(d1, d2).key() == (d1, d2)


def test_the_generator_chooses_among_the_keys():
    dice, rng = Dice(random.Random(5)), random.Random(5)
    assert [dice.roll().key() for _ in range(100)] == [rng.choice(PAIRS) for _ in range(100)]
    assert dice.rng is not random


def test_without_a_generator_the_random_numbers_are_those_of_python():
    random.seed(5)
    expected = [random.choice(PAIRS) for _ in range(20)]
    random.seed(5)
    dice = Dice()
    assert [dice.roll().key() for _ in range(20)] == expected


def test_a_generator_of_ones_own():
    class Always:
        def choice(self, items):
            return items[-1]

    assert str(Dice(Always()).roll()) == "6,6"


def test_a_throw_that_is_added_replaces_the_one_with_its_dice():
    dice, mine = Dice(), Throw(3, 4, Outcome("Any Red", 1))
    dice.addThrow(mine)
    assert dice.getThrow(3, 4) is mine
    assert len(dice.throws) == 36


@pytest.mark.parametrize("pair", [(0, 1), (1, 7), (-1, 3), ("1", 2), (None, 1), (NAN, 1), (10**30, 1), (1.5, 1)])
def test_a_throw_that_there_is_not(pair):
    with pytest.raises(ParameterError, match="there is no throw"):
        Dice().getThrow(*pair)


# The game -------------------------------------------------------------------------------------------------------------


def test_a_game_begins_with_the_point_off():
    game = CrapsGame()
    assert (game.current_point, game.decided, str(game)) == (None, {}, "Point Off")


@pytest.mark.parametrize("point", POINTS)
def test_the_point_is_set_kept_and_made(point):
    game = CrapsGame()
    game.point(point)
    assert (game.current_point, str(game)) == (point, str(point))
    assert not set(LINES) & set(game.decided)
    for other in POINTS:
        if other != point:
            game.point(other)
            assert game.current_point == point
            assert not set(LINES) & set(game.decided)
    game.craps()
    game.eleven()
    assert game.current_point == point
    game.point(point)
    assert (game.current_point, str(game)) == (None, "Point Off")
    assert {name: game.decided[name] for name in LINES[:2]} == {"Pass Line": "win", "Don't Pass Line": "lose"}


@pytest.mark.parametrize("point", [None, *POINTS])
def test_where_each_throw_leads(point):
    for d1, d2 in PAIRS:
        game, total = game_with(point), d1 + d2
        throw_of(d1, d2).updateGame(game)
        if point is None:
            assert game.current_point == (total if total in POINTS else None)
        else:
            assert game.current_point == (None if total in (7, point) else point)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("las_vegas", [True, False])
def test_a_seven_out_decides_every_bet(point, las_vegas):
    game = game_with(point, hardways_on_come_out=las_vegas)
    NaturalThrow(3, 4).updateGame(game)
    assert game.current_point is None
    assert game.decided == {
        "Pass Line": "lose",
        "Don't Pass Line": "win",
        "Come Line": "win",
        "Don't Come Line": "lose",
        **{name: "win" if name.startswith("Don't") else "lose" for name in NUMBERS},
        **dict.fromkeys(HARD, "lose"),
    }


def test_a_seven_on_the_come_out_decides_all_but_the_come_line():
    game = CrapsGame()
    NaturalThrow(6, 1).updateGame(game)
    assert game.decided == {
        "Pass Line": "win",
        "Don't Pass Line": "lose",
        **{name: "win" if name.startswith("Don't") else "lose" for name in NUMBERS},
        **dict.fromkeys(HARD, "lose"),
    }


@pytest.mark.parametrize("point", [None, 4, 9])
@pytest.mark.parametrize(
    ("pair", "right", "wrong"),
    [((1, 1), "lose", "win"), ((1, 2), "lose", "win"), ((6, 6), "lose", "push"), ((5, 6), "win", "lose")],
)
def test_craps_and_eleven_decide_the_line_alone(point, pair, right, wrong):
    """12 is barred, on the come line as on the pass line: who bets against the shooter gets the bet back."""
    game = game_with(point)
    throw_of(*pair).updateGame(game)
    line = "Pass" if point is None else "Come"
    assert game.decided == {f"{line} Line": right, f"Don't {line} Line": wrong}


@pytest.mark.parametrize("point", [None, 6])
def test_what_the_methods_do_without_a_throw(point):
    """As in the text, whose `craps` has no throw: then 12 is not told from 2 and 3, nor hard from easy."""
    line = "Pass" if point is None else "Come"
    game = game_with(point)
    game.craps()
    assert game.decided == {f"{line} Line": "lose", f"Don't {line} Line": "win"}
    game.eleven()
    assert game.decided == {f"{line} Line": "win", f"Don't {line} Line": "lose"}
    game.point(8)
    assert game.decided == {"Come Point 8": "win", "Don't Come Point 8": "lose"}
    game.natural()
    assert (game.current_point, game.decided["Pass Line"]) == (None, "lose")


@pytest.mark.parametrize("point", [None, *POINTS])
@pytest.mark.parametrize("las_vegas", [True, False])
def test_hardways(point, las_vegas):
    """Won by the pair, lost by the same total otherwise and by 7; on a come-out only where the house says so."""
    for d1, d2 in PAIRS:
        game, total = game_with(point, hardways_on_come_out=las_vegas), d1 + d2
        throw_of(d1, d2).updateGame(game)
        decided = {name: result for name, result in game.decided.items() if name.startswith("Hard")}
        if point is None and not las_vegas:
            assert decided == {}
        elif total == 7:
            assert decided == dict.fromkeys(HARD, "lose")
        else:
            lone = {f"Hard {total}": "win" if d1 == d2 else "lose"} if total in (4, 6, 8, 10) else {}
            assert decided == lone


def test_hardways_can_be_decided_on_the_come_out_unless_the_house_says_otherwise():
    game = CrapsGame()
    PointThrow(2, 2).updateGame(game)
    assert game.decided["Hard 4"] == "win"


@pytest.mark.cases("point", [7, 2, 3, 11, 12, 0, -4, 10**40, "6", "", 6.0, None, True, NAN, INF, [6]], ids=repr)
def test_another_point_is_refused_and_changes_nothing(point):
    game = game_with(5)
    game.eleven()
    before = dict(game.decided)
    with pytest.raises(ParameterError, match=r"point: .* it is 4, 5, 6, 8, 9 or 10"):
        game.point(point)
    assert (game.current_point, game.decided) == (5, before)


# Craps ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", [None, *POINTS])
def test_every_throw_in_every_state_agrees_with_the_rules_of_the_pass_line(point):
    for d1, d2 in PAIRS:
        rules, game = PassLine(), game_with(point)
        if point is not None:
            rules.come_out.rule(rules, point)
        (rules.throw_again if point else rules.come_out).rule(rules, d1 + d2)
        throw_of(d1, d2).updateGame(game)
        assert game.decided.get("Pass Line") == [None, "win", "lose"][rules.result]
        if rules.result == 0:
            assert game.current_point == rules.point


def edge(bet, barred=True):
    """What a unit on a line wins on average, exactly: by the decisions over the 36 throws, from each state."""
    worth = {"win": 1, "push": 0, "lose": -1}

    def after(point, throw):
        game = game_with(point)
        if barred or not isinstance(throw, CrapsThrow):
            throw.updateGame(game)
        else:
            game.craps()
        return game

    total = Fraction(0)
    for throw in Dice().throws.values():
        game = after(None, throw)
        if bet in game.decided:
            total += worth[game.decided[bet]]
            continue
        results = [after(game.current_point, later).decided.get(bet) for later in Dice().throws.values()]
        decided = [worth[result] for result in results if result]
        total += Fraction(sum(decided), len(decided))
    return total / 36


def test_the_edges_of_the_lines():
    assert edge("Pass Line") == Fraction(-7, 495)
    assert edge("Don't Pass Line") == Fraction(-3, 220)


def test_without_the_bar_the_wrong_side_would_win():
    assert edge("Pass Line", barred=False) == Fraction(-7, 495)
    assert edge("Don't Pass Line", barred=False) == Fraction(7, 495)


@pytest.mark.parametrize(("number", "won", "lost"), [(4, 1, 8), (6, 1, 10), (8, 1, 10), (10, 1, 8)])
def test_how_often_hardways_are_decided(number, won, lost):
    games = [game_with(5) for _ in PAIRS]
    for game, pair in zip(games, PAIRS, strict=True):
        throw_of(*pair).updateGame(game)
    assert Counter(game.decided.get(f"Hard {number}") for game in games) == {
        "win": won,
        "lose": lost,
        None: 36 - won - lost,
    }


@given(st.lists(st.sampled_from(PAIRS), max_size=40))
def test_a_come_bet_is_a_pass_line_bet_of_its_own(pairs):
    """Made before any throw with the point on, it is decided when a pass line bet made then would be; both sides."""
    table, bets = CrapsGame(), []
    for pair in pairs:
        if table.current_point is not None:
            bets.append(PassLine())
        throw_of(*pair).updateGame(table)
        for bet in list(bets):
            name = f"Come Point {bet.point}" if bet.point else "Come Line"
            (bet.throw_again if bet.point else bet.come_out).rule(bet, sum(pair))
            right = [None, "win", "lose"][bet.result]
            wrong = "push" if pair == (6, 6) and name == "Come Line" else {"win": "lose", "lose": "win"}.get(right)
            assert table.decided.get(name) == right
            assert table.decided.get(f"Don't {name}") == wrong
            if right:
                bets.remove(bet)


@given(st.lists(st.sampled_from(PAIRS), max_size=60), st.booleans())
def test_no_bet_is_decided_that_can_not_stand(pairs, las_vegas):
    game = CrapsGame(las_vegas)
    for pair in pairs:
        point = game.current_point
        throw_of(*pair).updateGame(game)
        assert set(game.decided) <= {*LINES, *NUMBERS, *HARD}
        assert set(game.decided.values()) <= {"win", "lose", "push"}
        assert (point is None) or "Come Line" in game.decided or sum(pair) in POINTS
        assert point is not None or not {"Come Line", "Don't Come Line"} & set(game.decided)


# The program ----------------------------------------------------------------------------------------------------------


def test_the_program_tells_a_hand_that_ends_with_a_seven_out(capsys):
    for seed in range(30):
        assert throws.main(seed) == 0
        heading, *lines = capsys.readouterr().out.splitlines()
        assert heading.split() == ["throw", "point", "decided"]
        game, rng = CrapsGame(), random.Random(seed)
        for n, line in enumerate(lines):
            point, throw = game.current_point, throw_of(*rng.choice(PAIRS))
            throw.updateGame(game)
            assert line.startswith(f"{throw}    {game}".rstrip())
            for name in LINES:
                told = f"{name} {game.decided[name]}" if name in game.decided else f" {name} "
                assert (told in line) is (name in game.decided)
            assert all(f"{outcome} win" in line for outcome in throw.outcomes)
            assert (point is not None and sum(throw.key()) == 7) is (n == len(lines) - 1)


def test_a_hand_of_the_program(capsys):
    """Checked by hand."""
    throws.main(5)
    assert capsys.readouterr().out.splitlines() == [
        "throw  point      decided",
        "3,5    8",
        "4,5    8          Field (1:1) win",
        "6,4    8          Field (1:1) win",
        "1,2    8          Come Line lose, Don't Come Line win, Any Craps (7:1) win, Field (1:1) win, "
        "Horn (3:1) win, Number 3 (15:1) win",
        "5,6    8          Come Line win, Don't Come Line lose, Field (1:1) win, Horn (3:1) win, Number 11 (15:1) win",
        "3,4    Point Off  Come Line win, Don't Come Line lose, Pass Line lose, Don't Pass Line win, "
        "Number 7 (4:1) win",
    ]
