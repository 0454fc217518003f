// Optimal play: the values of states in which turns begin are in the page; those within a turn are found from them.

const MOST_STATES = 60000, SWEEPS = 10000, SETTLED = 1e-13;

// Numbers of four bytes, of which the lowest bytes of all come first.
export function numbersOf(bytes, from, many) {
  return Float64Array.from({ length: many }, (_, i) =>
    bytes[from + i] + 256 * bytes[from + many + i] + 65536 * bytes[from + 2 * many + i] + 16777216 * bytes[from + 3 * many + i]);
}

// The values to the first seat, without what was counted before.
export class Optimal {
  constructor(about, bytes) {
    Object.assign(this, about);
    this.places = numbersOf(bytes, 0, about.states);
    for (let i = 1; i < about.states; i++) this.places[i] += this.places[i - 1];
    this.levels = numbersOf(bytes, 4 * about.states, about.states);
  }

  // Whether the values belong to the parameters that a visitor has chosen.
  fits(game, point) {
    return Object.keys(game.varied).every((name, i) => point.at[i] === game.values[name]);
  }

  // The value of a state that is in the page; null if it isn't.
  known(cells) {
    let place = 0;
    for (let i = 0; i < this.size.length; i++) {
      const digit = Number(cells[i]) - this.low[i];
      if (digit < 0 || digit >= this.size[i]) return null;
      place = place * this.size[i] + digit;
    }
    let low = 0, high = this.states;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.places[middle] < place) low = middle + 1; else high = middle;
    }
    return this.places[low] === place ? this.first + this.step * this.levels[low] : null;
  }
}

// Values the states of a game that is played with a stepper; the stepper is left as it was.
export class Valuer {
  constructor(optimal, stepper) {
    Object.assign(this, { optimal, stepper, nodes: new Map(), chances: new Map(), two: stepper.point.seats > 1 });
  }

  // What each seat has got and may still expect, in a saved state.
  worth(saved) {
    const value = this.counted(saved) + this.toCome(saved);
    return this.two ? [value, 1 - value] : [value];
  }

  counted({ counted }) { return this.optimal.tally < 0 ? 0 : Number(counted[this.optimal.tally]); }

  // 1 where a larger value is better for a seat.
  side(seat) { return this.two && seat === 1 ? -1 : this.optimal.sign; }

  // The allowed moves in a saved state in which a seat chooses: [{move, worth to that seat}], the best one first.
  // Of moves that are equally good, one that the rules call sensible comes first.
  options(saved) {
    return this.aside(() => {
      this.stepper.restore(saved);
      const { seat } = this.stepper.step, side = this.side(seat);
      const found = this.stepper.moves().map(({ move, sensible }) => {
        this.stepper.restore(saved);
        this.stepper.make(move);
        return { move, sensible, worth: this.worth(this.stepper.save())[this.two ? seat : 0] };
      });
      const sign = this.two ? 1 : side;
      return found.sort((a, b) => sign * (b.worth - a.worth));
    });
  }

  best(saved) {
    const found = this.options(saved);
    return found.find((one) => one.sensible) ?? found[0];
  }

  aside(what) {
    const before = this.stepper.save();
    try { return what(); } finally { this.stepper.restore(before); }
  }

  toCome(saved) {
    return this.aside(() => {
      const at = this.arrive(saved);
      return typeof at === "number" ? at : this.valued(at);
    });
  }

  // The value of a state, or the key of one that is to be valued.
  arrive(saved) {
    this.stepper.restore(saved);
    if (!this.stepper.step) return this.optimal.tally < 0 ? this.optimal.prize[this.stepper.outcome] : 0;
    const stored = this.optimal.known(saved.cells);
    if (stored !== null) return stored;
    const key = saved.cells.subarray(0, this.optimal.size.length).join();
    if (!this.nodes.has(key)) this.nodes.set(key, { saved, value: null, edges: null, side: 0 });
    return key;
  }

  // Follow the rules from a state to all states that are not in the page, and value these together.
  valued(key) {
    const first = this.nodes.get(key);
    if (first.value !== null) return first.value;
    const found = [], waiting = [key];
    for (const now of waiting) {
      const node = this.nodes.get(now);
      if (node.value !== null || node.edges) continue;
      if (found.length > MOST_STATES) { this.nodes.clear(); throw new Error("its value is too far from the values in this page"); }
      node.edges = this.edges(node);
      found.push(node);
      for (const edge of node.edges) if (typeof edge.to !== "number") waiting.push(edge.to);
    }
    for (const node of found) {
      node.value = 0;
      for (const edge of node.edges) if (typeof edge.to !== "number") edge.node = this.nodes.get(edge.to);
    }
    found.reverse();
    for (let sweep = 0, change = 1; change > SETTLED; sweep++) {
      if (sweep === SWEEPS) { this.nodes.clear(); throw new Error("the game comes back to this state again and again"); }
      change = 0;
      for (const node of found) {
        const value = worthOf(node);
        change = Math.max(change, Math.abs(value - node.value) / Math.max(1, Math.abs(value)));
        node.value = value;
      }
    }
    for (const node of found) { node.edges = []; node.saved = null; }
    return first.value;
  }

  // What the rolls or the sensible moves in a state lead to: {chance, gain, to}.
  edges(node) {
    const { stepper } = this, from = this.counted(node.saved);
    stepper.restore(node.saved);
    const step = stepper.step;
    const after = (chance, go) => {
      stepper.restore(node.saved);
      go();
      const saved = stepper.save();
      return { chance, gain: this.counted(saved) - from, to: this.arrive(saved) };
    };
    if (step.roll) {
      const name = `${step.kind} ${step.dice}`;
      if (!this.chances.has(name)) this.chances.set(name, stepper.outcomes());
      const outcomes = this.chances.get(name);
      if (!outcomes) throw new Error("its dice are drawn one at a time");
      return outcomes.map(([outcome, chance]) => after(chance, () => stepper.apply(outcome)));
    }
    node.side = this.side(step.seat);
    const moves = stepper.moves(), sensible = moves.filter((one) => one.sensible);
    return (sensible.length ? sensible : moves).map(({ move }) => after(1, () => stepper.make(move)));
  }
}

function worthOf({ edges, side }) {
  let sum = 0, best = -Infinity;
  for (const { chance, gain, to, node } of edges) {
    const value = gain + (node ? node.value : to);
    if (side) best = Math.max(best, side * value); else sum += chance * value;
  }
  return side ? side * best : sum;
}
