"""`dicelab.check`: is this a lawful game?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FunctionType

from dicelab.conformance.in_child import SECONDS, Examination, examine
from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import find, looks_like_file


@keywords()
def check(
    game: str | os.PathLike[str] | type[Game] | Game,
    *,
    seconds: float = SECONDS,
    progress: Callable[[str], None] = lambda step: None,
) -> Examination:
    """Check the rules of a game: declarations, all states within a limit, seats, strategies, engines, exact answers.

    The file of the game is read anew by another process, so that nothing in it can stop or crash this one.

    Parameters
    ----------
    game
        A path checks every game in the file, ``path:name`` one of them. A name, a class, or a game with parameters
        stands for one game, which is checked at its defaults and at the limits of all its parameters in any case.
    seconds
        Seconds after which the check ends; what was not checked by then is not finished.
    progress
        Called with the name of each step as it begins.

    Returns
    -------
    Examination
        What was found, also if the game is broken; what was found until then, if the time was over or the check was
        interrupted from the keyboard.

    Raises
    ------
    InputError
        When there is no game of that name, or a class was not read from a file.

    Examples
    --------
    >>> check("hazard").lawful
    True
    """
    if isinstance(game, str | os.PathLike):
        if looks_like_file(os.fspath(game)):
            return examine(os.fspath(game), seconds, progress)
        game = find(os.fspath(game))
    given: object = game
    kind = given if isinstance(given, type) else type(given)
    if not issubclass(kind, Game) or kind is Game:
        raise ParameterError(f"{game!r} is not a game; give a name, a path to a file, a Game class or a Game")
    return examine(f"{_file_of(kind)}:{kind.name}", seconds, progress)


def _file_of(game: type[Game]) -> str:
    """Return the file in which a game is written: that of one of its methods, or of its module if it has none of its
    own.
    """
    rules = [getattr(member, "rule", member) for member in vars(game).values()]
    own = (rule for rule in rules if isinstance(rule, FunctionType) and rule.__module__ == game.__module__)
    file = next((rule.__code__.co_filename for rule in own), getattr(sys.modules[game.__module__], "__file__", None))
    if file is None or not os.path.isfile(file):
        raise ParameterError(f"{game.name} can't be checked, because it is in no file; put it in a file")
    return file
