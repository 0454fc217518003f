"""What each seat of a small game with hidden information could get, by plain Python that knows nothing of solvers.

Every history is followed from the rules; what a seat has seen is kept as a tuple, and a best response chooses once for
all histories in which it has seen the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dicelab.rules.actions import OVER, step_parts
from dicelab.rules.fields import Ints, applied
from dicelab.rules.game import Game, position, reset, seat_count, twin
from dicelab.runtime.philox import pool
from dicelab.solver.enumeration.model import all_outcomes, moves_at

Chances = Callable[[int, Game, tuple[Any, ...]], dict[tuple[int, ...], Fraction]]
"""The mixture of a seat in a state, given what the seat has seen."""
Payoff = Callable[[Game], Any]
"""What seat 0 of two opposed seats gets, or what each seat gets."""
Node = tuple[Fraction, Game, tuple[tuple[Any, ...], ...]]


def looks(game: Game, seat: int) -> tuple[Any, ...]:
    """What a seat sees of a state: open fields, and of private rows by seat its own number."""
    found: list[Any] = [game.next()]
    for name, field in game.declared.state.items():
        value: Any = position(game)[name]
        if not field.private:
            found.append((name, str(value)))
        elif isinstance(field, Ints) and field.by_seat:
            each = len(value) // seat_count(game)
            found.append((name, value[seat * each : (seat + 1) * each]))
    return tuple(map(str, found))


def after(game: Game, kind: Any, values: tuple[int, ...], seen: Any, mover: int) -> tuple[Game, Any]:
    """The game after a roll or a move, and what all have seen then."""
    later = twin(game)
    applied(kind.run, later, values)
    together = getattr(kind, "together", None)
    shown: Any = ()
    if together is not None and getattr(game, together.name) == len(seen) - 1:  # all have chosen, and show it
        shown = tuple((*game.__dict__[row][:-1], value) for row, value in zip(kind.rows, values, strict=True))
    return later, tuple(
        (*seen[seat], (str(shown), values if seat == mover else (), looks(later, seat))) for seat in range(len(seen))
    )


def worth(game: Game, payoff: Payoff, chances: Chances, responder: int = -1, of: int = 0) -> Fraction:
    """What a seat gets if all seats mix as `chances` says; what seat `responder` gets, if that responds best."""
    start = twin(game)
    reset(start)
    of = of if responder < 0 else responder

    def gets(ended: Game) -> Fraction:
        each = payoff(ended)
        return Fraction(each[of] if isinstance(each, tuple) else -each if of == 1 else each)

    return _worth([(Fraction(1), start, ((),) * seat_count(game))], gets, chances, responder)


def _worth(nodes: list[Node], payoff: Payoff, chances: Chances, responder: int) -> Fraction:
    """The sum, over histories with the probability of all but the responder's moves, of what it gets.

    Histories go on until the responder moves; then those in which it has seen the same are one decision.
    """
    total, waiting, mine = Fraction(0), list(nodes), defaultdict[tuple[Any, ...], list[Node]](list)
    while waiting:
        chance, game, seen = waiting.pop()
        step = game.next()
        if step == OVER:
            total += chance * payoff(game)
            continue
        rolls, index, number = step_parts(step)
        if rolls:
            kind: Any = game.declared.throws[index]
            every = all_outcomes(game, kind, pool(game, kind, number))
            whole = sum(one.weight for one in every)
            waiting += [(chance * Fraction(one.weight, whole), *after(game, kind, one.seen, seen, -1)) for one in every]
            continue
        if number == responder:
            mine[seen[number]].append((chance, game, seen))
            continue
        kind = game.declared.decisions[index]
        for move, p in chances(number, game, seen[number]).items():
            if p:
                waiting.append((chance * p, *after(game, kind, move, seen, number)))
    for group in mine.values():
        game = group[0][1]
        kind = game.declared.decisions[step_parts(game.next())[1]]
        moves = [move for move in moves_at(kind, game) if kind.allows(game, move)]
        total += max(
            _worth(
                [(chance, *after(one, kind, move, seen, responder)) for chance, one, seen in group],
                payoff,
                chances,
                responder,
            )
            for move in moves
        )
    return total


def of_policy(policy: Any) -> Chances:
    """The mixtures of a saved policy, which knows a situation by what the seat remembers and by what it sees."""
    made: dict[tuple[int, tuple[Any, ...]], dict[tuple[int, ...], int]] = {}

    def chances(seat: int, game: Game, seen: tuple[Any, ...]) -> dict[tuple[int, ...], Fraction]:
        before = next((k for k in range(len(seen) - 1, -1, -1) if (seat, seen[:k]) in made), None)
        last = 0 if before is None else made[seat, seen[:before]][seen[before][1]]
        first, moves, weights = policy.options(game, last)
        made[seat, seen] = {move: int(policy.after[first + n]) for n, move in enumerate(moves)}
        return {move: Fraction(weight, sum(weights)) for move, weight in zip(moves, weights, strict=True)}

    return chances


def chance_to_win(game: Game) -> Fraction:
    """1 where the first wins, else 0."""
    return Fraction(twin(game).outcome() == 0)
