"""Choices that all seats make at once: nobody sees the others' before all have chosen, and then everybody does."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import dicelab
from dicelab.conformance.alike import in_the_open
from dicelab.conformance.states import reach
from dicelab.errors import DicelabError, PlayError, RulesError
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import games_in, load
from dicelab.runtime.interpreter import steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream
from game_texts import PENNIES

HEAD = "from enum import IntEnum\nfrom dicelab.rules import *\nfrom dicelab.rules import mixture\n"

AUCTION = '''
class Manner(IntEnum):
    PAY = 1
    KEEP = 2


class Auction(Game):
    """All write down a bid and a manner for each of three prizes; the single highest bid gets the roll."""

    name = "auction"

    players = Param(3, 2, 3, "players")
    seats = players
    outcomes = (players, "draw")

    bidder = Seat(players, "who writes")
    money = Ints(players, 0, 5, "money", start=5, by_seat=True)
    points = Ints(players, 0, 18, "points", by_seat=True)
    prize = Int(0, 6, "the roll; 0 none")
    rounds = Int(0, 3, "rounds", start=3)
    paid = Tally("paid")

    def next(self):
        if self.prize == 0:
            return throw(self.roll) if self.rounds else OVER
        return ask(self.bid, range(self.players))

    @thrown(1, D6)
    def roll(self, face):
        self.prize = face
        self.rounds -= 1

    def can(self, manner, amount):
        return amount <= 2 + self.money[self.bidder]

    @chosen(Manner, (2, 7), legal=can)
    def single(self, manner, amount):
        self.prize = 0

    @chosen(Manner, (2, 7), legal=can, together=bidder)
    def bid(self, manners, amounts):
        best = max(amounts)
        if amounts.count(best) == 1:
            winner = amounts.index(best)
            self.points[winner] += self.prize
            if manners[winner] == Manner.PAY:
                self.money[winner] -= best - 2
                self.paid += best - 2
        self.prize = 0

    def outcome(self):
        best = max(self.points)
        return self.players if self.points.count(best) > 1 else self.points.index(best)


@strategy(Auction, more=Param(0, 0, 3, "added"))
def by_seat(game, more):
    me = game.bidder
    return (Manner.KEEP if me == 2 else Manner.PAY), 2 + min(game.money[me], (game.prize * (me + 2) + more) % 5)


@strategy(Auction)
def drawing(game):
    me = game.bidder
    return mixture(((Manner.PAY, 2 + game.money[me]), 1), ((Manner.KEEP, 2), game.prize))
'''

SIGNAL = '''
class Signal(Game):
    """The first lays the side of its hidden coin, and the second any; then the second guesses the coin."""

    name = "signal"
    seats = 2

    coin = Int(0, 2, "the coin; 0 not tossed")
    coins = Ints(2, 0, 2, "the coin of the first", by_seat=True, private=True)
    player = Seat(2, "who chooses")
    stage = Int(0, 2, "choices made")
    winner = Seat(2, "who has won")

    def next(self):
        if self.coin == 0:
            return throw(self.toss)
        return OVER if self.stage == 2 else ask(self.lay, [0, 1]) if self.stage == 0 else ask(self.guess, 1)

    @thrown(1, d(2))
    def toss(self, side):
        self.coin = 1
        self.coins[0] = side

    def own(self, side):
        return side == self.coins[self.player] if self.player == 0 else True

    @chosen((1, 2), legal=own, together=player)
    def lay(self, sides):
        self.stage = 1

    @chosen((1, 2))
    def guess(self, side):
        self.winner = 1 if side == self.coins[0] else 0
        self.stage = 2

    def outcome(self):
        return self.winner


@strategy(Signal)
def one(game):
    return game.coins[0] if game.player == 0 and game.stage == 0 else 1
'''


def game(text: str, folder: Path) -> type[Game]:
    (folder / "together.py").write_text(HEAD + text)
    return next(iter(games_in(load(folder / "together.py")).values()))


def test_matching_pennies_laid_at_once_are_worth_a_half(tmp_path: Path) -> None:
    found = dicelab.equilibrium(game(PENNIES, tmp_path))
    assert found.fraction == Fraction(1, 2)
    assert found.situations == 2, "the second player knows nothing of the first"
    assert found.first_moves[1].moves == {"0": 0.5, "1": 0.5}
    exact = dicelab.exact(game(PENNIES, tmp_path), ["thirds", "thirds"])
    assert exact.outcomes["0"].fraction == Fraction(5, 9)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["by_seat", "drawing"])
def test_several_numbers_of_three_seats_are_the_same_compiled_and_in_plain_python(
    strategy: str, tmp_path: Path
) -> None:
    auction = game(AUCTION, tmp_path)
    reference, compiled = (
        dicelab.simulate(auction, strategy, games=200, seed=5, engine=engine) for engine in ("reference", "compiled")
    )
    assert [p.count for p in reference.outcomes.values()] == [p.count for p in compiled.outcomes.values()]
    assert reference.tallies["paid"].mean == compiled.tallies["paid"].mean > 0
    assert min(p.count for p in reference.outcomes.values()) > 0


def test_the_method_receives_what_every_seat_has_chosen(tmp_path: Path) -> None:
    """Money and points of each game, followed apart from the rules."""
    run = Run.of(game(AUCTION, tmp_path), "by_seat:more=1")
    for number in range(20):
        table, money, points, prize = run.game, [5, 5, 5], [0, 0, 0], 0
        bids: list[tuple[int, ...]] = []
        for event in steps(table, [call.chooser(table) for call in run.calls], Stream(3, number)):
            if event.kind == "throw":
                prize = event.values[0]
                continue
            assert event.count == len(bids)
            bids.append(event.values)
            if len(bids) < 3:
                assert table.points == points, "nothing happens before all have chosen"
                continue
            best = max(amount for _, amount in bids)
            winners = [seat for seat, (_, amount) in enumerate(bids) if amount == best]
            if len(winners) == 1:
                points[winners[0]] += prize
                money[winners[0]] -= best - 2 if bids[winners[0]][0] == 1 else 0
            assert (table.points, table.money) == (points, money)
            assert (table.bid_manners, table.bid_amounts) == ([1, 1, 1], [2, 2, 2]), "what was written is thrown away"
            bids = []


def test_everybody_sees_what_all_have_chosen(tmp_path: Path) -> None:
    found = dicelab.equilibrium(game(SIGNAL, tmp_path))
    assert found.fraction == 0, "the second has seen the coin"


def test_a_strategy_does_not_see_what_another_seat_has_laid(tmp_path: Path) -> None:
    peeking = PENNIES.replace("    return 0\n\n", "    return game.lay_sides[0]\n\n", 1)
    with pytest.raises(DicelabError, match="lay_sides, which the seat that plays does not see"):
        dicelab.simulate(game(peeking, tmp_path), "heads", games=2, seed=1, engine="reference")
    with pytest.raises(DicelabError, match="lay_sides"):
        dicelab.simulate(game(peeking, tmp_path), "heads", games=2, seed=1, engine="compiled")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0, 1])", "0)", r"all seats choose at once there: ask\(self.lay, \[0, 1\]\)"),
        ("[0, 1])", "[1, 0])", r"all seats choose at once there: ask\(self.lay, \[0, 1\]\)"),
        ("(2, together=player)", "(2)", "declare it with @chosen"),
    ],
)
def test_other_seats_than_all_are_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    table = game(PENNIES.replace(old, new, 1), tmp_path)()
    with pytest.raises(RulesError, match=message):
        table.next()
    with pytest.raises((RulesError, PlayError)):
        dicelab.simulate(type(table), "heads", games=2, seed=1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("together=player", "together=2", "name the field that says who chooses"),
        ("together=player", "together=winner", "name the field that says who chooses"),
        ('winner = Seat(2, "who has won")', 'winner = Seat(2, "who has won", nobody=True)', ""),
        ("def lay(self, sides):", "def lay(self):", "lay must take an argument for each number"),
        ("over = Flag", "lay_sides = Flag", "lay_sides holds what seats choose in lay"),
        ("def lay(self, sides):", "def lay(self, *sides):", "lay must take an argument for each number"),
    ],
)
def test_declarations_that_say_something_else_are_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = PENNIES.replace('winner = Seat(2, "who has won")', 'winner = Seat(2, "who has won", nobody=True)')
    if not message:
        assert game(text, tmp_path)
        return
    with pytest.raises(DicelabError, match=message):
        game(text.replace(old, new), tmp_path)


@pytest.mark.parametrize("engine", ["reference", pytest.param("compiled", marks=pytest.mark.slow)])
def test_a_choice_that_does_not_begin_with_the_first_seat_is_an_error(engine: str, tmp_path: Path) -> None:
    """Else the first seat would never be asked, and would be taken to have chosen 0."""
    table = game(
        PENNIES.replace("    @chosen(2,", "    def start(self):\n        self.player = 1\n\n    @chosen(2,"), tmp_path
    )
    for question in (
        lambda: dicelab.exact(table, "heads"),
        lambda: dicelab.equilibrium(table),
        lambda: dicelab.simulate(table, "heads", games=5, seed=1, engine=engine),
    ):
        with pytest.raises(DicelabError, match="player is 1 before anybody has chosen; set it to 0"):
            question()


def test_check_mentions_two_seats_that_choose_in_the_open(tmp_path: Path) -> None:
    openly = '''
class Open(Game):
    """Two players lay a coin, one after the other."""

    name = "open"
    seats = 2

    laid = Ints(2, 0, 1, "sides", by_seat=True)
    many = Int(0, 2, "coins laid")

    def next(self):
        return OVER if self.many == 2 else ask(self.lay, self.many)

    @chosen(2)
    def lay(self, side):
        self.laid[self.many] = side
        self.many += 1

    def outcome(self):
        return 0 if self.laid[0] == self.laid[1] else 1
'''

    def said(text: str) -> str:
        table = game(text, tmp_path)()
        return in_the_open(table, reach(table, 1000, 10_000, 1000).explored)

    assert "in lay two seats choose from the same moves one after the other" in said(openly)
    assert said(openly.replace("by_seat=True", "by_seat=True, private=True")) == ""
    assert said(PENNIES) == ""
    assert said(openly.replace("(2)\n", "(2, legal=lambda self, side: self.many == 0 or side >= self.laid[0])\n")) == ""
    taking = openly.replace("Ints(2, 0, 1", "Ints(2, 0, 9").replace(
        "self.laid[self.many] = side", "self.laid[0] += side"
    )
    assert (
        said(
            taking.replace("self.many == 2", "self.many == 4")
            .replace("Int(0, 2", "Int(0, 4")
            .replace("ask(self.lay, self.many)", "ask(self.lay, self.many % 2)")
        )
        == ""
    ), "each takes from one heap, and again"
