"""Large games with hidden dice: round by round, and with arrays over hands; compared with the tree of all histories."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import dicelab
from dicelab.errors import TooLarge
from dicelab.questions.policies.bluffing import Equilibrium
from dicelab.rules.game import Game, seat_count, twin
from dicelab.rules.loading.registry import games_in, load
from dicelab.solver import hidden_game
from dicelab.solver.hidden_game import PublicTree
from hidden_reference import chance_to_win, of_policy, worth
from support import SetLimits

HANDS = '''
from dicelab.rules import OVER, Game, Int, Ints, ask, chosen, d, strategy, throw, thrown


class Hands(Game):
    """The first rolls a die, the second too, but instead of a 1 it takes what the first has rolled; raise or fold."""

    name = "hands"
    seats = 2

    hands = Ints(2, 0, 6, "what each has rolled", by_seat=True, private=True)
    rolled = Int(0, 2, "who has rolled")
    bids = Ints(2, 0, 3, "what each has bid")
    moves = Int(0, 4, "moves so far")
    over = Int(0, 1, "1: the game is over")
    open = Int(0, 3, "a die that was shown")

    def next(self):
        if self.rolled == 0:
            return throw(self.one)
        if self.rolled == 1:
            return throw(self.other)
        return OVER if self.over else ask(self.bid, self.moves % 2)

    @thrown(1, d(3))
    def one(self, face):
        self.hands[0] = face
        self.rolled = 1

    @thrown(1, d(3))
    def other(self, face):
        self.hands[1] = self.hands[0] if face == 1 else face
        self.rolled = 2

    @chosen((0, 2), legal=lambda game, more: more == 0 or game.moves < 3)
    def bid(self, more):
        seat = self.moves % 2
        self.bids[seat] = more
        self.moves += 1
        if more == 0 or self.moves == 4:
            self.over = 1
        # here

    def outcome(self):
        if self.bids[(self.moves - 1) % 2] == 0 and self.moves < 3:
            return self.moves % 2
        return 0 if self.hands[0] + self.bids[0] > self.hands[1] + self.bids[1] // 2 else 1


@strategy(Hands)
def fold(game):
    return 0
'''


def in_parts(limits: SetLimits, listed: int = 0) -> None:
    """Solve small games as if they were large."""
    limits(whole_histories=0, listed_histories=listed)


def each_wins(game: Game) -> tuple[int, ...]:
    """What each seat gets."""
    return tuple(int(twin(game).outcome() == seat) for seat in range(seat_count(game)))


def is_public(found: Equilibrium) -> bool:
    return all(isinstance(tree, PublicTree) for tree, _ in vars(found)["_found"][1].parts)


def hands(folder: Path, *changed: str) -> type[Game]:
    file = folder / "hands.py"
    file.write_text(HANDS.replace(*changed) if changed else HANDS)
    return games_in(load(file))["hands"]


@pytest.mark.parametrize(
    ("name", "given", "subgames"),
    [
        ("liars-dice", {"dice": 1, "faces": 3, "wild": "highest"}, 1),
        ("liars-dice", {"dice": 2, "second": 1, "faces": 2, "wild": "ones"}, 2),
        pytest.param("mia", {"faces": 2, "lives": 2}, 18, marks=pytest.mark.slow),
        pytest.param("liars-dice", {"dice": 2, "second": 1, "faces": 3, "begins": 2}, 2, marks=pytest.mark.slow),
        pytest.param("liars-dice", {"dice": 2, "faces": 3, "once": True}, 1, marks=pytest.mark.slow),
        pytest.param("mia", {"faces": 3, "lives": 1}, 10, marks=pytest.mark.slow),
    ],
)
def test_arrays_over_hands_and_rounds_come_to_what_the_whole_tree_says(
    limits: SetLimits, name: str, given: dict[str, object], subgames: int
) -> None:
    whole = dicelab.equilibrium(name, gap=1e-4, **given)
    in_parts(limits)
    found = dicelab.equilibrium(name, gap=0.02, **given)
    assert is_public(found)
    assert found.subgames == subgames
    assert sum(found.gains) <= 0.02
    assert abs(found.value - whole.value) <= found.error + whole.error
    assert 0 < found.error < 0.011


@pytest.mark.parametrize(
    ("listed", "subgames", "given"),
    [
        (0, 1, {"dice": 1, "faces": 2, "wild": "highest"}),
        pytest.param(10**6, 2, {"dice": 2, "second": 1, "faces": 2}, marks=pytest.mark.slow),
        pytest.param(0, 2, {"dice": 2, "second": 1, "faces": 2}, marks=pytest.mark.slow),
    ],
)
def test_no_player_gains_more_by_a_best_response_in_plain_python(
    limits: SetLimits, listed: int, subgames: int, given: dict[str, object]
) -> None:
    """The saved strategies of all rounds, in the whole game, against a player who remembers earlier rounds."""
    in_parts(limits, listed)
    found = dicelab.equilibrium("liars-dice", gap=0.02, **given)
    assert found.subgames == subgames
    chances, game = of_policy(found.policy), found.policy.game
    value = worth(game, chance_to_win, chances)
    gains = worth(game, chance_to_win, chances, 0) - value, worth(game, chance_to_win, chances, 1) + value
    assert abs(value - Fraction(found.value)) <= found.error + 1e-6
    assert all(0 <= one <= bound + 1e-6 for one, bound in zip(gains, found.gains, strict=True))
    if subgames == 1:
        assert [float(one) for one in gains] == pytest.approx(found.gains, abs=1e-6)


@pytest.mark.slow
def test_engines_play_the_strategies_of_all_rounds_alike(limits: SetLimits) -> None:
    in_parts(limits, 10**6)
    given = {"dice": 2, "second": 1, "faces": 2}
    found = dicelab.equilibrium("liars-dice", **given)
    assert (found.subgames, found.fraction) == (2, Fraction(13, 16))
    play = [found.policy.strategy]
    one, two = (
        dicelab.simulate("liars-dice", play, games=300, seed=3, engine=engine, **given)
        for engine in ("reference", "compiled")
    )
    assert one.outcomes == two.outcomes
    assert dicelab.exact("liars-dice", play, **given).outcomes["0"].fraction == found.fraction


@pytest.mark.parametrize(
    "given",
    [
        {"faces": 2, "lives": 1},
        pytest.param({"faces": 2, "lives": 2}, marks=pytest.mark.slow),
        pytest.param({"faces": 3, "lives": 1}, marks=pytest.mark.slow),
    ],
)
def test_a_file_knows_the_subgame_by_the_move_that_led_to_it(
    monkeypatch: pytest.MonkeyPatch, limits: SetLimits, given: dict[str, int]
) -> None:
    """In Mia, what is announced is seen; how likely it is true depends on what was announced before, in a subgame that
    looks the same. Who announced that remembers it.
    """
    in_parts(limits, 10**6)
    found = dicelab.equilibrium("mia", **given)
    policy, game = found.policy, found.policy.game
    assert found.subgames > 3
    assert "alike" not in policy.about
    chances = of_policy(policy)
    for seat in range(seat_count(game)):
        value = worth(game, each_wins, chances, of=seat)
        assert float(value) == pytest.approx(found.values[seat], abs=found.error + 1e-6)
        assert 0 <= worth(game, each_wins, chances, seat) - value <= found.gains[seat] + 1e-6
    again = dicelab.equilibrium(game, policy.strategy)
    assert again.subgames == found.subgames
    assert again.values == pytest.approx(found.values, abs=found.error + 1e-6)
    monkeypatch.undo()
    whole = dicelab.equilibrium(game, policy.strategy)
    assert whole.gains == pytest.approx(again.gains, abs=1e-9)


@pytest.mark.slow
def test_a_file_says_what_could_be_gained_against_it_where_it_forgets(limits: SetLimits) -> None:
    """Of three players one has not made the announcement that was believed, and sees it no more."""
    limits(given_away=1)
    found = dicelab.equilibrium("mia", players=3, faces=2, lives=1)
    policy = found.policy
    assert policy.about["alike"] > 0
    chances = of_policy(policy)
    for seat, gain in enumerate(policy.about["gains"]):
        value = worth(policy.game, each_wins, chances, of=seat)
        assert float(worth(policy.game, each_wins, chances, seat) - value) == pytest.approx(gain, abs=1e-9)


@pytest.mark.slow
def test_mia_with_all_its_faces_is_played_as_it_was_solved(tmp_path: Path) -> None:
    found = dicelab.equilibrium("mia", lives=1)
    assert found.subgames > 30
    found.policy.save(tmp_path / "mia.npz")
    kept = f"policy:{tmp_path / 'mia.npz'}"
    assert max(dicelab.equilibrium("mia", kept, lives=1).gains) < 1e-8
    played = dicelab.simulate("mia", kept, lives=1, games=400_000, seed=4, engine="compiled")
    assert abs(played.outcomes["0"].probability - found.value) < 0.004
    one, two = (
        dicelab.simulate("mia", [kept, "honest"], lives=1, games=500, seed=4, engine=engine)
        for engine in ("reference", "compiled")
    )
    assert one.to_dict()["outcomes"] == two.to_dict()["outcomes"]
    exact = dicelab.exact("mia", kept, lives=1).outcomes["0"].probability
    assert exact == pytest.approx(found.value, abs=1e-6)


@pytest.mark.parametrize(("listed", "dice"), [(0, 1), (0, 2), pytest.param(10**6, 2, marks=pytest.mark.slow)])
def test_given_strategies_are_measured_round_by_round_and_with_arrays_over_hands(
    limits: SetLimits, listed: int, dice: int
) -> None:
    line_up, given = ["always_doubt", "honest"], {"dice": dice, "second": 1, "faces": 2, "wild": "highest"}
    whole = dicelab.equilibrium("liars-dice", line_up, **given)
    best = [dicelab.equilibrium("liars-dice", against=line_up[-1], seat=seat, **given) for seat in (0, 1)]
    in_parts(limits, listed)
    found = dicelab.equilibrium("liars-dice", line_up, **given)
    assert (is_public(found), found.subgames) == (listed == 0, dice)
    assert found.value == pytest.approx(whole.value, abs=1e-6)  # 32 bits
    assert found.gains == pytest.approx(whole.gains, abs=1e-6)
    for seat in (0, 1):
        again = dicelab.equilibrium("liars-dice", against=line_up[-1], seat=seat, **given)
        assert again.value == pytest.approx(best[seat].value, abs=1e-6)
        assert again.gains[seat] == pytest.approx(0, abs=1e-6)
    policy = again.policy
    kept = dicelab.equilibrium("liars-dice", [line_up[-1], policy.strategy], **given)
    assert is_public(kept) == (listed == 0)
    assert kept.values == pytest.approx(again.values, abs=1e-6)
    assert kept.gains[1] == pytest.approx(0, abs=1e-6)
    assert dicelab.exact("liars-dice", [line_up[-1], policy.strategy], **given).outcomes["1"].fraction == pytest.approx(
        1 - again.value, abs=1e-6
    )


def test_hands_that_depend_on_each_other_are_dealt_together(limits: SetLimits, tmp_path: Path) -> None:
    whole = dicelab.equilibrium(hands(tmp_path))
    in_parts(limits)
    found = dicelab.equilibrium(hands(tmp_path), gap=1e-4)
    assert is_public(found)
    assert abs(found.value - whole.value) <= found.error + whole.error < 1e-4


@pytest.mark.parametrize(
    "changed",
    [
        ("# here", "self.open = min(self.hands[0], 3)"),  # tells what the first has rolled
        ("# here", "self.open = 1 if self.hands[seat] > 2 else 0"),
        ('"what each has bid"', '"what each has bid", private=True, by_seat=True'),
        ("return OVER if self.over else", "return OVER if self.over else throw(self.late) if self.moves == 2 else"),
        ("if more == 0 or self.moves == 4:", "if more == 0 or self.moves == 4 or self.hands[seat] == 1:"),
    ],
    ids=["shown", "half shown", "secret bids", "a late roll", "an end that tells"],
)
def test_what_tells_more_than_the_move_is_solved_as_the_whole_tree(
    limits: SetLimits, tmp_path: Path, changed: tuple[str, str]
) -> None:
    late = """    @thrown(1, d(2))
    def late(self, face):
        self.moves = 3
        self.hands[0] += face - 1

    @chosen("""
    text = HANDS.replace(*changed).replace("    @chosen(", late, 1)
    file = tmp_path / "hands.py"
    file.write_text(text)
    game = games_in(load(file))["hands"]
    whole = dicelab.equilibrium(game)
    in_parts(limits)
    found = dicelab.equilibrium(game)
    assert not is_public(found)
    assert abs(found.value - whole.value) <= found.error + whole.error < 1e-4


def test_a_game_whose_strategies_take_too_much_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch, limits: SetLimits
) -> None:
    in_parts(limits)
    monkeypatch.setattr(hidden_game, "limit_of", lambda memory: 1000)
    with pytest.raises(TooLarge, match=r"192 situations with 378 moves in a round, which take .*; .* may be used"):
        dicelab.equilibrium("liars-dice", dice=1, faces=3, wild="highest")


def test_too_few_seconds_are_said_beforehand_and_afterwards(limits: SetLimits) -> None:
    in_parts(limits)
    given = {"dice": 1, "faces": 4, "wild": "highest"}
    limits(public_seconds=0.01)
    with pytest.warns(RuntimeWarning, match=r"goes through 2,040 numbers.*; 1 s are too few, 10,000 may be enough"):
        found = dicelab.equilibrium("liars-dice", gap=1e-12, seconds=1, **given)
    assert sum(found.gains) > 1e-12
    assert "stopped before the gap was 1e-12" in str(found)
    limits(public_seconds=0.0)
    found = dicelab.equilibrium("liars-dice", gap=0.1, **given)
    assert "stopped before" not in str(found)


@pytest.mark.slow
def test_a_game_with_far_too_many_bids_is_refused_before_its_states_are_searched() -> None:
    """36 bids on three dice each: every set of them is a sequence of bids, which may end with a doubt."""
    assert abs(2**37 - 1.4e11) < 1e10
    with pytest.raises(TooLarge, match=r"liars-dice has about 1e\+11 histories, too many to solve"):
        dicelab.equilibrium("liars-dice", dice=3)
