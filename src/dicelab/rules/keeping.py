"""Choices among the dice on the table: which to keep."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from dicelab.errors import RulesError
from dicelab.rules.actions import Decision, Rule
from dicelab.rules.dice import Die
from dicelab.rules.fields import Ints
from dicelab.rules.params import Expr, HasParameters, Size, reach_of, value_of


class Keep(Decision):
    """A kind of choice, declared with `kept`: a move is a number of dice for each face."""

    def __init__(
        self,
        most: Size,
        die: Die,
        dice: Ints,
        legal: Callable[..., bool] | None,
        sensible: Callable[..., bool] | None,
        because: Callable[..., str] | None,
        rule: Rule,
    ) -> None:
        super().__init__(((0, most),) * len(die.faces), legal, sensible, because, rule)
        self.most = most
        self.die = die
        self.dice = dice

    def __repr__(self) -> str:
        return f"<Keep {self.name}: up to {self.most} of {self.die!r} in {self.dice.name}>"

    @property
    def lists(self) -> bool:
        """Always: the moves depend on the dice on the table."""
        return True

    def on_table(self, game: HasParameters) -> list[int]:
        """Return how many dice show each face.

        Raises
        ------
        RulesError
            When there are more dice than declared, or not one number for each face.
        """
        row: list[int] = getattr(game, self.dice.name)
        if len(row) != len(self.kinds) or sum(row) > value_of(self.most, game) or min(row) < 0:
            raise RulesError(
                f"{self.name} keeps dice of {self.dice.name}, which is {list(row)}; it must hold how many dice show "
                f"each of the {len(self.kinds)} faces, at most {value_of(self.most, game)} dice in all"
            )
        return row

    def allows(self, game: HasParameters, move: tuple[int, ...]) -> bool:
        """Return whether these dice are on the table and may be kept now."""
        row = self.on_table(game)
        if len(move) != len(row) or not all(0 <= n <= there for n, there in zip(move, row, strict=True)):
            return False
        return self.legal is None or bool(self.legal(game, *move))

    def listing(self, game: HasParameters) -> list[tuple[int, ...]]:
        """Return every move allowed now; dice that show the same face are not distinguished."""
        every = product(*(range(there + 1) for there in self.on_table(game)))
        return [move for move in every if self.legal is None or self.legal(game, *move)]

    def describe(self, move: tuple[int, ...], first: int = 0) -> str:
        """Return the dice kept as text: ``5 6 6``, or ``nothing``."""
        shown = [face.label for face, n in zip(self.die.faces, move, strict=True) for _ in range(n)]
        return " ".join(shown) or "nothing"


def kept(
    most: Size,
    die: Die,
    dice: Ints,
    *,
    legal: Callable[..., bool] | None = None,
    sensible: Callable[..., bool] | None = None,
    because: Callable[..., str] | None = None,
) -> Callable[[Rule], Keep]:
    """Declare a choice among the dice on the table: which to keep.

    The decorated method receives how many dice of each face are kept. Any dice on the table may be kept, all or none
    of them too, unless `legal` says otherwise. Dice that show the same face are not distinguished. Strategies return
    how many they keep of each face, as a tuple; people type the faces: ``keep 6 6 5``.

    Parameters
    ----------
    most
        Largest number of dice on the table: a number, or an expression of parameters.
    die
        The die.
    dice
        The row, declared above, that holds how many dice show each face, in the order of the faces.
    legal, sensible, because
        As in `chosen`; each receives how many of each face are kept.

    Raises
    ------
    RulesError
        When the arguments are not a number, a `Die` and a row of the state.

    Examples
    --------
    ::

        dice = Ints(6, 0, 5, "dice that show each number")


        @kept(5, D6, dice)
        def keep(self, *kept: int) -> None:
            for i in range(6):
                self.dice[i] = kept[i]
    """
    given: tuple[object, object, object] = most, die, dice
    if not isinstance(given[0], int | Expr) or isinstance(given[0], bool) or reach_of(given[0])[1] < 1:
        raise RulesError(f"@kept({most!r}, ...): the number of dice is a whole number above 0, or made of parameters")
    if not isinstance(given[1], Die):
        raise RulesError(f"@kept(..., {die!r}, ...): write the die that is kept: @kept(5, D6, dice)")
    if not isinstance(given[2], Ints):
        raise RulesError(
            f"@kept(..., {dice!r}): name the row with the numbers of dice that show each face: Ints(6, 0, 5)"
        )
    if isinstance(dice.length, int) and dice.length != len(die.faces):
        raise RulesError(f"@kept(..., {dice!r}): the row has {dice.length} numbers, and the die {len(die.faces)} faces")
    return lambda rule: Keep(most, die, dice, legal, sensible, because, rule)
