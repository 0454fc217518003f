"""Playing a game in the browser, with a coach, and the review afterwards. A game in progress is an address."""

from __future__ import annotations

import hashlib
import json
import secrets
import shlex
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.lab.answers import PendingAnswer, wait
from dicelab.interface.lab.job import JobLimits
from dicelab.interface.lab.lab import Lab, canonical, json_error, lab_of, question_of
from dicelab.interface.lab.question import Question
from dicelab.interface.lab.render import page
from dicelab.limits import LIMITS

SEATS = ("me", "person", "best")
"""Words in place of strategies: a person, or the optimal policy."""
COACH = ("off", "after", "before")
SOLVING = JobLimits(seconds=300.0, memory=2 * LIMITS.job_bytes)
PLAYING = JobLimits(seconds=60.0)
NO_TEXT: dict[str, Any] = {"say": None}
UNSAID = {"say": "", "bet": "", "down": "", "look": ""}
"""Leaves what was said, and who looks, out of an address."""
ALL = 10_000
"""Steps of a game in which no person chooses, at most; more than that are those up to its end."""
AMOUNT = "10"
"""The amount of a bet that is clicked, unless another one is chosen."""

STEPS = 300
"""Steps of a review that its page lists, at most."""
PUZZLE, PUZZLES = 0.005, 3
"""Cost from which on a decision is a puzzle, and how many of a game are."""
WORTH_A_MARK = 1e-5
"""Costs above this are marked in the line of the review."""

Moves = list[list[int]]


async def play(request: Request) -> Response:
    """Return the table: the last roll, the moves that are allowed, and what the coach says."""
    question = await question_of(request, SEATS)
    said = _said(request, question)
    elsewhere = _elsewhere(request, question, "play")
    if elsewhere is not None and said == NO_TEXT:
        return elsewhere
    coach = question.settings.get("coach", "off")
    if coach not in COACH:
        raise ParameterError(f"coach: {coach!r} is not allowed; it is {', '.join(COACH)}")
    known = await _knowledge(request, question, coach)
    if known.work is not None and not known.estimated:
        return _waiting(request, question)
    moves = moves_of(question.settings.get("moves", ""), question)
    said |= {"estimated": True} if known.estimated else {}
    asked = _asked_table(request, question, moves, coach, known.file, said)
    seconds = None if known.work is None else LIMITS.estimate_seconds
    with nullcontext() if known.work is None else known.work.waited_for():
        if not await wait(asked, lambda answer: answer.ended, request.is_disconnected, seconds):
            return _waiting(request, question, asked)
    table = _table(request, question, moves, asked, known.file, said)
    if known.work is not None and table["choices"] and "coach" not in table:
        return _waiting(request, question)
    if table["steps"] is not None:
        moves = moves[: table["steps"]]
    if "made" in table:
        made = write_moves([*moves, table["made"]])
        return RedirectResponse(question.address("play", moves=made, **UNSAID), status_code=303)
    if question.card["choices"] and not known.asked and not table["over"]:
        _prepare(lab_of(request), question, moves)
    shown = _shown(question, table, moves, coach, known.why)
    return page("play.html", **shown, work=known.work.number if known.work else "", token=lab_of(request).token)


class Knowledge(NamedTuple):
    """What is known of a game whose coach, or optimal policy, was `asked` for: the `file` with its values, `why` there
    are none, or the `work` that goes on; and whether the coach says estimates (`estimated`).
    """

    asked: bool = False
    file: str | None = None
    why: str = ""
    work: PendingAnswer | None = None
    estimated: bool = False


async def _knowledge(request: Request, question: Question, coach: str) -> Knowledge:
    """Return what is known of a game, which is solved if its values are needed."""
    best = "best" in question.strategies
    if not question.card["choices"] or (coach == "off" and not best):
        return Knowledge()
    await _prepared(request, question)
    solving, file = _solving(request, question)
    known = await wait(solving, lambda answer: answer.ended, request.is_disconnected, LIMITS.coach_seconds)
    why = solving.said.get("error", "")
    if why and best:
        raise DicelabError(f"the optimal policy is not known: {why}")
    if known and not why:
        return Knowledge(True, file)
    estimated = not best and not question.settings.get("objective")
    return Knowledge(True, None, why, None if known else solving, estimated)


