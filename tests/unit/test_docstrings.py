"""Docstrings of everything public give the meaning, shapes and units, errors, an example and the source of figures.

The tests count what is missing; `test_api.py` has what calls need besides: types, and every parameter.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import dicelab.learning
import dicelab.plots
import dicelab.rules
from api_page import CALLS, PUBLIC
from dicelab import errors
from dicelab.textbook import MODULES

RULES = {name: thing for name in dicelab.rules.__all__ if callable(thing := getattr(dicelab.rules, name))}
OTHERS = {name: getattr(package, name) for package in (dicelab.learning, dicelab.plots) for name in package.__all__}
ERRORS = {name: kind for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)}
ALL = PUBLIC | RULES | OTHERS
CLASSES = {name: thing for name, thing in ALL.items() if inspect.isclass(thing)}
SECTIONS = re.compile(r"^(Parameters|Returns|Raises|Attributes|Examples|Notes|References|Sources?)\n-+\n", re.M)
INSIDE = {"answer", "tallied"}
"""Fields of results that only dicelab itself reads."""
NEVER_FAIL = {"all_games", "left_of", "right_of", "d", "ask"}
"""Functions that no argument of the right type can make fail."""


def parts(thing: object) -> dict[str, str]:
    """The sections of a docstring by name; what stands above them is "", without samples."""
    text = inspect.getdoc(thing) or ""
    pieces = SECTIONS.split(text)
    return {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that a class of dicelab defines or inherits."""
    for base in kind.__mro__:
        if base.__module__.startswith("dicelab"):
            for name, member in vars(base).items():
                function = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "func", None) or member)
                if not name.startswith("_") and (inspect.isfunction(function) or isinstance(member, classmethod)):
                    yield name, member.__func__ if isinstance(member, classmethod) else function


MEMBERS = {f"{name}.{member}": thing for name, kind in CLASSES.items() for member, thing in members(kind)}


def without(lacks: Any, things: dict[str, Any]) -> list[str]:
    return [name for name, thing in things.items() if lacks(thing)]


def test_there_is_much_to_count():
    assert len(CALLS) > 40
    assert len(CLASSES) > 40
    assert len(MEMBERS) > 250


def test_the_first_sentence_says_what_a_thing_is_or_does():
    def lacks(thing: object) -> bool:
        first = parts(thing)[""].split("\n\n")[0]
        return len(first.split()) < 2 or first.rstrip()[-1] not in ".?:"

    assert without(lacks, ALL | MEMBERS | ERRORS) == []


def test_everything_public_has_an_example():
    def lacks(thing: object) -> bool:
        text = inspect.getdoc(thing) or ""
        return ">>> " not in text and "::\n" not in text

    assert without(lacks, ALL) == []


def test_every_function_of_the_five_texts_has_an_example():
    """All but the programs, which read what is typed: their prompts are on the pages of docs/texts."""
    texts = [import_module(f"dicelab.textbook.{name}") for name in MODULES.values()]
    found = {
        f"{text.__name__}.{name}": thing
        for text in texts
        for name, thing in vars(text).items()
        if getattr(thing, "__module__", "") == text.__name__ and name[0] != "_" and name not in ("main", "play")
    }
    assert without(lambda thing: ">>> " not in (inspect.getdoc(thing) or ""), found) == []
    assert len(found) > 20


def test_every_field_of_a_result_is_described():
    missing = []
    for name, kind in CLASSES.items():
        for field in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
            inherited = " ".join(inspect.getdoc(base) or "" for base in kind.__mro__)
            hidden = field.name.startswith("_") or field.name in INSIDE
            if not hidden and not re.search(rf"(^|, |`){field.name}\b", inherited, re.M):
                missing.append(f"{name}.{field.name}")
    assert missing == []


def test_errors_are_named():
    def lacks(thing: object) -> bool:
        return "Raises" not in parts(thing)

    assert without(lacks, {n: t for n, t in ALL.items() if not inspect.isclass(t) and n not in NEVER_FAIL}) == []


def test_arrays_have_shapes():
    """What is annotated as an array says which kind of numbers, and which axes."""

    def lacks(thing: object) -> bool:
        text = str(inspect.signature(thing).return_annotation)
        return "NDArray" in text and not re.search(r"array", inspect.getdoc(thing) or "")

    assert without(lacks, {n: t for n, t in (ALL | MEMBERS).items() if not inspect.isclass(t)}) == []
    for name, kind in CLASSES.items():
        for field, hint in vars(kind).get("__annotations__", {}).items():
            if "NDArray" in str(hint) and not field.startswith("_"):
                assert re.search(rf"^{field}\n    \w+ array", inspect.getdoc(kind) or "", re.M), f"{name}.{field}"


UNITS = {"seconds": "second", "memory": "byte", "limit": "byte|rolls|throws"}


def test_numbers_of_seconds_and_bytes_say_so():
    missing = []
    for name, thing in ALL.items():
        text = "\n".join(inspect.getdoc(base) or "" for base in (thing.__mro__ if inspect.isclass(thing) else [thing]))
        for entry, unit in UNITS.items():
            for about in re.findall(rf"^(?:.*, )?{entry}(?:, .*)?\n((?:    .*\n?)+)", text, re.M):
                if not re.search(unit, about, re.I) and "As in" not in about:
                    missing.append(f"{name}: {entry}")
    assert missing == []


FIGURE = re.compile(r"(?<![\w.])\d+\.\d{3,}(?![\w.])")
SOURCED = re.compile(r"\(\d{4}\)|\d{4}, |https?://|[Mm]easured|docs/")


def test_figures_have_a_source():
    """A figure of three decimals or more, in the words of a docstring, has its source beside it."""

    def lacks(thing: object) -> bool:
        words = re.sub(r"``[^`]*``|^Examples\n-+\n.*", "", inspect.getdoc(thing) or "", flags=re.M | re.S)
        return bool(FIGURE.search(words)) and not SOURCED.search(words)

    assert without(lacks, ALL | MEMBERS) == []


def test_what_is_missing_is_found():
    def badly() -> None:
        """Play"""

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ALL, "badly", badly)
        for test in (
            test_the_first_sentence_says_what_a_thing_is_or_does,
            test_everything_public_has_an_example,
            test_errors_are_named,
        ):
            with pytest.raises(AssertionError, match="badly"):
                test()
