"""Questions with one answer: the JSON of the command, then the charts; parts of the page of optimal play; two games.

By itself because most questions are asked without live figures.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dicelab.engines.policy import Policy
from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.lab.work.process import GameRequest, Wire, game_of
from dicelab.interface.reporting import card as carding
from dicelab.plots.described import described
from dicelab.plots.tally import plot_seats, plot_tally
from dicelab.questions.declare import DeclaredQuestion, function_at, load_question
from dicelab.questions.exact import exact
from dicelab.questions.heuristics import rule as ruling
from dicelab.questions.policies.grid import grid
from dicelab.questions.policies.solve import solve
from dicelab.questions.simulate import simulate
from dicelab.results.base import Forms
from dicelab.results.result import Result
from dicelab.results.store.runs import RunsCompared, Store
from dicelab.results.text.page import Printing
from dicelab.rules.game import seat_count
from dicelab.rules.loading.registry import find
from dicelab.rules.objectives import wanted
from dicelab.rules.params import whole_number
from dicelab.runtime.timing import expected, share_done, stage


def ask(
    wire: Wire,
    asked: GameRequest,
    memory: int,
    name: str,
    module: str,
    file: str,
    texts: dict[str, Any],
    store: str | None = None,
    drawn: bool = True,
    kept: str | None = None,
) -> None:
    """Send the answer to a question as it was declared, and its chart; `module` and `file` declare it.

    A policy is kept in the file `kept`, unless that exists.
    """
    one = load_question(name, module, file)
    limits = {"memory": memory, "store": store}
    strategies = asked["strategies"] if "strategies" in one.options else []
    one = one.for_seats(seat_count(game_of(asked)), strategies) if one.each else one
    given = one.values(texts) | {name: value for name, value in limits.items() if name in one.options}
    given |= {name: _watching(name, of) for name, of in one.watches.items()}
    how = one.drawing(texts)
    given |= {"strategies": strategies} if strategies else {}
    given |= {one.for_chart: drawn} if one.for_chart else {}
    try:
        result = one.answer(None if one.alone else find(asked["called"]), asked["parameters"], given)
    except DicelabError as error:
        raise type(error)(_without_paths(one, texts, str(error))) from error
    files = one.files.texts(result) if one.files else {}
    if one.only_files:
        wire.send(html=_sentences(result), files=files, charts=[])
        return
    if kept is not None and result.policy is not None and not Path(kept).exists():
        result.policy.save(kept)
    charts = _charts(one, asked, result, drawn, how)
    figures = {name: chart for name, chart in charts.items() if not callable(chart)}
    said = {"html": result.html(), "tables": result.tables_html()}
    said |= {"files": files, "charts": [*charts], "figures": figures}
    wire.send(json=result.to_json(), csv=result.to_csv(), **said)
    for name, chart in charts.items():
        if callable(chart):
            with suppress(DicelabError):  # the answer stands without it
                wire.send(chart=name, drawn=described(chart()))


def _charts(one: DeclaredQuestion, asked: GameRequest, result: Any, drawn: bool, how: dict[str, Any]) -> dict[str, Any]:
    """Return by name the charts of an answer, or the functions that draw them."""
    if one.charts:
        charts: dict[str, Any] = function_at(one.charts)(game_of(asked), result)
        return charts
    if drawn and one.charts is None and one.chart and one.drawn(result):
        return {one.chart: lambda: one.plot(result, **how)}
    return {}


def _sentences(result: Any) -> str:
    """Return the sentences and notes of an answer that is a file, as HTML."""
    lines = "".join(f"<li>{escape(sentence)}</li>\n" for sentence in result.sentences)
    notes = "".join(f'<p class="notice">{escape(note[:1].upper() + note[1:])}</p>\n' for note in result.notes)
    return f"<ul>\n{lines}</ul>\n{notes}"


def _watching(name: str, of: str) -> Callable[..., None]:
    """Return what a question calls meanwhile, as the argument of this name, `of` what it says."""
    if of == "words":
        return lambda words: stage(str(words))
    if of == "result":
        return lambda result: expected(f"Simulated: {result.summary}")
    if of == "games":
        return lambda done, total: share_done(done / total) if total else None
    if of == "states":  # how many are found meanwhile is said in words
        return share_done if name == "share" else lambda found, expanded: None
    return lambda done, total: share_done(done / total) if total else None


def _without_paths(one: DeclaredQuestion, texts: dict[str, Any], message: str) -> str:
    """Return the message of an error, which must not name the files that stand for what was pasted."""
    for name, table in one.tables.items():
        if name in texts and table.is_table(texts[name]):
            message = message.replace(texts[name], f"your {name}" if table.label else "your table")
    return message


def number_of(text: str | None) -> Any:
    """Return a number as it was typed; the text itself if it is none, which is then refused as the command does."""
    number = None if text is None else whole_number(text)
    return text if number is None else number


def number_from(text: str | None) -> Any:
    """Return a number with a point as it was typed; the text itself if it is none."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def answered(wire: Wire, result: Forms) -> None:
    """Send a result as the command prints it with ``--json`` and ``--csv``, and its tables."""
    wire.send(json=result.to_json(), csv=result.to_csv(), tables=result.tables_html())


