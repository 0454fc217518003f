// A game in its own words: names of values and moves, what has happened, and the parts of its board.
import { el, svg } from "./dom.js";
import { playerName } from "./setup.js";

const grouped = (n) => n.toLocaleString("en-US");
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export class Words {
  constructor(game, point, values, names) {
    Object.assign(this, { game, point, values, names });
    const turn = Object.entries(game.state).find(([, field]) => field.turn);
    this.turnField = turn?.[0] ?? "";
  }

  // The value of an expression that Python made from a method of the game: [operation, ...].
  evaluate(expression, state, given = {}) {
    const [what, ...parts] = expression, all = () => parts.map((part) => this.evaluate(part, state, given));
    switch (what) {
      case "number": case "list": return parts[0];
      case "name": return parts[0] in given ? given[parts[0]] : parts[0] in state ? state[parts[0]] : this.values[parts[0]];
      case "item": { const [row, i] = all(); return row[i < 0 ? i + row.length : i]; }
      case "text": return all().map((v) => typeof v === "number" ? String(v) : v).join("");
      case "group": return grouped(all()[0]);
      case "if": return this.evaluate(this.evaluate(parts[0], state, given) ? parts[1] : parts[2], state, given);
      case "min": return Math.min(...all().flat());
      case "max": return Math.max(...all().flat());
      case "sum": return all().flat().reduce((a, b) => a + Number(b), 0);
      case "len": return all()[0].length;
      case "abs": return Math.abs(all()[0]);
      case "not": return !all()[0];
      case "and": return all().every(Boolean);
      case "or": return all().some(Boolean);
      case "in": { const [value, row] = all(); return row.includes(value); }
      default: { const [a, b] = all(); return OPERATIONS[what](a, b); }
    }
  }

  valueName(name, value, low = this.game.state[name]?.low ?? 0) {
    const known = this.game.value_names[name];
    if (!known) return null;
    if (known.bits) return known.bits.filter((_, k) => Math.floor(value / 2 ** k) % 2).join(" ") || "nothing";
    return known.map ? known.map[value] ?? null : known.names[value - low] ?? null;
  }

  span(decision, place) {
    const { data, shape } = this.point.spans, at = 2 * (decision * shape[1] + place);
    return [data[at], data[at + 1]];
  }

  // A move as a saved game has it: names of moves, faces of dice, else numbers; seats from 1.
  described(decision, move) {
    if (decision.keep) return decision.keep.faces.flatMap((face, k) => Array(move[k]).fill(face)).join(" ") || "nothing";
    return move.map((value, i) => {
      const kind = decision.kinds[i];
      return kind.names ? kind.names[value - kind.low] : String(kind.seat ? value + 1 : value);
    }).join(" ");
  }

  moveName(kind, move, state = null) {
    const { game } = this, decision = game.decisions[kind];
    const text = game.moves?.[`${decision.name} ${move.join(" ")}`] ?? game.moves?.[decision.name];
    if (text !== undefined && state) {
      const given = this.received(decision, move), known = this.known(state);
      decision.kinds.forEach((one, i) => { if (one.seat && decision.received[i] in given) given[decision.received[i]] = move[i] + 1; });
      return this.filled(text, { ...known, ...given });
    }
    if (move.length === 1) {
      const name = this.valueName(decision.name, move[0], this.span(kind, 0)[0]);
      if (name !== null) return name;
    }
    return this.described(decision, move);
  }

  received(step, values) {
    if (step.received.length !== values.length) return {};
    return Object.fromEntries(step.received.map((name, i) => [name, this.valueName(step.name, values[i]) ?? values[i]]));
  }

  // What names in braces stand for: parameters, single fields and tallies, and what follows from the state.
  known(state) {
    const found = {};
    for (const p of this.game.params) found[p.name] = p.names ? p.names[this.values[p.name] - p.low] : this.values[p.name];
    for (const [name, value] of Object.entries(state)) if (!Array.isArray(value)) found[name] = this.valueName(name, value) ?? value;
    for (const [name, expression] of Object.entries(this.game.derived ?? {})) found[name] = this.evaluate(expression, state);
    return found;
  }

  // A sentence with what stands in its braces and brackets.
  filled(text, known) {
    const listed = text.replace(/\[([^\]]*)\]/g, (_, inner) => {
      const [parts, otherwise = ""] = inner.split(";");
      const there = parts.split(",").map((part) => part.trim()).filter((part) => [...part.matchAll(/\{(\w+)\}/g)].every(([, name]) => known[name] !== 0));
      return there.length > 1 ? `${there.slice(0, -1).join(", ")} and ${there.at(-1)}` : there.join("") || otherwise.trim();
    });
    return listed.replace(/\{(\w+)\}(?:( )(\w+))?/g, (whole, name, blank = "", noun = "") => {
      const value = known[name] ?? `{${name}}`;
      const one = value === 1 && noun.length > 3 ? (noun === "dice" ? "die" : noun.replace(/s$/, "")) : noun;
      return `${typeof value === "number" ? grouped(value) : value}${blank}${one}`;
    });
  }

  mover(state) { return this.turnField ? state[this.turnField] : 0; }

  change(before, after, name, seat) {
    const one = before[name], two = after[name];
    if (!Array.isArray(one)) return two - one;
    const at = seat >= 0 && seat < one.length ? seat : 0;
    return two[at] - one[at];
  }

  // What a move adds to the first score that it changes; null if the game declares none.
  gain(before, after, seat) {
    if (!this.game.scores.length) return null;
    return this.game.scores.map((name) => this.change(before, after, name, seat)).find((n) => n !== 0) ?? 0;
  }

  // What a step has done, in the sentences of the game. `moved` is the move in words, for a choice.
  news(before, after, step, values, moved) {
    const seat = this.mover(before), known = this.known(after), received = this.received(step, values);
    for (const name of Object.keys(before)) {
      const by = this.change(before, after, name, seat);
      known[name] = !Array.isArray(after[name]) && this.valueName(name, after[name]) !== null ? this.valueName(name, after[name]) : Math.abs(by);
    }
    const name = (this.names[seat] ?? `player ${seat + 1}`).replace(/ \(.*/, "");
    const player = this.point.players.includes(name) && name === name.toLowerCase() ? `the ${name}` : name;
    const all = { ...known, ...received, player, ...(moved ? { move: moved } : {}) };
    const exactly = `${step.name} ${values.join(" ")}`, found = [];
    const said = new Set([this.game.news.some(([what]) => what === exactly) ? exactly : step.name]);
    for (const [what, text] of this.game.news) {
      const [field, value] = what.split(" ");
      const happened = field in before && value !== undefined
        ? this.change(before, after, field, seat) !== 0 && Number(after[field]) === Number(value)
        : what in before ? this.change(before, after, what, seat) > 0 : said.has(what);
      if (happened) found.push(capital(this.filled(text, all)));
    }
    return found;
  }

  // What a step has changed on the board, for a game that says nothing itself.
  changes(before, after) {
    const rows = this.game.board.filter((part) => part.part === "places" && part.row in before).map((part) => part.row);
    return rows.flatMap((row) => before[row].flatMap((n, k) => {
      const each = this.game.state[row].by_seat ? before[row].length / this.names.length : 1, seat = this.names[Math.floor(k / each)] ?? k + 1;
      const who = this.game.value_names[row] ? placeName(this, row, before[row].length, k) : each > 1 ? `${seat}, ${k % each + 1}` : seat;
      return n === after[row][k] ? [] : [`${this.game.names[row]}, ${who}: ${grouped(n)} → ${grouped(after[row][k])}`];
    }));
  }

  ending(outcome, state) {
    const { game, point } = this, name = point.outcomes[outcome] ?? "";
    if (outcome < point.winners) return `${capital(this.names[outcome])} ${this.names[outcome] === "you" ? "win" : "wins"}.`;
    if (game.endings?.[name] !== undefined) return capital(`${this.filled(game.endings[name], this.known(state))}.`);
    if (["win", "lose"].includes(name) && point.players.length === 1) return `The ${point.players[0]} ${name}s.`;
    return name ? `The game is over: ${name.replace(/_/g, " ")}.` : "The game is over.";
  }
}

