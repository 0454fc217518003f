// The kernels of a game, compiled to WebAssembly: their arguments are laid out in the memory that they share.

const BYTES = { i64: 8, u64: 8, i32: 4, u32: 4, u8: 1 };
const VIEWS = { i64: BigInt64Array, u64: BigUint64Array, i32: Int32Array, u32: Uint32Array, u8: Uint8Array };
const PAGE = 65536, STACK = 1 << 20;
export const LOWEST = -1024, BINS = 4096;
const GAMES = 64, SPILL = 4096, PREFILL = 4, LISTABLE = 4096, SEEN = 256;
const MANY = { DONE: 0, FULL: 5 };

// Collects arrays, then puts them into one memory; an argument list has seven or more numbers for each of them.
class Arguments {
  constructor(kernel) {
    this.kernel = kernel;
    this.end = kernel.data * PAGE + STACK;
    this.arrays = {};
    this.list = [this.place(16), this.place(16)];
  }

  place(size) {
    const at = (this.end + 15) & ~15;
    this.end = at + size;
    return at;
  }

  number(value) {
    this.list.push(BigInt(value));
  }

  array(name, type, shape, data = null) {
    const items = shape.reduce((a, b) => a * b, 1);
    const at = this.place(Math.max(1, items) * BYTES[type]);
    const strides = shape.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, BYTES[type]));
    this.list.push(0, 0, BigInt(items), BigInt(BYTES[type]), at, ...shape.map(BigInt), ...strides.map(BigInt));
    this.arrays[name] = { type, at, items, data };
  }

  async start() {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(this.end / PAGE) + 1 });
    const pointer = new WebAssembly.Global({ value: "i32", mutable: true }, this.kernel.data * PAGE + STACK);
    const env = { __linear_memory: memory, __stack_pointer: pointer, NRT_MemInfo_call_dtor() {} };
    const { instance } = await WebAssembly.instantiate(this.kernel.code, { env });
    const views = {};
    for (const [name, { type, at, items, data }] of Object.entries(this.arrays)) {
      const view = views[name] = new VIEWS[type](memory.buffer, at, items);
      if (data) view.set(BYTES[type] === 8 ? data.map(BigInt) : data);
    }
    const top = this.kernel.data * PAGE + STACK;
    const call = (list) => {
      pointer.value = top;
      return instance.exports.kernel(...list);
    };
    const result = () => Number(new BigInt64Array(memory.buffer, this.list[0], 1)[0]);
    return { views, call, result, list: this.list };
  }
}

// The arguments that depend on parameters and strategies, in the order of `KernelSetting`, then the rows of the game.
function addSetting(args, point, seats) {
  const [many, wide] = point.args;
  const values = Array(many * wide).fill(0), who = Array(many).fill(0);
  seats.forEach((seat, i) => {
    who[i] = seat.strategy;
    seat.args.forEach((value, j) => { values[i * wide + j] = value; });
  });
  args.array("params", "i64", [point.params.length], point.params);
  args.array("args", "i64", point.args, values);
  args.array("who", "i64", [many], who);
  args.array("starts", "i64", [point.starts.length], point.starts);
  args.array("spans", "i64", point.spans.shape, point.spans.data);
  point.rows.forEach((shape, i) => args.array(`row${i}`, "i64", shape));
}

function addTables(args, table) {
  const types = { kinds: "i64", pools: "u64", guide: "i32", sums: "u64", values: "i64", apart: "i64" };
  for (const [name, type] of Object.entries(types)) args.array(name, type, table[name].shape, table[name].data);
  args.number(table.width);
}

export function halves(seed) {
  const whole = BigInt.asUintN(64, BigInt(seed));
  return [whole & 0xffffffffn, whole >> 32n];
}

