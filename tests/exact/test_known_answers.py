"""The exact engine against values known otherwise: derived here from the rules of the sources, in fractions and without
dicelab, by closed forms or by programs written otherwise. Figures published elsewhere stand beside them.

The same games are simulated in ``tests/statistical``: three ways to every number.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, sqrt

import pytest

import dicelab
from statistical.known_values import pig_turn, race, toss_up_needs, turns_needed
from support import GAMES, ROOT

TOTALS = {total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}


def exact(game, strategies=(), **more):
    return dicelab.exact(GAMES.get(game, game), strategies, **more)


def same_distribution(tally, expected, within=1e-13):
    """Every probability is as expected, and no other value is listed; what is left out is left out at the end."""
    found = tally.probabilities
    assert tally.left < 1e-12
    assert set(found) <= set(expected)
    for value, p in expected.items():
        assert found.get(value, 0.0) == pytest.approx(float(p), abs=within), value


def percentile(expected, p):
    """Smallest value with a share of at least `p` at or below it."""
    seen = Fraction(0)
    for value in sorted(expected):
        seen += expected[value]
        if seen >= p:
            return value
    raise AssertionError


def mean_and_variance(distribution):
    mean = sum(value * p for value, p in distribution.items())
    return mean, sum(value * value * p for value, p in distribution.items()) - mean**2


# Two dice: Hazard and craps -------------------------------------------------------------------------------------------

NICKS = {5: {5}, 6: {6, 12}, 7: {7, 11}, 8: {8, 12}, 9: {9}}  # win at once, by main
CRABS = {5: {2, 3, 11, 12}, 6: {2, 3, 11}, 7: {2, 3, 12}, 8: {2, 3, 11}, 9: {2, 3, 11, 12}}  # lose at once


def round_of(main, longest=400):
    """Chance to win a round; mean and variance of its throws; chances of (throws, won) up to `longest` throws."""
    win = once = square = Fraction(0)
    joint = Counter()
    for total, p in TOTALS.items():
        if total in NICKS[main] | CRABS[main]:
            won = total in NICKS[main]
            win, once, square = win + p * won, once + p, square + p
            joint[1, won] += p
            continue
        decided = TOTALS[total] + TOTALS[main]
        win += p * TOTALS[total] / decided
        more, more_square = 1 / decided, (2 - decided) / decided**2  # of a geometric number of further throws
        once += p * (1 + more)
        square += p * (1 + 2 * more + more_square)
        waiting = p
        for n in range(2, longest):
            joint[n, True] += waiting * TOTALS[total]
            joint[n, False] += waiting * TOTALS[main]
            waiting *= 1 - decided
    return win, once, square - once**2, joint


PUBLISHED = {5: Fraction(1396, 2835), 6: Fraction(6961, 14256), 7: Fraction(244, 495)}


@pytest.mark.parametrize("main", [5, 6, 7, 8, 9])
def test_a_round_of_hazard(main):
    win, mean, variance, joint = round_of(main, 200)
    result = exact("hazard", main=main)
    assert result.outcomes["win"].fraction == win == PUBLISHED[min(main, 14 - main)]
    assert result.outcomes["lose"].fraction == 1 - win
    throws = result.tallies["throws"]
    assert throws.fraction == mean
    assert throws.sd == pytest.approx(sqrt(variance), rel=1e-14)
    same_distribution(throws, {n: joint[n, True] + joint[n, False] for n in range(1, 200)})
    for n, chances in result.joint("throws"):
        assert chances == pytest.approx([float(joint[n, True]), float(joint[n, False])], abs=1e-15)


def test_the_pass_line():
    win, mean, variance, joint = round_of(7)
    assert (win, mean) == (Fraction(244, 495), Fraction(557, 165))
    result = exact("pass-line", stake=5)
    assert result.outcomes["win"].fraction == win
    assert result.tallies["throws"].fraction == mean
    assert result.tallies["throws"].sd ** 2 == pytest.approx(float(variance), rel=1e-14)
    by_throws = {n: joint[n, True] + joint[n, False] for n in range(1, 400)}
    same_distribution(result.tallies["throws"], by_throws)
    for p in (0.1, 0.25, 0.5, 0.9, 0.99, 0.9999):
        assert result.tallies["throws"].percentile(p) == percentile(by_throws, p)
    money = result.tallies["money"]
    assert money.fraction == Fraction(-5 * 7, 495)  # an edge of 7/495 of the stake
    assert money.sd == pytest.approx(5 * sqrt(1 - (7 / 495) ** 2), rel=1e-14)
    same_distribution(money, {5: win, -5: 1 - win})
    assert [chances for _, chances in result.joint("money")] == [
        pytest.approx([0, float(1 - win)]),
        pytest.approx([float(win), 0]),
    ]


@pytest.mark.slow_cases("9-3")
@pytest.mark.parametrize(("main", "losses"), [(6, 1), (7, 2), (5, 2), (9, 3)])
def test_a_caster_wins_a_geometric_number_of_rounds(main, losses):
    """With q the chance to lose a round, P(k won) = s (1 - s)^k, s = q^losses: every win begins anew."""
    win, throws, _, _ = round_of(main)
    stop = (1 - win) ** losses
    result = exact("hazard-caster", main=main, losses=losses)
    won = result.tallies["rounds_won"]
    assert won.fraction == (1 - stop) / stop
    assert won.sd**2 == pytest.approx(float((1 - stop) / stop**2), rel=1e-13)
    same_distribution(won, {k: float(stop) * float(1 - stop) ** k for k in range(1000)})
    rounds = result.tallies["rounds"]
    assert rounds.fraction == sum((1 - win) ** -k for k in range(1, losses + 1))
    chances = Counter()  # of the rounds: a program that throws rounds one by one
    in_a_row = {0: 1.0}
    for n in range(1, 1500):
        after = Counter({0: float(win) * sum(in_a_row.values())})
        for k, p in in_a_row.items():
            if k + 1 == losses:
                chances[n] += p * float(1 - win)
            else:
                after[k + 1] += p * float(1 - win)
        in_a_row = after
    same_distribution(rounds, chances)
    assert result.tallies["throws"].fraction == rounds.fraction * throws  # Wald


# LCR: a linear system in fractions ------------------------------------------------------------------------------------


def solve(matrix, right):
    """Gauss and Jordan in fractions, for several right sides."""
    rows = [[*row, *extra] for row, extra in zip(matrix, right, strict=True)]
    size = len(rows)
    for i in range(size):
        pivot = next(r for r in range(i, size) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        first = rows[i][i]
        rows[i] = [x / first for x in rows[i]]
        for r in range(size):
            factor = rows[r][i]
            if r != i and factor:
                rows[r] = [x - factor * y if y else x for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[size:] for row in rows]


@cache
def thrown(dice):
    """How many coins go left, to the center, and right."""
    table = Counter(tuple(map(faces.count, "LCR")) for faces in product("LCR...", repeat=dice))
    return {seen: Fraction(n, 6**dice) for seen, n in table.items()}


def turn(holds, seat, dice):
    """Where the coins may lie after a turn."""
    if holds[seat] == 0:
        return {holds: Fraction(1)}
    after = Counter()
    for (lefts, centers, rights), p in thrown(min(dice, holds[seat])).items():
        new = list(holds)
        new[seat] -= lefts + centers + rights
        new[seat - 1] += lefts
        new[(seat + 1) % len(holds)] += rights
        after[tuple(new)] += p
    return after


def splits(total, players):
    """Every way in which the players may hold so many coins."""
    if players == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in splits(total - first, players - 1)]


def lcr(players, coins, dice):
    """Seats' chances; mean and variance of turns, and of turns with dice.

    The coins in play never increase: one total is solved after the other, each from those below.
    """
    wins, mean, square = {}, {}, {}  # by (holds, seat), a game that is over included

    def expected(of, p_of, fallback):
        return [sum(p * of.get(state, fallback)[j] for state, p in p_of.items()) for j in range(len(fallback))]

    for total in range(1, players * coins + 1):
        alive = [holds for holds in splits(total, players) if sum(n > 0 for n in holds) > 1]
        for holds in splits(total, players):
            if holds not in alive:
                for seat in range(players):
                    wins[holds, seat] = [Fraction(n > 0) for n in holds]
                    mean[holds, seat] = square[holds, seat] = [Fraction(0)] * 2
        layer = [(holds, seat) for holds in alive for seat in range(players)]
        number = {state: i for i, state in enumerate(layer)}
        ways = [{(new, (seat + 1) % players): p for new, p in turn(holds, seat, dice).items()} for holds, seat in layer]
        gains = [[Fraction(1), Fraction(holds[seat] > 0)] for holds, seat in layer]
        matrix = [[Fraction(i == j) for j in range(len(layer))] for i in range(len(layer))]
        for i, way in enumerate(ways):
            for state, p in way.items():
                if state in number:
                    matrix[i][number[state]] -= p
        zeros = [Fraction(0)] * players
        right = [expected(wins, way, zeros) for way in ways]
        right = [
            [*row, *(g + m for g, m in zip(gain, expected(mean, way, zeros[:2]), strict=True))]
            for row, gain, way in zip(right, gains, ways, strict=True)
        ]
        for state, solved in zip(layer, solve(matrix, right), strict=True):
            wins[state], mean[state] = solved[:players], solved[players:]
        right = []
        for gain, way in zip(gains, ways, strict=True):
            after, after_square = expected(mean, way, zeros[:2]), expected(square, way, zeros[:2])
            right.append([g * g + 2 * g * m + q for g, m, q in zip(gain, after, after_square, strict=True)])
        for state, solved in zip(layer, solve(matrix, right), strict=True):
            square[state] = solved
    start = (coins,) * players, 0
    return wins[start], mean[start], [q - m * m for q, m in zip(square[start], mean[start], strict=True)]


@pytest.mark.slow_cases("2-3-3")
@pytest.mark.parametrize(("players", "coins", "dice"), [(2, 1, 1), (2, 3, 3), (2, 4, 2), (3, 1, 3)])
def test_lcr_in_fractions(players, coins, dice):
    wins, means, variances = lcr(players, coins, dice)
    assert sum(wins) == 1
    result = exact("lcr", players=players, coins=coins, dice=dice)
    assert [p.fraction for p in result.outcomes.values()] == wins
    for tally, mean, variance in zip(("turns", "throws"), means, variances, strict=True):
        assert result.tallies[tally].fraction == mean
        assert result.tallies[tally].sd ** 2 == pytest.approx(float(variance), rel=1e-13)


@pytest.mark.slow
def test_lcr_with_three_players():
    """The published chances and turns; and every number of turns, by following the coins turn by turn."""
    result = exact("lcr", players=3)
    assert [p.probability for p in result.outcomes.values()] == pytest.approx([0.306843, 0.328019, 0.365138], abs=5e-7)
    assert result.tallies["turns"].mean == pytest.approx(18.863, abs=5e-4)
    assert sum(p.fraction for p in result.outcomes.values()) == 1
    chances, playing = Counter(), {(3, 3, 3): 1.0}
    for n in range(1, 400):
        after = Counter()
        for holds, p in playing.items():
            for new, q in turn(holds, (n - 1) % 3, 3).items():
                alive = sum(coins > 0 for coins in new) > 1
                if alive:
                    after[new] += p * float(q)
                else:
                    chances[n, max(range(3), key=new.__getitem__)] += p * float(q)
        playing = after
    joint = {(n, seat): p for n, row in result.joint("turns") for seat, p in enumerate(row) if p}
    assert joint.keys() <= chances.keys()
    for key, p in chances.items():
        assert joint.get(key, 0.0) == pytest.approx(p, abs=1e-14), key
    for seat, p in enumerate(result.outcomes.values()):
        assert sum(q for (_, winner), q in chances.items() if winner == seat) == pytest.approx(p.probability, abs=1e-12)


# Races: the turns that two players need do not depend on each other ---------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "target", "published"),
    [
        ("one_roll", "one_roll", 100, 0.598096),
        ("bank_over:20", "bank_over:50", 100, 0.618171),
        ("bank_over:8", "one_roll", 31, None),
        ("bank_over_or_win:12", "bank_over:5", 31, None),
    ],
)
def test_toss_up(first, second, target, published):
    chance, turns = race(toss_up_needs(first, target), toss_up_needs(second, target))
    result = exact("tossup", [first, second], target=target)
    if published:
        assert chance == pytest.approx(published, abs=5e-7)
    assert result.outcomes["0"].probability == pytest.approx(chance, abs=1e-11)
    mean, variance = mean_and_variance(turns)
    assert result.tallies["turns"].mean == pytest.approx(mean, rel=1e-10)
    assert result.tallies["turns"].sd == pytest.approx(sqrt(variance), rel=1e-9)
    same_distribution(result.tallies["turns"], turns, within=1e-11)
    assert sum(sum(row) for n, row in result.joint("turns") if n % 2 == 0) == pytest.approx(1 - chance, abs=1e-11)
    assert all(row[n % 2] == 0 for n, row in result.joint("turns")), "whoever has the last turn wins"


@pytest.mark.slow
def test_toss_up_busts():
    """One roll a turn: each is a bust with the same chance, whatever was before."""
    result = exact("tossup", "one_roll", target=31)
    assert result.tallies["busts"].mean == pytest.approx(result.tallies["turns"].mean * (2.0**-10 - 3.0**-10), rel=1e-9)
    assert result.tallies["throws"].probabilities == result.tallies["turns"].probabilities


@pytest.mark.slow_cases("8-15-25")
@pytest.mark.parametrize(("first", "second", "target"), [(20, 20, 30), (8, 15, 25)])
def test_pig(first, second, target):
    needs = [turns_needed(lambda score, n=n: pig_turn(min(n, target - score)), target) for n in (first, second)]
    chance, turns = race(*needs)
    result = exact(str(ROOT / "examples" / "pig.py"), [f"hold_at:{first}", f"hold_at:{second}"], target=target)
    assert result.outcomes["0"].probability == pytest.approx(chance, abs=1e-12)
    same_distribution(result.tallies["turns"], turns, within=1e-12)


# Risk: recursion over armies ------------------------------------------------------------------------------------------


@cache
def losses(attack_dice, defense_dice):
    """Chances of the armies that attacker and defender lose in one comparison of dice."""
    table = Counter()
    for faces in product(range(1, 7), repeat=attack_dice + defense_dice):
        attack = sorted(faces[:attack_dice], reverse=True)
        defense = sorted(faces[attack_dice:], reverse=True)
        beaten = sum(a > d for a, d in zip(attack, defense, strict=False))
        table[min(attack_dice, defense_dice) - beaten, beaten] += 1
    return {lost: Fraction(n, 6 ** (attack_dice + defense_dice)) for lost, n in table.items()}


@cache
def battle(attackers, defenders):
    """Chances of (comparisons, attacker has won)."""
    if defenders == 0 or attackers == 1:
        return {(0, defenders == 0): Fraction(1)}
    chances = Counter()
    for (mine, theirs), p in losses(min(3, attackers - 1), min(2, defenders)).items():
        for (n, won), q in battle(attackers - mine, defenders - theirs).items():
            chances[n + 1, won] += p * q
    return chances


def test_one_comparison_in_risk_as_published():
    assert losses(3, 2) == {(0, 2): Fraction(2890, 7776), (1, 1): Fraction(2611, 7776), (2, 0): Fraction(2275, 7776)}
    assert losses(1, 1) == {(0, 1): Fraction(15, 36), (1, 0): Fraction(21, 36)}
    assert losses(2, 1)[0, 1] == Fraction(125, 216)
    assert losses(3, 1)[0, 1] == Fraction(855, 1296)
    assert losses(1, 2)[0, 1] == Fraction(55, 216)
    assert [losses(2, 2)[lost] for lost in ((0, 2), (1, 1), (2, 0))] == [Fraction(n, 1296) for n in (295, 420, 581)]


@pytest.mark.parametrize(("attackers", "defenders"), [(4, 2), (2, 1), (3, 1), (2, 2), (3, 2), (4, 1), (7, 5)])
def test_a_battle_in_risk(attackers, defenders):
    chances = battle(attackers, defenders)
    result = exact("risk-battle", attackers=attackers, defenders=defenders)
    assert result.outcomes["attacker"].fraction == sum(p for (_, won), p in chances.items() if won)
    throws = Counter()
    for (n, _), p in chances.items():
        throws[2 * n] += p
    mean, variance = mean_and_variance(throws)
    assert result.tallies["throws"].fraction == mean
    assert result.tallies["throws"].sd == pytest.approx(sqrt(variance), rel=1e-13)
    same_distribution(result.tallies["throws"], throws, within=1e-15)
    joint = {(n, not who): p for n, row in result.joint("throws") for who, p in enumerate(row) if p}
    assert joint == pytest.approx({(2 * n, won): float(p) for (n, won), p in chances.items()}, rel=1e-14)
    assert result.tallies["throws"].left == 0


def test_three_dice_against_two_decide_as_published():
    """Four armies against two: won at once, lost both, or one each and three more dice against one."""
    result = exact("risk-battle", attackers=4, defenders=2)
    at_once = dict(result.joint("throws"))[2][0]
    assert at_once == pytest.approx(2890 / 7776, rel=1e-15)
    later = [exact("risk-battle", attackers=a, defenders=d).outcomes["attacker"].fraction for a, d in ((3, 1), (2, 2))]
    whole = Fraction(2890 + 2611 * later[0] + 2275 * later[1], 7776)
    assert result.outcomes["attacker"].fraction == whole


# Shut the Box: recursion over tiles -----------------------------------------------------------------------------------


@cache
def shut_the_box(tiles):
    """Chances of (throws, points that stand), always shutting the set with the highest tile, then the next highest."""
    if not tiles:
        return {(0, 0): Fraction(1)}
    dice = [(n,) for n in range(1, 7)] if max(tiles) <= 6 else list(product(range(1, 7), repeat=2))
    chances = Counter()
    for total, n in Counter(map(sum, dice)).items():
        p = Fraction(n, len(dice))
        shut = highest(tiles, total)
        if shut is None:
            chances[1, sum(tiles)] += p
            continue
        for (throws, left), q in shut_the_box(tuple(t for t in tiles if t not in shut)).items():
            chances[throws + 1, left] += p * q
    return chances


def highest(tiles, total):
    """The tiles to shut, highest first; None when none fit. `tiles` fall."""
    if total == 0:
        return ()
    for i, tile in enumerate(tiles):
        if tile <= total:
            rest = highest(tiles[i + 1 :], total - tile)
            if rest is not None:
                return (tile, *rest)
    return None


@pytest.mark.slow
def test_shut_the_box():
    chances = shut_the_box((9, 8, 7, 6, 5, 4, 3, 2, 1))
    throws, standing = Counter(), Counter()
    for (n, left), p in chances.items():
        throws[n] += p
        standing[left] += p
    result = exact("shut-the-box", "highest")
    assert result.outcomes["shut"].fraction == standing[0]
    assert result.tallies["throws"].fraction == mean_and_variance(throws)[0]
    assert result.tallies["standing"].fraction == mean_and_variance(standing)[0]
    assert result.tallies["standing"].sd == pytest.approx(sqrt(mean_and_variance(standing)[1]), rel=1e-13)
    same_distribution(result.tallies["throws"], throws, within=1e-15)
    same_distribution(result.tallies["standing"], standing, within=1e-15)
    assert result.tallies["standing"].percentile(0.5) == percentile(standing, Fraction(1, 2))


# Betting systems: what a strategy remembers is part of a position -----------------------------------------------------


@cache
def doubling(money, left, lost, unit=1):
    """Chances of (rounds, money won, largest stake) of the Martingale on pass, `lost` rounds in a row before."""
    if left == 0 or money == 0:
        return {(0, 0, 0): Fraction(1)}
    stake = min(unit * 2 ** min(lost, 8), money, 1000)
    chances = Counter()
    for gain, p in ((stake, Fraction(244, 495)), (-stake, Fraction(251, 495))):
        for (rounds, net, most), q in doubling(money + gain, left - 1, 0 if gain > 0 else lost + 1, unit).items():
            chances[rounds + 1, net + gain, max(most, stake)] += p * q
    return chances


@pytest.mark.slow_cases("7-8-1")
@pytest.mark.parametrize(("bankroll", "rounds", "unit"), [(20, 6, 1), (7, 8, 1), (9, 5, 3)])
def test_the_martingale(bankroll, rounds, unit):
    chances = doubling(bankroll, rounds, 0, unit)
    result = exact("line-bets", f"martingale:{unit}", bankroll=bankroll, rounds=rounds)
    net, most = Counter(), Counter()
    played = Fraction(0)
    for (n, gain, stake), p in chances.items():
        net[gain] += p
        most[stake] += p
        played += n * p
    assert result.outcomes["ruined"].fraction == net[-bankroll]
    assert result.tallies["throws"].fraction == played * Fraction(557, 165)
    mean, variance = mean_and_variance(net)
    assert result.tallies["net"].fraction == mean
    assert result.tallies["net"].sd == pytest.approx(sqrt(variance), rel=1e-13)
    same_distribution(result.tallies["net"], net)
    same_distribution(result.tallies["most"], most)
    mean, variance = mean_and_variance(most)
    assert result.tallies["most"].mean == pytest.approx(float(mean), rel=1e-12)
    assert result.tallies["most"].sd == pytest.approx(sqrt(variance), rel=1e-9)


def test_bets_on_both_lines_lose_only_to_a_twelve():
    """One unit on each side: the 12 of a come-out roll takes the one on pass."""
    result = exact("line-bets", "flat", bankroll=20, rounds=7)
    assert result.outcomes["ruined"].fraction == 0
    twelves = {-k: comb(7, k) * Fraction(1, 36) ** k * Fraction(35, 36) ** (7 - k) for k in range(8)}
    assert result.tallies["net"].fraction == Fraction(-7, 36)
    assert result.tallies["net"].sd == pytest.approx(sqrt(7 * 35) / 36, rel=1e-14)
    same_distribution(result.tallies["net"], twelves, within=1e-15)
    assert result.tallies["throws"].fraction == 7 * Fraction(557, 165)
    same_distribution(result.tallies["most"], {1: Fraction(1)})
