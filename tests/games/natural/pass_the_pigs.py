"""Pass the Pigs: two pigs are thrown like dice."""

from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    OVER,
    Die,
    Flag,
    Flags,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    mixed,
    strategy,
    throw,
)

PIG = Die(pink=3490, dot=3020, razorback=2240, trotter=880, snouter=300, jowler=70)
TOUCH = Die(apart=985, oinker=14, piggyback=1)

SINGLE = {"razorback": 5, "trotter": 5, "snouter": 10, "jowler": 15}
SIDER = 1
DOUBLED = 4  # two of a kind are worth four times one


class Move(IntEnum):
    THROW = 0
    PASS = 1


def worth(pink: int, dot: int, *others: int) -> int:
    """Points of two pigs that don't touch; 0: pig out."""
    if pink == dot == 1:
        return 0
    if 2 in (pink, dot):
        return SIDER
    pigs = dict(zip(SINGLE, others))
    factor = DOUBLED if 2 in pigs.values() else 1
    return factor * sum(SINGLE[name] for name, count in pigs.items() if count)


class PassThePigs(Game):
    """Pass the Pigs: throw and add up, or pass; first to 100."""

    name = "pass_the_pigs"
    source = "David Moffat, Pass the Pigs, 1977"

    players = Param(2, 2, 6, "players")
    target = Param(100, 10, 500, "points that win")

    seats = players

    scores = Ints(players, 0, target + 60, "points of each", by_seat=True)
    out = Flags(players, "who is out of the game because of a piggyback", by_seat=True)
    points = Int(0, target + 60, "points of this turn")
    may_pass = Flag("the player may choose")
    player = Seat(players, "whose turn it is", alike=True)

    turns = Tally("turns")
    pig_outs = Tally("turns lost by a pig out")
    oinkers = Tally("all points lost by an oinker")

    def remaining(self):
        return [seat for seat, out in enumerate(self.out) if not out]

    def next(self):
        if len(self.remaining()) == 1 or max(self.scores) >= self.target:
            return OVER
        return ask(self.throw_or_pass, self.player) if self.may_pass else throw(self.pigs)

    @mixed(COUNTS, pig=(2, PIG), touch=(1, TOUCH))
    def pigs(self, *shown):
        *pigs, apart, oinker, piggyback = shown
        if piggyback:
            self.scores[self.player] = 0
            self.out[self.player] = True
            self.end_turn()
        elif oinker:
            self.oinkers += 1
            self.scores[self.player] = 0
            self.end_turn()
        elif (won := worth(*pigs)) == 0:
            self.pig_outs += 1
            self.end_turn()
        else:
            self.points += won
            self.may_pass = True

    def sensible(self, move):
        return move == Move.PASS or self.scores[self.player] + self.points < self.target

    @chosen(Move, legal=sensible)
    def throw_or_pass(self, move):
        self.may_pass = False
        if move == Move.PASS:
            self.scores[self.player] += self.points
            self.end_turn()

    def end_turn(self):
        self.turns += 1
        self.points = 0
        self.may_pass = False
        later = ((self.player + step) % self.players for step in range(1, self.players + 1))
        self.player = next((seat for seat in later if not self.out[seat]), self.player)

    def outcome(self):
        return max(self.remaining(), key=lambda seat: self.scores[seat])


@strategy(PassThePigs, points=Param(22, 1, 200, "pass with at least this many points"))
def pass_at(game, points):
    """Pass with enough points, or enough to win; throw on if somebody else is about to win."""
    mine = game.scores[game.player]
    if mine + game.points >= game.target:
        return Move.PASS
    danger = any(score >= game.target - 10 for seat, score in enumerate(game.scores) if seat != game.player)
    return Move.PASS if game.points >= points * (2 if danger else 1) else Move.THROW
