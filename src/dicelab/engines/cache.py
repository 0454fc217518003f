"""Keeps compiled kernels: one file each, named by a hash of everything that it depends on.

An edited rule can so never meet an old kernel. (Numba's own cache does not notice an edit in another file, numba issue
#9316; here nothing that matters is in another file without being part of the name.)
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import ModuleType


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


def name_of(text: str) -> str:
    """Name of the module that holds a kernel."""
    return f"dicelab_kernel_{fingerprint(text)}"


def load(text: str) -> Callable[..., int]:
    """The kernel of a text, compiled when first called and kept for the next run where the cache can be written."""
    name = name_of(text)
    if name not in sys.modules:
        path = _stored(name, text)
        module = ModuleType(name)
        module.__file__ = str(path) if path else None
        code = text if path else text.replace("cache=True", "cache=False")
        exec(compile(code, str(path or name), "exec"), module.__dict__)
        sys.modules[name] = module
    kernel: Callable[..., int] = sys.modules[name].kernel
    return kernel


def _stored(name: str, text: str) -> Path | None:
    """The file of a kernel, written if need be; None where the cache can't be written."""
    path = cache_folder() / f"{name}.py"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != text.encode():
            _write_at_once(path, text)
    except OSError:
        return None
    return path


def kept(text: str) -> bool:
    """Is the kernel of a text at hand, so that nothing need be compiled?"""
    name = name_of(text)
    return name in sys.modules or any(cache_folder().glob(f"__pycache__/{name}.*.nbc"))


def forget(text: str) -> None:
    """Throw away what is kept of a kernel, because it can't be read."""
    name = name_of(text)
    sys.modules.pop(name, None)
    for path in cache_folder().glob(f"**/{name}*"):
        path.unlink(missing_ok=True)


def _write_at_once(path: Path, text: str) -> None:
    """Write a file so that nobody ever sees half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.replace(temporary, path)
