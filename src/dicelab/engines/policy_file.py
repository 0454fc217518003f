"""Reads and writes policy files: the arrays of a policy, what was solved, and a checksum; damaged files are refused.

A policy file is a compressed NumPy archive (``.npz``). It holds the arrays of its format (`FORMATS`); ``about``, JSON
text as bytes; and ``checksum``, the SHA-256 of all the others. ``about`` has the format number, the game, its
parameters, the hash of its rules, and what was solved.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dicelab.errors import InputError

STATES, TURNS, VALUES, MIXED = 2, 3, 5, 6
"""Formats: the options in every state; the values of the beginnings of turns; mixed strategies; a network that
estimates the values of states. Format 1 had no hash and no checksum, format 4 no ways into subgames."""
FORMATS = {
    STATES: {"keys": ("<u8", 2), "row": ("<i8", 1), "moves": ("<i8", 2), "worth": ("<f8", 1), "best": ("<i8", 1)},
    TURNS: {"keys": ("<u8", 2), "value": ("<f8", 1)},
    VALUES: {
        "spans": ("<i8", 2),
        "first": ("<i8", 2),
        "first_bias": ("<i8", 1),
        "second": ("<i8", 2),
        "second_bias": ("<i8", 1),
        "least": ("<f8", 1),
        "span": ("<f8", 1),
        "known": ("<u8", 2),
        "known_value": ("<f8", 2),
    },
    MIXED: {
        "keys": ("<u8", 2),
        "at": ("<i8", 1),
        "row": ("<i8", 1),
        "moves": ("<i8", 2),
        "weight": ("<i8", 1),
        "after": ("<i8", 1),
        "starts": ("<u8", 2),
    },
}
"""Type and number of dimensions of each array of a policy."""
BYTES = ("|u1", 1)
DEFLATE = 1032
"""Largest compression ratio that deflate can reach; a file that declares more data is refused before it is unpacked."""

Arrays = dict[str, NDArray[Any]]


def solve_again(path: object, about: Mapping[str, Any] | None = None) -> str:
    """Return the part of a message that says what to do about a policy that was refused; `about` is what was solved, or
    learned, as far as it is known.
    """
    if about is None or verb(about) == "solved":
        return f"solve again: dicelab solve GAME ... --out {path}"
    method = "" if about.get("format") != VALUES else f" --method {'turns' if 'outer' in about else 'values'}"
    return f"learn again: dicelab learn GAME ...{method} --out {path}"


def verb(about: Mapping[str, Any]) -> str:
    """Return whether a policy was solved or learned from games."""
    return "learned" if "games" in about else "solved"


def write(path: str | os.PathLike[str], about: Mapping[str, Any], arrays: Arrays, kind: int = STATES) -> None:
    """Write a policy file of some format."""
    text = json.dumps({**about, "format": kind}).encode()
    kept: Arrays = {name: np.ascontiguousarray(arrays[name]) for name in FORMATS[kind]}
    kept["about"] = np.frombuffer(text, np.uint8)
    with Path(path).open("wb") as file:
        np.savez_compressed(file, checksum=checksum(kept), **kept)  # type: ignore[arg-type]


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Read a policy file; returns what was solved, and the arrays.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged, not a policy, or in the format of another version.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; dicelab solve --out FILE writes one") from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path or repr('')} can't be read as a policy: {said}") from error
    try:
        return _unpacked(path, content)
    except InputError:
        raise
    except Exception as error:  # a damaged file can raise almost anything
        raise InputError(
            f"{path} is not a policy that dicelab wrote, or is damaged ({error}); {solve_again(path)}"
        ) from error


def _unpacked(path: str | os.PathLike[str], content: bytes) -> tuple[dict[str, Any], Arrays]:
    """Return what `read` returns, from the bytes of the file."""
    with ZipFile(BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > DEFLATE * len(content):
            raise ValueError("it declares more numbers than it can hold")
        packed = _array(archive, "about", BYTES)
        about: dict[str, Any] = json.loads(packed.tobytes())
        _must_be_of_this_version(path, about["format"])
        kinds = FORMATS[about["format"]]
        arrays: Arrays = {name: _array(archive, name, kind) for name, kind in kinds.items()}
        expected = _array(archive, "checksum", BYTES)
    if not np.array_equal(checksum({**arrays, "about": packed}), expected):
        raise ValueError("its content does not match its checksum")
    return about, arrays


def _must_be_of_this_version(path: str | os.PathLike[str], written: object) -> None:
    """Refuse a file in the format of another version."""
    if written in FORMATS:
        return
    raise InputError(
        f"{path} was written by another version of dicelab, in format {written!r}, which this version can't read; "
        f"{solve_again(path)}"
    )


def _array(archive: ZipFile, name: str, kind: tuple[str, int]) -> NDArray[Any]:
    """Return one array of an archive; unpacked only if type, dimensions and size are those expected."""
    info = archive.getinfo(f"{name}.npy")
    with archive.open(info) as member:
        if npy.read_magic(member) != (1, 0):
            raise ValueError(f"the array {name} is in another format")
        shape, _, dtype = npy.read_array_header_1_0(member)
        declared = member.tell() + prod(shape) * dtype.itemsize
    if (dtype.str, len(shape)) != kind or declared != info.file_size:
        raise ValueError(f"the array {name} does not have the declared shape")
    with archive.open(info) as member:
        return np.asarray(npy.read_array(member, allow_pickle=False))


def checksum(arrays: Arrays) -> NDArray[np.uint8]:
    """Return the SHA-256 of the names, types, shapes and numbers of some arrays, as 32 bytes."""
    digest = sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return np.frombuffer(digest.digest(), np.uint8)
