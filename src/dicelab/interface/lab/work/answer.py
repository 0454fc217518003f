"""Questions with one answer: the JSON of the command, then the charts."""

from __future__ import annotations

from html import escape
from typing import Any

from dicelab.errors import DicelabError
from dicelab.interface.lab.work.named import Asked, game_of
from dicelab.interface.lab.work.process import Wire
from dicelab.interface.publishing.figures import exact_charts
from dicelab.plots.described import described
from dicelab.questions.declare import Declared, load_question
from dicelab.questions.exact import exact as solve
from dicelab.questions.simulate import simulate as play
from dicelab.results.base import Forms
from dicelab.rules.loading.registry import find
from dicelab.rules.params import whole_number
from dicelab.runtime.stages import stage


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
) -> None:
    """Send the answer to a question as it was declared, and its chart; `module` and `file` declare it."""
    one = load_question(name, module, file)
    limits = {"memory": memory, "store": store}
    given = one.values(texts) | {name: value for name, value in limits.items() if name in one.options}
    given |= {name: stage for name, of in one.watches.items() if of == "words"}
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
    drawn = drawn and bool(one.chart) and one.drawn(result)
    said = {"html": result.html(), "files": files, "charts": [one.chart] if drawn else []}
    wire.send(json=result.to_json(), csv=result.to_csv(), **said)
    if drawn:
        wire.send(chart=one.chart, drawn=described(one.plot(result, **how)))


def _without_paths(one: Declared, texts: dict[str, Any], message: str) -> str:
    """Return the message of an error, which must not name the files that stand for what was pasted."""
    for name, table in one.tables.items():
        if name in texts and table.is_table(texts[name]):
            message = message.replace(texts[name], f"your {name}" if table.label else "your table")
    return message


def exact(wire: Wire, asked: Asked, memory: int, charts: bool, store: str | None = None) -> None:
    """Send the exact answer; if wanted, the data of its charts first."""
    game = game_of(asked)
    result = solve(game, asked["strategies"], memory=memory, store=store)
    if charts:
        wire.send(figures=exact_charts(game, result))
    answered(wire, result)


def simulate(
    wire: Wire,
    asked: Asked,
    games: str | None,
    seed: str | None,
    precision: str | None = None,
    on: str | None = None,
    store: str | None = None,
) -> None:
    """Play a whole simulation, as the command does, and send the result."""
    settings: dict[str, Any] = {"games": number_of(games), "seed": number_of(seed), "store": store}
    settings |= {"precision": number_from(precision), "on": on}
    answered(wire, play(game_of(asked), asked["strategies"], **settings))


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
