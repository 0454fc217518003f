"""Figures in dicelab's style: axes, caption, legend, ticks, and files.

Only matplotlib's objects are used, not pyplot, so no display is needed and no state is shared. Importing matplotlib
takes most of a second, so it is imported when the first picture is drawn.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dicelab.errors import DicelabError, ParameterError
from dicelab.runtime.arrays import Floats
from dicelab.runtime.leftovers import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


SIZE = 7.0, 4.5
"""Width and height in inches."""
DOTS = 150
"""Dots per inch of a PNG."""
KINDS = ("svg", "png", "pdf")
"""File formats of pictures."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Colours that can be distinguished with any colour vision (M. Okabe and K. Ito, 2008)."""
MARKERS = "osD^vP"
"""Shapes of points, so that they differ not only in colour."""
TEXT, MUTED, LINE = "#222222", "#666666", "#e3e3e3"
SMALL = 7.0
"""Font size of the caption, in points."""
LETTERS = 80
"""Number of characters that fit below the axis."""
LETTER = 0.52
"""Mean width of a letter, as a share of the font size."""
LEGEND = 8.5, 7.5, 6.5
"""Font sizes of a legend, in points; the first one that fits is used."""
BEFORE = 0.85
"""Width of one of several axes once they are laid out, as a share of the width before."""
BESIDE = 8
"""Width of the mark beside an entry of a legend, in letters."""
HIGH = 320.0
"""Height of the axes of a new figure, in dots."""
MOST_TICKS = 12
"""Maximum number of values that all get a tick; of more, only round ones do."""
INCHES = 0.24, 1.5
"""Height of a row, and of the space above and below all rows together, in inches."""


