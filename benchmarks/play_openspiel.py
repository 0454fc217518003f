"""Seconds that OpenSpiel takes for N games of Pig when both hold at 20, and how many seat 0 wins.

With the word `backgammon` it plays backgammon with random moves; after that, it also says how many rolls a game has.

OpenSpiel asks for a decision before each throw, the first included. It offers the turn's points to Python only as text
or as an array of 303 numbers, either of which costs more than the rest of a step; so the players here count the points
themselves. That the die is fair is known as well, and not asked at each throw. What is asked is who moves.

With the word `followed` the caller knows even that, and OpenSpiel is told what happens and asked who has won.

Run by `rivals.py` in an environment that has OpenSpiel.
"""

import random
import sys
from time import process_time

import pyspiel

PIG = pyspiel.load_game("pig")
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
ROLL, HOLD = 0, 1


def asked() -> bool:
    """A game in which OpenSpiel says who moves; does seat 0 win?"""
    state = PIG.new_initial_state()
    scores, points = [0, 0], 0
    while (player := state.current_player()) != TERMINAL:
        if player == CHANCE:
            face = int(random.random() * 6)
            state.apply_action(face)
            points = points + face + 1 if face else 0
        elif points < 20 and scores[player] + points < 100:
            state.apply_action(ROLL)
        else:
            state.apply_action(HOLD)
            scores[player] += points
            points = 0
    return state.returns()[0] > 0


def followed() -> bool:
    """A game whose rules the caller follows beside OpenSpiel; does seat 0 win?"""
    state = PIG.new_initial_state()
    apply = state.apply_action
    scores, player = [0, 0], 0
    while max(scores) < 100:
        points = 0
        while points < 20 and scores[player] + points < 100:
            apply(ROLL)
            face = int(random.random() * 6)
            apply(face)
            if face == 0:
                break
            points += face + 1
        else:
            apply(HOLD)
            scores[player] += points
        player = 1 - player
    return state.returns()[0] > 0


def backgammon() -> bool:
    """A game of random moves; does seat 0 win?"""
    state = BACKGAMMON.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(outcomes, chances)[0])
            rolls[0] += 1
        else:
            state.apply_action(random.choice(state.legal_actions()))
    return state.returns()[0] > 0


BACKGAMMON, rolls = pyspiel.load_game("backgammon"), [0]
play = {"asked": asked, "followed": followed, "backgammon": backgammon}[sys.argv[2]]
random.seed(1)
began = process_time()
won = sum(play() for _ in range(int(sys.argv[1])))
print(process_time() - began, won, rolls[0])
