"""Games alike from every seat: declarations that are not true are refused, and little games whose answers are known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

import dicelab
from dicelab.conformance.file_check import check_game
from dicelab.engines.compiled import Compiled
from dicelab.engines.tables.memo import MemoEngine
from dicelab.errors import PlayError, RulesError
from dicelab.rules import (
    COUNTS,
    OVER,
    Die,
    Flag,
    Game,
    Int,
    Ints,
    Param,
    Peak,
    Tally,
    ask,
    chosen,
    d,
    left_of,
    right_of,
    strategy,
    throw,
    thrown,
)
from dicelab.rules.fields import Seat
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Engine
from dicelab.runtime.states.symmetry import Rotation, check_symmetry
from dicelab.solver.enumeration.enumerate_python import Walk
from dicelab.solver.enumeration.expansion import Expansion
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.enumeration.unfold import unrolled
from support import GAMES


@contextmanager
def nothing_turned() -> Iterator[None]:
    """Answers as if no game declared anything."""

    def plain(*words, turned=False, **more):
        return graph_of(*words, **more)

    with patch("dicelab.solver.enumeration.estimate.graph_of", plain):
        yield


@pytest.fixture
def all_turned(limits):
    """However small, no chain is laid out again where a tally tells who wins."""
    limits(symmetric_edges=0)


def chances(found):
    return [p.probability for p in found.outcomes.values()]


# Declarations that are not true ---------------------------------------------------------------------------------------


class Race(Game):
    """First to two."""

    source = "made for the tests"
    seats = 2

    scores = Ints(2, 0, 9, "points", by_seat=True)
    player = Seat(2, "whose turn it is", alike=True)
    rounds = Int(0, 3, "rounds played")
    turns = Tally("turns")
    sixes = Tally("sixes")

    def next(self):
        return OVER if self.rounds == 3 else self.turn()

    def turn(self):
        return throw(self.die)

    @thrown(1, d(3))
    def die(self, face):
        self.take(face)

    def take(self, face):
        self.turns += 1
        self.count(face)
        self.scores[self.player] += self.points(face)
        self.pass_on()

    def count(self, face):
        self.sixes += face == 3

    def points(self, face):
        return face

    def pass_on(self):
        self.player = right_of(self.player, 2)
        self.rounds += self.scores[0] > 0 and self.scores[1] > 0

    def outcome(self):
        return self.player if self.scores[self.player] >= self.scores[1 - self.player] else 1 - self.player


class Choice(Race):
    """The same, and the player may leave what was thrown."""

    face = Int(0, 3, "what was thrown")

    def turn(self):
        return ask(self.leave, self.player) if self.face else throw(self.die)

    @thrown(1, d(3))
    def die(self, face):
        self.face = face

    def may(self, move):
        return True

    @chosen(2, legal=may)
    def leave(self, move):
        face, self.face = self.face, 0
        self.take(face if move else 1)


@strategy(Choice)
def never(game):
    return 0


class Bonus:
    def points(self, face):
        return face + (self.player == 0)


class Tie:
    def outcome(self):
        return 0 if self.scores[0] >= self.scores[1] else 1


class Counts:
    def count(self, face):
        self.sixes += self.player == 0


class Stays:
    def pass_on(self):
        self.player = 0 if self.player == 1 and self.scores[0] == 1 else 1
        self.rounds += 1


class Undeclared:
    """A row by seat that is not said to be one."""

    scores = Ints(2, 0, 9, "points")


class OneOfAll:
    """A row that is said to be by seat and counts something else."""

    scores = Ints(2, 0, 9, "points", by_seat=True)
    seen = Ints(2, 0, 1, "faces that were seen", by_seat=True)

    def count(self, face):
        if face < 3:
            self.seen[face - 1] = 1

    def points(self, face):
        return 2 if self.seen[0] else face


class Leader:
    """The number of a seat that is not declared as one."""

    leader = Int(-1, 1, "who threw a 3 first", start=-1)

    def count(self, face):
        if face == 3 and self.leader < 0:
            self.leader = self.player

    def outcome(self):
        return max(0, self.leader)


class Dice:
    """Seat 1 throws another die."""

    def turn(self):
        return throw(self.other) if self.player else super().turn()

    @thrown(1, Die(one=3, two=1, three=1), COUNTS)
    def other(self, one, two, three):
        self.take(one + 2 * two + 3 * three)


class Fewer:
    """Seat 1 throws fewer dice."""

    def turn(self):
        return throw(self.both, 2 - self.player)

    @thrown(2, Die(one=3, two=1), COUNTS)
    def both(self, one, two):
        self.take(min(3, one + 2 * two))


class Barred:
    """A move for seat 0 only."""

    def may(self, move):
        return move == 0 or self.player == 0

    @chosen(2, legal=may)
    def leave(self, move):
        face, self.face = self.face, 0
        self.take(face if move else 1)


class Named:
    """Give a point to the seat that is named."""

    @chosen(2)
    def leave(self, move):
        self.scores[move] += 1
        face, self.face = self.face, 0
        self.take(face)


class Asks:
    """Always the first seat is asked."""

    def turn(self):
        return ask(self.leave, 0) if self.face else throw(self.die)


def broken(kind, base):
    """A game of which one thing favours a seat."""
    return type(f"{kind.__name__}{base.__name__}", (kind, base), {"__doc__": "A race.", "start": base.start})


FAVOURS = [Bonus, Tie, Counts, Stays, Undeclared, OneOfAll, Leader]


def must_refuse(game, *ways, match):
    for way in ways:
        with pytest.raises(RulesError, match=match):
            way(game)
    last = list(check_game(game))[-1]
    assert last.verdict == "broken"
    if (
        game.__name__.removesuffix("Race").removesuffix("Choice") == "Named"
    ):  # a point is more than a seat may have: that is found first
        assert (last.step, "outside its declared range" in last.say) == ("states", True), last
        return
    assert last.step == "seats", last
    with pytest.raises(RulesError) as raised:
        ways[0](game)
    say, at, _ = str(raised.value).partition(": at ")
    assert (f"{last.where}: {say}: at " if at else say) in last.say


@pytest.mark.slow_cases("Bonus")
@pytest.mark.parametrize("kind", [*FAVOURS, Dice, Fewer], ids=lambda kind: kind.__name__)
def test_a_game_that_favours_a_seat_is_refused_by_exact_and_check(kind):
    must_refuse(
        broken(kind, Race), dicelab.exact, match="declared to be alike from every seat, and is not: at .*scores"
    )


@pytest.mark.parametrize("kind", [*FAVOURS, Barred, Named, Asks], ids=lambda kind: kind.__name__)
def test_a_game_that_favours_a_seat_is_refused_by_solve_and_check(kind):
    must_refuse(
        broken(kind, Choice), dicelab.solve, match="declared to be alike from every seat, and is not: at .*face"
    )


def test_the_same_game_that_favours_nobody_is_taken():
    for game, way in ((Race, dicelab.exact), (Choice, dicelab.solve)):
        check_symmetry(Run.of(game))
        way(game)


class ThreeScores:
    scores = Ints(3, 0, 9, "points", by_seat=True)


class TwoAlike:
    other = Seat(2, "another", alike=True)


class Named2:
    outcomes = ("first", "second")


@pytest.mark.slow_cases("ThreeScores-scores has 3 numbers by seat, but there are 2 seats")
@pytest.mark.parametrize(
    ("kind", "match"),
    [
        (ThreeScores, "scores has 3 numbers by seat, but there are 2 seats"),
        (TwoAlike, "only one field can be the seat from which the game is alike"),
        (Named2, r"a win of a seat is an outcome of its own: outcomes = \(players, \"draw\"\)"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused_in_a_sentence(kind, match):
    must_refuse(broken(kind, Race), dicelab.exact, match=match)
    if kind is not Named2:  # of named outcomes solve asks first which one is wanted
        must_refuse(broken(kind, Choice), dicelab.solve, match=match)


def test_a_row_of_another_length_matters_to_nobody_where_nothing_is_declared():
    class Plain:
        scores = Ints(3, 0, 9, "points", by_seat=True)
        player = Seat(2, "whose turn it is")

    assert dicelab.exact(broken(Plain, Race)).states > 0


class Late(Game):
    """Who is ahead after 50 throws; of equals the first seat."""

    source = "made for the tests"
    seats = 2

    ahead = Ints(2, 0, 2, "ones of each, two at the most", by_seat=True)
    player = Seat(2, "whose turn it is", alike=True)
    throws = Int(0, 50, "throws so far")
    turns = Tally("turns")

    def next(self):
        return OVER if self.throws == 50 else throw(self.die)

    @thrown(1, d(6))
    def die(self, face):
        self.turns += 1
        self.throws += 1
        self.ahead[self.player] = min(2, self.ahead[self.player] + (face == 1))
        self.player = 1 - self.player

    def outcome(self):
        return 0 if self.ahead[0] >= self.ahead[1] else 1


def test_a_tie_that_goes_to_seat_0_is_refused_however_long_the_game():
    must_refuse(Late, dicelab.exact, match="is not")


def test_what_another_rule_breaks_is_not_said_of_the_seats():
    class Outgrown:
        def points(self, face):
            return 9

    with nothing_turned(), pytest.raises(PlayError, match="scores = 18 is outside its declared range") as plain:
        dicelab.exact(broken(Outgrown, Race))
    with pytest.raises(PlayError) as found:
        dicelab.exact(broken(Outgrown, Race))
    assert type(found.value) is type(plain.value)


class ManyMoves(Game):
    """Of a hundred moves the last ones are legal."""

    source = "made for the tests"
    seats = 2

    legal_from = Param(70, 0, 1000, "first move that is legal")
    player = Seat(2, "whose turn it is", alike=True)
    winner = Seat(2, "who has won", nobody=True)
    rolled = Flag("the player must move")

    def next(self):
        if self.winner >= 0:
            return OVER
        return ask(self.move, self.player) if self.rolled else throw(self.die)

    @thrown(1, Die(win=1, on=1), COUNTS)
    def die(self, win, on):
        if win:
            self.winner = self.player
        else:
            self.rolled = True

    def may(self, number):
        return number >= self.legal_from

    @chosen(100, legal=may)
    def move(self, number):
        self.rolled = False
        self.player = 1 - self.player

    def outcome(self):
        return self.winner


@strategy(ManyMoves)
def ninety(game):
    return 90


def test_many_moves_of_which_the_first_are_not_legal():
    assert dicelab.solve(ManyMoves).value == pytest.approx(2 / 3)


def test_a_seat_without_any_legal_move_is_told_as_ever():
    with pytest.raises(PlayError, match="has no sensible move in move"):
        dicelab.solve(ManyMoves, legal_from=1000)


# Little games in closed form ------------------------------------------------------------------------------------------


class Wait(Game):
    """Win, lose to the next player, or pass the die, which is all that there is."""

    source = "made for the tests"

    players = Param(2, 2, 1000, "players")
    win = Param(1, 0, 100, "weight of winning")
    lose = Param(0, 0, 100, "weight of losing to the next player")
    keep_on = Param(5, 1, 100, "weight of passing the die on")
    again = Param(0, 0, 100, "weight of throwing again")
    by = Param(1, 0, 6, "seats by which the die is passed on")
    first = Param(0, 0, 6, "who begins")
    counted = Param(0, 0, 9, "what is counted before the first throw")
    last = Param(1, 0, 9, "what the last throw counts")
    most = Param(0, 0, 10**6, "throws after which the player wins; 0 for never")
    seats = players

    player = Seat(players, "whose turn it is", alike=True)
    over = Flag("somebody has won")
    throws = Int(0, most, "throws, where they are limited")
    turns = Tally("passes, and the last throw")
    thrown_dice = Tally("throws")
    most_points = Peak("5 after a pass")

    def start(self):
        self.player = self.first % self.players
        self.turns += self.counted

    def next(self):
        return OVER if self.over else throw(self.die)

    @thrown(1, Die(win=win, lose=lose, on=keep_on, again=again), COUNTS)
    def die(self, win, lose, on, again):
        self.thrown_dice += 1
        if self.most > 0:
            self.throws += 1
        if lose:
            self.player = right_of(self.player, self.players)
        if win or lose or (self.most > 0 and self.throws == self.most):
            self.over = True
            self.turns += self.last
        elif on:
            self.player = (self.player + self.by) % self.players
            self.turns += self.by
            self.most_points = max(self.most_points, 5)

    def outcome(self):
        return self.player


def wait(players=2, win=1, lose=0, keep_on=5, by=1, first=0, **_):
    """Chance of each seat to win, in fractions."""
    total = win + lose + keep_on
    reached, r = [Fraction(0)] * players, Fraction(keep_on, total)
    cycle = next(k for k in range(1, players + 1) if k * by % players == 0)
    for k in range(cycle):
        reached[(first + k * by) % players] = r**k / (1 - r**cycle)
    found = [Fraction(0)] * players
    for seat in range(players):
        found[seat] += reached[seat] * Fraction(win, total)
        found[(seat + 1) % players] += reached[seat] * Fraction(lose, total)
    return found


WAITS = [
    {},
    {"win": 2, "lose": 3, "keep_on": 4},
    {"win": 0, "lose": 1, "keep_on": 7, "again": 3},
    {"first": 1, "again": 5},
    {"players": 3},
    {"players": 3, "lose": 2, "first": 2},
    {"players": 3, "by": 2, "first": 1},
    {"players": 4, "by": 2, "lose": 1},
    {"players": 5, "by": 3, "first": 3, "last": 0},
    {"players": 4, "by": 3, "last": 0},
    {"players": 3, "last": 8},
    {"players": 7, "by": 6, "lose": 1, "again": 2},
    {"first": 1, "counted": 1, "lose": 1},
    {"players": 5, "first": 2, "counted": 7, "last": 4},
    {"players": 6, "by": 0, "lose": 1, "first": 5},
]


@pytest.mark.parametrize("given", WAITS, ids=str)
def test_who_passes_the_same_position_on_wins_as_geometric_sums_say(given, all_turned):
    expected = wait(**given)
    found = dicelab.exact(Wait, fractions=False, **given)
    if given.get("first", 0) % given.get("players", 2) == given.get("counted", 0) % given.get("players", 2):
        assert found.states == 1
    for p, known in zip(found.outcomes.values(), expected, strict=True):
        assert abs(Fraction(p.probability) - known) <= p.error < 1e-11
    laid_out = dicelab.exact(Wait, fractions=True, **given)
    assert [p.fraction for p in laid_out.outcomes.values()] == expected
    with nothing_turned():
        plain = dicelab.exact(Wait, fractions=True, **given)
    for tally in plain.tallies:
        one, other = found.tallies[tally], plain.tallies[tally]
        assert abs(one.mean - other.mean) <= one.error + other.error
        assert abs(one.sd - other.sd) <= one.error + other.error
        assert laid_out.tallies[tally].fraction == other.fraction
    joint = dict(plain.joint("turns"))
    for value, row in found.joint("turns"):
        assert row == pytest.approx(joint.get(value, [0.0] * len(expected)), abs=1e-12)


@pytest.mark.parametrize("given", WAITS, ids=str)
def test_without_a_limit_chosen_by_us_the_fractions_are_those_known(given):
    found = dicelab.exact(Wait, **given)
    assert [p.fraction for p in found.outcomes.values()] == wait(**given)


@pytest.mark.slow
def test_so_many_seats_that_a_small_chain_is_turned():
    players, most = 1000, 500
    found = dicelab.exact(Wait, players=players, most=most)
    expected = [Fraction(1, 6) * Fraction(5, 6) ** k for k in range(most - 1)]
    assert chances(found)[: most - 1] == pytest.approx([float(p) for p in expected])
    assert sum(chances(found)) == pytest.approx(1)


class Cycle(Game):
    """A long game of a thousand seats."""

    source = "made for the tests"
    seats = 1000

    player = Seat(1000, "whose turn it is", alike=True)
    count = Int(0, 499, "throws, modulo 500")
    over = Flag("somebody has won")
    turns = Tally("turns")

    def next(self):
        return OVER if self.over else throw(self.die)

    @thrown(1, Die(win=1, on=2000), COUNTS)
    def die(self, win, on):
        self.turns += 1
        if win:
            self.over = True
        else:
            self.count = (self.count + 1) % 500
            self.player = right_of(self.player, 1000)

    def outcome(self):
        return self.player


@pytest.mark.slow
def test_where_too_many_turns_are_to_be_followed_who_wins_is_found_as_without_turning():
    with nothing_turned():
        plain = dicelab.exact(Cycle, fractions=False)
    q = 2000 / 2001
    assert chances(plain)[:3] == pytest.approx([q**k / 2001 / (1 - q**1000) for k in range(3)], rel=1e-9)
    assert chances(dicelab.exact(Cycle, fractions=False)) == pytest.approx(chances(plain), abs=1e-11)


class Wander(Game):
    """The die wanders to the left and to the right, and its direction may be turned round."""

    source = "made for the tests"

    players = Param(4, 2, 9, "players")
    counts = Param(1, 0, 1, "does a tally tell the turn?")
    seats = players

    player = Seat(players, "whose turn it is", alike=True)
    leftwards = Flag("play goes to the left")
    over = Flag("it is over")
    place = Tally("how far to the right")
    throws = Tally("throws")

    def next(self):
        return OVER if self.over else throw(self.die)

    @thrown(1, Die(win=1, on=3, turn=1, skip=1), COUNTS)
    def die(self, win, on, turn, skip):
        self.throws += 1
        if win:
            self.over = True
            return
        if turn:
            self.leftwards = not self.leftwards
        for _ in range(1 + skip):
            self.player = left_of(self.player, self.players) if self.leftwards else right_of(self.player, self.players)
            if self.counts:
                self.place += -1 if self.leftwards else 1

    def outcome(self):
        return self.player


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("counts", [0, 1])
def test_a_turn_order_that_skips_and_turns_round(players, counts, all_turned):
    found = dicelab.exact(Wander, fractions=False, players=players, counts=counts)
    with nothing_turned():
        plain = dicelab.exact(Wander, fractions=True, players=players, counts=counts)
    assert found.states == (2 if counts and players > 2 else 2 * players if not counts else found.states)
    for one, other in zip(found.outcomes.values(), plain.outcomes.values(), strict=True):
        assert abs(one.probability - other.probability) <= one.error
    for tally in plain.tallies:
        assert abs(found.tallies[tally].mean - plain.tallies[tally].mean) <= found.tallies[tally].error
        assert abs(found.tallies[tally].sd - plain.tallies[tally].sd) <= found.tallies[tally].error
    joint = dict(plain.joint("place"))
    for value, row in found.joint("place"):
        assert row == pytest.approx(joint.get(value, [0.0] * players), abs=1e-12)


def test_tallies_that_do_not_tell_the_turn_are_followed_with_the_seats(all_turned):
    found = dicelab.exact(Wander, counts=0)
    assert found.states == 8
    assert np.shape([row for _, row in found.joint("throws")])[1] == 4


class AtOnce(Game):
    """Over before anything is thrown or chosen."""

    source = "made for the tests"

    players = Param(2, 2, 4, "players")
    winner = Param(1, 0, 3, "who wins")
    seats = players

    player = Seat(players, "whose turn it is", alike=True)
    turns = Tally("turns")

    def start(self):
        self.turns += 1
        self.player = self.winner

    def next(self):
        return OVER if self.turns_left() == 0 else throw(self.die)

    def turns_left(self):
        return 0

    @thrown(1, d(2))
    def die(self, face):
        self.player = 0

    def outcome(self):
        return self.player


class AtOnceWithChoice(AtOnce):
    """The same with a choice that nobody makes."""

    @chosen(2)
    def go(self, move):
        self.player = 0


@strategy(AtOnceWithChoice)
def stay(game):
    return 0


@pytest.mark.parametrize(("players", "winner"), [(2, 0), (2, 1), (3, 2), (4, 3)])
@pytest.mark.parametrize("limit", [0, 400_000])
def test_a_game_that_is_over_before_the_first_throw(players, winner, limit, limits):
    limits(symmetric_edges=limit)
    found = dicelab.exact(AtOnce, players=players, winner=winner)
    assert chances(found) == [float(seat == winner) for seat in range(players)]
    assert found.tallies["turns"].fraction == 1
    if players == 2:
        found = dicelab.solve(AtOnceWithChoice, winner=winner).outcomes
        assert [p.probability for p in found.values()] == [1.0 - winner, float(winner)]


class Nobody(Game):
    """Between turns it is nobody's turn."""

    source = "made for the tests"
    seats = 2

    player = Seat(2, "whose turn it is", nobody=True, alike=True)
    last = Seat(2, "who threw last")
    over = Flag("somebody has won")
    turns = Tally("turns")

    def next(self):
        if self.over:
            return OVER
        return throw(self.who) if self.player < 0 else throw(self.die)

    @thrown(1, Die(same=1, other=2), COUNTS)
    def who(self, same, other):
        self.player = self.last if same else 1 - self.last

    @thrown(1, Die(win=1, on=1), COUNTS)
    def die(self, win, on):
        self.turns += 1
        self.last = self.player
        if win:
            self.over = True
        else:
            self.player = -1

    def outcome(self):
        return self.player


