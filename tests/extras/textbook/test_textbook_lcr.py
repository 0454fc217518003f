"""Text 5: its functions on lists made by hand, its dice, and every turn and whole games against the rules of LCR."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicelab.errors import DicelabError, ParameterError
from dicelab.games.lcr import LCR
from dicelab.runtime.foreign_streams import PythonDice
from dicelab.runtime.interpreter import asked, finished, steps
from dicelab.textbook import lcr

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def rolled(monkeypatch):
    """Have these faces rolled; those that are not are left in the list returned."""

    def roll(faces):
        left = list(faces)
        monkeypatch.setattr(lcr, "roll_die", lambda: left.pop(0))
        return left

    return roll


# The functions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coins", "over"),
    [
        ([3, 3, 3], False),
        ([0, 3, 1], False),
        ([1, 0, 0, 1], False),
        ([0, 4, 0], True),
        ([1, 0], True),
        ([0, 0, 0, 9], True),
        ([7], True),
    ],
)
def test_the_game_is_over_when_one_player_has_coins(coins, over):
    before = list(coins)
    assert lcr.lcr_over(coins) is over
    assert coins == before


@pytest.mark.parametrize(("coins", "winner"), [([0, 4, 0], 1), ([1, 0], 0), ([0, 0, 0, 9], 3), ([0, 1], 1), ([7], 0)])
def test_the_winner_is_who_has_them(coins, winner):
    assert lcr.lcr_winner(coins) == winner


@pytest.mark.parametrize(
    ("move", "player", "after"),
    [
        (lcr.left, 0, [2, 4, 5, 7]),
        (lcr.left, 1, [4, 3, 5, 6]),
        (lcr.left, 2, [3, 5, 4, 6]),
        (lcr.left, 3, [3, 4, 6, 5]),
        (lcr.right, 0, [2, 5, 5, 6]),
        (lcr.right, 1, [3, 3, 6, 6]),
        (lcr.right, 2, [3, 4, 4, 7]),
        (lcr.right, 3, [4, 4, 5, 5]),
        (lcr.center, 0, [2, 4, 5, 6]),
        (lcr.center, 1, [3, 3, 5, 6]),
        (lcr.center, 2, [3, 4, 4, 6]),
        (lcr.center, 3, [3, 4, 5, 5]),
    ],
)
def test_a_coin_is_moved_in_the_list_given(move, player, after):
    coins = [3, 4, 5, 6]
    assert move(coins, player) is None
    assert coins == after


def test_with_two_players_left_and_right_are_the_same():
    for move in (lcr.left, lcr.right):
        coins = [3, 3]
        move(coins, 0)
        move(coins, 0)
        move(coins, 1)
        assert coins == [2, 4]


@given(st.lists(st.integers(0, 9), min_size=2, max_size=12), st.data())
def test_left_and_right_are_mirror_images_and_center_takes_a_coin_away(coins, data):
    player = data.draw(st.integers(0, len(coins) - 1))
    if coins[player] == 0:
        return
    to_left, to_right, to_center, mirror = list(coins), list(coins), list(coins), coins[::-1]
    lcr.left(to_left, player)
    lcr.right(to_right, player)
    lcr.center(to_center, player)
    lcr.right(mirror, len(coins) - 1 - player)
    assert to_left == mirror[::-1]
    assert sum(to_left) == sum(to_right) == sum(coins) == sum(to_center) + 1
    assert [after - before for before, after in zip(coins, to_center, strict=True)].count(0) == len(coins) - 1


# Dice -----------------------------------------------------------------------------------------------------------------


def test_a_die_has_three_dots():
    random.seed(1)
    faces = Counter(lcr.roll_die() for _ in range(6000))
    assert set(faces) == {"L", "C", "R", "."}
    assert all(850 < faces[face] < 1150 for face in "LCR")


class Table:
    """A game told in the plainest way, to be compared: the list of coins, one die after another."""

    def __init__(self, players, faces):
        self.coins, self.turns, self.dice, self.player = [3] * players, 0, 0, 0
        faces = iter(faces)
        while sum(held > 0 for held in self.coins) > 1:
            thrown = min(self.coins[self.player], 3)
            for _ in range(thrown):
                self.dice += 1
                face = next(faces)
                if face != ".":
                    self.coins[self.player] -= 1
                if face in "LR":
                    self.coins[(self.player + (1 if face == "R" else -1)) % players] += 1
            self.turns += 1
            self.player = (self.player + 1) % players
        self.winner = next(seat for seat, held in enumerate(self.coins) if held)


@pytest.mark.parametrize("players", [2, 3, 4, 7])
def test_the_die_is_rolled_once_for_each_die_that_is_thrown(monkeypatch, players):
    """And for no player without coins."""
    for seed in range(40):
        rng, faces = random.Random(seed), []

        def roll_die(rng=rng, faces=faces):
            faces.append(rng.choice("LCR..."))
            return faces[-1]

        monkeypatch.setattr(lcr, "roll_die", roll_die)
        played = lcr.lcr_game(players)
        told = Table(players, faces)
        assert played == (told.winner, told.turns)
        assert len(faces) == told.dice


def test_a_game_by_hand(rolled):
    """Player 0 gives all to the center, then player 1; the game is over before player 2 has a turn."""
    left = rolled("CCCCCC")
    assert lcr.lcr_game(3) == (2, 2)
    assert left == []


def test_turns_without_coins_count_and_so_does_the_last_one(rolled):
    # 0: LLL (0, 3, 6); 1: CCC (0, 0, 6) over
    rolled("LLLCCC")
    assert lcr.lcr_game(3) == (2, 2)
    # 0: CCC (0, 3, 3); 1: ... ; 2: ... ; 0 has none, a turn; 1: C.. (0, 2, 3); 2: CCC over
    left = rolled("CCC" + "..." + "..." + "C.." + "CCC")
    assert lcr.lcr_game(3) == (1, 6)
    assert left == []


def test_at_most_three_dice_are_thrown(rolled):
    # 0: RRR (0, 6, 3); 1 has six coins and throws three: LLL (3, 3, 3); 2: CCC (3, 3, 0); 0: CCC over
    left = rolled("RRRLLLCCCCCC")
    assert lcr.lcr_game(3) == (1, 4)
    assert left == []


def test_as_many_dice_are_thrown_as_there_are_coins(rolled):
    # 0: CC. (1, 3); 1: CC. (1, 1); 0: one die, a dot; 1: one die, C: over
    left = rolled("CC.CC..C")
    assert lcr.lcr_game(2) == (0, 4)
    assert left == []


@pytest.mark.parametrize(
    ("coins", "dice", "faces", "played"),
    [
        (1, 3, [".", "C"], (0, 2)),
        (5, 2, ["CC", "CC", "CC", "..", ".", ".C", "C"], (1, 7)),
        (4, 4, ["CCCL"], (1, 1)),
    ],
)
def test_other_coins_and_dice(monkeypatch, rolled, coins, dice, faces, played):
    """As the text proposes: "allow different starting coins and max dice numbers"."""
    monkeypatch.setattr(lcr, "COINS", coins)
    monkeypatch.setattr(lcr, "DICE", dice)
    left = rolled("".join(faces))
    assert lcr.lcr_game(2) == played
    assert left == []


# The rules' file ------------------------------------------------------------------------------------------------------


MOVES = {"L": lcr.left, "C": lcr.center, "R": lcr.right}


def position_of(coins, player):
    game = LCR(players=3)
    for seat, held in enumerate(coins):
        game.holds[seat] = held
    game.owners, game.player = sum(held > 0 for held in coins), player
    return game


def reachable():
    """All distributions of at most nine coins among three players that a game comes to, with the player to move."""
    waiting, found = [((3, 3, 3), 0)], set()
    while waiting:
        coins, player = waiting.pop()
        if (coins, player) in found or sum(held > 0 for held in coins) == 1:
            continue
        found.add((coins, player))
        for faces in product("LCR.", repeat=min(coins[player], 3)):
            after = list(coins)
            for face in faces:
                after[player] -= face != "."
                after[player - 1] += face == "L"
                after[player - 2] += face == "R"
            waiting.append((tuple(after), (player + 1) % 3))
    return sorted(found)


def test_every_throw_in_every_state_agrees_with_the_rules():
    """Die by die in this order: coins, who moves next, the turns, and when the game is over."""
    states = reachable()
    assert len(states) > 400
    [turn] = LCR.declared.throws
    for coins, player in states:
        if coins[player] == 0:
            continue  # the rules pass such a turn over, and count it, below
        dice = min(coins[player], 3)
        assert asked(position_of(coins, player), position_of(coins, player).next()) == (turn, dice)
        for faces in product("LCR.", repeat=dice):
            game, mine = position_of(coins, player), list(coins)
            turn.rule(game, *(faces.count(face) for face in "LCR."))
            for face in faces:
                if face != ".":
                    MOVES[face](mine, player)
            turns, mover = 1, (player + 1) % 3
            while not lcr.lcr_over(mine) and mine[mover] == 0:
                turns, mover = turns + 1, (mover + 1) % 3
            assert mine == list(game.holds), (coins, player, faces)
            assert lcr.lcr_over(mine) is (game.owners == 1)
            assert turns == game.turns
            assert mover == game.player
            if lcr.lcr_over(mine):
                assert lcr.lcr_winner(mine) == game.outcome()


@given(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.sampled_from(["LCR", "LL.", "RRC", ".C", "LR", "RLR"]))
def test_the_order_of_the_dice_makes_no_difference(coins, faces):
    coins[0] = max(coins[0], len(faces))
    seen = set()
    for order in permutations(faces):
        after = list(coins)
        for face in order:
            if face != ".":
                MOVES[face](after, 0)
        seen.add(tuple(after))
    assert len(seen) == 1


class Faces:
    """A source of the faces that a generator rolls."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def roll(self):
        return self.rng.choice("LCR...")

    def draw(self, pool):
        return pool.seen(["LCR.".index(self.roll()) for _ in range(pool.count)])


