"""Jobs: limits of time and memory, and files that do harm when they are read."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from dicelab.interface.lab.job import Job, Limits, all_messages
from dicelab.interface.lab.shelf import filled

LONG = {"called": "lcr", "parameters": {"players": "8"}, "strategies": []}


def messages(job: Job) -> list[dict[str, Any]]:
    return asyncio.run(all_messages(job))


def ended(job: Job) -> bool:
    """Whether the process of a job has ended, soon."""
    job._process.join(10)
    return job._process.exitcode is not None


def test_a_job_that_takes_too_long_is_ended() -> None:
    job = Job("values", Limits(seconds=0.5), asked=LONG, memory=1 << 34, file="never")
    assert "longer than the 0.5 seconds" in messages(job)[-1]["error"]
    assert ended(job)


def test_a_job_that_needs_too_much_memory_says_so_or_dies_alone() -> None:
    job = Job("values", Limits(memory=30 << 20), asked=LONG, memory=1 << 34, file="never")
    assert "error" in messages(job)[-1]
    assert ended(job)
    assert "json" in messages(Job("show", Limits(), called="hazard"))[0]


def test_a_job_that_nobody_follows_is_ended() -> None:
    async def leave() -> Job:
        job = Job("live", Limits(), asked=LONG, games="1e12", seed="1", of=None, memory=1 << 30)
        following = job.messages()
        async for _ in following:
            break
        await following.aclose()  # type: ignore[attr-defined]
        return job

    assert ended(asyncio.run(leave()))


HARM = {
    "hog.py": "big = bytearray(1 << 40)\n",
    "ends.py": "import os\nos._exit(3)\n",
    "raises.py": "raise SystemExit('not a game')\n",
    "loud.py": "print('x' * 100_000)\nraise ValueError('loud')\n",
}


@pytest.mark.parametrize("name", HARM)
def test_a_file_that_does_harm_is_on_the_shelf_with_its_error(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(HARM[name])
    shelf = filled([str(file)])
    assert shelf.cards[file.stem]["broken"]
    assert "lcr" in shelf.cards


def test_a_file_that_is_mended_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "mended.py"
    file.write_text("class Mended(\n")
    shelf = filled([str(file)])
    assert "broken" in shelf.cards["mended"]
    file.write_text(Path("examples/pig.py").read_text())
    os.utime(file, (1, 1))
    assert asyncio.run(shelf.card("mended"))["name"] == "pig"


def test_files_of_the_same_name_have_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "pig.py").write_text(Path("examples/pig.py").read_text())
    shelf = filled(["examples/pig.py", str(tmp_path / "pig.py")])
    assert {"pig", "pig-2"} <= set(shelf.cards)
