"""A contract of `make check`: a module that one other module of its folder imports joins it, or says why it doesn't."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output

BECAUSE = "By itself because "
"""What begins the sentence of a docstring that says why a module doesn't join its only importer."""


class Rooms(Contract):
    """Each module that has a single importer, in its own folder, says why it is by itself."""

    type_name = "rooms"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find the modules without a reason."""
        pairs = [(module, graph.find_modules_that_directly_import(module)) for module in sorted(graph.modules)]
        alone = [
            (module, *users)
            for module, users in pairs
            if len(users) == 1 and {user.rpartition(".")[0] for user in users} == {module.rpartition(".")[0]}
        ]
        silent = [(module, user) for module, user in alone if not says_why(module)]
        return ContractCheck(kept=not silent, metadata={"alone": silent})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print a line for each of them."""
        for module, user in check.metadata["alone"]:
            output.print_error(f'Only {user} imports {module}: join them, or say "{BECAUSE}..." in its docstring')


def says_why(module: str) -> bool:
    """Return whether a module is a folder, or has the sentence."""
    spec = find_spec(module)
    return spec is None or spec.submodule_search_locations is not None or BECAUSE in Path(str(spec.origin)).read_text()
