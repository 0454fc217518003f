"""The games in examples/ against published figures, and against programs written apart from their rules.

Liar's dice is in tests/rules/test_hidden.py, ship, captain and crew in tests/rules/test_moves.py.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import product

import pytest

import dicelab
from support import ROOT

EXAMPLES = ROOT / "examples"
GAMES_OF_DICELAB = EXAMPLES.parent / "src" / "dicelab" / "games"
BEAR_OFF, MEXICO, CANT_STOP = (str(EXAMPLES / f"{name}.py") for name in ("bear_off", "mexico", "cant_stop"))

# Backgammon's bear-off ------------------------------------------------------------------------------------------------

OFF_AT_ONCE = {
    (1, 1): 36, (1, 2): 36, (1, 3): 34, (1, 4): 29, (1, 5): 23, (1, 6): 15,
    (2, 2): 26, (2, 3): 25, (2, 4): 23, (2, 5): 19, (2, 6): 13,
    (3, 3): 17, (3, 4): 17, (3, 5): 14, (3, 6): 10,
    (4, 4): 11, (4, 5): 10, (4, 6): 8,
    (5, 5): 6, (5, 6): 6, (6, 6): 4,
    (1,): 36, (2,): 36, (3,): 36, (4,): 34, (5,): 31, (6,): 27,
}  # fmt: skip
"""Rolls of 36 that take off one or two last checkers: the table of every backgammon book, such as
https://www.bkgm.com/articles/GOL/Aug00/bearoff.htm."""


def on_points(points: tuple[int, ...]) -> dict[str, int]:
    return {f"on_{point}": points.count(point) for point in range(1, 7)}


@pytest.mark.slow
@pytest.mark.cases("points", list(OFF_AT_ONCE), ids=[str(points) for points in OFF_AT_ONCE])
def test_last_checkers_go_off_as_often_as_books_say(points: tuple[int, ...]) -> None:
    best = dicelab.solve(BEAR_OFF, objective="off", within=1, **on_points(points))
    assert best.value == pytest.approx(OFF_AT_ONCE[points] / 36)


@cache
def rolls_left(board: tuple[int, ...]) -> float:
    """The expected number of rolls with the best play, by hand."""
    if sum(board) == 0:
        return 0.0
    total = 0.0
    for a, b in product(range(1, 7), repeat=2):
        total += min(map(rolls_left, {end for dice in {(a, b), (b, a)} for end in ends(board, dice * (1 + (a == b)))}))
    return 1 + total / 36


def ends(board: tuple[int, ...], dice: tuple[int, ...]) -> set[tuple[int, ...]]:
    if not dice or sum(board) == 0:
        return {board}
    found = set()
    for point in range(6):
        if board[point] and (dice[0] <= point + 1 or not any(board[point + 1 :])):
            after = list(board)
            after[point] -= 1
            if point - dice[0] >= 0:
                after[point - dice[0]] += 1
            found |= ends(tuple(after), dice[1:])
    return found


@pytest.mark.slow_cases("points1")
@pytest.mark.parametrize("points", [(6, 6), (1, 2, 3, 4, 5, 6), (4, 4, 5)])
def test_the_fewest_rolls_are_those_of_another_program(points: tuple[int, ...]) -> None:
    best = dicelab.solve(BEAR_OFF, objective="fewest:rolls", **on_points(points))
    assert best.value == pytest.approx(rolls_left(tuple(points.count(point) for point in range(1, 7))), abs=1e-9)


# Mexico ---------------------------------------------------------------------------------------------------------------

ORDER = [31, 32, 41, 42, 43, 51, 52, 53, 54, 61, 62, 63, 64, 65, 11, 22, 33, 44, 55, 66, 21]
"""The scores of Mexico, from the lowest to the highest: https://en.wikipedia.org/wiki/Mexico_(game)."""


def chances() -> list[float]:
    found = Counter(ORDER.index(max(10 * a + b, 10 * b + a)) for a, b in product(range(1, 7), repeat=2))
    return [found[rank] / 36 for rank in range(21)]


@cache
def best_of_the_first(rolls: int, rank: int) -> float:
    """The chance of the first of two players after so many rolls: the other one loses with an equal score, too."""
    below = sum(chances()[: rank + 1])
    stands = below**rolls
    if rolls == 3:
        return stands
    return max(stands, sum(chance * best_of_the_first(rolls + 1, r) for r, chance in enumerate(chances())))


def test_mexico_for_one_life_is_what_another_program_finds() -> None:
    best = dicelab.solve(MEXICO, life=1)
    assert best.value == pytest.approx(sum(c * best_of_the_first(1, r) for r, c in enumerate(chances())), abs=1e-12)
    assert chances()[-1] == pytest.approx(1 / 18)  # Mexico, as published
    patient = dicelab.exact(MEXICO, ["stand_at:21", "stand_at:1"], life=1)
    once = 1 - (17 / 18) ** 3
    assert patient.outcomes["0"].probability < best.value
    assert patient.tallies["mexicos"].mean > once


# Can't Stop -----------------------------------------------------------------------------------------------------------


