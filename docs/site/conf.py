"""The site of the documentation: `make docs` builds it from the pages as they are in the repository.

Sources are read from the root of the repository, so links between pages are the same here and there. Nothing is
fetched: names of other projects are links because docs/site/other_projects.txt says where they are described.
"""

from __future__ import annotations

import inspect
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints
from zlib import compress

from sphinx.ext.napoleon.docstring import NumpyDocstring

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "src"))

import dicelab.errors  # noqa: E402 - found only after the line above
from dicelab.version import __version__  # noqa: E402

project = "dicelab"
author = "the authors of dicelab"
html_show_copyright = False  # LICENSE has it
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
]
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

# Docstrings ----------------------------------------------------------------------------------------------------------

default_role = "py:obj"  # `dicelab.exact` in a docstring is a link
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"Strategies": "Strategies"}
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
napoleon_preprocess_types = True
napoleon_type_aliases = {
    "Axes": "matplotlib.axes.Axes",
    **{
        name: f":py:exc:`~dicelab.errors.{name}`"
        for name, kind in vars(dicelab.errors).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    },
}
# The docstring of a property is a sentence: what stands before a colon in it is no type.
NumpyDocstring._parse_attribute_docstring = lambda self: self._consume_to_end()


def bare_types(_: Any, function: Any, __: bool) -> None:
    """Leave of ``Annotated[X, ...]`` the type, before a signature is written: the rest is how a command asks for it."""
    while function is not None:
        names = getattr(inspect.unwrap(function), "__globals__", {})
        for name, text in getattr(function, "__annotations__", {}).items():
            with suppress(NameError):  # a type that only type checkers import
                alone = SimpleNamespace(__annotations__={name: text})
                full, bare = (get_type_hints(alone, names, include_extras=extras)[name] for extras in (True, False))
                if full != bare:
                    function.__annotations__[name] = bare
        function = getattr(function, "__wrapped__", None)


def written_as_python(
    _: Any, __: str, ___: str, ____: Any, _____: Any, signature: str | None, returns: str | None
) -> Any:
    """Write a default that a dataclass makes anew as ``...``: Sphinx can't read ``<factory>``."""
    return signature and signature.replace("<factory>", "..."), returns


def setup(app: Any) -> None:
    """Register what is done to signatures; Sphinx calls this."""
    app.connect("autodoc-before-process-signature", bare_types)
    app.connect("autodoc-process-signature", written_as_python)


# A name that leads nowhere is an error, unless it is a name inside dicelab that only annotations mention.
nitpicky = True
suppress_warnings = ["ref.python"]  # a name that several things have leads to the first of them
nitpick_ignore_regex = [("py:.*", r"(?!matplotlib|numpy|pandas|collections|fractions|os|pathlib).*")]


def inventories(folder: Path) -> dict[str, tuple[str, str]]:
    """Inventories as intersphinx reads them, of the projects in other_projects.txt: each with its address."""
    found: dict[str, tuple[str, str]] = {}
    for part in (HERE / "other_projects.txt").read_text().split("\n\n")[1:]:
        (name, address), *lines = (line.split() for line in part.splitlines())
        objects = "".join(f"{thing} {kind} 1 {page}#$ -\n" for thing, kind, page in lines)
        head = (
            f"# Sphinx inventory version 2\n# Project: {name}\n# Version: \n# The remainder is compressed using zlib.\n"
        )
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.inv").write_bytes(head.encode() + compress(objects.encode()))
        found[name] = (address, str(folder / f"{name}.inv"))
    return found


intersphinx_mapping = inventories(ROOT / "build" / "inventories")
