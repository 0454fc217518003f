"""The steps of the check: what each finds that the others do not, in games made for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicelab.conformance import exactly, file_check
from dicelab.conformance.alike import compare_seats
from dicelab.conformance.file_check import Steps, check_file
from dicelab.conformance.findings import Broken
from dicelab.conformance.settings import LIMIT, at_limits, lineups, pairs, play_some, settings_of
from dicelab.conformance.states import Explorer, explore, reach
from dicelab.errors import EndlessGameError
from dicelab.rules.actions import Decision
from dicelab.rules.loading.registry import find_in_file, games_in, load
from dicelab.runtime.where import where_declared, where_is

TINY = Path(__file__).parents[1] / "interface" / "cli" / "tiny.py"

# Two seats in turn choose 0 or 1; whoever chose last is known.
PAIR = '''
from dicelab.rules import D6, OVER, Flag, Game, Int, Memory, Param, Seat, Tally, ask, chosen, right_of, strategy
from dicelab.rules import throw, thrown


class Pair(Game):
    """Two seats choose in turn."""

    source = "made for the tests"
    seats = 2

    far = Param(0, 0, 4, "no use")
    wide = Param(0, 0, 4, "no use")

    player = Seat(2, "whose turn it is")
    last = Int(0, 1, "the last choice")
    rounds = Int(0, 12, "choices so far")
    rolled = Flag("the dice were rolled")
    luck = Int(0, 12, "the sum of the last roll")

    turns = Tally("turns")

    def next(self):
        if self.rounds == 8:
            return OVER
        return ask(self.choice, self.player) if self.rolled else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.rolled = True
        self.luck = face  # LUCK

    def may(self, move):
        return True  # MAY

    @chosen(3, legal=may)
    def choice(self, move):
        self.rolled = False
        self.last = min(move, 1)
        self.rounds += 1
        self.turns += 1
        self.player = right_of(self.player, 2)  # TURN

    def outcome(self):
        return 0 if self.luck > 3 else 1


class Count(Memory):
    zeros = Int(0, 1, "choices of 0 by others")


@strategy(Pair)
def zero(game):
    return 0


@strategy(Pair, memory=Count, most=Param(5, 1, 9, "no use"))
def one(game, mine, most):
    return 1  # ONE
'''


def written(tmp_path: Path, **lines: str) -> str:
    """The file of the game with some lines replaced; its path."""
    text = PAIR
    for mark, line in lines.items():
        old = next(row for row in text.splitlines() if row.endswith(f"  # {mark}"))
        indent = " " * (len(old) - len(old.lstrip()))
        text = text.replace(old, "\n".join(f"{indent}{row}  # {mark}" for row in line.split("\n")))
    file = tmp_path / "pair.py"
    file.write_text(text)
    return str(file)


def broken_at(file: str, mark: str, method: str, step: str, says: str) -> None:
    """The check of a file ends with what is broken, at the marked line."""
    last = list(check_file(file))[-1]
    assert (last.verdict, last.step) == ("broken", step), last.say
    assert says in last.say
    lines = Path(file).read_text().splitlines()
    assert last.where is not None
    assert (last.where.method, lines[last.where.line - 1].endswith(mark)) == (method, True), last.say
    assert last.say.startswith(f"{file}, line {last.where.line}")


def reached(file: str, step: str) -> bool:
    """The check of a file finds nothing broken up to the end of a step."""
    return any((finding.step, finding.verdict) == (step, "ok") for finding in check_file(file))


def test_a_range_that_is_exceeded_at_a_limit_of_one_parameter_only(tmp_path):
    file = written(tmp_path, LUCK="self.luck = face + 7 * (self.far == 4)")
    broken_at(file, "# LUCK", "die", "settings", "at far=4: luck = 13 is outside its declared range 0 to 12")


def test_a_range_that_is_exceeded_at_limits_of_two_parameters_only(tmp_path):
    file = written(tmp_path, LUCK="self.luck = face + 7 * (self.far + self.wide == 8)")
    broken_at(file, "# LUCK", "die", "settings", "at far=4, wide=4: luck = 13 is outside its declared range")


def test_a_range_that_only_a_move_of_no_strategy_exceeds(tmp_path):
    file = written(tmp_path, TURN="self.player = right_of(self.player, 2)\nself.luck = 13 if move == 2 else 0")
    broken_at(file, "# TURN", "choice", "states", "luck = 13 is outside its declared range 0 to 12")


def test_a_memory_that_only_a_line_up_of_different_strategies_fills(tmp_path):
    line = "mine.zeros += game.rounds > 0 and game.last == 0\nreturn 1"
    file = written(tmp_path, ONE=line)
    broken_at(file, "# ONE", "one", "strategies", "zeros = 2 is outside its declared range")


def test_a_strategy_that_breaks_the_rules_at_the_limit_of_an_argument_only(tmp_path):
    file = written(tmp_path, ONE="return 3 if most == 9 else 1")
    last = list(check_file(file))[-1]
    assert (last.verdict, last.step) == ("broken", "strategies")
    assert "in one: with one:9: pair: seat 0 (counted from 0) chose 3 in choice, which is not allowed" in last.say


def test_a_state_at_which_no_move_is_legal(tmp_path):
    file = written(tmp_path, MAY="return self.rounds < 7 or self.luck < 6")
    last = list(check_file(file))[-1]
    assert (last.verdict, last.step) == ("broken", "states")
    assert "in may: seat 1 must choose in choice, but no choice is legal" in last.say


def test_a_state_that_is_left_only_to_itself(tmp_path):
    """Only the move 2, which no strategy makes, leads there: from then on the choices are not counted."""
    turn = "self.player = right_of(self.player, 2)\nself.luck = 12 if self.luck == 12 or move == 2 else 0"
    turn += "\nself.rounds -= self.luck == 12"
    file = written(tmp_path, TURN=turn, LUCK="self.luck = max(self.luck - 6, 0)")
    assert reached(file, "states")
    file = written(tmp_path, TURN=turn, LUCK="pass")
    last = list(check_file(file))[-1]
    assert (last.verdict, last.step) == ("broken", "states")
    assert "in next: no roll and no move ever leads to the end of the game from this state" in last.say
    assert "'luck': 12" in last.say


RACE = '''
from dicelab.rules import OVER, Game, Ints, Param, Seat, Tally, d, left_of, right_of, throw, thrown


class Race(Game):
    """Whoever first has 4 points wins."""

    source = "made for the tests"
    players = Param(3, 2, 4, "players")
    seats = players

    points = Ints(players, 0, 5, "points", by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)

    def next(self):
        return OVER if max(self.points) >= 4 else throw(self.die)

    @thrown(1, d(2))
    def die(self, face):
        self.points[self.player] += face
        self.player = right_of(self.player, self.players)

    def outcome(self):
        return left_of(self.player, self.players)
'''


def test_seats_that_differ_at_one_late_state_only(tmp_path):
    file = tmp_path / "race.py"
    file.write_text(RACE)
    assert reached(str(file), "seats")
    favour = "        if sum(self.points) == 9 and self.player == 1 and face == 2:\n            self.points[2] = 0\n"
    turn = "        self.player = right_of("
    file.write_text(RACE.replace(turn, favour + turn))
    last = list(check_file(str(file)))[-1]
    assert (last.step, last.verdict) == ("seats", "broken")
    assert last.say.startswith(
        f"{file}, line 19, in die: race is declared to be alike from every seat, and is not: at "
    )
    assert "the game goes on differently after die(" in last.say


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        ("OVER if max(self.points) >= 4", "OVER if self.points[2] >= 4", "over in only one of the two states"),
        ("        return left_of(", "        self.last += self.player\n        return left_of(", "over in another way"),
    ],
)
def test_ends_that_differ_between_seats_are_named(tmp_path, old, new, differs):
    file = tmp_path / "race.py"
    race = RACE.replace("    def next", '    last = Tally("the seat after the winner")\n\n    def next')
    file.write_text(race.replace("points = Ints(players, 0, 5", "points = Ints(players, 0, 30").replace(old, new))
    last = list(check_file(str(file)))[-1]
    assert (last.step, last.verdict) == ("seats", "broken")
    assert differs in last.say


@pytest.mark.slow
def test_seats_that_differ_at_the_ends_of_long_games_are_found(tmp_path):
    file = tmp_path / "race.py"
    long = RACE.replace("Ints(players, 0, 5", "Ints(players, 0, 400").replace("Param(3, 2, 4,", "Param(4, 2, 4,")
    file.write_text(long.replace("OVER if max(self.points) >= 4", "OVER if self.points[0] >= 125"))
    last = list(check_file(str(file)))[-1]
    assert (last.step, last.verdict) == ("seats", "broken")


def test_every_pair_of_values_is_tried_in_few_settings():
    values = {name: [0, 1, 2] for name in "abcdef"}
    found = list(pairs(values))
    for a in values:
        for b in values:
            if a < b:
                assert {(one[a], one[b]) for one in found} == {(x, y) for x in range(3) for y in range(3)}
    assert len(found) <= 20


def tiny():
    return games_in(load(TINY))["tiny"]


def test_settings_are_limits_and_beside_them():
    found = settings_of(tiny())
    assert ([s.values["goal"] for s in found.settings], found.refused) == ([2, 3, 11, 12], 0)
    assert str(found.settings[0]) == "at goal=2"


def test_all_states_are_found_with_every_legal_move():
    found = explore(Explorer(tiny()()), 1000, 10_000)
    assert (found.every, found.expanded, len(found.states)) == (True, 25, 25)
    assert found.used == {("go_on", (0,)), ("go_on", (1,))}
    assert found.leads_nowhere() is None
    part = explore(Explorer(tiny()()), 5, 10_000)
    assert not part.every


def test_what_is_explored_and_played_is_limited_by_work_and_not_by_time():
    found = explore(Explorer(tiny()()), 1000, 40)
    assert (found.every, found.expanded, len(found.states)) == (False, 8, 20)
    some = play_some(tiny()(), lineups(tiny()())[0], 400, LIMIT, 50)
    assert (some.games, some.ended, some.steps) == (16, 16, 50)


def test_where_methods_and_fields_are_written():
    lines = TINY.read_text().splitlines()
    game = tiny()
    where = where_is(game.declared.throws[0].rule)
    assert lines[where.line - 1].strip().startswith("def die(")
    declared = where_declared(game, "points")
    assert declared is not None
    assert lines[declared.line - 1].strip().startswith("points = Int(")
    assert where_declared(game, "nothing") is None


def test_line_ups_have_each_strategy_in_each_seat(tmp_path):
    game = games_in(load(Path(written(tmp_path))))["pair"]
    alone, limits = ["with zero", "with one:5"], ["with one:1", "with one:9"]
    assert [str(one) for one in lineups(game())] == [*alone, "with zero and one:5", "with one:5 and zero"]
    assert [str(one) for one in at_limits(game())] == [*limits, "with one:1 and one:9", "with one:9 and one:1"]


# What dicelab itself may do wrong -------------------------------------------------------------------------------------


def fault(step):
    with pytest.raises(Broken, match="this is a fault of dicelab, not of the file") as raised:
        list(step)
    return str(raised.value)


@pytest.mark.slow
def test_an_engine_that_plays_other_games_is_found(monkeypatch):
    from dicelab.engines.tables.memo import MemoEngine

    right = MemoEngine.play
    monkeypatch.setattr(MemoEngine, "play", lambda self, seed, low, high: right(self, seed + 1, low, high))
    said = fault(exactly.engines(tiny(), []))
    assert "the engines play different games with stop_at:5: seed 0, game " in said
    assert "on the memo engine" in said


@pytest.mark.slow
def test_an_enumeration_that_differs_is_found(monkeypatch):
    right = exactly.Walk.graph

    def wrong(self, told=lambda found, expanded: True):
        graph = right(self, told)
        if graph is not None:
            graph.weight[0] += 1
        return graph

    monkeypatch.setattr(exactly.Walk, "graph", wrong)
    assert "the two enumerations find different chains with stop_at:5: weight differs" in fault(
        exactly.exact_answers(tiny(), [])
    )


@pytest.mark.slow
def test_an_exact_answer_that_the_games_refute_is_found(monkeypatch):
    right = exactly.answer

    def wrong(run, **more):
        found = right(run, **more)
        from dataclasses import replace

        return replace(found, chances=found.chances[::-1], fractions=None)

    monkeypatch.setattr(exactly, "answer", wrong)
    monkeypatch.setattr(exactly, "_enumerate_again", lambda *_: 0)
    assert "games of seed 0 do not agree with exact answers: outcome win" in fault(exactly.exact_answers(tiny(), []))


def test_a_policy_that_is_loaded_otherwise_is_found(monkeypatch):
    from dicelab.engines.policy import Policy

    right = Policy.save

    def wrong(self, path):
        self.best[:] = self.row[:-1]
        right(self, path)

    monkeypatch.setattr(Policy, "save", wrong)
    assert "win is 0.55" in fault(file_check.policy(tiny(), []))


def test_seats_without_an_objective_of_their_own_are_a_note(tmp_path):
    """Outcomes that are no seats say neither who wins nor what each seat gets: nothing is wrong with that."""
    file = tmp_path / "pair.py"
    file.write_text(PAIR.replace("    seats = 2\n", '    seats = 2\n    outcomes = ("low", "high")\n'))
    (found,) = file_check.policy(games_in(load(file))["pair"], [])
    assert found.verdict == "note"
    assert "no objective of several seats" in found.say


def test_the_steps_in_their_order():
    names = [name for name, _ in Steps(tiny()).steps()]
    assert names.index("contract") < names.index("states") < names.index("engines") < names.index("policy")


def test_an_exact_answer_stands_where_games_last_too_long_to_be_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_long(*_: object) -> object:
        raise EndlessGameError("not over after 100,000 rolls and choices")

    monkeypatch.setattr(exactly, "_simulated", too_long)
    monkeypatch.setattr(exactly, "_enumerate_again", lambda *_: 0)
    notes = [finding.say for finding in exactly.exact_answers(tiny(), []) if finding.verdict == "note"]
    assert any("was not compared with a simulation: not over after 100,000" in note for note in notes)


CUPS = '''
from dicelab.rules import *


class Cups(Game):
    """Both roll, the first player first; then each, the first player of a lot first, says a number or not."""

    source = "made for the tests"
    seats = 2
    cups = Ints(2, 0, 2, "dice of each player", by_seat=True)
    filled = Int(0, 2, "cups that are filled")
    said = Ints(2, 0, 2, "what each said", by_seat=True)
    begins = Int(0, 1, "1: the lot is cast")
    player = Seat(2, "whose turn it is", alike=True)

    def next(self):
        if self.filled < 2:
            return throw(self.die)
        if not self.begins:
            return throw(self.lot)
        return OVER if all(self.said) else ask(self.say, self.player)

    @thrown(1, d(2))
    def die(self, face):
        self.cups[self.filled] = face
        self.filled += 1

    @thrown(1, d(2))
    def lot(self, face):
        self.begins = 1
        self.player = face - 1

    @chosen(2)
    def say(self, more):
        self.said[self.player] = more + 1
        self.player = 1 - self.player

    def outcome(self):
        return self.player if self.said[0] == self.said[1] else int(self.said[1] > self.said[0])
'''


def test_states_that_are_compared_from_choice_to_choice_are_counted_once(tmp_path):
    file = tmp_path / "cups.py"
    file.write_text(CUPS)
    game = find_in_file(file)()
    known = reach(game, 1_000, 10_000, 0).explored.states
    choices = [state for state, step in known.items() if step is not None and isinstance(step.kind, Decision)]
    assert compare_seats(game, known, 100_000) == (len(choices), False)
