"""Mark the tests that `make test` leaves to `make test-all`, by the processor time that each one took.

    python tests/tiers.py FOLDER [FIRST]    # the folders that `pytest --times=FOLDER` has written

Of each test function the quickest case stays in `make test` if it takes at most `ONE` seconds, and so do all cases
below `EACH` seconds. FIRST holds times of tests that found no kernels but those that tests/kernels.py compiles: what
takes more than `FIRST_TIME` seconds there is marked, too. Marks are added where the tests stand, never removed:
``@pytest.mark.slow`` before a function; before one of which some cases are quick, ``slow_cases`` or ``quick_cases``,
whichever is shorter, with the ids of these cases. Examples can't carry a mark: `SLOW_EXAMPLES` in conftest.py has them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ONE = 1.05
EACH = 0.5
FIRST_TIME = 2.0
LONGEST = 85
"""Letters of an id that are written; of a longer one as much of the beginning as no other case has, and three dots."""
ROOT = Path(__file__).resolve().parents[1]


def case_of(test: str) -> str:
    """The case of a test, without the number of cases that it tries in a loop; empty if it has none.

    >>> case_of("tests/a.py::test_f[3 cases-pig]"), case_of("tests/a.py::test_f")
    ('cases-pig', '')
    """
    return re.sub(r"\d+ cases", "cases", test.partition("[")[2].removesuffix("]"))


def among(case: str, names: Iterable[str]) -> bool:
    """Whether a mark names a case, by its id or the beginning of it.

    >>> among("pig", ["pig", "farkle"]), among("simulate pig", ["simulate..."]), among("pig", ["pi"])
    (True, True, False)
    """
    return any(case.startswith(name[:-3]) if name.endswith("...") else case == name for name in names)


def chosen(seconds: dict[str, float]) -> list[str]:
    """The tests to be marked.

    >>> chosen({"a.py::f[1]": 3.0, "a.py::f[2]": 2.0, "a.py::f[3]": 0.1, "a.py::g": 0.5, "a.py::h": 5.0})
    ['a.py::f[1]', 'a.py::f[2]', 'a.py::h']
    """
    functions = defaultdict[str, list[str]](list)
    for test in sorted(seconds, key=lambda test: seconds[test]):
        functions[test.partition("[")[0]].append(test)
    slow = []
    for quickest, *others in functions.values():
        slow += [quickest] if seconds[quickest] > ONE else []
        slow += [test for test in others if seconds[test] > EACH]
    return sorted(slow)


def measured(folder: Path) -> dict[str, float]:
    """Processor time of each test that is not marked: the least of all measurements."""
    seconds = dict[str, float]()
    for file in folder.glob("*.txt"):
        for line in file.read_text(encoding="utf-8").splitlines():
            time, _, test = line.partition(" ")
            if str(ROOT) in test:
                raise SystemExit(f"{test}: its name has the path of this folder in it; give its cases ids")
            seconds[test] = min(float(time), seconds.get(test, float("inf")))
    return seconds


def functions_of(body: list[ast.stmt], place: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a file with their names as pytest writes them, also those in classes."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield place + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions_of(node.body, f"{place}{node.name}::")


def mark_text(slow: set[str], quick: set[str]) -> str:
    """The mark of a function with slow and quick cases.

    >>> mark_text({"pig", "farkle"}, {"lcr", "tossup"}), mark_text({"pig", "lcr"}, {"farkle"}), mark_text({""}, set())
    ('@pytest.mark.slow_cases("farkle", "pig")', '@pytest.mark.quick_cases("farkle")', '@pytest.mark.slow')
    """
    if not quick:
        return "@pytest.mark.slow"
    few, others = (slow, quick) if len(slow) <= len(quick) else (quick, slow)
    return written("slow_cases" if few is slow else "quick_cases", {_short(case, others) for case in few})


def written(mark: str, names: Iterable[str]) -> str:
    """A mark with names of cases."""
    quoted = [repr(name) if '"' in name or "\\" in name else f'"{name}"' for name in sorted(names)]
    return f"@pytest.mark.{mark}({', '.join(quoted)})"


def _short(case: str, others: set[str]) -> str:
    """A case, or of a long one as much of its beginning as others don't have."""
    for end in range(LONGEST, len(case)):
        if not any(other.startswith(case[:end]) for other in others):
            return f"{case[:end]}..."
    return case


def write_marks(path: Path, slow: dict[str, set[str]], quick: dict[str, set[str]]) -> None:
    """Mark functions of a file, given the slow cases of each, and those that stay quick."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [(name, node) for name, node in functions_of(ast.parse("\n".join(lines)).body) if name in slow]
    for name, node in sorted(found, key=lambda pair: -pair[1].lineno):
        calls = [mark for mark in node.decorator_list if isinstance(mark, ast.Call)]
        marks = {mark.func.attr: mark for mark in calls if isinstance(mark.func, ast.Attribute)}
        old = marks.get("slow_cases", marks.get("quick_cases"))
        if old is None or not quick[name]:
            text = mark_text(slow[name], quick[name])
        elif "quick_cases" in marks:
            text = written("quick_cases", quick[name])
        else:
            before = {str(ast.literal_eval(case)) for case in old.args}
            text = written("slow_cases", before | {_short(case, quick[name]) for case in slow[name]})
        first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
        place = slice(first - 1, first - 1) if old is None else slice(old.lineno - 1, old.end_lineno)
        lines[place] = [" " * node.col_offset + text]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(times: dict[str, float], first: dict[str, float]) -> None:
    """Mark what is slow, and say how much that is."""
    slow = {*chosen(times), *(test for test in times if first.get(test, 0) > FIRST_TIME)}
    cases = defaultdict[tuple[str, bool], defaultdict[str, set[str]]](lambda: defaultdict(set))
    for test in times:
        file, _, name = test.partition("[")[0].partition("::")
        cases[file, test in slow][name].add(case_of(test))
    for file in {file for file, is_slow in cases if is_slow}:
        if file.startswith("tests/"):
            write_marks(ROOT / file, cases[file, True], cases[file, False])
        else:
            print("for SLOW_EXAMPLES in conftest.py:", *sorted(cases[file, True]))
    left = sum(times[test] for test in slow)
    print(f"{len(slow):,} of {len(times):,} tests, {left:.0f} of {sum(times.values()):.0f} s, are marked slow")


if __name__ == "__main__":
    main(measured(Path(sys.argv[1])), measured(Path(sys.argv[2])) if len(sys.argv) > 2 else {})
