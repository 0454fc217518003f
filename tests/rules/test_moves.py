"""Choices that keep dice or list their moves: what is allowed, what is refused, and what people type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

import dicelab
from dicelab.errors import DicelabError, ParameterError, PlayError, RulesError
from dicelab.games.farkle import Farkle
from dicelab.games.yahtzee import Yahtzee
from dicelab.interface.play.asking.people import question_of
from dicelab.rules import COUNTS, D6, OVER, Game, Int, Ints, Param, Tally, ask, chosen, kept, strategy, throw, thrown
from dicelab.rules.keeping import Keep
from dicelab.solver.enumeration.model import TooLarge, move_number, moves_at, moves_numbered, moves_of
from support import GAMES, ROOT

HEAD = """
from dicelab.rules import *

class Boxes(Game):
    '''Boxes: fill them.'''

    name = "boxes-{name}"
    source = "a test"
    filled = Int(0, 15)
    rolled = Flag()
    score = Tally("points")

    def next(self):
        if self.filled == 15:
            return OVER
        return ask(self.fill, 0) if self.rolled else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.rolled = True

    def boxes(self):
        {listing}

    @chosen(4, moves=boxes)
    def fill(self, box):
        self.rolled = False
        self.filled |= 1 << box
        self.score += box

@strategy(Boxes)
def first(game):
    for box in range(4):
        if game.filled >> box & 1 == 0:
            return box
    return 0
