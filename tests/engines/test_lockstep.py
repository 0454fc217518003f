"""Games played side by side: which games are, that each is the reference engine's, and what is left to others."""

from __future__ import annotations

import pytest

import dicelab
from dicelab.engines.lockstep import Lockstep
from dicelab.errors import NotSmall, PlayError, RulesError
from dicelab.games.lcr import LCR
from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    SUM,
    Die,
    Flag,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    left_of,
    right_of,
    throw,
    thrown,
)
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.scheduler import Engine, Tallied


class Ring(Game):
    """Score points; who throws a six waits, and two players later it goes on."""

    name = "ring"
    source = "made for the tests"
    outcomes = ("low", "high")

    players = Param(5, 2, 20, "players")
    target = Param(30, 1, 300, "points that end the game")
    high = Param(310, 1, 400, "largest score")

    points = Ints(players, -2, high, "points of each", by_seat=True)
    rest = Ints(players, 0, 3, "turns that each has to wait", start=1, by_seat=True)
    player = Seat(players, "whose turn it is")
    last = Int(-5, 500, "what was scored last")
    over = Flag("somebody has enough")

    rolls = Tally("rolls")
    waits = Tally("turns without a roll")

    def next(self) -> int:
        if self.over:
            return OVER
        return throw(self.roll, 2 if self.points[self.player] > 5 else 1)

    @thrown(2, Die(one=1, two=2, six=1), COUNTS)
    def roll(self, ones: int, twos: int, sixes: int) -> None:
        self.rolls += 1
        self.last = ones + 2 * twos - sixes if ones != 1 else 6
        self.points[self.player] = max(self.points[self.player] + self.last, -2)
        if self.points[self.player] >= self.target:
            self.over = True
        self.rest[right_of(self.player, self.players)] = sixes
        self.wait()
        self.pass_on()

    def wait(self) -> None:
        if self.rest[self.player] < 3:
            self.rest[self.player] += 1

    def pass_on(self) -> None:
        self.player = (self.player + 2) % self.players
        while self.rest[self.player] > 0 and not self.over:
            self.waits += 1
            self.rest[self.player] -= 1
            self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        return 1 if self.last > 3 else 0


class Signs(Ring):
    """Numbers of one byte are subtracted, and the state changes before the roll and where the loop is tested."""

    tests = Tally("tests of the loop")
    behind = Tally("sum of what players are behind the next ones")

    def next(self) -> int:
        self.waits += 1
        return OVER if self.over else throw(self.roll)

    def pass_on(self) -> None:
        self.behind += abs(self.rest[0] - self.rest[1]) - (self.rest[0] - self.rest[self.player]) // 2
        self.player = right_of(self.player, self.players)
        while self.waits_still():
            self.rest[self.player] -= 1
            self.player = right_of(self.player, self.players)

    def waits_still(self) -> bool:
        self.tests += 1
        return self.rest[self.player] > 0 and not self.over


def alone(game: Game, limit: int = 10_000, leaves: bool = False) -> Lockstep:
    """The engine, which leaves no game to others unless it `leaves` some."""
    engine = Lockstep(game, [], limit)
    engine.compile()
    if not leaves:
        engine.others = lambda: pytest.fail("a game is left to another engine")
    return engine


@pytest.mark.slow_cases("ring", "two", "wide", "signs")
@pytest.mark.parametrize(
    "game",
    [
        LCR(players=12),
        LCR(players=2, coins=1),
        LCR(players=3, coins=20, dice=5),
        Ring(),
        Ring(players=2, target=3),
        Ring(players=20, target=300),
        Signs(),
    ],
    ids=["lcr", "short", "many", "ring", "two", "wide", "signs"],
)
def test_each_game_is_the_same(game: Game) -> None:
    engine, reference = alone(game), Reference(game, [])
    games = 300 if game.parameters["players"] == 2 else 20
    for seed, low in ((7, 0), (2**64 - 1, 2**32 - 3)):
        assert engine.play(seed, low, low + games) == reference.play(seed, low, low + games)
    for index in range(5):
        assert engine.play(7, index, index + 1) == reference.play(7, index, index + 1)


