"""Games solved turn by turn: the same values as with all states, published ones, and what is said where it can't be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from math import inf
from time import process_time

import jsonschema
import numpy as np
import pytest

import dicelab
from dicelab.compile.kernels.arguments import BranchEnds
from dicelab.errors import NotSmall, PlayError, TooLarge
from dicelab.questions.policies import plan as plans
from dicelab.questions.policies import solve
from dicelab.rules import (
    D6,
    OVER,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)
from dicelab.rules.actions import Throw, step_parts
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.states.codec import Place
from dicelab.runtime.states.explorer import AWAY, DependsOnHidden, StateExplorer
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.enumeration.model import moves_at
from dicelab.solver.turns import solve as turns
from dicelab.solver.turns.branches import Follower
from dicelab.solver.turns.extrapolation import around, mixture, slopes
from dicelab.solver.turns.parts import StateParts, owners
from dicelab.solver.turns.structure import Structure
from support import GAMES, ROOT, SetLimits


def value_of(name: str | type[Game], objective: str | None = None, **parameters: object) -> turns.TurnByTurn:
    """The value of a game, turn by turn."""
    game = GAMES[name] if isinstance(name, str) else name
    plan = plans.planned(game, (), 0, objective, None, parameters)
    return plan.turn_by_turn(lambda found, done: None)[0]


SMALL = [
    ("pig", None, {"target": 25}),
    ("pig-alone", "fewest:turns", {"target": 40}),
    ("tossup", None, {"target": 15, "dice": 4}),
    ("tossup", None, {"target": 12, "dice": 3, "last_turn": True}),
    ("farkle", None, {"target": 500}),
    ("farkle", "fewest:turns", {"target": 500, "players": 1}),
    ("farkle", "most:busts", {"target": 300, "players": 1}),
    ("yahtzee", "most:score", {"boxes": 2049}),
    ("yahtzee", "most:score", {"boxes": 7}),
    ("yahtzee", "most:score", {"boxes": 2 + 256 + 2048, "joker": "free"}),
    ("yahtzee-box", "most:score", {"box": 9}),
    ("three-boxes", None, {}),
    ("three-boxes", "most:last", {"players": 1, "most": 3}),
    ("shut-the-box-alone", "shut", {}),
]
NAMES = ["-".join([name, *map(str, parameters.values())]) for name, _, parameters in SMALL]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "objective", "parameters"), SMALL, ids=NAMES)
def test_values_are_those_of_all_states(name: str, objective: str | None, parameters: dict[str, object]) -> None:
    whole = dicelab.solve(GAMES[name], objective=objective, **parameters)
    found = value_of(name, objective, **parameters)
    assert found.error < 1e-9
    assert abs(found.value - whole.value) <= found.error + whole.error


@pytest.mark.slow
@pytest.mark.parametrize(("name", "objective", "parameters"), SMALL, ids=NAMES)
def test_values_if_leaves_with_equal_residuals_are_one(
    name: str, objective: str | None, parameters: dict[str, object], limits: SetLimits
) -> None:
    """As in games with many beginnings; all games here have few."""
    apart = value_of(name, objective, **parameters)
    for many in (0, 9):  # from the first beginning on, and when some are known
        limits(merged_beginnings=many)
        found = value_of(name, objective, **parameters)
        assert abs(found.value - apart.value) <= found.error + apart.error
        assert found.leaves <= apart.leaves
        assert found.evaluated <= apart.evaluated
        if name == "yahtzee" and not many:
            assert 5 * found.leaves < apart.leaves


@pytest.mark.slow
@pytest.mark.parametrize(
    "outer", [("scores",), ("points",), ("scores", "points"), ("rolled",), ("scores", "points", "rolled")]
)
def test_any_fields_may_belong_to_the_beginnings_of_turns(
    outer: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def these(run: Run, rotation: Rotation | None) -> Iterator[tuple[str, ...]]:
        yield outer

    monkeypatch.setattr(turns, "outer_fields", these)
    found, whole = value_of("pig", target=15), dicelab.solve(GAMES["pig"], target=15)
    assert found.outer == outer
    assert abs(found.value - whole.value) <= min(1e-10, found.error + whole.error)


def test_dice_that_depend_on_the_state_are_refused() -> None:
    with pytest.raises(NotSmall, match="it draws from a bag, or by weights that depend on the state"):
        value_of("odd-dice", "most:reds")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pig", "tossup", "shut-the-box-alone", "farkle", "yahtzee"])
def test_every_use_of_a_field_is_recorded(name: str) -> None:
    """What plain Python detects with a field hidden, compiled rules record."""
    game = GAMES[name](**({"boxes": 4 + 2048} if name == "yahtzee" else {}))
    seats, run = range(8), Run.of(game)
    follower, parts = Follower(game, None, False), StateParts.of(game, ())
    whole = StateExplorer(run, seats)
    for at in range(400):
        if at >= len(whole.positions.things):
            break
        here = whole.positions.things[at]
        kind, _ = whole.arrive(here)
        step = np.array([whole.game.next()])
        many = min(64, follower.branches(int(step[0])))
        branches = list(_values(whole, kind, int(step[0])))[:many]
        for values in branches:
            whole.follow(kind, values)
        if at % 13:
            continue
        numbers = np.array([here])
        found = BranchEnds.room(1, many, parts.words)
        pairs = np.column_stack((np.zeros(many, np.int64), np.arange(many)))
        follower.follow(parts, numbers, numbers, step, pairs, found)
        for bit, field in enumerate(game.declared.state):
            uses = [_uses(run, field, here, kind, values) for values in branches]
            recorded = (found.touched[0, : len(branches)] >> bit & 1).astype(bool).tolist()
            assert all(seen for used, seen in zip(uses, recorded, strict=True) if used), (field, here)


def _values(found: StateExplorer, kind: object, step: int) -> Iterator[tuple[int, ...]]:
    """The numbers of every branch, in the order of `turn_steps`."""
    if isinstance(kind, Throw):
        yield from (o.seen for o in pool(found.game, kind, step_parts(step)[2]).outcomes)
    else:
        yield from moves_at(kind, found.game)  # type: ignore[arg-type]


_explorers: dict[tuple[int, str], StateExplorer | None] = {}


def _uses(run: Run, field: str, here: tuple[int, ...], kind: object, values: tuple[int, ...]) -> bool:
    """Whether plain Python uses a field on the way from a state to the next one."""
    key = id(run), field
    if key not in _explorers:
        try:
            _explorers[key] = StateExplorer(run, range(8), [field])
        except DependsOnHidden:
            _explorers[key] = None
    found = _explorers[key]
    if found is None:
        return False  # how the game begins depends on the field already, and it can't be hidden
    found._here = tuple(number for name, number in zip(owners(run.game), here, strict=True) if name != field)
    return found.follow(kind, values) == AWAY  # type: ignore[arg-type]


class Reach(Game):
    """Pig whose `next` asks first whether the game is over: by what a turn has banked, and by what it has so far."""

    name = "reach"
    source = "made for the tests"
    outcomes = ()

    target = Param(30, 1, 60, "points to reach")
    banked = Int(0, target, "points banked", grows=True)
    points = Int(0, target, "points of this turn")
    asked = Int(0, 1, "the player may bank")
    turns = Tally("turns, a bust counts three")

    def next(self) -> int:
        missing = self.target - self.banked
        if missing <= 0 or self.points + self.banked >= self.target:
            return OVER
        return ask(self.bank, 0) if self.asked else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        if face == 1:
            self.points = 0
            self.turns += 3
        else:
            self.points = min(self.target, self.points + face)
            self.asked = 1

    @chosen(2)
    def bank(self, move: int) -> None:
        self.asked = 0
        if move == 1:
            self.banked = min(self.target, self.banked + self.points)
            self.points = 0
            self.turns += 1


@strategy(Reach)
def ever_on(game: Reach) -> int:
    """Roll on."""
    return 0


@pytest.mark.slow
def test_a_game_that_may_end_within_a_turn_by_what_was_banked_before() -> None:
    """What `next` reads first changes within the turn, so the end depends on where the turn began."""
    whole, found = dicelab.solve(Reach, objective="fewest:turns"), value_of(Reach, "fewest:turns")
    assert found.outer == ("banked",)
    assert abs(found.value - whole.value) <= found.error + whole.error < 1e-9


class LastRound(Game):
    """Rounds of two turns; who rolls a six announces the last one."""

    name = "last-round"
    source = "made for the tests"
    outcomes = ()

    most = Param(6, 1, 60, "turns at most")
    played = Int(0, most, "turns", grows=True)
    last = Int(0, 1, "it is the last round")
    second = Int(0, 1, "it is the second turn of a round")
    points = Int(0, 20, "points of this turn")
    rolls = Int(0, 3, "rolls of this turn")
    asked = Int(0, 1, "the player may stop")
    total = Tally("points")

    def next(self) -> int:
        if self.last and self.second == 0 and self.points == 0:
            return OVER
        if self.played >= self.most:
            return OVER
        return ask(self.stop, 0) if self.asked else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.points = 0 if face == 1 else min(20, self.points + face)
        self.asked = 1
        self.rolls += 1
        if face == 6:
            self.last = 1

    @chosen(2)
    def stop(self, move: int) -> None:
        self.asked = 0
        if move == 1 or self.points == 0 or self.rolls == 3:
            self.total += self.points
            self.points = self.rolls = 0
            self.second = 1 - self.second
            self.played += 1


@strategy(LastRound)
def always_on(game: LastRound) -> int:
    """Roll on."""
    return 0


@pytest.mark.slow
def test_a_last_round_that_ends_by_a_field_which_is_read_only_then() -> None:
    """`last` decides whether `next` reads `second`, which the turn changes: so `last` matters, too."""
    whole, found = dicelab.solve(LastRound, objective="most:total"), value_of(LastRound, "most:total")
    assert "last" in found.outer
    assert abs(found.value - whole.value) <= found.error + whole.error < 1e-9


@pytest.mark.slow
def test_rolls_and_keeps_are_shared_by_all_turns_though_next_asks_first_whether_the_card_is_full(
    limits: SetLimits,
) -> None:
    """As in Yahtzee, whose `next` asks for a field of the turn; only the choice of a box depends on the card."""
    limits(merged_beginnings=10**9)
    plan = plans.planned(GAMES["yatzy"], (), 0, "most:score", None, {"boxes": 2 + 16384})
    found = plan.turn_by_turn(lambda found, done: None, costs={("upper", "filled"): 0.0})[0]
    assert (found.edges, found.leaves) == (17220, 15 * 252)


class Every(Follower):
    """Follows every number of a move, also beyond the last move that is listed."""

    def lists(self, step: int) -> bool:
        return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters", "outer"),
    [
        ("farkle", {"target": 400}, ("scores",)),
        ("farkle", {"target": 200}, ("scores", "shown")),  # the moves that are listed depend on what is outer
        ("shut-the-box-alone", {}, ()),
        ("yahtzee", {"boxes": 7}, ("filled", "upper")),
    ],
)
def test_only_listed_moves_need_be_followed(name: str, parameters: dict[str, int], outer: tuple[str, ...]) -> None:
    game = GAMES[name](**parameters)
    if "shown" in outer:
        game.left, game.shown[0], game.shown[4], game.rolled = 3, 2, 1, True
    parts = StateParts.of(game, outer)
    start = np.array([Place(game, ()).read()])
    found = []
    for kind in (Follower, Every):
        follower = kind(game, None, False)
        structure = Structure(follower, parts, 10**6)
        step = follower.follow(parts, start, start, np.zeros(1, np.int64), np.zeros((0, 2), np.int64)).begins
        structure.grow(structure.node_keys(parts.pack(start[0].tolist()), step), start)
        found.append(structure.snapshot())
    assert len(found[0].target) + len(found[0].leaf) > 4
    assert all(map(np.array_equal, *found))


class SmallCard(Game):
    """A die and three boxes; the row of open boxes isn't outer, so turns begin at many nodes."""

    name = "small-card"
    source = "made for the tests"
    outcomes = ()

    open = Ints(3, 0, 1, "open boxes", start=1)
    sum = Int(0, 18, "points so far")
    face = Int(0, 6, "the die, 0 before it is rolled")
    score = Tally("points")

    def next(self) -> int:
        if not any(self.open):
            return OVER
        return ask(self.fill, 0) if self.face else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.face = face

    @chosen(3, legal=lambda self, box: self.open[box] == 1)
    def fill(self, box: int) -> None:
        points = self.face if self.face % 3 == box else 0
        self.score += points + (points > 0 and self.sum % 2)
        self.sum += points
        self.open[box] = self.face = 0


