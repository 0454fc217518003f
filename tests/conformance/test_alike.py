"""A game that is alike from every seat, seen from the seat whose turn it is: the same game, position by position, and
the same answers, as without. Every game found that declares it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from unittest.mock import patch

import numpy as np
import pytest

import dicelab
from dicelab.engines.policy import PolicyOption
from dicelab.questions.policies.solution import Solution
from dicelab.rules.game import seat_count
from dicelab.runtime.arrays import Floats
from dicelab.runtime.states.symmetry import Rotation, check_symmetry
from dicelab.solver.enumeration.enumerate_python import Walk
from dicelab.solver.enumeration.expansion import Expansion
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.enumeration.unfold import turned_keys, unrolled
from dicelab.solver.exact_answer import TurnCounter
from dicelab.solver.solution.distribution import Spread
from support import GAMES, SetLimits, run_of

ALIKE = [name for name, game in GAMES.items() if game.payoffs is None and Rotation.of(game()) is not None]

LCR = [
    {"players": 2, "coins": 3},
    {"players": 3, "coins": 2, "dice": 2},
    {"players": 4, "coins": 1},
]
SMALL: dict[str, list[dict[str, object]]] = {
    "bear-off-race": [{"checkers": 1, "first_begins": False}],
    "cant-stop-race": [{"players": n, "sides": 2, "shortest": 1, "longer": 0, "needed": 1} for n in (2, 3, 4)],
    "farkle": [{"target": 300}],
    "lcr": LCR,
    "lcr-dots": LCR,
    "lcr-last-center": LCR,
    "pig": [{"target": 7}, {"players": 3, "target": 4}, {"players": 4, "target": 2}],
    "pigs": [{"target": 7}, {"target": 9, "variant": "hog", "most": 3}],
    "tossup": [
        {"dice": 2, "target": 4, "last_turn": True},
        {"dice": 3, "target": 5, "red": 2},
        {"players": 3, "dice": 2, "target": 2},
        {"players": 4, "dice": 1, "target": 2},
    ],
}
"""Parameters with two, three and four seats that make small chains. (With a last turn three play on and on.)"""

CASES = [(name, place) for name in ALIKE for place in range(len(SMALL.get(name, [{}])))]
IDS = ["-".join([name, *map(str, SMALL.get(name, [{}])[place].values())]) for name, place in CASES]
CHOICES = [case for case in CASES if GAMES[case[0]].declared.decisions]
CHANCES = [case for case in CASES if not GAMES[case[0]].declared.decisions]

every = pytest.mark.parametrize(("name", "place"), CASES, ids=IDS)
every_with_choices = pytest.mark.parametrize(("name", "place"), CHOICES, ids=[IDS[CASES.index(c)] for c in CHOICES])
every_without = pytest.mark.parametrize(("name", "place"), CHANCES, ids=[IDS[CASES.index(c)] for c in CHANCES])

ARRAYS = (
    "keys",
    "row",
    "target",
    "label",
    "weight",
    "total",
    "change",
    "changes",
    "mover",
    "turn",
    "start",
    "start_change",
)


def given(name: str, place: int) -> dict[str, object]:
    return SMALL.get(name, [{}])[place]


def free(name: str, place: int) -> tuple[int, ...]:
    """All seats where there are choices, as `solve` has it; none in a game without, as `exact` has it."""
    return tuple(range(seat_count(GAMES[name](**given(name, place))))) if GAMES[name].declared.decisions else ()


@lru_cache(maxsize=6)  # tests of a game run one after the other
def in_python(name: str, place: int, turned: bool) -> Graph:
    graph = Walk(run_of(name, **given(name, place)), free(name, place), turned).graph()
    assert graph is not None
    return graph


@contextmanager
def nothing_turned() -> Iterator[None]:
    """Answers as if no game declared anything."""

    def plain(*words: object, turned: bool = False, **more: object) -> Graph:
        return graph_of(*words, **more)

    with patch("dicelab.solver.enumeration.estimate.graph_of", plain):
        yield


def edges_by_key(graph: Graph) -> dict[tuple[int, ...], Counter[tuple[object, ...]]]:
    """For each position, by its packed numbers, how often each edge leaves it."""
    keys = [tuple(key) for key in graph.keys.tolist()]
    found: dict[tuple[int, ...], Counter[tuple[object, ...]]] = {}
    for s, key in enumerate(keys):
        edges = range(int(graph.row[s]), int(graph.row[s + 1]))
        found[key] = Counter(
            (
                int(graph.target[e]) if graph.target[e] < 0 else keys[graph.target[e]],
                int(graph.weight[graph.label[e]]),
                tuple(graph.changes[graph.change[graph.label[e]]].tolist()),
                int(graph.mover[s]),
                int(graph.total[graph.label[e]]),
            )
            for e in edges
        )
    assert len(found) == graph.states, "no position twice"
    return found


def test_the_settings_are_those_of_games_that_declare_it() -> None:
    assert set(SMALL) <= set(ALIKE)
    for name, settings in SMALL.items():
        seats = {seat_count(GAMES[name](**setting)) for setting in settings}
        two = {"bear-off-race", "farkle", "pigs"}  # farkle has too many states with three seats, the others no more
        assert seats == ({2} if name in two else {2, 3, 4}), name


@every
def test_what_is_declared_is_true(name: str, place: int) -> None:
    check_symmetry(run_of(name, **given(name, place)))


@pytest.mark.quick_cases("lcr-4-1")
@every
def test_both_enumerations_turn_alike(name: str, place: int) -> None:
    slow = in_python(name, place, True)
    fast = Expansion(run_of(name, **given(name, place)), free(name, place), turned=True).graph(
        1 << 30, lambda found, expanded: None
    )
    for key in ARRAYS:
        one, other = np.asarray(getattr(slow, key)), np.asarray(getattr(fast, key))
        assert one.shape == other.shape, key
        assert np.array_equal(one, other), key
        assert key.startswith("start") or one.dtype == other.dtype, key


@pytest.mark.slow_cases("everyday", "farkle-300", "margin", "mexico", "three-boxes", "tossup-2-4-True")
@every
def test_every_position_is_seen_from_the_seat_whose_turn_it_is(name: str, place: int) -> None:
    graph, plain = in_python(name, place, True), in_python(name, place, False)
    rotation = Rotation.of(graph.game)
    assert rotation is not None
    assert graph.turn is not None
    assert not graph.slots.column(graph.keys, rotation.turn).any()
    assert graph.turn.min() >= 0
    assert graph.turn.max() < rotation.seats
    assert not graph.turn[graph.change[graph.label[graph.target < 0]]].any(), "nothing is turned at the end"
    assert plain.states / rotation.seats <= graph.states < plain.states
    assert plain.turn is None


@pytest.mark.slow_cases("everyday", "farkle-300", "margin", "mexico", "three-boxes", "tossup-2-4-True")
@every
def test_laid_out_again_it_is_the_graph_that_is_not_turned(name: str, place: int) -> None:
    again, plain = unrolled(in_python(name, place, True)), in_python(name, place, False)
    assert again.turn is None
    assert again.states == plain.states
    assert again.edges == plain.edges
    assert again.keys[again.start].tolist() == plain.keys[plain.start].tolist()
    assert again.changes[again.start_change].tolist() == plain.changes[plain.start_change].tolist()
    assert edges_by_key(again) == edges_by_key(plain)


@pytest.mark.slow_cases("everyday", "farkle-300", "margin", "mexico", "three-boxes", "tossup-2-4-True")
@every
def test_laid_out_in_all_views_it_holds_each_position_once_for_each_seat(name: str, place: int) -> None:
    graph = in_python(name, place, True)
    rotation = Rotation.of(graph.game)
    assert rotation is not None
    whole = unrolled(graph, reached=False)
    assert whole.states == rotation.seats * graph.states
    by_key, plain = edges_by_key(whole), edges_by_key(in_python(name, place, False))
    assert plain.items() <= by_key.items()
    for by in range(rotation.seats):
        for s, key in enumerate(graph.keys.tolist()):
            expected = graph.slots.pack(rotation.turned(graph.slots.unpack(key), by))
            assert tuple(whole.keys[by * graph.states + s].tolist()) == expected
            assert rotation.seen(graph.slots.unpack(expected)) == (graph.slots.unpack(key), by)
    assert np.array_equal(turned_keys(graph.slots, rotation, graph.keys, 0), graph.keys)


# Exact answers --------------------------------------------------------------------------------------------------------


def apart(one: Spread, other: Spread, mine: Floats, theirs: Floats) -> float:
    """The sum of all differences between two distributions, either of which may be cut off sooner."""
    both = [dict(zip(s.values.tolist(), rows, strict=True)) for s, rows in ((one, mine), (other, theirs))]
    nothing = np.zeros_like(mine[0])
    return float(sum(np.abs(both[0].get(v, nothing) - both[1].get(v, nothing)).sum() for v in {**both[0], **both[1]}))


@pytest.mark.slow_cases(
    "False-lcr-dots-2-3",
    "False-lcr-dots-3-2-2",
    "False-lcr-dots-4-1",
    "False-lcr-last-center-3-2-2",
    "True-lcr-dots-2-3",
    "True-lcr-dots-3-2-2",
    "True-lcr-dots-4-1",
    "True-lcr-last-center-3-2-2",
)
@every_without
@pytest.mark.parametrize("packed", [False, True])
def test_turned_chains_are_answered_as_others(name: str, place: int, packed: bool, limits: SetLimits) -> None:
    game, parameters = GAMES[name], given(name, place)
    with nothing_turned():
        plain = dicelab.exact(game, fractions=False, **parameters)
    limits(symmetric_edges=0)
    if packed:
        limits(cached_states=0)
    found = dicelab.exact(game, fractions=False, **parameters)
    graph = in_python(name, place, True)
    assert found.states == graph.states < plain.states
    telling = TurnCounter.of(graph)
    assert telling is not None
    told = list(found.tallies)[telling.tally]
    for seat, p in plain.outcomes.items():
        assert abs(found.outcomes[seat].probability - p.probability) <= p.error + found.outcomes[seat].error
        assert found.outcomes[seat].error < 1e-11
    for tally, expected in plain.tallies.items():
        counted = found.tallies[tally]
        assert abs(counted.mean - expected.mean) <= counted.error + expected.error
        assert abs(counted.sd - expected.sd) <= counted.error + expected.error
        one, other = counted.spread, expected.spread
        assert one is not None
        assert other is not None
        assert apart(one, other, one.chances, other.chances) <= one.error + other.error
        if tally == told:
            assert apart(one, other, one.joint, other.joint) <= one.error + other.error
            assert [value for value, _ in found.joint(tally)] == one.values.tolist()
        elif len(expected.probabilities) > 1:
            with pytest.raises(dicelab.errors.ParameterError, match=f"ask for them: given='{tally}'"):
                found.joint(tally)


@pytest.mark.quick_cases("lcr-2-3", "lcr-3-2-2", "lcr-4-1")
@every_without
def test_what_is_asked_for_given_a_tally_is_told_of_a_turned_chain(name: str, place: int, limits: SetLimits) -> None:
    game, parameters = GAMES[name], given(name, place)
    with nothing_turned():
        plain = dicelab.exact(game, fractions=False, **parameters)
    limits(symmetric_edges=0)
    for tally in plain.tallies:
        found = dicelab.exact(game, fractions=False, given=tally, **parameters)
        one, other = found.tallies[tally].spread, plain.tallies[tally].spread
        assert one is not None
        assert other is not None
        assert found.joint(tally)
        assert apart(one, other, one.joint, other.joint) <= one.error + other.error
        for seat, p in plain.outcomes.items():
            assert abs(found.outcomes[seat].probability - p.probability) <= p.error + found.outcomes[seat].error


@pytest.mark.slow_cases("lcr-dots-2-3")
@every_without
def test_fractions_of_a_turned_chain_are_those_of_others(name: str, place: int, limits: SetLimits) -> None:
    game, parameters = GAMES[name], given(name, place)
    with nothing_turned():
        plain = dicelab.exact(game, fractions=True, **parameters)
    for limit in (0, 1 << 40):
        limits(symmetric_edges=limit)
        found = dicelab.exact(game, fractions=True, **parameters)
        assert found.fractions
        assert found.states == plain.states
        for seat, p in plain.outcomes.items():
            assert found.outcomes[seat].fraction == p.fraction
        for tally, expected in plain.tallies.items():
            assert found.tallies[tally].fraction == expected.fraction


# Best play ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=6)  # tests of a game run one after the other
def solved(name: str, place: int, turned: bool) -> Solution:
    if turned:
        return dicelab.solve(GAMES[name], **given(name, place))
    with nothing_turned():
        return dicelab.solve(GAMES[name], **given(name, place))


@pytest.mark.slow_cases(
    "bear-off-race-1-False",
    "everyday",
    "farkle-300",
    "margin",
    "mexico",
    "pig-3-4",
    "pigs-9-hog-3",
    "three-boxes",
    "tossup-2-4-True",
)
@every_with_choices
def test_best_play_is_worth_the_same_turned(name: str, place: int) -> None:
    found, plain = solved(name, place, True), solved(name, place, False)
    seats = seat_count(GAMES[name](**given(name, place)))
    assert plain.states / seats <= found.states < plain.states
    assert found.error < 1e-11
    assert abs(found.value - plain.value) <= found.error + plain.error
    assert list(found.outcomes) == list(plain.outcomes)
    assert sum(p.probability for p in found.outcomes.values()) == pytest.approx(1, abs=1e-12)
    for seat, chance in plain.outcomes.items():
        assert found.outcomes[seat].probability == pytest.approx(chance.probability, abs=1e-11)
    assert found.regret == pytest.approx(plain.regret, abs=1e-11)
    assert found.chasing == plain.chasing == 0
    assert found.steps == pytest.approx(plain.steps, rel=0.02)


@pytest.mark.slow_cases("everyday", "farkle-300", "margin", "mexico", "pigs-9-hog-3", "three-boxes", "tossup-2-4-True")
@every_with_choices
def test_each_move_at_each_position_is_worth_the_same_turned(name: str, place: int) -> None:
    found, plain = solved(name, place, True).policy, solved(name, place, False).policy
    assert found is not None
    assert plain is not None
    seats = seat_count(found.game)
    assert len(found) == seats * solved(name, place, True).choices
    assert len(np.unique(found.keys, axis=0)) == len(found)
    numbers = {tuple(key): i for i, key in enumerate(found.keys.tolist())}
    for i, key in enumerate(plain.keys.tolist()):
        j = numbers[tuple(key)]
        assert found.state(j) == plain.state(i)
        mine, theirs = found.options(j), plain.options(i)
        assert [option.move for option in mine] == [option.move for option in theirs]
        assert [option.worth for option in mine] == pytest.approx([option.worth for option in theirs], abs=1e-10)
        best = int(found.best[j] - found.row[j])
        assert theirs[best].worth == pytest.approx(max(option.worth for option in theirs), abs=1e-10)


@pytest.mark.slow_cases("everyday", "farkle-300", "margin", "mexico", "three-boxes", "tossup-2-4-True")
@every_with_choices
def test_a_policy_knows_each_position_from_every_seat(name: str, place: int) -> None:
    policy = solved(name, place, True).policy
    assert policy is not None
    rotation = Rotation.of(policy.game)
    assert rotation is not None
    slots = in_python(name, place, True).slots
    numbers = {slots.unpack(key): i for i, key in enumerate(policy.keys.tolist())}
    for here, i in numbers.items():
        j = numbers[rotation.turned(here, 1)]
        decision, mine, theirs = policy.decision(i), policy.options(i), policy.options(j)
        moved = [PolicyOption(rotation.moved(decision, option.move, 1), option.worth) for option in mine]
        assert sorted(moved, key=lambda option: option.move) == sorted(theirs, key=lambda option: option.move)
        best = moved[int(policy.best[i] - policy.row[i])]
        assert best == theirs[int(policy.best[j] - policy.row[j])]
        assert decision.seats or (moved == mine == theirs)


@pytest.mark.slow_cases(
    "bear-off-race-1-False", "everyday", "farkle-300", "margin", "mexico", "three-boxes", "tossup-2-4-True"
)
@every_with_choices
def test_who_gets_the_policy_in_every_seat_gets_what_solve_said(name: str, place: int, tmp_path: object) -> None:
    best = solved(name, place, True)
    assert best.policy is not None
    best.policy.save(f"{tmp_path}/best.npz")
    played = dicelab.exact(GAMES[name], f"policy:{tmp_path}/best.npz", **given(name, place))
    for seat, chance in ((name, p.probability) for name, p in best.outcomes.items()):
        assert abs(played.outcomes[seat].probability - chance) <= best.error + played.error + 1e-12
