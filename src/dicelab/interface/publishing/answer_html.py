"""The answers in a page: their sentences and tables as HTML, and their charts as data for scripts (`charts.js`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from math import isfinite
from typing import Any

from dicelab.errors import ParameterError, TooLarge
from dicelab.limits import LIMITS
from dicelab.questions.convergence import Convergence
from dicelab.questions.cost import exact_cost
from dicelab.questions.exact import exact
from dicelab.questions.optimal_play import best
from dicelab.questions.sweeps.points import SweepPoint, parse_range, points_of
from dicelab.questions.sweeps.sweep import sweep
from dicelab.results.base import BaseResult
from dicelab.results.result import Exact, Simulation
from dicelab.results.text.html import WEB, Web
from dicelab.results.text.writing import outcome_text
from dicelab.rules.game import Game
from dicelab.rules.wording import called
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.solver.enumeration.model import as_size, as_time

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


SWEEP = "sweep:"
"""What the name of a sweep begins with; its range follows."""
KNOWN = ("exact", "best", f"{SWEEP}NAME=A..B")
"""The answers that a page can have."""
GAMES, SEED = 20_000, 1
"""Games of each point of a sweep that isn't solved, and their seed."""


@dataclass(frozen=True)
class AnswerSection:
    """An answer as a section of a page.

    Attributes
    ----------
    id, title
        The name of the section, and its heading.
    sentence
        The answer in words.
    html
        Its text and tables.
    charts
        What the scripts draw: kind, title, name, summary, data.
    note
        A sentence on what the author may not expect; empty without one.
    """

    id: str
    title: str
    sentence: str
    html: str
    charts: list[dict[str, Any]] = field(default_factory=list)
    note: str = ""


def answers(run: Run, wanted: Sequence[str], strategies: Strategies = ()) -> list[AnswerSection]:
    """Return the answers that the author has chosen; `strategies` are those of `run` as they were given, which may vary
    in a sweep.

    Raises
    ------
    InputError
        When there is no such answer, or it can't be computed.
    """
    sections = list[AnswerSection]()
    for name in dict.fromkeys(wanted):
        if name == "exact":
            sections.append(_exact(run))
        elif name == "best":
            sections.append(_best(run))
        elif name.startswith(SWEEP):
            number = sum(one.id.startswith("sweep") for one in sections) + 1
            sections.append(_sweep(run, strategies, name.removeprefix(SWEEP), f"sweep{number if number > 1 else ''}"))
        else:
            raise ParameterError(f"with: {name!r} is not allowed; a page can have {', '.join(KNOWN)}")
    return sections


class PublishedPage(Web):
    """The page of a game: as in the lab, but without the bars and the columns that take room."""

    roomy = False


PAGE = PublishedPage(WEB.width)


def _untimed(result: BaseResult) -> str:
    """Return an answer as HTML without the time that it took, which differs from one page to the next."""
    return re.sub(r"(; |, )?\b0\.0+ s\b", "", replace(result, seconds=0.0).html(PAGE))


def _best(run: Run) -> AnswerSection:
    """Return how the game should be played."""
    result = best(run.game)
    charts = []
    if result.families and result.is_chance:
        rows: list[dict[str, Any]] = []
        for one in result.families:
            text = f"{one.written}: {one.value:.6f}"
            row = {"label": one.written, "share": one.value, "low": one.value, "high": one.value}
            rows.append(row | {"value": f"{one.value * 100:.2f} %", "text": text})
        said = "; ".join(row["text"] for row in rows)
        charts.append(
            chart("shares", "Chance to win of each strategy", run.game, "best", said, {"rows": rows, "equal": 0})
        )
    return AnswerSection("best", "How to play", result.summary, html=_untimed(result), charts=charts)


def _sweep(run: Run, strategies: Strategies, text: str, name: str) -> AnswerSection:
    """Return the answers for a range of values of a parameter."""
    try:
        param, values = parse_range(text)
    except ParameterError as error:
        raise ParameterError(str(error).replace("over:", f"with: {SWEEP}", 1)) from error
    others = {key: value for key, value in run.game.parameters.items() if key != param}
    asked: dict[str, Any] = {"over": {param: values}, "parameters": others}
    why = _too_long(points_of(type(run.game), strategies, asked["over"], others))
    if not why:
        try:
            result = sweep(type(run.game), strategies, exact=True, **asked)
        except TooLarge:
            why = "does not fit into memory"
    if why:
        result = sweep(type(run.game), strategies, games=GAMES, seed=SEED, **asked)
    note = f"The sweep over {text} is simulated, {GAMES:,} games each: an exact answer {why}." if why else ""
    rows = result.to_dict()["rows"]
    places = [row["over"][param] for row in rows]
    charts, word = list[dict[str, Any]](), called(run.game, param)
    if len(rows) > 1 and all(isinstance(place, int) and not isinstance(place, bool) for place in places):
        shares = _series(rows, places, "outcomes", "probability")
        if shares:
            data: dict[str, Any] = {"series": shares, "label": word, "share": True}
            charts.append(chart("lines", f"Outcomes by {word}", run.game, name, result.summary, data))
        for one in _series(rows, places, "tallies", "mean"):
            tally = called(run.game, one["label"])
            data = {"series": [one | {"label": tally}], "label": word, "share": False}
            title = f"Mean of {tally} by {word}"
            charts.append(chart("lines", title, run.game, f"{name}-{one['label']}", title, data))
    title = f"{word.capitalize()}: {text.partition('=')[2]}"
    html = f"<p>{escape(note)}</p>" * bool(note) + _untimed(result)
    return AnswerSection(name, title, result.summary, html=html, charts=charts, note=note)


def _too_long(points: Sequence[SweepPoint]) -> str:
    """Return what an exact answer for all these points would take, if that is too much; empty if it isn't."""
    seconds = 0.0
    for point in points:
        cost = exact_cost(point.game, point.strategies)
        seconds += cost.expected_seconds or 0.0
        if not cost.fits:
            return f"would need about {as_size(cost.memory)} of the {as_size(cost.limit)} that may be used"
        if seconds > LIMITS.sweep_seconds:
            return f"would take about {as_time(seconds)} or more"
    return ""


def _series(rows: Sequence[dict[str, Any]], places: Sequence[int], what: str, figure: str) -> list[dict[str, Any]]:
    """Return a line for each outcome or tally."""
    names = dict.fromkeys(name for row in rows for name in row.get(what, {}))
    series = []
    for name in names:
        some = [(place, row[what][name]) for place, row in zip(places, rows, strict=True) if name in row.get(what, {})]
        points = [[x, one[figure], *([one["low"], one["high"]] if "low" in one else [])] for x, one in some]
        series.append({"label": some[0][1].get("label", name), "points": points})
    return series


def _exact(run: Run) -> AnswerSection:
    """Return the exact answer about outcomes and tallies."""
    result = exact(run.game, run.calls)
    tables = result.tables_html(PAGE, tally=lambda page, row: called(run.game, row[0]))
    charts = list(exact_charts(run.game, result).values())
    return AnswerSection("exact", "Exact answer", result.summary, "".join(tables), charts)
