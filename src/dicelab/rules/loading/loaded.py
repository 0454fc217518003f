"""A game with other dice: the same rules, rolled with dice whose faces are not equally likely.

The rules are those of the game, in a class made here, in which rolls of such dice have other weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from types import ModuleType

from dicelab.errors import ParameterError, unknown
from dicelab.rules.actions import Throw
from dicelab.rules.casino import Casino
from dicelab.rules.dice import Die
from dicelab.rules.drawing import Drawn, Mixed
from dicelab.rules.game import Game
from dicelab.rules.loading.source import ITSELF, SOURCE

TEXT = '''
class Loaded(Base):
    name = Base.name
{money}
{rolls}

    def _other_dice(self):
        """By this function, the text of this class is found, and is part of the hash of the rules."""
'''
MONEY = '    published, edges_of = {}, ""'
ROLL = "    {name} = rolled_with(Base.{name}, {weights})"


def loaded(game: type[Game], weights: Mapping[int, int], rolls: Sequence[str] = ()) -> type[Game]:
    """Return the same game with other weights of the faces of its dice.

    Parameters
    ----------
    game
        The game. Published edges are left out: they are those of fair dice.
    weights
        By the value of a face: its weight, a whole number that is not negative.
    rolls
        The names of the rolls whose dice are replaced; if there are none, all rolls of fair dice with these faces.

    Raises
    ------
    ParameterError
        When no roll is of such dice, or one that is named is not.
    UnknownNameError
        When there is no roll of that name.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> loaded(Hazard, {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 2}).declared.throws[0].die.faces[5].weight
    2
    """
    chosen = rolls_with(game, list(weights), rolls)
    money = MONEY if issubclass(game, Casino) else ""
    text = TEXT.format(money=money, rolls="\n".join(ROLL.format(name=name, weights=dict(weights)) for name in chosen))
    module = ModuleType(f"dicelab_loaded_{game.name}")
    module.__dict__.update({SOURCE: text, ITSELF: module, "Base": game, "rolled_with": rolled_with})
    exec(compile(text, f"{game.__name__} with other dice", "exec"), module.__dict__)
    made: type[Game] = module.__dict__["Loaded"]
    return made


def rolls_with(game: type[Game], faces: Sequence[int], rolls: Sequence[str] = ()) -> list[str]:
    """Return the names of the rolls of fair dice with these faces, or those named, each of which must be one."""
    declared = {throw.name: throw for throw in game.declared.throws}
    for name in rolls:
        if name not in declared:
            raise unknown(f"roll of {game.name}", name, declared)
    fitting = [name for name, throw in declared.items() if fair_faces(throw) == tuple(sorted(faces))]
    known = ", ".join(f"{name} of {throw.die!r}" for name, throw in declared.items())
    for name in rolls:
        if name not in fitting:
            raise ParameterError(f"{name} of {game.name} is not a roll of fair dice with these faces; rolls: {known}")
    if not fitting:
        raise ParameterError(f"{game.name} rolls no fair dice with the faces {_listed(faces)}; rolls: {known}")
    return list(rolls) or fitting


def fair_faces(throw: Throw) -> tuple[int, ...]:
    """Return the values of the dice of a roll, if each is there once and all are equally likely; else none."""
    faces = throw.die.faces
    fair = all(isinstance(face.weight, int) and face.weight == 1 for face in faces)
    values = sorted({face.value for face in faces})
    return tuple(values) if fair and len(values) == len(faces) and not isinstance(throw, Mixed | Drawn) else ()


def rolled_with(throw: Throw, weights: Mapping[int, int]) -> Throw:
    """Return a kind of roll with other weights of the faces."""
    found = copy(throw)
    found.die = Die.made(replace(face, weight=weights[face.value]) for face in throw.die.faces)
    return found


def _listed(faces: Sequence[int]) -> str:
    return ", ".join(map(str, faces)) if len(faces) < 10 else f"{faces[0]} to {faces[-1]}"
