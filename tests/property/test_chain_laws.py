"""Laws of chains: random ones against dense systems in fractions, and what must not change an answer."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dicelab.errors import EndlessGameError
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.explorer import UNRAISED
from dicelab.solver.exact_answer import answer
from dicelab.solver.solution import loops as sweeps
from dicelab.solver.solution.expectations import Absorption, Rational, values
from dicelab.solver.solution.ordering import as_packed, ordered, ordered_by
from dicelab.solver.value import ExactAnswer
from property.chains import OUTCOMES, Edge, Rows, Table, ends_for_certain, graph_of_rows, short, tables


def solved(rows: Rows, first: tuple[int, int, int] = (0, 0, UNRAISED), **how: object) -> ExactAnswer:
    """The answer for a table."""
    with patch("dicelab.solver.enumeration.estimate.graph_of", lambda *_, **__: graph_of_rows(rows, first)):
        return answer(Run.of(Table), **how)


def summed(rows: Rows, first: tuple[int, int, int] = (0, 0, UNRAISED), **how: object) -> ExactAnswer:
    """The answer for a table, without distributions: it may last for ages."""
    with patch("dicelab.solver.exact_answer.spread", lambda *_: None):
        return solved(rows, first, **how)


lawful = tables().filter(ends_for_certain)


def dense(rows: Rows, constants: list[list[Fraction]]) -> list[list[Fraction]]:
    """Solve ``x = constants + P x`` for each position by elimination in fractions; several constants at once."""
    size = len(rows)
    table = []
    for s, row in enumerate(rows):
        line = [Fraction(s == t) for t in range(size)]
        total = sum(edge.weight for edge in row)
        for edge in row:
            if edge.target >= 0:
                line[edge.target] -= Fraction(edge.weight, total)
        table.append([*line, *constants[s]])
    for i in range(size):
        pivot = next(r for r in range(i, size) if table[r][i])
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [x / table[i][i] for x in table[i]]
        for r in range(size):
            if r != i and table[r][i]:
                factor = table[r][i]
                table[r] = [x - factor * y for x, y in zip(table[r], table[i], strict=True)]
    return [line[size:] for line in table]


def expected(rows: Rows) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """Chances of the outcomes, means and variances of the two tallies that add up."""

    def mean_of(what):
        return [sum(Fraction(e.weight, sum(f.weight for f in row)) * what(e) for e in row) for row in rows]

    ends = [mean_of(lambda e, o=o: e.target == -1 - o) for o in range(OUTCOMES)]
    gains = [mean_of(lambda e, k=k: e.change[k]) for k in range(2)]
    first = dense(rows, [list(column) for column in zip(*ends, *gains, strict=True)])
    after = [[first[t][OUTCOMES + k] for t in range(len(rows))] for k in range(2)]
    squares = [
        mean_of(lambda e, k=k: e.change[k] ** 2 + 2 * e.change[k] * (after[k][e.target] if e.target >= 0 else 0))
        for k in range(2)
    ]
    second = dense(rows, [list(column) for column in zip(*squares, strict=True)])
    means = first[0][OUTCOMES:]
    return first[0][:OUTCOMES], means, [q - m * m for q, m in zip(second[0], means, strict=True)]


@pytest.mark.slow
@settings(max_examples=120)
@given(lawful, st.integers(-5, 5))
def test_fractions_are_those_of_a_dense_system(rows, first):
    chances, means, variances = expected(rows)
    found = summed(rows, (first, -first, UNRAISED), fractions=True)
    assert list(found.fractions) == chances
    assert found.error == 0
    for tally, mean, variance, begin in zip(found.tallies, means, variances, (first, -first), strict=False):
        assert tally.fraction == begin + mean
        assert tally.mean == float(begin + mean)
        assert tally.sd == pytest.approx(sqrt(variance), rel=1e-14)


@pytest.mark.slow
@settings(max_examples=150)
@given(lawful)
def test_floats_are_within_the_bound_on_their_error(rows):
    """The bounds of every sum on its own, not only the largest."""
    chances, means, variances = expected(rows)
    graph = graph_of_rows(rows)
    edges = ordered(graph)
    absorbed = Absorption(edges, edges.order.tolist().index(0), OUTCOMES)
    assert 0 <= absorbed.imbalance < 1e-3
    for got, chance in zip(absorbed.chances.tolist(), chances, strict=True):
        assert abs(Fraction(got) - chance) <= Fraction(absorbed.imbalance)
    steps = dense(rows, [[Fraction(1)] for _ in rows])
    assert Fraction(absorbed.steps) >= max(steps)[0] * (1 - Fraction(1, 10**12))
    assert absorbed.steps <= float(max(steps)[0]) * (1 + 1e-6)
    for k, (mean, variance) in enumerate(zip(means, variances, strict=True)):
        found = absorbed.sum_of(graph.changes[edges.change, k].astype(float))
        assert abs(Fraction(found.mean) - mean) <= Fraction(found.mean_error)
        low, high = (Fraction(max(0.0, found.sd + sign * found.sd_error)) for sign in (-1, 1))
        assert low**2 <= variance <= high**2
        assert found.mean_error <= 1e-9 * float(max(steps)[0]) ** 2
    answered = summed(rows, fractions=False)
    assert answered.fractions is None
    for got, chance in zip(answered.chances, chances, strict=True):
        assert abs(Fraction(got) - chance) <= Fraction(answered.error)


@pytest.mark.slow
@settings(max_examples=80)
@given(lawful, st.sampled_from([1e-3, 1e-6, 1e-9, 1e-12]), st.randoms(use_true_random=False))
def test_the_bounds_hold_for_solutions_that_are_wrong(rows, by, random):
    """They are found from what is left of the equations, however the solutions were come by."""
    chances, means, variances = expected(rows)
    graph = graph_of_rows(rows)
    edges = ordered(graph)
    start = edges.order.tolist().index(0)
    absorbed = Absorption(edges, start, OUTCOMES)
    source = np.repeat(np.arange(len(rows)), np.diff(edges.row))
    absorbed.visits *= [1 + random.uniform(-by, by) for _ in rows]
    arrives = absorbed.visits[source] * edges.chance[edges.label]
    for outcome, chance in enumerate(chances):
        assert abs(arrives[edges.target == -1 - outcome].sum() - float(chance)) <= absorbed.imbalance
    for k, (mean, variance) in enumerate(zip(means, variances, strict=True)):
        gain = graph.changes[edges.change, k].astype(float)
        wrong = values(edges, gain, np.zeros(OUTCOMES)) * [1 + random.uniform(-by, by) for _ in rows]
        found = absorbed.sum_of(gain, wrong)
        assert found.mean == wrong[start]
        assert abs(Fraction(found.mean) - mean) <= Fraction(found.mean_error)
        low, high = (Fraction(max(0.0, found.sd + sign * found.sd_error)) for sign in (-1, 1))
        assert low**2 <= variance <= high**2


@settings(max_examples=60)
@given(lawful)
def test_visits_are_those_of_a_dense_system(rows):
    edges = ordered(graph_of_rows(rows))
    absorbed = Absorption(edges, edges.order.tolist().index(0), OUTCOMES)
    for s in range(len(rows)):
        here = [[Fraction(t == s)] for t in range(len(rows))]
        times = dense(rows, here)[0][0]
        assert absorbed.visits[edges.order.tolist().index(s)] == pytest.approx(float(times), rel=1e-9)


@pytest.mark.slow
@settings(max_examples=60)
@given(lawful)
def test_elimination_does_what_sweeping_does(rows):
    one = summed(rows, fractions=False)
    with patch.object(sweeps, "PASSES", 0):
        other = summed(rows, fractions=False)
    assert one.chances == pytest.approx(other.chances, abs=one.error + other.error)
    for a, b in zip(one.tallies[:2], other.tallies[:2], strict=True):
        assert abs(a.mean - b.mean) <= a.error + b.error
        assert abs(a.sd - b.sd) <= a.error + b.error


@settings(max_examples=80)
@given(tables())
def test_a_chain_that_need_not_end_is_refused(rows):
    if ends_for_certain(rows):
        ordered(graph_of_rows(rows))
    else:
        with pytest.raises(EndlessGameError, match="one of them is: at "):
            ordered(graph_of_rows(rows))


# Distributions --------------------------------------------------------------------------------------------------------


def followed(rows: Rows, k: int, first: int) -> Counter:
    """Chances of (value, outcome), throw by throw; the tally is raised where `k` is 2."""
    playing, ended = {(0, first): 1.0}, Counter()
    while sum(playing.values()) > 1e-15:
        after = Counter()
        for (s, value), p in playing.items():
            total = sum(edge.weight for edge in rows[s])
            for edge in rows[s]:
                new = max(value, edge.change[k]) if k == 2 else value + edge.change[k]
                q = p * edge.weight / total
                if edge.target < 0:
                    ended[new, -1 - edge.target] += q
                elif q > 1e-18:
                    after[edge.target, new] += q
        playing = after
    return ended


@pytest.mark.slow
@settings(max_examples=30)
@given(short, st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.sampled_from([UNRAISED, -3, 0, 2, 7])))
def test_distributions_are_those_of_a_game_followed_throw_by_throw(rows, first):
    found = solved(rows, first)
    for k, tally in enumerate(found.tallies):
        expected = followed(rows, k, max(0, first[2]) if k == 2 else first[k])
        spread = tally.spread
        assert spread.left < 1e-11
        assert (np.diff(spread.values) > 0).all()
        joint = {(int(v), o): spread.joint[i, o] for i, v in enumerate(spread.values) for o in range(OUTCOMES)}
        for key in joint.keys() | expected.keys():
            assert abs(joint.get(key, 0.0) - expected[key]) <= spread.error + 1e-14


@pytest.mark.slow
@settings(max_examples=60)
@given(short)
def test_a_distribution_has_the_moments_and_the_marginals_of_the_sums(rows):
    found = solved(rows)
    for k, tally in enumerate(found.tallies):
        spread = tally.spread
        assert spread.joint.sum() + spread.left == pytest.approx(1, abs=1e-12)
        assert spread.joint.sum(axis=0) == pytest.approx(found.chances, abs=spread.left + 1e-13)
        mean, sd = spread.moments()
        largest = float(np.abs(spread.values).max()) + 1000
        assert mean == pytest.approx(tally.mean, abs=(spread.left + 1e-13) * largest)
        assert sd**2 == pytest.approx(tally.sd**2, abs=(spread.left + 1e-13) * largest**2)
        assert (tally.fraction is None) == (k == 2)


@pytest.mark.slow
@settings(max_examples=60)
@given(short, st.floats(0.001, 0.999))
def test_percentiles_fit_the_running_sums(rows, p):
    for tally in solved(rows).tallies:
        spread = tally.spread
        running = np.cumsum(spread.chances)
        assume(np.abs(running - p).min() > 1e-9)
        value = spread.percentile(p)
        at = spread.values.tolist().index(value)
        assert running[at] >= p
        assert at == 0 or running[at - 1] < p


# What must not change an answer ---------------------------------------------------------------------------------------


def alike(one, other):
    assert one.fractions == other.fractions
    for a, b in zip(one.tallies, other.tallies, strict=True):
        assert a.fraction == b.fraction
        assert a.sd == pytest.approx(b.sd, rel=1e-12, abs=1e-12)
        values = dict(zip(a.spread.values.tolist(), a.spread.joint, strict=True))
        others = dict(zip(b.spread.values.tolist(), b.spread.joint, strict=True))
        for value in values.keys() | others.keys():
            nothing = np.zeros(OUTCOMES)
            assert values.get(value, nothing) == pytest.approx(others.get(value, nothing), abs=1e-12)


@pytest.mark.slow
@settings(max_examples=40)
@given(short, st.randoms(use_true_random=False))
def test_the_numbers_of_the_positions_do_not_matter(rows, random):
    others = list(range(1, len(rows)))
    random.shuffle(others)
    order = [0, *others]
    number = {s: i for i, s in enumerate(order)}
    moved = [
        [Edge(number[e.target] if e.target >= 0 else e.target, e.weight, e.change) for e in rows[s]] for s in order
    ]
    alike(solved(rows, fractions=True), solved(moved, fractions=True))


@pytest.mark.slow
@settings(max_examples=40)
@given(short, st.integers(2, 10**6))
def test_a_common_factor_of_the_weights_does_not_matter(rows, factor):
    scaled = [[Edge(e.target, e.weight * factor, e.change) for e in row] for row in rows]
    alike(solved(rows, fractions=True), solved(scaled, fractions=True))


@pytest.mark.slow
@settings(max_examples=40)
@given(short)
def test_an_edge_in_two_parts_does_not_matter(rows):
    """Weights 2 w, and w and w; and the order of the edges."""
    split = [[Edge(e.target, e.weight, e.change) for e in [*row, *reversed(row)]] for row in rows]
    alike(solved(rows, fractions=True), solved(split, fractions=True))


@pytest.mark.slow
@settings(max_examples=40)
@given(short)
def test_a_position_at_which_nothing_is_decided_does_not_matter(rows):
    """Each edge by way of a position of its own, with the change on the second half."""
    more: Rows = [[] for _ in rows]
    for s, row in enumerate(rows):
        for e in row:
            more[s].append(Edge(len(more), e.weight, (0, 0, UNRAISED)))
            more.append([Edge(e.target, 1, e.change)])
    alike(solved(rows, fractions=True), solved(more, fractions=True))


@pytest.mark.slow
@settings(max_examples=40)
@given(short, st.integers(1, 50))
def test_what_is_counted_first_shifts_a_tally(rows, first):
    one, other = solved(rows, fractions=True), solved(rows, (first, -first, UNRAISED), fractions=True)
    for k, by in enumerate((first, -first)):
        assert other.tallies[k].fraction == one.tallies[k].fraction + by
        assert other.tallies[k].sd == one.tallies[k].sd
        assert other.tallies[k].spread.values.tolist() == [v + by for v in one.tallies[k].spread.values.tolist()]


# Order ----------------------------------------------------------------------------------------------------------------


def reach(rows: Rows) -> list[set[int]]:
    """Where each position can lead, itself included."""
    found = [{s} for s in range(len(rows))]
    for _ in rows:
        for s, row in enumerate(rows):
            for edge in row:
                if edge.target >= 0:
                    found[s] |= found[edge.target]
    return found


@pytest.mark.slow
@settings(max_examples=100)
@given(tables(most=12).filter(ends_for_certain))
def test_edges_lead_on_or_stay_in_a_block_of_positions_that_reach_each_other(rows):
    graph = graph_of_rows(rows)
    edges = ordered(graph)
    assert sorted(edges.order.tolist()) == list(range(len(rows)))
    assert edges.ends[-1] == len(rows)
    assert (np.diff(edges.ends) > 0).all()
    block = np.searchsorted(edges.ends, np.arange(len(rows)), side="right")
    leads = reach(rows)
    for i, s in enumerate(edges.order.tolist()):
        here = slice(int(edges.row[i]), int(edges.row[i + 1]))
        targets = edges.target[here].tolist()
        assert all(t < 0 or block[t] >= block[i] for t in targets)
        for j, t in enumerate(edges.order.tolist()):
            assert (block[i] == block[j]) == (t in leads[s] and s in leads[t])
        told = Counter()
        total = sum(e.weight for e in rows[s])
        for e in rows[s]:
            told[e.target, e.change] += e.weight / total
        found = Counter()
        for t, label in zip(targets, edges.label[here].tolist(), strict=True):
            end = int(edges.order[t]) if t >= 0 else t
            found[end, tuple(graph.changes[edges.change[label]].tolist())] += float(edges.chance[label])
        assert found == pytest.approx(told)
        assert edges.exit_probability[i] == pytest.approx(sum(p for (end, _), p in told.items() if end != s))


@pytest.mark.slow
@settings(max_examples=60)
@given(tables(most=12).filter(ends_for_certain))
def test_the_order_by_edges_that_add_nothing(rows):
    graph = graph_of_rows(rows)
    edges = ordered(graph)
    standing = graph.changes[edges.change, 0] == 0
    by = ordered_by(edges, standing)
    assert sorted(by.order.tolist()) == list(range(len(rows)))
    block = np.searchsorted(by.ends, np.arange(len(rows)), side="right")
    for i, s in enumerate(by.order.tolist()):
        here = range(int(by.row[i]), int(by.row[i + 1]))
        for e in here:
            t = int(by.target[e])
            assert t < 0 or not standing[by.label[e]] or block[t] >= block[i]
        stays = sum(e.weight for e in rows[s] if e.target == s and e.change[0] == 0) / sum(e.weight for e in rows[s])
        assert by.exit_probability[i] == pytest.approx(1 - stays)
        targets = Counter(int(by.order[by.target[e]]) if by.target[e] >= 0 else int(by.target[e]) for e in here)
        assert targets == Counter(e.target for e in rows[s])


@settings(max_examples=40)
@given(st.permutations(range(12)))
def test_a_ring_is_one_block_in_the_order_of_play(numbers):
    """Positions are found in any order; each leads to the one with the next number."""
    place = {number: s for s, number in enumerate(numbers)}
    stop = Edge(-1, 1, (0, 0, UNRAISED))
    rows = [[Edge(place[(number + 1) % 12], 5, (1, 0, UNRAISED)), stop] for number in numbers]
    graph = graph_of_rows(rows, numbers=numbers)
    assert graph.slots.column(graph.keys, 0).tolist() == list(numbers)
    edges = ordered(graph)
    assert edges.ends.tolist() == [12]
    first = numbers[edges.order[0]]
    assert [numbers[s] for s in edges.order] == [(first + i) % 12 for i in range(12)]
    assert [numbers[s] for s in as_packed(graph, edges).order] == list(range(12))


@settings(max_examples=30)
@given(short)
def test_visits_in_fractions_are_those_of_floats(rows):
    graph = graph_of_rows(rows)
    edges = ordered(graph)
    start = edges.order.tolist().index(0)
    exactly = Rational(graph, edges).exactly([graph.changes[:, 0].tolist()])
    absorbed = Absorption(edges, start, OUTCOMES)
    assert absorbed.chances == pytest.approx([float(p) for p in exactly.chances], abs=absorbed.imbalance)
