"""`dicelab.publish`: a game as one HTML file that works without a server, a network or Python."""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.play.again import called, differing, parameter_words
from dicelab.questions.declare import Files, question
from dicelab.questions.options import GameLike, Option
from dicelab.questions.sweeps.points import RangesOption, Swept
from dicelab.rules.game import Game, shown
from dicelab.rules.params import Param
from dicelab.rules.private import private_fields
from dicelab.rules.wording import rulebook_of
from dicelab.runtime.leftovers import replacing
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies, as_list
from dicelab.runtime.timing import expected
from dicelab.translation.translator import NotTranslatable

if TYPE_CHECKING:
    from dicelab.interface.publishing.optimal import Optimal


@dataclass(frozen=True)
class Page:
    """A game as a page.

    Attributes
    ----------
    game, parameters
        The name of the game, and its parameters as they are shown.
    html
        The file.
    notes
        Sentences on what the page can't do, and on answers that are simulated.

    Examples
    --------
    >>> publish("hazard", vary={"main": [5, 7]}).notes
    ()
    """

    game: str
    parameters: dict[str, object]
    html: str
    notes: tuple[str, ...]

    refused, interrupted = "", False

    @property
    def size(self) -> str:
        """How large the file is."""
        return f"{len(self.html.encode()) / 1000:,.0f} kB"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the page is."""
        return (f"{self.game} in one file of {self.size}, to be played and simulated without a server or a network.",)

    def __repr__(self) -> str:
        return f"<Page of {self.game}: {len(self.html) // 1000:,} kB>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file; an existing one is replaced once the new one is complete.

        Raises
        ------
        DicelabError
            When it can't be written.
        """
        with replacing(path, DicelabError, f"{os.fspath(path)}: the page") as draft:
            draft.write_text(self.html, encoding="utf-8", newline="\n")


@dataclass(frozen=True)
class PageFiles(Files):
    """A page, or a folder of pages with a start page that lists them."""

    def named(self, path: str | os.PathLike[str]) -> dict[str, Path]:
        """Return the path of the file; of a folder, that of its start page.

        Raises
        ------
        ParameterError
            When the name is neither that of an HTML file nor that of a folder.
        """
        file = Path(path)
        if file.suffix and not file.is_dir() and file.suffix.lower() not in (".html", ".htm"):
            raise ParameterError(
                f"{path}: {self.called} is written as .html; end the file's name with it, or name a folder"
            )
        if file.is_file() and not file.suffix:
            raise ParameterError(f"{path} is a file; name a folder, or a page, which is written as .html")
        return {"": file} if file.suffix.lower() in (".html", ".htm") else {}

    def save(self, result: Page, path: str | os.PathLike[str]) -> list[str]:
        """Write the page, in a folder under the name of its game; return what to say."""
        if self.named(path):
            result.save(path)
        return [f"{path if self.named(path) else add_to_folder(result, path)} ({result.size})"]


class Varied(RangesOption):
    """Parameters with their values, typed ``NAME=A..B``, several times; on a page with spaces in between."""

    def read(self, name: str, text: str | Sequence[str]) -> dict[str, Sequence[Any]]:  # noqa: D102 (as in Option)
        return super().read(name, text.split() if isinstance(text, str) else text)

    def typed(self, text: str | Sequence[str]) -> list[str]:  # noqa: D102
        return text.split() if isinstance(text, str) else list(text)


class PublishedParts(Option):
    """Answers in a page, with commas between them; the values of a sweep may have commas, too."""

    def read(self, name: str, text: str) -> list[str]:  # noqa: D102
        missing = list[str]()
        for part in (part.strip() for part in text.split(",") if part.strip()):
            if missing and missing[-1].startswith("sweep:") and ":" not in part and part not in ("exact", "best"):
                missing[-1] += f",{part}"
            else:
                missing.append(part)
        return missing


