"""A file named on the command line is watched: findings beside its lines, figures, and pages that follow."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from asking import TOKEN, printed
from dicelab.interface.lab.app import application
from dicelab.interface.lab.job import Job, JobLimits
from dicelab.interface.lab.shelf import filled
from support import SetLimits

PIG = Path("examples/pig.py").read_text()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "mine.py"
    found.write_text(PIG)
    return found


@pytest.fixture
def lab(file: Path) -> Iterator[TestClient]:
    """A lab with one file, for tests that change it."""
    with TestClient(application(filled([str(file)]), TOKEN), base_url="http://127.0.0.1") as client:
        yield client


def save(file: Path, text: str) -> None:
    """Save a file, later than before."""
    later = file.stat().st_mtime_ns + 10**6
    file.write_text(text)
    os.utime(file, ns=(later, later))


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_a_saved_file_has_a_new_stamp_and_new_rules(lab: TestClient, file: Path) -> None:
    before = lab.get("/games/mine/stamp").json()["stamp"]
    assert lab.get("/games/mine/stamp").json()["stamp"] == before
    assert f'data-stamp="{before}"' in lab.get("/games/mine/exact?target=5").text
    first = lab.get("/games/mine/exact.json?target=5").json()["tallies"]["throws"]["mean"]
    save(file, PIG.replace("if face == 1:", "if face == 2:"))
    assert lab.get("/games/mine/stamp").json()["stamp"] != before
    assert lab.get("/games/mine/exact.json?target=5").json()["tallies"]["throws"]["mean"] != first


def test_an_error_stands_below_its_line_and_goes_when_it_is_corrected(lab: TestClient, file: Path) -> None:
    line = 1 + PIG[: PIG.index("def die")].count("\n")
    save(file, PIG.replace("def die(self", "def die(self,,", 1))
    page = lab.get("/games/mine/check").text
    assert re.search(rf'<tr class="differs"><td class="n">{line}</td>.*?</tr>\s*<tr class="finding">', page)
    assert f"mine.py, line {line}: invalid syntax" in words(page)
    assert "Figures follow" in lab.get("/games/mine/check/figures").text
    failed = lab.get("/games/mine/exact")
    assert failed.status_code == 422
    assert 'name="watched"' in failed.text
    assert "/games/mine/check" in failed.text
    save(file, PIG)
    assert "invalid syntax" not in lab.get("/games/mine/check").text
    assert "10,000" not in words(lab.get("/games/mine/check/figures").text)
    assert "player 1" in words(lab.get("/games/mine/check/figures").text)


@pytest.mark.slow
def test_the_json_of_the_check_is_that_of_the_command_also_for_a_broken_file(lab: TestClient, file: Path) -> None:
    save(file, PIG.replace("self.points += face", "self.points += nothing"))
    said = lab.get("/games/mine/check.json").json()
    assert said == printed("check", str(file)) | {key: said[key] for key in ("seconds",)}
    assert not said["lawful"]
    part = lab.get("/games/mine/check/part").text
    at = next(finding["where"]["line"] for finding in said["findings"] if finding["verdict"] == "broken")
    assert re.search(rf'<tr class="differs"><td class="n">{at}</td>', part)
    assert "broken" in words(part)


ENDLESS = "from dicelab.rules import Game\n\nwhile True: pass\n"
STUBBORN = "while True:\n    try:\n        while True: sum(range(9))\n    except BaseException: pass\n"


def reading(lab: TestClient) -> bool:
    """Whether the file is being read."""
    task = lab.app.state.lab.shelf._reading.get("mine")  # type: ignore[attr-defined]
    return task is not None and not task.done()


def test_no_other_page_waits_for_a_file_that_is_never_read(lab: TestClient, file: Path) -> None:
    save(file, ENDLESS)
    for page in ("/", "/games/lcr", "/games/hazard/exact.json", "/games/mine/stamp", "/runs"):
        assert lab.get(page).status_code == 200
    lab.get("/")
    assert reading(lab)


@pytest.mark.parametrize(
    ("text", "words_of"),
    [(ENDLESS, "mine.py, line 3: still being read after 1 seconds"), (STUBBORN, "reading it takes longer")],
)
def test_a_file_that_is_never_read_is_reported_with_its_text(
    lab: TestClient, file: Path, limits: SetLimits, text: str, words_of: str
) -> None:
    limits(file_seconds=1.0)
    before = lab.get("/games/mine/stamp").json()["stamp"]
    save(file, text)
    page = lab.get("/games/mine/check").text
    assert words_of in words(page)
    assert "while True:" in words(page)
    assert words_of in words(lab.get("/games/mine/check/part").text)
    assert words_of in words(lab.get("/").text)
    assert words_of in words(lab.get("/games/mine/exact").text)
    stamp = lab.get("/games/mine/stamp").json()["stamp"]
    assert stamp != before
    assert f'data-stamp="{stamp}"' in page


def test_a_file_that_is_mended_is_read_at_once(lab: TestClient, file: Path) -> None:
    save(file, ENDLESS)
    lab.get("/")
    assert reading(lab)
    save(file, PIG.replace("if face == 1:", "if face == 2:"))
    assert "broken" not in words(lab.get("/games/mine/check").text)
    assert lab.get("/games/mine/exact.json?target=5").status_code == 200
    assert not reading(lab)


def test_only_files_of_the_command_line_are_watched(client: TestClient) -> None:
    for page in ("check", "check.json", "check/part", "stamp"):
        assert client.get(f"/games/lcr/{page}").status_code == 404
    assert 'name="watched"' not in client.get("/games/lcr").text


def checking(file: Path) -> bool:
    """Whether a process checks the file."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(line.read_bytes())
        except OSError:
            continue
    return any(b"dicelab.conformance" in words and str(file).encode() in words for words in found)


def test_a_job_that_is_ended_takes_what_it_has_started_with_it(file: Path) -> None:
    save(file, "while True:\n    pass\n")

    async def leave() -> None:
        following = Job("own.check", JobLimits(), file=str(file), seconds=60.0).messages()
        waiting = asyncio.ensure_future(anext(following))
        while not checking(file):
            await asyncio.sleep(0.1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(asyncio.wait_for(leave(), 30))
    until = time.monotonic() + 10
    while checking(file) and time.monotonic() < until:
        time.sleep(0.1)
    assert not checking(file)


def test_a_check_that_runs_out_of_time_is_not_finished(lab: TestClient, file: Path, limits: SetLimits) -> None:
    limits(check_seconds=0.01)
    part = lab.get("/games/mine/check/part").text
    assert words(part).startswith("not finished not done within 0.01 s, so the rest was not checked")
    assert "lawful" not in words(part).partition("finding")[0]
