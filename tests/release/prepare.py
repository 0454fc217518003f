"""Write the version and the date of a release into the files that state them: `make release VERSION=X.Y.Z`."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def released(version: str, date: str, texts: dict[str, str]) -> dict[str, str]:
    """The texts of the files, by name, as they are in the release.

    Raises
    ------
    ValueError
        When the version is not of the form X.Y.Z, the changelog has it already or has nothing new, or a file doesn't
        state a version.

    Examples
    --------
    >>> changelog = "## [Unreleased]\\n\\n### Added\\n\\n- A game.\\n"
    >>> print(released("0.2.0", "2026-01-31", {"CHANGELOG.md": changelog})["CHANGELOG.md"])
    ## [Unreleased]
    <BLANKLINE>
    ## [0.2.0] - 2026-01-31
    <BLANKLINE>
    ### Added
    <BLANKLINE>
    - A game.
    <BLANKLINE>
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"{version!r} is no version: write VERSION=X.Y.Z")
    changes = {
        "src/dicelab/version.py": (r'__version__ = ".*"', f'__version__ = "{version}"'),
        "CITATION.cff": (r"(?m)^version: .*(\ndate-released: .*)?", f"version: {version}\ndate-released: {date}"),
        "CHANGELOG.md": (
            r"## \[Unreleased\]\n\n(To become .*\n\n)?(?=### )",
            f"## [Unreleased]\n\n## [{version}] - {date}\n\n",
        ),
    }
    found = {}
    for name, text in texts.items():
        if f"## [{version}]" in text:
            raise ValueError(f"{name} has {version} already")
        found[name], times = re.subn(*changes[name], text)
        if times != 1:
            raise ValueError(f"{name} should have one place for the version, or for what is new, and has {times}")
    return found


def main(version: str) -> None:
    """Change the files."""
    names = ("src/dicelab/version.py", "CITATION.cff", "CHANGELOG.md")
    try:
        texts = released(version, f"{datetime.now(UTC):%Y-%m-%d}", {name: (ROOT / name).read_text() for name in names})
    except ValueError as error:
        sys.exit(str(error))
    for name, text in texts.items():
        (ROOT / name).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:2] or [""])
