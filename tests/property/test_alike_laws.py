"""Laws of games that are alike from every seat: random races turned and not, and the loops that they rely on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dicelab
from dicelab.limits import limited
from dicelab.rules import COUNTS, OVER, Die, Game, Int, Ints, Param, Tally, ask, chosen, strategy, throw, thrown
from dicelab.rules.fields import Seat
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.explorer import UNRAISED
from dicelab.runtime.states.symmetry import Rotation, check_symmetry
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.enumeration.unfold import unrolled
from dicelab.solver.solution.distribution import ChainTally, Spread, spread
from dicelab.solver.solution.ordering import as_packed, ordered
from property.chains import graph_of_rows, short


class Race(Game):
    """First to the target: each face is worth something, and passes the die on or leaves it."""

    source = "made for the tests"

    players = Param(2, 2, 4, "players")
    target = Param(2, 1, 4, "points that win")
    first = Param(0, 0, 3, "who begins")
    taken = Param(0, 0, 2, "points taken from the next player by the last face")
    w0, w1, w2 = (Param(1, 0, 9, "weight of a face") for _ in range(3))
    p0, p1, p2 = (Param(1, 0, 3, "points of a face") for _ in range(3))
    s0, s1, s2 = (Param(1, 0, 3, "seats by which a face passes the die on") for _ in range(3))
    seats = players

    scores = Ints(players, 0, 7, "points", by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    best = Seat(players, "who scored last", nobody=True)

    turns = Tally("seats by which the die was passed on")
    throws = Tally("throws")
    points = Tally("points, less those taken")

    def refuse(self):
        faces = ((self.w0, self.p0), (self.w1, self.p1), (self.w2, self.p2 * (1 - min(1, self.taken))))
        return "" if any(w * p > 0 for w, p in faces) else "nobody ever scores"

    def start(self):
        self.player = self.first % self.players
        self.turns += self.first % self.players

    def next(self):
        return OVER if max(self.scores) >= self.target else throw(self.die)

    @thrown(1, Die(a=w0, b=w1, c=w2), COUNTS)
    def die(self, a, b, c):
        self.throws += 1
        self.take(self.p0 * a + self.p1 * b + self.p2 * c, self.s0 * a + self.s1 * b + self.s2 * c, self.taken * c)

    def take(self, points, by, taken):
        self.scores[self.player] += points
        self.points += points
        if points > 0:
            self.best = self.player
        after = (self.player + 1) % self.players
        lost = min(taken, self.scores[after])
        self.scores[after] -= lost
        self.points -= lost
        if max(self.scores) < self.target:
            self.player = (self.player + by) % self.players
            self.turns += by

    def outcome(self):
        return self.scores.index(max(self.scores))


class Choice(Race):
    """Nothing is taken from others; of the points thrown one may take all, or 1 and pass the die a seat further."""

    face = Int(0, 3, "the face that was thrown")
    chooser = Param(0, 0, 3, "how many seats further is whoever chooses")

    def next(self):
        if max(self.scores) >= self.target:
            return OVER
        if self.face:
            return ask(self.pick, (self.player + self.chooser) % self.players)
        return throw(self.die)

    @thrown(1, Die(a=Race.w0, b=Race.w1, c=Race.w2), COUNTS)
    def die(self, a, b, c):
        self.throws += 1
        points = self.p0 * a + self.p1 * b + self.p2 * c
        if points > 0:
            self.face = a + 2 * b + 3 * c
        else:
            self.take(0, self.s0 * a + self.s1 * b + self.s2 * c, 0)

    @chosen(2)
    def pick(self, more):
        points = self.p0 if self.face == 1 else self.p1 if self.face == 2 else self.p2
        by = self.s0 if self.face == 1 else self.s1 if self.face == 2 else self.s2
        self.face = 0
        self.take(points if more else 1, by if more else by + 1, 0)


@strategy(Choice)
def takes(game):
    return 1


PARAMETERS = st.fixed_dictionaries(
    {
        "players": st.integers(2, 4),
        "target": st.integers(1, 3),
        "first": st.integers(0, 3),
        "taken": st.integers(0, 2),
        **{f"w{i}": st.integers(0, 9) for i in range(3)},
        **{f"{what}{i}": st.integers(0, 3) for what in "ps" for i in range(3)},
    }
)


@contextmanager
def nothing_turned() -> Iterator[None]:
    """Answers as if no game declared anything."""

    def plain(*words: object, turned: bool = False, **more: object) -> Graph:
        return graph_of(*words, **more)

    with patch("dicelab.solver.enumeration.estimate.graph_of", plain):
        yield


def lawful(game, parameters):
    """A game with these parameters in which somebody scores at last."""
    try:
        return Run.of(game, **parameters)
    except dicelab.errors.ParameterError:
        assume(False)


def apart(one: Spread, other: Spread, outcomes: bool) -> float:
    """The sum of all differences between two distributions, either of which may be cut off sooner."""
    found: dict[int, np.ndarray] = {}
    for sign, s in ((1, one), (-1, other)):
        rows = s.joint if outcomes else s.joint.sum(axis=1, keepdims=True)
        for value, row in zip(s.values.tolist(), rows, strict=True):
            found[value] = found.get(value, 0.0) + sign * row
    return float(sum(np.abs(row).sum() for row in found.values()))


@pytest.mark.slow
@settings(max_examples=60)
@given(PARAMETERS)
def test_random_races_are_answered_the_same_turned(parameters):
    run = lawful(Race, parameters)
    check_symmetry(run)
    with nothing_turned():
        plain = dicelab.exact(Race, fractions=False, **parameters)
    with limited(symmetric_edges=0):
        found = dicelab.exact(Race, fractions=False, **parameters)
    turned = graph_of(run, turned=True)
    assert found.states == turned.states <= plain.states
    assert unrolled(turned).states == plain.states
    for seat, p in plain.outcomes.items():
        assert abs(found.outcomes[seat].probability - p.probability) <= p.error + found.outcomes[seat].error
    for tally, expected in plain.tallies.items():
        counted = found.tallies[tally]
        assert abs(counted.mean - expected.mean) <= counted.error + expected.error
        assert abs(counted.sd - expected.sd) <= counted.error + expected.error
        one, other = counted.spread, expected.spread
        assert apart(one, other, False) <= one.error + other.error
        if tally == "turns":
            assert apart(one, other, True) <= one.error + other.error


@pytest.mark.slow
@settings(max_examples=20)
@given(PARAMETERS)
def test_random_races_have_the_same_fractions_turned(parameters):
    lawful(Race, parameters)
    found = dicelab.exact(Race, fractions=True, **parameters)
    with nothing_turned():
        plain = dicelab.exact(Race, fractions=True, **parameters)
    assert [p.fraction for p in found.outcomes.values()] == [p.fraction for p in plain.outcomes.values()]
    assert [t.fraction for t in found.tallies.values()] == [t.fraction for t in plain.tallies.values()]


@pytest.mark.slow
@settings(max_examples=100)
@given(PARAMETERS, st.integers(0, 1))
def test_two_seats_play_random_races_the_same_turned(parameters, chooser):
    parameters = {**parameters, "players": 2, "chooser": chooser}
    lawful(Choice, parameters)
    try:
        with nothing_turned():
            plain = dicelab.solve(Choice, **parameters)
    except dicelab.errors.EndlessGameError as error:
        with pytest.raises(type(error)):
            dicelab.solve(Choice, **parameters)
        return
    found = dicelab.solve(Choice, **parameters)
    assert np.isfinite(found.error) >= np.isfinite(plain.error)
    assume(np.isfinite(plain.error))
    assert abs(found.value - plain.value) <= found.error + plain.error
    for seat, chance in found.outcomes.items():
        assert abs(chance.probability - plain.outcomes[seat].probability) <= found.error + plain.error
    numbers = {tuple(key): i for i, key in enumerate(found.policy.keys.tolist())}
    for i, key in enumerate(plain.policy.keys.tolist()):
        j = numbers[tuple(key)]
        mine, theirs = found.policy.options(j), plain.policy.options(i)
        assert [option.move for option in mine] == [option.move for option in theirs]
        assert [option.worth for option in mine] == pytest.approx([option.worth for option in theirs], abs=1e-9)
        best = theirs[int(found.policy.best[j] - found.policy.row[j])]
        assert best.worth == pytest.approx(max(option.worth for option in theirs), abs=1e-9)


@pytest.mark.slow
@settings(max_examples=15)
@given(parameters=PARAMETERS, players=st.integers(3, 4), chooser=st.integers(0, 3))
def test_of_three_seats_and_more_nobody_gains_by_playing_otherwise_in_random_races(
    parameters, players, chooser, tmp_path_factory
):
    """There may be several ways to play that answer each other, so that values may differ."""
    parameters = {**parameters, "players": players, "target": min(2, parameters["target"]), "chooser": chooser}
    lawful(Choice, parameters)
    try:
        found = dicelab.solve(Choice, **parameters)
    except dicelab.errors.EndlessGameError:
        return
    assume(np.isfinite(found.error))
    assert found.chasing > 0 or found.error < 1e-9
    file = tmp_path_factory.mktemp("race") / "best.npz"
    found.policy.save(file)
    played = dicelab.exact(Choice, f"policy:{file}", **parameters)
    for seat, chance in ((seat, found.outcomes[seat].probability) for seat in found.outcomes):
        assert abs(played.outcomes[seat].probability - chance) <= played.error + 1e-11
        answer = dicelab.solve(Choice, f"policy:{file}", seat=int(seat), **parameters)
        assert chance - answer.error - 1e-11 <= answer.value <= chance + found.error + answer.error + 1e-11


@settings(max_examples=100)
@given(st.data())
def test_turning_a_position_there_and_back(data):
    rotation = Rotation.of(Race(players=data.draw(st.integers(2, 4))))
    seats = rotation.seats
    here = (
        data.draw(st.integers(0, seats - 1)),
        data.draw(st.integers(-1, seats - 1)),
        *data.draw(st.lists(st.integers(0, 7), min_size=seats, max_size=seats)),
    )
    one, other = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9))
    assert rotation.turned(rotation.turned(here, one), other) == rotation.turned(here, one + other)
    assert rotation.turned(here, seats) == here
    seen, by = rotation.seen(here)
    assert seen[0] == 0
    assert rotation.turned(seen, by) == here


# Loops ----------------------------------------------------------------------------------------------------------------


def spread_of(graph, edges, k):
    return spread(edges, ChainTally.of(graph, k, edges), graph.outcomes)


@pytest.mark.slow
@settings(max_examples=60)
@given(short, st.data())
def test_the_order_of_the_states_does_not_change_a_distribution(rows, data):
    numbers = data.draw(st.permutations(range(len(rows))))
    graph = graph_of_rows(rows, (0, 0, UNRAISED), numbers)
    edges = ordered(graph)
    near = as_packed(graph, edges)
    assert graph.slots.column(graph.keys, 0)[near.order].tolist() == sorted(numbers)
    for k in (0, 1):  # one never falls, the other rises and falls
        plain = spread_of(graph, edges, k)
        packed = spread_of(graph, near, k)
        assert apart(packed, plain, True) <= packed.left + plain.left + 1e-13
        with limited(interpreted_edges=0):
            compiled = spread_of(graph, near, k)
        assert apart(compiled, packed, True) <= 1e-13


def test_an_option_is_worth_what_the_seat_that_chooses_gets_from_it():
    """Seat 1 chooses for seat 0, which wins with either option; seen from the seat whose turn it is, it is seat 0."""
    weights = {"w0": 0, "w1": 0, "w2": 1, "p0": 0, "p1": 0, "p2": 1, "s0": 0, "s1": 0, "s2": 0}
    policy = dicelab.solve(Choice, players=2, target=1, first=0, taken=0, chooser=1, **weights).policy
    worths = [option.worth for i in range(len(policy.keys)) for option in policy.options(i)]
    assert worths == [0.0] * 4