@strategy(SmallCard)
def first_open(game: SmallCard) -> int:
    """Fill the first open box."""
    return game.open.index(1)


@pytest.mark.slow
def test_turns_that_begin_at_many_nodes_by_turns() -> None:
    """Beginnings at the same node need not follow each other; some that follow them were once overlooked."""
    whole, chosen = dicelab.solve(SmallCard, objective="most:score"), value_of(SmallCard, "most:score")
    assert chosen.outer == ("open", "sum")  # the split that costs less, although the sum alone changes less often
    assert abs(chosen.value - whole.value) <= chosen.error + whole.error < 1e-9
    plan = plans.planned(SmallCard, (), 0, "most:score", None, {})
    found = plan.turn_by_turn(lambda found, done: None, costs={("sum",): 0.0})[0]
    assert found.outer == ("sum",)
    assert abs(found.value - whole.value) <= found.error + whole.error < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("many", "by_turns"), [(30_000, True), (10_000_000, False)])
def test_after_a_look_at_the_turns_no_more_states_are_found_than_needed(
    limits: Callable[..., None], many: int, by_turns: bool
) -> None:
    """Four boxes have about 360,000 states; after 20,000 it is known that there are more than 30,000."""
    limits(surveyed=20_000, many_with_policy=many)
    most = 0

    def look(found: int, done: int) -> None:
        nonlocal most
        most = max(most, found)

    solution = dicelab.solve("yahtzee", objective="most:score", boxes=15, progress=look)
    assert solution.value == pytest.approx(26.504293809044, abs=1e-9)
    assert (solution.turns is not None) == by_turns
    assert most < 20_000 if by_turns else most > 100_000


