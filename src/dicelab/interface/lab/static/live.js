// Follows a simulation: numbers and charts arrive as events; the buttons stop it, continue it, and show exact values.
import { DRAW } from "/charts/answers.js";
import { Chart } from "/charts/charts.js";
import { drop } from "/static/follow.js";

const $ = (id) => document.getElementById(id);
const place = $("run"), token = document.querySelector("meta[name=token]").content;
const words = { playing: "playing", stopped: "stopped", finished: "finished", failed: "failed" };
const GONE = "The simulation has ended, or the lab is not running any more.", TRIES = 40;
let run = null, source = null, state = "playing", lost = 0;

const post = (address, more) => fetch(address, { method: "POST", headers: { "X-Dicelab-Token": token }, ...more });
const tell = (word, more) => run && post(`/runs/${run}/${word}`, more).catch(() => {});  // that the lab is gone, the stream says

function show(next) {
  state = next;
  $("state").textContent = words[next];
  $("stop").disabled = next !== "playing";
  $("stop").hidden = next === "stopped";
  $("continue").hidden = next !== "stopped";
}

function fail(html) {
  if (source) source.close();
  show("failed");
  $("failed").innerHTML = html + '<p><a class="button" href="">Start again</a></p>';
  drop($("failed"));
}

const charts = new Map();

function draw({ name, figure }) {
  if (!charts.has(name)) {
    const chart = new Chart(figure.title, figure.name), first = charts.size === 0;
    charts.set(name, chart);
    if (first) $("charts").prepend(chart.element);
    else $("more").querySelector("div").append(chart.element);
    $("more").hidden = first;
  }
  charts.get(name).show(DRAW[figure.kind](figure.data), figure.summary);
}

function listen() {
  source = new EventSource(place.dataset.live.replace("RUN", run));
  const on = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data)));
  on("numbers", (data) => {
    $("games").textContent = data.games.toLocaleString("en");
    if (place.dataset.games !== "0") $("progress").value = data.games;
    else if (data.state === "finished") $("progress").value = 1;
    $("numbers").innerHTML = data.html;
    if (data.state !== state) show(data.state);
  });
  on("chart", draw);
  on("truth", (data) => { $("truth").innerHTML = data.html; $("note").textContent = ""; $("reveal").hidden = true; });
  on("note", (data) => { $("note").textContent = data.text; });
  on("failed", (data) => fail(data.html));
  source.addEventListener("open", () => { lost = 0; });
  source.addEventListener("error", () => {  // a stream that ends is opened again; one that is refused is not
    if (state === "failed" || (source.readyState !== EventSource.CLOSED && ++lost < TRIES)) return;
    if (state !== "finished") return fail(`<p class="notice bad">${GONE}</p>`);
    source.close();
    $("note").textContent = GONE;
  });
}

$("stop").addEventListener("click", () => tell("stop"));
$("continue").addEventListener("click", () => { show("playing"); tell("continue"); });
$("reveal").addEventListener("click", () => { $("reveal").disabled = true; $("note").textContent = "computing the exact values; the simulation waits"; tell("reveal"); });
addEventListener("pagehide", () => { if (source) source.close(); tell("end", { keepalive: true }); });
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

try {
  const response = await post(place.dataset.start);
  if (!response.ok) throw new Error(await response.text());
  run = (await response.json()).run;
  show("playing");
  $("reveal").disabled = false;
  listen();
} catch {
  fail('<p class="notice bad">The simulation could not be started.</p>');
}
