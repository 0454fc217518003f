"""The pages of the included games on the site of the documentation."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import dicelab

ROOT = Path(__file__).parents[3]


@pytest.fixture
def play() -> ModuleType:
    spec = importlib.util.spec_from_file_location("play", ROOT / "docs" / "site" / "play.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_included_game_is_there(play: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {file.stem for file in (ROOT / "src" / "dicelab" / "games").glob("[!_]*.py")}
    assert {name.replace("-", "_") for name in play.included()} == files | {"hazard_caster"}
    hazard = dicelab.publish("hazard")
    monkeypatch.setattr(dicelab, "publish", lambda name: type(hazard)(name, {}, hazard.html, ()))
    play.publish_all(str(tmp_path / "play"))
    start = (tmp_path / "play" / "index.html").read_text()
    for name in play.included():
        assert (tmp_path / "play" / f"{name}.html").exists()
        assert f'<a href="{name}.html">' in start


def test_the_site_leads_to_them() -> None:
    assert '<a href="../../play/index.html">' in (ROOT / "docs" / "site" / "index.md").read_text()
    assert "docs/site/play.py build/site/play" in (ROOT / "Makefile").read_text()


def test_the_site_lists_every_page_of_the_documentation() -> None:
    listed = (ROOT / "docs" / "site" / "index.md").read_text().splitlines()
    pages = {f"../{file.stem}" for file in (ROOT / "docs").glob("*.md") if not file.stem.startswith("answers-")}
    assert pages - set(listed) == {"../README"}
