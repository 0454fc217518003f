"""Questions about dice alone: expressions, rolls that somebody wrote down, and games with these dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dicelab.errors import ParameterError
from dicelab.interface.lab.work.answer import answered, number_of
from dicelab.interface.lab.work.named import Asked, game_of
from dicelab.interface.lab.work.process import Wire
from dicelab.plots.chart_style import as_svg
from dicelab.questions.betting import with_dice as loading
from dicelab.questions.notation.several import compare_dice
from dicelab.questions.rolled.fair import of_rolls
from dicelab.questions.rolled.rolls import rolls_in, rolls_of
from dicelab.rules.params import whole_number


def dice(wire: Wire, given: Mapping[str, str]) -> None:
    """Send the distributions of expressions, a line each."""
    from dicelab.plots import plot_dice

    expressions = [line.strip() for line in given["expressions"].splitlines() if line.strip()]
    numbers = {name: number_of(given[name]) for name in ("at_least", "at_most", "depth") if name in given}
    result = compare_dice(*expressions, **numbers)
    drawn = as_svg(plot_dice(*result.results, of=given.get("of", "exactly")))
    answered(wire, result.results[0] if len(expressions) == 1 else result)
    wire.send(chart="chart", svg=drawn)


def fair(wire: Wire, given: Mapping[str, str]) -> None:
    """Send whether dice are fair, from rolls or counts as they were typed."""
    from dicelab.plots import plot_fair

    if "rolls" in given and "counts" in given:
        raise ParameterError("give the rolls or the counts, not both")
    die = given.get("die")
    rolls = rolls_in(given["rolls"], "your rolls", die) if "rolls" in given else _counts(given["counts"], die)
    result = of_rolls(rolls)
    answered(wire, result)
    wire.send(chart="chart", svg=as_svg(plot_fair(result)))


def _counts(text: str, die: str | None) -> Any:
    """Return the rolls of counts that were typed; a path is none."""
    if "," not in text or any(whole_number(part.strip()) is None for part in text.split(",")):
        raise ParameterError("counts: write a number for each face, such as 16,18,21,15,14,16")
    return rolls_of(text.replace(" ", ""), die)


def with_dice(
    wire: Wire, asked: Asked, memory: int, question: str, counts: str, only: str | None, die: str | None
) -> None:
    """Send the answer to a question about a game with somebody's dice."""
    from dicelab.plots import plot_with_dice

    _counts(counts, die or f"d{counts.count(',') + 1}")
    rolls = counts.replace(" ", "")
    settings: dict[str, Any] = {"die": die, "only": only or (), "memory": memory}
    result = loading.with_dice(question, game_of(asked), rolls, asked["strategies"], **settings)
    answered(wire, result)
    wire.send(chart="with_dice", svg=as_svg(plot_with_dice(result)))
