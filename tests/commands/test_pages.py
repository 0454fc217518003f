"""Pages about the texts, best play and bets: every command says what stands there, and every number is one of them.

``pytest --regen`` writes what the commands say into the pages; read the difference before it is kept. A command that
fails is written to no page, unless the page announces it: ``$ dicelab check ./bad.py  # exit status 1``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pages import BLOCK, PAGES, ROOT, run, same_output, sessions, write_files

PICTURES = ROOT / "docs" / "pictures"
WORDS = re.compile(r"<text[^>]*>(.*?)</text>", re.S)
NUMBER = re.compile(r"(?<![\w./-])(\d+\.\d+)(?![\w.])( %)?")
FRACTION = re.compile(r"(?<![\w./-])(\d+/\d+)(?![\w./])")


COMMANDS = [(page, *session) for page in PAGES for session in sessions(page)]
SLOW = re.compile(
    r"^python|dicelab (compare|demo|text 3)|sweep lcr"
    r"|edges craps \||--check 1e[56]|--profile las_vegas --sort|edges craps-bet --sort"
    r"|only ('fire_\*'|'repeater|'pass_odds|'hard\*|pass )"
    r"|session (craps|\./hedge)|exact craps -s line:pass"
    r"|solve tossup --(target [35]0|players)|--objective fewest:turns"
    r"|learn tossup --target [12]0 --(against|seed)"
    r"|dicelab (par|tune|exercise) |--dice-from|--class|sweep tossup"
    r"|simulate craps -s \./b|check \./|report |--cluster"
)
"""Commands that take seconds, left to ``make test-all``; so are all but the first two others of each page."""
FIRST = [
    c for page in PAGES for c in [(page, *session) for session in sessions(page) if not SLOW.search(session[0])][:2]
]
RUN = [pytest.param(*case, marks=[] if case in FIRST else pytest.mark.slow) for case in COMMANDS]


@pytest.mark.parametrize(("page", "command", "printed"), RUN, ids=[f"{p.stem}: {c[:70]}" for p, c, _ in COMMANDS])
def test_a_command_says_what_stands_on_the_page(page, command, printed, tmp_path, request):
    write_files(page, tmp_path)
    must_say(page, command, printed, tmp_path, request.config.getoption("--regen"))


def must_say(page: Path, command: str, printed: str, folder: Path, keep: bool) -> None:
    """A command prints what a page says, or, if that is to be kept, the page says from now on what it prints."""
    said = run(command, folder)
    for drawn in folder.glob("*.svg"):
        if f"pictures/{drawn.name}" in page.read_text():
            must_be_kept(drawn, keep)
    if keep and not same_output(printed, said):
        page.write_text(page.read_text().replace(f"$ {command}\n{printed}", f"$ {command}\n{said}"))
        return
    assert same_output(printed, said) or said == printed


def must_be_kept(drawn: Path, keep: bool) -> None:
    """A picture of that name in the documents says the same; how wide its letters are differs between machines."""
    kept = PICTURES / drawn.name
    if keep and not (kept.exists() and WORDS.findall(kept.read_text()) == WORDS.findall(drawn.read_text())):
        kept.write_text(drawn.read_text())
    assert WORDS.findall(kept.read_text()) == WORDS.findall(drawn.read_text()) != []


def prose_and_blocks(page: Path) -> tuple[str, str]:
    text = page.read_text()
    return re.sub(r"`[^`]*`|section [\d.]+", "", BLOCK.sub("", text)), "\n".join(
        body for _, body in BLOCK.findall(text)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_number_in_the_words_stands_in_what_was_run(page):
    """A number with a decimal point is one from a block of the page, rounded, as it is or as a percentage."""
    prose, blocks = prose_and_blocks(page)
    known = [float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", blocks.replace(",", ""))]
    for number, percent in NUMBER.findall(prose):
        half = 0.5000001 * 10.0 ** -len(number.partition(".")[2])
        scales = (1, 100) if percent else (1,)
        near = (abs(scale * value - float(number)) <= half for scale in scales for value in known)
        assert any(near), f"{number}{percent} in {page.name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_fraction_in_the_words_stands_in_what_was_run(page):
    prose, blocks = prose_and_blocks(page)
    for fraction in FRACTION.findall(prose):
        assert re.search(rf"(?<![\d/]){fraction}(?![\d/])", blocks), f"{fraction} in {page.name}"


FAILING = [
    "echo started; exit 3",
    "echo started; exit 3  # exit status 2",
    "echo started  # exit status 1",
    "echo 'Traceback (most recent call last):' >&2",
]


@pytest.mark.parametrize("command", FAILING)
def test_a_page_never_takes_what_a_failing_command_prints(command, tmp_path):
    page, folder = tmp_path / "page.md", tmp_path / "folder"
    text = f"```console\n$ {command}\nas it was\n```\n"
    page.write_text(text)
    folder.mkdir()
    with pytest.raises(AssertionError):
        must_say(page, command, "as it was\n", folder, keep=True)
    assert page.read_text() == text


def test_a_page_may_announce_that_a_command_fails(tmp_path):
    page, folder = tmp_path / "page.md", tmp_path / "folder"
    page.write_text("```console\n$ echo refused; exit 3  # exit status 3\nas it was\n```\n")
    folder.mkdir()
    must_say(page, "echo refused; exit 3  # exit status 3", "as it was\n", folder, keep=True)
    assert page.read_text() == "```console\n$ echo refused; exit 3  # exit status 3\nrefused\n```\n"


def test_there_is_a_page_for_each_text():
    assert {page.name[0] for page in PAGES} >= {"1", "2", "3", "4", "5"}
    assert COMMANDS