def test_more_games_than_lanes_are_the_games_of_the_compiled_engine() -> None:
    engine = alone(LCR(players=7))
    other = Lockstep(LCR(players=7), []).others()
    assert engine.play(3, 0, 3000) == other.play(3, 0, 3000)


class Coin(Game):
    """A die of which one word in 66,000 is rejected, thrown a hundred times by two players."""

    name = "coin"
    source = "made for the tests"
    outcomes = ("even", "odd")

    player = Seat(2, "whose turn it is")
    thrown_so_far = Int(0, 100, "rolls made")
    odd = Flag("an odd number of heads")
    heads = Tally("heads")

    def next(self) -> int:
        return OVER if self.thrown_so_far == 100 else throw(self.roll)

    @thrown(1, Die(head=1, tail=65025), COUNTS)
    def roll(self, heads: int, tails: int) -> None:
        self.thrown_so_far += 1
        self.heads += heads
        if heads:
            self.odd = not self.odd
        self.player = 1 - self.player

    def outcome(self) -> int:
        return int(self.odd)


@pytest.mark.slow
def test_a_game_with_a_rejected_word_is_left_to_the_compiled_engine() -> None:
    engine, reference, left = alone(Coin(), leaves=True), Reference(Coin(), []), []
    others = engine.others()
    engine.others = lambda: left.append(1) or others
    games = 4000
    assert engine.play(1, 0, games) == others.play(1, 0, games)
    assert 0 < len(left) < 30
    assert engine.play(1, 0, 50) == reference.play(1, 0, 50)


@pytest.mark.parametrize(
    ("game", "limit"), [(LCR(players=12), 100), (LCR(players=3, coins=1), 4)], ids=["long", "short"]
)
def test_a_game_that_is_too_long_is_refused_as_the_reference_engine_refuses_it(game: Game, limit: int) -> None:
    engine, reference = alone(game, limit, leaves=True), Reference(game, [], limit)
    said = [told(reference, 1, index) for index in range(30)]
    assert said == [told(engine, 1, index) for index in range(30)]
    assert {isinstance(one, str) for one in said} == {True, False}


def told(engine: Engine, seed: int, index: int) -> str | Tallied:
    """What comes of a game: the message where it is refused."""
    try:
        return engine.play(seed, index, index + 1)
    except PlayError as error:
        return str(error)


class Endless(Ring):
    """The loop at the end of its rule doesn't end when somebody has seven points."""

    def pass_on(self) -> None:
        self.player = right_of(self.player, self.players)
        while self.points[0] == 7:
            self.player = right_of(self.player, self.players)


@pytest.mark.slow
def test_a_loop_without_an_end_is_reported() -> None:
    engine = alone(Endless(), leaves=True)
    with pytest.raises(PlayError, match="loop"):
        engine.play(1, 0, 40)


@pytest.mark.slow
def test_a_game_that_leaves_a_range_is_refused_as_the_reference_engine_refuses_it() -> None:
    game = Ring(target=30, high=32)
    reference, engine = Reference(game, []), alone(game, leaves=True)
    said = [told(reference, 2, index) for index in range(60)]
    assert said == [told(engine, 2, index) for index in range(60)]
    assert {isinstance(one, str) for one in said} == {True, False}


class Walk(Game):
    """A game whose parts the following ones replace, so that it can't be played side by side."""

    name = "walk"
    source = "made for the tests"
    outcomes = ("done",)

    players = Param(4, 2, 9, "players")
    at = Ints(players, 0, 99, "where each is", by_seat=True)
    player = Seat(players, "whose turn it is")

    rolls = Tally("rolls")

    def next(self) -> int:
        return OVER if self.at[0] > 20 else throw(self.roll)

    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.rolls += 1
        self.at[self.player] += seen
        self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        return 0


class Backwards(Walk):
    """Play goes the other way than the steps, so that each turn takes as many as there are seats, but one."""

    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.rolls += 1
        self.at[self.player] += seen
        self.player = left_of(self.player, self.players)