"""
OPEN = "for box in range(4):\n            if self.filled >> box & 1 == 0:\n                yield box"


def game_with(listing: str, folder: Path) -> type[Game]:
    """A game whose moves are listed in this way."""
    name = f"g{abs(hash(listing))}"
    file = folder / f"{name}.py"
    file.write_text(HEAD.format(listing=listing, name=name))
    return dicelab.find(str(file))


def at(game: Game, **state: int | list[int]) -> Game:
    """The game in this state."""
    for name, value in state.items():
        if isinstance(value, list):
            for i, number in enumerate(value):
                getattr(game, name)[i] = number
        else:
            setattr(game, name, value)
    return game


def yahtzee(*dice: int) -> Game:
    """Yahtzee after the first roll, which shows so many dice of each number."""
    return at(Yahtzee(), dice=list(dice), rolls=1, rolled=True)


def keep_of(game: Game) -> Keep:
    decision = type(game).declared.decisions[0]
    assert isinstance(decision, Keep)
    return decision


def test_equal_dice_give_one_move() -> None:
    game = yahtzee(0, 0, 0, 2, 0, 3)
    moves = keep_of(game).listing(game)
    assert len(moves) == len(set(moves)) == 12
    assert moves == moves_at(keep_of(game), game)
    assert keep_of(game).describe((0, 0, 0, 1, 0, 2)) == "4 6 6"
    assert keep_of(game).describe((0,) * 6) == "nothing"


def test_dice_that_are_not_there_are_not_kept() -> None:
    game = yahtzee(1, 1, 1, 1, 1, 0)
    for move in ((0, 0, 0, 0, 0, 1), (2, 0, 0, 0, 0, 0), (-1, 0, 0, 0, 0, 0), (1, 1), (1,) * 7):
        assert not keep_of(game).allows(game, move)
    assert keep_of(game).allows(game, (1, 0, 0, 0, 1, 0))


def test_legal_judges_what_is_kept() -> None:
    game = at(Farkle(), shown=[2, 1, 2, 0, 0, 1], rolled=True)
    assert keep_of(game).listing(game) == [(1, 0, 0, 0, 0, 0), (2, 0, 0, 0, 0, 0)]


def test_moves_have_numbers() -> None:
    game = yahtzee(1, 1, 1, 1, 1, 0)
    every = moves_of(keep_of(game), game)
    assert len(every) == 462
    numbers = [move_number(keep_of(game), game, move) for move in every]
    assert len(set(numbers)) == 462
    assert list(map(tuple, moves_numbered(keep_of(game), game, np.array(numbers)).tolist())) == every


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("keep 6 6 5", (0, 0, 0, 0, 1, 2)),
        ("566", (0, 0, 0, 0, 1, 2)),
        ("6, 6 5", (0, 0, 0, 0, 1, 2)),
        ("Keep 1", (1, 0, 0, 0, 0, 0)),
        ("all", (1, 0, 0, 0, 1, 3)),
        ("keep all", (1, 0, 0, 0, 1, 3)),
        ("nothing", (0,) * 6),
        ("keep", (0,) * 6),
        ("double sixes", (0, 0, 0, 0, 0, 2)),
        ("keep the three 6s and the five", (0, 0, 0, 0, 1, 3)),
        ("2 sixes and 5", (0, 0, 0, 0, 1, 2)),
        ("both 6", (0, 0, 0, 0, 0, 2)),
        ("sixes", (0, 0, 0, 0, 0, 3)),
    ],
)
def test_people_type_the_dice(line: str, move: tuple[int, ...]) -> None:
    game = yahtzee(1, 0, 0, 0, 1, 3)
    assert question_of(game, keep_of(game)).extended((), line) == move


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("5 5", "not that many 5"),
        ("7", "'7' is not a die; on the table: 1 5 6 6 6"),
        ("sex", "'sex' is not a die"),
        ("four sixes", "not that many 6"),
        ("99999999999 sixes", "is not a die"),
        ("", "type the dice to keep"),
    ],
)
def test_what_is_not_understood_is_said(line: str, said: str) -> None:
    game = yahtzee(1, 0, 0, 0, 1, 3)
    with pytest.raises(ParameterError, match=said):
        question_of(game, keep_of(game)).extended((), line)


def test_the_question_shows_the_dice() -> None:
    game = yahtzee(1, 0, 0, 0, 1, 3)
    assert question_of(game, keep_of(game)).asked() == "keep any of 1 5 6 6 6 (all, nothing), or a box"
    game = at(Farkle(), shown=[1, 2, 2, 1, 0, 0], rolled=True)
    assert question_of(game, keep_of(game)).asked() == "keep 1 (press Enter)"
    with pytest.raises(ParameterError, match="keeping 2 is not allowed now"):
        question_of(game, keep_of(game)).extended((), "2")


def test_more_dice_than_declared_are_an_error() -> None:
    with pytest.raises(RulesError, match=r"keep keeps dice of dice, which is \[5, 1, 0, 0, 0, 0\]"):
        keep_of(Yahtzee()).listing(yahtzee(5, 1, 0, 0, 0, 0))


def test_listed_moves_are_those_allowed(tmp_path: Path) -> None:
    game = at(game_with(OPEN, tmp_path)(), filled=5, rolled=True)
    decision = type(game).declared.decisions[0]
    assert decision.listing(game) == [(1,), (3,)]
    assert [decision.allows(game, (box,)) for box in range(-1, 5)] == [False, False, True, False, True, False]


@pytest.mark.slow
@pytest.mark.parametrize("listing", [OPEN, f"yield 3\n        {OPEN}"], ids=["once", "twice"])
def test_a_list_gives_the_same_answers_on_all_engines(listing: str, tmp_path: Path) -> None:
    if listing != OPEN:
        listing = listing.replace("yield 3", "if self.filled < 8:\n            yield 3")
    game = game_with(listing, tmp_path)
    solved = dicelab.solve(game, objective="most:score")
    assert solved.value == pytest.approx(6)
    found = [
        dicelab.simulate(game, games=200, seed=1, engine=name).tallies for name in ("reference", "compiled", "table")
    ]
    assert found[0]["score"].mean == found[1]["score"].mean == found[2]["score"].mean == 6


@pytest.mark.parametrize(
    ("listing", "said"),
    [
        ("yield 4", "boxes lists 4 for fill, which is not a move"),
        ("yield 1, 2", r"line \d+, in boxes: boxes uses yield of 2 numbers"),
        ("return ['a']", "boxes lists 'a' for fill"),
        ("yield from ()", "no move is allowed|has no sensible move|no choice is legal"),
    ],
)
def test_a_wrong_list_is_an_error(listing: str, said: str, tmp_path: Path) -> None:
    game = game_with(listing, tmp_path)
    for ask_for in (
        lambda: dicelab.solve(game, objective="most:score"),
        lambda: (
            dicelab.simulate(game, games=10, seed=1)
            if "from" not in listing
            else dicelab.solve(game, objective="most:score")
        ),
    ):
        with pytest.raises((RulesError, PlayError), match=said):
            ask_for()


@pytest.mark.slow_cases("compiled")
@pytest.mark.parametrize("engine", ["reference", "compiled", "table"])
def test_a_wrong_move_that_nobody_chooses_is_an_error_too(engine: str, tmp_path: Path) -> None:
    game = game_with(f"{OPEN}\n        yield 7", tmp_path)
    with pytest.raises(DicelabError, match="boxes lists 7 for fill, which is not a move"):
        dicelab.simulate(game, games=10, seed=1, engine=engine)


def same_in_both(game: type[Game]) -> None:
    played = [dicelab.simulate(game, games=200, seed=1, engine=engine) for engine in ("compiled", "reference")]
    assert played[0].tallies == played[1].tallies


@pytest.mark.slow
def test_rules_may_call_the_list_of_moves(tmp_path: Path) -> None:
    file = tmp_path / "calls.py"
    calls = "for open in self.boxes():\n            self.score += open"
    file.write_text(HEAD.format(listing=OPEN, name="calls").replace("self.score += box", calls))
    same_in_both(dicelab.find(str(file)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "listing",
    [
        "return [box for box in range(4) if self.filled >> box & 1 == 0]",
        "return (box for box in range(4) if self.filled >> box & 1 == 0)",
        "yield from (box for box in range(4) if self.filled >> box & 1 == 0)",
        "boxes = {box for box in range(4) if self.filled >> box & 1 == 0}\n        return sorted(boxes)",
    ],
)
def test_moves_may_be_listed_at_once(listing: str, tmp_path: Path) -> None:
    game = game_with(listing, tmp_path)
    same_in_both(game)
    assert dicelab.simulate(game, games=10, seed=1, engine="reference").tallies["score"].mean == 6


def test_declarations_that_make_no_sense_are_refused() -> None:
    def judge(game: Game, move: int) -> bool:
        return True

    def some(game: Game) -> Iterator[int]:
        yield 0

    with pytest.raises(RulesError, match="leave legal= out"):
        chosen(2, legal=judge, moves=some)
    with pytest.raises(RulesError, match="number of dice is a whole number above 0"):
        kept("5", D6, Ints(6, 0, 5))  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="write the die"):
        kept(5, 6, Ints(6, 0, 5))  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="name the row"):
        kept(5, D6, Int(0, 5))  # type: ignore[arg-type]


def test_more_moves_than_numbers_hold_are_refused() -> None:
    class Wide(Game):
        """Wide ranges."""

        name = "wide"
        score = Tally("points")

        def next(self) -> int:
            return OVER

        @thrown(1, D6)
        def die(self, face: int) -> None: ...

        def few(self) -> Iterator[tuple[int, int]]:
            yield 1, 1

        @chosen(2**30, 2**30, moves=few)
        def bet(self, first: int, second: int) -> None: ...

    with pytest.raises(TooLarge, match=r"more than 2\*\*53 moves"):
        move_number(Wide.declared.decisions[0], Wide(), (1, 1))


def test_a_row_on_the_table_has_a_number_for_each_face() -> None:
    class Odd(Game):
        """A row of another length."""

        name = "odd"
        faces = Param(5, 1, 6, "numbers in the row")
        dice = Ints(faces, 0, 5)
        rolled = Int(0, 1)
        score = Tally("points")

        def next(self) -> int:
            return ask(self.keep, 0) if self.rolled else throw(self.cup)

        @thrown(5, D6, COUNTS)
        def cup(self, *shown: int) -> None:
            self.rolled = 1

        @kept(5, D6, dice)
        def keep(self, *kept: int) -> None: ...

    @strategy(Odd)
    def none(game: Odd) -> tuple[int, ...]:
        return 0, 0, 0, 0, 0, 0

    with pytest.raises(PlayError, match="it must hold how many dice show each of the 6 faces"):
        dicelab.simulate(Odd(), none, games=1, seed=1)


def test_masks_of_environments_are_the_listed_moves() -> None:
    pytest.importorskip("gymnasium")
    from dicelab.learning import gym

    env = gym("yahtzee", objective="most:score")
    _, info = env.reset(seed=1)
    game = env.table.game
    allowed = [move for (_, move), yes in zip(env.table.actions, info["action_mask"], strict=True) if yes]
    assert sorted(allowed) == sorted(keep_of(game).listing(game))


@pytest.mark.slow
def test_moves_of_different_lengths_solve_alike_in_python_and_compiled() -> None:
    game = GAMES["three-boxes"](players=1)
    solved = dicelab.solve(game, objective="most:last")
    played = dicelab.simulate(game, solved.policy, games=20_000, seed=1, engine="compiled").tallies["last"]
    assert abs(played.mean - solved.value) < 5 * played.sd / 20_000**0.5
    few = [dicelab.simulate(game, solved.policy, games=300, seed=1, engine=e) for e in ("compiled", "reference")]
    assert few[0].tallies["last"].histogram == few[1].tallies["last"].histogram


def test_the_move_of_another_strategy_is_returned_as_it_is(tmp_path: Path) -> None:
    """In a game whose moves have different lengths compiled strategies fill them up, so none can be compared."""
    file = tmp_path / "mine.py"
    text = (ROOT / "tests" / "games" / "three_boxes.py").read_text()
    file.write_text(text.replace("    return first_open(game)\n", "    return 0 if first_open(game) == 1 else 1\n"))
    with pytest.raises(RulesError, match="the move of first_open, whose length varies; return it as it is"):
        dicelab.simulate(str(file), "high", games=10, seed=1, engine="compiled")


def cargo(dice: tuple[int, ...]) -> int:
    """The sum of the dice beside a 6, a 5 and a 4; 0 without them."""
    rest = list(dice)
    for needed in (6, 5, 4):
        if needed not in rest:
            return 0
        rest.remove(needed)
    return sum(rest)


@cache
def most_cargo(kept: tuple[int, ...], rolls: int) -> Fraction:
    """The mean cargo under the best play, with these dice kept: all ways in which dice may be kept, written out."""
    total = Fraction(0)
    rolled = Counter(tuple(sorted(kept + more)) for more in product(range(1, 7), repeat=5 - len(kept)))
    for dice, times in rolled.items():
        ways = {tuple(sorted(some)) for many in range(6) for some in combinations(dice, many)} if rolls > 1 else set()
        allowed = [way for way in ways if way in ((), (6,), (5, 6)) or {4, 5, 6} <= set(way)]
        after = [cargo(way) if len(way) == 5 else most_cargo(way, rolls - 1) for way in allowed]
        total += times * max(after, default=cargo(dice))
    return total / 6 ** (5 - len(kept))


def test_ship_captain_and_crew() -> None:
    solved = dicelab.solve(GAMES["ship-captain-crew"], objective="most:cargo")
    assert most_cargo((), 3) == Fraction(169123624727, 39182082048)
    assert solved.value == pytest.approx(float(most_cargo((), 3)), abs=1e-11)