def _said(request: Request, question: Question) -> dict[str, Any]:
    """Return what was typed, or which bet was clicked: to be placed with an amount, or to be taken down."""
    bet, down = (question.settings.get(word) for word in ("bet", "down"))
    if bet is not None:
        return {"say": None, "bet": [bet, question.settings.get("amount", AMOUNT)]}
    return {"say": request.query_params.get("say") if down is None else f"down {down}"}  # an empty line has a meaning


async def review(request: Request) -> Response:
    """Return the review of a game: luck, costs, the worst mistakes, every step."""
    question = await question_of(request, SEATS)
    elsewhere = _elsewhere(request, question, "review")
    if elsewhere is not None:
        return elsewhere
    answer = await _reviewed(request, question)
    if not answer.ended:
        estimating = answer is not _solving(request, question)[0]
        return _waiting(request, question, answer if estimating else None, estimating)
    if "error" in answer.said:
        raise ParameterError(answer.said["error"])
    moves = _played(question)
    said = answer.said
    back = {seat: [_again(question, moves[:before]) for _, before in worst] for seat, worst in said["worst"].items()}
    return page(
        "review.html",
        title=f"{question.card['name']}: review",
        question=question,
        card=question.card,
        data=said["review"],
        said=said,
        back=back,
        errors=_errors(said),
        kept=_kept_by_the_browser(question, said, moves),
        shown=STEPS,
        command=_review_command(question, "by" in said["review"]),
        python=_review_python(question, "by" in said["review"]),
    )


def _again(question: Question, moves: Moves) -> str:
    """Return the address of the game after these moves, with the coach."""
    return question.address("play", moves=write_moves(moves), coach="before")


def _review_command(question: Question, estimated: bool) -> str:
    """Return the command that reviews this game once it was saved as a file; the rules in a file must be named."""
    own = ["--game", question.card["called"]] if "own" in question.card else []
    wanted = ["--objective", question.settings["objective"]] if "objective" in question.settings else []
    if question.card["hidden"] and not estimated:
        wanted = ["--policy", f"{question.name}.npz"]
    return shlex.join(["dicelab", "review", f"{question.name}.json", *own, *wanted])


def _review_python(question: Question, estimated: bool) -> str:
    """Return the same in Python."""
    own = f", {question.card['called']!r}" if "own" in question.card else ""
    wanted = f", objective={question.settings['objective']!r}" if "objective" in question.settings else ""
    if question.card["hidden"] and not estimated:
        wanted = f", policy={question.name + '.npz'!r}"
    return f"import dicelab\nresult = dicelab.review({question.name + '.json'!r}{own}{wanted})\nprint(result)"


def _errors(said: dict[str, Any]) -> list[tuple[int, str]]:
    """Return the errors of the person whose value is drawn: after which step, and in words."""
    me, amount = (said["people"] or [0])[0], said["amount"]
    scale, unit = (1, f"of {amount}") if amount else (100, "points")
    return [
        (at, f"{move}: cost {scale * step['cost']:.2f} {unit}")
        for at, (step, (move, _)) in enumerate(zip(said["review"]["steps"], said["moves"], strict=True), 1)
        if step.get("seat") == me and step["cost"] > WORTH_A_MARK
    ]


