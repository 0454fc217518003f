"""The check of a file: all steps in order, up to the first that finds a broken rule.

By itself because it can also be used without the program, which runs it in a process of its own.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

from dicelab.conformance.alike import compare_seats, in_the_open
from dicelab.conformance.exactly import OUR_FAULT, engines, exact_answers, small_enough
from dicelab.conformance.findings import BROKEN, NOTE, OK, Broken, Finding, Found, Said, broken, unused
from dicelab.conformance.looks import looks
from dicelab.conformance.settings import LIMIT, SHORT, Setting, Unsettled, lineups, play_some, settings_of, strategies
from dicelab.conformance.states import Reached, reach, states
from dicelab.errors import DicelabError, ParameterError, PlayError, RulesError, unknown
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.solution import Solution
from dicelab.questions.policies.solve import slow_choices, solve
from dicelab.results.text.writing import many
from dicelab.rules.casino import Casino
from dicelab.rules.fields import Ints, Peak
from dicelab.rules.game import Game, Strategy, outcome_names, seat_count, summary
from dicelab.rules.loading.registry import games_in, load
from dicelab.rules.loading.strategies import strategies_in
from dicelab.rules.objectives import wanted
from dicelab.rules.params import value_of
from dicelab.rules.private import private_fields
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.runtime.outcome_tables import row_pool
from dicelab.runtime.states.symmetry import Rotation
from dicelab.runtime.where import where_class, where_declared, where_is
from dicelab.solver.exact_answer import answer
from dicelab.solver.value import ExactAnswer
from dicelab.translation.contract import must_be_lawful
from dicelab.translation.entries import takes_any
from dicelab.translation.translator import NotTranslatable

MOST_SEATS = 1000
"""Limit of the number of seats."""


def contract(game: type[Game]) -> Found:
    """Check who may change what, and what rules may depend on."""
    must_be_lawful(game, game.declared.strategies.values())
    yield Said(OK, "rules and strategies change only what they may, and depend on nothing hidden")


def declared(game: type[Game]) -> Found:
    """Check that the class has what a game needs."""
    missing = what_is_missing(game)
    if missing:
        where = where_class(game)
        raise Broken(f"{where}: {missing}" if where else missing, where)
    for base in game.__mro__[: game.__mro__.index(Game)]:
        for name, value in vars(base).items():
            if isinstance(value, list | dict | set) and not name.startswith("__") and not hasattr(Casino, name):
                where = where_declared(game, name)
                kind = type(value).__name__
                say = f"{name} is a {kind}: declare what changes as Int, Ints, Flag or Tally; write constants as tuples"
                raise Broken(f"{where}: {say}" if where else say, where)
    for decision in game.declared.decisions:
        takes = decision.rule.__code__.co_argcount - 1
        if takes != len(decision.kinds) and not (takes == 0 and decision.lists and takes_any(decision.rule)):
            where = where_is(decision.rule)
            raise Broken(
                f"{where}: {decision.name} takes {takes} numbers, but @chosen declares {len(decision.kinds)}: "
                f"write one argument for each",
                where,
            )
    if not summary(game):
        yield Said(NOTE, "it has no docstring; its first line is what lists and help say of the game")
    if not game.source:
        yield Said(NOTE, 'it names no source; add source = "where the rules come from"')
    for name in unused(game):
        where = where_declared(game, name)
        yield Said(NOTE, f"{where}: no rule uses the parameter {name}: use it, or leave it out")
    has = game.declared
    sizes = {"parameters": len(has.params), "fields": len(has.state), "tallies": len(has.tallies)}
    sizes["strategies"] = len(has.strategies)
    yield Said(OK, ", ".join(f"{name}: {number}" for name, number in sizes.items()), {"declared": sizes})


def what_is_missing(game: type[Game]) -> str:
    """Return what a game needs and the class lacks, with what to write; empty if nothing."""
    if game.next is Game.next:
        return "it has no method next(self), which says what happens now: throw(...), ask(...) or OVER"
    if not game.declared.throws and not game.declared.decisions:
        return "nothing ever happens: put @thrown(dice, die) or @chosen(moves) above a method"
    if outcome_names(game()) and game.outcome is Game.outcome:
        return "it has outcomes but no method outcome(self) that returns the number of one"
    if game.declared.decisions and not game.declared.strategies:
        return "it has choices but no strategy: put @strategy(...) above a function that chooses"
    return ""


def must_be_sensible(sample: Game, at: str) -> None:
    """Refuse empty ranges, dice that can't be rolled, and impossible numbers of seats, at one setting."""
    begin = f"{at}: " if at else ""
    for f in sample.declared.state.values():
        low, high = f.bounds(sample)
        where = where_declared(type(sample), f.name)
        line = f"{where}: " if where else ""
        if low > high:
            raise Broken(
                f"{line}{begin}{f.name} has the empty range {low} to {high}: declare one that holds at least one "
                "value, or refuse the setting in refuse()",
                where,
            )
        if isinstance(f, Ints) and value_of(f.length, sample) < 1:
            raise Broken(
                f"{line}{begin}{f.name} has length {value_of(f.length, sample)}: it must be at least 1, or refuse the "
                "setting in refuse()",
                where,
            )
    for kind in sample.declared.throws:
        takes, where = _numbers(kind.rule), where_is(kind.rule)
        if takes is not None and takes != kind.width(sample):
            raise Broken(
                f"{where}: {begin}a roll of {kind.name} is seen as {kind.width(sample)} numbers, but the method takes "
                f"{takes}: write one argument for each, or *faces",
                where,
            )
        try:
            for dice in (0, 1):
                row_pool(sample, kind, dice)
        except RulesError as error:
            raise Broken(f"{where}: {begin}{error}: declare dice that can be rolled at every setting", where) from error
    if not 1 <= seat_count(sample) <= MOST_SEATS:
        where = where_declared(type(sample), "seats") or where_class(type(sample))
        say = f"{begin}there are {seat_count(sample)} seats: declare 1 to {MOST_SEATS}"
        raise Broken(f"{where}: {say}" if where else say, where)


