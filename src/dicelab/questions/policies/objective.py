"""Objectives: to win, to reach or avoid an outcome, the payoff of a seat, or the most or the fewest of a tally."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError, unknown
from dicelab.results.base import winners
from dicelab.results.numbers.estimates import outcome_typed
from dicelab.results.text.writing import objective_text
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, outcome_names, player_names, seat_count
from dicelab.rules.objectives import OF_TALLIES, Wanted, wanted
from dicelab.rules.payoffs import has_payoffs, payoff_tallies, payoffs_of
from dicelab.runtime.arrays import Floats
from dicelab.solver.enumeration.graph import Share
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.equilibrium import Several, of_sides, several
from dicelab.solver.solution.distribution import in_units
from dicelab.solver.turns.solve import Aims
from dicelab.solver.value_iteration import NOWHERE, Layers

AT_LEAST = "atleast:"
"""What objectives begin with that ask whether a tally reaches an amount: ``atleast:score:200``."""

MOST_TOLD = 12
"""Maximum number of objectives that a message lists."""

SCORES = ("score", "points")
"""Names of tallies that count for the player unless a game says otherwise."""


class Rewards(NamedTuple):
    """What each row of a graph's changes and each outcome add to the value, in multiples of `unit`.

    `side` has 1 for each seat that maximises the sum, and -1 for one that minimises it.
    """

    gain: Floats
    prize: Floats
    side: NDArray[np.int8]
    unit: float


def objectives(game: Game) -> list[str]:
    """Return all objectives that a game has, with players by their labels.

    >>> from dicelab.games.hazard import Hazard
    >>> objectives(Hazard())
    ['win', 'lose', 'avoid:win', 'avoid:lose', 'most:throws', 'fewest:throws', 'atleast:throws:N']
    """
    first = ["payoff"] if has_payoffs(game) else []
    names, peaks = outcome_names(game), {n for n, tally in game.declared.tallies.items() if isinstance(tally, Peak)}
    first += [*(["win"] if winners(game) else []), *names, *(f"avoid:{name}" for name in names)]
    sums = [f"{much}:{name}" for name in game.declared.tallies if name not in peaks for much in OF_TALLIES]
    goals = first + sums + [f"{AT_LEAST}{name}:N" for name in game.declared.tallies]
    return [objective_text(text, seat_count(game), player_names(game)) for text in goals] if winners(game) else goals


def default_objective(game: Game) -> str | None:
    """Return what a game is played for unless something else is said; None if it declares nothing of the kind.

    That is what the game says (`Words.objective`), else the payoff if payoffs are declared, else to win if seats can
    win or an outcome has that name, else for one seat the most of the first tally that counts for the player
    (`Words.scores`), or of a tally ``score`` or ``points``.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> default_objective(Yahtzee())
    'most:score'
    """
    if game.words.objective:
        return game.words.objective
    if has_payoffs(game):
        return "payoff"
    if winners(game) or "win" in outcome_names(game):
        return "win"
    if seat_count(game) <= 1 and not outcome_names(game):
        for name in (*game.words.scores, *SCORES):
            if name in game.declared.tallies and not isinstance(game.declared.tallies[name], Peak):
                return f"most:{name}"
    return None


def has_default(game: Game) -> bool:
    """Return whether a game has a default objective.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> has_default(Yahtzee())
    True
    """
    return default_objective(game) is not None


def no_default(game: Game) -> str:
    """Return what to do about a game without a default objective, as a sentence."""
    return f"{game.name} has no default objective; choose one with --objective: {objectives_told(game)}"


def objectives_told(game: Game) -> str:
    """Return the objectives of a game for a message; where they are many, how their names are made.

    >>> from dicelab.extras.craps.craps import Craps
    >>> objectives_told(Craps()).partition(" (")[0]
    'ruined, behind, even, ahead, avoid:OUTCOME, most:TALLY, fewest:TALLY'
    """
    known = {name: aim for name in objectives(game) if (aim := wanted(name)).kind != "atleast"}
    if len(known) <= MOST_TOLD:
        return ", ".join(known)
    first = [name for name, aim in known.items() if aim.kind in ("win", "payoff", "outcome")]
    tallies = [aim.name for aim in known.values() if aim.kind == "most"]
    first += ["avoid:OUTCOME"] if any(aim.kind == "avoid" for aim in known.values()) else []
    return (
        f"{', '.join([*first, 'most:TALLY', 'fewest:TALLY'])} ({', '.join(tallies)})" if tallies else ", ".join(first)
    )


class Stakes(NamedTuple):
    """What each row of a graph's changes (changes, seats), and each outcome (outcomes, seats), adds to each seat."""

    gain: Floats
    prize: Floats

    @property
    def sides(self) -> list[tuple[float, float]] | None:
        """As `opposed`, for what is counted and for outcomes alike."""
        if not self.gain.any():
            return opposed(self.prize)
        sides = opposed(np.concatenate((self.gain, np.zeros_like(self.gain[:1]))))
        return sides if not self.prize.any() else None

    def best(self, graph: Graph, share: Share = lambda done: None, layers: Layers = NOWHERE) -> Several:
        """Optimal play of all seats: of two sides with opposed interests, or best responses to each other."""
        sides = self.sides
        if sides is None:
            return several(graph, self.prize, share, self.gain)
        return of_sides(graph, sides, self.gain[:, 0].copy(), self.prize[:, 0].copy(), share, layers)


