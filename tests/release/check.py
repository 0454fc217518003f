"""What must hold before a release is uploaded: `make release-check`, in about fifteen minutes; nothing is uploaded.

* The wheel and the source archive, built twice from copies of the tracked files, are the same byte by byte, and so is
  the wheel that is built from the source archive.
* They install into fresh environments of every Python on this machine that dicelab supports, with the newest and with
  the lowest declared versions of the dependencies, and each extra by itself, and work there.
* The lines of the README that install dicelab with pipx, uvx and pip do so.
* A typed program of a user (tests/typed/user.py) passes ``mypy --strict`` against the installed wheel.

The distributions are left in dist/. Whatever this machine doesn't have (other Pythons, Windows, macOS) is named as
untested.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / ".venv" / "bin"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

BASICS = """
import dicelab
from dicelab.games.tossup import TossUp
assert str(dicelab.exact("hazard", main=7).outcomes["win"].fraction) == "244/495"
assert dicelab.simulate("hazard", main=7, games=100_000, seed=1).outcomes["win"].probability == 0.49017
assert dicelab.simulate(TossUp(target=20), games=20, seed=1, engine="compiled").engine == "compiled"
assert round(dicelab.solve(TossUp(target=20)).outcomes["0"].probability, 6) == 0.660647
assert dicelab.dice("4d6 keep highest 3").to_dict()["tallies"]
"""
"""What must work without any extra: fractions, a table engine, a compiled engine, optimal play, dice expressions."""

WITH_EXTRA = {
    "cluster": "import dicelab; assert dicelab.simulate('hazard', games=999, seed=1, cluster='local:1').games == 999",
    "cuda": "import dicelab\ntry: dicelab.simulate('hazard', games=10**5, seed=1, engine='cuda')\n"
    "except dicelab.DicelabError as error: assert 'GPU' in str(error)",
    "lab": "from dicelab.interface.lab.app import application\nfrom dicelab.interface.lab.shelf import filled\n"
    "application(filled(()))",
    "learn": "from dicelab.learning import gym, aec; gym('tossup', 'one_roll').reset(seed=1); aec('tossup').reset(1)",
    "parquet": "import dicelab; dicelab.simulate('hazard', games=100, seed=1, out='games.parquet')",
    "plot": "import dicelab, dicelab.plots; dicelab.plots.save(dicelab.plot_seats(dicelab.exact('lcr')), 'seats.svg')",
    "table": "import dicelab; assert len(dicelab.exact('hazard').to_frame())",
}
"""What must work with one extra and no other."""


def run(*command: object, cwd: Path | None = None, **variables: str) -> str:
    """What a command prints.

    Raises
    ------
    SystemExit
        When it fails; with what it printed.
    """
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SOURCE_DATE_EPOCH")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd, env=kept | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of each distribution in a folder."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.glob("dicelab-*"))}


# Building -------------------------------------------------------------------------------------------------------------


def copied(to: Path) -> Path:
    """The tracked files, as they are now, in another folder."""
    for name in run("git", "ls-files", "-z", cwd=ROOT).split("\0")[:-1]:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, to / name)
    return to


def built(source: Path, to: Path, *what: str) -> dict[str, str]:
    """Hashes of the distributions that are built from a folder; the backend is the one in requirements/dev.txt."""
    options = ["--no-build-isolation", "--offline", "--python", BIN / "python", "--out-dir", to]
    run(BIN / "uv", "build", *options, *what, source)
    return hashes(to)


def reproducible(folder: Path, dist: Path) -> dict[str, str]:
    """Build twice, and once more from the source archive; the distributions are left in `dist`.

    Raises
    ------
    SystemExit
        When two builds differ.
    """
    shutil.rmtree(dist, ignore_errors=True)
    first = built(copied(folder / "one"), dist, "--sdist", "--wheel")
    before = os.umask(0o077)
    second = built(copied(folder / "a folder with another name"), folder / "second", "--sdist", "--wheel")
    os.umask(before)
    (archive,) = dist.glob("*.tar.gz")
    shutil.unpack_archive(archive, folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    third = built(unpacked, folder / "third", "--wheel")
    if first != second or third.items() - first.items():
        raise SystemExit(f"two builds differ: {first}, {second}, {third}")
    return first


# Installing -----------------------------------------------------------------------------------------------------------


def pythons() -> dict[str, Path]:
    """Every Python on this machine that dicelab supports, by its version and where it is."""
    oldest = tuple(int(part) for part in re.findall(r"\d+", PROJECT["requires-python"]))
    folders = [Path(folder) for folder in os.get_exec_path()]
    folders += [*Path.home().glob(".pyenv/versions/*/bin"), *Path.home().glob(".local/share/uv/python/*/bin")]
    code = "import sys; print(*sys.version_info[:3], sys.implementation.name, sys.base_prefix)"
    found: dict[str, Path] = {}
    for file in sorted({file for folder in folders for file in folder.glob("python3.[0-9]*") if "-" not in file.name}):
        asked = subprocess.run([file, "-c", code], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            *numbers, kind, prefix = asked.stdout.strip().split(" ", 4)
            if kind == "cpython" and tuple(map(int, numbers)) >= oldest:
                found.setdefault(f"{'.'.join(numbers)} ({prefix})", file)
    return found


def environment(folder: Path, python: Path, *what: str) -> Path:
    """The interpreter of a fresh environment in which a distribution is installed, with options of uv."""
    run(BIN / "uv", "venv", "--quiet", "--clear", "--python", python, folder)
    run(BIN / "uv", "pip", "install", "--quiet", "--python", folder / "bin" / "python", *what, cwd=folder)
    run(BIN / "uv", "pip", "check", "--quiet", "--python", folder / "bin" / "python")
    return folder / "bin" / "python"


def works(python: Path, *programs: str) -> None:
    """Run programs, and the command, with an interpreter, in a folder of its own and with kernels of its own."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        for program in programs:
            run(python, "-W", "error::DeprecationWarning:dicelab", "-c", program, cwd=there, DICELAB_CACHE_DIR=folder)
        run(python.with_name("dicelab"), "exact", "pass-line", cwd=there, DICELAB_CACHE_DIR=folder)
        run(python.with_name("dicelab"), "new", "mygame", cwd=there, DICELAB_CACHE_DIR=folder)
        run(python.with_name("dicelab"), "solve", "./mygame.py", cwd=there, DICELAB_CACHE_DIR=folder)


