"""Games per second on a Dask cluster: processes on this machine, and what the cluster itself costs."""

from __future__ import annotations

from math import ceil
from time import perf_counter

from contenders import ours
from report import number
from timing import best, enough

from dicelab.extras.cluster.player import ClusterPlayer
from dicelab.extras.cluster.workers import Cluster
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Run

WORKERS = 1, 2, 4
WARM, MEASURED = 4.0, 8.0
"""Seconds for which all workers play: until ranges have grown, and while they are timed."""
MANY = 10**13


def cluster() -> list[list[str]]:
    """One thread of this process, and workers with one thread each."""
    runs = {"Hazard, main 7": Run.of("hazard"), "LCR, 6 players": Run.of("lcr", players=6)}
    contenders = {says: ours(run) for says, run in runs.items()}
    alone = best(contenders, {says: enough(play) for says, play in contenders.items()})
    head = ["one thread, no cluster", *(f"{n} worker{'s' if n > 1 else ''}" for n in WORKERS)]
    rows = [["games per second", *head, f"each of {WORKERS[-1]}", "lost between ranges", "10^13 games, 100 such cores"]]
    for says, run in runs.items():
        found = [on_workers(run, workers, alone[says]) for workers in WORKERS]
        each = found[-1][0] / WORKERS[-1]
        minutes = MANY / (100 * each) / 60
        long = f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.0f} hours"
        lost = f"below {ceil(100 * max(share for _, share in found))} %"
        speeds = [number(speed) for speed, _ in found]
        rows.append([says, number(alone[says]), *speeds, number(each), lost, long])
    return rows


def on_workers(run: Run, workers: int, rate: float) -> tuple[float, float]:
    """Games per second once ranges have grown, and the share of the workers' time between two ranges."""
    cluster = Cluster(f"local:{workers}")
    try:
        player = ClusterPlayer(run, 1, "auto", LIMIT, False, cluster)
        warm, all_games = (int(seconds * rate * workers) for seconds in (WARM, WARM + MEASURED))
        player.play(0, warm, lambda chunk: None)
        spent, waited, began = player.sizes.spent, player.sizes.waited, perf_counter()
        player.play(warm, all_games, lambda chunk: None)
        seconds = perf_counter() - began
        spent, waited = player.sizes.spent - spent, player.sizes.waited - waited
        return (all_games - warm) / seconds, waited / (spent + waited)
    finally:
        cluster.close()
