"""Chains in half-steps (`dicelab.solver.solution.runs`) beside the same chains edge by edge."""

from __future__ import annotations

import numpy as np
import pytest

from dicelab.limits import LIMITS
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.exact_answer import answer
from dicelab.solver.solution import backward, loops
from dicelab.solver.solution.backward import Process
from dicelab.solver.solution.distribution import ChainTally, spread
from dicelab.solver.solution.expectations import Absorption, values
from dicelab.solver.solution.ordering import components, ordered
from dicelab.solver.solution.runs import HalfSteps
from support import run_of

CHAINS = [
    ("lcr", (), {"players": 3}, True),
    ("lcr", (), {"players": 4, "coins": 2, "dice": 2}, True),
    ("lcr", (), {"players": 4}, False),
    ("lcr-wild", (), {"players": 3}, True),
    ("tossup", ("bank_over:4", "one_roll"), {"target": 12, "dice": 3}, False),
    ("pig", (), {"target": 12}, False),
    ("hazard-caster", (), {"losses": 3}, False),
    ("pass-line", (), {}, False),
]


@pytest.fixture(params=[LIMITS.interpreted_edges, 0], ids=["interpreted", "compiled"])
def any_runs(request, limits):
    """Runs are looked for in small chains too, and used however short they are."""
    limits(run_edges=0, run_length=0, interpreted_edges=request.param)


def runs_of(graph):
    """The runs of a graph, if they are long enough."""
    return HalfSteps.of(graph, *components(graph.row, graph.target))


def edges_again(found):
    """All edges that runs stand for: (state, next state or outcome, change, chance), by states of the graph."""
    again = []
    for r, s in enumerate(found.begin[:-1]):
        for i in range(found.begin[r + 1] - s):
            for j in range(found.row[r], found.row[r + 1]):
                a = found.place[j] + i
                leads = found.leads[a]
                chance = round(found.chance[found.line_label[j]], 15)
                to = found.order[leads] if leads >= 0 else leads
                again.append((found.order[s + i], to, found.place_change[a], chance))
    return sorted(again)


@pytest.mark.slow_cases(
    "compiled-lcr-()-{'players': 4}-False",
    "compiled-lcr-wild-()-{'players': 3}-True",
    "interpreted-lcr-()-{'players': 4}-False",
    "interpreted-lcr-wild-()-{'players': 3}-True",
)
@pytest.mark.usefixtures("any_runs")
@pytest.mark.parametrize(("name", "lineup", "given", "turned"), CHAINS, ids=str)
def test_runs_are_the_edges(name, lineup, given, turned):
    graph = graph_of(run_of(name, lineup, **given), turned=turned)
    edges = ordered(graph)
    found = runs_of(graph)
    assert sorted(found.order) == list(range(graph.states))
    component = np.repeat(np.arange(len(edges.ends)), np.diff(edges.ends, prepend=0))
    assert component[np.argsort(edges.order)[found.order]].tolist() == component.tolist()
    assert found.ends.tolist() == edges.ends.tolist()
    assert found.begin[found.run_ends].tolist() == edges.ends.tolist()
    source = np.repeat(np.arange(graph.states), np.diff(graph.row))
    expected = zip(source, graph.target, graph.change[graph.label], graph.chance[graph.label], strict=True)
    expected = sorted((s, t, k, round(p, 15)) for s, t, k, p in expected)
    assert edges_again(found) == expected
    whole = found.whole()
    source = found.order[np.repeat(np.arange(graph.states), np.diff(whole.row))]
    target = np.where(whole.target < 0, whole.target, found.order[np.maximum(whole.target, 0)])
    listed = zip(source, target, whole.change[whole.label], whole.chance[whole.label].round(15), strict=True)
    assert sorted(listed) == expected
    assert found.edge_count == graph.edges
    for s, places in enumerate(zip(found.back_row, found.back_row[1:], strict=False)):
        assert found.back[slice(*places)].tolist() == np.flatnonzero(found.leads == s).tolist()
    inner = found.leads[: found.place_ends[-1]]
    assert (inner >= 0).all()
    assert (found.leads[found.place_ends[-1] :] < 0).all()
    assert component[inner].tolist() == sorted(component[inner])