@pytest.mark.slow
def test_beginnings_that_lead_to_each_other_must_fit_into_memory_together() -> None:
    """Scores may fall, so that nearly all beginnings depend on each other: estimated, and refused before the sweeps."""
    game = dicelab.find(str(ROOT / "verification/large/three_farkles.py"))
    small = plans.planned(game, (), 0, None, 20_000_000, {"target": 600, "lowest": 300, "penalty": 100})
    with pytest.raises(NotSmall, match="beginnings of turns lead to each other, and solving them together takes"):
        small.turn_by_turn(lambda found, done: None)
    assert dicelab.solve_cost(game, target=1000, lowest=500, penalty=200).memory > 2**27
    assert dicelab.solve_cost("farkle").memory < 2**27  # the scores of Farkle grow


@pytest.mark.slow
def test_what_is_too_large_by_turns_and_by_states_is_refused_at_once() -> None:
    with pytest.raises(TooLarge, match=r"three-farkles: it has about .* lead to each other, .* may be used; smaller"):
        dicelab.solve(dicelab.find(str(ROOT / "verification/large/three_farkles.py")), memory=2**32)


class Stuck(Game):
    """Whoever rolls a six has no move."""

    name = "stuck"
    source = "made for the tests"
    outcomes = ("win", "lose")

    limit = Param(2, 1, 9, "rolls")
    rolls = Int(0, 9, "rolls so far", grows=True)
    face = Int(0, 6, "what was rolled, 0 if nothing")

    def next(self) -> int:
        if self.face > 0:
            return ask(self.guess, 0)
        return OVER if self.rolls == self.limit else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.rolls += 1
        self.face = face

    def fits(self, move: int) -> bool:
        return move + self.face < 7

    @chosen((1, 2), legal=fits)
    def guess(self, move: int) -> None:
        self.face = 0

    def outcome(self) -> int:
        return 0


