"""Hidden information: strategies see what their seat sees, and what takes everybody to see everything is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import dicelab
from dicelab.compile.kernels.writers.simulate import translated
from dicelab.errors import InputError, PlayError, RulesError
from dicelab.interface.play import play
from dicelab.interface.play.asking.hints import hints_for
from dicelab.runtime.lineup import Run
from dicelab.translation.translator import NotTranslatable

LIARS = Path(__file__).parents[2] / "src/dicelab/games/liars_dice.py"


def one_round(first: int, second: int, trust: int) -> int:
    """Who wins liar's dice of two seats with a die each, both `honest`, by hand: written apart from the rules."""
    hands, bid, seat = (first, second), (0, 0), 0
    while True:
        mine = hands[seat]
        if bid[0] and bid[0] > (mine == bid[1]) + trust:
            break
        many = bid[0] if bid[0] and mine > bid[1] else bid[0] + 1
        if many > 2:
            break
        bid, seat = (many, mine), 1 - seat
    return seat if hands.count(bid[1]) < bid[0] else 1 - seat


@pytest.mark.parametrize("trust", [0, 1, 2])
def test_liars_dice_is_what_counting_all_hands_gives(trust: int) -> None:
    wins = sum(one_round(a, b, trust) == 0 for a, b in product(range(1, 7), repeat=2))
    exact = dicelab.exact(str(LIARS), f"honest:{trust}", players=2, dice=1)
    assert exact.outcomes["0"].probability == pytest.approx(wins / 36)
    assert exact.tallies["rounds"].mean == 1


@pytest.mark.slow
def test_who_always_doubts_a_six_is_right_as_often_as_dice_say() -> None:
    """The first bid, one six, is wrong if none of four dice shows one: (5/6)^4."""
    exact = dicelab.exact(str(LIARS), "always_doubt", dice=1, players=4)
    first = dicelab.simulate(str(LIARS), ["always_doubt"], dice=1, players=2, games=4000, seed=1)
    assert first.outcomes["1"].probability == pytest.approx((5 / 6) ** 2, abs=0.03)
    assert exact.tallies["rounds"].mean == 3
    assert exact.tallies["lies"].mean == pytest.approx(sum((5 / 6) ** n for n in (4, 3, 2)))


@pytest.mark.slow
def test_engines_agree_and_say_which_one_plays() -> None:
    whole = {"games": 400, "seed": 2, "dice": 1}
    expected = dicelab.simulate(str(LIARS), "honest", engine="reference", **whole)
    assert dicelab.simulate(str(LIARS), "honest", **whole).outcomes == expected.outcomes
    for engine in ("compiled", "memo"):
        played = dicelab.simulate(str(LIARS), "honest", engine=engine, **whole)
        assert played.engine == engine
        assert [p.count for p in played.outcomes.values()] == [p.count for p in expected.outcomes.values()]
        assert played.tallies["lies"].mean == expected.tallies["lies"].mean


PEEKING = {
    "number": ("game.hands[1 - game.player][0]", "hands"),
    "row": ("sum(game.hands[1 - game.player])", "hands"),
    "rows": ("sum(sum(hand) for hand in game.hands)", "hands"),
    "method": ("game.everything()", "hands"),
    "nobody": ("game.secret", "secret"),
    "test": ("1 if game.secret else 2", "secret"),
    "flat": ("sum(game.extra)", "extra"),
    "in": ("1 if 2 in game.extra else 3", "extra"),
    "part": ("sum(game.extra[0:-1] + game.extra[1:0:-1])", "extra"),
    "equal": ("1 if game.extra == (0, 0) else 2", "extra"),
    "text": ("len(str(game.secret))", "secret"),
}


WATCHED = {"equal", "text"}
"""Of these the reference engine finds it out, which alone can play them: they can't be translated."""

MORE = {
    "another seat in a variable": "game.extra[other] for other in [1 - game.player]",
    "a loop over all seats": "game.extra[seat] for seat in range(game.players)",
    "an argument": "game.at(seat) for seat in range(1)",
    "all seats in pairs": "number for number, _ in zip(game.extra, game.left)",
    "a hidden index": "game.left[game.secret] for _ in range(1)",
    "one's own, and another in a condition": "game.extra[game.player if game.many > 0 else 1] for _ in range(1)",
    "a line as an iterator": "sum(line) for line in game.hands",
    "the number of hidden ones": "1 for n in game.extra if n == 1",
    "a place": "game.extra.index(1) for _ in range(1)",
    "a largest number": "max(game.extra) for _ in range(1)",
    "a helper that is given a row": "first(game.extra) for _ in range(1)",
}
OWN = {
    "the lengths": "len(game.extra) + len(game.hands) for _ in range(1)",
    "an argument": "game.at(game.player) for _ in range(1)",
    "a line": "n * n for n in game.hands[game.player]",
}