@pytest.mark.slow
def test_where_it_may_be_nobodys_turn_both_enumerations_agree():
    run = Run.of(Nobody)
    slow, fast = Walk(run, turned=True).graph(), Expansion(run, turned=True).graph(1 << 30, lambda *_: None)
    assert slow.turn.tolist() == fast.turn.tolist()
    for key in ("keys", "row", "target", "weight", "change", "changes", "start", "start_change"):
        assert np.array_equal(getattr(slow, key), getattr(fast, key)), key


@pytest.mark.slow
def test_where_it_may_be_nobodys_turn_the_answer_is_the_same():
    with nothing_turned():
        plain = dicelab.exact(Nobody)
    slow = graph_of(Run.of(Nobody), engine="reference", turned=True)
    assert unrolled(slow).states == plain.states
    for engine in ("reference", "compiled"):
        with patch(
            "dicelab.solver.enumeration.estimate.graph_of", lambda *a, e=engine, **k: graph_of(*a, engine=e, **k)
        ):
            assert chances(dicelab.exact(Nobody)) == pytest.approx(chances(plain))


# Best play in closed form ---------------------------------------------------------------------------------------------


class Throws(Game):
    """Choose one of two dice, each of which may win, lose to the next player, or pass the turn."""

    source = "made for the tests"

    players = Param(2, 2, 5, "players")
    win = Param(1, 0, 100, "weight of winning, first die")
    go_on = Param(3, 0, 100, "weight of passing, first die")
    lose = Param(1, 0, 100, "weight of losing, first die")
    win2 = Param(1, 0, 100, "weight of winning, second die")
    go_on2 = Param(9, 0, 100, "weight of passing, second die")
    lose2 = Param(0, 0, 100, "weight of losing, second die")
    asked = Param(0, 0, 4, "how many seats further is whoever chooses")
    first = Param(0, 0, 4, "who begins")
    seats = players

    player = Seat(players, "whose turn it is", alike=True)
    winner = Seat(players, "who has won", nobody=True)
    die = Int(0, 2, "which die was chosen")
    turns = Tally("turns")

    def start(self):
        self.player = self.first

    def next(self):
        if self.winner >= 0:
            return OVER
        if self.die == 0:
            return ask(self.choose, (self.player + self.asked) % self.players)
        return throw(self.one) if self.die == 1 else throw(self.two)

    @thrown(1, Die(win=win, on=go_on, lose=lose), COUNTS)
    def one(self, win, on, lose):
        self.ended(win, lose)

    @thrown(1, Die(win=win2, on=go_on2, lose=lose2), COUNTS)
    def two(self, win, on, lose):
        self.ended(win, lose)

    def ended(self, win, lose):
        self.turns += 1
        self.die = 0
        if win:
            self.winner = self.player
        elif lose:
            self.winner = right_of(self.player, self.players)
        else:
            self.player = right_of(self.player, self.players)

    @chosen(2)
    def choose(self, move):
        self.die = 1 + move

    def outcome(self):
        return self.winner


