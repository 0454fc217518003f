"""The output of `dicelab show`: the rules and declarations of a game."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

from dicelab.results.base import head
from dicelab.results.text.page import Printing
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game, Strategy, outcome_names, player_names, seat_count, shown, summary
from dicelab.rules.keeping import Keep
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.loading.strategies import strategies_of
from dicelab.rules.params import SHOWN, Choice, Param
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.rules.wording import rulebook_of
from dicelab.rules.words import player_name


def card(game: type[Game]) -> dict[str, Any]:
    """Return the declarations of a game as plain data, as printed by ``show --json``."""
    sample = game()
    return {
        **head("show", game=game.name, parameters=shown(sample), source_hash=source_hash(game)),
        "about": summary(game),
        "rules": inspect.cleandoc(game.__doc__ or ""),
        "source": game.source,
        "file": inspect.getfile(game),
        "declared": _declared(game, sample),
    }


def _declared(game: type[Game], sample: Game) -> dict[str, Any]:
    """Return what a game declares, as plain data."""
    return {
        "parameters": [_param(p) for p in game.declared.params.values()],
        "seats": seat_count(sample),
        "outcomes": list(outcome_names(sample)),
        "tallies": {name: t.help for name, t in game.declared.tallies.items()},
        "throws": [
            {"name": k.name, "dice": str(k.most), "die": k.words, "seen": k.view.value} for k in game.declared.throws
        ],
        "choices": [{"name": d.name, "moves": _choice(d)} for d in game.declared.decisions],
        "state": [_state(f) for f in game.declared.state.values()],
        "strategies": [_strategy(s) for s in strategies_of(game).values()],
    }


def _choice(decision: Decision) -> list[str]:
    """Return the values of each number of a move; of dice that are kept, which ones."""
    if isinstance(decision, Keep):
        return [f"any of the dice in {decision.dice.name}, at most {decision.most}"]
    return [_moves(kind) for kind in decision.kinds]


def _param(p: Param) -> dict[str, Any]:
    names = {"names": list(p.names)} if isinstance(p, Choice) else {}
    return {"name": p.name, "default": p.show(p.default), "allowed": p.allowed, **names, "help": p.help}


def _moves(kind: Any) -> str:
    if isinstance(kind, type):
        return ", ".join(str(member.name).lower() for member in kind)  # type: ignore[attr-defined]
    low, high = kind if isinstance(kind, tuple) else (0, kind - 1)
    return f"{low} to {high}"


def _state(f: Any) -> dict[str, str]:
    length = f"{f.length} numbers, " if isinstance(f, Ints) else ""
    return {"name": f.name, "range": f"{length}{f.low} to {f.high}", "help": f.help}


def _strategy(s: Strategy) -> dict[str, Any]:
    return {
        "name": s.name,
        "written": ":".join([s.name, *(p.word(p.default) for p in s.params.values())]),
        "about": s.summary,
        "arguments": [_param(p) for p in s.params.values()],
    }


def card_text(game: type[Game], called: str, page: Printing) -> str:
    """Return the declarations of a game as text; `called` is the name or file that was typed, for
    the example command.
    """
    data = card(game)
    says = data["declared"]
    lines = [f"{data['game']}: {data['about']}"]
    body = data["rules"].partition("\n")[2].strip()
    lines += ["", *page.paragraphs(body)] if body else []
    for title, text in rulebook_of(game()).items():
        lines += ["", *page.paragraphs(f"{title}: {text}")]
    lines += _section(
        page, "Parameters", [[p.name, p.word(p.default), p.allowed, p.help] for p in game.declared.params.values()]
    )
    for p in game.declared.params.values():
        if isinstance(p, Choice) and len(p.names) > SHOWN:
            names = textwrap.wrap(", ".join(p.names), page.width - 2, break_on_hyphens=False)
            lines += ["", f"Names of {p.name}", *(f"  {line}" for line in names)]
    meaning = "  (the player that wins, counted from 0)" if game.outcomes is None else ""
    outcomes = f"{', '.join(says['outcomes'])}{meaning}" if says["outcomes"] else "none, only tallies"
    lines += ["", "Outcomes", f"  {outcomes}"]
    lines += _section(page, "Payoffs", _payoffs(game()))
    lines += _section(page, "Tallies", [[name, help] for name, help in says["tallies"].items()])
    rows = [[t["name"], f"up to {t['dice']} dice", f"seen as {t['seen']}", t["die"]] for t in says["throws"]]
    lines += _section(page, "Throws", rows)
    lines += _section(page, "Choices", [[c["name"], "; ".join(c["moves"])] for c in says["choices"]])
    lines += _section(page, "State", [[s["name"], s["range"], s["help"]] for s in says["state"]])
    rows = [[s["written"] + ("  (default)" if i == 0 else ""), s["about"]] for i, s in enumerate(says["strategies"])]
    lines += _section(page, "Strategies", rows)
    example = f"dicelab simulate {called} --games 100000 --seed 1"
    return page.text([*lines, "", "Source", f"  {data['source'] or 'not named'}", "", "Try", f"  {example}"])


def _payoffs(game: Game) -> list[list[str]]:
    """Return a row for each outcome with what each seat gets by it, or for each seat the tally that it plays for."""
    paid, tallies, names = payoffs_of(game), payoff_tallies(game) or (), list(game.declared.tallies)
    if paid is None:
        return [[player_name(seat, player_names(game)), names[k]] for seat, k in enumerate(tallies)]
    head = ["", *(player_name(seat, player_names(game)) for seat in range(seat_count(game)))]
    return [head, *([name, *(f"{x:g}" for x in row)] for name, row in zip(outcome_names(game), paid, strict=True))]


def _section(page: Printing, title: str, rows: list[list[str]]) -> list[str]:
    return ["", title, *page.listed(rows, "  ")] if rows else []
