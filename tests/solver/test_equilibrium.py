"""Three seats and more: best answers to each other, and what is said where there are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dicelab
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.equilibrium import several
from support import ROOT, SetLimits, run_of

RING = '''
"""Whoever stops gets a quarter, the player before three quarters: stop if, and only if, the next player would pass."""

from enum import IntEnum

from dicelab.rules import COUNTS, OVER, Die, Flag, Game, Int, Param, ask, chosen, right_of, strategy, throw, thrown


class Move(IntEnum):
    PASS = 0
    STOP = 1


class Ring(Game):
    """Stop or pass, round and round."""

    players = Param(3, 3, 7, "players")
    seats = players
    player = Int(0, players - 1, "whose turn it is")
    winner = Int(-1, players - 1, "who has won", start=-1)
    stopped = Flag("the player has stopped")
    passed = Flag("the player has passed")

    def next(self):
        if self.winner >= 0:
            return OVER
        if self.stopped:
            return throw(self.prize)
        return throw(self.luck) if self.passed else ask(self.stop_or_pass, self.player)

    @thrown(1, Die(mine=1, before=3), COUNTS)
    def prize(self, mine, before):
        self.winner = self.player if mine else (self.player + self.players - 1) % self.players

    @thrown(1, Die(end=1, on=99), COUNTS)
    def luck(self, end, on):
        self.passed = False
        if end:
            self.winner = 0
        else:
            self.player = right_of(self.player, self.players)

    @chosen(Move)
    def stop_or_pass(self, move):
        if move == Move.STOP:
            self.stopped = True
        else:
            self.passed = True

    def outcome(self):
        return self.winner


@strategy(Ring)
def stop(game):
    return Move.STOP
'''


@pytest.fixture
def ring(tmp_path: Path) -> str:
    (tmp_path / "ring.py").write_text(RING)
    return str(tmp_path / "ring.py")


def test_in_a_ring_of_three_the_best_moves_chase_each_other(ring: str) -> None:
    found = dicelab.solve(ring)
    assert found.chasing == 1
    assert found.regret > 0.1
    assert "best responses cycle in 1 component" in str(found)
    assert sum(p.probability for p in found.outcomes.values()) == pytest.approx(1)


def test_in_a_ring_of_four_every_other_player_stops(ring: str) -> None:
    found = dicelab.solve(ring, players=4)
    assert found.chasing == 0
    assert found.regret < 1e-12
    assert found.policy is not None
    moves = {
        found.policy.state(i)["player"]: found.policy.options(i)[found.policy.best[i] - found.policy.row[i]].move[0]
        for i in range(len(found.policy))
    }
    assert [moves[player] for player in range(4)] in ([1, 0, 1, 0], [0, 1, 0, 1])


@pytest.mark.slow_cases("tossup-parameters0")
@pytest.mark.parametrize(("game", "parameters"), [("tossup", {"dice": 3, "target": 4}), ("pig", {"target": 6})])
def test_nobody_gains_by_playing_otherwise(game: str, parameters: dict[str, int], tmp_path: Path) -> None:
    name = str(ROOT / "examples" / "pig.py") if game == "pig" else game
    found = dicelab.solve(name, players=3, **parameters)
    assert found.policy is not None
    assert (found.chasing, found.error < 1e-12) == (0, True)
    found.policy.save(tmp_path / "all.npz")
    line = f"policy:{tmp_path / 'all.npz'}"
    played = dicelab.exact(name, line, players=3, **parameters)
    assert [p.probability for p in played.outcomes.values()] == pytest.approx(
        [p.probability for p in found.outcomes.values()], abs=1e-12
    )
    for seat, chance in enumerate(p.probability for p in found.outcomes.values()):
        best = dicelab.solve(name, line, seat=seat, players=3, **parameters)
        assert best.value == pytest.approx(chance, abs=1e-11)


def test_for_two_seats_it_finds_what_optimum_finds() -> None:
    graph = graph_of(run_of("tossup", (), dice=3, target=8), [0, 1], counted=False)
    found = several(graph, np.eye(graph.outcomes, 2))
    assert found.value[graph.start, 0] == pytest.approx(dicelab.solve("tossup", dice=3, target=8).value, abs=1e-12)
    assert found.chasing == 0
    assert np.allclose(found.value.sum(axis=1), 1)


def test_the_share_that_is_done_rises(monkeypatch: pytest.MonkeyPatch, limits: SetLimits) -> None:
    limits(part=20)
    shares: list[float] = []
    found = dicelab.solve("tossup", players=3, dice=3, target=4, share=shares.append)
    assert shares == sorted(shares)
    assert 0.0 == shares[0] < 0.5 < shares[-1] <= 1.0
    assert len(set(shares)) > 10
    monkeypatch.undo()
    assert found.value == dicelab.solve("tossup", players=3, dice=3, target=4).value
