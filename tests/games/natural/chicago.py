"""Chicago, the bar game: three dice, ones are a hundred."""

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    kept,
    right_of,
    strategy,
    throw,
    thrown,
)

WORTH = {1: 100, 2: 2, 3: 3, 4: 4, 5: 5, 6: 60}
THROWS = 3
DICE = 3
CHICAGO = DICE * WORTH[1]


def worth(counts) -> int:
    return sum(WORTH[face] * count for face, count in enumerate(counts, start=1))


class Chicago(Game):
    """Chicago: the first player decides how many throws there are; the lowest loses a life."""

    name = "chicago"
    source = "Chicago, as played in German pubs"

    players = Param(3, 2, 6, "players")
    lives = Param(3, 1, 10, "lives of each")

    seats = players

    left = Ints(players, 0, lives, "lives of each", start=lives, by_seat=True)
    results = Ints(players, 0, CHICAGO, "what each has rolled in this round; 0: not yet", by_seat=True)
    dice = Ints(6, 0, DICE, "dice that show each number")
    throws = Int(0, THROWS, "throws of this player")
    limit = Int(0, THROWS, "throws that the first player took; 0: not yet known")
    player = Seat(players, "whose turn it is")

    rounds = Tally("rounds")
    chicagos = Tally("three ones")

    def alive(self) -> list[int]:
        return [seat for seat, lives in enumerate(self.left) if lives]

    def next(self) -> int:
        if len(self.alive()) == 1:
            return OVER
        if missing := DICE - sum(self.dice):
            return throw(self.cup, missing)
        return ask(self.keep, self.player)

    @thrown(DICE, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.throws += 1
        for i, count in enumerate(shown):
            self.dice[i] += count
        if self.throws == (self.limit or THROWS):
            self.end_turn()

    @kept(DICE, D6, dice)
    def keep(self, *kept: int) -> None:
        """Keep some of the dice; all of them: the turn is over."""
        if sum(kept) == DICE:
            self.end_turn()
        else:
            for i, count in enumerate(kept):
                self.dice[i] = count

    def end_turn(self) -> None:
        result = worth(self.dice)
        self.chicagos += result == CHICAGO
        self.results[self.player] = result
        self.limit = self.limit or self.throws
        self.throws = 0
        for i in range(6):
            self.dice[i] = 0
        waiting = [seat for seat in self.alive() if not self.results[seat]]
        if waiting:
            self.player = self.following(self.player)
        else:
            self.end_round()

    def following(self, seat: int) -> int:
        """The next player to the right who is still alive."""
        seat = right_of(seat, self.players)
        while not self.left[seat]:
            seat = right_of(seat, self.players)
        return seat

    def end_round(self) -> None:
        """The lowest loses a life, two if somebody has a Chicago; of equals the one who rolled last."""
        order = [self.following(self.player)]
        while len(order) < len(self.alive()):
            order.append(self.following(order[-1]))
        loser = min(reversed(order), key=lambda seat: self.results[seat])
        cost = 2 if CHICAGO in self.results else 1
        self.left[loser] = max(0, self.left[loser] - cost)
        self.rounds += 1
        self.limit = 0
        for seat in range(self.players):
            self.results[seat] = 0
        self.player = loser if self.left[loser] else self.following(loser)

    def outcome(self) -> int:
        return self.alive()[0]


@strategy(Chicago, enough=Param(160, 10, 300, "the first player stops with this much"))
def ones_and_sixes(game: Chicago, enough: int):
    """Keep ones and sixes; stop when ahead of somebody, or with enough as the first."""
    now = worth(game.dice)
    others = [result for result in game.results if result]
    if now > min(others, default=enough - 1):
        return game.dice
    return tuple(count if face in {1, 6} else 0 for face, count in enumerate(game.dice, start=1))
