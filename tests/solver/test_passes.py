"""Value iteration: what is extrapolated after a pass, and what is not."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from dicelab.solver.solution.backward import Process, extrapolate, led_back_to, settle, solve_for_one, with_prizes


def after_passes(changes: list[np.ndarray]) -> np.ndarray:
    """The values after passes that change them so, each extrapolated."""
    value, made, change = np.zeros(2), np.empty(2), np.empty(2)
    for number, by in enumerate(changes):
        was = value.copy()
        value += by
        extrapolate(value, was, made, change, number > 0)
    return value


@pytest.mark.parametrize("factor", [0.5, 0.99, -0.7])
def test_a_geometric_series_is_summed_up(factor: float) -> None:
    first = np.array([1.0, -3.0])
    assert after_passes([first, factor * first]) == pytest.approx(first / (1 - factor))


@pytest.mark.parametrize("factor", [1 - 1e-15, 1.0, 1 + 1e-15, 1.5])
def test_changes_that_do_not_shrink_are_not_extrapolated(factor: float) -> None:
    first = np.array([1.0, -3.0])
    assert after_passes([first, factor * first]) == pytest.approx(first * (1 + factor))


def test_changes_in_other_directions_are_not_extrapolated() -> None:
    assert after_passes([np.array([1.0, 0.0]), np.array([0.0, 0.5])]) == pytest.approx([1.0, 0.5])


def turns(dice: Random, turning: bool) -> Process:
    """A component that goes round through its first state alone: rolls, each followed by a choice to roll on or to
    stop, some of which lead straight back to the roll. With `turning`, an edge back changes the side of the view.
    """
    rolls = dice.randint(2, 6)
    rows: list[list[tuple[int, float, float, float]]] = []  # of each state: target, chance, gain, sign
    for n in range(rolls):
        roll, choice, left = 2 * n, 2 * n + 1, 1.0
        here = [(0, left * dice.uniform(0.1, 0.4), float(turning), -1.0 if turning else 1.0)]
        if dice.random() < 0.6:  # may come to a choice that leads straight back
            here.append((choice, dice.uniform(0.05, 0.3), 0.0, 1.0))
        ahead = 2 * dice.randrange(n + 1, rolls) + 1 if n + 1 < rolls else -1
        rest = left - sum(chance for _, chance, _, _ in here)
        here += [(ahead, 0.6 * rest, 0.0, 1.0), (-1, 0.3 * rest, 0.0, 1.0), (-2, 0.1 * rest, 0.0, 1.0)]
        rows += [here, [(roll, 1.0, 0.0, 1.0), (-1, 1.0, dice.uniform(-0.6, 0.2), 1.0)]]
    edges = [edge for row in rows for edge in row]
    row = np.cumsum([0, *map(len, rows)])
    target, chance, gain, sign = (np.array(x) for x in zip(*edges, strict=True))
    side = np.array([0, 1] * rolls, np.int8)
    label = np.arange(len(edges), dtype=np.uint32)
    ends = np.array([len(rows)])
    return Process(ends, row[:-1], row[1:], side, target.astype(np.int32), label, chance, gain, sign)


@pytest.mark.parametrize("chooses", [True, False])
@pytest.mark.parametrize("turning", [False, True])
def test_components_that_go_round_through_one_state_are_solved_by_newtons_method(turning: bool, chooses: bool) -> None:
    dice, solved = Random(1), 0
    for _ in range(200):
        p = turns(dice, turning)
        states = len(p.side)
        if not chooses:  # the first move is made everywhere
            p = p._replace(stop=np.where(p.side != 0, p.first + 1, p.stop), side=np.zeros_like(p.side))
        slowly, soon = (with_prizes(np.zeros(states), np.array([1.0, 0.0])) for _ in range(2))
        assert settle(p, slowly, 0, 1, 100_000, 1e-15, 0.0) == -1
        past = np.zeros(states, np.int64)
        back = led_back_to(p, 0, states, past)
        if back < 0:  # a choice to which an earlier roll leads, too
            continue
        assert back == 0
        solved += solve_for_one(p, soon, np.zeros(states), past, 0, states, back, dice.random(), 0.0)
        assert soon == pytest.approx(slowly, rel=1e-12, abs=1e-12)
    assert solved > 100


def test_no_value_of_a_loop_without_end_is_taken_for_its_own() -> None:
    """A choice between going round for nothing and 0.3 is worth 0.3, whatever the values begin with."""
    p = Process(
        np.array([2]), np.array([0, 2]), np.array([2, 3]), np.array([1, 0], np.int8), np.array([1, -1, 0], np.int32),
        np.array([0, 1, 0], np.uint32), np.ones(2), np.array([0.0, 0.3]), np.ones(2),
    )  # fmt: skip
    value, past = with_prizes(np.zeros(2), np.zeros(1)), np.zeros(2, np.int64)
    back = led_back_to(p, 0, 2, past)
    assert back == 0
    assert not solve_for_one(p, value, np.zeros(2), past, 0, 2, back, 0.7, 0.0)
    assert settle(p, value, 0, 1, 300, 1e-13, 0.0) == -1
    assert value[:2] == pytest.approx(0.3)
