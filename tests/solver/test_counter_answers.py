from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dicelab
from dicelab.errors import NotSmall, PlayError
from dicelab.rules import (
    FACES,
    OVER,
    Die,
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
from dicelab.runtime.interrupts import Stopped
from dicelab.runtime.lineup import Run
from dicelab.solver.counters import answer as counters
from dicelab.solver.counters.answer import answer_by_counters
from dicelab.solver.counters.propagate import follow
from dicelab.solver.exact_answer import answer
from dicelab.solver.solution.distribution import Spread
from dicelab.solver.value import ExactAnswer
from significance import mean_differs, share_differs
from support import TESTS

SESSION = TESTS / "games" / "session.py"
BENT = Die.of(-3, -1, 0, 1, 1, 2)


class Walk(Game):
    """A purse that goes up and down; what happens at which sums, parameters say. A place of 0 is never reached."""

    name = "walk"
    source = "made for the tests"
    outcomes = ("broke", "rich", "late")

    begin = Param(20, -500, 1000, "money at the start")
    floor = Param(0, -500, 1000, "money that is too little")
    goal = Param(40, -500, 1000, "money that is enough")
    most = Param(9, 0, 100, "throws")
    doubled = Param(500, -500, 500, "from so much on, a 2 doubles it")
    put = Param(500, -500, 500, "from so much on, a 2 makes it 17")
    odd = Param(500, -500, 500, "from so much on, odd sums are one less")
    at = Param(500, -500, 500, "at this sum alone there is more")
    less = Param(0, 0, 9, "what is lost at most with a 1")
    step = Param(1, 1, 6, "money for each pip")
    late = Param(0, 0, 100, "with so few throws left there is more")

    money = Int(-4000, 4000, "money", start=begin)
    left = Int(0, 100, "throws left", start=most)
    mood = Int(0, 2, "of the player")
    large = Flag("there was much money")

    throws = Tally("throws")
    won = Tally("money won")
    ones = Tally("ones that were thrown")
    moods = Tally("mood, plus 3 at the start")
    twice = Tally("throws with much money")
    never = Tally("never counted")
    best = Peak("most money")

    def next(self) -> int:
        if self.money <= self.floor or self.money >= self.goal or self.left == 0:
            return OVER
        return self.roll()

    def roll(self) -> int:
        return throw(self.die)

    def start(self) -> None:
        self.moods += 3

    @thrown(1, BENT)
    def die(self, face: int) -> None:
        before = self.mood
        self.throws += 1
        self.left -= 1
        self.ones += 1 if face == 1 else 0
        self.change(face * self.step - (1 if before == 2 else 0))
        self.special(face)
        self.best = max(self.best, self.money)
        self.twice += 1 if self.large else 0
        self.large = self.money > self.begin + 5
        self.mood = 0 if before == 2 else before + 1
        self.moods += self.mood - before
        self.more(face)

    def special(self, face: int) -> None:
        if face == 2 and self.money >= self.doubled and self.money < 1000:
            self.money = self.money * 2
        if face == 2 and self.money >= self.put:
            self.money = 17
        if self.money >= self.odd and self.money % 2 == 1:
            self.change(-1)
        if self.money == self.at:
            self.change(5)
        if face == 1 and self.less > 0:
            self.change(-min(self.less, self.money - self.floor))
        if self.left < self.late:
            self.change(1)

    def change(self, money: int) -> None:
        self.money += money
        self.won += money

    def more(self, face: int) -> None:
        """What else happens."""

    def outcome(self) -> int:
        if self.money <= self.floor:
            return 0
        return 1 if self.money >= self.goal else 2


def explicit(run: Run) -> ExactAnswer:
    """The answer of the chain of all positions."""
    return answer(run, wanted=None)


def tried(run: Run, wanted: list[int]) -> ExactAnswer | None:
    """The answer by counters; None where it can't be had."""
    try:
        return answer_by_counters(run, wanted)
    except NotSmall:
        return None


def agree(run: Run, wanted: list[int], found: ExactAnswer | None = None) -> ExactAnswer:
    """Answer and chain say the same of outcomes, tallies and distributions, within what they state as errors."""
    found, right = found or answer_by_counters(run, wanted), explicit(run)
    error = found.error + right.error
    assert 0 < found.error < 1e-10
    assert found.chances == pytest.approx(right.chances, rel=0, abs=error)
    for k, line in zip(wanted, found.tallies, strict=True):
        true = right.tallies[k]
        assert line.mean == pytest.approx(true.mean, rel=2e-16, abs=line.error + true.error)
        if line.spread is None:
            assert math.isnan(line.sd)
        else:
            assert line.sd == pytest.approx(true.sd, rel=1e-15, abs=line.error + true.error)
            assert true.spread is not None
            alike(line.spread, true.spread, len(found.chances))
    return found


def alike(one: Spread, other: Spread, outcomes: int) -> None:
    nothing = np.zeros(outcomes)
    a, b = (dict(zip(s.values.tolist(), s.joint, strict=True)) for s in (one, other))
    apart = sum(float(np.abs(a.get(v, nothing) - b.get(v, nothing)).sum()) for v in a.keys() | b.keys())
    assert apart <= 2 * (one.error + other.error)
    assert list(one.values) == sorted(a)
    assert (one.chances > 0).all()


def known(found: ExactAnswer) -> list[bool]:
    """Is the whole distribution of each tally known?"""
    return [line.spread is not None for line in found.tallies]


# Walks ----------------------------------------------------------------------------------------------------------------

THROWS, WON, ONES, MOODS, TWICE, NEVER, BEST, SUMMED = range(8)
KNOWN = [THROWS, WON, MOODS, NEVER, BEST]
"""Tallies of a walk that go with the throws, the money or the position; and the most money."""


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_walks_come_to_the_same_as_the_chain_of_all_positions(data):
    def draw(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    begin = draw(-40, 60)
    odd = {name: begin + draw(-12, 20) for name in ("doubled", "put", "odd", "at") if draw(0, 3) == 0}
    rest = {"less": draw(0, 9), "step": draw(1, 6), "late": draw(0, 5), "most": draw(1, 11)}
    run = Run.of(Walk, begin=begin, floor=begin - draw(1, 30), goal=begin + draw(1, 40), **rest, **odd)
    found = tried(run, KNOWN)
    found = agree(run, KNOWN, found) if found else agree(run, [THROWS, MOODS])
    assert sum(found.chances) == pytest.approx(1.0, abs=found.error)


def test_of_tallies_that_go_with_purse_throws_or_position_everything_is_known():
    run = Run.of(Walk)
    found = agree(run, KNOWN)
    assert known(found) == [True] * 5
    assert (found.states, found.edges) > (20, 6)
    assert tried(run, [ONES]) is None


@pytest.mark.parametrize(
    ("odd", "whole"), [({"at": 13}, True), ({"doubled": 21}, False), ({"put": 22}, False), ({"odd": 24}, True)]
)
def test_of_money_that_is_set_somewhere_only_the_mean_is_known(odd, whole):
    assert known(agree(Run.of(Walk, begin=18, goal=90, **odd), KNOWN)) == [True, whole, True, True, True]


class Dear(Walk):
    """Beyond some sum the money itself is counted, and looked at in other ways."""

    summed = Tally("money, summed up")
    thirds = Tally("thirds of it")
    copied = Int(-40, 40, "what was above 30")

    def start(self) -> None:
        self.summed += 11

    def more(self, face: int) -> None:
        if self.money > 26:
            self.summed += self.money
            self.thirds += self.money // 3 - abs(self.money - 30)
            self.copied = min(self.money - 30, 3)


class Finer(Walk):
    """Money changes by tens, but not for ever."""

    def more(self, face: int) -> None:
        self.change(9 * face + (1 if self.mood == 0 else 0))
        if self.money > 45:
            self.money += 1


class Sevens(Walk):
    """Money changes by sevens; what is enough and too little lies between."""

    def special(self, face: int) -> None:
        self.change(6 * face + (1 if self.mood == 2 else 0))


class Pair(Walk):
    """Two numbers in a row beside the money; one of them is compared with the other."""

    row = Ints(2, -500, 500, "two numbers", start=100)

    def more(self, face: int) -> None:
        self.row[1 if face > 0 else 0] += face
        if self.money > 24 and self.row[0] < self.row[1]:
            self.ones += 1
        if self.row[1] > 103:
            self.row[0] = self.row[1]


class Still(Walk):
    """Of a row only one number changes."""

    row = Ints(3, -500, 500, "three numbers", start=7)

    def more(self, face: int) -> None:
        self.row[1] -= face
        if self.row[1] < 4 and self.money > 20:
            self.change(self.row[2] - 7 + 2)


class Swapped(Walk):
    other = Int(-500, 500, "other money", start=15)

    def more(self, face: int) -> None:
        self.other += 1
        if face == 2 and self.money > 24:
            kept = self.money
            self.money = self.other
            self.other = kept


class Dice(Walk):
    """With much money other dice are thrown."""

    def roll(self) -> int:
        return throw(self.three, 2) if self.large else throw(self.die)

    @thrown(3, d(7), FACES)
    def three(self, one: int, two: int, three: int) -> None:
        self.throws += 1
        self.left -= 1
        self.change(one - two - three - 1)
        self.large = False


class AtOnce(Walk):
    """Something happens at the start, after each throw, and when the game is over."""

    def start(self) -> None:
        self.moods += 3
        self.money -= 2
        self.settle()

    def settle(self) -> None:
        self.change(1)
        self.moods += 4

    def more(self, face: int) -> None:
        self.moods -= 4
        self.settle()

    def outcome(self) -> int:
        self.never += 1
        return super().outcome()


class NoOutcomes(Walk):
    outcomes = ()


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (Dear, [THROWS, WON, SUMMED, SUMMED + 1]),
        (Finer, [THROWS, MOODS]),
        (Sevens, KNOWN),
        (Pair, [THROWS, WON]),
        (Still, [THROWS, WON]),
        (Swapped, [THROWS, WON]),
        (Dice, [THROWS, MOODS]),
        (AtOnce, [THROWS, WON, MOODS, NEVER]),
        (NoOutcomes, KNOWN),
    ],
)
def test_whatever_the_rules_do_with_the_counter(kind, wanted):
    agree(Run.of(kind, most=7, goal=60), wanted)


