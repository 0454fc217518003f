"""Headings, numbers and tables of results as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from dicelab.results.numbers.intervals import largest_by_chance
from dicelab.rules.objectives import wanted
from dicelab.rules.words import player_name

MANY_SCORES = 8
"""Number of z-scores from which a line about the largest one expected by chance is added."""


def many(count: int, thing: str) -> str:
    """Return a count with its noun, in the plural if needed.

    >>> many(1, "game"), many(1000, "game")
    ('1 game', '1,000 games')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def outcome_title(name: str, seats: bool, players: Sequence[str] = ()) -> str:
    """Return an outcome as the title of a column or a bar; if the outcomes are the winning seats, that player.

    >>> outcome_title("0", True), outcome_title("0", True, ("shooter",)), outcome_title("lose", False)
    ('player 1', 'shooter', 'lose')
    """
    return player_name(int(name), players) if seats else name


def outcome_text(name: str, seats: bool, players: Sequence[str] = ()) -> str:
    """Return an outcome in words, as the title of a row; `seats` says whether the outcomes are the winning seats.

    >>> outcome_text("0", True), outcome_text("lose", False)
    ('player 1 wins', 'lose')
    """
    return f"{outcome_title(name, seats, players)} wins" if seats else name


def objective_text(objective: str, seats: int, players: Sequence[str] = ()) -> str:
    """Return an objective, with the label of the player whose winning it is.

    >>> objective_text("avoid:1", 2), objective_text("0", 2, ("white", "black")), objective_text("most:busts", 2)
    ('avoid:player 2', 'white', 'most:busts')
    """
    aim = wanted(objective)
    if aim.kind not in ("outcome", "avoid") or not aim.name.isdecimal() or not int(aim.name) < seats > 1:
        return objective
    return objective.removesuffix(aim.name) + player_name(int(aim.name), players)


def seated_text(strategies: Sequence[str], players: Sequence[str] = ()) -> str:
    """Return the strategies of the seats in words; a single one without its player.

    >>> seated_text(["one_roll"]), seated_text(["one_roll", "bank_over:5"]), seated_text(["one_roll", "one_roll"])
    ('one_roll', 'player 1 one_roll, player 2 bank_over:5', 'one_roll for every player')
    """
    if len(strategies) == 1:
        return strategies[0]
    if len(set(strategies)) == 1:
        return f"{strategies[0]} for every player"
    return ", ".join(f"{player_name(seat, players)} {text}" for seat, text in enumerate(strategies))


def values_text(low: int, high: int) -> str:
    """Return the values from the first to the last as text, as the title of a row.

    >>> values_text(7, 7), values_text(1000, 1999)
    ('7', '1,000 .. 1,999')
    """
    return f"{low:,}" if low == high else f"{low:,} .. {high:,}"


def setting_text(value: object) -> str:
    """Return the value of a parameter as text.

    >>> setting_text(True), setting_text(100)
    ('yes', '100')
    """
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def probability_of(outcome: str, seats: bool, players: Sequence[str] = ()) -> str:
    """Return the probability of an outcome in words, whatever it is called; `seats`, `players` as in `outcome_text`.

    >>> probability_of("ruined", False), probability_of("0", True)
    ('probability of the outcome "ruined"', 'probability that player 1 wins')
    """
    return (
        f"probability that {outcome_text(outcome, True, players)}"
        if seats
        else f'probability of the outcome "{outcome}"'
    )


def chance_line(scores: int) -> list[str]:
    """Return the largest of many z-scores that is expected by chance, in one line; none for fewer than `MANY_SCORES`.

    >>> chance_line(12), chance_line(7)
    (['largest |z| expected by chance among 12: 2.0 (95 %: below 2.9)'], [])
    """
    if scores < MANY_SCORES:
        return []
    mean, most = largest_by_chance(scores)
    return [f"largest |z| expected by chance among {scores:,}: {mean:.1f} (95 %: below {most:.1f})"]


def places(error: float) -> int:
    """Return the reliable decimal places of a number with such an error, at most 10.

    >>> places(0.0), places(3e-9), places(20.0)
    (10, 8, 0)
    """
    return 10 if error < 1e-10 else max(0, min(10, floor(-log10(error)))) if error < 1 else 0


def upper(error: float) -> str:
    """Return a bound on an error, rounded up to one digit.

    >>> upper(1.3e-9), upper(9.6e-9)
    ('2e-09', '1e-08')
    """
    exponent = floor(log10(error)) if error > 0 else 0
    digit = ceil(error / 10.0**exponent)
    return f"{digit * 10.0**exponent:.0e}"


def fairness_line(measures: Mapping[str, float]) -> str:
    """Return the measures of `dicelab.results.numbers.estimates` in one line; the gap is in percentage points.

    >>> fairness_line({"gap": 0.058295, "total_variation": 0.031805, "ratio": 1.19})
    'fairness: best player 5.83 points ahead of worst, ratio 1.19, total variation 0.0318'
    """
    gap, distance, ratio = measures["gap"], measures["total_variation"], measures["ratio"]
    ahead = f"best player {100 * gap:.3g} points ahead of worst"
    return f"fairness: {ahead}, ratio {ratio:.4g}, total variation {distance:.3g}"


def exact_line(states: int, error: float | None, seconds: float) -> str:
    """Return how an exact answer was found; `error` bounds the errors in floating point, and is None for fractions.

    >>> exact_line(7, None, 0.01)
    'exact: 7 states, in fractions, 0.010 s'
    """
    how = "in fractions" if error is None else f"in floating point, error below {upper(error)}"
    return f"exact: {many(states, 'state')}, {how}, {seconds:.3f} s"


def without_empty(rows: list[list[str]]) -> list[list[str]]:
    """Return a table without columns that are empty below their title."""
    used = [any(row[i] for row in rows[1:]) for i in range(len(rows[0]))]
    return [[cell for cell, keep in zip(row, used, strict=True) if keep] for row in rows]


def aligned(rows: list[list[str]]) -> list[str]:
    r"""Return the rows of text as lines with aligned columns: the first to the left, the others to the right.

    >>> print("\n".join(aligned([["a", "b"], ["long", "10"]])))
    a      b
    long  10
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
