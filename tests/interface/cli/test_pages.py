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


@pytest.mark.slow_cases(
    "1-hazard: dicelab sweep hazard --over main=5..9 --exact",
    "3-toss-up: dicelab play tossup --target 20 -s one_roll -s bank_over:19 --stream r",
    "5-lcr-failings: dicelab exact examples/lcr_variants.py:lcr-last-center --players 3",
    "5-lcr: dicelab exact lcr --players 3",
    "5-lcr: dicelab text 5 --seed 1",
    "README: dicelab edges craps --profile atlantic_city --only 'big*' --only 'put_",
    "README: dicelab edges craps --profile crapless --bet dont_pass_bar12  # exit s",
    "best: dicelab best tossup --target 20 --dice 5 --at points=4 --at scores=12,",
    "best: dicelab best tossup --target 40 --dice 4",
    "cards: dicelab solve tossup --dice 3 --target 20 --out best.npz > /dev/null &",
    "cards: dicelab solve tossup --target 20 --dice 3 --out best.npz > /dev/null &",
    "crapless: COLUMNS=120 dicelab edges craps --profile crapless --only 'crapless_*'",
    "crapless: dicelab edges craps --profile crapless --bet pass  # exit status 2",
    'dice: dicelab dice "2d20 lowest + 5" --at-least 15 --plot dice-lowest.svg | ',
    "edges: dicelab edges craps-bet --bet dont_pass_bar12",
    "edges: dicelab edges pass-line",
    "engines: dicelab simulate lcr --games 5000 --seed 1 --explain",
    "equilibrium: dicelab equilibrium mia --faces 3 --lives 1",
    "equilibrium: dicelab equilibrium verification/liars_die.py --faces 3",
    "fair-dice: dicelab dice 2d6 --test 9,16,26,33,43,43,44,34,26,17,9",
    "fair-dice: dicelab dice d6 --test 16,18,21,15,14,16 --plot fair-dice.svg",
    "field: dicelab edges craps --only 'field_*' --fractions --plot craps-field.sv",
    "gallery: dicelab exact lcr --players 4 --plot gallery-seats.svg",
    "gallery: dicelab simulate lcr --players 3 --games 10000 --seed 1 --with-exact -",
    "gambler: dicelab edges craps --only 'pass*' --only 'field*'",
    "hands: dicelab exact craps -s watch --until-hands 1 --until-rounds 0 --tally ",
    "hardways: dicelab edges craps --only 'hard4' --only 'hard6' --fractions",
    "judge: dicelab judge lcr --players 3 --counts 616,655,729 --mean turns=14.9  ",
    "judge: dicelab judge lcr --players 3 --counts 616,655,729 --mean turns=18.9",
    "learn: dicelab learn examples/pig.py --target 20 --method turns --games 300 -",
    "learn: dicelab learn examples/pig.py --target 20 --method values --games 300 ",
    "numbers: COLUMNS=120 dicelab edges craps --only 'place_*' --only 'buy_*' --only",
    "numbers: dicelab edges craps --bet buy_4_vig_on_win --stake 35 --vig down",
    "odds: dicelab edges craps --only 'dont_pass_lay_*_risk'",
    "odds: dicelab edges craps --only 'take_odds_*' --only 'lay_odds_*' --fractio",
    "play: dicelab play tossup --target 3 --dice 4 -s one_roll -s bank_over:2 --s",
    "playtests: for seed in 1 2 3 4 5 6; do yes bank | dicelab play tossup --target 20",
    "propositions: dicelab edges craps --only 'hop_*' --fractions",
    "propositions: dicelab edges craps --only any7 --only any_craps --only 'two*' --only ",
    "published: dicelab edges craps --bet dont_pass_bar12",
    "published: dicelab edges craps --bet pass",
    "researcher: dicelab solve tossup --target 20",
    "review: dicelab play tossup --target 20 -s one_roll -s bank_over:15 --seed 9 -",
    "review: dicelab simulate tossup --target 20 -s bank_over:10 -s bank_over:12 --",
    "saved-games: dicelab play hazard --seed 1 --save round.json > /dev/null; dicelab pl",
    "solve: dicelab solve examples/pig.py --against hold_at:20 --seat 1",
    "solve: dicelab solve verification/shut_the_box.py --objective shut",
    "store: dicelab simulate hazard --games 1e4 --seed 1 --store runs.db > /dev/nu",
    "strategies: dicelab exact tossup -s ./mine.py:three_greens -s one_roll --target 20",
    "strategies: dicelab exact tossup -s ./wavering.py:wavering -s one_roll --target 20",
    "strategies: dicelab sweep tossup -s ./mine.py:chase -s bank_over --over ./mine.py:",
    "student: dicelab exact pass-line",
    "student: dicelab simulate pass-line --games 100000 --seed 1 --with-exact",
    "tutorial: dicelab exact ./duel.py",
    "tutorial: dicelab simulate ./duel.py --games 100000 --seed 1",
    "why: dicelab why hazard --on throws",
    "why: dicelab why lcr --players 3 --coins 1 --plot why-lcr.svg",
)
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