@strategy(Throws)
def the_first(game):
    return 0


def of_one_die(win, on, lose):
    """v = p + q (1 - v), whoever throws the same die for ever."""
    total = win + on + lose
    return Fraction(win + on, total + on)


DICE = [
    ((1, 3, 1), (1, 9, 0)),
    ((5, 1, 5), (1, 9, 0)),
    ((1, 9, 2), (3, 0, 2)),
    ((0, 1, 1), (0, 9, 1)),
]


@pytest.mark.parametrize(("one", "two"), DICE)
@pytest.mark.parametrize("asked", [0, 1])
@pytest.mark.parametrize("first", [0, 1])
def test_of_two_dice_the_better_is_thrown_or_the_worse_where_the_other_seat_chooses(one, two, asked, first):
    worths = [of_one_die(*one), of_one_die(*two)]
    expected = min(worths) if asked else max(worths)
    names = dict(zip(("win", "go_on", "lose", "win2", "go_on2", "lose2"), (*one, *two), strict=True))
    found = dicelab.solve(Throws, asked=asked, first=first, **names)
    assert found.states == 3
    assert found.error < 1e-12
    assert abs(Fraction(found.value) - (1 - expected if first else expected)) <= found.error
    assert found.outcomes["0"].probability == found.value
    assert found.outcomes["1"].probability == pytest.approx(1 - found.value)
    assert found.policy is not None
    best = worths.index(expected)
    assert [int(b - r) for b, r in zip(found.policy.best, found.policy.row, strict=False)] == [best, best]


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("asked", [0, 1, 2])
@pytest.mark.parametrize("first", [0, 2])
def test_three_and_more_choose_as_they_do_without_turning(players, asked, first, tmp_path):
    given = {"players": players, "asked": asked, "first": first, "lose": 2}
    found = dicelab.solve(Throws, **given)
    with nothing_turned():
        plain = dicelab.solve(Throws, **given)
    assert found.chasing == plain.chasing == 0
    assert found.error < 1e-11
    assert chances(found) == pytest.approx(chances(plain), abs=1e-11)
    assert found.value == found.outcomes["0"].probability
    found.policy.save(tmp_path / "best.npz")
    played = dicelab.exact(Throws, f"policy:{tmp_path / 'best.npz'}", **given)
    assert chances(played) == pytest.approx(chances(found), abs=1e-11)


