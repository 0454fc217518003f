"""R's random numbers and Python's as sources of throws: known values, and R's C code written down again."""

from __future__ import annotations

import random
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicelab.errors import ParameterError
from dicelab.games.lcr import LCR
from dicelab.games.tossup import TossUp
from dicelab.limits import LIMITS
from dicelab.rules import COUNTS, D6, FACES, SUM, Die, Param
from dicelab.runtime import r_generator
from dicelab.runtime.foreign_streams import PythonDice, RDice, source_of
from dicelab.runtime.philox import Pool, pool
from dicelab.runtime.r_generator import LARGEST_SEED, RStream, thresholds

BLOCK = LIMITS.r_words

TOSS = (1 / 6, 2 / 6, 3 / 6)


# R's algorithms, written down from its C code (RNG.c, random.c, sort.c), for comparison -------------------------------


class OfR:
    """``unif_rand`` after ``set.seed``: the state is filled as in RNG.c, the twister is the one of Python."""

    def __init__(self, seed):
        seed %= 2**32
        for _ in range(50):
            seed = (69069 * seed + 1) % 2**32
        words = []
        for _ in range(625):
            seed = (69069 * seed + 1) % 2**32
            words.append(seed)
        self.twister = random.Random()
        self.twister.setstate((3, (*words[1:], 624), None))  # the first word is replaced by the place, 624

    def unif_rand(self):
        value = self.twister.getrandbits(32) * 2.3283064365386963e-10
        return value if value > 0 else 0.5 * 2.328306437080797e-10

    def unif_index(self, dn):
        bits = ceil(log2(dn))
        while True:
            v, n = 0, 0
            while n <= bits:
                v = 65536 * v + int(self.unif_rand() * 65536)
                n += 16
            v %= 2**bits
            if v < dn:
                return v

    def sample_with_prob(self, prob, size):
        total = 0.0
        for weight in prob:
            total += weight
        p, perm = [weight / total for weight in prob], list(range(len(prob)))
        revsort(p, perm)
        for i in range(1, len(p)):
            p[i] += p[i - 1]
        drawn = []
        for _ in range(size):
            u, j = self.unif_rand(), 0
            while j < len(p) - 1 and u > p[j]:
                j += 1
            drawn.append(perm[j])
        return drawn


def revsort(values, labels):
    """Falling heap sort in place, labels alongside, as in R's sort.c: numbered from 1, one loop for both phases."""
    a, ib, n = [None, *values], [None, *labels], len(values)
    if n <= 1:
        return
    left, right = (n >> 1) + 1, n
    while True:
        if left > 1:
            left -= 1
            ra, ii = a[left], ib[left]
        else:
            ra, ii = a[right], ib[right]
            a[right], ib[right] = a[1], ib[1]
            right -= 1
            if right == 1:
                a[1], ib[1] = ra, ii
                break
        i, j = left, left << 1
        while j <= right:
            if j < right and a[j] > a[j + 1]:
                j += 1
            if ra > a[j]:
                a[i], ib[i] = a[j], ib[j]
                i = j
                j += i
            else:
                j = right + 1
        a[i], ib[i] = ra, ii
    values[:], labels[:] = a[1:], ib[1:]


# set.seed and runif ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "known"),
    [
        (1, [0.2655087, 0.3721239, 0.5728534]),
        (42, [0.9148060, 0.9370754, 0.2861395]),
        (123, [0.2875775, 0.7883051, 0.4089769]),
    ],
)
def test_runif_known_values(seed, known):
    stream = RStream(seed)
    assert [round(stream.uniform(), 7) for _ in known] == known


@pytest.mark.parametrize("seed", [0, 1, -1, 20_000, -987_654_321, LARGEST_SEED, -LARGEST_SEED])
def test_every_seed_fills_the_state_as_r_does(seed):
    ours, theirs = RStream(seed), OfR(seed)
    assert [ours.uniform() for _ in range(700)] == [theirs.unif_rand() for _ in range(700)]


def test_a_negative_seed_is_another_seed():
    assert RStream(-1).uniform() != RStream(1).uniform()
    assert RStream(-1).uniform() == RStream(-1).uniform()


