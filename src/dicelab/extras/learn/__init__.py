"""`dicelab.learn`: learn to play from games alone, and compare what was learned with optimal play."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal, overload

from dicelab.errors import ParameterError
from dicelab.questions import PLAY
from dicelab.questions.declare import question
from dicelab.questions.options import (
    Against,
    GameLike,
    Memory,
    NumberOption,
    Objective,
    OneOf,
    Option,
    RandomSeed,
    SeatOption,
    Store,
    Watch,
    Whole,
)
from dicelab.runtime.strategies import Strategies

if TYPE_CHECKING:
    from dicelab.extras.learn.learned_values import LearnedValues
    from dicelab.extras.learn.result import Learned


@overload
def learn(
    game: GameLike,
    *,
    method: Literal["values", "turns"],
    games: int = 20_000,
    seed: int | None = None,
    objective: str | None = None,
    ending: str | None = None,
    further: str | os.PathLike[str] | None = None,
    hidden: int = 48,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    **parameters: object,
) -> LearnedValues: ...
@overload
def learn(
    game: GameLike,
    against: Strategies = (),
    *,
    seat: int | str = 0,
    method: Literal["table"] = "table",
    objective: str | None = None,
    games: int = 20_000,
    seed: int | None = None,
    points: int = 10,
    epsilon: float = 0.1,
    omega: float = 0.8,
    memory: int | str | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    **parameters: object,
) -> Learned: ...
@question(  # type: ignore[misc]  # the words after ** stand for parameters of games
    about="learn by playing, compared with optimal play",
    group=PLAY,
    chart="learning",
    drawn=lambda result: result.method == "learn",
    plots="dicelab.extras.learn.result",
    policy="learned",
    tab="Learn",
    rows="games",
    alike=True,
)
def learn(
    game: GameLike,
    against: Annotated[Strategies, Against] = (),
    *,
    seat: Annotated[
        int | str,
        SeatOption("Seat that learns, with --against: its index, from 0, or a label such as 'player 2'", "SEAT"),
    ] = 0,
    method: Annotated[
        str,
        OneOf(
            "How it learns: a table of all states, or a network that estimates values of states, or of beginnings of "
            "turns, by games of all seats against each other",
            "METHOD",
            label="method",
            values={"table": "a table", "values": "values of states", "turns": "values of turns"},
        ),
    ] = "table",
    objective: Objective = None,
    games: Annotated[int, Whole("Number of games to learn from", "N", ("--games", "-n"), label="games")] = 20_000,
    seed: RandomSeed = None,
    points: Annotated[int, Whole("Number of points of the learning curve", "K", label="points")] = 10,
    epsilon: Annotated[
        float, NumberOption("Share of moves made at random while learning", "E", label="epsilon", least=0, most=1)
    ] = 0.1,
    omega: Annotated[
        float,
        NumberOption("Step size of the n-th update of a move's value: 1/n^W", "W", label="omega", least=0.5, most=1),
    ] = 0.8,
    ending: Annotated[
        str | None,
        Option(
            "Parameters with which the game begins near its end: what it is worth from there is exact, with --method "
            "values (setup=bear-off,checkers=2)",
            "NAME=VALUE,...",
            label="ending",
        ),
    ] = None,
    further: Annotated[
        str | os.PathLike[str] | None,
        Option("File of learned values from which it goes on, with --method values", "FILE"),
    ] = None,
    hidden: Annotated[
        int,
        Whole(
            "Numbers of the hidden layer of the network, with --method values; 0 for a linear function",
            "N",
            label="hidden numbers",
            least=0,
            most=512,
        ),
    ] = 48,
    memory: Memory = None,
    store: Store = None,
    progress: Annotated[Callable[[int, int], None], Watch("rows")] = lambda done, total: None,
    **parameters: object,
) -> Learned | LearnedValues:
    """Learn to play from games alone, and compare the learned policy with optimal play.

    One seat learns, alone or against given strategies; or two seats learn against each other.

    A tabular Q-learner plays in the environments of dicelab.learning: one seat, alone or against given strategies, in
    Gymnasium's; two seats against each other in PettingZoo's. At several points its current estimates are turned into a
    policy without exploration, with the first sensible move in unseen states, and the value of that policy is computed
    exactly. If two seats learn, the value of each is that against the best response to its policy.

    The method "values" is for games with too many states for that, of any number of seats: a network learns what
    states are worth, by temporal differences, while all seats play by it. Its file is a player (policy:FILE), and
    says what states at the horizon are worth (search:2:FILE).

    The method "turns" is for games of one seat, or of two that play against each other, in turns: the network learns
    what the beginnings of turns are worth, and all within a turn is found exactly. It needs far fewer games, and plays
    better.

    Commands
    --------
    dicelab learn tossup --target 20 --against bank_over:20 --seed 1
    dicelab learn tossup --target 10 --seed 1 --games 1e5 --plot curve.svg
    dicelab learn tossup --target 20 --against bank_over:20 --out learned.npz
    dicelab learn ./pig.py --target 10 --seed 1 --points 4
    dicelab learn ./pig.py --method values --games 200 --seed 1 --out values.npz
    dicelab learn ./pig.py --method turns --games 500 --seed 1 --out values.npz

    Parameters
    ----------
    game, against, seat, objective, memory, **parameters
        As in `dicelab.solve`.
    method
        ``table``, ``values`` or ``turns``. With ``values`` and ``turns`` only `games`, `seed`, `store` and the
        parameters matter: all seats learn what the game is played for, or with ``values`` to win
        (``objective="win"``), whatever a win pays; there are no points, and nothing is compared with optimal play.
    games
        Number of games to learn from. Their dice are those of `dicelab.simulate` with this seed; with ``values`` and
        ``turns`` they are others; with ``values`` games come in batches of 100.
    seed
        Seed of the dice and of the exploration; drawn at random when None.
    ending
        Parameters with which the game begins near its end, such as ``setup=bear-off,checkers=2``: that game of two
        players is solved, and the values of all its states take the place of estimates. Only parameters that nothing
        but ``start`` reads may differ. With ``values`` only.
    further
        A file of values learned before, from which it goes on with a smaller learning rate; the mean of the weights of
        the second half is kept. With ``values`` only.
    hidden
        Numbers of the hidden layer of the network, from 1 to 512: more of them learn more, and take longer. 0 learns a
        linear function of the inputs instead. With ``values`` only, and not with `further`, which keeps those of its
        file.
    store
        A file (docs/store.md) that keeps the result, and every few seconds what was learned so far: a run that was
        interrupted, or with ``table`` one of fewer games, is continued. The curve then has the points computed before
        and those of this call that come later.

    Returns
    -------
    Learned
        If interrupted from the keyboard, what was learned so far.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed, or a library is not installed.
    TooLarge
        When the states don't fit into memory, so that no exact value can be computed.

    Examples
    --------
    >>> learned = learn("tossup", target=3, dice=2, games=2000, seed=1, points=2)
    >>> [point.games for point in learned.points], learned.points[-1].gap < learned.points[0].gap
    ([2, 2000], True)
    """
    from dicelab.questions.policies.plan import seated

    if ending is not None and method != "values":
        raise ParameterError(f"method {method} takes no ending; learn with --method values")
    if further is not None and method != "values":
        raise ParameterError(f"method {method} doesn't go on from a file; learn with --method values")
    if hidden != 48 and (method != "values" or further is not None):
        why = (
            f"method {method} has a size of its own"
            if method != "values"
            else "what goes on from a file keeps its size"
        )
        raise ParameterError(f"{why}: leave out hidden")
    if method in ("values", "turns"):
        from dicelab.extras.learn.learned_values import learned_values
        from dicelab.questions.policies.objective import default_objective
        from dicelab.runtime.lineup import Run

        if against:
            raise ParameterError(f"method {method} takes no against: all seats play by what it learns")
        run, wins = Run.of(game, **parameters), method == "values" and objective == "win"
        default = default_objective(run.game)
        if objective not in (None, default) and not wins:
            win = ", or win" if method == "values" and default == "payoff" else ""
            raise ParameterError(f"method {method} learns what {run.game.name} is played for: {default}{win}")
        wins = wins and default != "win"
        return learned_values(run, method, games, seed, ending, further, hidden, wins, store, progress)
    from dicelab.extras.learn.q_learning import learned

    run, seats = seated(game, against, seat, parameters, "")
    return learned(
        run,
        seats,
        against,
        objective=objective,
        games=games,
        seed=seed,
        points=points,
        epsilon=epsilon,
        omega=omega,
        memory=memory,
        store=store,
        progress=progress,
    )
