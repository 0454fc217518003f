"""The random stream: Philox against its published vectors, numbers below a weight, and the words of a throw."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from dicelab.compile.kernels import core as jit
from dicelab.errors import RulesError
from dicelab.rules import COUNTS, D6, FACES, SUM
from dicelab.rules.dice import Die
from dicelab.runtime import philox as stream
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.philox import Pool, Stream, below, philox, pool, word
from support import GAMES


def called(function):
    """A function that only compiled code calls, for a test to call."""
    return njit(lambda *arguments: function(*arguments))


compiled_below = called(jit.below)
compiled_place = called(jit.place)
ALL_ONES = 0xFFFFFFFF
# kat_vectors of Random123 1.09 (D. E. Shaw Research), lines "philox4x32 10"
KNOWN = [
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((ALL_ONES,) * 4, (ALL_ONES,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_philox_known_answers(counter: tuple[int, int, int, int], key: tuple[int, int], words: str) -> None:
    assert " ".join(f"{w:08x}" for w in philox(counter, key)) == words


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_compiled_philox_known_answers(counter: tuple[int, int, int, int], key: tuple[int, int], words: str) -> None:
    made = called(jit.philox)(*(np.uint64(v) for v in (*key, *counter)))
    assert " ".join(f"{int(w) & ALL_ONES:08x}" for w in made) == words


@pytest.mark.quick_cases("4294967295")
@pytest.mark.parametrize("game", [0, 1, 2**32 - 1, 2**32, 2**40 + 5])
def test_compiled_words_are_those_of_the_definition(game: int) -> None:
    seed, key = 2**63 + 12345, (np.uint64((2**63 + 12345) & ALL_ONES), np.uint64(2**31))
    some = np.zeros(4 * jit.GAMES, np.uint32)
    called(jit.some_words)(some, *key, game, 3, jit.BLOCKS, 0, 1)
    assert [int(some[(t & 3) * jit.GAMES + (t >> 2) - 3]) for t in range(12, 76)] == [
        word(seed, game, t, 0) for t in range(12, 76)
    ]
    first = np.zeros(4 * jit.GAMES, np.uint32)
    called(jit.some_words)(first, *key, game, 1, jit.GAMES, 1, 0)
    assert [int(first[w * jit.GAMES + i]) for i in range(64) for w in range(4)] == [
        word(seed, game + i, 4 + w, 0) for i in range(64) for w in range(4)
    ]
    assert int(called(jit.one_word)(*key, game, 7, 9)) == word(seed, game, 7, 9)


def test_below_rejects_what_would_be_biased() -> None:
    """2**32 mod 6 = 4: of all words only four multiples of 2**32/6, rounded up, are rejected."""
    tried: list[int] = []

    def words(lane: int) -> int:
        tried.append(lane)
        return {0: 0, 2: 0x2AAAAAAB, 4: 0x80000001}[lane]

    assert 0x2AAAAAAB * 6 % 2**32 == 2  # as 0 * 6, below 4
    assert below(6, words) == 3
    assert tried == [0, 2, 4]


def test_below_takes_two_words_above_28_bits() -> None:
    asked: list[int] = []

    def words(lane: int) -> int:
        asked.append(lane)
        return {0: 0, 1: 0, 2: 0xC0000000, 3: 7}[lane]

    weight = 3**20  # 2**64 mod 3**20 > 0, so that the number 0 is rejected
    assert below(weight, words) == (0xC0000000 << 32 | 7) * weight >> 64
    assert asked == [0, 1, 2, 3]


def test_below_is_uniform_where_rejection_is_common() -> None:
    """A small copy of the same arithmetic: with 8-bit words and weight 100 every number has exactly 2 words."""
    bits, weight = 8, 100
    kept = [drawn * weight >> bits for drawn in range(2**bits) if drawn * weight % 2**bits >= 2**bits % weight]
    assert [kept.count(u) for u in range(weight)] == [2] * weight


@pytest.mark.parametrize("weight", [3, 36, 60_466_176, 260_301_048, 2**28, 6**12, 3**35, 2**56 - 5])
def test_compiled_below_is_that_of_the_definition(weight: int) -> None:
    for t in range(300):
        compiled = compiled_below(np.uint64(5), np.uint64(0), 77, t, np.uint64(weight), 0)
        assert int(compiled) == below(weight, lambda lane, t=t: word(5, 77, t, lane))  # type: ignore[misc]


def test_retries_use_lanes_of_their_own_so_that_throws_do_not_depend_on_each_other() -> None:
    dice = Pool(Die(a=1, b=260_301_047), (1, 260_301_047), 1, COUNTS, 2)
    in_order = Stream(3, 9)
    drawn = [in_order.draw(dice) for _ in range(50)]
    assert [Stream(3, 9, throws=t).draw(dice) for t in range(50)] == drawn


@pytest.mark.parametrize(
    ("dice", "view", "whole"),
    [(10, COUNTS, True), (20, COUNTS, True), (21, COUNTS, False), (6, FACES, True), (7, FACES, False)],
)
def test_what_is_drawn_whole(dice: int, view: stream.View, whole: bool) -> None:
    assert Pool(D6, (1,) * 6, dice, view, max(6, dice)).whole is whole


def test_drawn_whole_and_one_by_one_see_lawful_dice() -> None:
    for dice in (5, 30):
        seen = Stream(1, 0).draw(Pool(D6, (1,) * 6, dice, COUNTS, 6))
        assert sum(seen) == dice
        faces = Stream(1, 0).draw(Pool(D6, (1,) * 6, dice, FACES, 32))
        assert all(1 <= face <= 6 for face in faces[:dice])
        assert faces[dice:] == (0,) * (32 - dice)


def test_a_throw_of_too_many_dice_is_refused() -> None:
    game = GAMES["hazard"]()
    with pytest.raises(RulesError, match="at most 2 dice, but 3"):
        pool(game, game.declared.throws[0], 3)


@pytest.mark.parametrize("name", ["lcr", "tossup", "many-dice"])
def test_tables_find_the_outcome_of_every_boundary(name: str) -> None:
    """The guide never changes what the running sums say: checked just below and at every sum, and at guide edges."""
    game = GAMES[name]()
    made = tables(game)
    for kind in game.declared.throws:
        first, most, _ = (int(v) for v in made.kinds[kind.index])
        for dice in range(1, most + 1):
            drawn, row = pool(game, kind, dice), first + dice
            if not drawn.whole:
                continue
            sums = np.cumsum([o.weight for o in drawn.outcomes])
            edges = {0, drawn.weight - 1, *(int(s) - 1 for s in sums), *(int(s) for s in sums[:-1])}
            edges |= set(range(0, drawn.weight, 1 << int(made.pools[4 * row + 2])))
            for u in sorted(edges):
                at = int(compiled_place(np.uint64(u), row, made.width, made.pools, made.guide, made.sums))
                expected = drawn.outcomes[int(np.searchsorted(sums, u, side="right"))].seen
                assert tuple(made.values[at : at + len(expected)].tolist()) == expected


def test_sum_counts_and_faces_are_told_apart() -> None:
    for view, seen in ((SUM, 1), (COUNTS, 6), (FACES, 2)):
        assert len(Stream(1, 1).draw(Pool(D6, (1,) * 6, 2, view, seen))) == seen
