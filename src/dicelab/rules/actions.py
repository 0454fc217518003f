"""The steps of a game: a roll, a choice, or the end of the game.

A kind of roll is a method decorated with `thrown`, a kind of choice a method decorated with `chosen`. `Game.next`
returns `throw(...)`, `ask(...)` or `OVER`. Each is one integer, so that compiled rules return the same values:

==============  =====================================================  ====================
step            value                                                  taken apart by
==============  =====================================================  ====================
roll            kind * 2**16 + number of dice (0: all of them), >= 0   `step_parts`
choice          -2 - (kind * 2**16 + seat), <= -2                      `step_parts`
game over       -1
==============  =====================================================  ====================
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import cache
from itertools import product
from types import MethodType
from typing import TYPE_CHECKING, Any, NoReturn

from dicelab.errors import RangeError, RulesError
from dicelab.rules.dice import COUNTS, SUM, Die, View
from dicelab.rules.fields import Seat
from dicelab.rules.params import MOST, Expr, HasParameters, Size, reach_of, value_of
from dicelab.rules.private import NotSeen, masked_for_seat, private_fields
from dicelab.rules.together import counted, gather, must_be_together

OVER = -1
"""What `Game.next` returns when the game is over."""

ALL = 0
"""Number of dice in a step that rolls all of them."""
_STRIDE = 1 << 16
"""Steps of neighbouring kinds differ by this; dice and seats are smaller."""

NO_GAME: Any = None
"""In place of a game, where nothing depends on its parameters."""

Rule = Callable[..., None]
Kind = type[enum.IntEnum] | Size | tuple[Size, Size]
MOST_SEATS = _STRIDE - 1
"""Limit of the seats of a game, and of the dice of one roll."""
NO_VALUE = -(2**62)
"""In compiled rules, fills up the moves of choices that have fewer numbers than others of the game."""
Listing = Callable[..., Iterable[int | tuple[int, ...]]]
LISTABLE = 4096
"""The most combinations of values that are tried one by one to list moves, and the most moves that a rule may list."""


class Step:
    """A kind of roll or choice. In a class that declares it again, ``super().name`` is the rule of the parent."""

    rule: Rule
    name = "?"
    index = -1

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    if not TYPE_CHECKING:

        def __get__(self, game: Any, owner: type) -> Any:
            """Return the declaration, of a class or a game; where another one has taken its place, the rule, to be
            called.
            """
            return self if game is None or getattr(owner, self.name, self) is self else MethodType(self.rule, game)

    @property
    def run(self) -> Rule:
        """What the roll or choice does to a game."""
        return self.rule

    def __call__(self, *values: int) -> NoReturn:
        """Refused: rules don't call it."""
        raise RulesError(f"{self.name} is not called by rules; put what several rules do into a method of its own")