@strategy(Stuck)
def low(game: Stuck) -> int:
    return 1


@pytest.mark.slow
def test_a_seat_without_a_move_is_reported() -> None:
    with pytest.raises(PlayError, match="no sensible move in guess"):
        value_of(Stuck, "win")


class Three(Game):
    """Three seats; first to roll a six wins."""

    name = "three"
    source = "made for the tests"
    seats = 3
    player = Seat(3, "whose turn")
    won = Int(0, 1)
    asked = Int(0, 1)
    coins = Ints(3, 0, 1)
    turns = Tally("turns")

    def next(self) -> int:
        if self.won:
            return OVER
        return ask(self.go, self.player) if self.asked else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.asked = 1
        self.won = 1 if face == 6 else 0

    @chosen(2)
    def go(self, move: int) -> None:
        self.asked = 0
        self.player = (self.player + 1) % 3

    def outcome(self) -> int:
        return self.player


@strategy(Three)
def still(game: Three) -> int:
    return 0


def test_more_than_two_seats_are_refused() -> None:
    with pytest.raises(NotSmall, match="one or two seats"):
        value_of(Three)


@pytest.mark.slow
def test_no_proof_no_bound(limits: SetLimits) -> None:

    limits(widenings=0)
    found = value_of("pig", target=10)
    assert found.error == inf
    assert found.value == pytest.approx(dicelab.solve(GAMES["pig"], target=10).value, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "value"), [(40, 0.5446943934816965), (100, 0.530592725274)])