def _numbers(rule: Callable[..., object]) -> int | None:
    """Return how many numbers the method of a roll takes; None for any number."""
    code = rule.__code__
    return None if code.co_flags & 0x04 else code.co_argcount - 1


# The check of strategies that are written in another file than their game: the steps that are about strategies.


GAMES, STEPS = 10, 150_000
"""Games of a line-up at one setting, and the rolls and choices at all settings, after which one game is enough."""


def by_game(file: str, by_name: Mapping[str, Strategy]) -> dict[type[Game], list[Strategy]]:
    """Return the strategies of a file, named with it, by the game that they are for."""
    games: dict[type[Game], list[Strategy]] = {}
    for name, strategy in by_name.items():
        games.setdefault(strategy.game, []).append(replace(strategy, name=f"{file}:{name}"))
    return games


def with_strategies(game: type[Game], more: Sequence[Strategy]) -> type[Game]:
    """Return the game with these strategies only and, if they have opponents, its own default one."""
    kind: type[Game] = type(game.__name__, (game,), {"__module__": game.__module__, "__doc__": game.__doc__})
    kind.name = game.name
    own = dict(list(game.declared.strategies.items())[: seat_count(game()) > 1])
    kind.declared = replace(kind.declared, strategies=ChainMap({one.name: one for one in more} | own))
    return kind