def _kept_by_the_browser(question: Question, said: dict[str, Any], moves: Moves) -> dict[str, Any] | None:
    """Return what the browser keeps of a finished game of one person, for the page *Your games*: how good the decisions
    were, and the worst of them; None for any other game.
    """
    data = said["review"]
    if not data["over"] or len(said["people"]) != 1 or "by" in data:  # estimates don't say what was best
        return None
    me = said["people"][0]
    own = [at for at, step in enumerate(data["steps"]) if step["kind"] != "throw" and step["seat"] == me]
    cost = {at: float(data["steps"][at]["cost"]) for at in own}
    worst = sorted((at for at in own if cost[at] >= PUZZLE), key=lambda at: -cost[at])[:PUZZLES]
    return {
        "key": f"{question.address('play', moves='', coach='')}",
        "game": question.card["name"],
        "amount": said["amount"],
        "decisions": len(own),
        "best": sum(cost[at] <= WORTH_A_MARK for at in own),
        "cost": sum(cost.values()),
        "puzzles": [
            {
                "cost": cost[at],
                "move": said["moves"][at][0],
                "better": said["moves"][at][1],
                "address": question.address("play", moves=write_moves(moves[: said["before"][at]]), coach="after"),
            }
            for at in worst
        ],
    }


async def review_json(request: Request) -> Response:
    """Return the review as JSON."""
    question = await question_of(request, SEATS)
    while not (answer := await _reviewed(request, question)).ended:
        if await request.is_disconnected():
            return Response(status_code=499)
    if "error" in answer.said:
        return json_error(answer.said["error"], answer.said.get("status", 1))
    return Response(json.dumps(answer.said["review"]) + "\n", media_type="application/json")


def is_stepped(question: Question) -> bool:
    """Return whether no person chooses anything, so that a game goes on by steps."""
    given = question.strategies
    return not question.card["choices"] or (bool(given) and not {"me", "person"} & {*given})


async def saved(request: Request) -> Response:
    """Return the game as the file that ``dicelab play --save`` writes."""
    question = await question_of(request, SEATS)
    if "seed" not in question.settings:
        raise ParameterError("seed: a game that is saved needs the seed of its dice")
    file = None
    if "best" in question.strategies:
        solving, file = _solving(request, question)
        await wait(solving, lambda answer: answer.ended, request.is_disconnected)
    lab, settings = lab_of(request), question.settings
    key = f"saved {lab.shelf.stamp(question.name)} {question.address()}"
    asked, seed, moves = question.plain().asked, settings["seed"], _played(question)
    answer = lab.answers.ask(key, "play.saved", _limits(lab, question), asked=asked, seed=seed, moves=moves, file=file)
    await wait(answer, lambda state: state.ended, request.is_disconnected)
    if "saved" not in answer.said:
        return json_error(answer.said.get("error", "stopped"), answer.said.get("status", 1))
    return Response(answer.said["saved"], media_type="application/json")


def moves_of(text: str, question: Question) -> Moves:
    """Return the moves of an address: ``1,0,3.2``; where no person chooses, a number of steps."""
    try:
        if is_stepped(question):
            return [[]] * min(int(text or 0), ALL)
        return [[int(value) for value in move.split(".")] for move in text.split(",")] if text else []
    except ValueError as error:
        raise ParameterError("moves: they are written as numbers: 1,0,3.2") from error


def _played(question: Question) -> Moves:
    """Return the moves of a game that is reviewed or saved: where no person chooses, all steps unless some are asked
    for.
    """
    return moves_of(question.settings.get("moves", str(ALL) if is_stepped(question) else ""), question)


def write_moves(moves: Moves) -> str:
    """Return moves as they are written in an address; the reverse of `moves_of`.

    >>> write_moves([[1], [3, 2]]), write_moves([[], []])
    ('1,3.2', '2')
    """
    if moves and not moves[0]:
        return str(len(moves))
    return ",".join(".".join(map(str, move)) for move in moves)


def _elsewhere(request: Request, question: Question, name: str) -> Response | None:
    """Return a redirection to the address of the same game that is complete and without empty values."""
    if "seed" not in question.settings:
        return RedirectResponse(question.address(name, seed=secrets.randbelow(10**6) + 1), status_code=303)
    return canonical(request, question, name)


