"""Strategies of other files, of packages and in Python; memories in functions; strategies that call each other."""

# ruff: noqa: E501 (rules are written as lines of text)

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FunctionType

import pytest

import dicelab
from dicelab.compile.kernels.writers.simulate import write
from dicelab.conformance.file_check import check_file
from dicelab.engines.player import forced
from dicelab.errors import IllegalMoveError, InputError, ParameterError, PlayError, RulesError, UnknownNameError
from dicelab.extras.craps.craps import Craps, line
from dicelab.games.tossup import Move, TossUp, bank_over, one_roll
from dicelab.rules.loading import strategies as finding
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.loading.registry import EntryPoint, find
from dicelab.rules.loading.strategies import split, strategies_of, strategy_named
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run, distinct
from dicelab.translation.contract import must_be_lawful

HEAD = "from dicelab.games.tossup import Move, TossUp, bank_over\nfrom dicelab.rules import Int, Ints, Memory, Param, strategy\n"
MINE = (
    HEAD
    + '''

@strategy(TossUp, points=Param(9, 0, 99, "points"))
def cautious(game, points):
    """Bank early."""
    return bank_over(game, points) if game.scores[game.player] > 5 else bank_over(game)


@strategy(TossUp)
def bank_at_once(game):
    return Move.BANK
'''
)
SESSION = '''
from dicelab.rules import D6, OVER, Flag, Game, Int, Ints, Memory, Param, Tally, ask, chosen, strategy, throw, thrown


class Bets(Game):
    """Bets on a die."""

    name = "bets"
    source = "none"
    outcomes = ("win", "lose")
    rounds = Param(12, 1, 50, "rounds")
    left = Int(0, rounds, start=rounds)
    money = Int(-5000, 5000)
    stake = Int(0, 40)
    won = Flag()
    total = Tally("money")

    def next(self):
        if self.stake:
            return throw(self.die)
        return ask(self.bet, 0) if self.left else OVER

    @chosen((1, 40))
    def bet(self, amount):
        self.stake = amount

    @thrown(1, D6)
    def die(self, face):
        self.won = face > 3
        gain = self.stake if self.won else -self.stake
        self.money += gain
        self.total += gain
        self.stake = 0
        self.left -= 1

    def outcome(self):
        return 0 if self.money > 0 else 1


class Losses(Memory):
    row = Int(0, 3)
    last = Ints(3, 0, 9)


def shifted(row, by):
    row[by % 3] = (row[by % 3] + by) % 9
    return row[0]


def counted(game, most, mine=None):
    """The memory may stand anywhere, and be given by name."""
    mine.row = 0 if game.won else min(mine.row + 1, most)
    return mine.row + shifted(mine.last, mine.row)


@strategy(Bets, memory=Losses, unit=Param(1, 1, 2, "unit"))
def double(game, mine, unit):
    return min(unit << counted(game, 3, mine=mine), 40)


@strategy(Bets, unit=Param(2, 1, 9, "unit"))
def flat(game, unit):
    return unit


class Plan(Losses):
    """Remembers more than what it calls."""

    peak = Int(-5000, 5000)

    def note(self, money, more=0):
        self.peak = max(self.peak, money + more)
        return self.peak


@strategy(Bets, memory=Plan, ahead=Param(4, 0, 90, "money won"))
def until(game, mine, ahead):
    """Double until ahead, then flat."""
    if mine.note(game.money) >= ahead:
        return flat(game)
    return double(game, mine, unit=2)
'''


@pytest.fixture
def put(tmp_path):
    """Writes a file; returns its path as text."""

    def to(text, name="mine.py"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return to


def same_on(run: Run, engine: str) -> bool:
    expected = Reference(run.game, run.calls).play(3, 0, 300)
    return forced(run, engine).play(3, 0, 300) == expected


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "memo"])
def test_memories_in_functions_and_composed_strategies_are_the_same_on_every_engine(put, engine):
    for text in ("double:2", "until", "until:ahead=0"):
        assert same_on(Run.of(put(SESSION, "bets.py"), text), engine), text


