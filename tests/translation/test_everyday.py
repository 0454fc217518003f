"""Everyday Python in rules: rows of rows, rows of yes and no, constants, lambdas, ``super()``, ranges at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

import dicelab
from dicelab.errors import PlayError, RangeError, RulesError
from dicelab.rules import D6, OVER, Flag, Flags, Game, Grid, Int, Param, Tally, ask, chosen, strategy, throw, thrown
from dicelab.rules.game import position, twin
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.solver.enumeration.graph import graph_of

EVERYDAY = Path(__file__).parents[1] / "games" / "everyday.py"


class Base(Game):
    """Points are added up over some rolls; a roll may be kept or not."""

    name = "base"
    source = "made for the tests"
    outcomes = ("even", "odd")

    rows = Param(2, 1, 3, "rows of the board")
    board = Grid(rows, 3, 0, 9, "how often each number was rolled, by rows")
    seen = Flags(6, "numbers rolled")
    points = Int(0, 9, "points, counted up to ten")
    left = Int(0, 4, "rolls left", start=4)
    rolled = Flag("the roll may be kept")
    spare = Tally("rolls of a number that was seen")

    def next(self) -> int:
        if self.left == 0:
            return OVER
        return ask(self.keep, 0) if self.rolled else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.left -= 1
        self.rolled = True
        if self.seen[face - 1]:
            self.spare += 1
        self.seen[face - 1] = True
        self.board[face % self.rows][face % 3] += 1
        self.points += face
        if self.points > 9:
            self.points -= 10

    @chosen(2, legal=lambda self, move: move == 0 or self.points > 0)
    def keep(self, move: int) -> None:
        self.rolled = False
        self.points -= move

    def outcome(self) -> int:
        return self.points % 2


@strategy(Base)
def even(game: Base) -> int:
    """Be even."""
    return 1 if game.points % 2 == 1 else 0


class More(Base):
    """The same, and a roll and a choice that count double."""

    name = "more"

    extra = Tally("what the subclass counts")

    @thrown(1, D6)
    def die(self, face: int) -> None:
        super().die(face)
        self.extra += face

    @chosen(2, legal=lambda self, move: move == 0 or self.points > 0)
    def keep(self, move: int) -> None:
        super().keep(move)
        self.extra += 100 * move


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*played by the reference engine, slowly")
@pytest.mark.parametrize("game", [Base, More])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_all_engines_play_the_same_games(game: type[Game], rows: int) -> None:
    expected = dicelab.simulate(game, games=400, seed=3, engine="reference", rows=rows)
    for engine in ("compiled", "memo", "table"):
        found = dicelab.simulate(game, games=400, seed=3, engine=engine, rows=rows)
        assert found.outcomes == expected.outcomes
        assert {n: t.mean for n, t in found.tallies.items()} == {n: t.mean for n, t in expected.tallies.items()}


def test_super_is_what_the_parent_does() -> None:
    base, more = dicelab.exact(Base, rows=1), dicelab.exact(More, rows=1)
    assert more.tallies["spare"].mean == pytest.approx(base.tallies["spare"].mean)
    assert more.tallies["extra"].mean > 14  # four rolls of 3.5, and moves
    simulated = dicelab.simulate(More, games=4000, seed=1, rows=1)
    assert abs(simulated.tallies["extra"].mean - more.tallies["extra"].mean) < 10


def test_a_rule_that_is_not_replaced_has_no_super() -> None:
    class Same(Base):
        """A rule calls what a roll does."""

        name = "same"

        @chosen(2)
        def keep(self, move: int) -> None:
            super().die(3)

    with pytest.raises(RulesError, match="only a rule that takes its place calls it"):
        dicelab.exact(Same)
    with pytest.raises(RulesError, match="die is not called by rules"):
        Same().die(3)


@pytest.mark.slow
def test_exact_and_optimal_values_with_values_that_leave_their_range_in_a_rule() -> None:
    """Points of 10 and more exist only inside a rule; plain Python finds the states, compiled code refuses them."""
    run, found = Run.of(Base), dicelab.exact(Base)
    assert graph_of(run).states == graph_of(run, engine="reference").states == found.states
    with pytest.raises(PlayError, match="compiled code can't expand state"):
        graph_of(run, engine="compiled")
    with pytest.warns(RuntimeWarning, match="found in plain Python, slowly: .*, or a list is longer"):
        assert graph_of(run).states == found.states
    played = Reference(run.game, run.calls).play(1, 0, 4000)
    assert found.outcomes["even"].probability == pytest.approx(played.counts[0] / 4000, abs=0.05)
    best = dicelab.solve(Base, objective="most:spare", rows=1)
    assert best.value == pytest.approx(dicelab.exact(Base, rows=1).tallies["spare"].mean)


class Stays(Base):
    """The points stay outside their range."""

    name = "stays"

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.left -= 1
        self.points += face + 5

    @chosen(2)
    def keep(self, move: int) -> None:
        self.rolled = False


@pytest.mark.slow_cases("compiled")
@pytest.mark.parametrize("engine", ["reference", "compiled", "auto"])
def test_a_value_that_stays_outside_its_range_is_an_error(engine: str) -> None:
    with pytest.raises(PlayError, match=r"points = \d+ is outside its declared range 0 to 9"):
        dicelab.simulate(Stays, games=400, seed=3, engine=engine)


def test_outside_of_rules_ranges_hold_at_once() -> None:
    game = Base()
    with pytest.raises(RangeError, match="points = 10"):
        game.points = 10
    with pytest.raises(RangeError, match="board = 10"):
        game.board[0][0] = 10
    for wrong in (
        lambda: game.board[2][0],
        lambda: game.board[0][3],
        lambda: game.board[-1],
        lambda: game.board[0][-1],
    ):
        with pytest.raises(RangeError, match="the index must be"):
            wrong()
    with pytest.raises(RangeError, match=r"board\[i\]\[j\]"):
        game.board[0] = [1, 2, 3]
    with pytest.raises(RangeError, match=r"board\[i\]\[j\]"):
        game.board = [[1, 2, 3]]  # type: ignore[misc]


def test_rows_of_rows_read_as_lists() -> None:
    game = Base(rows=2)
    game.board[1][2] = 4
    line = game.board[1]
    line[0] = 3
    assert (list(line), len(line), len(game.board), sum(line), line == [3, 0, 4]) == ([3, 0, 4], 3, 2, 7, True)
    assert (line.index(4), line.count(0), 3 in line, [list(row) for row in game.board]) == (
        2,
        1,
        True,
        [[0] * 3, [3, 0, 4]],
    )
    assert position(twin(game))["board"] == [0, 0, 0, 3, 0, 4]
    assert Base.board.columns == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("self.board[face % 2] = 3", r"set its values one at a time: self.board\[i\]\[j\]"),
        ("self.board = 3", r"set its values one at a time: self.board\[i\]\[j\]"),
    ],
)
def test_messages(wrong: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "game.py"
    source = EVERYDAY.read_text().replace("self.column = (face - 1) // 2", wrong)
    file.write_text(source)
    with pytest.raises(RulesError, match=message):
        dicelab.simulate(file, games=10)


@pytest.mark.slow
def test_check_names_the_line_that_stored_a_value_outside_its_range(tmp_path: Path) -> None:
    file = tmp_path / "game.py"
    source = EVERYDAY.read_text().replace("self.column = (face - 1) // 2", "self.column = face - 1")
    file.write_text(source)
    line = source[: source.index("self.column = face - 1")].count("\n") + 1
    with pytest.raises(PlayError, match=r"column = [345] is outside its declared range 0 to 2") as found:
        dicelab.simulate(file, games=400, seed=1)
    assert "seed 1" in str(found.value)
    report = dicelab.check(file)
    assert f"line {line}" in str(report)


@pytest.mark.slow
def test_check_notes_that_states_are_found_in_plain_python() -> None:
    report = dicelab.check(Base)
    assert report.lawful
    assert "plain Python only" in str(report)


class Added(Game):
    """Rows of a board are added as lists are."""

    name = "added"
    source = "made for the tests"

    board = Grid(2, 2, 0, 6, "numbers")
    done = Flag("rolled")
    total = Tally("sum")

    def next(self) -> int:
        return OVER if self.done else throw(self.dice)

    @thrown(1, D6)
    def dice(self, face: int) -> None:
        self.done = True
        self.board[1][0] = face
        both = self.board[0] + self.board[1]
        self.total += 10 * both[2] + len(both) + sum([1] + self.board[1]) + len(self.board[1] + [2, 3])


@pytest.mark.slow
def test_rows_of_a_board_are_added_as_lists_are() -> None:
    compiled, plain = (
        dicelab.simulate(Added(), games=200, seed=1, engine=engine) for engine in ("compiled", "reference")
    )
    assert compiled.tallies == plain.tallies
    assert dicelab.exact(Added()).tallies["total"].mean == pytest.approx(35 + 4 + 4.5 + 4)
