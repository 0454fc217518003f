"""Yatzy as it is played in Scandinavia, alone: fifteen boxes, up to three rolls for each.

What is the mean score by optimal play? A program says 248.4399894 (yatzy-solver), a thesis 248.63 (M. Larsson and
A. Sjöberg, Optimal Yatzy Strategy, KTH Stockholm 2012). A program of 60 lines in C, written for this comparison, says
248.4399893779, and with two rules that some people play by, 248.6440589 (four alike are two pairs), 248.4680909 (five
alike are a full house) and 248.6748827 (both). So the first figure is right, and the thesis has another rule or a slip.
"""

from __future__ import annotations

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
    Rulebook,
    Sheet,
    Switch,
    Tally,
    Words,
    ask,
    chosen,
    kept,
    strategy,
    throw,
    thrown,
)

PAIR, TWO_PAIRS, THREE, FOUR, SMALL_STRAIGHT, LARGE_STRAIGHT, FULL_HOUSE, CHANCE, YATZY = range(6, 15)
BOXES = 15
CARD = (1 << BOXES) - 1
UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
NAMES = (
    *UPPER,
    "one pair",
    "two pairs",
    "three of a kind",
    "four of a kind",
    "small straight",
    "large straight",
    "full house",
    "chance",
    "yatzy",
)


class Yatzy(Game):
    """Scandinavian Yatzy, alone: keep any dice and roll the others, up to three rolls, then fill one box."""

    name = "yatzy"
    source = "M. Larsson and A. Sjöberg, Optimal Yatzy Strategy, KTH Stockholm 2012; yatzy-solver"
    outcomes = ()

    words = Words(
        names={"score": "total", "cup": "roll", "fill": "box", "upper": "ones to sixes"},
        hidden=("filled", "rolls", "rolled"),
        values={"fill": NAMES},
        scores=("score",),
        board=(Sheet("fill", open="is_open"), Numbers(("score", "upper", "turn", "roll")), Dice("dice")),
        news={"fill": "{player} scored {score} points in {move}"},
        endings={"": "All boxes are filled: {score} points"},
        rulebook=Rulebook(
            goal="Score as many points as you can in fifteen turns.",
            turn="Roll five dice. Keep any of them and roll the others again, and once more if you like. Then fill one "
            "open box of the sheet with the dice; if they don't fit, it scores nothing.",
            end="The game is over when all fifteen boxes are filled.",
            scoring="Ones to sixes: the sum of the dice of that number; 63 points or more in these six are worth "
            "{bonus} more. Pairs, three and four of a kind: the sum of these dice. Small straight (1 to 5) 15, large "
            "straight (2 to 6) 20, yatzy (five alike) 50; full house and chance: the sum of all dice.",
            options={
                "four_alike": "Four dice alike count as two pairs.",
                "five_alike": "Five dice alike count as a full house.",
                "boxes": "Not all boxes are on this card.",
            },
        ),
    )

    four_alike = Switch(False, "four dice alike count as two pairs")
    five_alike = Switch(False, "five dice alike count as a full house")
    bonus = Param(50, 0, 100, "points for 63 or more in the boxes ones to sixes")

    boxes = Param(CARD, 1, CARD, "boxes on the card, added up: ones 1, twos 2, threes 4, ..., chance 8192, yatzy 16384")

    filled = Int(0, CARD, "boxes filled or not on the card, added up as in boxes", start=CARD - boxes, grows=True)
    upper = Int(0, 63, "points in the boxes ones to sixes, at most 63", grows=True)
    dice = Ints(6, 0, 5, "dice that show each number, those to be rolled again left out")
    rolls = Int(0, 3, "rolls made in this turn")
    rolled = Flag("the dice lie on the table")

    score = Tally("points, with the bonus")

    def next(self) -> int:
        if self.filled == CARD:
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
        """Keep some of the dice, and roll the others again."""
        for i in range(6):
            self.dice[i] = kept[i]
        self.rolled = sum(self.dice) == 5
        if self.rolled:
            self.rolls = 3

    def turn(self) -> str:
        turns = bin(self.boxes).count("1")
        return f"{min(turns - bin(CARD - self.filled).count('1') + 1, turns)} of {turns}"

    def roll(self) -> str:
        return f"{self.rolls} of 3"

    def is_open(self, box: int) -> bool:
        return (self.filled >> box) % 2 == 0

    @chosen(BOXES, legal=is_open)
    def fill(self, box: int) -> None:
        points = self.points(box)
        self.score += points
        if box < 6:
            if self.upper < 63 <= self.upper + points:
                self.score += self.bonus
            self.upper = min(63, self.upper + points)
        self.filled += 1 << box
        self.rolls = 0
        self.rolled = False
        for i in range(6):
            self.dice[i] = 0

    def highest(self, many: int, below: int = 7) -> int:
        """The highest number below another one that so many dice show; 0 if there is none."""
        return max([i + 1 for i in range(6) if self.dice[i] >= many and i + 1 < below], default=0)

    def points(self, box: int) -> int:
        """Points of the dice in a box."""
        total = sum((i + 1) * self.dice[i] for i in range(6))
        if box < 6:
            return (box + 1) * self.dice[box]
        pair = self.highest(2)
        if box == PAIR:
            return 2 * pair
        if box == TWO_PAIRS:
            other = self.highest(2, pair)
            if other == 0 and self.four_alike:
                other = self.highest(4)
            return 2 * (pair + other) if other > 0 else 0
        if box == THREE:
            return 3 * self.highest(3)
        if box == FOUR:
            return 4 * self.highest(4)
        if box == SMALL_STRAIGHT:
            return 15 if all(self.dice[:5]) else 0
        if box == LARGE_STRAIGHT:
            return 20 if all(self.dice[1:]) else 0
        if box == FULL_HOUSE:
            alike = self.five_alike and 5 in self.dice
            return total if alike or (3 in self.dice and 2 in self.dice) else 0
        if box == YATZY:
            return 50 if max(self.dice) == 5 else 0
        return total


@strategy(Yatzy)
def first_open(game: Yatzy) -> int | list[int]:
    """Keep all dice and fill the first box that is open."""
    if game.rolls < 3:
        return game.dice
    for box in range(BOXES):
        if game.is_open(box):
            return box
    return 0