def test_where_one_die_is_better_for_all_three_it_is_a_geometric_sum():
    found = dicelab.solve(Throws, players=3, win=2, go_on=4, lose=0, win2=1, go_on2=5, lose2=0, first=1)
    assert chances(found) == pytest.approx([float(p) for p in wait(3, 2, 0, 4, first=1)])


class Pass(Game):
    """A first throw; after that whoever is asked may pass for nothing, for ever, or throw."""

    source = "made for the tests"
    seats = 2

    win = Param(1, 0, 9, "weight of winning")
    lose = Param(2, 0, 9, "weight of losing")
    player = Seat(2, "whose turn it is", alike=True)
    stage = Int(0, 3, "0 first throw, 1 choose, 2 throw, 3 over")
    turns = Tally("turns")

    def next(self):
        if self.stage == 3:
            return OVER
        return ask(self.go, self.player) if self.stage == 1 else throw(self.die)

    @thrown(1, Die(win=win, lose=lose), COUNTS)
    def die(self, win, lose):
        if self.stage == 0:
            self.stage = 1
            return
        self.stage = 3
        if lose:
            self.player = 1 - self.player

    @chosen(2)
    def go(self, move):
        if move:
            self.stage = 2
        else:
            self.player = 1 - self.player

    def outcome(self):
        return self.player


