"""How an estimate settles: each look is what a simulation of that many games says."""

from __future__ import annotations

import json
from math import inf

import pytest

import dicelab
from dicelab.engines.player import Player
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.questions import convergence as module
from dicelab.questions.convergence import convergence, looks
from dicelab.runtime.interrupts import Stopped


def simulate(game, games, **more):
    return dicelab.simulate(game, games=games, engine="reference", **more)


def test_eight_looks_for_each_digit_and_one_at_the_end():
    assert list(looks(1000)) == [10, 13, 18, 24, 32, 42, 56, 75, 100, 133, 178, 237, 316, 422, 562, 750, 1000]
    assert list(looks(150)) == [10, 13, 18, 24, 32, 42, 56, 75, 100, 133, 150]
    assert list(looks(10)) == [10]
    assert list(looks(3)) == [3]


def test_each_look_is_what_a_simulation_of_that_many_games_says():
    curve = convergence("hazard", games=60, seed=9, of="lose", main=5)
    assert curve.games == [10, 13, 18, 24, 32, 42, 56, 60]
    for games, *look in zip(curve.games, curve.estimates, curve.lows, curve.highs, strict=True):
        lost = simulate("hazard", games, seed=9, main=5).outcomes["lose"]
        assert look == [lost.probability, *lost.interval]
    assert len(set(curve.estimates)) > 3


def test_each_look_of_a_mean_is_what_a_simulation_says():
    curve = convergence("lcr", games=42, seed=2, of="turns", players=3)
    for games, *look in zip(curve.games, curve.estimates, curve.lows, curve.highs, strict=True):
        turns = simulate("lcr", games, seed=2, players=3).tallies["turns"]
        assert look == [turns.mean, *turns.interval]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_looks_do_not_depend_on_chunks_and_threads(threads):
    games = 60_000  # enough for the compiled engine
    curve = convergence("lcr", games=games, seed=4, of="1", players=4, threads=threads)
    for at in (8, 20, -1):
        n = curve.games[at]
        won = dicelab.simulate("lcr", games=n, seed=4, players=4, engine="compiled", threads=1).outcomes["1"]
        assert (curve.estimates[at], curve.lows[at], curve.highs[at]) == (won.probability, *won.interval)
    assert curve.games[-1] == games


def test_it_says_what_was_played():
    curve = convergence("tossup", ["bank_over", "one_roll"], games=12, seed=3, of="busts", target=20)
    assert (curve.game, curve.seed, curve.of, curve.kind, curve.seats) == ("tossup", 3, "busts", "tally", True)
    assert curve.strategies == ["bank_over:20", "one_roll"]
    assert curve.parameters["target"] == 20
    data = json.loads(curve.to_json())
    assert data == curve.to_dict()
    assert data["method"] == "convergence"
    assert [look["games"] for look in data["looks"]] == [10, 12]
    assert [look["estimate"] for look in data["looks"]] == curve.estimates
    assert curve.lows == [-inf, -inf], "so few games have no interval"
    assert curve.highs == [inf, inf]
    assert [(look["low"], look["high"]) for look in data["looks"]] == [(None, None)] * 2
    assert "interrupted" not in data
    assert data["source_hash"] == simulate("tossup", 1, seed=1).source_hash != ""


def test_what_is_estimated_when_nothing_is_said():
    assert convergence("hazard", games=1).of == "win"
    assert convergence("lcr", games=1).of == "0"
    caster = convergence("hazard-caster", games=1)
    assert (caster.of, caster.kind) == ("throws", "tally")


def test_a_seed_is_drawn_and_reported():
    one, other = convergence("hazard", games=30), convergence("hazard", games=30)
    assert one.seed != other.seed
    assert convergence("hazard", games=30, seed=one.seed).estimates == one.estimates


def test_bad_questions_are_refused():
    with pytest.raises(UnknownNameError, match="no outcome or tally of hazard 'wni'; did you mean 'win'"):
        convergence("hazard", games=10, of="wni")
    for games in (0, -1, 2.5, "many", None, 10**19):
        with pytest.raises(ParameterError, match=r"games: .* is not allowed"):
            convergence("hazard", games=games)
    with pytest.raises(ParameterError, match="seed"):
        convergence("hazard", games=10, seed=-1)


NOTHING = """
from dicelab.rules import OVER, Game

class Nothing(Game):
    name = "nothing"
    def next(self):
        return OVER
"""


def test_a_game_that_says_nothing(tmp_path):
    (tmp_path / "nothing.py").write_text(NOTHING)
    with pytest.raises(ParameterError, match="nothing has neither outcomes nor tallies"):
        convergence(tmp_path / "nothing.py", games=10)


class Halting(Player):
    """Is stopped when it has played `last` games."""

    last = 0

    def play(self, low, high, done):
        super().play(low, min(high, self.last), done)
        if high > self.last:
            raise Stopped


@pytest.mark.parametrize(("last", "seen"), [(30, [10, 13, 18, 24, 30]), (24, [10, 13, 18, 24]), (5, [5]), (0, [])])
def test_stopped_it_has_looked_at_all_games_played(monkeypatch, last, seen):
    monkeypatch.setattr(module, "Player", type("Stops", (Halting,), {"last": last}))
    curve = convergence("hazard", games=100, seed=1, of="win")
    assert curve.games == seen
    assert curve.interrupted
    assert curve.to_dict()["interrupted"] is True
    if seen:
        assert curve.estimates[-1] == simulate("hazard", last, seed=1).outcomes["win"].probability
