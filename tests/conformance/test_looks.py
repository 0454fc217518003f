"""What games say about how they look: consistent, complete, in words that people know, and 60 columns wide."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from dicelab.conformance.findings import NOTE, Broken
from dicelab.conformance.looks import WIDTH, looks
from dicelab.interface.play.asking.people import question_of
from dicelab.rules import OVER, Bits, Dice, Game, Int, Numbers, Rulebook, Tally, Track, Words, throw, thrown
from dicelab.rules.board import Board, board_lines
from dicelab.rules.dice import D6
from dicelab.rules.game import reset
from dicelab.rules.loading.registry import all_games, games_in, load
from dicelab.rules.wording import turn_field
from dicelab.runtime.interpreter import steps
from dicelab.runtime.philox import Stream
from small_games import Tokens
from support import ROOT

FILES = sorted([*ROOT.glob("examples/*.py"), *ROOT.glob("verification/*.py")])
EVERY = {**all_games(), **{name: game for file in FILES for name, game in games_in(load(file)).items()}}


@pytest.mark.slow_cases("craps")
@pytest.mark.parametrize("name", EVERY)
def test_words_are_consistent_and_leave_no_field_out(name):
    said = list(looks(EVERY[name]))
    assert said, "it has words"
    assert [s.say for s in said if s.verdict == NOTE] == []
    sample = said[-1].covered["sample"]
    assert name == "craps" or sample
    assert all(len(line) <= WIDTH for line in sample if line.startswith("  ") and ": " not in line)


@pytest.mark.parametrize("name", EVERY)
def test_the_rulebook_says_what_one_plays_for_what_one_does_and_when_it_ends(name):
    rules = EVERY[name].words.rulebook
    assert all(len(text) > 10 for text in (rules.goal, rules.turn, rules.end))


@pytest.mark.parametrize("name", EVERY)
def test_no_bit_mask_and_no_code_is_shown(name):
    """Sets have named members, and codes such as "0 undecided, 1 won" are named or hidden."""
    game = EVERY[name]()
    words = game.words
    if not words.board:
        return  # it draws itself
    for field in game.declared.state.values():
        if field.name in words.hidden or field.name == turn_field(game):
            continue
        named = words.values.get(field.name)
        assert isinstance(named, Bits) or not re.search(r"\bbits?\b", field.help), field.name
        assert named or not re.search(r"\b0:? .*\b1:? .*\b2:? ", field.help), field.name
        zero = isinstance(field, Int) and re.search(r"[;,] 0 (before|where|when|off|once)", field.help)
        assert not zero or isinstance(named, Mapping | tuple) or drawn(game, field.name), field.name


def drawn(game, name):
    """Whether a field is shown as a die, or as the place of a piece."""
    parts = game.words.board
    return any(
        name == (part.row if isinstance(part, Dice) else part.field) for part in parts if isinstance(part, Dice | Track)
    )


@pytest.mark.parametrize("name", [name for name, game in EVERY.items() if game.declared.decisions])
def test_what_is_offered_is_understood_as_it_stands(name):
    """Every move that a question lists by a name may be typed by this name."""
    game = EVERY[name]()
    reset(game)
    tried = set()

    def choose(at, decision, seat):
        question = question_of(at, decision)
        moves = question.moves
        if moves is None:
            pytest.skip("a table with too many bets to list")
        if decision.name not in tried and not at.prompt():
            tried.add(decision.name)
            assert "unnamed" not in question.asked()
            for move in moves[:20]:
                shown = question.named(0, move[0]) if len(move) == 1 else None
                words = next((text for text, one in question.move_names().items() if one == move), shown)
                if words is not None and len(decision.kinds) == 1:
                    assert question.extended((), words) == move
        return moves[len(moves) // 2]

    for event, _ in zip(steps(game, [choose] * 8, Stream(3, 0), 200), range(60), strict=False):
        assert event


class Walk(Game):
    """Walk to the end of a street."""

    name = "walk"
    outcomes = ()
    at = Int(0, 5, "house, 0 at the beginning")
    walked = Tally("houses walked")

    def next(self) -> int:
        return OVER if self.at == 5 else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.walked += min(face, 5 - self.at)
        self.at = min(5, self.at + face)

    def street(self) -> int:
        return 5


def walk(words):
    return type("Walked", (Walk,), {"words": words, "name": "walked"})


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (Words(news={"die": "{player} rolled {number}"}), "{number} in the text for 'die' stands for nothing"),
        (Words(values={"at": ("start", "one")}), "'at' has 6 values, from 0 to 5, and 2 names"),
        (Words(values={"at": Bits("ab")}), "'at' goes up to 5, for which 2 names are too few"),
        (Words(endings={"won": "You have won"}), "'won' is no outcome"),
        (Words(rulebook=Rulebook(goal="Walk {far} houses")), "{far} under 'Goal' is no parameter"),
    ],
)
def test_check_finds_words_that_do_not_fit_the_game(words, why):
    with pytest.raises(Broken, match=re.escape(why)):
        list(looks(walk(words)))


def test_check_notes_what_people_do_not_see_and_shows_a_sample():
    words = Words(board=(Numbers(("walked",)),), news={"die": "{player} walked {walked} houses"})
    said = list(looks(walk(words)))
    assert said[0].verdict == NOTE
    assert said[0].say.startswith("at: neither on the board nor in hidden")
    assert said[1].covered["sample"][0] == "  walked 0"
    assert any(line.endswith("houses") or line.endswith("1 house") for line in said[1].covered["sample"])


def test_a_piece_goes_on_its_track():
    game = walk(Words(board=(Track("at", length="street"),)))()
    game.at = 2
    assert board_lines(Board(game), WIDTH) == ["  at  ##···  2 of 5"]


def test_a_board_that_is_too_wide_is_found():
    game = walk(Words(names={"at": "w" * 70}, board=(Track("at", length="street"),)))
    with pytest.raises(Exception, match="does not fit in 60 columns"):
        list(looks(game))


def test_a_game_without_sentences_is_not_said_to_make_any():
    said = [found.say for found in looks(Tokens)]
    assert said[-1].startswith("the board fits 60 columns in")
    assert not any("message" in text for text in said)
