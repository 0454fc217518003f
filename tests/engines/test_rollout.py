"""Players that try moves out: the games they play on, the moves they make, and what they refuse."""

from __future__ import annotations

import pytest

import dicelab
from dicelab.engines.playouts import Playouts
from dicelab.errors import ParameterError, PlayError
from dicelab.questions.policies.thinking.ahead import SearchTable
from dicelab.questions.policies.thinking.players import rollout_of
from dicelab.rules import D6, OVER, SUM, Game, Int, Param, Tally, ask, chosen, strategy, throw, thrown
from dicelab.runtime.lineup import Run


class Stop(Game):
    """Roll a die up to three times; keep a number, or roll again. The number that is kept counts."""

    name = "stop"
    source = "made for the tests; stopping at 5 and 4 or more is optimal"

    left = Int(0, 3, "rolls to come", start=3)
    shown = Int(0, 6, "the number of the die")
    kept = Int(0, 1, "whether it is kept")
    extra = Param(0, 0, 9, "points beside it")
    score = Tally("the number that was kept")

    def next(self) -> int:
        if self.kept:
            return OVER
        return ask(self.keep, 0) if self.shown else throw(self.die)

    @thrown(1, D6, SUM)
    def die(self, total: int) -> None:
        self.left -= 1
        self.shown = total

    @chosen(2, legal=lambda self, move: move == 1 or self.left > 0)
    def keep(self, move: int) -> None:
        if move == 1:
            self.kept = 1
            self.score += self.shown + self.extra
        else:
            self.shown = 0


@strategy(Stop)
def at_once(game: Stop) -> int:
    """Keep the first number."""
    return 1


@strategy(Stop, least=Param(4, 1, 6, "number from which on it is kept"))
def keep_from(game: Stop, least: int) -> int:
    """Keep from a number on."""
    return 1 if game.shown >= least or game.left == 0 else 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "base"),
    [("tossup", "bank_over:20"), ("yahtzee", "first_open"), ("farkle", "bank_at:300"), (Stop, "keep_from:5")],
)
def test_compiled_rules_play_the_same_games_on_as_the_reference(game, base):
    run = Run.of(game, base)
    compiled, plain = Playouts(run.game, run.calls), Playouts(run.game, run.calls)
    assert compiled._kernel is not None
    plain._kernel = None
    begun = SearchTable(run.game, run.calls[0], "rollout").row(run.game)
    assert (compiled.play([begun, begun], 7, 40) == plain.play([begun, begun], 7, 40)).all()


@pytest.mark.slow
def test_the_moves_are_those_that_the_strategy_makes_worth_most():
    """With 3.5 on average at the next roll, 4 and more are kept: one step better than keeping the first number."""
    rolled = dicelab.simulate(Stop, "rollout:400:at_once", games=60, seed=1, records=True)
    expected = dicelab.simulate(Stop, "keep_from:4", games=60, seed=1, records=True)
    assert rolled.records.tolist() == expected.records.tolist()  # also: the dice of the games are the same
    mean = dicelab.exact(Stop, "keep_from:4").tallies["score"].mean
    assert mean > dicelab.exact(Stop, "at_once").tallies["score"].mean


def test_the_parameters_are_those_of_the_game_that_is_played():
    found = dicelab.simulate(Stop(extra=5), "rollout:50:at_once", games=20, seed=1)
    other = dicelab.simulate(Stop, "rollout:50:at_once", games=20, seed=1)
    assert found.tallies["score"].mean == other.tallies["score"].mean + 5


@pytest.mark.slow
def test_a_player_wins_against_the_strategy_that_it_plays_on_with():
    found = dicelab.rate("tossup", ["rollout:30:one_roll", "one_roll"], target=6, dice=3, games=500, seed=1)
    assert [row.strategy for row in found.rows] == ["rollout:30:one_roll", "one_roll"]
    assert found.clear


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rollout:x", "games must be a whole number from 1 to 1,000,000, not 'x'; write rollout"),
        ("rollout:0", "games must be a whole number from 1 to 1,000,000, not '0'"),
        ("rollout:5:nonsense", "no strategy of tossup 'nonsense'"),
        ("rollout:5:rollout:5", "rollout can't play games on with rollout:5"),
    ],
)
def test_what_is_written_wrong_is_refused(text, said):
    with pytest.raises(dicelab.errors.InputError, match=said):
        dicelab.simulate("tossup", text, games=2)


def test_a_game_that_hides_something_is_refused():
    with pytest.raises(ParameterError, match="rollout sees everything, and liars-dice hides hands"):
        dicelab.simulate("liars-dice", "rollout:5", games=2)


def test_exact_answers_refuse_a_player_that_draws():
    with pytest.raises(PlayError, match="only games of a seed allow"):
        dicelab.exact("tossup", "rollout:5", target=4, dice=2)


def test_the_same_player_is_made_once():
    assert rollout_of("20:one_roll", dicelab.find("tossup")) is rollout_of("20:one_roll", dicelab.find("tossup"))
    assert str(Run.of("tossup", "rollout:20:one_roll").calls[0]) == "rollout:20:one_roll"


class Own(Stop):
    """A game whose own strategy has that name."""

    name = "own"


@strategy(Own, games=Param(4, 1, 6, "number from which on it is kept"))
def rollout(game: Own, games: int) -> int:
    """Keep from a number on."""
    return 1 if game.shown >= games or game.left == 0 else 0


def test_a_strategy_of_the_game_goes_before():
    found = dicelab.exact(Own, "rollout:5")
    assert found.arguments == [{"games": 5}]
    assert found.tallies["score"].mean == dicelab.exact(Stop, "keep_from:5").tallies["score"].mean