def _solving(request: Request, question: Question) -> tuple[PendingAnswer, str]:
    """Return the job that solves a game, and the file for its values."""
    lab, game, objective = lab_of(request), question.rules_only(), question.settings.get("objective")
    key, file = _values(lab, question)
    if not Path(file).exists():
        lab.make_room()
        lab.answers.forget_done(key)
    elif lab.answers.find(key) is None:
        lab.answers.know(key)
    return lab.answers.ask(
        key, "sitting.solve", SOLVING, asked=game.asked, file=file, memory=LIMITS.job_bytes, objective=objective
    ), file


def _values(lab: Lab, question: Question) -> tuple[str, str]:
    """Return the key of the question for the values of a game, and the file for them."""
    objective = question.settings.get("objective", "")
    key = f"values {lab.shelf.stamp(question.name)} {question.rules_only().address(objective=objective)}"
    return key, str(lab.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.npz")


def _prepare(lab: Lab, question: Question, moves: Moves) -> None:
    """Let the process of a game in play evaluate what its coach will be asked first, if the game's values are in the
    cache folder; nothing waits for that.
    """
    key, file = _values(lab, question)
    lab.make_room()
    given = {"seed": question.settings["seed"], "moves": moves, "objective": question.settings.get("objective")}
    limits = replace(_limits(lab, question), grace=PLAYING.seconds)
    lab.answers.ask(f"prepared {key}", "play.prepare", limits, asked=question.plain().asked, file=file, **given)


async def _prepared(request: Request, question: Question) -> None:
    """Wait for what `_prepare` has begun: beginning it once more would take longer."""
    lab = lab_of(request)
    begun = lab.answers.find(f"prepared {_values(lab, question)[0]}")
    if begun is not None:
        await wait(begun, lambda answer: answer.ended, request.is_disconnected)


def _waiting(request: Request, question: Question, also: PendingAnswer | None = None, solved: bool = False) -> Response:
    """Return the page shown while a game is solved, or until the answer `also` is there, which alone is waited for if
    that is done (`solved`); the work stops when the page is closed.
    """
    first = also if solved else _solving(request, question)[0]
    given: dict[str, Any] = {
        "work": first.number if first else "",
        "also": also.number if also else "",
        "estimating": solved,
    }
    token, title = lab_of(request).token, f"{question.card['name']}: {'estimating' if solved else 'solving'}"
    return page("solving.html", title=title, question=question, token=token, **given)


def _limits(lab: Lab, question: Question) -> JobLimits:
    """Return the limits of a job about a game in play, whose process stays for the next move."""
    return replace(PLAYING, stays=f"{question.name} {lab.shelf.stamp(question.name)}")


def _asked_table(
    request: Request, question: Question, moves: Moves, coach: str, file: str | None, said: dict[str, Any]
) -> PendingAnswer:
    """Return the job that says what the state of the game is after the moves."""
    lab = lab_of(request)
    key = f"play {lab.shelf.stamp(question.name)} {question.address('play')} {file} {said}"
    seed = question.settings.get("seed", "1")
    look = question.settings.get("look") == str(len(moves))
    arguments = {"asked": question.plain().asked, "seed": seed, "moves": moves, "coach": coach, "look": look} | said
    return lab.answers.ask(key, "play.play", _limits(lab, question), **arguments, file=file)


def _table(
    request: Request,
    question: Question,
    moves: Moves,
    answer: PendingAnswer,
    file: str | None,
    said: dict[str, Any],
) -> dict[str, Any]:
    """Return the state of the game after the moves, and what a typed line or a click means in it."""
    lab = lab_of(request)
    if "table" not in answer.said:
        raise ParameterError(answer.said.get("error", "stopped"))
    if "then" in answer.said:  # the page that is asked for next
        made = question.address("play", moves=write_moves([*moves, answer.said["table"]["made"]]), **UNSAID)
        nothing = NO_TEXT | {word: said[word] for word in ("estimated",) if word in said}
        lab.answers.know(f"play {lab.shelf.stamp(question.name)} {made} {file} {nothing}", table=answer.said["then"])
    table: dict[str, Any] = answer.said["table"]
    return table


async def _reviewed(request: Request, question: Question) -> PendingAnswer:
    """Return the review, by estimates if the game can't be solved; or what it waits for, which has not ended then."""
    lab = lab_of(request)
    solving, file = _solving(request, question)
    if not await wait(solving, lambda answer: answer.ended, request.is_disconnected, LIMITS.coach_seconds):
        return solving
    why = solving.said.get("error", "")
    if why and ("objective" in question.settings or "best" in question.strategies):
        return solving
    moves, seed = _played(question), question.settings.get("seed", "1")
    key = f"review {lab.shelf.stamp(question.name)} {question.address()} {bool(why)}"
    given: dict[str, Any] = {"asked": question.plain().asked, "seed": seed, "moves": moves}
    limits = replace(_limits(lab, question), seconds=SOLVING.seconds) if why else _limits(lab, question)
    again = [] if is_stepped(question) else [_again(question, moves[:made]) for made in range(len(moves) + 1)]
    given |= {"file": None if why else file, "unsolved": why, "again": again, "shown": STEPS}
    answer = lab.answers.ask(key, "play.reviewed", limits, **given)
    await wait(answer, lambda state: state.ended, request.is_disconnected, LIMITS.estimate_seconds if why else None)
    return answer


def _shown(question: Question, table: dict[str, Any], moves: Moves, coach: str, why: str) -> dict[str, Any]:
    """Return what the template of the table needs."""
    card = question.card

    def then(move: list[int]) -> str:
        return question.address("play", moves=write_moves([*moves, move]), **UNSAID)

    kept = UNSAID | {"look": question.settings.get("look", "")}
    choices = [
        {**choice, "address": then(choice["move"]), "key": _key(at)} for at, choice in enumerate(table["choices"])
    ]
    return {
        "title": card["name"],
        "question": question,
        "card": card,
        "table": table,
        "choices": choices,
        "addresses": {".".join(map(str, choice["move"])): choice["address"] for choice in choices},
        "look": question.address("play", **UNSAID | {"look": str(len(moves))}),
        "next": then([]) if table["steps"] is not None and not table["over"] else None,
        "all": question.address("play", moves=ALL, **UNSAID),
        "saved": question.address("play.json", **UNSAID, coach=""),
        "back": question.address("play", moves=write_moves(moves[:-1]), **UNSAID) if moves else None,
        "again": question.address("play", moves="", **UNSAID, seed=int(question.settings["seed"]) + 1)
        if question.settings["seed"].isdecimal()
        else None,
        "review": question.address("review", **UNSAID, coach=""),
        "coach": coach,
        "coaches": [(word, question.address("play", **kept, coach="" if word == "off" else word)) for word in COACH],
        "why": why,
        "kept": _kept(question),
        "seats": _seats(question),
        "command": _command(question),
    }


def _kept(question: Question) -> list[tuple[str, str]]:
    """Return what the form for a typed move keeps of the address."""
    look = question.settings.get("look", "")
    return parse_qsl(question.address("play", **UNSAID | {"look": look}).partition("?")[2])


def _key(at: int) -> str:
    """Return the key of a move: 1 to 9 for the first ones."""
    return str(at + 1) if at < 9 else ""


def _seats(question: Question) -> list[str]:
    """Return who plays, as the form shows it."""
    if not question.card["choices"]:
        return []
    given, seats = question.strategies, question.seats
    if not given:
        return ["me", *[question.usual_strategy] * (seats - 1)]
    return [*given] if len(given) == seats else given[:1] * seats


def _command(question: Question) -> str | None:
    """Return the command that plays this game at the terminal; it has no optimal policy without a file."""
    return None if "best" in question.strategies else question.command("play", seed=question.settings["seed"])
