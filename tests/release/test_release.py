"""The steps of a release that can be tried without one: versions in files, builds, and what is declared."""

from __future__ import annotations

import re
import shutil
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from release.check import PROJECT, WITH_EXTRA, pythons, reproducible
from release.prepare import released
from support import ROOT

NAMES = ("src/dicelab/version.py", "CITATION.cff", "CHANGELOG.md")
TEXTS = {name: (ROOT / name).read_text() for name in NAMES}


def test_a_release_states_its_version_everywhere():
    found = released("12.3.4", "2030-01-31", TEXTS)
    assert found["src/dicelab/version.py"].endswith('__version__ = "12.3.4"\n')
    assert "\nversion: 12.3.4\ndate-released: 2030-01-31\n" in found["CITATION.cff"]
    assert "## [Unreleased]\n\n## [12.3.4] - 2030-01-31\n\n### " in found["CHANGELOG.md"]
    assert released("12.3.5", "2030-02-01", {"CITATION.cff": found["CITATION.cff"]})["CITATION.cff"].count("2030") == 1


@pytest.mark.parametrize(
    ("version", "names", "said"),
    [
        ("1.2", NAMES, "X.Y.Z"),
        ("12.3.4", ["CHANGELOG.md"], "already"),
        ("12.3.5", ["CHANGELOG.md"], "what is new"),
    ],
)
def test_what_is_no_release_is_refused(version, names, said):
    texts = TEXTS if version == "1.2" else released("12.3.4", "2030-01-31", TEXTS)
    with pytest.raises(ValueError, match=said):
        released(version, "2030-02-01", {name: texts[name] for name in names})


def test_every_extra_is_installed_by_itself():
    assert set(WITH_EXTRA) == set(PROJECT["optional-dependencies"])


def long_description(*arguments):
    """The function of hatch_build.py, which is in no package."""
    spec = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.long_description(*arguments)


README = (ROOT / "README.md").read_text()
TARGETS = re.compile(r"\]\(([^)]+)\)")


def test_the_long_description_has_no_links_into_a_checkout():
    text = long_description(README, "", "1.2.3")
    assert all(target.startswith("https://") for target in TARGETS.findall(text))
    assert "![" not in text
    assert text.count("```") == README.count("```")
    assert "All pages, grouped by reader" in text


def test_with_a_repository_all_links_lead_to_the_version():
    targets = TARGETS.findall(long_description(README, "https://host.example/dicelab", "1.2.3"))
    assert len(targets) == len(TARGETS.findall(README)) > 10
    assert "https://host.example/dicelab/raw/v1.2.3/docs/pictures/tossup-bank.svg" in targets
    assert "https://host.example/dicelab/blob/v1.2.3/docs/README.md" in targets


@pytest.mark.slow
def test_pythons_are_found():
    assert any(name.startswith("3.") for name in pythons())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None or not (ROOT / ".git").exists(), reason="needs the repository")
def test_two_builds_are_the_same_byte_by_byte(tmp_path):
    assert [name.rpartition("-")[2] for name in reproducible(tmp_path, tmp_path / "dist")] == [
        "any.whl",
        "0.1.0.tar.gz",
    ]
