"""Puts one violation of the contract into a lawful game: every command must then refuse it, with file and line."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from dicelab.interface.cli.main import main
from fuzz.case import Mismatch, write
from fuzz.games import GameText

COMMANDS: dict[str, tuple[str, ...]] = {
    "simulate": ("--games", "30", "--seed", "1"),
    "exact": (),
    "solve": ("--objective", "most:{tally}"),
    "sweep": ("--over", "{param}=1..2", "--games", "20", "--seed", "1"),
    "edges": (),
    "check": (),
}


@dataclass(frozen=True)
class Mutation:
    """A violation.

    Attributes
    ----------
    where
        Beginning of the line before the first statement of which it is put (a method), or a line that is replaced.
    lines
        What is put there; ``{tally}``, ``{field}`` and the like stand for names of the game.
    top
        What is put before the class.
    replace
        The line is replaced by these, not followed by them.
    """

    where: str
    lines: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    replace: bool = False


NEXT, ROLL, LEGAL, OUTCOME = r"def next\(", r"def roll\(", r"def (allowed|worth)\d\(", r"def outcome\("
STRATEGY = r"def \w+\(game,"
COUNTER = """def counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count

counting = counter()"""
PARENT = """class Parent(Game):
    name = "parent"

    @thrown(1, D6)
    def spare(self, total):
        pass"""
MUTATIONS: dict[str, Mutation] = {
    "next changes a field": Mutation(NEXT, ("self.left += 0",)),
    "next counts": Mutation(NEXT, ("self.{tally} += 1",)),
    "legal changes a field": Mutation(LEGAL, ("self.todo = self.todo",)),
    "legal counts": Mutation(LEGAL, ("self.{tally} += 1",)),
    "outcome changes a field": Mutation(OUTCOME, ("self.left = 0",)),
    "a strategy changes the game": Mutation(STRATEGY, ("game.left = game.left",)),
    "a strategy counts": Mutation(STRATEGY, ("game.{tally} += 1",)),
    "a tally is read": Mutation(ROLL, ("self.left = self.left + 0 * self.{tally}",)),
    "a list of the file": Mutation(ROLL, ("KEPT.append(1)", "self.left -= len(KEPT) % 1"), ("KEPT = []",)),
    "global": Mutation(ROLL, ("global KEPT", "KEPT += 1", "self.{tally} += KEPT"), ("KEPT = 0",)),
    "nonlocal": Mutation(
        ROLL,
        ("self.{tally} += counting()",),
        tuple(COUNTER.splitlines()),
    ),
    "a mutable default": Mutation(
        ROLL,
        ("self.{tally} += kept()",),
        ("def kept(seen=[]):", "    seen.append(1)", "    return len(seen)"),
    ),
    "__dict__": Mutation(ROLL, ("self.__dict__['left'] = 0",)),
    "object.__setattr__": Mutation(ROLL, ("object.__setattr__(self, 'left', 0)",)),
    "a counter in a strategy": Mutation(STRATEGY, ("COUNT[0] = COUNT[0] + 1",), ("COUNT = [0]",)),
    "random in a rule": Mutation(ROLL, ("self.{tally} += random.randint(0, 1)",), ("import random",)),
    "random in start": Mutation(r"def start\(", ("self.{tally} += random.randint(0, 1)",), ("import random",)),
    "random in a strategy": Mutation(STRATEGY, ("argument = random.randint(0, 1)",), ("import random",)),
    "a clock": Mutation(ROLL, ("self.{tally} += time.time_ns() % 2",), ("import time",)),
    "a method named like a parameter": Mutation(NEXT, ("def {param}(self):", "    return 1", ""), replace=True),
    "a die that depends on a field": Mutation(
        r"@thrown\(", ("@thrown(1, Die(one=left, two=1))",), ("from dicelab.rules import Die",), replace=True
    ),
    "a tuple of dice": Mutation(r"@thrown\(", ("@thrown(2, (D6, D6))",), replace=True),
    "super of a roll": Mutation(ROLL, ("super().spare(1)",), tuple(PARENT.splitlines())),
    "a constant of more than 64 bits": Mutation(ROLL, ("self.{tally} += LARGE % (self.left + 3)",), ("LARGE = 2**63",)),
    "a forgotten @chosen": Mutation(r"@chosen\(", (), replace=True),
    "a set enlarged under another name": Mutation(
        ROLL, ("kept = {1, 2}", "also = kept", "also |= {self.left}", "self.{tally} += len(kept)")
    ),
    "a list changed in a list written out": Mutation(
        ROLL, ("kept = [self.left]", "grid = [kept]", "grid[0].append(1)", "self.{tally} += len(kept)")
    ),
    "a list changed inside another": Mutation(
        ROLL,
        ("kept = [self.left]", "grid = [[0]]", "grid.append(kept)", "grid[1][0] = 50", "self.{tally} += kept[0]"),
    ),
}


def mutated(game: GameText, name: str) -> GameText | None:
    """A game with one violation; None where it has no place in this game."""
    mutation, lines = MUTATIONS[name], game.text.splitlines()
    at = next((i for i, line in enumerate(lines) if re.match(r"\s*" + mutation.where, line)), None)
    tallies, param = re.findall(r"(\w+) = Tally\(", game.text), re.findall(r"(\w+) = Param\(\d", game.text)
    if at is None or not tallies or not param:
        return None
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    if mutation.replace:
        new = [indent + line.replace("{param}", param[0]) for line in mutation.lines]
        if mutation.where == NEXT:  # a method before it, rather than one in its place
            new.append(lines[at])
        lines[at : at + 1] = new
    else:
        lines[at + 1 : at + 1] = [indent + "    " + line.replace("{tally}", tallies[0]) for line in mutation.lines]
    top = next(i for i, line in enumerate(lines) if line.startswith("class Fuzzed("))
    added = list(mutation.top)
    if added[:1] == ["class Parent(Game):"]:
        added[0] = lines[top].replace("Fuzzed", "Parent")
        lines[top] = "class Fuzzed(Parent):"
    return GameText("\n".join([*lines[:top], *added, "", "", *lines[top:]]) + "\n", game.helper)


def must_be_refused(game: GameText, name: str, folder: Path, commands: Sequence[str]) -> int:
    """Run some commands with a game that breaks the contract; returns how many there were.

    Raises
    ------
    Mismatch
        When one of them plays it, or refuses it without file and line.
    """
    unlawful = mutated(game, name)
    if unlawful is None:
        return 0
    file = write(unlawful, folder)
    ran = 0
    for command in commands:
        if command == "solve" and "@chosen" not in unlawful.text:
            continue
        names = {
            "tally": re.findall(r"(\w+) = Tally\(", game.text)[0],
            "param": re.findall(r"(\w+) = Param", game.text)[0],
        }
        words = [command, f"{file}:fuzzed", *(word.format(**names) for word in COMMANDS[command])]
        strategies = re.findall(STRATEGY, unlawful.text)
        if command in ("simulate", "exact") and strategies and "@chosen" in unlawful.text:
            words += ["--strategy", strategies[0].partition("(")[0].removeprefix("def ")]
        status, said = run(words)
        ran += 1
        refused = said.splitlines()[-1:] or [""]
        if status == 0:
            raise Mismatch(f"{name} is refused", f"{command} plays it")
        if re.search(r"Traceback|[Rr]eport|\w+Error: ", said):
            raise Mismatch(f"{name} is refused in a sentence", f"{command}: {said}")
        named = str(file) in said and re.search(r"line \d+", said)
        if command != "check" and (status != 2 or not (named or _names_it(said, name))):
            raise Mismatch(f"{name} is refused with its line", f"{command}, status {status}: {refused[0]}")
    return ran


def _names_it(said: str, name: str) -> bool:
    """Whether a refusal of what is declared names it: of a declaration no line is known."""
    return name == "a method named like a parameter" and "is there a method, or a field, of the same name?" in said


def run(words: Sequence[str]) -> tuple[object, str]:
    """Exit status of a command, and all that it said."""
    out, err = io.StringIO(), io.StringIO()
    status: object = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main(list(words))
    except SystemExit as ended:
        status = ended.code
    except Exception as error:
        raise Mismatch("a command ends without traceback", f"{' '.join(words)}: {error!r}") from error
    return status, err.getvalue() + out.getvalue()
