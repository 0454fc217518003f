from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicelab.engines.compiled import Compiled
from dicelab.engines.tables.counter import CounterEngine
from dicelab.errors import NotSmall, PlayError
from dicelab.rules import D6, OVER, Game, Int, Ints, Param, Peak, Tally, d, throw, thrown
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.counters import AffineValue, Span, counter_states
from dicelab.runtime.states.explorer import DependsOnHidden
from support import TESTS

SESSION = TESTS / "games" / "session.py"
whole = st.integers(-1000, 1000)
comparison = st.sampled_from([operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt])


# What is watched ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(whole, st.lists(st.tuples(comparison, whole, whole, st.booleans()), max_size=6), whole)
def test_within_the_bounds_every_comparison_comes_out_the_same(value, asked, other):
    span = Span("money", value)
    answers = []
    for compare, by, bound, swapped in asked:
        traced = AffineValue(span) + by
        answers.append(compare(bound, traced) if swapped else compare(traced, bound))
    assert span.low <= value < span.high
    for another in {value, other, span.low, span.high - 1}:
        if span.low <= another < span.high:
            again = [compare(b, another + by) if s else compare(another + by, b) for compare, by, b, s in asked]
            assert again == answers


@given(whole, whole, whole)
def test_what_is_added_is_known_and_differences_are_numbers(value, one, other):
    span = Span("money", value)
    assert (1 + AffineValue(span, one) + other - 1).by == one + other
    assert (AffineValue(span, one) - AffineValue(span, other)) == one - other
    assert (AffineValue(span, one) < AffineValue(span, other)) == (one < other)
    assert (span.low, span.high) == (-(2**62), 2**62)


def test_zero_or_not_is_a_comparison():
    span = Span("money", 5)
    assert AffineValue(span)
    assert not AffineValue(span, -5)
    assert (span.low, span.high) == (5, 6)


OTHER = AffineValue(Span("other", 1))
USES = {
    "twice": lambda m: m * 2,
    "two of it": lambda m: 2 * m,
    "half": lambda m: m // 2,
    "divisor": lambda m: 7 % m,
    "negative": lambda m: -m,
    "subtracted": lambda m: 5 - m,
    "absolute": lambda m: abs(m),
    "int": lambda m: int(m),
    "range": lambda m: range(m),
    "index": lambda m: (1, 2)[m],
    "hash": lambda m: hash(m),
    "bits": lambda m: m & 1,
    "shift": lambda m: 1 << m,
    "divmod": lambda m: divmod(m, 3),
    "another added": lambda m: m + OTHER,
    "another subtracted": lambda m: m - OTHER,
    "beside another": lambda m: m < OTHER,
    "with text": lambda m: m + "1",
}


@pytest.mark.cases("use", USES.values(), ids=USES)
def test_whatever_else_is_done_with_it_is_noticed(use):
    with pytest.raises(DependsOnHidden, match="money"):
        use(AffineValue(Span("money", 1)))


# Which games have counters --------------------------------------------------------------------------------------------


class Walk(Game):
    """A purse that goes up and down with a die, in one of many ways."""

    name = "walk"
    source = "made for the tests"
    outcomes = ("broke", "rich", "late")

    start_with = Param(50, 1, 1000, "money at the start")
    goal = Param(90, 1, 1000, "money that is enough")

    money = Int(-100, 2000, "money", start=start_with)
    left = Int(0, 500, "throws left", start=500)
    mood = Int(0, 2, "of the player")

    ones = Tally("ones")

    def next(self) -> int:
        if self.money <= 0 or self.money >= self.goal or self.left == 0:
            return OVER
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.left -= 1
        if face == 1:
            self.ones += 1
        self.money += 2 * face - 7 - (1 if self.mood == 2 else 0)
        self.mood = 0 if self.mood == 2 else self.mood + 1
        self.more(face)

    def more(self, face: int) -> None:
        """What else happens."""

    def outcome(self) -> int:
        if self.money <= 0:
            return 0
        return 1 if self.money >= self.goal else 2


