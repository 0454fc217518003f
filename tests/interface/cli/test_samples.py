"""Samples that the other tests of pages leave out: commands whose output isn't shown, and Python without `>>>`.

Pages with output are compared by test_pages.py, and samples with ``>>>`` run as doctests. Here every command of the
other pages is run, with fewer games where it plays very many, and has to end well; what a page shows of its output is
compared. The last test has every block that nothing runs, with the reason.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import tomllib

import pytest

import dicelab
import dicelab.rules
from dicelab.conformance.file_check import what_is_missing
from dicelab.rules.loading.registry import games_in, load
from pages import BLOCK, FILE, PAGES, ROOT, SERIES, SESSION, run, same_output, sessions

FEWER = {"1e8": "2e4", "1e6": "2e4", "--precision 0.001": "--precision 0.02", "--games 1000": "--games 20"}
"""What takes long on a page, and what is run in its place."""


def blocks(page: str, kind: str) -> list[str]:
    return [body for found, body in BLOCK.findall((ROOT / page).read_text()) if found == kind]


def commands(body: str) -> list[tuple[str, str]]:
    """The dicelab commands of a block without the comments behind them, and what it says that they print."""
    found = [(re.sub(r"\s+#.*", "", command), printed) for command, printed in SESSION.findall(textwrap.dedent(body))]
    return [(command, printed) for command, printed in found if re.match(r"([A-Z_]+=\S+ )?(\S*/)?dicelab ", command)]


def shortened(command: str) -> str:
    for much, less in FEWER.items():
        command = command.replace(much, less)
    return command


BLOCKS = [(page, found) for page in SERIES for body in blocks(page, "console") if (found := commands(body))]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "series"), BLOCKS, ids=[f"{page.name}: {found[0][0][:60]}" for page, found in BLOCKS])
def test_commands_of_a_block_run_one_after_the_other(page, series, tmp_path):
    for command, printed in series:
        typed = "100\n10\n" if command.startswith("dicelab text") else "q\n"
        said = run(shortened(command).replace(".venv/bin/", ""), tmp_path, typed)
        assert said != "" or "--out" in command, command
        if printed and shortened(command) == command:
            assert same_output(printed, said) or said == printed


@pytest.mark.slow
def test_the_first_sample_of_the_readme_says_what_stands_there():
    shown = blocks("README.md", "console")[0]
    command, _, printed = shown.partition("\n")
    done = subprocess.run(
        [sys.executable, "-m", *command[2:].split()], text=True, timeout=240, check=True, capture_output=True
    )
    said = re.sub(r"[ \t]+$", "", done.stdout, flags=re.M)
    assert re.sub(r"\w+ engine", "engine", said) == re.sub(r"\w+ engine", "engine", printed)


# Write a game ---------------------------------------------------------------------------------------------------------


def pieces() -> list[str]:
    return blocks("docs/write-a-game.md", "python")


@pytest.mark.slow
def test_the_game_written_step_by_step_is_the_example(tmp_path):
    """The pieces up to the first strategy make a game that plays as examples/pig.py does."""
    last = next(place for place, piece in enumerate(pieces()) if piece.startswith("@strategy"))
    (tmp_path / "pig.py").write_text("\n".join(pieces()[: last + 1]))
    (game,) = games_in(load(tmp_path / "pig.py")).values()
    for lineup in ("hold_at", "hold_at:7"):
        ours = dicelab.simulate(game, lineup, games=300, seed=1, engine="reference").to_dict()
        example = dicelab.simulate(
            ROOT / "examples" / "pig.py", lineup, games=300, seed=1, engine="reference"
        ).to_dict()
        assert {**ours, "seconds": 0, "source_hash": ""} == {**example, "seconds": 0, "source_hash": ""}


def test_the_game_without_dice_is_whole(tmp_path):
    (piece,) = [piece for piece in pieces() if "class Pennies" in piece]
    (tmp_path / "pennies.py").write_text(f"from dicelab.rules import *\n\n\n{piece}")
    (game,) = games_in(load(tmp_path / "pennies.py")).values()
    assert what_is_missing(game) == ""
    assert dicelab.simulate(game, games=100, seed=1).outcomes["0"].probability == 1
    assert list(dicelab.equilibrium(game).values) == [0.5, 0.5]


def test_other_pieces_of_rules_are_python():
    """They are parts of a class, or about a game that isn't there: what they name has to be in dicelab.rules."""
    start = next(place for place, piece in enumerate(pieces()) if piece.startswith("@strategy")) + 1
    for piece in [*pieces()[start:], *blocks("docs/moves.md", "python")]:
        names: dict[str, object] = {
            **vars(dicelab.rules), "Craps": dicelab.rules.Game, "strategy": lambda *_, **__: lambda function: function,
            "players": 2, "dice": 3,
        }  # fmt: skip
        exec(compile("from __future__ import annotations\n" + textwrap.dedent(piece), "a page", "exec"), names)