def policy_map(
    wire: Wire,
    asked: GameRequest,
    memory: int,
    objective: str | None,
    file: str,
    x: str | None,
    y: str | None,
    at: dict[str, str],
) -> None:
    """Send the policy over two fields of the state."""
    wire.send(json=json.dumps(grid(_policy(asked, memory, objective, file), x, y, _numbers(at)).to_dict()))


def card(
    wire: Wire, asked: GameRequest, memory: int, objective: str | None, file: str, at: dict[str, str], suffix: str
) -> None:
    """Send the policy, or its states with some values, as a card: a file with this suffix."""
    made: Any = carding.card(_policy(asked, memory, objective, file), **_numbers(at))
    with TemporaryDirectory() as folder:
        path = Path(folder, f"card.{suffix}")
        made.save(path)
        wire.send(card=b64encode(path.read_bytes()).decode())


def rule(wire: Wire, asked: GameRequest, memory: int, objective: str | None, file: str, leaves: str) -> None:
    """Send the policy as a short rule, with its exact cost."""
    number: Any = whole_number(leaves) or leaves
    answered(wire, ruling.rule(_policy(asked, memory, objective, file), number, memory=memory))


def _numbers(at: dict[str, str]) -> dict[str, int]:
    """Return the values of fields as numbers."""
    given: dict[str, int] = {}
    for name, text in at.items():
        number = whole_number(text)
        if number is None:
            raise ParameterError(f"at.{name}: {text!r} is not a whole number")
        given[name] = number
    return given


def _policy(asked: GameRequest, memory: int, objective: str | None, file: str) -> Policy:
    """Return the policy in the file; solved if there is none yet.

    Raises
    ------
    DicelabError
        When the game has no policy over its states.
    """
    if Path(file).exists():
        return Policy.load(file, game_of(asked))
    policy = solve(game_of(asked), objective=objective, memory=memory).policy
    if policy is not None:
        policy.save(file)
    if policy is None and wanted(objective).kind == "atleast":
        raise DicelabError(f"{objective} has a value and no policy: the best moves depend on a tally")
    if policy is None:
        raise DicelabError("this game is solved turn by turn; there is no policy over its states to show")
    return policy


def beside(
    wire: Wire,
    asked: GameRequest,
    other: GameRequest,
    memory: int,
    games: str | None,
    seed: str | None,
    store: str | None = None,
) -> None:
    """Send what two results have in common, and their charts; exactly if no number of games is given."""
    one, two = (_answer(question, memory, games, seed, store) for question in (asked, other))
    answered(wire, RunsCompared((one, two)))
    if one.outcome_names and one.outcome_names == two.outcome_names:
        with suppress(DicelabError):
            wire.send(chart="outcomes", drawn=described(plot_seats(one, two)))
    for name in one.tally_names:
        if name in two.tally_names:
            with suppress(DicelabError):
                wire.send(chart=name, drawn=described(plot_tally(one, two, tally=name)))


def _answer(asked: GameRequest, memory: int, games: str | None, seed: str | None, store: str | None) -> Result:
    game: Any = game_of(asked)
    if games is None:
        return exact(game, asked["strategies"], memory=memory, store=store)
    return simulate(game, asked["strategies"], games=number_of(games), seed=number_of(seed), store=store)


# The runs of the lab's store: listed, shown, compared, deleted, as the command ``runs`` does --------------------------


WIDTH = 110
"""Columns of the text of a result."""


def runs(wire: Wire, store: str, results: bool) -> None:
    """Send the list of all runs, for the JSON of the command with their `results`."""
    opened = Store(store).list(results)
    wire.send(json=opened.to_json(), rows=[vars(run) | {"result": None} for run in opened.rows])


def show(wire: Wire, store: str, run: int) -> None:
    """Send the result of a run: its text and its JSON."""
    opened = Store(store)
    rows = [vars(one) for one in opened.list().rows if one.id == run]
    result = opened.show(run)
    wire.send(json=result.to_json(), text=result.text(Printing(WIDTH)), row=rows[0])


def compare(wire: Wire, store: str, one: int, other: int) -> None:
    """Send two results side by side."""
    opened = Store(store)
    answered(wire, RunsCompared((opened.show(one), opened.show(other))))


def delete(wire: Wire, store: str, run: int) -> None:
    """Delete a run."""
    Store(store).delete(run)
    wire.send(deleted=run)
