"""Strategies that draw their moves: what they draw, on each engine, and exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import dicelab
from dicelab.engines.player import forced, table_engines
from dicelab.errors import NotSmall, ParameterError, PlayError, RulesError
from dicelab.rules.game import Game, fresh
from dicelab.rules.loading.registry import games_in, load
from dicelab.runtime.interpreter import Reference, steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream, word
from game_texts import PENNIES, RULES_OF_POKER

HEAD = """
from dicelab.rules import *
from dicelab.rules import mixture
"""

TWICE = '''
class Twice(Game):
    """Two seats choose in turn, after a roll each, whether to keep it, and how much it counts."""

    name = "twice"
    seats = 2
    outcomes = ("low", "high")

    turn = Int(0, 6, "choices so far")
    last = Int(0, 6, "the roll; 0: none")
    total = Int(0, 60, "what was kept")
    rolled = Tally("sum of all rolls")
    kept = Tally("sum of what was kept")

    def next(self):
        if self.turn == 6:
            return OVER
        return ask(self.keep, self.turn % 2) if self.last else throw(self.die)

    @thrown(1, d(6))
    def die(self, face):
        self.last = face
        self.rolled += face

    @chosen((0, 1), (1, 2))
    def keep(self, yes, times):
        if yes:
            self.total = min(60, self.total + times * self.last)
            self.kept += times * self.last
        self.last = 0
        self.turn += 1

    def outcome(self):
        return 1 if self.total > 20 else 0


@strategy(Twice, percent=Param(30, 0, 100, "of keeping"))
def wavering(game, percent):
    """Keep sixes; else by chance."""
    if game.last == 6:
        return 1, 2
    return mixture(((1, 2), percent), ((0, 1), 100 - percent)) if game.last > 2 else mixture(((1, 1), 1), ((0, 1), 2))


@strategy(Twice)
def never(game):
    return 0, 1


@strategy(Twice)
def as_wavering(game):
    return wavering(game, 50) if game.turn else (1, 1)
'''

POKER = (
    RULES_OF_POKER
    + '''
@strategy(Poker)
def bluffing(game):
    """Bet with a 3, bluff with a 1 one time in three; call with a 3, half of the time with a 2."""
    mine = game.hands[game.moves % 2]
    if game.moves > 0 and game.bets[1 - game.moves % 2]:
        return mixture((1, mine - 1), (0, 3 - mine))
    if mine == 3:
        return 1
    return mixture((0, 2), (1, 1)) if mine == 1 else 0
'''
)


def game(text: str, folder: Path) -> type[Game]:
    (folder / "mixed.py").write_text(HEAD + text)
    return next(iter(games_in(load(folder / "mixed.py")).values()))


def played(table: type[Game], line_up: list[str], index: int, seed: int = 4) -> list[tuple[Any, ...]]:
    run = Run.of(table, line_up)
    one = fresh(run.game)
    found = steps(one, [call.chooser(one) for call in run.calls], Stream(seed, index))
    return [(event.kind, event.count, event.values) for event in found]


def drawn(seed: int, index: int, choice: int, weight: int) -> int:
    """A number below a weight as docs/stream.md defines it, written apart from the package."""
    lane = 2**31
    while True:
        scaled = word(seed, index, 4 * choice, lane) * weight
        if scaled % 2**32 >= 2**32 % weight:
            return scaled >> 32
        lane += 2


def test_each_choice_draws_its_own_number(tmp_path: Path) -> None:
    table = game(TWICE, tmp_path)
    for index in range(40):
        events, last, choice = played(table, ["wavering:30", "never"], index), 0, 0
        for kind, seat, values in events:
            if kind == "throw":
                last = values[0]
                continue
            if seat == 0 and last in (3, 4, 5):
                assert values == ((1, 2) if drawn(4, index, choice, 100) < 30 else (0, 1))
            elif seat == 0 and last < 3:
                assert values == ((1, 1) if drawn(4, index, choice, 3) < 1 else (0, 1))
            choice += 1  # of all seats
        assert choice == 6


def test_the_rolls_keep_their_words(tmp_path: Path) -> None:
    table = game(TWICE, tmp_path)
    for index in range(20):
        rolls = [
            [values for kind, _, values in played(table, line_up, index) if kind == "throw"]
            for line_up in (["wavering"], ["never"])
        ]
        assert rolls[0] == rolls[1]


TURNS = '''
class Hog(Game):
    """Two seats roll as often as they like; a 1 ends the turn, and its points are lost."""

    name = "hog"
    seats = 2
    outcomes = ("first", "second")

    player = Seat(2)
    scores = Ints(2, 0, 6000, "points")
    turn = Int(0, 200, "points of the turn")
    rolled = Flag("whether somebody is to choose")
    over = Flag("whether somebody has 60 points")
    rolls = Tally("rolls")

    def next(self):
        if self.over:
            return OVER
        return ask(self.stop, self.player) if self.rolled else throw(self.die)

    @thrown(1, d(6))
    def die(self, face):
        self.rolls += 1
        if face == 1:
            self.turn = 0
            self.player = 1 - self.player
        else:
            self.turn = min(200, self.turn + face)
            self.rolled = True

    @chosen((0, 1))
    def stop(self, yes):
        self.rolled = False
        if yes:
            self.scores[self.player] = min(6000, self.scores[self.player] + self.turn)
            self.turn = 0
            self.over = self.scores[self.player] >= 60
            self.player = 1 - self.player

    def outcome(self):
        return 0 if self.scores[0] >= 60 else 1


@strategy(Hog, at=Param(12, 1, 100, "points"))
def around(game, at):
    """Stop at so many points, or up to eight more by chance."""
    if game.turn < at:
        return 0
    return mixture((1, 2), (0, 1)) if game.turn < at + 8 else 1


@strategy(Hog)
def sure(game):
    return 1 if game.turn >= 18 else 0


@strategy(Hog)
def always_by_chance(game):
    return mixture((1, game.turn), (0, 20 + game.scores[1 - game.player]))
'''

# Moves and weights are read from left to right.
LATER = """
class Bumps(Memory):
    n = Int(0, 100, "how often it was asked", start=1)


