"""Bounds of tallies: what is proved holds for the exact distribution, what is declared is checked at the end."""

from __future__ import annotations

from math import inf, isfinite

import pytest

import dicelab
from dicelab.errors import PlayError, RulesError
from dicelab.rules import D6, FACES, OVER, Game, Int, Param, Peak, Tally, throw, thrown
from dicelab.rules.loading.registry import all_games, find
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.tally_bounds import declared_bounds, tally_bounds

SMALL = ["hazard", "hazard-caster", "pass-line", "verification/chuck_a_luck.py", "verification/nontransitive_dice.py"]


class UntilSix(Game):
    """Throw until a six, with tallies of every kind; `up` is the declared end of one."""

    name = "until-six"

    up = Param(5, 0, 9, "the declared end of pay")

    face = Int(0, 6, "the die")

    always = Tally("2 in every game")
    pay = Tally("5, or 1 if the first die is a six", low=1, high=up)
    low = Tally("minus the number of throws")
    steps = Tally("up by 3 and down by 3, so that it does not end above 3")
    best = Peak("the largest die")

    def next(self) -> int:
        return OVER if self.face == 6 else throw(self.die)

    @thrown(1, D6, FACES)
    def die(self, face: int) -> None:
        if face == 6:
            self.always += 2
            self.pay += 1 if self.face == 0 else 5
        if self.face == 0:
            self.steps += 3
        elif face == 6:
            self.steps -= 3
        self.low -= 1
        self.face = face
        self.best = max(self.best, face)


def bounds_of(game, *strategies, **parameters):
    run = Run.of(game, *strategies, **parameters)
    return dict(zip(run.game.declared.tallies, tally_bounds(run), strict=True))


def test_bounds_follow_every_path():
    found = bounds_of(UntilSix)
    assert found == {"always": (2, 2), "pay": (1, 5), "low": (-inf, -1), "steps": (0, 3), "best": (0, 6)}


@pytest.mark.parametrize("name", SMALL)
def test_bounds_are_the_ends_of_the_exact_distribution(name):
    """A finite bound is reached. Elsewhere the distribution has a tail, of which it leaves something out."""
    proved, exact = bounds_of(name), dicelab.exact(name)
    for tally, (low, high) in proved.items():
        values = list(exact.tallies[tally].probabilities)
        assert low in (values[0], -inf), tally
        assert high in (values[-1], inf), tally
        assert isfinite(high) or exact.tallies[tally].left > 0, tally


def test_large_games_have_the_bounds_that_are_declared():
    assert bounds_of("lcr", players=9)["turns"] == (-inf, inf)
    assert bounds_of("craps", bankroll=500)["money"] == (-500, inf)


@pytest.mark.slow
def test_no_game_that_is_included_ends_outside_its_bounds():
    for name in all_games():
        result = dicelab.simulate(name, games=300, seed=1, engine="reference")
        for tally, (low, high) in bounds_of(find(name)).items():
            assert low <= min(result.tallies[tally].histogram), (name, tally)
            assert max(result.tallies[tally].histogram) <= high, (name, tally)


def test_a_constant_tally_has_an_interval():
    average = dicelab.simulate(UntilSix, games=5, seed=1).tallies["always"]
    assert average.interval == (2, 2)
    assert not average.is_open


def test_a_precision_ends_where_a_tally_is_constant():
    assert dicelab.simulate(UntilSix, precision=0.01, on="always", seed=1).games == 1000


def test_a_look_is_what_a_simulation_estimates():
    curve = dicelab.convergence(UntilSix, games=13, seed=1, of="always")
    assert (curve.lows, curve.highs) == ([2, 2], [2, 2])


@pytest.mark.slow_cases("compiled")
@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_tally_that_ends_outside_its_bounds_is_refused(engine):
    with pytest.raises(PlayError, match="the tally pay ends at 5, above its declared upper bound 4"):
        dicelab.simulate(UntilSix, games=100, seed=1, engine=engine, up=4)


def test_exact_answers_refuse_it_too():
    with pytest.raises(PlayError, match="the tally pay ends at 5, above its declared upper bound 3"):
        dicelab.exact(UntilSix, up=3)


def test_bounds_may_not_be_made_of_the_state():
    with pytest.raises(RulesError, match="depends on face, which is not a parameter"):

        class Wrong(Game):
            """Bounds of a tally that depend on a field."""

            name = "wrong"
            face = Int(0, 6, "the die")
            pay = Tally("payout", high=face)


def test_nothing_is_declared_unless_it_is():
    assert declared_bounds(UntilSix(up=7)) == [(-inf, inf), (1, 7), (-inf, inf), (-inf, inf), (-inf, inf)]
