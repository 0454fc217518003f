"""Rules written from rulebooks by people who had read only the documentation: compiled, the same games are played."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicelab.engines.compiled import Compiled
from dicelab.errors import RulesError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.translation.contract import must_be_lawful
from support import NATURAL, OUTSIDE, ROOT

QUICK = "chicago"


@pytest.mark.slow_cases("chicago")
@pytest.mark.parametrize(
    "file",
    [pytest.param(file, marks=[] if file.stem == QUICK else pytest.mark.slow) for file in NATURAL],
    ids=lambda file: file.stem,
)
def test_rules_as_people_write_them_are_compiled(file: Path) -> None:
    run = Run.of(find_in_file(file))
    fast = Compiled(run.game, run.calls)
    left: list[object] = []
    slowly = fast._play_slowly
    fast._play_slowly = lambda *given: left.append(given) or slowly(*given)  # type: ignore[assignment,func-returns-value]
    assert fast.play(7, 0, 60) == Reference(run.game, run.calls).play(7, 0, 60)
    assert left == []


@pytest.mark.parametrize(("name", "said"), OUTSIDE.items(), ids=OUTSIDE)
def test_what_is_outside_the_language_is_refused_with_its_line(name: str, said: str) -> None:
    game = find_in_file(ROOT / f"tests/games/natural/{name}.py")
    with pytest.raises(RulesError, match=rf"{name}.py, line \d+, in \w+: .*{said}"):
        must_be_lawful(game, game.declared.strategies.values())
