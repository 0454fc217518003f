// Charts: functions of data that draw SVG. They answer to pointer, touch and arrow keys, and can be saved.
//
// chart(figure, {title, draw, points, name}) keeps a figure: `draw(width, colors)` returns {svg, spots}, where spots are
// [{x, y, text}] in the order of the arrow keys.
import { el, replace, save, svg } from "./dom.js";
import { percent, whole } from "./numbers.js";

const LIGHT = { paper: "#ffffff", ink: "#1d2327", muted: "#5d666d", line: "#d9dee2", accent: "#0072b2",
  series: ["#0072b2", "#d55e00", "#007a5a", "#a63d83", "#8a6d00", "#3a7ca5", "#7a4b00", "#555555"] };
const DARK = { paper: "#14181b", ink: "#e6eaed", muted: "#a3adb4", line: "#343d43", accent: "#5ab4e8",
  series: ["#5ab4e8", "#f28a3c", "#5fd0a5", "#e08cc0", "#e6c229", "#9fc9e6", "#d9a066", "#bbbbbb"] };
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const SAVED_WIDTH = 800;

export const RECOLOUR = "recolour"; // charts are drawn again: the colours of the page have changed
let printing = false;
for (const [name, now] of [["beforeprint", true], ["afterprint", false]]) {
  addEventListener(name, () => { printing = now; dispatchEvent(new Event(RECOLOUR)); });
}

