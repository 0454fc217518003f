"""What stops an enumeration, said alike by plain Python and compiled; and how positions are packed."""

from __future__ import annotations

import re
from collections import Counter
from enum import IntEnum
from fractions import Fraction

import numpy as np
import pytest

import dicelab
from dicelab.errors import (
    EndlessGameError,
    IllegalMoveError,
    ParameterError,
    PlayError,
    RangeError,
    RulesError,
    TooLarge,
)
from dicelab.rules import (
    D6,
    FACES,
    OVER,
    SUM,
    Flag,
    Game,
    Int,
    Ints,
    Memory,
    Param,
    Peak,
    Tally,
    ask,
    chosen,
    d,
    strategy,
    throw,
    thrown,
)
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Place, Slots
from dicelab.solver.enumeration import graph as enumeration
from dicelab.solver.enumeration.enumerate_python import Walk
from dicelab.solver.enumeration.expansion import Expansion
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.enumeration.model import machine_memory, moves_of, rough
from dicelab.solver.solution import runs
from dicelab.solver.solution.ordering import components, ordered
from support import SetLimits, run_of

NOTHING, RANGE, ROW, ILLEGAL, OUTSIDE, LOOP, OUTCOME, STUCK, INDEX, DICE, DIVIDE, FORGETS = range(12)


class Say(IntEnum):
    STOP = 0
    AGAIN = 1


class Trouble(Game):
    """A six must be thrown three times in a row; then something goes wrong."""

    name = "trouble"
    source = "made for the tests"
    outcomes = ("over", "never")

    kind = Param(0, 0, 11, "what goes wrong")

    sixes = Int(0, 3, "sixes in a row")
    pair = Ints(2, -1, 5, "any numbers")
    asking = Flag("seat 0 is asked")
    done = Flag("it is over")

    throws = Tally("throws")

    def next(self) -> int:
        if self.done:
            return OVER
        if self.asking:
            return ask(self.say, 0)
        if self.kind == DICE and self.sixes == 3:
            return throw(self.die, 2)
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.throws += 1
        if self.sixes == 3:
            return
        self.sixes = self.sixes + 1 if face == 6 else 0
        if self.sixes < 3 or self.kind == DICE or self.kind == STUCK:
            return
        if self.kind == RANGE:
            self.sixes = 4
        elif self.kind == ROW:
            self.pair[1] = 6
        elif self.kind == INDEX:
            self.pair[self.sixes] = 1
        elif self.kind == DIVIDE:
            self.pair[0] = 3 // (self.sixes - 3)
        elif ILLEGAL <= self.kind <= LOOP or self.kind == FORGETS:
            self.asking = True
        else:
            self.done = True

    def allowed(self, say: int) -> bool:
        return say == Say.STOP or self.kind != ILLEGAL

    @chosen(Say, legal=allowed)
    def say(self, say: int) -> None:
        if say == Say.STOP:
            self.done = True

    def outcome(self) -> int:
        return 2 if self.kind == OUTCOME else 0


class Count(Memory):
    asked = Int(0, 3, "times asked")


@strategy(Trouble, memory=Count)
def stubborn(game: Trouble, mine: Count) -> int:
    """Never stop."""
    if game.kind == FORGETS:
        mine.asked += 1
    if game.kind == OUTSIDE:
        return 2
    return Say.STOP if game.kind == NOTHING else Say.AGAIN


WRONG = {
    RANGE: (RangeError, "sixes = 4 is outside its declared range 0 to 3"),
    ROW: (RangeError, "pair = 6 is outside its declared range -1 to 5"),
    ILLEGAL: (IllegalMoveError, "seat 0 (counted from 0) chose 1 in say, which is not allowed"),
    OUTSIDE: (IllegalMoveError, "seat 0 (counted from 0) chose 2 in say, which is not allowed"),
    LOOP: (EndlessGameError, "1,000 choices without a throw"),
    OUTCOME: (PlayError, "outcome() returned 2; it must be 0 to 1"),
    INDEX: (RangeError, "pair[3]: the index must be 0 to 1"),
    DICE: (PlayError, "die"),
    DIVIDE: (PlayError, "ZeroDivisionError"),
    FORGETS: (RangeError, "asked = 4 is outside its declared range 0 to 3"),
}


