"""A betting game with a draw: two players see all dice; one may raise, the other calls or folds; more points win."""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Tally,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)


class Bet(IntEnum):
    """What a player does."""

    CHECK = 0
    RAISE = 1


class Answer(IntEnum):
    """What the other does after a raise."""

    FOLD = 0
    CALL = 1


class HighBet(Game):
    """Both ante 1 and roll a die; the first checks or raises, the second folds or calls; then both roll once more."""

    name = "high-bet"
    source = "made as an example: a game for money that can end in a draw"

    stake = Param(2, 1, 20, "what a raise adds to the ante")

    seats = 2
    outcomes = ("fold", "first", "second", "draw", "first raised", "second raised")
    payoffs = {
        "fold": (1, -1),
        "first": (1, -1),
        "second": (-1, 1),
        "draw": (0, 0),
        "first raised": (stake + 1, -1 - stake),
        "second raised": (-1 - stake, stake + 1),
    }

    words = Words(
        players=("first player", "second player"),
        names={"dice": "points", "both": "roll", "bet": "check or raise", "answer": "fold or call"},
        hidden=("step", "raised"),
        board=(Places("dice"), Numbers(("stake",))),
        news={
            "bet 1": "{player} raised by {stake}",
            "bet 0": "{player} checked",
            "answer 0": "{player} folded",
            "answer 1": "{player} called",
        },
        endings={
            "fold": "The second player folded: the first one wins 1",
            "first": "The first player has more points and wins 1",
            "second": "The second player has more points and wins 1",
            "draw": "Equal points: nobody wins",
            "first raised": "The first player has more points and wins 1 and the raise of {stake}",
            "second raised": "The second player has more points and wins 1 and the raise of {stake}",
        },
        rulebook=Rulebook(
            goal="Have more points than the other.",
            setup="Both put in 1.",
            turn="Both roll a die. The first player checks or raises by {stake}; after a raise the second one folds, "
            "or calls and puts in as much. Then both roll once more, and add it to their points.",
            end="More points win what is in the middle; equal points share it.",
        ),
    )

    dice = Ints(2, 0, 12, "what each has rolled")
    step = Int(0, 4, "0 first rolls, 1 first bets, 2 second answers, 3 last rolls, 4 over")
    raised = Int(0, 2, "0 no, 1 raised, 2 the second has folded")

    rolls = Tally("rolls")

    def next(self) -> int:
        if self.step == 1:
            return ask(self.bet, 0)
        if self.step == 2:
            return ask(self.answer, 1)
        return OVER if self.step == 4 else throw(self.both)

    @thrown(2, D6, FACES)
    def both(self, one: int, other: int) -> None:
        self.rolls += 1
        self.dice[0] += one
        self.dice[1] += other
        self.step += 1

    @chosen(Bet)
    def bet(self, move: int) -> None:
        self.raised = move
        self.step = 2 if move == Bet.RAISE else 3

    @chosen(Answer)
    def answer(self, move: int) -> None:
        self.raised = 1 if move == Answer.CALL else 2
        self.step = 3 if move == Answer.CALL else 4

    def outcome(self) -> int:
        if self.raised == 2:
            return 0
        if self.dice[0] == self.dice[1]:
            return 3
        return (1 if self.dice[0] > self.dice[1] else 2) + 3 * self.raised


@strategy(HighBet)
def careful(game: HighBet) -> int:
    """Never raise, always call."""
    return Bet.CHECK if game.step == 1 else Answer.CALL
