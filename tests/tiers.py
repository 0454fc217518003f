"""Choose the tests that `make test` leaves to `make test-all`, from the processor time that each one took.

    python tests/tiers.py FOLDER [FIRST]    # the folders that `pytest --times=FOLDER` has written

They are listed in slow.txt. Of each test function the quickest case stays in `make test` if it takes at most `ONE`
seconds, and so do all cases below `EACH` seconds. FIRST holds times of tests that found no kernels but those that
tests/kernels.py compiles: what takes more than `FIRST_TIME` seconds there is listed too. Tests marked `slow` or `quick`
in their files aren't listed.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

ONE = 0.8
EACH = 0.2
FIRST_TIME = 2.0
LISTED = Path(__file__).resolve().with_name("slow.txt")
HEAD = "# Tests that make test leaves to make test-all: python tests/tiers.py has chosen them by their times."


def listed() -> frozenset[str]:
    """The tests in slow.txt."""
    return frozenset(LISTED.read_text(encoding="utf-8").splitlines()[1:]) if LISTED.exists() else frozenset()


def chosen(seconds: dict[str, float]) -> list[str]:
    """The tests to be listed.

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
    """Processor time of each test that is not marked slow in its file: the least of all measurements."""
    seconds = dict[str, float]()
    for file in folder.glob("*.txt"):
        for line in file.read_text(encoding="utf-8").splitlines():
            time, _, test = line.partition(" ")
            if str(LISTED.parents[1]) in test:
                raise SystemExit(f"{test}: its name has the path of this folder in it; give its cases ids")
            seconds[test] = min(float(time), seconds.get(test, float("inf")))
    return seconds


if __name__ == "__main__":
    times = measured(Path(sys.argv[1]))
    first = measured(Path(sys.argv[2])) if len(sys.argv) > 2 else {}
    slow = sorted({*chosen(times), *(test for test in times if first.get(test, 0) > FIRST_TIME)})
    LISTED.write_text("\n".join([HEAD, *slow]) + "\n", encoding="utf-8")
    left = sum(times[test] for test in slow)
    print(
        f"{len(slow):,} of {len(times):,} tests, {left:.0f} of {sum(times.values()):.0f} s, are left to make test-all"
    )