@pytest.mark.slow
def test_games_that_wait_too_long_for_their_seat_are_left_to_the_compiled_engine() -> None:
    engine = alone(Backwards(players=9), leaves=True)
    assert engine.play(5, 0, 1000) == engine.others().play(5, 0, 1000)
    assert engine.name == "compiled"
    assert engine.play(5, 1000, 1100) == engine.others().play(5, 1000, 1100)


class Elsewhere(Walk):
    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.at[seen % self.players] += 1
        self.player = right_of(self.player, self.players)


class Later(Walk):
    """The place depends on the dice only by a condition above it."""

    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        seat = 0
        if seen > 3:
            seat = 1
        self.at[seat] += seen
        self.player = right_of(self.player, self.players)


class ByResult(Walk):
    """The place is what a function returns early."""

    def where(self, seen: int) -> int:
        if seen > 3:
            return 0
        return 1

    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.at[self.where(seen)] += seen
        self.player = right_of(self.player, self.players)


class Again(Walk):
    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.at[self.player] += seen
        if seen < 6:
            self.player = right_of(self.player, self.players)


class AfterReturn(Walk):
    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.at[self.player] += seen
        if seen == 6:
            return
        self.player = right_of(self.player, self.players)


class Stays(Walk):
    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.at[self.player] += seen


class Searches(Walk):
    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.player = right_of(self.player, self.players)
        for seat in range(self.players):
            if self.at[seat] < 9:
                self.at[seat] += seen


class Counts(Walk):
    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.at[self.player] += seen
        self.player = right_of(self.player, self.players)
        left = seen
        while left > 0 and self.at[self.player] < 50:
            left -= 1
            self.at[self.player] += 1


class Inside(Walk):
    """A loop inside the one at the end."""

    @thrown(1, D6, SUM)
    def roll(self, seen: int) -> None:
        self.at[self.player] += seen
        self.player = right_of(self.player, self.players)
        while self.at[self.player] > 9:
            while self.at[self.player] > 5:
                self.at[self.player] -= 2
            self.player = right_of(self.player, self.players)


class Early(Walk):
    def next(self) -> int:
        self.player = right_of(self.player, self.players)
        return OVER if self.at[0] > 20 else throw(self.roll)


class Default(Walk):
    """Kernels would give the rule a number of another roll as `more`."""

    @thrown(1, D6, SUM)
    def roll(self, seen: int, more: int = 3) -> None:
        self.at[self.player] += seen + more
        self.player = right_of(self.player, self.players)


class Two(Walk):
    @thrown(1, D6, SUM)
    def roll(self, seen: int, more: int) -> None:
        self.at[self.player] += seen + more
        self.player = right_of(self.player, self.players)


class Whole(Walk):
    def next(self) -> int:
        return OVER if sum(self.at) > 40 else throw(self.roll)


def test_a_rule_that_takes_another_number_of_values_is_refused_by_the_compiled_engine_too() -> None:
    with pytest.raises(RulesError, match="roll: takes 2 values, but its roll shows 1"):
        dicelab.simulate(Two(), games=10, seed=1, engine="compiled")


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (Elsewhere, "place that depends on the dice"),
        (Later, "place that depends on the dice"),
        (ByResult, "place that depends on the dice"),
        (Again, "whose turn is next depends on the dice"),
        (AfterReturn, "whose turn is next depends on the dice"),
        (Stays, "doesn't always pass the dice on"),
        (Searches, "have a loop, other than"),
        (Counts, "uses a variable"),
        (Inside, "have a loop, other than"),
        (Early, "changes before the roll"),
        (Two, "takes 2 values, but its roll shows 1"),
        (Default, "uses a default value for what a roll shows"),
        (Whole, "whole row"),
    ],
)
def test_other_games_are_refused_and_the_message_says_why(game: type[Game], why: str) -> None:
    Lockstep(Walk(), [])
    with pytest.raises(NotSmall, match=why):
        Lockstep(game(), [])