export function isDark() {
  if (printing) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export const text = (x, y, content, colors, more = {}) =>
  svg("text", { x, y, fill: colors.muted, "font-size": 13, "font-family": FONT, ...more }, content);

export class Chart {
  // `notes` say how the numbers were found; they stand below the chart, also in files.
  constructor(title, name, notes = []) {
    this.title = title;
    this.name = name;
    this.notes = notes;
    this.at = -1;
    this.note = el("p", { class: "readout", "aria-live": "polite" });
    this.stage = el("div", { class: "stage", tabindex: 0, role: "img", "aria-label": title,
      onpointermove: (event) => this.point(event), onpointerdown: (event) => this.point(event),
      onpointerleave: (event) => event.pointerType === "touch" || this.mark(-1), // a finger leaves when it is lifted
      onkeydown: (event) => this.key(event), onblur: () => this.mark(-1) });
    this.element = el("figure", { class: "chart" },
      el("figcaption", {}, title), this.stage, this.note,
      notes.length ? el("p", { class: "help" }, notes.join(" · ")) : null,
      el("p", { class: "saving" },
        el("button", { class: "quiet", type: "button", onclick: () => this.saveSvg() }, "Save SVG"),
        el("button", { class: "quiet", type: "button", onclick: () => this.savePng() }, "Save PNG")));
    new ResizeObserver(() => this.redraw()).observe(this.stage);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    addEventListener(RECOLOUR, () => this.redraw());
  }

  // `draw(width, colors)` returns {svg, spots}; `summary` says in words what the chart shows.
  show(draw, summary) {
    this.draw = draw;
    this.stage.setAttribute("aria-label", `${this.title}. ${summary}`);
    this.redraw();
  }

  redraw() {
    const width = this.stage.clientWidth;
    if (!this.draw || width < 40) return;
    this.drawn = this.draw(width, isDark() ? DARK : LIGHT);
    this.marker = svg("circle", { r: 5, fill: "none", stroke: "currentColor", "stroke-width": 2, visibility: "hidden" });
    this.drawn.svg.append(this.marker);
    this.drawn.svg.setAttribute("aria-hidden", "true");
    replace(this.stage, this.drawn.svg);
    this.mark(this.at);
  }

  point(event) {
    if (!this.drawn?.spots.length) return;
    const box = this.drawn.svg.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const far = (spot) => Math.abs(spot.x - x) + (this.drawn.flat ? 0 : 1e-3) * Math.abs(spot.y - y) +
      (this.drawn.plane ? Math.abs(spot.y - y) : 0) + (this.drawn.rows ? 1e3 * Math.abs(spot.y - y) : 0);
    let best = 0;
    this.drawn.spots.forEach((spot, i) => { if (far(spot) < far(this.drawn.spots[best])) best = i; });
    this.mark(best);
  }

  key(event) {
    const many = this.drawn?.spots.length ?? 0;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const ends = { Home: 0, End: many - 1, Escape: -1 };
    if (!many || (step === undefined && !(event.key in ends))) return;
    event.preventDefault();
    this.mark(step === undefined ? ends[event.key] : Math.min(many - 1, Math.max(0, this.at + step)));
  }

  mark(i) {
    const spot = this.drawn?.spots[i];
    this.at = spot ? i : -1;
    this.note.textContent = spot ? spot.text : "";
    if (!this.marker) return;
    this.marker.setAttribute("visibility", spot ? "visible" : "hidden");
    if (spot) {
      this.marker.setAttribute("cx", spot.x);
      this.marker.setAttribute("cy", spot.y);
    }
  }

  picture() {
    const { svg: drawn } = this.draw(SAVED_WIDTH, LIGHT), height = Number(drawn.getAttribute("height"));
    const back = svg("rect", { width: SAVED_WIDTH, fill: LIGHT.paper });
    const title = text(12, 24, this.title, LIGHT, { "font-size": 16, "font-weight": 600, fill: LIGHT.ink });
    const lines = this.notes.flatMap((note) => note.match(/.{1,120}(?:\s|$)/g) ?? []), whole = height + 40 + 16 * lines.length;
    const notes = lines.map((line, i) => text(12, height + 48 + 16 * i, line.trim(), LIGHT, { "font-size": 11 }));
    back.setAttribute("height", whole);
    drawn.setAttribute("y", 36);
    const outer = svg("svg", { width: SAVED_WIDTH, height: whole, viewBox: `0 0 ${SAVED_WIDTH} ${whole}` }, back, title, drawn, notes);
    return { height: whole, source: new XMLSerializer().serializeToString(outer) };
  }

  saveSvg() {
    if (this.draw) save(`${this.name}.svg`, "image/svg+xml", this.picture().source);
  }

  savePng() {
    if (!this.draw) return;
    const { source, height } = this.picture(), image = new Image();
    image.onload = () => {
      const canvas = el("canvas", { width: 2 * SAVED_WIDTH, height: 2 * height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(`${this.name}.png`, "image/png", blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  }
}

// Round marks of an axis between two numbers.
export function ticks(low, high, wanted) {
  const raw = (high - low) / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? power;
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}

export const frame = (width, height) =>
  svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, xmlns: "http://www.w3.org/2000/svg" });

// Shares with intervals, a row each: [{label, share, low, high, value, text, exact}]; `equal` is the share that would be fair.
export function drawShares(rows, equal) {
  return (width, colors) => {
    const row = 52, height = rows.length * row + 30, right = width - 12, left = 12;
    const top = Math.min(1, Math.max(equal ?? 0, ...rows.map((r) => Math.max(r.exact ?? 0, Math.min(r.high, r.share * 1.5 + 0.02)))) * 1.1);
    const x = (p) => left + (right - left) * Math.min(1, p / top);
    const out = frame(width, height), spots = [];
    for (const mark of ticks(0, top, width / 90)) {
      out.append(svg("line", { x1: x(mark), x2: x(mark), y1: 0, y2: height - 24, stroke: colors.line }),
        text(x(mark), height - 6, percent(mark, top < 0.1 ? 1 : 0), colors, { "text-anchor": mark ? "middle" : "start" }));
    }
    rows.forEach((r, i) => {
      const y = i * row + 24;
      out.append(text(left, y - 7, r.label, colors, { fill: colors.ink }),
        text(right, y - 7, r.value, colors, { "text-anchor": "end", fill: colors.ink }),
        svg("rect", { x: left, y, width: Math.max(0, x(r.share) - left), height: 16, fill: colors.accent, rx: 2 }),
        svg("line", { x1: x(r.low), x2: x(r.high), y1: y + 8, y2: y + 8, stroke: colors.ink, "stroke-width": 2 }));
      if (r.exact !== undefined) out.append(svg("line", { x1: x(r.exact), x2: x(r.exact), y1: y - 3, y2: y + 19, stroke: colors.series[1], "stroke-width": 3 }));
      spots.push({ x: x(r.share), y: y + 8, text: r.text });
    });
    if (equal) out.append(svg("line", { x1: x(equal), x2: x(equal), y1: 20, y2: height - 24, stroke: colors.ink, "stroke-dasharray": "4 3" }));
    return { svg: out, spots, rows: true };
  };
}

// A distribution: [[value, share]], in groups of values if there are more than fit.
export function drawHistogram(points, label, exact = []) {
  return (width, colors) => {
    const height = 240, left = 44, bottom = height - 40, right = width - 12;
    const out = frame(width, height), spots = [];
    if (!points.length) return { svg: out, spots };
    const low = points[0][0], high = points[points.length - 1][0];
    const group = Math.max(1, Math.ceil((high - low + 1) / Math.max(8, (right - left) / 6)));
    const bars = new Map(), curve = new Map(), key = (v) => low + Math.floor((v - low) / group) * group;
    for (const [v, share] of points) bars.set(key(v), (bars.get(key(v)) ?? 0) + share);
    for (const [v, share] of exact) if (v >= low && v <= high) curve.set(key(v), (curve.get(key(v)) ?? 0) + share);
    const top = Math.max(...bars.values(), ...curve.values()) * 1.08, many = Math.floor((high - low) / group) + 1;
    const step = (right - left) / many, x = (v) => left + ((v - low) / group) * step, y = (s) => bottom - (bottom - 12) * s / top;
    for (const mark of ticks(0, top, 4)) {
      out.append(svg("line", { x1: left, x2: right, y1: y(mark), y2: y(mark), stroke: colors.line }),
        text(left - 6, y(mark) + 4, percent(mark, top < 0.05 ? 1 : 0), colors, { "text-anchor": "end" }));
    }
    for (const mark of ticks(low, high, Math.min(many, width / 70))) {
      if (Number.isInteger(mark)) out.append(text(x(mark) + step / 2 / group, bottom + 18, whole(mark), colors, { "text-anchor": "middle" }));
    }
    out.append(text((left + right) / 2, height - 4, label, colors, { "text-anchor": "middle" }));
    for (const [v, share] of bars) {
      const gap = step > 4 ? 1 : 0, value = group > 1 ? `${whole(v)} to ${whole(v + group - 1)}` : whole(v);
      out.append(svg("rect", { x: x(v) + gap / 2, y: y(share), width: Math.max(1, step - gap), height: bottom - y(share), fill: colors.accent }));
      const truth = curve.has(v) ? `, exactly ${percent(curve.get(v))}` : "";
      spots.push({ x: x(v) + step / 2, y: y(share), text: `${label} ${value}: ${percent(share)}${truth}` });
    }
    if (curve.size) {
      const line = [...curve].map(([v, share]) => `${x(v) + step / 2},${y(share)}`).join(" ");
      out.append(svg("polyline", { points: line, fill: "none", stroke: colors.series[1], "stroke-width": 2 }));
    }
    return { svg: out, spots, flat: true };
  };
}

// Lines over x: series [{label, points: [[x, y, low, high]], level}]; `log` for a logarithmic axis of x.
export function drawLines(series, { label, log = false, y: shownY = (v) => percent(v), x: shownX = whole, zero = false, span = 0 }) {
  return (width, colors) => {
    const height = 260 + 20 * Math.ceil(series.length / Math.max(1, Math.floor(width / 150)));
    const left = 60, bottom = 216, right = width - 12, out = frame(width, height), spots = [];
    const points = series.flatMap((s) => s.points);
    if (!points.length) return { svg: out, spots };
    const scale = log ? Math.log10 : (v) => v, xs = points.map((p) => scale(p[0]));
    const ys = [...points.flatMap((p) => [p[1], p[2] ?? p[1], p[3] ?? p[1]]), ...series.map((s) => s.level ?? points[0][1])];
    let low = Math.min(...ys, ...(zero ? [0] : [])), high = Math.max(...ys);
    const pad = Math.max((high - low) * 0.08, (span - (high - low)) / 2, 1e-9);
    low -= pad; high += pad;
    const x0 = Math.min(...xs), x1 = Math.max(...xs);
    const x = (v) => left + (right - left) * (x1 > x0 ? (scale(v) - x0) / (x1 - x0) : 0.5);
    const y = (v) => bottom - (bottom - 12) * (v - low) / (high - low);
    for (const mark of ticks(low, high, 5)) {
      out.append(svg("line", { x1: left, x2: right, y1: y(mark), y2: y(mark), stroke: colors.line }),
        text(left - 6, y(mark) + 4, shownY(mark), colors, { "text-anchor": "end" }));
    }
    const marks = log ? ticks(Math.ceil(x0), x1, width / 90).filter(Number.isInteger).map((e) => 10 ** e) : ticks(x0, x1, width / 90);
    for (const mark of marks) out.append(text(x(mark), bottom + 18, shownX(mark), colors, { "text-anchor": x(mark) > right - 30 ? "end" : "middle" }));
    out.append(text((left + right) / 2, bottom + 36, label, colors, { "text-anchor": "middle" }));
    series.forEach((s, i) => {
      const color = colors.series[i % colors.series.length], path = s.points.map((p) => `${x(p[0])},${y(p[1])}`).join(" ");
      const band = s.points.filter((p) => p.length > 2);
      if (band.length > 1) {
        const edge = [...band.map((p) => `${x(p[0])},${y(p[3])}`), ...band.reverse().map((p) => `${x(p[0])},${y(p[2])}`)];
        out.append(svg("polygon", { points: edge.join(" "), fill: color, opacity: 0.16 }));
      }
      if (s.level !== undefined) out.append(svg("line", { x1: left, x2: right, y1: y(s.level), y2: y(s.level), stroke: color, "stroke-dasharray": "6 4" }));
      out.append(svg("polyline", { points: path, fill: "none", stroke: color, "stroke-width": 2 }));
      if (s.points.length < 40) for (const p of s.points) out.append(svg("circle", { cx: x(p[0]), cy: y(p[1]), r: 3, fill: color }));
      for (const p of s.points) spots.push({ x: x(p[0]), y: y(p[1]), text: `${s.label}, ${shownX(p[0])} ${label}: ${shownY(p[1])}` });
      const columns = Math.max(1, Math.floor(width / 150)), lx = 12 + (i % columns) * 150, ly = bottom + 58 + 20 * Math.floor(i / columns);
      out.append(svg("rect", { x: lx, y: ly - 10, width: 12, height: 12, fill: color }), text(lx + 18, ly, s.label.slice(0, 20), colors, { fill: colors.ink }));
    });
    return { svg: out, spots: spots.sort((a, b) => a.x - b.x), plane: true };
  };
}

// A map over two fields: cells[row][column] is the index of a label or -1; rows go up.
export function drawMap({ cells, xs, ys, xLabel, yLabel, labels }) {
  return (width, colors) => {
    const left = 44, right = width - 8, columns = xs.length, rows = ys.length;
    const size = Math.min((right - left) / columns, 18), heightOf = Math.max(2, Math.min(18, 320 / rows));
    const legend = Math.ceil(labels.length / Math.max(1, Math.floor(width / 150))), bottom = 16 + rows * heightOf;
    const out = frame(width, bottom + 44 + 20 * legend), spots = [];
    cells.forEach((line, r) => line.forEach((value, c) => {
      const x = left + c * size, y = bottom - (r + 1) * heightOf;
      if (value >= 0) out.append(svg("rect", { x, y, width: size + 0.3, height: heightOf + 0.3, fill: colors.series[value % 8] }));
      const where = `${xLabel} ${xs[c]}, ${yLabel} ${ys[r]}`;
      spots.push({ x: x + size / 2, y: y + heightOf / 2, text: `${where}: ${value < 0 ? "nothing to choose" : labels[value]}` });
    }));
    for (const mark of ticks(0, columns - 1, columns * size / 60)) {
      if (Number.isInteger(mark)) out.append(text(left + (mark + 0.5) * size, bottom + 16, String(xs[mark]), colors, { "text-anchor": "middle" }));
    }
    for (const mark of ticks(0, rows - 1, rows * heightOf / 30)) {
      if (Number.isInteger(mark)) out.append(text(left - 6, bottom - (mark + 0.5) * heightOf + 4, String(ys[mark]), colors, { "text-anchor": "end" }));
    }
    out.append(text(left, bottom + 34, `across: ${xLabel}, up: ${yLabel}`, colors));
    labels.forEach((name, i) => {
      const each = Math.max(1, Math.floor(width / 150)), x = 12 + (i % each) * 150, y = bottom + 54 + 20 * Math.floor(i / each);
      out.append(svg("rect", { x, y: y - 10, width: 12, height: 12, fill: colors.series[i % 8] }), text(x + 18, y, name.slice(0, 20), colors, { fill: colors.ink }));
    });
    return { svg: out, spots, plane: true };
  };
}
