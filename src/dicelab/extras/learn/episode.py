"""A game in progress that stops wherever a learning seat chooses; the common base of both environments.

Dice come from dicelab's own stream: game g of a seed is game g of ``dicelab simulate``, as long as the same moves are
made.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib.util import find_spec
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import EndlessGameError, IllegalMoveError, ParameterError, RulesError, unknown
from dicelab.questions.policies.objective import Objective
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import Flag, Seat, applied
from dicelab.rules.game import Game, counted, fresh, outcome_names, position, reset, seat_count
from dicelab.rules.params import as_integer
from dicelab.rules.payoffs import payoff_tallies
from dicelab.rules.private import must_be_open
from dicelab.runtime.interpreter import LIMIT, Explained, asked, choose, outcome_of
from dicelab.runtime.lineup import Run, as_seed
from dicelab.runtime.philox import Stream, pool
from dicelab.runtime.states.codec import Place, Slots, hidden_numbers
from dicelab.solver.enumeration.model import moves_of


def first_game(options: dict[str, Any] | None, otherwise: int) -> int:
    """Return the index of the game to begin, ``options["game"]`` or `otherwise`.

    Raises
    ------
    ParameterError
        When it is not a whole number of 64 bits.
    """
    if "game" not in (options or {}):
        return otherwise
    number = (options or {})["game"]
    whole = as_integer(number)
    if whole is None or not 0 <= whole < 2**64:
        raise ParameterError(f"game: {number!r} is not allowed; it takes a whole number, at least 0")
    return whole


class Episode:
    """One game in progress, with some seats that learn.

    Parameters
    ----------
    run
        The game, and a strategy for each seat; the strategies of learning seats are not used.
    learning
        The seats that learn.
    wanted
        The objective that is rewarded.

    Attributes
    ----------
    names, low, high
        The fields of the state whose range has more than one value: names, and ends of the ranges as int64 arrays.
    varying
        int64 array: the indices of these fields in the state.
    actions
        All moves of all decisions, as pairs of decision and move. An action is an index into this list.
    seat
        The seat that is to choose; -1 when the game is over.
    """

    def __init__(self, run: Run, learning: Collection[int], wanted: Objective) -> None:
        self.run, self.game, self.learning, self.wanted = run, fresh(run.game), frozenset(learning), wanted
        slots = Slots.of(self.game, ())
        self.varying = np.flatnonzero(slots.span > 0)
        self.names = tuple(slots.names[i] for i in self.varying)
        self.low, self.high = slots.low[self.varying], (slots.low + slots.span)[self.varying]
        decisions = self.game.declared.decisions
        self.actions = [(decision, move) for decision in decisions for move in moves_of(decision, self.game)]
        self.seat, self.seed, self.number = -1, -1, -1
        self._spans = {d: [i for i, (of, _) in enumerate(self.actions) if of is d] for d in decisions}
        self._place = Place(self.game, ())
        self._lowest, self._hidden = slots.low, hidden_numbers(self.game)

    @property
    def moves(self) -> tuple[str, ...]:
        """The actions in words, prefixed by the decision if there are several decisions."""
        several = len(self._spans) > 1
        return tuple(f"{d.name}: {d.describe(m)}" if several else d.describe(m) for d, m in self.actions)

    def begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Begin game 0 of a seed; without a seed, the next game; or the game with the index ``options["game"]``.

        Raises
        ------
        ParameterError
            When the seed or the index is not allowed.
        """
        fresh_seed = seed is not None or self.seed < 0
        self.seed = as_seed(seed) if fresh_seed else self.seed
        self.number = first_game(options, 0 if fresh_seed else self.number + 1)
        self._stream, self._steps = Stream(self.seed, self.number), 0
        self._choosers = [call.chooser(self.game) for call in self.run.calls]
        with Explained(self.game):
            reset(self.game)
        self._go_on()
        self._counted = self._tallies()

    def take(self, action: object) -> bool:
        """Make a move and play to the next choice; return False, without a change, if the rules forbid the move.

        Raises
        ------
        IllegalMoveError
            When there is no such action.
        """
        decision, move = self.actions[self._place_of(action)]
        if self.seat < 0:
            return True
        self._count_step()
        if decision is not self._asked or not decision.allows(self.game, move):
            return False
        with Explained(self.game):
            applied(decision.run, self.game, move)
        self._go_on()
        return True

    def forbidden(self, action: object) -> IllegalMoveError:
        """Return the error for an action that the rules forbid now."""
        return IllegalMoveError(
            f"{self.game.name}: seat {self.seat} can't choose {self.moves[self._place_of(action)]} now; "
            f"{self._asked.name} is asked for, and the moves allowed are those of the action mask"
        )

    def observation(self, seat: int) -> NDArray[np.int64]:
        """Return what a seat sees: the values of the fields, in the order of `names`, hidden ones as their lowest."""
        seen = np.where(self.hidden_from(seat), self._lowest, np.array(self._place.read(), np.int64))
        return np.asarray(seen[self.varying])

    def hidden_from(self, seat: int) -> NDArray[np.bool_]:
        """Return for each number of the state whether a seat doesn't see it."""
        return np.asarray(self._hidden[seat])

    def mask(self) -> NDArray[np.int8]:
        """1 for each action that is legal now and sensible; all 0 when the game is over.

        Raises
        ------
        RulesError
            When no action is.
        """
        mask = np.zeros(len(self.actions), np.int8)
        if self.seat < 0:
            return mask
        with Explained(self.game):
            for action in self._spans[self._asked]:
                mask[action] = self._asked.considered(self.game, self.actions[action][1])
            if not mask.any():
                raise RulesError(f"seat {self.seat} has no sensible move in {self._asked.name}")
        return mask

    def rewards(self) -> list[float]:
        """For each seat the change of its rewarded tally since the last call, negated for ``fewest``; 0 without one."""
        now, before = self._tallies(), self._counted
        self._counted = now
        return [float(a - b) for a, b in zip(now, before, strict=True)]

    def prize(self, seat: int) -> float:
        """Return the reward of a seat at the end of the game; 0 before it."""
        return self.prizes(seat)[self._outcome] if self.seat < 0 else 0.0

    def prizes(self, seat: int) -> list[float]:
        """Return the reward of a seat by each outcome: its payoff, or 1 by the outcome that is
        wanted (-1 to avoid it).
        """
        return [self.wanted.sign * prize + 0.0 for prize in self.wanted.prizes(self.game)[:, seat].tolist()]

    def ending(self) -> dict[str, Any]:
        """Return the outcome, if the game has outcomes, and the tallies of a game that is over."""
        names = outcome_names(self.game)
        return {**({"outcome": names[self._outcome]} if names else {}), "tallies": counted(self.game)}

    def _tallies(self) -> list[int]:
        """For each seat the value of its rewarded tally, negated for ``fewest``; 0 without one."""
        seats = max(1, seat_count(self.game))
        if not self.wanted.needs_tallies:
            return [0] * seats
        values = list(counted(self.game).values())
        return [self.wanted.sign * values[k] for k in payoff_tallies(self.game) or (self.wanted.number,) * seats]

    def _place_of(self, action: object) -> int:
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            number = -1
        if not 0 <= number < len(self.actions):
            most = len(self.actions) - 1
            raise IllegalMoveError(f"{self.game.name}: there is no action {action!r}; they are numbered 0 to {most}")
        return number

    def _count_step(self) -> None:
        if self._steps >= LIMIT:
            with Explained(self.game):
                raise EndlessGameError(f"not over after {LIMIT:,} throws and choices")
        self._steps += 1

    def _go_on(self) -> None:
        """Play to the next choice of a learning seat, or to the end of the game."""
        game = self.game
        with Explained(game):
            while (step := game.next()) != OVER:
                kind, number = asked(game, step)
                if isinstance(kind, Decision) and number in self.learning:
                    self._asked, self.seat = kind, number
                    return
                self._count_step()
                if isinstance(kind, Decision):
                    choose(game, kind, number, self._choosers)
                else:
                    applied(kind.run, game, self._stream.draw(pool(game, kind, number)))
            self._outcome = outcome_of(game)  # called once: it may count tallies
        self.seat = -1