class Doubles(Walk):
    def more(self, face: int) -> None:
        if face == 6 and self.money > 40:
            self.money = self.money * 2


class IsSet(Walk):
    def more(self, face: int) -> None:
        if face == 6 and self.money > 45:
            self.money = 30


class Even(Walk):
    def more(self, face: int) -> None:
        if self.money % 2 == 0:
            self.left -= 1


class Exactly(Walk):
    def more(self, face: int) -> None:
        if self.money == 13:
            self.money += 5


class Apart(Walk):
    kept = Ints(2, -5000, 5000, "kept")

    def more(self, face: int) -> None:
        if face == 3:
            self.kept[0] = self.money


class Counts(Walk):
    total = Tally("money, summed up")

    def more(self, face: int) -> None:
        self.total += self.money


class Peaks(Walk):
    best = Peak("most money")

    def more(self, face: int) -> None:
        self.best = max(self.best, self.money)


class TwoDice(Walk):
    def next(self) -> int:
        if self.money <= 0 or self.money >= self.goal or self.left == 0:
            return OVER
        return throw(self.big) if self.mood == 1 else throw(self.die)

    @thrown(1, d(8))
    def big(self, face: int) -> None:
        self.money -= face
        self.mood = 2


class Jumps(Walk):
    def start(self) -> None:
        self.money += 7
        self.ones += 3


def both(game: Game, seeds=(0, 5, 2**64 - 1), games: int = 300) -> CounterEngine:
    fast, slow = CounterEngine(game, ()), Compiled(game, ())
    fast.compile()
    for seed in seeds:
        assert fast.play(seed, 10, 10 + games) == slow.play(seed, 10, 10 + games)
    assert fast.play(1, 0, 20) == Reference(game, ()).play(1, 0, 20)
    assert fast.name == "counter"
    return fast


class PeaksAnyway(Walk):
    """What is raised is a number, another number, or a purse; not at every throw."""

    worst = Peak("what was lacking")
    ones_in_a_row = Int(0, 3, "ones")
    row = Peak("ones in a row, three at the most")

    def more(self, face: int) -> None:
        self.ones_in_a_row = min(3, self.ones_in_a_row + 1) if face == 1 else 0
        self.row = max(self.row, self.ones_in_a_row)
        if face > 4:
            self.worst = max(self.money - 80, self.worst)
            self.worst = max(self.worst, self.money - 75)


class PeakAtStart(Peaks):
    def start(self) -> None:
        self.best = max(self.best, self.money)
        self.money -= 30


class CounterStates(Walk):
    """Two players with a purse each, in a row."""

    purses = Ints(2, -1000, 1000, "of the players", start=100)

    def more(self, face: int) -> None:
        self.purses[face % 2] += face - 3
        if self.left > 1 and (self.purses[0] < 90 or self.purses[1] > 120):
            self.left -= 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Peaks, PeaksAnyway, PeakAtStart, CounterStates])
def test_peaks_and_rows_are_followed_too(kind):
    both(kind())


@pytest.mark.quick_cases("14-90-Walk", "500-1000-Jumps", "500-1000-Walk")
@pytest.mark.parametrize("kind", [Walk, Jumps])
@pytest.mark.parametrize(("start_with", "goal"), [(50, 90), (50, 59), (14, 90), (500, 1000)])
def test_a_purse_is_followed_to_either_end(kind, start_with, goal):
    both(kind(start_with=start_with, goal=goal))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Doubles, IsSet, Even, Apart, Counts])
def test_a_purse_with_which_more_is_done_is_part_of_the_position(kind):
    found = counter_states(Run.of(kind, goal=60))
    assert [span.name for span in found.spans] == ["left"]
    both(kind(goal=60))


@pytest.mark.slow
def test_an_exact_amount_is_a_bound_on_either_side():
    found = counter_states(Run.of(Exactly))
    assert [(s.name, s.low > 13 - 12) for s in found.spans] == [("money", True), ("left", True)]
    both(Exactly())


@pytest.mark.parametrize(("kind", "why"), [(TwoDice, "same total weight")])
def test_games_that_others_must_play(kind, why):
    with pytest.raises(NotSmall, match=why):
        CounterEngine(kind(), ())


