"""Stores compiled kernels on disk: one file each, named by a hash of everything that it depends on.

An edited rule therefore never runs an old kernel. (Numba's own cache does not notice edits in imported files, numba
issue #9316; here the hash covers the imported modules of dicelab as well.)
"""

from __future__ import annotations

import atexit
import gc
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from dicelab.compile.kernels.uncompiled import code_of, wrapping
from dicelab.runtime import leftovers
from dicelab.runtime.timing import aside
from dicelab.translation.translator import NotTranslatable
from dicelab.translation.verdicts import cache_root

ALWAYS = (
    "dicelab.compile.kernels.core",
    "dicelab.compile.kernels.rule_support",
    "dicelab.compile.kernels.arguments",
    "dicelab.runtime.outcome_tables",
)
"""Modules on which every kernel depends: what it calls, and the named tuples that it takes."""
LISTS = [f"dicelab.compile.kernels.list_{part}" for part in ("support", "numbers", "tables")]
"""The modules on which kernels depend whose rules have lists; the first is the one that they import."""
KERNEL, LOOPS = "dicelab_kernel_", "loops_"
"""What names in the folder begin with: files with the text of a kernel; folders with the loops of a module."""
_unwritable: set[Path] = set()
"""Folders in which storing a kernel has failed in this process."""


def cache_folder() -> Path:
    """Return the folder of the kernels; only this user can write to it, because kernels are code that will be run.

    If others can write to the usual folder, or another user owns it, a temporary private folder is used instead.
    """
    folder = cache_root() / "kernels"
    return folder if is_private(folder) else _private_folder(str(folder))


def is_private(folder: Path) -> bool:
    """Return whether this user owns a folder and nobody else can write to it; true if the folder doesn't exist yet."""
    if not hasattr(os, "geteuid"):
        return True  # on Windows the user's folders are private
    try:
        found = folder.stat()
    except OSError:
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@cache
def _private_folder(instead_of: str) -> Path:
    """Return a temporary folder for kernels, private to this user, which is removed when the program ends."""
    leftovers.sweep(Path(tempfile.gettempdir()).glob("dicelab-kernels-*"))
    folder = Path(tempfile.mkdtemp(prefix="dicelab-kernels-"))
    leftovers.claim(folder)
    atexit.register(leftovers.remove_claimed)
    warnings.warn(
        f"others may write to {instead_of}, or own it, so kernels are compiled again in a temporary private folder; "
        "use chmod go-w, or set DICELAB_CACHE_DIR to another folder",
        stacklevel=2,
    )
    return folder


def fingerprint(text: str) -> str:
    """Hash of a kernel's text, of the dicelab modules that it imports, and of the versions of the compiler."""
    lists = LISTS if "import list_support as" in text else []
    imported = sorted({*ALWAYS, *lists, *re.findall(r"^from (dicelab[.\w]+) import", text, re.MULTILINE)})
    shared = [Path(spec.origin).read_bytes() for spec in map(find_spec, imported) if spec and spec.origin]
    return hashlib.sha256(b"\0".join([text.encode(), *shared, _versions()])).hexdigest()[:24]


@cache
def _versions() -> bytes:
    """Return the versions of Python, Numba, NumPy and llvmlite."""
    return " ".join([sys.version, *(version(package) for package in ("numba", "numpy", "llvmlite"))]).encode()


def name_of(text: str) -> str:
    """Name of the module that holds a kernel."""
    return f"{KERNEL}{fingerprint(text)}"


def load(text: str) -> Callable[..., int]:
    """Return the kernel function of a text; compiled at its first call, and stored if the cache is writable."""
    return wrapping(module_of(text).kernel)


def text_of(module: str) -> str:
    """Return the text of a module of this folder whose kernel serves all games."""
    return Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8")


def module_of(text: str) -> ModuleType:
    """Return the module made from the text of a kernel; its name `CACHED` says whether Numba may
    store compiled code.
    """
    name = name_of(text)
    if name not in sys.modules:
        path = _stored(name, text)
        module = ModuleType(name)
        module.__file__ = str(path) if path else None
        module.__dict__["CACHED"] = path is not None
        exec(code_of(text, str(path or name)), module.__dict__)
        sys.modules[name] = module
    return sys.modules[name]


