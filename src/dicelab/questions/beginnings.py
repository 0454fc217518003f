"""The first rolls and choices of a game: every way in which a game can begin, with its exact probability.

By itself because it is imported only where there are beginnings to list, and the declaration of `why` must stay light.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dicelab.errors import ParameterError, TooLarge
from dicelab.results.text.writing import many
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.dice import COUNTS, SUM
from dicelab.rules.fields import applied
from dicelab.rules.game import seat_count
from dicelab.runtime.interpreter import Explained, as_move, choose
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.states.explorer import StateExplorer
from dicelab.solver.enumeration.mixing import chosen_by, mixing_seats, option, weights_of
from dicelab.solver.enumeration.model import all_outcomes

MOST_ROWS = 2_000
"""Limit of the beginnings."""
MOST_FOLLOWED = 200_000
"""Limit of the outcomes and moves that are followed, in plain Python: some seconds."""
MOST_MOVES = 50
"""Sensible moves up to which a choice is a step; of a choice with more, only what the strategy chooses is followed."""


@dataclass(frozen=True)
class EarlyStep:
    """A roll, or outcomes of a roll that lead to the same state; or a move.

    Attributes
    ----------
    kind, name
        ``throw`` or ``choice``, and the rules' method.
    words
        The roll or the move as text: ``left center``, ``7, 11`` or ``bank``.
    seat
        The seat that chooses; None for a roll.

    Examples
    --------
    >>> EarlyStep("choice", "roll_or_bank", "bank", seat=0).to_dict()["words"]
    'bank'
    """

    kind: str
    name: str
    words: str
    seat: int | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain data."""
        seat = {} if self.seat is None else {"seat": self.seat}
        return {"kind": self.kind, "name": self.name, "words": self.words, **seat}


@dataclass(frozen=True)
class Beginning:
    """One way in which a game can begin.

    Attributes
    ----------
    steps
        Its first rolls and choices; fewer than asked for where the game is over before.
    probability
        0 where a strategy chooses another move.
    state
        The state that it leads to, as the list of its numbers; None if the game is over.
    outcome
        The outcome if the game is over.
    counted
        What the tally has counted so far.
    """

    steps: tuple[EarlyStep, ...]
    probability: Fraction
    state: tuple[int, ...] | None
    outcome: int
    counted: int


def beginnings(run: Run, depth: int, tally: int | None) -> tuple[Beginning, list[Beginning]]:
    """Return the start of a game, and all its beginnings of so many steps, in the order of the outcomes of the dice.

    Rolls that lead to the same state, with the same change of the tally with this place, are one step. A choice is a
    step if it has at most `MOST_MOVES` sensible moves, and more than one. After the last step strategies make all
    choices up to the next roll.

    Raises
    ------
    TooLarge
        When there are too many.
    """
    opening = Opening(run, tally)
    start = opening.start_of_game()
    openings = [start]
    for done in range(depth):
        openings = list(opening.followed(openings, done + 1))
    return opening.settled(start), [opening.settled(one) for one in openings]


Made = dict[tuple[int, ...], tuple[Fraction, int]]
"""The moves that a strategy may make: the probability of each, and its place among what is drawn."""


