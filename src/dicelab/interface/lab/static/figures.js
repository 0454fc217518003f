// Draws charts in their places, as published pages do: the page has the data, or the address of what `plots` describes.
import { DRAW } from "/charts/answers.js";
import { Chart } from "/charts/charts.js";
import { el } from "/charts/dom.js";
import { drawPlot } from "/static/plot.js";

const main = document.getElementById("content");

async function described(figure) {
  const { from, name } = figure.dataset;
  delete figure.dataset.from; // asked once
  const response = await fetch(from).catch(() => null);
  if (!response?.ok) return figure.replaceChildren(el("p", { class: "muted" }, "This chart can't be drawn; the tables have its numbers."));
  const data = await response.json(), chart = new Chart(data.title, name, data.notes);
  figure.replaceWith(chart.element);
  chart.show(drawPlot(data), [data.x.label, data.y.label].filter(Boolean).join(", by "));
}

function draw() {
  for (const figure of main.querySelectorAll("figure[data-figure]")) {
    const { kind, title, name, summary, data } = JSON.parse(figure.dataset.figure), chart = new Chart(title, name);
    figure.replaceWith(chart.element);
    chart.show(DRAW[kind](data), summary);
  }
  main.querySelectorAll("figure[data-from]").forEach(described);
}

new MutationObserver(draw).observe(main, { childList: true, subtree: true });
draw();
