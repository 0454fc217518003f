"""What people may type beside moves alone, and what they are told while a game is being solved."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from dicelab.errors import ParameterError, RulesError
from dicelab.games.farkle import Farkle
from dicelab.games.liars_dice import LiarsDice
from dicelab.games.mia import Mia
from dicelab.games.sealed_bids import SealedBids
from dicelab.games.tossup import TossUp
from dicelab.games.yahtzee import Yahtzee
from dicelab.interface.play.asking.hints import HintsOnDemand
from dicelab.interface.play.asking.people import question_of
from dicelab.questions.policies.objective import default_objective
from dicelab.questions.policies.solving import Solving
from dicelab.rules import OVER, Game, Int, Tally, Words, ask, chosen
from dicelab.rules.game import fresh
from dicelab.rules.wording import move_words
from dicelab.runtime.interpreter import steps
from dicelab.runtime.philox import Stream
from small_games import Tokens
from support import GAMES
from terminal import sit


def on_table(*dice, **fields):
    game = fresh(Yahtzee())
    game.rolls, game.rolled = 1, True
    for die in dice:
        game.dice[die - 1] += 1
    for name, value in fields.items():
        setattr(game, name, value)
    return game


@pytest.mark.parametrize("typed", ["full house", "fill full house", "Box full", "FULL-HOUSE"])
def test_a_box_may_be_named_before_the_last_roll(typed):
    """Keeping all dice and filling the box are then one answer."""
    seen = sit(Yahtzee(), [], [typed, "sixes"], seed=5)
    assert [line for line in seen.shown if "scored" in line] == [
        "  You scored 0 points in full house",
        "  You scored 6 points in sixes",
    ]


@pytest.mark.parametrize(("line", "fields"), [("3 3", {}), ("all", {}), ("chance", {"filled": 1 << 12}), ("x", {})])
def test_other_lines_are_answers_to_the_question_itself(line, fields):
    game = on_table(3, 3, 3, 4, 4, **fields)
    assert question_of(game, Yahtzee.keep).straight_on(line) is None


def test_the_dice_of_a_named_box_are_all_kept():
    game = on_table(3, 3, 3, 4, 4)
    assert question_of(game, Yahtzee.keep).straight_on("threes") == (0, 0, 3, 2, 0, 0)
    assert game.dice == [0, 0, 3, 2, 0, 0]
    assert game.rolls == 1, "the game itself is as it was"


def test_the_name_of_a_choice_alone_is_no_answer():
    game = on_table(3, 3, 3, 4, 4, rolls=3)
    question = question_of(game, Yahtzee.fill)
    assert question.typed(["fill", "fours"]) == question.typed(["fours"]) == 3
    assert question.typed(["fill"]) is None


def test_help_names_dice_that_are_there_and_fits_the_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    seen = sit(Farkle(), [], ["?", "q"], seed=5)
    told = next(line for line in seen.shown if "Type the dice to keep" in line)
    assert "such as 1 1" in told
    assert max(len(line) for line in seen.shown if not line.endswith("> ")) <= 59


# While a game is being solved ---------------------------------------------------------------------------------------


class Slow:
    """Stands for a game that is being solved: `left` seconds, and `policy` at the end."""

    def __init__(self):
        self.left, self.policy, self.elapsed, self.seconds, self.counts = None, None, 3.0, 900.0, (1000, 10)
        self.all_best = False

    def poll(self, wait=0.0):
        return self.policy


@pytest.fixture
def hints(monkeypatch):
    found, slow = HintsOnDemand(Farkle(), [], None), Slow()
    monkeypatch.setattr("dicelab.questions.policies.solving.Solving", lambda *words: slow)
    return found, slow


def test_how_long_hints_take_is_said_once_it_is_known_and_once_that_they_are_there(hints):
    found, slow = hints
    game = fresh(Farkle())
    assert found.news(0) == "", "nobody has asked for one"
    with pytest.raises(Exception, match=r"said as soon as it is known .at most 15 minutes.; play on meanwhile"):
        found(game, Farkle.keep, 0)
    assert found.news(0) == ""
    slow.left = 42.0
    assert found.news(0) == "The game is solved in about 42 seconds; then there are hints."
    assert found.news(0) == ""
    slow.policy = object()
    assert found.news(0) == "The hints are ready: type hint."
    assert found.news(0) == ""


def test_the_first_answer_has_the_time_where_it_is_known(hints):
    found, slow = hints
    slow.left = 300.0
    with pytest.raises(Exception, match="which takes about 5 minutes the first time; play on meanwhile"):
        found(fresh(Farkle()), Farkle.keep, 0)
    assert found.news(0) == "", "it was said already"


def test_the_time_that_is_left_follows_from_what_was_done_since_all_states_are_known():
    solving = Solving.__new__(Solving)
    solving.done, solving.counts, solving._settled = 0.0, (1000, 0), (time.monotonic() - 10, 0)
    solving.began = solving._settled[0] - 100
    assert solving.left is None
    solving.counts = (1000, 250)
    assert solving.left == pytest.approx(30, abs=0.1)
    solving.done = 0.5
    assert solving.left == pytest.approx(110, abs=0.1)


# What a game is played for ------------------------------------------------------------------------------------------


def test_a_game_says_what_it_is_played_for():
    assert default_objective(GAMES["shut-the-box"]()) == "fewest:standing"


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        ("fewest:standin", "'standin' is none of its tallies"),
        ("most:left", "'left' is none of its tallies"),
        ("least:standing", "'least:standing'; write an outcome, or most: or fewest: and a tally"),
        ("atleast:standing:3", "'atleast:standing:3'; write an outcome, or most: or fewest: and a tally"),
        ("avoid:standing", "'avoid:standing'; write an outcome, or most: or fewest: and a tally"),
    ],
)
def test_it_must_be_something_that_the_game_has(objective, message):
    with pytest.raises(RulesError, match=f"words.objective: {message}"):

        class Wrong(Game):
            name = "wrong"
            words = Words(objective=objective)
            left = Int(0, 3, "left", start=3)
            standing = Tally("standing")

            def next(self):
                return ask(self.go, 0) if self.left else OVER

            @chosen(2)
            def go(self, move):
                self.left -= 1


class Enough(BaseException):
    """As many choices were asked as a test wants."""


def bidding(many=1, face=3, **parameters):
    """Return the question of the second player of liar's dice, after a bid."""
    game = fresh(LiarsDice(wild=1, once=True, **parameters))
    game.hands[0][0] = game.hands[1][2] = game.left[0]
    game.begun, game.player, game.last, game.many, game.face = True, 1, 0, many, face
    return question_of(game, LiarsDice.bid, at_terminal=True)


