// Simulates the game in workers, one for each core, and shows what was counted while it runs.
import { Chart, drawHistogram, drawLines, drawShares } from "./charts.js";
import { el, replace, table } from "./dom.js";
import { digitsFor, percent, shareInterval, summary, whole } from "./numbers.js";
import { Setup, command, field, outcomeName, seedField } from "./setup.js";

const REFRESH = 150;

// Plays games 0 to `games - 1` of a seed on several workers; `update` is called when something was counted.
export class Run {
  constructor(source, game, point, seats, seed, games, update, failed) {
    Object.assign(this, { game, point, games, update, next: 0, played: 0, failed: [], paused: false, busy: 0, seconds: 0 });
    this.counts = Array(Math.max(1, point.outcomes.length)).fill(0);
    this.histograms = game.tallies.map(() => new Map());
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const many = Math.max(1, Math.min(navigator.hardwareConcurrency || 2, 32));
    const { code, data } = game.kernels.simulate, { tallies, tables, limit } = game;
    this.workers = Array.from({ length: many }, () => {
      const worker = new Worker(url);
      worker.share = 256;
      worker.idle = true;
      worker.onmessage = ({ data: message }) => this.receive(worker, message);
      worker.onerror = (event) => failed(event.message || "the worker stopped");
      worker.postMessage({ start: { kernel: { code, data }, game: { tallies, tables, limit }, point, seats, seed } });
      return worker;
    });
    this.began = performance.now();
  }

  receive(worker, message) {
    if (!message.ready) {
      this.busy--;
      this.add(message);
      worker.share = Math.min(4e6, Math.max(64, Math.round(worker.share * Math.min(4, message.next))));
    }
    worker.idle = true;
    worker.ready = true;
    this.feed(worker);
    if (!message.ready) this.update(this);
  }

  feed(worker) {
    if (this.paused || !worker.ready || !worker.idle || this.next >= this.games) return;
    const low = this.next, high = Math.min(this.games, low + worker.share);
    this.next = high;
    worker.idle = false;
    this.busy++;
    worker.postMessage({ play: [low, high] });
  }

  add({ games, failed, spilled, counts, hist }) {
    this.played += games;
    this.failed.push(...failed);
    counts.forEach((n, k) => { this.counts[k] += n; });
    const put = (tally, value, n) => this.histograms[tally].set(value, (this.histograms[tally].get(value) ?? 0) + n);
    hist.forEach(([low, part], k) => part.forEach((n, i) => { if (n) put(k % this.histograms.length, low + i, n); }));
    for (const [, tally, value] of spilled) put(tally, value, 1);
  }

  get over() { return this.next >= this.games && this.busy === 0; }

  pause() { this.paused = true; }

  resume() {
    this.paused = false;
    this.workers.forEach((worker) => this.feed(worker));
  }

  stop() { this.workers.forEach((worker) => worker.terminate()); }
}