// Many games at once. What it counts is taken with `take`, which also empties it.
export class Simulator {
  static async of(kernel, game, point, seats, seed) {
    const one = new Simulator();
    const args = new Arguments(kernel), tallies = game.tallies.length, outcomes = Math.max(1, point.outcomes.length);
    for (const value of [...halves(seed), 0, 0, 1, game.limit]) args.number(value);
    addSetting(args, point, seats);
    args.array("first", "u32", [PREFILL * 4 * GAMES]);
    args.array("more", "u32", [4 * GAMES]);
    addTables(args, game.tables[point.dice]);
    args.array("counts", "i64", [outcomes]);
    args.array("hist", "i64", [outcomes, tallies, BINS]);
    args.array("spill", "i64", [SPILL + tallies, 3]);
    args.array("report", "i64", [3]);
    args.array("records", "i64", [0, 1 + tallies]);
    args.array("resumed", "i64", [0, 0]);
    return Object.assign(one, { tallies, outcomes, prefill: 1, ...(await args.start()) });
  }

  // Play games `low` to `high - 1`; returns how many were counted, and the games that could not be played.
  play(low, high) {
    const failed = [], spilled = [];
    let games = 0;
    while (low < high) {
      const list = this.list.slice();
      list[4] = BigInt(low); list[5] = BigInt(high); list[6] = BigInt(this.prefill);
      this.views.report.fill(0n);
      let status = -1;
      try {
        status = this.call(list) === 0 ? this.result() : -1;
      } catch { /* a trap: the game is counted as failed */ }
      const [played, throws, spill] = Array.from(this.views.report, Number);
      const rows = this.views.spill;
      for (let i = 0; i < 3 * spill; i += 3) spilled.push([Number(rows[i]), Number(rows[i + 1]), Number(rows[i + 2])]);
      games += played;
      low += played;
      if (status !== MANY.DONE && status !== MANY.FULL) failed.push(low++);
      else if (played >= GAMES) this.tune(played, throws);
    }
    return { games, failed, spilled };
  }

  // Choose how many blocks of the stream to compute ahead; affects speed only.
  tune(games, throws) {
    this.prefill = Math.min(PREFILL, Math.max(1, Math.floor(throws / (4 * games))));
  }

  // What was counted since the last call: games by outcome, and for each outcome and tally [lowest, counts].
  take() {
    const { counts, hist } = this.views, found = [];
    for (let k = 0; k < this.outcomes * this.tallies; k++) {
      const part = hist.subarray(k * BINS, (k + 1) * BINS);
      let low = 0, high = BINS - 1;
      while (low < BINS && part[low] === 0n) low++;
      while (high > low && part[high] === 0n) high--;
      found.push(low === BINS ? [0, []] : [low + LOWEST, Array.from(part.subarray(low, high + 1), Number)]);
      part.fill(0n);
    }
    const totals = Array.from(counts, Number);
    counts.fill(0n);
    return { counts: totals, hist: found };
  }
}

const BEGIN = 0, ROLL = 1, OUTCOME = 2, CHOOSE = 3, MOVE = 4, LIST = 5, ROWS = 6;
const OK = 0, REFUSED = 2;

// One game, step by step. A position is what `save` returns; it can be restored at any time.
export class Stepper {
  static async of(kernel, game, point, seats, seed, index = 0) {
    const one = new Stepper();
    const args = new Arguments(kernel), tallies = game.tallies.length;
    const cells = point.cells.reduce((sum, [, many]) => sum + Math.max(1, many), 0);
    const widest = point.spans.shape[1];
    halves(seed).forEach((half) => args.number(half));
    addSetting(args, point, seats);
    addTables(args, game.tables[point.dice]);
    args.array("cells", "i64", [cells]);
    args.array("counted", "i64", [tallies]);
    args.array("call", "i64", [5]);
    args.array("move", "i64", [widest]);
    args.array("options", "i64", [LISTABLE + 1, widest]);
    args.array("sensible", "u8", [LISTABLE + 1]);
    args.array("seen", "i64", [SEEN]);
    Object.assign(one, { game, point, widest, rolls: 0, ...(await args.start()) });
    one.views.call[4] = BigInt(index);
    return one;
  }

