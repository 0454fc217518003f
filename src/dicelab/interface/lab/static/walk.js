// Steps through a reviewed game: by a click on the line of chances, by its arrow keys, or by buttons.
import { el, svg } from "/charts/dom.js";
import { keep } from "/static/kept.js";

const walk = document.getElementById("walk"), line = walk.querySelector("svg.line");
const values = JSON.parse(walk.dataset.values), low = Number(walk.dataset.low), high = Number(walk.dataset.high), last = values.length - 1;
const rows = [null, ...document.querySelectorAll("#steps tbody tr")];
const marker = svg("circle", { class: "here", r: 7 }), said = el("div", { class: "walked", "aria-live": "polite" });
const at = { step: 0 };

function show(step) {
  at.step = Math.max(0, Math.min(last, step));
  marker.setAttribute("cx", 800 * at.step / Math.max(1, last));
  marker.setAttribute("cy", 200 - 200 * (values[at.step] - low) / (high - low));
  for (const row of rows) row?.classList.remove("chosen");
  const row = rows[at.step];
  row?.classList.add("chosen");
  const cells = Object.fromEntries(row ? [...row.cells].map((cell, i) => [row.closest("table").tHead.rows[0].cells[i].textContent, cell]) : []);
  const { step: number, move, again, ...figures } = cells;
  const filled = Object.entries(figures).filter(([, cell]) => cell.textContent.trim());
  said.replaceChildren(el("p", {}, el("strong", {}, at.step ? `Step ${at.step} of ${last}` : "The start"), " ", move ? [...move.cloneNode(true).childNodes] : []),
    el("p", { class: "muted" }, filled.length ? filled.map(([head, cell]) => `${head}: ${cell.textContent.trim()}`).join(" · ") : `${walk.dataset.what} ${values[at.step].toFixed(3)}`));
  const link = row?.querySelector("a");
  if (link) said.append(el("p", {}, link.cloneNode(true)));
}

const button = (label, step) => el("button", { type: "button", class: "quiet", onclick: () => show(step()) }, label);
const mistakes = () => [...line.querySelectorAll(".error")].map((one) => Math.round(Number(one.getAttribute("cx")) * last / 800));
line.append(marker);
line.setAttribute("tabindex", "0");
walk.append(el("p", { class: "controls" }, button("Start", () => 0), button("Back", () => at.step - 1), button("Next", () => at.step + 1), button("End", () => last),
  mistakes().length ? button("Next mistake", () => mistakes().find((one) => one > at.step) ?? mistakes()[0]) : null), said);
line.addEventListener("click", (event) => {
  const box = line.getBoundingClientRect();
  show(Math.round(((event.clientX - box.left) / box.width * 808 - 4) / 800 * last));
});
line.addEventListener("keydown", (event) => {
  const to = { ArrowRight: at.step + 1, ArrowLeft: at.step - 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  show(to);
});
show(0);
if (walk.dataset.kept) keep({ ...JSON.parse(walk.dataset.kept), review: location.pathname + location.search });
