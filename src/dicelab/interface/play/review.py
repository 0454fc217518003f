"""`dicelab.review`: luck and skill in a saved game."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from dicelab.errors import DicelabError, InputError, ParameterError, TooLarge
from dicelab.interface.play.saved import SavedGame, checked, read, read_all
from dicelab.interface.play.screen.text import PERSON
from dicelab.questions.declare import question
from dicelab.questions.options import Memory, Objectives, Option, SavedGames, StatesWatched
from dicelab.rules.game import Game, counted, fresh, outcome_names, seat_count, shown
from dicelab.rules.loading.registry import find, looks_like_file
from dicelab.rules.private import private_fields
from dicelab.rules.together import opens_again
from dicelab.runtime.interpreter import outcome_of
from dicelab.runtime.lineup import Run
from dicelab.runtime.timing import Stopwatch

if TYPE_CHECKING:
    from dicelab.questions.policies.skill.reviewed import Review
    from dicelab.questions.policies.turn_policy import TurnPolicy


@question(chart="review")
def review(
    saved: Annotated[str | os.PathLike[str], SavedGames("A saved game (docs/saved-games.md)", "FILE", words=True)],
    game: Annotated[
        str | os.PathLike[str] | type[Game] | None,
        Option("The rules, if they are in a file of yours, such as ./pig.py", "GAME"),
    ] = None,
    *,
    objective: Annotated[
        str | None, Objectives("Value the states by win, an outcome, or most:TALLY [default: win]", "O")
    ] = None,
    policy: Annotated[
        TurnPolicy | str | os.PathLike[str] | None,
        Option(
            "Take the values from a policy that dicelab solve --out has saved, of a game solved turn by turn; or the "
            "strategy that all are taken to follow: in a game with hidden information, or for estimates",
            "FILE|S",
        ),
    ] = None,
    memory: Memory = None,
    progress: StatesWatched = lambda found, expanded: None,
) -> Review:
    """Review a saved game: luck, own costs and the others' errors, which add up to the result.

    The game is one that dicelab play --save has saved, or written by hand. It is solved first. Luck is what rolls
    change in the chance to win under optimal play; the cost of a decision is the difference from the best move. For
    every seat, exactly: result = start + luck - own costs + what the others' errors gave it. --csv and --json list
    every step.

    Commands
    --------
    dicelab review game.json
    dicelab review game.json --plot game.svg
    dicelab review game.json --game ./pig.py

    Parameters
    ----------
    game
        The rules, if they are in a file of yours: they are a program, so they are never taken from the name in the
        saved game.
    objective
        What the values are, as in `dicelab.solve`: ``win``, an outcome, or ``most:TALLY``.
    policy
        A policy that was solved turn by turn, or its file: the game isn't solved again then. In a game with hidden
        information, the strategy that all seats are taken to follow; decisions are judged by what the seat saw. In any
        other game a strategy gives estimates, by games that it plays on from each state; so does a game that is too
        large to be solved, with the strategy that it declares first.

    Returns
    -------
    Review
        The steps with their values, and the sums as fractions.

    Raises
    ------
    InputError
        When the file can't be read, or a move is not legal; the message gives its number.
    TooLarge
        When the game has too many states to be solved, and what it is worth can't be estimated either.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> moves = [{"roll": {"green": 2}}, {"choice": "bank"}]
    >>> file = pathlib.Path(tempfile.mkdtemp(), "game.json")
    >>> _ = file.write_text(json.dumps({"game": "tossup", "parameters": {"dice": 2, "target": 5}, "moves": moves}))
    >>> found = review(file)
    >>> found.result[0] == found.start[0] + found.luck[0] - found.costs[0] + found.given[0]
    True
    """
    watch, noted = Stopwatch(), read(os.fspath(saved))
    table = game_of(noted, game)(**noted.parameters)
    script = checked(fresh(table), noted)
    reviewed = of_game(table, script.steps, noted.seats, objective, memory, policy, progress)
    return replace(reviewed, seconds=watch.seconds)


def of_game(
    game: Game,
    steps: Sequence[tuple[str, tuple[int, ...]]],
    seats: Sequence[str],
    objective: str | None = None,
    memory: int | None = None,
    policy: TurnPolicy | str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
) -> Review:
    """Solve a game and review one that was played: its steps, and who sat in its seats as in a saved game."""
    from dicelab.engines.policy import PREFIX
    from dicelab.questions.policies.skill import review as reviewing
    from dicelab.questions.policies.skill.by_turns import kept_values, valued
    from dicelab.questions.policies.skill.mixed_review import review_mixed
    from dicelab.questions.policies.skill.review import reviewed_by
    from dicelab.questions.policies.skill.seen import review_seen
    from dicelab.questions.policies.thinking.ahead import unseen_fields

    names = _names(game, seats)
    played = [reviewing.PlayedStep(*step) for step in steps]
    hidden = unseen_fields(game)
    estimated = isinstance(policy, str) and not policy.endswith(".npz")
    if objective is None and not hidden and (estimated or (policy is None and private_fields(game))):
        return reviewed_by(game, str(policy or ""), played, names)
    if hidden:
        if not isinstance(policy, str):
            raise ParameterError(_needs_strategy(game, hidden))
        run = Run.of(game, PREFIX + policy if policy.endswith(".npz") and not policy.startswith(PREFIX) else policy)
        if any(call.strategy.mixes for call in run.calls):
            return review_mixed(run, played, names, objective)
        return review_seen(game, policy, played, names, objective, memory, progress)
    try:
        if policy is None and memory is None:
            solved = kept_values(game, objective=objective, progress=progress)
        else:
            solved = valued(game, objective=objective, memory=memory, policy=policy, progress=progress)
    except TooLarge as error:
        if objective is not None:
            raise
        try:
            reviewed = reviewed_by(game, "", played, names)
        except DicelabError as why:
            raise TooLarge(f"{error}; and a review can't be estimated: {why}") from error
        return replace(reviewed, unsolved=str(error))
    return reviewing.review(game, solved, played, names)


def _needs_strategy(game: Game, hidden: Sequence[str]) -> str:
    """Return what is missing for a review of a game with hidden information."""
    estimates = "; if it is too large for that, dicelab play --hint estimates moves" if opens_again(game) else ""
    return (
        f"{game.name} has hidden information ({', '.join(hidden)}): a review needs the strategy that all seats are "
        f"taken to follow, such as --policy {next(iter(game.declared.strategies))}, or a file of mixed strategies "
        f"(dicelab solve --out FILE){estimates}"
    )


def game_of(saved: SavedGame, game: str | os.PathLike[str] | type[Game] | None) -> type[Game]:
    """Return the game that is given, which must be that of the file; by default the game that the file names."""
    if game is None and looks_like_file(saved.game):
        raise InputError(f"{saved.path} is of a game in a file; give the file, if you trust it: --game {saved.game}")
    chosen = game if isinstance(game, type) else find(saved.game if game is None else os.fspath(game))
    if saved.game != chosen.name and not looks_like_file(saved.game):
        raise InputError(f"{saved.path} is a game of {saved.game}, not of {chosen.name}")
    return chosen


def _names(game: Game, seats: Sequence[str]) -> list[str]:
    """Return the names of the seats; the only person is ``you``."""
    from dicelab.questions.policies.skill.reviewed import YOU

    count = max(1, seat_count(game))
    if seats and len(seats) != count:
        raise InputError(f"{len(seats)} seats are named, and {game.name} has {count}")
    people = [seat for seat, name in enumerate(seats) if name in PERSON]
    titles = [f"player {seat}{f' ({name})' if name not in PERSON else ''}" for seat, name in enumerate(seats, 1)]
    if len(people) == 1:
        titles[people[0]] = YOU
    return titles


# Saved games as a table of results, for `dicelab.judge` ---------------------------------------------------------------


def finished(game: Game, place: str) -> list[list[str]]:
    """Return a table of the saved games of a file or a folder: names of columns, then a row for each game.

    Raises
    ------
    InputError
        When one can't be read, is of another game or not over, or has a move that is not legal; the message names it.
    """
    names = outcome_names(game)
    rows = [[*(["outcome"] if names else []), *game.declared.tallies]]
    for saved in read_all([place]):
        own = game_of(saved, type(game))(**saved.parameters)
        for name, value in shown(game).items():
            if shown(own)[name] != value:
                raise InputError(
                    f"{saved.path} has {name} {shown(own)[name]}, and the question is about {name} {value}"
                )
        ended = fresh(own)
        if not checked(ended, saved).over:
            raise InputError(f"{saved.path} is not over; judge takes finished games")
        outcome = outcome_of(ended)  # which may count, too
        rows.append([*([names[outcome]] if names else []), *map(str, counted(ended).values())])
    return rows