def test_a_function_is_translated_once_for_each_memory_that_it_is_given(put):
    run = Run.of(put(SESSION, "bets.py"), "until")
    strategies = distinct([run.game.declared.strategies[name] for name in ("double", "until")])
    text, _ = write(type(run.game), strategies)
    assert text.count("_counted(") == 4  # two functions, each called once
    assert "_seat, _m6_double_row" in text
    assert "_seat, _m5_until_row" in text


def test_exact_answers_of_a_composed_strategy_agree_with_a_simulation(put):
    path = put(SESSION, "bets.py")
    exact = dicelab.exact(path, "until", rounds=6)
    played = dicelab.simulate(path, "until", rounds=6, games=20_000, seed=1)
    low, high = played.outcomes["win"].interval
    assert low < exact.outcomes["win"].probability < high


@pytest.mark.slow
def test_arguments_left_out_are_at_their_defaults_and_names_stand_for_numbers(put):
    text = """
from dicelab.extras.craps.craps import Course, Craps, line
from dicelab.rules import strategy


@strategy(Craps, memory=Course)
def mine(game, mine):
    return line(game, mine, odds=2, system="paroli")
"""
    game = Craps(until_rounds=8)
    composed = Run.of(game, put(text))
    plain = Run.of(game, line(odds=2, system="paroli"))
    assert Reference(game, composed.calls).play(1, 0, 60) == Reference(game, plain.calls).play(1, 0, 60)
    assert write(Craps, distinct(call.strategy for call in composed.calls))  # it can be compiled


REFUSED = {
    "a memory of another class": ("memory=Other)\ndef bad(game, mine):\n    return double(game, mine)", "double needs a memory"),
    "no memory": ("memory=Plan)\ndef bad(game, mine):\n    return double(game, 1)", "double needs a memory"),
    "no game": (")\ndef bad(game):\n    return flat(1)", r"flat is a strategy; in rules it is called with the game"),
    "a field twice": ("memory=Both)\ndef bad(game, mine):\n    return 1", "inherits row from Losses and Other"),
}  # fmt: skip


