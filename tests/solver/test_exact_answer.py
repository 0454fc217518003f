"""Exact answers that are hard to get: slow chains, tallies that stand still, fall or peak, games that are over."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import comb, isnan, sqrt
from weakref import ref

import numpy as np
import pytest

import dicelab
from dicelab.errors import ParameterError, PlayError
from dicelab.rules import D6, OVER, SUM, Die, Flag, Game, Int, Param, Peak, Tally, d, throw, thrown
from dicelab.runtime.lineup import Run
from dicelab.solver import exact_answer
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.exact_answer import answer
from dicelab.solver.solution import distribution as spreading
from dicelab.solver.solution import expectations as absorb
from dicelab.solver.solution.distribution import ChainTally, Spread
from dicelab.solver.solution.expectations import Absorption
from dicelab.solver.solution.ordering import ordered
from support import run_of


class Ruin(Game):
    """A fair coin is tossed for a unit until one of two players has all."""

    name = "ruin"
    source = "Feller, An Introduction to Probability Theory and Its Applications, volume 1, chapter XIV"
    outcomes = ("ruined", "rich")

    goal = Param(10, 2, 1000, "units of both")
    begin = Param(5, 0, 1000, "units at the start")

    units = Int(0, goal, "units now", start=begin)

    tosses = Tally("tosses")
    at_one = Tally("tosses for the last unit")
    won = Tally("units won or lost")
    highest = Peak("most units")
    never = Tally("never counted")

    def refuse(self) -> str:
        return "" if self.begin <= self.goal else "nobody has more than all"

    def start(self) -> None:
        self.highest = max(self.highest, self.units)

    def next(self) -> int:
        return OVER if self.units == 0 or self.units == self.goal else throw(self.toss)

    @thrown(1, d(2))
    def toss(self, face: int) -> None:
        self.tosses += 1
        if self.units == 1:
            self.at_one += 1
        gain = 2 * face - 3
        self.units += gain
        self.won += gain
        self.highest = max(self.highest, self.units)

    def outcome(self) -> int:
        return 0 if self.units == 0 else 1


def tosses_of_ruin(begin, goal, upto):
    """Chances of 1 to `upto` tosses until ruin, and until all is won (Feller, XIV.5)."""
    v = np.arange(1, goal)
    n = np.arange(upto)[:, None]
    powers = np.cos(np.pi * v / goal) ** n * np.sin(np.pi * v / goal) / goal
    return [powers @ np.sin(np.pi * v * units / goal) for units in (begin, goal - begin)]


@pytest.mark.quick_cases("3-7")
@pytest.mark.parametrize(("begin", "goal"), [(1, 2), (3, 7), (5, 10), (13, 20)])
def test_ruin_in_fractions(begin, goal):
    result = dicelab.exact(Ruin, begin=begin, goal=goal)
    rest = goal - begin
    assert result.outcomes["rich"].fraction == Fraction(begin, goal)
    assert result.tallies["tosses"].fraction == begin * rest
    assert result.tallies["tosses"].sd ** 2 == pytest.approx(begin * rest * (begin**2 + rest**2 - 2) / 3, rel=1e-13)
    assert result.tallies["won"].fraction == 0
    assert result.tallies["won"].sd == pytest.approx(sqrt(begin * rest), rel=1e-14)
    assert result.tallies["won"].probabilities == pytest.approx({-begin: rest / goal, rest: begin / goal}, abs=1e-12)


@pytest.mark.slow_cases("13-20")
@pytest.mark.parametrize(("begin", "goal"), [(3, 7), (13, 20)])
def test_tosses_until_ruin(begin, goal):
    result = dicelab.exact(Ruin, begin=begin, goal=goal)
    ruined, rich = tosses_of_ruin(begin, goal, 4000)
    joint = np.zeros((4001, 2))
    for value, chances in result.joint("tosses"):
        joint[value] = chances
    assert joint[1:, 0] == pytest.approx(ruined, abs=1e-14)
    assert joint[1:, 1] == pytest.approx(rich, abs=1e-14)


@pytest.mark.slow_cases("5-10", "9-20")
@pytest.mark.parametrize(("begin", "goal"), [(1, 4), (2, 5), (5, 10), (9, 20)])
def test_a_tally_that_stands_still_while_the_chain_goes_round(begin, goal):
    """The last unit is reached with a chance of its own, and then again and again with the same chance."""
    tally = dicelab.exact(Ruin, begin=begin, goal=goal).tallies["at_one"]
    reached, again = Fraction(goal - begin, goal - 1), Fraction(goal - 2, 2 * (goal - 1))
    assert tally.fraction == reached / (1 - again)
    assert tally.left < 1e-11
    expected = {0: 1 - reached} | {n: reached * again ** (n - 1) * (1 - again) for n in range(1, 200)}
    found = tally.probabilities
    for n, p in expected.items():
        assert found.get(n, 0) == pytest.approx(float(p), abs=1e-12)


@pytest.mark.slow_cases("5-10", "9-20")
@pytest.mark.parametrize(("begin", "goal"), [(1, 4), (2, 5), (5, 10), (9, 20)])
def test_the_peak_of_a_walk(begin, goal):
    """A fair walk reaches m before 0 with chance begin / m."""
    result = dicelab.exact(Ruin, begin=begin, goal=goal)
    reach = {m: Fraction(begin, m) for m in range(begin, goal + 1)} | {goal + 1: Fraction(0)}
    expected = {m: reach[m] - reach[m + 1] for m in range(begin, goal + 1)}
    tally = result.tallies["highest"]
    assert tally.probabilities == pytest.approx({m: float(p) for m, p in expected.items()}, abs=1e-12)
    assert tally.fraction is None
    mean = sum(m * p for m, p in expected.items())
    assert tally.mean == pytest.approx(float(mean), rel=1e-11)
    assert tally.sd == pytest.approx(sqrt(sum(m * m * p for m, p in expected.items()) - mean**2), abs=1e-9)
    joint = dict(result.joint("highest"))
    assert joint[goal] == pytest.approx([0, begin / goal], abs=1e-12)
    assert all(chances[1] == 0 for m, chances in joint.items() if m < goal)


def test_a_tally_that_is_never_counted_is_what_it_was():
    for fractions in (True, False):
        result = dicelab.exact(Ruin, begin=3, goal=7, fractions=fractions)
        tally = result.tallies["never"]
        assert (tally.mean, tally.sd, tally.left) == (0, 0, 0)
        assert tally.probabilities == pytest.approx({0: 1})
        ((value, chances),) = result.joint("never")
        assert value == 0
        assert chances == pytest.approx([4 / 7, 3 / 7], abs=1e-14)


@pytest.mark.parametrize(("begin", "outcome"), [(0, "ruined"), (10, "rich")])
@pytest.mark.parametrize("fractions", [None, True, False])
def test_a_game_that_is_over_before_the_first_throw(begin, outcome, fractions):
    result = dicelab.exact(Ruin, begin=begin, fractions=fractions)
    assert (result.states, result.error) == (0, 0)
    assert {name: p.probability for name, p in result.outcomes.items() if p.probability} == {outcome: 1.0}
    for name, tally in result.tallies.items():
        value = begin if name == "highest" else 0
        assert (tally.mean, tally.sd, tally.percentile(0.5)) == (value, 0, value)
        assert tally.probabilities == {value: 1.0}
    assert json.loads(result.to_json())["exact"]["states"] == 0
    assert "exact: 0 states" in str(result)


# Slow chains ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def eliminations(monkeypatch):
    """Counts the blocks that are solved by elimination."""
    solved = Counter()

    def counted(name, work):
        def run(*given):
            solved[name] += 1
            return work(*given)

        return run

    monkeypatch.setattr(Absorption, "_visits_of_component", counted("visits", Absorption._visits_of_component))
    monkeypatch.setattr(absorb, "eliminated", counted("values", absorb.eliminated))
    return solved


@pytest.mark.slow
def test_a_chain_on_which_sweeping_is_slow_is_solved_by_elimination(eliminations):
    """A hundred units each: 10,000 tosses on average."""
    graph = graph_of(Run.of(Ruin, (), begin=100, goal=200))
    edges = ordered(graph)
    absorbed = Absorption(edges, int(np.flatnonzero(edges.order == 0)[0]), 2)
    assert eliminations["visits"] == 1
    assert absorbed.chances == pytest.approx([0.5, 0.5], abs=1e-12)
    assert abs(absorbed.chances[0] - 0.5) <= absorbed.imbalance < 1e-7
    assert 10_000 <= absorbed.steps < 10_001
    units = graph.slots.column(graph.keys[edges.order], graph.slots.names.index("units"))
    visits = np.where(units <= 100, units * (200 - 100), 100 * (200 - units)) / 100
    assert absorbed.visits == pytest.approx(visits, rel=1e-10)
    for k, mean, variance in ((0, 10_000, 10_000 * 19_998 / 3), (2, 0, 10_000)):
        gain = graph.changes[edges.change, k].astype(float)
        found = absorbed.sum_of(gain)
        assert eliminations["values"] >= 1
        assert abs(found.mean - mean) <= found.mean_error < 1e-4
        assert abs(found.sd - sqrt(variance)) <= found.sd_error
        value = absorb.values(edges, gain, np.zeros(2))
        assert value == pytest.approx(units * (200 - units) if k == 0 else 0 * units, abs=1e-6)


@pytest.mark.slow
def test_the_distribution_of_a_slow_chain(limits, eliminations):
    """A hundred units each; followed compiled, as larger chains are."""
    limits(interpreted_edges=0)
    graph = graph_of(Run.of(Ruin, (), begin=100, goal=200))
    edges = ordered(graph)
    found = spreading.spread(edges, ChainTally.of(graph, 0, edges), 2)
    assert found.left < 2e-13
    ruined, rich = tosses_of_ruin(100, 200, 30_000)
    joint = np.zeros((300_000, 2))
    joint[found.values] = found.joint
    assert joint[1:30_001, 0] == pytest.approx(ruined, abs=1e-15)
    assert joint[1:30_001, 1] == pytest.approx(rich, abs=1e-15)
    mean, sd = found.moments()
    assert mean == pytest.approx(10_000, rel=1e-7)
    assert sd == pytest.approx(sqrt(10_000 * 19_998 / 3), rel=1e-6)
    assert found.percentile(0.5) == 1 + int(np.searchsorted(np.cumsum(ruined + rich), 0.5))


def test_loops_interpreted_and_compiled_do_the_same(limits):
    run = Run.of(Ruin, (), begin=3, goal=9)
    slow = answer(run, fractions=False)
    limits(interpreted_edges=0)
    fast = answer(run, fractions=False)
    assert slow.chances == pytest.approx(fast.chances, rel=1e-15)
    assert slow.error == pytest.approx(fast.error, rel=1e-3)
    for one, other in zip(slow.tallies, fast.tallies, strict=True):
        assert (one.mean, one.sd) == pytest.approx((other.mean, other.sd), rel=1e-13, abs=1e-13)
        assert one.spread.values.tolist() == other.spread.values.tolist()
        assert one.spread.joint == pytest.approx(other.spread.joint, rel=1e-13, abs=1e-18)


# Tallies of other kinds -----------------------------------------------------------------------------------------------


class Toss(Game):
    """A die is thrown until it shows its largest face."""

    name = "toss"
    source = "made for the tests"

    small = Param(1, -1000, 1000, "added by a 1")
    other = Param(1, -1000, 1000, "added by other faces that go on")
    last = Param(0, -1000, 1000, "added by the last throw")
    first = Param(0, -1000, 1000, "added before the first throw")

    over = Flag("it is over")

    points = Tally("points")
    best = Peak("largest single gain")

    def start(self) -> None:
        self.points += self.first

    def next(self) -> int:
        return OVER if self.over else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        gain = self.other
        if face == 6:
            self.over = True
            gain = self.last
        elif face == 1:
            gain = self.small
        self.points += gain
        self.best = max(self.best, gain)


def points_of_toss(small=1, other=1, last=0, first=0, longest=260):
    """Chances of the points, by the number of throws that go on and of those that show a 1."""
    expected = Counter()
    for n in range(longest):
        for ones in range(n + 1):
            ways = comb(n, ones) * 4 ** (n - ones)
            expected[first + last + ones * small + (n - ones) * other] += float(Fraction(ways, 6 ** (n + 1)))
    return expected


@pytest.mark.slow_cases(
    "False-{'small': 1000, 'other': 1, 'last': 0}",
    "False-{'small': 1000, 'other': 3, 'last': -1000, 'first': 7}",
    "False-{'small': 256, 'other': 1}",
    "False-{'small': 257, 'other': 1}",
    "True-{'small': 1000, 'other': 1, 'last': 0}",
    "True-{'small': 1000, 'other': 3, 'last': -1000, 'first': 7}",
    "True-{'small': 256, 'other': 1}",
    "True-{'small': 257, 'other': 1}",
)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"last": 1},
        {"small": 0},
        {"other": 0, "last": 2},
        {"small": 2, "other": 4, "last": 6, "first": 5},
        {"small": -3, "other": -6, "last": -9, "first": -1},
        {"small": -1, "other": -1, "last": 0},
        {"small": -1, "other": 1, "last": 3},
        {"small": 1000, "other": 1, "last": 0},
        {"small": 1000, "other": 3, "last": -1000, "first": 7},
        {"small": 256, "other": 1},
        {"small": 257, "other": 1},
        {"small": 0, "other": 0, "last": 5, "first": 3},
        {"small": 0, "other": 0, "last": 0, "first": -3},
    ],
    ids=str,
)
@pytest.mark.parametrize("fractions", [True, False])
def test_points_that_rise_fall_stand_and_jump(given, fractions):
    expected = points_of_toss(**given)
    result = dicelab.exact(Toss, fractions=fractions, **given)
    tally = result.tallies["points"]
    found = tally.probabilities
    assert list(found) == sorted(found)
    assert set(found) <= set(expected)
    assert tally.left < 1e-12
    for value, p in expected.items():
        assert found.get(value, 0.0) == pytest.approx(p, abs=2e-13), value
    small, other = given.get("small", 1), given.get("other", 1)
    last, first = given.get("last", 0), given.get("first", 0)
    mean = first + last + Fraction(small + 4 * other)  # five throws go on, each a 1 with chance 1/5
    step = Fraction(small + 4 * other, 5)
    variance = 5 * (Fraction(small**2 + 4 * other**2, 5) - step**2) + 30 * step**2
    assert tally.mean == pytest.approx(float(mean), rel=1e-12, abs=1e-9)
    assert tally.sd == pytest.approx(sqrt(variance), rel=1e-9, abs=1e-6)
    if fractions:
        assert tally.fraction == mean
    largest = result.tallies["best"].probabilities
    assert sum(largest.values()) == pytest.approx(1, abs=1e-12)
    assert min(largest) >= 0
    for x in {0, last, small, other}:  # no gain is larger than x: the last one is not, and all before are not
        quiet = (small <= x) * Fraction(1, 6) + (other <= x) * Fraction(4, 6)
        p = float((last <= x) * Fraction(1, 6) / (1 - quiet)) if x >= 0 else 0.0
        assert sum(q for value, q in largest.items() if value <= x) == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "lineup", "given"),
    [
        ("hazard-caster", (), {}),
        ("lcr", (), {"players": 3}),
        ("tossup", ("bank_over:4", "one_roll"), {"dice": 3, "target": 9}),
        ("many-dice", (), {"dice": 2, "rounds": 2}),
    ],
)
def test_both_ways_to_follow_a_tally_agree(name, lineup, given, limits):
    run = run_of(name, lineup, **given)
    by_value = answer(run, fractions=False)
    limits(spread_numbers=0)
    by_throw = answer(run, fractions=False)
    for one, other in zip(by_value.tallies, by_throw.tallies, strict=True):
        chances = dict(zip(other.spread.values.tolist(), other.spread.joint, strict=True))
        for value, row in zip(one.spread.values.tolist(), one.spread.joint, strict=True):
            assert row == pytest.approx(chances.get(value, np.zeros_like(row)), abs=3e-13)


@pytest.mark.slow
def test_without_the_distribution_of_turns_the_states_are_found_again_to_tell_who_wins(limits):
    """Edges are not kept while a large chain is solved; without them nothing else tells whose turn was the last."""
    expected = dicelab.exact("lcr", players=5)
    limits(dropped_mass=-1.0)
    found = dicelab.exact("lcr", players=5)
    assert found.tallies["turns"].spread is None
    for seat, chance in found.outcomes.items():
        assert chance.probability == pytest.approx(expected.outcomes[seat].probability, abs=1e-13)


@pytest.mark.slow
def test_edges_of_a_chain_with_runs_are_freed_before_tallies_are_followed(monkeypatch):
    targets, alive = [], []
    graph_ahead = exact_answer.graph_ahead

    def watched(*given, **more):
        graph = graph_ahead(*given, **more)
        targets.append(ref(graph.target))
        return graph

    monkeypatch.setattr(exact_answer, "graph_ahead", watched)
    monkeypatch.setattr(exact_answer, "spread", lambda *given: alive.append(targets[0]()) or spreading.spread(*given))
    assert answer(run_of("lcr", players=5), fractions=False).states == 11_613
    assert alive == [None, None]


def test_a_distribution_that_takes_too_much_memory_is_left_out(limits):
    limits(spread_values=2)
    result = dicelab.exact(Ruin, begin=3, goal=9)
    won = result.tallies["won"]
    assert (won.fraction, won.probabilities, won.left) == (0, {}, 1)
    assert won.percentile(0.5) is None
    assert won.percentile_interval(0.5) is None
    with pytest.raises(ParameterError, match="won took too much memory"):
        result.joint("won")
    with pytest.raises(ParameterError, match="won took too much memory"):
        result.given("won")
    assert result.tallies["tosses"].percentile(0.5) is not None
    highest = result.tallies["highest"]  # of a peak nothing else is known
    assert isnan(highest.mean)
    assert highest.to_dict()["mean"] is None
    assert highest.to_dict()["sd"] is None
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == json.loads(result.to_json())
    assert "won" in str(result)


class Rare(Game):
    """Wait for something rare, twice."""

    name = "rare"
    source = "made for the tests"

    often = Param(99, 1, 10**9, "how much more often nothing happens")
    seen = Int(0, 2, "times it has happened")

    waits = Tally("throws in which nothing happens")
    seen_so_far = Tally("times it has happened")

    def next(self) -> int:
        return OVER if self.seen == 2 else throw(self.die)

    @thrown(1, Die(nothing=often, something=1), SUM)
    def die(self, something: int) -> None:
        self.seen += something
        self.seen_so_far += something
        self.waits += 1 - something


@pytest.mark.slow_cases("2000")
@pytest.mark.parametrize("often", [1, 99, 2000])
def test_waiting_in_one_place(often):
    """The chance to stay is divided out, not followed."""
    result = dicelab.exact(Rare, often=often)
    assert result.tallies["waits"].fraction == 2 * often
    assert result.tallies["waits"].sd == pytest.approx(sqrt(2 * often * (often + 1)), rel=1e-12)
    seen = result.tallies["seen_so_far"]
    assert (seen.fraction, seen.sd) == (2, 0)
    assert seen.probabilities == pytest.approx({2: 1.0}, abs=1e-11)
    p = 1 / (often + 1)
    found = result.tallies["waits"].probabilities
    for n in range(100):
        assert found.get(n, 0) == pytest.approx((n + 1) * p**2 * (1 - p) ** n, rel=1e-9)


@pytest.mark.parametrize("often", [10, 10**4, 10**6])
def test_bounds_are_honest_on_long_games(often):
    graph = graph_of(Run.of(Rare, (), often=often))
    edges = ordered(graph)
    absorbed = Absorption(edges, int(np.flatnonzero(edges.order == 0)[0]), 1)
    assert abs(absorbed.chances[0] - 1) <= absorbed.imbalance
    found = absorbed.sum_of(graph.changes[edges.change, 0].astype(float))
    assert abs(found.mean - 2 * often) <= found.mean_error < 1e-3 * often
    assert abs(found.sd - sqrt(2 * often * (often + 1))) <= found.sd_error < 1e-3 * often
    assert 2 * (often + 1) <= absorbed.steps * (1 + 1e-9)


def test_a_chain_too_long_for_floating_point_says_so():
    graph = graph_of(Run.of(Rare, (), often=99))
    heavy = np.where(graph.weight == 1, 1, 2**53 - 1)
    edges = ordered(replace(graph, weight=heavy, total=np.full_like(graph.total, 2**53)))
    absorbed = Absorption(edges, int(np.flatnonzero(edges.order == 0)[0]), 1)
    with pytest.raises(PlayError, match="too long for floating point"):
        absorbed.sum_of(graph.changes[edges.change, 0].astype(float))


# Spreads alone --------------------------------------------------------------------------------------------------------


def test_moments_and_percentiles_of_a_spread():
    one = Spread(np.array([-2, 0, 5]), np.array([[0.125, 0.125], [0.5, 0.0], [0.0, 0.25]]), 0.0)
    assert one.chances.tolist() == [0.25, 0.5, 0.25]
    assert one.moments() == (0.75, sqrt(0.25 * 2.75**2 + 0.5 * 0.75**2 + 0.25 * 4.25**2))
    asked = [0.0, 0.1, 0.25, 0.26, 0.75, 0.76, 1.0]
    assert [one.percentile(p) for p in asked] == [-2, -2, -2, 0, 0, 5, 5]


def test_a_percentile_allows_for_what_is_left_out():
    one = Spread(np.array([1, 2]), np.array([[0.9 - 1e-9], [0.1]]), 1e-9)
    assert one.percentile(0.9) == 1
    assert one.percentile(0.9 + 1e-7) == 2
    assert one.percentile(1.0) == 2


class Ten(Game):
    """A die of ten."""

    name = "ten"
    source = "made for the tests"

    done = Flag("thrown")
    face = Tally("the face")

    def next(self) -> int:
        return OVER if self.done else throw(self.die)

    @thrown(1, d(10))
    def die(self, face: int) -> None:
        self.done = True
        self.face += face


@pytest.mark.parametrize("fractions", [True, False])
def test_a_share_reached_exactly_is_reached(fractions):
    """Nine tenths are not quite 0.9 when added up."""
    tally = dicelab.exact(Ten, fractions=fractions).tallies["face"]
    assert [tally.percentile(k / 10) for k in range(1, 11)] == list(range(1, 11))
    assert [tally.percentile(k / 10 + 0.01) for k in range(10)] == list(range(1, 11))


class Cubes(Game):
    """Throw until a six; the largest of the cubes of the numbers of throws."""

    name = "cubes"
    source = "made for the tests"

    most = Param(200, 1, 1000, "throws at the most")
    first = Param(0, 0, 10**9, "the peak at the start")
    throws = Int(0, most, "throws")
    over = Flag("over")

    best = Peak("the largest cube")

    def start(self) -> None:
        self.best = max(self.best, self.first)

    def next(self) -> int:
        return OVER if self.over else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        if face == 6 or self.throws == self.most:
            self.over = True
        else:
            self.throws += 1
            self.best = max(self.best, self.throws * self.throws * self.throws)


@pytest.mark.parametrize(("most", "first"), [(200, 0), (200, 100), (400, 10**9), (3, 0)])
@pytest.mark.parametrize("fractions", [True, False])
def test_the_bound_on_the_error_of_a_peak_is_honest(most, first, fractions):
    """What is left out is far away."""
    chances = [Fraction(5, 6) ** k / 6 for k in range(most)] + [Fraction(5, 6) ** most]
    mean = sum(q * max(first, k**3) for k, q in enumerate(chances))
    variance = sum(q * max(first, k**3) ** 2 for k, q in enumerate(chances)) - mean**2
    tally = dicelab.exact(Cubes, most=most, first=first, fractions=fractions).tallies["best"]
    assert abs(Fraction(tally.mean) - mean) <= tally.error
    assert abs(tally.sd - sqrt(variance)) <= tally.error
    assert tally.error <= max(0.1, 1e-6 * float(mean))


class TwoRare(Game):
    """Two rare faces must come together."""

    name = "two-rare"
    source = "made for the tests"
    outcomes = ("came", "never")

    often = Param(10**4, 1, 10**8, "how much more often nothing happens")
    done = Flag("they came")

    def next(self) -> int:
        return OVER if self.done else throw(self.dice)

    @thrown(2, Die(nothing=often, something=1), SUM)
    def dice(self, something: int) -> None:
        self.done = something == 2

    def outcome(self) -> int:
        return 0


@pytest.mark.parametrize("often", [10**2, 10**4, 10**6])
def test_a_small_chance_to_leave_keeps_its_digits(often):
    result = dicelab.exact(TwoRare, often=often, fractions=False)
    assert abs(result.outcomes["came"].probability - 1) <= min(1e-12, result.outcomes["came"].error)
    assert dicelab.exact(TwoRare, often=often).outcomes["came"].fraction == 1