@question(
    tab="Publish",
    working="Compiling the rules, and solving the game if it is small.",
    files=PageFiles(
        "a page",
        ("--out", "-o"),
        "The file to write, game.html; or a folder of pages.",
        {"": "dicelab.interface.publishing.publish:html_of"},
        only=True,
        metavar="PATH",
    ),
)
def publish(
    game: GameLike,
    strategies: Strategies = (),
    *,
    vary: Annotated[
        Mapping[str, Sequence[Any]] | None,
        Varied(
            "A parameter that visitors may change, such as players=2..6 or last_turn=no,yes (repeatable) [default: "
            "those with few values]",
            "NAME=A..B",
            label="visitors change",
            example="players=2..6",
        ),
    ] = None,
    policy: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "Optimal play as an opponent, coach and reviewer: a policy that solve --out has saved, solve, or none; or "
            "a learned player: values of learn --method values [default: solve if the game is small]",
            "FILE|solve|none",
        ),
    ] = None,
    include: Annotated[
        Sequence[str],
        PublishedParts(
            "Answers to show in the page: exact, best, sweep:NAME=A..B",
            "A,B",
            ("--with",),
            label="answers in it",
            example="exact,best",
        ),
    ] = (),
    command: str = "",
    **parameters: object,
) -> Page:
    """Write a game into one HTML file in which everybody can play and simulate it.

    The page needs no server, no network and no Python: it works by double-click, and on any web host. It contains the
    rules, compiled to WebAssembly, and gives exactly the counts of dicelab simulate. Games played in it can be saved,
    for dicelab play --replay and dicelab review.

    With a folder the page is written there under the game's name, beside a start page that lists all pages in it.

    Commands
    --------
    dicelab publish tossup -o tossup.html
    dicelab publish lcr --vary players=3..6 --with exact,sweep:players=2..5 -o lcr.html
    dicelab publish ./pig.py -o pages
    dicelab publish yahtzee --policy best.npz -o yahtzee.html

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.simulate`; the page begins with them.
    vary
        The parameters that a visitor may change, with their values; without it those that have few values.
    policy
        Optimal play for the page, with these parameters: a file that `dicelab solve --out` has saved, ``solve``, or
        ``none``; without it, the game is solved if it is small. A file of `dicelab learn --method values` is a learned
        player in its place.
    include
        Answers to show: ``exact``, the exact outcomes and tallies with the given parameters and strategies; ``best``,
        how the game should be played; ``sweep:players=2..6``, the answers for each of these values.
    command
        The command line that the page names as its origin; made from the other arguments when it is empty.

    Raises
    ------
    DicelabError
        When the rules can't be compiled, or the policy that was asked for can't be in a page.

    Examples
    --------
    >>> page = publish("hazard", vary={"main": [5, 7]})
    >>> page.game, page.html[:15]
    ('hazard', '<!doctype html>')
    """
    from dicelab.interface.publishing.answer_html import answers
    from dicelab.interface.publishing.game_data import cannot_finish, cannot_play, game_data, varied_by_default
    from dicelab.interface.publishing.page import page

    run = Run.of(game, strategies, **parameters)
    if policy is None and run.game.declared.decisions and not (cannot_play(run.game) or private_fields(run.game)):
        expected(f"{run.game.name} is solved if it is small; --policy none leaves that out")
    varied = varied_by_default(run.game) if vary is None else _parameters(run.game, vary)
    try:
        data, unfinished = game_data(run, varied), cannot_finish(run)
    except NotTranslatable as error:
        raise DicelabError(f"{run.game.name} can't be published: {error}") from error
    best, missing = _optimal(run.game, policy)
    shown_answers = answers(run, include, strategies)
    doc = [" ".join(p.split()) for p in inspect.cleandoc(type(run.game).__doc__ or "").split("\n\n")[1:]]
    data |= {"rulebook": rulebook_of(run.game), "doc": doc}
    notes = [*unfinished, *_notes(run.game), *([missing] if missing else [])]
    html = page(run.game, data, shown_answers, notes, command or _command(run, strategies, vary, policy, include), best)
    said = [*notes, *(answer.note for answer in shown_answers if answer.note)]
    return Page(run.game.name, dict(shown(run.game)), html, tuple(said))


