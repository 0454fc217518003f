"""The bear-off of one player: published figures, from a program of its own, and dicelab's values of these positions."""

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

import pytest

import dicelab
from dicelab.runtime.states.codec import Slots
from support import GAMES

F = Fraction
POINTS = 6


def plays(board, dice, off=False):
    """Yield the boards after playing the dice in this order, each with whether a checker was borne off."""
    if not dice or not any(board):
        yield board, off
        return
    last = max(i for i in range(POINTS) if board[i])
    for point in range(POINTS):
        if board[point] and (dice[0] <= point + 1 or point == last):
            after = list(board)
            after[point] -= 1
            if point + 1 > dice[0]:
                after[point - dice[0]] += 1
            yield from plays(tuple(after), dice[1:], off or point + 1 <= dice[0])


@cache
def rolls(board):
    """The expected number of rolls until all checkers are off, by optimal play."""
    if not any(board):
        return 0.0
    return 1 + sum(min(best(board, x, y)) * (1 if x == y else 2) for x in range(1, 7) for y in range(1, x + 1)) / 36


@cache
def best(board, x, y):
    """The fewest rolls after a roll, if no checker is borne off, and if one is."""
    orders = [(x,) * 4] if x == y else [(x, y), (y, x)]
    ends = [end for order in orders for end in set(plays(board, order))]
    return tuple(min((rolls(after) for after, off in ends if off is wanted), default=99) for wanted in (False, True))


@pytest.mark.slow_cases("board2", "board3")
@pytest.mark.parametrize("board", [(15, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 2), (1, 0, 1, 0, 1, 1), (0, 2, 2, 0, 0, 1)])
def test_the_mean_number_of_rolls(board):
    given = {f"on_{i + 1}": checkers for i, checkers in enumerate(board)}
    value = dicelab.solve(GAMES["bear-off"], objective="fewest:rolls", **given).value
    assert value == pytest.approx(rolls(board), abs=1e-11)
    if board[0] == 15:
        assert value == pytest.approx(6.979592, abs=5e-7)  # the database of GNU Backgammon


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_positions_in_which_bearing_none_off_is_better():
    """There are 3,825 with a roll that is no double; in one of them there are only two checkers."""
    places = (at for n in range(1, 16) for at in combinations_with_replacement(range(POINTS), n))
    boards = [tuple(at.count(point) for point in range(POINTS)) for at in places]
    assert len(boards) + 1 == 54264
    wanted = {
        (board, x, y)
        for board in boards
        for x in range(2, 7)
        for y in range(1, x)
        if best(board, x, y)[0] < best(board, x, y)[1] - 1e-12 and best(board, x, y)[1] < 99
    }
    assert len(wanted) == 3825
    assert [sum(board) for board, _, _ in wanted].count(2) == 1
    solved, found = solved_from((0, 0, 0, 0, 0, 15))
    assert len(solved) > 800_000
    assert max(abs(value - min(best(*roll))) for roll, value in solved.items()) < 1e-10
    while missing := wanted - solved.keys():  # no game that begins with 15 checkers on the sixth point has these rolls
        more, better = solved_from(min(missing)[0])
        solved |= more
        found |= better
    assert found == wanted


def solved_from(board):
    """By dicelab, the mean number of rolls after each roll that is no double and can come after this board, this roll
    not counted; and those rolls after which bearing no checker off is better.
    """
    given = {f"on_{i + 1}": checkers for i, checkers in enumerate(board)}
    policy = dicelab.solve(GAMES["bear-off"], objective="fewest:rolls", **given).policy
    slots = Slots.of(policy.game, ())
    at = [[slots.names.index(f"{name}[{i}]") for i in range(POINTS)] for name in ("board", "dice")]
    states = [[*zip(*(slots.column(policy.keys, i).tolist() for i in row), strict=True)] for row in at]
    number = {state: n for n, state in enumerate(zip(*states, strict=True))}
    rows, moves, worth = policy.row.tolist(), policy.moves[:, :2].tolist(), policy.worth.tolist()

    def fewest(board, dice, off):
        least, state = 99.0, number[board, dice]
        for option in range(rows[state], rows[state + 1]):
            point, die = moves[option]
            left = (*dice[: die - 1], dice[die - 1] - 1, *dice[die:])
            if die < point and any(left):
                after = list(board)
                after[point - 1] -= 1
                after[point - die - 1] += 1
                least = min(least, fewest(tuple(after), left, off))
            elif off == (die >= point):
                least = min(least, worth[option])
        return least

    solved, better = {}, set()
    for board, dice in number:
        if sum(dice) == 2 and max(dice) == 1:
            y, x = (die + 1 for die in range(POINTS) if dice[die])
            none, some = (fewest(board, dice, off) for off in (False, True))
            solved[board, x, y] = min(none, some)
            if none < some - 1e-12 and some < 99:
                better.add((board, x, y))
    return solved, better


# Two players and the doubling cube ------------------------------------------------------------------------------------

OTHER = {"mine": "theirs", "theirs": "mine", "middle": "middle", "none": "none"}


@cache
def equity(me, other, cube):
    """What the player on roll expects, in units of the stakes, before a double; `cube` says whose it is."""
    rolled = after_roll(me, other, cube)
    if cube in ("theirs", "none"):
        return rolled
    return max(rolled, min(Fraction(1), 2 * after_roll(me, other, "theirs")))


@cache
def after_roll(me, other, cube):
    """The same once nothing more can be doubled before this roll."""
    total = Fraction(0)
    for x in range(1, 7):
        for y in range(1, 7):
            orders = [(x,) * 4] if x == y else [(x, y), (y, x)]
            ends = {end for order in orders for end, _ in plays(me, order)}
            total += max(-equity(other, end, OTHER[cube]) if any(end) else Fraction(1) for end in ends)
    return total / 36


@pytest.mark.quick_cases("none-None-None")
@pytest.mark.parametrize(
    ("cube", "value", "published"),
    [
        ("first", F(446, 1296), 0.3441),
        ("middle", F(26, 81), 0.3210),
        ("second", F(13, 81), 0.1605),
        ("none", None, None),
    ],
)
def test_the_doubling_cube(cube, value, published):
    """The example of the manual of GNU Backgammon: 67.1 % without a cube, and its equities with it."""
    best = dicelab.solve(GAMES["bear-off-cube"], cube=cube)
    expected = equity((0, 1, 0, 0, 1, 0), (0, 1, 1, 0, 0, 0), {"first": "mine", "second": "theirs"}.get(cube, cube))
    assert best.value == pytest.approx(float(expected), abs=1e-12)
    if published is None:
        assert (1 + best.value) / 2 == pytest.approx(0.671, abs=5e-4)
    else:
        assert (expected, float(value)) == (value, pytest.approx(published, abs=5e-5))


@pytest.mark.quick_cases("second")
@pytest.mark.parametrize("cube", ["first", "middle", "second"])
def test_other_positions_with_the_cube(cube):
    mine, theirs = (1, 0, 0, 1, 0, 0), (0, 0, 0, 2, 0, 0)
    given = {f"{who}_{i + 1}": n for who, row in (("first", mine), ("second", theirs)) for i, n in enumerate(row)}
    best = dicelab.solve(GAMES["bear-off-cube"], cube=cube, **given)
    expected = equity(mine, theirs, {"first": "mine", "second": "theirs"}.get(cube, cube))
    assert best.value == pytest.approx(float(expected), abs=1e-12)
