// The dice box of the first page: the distribution of what is typed, at once; and answers to some questions.
const SVG = "http://www.w3.org/2000/svg";
const box = document.getElementById("dicebox");
const field = box.querySelector("input");
const said = box.querySelector(".answer");
const chart = box.querySelector(".bars");
const WIDTH = 600, HEIGHT = 120, MOST = 120;
let latest = 0;

// Bars of the values, each with its value and probability in words for a pointer; larger sets are left to the page.
function draw(rows) {
  chart.replaceChildren();
  if (!rows || rows.length < 2 || rows.length > MOST) return;
  const most = Math.max(...rows.map((row) => row.probability));
  const step = WIDTH / rows.length;
  rows.forEach((row, i) => {
    const bar = document.createElementNS(SVG, "rect");
    const height = Math.max(1, (HEIGHT - 20) * row.probability / most);
    const places = { x: i * step + step * 0.1, y: HEIGHT - 18 - height, width: step * 0.8, height };
    for (const [name, value] of Object.entries(places)) bar.setAttribute(name, value.toFixed(2));
    const title = document.createElementNS(SVG, "title");
    title.textContent = `${row.value}: ${(100 * row.probability).toPrecision(3)} %`;
    bar.append(title);
    chart.append(bar);
    if (rows.length <= 24 || i % Math.ceil(rows.length / 12) === 0) {
      const label = document.createElementNS(SVG, "text");
      label.setAttribute("x", (i * step + step / 2).toFixed(2));
      label.setAttribute("y", HEIGHT - 3);
      label.textContent = row.value;
      chart.append(label);
    }
  });
}

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
    draw(answer.ok ? found.rows : []);
  } catch {
    if (mine === latest) said.textContent = "The lab doesn't answer.";
  }
}

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
