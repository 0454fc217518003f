"""Games with hidden dice, as a newcomer writes them: Mia with cups, Perudo, bluffing, secret bids, poker with dice."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    D6,
    FACES,
    OVER,
    Flag,
    Game,
    Grid,
    Int,
    Ints,
    Memory,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    d,
    right_of,
    strategy,
    throw,
    thrown,
)


class Believe(IntEnum):
    """What the next player does about an announcement."""

    BELIEVE = 0
    LOOK = 1


class MiaCups(Game):
    """Mia for three: roll under a cup, announce more than the one before; the next believes, or looks."""

    name = "mia-cups"
    source = "made for the tests, after Mia"

    players = Param(3, 2, 4, "players")
    lives = Param(2, 1, 3, "lives")

    seats = players
    outcomes = (players, "nobody")

    left = Ints(players, 0, lives, "lives left", start=lives, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    cups = Ints(players, 0, 21, "the place of the roll under each cup, from 31 on", by_seat=True, private=True)
    said = Int(0, 21, "what was announced last")
    rolled = Flag("the player has rolled")
    believes = Flag("the player says whether the one before is believed")

    rolls = Tally("rolls")
    lies = Tally("lies that were found out")

    def next(self) -> int:
        if sum(1 for lives in self.left if lives > 0) <= 1:
            return OVER
        if self.believes:
            return ask(self.believe, self.player)
        return ask(self.announce, self.player) if self.rolled else throw(self.cup)

    @thrown(2, D6, FACES)
    def cup(self, one: int, other: int) -> None:
        self.rolls += 1
        high, low = max(one, other), min(one, other)
        if high == 2 and low == 1:
            place = 21
        elif high == low:
            place = 14 + high
        else:
            place = (high - 1) * (high - 2) // 2 + low - 1
        self.cups[self.player] = max(1, place)
        self.rolled = True

    def higher(self, what: int) -> bool:
        return what > self.said

    @chosen((1, 21), legal=higher)
    def announce(self, what: int) -> None:
        self.said = what
        self.rolled = False
        self.player = self.after(self.player)
        self.believes = True

    def after(self, seat: int) -> int:
        seat = right_of(seat, self.players)
        while self.left[seat] == 0:
            seat = right_of(seat, self.players)
        return seat

    def before(self, seat: int) -> int:
        found = (seat - 1) % self.players
        while self.left[found] == 0:
            found = (found - 1) % self.players
        return found

    @chosen(Believe)
    def believe(self, move: int) -> None:
        self.believes = False
        if move == Believe.BELIEVE and self.said < 21:
            return
        liar = self.before(self.player)
        lied = self.cups[liar] < self.said
        if lied:
            self.lies += 1
        loser = liar if lied else self.player
        self.left[loser] -= 1
        for seat in range(self.players):
            self.cups[seat] = 0
        self.said = 0
        if self.left[loser] == 0 and max(self.left) < sum(self.left):
            loser = self.after(loser)
        self.player = loser

    def outcome(self) -> int:
        return self.left.index(max(self.left)) if max(self.left) > 0 else self.players


@strategy(MiaCups, doubt=Param(16, 1, 21, "look from this announcement on"))
def truthful(game: MiaCups, doubt: int) -> int:
    """Say what lies under the cup, or one more than was said; look from some announcement on."""
    if game.believes:
        return Believe.LOOK if game.said >= doubt else Believe.BELIEVE
    mine = game.cups[game.player]
    return mine if mine > game.said else min(21, game.said + 1)


class Suspicion(Memory):
    """What a player remembers."""

    high = Int(0, 10, "high announcements so far")


@strategy(MiaCups, memory=Suspicion)
def suspicious(game: MiaCups, mine: Suspicion) -> int:
    """Look sooner the more high announcements there were."""
    me = game.player
    if game.believes:
        if game.said > 14:
            mine.high = min(10, mine.high + 1)
        return Believe.LOOK if game.said + mine.high > 17 else Believe.BELIEVE
    return max(game.cups[me], min(game.said + 1, 21))


class Perudo(Game):
    """Perudo: bid on the dice under all cups, ones are wild; who is wrong loses a die."""

    name = "perudo"
    source = "made for the tests, after Perudo"

    players = Param(2, 2, 4, "players")
    dice = Param(2, 1, 3, "dice of each player")

    seats = players

    left = Ints(players, 0, dice, "dice left", start=dice, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    shaken = Int(0, players, "cups that are shaken, from the first player on")
    cups = Grid(players, 6, 0, dice, "dice that show each number, by player", by_seat=True, private=True)
    many = Int(0, players * dice, "dice of the last bid")
    face = Int(0, 6, "number of the last bid")
    bidder = Seat(players, "who bid last", nobody=True)

    rounds = Tally("rounds")
    raises = Tally("bids")

    def next(self) -> int:
        if max(self.left) == sum(self.left):
            return OVER
        if self.shaken < self.players:
            return throw(self.shake, max(1, self.left[self.shaken]))
        return ask(self.bid, self.player)

    @thrown(dice, D6, COUNTS)
    def shake(self, *shown: int) -> None:
        seat = self.shaken
        self.cups[seat][:] = [many if self.left[seat] > 0 else 0 for many in shown]
        self.shaken += 1
        while self.shaken < self.players and self.left[self.shaken] == 0:
            self.shaken += 1

    def bids(self) -> Iterator[tuple[int, int]]:
        """All higher bids; 0 dice of ones is a doubt."""
        if self.many > 0:
            yield 0, 1
        for many in range(max(1, self.many), sum(self.left) + 1):
            for face in range(2, 7):
                if many > self.many or face > self.face:
                    yield many, face

    @chosen((0, players * dice), (1, 6), moves=bids)
    def bid(self, many: int, face: int) -> None:
        if many > 0:
            self.raises += 1
            self.many, self.face, self.bidder = many, face, self.player
            self.player = self.after(self.player)
            return
        shown = sum(cup[self.face - 1] + cup[0] for cup in self.cups)
        self.rounds += 1
        loser = self.player if shown >= self.many else self.bidder
        self.left[loser] -= 1
        self.player = loser if self.left[loser] > 0 else self.after(loser)
        self.many = self.face = 0
        self.bidder = -1
        for seat in range(self.players):
            for number in range(6):
                self.cups[seat][number] = 0
        self.shaken = next(seat for seat in range(self.players) if self.left[seat] > 0)

    def after(self, seat: int) -> int:
        seat = right_of(seat, self.players)
        while self.left[seat] == 0:
            seat = right_of(seat, self.players)
        return seat

    def mine(self, face: int) -> int:
        cup = self.cups[self.player]
        return cup[face - 1] + cup[0]

    def outcome(self) -> int:
        return self.left.index(max(self.left))


@strategy(Perudo, trust=Param(1, 0, 6, "dice of the others that are taken to fit"))
def counting(game: Perudo, trust: int) -> tuple[int, int]:
    """Doubt what the own dice and some of the others can't show; else bid on what there is most of."""
    if game.many > 0 and game.many > game.mine(game.face) + trust:
        return 0, 1
    best = max(range(2, 7), key=lambda face: game.mine(face))
    if game.many == 0 or best > game.face:
        return max(1, game.many), best
    return (game.many + 1, best) if game.many < sum(game.left) else (0, 1)