const OPERATIONS = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "//": (a, b) => Math.floor(a / b),
  "%": (a, b) => ((a % b) + b) % b, "==": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b,
  "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
  ">>": (a, b) => Math.floor(a / 2 ** b), "&": (a, b) => Number(BigInt(a) & BigInt(b)),
};

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

// A die, with pips or its label.
export function die(label, small = false) {
  const pips = PIPS[label], face = /^[a-z]+$/i.test(label) ? ` face-${label.toLowerCase()}` : "";
  const size = label.length > 4 ? "longest" : label.length > 2 ? "long" : "";
  return svg("svg", { class: `die${small ? " small" : ""}${face}`, viewBox: "0 0 100 100", role: "img", "aria-label": label },
    svg("rect", { x: 4, y: 4, width: 92, height: 92, rx: 16 }),
    pips ? pips.map((p) => svg("circle", { cx: 26 + 24 * (p % 3), cy: 26 + 24 * Math.floor(p / 3), r: 9 }))
      : svg("text", { x: 50, y: 64, class: size }, label.length > 8 ? label.slice(0, 7) : label));
}

const MANY_PLACES = 24; // of a row with more places only those that hold something are shown

// The parts of the board as elements. `now` has what each row of a sheet would score: {value: {gain, choose}}; `secrets`
// and `viewer` say what is hidden, and from whom; `asked` is the person who chooses, -1 for none.
export function board(words, state, { filled, open, now, picked, secrets, viewer, asked }) {
  const { game, point, names } = words, found = [];
  const hidden = (name) => secrets.any && Boolean(game.state[name]?.hidden);
  let sheetRow = 0;
  const title = (name) => el("span", { class: "title" }, game.names[name] ?? name.replace(/_/g, " "));
  const places = (name, cells) => el("div", { class: "lying" }, title(name), el("dl", { class: "state" }, cells));
  const cell = (name, value, marked) => el("div", { class: marked ? "turn" : null }, el("dt", {}, name), el("dd", {}, value));
  for (const part of game.board) {
    if (["dice", "track"].includes(part.part) && hidden(part.row ?? part.field)) continue;
    if (part.part === "places") {
      const row = state[part.row], own = game.value_names[part.row], each = game.state[part.row].by_seat ? row.length / names.length : 1;
      if (each > 1 && !own) { // a row for each player
        const line = (k) => hidden(part.row) && k !== viewer ? "?" : row.slice(k * each, (k + 1) * each).map(grouped).join(" ");
        found.push(places(part.row, names.map((name, k) => cell(name, line(k), k === words.mover(state)))));
        continue;
      }
      const by_seat = !own || game.state[part.row].hidden, turn = by_seat && names.length > 1 ? words.mover(state) : -1;
      const value = (n, k) => hidden(part.row) && k !== viewer ? "?" : (by_seat && own && words.valueName(part.row, n)) || grouped(n);
      const cells = row.map((n, k) => row.length > MANY_PLACES && n === 0 ? null : cell(by_seat ? names[k] ?? k + 1 : placeName(words, part.row, row.length, k), value(n, k), k === turn));
      if (cells.some(Boolean)) found.push(places(part.row, cells));
    } else if (part.part === "cups") {
      const row = state[part.row], each = row.length / names.length, lying = (seat) => Array.from({ length: each }, (_, face) => Array(row[seat * each + face]).fill(String(face + 1))).flat();
      const cup = (name, seat) => {
        const dice = hidden(part.row) && seat !== viewer ? [] : lying(seat), count = state[part.counts][seat];
        return cell(name, el("span", { class: "dice" }, dice.length === count ? dice.map((face) => die(face, true)) : Array.from({ length: count }, () => die("?", true))), seat === words.mover(state));
      };
      found.push(places(part.row, names.map(cup)));
    } else if (part.part === "numbers") {
      const shown = part.names.filter((name) => !hidden(name) && !(secrets.any && game.derived?.[name]));
      found.push(el("dl", { class: "state" }, shown.map((name) => numberCell(words, state, name, cell))));
    } else if (part.part === "dice" && part.row !== picked) {
      const value = state[part.row], keep = game.decisions.find((d) => d.keep?.dice === part.row);
      const faces = Array.isArray(value) ? value.flatMap((n, k) => Array(n).fill(keep?.keep.faces[k] ?? words.valueName(part.row, k, 0) ?? String(k + 1))) : value > 0 ? [String(value)] : [];
      if (faces.length) found.push(el("div", { class: "lying" }, title(part.row), el("span", { class: "dice" }, faces.map((face) => die(face)))));
    } else if (part.part === "facing") {
      found.push(...facing(words, state, part));
    } else if (part.part === "track") {
      found.push(track(words, state, part, title, asked >= 0 ? asked : Math.max(words.mover(state), 0)));
    } else if (part.part === "sheet") {
      const kind = game.decisions.findIndex((d) => d.name === part.choice), [low, high] = words.span(kind, 0), rows = [];
      for (let value = low; value <= high; value++, sheetRow++) {
        const is = now[value], free = open[sheetRow];
        const scores = names.map((_, seat) => filled[`${part.choice} ${value} ${seat}`]);
        const shown = is ? is.choose ? el("button", { type: "button", class: "quiet", onclick: is.choose, "aria-label": `${words.moveName(kind, [value])}: ${is.gain ?? ""} now` }, String(is.gain ?? "choose")) : `${is.gain ?? ""} now` : "";
        rows.push(el("tr", {}, el("th", { scope: "row" }, words.moveName(kind, [value])),
          scores.map((n, seat) => el("td", {}, n !== undefined ? String(n) : free || seat !== words.mover(state) ? "" : "–")), el("td", { class: "now" }, shown)));
      }
      const head = names.length > 1 ? el("thead", {}, el("tr", {}, el("th", { scope: "col" }, game.names[part.choice] ?? part.choice), names.map((n) => el("th", { scope: "col" }, n)), el("th", { scope: "col" }, "now"))) : null;
      found.push(el("table", { class: "sheet" }, head, el("tbody", {}, rows)));
    }
  }
  return found;
}