# The state of an environment as text, and as a picture of that text ---------------------------------------------------


MODES = ("ansi", "rgb_array")
SIZE = 640, 480
"""Width and height of a picture in pixels."""


def must_be_rendered(mode: str | None, game: Game) -> None:
    """Check a render mode.

    Raises
    ------
    UnknownNameError, ParameterError
        When there is no such mode, matplotlib, which draws pictures, is not installed, or the game hides something.
    """
    if mode is not None:
        must_be_open(game, "a picture of its states")
    if mode is not None and mode not in MODES:
        raise unknown("render_mode", mode, MODES)
    if mode == "rgb_array" and find_spec("matplotlib") is None:
        raise ParameterError("render_mode rgb_array needs matplotlib: pip install 'dicelab[plot]'")


def rendered(table: Episode, mode: str | None) -> str | NDArray[np.uint8] | None:
    """Return the state in a render mode; None without one."""
    if mode is None:
        return None
    return text_of(table) if mode == "ansi" else picture_of(text_of(table))


def text_of(table: Episode) -> str:
    """Return the game and its index, its view or its fields, and who is to choose among which
    moves, or how it ended.
    """
    game = table.game
    if table.seed < 0:
        return f"{game.name}: no game has begun"
    with Explained(game):
        view = game.view().splitlines()
    return "\n".join([f"{game.name}: seed {table.seed}, game {table.number}", *(view or _fields(table)), _next(table)])


def _fields(table: Episode) -> list[str]:
    """Return a line for each field of the state."""
    state, declared = position(table.game), table.game.declared.state
    width = max(map(len, state), default=0)
    lines = []
    for name, value in state.items():
        words = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        if isinstance(declared[name], Seat) and value == -1:
            words = "nobody"
        if isinstance(declared[name], Flag):
            words = "yes" if value else "no"
        lines.append(f"  {name.ljust(width)}  {words}")
    return lines


def _next(table: Episode) -> str:
    """Return who is to choose, or how the game ended."""
    if table.seat >= 0:
        moves = [table.moves[action] for action in np.flatnonzero(table.mask())]
        return f"player {table.seat + 1}: {', '.join(moves)}"
    ending = table.ending()
    tallies = ", ".join(f"{name} {value}" for name, value in ending["tallies"].items())
    return f"over{': ' + ending['outcome'] if 'outcome' in ending else ''}; {tallies}"


def picture_of(text: str) -> NDArray[np.uint8]:
    """Return lines of text as a picture: a uint8 array (480, 640, 3), black on white."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = SIZE
    lines = text.splitlines()
    figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)
    # A letter is about 0.6 times as wide as its font is high, a line 1.2 times as high; font sizes are in 1/72 inch.
    fitting = min(430 / (1.2 * len(lines)), 590 / (0.6 * max(map(len, lines)))) * 72 / 100
    style: dict[str, Any] = {"family": "monospace", "fontsize": min(14.0, fitting), "parse_math": False}
    figure.text(0.03, 0.95, text, verticalalignment="top", linespacing=1.2, **style)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), np.uint8)[:, :, :3].copy()
