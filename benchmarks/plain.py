"""The games in plain Python, in the shape of the texts' own programs: short functions, `random`, one game at a time."""

from __future__ import annotations

import random
from collections.abc import Callable

# Hazard (text 1), and the pass line of craps (text 2) -----------------------------------------------------------------


def throw_dice() -> int:
    return random.randint(1, 6) + random.randint(1, 6)


def play_one_round(chosen_main: int) -> bool:
    chance = throw_dice()
    if chance == chosen_main:
        return True
    if chance in (2, 3):
        return False
    if chance in (11, 12):
        if chosen_main in (5, 9):
            return False
        if chosen_main in (6, 8):
            return chance == 12
        return chance == 11
    while True:
        roll = throw_dice()
        if roll == chance:
            return True
        if roll == chosen_main:
            return False


def hazard(games: int, main: int) -> int:
    """Rounds that the caster wins."""
    return sum(play_one_round(main) for _ in range(games))


def second_stage(point: int) -> int:
    roll = throw_dice()
    while roll not in (point, 7):
        roll = throw_dice()
    return roll


def pass_line_bet(money: int, bet: int) -> int:
    roll = throw_dice()
    if roll in (7, 11):
        return money + bet
    if roll in (2, 3, 12):
        return money - bet
    return money + bet if second_stage(roll) == roll else money - bet


def pass_line(games: int) -> int:
    """Bets on the pass line that win."""
    return sum(pass_line_bet(1, 1) == 2 for _ in range(games))


# Toss Up! (text 3, which is in R) -------------------------------------------------------------------------------------

RED, YELLOW, GREEN = 0, 1, 2
Strategy = Callable[["State"], str]


class State:
    def __init__(self) -> None:
        self.current_player = 0
        self.scores = [0, 0]
        self.turn_points = 0
        self.dice_rolls = roll_dice(10)


def roll_dice(count: int) -> list[int]:
    return random.choices((RED, YELLOW, GREEN), weights=(1, 2, 3), k=count)


def over_target_points(target: int) -> Strategy:
    def strategy(state: State) -> str:
        return "bank" if state.turn_points + state.dice_rolls.count(GREEN) > target else "roll"

    return strategy


def update_state(state: State, action: str) -> None:
    greens = state.dice_rolls.count(GREEN)
    if action == "roll":
        state.turn_points += greens
        state.dice_rolls = roll_dice(len(state.dice_rolls) - greens or 10)
        return
    if action == "bank":
        state.scores[state.current_player] += state.turn_points + greens
    state.current_player = 1 - state.current_player
    state.turn_points = 0
    state.dice_rolls = roll_dice(10)


def simulate_game(strategies: tuple[Strategy, Strategy]) -> int:
    state = State()
    while max(state.scores) < 100:
        if GREEN not in state.dice_rolls and RED in state.dice_rolls:
            update_state(state, "lose the turn")
        else:
            update_state(state, strategies[state.current_player](state))
    return 0 if state.scores[0] >= 100 else 1


def tossup(games: int, first: int, second: int) -> int:
    """Games of Toss Up! that seat 0 wins; each banks with more than so many points."""
    strategies = over_target_points(first), over_target_points(second)
    return sum(simulate_game(strategies) == 0 for _ in range(games))


# LCR (text 5) ---------------------------------------------------------------------------------------------------------


def roll_die() -> str:
    return random.choice("LCR...")


def lcr_over(coins: list[int]) -> bool:
    return coins.count(0) == len(coins) - 1


def lcr_winner(coins: list[int]) -> int:
    return next(player for player, held in enumerate(coins) if held > 0)


def lcr_game(num_players: int) -> tuple[int, int]:
    coins, player, turns = [3] * num_players, 0, 0
    while not lcr_over(coins):
        for _ in range(min(3, coins[player])):
            face = roll_die()
            if face != ".":
                coins[player] -= 1
            if face == "L":
                coins[player - 1] += 1
            elif face == "R":
                coins[(player + 1) % num_players] += 1
        turns += 1
        player = (player + 1) % num_players
    return lcr_winner(coins), turns


def lcr(games: int, players: int) -> int:
    """Games of LCR that seat 0 wins."""
    return sum(lcr_game(players)[0] == 0 for _ in range(games))


# Pig ------------------------------------------------------------------------------------------------------------------


def pig_turn(score: int, hold_at: int) -> int:
    """Points made in a turn."""
    points = 0
    while points < hold_at and score + points < 100:
        face = random.randint(1, 6)
        if face == 1:
            return 0
        points += face
    return points


def pig_game(hold_at: int) -> int:
    scores, player = [0, 0], 0
    while True:
        scores[player] += pig_turn(scores[player], hold_at)
        if scores[player] >= 100:
            return player
        player = 1 - player


def pig(games: int, hold_at: int) -> int:
    """Games of Pig that seat 0 wins when both hold at so many points."""
    return sum(pig_game(hold_at) == 0 for _ in range(games))


# Risk: a battle with different dice -----------------------------------------------------------------------------------


def risk_battle(attacking: int, defending: int) -> bool:
    """Whether the attacker, with d6, beats the defender, with d8; one army stays behind."""
    while attacking > 1 and defending > 0:
        attack = sorted((random.randint(1, 6) for _ in range(min(3, attacking - 1))), reverse=True)
        defend = sorted((random.randint(1, 8) for _ in range(min(2, defending))), reverse=True)
        for mine, theirs in zip(attack, defend, strict=False):
            if mine > theirs:
                defending -= 1
            else:
                attacking -= 1
    return defending == 0


def risk(games: int, attacking: int, defending: int) -> int:
    """Battles that the attacker wins."""
    return sum(risk_battle(attacking, defending) for _ in range(games))
