"""Answers the same questions for Pig, beside what is published: writes ``docs/answers-pig.md`` and its picture.

Run as ``.venv/bin/python answers/pig.py``.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import dicelab
from dicelab.engines.policy import Policy
from dicelab.questions.race import Race
from dicelab.rules import strategy
from duels import Duel, against, all_against, best_replies
from laws import balanced, circles, equilibria, runs, spans
from pages import PICTURES, ROOT, bound, chance, must_agree, points, table, write
from pictures import Numbers, boundary, gains, never

GAME = str(ROOT / "examples" / "pig.py")
ALONE = str(ROOT / "verification" / "pig_alone.py")
TARGET = 100
ROLL, HOLD = 0, 1
HELD = range(15, 36)
"""Thresholds that play against optimal play."""
IN_TABLE = (15, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 35)
"""Those of them that are rows of the table."""
LEAVES = 4
REPLIED = (15, 20, 25, 30)
SLICES = (0, 50, 80)


def main() -> None:
    """Solve, ask, check, draw, write."""
    PICTURES.mkdir(exist_ok=True)
    best = dicelab.solve(GAME)
    policy = best.policy
    assert policy is not None
    must_agree(
        "the program for Pig alone", runpy.run_path(str(ROOT / "benchmarks" / "by_hand.py"))["pig"](), best.value, 2e-9
    )
    laws = dicelab.race(ALONE, [f"hold_at:{n}" for n in range(1, TARGET + 1)])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "best.npz"
        policy.save(path)
        itself = dicelab.exact(GAME, [f"policy:{path}"])
        must_agree("optimal play against itself", itself.outcomes["0"].probability, best.value, 1e-9)
        duel = all_against(GAME, f"policy:{path}", [f"hold_at:{n}" for n in HELD])
    values = {
        "first": chance(best.value, 9),
        "second": chance(1 - best.value, 9),
        "error": bound(best.error),
        "states": f"{best.states:,}",
        "seconds": f"{best.seconds:.0f}",
        "turns": f"{itself.tallies['turns'].mean:.2f}",
    }
    write("pig", values | duels(duel) | thresholds(laws) | shape(policy) | in_short(policy) | keep_pace())


def keep_pace() -> dict[str, str]:
    """Neller and Presser's rule for people, against optimal play."""
    pig: Any = dicelab.find(GAME)

    @strategy(pig)
    def end_race_or_keep_pace(game: Any) -> int:
        """Roll if somebody is near the goal, else hold at 21 or more if behind, less if ahead."""
        mine, theirs = game.scores[game.player], game.scores[1 - game.player]
        if max(mine, theirs) >= 71:
            return HOLD if mine + game.points >= game.target else ROLL
        return HOLD if 8 * game.points >= 168 + theirs - mine - 4 or mine + game.points >= game.target else ROLL

    with TemporaryDirectory() as folder:
        path = Path(folder) / "best.npz"
        best = dicelab.solve(pig).policy
        assert best is not None
        best.save(path)
        duel = against(pig, f"policy:{path}", "end_race_or_keep_pace")
    return {
        "pace_seats": f"{chance(duel.first)} and {chance(duel.second)}",
        "pace_short": points(0.5 - duel.balanced),
    }


def in_short(policy: Policy) -> dict[str, str]:
    """Return the best short rule found."""
    found = dicelab.rule(policy, LEAVES)
    return {
        "rule": "\n".join(found.lines),
        "rule_leaves": str(LEAVES),
        "rule_short": points(found.loss),
        "rule_seats": " and ".join(chance(s.rule) for s in found.seats),
    }


