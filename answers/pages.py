"""Pages and tables: the prose of a page is in a template beside this file, every number comes from the code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

HERE = Path(__file__).parent
ROOT = HERE.parent
PICTURES = ROOT / "docs" / "pictures"


def write(name: str, values: Mapping[str, str]) -> None:
    """Fill the template of a page, ``answers/NAME.md``, and write ``docs/answers-NAME.md``.

    Raises
    ------
    SystemExit
        When the template has a place for which there is no value, or a value has no place.
    """
    template = Template((HERE / f"{name}.md").read_text(encoding="utf-8"))
    places = set(template.get_identifiers())
    if places != set(values):
        raise SystemExit(f"{name}.md: no value for {places - set(values)}, no place for {set(values) - places}")
    page = ROOT / "docs" / f"answers-{name}.md"
    page.write_text(template.substitute(values), encoding="utf-8")
    print(f"wrote {page.relative_to(ROOT)}")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, its first column to the left."""
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])


def chance(value: float, digits: int = 6) -> str:
    """Return a probability."""
    return f"{value:.{digits}f}"


def points(value: float, digits: int = 2) -> str:
    """Return a difference of probabilities, in games of 100.

    >>> points(0.0123)
    '1.23'
    """
    return f"{100 * value:.{digits}f}"


def bound(error: float) -> str:
    """Return an error rounded up to one digit.

    >>> bound(1.36e-11)
    '2e-11'
    """
    digit, exponent = f"{error:.0e}".split("e")
    if float(f"{digit}e{exponent}") < error:
        digit = str(int(digit) + 1)
    return f"{digit}e{int(exponent)}" if digit != "10" else f"1e{int(exponent) + 1}"


def must_agree(what: str, one: float, other: float, within: float) -> None:
    """Stop if two computations of the same number disagree.

    Raises
    ------
    SystemExit
    """
    if not abs(one - other) <= within:
        raise SystemExit(f"{what}: {one!r} and {other!r} differ by more than {within:g}")
