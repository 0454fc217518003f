"""Keeps compiled kernels: one file each, named by a hash of everything that it depends on.

An edited rule can so never meet an old kernel. (Numba's own cache does not notice an edit in another file, numba issue
#9316; here nothing that matters is in another file without being part of the name.)
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any


def cache_folder() -> Path:
    """Where kernels are kept: ``$DICELAB_CACHE_DIR``, else the user's cache folder."""
    from platformdirs import user_cache_path

    chosen = os.environ.get("DICELAB_CACHE_DIR")
    return (Path(chosen) if chosen else user_cache_path("dicelab")) / "kernels"


def fingerprint(text: str) -> str:
    """Hash of a kernel's text, of the code it shares and of the versions that compile it."""
    shared = Path(__file__).with_name("jit.py").read_bytes()
    versions = " ".join([sys.version, *(version(package) for package in ("numba", "numpy", "llvmlite"))])
    return hashlib.sha256(b"\0".join([text.encode(), shared, versions.encode()])).hexdigest()[:24]


def load(text: str) -> Callable[..., int]:
    """The kernel of a text, compiled when first called and kept for the next run where the cache can be written."""
    name = f"dicelab_kernel_{fingerprint(text)}"
    if name in sys.modules:
        kernel: Callable[..., int] = sys.modules[name].kernel
        return kernel
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.py"
        if not path.exists() or path.read_text() != text:
            _write_at_once(path, text)
    except OSError:
        scratch = tempfile.mkdtemp(prefix="dicelab-")
        path = Path(scratch) / f"{name}.py"
        path.write_text(text.replace("cache=True", "cache=False"))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    loaded: Callable[..., int] = module.kernel
    return loaded


def _write_at_once(path: Path, text: str) -> None:
    """Write a file so that nobody ever sees half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.replace(temporary, path)
