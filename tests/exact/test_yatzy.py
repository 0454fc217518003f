"""Scandinavian Yatzy: cards of a few boxes, solved again from the rulebook, without dicelab."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod

import pytest

import dicelab
from support import GAMES

BOXES = (
    *("ones", "twos", "threes", "fours", "fives", "sixes", "one pair", "two pairs", "three of a kind"),
    *("four of a kind", "small straight", "large straight", "full house", "chance", "yatzy"),
)
ROLLS = list(combinations_with_replacement(range(1, 7), 5))


def points(box: str, dice: tuple[int, ...]) -> int:
    """What five dice score in a box, in the words of the rulebook."""
    count = Counter(dice)
    several = {least: [face for face in count if count[face] >= least] for least in (2, 3, 4, 5)}
    if box in BOXES[:6]:
        face = BOXES.index(box) + 1
        return face * count[face]
    if box == "one pair":
        return 2 * max(several[2], default=0)
    if box == "two pairs":
        return 2 * sum(several[2]) if len(several[2]) == 2 else 0
    if box in ("three of a kind", "four of a kind"):
        least = 3 if box.startswith("three") else 4
        return least * max(several[least], default=0)
    if box == "full house":
        return sum(dice) if sorted(count.values()) == [2, 3] else 0
    if box.endswith("straight"):
        wanted, worth = ((1, 2, 3, 4, 5), 15) if box.startswith("small") else ((2, 3, 4, 5, 6), 20)
        return worth if dice == wanted else 0
    if box == "yatzy":
        return 50 if several[5] else 0
    return sum(dice)


@cache
def rolled(dice: int) -> list[tuple[tuple[int, ...], float]]:
    """What so many dice show, sorted, and how likely."""
    faces = combinations_with_replacement(range(1, 7), dice)
    return [(row, factorial(dice) / prod(map(factorial, Counter(row).values())) / 6**dice) for row in faces]


def best_mean(boxes: list[str]) -> float:
    """The highest mean score of a card with these boxes, none of them giving the bonus."""

    @cache
    def card(still_open: frozenset[str]) -> float:
        if not still_open:
            return 0.0
        value = {dice: max(points(b, dice) + card(still_open - {b}) for b in still_open) for dice in ROLLS}
        for _ in range(2):
            kept = dict[tuple[int, ...], float]()
            for n in range(6):
                for keep in combinations_with_replacement(range(1, 7), n):
                    kept[keep] = sum(p * value[tuple(sorted(keep + new))] for new, p in rolled(5 - n))
            subsets = {
                dice: {tuple(d for d, k in zip(dice, mask, strict=True) if k) for mask in product((0, 1), repeat=5)}
                for dice in ROLLS
            }
            value = {dice: max(kept[keep] for keep in subsets[dice]) for dice in ROLLS}
        return sum(p * value[dice] for dice, p in rolled(5))

    return card(frozenset(boxes))


@pytest.mark.slow_cases("four of a kind", "large straight full house", "one pair", "one pair two pairs three of a kind")
@pytest.mark.parametrize(
    "boxes",
    [
        ["one pair"],
        ["four of a kind"],
        ["large straight", "full house"],
        ["one pair", "two pairs", "three of a kind"],
        ["sixes", "small straight", "chance"],
    ],
    ids=" ".join,
)
def test_a_card_of_a_few_boxes(boxes: list[str]) -> None:
    given = sum(1 << BOXES.index(box) for box in boxes)
    best = dicelab.solve(GAMES["yatzy"], objective="most:score", boxes=given)
    assert best.value == pytest.approx(best_mean(boxes), abs=1e-9)
