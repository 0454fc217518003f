"""The messages that pages of the documentation list: each is what the command says today."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
SPINS = '''
"""A game whose money has too many values to list."""
from dicelab.rules import D6, OVER, SUM, Casino, Int, Tally, throw, thrown


class Spins(Casino):
    name, outcomes = "spins", ("end",)
    at = Int(0, 20, "spins so far")
    money = Tally("net win")

    def next(self):
        return OVER if self.at == 20 else throw(self.reel)

    @thrown(3, D6, SUM)
    def reel(self, total):
        self.at += 1
        self.money += total**7

    def outcome(self):
        return 0
'''
FILES = {
    "rolls.csv": "die\nsix\n",
    "ragged.csv": "3,4\n" * 8 + "5\n",
    "numbered.csv": "".join(f"{n},{n % 6 + 1}\n" for n in range(1, 10)),
    "seven.csv": "3\n7\n",
    "totals.csv": "".join(f"{n % 6 + 1},{n % 5 + 1},{n % 6 + n % 5 + 2}\n" for n in range(9)),
    "slip.csv": "1\n2\n3\n4\n5\n6\n" * 20 + "7\n",
    "pupils.xlsx": "PK\0\0",
    "unnamed.csv": "0,1,2\n598,645,757\n",
    "titled.csv": "Class 9b,,,\nname,0,1,2\nAnn,598,645,757\n",
    "short.csv": "name,seed,0,1,2\n" + "Ann,1,598,645,757\n" * 6 + "Ben,2,623\n",
    "uncounted.csv": "name,points\nAnn,x\n",
    "missing.csv": "name,0,1\nAnn,598,645\n",
    "twice.csv": "name,0,1,2\nAnn,598,645,757\nAnn,598,645,757\n",
    "total.csv": "name,0,1,2\nAnn,598,645,757\nBen,623,648,729\nTotal,1221,1293,1486\n",
    "worded.csv": "name,0,1,2\nAnn,598,645,x\n",
    "spins.py": SPINS,
}
CLASS = "judge lcr --players 3 --class"
SAID = {
    "dice.md": [
        'dice "4d6 keep 3"',
        "dice 1d20adv",
        "dice 4d6kh5",
        'dice "2d10 > 100"',
        "dice 4d6!kh3",
        "dice d6!>0",
        "dice 2d6[fire]",
        'dice "output [highest 3 of 4d6]"',
        "dice 1000000d6",
        "dice 2d20 + 5",
    ],
    "fair-dice.md": [
        "dice --test rolls.csv",
        "dice --test ragged.csv",
        "dice --test numbered.csv",
        "dice --test totals.csv",
        "dice --test slip.csv",
        "dice d6 --test seven.csv",
        "dice d6 --test 1,2,3,4,5",
        "exact pass-line --dice-from 1,2,2,2,2,2",
        "exact lcr --dice-from 10,10,10,10,10,10",
        "edges craps --dice-from 10,10,10,10,10,10 --check 1000",
    ],
    "class.md": [
        f"{CLASS} unnamed.csv",
        f"{CLASS} titled.csv",
        f"{CLASS} short.csv",
        f"{CLASS} pupils.xlsx",
        f"{CLASS} uncounted.csv",
        f"{CLASS} missing.csv",
        f"{CLASS} twice.csv",
        f"{CLASS} total.csv",
        f"{CLASS} worded.csv",
        f"{CLASS} total.csv --counts 1,2,3",
        "exercise yahtzee -o e.html",
        "exercise lcr --players 3 --pupils none -o e.html",
        "exercise lcr --players 3 -o e.pdf",
    ],
    "par.md": [
        "par hazard",
        "par craps --only 'feld*'",
        "par pass-line --html sheet.pdf",
        "par spins.py --memory 1M",
    ],
    "tune.md": [
        "tune lcr --over players=2..4",
        "tune lcr --over players=2..4 --want gap=1",
        "tune lcr --over players=2..9 --over coins=1..100 --over dice=1..6 --want turns<9",
    ],
    "sweep.md": [
        "sweep hazard --over main=5..7 --best-by throw",
        "sweep lcr --over players=2..3 --best-by gap --games 10",
        "sweep hazard --over main=5..9 --best-by win --solve-for win=0.5",
    ],
}
"""By page: the command that is answered by each message, in the order of the table."""


def listed(page: str) -> list[str]:
    """Return the messages of a page's table; what is said by an exercise in the browser is tested there."""
    table = (DOCS / page).read_text(encoding="utf-8").partition("| message | what to do |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(.*?)`( \(in the page\))?", table, re.MULTILINE)
    return [message for message, browser in rows if not browser]


@pytest.mark.slow_cases("fair-dice.md", "par.md")
@pytest.mark.parametrize("page", SAID)
def test_each_message_of_a_page_is_said(page, dicelab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    messages = listed(page)
    assert len(messages) == len(SAID[page])
    for message, command in zip(messages, SAID[page], strict=True):
        said = dicelab(*shlex.split(command))
        text = " ".join(f"{said.out} {said.err}".split())
        for part in filter(None, map(str.strip, message.split("..."))):
            assert part in text, command