@pytest.mark.slow_cases("2")
@pytest.mark.parametrize("players", [2, 3, 4, 6, 10])
def test_whole_games_agree_with_the_rules(monkeypatch, players):
    for seed in range(40):
        monkeypatch.setattr(lcr, "roll_die", Faces(seed).roll)
        game = LCR(players=players)
        thrown = list(steps(game, [], Faces(seed)))
        played = finished(game)
        assert lcr.lcr_game(players) == (played.outcome, played.tallies[0])
        assert played.tallies[1] == len(thrown)


@pytest.mark.parametrize("players", [2, 5])
def test_a_game_after_a_seed_is_that_of_the_stream_of_python(players):
    """``dicelab play lcr --stream python:SEED`` throws the dice of this program."""
    for seed in range(40):
        random.seed(seed)
        game = LCR(players=players)
        for _ in steps(game, [], PythonDice(seed)):
            pass
        assert lcr.lcr_game(players) == (finished(game).outcome, finished(game).tallies[0])


@pytest.mark.parametrize("players", [2, 3, 50, 1000])
def test_the_mover_never_wins_on_its_own_turn(players):
    random.seed(players)
    for _ in range(20 if players < 1000 else 1):
        winner, turns = lcr.lcr_game(players)
        assert 0 <= winner < players
        assert (turns - 1) % players != winner
        assert turns >= players - 1


