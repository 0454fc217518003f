"""A question as an address, a command line and three lines of Python; all are made from the same settings.

An address holds parameters of the game by their names (``players=3``), or as ``set.NAME`` where a setting of the page
has that name, and the settings of the page: ``strategy`` once for all seats or once for each, ``games``, ``seed``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from inspect import Parameter, signature
from math import isfinite
from urllib.parse import urlencode

import dicelab
from dicelab.errors import ParameterError, unknown
from dicelab.interface.lab.shelf import Card
from dicelab.interface.play.again import parameter_words
from dicelab.questions.declare import find_question, pages_of_questions
from dicelab.rules.params import hyphened, whole_number

SETTINGS = "strategy", "moves", "say", "bet", "down", "amount", "look", "coach", "wait", "with", "x", "y", "typed"
"""Keys of addresses that are no parameters of the game, beside those of questions; those with a point are written
``mean.TALLY``."""


def is_setting(key: str) -> bool:
    """Return whether a key of an address is a setting of a page, not a parameter of the game."""
    name = key.partition(".")[0]
    asked = (one for one in pages_of_questions() if not one.alone)
    return name in SETTINGS or any(name in one.settings or name in one.page_fields for one in asked)


TYPED = "typed"
"""The choice of a list of strategies for which the next field counts, and the name of that field."""
WRITTEN = re.compile(r"[\w-]+(:[\w+= -]+)*", re.ASCII)
"""A strategy with its arguments, which are numbers and names; the path of a file has other characters."""
LOOK_AHEAD = "rollout", "search", "mcts"
"""Players for every game in which somebody chooses; by the characters of `WRITTEN` they can't name files."""
LONGEST = 64
LONG = dict.fromkeys(("moves", "say", "bet", "down", "amount", "pupils", "question", "rolls", "expressions"), 20_000)
"""Limits of the length of a value: of most, and of what a game in play consists of or answers by itself, of the pupils
and the question of an exercise, and of what is written in lines."""

