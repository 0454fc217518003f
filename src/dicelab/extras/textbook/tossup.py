"""Text 3: Toss Up!, its strategies and its tables, on R's own random numbers. The rules: `dicelab.games.tossup`.

Source: "Simulating the dice game Toss Up! in R", the blog *Statistical Odds & Ends*. The dice are R's, so that after
``set_seed(1)`` the text's games and tables come out as published. The names below may be given other values, as in the
text: ``tossup.POINTS_TO_WIN = 20``.

Examples
--------
>>> set_seed(1)
>>> won = play_games(100, one_roll, one_roll)
>>> won.count(1), won.count(2)
(56, 44)
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from dicelab.errors import EndlessGameError, ParameterError
from dicelab.limits import LIMITS
from dicelab.rules.params import as_integer
from dicelab.runtime.r_generator import LARGEST_SEED, RStream

NUM_DICE = 10
"""Dice in the cup."""
FACE_PROBS: Sequence[float] = (1 / 6, 2 / 6, 3 / 6)
"""Probabilities of red, yellow and green."""
POINTS_TO_WIN = 100
"""Banked points that win."""

RED, YELLOW, GREEN = 0, 1, 2
BUST = "rolled at least 1 red and no green"
ACTIONS = ("bank", "roll", BUST)

_random: RStream | None = None


@dataclass(slots=True)
class State:
    """The state of a game.

    Attributes
    ----------
    current_player
        Whose turn it is: 1 or 2.
    scores
        Points banked by each player.
    turn_points
        Points of this turn, without the greens now showing.
    dice_rolls
        The dice now showing: 0 red, 1 yellow, 2 green.

    Examples
    --------
    >>> State(current_player=1, scores=[0, 26], turn_points=4, dice_rolls=[2, 2, 1, 0, 1])
    State(current_player=1, scores=[0, 26], turn_points=4, dice_rolls=[2, 2, 1, 0, 1])
    """

    current_player: int
    scores: list[int]
    turn_points: int
    dice_rolls: list[int]


Strategy = Callable[[State], str]
"""Chooses ``"bank"`` or ``"roll"`` for the current player."""


def set_seed(seed: int) -> None:
    """Seed the random numbers as R's ``set.seed`` does; if it is never called, the seed is random.

    Raises
    ------
    ParameterError
        When the seed is not a whole number that R accepts.

    Examples
    --------
    >>> set_seed(1)
    >>> roll_dice(10)
    [2, 2, 1, 0, 2, 0, 0, 1, 1, 2]
    """
    global _random
    number = as_integer(seed)
    if number is None:
        raise ParameterError(f"seed: {seed!r} is not allowed; it is a whole number")
    _random = RStream(number)


def roll_dice(count: int) -> list[int]:
    """Roll dice: R's ``sample(0:2, count, replace = TRUE, prob = FACE_PROBS)``.

    Examples
    --------
    >>> set_seed(2)
    >>> roll_dice(3)
    [2, 1, 1]
    """
    if _random is None:
        set_seed(secrets.randbelow(LARGEST_SEED))
    assert _random is not None
    return _random.sample(FACE_PROBS, count)


def dice_to_string(dice_rolls: Sequence[int]) -> str:
    """Return the dice in words.

    Examples
    --------
    >>> dice_to_string([2, 2, 1, 0, 2])
    '3 Green, 1 Yellow, 1 Red'
    """
    return f"{dice_rolls.count(GREEN)} Green, {dice_rolls.count(YELLOW)} Yellow, {dice_rolls.count(RED)} Red"


def update_state(state: State, action: str, verbose: bool = False) -> State:
    """Return the state after an action of the current player, with the dice rolled again; the given state is not
    changed.

    Parameters
    ----------
    state
        A state of the game.
    action
        ``"bank"``, ``"roll"``, or ``"rolled at least 1 red and no green"`` where the dice leave no choice.
    verbose
        Print the roll, the action and, when the turn is over, the scores.

    Raises
    ------
    ParameterError
        When the action is none of these.

    Examples
    --------
    >>> set_seed(1)
    >>> update_state(State(1, [0, 0], 4, [2, 2, 1]), "bank").scores
    [6, 0]
    """
    if action not in ACTIONS:
        raise ParameterError(f"action: {action!r} is not allowed; it is 'bank', 'roll' or {BUST!r}")
    greens = state.dice_rolls.count(GREEN)
    if verbose:
        offer = "" if action == BUST else f" (bank {state.turn_points + greens} pts?)"
        print(f"Current roll: {dice_to_string(state.dice_rolls)}{offer}")
        print(f"Player {state.current_player} {action}s")
    if action == "roll":
        left = len(state.dice_rolls) - greens
        return State(state.current_player, state.scores, state.turn_points + greens, roll_dice(left or NUM_DICE))
    scores = list(state.scores)
    if action == "bank":
        scores[state.current_player - 1] += state.turn_points + greens
    if verbose:
        print(f"Current scores: {scores[0]} {scores[1]}\n")
    return State(3 - state.current_player, scores, 0, roll_dice(NUM_DICE))


def one_roll(state: State) -> str:
    """Bank after the first roll, even if it is worth nothing.

    Examples
    --------
    >>> one_roll(State(1, [0, 0], 0, [1, 1, 1]))
    'bank'
    """
    return "bank"


def over_target_points(state: State, target: int = 10) -> str:
    """Bank as soon as the turn is worth more than `target` points, even where banking earlier would win.

    Examples
    --------
    >>> over_target_points(State(1, [0, 0], 18, [2, 2, 2]), 20)
    'bank'
    """
    return "bank" if state.turn_points + state.dice_rolls.count(GREEN) > target else "roll"


def over(target: int) -> Strategy:
    """Return the strategy `over_target_points` with this target.

    Examples
    --------
    >>> over(20)(State(1, [0, 0], 18, [2, 2, 1, 0]))
    'roll'
    """
    return lambda state: over_target_points(state, target)


def simulate_game(strategy1: Strategy, strategy2: Strategy, verbose: bool = False) -> int:
    """Play a game.

    As in the text's program, the dice are rolled once more after the last bank, and again while that roll loses a turn.
    This does not change the game, but the random numbers of the next one.

    Parameters
    ----------
    strategy1, strategy2
        Functions of the state; they choose for its current player.
    verbose
        Print the game step by step.

    Returns
    -------
    int
        The winner, 1 or 2.

    Raises
    ------
    ParameterError
        When a strategy does not return an action, or the module's three settings are not allowed.
    EndlessGameError
        When the game is not over after a million rolls.

    Examples
    --------
    >>> set_seed(1)
    >>> simulate_game(one_roll, over(20))
    2
    """
    _check_game()
    strategies = strategy1, strategy2
    state = State(1, [0, 0], 0, roll_dice(NUM_DICE))
    for _ in range(LIMITS.steps):
        if GREEN not in state.dice_rolls and RED in state.dice_rolls:
            action = BUST
        elif state.scores[0] >= POINTS_TO_WIN or state.scores[1] >= POINTS_TO_WIN:
            break
        else:
            action = strategies[state.current_player - 1](state)
        state = update_state(state, action, verbose)
    else:
        raise EndlessGameError(f"not over after {LIMITS.steps:,} rolls; do both strategies bank?")
    winner = 1 if state.scores[0] >= state.scores[1] else 2
    if verbose:
        print(f"Game ends: Player {winner} wins!")
    return winner


def _check_game() -> None:
    """Check the module's settings: the dice, their probabilities and the target must allow a win."""
    for name, value in (("NUM_DICE", NUM_DICE), ("POINTS_TO_WIN", POINTS_TO_WIN)):
        if as_integer(value) is None or value < 1:
            raise ParameterError(f"{name}: {value!r} is not allowed; it is a whole number above 0")
    if len(FACE_PROBS) != 3 or not FACE_PROBS[GREEN] > 0:
        raise ParameterError(f"FACE_PROBS: {FACE_PROBS!r} is not allowed; it is three chances, green's above 0")


