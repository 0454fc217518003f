// Draws what `dicelab.plots.described` says of a chart: marks in the units of two axes, of which the vertical one may
// have names, a row each. The names stand above their rows on narrow screens, else beside them.
import { frame, text, ticks } from "/charts/charts.js";
import { svg } from "/charts/dom.js";

const LETTER = 6.8, NARROW = 560; // the width of a letter in pixels; below this width the names stand above their rows
const number = (value) => Number(value.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 12 }).replace("-", "−");
const cut = (words, width) => {
  const letters = Math.max(3, Math.floor(width / LETTER));
  return words.length > letters ? `${words.slice(0, letters - 1)}…` : words;
};
const longest = (axis) => Math.max(0, ...axis.ticks.map(([, words]) => words.length)) * LETTER;

// The place of each value of an axis between two pixels, and its marks with their texts.
function scaled(axis, ends, from, to, room) {
  const on = axis.log ? Math.log10 : (v) => v, [low, high] = ends.map(on);
  const place = (v) => from + (to - from) * (high === low ? 0.5 : (on(v) - low) / (high - low));
  const inside = (v) => v >= Math.min(...ends) - 1e-12 && v <= Math.max(...ends) + 1e-12;
  let marks = axis.ticks?.filter(([v]) => inside(v));
  if (!marks) {
    const [first, last] = [Math.min(low, high), Math.max(low, high)], many = Math.abs(to - from) / room;
    marks = axis.log ? ticks(Math.ceil(first), last, many).filter(Number.isInteger).map((e) => 10 ** e) : ticks(first, last, many);
    marks = marks.filter((v) => !axis.whole || Number.isInteger(v)).map((v) => [v, number(v)]);
  } else if (!axis.names) {
    const each = Math.ceil(marks.length * room / 2 / Math.max(1, Math.abs(to - from)));
    marks = marks.filter((_, i) => i % each === 0);
  }
  return { place, marks };
}

// The words for a value of an axis: its name, or the label with the number.
const named = (axis, value) => {
  const near = axis.names ? axis.ticks.reduce((a, b) => (Math.abs(b[0] - value) < Math.abs(a[0] - value) ? b : a)) : null;
  return near ? near[1] : `${axis.label} ${number(value)}`.trim();
};

