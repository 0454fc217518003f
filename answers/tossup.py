"""Answers the open questions of text 3, Toss Up!: writes ``docs/answers-tossup.md`` and its pictures.

Run as ``.venv/bin/python answers/tossup.py``.
"""

from __future__ import annotations

import runpy
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import dicelab
from dicelab.engines.policy import Policy
from dicelab.questions.policies.advice import advice
from dicelab.questions.race import Race
from duels import Duel, all_against, best_replies
from laws import balanced, both_seats, circles, equilibria, runs, spans
from pages import PICTURES, ROOT, bound, chance, must_agree, points, table, write
from pictures import boundary, follow, gains, growth, never
from tossup_alone import TossUpAlone

GAME = "tossup"
TARGET = 100
BANK = 1
MOST = 100
"""The largest threshold: a turn with more points than this wins by itself."""
FAMILIES = ("bank_over", "bank_over_or_win")
COARSE = [*range(5, 61, 5)]
FINE = sorted({*COARSE, *range(22, 29), *range(33, 38)})
SHOWN = [10, 15, 20, 24, 25, 30, 35, 40]
SLICES = (0, 50, 90)
EXAMPLES = ((45, 60, 12), (45, 60, 20), (45, 60, 29), (50, 90, 29), (90, 50, 5))
"""My score, the opponent's, and points on the table."""
UNPROVED = " A star: no error bound was found; the response wins this much (its chain agrees), but may not be the best."
TABLES = ((2, 10), (2, 20), (2, 30), (2, 40), (3, 10), (3, 20), (3, 30), (3, 40), (4, 10), (4, 15), (5, 10), (6, 7))
"""Players and targets for which optimal play of all is solved; beyond these there are too many states."""
LEAVES = 4
GAMES, FOLLOWED, ROUNDS = 300_000, 2000, 15


def main() -> None:
    """Solve, ask, check, draw, write."""
    PICTURES.mkdir(exist_ok=True)
    best = dicelab.solve(GAME)
    policy = best.policy
    assert policy is not None
    laws = dicelab.race(TossUpAlone, ["one_roll", *(f"{family}:{x}" for family in FAMILIES for x in range(MOST + 1))])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "best.npz"
        policy.save(path)
        values = optimum(best, f"policy:{path}") | duels(f"policy:{path}", laws)
        draw_growth(f"policy:{path}")
    values |= thresholds(laws) | rounds_of_three(laws) | seats(laws, best.value) | shape(policy)
    values |= more_players() | in_short(policy)
    write("tossup", values)


# Optimal play, and simple rules against it --------------------------------------------------------------------------


def optimum(best: Any, player: str) -> dict[str, str]:
    """Return the value of the game, checked by two other computations."""
    itself = dicelab.exact(GAME, [player])
    must_agree("optimal play against itself", itself.outcomes["0"].probability, best.value, 1e-9)
    must_agree("the program for Toss Up! alone", by_hand()["toss_up"](error=1e-12), best.value, 1e-9)
    return {
        "first": chance(best.value, 9),
        "second": chance(1 - best.value, 9),
        "error": bound(best.error),
        "states": f"{best.states:,}",
        "choices": f"{best.choices:,}",
        "seconds": f"{best.seconds:.0f}",
        "turns": f"{itself.tallies['turns'].mean:.2f}",
        "lost": f"{itself.tallies['busts'].mean:.2f}",
    }


def by_hand() -> dict[str, Any]:
    """Return the functions of the program that was written for this game alone."""
    return runpy.run_path(str(ROOT / "benchmarks" / "by_hand.py"))