@pytest.mark.slow_cases(
    "compiled-lcr-()-{'players': 4}-False",
    "compiled-lcr-wild-()-{'players': 3}-True",
    "interpreted-hazard-caster-()-{'losses': 3}-False",
    "interpreted-lcr-()-{'players': 3}-True",
    "interpreted-lcr-()-{'players': 4, 'coins': 2, 'dice': 2}-True",
    "interpreted-lcr-()-{'players': 4}-False",
    "interpreted-lcr-wild-()-{'players': 3}-True",
    "interpreted-tossup-('bank_over:4', 'one_roll')-{'target': 12, 'dice': 3}-False",
)
@pytest.mark.usefixtures("any_runs")
@pytest.mark.parametrize(("name", "lineup", "given", "turned"), CHAINS, ids=str)
def test_bounds_by_runs_are_those_edge_by_edge(name, lineup, given, turned):
    """Of values and visits that are a little off, so that each bound says by how much."""
    graph = graph_of(run_of(name, lineup, **given), turned=turned)
    found, prize = runs_of(graph), np.linspace(0.0, 1.0, graph.outcomes)
    whole, shaken = found.whole(), 1.0 + 1e-3 * np.sin(np.arange(graph.states))
    gain = 1.0 + np.abs(graph.changes.sum(axis=1)[whole.change] % 5.0)
    value, steps = (values(whole, gain, prize) * shaken, values(whole, np.ones(len(gain)), 0 * prize) * 1.01)
    process = Process.of(whole, gain)
    given = value, prize, steps, process.first, whole.roundings, np.empty(0, np.int64)
    least, most = process.run(backward.proof_range, *given)
    assert found.error_per_step(gain, prize, value, steps) == pytest.approx(least if least <= most else np.inf)
    visits = Absorption(whole, whole.start, graph.outcomes).visits * shaken
    outcome, mass = found.exits(visits)
    last = np.flatnonzero(whole.target < 0)
    source = np.searchsorted(whole.row, last, side="right") - 1
    listed = zip((-1 - whole.target[last]).tolist(), (visits[source] * whole.chance[whole.label[last]]), strict=True)
    assert np.array(sorted(zip(outcome.tolist(), mass, strict=True))) == pytest.approx(np.array(sorted(listed)))
    (one, two), (some, many) = np.zeros((2, graph.states)), np.zeros((2, graph.states), np.int32)
    found.arrivals(visits, one, some)
    whole.run(loops.arrivals, visits, two, many)
    assert one == pytest.approx(two)
    assert some.tolist() == many.tolist()
    variance, error, largest = whole.run(loops.variances, whole.roundings, gain, 0 * prize, value, 1e-6, visits)
    assert found.variances(gain, value, 1e-6, visits) == pytest.approx((variance, error, largest), rel=1e-6)


@pytest.mark.slow_cases(
    "compiled-lcr-()-{'players': 4}-False",
    "compiled-lcr-wild-()-{'players': 3}-True",
    "interpreted-hazard-caster-()-{'losses': 3}-False",
    "interpreted-lcr-()-{'players': 3}-True",
    "interpreted-lcr-()-{'players': 4, 'coins': 2, 'dice': 2}-True",
    "interpreted-lcr-()-{'players': 4}-False",
    "interpreted-lcr-wild-()-{'players': 3}-True",
    "interpreted-tossup-('bank_over:4', 'one_roll')-{'target': 12, 'dice': 3}-False",
)
@pytest.mark.usefixtures("any_runs")
@pytest.mark.parametrize(("name", "lineup", "given", "turned"), CHAINS, ids=str)
def test_answers_by_runs_are_those_edge_by_edge(name, lineup, given, turned):
    graph = graph_of(run_of(name, lineup, **given), turned=turned)
    edges, found, none = ordered(graph), runs_of(graph), np.zeros(graph.outcomes)
    same = np.argsort(edges.order)[found.order]
    plain, other = (Absorption(which, which.start, graph.outcomes) for which in (edges, found))
    assert other.visits == pytest.approx(plain.visits[same], rel=1e-12, abs=1e-15)
    assert np.abs(other.chances - plain.chances).sum() <= plain.imbalance + other.imbalance
    for k in range(graph.changes.shape[1]):
        tally = ChainTally.of(graph, k, edges)
        if not tally.peak:
            gain = tally.floats
            expected = values(edges, gain, none)[same]
            assert values(found, gain, none) == pytest.approx(expected, rel=1e-12, abs=1e-15)
            assert abs(plain.sum_of(gain).sd - other.sum_of(gain).sd) <= 2 * plain.sum_of(gain).sd_error
        one, two = (spread(which, tally, graph.outcomes) for which in (edges, found))
        most = 1 + max(one.values.max(), two.values.max())
        both = np.zeros((2, most - min(0, one.values.min()), graph.outcomes))
        both[0, one.values], both[1, two.values] = one.joint, two.joint
        assert np.abs(both[0] - both[1]).sum() <= one.left + two.left + plain.imbalance


@pytest.mark.slow
def test_runs_of_lcr_are_long_and_the_answer_is_the_same(limits):
    """The numbers that follow from others (who has coins, whose turn it is) come last."""
    graph = graph_of(run_of("lcr", players=6), turned=True)
    found = runs_of(graph)
    assert graph.states > 60 * (len(found.begin) - 1)
    assert len(found.place) < graph.edges / 50
    plain = answer(run_of("lcr", players=6))
    limits(run_edges=1 << 60)
    other = answer(run_of("lcr", players=6))
    assert plain.chances == pytest.approx(other.chances, abs=plain.error + other.error)
    for one, two in zip(plain.tallies, other.tallies, strict=True):
        assert abs(one.mean - two.mean) <= one.error + two.error
        assert abs(one.sd - two.sd) <= one.error + two.error


def test_short_runs_are_not_used():
    graph = graph_of(run_of("tossup", ("bank_over:20",), target=50))
    assert graph.edges > LIMITS.run_edges
    assert runs_of(graph) is None


def test_chains_on_which_passes_converge_slowly_are_solved_edge_by_edge(monkeypatch):
    graph = graph_of(run_of("lcr", players=5), turned=True)
    edges = ordered(graph)
    found, one, none = runs_of(graph), np.ones(len(edges.chance)), np.zeros(5)
    expected = values(edges, one, none)[np.argsort(edges.order)[found.order]]
    monkeypatch.setattr(HalfSteps, "values", lambda *_: None)
    monkeypatch.setattr(HalfSteps, "expected_visits", lambda *_: None)
    assert values(found, one, none) == pytest.approx(expected, rel=1e-12)
    assert Absorption(found, found.start, 5).imbalance < 1e-12