@pytest.mark.parametrize("seed", [2**31, -(2**31), 2**32 + 1, 10**30])
def test_seeds_that_r_does_not_take_are_refused(seed):
    with pytest.raises(ParameterError, match=f"seed {seed} is not allowed; R's seeds"):
        RStream(seed)


def test_numbers_are_never_0_nor_1(monkeypatch):
    """A word of zeros is R's smallest number, a word of ones stays below 1."""
    stream = RStream(1)

    class Bits:
        def random_raw(self, count):
            return r_generator.np.array([0, 1, 2**32 - 1] * count, "uint64")[:count]

    monkeypatch.setattr(stream, "_bits", Bits())
    for _ in range(BLOCK):
        stream.uniform()
    zero, one, ones = (stream.uniform() for _ in range(3))
    assert 0 < zero < one < ones < 1
    assert zero == 0.5 * 2.328306437080797e-10


def test_the_stream_goes_on_across_blocks():
    ours, theirs = RStream(3), OfR(3)
    assert [ours.uniform() for _ in range(2 * BLOCK + 5)] == [theirs.unif_rand() for _ in range(2 * BLOCK + 5)]


# sample without prob --------------------------------------------------------------------------------------------------


def test_sample_of_equal_faces_known_values():
    stream = RStream(1)
    assert [1 + stream.index(6) for _ in range(10)] == [1, 4, 1, 2, 5, 3, 6, 2, 3, 3]


@pytest.mark.parametrize(
    ("seed", "known"),
    [
        (1, [9, 4, 7, 1, 2, 5, 3, 10, 6, 8]),
        (42, [1, 5, 10, 8, 2, 4, 6, 9, 7, 3]),
        (123, [3, 10, 2, 8, 6, 9, 1, 7, 5, 4]),
    ],
)
def test_a_permutation_known_values(seed, known):
    """``sample(1:10)``: one of those left is drawn, and the last of them takes its place."""
    stream, left, drawn = RStream(seed), list(range(1, 11)), []
    while left:
        at = stream.index(len(left))
        drawn.append(left[at])
        left[at] = left[-1]
        left.pop()
    assert drawn == known


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 36, 1000, 2**16 - 1, 2**16, 2**16 + 1, 2**20, 10**9])
def test_an_index_takes_as_many_numbers_as_in_r(count):
    """65,536 faces need 16 bits, for which R takes two numbers; a single face costs a number, too."""
    ours, theirs = RStream(8), OfR(8)
    drawn = [ours.index(count) for _ in range(50)]
    assert drawn == [theirs.unif_index(count) for _ in range(50)]
    assert all(0 <= value < count for value in drawn)
    assert ours.uniform() == theirs.unif_rand()


# sample with prob -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prob",
    [TOSS, (0.5, 0.0, 0.5), (1, 1, 1), (1, 1, 1, 3), (3,), (2, 2), (0, 0, 7), (5, 1, 5, 1, 5, 1), (0.1,) * 10],
)
def test_sample_with_prob_is_that_of_r(prob):
    assert RStream(7).sample(prob, 300) == OfR(7).sample_with_prob(prob, 300)


def test_a_number_that_is_just_the_chance_means_the_likelier_face():
    """R compares by ``rU <= p[j]``."""
    first = RStream(42).uniform()
    assert first > 0.5
    assert RStream(42).sample((first, 1 - first), 1) == [0]
    assert RStream(42).sample((1 - first, first), 1) == [1]


def test_a_face_without_weight_is_never_drawn():
    assert set(RStream(1).sample((0.5, 0.0, 0.5), 5000)) == {0, 2}
    assert set(RStream(1).sample((0, 4, 0), 1000)) == {1}


@pytest.mark.slow
@given(st.lists(st.integers(0, 4), min_size=1, max_size=200).filter(any))
def test_equal_weights_are_left_in_the_order_of_the_heap_sort(weights):
    order, sums = thresholds(weights)
    p, labels = [weight / sum(weights) for weight in weights], list(range(len(weights)))
    revsort(p, labels)
    assert order == labels
    running = 0.0
    for value, reached in zip(p, sums, strict=False):
        running += value
        assert reached == running
    assert len(sums) == len(weights) - 1