@strategy(Pass)
def throws_at_once(game):
    return 1


@pytest.mark.parametrize(("win", "lose"), [(1, 2), (2, 1), (1, 1)])
def test_passing_for_ever_for_nothing_is_answered_as_without_turning(win, lose):
    found = dicelab.solve(Pass, win=win, lose=lose)
    with nothing_turned():
        plain = dicelab.solve(Pass, win=win, lose=lose)
    assert found.value == pytest.approx(plain.value, abs=1e-9)
    assert np.isfinite(found.error) == np.isfinite(plain.error)


class Spite(Game):
    """A throw wins or not; if not, the other seat says who throws next."""

    source = "made for the tests"
    seats = 2

    wait = Param(7, 1, 99, "weight of not winning")
    player = Seat(2, "whose turn it is", alike=True)
    stage = Int(0, 2, "0 throw, 1 choose, 2 over")

    def next(self):
        if self.stage == 2:
            return OVER
        return ask(self.pick, 1 - self.player) if self.stage == 1 else throw(self.die)

    @thrown(1, Die(win=1, no=wait), COUNTS)
    def die(self, win, no):
        self.stage = 2 if win else 1

    @chosen(2)
    def pick(self, move):
        self.stage = 0
        if move == 0:
            self.player = 1 - self.player

    def outcome(self):
        return self.player


