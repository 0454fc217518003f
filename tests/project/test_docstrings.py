"""Docstrings of everything public give the meaning, shapes and units, errors, an example and the source of figures.

The tests count what is missing; `test_api.py` has what calls need besides: types, and every parameter.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest

import dicelab.learning
import dicelab.plots
import dicelab.rules
import dicelab.textbook
from api_page import CALLS, PUBLIC
from dicelab import errors
from support import ROOT

RULES = {name: thing for name in dicelab.rules.__all__ if callable(thing := getattr(dicelab.rules, name))}
OTHERS = {name: getattr(package, name) for package in (dicelab.learning, dicelab.plots) for name in package.__all__}
ERRORS = {name: kind for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)}
ALL = PUBLIC | RULES | OTHERS
SECTIONS = re.compile(r"^(Parameters|Returns|Raises|Attributes|Examples|Notes|References|Sources?)\n-+\n", re.M)
INSIDE = {"answer", "run", "tallied"}
"""Fields of results that only dicelab itself reads."""
NEVER_FAIL = {"all_games", "left_of", "right_of", "d", "draw_below", "seed_of_thoughts", "philox", "word"}
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


# What is public ------------------------------------------------------------------------------------------------------


def named_in(thing: Any) -> set[str]:
    """Names of classes in what a function returns, or in what a class has: its fields, and what its methods return."""
    if inspect.isclass(thing):
        fields = [hint for base in thing.__mro__ for hint in vars(base).get("__annotations__", {}).items()]
        texts = [str(hint) for name, hint in fields if name[0] != "_" and name not in INSIDE]
        texts += [str(member.__annotations__.get("return", "")) for _, member in members(thing)]
    else:
        texts = [str(inspect.unwrap(thing).__annotations__.get("return", ""))]
    return set(re.findall(r"\b[A-Z]\w+", " ".join(texts)))


@cache
def imported(module: str) -> dict[str, str]:
    """By name: the module of dicelab that a module imports it from, for type checkers or not."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def reached(things: dict[str, Any]) -> dict[str, Any]:
    """Classes of dicelab whose objects one gets from public calls, by any number of attributes and methods."""
    found, todo = dict[str, Any](), [thing for thing in things.values() if inspect.isclass(thing) or callable(thing)]
    while todo:
        thing = todo.pop()
        module = inspect.unwrap(thing).__module__
        homes = dict.fromkeys(vars(sys.modules[module]), module) | imported(module)
        for name in named_in(thing):
            home = homes.get(name, "")
            kind = getattr(import_module(home), name, None) if home.startswith("dicelab.") else None
            if inspect.isclass(kind) and name not in found and name not in OWN:
                found[name] = kind
                todo.append(kind)
    return {name: kind for name, kind in found.items() if kind not in ALL.values()}


def defined_in(package: Any) -> dict[str, Any]:
    """Public classes and functions of all modules of a package."""
    modules = [import_module(name) for _, name, folder in walk_packages(package.__path__, f"{package.__name__}.")]
    return {
        f"{module.__name__}.{name}": thing
        for module in modules
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", "") == module.__name__ and name[0] != "_" and inspect.getsource(module)
        if inspect.isclass(thing) or inspect.isroutine(thing)
    }


def imported_on_pages() -> dict[str, Any]:
    """What samples on pages import from modules of dicelab; rules of games are documented by their files."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    lines = re.findall(r"from (dicelab\.[\w.]+) import ([\w, ]+)", "\n".join(page.read_text() for page in pages))
    found = {name.strip(): getattr(import_module(home), name.strip(), None) for home, names in lines
             for name in re.sub(r" as \w+|  #.*", "", names).split(",")}  # fmt: skip
    return {name: thing for name, thing in found.items() if inspect.isclass(thing) or inspect.isfunction(thing)
            if not thing.__module__.startswith(("dicelab.games", "dicelab.extras.craps"))}  # fmt: skip


OWN = {"Aims", "Box", "CardLine", "Declared", "Field", "Judge", "Later", "Objective", "Rewards", "Rotation"}
"""Classes that results have for dicelab's own use, and those of other packages that are called like one."""
PROGRAMS = ("main", "play")
"""Functions of the texts that read what is typed: their prompts are on the pages of docs/texts."""
COMMANDS = ("dicelab.textbook.commands.", "dicelab.textbook.demo.")
"""Modules beside the texts: the commands about them."""
TEXTS = {name: thing for name, thing in defined_in(dicelab.textbook).items()
         if name.rpartition(".")[2] not in PROGRAMS and not name.startswith(COMMANDS)
         and not getattr(thing, "_is_protocol", False)}  # fmt: skip
REACHED = reached(PUBLIC | OTHERS)
PAGES = imported_on_pages()
ALL |= REACHED | PAGES
CLASSES = {name: thing for name, thing in (ALL | TEXTS).items() if inspect.isclass(thing)}
MEMBERS = {f"{name}.{member}": thing for name, kind in CLASSES.items() for member, thing in members(kind)}


def without(lacks: Any, things: dict[str, Any]) -> list[str]:
    return [name for name, thing in things.items() if lacks(thing)]


def test_there_is_much_to_count():
    assert len(CALLS) > 40
    assert len(CLASSES) > 40
    assert len(MEMBERS) > 400
    assert len(REACHED) > 20
    assert len(TEXTS) > 90


def test_the_first_sentence_says_what_a_thing_is_or_does():
    def lacks(thing: object) -> bool:
        first = parts(thing)[""].split("\n\n")[0]
        return len(first.split()) < 2 or first.rstrip()[-1] not in ".?:"

    assert without(lacks, ALL | TEXTS | MEMBERS | ERRORS) == []


def test_everything_public_has_an_example():
    def lacks(thing: object) -> bool:
        text = inspect.getdoc(thing) or ""
        return ">>> " not in text and "::\n" not in text

    assert without(lacks, ALL) == []


def test_everything_in_the_five_texts_has_an_example():
    assert without(lambda thing: ">>> " not in (inspect.getdoc(thing) or ""), TEXTS) == []


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


def raises(thing: Any) -> bool:
    """Whether a function itself raises an error, other than to say that it is to be overridden."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    return any("NotImplementedError" not in ast.dump(node) for node in ast.walk(tree) if isinstance(node, ast.Raise))


def test_a_function_that_raises_an_error_says_so():
    found = {n: t for n, t in (ALL | TEXTS | MEMBERS).items() if not inspect.isclass(t) and raises(t)}
    assert len(found) > 50
    assert without(lambda thing: "Raises" not in parts(thing), found) == []


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


UNITS = {"seconds": "second", "memory": "byte|class of its memory", "limit": "byte|rolls|throws"}


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