export function drawPlot({ x: across, y: up, marks, legend }) {
  return (width, colors) => {
    const tint = (colour) => (typeof colour === "number" ? colors.series[colour] : colors[colour] ?? colour);
    const rows = up.names, narrow = width < NARROW, above = rows && narrow && !marks.some((m) => m.kind === "cells");
    const labels = entries(marks);
    const row = rows ? (above ? 44 : marks.some((m) => m.kind === "cells") ? 34 : 26) : 0;
    const left = above ? 12 : rows ? Math.min(width * (narrow ? 0.34 : 0.42), longest(up) + 16) : 64;
    const right = width - 16, top = !rows && up.label ? 30 : rows && !above ? 8 : 12, many = rows ? up.ticks.length : 0;
    const bottom = top + (rows ? many * row : narrow ? 220 : 280), slot = (right - left) / Math.max(1, across.ticks?.length ?? 1);
    const slanted = across.names && longest(across) > slot, deep = slanted ? Math.min(120, longest(across) * 0.7 + 12) : 22;
    const each = Math.max(1, Math.floor((width - 12) / Math.min(width - 12, 40 + LETTER * Math.max(8, ...labels.map((m) => m.label.length)))));
    const height = bottom + deep + 22 + 20 * Math.ceil(labels.length / each) + (legend && labels.length ? 20 : 0);
    const out = frame(width, height), spots = [], texts = marks.filter((m) => m.kind === "text");
    const cells = marks.find((m) => m.kind === "cells"), places = rows ? up.ticks.map(([v]) => v) : [];
    const ends = rows ? [Math.min(...places) - 0.5, Math.max(...places) + 0.5] : cells ? [cells.ys[0], cells.ys.at(-1)] : up.ends;
    const down = rows ? up.ends[0] > up.ends[1] : false; // the first row is at the top
    const x = scaled(across, across.ends, left, right, 80), y = scaled(up, ends, rows && down ? top : bottom, rows && down ? bottom : top, 44);
    const nearest = (v) => places.reduce((a, b) => (Math.abs(b - v) < Math.abs(a - v) ? b : a), places[0]);
    const at = (v) => (above ? y.place(nearest(v)) + 10 + (y.place(v) - y.place(nearest(v))) / 2 : y.place(v));

    for (const [v, words] of x.marks) {
      if (!cells) out.append(svg("line", { x1: x.place(v), x2: x.place(v), y1: top, y2: bottom, stroke: colors.line }));
      const where = { x: x.place(v), y: bottom + 16 }, end = where.x > right - 24 ? "end" : where.x < left + 16 && above ? "start" : "middle";
      out.append(slanted
        ? text(where.x, where.y, cut(words, 120), colors, { "text-anchor": "end", transform: `rotate(-35 ${where.x} ${where.y})` })
        : text(where.x, where.y, cut(words, across.names ? slot : width), colors, { "text-anchor": across.names ? "middle" : end }));
    }
    for (const [v, words] of y.marks) {
      if (!rows && !cells) out.append(svg("line", { x1: left, x2: right, y1: y.place(v), y2: y.place(v), stroke: colors.line }));
      out.append(above
        ? text(12, y.place(v) - 6, cut(words, width - 20), colors, { fill: colors.ink })
        : text(left - 8, y.place(v) + 4, cut(words, left - 12), colors, { "text-anchor": "end", ...(rows ? { fill: colors.ink } : {}) }));
    }
    const foot = bottom + deep + 14;
    out.append(text(rows ? 12 : (left + right) / 2, foot, cut(across.label, width - 16), colors, { "text-anchor": rows ? "start" : "middle" }));
    if (!rows) out.append(text(12, 14, cut(up.label, width - 16), colors));

    for (const mark of marks) {
      const fill = tint(mark.colour), style = { opacity: mark.opacity, "stroke-dasharray": mark.dash || null };
      const spot = (px, py, words) => spots.push({ x: px, y: py, text: words });
      const label = mark.label || marks.find((m) => m.label && m.kind === mark.kind && m.colour === mark.colour)?.label || "";
      const who = label ? `${label.split("\n")[0]}, ` : "";
      DRAWN[mark.kind]({ mark, x: x.place, y: at, out, fill, style, spot, who, rows, across, up, texts, colors, tint, left, right, top, bottom });
    }
    labels.forEach((mark, i) => {
      const lx = 12 + (i % each) * ((width - 12) / each), ly = foot + 22 + 20 * Math.floor(i / each) + (legend ? 20 : 0);
      out.append(mark.kind === "line" || mark.kind === "rule"
        ? svg("line", { x1: lx, x2: lx + 14, y1: ly - 4, y2: ly - 4, stroke: tint(mark.colour), "stroke-width": 3, "stroke-dasharray": mark.dash || null })
        : svg("rect", { x: lx, y: ly - 10, width: 12, height: 12, fill: tint(mark.colour), opacity: mark.opacity }));
      out.append(text(lx + 20, ly, cut(mark.label.replaceAll("\n", ", "), (width - 12) / each - 24), colors, { fill: colors.ink }));
    });
    if (legend && labels.length) out.append(text(12, foot + 22, legend, colors));
    spots.sort((a, b) => (rows ? a.y - b.y || a.x - b.x : a.x - b.x || a.y - b.y));
    return { svg: out, spots, plane: true };
  };
}

// What the legend lists: each label once; of cells those that stand for moves.
function entries(marks) {
  const named = marks.flatMap((m) => (m.kind === "cells" ? m.names.map((label, i) => ({ kind: "cells", label, listed: Boolean(label), colour: m.palette[i], opacity: 1 })) : [m]));
  return named.filter((m, i) => m.listed && named.findIndex((other) => other.label === m.label) === i);
}