def test_the_order_of_equal_weights_is_neither_theirs_nor_the_reverse():
    """That is why the heap sort matters; worked by hand: three equal values are rotated."""
    assert thresholds([1, 1, 1])[0] == [1, 2, 0]


@pytest.mark.parametrize(
    "sizes",
    [(BLOCK + 1,), (BLOCK, 1), (BLOCK - 1, 2), (1, BLOCK, 3), (20_000,), (0, BLOCK, 0, 5), (3 * BLOCK,), (10,) * 820],
)
def test_samples_across_blocks_are_those_drawn_one_by_one(sizes):
    at_once, one_by_one = RStream(5), RStream(5)
    drawn = [face for size in sizes for face in at_once.sample(TOSS, size)]
    assert [len(drawn)] == [sum(sizes)]
    assert drawn == [one_by_one.sample(TOSS, 1)[0] for _ in range(sum(sizes))]
    assert at_once.uniform() == one_by_one.uniform()


@given(st.lists(st.tuples(st.sampled_from(["toss", "coin", "index", "uniform"]), st.integers(0, 60)), max_size=12))
def test_all_kinds_of_draws_share_one_stream(draws):
    ours, theirs = RStream(11), OfR(11)
    for _ in range(BLOCK - 40):  # so that most of these cross the end of a block
        assert ours.uniform() == theirs.unif_rand()
    for kind, size in draws:
        if kind == "index":
            assert [ours.index(6) for _ in range(size)] == [theirs.unif_index(6) for _ in range(size)]
        elif kind == "uniform":
            assert [ours.uniform() for _ in range(size)] == [theirs.unif_rand() for _ in range(size)]
        else:
            prob = TOSS if kind == "toss" else (0.5, 0.0, 0.5)
            assert ours.sample(prob, size) == theirs.sample_with_prob(prob, size)


@pytest.mark.parametrize("prob", [(), (0,), (0.0, 0.0), (-1, 2), (float("nan"), 1), (1, float("inf")), (1,) * 201])
def test_weights_that_make_no_die_are_refused(prob):
    with pytest.raises(ParameterError, match=r"weigh|may have at most"):
        RStream(1).sample(prob, 3)


def test_what_is_refused_uses_up_no_numbers():
    stream = RStream(1)
    with pytest.raises(ParameterError):
        stream.sample((-1, 2), 3)
    assert round(stream.uniform(), 7) == 0.2655087


def test_a_die_may_have_200_faces():
    assert RStream(2).sample(range(200), 50) == OfR(2).sample_with_prob(list(range(200)), 50)


def test_a_very_large_sample(limits):
    """With the real block of 8,192 this is a cup of ten million dice, which also takes time quadratic in its size."""
    limits(r_words=16)
    assert RStream(1).sample(TOSS, 20_000) == OfR(1).sample_with_prob(TOSS, 20_000)


def test_a_sample_of_a_negative_size():
    with pytest.raises(ParameterError):
        RStream(1).sample(TOSS, -5)


# Sources --------------------------------------------------------------------------------------------------------------

LUMPY = Die.of(2, 2, 4, 4, 9, 9)  # three faces, each declared with weight 2
LOADED = Die(one=1, two=2, three=3)


@pytest.mark.cases("text", ["", "python", "python:", "r:", ":1", "5", "R:1", "Python:1", "julia:1", "python:1.5"])
@pytest.mark.cases("more", ["", "x"])
def test_what_is_no_stream_is_refused(text, more):
    with pytest.raises(ParameterError, match="write python:5 or r:1"):
        source_of(text + more)


@pytest.mark.parametrize("text", ["r:1:2", "python:five", "r: ", "r:nan", "r:inf", "python:-", "python=5", "r:--1"])
def test_neither_are_these(text):
    with pytest.raises(ParameterError, match="stream: "):
        source_of(text)


@pytest.mark.parametrize("text", ["r:2147483648", "r:-2147483648", "r:1e12"])
def test_r_has_fewer_seeds_than_python(text):
    with pytest.raises(ParameterError, match="R's seeds are"):
        source_of(text)
    assert str(source_of(text.replace("r", "python"))).startswith("stream python:")


