"""Text 5: LCR with a list of coins. The rules as dicelab plays them: `dicelab.games.lcr`.

Source: "LCR", computer laboratory 2 of CSCI 1913, University of Minnesota. Left is the player before in the list, right
the player after; player 0 begins and play goes to the right.

Examples
--------
>>> import random
>>> random.seed(1)
>>> lcr_game(3)
(1, 16)
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from dicelab.errors import ParameterError
from dicelab.rules.params import as_integer

FACES = "LCR..."
COINS = 3
"""Coins of each player at the start."""
DICE = 3
"""Maximum number of dice rolled in a turn."""
GAMES = 2000
MOST_PLAYERS = 1000

Coins = list[int]
"""Coins of each player; those in the center are not counted."""


def roll_die() -> str:
    """Roll one die: ``"L"``, ``"C"``, ``"R"``, or ``"."`` for each of the other three sides.

    Examples
    --------
    >>> import random
    >>> random.seed(1)
    >>> [roll_die() for _ in range(5)]
    ['L', '.', '.', 'C', 'R']
    """
    return FACES[int(random.random() * 6)]


def lcr_over(coins: Coins) -> bool:
    """Return whether only one player has coins.

    Raises
    ------
    ParameterError
        When nobody has coins, which can't happen in a game.

    Examples
    --------
    >>> lcr_over([0, 4, 0]), lcr_over([1, 4, 0])
    (True, False)
    """
    owners = len(coins) - coins.count(0)
    if owners == 0:
        raise ParameterError(f"coins: {coins!r} is not allowed; somebody has coins")
    return owners == 1


def lcr_winner(coins: Coins) -> int:
    """Return the player who has coins at the end of the game.

    Raises
    ------
    ParameterError
        When the game is not over.

    Examples
    --------
    >>> lcr_winner([0, 4, 0])
    1
    """
    if not lcr_over(coins):
        raise ParameterError(f"coins: {coins!r} is not allowed; the game goes on until one player has coins")
    return next(player for player, held in enumerate(coins) if held)


def left(coins: Coins, player: int) -> None:
    """Move a coin of a player to the player on the left, in the list given; refused as by `center`.

    Examples
    --------
    >>> coins = [3, 3, 3]
    >>> left(coins, 0)
    >>> coins
    [2, 3, 4]
    """
    center(coins, player)
    coins[player - 1] += 1


def right(coins: Coins, player: int) -> None:
    """Move a coin of a player to the player on the right, in the list given; refused as by `center`.

    Examples
    --------
    >>> coins = [3, 3, 3]
    >>> right(coins, 2)
    >>> coins
    [4, 3, 2]
    """
    center(coins, player)
    coins[(player + 1) % len(coins)] += 1


def center(coins: Coins, player: int) -> None:
    """Move a coin of a player to the center, out of the list given.

    Raises
    ------
    ParameterError
        When the player has none.

    Examples
    --------
    >>> coins = [3, 3, 3]
    >>> center(coins, 1)
    >>> coins
    [3, 2, 3]
    """
    if not 0 <= player < len(coins) or coins[player] < 1:
        raise ParameterError(f"player {player!r} has no coin to give; the coins are {coins!r}")
    coins[player] -= 1


MOVES = {"L": left, "C": center, "R": right}


def lcr_game(num_players: int) -> tuple[int, int]:
    """Play a game.

    Parameters
    ----------
    num_players
        Players at the table, 2 to 1000.

    Returns
    -------
    winner, turns
        The player who has coins, and the turns it took, those of players without coins and the last one included.

    Raises
    ------
    ParameterError
        When it is not a whole number from 2 to 1000.

    Examples
    --------
    >>> import random
    >>> random.seed(1)
    >>> lcr_game(3)
    (1, 16)
    """
    coins = [COINS] * _players(num_players)
    player = turns = 0
    while not lcr_over(coins):
        for _ in range(min(coins[player], DICE)):
            face = roll_die()
            if face in MOVES:
                MOVES[face](coins, player)
            elif face != ".":
                raise ParameterError(f"a die shows L, C, R or a dot, not {face!r}")
        turns += 1
        player = (player + 1) % len(coins)
    return lcr_winner(coins), turns


def _players(num_players: int) -> int:
    players = as_integer(num_players)
    if players is None or not 2 <= players <= MOST_PLAYERS:
        raise ParameterError(f"num_players: {num_players!r} is not allowed; it is a whole number, 2 to {MOST_PLAYERS}")
    return players


def most_common_winner(num_players: int) -> tuple[int, float]:
    """Play 2,000 games; return the player with the most wins (the first one if tied) and that player's share of wins.

    Raises
    ------
    ParameterError
        When it is not a whole number from 2 to 1000.

    Examples
    --------
    >>> import random
    >>> random.seed(1)
    >>> most_common_winner(2)
    (1, 0.633)
    """
    wins = Counter(lcr_game(num_players)[0] for _ in range(GAMES))
    count, player = max((count, -player) for player, count in wins.items())
    return -player, count / GAMES


def main(seed: int | None = None) -> int:
    """Print the most common winner of 2,000 games, and the share that they won, for 2 to 10 players."""
    if seed is not None:
        random.seed(seed)
    print("players  most common winner  share")
    for players in range(2, 11):
        winner, share = most_common_winner(players)
        print(f"{players:7}  {winner:18}  {share:.4f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
