"""The face of each die in a roll, where the rules see only the total."""

from __future__ import annotations

from random import Random

from dicelab.rules.dice import SUM
from dicelab.runtime.interpreter import Source
from dicelab.runtime.philox import Pool, Stream

MOST_PICKED = 24
"""Faces are picked for at most this many dice; more are drawn as one frame with their total."""


class Faces:
    """A source of rolls that also knows the face of each die in its last roll, for a picture.

    Where the rules see only the total of several dice, dicelab's stream draws the total and no faces. The faces of the
    picture are then picked at random among those with that total, with the probabilities that the dice have given
    their total: for two ordinary dice, each pair with that total is equally likely. What is picked depends on the name
    of the stream and the number of the roll only, so a game always looks the same, and nothing is taken from the
    game's stream. Other streams (``python:5``, ``r:1``) roll die by die, and their own faces are shown.

    Attributes
    ----------
    source
        The source of the rolls.
    last
        The values of the dice in the last roll, in order; empty where the rules see more than a total.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.last: tuple[int, ...] = ()
        self._rolls = 0

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll."""
        self._rolls += 1
        self.last = ()
        if pool.view is not SUM or not 1 < pool.count <= MOST_PICKED:
            return self.source.draw(pool)
        if isinstance(self.source, Stream) and pool.whole:
            seen = self.source.draw(pool)
            self.last = faces_of_total(pool, seen[0], Random(f"{self.source}, roll {self._rolls}"))
            return seen
        self.last = self.source.draw(pool.one_by_one)  # the same dice, seen one by one
        return (sum(self.last),)


def faces_of_total(pool: Pool, total: int, chance: Random) -> tuple[int, ...]:
    """Return the values of dice with this total, picked with the probabilities that the dice have given the total.

    Examples
    --------
    >>> from dicelab.rules.dice import D6
    >>> faces_of_total(Pool(D6, (1,) * 6, 3, SUM, 1), 17, Random(1))
    (5, 6, 6)
    """
    dice = [[(f.value, w) for f, w in zip(die.faces, weights, strict=True)] for die, weights, _ in pool.each]
    rolls = [{0: 1}]  # rolls[k][t]: the weight of all rolls of the last k dice with the total t
    for die in reversed(dice[1:]):
        more: dict[int, int] = {}
        for so_far, times in rolls[-1].items():
            for value, weight in die:
                more[so_far + value] = more.get(so_far + value, 0) + times * weight
        rolls.append(more)
    values: list[int] = []
    for die, others in zip(dice, reversed(rolls), strict=True):
        left = total - sum(values)
        weights = [weight * others.get(left - value, 0) for value, weight in die]
        drawn, place = chance.randrange(sum(weights)), 0
        while drawn >= weights[place]:
            drawn -= weights[place]
            place += 1
        values.append(die[place][0])
    return tuple(values)
