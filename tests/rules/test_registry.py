"""Finding games: by name, in packages, in files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dicelab.errors import RulesError, UnknownNameError
from dicelab.rules import Game
from dicelab.rules.loading import registry
from dicelab.rules.loading.registry import all_games, find, games_in, load

COIN = '''
from dicelab.rules import OVER, Game, Flag, d, thrown, throw

class Coin(Game):
    """Toss a coin."""
    name = "coin"
    outcomes = ("heads", "tails")
    tails = Flag("tails")
    tossed = Flag("tossed")
    def next(self):
        return OVER if self.tossed else throw(self.toss)
    @thrown(1, d(2))
    def toss(self, face):
        self.tossed = True
        self.tails = face == 2
    def outcome(self):
        return 1 if self.tails else 0
'''
TWO = COIN + '\n\nclass Other(Coin):\n    """Another."""\n    name = "other"\n'


@pytest.fixture
def write(tmp_path):
    """Writes a file of rules; returns its path as text."""

    def to(source, name="mine.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        return str(path)

    return to


def test_the_games_of_dicelab_are_found_sorted_by_name():
    games = all_games()
    assert {"hazard", "hazard-caster", "lcr", "pass-line", "tossup"} <= set(games)
    assert list(games) == sorted(games)
    assert all(issubclass(game, Game) and game.name == name for name, game in games.items())


def test_a_game_by_name():
    assert find("lcr") is all_games()["lcr"]


@pytest.mark.parametrize(("name", "nearest"), [("hazrd", "hazard"), ("tossupp", "tossup"), ("pass_line", "pass-line")])
def test_a_name_that_is_not_known_is_told_the_nearest(name, nearest):
    with pytest.raises(UnknownNameError, match=f"did you mean '{nearest}'"):
        find(name)


def test_the_nearest_name_may_differ_in_case_only():
    with pytest.raises(UnknownNameError, match="did you mean 'lcr'"):
        find("LCR")


def test_a_name_near_nothing_is_told_all():
    with pytest.raises(UnknownNameError, match=r"there are: .*hazard.*lcr.*pass-line.*tossup"):
        find("zzzzzz")


class Announced:
    """The entry point of a game in another package; loading it gives what is given, or raises it."""

    def __init__(self, name, loads):
        self.name = self.value = name
        self.loads = loads

    def load(self):
        if isinstance(self.loads, Exception):
            raise self.loads
        return self.loads


@pytest.fixture
def announce(monkeypatch):
    def to(*points):
        def entry_points(group, name=None):
            return [p for p in points if group == "dicelab.games" and name in (None, p.name)]

        monkeypatch.setattr(registry, "entry_points", entry_points)

    return to


def test_games_of_other_packages_announce_themselves(announce, write):
    coin = find(write(COIN))
    announce(Announced("coin", coin))
    assert find("coin") is coin
    assert list(all_games()) == sorted(all_games())


@pytest.mark.parametrize(
    ("loads", "told"), [(ImportError("no module x"), "no module x"), (dict, "not a dicelab.rules.Game")], ids=str
)
def test_a_broken_package_hides_no_other_game(announce, write, loads, told):
    announce(Announced("broken", loads), Announced("coin", find(write(COIN))))
    assert {"coin", "lcr"} <= set(all_games())
    with pytest.raises(RulesError, match=told):
        find("broken")


def test_a_game_in_a_file(write):
    assert find(write(COIN)).name == "coin"


def test_a_file_in_the_current_folder(write, monkeypatch, tmp_path):
    write(COIN, "coin.py")
    monkeypatch.chdir(tmp_path)
    assert find("coin.py").name == "coin"
    assert find("./coin.py:coin").name == "coin"


def test_one_of_several_games_in_a_file(write):
    path = write(TWO)
    assert find(f"{path}:other").name == "other"
    with pytest.raises(RulesError, match="several games") as told:
        find(path)
    assert f"{path}:coin" in str(told.value)
    assert f"{path}:other" in str(told.value)
    with pytest.raises(UnknownNameError, match="did you mean 'other'"):
        find(f"{path}:othr")


def test_a_file_may_use_another_beside_it(write, monkeypatch):
    monkeypatch.delitem(sys.modules, "my_names_for_coins", raising=False)
    write('FACES = ("crown", "ship")\n', "my_names_for_coins.py")
    before = list(sys.path)
    source = "from my_names_for_coins import FACES\n" + COIN.replace('("heads", "tails")', "FACES")
    assert find(write(source)).outcomes == ("crown", "ship")
    assert sys.path == before


def test_imported_games_are_not_games_of_the_file(write):
    assert find(write("from dicelab.games.hazard import Hazard\n" + COIN)).name == "coin"


def test_games_in_a_module_are_listed_as_written(write):
    assert list(games_in(load(Path(write(TWO))))) == ["coin", "other"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("x = 1\n", "has no game"),
        ("from dicelab.games.hazard import Hazard\n", "has no game"),
        ("x = 1\n\ndef broken(:\n", "line 3"),
        ("x = 1\ny = 1 / 0\n", "line 2: ZeroDivisionError"),
        ("x = 1\n\nraise SystemExit(3)\n", "line 3: SystemExit"),
        ("import no_such_module\n", "line 1: ModuleNotFoundError"),
        ("from dicelab.rules import Param\n\nclass A:\n    a = Param(5, 1, 2, 'a')\n", "line 4: .* 1 to 2"),
        (b"x = '\xff\xfe'\n", "can't be read"),
        (b"x = 1\0\n", "null bytes|NUL"),
    ],
    ids=["empty", "imported", "syntax", "error", "exit", "import", "default", "encoding", "nul"],
)
def test_a_file_that_is_no_game_is_told_why(write, source, told):
    path = write(source)
    with pytest.raises(RulesError, match=told) as error:
        find(path)
    assert path in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UnknownNameError, match="there is no file"):
        find(str(tmp_path / "nothing.py"))
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(UnknownNameError, match="folder"):
        find(str(tmp_path / "folder.py"))


def test_an_edited_file_is_read_again(write):
    assert find(write(COIN)).outcomes == ("heads", "tails")
    assert find(write(COIN.replace('"heads"', '"crown"'))).outcomes == ("crown", "tails")


@pytest.mark.parametrize("setting", [True, False])
def test_reading_a_file_leaves_nothing_beside_it(write, tmp_path, monkeypatch, setting):
    monkeypatch.setattr(sys, "dont_write_bytecode", setting)
    find(write(COIN))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]
    assert sys.dont_write_bytecode is setting
