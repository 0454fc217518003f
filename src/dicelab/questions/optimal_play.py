"""The questions about optimal play; what answers them needs NumPy."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.questions.declare import question
from dicelab.questions.options import (
    Against,
    Fields,
    GameLike,
    Memory,
    NumberOption,
    Objective,
    PolicyFile,
    SeatOption,
    Seed,
    ShareWatched,
    Situation,
    StatesWatched,
    Store,
    Threads,
    Whole,
    WordsWatched,
)
from dicelab.rules.loading.registry import find
from dicelab.runtime.lineup import Run, on_threads
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import stage

if TYPE_CHECKING:
    from dicelab.questions.heuristics.best import BestPlay
    from dicelab.questions.policies.advice import Advised
    from dicelab.questions.policies.solution import Solution

SHORT_SEARCH = "8"
"""Seconds for which a page of the lab looks for a rule of thumb."""


@question(
    chart="best",
    drawn=lambda result: result.view is not None or len(result.families) > 1 or len(result.bets) > 1,
    tab="How to play",
    needs="choices",
    settings=("at",),
    typed=lambda texts: {**texts, "seconds": SHORT_SEARCH},
    working="Solving the game, then looking for a rule to remember. The solution is kept for the next time.",
)
def best(
    game: GameLike,
    *,
    objective: Objective = None,
    at: Annotated[
        Situation | None,
        Fields(
            "The move in a situation, such as points=12 or 'player=player 2'; a bare number is the value of the field",
            "NAME=N",
        ),
    ] = None,
    leaves: Annotated[int, Whole("Maximum number of moves in the rule of thumb", "N", label="moves of the rule")] = 3,
    seconds: Annotated[float, NumberOption("Time for which a rule is looked for", "S", least=0)] = 20,
    games: Annotated[
        int, Whole("Games of each argument of a strategy that is simulated", "N", ("--games", "-n"))
    ] = 20_000,
    seed: Annotated[int | None, Seed("Seed of the dice", "N")] = 1,
    progress: WordsWatched = lambda words: None,
    **parameters: object,
) -> BestPlay:
    """Answer how a game should be played, with a rule of thumb, the best of its strategies, and where the move changes.

    The game is solved first, in at most 15 minutes and half of the machine's memory, and the solution is kept for the
    next time (dicelab solutions). A game that can't be solved is answered by its strategies, simulated; a game of money
    by the bets that cost least.

    Commands
    --------
    dicelab best tossup --target 50
    dicelab best tossup --target 50 --at points=12 --at scores=20,30 --at player=0
    dicelab best tossup --target 20 --leaves 4 --seconds 60 --plot best.svg
    dicelab best ./pig.py

    Parameters
    ----------
    objective
        As in `dicelab.solve`; by default the payoff, to win, or the score, as the game declares.
    seconds
        Seconds for which a rule is looked for; the best rule by then is shown.
    at
        Values of fields by name, as in `dicelab.advice`: a situation; only its moves are then answered.

    Raises
    ------
    InputError
        When something given is unknown or not allowed.
    PlayError

    Examples
    --------
    >>> print(best("lcr").summary)
    There is nothing to decide in lcr: the dice play it.
    """
    from dicelab.questions.heuristics.best import best_play

    return best_play(Run.of(game, **parameters).game, objective, leaves, seconds, at, games, seed, progress)


@question(
    chart="solution",
    charts="",
    policy="optimal",
    tab="Best play",
    needs="choices",
    complete=lambda page, texts: bool(page.card["choices"]),
)
def solve(
    game: GameLike,
    against: Annotated[Strategies, replace(Against, label="")] = (),
    *,
    seat: Annotated[
        int | str,
        SeatOption("Seat to optimise, with --against: its index, from 0, or a label such as 'player 2'", "SEAT"),
    ] = 0,
    objective: Objective = None,
    memory: Memory = None,
    threads: Threads = None,
    policy: bool = True,
    store: Store = None,
    progress: StatesWatched = lambda found, expanded: None,
    share: ShareWatched = lambda done: None,
    **parameters: object,
) -> Solution:
    """Find the optimal policy of one seat against given strategies, or of all seats against each other.

    For a game of one seat, or against given strategies, the policy is that of one seat. For two seats without given
    strategies, both play to win; where a game declares payoffs, each seat plays for its own, and two sides with opposed
    interests are solved exactly. In other games of several seats, the policies are best responses to each other. There
    may be several such sets of policies, or none: the error is then the largest gain of any seat from deviating. A game
    with hidden information is answered as by dicelab equilibrium.

    Commands
    --------
    dicelab solve tossup --target 50
    dicelab solve tossup --dry-run
    dicelab solve tossup --against bank_over:20 --seat 1
    dicelab solve tossup --target 20 --players 3
    dicelab solve tossup --target 50 --out best.npz
    dicelab solve tossup --target 20 --certificate tossup.json
    dicelab play tossup --target 50 -s policy:best.npz -s me
    dicelab solve ./pig.py --against hold_at:20 --seat 1

    Parameters
    ----------
    game, **parameters
        As in `dicelab.simulate`. A game with hidden information is refused here.
    against
        Strategies of the other seats, in order, or one for all of them.
    seat
        The seat to optimise against them: its index, from 0, or its label.
    objective
        ``win``, ``payoff``, the name of an outcome, ``avoid:OUTCOME``, ``most:TALLY``, ``fewest:TALLY``, or
        ``atleast:TALLY:N``, the chance that a tally ends at N or more, for which there is no policy; None means
        ``payoff`` if the game declares payoffs, else ``win`` if somebody can win.
    threads
        Threads that are used at most; one for each core when None.
    policy
        Whether to find the policy as well. If so, a game of more than five million states is solved turn by turn, else
        one of more than two million; the result then has a `turn_policy`.
    store
        As in `dicelab.exact`; the policy is kept as well.
    progress
        Called with the numbers of states found and expanded so far.
    share
        Called with the share that is done, from 0 to 1, of the states that are expected, once their number is
        estimated, and then of the solution.

    Returns
    -------
    Solution
        Its `chasing` is the number of strongly connected components in which best responses cycle.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed.
    TooLarge
        When the states don't fit into memory; the message says how many are known, and what would help.
    PlayError
        When a rule fails in a reachable state, or the value is unbounded.

    Examples
    --------
    >>> round(solve("tossup", "bank_over:20", target=10).outcomes["0"].probability, 6)
    0.825873
    """
    stage("loading what solves games")
    from dicelab.questions.policies.solve import solve as run

    given: dict[str, Any] = {"seat": seat, "objective": objective, "memory": memory, "policy": policy, "store": store}
    with on_threads(threads):
        return run(game, against, **given, progress=progress, share=share, parameters=parameters)


@question()
def policy(
    game: GameLike,
    file: Annotated[
        str | os.PathLike[str], PolicyFile("A policy that dicelab solve --out has saved", "FILE", words=True)
    ],
    *,
    at: Annotated[
        Situation | None,
        Fields(
            "Value of a state field, such as points=12 or scores=45,60; repeat for more. A number is the value of the "
            "field, in which seats are counted from 0; 'player=player 2' and 'scores[player 2]=45' are labels",
            "NAME=N",
        ),
    ] = None,
    **parameters: object,
) -> Advised:
    """Show which move a policy makes in a state and what each move costs.

    FILE is a file written by dicelab solve GAME --out FILE, whose name ends in .npz. The command draws the policy, too,
    summarises it, or prints it as a card; where FILE is of a game that comes with dicelab, it needs no GAME.

    Commands
    --------
    dicelab policy best.npz --rule
    dicelab policy tossup best.npz --at scores=35,40 --at points=12 --at player=0
    dicelab policy tossup best.npz --at scores[1]=40 --at player=0 --plot p.svg --x scores[0] --y points
    dicelab policy tossup best.npz --rule --leaves 3 --out rule.npz
    dicelab policy tossup best.npz --at player=0 --card card.pdf

    Parameters
    ----------
    game, **parameters
        The game; without parameters, it has those with which the policy was found.
    at
        Values of fields by name, as in `dicelab.advice`; other fields may have any value.

    Raises
    ------
    InputError
        When the file can't be read, is damaged, or is of another game or other rules.
    ParameterError
        When it is for other parameters, or no seat chooses in such a state.

    Examples
    --------
    >>> import dicelab
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     dicelab.solve("tossup", target=8, dice=2).policy.save(Path(folder, "best.npz"))
    ...     policy("tossup", Path(folder, "best.npz"), at={"points": 2, "scores": (5, 6), "player": 0}).rows[0].best
    'roll'
    """
    from dicelab.questions.policies.advice import advice, read_at
    from dicelab.questions.policies.files import load

    kind = find(os.fspath(game)) if isinstance(game, str | os.PathLike) else game
    known = load(file, Run.of(kind, **parameters).game if parameters else kind)
    return advice(known, at=read_at(at or {}, known.game))
