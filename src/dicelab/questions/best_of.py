"""Which of several strategies is best, in a sentence.

By itself because the sentence needs only the pairs, whatever was compared.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.results.numbers.estimates import Point
from dicelab.results.numbers.intervals import LEVEL, z_of
from dicelab.results.text.sentences import apart, number

Compared = tuple[str, str, float, float, Point]
"""Two strategies, the score of each, and the difference with its interval."""


def which_is_best(pairs: Sequence[Compared], on: str, shares: bool, exact: bool) -> str:
    """Return the strategy that is ahead of every other, as far as the intervals of the differences tell.

    Parameters
    ----------
    pairs
        All pairs; the interval of each difference holds by itself.
    on
        What was compared.
    shares, exact
        Whether scores are probabilities, and whether they are exact.

    Examples
    --------
    >>> pair = "hold_at:20", "hold_at:10", 0.62, 0.38, Point(0.24, 0.22, 0.26)
    >>> which_is_best([pair], "seat-balanced", shares=True, exact=False)
    'hold_at:20 is best: against hold_at:10 it wins 62.0 %, over all seats, and hold_at:10 38.0 %'
    """
    if not pairs:
        return "No pair of strategies was completed"
    names = list(dict.fromkeys(name for pair in pairs for name in pair[:2]))
    ahead: dict[str, list[tuple[str, float, float]]] = {name: [] for name in names}
    wider = 1.0 if exact else z_of(1 - (1 - LEVEL) / len(pairs)) / z_of()  # intervals that hold for all pairs together
    for first, second, one, two, gap in pairs:
        if gap.value - wider * (gap.value - gap.low) > 0:
            ahead[first].append((second, one, two))
        elif gap.value + wider * (gap.high - gap.value) < 0:
            ahead[second].append((first, two, one))
    most = max(names, key=lambda name: len(ahead[name]))
    beaten, others = ahead[most], len(names) - 1
    if not beaten:
        return "The strategies are equally good" if exact else "Too few games to tell which strategy is best"
    if len(beaten) < others:
        return f"{most} is ahead of {len(beaten)} of the other {others} strategies; it is not shown to beat the rest"
    other, mine, theirs = min(beaten, key=lambda row: abs(row[1] - row[2]))
    high, low = apart(mine, theirs) if shares else (number(mine), number(theirs))
    if on == "seat-balanced":
        return f"{most} is best: against {other} it wins {high}, over all seats, and {other} {low}"
    if on == "payoff" and not shares:
        return f"{most} is best: against {other} it gets {high} on average, over all seats, and {other} {low}"
    figure = f"{'chance' if shares else 'mean'} of {on.replace('_', ' ')}"
    return f"{most} has the largest {figure}: {high}, against {low} for {other}"
