"""Keeps what somebody gives to the pages `judge` and `playtests` in the folder of this run of the lab, under a hash."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from dicelab.interface.lab.lab import lab_of

LARGEST = 20_000_000
"""Bytes of a table, at most."""


async def table(request: Request) -> Response:
    """Keep a table; returns the word for it in addresses."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > LARGEST:
            return PlainTextResponse(f"a table may have at most {LARGEST // 10**6} MB\n", 413)
    return JSONResponse({"table": lab_of(request).keep(bytes(found))}, status_code=201)
