// Chips choose the amount of a bet; pointing at a spot shows its edge; a click changes the table without a new page.
import { follow } from "/static/follow.js";

const main = document.getElementById("content");
const edges = new Map();

async function edgeOf(form, id) {
  const response = await fetch(form.dataset.edges + encodeURIComponent(id));
  const row = (await response.json()).rows[0], percent = (figure) => `${(100 * figure.value).toFixed(3)} %`;
  const each = row.edge_per_throw && row.edge_per_throw.value !== row.edge.value ? `, ${percent(row.edge_per_throw)} per roll` : "";
  return `house edge ${percent(row.edge)}${each}; wins ${(100 * row.outcomes.win.probability).toFixed(2)} %`;
}

async function pointed(event) {
  const form = document.getElementById("felt"), spot = event.target.closest("button[data-words]");
  if (!form || !spot) return;
  const id = spot.dataset.edge, place = document.getElementById("edge");
  place.dataset.shown = spot.dataset.words;
  if (!id) { place.textContent = spot.dataset.words; return; }
  if (!edges.has(id)) edges.set(id, edgeOf(form, id).catch(() => "its edge is not known"));
  place.textContent = `${spot.dataset.words}: …`;
  const words = await edges.get(id);
  if (place.dataset.shown === spot.dataset.words) place.textContent = `${spot.dataset.words}: ${words}`;
}

async function show(address) {
  const focused = document.activeElement?.getAttribute("aria-label"), response = await follow(address);
  history.pushState(null, "", response.url);
  ready();
  if (focused) main.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

function ready() {
  const chips = main.querySelector(".chips");
  if (chips) chips.hidden = false;
}

main.addEventListener("click", (event) => {
  const chip = event.target.closest("[data-amount]");
  if (chip) document.querySelector("[name=amount]").value = chip.dataset.amount;
});
main.addEventListener("submit", (event) => {
  if (event.target.id !== "felt") return;
  event.preventDefault();
  const asked = new URLSearchParams(new FormData(event.target, event.submitter));
  show(`${location.pathname}?${asked}`).catch(() => { document.getElementById("edge").textContent = "The lab does not answer; is it still running?"; });
});
main.addEventListener("pointerover", pointed);
main.addEventListener("focusin", pointed);
addEventListener("popstate", () => location.reload());
ready();
