"""The editor of a file that was named at the start: what an unsaved text gives, and when the file is written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from asking import HEADERS, TOKEN
from dicelab import rules
from dicelab.interface.lab.app import application
from dicelab.interface.lab.pages import editing
from dicelab.interface.lab.pages.editing import PARTS, contract
from dicelab.interface.lab.shelf import filled
from dicelab.interface.starters import starter
from dicelab.rules.loading import registry
from support import SetLimits

PIG = Path("examples/pig.py").read_text()
LINE = 1 + PIG[: PIG.index("self.points += face")].count("\n")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A lab whose only file is written anew by each test."""
    folder = tmp_path_factory.mktemp("edited")
    (folder / "mine.py").write_text(PIG)
    with TestClient(application(filled([str(folder / "mine.py")]), TOKEN, edits=True), "http://127.0.0.1") as client:
        client.folder = folder  # type: ignore[attr-defined]
        yield client


@pytest.fixture(scope="module")
def others(lab: TestClient) -> Iterator[TestClient]:
    """The same lab as others would reach it."""
    shelf = lab.app.state.lab.shelf  # type: ignore[attr-defined]
    with TestClient(application(shelf, TOKEN), "http://127.0.0.1") as client:
        yield client


@pytest.fixture
def file(lab: TestClient) -> Path:
    path: Path = lab.folder / "mine.py"  # type: ignore[attr-defined]
    path.unlink(missing_ok=True)
    path.write_text(PIG)
    return path


def loaded(lab: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = lab.get("/games/mine/source.json").json()
    return found


def save(lab: TestClient, text: str, was: str) -> tuple[int, dict[str, str]]:
    response = lab.post("/games/mine/save", json={"text": text, "was": was}, headers=HEADERS)
    return response.status_code, response.json()


def draft(lab: TestClient, text: str, what: str = "quick") -> dict[str, Any]:
    found: dict[str, Any] = lab.post(f"/games/mine/draft/{what}", content=text.encode(), headers=HEADERS).json()
    return found


def test_a_saved_text_is_in_the_file_and_can_be_saved_again(lab: TestClient, file: Path) -> None:
    os.chmod(file, 0o640)
    first = loaded(lab)
    assert first["text"] == PIG
    status, found = save(lab, PIG + "# one\n", first["was"])
    assert (status, file.read_text()) == (200, PIG + "# one\n")
    assert save(lab, "# é\n", found["was"])[0] == 200
    assert file.read_bytes() == "# é\n".encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in file.parent.glob("*.py*")] == ["mine.py"]


def test_a_file_that_has_changed_on_disk_is_not_overwritten(lab: TestClient, file: Path) -> None:
    was, times = loaded(lab)["was"], file.stat()
    file.write_text(PIG.replace("face == 1", "face == 2"))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # which only the text shows
    status, found = save(lab, "mine", was)
    assert (status, found["error"]) == (409, editing.CHANGED)
    assert file.read_text() == PIG.replace("face == 1", "face == 2")
    file.unlink()
    assert save(lab, "mine", was)[0] == 409
    assert not file.exists()


