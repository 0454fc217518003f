"""What is being done for an answer that a page waits for: how far it is, cancelling it, going on in the background."""

from __future__ import annotations

from time import perf_counter

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from dicelab.interface.lab.answers import PendingAnswer, wait
from dicelab.interface.lab.lab import lab_of

HELD = 0.7
"""Seconds for which the state of work is held back; the page that asks waits for the answer, so the work goes on."""
MANY = "too many questions are worked on in the background already; wait until one is done, or cancel it"


UNKNOWN = "this work has ended, because no page waited for it; load the page again"


def _answer(request: Request) -> PendingAnswer | None:
    return lab_of(request).answers.called(request.path_params["number"])


async def work(request: Request) -> Response:
    """Return how far the work on an answer is, after a while or as soon as it has ended."""
    answer = _answer(request)
    if answer is None:
        return JSONResponse({"error": UNKNOWN}, status_code=404)
    await wait(answer, lambda found: found.ended, request.is_disconnected, HELD)
    said = answer.said
    return JSONResponse(
        {
            "stage": said.get("stage", []),
            "seconds": perf_counter() - answer.began,
            "left": answer.left,
            "behind": answer.behind,
            "ended": answer.ended,
            "cancelled": answer.job.cancelled,
            "error": said.get("error"),
        }
    )


async def behind(request: Request) -> Response:
    """Go on with the work in the background."""
    answer = _answer(request)
    if answer is None:
        return JSONResponse({"error": UNKNOWN}, status_code=404)
    if not lab_of(request).answers.put_behind(answer):
        return JSONResponse({"error": MANY}, status_code=409)
    return Response(status_code=204)


async def cancel(request: Request) -> Response:
    """Cancel the work."""
    answer = _answer(request)
    if answer is None:
        return JSONResponse({"error": UNKNOWN}, status_code=404)
    answer.job.cancel()
    return Response(status_code=204)
