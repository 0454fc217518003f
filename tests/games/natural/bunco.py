"""Bunco at one table: three dice, six rounds, round n is played for n."""

from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Param, Seat, Tally, right_of, throw, thrown

ROUNDS = 6
BUNCO = 21
MINI_BUNCO = 5


def worth(dice: tuple[int, ...], target: int) -> int:
    """Points of one roll of three dice."""
    if len(set(dice)) == 1:
        return BUNCO if target in dice else MINI_BUNCO
    return sum(die == target for die in dice)


class Bunco(Game):
    """Bunco: roll on as long as you score; a round ends when somebody has 21."""

    name = "bunco"
    source = "World Bunco Association, house rules for a single table"

    players = Param(4, 2, 12, "players at the table")

    seats = players

    won = Ints(players, 0, ROUNDS, "rounds won by each", by_seat=True, grows=True)
    buncos = Ints(players, 0, ROUNDS, "buncos rolled by each", by_seat=True, grows=True)
    points = Ints(players, 0, 2 * BUNCO, "points of each in this round", by_seat=True)
    round = Int(1, ROUNDS + 1, "the round, and the number that scores", start=1)
    player = Seat(players, "who rolls")

    rolls = Tally("rolls of the dice")
    minis = Tally("mini buncos")
    ties = Tally("games decided by buncos or not at all")

    def next(self) -> int:
        return OVER if self.round > ROUNDS else throw(self.dice)

    @thrown(3, D6, FACES)
    def dice(self, *dice: int) -> None:
        self.rolls += 1
        points = worth(dice, self.round)
        if points == BUNCO:
            self.buncos[self.player] += 1
        elif points == MINI_BUNCO:
            self.minis += 1
        self.points[self.player] += points
        if self.points[self.player] >= BUNCO:
            self.end_round()
        elif not points:
            self.player = right_of(self.player, self.players)

    def end_round(self) -> None:
        self.won[self.player] += 1
        for seat in range(self.players):
            self.points[seat] = 0
        self.round += 1
        self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        """Most rounds won; if these are equal, most buncos."""
        if self.won.count(max(self.won)) > 1:
            self.ties += 1
        return max(range(self.players), key=lambda seat: (self.won[seat], self.buncos[seat]))