class Throw(Step):
    """A kind of roll, declared with `thrown` and requested with `throw`.

    Examples
    --------
    ::

        @thrown(1, D6)
        def die(self, face: int) -> None: ...  # a Throw, for ``throw(self.die)``
    """

    varies = False
    """Whether the weights of its faces depend on the state."""
    loads: Callable[..., Any] | None = None
    """The method of the game that returns these weights; None where there is none."""

    def __init__(self, most: Size, die: Die, view: View, rule: Rule) -> None:
        self.most = most
        self.die = die
        self.view = view
        self.rule = rule

    def __repr__(self) -> str:
        return f"<Throw {self.name}: up to {self.most} of {self.die!r}, {self.view.value}>"

    def numbers(self, game: HasParameters) -> int:
        """Return the largest number of dice, in a step."""
        return value_of(self.most, game)

    def asked(self, dice: int | None, each: dict[str, int]) -> int:
        """Return the number of dice in a step that rolls `dice` of them, or all.

        Raises
        ------
        RangeError
            When there can't be so few, or so many, dice.
        RulesError
            When dice have names, which only those of a mixed roll do.
        """
        if each:
            raise RulesError(
                f"throw(self.{self.name}, ...): its dice are alike and have no names; declare it by @mixed"
            )
        if dice is None:
            return ALL
        if not 1 <= dice < _STRIDE:
            raise RangeError(f"{self.name}: {dice} dice can't be rolled")
        return dice

    @property
    def is_plain(self) -> bool:
        """Whether it is declared with `thrown`: its dice are alike, and the same in every state."""
        return type(self) is Throw

    @property
    def words(self) -> str:
        """Its dice in words: ``d6``."""
        return self.die.words

    @property
    def sizes(self) -> tuple[Size, ...]:
        """The numbers in its declaration that may depend on parameters."""
        return self.most, *(face.weight for face in self.die.faces)

    def width(self, game: HasParameters) -> int:
        """Return how many numbers the method receives."""
        if self.view is SUM:
            return 1
        return len(self.die.faces) if self.view is COUNTS else value_of(self.most, game)

    def dice_seen(self, seen: Sequence[int], count: int) -> tuple[int, ...]:
        """Return the values of the dice in a roll of `count` that is seen as `FACES`, without those not rolled."""
        return tuple(seen[:count])

    @property
    def range_seen(self) -> tuple[int, int]:
        """The smallest and the largest number that the method may receive, whatever the parameters are; 0 is between
        them.
        """
        values, most = [face.value for face in self.die.faces] or [0], max(reach_of(self.most)[1], 1)
        if self.view is COUNTS:
            return 0, most
        times = most if self.view is SUM else 1
        return min(0, times * min(values)), max(0, times * max(values))


def thrown(most: Size, die: Die, view: View = SUM) -> Callable[[Rule], Throw]:
    """Declare a kind of roll; the decorated method applies its result to the game.

    Parameters
    ----------
    most
        Largest number of dice: a number, or an expression of parameters.
    die
        The die; all dice of one roll are alike.
    view
        What the method receives: `SUM` (the total), `COUNTS` (one number for each face, in the order declared) or
        `FACES` (the value of each die in order, padded with zeros to `most`).

    Raises
    ------
    RulesError
        When the arguments are not a number, a `Die` and a view.

    Examples
    --------
    ::

        @thrown(2, D6)
        def come_out(self, total: int) -> None: ...
    """
    given: tuple[object, object, object] = most, die, view
    if not isinstance(given[1], Die):
        what = "several dice" if isinstance(given[1], tuple | list) else f"{die!r}"
        raise RulesError(
            f"@thrown({most!r}, ...): {what} instead of a Die; all dice of one roll are alike, so declare one method "
            "under @thrown for each kind of die, and roll them one after the other"
        )
    if not isinstance(given[0], int | Expr) or isinstance(given[0], bool):
        raise RulesError(f"@thrown({most!r}, ...): the number of dice must be a whole number, or made of parameters")
    if not isinstance(given[2], View):
        raise RulesError(f"@thrown: {view!r} is not a view of dice; use SUM, COUNTS or FACES")
    if reach_of(most)[1] < 1 or (isinstance(most, int) and most > MOST_SEATS):
        raise RulesError(f"@thrown({most!r}, ...): the number of dice must be 1 to {MOST_SEATS:,}")
    if all(isinstance(face.weight, int) for face in die.faces):
        die.weights(NO_GAME)
    return lambda rule: Throw(most, die, view, rule)


