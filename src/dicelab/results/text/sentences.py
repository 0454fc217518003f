"""The answer to a question in one sentence, with three digits: numbers in words, and who wins."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10

from dicelab.results.numbers.estimates import Point
from dicelab.results.text.writing import values_text

DIGITS = 3
"""Digits of a number in a sentence."""
RARE = 1e-5
"""Probabilities below this are written as 1 in so many."""
VAGUE = 0.01
"""Largest error of an exact probability from which a sentence is made."""
COUNTED = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
PLACES = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]


def percent(p: float, digits: int = DIGITS) -> str:
    """Return a probability with three digits; one near 100 % with the digits that tell it from 100 %.

    >>> percent(0.17262), percent(0.05), percent(0.99967), percent(1.0), percent(1 / 139_838)
    ('17.3 %', '5.00 %', '99.97 %', '100 %', '1 in 140,000')
    """
    if p <= 0 or p >= 1:
        return "100 %" if p >= 1 else "0 %"
    if p < RARE:
        return f"1 in {float(f'{1 / p:.{digits}g}'):,.0f}"
    near = 100 * min(p, 1 - p)
    places = digits - 1 - floor(log10(near)) if p <= 0.5 else max(digits - 2, ceil(-log10(near)))
    text = f"{100 * p:.{max(0, places)}f}"
    return f"{'100' if float(text) >= 100 else text} %"


def apart(one: float, other: float) -> tuple[str, str]:
    """Return two different probabilities with as many digits as tell them apart.

    >>> apart(0.250004, 0.249998), apart(0.5, 0.25)
    (('25.0004 %', '24.9998 %'), ('50.0 %', '25.0 %'))
    """
    for digits in range(DIGITS, 12):
        texts = percent(one, digits), percent(other, digits)
        if texts[0] != texts[1]:
            break
    return texts


def number(value: float) -> str:
    """Return a mean with three digits, or all digits before the point.

    >>> number(66.647), number(1234.5), number(-0.0141), number(3.0), number(0.0)
    ('66.6', '1,234', '-0.0141', '3.00', '0')
    """
    if value == 0:
        return "0"
    places = max(0, DIGITS - 1 - floor(log10(abs(value))))
    return f"{value:,.{min(places, 12)}f}"


def points(interval: tuple[float, float]) -> str:
    """Return the half-width of the interval of a probability, in percentage points.

    >>> points((0.469, 0.531)), points((0.2, 0.2004))
    ('±3.1 points', '±0.02 points')
    """
    half = 50 * (interval[1] - interval[0])
    return f"±{half:.{max(0, (0 if half >= 10 else 1) if half >= 1 else 1 - floor(log10(half)) - 1)}f} points"


def within(interval: tuple[float, float]) -> str:
    """Return the half-width of the interval of a mean, in brackets; empty if there is none.

    >>> within((31.1, 35.5)), within((2.0, 2.0)), within((3.0, float("inf")))
    (' (±2.2)', '', ' (too few games for an interval)')
    """
    half = (interval[1] - interval[0]) / 2
    if not isfinite(half):
        return " (too few games for an interval)"
    return f" (±{half:,.{max(0, 1 - floor(log10(half)))}f})" if half > 0 else ""


def count_word(count: int) -> str:
    """Return a number as a word, up to twelve.

    >>> count_word(6), count_word(50)
    ('six', '50')
    """
    return COUNTED[count] if count < len(COUNTED) else str(count)


def ordinal(place: int) -> str:
    """Return a place, counted from 0, as a word.

    >>> ordinal(0), ordinal(4), ordinal(20), ordinal(12)
    ('first', 'fifth', '21st', '13th')
    """
    if place < len(PLACES):
        return PLACES[place]
    last = place + 1
    ending = "th" if last % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(last % 10, "th")
    return f"{last}{ending}"


def the(name: str) -> str:
    """Return a name with its article, unless it begins with a capital letter.

    >>> the("shooter"), the("White")
    ('the shooter', 'White')
    """
    return name if name[:1].isupper() else f"the {name}"


def listed(words: Sequence[str]) -> str:
    """Return the words as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def capital(text: str) -> str:
    """Return a sentence with a capital letter and a full stop; names such as ``one_roll`` stay as they are.

    >>> capital("player 1 wins"), capital("one_roll is best."), capital("")
    ('Player 1 wins.', 'one_roll is best.', '')
    """
    if text.split(" ")[0].rstrip(":,").isalpha():
        text = f"{text[0].upper()}{text[1:]}"
    return text if not text or text[-1] in ".!?" else f"{text}."


