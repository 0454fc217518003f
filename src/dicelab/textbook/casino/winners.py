"""Winners and losers: the outcomes that a throw decides, and the settlement of bets on them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from dicelab.errors import ParameterError
from dicelab.textbook.casino.bets import Bet
from dicelab.textbook.casino.house import LOSE, WIN, Verdict, verdict
from dicelab.textbook.casino.outcomes import HasDice, Outcome

Outcomes = frozenset[Outcome]


def decided(names: Iterable[str], result: str, dice: tuple[int, int]) -> Outcomes:
    """The outcomes among the given names that have this result with a throw, with their odds.

    >>> sorted(str(outcome) for outcome in decided(["Field", "Horn"], WIN, (6, 6)))
    ['Field (2:1)', 'Horn (27:4)']
    """
    verdicts = [verdict(name, None, dice) for name in names]
    return frozenset(Outcome(v.name, v.odds) for v in verdicts if v.result == result)


def with_more(
    throw: str, won: Outcomes, lost: Outcomes, winners: Iterable[Outcome], losers: Iterable[Outcome]
) -> tuple[Outcomes, Outcomes]:
    """The outcomes that win and lose with a throw after more are added, which replace those of the same name.

    Raises
    ------
    ParameterError
        When an outcome both wins and loses.

    Examples
    --------
    >>> eleven, seven = Outcome("Number 11", 15), Outcome("Number 7", 4)
    >>> won, lost = with_more("6,5", frozenset(), frozenset([eleven]), [eleven], [seven])
    >>> [*map(str, won)], [*map(str, lost)]
    (['Number 11 (15:1)'], ['Number 7 (4:1)'])
    """
    more, less = frozenset(winners), frozenset(losers)
    if more & less:
        names = ", ".join(sorted(outcome.name for outcome in more & less))
        raise ParameterError(f"{names}: a bet can't both win and lose with {throw}; name it once")
    return more | (won - less), less | (lost - more)


def resolved(bet: Bet, throw: HasDice, winners: Outcomes, losers: Outcomes) -> bool:
    """Pay a bet if it is among the winners, collect it if it is among the losers; return whether it was either.

    >>> from dicelab.textbook.casino import throw_of
    >>> eleven = frozenset([Outcome("Number 11", 15)])
    >>> resolved(Bet(5, Outcome("Number 11", 15)), throw_of(6, 5), eleven, frozenset())
    True
    """
    for outcome in winners:
        if outcome == bet.outcome:
            return bet.settle(Verdict(WIN, outcome.winAmount(throw=throw), outcome.name))
    return bet.outcome in losers and bet.settle(Verdict(LOSE, Fraction(0), bet.outcome.name))