def bump(mine):
    mine.n = min(100, mine.n + 1)
    return 1


@strategy(Twice, memory=Bumps)
def weight_first(game, mine):
    return mixture(((1, 1), mine.n), ((0, 1), bump(mine)))


@strategy(Twice)
def walrus(game):
    a = 1
    return mixture(((1, 1), a), ((0, 1), (a := a + 2)))


@strategy(Twice)
def named_alike(game):
    _mixed_1 = game.last
    return mixture(((1, 1), game.last + 1), ((0, 1), _mixed_1))
"""

FIRST = '''
class Ante(Game):
    """A bet before each roll, and one after it, by two seats in turn."""

    name = "ante"
    seats = 2
    outcomes = ("low", "high")

    stage = Int(0, 9, "rolls and bets so far")
    stake = Int(0, 2, "the last bet")
    total = Int(0, 200, "what was won")
    staked = Tally("sum of all bets")

    def next(self):
        if self.stage == 9:
            return OVER
        return throw(self.die) if self.stage % 3 == 1 else ask(self.bet, self.stage % 2)

    @thrown(1, d(6))
    def die(self, face):
        self.total += face * self.stake
        self.stage += 1

    @chosen((0, 2))
    def bet(self, much):
        self.staked += much
        self.stake = much
        self.stage += 1

    def outcome(self):
        return 1 if self.total > 9 else 0


@strategy(Ante)
def bold(game):
    return mixture((0, 1), (1, 1 + game.total % 3), (2, game.stage))


@strategy(Ante)
def later(game):
    return 1 if game.stage < 2 else mixture((0, 1), (2, 2))
'''

SAME = [
    (FIRST, ["bold", "later"], ("compiled", "memo")),
    (TWICE, ["wavering:40", "as_wavering"], ("compiled", "memo")),
    (TWICE + LATER, ["never", "wavering"], ("compiled", "memo")),
    (TWICE + LATER, ["weight_first", "walrus"], ("compiled", "memo")),
    (TWICE + LATER, ["named_alike"], ("compiled", "memo")),
    (POKER, ["bluffing"], ("compiled", "memo")),
    (TURNS, ["sure", "around"], ("compiled", "memo", "turn")),
    (TURNS, ["around:6", "sure"], ("compiled", "memo", "turn")),
    (TURNS, ["always_by_chance", "around"], ("compiled", "memo")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "line_up", "engines"), SAME)
def test_engines_draw_the_same_moves(text: str, line_up: list[str], engines: tuple[str, ...], tmp_path: Path) -> None:
    """In chunks that don't begin with the first game too; `memo` and `turn` leave no game to the compiled engine."""
    run = Run.of(game(text, tmp_path), line_up)
    reference = Reference(run.game, run.calls)
    for name in engines:
        engine = forced(run, name)
        for low, high in ((0, 400), (700, 1300)):
            one, two = engine.play(9, low, high), reference.play(9, low, high)
            assert (one.counts, one.histograms) == (two.counts, two.histograms)
        if name == "memo":
            assert engine.name == name
            assert engine._others is None  # type: ignore[attr-defined]


