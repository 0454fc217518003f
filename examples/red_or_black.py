"""Red or black: how much to stake, in order to reach a goal, or not to be ruined.

Where the house has an edge, the best way to a goal is to stake as much as is left, or as much as is missing (L. Dubins
and L. Savage, How to Gamble If You Must, 1965).

    dicelab solve examples/red_or_black.py --objective goal
    dicelab solve examples/red_or_black.py --objective avoid:ruined --rounds 20
"""

from dicelab.rules import (
    COUNTS,
    OVER,
    Die,
    Game,
    Int,
    Numbers,
    Param,
    Rulebook,
    Tally,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)

WHEEL = Die(won=18, lost=20)


class RedOrBlack(Game):
    """An even bet on a wheel with two zeros, until the goal is reached, or nothing is left."""

    name = "red-or-black"
    source = "L. Dubins and L. Savage, How to Gamble If You Must, 1965"

    words = Words(
        names={"left": "money", "goal": "goal", "stake": "staked", "bet": "stake", "wheel": "wheel"},
        hidden=("played",),
        objective="goal",
        board=(Numbers(("left", "goal", "stake")),),
        news={"wheel 1 0": "The wheel wins {left}", "wheel 0 1": "The wheel loses {stake}"},
        endings={"goal": "You have {goal}", "ruined": "Nothing is left", "time": "The rounds are over: {left} is left"},
        rulebook=Rulebook(
            goal="Make {goal} out of {money}.",
            turn="Stake any part of your money on red or black. 18 of 38 times the wheel pays the stake, otherwise it "
            "is lost.",
            end="The game is over when you have {goal}, or nothing.",
            options={"rounds": "There are {rounds} rounds at most."},
        ),
    )

    money = Param(5, 1, 1000, "money at the start")
    goal = Param(16, 2, 1000, "money that is wanted")
    rounds = Param(0, 0, 1000, "rounds to play at most; 0: as many as it takes")

    outcomes = ("goal", "ruined", "time")

    left = Int(0, goal, "money left", start=money)
    stake = Int(0, goal, "what is staked now")
    played = Int(0, rounds, "rounds played, if these are limited")

    bets = Tally("bets")

    def refuse(self) -> str:
        return "the goal must be more than the money" if self.goal <= self.money else ""

    def next(self) -> int:
        if self.left in (0, self.goal) or (self.rounds > 0 and self.played == self.rounds):
            return OVER
        return throw(self.wheel) if self.stake > 0 else ask(self.bet, 0)

    def affordable(self, amount: int) -> bool:
        return 0 < amount <= min(self.left, self.goal - self.left)

    @chosen(goal, legal=affordable)
    def bet(self, amount: int) -> None:
        self.stake = amount

    @thrown(1, WHEEL, COUNTS)
    def wheel(self, won: int, lost: int) -> None:
        self.bets += 1
        self.left += self.stake if won else -self.stake
        self.stake = 0
        if self.rounds > 0:
            self.played += 1

    def outcome(self) -> int:
        if self.left == self.goal:
            return 0
        return 1 if self.left == 0 else 2


@strategy(RedOrBlack)
def bold(game: RedOrBlack) -> int:
    """Stake all that is left, or what is missing if that is less."""
    return min(game.left, game.goal - game.left)


@strategy(RedOrBlack)
def timid(game: RedOrBlack) -> int:
    """Stake 1."""
    return 1
