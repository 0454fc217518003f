"""Settings for all tests: where kernels are kept, tests that try many cases in a loop, tests of a game side by side."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator
from contextlib import ExitStack
from itertools import chain, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tiers import among, case_of

settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fixed")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background, and so would all children
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The kernels of the tests are kept in the checkout, for all workers and for the next run: see tests/kernels.py. What
# their names depend on is said in `dicelab.compile.kernels.cache`.
os.environ["COLUMNS"] = (
    "200"  # texts of results don't depend on the terminal; tests/interface/cli/test_width.py is about it
)
os.environ.setdefault("DICELAB_CACHE_DIR", str(Path(__file__).parents[1] / ".cache"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regen", action="store_true", help="write the transcripts in tests/golden anew")
    parser.addoption("--times", metavar="FOLDER", help="write the processor time of each test, for tests/tiers.py")
    parser.addoption("--apart", action="store_true", help="make each case of a loop a test of its own, as -k can name")


# Cases in a loop ------------------------------------------------------------------------------------------------------
# ``@pytest.mark.cases(names, values, ids=...)`` is written as parametrize is. The test is one test, which tries every
# case and names those that fail: hundreds of small cases cost pytest more than they take. Fixtures are made once.


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for mark in metafunc.definition.iter_markers("cases"):
        names, values = mark.args
        if metafunc.config.getoption("--apart"):
            metafunc.parametrize(names, values, **mark.kwargs)
        else:
            metafunc.parametrize(names, list(values)[:1], ids=[f"{len(values)} cases"])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    marks = list(pyfuncitem.iter_markers("cases"))
    if not marks or pyfuncitem.config.getoption("--apart"):
        return None
    fixed = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    cases = [dict(chain(*(part.items() for part in parts))) for parts in product(*map(arguments, marks))]
    failed = []
    for case in cases:
        try:
            pyfuncitem.obj(**fixed | case)
        except (Exception, pytest.fail.Exception) as error:
            error.add_note("in the case " + ", ".join(f"{name} = {value!r}" for name, value in case.items()))
            failed.append(error)
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases failed", failed)
    return True


def arguments(mark: pytest.Mark) -> list[dict[str, Any]]:
    """The arguments of a test in each case."""
    names, values = mark.args
    if isinstance(names, str):
        return [{names: value} for value in values]
    return [dict(zip(names, value, strict=True)) for value in values]


@pytest.fixture(autouse=True)
def ctrl_c_as_before() -> Generator[None, object, object]:
    """A test that leaves another handler of Ctrl-C behind fails, and not one of those after it."""
    yield
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pytest.fail(f"the test leaves SIGINT to {handler}")


@pytest.fixture
def limits() -> Generator[Callable[..., None], object, object]:
    """Change limits until the test ends: ``limits(counted=100)``; for a part of it, `limited` is a context."""
    from dicelab.limits import limited

    with ExitStack() as changed:
        yield lambda **wanted: changed.enter_context(limited(**wanted))


# Tests of a game side by side -----------------------------------------------------------------------------------------


MARKED = pytest.StashKey[bool]()
"""Whether a test is marked slow or quick."""
SLOW_EXAMPLES = {
    "dicelab.plots.dice.plot_with_dice",
    "dicelab.questions.betting.par.Par",
    "dicelab.engines.policy.Policy.to_frame",
    "3-toss-up.md",
    "4-craps-throws.md",
    "api.md",
    "dicelab.conformance.check.check",
    "dicelab.conformance.check.Examination",
    "dicelab.conformance.check.examine",
    "dicelab.extras.learn.make.vector",
    "dicelab.extras.learn.learned_values.LearnedValues",
    "dicelab.questions.policies.thinking.network.Network",
    "dicelab.plots.bankroll.plot_sessions",
    "dicelab.plots.policy.plot_best",
    "dicelab.plots.edges.plot_par",
    "dicelab.questions.betting.ruin.Bound",
    "dicelab.questions.betting.ruin.for_ruin",
    "dicelab.questions.betting.session.Session",
    "dicelab.questions.betting.session.session",
    "dicelab.questions.betting.systems.Systems",
    "dicelab.questions.betting.systems.systems",
    "dicelab.questions.betting.with_dice.WithDice",
    "dicelab.questions.betting.with_dice.with_dice",
    "dicelab.questions.compare.compare",
    "dicelab.questions.exercise.exercise",
    "dicelab.questions.heuristics.best.BestPlay",
    "dicelab.questions.policies.skill.luck.Luck",
    "dicelab.questions.policies.skill.luck.SeatLuck",
    "judge.md",
    "review.md",
    "rules.md",
    "side-bets.md",
    "strategies.md",
}
"""Pages and docstrings whose examples take seconds, left to ``make test-all``: they can't carry a mark."""


def is_slow(item: pytest.Item) -> bool:
    """Whether a test that isn't marked `slow` or `quick` as a whole is left to ``make test-all``."""
    case = case_of(item.nodeid)
    slow = any(among(case, mark.args) for mark in item.iter_markers("slow_cases"))
    return (
        slow
        or item.name in SLOW_EXAMPLES
        or any(not among(case, mark.args) for mark in item.iter_markers("quick_cases"))
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave slow examples out, and put the tests of a game side by side.

    Tests of all games need the same kernels where the game is the same. A worker takes tests from the end of its
    neighbour's list, and what was compiled or solved for one is at hand for the next.
    """
    for item in items:
        quick = bool(item.get_closest_marker("quick"))
        if not quick and is_slow(item):
            item.add_marker("slow")
        item.stash[MARKED] = quick or bool(item.get_closest_marker("slow"))
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(1200))
    places = [place for place, item in enumerate(items) if "/conformance/" in item.nodeid]
    known: dict[str, int] = {}
    order = sorted(places, key=lambda place: known.setdefault(game_of(items[place]), len(known)))
    for place, item in zip(places, [items[place] for place in order], strict=True):
        items[place] = item


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Write down the processor time of a test and of the processes that it started, if asked to."""
    before = os.times()
    result = yield
    folder = item.config.getoption("--times")
    if folder and not item.stash[MARKED]:
        seconds = sum(os.times()[:4]) - sum(before[:4])
        with (Path(folder) / f"{os.getpid()}.txt").open("a", encoding="utf-8") as times:
            times.write(f"{seconds:.2f} {item.nodeid}\n")
    return result


def game_of(item: pytest.Item) -> str:
    """Name of the game that a test was given; empty where it is about several."""
    called = getattr(item, "callspec", None)
    return str(called.params.get("name", "")) if called else ""