Pairs = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Question:
    """A game with its parameters and strategies, and the settings of a page.

    Attributes
    ----------
    name, card
        The name of the game in addresses, and its card.
    parameters
        Those that are not at their default, by name, as typed.
    strategies
        One for all seats or one for each; empty for the default.
    settings
        The other keys of the address.
    beside
        The question that stands beside this one: ``with=GAME``, ``with.PARAMETER=...``.
    """

    name: str
    card: Card
    parameters: dict[str, str] = field(default_factory=dict)
    strategies: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    beside: Question | None = None

    @classmethod
    def of(cls, name: str, card: Card, pairs: Pairs, extra: Iterable[str] = ()) -> Question:
        """Return the question of an address; `extra` lists words that are allowed in place of strategies.

        Raises
        ------
        InputError
            When a key is unknown or given twice, or a strategy is not one that the game declares.
        """
        declared = {p["name"]: p for p in card["parameters"]}
        question, seen = cls(name, card), set[str]()
        texts: list[str] = []
        for key, value in pairs:
            value = value.strip()
            if key == "strategy":
                texts.append(value)
                continue
            if key == TYPED:  # stands behind the list from which it was chosen
                if texts and texts[-1] == TYPED:
                    texts[-1] = value
                continue
            if not value:
                continue
            if is_setting(key):
                question._set(key, value)
            else:
                parameter = key.removeprefix("set.")
                if parameter in seen:
                    raise ParameterError(f"{key} is given twice")
                seen.add(parameter)
                if len(value) > LONGEST:
                    raise ParameterError(f"{key}: this value is too long")
                if parameter not in declared:
                    raise unknown(f"parameter of {card['name']}", parameter, declared)
                named = declared[parameter].get("names", ())
                value = next((name for name in named if hyphened(name) == value), value)
                if value != declared[parameter]["default"]:
                    question.parameters[parameter] = value
        chosen = ["" if text == TYPED else text for text in texts]
        question.strategies.extend(_seated(card, chosen, tuple(extra)))
        return question

    @classmethod
    def alone(cls, names: Iterable[str], pairs: Pairs) -> Question:
        """Return the question of an address that is about no game; `names` are those of the fields of its page.

        Raises
        ------
        InputError
            When a key is unknown or given twice.
        """
        question, known = cls("", {}), [*names]
        for key, value in pairs:
            if key not in known:
                raise unknown("field of this page", key, known)
            question._set(key, value.strip())
        return question

    def _set(self, key: str, value: str) -> None:
        """Keep a setting; an empty one is none."""
        if key in self.settings:
            raise ParameterError(f"{key} is given twice")
        if len(value) > LONG.get(key, LONGEST):
            raise ParameterError(f"{key}: this value is too long")
        if value:
            self.settings[key] = value

    def address(self, page: str = "", **settings: str | int) -> str:
        """Return the address of a page that asks this; `settings` replace those of the question (0
        and "" remove one).
        """
        pairs = [(f"set.{k}" if is_setting(k) else k, v) for k, v in self.parameters.items()]
        pairs += [("strategy", text) for text in self.strategies]
        pairs += [(k, str(v)) for k, v in {**self.settings, **settings}.items() if v not in ("", 0)]
        path = (f"/games/{self.name}" if self.name else "") + (f"/{page}" if page else "")
        return f"{path}?{urlencode(pairs, safe=':=,.')}" if pairs else path

    @property
    def usual_strategy(self) -> str:
        """The strategy that is used unless another one is chosen, with its arguments; empty if there is none."""
        return str(self.card["strategies"][0]["written"]) if self.card["strategies"] else ""

    def plain(self) -> Question:
        """Return the question without the settings of the page."""
        return Question(self.name, self.card, self.parameters, self.strategies)

    def rules_only(self) -> Question:
        """Return the question about the rules alone, without strategies."""
        return Question(self.name, self.card, self.parameters)

    def for_page(self, name: str, here: str) -> Question:
        """Return the same game on another page; strategies that are compared are not those of the seats."""
        pages = {one.page or one.name: one for one in pages_of_questions()}
        if name in pages and pages[name].bets and self.card["bets"] != self.card["name"]:
            return Question(self.card["bets"], self.card)  # another game plays its bets, one at a time
        compared = any(pages[key].compared for key in {name, here} & pages.keys())
        strategies = [] if compared and name != here else self.strategies
        strategies = [] if name in ("best", "solve") else strategies
        known = [text for text in strategies if text != "best" or name in ("sweep", "play")]
        return Question(self.name, self.card, self.parameters, known if len(known) == len(strategies) else [])

    def command(self, verb: str, *more: str, **options: str | list[str] | None) -> str:
        """Return the command line, with `more` words behind the command; an option with several values is repeated,
        one without a value (None) stands alone.
        """
        words = ["dicelab", verb, *more]
        if self.name:
            words += [self.card["called"], *parameter_words(verb, self.parameters)]
        for text in self.strategies:
            words += ["--strategy", text]
        for name, given in options.items():
            values = [given] if isinstance(given, str) else given
            words += [f"--{name}"] if values is None else [word for value in values for word in (f"--{name}", value)]
        return shlex.join(words)

    def python(self, call: str, *words: str, **options: object) -> str:
        """Return three lines of Python; every word and every value of `options` is written as a literal.

        Parameters of the game are keywords of the call, unless it has a keyword of that name itself.
        """
        one = find_question(call)
        function = one.call if one else getattr(dicelab, call)
        public = hasattr(dicelab, call)
        game, given = "", {n: _typed(self.card, n, text) for n, text in self.parameters.items()}
        own = signature(function).parameters
        if self.name:
            game = repr(self.card["called"])
        if own.keys() & given.keys():
            if own["parameters"].kind is Parameter.VAR_KEYWORD:
                game, given = f"dicelab.find({game})({_keywords(given)})", {}
            else:
                given = {"parameters": given}
        arguments = [*([game] if game else []), *map(repr, words)]
        if self.strategies:
            named = "" if [*own][1] == "strategies" else "strategies="
            arguments.append(named + repr(self.strategies[0] if len(self.strategies) == 1 else self.strategies))
        arguments += [_keywords(options | given)] if options or given else []
        imported = "" if public else f"\nfrom {function.__module__} import {call}"
        name = f"dicelab.{call}" if public else call
        return f"import dicelab{imported}\nresult = {name}({', '.join(arguments)})\nprint(result)"

    @property
    def asked(self) -> dict[str, object]:
        """The question for a task: `dicelab.interface.lab.work.process.GameRequest`."""
        return {"called": self.card.get("called", ""), "parameters": self.parameters, "strategies": self.strategies}

    @property
    def seats(self) -> int:
        """Number of seats."""
        players = self.parameters.get("players", "")
        return int(players) if self.card["seats_vary"] and players.isdecimal() else int(self.card["seats"])


def _seated(card: Card, texts: list[str], extra: tuple[str, ...]) -> list[str]:
    """Return the strategies of the seats: one if all are equal, none for the default; empty texts stand for the
    default.
    """
    if not any(texts):
        return []
    default = card["strategies"][0] if card["strategies"] else {"name": "", "written": ""}
    seats = [_declared(card, text, extra) if text else default["name"] for text in texts]
    seats = seats[:1] if len(set(seats)) == 1 else seats
    usual = len(seats) == 1 and seats[0] in (default["name"], default["written"])
    return [] if usual and not extra else seats


def _declared(card: Card, text: str, extra: Iterable[str]) -> str:
    """Return a strategy that the game declares, or a player that looks ahead; files can't be named in addresses."""
    names = [*(s["name"] for s in card["strategies"]), *(LOOK_AHEAD if card["choices"] else ()), *extra]
    if text.partition(":")[0] not in names or not WRITTEN.fullmatch(text):
        raise unknown(f"strategy of {card['name']}", text, names)
    return text


def as_number(text: str) -> int | float | str:
    """Return the number that a text of an address stands for; the text itself if it stands for none.

    >>> as_number("1e6"), as_number("18.9"), as_number("nan"), as_number("5%")
    (1000000, 18.9, 'nan', '5%')
    """
    whole = whole_number(text)
    if whole is not None:
        return whole
    with suppress(ValueError):
        if isfinite(real := float(text)):
            return real
    return text


def _keywords(values: Mapping[str, object]) -> str:
    """Return the keywords of a call in Python."""
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _typed(card: Card, name: str, text: str) -> object:
    """Return a parameter's value in Python."""
    kind = next(p["kind"] for p in card["parameters"] if p["name"] == name)
    if kind == "switch":
        return {"yes": True, "no": False}.get(text, text)
    return as_number(text) if kind == "number" else text