@pytest.mark.slow
def test_what_check_says_about_a_wrong_range(tmp_path):
    """The verdict on the page is about the example with the range that a beginner would declare."""
    rules = (ROOT / "examples/pig.py").read_text()
    (tmp_path / "pig.py").write_text(rules.replace("points = Int(0, 2000,", "points = Int(0, 100,"))
    said = run("dicelab check ./pig.py --seconds 60  # exit status 1", tmp_path)
    (shown,) = [body for body in blocks("docs/write-a-game.md", "text") if body.startswith("broken")]
    assert same_output(shown, said)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["docs/sessions.md", "docs/json.md"])
def test_python_of_a_page_runs(page):
    (sample,) = blocks(page, "python")
    exec(compile(sample, page, "exec"), {})


def test_the_rule_on_the_page_about_python_is_from_its_file():
    (sample,) = blocks("docs/python.md", "python")
    rules = (ROOT / "src/dicelab/games/hazard.py").read_text()
    assert sample.replace("        ...\n", "") in rules


@pytest.mark.slow
def test_the_client_on_the_page_about_clusters_plays():
    distributed = pytest.importorskip("distributed")
    sample, *_ = blocks("docs/cluster.md", "python")
    with distributed.LocalCluster(
        n_workers=1, processes=False, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0
    ) as here:
        code = sample.replace("tcp://10.0.0.1:8786", here.scheduler_address).replace("10**12", "10**3")
        names: dict[str, object] = {}
        exec(compile(code.replace(', store="runs.db"', ""), "cluster.md", "exec"), names)
        names["client"].close()
    assert names["result"].games == 1000


def test_entry_points_are_toml():
    found = [body for page in ("docs/write-a-game.md", "docs/strategies.md") for body in blocks(page, "toml")]
    assert [list(tomllib.loads(body)["project"]["entry-points"]) for body in found] == [
        ["dicelab.games"],
        ["dicelab.strategies"],
    ]


# Who may change what --------------------------------------------------------------------------------------------------

MYGAME = '''
from dicelab.rules import D6, OVER, Game, Int, throw, thrown


class MyGame(Game):
    """Thrown three times."""

    name = "mygame"
    outcomes = ("over",)
    left = Int(0, 3, start=3)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        """A throw."""

    def outcome(self) -> int:
        return 0
{blank}
    def next(self) -> int:
        self.left -= 1
        return throw(self.die) if self.left else OVER
'''


