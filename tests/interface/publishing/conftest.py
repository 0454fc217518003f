"""A browser for the tests of pages."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is missing: make browser")
    if CHROMIUM is None:
        pytest.skip("Chromium is missing: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a page from a file; it may load nothing else, and none of its scripts may fail."""
    contexts, wrong = [], []

    def open_page(html: str, width: int = 1280, **more: Any) -> Any:
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 800}, accept_downloads=True, **more)
        contexts.append(context)
        page = context.new_page()
        local = file.as_uri(), "blob:", "data:"
        page.on("request", lambda request: None if request.url.startswith(local) else wrong.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.goto(file.as_uri())
        if more.get("java_script_enabled", True):
            until(page, "document.documentElement.dataset.ready === 'yes'")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


def until(page: Any, condition: str, seconds: float = 120) -> None:
    """Wait until a condition holds in the page, whose policy doesn't allow Playwright's own way to wait."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)
