"""The contract once more, in a few lines that share no code with dicelab: a rules file is run with this in its place.

A game is an object with attributes. Whatever the contract forbids while a game is played raises `Wrong`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

OVER = ("over",)
SUM, COUNTS, FACES = "sum", "counts", "faces"
MOST_COUNTED = 2**62


class Wrong(Exception):
    """What every command must report; the argument is a word that its message has."""


class Later:
    """A number that is known once the parameters are."""

    def __init__(self, value: Callable[[Any], int]) -> None:
        self.value = value

    def __add__(self, other: Any) -> Later:
        return Later(lambda game: number(self, game) + number(other, game))

    def __sub__(self, other: Any) -> Later:
        return Later(lambda game: number(self, game) - number(other, game))

    def __mul__(self, other: Any) -> Later:
        return Later(lambda game: number(self, game) * number(other, game))


def number(size: Any, game: Any) -> int:
    """A size, a parameter or a sum of such, for the parameters of a game."""
    return size.value(game) if isinstance(size, Later) else size


class Named:
    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


class Param(Named, Later):
    def __init__(self, default: int, low: int = 0, high: int = 1, help: str = "") -> None:
        self.default = default

    def value(self, game: Any) -> int:  # type: ignore[override]
        return vars(game)[self.name]


class Switch(Param):
    def __init__(self, default: bool, help: str = "") -> None:
        self.default = default


class Field(Named):
    def __init__(self, low: Any = 0, high: Any = 2**31 - 1, help: str = "", start: Any = None, **_: bool) -> None:
        self.low, self.high, self.start = low, high, start

    def first(self, game: Any) -> Any:
        low, high = number(self.low, game), number(self.high, game)
        return min(max(0, low), high) if self.start is None else number(self.start, game)

    def inside(self, game: Any, value: Any) -> bool:
        return bool(number(self.low, game) <= value <= number(self.high, game))

    def checked(self, game: Any, value: Any) -> Any:
        """The number that is stored; a rule may leave the range of a field as long as it runs."""
        if not self.inside(game, value):
            left = vars(game).get("_left")
            if left is None or isinstance(self, Tally):
                raise Wrong(self.name)
            left[self.name] = self
        return int(value)


class Int(Field):
    pass


class Seat(Int):
    def __init__(self, players: Any, help: str = "", alike: bool = False) -> None:
        super().__init__(0, players - 1)


class Flag(Field):
    def __init__(self, help: str = "") -> None:
        super().__init__(0, 1)

    def first(self, game: Any) -> bool:
        return False

    def checked(self, game: Any, value: Any) -> int:
        kept: int = super().checked(game, value)
        return bool(kept) if self.inside(game, kept) else kept


class Tally(Field):
    def __init__(self, help: str = "") -> None:
        super().__init__(-MOST_COUNTED, MOST_COUNTED)


class Peak(Tally):
    pass


class Ints(Field):
    def __init__(self, length: Any, low: Any = 0, high: Any = 2**31 - 1, help: str = "", **more: Any) -> None:
        super().__init__(low, high, **more)
        self.length = length

    def first(self, game: Any) -> Row:
        return Row(self, game, [super().first(game)] * number(self.length, game))


class Flags(Ints):
    def __init__(self, length: Any, help: str = "", **more: Any) -> None:
        super().__init__(length, 0, 1, **more)


class Grid(Ints):
    def __init__(self, rows: int, columns: int, low: Any = 0, high: Any = 1, help: str = "", **more: Any) -> None:
        super().__init__(rows * columns, low, high, help, **more)
        self.columns = columns

    def __get__(self, game: Any, owner: type) -> Any:
        return self if game is None else Lines(vars(game)[self.name], self.columns)

    def __set__(self, game: Any, value: Any) -> None:
        raise Wrong(self.name)


class Lines:
    """The rows of a grid; of one of them, if `first` is given, the numbers."""

    def __init__(self, row: Row, columns: int, first: int | None = None) -> None:
        self.row, self.columns, self.first = row, columns, first

    def __getitem__(self, at: int) -> Any:
        if not 0 <= at < len(self):
            raise Wrong(self.row.field.name)
        return Lines(self.row, self.columns, at * self.columns) if self.first is None else self.row[self.first + at]

    def __len__(self) -> int:
        return len(self.row) // self.columns if self.first is None else self.columns

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def __setitem__(self, at: int, value: Any) -> None:
        self[at]
        assert self.first is not None
        self.row[self.first + at] = value


class Row(list[int]):
    """A row of numbers whose range is checked."""

    def __init__(self, field: Ints, game: Any, numbers: list[int]) -> None:
        super().__init__(numbers)
        self.field, self.game = field, game

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, int) and not 0 <= at < len(self):
            raise Wrong(self.field.name)
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        self[at]
        if isinstance(at, slice):
            for place, one in zip(range(len(self))[at], list(value), strict=True):
                self[place] = one
        else:
            super().__setitem__(at, self.field.checked(self.game, value))


class Throw(Named):
    def __init__(self, most: Any, die: Die, view: str, rule: Callable[..., None]) -> None:
        self.most, self.die, self.view, self.rule = most, die, view, rule

    def outcomes(self, game: Any, many: int | None) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        """What may be seen of so many dice, and how likely; some outcomes several times."""
        count = number(self.most, game) if many is None else many
        faces = [(value, at, number(weight, game)) for at, (value, weight) in enumerate(self.die.faces)]
        faces = [face for face in faces if face[2] > 0]
        whole = sum(weight for _, _, weight in faces) ** count
        for dice in product(faces, repeat=count):
            weight = 1
            for _, _, each in dice:
                weight *= each
            values = tuple(value for value, _, _ in dice)
            if self.view == SUM:
                seen: tuple[int, ...] = (sum(values),)
            elif self.view == COUNTS:
                seen = tuple(sum(at == face for _, at, _ in dice) for face in range(len(self.die.faces)))
            else:
                seen = values + (0,) * (number(self.most, game) - count)
            yield seen, Fraction(weight, whole)


class Mixed(Throw):
    def __init__(self, view: str, parts: dict[str, tuple[int, Die]], rule: Callable[..., None]) -> None:
        self.view, self.parts, self.rule = view, parts, rule

    def outcomes(self, game: Any, many: Any) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        each = []
        for name, (most, die) in self.parts.items():
            count = most if many is None else many.get(name, 0)
            if not 0 <= count <= most:
                raise Wrong(self.name)
            kind = Throw(most, die, FACES if self.view == SUM else self.view, self.rule)
            each.append(list(kind.outcomes(game, count)))
        for together in product(*each):
            weight = Fraction(1)
            for _, chance in together:
                weight *= chance
            seen = tuple(value for values, _ in together for value in values)
            yield ((sum(seen),) if self.view == SUM else seen), weight


class Drawn(Throw):
    def __init__(self, die: Die, weights: Callable[[Any], Any], bag: Field | None, rule: Callable[..., None]) -> None:
        self.die, self.weights, self.bag, self.drawn = die, weights, bag, rule

    def outcomes(self, game: Any, many: Any) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        weights = vars(game)[self.bag.name] if self.bag else self.weights(game)
        for (value, _), weight in zip(self.die.faces, weights, strict=True):
            if weight:
                yield (value,), Fraction(weight, sum(weights))

    def rule(self, game: Any, value: int) -> None:
        if self.bag:
            at = [face for face, _ in self.die.faces].index(value)
            vars(game)[self.bag.name][at] -= 1
        self.drawn(game, value)


def mixed(view: str = SUM, **parts: Any) -> Any:
    return lambda rule: Mixed(view, parts, rule)


def weighted(die: Die, weights: Any, total: int) -> Any:
    return lambda rule: Drawn(die, weights, None, rule)


def drawn(bag: Any, die: Any = None, total: Any = None) -> Any:
    return lambda rule: Drawn(die or Die.of(*range(bag.length)), len, bag, rule)


class Die:
    def __init__(self, **weights: Any) -> None:
        self.faces = [(at, weight) for at, weight in enumerate(weights.values())]

    @classmethod
    def of(cls, *values: int) -> Die:
        die = cls()
        die.faces = [(value, values.count(value)) for value in sorted(set(values))]
        return die


def d(sides: int) -> Die:
    return Die.of(*range(1, sides + 1))


D6 = d(6)


def thrown(most: Any, die: Die, view: str = SUM) -> Callable[[Callable[..., None]], Throw]:
    return lambda rule: Throw(most, die, view, rule)


class Decision(Named):
    def __init__(
        self, kinds: tuple[Any, ...], legal: Any, sensible: Any, rule: Callable[..., None], moves: Any = None
    ) -> None:
        self.kinds, self.legal, self.sensible, self.rule, self.moves = kinds, legal, sensible, rule, moves

    def spans(self, game: Any) -> list[range]:
        spans = []
        for kind in self.kinds:
            if isinstance(kind, type):
                spans.append(range(min(kind), max(kind) + 1))  # type: ignore[call-overload]
            elif isinstance(kind, tuple):
                spans.append(range(number(kind[0], game), number(kind[1], game) + 1))
            else:
                spans.append(range(number(kind, game)))
        return spans

    def allows(self, game: Any, move: tuple[int, ...]) -> bool:
        inside = all(value in span for value, span in zip(move, self.spans(game), strict=True))
        if inside and self.moves is not None:
            return move in {m if isinstance(m, tuple) else (m,) for m in self.moves(game)}
        return inside and (self.legal is None or bool(self.legal(game, *move)))

    def worth_trying(self, game: Any) -> list[tuple[int, ...]]:
        moves = [move for move in product(*self.spans(game)) if self.allows(game, move)]
        moves = [move for move in moves if self.sensible is None or self.sensible(game, *move)]
        if not moves:
            raise Wrong("move")
        return moves


def chosen(*kinds: Any, legal: Any = None, sensible: Any = None, because: Any = None, moves: Any = None) -> Any:
    return lambda rule: Decision(kinds, legal, sensible, rule, moves)


class Keep(Decision):
    def __init__(self, most: int, die: Die, dice: Any, legal: Any, rule: Callable[..., None]) -> None:
        super().__init__(((0, most),) * len(die.faces), legal, None, rule)
        self.dice = dice

    def allows(self, game: Any, move: tuple[int, ...]) -> bool:
        there = all(n <= most for n, most in zip(move, vars(game)[self.dice.name], strict=True))
        return there and super().allows(game, move)


def kept(most: int, die: Die, dice: Any, legal: Any = None) -> Any:
    return lambda rule: Keep(most, die, dice, legal, rule)


def throw(kind: Throw, dice: Any = None, **each: int) -> Any:
    if each:
        if sum(each.values()) < 1:
            raise Wrong(kind.name)
        return "throw", kind, each
    if dice is not None and dice < 1:
        raise Wrong(kind.name)
    return "throw", kind, dice


def ask(kind: Decision, seat: int) -> Any:
    return "ask", kind, seat


class Checked:
    """Parent of games and memories: attributes whose range is checked."""

    def __setattr__(self, name: str, value: Any) -> None:
        field = getattr(type(self), name)
        vars(self)[name] = field.checked(vars(self).get("_game", self), value)


class Memory(Checked):
    def __init__(self, game: Any) -> None:
        vars(self)["_game"] = game
        vars(self).update({name: field.first(game) for name, field in declared(type(self), Field).items()})


class Game(Checked):
    outcomes: Any = None
    seats: Any = 1
    strategies: dict[str, Any]

    def __init_subclass__(cls) -> None:
        cls.strategies = {}

    def __init__(self, **given: int) -> None:
        params = declared(type(self), Param)
        vars(self).update({name: given.get(name, param.default) for name, param in params.items()})
        self.begin()

    def begin(self) -> None:
        """Every field as a game begins."""
        vars(self).update({name: field.first(self) for name, field in declared(type(self), Field).items()})

    def start(self) -> None:
        pass


class Casino(Game):
    pass


def apply(rule: Callable[..., object], game: Any, *values: int) -> None:
    """Run a rule that changes the state; at its end every field must be in its range."""
    left = vars(game)["_left"] = dict[str, Field]()
    try:
        rule(game, *values)
    finally:
        vars(game)["_left"] = None
    for name, field in left.items():
        value = vars(game)[name]
        if not all(field.inside(game, one) for one in (value if isinstance(value, Row) else (value,))):
            raise Wrong(name)


def declared(kind: type, what: type) -> dict[str, Any]:
    """Declarations of a class and its parents, in the order written."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        found |= {name: value for name, value in vars(base).items() if isinstance(value, what)}
    return found


def strategy(game: type[Game], memory: Any = None, **params: Param) -> Any:
    def declare(rule: Any) -> Any:
        game.strategies[rule.__name__] = rule, memory, [param.default for param in params.values()]
        return rule

    return declare


def right_of(seat: int, players: int) -> int:
    return (seat + 1) % players


def left_of(seat: int, players: int) -> int:
    return (seat - 1) % players
