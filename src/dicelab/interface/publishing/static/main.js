// Puts the page together: reads its data, and fills the parts that work with scripts only.
import { RECOLOUR } from "./charts.js";
import { el, replace } from "./dom.js";
import { Learned } from "./learned.js";
import { Mixed } from "./mixed.js";
import { Optimal } from "./optimal.js";
import { playPanel } from "./play.js";
import { showAnswers } from "./answers.js";
import { simulatePanel } from "./simulate.js";

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

function unpacked(id) {
  const packed = new Blob([bytes(document.getElementById(id).textContent.trim())]);
  return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip")));
}

function themeButton() {
  const names = ["auto", "light", "dark"];
  let at = 0;
  const button = el("button", { type: "button", class: "quiet", onclick: () => {
    at = (at + 1) % 3;
    if (at) document.documentElement.dataset.theme = names[at]; else delete document.documentElement.dataset.theme;
    button.textContent = `Colours: ${names[at]}`;
    dispatchEvent(new Event(RECOLOUR));
  } }, "Colours: auto");
  return button;
}

async function start() {
  const game = await unpacked("game").json(), source = await unpacked("worker").text();
  const optimal = game.optimal && (game.optimal.mixed ? new Mixed(game.optimal, await unpacked("optimal").json())
    : new (game.optimal.learned ? Learned : Optimal)(game.optimal, new Uint8Array(await unpacked("optimal").arrayBuffer())));
  for (const kernel of Object.values(game.kernels)) kernel.code = bytes(kernel.code);
  const play = document.getElementById("play"), simulate = document.getElementById("simulate");
  const panel = simulatePanel(game, source);
  let table = null;
  replace(simulate.querySelector(".body"), panel.element);
  simulate.hidden = false;
  if (game.kernels.step) {
    table = playPanel(game, optimal);
    replace(play.querySelector(".body"), table.element);
    play.hidden = false;
  }
  showAnswers(game.answers ?? []);
  for (const link of document.querySelectorAll("nav a")) link.hidden = document.querySelector(link.hash)?.hidden ?? false;
  document.querySelector(".tools").append(themeButton());
  globalThis.dicelab = { game, result: panel.result, log: table?.log, review: table?.review };
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  const notice = document.getElementById("failed");
  notice.hidden = false;
  notice.textContent = `This browser can't run the game (${error.message}). Rules and answers are shown below; a current Firefox, Chromium or Safari plays it.`;
});