def html_of(page: Page) -> str:
    """Return the file of a page."""
    return page.html


def _command(
    run: Run,
    strategies: Strategies,
    vary: Mapping[str, Sequence[Any]] | None,
    policy: str | os.PathLike[str] | None,
    include: Sequence[str],
) -> str:
    """Return the command that writes a page."""
    words = ["dicelab", "publish", called(type(run.game)), *parameter_words("publish", differing(run.game))]
    words += [word for text in as_list(strategies) for word in ("-s", str(text))]
    words += ["--with", ",".join(include)] if include else []
    for name, values in (vary or {}).items():
        words += ["--vary", f"{name}={_typed(run.game.declared.params.get(name), values)}"]
    words += ["--policy", os.fspath(policy)] if policy else []
    return shlex.join(words)


def _typed(param: Param | None, values: Sequence[Any]) -> str:
    """Return the values of a parameter as they are typed."""
    if isinstance(values, range) and values.step == 1 and len(values) > 1:
        return f"{values[0]}..{values[-1]}"
    return ",".join(str(value) if param is None or isinstance(value, str) else param.word(value) for value in values)


def _parameters(game: Game, vary: Mapping[str, Sequence[Any]]) -> list[Swept]:
    """Return the parameters that vary; the page begins with the game's own values, so these are among them."""
    inputs = []
    for name, values in vary.items():
        one = Swept.of(type(game), name, values)
        if one.strategy:
            raise ParameterError(f"vary: {name} is an argument of a strategy, which visitors can always change")
        own = game.parameters[one.name]
        inputs.append(one if own in one.values else replace(one, values=tuple(sorted({*one.values, own}))))
    return inputs


def _optimal(game: Game, policy: str | os.PathLike[str] | None) -> tuple[Optimal | None, str]:
    """Return optimal play for a page, and why there is none."""
    from dicelab.interface.publishing.game_data import cannot_play
    from dicelab.interface.publishing.optimal import NONE, mixed, optimal

    reason = cannot_play(game)
    if reason and policy not in (None, NONE):
        raise ParameterError(f"policy: {game.name} can't be played in a page, because {reason}; leave it out")
    if reason:
        return None, ""
    return mixed(game, policy) if private_fields(game) else optimal(game, policy)


def _notes(game: Game) -> list[str]:
    """Return sentences on what a page of the game can't do."""
    from dicelab.interface.publishing.game_data import cannot_play, mixed_of, not_shown

    mixed = " and ".join(strategy.name for strategy in mixed_of(game))
    drawn = [f"It leaves out {mixed}, as a page can't follow strategies that draw their moves."] if mixed else []
    reason = cannot_play(game)
    if reason:
        return [f"It can be simulated here, but not played: {reason}.", *drawn]
    missing = not_shown(type(game))
    left_out = [f"The board leaves out {' and '.join(missing)}, which a page can't compute."] if missing else []
    notes = [*drawn, *left_out]
    if private_fields(game):
        notes.append(
            "What other players may not see is hidden on the screen only: anyone who inspects this page can see it."
        )
    return notes


def add_to_folder(page: Page, folder: str | os.PathLike[str]) -> str:
    """Write a page into a folder, under the name of its game, and a start page that lists all pages there.

    Returns
    -------
    str
        The file of the page.

    Raises
    ------
    DicelabError
        When they can't be written.
    """
    from dicelab.interface.publishing.page import start_page

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DicelabError(f"{place} can't be made: {error.strerror}") from error
    file = place / f"{page.game}.html"
    page.save(file)
    with replacing(place / "index.html", DicelabError, f"{place}: the start page") as draft:
        draft.write_text(start_page(place), encoding="utf-8", newline="\n")
    return str(file)