def duels(player: str, laws: Race) -> dict[str, str]:
    """Compare simple rules against optimal play, and the best response to each."""
    strategies = [f"{family}:{x}" for family in FAMILIES for x in FINE]
    duel = all_against(GAME, player, ["one_roll", *strategies])
    best = {family: max((s for s in strategies if s.startswith(f"{family}:")), key=short(duel)) for family in FAMILIES}
    rows = ["one_roll", *(s for s in strategies if int(s.split(":")[1]) in COARSE or s in best.values())]
    reply = best_replies(GAME, rows)
    itself = laws.first_wins
    for s in rows:
        k = laws.names.index(s)
        if not (reply[s].first >= itself[k, k] and reply[s].balanced >= 1 - duel[s].balanced - 1e-9):
            raise SystemExit(f"the best response to {s} is not the best")
    table_rows = [[f"**{s}**" if s in best.values() else s, *duel_row(duel[s], reply[s])] for s in rows]
    header = ["rule", "first", "second", "short by", "best response, first", "second", "ahead by"]
    winner = max(best.values(), key=short(duel))
    return {
        "duels": table(header, table_rows),
        "duels_error": bound(max(d.error for d in [*duel.values(), *reply.values()] if isfinite(d.error))),
        "unproved": UNPROVED if any(not isfinite(one.error) for one in reply.values()) else "",
        "best_over": best["bank_over"],
        "best_over_short": points(0.5 - duel[best["bank_over"]].balanced),
        "best_win": best["bank_over_or_win"],
        "best_win_short": points(0.5 - duel[best["bank_over_or_win"]].balanced),
        "best_win_first": chance(duel[winner].first),
        "best_win_second": chance(duel[winner].second),
        "reply_20": points(reply["bank_over:20"].balanced - 0.5),
        "reply_50": points(reply["bank_over:50"].balanced - 0.5),
        "reply_best_over": points(reply[best["bank_over"]].balanced - 0.5),
        "reply_best_win": points(reply[best["bank_over_or_win"]].balanced - 0.5),
        "fine": spans(FINE),
    }


def short(duel: Mapping[str, Duel]) -> Any:
    """Return the key that orders strategies by their mean over both seats."""
    return lambda strategy: duel[strategy].balanced


def duel_row(duel: Duel, reply: Duel) -> list[str]:
    """Return the row of one rule in the table."""
    own = [chance(duel.first), chance(duel.second), points(0.5 - duel.balanced)]
    mark = "" if isfinite(reply.error) else " *"
    return [*own, chance(reply.first) + mark, chance(reply.second) + mark, points(reply.balanced - 0.5)]


def in_short(policy: Policy) -> dict[str, str]:
    """Return the best short rule found."""
    found = dicelab.rule(policy, LEAVES)
    return {
        "rule": "\n".join(found.lines),
        "rule_leaves": str(LEAVES),
        "rule_short": points(found.loss),
        "rule_worst": points(0.5 - sum(s.worst or 0.0 for s in found.seats) / 2),
        "rule_seats": " and ".join(chance(s.rule) for s in found.seats),
    }


# Thresholds against each other ----------------------------------------------------------------------------------------


def family(laws: Race, name: str) -> slice:
    """Return the indices of a family's strategies."""
    start = laws.names.index(f"{name}:0")
    return slice(start, start + MOST + 1)


def thresholds(laws: Race) -> dict[str, str]:
    """Return all thresholds against each other."""
    values: dict[str, str] = {}
    for key, name in zip(("over", "win"), FAMILIES, strict=True):
        wins = laws.first_wins[family(laws, name), family(laws, name)]
        found = equilibria(wins)
        if len(found) != 1:
            raise SystemExit(f"the page says that {name} has one equilibrium; it has {found}")
        first, second = found[0]
        values |= {
            f"{key}_first": str(first),
            f"{key}_second": str(second),
            f"{key}_value": chance(wins[first, second]),
        }
        values[f"{key}_replies"] = replies(wins)
    wins = laws.first_wins[family(laws, "bank_over"), family(laws, "bank_over")]
    apart = float(np.abs(wins - by_hand()["thresholds"]()).max())
    must_agree("thresholds, and the program for Toss Up! alone", apart, 0.0, 1e-11)
    rows = [[str(x), *(chance(wins[x, y], 4) for y in SHOWN)] for x in SHOWN]
    mean = balanced(wins)
    order = [int(x) for x in np.argsort(-(mean > 0.5).sum(axis=1))]
    first = order[0]
    return values | {
        "laws": str(len(laws.names)),
        "laws_error": bound(laws.error),
        "apart": bound(apart),
        "matrix": table(["first \\ second", *map(str, SHOWN)], rows),
        "top": ", ".join(map(str, order[:10])),
        "x29": chance(mean[29, first], 3),
        "best_20": chance(mean[first, 20]),
        "best_nearest": chance(float(np.sort(mean[first])[1])),
        "nearest": str(order[int(np.argmin([mean[first, y] for y in order[1:]])) + 1]),
    }


