"""Seconds for exact answers, without start-up and compilation; best of three.

Beside LCR with four players stands what one would write by hand: a dictionary of positions and scipy's sparse solver,
in the same run.
"""

from __future__ import annotations

from itertools import product
from time import perf_counter

import numpy as np
from report import seconds
from scipy.sparse import coo_matrix, eye_array
from scipy.sparse.linalg import spsolve

import dicelab

TARGETS = [
    ("LCR, 3 players, in fractions", "lcr", (), {"players": 3, "fractions": True}, 0.2),
    ("LCR, 4 players", "lcr", (), {"players": 4, "fractions": False}, None),
    ("LCR, 5 players", "lcr", (), {"players": 5}, 0.5),
    ("LCR, 6 players", "lcr", (), {"players": 6}, 4.0),
    ("Toss Up!, >20 against >50", "tossup", ("bank_over:20", "bank_over:50"), {}, 1.0),
]


def by_hand(players: int) -> list[float]:
    """Chance of each seat in LCR with three coins and dice, as a person would write it: turns without dice skipped."""
    start = ((3,) * players, 0)
    numbers, queue, edges = {start: 0}, [start], []
    ends: dict[tuple[int, int], float] = {}
    for coins, mover in queue:
        here = numbers[coins, mover]
        for faces in product("LCR...", repeat=min(3, coins[mover])):
            after = list(coins)
            for face in faces:
                if face != ".":
                    after[mover] -= 1
                if face == "L":
                    after[mover - 1] += 1
                if face == "R":
                    after[(mover + 1) % players] += 1
            chance = 6.0 ** -len(faces)
            owners = [seat for seat in range(players) if after[seat]]
            if len(owners) == 1:
                ends[here, owners[0]] = ends.get((here, owners[0]), 0.0) + chance
                continue
            following = (mover + 1) % players
            while not after[following]:
                following = (following + 1) % players
            state = (tuple(after), following)
            if state not in numbers:
                numbers[state] = len(queue)
                queue.append(state)
            edges.append((here, numbers[state], chance))
    source, target, chance = zip(*edges, strict=True)
    moves = coo_matrix((chance, (source, target)), shape=(len(queue), len(queue))).tocsr()
    visits = spsolve((eye_array(len(queue)) - moves.T).tocsc(), np.eye(1, len(queue)).ravel())
    return [sum(visits[s] * p for (s, seat), p in ends.items() if seat == k) for k in range(players)]


def seconds_for_answers() -> list[list[str]]:
    rows = [["exact answers, two cores", "states", "seconds", "aim"]]
    began = perf_counter()
    chances = by_hand(4)
    hand = perf_counter() - began
    for title, game, strategies, settings, at_most in TARGETS:
        found = [dicelab.exact(game, strategies, **settings) for _ in range(3)]
        took = min(result.seconds for result in found)
        rows.append([title, f"{found[0].states:,}", seconds(took), "" if at_most is None else f"{at_most}"])
        if title == "LCR, 4 players":
            ours = [chance.probability for chance in found[0].outcomes.values()]
            assert np.allclose(ours, chances, atol=1e-9)
            rows.append(["the same by hand, dictionary and scipy", "", seconds(hand), ""])
    return rows