class Opening(StateExplorer):
    """Follows the first steps of a game; `tally` is the place of the tally that is counted, or None."""

    def __init__(self, run: Run, tally: int | None) -> None:
        self.seats = range(max(1, seat_count(run.game)))
        self.tally = tally
        self.tried = 0
        self.run, self.drawing = run, frozenset(mixing_seats(run))
        super().__init__(run, self.seats)

    def start_of_game(self) -> Beginning:
        """Return the beginning without any step.

        Raises
        ------
        ParameterError
            When no roll or choice is ever made.
        """
        if self.start[0] < 0:
            raise ParameterError(f"{self.game.name}: with these parameters the game is over before the first roll")
        return self._led(Beginning((), Fraction(1), None, -1, 0), self.start)

    def followed(self, before: list[Beginning], step: int) -> Iterator[Beginning]:
        """Yield all beginnings with one more step than those `before`."""
        rows = 0
        for one in before:
            for after in self._after(one):
                rows += 1
                if rows > MOST_ROWS or self.tried > MOST_FOLLOWED:
                    raise self._too_many(step)
                yield after

    def _too_many(self, step: int) -> TooLarge:
        """Return the error for a step with too many rows."""
        steps = "the first step has" if step == 1 else f"the first {step} steps have"
        many = f"{steps} more than {MOST_ROWS:,} different results or {MOST_FOLLOWED:,} rolls"
        advice = f"ask for --depth {step - 1}" if step > 1 else "fewer dice would help"
        return TooLarge(f"{self.game.name}: {many}, too many for a table; {advice}")

    def settled(self, one: Beginning) -> Beginning:
        """Return a beginning followed to the next roll, where a choice is next: strategies make it. A choice that is
        drawn is followed no further.
        """
        if one.state is None:
            return one
        self.place.set(one.state)
        self._count_from(self.nothing)
        self.free = self.drawing
        end = self._settle()
        self.free = self.seats
        return self._led(one, end)

    def _led(self, one: Beginning, end: tuple[int, int]) -> Beginning:
        """Return a beginning that goes on to the end of a transition."""
        counted = one.counted + (0 if self.tally is None else self.changes.things[end[1]][self.tally])
        state = self.positions.things[end[0]] if end[0] >= 0 else None
        return replace(one, state=state, outcome=-1 - end[0] if end[0] < 0 else -1, counted=counted)

    def _after(self, one: Beginning) -> Iterator[Beginning]:
        """Yield the beginnings with one more step; only the beginning itself if the game is over."""
        while one.state is not None:
            kind, number = self.arrive(one.state)
            if isinstance(kind, Throw):
                yield from self._rolls(one, kind, number)
                return
            moves, made = self._moves(kind, number, one.state)
            if len(moves) > 1:
                yield from self._choices(one, kind, number, moves, made)
                return
            one = self._led(one, self._chosen(kind, number, one.state, made[moves[0]][1]))
        yield one

    def _rolls(self, one: Beginning, kind: Throw, number: int) -> Iterator[Beginning]:
        """Yield a beginning, and each outcome of a roll; those that lead to the same are one."""
        with Explained(self.game):
            dice = pool(self.game, kind, number)
        outcomes = all_outcomes(self.game, kind, dice)
        self.tried += len(outcomes)
        if self.tried > MOST_FOLLOWED:
            raise self._too_many(len(one.steps) + 1)
        total = sum(outcome.weight for outcome in outcomes)
        alike: dict[object, list[int]] = {}
        after = []
        for i, outcome in enumerate(outcomes):
            after.append(self._led(one, self.follow(kind, outcome.seen)))
            alike.setdefault((after[-1].state, after[-1].outcome, after[-1].counted), []).append(i)
        groups = [[outcomes[i].seen for i in group] for group in alike.values()]
        for words, group in zip(roll_words(kind, dice.count, groups), alike.values(), strict=True):
            weight = sum(outcomes[i].weight for i in group)
            step = EarlyStep("throw", kind.name, words)
            yield replace(
                after[group[0]], steps=(*one.steps, step), probability=one.probability * Fraction(weight, total)
            )

    def _moves(self, kind: Decision, seat: int, here: tuple[int, ...]) -> tuple[list[tuple[int, ...]], Made]:
        """Return the moves that are followed, and those that the strategy may make, which are among them."""
        moves = [move for move in kind.listing(self.game) or () if kind.considered(self.game, move)]
        made = self._made(kind, seat, here)
        self.place.set(here)
        moves = moves if len(moves) <= MOST_MOVES else []
        return sorted({*moves, *made}) if not made.keys() <= set(moves) else moves, made

    def _made(self, kind: Decision, seat: int, here: tuple[int, ...]) -> Made:
        """Return the moves that a strategy may make; it may change its memory."""
        with Explained(self.game):
            if seat not in self.drawing:
                return {as_move(self.place.choosers[seat](self.game, kind, seat)): (Fraction(1), 0)}
            weights = weights_of(self._asked(seat))
            made: Made = {}
            for place, weight in enumerate(weights):
                self.place.set(here)
                move = option(self._asked(seat), place, self.game, kind, self.run.calls[seat].strategy.name)
                made[move] = made.get(move, (0, 0))[0] + Fraction(weight, sum(weights)), place
            return made

    def _asked(self, seat: int) -> object:
        """Return what a strategy that draws its moves chooses now."""
        return chosen_by(self.game, seat, self.run.calls[seat], self.place.memories[seat])

    def _choices(
        self, one: Beginning, kind: Decision, seat: int, moves: list[tuple[int, ...]], made: Made
    ) -> Iterator[Beginning]:
        """Yield a beginning, and each move of a choice."""
        assert one.state is not None
        self.tried += len(moves)
        for move in moves:
            share, place = made.get(move, (Fraction(0), -1))
            end = self._moved(kind, move, one.state) if place < 0 else self._chosen(kind, seat, one.state, place)
            step = EarlyStep("choice", kind.name, kind.describe(move), seat)
            yield replace(self._led(one, end), steps=(*one.steps, step), probability=one.probability * share)

    def _chosen(self, kind: Decision, seat: int, here: tuple[int, ...], place: int) -> tuple[int, int]:
        """Let the strategy choose in a state, of what it draws the option at this place; returns where that leads."""
        self.place.set(here)
        self._count_from(self.nothing)
        with Explained(self.game):
            if seat in self.drawing:
                who = self.run.calls[seat].strategy.name
                applied(kind.run, self.game, option(self._asked(seat), place, self.game, kind, who))
            else:
                choose(self.game, kind, seat, self.place.choosers)
        return self._settle()

    def _moved(self, kind: Decision, move: tuple[int, ...], here: tuple[int, ...]) -> tuple[int, int]:
        """Make a move in a state, without asking the strategy; returns where that leads."""
        self.place.set(here)
        self._count_from(self.nothing)
        with Explained(self.game):
            applied(kind.run, self.game, move)
        return self._settle()


