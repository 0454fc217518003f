"""Steps per second of the environments for learners, on one core: one game alone, and many at once.

A step is one choice of the learner, in Toss Up! against ``bank_over:20``; the learner banks above 20 points, and making
that choice is part of the time. That all environments play the same games is tested in
tests/conformance/test_environments.py.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from report import number, ratio
from timing import Contender, best, enough

ID, LANES = "dicelab/TossUp-v0", (1, 64, 4096)


def alone() -> Contender:
    import gymnasium

    env = gymnasium.make(ID, disable_env_checker=True)
    points = env.unwrapped.names.index("points")

    def play(steps: int) -> tuple[float, float]:
        seen, _ = env.reset(seed=1)
        began, rewards = perf_counter(), 0.0
        for _ in range(steps):
            seen, reward, over, _, _ = env.step(int(seen[points] > 20))
            rewards += reward
            if over:
                seen, _ = env.reset()
        return perf_counter() - began, rewards

    return play


def together(lanes: int, mode: str) -> Contender:
    import gymnasium

    envs = gymnasium.make_vec(ID, num_envs=lanes, vectorization_mode=mode)
    points = gymnasium.make(ID).unwrapped.names.index("points")

    def play(steps: int) -> tuple[float, float]:
        seen, _ = envs.reset(seed=1)
        began, rewards = perf_counter(), 0.0
        for _ in range(max(1, steps // lanes)):
            seen, reward, *_ = envs.step((seen[:, points] > 20).astype(np.int64))
            rewards += reward.sum()
        return perf_counter() - began, rewards

    return play


def steps() -> list[list[str]]:
    """Steps per second of each environment."""
    import dicelab.learning

    dicelab.learning.register()
    playing = {"`gymnasium.make`, one game": alone(), "`SyncVectorEnv`, 64 games": together(64, "sync")}
    playing |= {f"`gymnasium.make_vec`, {n:,} game{'s' * (n > 1)}": together(n, "vector_entry_point") for n in LANES}
    counts = {name: max(20 * LANES[-1] if "4,096" in name else 1000, enough(play)) for name, play in playing.items()}
    found = best(playing, counts)
    single = next(iter(found.values()))
    rows = [[name, number(rate), ratio(rate, single)] for name, rate in found.items()]
    return [["environment", "steps per second, one core", "times as fast as one game"], *rows]