@strategy(Perudo)
def careful(game: Perudo) -> tuple[int, int]:
    """Doubt anything but a first bid; sum up one's own dice, in a comprehension, for that."""
    high = sum(n * (i + 1) for i, n in enumerate(game.cups[game.player]))
    if game.many > 0:
        return 0, 1
    return 1, 6 if high > 6 else 2


class Bluff(Game):
    """Each rolls one hidden die; the first names a number that both dice are said to reach, the second may call."""

    name = "bluff"
    source = "made for the tests"

    seats = 2
    outcomes = ("first", "second", "draw")
    payoffs = {"first": (1, -1), "second": (-1, 1), "draw": 0}

    secret = Ints(2, 0, 6, "the die of each", by_seat=True, private=True)
    rolled = Int(0, 2, "dice rolled")
    turn = Int(0, 2, "who chooses")
    claim = Int(0, 12, "what the first said")
    called = Int(0, 2, "0 nothing, 1 called, 2 passed")

    def next(self) -> int:
        if self.rolled < 2:
            return throw(self.die)
        return OVER if self.turn == 2 else ask(self.say, self.turn)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.secret[self.rolled] = face
        self.rolled += 1

    def allowed(self, what: int) -> bool:
        return what >= 2 if self.turn == 0 else what <= 1

    @chosen((0, 12), legal=allowed)
    def say(self, what: int) -> None:
        if self.turn == 0:
            self.claim = what
        else:
            self.called = 1 + what
        self.turn += 1

    def outcome(self) -> int:
        total = self.secret[0] + self.secret[1]
        if self.called == 2:
            return 2 if self.claim < 7 else 0
        return 0 if total >= self.claim else 1


@strategy(Bluff, more=Param(3, 0, 6, "added to one's own die by the first"))
def adding(game: Bluff, more: int) -> int:
    """Claim one's own die and some more; call what is more than one's own die and four."""
    mine = game.secret[game.turn]
    if game.turn == 0:
        return max(2, mine + more)
    return 0 if game.claim > mine + 4 else 1


