"""Questions with one answer: the JSON of the command, then the charts."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from dicelab.errors import DicelabError
from dicelab.interface.lab.work.named import Asked, game_of
from dicelab.interface.lab.work.process import Wire
from dicelab.plots.described import described
from dicelab.questions.declare import Declared, function_at, load_question
from dicelab.results.base import Forms
from dicelab.rules.loading.registry import find
from dicelab.rules.params import whole_number
from dicelab.runtime.stages import share_done, stage


def ask(
    wire: Wire,
    asked: Asked,
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
    given = one.values(texts) | {name: value for name, value in limits.items() if name in one.options}
    given |= {name: _watching(name, of) for name, of in one.watches.items()}
    how = one.drawing(texts)
    given |= {"strategies": asked["strategies"]} if "strategies" in one.options and asked["strategies"] else {}
    try:
        result = one.answer(None if one.alone else find(asked["called"]), asked["parameters"], given)
    except DicelabError as error:
        raise type(error)(_without_paths(one, texts, str(error))) from error
    files = one.files.texts(result) if one.files else {}
    if one.only_files:
        lines = "".join(f"<li>{escape(sentence)}</li>\n" for sentence in result.sentences)
        notes = "".join(f'<p class="notice">{escape(note[:1].upper() + note[1:])}</p>\n' for note in result.notes)
        wire.send(html=f"<ul>\n{lines}</ul>\n{notes}", files=files, charts=[])
        return
    if kept is not None and result.policy is not None and not Path(kept).exists():
        result.policy.save(kept)
    charts: dict[str, Any] = {}
    if one.charts:
        charts = function_at(one.charts)(game_of(asked), result)
    elif drawn and one.charts is None and one.chart and one.drawn(result):
        charts = {one.chart: lambda: one.plot(result, **how)}
    figures = {name: chart for name, chart in charts.items() if not callable(chart)}
    said = {"html": result.html(), "files": files, "charts": [*charts], "figures": figures}
    wire.send(json=result.to_json(), csv=result.to_csv(), **said)
    for name, chart in charts.items():
        if callable(chart):
            wire.send(chart=name, drawn=described(chart()))


def _watching(name: str, of: str) -> Callable[..., None]:
    """Return what a question calls meanwhile, as the argument of this name, `of` what it says."""
    if of == "words":
        return stage
    if of == "states":  # how many are found meanwhile is said in words
        return share_done if name == "share" else lambda found, expanded: None
    return lambda done, total: share_done(done / total) if total else None


def _without_paths(one: Declared, texts: dict[str, Any], message: str) -> str:
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
    """Send a result as the command prints it with ``--json``, and with ``--csv``."""
    wire.send(json=result.to_json(), csv=result.to_csv())
