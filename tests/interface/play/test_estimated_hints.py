"""Hints in games that can't be solved: estimates, with what is known of their error."""

from __future__ import annotations

import re

import pytest

import dicelab
from dicelab.errors import DicelabError
from dicelab.games.sealed_bids import SealedBids
from dicelab.interface.play.asking.advice import adviser
from dicelab.interface.play.asking.estimated import GAMES, EstimatedHints, played_for
from dicelab.interface.play.asking.hints import hints_for
from dicelab.questions.policies.skill.values import values
from dicelab.questions.policies.solving import Solving
from dicelab.rules.fields import applied
from dicelab.rules.game import fresh, reset
from dicelab.rules.loading.registry import find
from dicelab.runtime.interpreter import asked, steps
from dicelab.runtime.philox import Stream
from small_games import Dare, Fewest


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """Values of turns of Pig to 15 after 1,000 games, and the file in which they are."""
    found = dicelab.learn("./examples/pig.py", method="turns", games=1000, seed=1, target=15)
    path = tmp_path_factory.mktemp("turns") / "pig.npz"
    found.policy.save(path)
    return found, str(path)


def with_number(game, shown):
    """Return a game in which a die has shown a number."""
    game = fresh(game)
    reset(game)
    kind, _ = asked(game, game.next())
    applied(kind.run, game, (shown,))
    return game


@pytest.mark.slow
def test_an_estimate_is_within_its_error_of_what_is_expected():
    """Who keeps 4 has 4; who rolls again, and then follows `first`, has 3.5 on average. Few are wanted."""
    game = with_number(Fewest(), 4)
    found = EstimatedHints(game, None, near=0)(game, Fewest.keep, 0)
    error = float(re.search(r"± ([0-9.]+)", found.what)[1])
    assert found.what.startswith("expected final score, estimated to ±")
    assert error == pytest.approx(1.96 * (35 / 12 / GAMES) ** 0.5, rel=0.2)
    assert found.sign == -1
    assert found.after[(1,)] == 4
    assert found.after[(0,)] == pytest.approx(3.5, abs=2 * error)


def test_who_plays_alone_is_told_of_what_the_game_counts():
    """Qwixx for several pays the winner; alone it is played for points."""
    assert played_for(find("examples/qwixx.py")(players=1)) == (1, "expected final points")
    assert played_for(find("examples/qwixx.py")(players=2)) == (1, "chance to win, draws shared")


def test_a_game_that_can_not_be_solved_has_estimates(monkeypatch, capsys):
    def poll(self, wait=0.0):
        raise DicelabError("dare is too large")

    monkeypatch.setattr(Solving, "poll", poll)
    game = with_number(Dare(), 6)
    lines = adviser(hints_for(game, ["me", "at_once"]), once=True)(game, Dare.keep, 0)
    assert " ".join(" ".join(lines).split()).startswith("chance to win, exactly, since all ends of the game are near:")
    assert lines[-1].endswith("best"), "a 6 is kept"
    assert "dare is too large; the hints are estimates" in " ".join(capsys.readouterr().err.split())
    hints = hints_for(game, ["me", "at_once"], objective="win")
    assert "no hints: dare is too large" in adviser(hints, once=True)(game, Dare.keep, 0)[0]


def test_against_a_player_that_looks_ahead_hints_are_estimates(capsys):
    game = with_number(Dare(), 6)
    lines = adviser(hints_for(game, ["me", "mcts:2:at_once"]), once=True)(game, Dare.keep, 0)
    assert lines[-1].endswith("best"), "a 6 is kept"
    said = " ".join(capsys.readouterr().err.split())
    assert "what mcts:2:at_once does isn't known beforehand, because it tries moves out; the hints are" in said


def test_near_the_end_hints_are_exact():
    """Who keeps 4 has 4; who rolls twice more keeps 1, 2 or 3, else has 3.5 on average: 2.75 in all."""
    game = with_number(Fewest(), 4)
    found = EstimatedHints(game, None)(game, Fewest.keep, 0)
    assert found.what == "expected final score, exactly, since all ends of the game are near"
    assert found.after == {(1,): pytest.approx(4), (0,): pytest.approx(2.75)}


@pytest.mark.slow
def test_a_file_of_learned_values_gives_hints(learned):
    found, path = learned
    game = found.policy.game
    table = with_number(game, 6)
    seen = hints_for(game, ["me", "hold_at:20"], policy=path)(table, type(game).roll_or_hold, 0)
    assert seen.what == f"chance to win, as {path} estimates it (nothing bounds its error)"
    best = values(type(game), target=15)
    for move, worth in seen.after.items():
        assert worth == pytest.approx(float(best.after(table, type(game).roll_or_hold, move)[0]), abs=0.02)


def test_who_chooses_at_the_same_time_has_estimates_that_do_not_see_what_others_chose(capsys):
    """The second seat's estimates are the same whatever the first has just chosen, and so is what is said of them."""
    found = []
    for bid in (1, 3):
        game = fresh(SealedBids())

        def advised(game, decision, seat):
            found.append(hints_for(fresh(game), ["even", "me"])(game, decision, seat))
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            for _ in steps(game, [lambda game, decision, seat, bid=bid: bid, advised], Stream(1, 0)):
                pass
    assert found[0] == found[1]
    assert len(found[0].after) > 1
    assert "what others have chosen now is taken to be the same half of the time" in found[0].what
    assert "sealed-bids lets seats choose at once; the hints are estimates" in " ".join(capsys.readouterr().err.split())
