"""Charts as data, which the scripts of pages and of the lab draw (`static/charts.js`)."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from dicelab.questions.convergence import Convergence
from dicelab.results.result import Exact, Simulation
from dicelab.results.text.writing import outcome_text
from dicelab.rules.game import Game
from dicelab.rules.wording import called

FEW = 5e-4
"""A chart of a distribution ends where less than this is left."""
Figure = dict[str, Any]
"""What is drawn: kind, title, name of the file that it is saved as, summary, data."""


def chart(kind: str, title: str, game: Game, name: str, summary: str, data: dict[str, Any]) -> Figure:
    """Return a chart as data."""
    return {"kind": kind, "title": title, "name": f"{game.name}-{name}", "summary": summary, "data": data}


def exact_charts(game: Game, result: Exact) -> dict[str, Figure]:
    """Return the charts of an exact answer: that of the ``outcomes``, and those of tallies by their names."""
    charts = dict[str, Figure]()
    rows, data = list[dict[str, Any]](), dict[str, Any]()
    for name, one in result.outcomes.items():
        label, p = outcome_text(name, result.seats, result.players), one.probability
        shown = {"value": f"{p * 100:.2f} %", "text": f"{label}: {p:.6f}"}
        rows.append({"label": label, "share": p, "low": p, "high": p, **shown})
    if rows:
        data = {"rows": rows, "equal": 1 / len(rows) if result.seats else 0}
        said = "; ".join(row["text"] for row in rows)
        charts["outcomes"] = chart("shares", "Outcomes, exactly", game, "exact", said, data)
    for name, tally in result.tallies.items():
        points = _points(tally.probabilities) if tally.spread is not None else []
        if len(points) > 1:
            word = called(game, name)
            said, data = f"{word}: mean {tally.mean:.4g}", {"points": points, "label": word}
            charts[name] = chart("histogram", f"Distribution of {word}, exactly", game, name, said, data)
    return charts


def _points(shares: Mapping[int, float]) -> list[list[float]]:
    """Return the values of a distribution with their shares, up to where hardly anything is left."""
    points, left = list[list[float]](), 1.0
    for value in sorted(shares):
        points.append([value, shares[value]])
        left -= shares[value]
        if left < FEW:
            break
    return points


def outcomes_chart(game: Game, result: Simulation, truth: Exact | None) -> Figure:
    """Return the chart of simulated outcomes, with the exact ones if they are known."""
    rows: list[dict[str, Any]] = []
    for name, one in result.outcomes.items():
        label, (low, high) = outcome_text(name, result.seats, result.players), one.interval
        exact = {} if truth is None else {"exact": float(truth.outcomes[name].probability)}
        text = f"{label}: {100 * low:.2f} % to {100 * high:.2f} %, {one.count:,} of {result.games:,} games"
        text += f", exactly {100 * exact['exact']:.2f} %" if exact else ""
        value = f"{100 * one.probability:.2f} % ±{50 * (high - low):.2f}"
        rows.append({"label": label, "share": one.probability, "low": low, "high": high, "value": value, "text": text})
        rows[-1] |= exact
    data = {"rows": rows, "equal": 1 / len(rows) if result.seats else 0}
    return chart("shares", "Outcomes", game, "outcomes", "; ".join(row["text"] for row in rows), data)


def tally_chart(game: Game, result: Simulation, name: str, truth: Exact | None) -> Figure:
    """Return the chart of the simulated distribution of a tally, with the exact one if it is known."""
    tally, word = result.tallies[name], called(game, name)
    points = _points({value: count / result.games for value, count in tally.histogram.items()})
    exact = truth.tallies[name] if truth is not None else None
    known = [[v, float(p)] for v, p in exact.probabilities.items()] if exact and exact.spread is not None else []
    data = {"points": points, "label": word, "exact": known}
    return chart("histogram", f"Distribution of {word}", game, name, f"{word}: mean {tally.mean:.4g}", data)


def convergence_chart(game: Game, curve: Convergence, truth: Exact | None) -> Figure:
    """Return the chart of an estimate while games are played, with the exact value if it is known."""
    share = curve.kind == "outcome"
    label = outcome_text(curve.of, curve.seats, curve.players) if share else f"mean {called(game, curve.of)}"
    looks = zip(curve.games, curve.estimates, curve.lows, curve.highs, strict=True)
    points = [[n, estimate, *([low, high] if isfinite(high - low) else [])] for n, estimate, low, high in looks]
    line: dict[str, Any] = {"label": label, "points": points}
    if truth is not None:
        exact = truth.outcomes[curve.of].probability if share else truth.tallies[curve.of].mean
        line["level"] = float(exact)
    data = {"series": [line], "label": "games", "share": share, "log": True}
    said = f"{label}: {curve.estimates[-1]:.4g} after {curve.games[-1]:,} games"
    return chart("lines", "The estimate while games are played", game, "convergence", said, data)
