"""Numbers the positions of a game with the rules as they are written, and says where each throw leads.

A position is where dice are thrown; what strategies choose happens on the way to the next one. Only the choices of
*free* seats, for whom somebody looks for the best move, are positions too.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import NoReturn, overload

from dicelab.errors import EndlessGameError, RulesError
from dicelab.rules.actions import OVER, Decision, Throw
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, fresh
from dicelab.runtime.interpreter import LIMIT, Explained, asked, choose, outcome_of
from dicelab.runtime.lineup import Run
from dicelab.states.cursor import Place

UNRAISED = -(2**62)
"""Change of a `Peak` that a throw does not raise."""

End = tuple[int, int]
"""Where something leads (``-1 - outcome`` where the game is over), and the number of the change of the tallies."""


AWAY: End = (-(2**62), 0)
"""To where hidden fields decide."""


class Met(BaseException):
    """Rules met a hidden field. Not an Exception: those are faults of the rules."""


def _meet(*_: object) -> NoReturn:
    raise Met


ALONE = "bool index int float len iter next getitem setitem delitem contains eq ne lt le gt ge hash neg pos abs invert"
PAIRED = "add sub mul floordiv truediv mod divmod pow lshift rshift and or xor"


class Hidden:
    """Stands for the value of a hidden field: whatever is done with it raises `Met`."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python itself looks around
            raise AttributeError(name)
        raise Met


for _operation in [*ALONE.split(), *PAIRED.split(), *(f"r{name}" for name in PAIRED.split())]:
    setattr(Hidden, f"__{_operation}__", _meet)


@cache
def hidden() -> Hidden:
    """What hides; there is one."""
    return Hidden()


class Found:
    """Things by number, in the order in which they were found first."""

    def __init__(self) -> None:
        self.things: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}

    def number(self, thing: tuple[int, ...]) -> int:
        """The number of a thing, which is noted if it is new."""
        at = self._numbers.setdefault(thing, len(self.things))
        if at == len(self.things):
            self.things.append(thing)
        return at


def no_change(game: Game) -> tuple[int, ...]:
    """The tallies before anything is counted."""
    return tuple(UNRAISED if isinstance(t, Peak) else 0 for t in game.declared.tallies.values())


class Numbering:
    """Positions and changes of the tallies found so far.

    Parameters
    ----------
    run
        The game and its strategies.
    free
        Seats whose choices are left open.
    hidden
        Fields that are no part of a position: a throw whose rules meet one of them leads `AWAY`.

    Attributes
    ----------
    positions, changes
        The positions, as lists of numbers, and the changes of the tallies.
    start
        Where the game begins, and what is counted until then.
    choices
        The most choices that were made between two throws.
    """

    def __init__(self, run: Run, free: Collection[int] = (), hidden: Collection[str] = ()) -> None:
        self.game = fresh(run.game)
        self.free = free
        self.hidden = hidden
        self.place = Place(self.game, run.calls, hidden)
        self.nothing = no_change(self.game)
        self.positions, self.changes = Found(), Found()
        self.choices = 0
        self._count_from(self.nothing)
        with Explained(self.game):
            self.game.start()
        self._hide()
        self.start = self._settle()

    def note(self, here: tuple[int, ...], counted: tuple[int, ...]) -> End:
        """The number of a position, and that of what was counted on the way there."""
        return self.positions.number(here), self.changes.number(counted)

    def note_over(self, outcome: int, counted: tuple[int, ...]) -> End:
        """The same for the end of the game."""
        return -1 - outcome, self.changes.number(counted)

    def admit(self, numbers: tuple[int, ...]) -> None:
        """Refuse a state outside its ranges: before a throw, a choice, or at the end. Here none is refused."""

    def arrive(self, numbers: tuple[int, ...]) -> tuple[Throw | Decision, int]:
        """Stand at a position: the kind of throw and the dice, or of choice and the seat, that is asked for."""
        self.place.set(numbers)
        self._count_from(self.nothing)
        with Explained(self.game):
            kind, number = asked(self.game, self.game.next())
        if self._hide():
            raise Met
        self._here = numbers
        return kind, number

    def throw_at(self, numbers: tuple[int, ...]) -> tuple[Throw, int]:
        """Stand at a position from which dice are thrown: the kind of throw and the dice.

        Raises
        ------
        PlayError
            When a choice is asked for there.
        """
        kind, dice = self.arrive(numbers)
        if isinstance(kind, Decision):
            with Explained(self.game):
                raise RulesError(
                    "next() asks for a choice where it asked for a throw; it must depend on the state alone"
                )
        return kind, dice

    @overload
    def follow(self, kind: Throw, values: tuple[int, ...]) -> End: ...
    @overload
    def follow(self, kind: Throw | Decision, values: tuple[int, ...]) -> End | None: ...
    def follow(self, kind: Throw | Decision, values: tuple[int, ...]) -> End | None:
        """Where a throw or move leads from the position arrived at last; None for a move not worth a thought."""
        self.place.set(self._here)
        self._count_from(self.nothing)
        try:
            with Explained(self.game):
                if isinstance(kind, Decision) and not kind.considered(self.game, values):
                    return None
                kind.rule(self.game, *values)
            end = self._settle()
        except Met:
            end = AWAY
        return AWAY if self._hide() else end

    def _hide(self) -> bool:
        """Hide what is to be hidden; was any of it shown?"""
        shown = [name for name in self.hidden if self.game.__dict__[name] is not hidden()]
        self.game.__dict__.update(dict.fromkeys(shown, hidden()))
        return bool(shown)

    def counted(self) -> tuple[int, ...]:
        """What is counted now."""
        return tuple(self.game.__dict__[name] for name in self.game.declared.tallies)

    def _count_from(self, values: tuple[int, ...]) -> None:
        self.game.__dict__.update(zip(self.game.declared.tallies, values, strict=True))

    def _settle(self) -> End:
        """Go on to the next throw, free choice or end, strategies choosing on the way."""
        game = self.game
        for choices in range(LIMIT):
            here, counted = self.place.read(), self.counted()
            with Explained(game):
                step = game.next()
                if step == OVER:
                    self.admit(here)
                    self.choices = max(self.choices, choices)
                    return self.note_over(outcome_of(game), self.counted())
                kind, number = asked(game, step)
                self.admit(here)
                if not isinstance(kind, Decision) or number in self.free:
                    self.choices = max(self.choices, choices)
                    return self.note(here, counted)
                choose(game, kind, number, self.place.choosers)
        with Explained(game):
            raise EndlessGameError(f"{LIMIT:,} choices without a throw")
        raise AssertionError