class SecretBids(Game):
    """Both bid in secret for a prize that is rolled, one after the other; the higher bid takes it and is paid."""

    name = "secret-bids"
    source = "made for the tests"

    players = Param(2, 2, 3, "players")
    rounds = Param(2, 1, 3, "prizes")

    seats = players
    outcomes = (players, "draw")

    money = Ints(players, 0, 6, "money", start=6, by_seat=True)
    bids = Ints(players, -1, 6, "bid of each; -1 none", start=-1, by_seat=True, private=True)
    points = Ints(players, 0, 18, "points", by_seat=True)
    prize = Int(0, 6, "what is bid for")
    left = Int(0, rounds, "prizes to come", start=rounds)
    bidder = Seat(players, "who bids")

    turned_down = Tally("prizes that nobody takes")

    def next(self) -> int:
        if self.prize == 0:
            return throw(self.rolled) if self.left else OVER
        return ask(self.bid, self.bidder)

    @thrown(1, d(6))
    def rolled(self, face: int) -> None:
        self.prize = face
        self.left -= 1

    def affordable(self, amount: int) -> bool:
        return amount <= self.money[self.bidder]

    @chosen((0, 6), legal=affordable)
    def bid(self, amount: int) -> None:
        self.bids[self.bidder] = amount
        self.bidder = right_of(self.bidder, self.players)
        if self.bidder == 0:
            self.settle()

    def settle(self) -> None:
        best = max(self.bids)
        if self.bids.count(best) == 1:
            winner = self.bids.index(best)
            self.money[winner] -= best
            self.points[winner] += self.prize
        else:
            self.turned_down += 1
        self.prize = 0
        for seat in range(self.players):
            self.bids[seat] = -1

    def outcome(self) -> int:
        best = max(self.points)
        return self.points.index(best) if self.points.count(best) == 1 else self.players


@strategy(SecretBids, by=Param(1, 0, 3, "taken off the prize"))
def less(game: SecretBids, by: int) -> int:
    """Bid a little less than the prize."""
    return max(0, min(game.money[game.bidder], game.prize - by))


class Bet(IntEnum):
    """What a player does."""

    PASS = 0
    BET = 1


class DicePoker(Game):
    """Poker with dice: both roll a hidden die and ante 1; bet or pass, then call or fold; the higher wins."""

    name = "dice-poker"
    source = "made for the tests, after Kuhn"

    seats = 2

    hands = Ints(2, 0, 6, "the die of each", by_seat=True, private=True)
    dealt = Int(0, 2, "dice rolled")
    moves = Int(0, 3, "moves so far")
    bets = Ints(2, 0, 1, "who has bet", by_seat=True)
    done = Flag("the hand is over")
    first = Tally("won by the first", low=-2, high=2)
    second = Tally("won by the second", low=-2, high=2)

    outcomes = ("first", "second", "equal")
    payoffs = (first, second)

    def next(self) -> int:
        if self.dealt < 2:
            return throw(self.die)
        return OVER if self.done else ask(self.bet, self.moves % 2)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.hands[self.dealt] = face
        self.dealt += 1

    @chosen(Bet)
    def bet(self, move: int) -> None:
        me = self.moves % 2
        self.bets[me] = move
        self.moves += 1
        if self.moves >= 2:
            self.done = not (self.moves == 2 and move == Bet.BET and self.bets[0] == 0)

    def outcome(self) -> int:
        stake = 1 + min(self.bets)
        if self.bets[0] != self.bets[1]:
            winner = 0 if self.bets[0] > self.bets[1] else 1
        elif self.hands[0] == self.hands[1]:
            return 2
        else:
            winner = 0 if self.hands[0] > self.hands[1] else 1
        self.first += stake if winner == 0 else -stake
        self.second += stake if winner == 1 else -stake
        return winner


@strategy(DicePoker, high=Param(4, 1, 7, "bet and call from this die on"))
def high(game: DicePoker, high: int) -> Bet:
    """Bet with a high die, call with one."""
    return Bet.BET if game.hands[game.moves % 2] >= high else Bet.PASS


@strategy(DicePoker, bluff=Param(1, 0, 6, "bet with this die or less, too"))
def bluffing(game: DicePoker, bluff: int) -> Bet:
    """Bet with high and with very low dice; call with high ones."""
    mine = game.hands[game.moves % 2]
    return Bet.BET if mine >= 5 or (mine <= bluff and max(game.bets) == 0) else Bet.PASS