  run(what, number = 0) {
    const { call } = this.views;
    call[0] = BigInt(what); call[1] = BigInt(this.rolls); call[2] = BigInt(number);
    let status = -1;
    try {
      status = this.call(this.list) === 0 ? this.result() : -1;
    } catch { /* a trap */ }
    if (status !== OK && status !== REFUSED) throw new Error("a rule went wrong, or numbers need more than 64 bits");
    return status === OK;
  }

  begin() { this.rolls = 0; this.run(BEGIN); }

  // What the game asks for: null when it is over; else a roll with its kind and number of dice, or a choice with its seat.
  get step() {
    const at = Number(this.views.call[3]);
    if (at === -1) return null;
    const part = at >= 0 ? at : -2 - at;
    return at >= 0
      ? { roll: true, kind: part >> 16, dice: part & 65535 }
      : { roll: false, kind: part >> 16, seat: part & 65535 };
  }

  get outcome() { return Number(this.views.call[2]); }

  received(step) {
    const kinds = this.game.tables[this.point.dice].kinds;
    return Array.from(this.views.seen.subarray(0, kinds.data[3 * step.kind + 2]), Number);
  }

  roll() {
    const step = this.step;
    this.run(ROLL);
    this.rolls++;
    return this.received(step);
  }

  apply(outcome) { this.run(OUTCOME, outcome); }

  // All outcomes of the roll that is asked for: [number, weight]; null if they are drawn one die at a time.
  outcomes() {
    const { kinds, pools, guide, sums, apart, width } = this.tablesNow();
    const { kind, dice } = this.step, row = kinds[3 * kind] + dice;
    if (apart[4 * row]) return null;
    const weight = Number(pools[4 * row]), first = guide[Number(pools[4 * row + 3])];
    let i = first >= 0 ? first / width : ~first, below = 0;
    const found = [];
    while (below < weight) {
      found.push([i, (Number(sums[i]) - below) / weight]);
      below = Number(sums[i++]);
    }
    return found;
  }

  tablesNow() {
    const table = this.game.tables[this.point.dice], get = (name) => table[name].data;
    return { kinds: get("kinds"), pools: get("pools"), guide: get("guide"), sums: get("sums"), apart: get("apart"),
             width: table.width };
  }

  moveNow(decision) { return Array.from(this.views.move.subarray(0, decision.kinds.length), Number); }

  choose() {
    const decision = this.game.decisions[this.step.kind];
    this.run(CHOOSE);
    return this.moveNow(decision);
  }

  // Ask for another choice than the rules do, to see what its moves would do; `restore` undoes it.
  askFor(kind, seat) { this.views.call[3] = BigInt(-2 - ((kind << 16) | seat)); }

  make(move) {
    this.views.move.fill(0n);
    move.forEach((value, i) => { this.views.move[i] = BigInt(value); });
    return this.run(MOVE);
  }

  // The moves that are allowed: [{move, sensible}].
  moves() {
    const wide = this.game.decisions[this.step.kind].kinds.length;
    this.run(LIST);
    const many = Number(this.views.call[2]), { options, sensible } = this.views;
    return Array.from({ length: many }, (_, n) => ({
      move: Array.from(options.subarray(n * this.widest, n * this.widest + wide), Number),
      sensible: sensible[n] !== 0,
    }));
  }

  openRows(many) {
    this.run(ROWS);
    return Array.from(this.views.sensible.subarray(0, many), Boolean);
  }

  save() {
    const { cells, counted, call } = this.views;
    return { cells: cells.slice(), counted: counted.slice(), call: call.slice(), rolls: this.rolls };
  }

  restore(saved) {
    for (const name of ["cells", "counted", "call"]) this.views[name].set(saved[name]);
    this.rolls = saved.rolls;
  }

  // The fields of the state and the tallies, as numbers and lists.
  read(saved = this.save()) {
    const state = {};
    let at = 0;
    for (const [name, many] of this.point.cells) {
      const values = Array.from(saved.cells.subarray(at, at + Math.max(1, many)), Number);
      if (name) state[name] = many ? values : values[0];
      at += Math.max(1, many);
    }
    this.game.tallies.forEach(({ name }, i) => { state[name] = Number(saved.counted[i]); });
    return state;
  }
}