def test_a_file_that_can_not_be_written_holds_what_it_held(
    lab: TestClient, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was, write, given = loaded(lab)["was"], os.write, []

    def full(place: int, data: bytes) -> int:
        given.append(data)
        if len(given) == 2:
            raise OSError(28, "No space left on device")
        return write(place, bytes(data)[:50])

    monkeypatch.setattr(editing.os, "write", full)
    status, found = save(lab, "x" * 300, was)
    assert (status, found["error"]) == (422, "the file can't be written: No space left on device")
    assert file.read_text() == PIG


def test_ends_of_lines_stay_and_links_are_followed(lab: TestClient, file: Path) -> None:
    target = file.with_name("target.txt")
    target.write_bytes(b"a = 1\r\nb = 2\r\n")
    file.unlink()
    file.symlink_to(target)
    first = loaded(lab)
    assert first["text"] == "a = 1\nb = 2\n"
    assert save(lab, "a = 1\n", first["was"])[0] == 200
    assert target.read_bytes() == b"a = 1\r\n"
    assert file.is_symlink()


@pytest.mark.cases(
    ("data", "words"),
    [(b"a\r\nb\n", "different ways"), (b"a\rb", "different ways"), (b"\xff", "UTF-8"), (b"#" * 200_001, "200 kB")],
)
def test_a_file_that_would_not_survive_is_not_edited(lab: TestClient, file: Path, data: bytes, words: str) -> None:
    file.write_bytes(data)
    assert words in loaded(lab)["refused"]


@pytest.mark.cases("sent", [b"", b"[]", b'{"text": 1, "was": ""}', b'{"text": "a"}', b"\xff"])
def test_what_is_no_text_is_not_saved(lab: TestClient, file: Path, sent: bytes) -> None:
    assert lab.post("/games/mine/save", content=sent, headers=HEADERS).status_code == 400
    assert file.read_text() == PIG


@pytest.mark.cases("page", ["save", "draft/quick", "draft/figures", "draft/check"])
def test_changes_need_the_token_a_named_file_and_a_lab_of_one_s_own(
    lab: TestClient, others: TestClient, file: Path, page: str
) -> None:
    sent = {"text": "x", "was": loaded(lab)["was"]}
    assert lab.post(f"/games/mine/{page}", json=sent).status_code == 403
    assert lab.get(f"/games/mine/{page}").status_code == 405
    assert lab.post(f"/games/lcr/{page}", json=sent, headers=HEADERS).status_code == 404
    assert lab.post(f"/games/..%2Fmine/{page}", json=sent, headers=HEADERS).status_code == 404
    assert others.post(f"/games/mine/{page}", json=sent, headers=HEADERS).status_code == 404  # one that lets others in
    assert file.read_text() == PIG


def test_where_others_are_let_in_the_page_has_no_editor(lab: TestClient, others: TestClient) -> None:
    assert 'id="editor"' in lab.get("/games/mine/check").text
    assert 'id="editor"' not in others.get("/games/mine/check").text
    assert others.get("/games/mine/source.json").status_code == 404


def test_a_text_that_is_not_saved_is_read_in_place_of_the_file(lab: TestClient, file: Path) -> None:
    file.with_name("beside.py").write_text("ONE = 1\n")
    text = PIG.replace("from enum", "from beside import ONE\nfrom enum").replace("== 1:", "== ONE:")
    assert "player 1" in draft(lab, text)["html"]
    found = draft(lab, text.replace("def die(self", "def die(self,,"))
    assert found["line"] == 1 + text[: text.index("def die")].count("\n")
    assert "invalid syntax" in found["broken"]
    assert file.read_text() == PIG


@pytest.mark.slow
def test_the_check_of_a_text_names_the_line(lab: TestClient, file: Path) -> None:
    found = draft(lab, PIG.replace("self.points += face", "self.points += nothing"), "check")
    assert found["lines"][0][:2] == [LINE, "broken"]
    assert "nothing" in found["html"]
    assert file.read_text() == PIG


def test_a_text_that_is_never_read_says_where_it_stays(lab: TestClient, file: Path, limits: SetLimits) -> None:
    limits(file_seconds=0.5)
    found = draft(lab, "from dicelab.rules import Game\n\nwhile True: pass\n")
    assert (found["line"], "does a loop run without end" in found["broken"]) == (3, True)


def test_a_text_that_is_too_long_is_refused(lab: TestClient, file: Path) -> None:
    assert lab.post("/games/mine/draft/quick", content=b"#" * 500_000, headers=HEADERS).status_code == 422
    assert save(lab, "#" * 250_000, loaded(lab)["was"])[0] == 413


def test_all_names_of_the_contract_are_offered_with_what_they_mean() -> None:
    found = contract("mine")
    assert [name for name, _, _ in found["names"]] == rules.__all__
    assert all(about for _, _, about in found["names"])
    assert {"next", "outcome", "seats", "words", "name"} <= {name for name, _, _ in found["members"]}


@pytest.mark.cases("label", [*PARTS])
def test_a_template_can_be_inserted(tmp_path: Path, label: str) -> None:
    text = PARTS[label].replace("Starter", "Mine")
    names = [name for name in rules.__all__ if re.search(rf"\b{name}\b", text)]
    lines = (
        starter("game", "mine").replace("import D6,", f"import {', '.join([*names, 'D6'])},").splitlines(keepends=True)
    )
    place = len(lines) if text[0] == "@" else lines.index('    rolls = Tally("rolls of the die")\n')
    file = tmp_path / "mine.py"
    file.write_text("".join([*lines[:place], text, *lines[place:]]))
    assert registry.find(str(file)).name == "mine"