# Peaks ----------------------------------------------------------------------------------------------------------------


class Fallen(Walk):
    """How far the money is below the most that there was; a face of 0 may take no time, and change nothing at all."""

    slow = Param(0, 0, 1, "1 where a face of 0 takes time")

    below = Int(-600, 600, "below the most money")

    summed = Tally("all faces")
    deepest = Peak("the deepest fall")
    worst = Peak("most below something else")
    lost = Peak("never raised")
    set_once = Peak("a number that is known")

    def start(self) -> None:
        self.moods += 3
        self.worst = max(self.worst, self.money - self.floor - 3)

    def change(self, money: int) -> None:
        self.money += money
        self.won += money
        self.below -= money

    def more(self, face: int) -> None:
        if face == 0:
            self.mood = 0
            self.moods -= 1
            self.left += 1 - self.slow
        self.summed += face
        self.below = max(0, self.below)
        self.deepest = max(self.deepest, self.below)
        self.worst = max(self.worst, self.floor + 8 - self.left if face < 0 else 2)
        if face == 2:
            self.set_once = max(self.set_once, 5)


class Quick(Fallen):
    """Nothing is ever as it was, but for a face of 0."""

    @thrown(1, BENT)
    def die(self, face: int) -> None:
        self.throws += 1
        if face != 0:
            self.left -= 1
            self.change(face * self.step)
            self.special(face)
        self.best = max(self.best, self.money)
        self.below = max(0, self.below)
        self.deepest = max(self.deepest, self.below)


