"""Common mistakes: other seats, other settings and variants of the rules that a sample fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from dicelab.errors import DicelabError, InputError, ParameterError, RulesError
from dicelab.questions.judging.comparison import compared, joint_p
from dicelab.questions.judging.sample import Sample
from dicelab.results.result import Exact
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.loading.registry import find, games_in, load, looks_like_file
from dicelab.rules.params import Param, Switch
from dicelab.rules.words import player_name

FITS = 0.01
"""Smallest joint p-value of a suspect that is named: 99 of 100 samples with one of the mistakes name it."""
MOST_STATES = 50_000
"""Largest number of states of a game whose settings are varied."""

Solve = Callable[[Game], Exact]
"""Gives the exact answer about a game; raises DicelabError where there is none."""


@dataclass(frozen=True)
class Suspect:
    """A mistake that would explain a sample.

    Attributes
    ----------
    name
        The mistake, in words.
    p
        The joint p-value of the sample if the mistake was made.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.judge("lcr", players=3, counts=[729, 616, 655])
    >>> found.suspects[0].name
    'players shifted by 2: your player 1 is player 3'
    """

    name: str
    p: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        return asdict(self)


def suspects(
    game: Game, sample: Sample, truth: Exact, solve: Solve, variants: Sequence[type[Game]]
) -> tuple[list[Suspect], list[str]]:
    """Return the mistakes that a sample fits, the most probable first, and why some variants could not be tried.

    Parameters
    ----------
    game, sample, truth
        The rules, the sample, and the exact answer about the rules.
    solve
        Gives the exact answers about other rules.
    variants
        Other rules to try, besides the games of the same file that inherit from `game`.
    """
    found = [one for order, seated in _seats(sample, truth) for one in _fitting(order, seated, truth)]
    others, untried = list[tuple[str, Exact]](), list[str]()
    for kind in _variants(game, variants):
        try:
            others.append((f"the rules of {kind.name}", solve(_comparable(game, sample, _same(game, kind)))))
        except _Incomparable as error:  # other games of the same file need not be variants
            untried += [f"{kind.name}: {error}"] if kind in variants else []
        except DicelabError as error:
            untried.append(f"{kind.name}: {str(error).removeprefix(f'{kind.name}: ')}")
    for name, other in _settings(game, truth):
        with suppress(DicelabError):
            others.append((name, solve(_comparable(game, sample, other))))
    found += [one for name, answer in others for one in _fitting(name, sample, answer)]
    if not found:  # two mistakes at once
        both = [(f"{name}, {order}", s, a) for name, a in others for order, s in _seats(sample, a)]
        found = [one for names in both for one in _fitting(*names)]
    return sorted(found, key=lambda one: -one.p), untried


def _same(game: Game, kind: type[Game]) -> Game:
    """Return a variant with the parameters of the game."""
    return kind(**{name: value for name, value in game.parameters.items() if name in kind.declared.params})


class _Incomparable(ParameterError):
    """Other rules whose games don't end as those of the sample, or are not counted alike."""


def _comparable(game: Game, sample: Sample, other: Game) -> Game:
    """Other rules, if they have the outcomes of the game and the tallies of the sample."""
    if outcome_names(other) != outcome_names(game):
        raise _Incomparable("it has other outcomes")
    for name in sample.means:
        if name not in other.declared.tallies:
            raise _Incomparable(f"it has no tally {name}")
    return other


def _fitting(name: str, sample: Sample, answer: Exact) -> list[Suspect]:
    """Return the suspect, if the sample fits the answer."""
    with suppress(ParameterError):  # a mean without an exact value can't be tested
        p = joint_p(compared(sample, answer)[0])
        return [Suspect(name, p)] if p >= FITS else []
    return []


def _seats(sample: Sample, truth: Exact) -> Iterator[tuple[str, Sample]]:
    """Yield the sample with its seats shifted, and in reverse order; nothing if its means don't fit anyway."""
    if sample.counts is None or not truth.seats:
        return
    if sample.means and not _fitting("", replace(sample, counts=None), truth):
        return
    seats = len(sample.counts)
    names = [player_name(seat, truth.players) for seat in range(seats)]
    for first in range(1, seats):
        order = [(seat - first) % seats for seat in range(seats)]
        yield f"players shifted by {first}: your {names[0]} is {names[first]}", _reordered(sample, order)
    for first in range(seats if seats > 2 else 0):
        order = [(first - seat) % seats for seat in range(seats)]
        yield f"players in reverse order: your {names[0]} is {names[first]}", _reordered(sample, order)


def _reordered(sample: Sample, order: Sequence[int]) -> Sample:
    """Return the sample in which each seat has the count of another one."""
    assert sample.counts is not None
    return replace(sample, counts=tuple(sample.counts[seat] for seat in order))


def _variants(game: Game, more: Sequence[type[Game]]) -> list[type[Game]]:
    """Return the games of the same file that inherit from this one, and `more`."""
    kin = [kind for kind in _heirs(type(game)) if kind.__module__ == type(game).__module__]
    return [kind for kind in dict.fromkeys((*kin, *more)) if kind is not type(game)]


def _heirs(game: type[Game]) -> Iterator[type[Game]]:
    """Yield all classes that inherit from a game."""
    for kind in game.__subclasses__():
        yield kind
        yield from _heirs(kind)


def _settings(game: Game, truth: Exact) -> Iterator[tuple[str, Game]]:
    """Yield the game with one parameter changed: a number by 1, or a switch; none where answers take long."""
    if truth.states > MOST_STATES:
        return
    for name, param in game.declared.params.items():
        now = game.parameters[name]
        near = [1 - now] if isinstance(param, Switch) else [now - 1, now + 1] if type(param) is Param else []
        for value in near:
            with suppress(InputError):
                changed = type(game)(**{**game.parameters, name: value})
                yield f"{name} {param.word(value)} instead of {param.word(now)}", changed


def variants_in(name: str | type[Game]) -> list[type[Game]]:
    """Return the games that a name, a file or a class stands for; all games of a file unless one is named."""
    if isinstance(name, type):
        return [name]
    if not looks_like_file(name) or ".py:" in name:
        return [find(name)]
    games = games_in(load(Path(name)))
    if not games:
        raise RulesError(f"{name} has no game: it must define a class that inherits from dicelab.rules.Game")
    return list(games.values())
