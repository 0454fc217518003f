"""Pages: those made from the code are as it is now, links lead somewhere, and the tables of rules name everything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dicelab.rules
import json_schema
from dicelab.interface.cli.main import app
from dicelab.questions.declare import SCHEMA
from dicelab.rules.game import summary
from reference_pages import FOLDER, PAGES, help_of
from support import GAMES, ROOT

WRITTEN = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    ROOT / "verification" / "README.md",
]
LINK = re.compile(r"\]\(([^)\s]*)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_made_from_the_code_is_as_it_is_now(name):
    assert (FOLDER / name).read_text() == PAGES[name](), "python tests/reference_pages.py writes the pages anew"


def test_the_schema_follows_from_the_entries_of_results():
    assert SCHEMA.read_text() == json_schema.text(), "python tests/json_schema.py writes it anew"


def test_every_entry_of_the_json_has_a_meaning():
    """A row of the tables ends with the description of the schema."""
    rows = re.findall(r"^\| `(\w+)`.*\| (.*) \|$", PAGES["json-schema.md"](), re.M)
    assert [name for name, meaning in rows if not meaning] == []
    assert len(rows) > 200


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub and the site make them."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, -1) + 1
    return {anchor if n == 0 else f"{anchor}-{n}" for anchor, most in found.items() for n in range(most + 1)}


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page):
    for link in LINK.findall(CODE.sub("", page.read_text())):
        if re.match(r"https?://|mailto:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{link} in {page.name}"
        assert not anchor or target.suffix != ".md" or anchor in anchors(target), f"{link} in {page.name}"


def test_every_name_that_rules_import_is_in_the_tables():
    page = (FOLDER / "rules.md").read_text().partition("## Class attributes")[2]
    missing = [name for name in dicelab.rules.__all__ if not re.search(rf"`@?[^`]*\b{name}\b", page)]
    assert not missing


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A `page` of [links](page.md)\n\n[there](#a-page-of-links)\n")
    assert anchors(page) == {"a-page-of-links"}
    test_links_of_a_page_lead_somewhere(page)
    page.write_text("[gone](gone.md)")
    with pytest.raises(AssertionError, match="gone"):
        test_links_of_a_page_lead_somewhere(page)


def test_backticks_of_docstrings_do_not_reach_the_terminal():
    for name, game in GAMES.items():
        declared = game.declared
        texts = [summary(game), *(strategy.summary for strategy in declared.strategies.values())]
        texts += [
            part.help for part in (*declared.params.values(), *declared.state.values(), *declared.tallies.values())
        ]
        assert [text for text in texts if "`" in text] == [], name
    assert "points" in GAMES["pig"].declared.strategies["hold_at"].summary


def test_helps_have_no_backticks():
    assert [name for name in app.list_commands(None) if "`" in help_of(name)] == []