class Overstated(Quick):
    """A face of -3 changes nothing either, with less than some money; and then more may be told of than there is."""

    above = Param(25, -1000, 1000, "from so much money on, a face of -3 changes something")
    extra = Param(0, 0, 9, "by how much a face of 0 is overstated")
    again = Param(1000, -1000, 1000, "with exactly so much money and a face of 2, all time begins again")

    @thrown(1, BENT)
    def die(self, face: int) -> None:
        self.throws += 1
        if face == 0:
            self.best = max(self.best, self.money + self.extra)
        elif face > -3 or self.money >= self.above:
            self.left -= 1
            self.change(face * self.step)
            if face == 2 and self.money == self.again:
                self.left += 3
        self.best = max(self.best, self.money)
        self.below = max(0, self.below)
        self.deepest = max(self.deepest, self.below)


MONEY_AT_CRAPS = 4
DEEPEST, WORST, LOST, SET_ONCE = SUMMED + 1, SUMMED + 2, SUMMED + 3, SUMMED + 4


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_highest_and_the_deepest_fall(data):
    def draw(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    begin = draw(-40, 60)
    odd = {name: begin + draw(-12, 20) for name in ("odd", "at") if draw(0, 3) == 0}
    rest = {"less": draw(0, 9), "step": draw(1, 3), "late": draw(0, 5), "most": draw(1, 9), "slow": draw(0, 1)}
    kind = data.draw(st.sampled_from([Fallen, Quick]))
    run = Run.of(kind, begin=begin, floor=begin - draw(1, 30), goal=begin + draw(1, 40), **rest, **odd)
    wanted = data.draw(st.lists(st.sampled_from([WON, BEST, DEEPEST, WORST, LOST, SET_ONCE]), unique=True, min_size=1))
    found = tried(run, wanted)
    assume(found is not None)
    assert known(agree(run, wanted, found)) == [True] * len(wanted)


@pytest.mark.slow_cases("0-Fallen", "1-Fallen")
@pytest.mark.parametrize("kind", [Fallen, Quick])
@pytest.mark.parametrize("slow", [0, 1])
def test_peaks_are_found_without_the_chain_of_all_positions(kind, slow):
    run = Run.of(kind, slow=slow, most=8, goal=60)
    assert known(agree(run, [BEST, DEEPEST, WORST, LOST, SET_ONCE])) == [True] * 5


@pytest.mark.quick_cases("0--1000", "0-1000", "4--1000")
@pytest.mark.parametrize("above", [-1000, 19, 25, 1000])
@pytest.mark.parametrize("extra", [0, 4])
def test_throws_that_change_nothing_may_differ_in_all_else(above, extra):
    agree(Run.of(Overstated, above=above, extra=extra, most=8, goal=60), [BEST, DEEPEST])


@pytest.mark.slow
def test_a_counter_that_is_put_back_is_no_clock(monkeypatch):
    run, followed = Run.of(Overstated, again=33, most=12, goal=60), []
    monkeypatch.setattr(counters, "follow", lambda *given: followed.append(follow(*given)) or followed[-1])
    agree(run, [BEST, DEEPEST], answer_by_counters(run, [BEST, DEEPEST]))
    assert {one.by_rolls for one in followed} == {True}


def test_levels_may_be_followed_few_at_a_time(limits):
    run = Run.of(Quick, most=9, goal=60)
    at_once, shares = [], []
    once = answer_by_counters(run, [BEST, DEEPEST], share=at_once.append)
    limits(threshold_cells=2 * once.states)
    parts = answer_by_counters(run, [BEST, DEEPEST], share=shares.append)
    assert shares == sorted(shares)
    assert len(shares) > 5 * len(at_once)
    assert (shares[0] < 0.1, shares[-1]) == (True, 1.0)
    for one, other in zip(once.tallies, parts.tallies, strict=True):
        assert (one.mean, one.sd) == pytest.approx((other.mean, other.sd), rel=1e-13)
        alike(one.spread, other.spread, 3)


@pytest.mark.slow_cases("Fallen")
@pytest.mark.parametrize("kind", [Fallen, Quick])
def test_what_waits_for_the_clock_may_be_added_up_at_any_time(limits, kind):
    limits(waiting_cells=1)
    agree(Run.of(kind, slow=0, most=7, goal=60), [BEST, DEEPEST])


@pytest.mark.slow
def test_throws_that_change_nothing_are_followed_at_once(limits):
    """Each of the 60 throws that take time is a step, and those between are none, unless throws are counted."""
    run = Run.of(Quick, most=60, goal=90)
    by_clock, by_throws = answer_by_counters(run, [BEST]), answer_by_counters(run, [THROWS, BEST])
    assert by_clock.tallies[0].mean == pytest.approx(by_throws.tallies[1].mean, rel=1e-12)
    assert by_clock.chances == pytest.approx(by_throws.chances, abs=1e-12)
    limits(moved_cells=1_000_000)
    assert answer_by_counters(run, [LOST]).chances == by_clock.chances
    with pytest.raises(NotSmall, match="too much"):
        answer_by_counters(run, [THROWS, LOST])


@pytest.mark.slow
def test_a_tally_may_go_with_the_throws_though_a_counter_tells_the_time():
    """Until it does so no more: a session of craps goes on after its last throw while a point stands."""
    run = Run.of("craps", "line", until_throws=40, until_rounds=0, bankroll=1000)
    throws, money = 0, MONEY_AT_CRAPS
    both = agree(run, [throws, money])
    assert known(both) == [True, True]
    assert both.tallies[0].spread.values[-1] > 60
    assert answer_by_counters(run, [money]).tallies[0].mean == pytest.approx(both.tallies[1].mean, rel=1e-12)


@pytest.mark.slow
def test_rounds_are_kept_out_of_positions_though_they_are_few():
    """With the rounds as a clock there are fewer pairs of state and counter at the same time."""
    run = Run.of("craps", "line:pass:1:10", until_rounds=12, bankroll=150)
    found = answer_by_counters(run, [MONEY_AT_CRAPS])
    played = dicelab.simulate("craps", "line:pass:1:10", games=30_000, seed=2812, until_rounds=12, bankroll=150)
    line = found.tallies[0]
    assert not mean_differs(played.tallies["money"].histogram, line.mean, line.sd**2)
    for chance, name in zip(found.chances, ("ruined", "behind", "even", "ahead"), strict=True):
        assert not share_differs(played.outcomes[name].count, played.games, chance)


def test_too_many_levels_are_refused(limits):
    run = Run.of(Quick, most=9, goal=60)
    limits(moved_cells=20_000)  # enough to follow the money once
    answer_by_counters(run, [LOST])
    with pytest.raises(NotSmall, match="too much"):
        answer_by_counters(run, [BEST])


def test_a_mean_may_be_of_what_depends_on_the_way():
    assert known(agree(Run.of(Dear), [SUMMED, WON])) == [False, True]
    assert known(agree(Run.of(Dear, goal=24), [SUMMED])) == [True]  # there is never so much


# Choices --------------------------------------------------------------------------------------------------------------


class Duel(Game):
    """Two players with a purse each in turn; who has less than a unit has lost."""

    name = "duel"
    source = "made for the tests"
    seats = 2

    first = Param(20, 1, 1000, "money of each")
    most = Param(8, 1, 31, "throws")

    purse = Ints(2, 0, 5000, "money", start=first)
    player = Int(0, 1, "whose turn it is")
    bet = Int(0, 9, "on the table")
    left = Int(0, 31, "throws left", start=most)

    throws = Tally("throws")
    money = Tally("won by the first")

    def next(self) -> int:
        if self.bet > 0:
            return throw(self.die)
        if self.purse[0] == 0 or self.purse[1] == 0 or self.left == 0:
            return OVER
        return ask(self.stake, self.player)

    def can(self, amount: int) -> bool:
        return 0 < amount <= self.purse[self.player]

    @chosen((0, 9), legal=can)
    def stake(self, amount: int) -> None:
        self.bet = amount
        self.purse[self.player] -= amount
        self.money -= amount if self.player == 0 else 0

    @thrown(1, BENT)
    def die(self, face: int) -> None:
        self.throws += 1
        self.left -= 1
        won = 2 * self.bet if face > 0 else self.bet if face == 0 else 0
        self.purse[self.player] += won
        self.money += won if self.player == 0 else 0
        self.bet = 0
        self.player = 1 - self.player

    def outcome(self) -> int:
        return 0 if self.purse[1] == 0 or self.purse[0] >= self.first else 1


class Course(Memory):
    bets = Int(0, 3, "bets made")
    low = Int(0, 5000, "money when there was little first")


@strategy(Duel, unit=Param(7, 1, 9, "the bet"))
def rest(game: Duel, unit: int) -> int:
    """The same each time, or what is left."""
    return min(unit, game.purse[game.player])


@strategy(Duel, memory=Course)
def bolder(game: Duel, mine: Course) -> int:
    """One more each time; once there was little, a part of what there was then."""
    mine.bets = min(3, mine.bets + 1)
    if mine.low == 0 and game.purse[game.player] < 16:
        mine.low = game.purse[game.player]
    wanted = 2 * mine.bets if mine.low == 0 else mine.low // 2
    return max(1, min(wanted, 9, game.purse[game.player]))


@strategy(Duel)
def bold(game: Duel) -> int:
    """All that there is; which may be too much."""
    return 5 if game.left > 6 else 9


@pytest.mark.parametrize("line", [("rest", "rest"), ("rest:3", "bolder"), ("bolder", "rest")])
def test_players_choose_by_what_they_have(line):
    agree(Run.of(Duel, line, most=6), [0, 1])


def test_a_choice_that_can_not_be_made_in_the_start_is_left_to_others():
    with pytest.raises(NotSmall):
        answer_by_counters(Run.of(Duel, ["rest"], first=5), [])


def test_an_illegal_move_is_told_in_numbers():
    with pytest.raises(PlayError, match=r"chose 9 .*'purse': \[\d+, \d+\]"):
        answer_by_counters(Run.of(Duel, ["bold"]), [])


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from(["flat:5", "flat:7", "martingale:5", "martingale:1"]),
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(1, 3),
    st.integers(5, 30),
)
def test_sessions_at_the_line(bets, bankroll, goal, rounds, most):
    run = Run.of(SESSION, [bets], bankroll=bankroll, goal=bankroll + goal, rounds=rounds, most=most)
    found = tried(run, [0, 1])
    assume(found is not None)
    agree(run, [0, 1], found)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(["line:pass:2:10", "line:dont_pass:1:10", "line:pass:0:5", "place", "place:across:10", "watch"]),
    st.sampled_from([10, 25, 40, 100, 300]),
    st.sampled_from([{"until_throws": 3}, {"until_throws": 2}, {"until_rounds": 1}]),
    st.sampled_from([{}, {"stop_win": 10}, {"stop_loss": 20, "stop_win": 15}]),
    st.sampled_from([{}, {"house": "all_on"}, {"crapless": True}, {"odds": "1x"}, {"players": 2}]),
)
def test_sessions_of_craps(bets, bankroll, until, stops, house):
    run = Run.of("craps", [bets], **{"bankroll": bankroll, "until_rounds": 0, **until, **stops, **house})
    throws, money = 0, 4
    found = tried(run, [throws, money])
    assume(found is not None)
    assert known(agree(run, [throws, money], found)) == [True, True]