@strategy(Spite)
def takes_the_die(game):
    return 0


@pytest.mark.parametrize("wait", [1, 5, 7, 20, 99])
def test_where_the_other_seat_gives_the_die_to_whom_it_likes_it_takes_it(wait):
    """v = p + (1 - p) (1 - v), for to throw is better than not to."""
    expected = Fraction(1 + wait, 1 + 2 * wait)
    with nothing_turned():
        plain = dicelab.solve(Spite, wait=wait)
    assert abs(Fraction(plain.value) - expected) <= plain.error
    found = dicelab.solve(Spite, wait=wait)
    assert abs(Fraction(found.value) - expected) <= found.error < 1e-10


class Spoilt(Spite):
    """After each throw but the first the other seat says whether the thrower wins: no game need ever end."""

    begun = Flag("the first throw was made")

    @thrown(1, d(2))
    def die(self, face):
        self.stage = 1 if self.begun else 0
        self.begun = True

    @chosen(2)
    def pick(self, move):
        self.stage = 2 if move else 0
        if move == 0:
            self.player = 1 - self.player


def test_a_game_that_nobody_lets_end_is_answered_without_a_warning():
    with nothing_turned():
        plain = dicelab.solve(Spoilt)
    found = dicelab.solve(Spoilt)
    assert found.value == pytest.approx(plain.value)
    assert not np.isfinite(found.error)
    assert not np.isnan(found.error)


