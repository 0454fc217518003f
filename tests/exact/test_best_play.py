"""Best play: published optima, and what value iteration in a few lines of plain Python says, without dicelab."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

import dicelab
from dicelab.engines.policy import Policy
from support import GAMES, ROOT

F = Fraction

# The fractions and the numbers of twelve digits were computed in fractions, without dicelab, from the rules as the
# source has them; the source, where there is one, has them rounded. "From memory": the source was not at hand.
OPTIMA = [
    # math.stackexchange.com/questions/1157086: 4.6667; newbetuts.com/14297: 1709/324
    ("last-throw", "most:paid", {}, F(14, 3)),
    ("last-throw", "most:paid", {"throws_at_most": 6}, F(1709, 324)),
    # Neller and Presser 2004, from memory: 8.14; math.stackexchange.com/questions/1977081: 6.15
    ("lose-all", "most:score", {}, F(492303203, 60466176)),
    ("lose-all", "most:score", {"losing": 6}, F(2893395172951, 470184984576)),
    # Feldman and Morgan 2003, from memory: 8.0376
    ("hog-choice", "most:score", {}, F(15625, 1944)),
    # durangobill.com/ShutTheBoxExtra/STBstats.txt: 7.1432 %, 9.7614 %, 7.4194 %; to choose freely does not help
    ("shut-the-box-alone", "shut", {"one_die": 0}, F(466473281, 6530347008)),
    ("shut-the-box-alone", "shut", {}, F(956177159, 9795520512)),
    ("shut-the-box-alone", "shut", {"most": 2}, F(8721267025, 117546246144)),
    ("shut-the-box-alone", "shut", {"one_die": 2}, F(956177159, 9795520512)),
    # not published
    ("shut-the-box-alone", "fewest:standing", {"one_die": 0}, 11.157508444203),
    ("shut-the-box-alone", "fewest:standing", {"one_die": 1}, 11.021120546223),
    ("shut-the-box-alone", "fewest:standing", {"one_die": 2}, 11.009208593218),
    # vamshij.com/books/fiddler/read/84: 145/1944; the points that stand are not published
    ("six-tiles", "shut", {}, F(145, 1944)),
    ("six-tiles", "fewest:standing", {}, F(17207, 1944)),
    # github.com/HighDiceRoller/icepool, game_of_threes.ipynb: 3.000, 4.389, 5.234, 5.834, 6.254
    ("threes", "fewest:total", {"dice": 1}, F(3)),
    ("threes", "fewest:total", {"dice": 2}, 4.388888888889),
    ("threes", "fewest:total", {"dice": 3}, 5.233796296296),
    ("threes", "fewest:total", {"dice": 4}, 5.833858453361),
    ("threes", "fewest:total", {"dice": 5}, F(504205555, 80621568)),
    # humanrickshaw.github.io/Riddler: 8.236 with two dice; The Riddler, 13 August 2021, from memory: 18.84 with four
    ("freeze", "most:total", {"dice": 2}, 8.236111111111),
    ("freeze", "most:total", {}, F(989065, 52488)),
    # mathgroup, May 2010: 23.46; the chance to qualify is not published
    ("qualify", "most:score", {}, F(171546753019732763, 7312316880125952)),
    ("qualify", "qualified", {}, 0.956727063599),
    # wizardofvegas.com/forum, thread 35276: all thirteen boxes to six decimals
    *(("yahtzee-box", "most:score", {"box": box}, box * F(455, 216)) for box in range(1, 7)),
    ("yahtzee-box", "most:score", {"box": 7}, F(114845383, 7558272)),
    ("yahtzee-box", "most:score", {"box": 8}, F(56548607, 10077696)),
    ("yahtzee-box", "most:score", {"box": 9, "joker": "yes"}, 9.153620033786),
    ("yahtzee-box", "most:score", {"box": 10, "joker": "yes"}, 18.480749689435),
    ("yahtzee-box", "most:score", {"box": 11, "joker": "yes"}, 10.612742258326),
    ("yahtzee-box", "most:score", {"box": 12}, F(8697425, 3779136)),
    ("yahtzee-box", "most:score", {"box": 13}, F(70, 3)),
    # durangobill.com/Pig1Statistics.html: the chances in percent
    ("pig-two-dice", "reached", {"begin": 99, "turns_at_most": 1}, 0.694444444444),
    ("pig-two-dice", "reached", {"begin": 99, "turns_at_most": 2}, 0.887605324320),
    ("pig-two-dice", "reached", {"begin": 99, "turns_at_most": 3}, 0.941518342629),
    ("pig-two-dice", "reached", {"begin": 87, "turns_at_most": 1}, 0.465742765013),
    ("pig-two-dice", "reached", {"begin": 87, "turns_at_most": 2}, 0.692402605408),
    ("pig-two-dice", "reached", {"begin": 87, "turns_at_most": 3}, 0.803041009139),
    ("pig-two-dice", "reached", {"begin": 87, "turns_at_most": 4}, 0.871092656707),
    ("pig-two-dice", "reached", {"begin": 87, "turns_at_most": 5}, 0.903450944737),
    # Neller and Presser 2004, from memory: 12.545; to 10 points not published
    ("pig-alone", "fewest:turns", {}, 12.545232351955),
    ("pig-alone", "fewest:turns", {"target": 10}, F(7776, 4591)),
    # Neller and Presser 2004, from memory: 4/7 to 2 points; the others are not published
    ("piglet", "win", {"target": 2}, F(4, 7)),
    ("piglet", "win", {"target": 3}, F(6, 11)),
    ("piglet", "win", {"target": 5}, 0.532987012987),
    ("piglet", "win", {"target": 10}, 0.522479407949),
    ("piglet", "win", {"target": 20}, 0.515818532255),
    # Neller and Presser, from memory: 0.530592; the smaller targets are not published
    ("pig", "win", {"target": 20}, 0.615558549805),
    ("pig", "win", {"target": 30}, 0.567914744494),
    ("pig", "win", {}, 0.5305927252737468),
    # not published: value iteration over the whole space
    ("tossup", "win", {"target": 2}, 0.9990227337201086),
    ("tossup", "win", {"target": 5}, 0.9948928323541476),
    ("tossup", "win", {"target": 10}, 0.7676812611809936),
    ("tossup", "win", {"target": 17}, 0.7551333430426022),
]


@pytest.mark.slow_cases(
    "hog-choice most:score",
    "pig win",
    "pig win target=20",
    "pig win target=30",
    "pig-alone fewest:turns",
    "pig-two-dice reached begin=87 turns_at_most=3",
    "pig-two-dice reached begin=87 turns_at_most=4",
    "pig-two-dice reached begin=87 turns_at_most=5",
    "pig-two-dice reached begin=99 turns_at_most=3",
    "piglet win target=20",
    "qualify most:score",
    "qualify qualified",
    "shut-the-box-alone fewest:standing one_die=0",
    "shut-the-box-alone fewest:standing one_die=1",
    "shut-the-box-alone fewest:standing one_die=2",
    "shut-the-box-alone shut",
    "shut-the-box-alone shut most=2",
    "shut-the-box-alone shut one_die=0",
    "shut-the-box-alone shut one_die=2",
    "six-tiles fewest:standing",
    "six-tiles shut",
    "tossup win target=10",
    "tossup win target=17",
    "yahtzee-box most:score box=1",
    "yahtzee-box most:score box=2",
)
@pytest.mark.parametrize(
    ("name", "objective", "parameters", "value"),
    OPTIMA,
    ids=[" ".join([name, wish, *(f"{p}={v}" for p, v in more.items())]) for name, wish, more, _ in OPTIMA],
)
def test_the_optimum(name, objective, parameters, value):
    best = dicelab.solve(GAMES[name], objective=objective, **parameters)
    assert abs(best.value - value) <= best.error + 1e-11
    assert best.error < 1e-9


# By plain value iteration ---------------------------------------------------------------------------------------------


def piglet(target):
    """Chance to win of whoever is to throw, in Piglet: by own score, the other's, and heads of the turn."""
    win = {(me, other, heads): 0.0 for me in range(target) for other in range(target) for heads in range(target - me)}
    moved = 1.0
    while moved > 1e-15:
        moved = 0.0
        for me, other, heads in win:
            lost = 1 - win[other, me, 0]
            total = me + heads + 1
            head = 1.0 if total >= target else max(win[me, other, heads + 1], 1 - win[other, total, 0])
            new = (lost + head) / 2
            moved = max(moved, abs(new - win[me, other, heads]))
            win[me, other, heads] = new
    return win