@pytest.mark.slow
def test_a_session_of_craps_is_what_is_simulated():
    found = answer_by_counters(Run.of("craps", "line:pass:2:10", bankroll=60, until_throws=40, until_rounds=0), [0, 4])
    played = dicelab.simulate(
        "craps", "line:pass:2:10", games=30_000, seed=1654, bankroll=60, until_throws=40, until_rounds=0
    )
    for chance, name in zip(found.chances, ("ruined", "behind", "even", "ahead"), strict=True):
        assert not share_differs(played.outcomes[name].count, played.games, chance)
    for line, name in zip(found.tallies, ("throws", "money"), strict=True):
        assert not mean_differs(played.tallies[name].histogram, line.mean, line.sd**2)


# Limits ---------------------------------------------------------------------------------------------------------------


@pytest.mark.quick_cases("0.001-tiny_mass")
@pytest.mark.parametrize("name", ["tiny_mass", "rest_mass"])
@pytest.mark.parametrize("mass", [1e-6, 1e-3])
def test_what_is_not_followed_is_within_the_error(limits, name, mass):
    run = Run.of(SESSION, ["flat:5"], bankroll=20, goal=40, rounds=6)
    right = explicit(run)
    limits(**{name: mass})
    found = answer_by_counters(run, [0, 1])
    off = [abs(a - b) for a, b in zip(found.chances, right.chances, strict=True)]
    assert mass / 100 < max(off) <= sum(off) <= found.error < 1.0
    for line, true in zip(found.tallies, right.tallies, strict=True):
        assert abs(line.mean - true.mean) <= line.error
        assert abs(line.sd - true.sd) <= line.error


