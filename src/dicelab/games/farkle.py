"""Farkle, with the simplest scoring: set scoring dice aside, then bank the points or roll the remaining dice."""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Dice,
    Flag,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Seat,
    Tally,
    Words,
    ask,
    chosen,
    kept,
    right_of,
    strategy,
    throw,
    thrown,
)

DICE = 6


class Move(IntEnum):
    """What a player may do after setting dice aside."""

    ROLL = 0
    BANK = 1


class Farkle(Game):
    """Farkle: first to bank the target wins; a roll without a scoring die loses the turn's points."""

    name = "farkle"
    source = "M. Busche and T. Neller, Optimal Play of the Farkle Dice Game, 2017"

    words = Words(
        names={
            "points": "points of this turn",
            "left": "dice to roll",
            "shown": "on the table",
            "cup": "roll",
            "throws": "rolls",
            "score": "points banked by all",
            "busts": "farkles",
        },
        hidden=("rolled", "set_aside", "over"),
        scores=("scores", "points"),
        board=(Places("scores"), Numbers(("points", "left")), Dice("shown")),
        news={
            "busts": "{player} farkled [and lost {points} points; and lost nothing]",
            "points": "{player} set aside {move} for {points} points",
            "scores": "{player} banked {scores} points",
        },
        rulebook=Rulebook(
            goal="Bank {target} points before the others do.",
            turn="Roll six dice and set aside at least one that scores. Then bank the points of your turn, or roll the "
            "dice that are left for more; when all six are set aside, you may go on with all six. A roll without a "
            "die that scores is a farkle: it ends your turn, and its points are lost.",
            end="Who reaches {target} banked points first has won.",
            scoring="A 1 is worth 100 and a 5 is worth 50. Three alike are worth 100 for each pip, three 1s 1,000.",
        ),
    )

    players = Param(2, 1, 8, "players at the table")
    target = Param(10_000, 50, 20_000, "banked points that win")

    seats = players

    scores = Ints(players, 0, target, "points banked by each seat, at most the target", grows=True, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    points = Int(0, target, "points of this turn, at most the target")
    left = Int(1, DICE, "dice to roll", start=DICE)
    shown = Ints(6, 0, DICE, "dice that show each number, before some are set aside")
    rolled = Flag("the player has rolled and sets dice aside")
    set_aside = Flag("the player has set dice aside and may bank")
    over = Flag("somebody has won")

    score = Tally("points banked, of all seats together")
    turns = Tally("turns, including lost ones")
    throws = Tally("rolls")
    busts = Tally("turns lost to a roll without a scoring die")

    def next(self) -> int:
        if self.over:
            return OVER
        if self.rolled:
            return ask(self.keep, self.player)
        return ask(self.roll_or_bank, self.player) if self.set_aside else throw(self.cup, self.left)

    @thrown(DICE, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.throws += 1
        if shown[0] == 0 and shown[4] == 0 and max(shown) < 3:
            self.busts += 1
            self.end_turn()
        else:
            self.rolled = True
            for i in range(6):
                self.shown[i] = shown[i]

    def all_score(self, *kept: int) -> bool:
        """Return whether some dice are kept, and each of them scores: ones, fives, and three of any number."""
        for i in range(6):
            if i != 0 and i != 4 and kept[i] % 3 != 0:
                return False
        return sum(kept) > 0

    @kept(DICE, D6, shown, legal=all_score)
    def keep(self, *kept: int) -> None:
        """Set dice aside that score."""
        worth = kept[0] // 3 * 900 + kept[0] % 3 * 100 + kept[4] % 3 * 50
        for i in range(6):
            worth += kept[i] // 3 * 100 * (i + 1)
            self.shown[i] = 0
        self.points = min(self.points + worth, self.target)
        self.left = self.left - sum(kept) if sum(kept) < self.left else DICE
        self.rolled = False
        self.set_aside = True

    def worth_a_thought(self, move: int) -> bool:
        """Nobody who wants to win rolls on when banking wins."""
        return move == Move.BANK or self.scores[self.player] + self.points < self.target

    @chosen(Move, sensible=worth_a_thought)
    def roll_or_bank(self, move: int) -> None:
        self.set_aside = False
        if move == Move.BANK:
            banked = min(self.points, self.target - self.scores[self.player])
            self.score += banked
            self.scores[self.player] += banked
            if self.scores[self.player] == self.target:
                self.over = True
            self.end_turn()

    def end_turn(self) -> None:
        self.turns += 1
        self.points = 0
        self.left = DICE
        if not self.over:
            self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        return self.player


@strategy(Farkle, points=Param(300, 0, 20_000, "bank with at least this many points"))
def bank_at(game: Farkle, points: int) -> int | tuple[int, ...]:
    """Set all scoring dice aside, and bank as soon as the turn has `points`."""
    if not game.rolled:
        enough = game.points >= points or not game.worth_a_thought(Move.ROLL)
        return Move.BANK if enough else Move.ROLL
    ones, twos, threes, fours, fives, sixes = game.shown
    return ones, twos // 3 * 3, threes // 3 * 3, fours // 3 * 3, fives, sixes // 3 * 3
