"""``dicelab check``: what is wrong with a game, at which state; and games that are lawful.

The line that must be named in what is said is marked in the edited file by HERE, and is written so in the sentence.
"""

from __future__ import annotations

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from dicelab.conformance import check as examine
from dicelab.conformance.file_check import check_file

# Where the tiny game is cut open, by a name for what is there.
DIE = "        self.points += face"
NEXT = "        return throw(self.die)"
ENUM = "class Move(IntEnum):"
CHOICE = "    @chosen(Move)"
OUTCOME = "    def outcome(self) -> int:"
WINNER = "        return 0 if self.goal - 1 <= self.points <= self.goal else 1"
STRATEGY = "    return Move.STOP if game.points >= points else Move.ON"
POINTS = '    points = Int(0, 30, "points so far")'
AT_START = "'points': 0, 'rolled': 0, 'stopped': 0"


def top(lines):
    """Edits that put lines at the top of the file."""
    return (ENUM, f"{lines}\n\n\n{ENUM}")


def legal(rule):
    """Edits that make a choice legal where `rule` says so."""
    return (CHOICE, f"    def may(self, move: int) -> bool:\n        return {rule}\n\n    @chosen(Move, legal=may)")


# What is broken, the edits that break it, the step of the check that says so, and what it says.
BROKEN = {
    # the file
    "syntax error": (
        ("class Tiny(Game):", "class Tiny(Game:  # HERE"),
        "read the file",
        ["tiny.py, line HERE", "syntax"],
    ),
    "wrong indentation": ((DIE, f" {DIE}  # HERE"), "read the file", ["tiny.py, line HERE", "indent"]),
    "import error": (top("import nosuchmodule  # HERE"), "read the file", ["tiny.py, line HERE", "nosuchmodule"]),
    "unknown name": (('name = "tiny"', "name = tiny  # HERE"), "read the file", ["line HERE", "NameError", "'tiny'"]),
    "opens a file that is missing": (top('open("dice.txt")  # HERE'), "read the file", ["line HERE", "dice.txt"]),
    "raises": (top('raise ValueError("no dice")  # HERE'), "read the file", ["line HERE", "no dice"]),
    "exits": (top("raise SystemExit(0)  # HERE"), "read the file", ["line HERE", "SystemExit"]),
    "interrupts": (top("raise KeyboardInterrupt"), "read the file", []),
    "ends Python": (top("import os\n\nos._exit(0)"), "read the file", ["ended Python itself", "exit status 0"]),
    "kills itself": (
        top("import os\nimport signal\n\nos.kill(os.getpid(), signal.SIGKILL)"),
        "read the file",
        ["ended Python itself", "signal 9"],
    ),
    "crashes": (top("import ctypes\n\nctypes.string_at(0)"), "read the file", ["ended Python itself", "signal 11"]),
    "no game": (("class Tiny(Game):", "class Tiny:"), "read the file", []),
    "parameter called as an argument of every call": (
        (
            '    throws = Tally("throws of the die")',
            '    throws = Tally("throws of the die")\n    game = Param(1, 1, 2, "x")',
        ),
        "read the file",
        ["a parameter can't be called game"],
    ),
    "default outside its range": (("goal = Param(7", "goal = Param(1"), "read the file", ["2 to 12"]),
    # declarations
    "no next": (("def next(", "def nxt("), "declarations", ["no method next(self)"]),
    "no outcome": (("def outcome(", "def outcom("), "declarations", ["no method outcome(self)"]),
    "nothing is thrown": (
        ("    @thrown(1, D6)\n", ""),
        "contract",
        ["die has no @thrown(...) above it"],
    ),
    "no strategy": (
        ('@strategy(Tiny, points=Param(5, 1, 12, "stop with at least this many"))\n', ""),
        "declarations",
        ["no strategy"],
    ),
    "a list in the class": ((POINTS, f"{POINTS}\n    log = []"), "declarations", ["log is a list"]),
    "a dictionary in the class": ((POINTS, f"{POINTS}\n    log = {{}}"), "declarations", ["log is a dict"]),
    "a choice of too many numbers": (
        ("def go_on(self, move: int)", "def go_on(self, move: int, more: int)"),
        "declarations",
        ["go_on takes 2 numbers"],
    ),
    # parameters
    "a range that may be empty": (
        (POINTS, '    points = Int(5, goal, "points so far")  # HERE'),
        "parameters",
        ["line HERE: at goal=2: points", "5 to 2"],
    ),
    "a row that may be empty": (
        (POINTS, f'{POINTS}\n    row = Ints(goal - 2, 0, 9, "nothing")', "Int, Param", "Int, Ints, Param"),
        "parameters",
        ["at goal=2: row", "length 0"],
    ),
    "a die without weight": (
        ("@thrown(1, D6)", "@thrown(1, Die(one=0, two=0))", "import D6", "import D6, Die"),
        "read the file",
        ["weights", "one 0, two 0"],
    ),
    "a range that only the default parameters keep": (
        (POINTS, '    points = Int(0, 26 - 2 * goal, "points so far")'),
        "settings",
        ["at goal=11: points = 5", "outside its declared range 0 to 4", "then die(5)"],
    ),
    "a die of negative weight": (
        ("@thrown(1, D6)", "@thrown(1, Die(one=3, two=4 - goal))", "import D6", "import D6, Die"),
        "parameters",
        ["die", "weights", "two -3"],
    ),
    "a throw of no numbers": (
        ("def die(self, face: int)", "def die(self)", DIE, "        self.points += 1"),
        "parameters",
        ["die", "1 numbers", "takes 0"],
    ),
    "a throw of too many numbers": (
        ("def die(self, face: int)", "def die(self, face: int, more: int)"),
        "parameters",
        ["die", "1 numbers", "takes 2"],
    ),
    "no seats": (
        ('    name = "tiny"', '    name = "tiny"\n    seats = 0'),
        "read the file",
        ["seats = 0", "1 to 65,535 seats"],
    ),
    # rules
    "a number leaves its range": (
        (POINTS, POINTS.replace("30", "8")),
        "states",
        ["in die: points = ", "outside its declared range 0 to 8", "'points': ", "then die("],
    ),
    "a number falls": (
        (
            POINTS,
            POINTS.replace(")", ", grows=True)"),
            "self.stopped = move",
            "self.points = 0\n        self.stopped = move",
        ),
        "states",
        ["points fell from", "declared to grow", "state {"],
    ),
    "an index out of range": (
        (
            POINTS,
            f'{POINTS}\n    row = Ints(6, 0, 9, "faces")',
            "Int, Param",
            "Int, Ints, Param",
            DIE,
            "        self.row[face] += 1",
        ),
        "states",
        ["row[6]", "0 to 5", "state {"],
    ),
    "a negative index": (
        (
            POINTS,
            f'{POINTS}\n    row = Ints(6, 0, 9, "faces")',
            "Int, Param",
            "Int, Ints, Param",
            DIE,
            "        self.row[-face] += 1",
        ),
        "states",
        ["row[-", "0 to 5", "state {'points': 0"],
    ),
    "too many dice": (
        (NEXT, NEXT.replace("die)", "die, 2)")),
        "states",
        ["die rolls at most 1 dice, but 2 were asked for", AT_START],
    ),
    "far too many dice": ((NEXT, NEXT.replace("die)", "die, 100_000)")), "states", ["100000 dice", AT_START]),
    "fewer dice than none": ((NEXT, NEXT.replace("die)", "die, -1)")), "states", ["-1 dice", AT_START]),
    "a choice that is never legal": (
        ("    STOP = 1\n", "    STOP = 1\n    PASS = 2\n", *legal("move != Move.PASS")),
        "settings",
        ["in may: never legal in go_on", "pass"],
    ),
    "no choice is legal": (
        legal("self.points < 4"),
        "states",
        ["seat 0 must choose in go_on, but no choice is legal", "'points': ", "'rolled': 1"],
    ),
    "a seat that is not there": (
        ("ask(self.go_on, 0)", "ask(self.go_on, 5)"),
        "states",
        ["seat 5", "0 to 0", "'rolled': 1"],
    ),
    "next returns nothing": ((NEXT, "        throw(self.die)"), "states", ["next() returned None", AT_START]),
    "next returns a large number": (
        (NEXT, "        return 999_999_999"),
        "states",
        ["next() returned 999999999", AT_START],
    ),
    "an attribute that is not declared": (
        (DIE, "        self.last = face  # HERE"),
        "contract",
        ["line HERE, in die: self.last is set, but not declared"],
    ),
    "a method that is not there": (
        (DIE, "        self.add(face)  # HERE"),
        "contract",
        ["line HERE, in die: die uses self.add(), which is not defined"],
    ),
    "a number that is not whole": ((DIE, f"{DIE} / 2"), "contract", ["which leaves the whole numbers; use //"]),
    "a parameter that is changed": ((DIE, "        self.goal += 1"), "contract", ["goal is a parameter"]),
    "a division by zero": (
        (DIE, f"{DIE} // self.points  # HERE"),
        "states",
        ["ZeroDivisionError", "line HERE", AT_START],
    ),
    "input": (
        (DIE, "        self.points += int(input())  # HERE"),
        "contract",
        ["line HERE, in die: input reads or writes; rules have no input and no output"],
    ),
    "recursion without end": (
        (DIE, "        self.down()", OUTCOME, f"    def down(self) -> None:\n        self.down()\n\n{OUTCOME}"),
        "contract",
        ["down calls itself; write a loop"],
    ),
    "a rule that exits": ((DIE, "        raise SystemExit"), "contract", ["raise"]),
    "an outcome that is not there": (
        (WINNER, "        return 2"),
        "states",
        ["outcome() returned 2; it must be 0 to 1", "state {"],
    ),
    "no outcome is returned": ((WINNER, "        pass"), "states", ["outcome", "None", "state {"]),
    # strategies
    "a strategy that breaks the rules": (
        legal("move == Move.ON or self.points > 5"),
        "strategies",
        ["seat 0 (counted from 0) chose 1 in go_on, which is not allowed", "'points': 5"],
    ),
    "a move that is not there": (
        (STRATEGY, "    return 7"),
        "strategies",
        ["seat 0 (counted from 0) chose 7 in go_on", "state {"],
    ),
    "a move of two numbers": ((STRATEGY, "    return 0, 0"), "strategies", ["(0, 0)", "not allowed", "state {"]),
    "no move": ((STRATEGY, "    pass"), "strategies", ["returned None", "state {"]),
    "a move in words": ((STRATEGY, '    return "stop"'), "strategies", ["returned 'stop'", "state {"]),
    "a strategy without its argument": (
        ("def stop_at(game: Tiny, points: int)", "def stop_at(game: Tiny)", STRATEGY, "    return Move.STOP"),
        "read the file",
        ["must take what is declared: stop_at(game, points)"],
    ),
    "a strategy that changes the state": (
        (STRATEGY, f"    game.points += 1  # HERE\n{STRATEGY}"),
        "contract",
        ["line HERE, in stop_at: the strategy stop_at changes points; a strategy reads the game"],
    ),
    "a strategy that counts": ((STRATEGY, f"    game.throws += 1\n{STRATEGY}"), "contract", ["counts throws"]),
    "a strategy that plays": (
        (STRATEGY, f"    game.go_on.rule(game, 1)  # HERE\n{STRATEGY}"),
        "contract",
        ["line HERE, in stop_at: stop_at uses .rule()"],
    ),
    "a game without end": (
        ("if self.stopped or self.points >= self.goal:", "if self.points > 6:", DIE, "        self.points = face"),
        "states",
        ["in next: no roll and no move ever leads to the end of the game", AT_START],
    ),
    "chance of its own": (
        (*top("import random"), DIE, f"{DIE} + random.randint(0, 9)  # HERE"),
        "contract",
        ["line HERE, in die: random.randint can't be used"],
    ),
    "chance of its own, now and then": (
        (*top("import random"), DIE, f"{DIE} + (random.random() < 0.03)"),
        "contract",
        ["random.random can't be used"],
    ),
    "a memory of its own": (
        (*top("SEEN = []"), DIE, f"        SEEN.append(face)  # HERE\n{DIE} + len(SEEN) // 50"),
        "contract",
        ["line HERE, in die: .append() changes something that outlives the game"],
    ),
}