# Rolls as text --------------------------------------------------------------------------------------------------------

Seen = tuple[int, ...]
"""What the rules receive of a roll."""
MOST_LISTED = 6
"""Rolls with the same effect that are all listed; of more, only the first."""
MOST_SPELLED, MOST_NUMBERS = 4, 12
"""Dice whose faces, or numbers, are all spelled out; of more, how many show each face."""


def roll_words(kind: Throw, count: int, groups: Sequence[Sequence[Seen]]) -> list[str]:
    """Return each group of outcomes of `count` dice as text.

    The order of dice is left out where it never matters, and faces where the number of the others tells the group.

    Examples
    --------
    >>> from dicelab.games.lcr import LCR
    >>> from dicelab.games.tossup import TossUp
    >>> roll_words(LCR.declared.throws[0], 3, [[(1, 1, 1, 0), (0, 0, 0, 3)], [(0, 1, 0, 2)]])
    ['left center right or dot dot dot', 'center dot dot']
    >>> roll_words(TossUp.declared.throws[0], 10, [[(9, 0, 1), (8, 1, 1)], [(8, 0, 2)]])
    ['1 green', '8 red 2 green']
    """
    if kind.view is SUM:
        labels = {face.value: face.label for face in kind.die.faces} if count == 1 else {}
        return [_listed(_numbers([labels.get(seen[0], str(seen[0])) for seen in group])) for group in groups]
    if kind.view is COUNTS:
        faces = [face.label for face in kind.die.faces]
        return [_in_common(faces, i, groups) or _listed([_counts(faces, seen) for seen in groups[i]])
                for i in range(len(groups))]  # fmt: skip
    owners: dict[Seen, set[int]] = {}
    for at, group in enumerate(groups):
        for seen in group:
            owners.setdefault(tuple(sorted(kind.dice_seen(seen, count))), set()).add(at)
    return [
        _listed(list(dict.fromkeys(_faces(kind, kind.dice_seen(seen, count), owners) for seen in group)))
        for group in groups
    ]


def _counts(faces: Sequence[str], seen: Seen) -> str:
    """Return how many dice show each face, or the faces themselves."""
    numbers = all(face.isdecimal() for face in faces)
    if sum(seen) <= (MOST_NUMBERS if numbers else MOST_SPELLED):
        return " ".join(face for n, face in zip(seen, faces, strict=True) for _ in range(n))
    return " ".join(f"{n} {'of ' * numbers}{face}" for n, face in zip(seen, faces, strict=True) if n)


def _in_common(faces: Sequence[str], at: int, groups: Sequence[Sequence[Seen]]) -> str:
    """Return what all outcomes of a group have in common, and no other outcome has; empty if nothing."""
    group, others = groups[at], [seen for i, other in enumerate(groups) if i != at for seen in other]
    same = [i for i in range(len(faces)) if len({seen[i] for seen in group}) == 1]
    shown = [i for i in same if group[0][i]]
    for places in (shown, same if shown else same[:1]):
        alike = any(all(seen[i] == group[0][i] for i in places) for seen in others)
        if len(group) > 1 and places and not alike:
            return " ".join(f"{group[0][i] or 'no'} {faces[i]}" for i in places)
    return ""


def _faces(kind: Throw, dice: Seen, owners: dict[Seen, set[int]]) -> str:
    """Return the faces of dice in order, or sorted where all orders are in the same group."""
    labels, key = {face.value: face.label for face in kind.die.faces}, tuple(sorted(dice))
    return " ".join(labels[value] for value in (key if len(owners[key]) == 1 else dice))


def _numbers(texts: Sequence[str]) -> list[str]:
    """Return the texts in which three or more numbers that follow each other are one.

    >>> _numbers(["2", "3", "5", "6", "7", "12"])
    ['2', '3', '5 to 7', '12']
    """
    runs: list[list[str]] = []
    for text in texts:
        follows = runs and text.isdecimal() and runs[-1][-1].isdecimal() and int(text) == int(runs[-1][-1]) + 1
        if follows:
            runs[-1].append(text)
        else:
            runs.append([text])
    return [part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else run)]


def _listed(texts: Sequence[str]) -> str:
    """Return the texts as one: ``2, 3 or 12``; of many only the first, and how many there are."""
    if len(texts) > MOST_LISTED:
        return f"{texts[0]} or {many(len(texts) - 1, 'other')}"
    *first, last = texts
    return f"{', '.join(first)} or {last}" if first else last