def figure(title: str = "") -> tuple[Figure, Axes]:
    """Return an empty figure with one pair of axes in dicelab's style.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> picture, axes = figure("hazard: throws")
    >>> axes.get_title(loc="left")
    'hazard: throws'
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ParameterError("plots need matplotlib: pip install 'dicelab[plot]'") from error
    made = Figure(figsize=SIZE, layout="constrained", facecolor="white")
    axes = made.add_subplot(facecolor="white")
    axes.set_title(plain(title), loc="left", fontsize=11, color=TEXT)
    axes.grid(True, color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(MUTED)
    axes.tick_params(which="both", color=MUTED, labelcolor=TEXT, labelsize=9)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(color=TEXT, fontsize=10)
    return made, axes


def axes_for(ax: Axes | None, title: str, rows: int | None = None, drawn: object = True, lacking: str = "") -> Axes:
    """Return the given axes with the title set, or the axes of a new figure if None; as high as `rows` need (`grow`).

    Raises
    ------
    ParameterError
        When what is `drawn` is empty; `lacking` says why.
    """
    if not drawn:
        raise ParameterError(f"nothing to plot: {lacking}")
    if ax is None:
        ax = figure(title)[1]
        if rows is not None:
            grow(ax, rows)
        return ax
    ax.set_title(plain(textwrap.fill(title, across(ax, float(ax.title.get_fontsize())))), loc="left")
    return ax


def across(ax: Axes, size: float) -> int:
    """Return the number of letters of a font size, in points, that the axes are wide; 20 or more.

    >>> across(figure()[1], 8.5)
    88
    """
    whole: Any = ax.get_figure(root=True)
    points = ax.get_window_extent().width / whole.dpi * 72
    points *= 1 if len(whole.axes) == 1 else BEFORE
    return max(20, int(points / (LETTER * size)))


def plain(text: str) -> str:
    r"""Return a text with dollar signs escaped; matplotlib would read what is between two of them as a formula.

    >>> plain("$5 or $10")
    '\\$5 or \\$10'
    """
    return text.replace("$", r"\$")


def caption(ax: Axes, lines: Iterable[str]) -> None:
    """Write small print below the axes, wrapped to their width.

    Parameters
    ----------
    ax
        The axes, with all their labels.
    lines
        The text: usually what was played, and how.
    """
    letters, lines = across(ax, SMALL), [*lines]
    wrapped = [textwrap.fill(line, letters, max_lines=3, placeholder=" ...") for line in lines]
    ax.annotate(
        plain("\n".join(wrapped)),
        xy=(0, 0),
        xycoords=("axes fraction", ax.xaxis.label),
        xytext=(0, -8),
        textcoords="offset points",
        va="top",
        fontsize=SMALL,
        color=MUTED,
        annotation_clip=False,
        gid="caption",
        label="\n".join(lines),
    )


def legend(
    ax: Axes, handles: Sequence[Any], title: str = "", where: Literal["best", "upper center"] = "best", columns: int = 1
) -> None:
    """Draw the legend; in narrow axes with fewer columns, smaller, and with its labels wrapped.

    Parameters
    ----------
    ax, handles
        The axes, and the artists to list, in order.
    title
        Title of the legend.
    where
        Its location; by default, where it covers the least.
    columns
        Number of columns.
    """
    labels = [str(handle.get_label()) for handle in handles]
    size = next((s for s in LEGEND if fitting(ax, labels, s)), LEGEND[-1])
    labels = [wrapped(label, across(ax, size) - BESIDE) for label in labels]
    made = ax.legend(
        handles=handles,
        labels=labels,
        loc=where,
        ncols=max(1, min(columns, fitting(ax, labels, size))),
        fontsize=size,
        title=plain(title) or None,
        labelcolor=TEXT,
        framealpha=0.9,
        facecolor="white",
    )
    made.set_in_layout(False)  # it lies on the axes and needs no room of its own
    made.get_frame().set(edgecolor=LINE, linewidth=0.6)
    made.get_title().set(fontsize=size, color=TEXT)


def legend_above(ax: Axes, handles: Sequence[Any]) -> None:
    """Draw the legend in room that is made for it above what is drawn."""
    columns = max(1, min(len(handles), fitting(ax, [one.get_label() for one in handles])))
    rows = [handles[at : at + columns] for at in range(0, len(handles), columns)]
    lines = sum(max(one.get_label().count("\n") + 1 for one in row) for row in rows)
    bottom, top = ax.get_ylim()
    room = 0.05 + 0.085 * lines * HIGH / ax.get_window_extent().height
    ax.set_ylim(bottom, top + room * (top - bottom))
    legend(ax, handles, where="upper center", columns=columns)


def finished(ax: Axes, notes: Iterable[str], x: str = "", y: str = "", entries: Sequence[Any] = ()) -> Axes:
    """Finish a picture: label its axes, draw the legend if it has entries, and write the caption.

    Parameters
    ----------
    notes
        The lines of the caption.
    x, y
        Labels of the axes; an empty one leaves what there is.
    entries
        The artists of the legend.
    """
    for axis, label in ((ax.xaxis, x), (ax.yaxis, y)):
        if label:
            axis.set_label_text(plain(label))
    if entries:
        legend(ax, entries)
    caption(ax, notes)
    return ax


def equal_share(ax: Axes, seats: int, **style: Any) -> Any:
    """Draw the share of each of some equal seats across the axes."""
    dashed: dict[str, Any] = {"color": MUTED, "linestyle": "dashed", "linewidth": 1, "zorder": 1}
    return ax.axhline(1 / seats, label=f"equal share: 1/{seats}", **dashed | style)


def fitting(ax: Axes, labels: Sequence[str], size: float = 8.5) -> int:
    """Return the number of columns of a legend with these labels that are no wider than the axes."""
    return across(ax, size) // (BESIDE + max((len(line) for label in labels for line in label.splitlines()), default=1))


def wrapped(label: str, letters: int) -> str:
    """Return a label whose lines are not longer than so many letters."""
    return "\n".join(textwrap.fill(line, max(8, letters)) for line in label.splitlines())


def grow(ax: Axes, rows: int) -> None:
    """Make the figure as high as so many rows need: bars or points below each other, with a line of text each."""
    whole: Any = ax.get_figure(root=True)
    whole.set_size_inches(SIZE[0], INCHES[0] * rows + INCHES[1])
    ax.tick_params(axis="y", labelsize=8)


def starts(ax: Axes, axis: Literal["x", "y"] = "y") -> list[str]:
    """Return the note for the caption that an axis of values does not include 0; no note if it does.

    >>> _, axes = figure()
    >>> _ = axes.set_ylim(0.2, 0.4)
    >>> starts(axes)
    ['the vertical axis does not start at 0']
    """
    low, high = sorted(ax.get_xlim() if axis == "x" else ax.get_ylim())
    return [] if low <= 0 <= high else [f"the {'horizontal' if axis == 'x' else 'vertical'} axis does not start at 0"]


def whole_numbers(axis: Axis, values: Sequence[int]) -> None:
    """Set ticks at whole numbers only: at all values if there are few, else at round ones."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    room = LETTERS // (2 + max(len(counted(values[0])), len(counted(values[-1]))))
    if len(values) <= min(MOST_TICKS, room):
        axis.set_ticks(values)
    else:
        axis.set_major_locator(MaxNLocator(nbins=max(2, min(10, room)), integer=True, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda x, _: counted(x)))