def versions(python: Path) -> str:
    """The versions of the direct dependencies in an environment."""
    names = [re.match(r"[\w-]+", text)[0] for text in PROJECT["dependencies"]]
    listed = dict(
        line.lower().split("==")
        for line in run(BIN / "uv", "pip", "freeze", "--python", python).splitlines()
        if "==" in line
    )
    return ", ".join(f"{name} {listed[name]}" for name in names)


RESOLUTIONS = {"lowest": ("--resolution", "lowest-direct"), "newest": ("--resolution", "highest")}
"""Direct are the dependencies that are named beside the wheel."""
WHEELS = ("--only-binary", ":all:")
"""The lowest version is the lowest one for which there is a wheel: nothing is compiled here."""


def from_the_readme(folder: Path, python: Path) -> Iterator[str]:
    """Run the lines of the README that install dicelab, in a checkout; the lines."""
    checkout, home = copied(folder / "checkout"), folder / "home"
    tools = environment(folder / "tools", python, "pip", "pipx", "uv")
    places = {"PATH": f"{tools.parent}{os.pathsep}{os.environ['PATH']}", "DICELAB_CACHE_DIR": str(home)}
    places |= {f"PIPX_{name}": str(home / name) for name in ("HOME", "BIN_DIR", "MAN_DIR")}
    lines = re.findall(r"^\$ ((pipx|uvx|pip) .*?) +#", (ROOT / "README.md").read_text(), re.M)
    assert [tool for _, tool in lines] == ["pipx", "uvx", "pip"], "README.md has a line for each of them"
    for line, tool in lines:
        run("bash", "-c", line, cwd=checkout, **places)
        if tool != "uvx":  # which runs a command at once
            works((home / "BIN_DIR" if tool == "pipx" else tools.parent) / "python")
        yield line


def installs(folder: Path, wheel: Path, archive: Path) -> Iterator[str]:
    """Install in every way that is supported; a line for each that works."""
    found = pythons()
    for name, python in found.items():
        for which, options in RESOLUTIONS.items():
            there = environment(folder / "fresh", python, str(wheel), *PROJECT["dependencies"], *options, *WHEELS)
            works(there, BASICS)
            yield f"Python {name}, {which} versions: {versions(there)}"
    name, python = next(iter(found.items()))
    for extra, program in WITH_EXTRA.items():
        for which, options in RESOLUTIONS.items():
            declared = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"][extra]]
            works(environment(folder / "fresh", python, f"{wheel}[{extra}]", *declared, *options, *WHEELS), program)
            yield f"Python {name}, extra {extra}, {which} versions"
    run(BIN / "uv", "pip", "install", "--quiet", "--python", BIN / "python", "--no-deps", "--no-build-isolation",
        "--target", folder / "from the archive", archive)  # fmt: skip
    yield "the source archive"
    yield from from_the_readme(folder, python)
    there = environment(folder / "fresh", python, f"{wheel}[plot]", *WHEELS)
    shutil.copy(ROOT / "tests" / "typed" / "user.py", folder / "user.py")
    mypy = (sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--python-executable", there)
    run(*mypy, "--config-file", os.devnull, "user.py", cwd=folder)
    yield "mypy --strict accepts a user's program"


def main() -> None:
    """Check everything, and print a line for each thing that holds."""
    assert set(WITH_EXTRA) == set(PROJECT["optional-dependencies"]), "WITH_EXTRA has every extra"
    dist = ROOT / "dist"
    with tempfile.TemporaryDirectory() as folder:
        for name, digest in reproducible(Path(folder), dist).items():
            print(f"built twice, the same: {name}  sha256 {digest}", flush=True)
        (wheel,), (archive,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
        for line in installs(Path(folder), wheel, archive):
            print(f"works: {line}", flush=True)
    print("untested: Windows, macOS, and Pythons that are not listed above")


if __name__ == "__main__":
    main()