@pytest.mark.slow_cases("no memory")
@pytest.mark.parametrize(("rest", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_given_wrongly_is_refused_in_a_sentence(put, rest, said):
    more = (
        "\n\nclass Other(Memory):\n    row = Int(0, 3)\n\n\nclass Both(Losses, Other):\n    pass\n\n\n@strategy(Bets, "
    )
    game = find(put(SESSION + more + rest + "\n", "bets.py"))
    with pytest.raises(RulesError, match=said):
        must_be_lawful(game, game.declared.strategies.values())


# Files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_strategy_of_a_file_is_played_compiled_and_named_with_its_file(put):
    path = put(MINE)
    run = Run.of("tossup", [f"{path}:cautious:5", "bank_over"])
    assert run.strategies == [f"{path}:cautious:5", "bank_over:20"]
    assert Run.of("tossup", run.strategies).strategies == run.strategies
    assert same_on(run, "compiled")


def test_a_strategy_of_a_file_does_not_become_one_of_its_game(put):
    before = dict(TossUp.declared.strategies)
    Run.of("tossup", f"{put(MINE.replace('bank_at_once', 'one_roll'))}:one_roll")
    assert TossUp.declared.strategies == before


@pytest.mark.slow
def test_strategies_of_the_same_name_in_two_files_and_in_the_game_are_three(put):
    text = (
        HEAD
        + "\nclass Kept(Memory):\n    n = Int(0, {0})\n\n@strategy(TossUp, memory=Kept)\ndef bank_over_or_win(game, mine):\n"
    )
    text += "    mine.n = min(mine.n + 1, {0})\n    return Move.BANK if game.points > mine.n else Move.ROLL\n"
    names = [f"{put(text.format(n), f'of{n}.py')}:bank_over_or_win" for n in (3, 30)]
    run = Run.of("tossup", [*names, "bank_over_or_win"], players=3)
    assert len(distinct(call.strategy for call in run.calls)) == 3
    assert same_on(run, "compiled")


def test_the_only_strategy_of_a_file_needs_no_name(put):
    one = MINE.partition("\n\n@strategy(TossUp)\n")[0]
    assert Run.of("tossup", put(one)).strategies == [f"{put(one)}:cautious:9"] * 2
    with pytest.raises(RulesError, match=r"several strategies; choose one of \S+:cautious, \S+:bank_at_once"):
        Run.of("tossup", put(MINE))


def test_a_path_may_have_colons(tmp_path):
    folder = tmp_path / "C:x"
    folder.mkdir()
    (folder / "a b.py").write_text(MINE)
    assert Run.of("tossup", f"{folder}/a b.py:cautious:points=3").calls[0].arguments == {"points": 3}
    assert split("C:\\dice\\mine.py:cautious:20") == ("C:\\dice\\mine.py:cautious", ["20"])


@pytest.mark.parametrize(
    ("name", "text", "kind", "said"),
    [
        ("gone.py:cautious", None, UnknownNameError, "there is no file .*gone.py"),
        ("mine.py:cautios", MINE, UnknownNameError, "did you mean 'cautious'"),
        ("mine.py:cautious:x=1", MINE, UnknownNameError, "no argument 'x'; there are: points"),
        ("mine.py:cautious:100", MINE, ParameterError, "it takes a whole number, 0 to 99"),
        ("mine.py:x", "x = 1\n", RulesError, "has no strategy: put @strategy"),
        ("mine.py:x", "x = (\n", RulesError, r"mine.py, line 1: '\(' was never closed"),
        ("mine.py:x", "\n\n1 / 0\n", RulesError, "mine.py, line 3: ZeroDivisionError: division by zero"),
        ("mine.py:x", "import nothing_of_the_kind\n", RulesError, "mine.py, line 1: ModuleNotFoundError"),
        ("mine.py:x", "raise SystemExit\n", RulesError, "mine.py, line 1"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(put, tmp_path, name, text, kind, said):
    if text is not None:
        put(text)
    with pytest.raises(kind, match=said):
        Run.of("tossup", str(tmp_path / name))


def test_a_strategy_of_another_game_is_refused(put):
    with pytest.raises(InputError, match=r":cautious is a strategy of tossup, not of craps"):
        Run.of("craps", f"{put(MINE)}:cautious")
    with pytest.raises(InputError, match="bank_over is a strategy of tossup, not of craps"):
        Run.of("craps", bank_over)


@pytest.mark.slow
def test_a_strategy_for_a_game_of_a_file_imports_it_by_its_name(put):
    game = put(SESSION, "bets.py")
    mine = put(
        "from bets import Bets, Plan, until\nfrom dicelab.rules import strategy\n\n@strategy(Bets, memory=Plan)\ndef more(game, mine):\n    return until(game, mine, 20)\n"
    )
    run = Run.of(game, f"{mine}:more")
    assert same_on(run, "compiled")
    expected = dicelab.simulate(game, "until:20", games=500, seed=1).tallies["total"].mean
    assert dicelab.simulate(game, f"{mine}:more", games=500, seed=1).tallies["total"].mean == expected
    put(SESSION + "\n# edited\n", "bets.py")
    assert Run.of(game, f"{mine}:more")


def test_another_game_of_the_same_name_is_another_game(put, tmp_path):
    (tmp_path / "other").mkdir()
    put(SESSION, "other/bets.py")
    mine = put(
        "from bets import Bets\nfrom dicelab.rules import strategy\n\n@strategy(Bets)\ndef one(game):\n    return 1\n",
        "other/mine.py",
    )
    with pytest.raises(RulesError, match="is a strategy of bets, not of bets"):
        Run.of(put(SESSION, "bets.py"), f"{mine}:one")


def test_an_edited_file_is_read_again_and_an_unchanged_one_is_not(put):
    path = put(MINE)
    first = Run.of("tossup", f"{path}:cautious").calls[0].strategy
    assert Run.of("tossup", f"{path}:cautious").calls[0].strategy is first
    put(MINE.replace("> 5", "> 60"))
    assert Run.of("tossup", f"{path}:cautious").calls[0].strategy.rule is not first.rule


@pytest.mark.slow
def test_an_edited_helper_beside_a_file_is_read_again(put):
    put("MOST = 5\n", "beside_mine.py")
    path = put(
        HEAD + "from beside_mine import MOST\n\n@strategy(TossUp)\ndef one(game):\n    return bank_over(game, MOST)\n"
    )
    before = dicelab.simulate("tossup", path, games=50, seed=1)
    put("MOST = 50  # more\n", "beside_mine.py")
    after = dicelab.simulate("tossup", path, games=50, seed=1)
    assert before.source_hash != after.source_hash
    assert before.tallies["throws"].mean < after.tallies["throws"].mean


@pytest.mark.slow
def test_the_source_hash_covers_the_file_of_a_strategy(put):
    path = put(MINE)
    own = dicelab.simulate("tossup", "bank_over", games=10, seed=1).source_hash
    assert own == source_hash(TossUp)
    first = dicelab.simulate("tossup", f"{path}:cautious", games=10, seed=1)
    put(MINE.replace("> 5", "> 6 "))
    second = dicelab.exact("tossup", [f"{path}:cautious", "bank_over"], target=5)
    assert len({own, first.source_hash, second.source_hash}) == 3
    assert first.arguments == [{"points": 9}] * 2


@pytest.mark.slow
def test_a_policy_solved_against_a_strategy_of_a_file_is_refused_when_that_is_edited(put, tmp_path):
    path, file = put(MINE), str(tmp_path / "best.npz")
    dicelab.solve("tossup", f"{path}:cautious", target=5).policy.save(file)
    assert dicelab.simulate("tossup", [f"policy:{file}", f"{path}:cautious"], target=5, games=20, seed=1)
    put(MINE.replace("> 5", "> 6 "))
    with pytest.raises(InputError, match=r"was solved against \S+:cautious:9, edited since then; solve again"):
        dicelab.Policy.load(file, TossUp)
    (tmp_path / "mine.py").unlink()
    assert dicelab.Policy.load(file, TossUp)


def test_a_verdict_on_a_strategy_of_a_file_is_remembered_with_its_text(put, tmp_path, monkeypatch):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / "cache"))
    Run.of("tossup", f"{put(MINE)}:cautious")
    known = {file.name for file in (tmp_path / "cache" / "lawful").iterdir()}
    Run.of("tossup", f"{put(MINE.replace('Bank early', 'Bank  early'))}:cautious")
    assert len({file.name for file in (tmp_path / "cache" / "lawful").iterdir()} - known) == 1
    with pytest.raises(RulesError, match="changes points"):
        Run.of("tossup", f"{put(MINE.replace('return Move.BANK', 'game.points = 1'))}:bank_at_once")


def test_what_a_file_prints_is_no_result(put, capsys):
    Run.of("tossup", f"{put(MINE + 'print(1234)')}:cautious")
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_a_sweep_varies_the_argument_of_a_strategy_of_a_file(put):
    path = put(MINE)
    found = dicelab.sweep(
        "tossup", [f"{path}:cautious", "bank_over"], over={f"{path}:cautious.points": [1, 9]}, games=50, seed=1
    )
    assert [row.result.strategies[0] for row in found.rows] == [f"{path}:cautious:1", f"{path}:cautious:9"]


def test_a_sweep_over_an_unknown_name_lists_the_arguments_of_strategies_in_files(put, monkeypatch):
    monkeypatch.chdir(Path(put(MINE)).parent)
    for seats in (["./mine.py:cautious", "bank_over"], ["./mine.py:cautious:5"], {1: "./mine.py:cautious"}):
        with pytest.raises(UnknownNameError, match=r"there are: \./mine\.py:cautious\.points, bank_over, "):
            dicelab.sweep("tossup", seats, over={"zzzzz": [1]})
    over = {"mine.py:cautious.points": [1]}  # without ./
    assert dicelab.sweep("tossup", "./mine.py:cautious", over=over, exact=True, target=3).rows[0].result


# Packages ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def announce(monkeypatch, put, tmp_path):
    put(MINE, "announced_mine.py")
    put("other = 1\n1 / 0\n", "announced_broken.py")
    monkeypatch.syspath_prepend(tmp_path)

    def to(**values):
        points = [EntryPoint(finding.GROUP, name, value) for name, value in values.items()]
        monkeypatch.setattr(
            finding, "entry_points", lambda group, name=None: [p for p in points if name in (None, p.name)]
        )

    yield to
    for name in ("announced_mine", "announced_broken"):
        sys.modules.pop(name, None)


def test_a_package_announces_a_module_of_strategies(announce):
    announce(mine="announced_mine")
    assert [*strategies_of(TossUp)][-2:] == ["cautious", "bank_at_once"]
    assert "cautious" not in strategies_of(Craps)
    run = Run.of("tossup", "cautious:5")
    assert run.strategies == ["cautious:5", "cautious:5"]
    assert source_hash(TossUp, [run.calls[0].strategy]) != source_hash(TossUp)


def test_a_package_announces_one_strategy(announce):
    announce(early="announced_mine:cautious")
    assert [*strategies_of(TossUp)][-1] == "cautious"


def test_a_broken_package_hides_no_strategies_and_is_explained_when_it_is_asked_for(announce):
    announce(broken="announced_broken", no="os:name", mine="announced_mine")
    assert "cautious" in strategies_of(TossUp)
    with pytest.raises(RulesError, match="the strategies broken of an installed package can't be loaded: division"):
        strategy_named(TossUp, "broken")
    with pytest.raises(RulesError, match="are neither a module nor a strategy"):
        strategy_named(TossUp, "no")
    with pytest.raises(UnknownNameError, match="did you mean 'cautious'"):
        strategy_named(TossUp, "cautios")


# In Python -----------------------------------------------------------------------------------------------------------


def early(game):
    return Move.BANK if game.points > 4 else Move.ROLL


MOST = 4


def of_no_module(game):
    return Move.BANK if game.points > MOST else Move.ROLL


def above(points):
    return lambda game: Move.BANK if game.points > points else Move.ROLL


def games_of(*strategies, **parameters):
    result = dicelab.simulate(TossUp(**parameters), list(strategies), games=300, seed=1)
    return result.tallies["throws"].mean, result.strategies


def test_a_strategy_with_arguments_plays_as_its_text_does():
    assert games_of(bank_over(25), one_roll) == games_of("bank_over:25", "one_roll")
    assert str(bank_over(points=25)) == "bank_over:25"
    assert repr(bank_over(25)) == "<Strategy bank_over:25 of tossup>"
    assert repr(bank_over) == "<Strategy bank_over(points=20) of tossup>"
    assert bank_over.__doc__.startswith("Bank as soon as")


def test_a_strategy_called_with_the_game_gives_its_move():
    game = TossUp()
    assert (bank_over(game, 5), bank_over(game, points=-1)) == (Move.ROLL, Move.BANK)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: bank_over(1, 2), "too many arguments; it is written bank_over:points"),
        (lambda: bank_over(pints=2), "no argument 'pints'; did you mean 'points'"),
        (lambda: bank_over(5, points=5), "points is given twice"),
        (lambda: bank_over(-1), "it takes a whole number, 0 to 1000"),
        (lambda: line(TossUp()), r"line has a memory; it is called as line\(game, mine, ...\)"),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(call, said):
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.slow
def test_plain_functions_and_lambdas_are_compiled_like_strategies():
    run = Run.of("tossup", [early, above(9)])
    assert run.strategies == ["early", "lambda"]
    assert same_on(run, "compiled")
    assert games_of(early)[0] == games_of("bank_over:4")[0]


@pytest.mark.slow
def test_functions_of_the_same_name_are_named_apart():
    run = Run.of("tossup", [above(4), above(9)])
    assert run.strategies == ["lambda", "lambda (2)"]
    assert games_of(above(4), above(9))[0] == games_of("bank_over:4", "bank_over:9")[0]
    found = dicelab.compare("tossup", [above(4), above(9), "bank_over:4"], games=100, seed=1)
    assert found.strategies == ["lambda", "lambda (2)", "bank_over:4"]
    assert found.pairs[1].difference.value == 0


def test_functions_with_other_captured_values_have_another_hash():
    hashes = {dicelab.simulate("tossup", above(points), games=5, seed=1).source_hash for points in (4, 9)}
    assert len(hashes) == 2


@pytest.mark.slow
def test_a_function_of_no_module_plays_and_is_checked_each_time():
    """As in a doctest, whose names are those of no module."""
    space = {"Move": Move, "MOST": 4}
    alone = FunctionType(of_no_module.__code__, space)
    assert games_of(alone)[0] == games_of(early)[0]
    assert Run.of("tossup", alone).calls
    assert source_hash(TossUp, [Run.of("tossup", alone).calls[0].strategy]) != source_hash(TossUp)
    space["MOST"] = 9
    assert games_of(alone)[0] == games_of("bank_over:9")[0]
    space["MOST"] = [4]
    with pytest.raises(PlayError, match="TypeError"):
        dicelab.simulate("tossup", alone, games=10, seed=1)


def test_strategies_by_seat():
    assert Run.of("tossup", {1: one_roll}).strategies == ["bank_over:20", "one_roll"]
    assert Run.of("tossup", {0: early, 2: "one_roll"}, players=3).strategies == ["early", "bank_over:20", "one_roll"]
    with pytest.raises(ParameterError, match="2 is no seat of tossup; its seats are 0 to 1"):
        Run.of("tossup", {2: one_roll})


def test_strategies_by_seat_in_every_call_about_one_line_up():
    small, race_to = TossUp(target=5), {"target": [5, 6]}
    asked = [
        dicelab.exact(small, {1: one_roll}),
        dicelab.why(small, {1: one_roll}),
        dicelab.judge(small, {1: one_roll}, counts=[50, 50]),
        dicelab.sweep("tossup", {1: one_roll}, over=race_to, exact=True).rows[1].result,
        dicelab.solve_for("tossup", "0", 0.5, {1: one_roll}, over=race_to, exact=True).rows[0].result,
    ]
    assert {tuple(result.strategies) for result in asked} == {("bank_over:20", "one_roll")}
    varied = dicelab.sweep(small, {0: "bank_over", 1: one_roll}, over={"bank_over": [3, 4]}, exact=True)
    assert [row.result.strategies for row in varied.rows] == [[f"bank_over:{n}", "one_roll"] for n in (3, 4)]
    more = dicelab.sweep(small, {1: one_roll}, over={"players": [2, 3]}, exact=True)
    assert more.rows[1].result.strategies == ["bank_over:20", "one_roll", "bank_over:20"]
    assert dicelab.sweep("tossup", {1: "best"}, over=race_to).rows[0].result.strategies == ["bank_over:20", "best"]


def test_opponents_by_seat():
    small = TossUp(target=4, dice=2)
    assert dicelab.solve(small, {1: one_roll}).strategies == ["best", "one_roll"]
    assert dicelab.solve(small, {0: one_roll}, seat=1).strategies == ["one_roll", "best"]
    assert dicelab.learn(small, {1: one_roll}, games=20, seed=1).strategies == ["learned", "one_roll"]
    with pytest.raises(ParameterError, match="against: seat 0 is the one that plays against the others"):
        dicelab.solve(small, {0: one_roll})


@pytest.mark.parametrize("call", [dicelab.compare, dicelab.race, dicelab.systems])
def test_strategies_that_are_compared_are_a_list(call):
    with pytest.raises(ParameterError, match="give a list of them, not strategies by seat"):
        call("craps" if call is dicelab.systems else "tossup", {0: "line"})


def test_a_policy_plays_as_it_is_and_as_its_file(tmp_path):
    best = dicelab.solve("tossup", one_roll, target=6).policy
    best.save(tmp_path / "best.npz")
    assert games_of(best, "one_roll", target=6)[0] == games_of(f"policy:{tmp_path}/best.npz", one_roll, target=6)[0]
    with pytest.raises(ParameterError, match="policy was solved for other parameters: target 6"):
        Run.of("tossup", [best, one_roll])


@pytest.mark.slow_cases("compare")
@pytest.mark.parametrize(
    "ask",
    [
        lambda mine: dicelab.exact("tossup", mine, target=5),
        lambda mine: dicelab.sweep("tossup", mine, over={"target": [5]}, games=20, seed=1).rows[0].result,
        lambda mine: dicelab.convergence("tossup", mine, games=20, seed=1),
        lambda mine: dicelab.compare("tossup", [mine, "one_roll"], games=20, seed=1).rows[0],
        lambda mine: dicelab.exact_cost("tossup", mine, target=5),
    ],
    ids=["exact", "sweep", "convergence", "compare", "exact_cost"],
)
def test_calls_take_functions(ask):
    assert ask(early).strategies == ["early", "early"]


def test_a_function_that_cannot_be_compiled_plays_with_a_note():
    def slow(game):
        return Move.BANK if str(game.points) > "4" or game.points > 9 else Move.ROLL

    played = dicelab.simulate("tossup", slow, games=20, seed=1, engine="auto")
    assert played.strategies == ["slow", "slow"]
    with pytest.raises(dicelab.DicelabError, match="slow uses '4', an order of texts"):
        dicelab.simulate("tossup", slow, games=20, seed=1, engine="compiled")


def test_functions_that_cannot_be_trusted_or_read_are_refused_in_a_sentence():
    seen = []
    unread: dict[str, object] = {}
    exec("def typed(game):\n    return 1\n", unread)
    cases = [
        (lambda game: len(seen) % 2, "seen is a list, which may change from game to game"),
        (unread["typed"], r"the source of typed can't be read \(<string>\); put the rules in a file"),
        (lambda game, points: 1, "lambda takes other arguments than the game"),
        (3, "give texts such as 'bank_over:20', or functions of the game"),
        (TossUp().next, "give texts such as"),
    ]
    for given, said in cases:
        with pytest.raises(InputError, match=said):
            dicelab.simulate("tossup", given, games=5, seed=1)


# The check -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_strategy_of_a_file_is_checked(put):
    path = put(MINE.replace("if game.scores", "if game.target > 1 and game.scores"))
    found = list(check_file(f"{path}:cautious"))
    assert {finding.verdict for finding in found} <= {"ok", "note"}
    assert [finding.step for finding in found if finding.verdict == "ok"][:4] == [
        "contract",
        "strategies",
        "settings",
        "engines",
    ]
    assert {finding.game for finding in found} == {"tossup"}


@pytest.mark.slow_cases("return Move.BANK-return Move.BANK if game.target < 900 else 3-at target=.*seat 0 .*ch...")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return Move.BANK", "game.points = 1\n    return Move.BANK", "line 13, in bank_at_once: .*changes points"),
        (
            "return Move.BANK",
            "return 7",
            "chose 7 in roll_or_bank, which is not allowed: the move must be 0 to 1: .*state",
        ),
        ("return Move.BANK", "return 1, 1", r"chose \(1, 1\) in roll_or_bank, .*: a move there has 1 number: .*state"),
        ("return Move.BANK", "return 1 // (1 + game.leader)", "line 13, in bank_at_once: .*ZeroDivisionError"),
        ("return Move.BANK", "return Move.BANK if game.target < 900 else 3", "at target=.*seat 0 .*chose 3"),
    ],
)
def test_a_strategy_of_a_file_that_breaks_the_rules_is_found(put, old, new, said):
    *_, last = check_file(f"{put(MINE.replace(old, new))}:bank_at_once")
    assert last.verdict == "broken"
    assert re.search(said, last.say)


