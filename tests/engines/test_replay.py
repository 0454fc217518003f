"""``auto`` compares the engine to which it changes with the games that the reference engine has played."""

from __future__ import annotations

import numpy as np
import pytest

from dicelab.engines.compiled import Compiled
from dicelab.engines.player import GAMES, ChosenEngine, Player, Replay
from dicelab.engines.tables.state import TableEngine
from dicelab.errors import EngineMismatchError
from dicelab.limits import LIMITS
from dicelab.rules.game import outcome_names
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.interrupts import Stopped
from dicelab.runtime.scheduler import Tallied
from support import run_of

SEED = 11


class Another:
    """Plays the games of the compiled engine, but for one in which the caster always throws 99 times and loses."""

    def __init__(self, run, wrong=-1, keep=False, name="compiled"):
        self.right = Compiled(run.game, run.calls, keep=keep)
        self.name, self.wrong, self.keep, self.played = name, wrong, keep, []

    def play(self, seed, low, high):
        self.played.append((low, high))
        total = Tallied.empty(2, 1)
        for index in range(low, high):
            if index == self.wrong:
                total.count(1, (99,))
                total.records += [np.array([[1, 99]])] if self.keep else []
            else:
                total.merge(self.right.play(seed, index, index + 1))
        return total


def changing(games, engine, **more):
    """A player that changes to `engine` after some games of the reference engine."""

    class Changing(Player):
        def _expected(self, left):
            return LIMITS.table_work if self._begun >= games else 0

    return Changing(run_of("hazard"), SEED, choose=lambda *_: ChosenEngine(engine, {}), **more)


def first_counts(games):
    """What the reference engine makes of the first games."""
    run = run_of("hazard")
    return Reference(run.game, run.calls).play(SEED, 0, games)


def played(engine, games, asked=30_000, keep=False):
    """Play on `engine` after some games of the reference engine; all games, and those that were handed over."""
    total = Tallied.empty(2, 1)
    player = changing(games, engine, threads=2, keep=keep)
    player.play(0, asked, total.merge)
    return player, total


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("wrong", [0, 7, GAMES - 1])
def test_a_game_that_differs_ends_the_run(wrong, keep):
    engine = Another(run_of("hazard"), wrong, keep)
    with pytest.raises(EngineMismatchError) as raised:
        played(engine, GAMES, keep=keep)
    right = first_counts(wrong + 1)
    before = first_counts(wrong)
    [throws] = (right.histogram(0) - before.histogram(0)).keys()
    outcome = "win" if right.counts[0] > before.counts[0] else "lose"
    assert str(raised.value) == (
        f"hazard: two engines disagree on seed {SEED}, game {wrong}: the compiled engine has outcome lose, throws 99; "
        f"the reference engine has outcome {outcome}, throws {throws}; please report this, and use --engine reference "
        "meanwhile"
    )


def test_nothing_of_an_engine_that_differs_is_counted():
    total = Tallied.empty(2, 1)
    with pytest.raises(EngineMismatchError):
        changing(50, Another(run_of("hazard"), 3)).play(0, 30_000, total.merge)
    assert total == first_counts(50)


@pytest.mark.slow
def test_games_that_are_played_again_are_not_counted_twice():
    engine = Another(run_of("hazard"))
    player, total = played(engine, GAMES + 50, asked=30_000)
    assert (0, GAMES) in engine.played
    assert player.engine_used == "compiled"
    assert total == Compiled(run_of("hazard").game, ()).play(SEED, 0, 30_000)


@pytest.mark.parametrize(
    ("reference", "asked", "again"),
    [(300, 10**6, 200), (300, 20_000, 200), (300, 19_999, 199), (20, 10**6, 20), (300, 1000, 10), (30, 99, 0)],
)
def test_one_game_in_a_hundred_is_played_again(reference, asked, again):
    games = Replay(run_of("hazard").game, SEED, records=False)
    for index in range(reference):
        games.keep(index, first_counts(1))
    assert games.games(asked) == again


def test_a_few_games_are_not_compared():
    engine = Another(run_of("hazard"), wrong=2)
    _, total = played(engine, 5, asked=99)
    assert total.games == 99
    assert min(low for low, _ in engine.played) >= 4


