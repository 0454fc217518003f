"""Published numbers: each game of ``verification/`` answers exactly what its source says, and what a few lines of plain
Python say here, in fractions and without dicelab.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import comb, factorial, sqrt

import pytest

import dicelab
from support import ROOT

HERE = ROOT / "verification"
FACES = range(1, 7)
TOTALS = {total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}


def exact(file, strategies=(), **parameters):
    return dicelab.exact(str(HERE / f"{file}.py"), strategies, **parameters)


def chances(result):
    return [p.fraction for p in result.outcomes.values()]


def is_distributed(tally, expected):
    """As `expected`, in fractions: each probability, the mean and the deviation."""
    assert sum(expected.values()) == 1
    assert tally.probabilities == pytest.approx({value: float(p) for value, p in expected.items()}, rel=1e-12)
    mean = sum(value * p for value, p in expected.items())
    assert tally.fraction == mean
    assert tally.sd == pytest.approx(sqrt(sum(value * value * p for value, p in expected.items()) - mean**2), abs=1e-12)


def counted(values):
    """Distribution of equally likely values."""
    counts = Counter(values)
    return {value: Fraction(n, counts.total()) for value, n in counts.items()}


# Chuck-a-luck ---------------------------------------------------------------------------------------------------------

HOUSE_EDGES = {12: 3.70, 11: 4.17, 10: 4.63, 9: 5.09, 8: 5.56, 7: 6.02, 6: 6.48, 5: 6.94, 4: 7.41, 3: 7.87}
"""Percent, by what three of a kind pays: Shackleford's table."""


@pytest.mark.parametrize("triple", HOUSE_EDGES)
def test_chuck_a_luck(triple):
    paid = counted((-1, 1, 2, triple)[dice.count(6)] for dice in product(FACES, repeat=3))
    result = exact("chuck_a_luck", triple=triple)
    assert chances(result) == [Fraction(91, 216), Fraction(125, 216)]
    is_distributed(result.tallies["money"], paid)
    assert round(-100 * result.tallies["money"].fraction, 2) == pytest.approx(HOUSE_EDGES[triple])


def test_the_house_keeps_17_of_216_units_whatever_the_number():
    for number in FACES:
        assert exact("chuck_a_luck", number=number).tallies["money"].fraction == Fraction(-17, 216)


# Snakes and ladders ---------------------------------------------------------------------------------------------------

ALTHOEN_KING_SCHILLING = Fraction(
    225837582538403273407117496273279920181931269186581786048583,
    5757472998140039232950575874628786131130999406013041613400,
)
GOES_TO = {1: 38, 4: 14, 9: 31, 16: 6, 21: 42, 28: 84, 36: 44, 47: 26, 49: 11, 51: 67, 56: 53, 62: 19, 64: 60}
GOES_TO |= {71: 91, 80: 100, 87: 24, 93: 73, 95: 75, 98: 78}


def lands(square, face, exactly):
    if square + face > 100:
        return square if exactly else 100
    return GOES_TO.get(square + face, square + face)


@cache
def moves_needed(exactly):
    """Mean number of moves from the start: squares are struck out one by one."""
    ways, mean = {}, {}
    for square in range(100):
        ways[square], mean[square] = Counter(), Fraction(1)
        for face in FACES:
            ways[square][lands(square, face, exactly)] += Fraction(1, 6)
    for square in range(99, -1, -1):
        through = ways.pop(square)
        stay = 1 - through.pop(square, 0)
        mean[square] /= stay
        through = {to: p / stay for to, p in through.items()}
        for other, there in ways.items():
            p = there.pop(square, 0)
            mean[other] += p * mean[square]
            for to, q in through.items() if p else ():
                there[to] += p * q
    return mean[0]


@pytest.mark.slow
@pytest.mark.parametrize("exactly", [True, False])
def test_snakes_and_ladders(exactly):
    result = exact("snakes_and_ladders", exactly=exactly)
    moves = result.tallies["moves"]
    assert moves.fraction == moves_needed(exactly)
    at, seen = Counter({0: 1}), {}
    for n in range(1, 80):
        after = Counter()
        for square, ways in at.items():
            for face in FACES:
                after[lands(square, face, exactly)] += ways
        seen[n] = Fraction(after.pop(100, 0), 6**n)
        at = after
    assert {n: p for n, p in moves.probabilities.items() if n < 80} == pytest.approx(
        {n: float(p) for n, p in seen.items() if p}, rel=1e-12
    )