def duels(duel: dict[str, Duel]) -> dict[str, str]:
    """Compare holding at a threshold against optimal play, and the best response to some."""
    reply = best_replies(GAME, [f"hold_at:{n}" for n in REPLIED])
    best = max(duel, key=lambda name: duel[name].balanced)
    rows = []
    for name in (f"hold_at:{n}" for n in IN_TABLE):
        one = duel[name]
        row = [
            f"**{name}**" if name == best else name,
            chance(one.first),
            chance(one.second),
            points(0.5 - one.balanced),
        ]
        answer = reply.get(name)
        cells = [chance(answer.first), chance(answer.second), points(answer.balanced - 0.5)] if answer else ["", "", ""]
        rows.append([*row, *cells])
    if best != "hold_at:25" or round(reply["hold_at:20"].first, 4) != 0.5874:
        raise SystemExit("the page compares with published numbers, and these have changed")
    header = ["rule", "first", "second", "short by", "best response, first", "second", "ahead by"]
    difference = {n: points(1 - 2 * duel[f"hold_at:{n}"].balanced) for n in (20, 25)}
    return {
        "duels": table(header, rows),
        "duels_error": bound(max(one.error for one in [*duel.values(), *reply.values()])),
        "held": f"{min(HELD)} to {max(HELD)}",
        "best": best,
        "best_short": points(0.5 - duel[best].balanced),
        "twenty_first": chance(duel["hold_at:20"].first),
        "twenty_second": chance(duel["hold_at:20"].second),
        "reply_first": chance(reply["hold_at:20"].first),
        "reply_second": chance(1 - reply["hold_at:20"].second),
        "difference_20": difference[20],
        "difference_25": difference[25],
    }


def thresholds(laws: Race) -> dict[str, str]:
    """Thresholds against each other."""
    wins = laws.first_wins
    for first, second in ((20, 25), (25, 20)):
        found = dicelab.exact(GAME, [f"hold_at:{first}", f"hold_at:{second}"]).outcomes["0"].probability
        must_agree(f"hold_at:{first} and hold_at:{second}", found, wins[first - 1, second - 1], 1e-10)
    places = [(f"({first + 1}, {second + 1})", chance(wins[first, second])) for first, second in equilibria(wins)]
    mean = balanced(wins)
    order = [int(n) for n in np.argsort(-(mean > 0.5 + 1e-10).sum(axis=1), kind="stable")]
    count, circle = circles(mean - 0.5)
    trio = [f"`{laws.names[k]}`" for k in circle.members] if circle else []
    strongest = f"; the strongest is {trio[0]} over {trio[1]} over {trio[2]} over {trio[0]}" if circle else ""
    margins = f", by {', '.join(points(m, 3) for m in circle.margins)} games in 100" if circle else ""
    return {
        "equilibria": "; ".join(f"{place}, worth {value} to the player who moves first" for place, value in places)
        or "none",
        "replies": replies(wins),
        "order": ", ".join(str(n + 1) for n in order[:8]),
        "circles": f"{count:,}{strongest}{margins}" if count else "none",
        "laws_error": bound(laws.error),
        "twenty": chance(wins[19, 19]),
        "twenty_ahead": points(2 * float(wins[19, 19]) - 1),
    }


def replies(wins: Numbers) -> str:
    """Return the best response to each threshold, as a table."""
    rows = []
    for seat, best in (("first", wins.argmax(axis=0).tolist()), ("second", wins.argmin(axis=1).tolist())):
        for low, high, value in runs(best):
            rows.append([seat, str(low + 1) if low == high else f"{low + 1} to {high + 1}", str(value + 1)])
    return table(["moves", "against", "best threshold"], rows)


def shape(policy: Policy) -> dict[str, str]:
    """Return where to hold: a picture and a table."""
    slices = {theirs: gains(policy, theirs, TARGET, HOLD) for theirs in SLICES}
    boundary(PICTURES / "pig-hold.svg", slices, "hold")
    rows = []
    for mine in (0, 20, 40, 60, 70, 80):
        cells = [np.flatnonzero((gain[mine] >= 0) & np.isfinite(gain[mine])) for gain in slices.values()]
        rows.append([str(mine), *(spans(cell.tolist()) or "only to win" for cell in cells)])
    odd = gains(policy, 49, TARGET, HOLD)[41]
    theirs, mine = never(policy, TARGET, HOLD)
    return {
        "hold_at": table(["my score", *(f"opponent has {score}" for score in SLICES)], rows),
        "odd": spans(np.flatnonzero((odd >= 0) & np.isfinite(odd)).tolist()),
        "odd_cost": chance(float(-odd[27]), 5),
        "never_theirs": str(theirs),
        "never_mine": str(mine),
    }


if __name__ == "__main__":
    main()
