// Chips choose the amount of a bet; pointing at a spot shows its edge; a click changes the table without a new page.
import { follow } from "/static/follow.js";
import { act } from "/static/others.js";

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

let last = Promise.resolve();  // clicks wait for the answer to the one before, whose moves they continue

async function play(name, value, amount) {
  const asked = new URLSearchParams(new FormData(document.getElementById("felt")));
  if (asked.has("amount")) asked.set("amount", amount);
  asked.set(name, value);
  const { id, ariaLabel } = document.activeElement;
  const response = await show(`${location.pathname}?${asked}`);
  history.pushState(null, "", response.url);
  const focused = id ? document.getElementById(id) : ariaLabel && main.querySelector(`[aria-label="${CSS.escape(ariaLabel)}"]`);
  if (focused) focused.focus();
  act();
}

async function show(address) {
  const response = await follow(address);
  ready();
  return response;
}

// What is said has a place of its own, because pointing at spots fills that of the edge, and is in view on narrow screens.
function silent() {
  const said = document.getElementById("silent") ?? document.createElement("p");
  Object.assign(said, { id: "silent", className: "notice bad", textContent: "The lab does not answer; is it still running?" });
  said.setAttribute("role", "alert");
  document.getElementById("edge").before(said);
  said.scrollIntoView({ block: "nearest" });
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
  const form = document.getElementById("felt"), typed = event.target.elements.say;
  if (!form || (event.target !== form && !event.target.matches(".say"))) return;
  event.preventDefault();
  const { name, value } = event.target === form ? event.submitter : typed, amount = form.elements.amount.value;
  last = last.then(() => play(name, value, amount)).catch(silent);
});
main.addEventListener("pointerover", pointed);
main.addEventListener("focusin", pointed);
addEventListener("popstate", () => { last = last.then(() => show(location.href)).catch(silent); });
ready();
