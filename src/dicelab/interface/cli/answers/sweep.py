"""The command `sweep`: one question for a range of values, or the value that gives a figure."""

from __future__ import annotations

from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli.commands import Asked, answer_to, extended
from dicelab.interface.cli.progress import rows_done
from dicelab.questions.declare import declared
from dicelab.rules.params import share


@extended("sweep")
@click.option(
    "--solve-for",
    metavar="FIGURE=X",
    help="Find the values between which an outcome's probability, or a tally's mean, passes X: 0=50%, turns=20.",
)
def sweep(asked: Asked, settings: dict[str, Any]) -> None:
    """Answer at every point, or find where a figure passes a number."""
    of, wanted = settings["of"], settings.pop("solve_for")
    given = declared("sweep").values(settings)
    if wanted is not None and of is not None:
        raise ParameterError("--of can't be used with --solve-for, which draws the figure that it is about")
    if wanted is not None:
        _find(asked, wanted, given)
        return
    if of is not None:
        from dicelab.interface.cli.pictures import sweepable
        from dicelab.questions.sweeps.points import points_of

        points = points_of(asked.kind, given.get("strategies", ()), given["over"], asked.parameters)
        of = sweepable([point.game for point in points], of)
    result = answer_to("sweep", asked, settings)
    asked.answer(result, (lambda plots: plots.plot_sweep(result, of)) if result.rows else None)


def _find(asked: Asked, wanted: str, given: dict[str, Any]) -> None:
    """Find the values between which a figure passes a number."""
    from dicelab.questions.sweeps.solve_for import solve_for as run

    for name in ("precision", "on", "best_by"):
        if name in given:
            option, instead = name.replace("_", "-"), "" if name == "best_by" else "; give a number of games"
            raise ParameterError(f"--{option} can't be used with --solve-for{instead}")
    figure, equals, text = wanted.partition("=")
    if not figure or not equals:
        raise ParameterError(f"solve-for: {wanted!r} is not allowed; it is written FIGURE=X, such as 0=50% or turns=20")
    target = share(text, "solve-for")
    with rows_done("values") as progress:
        result = run(asked.kind, figure, target, parameters=asked.parameters, progress=progress, **given)
    asked.answer(result, (lambda plots: plots.plot_sweep(result, figure, target=target)) if result.rows else None)