class Ring(Game):
    """Whoever stops gets a quarter, the player before three quarters: stop if the next player would pass."""

    source = "made for the tests"

    players = Param(3, 2, 7, "players")
    seats = players

    player = Seat(players, "whose turn it is", alike=True)
    winner = Seat(players, "who has won", nobody=True)
    stopped = Flag("the player has stopped")
    passed = Flag("the player has passed")

    def next(self):
        if self.winner >= 0:
            return OVER
        if self.stopped:
            return throw(self.prize)
        return throw(self.luck) if self.passed else ask(self.stop_or_pass, self.player)

    @thrown(1, Die(mine=1, before=3), COUNTS)
    def prize(self, mine, before):
        self.winner = self.player if mine else left_of(self.player, self.players)

    @thrown(1, Die(end=1, on=99), COUNTS)
    def luck(self, end, on):
        self.passed = False
        if end:
            self.winner = self.player
        else:
            self.player = right_of(self.player, self.players)

    @chosen(2)
    def stop_or_pass(self, move):
        if move:
            self.stopped = True
        else:
            self.passed = True

    def outcome(self):
        return self.winner


@strategy(Ring)
def stop(game):
    return 1


def test_in_a_ring_of_five_alike_the_best_moves_chase_each_other():
    found = dicelab.solve(Ring, players=5)
    assert found.chasing == 1
    assert found.regret > 0.01
    assert sum(p.probability for p in found.outcomes.values()) == pytest.approx(1)
    with nothing_turned():
        assert dicelab.solve(Ring, players=5).chasing == 1


