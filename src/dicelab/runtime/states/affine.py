"""Affine values: stand-ins for a counter that record what rules add to it and which comparisons they make.

A player's money and the rounds still to play are numbers of a wide range that make a game large, although the rules
only add to them and compare them. Such a counter is put into its field as an `AffineValue`: an unknown initial value
plus a known number. Comparisons give the answer for one initial value, and narrow the interval of initial values
(`Span`) for which the answer is the same. Everything else raises `DependsOnHidden` with the name of the field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from dicelab.rules.fields import Traced
from dicelab.runtime.states.explorer import DependsOnHidden

FAR = 2**62


class Span:
    """The initial values of a field for which the rules do the same: `low` to ``high - 1``; `value` is one of them.

    If `checked`, they are also values for which every stored value is in its declared range.
    """

    def __init__(self, name: str, value: int, checked: bool = True) -> None:
        self.name, self.value, self.checked = name, value, checked
        self.low, self.high = -FAR, FAR

    def at_least(self, bound: int) -> bool:
        """Whether `value` is at least `bound`; narrows the interval to the values with the same answer."""
        if self.value >= bound:
            self.low = max(self.low, bound)
            return True
        self.high = min(self.high, bound)
        return False


class AffineValue(Traced):
    """The initial value of a field plus a number: what the rules have added to it since the last state."""

    __slots__ = ("by", "span")

    def __init__(self, span: Span, by: int = 0) -> None:
        self.span, self.by = span, by

    def stored(self, least: object, bounds: tuple[int, int]) -> None:
        """Narrow the interval to the declared range; raises `DependsOnHidden` if `Span.value` is outside it."""
        low, high = bounds
        if self.span.checked and not (low <= self <= high and (least is None or self >= least)):
            raise DependsOnHidden(self.span.name)

    def __add__(self, other: object) -> AffineValue:
        return AffineValue(self.span, self.by + self._whole(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        if isinstance(other, AffineValue) and other.span is self.span:
            return self.by - other.by
        return AffineValue(self.span, self.by - self._whole(other))

    def _whole(self, other: object) -> int:
        if not isinstance(other, int):
            raise DependsOnHidden(self.span.name)
        return int(other)

    def _compared(self, other: object, at_least: Callable[[int], bool], plain: Callable[[int, int], bool]) -> bool:
        if isinstance(other, AffineValue):
            if other.span is not self.span:
                raise DependsOnHidden(self.span.name)
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


def _refuse(traced: AffineValue, *_: object) -> NoReturn:
    raise DependsOnHidden(traced.span.name)


ALONE = "index int float hash neg pos abs invert len iter rsub"
PAIRED = "mul floordiv truediv mod divmod pow lshift rshift and or xor"
for _name in [*ALONE.split(), *PAIRED.split(), *(f"r{name}" for name in PAIRED.split())]:
    setattr(AffineValue, f"__{_name}__", _refuse)