def opposed(payoffs: Floats) -> list[tuple[float, float]] | None:
    """Return the payoffs (outcomes, seats) of two sides whose interests are opposed: what seat 0 gets determines all
    others.

    Returns for each seat the numbers a and c with payoff = a + c times the payoff of seat 0: c is above 0 for the seats
    on its side, below 0 for those on the other side, and 0 for a seat that always gets the same. None if there are no
    such numbers.

    >>> opposed(np.array([[1, 0], [0.5, 0.5], [0, 1]]))
    [(0.0, 1.0), (1.0, -1.0)]
    >>> opposed(np.array([[2, 0], [0, 1], [0, 0]])) is None
    True
    """
    mine = payoffs[:, 0]
    low, high = int(mine.argmin()), int(mine.argmax())
    sides = []
    for other in payoffs.T:
        c = float((other[high] - other[low]) / (mine[high] - mine[low])) if mine[high] > mine[low] else 0.0
        a = float(other[low] - c * mine[low])
        if not np.allclose(a + c * mine, other, rtol=1e-12, atol=1e-12):
            return None
        sides.append((a, c))
    return sides


@dataclass(frozen=True, kw_only=True)
class Objective(Wanted):
    """An objective of a game: to win, an outcome or to avoid it, its payoff, or the most or the fewest of a tally.

    Attributes
    ----------
    text
        As it is typed.
    number
        Index of the outcome or tally; -1 for ``win`` and ``payoff``.
    tallied
        Whether the payoff of a seat is what a tally has counted.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> objective = Objective.of(TossUp(), "fewest:turns")
    >>> objective.kind, objective.sign, objective.counts
    ('fewest', -1, True)
    """

    text: str
    number: int = -1
    tallied: bool = False

    @classmethod
    def of(cls, game: Game, text: str | None) -> Objective:
        """Parse an objective: ``win``, ``payoff``, an outcome, ``avoid:OUTCOME``, ``most:TALLY`` or ``fewest:TALLY``.

        None means what `default_objective` says.

        Raises
        ------
        ParameterError, UnknownNameError
            When there is no such outcome or tally, or no default objective.
        """
        names, tallies = outcome_names(game), tuple(game.declared.tallies)
        if text is None:
            text = default_objective(game)
            if text is None:
                raise ParameterError(f"{game.name}: give an objective, one of {objectives_told(game)}")
        aim = wanted(text)
        if aim.kind != "atleast":
            text = text.removesuffix(aim.name) + outcome_typed(game, aim.name)
        if text == "payoff" and has_payoffs(game):
            return cls("payoff", "payoff", text=text, tallied=payoff_tallies(game) is not None)
        if text == "win" and winners(game):
            return cls("win", "win", text=text)
        aim = wanted(text)
        if aim.counts:
            if aim.name not in tallies:
                raise unknown(f"tally of {game.name}", aim.name, tallies)
            if isinstance(game.declared.tallies[aim.name], Peak):
                raise ParameterError(f"objective: {aim.name} is a Peak, which is not a sum over the steps of a game")
            return cls(aim.kind, aim.name, text=text, number=tallies.index(aim.name))
        if aim.kind == "avoid" and aim.name in names:
            return cls("avoid", aim.name, text=text, number=names.index(aim.name))
        if aim.kind == "atleast":
            raise ParameterError(f"objective: {text} is for solve only, of one seat")
        if text not in names:
            raise unknown(f"objective of {game.name}", text, objectives(game))
        return cls("outcome", text, text=text, number=names.index(text))

    @property
    def needs_tallies(self) -> bool:
        """Whether the value depends on what tallies count."""
        return self.counts or self.tallied

    def prizes(self, game: Game) -> Floats:
        """Return what each outcome is worth to each seat (outcomes, seats), beside what tallies count.

        That is its payoff, or 1 for the outcome that is named, by which a seat wins, or which is to be avoided (then
        `sign` is -1).

        Examples
        --------
        >>> from dicelab.games.hazard import Hazard
        >>> Objective.of(Hazard(), "avoid:win").prizes(Hazard()).tolist()
        [[1.0], [0.0]]
        """
        outcomes, seats = max(1, len(outcome_names(game))), max(1, seat_count(game))
        payoffs = payoffs_of(game) if self.kind == "payoff" else None
        if payoffs is not None:
            return np.array(payoffs, np.float64)
        if self.kind == "win":
            return np.eye(outcomes, seats)
        prizes = np.zeros((outcomes, seats))
        if self.is_chance:
            prizes[self.number] = 1.0
        return prizes

    def stakes(self, graph: Graph) -> Stakes:
        """Return what each seat plays for if all play optimally: its payoff, or to win."""
        tallies = payoff_tallies(graph.game) if self.tallied else None
        prize = self.prizes(graph.game)
        gain = np.zeros((len(graph.changes), prize.shape[1]))
        return Stakes(gain if tallies is None else graph.changes[:, list(tallies)].astype(np.float64), prize)

    def rewards(self, graph: Graph, seat: int) -> Rewards:
        """Return the rewards of a seat that pursues the objective; all other seats play against it."""
        stakes, unit = self.stakes(graph), 1.0
        gain, prize = stakes.gain[:, seat].copy(), stakes.prize[:, seat].copy()
        if self.counts:
            gain, unit = in_units(graph.changes[:, self.number], list(graph.game.declared.tallies)[self.number])
        side = np.full(max(1, seat_count(graph.game)), -1, np.int8)
        side[seat] = self.sign
        return Rewards(gain, prize, side, unit)

    def aims(self, game: Game, seats: int) -> Aims:
        """Return what is optimised if all seats of a game play optimally, for solving it turn by turn."""
        tally = list(game.declared.tallies)[self.number] if self.counts else None
        return Aims(self.prizes(game)[:, 0].tolist(), [self.sign, -1][:seats], tally, seats > 1)
