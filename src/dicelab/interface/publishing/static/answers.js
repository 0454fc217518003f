// Charts of the answers that the author chose; their tables are in the page already.
import { Chart, drawHistogram, drawLines, drawMap, drawShares } from "./charts.js";
import { percent, whole } from "./numbers.js";

export const DRAW = {
  shares: (data) => drawShares(data.rows, data.equal),
  histogram: (data) => drawHistogram(data.points, data.label, data.exact),
  lines: (data) => drawLines(data.series, { label: data.label, log: data.log, x: data.log ? whole : String, y: data.share ? (v) => percent(v, data.log ? 2 : 1) : (v) => v.toPrecision(4) }),
  map: (data) => drawMap(data),
};

export function showAnswers(answers) {
  for (const { id, charts } of answers) {
    const place = document.getElementById(id)?.querySelector(".charts");
    for (const one of charts) {
      const chart = new Chart(one.title, one.name);
      place.append(chart.element);
      chart.show(DRAW[one.kind](one.data), one.summary);
    }
  }
}