@pytest.mark.slow
def test_turns_are_followed_in_the_table_where_no_move_is_drawn(tmp_path: Path) -> None:
    run = Run.of(game(TURNS, tmp_path), ["sure", "around"])
    engine = forced(run, "turn")
    engine.play(9, 0, 2000)
    assert engine.name == "turn"


@pytest.mark.parametrize("engine", ["table", "counter", "lockstep"])
def test_engines_without_choices_or_with_a_whole_table_refuse_them(engine: str, tmp_path: Path) -> None:
    table = game(TWICE, tmp_path)
    with pytest.raises(
        ParameterError,
        match=r"as_wavering draws its moves .mixture., which the engines compiled, memo, turn, reference and cuda play",
    ):
        dicelab.simulate(table, ["as_wavering", "wavering"], games=10, engine=engine)


@pytest.mark.parametrize(("engine", "why"), [("memo", "it has no rolls"), ("turn", "how it begins depends on")])
def test_games_without_rolls_are_refused(engine: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=why):
        dicelab.simulate(game(PENNIES, tmp_path), "fair", games=10, engine=engine)


def test_turns_in_which_most_moves_are_drawn_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="most of its rolls depend on the rest of the game, or on moves that are"):
        dicelab.simulate(game(TURNS, tmp_path), "always_by_chance", games=10, engine="turn")


@pytest.mark.parametrize("engine", ["memo", "turn"])
def test_auto_takes_the_rules_for_them(engine: str, tmp_path: Path) -> None:
    run = Run.of(game(TURNS, tmp_path), ["sure", "around"])
    with pytest.raises(NotSmall, match="draws its moves"):
        table_engines()[engine](run.game, run.calls).must_suit()


def by_hand() -> tuple[Fraction, Fraction]:
    """The chance that the first wins poker with `bluffing` in both seats, and what it gets on average."""
    wins = gets = Fraction(0)
    bets = {1: Fraction(1, 3), 2: Fraction(0), 3: Fraction(1)}
    calls = {1: Fraction(0), 2: Fraction(1, 2), 3: Fraction(1)}
    for one, two in product((1, 2, 3), repeat=2):
        show = (one > two) - (one < two)
        ways = [
            (bets[one] * calls[two], 2 * show),
            (bets[one] * (1 - calls[two]), 1),
            ((1 - bets[one]) * bets[two] * calls[one], 2 * show),
            ((1 - bets[one]) * bets[two] * (1 - calls[one]), -1),
            ((1 - bets[one]) * (1 - bets[two]), show),
        ]
        assert sum(share for share, _ in ways) == 1
        wins += sum(share for share, much in ways if much > 0) / 9
        gets += sum(share * much for share, much in ways) / 9
    return wins, gets


@pytest.mark.slow
def test_exact_answers_are_those_by_hand(tmp_path: Path) -> None:
    table = game(POKER, tmp_path)
    found = dicelab.exact(table, "bluffing")
    wins, gets = by_hand()
    assert found.outcomes["first"].fraction == wins
    assert found.tallies["first"].fraction == gets


def test_exact_answers_against_a_strategy_that_does_not_draw(tmp_path: Path) -> None:
    table = game(TWICE, tmp_path)
    found = dicelab.exact(table, ["wavering:30", "never"])
    each = Fraction(1, 6) * 12 + Fraction(3, 10) * Fraction(2 * (3 + 4 + 5), 6) + Fraction(1, 3) * Fraction(1 + 2, 6)
    assert found.tallies["kept"].fraction == 3 * each
    assert found.tallies["rolled"].fraction == 21


WRONG = [
    ("mixture((1, -1), (0, 2))", "the weight -1 is not allowed; it is a whole number from 0 on"),
    ("mixture((1, 0), (0, 0))", "the weights add up to 0; their sum must be 1 to 268,435,456"),
    ("mixture((1, 2**28), (0, 1))", "the weights add up to 268,435,457"),
    ("mixture((1, 1), (7, 1))", "7 in bet, which is not allowed"),
]


