"""Write policies and certificates to files, for --out of `solve`, `policy` and `learn`, and for --certificate."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dicelab.errors import InputError
from dicelab.interface.cli.output import remark
from dicelab.results.text.writing import upper

if TYPE_CHECKING:
    from dicelab.engines.policy import SavedPolicy
    from dicelab.questions.policies.certificate import Certificate
    from dicelab.questions.policies.network import Network


ROUNDING = 1e-12
"""Gains up to this are rounding errors."""


def writable(path: str | None, option: str = "out") -> str | None:
    """Check the name of the file to write, before a long computation; return it unchanged.

    Raises
    ------
    InputError
        When it is empty, a folder, or in a folder that does not exist.
    """
    if path is not None and (not path or os.path.isdir(path)):
        raise InputError(f"{option}: {path or repr('')} is not the name of a file")
    if path is not None and not os.path.isdir(os.path.dirname(path) or "."):
        raise InputError(f"{option}: there is no folder {os.path.dirname(path)}")
    return path


def save_certificate(certificate: Certificate, path: str) -> None:
    """Write a certificate to a file, and say how it is checked.

    Raises
    ------
    NoCertificate
        When the file can't be written.
    """
    certificate.save(path)
    remark(
        f"written: {path}, {certificate.states:,} states and {certificate.edges:,} edges; "
        f"check it with: python tools/check_certificate.py {path}"
    )


def keep(policy: SavedPolicy | Network | None, path: str) -> None:
    """Write a policy to a file.

    Raises
    ------
    InputError
        When the file can't be written, or there is no policy.
    """
    from dicelab.results.draft import replacing

    if policy is None:
        raise InputError("no policy was written: the best moves depend on the memory of a given strategy")
    with replacing(path, InputError, f"out: {path}") as draft:
        policy.save(draft)
    remark(f"written: {path}")
    if alike := policy.about.get("alike"):
        gains = ", ".join(upper(gain) if gain > ROUNDING else "nothing" for gain in policy.about["gains"])
        remark(
            f"in {alike:,} situations the file plays as in others, because it knows its last move and what a player "
            f"sees, and nothing else; against it players could gain at most {gains}, in the order of seats"
        )