def test_a_name_that_is_not_in_a_checked_file_is_answered(put):
    (found,) = check_file(f"{put(MINE)}:cautios")
    assert "no game or strategy 'cautios'; did you mean 'cautious'?" in found.say


def test_the_error_for_an_illegal_move_has_a_short_state_and_the_reason(put):
    """The state of a craps table has hundreds of numbers, almost all of them 0."""
    text = """
from dicelab.extras.craps.spots import Move
from dicelab.extras.craps.craps import Craps
from dicelab.rules import strategy

@strategy(Craps)
def much(game):
    return (Move.PASS, 10) if game.count[0] == 0 else (Move.PASS, 10_000)

@strategy(Craps)
def crapless(game):
    return 6, 10
"""
    path = put(text)
    with pytest.raises(
        IllegalMoveError, match=r"number 2 of the move must be -5,000 to 5,000: .*; state as in a new"
    ) as much:
        dicelab.simulate("craps", f"{path}:much", games=1, seed=1)
    assert len(str(much.value)) < 400
    assert re.search(r"'bets\[\d+\]': 10\b", str(much.value))
    with pytest.raises(IllegalMoveError, match="only a crapless table has the numbers"):
        dicelab.simulate("craps", f"{path}:crapless", games=1, seed=1)


def test_a_memory_that_is_declared_in_two_files_is_named_with_both(tmp_path):
    text = """
from dicelab.games.tossup import TossUp
from dicelab.rules import Int, Memory, strategy

class Rolls(Memory):
    made = Int(0, 9, "rolls made")

@strategy(TossUp, memory=Rolls)
def NAME(game, mine):
    return 1 if game.points >= 3 else 0
"""
    both = """
import first_of_two, second_of_two
from dicelab.games.tossup import TossUp
from dicelab.rules import strategy

class Plan(first_of_two.Rolls, second_of_two.Rolls):
    pass

@strategy(TossUp, memory=Plan)
def both(game, mine):
    return second_of_two.second_of_two(game, mine) if game.player else first_of_two.first_of_two(game, mine)
"""
    for name in ("first_of_two", "second_of_two"):
        (tmp_path / f"{name}.py").write_text(text.replace("NAME", name))
    (tmp_path / "both.py").write_text(both)
    with pytest.raises(RulesError, match=r"made from first_of_two.Rolls and second_of_two.Rolls, .* import it"):
        dicelab.simulate("tossup", f"{tmp_path}/both.py:both", games=1, seed=1)
    one = text.replace('class Rolls(Memory):\n    made = Int(0, 9, "rolls made")\n', "from first_of_two import Rolls\n")
    (tmp_path / "second_of_two.py").write_text(one.replace("NAME", "second_of_two"))
    (tmp_path / "both.py").write_text(both.replace(", second_of_two.Rolls", ""))
    assert dicelab.simulate("tossup", f"{tmp_path}/both.py:both", games=1, seed=1, target=5).games == 1