def steps_for(game: type[Game]) -> list[tuple[str, Callable[[], Found]]]:
    """Return the names and functions of the steps for a game made by `with_strategies`, in order."""
    settings: list[Setting] = []

    def at_settings() -> Found:
        settings[:] = settings_of(game).settings
        yield from _played_at(settings)

    return [
        ("contract", lambda: contract(game)),
        ("strategies", lambda: strategies(game)),
        ("settings", at_settings),
        ("engines", lambda: engines(game, settings[:: max(1, len(settings) // 12)])),
        ("exact", lambda: exact_answers(game, settings)),
    ]


def _played_at(settings: Sequence[Setting]) -> Found:
    """Play a few games of each line-up with parameters at their limits and in pairs."""
    played = 0
    for setting in settings:
        every = lineups(setting.game)
        share = 1 + STEPS // (len(settings) * len(every))
        for one in every:
            played += play_some(setting.game, one, GAMES, SHORT, share, str(setting)).games
    if settings:
        what = f"{many(played, 'game')} at {many(len(settings), 'setting')}, parameters at their limits and in pairs"
        yield Said(OK, f"{what}, went well", {"at_settings": {"settings": len(settings), "games": played}})


SEAT_WORK = 150_000
"""Work (`Explorer.work`) of comparing seats."""
SETTINGS_WORK, LEAST = 200_000, 1_000
"""Work at all settings, and the minimum at one of them: half of it for the states."""
AT_SETTING = 3000
"""Limit of the states explored at one setting."""
STRATEGY_GAMES = 3
"""Games of each of two line-ups at one setting."""

Begin = Callable[[str, str], None]
"""Called before each step with the game and the name of the step."""


def check_file(text: str, begin: Begin = lambda game, step: None) -> Iterator[Finding]:
    """Check every game in a file, and every strategy for another game; ``file.py:name`` checks one of these.

    Calls `begin` before each step.
    """
    path, _, wanted = text.partition(".py:")
    file = Path(path + ".py" if wanted else text)
    begin(str(file), "read the file")
    try:
        module = load(file)
        games = games_in(module)
        more = {name: one for name, one in strategies_in(module).items() if one.game not in games.values()}
        if not games and not more:
            raise RulesError("it has no game: define a class that inherits from dicelab.rules.Game")
        if wanted and wanted not in {**games, **more}:
            raise unknown("game or strategy" if more else "game", wanted, {**games, **more})
    except DicelabError as error:
        finding = broken(error)
        yield Finding(str(file), "read the file", BROKEN, str(finding), finding.where)
        return
    for name, game in games.items():
        if wanted in ("", name):
            yield from check_game(game, begin)
    asked = {name: one for name, one in more.items() if wanted in ("", name)}
    for game, strategies_for in by_game(path + ".py" if wanted else text, asked).items():
        kind = with_strategies(game, strategies_for)
        yield from _in_order(kind, steps_for(kind), begin)


def check_game(game: type[Game], begin: Begin = lambda game, step: None) -> Iterator[Finding]:
    """Check one game, step by step, up to the first step that finds a broken rule."""
    yield from _in_order(game, Steps(game).steps(), begin)


def _in_order(game: type[Game], steps: Sequence[tuple[str, Callable[[], Found]]], begin: Begin) -> Iterator[Finding]:
    """Yield the findings of some steps, up to the first step that finds a broken rule."""
    for name, step in steps:
        begin(game.name, name)
        try:
            for said in step():
                yield Finding(game.name, name, said.verdict, said.say, None, said.covered)
        except Exception as error:
            finding = broken(error, game)
            yield Finding(game.name, name, BROKEN, str(finding), finding.where)
            return


class Steps:
    """The steps of the check of one game; later ones use what earlier ones found."""

    def __init__(self, game: type[Game]) -> None:
        self.game = game
        self.reached: list[Reached] = []
        self.settings: list[Setting] = []

    def steps(self) -> list[tuple[str, Callable[[], Found]]]:
        """Return the names and functions, in order."""
        game = self.game
        return [
            ("contract", lambda: contract(game)),
            ("declarations", lambda: declared(game)),
            ("parameters", self.parameters),
            ("states", self.states),
            ("words", lambda: looks(game)),
            ("seats", self.seats),
            ("strategies", self.strategies),
            ("settings", self.at_settings),
            ("engines", lambda: engines(game, self.settings[:: max(1, len(self.settings) // 12)])),
            ("exact", lambda: exact_answers(game, self.settings)),
            ("policy", lambda: policy(game, self.settings)),
        ]

    def parameters(self) -> Found:
        """Check that ranges, dice and seats are possible at every setting."""
        try:
            every = settings_of(self.game)
        except Unsettled as unsettled:
            raise broken(unsettled.error, self.game, None, unsettled.at) from unsettled
        must_be_sensible(self.game(), "")
        for setting in every.settings:
            must_be_sensible(setting.game, str(setting))
        self.settings = every.settings
        count, refused = len(every.settings) + 1, every.refused
        more = f"; the game refuses {refused} more" if refused else ""
        say = f"ranges and dice make sense at {many(count, 'setting')}{more}"
        yield Said(OK, say, {"settings": {"all": count, "refused": refused}})

    def states(self) -> Found:
        """Check the states at the defaults; mention choices that may be meant to be made at once."""
        yield from states(self.game, self.reached)
        openly = in_the_open(self.game(), self.reached[0].explored)
        if openly:
            yield Said(NOTE, openly)

    def seats(self) -> Found:
        """Check that a game which declares all seats alike is the same from every seat."""
        sample = self.game()
        rotation = Rotation.declared(sample)
        if rotation is None:
            return
        compared, every = compare_seats(sample, self.reached[0].explored.states, SEAT_WORK)
        whole = "all" if every and self.reached[0].explored.every else "some"
        say = f"{whole} {compared:,} states, up to rotation, are the same from each of {rotation.seats} seats"
        yield Said(OK, say, {"seats": {"states": compared, "all": whole == "all"}})

    def strategies(self) -> Found:
        """Check that the strategies play; say which choices would be faster as another kind."""
        yield from strategies(self.game)
        yield from (Said(NOTE, text) for text in slow_choices(self.game()))

    def at_settings(self) -> Found:
        """Check states, seats and games of the strategies with parameters at their limits and in pairs."""
        whole, part, total, endless = 0, 0, 0, ""
        used = set(self.reached[0].explored.used)
        for done, setting in enumerate(self.settings):
            reached, lost = self._at_setting(setting, max(LEAST, SETTINGS_WORK // len(self.settings)), done)
            used |= reached.explored.used
            total += reached.states
            whole, part = whole + reached.explored.every, part + (not reached.explored.every)
            endless = endless or lost
        self._must_be_of_use(used, part == 0 and self.reached[0].explored.every)
        if endless:
            yield Said(NOTE, f"{endless}; refuse that setting in refuse() if it is not meant to be played")
        if self.settings:
            how = ", ".join(f"{which} states at {at}" for which, at in (("all", whole), ("some", part)) if at)
            said = f"{many(len(self.settings), 'setting')}, parameters at their limits and in pairs"
            say = f"{said}: {how}; {many(total, 'state')}"
            yield Said(OK, say, {"at_settings": {"settings": len(self.settings), "all_states": whole, "states": total}})

    def _at_setting(self, setting: Setting, work: int, number: int) -> tuple[Reached, str]:
        """Return the states reached at a setting, and a message if the game can't end from one of them."""
        at = str(setting)
        reached = reach(setting.game, AT_SETTING, work // 2, work // 4, at)
        if Rotation.declared(setting.game) is not None:
            compare_seats(setting.game, reached.explored.states, work // 4, at)
        every = lineups(setting.game)
        for one in {0, number % len(every)}:
            play_some(setting.game, every[one], STRATEGY_GAMES, SHORT, work // 4, at)
        lost = reached.explored.leads_nowhere() if reached.explored.every else None
        return reached, f"{at} the game can't end from some states" if lost is not None else ""

    def _must_be_of_use(self, used: set[tuple[str, tuple[int, ...]]], every: bool) -> None:
        """Refuse named moves that are legal in no state at any setting, if all states are known."""
        for decision in self.game.declared.decisions if every else ():
            if len(decision.kinds) != 1 or not isinstance(decision.kinds[0], type):
                continue
            moves = [(int(move),) for move in decision.kinds[0]]
            never = [decision.describe(move) for move in moves if (decision.name, move) not in used]
            if never:
                where = where_is(decision.legal or decision.rule)
                raise Broken(
                    f"{where}: never legal in {decision.name} at any state: {', '.join(never)}: leave it out of the "
                    "choice, or allow it somewhere",
                    where,
                )


# The step `policy`: an optimal policy, saved and loaded, has the value that was solved, and plays alike on engines ----


POLICY_GAMES = 100
"""Games of the policy on the reference and on the compiled engine."""
ROUNDED = 1e-9
"""Relative difference of values allowed for rounding where no error bound is known."""


def policy(game: type[Game], settings: Sequence[Setting]) -> Found:
    """Check the optimal policy of a game with choices, at its defaults or at a setting with few states."""
    if not game.declared.decisions:
        return
    if private_fields(game):
        yield Said(NOTE, "no policy was checked: the game has hidden information, so there is no optimal one")
        return
    sample, at, why = small_enough(game(), settings, free=True)
    if why:
        yield Said(NOTE, f"no policy was checked: {why}")
        return
    best = _solved(sample)
    if isinstance(best, str):
        yield Said(NOTE, f"no optimal policy: {best}")
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.npz"
        assert best.policy is not None
        best.policy.save(path)
        played = _must_keep_its_promise(sample, best, f"policy:{path}")
    begin = f"{at}, " if at else ""
    say = f"{begin}1 policy of {best.choices:,} choices is worth {best.value:.6g} once solved, saved and loaded"
    yield Said(OK, f"{say}{played}", {"policies": 1, "choices": best.choices, "objective": best.objective, "at": at})


def _solved(sample: Game) -> Solution | str:
    """Return the optimal policy for the first objective that has one, or why there is none."""
    why = "there is no objective: the game has no outcomes and no tallies"
    if seat_count(sample) > 1:
        why = "there is no objective of several seats: the game says neither who wins nor what each seat gets (payoffs)"
    for objective in _objectives(sample):
        try:
            best = solve(sample, objective=objective)
        except PlayError as error:  # gains are unlimited
            why = str(error)
            continue
        if best.policy is not None:
            return best
    return why


def _objectives(sample: Game) -> list[str | None]:
    """Possible objectives: to win; otherwise, for one seat, the first outcome, and the most or fewest of each tally."""
    try:
        Objective.of(sample, None)
    except ParameterError:
        if seat_count(sample) > 1:
            return []
        tallies = [name for name, tally in sample.declared.tallies.items() if not isinstance(tally, Peak)]
        return [*outcome_names(sample)[:1], *(f"{much}:{name}" for name in tallies for much in ("most", "fewest"))]
    return [None]


def _must_keep_its_promise(sample: Game, best: Solution, words: str) -> str:
    """Compare the value of a loaded policy with the solved one, and its games on two engines; return a message."""
    run = Run.of(sample, words)
    answered = answer(run, fractions=False)
    for what, promised, value, error in _values(sample, best, answered):
        allowed = error + (best.error if isfinite(best.error) else 0.0) + ROUNDED * max(1.0, abs(promised))
        if not best.chasing and abs(promised - value) > allowed:
            raise Broken(f"{what} is {promised} for the policy when solved, but {value} when loaded; {OUR_FAULT}")
    expected = Reference(sample, run.calls, LIMIT).play(0, 0, POLICY_GAMES)
    try:
        from dicelab.engines.compiled import Compiled

        engine = Compiled(sample, run.calls, LIMIT)
    except NotTranslatable:
        return ""
    if engine.play(0, 0, POLICY_GAMES) != expected:
        raise Broken(f"the compiled engine and the reference engine play the policy differently; {OUR_FAULT}")
    return f", on 2 engines in {POLICY_GAMES} games"


def _values(sample: Game, best: Solution, exactly: ExactAnswer) -> list[tuple[str, float, float, float]]:
    """Name, solved value, exact value of the loaded policy and its error bound, for each seat or for the objective."""
    names = outcome_names(sample)
    if best.outcomes:
        return [
            (f"seat {name}", chance.probability, exactly.chances[names.index(name)], exactly.error)
            for name, chance in best.outcomes.items()
        ]
    if best.objective in names:
        return [(best.objective, best.value, exactly.chances[names.index(best.objective)], exactly.error)]
    if wanted(best.objective).counts:
        tally = list(sample.declared.tallies).index(wanted(best.objective).name)
        return [(best.objective, best.value, exactly.tallies[tally].mean, exactly.tallies[tally].error)]
    return [("seat 0", best.value, exactly.chances[0], exactly.error)]
