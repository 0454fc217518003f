"""A lab for others: behind a reverse proxy, under a path, with limits for each visitor and for all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from asking import HEADERS, TOKEN
from dicelab.errors import ParameterError
from dicelab.interface.lab import job, lab
from dicelab.interface.lab.app import STATIC, application
from dicelab.interface.lab.lab import Lab
from dicelab.interface.lab.pages import answered
from dicelab.interface.lab.proxied import place_of
from dicelab.interface.lab.runs import LiveRuns
from dicelab.interface.lab.shelf import Shelf

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


def test_a_visitor_has_so_many_questions_and_others_theirs(others: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answered, "PATIENCE", 0.0)
    monkeypatch.setattr(job, "EACH", 1)
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


def test_files_of_the_server_have_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "FOLDER", 1000)
    found = Lab(Shelf(), TOKEN, LiveRuns(), tmp_path)
    words = [found.keep(bytes([n]) * 400) for n in range(4)]
    assert [word for word in words if (tmp_path / f"{word}.csv").exists()] == words[2:]


def test_others_fill_a_store_only_up_to_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "STORE", 10)
    file = tmp_path / "runs.db"
    file.write_bytes(b"1" * 11)
    assert Lab(Shelf(), TOKEN, LiveRuns(), tmp_path, str(file), public=True).storing is None
    assert Lab(Shelf(), TOKEN, LiveRuns(), tmp_path, str(file)).storing == str(file)
    file.write_bytes(b"1" * 10)
    assert Lab(Shelf(), TOKEN, LiveRuns(), tmp_path, str(file), public=True).storing == str(file)


@pytest.mark.cases(
    "address", ["example.org", "ftp://example.org/", "https://", "https://example.org/a b", "https://example.org/?x=1"]
)
def test_what_is_no_address_of_a_proxy_is_refused(address: str) -> None:
    with pytest.raises(ParameterError, match="give the address of the lab"):
        place_of(address)


def test_an_address_without_a_path_has_none() -> None:
    assert place_of("http://Dice.Example.org:8080/") == ("dice.example.org", "")
