"""Yahtzee: thirteen turns of up to three rolls, each scored in a box that is still open."""

from __future__ import annotations

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Bits,
    Choice,
    Dice,
    Flag,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Rulebook,
    Sheet,
    Tally,
    Words,
    ask,
    chosen,
    kept,
    strategy,
    throw,
    thrown,
)

SIXES = 5
THREE, FOUR, FULL_HOUSE, SMALL_STRAIGHT, LARGE_STRAIGHT, YAHTZEE, CHANCE = range(6, 13)
BOXES = 13
CARD = 2**BOXES - 1
LOWER = CARD - 63
FORCED, FREE, NONE = range(3)
UPPER = ("aces", "twos", "threes", "fours", "fives", "sixes")
KINDS = ("three of a kind", "four of a kind", "full house")
NAMES = (*UPPER, *KINDS, "small straight", "large straight", "yahtzee", "chance")


class Yahtzee(Game):
    """Yahtzee, alone: keep any dice and roll the others, up to three rolls, then fill one box with them."""

    name = "yahtzee"
    source = "Milton Bradley, Yahtzee: official rules; T. Verhoeff, Optimal Solitaire Yahtzee Strategies, 1999"

    words = Words(
        names={"upper_so_far": "aces to sixes", "score": "total", "rolls": "roll", "cup": "roll", "fill": "box"},
        hidden=("filled", "upper", "rolls", "fifty", "over", "rolled"),
        values={"fill": NAMES, "filled": Bits(NAMES), "boxes": Bits(NAMES)},
        scores=("score",),
        board=(Sheet("fill", open="is_open"), Numbers(("score", "upper_so_far", "turn", "roll")), Dice("dice")),
        news={"fill": "{player} scored {score} points in {move}"},
        endings={"": "All boxes are filled: {score} points"},
        rulebook=Rulebook(
            goal="Fill each box of the sheet once, and score as many points as you can.",
            turn="Roll five dice. Keep any of them and roll the others again, and once more if you like. Then fill one "
            "open box of the sheet with the dice; if they don't fit, it scores nothing.",
            end="The game is over when all boxes are filled.",
            scoring="Aces to sixes: the sum of the dice of that number; 63 points or more in these six are worth 35 "
            "more. Three and four of a kind, and chance: the sum of all dice. Full house (three of one number and two "
            "of another) 25, small straight (four in a row) 30, large straight (five in a row) 40, Yahtzee (five "
            "alike) 50. Each further Yahtzee, once that box has 50, is worth 100 more and may fill another box as a "
            "joker.",
            options={
                "joker none": "Here there are no jokers, and a further Yahtzee is worth nothing extra.",
                "joker free": "Here a joker may fill any open box.",
                "boxes": "Not all boxes are on this card, and there are as many turns as boxes.",
            },
        ),
    )

    joker = Choice(("forced", "free", "none"), "where a further Yahtzee may be scored; none: no joker and no bonus")
    boxes = Param(
        CARD, 1, CARD, "boxes on the card, added up: aces 1, twos 2, threes 4, ..., Yahtzee 2048, chance 4096"
    )

    filled = Int(
        0, CARD, "boxes filled or not on the card, added up as in the parameter boxes", start=CARD - boxes, grows=True
    )
    upper = Int(0, 63, "points in the boxes aces to sixes, at most 63", grows=True)
    fifty = Flag("the Yahtzee box is filled with 50")
    dice = Ints(6, 0, 5, "dice that show each number, those to be rolled again left out")
    rolls = Int(0, 3, "rolls made in this turn")
    rolled = Flag("the dice lie on the table")
    over = Flag("all boxes are filled")

    score = Tally("points, with both bonuses")
    turns = Tally("turns")

    def next(self) -> int:
        if self.over:
            return OVER
        if not self.rolled:
            return throw(self.cup, 5 - sum(self.dice))
        return ask(self.keep, 0) if self.rolls < 3 else ask(self.fill, 0)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.rolls += 1
        self.rolled = True
        for i in range(6):
            self.dice[i] += shown[i]

    @kept(5, D6, dice)
    def keep(self, *kept: int) -> None:
        """Keep some of the dice, and roll the others again; keep all to fill a box."""
        for i in range(6):
            self.dice[i] = kept[i]
        self.rolled = sum(self.dice) == 5
        if self.rolled:
            self.rolls = 3

    def is_open(self, box: int) -> bool:
        return (self.filled >> box) % 2 == 0

    def is_extra(self) -> bool:
        """Return whether this is a Yahtzee, and the Yahtzee box is filled already."""
        return self.joker != NONE and not self.is_open(YAHTZEE) and max(self.dice) == 5

    def may_fill(self, box: int) -> bool:
        """Any open box; a further Yahtzee goes to the box of its number, else to a lower box, if jokers are forced."""
        if not self.is_open(box) or self.joker != FORCED or not self.is_extra():
            return self.is_open(box)
        if self.is_open(self.dice.index(5)):
            return box == self.dice.index(5)
        return box > SIXES or self.filled & LOWER == LOWER

    @chosen(BOXES, legal=may_fill)
    def fill(self, box: int) -> None:
        """Fill an open box with the dice."""
        worth = self.worth(box)
        self.score += worth
        if self.is_extra() and self.fifty:
            self.score += 100
        if box <= SIXES:
            if self.upper < 63 <= self.upper + worth:
                self.score += 35
            self.upper = min(63, self.upper + worth)
        if box == YAHTZEE and worth == 50:
            self.fifty = True
        self.filled += 1 << box
        self.over = self.filled == CARD
        self.turns += 1
        self.rolls = 0
        self.rolled = False
        for i in range(6):
            self.dice[i] = 0

    def worth(self, box: int) -> int:
        """Points of the dice in a box."""
        if box <= SIXES:
            return (box + 1) * self.dice[box]
        most = max(self.dice)
        if box == YAHTZEE:
            return 50 if most == 5 else 0
        if box == CHANCE or (box == THREE and most >= 3) or (box == FOUR and most >= 4):
            one, two, three, four, five, six = self.dice
            return one + 2 * two + 3 * three + 4 * four + 5 * five + 6 * six
        joker = self.is_extra() and not self.is_open(self.dice.index(5))
        if box == FULL_HOUSE:
            return 25 if joker or (most == 3 and 2 in self.dice) else 0
        if box == SMALL_STRAIGHT:
            return 30 if joker or self.in_a_row() >= 4 else 0
        if box == LARGE_STRAIGHT:
            return 40 if joker or self.in_a_row() == 5 else 0
        return 0

    def upper_so_far(self) -> str:
        return f"{self.upper} of 63"

    def turn(self) -> str:
        turns = bin(self.boxes).count("1")
        return f"{min(self.turns + 1, turns)} of {turns}"

    def roll(self) -> str:
        return f"{self.rolls} of 3"

    def in_a_row(self) -> int:
        """Length of the longest sequence of numbers."""
        longest = length = 0
        for i in range(6):
            length = length + 1 if self.dice[i] > 0 else 0
            longest = max(longest, length)
        return longest


@strategy(Yahtzee)
def first_open(game: Yahtzee) -> int | list[int]:
    """Keep all dice and fill the first box that is allowed."""
    if game.rolls < 3:
        return game.dice
    for box in range(BOXES):
        if game.may_fill(box):
            return box
    return 0
