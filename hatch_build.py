"""The long description of the distributions: README.md, without the links and pictures that only a checkout has.

A package index shows the text alone. With a repository in ``[project.urls]`` the links lead there, to the tag of the
version; without one the words stay, and pictures are left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?:)([^)]+)\)\n+(\*[^*]+\*\n+)?")
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)]+)\)")


def long_description(readme: str, repository: str, version: str) -> str:
    """Return the README with links that lead somewhere wherever it is read."""
    if not repository:
        return LINK.sub(r"\1", PICTURE.sub("", readme))
    base = f"{repository.rstrip('/')}/blob/v{version}"
    pictured = re.sub(r"(!\[[^\]]*\]\()(?!https?:)([^)]+)", rf"\1{base.replace('/blob/', '/raw/')}/\2", readme)
    return re.sub(r"(?<!!)(\[[^\]]+\]\()(?!https?:|#)([^)]+)", rf"\1{base}/\2", pictured)


class CustomMetadataHook(MetadataHookInterface):
    """What Hatchling calls for the metadata that pyproject.toml leaves to it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the long description."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = metadata.get("urls", {}).get("Repository", "")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": long_description(text, repository, metadata.get("version", "")),
        }