@pytest.mark.slow_cases("7")
@pytest.mark.parametrize("target", [1, 2, 4, 7])
def test_piglet_from_every_score(target):
    win = piglet(target)
    for mine in range(target):
        for theirs in range(target):
            best = dicelab.solve(GAMES["piglet"], target=target, mine=mine, theirs=theirs)
            assert best.value == pytest.approx(win[mine, theirs, 0], abs=1e-13)
            assert [p.probability for p in best.outcomes.values()] == [best.value, 1 - best.value]


def pig_alone(target, most=100_000):
    """Fewest turns on average, in Pig alone: by score and points of the turn."""
    turns = {(score, points): 0.0 for score in range(target) for points in range(target - score)}
    for _ in range(most):
        moved = 0.0
        for score, points in turns:
            new = (1 + turns[score, 0]) / 6
            for total in range(points + 2, points + 7):
                held = 1 + (0.0 if score + total >= target else turns[score + total, 0])
                new += (held if score + total >= target else min(held, turns[score, total])) / 6
            moved = max(moved, abs(new - turns[score, points]))
            turns[score, points] = new
        if moved < 1e-15:
            break
    return turns[0, 0]


@pytest.mark.parametrize("target", [2, 6, 13])
def test_pig_alone(target):
    best = dicelab.solve(GAMES["pig-alone"], objective="fewest:turns", target=target)
    assert best.value == pytest.approx(pig_alone(target), abs=1e-13)