def test_snakes_and_ladders_takes_as_many_moves_as_published():
    moves = exact("snakes_and_ladders").tallies["moves"]
    assert moves.fraction == ALTHOEN_KING_SCHILLING
    assert round(moves.mean, 1) == 39.2
    assert min(moves.probabilities) == 7
    assert moves.probabilities[7] == pytest.approx(423 / 6**7, rel=1e-14)


# Nontransitive dice ---------------------------------------------------------------------------------------------------

EFRON = {"A": [0, 0, 4, 4, 4, 4], "B": [3] * 6, "C": [2, 2, 2, 2, 6, 6], "D": [1, 1, 1, 5, 5, 5]}
MIWIN = {"III": [1, 2, 5, 6, 7, 9], "IV": [1, 3, 4, 5, 8, 9], "V": [2, 3, 4, 6, 7, 8]}
GRIME = {"red": [4] * 5 + [9], "blue": [2] * 3 + [7] * 3, "olive": [0] + [5] * 5, "yellow": [3] * 4 + [8] * 2}
GRIME |= {"magenta": [1] * 2 + [6] * 4}
NONTRANSITIVE = EFRON | MIWIN | GRIME
NUMBERS = {name: number for number, name in enumerate(NONTRANSITIVE)}
BY_LENGTH = ["red", "blue", "olive", "yellow", "magenta", "red"]
BY_ALPHABET = ["blue", "magenta", "olive", "red", "yellow", "blue"]


@cache
def duel(one, other, each=1):
    return exact("nontransitive_dice", first=NUMBERS[one], second=NUMBERS[other], each=each)


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize(("one", "other"), [*pairwise("ABCDA"), *pairwise(BY_LENGTH), ("III", "V"), ("IV", "IV")])
def test_one_die_against_another(one, other, each):
    sums = [counted(map(sum, product(NONTRANSITIVE[die], repeat=each))) for die in (one, other)]
    lead = Counter()
    for (a, p), (b, q) in product(sums[0].items(), sums[1].items()):
        lead[a - b] += p * q
    is_distributed(duel(one, other, each).tallies["ahead"], lead)
    assert chances(duel(one, other, each)) == [
        sum(p for by, p in lead.items() if by > 0),
        sum(p for by, p in lead.items() if by < 0),
        lead[0],
    ]


@pytest.mark.parametrize(("one", "other"), list(pairwise("ABCDA")))
def test_each_of_efrons_dice_beats_the_next_two_times_of_three(one, other):
    assert chances(duel(one, other)) == [Fraction(2, 3), Fraction(1, 3), 0]


@pytest.mark.parametrize(("one", "other"), list(pairwise(["III", "IV", "V", "III"])))
def test_each_of_miwins_dice_beats_the_next_17_times_of_36(one, other):
    assert chances(duel(one, other)) == [Fraction(17, 36), Fraction(16, 36), Fraction(3, 36)]


@pytest.mark.slow
def test_two_circles_of_grimes_dice_and_what_two_dice_of_a_kind_make_of_them():
    """As Atkinson has them: doubles turn the circle by length round, and olive against red in the other one."""
    for circle in (BY_LENGTH, BY_ALPHABET):
        assert all(chances(duel(one, other))[0] > Fraction(1, 2) for one, other in pairwise(circle))
    assert [chances(duel(one, other, 2))[0] > Fraction(1, 2) for one, other in pairwise(BY_LENGTH)] == [False] * 5
    turned = [pair for pair in pairwise(BY_ALPHABET) if chances(duel(*pair, 2))[0] < Fraction(1, 2)]
    assert turned == [("olive", "red")]


# Risk -----------------------------------------------------------------------------------------------------------------


@cache
def losses(attack, defense):
    """Chances of (armies the attacker loses, armies the defender loses) in one throw of so many dice."""
    lost = []
    for dice in product(FACES, repeat=attack + defense):
        pairs = zip(sorted(dice[:attack], reverse=True), sorted(dice[attack:], reverse=True), strict=False)
        wins = [one > other for one, other in pairs]
        lost.append((wins.count(False), wins.count(True)))
    return counted(lost)


