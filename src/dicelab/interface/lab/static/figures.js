// Draws charts whose data the page has, in the place of their pictures, as published pages do.
import { DRAW } from "/charts/answers.js";
import { Chart } from "/charts/charts.js";

const main = document.getElementById("content");

function draw() {
  for (const figure of main.querySelectorAll("figure[data-figure]")) {
    const { kind, title, name, summary, data } = JSON.parse(figure.dataset.figure), chart = new Chart(title, name);
    figure.replaceWith(chart.element);
    chart.show(DRAW[kind](data), summary);
  }
}

new MutationObserver(draw).observe(main, { childList: true, subtree: true });
draw();
