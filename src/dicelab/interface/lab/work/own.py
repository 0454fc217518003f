"""A file of rules while it is written, or a text that is not saved: the check, and a short simulation.

The cards of games, too: what the lab's pages need to know of their declarations, as plain data.
"""

from __future__ import annotations

import inspect
import json
import re
import signal
import tokenize
from functools import partial
from pathlib import Path
from typing import Any

from dicelab.conformance.check import examine
from dicelab.errors import DicelabError, RulesError
from dicelab.interface.lab.work.process import GameRequest, Wire, game_of
from dicelab.questions.policies.objective import default_objective, objectives
from dicelab.questions.simulate import simulate
from dicelab.results.base import winners
from dicelab.results.card import card as declared
from dicelab.rules.casino import casino_of
from dicelab.rules.game import Game, Strategy, has_outcomes, outcome_names, seat_count, summary
from dicelab.rules.loading.registry import all_games, bets_of, find, unsaved
from dicelab.rules.params import Choice, Expr, Param, Switch
from dicelab.rules.private import private_fields


def cards(wire: Wire, called: list[str], seconds: float = 0.0) -> None:
    """Send the card of each game or file; without any, of all games of dicelab and of installed packages.

    A file may take some `seconds`, as in `card_of_file`.
    """
    if not called:
        for name, game in all_games().items():
            wire.send(**_card(name, game))
    for name in called:
        wire.send(**card_of_file(name, seconds))


def card_of_file(name: str, seconds: float) -> dict[str, Any]:
    """Return the card of the game in a file; of one with an error, the message and the line.

    After some `seconds`, where the system has such alarms, the line that a file has reached is reported as an error.
    """
    alarmed = bool(seconds) and hasattr(signal, "setitimer")
    if alarmed:
        signal.signal(signal.SIGALRM, partial(_late, seconds))
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return _card(name, find(name))
    except DicelabError as error:
        return {"called": name, "broken": str(error), "line": _line(str(error))}
    finally:
        if alarmed:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _line(message: str) -> int:
    """Return the line of the file that an error names; 0 if it names none."""
    match = re.search(r"\.py, line (\d+)", message)
    return int(match[1]) if match else 0


def _late(seconds: float, *_: object) -> None:
    """Stop reading a file."""
    raise RulesError(f"still being read after {seconds:g} seconds; does a loop run without end?")


def show(wire: Wire, called: str) -> None:
    """Send the JSON of the command ``show``."""
    wire.send(json=json.dumps(declared(find(called))))


def _card(called: str, game: type[Game]) -> dict[str, Any]:
    sample, bets = game(), bets_of(game)
    about = inspect.cleandoc(game.__doc__ or "")
    throws = [_throw(kind, sample) for kind in game.declared.throws]
    file = Path(inspect.getfile(game))
    return {
        "called": called,
        "name": game.name,
        "summary": summary(game),
        "about": about.partition("\n")[2].strip(),
        "source": game.source,
        "file": file.name,
        "rules": _source(file),
        "parameters": [_param(p) for p in game.declared.params.values()],
        "strategies": [_strategy(s) for s in game.declared.strategies.values()],
        "choices": [d.name for d in game.declared.decisions],
        "seats": seat_count(sample),
        "seats_vary": isinstance(game.seats, Expr),
        "winners": bool(winners(sample)),
        "outcomes": list(outcome_names(sample)) if has_outcomes(game) else [],
        "objective": default_objective(sample) or "",
        "objectives": objectives(sample),
        "tallies": {name: t.help for name, t in game.declared.tallies.items()},
        "throws": throws,
        "numbered": any(all(face["label"] == str(face["value"]) for face in throw["faces"]) for throw in throws),
        "money": hasattr(game, "edges_of"),
        "bets": bets.name if "money" in bets.declared.tallies else "",
        "session": bool(casino_of(game).ruin),
        "hidden": bool(private_fields(game)) and seat_count(sample) == 2,
    }


def _source(file: Path) -> str:
    """Return the text of a file of rules, in the encoding that its first lines declare."""
    with tokenize.open(file) as text:
        return text.read()


def _throw(kind: Any, sample: Game) -> dict[str, Any]:
    faces = [{"label": face.label, "value": face.value} for face in kind.die.faces]
    return {"name": kind.name, "dice": str(kind.most), "faces": faces}


def _strategy(s: Strategy) -> dict[str, Any]:
    written = ":".join([s.name, *(p.word(p.default) for p in s.params.values())])
    return {"name": s.name, "written": written, "about": s.summary, "arguments": [_param(p) for p in s.params.values()]}


def _param(p: Param) -> dict[str, Any]:
    kind = "switch" if isinstance(p, Switch) else "choice" if isinstance(p, Choice) else "number"
    names = ["no", "yes"] if kind == "switch" else list(p.names) if isinstance(p, Choice) else []
    return {
        "name": p.name,
        "kind": kind,
        "default": p.show(p.default) if isinstance(p, Choice) else p.word(p.default),
        "low": p.low,
        "high": p.high,
        "names": names,
        "allowed": p.allowed,
        "help": p.help,
    }


GAMES, FEW = 10_000, 100
"""Number of games of the simulation; and of one that is there at once, because nothing is compiled for it."""


def check(wire: Wire, file: str, seconds: float) -> None:
    """Send what the check of a file finds."""
    wire.send(json=json.dumps(examine(file, seconds).to_dict()))


def figures(wire: Wire, asked: GameRequest) -> None:
    """Send the result of a short simulation."""
    result = simulate(game_of(asked), asked["strategies"], games=GAMES, seed=1)
    wire.send(json=result.to_json(), tables=result.tables_html())


def draft(wire: Wire, file: str, path: str, text: str, seconds: float) -> None:
    """Send the card of the game in a text that is not saved, and the results of a few games and of a short simulation;
    or why it can't be read.
    """
    unsaved[Path(path).resolve()] = text
    card = card_of_file(file, seconds)
    wire.send(card=card)
    if "broken" not in card:
        game = find(file)()
        few = simulate(game, games=FEW, seed=1, engine="reference")
        wire.send(few=few.to_json(), tables=few.tables_html())
        result = simulate(game, games=GAMES, seed=1)
        wire.send(json=result.to_json(), tables=result.tables_html())


def draft_check(wire: Wire, file: str, path: str, text: str, seconds: float) -> None:
    """Send what the check finds in a text that is not saved."""
    wire.send(json=json.dumps(examine(file, seconds, unsaved=(Path(path), text)).to_dict()))