// The name of a place of a row; where the names go round for each player, with the player.
function placeName(words, row, length, k) {
  const own = words.game.value_names[row].names?.length ?? length;
  const many = words.game.state[row].by_seat && own !== length ? length / words.names.length : own, name = words.valueName(row, k % many, 0) ?? k + 1;
  return length > many && words.names.length > 1 ? `${words.names[Math.floor(k / many)]}, ${name}` : name;
}

function numberCell(words, state, name, cell) {
  const { game, names } = words, derived = game.derived?.[name], field = game.state[name];
  const param = game.params.find((p) => p.name === name), called = game.names[name] ?? name.replace(/_/g, " ");
  const value = derived ? words.evaluate(derived, state) : param ? words.values[name] : state[name];
  if (value === undefined) return null;
  if (param?.names) return cell(called, param.names[value - param.low]);
  if (typeof value === "string") return cell(called, value);
  if (Array.isArray(value)) return cell(called, value.join(", "));
  if (typeof value === "boolean" || field?.kind === "flag") return cell(called, value ? "yes" : "no");
  if (field?.kind === "seat") return cell(called, names[value] ?? "nobody");
  return cell(called, words.valueName(name, value) ?? grouped(value));
}

// A board on which the pieces of two players pass each other: two rows of points, from the player to move.
function facing(words, state, part) {
  const row = state[part.row], bar = row.length / 2 - 1, mover = Math.max(words.mover(state), 0), half = (bar - 1) / 2;
  const at = (seat, place) => row[seat * (bar + 1) + place];
  const number = (place) => el("th", { scope: "col" }, String(place));
  const pieces = (place) => {
    const own = at(mover, place), count = own || at(1 - mover, bar - place), mark = own ? "X" : "O";
    return el("td", {}, count ? el("span", { class: own ? "piece own" : "piece", role: "img", "aria-label": `${mark} ${count}` }, `${mark}${count}`) : null);
  };
  const far = Array.from({ length: half }, (_, k) => half + 1 + k), near = Array.from({ length: half }, (_, k) => half - k);
  const line = (places, cell) => el("tr", {}, places.map(cell));
  const said = [mover, 1 - mover].map((seat, k) => `${"XO"[k]} ${words.names[seat]}: ${at(seat, bar)} on the bar, ${at(seat, 0)} off`);
  return [el("table", { class: "facing" }, el("tbody", {}, [line(far, number), line(far, pieces), line(near, pieces), line(near, number)])), el("p", { class: "small" }, said.join("; "))];
}