def marked(file, words):
    """`words` with the number of the marked line in the place of HERE."""
    lines = Path(file).read_text().splitlines()
    here = [str(number) for number, line in enumerate(lines, 1) if "# HERE" in line]
    return words.replace("HERE", *here) if "HERE" in words else words


ENDS_PYTHON = {"interrupts"} | {what for what, (_, _, says) in BROKEN.items() if "ended Python itself" in says}


def in_this_process(file, seconds, progress):
    """The check without a process of its own, which would take half a second to start."""
    with redirect_stdout(StringIO()):
        findings = [finding.to_dict() for finding in check_file(file, lambda game, step: None)]
    return examine.Examination(file, findings)


@pytest.mark.slow_cases("crashes-here", "ends Python-here", "interrupts-here", "kills itself-here")
@pytest.mark.parametrize("child", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["here", "as a command"])
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_game_is_told_what_is_wrong(dicelab, tiny, monkeypatch, what, child):
    edits, step, says = BROKEN[what]
    if not child and what not in ENDS_PYTHON:
        monkeypatch.setattr(examine, "examine", in_this_process)
    file = tiny(*edits)
    said = dicelab("check", file, "--json")
    found = said.json
    assert (said.status, said.err) == (1, "")
    assert (found["schema"], found["method"], found["file"], found["lawful"]) == (2, "check", file, False)
    broken = [finding for finding in found["findings"] if finding["verdict"] == "broken"]
    assert len(broken) == 1
    assert broken == found["findings"][-1:]
    assert broken[0]["game"] == (file if step == "read the file" else "tiny")
    assert broken[0]["step"] == step
    assert broken[0]["say"]
    for words in says:
        assert marked(file, words) in broken[0]["say"]
    assert "Traceback" not in broken[0]["say"]
    if step != "read the file":
        where = broken[0]["where"]
        assert where["file"] == file
        assert broken[0]["say"].startswith(f"{file}, line {where['line']}")