def replies(wins: Any) -> str:
    """Return the best response to each threshold, as a table."""
    first, second = wins.argmax(axis=0).tolist(), wins.argmin(axis=1).tolist()
    rows = []
    for seat, best in (("first", first), ("second", second)):
        for low, high, value in runs(best):
            rows.append([seat, str(low) if low == high else f"{low} to {high}", str(value)])
    return table(["moves", "against", "best threshold"], rows)


def rounds_of_three(laws: Race) -> dict[str, str]:
    """Cycles of three, among thresholds and among both families."""
    wins, over, win = laws.first_wins, family(laws, "bank_over"), family(laws, "bank_over_or_win")
    none, (one, inner), (count, outer) = (circles(balanced(wins[f, f]) - 0.5) for f in (over, win, slice(None)))
    if none[0] or one != 1 or circles(both_seats(wins))[0] or inner is None or outer is None:
        raise SystemExit("cycles of three are not as the page says")
    trios = [[laws.names[win][k] for k in inner.members], [laws.names[k] for k in outer.members]]
    pairs = [(trio[k], trio[(k + 1) % 3]) for trio in trios for k in range(3)]
    checked = [*pairs, *((other, first) for first, other in pairs), ("bank_over:24", "bank_over:24")]
    for first, other in checked:
        found = dicelab.exact(GAME, [first, other]).outcomes["0"].probability
        must_agree(f"{first} and {other}", found, wins[laws.names.index(first), laws.names.index(other)], 1e-10)
    header = ["pair", "moving first", "moving second", "mean", "ahead by"]
    rows = [circle_row(laws, *pair, wins) for pair in pairs]
    return {
        "circles": str(count),
        "inner": beaten(trios[0]),
        "inner_table": table(header, rows[:3]),
        "outer": beaten(trios[1]),
        "outer_table": table(header, rows[3:]),
        "outer_least": points(min(outer.margins)),
        "checked": str(len(checked)),
    }


def beaten(trio: Sequence[str]) -> str:
    """Return a cycle in words."""
    a, b, c = (f"`{name}`" for name in trio)
    return f"{a} beats {b}, {b} beats {c}, and {c} beats {a}"


def circle_row(laws: Race, one: str, other: str, wins: Any) -> list[str]:
    """Return how one strategy fares against another."""
    i, j = laws.names.index(one), laws.names.index(other)
    mean = (wins[i, j] + 1 - wins[j, i]) / 2
    return [f"{one} against {other}", chance(wins[i, j]), chance(1 - wins[j, i]), chance(mean), points(mean - 0.5)]


# First-move advantage -------------------------------------------------------------------------------------------------


def seats(laws: Race, value: float) -> dict[str, str]:
    """Return the first mover's advantage: two players, and three to six."""
    rules = ["one_roll", "bank_over:10", "bank_over:20", "bank_over:24", "bank_over:50", "bank_over_or_win:35"]
    wins = laws.first_wins.diagonal()
    both = [[rule, chance(wins[laws.names.index(rule)])] for rule in rules] + [["optimal play", chance(value)]]
    two = [[name, first, points(2 * float(first) - 1)] for name, first in both]
    rows, largest = [], 0.0
    for rule in ("one_roll", "bank_over:24", "bank_over:50", "bank_over_or_win:35"):
        for players in range(3, 7):
            row, z = crowd(laws, rule, players)
            rows.append(row)
            largest = max(largest, z)
    return {
        "two_least": f"{min(float(row[2]) for row in two):.0f}",
        "two_most": f"{max(float(row[2]) for row in two):.0f}",
        "two": table(["both play", "first wins", "ahead by"], two),
        "crowd": table(["all play", "players", "equal share", "first seat", "simulated, 95 %", "last seat"], rows),
        "followed": f"{FOLLOWED:,}",
        "crowd_games": f"{GAMES:,}",
        "crowd_z": f"{largest:.1f}",
    }