def _stored(name: str, text: str) -> Path | None:
    """Return the file of a kernel, written if necessary; None if the cache isn't writable."""
    if cache_root() in _unwritable:
        return None
    try:
        path = cache_folder() / f"{name}.py"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        leftovers.share(path.parent, partial(_tidy, path.parent))
        keep_text(path, text)
    except OSError as error:
        _compile_in_memory(error)
        return None
    return path


def keep_text(path: Path, text: str) -> None:
    """Write a file unless it has this text already; the time of the file is that of its last use."""
    if path.exists() and path.read_bytes() == text.encode():
        with suppress(OSError):
            os.utime(path)
    else:
        write_at_once(path, text.encode())


@cache
def copy_of_loops(file: str) -> Path | None:
    """Return a copy of a module of dicelab that has loops, in a folder for their compiled code; None if it isn't
    writable.

    The last line names the module, because compiled code can only be read while a module of that name can be imported.
    """
    place = Path(file).relative_to(Path(__file__).parents[2])
    text = f"{Path(file).read_text(encoding='utf-8')}# {place.as_posix()}\n"
    try:
        copy = cache_folder() / f"{LOOPS}{fingerprint(text)}" / Path(file).name
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        keep_text(copy, text)
    except OSError:
        return None
    return copy


def _tidy(folder: Path) -> None:
    """Remove unfinished files of killed runs, including Numba's; called when no other process uses the folder."""
    for file in (*folder.glob("*.tmp"), *folder.glob("__pycache__/*.tmp.*")):
        file.unlink(missing_ok=True)
    leftovers.sweep(Path(tempfile.gettempdir()).glob("dicelab-kernels-*"))


def _compile_in_memory(error: OSError) -> None:
    """Compile kernels in memory only from now on, because storing one failed; warns once."""
    if cache_root() not in _unwritable:
        _unwritable.add(cache_root())
        warnings.warn(
            f"kernels can't be kept on disk, so every run compiles them again: {error}; "
            "set DICELAB_CACHE_DIR to another folder",
            stacklevel=2,
        )


def loaded(text: str) -> bool:
    """Return whether the kernel of a text has been loaded in this process."""
    return name_of(text) in sys.modules