@cache
def armies_left(attackers, defenders):
    """Chances of (attacking armies left, defending armies left) after the battle."""
    if 0 in (attackers, defenders):
        return {(attackers, defenders): Fraction(1)}
    left = Counter()
    for (a, d), p in losses(min(attackers, 3), min(defenders, 2)).items():
        for end, q in armies_left(attackers - a, defenders - d).items():
            left[end] += p * q
    return left


@pytest.mark.slow_cases("8-6")
@pytest.mark.parametrize(("attackers", "defenders"), [(1, 1), (3, 3), (2, 5), (5, 5), (5, 3), (8, 6)])
def test_risk(attackers, defenders):
    left = armies_left(attackers, defenders)
    result = exact("risk", attackers=attackers, defenders=defenders)
    taken = sum(p for (_, d), p in left.items() if d == 0)
    assert chances(result) == [taken, 1 - taken]
    for tally, side, armies in (("attackers_lost", 0, attackers), ("defenders_lost", 1, defenders)):
        lost = Counter()
        for end, p in left.items():
            lost[armies - end[side]] += p
        is_distributed(result.tallies[tally], lost)


@pytest.mark.parametrize(
    ("attackers", "defenders", "published"),
    [(1, 1, 0.417), (3, 3, 0.470), (5, 5, 0.506), (5, 3, 0.769)],
)
def test_a_country_is_taken_as_often_as_published(attackers, defenders, published):
    """Osborne's table; the last one also at johannesbader.ch, with the losses below."""
    assert round(exact("risk", attackers=attackers, defenders=defenders).outcomes["taken"].probability, 3) == published


def test_losses_in_risk_as_published():
    tallies = exact("risk", attackers=5, defenders=3).tallies
    assert round(tallies["attackers_lost"].mean, 2) == 2.18
    assert round(tallies["defenders_lost"].mean, 2) == 2.54
    assert round(tallies["attackers_lost"].probabilities[1], 3) == 0.208


@pytest.mark.parametrize(
    ("attackers", "defenders", "published"),
    [
        (3, 2, {0: 2890, 1: 2611, 2: 2275}),
        (2, 2, {0: 295, 1: 420, 2: 581}),
        (3, 1, {0: 855, 1: 441}),
        (2, 1, {0: 125, 1: 91}),
        (1, 2, {0: 55, 1: 161}),
        (1, 1, {0: 15, 1: 21}),
    ],
)
def test_one_throw_in_risk(attackers, defenders, published):
    """Ways in which the attacker loses 0, 1, 2 armies; in all 6 to the number of dice."""
    dice = attackers + defenders
    assert sum(published.values()) == 6**dice
    lost = exact("risk", attackers=attackers, defenders=defenders, once=True).tallies["attackers_lost"]
    is_distributed(lost, {n: Fraction(ways, 6**dice) for n, ways in published.items()})
    assert {a: p for (a, _), p in losses(attackers, defenders).items()} == {
        n: Fraction(ways, 6**dice) for n, ways in published.items()
    }


# Piglet ---------------------------------------------------------------------------------------------------------------


@cache
def turns_alternate(first, second, one, other):
    """Chance of the seat to move: it needs `first` points and takes at most `one` heads a turn; so does the other."""
    if first <= 0 or second <= 0:
        return Fraction(first <= 0)
    mine, theirs = min(one, first), min(other, second)
    p, q = Fraction(1, 2**mine), Fraction(1, 2**theirs)
    # win = p * after my points + (1 - p) * (1 - their), their = q * after their points + (1 - q) * (1 - win)
    scored = 1 - turns_alternate(second, first - mine, other, one)
    answered = 1 - turns_alternate(first, second - theirs, one, other)
    return (p * scored + (1 - p) * (q - q * answered)) / (1 - (1 - p) * (1 - q))


