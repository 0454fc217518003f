"""Two-dice pig and its variants: Big Pig, Hog and Hogwash in one file."""

from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Choice,
    Flag,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)


class Move(IntEnum):
    ROLL = 0
    HOLD = 1


RULES = ("two-dice", "big-pig", "hog")


class TwoDicePig(Game):
    """Two-dice pig: a one loses the points of the turn, two ones lose all."""

    name = "two_dice_pig"
    source = "John Scarne, Scarne on Dice, 1945"

    players = Param(2, 2, 4, "players")
    target = Param(60, 10, 200, "points that win")
    variant = Choice(RULES, "which rules", default="two-dice")
    seats = players

    scores = Ints(players, 0, target + 24, "points of each", by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    points = Int(0, target + 24, "points of the turn")
    rolled = Flag("the player has rolled")
    must = Flag("the player must roll again")

    turns = Tally("turns")
    ruined = Tally("times that all was lost")

    def next(self):
        if any(score >= self.target for score in self.scores):
            return OVER
        if not self.rolled or self.must:
            return throw(self.dice)
        return ask(self.roll_or_hold, self.player)

    def gain(self, one, other):
        """Points of a roll; None stands for a lost turn in the rulebook, here -1, and -2 for all points lost."""
        rules = RULES[self.variant]
        ones = [one, other].count(1)
        if rules == "big-pig" and ones == 2:
            return 25
        if ones == 2:
            return -2
        if ones:
            return -1
        double = one == other
        return {"two-dice": one + other, "big-pig": 2 * (one + other) if double else one + other, "hog": one + other}[
            rules
        ]

    @thrown(2, D6, FACES)
    def dice(self, one, other):
        self.rolled, self.must = True, False
        gain = self.gain(one, other)
        if gain == -2:
            self.ruined += 1
            self.scores[self.player] = 0
        if gain < 0:
            self.points = 0
            self.end_turn()
            return
        self.points = min(self.points + gain, self.target)
        self.must = RULES[self.variant] == "two-dice" and one == other

    @chosen(Move)
    def roll_or_hold(self, move):
        self.rolled = False
        if move == Move.HOLD:
            self.scores[self.player] += self.points
            self.end_turn()

    def end_turn(self):
        self.turns += 1
        self.points, self.rolled, self.must = 0, False, False
        self.player = right_of(self.player, self.players)

    def outcome(self):
        winner = None
        for seat, score in enumerate(self.scores):
            if score >= self.target:
                winner = seat
                break
        return winner


@strategy(TwoDicePig, points=Param(20, 1, 100, "hold with this many"))
def hold_at(game, points):
    need = game.target - game.scores[game.player]
    return Move.HOLD if game.points >= min(points, need) else Move.ROLL