@pytest.mark.parametrize(
    "kind",
    [
        *(LiarsDice, Mia, SealedBids, TossUp, Farkle, Yahtzee),
        *(GAMES[name] for name in ("threes", "freeze", "shut-the-box", "hog-choice")),
    ],
    ids=lambda kind: kind.name,
)
def test_what_a_move_is_called_may_be_typed(kind):
    """As hints and questions show it, in small and capital letters."""
    asked = 0

    def typing(game, decision, seat):
        nonlocal asked
        question = question_of(game, decision, at_terminal=True)
        for move in question.moves[:12]:
            name = move_words(game, decision, move)
            assert question.extended((), name) == question.extended((), name.upper()) == move, name
        asked += 1
        if asked == 8:
            raise Enough
        return question.moves[asked * 5 % len(question.moves)]

    game = kind()
    with suppress(Enough):
        list(steps(game, [typing] * 2, Stream(3, 0), 60))
    assert asked


@pytest.mark.parametrize(
    ("line", "move"),
    [
        *((line, (0, 1)) for line in ("liar", "LIAR", "lia", "l", "0 1")),
        *((line, (2, 6)) for line in ("2 dice with 6", "2 of 6", "2 dice 6", "2 6", "bid 2 with 6")),
        ("1 d", (1, 6)),
        ("3 dice", (3,)),
    ],
)
def test_a_beginning_of_a_name_or_its_numbers_with_words_between_are_enough(line, move):
    assert bidding(many=1, face=5).extended((), line) == move


def test_a_name_may_be_typed_when_only_a_number_is_missing():
    assert bidding().extended((2,), "liar") == (0, 1)


def test_what_can_be_typed_in_words_is_named():
    question = bidding()
    assert question.asked().endswith("0 to 4 (then face); or in words: liar, 1 die with 4")
    with pytest.raises(
        ParameterError, match="'fool' is not a choice; allowed: 0 to 4, or in words: liar, 1 die with 4"
    ):
        question.extended((), "fool")
    with pytest.raises(ParameterError, match="'2 d' begins several moves: 2 dice with 1, 2 dice with 2"):
        question.extended((), "2 d")
    for line in ("liar 3", "2 dice with liar", "2 no 6"):
        with pytest.raises(ParameterError):
            question.extended((), line)


class Twins(Game):
    """A game that has one name for two moves, and one that is a command."""

    name = "twins"
    words = Words(moves={"go": "walk", "go 2": "table"})
    seats = 1
    gone = Int(0, 1)
    far = Tally("how far")

    def next(self):
        return OVER if self.gone else ask(self.go, 0)

    @chosen(3)
    def go(self, way):
        self.gone = 1
        self.far += way


def test_a_name_of_two_moves_is_refused_and_a_move_may_be_called_like_a_command():
    game = fresh(Twins())
    with pytest.raises(ParameterError, match="'walk' means several moves; type the numbers of one: 0 or 1"):
        question_of(game, Twins.go).extended((), "walk")
    assert question_of(game, Twins.go).extended((), "1") == (1,)
    assert "far 2" in sit(Twins(), [], ["table"]).text


def test_a_refused_move_is_refused_with_the_reason_of_the_game():
    seen = sit(Tokens(), ["me", "me"], ["0", "0", "0", "0", "0", "0", "q"], seed=1)
    refused = [line for line in seen.shown if "not allowed" in line]
    assert refused[0] == "  0 is not allowed now: token 0 would go beyond the end; allowed: 1 (press Enter)"
