"""The programs of the texts play by the chances known otherwise; budget and derivations as in `test_known_values`.

These comparisons are among those that share the budget of the suite (`significance`): each is held to its part of it.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from dicelab.textbook.casino import CrapsGame as Casino
from dicelab.textbook.casino import CrapsPlayerPass, Simulator
from dicelab.textbook.throws import CrapsGame, Dice

from dicelab.textbook import craps, hazard, lcr, tossup
from significance import SEED, distribution_differs, mean_differs, share_differs
from statistical.known_values import TOTALS, lcr_exactly, moments_of, round_of


def drawn(draw, number, seed=SEED):
    """What a program of Python's random numbers gives, so many times."""
    random.seed(seed)
    return Counter(draw() for _ in range(number))


# Dice -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dice", [hazard.throw_dice, craps.dice_roll], ids=["throw_dice", "dice_roll"])
def test_totals_of_two_dice(dice):
    assert not distribution_differs(drawn(dice, 50_000), TOTALS)


def test_the_36_throws():
    dice = Dice(random.Random(SEED))
    pairs = dict.fromkeys(product(range(1, 7), repeat=2), Fraction(1, 36))
    assert not distribution_differs(Counter(dice.roll().key() for _ in range(50_000)), pairs)


def test_the_die_of_lcr():
    sixth = Fraction(1, 6)
    assert not distribution_differs(drawn(lcr.roll_die, 60_000), {"L": sixth, "C": sixth, "R": sixth, ".": 3 * sixth})


def test_greens_of_toss_up():
    tossup.set_seed(SEED)
    greens = Counter(tossup.roll_dice(10).count(tossup.GREEN) for _ in range(30_000))
    assert not distribution_differs(greens, {n: comb(10, n) / 2**10 for n in range(11)})


# Rounds of two dice ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("main", [5, 6, 7, 8, 9])
def test_rounds_of_hazard(main):
    rounds = 40_000
    won = drawn(lambda: hazard.play_one_round(main), rounds)[True]
    assert not share_differs(won, rounds, round_of(main)[0])


def wins_of_a_caster(main):
    """Rounds are won until two are lost in a row, with chance q each: k of them with chance q²(1 - q²)^k."""
    q = float(1 - round_of(main)[0])
    return {k: q**2 * (1 - q**2) ** k for k in range(200)}


@pytest.mark.quick_cases("7")
@pytest.mark.parametrize("main", [5, 6, 7])
def test_casters(main):
    expected = wins_of_a_caster(main)
    assert sum(expected.values()) == pytest.approx(1, abs=1e-12)
    won = drawn(lambda: hazard.simulate_caster(main), 30_000)
    assert not distribution_differs(won, expected)
    assert not mean_differs(won, *moments_of(expected))


@pytest.mark.slow
def test_a_line_bet_by_the_classes():
    """Come-outs until a decision; a push of don't pass is a round of its own."""
    dice, rounds, ends = Dice(random.Random(SEED)), 20_000, Counter()
    for _ in range(rounds):
        game = CrapsGame()
        while "Pass Line" not in game.decided:
            dice.roll().updateGame(game)
        ends[game.decided["Pass Line"], game.decided["Don't Pass Line"]] += 1
    win = round_of(7)[0]
    expected = {("win", "lose"): win, ("lose", "push"): Fraction(1, 36), ("lose", "win"): 1 - win - Fraction(1, 36)}
    assert not distribution_differs(ends, expected)


def sessions_of_pass(stake, duration):
    """How likely each duration is, and each most money, of a session of units on the pass line."""
    durations, maxima, here, throws = Counter(), Counter(), {(stake, None, 0): 1.0}, 0
    while here:
        throws += 1
        after = Counter()
        for (money, point, most), p in here.items():
            money -= point is None
            for total, chance in TOTALS.items():
                won = total in (7, 11) if point is None else total == point
                lost = total in (2, 3, 12) if point is None else total == 7
                then = (money + 2 * won, None if won or lost else point or total)
                top, mass = max(most, then[0]), p * float(chance)
                if then[1] or (throws < duration and then[0] > 0):
                    after[*then, top] += mass
                else:
                    durations[throws] += mass
                    maxima[top] += mass
        here = {place: p for place, p in after.items() if p > 1e-15}
    return durations, maxima


@pytest.mark.slow
@pytest.mark.parametrize(("stake", "duration"), [(2, 12), (30, 8)])
def test_sessions_of_the_simulator(stake, duration):
    game = Casino()
    simulator = Simulator(
        game, CrapsPlayerPass(game.table), initStake=stake, initDuration=duration, samples=4000, seed=SEED
    )
    simulator.gather()
    durations, maxima = sessions_of_pass(stake, duration)
    assert sum(durations.values()) == pytest.approx(1, abs=1e-12)
    assert not distribution_differs(Counter(simulator.durations), durations)
    assert not distribution_differs(Counter(simulator.maxima), maxima)
    assert not mean_differs(Counter(simulator.maxima), *moments_of(maxima))
    wrong, _ = sessions_of_pass(stake, duration + 1)
    assert distribution_differs(Counter(simulator.durations), wrong)


# LCR ------------------------------------------------------------------------------------------------------------------


@pytest.mark.quick_cases("2-3")
@pytest.mark.parametrize(("players", "coins"), [(2, 3), (3, 3), (4, 2)])
def test_games_of_lcr(monkeypatch, players, coins):
    monkeypatch.setattr(lcr, "COINS", coins)
    chances, mean, variance = lcr_exactly(players, coins)
    games = 15_000
    played = drawn(lambda: lcr.lcr_game(players), games)
    winners, turns = Counter(), Counter()
    for (winner, taken), n in played.items():
        winners[winner] += n
        turns[taken] += n
    assert not distribution_differs(winners, dict(enumerate(chances)))
    assert not mean_differs(turns, mean[0], variance[0])


def test_two_thousand_games_of_two():
    """With two players the most common winner and the share tell how often each won."""
    chances, _, _ = lcr_exactly(2)
    random.seed(SEED)
    first, tables = 0, 10
    for _ in range(tables):
        winner, share = lcr.most_common_winner(2)
        assert share >= 0.5
        first += round(2000 * (share if winner == 0 else 1 - share))
    assert not share_differs(first, 2000 * tables, chances[0])


# Power ----------------------------------------------------------------------------------------------------------------


def test_a_caster_who_is_a_little_wrong_is_rejected():
    """A round lost that counts as won, and a chance to lose that is a few percent off."""
    won = drawn(lambda: hazard.simulate_caster(6), 30_000)
    without_a_loss = {k - 1: p for k, p in wins_of_a_caster(6).items() if k}
    assert distribution_differs(won, without_a_loss)
    q = float(1 - round_of(6)[0]) * 0.96
    assert distribution_differs(won, {k: q**2 * (1 - q**2) ** k for k in range(200)})


def test_loaded_dice_are_rejected():
    rng = random.Random(SEED)
    loaded = Counter(sum(rng.choices(range(1, 7), (20, 20, 20, 20, 20, 23), k=2)) for _ in range(50_000))
    assert distribution_differs(loaded, TOTALS)
