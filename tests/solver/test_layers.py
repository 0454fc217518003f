"""The layers of a long solution: one that was interrupted continues, to the same bits, and uses no other values."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicelab
from dicelab.errors import StoreError
from dicelab.results.store import layers
from dicelab.results.store.database import StoreWarning
from dicelab.results.store.encoding import from_bytes, to_bytes
from dicelab.results.store.layers import KeptLayers
from dicelab.solver.turns.values import Solver
from dicelab.solver.value_iteration import Part, key_of
from support import GAMES, SetLimits


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "runs.db")


@pytest.fixture(autouse=True)
def always(limits: SetLimits) -> None:
    """Layers are stored whenever they may be; large games are those of more than one state."""
    limits(layer_seconds=0, layer_share=0)
    limits(many=1, part=10)


def turn_by_turn(**asked: Any) -> dicelab.Solution:
    return dicelab.solve(GAMES["pig"], target=30, policy=False, **asked)


def with_cycles(**asked: Any) -> dicelab.Solution:
    return dicelab.solve("tossup", target=6, dice=3, policy=False, **asked)


def all_states(**asked: Any) -> dicelab.Solution:
    return dicelab.solve("tossup", target=8, **asked)


def alone(**asked: Any) -> dicelab.Solution:
    return dicelab.solve("tossup", "bank_over:4", target=8, seat=1, **asked)


ASKED = [turn_by_turn, with_cycles, all_states, alone]
Asked = Callable[..., dicelab.Solution]


def rows(store: str) -> list[tuple[int, int, bytes]]:
    sql = sqlite3.connect(store)
    found = sql.execute("SELECT low, high, totals FROM totals ORDER BY low").fetchall()
    sql.close()
    return found


def interrupted(asked: Asked, store: str, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask, and be interrupted after layers were stored so many times."""
    before, calls = KeptLayers.reached, iter(range(times))

    def reached(self: KeptLayers, end: int, part: Part) -> None:
        before(self, end, part)
        if next(calls, None) is None:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(KeptLayers, "reached", reached)
        with pytest.raises(KeyboardInterrupt):
            asked(store=store)


def replace_values(store: str, change: Callable[[Any, Any], tuple[Any, Any]]) -> None:
    """Change the key and the values of all layers, whose digests are right."""
    sql = sqlite3.connect(store)
    for low, _, content in rows(store):
        key, values = change(*from_bytes(content)[::2])
        content = to_bytes((key, layers._digest(values), values))
        sql.execute("UPDATE totals SET totals = ? WHERE low = ?", (content, low))
    sql.commit()
    sql.close()


def must_be(found: dicelab.Solution, expected: dicelab.Solution) -> None:
    assert (found.value, found.error, found.outcomes) == (expected.value, expected.error, expected.outcomes)
    assert found.to_dict() | {"seconds": 0} == expected.to_dict() | {"seconds": 0}
    if expected.policy is not None:
        assert found.policy is not None
        assert np.array_equal(found.policy.moves, expected.policy.moves)