class Decision(Step):
    """A kind of choice, declared with `chosen` and requested with `ask`.

    Examples
    --------
    ::

        @chosen(Move)
        def roll_or_hold(self, move: int) -> None: ...  # a Decision, for ``ask(self.roll_or_hold, seat)``
    """

    def __init__(
        self,
        kinds: tuple[Kind | Seat, ...],
        legal: Callable[..., bool] | None,
        sensible: Callable[..., bool] | None,
        because: Callable[..., str] | None,
        rule: Rule,
        moves: Listing | None = None,
        together: Seat | None = None,
    ) -> None:
        self.kinds: tuple[Kind, ...] = tuple((k.low, k.high) if isinstance(k, Seat) else k for k in kinds)
        self.seats = tuple(i for i, kind in enumerate(kinds) if isinstance(kind, Seat))
        """Places of the numbers of a move that are seats."""
        self.moves = moves
        self.legal = legal
        self.sensible = sensible
        self.because = because
        self.rule = rule
        if together is not None:
            must_be_together(together, rule, [_reach(kind) for kind in self.kinds])
        self.together = together
        """The field that says who chooses, where all seats choose at once."""
        self.game: Any = None
        """Of a choice of all seats, the game that has it."""
        self.rows: tuple[str, ...] = ()
        """The fields that hold, of a choice of all seats, each number of their moves until all have chosen."""
        self.taken = ""
        """A name of these that the class has for something else."""

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        if self.together is not None:
            spans = [_reach(kind) for kind in self.kinds]
            self.rule, self.rows, self.taken = gather(owner, name, self.rule, spans, self.together)

    def of(self, game: Any) -> Decision:
        """Return the choice as a game has it, so that `ask` finds who of all seats is next."""
        if self.together is None:
            return self
        own = copy(self)
        own.game = game
        return own

    def __repr__(self) -> str:
        kinds = ", ".join(kind.__name__ if isinstance(kind, type) else str(kind) for kind in self.kinds)
        return f"<Decision {self.name}: {kinds}>"

    @property
    def lists(self) -> bool:
        """Whether the moves allowed are listed in each state; otherwise all combinations of values are tried."""
        return self.moves is not None

    def spans(self, game: HasParameters) -> list[tuple[int, int]]:
        """Smallest and largest value of each number of a move."""
        return [_span(kind, game) for kind in self.kinds]

    def inside(self, game: HasParameters, move: tuple[int, ...]) -> bool:
        """Return whether `move` has as many numbers as declared, each in its range."""
        if len(move) != len(self.kinds):
            return False
        for kind, value in zip(self.kinds, move, strict=True):
            low, high = _span(kind, game)
            if not low <= value <= high:
                return False
        return True

    def allows(self, game: HasParameters, move: tuple[int, ...]) -> bool:
        """Return whether `move` is allowed now."""
        if not self.inside(game, move):
            return False
        if self.moves is not None:
            return move in self._listed(game)
        return self.legal is None or bool(self.legal(game, *move))

    def _listed(self, game: HasParameters) -> list[tuple[int, ...]]:
        """Return the moves that the rules list now; one that is listed twice counts once."""
        assert self.moves is not None
        moves: dict[tuple[int, ...], None] = {}
        for one in self.moves(game):
            move = tuple(one) if isinstance(one, tuple | list) else (one,)
            if not all(isinstance(value, int) for value in move) or not self.inside(game, move):
                name = getattr(self.moves, "__name__", "moves=")
                raise RulesError(f"{name} lists {one!r} for {self.name}, which is not a move as @chosen declares them")
            moves[tuple(int(value) for value in move)] = None
            if len(moves) > LISTABLE:
                raise RulesError(f"more than {LISTABLE:,} moves are listed for {self.name}")
        return list(moves)

    def listing(self, game: HasParameters) -> list[tuple[int, ...]] | None:
        """Return every move allowed now; None when more than `LISTABLE` combinations would have to be tried."""
        if self.moves is not None:
            return self._listed(game)
        spans = self.spans(game)
        combinations = 1
        for low, high in spans:
            combinations *= high - low + 1
        if combinations > LISTABLE:
            return None
        return [m for m in product(*(range(lo, hi + 1) for lo, hi in spans)) if self.allows(game, m)]

    def considered(self, game: HasParameters, move: tuple[int, ...]) -> bool:
        """Return whether `move` is allowed now, and sensible."""
        return self.allows(game, move) and (self.sensible is None or bool(self.sensible(game, *move)))

    def refusal(self, game: Any, move: tuple[int, ...]) -> str:
        """Return why `move` is not allowed, as the end of a sentence (``: odds need a bet``), or "".

        A reason that the seat asked may not know is left out.
        """
        because = self.because
        if because is None or len(move) != len(self.kinds):
            return ""
        seat = step_parts(game.next())[2] if private_fields(game) else -1
        try:
            reason = masked_for_seat(
                lambda: because(game, *move), game, seat, private_fields(game), "a text for people"
            )
        except NotSeen:
            return ""
        return f": {reason}" if reason else ""

    def describe(self, move: tuple[int, ...], first: int = 0) -> str:
        """Return the move as text: the names of enum members in small letters, other numbers as digits.

        Seats are counted from `first`: from 1 for people at a table.
        """
        words = []
        for place, (kind, value) in enumerate(zip(self.kinds, move, strict=True)):
            number = value + first if place in self.seats else value
            words.append(kind(value).name.lower().replace("_", " ") if isinstance(kind, type) else str(number))
        return " ".join(words)