function track(words, state, part, title, whose) {
  const { game, names } = words, value = state[part.field], known = game.value_names[part.field];
  const tile = (name, there) => el("span", { class: there ? "tile" : "tile gone", role: "img", "aria-label": there ? name : `${name}: gone` }, name);
  if (known?.bits) return el("div", { class: "lying" }, title(part.field), el("span", { class: "tiles" }, known.bits.map((name, k) => tile(name, Math.floor(value / 2 ** k) % 2))));
  if (!part.length) return el("div", { class: "lying" }, title(part.field), el("span", { class: "tiles" }, value.map((n, k) => tile(words.valueName(part.field, k, 0) ?? String(k + 1), n > 0))));
  const many = value.length / names.length; // of a line for each player, that of one is drawn
  const own = part.lines ? value.slice(whose * many, (whose + 1) * many) : Array.isArray(value) ? value : [value];
  const others = (k) => names.map((name, seat) => part.lines && seat !== whose && value[seat * many + k] ? `; ${name} ${value[seat * many + k]}` : "").join("");
  const rows = own.map((done, k) => {
    const whole = words.evaluate(part.length, state, { [part.argument]: k }), ahead = part.ahead ? state[part.ahead][k] : 0;
    const name = !Array.isArray(value) ? game.names[part.field] : !part.lines && game.state[part.field].by_seat ? names[k] : words.valueName(part.field, k, 0) ?? String(k + 1);
    return whole > 0 && el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, el("progress", { value: done + ahead, max: whole, "aria-label": name })), el("td", {}, `${done + ahead} of ${whole}${others(k)}`));
  });
  const caption = part.lines && names.length > 1 ? el("caption", {}, `${game.names[part.field] ?? part.field}: ${names[whose]}`) : null;
  return el("table", { class: "tracks" }, caption, el("tbody", {}, rows));
}

export { playerName };