@pytest.mark.parametrize(
    ("mine", "theirs", "published"),
    [(0, 0, Fraction(4, 7)), (0, 1, Fraction(2, 5)), (1, 0, Fraction(4, 5)), (1, 1, Fraction(2, 3))],
)
def test_piglet_to_two_points_as_published(mine, theirs, published):
    """Neller and Presser's four unknowns of the best play: never to hold before one wins."""
    assert chances(exact("piglet", "hold_at:2", target=2, mine=mine, theirs=theirs))[0] == published
    assert turns_alternate(2 - mine, 2 - theirs, 2, 2) == published


@pytest.mark.slow_cases("lineup5")
@pytest.mark.parametrize("lineup", [(1, 1), (2, 1), (1, 2), (3, 2), (10, 1), (10, 10)])
def test_piglet(lineup):
    strategies = [f"hold_at:{heads}" for heads in lineup]
    win = turns_alternate(10, 10, *lineup)
    assert chances(exact("piglet", strategies)) == [win, 1 - win]


def test_piglet_to_one_point_is_the_oldest_race_with_a_coin():
    """Who throws heads first: two of three."""
    result = exact("piglet", target=1)
    assert chances(result)[0] == Fraction(2, 3)
    assert result.tallies["flips"].fraction == 2


def test_piglet_strategies_compared():
    compared = dicelab.compare(str(HERE / "piglet.py"), ["hold_at:1", "hold_at:2"], exact=True)
    both = turns_alternate(10, 10, 1, 2) + 1 - turns_alternate(10, 10, 2, 1)
    assert compared.pairs[0].scores[0].value == pytest.approx(float(both / 2), rel=1e-12)


# Hog ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dice", range(1, 6))
def test_hog(dice):
    result = exact("hog", dice=dice)
    is_distributed(
        result.tallies["score"], counted(0 if 1 in faces else sum(faces) for faces in product(FACES, repeat=dice))
    )
    assert chances(result)[0] == Fraction(5, 6) ** dice


@pytest.mark.slow
def test_five_and_six_dice_are_the_best_in_hog():
    scores = {dice: exact("hog", dice=dice).tallies["score"].fraction for dice in range(1, 13)}
    assert scores == {dice: 4 * dice * Fraction(5, 6) ** dice for dice in range(1, 13)}
    assert [dice for dice, score in scores.items() if score == max(scores.values())] == [5, 6]
    assert round(float(scores[5]), 4) == 8.0376


# Pig alone ------------------------------------------------------------------------------------------------------------

NELLER = {0: 0.624541, 20: 0.099713, 21: 0.094991, 22: 0.074189, 23: 0.054196, 24: 0.035198, 25: 0.017173}


@cache
def turn_of(hold):
    """Distribution of a turn's points, holding with at least `hold`."""
    here = Counter({0: Fraction(1)})
    lost = Fraction(0)
    for points in range(hold):
        p = here.pop(points, Fraction(0))
        lost += p / 6
        for face in range(2, 7) if p else ():
            here[points + face] += p / 6
    return {0: lost, **here}


@pytest.mark.parametrize("hold", [1, 2, 13, 20, 25])
def test_one_turn_of_pig(hold):
    result = exact("pig_alone", f"hold_at:{hold}", turns_at_most=1)
    is_distributed(result.tallies["held"], turn_of(hold))
    assert result.tallies["busts"].fraction == turn_of(hold)[0]


def test_a_turn_that_holds_at_20_as_published():
    result = exact("pig_alone", "hold_at:20", turns_at_most=1)
    found = {points: round(p, 6) for points, p in result.tallies["held"].probabilities.items()}
    assert found == pytest.approx(NELLER)


@cache
def turns_to(target, hold, score=0):
    if score >= target:
        return Fraction(0)
    turn = turn_of(min(hold, target - score))
    further = sum(p * turns_to(target, hold, score + points) for points, p in turn.items() if points)
    return (1 + further) / (1 - turn[0])


@pytest.mark.parametrize(("target", "hold"), [(2, 2), (30, 9), (50, 50), (100, 20), (100, 25)])
def test_pig_alone(target, hold):
    turns = exact("pig_alone", f"hold_at:{hold}", target=target).tallies["turns"]
    assert turns.fraction == turns_to(target, hold)
    if (target, hold) == (100, 20):
        assert round(turns.mean, 1) == 12.6
        standard_error = turns.sd / sqrt(1_000_000)
        assert turns.mean == pytest.approx(12.634906, abs=3 * standard_error)  # Neller's simulation


