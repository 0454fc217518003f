"""Tables: printed, and written into the pages of `docs` between the marks that name them."""

from __future__ import annotations

import re
from pathlib import Path

from dicelab.results.text.writing import aligned

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {"learning": DOCS / "learn.md", "cluster": DOCS / "cluster.md", "cuda": DOCS / "gpu.md"}
"""Pages of tables that are not in `docs/speed.md`."""
END = "<!-- end -->"


def publish(name: str, rows: list[list[str]]) -> None:
    """Print a table, and put it in its place in the page."""
    print("\n".join(aligned(rows)), "\n", flush=True)
    put(name, markdown(rows))


def put(name: str, lines: list[str]) -> None:
    begin = f"<!-- {name}: written by make bench -->"
    page = PAGES.get(name, DOCS / "speed.md")
    text = page.read_text(encoding="utf-8")
    block = "\n".join([begin, "", *lines, "", END])
    changed, places = re.subn(f"{re.escape(begin)}.*?{END}", lambda _: block, text, flags=re.DOTALL)
    if places != 1:
        raise SystemExit(f"{page}: the mark {begin} is there {places} times")
    page.write_text(changed, encoding="utf-8")


def markdown(rows: list[list[str]]) -> list[str]:
    header, *body = rows
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return ["| " + " | ".join(row) + " |" for row in [header, rule, *body]]


def number(value: float) -> str:
    """Three significant digits."""
    return f"{float(f'{value:.3g}'):,.0f}"


def ratio(ours: float, theirs: float) -> str:
    """How many times as fast."""
    times = ours / theirs
    return f"{times:.2f}x" if times < 10 else f"{number(times)}x"


def seconds(value: float) -> str:
    return f"{value:.4f}" if value < 0.01 else f"{value:.3f}" if value < 1 else f"{value:.1f}"
