// Your games: accuracy by game, puzzles from the worst decisions, and the games themselves, from what this browser keeps.
import { el } from "/charts/dom.js";
import { clear, games } from "/static/kept.js";

const $ = (id) => document.getElementById(id);
const PUZZLES = 20;
const words = (cost, amount) => (amount ? `${cost.toFixed(2)} of ${amount}` : `${(100 * cost).toFixed(2)} points`);
const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);
const cell = (text) => el("td", { class: "n" }, text);

function row(name, list) {
  const decisions = sum(list, (game) => game.decisions), cost = sum(list, (game) => game.cost), { amount } = list[0];
  return el("tr", {}, el("th", { scope: "row" }, name), cell(list.length), cell(decisions),
    cell(decisions ? `${(100 * sum(list, (game) => game.best) / decisions).toFixed(0)} %` : "–"), cell(decisions ? words(cost / decisions, amount) : "–"), cell(words(cost / list.length, amount)));
}

function show() {
  const all = games(), by = new Map();
  for (const game of all) {
    const kind = game.amount ? `${game.game} (${game.amount})` : game.game;
    by.set(kind, [...(by.get(kind) || []), game]);
  }
  $("none").hidden = all.length > 0;
  const won = all.filter((game) => !game.amount), rows = [...by].map(([name, list]) => row(name, list));
  if (by.size > 1 && won.length) rows.push(row("all for a winning chance", won));
  $("accuracy").hidden = $("games").hidden = !all.length;
  $("accuracy").querySelector("tbody").replaceChildren(...rows);
  const puzzles = all.flatMap((game) => game.puzzles.map((puzzle) => ({ ...puzzle, game })));
  puzzles.sort((a, b) => Boolean(a.game.amount) - Boolean(b.game.amount) || b.cost - a.cost);
  $("puzzles").hidden = !puzzles.length;
  $("puzzles").querySelector("ol").replaceChildren(...puzzles.slice(0, PUZZLES).map(({ cost, move, better, address, game }) => el("li", {},
    el("a", { href: address }, game.game), `: you chose ${move}, which cost ${words(cost, game.amount)}. `,
    el("details", {}, el("summary", {}, "Show the better move"), el("p", {}, better)))));
  $("games").querySelector("ul").replaceChildren(...all.map((game) => el("li", {}, el("a", { href: game.review }, game.game),
    `: ${game.best} of ${game.decisions} decisions were the best move; lost ${words(game.cost, game.amount)}.`)));
}

$("clear").addEventListener("click", () => { clear(); show(); });
show();
