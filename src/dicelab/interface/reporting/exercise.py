"""`dicelab.exercise`: a page with a question, a seed for each pupil and a check of the counts, and the key."""

from __future__ import annotations

import inspect
import json
import os
import random
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from math import comb
from pathlib import Path

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.play.again import called, differing, parameter_words
from dicelab.interface.reporting.report import STYLE
from dicelab.keywords import keywords
from dicelab.questions.exact import exact
from dicelab.questions.judging.comparison import compared, groups_of, joint_p
from dicelab.questions.judging.goodness import MOST_TABLES
from dicelab.questions.judging.sample import Sample
from dicelab.questions.simulate import simulate, whole
from dicelab.results.draft import replacing
from dicelab.results.numbers.estimates import shown_fraction
from dicelab.results.result import Exact
from dicelab.results.text.writing import many
from dicelab.rules.game import Game, outcome_names, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.runtime.lineup import Run, as_seed
from dicelab.runtime.strategies import Strategies
from dicelab.version import __version__

PUPILS, GAMES, SEED = 30, 1000, 1
"""Number of pupils, games of each, and the seed that the seeds of the pupils are made from, unless others are given."""
MOST_PUPILS, MOST_GAMES, MOST_OUTCOMES = 500, 1_000_000, 12
"""Limits of an exercise."""
SHEET = """
label { display: block; margin: 8px 0; } input.count { width: 8em; font: inherit; } select, button { font: inherit; }
#said { font-weight: 600; min-height: 1.5em; } #said.consistent { color: #00684c; } #said.doubtful { color: #8a5a00; }
#said.inconsistent { color: #a33a00; }
.sheet { display: none; } .blank { display: inline-block; border-bottom: 1px solid #1d2327; min-width: 9em; }
@media print { form, .screen { display: none; } .sheet { display: block; } .next { break-before: page; } }
"""


@dataclass(frozen=True)
class Exercise:
    """An exercise.

    Attributes
    ----------
    game, parameters
        The name of the game, and its parameters as they are shown.
    pupils
        The name, or number, and the seed of each pupil.
    games
        Number of games that each is to play.
    page, key
        The page for the pupils and the key for the teacher, both complete HTML files.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.exercise("hazard", pupils=["Ann", "Ben"], games=200)
    >>> [name for name, _ in found.pupils], found.page[:15]
    (['Ann', 'Ben'], '<!doctype html>')
    """

    game: str
    parameters: dict[str, object]
    pupils: tuple[tuple[str, int], ...]
    games: int
    page: str
    key: str

    def __repr__(self) -> str:
        return f"<Exercise about {self.game}: {many(len(self.pupils), 'pupil')}, {many(self.games, 'game')} each>"

    def save(self, path: str | os.PathLike[str]) -> tuple[str, str]:
        """Write the page, and the key beside it as ``...-key.html``; return both paths.

        Raises
        ------
        DicelabError
            When one can't be written.
        """
        file = Path(path)
        beside = file.with_name(f"{file.stem}-key{file.suffix}")
        for at, text in ((file, self.page), (beside, self.key)):
            with replacing(at, DicelabError, f"{at}: the exercise") as draft:
                draft.write_text(text, encoding="utf-8")
        return str(file), str(beside)


@keywords()
def exercise(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies = (),
    *,
    pupils: int | Sequence[str] = PUPILS,
    games: int = GAMES,
    seed: int = SEED,
    question: str = "",
    memory: int | None = None,
    **parameters: object,
) -> Exercise:
    """Write an exercise for a class: simulate a game, count how it ends, and check the counts.

    The page has the question, a seed for each pupil, fields for the counts, and the verdict of `dicelab.judge` on them,
    computed in the page from the exact probabilities that it contains. Printed, it is an answer sheet and the list of
    seeds. The key has the exact probabilities, and the counts that dicelab itself finds with each seed.

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.simulate`: what is to be simulated.
    pupils
        Their number, or their names.
    games
        Number of games that each is to play.
    seed
        What the seeds of the pupils are made from.
    question
        The question, in place of the usual one.
    memory
        As in `dicelab.exact`.

    Raises
    ------
    InputError
        When something given is unknown or not allowed, or the game has no outcomes.
    TooLarge
        When the exact answer does not fit into memory.
    PlayError

    Examples
    --------
    >>> exercise("lcr", players=3, pupils=20, games=500)
    <Exercise about lcr: 20 pupils, 500 games each>
    """
    run = Run.of(game, strategies, **parameters)
    names, count = _names(pupils), whole("games", games)
    if count > MOST_GAMES:
        raise ParameterError(f"games: {count:,} is not allowed; an exercise has at most {MOST_GAMES:,}")
    outcomes = outcome_names(run.game)
    if not outcomes:
        raise ParameterError(f"{run.game.name} has no outcomes, only tallies, so there is nothing to count")
    if len(outcomes) > MOST_OUTCOMES:
        raise ParameterError(f"{run.game.name} has {len(outcomes)} outcomes; an exercise has at most {MOST_OUTCOMES}")
    truth = exact(run.game, run.calls, memory=memory, tallies=[])
    seeds = random.Random(as_seed(seed)).sample(range(100_000, 1_000_000), len(names))
    made = Made(run, truth, tuple(zip(names, seeds, strict=True)), count, question)
    return Exercise(run.game.name, dict(shown(run.game)), made.pupils, count, made.page(), made.key())


