"""Mixed strategies: a strategy that returns several moves, each with a whole weight, one of which is drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn, TypeVar, cast

from dicelab.errors import RulesError

T = TypeVar("T")
MOST_WEIGHT = 2**28
"""Largest sum of the weights of a mixture: it is drawn from one word of the stream."""
LUCK = "_luck"
"""The name under which a game in play holds what draws: a function of the sum of the weights."""


class Mixture:
    """Moves with whole weights.

    Attributes
    ----------
    moves, weights
        The moves, and the weight of each.
    """

    def __init__(self, pairs: tuple[Any, ...]) -> None:
        for pair in pairs:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise RulesError(f"mixture: {pair!r} is not a move with its weight; write mixture((move, weight), ...)")
        self.moves = [move for move, _ in pairs]
        self.weights = [weight for _, weight in pairs]
        for weight in self.weights:
            if not isinstance(weight, int) or weight < 0:
                raise RulesError(f"mixture: the weight {weight!r} is not allowed; it is a whole number from 0 on")
        if not 0 < sum(self.weights) <= MOST_WEIGHT:
            raise RulesError(
                f"mixture: the weights add up to {sum(self.weights):,}; their sum must be 1 to {MOST_WEIGHT:,}"
            )

    def _refuse(self, *_: object) -> NoReturn:
        raise RulesError("a strategy looks at a move that is still to be drawn; return mixture(...) as it is")

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __int__ = __index__ = __iter__ = __getitem__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __hash__ = _refuse

    def place(self, number: int) -> int:
        """Return the place of the first move whose running sum of weights exceeds a number."""
        return bisect_right(list(accumulate(self.weights)), number)

    def taken(self, place: int) -> Any:
        """Return the move at a place, which is made; a saved policy remembers it."""
        return self.moves[place]


def mixture(*moves: tuple[T, int]) -> T:
    """Return one of several moves, by chance: each with its whole weight.

    A strategy returns it as it is; the move is drawn where the strategy is asked, from a stream of its own, so that
    the rolls of the game stay as they are (``docs/stream.md``).

    Raises
    ------
    RulesError
        When a weight is not a whole number from 0 on, or their sum is not 1 to 2**28.

    Examples
    --------
    ::

        @strategy(Poker)
        def bluffing(game: Poker) -> Bet:
            if game.hands[game.player] == 1:
                return mixture((Bet.PASS, 2), (Bet.BET, 1))  # a bluff, one time in three
            return Bet.BET
    """
    return cast(T, Mixture(moves))


def drawn(chosen: object, game: Any) -> object:
    """Return what a strategy chose in a game in play, with one move drawn if it is a mixture.

    Raises
    ------
    RulesError
        Where nothing draws.
    """
    if not isinstance(chosen, Mixture):
        return chosen
    luck: Callable[[int], int] | None = game.__dict__.get(LUCK)
    if luck is None:
        raise RulesError(
            "this strategy draws its moves (mixture), which is not possible here; simulate, compare, play, exact and "
            "why know such strategies"
        )
    return chosen.taken(chosen.place(luck(sum(chosen.weights))))


class Below:
    """What stands for the draw in translated strategies: a number below the sum of the weights that it is given."""

    def __call__(self, *weights: int) -> NoReturn:
        """Refuse to be called in plain Python, where `drawn` draws."""
        raise AssertionError


BELOW = Below()


def may_mix(rule: Any) -> bool:
    """Return whether a strategy, or what it calls, may return a mixture."""
    seen, waiting = set[int](), [rule]
    while waiting:
        one = waiting.pop()
        if one is mixture:
            return True
        function = getattr(one, "rule", one)
        if not isinstance(function, FunctionType) or id(function) in seen:
            continue
        seen.add(id(function))
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        known = function.__globals__ | {name: cell.cell_contents for name, cell in cells if _is_set(cell)}
        names = _names(function.__code__)
        for name in names:
            value = known.get(name)
            waiting += [getattr(value, part, None) for part in names] if isinstance(value, ModuleType) else [value]
    return False


def _names(code: CodeType) -> set[str]:
    """Return the names that a function, and the functions in it, refer to."""
    inside = [_names(part) for part in code.co_consts if isinstance(part, CodeType)]
    return {*code.co_names, *code.co_freevars}.union(*inside)


def _is_set(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
