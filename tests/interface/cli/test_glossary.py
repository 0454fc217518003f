"""The glossary and the index: what they name exists, and the index leaves out no page."""

from __future__ import annotations

import json
import re

import click
import pytest

from dicelab.interface.cli.main import app as cli
from support import ROOT

DOCS = ROOT / "docs"
GLOSSARY = (DOCS / "glossary.md").read_text()
LINK = re.compile(r"\]\(([^)#]+)(?:#([\w-]+))?\)")
ENTRY = re.compile(r"^\*\*.*", re.M)
CONTEXT = click.Context(cli)


def keys_in(value) -> set[str]:
    """Every key of an answer, at any depth, and the names of what it lists."""
    if isinstance(value, dict):
        return set(value).union(*(keys_in(inner) for inner in value.values()))
    if isinstance(value, list):
        return set().union(*(keys_in(inner) for inner in value))
    return set()


KEYS = {
    key for file in (ROOT / "tests" / "recorded").glob("*.json") for key in keys_in(json.loads(file.read_text()))
}  # of all commands


def options() -> set[str]:
    """Options of all commands and all parameters of the games that come with dicelab."""
    import dicelab

    found = {
        text
        for name in cli.list_commands(CONTEXT)
        for option in getattr(cli.get_command(CONTEXT, name), "params", ())
        for text in (*option.opts, *option.secondary_opts)
    }
    parameters = {name for game in dicelab.all_games().values() for name in game.declared.params}
    return found | {f"--{name.replace('_', '-')}" for name in parameters} | {"--profile"}


def entries() -> list[str]:
    return ENTRY.findall(GLOSSARY)


def test_every_key_of_the_json_that_the_glossary_names_is_in_some_answer():
    about = [re.sub(r"of( craps,)? `(\w+)`|parameters?:? `.*", "", entry.partition("JSON")[2]) for entry in entries()]
    named = [key for text in about for key in re.findall(r"`\"?(\w+)\"?`", text)]
    assert len(named) > 40
    assert set(named) <= KEYS


def test_every_option_that_the_glossary_names_is_one():
    assert isinstance(cli, click.Group)
    named = re.findall(r"(?<![\w-])--[a-z][a-z-]*", GLOSSARY)
    assert len(named) > 15
    assert set(named) <= options()


def test_terms_are_in_the_glossary_once():
    terms = [re.match(r"\*\*(.+?)\*\*", entry)[1] for entry in entries()]
    assert len(terms) == len(set(terms)) > 70


@pytest.mark.parametrize("page", ["glossary.md", "README.md"])
def test_links_lead_somewhere(page):
    for file, _ in LINK.findall((DOCS / page).read_text()):
        assert (DOCS / file).exists(), file


def test_the_index_has_a_line_for_each_page_but_those_about_single_bets():
    listed = {(DOCS / file).resolve() for file, _ in LINK.findall((DOCS / "README.md").read_text())}
    bets = set((DOCS / "craps").glob("*.md")) - {DOCS / "craps" / "README.md"}
    assert listed >= set(DOCS.rglob("*.md")) - bets - {DOCS / "README.md", DOCS / "site" / "index.md"}
    assert bets == {
        DOCS / "craps" / file for file, _ in LINK.findall((DOCS / "craps" / "README.md").read_text()) if "/" not in file
    }


def test_both_are_linked_from_the_readme():
    linked = {file for file, _ in LINK.findall((ROOT / "README.md").read_text())}
    assert linked >= {"docs/README.md", "docs/glossary.md"}