def test_the_refusal_on_the_page_about_the_contract_is_what_is_said(tmp_path):
    (sample,) = blocks("docs/contract.md", "console")
    command, _, printed = sample.partition("\n")
    line = int(re.search(r"line (\d+)", printed)[1])
    above = MYGAME.partition("self.left -= 1")[0].format(blank="").count("\n") + 1
    (tmp_path / "mygame.py").write_text(MYGAME.format(blank="\n" * (line - above)))
    done = subprocess.run(
        [sys.executable, "-m", *command[2:].split()], cwd=tmp_path, text=True, check=False, capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", printed)


# Everything else ------------------------------------------------------------------------------------------------------

HERE = {"docs/write-a-game.md", "docs/moves.md", "docs/sessions.md", "docs/json.md", "docs/python.md"}
"""Pages all of whose Python is run above."""
NOT_RUN = {
    "ARCHITECTURE.md: a game's file: parameters, state": "a drawing",
    "CONTRIBUTING.md: src/dicelab/": "a list of folders",
    "README.md: $ make demo ": "make release-check and CI run these",
    "README.md: $ pipx install ": "make release-check runs these",
    "docs/certificates.md: $ ": "tests/solver/test_certificate.py writes and checks such files",
    "docs/publish.md: dicelab publish ": "tests/interface/publishing writes such pages",
    "docs/publish.md: dicelab solve yahtzee": "minutes; tests/interface/publishing/test_optimal.py solves four boxes",
    "docs/answers-pig.md: if points + my scores": "written by make answers",
    "docs/answers-tossup.md: if dice to roll": "written by make answers",
    "docs/cluster.md: dicelab: cluster: the worker": "another dicelab; tests/extras/cluster/test_job.py has one",
    "docs/cluster.md: dask scheduler": "several machines; tests/extras/cluster starts the same on one",
    "docs/cluster.md: dask ssh": "several machines",
    "docs/cluster.md: from dask_jobqueue import": "Slurm",
    "docs/cluster.md: from dask_kubernetes.operator import": "Kubernetes",
    "docs/contract.md: $ dicelab simulate ./mygame.py": "compared by the test above",
    "docs/dice.md: question    comparison": "a grammar",
    "docs/equilibrium.md: you: bid:": "typed in a game; tests/interface/test_mixed_hints.py asks for the like",
    "docs/fuzzing.md: $ make fuzz": "takes minutes; tests/fuzz/test_fuzz.py runs the same with fewer games",
    "docs/fuzzing.md: game 8 of seed 1": "a failure that there isn't",
    "docs/gpu.md: pip install": "needs a GPU; make cuda runs the like",
    "docs/gpu.md: NUMBA_ENABLE_CUDASIM=1": "needs the extra cuda; make cuda runs the like",
    "docs/games.md: dicelab learn examples/backgammon.py": "minutes; tests/included/test_backgammon.py learns less",
    "docs/games.md: dicelab learn examples/cant_stop_race.py": "minutes; tests/questions/test_thinking.py learns less",
    "docs/games.md: dicelab publish examples/cant_stop_race.py": "minutes; tests/interface/publishing/test_optimal.py",
    "docs/games.md: dicelab rate examples/cant_stop_race.py --sides 2": "seconds; tests/questions/test_rate.py",
    "docs/games.md: dicelab rate examples/qwixx.py": "minutes; tests/questions/test_rate.py rates other players",
    "docs/games.md: $ dicelab solve examples/cant_stop_race.py": "tests/included/test_large_games.py solves it",
    "docs/games.md: policy:qwixx2.npz has the largest mean": "what that command printed",
    "docs/games.md: dicelab simulate examples/backgammon.py": "minutes; tests/questions/test_estimated_luck.py, less",
    "docs/games.md: About 77": "what the first of these commands printed",
    "docs/games.md: dicelab learn examples/qwixx.py": "minutes; tests/included/test_large_games.py learns less",
    "docs/games.md: $ dicelab play examples/backgammon.py": "minutes of compiling; tests/included/test_backgammon.py",
    "docs/lab.md: [Unit]": "a service of one's own machine",
    "docs/lab.md: location /dice/ {": "a web server of one's own; tests/interface/lab/test_proxied.py asks as it does",
    "docs/lab.md: $ dicelab lab": "starts a server; tests/interface/lab/test_server.py does",
    "docs/moves.md: you: keep any of": "typed in a game; tests/interface/cli/test_play.py types the like",
    "docs/publish.md: dicelab learn examples/cant_stop_race.py": "minutes; tests/interface/publishing/test_optimal.py",
    "docs/review.md: result = v(start)": "a formula",
    "docs/stream.md: (hi0, lo0) =": "a formula; the lines below it compute it",
}
"""By the beginning of a block: why no test runs it."""


def all_blocks():
    """Every block of code on every page, with what the tests do with it: empty where they do nothing."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "verification/README.md"]
    for page in sorted(pages):
        name = page.relative_to(ROOT).as_posix()
        for kind, body in BLOCK.findall(page.read_text()):
            tested = ">>> " in body and (name == "README.md" or name.startswith("docs/"))  # pyproject.toml, testpaths
            tested |= kind == "console" and page in PAGES
            tested |= kind == "console" and page in SERIES and bool(commands(body))
            tested |= kind == "python" and page in PAGES and bool(FILE.match(body))
            tested |= kind == "python" and (name in HERE or body in blocks("docs/cluster.md", "python")[:1])
            tested |= kind == "toml" or body.startswith("broken  pig")
            tested |= kind.startswith("{") or name == "docs/reference/commands.md"  # make docs, test_reference.py
            yield f"{name}: {body.strip()}", tested


def test_every_block_is_run_or_says_why_not():
    untested = [text for text, tested in all_blocks() if not tested]
    assert [text.partition("\n")[0] for text in untested if not text.startswith(tuple(NOT_RUN))] == []
    assert [start for start in NOT_RUN if not any(text.startswith(start) for text in untested)] == []
    assert len(list(all_blocks())) > 300


def test_every_file_on_a_page_is_used_by_a_command():
    for page in PAGES:
        files = [FILE.match(body)[1] for kind, body in BLOCK.findall(page.read_text()) if kind == "python"
                 if FILE.match(body)]  # fmt: skip
        said = "\n".join(command for command, _ in sessions(page))
        assert [name for name in files if name not in said] == [], page.name
