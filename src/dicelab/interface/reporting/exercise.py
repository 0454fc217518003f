"""The files of an exercise: the page for the pupils, and the key for the teacher."""

from __future__ import annotations

import inspect
import json
import shlex
from html import escape
from importlib import resources
from math import comb

from dicelab.interface.play.again import called, differing, parameter_words
from dicelab.interface.reporting.report import STYLE
from dicelab.questions.exercise import Exercise
from dicelab.questions.judging.comparison import groups_of
from dicelab.questions.judging.goodness import MOST_TABLES
from dicelab.results.text.html import Printed, in_html
from dicelab.results.text.table import Column, Table, plain
from dicelab.results.text.writing import many
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.wording import rulebook_of
from dicelab.rules.words import player_name
from dicelab.version import __version__

SHEET = """
label { display: block; margin: 8px 0; } input.count { width: 8em; font: inherit; } select, button { font: inherit; }
#said { font-weight: 600; min-height: 1.5em; } #said.consistent { color: #00684c; } #said.doubtful { color: #8a5a00; }
#said.inconsistent { color: #a33a00; }
.sheet { display: none; } .blank { display: inline-block; border-bottom: 1px solid #1d2327; min-width: 9em; }
.line { border-bottom: 1px solid #1d2327; height: 2em; margin: 0; max-width: none; }
.next { columns: 3; } .next h2 { column-span: all; }
@media print { form, .screen { display: none; } .sheet { display: block; } .next { break-before: page; } }
"""
PAGE = Printed()


def page(exercise: Exercise) -> str:
    """Return the page for the pupils."""
    exact = exercise.exact.values()
    chances = [chance.probability if chance.probability > chance.error else 0.0 for chance in exact]
    groups = groups_of(exercise.games, dict(zip(exercise.exact, chances, strict=True)))
    places = {name: at for at, name in enumerate(exercise.exact)}
    small = comb(exercise.games + len(groups) - 1, len(groups) - 1) <= MOST_TABLES
    asked = {
        "games": exercise.games,
        "chances": chances,
        "groups": [[places[name] for name in group] for group in groups],
        "exact": small,
        "pupils": [(row.name, row.seed) for row in exercise.rows],
    }
    data = json.dumps(asked).replace("<", "\\u003c")
    options = "".join(f"<option>{escape(row.name)}</option>" for row in exercise.rows)
    when = "in which" if exercise.seats else "that ended with"
    fields = "".join(
        f'<label>games {when} {escape(title)}: <input class="count" inputmode="numeric" '
        f'data-name="{escape(title)}" autocomplete="off"></label>'
        for title in exercise.titles
    )
    form = (
        '<form id="form"><h2>Your results</h2><label>I am <select id="who">'
        f'{options}</select></label><p>Your seed is <strong class="seed"></strong>.</p>{fields}'
        '<button>Check</button><p id="said" role="status"></p><p id="line" class="muted"></p></form>'
    )
    scripts = "".join(resources.files(__package__).joinpath(name).read_text("utf-8") for name in SCRIPTS)
    tail = f'<script id="asked" type="application/json">{data}</script><script>{scripts}</script>'
    return _document(exercise, "exercise", f"{_asked(exercise)}{form}{_sheet(exercise)}{_seeds(exercise)}", tail)


def _asked(exercise: Exercise) -> str:
    """Return the question and the rules."""
    game = exercise.run.game
    said = [f"<p><strong>{escape(title)}.</strong> {escape(text)}</p>" for title, text in rulebook_of(game).items()]
    about = "".join(said) or f"<p>{escape(inspect.cleandoc(type(game).__doc__ or ''))}</p>"
    given = ", ".join(f"{name} {p.word(game.parameters[name])}" for name, p in game.declared.params.items())
    seats = [f"{player_name(seat, exercise.players)} plays {call}" for seat, call in enumerate(exercise.run.calls)]
    plays = f"<p>{escape('; '.join(seats))}.</p>" if game.declared.strategies and seats else ""
    usual = f"Write a program that plays {many(exercise.games, 'game')}. How often does each of the outcomes happen?"
    return (
        f"<h2>The question</h2><p>{escape(exercise.asked or usual)}</p><h2>The game</h2>{about}"
        f"<p class='muted'>{escape(given)}</p>{plays}"
        "<p>Start the random numbers of your program with your seed, so that you get the same games again.</p>"
    )


def _sheet(exercise: Exercise) -> str:
    """Return the answer sheet, which is only printed."""
    blank, ruled = '<span class="blank"></span>', '<p class="line"></p>'
    rows = "".join(f"<tr><td>{escape(title)}</td><td>{blank}</td><td>{blank}</td></tr>" for title in exercise.titles)
    return (
        f'<div class="sheet"><h2>Answer sheet</h2><p>Name {blank} Seed {blank}</p><table><thead><tr>'
        f"<th>outcome</th><th>games of {exercise.games:,}</th><th>estimated probability</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
        f"<p>What I conclude:</p>{ruled * 4}</div>"
    )


def _seeds(exercise: Exercise) -> str:
    """Return the list of seeds, which is only printed."""
    table = Table([Column("name", plain, "pupil"), Column("seed", plain)], exercise.rows, keys=2)
    return f'<div class="sheet next"><h2>Seeds</h2>{in_html(table.lines, PAGE)}</div>'


def key(exercise: Exercise) -> str:
    """Return the key for the teacher."""
    plays = [text for call in exercise.run.calls for text in ("--strategy", str(call))]
    plays = plays if exercise.run.game.declared.strategies else []
    words = [called(type(exercise.run.game)), *parameter_words("judge", differing(exercise.run.game)), *plays]
    command = shlex.join(["dicelab", "judge", *words, "--class", "pupils.csv"])
    columns = ",".join(player_name(int(name), exercise.players) if exercise.seats else name for name in exercise.exact)
    return _document(
        exercise,
        "key",
        f"<h2>Exact answer</h2>{in_html(exercise.truth_lines, PAGE)}<h2>Counts found by dicelab</h2>"
        "<p>A pupil who uses dicelab finds these; "
        "another program plays other games with the same seed, so other counts are as good if the page calls them "
        f"consistent.</p>{in_html(exercise.count_lines, PAGE)}<h2>The whole class</h2>"
        "<p>The page gives each pupil a line for this "
        f"table; collect the lines below these names of columns:</p><pre tabindex='0'>name,seed,{escape(columns)}</pre>"
        f"<p>and judge them together:</p><pre tabindex='0'>{escape(command)}</pre>",
    )


def _document(exercise: Exercise, kind: str, body: str, tail: str = "") -> str:
    """Return a complete HTML file."""
    game = exercise.run.game
    made = f"dicelab {__version__}; rules {source_hash(type(game))}"
    title = f"{game.name}: {kind}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}{SHEET}</style></head>\n<body><header><h1>{escape(title)}</h1></header><main>{body}</main>"
        f"<footer><p class='muted'>{escape(made)}</p></footer>{tail}</body></html>\n"
    )


SCRIPTS = ("exercise.js", "exercise_page.js")
"""The scripts of the page: the test of the counts, and the form."""