def liars(folder: Path, text: str) -> str:
    """A file with liar's dice and a strategy that returns what a text says."""
    source = LIARS.read_text().replace("from dicelab", "from operator import attrgetter\n\nfrom dicelab", 1)
    fields = (
        '    secret = Int(0, 1, "hidden", private=True)\n'
        '    extra = Ints(players, 0, 1, "hidden", by_seat=True, private=True)\n'
    )
    method = "    def everything(self) -> int:\n        return self.hands[0][0] + self.hands[1][0]\n\n"
    source = source.replace("    left = Ints(", fields + "    left = Ints(", 1)
    method += "    def at(self, seat: int) -> int:\n        return self.extra[seat]\n\n"
    source = source.replace("class LiarsDice(", "def first(row):\n    return row[0]\n\n\nclass LiarsDice(", 1)
    source = source.replace("    def own(", method + "    def own(", 1)
    source += (
        f"\n\n@strategy(LiarsDice)\ndef peeking(game: LiarsDice) -> tuple[int, int]:\n"
        f'    """Look."""\n    found = {text}\n    return honest(game, found)\n'
        "\n\n@strategy(LiarsDice)\ndef fair(game: LiarsDice) -> tuple[int, int]:\n"
        '    """Look at what is allowed."""\n'
        "    seen = sum(game.hands[game.player]) + game.extra[game.player] + len(game.extra) + len(game.hands)\n"
        "    return honest(game, seen % 2)\n"
    )
    file = folder / "liars.py"
    file.write_text(source)
    return str(file)


@pytest.mark.quick_cases("equal")
@pytest.mark.parametrize("how", PEEKING)
def test_a_strategy_that_reads_what_its_seat_does_not_see_is_an_error(how: str, tmp_path: Path) -> None:
    text, name = PEEKING[how]
    file = liars(tmp_path, text)
    for question in (dicelab.simulate, dicelab.exact):
        more = {"games": 20, "seed": 1} if question is dicelab.simulate else {}
        if how in WATCHED:
            with pytest.raises(RulesError, match=r"liars\.py, line \d+, in peeking: "):  # it isn't in the language
                question(file, "peeking", dice=1, **more)
        else:
            with pytest.raises(RulesError, match=rf"liars\.py, line \d+, in \w+: peeking reads {name}, which the seat"):
                question(file, "peeking", dice=1, **more)
        question(file, "fair", dice=1, **more)


@pytest.mark.slow_cases(
    "a helper that is given a row",
    "a line as an iterator",
    "a place",
    "another seat in a variable",
    "one's own, and another in a condition",
    "the number of hidden ones",
)
@pytest.mark.parametrize("how", MORE)
def test_other_ways_to_peek_are_refused(how: str, tmp_path: Path) -> None:
    file = liars(tmp_path, f"sum({MORE[how]})")
    for engine in ("auto", "compiled"):
        with pytest.raises((RulesError, PlayError, NotTranslatable)):
            dicelab.simulate(file, "peeking", dice=1, games=20, seed=1, engine=engine)


@pytest.mark.parametrize("how", OWN)
def test_a_seat_reads_its_own_numbers(how: str, tmp_path: Path) -> None:
    file = liars(tmp_path, f"sum({OWN[how]})")
    run = Run.of(file, "peeking", dice=1)
    assert translated(type(run.game), [run.calls[0].strategy]).text


AROUND = {
    "row": "game.hands._row._row[1]",
    "line": "game.hands[1 - game.player]._row._row[0]",
    "flat": "game.extra._row[1 - game.player]",
    "name": "(lambda row: row._row)(game.extra)[1 - game.player]",
    "pair": "[row._row for row in (game.extra,)][0][1 - game.player]",
    "field": "game.extra._field.high",
    "format": "int('{0._row[1]}'.format(game.extra))",
    "str.format": "int(list(map(str.format, ['{0._row[1]}'], [game.extra]))[0])",
    "bound format": "(lambda write: int(write(game.extra)))('{0._row[1]}'.format)",
    "attrgetter": "attrgetter('_row')(game.extra)[1]",
    "vars": "vars(game.extra)['_row'][1]",
    "dict": "game.__dict__['extra'][1]",
    "bounds": "game._bounds",
}


@pytest.mark.parametrize("how", AROUND)
def test_there_is_no_way_around_what_a_seat_sees(how: str, tmp_path: Path) -> None:
    file = liars(tmp_path, AROUND[how])
    with pytest.raises(RulesError, match=r"liars(\.py, line \d+, in peeking|-dice): "):
        dicelab.simulate(file, "peeking", dice=1, games=20, seed=1)


@pytest.mark.slow
def test_what_would_show_everything_is_refused(tmp_path: Path) -> None:
    game = Run.of(str(LIARS), dice=1).game
    with pytest.raises(InputError, match=r"liars-dice has hidden information \(hands\), and"):
        dicelab.solve(str(LIARS), dice=1)
    assert dicelab.luck(str(LIARS), dice=1, games=20, seed=1).by  # estimated: nobody sees the values of the states
    with pytest.raises(InputError, match="play with --policy honest"):
        hints_for(game, ["me", "honest"])(game, game.declared.decisions[0], 0)
    report = dicelab.check(str(LIARS))
    assert report.lawful, str(report)
    assert "hidden information" in str(report)


def test_people_do_not_see_the_dice_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    typed = iter(["1 6", "q"])
    game = Run.of(str(LIARS), dice=3).game
    play(game, ["me", "honest"], 3, read=lambda prompt: next(typed), write=shown.append)
    text = "\n".join(shown)
    assert "player 2  [?] [?] [?]" in text
    watched: list[str] = []
    play(game, ["honest", "honest"], 3, write=watched.append)
    assert "\n".join(watched).count("┌") > text.count("┌") >= 1
