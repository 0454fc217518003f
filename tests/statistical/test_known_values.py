"""Simulations agree with values known otherwise, and dice with their weights.

All comparisons of this folder share one chance of failing although everything is right, the `FAILURE_BUDGET` of
`significance`: each gets an equal part of it (Bonferroni). Seeds are fixed and never drawn again: a failure is a
finding. Expected values are derived here, from the rules of the sources and without dicelab; figures published
elsewhere stand beside them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb

import pytest

import dicelab
from dicelab.rules import COUNTS, D6, SUM, Die
from dicelab.runtime.philox import Pool, Stream
from significance import SEED, distribution_differs, mean_differs, share_differs, sum_differs
from statistical.known_values import (
    TOTALS,
    lcr_exactly,
    moments_of,
    pig_turn,
    race,
    round_of,
    toss_up_needs,
    turns_needed,
)
from support import ROOT


def simulate(game, strategies=(), *, games, **parameters):
    return dicelab.simulate(game, strategies, games=games, seed=SEED, engine="compiled", **parameters)


# Rounds of two dice ---------------------------------------------------------------------------------------------------


@cache
def pass_line():
    return simulate("pass-line", games=4_000_000, stake=5)


def test_the_derivation_gives_the_published_chances():
    # 244/495 and 557/165 are in many books on craps; the others follow from the text's table in the same way.
    assert round_of(7)[:2] == (Fraction(244, 495), Fraction(557, 165))
    assert round_of(5)[0] == round_of(9)[0] == Fraction(1396, 2835)
    assert round_of(6)[0] == round_of(8)[0] == Fraction(6961, 14256)


def test_pass_line():
    win, throws, variance = round_of(7)
    result = pass_line()
    assert not share_differs(result.outcomes["win"].count, result.games, win)
    assert not mean_differs(result.tallies["throws"].histogram, throws, variance)
    money = result.tallies["money"].histogram
    assert set(money) == {5, -5}
    assert money[5] == result.outcomes["win"].count


@pytest.mark.parametrize("main", [5, 6, 7, 8, 9])
def test_hazard(main):
    win, throws, variance = round_of(main)
    result = simulate("hazard", games=4_000_000, main=main)
    assert not share_differs(result.outcomes["win"].count, result.games, win)
    assert not mean_differs(result.tallies["throws"].histogram, throws, variance)


@pytest.mark.slow_cases("7")
@pytest.mark.parametrize("main", [6, 7])
def test_caster(main):
    """Rounds are won until two are lost in a row, with chance q each: k of them with chance q²(1 - q²)^k."""
    q = float(1 - round_of(main)[0])
    stop = q * q
    result = simulate("hazard-caster", games=1_000_000, main=main)
    won = result.tallies["rounds_won"].histogram
    assert not share_differs(won[0], result.games, stop)
    assert not mean_differs(won, (1 - stop) / stop, (1 - stop) / stop**2)
    assert not distribution_differs(won, {k: stop * (1 - stop) ** k for k in range(200)})
    # Rounds until two losses in a row: a win, or a loss and a win, begins again.
    rounds = {0: 0.0, 1: 0.0, 2: stop}
    for n in range(3, 400):
        rounds[n] = (1 - q) * rounds[n - 1] + q * (1 - q) * rounds[n - 2]
    assert sum(rounds.values()) == pytest.approx(1, abs=1e-12)
    assert not distribution_differs(result.tallies["rounds"].histogram, rounds)
    assert not mean_differs(result.tallies["rounds"].histogram, *moments_of(rounds))


# LCR ------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_chain_gives_the_published_lcr():
    # Three players: the chances of the seats to six digits, all turns, and turns in which dice are thrown.
    chances, (turns, throws), _ = lcr_exactly(3)
    assert chances == pytest.approx([0.306843, 0.328019, 0.365138], abs=5e-7)
    assert turns == pytest.approx(18.863, abs=5e-4)
    assert throws == pytest.approx(17.5, abs=0.05)


@pytest.mark.slow_cases("3-3-3", "3-4-2")
@pytest.mark.parametrize(
    ("players", "coins", "dice"),
    [
        (3, 3, 3),
        pytest.param(2, 3, 3, marks=pytest.mark.slow),
        pytest.param(4, 2, 3, marks=pytest.mark.slow),
        (3, 4, 2),
    ],
)
def test_lcr(players, coins, dice):
    chances, mean, variance = lcr_exactly(players, coins, dice)
    assert sum(chances) == pytest.approx(1)
    result = simulate("lcr", games=2_000_000, players=players, coins=coins, dice=dice)
    for seat, chance in enumerate(chances):
        assert not share_differs(result.outcomes[str(seat)].count, result.games, chance)
    for k, tally in enumerate(["turns", "throws"]):
        assert not mean_differs(result.tallies[tally].histogram, mean[k], variance[k])


# Races: Toss Up! and Pig ----------------------------------------------------------------------------------------------
# None of these strategies looks at the other player, so the two players need independent numbers of turns; who begins
# wins when needing no more of them than the other.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "target", "published"),
    [  # wins of the first in the 10,000 games of the text
        ("one_roll", "one_roll", 100, 5910),
        ("one_roll", "bank_over:20", 100, 75),
        ("bank_over:20", "bank_over:50", 100, 6167),
        ("bank_over:50", "bank_over:20", 100, 4414),
        ("bank_over_or_win:20", "bank_over:20", 100, None),
        ("bank_over:8", "one_roll", 31, None),
    ],
)
def test_tossup(first, second, target, published):
    chance, turns = race(toss_up_needs(first, target), toss_up_needs(second, target))
    if first == second:
        assert chance == pytest.approx(0.598096, abs=5e-7)  # solved exactly elsewhere
    if published is not None:
        assert not share_differs(published, 10_000, chance)
    result = simulate("tossup", [first, second], games=1_000_000, target=target)
    assert not share_differs(result.outcomes["0"].count, result.games, chance)
    assert not mean_differs(result.tallies["turns"].histogram, *moments_of(turns))
    assert not distribution_differs(result.tallies["turns"].histogram, turns)


@pytest.mark.slow
def test_busts():
    # With one roll a turn every roll is a bust with the same chance, whatever was before: busts less their chance are a
    # martingale.
    bust = 2.0**-10 - 3.0**-10  # no green, and not all yellow
    result = simulate("tossup", "one_roll", games=1_000_000)
    turns, busts = (result.tallies[name].histogram for name in ("turns", "busts"))
    assert result.tallies["throws"].histogram == turns
    rolls = sum(value * games for value, games in turns.items())
    excess = sum(value * games for value, games in busts.items()) - bust * rolls
    assert not sum_differs(excess, rolls * bust * (1 - bust))


@pytest.mark.slow
def test_a_last_turn_for_the_others():
    # To 1 point: whoever first rolls a green has reached it, and the other one has one more roll to beat it.
    greens = [comb(10, n) / 2**10 for n in range(11)]
    none = greens[0]
    beaten = sum(greens[a] * greens[b] for a in range(1, 11) for b in range(a + 1, 11))
    second_wins = (beaten + none * (1 - none - beaten)) / (1 - none**2)
    result = simulate("tossup", "one_roll", games=1_000_000, target=1, last_turn="yes")
    assert not share_differs(result.outcomes["1"].count, result.games, second_wins)


@pytest.mark.quick_cases("20-20-40")
@pytest.mark.parametrize(("first", "second", "target"), [(20, 20, 100), (20, 20, 40), (25, 12, 100)])
def test_pig(first, second, target):
    needs = [turns_needed(lambda score, n=n: pig_turn(min(n, target - score)), target) for n in (first, second)]
    chance, turns = race(*needs)
    lineup = [f"hold_at:{first}", f"hold_at:{second}"]
    result = simulate(str(ROOT / "examples" / "pig.py"), lineup, games=1_000_000, target=target)
    assert not share_differs(result.outcomes["0"].count, result.games, chance)
    assert not mean_differs(result.tallies["turns"].histogram, *moments_of(turns))
    assert not distribution_differs(result.tallies["turns"].histogram, turns)


# Single throws --------------------------------------------------------------------------------------------------------

TOSS = Die(red=1, yellow=2, green=3)
LCR = Die(left=1, center=1, right=1, dot=3)


def multinomial(weights, dice):
    """Chances of all counts of so many dice, by adding one die after another."""
    table = {(0,) * len(weights): Fraction(1)}
    for _ in range(dice):
        more = Counter()
        for seen, p in table.items():
            for i, w in enumerate(weights):
                more[(*seen[:i], seen[i] + 1, *seen[i + 1 :])] += p * Fraction(w, sum(weights))
        table = more
    return table


@pytest.mark.quick_cases("two words")
@pytest.mark.parametrize(
    ("pool", "draws", "expected"),
    [
        pytest.param(Pool(D6, (1,) * 6, 2, SUM, 1), 200_000, {(t,): p for t, p in TOTALS.items()}, id="two d6"),
        pytest.param(Pool(TOSS, (1, 2, 3), 10, COUNTS, 3), 200_000, multinomial((1, 2, 3), 10), id="ten Toss Up dice"),
        pytest.param(Pool(LCR, (1, 1, 1, 3), 3, COUNTS, 4), 200_000, multinomial((1, 1, 1, 3), 3), id="three LCR dice"),
        pytest.param(Pool(TOSS, (1, 2, 3), 12, COUNTS, 3), 100_000, multinomial((1, 2, 3), 12), id="two words"),
        pytest.param(Pool(TOSS, (1, 2, 3), 30, COUNTS, 3), 20_000, multinomial((1, 2, 3), 30), id="die by die"),
    ],
)
def test_dice_show_what_they_weigh(pool, draws, expected):
    stream = Stream(SEED, 0)
    assert not distribution_differs(Counter(stream.draw(pool) for _ in range(draws)), expected)


@pytest.mark.slow
def test_neighbouring_throws_games_and_seeds_do_not_depend_on_each_other():
    pool = Pool(D6, (1,) * 6, 2, SUM, 1)
    pairs = {(a, b): p * q for a, p in TOTALS.items() for b, q in TOTALS.items()}
    stream = Stream(SEED, 1)
    throws = [stream.draw(pool)[0] for _ in range(100_000)]
    assert not distribution_differs(Counter(zip(throws[::2], throws[1::2], strict=True)), pairs)
    first = [Stream(SEED, game).draw(pool)[0] for game in range(50_000)]
    assert not distribution_differs(Counter(zip(first[::2], first[1::2], strict=True)), pairs)
    first = [Stream(seed, 0).draw(pool)[0] for seed in range(50_000)]
    assert not distribution_differs(Counter(zip(first[::2], first[1::2], strict=True)), pairs)


# Power ----------------------------------------------------------------------------------------------------------------


def test_values_that_are_a_little_wrong_are_rejected():
    win, throws, variance = round_of(7)
    result = pass_line()
    wins, histogram = result.outcomes["win"].count, result.tallies["throws"].histogram
    assert share_differs(wins, result.games, win + Fraction(3, 1000))
    assert share_differs(wins, result.games, win - Fraction(3, 1000))
    assert mean_differs(histogram, throws * Fraction(101, 100), variance)
    assert mean_differs(histogram, throws * Fraction(99, 100), variance)


def test_dice_that_are_a_little_wrong_are_rejected():
    stream = Stream(SEED, 2)
    heavy = Pool(D6, (20, 20, 20, 20, 20, 21), 2, SUM, 1)
    drawn = Counter(stream.draw(heavy) for _ in range(200_000))
    assert distribution_differs(drawn, {(t,): p for t, p in TOTALS.items()})
    never = {seen: p for seen, p in multinomial((1, 2, 3), 2).items() if seen != (2, 0, 0)}
    assert distribution_differs(Counter({(2, 0, 0): 1, (0, 0, 2): 10**6}), never)
