// The dice box of the first page: the distribution of what is typed, at once; and answers to some questions.
import { Chart, drawHistogram } from "/charts/charts.js";

const box = document.getElementById("dicebox");
const field = box.querySelector("input");
const said = box.querySelector(".answer");
const chart = new Chart("Distribution", "dice");
let latest = 0;

async function ask() {
  const mine = ++latest;
  const expression = field.value.trim();
  if (!expression) return;
  try {
    const answer = await fetch(`/dice.json?${new URLSearchParams({ expressions: expression })}`);
    const found = await answer.json();
    if (mine !== latest) return;
    said.textContent = found.summary ?? found.error.split("\n")[0];
    said.classList.toggle("bad", !answer.ok);
    const rows = answer.ok ? found.rows.filter((row) => "probability" in row) : []; // several expressions have none
    if (!rows.length) return chart.element.remove();
    if (!chart.element.isConnected) said.after(chart.element);
    chart.show(drawHistogram(rows.map((row) => [row.value, row.probability]), "value"), said.textContent);
  } catch {
    if (mine === latest) said.textContent = "The lab does not answer; is it still running?";
  }
}

// Files that are still being read get their cards when they have been.
async function readFiles() {
  const places = [...document.querySelectorAll("[data-reading]")];
  if (!places.length) return;
  const page = new DOMParser().parseFromString(await (await fetch("/")).text(), "text/html");
  for (const place of places) {
    const card = page.querySelector(`[data-name="${CSS.escape(place.dataset.reading)}"]`);
    if (card) place.replaceWith(card);
  }
  setTimeout(readFiles, 500);
}
readFiles();

let waiting = 0;
field.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(ask, 250);
});

// One question after the other, so that the first page doesn't keep all processes busy.
async function answers() {
  await ask();
  for (const place of document.querySelectorAll("[data-ask]")) {
    place.textContent = "…";
    try {
      const found = await (await fetch(place.dataset.ask)).json();
      if (found.summary) place.textContent = found.summary;
      else place.closest("li").remove();
    } catch {
      place.closest("li").remove();
    }
  }
}
answers();