def forget(text: str) -> None:
    """Delete the stored files of a kernel, because they can't be read."""
    name = name_of(text)
    sys.modules.pop(name, None)
    for path in cache_folder().glob(f"**/{name}*"):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def write_at_once(path: Path, content: bytes) -> None:
    """Write a file atomically: other processes see all of it or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(temporary, path)


def compile_now(text: str, play_none: Callable[[], None], game: str, places: Mapping[str, str]) -> None:
    """Compile a kernel by calling it for no games, so that errors of compilation appear before it is used.

    Parameters
    ----------
    text
        Text of the kernel.
    play_none
        Loads the kernel and calls it for no games or states.
    game, places
        For messages: name of the game, and file and line of the rule for each function of the text.

    Raises
    ------
    NotTranslatable
        With the file and line of the rule that Numba refuses.
    """
    with aside():
        from numba.core.errors import NumbaError, NumbaExperimentalFeatureWarning, UnsupportedBytecodeError

    refused = NumbaError, UnsupportedBytecodeError
    try:
        with aside(), _uncollected(), warnings.catch_warnings():
            # Where one game's record begins with all fields of another's, functions compiled for that one serve both.
            warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
            try:
                play_none()
            except (*refused, NotTranslatable):
                raise
            except OSError as error:  # a full disk, for example
                forget(text)
                _compile_in_memory(error)
                play_none()
            except Exception:  # a damaged file can raise almost anything
                forget(text)
                play_none()
    except refused as error:
        where, gist = _place_of(text, places, str(error)) or game, _gist(str(error))
        raise NotTranslatable(f"{where}: Numba can't compile the rules of {game}: {gist}") from error
    _free_bitcode(text)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Don't look for garbage meanwhile: looking takes an eighth of a compiler's time, and finds hardly any."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _free_bitcode(text: str) -> None:
    """Free the bitcode of a kernel, half of its memory; Numba keeps it for functions compiled later that call it.

    None ever does. A version of Numba that keeps it elsewhere only uses more memory.
    """
    for compiled in getattr(module_of(text).kernel, "overloads", {}).values():
        library = compiled.library
        shared = vars(library).pop("_shared_module", None)  # at once: another thread may do the same
        library._shared_module = None
        if shared is not None:
            shared.close()


def _place_of(text: str, places: Mapping[str, str], message: str) -> str:
    """File and line of the rule that a Numba error names; empty if it names none."""
    lines = text.splitlines()
    for number in re.findall(rf'{name_of(text)}\S*(?: \(|", line )(\d+)', message):
        functions = re.findall(r"^def (\w+)\(", "\n".join(lines[: int(number)]), re.MULTILINE)
        if functions and functions[-1] in places:
            return places[functions[-1]]
    return ""


def _gist(message: str) -> str:
    """Return the lines of a Numba error that say what is wrong and where."""
    lines = [line.strip() for line in message.splitlines()]
    useful = [
        line for line in lines if line and not line.startswith(("Failed in", "During:", "File ", "<source", "-", "^"))
    ]
    return " ".join(useful[:3])[:300]


# What the cache of compiled code holds: listed, and deleted -----------------------------------------------------------


DAY = 86_400


@dataclass(frozen=True)
class KeptKernel:
    """A kernel, or the loops of a module of dicelab, in the cache.

    Attributes
    ----------
    name
        The hash that identifies it.
    about
        What it is for: its first line.
    source
        The file with its text.
    size
        Bytes of all its files.
    used
        When it was last loaded, in seconds since 1970.
    outdated
        Whether no run can use it any more, because it was written for another version of dicelab, Numba, NumPy or
        Python.
    """

    name: str
    about: str
    source: Path
    size: int
    used: float
    outdated: bool

    def delete(self) -> None:
        """Delete all its files; a run that needs it compiles it again."""
        if self.source.parent == cache_folder():
            for file in _files(self.source):
                with suppress(OSError):
                    file.unlink()
        else:
            shutil.rmtree(self.source.parent, ignore_errors=True)


def kept_kernels() -> list[KeptKernel]:
    """Return all that is in the cache, the latest used first."""
    folder, found = cache_folder(), []
    for source in (*folder.glob(f"{KERNEL}*.py"), *folder.glob(f"{LOOPS}*/*.py")):
        with suppress(OSError):  # deleted by another process meanwhile
            found.append(_described(source, source.stem if source.parent == folder else source.parent.name))
    return sorted(found, key=lambda one: -one.used)


def _described(source: Path, stem: str) -> KeptKernel:
    text = source.read_text(encoding="utf-8")
    name = stem.removeprefix(KERNEL).removeprefix(LOOPS)
    try:
        outdated = fingerprint(text) != name
    except ImportError:  # it imports a module that is no more
        outdated = True
    size = sum(file.stat().st_size for file in _files(source))
    about = text.partition("\n")[0].partition(";")[0].strip('#". ')
    return KeptKernel(name, about, source, size, source.stat().st_mtime, outdated)


def _files(source: Path) -> Iterator[Path]:
    """Yield the file with the text, and the files with compiled code."""
    if source.parent == cache_folder():
        yield source
        yield from source.parent.glob(f"__pycache__/{source.stem}.*")
    else:
        yield from (file for file in source.parent.rglob("*") if file.is_file())


def prune(days: float | None = None) -> list[KeptKernel]:
    """Delete what is outdated and, if `days` are given, what was not used for so long; returns what was deleted."""
    now = time.time()
    gone = [one for one in kept_kernels() if one.outdated or (days is not None and now - one.used >= days * DAY)]
    for one in gone:
        one.delete()
    return gone
