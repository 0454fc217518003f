"""The faces in pictures of dice of which the rules see only the total."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest

from dicelab.interface.play.screen.views import Faces, faces_of_total
from dicelab.rules.dice import D6, FACES, SUM, Die
from dicelab.runtime.foreign_streams import PythonDice, RDice
from dicelab.runtime.philox import Pool, Stream
from significance import SEED, distribution_differs

TWO = Pool(D6, (1,) * 6, 2, SUM, 1)


def test_the_game_keeps_its_stream():
    plain, shown = Stream(7, 3), Faces(Stream(7, 3))
    for _ in range(200):
        assert shown.draw(TWO) == plain.draw(TWO) == (sum(shown.last),)


def test_the_same_game_always_looks_the_same():
    def looks(source):
        dice = Faces(source)
        return [(dice.draw(TWO), dice.last) for _ in range(50)]

    assert looks(Stream(1, 0)) == looks(Stream(1, 0))
    assert looks(Stream(1, 0)) != looks(Stream(2, 0))


@pytest.mark.parametrize(("source", "same"), [(PythonDice(5), PythonDice(5)), (RDice(1), RDice(1))])
def test_a_stream_that_rolls_die_by_die_shows_its_own_faces(source, same):
    dice, faces = Faces(source), Pool(D6, (1,) * 6, 2, FACES, 2)
    for _ in range(50):
        assert dice.draw(TWO) == (sum(dice.last),)
        assert dice.last == same.draw(faces)


def test_rolls_of_which_the_rules_see_the_faces_are_left_alone():
    for pool in (Pool(D6, (1,) * 6, 2, FACES, 2), Pool(D6, (1,) * 6, 1, SUM, 1), Pool(D6, (1,) * 6, 25, SUM, 1)):
        dice = Faces(Stream(1, 0))
        assert (dice.draw(pool), dice.last) == (Stream(1, 0).draw(pool), ())


def test_faces_are_as_likely_as_the_dice_make_them():
    pool, chance = Pool(Die.of(1, 2, 2, 4, 4, 4), (1, 2, 3), 3, SUM, 1), Random(SEED)
    weights: Counter[tuple[int, ...]] = Counter()
    for rolled in product((1, 2, 2, 4, 4, 4), repeat=3):
        if sum(rolled) == 7:
            weights[rolled] += 1
    picked = Counter(faces_of_total(pool, 7, chance) for _ in range(6000))
    assert not distribution_differs(picked, {faces: n / weights.total() for faces, n in weights.items()})