# Two thousand games ---------------------------------------------------------------------------------------------------


@pytest.fixture
def won(monkeypatch):
    """Have games won by these seats, over and over; the sizes of the tables are noted."""

    def win(seats):
        played = []

        def lcr_game(num_players):
            played.append(num_players)
            return seats[(len(played) - 1) % len(seats)], 7

        monkeypatch.setattr(lcr, "lcr_game", lcr_game)
        return played

    return win


@pytest.mark.parametrize(
    ("seats", "result"),
    [
        ([0, 1, 1, 2], (1, 0.5)),
        ([2], (2, 1.0)),
        ([2, 1, 0, 0, 1], (0, 0.4)),  # of equals the first
        ([3, 2, 3, 2], (2, 0.5)),
        ([4, 4, 4, 0, 1], (4, 0.6)),
    ],
)
def test_the_most_common_winner_of_two_thousand_games(won, seats, result):
    played = won(seats)
    assert lcr.most_common_winner(5) == result
    assert played == [5] * 2000


def test_the_shape_of_the_answer():
    random.seed(2)
    answers = [lcr.most_common_winner(3) for _ in range(3)]
    for winner, share in answers:
        assert (type(winner), type(share)) == (int, float)
        assert winner in (0, 1, 2)
        assert 1 / 3 <= share < 0.5
        assert (share * 2000).is_integer()
    random.seed(2)
    wins = Counter(lcr.lcr_game(3)[0] for _ in range(2000))
    assert answers[0] == (max(wins, key=wins.get), max(wins.values()) / 2000)


def test_the_program(monkeypatch, capsys):
    monkeypatch.setattr(lcr, "GAMES", 20)
    assert lcr.main(3) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading == "players  most common winner  share"
    random.seed(3)
    for players, line in zip(range(2, 11), lines, strict=True):
        winner, share = lcr.most_common_winner(players)
        assert line.split() == [str(players), str(winner), f"{share:.4f}"]
        assert len(line) == len("players  most common winner  ") + 6


# Bad input ------------------------------------------------------------------------------------------------------------

NO_TABLES = [1, 0, -1, 1001, 10**40, 3.0, 2.5, "3", "", None, True, NAN, INF, [3], (3,)]


@pytest.mark.parametrize("players", NO_TABLES, ids=repr)
@pytest.mark.parametrize("function", [lcr.lcr_game, lcr.most_common_winner], ids=lambda function: function.__name__)
def test_another_number_of_players_is_refused(monkeypatch, function, players):
    monkeypatch.setattr(lcr, "roll_die", lambda: pytest.fail("a die was rolled"))
    with pytest.raises(ParameterError, match=r"num_players: .* whole number, 2 to 1000") as refused:
        function(players)
    assert isinstance(refused.value, ValueError)
    assert isinstance(refused.value, DicelabError)


@pytest.mark.parametrize("coins", [[], [0], [0, 0, 0]])
def test_somebody_has_coins(coins):
    for function in (lcr.lcr_over, lcr.lcr_winner):
        with pytest.raises(ParameterError, match=r"coins: .* somebody has coins"):
            function(coins)


@pytest.mark.parametrize("coins", [[1, 1], [3, 3, 3], [0, 1, 0, 2]])
def test_there_is_no_winner_before_the_game_is_over(coins):
    with pytest.raises(ParameterError, match="the game goes on until one player has coins"):
        lcr.lcr_winner(coins)


@pytest.mark.parametrize("player", [1, -1, -3, 3, 100, -(10**30), NAN, INF], ids=repr)
@pytest.mark.parametrize("move", [lcr.left, lcr.right, lcr.center], ids=lambda move: move.__name__)
def test_a_player_without_a_coin_gives_none(move, player):
    coins = [2, 0, 4]
    with pytest.raises(ParameterError, match="has no coin to give"):
        move(coins, player)
    assert coins == [2, 0, 4]