def _seats(places: Sequence[int], players: Sequence[str]) -> str:
    """Return the seats for a sentence: by their names, else as the first, the second and so on."""
    if players:
        return listed([the(players[seat]) for seat in places])
    return f"the {listed([ordinal(seat) for seat in places])}"


def who_wins(chances: Sequence[Point], exact: bool, players: Sequence[str] = ()) -> str:
    """Return who wins most often, and who least often.

    Parameters
    ----------
    chances
        For each seat its chance to win with the ends of its interval: the error bounds of an exact number, or
        confidence intervals that hold for all seats together.
    exact
        Whether the numbers are exact.
    players
        Names of the seats, if they have any.

    Examples
    --------
    >>> who_wins([Point(p, p, p) for p in (0.2, 0.5, 0.3)], exact=True)
    'The second of three players wins most often: 50.0 %, against 20.0 % for the first.'
    >>> who_wins([Point(0.52, 0.49, 0.55), Point(0.48, 0.45, 0.51)], exact=False)
    'Too few games to tell who wins more often (±3.0 points).'
    """
    values = [p.value for p in chances]
    seats = range(len(values))
    best, worst = max(seats, key=values.__getitem__), min(seats, key=values.__getitem__)
    top = [seat for seat in seats if chances[seat].high >= chances[best].low]
    low = [seat for seat in seats if chances[seat].low <= chances[worst].high]
    if exact and max(p.high - p.low for p in chances) > VAGUE:
        return "The bound on the error is too wide to tell who wins more often."
    if len(values) == 1:
        return "The only player always wins."
    if best in low and not exact:
        return f"Too few games to tell who wins more often ({points(chances[best][1:])})."
    if best in low:
        every = "Both players" if len(values) == 2 else f"All {count_word(len(values))} players"
        return f"{every} win equally often: {percent(values[0])}."
    return _best_and_worst(chances, (best, worst), (top, low), exact, players)


def _best_and_worst(
    chances: Sequence[Point],
    ends: tuple[int, int],
    groups: tuple[list[int], list[int]],
    exact: bool,
    players: Sequence[str],
) -> str:
    """Return who wins most often, and who least often, where they differ.

    `ends` are the seats with the highest and the lowest chance, `groups` those whose chances may be as high, or as low.
    """
    values, (best, worst), (top, low) = [p.value for p in chances], ends, groups
    if exact and values[best] >= 1:
        return f"{capital(_whole(best, len(values), players))[:-1]} always wins."
    most = "more" if len(values) == 2 else "most"
    high, little = apart(values[best], values[worst])
    least = _seats(low if exact else [worst], players)
    margin = "" if exact else f" ({points(chances[best][1:])})"
    if len(top) == 1:
        first = capital(_whole(best, len(values), players))[:-1]
        each = " each" if exact and len(low) > 1 else ""
        return f"{first} wins {most} often: {high}, against {little}{each} for {least}{margin}."
    if exact:
        of = "" if players else f" of {count_word(len(values))} players"
        first = capital(_seats(top, players))[:-1]
        return f"{first}{of} win most often: {high} each, against {little}{' each' * (len(low) > 1)} for {least}."
    first = capital(_whole(best, len(values), players))[:-1]
    ahead = f"{first} wins more often than {least}: {high} against {little}{margin}"
    return f"{ahead}; too few games to tell who wins most often."


