"""A lab for others: behind a reverse proxy, under a path, with limits for each visitor and for all."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from starlette.testclient import TestClient

import dicelab
from asking import HEADERS, TOKEN
from dicelab.errors import ParameterError
from dicelab.interface.lab import job
from dicelab.interface.lab.answers import BEHIND, BEHIND_SECONDS, LiveRuns
from dicelab.interface.lab.app import STATIC, application
from dicelab.interface.lab.lab import Lab
from dicelab.interface.lab.pages.playing import SOLVING
from dicelab.interface.lab.proxied import place_of
from dicelab.interface.lab.shelf import Shelf
from dicelab.limits import LIMITS
from support import SetLimits

PAGES = [
    *("/", "/games/lcr", "/games/lcr/exact?players=3&wait=1", "/games/lcr/simulate?seed=1", "/games/lcr/play?seed=1"),
    *("/games/tossup/review?target=6&dice=3&seed=3&moves=1", "/games/craps/play?seed=3", "/games/lcr/judge", "/yours"),
    *("/games/pig/check", "/playtests", "/runs", "/dice?expressions=2d6", "/games/nothing"),
]


@pytest.fixture(scope="module")
def others(client: TestClient) -> Iterator[TestClient]:
    """The lab of the tests as a proxy offers it, which leaves the path in what it asks for."""
    shelf = client.app.state.lab.shelf  # type: ignore[attr-defined]
    app = application(shelf, TOKEN, hosts=("example.org",), public=True, path="/dice")
    with TestClient(app, base_url="http://example.org/dice") as found:
        yield found


@pytest.mark.cases("page", PAGES)
def test_addresses_in_pages_are_under_the_path(others: TestClient, page: str) -> None:
    shown = others.get(page).text
    found = [
        unescape(address) for address in re.findall(r'\s(?:href|src|action|content|data-[a-z]+)="(/[^"]*)"', shown)
    ]
    assert len(found) > 5
    assert all(address.startswith("/dice/") for address in found), found
    assert '="/games' not in shown
    assert "&#34;/games" not in shown


def test_modules_import_and_ask_under_the_path(others: TestClient) -> None:
    for file in STATIC.glob("*.js"):
        text = others.get(f"/static/{file.name}").text
        addresses = re.findall(r"""["'`](/[a-z]+[/.][^"'`$]*)""", text)
        assert all(address.startswith("/dice/") for address in addresses), (file.name, addresses)
        for address in re.findall(r'from "(/dice/[^"]+)"', text):
            assert others.get(address.removeprefix("/dice")).status_code == 200


def test_redirections_are_under_the_path_also_where_the_proxy_leaves_it_out(others: TestClient) -> None:
    kept = others.get("/games/lcr/play", follow_redirects=False)
    assert kept.headers["location"].startswith("/dice/games/lcr/play?seed=")
    left_out = others.get("http://example.org/games/lcr/play", follow_redirects=False)
    assert left_out.headers["location"].startswith("/dice/games/lcr/play?seed=")
    assert others.get("http://example.org/dice", follow_redirects=True).status_code == 200
    assert int(kept.headers.get("content-length", 0)) == len(kept.content)
    assert others.head("/").status_code in (200, 405)


def test_what_was_typed_is_not_taken_for_an_address(others: TestClient) -> None:
    shown = others.get("/dice?expressions=/games/lcr&at_least=/static").text
    assert ">/games/lcr</textarea>" in shown or 'value="/games/lcr"' in shown
    assert 'value="/static"' in shown


def test_a_visitor_has_so_many_questions_and_others_theirs(others: TestClient, limits: SetLimits) -> None:
    limits(answer_seconds=0.0, jobs_each=1)
    one, other = {"X-Forwarded-For": "9.9.9.9, 1.1.1.1"}, {"X-Forwarded-For": "9.9.9.9, 2.2.2.2"}
    first = re.search(r'data-work="(\w+)"', others.get("/games/lcr/exact?players=9", headers=one).text)
    assert first is not None
    assert not others.get(f"/jobs/{first[1]}", headers=one).json()["ended"]
    assert others.get("/games/hazard/exact.json?main=5", headers=one).json()["error"] == job.YOURS
    assert "error" not in others.get("/games/hazard/exact.json?main=6", headers=other).json()
    others.post(f"/jobs/{first[1]}/cancel", headers=HEADERS)
    others.get(f"/jobs/{first[1]}", headers=one)
    assert "error" not in others.get("/games/hazard/exact.json?main=5", headers=one).json()


def test_others_can_neither_edit_nor_delete(others: TestClient) -> None:
    assert 'id="editor"' not in others.get("/games/pig/check").text
    assert others.post("/games/pig/save", json={"text": "", "was": ""}, headers=HEADERS).status_code == 404
    assert "lets others in" in others.post("/runs/1/delete", headers=HEADERS).text


def test_files_of_the_server_have_room(tmp_path: Path, limits: SetLimits) -> None:
    limits(lab_bytes=1000)
    found = Lab(Shelf(), TOKEN, LiveRuns(), tmp_path)
    words = [found.keep(bytes([n]) * 400) for n in range(4)]
    assert [word for word in words if (tmp_path / f"{word}.csv").exists()] == words[2:]


def test_others_fill_a_store_only_up_to_its_limit(tmp_path: Path, limits: SetLimits) -> None:
    limits(public_store_bytes=10)
    file = tmp_path / "runs.db"
    file.write_bytes(b"1" * 11)
    assert Lab(Shelf(), TOKEN, LiveRuns(), tmp_path, str(file), public=True).storing is None
    assert Lab(Shelf(), TOKEN, LiveRuns(), tmp_path, str(file)).storing == str(file)
    file.write_bytes(b"1" * 10)
    assert Lab(Shelf(), TOKEN, LiveRuns(), tmp_path, str(file), public=True).storing == str(file)


def test_the_limits_are_those_that_the_page_of_the_documentation_states() -> None:
    said = Path("docs/lab.md").read_text()
    size = {1 << 30: "1 GB", 2 << 30: "2 GB", 4 << 30: "4 GB", 20 << 20: "20 MB"}
    for line in (
        f"| questions worked on at a time | {LIMITS.jobs_each} | {LIMITS.jobs} |",
        f"| of these in the background | 1 | {BEHIND} |",
        f"| time of a question | {job.SECONDS / 60:.0f} minute, {SOLVING.seconds / 60:.0f} to solve a game",
        f"| memory of a question | {size[LIMITS.job_bytes]}, {size[SOLVING.memory][0]} to solve a game",
        f"{size[LIMITS.lab_bytes]} with all values of this run",
        f"| the store | | {size[LIMITS.public_store_bytes]};",
    ):
        assert line in said
    assert BEHIND_SECONDS == 3600
    waits, most = NUMBERS[round(job.IDLE / 60)], NUMBERS[job.STAYING]
    assert f"waits {waits} minutes for the next move, up to {most} of them" in said


NUMBERS = {4: "four", 5: "five"}


@pytest.mark.slow
def test_nothing_is_written_but_the_cache_folder_the_store_and_a_folder_of_its_own(tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("home", "here", "cache", "temporary", "rules")}
    for place in places.values():
        place.mkdir()
    (places["rules"] / "mine.py").write_text(Path("examples/pig.py").read_text())
    kept = {name: text for name, text in os.environ.items() if name not in ("MPLCONFIGDIR", "PYTHONDONTWRITEBYTECODE")}
    kept |= {"HOME": str(places["home"]), "TMPDIR": str(places["temporary"]), "DICELAB_CACHE_DIR": str(places["cache"])}
    kept |= {"PYTHONPATH": str(Path(dicelab.__file__).parents[1])}
    store = tmp_path / "runs.db"
    words = [str(places["rules"] / "mine.py"), "--port", "0", "--store", str(store), "--at", "https://example.org/d/"]
    command = [sys.executable, "-m", "dicelab", "lab", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=places["here"], env=kept) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        try:
            for page in ("mine/exact.json?target=5", "lcr/sweep.json?over=players=2..3", "mine/play?target=5&seed=1"):
                asked = Request(f"{address}games/{page}", headers={"Host": "example.org"})
                assert urlopen(asked, timeout=120).status == 200
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
    files = [one.relative_to(tmp_path) for one in tmp_path.rglob("*") if one.is_file()]
    beside = {str(file) for file in files if file.parts[0] != "cache"}
    assert any((places["cache"] / "matplotlib").iterdir()), "its fonts are listed there, not in the home folder"
    assert "runs.db" in beside
    assert beside <= {"rules/mine.py", "runs.db", "runs.db-wal", "runs.db-shm"}


@pytest.mark.cases(
    "address", ["example.org", "ftp://example.org/", "https://", "https://example.org/a b", "https://example.org/?x=1"]
)
def test_what_is_no_address_of_a_proxy_is_refused(address: str) -> None:
    with pytest.raises(ParameterError, match="give the address of the lab"):
        place_of(address)


def test_an_address_without_a_path_has_none() -> None:
    assert place_of("http://Dice.Example.org:8080/") == ("dice.example.org", "")
