"""Writes the kernel that plays games as the compiled engine does, and sums the change of known values by decisions.

Luck is found without the values after rolls: the result of a game is the value of its start, plus what all rolls
changed, plus what all decisions changed. So values are looked up before and after each decision only, and luck is the
rest. The states are found in a hash table of packed states (`dicelab.compile.kernels.hashtable`).
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.compile.kernels.writers.simulate import LOOK_UP, cells_of, copied, name_rows, parts_of, text_of, translated
from dicelab.rules.game import Game, Strategy
from dicelab.translation.translator import Translation

NAMES = ("low", "span", "word", "shift", "keys", "table", "value", "prize", "start", "here", "packed", "changed")
"""Arguments after the rows: the layout of packed states and their hash table; values (states, seats), of a game that
is over (outcomes, seats), and of the start; then scratch space."""
TOTALS = ("sums", "missing", "found", "each")
"""Arrays that are filled: sums (seats, `POWERS`), states whose value is missing, how many these are, and the luck of
each game (games, seats), as far as there is room."""
POWERS = (
    *("got", "got * got", "change", "luck", "change * change", "luck * change", "luck * luck"),
    *("change * change * change", "luck * change * change", "luck * luck * change", "luck * luck * luck"),
)
"""The terms summed over the games, for each seat: powers of its result, of the change by decisions, and of its luck."""


def write(game: type[Game], strategies: Sequence[Strategy], tally: str = "") -> tuple[str, dict[str, str]]:
    """Return the text of the kernel, and for each function in the text the file and line of its rule.

    Parameters
    ----------
    game, strategies
        As for `dicelab.compile.kernels.writers.simulate.write`.
    tally
        The tally whose mean the values are; empty if they are chances.
    """
    translation = translated(game, strategies)
    parts = parts_of(translation, strategies)
    if LOOK_UP not in translation.source:
        translation.source.insert(0, LOOK_UP)
    state = ", ".join(translation.layout.arguments)
    first = len(name_rows(translation.layout, strategies))
    named = [f"_v_{name} = rows[{first + i}]" for i, name in enumerate((*NAMES, *TOTALS))]
    gained = f"_g.{tally}" if tally else "0"
    before = [f"_v_base = {gained}", *_looked_up(translation, "-")]
    after = [
        f"step = {translation.method('next')}({state})",
        "_v_last = step == -1",
        "if not _v_last:",
        *(f"    {line}" for line in [*_looked_up(translation, "+"), f"_v_gain += {gained} - _v_base"]),
    ]
    parts |= {
        "name_rows": [*parts["name_rows"], *named],
        "begin": [*parts["begin"], "_v_changed[:] = 0.0", "_v_last = _v_lost = False", "_v_base = _v_gain = 0"],
        "choices": [*before, *parts["choices"], *after],
        "count": _summed(gained if tally else ""),
    }
    return text_of("simulate", "luck", translation, parts), translation.places


def _looked_up(translation: Translation, sign: str) -> list[str]:
    """Code that adds the values of the present state to ``_v_changed``, or subtracts them."""
    layout = ", ".join(f"_v_{name}" for name in NAMES[:6])
    return [
        *copied(cells_of(translation.layout, ()), "_v_here[{at}] = {cell}"),
        f"o = number_in(_v_here, {layout}, _v_packed)",
        "if o < 0:",
        "    _v_lost = True",
        "    if _v_found[0] < _v_missing.shape[0]:",
        "        for q in range(_v_here.size):",
        "            _v_missing[_v_found[0], q] = _v_here[q]",
        "        _v_found[0] += 1",
        "else:",
        "    for q in range(_v_changed.size):",
        f"        _v_changed[q] {sign}= _v_value[o, q]",
    ]


def _summed(tally: str) -> list[str]:
    """Code that adds a game that is over to the sums; `tally` is what was counted, if the values are of a tally."""
    result = tally or "_v_prize[outcome, q]"
    return [
        "if not _v_lost:",
        "    for q in range(_v_changed.size):",
        f"        got = np.float64({result})",
        f"        change = _v_changed[q] + _v_gain + ({'got - _v_base' if tally else 'got'} if _v_last else 0.0)",
        "        luck = got - _v_start[q] - change",
        *(f"        _v_sums[q, {i}] += {power}" for i, power in enumerate(POWERS)),
        "        if base + i - lo < _v_each.shape[0]:",
        "            _v_each[base + i - lo, q] = luck",
    ]
