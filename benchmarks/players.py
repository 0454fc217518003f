"""How much players lose against optimal play, and the time they take (`dicelab.questions.policies.skill.luck`).

Run: ``python benchmarks/players.py examples/pig.py target=100 games=40 hold_at:20 mcts:500``; ``make bench
TABLES=losses`` learns what players need, and measures those of the page.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import mean, stdev
from tempfile import TemporaryDirectory
from time import process_time

import dicelab
from dicelab.engines.compiled import looks_ahead
from dicelab.questions.policies.skill.by_turns import valued
from dicelab.questions.policies.skill.luck import losses
from dicelab.runtime.lineup import Call, Run
from dicelab.translation.translator import NotTranslatable

ROOT = Path(__file__).parent.parent
PLAYERS: dict[str, tuple[str, dict[str, int], dict[str, int], tuple[str, ...]]] = {
    "Pig to 100": (
        f"{ROOT}/examples/pig.py",
        {},
        {"values": 20_000, "turns": 30_000},
        (
            *("hold_at:20", "hold_at:25", "rollout:2000", "search:2:500", "mcts:300"),
            *("policy:{values}", "search:2:{values}", "policy:{turns}", "search:2:{turns}"),
        ),
    ),
    "Toss Up! to 100": (
        "tossup",
        {},
        {"turns": 30_000},
        ("bank_over:15", "rollout:1000:bank_over:15", "mcts:200:bank_over:15", "policy:{turns}"),
    ),
    "Farkle to 2,000": (
        "farkle",
        {"target": 2000},
        {"turns": 2_000},
        ("bank_at:300", "bank_at:500", "rollout:200", "policy:{turns}"),
    ),
    "Yahtzee, alone": ("yahtzee", {}, {"turns": 20_000}, ("policy:{turns}",)),
    "Shut the Box": (
        f"{ROOT}/tests/games/shut_the_box.py",
        {},
        {},
        ("highest", "rollout:200", "rollout:2000", "search:2:50", "mcts:200"),
    ),
}
"""By title: the game, its parameters, games from which values are learned by each method of `dicelab.learn`, and
players, with the files of what was learned in braces."""
GAMES, SECONDS = 40, 40.0
"""Games of each player, and seconds of the processor for its choices after which there are no more of them."""


def lost(game: str, parameters: dict[str, int], players: Sequence[str], games: int) -> Iterator[tuple[str, str, str]]:
    """Yield each player, what it loses with its 95 % half-width, and the milliseconds of a choice."""
    best = valued(Run.of(game, **parameters).game)
    unit = 100 if best.objective.is_chance else 1
    for text in players:
        call = Run.of(best.game, text).calls[0]
        if looks_ahead(call.strategy):
            with suppress(NotTranslatable):  # as the compiled engine plays it, if it does
                call = Call(call.strategy.moves.compiled(best.game), call.args)
        each, seconds = losses(best, call, games, 1, SECONDS)
        half = unit * 1.96 * stdev(each) / len(each) ** 0.5
        yield text, f"{unit * mean(each):.2f} ± {half:.2f}", f"{1000 * seconds:.2g}"


def players() -> list[list[str]]:
    """What each player loses, and how long a choice takes."""
    rows = [["game", "player", "loses", "ms a choice"]]
    for title, (game, parameters, learned, texts) in PLAYERS.items():
        with TemporaryDirectory() as folder:
            files, says = dict[str, str](), dict[str, str]()
            for method, games in learned.items():
                files[method], began = f"{folder}/{method}.npz", process_time()
                dicelab.learn(game, method=method, games=games, seed=1, **parameters).policy.save(files[method])
                what = "values of turns" if method == "turns" else "values of states"
                spent = process_time() - began
                says[method] = f"{what} learned from {games:,} games ({spent:.0f} s of processor time)"
            for text in texts:
                ((_, loses, took),) = lost(game, parameters, [text.format(**files)], GAMES)
                found = next((says[method] for method in files if f"{{{method}}}" in text), "")
                player = text.format(**dict.fromkeys(files, "FILE"))
                rows.append([title, f"`{player}`" + (f", {found}" if found else ""), loses, took])
                print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return rows


def main(words: Sequence[str]) -> None:
    """Print a line for each player."""
    game, *rest = words
    given = dict(word.split("=") for word in rest if "=" in word and ":" not in word)
    games = int(given.pop("games", GAMES))
    texts = [word for word in rest if "=" not in word or ":" in word]
    for text, loses, took in lost(game, given, texts, games):
        print(f"{text:30} loses {loses}, {took} ms a choice", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)
    main(sys.argv[1:])