@cache
def _ends(names: type[enum.IntEnum]) -> tuple[int, int]:
    return min(names), max(names)


def _span(kind: Kind, game: HasParameters) -> tuple[int, int]:
    if isinstance(kind, type):
        return _ends(kind)
    if isinstance(kind, tuple):
        return value_of(kind[0], game), value_of(kind[1], game)
    return 0, value_of(kind, game) - 1


def _reach(kind: Kind) -> tuple[Size, Size]:
    """Return the smallest and largest value of a number of a move, as declared."""
    if isinstance(kind, type):
        return _ends(kind)
    return kind if isinstance(kind, tuple) else (0, kind - 1)


def chosen(
    *kinds: Kind | Seat,
    legal: Callable[..., bool] | None = None,
    sensible: Callable[..., bool] | None = None,
    because: Callable[..., str] | None = None,
    moves: Listing | None = None,
    together: Seat | None = None,
) -> Callable[[Rule], Decision]:
    """Declare a kind of choice; the decorated method applies the chosen move to the game.

    Parameters
    ----------
    *kinds
        The values that each number of a move may have: an `enum.IntEnum` of named moves, numbered without gaps, a size
        n for 0 to n - 1, a pair (low, high), or a `Seat` declared above, such as whose turn it is: then the number is a
        seat, and turns with the seats where all of them are alike.
    legal
        A method of the game, defined above, that returns whether a move is allowed now. Without it all moves are.
    sensible
        A method like `legal` that returns whether a move can be part of good play. Solvers, learners and hints try
        only these moves; strategies may choose any legal one. It keeps a search finite where the rules don't, for
        example by leaving out to roll on when banking wins. At least one legal move must be sensible.
    because
        A method that returns, as a sentence for messages, why a move is not allowed. It is never compiled.
    moves
        A method, in place of `legal`, that lists the moves allowed now: ``yield 3``, or ``yield 3, 20`` where a move
        has two numbers. Solvers then try these moves instead of all combinations of values.
    together
        The field that says who chooses, such as ``player = Seat(2, "who chooses")``, where all seats choose at once:
        ``return ask(self.lay, [0, 1])``. Nobody sees what another seat has chosen before all have, and the method then
        receives a list for each number of a move, with what every seat has chosen.

    Raises
    ------
    RulesError
        When one of `kinds` is none of these, both `legal` and `moves` are given, or `together` is no such field.

    Examples
    --------
    ::

        @chosen(Move)
        def roll_or_hold(self, move: int) -> None: ...
    """
    if not kinds:
        raise RulesError("@chosen(): say which values a move may have: @chosen(Move)")
    for kind in kinds:
        _must_be_kind(kind)
    if legal is not None and moves is not None:
        raise RulesError("@chosen(..., legal=, moves=): moves= already lists what is allowed; leave legal= out")
    return lambda rule: Decision(kinds, legal, sensible, because, rule, moves, together)


