"""The paper that pictures are drawn on: a figure, its style, the caption that says what was played, and files.

Only matplotlib's objects are used, never pyplot: no display is needed and no state is shared. Matplotlib takes most of
a second to import, so it is imported when the first picture is drawn.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dicelab.errors import DicelabError, ParameterError
from dicelab.results.draft import Draft

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

SIZE = 7.0, 4.5
"""Width and height in inches."""
DOTS = 150
"""Dots per inch of a PNG."""
KINDS = ("svg", "png")
"""What a picture can be saved as."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Told apart by people with any colour vision (M. Okabe and K. Ito, 2008)."""
MARKERS = "osD^vP"
"""Points differ in shape as well as in colour."""
TEXT, MUTED, LINE = "#222222", "#666666", "#e3e3e3"
SMALL = 7.0
"""Size of the caption's letters, in points."""
LETTERS = 80
"""Letters that fit below the axis."""
MOST_TICKS = 12
"""Values that are all named on an axis; of more, round ones."""


def figure(title: str = "") -> tuple[Figure, Axes]:
    """An empty figure with one pair of axes in dicelab's style.

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


def axes_for(ax: Axes | None, title: str) -> Axes:
    """The axes given, as they are but for the title; else those of a new figure."""
    if ax is None:
        return figure(title)[1]
    ax.set_title(plain(title), loc="left")
    return ax


def plain(text: str) -> str:
    r"""Text as it stands: matplotlib would take what is between two dollar signs for a formula.

    >>> plain("$5 or $10")
    '\\$5 or \\$10'
    """
    return text.replace("$", r"\$")


def caption(ax: Axes, lines: Iterable[str]) -> None:
    """Small print below the axes, wrapped to their width: what was played, and how.

    Parameters
    ----------
    ax
        The axes, with all their labels.
    lines
        What to say.
    """
    points = ax.get_window_extent().width / ax.get_figure(root=True).dpi * 72  # type: ignore[union-attr]
    letters = max(40, int(points / (0.48 * SMALL)))
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
    )


def legend(
    ax: Axes, handles: Sequence[Any], title: str = "", where: Literal["best", "upper center"] = "best", columns: int = 1
) -> None:
    """The legend.

    Parameters
    ----------
    ax, handles
        The axes, and what has been drawn there, in the order in which it is to be named.
    title
        Above the names.
    where
        Where it lies; where it hides least, when it is not said.
    columns
        Names beside each other.
    """
    made = ax.legend(
        handles=handles,
        loc=where,
        ncols=columns,
        fontsize=8.5,
        title=plain(title) or None,
        labelcolor=TEXT,
        framealpha=0.9,
        facecolor="white",
    )
    made.set_in_layout(False)  # it lies on the axes and needs no room of its own
    made.get_frame().set(edgecolor=LINE, linewidth=0.6)
    made.get_title().set(fontsize=8.5, color=TEXT)


def whole_numbers(axis: Axis, values: Sequence[int]) -> None:
    """Ticks at whole numbers only: at each of a few values, at round ones of many."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    room = LETTERS // (2 + max(len(counted(values[0])), len(counted(values[-1]))))
    if len(values) <= min(MOST_TICKS, room):
        axis.set_ticks(values)
    else:
        axis.set_major_locator(MaxNLocator(nbins=max(2, min(10, room)), integer=True, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda x, _: counted(x)))


def counted(value: float) -> str:
    """A whole number as it stands on an axis.

    >>> counted(-1200)
    '−1,200'
    """  # noqa: RUF002 (a minus sign is as wide as a plus sign)
    return f"{value:,.0f}".replace("-", "\N{MINUS SIGN}")


def check_path(path: str | os.PathLike[str]) -> str:
    """The kind of picture that a file will be, so that a path that can't be is refused before anything is played.

    Raises
    ------
    ParameterError
        When the suffix is neither ``.svg`` nor ``.png``, or the folder is not there.

    Examples
    --------
    >>> check_path("turns.svg")
    'svg'
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise ParameterError(
            f"{os.fspath(path)}: a picture is saved as .svg or .png; end the file's name with one of them"
        )
    if not Path(path).parent.is_dir():
        raise ParameterError(f"{os.fspath(path)}: there is no folder {Path(path).parent}")
    return kind


def save(picture: Figure | Axes, path: str | os.PathLike[str]) -> None:
    """Write a picture as SVG or PNG; the same picture gives the same bytes.

    Parameters
    ----------
    picture
        A figure, or axes on it.
    path
        The suffix says which kind. A file that is there is replaced, at once and only by a whole picture.

    Raises
    ------
    ParameterError
        When the suffix is neither ``.svg`` nor ``.png``.
    DicelabError
        When the file can't be written; names it.
    """
    import matplotlib

    kind = check_path(path)
    whole: Any = picture.get_figure(root=True)
    titles = filter(None, (ax.get_title(loc="left") for ax in whole.axes))
    captions = (text.get_text() for ax in whole.axes for text in ax.texts if text.get_gid() == "caption")
    metadata = {"Title": "; ".join(titles), "Description": "\n".join(captions)}
    metadata = {key: text.replace(r"\$", "$") for key, text in metadata.items()}
    without: dict[str, Any] = {"Date": None} if kind == "svg" else {}
    drawn = BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dicelab"}):
        whole.savefig(drawn, format=kind, dpi=DOTS, metadata=metadata | without)
    try:
        with Draft(path) as draft:
            draft.path.write_bytes(drawn.getvalue())
            draft.publish()
    except OSError as error:
        raise DicelabError(f"{os.fspath(path)}: the picture can't be written: {error.strerror or error}") from error