@pytest.mark.quick_cases("all_states")
@pytest.mark.parametrize("asked", ASKED)
def test_an_interrupted_solution_continues(asked: Asked, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, ends = asked(), []
    for times in (0, 1, 3):
        interrupted(asked, store, times, monkeypatch)
        found = rows(store)
        assert [low for low, _, _ in found] == [0, *(high for _, high, _ in found)][: len(found)]
        ends.append(found[-1][1] if found else 0)
        assert [run.state for run in dicelab.Store(store).list().rows] == (["checkpoint"] if found else [])
    assert ends == sorted(ends)
    assert ends[-1] > ends[1]
    solved: list[int] = []
    one = Solver._group

    def counted(self: Solver, group: list[Any], loop: bool) -> Any:
        solved.append(sum(map(len, group)))
        return one(self, group, loop)

    monkeypatch.setattr(Solver, "_group", counted)
    must_be(asked(store=store), expected)
    if expected.turns is not None:
        assert sum(solved) == expected.states - ends[-1], "what was kept is not solved again"
    assert rows(store) == [], "the layers of a finished solution are deleted"
    must_be(asked(store=store), expected)


def test_kept_values_are_used(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong values under the right key are not found out, except by the proof: it finds no bound on the error."""
    interrupted(alone, store, 3, monkeypatch)
    replace_values(store, lambda key, values: (key, 0.5 * values))
    assert alone(store=store).error > 1e-3


@pytest.mark.quick_cases("all_states")
@pytest.mark.parametrize("asked", ASKED)
def test_values_of_another_order_are_replaced(asked: Asked, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(asked, store, 3, monkeypatch)
    replace_values(store, lambda key, values: ("another order", np.ones_like(values)))
    interrupted(asked, store, 0, monkeypatch)
    must_be(asked(store=store), asked())


@pytest.mark.quick_cases("truncated")
@pytest.mark.parametrize("damage", ["truncated", "flipped", "other values", "another range"])
def test_damaged_layers_are_reported_and_left_alone(damage: str, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(all_states, store, 3, monkeypatch)
    low, high, content = rows(store)[-1]
    sql = sqlite3.connect(store)
    key, digest, values = from_bytes(content)
    made = {
        "truncated": content[:-20],
        "flipped": content[:-20] + bytes([content[-20] ^ 1]) + content[-19:],
        "other values": to_bytes((key, digest, values + 1e-9)),
        "another range": to_bytes((key, layers._digest(values[:, 1:]), values[:, 1:])),
    }[damage]
    sql.execute("UPDATE totals SET totals = ? WHERE low = ?", (made, low))
    sql.commit()
    sql.close()
    with pytest.raises(StoreError, match=r"is damaged: .*delete the run"):
        all_states(store=store)
    assert rows(store)[-1] == (low, high, made)
    dicelab.Store(store).delete(1)
    must_be(all_states(store=store), all_states())


def test_what_cannot_be_stored_costs_no_result(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: KeptLayers, *given: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(KeptLayers, "_write", full)
    with pytest.warns(StoreWarning, match="what was solved could not be stored: the disk is full"):
        found = all_states(store=store)
    must_be(found, all_states())


def test_a_run_without_an_answer_is_not_shown(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(all_states, store, 3, monkeypatch)
    with pytest.raises(StoreError, match="has no result yet"):
        dicelab.Store(store).show(1)


def test_storing_takes_a_small_share_of_the_time(
    store: str, monkeypatch: pytest.MonkeyPatch, limits: SetLimits
) -> None:
    limits(layer_share=10**9)
    interrupted(all_states, store, 3, monkeypatch)
    assert rows(store) == [] if Path(store).exists() else True


def test_a_key_depends_on_contents_shapes_and_kinds() -> None:
    given = [np.arange(4), np.arange(4).reshape(2, 2), np.arange(4.0), np.arange(1, 5), np.arange(0)]
    keys = {key_of([array]) for array in given} | {key_of([given[0], given[0]])}
    assert len(keys) == len(given) + 1


def test_a_slow_write_does_not_stop_all_others(limits: SetLimits) -> None:
    """Values are stored again soon after a few of them were stored slowly, as on a busy machine."""
    seconds = [0.0, 3.0, 3.0, 3.5, 9.5, 20.0, 20.0, 20.0]  # begun, reached, before and after writing, and so on
    now = iter(seconds)
    limits(layer_seconds=2, layer_share=100)
    written: list[int] = []

    class Slow(KeptLayers):
        def _write(self, end: int, *given: object) -> None:
            written.append(end)

    kept = Slow(None, lambda: next(now), lambda: 0.0)  # type: ignore[arg-type]
    for end in (16, 500, 1000):  # the second time is too early, because writing took half a second
        kept.reached(end, lambda low, high: np.zeros((2, high - low)))
    assert written == [16, 1000]
