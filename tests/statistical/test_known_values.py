"""Simulations agree with values known otherwise, and dice with their weights.

All comparisons of this folder share one chance of failing although everything is right, `FAILURE_BUDGET`: each gets an
equal part of it (Bonferroni). Seeds are fixed and never drawn again: a failure is a finding. Expected values are derived
here, from the rules of the sources and without dicelab; figures published elsewhere stand beside them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import count, product
from math import comb, sqrt

import numpy as np
import pytest
from scipy.stats import binom, binomtest, chi2, norm

import dicelab
from dicelab.engines.stream import Pool, Stream
from dicelab.rules import COUNTS, D6, SUM, Die
from support import ROOT

FAILURE_BUDGET = 1e-6
COMPARISONS = 100
"""No more comparisons than this are made; see `significant`."""
SEED = 1654  # Pascal writes to Fermat

compared = count(1)


def significant(p):
    """Is a p-value too small to be chance, given that it is one of `COMPARISONS`?"""
    assert next(compared) <= COMPARISONS
    return p < FAILURE_BUDGET / COMPARISONS


def share_differs(k, n, probability):
    """Is `k` of `n` far from a known probability? Exact, both sides."""
    return significant(binomtest(k, n, float(probability)).pvalue)


def mean_differs(histogram, mean, variance):
    """Is the mean of a histogram far from a known mean, its variance being known too?"""
    games = sum(histogram.values())
    total = sum(value * n for value, n in histogram.items())
    return sum_differs(total - games * float(mean), games * float(variance))


def sum_differs(excess, variance):
    """Is a sum of many terms far from what is expected of it?"""
    return significant(2 * norm.sf(abs(excess) / sqrt(variance)))


def distribution_differs(observed, probabilities, least=50):
    """Is a histogram far from known probabilities? Values expected less than `least` times are taken together."""
    n = sum(observed.values())
    if not set(observed) <= {value for value, p in probabilities.items() if p > 0}:
        return True
    cells = sorted((n * float(p), observed[value]) for value, p in probabilities.items())
    table = [[0.0, 0]]
    for expected, seen in cells:
        if table[-1][0] >= least:
            table.append([0.0, 0])
        table[-1][0] += expected
        table[-1][1] += seen
    square = sum((seen - expected) ** 2 / expected for expected, seen in table)
    return significant(chi2.sf(square, len(table) - 1))


def simulate(game, strategies=(), *, games, **parameters):
    return dicelab.simulate(game, strategies, games=games, seed=SEED, engine="compiled", **parameters)


def moments_of(probabilities):
    mean = sum(value * p for value, p in probabilities.items())
    return mean, sum(value * value * p for value, p in probabilities.items()) - mean * mean


# Rounds of two dice ---------------------------------------------------------------------------------------------------

TOTALS = {total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}
WINS_AT_ONCE = {5: {5}, 6: {6, 12}, 7: {7, 11}, 8: {8, 12}, 9: {9}}  # of the come-out roll, by main


@cache
def round_of(main):
    """Chance to win a round of Hazard; mean and variance of its throws. The pass line is the round with main 7."""
    win = once = twice = Fraction(0)
    for total, p in TOTALS.items():
        if total in WINS_AT_ONCE[main] or total in {2, 3, 11, 12}:
            win += p * (total in WINS_AT_ONCE[main])
            once += p
            twice += p
        else:
            decided = TOTALS[total] + TOTALS[main]  # of every further throw: their number is geometric
            win += p * TOTALS[total] / decided
            once += p * (1 + 1 / decided)
            twice += p * (1 + 2 / decided + (2 - decided) / decided**2)
    return win, once, twice - once**2


@cache
def pass_line():
    return simulate("pass-line", games=4_000_000, stake=5)


def test_the_derivation_gives_the_published_chances():
    # 244/495 and 557/165 are in many books on craps; all three chances of Hazard were known to Montmort and de Moivre.
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
    result = simulate("hazard", games=2_000_000, main=main)
    assert not share_differs(result.outcomes["win"].count, result.games, win)
    assert not mean_differs(result.tallies["throws"].histogram, throws, variance)


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


@cache
def lcr_exactly(players, coins=3, dice=3):
    """Chance of each seat; mean and variance of turns, and of turns with dice: absorbing Markov chain of all states."""
    moves = {n: Counter() for n in range(1, dice + 1)}
    for n, table in moves.items():
        for faces in product("LCR...", repeat=n):
            table["".join(sorted(faces)).replace(".", "")] += 1 / 6**n

    def after(holds, seat):
        following = (seat + 1) % players
        if holds[seat] == 0:
            return {(holds, following): 1.0}
        table = Counter()
        for faces, p in moves[min(holds[seat], dice)].items():
            new = list(holds)
            new[seat] -= len(faces)
            new[(seat - 1) % players] += faces.count("L")
            new[(seat + 1) % players] += faces.count("R")
            table[tuple(new), following] += p
        return table

    def over(holds):
        return sum(n > 0 for n in holds) == 1

    start = ((coins,) * players, 0)
    edges, waiting = {}, [start]
    while waiting:
        state = waiting.pop()
        if state not in edges and not over(state[0]):
            edges[state] = after(*state)
            waiting += edges[state]
    number = {state: i for i, state in enumerate(edges)}
    among, wins = np.zeros((len(edges), len(edges))), np.zeros((len(edges), players))
    for state, i in number.items():
        for following, p in edges[state].items():
            if following in number:
                among[i, number[following]] += p
            else:
                wins[i, [n > 0 for n in following[0]].index(True)] += p
    gain = np.array([[1.0, float(holds[seat] > 0)] for holds, seat in edges])  # a turn; a turn with dice
    solve = np.linalg.inv(np.eye(len(edges)) - among)
    mean = solve @ gain
    square = solve @ (gain * gain + 2 * gain * (among @ mean))
    first = number[start]
    return (solve @ wins)[first], mean[first], (square - mean * mean)[first]


def test_the_chain_gives_the_published_lcr():
    # Three players: the chances of the seats to six digits, all turns, and turns in which dice are thrown.
    chances, (turns, throws), _ = lcr_exactly(3)
    assert chances == pytest.approx([0.306843, 0.328019, 0.365138], abs=5e-7)
    assert turns == pytest.approx(18.863, abs=5e-4)
    assert throws == pytest.approx(17.5, abs=0.05)


@pytest.mark.parametrize(("players", "coins", "dice"), [(3, 3, 3), (2, 3, 3), (4, 2, 3), (3, 4, 2)])
def test_lcr(players, coins, dice):
    chances, mean, variance = lcr_exactly(players, coins, dice)
    assert sum(chances) == pytest.approx(1)
    result = simulate("lcr", games=1_000_000, players=players, coins=coins, dice=dice)
    for seat, chance in enumerate(chances):
        assert not share_differs(result.outcomes[str(seat)].count, result.games, chance)
    for k, tally in enumerate(["turns", "throws"]):
        assert not mean_differs(result.tallies[tally].histogram, mean[k], variance[k])


# Toss Up! -------------------------------------------------------------------------------------------------------------


def turns_to(target):
    """Distribution of the rolls that a player who always rolls once needs: each banks Binomial(10, 1/2) greens."""
    short = {n: float(binom.cdf(target - 1, 10 * n, 0.5)) for n in range(201)}
    return {n: short[n - 1] - short[n] for n in range(1, 201)}


@pytest.mark.parametrize("target", [100, 31])
def test_one_roll_against_one_roll(target):
    needs = turns_to(target)
    both = {(a, b): p * q for a, p in needs.items() for b, q in needs.items() if p * q > 0}
    first = sum(p for (a, b), p in both.items() if a <= b)
    if target == 100:
        assert first == pytest.approx(0.598096, abs=5e-7)
    turns = Counter()
    for (a, b), p in both.items():
        turns[2 * a - 1 if a <= b else 2 * b] += p
    bust = (3**10 - 2**10) / 6**10  # no green, and not all yellow
    result = simulate("tossup", "one_roll", games=400_000, target=target)
    assert not share_differs(result.outcomes["0"].count, result.games, first)
    rolls = result.tallies["turns"].histogram
    assert not mean_differs(rolls, *moments_of(turns))
    assert not distribution_differs(rolls, turns)
    assert result.tallies["throws"].histogram == rolls
    # Every roll is a bust with the same chance, whatever was before, so busts less their chance are a martingale.
    busts = sum(value * games for value, games in result.tallies["busts"].histogram.items())
    made = sum(value * games for value, games in rolls.items())
    assert not sum_differs(busts - made * bust, result.games * moments_of(turns)[0] * bust * (1 - bust))


def test_a_last_turn_for_the_others():
    # To 1 point: whoever first rolls a green has reached it, and the other one has one more roll to beat it.
    greens = [comb(10, n) / 2**10 for n in range(11)]
    none = greens[0]
    beaten = sum(greens[a] * greens[b] for a in range(1, 11) for b in range(a + 1, 11))
    second_wins = (beaten + none * (1 - none - beaten)) / (1 - none**2)
    result = simulate("tossup", "one_roll", games=400_000, target=1, last_turn="yes")
    assert not share_differs(result.outcomes["1"].count, result.games, second_wins)


# Pig ------------------------------------------------------------------------------------------------------------------


def pig_turn(enough):
    """Distribution of the points of a turn that is held at `enough`; 0 when it is lost."""
    ends, open_turns = Counter(), {0: 1.0}
    while open_turns:
        after = Counter()
        for points, p in open_turns.items():
            ends[0] += p / 6
            for face in range(2, 7):
                (ends if points + face >= enough else after)[points + face] += p / 6
        open_turns = after
    return ends


def hold_at_20_moves_first(target=100):
    """Chance of the player who begins when both hold at 20, or at what is enough to win."""
    turn = {left: pig_turn(min(20, left)) for left in range(1, target + 1)}
    chance = {}  # of the player to move, by (own, other) points still needed

    def gained(mine, other):
        wins = 0.0
        for points, p in turn[mine].items():
            if points >= mine:
                wins += p
            elif points > 0:
                wins += p * (1 - chance[other, mine - points])
        return wins

    for total in range(2, 2 * target + 1):
        for mine in range(max(1, total - target), min(target, total - 1) + 1):
            other = total - mine
            if mine <= other:  # solve x = a + lost (1 - y), y = b + lost' (1 - x)
                a, b = gained(mine, other), gained(other, mine)
                lost, too = turn[mine][0], turn[other][0]
                x = (a + lost * (1 - b - too)) / (1 - lost * too)
                chance[mine, other] = x
                chance[other, mine] = b + too * (1 - x)
    return chance[target, target]


@pytest.mark.parametrize("target", [100, 40])
def test_pig_held_at_20(target):
    result = simulate(str(ROOT / "examples" / "pig.py"), "hold_at:20", games=1_000_000, target=target)
    assert not share_differs(result.outcomes["0"].count, result.games, hold_at_20_moves_first(target))


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