def test_the_fewest_busts_of_pig_alone():
    """Whoever holds after every throw loses a turn for each five that go well."""
    best = dicelab.solve(GAMES["pig-alone"], objective="fewest:busts", target=2)
    assert best.value == pytest.approx(1 / 5, abs=best.error)


@pytest.mark.quick_cases("20")
@pytest.mark.parametrize("hold", [1, 3, 20])
def test_who_is_played_against_matters(hold):
    """Against a strategy one wins at least what best play guarantees, and exactly what the policy then wins."""
    for seat in (0, 1):
        fair = dicelab.solve(GAMES["pig"], target=12)
        best = dicelab.solve(GAMES["pig"], f"hold_at:{hold}", seat=seat, target=12)
        assert best.value >= (fair.value, 1 - fair.value)[seat] - best.error - fair.error
        assert list(best.outcomes) == ["0", "1"]
        assert best.outcomes[str(seat)].probability == best.value
    assert best.strategies == [f"hold_at:{hold}", "best"][:: 1 if seat else -1]


def test_the_rules_files_are_found_by_their_paths():
    file = str(ROOT / "verification" / "last_throw.py")
    assert dicelab.solve(file, objective="most:paid").value == pytest.approx(14 / 3, rel=1e-15)


def test_the_policy_is_laid_out_when_it_is_first_asked_for() -> None:
    best = dicelab.solve("tossup", target=5, dice=2)
    assert not isinstance(best._policy, Policy)
    assert best.policy is best.policy is best._policy
    assert len(best.policy) == 230


def test_what_is_pickled_of_a_solution_has_its_policy() -> None:
    best = dicelab.solve("tossup", target=5, dice=2)
    assert isinstance(best.__getstate__()["_policy"], Policy)


# Relatives of Pig -----------------------------------------------------------------------------------------------------


def relatives_of_pig(variant, target, most):
    """Chance to win of the first player, by value iteration over (own score, other's score, points of the turn)."""
    win = {
        (me, other, turn): 0.5
        for me, other in product(range(target), repeat=2)
        for turn in (range(target - me + 1) if variant != "hog" else [0])
    }
    rolls = [Counter({0: 1})]  # by number of dice: sums without a one
    for _ in range(most):
        rolls.append(Counter())
        for total, ways in rolls[-2].items():
            rolls[-1].update({total + face: ways for face in range(2, 7)})

    def banked(me, other, turn):
        return 1.0 if me + turn >= target else 1 - win[other, me + turn, 0]

    def further(me, other, turn):
        """After a roll that may be followed by another one."""
        turn = min(turn, target - me)
        return max(banked(me, other, turn), win[me, other, turn]) if turn < target - me else 1.0

    moved = 1.0
    while moved > 1e-14:
        moved = 0.0
        for me, other, turn in win:
            lost = 1 - win[other, me, 0]
            if variant == "hog":
                chances = []
                for dice in range(1, most + 1):
                    good = sum(ways * banked(me, other, total) for total, ways in rolls[dice].items())
                    chances.append((good + (6**dice - 5**dice) * lost) / 6**dice)
                new = max(chances)
            else:
                total = 0.0
                for one, two in product(range(1, 7), repeat=2):
                    if variant == "two-dice" and one == two == 1:
                        total += 1 - win[other, 0, 0]
                    elif variant == "big-pig" and one == two:
                        total += further(me, other, turn + (25 if one == 1 else 2 * (one + two)))
                    elif 1 in (one, two):
                        total += lost
                    else:
                        total += further(me, other, turn + one + two)
                new = total / 36
            moved = max(moved, abs(new - win[me, other, turn]))
            win[me, other, turn] = new
    return win[0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["two-dice", "big-pig", "hog"])
def test_relatives_of_pig(variant):
    best = dicelab.solve(GAMES["pigs"], variant=variant, target=12, most=4)
    assert best.value == pytest.approx(relatives_of_pig(variant, 12, 4), abs=1e-12)