def test_a_game_that_begins_at_a_bound_is_left_to_others():
    run = Run.of(SESSION, ["flat:5"], bankroll=9, goal=300)
    with pytest.raises(NotSmall, match="at a bound"):
        CounterEngine(run.game, run.calls)


def test_a_game_without_wide_numbers_is_left_to_others():
    with pytest.raises(NotSmall, match="wide range"):
        counter_states(Run.of("pass-line"))


def test_a_limit_is_kept():
    game = Walk(start_with=50, goal=90)
    with pytest.raises(NotSmall, match="only very short games"):
        CounterEngine(game, (), 100)


def test_games_longer_than_is_counted_are_played_all_the_same():
    fast = both(Walk())
    expected = Compiled(Walk(), ()).play(3, 0, 500)
    fast.blocks = 5
    assert fast.play(3, 0, 500) == expected


def test_words_that_might_be_rejected_are_drawn_once_more():
    fast = both(Walk())
    assert fast.table.rejected == 2**32 % 6
    fast.table = fast.table._replace(rejected=np.uint64(2**28))
    assert fast.play(3, 0, 300) == Compiled(Walk(), ()).play(3, 0, 300)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["flat:5", "flat:7", "martingale:5", "martingale:1", "part:7"]),
    st.integers(1, 400),
    st.integers(1, 500),
    st.integers(1, 90),
    st.integers(5, 100),
    st.integers(0, 2**64 - 1),
)
def test_sessions_are_those_of_the_compiled_engine(strategy, bankroll, goal, rounds, most, seed):
    run = Run.of(SESSION, [strategy], bankroll=bankroll, goal=bankroll + goal, rounds=rounds, most=most)
    try:
        fast = CounterEngine(run.game, run.calls)
    except (NotSmall, PlayError):
        return
    fast.compile()
    assert fast.play(seed, 0, 60) == Compiled(run.game, run.calls).play(seed, 0, 60)


sessions_of_craps = given(
    st.sampled_from(["line:pass:2:10", "line:dont_pass:1:10", "line:cover=place_6_8", "place", "place:across:10"]),
    st.integers(10, 400),
    st.sampled_from([{"until_throws": 90}, {"until_rounds": 40}, {"until_hands": 33, "until_throws": 300}]),
    st.sampled_from([{}, {"stop_win": 60}, {"stop_loss": 100, "stop_win": 200}, {"players": 2}, {"house": "all_on"}]),
    st.integers(0, 2**64 - 1),
)


def are_those_of_the_compiled_engine(strategy, bankroll, until, house, seed):
    run = Run.of("craps", [strategy], **{"bankroll": bankroll, "until_rounds": 0, **until, **house})
    try:
        fast = CounterEngine(run.game, run.calls)
    except (NotSmall, PlayError):
        return
    fast.compile()
    assert fast.play(seed, 0, 40) == Compiled(run.game, run.calls).play(seed, 0, 40)


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@sessions_of_craps
def test_some_sessions_of_craps_are_those_of_the_compiled_engine(strategy, bankroll, until, house, seed):
    are_those_of_the_compiled_engine(strategy, bankroll, until, house, seed)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@sessions_of_craps
def test_sessions_of_craps_are_those_of_the_compiled_engine(strategy, bankroll, until, house, seed):
    are_those_of_the_compiled_engine(strategy, bankroll, until, house, seed)


@pytest.mark.slow_cases("line:cover=place_6_8-40", "place:iron_cross-10")
@pytest.mark.parametrize(
    ("strategy", "most"), [("line:pass:2", 10), ("line:cover=place_6_8", 40), ("place:iron_cross", 10)]
)
def test_a_table_of_craps_has_few_positions_without_its_purse(strategy, most):
    found = counter_states(Run.of("craps", strategy, until_throws=200, until_rounds=0))
    assert len(found.positions) <= most
    assert [span.name for span in found.spans] == ["purse[0]", "throws_left"]
    assert {"count[0]", "sides", "seen", "made", "below"} >= {span.name for span in found.still}