def _must_be_kind(kind: object) -> None:
    """Refuse values of a move that are none of those of `chosen`, or none at all."""
    if isinstance(kind, type) and issubclass(kind, enum.IntEnum):
        if not len(kind) or max(kind) - min(kind) >= len(kind):
            raise RulesError(f"@chosen({kind.__name__}): {kind.__name__} must have moves, numbered without gaps")
        return
    pair: tuple[Any, ...] = kind if isinstance(kind, tuple) else (1, kind)
    if isinstance(kind, Seat):
        pair = kind.low, kind.high
    if len(pair) != 2 or not all(isinstance(size, int | Expr) and not isinstance(size, bool) for size in pair):
        raise RulesError(
            f"@chosen({kind!r}): values are declared by an IntEnum, a size, a pair (low, high), or a Seat: "
            "@chosen(Move)"
        )
    low, high = reach_of(pair[0])[0], reach_of(pair[1])[1]
    if low > high:
        raise RulesError(f"@chosen({kind!r}): there is no such value")
    if any(isinstance(size, int) and abs(size) > MOST for size in pair):
        raise RulesError(f"@chosen({kind!r}): a move is made of numbers up to 2**62")


def throw(kind: Throw, dice: int | None = None, **each: int) -> int:
    """Return the step, returned by `Game.next`, that rolls dice: ``return throw(self.cup, 3)``; all dice without a
    number.

    Of different dice (`dicelab.rules.mixed`) it names how many of each: ``throw(self.cup, d4=1, d6=2)``.

    Raises
    ------
    RangeError
        When the number of dice is below 1.

    Examples
    --------
    ::

        return OVER if self.rounds == 5 else throw(self.cup, 3)
    """
    return kind.index * _STRIDE + kind.asked(dice, each)


def ask(kind: Decision, seat: int | Iterable[int]) -> int:
    """Return the step, returned by `Game.next`, at which a seat chooses: ``return ask(self.roll_or_hold,
    self.player)``.

    Where all seats choose at once (`chosen` with ``together=``), `seat` lists them: ``return ask(self.lay, [0, 1])``.

    Raises
    ------
    RangeError
        When there is no such seat.
    RulesError
        When one seat is asked where all choose at once, or the other way round.

    Examples
    --------
    ::

        return ask(self.roll_or_hold, self.player) if self.rolled else throw(self.die)
    """
    if kind.together is not None or not isinstance(seat, int):
        seat = _next_of(kind, seat)
    if not 0 <= seat < _STRIDE:
        raise RangeError(f"{kind.name}: seat {seat} can't choose; seats are counted from 0")
    return -2 - (kind.index * _STRIDE + seat)


def _next_of(kind: Decision, seats: object) -> int:
    """Return the seat that chooses next where all choose at once."""
    if kind.together is None:
        raise RulesError(
            f"ask(self.{kind.name}, {seats!r}): a single seat makes this choice; where all choose at once, declare it "
            'with @chosen(..., together=player), and player = Seat(players, "who chooses") above it'
        )
    every = list(range(value_of(kind.together.players, kind.game)))
    given = list(seats) if isinstance(seats, Iterable) else seats
    if given != every:
        raise RulesError(
            f"ask(self.{kind.name}, {given!r}): all seats choose at once there: ask(self.{kind.name}, {every})"
        )
    seat: int = getattr(kind.game, kind.together.name)
    if seat != getattr(kind.game, counted(kind.name)):
        raise RulesError(
            f"ask(self.{kind.name}, {given!r}): {kind.together.name} is {seat} before anybody has chosen; set it to 0 "
            "before all choose at once, and let nothing else change it meanwhile"
        )
    return seat


def step_parts(step: int) -> tuple[bool, int, int]:
    """Return a step taken apart: (whether it is a roll, index of its kind, number of dice or seat)."""
    is_throw = step >= 0
    return (is_throw, *divmod(step if is_throw else -2 - step, _STRIDE))