def test_pig_by_value_iteration_in_plain_python(target: int, value: float) -> None:
    """The first from value iteration over scores and points, the second is that of all states at once."""
    found = value_of("pig", target=target)
    assert found.value == pytest.approx(value, abs=1e-10)
    assert found.error < 1e-10


@pytest.mark.slow
def test_large_games_without_a_policy(limits: SetLimits) -> None:
    limits(many=1000)
    whole = dicelab.solve("farkle", target=300)
    found = dicelab.solve("farkle", target=300, policy=False)
    assert whole.policy is not None
    assert whole.turns is None
    assert found.policy is None
    assert found.turns is not None
    assert abs(found.outcomes["1"].probability - whole.outcomes["1"].probability) <= found.error + whole.error < 1e-9
    assert "solved turn by turn" in str(found)
    assert found.turn_policy is not None
    jsonschema.validate(found.to_dict(), json.loads((ROOT / "src/dicelab/schema/v2.json").read_text()))


@pytest.mark.slow
def test_a_game_that_does_not_fit_is_solved_turn_by_turn() -> None:
    found = dicelab.solve("farkle", target=500, memory=2 * 10**6)
    assert found.policy is None
    assert found.turn_policy is not None
    with pytest.raises(TooLarge, match="it can't be solved turn by turn"):
        dicelab.solve("farkle", target=2000, memory=10**5)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    ("joker", "value"), [("forced", 254.5877287), ("free", 254.589609482), ("none", 245.8707745141)]
)
def test_yahtzee(joker: str, value: float) -> None:
    """James Glenn 2006 and Felix Holderied for forced jokers; Tom Verhoeff 1999 for free ones.

    A program for Yahtzee alone, in C, gives 254.5877287345, 254.5896094820 and, without jokers, 245.8707745141.
    """
    found = dicelab.solve("yahtzee", objective="most:score", policy=False, joker=joker)
    assert found.error < 1e-9
    assert found.value == pytest.approx(value, abs=1e-7)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_farkle_alone() -> None:
    """As computed by a program for Farkle alone, in C."""
    found = dicelab.solve("farkle", objective="fewest:turns", policy=False, players=1)
    assert found.error < 1e-9
    assert found.value == pytest.approx(23.00399, abs=6e-6)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_farkle() -> None:
    """Busche and Neller 2017."""
    found = dicelab.solve("farkle", policy=False)
    assert found.error < 1e-9
    assert found.value == pytest.approx(0.53695, abs=6e-6)