def play_games(nsim: int, strategy1: Strategy, strategy2: Strategy) -> list[int]:
    """Return the winners of `nsim` games, as by the text's ``replicate(nsim, SimulateGame(strategy1, strategy2))``.

    Examples
    --------
    >>> set_seed(1)
    >>> play_games(5, over(20), over(50))
    [1, 1, 2, 2, 1]
    """
    return [simulate_game(strategy1, strategy2) for _ in range(nsim)]


def seats_swapped(winners: Sequence[int]) -> list[int]:
    """Return the winners if player 2 had begun every second game: those of games 2, 4, ... are exchanged.

    Examples
    --------
    >>> seats_swapped([1, 1, 2, 2])
    [1, 2, 2, 1]
    """
    return [3 - winner if game % 2 else winner for game, winner in enumerate(winners)]


def table(name: str, winners: Sequence[int]) -> str:
    """Return the number of wins of each player, formatted as R prints a table.

    Examples
    --------
    >>> print(table("winners", [2] * 9925 + [1] * 75))
    winners
       1    2
      75 9925
    """
    counts = [str(winners.count(player)) for player in (1, 2)]
    width = max(map(len, counts))
    rows = (" ".join(word.rjust(width) for word in row) for row in (["1", "2"], counts))
    return "\n".join([name, *rows])


@contextmanager
def other_game(points_to_win: int, face_probs: Sequence[float]) -> Iterator[None]:
    """Change the number of points to win and the dice inside a with block.

    Examples
    --------
    >>> with other_game(20, (0.5, 0.0, 0.5)):
    ...     set_seed(1)
    ...     simulate_game(one_roll, over(19))
    1
    """
    global POINTS_TO_WIN, FACE_PROBS
    before = POINTS_TO_WIN, FACE_PROBS
    POINTS_TO_WIN, FACE_PROBS = points_to_win, face_probs
    try:
        yield
    finally:
        POINTS_TO_WIN, FACE_PROBS = before


def main(seed: int | None = None) -> int:
    """Run the text's program: print two games, and the four tables, each from ``set.seed(1)`` or another `seed`."""
    number = 1 if seed is None else seed
    for probabilities in ((1 / 6, 2 / 6, 3 / 6), (0.5, 0.0, 0.5)):
        with other_game(20, probabilities):
            set_seed(number)
            simulate_game(one_roll, over(19), verbose=True)
        print()
    matches = [
        ("OneRoll", one_roll, "OneRoll", one_roll),
        ("OneRoll", one_roll, "> 20 points", over(20)),
        ("> 20 points", over(20), "> 50 points", over(50)),
        ("> 50 points", over(50), "> 20 points", over(20)),
    ]
    for first, strategy1, second, strategy2 in matches:
        set_seed(number)
        winners = play_games(10_000, strategy1, strategy2)
        print(f"{first} against {second}:\n{table('winners', winners)}\n", flush=True)
        if strategy1 is strategy2:
            print(f"{table('winners2', seats_swapped(winners))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
