// Mixed strategies of both players of a game with hidden dice: what they do in each situation, and what moves are worth.
import { el, table } from "./dom.js";
import { percent } from "./numbers.js";

const LUCK_LANES = 2n ** 31n, WORD32 = 0xffffffffn;

// The first word of a block of the stream (docs/stream.md): Philox4x32-10.
function philoxWord(seed, block, lane) {
  let [k0, k1] = [seed & WORD32, seed >> 32n], c = [block, lane, 0n, 0n];
  for (let round = 0; round < 10; round++) {
    const p0 = 0xd2511f53n * c[0], p1 = 0xcd9e8d57n * c[2];
    c = [(p1 >> 32n) ^ c[1] ^ k0, p1 & WORD32, (p0 >> 32n) ^ c[3] ^ k1, p0 & WORD32];
    k0 = (k0 + 0x9e3779b9n) & WORD32;
    k1 = (k1 + 0xbb67ae85n) & WORD32;
  }
  return c[0];
}

// The number below `weight` that choice number `choice` of game 0 of a seed draws.
export function drawBelow(seed, choice, weight) {
  const many = BigInt(weight), least = (WORD32 + 1n) % many;
  for (let lane = LUCK_LANES; ; lane += 2n) {
    const product = philoxWord(BigInt.asUintN(64, BigInt(seed)), BigInt(choice), lane) * many;
    if ((product & WORD32) >= least) return Number(product >> 32n);
  }
}

export class Mixed {
  constructor(about, data) {
    Object.assign(this, about, data);
    this.places = new Map();
    this.first = [0];
    this.seats.forEach((seat, k) => {
      this.places.set([seat, this.made[k], ...this.numbers.map((column) => column[k])].join(), this.at[k]);
    });
    this.many.forEach((many, k) => this.first.push(this.first[k] + many));
  }

  fits(game, point) {
    return Object.keys(game.varied).every((name, i) => point.at[i] === game.values[name]);
  }

  // The options of a seat in a saved state: [{move, weight, share, worth, after}]; `made` is what it remembers of its last one.
  options(seat, cells, made) {
    const seen = this.columns.map((column, i) => this.hidden[seat][i] ? this.low[i] : Number(cells[column]));
    const k = this.places.get([seat, made, ...seen].join()) ?? this.places.get([seat, 0, ...seen].join()); // 0: a round begins
    if (k === undefined) throw new Error("the mixed strategies don't know this situation");
    const found = Array.from({ length: this.many[k] }, (_, i) => this.first[k] + i);
    const total = found.reduce((sum, n) => sum + this.weights[n], 0);
    return found.map((n) => ({ move: this.moves.map((column) => column[n]), weight: this.weights[n], share: this.weights[n] / total, worth: this.worths[n], after: this.after[n] }));
  }

  // The options of a seat after the steps so far.
  now(track, seat, cells) {
    let made = 0;
    for (const { saved, step, move } of track) {
      if (!step.roll && step.seat === seat) made = this.options(seat, saved.cells, made).find((one) => isMove(one.move, move)).after;
    }
    return this.options(seat, cells, made);
  }

  // The move that the strategies draw.
  drawn(track, seat, cells, seed) {
    const options = this.now(track, seat, cells), choice = track.filter(({ step }) => !step.roll).length;
    let left = drawBelow(seed, choice, options.reduce((sum, one) => sum + one.weight, 0));
    return options.find((one) => (left -= one.weight) < 0).move;
  }
}

const isMove = (option, move) => move.every((value, i) => value === option[i]);

// What the moves are worth by what the seat has seen, what they lose, and how often the strategies make them.
export function coachedMixed(mixed, options, named) {
  if (options.some(({ worth }) => worth === null)) return el("p", { class: "help" }, "The equilibrium never leads here, so that it doesn't say what moves are worth.");
  const best = Math.max(...options.map(({ worth }) => worth)), shown = (value) => mixed.payoffs ? value.toFixed(4) : percent(value);
  const sorted = [...options].sort((a, b) => b.share - a.share || b.worth - a.worth).slice(0, 10);
  const rows = sorted.map(({ move, share, worth }) => [named(move), percent(share, 0), shown(worth), best - worth < 5e-7 ? "best" : shown(best - worth)]);
  return table("What moves are worth, and how often an equilibrium makes them", ["move", "how often", mixed.payoffs ? "payoff, then" : "chance to win, then", "loss"], rows);
}
