"""Jobs: limits of time and memory, and files that do harm when they are read."""

from __future__ import annotations

import asyncio
import json
import os
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from dicelab.interface.lab.job import STAYING, Job, JobLimits, all_messages, kill_all
from dicelab.interface.lab.shelf import filled, prepared
from support import SetLimits

LONG = {"called": "lcr", "parameters": {"players": "8"}, "strategies": []}


def messages(job: Job) -> list[dict[str, Any]]:
    return asyncio.run(all_messages(job))


def ended(job: Job) -> bool:
    """Whether the process of a job has ended, soon."""
    job._process.join(10)
    return job._process.exitcode is not None


def test_a_job_that_takes_too_long_is_ended() -> None:
    job = Job("sitting.solve", JobLimits(seconds=0.5), asked=LONG, memory=1 << 34, file="never")
    assert "longer than the 0.5 seconds" in messages(job)[-1]["error"]
    assert ended(job)


def test_a_job_that_needs_too_much_memory_says_so_or_dies_alone() -> None:
    job = Job("sitting.solve", JobLimits(memory=30 << 20), asked=LONG, memory=1 << 34, file="never")
    assert "error" in messages(job)[-1]
    assert ended(job)
    assert "json" in messages(Job("own.show", JobLimits(), called="hazard"))[0]


def test_a_job_that_nobody_follows_is_ended() -> None:
    async def leave() -> Job:
        job = Job("live.live", JobLimits(), asked=LONG, games="1e12", seed="1", of=None, memory=1 << 30)
        following = job.messages()
        async for _ in following:
            break
        await following.aclose()  # type: ignore[attr-defined]
        return job

    assert ended(asyncio.run(leave()))


def test_a_process_that_stays_answers_the_next_question_unless_it_died_or_others_came() -> None:
    async def asked() -> None:
        jobs = []
        for stays in ("one", "one", "dies", "dies", "", *map(str, range(STAYING)), "one"):
            job = Job("own.show", JobLimits(stays=stays), called="hazard")
            assert "json" in (await all_messages(job))[0]
            if stays == "dies":
                job.kill()
                job._process.join(10)
            jobs.append(job.process_id)
        assert jobs[0] == jobs[1]
        assert len({*jobs}) == len(jobs) - 1, "a new process for each of the others"
        wrong = Job("own.show", JobLimits(stays="one"), called="nothing")
        assert "error" in (await all_messages(wrong))[-1]
        assert ended(wrong)
        kill_all()

    asyncio.run(asked())


def test_more_files_than_processes_are_all_read_whatever_their_encoding(tmp_path: Path, limits: SetLimits) -> None:
    limits(jobs=4)  # one that has answered counts until it is put away
    limits(files_at_a_time=2)
    rules = Path("examples/pig.py").read_text()
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(rules)
    (tmp_path / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\n# W\xfcrfel\n" + rules.encode())
    (tmp_path / "neither.py").write_bytes(b"# W\xfcrfel\n" + rules.encode())
    cards = filled([str(file) for file in sorted(tmp_path.glob("*.py"))]).cards
    assert [cards[name].get("name") for name in ("a", "b", "c", "latin", "neither")] == [*["pig"] * 4, None]
    assert "# Würfel" in cards["latin"]["rules"]
    assert "encoding" in cards["neither"]["broken"]
    assert "W\N{REPLACEMENT CHARACTER}rfel" in cards["neither"]["rules"]


def test_the_cards_of_dicelab_are_kept_in_the_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("dicelab.interface.lab.shelf.entry_points", lambda group: ())
    first = prepared([]).cards
    (kept,) = (tmp_path / "cards").iterdir()
    altered = [card | {"title": "as kept"} for card in first.values()]
    kept.write_text(json.dumps(altered))
    assert [*prepared([]).cards.values()] == altered, "they are not read again"
    kept.write_text("[{")
    assert prepared([]).cards == first
    assert json.loads(kept.read_text()) == [*first.values()]
    monkeypatch.setattr("dicelab.interface.lab.shelf.entry_points", lambda group: [EntryPoint("a", "other:A", group)])
    kept.unlink()
    assert prepared([]).cards == first
    assert not [*kept.parent.iterdir()], "games of other packages may change"


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