@pytest.mark.slow_cases("mixture((1, 0), (0, 0))-the weights add up to 0; their sum must be 1 to 268,435,456")
@pytest.mark.parametrize(("given", "says"), WRONG)
def test_mixtures_that_can_not_be_drawn(given: str, says: str, tmp_path: Path) -> None:
    text = POKER.replace("return mixture((0, 2), (1, 1)) if mine == 1 else 0", f"return {given}")
    with pytest.raises(PlayError, match=says):
        dicelab.simulate(game(text, tmp_path), "bluffing", games=50, seed=1)


REFUSED = [
    ("mine = mixture((0, 1), (1, 1))\n    return mine", "a strategy returns mixture"),
    ("pairs = ((0, 1), (1, 1))\n    return mixture(*pairs)", "a strategy returns mixture"),
    ("return 1 - later(game)", "the move of later is drawn .mixture.; return it as it is"),
    ("return helper(game)", r"mixture\(\.\.\.\) is returned by a strategy itself"),
]


@pytest.mark.slow_cases("mine = mixture((0, 1), (1, 1))\\n    return mine-a strategy returns mixture")
@pytest.mark.parametrize(("body", "says"), REFUSED)
def test_what_a_mixture_can_not_be_used_for(body: str, says: str, tmp_path: Path) -> None:
    later = (
        "\n\n@strategy(Poker)\ndef later(game):\n    return mixture((0, 1), (1, 1))\n"
        "\n\ndef helper(game):\n    return mixture((0, 1), (1, 1))\n"
        f"\n\n@strategy(Poker)\ndef wrong(game):\n    {body}\n"
    )
    with pytest.raises(RulesError, match=says):
        Run.of(game(POKER + later, tmp_path), "wrong")


def test_a_rule_draws_nothing(tmp_path: Path) -> None:
    text = POKER.replace("return OVER if self.done else", "return mixture((OVER, 1), (OVER, 2)) if self.done else")
    with pytest.raises(RulesError, match=r"mixture\(\.\.\.\) is returned by a strategy itself"):
        Run.of(game(text, tmp_path), "bluffing")


def test_exact_answers_know_mixtures_with_a_memory(tmp_path: Path) -> None:
    """Asked for the first time it bets one time in two, the second time it calls one time in three."""
    memory = (
        "\n\nclass Seen(Memory):\n    many = Int(0, 9, 'times')\n"
        "\n\n@strategy(Poker, memory=Seen)\ndef counts(game, mine):\n"
        "    mine.many = min(9, mine.many + 1)\n    return mixture((0, mine.many), (1, 1))\n"
    )
    table = game(POKER + memory, tmp_path)
    assert dicelab.simulate(table, "counts", games=20, seed=1).games == 20
    gets = Fraction(0)
    for one, two in product((1, 2, 3), repeat=2):
        show, half = (one > two) - (one < two), Fraction(1, 2)
        gets += half * (half * 2 * show + half) + half * (half * show + half * Fraction(2 * show - 2, 3))
    assert dicelab.exact(table, "counts").tallies["first"].fraction == gets / 9
    assert dicelab.equilibrium(table, ["counts", "counts"]).value == pytest.approx(float(gets / 9), abs=1e-12)


def test_why_follows_each_move_that_may_be_drawn(tmp_path: Path) -> None:
    """The table of the first steps adds up to the whole, with its moves as with its rolls."""
    table = game(POKER, tmp_path)
    whole = dicelab.exact(table, "bluffing").outcomes["first"].fraction
    for depth in (1, 2, 3, 4):
        rows = dicelab.why(table, "bluffing", depth=depth).rows
        assert sum(row.probability for row in rows) == 1
        assert sum(row.probability * row.values["first"].fraction for row in rows) == whole
    bluffs = [row for row in rows if [step.words for step in row.steps[2:]] == ["1", "0"] and row.steps[0].words == "1"]
    assert sum(row.probability for row in bluffs) == Fraction(1, 9) * Fraction(1, 3) * (1 + Fraction(1, 2))


def test_states_behind_moves_that_are_never_drawn_are_left_out(tmp_path: Path) -> None:
    often = POKER.replace("mixture((0, 2), (1, 1)) if mine == 1 else 0", "mixture((0, 1), (1, 0))")
    never = game(often, tmp_path)
    found = dicelab.exact(never, "bluffing")
    assert found.states < dicelab.exact(game(POKER, tmp_path), "bluffing").states


@pytest.mark.slow
def test_check_compares_exact_answers_with_what_is_drawn(tmp_path: Path) -> None:
    found = dicelab.check(game(POKER, tmp_path))
    assert found.lawful
    text = str(found)
    assert "agree with simulations" in text