def fewest_turns(sides: int, lengths: dict[int, int], needed: int) -> float:
    """The fewest turns for one player, by value iteration over the steps climbed; written apart from the rules."""
    every = Counter(tuple(sorted(dice)) for dice in product(range(1, sides + 1), repeat=4))

    @cache
    def value(saved: tuple[tuple[int, int], ...]) -> float:
        climbed = dict(saved)
        if sum(climbed.get(c, 0) == n for c, n in lengths.items()) >= needed:
            return 0.0
        guess = 1.0
        while True:
            after = 1 + rolled(climbed, {}, guess, {})
            if abs(after - guess) < 1e-13 * after:
                return after
            guess = after

    def rolled(
        climbed: dict[int, int], ahead: dict[int, int], lost: float, known: dict[tuple[tuple[int, int], ...], float]
    ) -> float:
        key = tuple(sorted(ahead.items()))
        if key not in known:
            total = 0.0
            for dice, ways in every.items():
                options = set()
                for i, j, k, m in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2)):
                    options |= climbs(climbed, ahead, (dice[i] + dice[j], dice[k] + dice[m]))
                best = [lost] if not options else []
                for option in options:
                    further = dict(option)
                    together = {c: climbed.get(c, 0) + further.get(c, 0) for c in lengths}
                    best += [value(tuple(sorted(together.items()))), rolled(climbed, further, lost, known)]
                total += ways * min(best)
            known[key] = total / sides**4
        return known[key]

    def climbs(
        climbed: dict[int, int], ahead: dict[int, int], sums: tuple[int, int]
    ) -> set[tuple[tuple[int, int], ...]]:
        """The steps climbed in this turn after one pairing: with both sums if possible, else with each alone."""

        def up(steps: dict[int, int] | None, column: int) -> dict[int, int] | None:
            if steps is None or climbed.get(column, 0) + steps.get(column, 0) >= lengths[column]:
                return None
            return {**steps, column: steps.get(column, 0) + 1} if column in steps or len(steps) < 3 else None

        both = up(up(ahead, sums[0]), sums[1])
        found = [both] if both is not None else [up(ahead, sums[0]), up(ahead, sums[1])]
        return {tuple(sorted(steps.items())) for steps in found if steps is not None}

    return value(())


@pytest.mark.quick_cases("2-1-1-2")
@pytest.mark.parametrize(
    ("sides", "shortest", "longer", "needed"), [(2, 1, 1, 2), (2, 2, 1, 2), (3, 1, 0, 3), (3, 1, 1, 1), (3, 1, 1, 2)]
)
def test_cant_stop_takes_the_turns_that_another_program_finds(
    sides: int, shortest: int, longer: int, needed: int
) -> None:
    lengths = {c: shortest + longer * min(c - 2, 2 * sides - c) for c in range(2, 2 * sides + 1)}
    given = {"sides": sides, "shortest": shortest, "longer": longer, "needed": needed}
    best = dicelab.solve(CANT_STOP, objective="fewest:turns", **given)
    assert best.value == pytest.approx(fewest_turns(sides, lengths, needed), abs=1e-9)


FEWEST_TURNS = {(2, 1): 1.298, (2, 2): 1.347, (2, 3): 1.400, (3, 1): 1.480, (3, 2): 1.722}
"""The fewest turns for one player by sides and length of the outermost columns, each next one being longer by two: from
memory of J. Glenn, H. Fang and C. Kruskal, A Retrograde Approximation Algorithm for One-Player Can't Stop, 2006, which
was not at hand."""


@pytest.mark.quick_cases("2-1")
@pytest.mark.parametrize(("sides", "shortest"), list(FEWEST_TURNS))
def test_small_boards_of_cant_stop_take_as_many_turns_as_remembered(sides: int, shortest: int) -> None:
    given = {"sides": sides, "shortest": shortest, "longer": 2, "needed": 3}
    best = dicelab.solve(CANT_STOP, objective="fewest:turns", **given)
    assert best.value == pytest.approx(FEWEST_TURNS[sides, shortest], abs=0.0005)


def test_the_real_game_loses_the_first_turn_as_seldom_as_published() -> None:
    """All six sides: every first roll can be climbed; the chance to climb 6, 7 or 8 again is 92 %, as published."""
    game = dicelab.find(CANT_STOP)(sides=6, shortest=3, longer=2, needed=3)
    assert [game.length(column) for column in range(2, 13)] == [3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3]
    good = 0
    for dice in product(range(1, 7), repeat=4):
        game.ahead[6] = game.ahead[7] = game.ahead[8] = 1
        for i in range(6):
            game.dice[i] = dice.count(i + 1)
        good += game.first_pair() != (0, 0)
    assert good / 6**4 == pytest.approx(0.92, abs=0.005)
    assert game.cup.die.weights(game) == (1,) * 6


def test_no_example_is_longer_than_150_lines() -> None:
    found = [*EXAMPLES.glob("*.py"), *(GAMES_OF_DICELAB / f"{name}.py" for name in ("yahtzee", "farkle"))]
    for file in found:
        words = r"    words = Words\(\n.*?\n    \)\n"  # data for people, no rules
        rules = re.sub(words, "", file.read_text(), flags=re.DOTALL)
        assert sum(map(bool, map(str.strip, rules.splitlines()))) <= 150, file.name  # empty lines don't count