def _whole(seat: int, seats: int, players: Sequence[str]) -> str:
    """Return one of all seats."""
    return the(players[seat]) if players else f"the {ordinal(seat)} of {count_word(seats)} players"


def how_it_ends(names: Sequence[str], chances: Sequence[Point], exact: bool, player: str = "player") -> str:
    """Return how a game ends whose outcomes are not seats: the chance to win, or the most likely outcome.

    Parameters
    ----------
    names, chances, exact
        The outcomes, and as in `who_wins`.
    player
        What the only player is called.

    Examples
    --------
    >>> how_it_ends(["win", "lose"], [Point(0.493, 0.493, 0.493), Point(0.507, 0.507, 0.507)], True, "caster")
    'The caster wins 49.3 % of games.'
    >>> how_it_ends(["shut", "open"], [Point(0.07, 0.06, 0.08), Point(0.93, 0.92, 0.94)], False)
    'The most likely outcome is open: 93.0 % (±1.0 points).'
    """
    values, words = [p.value for p in chances], [name.replace("_", " ") for name in names]
    if exact and max(p.high - p.low for p in chances) > VAGUE:
        return "The bound on the error is too wide to tell how likely the outcomes are."
    if "win" in names:
        chance = chances[list(names).index("win")]
        margin = "" if exact else f" ({points(chance[1:])})"
        return f"{capital(the(player))[:-1]} wins {percent(chance.value)} of games{margin}."
    order = sorted(range(len(values)), key=lambda k: -values[k])
    best = order[0]
    if values[best] >= 1 and exact:
        return f"Every game ends with the outcome {words[best]}."
    top = [k for k in range(len(values)) if chances[k].high >= chances[best].low]
    margin = "" if exact else f" ({points(chances[best][1:])})"
    if len(top) == 1:
        second = f"; then {words[order[1]]}: {percent(values[order[1]])}" if len(values) > 2 else ""
        return f"The most likely outcome is {words[best]}: {percent(values[best])}{margin}{second}."
    if exact:
        what = f"The outcomes {listed([words[k] for k in top])} are equally likely"
        return f"{what}{' and the most likely' if len(top) < len(values) else ''}: {percent(values[best])} each."
    return f"Too few games to tell which outcome is most likely ({points(chances[best][1:])})."


def amount(name: str, mean: Point, middle: tuple[int, int] | None, player: str = "player") -> str:
    """Return a tally in a sentence: its mean, and the range of four games in five.

    Parameters
    ----------
    name
        The tally; of ``money`` it is said whether it is won or lost.
    mean
        Its mean with the ends of its interval.
    middle
        The tenth and the ninetieth percentile, if they are known.
    player
        What the only player is called.

    Examples
    --------
    >>> amount("score", Point(209.0, 207.8, 210.2), (150, 262))
    'The mean of score is 209 (±1.2); at least four games in five have 150 to 262.'
    >>> amount("money", Point(-0.0141, -0.0141, -0.0141), None)
    'The player loses 0.0141 a game on average.'
    """
    word = name.replace("_", " ")
    sentence = f"The mean of {word} is {number(mean.value)}{within((mean.low, mean.high))}"
    if name == "money" and isfinite(mean.high - mean.low):
        who = capital(the(player))[:-1]
        if mean.low <= 0 <= mean.high and mean.high > mean.low:
            half = number((mean.high - mean.low) / 2)
            return f"Too few games to tell whether {the(player)} wins or loses on average (±{half} a game)."
        if mean.value == 0:
            return f"{who} neither wins nor loses on average."
        verb = "wins" if mean.value > 0 else "loses"
        return f"{who} {verb} {number(abs(mean.value))} a game on average{within((mean.low, mean.high))}."
    if middle is None:
        return f"{sentence}."
    low, high = middle
    return f"{sentence}; at least four games in five have {values_text(low, high).replace(' .. ', ' to ')}."
