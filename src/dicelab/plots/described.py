"""What a chart shows, as data: the browser draws it from the same declaration that matplotlib draws.

A function of this folder says once what its chart is, by drawing on matplotlib's Axes. `described` reads the marks,
axes, legend and caption back from them, so no chart is written twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.plots.chart_style import COLOURS, LINE, MUTED, TEXT
from dicelab.runtime.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Mark = dict[str, Any]
"""Something that is drawn: its kind, colour, label, and numbers."""
DASHES = {"-": "", "--": "6 4", ":": "2 3", "-.": "6 3 2 3"}
"""By style of a line, its dashes in the browser."""


def described(ax: Axes) -> dict[str, Any]:
    """Return what is drawn on the axes.

    Returns
    -------
    dict
        ``title`` and ``notes``, the lines of the caption; the axes ``x`` and ``y``; ``marks``, from the back to the
        front; and the title of the ``legend``, which has the marks that are ``listed``. A colour is the number of one
        of `COLOURS`, a role (``ink``, ``muted``, ``line``, ``paper``), or as CSS writes it.

    Raises
    ------
    TypeError
        When something is drawn that has no description.

    Examples
    --------
    >>> import dicelab
    >>> shown = described(dicelab.plot_sweep(dicelab.sweep("hazard", over={"main": [5, 6]}, exact=True)))
    >>> shown["x"]["label"], [[x, round(y, 6)] for x, y in shown["marks"][0]["points"]]
    ('main', [[5.0, 0.492416], [6.0, 0.488286]])
    """
    captions = [text for text in ax.texts if text.get_gid() == "caption"]
    legend = ax.get_legend()
    drawn = sorted(_marks(ax), key=lambda mark: mark.pop("order"))
    listed = set() if legend is None else {_said(text.get_text()) for text in legend.get_texts()}
    for mark in drawn:
        mark["listed"] = _said(mark["label"]) in listed
    return {
        "title": _said(ax.get_title(loc="left")),
        "notes": [_said(line) for text in captions for line in str(text.get_label()).split("\n")],
        "x": _axis(ax.xaxis, ax.get_xlim()),
        "y": _axis(ax.yaxis, ax.get_ylim()),
        "marks": drawn,
        "legend": "" if legend is None else _said(legend.get_title().get_text()),
    }


def _said(text: str) -> str:
    """Return a text as people read it: without the signs that keep matplotlib from reading formulas, in one line."""
    return " ".join(text.replace(r"\$", "$").split())


def _axis(axis: Axis, limits: tuple[float, float]) -> dict[str, Any]:
    """Return an axis: its label, ends, scale, and its ticks with their texts where these are fixed."""
    from matplotlib.category import StrCategoryLocator
    from matplotlib.ticker import FixedLocator, MaxNLocator

    locator = axis.get_major_locator()
    ticks: list[tuple[float, str]] | None = None
    if isinstance(locator, FixedLocator | StrCategoryLocator):
        places = [float(place) for place in locator()]
        texts = axis.get_major_formatter().format_ticks(places)
        ticks = [(place, _said(text)) for place, text in zip(places, texts, strict=True)]
    whole = isinstance(locator, MaxNLocator) and bool(getattr(locator, "_integer", False))
    label = _said(axis.get_label_text())
    return {
        "label": label,
        "ends": [float(end) for end in limits],
        "log": axis.get_scale() == "log",
        "ticks": ticks,
        "names": ticks is not None and any(not _is_number(text) for _, text in ticks),
        "whole": whole,
    }


def _is_number(text: str) -> bool:
    return text.replace("\N{MINUS SIGN}", "").replace(",", "").isdecimal()


def _marks(ax: Axes) -> Iterator[Mark]:
    """Yield everything that is drawn inside the axes, legend and caption apart."""
    from matplotlib.container import BarContainer, ErrorbarContainer

    taken = set[Any]()
    for group in ax.containers:
        if isinstance(group, ErrorbarContainer):
            taken |= {group.lines[0], *group.lines[1], *group.lines[2]}
            yield _with_intervals(ax, group)
        elif isinstance(group, BarContainer):
            taken |= set(group.patches)
            yield from _bars(group)
    for line in ax.lines:
        if line not in taken:
            yield _line(ax, line)
    for shape in [*ax.collections, *ax.patches, *ax.images]:
        if shape not in taken:
            yield _shape(ax, shape)
    for text in ax.texts:
        if text.get_gid() != "caption":
            x, y = getattr(text, "xy", text.get_position())
            yield {
                **_style(text, text.get_color()),
                "kind": "text",
                "at": [float(x), float(y)],
                "text": _said(text.get_text()),
                "anchor": {"left": "start", "right": "end"}.get(str(text.get_horizontalalignment()), "middle"),
                "offset": [float(move) for move in text.xyann] if hasattr(text, "xyann") else [0.0, 0.0],
                "shown": bool(text.get_visible()),
            }


def _style(artist: Any, colour: Any, label: Any = None) -> Mark:
    """Return what all marks have: order, colour, opacity and label; an empty label if it has none of its own."""
    label = str(artist.get_label() if label is None else label)
    alpha = artist.get_alpha()
    return {
        "order": artist.get_zorder(),
        "colour": _colour(colour),
        "opacity": 1.0 if alpha is None else float(alpha),
        "label": "" if label.startswith("_") else "\n".join(map(_said, label.split("\n"))),
    }


def _colour(colour: Any) -> int | str:
    """Return a colour as the browser has it."""
    from matplotlib.colors import to_hex

    roles: dict[str, int | str] = {TEXT: "ink", MUTED: "muted", LINE: "line", "#ffffff": "paper", "#000000": "ink"}
    roles |= {one.lower(): number for number, one in enumerate(COLOURS)}
    shown = to_hex(colour)
    return roles.get(shown, shown)


def _line(ax: Axes, line: Any) -> Mark:
    """Return a line, points, or a straight line across the axes."""
    style = _style(line, line.get_color()) | {"dash": DASHES.get(line.get_linestyle(), "")}
    for axis, transform, data in (
        ("y", ax.get_yaxis_transform(which="grid"), line.get_ydata()),
        ("x", ax.get_xaxis_transform(which="grid"), line.get_xdata()),
    ):
        if line.get_transform() == transform:
            return style | {"kind": "rule", "axis": axis, "at": float(data[0])}
    size = {"|": 3.0}.get(str(line.get_marker()), float(line.get_markersize()))
    marker = line.get_marker() not in ("None", "none", " ", "", None)
    face = line.get_markerfacecolor()
    return style | {
        "kind": "line",
        "points": [[float(x), float(y)] for x, y in np.column_stack(_data(line)) if np.isfinite(x) and np.isfinite(y)],
        "line": line.get_linestyle() not in ("None", "none", " ", ""),
        "step": {"steps-post": "post", "steps-pre": "pre"}.get(line.get_drawstyle(), ""),
        "dots": size / 1.5 if marker else 0.0,
        "open": marker and (isinstance(face, str) and face in ("none", "white")),
    }


def _data(line: Any) -> tuple[Floats, Floats]:
    """Return the places of the points of a line."""
    return line.get_xdata(orig=False), line.get_ydata(orig=False)


def _with_intervals(ax: Axes, group: Any) -> Mark:
    """Return points with their intervals: each as its place and the ends of the interval, which may be unknown."""
    line, _, spans = group.lines
    sideways = bool(group.has_xerr)
    mark = _line(ax, line)
    mark["label"] = _style(line, MUTED, group.get_label())["label"]
    ends = [path.vertices[:, 0 if sideways else 1] for path in spans[0].get_paths()]
    width = float(np.max(spans[0].get_linewidths()))
    points = []
    for (x, y), interval in zip(np.column_stack(_data(line)), ends, strict=True):
        if np.isfinite(x) and np.isfinite(y):
            known = len(interval) == 2 and bool(np.isfinite(interval).all())
            points.append([float(x), float(y), *([float(min(interval)), float(max(interval))] if known else [])])
    return mark | {"points": points, "sideways": sideways, "wide": width}


def _bars(group: Any) -> Iterator[Mark]:
    """Yield the bars of each colour: their corners, and the label of the first that has one, or of all."""
    colours = dict[int | str, list[Any]]()
    for patch in group.patches:
        colours.setdefault(_colour(patch.get_facecolor()), []).append(patch)
    for patches in colours.values():
        labels = [str(one.get_label()) for one in (group, *patches)]
        label = next((one for one in labels if not one.startswith("_")), "")
        corners = [[float(n) for n in np.ravel(patch.get_bbox().get_points())] for patch in patches]
        mark = _style(patches[0], patches[0].get_facecolor(), label)
        yield mark | {"kind": "bars", "bars": corners, "sideways": group.orientation == "horizontal"}


def _shape(ax: Axes, drawn: Any) -> Mark:
    """Return an area, steps, a band across the axes, or coloured cells."""
    from matplotlib.collections import PolyCollection, QuadMesh
    from matplotlib.image import AxesImage
    from matplotlib.patches import Polygon, Rectangle, StepPatch

    shape: Any = drawn
    if isinstance(drawn, QuadMesh):
        corners: Floats = shape.get_coordinates()
        return _cells(ax, shape, corners[0, :, 0], corners[:, 0, 1])
    if isinstance(drawn, AxesImage):
        left, right, low, high = shape.get_extent()
        rows, columns = np.shape(shape.get_array())
        return _cells(ax, shape, np.linspace(left, right, columns + 1), np.linspace(low, high, rows + 1))
    if isinstance(drawn, PolyCollection):
        polygons = [np.asarray(path.vertices).tolist() for path in shape.get_paths()]
        return _style(shape, shape.get_facecolor()[0]) | {"kind": "area", "polygons": polygons}
    if isinstance(drawn, StepPatch):
        steps = shape.get_data()
        filled, colour = shape.get_fill(), shape.get_facecolor() if shape.get_fill() else shape.get_edgecolor()
        data = {"values": steps.values.tolist(), "edges": steps.edges.tolist(), "filled": filled}
        return _style(shape, colour) | {"kind": "steps", **data, "dash": DASHES.get(shape.get_linestyle(), "")}
    if isinstance(drawn, Rectangle | Polygon):
        corners = np.asarray(shape.get_patch_transform().transform_path(shape.get_path()).vertices)
        for axis, transform, column in (
            ("x", ax.get_xaxis_transform("grid"), 0),
            ("y", ax.get_yaxis_transform("grid"), 1),
        ):
            if shape.get_transform().contains_branch(transform):
                ends = corners[:, column]
                band = {"kind": "band", "axis": axis, "ends": [float(ends.min()), float(ends.max())]}
                return _style(shape, shape.get_facecolor()) | band
    raise TypeError(f"a chart for the browser can't show {type(drawn).__name__}")


def _cells(ax: Axes, shape: Any, xs: Floats, ys: Floats) -> Mark:
    """Return coloured cells between edges: by row, the number of a colour, and the value or the word of the legend."""
    array = np.ma.masked_invalid(shape.get_array())
    colours = shape.to_rgba(array)
    palette, cells = list[int | str](), list[list[int]]()
    for row, line in enumerate(colours):
        cells.append([])
        for column, colour in enumerate(line):
            cell = None if np.ma.getmaskarray(array)[row, column] else _colour(colour)
            if cell is not None and cell not in palette:
                palette.append(cell)
            cells[-1].append(-1 if cell is None else palette.index(cell))
    legend = ax.get_legend()
    patches = [] if legend is None else zip(legend.legend_handles, legend.get_texts(), strict=True)
    named = {_colour(patch.get_facecolor()): _said(text.get_text()) for patch, text in patches if patch is not None}  # type: ignore[attr-defined]
    names = [named.get(colour, "") for colour in palette]
    values = (
        None if all(names) else [[None if value is None else float(value) for value in row] for row in array.tolist()]
    )
    bar = getattr(shape, "colorbar", None)
    label = _said(bar.ax.get_ylabel()) if bar is not None else ""
    grid = {"xs": xs.tolist(), "ys": ys.tolist(), "palette": palette, "cells": cells, "names": names, "values": values}
    return _style(shape, MUTED, label) | {"kind": "cells", **grid}
