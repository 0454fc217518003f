"""Writes the page of a game: one HTML file with its scripts, its kernels and its data.

By itself because it only puts finished parts into a file, and is imported when they are there.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dicelab.interface.publishing.answer_html import AnswerSection
from dicelab.interface.publishing.optimal import Optimal
from dicelab.results.base import rule_tables
from dicelab.rules.game import Game
from dicelab.version import __version__

STATIC = Path(__file__).with_name("static")
SCRIPTS = (
    "numbers",
    "dom",
    "charts",
    "engine",
    "setup",
    "board",
    "simulate",
    "answers",
    "optimal",
    "learned",
    "review",
    "secrets",
    "mixed",
    "estimates",
    "play",
    "main",
)
"""The modules of the page, in an order in which each comes after those that it imports."""
WORKER = ("engine", "worker")
MARK = '<meta name="generator" content="dicelab publish">'
"""By this the start page of a folder knows the pages of games."""


def bundle(names: Sequence[str]) -> str:
    """Return modules as one script: without imports and exports, one after the other."""
    return "\n".join(
        re.sub(r"^(import .*;\n|export \{.*\};\n)|^export ", "", _static(f"{n}.js"), flags=re.M) for n in names
    )


@cache
def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def page(
    game: Game,
    data: dict[str, Any],
    answers: Sequence[AnswerSection],
    notes: Sequence[str],
    command: str,
    best: Optimal | None = None,
) -> str:
    """Return the page of a game.

    Parameters
    ----------
    game
        The game with its parameters.
    data
        What the scripts know of it, as `dicelab.interface.publishing.game_data` makes it.
    answers
        The answers that the author has chosen.
    notes
        Sentences on what the page can't do.
    command
        The command that writes the page.
    best
        Optimal play.
    """
    kernels = {k: {**v, "code": base64.b64encode(v["code"]).decode()} for k, v in data["kernels"].items()}
    charts = [{"id": answer.id, "charts": answer.charts} for answer in answers]
    whole = {**data, "kernels": kernels, "answers": charts, "optimal": best.about if best else None}
    blocks = {"game": json.dumps(whole, separators=(",", ":")).encode(), "worker": bundle(WORKER).encode()}
    blocks |= {"optimal": best.content} if best else {}
    packed = "".join(
        f'<script type="application/octet-stream" id="{name}">{_packed(content)}</script>\n'
        for name, content in blocks.items()
    )
    parts = [_part("play", "Play"), _part("simulate", "Simulate")] if data["kernels"] else []
    sections = [_answer(answer) for answer in answers]
    links = [("play", "Play"), ("simulate", "Simulate"), *((a.id, a.title) for a in answers), ("rules", "Rules")]
    nav = "".join(f'<a href="#{name}">{escape(title)}</a>' for name, title in links)
    said = "".join(f"<p>{escape(note)}</p>" for note in notes)
    body = (
        f'<a class="skip" href="#main">Skip to the content</a>\n<header><h1>{escape(game.name)}</h1>'
        f'<p class="lead">{escape(data["about"])}</p>'
        f'<nav aria-label="Parts">{nav}<span class="tools"></span></nav></header>\n'
        '<main id="main"><p id="failed" class="notice bad" role="alert" hidden></p>'
        '<noscript><p class="notice">Without scripts this page shows the rules and the answers; with them, the game '
        "can be played and simulated.</p></noscript>\n"
        f"{''.join(parts)}{''.join(sections)}{_rules(game, data, said)}</main>\n"
        f'<footer><p class="help">dicelab {escape(__version__)}, rules {escape(data["hash"])}, written by '
        f"<code>{escape(command)}</code></p></footer>\n"
    )
    return document(f"{game.name}: {data['about']}", body, bundle(SCRIPTS), packed)


def document(title: str, body: str, script: str = "", data: str = "") -> str:
    """Return an HTML file whose policy allows its own script and style, and nothing from elsewhere."""
    style = _static("page.css")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}' 'wasm-unsafe-eval'; style-src '{_hash(style)}'; "
        "worker-src blob:; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    code = f'<script type="module">{script}</script>\n' if script else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">'
        f'{MARK}<link rel="icon" href="data:,"><title>{escape(title)}</title>\n<style>{style}</style></head>\n'
        f"<body>\n{body}{data}{code}</body></html>\n"
    )


def start_page(folder: Path) -> str:
    """Return a page that lists the pages of games in a folder."""
    items = []
    for file in sorted(folder.glob("*.html")):
        text = file.read_text(encoding="utf-8", errors="replace") if file.name != "index.html" else ""
        title = re.search(r"<title>(.*?)</title>", text)
        if MARK in text and title:
            name, _, about = title[1].partition(": ")
            items.append(f'<li><h2><a href="{quote(file.name)}">{name}</a></h2><p>{about}</p></li>')
    body = (
        '<header><h1>Dice games</h1><p class="lead">To be played and simulated in the browser.</p></header>'
        f'<main><ul class="shelf">{"".join(items)}</ul></main>'
        f'<footer><p class="help">dicelab {escape(__version__)}</p></footer>'
    )
    return document("Dice games", body).replace(MARK, "")


def _hash(text: str) -> str:
    """Return the hash of an inline script or style for the policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _packed(content: bytes) -> str:
    """Return data compressed, in base64: nothing in it can end the element that holds it."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def _part(name: str, title: str) -> str:
    """Return a section that scripts fill."""
    head = f'<section id="{name}" aria-labelledby="{name}-title" hidden><h2 id="{name}-title">{title}</h2>'
    return f'{head}<div class="body"></div></section>\n'


def _answer(answer: AnswerSection) -> str:
    """Return the section of an answer; scripts add its charts."""
    return (
        f'<section id="{answer.id}" aria-labelledby="{answer.id}-title">'
        f'<h2 id="{answer.id}-title">{escape(answer.title)}</h2>'
        f'<p class="answer">{escape(answer.sentence)}</p>{answer.html}<div class="charts"></div></section>\n'
    )


def _rules(game: Game, data: dict[str, Any], notes: str) -> str:
    """Return the section with the rules for people, the parameters and the strategies."""
    rulebook = data["rulebook"]
    paragraphs = "".join(f"<h3>{escape(title)}</h3><p>{escape(text)}</p>" for title, text in rulebook.items())
    about = "" if rulebook else "".join(f"<p>{escape(text)}</p>" for text in data["doc"])
    tables = "".join(table.web() for table in rule_tables(game))
    source = f'<p class="help">Source: {escape(data["source"])}</p>' if data["source"] else ""
    return (
        '<section id="rules" aria-labelledby="rules-title"><h2 id="rules-title">Rules</h2>'
        f"{paragraphs}{about}{tables}{notes}{source}</section>\n"
    )