const DRAWN = {
  rule({ mark, x, y, out, fill, style, left, right, top, bottom }) {
    const across = mark.axis === "y";
    out.append(svg("line", { x1: across ? left : x(mark.at), x2: across ? right : x(mark.at), y1: across ? y(mark.at) : top,
      y2: across ? y(mark.at) : bottom, stroke: fill, "stroke-width": 1.5, ...style }));
  },
  band({ mark, x, y, out, fill, style, left, right, top, bottom }) {
    const within = (v, a, b) => Math.min(Math.max(v, Math.min(a, b)), Math.max(a, b)), wide = mark.axis === "x";
    const [a, b] = mark.ends.map((v) => (wide ? within(x(v), left, right) : within(y(v), top, bottom))).sort((p, q) => p - q);
    out.append(svg("rect", { x: wide ? a : left, y: wide ? top : a, width: wide ? b - a : right - left, height: wide ? bottom - top : b - a, fill, ...style }));
  },
  area({ mark, x, y, out, fill, style }) {
    for (const one of mark.polygons) out.append(svg("polygon", { points: one.map(([a, b]) => `${x(a)},${y(b)}`).join(" "), fill, ...style }));
  },
  steps({ mark, x, y, out, fill, style, spot, who, across, up }) {
    const path = mark.values.flatMap((v, i) => [`${x(mark.edges[i])},${y(v)}`, `${x(mark.edges[i + 1])},${y(v)}`]);
    if (mark.filled) path.unshift(`${x(mark.edges[0])},${y(0)}`), path.push(`${x(mark.edges.at(-1))},${y(0)}`);
    out.append(svg(mark.filled ? "polygon" : "polyline", { points: path.join(" "), fill: mark.filled ? fill : "none", stroke: mark.filled ? "none" : fill, "stroke-width": 1.5, ...style }));
    mark.values.forEach((v, i) => {
      const [from, to] = [Math.ceil(mark.edges[i]), Math.ceil(mark.edges[i + 1]) - 1];
      const where = to > from ? `${across.label} ${number(from)} to ${number(to)}` : `${across.label} ${number(from)}`;
      spot(x((mark.edges[i] + mark.edges[i + 1]) / 2), y(v), `${who}${where}: ${up.label} ${number(v)}`);
    });
  },
  bars({ mark, x, y, out, fill, style, spot, who, across, up }) {
    for (const [x0, y0, x1, y1] of mark.bars) {
      const [a, b] = [x(x0), x(x1)].sort((p, q) => p - q), [c, d] = [y(y0), y(y1)].sort((p, q) => p - q);
      out.append(svg("rect", { x: a, y: c, width: Math.max(1, b - a), height: Math.max(1, d - c), fill, ...style }));
      const values = (from, to, axis) => `${axis.label} ${from === 0 ? number(to) : `${number(from)} to ${number(to)}`}`;
      if (mark.sideways) spot(b, (c + d) / 2, `${named(up, (y0 + y1) / 2)}: ${who}${values(x0, x1, across)}`);
      else spot((a + b) / 2, c, `${who}${named(across, (x0 + x1) / 2)}: ${values(y0, y1, up)}`);
    }
  },
  line({ mark, x, y, out, fill, style, spot, who, rows, across, up, texts, colors }) {
    const path = mark.points.flatMap(([a, b], i) => {
      const before = mark.points[i - 1];
      const corner = before && mark.step ? [mark.step === "post" ? `${x(a)},${y(before[1])}` : `${x(before[0])},${y(b)}`] : [];
      return [...corner, `${x(a)},${y(b)}`];
    });
    if (mark.line && path.length > 1) out.append(svg("polyline", { points: path.join(" "), fill: "none", stroke: fill, "stroke-width": 2, ...style }));
    for (const [a, b, low, high] of mark.points) {
      const ends = low === undefined ? null : mark.sideways ? { x1: x(low), x2: x(high), y1: y(b), y2: y(b) } : { x1: x(a), x2: x(a), y1: y(low), y2: y(high) };
      if (ends) out.append(svg("line", { ...ends, stroke: fill, "stroke-width": mark.wide, opacity: mark.opacity }));
      if (mark.dots) out.append(svg("circle", { cx: x(a), cy: y(b), r: mark.dots, fill: mark.open ? colors.paper : fill, stroke: fill, "stroke-width": 1.5 }));
      const interval = ends ? ` (${number(low)} to ${number(high)})` : "", beside = texts.find((t) => t.at[0] === a && t.at[1] === b);
      const where = rows ? `${named(up, b)}: ${who}${across.label} ${number(a)}` : `${who}${named(across, a)}: ${up.label} ${number(b)}`;
      spot(x(a), y(b), `${beside ? `${beside.text}: ` : ""}${where}${interval}`);
    }
  },
  cells({ mark, x, y, out, spot, across, up, tint }) {
    mark.cells.forEach((line, r) => line.forEach((value, c) => {
      const [a, b] = [x(mark.xs[c]), x(mark.xs[c + 1])].sort((p, q) => p - q), [e, f] = [y(mark.ys[r]), y(mark.ys[r + 1])].sort((p, q) => p - q);
      if (value < 0) return;
      out.append(svg("rect", { x: a, y: e, width: b - a + 0.4, height: f - e + 0.4, fill: tint(mark.palette[value]) }));
      const what = mark.names[value] || `${mark.label} ${number(mark.values[r][c])}`.trim();
      const middle = (edges, i) => (edges[i] + edges[i + 1]) / 2;
      const where = up.names ? `${named(up, middle(mark.ys, r))} ${across.label} ${named(across, middle(mark.xs, c))}`
        : `${named(across, middle(mark.xs, c))}, ${named(up, middle(mark.ys, r))}`;
      spot((a + b) / 2, (e + f) / 2, `${where}: ${what}`);
    }));
  },
  text({ mark, x, y, out, colors, fill }) {
    if (!mark.shown) return;
    const high = mark.offset[1] ? -mark.offset[1] : 4;
    out.append(text(x(mark.at[0]) + mark.offset[0], y(mark.at[1]) + high, mark.text, colors, { fill, "text-anchor": mark.anchor, "font-size": 12 }));
  },
};
