"""The same rules in two ways, as people write them and with loops: what ordinary Python costs where it is compiled.

Each pair is the body of a rule that is called a hundred times in a game, on five dice in a row `dice`, and what it
returns is counted. Both must count the same.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from dicelab.engines.compiled import Compiled
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.lineup import Run

GAME = '''
from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Tally, throw, thrown

WORTH = {1: 100, 5: 50}


class Sample(Game):
    """A hundred rolls of five dice."""

    dice = Ints(5, 1, 6, start=1)
    left = Int(0, 100, start=100)
    total = Tally("what the rule returns")

    def next(self):
        return throw(self.cup) if self.left > 0 else OVER

    def rule(self):
        BODY

    @thrown(5, D6, FACES)
    def cup(self, *faces):
        for i in range(5):
            self.dice[i] = faces[i]
        self.left -= 1
        self.total += self.rule()
'''

PAIRS = {
    "any": (
        "return any(face == 6 for face in self.dice)",
        "for face in self.dice:\n    if face == 6:\n        return True\nreturn False",
    ),
    "all": (
        "return all(face > 1 for face in self.dice)",
        "for face in self.dice:\n    if face <= 1:\n        return False\nreturn True",
    ),
    "sum with a condition": (
        "return sum(face for face in self.dice if face > 2)",
        "total = 0\nfor face in self.dice:\n    if face > 2:\n        total += face\nreturn total",
    ),
    "a list of some": (
        "high = [face for face in self.dice if face > 3]\nreturn len(high) + sum(high)",
        "many = 0\ntotal = 0\nfor face in self.dice:\n    if face > 3:\n        many += 1\n        total += face\n"
        "return many + total",
    ),
    "sum of a slice": (
        "return sum(self.dice[1:4])",
        "total = 0\nfor i in range(1, 4):\n    total += self.dice[i]\nreturn total",
    ),
    "max with a key": (
        "return max(range(5), key=lambda i: self.dice[i])",
        "best = 0\nfor i in range(1, 5):\n    if self.dice[i] > self.dice[best]:\n        best = i\nreturn best",
    ),
    "sorted": (
        "return sorted(self.dice)[2]",
        "for face in self.dice:\n    less = 0\n    same = 0\n    for other in self.dice:\n"
        "        less += other < face\n        same += other == face\n"
        "    if less <= 2 < less + same:\n        return face\nreturn 0",
    ),
    "how often each": (
        "counts = [0] * 7\nfor face in self.dice:\n    counts[face] += 1\nreturn max(counts)",
        "most = 0\nfor face in range(1, 7):\n    same = 0\n    for other in self.dice:\n        same += other == face\n"
        "    most = max(most, same)\nreturn most",
    ),
    "a dict of the file": (
        "return sum(WORTH.get(face, 0) for face in self.dice)",
        "total = 0\nfor face in self.dice:\n    total += 100 if face == 1 else 50 if face == 5 else 0\nreturn total",
    ),
    "how many different": (
        "return len(set(self.dice))",
        "many = 0\nfor face in range(1, 7):\n    found = 0\n    for other in self.dice:\n"
        "        if other == face:\n            found = 1\n    many += found\nreturn many",
    ),
    "every two": (
        "return sum(a + b == 7 for a, b in zip(self.dice, self.dice[1:]))",
        "many = 0\nfor i in range(4):\n    many += self.dice[i] + self.dice[i + 1] == 7\nreturn many",
    ),
}
"""By name: a rule as people write it, and the same with loops."""


def player(folder: Path, name: str, body: str) -> Compiled:
    """The compiled engine for a game with this rule."""
    file = folder / f"{name}.py"
    file.write_text(GAME.replace("BODY", body.replace("\n", "\n        ")))
    run = Run.of(find_in_file(file, "sample"))
    return Compiled(run.game, run.calls)


def rate(one: Compiled, games: int) -> float:
    """Games a second."""
    began = perf_counter()
    one.play(1, 0, games)
    return games / (perf_counter() - began)


def rows(games: int = 20_000, times: int = 5) -> list[tuple[str, float, float]]:
    """For each pair: its name, and games a second of both, the best of several times in turn."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, bodies) in enumerate(PAIRS.items()):
            both = [player(Path(folder), f"pair_{i}_{j}", body) for j, body in enumerate(bodies)]
            if both[0].play(1, 0, 200) != both[1].play(1, 0, 200):
                raise AssertionError(f"{name}: the two rules differ")
            best = [0.0, 0.0]
            for _ in range(times):
                best = [max(old, rate(one, games)) for old, one in zip(best, both, strict=True)]
            found.append((name, *best))
    return found


def natural() -> list[list[str]]:
    """A row for each pair, with the time of the first as a multiple of the second's."""
    head = ["rule", "as people write it, games a second", "with loops", "time, as a multiple"]
    return [head, *([name, f"{one:,.0f}", f"{loops:,.0f}", f"{loops / one:.2f}"] for name, one, loops in rows())]