def games_played(ax: Axes, named: Sequence[float] = (1.0,)) -> None:
    """Make the horizontal axis one of numbers of games, logarithmic, with numbers at `named` times powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=named))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: counted(x)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("games played")


def counted(value: float) -> str:
    """Return a whole number as text for an axis.

    >>> counted(-1200)
    '−1,200'
    """  # noqa: RUF002 (a minus sign is as wide as a plus sign)
    return f"{value:,.0f}".replace("-", "\N{MINUS SIGN}")


def check_path(path: str | os.PathLike[str]) -> str:
    """Check the path of a picture before a long computation; return its format.

    Raises
    ------
    ParameterError
        When the suffix is not one of `KINDS`, or the folder does not exist.

    Examples
    --------
    >>> check_path("turns.svg")
    'svg'
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise ParameterError(
            f"{os.fspath(path)}: a picture is saved as .{', .'.join(KINDS[:-1])} or .{KINDS[-1]}; "
            "end the file's name with one of them"
        )
    if not Path(path).parent.is_dir():
        raise ParameterError(f"{os.fspath(path)}: there is no folder {Path(path).parent}")
    return kind


def bars(values: Floats, intervals: Sequence[tuple[float, float]] | Floats) -> Floats:
    """Return the lengths of error bars: from each value down, and up, to the ends of its interval.

    >>> bars(np.array([0.5]), [(0.25, 1.0)]).tolist()
    [[0.25], [0.5]]
    """
    ends = np.array(intervals)
    return np.maximum(0, [values - ends[:, 0], ends[:, 1] - values])


def as_svg(picture: Figure | Axes) -> str:
    """Return a figure, or axes on it, as the text of an SVG file; the same picture gives the same text."""
    return _drawn(picture, "svg", {}).decode()


def _drawn(picture: Figure | Axes, kind: str, metadata: dict[str, Any], **settings: Any) -> bytes:
    """Return a figure, or axes on it, as the content of a file; without the date that some formats have by default."""
    import matplotlib

    whole: Any = picture.get_figure(root=True)
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    metadata |= undated.get(kind, {})
    drawn = BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dicelab"}):
        whole.savefig(drawn, format=kind, metadata=metadata, **settings)
    return drawn.getvalue()


def save(picture: Figure | Axes, path: str | os.PathLike[str]) -> None:
    """Write a picture as SVG, PNG or PDF; the same picture gives the same bytes.

    Parameters
    ----------
    picture
        A figure, or axes on it.
    path
        The suffix determines the format. An existing file is replaced atomically.

    Raises
    ------
    ParameterError
        When the suffix is not one of `KINDS`.
    DicelabError
        When the file can't be written; names it.

    Examples
    --------
    >>> import tempfile
    >>> import dicelab
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "lcr.svg"
    >>> dicelab.plots.save(dicelab.plot_seats(dicelab.exact("lcr", players=2)), path)
    >>> path.read_text()[:5]
    '<?xml'
    """
    kind = check_path(path)
    whole: Any = picture.get_figure(root=True)
    titles = filter(None, (ax.get_title(loc="left") for ax in whole.axes))
    captions = (text.get_text() for ax in whole.axes for text in ax.texts if text.get_gid() == "caption")
    metadata = {"Title": "; ".join(titles), "Subject" if kind == "pdf" else "Description": "\n".join(captions)}
    drawn = _drawn(picture, kind, {key: text.replace(r"\$", "$") for key, text in metadata.items()}, dpi=DOTS)
    with replacing(path, DicelabError, f"{os.fspath(path)}: the picture") as draft:
        draft.write_bytes(drawn)