LOOPS = {
    "while it is read": (top("while True:\n    pass"), "read the file"),
    "in a rule": ((DIE, "        while face > 0:\n            pass"), "states"),
    "in a strategy": ((STRATEGY, f"    while points > 0:\n        pass\n{STRATEGY}"), "strategies"),
    "in next": ((NEXT, "        while True:\n            pass"), "states"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("edits", "step"), LOOPS.values(), ids=LOOPS)
def test_a_loop_without_end_is_stopped(dicelab, tiny, edits, step):
    for seconds in ("2.5", "10", "40"):  # more where the machine is too busy to reach that step
        said = dicelab("check", tiny(*edits), "--seconds", seconds, "--json")
        assert (said.status, said.err) == (3, "")
        assert (said.json["complete"], said.json["lawful"]) == (False, False)
        last = said.json["findings"][-1]
        if last["step"] == step:
            break
    assert (last["step"], last["verdict"]) == (step, "not finished")
    assert f"not done within {seconds} s" in last["say"]
    assert "a rule may loop without end" in last["say"]
    assert "broken" not in {finding["verdict"] for finding in said.json["findings"]}


@pytest.mark.slow
def test_a_broken_game_in_words(dicelab, tiny):
    file = tiny(*BROKEN["too many dice"][0])
    said = dicelab("check", file)
    assert (said.status, said.err) == (1, "")
    verdict, empty, *lines = said.out.splitlines()
    assert (verdict, empty) == (f"broken  tiny  {file}", "")
    steps = [line[:14].strip() for line in lines if line[2] != " "]
    assert steps == ["contract", "declarations", "parameters", "broken"]
    words = " ".join(said.out.split())
    assert "broken states: " in words
    assert "in next: die rolls at most 1 dice, but 2 were asked for: declare more dice" in words
    assert "lawful" not in said.out


@pytest.mark.slow
def test_the_check_survives_as_a_command_of_its_own(shell, tiny):
    said = shell("check", tiny(*BROKEN["crashes"][0]))
    assert (said.status, said.err) == (1, "")
    assert said.out.startswith("broken  ")


@pytest.mark.slow_cases("words0")
@pytest.mark.parametrize("words", [["zzz"], ["tinny"]])
def test_a_game_that_is_not_in_the_file(dicelab, tiny, words):
    said = dicelab("check", f"{tiny()}:{words[0]}", "--json")
    assert said.status == 1
    assert f"'{words[0]}'" in said.json["findings"][-1]["say"]


@pytest.mark.parametrize(
    "what", ["syntax error", "import error", "exits", "raises", "default outside its range", "unknown name"]
)
def test_simulate_says_what_check_says_of_a_file_that_cannot_be_read(dicelab, tiny, what):
    edits, _, says = BROKEN[what]
    file = tiny(*edits)
    said = dicelab("simulate", file, "--games", "10")
    for words in says:
        said.must_refuse(2, marked(file, words))


@pytest.mark.parametrize(
    "what",
    [
        *("a number leaves its range", "too many dice", "an index out of range"),
        *("an outcome that is not there", "a move that is not there", "no move", "a seat that is not there"),
    ],
)
def test_simulate_says_what_goes_wrong_in_play_and_in_which_game(dicelab, tiny, what):
    said = dicelab("simulate", tiny(*BROKEN[what][0]), "--games", "50", "--seed", "0")
    said.must_refuse(1, "; seed 0, game ")
    assert "; state {" in said.err


# Rules outside the language: the edits, and what is said of the marked line.
OUTSIDE = {
    "sorted": ((DIE, "        self.points += sorted([(face, (0, 1))], key=str)[0][0]  # HERE"), ""),
    "recursion": (
        (
            *(DIE, "        self.points += self.down(face)"),
            *(OUTCOME, f"    def down(self, n: int) -> int:\n        return n and 1 + self.down(n - 1)\n\n{OUTCOME}"),
            *("def down(self, n: int) -> int:", "def down(self, n: int) -> int:  # HERE"),
        ),
        "down calls itself",
    ),
    "text": ((DIE, "        self.points += int(f'{face}')  # HERE"), "text"),
    "try": ((DIE, f"        try:  # HERE\n    {DIE}\n        finally:\n            pass"), "try"),
    "a strategy's dictionary": (
        (STRATEGY, STRATEGY.replace(">= points", ">= int(f'{points}')") + "  # HERE"),
        "",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("edits", "says"), OUTSIDE.values(), ids=OUTSIDE)
def test_a_game_outside_the_language_is_refused_by_every_command(dicelab, tiny, edits, says):
    file = tiny(*edits)
    for command in (["check", file, "--json"], ["simulate", file, "--games", "10"], ["exact", file]):
        said = dicelab(*command)
        assert said.status == (1 if command[0] == "check" else 2)
        text = json.dumps(said.json) if "--json" in command else said.err
        assert marked(file, f"{file}, line HERE") in text
        assert says in text


@pytest.mark.slow
def test_the_note_names_file_and_line_where_only_numba_finds_out(dicelab, tiny):
    file = tiny(DIE, f"        some = (1, 2) if face > 3 else (1, (2, 3))\n{DIE} + 0 * some[0]")
    said = dicelab("check", file, "--json")
    assert (said.status, said.json["lawful"]) == (0, True)
    notes = [finding["say"] for finding in said.json["findings"] if finding["step"] == "engines"]
    assert re.search(rf"{re.escape(file)}, line \d+", notes[0])


@pytest.mark.slow
def test_a_lawful_game(dicelab, tiny):
    said = dicelab("check", tiny(), "--json")
    found = said.json
    assert [f["say"] for f in found["findings"] if f["verdict"] != "ok"] == []
    assert (said.status, said.err, found["lawful"], found["interrupted"]) == (0, "", True, False)
    steps = [finding["step"] for finding in found["findings"]]
    whole = ["contract", "declarations", "parameters", "states", "strategies", "settings", "engines", "exact", "policy"]
    assert steps == whole
    numbers = found["covered"]["tiny"]
    assert numbers["states"] == {"states": 25, "all": True, "games": 0}
    assert numbers["at_settings"] == {"settings": 4, "all_states": 4, "states": 100}
    assert numbers["engines"] == ["reference", "compiled", "table", "memo"]
    assert set(numbers["refused"]) == {"counter", "turn", "lockstep"}
    assert (numbers["exact"]["enumerated_twice"], numbers["policies"]) == (18, 1)


@pytest.mark.slow
def test_a_lawful_game_in_words(dicelab, tiny):
    file = tiny('    source = "made for the tests"\n', "")
    said = dicelab("check", file, "-v")
    assert (said.status, said.err) == (0, "")
    words = " ".join(said.out.split())
    assert words.startswith(f"lawful tiny {file} contract")
    assert "note declarations: it names no source" in words
    assert "not on the turn engine: it has no turns" in words
    assert words.endswith(
        "lawful: all 25 states at the defaults; 4 more settings; 420 games on 4 engines; 3 line-ups; 1 exact answer; "
        "1 policy"
    )
    assert max(len(line) for line in said.out.splitlines() if file not in line) <= 80


@pytest.mark.slow
def test_every_game_of_a_file_is_checked(dicelab, tiny):
    other = 'class Other(Tiny):\n    """Another."""\n\n    name = "other"\n\n    def outcome(self):\n        return 5'
    said = dicelab("check", tiny("\n\n@strategy(", f"\n\n{other}\n\n\n@strategy("), "--json")
    assert said.status == 1
    last = {finding["game"]: finding["verdict"] for finding in said.json["findings"]}
    assert last == {"tiny": "ok", "other": "broken"}


@pytest.mark.slow
def test_ctrl_c_leaves_what_is_known_so_far(dicelab, tiny, monkeypatch):
    rows = examine._objects

    def interrupted(child):
        for row in rows(child):
            yield row
            if row.get("step") == "states" and row["kind"] == "finding":
                raise KeyboardInterrupt

    monkeypatch.setattr(examine, "_objects", interrupted)
    said = dicelab("check", tiny(), "--json")
    assert (said.status, said.json["interrupted"], said.json["complete"]) == (130, True, False)
    assert said.json["covered"]["tiny"]["states"]["states"] == 25
    assert [finding["step"] for finding in said.json["findings"]][-1] == "states"
    out = dicelab("check", tiny()).out
    assert out.startswith("not finished  tiny")
    assert out.endswith("interrupted: nothing else was checked\n")
    assert "lawful" not in out


@pytest.fixture
def child_that_waits(monkeypatch):
    """A function that makes the child process stay in a step until its time is over, however long the steps take."""
    seconds, begun = [], []

    class Timed:
        def __init__(self, limit, stop):
            seconds.append(limit)
            begun.append(stop)

        start = cancel = lambda self: None

    def stays_in(step):
        real = examine._objects

        def until(child):
            for row in real(child):
                yield row
                if row["kind"] == "begin" and row["step"] == step:
                    begun[-1]()
                    return

        monkeypatch.setattr(examine, "Timer", Timed)
        monkeypatch.setattr(examine, "_objects", until)

    return stays_in


@pytest.mark.slow_cases("states-False-True")
@pytest.mark.parametrize(
    ("step", "covered", "may_loop"),
    [
        ("states", False, True),
        pytest.param("settings", True, True, marks=pytest.mark.slow),
        pytest.param("engines", True, False, marks=pytest.mark.slow),
    ],
)
def test_time_that_runs_out_breaks_no_rule(dicelab, tiny, child_that_waits, step, covered, may_loop):
    file = tiny()
    child_that_waits(step)
    said = dicelab("check", file, "--seconds", "7", "--json")
    found = said.json
    assert (said.status, said.err, found["lawful"], found["complete"]) == (3, "", False, False)
    *before, last = found["findings"]
    assert {finding["verdict"] for finding in before} <= {"ok", "note"}
    assert (last["step"], last["verdict"]) == (step, "not finished")
    assert last["say"].startswith("not done within 7 s, so the rest was not checked; give more time with --seconds")
    assert ("may loop without end" in last["say"]) is may_loop
    assert ("states" in found["covered"]["tiny"]) is covered
    out = dicelab("check", file, "--seconds", "7").out
    assert out.startswith(f"not finished  tiny  {file}\n")
    assert f"\n  not finished  {step}: not done within 7 s" in out
    assert out.splitlines()[-1].startswith(
        "not finished: all 25 states at the defaults" if covered else "not finished: no states were tried"
    )
    assert "lawful" not in out
    assert "broken" not in out


@pytest.mark.slow
def test_a_file_that_ends_python_is_broken(dicelab, tiny):
    said = dicelab("check", tiny(*BROKEN["ends Python"][0]), "--json")
    assert (said.status, said.json["complete"], said.json["lawful"]) == (1, True, False)
