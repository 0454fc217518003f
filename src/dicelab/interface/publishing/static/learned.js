// A learned player: a network in whole numbers says what states are worth when the choices of a seat are over.
import { el, table } from "./dom.js";
import { numbersOf } from "./optimal.js";
import { percent } from "./numbers.js";

const UNIT = 64, FINE = 4096, KNOTS = 16, UP_TO = 1, BETWEEN = 2, DIGITS = 3, MIDDLE = 2 ** 31;
const MOST_NODES = 2048, MOST_EDGES = 8192, SHOWN = 8;

export class Learned {
  constructor(about, bytes) {
    Object.assign(this, about);
    this.first = numbersOf(bytes, 0, bytes.length / 4).map((number) => number - MIDDLE);
  }

  // Whether the values belong to the parameters that a visitor has chosen.
  fits(game, point) {
    return Object.keys(game.varied).every((name, i) => point.at[i] === game.values[name]);
  }

  // What a saved state is worth to each seat; as `Network.worth` in Python, of which all numbers are whole ones.
  worth({ cells, counted }) {
    const { view, single, turn, spans, bias, second, end, least, span, seats, first } = this, size = bias.length;
    const at = (column) => Number(column < this.numbers ? cells[column] : counted[column - this.numbers]);
    const by = turn >= 0 ? at(turn) : 0, hidden = Float64Array.from(bias, (one) => UNIT * one), found = Array(seats);
    const light = (input, share) => { for (let h = 0; h < size; h++) hidden[h] += share * first[input * size + h]; };
    for (const [place, low, high, coding, begin] of spans) {
      let number = at(view[by][place]);
      if (single[place] && number >= 0 && turn >= 0) number = (number - by + seats) % seats;
      number = Math.min(Math.max(number, low), high) - low;
      if (coding < UP_TO) light(begin + number, UNIT);
      else if (coding < BETWEEN) for (let i = 0; i < number; i++) light(begin + i, UNIT);
      else {
        const scaled = Math.floor(number * (KNOTS - 1) * UNIT / (high - low)), below = Math.floor(scaled / UNIT), rest = scaled % UNIT;
        light(begin + below, UNIT - rest);
        light(begin + Math.min(below + 1, KNOTS - 1), rest);
        if (coding === DIGITS) for (let bit = 0; number >= 2 ** bit; bit++) if (number >> bit & 1) light(begin + KNOTS + bit, UNIT);
      }
    }
    for (let s = 0; s < seats; s++) {
      let total = FINE * end[s];
      for (let h = 0; h < size; h++) total += Math.floor(Math.max(hidden[h], 0) / UNIT) * second[h][s];
      found[(s + by) % seats] = least[s] + span[s] * (total / FINE ** 2);
    }
    return found;
  }
}

// What the moves of a game that is played with a stepper are worth; the stepper is left as it was.
export class LearnedValuer {
  constructor(learned, stepper) { Object.assign(this, { learned, stepper }); }

  // What each seat gets in a game that is over.
  ended({ counted }, outcome) {
    const { prizes, signs, seats } = this.learned;
    return Array.from({ length: seats }, (_, s) => signs.reduce((sum, each, k) => sum + each[s] * Number(counted[k]), prizes[outcome][s]));
  }

  // The sensible moves in a saved state: [{move, sensible, worth to the seat that chooses}], the best one first. A move
  // is worth what the best of the states is to which it can lead before the next roll, or another seat's choice.
  options(saved) {
    const { stepper } = this, before = stepper.save();
    try {
      stepper.restore(saved);
      const { seat } = stepper.step, nodes = [], places = new Map(), firsts = [];
      const node = (state) => {
        const key = `${state.cells.join()} ${state.counted.join()}`;
        if (!places.has(key)) { places.set(key, nodes.length); nodes.push({ saved: state, edges: [], value: -Infinity, over: false }); }
        return places.get(key);
      };
      node(saved);
      for (let n = 0, made = 0; n < nodes.length; n++) {
        const one = nodes[n];
        stepper.restore(one.saved);
        const { step } = stepper;
        if (!step || step.roll || step.seat !== seat || (n && (nodes.length > MOST_NODES || made > MOST_EDGES))) {
          one.over = !step;
          one.value = (step ? this.learned.worth(one.saved) : this.ended(one.saved, stepper.outcome))[this.learned.seats > 1 ? seat : 0];
          continue;
        }
        const moves = stepper.moves(), sensible = moves.filter((move) => move.sensible);
        for (const { move } of sensible.length ? sensible : moves) {
          stepper.restore(one.saved);
          stepper.make(move);
          const to = node(stepper.save());
          if (!n) firsts.push({ move, sensible: true, to });
          one.edges.push(to);
        }
        made += new Set(one.edges).size;
      }
      for (let changed = true; changed;) {
        changed = false;
        for (let n = nodes.length - 1; n >= 0; n--) {
          const best = nodes[n].edges.reduce((most, to) => Math.max(most, nodes[to].value), -Infinity);
          if (best > nodes[n].value) { nodes[n].value = best; changed = true; }
        }
      }
      const ranked = firsts.map(({ move, sensible, to }) => ({ move, sensible, worth: nodes[to].value, over: nodes[to].over }));
      return ranked.sort((a, b) => b.worth - a.worth || Number(b.over) - Number(a.over));
    } finally { stepper.restore(before); }
  }

  best(saved) { return this.options(saved)[0]; }
}

export function coachedLearned(learned, options, named) {
  const shown = (value) => learned.chance ? percent(value) : value.toFixed(2), best = options[0].worth;
  const rows = options.slice(0, SHOWN).map(({ move, worth }) => [named(move), shown(learned.sign * worth), worth === best ? "best" : shown(best - worth)]);
  return el("div", {}, table("What moves are worth, as the learned player estimates it", ["move", learned.what, "loss"], rows),
    el("p", { class: "help" }, `Values ${learned.solved}: estimates, and nothing bounds their error.`));
}