@pytest.mark.parametrize("text", ["python:5", "r:1", "r:-7", "python:-7", "python:0", "r:0"])
def test_a_stream_is_told_as_it_is_written(text):
    assert str(source_of(text)) == f"stream {text}"


SEEN = {
    SUM: lambda die, faces, width: (sum(die.faces[face].value for face in faces),),
    COUNTS: lambda die, faces, width: tuple(faces.count(face) for face in range(len(die.faces))),
    FACES: lambda die, faces, width: (*(die.faces[face].value for face in faces), *[0] * (width - len(faces))),
}


@pytest.mark.cases("view", [SUM, COUNTS, FACES], ids=lambda view: view.value)
@pytest.mark.cases("die", [D6, LUMPY, LOADED], ids=["d6", "lumpy", "loaded"])
@pytest.mark.cases("count", [1, 2, 5])
def test_dice_are_thrown_as_python_throws_them(view, die, count):
    weights = tuple(face.weight for face in die.faces)
    width = {SUM: 1, COUNTS: len(weights), FACES: 6}[view]
    dice, generator = PythonDice(2024), random.Random(2024)
    for _ in range(100):
        if die is LOADED:
            faces = generator.choices(range(3), weights, k=count)
        else:
            faces = [generator.randint(1, len(weights)) - 1 for _ in range(count)]
        assert dice.draw(Pool(die, weights, count, view, width)) == SEEN[view](die, faces, width)


@pytest.mark.cases("view", [SUM, COUNTS, FACES], ids=lambda view: view.value)
@pytest.mark.cases("die", [D6, LUMPY, LOADED], ids=["d6", "lumpy", "loaded"])
@pytest.mark.cases("count", [1, 2, 5])
def test_dice_are_thrown_as_r_throws_them(view, die, count):
    weights = tuple(face.weight for face in die.faces)
    width = {SUM: 1, COUNTS: len(weights), FACES: 6}[view]
    dice, theirs = RDice(2024), OfR(2024)
    for _ in range(100):
        if die is LOADED:
            faces = theirs.sample_with_prob(weights, count)
        else:
            faces = [theirs.unif_index(len(weights)) for _ in range(count)]
        assert dice.draw(Pool(die, weights, count, view, width)) == SEEN[view](die, faces, width)


@pytest.mark.parametrize("weights", [(1, 2, 3), (1, 1, 1), (4, 0, 4)])
def test_a_die_declared_with_parameters_has_weights_whatever_their_values(weights):
    game = TossUp(**dict(zip(("red", "yellow", "green"), weights, strict=True)))
    cup = pool(game, game.declared.throws[0], 10)
    ours, generator = PythonDice(6), random.Random(6)
    for _ in range(50):
        faces = generator.choices(range(3), weights, k=10)
        assert ours.draw(cup) == tuple(faces.count(face) for face in range(3))
    ours, theirs = RDice(6), OfR(6)
    for _ in range(50):
        faces = theirs.sample_with_prob(weights, 10)
        assert ours.draw(cup) == tuple(faces.count(face) for face in range(3))


def test_so_has_a_die_whose_faces_share_a_parameter():
    weight = Param(2, 1, 9, "weight of each face")
    die, generator, theirs = Die(a=weight, b=weight, c=weight), random.Random(6), OfR(6)
    ours = [PythonDice(6).draw(Pool(die, (2, 2, 2), 20, FACES, 20)), RDice(6).draw(Pool(die, (2, 2, 2), 20, FACES, 20))]
    assert ours[0] == tuple(generator.choices(range(3), (2, 2, 2), k=20))
    assert ours[1] == tuple(theirs.sample_with_prob((2, 2, 2), 20))


def test_different_weights_are_weights():
    game = LCR()
    dice = pool(game, game.declared.throws[0], 3)
    generator = random.Random(1)
    faces = generator.choices(range(4), (1, 1, 1, 3), k=3)
    assert PythonDice(1).draw(dice) == tuple(faces.count(face) for face in range(4))


def test_a_source_leaves_the_random_numbers_of_others_alone():
    random.seed(1)
    before = random.getstate()
    PythonDice(5).draw(Pool(D6, (1,) * 6, 2, SUM, 1))
    assert random.getstate() == before