def test_money_that_hardly_anybody_has_is_left_out(limits):
    run = Run.of(Sevens, begin=90, floor=-400, goal=400, most=7)
    right = explicit(run)
    limits(tiny_mass=1e-4)
    found = answer_by_counters(run, [WON])
    line, true = found.tallies[0], right.tallies[WON]
    assert line.spread is not None
    assert true.spread is not None
    assert 1e-5 < found.error < 0.02
    alike(line.spread, true.spread, 3)


class Parts(Walk):
    """What is thrown depends on the money alone."""

    def roll(self) -> int:
        return throw(self.other) if self.money > 24 else throw(self.die)

    @thrown(1, Die.of(1, 1, 1, 2, 2, 3))
    def other(self, face: int) -> None:
        self.throws += 1
        self.left -= 1
        self.change(-face)


class Heaps(Walk):
    """More dice than can be told apart are thrown by who has much money."""

    def roll(self) -> int:
        return throw(self.heap) if self.large else throw(self.die)

    @thrown(200, BENT, FACES)
    def heap(self, *faces: int) -> None:
        self.left -= 1


class Endless(Walk):
    """Who has nothing stays."""

    def next(self) -> int:
        return OVER if self.money >= self.goal else throw(self.die)

    def special(self, face: int) -> None:
        self.left += 1
        if self.money <= self.floor:
            self.money = self.floor
            self.large = True


