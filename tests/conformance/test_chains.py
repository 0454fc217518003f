"""The compiled enumeration finds the positions that plain Python finds, number by number, for every game and strategy
found; and what the chain comes to is what many games come to.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import count

import numpy as np
import pytest

import dicelab
from conformance.chain_settings import FREE, QUICK, SMALL
from dicelab.errors import TooLarge
from dicelab.limits import limited
from dicelab.rules.fields import Peak
from dicelab.rules.params import value_of
from dicelab.runtime.states.explorer import UNRAISED
from dicelab.solver.enumeration.enumerate_python import Walk
from dicelab.solver.enumeration.expansion import Expansion
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.enumeration.model import Graph
from significance import distribution_differs, mean_differs
from support import CASE_IDS, CASES, EVERY_GAME, FEW_CASES, GAMES, MAIN_CASES, SetLimits, run_of, slow_unless

LABELLED = ("label", "weight", "total", "change")
PATIENCE = 250
"""Looks (each of 64 branches at the most) after which the enumeration in plain Python is stopped: what it has found
until then is compared, the first positions of a larger chain."""
MEMORY = 64 << 20
"""Chains that need more bytes than this are not solved here."""
GAMES_PLAYED = 200_000
SEED = 1812  # Laplace, Théorie analytique des probabilités

MANY = {"lcr": {"players": 30}, "tossup": {"players": 8, "last_turn": "yes"}}
"""Parameters with which a position takes several words of 64 bits."""

FREE_IDS = [f"{name}-{'+'.join(line)}-free-{'+'.join(map(str, free))}" for name, line, free in FREE]
EVERY = [(*case, ()) for case in CASES] + FREE
EVERY_IDS = CASE_IDS + FREE_IDS


every = pytest.mark.parametrize(("name", "lineup", "free"), slow_unless(QUICK.__contains__, EVERY), ids=EVERY_IDS)


class Enough(Exception):
    """Positions enough have been expanded."""


@lru_cache(maxsize=6)  # tests of a game run one after the other
def in_python(name: str, lineup: tuple[str, ...], free: tuple[int, ...]) -> tuple[Walk, Graph | None]:
    """The chain in plain Python; no graph where it is too large."""
    found = Walk(run_of(name, lineup, **SMALL.get(name, {})), free)
    looks = count()
    return found, found.graph(lambda found, expanded: next(looks) < PATIENCE)


@lru_cache(maxsize=6)  # tests of a game run one after the other
def compiled(name: str, lineup: tuple[str, ...], free: tuple[int, ...]) -> dict[str, np.ndarray | int]:
    """The chain compiled: its arrays, and how many positions were expanded."""
    slow, whole = in_python(name, lineup, free)
    fast, expanded, wanted = Expansion(run_of(name, lineup, **SMALL.get(name, {})), free), 0, len(slow.mover)

    def look(found: int, at: int) -> None:
        nonlocal expanded
        expanded = at
        if whole is None and at >= wanted:
            raise Enough

    try:
        graph = fast.graph(1 << 30, look)
    except Enough:
        nodes, edges, changes, labels = fast.sizes.tolist()
        arrays = {key: fast.found[key] for key in ("row", "mover")}
        arrays |= {key: fast.found[key][:edges] for key in ("target", "label")}
        arrays |= zip(("weight", "total", "change"), fast.found["labels"][:labels].T, strict=True)
        return {**arrays, "keys": fast.found["keys"][:nodes], "changes": fast.found["changes"][:changes], "n": expanded}
    named = ("keys", "row", "target", *LABELLED, "changes", "mover", "start", "start_change")
    return {**{key: getattr(graph, key) for key in named}, "n": graph.states}


@pytest.mark.slow_cases(
    "cant-stop-stop_after",
    "craps-line",
    "craps-place-free-0",
    "everyday-even",
    "everyday-even-free-0+1",
    "farkle-bank_at",
    "mexico-stand_at",
    "odd-dice-in_turn",
    "qualify-plain",
    "shut-the-box-alone-highest",
    "shut-the-box-alone-highest-free-0",
    "shut-the-box-highest",
    "targets-strongest",
)
@every
def test_both_enumerations_find_the_same_chain(name: str, lineup: tuple[str, ...], free: tuple[int, ...]) -> None:
    slow, whole = in_python(name, lineup, free)
    fast = compiled(name, lineup, free)
    if whole is not None:
        for key in fast.keys() - {"n"}:
            one, other = np.asarray(getattr(whole, key)), np.asarray(fast[key])
            assert one.shape == other.shape, key
            assert np.array_equal(one, other), key
            assert key.startswith("start") or one.dtype == other.dtype, key
        return
    states, edges = len(slow.mover), slow.row[-1]
    found = 1 + max(0, *slow.target[:edges])
    packed = [slow.slots.pack(numbers) for numbers in slow.positions.things[:found]]
    assert states > 3
    assert fast["row"][: states + 1].tolist() == slow.row
    assert fast["target"][:edges].tolist() == slow.target[:edges]
    labels = [tuple(row) for row in zip(*(fast[key].tolist() for key in LABELLED[1:]), strict=True)]
    assert labels[: len(slow.labels)] == list(slow.labels)[: len(labels)]
    assert fast["label"][:edges].tolist() == slow.label[:edges]
    assert fast["mover"][:states].tolist() == slow.mover
    assert fast["keys"][:found].tolist() == [list(words) for words in packed]
    changes = fast["changes"].tolist()
    assert changes[: len(slow.changes.things)] == list(map(list, slow.changes.things))[: len(changes)]


@pytest.mark.slow_cases(
    "cant-stop-stop_after",
    "craps-line",
    "craps-place-free-0",
    "mexico-stand_at",
    "qualify-plain",
    "shut-the-box-alone-highest",
    "shut-the-box-highest",
)
@every
def test_a_chain_is_lawful(name: str, lineup: tuple[str, ...], free: tuple[int, ...]) -> None:
    slow, _ = in_python(name, lineup, free)
    fast = compiled(name, lineup, free)
    states, row = fast["n"], fast["row"]
    outcomes = max(1, len(dicelab.rules.game.outcome_names(slow.game)))
    assert row[0] == 0
    assert (np.diff(row[: states + 1]) > 0).all(), "every position leads somewhere"
    edges = int(row[states])
    target = fast["target"][:edges]
    weight, total, change = (fast[key][fast["label"][:edges]] for key in LABELLED[1:])
    assert target.min(initial=0) >= -outcomes
    assert target.max(initial=-1) < len(fast["keys"])
    # The first position is number 0, and every other one is numbered when it is met first.
    highest = np.maximum.accumulate(np.concatenate(([0], target)))
    assert set(np.diff(highest).tolist()) <= {0, 1}
    assert len(np.unique(fast["keys"], axis=0)) == len(fast["keys"]) == highest[-1] + 1
    kinds = [isinstance(tally, Peak) for tally in slow.game.declared.tallies.values()]
    for s in range(states):
        here = slice(int(row[s]), int(row[s + 1]))
        if fast["mover"][s] < 0:
            assert weight[here].min() > 0
            assert set(total[here].tolist()) == {weight[here].sum()}
            ends = set(zip(target[here].tolist(), change[here].tolist(), strict=True))
            assert len(ends) == here.stop - here.start, "edges with the same end and change are one"
        else:
            assert fast["mover"][s] in free
            assert (total[here] == 1).all()
            assert len(np.unique(weight[here])) == here.stop - here.start, "a move is listed once"
    for peak, column in zip(kinds, fast["changes"].T, strict=True):
        assert peak or column.min() > UNRAISED // 2, "what a tally adds is no mark of a peak"


@pytest.mark.slow_cases(
    "cant-stop-stop_after",
    "craps-place-free-0",
    "mexico-stand_at",
    "qualify-plain",
    "shut-the-box-alone-highest",
    "shut-the-box-highest",
)
@every
def test_positions_are_packed_within_their_ranges(name: str, lineup: tuple[str, ...], free: tuple[int, ...]) -> None:
    slow, _ = in_python(name, lineup, free)
    slots = slow.slots
    assert slots.words == compiled(name, lineup, free)["keys"].shape[1]
    ends = [(low, low + span) for low, span in zip(slots.low.tolist(), slots.span.tolist(), strict=True)]
    for numbers in slow.positions.things[:500]:
        assert all(low <= number <= high for number, (low, high) in zip(numbers, ends, strict=True))
        assert slots.unpack(slots.pack(numbers)) == numbers
        slow.place.set(numbers)
        assert slow.place.read() == numbers


@pytest.mark.parametrize("name", MANY)
def test_positions_of_several_words(name: str) -> None:
    """The first positions of a chain that is too large for anybody."""
    run = run_of(name, tuple(list(GAMES[name].declared.strategies)[:1]), **MANY[name])
    slow, looks = Walk(run), count()
    assert slow.graph(lambda found, expanded: next(looks) < PATIENCE) is None
    states, edges = len(slow.mover), slow.row[-1]
    with limited(batch=states):
        fast = Expansion(run)

        def look(found: int, expanded: int) -> None:
            if expanded >= states:
                raise Enough

        with pytest.raises(Enough):
            fast.graph(1 << 30, look)
    assert slow.slots.words > 1
    assert fast.found["row"][: states + 1].tolist() == slow.row
    assert fast.found["target"][:edges].tolist() == slow.target[:edges]
    assert fast.found["label"][:edges].tolist() == slow.label[:edges]
    assert fast.found["labels"][: len(slow.labels)].tolist() == list(map(list, slow.labels))
    packed = [list(slow.slots.pack(numbers)) for numbers in slow.positions.things]
    found = 1 + max(slow.target[:edges])
    assert fast.found["keys"][:found].tolist() == packed[:found]


@pytest.mark.parametrize("name", EVERY_GAME)
def test_the_enumeration_grows_its_arrays_without_losing_anything(name: str, limits: SetLimits) -> None:
    """From very little room, and in small batches that two threads share, the graph is the same."""
    lineup = dict(reversed(CASES))[name]
    run = run_of(name, lineup, **SMALL.get(name, {}))
    whole = Expansion(run).graph(MEMORY, lambda found, expanded: None)
    limits(batch=max(3, whole.states // 50), shared_batch=2, batch_branches=2, first_room=(64, 64, 64, 64))
    parts = Expansion(run).graph(MEMORY, lambda found, expanded: None)
    for key in ("keys", "row", "target", *LABELLED, "changes", "mover", "start", "start_change"):
        assert np.array_equal(getattr(whole, key), getattr(parts, key)), key


@pytest.mark.slow
def test_the_engine_can_be_named_and_does_not_matter() -> None:
    run = run_of("tossup", ("bank_over:3", "one_roll"), dice=3, target=5)
    graphs = [graph_of(run, engine=engine) for engine in ("auto", "reference", "compiled")]
    for other in graphs[1:]:
        assert np.array_equal(graphs[0].keys, other.keys)
        assert np.array_equal(graphs[0].target, other.target)


def test_the_change_of_enumerations_in_the_middle_does_not_matter(limits: SetLimits) -> None:
    """The compiled one takes over after 50 outcomes and moves."""
    run = run_of("lcr", players=3)
    slow = graph_of(run, engine="reference")
    limits(plain_branches=50, warm_branches=50)
    fast = graph_of(run)
    for key in ("keys", "row", "target", "weight", "total", "change", "changes"):
        assert np.array_equal(getattr(slow, key), getattr(fast, key)), key


# The chain and many games ---------------------------------------------------------------------------------------------


@pytest.mark.slow_cases(
    "bear-off-off_first",
    "cant-stop-stop_after",
    "craps-line",
    "everyday-even",
    "farkle-bank_at",
    "hazard",
    "many-dice",
    "mexico-stand_at",
    "shut-the-box-alone-highest",
    "shut-the-box-highest",
    "snakes-and-ladders",
    "targets-strongest",
    "tossup-bank_over",
    "yahtzee-first_open",
)
@pytest.mark.parametrize(("name", "lineup"), FEW_CASES, ids=CASE_IDS)
def test_the_exact_answer_is_what_many_games_come_to(name: str, lineup: tuple[str, ...]) -> None:
    small = SMALL.get(name, {})
    try:
        exact = dicelab.exact(GAMES[name], lineup, memory=MEMORY, **small)
    except TooLarge as error:
        pytest.skip(f"name smaller parameters in SMALL: {error}")
    played = dicelab.simulate(GAMES[name], lineup, games=GAMES_PLAYED, seed=SEED, engine="compiled", **small)
    assert list(exact.outcomes) == list(played.outcomes)
    assert list(exact.tallies) == list(played.tallies)
    if len(exact.outcomes) > 1:
        counts = Counter({key: p.count for key, p in played.outcomes.items() if p.count})
        assert not distribution_differs(counts, {key: p.probability for key, p in exact.outcomes.items()})
    for tally, found in exact.tallies.items():
        histogram = played.tallies[tally].histogram
        if found.sd < 1e-6:
            assert set(histogram) == {round(found.mean)}
            continue
        assert not mean_differs(histogram, found.mean, found.sd**2)
        joint = {(v, o): p for v, row in exact.joint(tally) for o, p in enumerate(row)}
        seen = Counter({(v, o): n for v, row in played.joint(tally) for o, n in enumerate(row) if n})
        assert not distribution_differs(seen, joint)


@pytest.mark.slow_cases(
    "backgammon-runner",
    "bear-off-cube-careful",
    "cant-stop-stop_after",
    "craps-bet",
    "craps-line",
    "farkle-bank_at",
    "lcr-wild-from_richest",
    "mexico-stand_at",
    "pig-two-dice-hold_at",
    "qualify-plain",
    "risk-mixed",
    "shut-the-box-alone-highest",
    "shut-the-box-highest",
    "snakes-and-ladders",
    "tossup-bank_over",
    "yahtzee-box-high",
    "yahtzee-first_open",
)
@pytest.mark.parametrize(("name", "lineup"), MAIN_CASES, ids=CASE_IDS)
def test_fractions_and_floats_differ_by_no_more_than_they_say(name: str, lineup: tuple[str, ...]) -> None:
    small = SMALL.get(name, {})
    try:
        exact = dicelab.exact(GAMES[name], lineup, fractions=True, memory=MEMORY, **small)
    except TooLarge as error:
        pytest.skip(f"name smaller parameters in SMALL: {error}")
    close = dicelab.exact(GAMES[name], lineup, fractions=False, memory=MEMORY, **small)
    assert exact.fractions
    peaks = any(t.fraction is None for t in exact.tallies.values())
    assert exact.error == 0 or (peaks and exact.error < 1e-6)
    assert not close.fractions
    assert 0 < close.error < 1e-6
    assert close.states == exact.states
    for outcome, p in exact.outcomes.items():
        assert p.error == 0
        assert p.probability == float(p.fraction)
        assert abs(Fraction(close.outcomes[outcome].probability) - p.fraction) <= close.outcomes[outcome].error
    assert sum(p.fraction for p in exact.outcomes.values()) == bool(exact.outcomes)
    for tally, found in close.tallies.items():
        known = exact.tallies[tally]
        assert found.spread.values.tolist() == known.spread.values.tolist()
        assert np.abs(found.spread.joint - known.spread.joint).sum() <= found.spread.error + known.spread.error
        if known.fraction is None:
            assert abs(found.mean - known.mean) <= found.error + known.error
        else:
            assert known.error == 0
            assert abs(Fraction(found.mean) - known.fraction) <= found.error <= close.error
            assert abs(found.sd - known.sd) <= found.error
            mean, sd = known.spread.moments()
            assert mean == pytest.approx(known.mean, abs=1e-9)
            assert sd == pytest.approx(known.sd, rel=1e-6, abs=1e-6)
        joint = known.spread.joint
        assert abs(joint.sum() - 1) <= known.spread.error
        if exact.outcomes:
            chances = [p.probability for p in exact.outcomes.values()]
            assert joint.sum(axis=0) == pytest.approx(chances, abs=known.spread.error)


@pytest.mark.slow
def test_small_parameters_are_those_of_games() -> None:
    """A parameter that is renamed is renamed in `SMALL` too."""
    for name, small in SMALL.items():
        run = run_of(name, **small)
        assert all(value_of(run.game.declared.params[key], run.game) is not None for key in small)
