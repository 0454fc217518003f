"""Compares the environments for learners: many games at once on the compiled rules, and the same games one by one."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np

from dicelab.errors import PlayError
from dicelab.learning import gym, vector
from fuzz.case import Case, Mismatch
from fuzz.guard import guarded

LANES, STEPS = 2, 12
CHECK = "many games at once"


def compare_learners(case: Case, done: Counter[str]) -> None:
    """One seat chooses at random, also what is not allowed; the others play the first strategy.

    Raises
    ------
    Mismatch
    """
    tally = next(iter(case.game.declared.tallies), None)
    against = case.strategies[:1] if case.seats > 1 else []
    goal = {"objective": f"most:{tally}"} if tally and case.seed % 2 else {}
    chance, seat = Random(case.seed), case.seed % max(1, case.seats)
    envs = guarded(CHECK, lambda: vector(case.game, against, seat=seat, num_envs=LANES, **goal))
    alone = [guarded(CHECK, lambda: gym(case.game, against, seat=seat, **goal)) for _ in range(LANES)]
    if isinstance(envs, Exception) or isinstance(alone[0], Exception):
        return
    singles = [_of(lambda env=env, n=n: env.reset(seed=1, options={"game": n})) for n, env in enumerate(alone)]
    batch, playing = _of(lambda: envs.reset(seed=1)), list(range(LANES))
    for _ in range(STEPS):
        if isinstance(batch, PlayError):  # rules go wrong, or need numbers of more than 64 bits
            return
        if wrong := next((single for single in singles if isinstance(single, PlayError)), None):
            raise Mismatch(CHECK, f"goes on where {wrong}")
        seen, mask = batch[0], batch[-1]["action_mask"]
        for lane, single in enumerate(singles):
            _must_be("observation", seen[lane].tolist(), single[0].tolist())
            _must_be("mask", mask[lane].tolist(), single[1]["action_mask"].tolist())
        done[CHECK] += 1
        actions = np.array([chance.choice(row.nonzero()[0].tolist() or [0]) for row in mask])
        if chance.random() < 0.2:
            actions = np.array([chance.randrange(len(envs.moves)) for _ in range(LANES)])
        batch = _of(lambda actions=actions: envs.step(actions))
        for lane, env in enumerate(alone):
            stepped = _of(lambda env=env, action=int(actions[lane]): env.step(action))
            singles[lane] = stepped if isinstance(stepped, PlayError) else (stepped[0], stepped[-1])
            if isinstance(stepped, PlayError) or isinstance(batch, PlayError):
                continue
            _must_be("reward and end", (batch[1][lane], batch[2][lane]), (stepped[1], stepped[2]))
            if stepped[2]:
                last = batch[-1]["final_info"]["tallies"]
                _must_be("tallies", {key: last[key][lane] for key in stepped[-1]["tallies"]}, stepped[-1]["tallies"])
                playing[lane] += LANES
                singles[lane] = _of(lambda env=env, n=playing[lane]: env.reset(options={"game": n}))


def _of(work: Any) -> Any:
    """What a call returns, or its `PlayError`."""
    try:
        return work()
    except PlayError as error:
        return error


def _must_be(what: str, found: object, truth: object) -> None:
    if found != truth:
        raise Mismatch(CHECK, f"{what} {found} instead of {truth}")