@pytest.fixture
def impatient(limits):
    limits(steps=1000)


def trouble(kind):
    return Run.of(Trouble, (), kind=kind)


@pytest.mark.slow_cases("1", "2", "3", "4")
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", WRONG)
def test_what_goes_wrong_at_a_position_that_is_rarely_met_is_told_with_the_state(kind):
    error, words = WRONG[kind]
    with pytest.raises(error) as slow:
        Walk(trouble(kind)).graph()
    with pytest.raises(error) as fast:
        Expansion(trouble(kind)).graph(1 << 30, lambda found, expanded: None)
    assert str(slow.value) == str(fast.value)
    assert str(slow.value).startswith(("trouble: ", f"{__file__}, line "))
    assert words in str(slow.value)
    assert re.search(r"state \{'sixes': [234]", str(slow.value))  # ranges are checked when a rule ends


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", WRONG)
def test_no_answer_is_given_where_a_rule_breaks(kind):
    with pytest.raises(WRONG[kind][0]):
        dicelab.exact(Trouble, kind=kind)


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_game_that_never_ends_from_some_position_is_refused_naming_one(engine, limits):
    limits(run_edges=0)
    limits(run_length=0)
    graph = graph_of(trouble(STUCK), engine=engine)
    assert graph.states == 4
    for order in (ordered, lambda graph: runs.HalfSteps.of(graph, *components(graph.row, graph.target))):
        with pytest.raises(EndlessGameError, match=r"trouble: .*never ends.* sixes 3, asking 0, done 0, pair\[0\] 0"):
            order(graph)


def test_what_does_not_go_wrong_is_solved():
    """Three sixes in a row take 6 + 36 + 216 throws."""
    assert dicelab.exact(Trouble).tallies["throws"].fraction == 258


# Size -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("memory", "engine"), [(20_000, "reference"), (1 << 20, "compiled"), (1 << 20, "auto")])
def test_a_chain_that_does_not_fit_is_refused_with_what_is_known_of_its_size(memory, engine):
    run = run_of("tossup", ("one_roll",))
    with pytest.raises(TooLarge) as refused:
        graph_of(run, memory=memory, engine=engine)
    said = str(refused.value)
    assert "tossup: the chain does not fit into" in said
    assert "states found so far" in said
    assert "of them expanded" in said
    assert f"the declared ranges allow {rough(Slots.of(run.game, run.calls).positions)}" in said
    assert "smaller parameters" in said


def test_the_same_through_the_front_door():
    with pytest.raises(TooLarge, match=r"found so far"):
        dicelab.exact("tossup", "one_roll", memory=np.int64(20_000))


class HeadStart(Game):
    """Its beginning adds to what stands and to what is counted."""

    outcomes = ("done",)

    left = Int(0, 10, start=2)
    throws = Tally("throws, ten for nothing")

    def start(self):
        self.left += 1
        self.throws += 10

    def next(self):
        return throw(self.toss) if self.left > 0 else OVER

    @thrown(1, d(2))
    def toss(self, value):
        self.left -= 1
        self.throws += 1

    def outcome(self):
        return 0


@pytest.mark.slow
def test_the_beginning_of_a_game_is_begun_once():
    assert dicelab.exact(HeadStart).tallies["throws"].mean == 13
    for engine in ("table", "compiled", "reference"):
        assert dicelab.simulate(HeadStart, games=5, engine=engine).tallies["throws"].mean == 13


@pytest.mark.parametrize("memory", [0, -1, 1.5, True, "lots"])
def test_memory_is_a_whole_number_of_bytes(memory):
    with pytest.raises(ParameterError, match="memory"):
        dicelab.exact("hazard", memory=memory)


def test_a_chain_that_fits_is_solved():
    assert dicelab.exact("hazard", memory=1 << 16).states == 7


