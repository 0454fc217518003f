from __future__ import annotations

import numpy as np
import pytest

import dicelab
from dicelab.errors import InputError, ParameterError, UnknownNameError
from support import ROOT

ALONE = ROOT / "verification" / "pig_alone.py"
NAMES = ["hold_at:5", "hold_at:20", "hold_at:25"]


def race(**settings):
    return dicelab.race(ALONE, NAMES, target=30, **settings)


@pytest.mark.slow
def test_the_first_wins_as_often_as_in_the_game_for_two():
    found = race().first_wins
    for i, one in enumerate(NAMES):
        for k, other in enumerate(NAMES):
            both = dicelab.exact(ROOT / "examples" / "pig.py", [one, other], target=30, tallies=())
            assert found[i, k] == pytest.approx(both.outcomes["0"].probability, abs=1e-11)


def test_three_seats_win_as_often_as_in_the_game_for_three():
    all_three = dicelab.exact(ROOT / "examples" / "pig.py", "hold_at:20", target=30, players=3, tallies=())
    chances = [p.probability for p in all_three.outcomes.values()]
    assert race().seats("hold_at:20", 3) == pytest.approx(chances, abs=1e-10)


def test_every_row_is_a_law():
    found = race()
    assert found.ends.shape[0] == len(found.names) == 3
    assert np.all(found.ends >= 0)
    assert found.ends.sum(axis=1) == pytest.approx(1, abs=1e-11)
    assert 0 < found.error < 1e-11


def test_the_laws_are_the_distributions_of_the_tally():
    law = dicelab.exact(ALONE, "hold_at:25", target=30).tallies["turns"].probabilities
    assert dict(enumerate(race().ends[2])) == pytest.approx({**dict.fromkeys(range(race().ends.shape[1]), 0.0), **law})


def test_another_tally_may_count_the_turns():
    assert race(tally="busts").ends[0, 0] > 0


def test_who_needs_no_turn_wins():
    """In games without a bust the tally is 0; the first wins unless the second has fewer busts."""
    found = race(tally="busts")
    first, second = found.ends[0], found.ends[2]
    assert found.first_wins[0, 2] == pytest.approx(np.triu(np.outer(first, second)).sum(), abs=1e-11)
    assert sum(found.seats("hold_at:25", 3)) == pytest.approx(1, abs=1e-11)


def test_a_game_for_two_seats_is_refused():
    """Its count of turns is that of both seats together, which says nothing about either alone."""
    with pytest.raises(ParameterError, match=r"one seat.* pig has 2 seats"):
        dicelab.race(ROOT / "examples" / "pig.py", NAMES, target=30)


def test_bad_input_is_refused():
    with pytest.raises(ParameterError, match="one or more"):
        dicelab.race(ALONE, [])
    with pytest.raises(ParameterError, match="list of strategies"):
        dicelab.race(ALONE, "hold_at:20")
    with pytest.raises(UnknownNameError, match="turns"):
        race(tally="turn")
    with pytest.raises(InputError):
        dicelab.race("nothing", NAMES)
    with pytest.raises(UnknownNameError, match="strategy of this race"):
        race().seats("hold_at:7", 2)
    with pytest.raises(ParameterError, match="at least 1"):
        race().seats("hold_at:5", 0)