def test_in_a_ring_of_six_alike_every_other_player_stops_as_without_turning():
    """Which is not to do the same in every seat."""
    with nothing_turned():
        plain = dicelab.solve(Ring, players=6)
    assert (plain.chasing, plain.regret < 1e-12) == (0, True)
    found = dicelab.solve(Ring, players=6)
    assert (found.chasing, found.regret < 1e-12) == (0, True)


@pytest.mark.parametrize("players", [3, 4])
def test_in_a_small_ring_where_all_pass_no_moves_are_said_to_chase_each_other(players):
    """Each gets about a third or a quarter, which is more than who stops gets."""
    found = dicelab.solve(Ring, players=players)
    assert found.regret < 1e-12
    assert found.chasing == 0


def test_in_a_ring_of_two_it_is_as_without_turning():
    with nothing_turned():
        plain = dicelab.solve(Ring, players=2)
    assert dicelab.solve(Ring, players=2).value == pytest.approx(plain.value, abs=1e-12)


# Where nothing is turned ----------------------------------------------------------------------------------------------


def test_with_strategies_given_nothing_is_turned():
    run = Run.of(Throws)
    plain = graph_of(run)
    assert dicelab.exact(Throws).states == plain.states == 2
    seat_free = graph_of(run, [1], counted=False)
    found = dicelab.solve(Throws, "the_first", seat=1)
    assert (found.states, found.edges) == (seat_free.states, seat_free.edges)
    assert found.states > graph_of(run, [0, 1], turned=True).states


def test_of_a_game_that_declares_nothing_nothing_is_turned():
    plain = graph_of(Run.of(Race), turned=True)
    assert plain.turn is not None

    class Silent:
        player = Seat(2, "whose turn it is")

    silent = graph_of(Run.of(broken(Silent, Race)), turned=True)
    assert silent.turn is None
    assert Rotation.of(broken(Silent, Race)()) is None
    assert unrolled(silent) is silent


def test_a_graph_is_turned_only_where_that_is_asked_for():
    assert graph_of(Run.of(Race)).turn is None


# Policies in all engines ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_policy_from_turned_positions_plays_the_same_games_in_all_engines(tmp_path):
    game, given, lines, found = GAMES["pig"], {"players": 3, "target": 5}, [], []
    for turned in (True, False):
        if turned:
            best = dicelab.solve(game, **given)
        else:
            with nothing_turned():
                best = dicelab.solve(game, **given)
        best.policy.save(tmp_path / f"{turned}.npz")
        lines.append(f"policy:{tmp_path / f'{turned}.npz'}")
        found.append(best)
    assert found[0].states < found[1].states
    run = Run.of(game, lines[0], **given)
    graph = MemoEngine(run.game, run.calls)
    graph.compile()
    engines: list[Engine] = [Reference(run.game, run.calls), Compiled(run.game, run.calls), graph]
    alone = [[engine.play(7, i, i + 1) for i in range(30)] for engine in engines]
    assert alone[1] == alone[0]
    assert alone[2] == alone[0]
    many = [engine.play(7, 0, 1000) for engine in engines]
    assert many[1] == many[0]
    assert many[2] == many[0]
    played = [dicelab.exact(game, line, **given) for line in lines]
    assert chances(played[0]) == pytest.approx(chances(played[1]), abs=1e-12)
    assert chances(played[0]) == pytest.approx(chances(found[0]), abs=1e-12)