# The shooter's hand ---------------------------------------------------------------------------------------------------


def test_the_mean_of_a_hand_at_craps():
    points = {total: p for total, p in TOTALS.items() if total in (4, 5, 6, 8, 9, 10)}
    setting = sum(points.values())
    seven_out = sum(p * TOTALS[7] / (p + TOTALS[7]) for p in points.values()) / setting
    throws_a_point = 1 / setting + sum(p / (p + TOTALS[7]) for p in points.values()) / setting
    result = exact("craps_hand", record=1)
    assert result.tallies["throws"].fraction == throws_a_point / seven_out == Fraction(1671, 196)
    assert result.tallies["points_made"].fraction == 1 / seven_out - 1
    assert round(result.tallies["throws"].mean, 4) == 8.5255


@cache
def hands_at_least(throws):
    """Chance that the shooter has not sevened out before throw number `throws`."""
    at = Counter({None: 1})
    for _ in range(throws - 1):
        after = Counter()
        for point, ways in at.items():
            for total in map(sum, product(FACES, repeat=2)):
                if point is None:
                    after[total if total in (4, 5, 6, 8, 9, 10) else None] += ways
                elif total != 7:
                    after[None if total == point else point] += ways
        at = after
    return Fraction(at.total(), 36 ** (throws - 1))


@pytest.mark.slow_cases("154")
@pytest.mark.parametrize("record", [2, 3, 10, 118, 154])
def test_a_hand_of_so_many_throws(record):
    assert chances(exact("craps_hand", record=record))[0] == hands_at_least(record)


def test_the_record_at_craps_as_published():
    found = exact("craps_hand").outcomes["record"]
    assert round(float(1 / found.fraction) / 1e9, 2) == 5.59
    assert found.probability == pytest.approx(1.79e-10, rel=1e-3)


# Sicherman dice -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ordinary", [True, False])
def test_sicherman_dice_have_the_totals_of_ordinary_dice(ordinary):
    result = exact("sicherman", ordinary=ordinary)
    is_distributed(result.tallies["total"], TOTALS)
    pairs = list(product(FACES, FACES) if ordinary else product((1, 2, 2, 3, 3, 4), (1, 3, 4, 5, 6, 8)))
    assert counted(map(sum, pairs)) == TOTALS
    doubles = sum(one == other for one, other in pairs)
    assert doubles == (6 if ordinary else 4)
    assert chances(result) == [Fraction(doubles, 36), Fraction(36 - doubles, 36)]


# All faces ------------------------------------------------------------------------------------------------------------


def test_all_faces():
    throws = exact("all_faces").tallies["throws"]
    assert throws.fraction == Fraction(147, 10) == sum(Fraction(6, k) for k in FACES)
    assert throws.sd == pytest.approx(sqrt(sum((1 - k / 6) / (k / 6) ** 2 for k in FACES)), rel=1e-14)
    within = [sum((-1) ** k * comb(6, k) * Fraction(6 - k, 6) ** n for k in range(7)) for n in range(100)]
    assert within[6] == Fraction(factorial(6), 6**6) == Fraction(5, 324)
    for n in range(1, 100):
        assert throws.probabilities.get(n, 0) == pytest.approx(float(within[n] - within[n - 1]), rel=1e-11)


# A turn of Yahtzee ----------------------------------------------------------------------------------------------------


@cache
def most_alike(alike, throws):
    """Distribution of how many dice are alike after so many more throws; only `alike` counts, not the number shown."""
    if throws == 0:
        return {alike: Fraction(1)}
    ends = Counter()
    for faces in product(FACES, repeat=5 - alike):
        shown = Counter((1,) * alike + faces)
        for end, p in most_alike(max(shown.values()), throws - 1).items():
            ends[end] += p / 6 ** (5 - alike)
    return ends


@pytest.mark.slow_cases("5")
@pytest.mark.parametrize("throws", [1, 2, 3, 5])
def test_a_turn_of_yahtzee(throws):
    result = exact("yahtzee_turn", throws_in_turn=throws)
    is_distributed(result.tallies["same"], most_alike(0, throws))
    assert chances(result)[0] == most_alike(0, throws)[5]