def more_players() -> dict[str, str]:
    """Optimal play with more players, as far as it can be solved."""
    rows, gain = [], 0.0
    for players, target in TABLES:
        best = dicelab.solve(GAME, players=players, target=target)
        if best.chasing:
            raise SystemExit(f"{players} players to {target}: best responses cycle; say so on the page")
        chances = [chance(p.probability, 6) for p in best.outcomes.values()]
        rows.append([str(players), str(target), chance(1 / players, 4), ", ".join(chances), f"{best.states:,}"])
        gain = max(gain, best.error)
    header = ["players", "target", "equal share", "chance of each seat", "states"]
    return {"crowd_best": table(header, rows), "crowd_gain": bound(gain)}


def crowd(laws: Race, rule: str, players: int) -> tuple[list[str], float]:
    """More players at one table, exactly and simulated; and how far apart, in standard errors, over all seats."""
    exact = laws.seats(rule, players)
    found = dicelab.simulate(GAME, rule, players=players, games=GAMES, seed=players).outcomes
    simulated = [found[str(seat)].probability for seat in range(players)]
    z = max(abs(s - e) / (e * (1 - e) / GAMES) ** 0.5 for s, e in zip(simulated, exact, strict=True))
    if z > 5:
        raise SystemExit(f"{rule} with {players} players: simulated {simulated}, exact {exact}")
    low, high = found["0"].interval
    span = f"{low:.4f} .. {high:.4f}"
    return [rule, str(players), chance(1 / players, 4), chance(exact[0]), span, chance(exact[-1])], z


# The shape of optimal play, and of games ------------------------------------------------------------------------------


def shape(policy: Policy) -> dict[str, str]:
    """Return where to bank: a picture, a table and examples."""
    slices = {theirs: gains(policy, theirs, TARGET, BANK) for theirs in SLICES}
    boundary(PICTURES / "tossup-bank.svg", slices, "bank")
    rows = []
    for mine in (0, 20, 40, 60, 80):
        cells = [np.flatnonzero((gain[mine] >= 0) & np.isfinite(gain[mine])) for gain in slices.values()]
        rows.append([str(mine), *(spans(cell.tolist()) or "only to win" for cell in cells)])
    examples = "\n".join(f"* {example(policy, *one)}" for one in EXAMPLES)
    theirs, mine = never(policy, TARGET, BANK)
    header = ["my score", *(f"opponent has {score}" for score in SLICES)]
    return {"bank_at": table(header, rows), "examples": examples, "never_theirs": str(theirs), "never_mine": str(mine)}


def example(policy: Policy, mine: int, theirs: int, here: int) -> str:
    """Return the best move in one state, in words."""
    (row,) = advice(policy, player=0, scores=(mine, theirs), points=here).rows
    (other,) = (move for move in row.options if move != row.best)
    dice = 10 - here % 10
    value, cost = row.options[row.best][0], row.options[other][1]
    return (
        f"{mine} to {theirs}, {here} points on the table, {dice} {'die' if dice == 1 else 'dice'} left: "
        f"**{row.best}**, value {chance(value, 4)}; {other}ing costs {chance(cost, 4)}."
    )


def draw_growth(player: str) -> None:
    """Scores as games go on."""
    settings: dict[str, Sequence[str]] = {
        "bank_over:20 first, bank_over:50 second": ["bank_over:20", "bank_over:50"],
        "optimal play against itself": [player, player],
    }
    followed = {title: follow(GAME, pair, FOLLOWED, ROUNDS, seed=1) for title, pair in settings.items()}
    growth(PICTURES / "tossup-scores.svg", followed, [["bank_over:20", "bank_over:50"], ["first", "second"]])


if __name__ == "__main__":
    main()
