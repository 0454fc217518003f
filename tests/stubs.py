"""Write the types of the public names, which are imported when they are first used: `python tests/stubs.py`.

Type checkers and editors read ``__init__.pyi`` in place of ``__init__.py``; a test holds both files to the code.
"""

from __future__ import annotations

from pathlib import Path

import dicelab
from dicelab.questions import CHARTS

PACKAGE = Path(dicelab.__file__).parent
STYLE = dict.fromkeys(("check_path", "figure", "save"), "dicelab.plots.chart_style")


def stub(names: dict[str, str]) -> str:
    """Return the text of a stub that exports names from their modules."""
    about = '"""The types of the public names; `python tests/stubs.py` writes this file."""'
    imports = sorted(f"from {module} import {name} as {name}" for name, module in names.items())
    return "\n".join([about, "", *imports, "", "__all__: list[str]", ""])


STUBS = {
    PACKAGE / "__init__.pyi": stub({**dicelab._HOME, "__version__": "dicelab.version"}),
    PACKAGE / "plots" / "__init__.pyi": stub(CHARTS | STYLE),
}

if __name__ == "__main__":
    for path, text in STUBS.items():
        path.write_text(text)
