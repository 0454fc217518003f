"""`dicelab.publish`: a game as one HTML file that works without a server, a network or Python."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.publishing.answers import answers
from dicelab.interface.publishing.game_data import cannot_finish, cannot_play, game_data, not_shown, varied_by_default
from dicelab.interface.publishing.mixed import mixed
from dicelab.interface.publishing.optimal import NONE, Optimal, optimal
from dicelab.interface.publishing.page import page, start_page
from dicelab.keywords import keywords
from dicelab.questions.sweeps.points import Swept
from dicelab.results.draft import replacing
from dicelab.rules.game import Game, shown
from dicelab.rules.private import private_fields
from dicelab.rules.wording import rulebook_of
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.translation.translator import NotTranslatable


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


@keywords()
def publish(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies = (),
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    include: Sequence[str] = (),
    policy: str | os.PathLike[str] | None = None,
    command: str = "",
    **parameters: object,
) -> Page:
    """Write a game as a page in which everybody can play and simulate it, without dicelab.

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.simulate`; the page begins with them.
    vary
        The parameters that a visitor may change, with their values; without it those that have few values.
    include
        Answers to show: ``exact``, the exact outcomes and tallies with the given parameters and strategies; ``best``,
        how the game should be played; ``sweep:players=2..6``, the answers for each of these values.
    policy
        Optimal play for the page, with these parameters: a file that `dicelab solve --out` has saved, ``solve``, or
        ``none``; without it, the game is solved if it is small.
    command
        The command line that the page names as its origin.

    Raises
    ------
    InputError
        When something given is unknown or not allowed.
    DicelabError
        When the rules can't be compiled, or the policy that was asked for can't be in a page.

    Examples
    --------
    >>> page = publish("hazard", vary={"main": [5, 7]})
    >>> page.game, page.html[:15]
    ('hazard', '<!doctype html>')
    """
    run = Run.of(game, strategies, **parameters)
    varied = varied_by_default(run.game) if vary is None else _parameters(run.game, vary)
    best, missing = _optimal(run.game, policy)
    shown_answers = answers(run, include, strategies)
    try:
        data = game_data(run, varied)
    except NotTranslatable as error:
        raise DicelabError(f"{run.game.name} can't be published: {error}") from error
    doc = [" ".join(p.split()) for p in inspect.cleandoc(type(run.game).__doc__ or "").split("\n\n")[1:]]
    data |= {"rulebook": rulebook_of(run.game), "doc": doc}
    notes = [*cannot_finish(run), *_notes(run.game), *([missing] if missing else [])]
    html = page(run.game, data, shown_answers, notes, command or f"dicelab publish {data['file']}", best)
    said = [*notes, *(answer.note for answer in shown_answers if answer.note)]
    return Page(run.game.name, dict(shown(run.game)), html, tuple(said))


def _parameters(game: Game, vary: Mapping[str, Sequence[Any]]) -> list[Swept]:
    """Return the parameters that vary; the page begins with the game's own values, so these are among them."""
    found = []
    for name, values in vary.items():
        one = Swept.of(type(game), name, values)
        if one.strategy:
            raise ParameterError(f"vary: {name} is an argument of a strategy, which visitors can always change")
        own = game.parameters[one.name]
        found.append(one if own in one.values else replace(one, values=tuple(sorted({*one.values, own}))))
    return found


def _optimal(game: Game, policy: str | os.PathLike[str] | None) -> tuple[Optimal | None, str]:
    """Return optimal play for a page, and why there is none."""
    reason = cannot_play(game)
    if reason and policy not in (None, NONE):
        raise ParameterError(f"policy: {game.name} can't be played in a page, because {reason}; leave it out")
    if reason:
        return None, ""
    return mixed(game, policy) if private_fields(game) else optimal(game, policy)


def _notes(game: Game) -> list[str]:
    """Return sentences on what a page of the game can't do."""
    reason = cannot_play(game)
    if reason:
        return [f"It can be simulated here, but not played: {reason}."]
    missing = not_shown(type(game))
    found = [f"The board leaves out {' and '.join(missing)}, which a page can't compute."] if missing else []
    if private_fields(game):
        found.append(
            "What is hidden from the other players is hidden on the screen only: whoever inspects this page can see it."
        )
    return found


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