CYCLES = [("pig", 60), ("pig", 100), ("tossup", 60), ("tossup", 100)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "target"), CYCLES)
def test_turns_that_may_begin_again_take_at_most_three_times_the_time_of_all_states(name: str, target: int) -> None:
    """Processor time, rules compiled before; the switch is which method of the plan is called."""
    plan = plans.planned(GAMES[name], (), 0, None, None, {"target": target})

    def all_states() -> float:
        graph = plan.graph(lambda found, expanded: None, lambda done: None)
        return float(solve.optimal_on(graph, plan.wanted, plan.free, lambda done: None)[1].value)

    def by_turns() -> float:
        return plan.turn_by_turn(lambda found, done: None)[0].value

    assert by_turns() == pytest.approx(all_states(), abs=1e-10)
    times = []
    for _ in range(5):
        began = process_time()
        by_turns()
        half = process_time()
        all_states()
        times.append((half - began, process_time() - half))
    turn, whole = (min(column) for column in zip(*times, strict=True))
    assert turn < 3.0 * whole


@pytest.mark.slow_cases("0.0")
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_only_parts_that_move_are_extrapolated_to_their_fixed_points(noise: float) -> None:
    """Two parts whose places are mixed: one falls to its fixed point, one moves less than the noise."""
    past = [np.array([80.0, 0.25, 10.0])]
    for _ in range(3):
        past.append(np.array([0.5 * past[-1][2] + 10.0, 0.5 * past[-1][1], 0.5 * past[-1][0]]))
    order, first, found = np.array([0, 2, 1]), np.array([0, 2, 3]), np.empty(3)
    mixture(np.stack(past), order, first, noise, found)
    assert found == pytest.approx([40 / 3, past[-1][1] if noise else 0.0, 20 / 3])


def test_values_that_are_no_numbers_are_not_extrapolated() -> None:
    past, found = np.full((4, 2), inf), np.empty(2)
    past[:, 1] = np.nan
    mixture(past, np.arange(2), np.array([0, 1, 2]), 0.0, found)
    assert found[0] == inf
    assert np.isnan(found[1])


@pytest.mark.parametrize("seed", range(5))
def test_values_that_depend_on_one_other_are_found_from_two_evaluations(seed: int) -> None:
    """Cycles of one to four values; the same equations are solved as a dense system."""
    random = np.random.default_rng(seed)
    ahead, first = np.empty(20, np.int64), 0
    place = random.permutation(20)
    for length in (1, 2, 3, 4, 4, 3, 2, 1):
        cycle = place[first : first + length]
        ahead[cycle], first = np.roll(cycle, 1), first + length
    slope, constant = random.uniform(-0.95, 0.95, 20), random.uniform(-10.0, 10.0, 20)
    whole = np.eye(20)
    whole[np.arange(20), ahead] -= slope
    here, there = random.uniform(-1.0, 1.0, 20), random.uniform(-1.0, 1.0, 20)
    there[ahead[0]] = here[ahead[0]]  # what didn't change says nothing
    old, new = (here, constant + slope * here[ahead]), (there, constant + slope * there[ahead])
    found = slopes(old, new, ahead, np.full(20, 7.0), 1e-10)
    assert found[0] == 7.0
    assert found[1:] == pytest.approx(slope[1:], abs=1e-9)
    assert around(slope, constant, ahead, 4) == pytest.approx(np.linalg.solve(whole, constant), abs=1e-9)
