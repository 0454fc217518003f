"""What a chart shows: its captions, legends, ticks and points."""

from __future__ import annotations

import pytest


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def caption(axes):
    (text,) = [text.get_text() for text in axes.texts if text.get_gid() == "caption"]
    return text


def ticks(axis):
    """Places and words of the ticks that are seen."""
    axis.axes.get_figure(root=True).draw_without_rendering()
    low, high = sorted(axis.get_view_interval())
    return {
        at: label.get_text()
        for at, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        if low <= at <= high
    }


def points(container):
    """Of points with error bars: places, heights, and the ends of the bars."""
    line, _, (bars,) = container
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    return line.get_xdata().tolist(), line.get_ydata().tolist(), ends


def near(expected):
    return pytest.approx(expected, rel=1e-12, abs=1e-15)