def test_five_of_a_kind_as_often_as_published():
    assert chances(exact("yahtzee_turn"))[0] == Fraction(347897, 7558272)
    assert chances(exact("yahtzee_turn", throws_in_turn=1))[0] == Fraction(1, 1296)


# The table ------------------------------------------------------------------------------------------------------------

ROWS = re.findall(
    r"^\| `dicelab (exact|solve) (\w+)/(\w+)\.py(.*?)` \| `(.*?)` \|.*\| (\S+) \|$",
    (HERE / "README.md").read_text(),
    re.M,
)


def answered(verb, file, options, what):
    """What dicelab answers, and how far it may be off."""
    words = shlex.split(options)
    given = {name.lstrip("-").replace("-", "_"): value for name, value in zip(words[::2], words[1::2], strict=True)}
    if verb == "solve":
        best = dicelab.solve(str(file), seat=int(given.pop("seat", 0)), **given)
        assert best.objective == what
        return best.value, best.error
    result = dicelab.exact(str(file), given.pop("s", ()), **given)
    name, _, value = what.partition("=")
    if value:
        return result.tallies[name].probabilities[int(value)], 0
    return (result.outcomes[name] if name in result.outcomes else result.tallies[name]).fraction, 0


@pytest.mark.quick_cases(
    "exact all_faces throws",
    "exact chuck_a_luck --triple 10 money",
    "exact chuck_a_luck money",
    "exact hog --dice 5 score",
    "exact hog --dice 6 score",
    "exact nontransitive_dice --first 0 --second 1 first",
    "exact nontransitive_dice --first 4 --second 5 first",
    "exact nontransitive_dice --first 7 --second 8 --each 2 first",
    "exact nontransitive_dice --first 7 --second 8 first",
    "exact pig_alone -s hold_at:20 --turns-at-most 1 held=20",
    "exact piglet -s hold_at:2 --target 2 --theirs 1 0",
    "exact piglet -s hold_at:2 --target 2 0",
    "exact risk --attackers 3 --defenders 2 --once yes attackers_lost=0",
    "exact risk --attackers 5 --defenders 3 taken",
    "exact sicherman total=7",
    "solve bear_off --on-1 15 --on-6 0 --objective fewest:rolls fewest:rolls",
    "solve bear_off_cube --cube none --objective payoff payoff",
    "solve cant_stop --objective fewest:turns --sides 2 --shortest 2 fewest:turns",
    "solve freeze --objective most:total --dice 2 most:total",
    "solve freeze --objective most:total most:total",
    "solve hog_choice --objective most:score most:score",
    "solve last_throw --objective most:paid --throws-at-most 6 most:paid",
    "solve last_throw --objective most:paid most:paid",
    "solve lose_all --objective most:score --losing 6 most:score",
    "solve lose_all --objective most:score most:score",
    "solve pig_two_dice --objective reached --begin 87 --turns-at-most 1 reached",
    "solve piglet --target 2 win",
    "solve threes --objective fewest:total --dice 2 fewest:total",
    "solve threes --objective fewest:total fewest:total",
)
@pytest.mark.parametrize(
    ("verb", "folder", "file", "options", "what", "number"), ROWS, ids=[f"{r[0]} {r[2]}{r[3]} {r[4]}" for r in ROWS]
)
def test_the_table_says_what_dicelab_says(verb, folder, file, options, what, number):
    found, error = answered(verb, ROOT / folder / f"{file}.py", options, what)
    if "/" in number:
        assert abs(found - Fraction(number)) <= error
    elif "e" in number:
        assert f"{float(found):.{len(number.partition('e')[0]) - 2}e}" == number
    else:
        assert f"{float(found):.{len(number.partition('.')[2])}f}" == number


def test_every_game_is_in_the_table():
    files = {file.stem for file in HERE.glob("*.py")} - {"liars_die"}  # in tests/exact/test_equilibrium.py
    assert {row[2] for row in ROWS if row[1] == "verification"} == files
    assert len(re.findall("(?m)^\\| `dicelab", (HERE / "README.md").read_text())) == len(ROWS)