def _names(pupils: int | Sequence[str]) -> list[str]:
    """Return the names of the pupils, or their numbers."""
    if isinstance(pupils, str):
        raise ParameterError(f"pupils: {pupils!r} is not allowed; give their number, or a list of names")
    if isinstance(pupils, Sequence):
        names = [str(name).strip() for name in pupils]
        if not all(names) or len(set(names)) < len(names):
            raise ParameterError("pupils: a name is empty, or two are the same")
    else:
        names = [f"pupil {k}" for k in range(1, whole("pupils", pupils) + 1)]
    if not 1 <= len(names) <= MOST_PUPILS:
        raise ParameterError(f"pupils: {len(names):,} is not allowed; an exercise has 1 to {MOST_PUPILS}")
    return names


@dataclass(frozen=True)
class Made:
    """What an exercise is made of; its methods write the files."""

    run: Run
    truth: Exact
    pupils: tuple[tuple[str, int], ...]
    games: int
    question: str

    @property
    def titles(self) -> list[str]:
        """The outcomes in words."""
        return [f"a win of seat {name}" if self.truth.seats else name for name in self.truth.outcome_names]

    @property
    def words(self) -> list[str]:
        """The game and its settings as words of a command."""
        texts = [text for call in self.run.calls for text in ("--strategy", str(call))]
        plays = texts if self.run.game.declared.strategies and self.run.calls else []
        return [called(type(self.run.game)), *parameter_words("judge", differing(self.run.game)), *plays]

    def page(self) -> str:
        """Return the page for the pupils."""
        exact = self.truth.outcomes.values()
        chances = [chance.probability if chance.probability > chance.error else 0.0 for chance in exact]
        groups = groups_of(self.games, dict(zip(self.truth.outcome_names, chances, strict=True)))
        places = {name: at for at, name in enumerate(self.truth.outcome_names)}
        small = comb(self.games + len(groups) - 1, len(groups) - 1) <= MOST_TABLES
        asked = {
            "games": self.games,
            "chances": chances,
            "groups": [[places[name] for name in group] for group in groups],
            "exact": small,
            "pupils": self.pupils,
        }
        data = json.dumps(asked).replace("<", "\\u003c")
        options = "".join(f"<option>{escape(name)}</option>" for name, _ in self.pupils)
        fields = "".join(
            f'<label>games that ended with {escape(title)}: <input class="count" inputmode="numeric" '
            f'data-name="{escape(title)}" autocomplete="off"></label>'
            for title in self.titles
        )
        form = (
            '<form id="form"><h2>Your results</h2><label>I am <select id="who">'
            f'{options}</select></label><p>Your seed is <strong class="seed"></strong>.</p>{fields}'
            '<button>Check</button><p id="said" role="status"></p><p id="line" class="muted"></p></form>'
        )
        scripts = "".join(resources.files(__package__).joinpath(name).read_text("utf-8") for name in SCRIPTS)
        tail = f'<script id="asked" type="application/json">{data}</script><script>{scripts}</script>'
        return self._document("exercise", f"{self._asked()}{form}{self._sheet()}{self._seeds()}", tail)

    def _asked(self) -> str:
        """Return the question and the rules."""
        game = self.run.game
        about = escape(inspect.cleandoc(type(game).__doc__ or ""))
        given = ", ".join(f"{name} {p.word(game.parameters[name])}" for name, p in game.declared.params.items())
        seats = [f"seat {seat} plays {call}" for seat, call in enumerate(self.run.calls)]
        plays = f"<p>{escape('; '.join(seats))}.</p>" if game.declared.strategies and seats else ""
        usual = f"Write a program that plays {many(self.games, 'game')}. How often does each of the outcomes happen?"
        return (
            f"<h2>The question</h2><p>{escape(self.question or usual)}</p><h2>The game</h2><p>{about}</p>"
            f"<p class='muted'>{escape(given)}</p>{plays}"
            "<p>Start the random numbers of your program with your seed, so that you get the same games again.</p>"
        )

    def _sheet(self) -> str:
        """Return the answer sheet, which is only printed."""
        blank = '<span class="blank"></span>'
        rows = "".join(f"<tr><td>{escape(title)}</td><td>{blank}</td><td>{blank}</td></tr>" for title in self.titles)
        return (
            f'<div class="sheet"><h2>Answer sheet</h2><p>Name {blank} Seed {blank}</p><table><thead><tr>'
            f"<th>outcome</th><th>games of {self.games:,}</th><th>estimated probability</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
            f"<p>What I conclude:</p><p>{blank * 5}</p></div>"
        )

    def _seeds(self) -> str:
        """Return the list of seeds, which is only printed."""
        rows = "".join(f"<tr><td>{escape(name)}</td><td>{seed}</td></tr>" for name, seed in self.pupils)
        head = "<thead><tr><th>pupil</th><th>seed</th></tr></thead>"
        return f'<div class="sheet next"><h2>Seeds</h2><table>{head}<tbody>{rows}</tbody></table></div>'

    def key(self) -> str:
        """Return the key for the teacher."""
        rows = []
        for title, chance in zip(self.titles, self.truth.outcomes.values(), strict=True):
            fraction = shown_fraction(chance.fraction).get("fraction", "")
            expected = f"{self.games * chance.probability:,.1f}"
            cells = (title, f"{chance.probability:.6f}", fraction, expected)
            rows.append("".join(f"<td>{escape(cell)}</td>" for cell in cells))
        head = "<tr><th>outcome</th><th>exact probability</th><th>fraction</th><th>games expected</th></tr>"
        truth = f"<table><thead>{head}</thead><tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"
        command = shlex.join(["dicelab", "judge", *self.words, "--class", "pupils.csv"])
        columns = ",".join(f"seat {name}" if self.truth.seats else name for name in self.truth.outcome_names)
        return self._document(
            "key",
            f"<h2>Exact answer</h2>{truth}<h2>Counts found by dicelab</h2><p>A pupil who uses dicelab finds these; "
            "another program plays other games with the same seed, so other counts are as good if the page calls them "
            f"consistent.</p>{self._found()}<h2>The whole class</h2><p>The page gives each pupil a line for this "
            f"table; collect the lines below these names of columns:</p><pre>name,seed,{escape(columns)}</pre>"
            f"<p>and judge them together:</p><pre>{escape(command)}</pre>",
        )

    def _found(self) -> str:
        """Return a table of the counts that dicelab finds with each seed, and their p-values."""
        rows = []
        for name, seed in self.pupils:
            played = simulate(self.run.game, self.run.calls, games=self.games, seed=seed)
            counts = [one.count for one in played.outcomes.values()]
            p = joint_p(compared(Sample.gathered(self.games, counts, {}), self.truth)[0])
            cells = (name, str(seed), *(f"{count:,}" for count in counts), f"{p:.2g}")
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
        titles = ("pupil", "seed", *self.titles, "p-value")
        head = "".join(f"<th>{escape(title)}</th>" for title in titles)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"

    def _document(self, kind: str, body: str, tail: str = "") -> str:
        """Return a complete HTML file."""
        game = self.run.game
        made = f"dicelab {__version__}; rules {source_hash(type(game))}"
        title = f"{game.name}: {kind}"
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{STYLE}{SHEET}</style></head>\n<body><h1>{escape(title)}</h1><main>{body}</main>"
            f"<footer><p class='muted'>{escape(made)}</p></footer>{tail}</body></html>\n"
        )


SCRIPTS = ("exercise.js", "exercise_page.js")
"""The scripts of the page: the test of the counts, and the form."""
