// Draws a policy over two fields of the state, and shows the value of each move in the state that is pointed at.
const $ = (id) => document.getElementById(id);
const place = $("map"), canvas = $("cells"), pen = canvas.getContext("2d");
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
const LEFT = 48, BELOW = 40;
let data, cells, low, high, side, at = null;

const words = (name) => name.replaceAll("_", " ");
const escaped = (text) => { const span = document.createElement("span"); span.textContent = text; return span.innerHTML; };

function draw() {
  const ink = getComputedStyle(document.body).color;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  for (const [x, y, best] of data.cells) {
    pen.fillStyle = COLOURS[best % COLOURS.length];
    pen.fillRect(LEFT + (x - low[0]) * side[0], (high[1] - y) * side[1], Math.ceil(side[0]), Math.ceil(side[1]));
  }
  if (at) {
    pen.strokeStyle = ink;
    pen.lineWidth = 3;
    pen.strokeRect(LEFT + (at[0] - low[0]) * side[0], (high[1] - at[1]) * side[1], side[0], side[1]);
  }
  pen.fillStyle = ink;
  pen.font = "14px system-ui, sans-serif";
  pen.textAlign = "right";
  for (const y of [low[1], high[1]]) pen.fillText(y, LEFT - 8, Math.min(canvas.height - BELOW, (high[1] - y) * side[1] + 14));
  pen.textAlign = "center";
  for (const x of [low[0], high[0]]) pen.fillText(x, LEFT + (x - low[0] + 0.5) * side[0], canvas.height - BELOW + 18);
  pen.fillText(words(data.x), (LEFT + canvas.width) / 2, canvas.height - 8);
  pen.save();
  pen.translate(14, (canvas.height - BELOW) / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(words(data.y), 0, 0);
  pen.restore();
}

function show(x, y) {
  const cell = cells.get(`${x},${y}`);
  if (!cell) return;
  at = [x, y];
  const worth = data.moves.map((move, i) => [move, cell[3][i]]).filter(([, value]) => value !== null);
  const places = [3, 4, 5].find((n) => new Set(worth.map(([, value]) => value.toFixed(n))).size === new Set(worth.map(([, value]) => value.toFixed(6))).size) ?? 6;
  const others = Object.entries(data.at).map(([name, value]) => `, ${words(name)} ${value}`).join("");
  $("state").innerHTML = `${escaped(`${words(data.x)} ${x}, ${words(data.y)} ${y}${others}`)}: `
    + worth.map(([move, value]) => `${move === data.moves[cell[2]] ? "<strong>" : "<span>"}${escaped(move)} ${value.toFixed(places)}${move === data.moves[cell[2]] ? "</strong>" : "</span>"}`).join(", ");
  draw();
}

function pointed(event) {
  const box = canvas.getBoundingClientRect();
  const across = (event.clientX - box.left) * canvas.width / box.width - LEFT, down = (event.clientY - box.top) * canvas.height / box.height;
  show(low[0] + Math.floor(across / side[0]), high[1] - Math.floor(down / side[1]));
}

function moved(event) {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (!step) return;
  event.preventDefault();
  let [x, y] = at || [data.cells[0][0] - step[0], data.cells[0][1] - step[1]];
  do { x += step[0]; y += step[1]; } while (!cells.has(`${x},${y}`) && x >= low[0] && x <= high[0] && y >= low[1] && y <= high[1]);
  show(x, y);
}

// A form with the fields: two for the axes, and a value for each of the others.
function form(address) {
  const names = Object.keys(data.fields), select = (key, chosen) => `<label><span>${key}</span><select name="${key}">${names.map((name) => `<option${name === chosen ? " selected" : ""}>${escaped(name)}</option>`).join("")}</select></label>`;
  const others = Object.entries(data.at).map(([name, value]) => `<label><span>${escaped(words(name))}</span><input type="number" name="at.${escaped(name)}" value="${value}" min="${data.fields[name][0]}" max="${data.fields[name][1]}"></label>`);
  $("axes").innerHTML = select("x", data.x) + select("y", data.y) + others.join("");
  $("axes").hidden = false;
  $("axes").onchange = () => {
    const next = new URL(address, location), chosen = new FormData($("axes"));
    for (const key of [...next.searchParams.keys()]) if (/^(x$|y$|at\.)/.test(key)) next.searchParams.delete(key);
    for (const [key, value] of chosen) if (value !== "" && key !== `at.${chosen.get("x")}` && key !== `at.${chosen.get("y")}`) next.searchParams.set(key, value);
    load(next.pathname + next.search);
  };
}

// The cards are of the states with the chosen values, whatever the axes show.
function cards() {
  for (const link of document.querySelectorAll("#cards a")) {
    const next = new URL(link.href);
    for (const key of [...next.searchParams.keys()]) if (key.startsWith("at.")) next.searchParams.delete(key);
    for (const [name, value] of Object.entries(data.at)) next.searchParams.set(`at.${name}`, value);
    link.href = next;
  }
}

function tell() {
  $("legend").innerHTML = data.moves.map((move, i) => `<svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" fill="${COLOURS[i % COLOURS.length]}"/></svg>${escaped(move)}`).join(" ");
  const rows = data.thresholds.map((t) => `<tr><th scope="row">${t.from}${t.to > t.from ? ` to ${t.to}` : ""}</th><td>${t.steps.map(([y, move], i) => (i ? `from ${y} on ${escaped(move)}` : escaped(move))).join("; ")}</td></tr>`).join("");
  $("thresholds").innerHTML = rows ? `<details><summary>Thresholds</summary><div class="scroll rules" tabindex="0"><table><thead><tr><th scope="col">${escaped(words(data.x))}</th><th scope="col">best move by ${escaped(words(data.y))}</th></tr></thead><tbody>${rows}</tbody></table></div></details>` : "";
}

async function load(address) {
  const response = await fetch(address).catch(() => null), found = await response?.json();
  if (!response) {
    $("state").textContent = "The lab does not answer; is it still running?";
    return;
  }
  if (!response.ok) {
    $("state").textContent = `No map: ${found.error}`;
    return;
  }
  data = found;
  at = null;
  cells = new Map(data.cells.map((cell) => [`${cell[0]},${cell[1]}`, cell]));
  const column = (i) => data.cells.map((cell) => cell[i]);
  low = [0, 1].map((i) => column(i).reduce((a, b) => Math.min(a, b)));
  high = [0, 1].map((i) => column(i).reduce((a, b) => Math.max(a, b)));
  canvas.width = Math.min(960, Math.max(300, place.clientWidth));
  canvas.height = Math.max(320, canvas.width / 2);
  side = [(canvas.width - LEFT) / (high[0] - low[0] + 1), (canvas.height - BELOW) / (high[1] - low[1] + 1)];
  canvas.hidden = false;
  form(address);
  cards();
  tell();
  draw();
}

canvas.addEventListener("pointermove", pointed);
canvas.addEventListener("keydown", moved);
document.getElementById("theme")?.addEventListener("click", () => data && setTimeout(draw));
load(place.dataset.map);
