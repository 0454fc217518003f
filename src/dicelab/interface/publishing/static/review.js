// Luck and skill in a game that was played: what rolls changed and what decisions cost, by the values of optimal play.
import { Chart, drawLines } from "./charts.js";
import { el, table } from "./dom.js";
import { percent } from "./numbers.js";

const WORST = 3, CLOSE = 1e-7;

// The steps of a game with their values. `track` has for each step the state before it, the step, and the move's words.
export async function reviewed(optimal, valuer, track, last) {
  const start = valuer.worth(track[0]?.saved ?? last), seats = start.map(() => ({ luck: 0, costs: 0, given: 0 })), steps = [];
  let now = start;
  for (const [i, { saved, step, move }] of track.entries()) {
    await new Promise((go) => setTimeout(go, 0));
    const after = valuer.worth(track[i + 1]?.saved ?? last), changes = after.map((value, seat) => value - now[seat]);
    const one = { step: i + 1, before: now, after };
    if (step.roll) seats.forEach((seat, k) => { seat.luck += changes[k]; });
    else {
      const own = seats.length > 1 ? step.seat : 0;
      Object.assign(one, { seat: own, kind: step.kind, move, best: valuer.best(saved).move, cost: seats.length > 1 ? -changes[own] : -optimal.sign * changes[own] });
      seats.forEach((seat, k) => { seat[k === own ? "costs" : "given"] += k === own ? one.cost : changes[k]; });
    }
    steps.push(one);
    now = after;
  }
  return { steps, seats: seats.map((seat, k) => ({ ...seat, start: start[k], result: now[k] })) };
}

const points = (optimal, value) => (optimal.chance ? (100 * value).toFixed(2) : value.toFixed(3)).replace(/^-(0\.0+)$/, "$1");
export const worthText = (optimal, value) => `${points(optimal, value)}${optimal.chance ? " %" : ""}`;
const tally = (optimal) => optimal.objective.replace(/^\w+:/, "").replace(/_/g, " ");

// What moves are worth, as the coach says it; the best first.
export function coached(optimal, options, named) {
  const best = options[0].worth;
  const rows = options.slice(0, 8).map(({ move, worth }) => [named(move), worthText(optimal, worth), points(optimal, Math.abs(best - worth))]);
  return table("What moves are worth", ["move", optimal.chance ? "chance to win, then" : `${tally(optimal)} at the end`, "loss"], rows);
}

// A review as elements. `told` gives a seat and a move their words.
export function reviewElement(optimal, { steps, seats }, told) {
  const unit = optimal.chance ? "In points of winning chance" : `In ${tally(optimal)}`;
  const sums = ["start", "luck", "costs", "given", "result"];
  const worst = seats.flatMap((_, seat) => steps.filter((one) => one.seat === seat && one.cost > CLOSE).sort((a, b) => b.cost - a.cost).slice(0, WORST));
  const chart = new Chart(optimal.chance ? "Chance to win" : `Expected ${tally(optimal)}`, "review"), shown = seats.length === 2 ? [told.shown] : seats.keys();
  const series = [...shown].map((k) => ({ label: told.player(k), points: [[0, seats[k].start], ...steps.map((one) => [one.step, one.after[k]])] }));
  chart.show(drawLines(series, { label: "steps", y: optimal.chance ? (v) => percent(v, 1) : (v) => v.toFixed(2) }), series.map((one) => one.label).join(", "));
  return el("div", { class: "review" }, el("h3", {}, "Luck and skill"), chart.element,
    el("p", { class: "help" }, `${unit}: result = start + luck − own costs + others' errors, as dicelab review computes them.`),
    table("The game", ["player", "start", "luck", "own costs", "others' errors", "result"], seats.map((seat, k) => [told.player(k), ...sums.map((name) => points(optimal, seat[name]))])),
    worst.length ? table("Worst decisions", ["player", "step", "move", "cost", "better"], worst.map((one) => [told.player(one.seat), String(one.step), told.move(one, one.move), points(optimal, one.cost), told.move(one, one.best)]))
      : el("p", {}, "Every decision was a best one."));
}
