"""Players that look ahead, on the compiled engine: the games of the reference engine on any number of threads."""

from __future__ import annotations

import pytest

import dicelab
from dicelab.engines.compiled import Ahead
from dicelab.errors import ParameterError
from dicelab.questions.policies.thinking import mcts
from dicelab.questions.policies.thinking.ahead import ChoiceState
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.interrupts import OutOfTime
from dicelab.runtime.lineup import Run
from dicelab.translation.translator import NotTranslatable
from small_games import Dare, Fewest

PIG = "./examples/pig.py"


def found(game, text, engine, threads=1, games=3, **parameters):
    """Return the outcome and tallies of each game."""
    asked = {"games": games, "seed": 5, "records": True, "engine": engine, "threads": threads}
    return dicelab.simulate(game, text, **asked, **parameters).records.tolist()


@pytest.mark.quick_cases("pig-rollout:7", "pig-search:2:3")
@pytest.mark.parametrize(
    ("game", "text", "parameters"),
    [
        pytest.param(game, text, parameters, id=f"{name}-{text}")
        for name, game, texts, parameters in [
            ("pig", PIG, "rollout:7 search:1:4 search:2:3 mcts:40", {"target": 12}),
            ("tossup", "tossup", "search:2:3 mcts:40", {"target": 15}),
            ("yahtzee", "yahtzee", "rollout:3 mcts:30", {}),
            ("farkle", "farkle", "search:1:4 mcts:40", {"target": 500}),
            ("mia", "mia", "mcts:20", {"faces": 3, "lives": 1}),
            ("liars-dice", "liars-dice", "mcts:20", {"dice": 1, "faces": 3}),
            ("dare", Dare, "rollout:7 search:2:3 mcts:40", {"players": 3}),
            ("fewest", Fewest, "search:2:3 mcts:40", {}),
            ("shut-the-box", "tests/games/shut_the_box.py", "search:1:4 mcts:40", {}),
        ]
        for text in texts.split()
    ],
)
def test_the_compiled_engine_plays_the_same_games(game, text, parameters):
    expected = found(game, text, "reference", **parameters)
    for threads in (1, 3):
        assert found(game, text, "compiled", threads, **parameters) == expected


def test_what_is_hidden_stays_hidden_on_the_compiled_engine():
    with pytest.raises(ParameterError, match="rollout sees everything, and liars-dice hides hands"):
        found("liars-dice", "rollout:5", "compiled")


@pytest.mark.parametrize("engine", ["table", "counter", "turn", "memo", "lockstep"])
def test_other_engines_refuse_them_in_a_sentence(engine):
    with pytest.raises(ParameterError, match="finds its moves turn by turn, when they are needed; leave it out"):
        dicelab.simulate(PIG, "mcts:5", games=1, engine=engine)


def tree_players(game, text, **parameters):
    """Return the compiled player with its table, and a player that grows the same trees in plain Python."""
    run = Run.of(game, text, **parameters)
    plain = run.calls[0].strategy.moves
    player = plain.compiled(run.game).moves
    return player, player.table(run.game), plain, plain.table(run.game)


@pytest.mark.slow
def test_the_compiled_tree_finds_the_move_of_the_plain_one():
    """Beside whole games, state by state: nothing is left to plain Python."""
    player, table, plain, own = tree_players(Dare, "mcts:25", players=2)
    row = table.start()
    for shown in range(1, 7):
        rolled = table.after(row, Dare.declared.throws[0], (shown,))
        choice = table.step(rolled)
        assert isinstance(choice, ChoiceState)
        for seed in (0, 1, 2**64 - 1):
            move = player._kernel.best(rolled, 25, choice, seed)
            assert move == plain.best(own, rolled, choice, seed)
    assert plain._kernel is None


def test_a_tree_is_compiled_when_enough_was_tried():
    run = Run.of(Dare, "mcts:25")
    player = run.calls[0].strategy.moves.compiled(run.game, at_once=False).moves
    assert player._kernel is None
    assert player._patience == mcts.PATIENCE - 25


@pytest.mark.parametrize("made", [Ahead, Reference])
def test_a_game_is_given_up_between_two_choices(made):
    run, asked = Run.of(Dare, "rollout:2"), []
    engine = made(run.game, run.calls)
    engine.is_over = lambda: asked.append(True) or len(asked) == 5
    with pytest.raises(OutOfTime):
        engine.play(1, 0, 100)
    assert len(asked) == 5
    assert engine.play(1, 0, 1) == Reference(run.game, run.calls).play(1, 0, 1)


def test_a_simulation_without_time_says_so():
    nothing = dicelab.simulate(Dare, "rollout:2", seed=1, seconds=0)
    assert (nothing.games, nothing.out_of_time, nothing.interrupted) == (0, True, False)
    assert nothing.to_dict()["out_of_time"] is True
    assert "No game was over in the time that was allowed" in str(nothing)


@pytest.mark.parametrize("engine", ["reference", "auto"])
def test_the_games_played_in_a_time_are_the_first_ones_of_the_seed(engine):
    found = dicelab.simulate(Dare, "at_once", games=10**12, seed=1, seconds=0.2, engine=engine, records=True)
    assert found.out_of_time
    expected = dicelab.simulate(Dare, "at_once", games=found.games, seed=1, engine=engine, records=True)
    assert found.outcomes == expected.outcomes
    assert (found.records == expected.records).all()
    assert not expected.out_of_time


def test_auto_takes_the_compiled_engine_at_once_and_says_why():
    assert dicelab.simulate(Dare, "rollout:2", games=1, seed=1).engine == "compiled"


def test_what_cannot_be_compiled_is_refused():
    run = Run.of(Dare, ["search:1:2", "at_once"])

    def helper(game):
        return 1 if str(game.shown) else 0

    free = Run.of(Dare, ["search:1:2", helper])
    assert Ahead(run.game, run.calls).play(1, 0, 1).games == 1
    with pytest.raises(NotTranslatable):
        Ahead(free.game, free.calls)
    assert dicelab.simulate(Dare, ["search:1:2", helper], games=2, seed=1).engine == "reference"
