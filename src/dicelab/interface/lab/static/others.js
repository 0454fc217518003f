// What the others did since your last move appears step by step, at a pace that is chosen; the table as it is then follows.
const acting = document.getElementById("acting"), after = document.getElementById("after"), pace = acting.querySelector("select");
const steps = [...acting.querySelectorAll("li")], KEY = "dicelab-others";
const arrived = performance.getEntriesByType("navigation")[0]?.type === "navigate";
let waiting = 0;

function end() {
  clearTimeout(waiting);
  acting.hidden = true;
  after.hidden = false;
}

function step(at) {
  if (at === steps.length) return end();
  steps[at].hidden = false;
  waiting = setTimeout(step, Number(pace.value), at + 1);
}

pace.value = localStorage.getItem(KEY) ?? "700";
pace.addEventListener("change", () => { localStorage.setItem(KEY, pace.value); if (pace.value === "0") end(); });
acting.querySelector("button").addEventListener("click", end);
addEventListener("keydown", ({ target }) => { if (!acting.contains(target)) end(); }, true);
if (arrived && pace.value !== "0" && steps.length > 1) {
  for (const one of steps) one.hidden = true;
  acting.hidden = false;
  after.hidden = true;
  step(0);
}