def test_the_memory_of_the_machine_is_known():
    assert machine_memory() > 1 << 28


class Handful(Game):
    """A throw of dice with very many faces, each seen."""

    name = "handful"
    source = "made for the tests"

    dice = Param(1, 1, 2, "dice")
    done = Flag("thrown")
    best = Tally("the best die")

    def next(self) -> int:
        return OVER if self.done else throw(self.all)

    @thrown(dice, d(1100), FACES)
    def all(self, *faces: int) -> None:
        self.done = True
        self.best += max(faces)


@pytest.mark.slow
def test_a_throw_of_too_many_outcomes_is_refused():
    assert dicelab.exact(Handful).tallies["best"].fraction == Fraction(1101, 2)
    words = r"handful: all of 2 dice may have 1,210,000 outcomes.*SUM or COUNTS"
    for engine in ("reference", "compiled", "auto"):
        with pytest.raises(TooLarge, match=words):
            graph_of(Run.of(Handful, (), dice=2), engine=engine)


@pytest.mark.parametrize(("branches", "compiled"), [(10**6, False), (100, True)])
def test_the_number_of_branches_decides_where_plain_python_stops(
    branches: int, compiled: bool, monkeypatch: pytest.MonkeyPatch, limits: SetLimits
):
    """Nothing else does: neither time, nor what other processes have compiled."""
    begun = []
    limits(plain_branches=branches, warm_branches=branches)
    monkeypatch.setattr(enumeration, "Expansion", lambda *given: begun.append(given) or Expansion(*given))
    assert graph_of(run_of("lcr", players=3)).states == 468
    assert bool(begun) == compiled


class Pick(Game):
    """Pick a number."""

    name = "pick"
    source = "made for the tests"

    most = Param(3, 1, 10**9, "largest number")
    done = Flag("thrown")
    picked = Flag("picked")

    throws = Tally("throws")

    def next(self) -> int:
        if self.done:
            return OVER
        return throw(self.die) if self.picked else ask(self.pick, 0)

    @chosen((0, most), (0, most))
    def pick(self, one: int, two: int) -> None:
        self.picked = True

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.done = True


@strategy(Pick)
def nothing(game: Pick) -> tuple[int, int]:
    """Pick nothing."""
    return 0, 0


