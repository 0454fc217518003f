"""A number whose value is not known exactly, and what the rules do with it: they may add to it, and compare it.

A player's money, the rounds still to play: numbers of a wide range that make a game large, although the rules only add
to them and ask whether they are enough. Such a number is put into its field as `Sum`. Rules that look at it in this way
alone get the answers for one value, and it is noted for which other values these would be the same. Others raise `Met`,
with the name of the field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from dicelab.rules.fields import Traced
from dicelab.states.explorer import Met

FAR = 2**62


class Span:
    """Values of a field for which the rules do the same: from `low` to ``high - 1``, `value` being one of them.

    Where it is `checked`, these are values for which nothing that is stored is outside its declared range.
    """

    def __init__(self, name: str, value: int, checked: bool = True) -> None:
        self.name, self.value, self.checked = name, value, checked
        self.low, self.high = -FAR, FAR

    def at_least(self, bound: int) -> bool:
        """Is the value at least so much? It is noted that somebody has asked."""
        if self.value >= bound:
            self.low = max(self.low, bound)
            return True
        self.high = min(self.high, bound)
        return False


class Sum(Traced):
    """The value of a field, and what has been added to it since a position was left."""

    __slots__ = ("by", "span")

    def __init__(self, span: Span, by: int = 0) -> None:
        self.span, self.by = span, by

    def stored(self, least: object, bounds: tuple[int, int]) -> None:
        """Note for which values it is within the declared range; `Met` where it is not for the one at hand."""
        low, high = bounds
        if self.span.checked and not (low <= self <= high and (least is None or self >= least)):
            raise Met(self.span.name)

    def __add__(self, other: object) -> Sum:
        return Sum(self.span, self.by + self._whole(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        if isinstance(other, Sum) and other.span is self.span:
            return self.by - other.by
        return Sum(self.span, self.by - self._whole(other))

    def _whole(self, other: object) -> int:
        if not isinstance(other, int):
            raise Met(self.span.name)
        return int(other)

    def _compared(self, other: object, at_least: Callable[[int], bool], plain: Callable[[int, int], bool]) -> bool:
        if isinstance(other, Sum):
            if other.span is not self.span:
                raise Met(self.span.name)
            return plain(self.by, other.by)
        return at_least(self._whole(other) - self.by)

    def __ge__(self, other: object) -> bool:
        return self._compared(other, self.span.at_least, lambda a, b: a >= b)

    def __gt__(self, other: object) -> bool:
        return self._compared(other, lambda bound: self.span.at_least(bound + 1), lambda a, b: a > b)

    def __lt__(self, other: object) -> bool:
        return not self >= other

    def __le__(self, other: object) -> bool:
        return not self > other

    def __eq__(self, other: object) -> bool:
        return self >= other and self <= other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return self != 0


def _meet(traced: Sum, *_: object) -> NoReturn:
    raise Met(traced.span.name)


ALONE = "index int float hash neg pos abs invert len iter rsub"
PAIRED = "mul floordiv truediv mod divmod pow lshift rshift and or xor"
for _name in [*ALONE.split(), *PAIRED.split(), *(f"r{name}" for name in PAIRED.split())]:
    setattr(Sum, f"__{_name}__", _meet)