export function simulatePanel(game, source) {
  const seed = seedField("1"), games = el("select", {}, [1e3, 1e4, 1e5, 1e6, 1e7, 1e8].map((n) => el("option", { value: n, selected: n === 1e5 }, whole(n))));
  const start = el("button", { type: "submit" }, "Simulate");
  const pause = el("button", { type: "button", class: "quiet", disabled: true, onclick: () => toggle() }, "Pause");
  const state = el("p", { class: "count", role: "status" }, "No game played yet"), bar = el("progress", { max: 1, value: 0, "aria-label": "Games played" });
  const answer = el("div"), problem = el("p", { class: "notice bad", role: "alert", hidden: true });
  const setup = new Setup(game, () => {}), charts = {};
  let run = null, history = [], drawn = 0, timer = 0;

  const form = el("form", { onsubmit: (event) => { event.preventDefault(); begin(); } },
    setup.element, el("div", { class: "fields" }, field("games", games), field("seed", seed, "the same seed gives the same games")),
    el("p", { class: "controls" }, start, pause));

  function begin() {
    const { point, seats } = setup;
    if (!point || !seats) return;
    run?.stop();
    history = [];
    problem.hidden = true;
    for (const name of Object.keys(charts)) delete charts[name];
    replace(answer);
    run = new Run(source, game, point, seats, seed.value.trim(), Number(games.value), update, (text) => fail(text));
    Object.assign(run, { seats, seed: seed.value.trim() });
    pause.disabled = false;
    pause.textContent = "Pause";
    state.textContent = "Starting";
  }

  function fail(text) {
    problem.hidden = false;
    problem.textContent = `The simulation stopped: ${text}`;
  }

  function toggle() {
    if (!run || run.over) return;
    if (run.paused) run.resume(); else run.pause();
    pause.textContent = run.paused ? "Resume" : "Pause";
    show();
  }

  function update() {
    const now = performance.now();
    if (run.over || now - drawn > REFRESH) {
      drawn = now;
      show();
    } else {
      clearTimeout(timer);
      timer = setTimeout(show, REFRESH);
    }
  }

  function show() {
    clearTimeout(timer);
    const { played, over, paused } = run, failed = run.failed.length;
    bar.value = run.next ? (played + failed) / run.games : 0;
    if (over) { pause.disabled = true; run.stop(); }
    state.textContent = `${whole(played)} games${over ? "" : paused ? ", paused" : ""}`;
    if (failed) {
      problem.hidden = false;
      const shown = run.failed.slice(0, 3).map((n) => `game ${n}`).join(", ");
      problem.textContent = `${whole(failed)} of ${whole(played + failed)} games could not be finished here, for example ${shown}: a number has more than 64 bits, a list is full, or a rule breaks off. The figures leave them out, so they may be wrong by up to ${percent(failed / (played + failed))}. dicelab simulate plays them in Python.`;
    }
    if (!played) return;
    const shares = run.counts.map((n) => n / played);
    const last = history[history.length - 1];
    if (!last || played > last.played * 1.02 || over) history.push({ played, shares, means: run.histograms.map((h) => summary(h).mean) });
    if (history.length > 300) history = history.filter((_, i) => i % 2);
    draw(shares);
  }

  function draw(shares) {
    const { point, played } = run, rows = [], outcomes = point.outcomes.length;
    for (let k = 0; k < outcomes; k++) {
      const [low, high] = shareInterval(run.counts[k], played), digits = Math.max(0, digitsFor((high - low) / 2) - 2);
      const value = `${percent(shares[k], digits)} ±${(50 * (high - low)).toFixed(digits)}`;
      rows.push({ label: outcomeName(game, point, k), share: shares[k], low, high, value, games: run.counts[k],
        text: `${outcomeName(game, point, k)}: ${percent(low, digits)} to ${percent(high, digits)}, ${whole(run.counts[k])} of ${whole(played)} games` });
    }
    const tallies = game.tallies.map((tally, i) => ({ ...tally, histogram: run.histograms[i], ...summary(run.histograms[i]) }));
    if (!charts.built) build(rows, tallies);
    if (outcomes) {
      charts.shares.show(drawShares(rows, game.own_outcomes ? 0 : 1 / outcomes), rows.map((r) => r.text).join("; "));
      charts.lines.show(drawLines(rows.slice(0, 8).map((r, k) => ({ label: r.label, points: history.map((h) => [h.played, h.shares[k]]) })), { label: "games", log: true, span: 0.02 }),
        `The shares after ${whole(played)} games: ${rows.map((r) => `${r.label} ${r.value}`).join(", ")}`);
    }
    replace(charts.tables, tables(rows, tallies));
    const tally = tallies[Number(charts.which?.value ?? 0)];
    if (tally) {
      const top = tally.values.filter((v) => v <= farthest(tally));
      charts.histogram.show(drawHistogram(top.map((v) => [v, tally.histogram.get(v) / played]), tally.called),
        `${tally.called}: mean ${tally.mean.toPrecision(4)}, from ${tally.values[0]} to ${tally.values.at(-1)}, half of the games at most ${tally.p50}`);
      if (!outcomes) charts.lines.show(drawLines([{ label: `mean ${tally.called}`, points: history.map((h) => [h.played, h.means[tallies.indexOf(tally)]]) }], { label: "games", log: true, y: (v) => v.toPrecision(4), span: Math.abs(tally.mean) / 50 }), `mean ${tally.mean.toPrecision(5)}`);
    }
    charts.command.textContent = command(game, "simulate", point, run.seats, ["--games", run.over ? played + run.failed.length : run.games, "--seed", run.seed]);
  }

  // Beyond this value so few games lie that a histogram leaves them out.
  function farthest(tally) {
    let left = tally.n;
    for (const v of tally.values) if ((left -= tally.histogram.get(v)) < tally.n * 5e-4) return v;
    return Infinity;
  }

  function build(rows, tallies) {
    charts.built = true;
    charts.shares = new Chart("Outcomes", `${game.name}-outcomes`);
    charts.lines = new Chart("The estimate while games are played", `${game.name}-convergence`);
    charts.histogram = new Chart("Distribution", `${game.name}-distribution`);
    charts.tables = el("div");
    charts.command = el("code");
    charts.which = tallies.length > 1 ? el("select", { onchange: () => show() }, tallies.map((t, i) => el("option", { value: i }, t.called))) : null;
    replace(answer, charts.tables,
      el("div", { class: "charts" }, rows.length ? charts.shares.element : null,
        tallies.length ? el("div", {}, charts.which ? field("show the distribution of", charts.which) : null, charts.histogram.element) : null, charts.lines.element),
      el("p", { class: "help" }, "The same games on your own machine: ", charts.command));
  }

  function tables(rows, tallies) {
    const found = [];
    if (rows.length) found.push(table("Outcomes, with 95 % intervals", ["outcome", "share", "interval", "games"], rows.map((r) => {
      const digits = Math.max(0, digitsFor((r.high - r.low) / 2) - 2);
      return [r.label, percent(r.share, digits), `${percent(r.low, digits)} to ${percent(r.high, digits)}`, whole(r.games)];
    })));
    if (tallies.length) found.push(table("What is counted in each game", ["tally", "mean", "95 % interval", "deviation", "10 %", "median", "90 %"], tallies.map((t) => {
      const digits = digitsFor((t.high - t.low) / 2), end = (v) => Number.isFinite(v) ? v.toFixed(digits) : "unknown";
      return [t.called, t.mean.toFixed(digits), Number.isFinite(t.low + t.high) ? `${end(t.low)} to ${end(t.high)}` : t.sd ? "too few games" : `always ${whole(t.mean)} so far`, t.sd.toFixed(digits), whole(t.p10), whole(t.p50), whole(t.p90)];
    })));
    return found;
  }

  return { element: el("div", { class: "panel" }, el("div", { class: "side" }, form), el("div", { class: "results" }, el("div", { class: "progress" }, state, bar), problem, answer)),
    result: () => run && { played: run.played, failed: run.failed, counts: run.counts, over: run.over, histograms: run.histograms.map((h) => Object.fromEntries(h)) } };
}