def test_moves_are_listed_in_rising_order_up_to_a_limit():
    assert moves_of(Pick.declared.decisions[0], Pick(most=1)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    with pytest.raises(TooLarge, match="pick: pick has 1,000,002,000,001 moves"):
        moves_of(Pick.declared.decisions[0], Pick(most=10**6))
    with pytest.raises(TooLarge, match="pick has 1,000,002,000,001 moves"):
        graph_of(Run.of(Pick, (), most=10**6), free=(0,))
    assert graph_of(Run.of(Pick, (), most=2), free=(0,)).row.tolist() == [0, 9, 10]


@pytest.mark.slow
def test_weights_too_large_for_whole_numbers_are_floats():
    """To 1 point with one roll a turn, whoever first shows a green wins: the first with chance 1 / (2 - p)."""
    given = {"dice": 30, "red": 1000, "yellow": 1000, "green": 1, "target": 1}
    p = 1 - (2000 / 2001) ** 30
    for engine in ("reference", "compiled"):
        graph = graph_of(run_of("tossup", ("one_roll",), **given), engine=engine)
        assert graph.weight.dtype == graph.total.dtype == np.float64
        assert not graph.exact_weights
        assert graph.total.tolist() == [2001.0**30] * len(graph.weight)
    result = dicelab.exact("tossup", "one_roll", **given)
    assert not result.fractions
    assert 0 < result.error < 1e-7
    assert abs(result.outcomes["0"].probability - 1 / (2 - p)) <= result.error
    assert result.tallies["turns"].mean == pytest.approx(1 / p, rel=1e-11)
    with pytest.raises(ParameterError, match="tossup: the weights of these dice are too large for fractions"):
        dicelab.exact("tossup", "one_roll", fractions=True, **given)


class Few(Game):
    """Two of many dice are thrown."""

    name = "few"
    source = "made for the tests"
    outcomes = ("even", "odd")

    last = Int(0, 12, "total of the last throw")

    def next(self) -> int:
        return throw(self.dice, 2) if self.last < 7 else OVER

    @thrown(25, D6, SUM)
    def dice(self, total: int) -> None:
        self.last = total

    def outcome(self) -> int:
        return self.last % 2


@pytest.mark.slow
def test_dice_that_are_never_thrown_and_tallies_that_are_never_declared():
    """25 dice would have weights too large for whole numbers; a game need not count anything."""
    slow, fast = (graph_of(Run.of(Few), engine=engine) for engine in ("reference", "compiled"))
    for key in ("keys", "row", "target", "weight", "total", "change", "changes", "mover"):
        assert np.array_equal(getattr(slow, key), getattr(fast, key)), key
        assert getattr(slow, key).dtype == getattr(fast, key).dtype, key
    assert slow.changes.shape == (1, 0)
    for fractions in (None, False):
        result = dicelab.exact(Few, fractions=fractions)
        assert result.tallies == {}
        assert result.outcomes["odd"].probability == pytest.approx(12 / 21)


# Progress and interruption --------------------------------------------------------------------------------------------


@pytest.mark.slow_cases("None")
@pytest.mark.parametrize("memory", [None, 1 << 28])
def test_progress_is_told_while_positions_are_found(memory):
    told = []
    dicelab.exact("lcr", players=4, memory=memory, progress=lambda found, expanded: told.append((found, expanded)))
    assert told[0][1] == 0
    assert all(0 <= expanded <= max(1, found) for found, expanded in told)
    assert told[-1] == (1353, 1353)


@pytest.mark.slow
def test_the_share_of_the_expected_states_is_told_once_there_is_an_estimate(limits):
    limits(watched=30_000, counted=20_000)
    calls = []
    dicelab.exact(
        "lcr",
        players=6,
        fractions=False,
        progress=lambda found, expanded: calls.append((found, expanded)),
        share=lambda done: calls.append(done),
    )
    end = calls.index((100_929, 100_929))
    finding, solving = ([x for x in part if isinstance(x, float)] for part in (calls[:end], calls[end:]))
    assert len(finding) > 10
    assert finding == sorted(finding)
    assert 0.3 < finding[-1] < 1.0  # an estimate is wrong by a factor of 3 at most
    assert len(solving) > 3
    assert solving == sorted(solving)
    assert solving[-1] == 1.0


def test_solving_tells_its_share_from_part_to_part(limits):
    limits(part=100)
    shares = []
    best = dicelab.solve("tossup", target=10, share=shares.append)
    limits(part=10**9)
    assert len(shares) > 10
    assert shares == sorted(shares)
    assert (shares[0], 0.8 < shares[-1] < 1.0) == (0.0, True)
    assert dicelab.solve("tossup", target=10).value == best.value


# Packing --------------------------------------------------------------------------------------------------------------


class Wide(Game):
    """Numbers of many sizes."""

    name = "wide"
    source = "made for the tests"

    fixed = Int(7, 7, "always the same")
    low = Int(-(2**31), 2**31 - 1, "a number of 32 bits")
    yes = Flag("a flag")
    high = Int(0, 2**62, "a number of 63 bits")
    row = Ints(5, -3, 2**20, "five numbers")
    two = Int(0, 3, "two bits, one too many for the word before")

    def next(self) -> int:
        return OVER


def test_each_number_has_its_bits_in_one_word():
    game = Wide()
    slots = Slots.of(game, ())
    assert slots.names == ("fixed", "low", "yes", "high", "two", "row[0]", "row[1]", "row[2]", "row[3]", "row[4]")
    used = set()
    for span, word, shift in zip(slots.span.tolist(), slots.word.tolist(), slots.shift.tolist(), strict=True):
        bits = {(word, shift + bit) for bit in range(span.bit_length())}
        assert all(bit < 64 for _, bit in bits)
        assert not bits & used
        used |= bits
    assert max(word for word, _ in used) + 1 == slots.words
    assert slots.positions == 2**32 * 2 * (2**62 + 1) * 4 * (2**20 + 4) ** 5


def test_the_ends_of_every_range_are_packed_and_unpacked():
    slots = Slots.of(Wide(), ())
    lows = slots.low.tolist()
    highs = [low + span for low, span in zip(lows, slots.span.tolist(), strict=True)]
    for numbers in (
        lows,
        highs,
        [low if i % 2 else high for i, (low, high) in enumerate(zip(lows, highs, strict=True))],
    ):
        words = slots.pack(numbers)
        assert len(words) == slots.words
        assert all(0 <= word < 2**64 for word in words)
        assert slots.unpack(words) == tuple(numbers)
    for i in range(len(lows)):
        for outside in (lows[i] - 1, highs[i] + 1):
            with pytest.raises(OverflowError) as error:
                slots.pack([*lows[:i], outside, *lows[i + 1 :]])
            assert (
                str(error.value)
                == f"{slots.names[i]} = {outside} is outside its declared range {lows[i]} to {highs[i]}"
            )


class TooWide(Game):
    """A number of 64 bits."""

    name = "too-wide"
    source = "made for the tests"

    low = Int(-(2**62), 2**62, "any number")

    def next(self) -> int:
        return OVER


def test_a_range_too_wide_for_a_word_is_refused():
    with pytest.raises(RulesError, match=r"too-wide: the declared range of low, .* is too wide for exact answers"):
        dicelab.exact(TooWide)


def test_what_strategies_remember_is_part_of_a_position():
    run = run_of("line-bets", ("labouchere",), bankroll=5, rounds=2)
    slots, place = Slots.of(run.game, run.calls), Place(run.game, run.calls)
    assert "seat 0's labouchere.length" in slots.names
    assert sum("labouchere.numbers[" in name for name in slots.names) == 40
    numbers = list(place.read())
    numbers[slots.names.index("seat 0's labouchere.length")] = 3
    numbers[slots.names.index("seat 0's labouchere.numbers[2]")] = 17
    place.set(numbers)
    assert place.read() == tuple(numbers)
    assert place.memories[0].numbers[2] == 17
    assert place.memories[0].length == 3


class Turns(Game):
    """Three seats say a number in turn; a die hears it."""

    name = "turns"
    source = "made for the tests"

    players = Param(3, 2, 4, "players")
    seats = players

    player = Int(0, players - 1, "whose turn it is")
    said = Int(-1, 2, "what was said; -1 before", start=-1)
    left = Int(0, 7, "turns left", start=7)

    total = Tally("sum of what was said")
    largest = Peak("largest of what was said and thrown")

    def next(self) -> int:
        if self.left == 0:
            return OVER
        return ask(self.say, self.player) if self.said < 0 else throw(self.die)

    @chosen(3)
    def say(self, number: int) -> None:
        self.said = number
        self.total += number
        self.largest = max(self.largest, number)

    @thrown(1, d(2))
    def die(self, face: int) -> None:
        self.largest = max(self.largest, self.said * face - 3)
        self.said = -1
        self.left -= 1
        if face == 1:
            self.player = (self.player + 1) % self.players

    def outcome(self) -> int:
        return self.player


class Kept(Memory):
    row = Ints(2, -1, 1, "what was said last")
    odd = Flag("asked an odd number of times")


class Once(Memory):
    often = Int(1, 5, "times asked, and one", start=1)


@strategy(Turns, memory=Kept)
def rows(game: Turns, mine: Kept) -> int:
    """Go by the row."""
    mine.odd = not mine.odd
    mine.row[1] = mine.row[0]
    mine.row[0] = 1 if mine.odd else -1
    return 1 + mine.row[1]


@strategy(Turns, memory=Once, step=Param(1, 1, 2, "step"))
def rising(game: Turns, mine: Once, step: int) -> int:
    """Count."""
    mine.often = min(5, mine.often + step)
    return min(2, mine.often - 1)


@pytest.mark.quick_cases("(0, 2)-rows+rising+rows")
@pytest.mark.parametrize("lineup", [("rising:2", "rows", "rising"), ("rows", "rising", "rows")], ids="+".join)
@pytest.mark.parametrize("free", [(), (1,), (0, 2)], ids=str)
def test_memories_of_several_strategies_in_several_seats(lineup, free):
    run = Run.of(Turns, lineup)
    slow = graph_of(run, free, engine="reference")
    fast = graph_of(run, free, engine="compiled")
    assert slow.slots.words == fast.slots.words
    for key in ("keys", "row", "target", "weight", "total", "change", "changes", "mover"):
        assert np.array_equal(getattr(slow, key), getattr(fast, key)), key
    moving = [name for i, name in enumerate(slow.slots.names) if len(set(numbers_of(slow, i))) > 1]
    for seat in range(3):
        assert any(name.startswith(f"seat {seat}'s") for name in moving) == (seat not in free)


def numbers_of(graph, i):
    return [graph.slots.unpack(key)[i] for key in graph.keys.tolist()]


def test_memories_are_kept_apart_in_the_answer():
    """One line-up against a program that follows the chances of everything that is remembered."""
    playing = {(0, 7, 1, (0, 0, False), 1, 0, 0): 1.0}  # player, left, memories of seats 0 to 2, total, largest
    ended = Counter()
    while playing:
        after = Counter()
        for (player, left, once, (new, _, odd), again, total, largest), p in playing.items():
            if player == 1:
                said, odd = 1 + new, not odd
                row = 1 if odd else -1, new, odd
            else:
                row = new, _, odd
                if player == 0:
                    once = min(5, once + 2)
                    said = min(2, once - 1)
                else:
                    again = min(5, again + 1)
                    said = min(2, again - 1)
            for face in (1, 2):
                most = max(largest, said, said * face - 3)
                place = (player + 1) % 3 if face == 1 else player
                state = place, left - 1, once, row, again, total + said, most
                (ended if left == 1 else after)[state] += p / 2
        playing = after
    result = dicelab.exact(Turns, ["rising:2", "rows", "rising"])
    chances, totals, largest = Counter(), Counter(), Counter()
    for (player, *_, total, most), p in ended.items():
        chances[str(player)] += p
        totals[total] += p
        largest[most] += p
    assert {name: p.probability for name, p in result.outcomes.items()} == pytest.approx(chances)
    assert result.tallies["total"].probabilities == pytest.approx(totals)
    assert result.tallies["largest"].probabilities == pytest.approx(largest)


def test_a_position_can_be_read_by_names():
    graph = graph_of(run_of("lcr", players=3))
    assert graph.described(0) == "owners 3, player 0, holds[0] 3, holds[1] 3, holds[2] 3"


class Sums(Game):
    """Roll a die of 10, then one of 300, and add up what they show."""

    name = "sums"
    source = "made for the tests"

    rolled = Int(0, 2, "rolls made")
    points = Tally("what the dice have shown")

    def next(self) -> int:
        return (throw(self.small), throw(self.large), OVER)[self.rolled]

    @thrown(1, d(10), SUM)
    def small(self, total: int) -> None:
        self.points += total
        self.rolled += 1

    @thrown(1, d(300), SUM)
    def large(self, total: int) -> None:
        self.points += total
        self.rolled += 1

    def outcome(self) -> int:
        return 0


@pytest.mark.slow
def test_labels_take_a_byte_until_there_are_more_than_256():
    few, many = (graph_of(Run.of(game), engine="compiled") for game in (Trouble, Sums))
    assert few.label.dtype == np.uint8
    plain = graph_of(Run.of(Sums), engine="reference")
    assert len(many.weight) == 310
    assert many.label.dtype == plain.label.dtype == np.uint32
    for name in ("label", "weight", "total", "change", "changes", "target"):
        assert getattr(many, name).tolist() == getattr(plain, name).tolist(), name
    assert many.label.tolist() == list(range(310))
    assert dicelab.exact(Sums).tallies["points"].mean == 156
