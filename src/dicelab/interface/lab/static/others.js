// What the others did since your last move appears step by step, at a pace that is chosen; the table as it is then follows.
const KEY = "dicelab-others";
let waiting = 0;

const place = (id) => document.getElementById(id);

function end() {
  clearTimeout(waiting);
  if (!place("acting")) return;
  place("acting").hidden = true;
  place("after").hidden = false;
}

function step(steps, at) {
  if (at === steps.length) return end();
  steps[at].hidden = false;
  waiting = setTimeout(step, Number(place("acting").querySelector("select").value), steps, at + 1);
}

export function act() {
  clearTimeout(waiting);
  const acting = place("acting");
  if (!acting) return;
  const pace = acting.querySelector("select"), steps = [...acting.querySelectorAll("li")];
  pace.value = localStorage.getItem(KEY) ?? "700";
  pace.addEventListener("change", () => { localStorage.setItem(KEY, pace.value); if (pace.value === "0") end(); });
  acting.querySelector("button").addEventListener("click", end);
  if (pace.value === "0" || steps.length < 2) return;
  for (const one of steps) one.hidden = true;
  acting.hidden = false;
  place("after").hidden = true;
  step(steps, 0);
}

addEventListener("keydown", ({ target }) => { if (!place("acting")?.contains(target)) end(); }, true);
if (performance.getEntriesByType("navigation")[0]?.type === "navigate") act();
