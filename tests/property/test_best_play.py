"""Best play: of random graphs against plain value iteration, and of random games against the policy that is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab
from dicelab.rules import OVER, Game, Int
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Slots
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.value_iteration import optimum
from support import GAMES, labelled

OUTCOMES = 3
GAINS = (0.0, 1.0, -2.0, 0.5)


class Table(Game):
    """Stands for the graph of some game: a position is a number."""

    name = "table"
    source = "made for the tests"
    outcomes = ("a", "b", "c")

    at = Int(0, 1000, "number of the position")

    def next(self) -> int:
        return OVER

    def outcome(self) -> int:
        return 0


@dataclass(frozen=True)
class Position:
    """Who chooses (-1: dice are thrown), and each edge: target, weight, row of `GAINS`."""

    mover: int
    edges: list[tuple[int, int, int]]


def graph_of_positions(positions):
    slots = Slots.of(Table(), ())
    edges = [edge for position in positions for edge in position.edges]
    chance = [position.mover < 0 for position in positions for _ in position.edges]
    places = [i for position in positions for i in range(len(position.edges))]
    weight = [edge[1] if thrown else i for edge, thrown, i in zip(edges, chance, places, strict=True)]
    total = [sum(w for _, w, _ in p.edges) if p.mover < 0 else 1 for p in positions for _ in p.edges]
    return Graph(
        Run.of(Table).game,
        (),
        slots,
        0,
        0,
        np.array([slots.pack([n]) for n in range(len(positions))], np.uint64).reshape(-1, slots.words),
        np.cumsum([0, *(len(position.edges) for position in positions)]),
        np.array([target for target, _, _ in edges], np.int32),
        *labelled(zip(weight, total, [change for _, _, change in edges], strict=True)),
        np.arange(len(GAINS), dtype=np.int64).reshape(-1, 1),
        np.array([position.mover for position in positions], np.int32),
    )


@st.composite
def tables(draw, seats, free_moves=False):
    """From every throw a game may end at once. Moves lead to throws or to the end; free moves also to choices."""
    size = draw(st.integers(1, 7))
    movers = [-1, *draw(st.lists(st.integers(-1, seats - 1), min_size=size - 1, max_size=size - 1))]
    ends = st.integers(-OUTCOMES, -1)
    found = []
    for mover in movers:
        allowed = range(size) if mover < 0 or free_moves else [s for s in range(size) if movers[s] < 0]
        change = st.just(0) if free_moves and mover >= 0 else st.integers(0, len(GAINS) - 1)
        edge = st.tuples(st.sampled_from(list(allowed)) | ends, st.integers(1, 9), change)
        edges = draw(st.lists(edge, min_size=1, max_size=4))
        if mover < 0 or free_moves:
            edges.append((draw(ends), draw(st.integers(1, 9)), 0))
        found.append(Position(mover, edges))
    return found


def worths(positions, prize, values):
    """For each position what each edge is worth."""
    return [
        np.array([GAINS[change] + (prize[-1 - t] if t < 0 else values[t]) for t, _, change in p.edges])
        for p in positions
    ]


def backed_up(position, worth, side):
    """The value of a position, given what its edges are worth."""
    if position.mover < 0:
        weights = np.array([weight for _, weight, _ in position.edges])
        return float(weights @ worth) / weights.sum()
    return float(max(worth) if side[position.mover] > 0 else min(worth))


def iterated(positions, prize, side):
    values = np.zeros(len(positions))
    for _ in range(20_000):
        edges = worths(positions, prize, values)
        new = np.array([backed_up(p, w, side) for p, w in zip(positions, edges, strict=True)])
        if np.abs(new - values).max() < 1e-15:
            break
        values = new
    return values


def check(positions, prize, side, proved=True):
    graph = graph_of_positions(positions)
    best = optimum(graph, np.array(side, np.int8), np.array(GAINS), np.array(prize))
    expected = iterated(positions, prize, side)
    for s, position in enumerate(positions):
        assert best.error(s) < 1e-9 or not proved
        assert abs(best.value[s] - expected[s]) <= min(best.error(s), 1e-9) + 1e-11
        assert (best.picked[s] >= 0) == (position.mover >= 0)
        if position.mover >= 0:
            worth = worths(positions, prize, expected)[s]
            picked = worth[best.picked[s] - graph.row[s]]
            assert picked == pytest.approx(backed_up(position, worth, side), abs=1e-9)
    return best, graph


PRIZES = st.lists(st.sampled_from([0.0, 1.0, 0.25, -3.0]), min_size=OUTCOMES, max_size=OUTCOMES)


@pytest.mark.slow
@given(tables(1), PRIZES, st.sampled_from([1, -1]))
@settings(max_examples=200)
def test_one_seat_plays_its_best(positions, prize, side):
    check(positions, prize, [side])


@pytest.mark.slow
@given(tables(2), PRIZES)
@settings(max_examples=200)
def test_two_seats_play_their_best(positions, prize):
    check(positions, prize, [1, -1])


@pytest.mark.slow
@given(tables(2), PRIZES)
@settings(max_examples=100)
def test_the_moves_found_are_worth_what_is_said_and_take_about_so_many_steps(positions, prize):
    best, graph = check(positions, prize, [1, -1])
    size = len(positions)
    matrix, gain = np.eye(size), np.zeros(size)
    for s, position in enumerate(positions):
        rows = range(int(graph.row[s]), int(graph.row[s + 1]))
        taken = rows if position.mover < 0 else [int(best.picked[s])]
        for e in taken:
            chance = graph.chance[graph.label[e]]
            t = int(graph.target[e])
            gain[s] += chance * (GAINS[graph.change[graph.label[e]]] + (prize[-1 - t] if t < 0 else 0.0))
            if t >= 0:
                matrix[s, t] -= chance
    assert np.linalg.solve(matrix, gain) == pytest.approx(best.value, abs=1e-10)
    assert best.steps == pytest.approx(np.linalg.solve(matrix, np.ones(size)), rel=0.01)


@pytest.mark.slow
@given(tables(1, free_moves=True), PRIZES, st.sampled_from([1, -1]))
@settings(max_examples=100)
def test_moves_that_lead_back_to_a_choice_for_nothing(positions, prize, side):
    """Where passing forever is a move, it counts for nothing that a game never ends: prizes are what is won or lost."""
    shifted = [p - min(prize) for p in prize] if side > 0 else [p - max(prize) for p in prize]
    plain = [Position(p.mover, [(t, w, 0) for t, w, _ in p.edges]) for p in positions]
    check(plain, shifted, [side], proved=False)


# Whole games ----------------------------------------------------------------------------------------------------------

TOSSUPS = st.fixed_dictionaries(
    {
        "dice": st.integers(1, 3),
        "target": st.integers(1, 6),
        "red": st.integers(0, 4),
        "yellow": st.integers(0, 3),
        "green": st.integers(1, 4),
        "last_turn": st.booleans(),
    }
)
OTHERS = {"tossup": ["one_roll", "bank_over:0", "bank_over_or_win:3"], "pig": ["hold_at:1", "hold_at:4", "hold_at:20"]}


def no_better_answer(name, parameters, folder):
    """The policy is worth what was said, no best answer to it is worth more, nor is any strategy declared."""
    game, file = GAMES[name], str(folder / "best.npz")
    best = dicelab.solve(game, **parameters)
    best.policy.save(file)
    policy = f"policy:{file}"
    played = dicelab.exact(game, [policy, policy], **parameters)
    error = best.error + played.error + 1e-12
    assert abs(played.outcomes["0"].probability - best.value) <= error
    for seat, worth in enumerate((best.value, 1 - best.value)):
        answer = dicelab.solve(game, policy, seat=seat, **parameters)
        assert abs(answer.value - worth) <= answer.error + error
        for other in OTHERS[name]:
            lineup = [other, policy] if seat == 0 else [policy, other]
            found = dicelab.exact(game, lineup, **parameters)
            assert found.outcomes[str(seat)].probability <= worth + found.error + error
            against = dicelab.solve(game, other, seat=seat, **parameters)
            mine = dicelab.exact(game, lineup[::-1], **parameters).outcomes[str(seat)]
            assert worth - error <= mine.probability <= against.value + against.error + error


@pytest.mark.slow
@given(parameters=TOSSUPS)
@settings(max_examples=8)
def test_nobody_does_better_than_best_play_at_toss_up(parameters, tmp_path_factory):
    no_better_answer("tossup", parameters, tmp_path_factory.mktemp("tossup"))


@pytest.mark.quick_cases("2")
@pytest.mark.parametrize("target", [2, 5, 9, 14])
def test_nobody_does_better_than_best_play_at_pig(target, tmp_path):
    no_better_answer("pig", {"target": target}, tmp_path)


@pytest.mark.slow_cases("pig-parameters1")
@pytest.mark.parametrize(("name", "parameters"), [("tossup", {"dice": 2, "target": 4}), ("pig", {"target": 7})])
def test_of_three_seats_none_gains_by_playing_otherwise(name, parameters, tmp_path):
    game, file = GAMES[name], str(tmp_path / "best.npz")
    best = dicelab.solve(game, players=3, **parameters)
    assert sum(p.probability for p in best.outcomes.values()) == pytest.approx(1)
    best.policy.save(file)
    played = dicelab.exact(game, f"policy:{file}", players=3, **parameters)
    for seat, chance in enumerate(p.probability for p in best.outcomes.values()):
        assert abs(played.outcomes[str(seat)].probability - chance) <= best.error + played.error + 1e-12
        answer = dicelab.solve(game, f"policy:{file}", seat=seat, players=3, **parameters)
        assert abs(answer.value - chance) <= answer.error + best.error + 1e-12
