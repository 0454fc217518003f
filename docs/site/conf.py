"""The site of the documentation: `make docs` builds it from the pages as they are in the repository.

Sources are read from the root of the repository, so links between pages are the same here and there.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "src"))

from dicelab.version import __version__  # noqa: E402 - found only after the line above

project = "dicelab"
author = "the authors of dicelab"
release = version = __version__

extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "docs/site/index"
include_patterns = ["*.md", "docs/*.md", "docs/**/*.md", "verification/README.md"]
exclude_patterns = ["build", ".venv*", "tests", "docs/site/_*"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
# Samples of error messages and of dicelab's own notation aren't code of any language.
highlight_language = "text"

html_theme = "furo"
html_title = f"dicelab {version}"
html_copy_source = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
