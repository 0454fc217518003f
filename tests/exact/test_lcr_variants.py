"""The variants of LCR against a program of their own: it moves coins die by die, as the prose of the sources says, and
strikes out one position after the other, in fractions and without dicelab.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest

import dicelab
from dicelab.rules.game import counted
from playing import moves, over, played
from support import GAMES

# The rules once more: from the coins, whose turn it is and the faces, to (who has won if anybody, the coins, 1 or 0 for
# an ante or a sweep).


def pass_on(coins, seat, faces):
    coins = list(coins)
    for face in faces:
        if face in "LCR":
            coins[seat] -= 1
        if face == "L":
            coins[seat - 1] += 1
        if face == "R":
            coins[(seat + 1) % len(coins)] += 1
    return coins


def only_owner(coins):
    owners = [seat for seat, n in enumerate(coins) if n > 0]
    return owners[0] if len(owners) == 1 else None


def plain(coins, seat, faces, each):
    coins = pass_on(coins, seat, faces)
    return only_owner(coins), coins, 0


def dots_to_win(coins, seat, faces, each):
    if only_owner(coins) == seat and set(faces) == {"."}:
        return seat, coins, 0
    coins = pass_on(coins, seat, faces)
    return (None, coins, 0) if any(coins) else (None, [each] * len(coins), 1)


def last_to_center(coins, seat, faces, each):
    coins = pass_on(coins, seat, faces)
    return (None if any(coins) else seat), coins, 0


GIVERS = {  # of the others who have coins, in turn
    "from_richest": lambda others, coins: max(others, key=coins.__getitem__),
    "from_poorest": lambda others, coins: min(others, key=coins.__getitem__),
    "from_next": lambda others, coins: others[0],
}


def wild(*lineup):
    def rule(coins, seat, faces, each):
        players = len(coins)
        coins = pass_on(coins, seat, faces)
        if faces == ("W", "W", "W"):
            coins[seat] += players * each - sum(coins)
            return only_owner(coins), coins, 1
        for _ in range(faces.count("W")):
            others = [s % players for s in range(seat + 1, seat + players) if coins[s % players] > 0]
            if others:
                coins[GIVERS[lineup[seat % len(lineup)]](others, coins)] -= 1
                coins[seat] += 1
        return only_owner(coins), coins, 0

    return rule


def answer(rule, faces, players, each, number):
    """Chances of the seats, and means of turns, of throws, and of antes or sweeps."""
    start = ((each,) * players, 0)
    ways, means, todo = {}, {}, [start]
    while todo:
        position = coins, seat = todo.pop()
        if position in ways:
            continue
        dice = min(3, coins[seat])
        ways[position], means[position] = defaultdict(number), [number(1), number(dice > 0), number(0)]
        for thrown in product(faces, repeat=dice):
            winner, after, marked = rule(coins, seat, thrown, each) if dice else (None, coins, 0)
            to = (tuple(after), (seat + 1) % players) if winner is None else winner
            ways[position][to] += number(1) / 6**dice
            means[position][2] += number(marked) / 6**dice
        todo += [to for to in ways[position] if to not in range(players)]

    for position in sorted(ways.keys() - {start}):  # strike it out: what leads there leads on from there
        through, gains = ways.pop(position), means.pop(position)
        leave = 1 - through.pop(position, 0)
        for other, there in ways.items():
            p = there.pop(position, 0) / leave
            if p:
                for to, q in through.items():
                    there[to] += p * q
                means[other] = [mean + p * gain for mean, gain in zip(means[other], gains, strict=True)]
    leave = 1 - ways[start].pop(start, 0)
    return [ways[start][seat] / leave for seat in range(players)], [mean / leave for mean in means[start]]


CASES = {
    "lcr": (plain, "LCR...", ()),
    "lcr-dots": (dots_to_win, "LCR...", ()),
    "lcr-last-center": (last_to_center, "LCR...", ()),
    **{f"lcr-wild+{name}": (wild(name), "LCRW..", (name,)) for name in GIVERS},
}


@pytest.mark.slow_cases("lcr-2-2", "lcr-dots-2-3")
@pytest.mark.parametrize(("players", "each"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2)])
@pytest.mark.parametrize("case", CASES)
def test_seats_and_tallies_are_those_of_a_program_of_its_own(case, players, each):
    rule, faces, lineup = CASES[case]
    same(case.partition("+")[0], lineup, rule, faces, players, each)


@pytest.mark.parametrize(("players", "each"), [(2, 3), (3, 1), (3, 2)])
def test_seats_that_take_by_different_strategies(players, each):
    lineup = tuple(GIVERS)[:players]
    same("lcr-wild", lineup, wild(*lineup), "LCRW..", players, each)


def same(name, lineup, rule, faces, players, each):
    """Equal fractions where the chain is small, else to 12 digits."""
    small = (players, each) in [(2, 1), (2, 2), (2, 3), (3, 1)]
    wins, means = answer(rule, faces, players, each, Fraction if small else float)
    result = dicelab.exact(
        GAMES[name], lineup, players=players, fractions=small, **{"chips" if name == "lcr-wild" else "coins": each}
    )
    if small:
        assert sum(wins) == 1
        assert [p.fraction for p in result.outcomes.values()] == wins
        assert [tally.fraction for tally in result.tallies.values()] == means[: len(result.tallies)]
    else:
        assert [p.probability for p in result.outcomes.values()] == pytest.approx(wins, rel=1e-12)
        assert [tally.mean for tally in result.tallies.values()] == pytest.approx(
            means[: len(result.tallies)], rel=1e-12
        )


# Rules that break easily, worked by hand ------------------------------------------------------------------------------

L, C, R, DOT = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)
CC, CCC, DOTS = (0, 2, 0, 0), (0, 3, 0, 0), (0, 0, 0, 3)


def test_an_only_owner_has_not_won_before_the_dice_show_dots_only():
    game, _, _ = played("lcr-dots", [CCC], players=2)
    assert (game.holds, game.player, over(game)) == ([0, 3], 1, False)
    game, _, dice = played("lcr-dots", [CCC, (0, 1, 0, 2), (0, 0, 0, 2)], players=2)  # 0 has no coins to throw with
    assert (game.outcome(), over(game), dice) == (1, True, [3, 3, 2])
    assert counted(game) == {"turns": 4, "throws": 3, "antes": 0}


def test_three_dots_win_with_more_than_three_coins_and_only_for_who_has_all():
    game, _, _ = played("lcr-dots", [DOTS, DOTS, (3, 0, 0, 0)], players=2)
    assert (game.holds, over(game)) == ([0, 6], False)
    game, _, dice = played("lcr-dots", [DOTS, DOTS, (3, 0, 0, 0), DOTS], players=2)
    assert (game.holds, game.outcome(), over(game), dice[-1]) == ([0, 6], 1, True, 3)


def test_the_only_coin_may_move_on_and_its_new_owner_must_throw_too():
    game, _, _ = played("lcr-dots", [C, C, R], players=3, coins=1)
    assert (game.holds, game.player, over(game)) == ([1, 0, 0], 0, False)


@pytest.mark.parametrize(("throws", "coins"), [([C, C, C], 1), ([CC, CC, (0, 1, 0, 1), C], 2), ([CCC] * 3, 3)])
def test_after_the_very_last_coin_everybody_puts_in_again(throws, coins):
    game, _, _ = played("lcr-dots", throws, players=3, coins=coins)
    assert (game.holds, game.player, over(game)) == ([coins] * 3, 0, False)  # the next player to the right begins
    assert game.antes == 1


def test_the_game_that_the_code_golf_page_prints():
    """Each state, the turns without dice left out; the last coin is put in by player 0."""
    states = [([1, 4, 3, 4], 0), ([1, 4, 3, 4], 0), ([1, 4, 1, 4], 2), ([1, 4, 1, 2], 4), ([0, 4, 1, 3], 4)]
    states += [([0, 3, 2, 3], 4), ([0, 3, 0, 3], 6), ([0, 3, 1, 1], 7), ([2, 0, 1, 1], 8), ([2, 0, 0, 1], 9)]
    states += [([2, 0, 0, 0], 10), ([0, 1, 0, 0], 11), ([1, 0, 0, 0], 11), ([0, 0, 0, 0], 12)]
    throws = [(1, 0, 1, 1), DOTS, (0, 2, 0, 1), (0, 2, 0, 1), L, (0, 0, 1, 2), CC, (1, 1, 0, 1), (2, 1, 0, 0), C, C]
    throws += [(0, 1, 1, 0), L, C]
    for n, (holds, center) in enumerate(states, start=1):
        game, _, _ = played("lcr-last-center", throws[:n])
        assert (game.holds, 12 - sum(game.holds)) == (holds, center)
        assert over(game) == (n == len(states))
    assert (game.outcome(), counted(game)) == (0, {"turns": 17, "throws": 14})


def wild_game(throws, lineup=("from_richest",), **parameters):
    return played("lcr-wild", throws, lineup, **parameters)


def test_wilds_take_after_chips_are_passed_on():
    game, events, _ = wild_game([(1, 0, 0, 2, 0)])
    assert game.holds == [4, 2, 3, 3]
    assert moves(events) == ["3", "1"]  # 3 has just become the richest; of equals the next in turn
    assert (game.player, game.turns) == (1, 1)


def test_a_wild_takes_nothing_when_nobody_else_has_chips():
    game, events, dice = wild_game([(0, 0, 0, 0, 1), (0, 0, 0, 1, 0)], players=2, chips=1)
    assert (game.holds, game.outcome(), over(game), dice) == ([0, 2], 1, True, [1, 1])
    game, events, _ = wild_game([(0, 2, 0, 0, 1), (0, 0, 0, 2, 1)], players=2)
    assert (game.holds, game.outcome(), over(game), moves(events)) == ([0, 4], 1, True, ["0"])


def test_three_wilds_take_the_center_and_the_game_goes_on():
    game, events, _ = wild_game([(0, 3, 0, 0, 0), (0, 0, 0, 3, 0)])
    assert (game.holds, game.center, game.player, over(game)) == ([0, 6, 3, 3], 0, 2, False)
    assert (moves(events), game.sweeps) == ([], 1)


def test_only_others_with_chips_can_be_taken_from():
    game, _, _ = wild_game([(0, 3, 0, 0, 0), (0, 0, 0, 0, 3), (0, 0, 0, 0, 3)])
    assert (game.holds, game.player) == ([0, 3, 3, 3], 3)
    assert [game.can_give(seat) for seat in range(4)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("holds", "player", "richest", "poorest", "nearest"),
    [
        ([1, 3, 4, 1], 0, 2, 3, 1),
        ([2, 1, 4, 4], 3, 2, 1, 0),
        ([2, 0, 3, 3], 0, 2, 2, 2),
        ([3, 0, 1, 3], 2, 3, 3, 3),
        ([0, 2, 3, 2], 2, 3, 3, 3),
        ([1, 0, 5, 0], 2, 0, 0, 0),
    ],
)
def test_whom_the_strategies_take_from(holds, player, richest, poorest, nearest):
    game = GAMES["lcr-wild"]()
    game.player = player
    for seat, chips in enumerate(holds):
        game.holds[seat] = chips
    chosen = {name: strategy.rule(game) for name, strategy in game.declared.strategies.items()}
    assert chosen == {"from_richest": richest, "from_poorest": poorest, "from_next": nearest}
