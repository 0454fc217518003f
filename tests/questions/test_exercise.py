"""An exercise: its page without a server, the check of counts in JavaScript, and the key."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from math import comb
from pathlib import Path

import numpy as np
import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.questions.judging.comparison import groups_of
from dicelab.questions.judging.goodness import MOST_TABLES, counts_p

FOLDER = Path(dicelab.__file__).parent / "interface" / "reporting"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is missing, which runs the script of the page")
STUB = """
const place = () => ({ textContent: "", className: "", focus() {}, addEventListener(name, run) { this[name] = run; } });
const found = { said: place(), line: place(), form: place(), who: Object.assign(place(), { selectedIndex: 0 }) };
const seed = place(), counts = COUNTS.map((text) => ({ ...place(), value: text, dataset: { name: "x" } }));
const document = {
  getElementById: (id) => id === "asked" ? { textContent: ASKED } : found[id],
  querySelectorAll: (which) => which === ".seed" ? [seed] : counts,
};
"""


def ran(script, given=""):
    done = subprocess.run([NODE, "-e", script], input=given, text=True, capture_output=True, check=True)
    return done.stdout


@needs_node
def test_the_script_finds_the_p_values_of_judge():
    rng, rows, expected = np.random.default_rng(3), [], []
    for _ in range(120):
        k, games = int(rng.integers(2, 7)), int(rng.choice([20, 100, 400, 1000, 20_000]))
        p = rng.dirichlet(np.ones(k) * rng.choice([0.5, 3]))
        counts = rng.multinomial(games, 0.9 * p + 0.1 * rng.dirichlet(np.ones(k) * 3) if rng.random() < 0.5 else p)
        groups = [[int(name) for name in group] for group in groups_of(games, dict(zip("012345"[:k], p, strict=True)))]
        small = comb(games + len(groups) - 1, len(groups) - 1) <= MOST_TABLES
        rows.append([counts.tolist(), {"games": games, "chances": p.tolist(), "groups": groups, "exact": small}])
        sums = [[sum(of[at].item() for at in group) for group in groups] for of in (counts, p)]
        expected.append(counts_p(*sums)[2])
    script = (FOLDER / "exercise.js").read_text()
    script += ";const rows = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
    script += "console.log(JSON.stringify(rows.map(([counts, asked]) => pValue(counts, asked))));"
    assert json.loads(ran(script, json.dumps(rows))) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert min(expected) < 0.001 < 0.5 < max(expected)


@pytest.mark.quick_cases("counts3-Type a whole number", "counts4-Type a whole number")
@needs_node
@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (["616", "655", "729"], "consistent with the rules"),
        (["655", "729", "616"], "don't fit the rules"),
        (["616", "655", "700"], "add up to 1971, but you were to play 2000"),
        (["616", "655", "x"], "Type a whole number"),
        (["616", "655", ""], "Type a whole number"),
    ],
)
def test_the_page_says_what_judge_says(counts, said):
    page = dicelab.exercise("lcr", players=3, pupils=["Ann", "Ben"], games=2000).page
    asked = re.search(r'<script id="asked" type="application/json">(.*?)</script>', page, re.S)[1]
    script = re.findall(r"<script>(.*?)</script>", page, re.S)[0]
    stub = STUB.replace("COUNTS", json.dumps(counts)).replace("ASKED", json.dumps(asked))
    end = "found.form.submit({ preventDefault() {} });"
    end += "console.log(JSON.stringify([found.said.textContent, found.line.textContent, seed.textContent]));"
    words, line, seed = json.loads(ran(f"{stub}{script};{end}"))
    assert said in words
    if "p-value" in words:
        judged = dicelab.judge("lcr", players=3, counts=counts)
        assert float(re.search(r"p-value ([\d.e-]+)", words)[1]) == pytest.approx(judged.p, rel=0.06)
        assert line.endswith(f"Ann,{seed},{','.join(counts)}")


def test_the_page_is_complete_and_names_cannot_change_it():
    found = dicelab.exercise("hazard", pupils=["<b>Ann</b>", "</script><script>x"], games=100, question="Is 7 < 8?")
    assert "src=" not in found.page
    assert "http" not in found.page
    assert "<b>Ann" not in found.page
    assert found.page.count("</script>") == 2
    assert "Is 7 &lt; 8?" in found.page
    asked = json.loads(re.search(r'application/json">(.*?)</script>', found.page, re.S)[1])
    assert [name for name, _ in asked["pupils"]] == ["<b>Ann</b>", "</script><script>x"]
    assert asked["chances"] == [one.probability for one in dicelab.exact("hazard").outcomes.values()]
    for words in ("Answer sheet", "Seeds", "@media print"):
        assert words in found.page


def test_the_key_has_the_exact_answer_and_the_counts_of_each_seed():
    found = dicelab.exercise("hazard", pupils=2, games=300, seed=5, main=7)
    text = unescape(re.sub(r"<[^>]+>", " ", found.key))
    assert "244/495" in text
    for seed in (row.seed for row in found.rows):
        won = dicelab.simulate("hazard", main=7, games=300, seed=seed).outcomes["win"].count
        assert re.search(rf"{seed}\s+{won}\s+{300 - won}", text)
    assert "dicelab judge hazard --class pupils.csv" in text or "--class pupils.csv" in text
    again = dicelab.exercise("hazard", pupils=2, games=300, seed=5, main=7)
    assert (again.page, again.key) == (found.page, found.key)
    assert dicelab.exercise("hazard", pupils=2, games=300, seed=6, main=7).rows != found.rows


def test_the_table_of_the_key_is_one_that_judge_reads(tmp_path):
    found = dicelab.exercise("lcr", players=3, pupils=["Ann", "Ben"], games=300)
    [head] = re.findall(r"<pre[^>]*>(name,.*?)</pre>", found.key)
    assert head == "name,seed,player 1,player 2,player 3"
    rows = [",".join(map(str, (row.name, row.seed, *row.counts.values()))) for row in found.rows]
    file = tmp_path / "pupils.csv"
    file.write_text("\n".join([head, *rows]))
    judged = dicelab.judge_class("lcr", file, players=3)
    assert [(row.name, row.seed, row.counts) for row in judged.rows] == [
        (row.name, str(row.seed), row.counts) for row in found.rows
    ]
    assert "seat" not in str(found) + re.sub(r"<script>.*?</script>|<[^>]+>", " ", found.page + found.key, flags=re.S)


def test_both_files_are_written(tmp_path):
    found = dicelab.exercise("hazard", pupils=1, games=10)
    assert found.save(tmp_path / "e.html") == [str(tmp_path / "e.html"), str(tmp_path / "e-key.html")]
    assert (tmp_path / "e-key.html").read_text(encoding="utf-8") == found.key


@pytest.mark.parametrize(
    ("game", "given", "said"),
    [
        ("yahtzee", {}, "has no outcomes"),
        ("hazard", {"pupils": 0}, "pupils: 0"),
        ("hazard", {"pupils": 501}, "1 to 500"),
        ("hazard", {"pupils": ["Ann", "Ann"]}, "two are the same"),
        ("hazard", {"pupils": "names.txt"}, "give their number, or a list"),
        ("hazard", {"games": 10**7}, "1 to 1000000"),
        ("lcr", {"players": 13}, "at most 12"),
    ],
)
def test_what_cannot_be_an_exercise_is_refused(game, given, said):
    with pytest.raises(ParameterError, match=said):
        dicelab.exercise(game, **given)