def test_a_later_call_that_asks_for_more_games_is_compared():
    engine = Another(run_of("hazard"), wrong=2)
    player, total = changing(5, engine), Tallied.empty(2, 1)
    player.play(0, 99, total.merge)
    player.play(99, 300, total.merge)
    with pytest.raises(EngineMismatchError, match="game 2:"):
        player.play(300, 1000, total.merge)
    assert total.games == 300


def test_the_first_games_need_not_be_those_from_0():
    engine = Another(run_of("hazard"), wrong=1007)
    with pytest.raises(EngineMismatchError, match="game 1007:"):
        changing(50, engine).play(1000, 31_000, Tallied.empty(2, 1).merge)


def test_games_that_differ_only_when_they_are_played_together():
    class Crowded(Another):
        def play(self, seed, low, high):
            self.wrong = low if high - low > 1 else -1
            return super().play(seed, low, high)

    told = "games 0 to 19 played together, though not one by one: the compiled engine has 7 games win, 13 games lose, "
    with pytest.raises(EngineMismatchError, match=told):
        played(Crowded(run_of("hazard")), 20)


def test_records_that_differ_end_the_run():
    class Swapped(Another):
        def play(self, seed, low, high):
            result = super().play(seed, low, high)
            result.records.reverse()
            return result

    with pytest.raises(EngineMismatchError, match="games 0 to 19 played together"):
        played(Swapped(run_of("hazard"), keep=True), 20, keep=True)


class GivesUp(TableEngine):
    """A table that plays all games right and gives up after some; the engine to which it leaves the others does not."""

    def others(self):
        return Another(run_of("hazard"), wrong=4)

    def _play(self, seed, low, high, total):
        left = super()._play(seed, low, high, total)
        if low > 2000:
            self.give_up()
        return left


def test_the_engine_that_goes_on_where_a_table_gives_up_is_compared():
    table = GivesUp(run_of("hazard").game, ())
    table.compile()
    with pytest.raises(EngineMismatchError, match=f"seed {SEED}, game 4: the compiled engine has outcome lose"):
        played(table, 20, asked=10**6)


@pytest.mark.parametrize("engine", ["reference", "compiled", "table"])
def test_nothing_is_played_again_where_an_engine_was_forced(engine):
    player = Player(run_of("hazard"), SEED, engine=engine)
    player.play(0, 30_000 if engine != "reference" else 300, lambda _: None)
    assert player.engine_used == engine
    assert player._compared == {}


@pytest.mark.slow_cases("False-lcr", "False-pig")
@pytest.mark.parametrize("name", ["hazard", "tossup", "lcr", "pig"])
@pytest.mark.parametrize("records", [False, True])
def test_every_engine_that_auto_takes_agrees(limits, name, records):
    """With the engines as they are: they are compared with the reference engine, in at most so many games."""
    limits(compiling_work=1, table_work=1)
    run = run_of(name)
    player, total = (
        Player(run, SEED, keep=records),
        Tallied.empty(len(outcome_names(run.game)), len(run.game.declared.tallies)),
    )
    player.play(0, 20_000, total.merge)
    assert total.games == 20_000
    assert player.engine_used != "reference"
    assert player.engine_used in player._compared
    assert all(0 < games <= GAMES for games in player._compared.values())


def test_ctrl_c_while_games_are_compared():
    """It is heeded once the comparison is over; what was played is kept."""
    from _thread import interrupt_main

    class Interrupted(Another):
        def play(self, seed, low, high):
            if low == 0 and high > 1:
                interrupt_main()
            return super().play(seed, low, high)

    engine = Interrupted(run_of("hazard"))
    total = Tallied.empty(2, 1)
    with pytest.raises(Stopped):
        changing(20, engine).play(0, 10**9, total.merge)
    assert (0, 20) in engine.played
    assert 20 < total.games < 10**9
    assert total == Compiled(run_of("hazard").game, ()).play(SEED, 0, total.games)


def test_how_much_there_is_to_play_does_not_depend_on_the_seed():
    seen = []

    def choose(run, work, limit, keep):
        seen.append(work)
        raise Stopped  # before a game is played by what would be chosen

    for seed in range(5):
        with pytest.raises(Stopped):
            Player(run_of("tossup"), seed, choose=choose, work={}).play(0, 1_500_000, lambda chunk: None)
    assert max(seen) < 1.001 * min(seen)