class Ranges(Walk):
    """What leads out of a range: below 0 throws left, or an amount that should grow."""

    grown = Int(0, 500, "what should grow", grows=True)

    def next(self) -> int:
        return OVER if self.money <= self.floor else throw(self.die)

    def more(self, face: int) -> None:
        self.grown += 1 if self.left >= self.late or face > 0 else -1


@pytest.mark.parametrize(
    ("kind", "why", "parameters"),
    [
        (Parts, "depends", {}),
        (Heaps, "outcomes", {}),
        (Walk, "over before", {"begin": 50}),
        ("pass-line", "wide range", {}),
        (Endless, "too much time or memory", {"goal": 24, "step": 3}),
    ],
)
def test_games_that_others_must_answer(limits, kind, why, parameters):
    limits(counter_rolls=300)
    with pytest.raises(NotSmall, match=why):
        answer_by_counters(Run.of(kind, **parameters), [])


@pytest.mark.parametrize(("name", "most"), [("counter_cells", 10), ("block_moves", 5), ("transitions", 3)])
def test_limits_are_kept(limits, name, most):
    run = Run.of(Walk, odd=15)
    answer_by_counters(run, [])
    limits(**{name: most})
    with pytest.raises(NotSmall):
        answer_by_counters(run, [])


class Owing(Walk):
    def next(self) -> int:
        return OVER if self.money <= self.floor else throw(self.die)


@pytest.mark.parametrize(("kind", "why"), [(Owing, "left = -1 is outside"), (Ranges, "grown fell from")])
def test_what_leaves_its_range_is_told_as_by_others(kind, why):
    run = Run.of(kind, begin=60, most=5, late=3)
    for solve in (lambda: answer_by_counters(run, []), lambda: explicit(run)):
        with pytest.raises(PlayError, match=why):
            solve()


def test_it_can_be_stopped_and_tells_how_far_it_is():
    told = []

    def until(found: int, throws: int) -> None:
        told.append((found, throws))
        if throws == 4:
            raise Stopped

    with pytest.raises(Stopped):
        answer_by_counters(Run.of(Walk), [], until)
    assert [throws for _, throws in told] == [1, 2, 3, 4]
    assert told[0][0] <= told[-1][0] > 1
